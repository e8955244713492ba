/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_STAY_H
#define PMCGRP_STAY_H

#include <linux/types.h>
#include "slot.h"

bool pmcgrp_stay_can_stand_still(struct pmcgrp_slot *const *slot, unsigned int nr_hw);
u64 pmcgrp_stay_begin(struct pmcgrp_slot *const *slot, unsigned int nr_hw, unsigned int nr,
		      u64 *value, bool *still);
u64 pmcgrp_stay_read_apart(struct pmcgrp_slot *const *slot, unsigned int nr_hw, unsigned int nr,
			   u64 *value, bool still);

/**
 * pmcgrp_stay_read - another reading of a stay
 * @slot: the set, placed before
 * @nr_hw: its hardware slots
 * @nr: all of its slots, at least one
 * @value: out: one for each slot
 * @still: what pmcgrp_stay_begin() has said
 *
 * Context: interrupts off, on the slots' CPU; not in a trigger's handler.  perf core may hold
 * the PMU, but has placed nothing in its section yet.
 * Return: local_clock() then.
 */
static inline u64 pmcgrp_stay_read(struct pmcgrp_slot *const *slot, unsigned int nr_hw,
				   unsigned int nr, u64 *value, bool still)
{
	/* One counter alone is not ahead of anything. */
	if (nr_hw > 1 && unlikely(still || pmcgrp_slots_are_held(slot, nr_hw)))
		return pmcgrp_stay_read_apart(slot, nr_hw, nr, value, still);
	return pmcgrp_slots_read(slot, nr, value);
}

#endif /* PMCGRP_STAY_H */
