// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guard events: perf core tells by them that pinned events are about to be scheduled in.
 *
 * A guard event is a flexible event of the carriers' PMU (carrier.c), one on each CPU where
 * hardware counters may be.  perf core schedules it out before a task's pinned events come in, and
 * in again before the task's flexible ones.  pinned.c states the rules of perf core, and what
 * happens then.
 *
 * A CPU is guarded for each event that may have a counter there (pool.c).
 */
#include <linux/compiler.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include "attr.h"
#include "carrier.h"
#include "compat.h"
#include "cpu_state.h"
#include "event.h"
#include "guard.h"

/* PMUs of one CPU that are told apart; if counters are of more, all its PMUs are guarded. */
#define GUARD_PMUS 4

/**
 * struct guarded - a PMU with counters of one CPU
 * @pmu: the PMU, or NULL; written under pmcgrp_groups_mutex, read on the CPU
 * @nr: number of events that may have a counter on the CPU; pmcgrp_groups_mutex
 * @anchor: event of the CPU that is never enabled, or NULL; pmcgrp_groups_mutex
 * @attr: attr of one of these events, to make @anchor from; pmcgrp_groups_mutex
 *
 * perf core goes through the PMUs of a CPU's context in the reverse of the order in which they got
 * their first event there (kernel/events/core.c: find_get_pmu_context(), ctx_groups_sched_in()).
 * The guard event has to come in before flexible events of the PMUs that it guards.  So each of
 * them has an event of the CPU, the anchor, which is made before the guard event.
 */
struct guarded {
	const struct pmu *pmu;
	unsigned int nr;
	struct perf_event *anchor;
	struct perf_event_attr attr;
};

/**
 * struct guard - the guard of one CPU
 * @event: guard event, of the carriers' PMU; NULL: not needed, or not possible.
 *	pmcgrp_groups_mutex.
 * @generation: pmcgrp_cpu_generation() for which the events were made; in any other they are dead.
 *	pmcgrp_groups_mutex.
 * @nr: number of hardware events that may have a counter on the CPU; pmcgrp_groups_mutex
 * @nr_others: number of events of PMUs that are not in @guarded; written under
 *	pmcgrp_groups_mutex, read on the CPU
 * @guarded: PMUs of the counters
 */
struct guard {
	struct perf_event *event;
	u64 generation;
	unsigned int nr;
	unsigned int nr_others;
	struct guarded guarded[GUARD_PMUS];
};

static DEFINE_PER_CPU(struct guard, guards);

static void event_release(struct perf_event **event)
{
	if (*event)
		perf_event_release_kernel(*event);
	*event = NULL;
}

/* Make an anchor.  An offline CPU gets it later. */
static int anchor_make(struct guarded *guarded, int cpu)
{
	struct perf_event *event;

	if (guarded->anchor)
		return 0;
	event = pmcgrp_attr_event_of_cpu(&guarded->attr, cpu);
	if (IS_ERR(event))
		return PTR_ERR(event) == -ENODEV ? 0 : PTR_ERR(event);
	guarded->anchor = event;
	return 0;
}

static void guard_events_release(struct guard *guard)
{
	unsigned int i;

	event_release(&guard->event);
	for (i = 0; i < GUARD_PMUS; i++)
		event_release(&guard->guarded[i].anchor);
}

/* Make the events of a CPU's present generation, as far as they are missing. */
static int guard_events_make(struct guard *guard, int cpu)
{
	u64 generation = pmcgrp_cpu_generation(cpu);
	struct perf_event_attr attr = {}; /* flexible, of the CPU: perf core takes it out first */
	struct perf_event *event;
	unsigned int i;
	int err;

	if (!pmcgrp_core_makes_way())
		return 0;
	if (guard->generation != generation)
		guard_events_release(guard);
	guard->generation = generation;
	for (i = 0; i < GUARD_PMUS; i++) {
		err = guard->guarded[i].pmu ? anchor_make(&guard->guarded[i], cpu) : 0;
		if (err)
			return err;
	}
	if (guard->event)
		return 0;
	event = pmcgrp_carrier_create(PMCGRP_CARRIER_GUARD, &attr, NULL, NULL, cpu);
	if (IS_ERR(event))
		return PTR_ERR(event) == -ENODEV ? 0 : PTR_ERR(event);
	guard->event = event;
	return 0;
}

