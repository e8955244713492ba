// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes of rows: a list gets one event more, or loses one, while it has a leader (member_add.c).
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/string.h>
#include "counter/attr.h"
#include "counter/counter.h"
#include "counter/event.h"
#include "counter/pool.h"
#include "platform/core_pmu.h"
#include "set/evlist.h"
#include "set/row.h"
#include "set/row_change.h"

/* Let go of the counters of the event behind all others. */
static void rows_shorten(struct pmcgrp_evlist *list)
{
	unsigned int n = list->nr_events;
	struct pmcgrp_row *row;
	int cpu;

	for_each_cpu(cpu, list->cpus) {
		row = pmcgrp_row_of(list, cpu);
		if (row->counter[n] && pmcgrp_row_is_bound(list, list->event[n]))
			pmcgrp_counter_unbind(row->counter[n]);
		row->counter[n] = NULL;
	}
}

/**
 * pmcgrp_rows_trim - undo pmcgrp_rows_extend()
 * @list: the event list
 *
 * Context: may sleep; pmcgrp_groups_mutex and the list's held.
 */
void pmcgrp_rows_trim(struct pmcgrp_evlist *list)
{
	unsigned int n = list->nr_events;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	rows_shorten(list);
	pmcgrp_row_event_put(list, list->event[n]);
	list->event[n] = NULL;
	pmcgrp_events_settle();
}

/* One counter more, which nobody uses yet; a CPU that has gone offline has none at all. */
static int row_extend(struct pmcgrp_evlist *list, int cpu)
{
	struct pmcgrp_row *row = pmcgrp_row_of(list, cpu);
	struct pmcgrp_event *ev = list->event[list->nr_events];
	u64 generation = pmcgrp_cpu_generation(cpu);
	struct pmcgrp_counter *counter;

	if (!pmcgrp_row_is_bound(list, ev))
		return 0;
	if (row->has_cpu_events && row->generation != generation) {
		pmcgrp_row_drop(list, cpu);
		return 0;
	}
	counter = pmcgrp_row_bind(list, list->nr_events, cpu, generation);
	if (!IS_ERR(counter)) {
		row->counter[list->nr_events] = counter;
		row->generation = generation;
		row->has_cpu_events |= counter->is_cpu_event;
		return 0;
	}
	if (PTR_ERR(counter) == -ENODEV && generation != pmcgrp_cpu_generation(cpu)) {
		pmcgrp_row_drop(list, cpu);
		return 0;
	}
	return PTR_ERR(counter);
}

/**
 * pmcgrp_rows_extend - get one event more, with its counters, behind all others
 * @list: the event list, of which there is no such event
 * @attr: the event
 * @fail: out: the reason for a failure
 *
 * On every CPU where the list has counters.  Where it has none (the CPU is offline or
 * lacks its events) it may get all of them when the CPU comes online.
 *
 * Context: may sleep; pmcgrp_groups_mutex and the list's held.  The list counts on.
 * Return: 0, or the errno that the uapi header gives for PMCGRP_IOC_ADD; then there is
 * no such event.
 */
int pmcgrp_rows_extend(struct pmcgrp_evlist *list, const struct perf_event_attr *attr,
		       struct pmcgrp_failure *fail)
{
	struct pmcgrp_event *ev;
	bool any = false;
	int cpu, err;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	ev = pmcgrp_row_event_get(list, attr);
	if (IS_ERR(ev)) {
		fail->why = pmcgrp_why_of_error(PTR_ERR(ev));
		return pmcgrp_errno_of(PTR_ERR(ev));
	}
	list->event[list->nr_events] = ev;
	for_each_cpu(cpu, list->cpus) {
		if (pmcgrp_row_of(list, cpu)->complete)
			err = row_extend(list, cpu);
		else if (list->is_uncore && cpu_online(cpu) &&
			 pmcgrp_row_may_have(list, list->nr_events, cpu))
			err = -PMCGRP_ESPLIT;
		else
			continue;
		if (err) {
			fail->cpu = cpu;
			fail->why = pmcgrp_row_why(err, cpu,
						   pmcgrp_row_of(list, cpu)->generation);
			err = pmcgrp_errno_of(err);
			goto trim;
		}
		any |= pmcgrp_row_of(list, cpu)->complete;
	}
	if (any && ev->is_uncore == list->is_uncore)
		return 0;
	fail->why = PMCGRP_WHY_CPU_OFFLINE;
	err = -ENODEV;
trim:
	if (ev->pmu && ev->is_uncore != list->is_uncore) {
		fail->why = PMCGRP_WHY_UNCORE_MIXED;
		fail->cpu = -1;
		err = -EINVAL;
	}
	pmcgrp_rows_trim(list);
	return err;
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

/* Move an event of a list to another place; rows are filled again before they are used. */
static void move_event(struct pmcgrp_evlist *list, unsigned int from, unsigned int to)
{
	struct pmcgrp_row *row;
	int cpu;

	move_pointer((void **)list->event, from, to);
	for_each_cpu(cpu, list->cpus) {
		row = pmcgrp_row_of(list, cpu);
		move_pointer((void **)row->counter, from, to);
		row->lookups = 0;
	}
}

/**
 * pmcgrp_rows_insert - let the event behind all others be one of them
 * @list: the event list, frozen; after pmcgrp_rows_extend()
 *
 * Context: pmcgrp_groups_mutex, the list's mutex and its evsets_mutex held.
 * Return: number of the event; those from there on have moved by one.
 */
unsigned int pmcgrp_rows_insert(struct pmcgrp_evlist *list)
{
	unsigned int n = list->nr_events, at;
	struct pmcgrp_event *ev = list->event[n];

	lockdep_assert_held(&pmcgrp_groups_mutex);
	lockdep_assert_held(&list->evsets_mutex);
	list->nr_hw += !ev->is_software;
	for (at = n; at && pmcgrp_row_event_before(ev, list->event[at - 1]); at--)
		;
	move_event(list, n, at);
	list->nr_events++;
	return at;
}

/**
 * pmcgrp_rows_take_out - move an event behind all others, for pmcgrp_rows_trim()
 * @list: the event list, frozen
 * @at: number of the event; those behind it move by one
 *
 * Context: pmcgrp_groups_mutex, the list's mutex and its evsets_mutex held.
 */
void pmcgrp_rows_take_out(struct pmcgrp_evlist *list, unsigned int at)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	lockdep_assert_held(&list->evsets_mutex);
	move_event(list, at, list->nr_events - 1);
	list->nr_hw -= at < list->nr_hw;
	list->nr_events--;
}
