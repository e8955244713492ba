// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * pmcgrp's scheduler on one CPU (kmod/README.md: Rotation).
 *
 * Pinned groups come first. All others take turns: at each expiry of the timer they go off, and come
 * on again in the order of the time that they have had, least first. One that does not fit is passed
 * over. Equal events of all groups share a counter.
 */
#include "sim.h"

#define LAG_MAX		4	/* kmod/sched/rotate.c: clamp_vruntimes() */
#define TRIALS		6	/* refusals of drivers in a rotation: PMCGRP_ROTATE_TRIALS */
#define BACK_OFF	16	/* PMCGRP_BACK_OFF_TICKS */
#define WAIT_MAX	4	/* groups that wait after a rotation; kmod/follow/rest.c has the others */
#define BACK		3	/* that come back before one */
#define AGE_MAX		4096

/* What of a group is not on for another one. */
static unsigned int missing(const struct sim_group *group, struct sim_slot **slot)
{
	unsigned int i, k, nr = 0;

	for (i = 0; i < group->nr; i++) {
		for (k = 0; k < nr && slot[k] != group->slot[i]; k++)
			;
		if (k == nr && !group->slot[i]->users)
			slot[nr++] = group->slot[i];
	}
	return nr;
}

static bool place(struct sim *sim, struct sim_group *group)
{
	struct sim_slot *slot[PMCGRP_PLAN_EVENTS_MAX];
	unsigned int nr = missing(group, slot), i;

	if (!sim_add(&sim->cpu, slot, nr))
		return false;
	for (i = 0; i < group->nr; i++)
		group->slot[i]->users++;
	group->on = true;
	return true;
}

static void take_off(struct sim *sim, struct sim_group *group)
{
	unsigned int i;

	for (i = 0; i < group->nr; i++)
		if (!--group->slot[i]->users)
			sim_del(&sim->cpu, group->slot[i]);
	group->on = false;
}

static bool backs_off(const struct sim_group *group)
{
	return group->failed % BACK_OFF;
}

/* order_sets() */
static bool is_before(const struct sim_group *a, const struct sim_group *b)
{
	if (backs_off(a) != backs_off(b))
		return backs_off(b);
	return a->time < b->time;
}

static void sort(struct sim *sim)
{
	unsigned int i, k;
	uint16_t group;

	for (i = 1; i < sim->nr; i++) {
		group = sim->order[i];
		for (k = i; k > 0 && is_before(&sim->groups[group], &sim->groups[sim->order[k - 1]]); k--)
			sim->order[k] = sim->order[k - 1];
		sim->order[k] = group;
	}
}

/* clamp_vruntimes(); the times are kept small, too: what counts is by how much they differ. */
static void clamp(struct sim *sim)
{
	unsigned int i, least = ~0U;

	for (i = 0; i < sim->nr; i++)
		if (!sim->groups[i].pinned && !sim->groups[i].failed && sim->groups[i].time < least)
			least = sim->groups[i].time;
	for (i = 0; least != ~0U && i < sim->nr; i++) {
		struct sim_group *group = &sim->groups[i];

		group->time = group->time > least ? group->time - least : 0;
		if (group->time > LAG_MAX)
			group->time = LAG_MAX;
	}
}

static bool waits(const struct sim_group *group)
{
	return !group->pinned && !group->on && !group->rests;
}

/* Those come back that have waited longest. Returns how many. */
static unsigned int come_back(struct sim *sim)
{
	struct sim_group *oldest;
	unsigned int nr, i;

	for (nr = 0; nr < BACK; nr++) {
		oldest = NULL;
		for (i = 0; i < sim->nr; i++)
			if (sim->groups[i].rests && (!oldest || sim->groups[i].age > oldest->age))
				oldest = &sim->groups[i];
		if (!oldest)
			break;
		oldest->rests = false;
	}
	return nr;
}

/* The others rest, those with the greatest time first. */
static void let_rest(struct sim *sim)
{
	struct sim_group *last;
	unsigned int nr, i;

	do {
		last = NULL;
		for (i = 0, nr = 0; i < sim->nr; i++) {
			struct sim_group *group = &sim->groups[sim->order[i]];

			if (!waits(group))
				continue;
			nr++;
			if (!last || group->time >= last->time)
				last = group;
		}
		if (nr > WAIT_MAX)
			last->rests = true;
	} while (nr > WAIT_MAX);
}

/* Whether a group that has no turn costs drivers no trial: its counters are on for others. */
static bool is_on_already(const struct sim_group *group)
{
	struct sim_slot *slot[PMCGRP_PLAN_EVENTS_MAX];

	return !missing(group, slot);
}

/* rotate_sets(), for those that wait. Returns whether all were placed. */
static bool fill(struct sim *sim)
{
	unsigned int i, refused = 0;
	struct sim_group *group;
	bool alone = true, all = true;

	for (i = 0; i < sim->nr; i++)
		alone &= sim->groups[i].pinned || !sim->groups[i].on;
	for (i = 0; i < sim->nr; i++) {
		group = &sim->groups[sim->order[i]];
		if (!waits(group))
			continue;
		if (refused >= TRIALS && !is_on_already(group))
			continue;
		group->age = 0;
		if (place(sim, group)) {
			group->failed = 0;
			alone = false;
			continue;
		}
		refused++;
		if (alone || group->failed)
			group->failed = group->failed % BACK_OFF + 1;
	}
	for (i = 0; i < sim->nr; i++)
		all &= !waits(&sim->groups[i]);
	return all;
}

static void turn(struct sim *sim)
{
	unsigned int i;

	come_back(sim);
	clamp(sim);
	sort(sim);
	while (fill(sim) && come_back(sim))
		;
	let_rest(sim);
	sim_enable(&sim->cpu);
	sim->waits = false;
	for (i = 0; i < sim->nr; i++) {
		struct sim_group *group = &sim->groups[i];

		sim->waits |= !group->pinned && !group->on;
		group->time += group->on && !group->pinned;
		if (group->age < AGE_MAX)
			group->age += !group->on;
	}
}

/* The same event of several groups is one slot: that of the first. */
static void share(struct sim *sim)
{
	unsigned int i, k;

	for (i = 0; i < sim->nr_slots; i++) {
		for (k = 0; k < i; k++)
			if (sim_same_event(sim->of_group[k]->event, sim->of_group[i]->event))
				break;
		if (k < i)
			sim->of_group[i] = sim->of_group[k];
	}
}

void sim_own_start(struct sim *sim)
{
	struct sim_slot *watchdog = &sim->watchdog;
	unsigned int i;

	share(sim);
	if (watchdog->event)
		sim_add(&sim->cpu, &watchdog, 1);
	for (i = 0; i < sim->nr; i++)
		if (sim->groups[i].pinned)
			sim->groups[i].error = !place(sim, &sim->groups[i]);
	turn(sim);
}

void sim_own_rotate(struct sim *sim)
{
	unsigned int i;

	if (!sim->waits)
		return;
	for (i = 0; i < sim->nr; i++)
		if (sim->groups[i].on && !sim->groups[i].pinned)
			take_off(sim, &sim->groups[i]);
	turn(sim);
}
