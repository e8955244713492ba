// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * perf core on one CPU, with one task (kernel/events/core.c).
 *
 * The watchdog, which is pinned to the CPU, comes first; then pinned groups, then the others, each in
 * the order of its list. Once a group has found no counters, no further hardware group is tried in
 * that pass. A pinned one goes into error; for others the timer rotates their list: the first that is
 * on goes to its end.
 */
#include "sim.h"

/* A pass over the pinned groups, or over the others. */
struct pass {
	struct sim *sim;
	bool pinned;
	bool can_add;
	bool exclusive;	/* an exclusive group is on */
	bool any;	/* a group of this pass is on */
};

/* group_can_go_on() */
static bool can_go_on(const struct pass *pass, const struct sim_group *group)
{
	if (!group->nr)
		return true;
	if (pass->exclusive || (group->exclusive && pass->any))
		return false;
	return pass->can_add;
}

/* merge_sched_in() */
static void sched_in(struct pass *pass, struct sim_group *group)
{
	struct sim *sim = pass->sim;

	if (can_go_on(pass, group) && sim_add(&sim->cpu, group->slot, group->nr)) {
		group->on = true;
		if (group->nr) {
			pass->any = true;
			pass->exclusive |= group->exclusive;
		}
		return;
	}
	if (pass->pinned)
		group->error = true;
	else
		sim->waits = true;
	/* Up to 5.5 a pinned group that failed did not keep others from trying. */
	if (!pass->pinned || sim->cpu.kernel >= PMCGRP_PLAN_KERNEL(5, 6, 0))
		pass->can_add = false;
}

static bool has_exclusive(const struct sim *sim)
{
	unsigned int i;

	for (i = 0; i < sim->nr; i++)
		if (sim->groups[i].on && sim->groups[i].exclusive && sim->groups[i].nr)
			return true;
	return false;
}

static void pass(struct sim *sim, bool pinned)
{
	struct pass pass = { .sim = sim, .pinned = pinned, .can_add = true,
			     .exclusive = has_exclusive(sim) };
	struct sim_group *group;
	unsigned int i;

	for (i = 0; i < sim->nr; i++) {
		group = &sim->groups[sim->order[i]];
		if (group->pinned == pinned && !group->on && !group->error)
			sched_in(&pass, group);
	}
}

void sim_perf_start(struct sim *sim)
{
	struct sim_slot *watchdog = &sim->watchdog;

	if (watchdog->event)
		sim_add(&sim->cpu, &watchdog, 1);
	pass(sim, true);
	pass(sim, false);
	sim_enable(&sim->cpu);
}

/* Whether a group is in the list that is rotated. */
static bool rotates(const struct sim_group *group)
{
	return group->nr && !group->pinned;
}

/*
 * ctx_event_to_rotate(): the place of the first group that is on, or else of the first; or -1.
 * Before 5.3 it was the first in any case.
 */
static int to_rotate(const struct sim *sim)
{
	const struct sim_group *group;
	int first = -1;
	unsigned int i;

	for (i = 0; i < sim->nr; i++) {
		group = &sim->groups[sim->order[i]];
		if (!rotates(group))
			continue;
		if (first < 0)
			first = (int)i;
		if (group->on || sim->cpu.kernel < PMCGRP_PLAN_KERNEL(5, 3, 0))
			return (int)i;
	}
	return first;
}

static void to_end(struct sim *sim, int at)
{
	uint16_t group = sim->order[at];
	unsigned int i;

	for (i = (unsigned int)at; i + 1 < sim->nr; i++)
		sim->order[i] = sim->order[i + 1];
	sim->order[i] = group;
}

void sim_perf_rotate(struct sim *sim)
{
	struct sim_group *group;
	unsigned int i, k;
	int at;

	if (!sim->waits)
		return;
	at = to_rotate(sim);
	sim->waits = false;
	for (i = 0; i < sim->nr; i++) {
		group = &sim->groups[i];
		if (!rotates(group) || !group->on)
			continue;
		for (k = 0; k < group->nr; k++)
			sim_del(&sim->cpu, group->slot[k]);
		group->on = false;
	}
	if (at >= 0)
		to_end(sim, at);
	pass(sim, false);
	sim_enable(&sim->cpu);
}
