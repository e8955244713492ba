/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_PLACEMENT_H
#define PMCGRP_PLACEMENT_H

#include <linux/types.h>
#include "counter/counter.h"
#include "platform/recursion.h"

void pmcgrp_placement_init(void (*counters_moved)(void));
void pmcgrp_placement_moved(void);
void pmcgrp_placement_end(void);
unsigned int pmcgrp_placement_nr_on(const struct pmu *pmu);
u64 pmcgrp_placement_in_use(void);
int pmcgrp_counters_attach(struct pmcgrp_counter *const *counter, unsigned int nr_hw,
			   unsigned int nr);
void pmcgrp_counters_detach(struct pmcgrp_counter *const *counter, unsigned int nr_hw,
			    unsigned int nr);
int pmcgrp_counters_place_slow(struct pmcgrp_counter *const *counter, unsigned int nr_hw);

/**
 * pmcgrp_counters_place - put a set's hardware counters on the PMU, all or none
 * @counter: the set's counters, with the software ones attached
 * @nr_hw: number of hardware counters
 *
 * Idle counters are evicted if the PMU has no room otherwise.
 *
 * Context: interrupts off, on the counters' CPU.
 * Return: 0; the PMU's error; -EALREADY without a trial.  After an error no counter is on that was
 * off before.
 */
static inline int pmcgrp_counters_place(struct pmcgrp_counter *const *counter, unsigned int nr_hw)
{
	struct pmcgrp_counter *const *end = counter + nr_hw;

	pmcgrp_assert_here(counter[0]->cpu);
	if (!pmcgrp_counters_are_on(counter, nr_hw))
		return pmcgrp_counters_place_slow(counter, nr_hw);
	for (; counter < end; counter++)
		(*counter)->users++;
	return 0;
}

/**
 * pmcgrp_counters_release - end a set's use of its hardware counters
 * @counter: the set's counters, placed
 * @nr_hw: number of hardware counters
 * @now: local_clock(), noted as the time of last use
 *
 * Counters without another user stay on the PMU, idle.
 *
 * Context: interrupts off, on the counters' CPU.
 */
static inline void pmcgrp_counters_release(struct pmcgrp_counter *const *counter,
					   unsigned int nr_hw, u64 now)
{
	struct pmcgrp_counter *const *end = counter + nr_hw;
	struct pmcgrp_counter *one;

	pmcgrp_assert_here(counter[0]->cpu);
	for (; counter < end; counter++) {
		one = *counter;
		one->users--;
		one->last_used = pmcgrp_idle_time(now);
	}
}

#endif /* PMCGRP_PLACEMENT_H */
