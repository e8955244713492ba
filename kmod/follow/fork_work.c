// SPDX-License-Identifier: GPL-2.0-only
/*
 * A task that has created another one makes counters for more of them, before it goes on in user
 * mode.  So no task can create two before the counters for both are there (counter/pool_tasks.c).
 *
 * task_work_add() is exported by some kernels, such as Debian's, and not by others.
 */
#include <linux/atomic.h>
#include <linux/container_of.h>
#include <linux/delay.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/task_work.h>
#include "compat.h"
#include "counter/pool_tasks.h"
#include "follow/fork_work.h"
#include "follow/task_record.h"

/* task_work_add(), or NULL; constant after init */
static int (*add_work)(struct task_struct *task, struct callback_head *work,
		       enum task_work_notify_mode mode);

static atomic_t nr_works = ATOMIC_INIT(0); /* queued, or running */

/**
 * pmcgrp_fork_work_init - find out whether this is possible; once
 *
 * Return: whether it is.
 */
bool __init pmcgrp_fork_work_init(void)
{
	add_work = symbol_get(task_work_add);
	return add_work;
}

static void fork_work(struct callback_head *head)
{
	struct pmcgrp_task_record *record = container_of(head, struct pmcgrp_task_record, rcu);

	pmcgrp_pool_tasks_grow();
	pmcgrp_task_record_give(record);
	atomic_dec(&nr_works);
}

/**
 * pmcgrp_fork_work_queue - have the running task make counters when it returns to user mode
 *
 * Context: a probe in fork(); may not sleep; no raw lock held.
 * Return: whether it will.
 */
bool pmcgrp_fork_work_queue(void)
{
	struct pmcgrp_task_record *record;

	if (!add_work || current->flags & PF_KTHREAD)
		return false;
	record = pmcgrp_task_record_take(); /* for its rcu_head */
	if (!record)
		return false;
	init_task_work(&record->rcu, fork_work);
	atomic_inc(&nr_works);
	if (!add_work(current, &record->rcu, TWA_RESUME))
		return true;
	atomic_dec(&nr_works);
	pmcgrp_task_record_give(record);
	return false;
}

/**
 * pmcgrp_fork_work_exit - wait for the last of these tasks, after the last probe
 *
 * Context: may sleep.
 */
void pmcgrp_fork_work_exit(void)
{
	while (atomic_read(&nr_works))
		msleep(20);
	/* The last one returns from fork_work(), without sleeping. */
	synchronize_rcu_tasks();
	if (add_work)
		symbol_put(task_work_add);
}
