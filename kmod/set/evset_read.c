// SPDX-License-Identifier: GPL-2.0-only
/*
 * Take all readings of a set, from its placement to its release, in one state of the PMU.
 *
 * pmcgrp_counters_read() says why.  The first reading decides which state that is:
 *
 *  - Held: perf core holds the PMU, for the events that it schedules in with the set's target.
 *    The counters stand still.  For each later reading the PMU is held as well.
 *  - Running: the PMU is not held, for example as the task has no perf events.  The counters
 *    run, and nothing is written to the PMU.  They run at each later reading: if perf core holds
 *    the PMU then, it is enabled for the reading.
 *
 * NMIs do not disturb a reading of counters that stand still.  So if an NMI hits the first
 * reading, the state is held.  It is held as well if a trigger of the group is a hardware counter.
 * Drivers stop the PMU before they call a trigger's handler (arch/x86/events/intel/core.c:
 * intel_pmu_handle_irq(), drivers/perf/arm_pmuv3.c: armv8pmu_handle_irq()).  The one of AMD's
 * PMUs before PerfMonV2 does not: there later members of a sample are ahead, but no sum is
 * affected.
 *
 * Some PMUs cannot stop all counters at one instant.  Each hold then shifts a set's counters
 * against each other by the time that the driver takes from one to the next, twice.  perf core's
 * own holds do the same.  So for these PMUs a reading takes the state as it is, as perf core
 * does.
 *
 * Hot path: interrupts off, on the counters' CPU, no locks.
 */
#include <linux/lockdep.h>
#include <linux/sched/clock.h>
#include "counter/counter.h"
#include "set/evset_read.h"

/**
 * pmcgrp_evset_can_be_held - check whether all counters of a set can stop at one instant
 * @counter: the set's counters, hardware ones first
 * @nr_hw: number of hardware counters
 *
 * Context: any; the set does not change.
 */
bool pmcgrp_evset_can_be_held(struct pmcgrp_counter *const *counter, unsigned int nr_hw)
{
	unsigned int i;

	for (i = 0; i < nr_hw; i++)
		if (!counter[i]->stops_at_once)
			return false;
	return true;
}

static u64 read_held(struct pmcgrp_counter *const *counter, unsigned int nr_hw, unsigned int nr,
		     u64 *value)
{
	u64 now;

	pmcgrp_counters_hold(counter, nr_hw);
	now = pmcgrp_counters_read(counter, nr, value);
	pmcgrp_counters_unhold(counter, nr_hw);
	return now;
}

/**
 * pmcgrp_evset_read_first - take the first reading of a placement, and choose its state
 * @counter: the set's counters, just placed
 * @nr_hw: number of hardware counters
 * @nr: number of all counters, at least one
 * @value: out: one for each counter
 * @held: true asks for a held PMU; out: whether it was held, for pmcgrp_evset_read().  Unchanged
 *	with less than two hardware counters, where it does not matter.
 *
 * Context: interrupts off, on the counters' CPU; perf core may hold the PMU.
 * Return: local_clock() at the end of the reading.
 */
u64 pmcgrp_evset_read_first(struct pmcgrp_counter *const *counter, unsigned int nr_hw,
			    unsigned int nr, u64 *value, bool *held)
{
	bool shall = *held;

	lockdep_assert_irqs_disabled();
	if (nr_hw < 2)
		return pmcgrp_counters_read(counter, nr, value);
	*held = false;
	if (!shall && !pmcgrp_counters_are_held(counter, nr_hw) &&
	    pmcgrp_counters_try_read(counter, nr, value))
		return local_clock();
	if (unlikely(!pmcgrp_evset_can_be_held(counter, nr_hw)))
		return pmcgrp_counters_read(counter, nr, value);
	*held = true;
	return read_held(counter, nr_hw, nr, value);
}

/**
 * pmcgrp_evset_read_in_state - do pmcgrp_evset_read() if the state of the PMU has to be changed
 * @counter: the set's counters, placed
 * @nr_hw: number of hardware counters
 * @nr: number of all counters
 * @value: out: one for each counter
 * @held: result of pmcgrp_evset_read_first(); if false, perf core holds the PMU now
 *
 * Context: as for pmcgrp_evset_read().
 * Return: local_clock() at the end of the reading.
 */
u64 pmcgrp_evset_read_in_state(struct pmcgrp_counter *const *counter, unsigned int nr_hw,
			       unsigned int nr, u64 *value, bool held)
{
	u64 now;

	lockdep_assert_irqs_disabled();
	if (held)
		return read_held(counter, nr_hw, nr, value);
	if (unlikely(!pmcgrp_evset_can_be_held(counter, nr_hw)))
		return pmcgrp_counters_read(counter, nr, value);
	pmcgrp_counters_run_while_held(counter, nr_hw);
	now = pmcgrp_counters_read(counter, nr, value);
	pmcgrp_counters_stop_again(counter, nr_hw);
	return now;
}
