/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The uncore PMUs for tests (test_modules/testpmu/uncore.c), seen from the tests that use them: two
 * boxes of each package of CPUs, and a third PMU where the kernel has scopes.
 */
#ifndef PMCGRP_UNCORE_H
#define PMCGRP_UNCORE_H

#include "pmcgrp_testpmu.h"
#include <limits.h>
#include <stddef.h>

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

	for (cpu = package * uncore->package_cpus;
	     cpu < (package + 1) * uncore->package_cpus; cpu++)
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

/*
 * Whether nothing is on a box any more, once all groups are closed.  The worker that was asking
 * perf core for a group's counters sees that the group is gone at its next check, which is within
 * half a millisecond (CHECK_US in kmod/arbiter/reserve.c).  Until then its events may have a
 * counter.
 */
static inline bool uncore_box_empties(int box)
{
	int i;

	for (i = 0; i < 100; i++) {
		if (!uncore_box_places(box, UINT_MAX).nr)
			return true;
		sleep_ns(NSEC_PER_MSEC);
	}
	return false;
}

/* ---- Groups ---- */

/* A group of all CPUs. */
static inline int uncore_group(int dev, unsigned int nr, const struct perf_event_attr *attr,
			       uint64_t flags)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_ALL_CPUS, .nr = nr, .attr = attr,
			   .flags = flags };

	return ask_group(dev, &ask);
}

static inline uint32_t uncore_rate(const struct perf_event_attr *attr)
{
	return attr->config;
}

/* Whether an event of a box is on one counter of each of these CPUs, and nowhere else. */
static inline bool uncore_is_at(const struct uncore *uncore, const struct perf_event_attr *attr,
				uint64_t cpus)
{
	struct uncore_places places;

	places = uncore_box_places(attr->type == uncore->type[1], attr->config >> 32);
	return places.cpus == cpus && places.nr == __builtin_popcountll(cpus);
}

#define UNCORE_MEMBERS_MAX	8

/* What a group has counted on each CPU where it has. */
struct uncore_cpus {
	CPU_RECORD(UNCORE_MEMBERS_MAX) record[UNCORE_CPUS_MAX];
	unsigned int nr;
};

static inline bool uncore_read_cpus(int fd, unsigned int nr, struct uncore_cpus *cpus)
{
	size_t head = offsetof(typeof(cpus->record[0]), m), pair = sizeof(cpus->record[0].m[0]);
	static char buffer[sizeof(cpus->record)];
	struct pmcgrp_read_cpus arg;
	unsigned int i;

	if (read_cpus(fd, buffer, sizeof(buffer), &arg) || arg.record_size != head + nr * pair ||
	    arg.nr_cpus > UNCORE_CPUS_MAX)
		return false;
	cpus->nr = arg.nr_cpus;
	for (i = 0; i < cpus->nr; i++)
		memcpy(&cpus->record[i], buffer + i * arg.record_size, arg.record_size);
	return true;
}

/* What a member has counted of a package, on whichever of its CPUs. */
static inline uint64_t uncore_package_value(const struct uncore *uncore,
					    const struct uncore_cpus *cpus, int package,
					    unsigned int member)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < cpus->nr; i++)
		if ((int)cpus->record[i].cpu / uncore->package_cpus == package)
			sum += cpus->record[i].m[member].value;
	return sum;
}

/*
 * Whether a group shows what so many ticks of each package make: all members, on the CPUs of the
 * package, and in all.
 */
static inline bool uncore_shows(const struct uncore *uncore, int fd, unsigned int nr,
				const struct perf_event_attr *attr, const uint64_t *ticks)
{
	struct uncore_cpus cpus;
	struct group_values v;
	uint64_t sum = 0, is, expected;
	unsigned int i;
	int p;

	if (!uncore_read_cpus(fd, nr, &cpus) || !group_values(fd, nr, &v))
		return false;
	for (p = 0; p < uncore->packages; p++) {
		sum += ticks[p];
		for (i = 0; i < nr; i++) {
			is = uncore_package_value(uncore, &cpus, p, i);
			expected = ticks[p] * uncore_rate(&attr[i]);
			if (is == expected)
				continue;
			printf("# package %d, member %u: %llu, not %llu\n", p, i,
			       (unsigned long long)is, (unsigned long long)expected);
			return false;
		}
	}
	for (i = 0; i < nr; i++)
		if (v.m[i].value != sum * uncore_rate(&attr[i]))
			return false;
	return true;
}

#endif /* PMCGRP_UNCORE_H */
