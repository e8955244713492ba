// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts: all sets of a task that follow it alone, whatever they count.  A probe on sched_switch
 * schedules them in and out together (follow.c).  A context switch does not visit sets that only
 * wait.  So its cost does not depend on their number.
 *
 * The probe runs before perf core's own work on the switch.  Room is made for the next task's
 * pinned perf events first (pinned_room.c); its flexible ones take what is left.  A set that finds
 * no room beside the events of the previous task is tried again when the switch is over.
 *
 * Context rule: while a context is in, its CPU accesses it with interrupts off.  While it is in
 * nowhere, the holder of @lock does.  The CPU where it comes in or goes out takes the lock to
 * change between both.  pmcgrp_context_call() applies the rule.
 *
 * A context is found by its task, in an RCU section.  Whoever enables its first set kicks it: if
 * the task runs by then, its CPU is asked to schedule the context in (kick_here()).
 */
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include "compat.h"
#include "counter/placement.h"
#include "follow/context.h"
#include "follow/rest.h"
#include "sched/handover.h"
#include "sched/rotate.h"
#include "sched/sched.h"
#include "set/evlist.h"
#include "set/evlist_sets.h"
#include "set/evset.h"

struct pmcgrp_task_bucket pmcgrp_task_hash[1 << PMCGRP_TASK_HASH_BITS];

/* A task may live on when its contexts have ended: execve() of a set-uid program. */
static struct pmcgrp_context *find_context(const struct task_struct *task)
{
	struct pmcgrp_context *ctx;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	hlist_for_each_entry(ctx, &pmcgrp_task_bucket(task)->contexts, node)
		if (ctx->task == task && !pmcgrp_context_has_ended(ctx))
			return ctx;
	return NULL;
}

/* Find the context of a task without a mutex.  Interrupts are off: that is an RCU section. */
static __always_inline struct pmcgrp_context *context_of(const struct pmcgrp_task_bucket *bucket,
							 const struct task_struct *task)
{
	struct pmcgrp_context *ctx;

	lockdep_assert_irqs_disabled();
	hlist_for_each_entry_rcu(ctx, &bucket->contexts, node, irqs_disabled())
		if (ctx->task == task && !READ_ONCE(ctx->ended))
			return ctx;
	return NULL;
}

/* Sets that a task leaves at its exit before interrupts are let in: a microsecond each. */
#define EXIT_AT_ONCE 32

/* Sets are enabled and disabled where the context may be accessed. */

/* Whether a set counts its task until do_exit() alone. */
static bool until_exit(const struct pmcgrp_evset *set)
{
	return set->evlist->flags & PMCGRP_CREATE_UNTIL_EXIT;
}

static void enable_here(void *info)
{
	struct pmcgrp_evset *set = info;
	struct pmcgrp_context *ctx = set->ctx;

	pmcgrp_context_assert(ctx);
	/* Pairs with pmcgrp_context_exit(), which may have been too early to find the context. */
	smp_mb();
	if (until_exit(set) && READ_ONCE(ctx->task->flags) & PF_EXITING)
		return;
	if (set->pinned)
		list_add(&set->ctx_node, &ctx->active);
	else
		list_add_tail(&set->ctx_node, &ctx->active);
	if (ctx->cpu >= 0)
		pmcgrp_sched_in(set);
	pmcgrp_rest_at_once(set);
}

