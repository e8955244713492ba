// SPDX-License-Identifier: GPL-2.0-only
/*
 * Roots: the tasks and CPUs that a group's carriers are bound to.  There is one carrier for
 * each CPU of a pinned group, or for each thread that the process has when the group is made.
 * The CPUs of other groups have no roots (group_cpus.c).
 * perf core creates the carriers of later threads and children (attr.inherit,
 * attr.inherit_thread).  These call group_carrier.c and belong to no root.  A group that may
 * share has no carrier: its root has a set in the context of its task (context.c).
 *
 * pmcgrp_group.active says whether a group counts (control.c).  The carriers of a disabled
 * group are disabled as well, which keeps them out of context switches.  Carriers that can
 * be inherited remain enabled: a child would inherit a disabled one, and there is no way to
 * enable that later (perf core enables children under the child_mutex of their parent,
 * inside the ctx->mutex that perf_event_enable() takes).  For a group that execve() is to
 * enable, each root has one more event, the latch.
 */
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include "carrier.h"
#include "context.h"
#include "cpu.h"
#include "group.h"
#include "group_carrier.h"
#include "group_cpus.h"
#include "root.h"
#include "group_evsets.h"

/* Threads that are found in one walk over a process. */
#define WALK_THREADS 32

static void root_release(struct pmcgrp_root *root)
{
	if (root->latch)
		perf_event_release_kernel(root->latch);
	if (root->carrier)
		perf_event_release_kernel(root->carrier);
	if (root->set) {
		pmcgrp_context_quit(root->set);
		pmcgrp_evset_end(root->set);
	}
	root->latch = NULL;
	root->carrier = NULL;
	root->set = NULL;
}

static int root_attach(struct pmcgrp_group *group, struct pmcgrp_root *root,
		       struct task_struct *task)
{
	struct perf_event *event;
	struct pmcgrp_evset *set;

	if (root->cpu >= 0)
		root->generation = pmcgrp_cpu_generation(root->cpu);
	if (group->flags & PMCGRP_CREATE_ENABLE_ON_EXEC) {
		event = pmcgrp_latch_create(group, task);
		if (IS_ERR(event))
			return PTR_ERR(event);
		root->latch = event;
	}
	set = pmcgrp_context_join(group, task);
	if (IS_ERR(set)) {
		root_release(root);
		return PTR_ERR(set);
	}
	if (set) {
		root->set = set;
		if (READ_ONCE(group->active))
			pmcgrp_context_enable(set);
		return 0;
	}
	event = pmcgrp_group_carrier_create(group, task, root->cpu);
	if (IS_ERR(event)) {
		root_release(root);
		return PTR_ERR(event);
	}
	root->carrier = event;
	return 0;
}

static int root_make(struct pmcgrp_group *group, struct task_struct *task, int cpu)
{
	struct pmcgrp_root *root = kzalloc(sizeof(*root), GFP_KERNEL_ACCOUNT);
	int err;

	lockdep_assert_held(&group->mutex);
	if (!root)
		return -ENOMEM;
	root->cpu = cpu;
	err = root_attach(group, root, task);
	if (err) {
		kfree(root);
		return err;
	}
	list_add_tail(&root->node, &group->roots);
	return 0;
}

/* Tell whether a thread has a carrier: created here, or inherited. */
static bool thread_is_covered(struct pmcgrp_group *group, const struct task_struct *thread)
{
	struct pmcgrp_evset *set;

	list_for_each_entry(set, &group->sets, node)
		if (set->task == thread)
			return true;
	return false;
}

/* Find the first threads without a carrier, and take a reference of each.  Return: how many. */
static unsigned int find_uncovered(struct pmcgrp_group *group, struct task_struct *task,
				   struct task_struct **found)
{
	struct task_struct *thread;
	unsigned int n = 0;

	mutex_lock(&group->evsets_mutex);
	rcu_read_lock();
	for_each_thread(task, thread) {
		if (thread->flags & PF_EXITING || thread_is_covered(group, thread))
			continue;
		get_task_struct(thread);
		found[n++] = thread;
		if (n == WALK_THREADS)
			break;
	}
	rcu_read_unlock();
	mutex_unlock(&group->evsets_mutex);
	return n;
}

