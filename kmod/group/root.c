// SPDX-License-Identifier: GPL-2.0-only
/*
 * Roots: the task or CPUs that an event list is bound to.
 *
 * - One task: a set in the context of the task (task_context.c).  With rings or a user page a
 *   carrier instead.
 * - Pinned, CPUs: a carrier for each CPU.  Other lists of CPUs have no roots (evlist_cpus.c).
 * - A list that execve() is to enable has one event more for each task, the latch.  One that
 *   counts several tasks has roots for its latches only (contexts.c).
 *
 * pmcgrp_evlist.active says whether a list counts (evlist_control.c).  While it does not, its
 * carriers are disabled, and its set is in no list of the context: a context switch does not visit
 * them.
 */
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include "arbiter/cpu.h"
#include "counter/carrier.h"
#include "follow/cgroup.h"
#include "follow/contexts.h"
#include "follow/task_context.h"
#include "follow/task_query.h"
#include "follow/task_table.h"
#include "group/evlist_carrier.h"
#include "group/evlist_cpus.h"
#include "group/root.h"
#include "set/evlist.h"
#include "set/evlist_sets.h"

/**
 * struct pmcgrp_root - binding of an event list to one thread or CPU; pmcgrp_evlist.mutex
 * @node: node in pmcgrp_evlist.roots
 * @carrier: the carrier; NULL with @set, or if @cpu has been offline
 * @set: set in the context of the task, or NULL
 * @latch: event that enables the list at execve() (%PMCGRP_CREATE_ENABLE_ON_EXEC), or NULL;
 *	released after execve()
 * @cpu: the CPU, or -1 for a thread
 * @generation: hotplug generation of @cpu for which @carrier was created
 */
struct pmcgrp_root {
	struct list_head node;
	struct perf_event *carrier;
	struct pmcgrp_evset *set;
	struct perf_event *latch;
	int cpu;
	u64 generation;
};

static void root_release(struct pmcgrp_root *root)
{
	if (root->latch)
		perf_event_release_kernel(root->latch);
	if (root->carrier)
		perf_event_release_kernel(root->carrier);
	if (root->set) {
		pmcgrp_task_context_quit(root->set);
		pmcgrp_evlist_set_end(root->set);
	}
	root->latch = NULL;
	root->carrier = NULL;
	root->set = NULL;
}

/* Whether sets of a list are scheduled in and out also while it is not active. */
static bool always_follows(const struct pmcgrp_evlist *evlist)
{
	return evlist->is_followed || pmcgrp_evlist_is_watched(evlist);
}

/* Whether they are now. */
static bool set_follows(const struct pmcgrp_evlist *evlist)
{
	return always_follows(evlist) || READ_ONCE(evlist->active);
}

static int root_join(struct pmcgrp_evlist *evlist, struct pmcgrp_root *root)
{
	struct pmcgrp_evset *set = pmcgrp_task_context_join(evlist);

	if (IS_ERR(set))
		return PTR_ERR(set);
	root->set = set;
	if (set_follows(evlist))
		pmcgrp_task_context_enable(set);
	return 0;
}

static int root_carry(struct pmcgrp_evlist *evlist, struct pmcgrp_root *root)
{
	struct perf_event *event = pmcgrp_evlist_carrier_create(evlist, root->cpu);

	if (IS_ERR(event))
		return PTR_ERR(event);
	root->carrier = event;
	return 0;
}

static int root_attach(struct pmcgrp_evlist *evlist, struct pmcgrp_root *root,
		       struct task_struct *task)
{
	struct perf_event *latch;
	int err;

	if (root->cpu >= 0)
		root->generation = pmcgrp_cpu_generation(root->cpu);
	if (evlist->flags & PMCGRP_CREATE_ENABLE_ON_EXEC) {
		latch = pmcgrp_latch_create(evlist, task);
		if (IS_ERR(latch))
			return PTR_ERR(latch);
		root->latch = latch;
	}
	if (evlist->follower->has_binding)
		return 0;
	if (evlist->follower->has_probes)
		err = root_join(evlist, root);
	else
		err = root_carry(evlist, root);
	if (err)
		root_release(root);
	return err;
}

static int root_make(struct pmcgrp_evlist *evlist, struct task_struct *task, int cpu)
{
	struct pmcgrp_root *root = kzalloc(sizeof(*root), GFP_KERNEL_ACCOUNT);
	int err;

	lockdep_assert_held(&evlist->mutex);
	if (!root)
		return -ENOMEM;
	root->cpu = cpu;
	err = root_attach(evlist, root, task);
	if (err) {
		kfree(root);
		return err;
	}
	list_add_tail(&root->node, &evlist->roots);
	return 0;
}

