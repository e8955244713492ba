// SPDX-License-Identifier: GPL-2.0-only
/*
 * Carriers of groups: a group's set is scheduled in and out with a task or CPU, and a latch enables
 * the group at execve().
 *
 * Each carrier has a set of its own, which is created with it and ends with it (evset.c).
 */
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/sched.h>
#include "carrier.h"
#include "evset.h"
#include "group.h"
#include "group_carrier.h"
#include "sched.h"
#include "group_evsets.h"

static void carrier_destroy(struct perf_event *event)
{
	struct pmcgrp_evset *set = event->pmu_private;
	struct pmcgrp_group *group = set->group;

	/* pmcgrp_root_part() has failed: the set is still in its context. */
	if (!set->ctx)
		pmcgrp_evset_end(set);
	pmcgrp_group_put(group);
}

/* The set of a new carrier.  A group that leaves its context has one already. */
static struct pmcgrp_evset *evset_of_carrier(struct pmcgrp_group *group,
					     const struct perf_event *event)
{
	if (!event->hw.target)
		return pmcgrp_evset_of_cpu(group, event->cpu);
	return group->only ?: pmcgrp_evset_of_task(group, event->hw.target);
}

static int carrier_init(struct perf_event *event)
{
	struct pmcgrp_group *group = event->pmu_private;
	struct pmcgrp_evset *set = evset_of_carrier(group, event);

	if (!set)
		return -ENOMEM;
	event->pmu_private = set;
	event->destroy = carrier_destroy;
	if (group->hooks)
		group->hooks->carrier_init(group, event);
	pmcgrp_group_get(group);
	return 0;
}

static void carrier_add(struct perf_event *event)
{
	struct pmcgrp_evset *set = event->pmu_private;

	if (unlikely(set->group->hooks))
		set->group->hooks->carrier_in(set->group);
	pmcgrp_sched_in(set);
}

static void carrier_del(struct perf_event *event)
{
	struct pmcgrp_evset *set = event->pmu_private;
	struct pmcgrp_group *group = set->group;

	if (unlikely(group->hooks))
		group->hooks->carrier_out(group, event);
	pmcgrp_sched_out(set);
	if (unlikely(group->hooks))
		group->hooks->carrier_gone(group, event);
	/* execve() of a set-uid program ends counting as well: begin_new_exec() */
	if (likely(!(current->flags & PF_EXITING || current->in_execve)))
		return;
	if (set->task && pmcgrp_group_rings(group))
		group->output->task_leaves(group);
}

static const struct pmcgrp_carrier_ops carrier_ops = {
	.init = carrier_init,
	.add = carrier_add,
	.del = carrier_del,
};

static void latch_destroy(struct perf_event *event)
{
	pmcgrp_group_put(event->pmu_private);
}

static int latch_init(struct perf_event *event)
{
	event->destroy = latch_destroy;
	pmcgrp_group_get(event->pmu_private);
	return 0;
}

/*
 * Enable a group as its target calls execve(), once.  The latch is released later, by
 * pmcgrp_roots_drop_fired().  Sets of the group on other CPUs are enabled when they come in the
 * next time.
 */
static void latch_add(struct perf_event *event)
{
	struct pmcgrp_group *group = event->pmu_private;
	struct pmcgrp_evset *set = pmcgrp_row_here(group)->in;

	lockdep_assert_irqs_disabled();
	if (READ_ONCE(group->latch_fired))
		return;
	WRITE_ONCE(group->latch_fired, true);
	WRITE_ONCE(group->active, true);
	if (set)
		pmcgrp_sched_enable(set);
}

static const struct pmcgrp_carrier_ops latch_ops = {
	.init = latch_init,
	.add = latch_add,
};

/**
 * pmcgrp_group_carrier_create - follow a task or a CPU on behalf of a group
 * @group: the group, which has its rows; the carrier takes a reference
 * @task: the task, or NULL
 * @cpu: the CPU; -1 with @task
 *
 * The group's target, flags and state decide what is inherited, and when it is enabled.
 *
 * Context: may sleep.
 * Return: as pmcgrp_carrier_create().
 */
struct perf_event *pmcgrp_group_carrier_create(struct pmcgrp_group *group, struct task_struct *task,
					       int cpu)
{
	struct perf_event_attr attr = {
		/* comes in before flexible events do */
		.pinned = !!(group->flags & PMCGRP_CREATE_PINNED),
		.disabled = !READ_ONCE(group->active),
		.enable_on_exec = !!(group->flags & PMCGRP_CREATE_ENABLE_ON_EXEC),
	};

	return pmcgrp_carrier_create(PMCGRP_CARRIER_GROUP, &attr, group, task, cpu);
}

/**
 * pmcgrp_latch_create - have a task's next execve() enable a group
 * @group: the group; the latch takes a reference
 * @task: the task
 *
 * Context: may sleep.
 * Return: as pmcgrp_carrier_create().
 */
struct perf_event *pmcgrp_latch_create(struct pmcgrp_group *group, struct task_struct *task)
{
	struct perf_event_attr attr = {
		.disabled = 1,
		.enable_on_exec = 1,
	};

	return pmcgrp_carrier_create(PMCGRP_CARRIER_LATCH, &attr, group, task, -1);
}

/**
 * pmcgrp_group_carrier_init - set the operations of groups' carriers and latches
 *
 * Context: when the module is loaded.
 */
void __init pmcgrp_group_carrier_init(void)
{
	pmcgrp_carrier_register(PMCGRP_CARRIER_GROUP, &carrier_ops);
	pmcgrp_carrier_register(PMCGRP_CARRIER_LATCH, &latch_ops);
}
