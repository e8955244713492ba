/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_POOL_H
#define PMCGRP_POOL_H

#include <linux/perf_event.h>
#include <linux/types.h>

struct pmcgrp_slot;

void pmcgrp_slots_init(unsigned int slots_max);
void pmcgrp_slots_exit(void);
bool pmcgrp_event_is_probe(const struct perf_event *event);
bool pmcgrp_event_can_be_used(const struct perf_event *event, int cpu);
bool pmcgrp_slots_charge(void);
void pmcgrp_slots_uncharge(void);
struct pmcgrp_slot *pmcgrp_slot_get(const struct perf_event_attr *attr, int cpu, u64 epoch);
void pmcgrp_slot_put(struct pmcgrp_slot *slot);

#endif /* PMCGRP_POOL_H */
