// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts: sets that are scheduled in and out together, whatever they count.  One has all sets
 * that follow one task (task_context.c), or on one CPU those of lists that count the same tasks
 * (contexts.c).  A probe on sched_switch schedules them in and out (follow.c).  A context switch
 * does not visit sets that only wait (rest.c).  So its cost does not depend on their number.
 *
 * The probe runs before perf core's own work on the switch.  Room is made for the next task's
 * pinned perf events first (pinned_room.c); its flexible ones take what is left.  A set that finds
 * no room beside the events of the previous task is tried again when the switch is over.
 *
 * Context rule: while a context is in, its CPU accesses it with interrupts off.  While it is in
 * nowhere, the holder of @lock does.  The CPU where it comes in or goes out takes the lock to
 * change between both.  pmcgrp_context_call() applies the rule.
 */
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>
#include "compat.h"
#include "arbiter/cpu.h"
#include "follow/context.h"
#include "follow/rest.h"
#include "sched/handover.h"
#include "sched/rotate.h"
#include "sched/sched.h"
#include "set/evlist.h"
#include "set/evset.h"

/* Sets are enabled and disabled where the context may be accessed. */

/**
 * pmcgrp_context_enable_here - schedule a set in with its context from now on
 * @set: the set
 *
 * Context: where the context may be accessed.
 */
void pmcgrp_context_enable_here(struct pmcgrp_evset *set)
{
	struct pmcgrp_context *ctx = set->ctx;

	pmcgrp_context_assert(ctx);
	/*
	 * Pairs with pmcgrp_task_context_exit(), which may have been too early to find the context.
	 */
	smp_mb();
	if (ctx->task && pmcgrp_evset_is_until_exit(set) &&
	    READ_ONCE(ctx->task->flags) & PF_EXITING)
		return;
	if (set->pinned)
		list_add(&set->ctx_node, &ctx->active);
	else
		list_add_tail(&set->ctx_node, &ctx->active);
	WRITE_ONCE(ctx->nr_enabled, ctx->nr_enabled + 1);
	if (ctx->cpu >= 0)
		pmcgrp_sched_in(set);
	pmcgrp_rest_at_once(set);
}

/**
 * pmcgrp_context_disable_here - schedule a set out, and complete its sums
 * @set: the set, enabled or not
 *
 * Context: where the context may be accessed.
 */
void pmcgrp_context_disable_here(struct pmcgrp_evset *set)
{
	struct pmcgrp_context *ctx = set->ctx;

	pmcgrp_rest_stop(set);
	if (!list_empty(&set->ctx_node)) {
		list_del_init(&set->ctx_node);
		WRITE_ONCE(ctx->nr_enabled, ctx->nr_enabled - 1);
	}
	if (set->cpu < 0)
		return;
	pmcgrp_sched_disable(set);
	pmcgrp_sched_out(set);
}

/**
 * struct context_call - a call where a context may be accessed
 * @ctx: the context
 * @func: the function
 * @arg: its argument
 * @done: out: it was called
 */
struct context_call {
	struct pmcgrp_context *ctx;
	void (*func)(void *arg);
	void *arg;
	bool done;
};

static void context_call_here(void *info)
{
	struct context_call *call = info;

	/* The task cannot leave this CPU during the call. */
	if (READ_ONCE(call->ctx->cpu) != smp_processor_id())
		return;
	call->func(call->arg);
	call->done = true;
}

/**
 * pmcgrp_context_call - call a function where a context may be accessed
 * @ctx: the context
 * @func: the function; interrupts are off, and the context's lock may be held
 * @arg: its argument
 *
 * Context: may sleep.
 */
void pmcgrp_context_call(struct pmcgrp_context *ctx, void (*func)(void *arg), void *arg)
{
	struct context_call call = { .ctx = ctx, .func = func, .arg = arg };
	unsigned long flags;
	int cpu;

	/* Retry if the task has moved to another CPU. */
	do {
		raw_spin_lock_irqsave(&ctx->lock, flags);
		cpu = ctx->cpu;
		if (cpu < 0) {
			func(arg);
			call.done = true;
		}
		raw_spin_unlock_irqrestore(&ctx->lock, flags);
		if (cpu >= 0)
			smp_call_function_single(cpu, context_call_here, &call, 1);
	} while (!call.done);
}

/**
 * struct set_call - a call for a set where its context may be accessed
 * @set: the set
 * @func: the function
 */
struct set_call {
	struct pmcgrp_evset *set;
	pmcgrp_set_func_t func;
};

static void call_for_set(void *info)
{
	struct set_call *call = info;

	call->func(call->set);
}

