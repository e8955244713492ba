/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_IDLE_H
#define PMCGRP_IDLE_H

#include <linux/types.h>

struct pmcgrp_slot;
struct pmu;

void pmcgrp_idle_watch(struct pmcgrp_slot *slot);
bool pmcgrp_idle_evict(const struct pmu *pmu, unsigned int nr);
void pmcgrp_idle_make_room(const struct pmu *pmu, unsigned int nr);
void pmcgrp_idle_is_full(const struct pmu *pmu, unsigned int over);
u64 pmcgrp_slots_in_use(void);
bool pmcgrp_slot_evict(struct pmcgrp_slot *slot);
bool pmcgrp_slots_evict(unsigned int before);
void pmcgrp_slots_evict_all(void);
unsigned int pmcgrp_slots_evict_programmed(struct pmcgrp_slot **gone, unsigned int max);
void pmcgrp_slot_retire(struct pmcgrp_slot *slot);
void pmcgrp_slots_placed_init(void);

#endif /* PMCGRP_IDLE_H */