static void guard_count(struct guard *guard, const struct pmu *pmu,
			const struct perf_event_attr *attr)
{
	struct guarded *guarded, *unused = NULL;

	guard->nr++;
	for (guarded = guard->guarded; guarded < guard->guarded + GUARD_PMUS; guarded++) {
		if (guarded->pmu == pmu) {
			guarded->nr++;
			return;
		}
		if (!guarded->pmu && !unused)
			unused = guarded;
	}
	if (!unused) {
		WRITE_ONCE(guard->nr_others, guard->nr_others + 1);
		return;
	}
	unused->nr = 1;
	unused->attr = *attr;
	WRITE_ONCE(unused->pmu, pmu);
}

static void guard_uncount(struct guard *guard, const struct pmu *pmu)
{
	struct guarded *guarded;

	guard->nr--;
	for (guarded = guard->guarded; guarded < guard->guarded + GUARD_PMUS; guarded++) {
		if (guarded->pmu != pmu)
			continue;
		if (--guarded->nr)
			return;
		WRITE_ONCE(guarded->pmu, NULL);
		event_release(&guarded->anchor);
		return;
	}
	WRITE_ONCE(guard->nr_others, guard->nr_others - 1);
}

/**
 * pmcgrp_guard_get - guard a PMU of a CPU
 * @cpu: the CPU; an offline one gets its guard event when it comes online
 * @pmu: a hardware PMU
 * @attr: an event of @pmu
 *
 * There are no guard events where perf core does not schedule out the CPU's flexible events first.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: 0, or an errno of perf core's: -ENOMEM.
 */
int pmcgrp_guard_get(int cpu, const struct pmu *pmu, const struct perf_event_attr *attr)
{
	struct guard *guard = per_cpu_ptr(&guards, cpu);
	int err;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	guard_count(guard, pmu, attr);
	err = guard_events_make(guard, cpu);
	if (err)
		pmcgrp_guard_put(cpu, pmu);
	return err;
}

/**
 * pmcgrp_guard_put - undo pmcgrp_guard_get()
 * @cpu: the CPU
 * @pmu: the PMU
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_guard_put(int cpu, const struct pmu *pmu)
{
	struct guard *guard = per_cpu_ptr(&guards, cpu);

	lockdep_assert_held(&pmcgrp_groups_mutex);
	guard_uncount(guard, pmu);
	if (!guard->nr)
		guard_events_release(guard);
}

/**
 * pmcgrp_guard_renew - make the guard events of a CPU that has come online
 * @cpu: the CPU, not usable yet (pmcgrp_cpu_open())
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: 0, or an errno of perf core's: -ENOMEM.
 */
int pmcgrp_guard_renew(int cpu)
{
	struct guard *guard = per_cpu_ptr(&guards, cpu);

	lockdep_assert_held(&pmcgrp_groups_mutex);
	return guard->nr ? guard_events_make(guard, cpu) : 0;
}

/**
 * pmcgrp_guard_covers - whether a PMU may have counters of this module on this CPU
 * @pmu: the PMU
 *
 * Context: interrupts off.
 */
bool pmcgrp_guard_covers(const struct pmu *pmu)
{
	const struct guard *guard = this_cpu_ptr(&guards);
	unsigned int i;

	lockdep_assert_irqs_disabled();
	for (i = 0; i < GUARD_PMUS; i++)
		if (READ_ONCE(guard->guarded[i].pmu) == pmu)
			return true;
	return READ_ONCE(guard->nr_others);
}
