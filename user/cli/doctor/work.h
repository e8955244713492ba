/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Work of known size, counted by pmcgrp and by perf_event_open(2) at once. */
#ifndef WORK_H
#define WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "pmcgrp.h"

#define WORK_LOOPS	1000000		/* and twice as many */
#define WORK_PINGS	100
#define WORK_PAGES	256

enum work_side {
	WORK_PMCGRP,
	WORK_PERF,
	NR_WORK_SIDES
};

enum work_event {
	WORK_INSTRUCTIONS,
	WORK_SWITCHES,
	WORK_FAULTS,
	WORK_CLOCK,
	NR_WORK_EVENTS
};

/* What the kernel itself says of this thread, and the time of the wall. */
struct work_mark {
	uint64_t switches;
	uint64_t faults;
	uint64_t cpu_ns;
	uint64_t wall_ns;
};

/*
 * One piece of work, and moments around it: pmcgrp is enabled between the first two marks, perf
 * between the next. Then the work is done, perf is disabled, and pmcgrp.
 */
#define WORK_MARKS 6

struct work_count {
	struct work_mark mark[WORK_MARKS];
	uint64_t value[NR_WORK_SIDES][NR_WORK_EVENTS];
	bool waited[NR_WORK_SIDES];	/* not on the PMU for all of its time */
	enum pmcgrp_why why;		/* the module's word on that, if it has one */
};

enum work_kind {
	WORK_LOOP,
	WORK_LOOP_TWICE,
	WORK_PING,
	WORK_PAGE,
	NR_WORK_KINDS
};

struct work {
	bool tried[NR_WORK_SIDES];			/* it was to count */
	bool has[NR_WORK_SIDES][NR_WORK_EVENTS];	/* what it does count */
	char why_not[NR_WORK_SIDES][NR_WORK_EVENTS][256];	/* of what it does not */
	struct work_count count[NR_WORK_KINDS];
	unsigned int loop_instructions;		/* of one iteration; 0: not known here */
	int err[NR_WORK_KINDS];			/* negative errno: the work could not be done */
};

struct core_pmu;

/*
 * work_pmu_type - what a generic event has in its upper half to be counted on this CPU
 *
 * Returns the type of the CPU's PMU on a machine with several; else 0.
 */
uint32_t work_pmu_type(const struct core_pmu *pmus, unsigned int nr, int cpu);

/*
 * work_run - do all of it
 * @device: of the module; NULL: count with perf_event_open(2) alone
 * @pmus: of the cores
 *
 * Returns 0, or a negative errno if nothing could be tried.
 */
int work_run(struct work *work, struct pmcgrp *device, const struct core_pmu *pmus,
	     unsigned int nr_pmus);

#endif
