// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPU scheduler: sets are scheduled in and out, enabled and disabled on a CPU.
 *
 * A CPU scheduler (struct pmcgrp_cpu) has the sets that are scheduled in on its CPU, of lists that
 * are active: by a probe, with a context or a binding (follow.c), or by perf core with a carrier
 * (carried.c).  rotate.c decides which of these sets are on the PMU.
 *
 * Context: a CPU scheduler is used on its own CPU only, with interrupts off.  Its callers are
 * the probe on sched_switch, kprobes, perf core as it schedules carriers, a hard hrtimer, a hard
 * irq_work, and IPIs.  perf core holds ctx->lock; in a context switch the run-queue lock is held.
 * So interrupts off is all the locking that a CPU scheduler needs, on PREEMPT_RT too.
 */
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/init.h>
#include <linux/irq_work.h>
#include <linux/lockdep.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>
#include "compat.h"
#include "arbiter/refusal.h"
#include "arbiter/reserve.h"
#include "counter/counter.h"
#include "counter/idle.h"
#include "counter/placement.h"
#include "counter/pool.h"
#include "platform/recursion.h"
#include "sched/background.h"
#include "sched/background_fill.h"
#include "sched/rotate.h"
#include "sched/sched.h"
#include "set/evcpu.h"
#include "set/evlist.h"
#include "set/evset.h"

/* A set that would be @refused again waits without a try. */
static __always_inline bool sched_try(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set,
				      bool *refused)
{
	*refused = pmcgrp_background_refuses(pcpu, set);
	if (unlikely(*refused)) {
		pmcgrp_rotate_wait_again(pcpu, set);
		return false;
	}
	return pmcgrp_rotate_place(pcpu, set);
}

/* Let a set wait that has come in: @work or a rotation tries it. */
static void sched_wait(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set)
{
	bool defer = !set->ctx && !pcpu->perf_leaves && pmcgrp_rotate_should_wait(pcpu);

	pmcgrp_rotate_set_waiting(pcpu, set, true);
	if (defer)
		pmcgrp_rotate_defer(pcpu, set);
}

/* Look the counters of a set up, and attach software ones.  Return: NULL if it cannot count now. */
static __always_inline struct pmcgrp_counter *const *sched_look_up(struct pmcgrp_evset *set)
{
	struct pmcgrp_counter *const *counter;

	counter = pmcgrp_evcpu_counters(set->evlist, pmcgrp_evcpu_here(set->evlist));
	if (!counter ||
	    (set->nr_hw < set->nr && pmcgrp_counters_attach(counter, set->nr_hw, set->nr)))
		return NULL;
	set->counter = counter;
	return counter;
}

/* Place a set that has come in, or let it wait. */
static __always_inline void sched_place(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set)
{
	struct pmcgrp_counter *const *counter;
	bool refused;

	if (!pcpu->usable || set->error)
		return;
	counter = sched_look_up(set);
	if (!counter)
		return;
	if ((pmcgrp_cpu_pinned_first(pcpu) || pmcgrp_rotate_should_wait(pcpu)) &&
	    pmcgrp_evset_is_flexible(set) && !pmcgrp_counters_are_on(counter, set->nr_hw))
		sched_wait(pcpu, set);
	else if (!sched_try(pcpu, set, &refused) && !pcpu->perf_leaves)
		pmcgrp_rotate_make_room(pcpu, set, refused);
	else if (unlikely(set->waiting && set->pinned))
		pcpu->rotate_pending = true; /* pmcgrp_tick_work() tries it again */
	if (unlikely(pcpu->nr_waiting > PMCGRP_WAITING_BRIEFLY))
		irq_work_queue(&pcpu->work);
	pmcgrp_rotate_arm(pcpu);
}

static void sched_drop_counters(struct pmcgrp_evset *set)
{
	if (!set->counter)
		return;
	if (set->nr_hw < set->nr)
		pmcgrp_counters_detach(set->counter, set->nr_hw, set->nr);
	pmcgrp_pool_give_back(set->counter, set->nr);
	set->counter = NULL;
}

