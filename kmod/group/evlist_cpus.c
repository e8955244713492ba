// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sets of lists of CPUs: scheduled in as long as the list exists and its CPU is online.  No event
 * of perf core follows the CPU for them.  Those of pinned lists have a carrier instead: perf core
 * makes room for it.
 *
 * A CPU that goes offline schedules its sets out (sched.c: pmcgrp_sched_offline()).  They come in
 * again once the list has its counters there (target.c: pmcgrp_targets_rebuild()).
 */
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/smp.h>
#include "arbiter/cpu.h"
#include "group/evlist_cpus.h"
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
 * pmcgrp_evlist_cpu_in - schedule in the set of a list on a CPU
 * @evlist: the event list, with its counters on @cpu
 * @cpu: the CPU
 *
 * Context: may sleep; pmcgrp_groups_mutex and the list's mutex held.
 * Return: 0; -ENODEV for an offline CPU, -ENOMEM.
 */
int pmcgrp_evlist_cpu_in(struct pmcgrp_evlist *evlist, int cpu)
{
	struct pmcgrp_evset *set;

	lockdep_assert_held(&evlist->mutex);
	set = pmcgrp_evlist_set_of_cpu(evlist, cpu);
	if (!set)
		return -ENOMEM;
	smp_call_function_single(cpu, in_here, set, 1);
	/* The call has ended: it is in a list of the CPU, or not. */
	return list_empty(&set->ctx_node) ? -ENODEV : 0;
}

/**
 * pmcgrp_evlist_cpu_out - schedule out the set of a list on a CPU
 * @evlist: the event list, of CPUs without carriers
 * @cpu: the CPU; nothing happens if it is offline
 *
 * Context: may sleep; pmcgrp_groups_mutex and the list's mutex held.
 */
void pmcgrp_evlist_cpu_out(struct pmcgrp_evlist *evlist, int cpu)
{
	lockdep_assert_held(&evlist->mutex);
	smp_call_function_single(cpu, evlist_out_here, evlist, 1);
}

static void evlist_change_here(void *evlist)
{
	struct pmcgrp_evset *set = pmcgrp_evcpu_here(evlist)->in;

	if (set)
		pmcgrp_sched_task_changed_of(set, current);
}

/**
 * pmcgrp_evlist_task_changed - report that a CPU's carrier has come in with the running task
 * @evlist: the event list
 * @cpu: the CPU
 *
 * Context: may sleep; the list's mutex held.
 */
void pmcgrp_evlist_task_changed(struct pmcgrp_evlist *evlist, int cpu)
{
	smp_call_function_single(cpu, evlist_change_here, evlist, 1);
}

/**
 * pmcgrp_evlist_cpus_make - make the sets of a list that has one for each CPU, but counts tasks
 * @evlist: the event list
 *
 * Context: may sleep; pmcgrp_groups_mutex and the list's mutex held.
 * Return: 0 or -ENOMEM.
 */
int pmcgrp_evlist_cpus_make(struct pmcgrp_evlist *evlist)
{
	int cpu;

	lockdep_assert_held(&evlist->mutex);
	for_each_cpu(cpu, evlist->cpus)
		if (!pmcgrp_evlist_set_of_cpu(evlist, cpu))
			return -ENOMEM;
	return 0;
}

/**
 * pmcgrp_evlist_cpus_out - schedule out the sets of a list on all CPUs, for good
 * @evlist: the event list, of CPUs without carriers
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_evlist_cpus_out(struct pmcgrp_evlist *evlist)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	on_each_cpu_mask(evlist->cpus, evlist_out_here, evlist, true);
}
