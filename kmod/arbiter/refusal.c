// SPDX-License-Identifier: GPL-2.0-only
/*
 * Refusals: a set that found no room beside certain events is not tried again beside the same.
 *
 * A placement in vain holds the PMU, evicts idle counters and is undone.  Sets that wait come in
 * at every switch to their task, and each rotation visits them.
 *
 * Context: as for all of a CPU scheduler (sched.c): its CPU, interrupts off.
 */
#include <linux/hash.h>
#include <linux/lockdep.h>
#include "compat.h"
#include "arbiter/cpu.h"
#include "arbiter/refusal.h"
#include "counter/counter.h"
#include "counter/placement.h"
#include "set/evset.h"

/*
 * Compute a fingerprint of the events that may refuse a set: pmcgrp's counters in use, and the
 * number of perf events on the set's PMUs.  0 if no counter is in use.
 */
static u64 events_in_the_way(const struct pmcgrp_evset *set)
{
	struct pmu *pmu = set->counter[0]->pmu;
	u64 fingerprint = pmcgrp_placement_fingerprint();
	unsigned int i;

	if (!fingerprint)
		return 0;
	fingerprint += GOLDEN_RATIO_64 * pmcgrp_perf_holds(pmu);
	/* Counters of one PMU are adjacent, and nearly every set uses one PMU only. */
	if (likely(set->counter[set->nr_hw - 1]->pmu == pmu))
		return fingerprint;
	for (i = 1; i < set->nr_hw; i++) {
		if (set->counter[i]->pmu == pmu)
			continue;
		pmu = set->counter[i]->pmu;
		fingerprint += GOLDEN_RATIO_64 * pmcgrp_perf_holds(pmu);
	}
	return fingerprint;
}

/**
 * pmcgrp_refusal_note - record what was on the PMU when a set found no room
 * @pcpu: this CPU's scheduler
 * @set: the set, off
 *
 * Only if counters were short: not in perf's slice, nor while perf core holds the PMU, as idle
 * counters are not evicted then.
 *
 * Context: interrupts off; perf core's locks may be held.
 */
void pmcgrp_refusal_note(const struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set)
{
	lockdep_assert_irqs_disabled();
	if (!pmcgrp_evset_is_flexible(set) ||
	    pmcgrp_cpu_withholds_from(pcpu, set->counter, set->nr_hw) ||
	    pmcgrp_counters_are_held(set->counter, set->nr_hw))
		return;
	set->refused_by = events_in_the_way(set);
	set->nr_skipped = 0;
}

/**
 * pmcgrp_refusal_stands - check whether placing a set would fail as it did before
 * @set: the set, off
 *
 * It would if the events on the PMU are those beside which it found no room.  A perf event may
 * have been replaced by another one: rotations try the set again after SKIP_TICKS.
 *
 * Context: interrupts off; perf core's locks may be held.
 */
bool pmcgrp_refusal_stands(const struct pmcgrp_evset *set)
{
	lockdep_assert_irqs_disabled();
	return set->refused_by && pmcgrp_evset_is_flexible(set) &&
	       !pmcgrp_counters_are_on(set->counter, set->nr_hw) &&
	       set->refused_by == events_in_the_way(set);
}
