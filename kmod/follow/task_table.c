// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of tasks that are counted: a record has what counts a task, alone or with others.
 *
 * Every context switch looks for the task that comes.  So the table has at least two buckets for
 * each record.  A worker replaces it by a larger one, or a smaller one again:
 *
 *	1. The next table is published for those who add and remove records: they do so in both.
 *	2. The records that there were are added to it, some at a time.
 *	3. It is published for those who look for tasks.  After a grace period of RCU nobody reads
 *	   the table before it, which is freed.
 *
 * A record has a node for each of two tables that follow each other.  Those who look for a task
 * read one table, without a lock or barrier: the next has all records before they see it.
 *
 * The upper bits of a hash value are the number of its bucket.  So the order of records by hash
 * value is that of the buckets, whatever their number.  A walk that lets interrupts in goes on
 * from the value that it has got to, in whichever table there is then.
 *
 * Locks: records and tables are written under pmcgrp_tasks_lock, and read in RCU sections.  It is
 * one lock, not one for each bucket: fork() adds the child's record while the parent keeps its
 * binding.  Else those who remove a binding could miss the child.
 *
 * The kernel's rhashtable does not do.  lib/rhashtable.c: rhashtable_insert_rehash() allocates,
 * which PREEMPT_RT does not allow under a raw lock.  It schedules work, whose locks have the
 * run-queue lock inside them.
 */
#include <linux/bits.h>
#include <linux/cache.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include "follow/task_record.h"
#include "follow/task_table.h"

/* log2 of the fewest buckets. */
#define BITS_MIN 8U

/* Steps of a walk before interrupts are let in: buckets, and for each record some more. */
#define WALK_AT_ONCE 256
#define RECORD_STEPS 8

/* Protects the table and its records; inside the run-queue lock. */
DEFINE_RAW_SPINLOCK(pmcgrp_tasks_lock);

static struct pmcgrp_task_table smallest __read_mostly = {
	.shift = 64 - BITS_MIN,
	.most = BIT(BITS_MIN) / 2,
	.bucket = { [BIT(BITS_MIN) - 1] = HLIST_HEAD_INIT },
};

struct pmcgrp_task_table __rcu *pmcgrp_task_table __read_mostly = RCU_INITIALIZER(&smallest);

static struct pmcgrp_task_table *next_table; /* pmcgrp_tasks_lock */
static unsigned int nr_records;		     /* pmcgrp_tasks_lock; read anywhere */

static void table_resize(struct work_struct *work);
static DECLARE_WORK(resize_work, table_resize);

static void table_kick(struct irq_work *work)
{
	queue_work(system_unbound_wq, &resize_work);
}

static struct irq_work resize_kick = IRQ_WORK_INIT_HARD(table_kick);

/* The table that is read; pmcgrp_tasks_lock is held, or by its worker. */
static struct pmcgrp_task_table *table_now(void)
{
	return rcu_dereference_protected(pmcgrp_task_table, true);
}

/* Whether a table has a good size for the records that there are. */
static bool table_suits(const struct pmcgrp_task_table *table)
{
	unsigned int nr = READ_ONCE(nr_records);

	return nr <= table->most && nr >= table->fewest;
}

/* Have the worker do something if the number of records wants it. */
static void table_nr_changed(int by)
{
	lockdep_assert_held(&pmcgrp_tasks_lock);
	WRITE_ONCE(nr_records, nr_records + by);
	if (unlikely(!table_suits(table_now())) && !work_pending(&resize_work))
		irq_work_queue(&resize_kick);
}

static struct hlist_node *node_for(struct pmcgrp_task_record *record,
				   const struct pmcgrp_task_table *table)
{
	return &record->node[table->nr & 1];
}

static void table_add(struct pmcgrp_task_table *table, struct pmcgrp_task_record *record)
{
	record->table = table->nr;
	hlist_add_head_rcu(node_for(record, table),
			   &table->bucket[pmcgrp_task_hash(record->task) >> table->shift]);
}

/**
 * pmcgrp_task_record_find_or_add - find the record of a task, or add one
 * @task: the task
 * @fresh: in: a record for it, zeroed, or NULL; out: NULL if it has been added
 *
 * Context: pmcgrp_tasks_lock held.
 * Return: the record, or NULL.
 */
struct pmcgrp_task_record *pmcgrp_task_record_find_or_add(struct task_struct *task,
							  struct pmcgrp_task_record **fresh)
{
	struct pmcgrp_task_record *record = pmcgrp_task_record_of(task);

	lockdep_assert_held(&pmcgrp_tasks_lock);
	if (record || !*fresh)
		return record;
	record = *fresh;
	*fresh = NULL;
	record->task = task;
	table_add(table_now(), record);
	if (next_table)
		table_add(next_table, record);
	table_nr_changed(1);
	return record;
}

/**
 * pmcgrp_task_record_tidy - remove a record if nothing counts its task any more
 * @record: the record
 *
 * Context: pmcgrp_tasks_lock held.
 */
