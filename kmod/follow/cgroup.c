// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups of a cgroup: what its tasks count, and those of all cgroups below it.
 *
 * Such a group has a set for each CPU, as one of CPUs has.  It is in while a task of the cgroup
 * runs there: the probe on sched_switch looks for that where the cgroup changes, and so does a
 * probe on cgroup_attach_task, when a task is moved while it runs.
 *
 * A cgroup is known by its id and its level.  No other one ever has its id.  The list's reference
 * lets the cgroup be removed: its group counts nothing more then.
 *
 * cgroups are those of version 2.
 */
#include <linux/cgroup.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>
#include <trace/events/cgroup.h>
#include "compat.h"
#include "arbiter/cpu.h"
#include "follow/cgroup.h"
#include "follow/switch_room.h"
#include "platform/account.h"
#include "sched/sched.h"
#include "set/evlist.h"
#include "set/evset.h"

static struct tracepoint *attach; /* of cgroup_attach_task; constant after init */
static unsigned int nr_lists;	  /* of cgroups; pmcgrp_groups_mutex */
static bool attached;		  /* its probe is registered; pmcgrp_groups_mutex */
static unsigned int users;	  /* lists of cgroups, tables by cgroup; pmcgrp_groups_mutex */
static DEFINE_PER_CPU(call_single_data_t, moved);

static void detach(struct work_struct *work);
static DECLARE_DELAYED_WORK(detach_work, detach);

/**
 * pmcgrp_cgroup_find - find the cgroup that a descriptor stands for
 * @fd: descriptor of the cgroup's directory
 *
 * Context: may sleep.
 * Return: the cgroup, a reference for pmcgrp_cgroup_put(); or an ERR_PTR: -EBADF if it is none;
 * -EOPNOTSUPP without cgroups; -ENOMEM.
 */
struct cgroup *pmcgrp_cgroup_find(int fd)
{
	struct cgroup *cgroup;

	if (!attach)
		return ERR_PTR(-EOPNOTSUPP);
	cgroup = pmcgrp_cgroup_get(fd);
	if (IS_ERR(cgroup) && PTR_ERR(cgroup) != -ENOMEM)
		return ERR_PTR(-EBADF);
	return cgroup;
}

/**
 * pmcgrp_cgroups_out - schedule out the sets of cgroups that the next task is not in
 * @pcpu: this CPU's scheduler
 * @next: the next task
 * @leaves: another task is being switched from
 *
 * Context: interrupts off; the run-queue lock may be held.
 */
void pmcgrp_cgroups_out(struct pmcgrp_cpu *pcpu, struct task_struct *next, bool leaves)
{
	struct cgroup *cgroup = pmcgrp_task_dfl_cgroup(next);
	struct pmcgrp_evset *set;

	list_for_each_entry(set, &pcpu->cgroups, ctx_node) {
		if (set->cpu < 0 || pmcgrp_cgroup_is_counted(set->evlist, cgroup))
			continue;
		if (leaves)
			pmcgrp_evset_leaves(set);
		pmcgrp_sched_out(set);
	}
	pcpu->cgroup_id = pmcgrp_cgroup_id(cgroup);
}

/**
 * pmcgrp_cgroups_in - schedule in the sets of cgroups that the next task is in
 * @pcpu: this CPU's scheduler
 * @next: the next task
 * @prev: task that is switched from, before perf core's part of the switch; or NULL
 *
 * Context: as pmcgrp_cgroups_out(), after it.
 */
void pmcgrp_cgroups_in(struct pmcgrp_cpu *pcpu, struct task_struct *next,
		       const struct task_struct *prev)
{
	struct cgroup *cgroup = pmcgrp_task_dfl_cgroup(next);
	struct pmcgrp_evset *set;

	pmcgrp_sched_in_begin(pcpu, prev);
	list_for_each_entry(set, &pcpu->cgroups, ctx_node) {
		set->entered = set->cpu < 0 && pmcgrp_cgroup_is_counted(set->evlist, cgroup);
		if (set->entered)
			pmcgrp_sched_in(set);
	}
	pmcgrp_sched_in_end(pcpu);
}

/**
 * pmcgrp_cgroups_entered - do pmcgrp_evset_enters() for sets that a switch has scheduled in
 * @pcpu: this CPU's scheduler, after pmcgrp_cgroups_in()
 *
 * Context: as pmcgrp_evset_enters().
 */
void pmcgrp_cgroups_entered(struct pmcgrp_cpu *pcpu)
{
	struct pmcgrp_evset *set;

	list_for_each_entry(set, &pcpu->cgroups, ctx_node)
		if (set->entered)
			pmcgrp_evset_enters(set);
}

/**
 * pmcgrp_cgroups_add - let the set of a group of a cgroup follow the tasks of this CPU
 * @pcpu: this CPU's scheduler
 * @set: the set, which is in nowhere
 *
 * Context: interrupts off.
 */
void pmcgrp_cgroups_add(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set)
{
	if (list_empty(&pcpu->cgroups))
		pcpu->cgroup_id = pmcgrp_cgroup_id(pmcgrp_task_dfl_cgroup(current));
	list_add_tail(&set->ctx_node, &pcpu->cgroups);
	if (pmcgrp_cgroup_is_counted(set->evlist, pmcgrp_task_dfl_cgroup(current)))
		pmcgrp_sched_in(set);
}

