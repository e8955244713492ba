/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How far members with the same event may differ: not at all where the PMU stops all counters at
 * one instant. Elsewhere its driver stops and starts one counter after the other. Each hold of the
 * PMU then adds a difference, as it does for perf groups.
 */
#ifndef PMCGRP_APART_H
#define PMCGRP_APART_H

#include "pmcgrp_test.h"
#ifdef __x86_64__
#include <cpuid.h>
#endif

#define APART_TRIES	64
#define APART_TICK	(4 * NSEC_PER_MSEC)
/* Holds of a PMU: in a tick, with rotation; and for a switch away and back. */
#define HOLDS_IN_TICK	8
#define HOLDS_IN_SWITCH	8

/* Intel's from version 2 on, AMD's from PerfMonV2 on; Arm's all (PMCR_EL0.E). */
static inline bool stops_at_once(void)
{
#ifdef __x86_64__
	unsigned int a = 0, b = 0, c = 0, d = 0;

	__get_cpuid(0, &a, &b, &c, &d);
	if (b == signature_INTEL_ebx)
		return __get_cpuid_count(0xa, 0, &a, &b, &c, &d) && (a & 0xff) > 1;
	return __get_cpuid_count(0x80000022, 0, &a, &b, &c, &d) && a & 1;
#else
	return true;
#endif
}

/*
 * By how much the members of perf's largest group are apart after it was on once. Asked first
 * while all counters are free.
 */
static inline uint64_t apart_by_hold(void)
{
	static int64_t most = -1;
	uint64_t v[COUNTERS_MOST], sum[COUNTERS_MOST] = {}, apart;
	int fd[COUNTERS_MOST];
	unsigned int nr, k, i;

	if (most >= 0)
		return most;
	most = 0;
	if (stops_at_once())
		return most;
	nr = open_copies(fd, machine()->cycles);
	while (nr > counters())
		close(fd[--nr]);
	if (nr)
		ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0);
	for (k = 0; k < APART_TRIES && nr && time_on_pmu(fd[0], v, nr); k++)
		for (i = 0; i < nr; i++)
			sum[i] += v[i];
	for (i = 1; i < nr; i++) {
		apart = llabs((long long)(sum[i] - sum[0])) / APART_TRIES + 1;
		most = (int64_t)apart > most ? (int64_t)apart : most;
	}
	while (nr)
		close(fd[--nr]);
	return most;
}

/* How far apart so long a time and so many switches of tasks bring them at most. */
static inline uint64_t apart_most(uint64_t ns, unsigned int switches)
{
	return apart_by_hold() * (HOLDS_IN_TICK * (1 + ns / APART_TICK) +
				  HOLDS_IN_SWITCH * switches);
}

static inline bool counts_together(uint64_t a, uint64_t b, uint64_t ns, unsigned int switches)
{
	return difference(a, b) <= apart_most(ns, switches);
}

/* Whether members that count the same are together, after so many switches of tasks. */
static inline bool members_together(const struct group_values *v, unsigned int nr,
				    unsigned int switches)
{
	unsigned int i;

	for (i = 1; i < nr; i++)
		if (!counts_together(v->m[0].value, v->m[i].value, v->enabled, switches))
			return false;
	return true;
}

#endif /* PMCGRP_APART_H */
