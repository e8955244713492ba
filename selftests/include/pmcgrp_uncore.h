/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The uncore PMUs for tests (testpmu/uncore.c), seen from the tests that use them: two boxes of each
 * package of CPUs, and a third PMU where the kernel has scopes.
 */
#ifndef PMCGRP_UNCORE_H
#define PMCGRP_UNCORE_H

#include "pmcgrp_testpmu.h"
#include <limits.h>

#define UNCORE_PARAMETERS	"/sys/module/pmcgrp_testpmu/parameters/"
#define UNCORE_DEVICES		"/sys/bus/event_source/devices/"
#define UNCORE_BOXES		2
#define UNCORE_CPUS_MAX		64

/**
 * struct uncore - what there is
 * @pmu: the core PMUs for tests
 * @type: of each box
 * @scope_type: of the PMU with a scope; 0: none
 * @ticks: the file
 * @package_cpus: how many CPUs a package has
 * @counters: how many counters a box has in each package
 * @cpus: how many CPUs the machine has
 * @packages: how many packages
 */
struct uncore {
	struct testpmu pmu;
	uint32_t type[UNCORE_BOXES];
	uint32_t scope_type;
	int ticks;
	int package_cpus;
	int counters;
	int cpus;
	int packages;
};

static inline uint32_t uncore_type(const char *name)
{
	char path[96];
	long type;

	snprintf(path, sizeof(path), UNCORE_DEVICES "%s/type", name);
	type = file_number(path, "");
	return type > 0 ? type : 0;
}

static inline bool uncore_open(struct uncore *uncore)
{
	if (!testpmu_open(&uncore->pmu))
		return false;
	uncore->type[0] = uncore_type("pmcgrp_test_uncore_0");
	uncore->type[1] = uncore_type("pmcgrp_test_uncore_1");
	uncore->scope_type = uncore_type("pmcgrp_test_scope");
	uncore->ticks = open(TESTPMU "uncore_ticks", O_WRONLY | O_CLOEXEC);
	uncore->package_cpus = file_number(UNCORE_PARAMETERS "package_cpus", "");
	uncore->counters = file_number(UNCORE_PARAMETERS "uncore_counters", "");
	uncore->cpus = sysconf(_SC_NPROCESSORS_CONF);
	uncore->packages = (uncore->cpus + uncore->package_cpus - 1) / uncore->package_cpus;
	return uncore->type[0] && uncore->type[1] && uncore->ticks >= 0;
}

static inline void uncore_close(struct uncore *uncore)
{
	close(uncore->ticks);
	close(uncore->pmu.ticks);
}

/* An event of a PMU that counts rate at each tick. */
static inline struct perf_event_attr uncore_event(uint32_t type, unsigned int number, uint32_t rate)
{
	return event(type, (uint64_t)number << 32 | rate);
}

/* Time passes for all packages. */
static inline bool uncore_tick(const struct uncore *uncore, unsigned int ticks)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", ticks);

	return write(uncore->ticks, text, len) == len;
}

static inline bool uncore_tick_package(const struct uncore *uncore, unsigned int ticks, int package)
{
	char text[32];
	int len = snprintf(text, sizeof(text), "%u %d", ticks, package);

	return write(uncore->ticks, text, len) == len;
}

/* The CPUs in a PMU's cpumask file, as a mask; 0: there is none. */
static inline uint64_t uncore_cpumask(const char *name)
{
	char path[96];
	uint64_t mask = 0;
	int from, to, c;
	FILE *f;

	snprintf(path, sizeof(path), UNCORE_DEVICES "%s/cpumask", name);
	f = fopen(path, "r");
	if (!f)
		return 0;
	while (fscanf(f, "%d", &from) == 1) {
		to = from;
		c = fgetc(f);
		if (c == '-' && fscanf(f, "%d", &to) == 1)
			c = fgetc(f);
		for (; from <= to && from < UNCORE_CPUS_MAX; from++)
			mask |= 1ULL << from;
		if (c != ',')
			break;
	}
	fclose(f);
	return mask;
}

/* The CPU of a package that counts, or -1. */
static inline int uncore_designated(const struct uncore *uncore, int package)
{
	uint64_t mask = uncore_cpumask("pmcgrp_test_uncore_0");
	int cpu;

	for (cpu = package * uncore->package_cpus; cpu < (package + 1) * uncore->package_cpus; cpu++)
		if (mask & 1ULL << cpu)
			return cpu;
	return -1;
}

/* Where an event is on: the CPUs, as a mask, and on how many counters. */
struct uncore_places {
	uint64_t cpus;
	unsigned int nr;
};

/* Of a PMU's event by number; by UINT_MAX all of them. */
static inline struct uncore_places uncore_places(const char *name, unsigned int number)
{
	struct uncore_places places = {};
	char line[160], found[64];
	unsigned int event;
	int cpu;
	FILE *f = fopen(TESTPMU "state", "r");

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%63s package %*u cpu %d counter %*u: event %u", found, &cpu,
			   &event) != 3)
			continue;
		if (strcmp(found, name) || (number != UINT_MAX && event != number))
			continue;
		places.cpus |= 1ULL << cpu;
		places.nr++;
	}
	if (f)
		fclose(f);
	return places;
}

static inline struct uncore_places uncore_box_places(int box, unsigned int number)
{
	return uncore_places(box ? "pmcgrp_test_uncore_1" : "pmcgrp_test_uncore_0", number);
}

#endif /* PMCGRP_UNCORE_H */
