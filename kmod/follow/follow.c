// SPDX-License-Identifier: GPL-2.0-only
/*
 * Follow tasks by probes on the scheduler's tracepoints.
 *
 *  - sched_switch: contexts are scheduled out and in (context.c), room is made for pinned perf
 *    events (pinned_room.c), and idle counters are kept from tasks that can read registers
 *    (reader.c).  The probe runs with the run-queue lock held, before perf core's own work on the
 *    switch (kernel/sched/core.c: __schedule()).
 *  - task_newtask, sched_process_free: new threads and children are counted like their parents
 *    (task_binding.c).
 *  - sched_process_exec: a task that executes a set-uid program is not counted any more.  After any
 *    exec room may be needed for pinned perf events (pinned_room.c).
 *
 * The probes are there as long as groups of tasks or hardware counters are, and a second longer.
 * Without them, for want of memory, groups of tasks are not made, and CPUs keep no idle counters.
 *
 * Tracepoints are no ABI.  Those needed are looked for when the module is loaded, and compat.h has
 * the types of their probes.
 */
#include <linux/err.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>
#include "compat.h"
#include "arbiter/cpu.h"
#include "arbiter/reader.h"
#include "counter/event.h"
#include "counter/kernel_counter.h"
#include "follow/binding.h"
#include "follow/cgroup.h"
#include "follow/context.h"
#include "follow/follow.h"
#include "follow/task_binding.h"
#include "follow/task_context.h"
#include "follow/task_table.h"
#include "sched/guest.h"
#include "sched/newcomer.h"
#include "sched/pinned_room.h"
#include "sched/sched.h"
#include "sched/turn.h"
#include "set/evlist.h"
#include "set/evset.h"

static unsigned int users; /* groups of tasks, hardware counters; pmcgrp_groups_mutex */
static bool followed;	   /* the probes are registered; pmcgrp_groups_mutex */

static void unfollow(struct work_struct *work);
static DECLARE_DELAYED_WORK(unfollow_work, unfollow);

/* Schedule out the sets that follow the task that leaves; @in: those of the next one come. */
static __always_inline void task_context_out(struct pmcgrp_cpu *pcpu,
					     const struct pmcgrp_context *in)
{
	if (!pcpu->ctx)
		return;
	if (in)
		pmcgrp_evset_switch_begin();
	pmcgrp_context_out(pcpu, pcpu->ctx, true);
	pcpu->ctx = NULL;
}

/* Schedule in those that follow the next task; @in: its context, claimed, or NULL. */
static __always_inline void task_context_in(struct pmcgrp_cpu *pcpu, struct pmcgrp_context *in,
					    const struct task_struct *prev)
{
	if (!in)
		return;
	pcpu->ctx = in;
	pmcgrp_context_in(pcpu, in, prev);
	pmcgrp_evset_switch_end();
}

/* The usual switch: nothing changes but which sets follow the running task alone. */
static __always_inline void switch_task_contexts(struct pmcgrp_cpu *pcpu,
						 const struct task_struct *prev,
						 struct pmcgrp_context *in)
{
	if (in && pcpu->ctx && pmcgrp_context_hand_over(pcpu, pcpu->ctx, in)) {
		pcpu->ctx = in;
		return;
	}
	task_context_out(pcpu, in);
	task_context_in(pcpu, in, prev);
	if (in && unlikely(READ_ONCE(pmcgrp_switch_events)))
		pmcgrp_context_entered(in);
}

/* Any other switch.  @to: what counts @next with others; @turn: pmcgrp_turn_applies(). */
static noinline void switch_all(struct pmcgrp_cpu *pcpu, struct task_struct *prev,
				struct task_struct *next, struct pmcgrp_context *in,
				const struct pmcgrp_binding *to, bool reader, bool turn)
{
	bool change = pmcgrp_binding_id(to) != pcpu->bound_id;
	bool cgroups = pmcgrp_cgroups_change(pcpu, next);
	struct list_head *bound, *in_cgroups;
	LIST_HEAD(coming);

	if (unlikely(turn))
		pmcgrp_turn_leaves(pcpu);
	if (unlikely(reader || pcpu->reader))
		pmcgrp_reader_changes(pcpu, reader);
	if (change)
		pmcgrp_binding_out(pcpu, to, true);
	if (cgroups)
		pmcgrp_cgroups_out(pcpu, next, true, &coming);
	task_context_out(pcpu, in);
	if (unlikely(turn))
		pmcgrp_turn_enters(pcpu, next, in || to);
	pmcgrp_pinned_room_switch(pcpu, prev, next, in || to);
	task_context_in(pcpu, in, prev);
	bound = pcpu->bound.prev;
	in_cgroups = pcpu->cgroups.prev;
	if (change)
		pmcgrp_binding_in(pcpu, to, prev);
	if (cgroups)
		pmcgrp_cgroups_in(pcpu, &coming, prev);
	/* After all of them: one that comes in may take another one off. */
	if (unlikely(READ_ONCE(pmcgrp_switch_events))) {
		if (in)
			pmcgrp_context_entered(in);
		pmcgrp_contexts_entered(&pcpu->bound, bound);
		pmcgrp_contexts_entered(&pcpu->cgroups, in_cgroups);
	}
}

