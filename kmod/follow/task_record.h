/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_TASK_RECORD_H
#define PMCGRP_TASK_RECORD_H

#include <linux/rcupdate.h>
#include <linux/types.h>

struct pmcgrp_binding;
struct pmcgrp_task_context;
struct task_struct;

/**
 * struct pmcgrp_task_record - what counts a task (task_table.c), or a spare record
 * @node: in a table, and in the one that is to replace it; @node[0] in the reserve
 * @task: the task
 * @ctx: the context of the sets that follow it alone (task_context.c), or NULL
 * @binding: what counts it with others (task_binding.c), a reference; or NULL
 * @table: pmcgrp_task_table.nr of the newest table that it is in
 * @is_part: it is the first field of a context, which has not ended, and is freed with that
 * @rcu: frees it, after those who have found it in an RCU section
 *
 * In the table it is protected by pmcgrp_tasks_lock; @task, @ctx and @binding are read in RCU
 * sections as well.
 */
struct pmcgrp_task_record {
	struct hlist_node node[2];
	struct task_struct *task;
	struct pmcgrp_task_context __rcu *ctx;
	struct pmcgrp_binding __rcu *binding;
	unsigned int table;
	bool is_part;
	struct rcu_head rcu;
};

bool pmcgrp_task_records_fill(void);
struct pmcgrp_task_record *pmcgrp_task_record_take(void);
void pmcgrp_task_record_give(struct pmcgrp_task_record *record);
void pmcgrp_task_records_exit(void);

#endif /* PMCGRP_TASK_RECORD_H */
