// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sets of groups of CPUs: scheduled in as long as the group exists and its CPU is online.  No event
 * of perf core follows the CPU for them.  Those of pinned groups have a carrier instead: perf core
 * makes room for it.
 *
 * A CPU that goes offline schedules its sets out (sched.c: pmcgrp_cpu_offline()).  They come in
 * again once the group has its counters there (target.c: pmcgrp_groups_rebuild()).
 */
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/smp.h>
#include "cpu.h"
#include "evset.h"
#include "group.h"
#include "group_cpus.h"
#include "group_evsets.h"
#include "sched.h"

static void in_here(void *info)
{
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();
	struct pmcgrp_evset *set = info;

	if (!pmcgrp_cpu_is_online(pcpu->cpu) || set->cpu >= 0)
		return;
	list_add_tail(&set->ctx_node, &pcpu->own);
	pmcgrp_sched_in(set);
}

static void out_here(void *info)
{
	struct pmcgrp_evset *set = pmcgrp_row_here(info)->in;

	if (!set)
		return; /* offline, or none of the group's tasks runs here */
	list_del_init(&set->ctx_node);
	pmcgrp_sched_disable(set);
	pmcgrp_sched_out(set);
}

/**
 * pmcgrp_group_cpu_in - schedule in the set of a group on a CPU
 * @group: the group, with its counters on @cpu
 * @cpu: the CPU
 *
 * Context: may sleep; pmcgrp_groups_mutex and the group's mutex held.
 * Return: 0; -ENODEV for an offline CPU, -ENOMEM.
 */
int pmcgrp_group_cpu_in(struct pmcgrp_group *group, int cpu)
{
	struct pmcgrp_evset *set;

	lockdep_assert_held(&group->mutex);
	set = pmcgrp_evset_of_cpu(group, cpu);
	if (!set)
		return -ENOMEM;
	smp_call_function_single(cpu, in_here, set, 1);
	return READ_ONCE(set->cpu) == cpu ? 0 : -ENODEV;
}

/**
 * pmcgrp_group_cpus_make - make the sets of a group that has one for each CPU, but counts tasks
 * @group: the group
 *
 * Context: may sleep; pmcgrp_groups_mutex and the group's mutex held.
 * Return: 0 or -ENOMEM.
 */
int pmcgrp_group_cpus_make(struct pmcgrp_group *group)
{
	int cpu;

	lockdep_assert_held(&group->mutex);
	for_each_cpu(cpu, group->cpus)
		if (!pmcgrp_evset_of_cpu(group, cpu))
			return -ENOMEM;
	return 0;
}

/**
 * pmcgrp_group_cpus_out - schedule out the sets of a group on all CPUs, for good
 * @group: the group, of CPUs without carriers, or in no task's binding any more
 *
 * A switch that is under way may still schedule in a set of a group that is in no binding: all CPUs
 * are asked.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_group_cpus_out(struct pmcgrp_group *group)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	on_each_cpu_mask(group->cpus, out_here, group, true);
}
