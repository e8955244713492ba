// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows: a group's counters on each CPU, and which of its members are the same
 * event.
 *
 * Members with equal attrs are one event with one slot, so that they are equal in
 * every read.  Events stand in the order that slot.c wants, hardware first and PMU
 * by PMU; members keep theirs.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include "gang.h"
#include "group.h"
#include "pool.h"
#include "row.h"
#include "slot.h"

/**
 * pmcgrp_row_drop - let go of a group's slots on a CPU
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
		row->slot[i]->orphans -= !group->opener;
		pmcgrp_slot_put(row->slot[i]);
		row->slot[i] = NULL;
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
			row->slot[i]->orphans++;
	}
}

/**
 * pmcgrp_rows_drop - let go of all slots of a group that has no carriers
 * @group: the group
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_rows_drop(struct pmcgrp_group *group)
{
	int cpu;

	for_each_possible_cpu(cpu)
		pmcgrp_row_drop(group, cpu);
}

static int row_make(struct pmcgrp_group *group, int cpu, struct pmcgrp_failure *fail)
{
	struct pmcgrp_row *row = pmcgrp_row_of(group, cpu);
	struct pmcgrp_slot *slot;
	unsigned int i;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	row->epoch = pmcgrp_gang_epoch(cpu);
	for (i = 0; i < group->nr_events; i++) {
		slot = pmcgrp_slot_get(&group->member[group->first[i]].attr, cpu, row->epoch);
		if (IS_ERR(slot))
			goto put_slots;
		row->slot[i] = slot;
	}
	for (i = 0; i < group->nr_events; i++)
		row->slot[i]->orphans += !group->opener;
	row->complete = true;
	return 0;

put_slots:
	fail->member = group->first[i];
	fail->cpu = cpu;
	while (i--) {
		pmcgrp_slot_put(row->slot[i]);
		row->slot[i] = NULL;
	}
	return PTR_ERR(slot);
}

/**
 * pmcgrp_row_rebuild - give a group its slots on a CPU that has come online
 * @group: the group
 * @cpu: the CPU, whose gang is closed
 *
 * Without slots the group is enabled but does not run on this CPU.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_row_rebuild(struct pmcgrp_group *group, int cpu)
{
	struct pmcgrp_failure fail;

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
static bool slot_before(const struct pmcgrp_slot *a, const struct pmcgrp_slot *b)
{
	if (pmcgrp_slot_is_software(a) != pmcgrp_slot_is_software(b))
		return pmcgrp_slot_is_software(b);
	return a->event->pmu->type < b->event->pmu->type;
}

/* The events have been put into another order: first[] finds each by its old number. */
static void group_tell_members(struct pmcgrp_group *group)
{
	u8 place[PMCGRP_MEMBERS_MAX];	/* of member's event in the new order */
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
		for (k = i; k && slot_before(row->slot[k], row->slot[k - 1]); k--) {
			swap(row->slot[k], row->slot[k - 1]);
			swap(group->first[k], group->first[k - 1]);
			moved = true;
		}
	if (moved)
		group_tell_members(group);
	for (i = 0; i < group->nr_events && !pmcgrp_slot_is_software(row->slot[i]); i++)
		;
	group->nr_hw = i;
}

static u32 why_of_slot_error(int err, int cpu, u64 epoch)
{
	/* perf core says it before cpu_online() does, and it may be back by now. */
	if (err == -ENODEV && pmcgrp_gang_is_alive(cpu) && pmcgrp_gang_epoch(cpu) == epoch)
		return PMCGRP_WHY_PMU;
	return pmcgrp_why_of_error(err);
}

static int row_try(struct pmcgrp_group *group, int cpu, struct pmcgrp_failure *fail)
{
	u64 epoch = pmcgrp_gang_epoch(cpu);
	int err = -ENODEV;

	fail->cpu = cpu;
	if (cpu_online(cpu))
		err = row_make(group, cpu, fail);
	if (err)
		fail->why = why_of_slot_error(err, cpu, epoch);
	return pmcgrp_errno_of(err);
}

