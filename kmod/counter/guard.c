// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guard events: perf core shows by them that pinned events are about to be scheduled in.
 *
 * A guard event is a flexible event of the carriers' PMU (carrier.c), on a CPU.  perf core
 * schedules it out before a task's pinned events come in, and in again before the task's flexible
 * ones.  pinned_room.c states the rules of perf core, and what happens then.
 *
 * Whoever has a pinned event pays for a guard event at each switch.  So a CPU has one only where
 * sets and pinned events have met lately (pmcgrp_guard_want()).
 *
 * A PMU of a CPU is covered while an event may have a counter there (pool.c).
 */
#include <linux/compiler.h>
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/workqueue.h>
#include "compat.h"
#include "counter/attr.h"
#include "counter/carrier.h"
#include "counter/event.h"
#include "counter/guard.h"
#include "platform/cpu_state.h"

/* PMUs of one CPU that are distinguished; if counters are of more, all its PMUs are covered. */
#define GUARD_PMUS 4

/* Time for which a guard event stays that is not wanted any more. */
#define KEEP HZ

/**
 * struct guarded - a PMU with counters of one CPU
 * @pmu: the PMU, or NULL; written under pmcgrp_groups_mutex, read on the CPU
 * @nr: calls of pmcgrp_guard_get() for it, each for an event that may have a counter on the CPU;
 *	pmcgrp_groups_mutex
 * @anchor: event of the CPU that is never enabled, or NULL; pmcgrp_groups_mutex
 * @attr: attr of one of these events, to make @anchor from; pmcgrp_groups_mutex
 *
 * perf core goes through the PMUs of a CPU's context in the reverse of the order in which they got
 * their first event there (kernel/events/core.c: find_get_pmu_context(), ctx_sched_in()).
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
 * @event: guard event, of the carriers' PMU; NULL: not wanted, or not possible.
 *	pmcgrp_groups_mutex.
 * @generation: pmcgrp_cpu_generation() for which the events were made; in any other they are dead.
 *	pmcgrp_groups_mutex.
 * @up: @generation while @event is there, or 0; written under pmcgrp_groups_mutex, read on the CPU
 * @wanted_at: jiffies when it was wanted last; written on the CPU
 * @nr: number of hardware events that may have a counter on the CPU; pmcgrp_groups_mutex
 * @nr_others: number of events of PMUs that are not in @guarded; written under
 *	pmcgrp_groups_mutex, read on the CPU
 * @guarded: PMUs of the counters
 */
struct guard {
	struct perf_event *event;
	u64 generation;
	u64 up;
	unsigned long wanted_at;
	unsigned int nr;
	unsigned int nr_others;
	struct guarded guarded[GUARD_PMUS];
};

static DEFINE_PER_CPU(struct guard, guards);

/**
 * struct everywhere - a PMU that is covered on all CPUs
 * @pmu: the PMU, or NULL; pmcgrp_groups_mutex
 * @nr: number of events for which it is; pmcgrp_groups_mutex
 */
struct everywhere {
	const struct pmu *pmu;
	unsigned int nr;
};

static struct everywhere everywhere[GUARD_PMUS];

static void event_release(struct perf_event **event)
{
	if (*event)
		perf_event_release_kernel(*event);
	*event = NULL;
}

/* Make an anchor.  Return false if there is none: no memory, or the CPU goes offline. */
static bool anchor_make(struct guarded *guarded, int cpu)
{
	struct perf_event *event;

	if (guarded->anchor)
		return true;
	event = pmcgrp_attr_event_of_cpu(&guarded->attr, cpu);
	if (IS_ERR(event))
		return false;
	guarded->anchor = event;
	return true;
}

static void guard_events_release(struct guard *guard)
{
	unsigned int i;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	WRITE_ONCE(guard->up, 0);
	event_release(&guard->event);
	for (i = 0; i < GUARD_PMUS; i++)
		event_release(&guard->guarded[i].anchor);
}

/* Make the events of a CPU's present generation, anchors first, as far as they are missing. */
static void guard_events_make(struct guard *guard, int cpu)
{
	u64 generation = pmcgrp_cpu_generation(cpu);
	struct perf_event_attr attr = {}; /* flexible, of the CPU: perf core takes it out first */
	struct perf_event *event;
	unsigned int i;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (guard->generation != generation)
		guard_events_release(guard);
	guard->generation = generation;
	for (i = 0; i < GUARD_PMUS; i++)
		if (guard->guarded[i].pmu && !anchor_make(&guard->guarded[i], cpu))
			return;
	if (guard->event)
		return;
	event = pmcgrp_carrier_create(PMCGRP_CARRIER_GUARD, &attr, NULL, NULL, cpu);
	if (IS_ERR(event))
		return;
	guard->event = event;
	WRITE_ONCE(guard->up, generation);
}

static bool is_wanted(const struct guard *guard)
{
	return guard->nr && time_before(jiffies, READ_ONCE(guard->wanted_at) + KEEP);
}

static void guards_update(struct work_struct *work);
static DECLARE_DELAYED_WORK(update_work, guards_update);

/*
 * Make the guard events that are wanted, and release the others.  Without memory, or on a CPU that
 * goes offline, there is none.
 */
