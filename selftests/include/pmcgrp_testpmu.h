/* SPDX-License-Identifier: GPL-2.0-only */
/* The PMU for tests (test_modules/testpmu), seen from the tests that use it. */
#ifndef PMCGRP_TESTPMU_H
#define PMCGRP_TESTPMU_H

#include "pmcgrp_test.h"
#include <sched.h>

#define TESTPMU		"/sys/kernel/debug/pmcgrp_test/"
#define TESTPMU_MISSING	"needs the PMU for tests (selftests/test_modules/testpmu)"

/* Bits of an event's mask: the counters that it may have. */
#define PROGRAMMABLE	0xfULL
#define FIXED(n)	(1ULL << (32 + (n)))
#define ANY_COUNTER	(PROGRAMMABLE | FIXED(0) | FIXED(1) | FIXED(2))

struct testpmu {
	uint32_t type[2];	/* there are two such PMUs */
	int ticks;
	long faults;		/* before this test */
};

/* What the PMU has complained of since it was loaded; -1 where that cannot be read. */
static inline long testpmu_faults(void)
{
	char name[32];
	long count, sum = 0;
	FILE *f = fopen(TESTPMU "faults", "r");

	if (!f)
		return -1;
	while (fscanf(f, "%31s %ld %*d", name, &count) == 2) {
		if (count)
			printf("# testpmu: %s: %ld times since it was loaded\n", name, count);
		sum += count;
	}
	fclose(f);
	return sum;
}

static inline bool testpmu_open(struct testpmu *pmu)
{
	pmu->type[0] = file_number("/sys/bus/event_source/devices/pmcgrp_test/type", "");
	pmu->type[1] = file_number("/sys/bus/event_source/devices/pmcgrp_test2/type", "");
	pmu->ticks = open(TESTPMU "ticks", O_WRONLY | O_CLOEXEC);
	pmu->faults = testpmu_faults();
	return pmu->ticks >= 0 && pmu->faults >= 0;
}

/* An event that counts rate at each tick; the number tells it from its likes. */
static inline struct perf_event_attr test_event(const struct testpmu *pmu, unsigned int number,
						uint32_t rate, uint64_t mask)
{
	struct perf_event_attr attr = event(pmu->type[0], (uint64_t)number << 32 | rate);

	attr.config1 = mask;
	return attr;
}

static inline bool tick(const struct testpmu *pmu, unsigned int ticks)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", ticks);

	return write(pmu->ticks, text, len) == len;
}

static inline bool tick_cpu(const struct testpmu *pmu, unsigned int ticks, int cpu)
{
	char text[32];
	int len = snprintf(text, sizeof(text), "%u %d", ticks, cpu);

	return write(pmu->ticks, text, len) == len;
}

/* The counter that an event of the first PMU is on, anywhere, or -1. */
static inline int testpmu_counter(unsigned int number)
{
	char line[128];
	unsigned int found;
	int counter, on = -1;
	FILE *f = fopen(TESTPMU "state", "r");

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "pmcgrp_test cpu %*d counter %d: event %u", &counter, &found) != 2)
			continue;
		if (found == number)
			on = counter;
	}
	if (f)
		fclose(f);
	return on;
}

/* How often events of the first PMU were moved to another counter, on one CPU. */
static inline long testpmu_moves(int cpu)
{
	char line[128];
	long moves, sum = -1;
	int found;
	FILE *f = fopen(TESTPMU "state", "r");

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "pmcgrp_test cpu %d: %*u on, %*[a-z], %ld", &found, &moves) != 2)
			continue;
		if (found == cpu)
			sum = moves;
	}
	if (f)
		fclose(f);
	return sum;
}

static inline bool stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

#endif /* PMCGRP_TESTPMU_H */
