// SPDX-License-Identifier: GPL-2.0-only
/* Tasks to monitor: one that sleeps, and two on one CPU that switch to each other. */
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
struct cost cost_of_switch(struct pair *p)
{
	struct cost cost;
	int i;

	for (i = 0; i < 20; i++)
		if (!round_trip(p))
			return NO_COST;
	cost = PER_GOOD_TIME(ROUNDS, round_trip(p));
	return measured(cost) ? cost_of_each(cost, 2) : NO_COST;
}

struct cost cost_of_switch_alone(enum by by, int nr)
{
	struct cost cost;
	struct pair p;

	if (!pair_start(&p))
		return NO_COST;
	cost = cost_of_switch(&p);
	pair_end(&p);
	return cost;
}