static __always_inline void sched_enable(struct pmcgrp_evset *set)
{
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();

	if (set->is_in)
		return;
	/* Pairs with pmcgrp_evlist_thaw(): a set that finds the list thawed sees its new events. */
	if (smp_load_acquire(&set->evlist->frozen))
		return; /* thaw_here() enables it */
	pmcgrp_recursion_enter();
	set->is_in = true;
	/*
	 * A new set goes on from the list's vruntime.  With 0, a list that counts one short task
	 * after another would always come first.
	 */
	if (!set->enabled)
		set->vruntime = READ_ONCE(set->evlist->vruntime);
	pmcgrp_evset_start(set);
	if (unlikely(set->background)) {
		if (pcpu->usable)
			sched_look_up(set);
		pmcgrp_background_come(pcpu, set);
	} else {
		list_add_tail(&set->cpu_node, &pcpu->sets);
		pcpu->nr_evsets++;
		sched_place(pcpu, set);
	}
	/* Starts its enabled time.  What waits for prev's perf events is tried again soon. */
	if (!set->on && !(pcpu->perf_leaves && set->waiting))
		pmcgrp_evset_account(set);
	pmcgrp_recursion_leave();
}

/**
 * pmcgrp_sched_enable - enable a set that is scheduled in on this CPU
 * @set: the set; one that is enabled already is left alone, but a pinned one that could not be
 *	placed is tried again
 *
 * Never fails: without room a set waits, and its enabled time runs.
 *
 * Context: interrupts off; perf core's ctx->lock may be held.
 */
void pmcgrp_sched_enable(struct pmcgrp_evset *set)
{
	/* Try a pinned set again that could not be placed. */
	if (set->is_in && set->pinned && !set->on)
		pmcgrp_sched_disable(set);
	sched_enable(set);
}

static __always_inline void sched_disable(struct pmcgrp_evset *set)
{
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();
	bool was_on = set->on;

	if (!set->is_in)
		return;
	pmcgrp_recursion_enter();
	if (unlikely(set->deferred))
		pmcgrp_rotate_undefer(pcpu, set);
	if (!was_on)
		pmcgrp_evset_account(set);
	else if (unlikely(set->background))
		pmcgrp_background_take_off(pcpu, set);
	else
		pmcgrp_rotate_off(pcpu, set);
	WRITE_ONCE(set->evlist->vruntime, set->vruntime);
	pmcgrp_rotate_set_waiting(pcpu, set, false);
	list_del_init(&set->cpu_node);
	if (unlikely(set->background))
		pmcgrp_background_leave(pcpu);
	else
		pcpu->nr_evsets--;
	sched_drop_counters(set);
	set->is_in = false;
	pmcgrp_evset_accounted(set);
	pmcgrp_recursion_leave();
	pmcgrp_rotate_arm(pcpu);
	/*
	 * Waiting sets may use these counters, but not before perf core is done: it may hold the
	 * PMU, and more sets may leave in the same section.
	 */
	if (unlikely(pcpu->nr_waiting) && was_on && set->nr_hw)
		irq_work_queue(&pcpu->work);
}

static void wake_backlog(struct pmcgrp_cpu *pcpu)
{
	if (!pmcgrp_cpu_has_backlog(pcpu))
		return;
	pcpu->wake_pending = true;
	irq_work_queue(&pcpu->work);
}

/**
 * pmcgrp_sched_disable - disable a set on this CPU and complete its sums
 * @set: the set; one that is not enabled here is left alone
 *
 * Sets of the backlog may use its counters.  (When it is only scheduled out they are left to it.)
 *
 * Context: interrupts off; perf core's ctx->lock may be held.
 */
void pmcgrp_sched_disable(struct pmcgrp_evset *set)
{
	bool leaves_room = set->on && set->nr_hw;

	sched_disable(set);
	if (leaves_room)
		wake_backlog(pmcgrp_this_cpu());
}

/**
 * pmcgrp_sched_in_begin - begin to schedule in sets of a task, by pmcgrp_sched_in()
 * @pcpu: this CPU's scheduler
 * @prev: task that is switched from, before perf core's part of the switch; NULL if the task runs
 *	already
 *
 * Context: interrupts off; the run-queue lock may be held.
 */
