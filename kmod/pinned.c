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
#include "guard.h"
#include "pinned.h"
#include "placement.h"
#include "evset.h"
#include "counter.h"
#include "rotate.h"
#include "idle.h"

/* Shortest time between two recoveries of one event, in intervals. */
#define RECOVER_TICKS 16

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
	       pmcgrp_guard_covers(event->pmu) &&
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
	struct perf_event_context *ctx;
	bool any;

	pmcgrp_evicted_forget();
	if (!pcpu->usable)
		return;
	ctx = incoming(cpu_ctx);
	if (!ctx || !pinned_comes(pcpu, ctx))
		return;
	if (list_empty(&pcpu->sets) && !pcpu->has_idle)
		return; /* nothing is on the PMU */
	any = pmcgrp_cpu_flexible_on(pcpu);
	pmcgrp_evicted_begin();
	pmcgrp_rotate_flexible_off(pcpu);
	any |= pmcgrp_counters_evict_for_now();
	if (any)
		irq_work_queue(&pcpu->work);
}

/*
 * Bring back sets and counters that made room, as the guard comes in.  The pinned events are in.
 * perf core still holds the PMU, so nothing is taken off here.
 */
static void guard_in(struct perf_event *event)
{
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();

	if (!pmcgrp_evicted_any_here())
		return;
	if (!pcpu->usable) {
		pmcgrp_evicted_forget();
		return;
	}
	if (pcpu->nr_waiting)
		pmcgrp_rotate_fill(pcpu);
	if (is_our_turn(&pcpu->arbiter) && pmcgrp_evicted_come_back()) {
		pcpu->has_idle = true;
		pmcgrp_arbiter_watch(&pcpu->arbiter);
	}
	pmcgrp_evicted_forget();
	pmcgrp_rotate_arm(pcpu);
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
