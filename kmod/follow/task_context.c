// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists of one task: all sets that follow a task alone are in one context.  With rings or a user
 * page a set has a carrier instead (carried.c).
 *
 * A context is found by the record of its task (task_table.c), in an RCU section.  Whoever enables
 * its first set kicks it: if the task runs by then, its CPU is asked to schedule the context in
 * (kick_here()).
 */
#include <linux/err.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include "compat.h"
#include "arbiter/cpu.h"
#include "counter/carrier.h"
#include "follow/carried.h"
#include "follow/context.h"
#include "follow/latch.h"
#include "follow/task_context.h"
#include "follow/task_record.h"
#include "follow/task_table.h"
#include "set/evlist.h"
#include "set/evlist_sets.h"
#include "set/evset.h"

/* Find the context of a task; in an RCU section, which interrupts off are, too. */
static struct pmcgrp_task_context *context_of(const struct task_struct *task)
{
	return pmcgrp_task_record_context(pmcgrp_task_record_of(task));
}

/* One that has not ended. */
static struct pmcgrp_task_context *find_context(const struct task_struct *task)
{
	struct pmcgrp_task_context *tctx;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	rcu_read_lock();
	tctx = context_of(task);
	rcu_read_unlock();
	return tctx && !pmcgrp_context_has_ended(&tctx->ctx) ? tctx : NULL;
}

static struct pmcgrp_task_context *context_of_set(const struct pmcgrp_evset *set)
{
	return container_of(set->ctx, struct pmcgrp_task_context, ctx);
}

/* Sets that a task leaves at its exit before interrupts are let in: a microsecond each. */
#define EXIT_AT_ONCE 32

static void kick_here(void *info)
{
	struct pmcgrp_context *ctx = info;
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();

	/* As in a switch (follow.c): on a CPU that goes offline it would never go out. */
	if (current == ctx->task && !pcpu->ctx && pmcgrp_this_cpu_is_online() &&
	    pmcgrp_context_claim(ctx)) {
		pcpu->ctx = ctx;
		pmcgrp_context_in(pcpu, ctx, NULL);
	}
}

/**
 * pmcgrp_task_call - call a function where a task runs, after a change that it is to see
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
void pmcgrp_task_call(struct task_struct *task, smp_call_func_t func, void *info)
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

/* Schedule a set in with its task's context from now on; an enabled one is left alone. */
static void task_context_enable(struct pmcgrp_evset *set)
{
	struct pmcgrp_task_context *tctx = context_of_set(set);

	mutex_lock(&tctx->mutex);
	pmcgrp_context_set_enabled(set, true);
	if (!tctx->ctx.enabled) {
		WRITE_ONCE(tctx->ctx.enabled, true);
		pmcgrp_task_call(tctx->ctx.task, kick_here, &tctx->ctx);
	}
	mutex_unlock(&tctx->mutex);
}

/*
 * Schedule a set out, and complete its sums.  A context without enabled sets is not scheduled in
 * any more.
 */
static void task_context_disable(struct pmcgrp_evset *set)
{
	struct pmcgrp_task_context *tctx = context_of_set(set);

	mutex_lock(&tctx->mutex);
	pmcgrp_context_set_enabled(set, false);
	if (!READ_ONCE(tctx->ctx.nr_enabled))
		WRITE_ONCE(tctx->ctx.enabled, false);
	mutex_unlock(&tctx->mutex);
}

static void task_context_out_here(void *info)
{
	struct pmcgrp_context *ctx = info;
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();

	if (pcpu->ctx != ctx)
		return;
	pmcgrp_context_out(pcpu, ctx, false);
	pcpu->ctx = NULL;
}

/*
 * Let a context not be found or scheduled in any more.  A task may live on, and get another one:
 * after execve() of a set-uid program.  Return the CPU where the context is in, or -1.
 */
static int context_stop(struct pmcgrp_task_context *tctx)
{
	struct pmcgrp_context *ctx = &tctx->ctx;
	struct pmcgrp_task_record *record;
	unsigned long flags;
	int cpu;

	raw_spin_lock_irqsave(&pmcgrp_tasks_lock, flags);
	record = pmcgrp_task_record_of(ctx->task);
	if (record && rcu_access_pointer(record->ctx) == tctx) {
		RCU_INIT_POINTER(record->ctx, NULL);
		pmcgrp_task_record_tidy(record);
	}
	raw_spin_unlock_irqrestore(&pmcgrp_tasks_lock, flags);

	raw_spin_lock_irqsave(&ctx->lock, flags);
	WRITE_ONCE(ctx->ended, true);
	cpu = ctx->cpu;
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	return cpu;
}

/* Free a context, or leave that to its record if this is still needed. */
static void context_free(struct pmcgrp_task_context *tctx)
{
	struct pmcgrp_task_record *record = &tctx->record;
	bool is_needed;

	raw_spin_lock_irq(&pmcgrp_tasks_lock);
	record->is_part = false;
	is_needed = rcu_access_pointer(record->ctx) || rcu_access_pointer(record->binding);
	raw_spin_unlock_irq(&pmcgrp_tasks_lock);
	if (!is_needed)
		kfree_rcu(tctx, record.rcu);
}