/* The running task may have been moved. */
static void moved_here(void *unused)
{
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();

	/* Pairs with on_attach(): who finds the call still pending is seen here. */
	smp_mb();
	if (pmcgrp_cgroups_change(pcpu, current)) {
		pmcgrp_cgroups_out(pcpu, current, false);
		pmcgrp_cgroups_in(pcpu, current, NULL);
	}
	pmcgrp_sched_tell_changed(pcpu, current);
}

static void look_at(int cpu)
{
	smp_call_function_single_async(cpu, per_cpu_ptr(&moved, cpu));
}

/*
 * A task, or with it its threads, has been moved.  The CPUs where they may run look at the task
 * that they run.  One that has been asked and has not looked yet is not asked again.  A thread that
 * comes to another CPU meanwhile has its new cgroup as it is switched to.
 *
 * Context: interrupts may be off; cgroup_mutex held, so nobody else uses the calls.
 */
static PMCGRP_ATTACH_PROBE(on_attach)
{
	struct task_struct *thread;
	int cpu;

	/*
	 * The task's cgroup is written before.  Pairs with moved_here(), and for the thread's CPU
	 * with smp_mb__after_spinlock() in kernel/sched/core.c: __schedule().
	 */
	smp_mb();
	/* No CPU goes offline meanwhile (kernel/stop_machine.c). */
	preempt_disable();
	rcu_read_lock();
	if (!threadgroup) {
		look_at(task_cpu(task));
	} else if (get_nr_threads(task) < num_online_cpus()) {
		for_each_thread(task, thread)
			look_at(task_cpu(thread));
	} else {
		for_each_online_cpu(cpu)
			look_at(cpu);
	}
	rcu_read_unlock();
	preempt_enable();
}

/**
 * pmcgrp_cgroups_get - follow moves between cgroups from now on
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: 0; -EOPNOTSUPP without cgroups; -ENOMEM.
 */
int pmcgrp_cgroups_get(void)
{
	int err;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (!attach)
		return -EOPNOTSUPP;
	if (!attached) {
		err = tracepoint_probe_register(attach, on_attach, NULL);
		if (err)
			return err;
		attached = true;
	}
	users++;
	return 0;
}

/**
 * pmcgrp_cgroups_put - undo pmcgrp_cgroups_get()
 *
 * The probe stays for a second, as those of follow.c.  Nobody waits for a grace period under the
 * mutex: the probe and its calls use nothing but what is there as long as the module.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_cgroups_put(void)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (!--users)
		schedule_delayed_work(&detach_work, HZ);
}

static void detach(struct work_struct *work)
{
	mutex_lock(&pmcgrp_groups_mutex);
	if (!users && attached) {
		tracepoint_probe_unregister(attach, on_attach, NULL);
		attached = false;
	}
	mutex_unlock(&pmcgrp_groups_mutex);
}

/**
 * pmcgrp_cgroups_reserve - pmcgrp_cgroups_get() for one more event list of a cgroup
 * @evlist: the list
 *
 * A switch between cgroups looks at the sets of all of them: users together have a limit, too.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: as pmcgrp_cgroups_get(); -ENOSPC if the user has as many as there can be, or all users
 * have; -PMCGRP_ESWITCH as of pmcgrp_switch_add_cgroup().
 */
int pmcgrp_cgroups_reserve(struct pmcgrp_evlist *evlist)
{
	struct pmcgrp_account *account = evlist->charge.account;
	int err;

	if (nr_lists >= PMCGRP_CGROUPS_ALL_MAX ||
	    !pmcgrp_account_take(account, PMCGRP_LIMIT_CGROUPS, 1))
		return -ENOSPC;
	err = pmcgrp_switch_add_cgroup(evlist);
	if (err)
		goto give;
	err = pmcgrp_cgroups_get();
	nr_lists += !err;
	if (!err)
		return 0;
	pmcgrp_switch_remove_cgroup(evlist);
give:
	pmcgrp_account_give(account, PMCGRP_LIMIT_CGROUPS, 1);
	return err;
}

/**
 * pmcgrp_cgroups_unreserve - undo pmcgrp_cgroups_reserve()
 * @evlist: the list
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_cgroups_unreserve(struct pmcgrp_evlist *evlist)
{
	nr_lists--;
	pmcgrp_cgroups_put();
	pmcgrp_switch_remove_cgroup(evlist);
	pmcgrp_account_give(evlist->charge.account, PMCGRP_LIMIT_CGROUPS, 1);
}

static void find(struct tracepoint *tracepoint, void *unused)
{
	if (!strcmp(tracepoint->name, "cgroup_attach_task"))
		attach = tracepoint;
}

/**
 * pmcgrp_cgroups_init - find the tracepoint; without it there are no groups of cgroups
 *
 * Context: when the module is loaded.
 */
void __init pmcgrp_cgroups_init(void)
{
	int cpu;

	pmcgrp_account_limit(PMCGRP_LIMIT_CGROUPS, PMCGRP_CGROUPS_MAX);
	check_trace_callback_type_cgroup_attach_task(on_attach);
	for_each_possible_cpu(cpu)
		INIT_CSD(per_cpu_ptr(&moved, cpu), moved_here, NULL);
	for_each_kernel_tracepoint(find, NULL);
}

/**
 * pmcgrp_cgroups_exit - end the probe, after the last group
 *
 * Context: may sleep.
 */
void pmcgrp_cgroups_exit(void)
{
	cancel_delayed_work_sync(&detach_work);
	detach(NULL);
	/* No probe runs any more, and then no call that one has made. */
	tracepoint_synchronize_unregister();
	kick_all_cpus_sync();
}
