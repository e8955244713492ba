// SPDX-License-Identifier: GPL-2.0-only
/* What it costs to make a group and close it again. */
#include "bench.h"
#include <sys/eventfd.h>

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

static bool pmcgrp_once(void)
{
	int fd = pmcgrp_open(members[0], NR, &me);

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
	pid_t holder = fork();
	int fd;

	if (!holder) {
		pause();
		_exit(0);
	}
	r->floor = PER_TURN(WARM, close(eventfd(0, 0)));
	r->perf = again_and_again(perf_once, WARM);
	fd = pmcgrp_open(members[0], NR, &(struct whom){ .pid = holder });
	if (fd < 0)
		return false;
	r->pmcgrp = again_and_again(pmcgrp_once, WARM);
	close(fd);
	end_child(holder);
	return r->perf > 0 && r->pmcgrp > 0;
}

/* What the first one costs a task; the mean over some tasks, one after the other. */
static double first_of_tasks(bool (*once)(void))
{
	double *cost = shared_memory(sizeof(*cost)), sum = 0;
	uint64_t start;
	int i, status;
	pid_t pid;

	if (!cost)
		return -1;
	for (i = 0; i < COLD; i++) {
		pid = fork();
		if (!pid) {
			/* its stack and clock are there */
			start = now_ns();
			start = now_ns();
			status = once();
			*cost = insns_since(start);
			_exit(!status);
		}
		if (waitpid(pid, &status, 0) != pid || status)
			return -1;
		sum += *cost;
	}
	return sum / COLD;
}

static bool open_close_cold(struct result *r)
{
	r->floor = PER_TURN(WARM, close(eventfd(0, 0)));
	r->perf = first_of_tasks(perf_once);
	r->pmcgrp = first_of_tasks(pmcgrp_once);
	return r->perf > 0 && r->pmcgrp > 0;
}

#define EVENTFD	"eventfd() and close()"

const struct row open_rows[] = {
	{ "open_close.warm.4hw", "instructions", EVENTFD, 1, 0.30, open_close_warm },
	{ "open_close.cold.4hw", "instructions", EVENTFD, 1, 0.80, open_close_cold },
	{}
};
