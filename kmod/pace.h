/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_PACE_H
#define PMCGRP_PACE_H

#include <linux/lockdep.h>
#include <linux/types.h>

/**
 * struct pmcgrp_pace - whether a trigger comes when it should; its CPU, interrupts off
 * @period: nanoseconds between two hits of a clock; 0 for anything else
 * @seen: the target's time enabled at the last hit, or 0
 * @due: when that was due, on the clock of perf core's timer
 * @late: how much more it was behind that than the one before, without @told_ahead
 * @told_ahead: of the time from @due on, what has been told of already
 * @stays: the target's, at the last hit
 * @throttled: perf core had stopped it after the last hit
 * @told: there is a PERF_RECORD_THROTTLE, and none of the opposite since
 */
struct pmcgrp_pace {
	u64	period;
	u64	seen;
	u64	due;
	u64	late;
	u64	told_ahead;
	u32	stays;
	bool	throttled;
	bool	told;
};

u64 pmcgrp_pace_judge(struct pmcgrp_pace *pace, u32 stays, u64 due, u64 now, u64 enabled);

/**
 * pmcgrp_pace_is_even - whether a clock has missed nothing, and nothing is to be told
 * @pace: its, with a period
 * @stays: the ride's, that it has come in
 * @due: when it was due, on CLOCK_MONOTONIC, as perf core's timer is
 * @enabled: the target's time enabled just now
 *
 * Context: hard interrupt of its CPU.
 */
static inline bool pmcgrp_pace_is_even(const struct pmcgrp_pace *pace, u32 stays, u64 due,
				       u64 enabled)
{
	u64 two = 2 * pace->period;

	lockdep_assert_irqs_disabled();
	return pace->seen && !pace->told_ahead && !pace->throttled && pace->stays == stays &&
	       enabled - pace->seen < two && due - pace->due < two;
}

/**
 * pmcgrp_pace_go_on - the next one is judged by this one
 * @pace: its, which is even
 * @due: as above
 * @enabled: as above
 *
 * As hit_on_grid() has it where there is no gap.
 */
static inline void pmcgrp_pace_go_on(struct pmcgrp_pace *pace, u64 due, u64 enabled)
{
	u64 gap = enabled - pace->seen, grid = due - pace->due;

	lockdep_assert_irqs_disabled();
	pace->late = gap > grid ? gap - grid : 0;
	pace->seen = enabled;
	pace->due = due;
}

/**
 * pmcgrp_pace_hit - a clock has come
 * @pace: its, with a period
 * @stays: as above
 * @due: as above
 * @now: local_clock() just now
 * @enabled: the target's time enabled then
 *
 * Context: hard interrupt of its CPU.
 * Return: how many periods it has missed since the last hit.
 */
static inline u64 pmcgrp_pace_hit(struct pmcgrp_pace *pace, u32 stays, u64 due, u64 now,
				  u64 enabled)
{
	if (unlikely(!pmcgrp_pace_is_even(pace, stays, due, enabled)))
		return pmcgrp_pace_judge(pace, stays, due, now, enabled);
	pmcgrp_pace_go_on(pace, due, enabled);
	return 0;
}

#endif /* PMCGRP_PACE_H */
