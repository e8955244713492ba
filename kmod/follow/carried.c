// SPDX-License-Identifier: GPL-2.0-only
/*
 * Carried lists: a perf event of pmcgrp's own PMU, the carrier, schedules a list's set in and out
 * with a task or CPU.  Such are pinned lists of CPUs, and those of a task with rings or a user page
 * (task_context.c).
 *
 * While the list is not active its carriers are disabled.  A task's set is created with its carrier
 * or in a context, and ends with it; a CPU's remains (evlist_sets.c).
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include "arbiter/cpu.h"
#include "counter/carrier.h"
#include "follow/carried.h"
#include "follow/cpus.h"
#include "sched/sched.h"
#include "set/evlist.h"
#include "set/evlist_sets.h"
#include "set/evset.h"

static bool has_carrier_hooks(const struct pmcgrp_evlist *evlist)
{
	const struct pmcgrp_evlist_hooks *hooks = READ_ONCE(evlist->hooks);

	return hooks && hooks->carrier_init;
}

static void carrier_destroy(struct perf_event *event)
{
	struct pmcgrp_evset *set = event->pmu_private;
	struct pmcgrp_evlist *evlist = set->evlist;

	/* task_leave_context() has failed: the set is still in its context. */
	if (!set->ctx)
		pmcgrp_evlist_set_end(set);
	pmcgrp_evlist_put(evlist);
}

/* The set of a new carrier.  A list that leaves its context has one already. */
static struct pmcgrp_evset *evset_of_carrier(struct pmcgrp_evlist *evlist,
					     const struct perf_event *event)
{
	if (!event->hw.target)
		return pmcgrp_evlist_set_of_cpu(evlist, event->cpu);
	return evlist->only ?: pmcgrp_evlist_set_of_task(evlist, event->hw.target);
}

static int evlist_carrier_init(struct perf_event *event)
{
	struct pmcgrp_evlist *evlist = event->pmu_private;
	struct pmcgrp_evset *set = evset_of_carrier(evlist, event);

	if (!set)
		return -ENOMEM;
	event->pmu_private = set;
	event->destroy = carrier_destroy;
	if (has_carrier_hooks(evlist))
		evlist->hooks->carrier_init(evlist, event);
	pmcgrp_evlist_get(evlist);
	return 0;
}

static void evlist_carrier_add(struct perf_event *event)
{
	struct pmcgrp_evset *set = event->pmu_private;

	if (unlikely(has_carrier_hooks(set->evlist)))
		set->evlist->hooks->carrier_in(set->evlist);
	pmcgrp_sched_in(set);
}

static void evlist_carrier_del(struct perf_event *event)
{
	struct pmcgrp_evset *set = event->pmu_private;
	struct pmcgrp_evlist *evlist = set->evlist;

	if (unlikely(has_carrier_hooks(evlist)))
		evlist->hooks->carrier_out(evlist, event);
	pmcgrp_sched_leave(set);
	if (unlikely(has_carrier_hooks(evlist)))
		evlist->hooks->carrier_gone(evlist, event);
	if (unlikely(pmcgrp_task_may_end(current)) && set->task)
		pmcgrp_evlist_notify_end(evlist);
}

static const struct pmcgrp_carrier_ops carrier_ops = {
	.init = evlist_carrier_init,
	.add = evlist_carrier_add,
	.del = evlist_carrier_del,
};

/**
 * pmcgrp_carried_begin - follow the task of a list, or a CPU, by a carrier
 * @evlist: the event list, which has its evcpus; the carrier takes a reference
 * @cpu: the CPU; -1 for the task
 *
 * The list's flags and state decide when it is enabled.
 *
 * Context: may sleep; the list's mutex held.
 * Return: 0, then pmcgrp_carried_end() undoes this; or an errno as of pmcgrp_carrier_create().
 */
