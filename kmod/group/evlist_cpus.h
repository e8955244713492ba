/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_EVLIST_CPUS_H
#define PMCGRP_EVLIST_CPUS_H

#include "set/evlist.h"

/* Whether no carriers follow the CPUs of a new group. */
static inline bool pmcgrp_evlist_stays_in(const struct pmcgrp_evlist *evlist)
{
	return evlist->follower->counts_cpus && !(evlist->flags & PMCGRP_CREATE_PINNED);
}

int pmcgrp_evlist_cpu_in(struct pmcgrp_evlist *evlist, int cpu);
void pmcgrp_evlist_cpu_out(struct pmcgrp_evlist *evlist, int cpu);
int pmcgrp_evlist_cpus_make(struct pmcgrp_evlist *evlist);
void pmcgrp_evlist_task_changed(struct pmcgrp_evlist *evlist, int cpu);
void pmcgrp_evlist_cpus_out(struct pmcgrp_evlist *evlist);

#endif /* PMCGRP_EVLIST_CPUS_H */
