/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_IDLE_H
#define PMCGRP_IDLE_H

#include <linux/types.h>

struct pmcgrp_counter;

bool pmcgrp_idle_used_since(u64 since);
struct pmcgrp_counter *pmcgrp_idle_find(struct pmcgrp_counter *last);
bool pmcgrp_idle_try_evict(struct pmcgrp_counter *counter);
void pmcgrp_idle_evict(const struct pmcgrp_counter *counter);
bool pmcgrp_idle_evict_old(u64 before);
void pmcgrp_idle_evict_all(void);
void pmcgrp_idle_evict_of(const struct pmu *pmu);
void pmcgrp_idle_evict_programmed(void);
void pmcgrp_evicted_begin(void);
bool pmcgrp_idle_evict_for_now(void);
bool pmcgrp_evicted_begun(void);
bool pmcgrp_evicted_come_back(void);
void pmcgrp_evicted_forget(void);
bool pmcgrp_evicted_any_on(int cpu);
void pmcgrp_idle_evict_unreferenced(void);

#endif /* PMCGRP_IDLE_H */
