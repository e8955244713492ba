// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <linux/perf_event.h>

#include "ratio.h"

#define CACHE(cache, op, result) \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 | \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

const struct ratio ratios[] = {
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS,
	  PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false, "insn per cycle" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES,
	  PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, true, "of all branches" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES,
	  PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, true, "of all cache refs" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
	  PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, true, "frontend cycles idle" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
	  PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, true, "backend cycles idle" },
	{ PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS),
	  PERF_TYPE_HW_CACHE, CACHE(L1D, READ, ACCESS), true, "of all L1-dcache accesses" },
	{ PERF_TYPE_HW_CACHE, CACHE(L1I, READ, MISS),
	  PERF_TYPE_HW_CACHE, CACHE(L1I, READ, ACCESS), true, "of all L1-icache accesses" },
	{ PERF_TYPE_HW_CACHE, CACHE(LL, READ, MISS),
	  PERF_TYPE_HW_CACHE, CACHE(LL, READ, ACCESS), true, "of all LL-cache accesses" },
	{ PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, MISS),
	  PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, ACCESS), true, "of all dTLB cache accesses" },
	{ PERF_TYPE_HW_CACHE, CACHE(ITLB, READ, MISS),
	  PERF_TYPE_HW_CACHE, CACHE(ITLB, READ, ACCESS), true, "of all iTLB cache accesses" },
};

const size_t nr_ratios = sizeof(ratios) / sizeof(ratios[0]);
