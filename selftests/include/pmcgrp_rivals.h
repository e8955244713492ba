/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_RIVALS_H
#define PMCGRP_RIVALS_H

/* A pmcgrp group and a perf group of which only one fits the PMU at a time. */
#include "pmcgrp_test.h"

struct rivals {
	int dev;
	unsigned int nr;	/* events of each group; two do not fit, one leaves room */
};

struct perf_share {
	int fd[COUNTERS_MOST];
	struct group_values v;
};

/* Whether there are enough counters; binds the task to CPU 0. */
static inline bool rivals_ready(struct rivals *rivals)
{
	rivals->nr = more_than_half();
	return rivals->nr > 1 && rivals->nr < counters() && run_on(0);
}

/* Open a perf group of the running task or of CPU 0. */
static inline bool perf_start(struct perf_share *perf, unsigned int nr, bool of_cpu)
{
	struct perf_event_attr attr;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		attr = instructions_copy(500 + i);
		attr.read_format = FORMAT;
		perf->fd[i] = perf_open(&attr, of_cpu ? -1 : 0, of_cpu ? 0 : -1,
					i ? perf->fd[0] : -1);
		if (perf->fd[i] < 0)
			return false;
	}
	return true;
}

/* How much of the time between two reads a group was on the PMU. */
static inline double percent(const struct group_values *v, const struct group_values *w)
{
	return 100.0 * (w->running - v->running) / (w->enabled - v->enabled);
}

/* Open a pmcgrp group of the running task; those with other @first have other events. */
static inline int our_group(const struct rivals *rivals, unsigned int first)
{
	struct perf_event_attr attr[COUNTERS_MOST];
	unsigned int i;

	for (i = 0; i < rivals->nr; i++)
		attr[i] = instructions_copy(first + i);
	return group_of(rivals->dev, rivals->nr, attr, 0);
}

#endif /* PMCGRP_RIVALS_H */