/*
 * Create a carrier for each thread of a process.  A thread in the list has inherited its
 * carrier before it got there, or has none until one is created here.  Threads that it
 * creates afterwards inherit that.  So walk until no thread without a carrier is found.
 * One gap remains: a thread without a carrier creates another one, which is not in the
 * list by the last walk.  perf_event_open(2) leaves the same gap and a larger one.
 */
static int attach_process(struct pmcgrp_group *group, struct task_struct *task)
{
	struct task_struct *found[WALK_THREADS];
	bool any = false;
	unsigned int i, n;
	int err = 0;

	do {
		n = find_uncovered(group, task, found);
		for (i = 0; i < n; i++) {
			if (!err)
				err = root_make(group, found[i], -1);
			put_task_struct(found[i]);
			if (err == -ESRCH)
				err = 0; /* the thread has exited */
			else if (!err)
				any = true;
		}
	} while (!err && n);
	if (err)
		return err;
	return any ? 0 : -ESRCH;
}

static int attach_cpus(struct pmcgrp_group *group, struct pmcgrp_failure *fail)
{
	int cpu, err;

	for_each_cpu(cpu, group->cpus) {
		if (!pmcgrp_row_of(group, cpu)->complete)
			continue;
		err = pmcgrp_group_stays_in(group) ? pmcgrp_group_cpu_in(group, cpu) :
						     root_make(group, NULL, cpu);
		/* The CPU went offline.  It is added when it comes online. */
		if (err == -ENODEV && group->target_type == PMCGRP_TARGET_ALL_CPUS)
			continue;
		if (err) {
			fail->cpu = cpu;
			return err;
		}
	}
	return 0;
}

/**
 * pmcgrp_roots_make - bind a group that has its rows to its target
 * @group: the group
 * @task: a thread of the target, or NULL for CPUs
 * @fail: out: the reason for a failure
 *
 * Context: may sleep; pmcgrp_groups_mutex and the group's mutex held.
 * Return: 0, or -ESRCH, -ENODEV, -ENOMEM; then pmcgrp_roots_drop() cleans up.
 */
int pmcgrp_roots_make(struct pmcgrp_group *group, struct task_struct *task,
		      struct pmcgrp_failure *fail)
{
	int err;

	lockdep_assert_held(&group->mutex);
	if (pmcgrp_group_counts_cpus(group))
		err = attach_cpus(group, fail);
	else if (group->target_type == PMCGRP_TARGET_PROCESS)
		err = attach_process(group, task);
	else
		err = root_make(group, task, -1);
	if (err)
		fail->why = pmcgrp_why_of_error(err);
	return err;
}

/**
 * pmcgrp_roots_drop - release all carriers, those that were inherited included
 * @group: the group
 *
 * When it returns, no set of the group is scheduled in: perf core takes a carrier
 * and its children out of their contexts before perf_event_release_kernel() of the
 * parent returns, under the parent's child_mutex (kernel/events/core.c:
 * perf_event_release_kernel(), perf_event_exit_event()).  Children of tasks that are
 * exiting may be freed later, hence the references that they hold.
 *
 * Context: may sleep; the group's mutex held.
 */
void pmcgrp_roots_drop(struct pmcgrp_group *group)
{
	struct pmcgrp_root *root, *next;

	lockdep_assert_held(&group->mutex);
	list_for_each_entry_safe(root, next, &group->roots, node) {
		list_del(&root->node);
		root_release(root);
		kfree(root);
	}
	if (pmcgrp_group_counts_cpus(group))
		pmcgrp_group_cpus_out(group);
}

/**
 * pmcgrp_roots_enable - enable the carriers of a group, or disable them
 * @group: the group
 * @enable: whether to enable or to disable them
 *
 * Context: may sleep; the group's mutex held.
 */
void pmcgrp_roots_enable(struct pmcgrp_group *group, bool enable)
{
	struct pmcgrp_root *root;

	lockdep_assert_held(&group->mutex);
	if (pmcgrp_group_is_inherited(group))
		return;
	/* A disabled carrier would not report its task's exit to the rings (ring_map.c). */
	if (!enable && group->rings)
		return;
	list_for_each_entry(root, &group->roots, node) {
		if (root->set)
			(enable ? pmcgrp_context_enable : pmcgrp_context_disable)(root->set);
		else if (root->carrier)
			(enable ? perf_event_enable : perf_event_disable)(root->carrier);
	}
}

