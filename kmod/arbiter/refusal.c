// SPDX-License-Identifier: GPL-2.0-only
/*
 * Refusals: a set that found no room beside certain events is not tried again beside the same.
 *
 * A placement in vain holds the PMU, evicts idle counters, adds some and is undone.  Sets that wait
 * come in at every switch to their task, and each rotation visits them.
 *
 * Drivers place events by what they program into the hardware (pmcgrp_counter.kind).  So they
 * refuse other sets of the same kinds as well: of many groups few are tried, and a smaller one
 * behind them is reached (selftests/arbitration/many_groups.c).
 *
 * A perf event may have been replaced by one of another kind.  So a refusal stands for some ticks.
 *
 * Context: as for all of a CPU scheduler (sched.c): its CPU, interrupts off.
 */
#include <linux/hash.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include "compat.h"
#include "arbiter/cpu.h"
#include "arbiter/refusal.h"
#include "counter/counter.h"
#include "set/evset.h"

/**
 * struct refusal - that drivers had no room for certain kinds of events beside certain others
 * @key: refusal_key()
 * @until: pmcgrp_cpu.rotated from which on it stands no longer
 */
struct refusal {
	u64 key;
	u64 until;
};

/* At which tick after a refusal the set is tried again.  It may be early by half of one. */
#define REFUSAL_TICKS 16

#define REFUSALS 64 /* a power of 2 */

static DEFINE_PER_CPU(struct refusal, refusals[REFUSALS]);

/* Identify perf's events on the PMUs of a set, by their number. */
static unsigned int perf_in_the_way(const struct pmcgrp_evset *set)
{
	struct pmu *pmu = set->counter[0]->pmu;
	unsigned int i, nr = pmcgrp_perf_holds(pmu);

	/* Counters of one PMU are adjacent, and nearly every set uses one PMU only. */
	if (likely(set->counter[set->nr_hw - 1]->pmu == pmu))
		return nr;
	for (i = 1; i < set->nr_hw; i++) {
		if (set->counter[i]->pmu == pmu)
			continue;
		pmu = set->counter[i]->pmu;
		nr += pmcgrp_perf_holds(pmu);
	}
	return nr;
}

/*
 * Identify the kinds of a set's counters that are not in use, those of the counters that are, and
 * perf's events.  Return 0 if no counter is in use.
 */
static u64 refusal_key(struct pmcgrp_cpu *pcpu, const struct pmcgrp_evset *set)
{
	struct pmcgrp_counter *const *counter = set->counter, *const *end = counter + set->nr_hw;
	u64 used = pmcgrp_cpu_in_use(pcpu), wanted = 0;

	if (!used)
		return 0;
	for (; counter < end; counter++)
		if (!(*counter)->users)
			wanted += (*counter)->kind;
	used += GOLDEN_RATIO_64 * perf_in_the_way(set);
	return (used ^ (wanted * GOLDEN_RATIO_64)) | 1ULL << 63;
}

static struct refusal *refusal_of(u64 key)
{
	return this_cpu_ptr(&refusals[key % REFUSALS]);
}

/**
 * pmcgrp_refusal_note - record that a driver has refused a set
 * @pcpu: this CPU's scheduler
 * @set: the set, off
 *
 * Not while perf core holds the PMU, as idle counters are not evicted then.
 *
 * Context: interrupts off; perf core's locks may be held.
 */
void pmcgrp_refusal_note(struct pmcgrp_cpu *pcpu, const struct pmcgrp_evset *set)
{
	u64 ticks, key;

	lockdep_assert_irqs_disabled();
	if (!pmcgrp_evset_is_flexible(set) || pmcgrp_counters_are_held(set->counter, set->nr_hw))
		return;
	key = refusal_key(pcpu, set);
	if (!key)
		return;
	ticks = REFUSAL_TICKS * pmcgrp_mux_interval_ns();
	pcpu->refused_until = local_clock() + ticks - pmcgrp_mux_interval_ns() / 2;
	*refusal_of(key) = (struct refusal){ .key = key, .until = pcpu->refused_until };
}

/**
 * pmcgrp_refusal_is_noted - do pmcgrp_refusal_stands() while any refusal may stand
 * @pcpu: this CPU's scheduler
 * @set: the set, off
 *
 * Context: interrupts off; perf core's locks may be held.
 */
bool pmcgrp_refusal_is_noted(struct pmcgrp_cpu *pcpu, const struct pmcgrp_evset *set)
{
	const struct refusal *refusal;
	u64 key;

	lockdep_assert_irqs_disabled();
	/* A pinned set goes into error for good: it is tried. */
	if (!pmcgrp_evset_is_flexible(set) || pmcgrp_counters_are_on(set->counter, set->nr_hw))
		return false;
	key = refusal_key(pcpu, set);
	refusal = refusal_of(key);
	return refusal->key == key && pcpu->rotated < refusal->until;
}
