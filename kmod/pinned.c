// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keep pinned perf events from going into error for want of counters that pmcgrp has.
 *
 * A pinned event that finds no counter goes into error and remains there; its user reads end of
 * file.  perf core does not know that pmcgrp's counters are on the PMU.  So these make room
 * beforehand, and where that comes too late the event is recovered:
 *
 *  - Guard event.  Before perf core schedules in a task with pinned events, it schedules out
 *    the flexible events of the CPU (kernel/events/core.c: perf_event_context_sched_in(), and
 *    ctx_resched() when execve() has enabled them).  The guard is a flexible event of the
 *    carriers' PMU (carrier.c), one on each CPU with hardware counters.  When it is scheduled
 *    out and pinned events are about to come in, flexible sets and idle counters leave the PMU.
 *    It is scheduled in again with the CPU's flexible events: after the pinned ones and before
 *    the task's flexible ones.  The sets and counters then come back if they still fit, the
 *    counters only in pmcgrp's slice.
 *
 *  - Recovery.  An event of the CPU or of a running task may be opened or enabled.  Since 6.12
 *    perf core then reschedules the PMU of that event only (ctx_resched()).  The guard is not
 *    scheduled out, and the event may go into error.  It is recovered when its task comes in
 *    the next time, or at a tick.  An event is recovered once in RECOVER_TICKS only, for it may
 *    have failed for another reason.
 */
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/rbtree.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>
#include "carrier.h"
#include "compat.h"
#include "sched.h"
#include "group.h"
#include "pinned.h"
#include "placement.h"
#include "pool.h"
#include "evset.h"
#include "counter.h"
#include "rotate.h"
#include "idle.h"

/* Shortest time between two recoveries of one event, in intervals. */
#define RECOVER_TICKS 16

/* PMUs of one CPU that are told apart; if counters are of more, all its PMUs are guarded. */
#define GUARD_PMUS 4

/**
 * struct guarded - a PMU with counters of one CPU
 * @pmu: the PMU, or NULL; written under pmcgrp_groups_mutex, read on the CPU
 * @nr: number of counters; pmcgrp_groups_mutex
 * @anchor: event of the CPU that is never enabled, or NULL; pmcgrp_groups_mutex
 * @attr: attr of a counter, to make @anchor from; pmcgrp_groups_mutex
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
 * @nr: number of hardware counters of the CPU; pmcgrp_groups_mutex
 * @nr_others: number of counters of PMUs that are not in @guarded; written under
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
	struct perf_event_attr attr = guarded->attr;
	struct perf_event *event;

	if (guarded->anchor)
		return 0;
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
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

static void guard_count(struct guard *guard, const struct pmcgrp_counter *counter)
{
	const struct pmu *pmu = counter->event->pmu;
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
	unused->attr = counter->key;
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
 * pmcgrp_guard_get - guard the CPU and the PMU of a hardware counter
 * @counter: the counter
 *
 * There are no guard events where perf core does not schedule out the CPU's flexible events first.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: 0, or an errno of perf core's: -ENOMEM.
 */
int pmcgrp_guard_get(const struct pmcgrp_counter *counter)
{
	struct guard *guard = per_cpu_ptr(&guards, counter->cpu);
	int err;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	guard_count(guard, counter);
	err = guard_events_make(guard, counter->cpu);
	if (err)
		pmcgrp_guard_put(counter);
	return err;
}

/**
 * pmcgrp_guard_put - undo pmcgrp_guard_get()
 * @counter: the counter
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_guard_put(const struct pmcgrp_counter *counter)
{
	struct guard *guard = per_cpu_ptr(&guards, counter->cpu);

	lockdep_assert_held(&pmcgrp_groups_mutex);
	guard_uncount(guard, counter->event->pmu);
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

/* Whether a PMU has counters of this module on this CPU, on the PMU or off it. */
static bool is_guarded_here(const struct pmu *pmu)
{
	const struct guard *guard = this_cpu_ptr(&guards);
	unsigned int i;

	for (i = 0; i < GUARD_PMUS; i++)
		if (READ_ONCE(guard->guarded[i].pmu) == pmu)
			return true;
	return READ_ONCE(guard->nr_others);
}

/* Whether an event was not recovered a short time ago; if so, note its recovery. */
static bool may_recover(struct pmcgrp_recovery *recovery, u64 id, u64 now)
{
	struct pmcgrp_recovered *recovered = NULL;
	unsigned int i;

	for (i = 0; i < PMCGRP_RECOVERED; i++)
		if (recovery->recovered[i].id == id)
			recovered = &recovery->recovered[i];
	if (recovered && now - recovered->at < RECOVER_TICKS * pmcgrp_mux_interval_ns())
		return false;
	if (!recovered)
		recovered = &recovery->recovered[recovery->nr++ % PMCGRP_RECOVERED];
	recovered->id = id;
	recovered->at = now;
	return true;
}

