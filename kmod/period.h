/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_PERIOD_H
#define PMCGRP_PERIOD_H

#include <linux/lockdep.h>
#include <linux/types.h>

/**
 * struct pmcgrp_period_check - whether a trigger comes when it should; its CPU, interrupts off
 * @period: nanoseconds between two hits of a clock; 0 for anything else
 * @seen: the target's time enabled at the last hit, or 0
 * @expected: when that was due, on the clock of perf core's timer
 * @late: how much more it was behind that than the one before, without @reported_ahead
 * @reported_ahead: of the time from @expected on, what has been told of already
 * @nr_sched_in: the target's, at the last hit
 * @throttled: perf core had stopped it after the last hit
 * @reported: there is a PERF_RECORD_THROTTLE, and none of the opposite since
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
 * pmcgrp_period_is_on_time - whether a clock has missed nothing, and nothing is to be told
 * @period_check: its, with a period
 * @nr_sched_in: the set's, that it has come in
 * @expected: when it was due, on CLOCK_MONOTONIC, as perf core's timer is
 * @enabled: the target's time enabled just now
 *
 * Context: hard interrupt of its CPU.
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
 * pmcgrp_period_go_on - the next one is judged by this one
 * @period_check: its, which is even
 * @expected: as above
 * @enabled: as above
 *
 * As hit_in_series() has it where there is no gap.
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
 * pmcgrp_period_not_taken - a clock has come
 * @period_check: its, with a period
 * @nr_sched_in: as above
 * @expected: as above
 * @now: local_clock() just now
 * @enabled: the target's time enabled then
 *
 * Context: hard interrupt of its CPU.
 * Return: how many periods it has missed since the last hit.
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