int pmcgrp_carried_begin(struct pmcgrp_evlist *evlist, int cpu)
{
	struct task_struct *task = cpu < 0 ? evlist->task : NULL;
	struct perf_event_attr attr = {
		/* comes in before flexible events do */
		.pinned = !!(evlist->flags & PMCGRP_CREATE_PINNED),
		.disabled = !READ_ONCE(evlist->active),
		.enable_on_exec = !!(evlist->flags & PMCGRP_CREATE_ENABLE_ON_EXEC),
	};
	u64 generation = cpu < 0 ? 0 : pmcgrp_cpu_generation(cpu);
	struct perf_event *carrier;
	struct pmcgrp_evset *set;

	lockdep_assert_held(&evlist->mutex);
	carrier = pmcgrp_carrier_create(PMCGRP_CARRIER_GROUP, &attr, evlist, task, cpu);
	if (IS_ERR(carrier))
		return PTR_ERR(carrier);
	set = carrier->pmu_private;
	set->carrier = carrier;
	set->generation = generation;
	return 0;
}

/**
 * pmcgrp_carried_end - let a set not be carried any more
 * @set: the set, which has a carrier; it is freed if it is a task's
 *
 * When it returns, the set is not scheduled in: perf core takes a carrier out of its context before
 * perf_event_release_kernel() returns.
 *
 * Context: may sleep; the list's mutex held.
 */
void pmcgrp_carried_end(struct pmcgrp_evset *set)
{
	struct perf_event *carrier = set->carrier;

	lockdep_assert_held(&set->evlist->mutex);
	set->carrier = NULL;
	perf_event_release_kernel(carrier);
}

/* The set of a list that is carried with a CPU, or NULL. */
static struct pmcgrp_evset *set_carried(const struct pmcgrp_evlist *evlist, int cpu)
{
	struct pmcgrp_evset *set = pmcgrp_evcpu_of(evlist, cpu)->cpu_set;

	return set && set->carrier ? set : NULL;
}

static void carried_change_here(void *evlist)
{
	struct pmcgrp_evset *set = pmcgrp_evcpu_here(evlist)->in;

	if (set)
		pmcgrp_sched_task_changed_of(set, current);
}

static int carried_cpu_online(struct pmcgrp_evlist *evlist, int cpu)
{
	const struct pmcgrp_evcpu *evcpu = pmcgrp_evcpu_of(evlist, cpu);
	struct pmcgrp_evset *set = set_carried(evlist, cpu);
	int err;

	if (!set)
		return evcpu->complete ? pmcgrp_carried_begin(evlist, cpu) : 0;
	if (set->generation == pmcgrp_cpu_generation(cpu))
		return 0;
	pmcgrp_carried_end(set);
	err = pmcgrp_carried_begin(evlist, cpu);
	/* It has come in with the running task. */
	smp_call_function_single(cpu, carried_change_here, evlist, 1);
	return err;
}

static void carried_cpu_drop(struct pmcgrp_evlist *evlist, int cpu)
{
	struct pmcgrp_evset *set = set_carried(evlist, cpu);

	if (set)
		pmcgrp_carried_end(set);
}

static void carried_drop(struct pmcgrp_evlist *evlist)
{
	int cpu;

	for_each_cpu(cpu, evlist->cpus)
		carried_cpu_drop(evlist, cpu);
}

static void carried_enable(struct pmcgrp_evlist *evlist, bool on)
{
	struct pmcgrp_evset *set;
	int cpu;

	for_each_cpu(cpu, evlist->cpus) {
		set = set_carried(evlist, cpu);
		if (set)
			pmcgrp_carried_enable(set, on);
	}
}

#define CPUS_CARRIED				\
	.counts_cpus = true,			\
	.make = pmcgrp_cpus_make,		\
	.drop = carried_drop,			\
	.cpu_online = carried_cpu_online,	\
	.cpu_drop = carried_cpu_drop,		\
	.enable = carried_enable

const struct pmcgrp_follower pmcgrp_carried_cpu = {
	CPUS_CARRIED,
	.has_cpu_list = true,
	.has_one_set = true,
	.call = pmcgrp_evlist_call_only,
};

const struct pmcgrp_follower pmcgrp_carried_cpus = {
	CPUS_CARRIED,
	.has_cpu_list = true,
};

const struct pmcgrp_follower pmcgrp_carried_all_cpus = {
	CPUS_CARRIED,
};

/**
 * pmcgrp_carried_init - set the operations of lists' carriers
 *
 * Context: when the module is loaded.
 */
void __init pmcgrp_carried_init(void)
{
	pmcgrp_carrier_register(PMCGRP_CARRIER_GROUP, &carrier_ops);
}
