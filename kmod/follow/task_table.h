/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_TASK_TABLE_H
#define PMCGRP_TASK_TABLE_H

#include <linux/hash.h>
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include "follow/task_record.h"

/**
 * struct pmcgrp_task_table - the table of tasks that are counted
 * @nr: number of the table: one more than that of the table before it
 * @shift: of a hash value, whose upper bits are the number of a bucket
 * @most: records that it is good for
 * @fewest: the same
 * @bucket: lists of struct pmcgrp_task_record, by @node[@nr & 1]
 */
struct pmcgrp_task_table {
	unsigned int nr;
	unsigned int shift;
	unsigned int most;
	unsigned int fewest;
	struct hlist_head bucket[];
};

extern struct pmcgrp_task_table __rcu *pmcgrp_task_table;
extern raw_spinlock_t pmcgrp_tasks_lock;

static __always_inline u64 pmcgrp_task_hash(const struct task_struct *task)
{
	return (unsigned long)task * GOLDEN_RATIO_64;
}

/* Find the record of a task, or NULL; in an RCU section, which interrupts off are, too. */
static __always_inline struct pmcgrp_task_record *
pmcgrp_task_record_of(const struct task_struct *task)
{
	const struct pmcgrp_task_table *table = rcu_dereference_check(pmcgrp_task_table,
								      irqs_disabled());
	struct pmcgrp_task_record *record;

	hlist_for_each_entry_rcu(record, &table->bucket[pmcgrp_task_hash(task) >> table->shift],
				 node[table->nr & 1], irqs_disabled())
		if (record->task == task)
			return record;
	return NULL;
}

/* What counts a task with others; NULL for none.  In the same RCU section. */
static __always_inline struct pmcgrp_binding *
pmcgrp_task_record_binding(const struct pmcgrp_task_record *record)
{
	return record ? rcu_dereference_check(record->binding, irqs_disabled()) : NULL;
}

struct pmcgrp_task_record *pmcgrp_task_record_find_or_add(struct task_struct *task,
							  struct pmcgrp_task_record **fresh);
void pmcgrp_task_record_tidy(struct pmcgrp_task_record *record);

typedef bool (*pmcgrp_task_record_visit_t)(struct pmcgrp_task_record *record, void *arg);

bool pmcgrp_task_records_visit(u64 *from, pmcgrp_task_record_visit_t visit, void *arg);
void pmcgrp_task_table_exit(void);

#endif /* PMCGRP_TASK_TABLE_H */