/* Count tasks, and have each enable the list at execve() if it is to. */
static int bind_tasks(struct pmcgrp_evlist *evlist, struct task_struct *const *task,
		      unsigned int nr)
{
	int err = pmcgrp_tasks_add(evlist->contexts, task, nr);
	unsigned int i;

	if (!(evlist->flags & PMCGRP_CREATE_ENABLE_ON_EXEC))
		return err;
	for (i = 0; i < nr && !err; i++) {
		err = root_make(evlist, task[i], -1);
		if (err == -ESRCH && evlist->target_type == PMCGRP_TARGET_PROCESS)
			err = 0; /* the thread has exited */
	}
	return err;
}

/*
 * Count all threads of a process.  A thread that is created meanwhile is counted like its parent.
 * If its parent was not counted yet, the next walk finds it.
 */
static int attach_process(struct pmcgrp_evlist *evlist, struct task_struct *task)
{
	struct task_struct **found;
	unsigned int i, nr, any = 0;
	int err;

	do {
		found = pmcgrp_tasks_find_missing(evlist->contexts, task, &nr);
		if (IS_ERR(found))
			return PTR_ERR(found);
		err = bind_tasks(evlist, found, nr);
		for (i = 0; i < nr; i++)
			put_task_struct(found[i]);
		kvfree(found);
		any += nr;
	} while (!err && nr);
	if (err)
		return err;
	return any ? 0 : -ESRCH;
}

static int attach_binding(struct pmcgrp_evlist *evlist, struct task_struct *task)
{
	bool fresh;
	int err;

	/* As perf core refuses its events (kernel/events/core.c: find_get_context()). */
	if (evlist->target_type != PMCGRP_TARGET_PROCESS && task->flags & PF_EXITING)
		return -ESRCH;
	err = pmcgrp_evlist_cpus_make(evlist);
	if (!err)
		err = pmcgrp_contexts_join(evlist, &fresh);
	if (err)
		return err;
	if (set_follows(evlist))
		pmcgrp_contexts_set_enabled(evlist, true);
	if (!fresh)
		return 0;
	if (evlist->target_type == PMCGRP_TARGET_PROCESS)
		return attach_process(evlist, task);
	return bind_tasks(evlist, &task, 1);
}

/* Count the tasks of a cgroup on the CPUs that are online. */
static int attach_cgroup(struct pmcgrp_evlist *evlist)
{
	int cpu, err;

	for_each_cpu(cpu, evlist->cpus)
		if (pmcgrp_evcpu_of(evlist, cpu)->complete &&
		    !pmcgrp_evlist_set_of_cpu(evlist, cpu))
			return -ENOMEM;
	err = pmcgrp_cgroups_join(evlist);
	if (!err && set_follows(evlist))
		pmcgrp_contexts_set_enabled(evlist, true);
	return err;
}

static int attach_cpus(struct pmcgrp_evlist *evlist, struct pmcgrp_failure *fail)
{
	int cpu, err;

	for_each_cpu(cpu, evlist->cpus) {
		if (!pmcgrp_evcpu_of(evlist, cpu)->complete)
			continue;
		err = pmcgrp_evlist_stays_in(evlist) ? pmcgrp_evlist_cpu_in(evlist, cpu) :
						       root_make(evlist, NULL, cpu);
		/* The CPU went offline.  It is added when it comes online. */
		if (err == -ENODEV && !evlist->follower->has_cpu_list)
			continue;
		if (err) {
			fail->cpu = cpu;
			return err;
		}
	}
	return 0;
}

/**
 * pmcgrp_roots_make - bind a list that has its evcpus to its target
 * @evlist: the event list
 * @fail: out: the reason for a failure
 *
 * If it is active, it counts from now on.
 *
 * Context: may sleep; pmcgrp_groups_mutex and the list's mutex held.
 * Return: 0, or -ESRCH, -ENODEV, -ENOMEM; then pmcgrp_roots_drop() cleans up.
 */
int pmcgrp_roots_make(struct pmcgrp_evlist *evlist, struct pmcgrp_failure *fail)
{
	int err;

	lockdep_assert_held(&evlist->mutex);
	evlist->is_followed = evlist->follower->has_probes &&
			      evlist->flags & PMCGRP_CREATE_ENABLE_ON_EXEC;
	if (evlist->cgroup_id)
		err = attach_cgroup(evlist);
	else if (evlist->follower->counts_cpus)
		err = attach_cpus(evlist, fail);
	else if (evlist->follower->has_binding)
		err = attach_binding(evlist, evlist->task);
	else
		err = root_make(evlist, evlist->task, -1);
	if (err)
		fail->why = pmcgrp_why_of_error(err);
	return pmcgrp_errno_of(err);
}

