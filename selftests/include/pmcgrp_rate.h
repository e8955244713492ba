/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf core's limit on samples. It stops what comes too often until the next tick, which may be
 * far away on an idle CPU; and it lowers the limit by itself once interrupts have taken it too
 * long, those of earlier tests included (kernel/events/core.c: perf_sample_event_took()).
 */
#ifndef PMCGRP_RATE_H
#define PMCGRP_RATE_H

#include "pmcgrp_test.h"

#define RATE	"/proc/sys/kernel/perf_event_max_sample_rate"
#define SHARE	"/proc/sys/kernel/perf_cpu_time_max_percent"

struct rates {
	long rate, share;
};

/* Every sample up to so many a second is taken, however long that takes. Returns how it was. */
static inline struct rates rates_allow(long rate)
{
	struct rates was = { file_number(RATE, ""), file_number(SHARE, "") };

	if (!write_number(RATE, rate) || !write_number(SHARE, 100))
		return (struct rates){ -1, -1 };
	return was;
}

/* In this order: what the limit is cannot be changed where there is none on the share. */
static inline void rates_restore(const struct rates *was)
{
	if (was->rate < 0)
		return;
	write_number(SHARE, was->share);
	write_number(RATE, was->rate);
}

#endif /* PMCGRP_RATE_H */
