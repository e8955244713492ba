// SPDX-License-Identifier: GPL-2.0-only
/* What a group costs a task that mostly sleeps. */
#include "bench.h"

#define TIMES	250	/* the machine has something to do itself, now and then */
#define WORK	20000	/* instructions before each sleep */

/* Of one time: to work a little, and to sleep for 20 ms. */
static struct cost cost_of_sleep(void)
{
	struct stamp start;
	struct cost cost;
	int i;

	/* What was done before is over. */
	sleep(1);
	start = stamp_now();
	for (i = 0; i < TIMES; i++) {
		loop(WORK / 2);
		sleep_ns(20 * NSEC_PER_MSEC);
	}
	cost = cost_executed(&start);
	return measured(cost) ? cost_of_each(cost, TIMES) : NO_COST;
}

static bool sleeper_20ms(struct result *r)
{
	const struct perf_event_attr dummy = sw(PERF_COUNT_SW_DUMMY);
	const struct whom me = { .pid = 0 };
	struct perf_group group;
	int fd;

	r->base = cost_of_sleep();
	if (!measured(r->base) || !perf_group_open(&group, &dummy, 1, &me))
		return false;
	r->floor = cost_less(cost_of_sleep(), r->base);
	perf_group_close(&group);
	if (!perf_group_open(&group, members[0], NR, &me))
		return false;
	r->perf = cost_of_sleep();
	perf_group_close(&group);
	fd = group_open(members[0], NR, &me);
	if (fd < 0)
		return false;
	r->pmcgrp = cost_of_sleep();
	close(fd);
	if (!measured(r->perf) || !measured(r->pmcgrp))
		return false;
	r->perf = cost_less(r->perf, r->base);
	r->pmcgrp = cost_less(r->pmcgrp, r->base);
	return true;
}

const struct row sleep_rows[] = {
	{ "sleeper.20ms", "instructions", "a perf event that counts nothing", 1, 1.00,
	  sleeper_20ms },
	{}
};
