// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows: a group's counters on each CPU, and which of its members are the same
 * event.
 *
 * Members with equal attrs are one event with one counter, so that they are equal in
 * every read.  Events stand in the order that counter.c wants, hardware first and PMU
 * by PMU; members keep theirs.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include "sched.h"
#include "group.h"
#include "pool.h"
#include "row.h"
#include "counter.h"

/**
 * pmcgrp_row_drop - let go of a group's counters on a CPU
 * @group: the group
 * @cpu: the CPU, whose gang is closed, or the group has no carriers
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_row_drop(struct pmcgrp_group *group, int cpu)
{
	struct pmcgrp_row *row = pmcgrp_row_of(group, cpu);
	unsigned int i;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (!row->complete)
		return;
	row->complete = false;
	for (i = 0; i < group->nr_events; i++) {
		row->counter[i]->orphans -= !group->opener;
		pmcgrp_counter_put(row->counter[i]);
		row->counter[i] = NULL;
	}
}

/**
 * pmcgrp_rows_orphan - nobody has the group any more: it is not to be counted as one that does
 * @group: the group, by whose carrier others count
 *
 * Context: pmcgrp_groups_mutex held.
 */
void pmcgrp_rows_orphan(struct pmcgrp_group *group)
{
	struct pmcgrp_row *row;
	unsigned int i;
	int cpu;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	for_each_possible_cpu(cpu) {
		row = pmcgrp_row_of(group, cpu);
		for (i = 0; row->complete && i < group->nr_events; i++)
			row->counter[i]->orphans++;
	}
}

/**
 * pmcgrp_rows_drop - let go of all counters of a group that has no carriers
 * @group: the group
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_rows_drop(struct pmcgrp_group *group)
{
	int cpu;

	for_each_possible_cpu(cpu)
		pmcgrp_row_drop(group, cpu);
	pmcgrp_counters_settle();
}

static int row_make(struct pmcgrp_group *group, int cpu, struct pmcgrp_failure *fail)
{
	struct pmcgrp_row *row = pmcgrp_row_of(group, cpu);
	struct pmcgrp_counter *counter;
	unsigned int i;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	row->generation = pmcgrp_cpu_generation(cpu);
	row->has_cpu_events = false;
	for (i = 0; i < group->nr_events; i++) {
		counter = pmcgrp_counter_get(&group->member[group->first[i]].attr, cpu,
					     row->generation, pmcgrp_group_counts_cpus(group));
		if (IS_ERR(counter))
			goto put_counters;
		row->counter[i] = counter;
		row->has_cpu_events |= counter->is_cpu_event;
	}
	for (i = 0; i < group->nr_events; i++)
		row->counter[i]->orphans += !group->opener;
	row->complete = true;
	return 0;

put_counters:
	fail->member = group->first[i];
	fail->cpu = cpu;
	while (i--) {
		pmcgrp_counter_put(row->counter[i]);
		row->counter[i] = NULL;
	}
	return PTR_ERR(counter);
}

/**
 * pmcgrp_row_rebuild - give a group its counters on a CPU that has come online
 * @group: the group
 * @cpu: the CPU, whose gang is closed
 *
 * Counters that have outlived the CPU's time offline are used again.  Without counters the group
 * is enabled but does not run on this CPU.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_row_rebuild(struct pmcgrp_group *group, int cpu)
{
	struct pmcgrp_row *row = pmcgrp_row_of(group, cpu);
	struct pmcgrp_failure fail;

	if (row->complete && !row->has_cpu_events) {
		row->generation = pmcgrp_cpu_generation(cpu);
		return;
	}
	pmcgrp_row_drop(group, cpu);
	row_make(group, cpu, &fail);
}

static void group_find_events(struct pmcgrp_group *group)
{
	unsigned int e, i;

	for (i = 0; i < group->nr; i++) {
		for (e = 0; e < group->nr_events; e++)
			if (pmcgrp_attr_equal(&group->member[i].attr,
					      &group->member[group->first[e]].attr))
				break;
		if (e == group->nr_events)
			group->first[group->nr_events++] = i;
		group->member[i].event = e;
	}
}

/* What comes first: hardware, then PMU by PMU. */
static bool counter_before(const struct pmcgrp_counter *a, const struct pmcgrp_counter *b)
{
	if (pmcgrp_counter_is_software(a) != pmcgrp_counter_is_software(b))
		return pmcgrp_counter_is_software(b);
	return a->event->pmu->type < b->event->pmu->type;
}

/* The events have been put into another order: first[] finds each by its old number. */
static void group_tell_members(struct pmcgrp_group *group)
{
	u8 place[PMCGRP_MEMBERS_MAX]; /* of member's event in the new order */
	unsigned int i;

	for (i = 0; i < group->nr_events; i++)
		place[group->member[group->first[i]].event] = i;
	for (i = 0; i < group->nr; i++)
		group->member[i].event = place[group->member[i].event];
}