/**
 * pmcgrp_roots_drop - release all carriers, and count no task any more
 * @evlist: the event list
 *
 * When it returns, no set of the list is scheduled in: perf core takes a carrier out of its
 * context before perf_event_release_kernel() returns.
 *
 * Context: may sleep; the list's mutex held.
 */
void pmcgrp_roots_drop(struct pmcgrp_evlist *evlist)
{
	struct pmcgrp_root *root, *next;

	lockdep_assert_held(&evlist->mutex);
	list_for_each_entry_safe(root, next, &evlist->roots, node) {
		list_del(&root->node);
		root_release(root);
		kfree(root);
	}
	if (evlist->cgroup_id)
		pmcgrp_cgroups_quit(evlist);
	else if (evlist->contexts)
		pmcgrp_contexts_quit(evlist);
	else if (evlist->follower->counts_cpus)
		pmcgrp_evlist_cpus_out(evlist);
}

/**
 * pmcgrp_roots_follow - check whether sets of a list are in contexts, and only while it is active
 * @evlist: the event list
 *
 * Context: the list's mutex held.
 */
bool pmcgrp_roots_follow(const struct pmcgrp_evlist *evlist)
{
	lockdep_assert_held(&evlist->mutex);
	return !always_follows(evlist) &&
	       (evlist->contexts || (evlist->follower->has_probes && evlist->is_shareable));
}

/**
 * pmcgrp_roots_are_idle - check whether a list's sets are in contexts, and in none of their lists
 * @evlist: the event list
 *
 * Context: the list's mutex held.
 */
bool pmcgrp_roots_are_idle(const struct pmcgrp_evlist *evlist)
{
	const struct pmcgrp_evset *set = evlist->only;

	lockdep_assert_held(&evlist->mutex);
	if (evlist->contexts)
		return !evlist->ctx_enabled;
	return set && set->ctx && !set->ctx_enabled;
}

/**
 * pmcgrp_roots_enable - enable the roots of a list, or disable them
 * @evlist: the event list
 * @enable: whether to enable or to disable them
 *
 * Those of a list that is followed remain enabled.
 *
 * Context: may sleep; the list's mutex held.
 */
