/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_EVLIST_CARRIER_H
#define PMCGRP_EVLIST_CARRIER_H

struct perf_event;
struct pmcgrp_evlist;
struct task_struct;

void pmcgrp_evlist_carrier_init(void);
struct perf_event *pmcgrp_evlist_carrier_create(struct pmcgrp_evlist *evlist, int cpu);
struct perf_event *pmcgrp_latch_create(struct pmcgrp_evlist *evlist, struct task_struct *task);

#endif /* PMCGRP_EVLIST_CARRIER_H */
