// SPDX-License-Identifier: GPL-2.0-only
/*
 * What groups add to a context switch: two tasks on one CPU hand a byte to and fro. With one
 * side monitored, switches schedule its events in and out alternately.
 */
#include "bench.h"

#define SLEEPING	64	/* groups of a task that sleeps */

/*
 * Who is monitored: this task by the first set, the child by one of the two, both by
 * inheritance, or a third task that sleeps.
 */
enum side {
	ONE,
	SAME,
	DIFFERENT,
	INHERITED,
	BYSTANDER,
};

static struct cost cost_by_perf(enum side side, pid_t third)
{
	struct perf_group mine, other = { .nr = 0 };
	struct whom whom = { .pid = side == BYSTANDER ? third : 0,
			     .inherit = side == INHERITED };
	struct pair p;
	struct cost cost;

	if (!perf_group_open(&mine, members[0], NR, &whom) || !pair_start(&p))
		return NO_COST;
	whom.pid = p.child;
	if ((side == SAME || side == DIFFERENT) &&
	    !perf_group_open(&other, members[side == DIFFERENT], NR, &whom))
		return NO_COST;
	cost = cost_of_switch(&p);
	pair_end(&p);
	perf_group_close(&other);
	perf_group_close(&mine);
	return cost;
}

static struct cost cost_by_pmcgrp(enum side side, pid_t third)
{
	struct whom whom = { .pid = side == BYSTANDER ? third : 0,
			     .inherit = side == INHERITED };
	int mine, other = -1;
	struct pair p;
	struct cost cost;

	mine = group_open(members[0], NR, &whom);
	if (mine < 0 || !pair_start(&p))
		return NO_COST;
	if (side == SAME || side == DIFFERENT) {
		whom.pid = p.child;
		other = group_open(members[side == DIFFERENT], NR, &whom);
		if (other < 0)
			return NO_COST;
	}
	cost = cost_of_switch(&p);
	pair_end(&p);
	close(other);
	close(mine);
	return cost;
}

/* With a perf event that counts nothing on either side, or without. */
static struct cost cost_with_dummies(bool mine, bool other)
{
	const struct perf_event_attr dummy = sw(PERF_COUNT_SW_DUMMY);
	struct perf_group group[2] = { { .nr = 0 }, { .nr = 0 } };
	struct whom whom = { .pid = 0 };
	struct pair p;
	struct cost cost;

	if (!pair_start(&p) || (mine && !perf_group_open(&group[0], &dummy, 1, &whom)))
		return NO_COST;
	whom.pid = p.child;
	if (other && !perf_group_open(&group[1], &dummy, 1, &whom))
		return NO_COST;
	cost = cost_of_switch(&p);
	pair_end(&p);
	perf_group_close(&group[0]);
	perf_group_close(&group[1]);
	return cost;
}

/*
 * The first event anywhere that follows a task has perf core hook into the scheduler, and the
 * last one has it leave a second later (kernel/events/core.c: perf_sched_delayed()): each switch
 * takes some more until then. pmcgrp's probe comes and goes in the same way. So that no row depends
 * on what was measured before it, another event keeps the hooks meanwhile, and a group the probe.
 */
struct hooks {
	struct perf_group group;
	int fd;
	pid_t third;
};

static bool hooks_begin(struct hooks *h, bool probe)
{
	const struct perf_event_attr dummy = sw(PERF_COUNT_SW_DUMMY);
	struct whom whom = { .pid = sleeper() };

	h->third = whom.pid;
	h->fd = probe ? group_open(&dummy, 1, &whom) : -1;
	return (!probe || h->fd >= 0) && perf_group_open(&h->group, &dummy, 1, &whom);
}

static void hooks_end(struct hooks *h)
{
	perf_group_close(&h->group);
	if (h->fd >= 0)
		close(h->fd);
	end_child(h->third);
}

/* Whether all of it was measured; then what groups add to the base. */
static bool beyond_base(struct result *r)
{
	if (!measured(r->base) || !measured(r->perf) || !measured(r->pmcgrp))
		return false;
	r->perf = cost_less(r->perf, r->base);
	r->pmcgrp = cost_less(r->pmcgrp, r->base);
	return true;
}

static bool measure(struct result *r, enum side side)
{
	struct hooks hooks;

	if (!hooks_begin(&hooks, side != BYSTANDER))
		return false;
	r->base = cost_with_dummies(false, false);
	if (side == ONE || side == SAME || side == DIFFERENT)
		r->floor = cost_less(cost_with_dummies(true, side != ONE), r->base);
	r->perf = cost_by_perf(side, hooks.third);
	r->pmcgrp = cost_by_pmcgrp(side, hooks.third);
	hooks_end(&hooks);
	if (side == BYSTANDER)
		return measured(r->base) && measured(r->perf) && measured(r->pmcgrp);
	return beyond_base(r);
}

static bool switch_one(struct result *r)
{
	return measure(r, ONE);
}

static bool switch_same(struct result *r)
{
	return measure(r, SAME);
}

static bool switch_different(struct result *r)
{
	return measure(r, DIFFERENT);
}

