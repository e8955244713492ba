/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Count the periods that a clock trigger has missed while the target ran (period.c).
 */
#ifndef PMCGRP_PERIOD_H
#define PMCGRP_PERIOD_H

#include <linux/lockdep.h>
#include <linux/types.h>

/**
 * struct pmcgrp_period_check - the last hit of a trigger; its CPU, interrupts off
 * @period: nanoseconds between two hits of a clock; 0 for other events
 * @seen: time enabled of the set at the last hit; 0 if there is no hit to compare with
 * @expected: expiry of the last hit on CLOCK_MONOTONIC, the clock of perf core's timer
 * @late: how much later after its expiry the last hit came than the one before it, in ns,
 *	without @reported_ahead
 * @reported_ahead: time after @expected that is already reported as missed, in ns
 * @nr_sched_in: nr_sched_in of the set at the last hit
 * @throttled: whether perf core throttled the trigger at the last hit
 * @reported: whether a PERF_RECORD_THROTTLE is written, and no PERF_RECORD_UNTHROTTLE since
 */
struct pmcgrp_period_check {
	u64 period;
	u64 seen;
	u64 expected;
	u64 late;
	u64 reported_ahead;
	u32 nr_sched_in;
	bool throttled;
	bool reported;
};

u64 pmcgrp_period_not_taken(struct pmcgrp_period_check *period_check, u32 nr_sched_in,
			    u64 expected, u64 now, u64 enabled);

/*
 * Check whether a clock has missed no period since the last hit: false also where
 * pmcgrp_period_not_taken() must decide, which has the same arguments.
 */
static inline bool pmcgrp_period_is_on_time(const struct pmcgrp_period_check *period_check,
					    u32 nr_sched_in, u64 expected, u64 enabled)
{
	u64 two = 2 * period_check->period;

	lockdep_assert_irqs_disabled();
	return period_check->seen && !period_check->reported_ahead && !period_check->throttled &&
	       period_check->nr_sched_in == nr_sched_in && enabled - period_check->seen < two &&
	       expected - period_check->expected < two;
}

/* Do pmcgrp_period_not_taken() for a hit that is on time. */
static inline void pmcgrp_period_go_on(struct pmcgrp_period_check *period_check, u64 expected,
				       u64 enabled)
{
	u64 gap = enabled - period_check->seen, grid = expected - period_check->expected;

	lockdep_assert_irqs_disabled();
	period_check->late = gap > grid ? gap - grid : 0;
	period_check->seen = enabled;
	period_check->expected = expected;
}

#endif /* PMCGRP_PERIOD_H */
