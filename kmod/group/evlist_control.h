/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_EVLIST_CONTROL_H
#define PMCGRP_EVLIST_CONTROL_H

#include <linux/smp.h>
#include <linux/types.h>

struct pmcgrp_evlist;
struct pmcgrp_evset;
struct pmcgrp_switch_ops;
struct pmcgrp_values;

/* Visit one set of a list, with the values that it contributes to the list's sum. */
typedef void (*pmcgrp_evset_visit_t)(struct pmcgrp_evset *set, const struct pmcgrp_values *at,
				     void *arg);

/* Called with the sum over a list's sets, where nothing that interrupts can use the list. */
typedef void (*pmcgrp_values_func_t)(const struct pmcgrp_values *now, void *arg);

void pmcgrp_evlist_activate(struct pmcgrp_evlist *evlist);
void pmcgrp_evlist_deactivate(struct pmcgrp_evlist *evlist);
void pmcgrp_evlist_freeze(struct pmcgrp_evlist *evlist);
void pmcgrp_evlist_thaw(struct pmcgrp_evlist *evlist);
void pmcgrp_evlist_call(struct pmcgrp_evlist *evlist, smp_call_func_t func, void *info);
void pmcgrp_evlist_refresh(struct pmcgrp_evlist *evlist);
void pmcgrp_evlist_refresh_sets(struct pmcgrp_evlist *evlist, pmcgrp_evset_visit_t visit,
				void *arg);
void pmcgrp_evlist_refresh_and(struct pmcgrp_evlist *evlist, pmcgrp_values_func_t func,
			       pmcgrp_evset_visit_t visit, void *arg);
void pmcgrp_evlist_publish(struct pmcgrp_evlist *evlist);
void pmcgrp_evlist_watch_switches(struct pmcgrp_evlist *evlist,
				  const struct pmcgrp_switch_ops *ops);
void pmcgrp_evlist_cpu_online(struct pmcgrp_evlist *evlist, int cpu);
bool pmcgrp_evlist_in_error(struct pmcgrp_evlist *evlist);

#endif /* PMCGRP_EVLIST_CONTROL_H */
