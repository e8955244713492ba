// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows: a group's events, and its counters on each CPU.
 *
 * Members with equal attrs are one event with one counter, so that they are equal in
 * every read.  Events stand in the order that counter.c wants, hardware first and PMU
 * by PMU; members keep theirs.
 *
 * A group of CPUs has a counter of each event on each of its CPUs, which stay there.  A group of
 * tasks has the counters of a CPU looked up when a set is scheduled in there for the first time,
 * and again when one of them may have left the CPU (pool.c).
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include "group.h"
#include "event.h"
#include "pool.h"
#include "row.h"
#include "counter.h"

/* Whether each CPU of a group has a counter of an event for good. */
static bool is_bound_for(const struct pmcgrp_group *group, const struct pmcgrp_event *ev)
{
	return ev->is_bound || pmcgrp_group_counts_cpus(group);
}

/* How many tasks of a group may need a counter of an event at the same time. */
static unsigned int tasks_at_a_time(const struct pmcgrp_group *group)
{
	return pmcgrp_group_has_one_set(group) ? 1 : num_possible_cpus();
}

/**
 * pmcgrp_row_look_up - look up the counters of a group on this CPU
 * @group: the group
 * @row: its row of this CPU
 *
 * Context: interrupts off; perf core's locks may be held.
 * Return: one counter for each event, or NULL if the group cannot count here, or not yet.
 */
struct pmcgrp_counter *const *pmcgrp_row_look_up(const struct pmcgrp_group *group,
						 struct pmcgrp_row *row)
{
	struct pmcgrp_counter *counter;
	unsigned int i;

	lockdep_assert_irqs_disabled();
	if (!row->complete ||
	    (row->has_cpu_events &&
	     row->generation != pmcgrp_cpu_generation(smp_processor_id())))
		return NULL;
	for (i = 0; i < group->nr_events; i++) {
		if (is_bound_for(group, group->event[i]))
			continue;
		counter = pmcgrp_pool_counter_here(group->event[i]);
		if (!counter)
			return NULL;
		row->counter[i] = counter;
	}
	row->lookups = pmcgrp_lookups_here();
	return row->counter;
}

/**
 * pmcgrp_row_drop - let go of a group's counters on a CPU
 * @group: the group
 * @cpu: the CPU, which is not usable, or the group has no carriers
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
	row->lookups = 0;
	for (i = 0; i < group->nr_events; i++) {
		if (is_bound_for(group, group->event[i]))
			pmcgrp_counter_unbind(row->counter[i]);
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
	unsigned int i;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	for (i = 0; i < group->nr_events; i++)
		group->event[i]->nr_orphans++;
}

/* Get an event, with counters for the tasks of a group. */
static struct pmcgrp_event *event_get(const struct pmcgrp_group *group,
				      const struct perf_event_attr *attr)
{
	struct pmcgrp_event *ev = pmcgrp_event_get(attr);
	int err = 0;

	if (IS_ERR(ev) || pmcgrp_group_counts_cpus(group))
		return ev;
	err = pmcgrp_pool_want(ev, tasks_at_a_time(group));
	if (err) {
		pmcgrp_event_put(ev);
		return ERR_PTR(err);
	}
	if (!ev->is_bound)
		ev->nr_groups++;
	return ev;
}

static void event_put(const struct pmcgrp_group *group, struct pmcgrp_event *ev)
{
	if (!is_bound_for(group, ev)) {
		ev->nr_groups--;
		pmcgrp_pool_unwant(ev, tasks_at_a_time(group));
	}
	if (!group->opener)
		ev->nr_orphans--;
	pmcgrp_event_put(ev);
}

