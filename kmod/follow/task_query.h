/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_TASK_QUERY_H
#define PMCGRP_TASK_QUERY_H

#include <linux/types.h>

struct mm_struct;
struct pmcgrp_contexts;
struct task_struct;

struct task_struct **pmcgrp_tasks_find_missing(const struct pmcgrp_contexts *contexts,
					       struct task_struct *task, unsigned int *nr);
struct task_struct **pmcgrp_tasks_collect(const struct pmcgrp_contexts *contexts, unsigned int *nr);
unsigned int pmcgrp_tasks_count(const struct pmcgrp_contexts *contexts);
bool pmcgrp_tasks_have_target(const struct pmcgrp_contexts *contexts);
bool pmcgrp_tasks_are_of_target(struct pmcgrp_contexts *contexts);
bool pmcgrp_tasks_use_mm(const struct pmcgrp_contexts *contexts, const struct mm_struct *mm);

#endif /* PMCGRP_TASK_QUERY_H */
