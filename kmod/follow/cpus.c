// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists of CPUs: their sets are scheduled in as long as the list exists and its CPU is online.  No
 * event of perf core follows the CPU for them.  Those of pinned lists have a carrier instead: perf
 * core makes room for it (carried.c).
 *
 * A CPU that goes offline schedules its sets out (sched.c: pmcgrp_sched_offline()).  They come in
 * again once the list has its counters there (hotplug.c: evlists_online()).
 */
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/smp.h>
#include "arbiter/cpu.h"
#include "counter/attr.h"
#include "follow/cpus.h"
#include "sched/sched.h"
#include "set/evlist.h"
#include "set/evlist_sets.h"
#include "set/evset.h"

static void in_here(void *info)
{
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();
	struct pmcgrp_evset *set = info;

	if (!pmcgrp_this_cpu_is_online() || !list_empty(&set->ctx_node))
		return;
	list_add_tail(&set->ctx_node, &pcpu->own);
	pmcgrp_sched_in(set);
	pmcgrp_sched_task_counted(set);
}

static void evlist_out_here(void *info)
{
	const struct pmcgrp_evcpu *evcpu = pmcgrp_evcpu_here(info);
	struct pmcgrp_evset *set = evcpu->in;

	if (evcpu->cpu_set)
		list_del_init(&evcpu->cpu_set->ctx_node);
	if (!set)
		return; /* offline */
	pmcgrp_sched_disable(set);
	pmcgrp_sched_out(set);
}

/**
 * pmcgrp_cpus_make - let a list of CPUs follow those that can count its events
 * @evlist: the event list
 * @like: another one that counts the same, or NULL
 * @fail: out: the CPU for which it failed
 *
 * Context: as pmcgrp_follower.make.
 * Return: 0, or an errno as of pmcgrp_follower.cpu_online.
 */
int pmcgrp_cpus_make(struct pmcgrp_evlist *evlist, const struct pmcgrp_evlist *like,
		     struct pmcgrp_failure *fail)
{
	int cpu, err;

	for_each_cpu(cpu, evlist->cpus) {
		err = evlist->follower->cpu_online(evlist, cpu);
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

static void cpus_drop(struct pmcgrp_evlist *evlist)
{
	on_each_cpu_mask(evlist->cpus, evlist_out_here, evlist, true);
}

/* Return: 0; -ENODEV for an offline CPU, -ENOMEM. */
static int cpus_online(struct pmcgrp_evlist *evlist, int cpu)
{
	struct pmcgrp_evset *set;

	if (!pmcgrp_evcpu_of(evlist, cpu)->complete)
		return 0;
	set = pmcgrp_evlist_set_of_cpu(evlist, cpu);
	if (!set)
		return -ENOMEM;
	smp_call_function_single(cpu, in_here, set, 1);
	/* The call has ended: it is in a list of the CPU, or not. */
	return list_empty(&set->ctx_node) ? -ENODEV : 0;
}

/* Nothing happens if the CPU is offline. */
static void cpus_cpu_drop(struct pmcgrp_evlist *evlist, int cpu)
{
	smp_call_function_single(cpu, evlist_out_here, evlist, 1);
}

/**
 * pmcgrp_cpus_whose - number the CPUs of a target
 * @target: the target
 *
 * Context, Return: as pmcgrp_follower.whose.
 */
u64 pmcgrp_cpus_whose(const struct pmcgrp_target *target)
{
	return cpumask_first(target->cpus);
}

/**
 * pmcgrp_cpus_suit - check whether a list counts on all CPUs where a new one would
 * @evlist: the event list
 * @target: target of the new one, with the same number
 *
 * It may lack counters on a CPU that has come online since, or on all those of another kind.  Then
 * the new list is to find out.
 *
 * Context, Return: as pmcgrp_follower.suits.
 */
bool pmcgrp_cpus_suit(const struct pmcgrp_evlist *evlist, const struct pmcgrp_target *target)
{
	int cpu;

	if (!cpumask_equal(evlist->cpus, target->cpus))
		return false;
	for_each_cpu(cpu, evlist->cpus)
		if (pmcgrp_cpu_is_online(cpu) ? !pmcgrp_evcpu_of(evlist, cpu)->complete :
						evlist->follower->has_cpu_list)
			return false;
	return true;
}

#define CPUS_FOLLOWED			\
	.counts_cpus = true,		\
	.whose = pmcgrp_cpus_whose,	\
	.suits = pmcgrp_cpus_suit,	\
	.make = pmcgrp_cpus_make,	\
	.drop = cpus_drop,		\
	.cpu_online = cpus_online,	\
	.cpu_drop = cpus_cpu_drop

const struct pmcgrp_follower pmcgrp_cpus_one = {
	CPUS_FOLLOWED,
	.has_cpu_list = true,
	.has_one_set = true,
	.call = pmcgrp_evlist_call_only,
};

const struct pmcgrp_follower pmcgrp_cpus_listed = {
	CPUS_FOLLOWED,
	.has_cpu_list = true,
};

const struct pmcgrp_follower pmcgrp_cpus_all = {
	CPUS_FOLLOWED,
};