void pmcgrp_task_record_tidy(struct pmcgrp_task_record *record)
{
	lockdep_assert_held(&pmcgrp_tasks_lock);
	if (rcu_access_pointer(record->ctx) || rcu_access_pointer(record->binding))
		return;
	hlist_del_rcu(node_for(record, table_now()));
	if (next_table && record->table == next_table->nr)
		hlist_del_rcu(node_for(record, next_table));
	if (!record->is_part)
		kfree_rcu(record, rcu);
	table_nr_changed(-1);
}

/**
 * pmcgrp_task_records_visit - look at some records, in the order of their hash values
 * @from: hash value that the walk has got to, 0 at first; moved on
 * @visit: called for each, under pmcgrp_tasks_lock: its task is not freed meanwhile.  It may remove
 *	the record.  false: no more
 * @arg: argument of @visit
 *
 * Records that are there from the first to the last call are each visited once, if no call of
 * @visit returns false: the next walk from there on begins with the same bucket.
 *
 * Context: any but NMI.
 * Return: whether there may be more: call again.
 */
bool pmcgrp_task_records_visit(u64 *from, pmcgrp_task_record_visit_t visit, void *arg)
{
	struct pmcgrp_task_table *table;
	struct pmcgrp_task_record *record;
	struct hlist_node *next;
	unsigned int steps = 0;
	unsigned long flags;
	bool more;
	u64 at;

	raw_spin_lock_irqsave(&pmcgrp_tasks_lock, flags);
	table = table_now();
	at = *from >> table->shift;
	do {
		hlist_for_each_entry_safe(record, next, &table->bucket[at], node[table->nr & 1]) {
			/* The table had more buckets when the walk got to @from. */
			if (pmcgrp_task_hash(record->task) < *from)
				continue;
			steps += RECORD_STEPS;
			more = visit(record, arg);
			if (!more)
				goto unlock;
		}
		*from = ++at << table->shift; /* behind the last bucket: 0 */
		more = *from;
	} while (more && ++steps < WALK_AT_ONCE);
unlock:
	raw_spin_unlock_irqrestore(&pmcgrp_tasks_lock, flags);
	return more;
}

static bool add_to_next(struct pmcgrp_task_record *record, void *unused)
{
	if (record->table != next_table->nr)
		table_add(next_table, record);
	return true;
}

/* Make an empty table.  Return: the table, or NULL. */
static struct pmcgrp_task_table *table_make(unsigned int bits)
{
	struct pmcgrp_task_table *table = &smallest;
	size_t size = struct_size(table, bucket, BIT(bits));

	if (bits > BITS_MIN)
		table = kvzalloc(size, GFP_KERNEL | __GFP_NOWARN);
	else
		memset(table, 0, size);
	if (!table)
		return NULL;
	table->shift = 64 - bits;
	table->most = BIT(bits) / 2;
	table->fewest = bits > BITS_MIN ? BIT(bits) / 16 : 0;
	return table;
}

static void table_free(struct pmcgrp_task_table *table)
{
	if (table != &smallest)
		kvfree(table);
}

/* Return: false if there is no better table; without memory the next change tries again. */
static bool table_replace(void)
{
	/* Amid what the table is good for. */
	unsigned int bits = order_base_2(3 * (u64)READ_ONCE(nr_records));
	struct pmcgrp_task_table *old = table_now(), *fresh = NULL;
	u64 from = 0;

	bits = max(bits, BITS_MIN);
	if (old->shift != 64 - bits)
		fresh = table_make(bits);
	if (!fresh)
		return false;
	fresh->nr = old->nr + 1;
	raw_spin_lock_irq(&pmcgrp_tasks_lock);
	next_table = fresh;
	raw_spin_unlock_irq(&pmcgrp_tasks_lock);
	while (pmcgrp_task_records_visit(&from, add_to_next, NULL))
		cond_resched();
	raw_spin_lock_irq(&pmcgrp_tasks_lock);
	/*
	 * Pairs with pmcgrp_task_record_of().  Under the lock: who adds a record to this table
	 * alone has seen it published.  So does a switch that comes after that one's barrier
	 * (pmcgrp_task_call()).
	 */
	rcu_assign_pointer(pmcgrp_task_table, fresh);
	next_table = NULL;
	raw_spin_unlock_irq(&pmcgrp_tasks_lock);
	/* Nor does anybody read the records' nodes for it: the table after this one needs them. */
	synchronize_rcu();
	table_free(old);
	return true;
}

static void table_resize(struct work_struct *work)
{
	while (!table_suits(table_now()) && table_replace())
		;
}

/**
 * pmcgrp_task_table_exit - free the table, after the last probe and group
 *
 * Context: may sleep.
 */
void pmcgrp_task_table_exit(void)
{
	irq_work_sync(&resize_kick);
	cancel_work_sync(&resize_work);
	table_free(table_now());
}