void pmcgrp_sched_in_begin(struct pmcgrp_cpu *pcpu, const struct task_struct *prev)
{
	/* Perf events leave later in the switch, or sets wait for pinned ones that come. */
	pcpu->perf_leaves = prev && (pcpu->pinned_comes || pmcgrp_task_has_perf_events(prev));
	pcpu->sets_come = true;
}

/**
 * pmcgrp_sched_in_end - have sets that wait tried again after the switch, if there may be room then
 * @pcpu: this CPU's scheduler
 *
 * Context: as pmcgrp_sched_in_begin(), after all sets.
 */
void pmcgrp_sched_in_end(struct pmcgrp_cpu *pcpu)
{
	if (pcpu->perf_leaves && pcpu->usable && pmcgrp_cpu_has_waiting(pcpu)) {
		pcpu->retry = true;
		irq_work_queue(&pcpu->work);
	}
	if (unlikely(pcpu->background_comes)) {
		pcpu->background_comes = false;
		if (pcpu->perf_leaves)
			irq_work_queue(&pcpu->work);
		else
			pmcgrp_background_fill(pcpu);
	}
	pcpu->perf_leaves = false;
	pcpu->sets_come = false;
	/* Also rotate for tasks that never run for a whole tick. */
	if (unlikely(pcpu->nr_deferred) && pcpu->usable &&
	    local_clock() - pcpu->rotated > pmcgrp_mux_interval_ns()) {
		pcpu->rotate_pending = true;
		irq_work_queue(&pcpu->work);
	}
}

/**
 * pmcgrp_sched_watch - report switches from and to the tasks of a set from now on
 * @set: the set, which is scheduled in here, and whose list has @switch_ops
 *
 * Context: as pmcgrp_sched_in().
 */
void pmcgrp_sched_watch(struct pmcgrp_evset *set)
{
	if (list_empty(&set->watch_node))
		list_add_tail(&set->watch_node, &pmcgrp_this_cpu()->watched);
}

/**
 * pmcgrp_sched_task_entered - report a task that runs from now on, or is counted from now on
 * @pcpu: this CPU's scheduler
 * @task: the task
 *
 * Context: as pmcgrp_sched_in(), after all sets.
 */
void pmcgrp_sched_task_entered(struct pmcgrp_cpu *pcpu, struct task_struct *task)
{
	const struct pmcgrp_switch_ops *const *ops;
	struct pmcgrp_evset *set;

	list_for_each_entry(set, &pcpu->watched, watch_node)
		for (ops = set->evlist->switch_ops; *ops; ops++)
			(*ops)->enters(set, task);
}

/**
 * pmcgrp_sched_task_counted - report that a set counts the running task from now on: no switch
 * @set: the set, which is scheduled in here
 *
 * Context: interrupts off.
 */
void pmcgrp_sched_task_counted(struct pmcgrp_evset *set)
{
	const struct pmcgrp_switch_ops *const *ops;

	for (ops = set->evlist->switch_ops; *ops; ops++)
		((*ops)->changes ?: (*ops)->enters)(set, current);
}

/**
 * pmcgrp_sched_task_changed_of - report that the running task is another one to a set's user
 * @set: the set, which is scheduled in here
 * @task: the task
 *
 * Context: interrupts off.
 */
void pmcgrp_sched_task_changed_of(struct pmcgrp_evset *set, struct task_struct *task)
{
	const struct pmcgrp_switch_ops *const *ops;

	for (ops = set->evlist->switch_ops; *ops; ops++)
		if ((*ops)->changes)
			(*ops)->changes(set, task);
}

/**
 * pmcgrp_sched_task_changed - inform who watches sets that the running task has another name or key
 * @pcpu: this CPU's scheduler
 * @task: the task, which has executed a program, or has been moved to another cgroup
 *
 * Context: interrupts off.
 */
void pmcgrp_sched_task_changed(struct pmcgrp_cpu *pcpu, struct task_struct *task)
{
	struct pmcgrp_evset *set;

	list_for_each_entry(set, &pcpu->watched, watch_node)
		pmcgrp_sched_task_changed_of(set, task);
}

/**
 * pmcgrp_sched_in - schedule in a set, with its context or carrier
 * @set: the set
 *
 * Context: interrupts off; the run-queue lock and perf core's ctx->lock may be held.
 */
