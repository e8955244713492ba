/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints that the selftest span_tracepoint has hit, and what perf's readings cost there. */
#ifndef PMCGRP_TESTAPI_POINTS_H
#define PMCGRP_TESTAPI_POINTS_H

#include <linux/types.h>
#include "calls.h"

/* Both tracepoints, with so many iterations of work between them. */
void points_pass(u64 key, unsigned int iterations);

/* The first, or the other one, of so many keys from @key on. */
void points_begin(u64 key, unsigned int nr);
void points_end(u64 key, unsigned int nr);

/* As many passes, without work.  Return: instructions, by @now(). */
u64 points_cost(unsigned int times, u64 (*now)(void));

/* The same with probes that read @nr events of perf's at both ends. */
int points_cost_of_perf(unsigned int times, u64 (*now)(void), read_local_t read,
			struct perf_event *const *event, unsigned int nr, u64 *cost);

#endif /* PMCGRP_TESTAPI_POINTS_H */
