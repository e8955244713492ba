// SPDX-License-Identifier: GPL-2.0-only
/*
 * What groups add to a context switch: two tasks on one CPU hand a byte to and fro. With one
 * side monitored, every other switch has it come in, every other one leave.
 */
#include "bench.h"

#define ROUNDS	4000

pid_t sleeper(void)
{
	pid_t pid = fork();

	if (!pid) {
		for (;;)
			pause();
	}
	return pid;
}

static void answer(int in, int out)
{
	char c;

	while (read(in, &c, 1) == 1 && write(out, &c, 1) == 1)
		;
	_exit(0);
}

bool pair_start(struct pair *p)
{
	int to[2], from[2];

	if (pipe(to) || pipe(from))
		return cannot("pipe(): %s", strerror(errno));
	p->child = fork();
	if (!p->child) {
		close(to[1]);
		close(from[0]);
		answer(to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	p->to = to[1];
	p->from = from[0];
	return p->child > 0;
}

void pair_end(struct pair *p)
{
	close(p->to);
	close(p->from);
	waitpid(p->child, NULL, 0);
}

static bool round_trip(struct pair *p)
{
	char c = 0;

	return write(p->to, &c, 1) == 1 && read(p->from, &c, 1) == 1;
}

/* Half of a round: as many switches to the child as back. */
double cost_of_switch(struct pair *p)
{
	bool good = true;
	double cost;
	int i;

	for (i = 0; i < 20; i++)
		good &= round_trip(p);
	cost = PER_TURN(ROUNDS, good &= round_trip(p));
	return good ? cost / 2 : -1;
}

/*
 * Who is monitored: this task by the first set, the child by one of the two, both by
 * inheritance, or a third one that sleeps.
 */
enum side {
	ONE,
	SAME,
	DIFFERENT,
	INHERITED,
	BYSTANDER,
};

static double cost_by_perf(enum side side, pid_t third)
{
	struct perf_group mine, other = { .nr = 0 };
	struct whom whom = { .pid = side == BYSTANDER ? third : 0,
			     .inherit = side == INHERITED };
	struct pair p;
	double cost;

	if (!perf_group_open(&mine, members[0], NR, &whom) || !pair_start(&p))
		return -1;
	whom.pid = p.child;
	if ((side == SAME || side == DIFFERENT) &&
	    !perf_group_open(&other, members[side == DIFFERENT], NR, &whom))
		return -1;
	cost = cost_of_switch(&p);
	pair_end(&p);
	perf_group_close(&other);
	perf_group_close(&mine);
	return cost;
}

static double cost_by_pmcgrp(enum side side, pid_t third)
{
	struct whom whom = { .pid = side == BYSTANDER ? third : 0,
			     .inherit = side == INHERITED };
	int mine, other = -1;
	struct pair p;
	double cost;

	mine = group_open(members[0], NR, &whom);
	if (mine < 0 || !pair_start(&p))
		return -1;
	if (side == SAME || side == DIFFERENT) {
		whom.pid = p.child;
		other = group_open(members[side == DIFFERENT], NR, &whom);
		if (other < 0)
			return -1;
	}
	cost = cost_of_switch(&p);
	pair_end(&p);
	close(other);
	close(mine);
	return cost;
}

/* With an event of perf's that counts nothing on either side, or without. */
static double cost_with_dummies(bool mine, bool other)
{
	const struct perf_event_attr dummy = sw(PERF_COUNT_SW_DUMMY);
	struct perf_group group[2] = { { .nr = 0 }, { .nr = 0 } };
	struct whom whom = { .pid = 0 };
	struct pair p;
	double cost;

	if (!pair_start(&p) || (mine && !perf_group_open(&group[0], &dummy, 1, &whom)))
		return -1;
	whom.pid = p.child;
	if (other && !perf_group_open(&group[1], &dummy, 1, &whom))
		return -1;
	cost = cost_of_switch(&p);
	pair_end(&p);
	perf_group_close(&group[0]);
	perf_group_close(&group[1]);
	return cost;
}

/*
 * The first event anywhere that follows a task has perf core hook into the scheduler, and the
 * last one has it leave a second later (kernel/events/core.c: perf_sched_delayed()): each switch
 * takes some more until then. So that no row depends on what was measured before it, another
 * event keeps the hooks meanwhile.
 */
static bool measure(struct result *r, enum side side)
{
	const struct perf_event_attr dummy = sw(PERF_COUNT_SW_DUMMY);
	pid_t third = sleeper();
	struct whom whom = { .pid = third };
	struct perf_group hooks;

	if (!perf_group_open(&hooks, &dummy, 1, &whom))
		return false;
	r->base = cost_with_dummies(false, false);
	if (side == ONE || side == SAME || side == DIFFERENT)
		r->floor = cost_with_dummies(true, side != ONE) - r->base;
	r->perf = cost_by_perf(side, third);
	r->pmcgrp = cost_by_pmcgrp(side, third);
	perf_group_close(&hooks);
	end_child(third);
	if (r->base < 0 || r->perf < 0 || r->pmcgrp < 0)
		return false;
	if (side != BYSTANDER) {
		r->perf -= r->base;
		r->pmcgrp -= r->base;
	}
	return true;
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
	return r->floor > 0 && measure(r, BYSTANDER);
}

#define DUMMY	"an event of perf's that counts nothing"

const struct row switch_rows[] = {
	{ "switch.one.4hw", "instructions", DUMMY, 1, 0.45, switch_one },
	{ "switch.same.4hw", "instructions", DUMMY, 1, 0.35, switch_same },
	{ "switch.inherited.4hw", "instructions", NULL, 1, 0.80, switch_inherited },
	{ "switch.different.4hw", "instructions", DUMMY, 1, 0.90, switch_different },
	{ "switch.bystander", "instructions", "perf core does not hook into the scheduler", 1, 1.01,
	  switch_bystander },
	{}
};
