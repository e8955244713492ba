// SPDX-License-Identifier: GPL-2.0-only
/* Groups that inherit: a child that is created and exits, and a read() while many live. */
#include "bench.h"
#include <signal.h>

#define FORKS	60
#define ROUNDS	5	/* of them, each beside the other sides' */
#define LIVING	1000

static const struct whom heirs = { .inherit = true };
static pid_t living[LIVING];

static bool fork_once(void)
{
	pid_t child = fork();

	if (!child)
		_exit(0);
	return child > 0 && waitpid(child, NULL, 0) == child;
}

static struct cost cost_of_fork(enum by by, int nr)
{
	fork_once();
	return PER_GOOD_TIME(FORKS, fork_once());
}

static bool fork_exit(struct result *r)
{
	const struct group_set set = { .attr = members[0], .nr = NR };
	struct cost base[ROUNDS], perf[ROUNDS], pmcgrp[ROUNDS];
	int i;

	/* What a group adds is a hundredth of a fork(): all three in turn. */
	for (i = 0; i < ROUNDS; i++) {
		base[i] = cost_of_fork(BY_PERF, 0);
		perf[i] = with_groups(BY_PERF, 1, &set, &heirs, cost_of_fork);
		pmcgrp[i] = with_groups(BY_PMCGRP, 1, &set, &heirs, cost_of_fork);
		if (!measured(base[i]) || !measured(perf[i]) || !measured(pmcgrp[i]))
			return false;
	}
	r->base = cost_median(base, ROUNDS);
	r->perf = cost_median(perf, ROUNDS);
	r->pmcgrp = cost_median(pmcgrp, ROUNDS);
	r->perf = cost_less(r->perf, r->base);
	r->pmcgrp = cost_less(r->pmcgrp, r->base);
	return true;
}

static struct cost cost_of_read(enum by by, int nr)
{
	struct cost cost = NO_COST;
	struct group_values v;
	int k;

	for (k = 0; k < LIVING; k++) {
		living[k] = sleeper();
		if (living[k] < 0)
			break;
	}
	/* Each has run, and sleeps. */
	sleep(1);
	if (k == LIVING)
		cost = PER_GOOD_TIME(100, group_values(group_fd(by, 0), NR, &v));
	while (k--)
		end_child(living[k]);
	return cost;
}

static bool read_children(struct result *r)
{
	const struct group_set set = { .attr = members[0], .nr = NR };

	r->perf = with_groups(BY_PERF, 1, &set, &heirs, cost_of_read);
	r->pmcgrp = with_groups(BY_PMCGRP, 1, &set, &heirs, cost_of_read);
	return measured(r->perf) && measured(r->pmcgrp);
}

const struct row children_rows[] = {
	{ "fork.inherited.4hw", "instructions", NULL, 1, 0.45, fork_exit },
	{ "read.1000children.4hw", "instructions", NULL, 1, 0.05, read_children },
	{}
};