/* @record: that of @next, or NULL; @reader: pmcgrp_reader_comes(). */
static __always_inline void __switch_sets(struct pmcgrp_cpu *pcpu, struct task_struct *prev,
					  struct task_struct *next,
					  const struct pmcgrp_task_record *record, bool reader)
{
	const struct pmcgrp_binding *to = NULL;
	struct pmcgrp_context *in = NULL;
	bool turn;

	/* Tracepoints are silent on an offline CPU: what comes in would never go out. */
	if (record && likely(pmcgrp_this_cpu_is_online())) {
		in = pmcgrp_task_context_next(record);
		to = pmcgrp_task_record_binding(record);
	}
	if (in && unlikely(!pmcgrp_context_claim(in)))
		in = NULL;
	turn = pmcgrp_turn_applies(pcpu, prev, next);
	if (likely(pmcgrp_binding_id(to) == pcpu->bound_id && !reader && !pcpu->reader && !turn &&
		   !pmcgrp_cgroups_change(pcpu, next) && !pmcgrp_pinned_room_concerns(pcpu, next)))
		switch_task_contexts(pcpu, prev, in);
	else
		switch_all(pcpu, prev, next, in, to, reader, turn);
}

static void follow_task_left(struct pmcgrp_cpu *pcpu, struct task_struct *prev)
{
	const struct pmcgrp_switch_ops *const *ops;
	struct pmcgrp_evset *set;

	list_for_each_entry(set, &pcpu->watched, watch_node) {
		set->left = set->nr_sched_in;
		for (ops = set->evlist->switch_ops; *ops; ops++)
			if ((*ops)->leaves)
				(*ops)->leaves(set, prev);
	}
}

/* @sets: more is to be done than to report the switch. */
static noinline void switch_sets(struct pmcgrp_cpu *pcpu, struct task_struct *prev,
				 struct task_struct *next, const struct pmcgrp_task_record *record,
				 bool reader, bool sets)
{
	if (unlikely(READ_ONCE(pmcgrp_switch_events)))
		pmcgrp_evset_note_switch(prev, next);
	if (unlikely(!list_empty(&pcpu->watched)))
		follow_task_left(pcpu, prev);
	if (sets)
		__switch_sets(pcpu, prev, next, record, reader);
	if (unlikely(!list_empty(&pcpu->watched)))
		pmcgrp_sched_task_entered(pcpu, next);
}

/*
 * Most switches are between tasks that are not counted.  What they need not do is in another
 * function, which is called last: so they need no stack frame.
 *
 * Context: interrupts off, the run-queue lock held; @prev is current.
 */
static PMCGRP_SWITCH_PROBE(on_switch)
{
	const struct pmcgrp_task_record *record = pmcgrp_task_record_of(next);
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();
	bool reader = pmcgrp_reader_comes(pcpu, prev, next);
	bool sets = pcpu->ctx || pcpu->bound_id || record || reader || pcpu->reader ||
		    pmcgrp_cgroups_concern(pcpu) ||
		    pmcgrp_pinned_room_concerns(pcpu, next) ||
		    pmcgrp_turn_concerns(pcpu, prev, next);

	if (unlikely(sets || !list_empty(&pcpu->watched)))
		switch_sets(pcpu, prev, next, record, reader, sets);
}

/* Context: fork(), of @task's parent; preemption off, or since 7.2 an SRCU section. */
static PMCGRP_NEWTASK_PROBE(on_newtask)
{
	pmcgrp_tasks_fork(task, clone_flags);
}

/* Context: an RCU callback, which is about to free @task; as on_newtask(). */
static PMCGRP_FREE_PROBE(on_free)
{
	pmcgrp_tasks_free(task);
}

