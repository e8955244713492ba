// SPDX-License-Identifier: GPL-2.0-only
/*
 * A list with a leader gets one event more, or loses one: its evcpus change (member_add.c).
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/string.h>
#include "counter/attr.h"
#include "counter/counter.h"
#include "counter/event.h"
#include "counter/pool.h"
#include "set/evcpu.h"
#include "set/evcpu_change.h"
#include "set/evlist.h"

/* Let go of the counters of the event behind all others. */
static void evcpus_shorten(struct pmcgrp_evlist *evlist)
{
	unsigned int n = evlist->nr_events;
	struct pmcgrp_evcpu *evcpu;
	int cpu;

	for_each_cpu(cpu, evlist->cpus) {
		evcpu = pmcgrp_evcpu_of(evlist, cpu);
		if (evcpu->counter[n] && pmcgrp_evcpu_is_bound(evlist, evlist->event[n]))
			pmcgrp_pool_unbind(evcpu->counter[n]);
		evcpu->counter[n] = NULL;
	}
}

/**
 * pmcgrp_evcpus_trim - undo pmcgrp_evcpus_extend()
 * @evlist: the event list
 *
 * Context: may sleep; pmcgrp_groups_mutex and the list's held.
 */
void pmcgrp_evcpus_trim(struct pmcgrp_evlist *evlist)
{
	unsigned int n = evlist->nr_events;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	evcpus_shorten(evlist);
	pmcgrp_evcpu_event_put(evlist, evlist->event[n]);
	evlist->event[n] = NULL;
	pmcgrp_events_settle();
}

/* One counter more, which nobody uses yet; a CPU that has gone offline has none at all. */
static int evcpu_extend(struct pmcgrp_evlist *evlist, int cpu)
{
	struct pmcgrp_evcpu *evcpu = pmcgrp_evcpu_of(evlist, cpu);
	struct pmcgrp_shared_event *ev = evlist->event[evlist->nr_events];
	u64 generation = pmcgrp_cpu_generation(cpu);
	struct pmcgrp_counter *counter;

	if (!pmcgrp_evcpu_is_bound(evlist, ev))
		return 0;
	if (evcpu->has_cpu_events && evcpu->generation != generation) {
		pmcgrp_evcpu_drop(evlist, cpu);
		return 0;
	}
	counter = pmcgrp_evcpu_bind(evlist, evlist->nr_events, cpu, generation);
	if (!IS_ERR(counter)) {
		evcpu->counter[evlist->nr_events] = counter;
		evcpu->generation = generation;
		evcpu->has_cpu_events |= counter->is_cpu_event;
		return 0;
	}
	if (PTR_ERR(counter) == -ENODEV && generation != pmcgrp_cpu_generation(cpu)) {
		pmcgrp_evcpu_drop(evlist, cpu);
		return 0;
	}
	return PTR_ERR(counter);
}

/**
 * pmcgrp_evcpus_extend - get one event more, with its counters, behind all others
 * @evlist: the event list, of which there is no such event
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
int pmcgrp_evcpus_extend(struct pmcgrp_evlist *evlist, const struct perf_event_attr *attr,
			 struct pmcgrp_failure *fail)
{
	struct pmcgrp_shared_event *ev;
	bool any = false;
	int cpu, err;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	ev = pmcgrp_evcpu_event_get(evlist, attr);
	if (IS_ERR(ev)) {
		fail->why = pmcgrp_why_of_error(PTR_ERR(ev));
		return pmcgrp_errno_of(PTR_ERR(ev));
	}
	evlist->event[evlist->nr_events] = ev;
	for_each_cpu(cpu, evlist->cpus) {
		if (pmcgrp_evcpu_of(evlist, cpu)->complete)
			err = evcpu_extend(evlist, cpu);
		else if (evlist->is_uncore && cpu_online(cpu) &&
			 pmcgrp_evcpu_may_have(evlist, evlist->nr_events, cpu))
			err = -PMCGRP_ESPLIT;
		else
			continue;
		if (err) {
			fail->cpu = cpu;
			fail->why = pmcgrp_evcpu_why(err, cpu,
						     pmcgrp_evcpu_of(evlist, cpu)->generation);
			err = pmcgrp_errno_of(err);
			goto trim;
		}
		any |= pmcgrp_evcpu_of(evlist, cpu)->complete;
	}
	if (any && ev->is_uncore == evlist->is_uncore)
		return 0;
	fail->why = PMCGRP_WHY_CPU_OFFLINE;
	err = -ENODEV;
trim:
	if (ev->pmu && ev->is_uncore != evlist->is_uncore) {
		fail->why = PMCGRP_WHY_UNCORE_MIXED;
		fail->cpu = -1;
		err = -EINVAL;
	}
	pmcgrp_evcpus_trim(evlist);
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

/* Move an event of a list to another place; evcpus are filled again before they are used. */
static void move_event(struct pmcgrp_evlist *evlist, unsigned int from, unsigned int to)
{
	struct pmcgrp_evcpu *evcpu;
	int cpu;

	move_pointer((void **)evlist->event, from, to);
	for_each_cpu(cpu, evlist->cpus) {
		evcpu = pmcgrp_evcpu_of(evlist, cpu);
		move_pointer((void **)evcpu->counter, from, to);
		evcpu->lookups = 0;
	}
}

/**
 * pmcgrp_evcpus_insert - let the event behind all others be one of them
 * @evlist: the event list, frozen; after pmcgrp_evcpus_extend()
 *
 * Context: pmcgrp_groups_mutex, the list's mutex and its evsets_mutex held.
 * Return: number of the event; those from there on have moved by one.
 */
unsigned int pmcgrp_evcpus_insert(struct pmcgrp_evlist *evlist)
{
	unsigned int n = evlist->nr_events, at;
	struct pmcgrp_shared_event *ev = evlist->event[n];

	lockdep_assert_held(&pmcgrp_groups_mutex);
	lockdep_assert_held(&evlist->evsets_mutex);
	evlist->nr_hw += !ev->is_software;
	for (at = n; at && pmcgrp_evcpu_event_before(ev, evlist->event[at - 1]); at--)
		;
	move_event(evlist, n, at);
	evlist->nr_events++;
	return at;
}

/**
 * pmcgrp_evcpus_take_out - move an event behind all others, for pmcgrp_evcpus_trim()
 * @evlist: the event list, frozen
 * @at: number of the event; those behind it move by one
 *
 * Context: pmcgrp_groups_mutex, the list's mutex and its evsets_mutex held.
 */
void pmcgrp_evcpus_take_out(struct pmcgrp_evlist *evlist, unsigned int at)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	lockdep_assert_held(&evlist->evsets_mutex);
	move_event(evlist, at, evlist->nr_events - 1);
	evlist->nr_hw -= at < evlist->nr_hw;
	evlist->nr_events--;
}
