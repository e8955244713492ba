// SPDX-License-Identifier: GPL-2.0-only
/*
 * Latches: perf events of pmcgrp's own PMU that enable a list as its tasks call execve()
 * (%PMCGRP_CREATE_ENABLE_ON_EXEC).  A list has one for each task, until one of them has fired.
 */
#include <linux/err.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include "counter/carrier.h"
#include "follow/latch.h"
#include "sched/sched.h"
#include "set/evlist.h"

/**
 * struct latch - a latch of a list
 * @node: node in pmcgrp_evlist.latches
 * @event: the event
 */
struct latch {
	struct list_head node;
	struct perf_event *event;
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
 * pmcgrp_latches_drop().  Sets of the list on other CPUs are enabled when they come in the
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
 * pmcgrp_latch_add - have a task's next execve() enable a list, if its flags say so
 * @evlist: the event list; the latch takes a reference
 * @task: the task
 *
 * Context: may sleep; the list's mutex held.
 * Return: 0, then pmcgrp_latches_drop() undoes this; -ENOMEM, or an errno as of
 * pmcgrp_carrier_create().
 */
int pmcgrp_latch_add(struct pmcgrp_evlist *evlist, struct task_struct *task)
{
	struct perf_event_attr attr = {
		.disabled = 1,
		.enable_on_exec = 1,
	};
	struct latch *latch;
	int err;

	lockdep_assert_held(&evlist->mutex);
	if (!(evlist->flags & PMCGRP_CREATE_ENABLE_ON_EXEC))
		return 0;
	latch = kzalloc(sizeof(*latch), GFP_KERNEL_ACCOUNT);
	if (!latch)
		return -ENOMEM;
	latch->event = pmcgrp_carrier_create(PMCGRP_CARRIER_LATCH, &attr, evlist, task, -1);
	err = PTR_ERR_OR_ZERO(latch->event);
	if (err)
		kfree(latch);
	else
		list_add_tail(&latch->node, &evlist->latches);
	return err;
}

/**
 * pmcgrp_latches_drop - release the latches of a list, which does not wait for execve() any more
 * @evlist: the event list
 *
 * Context: may sleep; the list's mutex held.
 */
void pmcgrp_latches_drop(struct pmcgrp_evlist *evlist)
{
	struct latch *latch, *next;

	lockdep_assert_held(&evlist->mutex);
	list_for_each_entry_safe(latch, next, &evlist->latches, node) {
		list_del(&latch->node);
		perf_event_release_kernel(latch->event);
		kfree(latch);
	}
	evlist->is_followed = !list_empty(&evlist->watches);
}

/**
 * pmcgrp_latch_init - set the operations of latches
 *
 * Context: when the module is loaded.
 */
void __init pmcgrp_latch_init(void)
{
	pmcgrp_carrier_register(PMCGRP_CARRIER_LATCH, &latch_ops);
}
