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
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/rbtree.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
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

/* Shortest time between two recoveries of one event, in intervals. */
#define RECOVER_TICKS 16

/* PMUs of one CPU that are told apart; if counters are of more, all its PMUs are guarded. */
#define GUARD_PMUS 4

/**
 * struct guard - the guard of one CPU
 * @event: guard event, of the carriers' PMU; NULL: never needed, not possible or not kept.
 *	pmcgrp_groups_mutex.
 * @generation: pmcgrp_cpu_generation() for which @event was made; in any other it is dead.
 *	pmcgrp_groups_mutex.
 * @refs: number of hardware counters of the CPU; pmcgrp_groups_mutex
 * @pmu: PMUs of these counters, or NULL; written under pmcgrp_groups_mutex, read on the CPU
 * @nr: number of counters of each of @pmu; pmcgrp_groups_mutex
 * @nr_others: number of counters of other PMUs; as @pmu
 */
struct guard {
	struct perf_event *event;
	u64 generation;
	unsigned int refs;
	const struct pmu *pmu[GUARD_PMUS];
	unsigned int nr[GUARD_PMUS];
	unsigned int nr_others;
};

static DEFINE_PER_CPU(struct guard, guards);

/* Number of opens of the device.  While there are any, unused guard events are kept. */
static atomic_t keepers = ATOMIC_INIT(0);

static void guard_count(struct guard *guard, const struct pmu *pmu)
{
	int i, unused = -1;

	for (i = 0; i < GUARD_PMUS; i++) {
		if (guard->pmu[i] == pmu) {
			guard->nr[i]++;
			return;
		}
		if (!guard->pmu[i] && unused < 0)
			unused = i;
	}
	if (unused < 0) {
		WRITE_ONCE(guard->nr_others, guard->nr_others + 1);
		return;
	}
	guard->nr[unused] = 1;
	WRITE_ONCE(guard->pmu[unused], pmu);
}

static void guard_uncount(struct guard *guard, const struct pmu *pmu)
{
	unsigned int i;

	for (i = 0; i < GUARD_PMUS; i++) {
		if (guard->pmu[i] != pmu)
			continue;
		if (!--guard->nr[i])
			WRITE_ONCE(guard->pmu[i], NULL);
		return;
	}
	WRITE_ONCE(guard->nr_others, guard->nr_others - 1);
}

/*
 * A guard event takes as long to make as a counter, so unused ones are kept.  They have no
 * effect.  A module with unused guards shall not look as if in use: perf core's module reference
 * for the event is dropped meanwhile.  The open device still keeps the module loaded.
 */
static void guard_rest(void)
{
	module_put(THIS_MODULE);
}

static void guard_wake(void)
{
	__module_get(THIS_MODULE);
}

static void guard_release(struct guard *guard)
{
	if (guard->event)
		perf_event_release_kernel(guard->event);
	guard->event = NULL;
}

/* Release an unused guard event that was kept. */
static void guard_drop(struct guard *guard)
{
	if (guard->event)
		guard_wake();
	guard_release(guard);
}

/* Make the guard event of a CPU's present generation.  An offline CPU gets it later. */
static int guard_make(struct guard *guard, int cpu)
{
	u64 generation = pmcgrp_cpu_generation(cpu);
	struct perf_event *event;

	if (guard->event && guard->generation == generation)
		return 0;
	guard_release(guard);
	event = pmcgrp_guard_event_create(cpu);
	if (IS_ERR(event))
		return PTR_ERR(event) == -ENODEV ? 0 : PTR_ERR(event);
	guard->event = event;
	guard->generation = generation;
	return 0;
}

/**
 * pmcgrp_guard_get - guard a CPU and a PMU on behalf of a hardware counter
 * @cpu: the CPU of the counter
 * @pmu: its PMU
 *
 * There is no guard event where perf core does not schedule out the CPU's flexible events first.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: 0 or -ENOMEM.
 */
int pmcgrp_guard_get(int cpu, const struct pmu *pmu)
{
	struct guard *guard = per_cpu_ptr(&guards, cpu);
	int err;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (!guard->refs && pmcgrp_core_makes_way()) {
		if (guard->event)
			guard_wake();
		err = guard_make(guard, cpu);
		if (err)
			return err;
	}
	guard->refs++;
	guard_count(guard, pmu);
	return 0;
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
	if (--guard->refs || !guard->event)
		return;
	if (atomic_read(&keepers))
		guard_rest();
	else
		guard_release(guard);
}

/**
 * pmcgrp_guard_renew - make the guard event of a CPU that has come online
 * @cpu: the CPU, not usable yet (pmcgrp_cpu_open())
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: 0 or -ENOMEM.
 */
int pmcgrp_guard_renew(int cpu)
{
	struct guard *guard = per_cpu_ptr(&guards, cpu);

	lockdep_assert_held(&pmcgrp_groups_mutex);
	return guard->refs && pmcgrp_core_makes_way() ? guard_make(guard, cpu) : 0;
}