/* End a context without sets. */
static void context_end(struct pmcgrp_task_context *tctx)
{
	int cpu;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	WARN_ON_ONCE(tctx->ctx.nr_enabled);
	cpu = context_stop(tctx);
	if (cpu >= 0)
		smp_call_function_single(cpu, task_context_out_here, &tctx->ctx, 1);
	put_task_struct(tctx->ctx.task);
	mutex_destroy(&tctx->mutex);
	context_free(tctx);
}

/**
 * pmcgrp_task_context_exec - end the context of the running task, if it has executed a set-uid
 * program
 *
 * perf core ends all events of such a task (fs/exec.c: begin_new_exec()).
 *
 * Context: a probe in execve(), after the new memory map is in place; preemption off.
 */
void pmcgrp_task_context_exec(void)
{
	struct pmcgrp_task_context *tctx;
	unsigned long flags;

	if (likely(pmcgrp_current_is_dumpable()))
		return;
	local_irq_save(flags);
	tctx = context_of(current);
	if (tctx) {
		context_stop(tctx);
		task_context_out_here(&tctx->ctx);
	}
	local_irq_restore(flags);
}

/*
 * Disable sets of a list that count until do_exit(): so many at most.  Return: how many more may be
 * disabled.
 */
static unsigned int sets_exit_some(struct list_head *sets, unsigned int most)
{
	struct pmcgrp_evset *set, *next;

	lockdep_assert_irqs_disabled();
	list_for_each_entry_safe(set, next, sets, ctx_node) {
		if (!most)
			break;
		if (!pmcgrp_evset_is_until_exit(set))
			continue;
		pmcgrp_context_disable_here(set);
		most--;
	}
	return most;
}

/* Return: whether there may be more of them. */
static bool sets_exit(struct pmcgrp_context *ctx)
{
	unsigned int more;

	pmcgrp_context_assert(ctx);
	more = sets_exit_some(&ctx->active, EXIT_AT_ONCE);
	return !sets_exit_some(&ctx->resting, more);
}

/**
 * pmcgrp_task_context_exit - count the running task no longer by sets that count until do_exit()
 *
 * Context: as pmcgrp_tasks_exit().
 * Return: whether there may be more of them: the caller lets interrupts in, and calls again.
 */
bool pmcgrp_task_context_exit(void)
{
	struct pmcgrp_task_context *tctx;
	struct pmcgrp_context *ctx;
	bool more, is_in;

	/*
	 * Pairs with pmcgrp_context_enable_here() and task_context_join(): PF_EXITING is set
	 * before the context is looked for, and its sets are counted before they are enabled.
	 */
	smp_mb();
	tctx = context_of(current);
	if (!tctx || !READ_ONCE(tctx->nr_until_exit))
		return false;
	ctx = &tctx->ctx;
	raw_spin_lock(&ctx->lock);
	is_in = ctx->cpu >= 0; /* here, where its task runs */
	more = !is_in && sets_exit(ctx);
	raw_spin_unlock(&ctx->lock);
	return is_in ? sets_exit(ctx) : more;
}

static struct pmcgrp_task_context *context_create(struct task_struct *task)
{
	struct pmcgrp_task_record *record, *fresh;
	struct pmcgrp_task_context *tctx;

	/* As perf core refuses its events (kernel/events/core.c: find_get_context()). */
	if (task->flags & PF_EXITING)
		return ERR_PTR(-ESRCH);
	tctx = kzalloc(sizeof(*tctx), GFP_KERNEL_ACCOUNT);
	if (!tctx)
		return ERR_PTR(-ENOMEM);
	mutex_init(&tctx->mutex);
	pmcgrp_context_init(&tctx->ctx, get_task_struct(task), &tctx->mutex);
	fresh = &tctx->record;
	fresh->is_part = true;
	raw_spin_lock_irq(&pmcgrp_tasks_lock);
	record = pmcgrp_task_record_find_or_add(task, &fresh);
	/* Pairs with pmcgrp_task_record_context(). */
	rcu_assign_pointer(record->ctx, tctx);
	raw_spin_unlock_irq(&pmcgrp_tasks_lock);
	return tctx;
}

/* Create the set of a list in the context of its task.  Return: 0, -ESRCH or -ENOMEM. */
static int task_context_join(struct pmcgrp_evlist *evlist)
{
	struct task_struct *task = evlist->task;
	struct pmcgrp_task_context *tctx;
	struct pmcgrp_evset *set;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	tctx = find_context(task) ?: context_create(task);
	if (IS_ERR(tctx))
		return PTR_ERR(tctx);
	set = pmcgrp_evlist_set_of_task(evlist, task);
	if (!set) {
		if (!tctx->nr)
			context_end(tctx);
		return -ENOMEM;
	}
	set->ctx = &tctx->ctx;
	tctx->nr++;
	WRITE_ONCE(tctx->nr_until_exit, tctx->nr_until_exit + pmcgrp_evset_is_until_exit(set));
	return 0;
}

