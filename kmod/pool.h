/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_POOL_H
#define PMCGRP_POOL_H

#include <linux/perf_event.h>
#include <linux/types.h>

struct pmcgrp_counter;

void pmcgrp_pool_init(unsigned int counters_max);
void pmcgrp_pool_exit(void);
void pmcgrp_counters_keep(void);
void pmcgrp_counters_unkeep(void);
void pmcgrp_counters_settle(void);
bool pmcgrp_event_is_probe(const struct perf_event *event);
bool pmcgrp_event_can_be_used(const struct perf_event *event, int cpu);
bool pmcgrp_counters_charge(void);
void pmcgrp_counters_uncharge(void);
struct pmcgrp_counter *pmcgrp_counter_get(const struct perf_event_attr *attr, int cpu,
					  u64 generation, bool for_cpus);
void pmcgrp_counter_put(struct pmcgrp_counter *counter);

#endif /* PMCGRP_POOL_H */
