// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * pmcgrp's scheduler on one CPU (kmod/README.md: Rotation).
 *
 * Pinned groups come first. All others take turns: at each expiry of the timer they go off, and come
 * on again in the order of the time that they have had, least first. One that does not fit is passed
 * over. Equal events of all groups share a counter.
 */
#include "sim.h"

#define LEAD_MAX	4	/* intervals by which no group is behind the one with the least time */

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

/* Groups in the order of the time that they have had. */
static void sort(struct sim *sim)
{
	unsigned int i, k;
	uint16_t group;

	for (i = 1; i < sim->nr; i++) {
		group = sim->order[i];
		for (k = i; k > 0 && sim->groups[sim->order[k - 1]].time > sim->groups[group].time; k--)
			sim->order[k] = sim->order[k - 1];
		sim->order[k] = group;
	}
}

/* The times are kept small: what counts is by how much they differ. */
static void limit(struct sim *sim)
{
	unsigned int i, least = ~0U;

	for (i = 0; i < sim->nr; i++)
		if (!sim->groups[i].pinned && !sim->groups[i].rests && sim->groups[i].time < least)
			least = sim->groups[i].time;
	for (i = 0; i < sim->nr; i++) {
		struct sim_group *group = &sim->groups[i];

		group->time = group->time > least ? group->time - least : 0;
		if (group->time > LEAD_MAX)
			group->time = LEAD_MAX;
	}
}

static void turn(struct sim *sim)
{
	struct sim_group *group;
	unsigned int i;

	sim->waits = false;
	sort(sim);
	for (i = 0; i < sim->nr; i++) {
		group = &sim->groups[sim->order[i]];
		if (group->pinned || group->on)
			continue;
		if (!place(sim, group))
			sim->waits = true;
	}
	sim_enable(&sim->cpu);
	for (i = 0; i < sim->nr; i++)
		if (sim->groups[i].on && !sim->groups[i].pinned)
			sim->groups[i].time++;
	limit(sim);
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