static void guards_update(struct work_struct *work)
{
	struct guard *guard;
	bool any = false;
	int cpu;

	mutex_lock(&pmcgrp_groups_mutex);
	for_each_possible_cpu(cpu) {
		guard = per_cpu_ptr(&guards, cpu);
		if (is_wanted(guard))
			guard_events_make(guard, cpu);
		else
			guard_events_release(guard);
		any |= !!guard->event;
	}
	mutex_unlock(&pmcgrp_groups_mutex);
	if (any)
		schedule_delayed_work(&update_work, KEEP);
}

static void guards_kick(struct irq_work *work)
{
	mod_delayed_work(system_wq, &update_work, 0);
}

/* Queues the worker from where the run-queue lock is held. */
static struct irq_work kick_work = IRQ_WORK_INIT_HARD(guards_kick);

/**
 * pmcgrp_guard_is_up - check whether this CPU has a guard event
 *
 * Context: interrupts off.
 */
bool pmcgrp_guard_is_up(void)
{
	u64 up = READ_ONCE(this_cpu_ptr(&guards)->up);

	lockdep_assert_irqs_disabled();
	return up && up == pmcgrp_cpu_generation(smp_processor_id());
}

/**
 * pmcgrp_guard_want - have the guard event of this CPU made, or let it stay
 *
 * The worker is queued once in a jiffy at most.  A task may hold pmcgrp_groups_mutex while it
 * switches.  If it queued the worker at each switch, the worker would preempt it, and wait for the
 * mutex.
 *
 * Context: interrupts off; perf core's locks and the run-queue lock may be held.
 */
void pmcgrp_guard_want(void)
{
	unsigned long now = jiffies;

	lockdep_assert_irqs_disabled();
	if (!pmcgrp_core_makes_way() || this_cpu_read(guards.wanted_at) == now)
		return;
	WRITE_ONCE(this_cpu_ptr(&guards)->wanted_at, now);
	if (!pmcgrp_guard_is_up())
		irq_work_queue(&kick_work);
}

/**
 * pmcgrp_guard_exit - end the work of guards, after the last counter
 *
 * Context: may sleep.
 */
void pmcgrp_guard_exit(void)
{
	irq_work_sync(&kick_work);
	cancel_delayed_work_sync(&update_work);
}

/**
 * pmcgrp_guard_get - cover a PMU of a CPU
 * @cpu: the CPU, online or not
 * @pmu: a hardware PMU
 * @attr: an event of @pmu
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_guard_get(int cpu, const struct pmu *pmu, const struct perf_event_attr *attr)
{
	struct guard *guard = per_cpu_ptr(&guards, cpu);
	struct guarded *guarded, *unused = NULL;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	guard->nr++;
	for (guarded = guard->guarded; guarded < guard->guarded + GUARD_PMUS; guarded++) {
		if (guarded->pmu == pmu) {
			guarded->nr++;
			return;
		}
		if (!guarded->pmu && !unused)
			unused = guarded;
	}
	/* A guard event that is there already would come in after this PMU's events. */
	guard_events_release(guard);
	if (!unused) {
		WRITE_ONCE(guard->nr_others, guard->nr_others + 1);
		return;
	}
	unused->nr = 1;
	unused->attr = *attr;
	WRITE_ONCE(unused->pmu, pmu);
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
	struct guarded *guarded;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (!--guard->nr)
		guard_events_release(guard);
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

static struct everywhere *everywhere_find(const struct pmu *pmu)
{
	struct everywhere *found;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	for (found = everywhere; found < everywhere + GUARD_PMUS; found++)
		if (found->pmu == pmu)
			return found;
	return NULL;
}

/**
 * pmcgrp_guard_covers_all - whether a PMU is covered on all CPUs for an event
 * @pmu: the PMU
 *
 * Context: pmcgrp_groups_mutex held.
 */
bool pmcgrp_guard_covers_all(const struct pmu *pmu)
{
	return everywhere_find(pmu);
}

/**
 * pmcgrp_guard_get_all - cover a PMU of all CPUs
 * @pmu: a hardware PMU
 * @attr: an event of @pmu
 *
 * Only the first of a PMU's events goes through the CPUs, or each of the fifth PMU's.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_guard_get_all(const struct pmu *pmu, const struct perf_event_attr *attr)
{
	struct everywhere *found = everywhere_find(pmu);
	int cpu;

	if (found) {
		found->nr++;
		return;
	}
	found = everywhere_find(NULL);
	if (found)
		*found = (struct everywhere){ .pmu = pmu, .nr = 1 };
	for_each_possible_cpu(cpu)
		pmcgrp_guard_get(cpu, pmu, attr);
}

/**
 * pmcgrp_guard_put_all - undo pmcgrp_guard_get_all()
 * @pmu: the PMU
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_guard_put_all(const struct pmu *pmu)
{
	struct everywhere *found = everywhere_find(pmu);
	int cpu;

	if (found && --found->nr)
		return;
	if (found)
		found->pmu = NULL;
	for_each_possible_cpu(cpu)
		pmcgrp_guard_put(cpu, pmu);
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
