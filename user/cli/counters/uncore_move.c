// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * When the CPU that counts an uncore PMU goes offline, the driver lets another one of the same part
 * of the machine count.  The module follows, and has a record of each: the sums go on.  Here both
 * become one row, that of the CPU that counts now.
 */
#include <errno.h>
#include <stdlib.h>

#include "core_pmu.h"
#include "topology.h"
#include "uncore.h"

/* The CPU that counts now what this one has counted. */
static int now_at(const struct counter *counter, int cpu)
{
	return counter->moved_to && counter->moved_to[cpu] ? counter->moved_to[cpu] - 1 : cpu;
}

unsigned int uncore_line(const struct counter_set *set, unsigned int index, unsigned int line,
			 int cpu)
{
	const struct counter *counter = &set->counters[index];

	if (cpu < 0 || !counter->moved_to || !aggr_of_cpus(set->aggr) || now_at(counter, cpu) == cpu)
		return line;
	return set->aggr->line_of[now_at(counter, cpu)] - 1;
}

static void cpus_clear(struct pmcgrp_cpus *cpus, int cpu)
{
	cpus->bits[cpu / 64] &= ~(1ULL << cpu % 64);
}

/* How near two CPUs are; one that is offline may have no place any more. */
static int nearness(const struct aggr *aggr, int a, int b)
{
	struct aggr_id left, right;

	if (topology_place(aggr->folder, AGGR_DIE, 0, a, &left) ||
	    topology_place(aggr->folder, AGGR_DIE, 0, b, &right))
		return 1;
	if (left.socket != right.socket)
		return 0;
	return left.die == right.die ? 3 : 2;
}

/* The first of the nearest CPUs, of those in @among that are not in @but (or NULL); -1: none. */
static int nearest(const struct aggr *aggr, const struct pmcgrp_cpus *among,
		   const struct pmcgrp_cpus *but, int cpu)
{
	int at, found = -1, best = -1, near;

	for (at = pmcgrp_cpus_next(among, 0); at >= 0; at = pmcgrp_cpus_next(among, at + 1)) {
		if (but && pmcgrp_cpus_test(but, at))
			continue;
		near = nearness(aggr, at, cpu);
		if (near <= best)
			continue;
		best = near;
		found = at;
	}
	return found;
}

/* Whether further CPUs that count the event are on a line. */
static bool has_others(const struct counter_set *set, const struct counter *counter,
		       unsigned int line, int but)
{
	int cpu;

	for (cpu = pmcgrp_cpus_next(counter->cpus, 0); cpu >= 0;
	     cpu = pmcgrp_cpus_next(counter->cpus, cpu + 1)) {
		if (cpu != but && set->aggr->line_of[cpu] == line + 1)
			return true;
	}
	return false;
}

/* What has been counted goes to the new CPU's line.  Return: 1 if it did, 0 or -ENOMEM. */
static int counts_move(struct counter_set *set, unsigned int index, int from, int to)
{
	int old = aggr_line(set->aggr, from), new = aggr_line(set->aggr, to), ret;
	struct counts *before, *after;

	ret = old < 0 || new < 0 ? -ENOMEM : counter_lines_grow(set);
	if (ret < 0 || old == new)
		return ret;
	before = counter_counts(set, (unsigned int)old, index);
	after = counter_counts(set, (unsigned int)new, index);
	if (after->seen || has_others(set, &set->counters[index], (unsigned int)old, from))
		return 0;
	free(after->reason);
	*after = *before;
	*before = (struct counts){ 0 };
	return 1;
}

static int moves_note(struct counter *counter, int from, int to)
{
	int cpu;

	if (!counter->moved_to)
		counter->moved_to = calloc(PMCGRP_CPUS_MAX, sizeof(*counter->moved_to));
	if (!counter->moved_to)
		return -ENOMEM;
	for (cpu = 0; cpu < PMCGRP_CPUS_MAX; cpu++) {
		if (counter->moved_to[cpu] == from + 1)
			counter->moved_to[cpu] = (unsigned short)(to + 1);
	}
	counter->moved_to[from] = (unsigned short)(to + 1);
	counter->moved_to[to] = 0;
	return 0;
}

/* A CPU that is left out has its heir left out. */
static void skip_as(struct counter *counter, int from, int to)
{
	if (counter->skipped && pmcgrp_cpus_test(counter->skipped, from))
		pmcgrp_cpus_set(counter->skipped, to);
	else if (counter->skipped)
		cpus_clear(counter->skipped, to);
}

static int move(struct counter_set *set, unsigned int index, int from, int to)
{
	struct counter *counter = &set->counters[index];
	int ret = counts_move(set, index, from, to);

	if (ret > 0)
		ret = moves_note(counter, from, to);
	if (ret < 0)
		return ret;
	skip_as(counter, from, to);
	cpus_clear(counter->cpus, from);
	pmcgrp_cpus_set(counter->cpus, to);
	return 0;
}

/* A CPU that has counted between two others, and was not seen to: it is of the row of one of them. */
static int join(struct counter_set *set, unsigned int index, const struct pmcgrp_cpus *mask,
		int cpu)
{
	struct counter *counter = &set->counters[index];
	int other, ret;

	if (now_at(counter, cpu) != cpu)
		return 0;
	other = nearest(set->aggr, counter->cpus, mask, cpu);
	if (other < 0)
		other = nearest(set->aggr, counter->cpus, NULL, cpu);
	if (other < 0)
		return 0;
	ret = aggr_line(set->aggr, other);
	if (ret >= 0)
		ret = counter_lines_grow(set);
	if (ret >= 0)
		ret = moves_note(counter, cpu, other);
	if (ret >= 0)
		skip_as(counter, other, cpu);
	return ret;
}

static int follow(struct counter_set *set, unsigned int index, int cpu)
{
	struct counter *counter = &set->counters[index];
	struct pmcgrp_cpus mask;
	int other;

	if (pmcgrp_cpus_test(counter->cpus, cpu) ||
	    !core_pmu_list("", counter->pmu, "cpumask", &mask))
		return 0;
	if (!pmcgrp_cpus_test(&mask, cpu))
		return join(set, index, &mask, cpu);
	other = nearest(set->aggr, counter->cpus, &mask, cpu);
	if (other >= 0)
		return move(set, index, other, cpu);
	/* A part of the machine that has come. */
	pmcgrp_cpus_set(counter->cpus, cpu);
	return 0;
}

int uncore_follow(struct counter_set *set, const struct counter_group *group, int cpu)
{
	unsigned int i;
	int ret = 0;

	for (i = group->first; i < group->first + group->nr && ret >= 0; i++) {
		if (set->counters[i].supported)
			ret = follow(set, i, cpu);
	}
	return ret;
}