static void disable_here(void *info)
{
	struct pmcgrp_evset *set = info;

	pmcgrp_rest_stop(set);
	list_del_init(&set->ctx_node);
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

static void call_here(void *info)
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
			smp_call_function_single(cpu, call_here, &call, 1);
	} while (!call.done);
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
	pcpu->ctx = ctx;
	pcpu->nr_resting = ctx->nr_resting;
	/* Resting sets may fit beside other sets than before. */
	if (unlikely(ctx->nr_resting) && pmcgrp_counters_fingerprint() != ctx->beside) {
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
 * pmcgrp_context_out - schedule out the context of the task that runs on this CPU
 * @pcpu: this CPU's scheduler
 * @leaves: the task is being switched from
 *
 * Context: interrupts off; the run-queue lock may be held.
 */
void pmcgrp_context_out(struct pmcgrp_cpu *pcpu, bool leaves)
{
	struct pmcgrp_context *ctx = pcpu->ctx;
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
		ctx->beside = pmcgrp_counters_fingerprint();
	pcpu->ctx = NULL;
	pcpu->nr_resting = 0;
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
 * @pcpu: this CPU's scheduler, with a context; no set waits here
 * @to: the other context, which has been claimed
 *
 * That is possible if each has one set, and both sets have the same counters.
 *
 * Context: interrupts off; the run-queue lock may be held.
 * Return: whether it was possible; otherwise nothing has changed.
 */
bool pmcgrp_context_hand_over(struct pmcgrp_cpu *pcpu, struct pmcgrp_context *to)
{
	struct pmcgrp_context *from = pcpu->ctx;
	struct pmcgrp_evset *out = only_set(from), *in = only_set(to);
	u64 now = out && in ? pmcgrp_sched_hand_over(pcpu, out, in) : 0;

	if (!now)
		return false;
	to->since = now;
	to->rotated = pcpu->rotated;
	pcpu->ctx = to;
	context_release(from, now);
	return true;
}

/**
 * pmcgrp_context_next - find the context that is to be scheduled in with a task
 * @bucket: its pmcgrp_task_bucket()
 * @task: the task
 *
 * Context: interrupts off.
 * Return: the context, valid until interrupts are on; or NULL.
 */
struct pmcgrp_context *pmcgrp_context_next(const struct pmcgrp_task_bucket *bucket,
					   const struct task_struct *task)
{
	struct pmcgrp_context *ctx = context_of(bucket, task);

	return ctx && READ_ONCE(ctx->enabled) ? ctx : NULL;
}

static void kick_here(void *info)
{
	struct pmcgrp_context *ctx = info;
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();

	/* As in a switch (follow.c): on a CPU that goes offline it would never go out. */
	if (current == ctx->task && !pcpu->ctx && pmcgrp_cpu_is_online(pcpu->cpu) &&
	    pmcgrp_context_claim(ctx))
		pmcgrp_context_in(pcpu, ctx, NULL);
}

/**
 * pmcgrp_context_call_task - call a function where a task runs, after a change that it is to see
 * @task: the task
 * @func: function; interrupts off
 * @info: its argument
 *
 * A task that is switched to afterwards finds the change.  One that was switched to before is
 * running or about to leave: its CPU is asked.  task_cpu() is that CPU, unless the task has left
 * since.  A task that sleeps is left alone: it is no longer running, or has called
 * set_current_state() and is still on its CPU.
 *
 * Context: may sleep.
 */
void pmcgrp_context_call_task(struct task_struct *task, smp_call_func_t func, void *info)
{
	unsigned long flags;

	if (task == current) {
		local_irq_save(flags);
		func(info);
		local_irq_restore(flags);
		return;
	}
	/* Pairs with the barrier in __schedule(), before the probe: smp_mb__after_spinlock(). */
	smp_mb();
	if (READ_ONCE(task->__state) != TASK_RUNNING) {
		smp_rmb(); /* a task that runs is on its CPU before it changes its state */
		if (!pmcgrp_task_is_on_cpu(task))
			return;
	}
	smp_call_function_single(task_cpu(task), func, info, 1);
}

/**
 * pmcgrp_context_enable - schedule a set in with its context from now on
 * @set: the set; an enabled one is left alone
 *
 * Context: may sleep; the list's mutex held.
 */
void pmcgrp_context_enable(struct pmcgrp_evset *set)
{
	struct pmcgrp_context *ctx = set->ctx;

	lockdep_assert_held(&set->evlist->mutex);
	mutex_lock(&ctx->mutex);
	if (!set->ctx_enabled) {
		set->ctx_enabled = true;
		pmcgrp_context_call(ctx, enable_here, set);
		if (!ctx->nr_enabled++) {
			WRITE_ONCE(ctx->enabled, true);
			pmcgrp_context_call_task(ctx->task, kick_here, ctx);
		}
	}
	mutex_unlock(&ctx->mutex);
}

/**
 * pmcgrp_context_disable - schedule a set out, and complete its sums
 * @set: the set, enabled or not
 *
 * A context without enabled sets is not scheduled in any more.
 *
 * Context: may sleep; the list's mutex held.
 */
void pmcgrp_context_disable(struct pmcgrp_evset *set)
{
	struct pmcgrp_context *ctx = set->ctx;

	lockdep_assert_held(&set->evlist->mutex);
	mutex_lock(&ctx->mutex);
	if (set->ctx_enabled) {
		set->ctx_enabled = false;
		pmcgrp_context_call(ctx, disable_here, set);
		if (!--ctx->nr_enabled)
			WRITE_ONCE(ctx->enabled, false);
	}
	mutex_unlock(&ctx->mutex);
}

static void out_here(void *info)
{
	struct pmcgrp_context *ctx = info;
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();

	if (pcpu->ctx == ctx)
		pmcgrp_context_out(pcpu, false);
}

/* Let a context not be scheduled in any more.  Return the CPU where it is in, or -1. */
static int context_stop(struct pmcgrp_context *ctx)
{
	unsigned long flags;
	int cpu;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	WRITE_ONCE(ctx->ended, true);
	cpu = ctx->cpu;
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	return cpu;
}

/* End a context without sets. */
static void context_end(struct pmcgrp_context *ctx)
{
	int cpu;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	WARN_ON_ONCE(ctx->nr_enabled);
	hlist_del_rcu(&ctx->node);
	cpu = context_stop(ctx);
	if (cpu >= 0)
		smp_call_function_single(cpu, out_here, ctx, 1);
	put_task_struct(ctx->task);
	mutex_destroy(&ctx->mutex);
	kfree_rcu(ctx, rcu);
}

/**
 * pmcgrp_context_exec - end the context of the running task, if it has executed a set-uid program
 *
 * perf core ends all events of such a task (fs/exec.c: begin_new_exec()).
 *
 * Context: a probe in execve(), after the new memory map is in place; preemption off.
 */
void pmcgrp_context_exec(void)
{
	struct pmcgrp_context *ctx;
	unsigned long flags;

	if (likely(pmcgrp_current_is_dumpable()))
		return;
	local_irq_save(flags);
	ctx = context_of(pmcgrp_task_bucket(current), current);
	if (ctx) {
		context_stop(ctx);
		out_here(ctx);
	}
	local_irq_restore(flags);
}

/*
 * Disable sets of a list that count until do_exit(): so many at most.  Return: how many more may be
 * disabled.
 */
static unsigned int exit_here(struct list_head *sets, unsigned int most)
{
	struct pmcgrp_evset *set, *next;

	lockdep_assert_irqs_disabled();
	list_for_each_entry_safe(set, next, sets, ctx_node) {
		if (!most)
			break;
		if (!until_exit(set))
			continue;
		disable_here(set);
		most--;
	}
	return most;
}

/* Return: whether there may be more of them. */
static bool sets_exit(struct pmcgrp_context *ctx)
{
	unsigned int more;

	pmcgrp_context_assert(ctx);
	more = exit_here(&ctx->active, EXIT_AT_ONCE);
	return !exit_here(&ctx->resting, more);
}

/**
 * pmcgrp_context_exit - count the running task no longer by sets that count until do_exit()
 *
 * Context: as pmcgrp_tasks_exit().
 * Return: whether there may be more of them: the caller lets interrupts in, and calls again.
 */
bool pmcgrp_context_exit(void)
{
	struct pmcgrp_context *ctx;
	bool more, is_in;

	/*
	 * Pairs with enable_here() and pmcgrp_context_join(): PF_EXITING is set before the context
	 * is looked for, and its sets are counted before they are enabled.
	 */
	smp_mb();
	ctx = context_of(pmcgrp_task_bucket(current), current);
	if (!ctx || !READ_ONCE(ctx->nr_until_exit))
		return false;
	raw_spin_lock(&ctx->lock);
	is_in = ctx->cpu >= 0; /* here, where its task runs */
	more = !is_in && sets_exit(ctx);
	raw_spin_unlock(&ctx->lock);
	return is_in ? sets_exit(ctx) : more;
}

static void catch_up_here(void *set)
{
	pmcgrp_rest_catch_up(set);
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
		pmcgrp_context_call(set->ctx, catch_up_here, set);
}

static struct pmcgrp_context *context_create(struct task_struct *task)
{
	struct pmcgrp_context *ctx;

	/* As perf core refuses its events (kernel/events/core.c: find_get_context()). */
	if (task->flags & PF_EXITING)
		return ERR_PTR(-ESRCH);
	ctx = kzalloc(sizeof(*ctx), GFP_KERNEL_ACCOUNT);
	if (!ctx)
		return ERR_PTR(-ENOMEM);
	ctx->task = get_task_struct(task);
	mutex_init(&ctx->mutex);
	raw_spin_lock_init(&ctx->lock);
	ctx->cpu = -1;
	INIT_LIST_HEAD(&ctx->active);
	INIT_LIST_HEAD(&ctx->resting);
	hlist_add_head_rcu(&ctx->node, &pmcgrp_task_bucket(task)->contexts);
	return ctx;
}

/**
 * pmcgrp_context_join - create the set of a list in the context of its task
 * @evlist: the event list, with a target for which pmcgrp_evlist_has_context(), and no set
 *
 * Context: may sleep; pmcgrp_groups_mutex and the list's mutex held.
 * Return: a set that is not scheduled in, for pmcgrp_context_quit(); or an ERR_PTR: -ESRCH for an
 * exiting task, -ENOMEM.
 */
struct pmcgrp_evset *pmcgrp_context_join(struct pmcgrp_evlist *evlist)
{
	struct task_struct *task = evlist->task;
	struct pmcgrp_context *ctx;
	struct pmcgrp_evset *set;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	ctx = find_context(task) ?: context_create(task);
	if (IS_ERR(ctx))
		return ERR_CAST(ctx);
	set = pmcgrp_evset_of_task(evlist, task);
	if (!set) {
		if (!ctx->nr)
			context_end(ctx);
		return ERR_PTR(-ENOMEM);
	}
	set->ctx = ctx;
	ctx->nr++;
	WRITE_ONCE(ctx->nr_until_exit, ctx->nr_until_exit + until_exit(set));
	return set;
}

/**
 * pmcgrp_context_quit - remove a set from its context
 * @set: the set, enabled or not
 *
 * Context: may sleep; pmcgrp_groups_mutex and the list's mutex held.
 */
void pmcgrp_context_quit(struct pmcgrp_evset *set)
{
	struct pmcgrp_context *ctx = set->ctx;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	pmcgrp_context_disable(set);
	WRITE_ONCE(ctx->nr_until_exit, ctx->nr_until_exit - until_exit(set));
	set->ctx = NULL;
	if (!--ctx->nr)
		context_end(ctx);
}
