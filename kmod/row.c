// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows: a list's events, and its counters on each CPU.
 *
 * Members with equal attrs are one event with one counter, so that they are equal in
 * every read.  Events stand in the order that counter.c wants, hardware first and PMU
 * by PMU; members keep theirs.
 *
 * A list of CPUs has a counter of each event on each of its CPUs, which stay there.  A list of
 * tasks has the counters of a CPU looked up when a set is scheduled in there for the first time,
 * and again when one of them may have left the CPU (pool.c).
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include "evlist.h"
#include "event.h"
#include "pool.h"
#include "row.h"
#include "counter.h"

/* Whether each CPU of a list has a counter of an event for good. */
static bool is_bound_for(const struct pmcgrp_evlist *list, const struct pmcgrp_event *ev)
{
	return ev->is_bound || pmcgrp_evlist_counts_cpus(list);
}

/* How many tasks of a list may need a counter of an event at the same time. */
static unsigned int tasks_at_a_time(const struct pmcgrp_evlist *list)
{
	return pmcgrp_evlist_has_one_set(list) ? 1 : num_possible_cpus();
}

/**
 * pmcgrp_row_look_up - look up the counters of a list on this CPU
 * @list: the event list
 * @row: its row of this CPU
 *
 * Context: interrupts off; perf core's locks may be held.
 * Return: one counter for each event, or NULL if the list cannot count here, or not yet.
 */
struct pmcgrp_counter *const *pmcgrp_row_look_up(const struct pmcgrp_evlist *list,
						 struct pmcgrp_row *row)
{
	struct pmcgrp_counter *counter;
	unsigned int i;

	lockdep_assert_irqs_disabled();
	if (!row->complete ||
	    (row->has_cpu_events &&
	     row->generation != pmcgrp_cpu_generation(smp_processor_id())))
		return NULL;
	for (i = 0; i < list->nr_events; i++) {
		if (is_bound_for(list, list->event[i]))
			continue;
		counter = pmcgrp_pool_counter_here(list->event[i]);
		if (!counter)
			return NULL;
		row->counter[i] = counter;
	}
	row->lookups = pmcgrp_lookups_here();
	return row->counter;
}

/**
 * pmcgrp_row_drop - let go of a list's counters on a CPU
 * @list: the event list
 * @cpu: the CPU, which is not usable, or the list has no carriers
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_row_drop(struct pmcgrp_evlist *list, int cpu)
{
	struct pmcgrp_row *row = pmcgrp_row_of(list, cpu);
	unsigned int i;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (!row->complete)
		return;
	row->complete = false;
	row->lookups = 0;
	for (i = 0; i < list->nr_events; i++) {
		if (is_bound_for(list, list->event[i]))
			pmcgrp_counter_unbind(row->counter[i]);
		row->counter[i] = NULL;
	}
}

/**
 * pmcgrp_rows_count_groups - a group more or less shares a list, for pmcgrp_event_nr_groups()
 * @list: the event list, which has another group
 * @more: 1 or -1
 *
 * Context: pmcgrp_groups_mutex held.
 */
void pmcgrp_rows_count_groups(struct pmcgrp_evlist *list, int more)
{
	unsigned int i;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	for (i = 0; i < list->nr_events; i++)
		list->event[i]->nr_groups += more;
}

/* Get an event, with counters for the tasks of a list. */
static struct pmcgrp_event *event_get(const struct pmcgrp_evlist *list,
				      const struct perf_event_attr *attr)
{
	struct pmcgrp_event *ev = pmcgrp_event_get(attr);
	int err = 0;

	if (IS_ERR(ev) || pmcgrp_evlist_counts_cpus(list))
		return ev;
	err = pmcgrp_pool_want(ev, tasks_at_a_time(list));
	if (err) {
		pmcgrp_event_put(ev);
		return ERR_PTR(err);
	}
	if (!ev->is_bound)
		ev->nr_groups++;
	return ev;
}

