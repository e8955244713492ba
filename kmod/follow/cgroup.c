// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups of a cgroup: what its tasks count, and those of all cgroups below it.
 *
 * All lists of a cgroup are in the same contexts (contexts.c).  That of a CPU is in while a task of
 * the cgroup runs there: the probe on sched_switch looks for that where the cgroup changes, and so
 * does a probe on cgroup_attach_task, when a task is moved while it runs.  A cgroup's contexts are
 * in a table by its id.  So a switch looks up the next cgroup and those above it, on levels where
 * any is counted: its cost does not depend on the number of cgroups.
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
#include <linux/rhashtable.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>
#include <trace/events/cgroup.h>
#include "compat.h"
#include "arbiter/cpu.h"
#include "counter/attr.h"
#include "follow/cgroup.h"
#include "follow/context.h"
#include "follow/contexts.h"
#include "follow/cpus.h"
#include "sched/sched.h"
#include "set/evlist.h"
#include "set/evlist_sets.h"
#include "set/evset.h"

static struct tracepoint *attach; /* of cgroup_attach_task; constant after init */
static bool attached;		  /* its probe is registered; pmcgrp_groups_mutex */
static unsigned int users;	  /* lists of cgroups, tables by cgroup; pmcgrp_groups_mutex */
static DEFINE_PER_CPU(call_single_data_t, moved);

static const struct rhashtable_params table_params = {
	.key_len = sizeof_field(struct pmcgrp_contexts, cgroup_id),
	.key_offset = offsetof(struct pmcgrp_contexts, cgroup_id),
	.head_offset = offsetof(struct pmcgrp_contexts, cgroup_node),
	.automatic_shrinking = true,
};

/* The contexts of cgroups; written under pmcgrp_groups_mutex, read in RCU sections. */
static struct rhashtable table;
static bool has_table; /* constant after init */

/* Levels on which cgroups have contexts, a bit each; written under pmcgrp_groups_mutex. */
unsigned long pmcgrp_cgroup_levels;
static unsigned int nr_on[BITS_PER_LONG]; /* contexts on each level; pmcgrp_groups_mutex */

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
 * pmcgrp_cgroups_differ - pmcgrp_cgroups_change() where there are groups of cgroups
 * @pcpu: this CPU's scheduler
 * @next: the next task
 *
 * Context: interrupts off.
 */
bool pmcgrp_cgroups_differ(const struct pmcgrp_cpu *pcpu, struct task_struct *next)
{
	if (unlikely(!pmcgrp_this_cpu_is_online()))
		return !list_empty(&pcpu->cgroups);
	return pmcgrp_cgroup_id(pmcgrp_task_dfl_cgroup(next)) != pcpu->cgroup_id;
}

/* The context on this CPU of a cgroup, or of the one above it on a level; NULL: it has none. */
static struct pmcgrp_context *context_on(struct cgroup *cgroup, int level)
{
	u64 id = pmcgrp_cgroup_id(pmcgrp_cgroup_ancestor(cgroup, level));
	struct pmcgrp_contexts *contexts = rhashtable_lookup(&table, &id, table_params);

	return contexts ? pmcgrp_contexts_here(contexts) : NULL;
}

/**
 * pmcgrp_cgroups_out - schedule out the contexts of cgroups that the next task is not in
 * @pcpu: this CPU's scheduler
 * @next: the next task
 * @leaves: another task is being switched from
 * @coming: out: list of the contexts that are to come in, for pmcgrp_cgroups_in()
 *
 * Context: interrupts off; the run-queue lock may be held.
 */
void pmcgrp_cgroups_out(struct pmcgrp_cpu *pcpu, struct task_struct *next, bool leaves,
			struct list_head *coming)
{
	struct cgroup *cgroup = pmcgrp_task_dfl_cgroup(next);
	unsigned long on = READ_ONCE(pmcgrp_cgroup_levels);
	struct pmcgrp_context *ctx, *other;
	int level, last = pmcgrp_cgroup_level(cgroup);
	bool online = pmcgrp_this_cpu_is_online();

	lockdep_assert_irqs_disabled();
	pcpu->changes++;
	rcu_read_lock();
	/* What comes in on an offline CPU would never go out (follow.c). */
	for_each_set_bit(level, &on, min(last + 1, BITS_PER_LONG)) {
		ctx = online ? context_on(cgroup, level) : NULL;
		if (!ctx)
			continue;
		ctx->kept = pcpu->changes;
		if (list_empty(&ctx->in_node))
			list_add_tail(&ctx->in_node, coming);
	}
	rcu_read_unlock();
	list_for_each_entry_safe(ctx, other, &pcpu->cgroups, in_node) {
		if (ctx->kept == pcpu->changes)
			continue;
		list_del_init(&ctx->in_node);
		pmcgrp_context_out(pcpu, ctx, leaves);
	}
	pcpu->cgroup_id = online ? pmcgrp_cgroup_id(cgroup) : 0;
}

/**
 * pmcgrp_cgroups_in - schedule in the contexts of cgroups that the next task is in
 * @pcpu: this CPU's scheduler
 * @coming: those that are not in, by pmcgrp_cgroups_out() in the same section
 * @prev: task that is switched from, before perf core's part of the switch; or NULL
 *
 * Context: as pmcgrp_cgroups_out(), after it.
 */
void pmcgrp_cgroups_in(struct pmcgrp_cpu *pcpu, struct list_head *coming,
		       const struct task_struct *prev)
{
	struct pmcgrp_context *ctx, *next;

	lockdep_assert_irqs_disabled();
	list_for_each_entry_safe(ctx, next, coming, in_node) {
		list_move_tail(&ctx->in_node, &pcpu->cgroups);
		pmcgrp_context_claim(ctx);
		pmcgrp_context_in(pcpu, ctx, prev);
	}
}

