// SPDX-License-Identifier: GPL-2.0-only
/*
 * Count the periods that a clock trigger has missed while the target ran.
 *
 * A clock trigger is a cpu-clock or task-clock event with an hrtimer in perf core
 * (kernel/events/core.c: perf_swevent_hrtimer()).  A late timer skips whole periods silently;
 * pmcgrp reports them as PERF_RECORD_LOST_SAMPLES.
 */
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/sched/clock.h>
#include "sample/period.h"

/*
 * Whole periods by which this hit was late at @now, in ns.  The timer will skip them.
 * If a hypervisor stopped the CPU after @now, that time is left to the next hit.
 */
static u64 late_by(const struct pmcgrp_period_check *period_check, u64 expected, u64 now)
{
	s64 late = ktime_get_mono_fast_ns() - expected;
	u64 rest;

	late -= local_clock() - now;
	if (late < (s64)period_check->period)
		return 0;
	div64_u64_rem(late, period_check->period, &rest);
	return late - rest;
}

/*
 * Handle the first hit after a schedule-in or after throttling.  perf core stopped the timer, and
 * restarted it with the time that was left, or with a whole period if none was.  Therefore expiries
 * cannot be compared.  The time enabled since the last hit is the gap.
 */
static u64 hit_after_break(struct pmcgrp_period_check *period_check, u64 expected, u64 now, u64 gap)
{
	gap += period_check->late;
	period_check->late = 0;
	period_check->reported_ahead = late_by(period_check, expected, now);
	return gap;
}

/*
 * Handle a hit while the timer keeps running.  Its expiries differ by whole periods
 * (hrtimer_forward_now() in perf_swevent_hrtimer()), so they give the exact number of skipped ones.
 * But the expiry of a late hit moves only after the handler.  late_by() reports these periods with
 * this hit, and @reported_ahead takes them off at the next one.
 */
static u64 hit_in_series(struct pmcgrp_period_check *period_check, u64 expected, u64 now, u64 gap)
{
	u64 grid = expected - period_check->expected, late = gap > grid ? gap - grid : 0, time;

	time = grid > period_check->reported_ahead ? grid - period_check->reported_ahead : 0;
	period_check->reported_ahead =
		gap < 2 * period_check->period ? 0 : late_by(period_check, expected, now);
	period_check->late =
		late > period_check->reported_ahead ? late - period_check->reported_ahead : 0;
	return time + period_check->reported_ahead;
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
 * Return: the number of periods missed since the last hit.
 */
u64 pmcgrp_period_not_taken(struct pmcgrp_period_check *period_check, u32 nr_sched_in,
			    u64 expected, u64 now, u64 enabled)
{
	u64 gap = enabled - period_check->seen, not_taken = 0;

	lockdep_assert_irqs_disabled();
	if (!period_check->seen) {
		period_check->late = 0;
		period_check->reported_ahead = 0;
	} else {
		if (period_check->nr_sched_in != nr_sched_in || period_check->throttled)
			gap = hit_after_break(period_check, expected, now, gap);
		else
			gap = hit_in_series(period_check, expected, now, gap);
		if (gap >= 2 * period_check->period)
			not_taken = div64_u64(gap, period_check->period) - 1;
	}
	period_check->seen = enabled;
	period_check->expected = expected;
	period_check->nr_sched_in = nr_sched_in;
	return not_taken;
}
