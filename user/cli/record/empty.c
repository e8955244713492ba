// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Why a recording has no sample, and what to do about it. */
#include <inttypes.h>
#include <string.h>

#include "args/cli.h"
#include "counters/reason.h"
#include "record_run.h"

/* What became of the groups. */
struct state {
	uint64_t ran;			/* ns: of the thread that ran longest, or of each CPU */
	uint64_t running;		/* ns for which groups had their counters */
	unsigned int in_error;		/* events of triggers that have no counter */
	enum pmcgrp_why why;		/* of a group that had no counters */
};

static bool state_get(const struct record_run *r, struct state *state)
{
	unsigned int i, cpus = record_of_cpus(&r->options) ? pmcgrp_rings_nr(r->rings) : 1;
	struct pmcgrp_info *info;

	*state = (struct state){ 0 };
	for (i = 0; i < r->nr_groups; i++) {
		if (pmcgrp_group_info(r->groups[i], &info) < 0)
			return false;
		if (info->time_enabled / cpus > state->ran)
			state->ran = info->time_enabled / cpus;
		state->running += info->time_running;
		state->in_error += info->triggers_in_error;
		if (!info->time_running && info->why)
			state->why = (enum pmcgrp_why)info->why;
		pmcgrp_info_free(info);
	}
	return true;
}

/* Whether a trigger is a clock: --every TIME. */
static bool is_clock(const struct record_trigger *option, const struct trigger *trigger)
{
	return option->every && !strchr(option->text, ':') &&
	       trigger->attr.type == PERF_TYPE_SOFTWARE;
}

static void say_trigger(const struct record_run *r, unsigned int i, const struct state *state)
{
	const struct record_trigger *option = &r->options.triggers[i];
	const struct trigger *trigger = &r->triggers[i];

	if (is_clock(option, trigger) && trigger->attr.sample_period > state->ran)
		cli_say("--every %s is longer than that: give a shorter time", option->text);
	else if (is_clock(option, trigger))
		cli_say("--every %s: the clock has not expired", option->text);
	else if (option->every)
		cli_say("--every %s: there were fewer of the event; \"pmcgrp stat\" counts them",
			option->text);
	else
		cli_say("--on %s: it did not happen there and then; \"pmcgrp stat\" counts events "
			"and tracepoints, and -a records all CPUs",
			option->text);
}

void record_say_empty(const struct record_run *r)
{
	struct state state;
	unsigned int i;

	if (!state_get(r, &state)) {
		cli_say("there was no sample: did the target run, and the trigger come?");
		return;
	}
	if (!state.ran) {
		cli_say("there was no sample: the target has not run while it was recorded; record it "
			"for longer, or what does run (-a)");
		return;
	}
	cli_say("there was no sample: the target ran for %.3f ms, and no trigger came in that time",
		(double)state.ran / 1e6);
	for (i = 0; i < r->nr_triggers; i++)
		say_trigger(r, i, &state);
	if (state.in_error)
		cli_say("a trigger had no counter of its own: end what else counts, or count fewer "
			"events");
	if (!state.running)
		cli_say("the group had no counters: %s%s", pmcgrp_why_text(state.why),
			reason_advice(state.why));
}
