// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stays: a set's time on the PMU, from the reading that its counts start from to the last.
 *
 * All readings of a stay are taken in one state of the PMU; pmcgrp_slots_read() says why.
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
 * All of this is the hot path: interrupts off, on the slots' CPU, no locks.
 */
#include <linux/lockdep.h>
#include <linux/sched/clock.h>
#include "slot.h"
#include "stay.h"

/**
 * pmcgrp_stay_can_stand_still - whether the counters of a set can all be stopped at one instant
 * @slot: the set
 * @nr_hw: its hardware slots
 *
 * Context: any; the set does not change.
 */
bool pmcgrp_stay_can_stand_still(struct pmcgrp_slot *const *slot, unsigned int nr_hw)
{
	unsigned int i;

	for (i = 0; i < nr_hw; i++)
		if (!slot[i]->at_once)
			return false;
	return true;
}

static u64 read_still(struct pmcgrp_slot *const *slot, unsigned int nr_hw, unsigned int nr,
		      u64 *value)
{
	u64 now;

	pmcgrp_slots_hold(slot, nr_hw);
	now = pmcgrp_slots_read(slot, nr, value);
	pmcgrp_slots_unhold(slot, nr_hw);
	return now;
}

/**
 * pmcgrp_stay_begin - the first reading of a stay
 * @slot: the set, just placed
 * @nr_hw: its hardware slots
 * @nr: all of its slots, at least one
 * @value: out: one for each slot
 * @still: whether the counters shall stand still; out: whether they did, for
 *	pmcgrp_stay_read().  One counter alone need not: then it stays as it is.
 *
 * Context: interrupts off, on the slots' CPU; perf core may hold the PMU.
 * Return: local_clock() then.
 */
u64 pmcgrp_stay_begin(struct pmcgrp_slot *const *slot, unsigned int nr_hw, unsigned int nr,
		      u64 *value, bool *still)
{
	bool shall = *still;

	lockdep_assert_irqs_disabled();
	if (nr_hw < 2)
		return pmcgrp_slots_read(slot, nr, value);
	*still = false;
	if (!shall && !pmcgrp_slots_are_held(slot, nr_hw) && pmcgrp_slots_try_read(slot, nr, value))
		return local_clock();
	if (unlikely(!pmcgrp_stay_can_stand_still(slot, nr_hw)))
		return pmcgrp_slots_read(slot, nr, value);
	*still = true;
	return read_still(slot, nr_hw, nr, value);
}

/**
 * pmcgrp_stay_read_apart - pmcgrp_stay_read() where the state of the PMU matters
 * @slot: the set, placed before
 * @nr_hw: its hardware slots
 * @nr: all of its slots
 * @value: out: one for each slot
 * @still: what pmcgrp_stay_begin() has said; if not, perf core holds the PMU just now
 *
 * Context: as there.
 * Return: local_clock() then.
 */
u64 pmcgrp_stay_read_apart(struct pmcgrp_slot *const *slot, unsigned int nr_hw, unsigned int nr,
			   u64 *value, bool still)
{
	u64 now;

	lockdep_assert_irqs_disabled();
	if (still)
		return read_still(slot, nr_hw, nr, value);
	if (unlikely(!pmcgrp_stay_can_stand_still(slot, nr_hw)))
		return pmcgrp_slots_read(slot, nr, value);
	pmcgrp_slots_let_run(slot, nr_hw);
	now = pmcgrp_slots_read(slot, nr, value);
	pmcgrp_slots_stop_again(slot, nr_hw);
	return now;
}
