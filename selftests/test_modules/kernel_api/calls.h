/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions that the selftest span has called, and what a probe of perf's costs on one. */
#ifndef PMCGRP_TESTAPI_CALLS_H
#define PMCGRP_TESTAPI_CALLS_H

#include <linux/perf_event.h>
#include <linux/types.h>

/* perf_event_read_local(), which modules do not see. */
typedef int (*read_local_t)(struct perf_event *event, u64 *value, u64 *enabled, u64 *running);

/* The same instructions for each iteration. */
void pmcgrp_testapi_work(unsigned int iterations);

/* Calls itself until it is @depth deep. */
unsigned int pmcgrp_testapi_recurse(unsigned int depth);

/* Sleeps in the running task. */
void pmcgrp_testapi_sleep(unsigned int ms);

/* Ends the running kernel thread. */
int pmcgrp_testapi_never(void *unused);

/* A kernel thread calls pmcgrp_testapi_never().  Return: 0 or an errno. */
int calls_never(void);

/* As many calls of pmcgrp_testapi_work(0).  Return: instructions, by @now(). */
u64 calls_cost(unsigned int times, u64 (*now)(void));

/* The same with a kretprobe that reads @nr events of perf's at both ends. */
int calls_cost_of_perf(unsigned int times, u64 (*now)(void), read_local_t read,
		       struct perf_event *const *event, unsigned int nr, u64 *cost);

#endif /* PMCGRP_TESTAPI_CALLS_H */
