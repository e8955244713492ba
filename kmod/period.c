// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pace of a clock: for how many of its periods it did not come, though the target ran.
 */
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/sched/clock.h>
#include "period.h"

/*
 * Whole periods that this hit is late, in ns: the timer is going to skip them.  As of @now,
 * which was some time ago if a hypervisor had stopped the CPU since: what comes after counts
 * from there.
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
 * The first hit of a stay, or after throttling.  perf core's timer was stopped before, and
 * has gone on with what was left, or anew if that was nothing: the time enabled tells how
 * long that took, up to now.
 */
static u64 hit_after_break(struct pmcgrp_period_check *period_check, u64 expected, u64 now, u64 gap)
{
	gap += period_check->late;
	period_check->late = 0;
	period_check->reported_ahead = late_by(period_check, expected, now);
	return gap;
}

/*
 * Another one.  The timer keeps to its grid for as long as it runs (hrtimer_forward_now()
 * in perf_swevent_hrtimer()): the times when two hits were due tell to the one how many were
 * skipped.  But a gap is told of where it ends, not with the hit after that.
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
 * pmcgrp_period_check_slow - pmcgrp_period_not_taken() where it has not come as it always does
 * @period_check: its, with a period
 * @nr_sched_in: the set's, that it has come in
 * @expected: when it was due
 * @now: local_clock() just now
 * @enabled: the target's time enabled then
 *
 * Context: hard interrupt of its CPU.
 * Return: how many periods it has missed since the last hit.
 */
u64 pmcgrp_period_check_slow(struct pmcgrp_period_check *period_check, u32 nr_sched_in,
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
