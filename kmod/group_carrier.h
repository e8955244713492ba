/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_GROUP_CARRIER_H
#define PMCGRP_GROUP_CARRIER_H

struct perf_event;
struct pmcgrp_group;
struct task_struct;

void pmcgrp_group_carrier_init(void);
struct perf_event *pmcgrp_group_carrier_create(struct pmcgrp_group *group, struct task_struct *task,
					       int cpu);
struct perf_event *pmcgrp_latch_create(struct pmcgrp_group *group, struct task_struct *task);

#endif /* PMCGRP_GROUP_CARRIER_H */
