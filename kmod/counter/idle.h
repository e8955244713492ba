/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_IDLE_H
#define PMCGRP_IDLE_H

#include <linux/types.h>

struct pmcgrp_counter;

bool pmcgrp_counters_used_since(u64 since);
struct pmcgrp_counter *pmcgrp_counter_idle(struct pmcgrp_counter *last);
bool pmcgrp_counter_try_evict(struct pmcgrp_counter *counter);
void pmcgrp_counter_evict(const struct pmcgrp_counter *counter);
bool pmcgrp_counters_evict(u64 before);
void pmcgrp_counters_evict_all(void);
void pmcgrp_counters_evict_of(const struct pmu *pmu);
void pmcgrp_counters_evict_programmed(void);
void pmcgrp_evicted_begin(void);
bool pmcgrp_counters_evict_for_now(void);
bool pmcgrp_evicted_begun(void);
bool pmcgrp_evicted_come_back(void);
void pmcgrp_evicted_forget(void);
bool pmcgrp_evicted_any_on(int cpu);
void pmcgrp_counters_evict_unreferenced(void);

#endif /* PMCGRP_IDLE_H */
