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
 * All of this is the hot path: interrupts off, on the slots' CPU, no locks.
 */
#include <linux/lockdep.h>
#include <linux/sched/clock.h>
#include "slot.h"
#include "stay.h"

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
	pmcgrp_slots_let_run(slot, nr_hw);
	now = pmcgrp_slots_read(slot, nr, value);
	pmcgrp_slots_stop_again(slot, nr_hw);
	return now;
}
