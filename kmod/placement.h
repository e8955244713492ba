/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_PLACEMENT_H
#define PMCGRP_PLACEMENT_H

#include <linux/types.h>

struct pmcgrp_counter;
struct pmu;

void pmcgrp_placement_note(struct pmcgrp_counter *counter);
bool pmcgrp_placement_evict(const struct pmu *pmu, unsigned int nr);
void pmcgrp_placement_make_room(const struct pmu *pmu, unsigned int nr);
void pmcgrp_placement_is_full(const struct pmu *pmu, unsigned int over);
u64 pmcgrp_counters_in_use_mark(void);
bool pmcgrp_counters_used_since(u64 since);
struct pmcgrp_counter *pmcgrp_counter_idle(struct pmcgrp_counter *last);
void pmcgrp_counter_evict(const struct pmcgrp_counter *counter);
bool pmcgrp_counters_evict(u64 before);
void pmcgrp_counters_evict_all(void);
unsigned int pmcgrp_counters_evict_programmed(struct pmcgrp_counter **gone, unsigned int max);
void pmcgrp_counters_evict_unreferenced(void);
void pmcgrp_placement_init(void);

#endif /* PMCGRP_PLACEMENT_H */
