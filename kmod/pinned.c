// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pinned events of perf's own do not lose a counter to counters.
 *
 * A pinned event that finds no counter goes into error and stays there: its user reads
 * an end of file.  Slots stay on the PMU where perf core does not know of them, so they
 * make way beforehand, and where that is too late the event is helped:
 *
 *  - Guard.  Before perf core schedules in a task that has pinned events, it takes out the
 *    flexible events of the CPU (kernel/events/core.c: perf_event_context_sched_in(), and
 *    ctx_resched() when execve() has enabled them).
 *    A guard is such an event, of the carriers' PMU, on each CPU with hardware counters:
 *    when it goes out, pinned events that are about to come in find the PMU empty but
 *    for what is pinned as well.  It comes in again after them, with the flexible events
 *    of the CPU, and before those of the task: then what has made way comes back, if it
 *    still finds room and is still in its turn.
 *
 *  - Help.  When an event of a running task, or of the CPU, is opened or enabled, perf
 *    core looks at that event's PMU only (ctx_resched(), since 6.12), and no guard is told:
 *    the event may go into error.  It is taken out of it when its task comes in the next
 *    time, or at the next tick of the gang.  Not too often, for it may have failed for
 *    another reason.
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

/* An event in error is helped out of it once in so many ticks. */
#define RECOVER_TICKS 16

/**
 * struct pmcgrp_guard - one CPU's guard, in one life of the CPU
 * @event: of the carriers' PMU.  Constant.
 * @cpu: which.  Constant.
 * @generation: pmcgrp_cpu_generation() of that life.  Constant.
 * @refs: hardware counters; pmcgrp_groups_mutex
 */
struct pmcgrp_guard {
	struct perf_event *event;
	int cpu;
	u64 generation;
	unsigned int refs;
};

/* Of the CPU's newest life that has had counters; pmcgrp_groups_mutex. */
static DEFINE_PER_CPU(struct pmcgrp_guard *, guards);

/* Who may soon want guards again: as long as there are any, idle ones stay. */
static atomic_t keepers = ATOMIC_INIT(0);

static void guard_free(struct pmcgrp_guard *guard)
{
	if (per_cpu(guards, guard->cpu) == guard)
		per_cpu(guards, guard->cpu) = NULL;
	perf_event_release_kernel(guard->event);
	kfree(guard);
}

/*
 * To make a guard takes as long as to make a counter.  Without counters it does nothing.  Those who
 * ask whether the module is in use shall not see it then: perf core's reference for the event is
 * given back meanwhile.  The module stays nevertheless: who keeps guards has the device open.
 */
static void guard_rest(void)
{
	module_put(THIS_MODULE);
}

static void guard_wake(void)
{
	__module_get(THIS_MODULE);
}

/* One that rests. */
static void guard_drop(struct pmcgrp_guard *guard)
{
	guard_wake();
	guard_free(guard);
}

/**
 * pmcgrp_guard_get - for a hardware counter: have its CPU guarded
 * @cpu: the CPU
 * @generation: the counter's epoch
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: a guard with a reference for the caller, NULL where perf core makes no way, or an
 * ERR_PTR: -ENODEV for an offline CPU, -ENOMEM.
 */
struct pmcgrp_guard *pmcgrp_guard_get(int cpu, u64 generation)
{
	struct pmcgrp_guard *guard;
	struct perf_event *event;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (!pmcgrp_core_makes_way())
		return NULL;
	guard = per_cpu(guards, cpu);
	if (guard && guard->generation == generation) {
		if (!guard->refs++)
			guard_wake();
		return guard;
	}
	if (guard && !guard->refs)
		guard_drop(guard);
	guard = kzalloc(sizeof(*guard), GFP_KERNEL);
	if (!guard)
		return ERR_PTR(-ENOMEM);
	event = pmcgrp_guard_event_create(cpu);
	if (IS_ERR(event)) {
		kfree(guard);
		return ERR_CAST(event);
	}
	guard->event = event;
	guard->cpu = cpu;
	guard->generation = generation;
	guard->refs = 1;
	per_cpu(guards, cpu) = guard;
	return guard;
}

/**
 * pmcgrp_guard_put - a counter goes
 * @guard: its guard, or NULL
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_guard_put(struct pmcgrp_guard *guard)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (!guard || --guard->refs)
		return;
	if (atomic_read(&keepers) && per_cpu(guards, guard->cpu) == guard)
		guard_rest();
	else
		guard_free(guard);
}

/**
 * pmcgrp_guards_keep - from now on leave guards where there are no counters any more
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
	struct pmcgrp_guard *guard;
	int cpu;

	if (!atomic_dec_and_test(&keepers))
		return;
	mutex_lock(&pmcgrp_groups_mutex);
	if (!atomic_read(&keepers))
		for_each_possible_cpu(cpu) {
			guard = per_cpu(guards, cpu);
			if (guard && !guard->refs)
				guard_drop(guard);
		}
	mutex_unlock(&pmcgrp_groups_mutex);
}

/* Whether an event may be helped: not one that has just been. */
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
 * The pinned events of a context are leaders, for a member cannot be pinned, and stand in a
 * tree of their own, unlike the CPU's counters (kernel/events/core.c: list_add_event()).
 */
