// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recover pinned perf events that are in error for want of counters that pmcgrp has.
 *
 * A pinned event that finds no counter goes into error and remains there; its user reads end of
 * file.  perf core does not know that pmcgrp's counters are on the PMU.  So these make room
 * beforehand (pinned_room.c, newcomer.c).  Sometimes that comes too late: an event of the CPU or of
 * a running task may be opened or enabled where the kernel has no kprobes, or it is one of several
 * that are confined to the same counters.
 *
 * The event is recovered when its task comes in the next time, or at a tick.  It is recovered once
 * in RECOVER_TICKS only, for it may have failed for another reason.
 */
#include <linux/build_bug.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/rbtree.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>
#include "compat.h"
#include "arbiter/cpu.h"
#include "arbiter/pinned.h"
#include "counter/guard.h"
#include "platform/core_pmu.h"

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
	       (pmcgrp_pmu_is_uncore(event->pmu) || pmcgrp_guard_covers(event->pmu)) &&
	       (event->cpu < 0 || event->cpu == smp_processor_id());
}

/*
 * Recover a pinned event from an error that pmcgrp's counters may have caused.  Only its state
 * changes: its times show that it has not run.  perf_event_enable() does the same but cannot be
 * called here, for the event may be freed as soon as its context's lock is released.
 *
 * That is what __perf_event_enable() does under the same lock, but for event->tstamp: the time of
 * the error counts as enabled (kernel/events/core.c: __perf_update_times()).  No list or number of
 * the context's distinguishes both states, and merge_sched_in() schedules in what is INACTIVE.
 */
static bool recover_event(struct pmcgrp_recovery *recovery, struct perf_event *event)
{
	/* merge_sched_in() passes over OFF and what is below, and takes what is INACTIVE. */
	static_assert(PERF_EVENT_STATE_ERROR < PERF_EVENT_STATE_OFF);
	static_assert(PERF_EVENT_STATE_INACTIVE == PERF_EVENT_STATE_OFF + 1);
	lockdep_assert_held(&event->ctx->lock);
	if (event->state != PERF_EVENT_STATE_ERROR)
		return false;
	if (pmcgrp_event_is_of_cgroup(event))
		return false; /* its cgroup's times were stopped as well */
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
 * pmcgrp_pinned_in_error - check whether a pinned perf event of this CPU or its task is in error
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

/**
 * pmcgrp_pinned_comes - check whether pinned events come in, and recover those in error
 * @pcpu: this CPU's scheduler
 * @ctx: the context that perf core is about to schedule in
 *
 * A PMU that perf core does not hold is not the one that it reschedules (ctx_resched(), since
 * 6.12).
 *
 * Context: interrupts off, in perf core's section, @ctx->lock held.
 */
bool pmcgrp_pinned_comes(struct pmcgrp_cpu *pcpu, struct perf_event_context *ctx)
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
 * pmcgrp_pinned_next - check whether pinned events come with a task, and recover those in error
 * @pcpu: this CPU's scheduler
 * @ctx: the task's perf context
 *
 * Context: interrupts off, before perf core's part of a context switch.
 */
enum pmcgrp_pinned_next pmcgrp_pinned_next(struct pmcgrp_cpu *pcpu,
					   struct perf_event_context *ctx)
{
	enum pmcgrp_pinned_next next = PMCGRP_PINNED_NONE;
	struct perf_event *event = NULL;

	lockdep_assert_irqs_disabled();
	raw_spin_lock(&ctx->lock);
	while ((event = next_pinned(ctx, event))) {
		if (!is_needed_here(event))
			continue;
		if (recover_event(&pcpu->recovery, event))
			next = PMCGRP_PINNED_RECOVERED;
		else if (event->state == PERF_EVENT_STATE_INACTIVE)
			next = max(next, PMCGRP_PINNED_COMES);
		else if (event->state == PERF_EVENT_STATE_OFF && event->attr.enable_on_exec)
			next = max(next, PMCGRP_PINNED_AT_EXEC);
	}
	raw_spin_unlock(&ctx->lock);
	return next;
}
