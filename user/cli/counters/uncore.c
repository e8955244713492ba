// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regroup.h"
#include "topology.h"
#include "uncore.h"

const struct counter *uncore_first(const struct counter_set *set)
{
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		if (counter_is_uncore(&set->counters[i]))
			return &set->counters[i];
	}
	return NULL;
}

/* ---- Life ---- */

int uncore_init(struct counter *counter, const struct pmcgrp_event *event)
{
	size_t where;

	if (!(event->flags & PMCGRP_EVENT_UNCORE))
		return 0;
	counter->pmu = strdup(event->pmu);
	counter->cpus = calloc(1, sizeof(*counter->cpus));
	if (!counter->pmu || !counter->cpus)
		return -ENOMEM;
	/* Without a list of CPUs there is none that counts. */
	pmcgrp_cpus_parse(counter->cpus, event->cpus ? event->cpus : "", &where);
	return 0;
}

void uncore_free(struct counter *counter)
{
	free(counter->pmu);
	free(counter->cpus);
	free(counter->skipped);
	free(counter->moved_to);
}

/* ---- Rows ---- */

/* As perf does: the PMU's name in place of that of its kind, or behind the event's. */
static int name_by_pmu(struct counter *counter)
{
	const char *slash = strchr(counter->name, '/');
	char *name;
	int ret;

	if (!strncmp(counter->name, counter->pmu, strlen(counter->pmu)))
		return 0;
	if (slash)
		ret = asprintf(&name, "%s%s", counter->pmu, slash);
	else
		ret = asprintf(&name, "%s [%s]", counter->name, counter->pmu);
	if (ret < 0)
		return -ENOMEM;
	free(counter->name);
	counter->name = name;
	return 0;
}

static bool same_package(const struct aggr *aggr, int a, int b)
{
	struct aggr_id left, right;

	return !topology_place(aggr->folder, AGGR_DIE, 0, a, &left) &&
	       !topology_place(aggr->folder, AGGR_DIE, 0, b, &right) &&
	       left.socket == right.socket && left.die == right.die;
}

/* Leave out those that are not the first of their package. */
static int skip_others(const struct counter_set *set, struct counter *counter)
{
	const struct pmcgrp_cpus *cpus = counter->cpus;
	int cpu, before;

	counter->skipped = calloc(1, sizeof(*counter->skipped));
	if (!counter->skipped)
		return -ENOMEM;
	for (cpu = pmcgrp_cpus_next(cpus, 0); cpu >= 0; cpu = pmcgrp_cpus_next(cpus, cpu + 1)) {
		for (before = pmcgrp_cpus_next(cpus, 0); before < cpu;
		     before = pmcgrp_cpus_next(cpus, before + 1)) {
			if (pmcgrp_cpus_test(counter->skipped, before) ||
			    !same_package(set->aggr, before, cpu))
				continue;
			pmcgrp_cpus_set(counter->skipped, cpu);
			break;
		}
	}
	return 0;
}

int uncore_place(struct counter_set *set)
{
	bool apart = set->aggr->mode == AGGR_NONE;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < set->nr && !ret; i++) {
		struct counter *counter = &set->counters[i];

		counter->first_box = counter->sum;
		if (apart)
			counter->sum = i;
		set->counters[counter->sum].nr_boxes++;
		if (!counter_is_uncore(counter))
			continue;
		if (counter->per_pkg && pmcgrp_cpus_nr(counter->cpus) > 1)
			ret = skip_others(set, counter);
		if (!ret && apart)
			ret = name_by_pmu(counter);
	}
	return ret;
}

static bool is_box(const struct counter_set *set, unsigned int i, unsigned int first)
{
	return set->counters[i].first_box == first;
}

static struct pmcgrp_cpus both(const struct pmcgrp_cpus *a, const struct pmcgrp_cpus *b)
{
	struct pmcgrp_cpus cpus;
	size_t word;

	for (word = 0; word < sizeof(cpus.bits) / sizeof(cpus.bits[0]); word++)
		cpus.bits[word] = a->bits[word] & b->bits[word];
	return cpus;
}

/* Leave out boxes that no CPU of a list counts.  Return: whether one is left; else nothing changes. */
static bool limit(struct counter_set *set, unsigned int first, const struct pmcgrp_cpus *cpus)
{
	struct pmcgrp_cpus of_both;
	bool left = false;
	unsigned int i;

	for (i = first; i < set->nr && !left; i++) {
		if (!is_box(set, i, first))
			continue;
		of_both = both(set->counters[i].cpus, cpus);
		left = pmcgrp_cpus_next(&of_both, 0) >= 0;
	}
	for (i = first; i < set->nr && left; i++) {
		if (!is_box(set, i, first))
			continue;
		of_both = both(set->counters[i].cpus, cpus);
		*set->counters[i].cpus = of_both;
		set->counters[i].supported = pmcgrp_cpus_next(&of_both, 0) >= 0;
	}
	return left;
}

const struct counter *uncore_limit(struct counter_set *set, const struct pmcgrp_cpus *cpus)
{
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		if (counter_is_uncore(&set->counters[i]) && is_box(set, i, i) &&
		    !limit(set, i, cpus))
			return &set->counters[i];
	}
	return NULL;
}

/* Whether it is a box of that one's row. */
static bool is_of_row(const struct counter_set *set, unsigned int i, unsigned int index)
{
	return set->counters[i].sum == index;
}

