// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stays: a set's time on the PMU, from the reading that its counts start from to the last.
 *
 * All readings of a stay are taken in one state of the PMU; pmcgrp_counters_read() says why.
 * Which one that is shows at the first:
 *
 *  - perf core holds the PMU, for what it schedules in together with the set's target: the
 *    counters stand still.  Then they do at each further reading, for which the PMU is held.
 *  - Nobody holds it, as where a task has no events of perf's of its own: the counters run, and
 *    nothing is written to the PMU.  Then they run at each further reading.  Where perf core
 *    holds the PMU at the last one, it is let run for that.
 *
 * NMIs are no matter while counters stand still.  So a stay whose first reading was hit by one
 * is of that kind.  And so is that of a group with a trigger that is a counter: the drivers
 * stop the PMU before they call its handler (arch/x86/events/intel/core.c:
 * intel_pmu_handle_irq(), drivers/perf/arm_pmuv3.c: armv8pmu_handle_irq(); not AMD's before
 * PerfMonV2, where later members of a sample are ahead, in no sum).
 *
 * Where a PMU cannot stop all counters at one instant, members are apart by what its driver
 * takes from one counter to the next, twice for each time that somebody holds it, perf core
 * included: then no state is asked for.  A reading takes the PMU as it is, as perf core does.
 *
 * All of this is the hot path: interrupts off, on the counters' CPU, no locks.
 */
#include <linux/lockdep.h>
#include <linux/sched/clock.h>
#include "counter.h"
#include "evset_read.h"

/**
 * pmcgrp_evset_can_be_held - whether the counters of a set can all be stopped at one instant
 * @counter: the set
 * @nr_hw: its hardware counters
 *
 * Context: any; the set does not change.
 */
bool pmcgrp_evset_can_be_held(struct pmcgrp_counter *const *counter, unsigned int nr_hw)
{
	unsigned int i;

	for (i = 0; i < nr_hw; i++)
		if (!counter[i]->at_once)
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
 * pmcgrp_evset_read_first - the first reading of a stay
 * @counter: the set, just placed
 * @nr_hw: its hardware counters
 * @nr: all of its counters, at least one
 * @value: out: one for each counter
 * @held: whether the counters shall stand still; out: whether they did, for
 *	pmcgrp_evset_read().  One counter alone need not: then it stays as it is.
 *
 * Context: interrupts off, on the counters' CPU; perf core may hold the PMU.
 * Return: local_clock() then.
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
 * pmcgrp_evset_read_in_state - pmcgrp_evset_read() where the state of the PMU matters
 * @counter: the set, placed before
 * @nr_hw: its hardware counters
 * @nr: all of its counters
 * @value: out: one for each counter
 * @held: what pmcgrp_evset_read_first() has said; if not, perf core holds the PMU just now
 *
 * Context: as there.
 * Return: local_clock() then.
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