void pmcgrp_roots_enable(struct pmcgrp_evlist *evlist, bool enable)
{
	void (*follow)(struct pmcgrp_evset *set) = enable ? pmcgrp_task_context_enable :
							    pmcgrp_task_context_disable;
	struct pmcgrp_root *root;

	lockdep_assert_held(&evlist->mutex);
	if (!enable && always_follows(evlist))
		return;
	if (evlist->contexts)
		pmcgrp_contexts_set_enabled(evlist, enable);
	list_for_each_entry(root, &evlist->roots, node) {
		if (root->set)
			follow(root->set);
		else if (root->carrier)
			(enable ? perf_event_enable : perf_event_disable)(root->carrier);
	}
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
static int leave_context(struct pmcgrp_evlist *evlist)
{
	struct pmcgrp_root *root = list_first_entry(&evlist->roots, struct pmcgrp_root, node);
	int err;

	pmcgrp_task_context_disable(root->set);
	err = root_carry(evlist, root);
	if (err) {
		if (set_follows(evlist))
			pmcgrp_task_context_enable(root->set);
		return err;
	}
	pmcgrp_task_context_quit(root->set);
	root->set = NULL;
	return 0;
}

/**
 * pmcgrp_roots_watch - prepare a list for samples, and report the end of its task
 * @evlist: the event list, of tasks
 * @watch: who is to be notified, also while the list is not active; of several tasks after the last
 *
 * Context: may sleep; pmcgrp_groups_mutex and the list's mutex held.
 * Return: 0, then pmcgrp_roots_unwatch() undoes this; -ESRCH if the task has exited; -ENOMEM.
 */
int pmcgrp_roots_watch(struct pmcgrp_evlist *evlist, struct pmcgrp_end_watch *watch)
{
	int err;

	lockdep_assert_held(&evlist->mutex);
	if (evlist->contexts) {
		pmcgrp_contexts_watch(evlist->contexts, watch);
		return 0;
	}
	if (pmcgrp_roots_ended(evlist))
		return -ESRCH;
	err = evlist->only->ctx ? leave_context(evlist) : 0;
	if (err)
		return err;
	list_add_tail_rcu(&watch->node, &evlist->watches);
	evlist->is_followed = true;
	pmcgrp_roots_enable(evlist, true);
	return 0;
}

/**
 * pmcgrp_roots_unwatch - undo pmcgrp_roots_watch()
 * @evlist: the event list
 * @watch: who was to be notified; not queued any more after an RCU grace period
 *
 * Context: may sleep; the list's mutex held.
 */
void pmcgrp_roots_unwatch(struct pmcgrp_evlist *evlist, struct pmcgrp_end_watch *watch)
{
	lockdep_assert_held(&evlist->mutex);
	if (evlist->contexts) {
		pmcgrp_contexts_unwatch(evlist->contexts, watch);
		return;
	}
	list_del_rcu(&watch->node);
	if (!list_empty(&evlist->watches))
		return;
	evlist->is_followed = false;
	if (!READ_ONCE(evlist->active))
		pmcgrp_roots_enable(evlist, false);
}

/**
 * pmcgrp_roots_drop_fired - release the latches of a list after execve()
 * @evlist: the event list
 *
 * Context: may sleep; the list's mutex held.
 */
void pmcgrp_roots_drop_fired(struct pmcgrp_evlist *evlist)
{
	struct pmcgrp_root *root;

	lockdep_assert_held(&evlist->mutex);
	list_for_each_entry(root, &evlist->roots, node) {
		if (!root->latch)
			continue;
		perf_event_release_kernel(root->latch);
		root->latch = NULL;
	}
	evlist->is_followed = !list_empty(&evlist->watches);
}

/**
 * pmcgrp_root_drop - let a list not count on a CPU any more
 * @evlist: the event list, of CPUs
 * @cpu: the CPU, on which it keeps its sums
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_root_drop(struct pmcgrp_evlist *evlist, int cpu)
{
	struct pmcgrp_root *root;

	mutex_lock(&evlist->mutex);
	list_for_each_entry(root, &evlist->roots, node)
		if (root->cpu == cpu)
			break;
	if (!list_entry_is_head(root, &evlist->roots, node)) {
		list_del(&root->node);
		root_release(root);
		kfree(root);
	} else if (!evlist->cgroup_id) {
		pmcgrp_evlist_cpu_out(evlist, cpu);
	}
	mutex_unlock(&evlist->mutex);
}

static int add_to_cgroup(struct pmcgrp_evlist *evlist, int cpu)
{
	struct pmcgrp_evset *set;

	if (!pmcgrp_evcpu_of(evlist, cpu)->complete)
		return 0;
	set = pmcgrp_evlist_set_of_cpu(evlist, cpu);
	if (!set)
		return -ENOMEM;
	pmcgrp_contexts_add(evlist, set, cpu);
	return 0;
}

/**
 * pmcgrp_root_rebuild - give a list its carrier on a CPU that has come online
 * @evlist: the event list
 * @cpu: the CPU, not usable yet
 *
 * Counts go on from where they were.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_root_rebuild(struct pmcgrp_evlist *evlist, int cpu)
{
	struct pmcgrp_root *root;
	int err = 0;

	/* Its uncore PMUs count elsewhere. */
	if (evlist->is_uncore && !pmcgrp_evcpu_of(evlist, cpu)->complete)
		return;
	mutex_lock(&evlist->mutex);
	list_for_each_entry(root, &evlist->roots, node)
		if (root->cpu == cpu)
			break;
	if (!list_entry_is_head(root, &evlist->roots, node)) {
		if (root->generation != pmcgrp_cpu_generation(cpu)) {
			root_release(root);
			err = root_attach(evlist, root, NULL);
			pmcgrp_evlist_task_changed(evlist, cpu);
		}
	} else if (evlist->cgroup_id) {
		err = add_to_cgroup(evlist, cpu);
	} else if (pmcgrp_evcpu_of(evlist, cpu)->complete) {
		/* Without carriers, or its first time online. */
		err = pmcgrp_evlist_stays_in(evlist) ? pmcgrp_evlist_cpu_in(evlist, cpu) :
						       root_make(evlist, NULL, cpu);
	}
	mutex_unlock(&evlist->mutex);
	if (err)
		pr_warn_ratelimited("pmcgrp: a group does not count on CPU %d any more: error %d\n",
				    cpu, err);
}

/**
 * pmcgrp_roots_ended - count the threads of a list's roots that have exited
 * @evlist: the event list, its mutex held
 */
unsigned int pmcgrp_roots_ended(const struct pmcgrp_evlist *evlist)
{
	const struct pmcgrp_root *root;
	unsigned int nr = 0;

	lockdep_assert_held(&evlist->mutex);
	list_for_each_entry(root, &evlist->roots, node)
		if (root->set ? pmcgrp_context_has_ended(root->set->ctx) :
				root->cpu < 0 && root->carrier &&
					pmcgrp_carrier_has_ended(root->carrier))
			nr++;
	return nr;
}