/* Put the events into order, once the first row shows whose they are. */
static void group_sort_events(struct pmcgrp_group *group, struct pmcgrp_row *row)
{
	bool moved = false;
	unsigned int i, k;

	for (i = 1; i < group->nr_events; i++)
		for (k = i; k && counter_before(row->counter[k], row->counter[k - 1]); k--) {
			swap(row->counter[k], row->counter[k - 1]);
			swap(group->first[k], group->first[k - 1]);
			moved = true;
		}
	if (moved)
		group_tell_members(group);
	for (i = 0; i < group->nr_events && !pmcgrp_counter_is_software(row->counter[i]); i++)
		;
	group->nr_hw = i;
}

static u32 why_of_counter_error(int err, int cpu, u64 generation)
{
	/* perf core says it before cpu_online() does, and it may be back by now. */
	if (err == -ENODEV && pmcgrp_cpu_is_online(cpu) && pmcgrp_cpu_generation(cpu) == generation)
		return PMCGRP_WHY_PMU;
	return pmcgrp_why_of_error(err);
}

static int row_try(struct pmcgrp_group *group, int cpu, struct pmcgrp_failure *fail)
{
	u64 generation = pmcgrp_cpu_generation(cpu);
	int err = -ENODEV;

	fail->cpu = cpu;
	if (cpu_online(cpu))
		err = row_make(group, cpu, fail);
	if (err)
		fail->why = why_of_counter_error(err, cpu, generation);
	return pmcgrp_errno_of(err);
}

/**
 * pmcgrp_rows_make - make the counters of a new group
 * @group: the group, with its members, target type and CPUs
 * @fail: out: the reason for a failure
 *
 * On every CPU where the target may run.  A CPU that has no such event (a hybrid
 * machine's other kind of core) or has just gone offline is done without, as long
 * as there is one that has, unless it was asked for by number.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: 0, or the errno that the uapi header gives for PMCGRP_IOC_CREATE; then
 * there are no counters.
 */
int pmcgrp_rows_make(struct pmcgrp_group *group, struct pmcgrp_failure *fail)
{
	struct pmcgrp_failure first = *fail;
	int cpu, err, first_err = 0;
	bool any = false;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	group_find_events(group);
	for_each_cpu(cpu, group->cpus) {
		err = row_try(group, cpu, fail);
		if (!err) {
			if (!any)
				group_sort_events(group, pmcgrp_row_of(group, cpu));
			any = true;
			continue;
		}
		if (pmcgrp_group_has_cpu_list(group) || (err != -ENOENT && err != -ENODEV))
			goto drop_rows;
		if (!first_err) {
			first_err = err;
			first = *fail;
		}
	}
	*fail = first;
	if (!any)
		return first_err;
	fail->why = PMCGRP_WHY_NONE;
	fail->member = PMCGRP_NO_MEMBER;
	fail->cpu = -1;
	return 0;

drop_rows:
	pmcgrp_rows_drop(group);
	return err;
}

/**
 * pmcgrp_rows_trim - undo pmcgrp_rows_extend()
 * @group: the group
 *
 * Context: may sleep; pmcgrp_groups_mutex and the group's held.
 */
void pmcgrp_rows_trim(struct pmcgrp_group *group)
{
	unsigned int n = group->nr_events;
	struct pmcgrp_row *row;
	int cpu;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	for_each_cpu(cpu, group->cpus) {
		row = pmcgrp_row_of(group, cpu);
		if (!row->complete || !row->counter[n])
			continue;
		pmcgrp_counter_put(row->counter[n]);
		row->counter[n] = NULL;
	}
	pmcgrp_counters_settle();
}

/* One counter more, which nobody uses yet; a CPU that has gone offline has none at all. */
static int row_extend(struct pmcgrp_group *group, int cpu, const struct perf_event_attr *attr)
{
	struct pmcgrp_row *row = pmcgrp_row_of(group, cpu);
	u64 generation = pmcgrp_cpu_generation(cpu);
	struct pmcgrp_counter *counter;

	if (row->has_cpu_events && row->generation != generation) {
		pmcgrp_row_drop(group, cpu);
		return 0;
	}
	counter = pmcgrp_counter_get(attr, cpu, generation, pmcgrp_group_counts_cpus(group));
	if (!IS_ERR(counter)) {
		row->counter[group->nr_events] = counter;
		row->generation = generation;
		row->has_cpu_events |= counter->is_cpu_event;
		return 0;
	}
	if (PTR_ERR(counter) == -ENODEV && generation != pmcgrp_cpu_generation(cpu)) {
		pmcgrp_row_drop(group, cpu);
		return 0;
	}
	return PTR_ERR(counter);
}

