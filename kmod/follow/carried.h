/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_CARRIED_H
#define PMCGRP_CARRIED_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include "set/evset.h"
#include "set/follower.h"

/* Pinned: one CPU; CPUs that user space has listed; all. */
extern const struct pmcgrp_follower pmcgrp_carried_cpu, pmcgrp_carried_cpus,
	pmcgrp_carried_all_cpus;

int pmcgrp_carried_begin(struct pmcgrp_evlist *evlist, int cpu);
void pmcgrp_carried_end(struct pmcgrp_evset *set);
void pmcgrp_carried_init(void);

/* Enable or disable the carrier of a set, which has one; may sleep, the list's mutex held. */
static inline void pmcgrp_carried_enable(struct pmcgrp_evset *set, bool on)
{
	(on ? perf_event_enable : perf_event_disable)(set->carrier);
}

#endif /* PMCGRP_CARRIED_H */
