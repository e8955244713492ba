/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_COUNTER_PMU_H
#define PMCGRP_COUNTER_PMU_H

#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/types.h>

struct pmcgrp_counter;

extern struct pmu pmcgrp_no_pmu;
extern struct mutex pmcgrp_pmus_mutex;

int pmcgrp_counter_pmu_init(void (*leave)(struct pmcgrp_counter *counter));
void pmcgrp_counter_pmu_exit(void);
struct perf_event_context *pmcgrp_counter_pmu_lock_ctx(struct perf_event *event);
bool pmcgrp_counter_pmu_is_uncore(struct perf_event *event);
int pmcgrp_counter_pmu_take(struct pmcgrp_counter *counter);
void pmcgrp_counter_pmu_put(struct pmcgrp_counter *counter);

#endif /* PMCGRP_COUNTER_PMU_H */