static void event_put(const struct pmcgrp_evlist *list, struct pmcgrp_event *ev)
{
	if (!is_bound_for(list, ev)) {
		ev->nr_groups--;
		pmcgrp_pool_unwant(ev, tasks_at_a_time(list));
	}
	pmcgrp_event_put(ev);
}

/**
 * pmcgrp_rows_drop - let go of all events and counters of a list that has no carriers
 * @list: the event list
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_rows_drop(struct pmcgrp_evlist *list)
{
	unsigned int i;
	int cpu;

	for_each_cpu(cpu, list->cpus)
		pmcgrp_row_drop(list, cpu);
	for (i = 0; i < list->nr_events; i++)
		event_put(list, list->event[i]);
	list->nr_events = 0;
	pmcgrp_events_settle();
}

static int row_make(struct pmcgrp_evlist *list, int cpu, struct pmcgrp_failure *fail)
{
	struct pmcgrp_row *row = pmcgrp_row_of(list, cpu);
	struct pmcgrp_counter *counter;
	unsigned int i;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	row->generation = pmcgrp_cpu_generation(cpu);
	row->has_cpu_events = false;
	for (i = 0; i < list->nr_events; i++) {
		if (!is_bound_for(list, list->event[i]))
			continue;
		counter = pmcgrp_counter_bind(list->event[i], cpu, row->generation,
					      pmcgrp_evlist_counts_cpus(list));
		if (IS_ERR(counter))
			goto unbind_counters;
		row->counter[i] = counter;
		row->has_cpu_events |= counter->is_cpu_event;
	}
	row->complete = true;
	return 0;

unbind_counters:
	fail->member = i;
	fail->cpu = cpu;
	while (i--) {
		if (is_bound_for(list, list->event[i]))
			pmcgrp_counter_unbind(row->counter[i]);
		row->counter[i] = NULL;
	}
	return PTR_ERR(counter);
}

/**
 * pmcgrp_row_rebuild - give a list its counters on a CPU that has come online
 * @list: the event list
 * @cpu: the CPU, which is not usable
 *
 * Counters that have outlived the CPU's time offline are used again.  Without counters the list
 * is enabled but does not run on this CPU.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_row_rebuild(struct pmcgrp_evlist *list, int cpu)
{
	struct pmcgrp_row *row = pmcgrp_row_of(list, cpu);
	struct pmcgrp_failure fail;

	if (row->complete && !row->has_cpu_events)
		return;
	pmcgrp_row_drop(list, cpu);
	row_make(list, cpu, &fail);
}

/* Get all events of a list; without them it has none. */
static int get_events(struct pmcgrp_evlist *list, const struct perf_event_attr *const *attr,
		      unsigned int nr, struct pmcgrp_failure *fail)
{
	struct pmcgrp_event *ev;

	for (; list->nr_events < nr; list->nr_events++) {
		ev = event_get(list, attr[list->nr_events]);
		if (IS_ERR(ev))
			goto put_events;
		list->event[list->nr_events] = ev;
	}
	return 0;

put_events:
	fail->member = list->nr_events;
	fail->why = pmcgrp_why_of_error(PTR_ERR(ev));
	while (list->nr_events)
		event_put(list, list->event[--list->nr_events]);
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

/*
 * Put the events into order, and the counters of the only row that has been made.
 * @given: for each event, its number in the order in which they were given
 */
static void sort_events(struct pmcgrp_evlist *list, struct pmcgrp_row *row, u8 *given)
{
	unsigned int i, k;

	for (i = 1; i < list->nr_events; i++)
		for (k = i; k && event_before(list->event[k], list->event[k - 1]); k--) {
			swap(list->event[k], list->event[k - 1]);
			swap(row->counter[k], row->counter[k - 1]);
			swap(given[k], given[k - 1]);
		}
	for (i = 0; i < list->nr_events && !list->event[i]->is_software; i++)
		;
	list->nr_hw = i;
}

static u32 why_of_counter_error(int err, int cpu, u64 generation)
{
	/* perf core says it before cpu_online() does, and it may be back by now. */
	if (err == -ENODEV && pmcgrp_cpu_is_online(cpu) && pmcgrp_cpu_generation(cpu) == generation)
		return PMCGRP_WHY_PMU;
	return pmcgrp_why_of_error(err);
}

static int row_try(struct pmcgrp_evlist *list, int cpu, struct pmcgrp_failure *fail)
{
	u64 generation = pmcgrp_cpu_generation(cpu);
	int err = -ENODEV;

	fail->cpu = cpu;
	if (cpu_online(cpu) || !pmcgrp_evlist_counts_cpus(list))
		err = row_make(list, cpu, fail);
	if (err)
		fail->why = why_of_counter_error(err, cpu, generation);
	return pmcgrp_errno_of(err);
}

/**
 * pmcgrp_rows_make - get the events and counters of a new list
 * @list: the event list, with its target
 * @attr: its events, all different
 * @nr: number of these, not more than @list->room
 * @fail: out: the reason for a failure; @fail->member is the number of an attr
 *
 * For every CPU where the target may run.  A CPU that has no such event (a hybrid machine's other
 * kind of core) or has just gone offline is done without, as long as there is one that has, unless
 * it was asked for by number.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: 0, or the errno that the uapi header gives for PMCGRP_IOC_CREATE; then there are no
 * events.
 */
int pmcgrp_rows_make(struct pmcgrp_evlist *list, const struct perf_event_attr *const *attr,
		     unsigned int nr, struct pmcgrp_failure *fail)
{
	struct pmcgrp_failure first;
	u8 given[PMCGRP_MEMBERS_MAX];
	int cpu, err, first_err = 0;
	bool any = false;
	unsigned int i;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	err = get_events(list, attr, nr, fail);
	if (err)
		return err;
	for (i = 0; i < nr; i++)
		given[i] = i;
	first = *fail;
	for_each_cpu(cpu, list->cpus) {
		err = row_try(list, cpu, fail);
		if (!err) {
			if (!any)
				sort_events(list, pmcgrp_row_of(list, cpu), given);
			any = true;
			continue;
		}
		if (fail->member != PMCGRP_NO_MEMBER)
			fail->member = given[fail->member];
		if (pmcgrp_evlist_has_cpu_list(list) || (err != -ENOENT && err != -ENODEV))
			goto drop_rows;
		if (!first_err) {
			first_err = err;
			first = *fail;
		}
		fail->member = PMCGRP_NO_MEMBER;
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
	pmcgrp_rows_drop(list);
	return err;
}

/* Let go of the counters of the event behind all others. */
static void rows_shorten(struct pmcgrp_evlist *list)
{
	unsigned int n = list->nr_events;
	struct pmcgrp_row *row;
	int cpu;

	for_each_cpu(cpu, list->cpus) {
		row = pmcgrp_row_of(list, cpu);
		if (row->counter[n] && is_bound_for(list, list->event[n]))
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
	event_put(list, list->event[n]);
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

	if (!is_bound_for(list, ev))
		return 0;
	if (row->has_cpu_events && row->generation != generation) {
		pmcgrp_row_drop(list, cpu);
		return 0;
	}
	counter = pmcgrp_counter_bind(ev, cpu, generation, pmcgrp_evlist_counts_cpus(list));
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
	ev = event_get(list, attr);
	if (IS_ERR(ev)) {
		fail->why = pmcgrp_why_of_error(PTR_ERR(ev));
		return pmcgrp_errno_of(PTR_ERR(ev));
	}
	list->event[list->nr_events] = ev;
	for_each_cpu(cpu, list->cpus) {
		if (!pmcgrp_row_of(list, cpu)->complete)
			continue;
		err = row_extend(list, cpu);
		if (err) {
			fail->cpu = cpu;
			fail->why = why_of_counter_error(err, cpu,
							 pmcgrp_row_of(list, cpu)->generation);
			err = pmcgrp_errno_of(err);
			goto trim;
		}
		any |= pmcgrp_row_of(list, cpu)->complete;
	}
	if (any)
		return 0;
	fail->why = PMCGRP_WHY_CPU_OFFLINE;
	err = -ENODEV;
trim:
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
	for (at = n; at && event_before(ev, list->event[at - 1]); at--)
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
