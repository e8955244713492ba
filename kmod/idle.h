/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_IDLE_H
#define PMCGRP_IDLE_H

#include <linux/types.h>

struct pmcgrp_counter;

bool pmcgrp_counters_used_since(u64 since);
struct pmcgrp_counter *pmcgrp_counter_idle(struct pmcgrp_counter *last);
void pmcgrp_counter_evict(const struct pmcgrp_counter *counter);
bool pmcgrp_counters_evict(u64 before);
void pmcgrp_counters_evict_all(void);
unsigned int pmcgrp_counters_evict_programmed(struct pmcgrp_counter **gone, unsigned int max);
void pmcgrp_counters_evict_unreferenced(void);

#endif /* PMCGRP_IDLE_H */
