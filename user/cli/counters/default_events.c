// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include "default_events.h"

const char stat_default_events[] =
	"{task-clock,context-switches,cpu-migrations,page-faults},"
	"{cycles,instructions,branches,branch-misses}";

/* The events of perf stat. Pairs, for a PMU of few counters to have. */
const char *const stat_detailed_events[STAT_DETAILS] = {
	"{L1-dcache-loads,L1-dcache-load-misses},{LLC-loads,LLC-load-misses}",
	"{L1-icache-loads,L1-icache-load-misses},{dTLB-loads,dTLB-load-misses},"
	"{iTLB-loads,iTLB-load-misses}",
	"{L1-dcache-prefetches,L1-dcache-prefetch-misses}",
};
