/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_CARRIER_H
#define PMCGRP_CARRIER_H

#include <linux/perf_event.h>

struct pmcgrp_group;

int pmcgrp_carrier_init(void);
void pmcgrp_carrier_exit(void);
struct perf_event *pmcgrp_carrier_create(struct pmcgrp_group *group, struct task_struct *task,
					 int cpu);
struct perf_event *pmcgrp_guard_event_create(int cpu);
struct perf_event *pmcgrp_latch_create(struct pmcgrp_group *group, struct task_struct *task);

#endif /* PMCGRP_CARRIER_H */
