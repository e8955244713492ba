// SPDX-License-Identifier: GPL-2.0-only
/*
 * Carriers of lists: a list's set is scheduled in and out with a task or CPU, and a latch enables
 * the list at execve().
 *
 * Each carrier has a set of its own, which is created with it and ends with it (evset.c).
 */
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/sched.h>
#include "counter/carrier.h"
#include "group/evlist_carrier.h"
#include "sched/sched.h"
#include "set/evlist.h"
#include "set/evlist_sets.h"
#include "set/evset.h"

static void carrier_destroy(struct perf_event *event)
{
	struct pmcgrp_evset *set = event->pmu_private;
	struct pmcgrp_evlist *evlist = set->evlist;

	/* leave_context() has failed: the set is still in its context. */
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
	if (evlist->hooks)
		evlist->hooks->carrier_init(evlist, event);
	pmcgrp_evlist_get(evlist);
	return 0;
}

static void evlist_carrier_add(struct perf_event *event)
{
	struct pmcgrp_evset *set = event->pmu_private;

	if (unlikely(set->evlist->hooks))
		set->evlist->hooks->carrier_in(set->evlist);
	pmcgrp_sched_in(set);
}

static void evlist_carrier_del(struct perf_event *event)
{
	struct pmcgrp_evset *set = event->pmu_private;
	struct pmcgrp_evlist *evlist = set->evlist;

	if (unlikely(evlist->hooks))
		evlist->hooks->carrier_out(evlist, event);
	pmcgrp_sched_leave(set);
	if (unlikely(evlist->hooks))
		evlist->hooks->carrier_gone(evlist, event);
	if (unlikely(pmcgrp_task_may_end(current)) && set->task)
		pmcgrp_evlist_notify_end(evlist);
}

static const struct pmcgrp_carrier_ops carrier_ops = {
	.init = evlist_carrier_init,
	.add = evlist_carrier_add,
	.del = evlist_carrier_del,
};

static void latch_destroy(struct perf_event *event)
{
	pmcgrp_evlist_put(event->pmu_private);
}

static int latch_init(struct perf_event *event)
{
	event->destroy = latch_destroy;
	pmcgrp_evlist_get(event->pmu_private);
	return 0;
}

/*
 * Enable a list as its target calls execve(), once.  The latch is released later, by
 * pmcgrp_roots_drop_fired().  Sets of the list on other CPUs are enabled when they come in the
 * next time.
 */
static void latch_add(struct perf_event *event)
{
	struct pmcgrp_evlist *evlist = event->pmu_private;
	struct pmcgrp_evset *set = pmcgrp_evcpu_here(evlist)->in;

	lockdep_assert_irqs_disabled();
	if (READ_ONCE(evlist->latch_fired))
		return;
	WRITE_ONCE(evlist->latch_fired, true);
	WRITE_ONCE(evlist->active, true);
	if (set)
		pmcgrp_sched_enable(set);
}

static const struct pmcgrp_carrier_ops latch_ops = {
	.init = latch_init,
	.add = latch_add,
};

/**
 * pmcgrp_evlist_carrier_create - follow the task of a list, or a CPU, by an event of perf core
 * @evlist: the event list, which has its evcpus; the carrier takes a reference
 * @cpu: the CPU; -1 for the task
 *
 * The list's flags and state decide when it is enabled.
 *
 * Context: may sleep.
 * Return: as pmcgrp_carrier_create().
 */
struct perf_event *pmcgrp_evlist_carrier_create(struct pmcgrp_evlist *evlist, int cpu)
{
	struct task_struct *task = cpu < 0 ? evlist->task : NULL;
	struct perf_event_attr attr = {
		/* comes in before flexible events do */
		.pinned = !!(evlist->flags & PMCGRP_CREATE_PINNED),
		.disabled = !READ_ONCE(evlist->active),
		.enable_on_exec = !!(evlist->flags & PMCGRP_CREATE_ENABLE_ON_EXEC),
	};

	return pmcgrp_carrier_create(PMCGRP_CARRIER_GROUP, &attr, evlist, task, cpu);
}

/**
 * pmcgrp_latch_create - have a task's next execve() enable a list
 * @evlist: the event list; the latch takes a reference
 * @task: the task
 *
 * Context: may sleep.
 * Return: as pmcgrp_carrier_create().
 */
struct perf_event *pmcgrp_latch_create(struct pmcgrp_evlist *evlist, struct task_struct *task)
{
	struct perf_event_attr attr = {
		.disabled = 1,
		.enable_on_exec = 1,
	};

	return pmcgrp_carrier_create(PMCGRP_CARRIER_LATCH, &attr, evlist, task, -1);
}

/**
 * pmcgrp_evlist_carrier_init - set the operations of lists' carriers and latches
 *
 * Context: when the module is loaded.
 */
void __init pmcgrp_evlist_carrier_init(void)
{
	pmcgrp_carrier_register(PMCGRP_CARRIER_GROUP, &carrier_ops);
	pmcgrp_carrier_register(PMCGRP_CARRIER_LATCH, &latch_ops);
}
