// SPDX-License-Identifier: GPL-2.0-only
/*
 * Roots: the task or CPUs that a group's carriers are bound to.  There is one carrier for each CPU
 * of a pinned group.  The CPUs of other groups have no roots (group_cpus.c).  A group of one task
 * has no carrier if its root has a set in the context of the task (context.c).  Groups that count
 * what the target creates have no carriers either (binding.c).
 *
 * pmcgrp_group.active says whether a group counts (control.c).  The carriers of a disabled
 * group are disabled as well, which keeps them out of context switches.  For a group that execve()
 * is to enable, each root has one more event, the latch.  One that has a binding has roots for its
 * latches only.
 */
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/sched.h>
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
#include "task_table.h"

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
	if (pmcgrp_group_has_binding(group))
		return 0;
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

/* Count tasks, and have each enable the group at execve() if it is to. */
static int bind_tasks(struct pmcgrp_group *group, struct task_struct *const *task, unsigned int nr)
{
	int err = pmcgrp_tasks_add(group, task, nr);
	unsigned int i;

	if (!(group->flags & PMCGRP_CREATE_ENABLE_ON_EXEC))
		return err;
	for (i = 0; i < nr && !err; i++) {
		err = root_make(group, task[i], -1);
		if (err == -ESRCH && group->target_type == PMCGRP_TARGET_PROCESS)
			err = 0; /* the thread has exited */
	}
	return err;
}

/*
 * Count all threads of a process.  A thread that is created meanwhile is counted like its parent.
 * If its parent was not counted yet, the next walk finds it.
 */
static int attach_process(struct pmcgrp_group *group, struct task_struct *task)
{
	struct task_struct **found;
	unsigned int i, nr, any = 0;
	int err;

	do {
		found = pmcgrp_tasks_find_missing(group, task, &nr);
		if (IS_ERR(found))
			return PTR_ERR(found);
		err = bind_tasks(group, found, nr);
		for (i = 0; i < nr; i++)
			put_task_struct(found[i]);
		kvfree(found);
		any += nr;
	} while (!err && nr);
	if (err)
		return err;
	return any ? 0 : -ESRCH;
}

static int attach_binding(struct pmcgrp_group *group, struct task_struct *task)
{
	int err = pmcgrp_group_cpus_make(group);

	if (err)
		return err;
	if (group->target_type == PMCGRP_TARGET_PROCESS)
		return attach_process(group, task);
	/* As perf core refuses its events (kernel/events/core.c: find_get_context()). */
	if (task->flags & PF_EXITING)
		return -ESRCH;
	return bind_tasks(group, &task, 1);
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
	else if (pmcgrp_group_has_binding(group))
		err = attach_binding(group, task);
	else
		err = root_make(group, task, -1);
	if (err)
		fail->why = pmcgrp_why_of_error(err);
	return err;
}

/**
 * pmcgrp_roots_drop - release all carriers, and count no task any more
 * @group: the group
 *
 * When it returns, no set of the group is scheduled in: perf core takes a carrier out of its
 * context before perf_event_release_kernel() returns.
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
	if (pmcgrp_group_has_binding(group))
		pmcgrp_tasks_remove(group);
	if (pmcgrp_group_counts_cpus(group) || pmcgrp_group_has_binding(group))
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
				root->cpu < 0 && root->carrier &&
					pmcgrp_carrier_has_ended(root->carrier))
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