/**
 * pmcgrp_rows_drop - let go of all events and counters of a group that has no carriers
 * @group: the group
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_rows_drop(struct pmcgrp_group *group)
{
	unsigned int i;
	int cpu;

	for_each_cpu(cpu, group->cpus)
		pmcgrp_row_drop(group, cpu);
	for (i = 0; i < group->nr_events; i++)
		event_put(group, group->event[i]);
	group->nr_events = 0;
	pmcgrp_events_settle();
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
		if (!is_bound_for(group, group->event[i]))
			continue;
		counter = pmcgrp_counter_bind(group->event[i], cpu, row->generation,
					      pmcgrp_group_counts_cpus(group));
		if (IS_ERR(counter))
			goto unbind_counters;
		row->counter[i] = counter;
		row->has_cpu_events |= counter->is_cpu_event;
	}
	row->complete = true;
	return 0;

unbind_counters:
	fail->member = group->first[i];
	fail->cpu = cpu;
	while (i--) {
		if (is_bound_for(group, group->event[i]))
			pmcgrp_counter_unbind(row->counter[i]);
		row->counter[i] = NULL;
	}
	return PTR_ERR(counter);
}

/**
 * pmcgrp_row_rebuild - give a group its counters on a CPU that has come online
 * @group: the group
 * @cpu: the CPU, which is not usable
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

	if (row->complete && !row->has_cpu_events)
		return;
	pmcgrp_row_drop(group, cpu);
	row_make(group, cpu, &fail);
}

/* Find the distinct events of the members. */
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

/* Get all events of a group; without them it has none. */
static int group_get_events(struct pmcgrp_group *group, struct pmcgrp_failure *fail)
{
	struct pmcgrp_event *ev;
	unsigned int i;

	for (i = 0; i < group->nr_events; i++) {
		ev = event_get(group, &group->member[group->first[i]].attr);
		if (IS_ERR(ev))
			goto put_events;
		group->event[i] = ev;
	}
	return 0;

put_events:
	fail->member = group->first[i];
	fail->why = pmcgrp_why_of_error(PTR_ERR(ev));
	while (i--)
		event_put(group, group->event[i]);
	group->nr_events = 0;
	pmcgrp_events_settle();
	return pmcgrp_errno_of(PTR_ERR(ev));
}