/* Look at the cgroup of the running task again, as for a switch. */
static void cgroup_change_here(struct pmcgrp_cpu *pcpu)
{
	LIST_HEAD(coming);

	pmcgrp_cgroups_out(pcpu, current, false, &coming);
	pmcgrp_cgroups_in(pcpu, &coming, NULL);
}

/* The running task may have been moved. */
static void moved_here(void *unused)
{
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();

	/* Pairs with on_attach(): who finds the call still pending is seen here. */
	smp_mb();
	if (pmcgrp_cgroups_change(pcpu, current))
		cgroup_change_here(pcpu);
	pmcgrp_sched_task_changed(pcpu, current);
}

static void cgroup_look_at(int cpu)
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
		cgroup_look_at(task_cpu(task));
	} else if (get_nr_threads(task) < num_online_cpus()) {
		for_each_thread(task, thread)
			cgroup_look_at(task_cpu(thread));
	} else {
		for_each_online_cpu(cpu)
			cgroup_look_at(cpu);
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

/* Contexts have come into the table, or are about to: the running task may be in their cgroup. */
static void look_here(void *unused)
{
	cgroup_change_here(pmcgrp_this_cpu());
}

/* Make the contexts of a list's cgroup. */
static struct pmcgrp_contexts *contexts_make(const struct pmcgrp_evlist *evlist)
{
	struct pmcgrp_contexts *contexts;
	int err;

	if (evlist->cgroup_level >= BITS_PER_LONG)
		return ERR_PTR(-PMCGRP_ESWITCH);
	contexts = pmcgrp_contexts_alloc(evlist);
	if (!contexts)
		return ERR_PTR(-ENOMEM);
	err = rhashtable_insert_fast(&table, &contexts->cgroup_node, table_params);
	if (err) {
		pmcgrp_contexts_free(contexts);
		return ERR_PTR(-ENOMEM);
	}
	if (!nr_on[evlist->cgroup_level]++)
		WRITE_ONCE(pmcgrp_cgroup_levels,
			   pmcgrp_cgroup_levels | BIT(evlist->cgroup_level));
	on_each_cpu(look_here, NULL, 1);
	return contexts;
}

static void contexts_end(struct pmcgrp_contexts *contexts)
{
	rhashtable_remove_fast(&table, &contexts->cgroup_node, table_params);
	if (!--nr_on[contexts->cgroup_level])
		WRITE_ONCE(pmcgrp_cgroup_levels,
			   pmcgrp_cgroup_levels & ~BIT(contexts->cgroup_level));
	pmcgrp_contexts_free(contexts);
}

/* Count the tasks of a cgroup on the CPUs that are online. */
static int cgroup_make(struct pmcgrp_evlist *evlist, const struct pmcgrp_evlist *like,
		       struct pmcgrp_failure *fail)
{
	struct pmcgrp_contexts *contexts;
	int cpu, err;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	for_each_cpu(cpu, evlist->cpus)
		if (pmcgrp_evcpu_of(evlist, cpu)->complete &&
		    !pmcgrp_evlist_set_of_cpu(evlist, cpu))
			return -ENOMEM;
	contexts = rhashtable_lookup_fast(&table, &evlist->cgroup_id, table_params);
	if (!contexts)
		contexts = contexts_make(evlist);
	if (IS_ERR(contexts))
		return PTR_ERR(contexts);
	err = pmcgrp_contexts_share(evlist, contexts);
	if (err && !contexts->nr)
		contexts_end(contexts);
	if (!err && pmcgrp_evlist_follows(evlist))
		pmcgrp_contexts_set_enabled(evlist, true);
	return err;
}

static void cgroup_drop(struct pmcgrp_evlist *evlist)
{
	struct pmcgrp_contexts *contexts;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	contexts = evlist->contexts ? pmcgrp_contexts_leave(evlist) : NULL;
	if (contexts)
		contexts_end(contexts);
}

static int cgroup_cpu_online(struct pmcgrp_evlist *evlist, int cpu)
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

static u64 cgroup_whose(const struct pmcgrp_target *target)
{
	return target->cgroup_id;
}

const struct pmcgrp_follower pmcgrp_cgroup_follower = {
	.counts_cpus = true,
	.has_probes = true,
	.whose = cgroup_whose,
	.suits = pmcgrp_cpus_suit,
	.get = pmcgrp_cgroups_get,
	.put = pmcgrp_cgroups_put,
	.make = cgroup_make,
	.drop = cgroup_drop,
	.cpu_online = cgroup_cpu_online,
	.enable = pmcgrp_contexts_set_enabled,
};

static void cgroup_find_tracepoint(struct tracepoint *tracepoint, void *unused)
{
	if (!strcmp(tracepoint->name, "cgroup_attach_task"))
		attach = tracepoint;
}

/**
 * pmcgrp_cgroups_init - find the tracepoint, and make the table; without them there are no groups
 * of cgroups
 *
 * Context: when the module is loaded.
 */
void __init pmcgrp_cgroups_init(void)
{
	int cpu;

	check_trace_callback_type_cgroup_attach_task(on_attach);
	for_each_possible_cpu(cpu)
		INIT_CSD(per_cpu_ptr(&moved, cpu), moved_here, NULL);
	has_table = !rhashtable_init(&table, &table_params);
	if (has_table)
		for_each_kernel_tracepoint(cgroup_find_tracepoint, NULL);
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
	if (has_table)
		rhashtable_destroy(&table);
}