/**
 * pmcgrp_rows_make - make the slots of a new group
 * @group: the group, with its members, target type and CPUs
 * @fail: out: the reason for a failure
 *
 * On every CPU where the target may run.  A CPU that has no such event (a hybrid
 * machine's other kind of core) or has just gone offline is done without, as long
 * as there is one that has, unless it was asked for by number.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: 0, or the errno that the uapi header gives for PMCGRP_IOC_CREATE; then
 * there are no slots.
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
		if (pmcgrp_group_is_choosy(group) || (err != -ENOENT && err != -ENODEV))
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
		if (!row->complete || !row->slot[n])
			continue;
		pmcgrp_slot_put(row->slot[n]);
		row->slot[n] = NULL;
	}
}

/* One slot more, which nobody uses yet; a CPU that has gone offline has none at all. */
static int row_extend(struct pmcgrp_group *group, int cpu, const struct perf_event_attr *attr)
{
	struct pmcgrp_row *row = pmcgrp_row_of(group, cpu);
	struct pmcgrp_slot *slot;

	if (row->epoch != pmcgrp_gang_epoch(cpu)) {
		pmcgrp_row_drop(group, cpu);
		return 0;
	}
	slot = pmcgrp_slot_get(attr, cpu, row->epoch);
	if (!IS_ERR(slot)) {
		row->slot[group->nr_events] = slot;
		return 0;
	}
	if (PTR_ERR(slot) == -ENODEV && row->epoch != pmcgrp_gang_epoch(cpu)) {
		pmcgrp_row_drop(group, cpu);
		return 0;
	}
	return PTR_ERR(slot);
}

/**
 * pmcgrp_rows_extend - make the slots for one event more, behind all others
 * @group: the group, of which there is no such event
 * @attr: the event
 * @fail: out: the reason for a failure
 *
 * On every CPU where the group has slots.  Where it has none (the CPU is offline or
 * lacks its events) it may get all of them when the CPU comes online.
 *
 * Context: may sleep; pmcgrp_groups_mutex and the group's held.  The group counts on.
 * Return: 0, or the errno that the uapi header gives for PMCGRP_IOC_ADD; then there are
 * no such slots.
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
			fail->why = why_of_slot_error(err, cpu,
						      pmcgrp_row_of(group, cpu)->epoch);
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

/* A row that has all slots, those of an extension as well; there is one. */
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
 * Context: pmcgrp_groups_mutex, the group's and its rides_mutex held.
 * Return: which event it is; the new member has it.
 */
unsigned int pmcgrp_rows_insert(struct pmcgrp_group *group)
{
	struct pmcgrp_row *row = any_row(group);
	unsigned int n = group->nr_events, at, i;
	struct pmcgrp_slot *slot = row->slot[n];
	int cpu;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	lockdep_assert_held(&group->rides_mutex);
	group->nr_hw += !pmcgrp_slot_is_software(slot);
	for (at = n; at && slot_before(slot, row->slot[at - 1]); at--)
		;
	for_each_cpu(cpu, group->cpus) {
		row = pmcgrp_row_of(group, cpu);
		if (!row->complete)
			continue;
		slot = row->slot[n];
		memmove(&row->slot[at + 1], &row->slot[at], (n - at) * sizeof(row->slot[0]));
		row->slot[at] = slot;
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
 * Context: pmcgrp_groups_mutex, the group's and its rides_mutex held.
 */
void pmcgrp_rows_take_out(struct pmcgrp_group *group, unsigned int at)
{
	unsigned int n = group->nr_events - 1, i;
	struct pmcgrp_slot *slot;
	struct pmcgrp_row *row;
	int cpu;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	lockdep_assert_held(&group->rides_mutex);
	for_each_cpu(cpu, group->cpus) {
		row = pmcgrp_row_of(group, cpu);
		if (!row->complete)
			continue;
		slot = row->slot[at];
		memmove(&row->slot[at], &row->slot[at + 1], (n - at) * sizeof(row->slot[0]));
		row->slot[n] = slot;
	}
	group->nr_hw -= at < group->nr_hw;
	group->nr_events--;
	for (i = 0; i < group->nr; i++)
		group->member[i].event -= group->member[i].event > at;
	pmcgrp_rows_renumber(group);
}
