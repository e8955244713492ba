/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_EVSET_READ_H
#define PMCGRP_EVSET_READ_H

#include <linux/types.h>
#include "counter/counter.h"

bool pmcgrp_evset_can_be_held(struct pmcgrp_counter *const *counter, unsigned int nr_hw);
u64 pmcgrp_evset_read_first(struct pmcgrp_counter *const *counter, unsigned int nr_hw,
			    unsigned int nr, u64 *value, bool *held);
u64 pmcgrp_evset_read_in_state(struct pmcgrp_counter *const *counter, unsigned int nr_hw,
			       unsigned int nr, u64 *value, bool held);

/**
 * pmcgrp_evset_read - take a later reading of a placement
 * @counter: the set's counters, placed
 * @nr_hw: number of hardware counters
 * @nr: number of all counters, at least one
 * @value: out: one for each counter
 * @held: result of pmcgrp_evset_read_first()
 *
 * Context: interrupts off, on the counters' CPU; not in a trigger's handler.  perf core may hold
 * the PMU, but has placed nothing in its section yet.
 * Return: local_clock() at the end of the reading.
 */
static inline u64 pmcgrp_evset_read(struct pmcgrp_counter *const *counter, unsigned int nr_hw,
				    unsigned int nr, u64 *value, bool held)
{
	/* A single hardware counter has no lead over another. */
	if (nr_hw > 1 && unlikely(held || pmcgrp_counters_are_held(counter, nr_hw)))
		return pmcgrp_evset_read_in_state(counter, nr_hw, nr, value, held);
	return pmcgrp_counters_read(counter, nr, value);
}

#endif /* PMCGRP_EVSET_READ_H */