static struct perf_event *next_pinned(struct perf_event_context *ctx, struct perf_event *event)
{
	struct rb_node *node = event ? rb_next(&event->group_node) :
				       rb_first(&ctx->pinned_groups.tree);

	return node ? rb_entry(node, struct perf_event, group_node) : NULL;
}

/* Is it of hardware that has counters here, and counts here when its context is in? */
static bool is_needed_here(const struct perf_event *event)
{
	return event->pmu->task_ctx_nr != perf_sw_context &&
	       pmcgrp_pmu_is_used_here(event->pmu) &&
	       (event->cpu < 0 || event->cpu == smp_processor_id());
}

/*
 * Take pinned events out of the error that counters may have brought them into.  Only
 * their state: that they were not on meanwhile shows in their times.  What
 * perf_event_enable() does, which cannot be called from here: the event may go away
 * as soon as its context's lock is given back.
 */
static bool recover_event(struct pmcgrp_recovery *recovery, struct perf_event *event)
{
	if (event->state != PERF_EVENT_STATE_ERROR)
		return false;
#ifdef CONFIG_CGROUP_PERF
	if (event->cgrp)
		return false; /* its cgroup's times have been stopped as well */
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
 * pmcgrp_pinned_recover - help pinned events that are in error here
 * @pcpu: this CPU's
 * @set: one that is on, with hardware counters: events of the first one's PMU are helped
 *
 * Context: interrupts off, not within perf core.
 * Return: whether there were any: then perf core is to schedule anew.
 */
bool pmcgrp_pinned_recover(struct pmcgrp_cpu *pcpu, const struct pmcgrp_evset *set)
{
	const struct perf_event *event = set->counter[0]->event;
	struct perf_event_context *task_ctx = pmcgrp_current_ctx();
	bool any;

	lockdep_assert_irqs_disabled();
	any = recover_in(&pcpu->recovery, event->ctx, event->pmu);
	if (task_ctx)
		any |= recover_in(&pcpu->recovery, task_ctx, event->pmu);
	return any;
}

/*
 * The context whose pinned events perf core is about to bring in, or NULL.  It has cleared
 * in a context what it takes out of it (ctx_sched_out()); where nothing of the CPU is
 * cleared, only the guard itself goes out (it is released, or the CPU is, at a reboot).
 *
 * What is returned is locked: the CPU's, for it is its events that go out, or that of the
 * running task, for if it has events perf core takes both locks (perf_ctx_lock()).
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
 * Are there pinned events that shall come in?  Such in error are helped.  If perf core does
 * not hold their PMU, it is at another one (ctx_resched(), since 6.12).
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
 * Idle counters that have made way on this CPU, until the end of perf core's section; interrupts
 * off.  Nobody can free them before: perf core would have to ask this CPU for their events.
 */
struct made_way {
	unsigned int nr;
	struct pmcgrp_counter *counter[PMCGRP_MEMBERS_MAX];
};

static DEFINE_PER_CPU(struct made_way, made_way);

/*
 * A task whose turn it is, or that is to find counters there that have been got for it
 * (reserve.c), is to find them after its pinned events have come in as well.
 */
static bool is_our_turn(const struct pmcgrp_arbiter *arbiter)
{
	return !arbiter->yielding && (arbiter->waiting_since || local_clock() < arbiter->until);
}

/**
 * pmcgrp_guard_out - the guard goes out: make way if that is for pinned events
 * @cpu_ctx: the guard's context
 *
 * In core's section nothing has been placed yet that counters would have to wait for: what
 * goes out does so before anything comes in.
 *
 * Context: interrupts off, within perf core, @cpu_ctx->lock held.
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
 * pmcgrp_guard_in - the guard comes in: what has made way comes back
 *
 * Pinned events are in.  perf core still holds the PMU, so nothing is taken off here.
 *
 * Context: interrupts off, within perf core, the CPU's context locked.
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
 * pmcgrp_guard_forget - perf core's section is over: what has made way may be freed
 *
 * Context: interrupts off, not within perf core.
 */
void pmcgrp_guard_forget(void)
{
	this_cpu_ptr(&made_way)->nr = 0;
}