void pmcgrp_sched_in(struct pmcgrp_evset *set)
{
	int cpu = smp_processor_id();

	WRITE_ONCE(set->cpu, cpu);
	pmcgrp_evcpu_of(set->evlist, cpu)->in = set;
	/*
	 * Pairs with the barrier in evlist_collect_cpus(): either this sees the list active, or the
	 * task that enables it sees @set->cpu.  The same holds for evlist->frozen and
	 * evlist->switch_ops.
	 */
	smp_mb();
	if (unlikely(pmcgrp_evlist_is_watched(set->evlist)))
		pmcgrp_sched_watch(set);
	if (READ_ONCE(set->evlist->active))
		sched_enable(set);
}

/**
 * pmcgrp_sched_out - schedule out a set and complete its sums
 * @set: the set
 *
 * Context: interrupts off; perf core's ctx->lock may be held.
 */
void pmcgrp_sched_out(struct pmcgrp_evset *set)
{
	sched_disable(set);
	if (unlikely(!list_empty(&set->watch_node)))
		list_del_init(&set->watch_node);
	pmcgrp_evcpu_here(set->evlist)->in = NULL;
	/* Pairs with evlist_collect_cpus(): a reader that sees -1 also sees the complete sums. */
	smp_store_release(&set->cpu, -1);
}

/**
 * pmcgrp_sched_leave - schedule out a set whose carrier leaves perf core's context
 * @set: the set
 *
 * While a context is in, this is no context switch: it is scheduled out before carriers are.  The
 * carrier may be released, and sets of the backlog may use its counters.  They would be left to the
 * next rotation: the context's next switch finds nothing changed.
 *
 * Context: as pmcgrp_sched_out().
 */
void pmcgrp_sched_leave(struct pmcgrp_evset *set)
{
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();
	bool leaves_room = set->on && set->nr_hw &&
			   (pcpu->ctx || !list_empty(&pcpu->bound) || !list_empty(&pcpu->cgroups));

	pmcgrp_sched_out(set);
	if (unlikely(leaves_room))
		wake_backlog(pcpu);
}

static void cpu_check(struct timer_list *timer)
{
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();

	if (&pcpu->arbiter.check_timer != timer || !pcpu->usable)
		return; /* the CPU has gone offline */
	/* Background sets compete with nobody. */
	if (pcpu->nr_evsets || pcpu->has_idle)
		pmcgrp_arbiter_check(pcpu, local_clock());
	pmcgrp_background_check(pcpu);
	pmcgrp_rotate_arm(pcpu);
}

static void cpu_open_here(void *info)
{
	const u64 *generation = info;
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();
	struct pmcgrp_evset *set;

	if (!pmcgrp_this_cpu_is_online() ||
	    pmcgrp_cpu_generation(pcpu->cpu) != *generation)
		return;
	WRITE_ONCE(pcpu->usable, true);
	list_for_each_entry(set, &pcpu->sets, cpu_node)
		sched_look_up(set);
	list_for_each_entry(set, &pcpu->background, cpu_node)
		sched_look_up(set);
	pmcgrp_rotate_now(pcpu);
	pmcgrp_background_fill(pcpu);
	pmcgrp_rotate_arm(pcpu);
}

/**
 * pmcgrp_sched_open - make a CPU usable whose counters have been made
 * @cpu: the CPU
 * @generation: generation for which the counters were made
 *
 * Nothing happens if @cpu has gone offline since.
 *
 * Context: may sleep; not called for the same @cpu concurrently.
 */
void pmcgrp_sched_open(int cpu, u64 generation)
{
	smp_call_function_single(cpu, cpu_open_here, &generation, 1);
}

/**
 * pmcgrp_sched_online - note that this CPU is online: it may be made usable
 *
 * Context: a task bound to this CPU, as for a cpuhp callback.
 */
void pmcgrp_sched_online(void)
{
	local_irq_disable();
	pmcgrp_this_cpu()->cgroup_id = 0; /* cgroups may have come meanwhile (cgroup.c) */
	pmcgrp_cpu_set_online(true);
	local_irq_enable();
}

/**
 * pmcgrp_sched_suspend - take all counters off this CPU's PMU, as its registers may be lost
 *
 * Sets that were on wait, and their sums are complete.  Idle counters are evicted as well.
 *
 * Context: interrupts off, not inside perf core.  Until pmcgrp_sched_resume() either nothing else
 * runs here, or pmcgrp_placement_end() keeps all counters off.
 */
