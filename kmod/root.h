/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_ROOT_H
#define PMCGRP_ROOT_H

#include <linux/sched.h>
#include "attr.h"

struct pmcgrp_group;
struct pmcgrp_root;

int pmcgrp_roots_make(struct pmcgrp_group *group, struct task_struct *task,
		      struct pmcgrp_failure *fail);
void pmcgrp_roots_enable(struct pmcgrp_group *group, bool enable);
void pmcgrp_roots_drop(struct pmcgrp_group *group);
void pmcgrp_root_rebuild(struct pmcgrp_group *group, int cpu);
struct task_struct *pmcgrp_root_task(const struct pmcgrp_root *root);
unsigned int pmcgrp_roots_ended(const struct pmcgrp_group *group);
int pmcgrp_roots_check(const struct pmcgrp_group *group, struct pmcgrp_failure *fail);
int pmcgrp_root_part(struct pmcgrp_group *group, struct pmcgrp_failure *fail);
void pmcgrp_roots_drop_fired(struct pmcgrp_group *group);

#endif /* PMCGRP_ROOT_H */
