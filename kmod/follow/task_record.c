// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of tasks for the table of those that are counted (task_table.c), made in advance.
 *
 * A new task needs one in its parent's fork().  A probe cannot wait for memory there.  On
 * PREEMPT_RT it cannot allocate at all, as its section is not preemptible.  So there is a reserve,
 * which a worker fills.
 */
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include "follow/task_record.h"

/* Size of the reserve: records that are taken while the worker waits for a CPU. */
#define RESERVE 128

static DEFINE_RAW_SPINLOCK(reserve_lock); /* innermost */
static HLIST_HEAD(reserve);		  /* reserve_lock */
static unsigned int nr_reserve;		  /* reserve_lock; read anywhere */

/**
 * pmcgrp_task_record_give - add a record to the reserve
 * @record: the record, in no table
 *
 * Context: any but NMI.
 */
void pmcgrp_task_record_give(struct pmcgrp_task_record *record)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&reserve_lock, flags);
	hlist_add_head(&record->node[0], &reserve);
	WRITE_ONCE(nr_reserve, nr_reserve + 1);
	raw_spin_unlock_irqrestore(&reserve_lock, flags);
}

static struct pmcgrp_task_record *reserve_take(void)
{
	struct pmcgrp_task_record *record;
	unsigned long flags;

	raw_spin_lock_irqsave(&reserve_lock, flags);
	record = hlist_entry_safe(reserve.first, struct pmcgrp_task_record, node[0]);
	if (record) {
		hlist_del(&record->node[0]);
		WRITE_ONCE(nr_reserve, nr_reserve - 1);
	}
	raw_spin_unlock_irqrestore(&reserve_lock, flags);
	return record;
}

/**
 * pmcgrp_task_records_fill - fill the reserve
 *
 * Context: may sleep.
 * Return: false if there is none at all.
 */
bool pmcgrp_task_records_fill(void)
{
	struct pmcgrp_task_record *record;

	while (READ_ONCE(nr_reserve) < RESERVE) {
		record = kzalloc(sizeof(*record), GFP_KERNEL);
		if (!record)
			return READ_ONCE(nr_reserve);
		pmcgrp_task_record_give(record);
	}
	return true;
}

static void task_record_fill(struct work_struct *work)
{
	pmcgrp_task_records_fill();
}

static DECLARE_WORK(fill_work, task_record_fill);

static void kick(struct irq_work *work)
{
	queue_work(system_unbound_wq, &fill_work);
}

static struct irq_work fill_kick = IRQ_WORK_INIT_HARD(kick);

/**
 * pmcgrp_task_record_take - take a record for a new task
 *
 * Context: a probe in fork(); may not sleep; no raw lock held.
 * Return: the record, for pmcgrp_task_record_give() or kfree_rcu(), or NULL.
 */
struct pmcgrp_task_record *pmcgrp_task_record_take(void)
{
	struct pmcgrp_task_record *record = reserve_take();

	if (READ_ONCE(nr_reserve) < RESERVE / 2)
		irq_work_queue(&fill_kick);
	if (!record && !IS_ENABLED(CONFIG_PREEMPT_RT))
		record = kzalloc(sizeof(*record), GFP_ATOMIC | __GFP_NOWARN);
	return record;
}

/**
 * pmcgrp_task_records_exit - free the reserve, after the last probe
 *
 * Context: may sleep.
 */
void pmcgrp_task_records_exit(void)
{
	struct pmcgrp_task_record *record;

	irq_work_sync(&fill_kick);
	cancel_work_sync(&fill_work);
	while ((record = reserve_take()))
		kfree(record);
}