/* Remove a set, enabled or not, from its context. */
static void task_context_quit(struct pmcgrp_evset *set)
{
	struct pmcgrp_task_context *tctx = context_of_set(set);

	lockdep_assert_held(&pmcgrp_groups_mutex);
	task_context_disable(set);
	WRITE_ONCE(tctx->nr_until_exit, tctx->nr_until_exit - pmcgrp_evset_is_until_exit(set));
	set->ctx = NULL;
	if (!--tctx->nr)
		context_end(tctx);
}

static void task_enable(struct pmcgrp_evlist *evlist, bool on)
{
	struct pmcgrp_evset *set = evlist->only;

	if (set->carrier)
		pmcgrp_carried_enable(set, on);
	else if (on)
		task_context_enable(set);
	else
		task_context_disable(set);
}

static int task_make(struct pmcgrp_evlist *evlist, const struct pmcgrp_evlist *like,
		     struct pmcgrp_failure *fail)
{
	int err;

	evlist->is_followed = evlist->flags & PMCGRP_CREATE_ENABLE_ON_EXEC;
	err = pmcgrp_latch_add(evlist, evlist->task);
	if (!err)
		err = task_context_join(evlist);
	if (!err && pmcgrp_evlist_follows(evlist))
		task_enable(evlist, true);
	return err;
}

/* A user page needs perf core's own schedule-in. */
static int task_make_carried(struct pmcgrp_evlist *evlist, const struct pmcgrp_evlist *like,
			     struct pmcgrp_failure *fail)
{
	int err = pmcgrp_latch_add(evlist, evlist->task);

	return err ?: pmcgrp_carried_begin(evlist, -1);
}

static void task_drop(struct pmcgrp_evlist *evlist)
{
	struct pmcgrp_evset *set = evlist->only;

	pmcgrp_latches_drop(evlist);
	if (!set)
		return;
	if (set->carrier) {
		pmcgrp_carried_end(set);
		return;
	}
	task_context_quit(set);
	pmcgrp_evlist_set_end(set);
}

static bool task_ended(const struct pmcgrp_evlist *evlist)
{
	const struct pmcgrp_evset *set = evlist->only;

	lockdep_assert_held(&evlist->mutex);
	return set->carrier ? pmcgrp_carrier_has_ended(set->carrier) :
			      pmcgrp_context_has_ended(set->ctx);
}

static bool task_call(struct pmcgrp_evlist *evlist, void (*func)(void *arg), void *arg)
{
	struct pmcgrp_context *ctx = evlist->only->ctx;

	if (!ctx)
		return pmcgrp_evlist_call_only(evlist, func, arg);
	pmcgrp_context_call(ctx, func, arg);
	return true;
}

/*
 * Move the set of a list from its context to a carrier, which comes in after the triggers: these
 * are pinned perf events of the task.
 *
 * - The set finds their counters taken already.  In a context it would have to make room for them
 *   at each switch, and be placed again after it.
 * - perf core calls those who count a software event in the opposite order in which they have come
 *   in (perf_swevent_add(), perf_trace_add()).  So members count before a trigger takes its sample.
 *
 * Between both the list counts nothing, and its times stand still.
 */
static int task_leave_context(struct pmcgrp_evlist *evlist)
{
	int err;

	task_context_disable(evlist->only);
	err = pmcgrp_carried_begin(evlist, -1);
	if (!err)
		task_context_quit(evlist->only);
	else if (pmcgrp_evlist_follows(evlist))
		task_context_enable(evlist->only);
	return err;
}

static int task_watch(struct pmcgrp_evlist *evlist, struct pmcgrp_end_watch *watch)
{
	int err;

	if (task_ended(evlist))
		return -ESRCH;
	err = evlist->only->ctx ? task_leave_context(evlist) : 0;
	if (err)
		return err;
	list_add_tail_rcu(&watch->node, &evlist->watches);
	evlist->is_followed = true;
	task_enable(evlist, true);
	return 0;
}

static void task_unwatch(struct pmcgrp_evlist *evlist, struct pmcgrp_end_watch *watch)
{
	list_del_rcu(&watch->node);
	if (!list_empty(&evlist->watches))
		return;
	evlist->is_followed = false;
	if (!pmcgrp_evlist_follows(evlist))
		task_enable(evlist, false);
}

static u64 task_whose(const struct pmcgrp_target *target)
{
	return (unsigned long)target->task;
}

#define TASK_FOLLOWED			\
	.has_one_set = true,		\
	.drop = task_drop,		\
	.enable = task_enable,		\
	.ended = task_ended,		\
	.call = task_call,		\
	.watch = task_watch,		\
	.unwatch = task_unwatch

const struct pmcgrp_follower pmcgrp_task_follower = {
	TASK_FOLLOWED,
	.has_probes = true,
	.whose = task_whose,
	.make = task_make,
};

const struct pmcgrp_follower pmcgrp_task_carried = {
	TASK_FOLLOWED,
	.make = task_make_carried,
};
