// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters for lists of several tasks, made before the tasks need them.
 *
 * A new list has counters for twice the tasks that it counts.  It wants them for four times the
 * tasks of all such lists.  A task that creates another one while there are fewer makes them before
 * it goes on in user mode (follow/fork_work.c):
 *
 *	Before that, each task has created one other at most.  So there are twice as many tasks at
 *	most, and a counter for each.
 *
 * Where the kernel does not let a task do so, a list has a counter for each CPU from the beginning.
 */
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include "compat.h"
#include "counter/event.h"
#include "counter/pool.h"
#include "counter/pool_tasks.h"
#include "platform/cpu_state.h"

/* Lists want counters for so many times the tasks that live. */
#define TIMES 4

static bool is_heeded;		 /* pmcgrp_pool_tasks_expect() is; constant after init */
static unsigned int prepared;	 /* tasks for which lists want counters; as @is_behind */
static bool is_behind;		 /* some have fewer; pmcgrp_groups_mutex, read anywhere */
static unsigned int nr_expected; /* most tasks so far; pmcgrp_pool_tasks_expect(), read anywhere */
static unsigned int nr_wanted;	 /* sum of nr_several of all events; pmcgrp_groups_mutex */

/* There is no such list. */
static void pool_tasks_reset(void)
{
	WRITE_ONCE(prepared, is_heeded ? TIMES : pmcgrp_nr_cpus);
	WRITE_ONCE(is_behind, false);
	WRITE_ONCE(nr_expected, 0);
}

/**
 * pmcgrp_pool_tasks_init - begin without such lists; once, after pmcgrp_pools_init()
 * @heeded: pmcgrp_pool_tasks_grow() is called in time where pmcgrp_pool_tasks_expect() wants it
 */
void pmcgrp_pool_tasks_init(bool heeded)
{
	is_heeded = heeded;
	pool_tasks_reset();
}

/* Number of tasks for which each list wants counters. */
static unsigned int nr_prepared(void)
{
	return min(prepared, pmcgrp_nr_cpus);
}

/* There are so many tasks. */
static void pool_tasks_prepare(unsigned int nr)
{
	unsigned int before = nr_prepared();

	lockdep_assert_held(&pmcgrp_groups_mutex);
	while (prepared < pmcgrp_nr_cpus && prepared / TIMES < nr)
		WRITE_ONCE(prepared, 2 * prepared);
	if (nr_prepared() == before)
		return;
	WRITE_ONCE(is_behind, true);
	pmcgrp_pools_want_more(nr_prepared() - before);
}

/**
 * pmcgrp_pool_tasks_want - let tasks count an event that create others
 * @ev: the event
 * @nr: how many tasks there are
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: as pmcgrp_pool_want().
 */
int pmcgrp_pool_tasks_want(struct pmcgrp_shared_event *ev, unsigned int nr)
{
	unsigned int now;
	int err;

	pool_tasks_prepare(nr);
	now = nr_prepared();
	if (is_heeded)
		now = min(2 * min(nr, pmcgrp_nr_cpus), now);
	err = pmcgrp_pool_want(ev, now);
	if (err || ev->is_bound)
		return err;
	WRITE_ONCE(ev->want, ev->want + nr_prepared() - now);
	if (pmcgrp_pool_is_behind(ev))
		WRITE_ONCE(is_behind, true);
	ev->nr_several++;
	nr_wanted++;
	return 0;
}

/**
 * pmcgrp_pool_tasks_unwant - undo pmcgrp_pool_tasks_want()
 * @ev: the event, not @is_bound
 *
 * Context: pmcgrp_groups_mutex held.
 */
void pmcgrp_pool_tasks_unwant(struct pmcgrp_shared_event *ev)
{
	pmcgrp_pool_unwant(ev, nr_prepared());
	ev->nr_several--;
	if (!--nr_wanted)
		pool_tasks_reset();
}

/**
 * pmcgrp_pool_tasks_expect - note how many tasks such lists count, as one creates another
 * @nr: their number, of all lists
 *
 * Context: interrupts off; one call at a time.
 * Return: whether pmcgrp_pool_tasks_grow() has to be called before the task creates the next.
 */
bool pmcgrp_pool_tasks_expect(unsigned int nr)
{
	unsigned int now = READ_ONCE(prepared);

	lockdep_assert_irqs_disabled();
	if (likely(!READ_ONCE(is_behind) && (now >= pmcgrp_nr_cpus || nr <= now / TIMES)))
		return false;
	WRITE_ONCE(nr_expected, max(nr, READ_ONCE(nr_expected)));
	return true;
}

/**
 * pmcgrp_pool_tasks_grow - make the counters that such lists want
 *
 * Context: may sleep.
 */
void pmcgrp_pool_tasks_grow(void)
{
	mutex_lock(&pmcgrp_groups_mutex);
	pool_tasks_prepare(READ_ONCE(nr_expected));
	WRITE_ONCE(is_behind, false);
	pmcgrp_pools_fill();
	mutex_unlock(&pmcgrp_groups_mutex);
}

static void pool_tasks_work(struct work_struct *work)
{
	pmcgrp_pool_tasks_grow();
}

static DECLARE_WORK(grow_work, pool_tasks_work);

/**
 * pmcgrp_pool_tasks_grow_soon - have a worker do so
 *
 * Context: any but NMI; no raw lock held.
 */
void pmcgrp_pool_tasks_grow_soon(void)
{
	schedule_work(&grow_work);
}

/**
 * pmcgrp_pool_tasks_exit - end the worker, after the last probe
 *
 * Context: may sleep.
 */
void pmcgrp_pool_tasks_exit(void)
{
	cancel_work_sync(&grow_work);
}