/**
 * pmcgrp_context_call_set - call a function for a set, where its context may be accessed
 * @set: the set
 * @func: the function, as of pmcgrp_context_call()
 *
 * Context: may sleep.
 */
void pmcgrp_context_call_set(struct pmcgrp_evset *set, pmcgrp_set_func_t func)
{
	struct set_call call = { .set = set, .func = func };

	pmcgrp_context_call(set->ctx, call_for_set, &call);
}

/**
 * pmcgrp_context_claim - begin to schedule in a context on this CPU
 * @ctx: the context
 *
 * Context: interrupts off; the run-queue lock may be held.
 * Return: whether it may be accessed here now; false if it has ended.
 */
bool pmcgrp_context_claim(struct pmcgrp_context *ctx)
{
	bool ended;

	raw_spin_lock(&ctx->lock);
	ended = ctx->ended;
	if (likely(!ended))
		WRITE_ONCE(ctx->cpu, smp_processor_id());
	raw_spin_unlock(&ctx->lock);
	return !ended;
}

/*
 * The time of a schedule-in or schedule-out: that of the reading which has begun or ended its first
 * set.  Only times of sets that rest depend on it.
 */
static u64 context_clock(const struct pmcgrp_evset *first)
{
	return first && !first->not_started ? first->since : local_clock();
}

/* The first set of a context, if it is scheduled in and active; or NULL. */
static const struct pmcgrp_evset *first_in(struct pmcgrp_context *ctx)
{
	const struct pmcgrp_evset *set;

	set = list_first_entry_or_null(&ctx->active, struct pmcgrp_evset, ctx_node);
	return set && set->is_in ? set : NULL;
}

/**
 * pmcgrp_context_in - schedule in a context on this CPU
 * @pcpu: this CPU's scheduler
 * @ctx: the context, which has been claimed
 * @prev: task that is switched from, before perf core's part of the switch; NULL if the context's
 *	task runs already
 *
 * Context: interrupts off; the run-queue lock may be held.
 */
void pmcgrp_context_in(struct pmcgrp_cpu *pcpu, struct pmcgrp_context *ctx,
		       const struct task_struct *prev)
{
	struct pmcgrp_evset *set;

	pmcgrp_context_assert(ctx);
	ctx->rotated = pcpu->rotated;
	pcpu->nr_resting += ctx->nr_resting;
	/* Resting sets may fit beside other sets than before. */
	if (unlikely(ctx->nr_resting) && pmcgrp_cpu_in_use(pcpu) != ctx->beside) {
		pcpu->wake_pending = true;
		irq_work_queue(&pcpu->work);
	}
	pmcgrp_sched_in_begin(pcpu, prev);
	list_for_each_entry(set, &ctx->active, ctx_node)
		pmcgrp_sched_in(set);
	ctx->since = context_clock(first_in(ctx));
	pmcgrp_sched_in_end(pcpu);
	if (!pcpu->usable || !pmcgrp_cpu_has_waiting(pcpu))
		return;
	/* Also rotate for a task that never runs for a whole tick. */
	if (!ctx->nr_resting && pcpu->nr_waiting <= PMCGRP_WAITING_MOST)
		return;
	if (ctx->time - ctx->exchanged > pmcgrp_mux_interval_ns()) {
		pcpu->rotate_pending = true;
		irq_work_queue(&pcpu->work);
	}
	pmcgrp_rotate_arm(pcpu);
}

/**
 * pmcgrp_context_entered - do pmcgrp_evset_enters() for a context that a switch has scheduled in
 * @ctx: the context
 *
 * Context: as pmcgrp_evset_enters().
 */
void pmcgrp_context_entered(struct pmcgrp_context *ctx)
{
	struct pmcgrp_evset *set;

	pmcgrp_context_assert(ctx);
	list_for_each_entry(set, &ctx->active, ctx_node)
		pmcgrp_evset_enters(set);
}

/**
 * pmcgrp_contexts_entered - the same for contexts of a CPU
 * @contexts: a list of those that are in
 * @stays: last node of it before the switch
 *
 * Context: as pmcgrp_evset_enters().
 */
void pmcgrp_contexts_entered(struct list_head *contexts, struct list_head *stays)
{
	struct list_head *node;

	for (node = stays->next; node != contexts; node = node->next)
		pmcgrp_context_entered(list_entry(node, struct pmcgrp_context, in_node));
}

/*
 * Keep the order of the last rotation for the next schedule-in.  So the set that had the counters
 * comes first and finds them idle, and the others do not take them from it.
 */