/* What comes first: hardware, then PMU by PMU. */
static bool event_before(const struct pmcgrp_event *a, const struct pmcgrp_event *b)
{
	if (a->is_software != b->is_software)
		return b->is_software;
	return a->pmu->type < b->pmu->type;
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

/* Put the events into order, and the counters of the only row that has been made, if any. */
static void group_sort_events(struct pmcgrp_group *group, struct pmcgrp_row *row)
{
	bool moved = false;
	unsigned int i, k;

	for (i = 1; i < group->nr_events; i++)
		for (k = i; k && event_before(group->event[k], group->event[k - 1]); k--) {
			swap(group->event[k], group->event[k - 1]);
			swap(row->counter[k], row->counter[k - 1]);
			swap(group->first[k], group->first[k - 1]);
			moved = true;
		}
	if (moved)
		group_tell_members(group);
	for (i = 0; i < group->nr_events && !group->event[i]->is_software; i++)
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
	if (cpu_online(cpu) || !pmcgrp_group_counts_cpus(group))
		err = row_make(group, cpu, fail);
	if (err)
		fail->why = why_of_counter_error(err, cpu, generation);
	return pmcgrp_errno_of(err);
}

/**
 * pmcgrp_rows_make - get the events and counters of a new group
 * @group: the group, with its members, target type and CPUs
 * @fail: out: the reason for a failure
 *
 * For every CPU where the target may run.  A CPU that has no such event (a hybrid
 * machine's other kind of core) or has just gone offline is done without, as long
 * as there is one that has, unless it was asked for by number.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: 0, or the errno that the uapi header gives for PMCGRP_IOC_CREATE; then
 * there are no events.
 */
int pmcgrp_rows_make(struct pmcgrp_group *group, struct pmcgrp_failure *fail)
{
	struct pmcgrp_failure first;
	int cpu, err, first_err = 0;
	bool any = false;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	group_find_events(group);
	err = group_get_events(group, fail);
	if (err)
		return err;
	first = *fail;
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
	err = first_err;
	if (!any)
		goto drop_rows;
	fail->why = PMCGRP_WHY_NONE;
	fail->member = PMCGRP_NO_MEMBER;
	fail->cpu = -1;
	return 0;

drop_rows:
	pmcgrp_rows_drop(group);
	return err;
}

/* Let go of the counters of the event behind all others. */
static void rows_shorten(struct pmcgrp_group *group)
{
	unsigned int n = group->nr_events;
	struct pmcgrp_row *row;
	int cpu;

	for_each_cpu(cpu, group->cpus) {
		row = pmcgrp_row_of(group, cpu);
		if (row->counter[n] && is_bound_for(group, group->event[n]))
			pmcgrp_counter_unbind(row->counter[n]);
		row->counter[n] = NULL;
	}
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

	lockdep_assert_held(&pmcgrp_groups_mutex);
	rows_shorten(group);
	event_put(group, group->event[n]);
	group->event[n] = NULL;
	pmcgrp_events_settle();
}

/* One counter more, which nobody uses yet; a CPU that has gone offline has none at all. */
static int row_extend(struct pmcgrp_group *group, int cpu)
{
	struct pmcgrp_row *row = pmcgrp_row_of(group, cpu);
	struct pmcgrp_event *ev = group->event[group->nr_events];
	u64 generation = pmcgrp_cpu_generation(cpu);
	struct pmcgrp_counter *counter;

	if (!is_bound_for(group, ev))
		return 0;
	if (row->has_cpu_events && row->generation != generation) {
		pmcgrp_row_drop(group, cpu);
		return 0;
	}
	counter = pmcgrp_counter_bind(ev, cpu, generation, pmcgrp_group_counts_cpus(group));
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
 * pmcgrp_rows_extend - get one event more, with its counters, behind all others
 * @group: the group, of which there is no such event
 * @attr: the event
 * @fail: out: the reason for a failure
 *
 * On every CPU where the group has counters.  Where it has none (the CPU is offline or
 * lacks its events) it may get all of them when the CPU comes online.
 *
 * Context: may sleep; pmcgrp_groups_mutex and the group's held.  The group counts on.
 * Return: 0, or the errno that the uapi header gives for PMCGRP_IOC_ADD; then there is
 * no such event.
 */
int pmcgrp_rows_extend(struct pmcgrp_group *group, const struct perf_event_attr *attr,
		       struct pmcgrp_failure *fail)
{
	struct pmcgrp_event *ev;
	bool any = false;
	int cpu, err;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	ev = event_get(group, attr);
	if (IS_ERR(ev)) {
		fail->why = pmcgrp_why_of_error(PTR_ERR(ev));
		return pmcgrp_errno_of(PTR_ERR(ev));
	}
	group->event[group->nr_events] = ev;
	for_each_cpu(cpu, group->cpus) {
		if (!pmcgrp_row_of(group, cpu)->complete)
			continue;
		err = row_extend(group, cpu);
		if (err) {
			fail->cpu = cpu;
			fail->why = why_of_counter_error(err, cpu,
							 pmcgrp_row_of(group, cpu)->generation);
			err = pmcgrp_errno_of(err);
			goto trim;
		}
		any |= pmcgrp_row_of(group, cpu)->complete;
	}
	if (any)
		return 0;
	fail->why = PMCGRP_WHY_CPU_OFFLINE;
	err = -ENODEV;
trim:
	pmcgrp_rows_trim(group);
	return err;
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

/* Move a pointer within an array, and those between the two places by one. */
static void move_pointer(void **array, unsigned int from, unsigned int to)
{
	void *moved = array[from];

	if (to < from)
		memmove(&array[to + 1], &array[to], (from - to) * sizeof(*array));
	else
		memmove(&array[from], &array[from + 1], (to - from) * sizeof(*array));
	array[to] = moved;
}

/* Move an event of a group to another place; rows are filled again before they are used. */
static void group_move_event(struct pmcgrp_group *group, unsigned int from, unsigned int to)
{
	struct pmcgrp_row *row;
	int cpu;

	move_pointer((void **)group->event, from, to);
	for_each_cpu(cpu, group->cpus) {
		row = pmcgrp_row_of(group, cpu);
		move_pointer((void **)row->counter, from, to);
		row->lookups = 0;
	}
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
	unsigned int n = group->nr_events, at, i;
	struct pmcgrp_event *ev = group->event[n];

	lockdep_assert_held(&pmcgrp_groups_mutex);
	lockdep_assert_held(&group->evsets_mutex);
	group->nr_hw += !ev->is_software;
	for (at = n; at && event_before(ev, group->event[at - 1]); at--)
		;
	group_move_event(group, n, at);
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

	lockdep_assert_held(&pmcgrp_groups_mutex);
	lockdep_assert_held(&group->evsets_mutex);
	group_move_event(group, at, n);
	group->nr_hw -= at < group->nr_hw;
	group->nr_events--;
	for (i = 0; i < group->nr; i++)
		group->member[i].event -= group->member[i].event > at;
	pmcgrp_rows_renumber(group);
}
