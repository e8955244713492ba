// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What record counts, and when: from the command line to attrs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "args/cli.h"
#include "counters/modes.h"
#include "counters/regroup.h"
#include "counters/uncore.h"
#include "record_run.h"

static const char default_events[] = "{cycles,instructions,branches,branch-misses}";

/* What there is without a PMU. */
static const char software_events[] = "{task-clock,context-switches,page-faults}";

static int say_event_error(const char *text, int ret, const struct pmcgrp_events_error *error)
{
	if (ret != -EINVAL)
		return cli_say_errno("cannot set up the events", -ret);
	cli_say("-e: %s", error->text);
	cli_point(text, error->column);
	return EXIT_TOOL;
}

/* A pair of braces more would be a group more, with a ring of its own. */
static int check_groups(const struct pmcgrp_events *events)
{
	const struct pmcgrp_event_group *group;
	unsigned int i, nr = pmcgrp_events_nr_groups(events);

	if (pmcgrp_events_nr(events) > PMCGRP_MEMBERS_MAX) {
		cli_say("-e: a group has %d events at most", PMCGRP_MEMBERS_MAX);
		return EXIT_TOOL;
	}
	for (i = 0; i < nr && nr > 1; i++) {
		group = pmcgrp_events_group(events, i);
		if (group->nr == 1)
			continue;
		cli_say("-e: all events are one group here: put them into one pair of braces, or "
			"start one \"pmcgrp record\" for each group");
		return EXIT_TOOL;
	}
	return 0;
}

static int add_all(struct record_run *r, struct pmcgrp_events *events)
{
	const struct record_options *o = &r->options;
	const char *text = r->fell_back ? software_events : default_events;
	unsigned int i, nr = o->nr_events ? o->nr_events : 1;
	struct pmcgrp_events_error error;
	int ret;

	for (i = 0; i < nr; i++) {
		if (o->nr_events)
			text = o->events[i];
		ret = pmcgrp_events_add(events, text, 0, &error);
		if (ret < 0)
			return say_event_error(text, ret, &error);
	}
	return check_groups(events);
}

static int say_uncore(const struct counter *counter)
{
	cli_say("-e: %s is counted of a part of the machine, on one CPU of each package, and samples "
		"are of what all CPUs run: \"pmcgrp stat -a -I 100 -e '%s'\" prints it ten times a "
		"second, beside \"pmcgrp record\" if need be", counter->name, counter->name);
	return EXIT_TOOL;
}

static int list_init(struct record_run *r)
{
	const struct record_options *o = &r->options;
	struct pmcgrp_events *events;
	int ret = pmcgrp_events_new(&events);

	if (ret < 0)
		return cli_say_errno("cannot set up the events", -ret);
	ret = add_all(r, events);
	if (!ret) {
		ret = counter_set_init(&r->set, events, &r->aggr);
		if (ret < 0)
			ret = cli_say_errno("cannot set up the events", -ret);
	}
	pmcgrp_events_free(events);
	if (ret)
		return ret;
	if (uncore_first(&r->set))
		return say_uncore(uncore_first(&r->set));
	regroup_join(&r->set);
	modes_set(&r->set, o->all_user, o->all_kernel);
	return 0;
}

/* Of -c it is the first event that is counted, as perf record's. */
static int every_init(struct record_run *r, struct record_trigger *t, struct pmcgrp_events_error *error)
{
	if (!t->text &&
	    asprintf(&t->text, "%d:%s", t->count, r->set.counters[0].name) < 0) {
		t->text = NULL;
		return -ENOMEM;
	}
	return trigger_every(&r->triggers[r->nr_triggers], t->text, record_of_cpus(&r->options),
			     error);
}

static int triggers_init(struct record_run *r)
{
	struct record_options *o = &r->options;
	struct pmcgrp_events_error error;
	const char *option;
	unsigned int i;
	int ret;

	for (i = 0; i < o->nr_triggers; i++) {
		struct record_trigger *t = &o->triggers[i];

		if (t->every)
			ret = every_init(r, t, &error);
		else
			ret = trigger_on(&r->triggers[i], t->text, &error);
		if (ret == -EINVAL) {
			option = t->count ? "-c" : t->every ? "--every" : "--on";
			cli_say("%s: %s", option, error.text);
			cli_point(t->text, error.column);
			return EXIT_TOOL;
		}
		if (ret < 0)
			return cli_say_errno("cannot set up the triggers", -ret);
		r->nr_triggers++;
	}
	return 0;
}

int record_events_fall_back(struct record_run *r)
{
	if (r->options.nr_events || r->fell_back)
		return EXIT_TOOL;
	r->fell_back = true;
	counter_set_free(&r->set);
	return list_init(r);
}

int record_events_init(struct record_run *r)
{
	struct pmcgrp_cpus none = { 0 };
	int bad, ret;

	ret = aggr_init(&r->aggr, AGGR_GLOBAL, &none, AGGR_FOLDER, &bad);
	if (ret < 0)
		return cli_say_errno("cannot set up the events", -ret);
	ret = list_init(r);
	return ret ? ret : triggers_init(r);
}
