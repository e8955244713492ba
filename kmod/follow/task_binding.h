/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_TASK_BINDING_H
#define PMCGRP_TASK_BINDING_H

#include <linux/types.h>

struct pmcgrp_binding;
struct pmcgrp_contexts;
struct task_struct;

int pmcgrp_tasks_add(struct pmcgrp_contexts *contexts, struct task_struct *const *task,
		     unsigned int nr);
void pmcgrp_tasks_remove(const struct pmcgrp_contexts *contexts);

bool pmcgrp_task_is_bound(const struct task_struct *task, const struct pmcgrp_contexts *contexts);
struct pmcgrp_binding *pmcgrp_tasks_binding(const struct task_struct *task);

void pmcgrp_tasks_fork(struct task_struct *child, u64 clone_flags);
void pmcgrp_tasks_free(const struct task_struct *task);
void pmcgrp_tasks_exec(void);
void pmcgrp_tasks_exit(void);

#endif /* PMCGRP_TASK_BINDING_H */
