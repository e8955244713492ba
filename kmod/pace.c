// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pace of a clock: for how many of its periods it did not come, though the target ran.
 */
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/sched/clock.h>
#include "pace.h"

/*
 * Whole periods that this hit is late, in ns: the timer is going to skip them.  As of @now,
 * which was some time ago if a hypervisor had stopped the CPU since: what comes after counts
 * from there.
 */
static u64 late_by(const struct pmcgrp_pace *pace, u64 due, u64 now)
{
	s64 late = ktime_get_mono_fast_ns() - due;
	u64 rest;

	late -= local_clock() - now;
	if (late < (s64)pace->period)
		return 0;
	div64_u64_rem(late, pace->period, &rest);
	return late - rest;
}

/*
 * The first hit of a stay, or after throttling.  perf core's timer was stopped before, and
 * has gone on with what was left, or anew if that was nothing: the time enabled tells how
 * long that took, up to now.
 */
static u64 hit_anew(struct pmcgrp_pace *pace, u64 due, u64 now, u64 gap)
{
	gap += pace->late;
	pace->late = 0;
	pace->told_ahead = late_by(pace, due, now);
	return gap;
}

/*
 * Another one.  The timer keeps to its grid for as long as it runs (hrtimer_forward_now()
 * in perf_swevent_hrtimer()): the times when two hits were due tell to the one how many were
 * skipped.  But a gap is told of where it ends, not with the hit after that.
 */
static u64 hit_on_grid(struct pmcgrp_pace *pace, u64 due, u64 now, u64 gap)
{
	u64 grid = due - pace->due, late = gap > grid ? gap - grid : 0, time;

	time = grid > pace->told_ahead ? grid - pace->told_ahead : 0;
	pace->told_ahead = gap < 2 * pace->period ? 0 : late_by(pace, due, now);
	pace->late = late > pace->told_ahead ? late - pace->told_ahead : 0;
	return time + pace->told_ahead;
}

/**
 * pmcgrp_pace_judge - pmcgrp_pace_hit() where it has not come as it always does
 * @pace: its, with a period
 * @stays: the ride's, that it has come in
 * @due: when it was due
 * @now: local_clock() just now
 * @enabled: the target's time enabled then
 *
 * Context: hard interrupt of its CPU.
 * Return: how many periods it has missed since the last hit.
 */
u64 pmcgrp_pace_judge(struct pmcgrp_pace *pace, u32 stays, u64 due, u64 now, u64 enabled)
{
	u64 gap = enabled - pace->seen, missed = 0;

	lockdep_assert_irqs_disabled();
	if (!pace->seen) {
		pace->late = 0;
		pace->told_ahead = 0;
	} else {
		if (pace->stays != stays || pace->throttled)
			gap = hit_anew(pace, due, now, gap);
		else
			gap = hit_on_grid(pace, due, now, gap);
		if (gap >= 2 * pace->period)
			missed = div64_u64(gap, pace->period) - 1;
	}
	pace->seen = enabled;
	pace->due = due;
	pace->stays = stays;
	return missed;
}