void pmcgrp_sched_suspend(void)
{
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();
	struct pmcgrp_evset *set;

	lockdep_assert_irqs_disabled();
	pmcgrp_background_off(pcpu);
	list_for_each_entry(set, &pcpu->sets, cpu_node)
		if (set->on)
			pmcgrp_rotate_take_off(pcpu, set);
	pmcgrp_idle_evict_all();
	pcpu->has_idle = false;
}

/**
 * pmcgrp_sched_resume - place this CPU's sets again after pmcgrp_sched_suspend()
 *
 * Context: as pmcgrp_sched_suspend().
 */
void pmcgrp_sched_resume(void)
{
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();

	lockdep_assert_irqs_disabled();
	pmcgrp_rotate_fill(pcpu);
	pmcgrp_background_fill(pcpu);
	pmcgrp_rotate_arm(pcpu);
}

/* Complete the sums of a set, and let go of its counters: the CPU goes offline. */
static void offline_set(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set)
{
	pmcgrp_recursion_enter();
	if (set->on)
		pmcgrp_rotate_off(pcpu, set);
	pmcgrp_rotate_set_waiting(pcpu, set, false);
	sched_drop_counters(set);
	pmcgrp_evset_accounted(set);
	pmcgrp_recursion_leave();
}

/**
 * pmcgrp_sched_offline - take all counters off the PMU and stop the timers of this CPU
 *
 * Context: a task bound to this CPU, interrupts on, as for a cpuhp callback.
 */
void pmcgrp_sched_offline(void)
{
	struct pmcgrp_evset *set, *next;
	struct pmcgrp_cpu *pcpu;

	local_irq_disable();
	pcpu = pmcgrp_this_cpu();
	list_for_each_entry_safe(set, next, &pcpu->own, ctx_node) {
		list_del_init(&set->ctx_node);
		pmcgrp_sched_out(set);
	}
	list_for_each_entry_safe(set, next, &pcpu->deferred, cpu_node)
		pmcgrp_rotate_undefer(pcpu, set);
	pmcgrp_background_off(pcpu);
	list_for_each_entry(set, &pcpu->background, cpu_node)
		offline_set(pcpu, set);
	list_for_each_entry(set, &pcpu->sets, cpu_node)
		offline_set(pcpu, set);
	pcpu->background_waits = false;
	pmcgrp_evicted_forget();
	pmcgrp_idle_evict_all();
	pcpu->has_idle = false;
	pmcgrp_arbiter_end(pcpu);
	WRITE_ONCE(pcpu->usable, false);
	pmcgrp_cpu_set_online(false);
	local_irq_enable();

	/* Nothing queues or arms them while the CPU is not usable. */
	irq_work_sync(&pcpu->work);
	irq_work_sync(&pcpu->arbiter.kick);
	hrtimer_cancel(&pcpu->timer);
	timer_delete_sync(&pcpu->arbiter.check_timer);
	pcpu->armed = false;
}

/**
 * pmcgrp_sched_init - initialise the schedulers of all CPUs, none of them usable
 * @mux_interval_ms: multiplexing interval in milliseconds
 *
 * Context: once, before any carrier exists.
 */
void __init pmcgrp_sched_init(unsigned int mux_interval_ms)
{
	int cpu;

	pmcgrp_interval_ns = (u64)mux_interval_ms * NSEC_PER_MSEC;
	for_each_possible_cpu(cpu) {
		struct pmcgrp_cpu *pcpu = pmcgrp_cpu_of(cpu);

		INIT_LIST_HEAD(&pcpu->sets);
		INIT_LIST_HEAD(&pcpu->deferred);
		INIT_LIST_HEAD(&pcpu->background);
		INIT_LIST_HEAD(&pcpu->own);
		INIT_LIST_HEAD(&pcpu->bound);
		INIT_LIST_HEAD(&pcpu->cgroups);
		INIT_LIST_HEAD(&pcpu->watched);
		pcpu->cpu = cpu;
		pmcgrp_arbiter_init(&pcpu->arbiter, pmcgrp_reserve_work, cpu_check);
	}
}
