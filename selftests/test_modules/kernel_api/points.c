// SPDX-License-Identifier: GPL-2.0-only
/* Tracepoints that the selftest span_tracepoint has hit, and what perf's readings cost there. */
#include <linux/compiler.h>
#include <linux/irqflags.h>
#include "points.h"

#define CREATE_TRACE_POINTS
#include "events.h"

#define EVENTS_MAX 8

/* What the upper half of a key is, an argument of 4 bytes may have in its register. */
static noinline void begin(u64 key)
{
	trace_pmcgrp_testapi_begin((unsigned int)key, key);
}

static noinline void end(u64 key)
{
	/* In its upper half there is something else. */
	trace_pmcgrp_testapi_end(key, (unsigned int)(key ^ (5ULL << 40)));
}

void points_pass(u64 key, unsigned int iterations)
{
	begin(key);
	pmcgrp_testapi_work(iterations);
	end(key);
}

void points_begin(u64 key, unsigned int nr)
{
	while (nr--)
		begin(key++);
}

void points_end(u64 key, unsigned int nr)
{
	while (nr--)
		end(key++);
}

u64 points_cost(unsigned int times, u64 (*now)(void))
{
	unsigned long flags;
	u64 before, after;

	local_irq_save(flags);
	before = now();
	while (times--) {
		begin(1);
		end(1);
	}
	after = now();
	local_irq_restore(flags);
	return after - before;
}

static struct {
	read_local_t read;
	struct perf_event *const *event;
	unsigned int nr;
	u64 begin[EVENTS_MAX];
	u64 sum[EVENTS_MAX];
	int err;
} perf;

/* Interrupts are off, and one CPU is used: one place is enough. */
static void perf_begins(void *unused, unsigned int id, unsigned long key)
{
	unsigned int i;

	for (i = 0; i < perf.nr; i++)
		perf.err = perf.err ?: perf.read(perf.event[i], &perf.begin[i], NULL, NULL);
}

static void perf_ends(void *unused, unsigned long key, unsigned int id)
{
	unsigned int i;
	u64 value = 0;

	for (i = 0; i < perf.nr; i++) {
		perf.err = perf.err ?: perf.read(perf.event[i], &value, NULL, NULL);
		perf.sum[i] += value - perf.begin[i];
	}
}

int points_cost_of_perf(unsigned int times, u64 (*now)(void), read_local_t read,
			struct perf_event *const *event, unsigned int nr, u64 *cost)
{
	int err;

	perf.read = read;
	perf.event = event;
	perf.nr = nr;
	perf.err = 0;
	err = register_trace_pmcgrp_testapi_end(perf_ends, NULL);
	if (err)
		return err;
	err = register_trace_pmcgrp_testapi_begin(perf_begins, NULL);
	if (!err) {
		*cost = points_cost(times, now);
		unregister_trace_pmcgrp_testapi_begin(perf_begins, NULL);
	}
	unregister_trace_pmcgrp_testapi_end(perf_ends, NULL);
	tracepoint_synchronize_unregister();
	return err ?: perf.err;
}