/*
 * The next pinned event of a context.  All are leaders, as perf core accepts no pinned siblings.
 * They have a tree apart from flexible events, and so from pmcgrp's counters
 * (kernel/events/core.c: list_add_event()).
 */
static struct perf_event *next_pinned(struct perf_event_context *ctx, struct perf_event *event)
{
	struct rb_node *node = event ? rb_next(&event->group_node) :
				       rb_first(&ctx->pinned_groups.tree);

	return node ? rb_entry(node, struct perf_event, group_node) : NULL;
}

/* Whether an event is of a hardware PMU with counters of this CPU, and may count here. */
static bool is_needed_here(const struct perf_event *event)
{
	return event->pmu->task_ctx_nr != perf_sw_context &&
	       is_guarded_here(event->pmu) &&
	       (event->cpu < 0 || event->cpu == smp_processor_id());
}

/*
 * Recover a pinned event from an error that pmcgrp's counters may have caused.  Only its state
 * changes: its times show that it has not run.  perf_event_enable() does the same but cannot be
 * called here, for the event may be freed as soon as its context's lock is released.
 */
static bool recover_event(struct pmcgrp_recovery *recovery, struct perf_event *event)
{
	if (event->state != PERF_EVENT_STATE_ERROR)
		return false;
#ifdef CONFIG_CGROUP_PERF
	if (event->cgrp)
		return false; /* its cgroup's times were stopped as well */
#endif
	if (!may_recover(recovery, event->id, local_clock()))
		return false;
	WRITE_ONCE(event->state, PERF_EVENT_STATE_INACTIVE);
	return true;
}

static bool recover_in(struct pmcgrp_recovery *recovery, struct perf_event_context *ctx,
		       const struct pmu *pmu)
{
	struct perf_event *event = NULL;
	bool any = false;

	raw_spin_lock(&ctx->lock);
	while ((event = next_pinned(ctx, event)))
		if (event->pmu == pmu && is_needed_here(event))
			any |= recover_event(recovery, event);
	raw_spin_unlock(&ctx->lock);
	return any;
}

static bool in_error(struct perf_event_context *ctx, const struct pmu *pmu)
{
	struct perf_event *event = NULL;
	bool any = false;

	raw_spin_lock(&ctx->lock);
	while ((event = next_pinned(ctx, event)))
		any |= event->state == PERF_EVENT_STATE_ERROR && event->pmu == pmu &&
		       is_needed_here(event);
	raw_spin_unlock(&ctx->lock);
	return any;
}

/**
 * pmcgrp_pinned_in_error - tell whether a pinned perf event of this CPU or its task is in error
 * @pmu: PMU of the event
 *
 * Context: interrupts off, not inside perf core.
 */
bool pmcgrp_pinned_in_error(struct pmu *pmu)
{
	struct perf_event_context *cpu_ctx = pmcgrp_cpu_ctx(pmu), *task_ctx = pmcgrp_current_ctx();

	lockdep_assert_irqs_disabled();
	return (cpu_ctx && in_error(cpu_ctx, pmu)) || (task_ctx && in_error(task_ctx, pmu));
}

/**
 * pmcgrp_pinned_recover - recover pinned perf events that are in error on this CPU
 * @pcpu: this CPU's scheduler
 * @pmu: PMU whose events are recovered; it has or had counters of this module
 *
 * Context: interrupts off, not inside perf core.
 * Return: whether any was recovered: perf core then has to reschedule.
 */
bool pmcgrp_pinned_recover(struct pmcgrp_cpu *pcpu, struct pmu *pmu)
{
	struct perf_event_context *cpu_ctx = pmcgrp_cpu_ctx(pmu), *task_ctx = pmcgrp_current_ctx();
	bool any = false;

	lockdep_assert_irqs_disabled();
	if (cpu_ctx)
		any |= recover_in(&pcpu->recovery, cpu_ctx, pmu);
	if (task_ctx)
		any |= recover_in(&pcpu->recovery, task_ctx, pmu);
	return any;
}

/*
 * The context whose pinned events perf core is about to schedule in, or NULL.  perf core clears
 * is_active bits of what it schedules out (ctx_sched_out()).  If the CPU's flexible bit is still
 * set, only the guard itself goes out: it is released, or the CPU is, at a reboot.
 *
 * The returned context is locked.  It is the CPU's, whose events go out, or the running task's:
 * if that has events, perf core takes both locks (perf_ctx_lock()).
 */
static struct perf_event_context *incoming(struct perf_event_context *cpu_ctx)
{
	struct perf_event_context *ctx = cpu_ctx;

	if (cpu_ctx->is_active & PMCGRP_EVENT_FLEXIBLE)
		return NULL;
	if (cpu_ctx->is_active & PMCGRP_EVENT_PINNED)
		ctx = pmcgrp_current_ctx();
	if (!ctx || !READ_ONCE(ctx->nr_events) || ctx->is_active & PMCGRP_EVENT_PINNED)
		return NULL;
	lockdep_assert_held(&ctx->lock);
	return ctx;
}

