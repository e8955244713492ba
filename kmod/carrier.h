/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_CARRIER_H
#define PMCGRP_CARRIER_H

#include <linux/perf_event.h>

struct pmcgrp_ride;

int pmcgrp_carrier_init(void);
void pmcgrp_carrier_exit(void);
struct perf_event *pmcgrp_carrier_create(struct pmcgrp_ride *ride, struct task_struct *task,
					 int cpu, bool disabled, bool enable_on_exec);

#endif /* PMCGRP_CARRIER_H */
