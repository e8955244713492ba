/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_TASK_ENTRY_H
#define PMCGRP_TASK_ENTRY_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

struct pmcgrp_binding;
struct task_struct;

/**
 * struct pmcgrp_task_entry - a task that is counted (task_table.c), or a spare entry
 * @node: in the table, or in the reserve
 * @task: the task, only to be compared
 * @binding: groups that count it, a reference
 * @rcu: frees the entry
 */
struct pmcgrp_task_entry {
	struct hlist_node node;
	const struct task_struct *task;
	struct pmcgrp_binding *binding;
	struct rcu_head rcu;
};

bool pmcgrp_task_entries_fill(void);
struct pmcgrp_task_entry *pmcgrp_task_entry_take(void);
void pmcgrp_task_entry_give(struct pmcgrp_task_entry *entry);
void pmcgrp_task_entries_exit(void);

#endif /* PMCGRP_TASK_ENTRY_H */
