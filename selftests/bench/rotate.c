// SPDX-License-Identifier: GPL-2.0-only
/* What multiplexing costs, and groups that share counters instead. */
#include "bench.h"

#define LOOP		400000000	/* instructions: 800 ms, 200 intervals */
#define MONITORS	20

static struct cost cost_of_loop(void)
{
	struct stamp start = stamp_now();

	loop(LOOP / 2);
	return cost_since(&start);
}

static double intervals_of(struct cost loop)
{
	return loop.insns * NS_PER_INSN / MUX_INTERVAL_NS;
}

static struct cost per_interval(struct cost with, struct cost without)
{
	return cost_of_each(cost_less(with, without), intervals_of(with));
}

/* Two groups that do not fit together, against one of them. */
static bool rotate(struct result *r)
{
	struct perf_group perf[2];
	struct cost with, without;
	int fd[2];

	if (!perf_group_open(&perf[0], members[0], NR, &(struct whom){ 0 }))
		return false;
	without = cost_of_loop();
	if (!perf_group_open(&perf[1], members[1], NR, &(struct whom){ 0 }))
		return false;
	with = cost_of_loop();
	perf_group_close(&perf[1]);
	perf_group_close(&perf[0]);
	r->perf = per_interval(with, without);

	fd[0] = group_open(members[0], NR, &(struct whom){ 0 });
	without = cost_of_loop();
	fd[1] = group_open(members[1], NR, &(struct whom){ 0 });
	with = cost_of_loop();
	close(fd[1]);
	close(fd[0]);
	r->pmcgrp = per_interval(with, without);
	return fd[0] >= 0 && fd[1] >= 0;
}

static const struct whom cpu0 = { .pid = -1 };

/* Returns the worst monitor's share of the time, in percent, and the accesses in an interval. */
static struct cost worst_share(const int *fd)
{
	struct cost cost = cost_of_loop();
	struct group_values v;
	double share;
	int i;

	cost = cost_of_each(cost, intervals_of(cost));
	cost.insns = 100;
	for (i = 0; i < MONITORS; i++) {
		if (!group_values(fd[i], 2, &v) || !v.enabled)
			return NO_COST;
		share = 100.0 * v.running / v.enabled;
		cost.insns = share < cost.insns ? share : cost.insns;
	}
	return cost;
}

static bool share(struct result *r)
{
	struct perf_group perf[MONITORS];
	int fd[MONITORS], i;
	bool good = true;

	for (i = 0; i < MONITORS && good; i++) {
		good = perf_group_open(&perf[i], members[0], 2, &cpu0);
		fd[i] = perf[i].fd[0];
	}
	if (good)
		r->perf = worst_share(fd);
	while (i--)
		perf_group_close(&perf[i]);

	for (i = 0; i < MONITORS; i++) {
		fd[i] = group_open(members[0], 2, &cpu0);
		good &= fd[i] >= 0;
	}
	if (good)
		r->pmcgrp = worst_share(fd);
	while (i--)
		close(fd[i]);
	return good && measured(r->perf) && measured(r->pmcgrp);
}

const struct row rotate_rows[] = {
	{ "rotate.2x4hw", "instructions", NULL, 1, 0.50, rotate },
	{ "share.20x2", "% of the time", NULL, 1, 0, share },
	{}
};