/* A program has been executed: the running task has another name, and perhaps another number. */
static void follow_task_changed(void)
{
	unsigned long flags;

	local_irq_save(flags);
	pmcgrp_sched_task_changed(pmcgrp_this_cpu(), current);
	local_irq_restore(flags);
}

/* Context: preemption off, or since 7.2 an SRCU section; @task is current. */
static PMCGRP_EXEC_PROBE(on_exec)
{
	pmcgrp_task_context_exec();
	pmcgrp_tasks_exec();
	pmcgrp_pinned_room_exec();
	follow_task_changed();
}

/**
 * struct probe - a probe and its tracepoint
 * @name: name of the tracepoint
 * @func: the probe
 * @tracepoint: the tracepoint; constant after init
 */
struct probe {
	const char *name;
	void *func;
	struct tracepoint *tracepoint;
};

static struct probe probes[] = {
	{ .name = "sched_switch", .func = on_switch },
	{ .name = "sched_process_exec", .func = on_exec },
	{ .name = "task_newtask", .func = on_newtask },
	{ .name = "sched_process_free", .func = on_free },
};

static void follow_find_tracepoint(struct tracepoint *tracepoint, void *unused)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (!strcmp(tracepoint->name, probes[i].name))
			probes[i].tracepoint = tracepoint;
}

/* After all other probes: a member that is one of these tracepoints counts for the leaving task. */
#define PRIO_LAST 0

/* Unregister the first @nr probes. */
static void probes_unregister(unsigned int nr)
{
	while (nr--)
		tracepoint_probe_unregister(probes[nr].tracepoint, probes[nr].func, NULL);
}

static int probes_register(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		err = tracepoint_probe_register_prio(probes[i].tracepoint, probes[i].func, NULL,
						     PRIO_LAST);
		if (err) {
			probes_unregister(i);
			return err;
		}
	}
	return 0;
}

/**
 * pmcgrp_follow_get - follow tasks from now on
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: 0, or -ENOMEM.
 */
int pmcgrp_follow_get(void)
{
	int err;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (!followed) {
		err = probes_register();
		if (err)
			return err;
		pmcgrp_newcomer_arm(true);
		pmcgrp_guest_arm(true);
		followed = true;
	}
	users++;
	return 0;
}

/**
 * pmcgrp_follow_put - undo pmcgrp_follow_get()
 *
 * Tools make groups again and again: the probes stay for a second.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_follow_put(void)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (!--users)
		schedule_delayed_work(&unfollow_work, HZ);
}

/* A hardware counter is about to exist. */
static void hardware_get(void)
{
	if (!pmcgrp_follow_get())
		return;
	users++;
	pmcgrp_reader_assume();
}

const struct pmcgrp_hardware_ops pmcgrp_follow_ops = {
	.get = hardware_get,
	.put = pmcgrp_follow_put,
	.leaves_to_guests = pmcgrp_guest_is_known,
};

static void unfollow(struct work_struct *work)
{
	mutex_lock(&pmcgrp_groups_mutex);
	if (!users && followed) {
		pmcgrp_guest_arm(false);
		pmcgrp_newcomer_arm(false);
		probes_unregister(ARRAY_SIZE(probes));
		followed = false;
	}
	mutex_unlock(&pmcgrp_groups_mutex);
}

/**
 * pmcgrp_follow_init - find the tracepoints
 *
 * Context: when the module is loaded.
 * Return: 0, or -ENOENT if the kernel has not all of them.
 */
int __init pmcgrp_follow_init(void)
{
	unsigned int i;

	check_trace_callback_type_sched_switch(on_switch);
	check_trace_callback_type_sched_process_exec(on_exec);
	check_trace_callback_type_task_newtask(on_newtask);
	check_trace_callback_type_sched_process_free(on_free);
	pmcgrp_user_access_init();
	pmcgrp_cgroups_init();
	for_each_kernel_tracepoint(follow_find_tracepoint, NULL);
	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (!probes[i].tracepoint) {
			pr_err("pmcgrp: the kernel has no tracepoint %s\n", probes[i].name);
			return -ENOENT;
		}
	return 0;
}

/**
 * pmcgrp_follow_exit - end the probes, after the last counter; also if the module cannot be loaded
 *
 * Context: may sleep.
 */
void pmcgrp_follow_exit(void)
{
	cancel_delayed_work_sync(&unfollow_work);
	unfollow(NULL);
	pmcgrp_cgroups_exit(); /* waits for the probes of both */
}
