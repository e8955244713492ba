/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_EVCPU_H
#define PMCGRP_EVCPU_H

#include <linux/lockdep.h>
#include <linux/types.h>
#include "counter/attr.h"
#include "counter/event.h"
#include "platform/cpu_state.h"
#include "set/evlist.h"

int pmcgrp_evcpus_make(struct pmcgrp_evlist *evlist, const struct perf_event_attr *const *attr,
		       unsigned int nr, struct pmcgrp_failure *fail);
void pmcgrp_evcpus_drop(struct pmcgrp_evlist *evlist);
void pmcgrp_evcpus_count_groups(struct pmcgrp_evlist *evlist, int more);
struct pmcgrp_shared_event *pmcgrp_evcpu_event_get(const struct pmcgrp_evlist *evlist,
						   const struct perf_event_attr *attr);
void pmcgrp_evcpu_event_put(const struct pmcgrp_evlist *evlist, struct pmcgrp_shared_event *ev);
u32 pmcgrp_evcpu_why(int err, int cpu, u64 generation);
struct pmcgrp_counter *pmcgrp_evcpu_bind(const struct pmcgrp_evlist *evlist, unsigned int i,
					 int cpu, u64 generation);
bool pmcgrp_evcpu_may_have(const struct pmcgrp_evlist *evlist, unsigned int i, int cpu);
void pmcgrp_evcpu_rebuild(struct pmcgrp_evlist *evlist, int cpu);
struct pmcgrp_counter *const *pmcgrp_evcpu_look_up(const struct pmcgrp_evlist *evlist,
						   struct pmcgrp_evcpu *evcpu);
void pmcgrp_evcpu_drop(struct pmcgrp_evlist *evlist, int cpu);

/**
 * pmcgrp_evcpu_event_before - compare which event comes first: hardware, then PMU by PMU
 * @a: an event
 * @b: another one
 */
static inline bool pmcgrp_evcpu_event_before(const struct pmcgrp_shared_event *a,
					     const struct pmcgrp_shared_event *b)
{
	if (a->is_software != b->is_software)
		return b->is_software;
	return a->pmu->type < b->pmu->type;
}

/**
 * pmcgrp_evcpu_is_bound - whether each CPU of a list has a counter of an event for good
 * @evlist: the event list
 * @ev: the event
 */
static inline bool pmcgrp_evcpu_is_bound(const struct pmcgrp_evlist *evlist,
					 const struct pmcgrp_shared_event *ev)
{
	return ev->is_bound || evlist->follower->counts_cpus;
}

/**
 * pmcgrp_evcpu_is_filled - whether a list's counters on this CPU are still those of a look-up
 * @evcpu: the list's, here
 *
 * Context: interrupts off.
 */
static inline bool pmcgrp_evcpu_is_filled(const struct pmcgrp_evcpu *evcpu)
{
	lockdep_assert_irqs_disabled();
	return evcpu->lookups == pmcgrp_lookups_here();
}

/**
 * pmcgrp_evcpu_counters - a list's counters on this CPU, which is usable
 * @evlist: the event list
 * @evcpu: its evcpu, here
 *
 * Context: interrupts off; perf core's locks may be held.
 * Return: one counter for each event, or NULL where the list cannot count, or not yet.
 */
static inline struct pmcgrp_counter *const *
pmcgrp_evcpu_counters(const struct pmcgrp_evlist *evlist, struct pmcgrp_evcpu *evcpu)
{
	if (likely(pmcgrp_evcpu_is_filled(evcpu)))
		return evcpu->counter;
	return pmcgrp_evcpu_look_up(evlist, evcpu);
}

#endif /* PMCGRP_EVCPU_H */
