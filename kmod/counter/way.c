// SPDX-License-Identifier: GPL-2.0-only
/*
 * Way events: perf core makes way for sets of a task where flexible events of the CPU have its
 * counters.
 *
 * A way event is a pinned event of the carriers' PMU (carrier.c), of a task.  Before perf core
 * schedules in a task with pinned events, it schedules out the flexible events of the CPU
 * (kernel/events/core.c: perf_event_context_sched_in()).  Then the way event comes in, and the sets
 * of the task find room (turn.c).  Then the CPU's events come in again, as far as they fit.
 *
 * The task pays for that at each of its switches.  So it has a way event only while its sets need
 * it, and a second longer.
 *
 * Before 6.2 a task's pinned software event is in a context of its own, and perf core does not take
 * out events of the CPUs' PMU for it: there are no way events.
 */
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include "compat.h"
#include "counter/carrier.h"
#include "counter/event.h"
#include "counter/way.h"

/* Time for which a way event stays that is not needed any more. */
#define KEEP HZ

/* Tasks that have one at a time. */
#define WAYS_MOST 64

/* Times in a row that a task came in without a set finding room: another one is in its way. */
#define MISSED_MOST 4

/**
 * struct way - the way event of one task
 * @node: node in the list of all; pmcgrp_groups_mutex
 * @event: the event, which holds a reference to its task
 * @task: the task, only to be compared
 * @needed_at: jiffies when it was of use last; written on the task's CPU
 * @missed: times in a row that it was of no use; written on the task's CPU
 */
struct way {
	struct list_head node;
	struct perf_event *event;
	const struct task_struct *task;
	unsigned long needed_at;
	unsigned int missed;
};

static LIST_HEAD(ways);	     /* pmcgrp_groups_mutex */
static unsigned int nr_ways; /* pmcgrp_groups_mutex */

static void way_release_old(struct work_struct *work);
static DECLARE_DELAYED_WORK(release_work, way_release_old);

static bool way_is_over(const struct way *way)
{
	return pmcgrp_carrier_has_ended(way->event) ||
	       time_after(jiffies, READ_ONCE(way->needed_at) + KEEP);
}

static void release_all(struct list_head *released)
{
	struct way *way, *next;

	list_for_each_entry_safe(way, next, released, node) {
		perf_event_release_kernel(way->event);
		kfree(way);
	}
}

/*
 * Not under the mutex: on PREEMPT_RT the release of each event waits for an RCU grace period
 * (kernel/irq_work.c: irq_work_sync()).
 */
static void way_release_old(struct work_struct *work)
{
	struct way *way, *next;
	LIST_HEAD(released);

	mutex_lock(&pmcgrp_groups_mutex);
	list_for_each_entry_safe(way, next, &ways, node) {
		if (!way_is_over(way))
			continue;
		list_move(&way->node, &released);
		nr_ways--;
	}
	if (nr_ways)
		schedule_delayed_work(&release_work, KEEP);
	mutex_unlock(&pmcgrp_groups_mutex);
	release_all(&released);
}

/**
 * pmcgrp_way_release - release all way events, as nobody has the device open any more
 *
 * The module could not be unloaded for a second.  Groups that are open still get other ones.
 *
 * Context: may sleep.
 */
void pmcgrp_way_release(void)
{
	LIST_HEAD(released);

	mutex_lock(&pmcgrp_groups_mutex);
	list_splice_init(&ways, &released);
	nr_ways = 0;
	mutex_unlock(&pmcgrp_groups_mutex);
	release_all(&released);
}

static struct way *way_of(const struct task_struct *task)
{
	struct way *way;

	list_for_each_entry(way, &ways, node)
		if (way->task == task && !pmcgrp_carrier_has_ended(way->event))
			return way;
	return NULL;
}

/* Made by a worker: charged to no memory cgroup. */
static struct way *way_create(struct task_struct *task)
{
	struct perf_event_attr attr = { .pinned = 1 };
	struct way *way = kzalloc(sizeof(*way), GFP_KERNEL);
	struct perf_event *event;

	if (!way)
		return NULL;
	way->task = task;
	way->needed_at = jiffies;
	event = pmcgrp_carrier_create(PMCGRP_CARRIER_WAY, &attr, way, task, -1);
	if (IS_ERR(event)) {
		kfree(way);
		return NULL;
	}
	way->event = event;
	return way;
}

/**
 * pmcgrp_way_make - have perf core make way for sets of a task as it comes in
 * @task: the task, which does not run on this CPU now
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: whether it will; false without memory, with too many such tasks, if the task exits, or
 * if that has not helped.
 */
bool pmcgrp_way_make(struct task_struct *task)
{
	struct way *way;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (!pmcgrp_core_makes_way())
		return false;
	way = way_of(task);
	if (way)
		return READ_ONCE(way->missed) < MISSED_MOST;
	if (nr_ways == WAYS_MOST)
		return false;
	way = way_create(task);
	if (!way)
		return false;
	list_add(&way->node, &ways);
	if (!nr_ways++)
		schedule_delayed_work(&release_work, KEEP);
	return true;
}

/**
 * pmcgrp_way_note - note that a way event was needed as it came in, and whether it was of use
 * @event: the way event
 * @served: any of the sets that waited here has found room, or perf has its slice
 *
 * Context: interrupts off; perf core's ctx->lock is held.
 */
void pmcgrp_way_note(struct perf_event *event, bool served)
{
	struct way *way = event->pmu_private;

	lockdep_assert_irqs_disabled();
	if (served)
		WRITE_ONCE(way->needed_at, jiffies);
	WRITE_ONCE(way->missed, served ? 0 : way->missed + 1);
}

/**
 * pmcgrp_way_exit - end the work, after the last way event
 *
 * Context: may sleep.
 */
void pmcgrp_way_exit(void)
{
	cancel_delayed_work_sync(&release_work);
}