/* Whether a CPU of a line counts a row's event. */
static bool counts_row(const struct counter_set *set, unsigned int index, unsigned int line, int cpu)
{
	unsigned int i;

	if (aggr_of_cpus(set->aggr) && set->aggr->line_of[cpu] != line + 1)
		return false;
	for (i = index; i < set->nr; i++) {
		if (is_of_row(set, i, index) && pmcgrp_cpus_test(set->counters[i].cpus, cpu) &&
		    !uncore_skips(&set->counters[i], cpu))
			return true;
	}
	return false;
}

unsigned int uncore_line_cpus(const struct counter_set *set, unsigned int index, unsigned int line)
{
	struct pmcgrp_cpus all = { 0 };
	unsigned int i, nr = 0;
	size_t word;
	int cpu;

	for (i = index; i < set->nr; i++) {
		for (word = 0; is_of_row(set, i, index) && word < PMCGRP_CPUS_MAX / 64; word++)
			all.bits[word] |= set->counters[i].cpus->bits[word];
	}
	for (cpu = pmcgrp_cpus_next(&all, 0); cpu >= 0; cpu = pmcgrp_cpus_next(&all, cpu + 1))
		nr += counts_row(set, index, line, cpu);
	return nr;
}

bool uncore_on_line(const struct counter_set *set, unsigned int index, unsigned int line)
{
	unsigned int i;

	if (!counter_is_uncore(&set->counters[index]) || !aggr_of_cpus(set->aggr))
		return true;
	/* A driver may have moved the PMU to another CPU since. */
	for (i = index; i < set->nr; i++) {
		if (is_of_row(set, i, index) && counter_counts(set, line, i)->seen)
			return true;
	}
	return uncore_line_cpus(set, index, line);
}

bool uncore_supported(const struct counter_set *set, unsigned int index)
{
	unsigned int i;

	for (i = index; i < set->nr; i++) {
		if (is_of_row(set, i, index) && set->counters[i].supported)
			return true;
	}
	return false;
}

/* ---- Groups ---- */

static bool other_pmu(const struct counter *before, const struct counter *counter)
{
	return strcmp(before->pmu, counter->pmu);
}

/* Whether a group has two PMUs that were named, and not only boxes that one name stands for. */
static bool names_several(const struct counter_set *set, const struct counter_group *group)
{
	unsigned int i;

	for (i = group->first + 1; i < group->first + group->nr; i++) {
		if (other_pmu(&set->counters[i - 1], &set->counters[i]) && is_box(set, i, i))
			return true;
	}
	return false;
}

int uncore_groups_by_pmu(struct counter_set *set, const struct counter **broken)
{
	unsigned int i;
	int ret = 0;

	*broken = NULL;
	for (i = 0; i < set->nr_groups && ret >= 0; i++) {
		if (!counter_group_is_uncore(set, &set->groups[i]))
			continue;
		if (names_several(set, &set->groups[i]))
			*broken = &set->counters[set->groups[i].first];
		ret = regroup_split(set, i, other_pmu);
	}
	return ret < 0 ? ret : 0;
}

void uncore_target(struct counter_target *own, const struct counter_set *set,
		   const struct counter_group *group, const struct counter_target *target)
{
	*own = *target;
	own->flags &= ~(uint64_t)(PMCGRP_CREATE_INHERIT | PMCGRP_CREATE_ENABLE_ON_EXEC |
				  PMCGRP_CREATE_UNTIL_EXIT);
	own->nr_more = 0;
	if (target->type == PMCGRP_TARGET_CPUS)
		own->cpus = *set->counters[group->first].cpus;
	else
		own->type = PMCGRP_TARGET_ALL_CPUS;
}

/* ---- Sums ---- */

static double scaled(const struct counter_set *set, const struct counter *counter,
		     struct reading reading)
{
	/* A state is what it is, for however long it was looked at. */
	if (set->unscaled || counter->snapshot || !reading.running ||
	    reading.running >= reading.enabled)
		return (double)reading.value;
	return (double)reading.value * (double)reading.enabled / (double)reading.running;
}

void uncore_take(struct counter_set *set, unsigned int index, struct counts *counts,
		 struct reading reading)
{
	const struct counter *counter = &set->counters[index];

	if (counter->nr_boxes != 1) {
		counts->box = reading;
		counts->fresh = true;
	}
	if (counter->nr_boxes <= 1)
		counts_take(counts, reading, scaled(set, counter, reading));
}

/* A sum without one of its boxes says nothing: it is not counted. */
static void sum_up(struct counter_set *set, unsigned int line, unsigned int index)
{
	struct counts *sum = counter_counts(set, line, index), *c;
	bool any = false, missing = false, own = sum->box.running;
	struct reading all = { 0 };
	double value = 0.0;
	unsigned int i;

	for (i = index; i < set->nr; i++) {
		c = counter_counts(set, line, i);
		if (!is_of_row(set, i, index) || !c->fresh)
			continue;
		c->fresh = false;
		any = true;
		all.enabled += c->box.enabled;
		all.running += c->box.running;
		missing |= c->box.enabled && !c->box.running;
		value += scaled(set, &set->counters[i], c->box);
	}
	if (!any)
		return;
	if (missing)
		all.running = 0;
	counts_take(sum, all, value);
	sum->ran |= own;
}

void uncore_sums(struct counter_set *set)
{
	unsigned int line, i;

	for (line = 0; line < set->nr_lines; line++) {
		for (i = 0; i < set->nr; i++) {
			if (set->counters[i].nr_boxes > 1)
				sum_up(set, line, i);
		}
	}
}
