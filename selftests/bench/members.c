// SPDX-License-Identifier: GPL-2.0-only
/* The hardware events that groups count: two sets, of which the PMU has room for one. */
#include "bench.h"

struct perf_event_attr members[2][NR_MAX];

#ifdef __x86_64__

/*
 * Intel: events that general counters count, each of them on any, and no other ones, so that NR
 * of them fit with the NMI watchdog.  Branches, mispredicted ones, LLC references and
 * misses; uops issued and retired, L1D, L2.  From the fifth on the same once more.
 */
static struct perf_event_attr member(unsigned int set, unsigned int i)
{
	static const uint64_t config[2][NR] = {
		{ 0x00c4, 0x00c5, 0x4f2e, 0x412e },
		{ 0x010e, 0x02c2, 0x0151, 0x3f24 },
	};

	return another(event(PERF_TYPE_RAW, config[set][i % NR]), i / NR);
}

#else

/* Arm: half cycles, half instructions. */
static struct perf_event_attr member(unsigned int set, unsigned int i)
{
	return raw_copy(i % 2 ? ARM_INST_RETIRED : ARM_CPU_CYCLES, set * NR_MAX + i);
}

#endif

void members_init(void)
{
	unsigned int set, i;

	for (set = 0; set < 2; set++)
		for (i = 0; i < NR_MAX; i++)
			members[set][i] = member(set, i);
}
