// SPDX-License-Identifier: GPL-2.0-only
/* What it costs to make a group and close it again. */
#include "bench.h"

#define WARM	500
#define COLD	50

static const struct whom me;

static bool perf_once(void)
{
	struct perf_group group;

	if (!perf_group_open(&group, members[0], NR, &me))
		return false;
	perf_group_close(&group);
	return true;
}

/* What neither can do without: one event of perf core's, which needs no counter. */
static bool floor_once(void)
{
	struct perf_event_attr dummy = sw(PERF_COUNT_SW_DUMMY);

	return !close(perf_open(&dummy, 0, -1, -1));
}

static bool pmcgrp_once(void)
{
	int fd = group_open(members[0], NR, &me);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

/* One after the other, in one task; -1: it failed. */
static double again_and_again(bool (*once)(void), long turns)
{
	bool good = once();
	double cost = PER_TURN(turns, good &= once());

	return good ? cost : -1;
}

/* A holder whose group has the same events, and never runs meanwhile. */
static bool open_close_warm(struct result *r)
{
	pid_t holder = sleeper();
	int fd;

	r->floor = again_and_again(floor_once, WARM);
	r->perf = again_and_again(perf_once, WARM);
	fd = group_open(members[0], NR, &(struct whom){ .pid = holder });
	if (fd < 0)
		return false;
	r->pmcgrp = again_and_again(pmcgrp_once, WARM);
	close(fd);
	end_child(holder);
	return r->perf > 0 && r->pmcgrp > 0;
}

/* What a child shares of its parent's stack is copied as it is written to: before, not while. */
static void have_stack(void)
{
	volatile char stack[32768];
	size_t i;

	for (i = 0; i < sizeof(stack); i += 1024)
		stack[i] = 0;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * What the first one costs a task: the median over some tasks, one after the other. What one
 * leaves to be freed after a grace period of RCU is freed before the next one comes; now and
 * then one of them pays for it nevertheless.
 */
static double first_of_tasks(bool (*once)(void))
{
	double *cost = shared_memory(COLD * sizeof(*cost));
	uint64_t start;
	int i, status;
	pid_t pid;

	if (!cost)
		return -1;
	for (i = 0; i < COLD; i++) {
		sleep_ns(50 * NSEC_PER_MSEC);
		pid = fork();
		if (!pid) {
			have_stack();
			/* and its clock is there */
			start = now_ns();
			start = now_ns();
			status = once();
			cost[i] = insns_since(start);
			_exit(!status);
		}
		if (waitpid(pid, &status, 0) != pid || status)
			return -1;
	}
	qsort(cost, COLD, sizeof(*cost), by_value);
	return cost[COLD / 2];
}

static bool open_close_cold(struct result *r)
{
	r->floor = first_of_tasks(floor_once);
	r->perf = first_of_tasks(perf_once);
	r->pmcgrp = first_of_tasks(pmcgrp_once);
	return r->perf > 0 && r->pmcgrp > 0;
}

#define ONE_DUMMY	"one event of perf's that needs no counter"

const struct row open_rows[] = {
	{ "open_close.warm.4hw", "instructions", ONE_DUMMY, 1, 0.30, open_close_warm },
	{ "open_close.cold.4hw", "instructions", ONE_DUMMY, 1, 0.80, open_close_cold },
	{}
};
