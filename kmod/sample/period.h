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

u64 pmcgrp_period_check_slow(struct pmcgrp_period_check *period_check, u32 nr_sched_in,
			     u64 expected, u64 now, u64 enabled);

/**
 * pmcgrp_period_is_on_time - check whether a clock has missed no period since the last hit
 * @period_check: period check of the clock, with a period
 * @nr_sched_in: nr_sched_in of the set
 * @expected: expiry of this hit on CLOCK_MONOTONIC
 * @enabled: time enabled of the set now
 *
 * Context: hard interrupt of the clock's CPU.
 * Return: false also if the slow path must decide: after a schedule-in or throttling, for instance.
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

/**
 * pmcgrp_period_go_on - record a hit that is on time, for comparison with the next one
 * @period_check: period check of the clock
 * @expected: expiry of this hit on CLOCK_MONOTONIC
 * @enabled: time enabled of the set now
 *
 * Equals hit_in_series() (period.c) for a hit without a gap.
 *
 * Context: hard interrupt of the clock's CPU.
 */
static inline void pmcgrp_period_go_on(struct pmcgrp_period_check *period_check, u64 expected,
				       u64 enabled)
{
	u64 gap = enabled - period_check->seen, grid = expected - period_check->expected;

	lockdep_assert_irqs_disabled();
	period_check->late = gap > grid ? gap - grid : 0;
	period_check->seen = enabled;
	period_check->expected = expected;
}

/**
 * pmcgrp_period_not_taken - record a hit and count the periods missed since the last one
 * @period_check: period check of the clock, with a period
 * @nr_sched_in: nr_sched_in of the set
 * @expected: expiry of this hit on CLOCK_MONOTONIC
 * @now: local_clock() of the sample
 * @enabled: time enabled of the set at @now
 *
 * Context: hard interrupt of the clock's CPU.
 * Return: the number of missed periods.
 */
static inline u64 pmcgrp_period_not_taken(struct pmcgrp_period_check *period_check, u32 nr_sched_in,
					  u64 expected, u64 now, u64 enabled)
{
	if (unlikely(!pmcgrp_period_is_on_time(period_check, nr_sched_in, expected, enabled)))
		return pmcgrp_period_check_slow(period_check, nr_sched_in, expected, now, enabled);
	pmcgrp_period_go_on(period_check, expected, enabled);
	return 0;
}

#endif /* PMCGRP_PERIOD_H */
