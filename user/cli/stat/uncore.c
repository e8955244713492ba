// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * What stat does with events of uncore PMUs, which belong to no task: perf counts all CPUs for them,
 * and so does stat, for as long as what it was told to count.
 */
#include <errno.h>

#include "args/args.h"
#include "args/cli.h"
#include "counters/uncore.h"
#include "stat_run.h"

/* How many events there are of uncore PMUs; @first: one of them. */
static unsigned int count(const struct pmcgrp_events *events, const struct pmcgrp_event **first)
{
	const struct pmcgrp_event *event;
	unsigned int i, nr = 0;

	for (i = 0; (event = pmcgrp_events_at(events, i)); i++) {
		if (event->flags & PMCGRP_EVENT_UNCORE && !nr++)
			*first = event;
	}
	return nr;
}

void stat_uncore_note_split(const struct pmcgrp_events *events)
{
	const struct pmcgrp_event_group *group;
	unsigned int i;

	for (i = 0; (group = pmcgrp_events_group(events, i)); i++) {
		if (!(group->flags & PMCGRP_EVENT_GROUP_SPLIT))
			continue;
		cli_say("-e: the group with %s is broken up: its PMUs cannot be in one group, and "
			"each has a group of its own, over the same time",
			pmcgrp_events_at(events, group->first)->name);
		return;
	}
}

int stat_uncore_choose(struct stat_run *st, const struct pmcgrp_events *events)
{
	struct stat_options *o = &st->options;
	const struct pmcgrp_event *event = NULL;
	unsigned int nr = count(events, &event);

	if (nr && o->aggr == AGGR_THREAD) {
		cli_say("--per-thread: %s is counted of a part of the machine, and of no thread: "
			"count it with -a, in a pmcgrp stat of its own", event->name);
		return EXIT_TOOL;
	}
	/* As perf: a command whose events are all of this kind says how long, and not whom. */
	if (nr && nr == pmcgrp_events_nr(events) && o->command && !stat_counts_tasks(o) &&
	    !stat_counts_cpus(o))
		o->all_cpus = true;
	if (nr && !stat_counts_cpus(o))
		st->uncore = nr == pmcgrp_events_nr(events) ? STAT_UNCORE_ALL : STAT_UNCORE_SOME;
	/* The table's heading says so. */
	if (st->uncore && (o->separator || o->json))
		cli_say("%s is counted on all CPUs: its PMU counts a part of the machine, and no tasks",
			event->name);
	return stat_options_check_lines(o) == 1 ? 0 : EXIT_TOOL;
}

int stat_uncore_limit(struct stat_run *st)
{
	const struct counter *counter;
	char list[128];

	counter = st->options.has_cpus ? uncore_limit(&st->set, &st->options.cpus) : NULL;
	if (!counter)
		return 0;
	pmcgrp_cpus_format(counter->cpus, list, sizeof(list));
	if (list[0])
		cli_say("-C: %s is counted on CPU%s %s, once for each part of the machine: name that, or "
			"count all with -a", counter->name,
			pmcgrp_cpus_nr(counter->cpus) > 1 ? "s" : "", list);
	else
		cli_say("-C: PMU %s of %s counts on no CPU now (its file cpumask is empty)",
			counter->pmu, counter->name);
	return EXIT_TOOL;
}

int stat_uncore_by_pmu(struct stat_run *st)
{
	const struct counter *broken;

	if (uncore_groups_by_pmu(&st->set, &broken) < 0)
		return cli_say_errno("cannot set up the groups", ENOMEM);
	if (broken)
		cli_say("-e: the group with %s is broken up: perf_event_open(2) has no groups over "
			"several PMUs, which the module has", broken->name);
	return 0;
}