/*
 * Whether pinned events are about to be scheduled in; those in error are recovered.  A PMU that
 * perf core does not hold is not the one that it reschedules (ctx_resched(), since 6.12).
 */
static bool pinned_comes(struct pmcgrp_cpu *pcpu, struct perf_event_context *ctx)
{
	struct perf_event *event = NULL;
	bool any = false;

	while ((event = next_pinned(ctx, event)))
		if (is_needed_here(event) && *pmcgrp_pmu_disable_count(event->pmu))
			any |= event->state == PERF_EVENT_STATE_INACTIVE ||
			       recover_event(&pcpu->recovery, event);
	return any;
}

/**
 * struct made_way - idle counters evicted for pinned events, until the end of perf core's section;
 *	that CPU, interrupts off
 * @begun: there may be some: they are freed after pmcgrp_guard_forget() on this CPU; read anywhere
 * @nr: number of entries of @counter
 * @counter: the counters
 */
struct made_way {
	bool begun;
	unsigned int nr;
	struct pmcgrp_counter *counter[PMCGRP_MEMBERS_MAX];
};

static DEFINE_PER_CPU(struct made_way, made_way);

/**
 * pmcgrp_guard_forget - forget evicted counters, which may be freed from then on
 *
 * Context: interrupts off.
 */
void pmcgrp_guard_forget(void)
{
	struct made_way *gone = this_cpu_ptr(&made_way);

	gone->nr = 0;
	WRITE_ONCE(gone->begun, false);
}

/*
 * Whether evicted counters come back after the pinned events: in pmcgrp's slice, and while pmcgrp
 * waits for one, as a task is to find the counters that were reserved for it (reserve.c).
 */
static bool is_our_turn(const struct pmcgrp_arbiter *arbiter)
{
	return !arbiter->yielding && (arbiter->waiting_since || local_clock() < arbiter->until);
}

/*
 * Make room as the guard goes out, if pinned events are about to come in.
 *
 * Counters may be taken off here, though perf core holds the PMU: it has placed nothing in this
 * section yet, as all events go out before any comes in.
 */
static void guard_out(struct perf_event *event)
{
	struct perf_event_context *cpu_ctx = event->ctx;
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();
	struct made_way *gone = this_cpu_ptr(&made_way);
	struct perf_event_context *ctx;
	bool any;

	pmcgrp_guard_forget();
	if (!pcpu->usable)
		return;
	ctx = incoming(cpu_ctx);
	if (!ctx || !pinned_comes(pcpu, ctx))
		return;
	if (list_empty(&pcpu->sets) && !pcpu->has_idle)
		return; /* nothing is on the PMU */
	WRITE_ONCE(gone->begun, true);
	smp_wmb(); /* pairs with pmcgrp_guard_has(): who finds a counter off finds @begun set */
	any = pmcgrp_cpu_flexible_on(pcpu);
	pmcgrp_rotate_flexible_off(pcpu);
	gone->nr = pmcgrp_counters_evict_programmed(gone->counter, ARRAY_SIZE(gone->counter));
	if (!gone->nr)
		pmcgrp_guard_forget();
	if (any || gone->nr)
		irq_work_queue(&pcpu->work);
}

/*
 * Bring back sets and counters that made room, as the guard comes in.  The pinned events are in.
 * perf core still holds the PMU, so nothing is taken off here.
 */
static void guard_in(struct perf_event *event)
{
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();
	struct made_way *gone = this_cpu_ptr(&made_way);
	unsigned int i, nr = gone->nr;

	if (!nr)
		return;
	gone->nr = 0;
	WRITE_ONCE(gone->begun, false);
	if (!pcpu->usable)
		return;
	if (pcpu->nr_waiting)
		pmcgrp_rotate_fill(pcpu);
	if (!is_our_turn(&pcpu->arbiter))
		return;
	for (i = 0; i < nr; i++) {
		if (gone->counter[i]->on || pmcgrp_counters_place(&gone->counter[i], 1))
			continue;
		pmcgrp_counters_release(&gone->counter[i], 1, local_clock());
		pcpu->has_idle = true;
		pmcgrp_arbiter_watch(&pcpu->arbiter);
	}
	pmcgrp_rotate_arm(pcpu);
}

/**
 * pmcgrp_guard_has - tell whether counters that are off may come back before they are forgotten
 * @cpu: the CPU
 *
 * Context: any; after the caller has found a counter of @cpu off, that no row holds.
 */
bool pmcgrp_guard_has(int cpu)
{
	smp_rmb(); /* pairs with guard_out() */
	return READ_ONCE(per_cpu_ptr(&made_way, cpu)->begun);
}

static const struct pmcgrp_carrier_ops guard_ops = {
	.add = guard_in,
	.del = guard_out,
};

/**
 * pmcgrp_guard_init - set the operations of guard events
 *
 * Context: when the module is loaded.
 */
void __init pmcgrp_guard_init(void)
{
	pmcgrp_carrier_register(PMCGRP_CARRIER_GUARD, &guard_ops);
}