static bool switch_inherited(struct result *r)
{
	return measure(r, INHERITED);
}

static bool switch_bystander(struct result *r)
{
	sleep(3);
	r->floor = cost_with_dummies(false, false);
	return measured(r->floor) && measure(r, BYSTANDER);
}

/* ---- Many groups ---- */

/* This task has so many, which are multiplexed. */
static bool switch_groups(struct result *r, int nr)
{
	const struct whom me = { .pid = 0 };
	struct hooks hooks;

	if (!hooks_begin(&hooks, true))
		return false;
	r->base = cost_with_dummies(false, false);
	r->floor = cost_less(cost_with_dummies(true, false), r->base);
	r->perf = with_different_groups(BY_PERF, nr, &me, cost_of_switch_alone);
	r->pmcgrp = with_different_groups(BY_PMCGRP, nr, &me, cost_of_switch_alone);
	hooks_end(&hooks);
	return beyond_base(r);
}

static bool switch_4_groups(struct result *r)
{
	return switch_groups(r, 4);
}

static bool switch_10_groups(struct result *r)
{
	return switch_groups(r, 10);
}

/* This task has a perf event that is on whenever it runs. */
static struct cost switch_pinned(enum by by, int nr)
{
	struct perf_event_attr attr = members[1][0];
	struct perf_group pinned;
	struct cost cost;

	attr.pinned = 1;
	if (!perf_group_open(&pinned, &attr, 1, &(struct whom){ 0 }))
		return NO_COST;
	cost = cost_of_switch_alone(by, nr);
	perf_group_close(&pinned);
	return cost;
}

static struct cost cost_beside(enum by by, int nr, struct whom *whom)
{
	bool task = whom->pid != -1;
	struct cost cost;

	if (task)
		whom->pid = sleeper();
	cost = with_different_groups(by, nr, whom, switch_pinned);
	if (task)
		end_child(whom->pid);
	return cost;
}

/* So many groups do not run: another task has them, and sleeps, or the CPU has them, disabled. */
static bool bystander(struct result *r, int nr, struct whom whom)
{
	struct hooks hooks;

	if (!hooks_begin(&hooks, false))
		return false;
	r->base = cost_with_dummies(false, false);
	r->floor = cost_less(switch_pinned(BY_PERF, 0), r->base);
	r->perf = cost_beside(BY_PERF, nr, &whom);
	/* What perf core frees by RCU is freed after a grace period. */
	usleep(100000);
	r->pmcgrp = cost_beside(BY_PMCGRP, nr, &whom);
	hooks_end(&hooks);
	/* Events are kept for a second: rows that come later do not pay for their end. */
	sleep(3);
	return beyond_base(r);
}

static bool bystander_pinned(struct result *r)
{
	return bystander(r, SLEEPING, (struct whom){ .pid = 0 });
}

static bool bystander_1024(struct result *r)
{
	return bystander(r, 1024, (struct whom){ .pid = 0 });
}

static bool bystander_disabled(struct result *r)
{
	return bystander(r, SLEEPING, (struct whom){ .pid = -1, .disabled = true });
}

/* This CPU has a background group: what a switch costs somebody else's task with a perf event. */
static bool bystander_background(struct result *r)
{
	const struct whom cpu = { .pid = -1, .background = true };
	struct hooks hooks;
	int fd;

	if (!hooks_begin(&hooks, false))
		return false;
	r->base = cost_with_dummies(false, false);
	r->perf = cost_less(switch_pinned(BY_PERF, 0), r->base);
	fd = group_open(members[0], NR, &cpu);
	r->pmcgrp = fd < 0 ? NO_COST : cost_less(switch_pinned(BY_PERF, 0), r->base);
	if (fd >= 0)
		close(fd);
	hooks_end(&hooks);
	sleep(3);
	return measured(r->perf) && measured(r->pmcgrp);
}

#define DUMMY	"a perf event that counts nothing"

const struct row switch_rows[] = {
	{ "switch.one.4hw", "instructions", DUMMY, 1, 0.45, switch_one },
	{ "switch.same.4hw", "instructions", DUMMY, 1, 0.35, switch_same },
	{ "switch.inherited.4hw", "instructions", NULL, 1, 0.80, switch_inherited },
	{ "switch.different.4hw", "instructions", DUMMY, 1, 0.90, switch_different },
	{ "switch.bystander", "instructions", "perf core does not hook into the scheduler", 1, 1.01,
	  switch_bystander },
	{ "switch.4groups", "instructions", DUMMY, 1, 1.00, switch_4_groups },
	{ "switch.10groups", "instructions", DUMMY, 1, 1.00, switch_10_groups },
	{ "bystander.pinned", "instructions", "nobody has groups", 1, 1.01, bystander_pinned },
	{ "bystander.1024groups", "instructions", "nobody has groups", 1, 1.01, bystander_1024 },
	{ "bystander.disabled", "instructions", "nobody has groups", 1, 1.01, bystander_disabled },
	{ "bystander.background", "instructions", NULL, 1, 0, bystander_background },
	{}
};