/**
 * pmcgrp_roots_drop_fired - release the latches of a group after execve()
 * @group: the group
 *
 * Context: may sleep; the group's mutex held.
 */
void pmcgrp_roots_drop_fired(struct pmcgrp_group *group)
{
	struct pmcgrp_root *root;

	lockdep_assert_held(&group->mutex);
	list_for_each_entry(root, &group->roots, node) {
		if (!root->latch)
			continue;
		perf_event_release_kernel(root->latch);
		root->latch = NULL;
	}
}

/**
 * pmcgrp_root_rebuild - give a group its carrier on a CPU that has come online
 * @group: the group
 * @cpu: the CPU, not usable yet
 *
 * Counts go on from where they were.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_root_rebuild(struct pmcgrp_group *group, int cpu)
{
	struct pmcgrp_root *root;
	int err = 0;

	mutex_lock(&group->mutex);
	list_for_each_entry(root, &group->roots, node)
		if (root->cpu == cpu)
			break;
	if (!list_entry_is_head(root, &group->roots, node)) {
		if (root->generation != pmcgrp_cpu_generation(cpu)) {
			root_release(root);
			err = root_attach(group, root, NULL);
		}
	} else if (pmcgrp_row_of(group, cpu)->complete) {
		/* Without carriers, or its first time online. */
		err = list_empty(&group->roots) ? pmcgrp_group_cpu_in(group, cpu) :
						  root_make(group, NULL, cpu);
	}
	mutex_unlock(&group->mutex);
	if (err)
		pr_warn_ratelimited("pmcgrp: a group does not count on CPU %d any more: error %d\n",
				    cpu, err);
}

/**
 * pmcgrp_root_task - get the task that a root follows
 * @root: the root, of a task; it holds the task
 */
struct task_struct *pmcgrp_root_task(const struct pmcgrp_root *root)
{
	return root->set ? root->set->ctx->task : root->carrier->hw.target;
}

/**
 * pmcgrp_roots_ended - count the threads of a group's roots that have exited
 * @group: the group, its mutex held
 */
unsigned int pmcgrp_roots_ended(const struct pmcgrp_group *group)
{
	const struct pmcgrp_root *root;
	unsigned int nr = 0;

	lockdep_assert_held(&group->mutex);
	list_for_each_entry(root, &group->roots, node)
		if (root->set ? pmcgrp_context_has_ended(root->set->ctx) :
				root->cpu < 0 && pmcgrp_carrier_has_ended(root->carrier))
			nr++;
	return nr;
}

/**
 * pmcgrp_roots_check - check whether a group can get another carrier for its target
 * @group: the group, its mutex held
 * @fail: out: the reason for a failure
 *
 * Return: 0, or -ESRCH if a carrier has ended: of an exited task, or one that execve() has ended.
 */
int pmcgrp_roots_check(const struct pmcgrp_group *group, struct pmcgrp_failure *fail)
{
	if (!pmcgrp_roots_ended(group))
		return 0;
	fail->why = PMCGRP_WHY_TASK_GONE;
	return -ESRCH;
}

/**
 * pmcgrp_root_part - move a group from its context to a carrier of its own
 * @group: the group
 * @fail: out: the reason for a failure
 *
 * Between both carriers the group counts nothing, and its times stand still.
 *
 * Context: may sleep; pmcgrp_groups_mutex and the group's mutex held.
 * Return: 0, also if the group has its own carrier; -ESRCH if its target has exited; -ENOMEM.
 */
int pmcgrp_root_part(struct pmcgrp_group *group, struct pmcgrp_failure *fail)
{
	struct pmcgrp_root *root = list_first_entry_or_null(&group->roots, typeof(*root), node);
	struct pmcgrp_evset *set = root ? root->set : NULL;
	struct perf_event *event;
	int err;

	lockdep_assert_held(&group->mutex);
	if (!set)
		return 0;
	err = pmcgrp_roots_check(group, fail);
	if (err)
		return err;
	pmcgrp_context_disable(set);
	event = pmcgrp_group_carrier_create(group, pmcgrp_root_task(root), -1);
	if (IS_ERR(event)) {
		if (group->active)
			pmcgrp_context_enable(set);
		fail->why = pmcgrp_why_of_error(PTR_ERR(event));
		return PTR_ERR(event);
	}
	pmcgrp_context_quit(set);
	root->carrier = event;
	root->set = NULL;
	return 0;
}
