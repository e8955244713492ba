// SPDX-License-Identifier: GPL-2.0-only
/*
 * Make room for pinned perf events before perf core schedules them in.
 *
 * The probe on sched_switch looks at the next task's pinned events.  If any are about to come in,
 * flexible sets and idle counters leave the PMU.  The sets are tried again when the switch is
 * over.  Then flexible perf events of the task may have what is left.
 *
 * So where sets and pinned events meet, the CPU gets a guard event (guard.c).  Before perf core
 * schedules in a task with pinned events, it schedules out the flexible events of the CPU
 * (kernel/events/core.c: perf_event_context_sched_in(), and ctx_resched() when execve() has enabled
 * them), the guard event among them.  Then sets and idle counters make room.  The guard event is
 * scheduled in again with the CPU's flexible events: after the pinned ones and before the task's
 * flexible ones.  The sets and counters then come back if they still fit, the counters only in
 * pmcgrp's slice.
 *
 * Pinned events that execve() will enable find the PMU free of both: sets and counters stay off it
 * until then, while that task runs.
 */
#include <linux/irq_work.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/sched/clock.h>
#include "compat.h"
#include "arbiter/cpu.h"
#include "arbiter/pinned.h"
#include "counter/carrier.h"
#include "counter/guard.h"
#include "counter/idle.h"
#include "platform/recursion.h"
#include "sched/pinned_room.h"
#include "sched/rotate.h"

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
	if (!ctx || !pmcgrp_pinned_comes(pcpu, ctx))
		return;
	if (list_empty(&pcpu->sets) && !pcpu->has_idle)
		return; /* nothing is on the PMU */
	any = pmcgrp_cpu_flexible_on(pcpu);
	if (any || pmcgrp_cpu_has_slice(pcpu))
		pmcgrp_guard_want();
	pmcgrp_evicted_begin();
	pmcgrp_rotate_flexible_off(pcpu);
	any |= pmcgrp_idle_evict_for_now();
	/* Counters may have left the PMU with their set (pmcgrp_rotate_evict_early()). */
	if (any)
		irq_work_queue(&pcpu->work);
	else
		pmcgrp_evicted_forget();
}

/*
 * Bring back sets and counters that made room, as the guard comes in.  The pinned events are in.
 * perf core still holds the PMU, so nothing is taken off here.
 */
static void guard_in(struct perf_event *event)
{
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();

	if (!pmcgrp_evicted_begun())
		return;
	if (!pcpu->usable) {
		pmcgrp_evicted_forget();
		return;
	}
	if (pcpu->nr_waiting)
		pmcgrp_rotate_refill(pcpu);
	/* A task is to find the counters that were reserved for it (reserve.c). */
	if (pmcgrp_cpu_has_slice(pcpu) && !pcpu->reader &&
	    pmcgrp_evicted_come_back()) {
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

/*
 * Whether sets stay on the PMU beside the pinned events that come.  Where a guard event is of no
 * use they do, until a pinned event has found no counter: sets that are tried again after the
 * switch would always come in after those with a carrier, and after flexible perf events.
 */
static bool sets_stay(enum pmcgrp_pinned_next next)
{
	return !pmcgrp_core_makes_way() && next != PMCGRP_PINNED_RECOVERED;
}

/**
 * pmcgrp_pinned_room_make - make room for pinned perf events that are about to come in
 * @pcpu: this CPU's scheduler
 * @ctx: perf context of the next task, which has pinned events
 * @sets_come: sets are about to be scheduled in with the next task
 *
 * Sets with a carrier of a task come in after the pinned events, and go out before.
 *
 * Context: as pmcgrp_pinned_room_switch().
 */
void pmcgrp_pinned_room_make(struct pmcgrp_cpu *pcpu, struct perf_event_context *ctx,
			     bool sets_come)
{
	enum pmcgrp_pinned_next next;

	if (!pcpu->usable)
		return;
	next = pmcgrp_pinned_next(pcpu, ctx);
	if (next == PMCGRP_PINNED_NONE)
		return;
	if (next == PMCGRP_PINNED_AT_EXEC) {
		pcpu->pinned_at_exec = true;
	} else {
		/* Idle counters may be those that were reserved for the task (reserve.c). */
		if (sets_come || pmcgrp_cpu_has_slice(pcpu))
			pmcgrp_guard_want();
		if (pmcgrp_guard_is_up() || sets_stay(next))
			return;
	}
	/* Until @work clears it: counters of the previous task's sets leave the PMU with these. */
	pcpu->pinned_comes = true;
	if (pmcgrp_rotate_cpus_off(pcpu))
		pmcgrp_guard_want();
	pmcgrp_recursion_enter();
	pmcgrp_idle_evict_all();
	pmcgrp_recursion_leave();
	pcpu->has_idle = false;
	irq_work_queue(&pcpu->work);
}

/**
 * pmcgrp_pinned_room_exec - let sets come back that made room for pinned events until an execve()
 *
 * Context: a probe in execve(), after perf core has enabled events; preemption off.
 */
void pmcgrp_pinned_room_exec(void)
{
	struct pmcgrp_cpu *pcpu;
	unsigned long flags;

	local_irq_save(flags);
	pcpu = pmcgrp_this_cpu();
	if (pcpu->pinned_at_exec) {
		pcpu->pinned_at_exec = false;
		irq_work_queue(&pcpu->work);
	}
	local_irq_restore(flags);
}

/**
 * pmcgrp_pinned_room_init - set the operations of guard events
 *
 * Context: when the module is loaded.
 */
void __init pmcgrp_pinned_room_init(void)
{
	pmcgrp_carrier_register(PMCGRP_CARRIER_GUARD, &guard_ops);
}