/**
 * pmcgrp_rows_extend - make the counters for one event more, behind all others
 * @group: the group, of which there is no such event
 * @attr: the event
 * @fail: out: the reason for a failure
 *
 * On every CPU where the group has counters.  Where it has none (the CPU is offline or
 * lacks its events) it may get all of them when the CPU comes online.
 *
 * Context: may sleep; pmcgrp_groups_mutex and the group's held.  The group counts on.
 * Return: 0, or the errno that the uapi header gives for PMCGRP_IOC_ADD; then there are
 * no such counters.
 */
int pmcgrp_rows_extend(struct pmcgrp_group *group, const struct perf_event_attr *attr,
		       struct pmcgrp_failure *fail)
{
	bool any = false;
	int cpu, err;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	for_each_cpu(cpu, group->cpus) {
		if (!pmcgrp_row_of(group, cpu)->complete)
			continue;
		err = row_extend(group, cpu, attr);
		if (err) {
			fail->cpu = cpu;
			fail->why = why_of_counter_error(err, cpu,
							 pmcgrp_row_of(group, cpu)->generation);
			pmcgrp_rows_trim(group);
			return pmcgrp_errno_of(err);
		}
		any |= pmcgrp_row_of(group, cpu)->complete;
	}
	if (!any) {
		fail->why = PMCGRP_WHY_CPU_OFFLINE;
		return -ENODEV;
	}
	return 0;
}

/* A row that has all counters, those of an extension as well; there is one. */
static struct pmcgrp_row *any_row(struct pmcgrp_group *group)
{
	struct pmcgrp_row *row;
	int cpu;

	for_each_cpu(cpu, group->cpus) {
		row = pmcgrp_row_of(group, cpu);
		if (row->complete)
			return row;
	}
	return NULL;
}

/**
 * pmcgrp_rows_renumber - members have come or gone: find the first of each event again
 * @group: the group
 *
 * Context: pmcgrp_groups_mutex and the group's held.
 */
void pmcgrp_rows_renumber(struct pmcgrp_group *group)
{
	unsigned int i;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	for (i = group->nr; i--;)
		group->first[group->member[i].event] = i;
}

/**
 * pmcgrp_rows_insert - let the event behind all others be one of them
 * @group: the group, frozen; after pmcgrp_rows_extend(), with its new member, which is
 *	the last
 *
 * Context: pmcgrp_groups_mutex, the group's and its evsets_mutex held.
 * Return: which event it is; the new member has it.
 */
unsigned int pmcgrp_rows_insert(struct pmcgrp_group *group)
{
	struct pmcgrp_row *row = any_row(group);
	unsigned int n = group->nr_events, at, i;
	struct pmcgrp_counter *counter = row->counter[n];
	int cpu;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	lockdep_assert_held(&group->evsets_mutex);
	group->nr_hw += !pmcgrp_counter_is_software(counter);
	for (at = n; at && counter_before(counter, row->counter[at - 1]); at--)
		;
	for_each_cpu(cpu, group->cpus) {
		row = pmcgrp_row_of(group, cpu);
		if (!row->complete)
			continue;
		counter = row->counter[n];
		memmove(&row->counter[at + 1], &row->counter[at],
			(n - at) * sizeof(row->counter[0]));
		row->counter[at] = counter;
	}
	group->nr_events++;
	for (i = 0; i < group->nr - 1; i++)
		group->member[i].event += group->member[i].event >= at;
	group->member[i].event = at;
	pmcgrp_rows_renumber(group);
	return at;
}

/**
 * pmcgrp_rows_take_out - move an event behind all others, for pmcgrp_rows_trim()
 * @group: the group, frozen, without members that count the event
 * @at: which it is
 *
 * Context: pmcgrp_groups_mutex, the group's and its evsets_mutex held.
 */
void pmcgrp_rows_take_out(struct pmcgrp_group *group, unsigned int at)
{
	unsigned int n = group->nr_events - 1, i;
	struct pmcgrp_counter *counter;
	struct pmcgrp_row *row;
	int cpu;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	lockdep_assert_held(&group->evsets_mutex);
	for_each_cpu(cpu, group->cpus) {
		row = pmcgrp_row_of(group, cpu);
		if (!row->complete)
			continue;
		counter = row->counter[at];
		memmove(&row->counter[at], &row->counter[at + 1],
			(n - at) * sizeof(row->counter[0]));
		row->counter[n] = counter;
	}
	group->nr_hw -= at < group->nr_hw;
	group->nr_events--;
	for (i = 0; i < group->nr; i++)
		group->member[i].event -= group->member[i].event > at;
	pmcgrp_rows_renumber(group);
}