static void order_as_rotated(struct pmcgrp_cpu *pcpu, struct pmcgrp_context *ctx)
{
	struct pmcgrp_evset *set;

	pmcgrp_context_assert(ctx);
	list_for_each_entry(set, &pcpu->sets, cpu_node)
		if (set->ctx == ctx && !list_empty(&set->ctx_node))
			list_move_tail(&set->ctx_node, &ctx->active);
}

/* The context is in nowhere from now on. */
static void context_release(struct pmcgrp_context *ctx, u64 now)
{
	raw_spin_lock(&ctx->lock);
	ctx->time = pmcgrp_context_time_at(ctx, now);
	WRITE_ONCE(ctx->cpu, -1);
	raw_spin_unlock(&ctx->lock);
}

/**
 * pmcgrp_context_out - schedule out a context that is in on this CPU
 * @pcpu: this CPU's scheduler
 * @ctx: the context
 * @leaves: the task that runs here is being switched from
 *
 * Context: interrupts off; the run-queue lock may be held.
 */
void pmcgrp_context_out(struct pmcgrp_cpu *pcpu, struct pmcgrp_context *ctx, bool leaves)
{
	const struct pmcgrp_evset *first;
	struct pmcgrp_evset *set;

	pmcgrp_context_assert(ctx);
	if (pcpu->rotated != ctx->rotated)
		order_as_rotated(pcpu, ctx);
	first = first_in(ctx);
	list_for_each_entry(set, &ctx->active, ctx_node) {
		if (leaves)
			pmcgrp_evset_leaves(set);
		pmcgrp_sched_out(set);
	}
	if (unlikely(ctx->nr_resting))
		ctx->beside = pmcgrp_cpu_in_use(pcpu);
	pcpu->nr_resting -= ctx->nr_resting;
	context_release(ctx, context_clock(first));
}

/* The set of a context that has no other one; it may be accessed here. */
static struct pmcgrp_evset *only_set(const struct pmcgrp_context *ctx)
{
	pmcgrp_context_assert(ctx);
	if (!list_is_singular(&ctx->active) || ctx->nr_resting)
		return NULL;
	return list_first_entry(&ctx->active, struct pmcgrp_evset, ctx_node);
}

/**
 * pmcgrp_context_hand_over - schedule out a context and schedule in another one in one go
 * @pcpu: this CPU's scheduler; no set waits here
 * @from: the context that is in
 * @to: the other context, which has been claimed
 *
 * That is possible if each has one set, and both sets have the same counters.
 *
 * Context: interrupts off; the run-queue lock may be held.
 * Return: whether it was possible; otherwise nothing has changed.
 */
bool pmcgrp_context_hand_over(struct pmcgrp_cpu *pcpu, struct pmcgrp_context *from,
			      struct pmcgrp_context *to)
{
	struct pmcgrp_evset *out = only_set(from), *in = only_set(to);
	u64 now = out && in ? pmcgrp_handover(pcpu, out, in) : 0;

	if (!now)
		return false;
	to->since = now;
	to->rotated = pcpu->rotated;
	context_release(from, now);
	return true;
}

/**
 * pmcgrp_context_set_enabled - schedule a set in with its context from now on, or no more
 * @set: the set; one that is so already is left alone
 * @on: whether to enable or to disable it
 *
 * Context: may sleep; the list's mutex and the context's held.
 */
void pmcgrp_context_set_enabled(struct pmcgrp_evset *set, bool on)
{
	lockdep_assert_held(&set->evlist->mutex);
	lockdep_assert_held(set->ctx->mutex);
	if (set->ctx_enabled == on)
		return;
	set->ctx_enabled = on;
	pmcgrp_context_call_set(set,
				on ? pmcgrp_context_enable_here : pmcgrp_context_disable_here);
}

/**
 * pmcgrp_context_catch_up - update the time of a set that may rest
 * @set: the set
 *
 * Context: may sleep; the list's mutex held.
 */
void pmcgrp_context_catch_up(struct pmcgrp_evset *set)
{
	lockdep_assert_held(&set->evlist->mutex);
	if (READ_ONCE(set->resting))
		pmcgrp_context_call_set(set, pmcgrp_rest_catch_up);
}

/**
 * pmcgrp_context_init - initialise a context without sets, which is in nowhere
 * @ctx: the context, zeroed
 * @task: the task of all its sets, or NULL
 * @mutex: what is to be its mutex
 */
void pmcgrp_context_init(struct pmcgrp_context *ctx, struct task_struct *task, struct mutex *mutex)
{
	ctx->task = task;
	ctx->mutex = mutex;
	raw_spin_lock_init(&ctx->lock);
	ctx->cpu = -1;
	INIT_LIST_HEAD(&ctx->in_node);
	INIT_LIST_HEAD(&ctx->active);
	INIT_LIST_HEAD(&ctx->resting);
}