/**
 * pmcgrp_guards_keep - keep unused guard events from now on
 *
 * Context: any.
 */
void pmcgrp_guards_keep(void)
{
	atomic_inc(&keepers);
}

/**
 * pmcgrp_guards_drop - undo pmcgrp_guards_keep()
 *
 * Context: may sleep; the caller holds a reference to the module.
 */
void pmcgrp_guards_drop(void)
{
	struct guard *guard;
	int cpu;

	if (!atomic_dec_and_test(&keepers))
		return;
	mutex_lock(&pmcgrp_groups_mutex);
	if (!atomic_read(&keepers))
		for_each_possible_cpu(cpu) {
			guard = per_cpu_ptr(&guards, cpu);
			if (!guard->refs)
				guard_drop(guard);
		}
	mutex_unlock(&pmcgrp_groups_mutex);
}

/* Whether a PMU has counters of this module on this CPU, on the PMU or off it. */
static bool is_guarded_here(const struct pmu *pmu)
{
	const struct guard *guard = this_cpu_ptr(&guards);
	unsigned int i;

	for (i = 0; i < GUARD_PMUS; i++)
		if (READ_ONCE(guard->pmu[i]) == pmu)
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

/**
 * pmcgrp_pinned_recover - recover pinned perf events that are in error on this CPU
 * @pcpu: this CPU's scheduler
 * @set: a set that is on; events of the PMU of its first hardware counter are recovered
 *
 * Context: interrupts off, not inside perf core.
 * Return: whether any was recovered: perf core then has to reschedule.
 */
bool pmcgrp_pinned_recover(struct pmcgrp_cpu *pcpu, const struct pmcgrp_evset *set)
{
	struct pmu *pmu = set->counter[0]->event->pmu;
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

/*
 * Idle counters that were evicted for pinned events, until the end of perf core's section; that
 * CPU, interrupts off.  They cannot be freed before: perf core releases their events by an IPI to
 * this CPU.
 */
struct made_way {
	unsigned int nr;
	struct pmcgrp_counter *counter[PMCGRP_MEMBERS_MAX];
};

static DEFINE_PER_CPU(struct made_way, made_way);

/*
 * Whether evicted counters come back after the pinned events: in pmcgrp's slice, and while pmcgrp
 * waits for one, as a task is to find the counters that were reserved for it (reserve.c).
 */
static bool is_our_turn(const struct pmcgrp_arbiter *arbiter)
{
	return !arbiter->yielding && (arbiter->waiting_since || local_clock() < arbiter->until);
}

/**
 * pmcgrp_guard_out - make room as the guard goes out, if pinned events are about to come in
 * @cpu_ctx: the guard's context
 *
 * Counters may be taken off here, though perf core holds the PMU: it has placed nothing in this
 * section yet, as all events go out before any comes in.
 *
 * Context: interrupts off, inside perf core, @cpu_ctx->lock held.
 */
void pmcgrp_guard_out(struct perf_event_context *cpu_ctx)
{
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();
	struct made_way *gone = this_cpu_ptr(&made_way);
	struct perf_event_context *ctx;
	bool any;

	gone->nr = 0;
	if (!pcpu->usable)
		return;
	ctx = incoming(cpu_ctx);
	if (!ctx || !pinned_comes(pcpu, ctx))
		return;
	any = pmcgrp_cpu_flexible_on(pcpu);
	pmcgrp_rotate_flexible_off(pcpu);
	gone->nr = pmcgrp_counters_evict_programmed(gone->counter, ARRAY_SIZE(gone->counter));
	if (any || gone->nr)
		irq_work_queue(&pcpu->work);
}

/**
 * pmcgrp_guard_in - bring back sets and counters that made room, as the guard comes in
 *
 * The pinned events are in.  perf core still holds the PMU, so nothing is taken off here.
 *
 * Context: interrupts off, inside perf core, the lock of the CPU's perf context held.
 */
void pmcgrp_guard_in(void)
{
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();
	struct made_way *gone = this_cpu_ptr(&made_way);
	unsigned int i, nr = gone->nr;

	if (!nr)
		return;
	gone->nr = 0;
	if (!pcpu->usable)
		return;
	if (pcpu->nr_waiting)
		pmcgrp_rotate_fill(pcpu);
	if (!is_our_turn(&pcpu->arbiter))
		return;
	for (i = 0; i < nr; i++) {
		if (gone->counter[i]->on || pmcgrp_counters_place(&gone->counter[i], 1))
			continue;
		pmcgrp_counters_release(&gone->counter[i], 1, pcpu->ticks);
		pcpu->has_idle = true;
	}
	pmcgrp_rotate_arm(pcpu);
}

/**
 * pmcgrp_guard_forget - forget evicted counters after perf core's section: they may be freed
 *
 * Context: interrupts off, not inside perf core.
 */
void pmcgrp_guard_forget(void)
{
	this_cpu_ptr(&made_way)->nr = 0;
}
