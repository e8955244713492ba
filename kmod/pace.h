/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_PACE_H
#define PMCGRP_PACE_H

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

u64 pmcgrp_pace_hit(struct pmcgrp_pace *pace, u32 stays, u64 due, u64 now, u64 enabled);

#endif /* PMCGRP_PACE_H */
