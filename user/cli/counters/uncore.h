/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * Events of PMUs outside the CPUs: where they are counted, and the sum of the boxes that one name
 * stands for.
 */
#ifndef CLI_UNCORE_H
#define CLI_UNCORE_H

#include "counter_set.h"

/* Whether an uncore PMU counts it. */
static inline bool counter_is_uncore(const struct counter *counter)
{
	return counter->cpus;
}

/* A group has events of uncore PMUs alone, or none of them. */
static inline bool counter_group_is_uncore(const struct counter_set *set,
					   const struct counter_group *group)
{
	return counter_is_uncore(&set->counters[group->first]);
}

/* The first uncore event of the set, or NULL. */
const struct counter *uncore_first(const struct counter_set *set);

/* What only uncore events need, of a new counter.  Return: 0 or -ENOMEM. */
int uncore_init(struct counter *counter, const struct pmcgrp_event *event);
void uncore_free(struct counter *counter);

/*
 * uncore_place - where the counters of a set are counted, and what their rows are
 *
 * Of an event that one counter in each package counts completely, other CPUs of the package are left
 * out.  Boxes have a row of their own, with the PMU's name, if each CPU has; else one for their sum.
 *
 * Return: 0 or -ENOMEM.
 */
int uncore_place(struct counter_set *set);

/*
 * uncore_limit - count on these CPUs only, and leave out boxes that none of them counts
 *
 * Return: an event that has no box left, as it was; or NULL.
 */
const struct counter *uncore_limit(struct counter_set *set, const struct pmcgrp_cpus *cpus);

/*
 * uncore_groups_by_pmu - a group for each PMU: perf_event_open(2) has none over several
 * @broken: an event of a group that named several PMUs, and is broken up; or NULL
 *
 * Return: 0 or -ENOMEM.
 */
int uncore_groups_by_pmu(struct counter_set *set, const struct counter **broken);

/* Whom a group of uncore events counts, where the others count @target. */
void uncore_target(struct counter_target *own, const struct counter_set *set,
		   const struct counter_group *group, const struct counter_target *target);

/*
 * uncore_follow - a CPU has a record of a group: take its events' rows along if their PMUs have moved
 *	there
 *
 * A row, and what it has come to, goes to the line of the CPU that counts now, of the same part of
 * the machine.  Return: 0 or -ENOMEM.
 */
int uncore_follow(struct counter_set *set, const struct counter_group *group, int cpu);

/* The line to which a CPU's count of an event is added: @line, its own, or that of who counts now. */
unsigned int uncore_line(const struct counter_set *set, unsigned int index, unsigned int line,
			 int cpu);

/* Of the row of a counter, with all boxes whose sum it is: */

/* Whether there is one on a line. */
bool uncore_on_line(const struct counter_set *set, unsigned int index, unsigned int line);

/* How many of the line's CPUs count it. */
unsigned int uncore_line_cpus(const struct counter_set *set, unsigned int index, unsigned int line);

/* Whether it is supported, of any event. */
bool uncore_supported(const struct counter_set *set, unsigned int index);

/* Whether a CPU's count of an event is not to be added, for another one of the package has it. */
static inline bool uncore_skips(const struct counter *counter, int cpu)
{
	return counter->skipped && cpu >= 0 && pmcgrp_cpus_test(counter->skipped, cpu);
}

/*
 * uncore_take - add a reading to the statistics, or of a box to the sum that uncore_sums() makes
 * @index: the counter's
 */
void uncore_take(struct counter_set *set, unsigned int index, struct counts *counts,
		 struct reading reading);
void uncore_sums(struct counter_set *set);

#endif
