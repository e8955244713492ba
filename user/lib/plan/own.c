// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * pmcgrp's scheduler on one CPU, with one task (kmod/README.md: Rotation).
 *
 * Pinned groups come first. All others take turns: at each expiry of the timer they go off, and come
 * on again in the order of the time that they have had, least first. One that does not fit is passed
 * over. Equal events of all groups share a counter, which stays on the PMU while nobody needs its
 * room. Of the groups that wait most rest in a backlog, from where some come back each time.
 *
 * Two groups that are on together have had nearly the same time. Which is the next one is decided by
 * the order in which they came on, as each takes a while. So each step takes time here, too (own.h).
 */
#include "own.h"

#define MUX_US		4000

/* kmod/sched/rotate.c, rotate.h */
#define LAG_MAX		4
#define BACK_OFF_TICKS	16
#define ROTATE_TRIALS	6
#define WAITING_TRIED	6

/* kmod/follow/rest.c, rest.h */
#define WAITING_MOST	4
#define COME_BACK	3

/* kmod/set/evset.h: pmcgrp_evset_is_flexible() */
static bool is_flexible(const struct sim_group *group)
{
	return group->nr && !group->pinned;
}

/* pmcgrp_evset_backs_off() */
static bool backs_off(const struct sim_group *group)
{
	return group->failed % BACK_OFF_TICKS;
}

/* kmod/sched/rotate.h: pmcgrp_rotate_place() */
static bool place(struct sim *sim, struct sim_group *group)
{
	if (!own_place(sim, group)) {
		group->waits = true;
		own_refusal_note(sim, group);
		sim->refused++;
		return false;
	}
	group->on = true;
	group->waits = false;
	group->failed = 0;
	group->since = sim->now;
	return true;
}

static void take_off(struct sim *sim, struct sim_group *group)
{
	unsigned int i;

	group->time += sim->now - group->since;
	sim->now += OWN_TO_FIND;
	for (i = 0; i < group->nr; i++) {
		group->slot[i]->users--;
		group->slot[i]->idle = 0;
	}
	group->on = false;
	group->waits = true;
}

static unsigned int nr_waiting(const struct sim *sim)
{
	unsigned int i, nr = 0;

	for (i = 0; i < sim->nr; i++)
		nr += sim->groups[i].waits && !sim->groups[i].rests;
	return nr;
}

static int64_t interval(const struct sim *sim)
{
	uint64_t mux_us = sim->cpu.options->mux_us;

	return (int64_t)(mux_us ? mux_us : MUX_US) * OWN_STEPS_US;
}

/* clamp_vruntime() */
static void clamp(const struct sim *sim, struct sim_group *group, int64_t *most)
{
	if (!is_flexible(group) || group->rests)
		return;
	if (*most == INT64_MAX && !group->failed)
		*most = group->time + LAG_MAX * interval(sim);
	if (group->time > *most)
		group->time = *most;
}

/* order_sets(); those that rest are in no order but theirs. */
static bool comes_before(const struct sim_group *a, const struct sim_group *b)
{
	if (a->rests != b->rests)
		return b->rests;
	if (a->rests)
		return false;
	if (a->pinned != b->pinned)
		return a->pinned;
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
		for (k = i; k > 0 && comes_before(&sim->groups[group], &sim->groups[sim->order[k - 1]]); k--)
			sim->order[k] = sim->order[k - 1];
		sim->order[k] = group;
	}
}

/* rotate_sets() */
static void rotate(struct sim *sim)
{
	int64_t most = INT64_MAX;
	struct sim_group *group;
	bool alone = true;
	unsigned int i;

	for (i = 0; i < sim->nr; i++) {
		group = &sim->groups[sim->order[i]];
		if (group->on && is_flexible(group))
			take_off(sim, group);
	}
	sort(sim);
	sim->refused = 0;
	for (i = 0; i < sim->nr; i++) {
		group = &sim->groups[sim->order[i]];
		clamp(sim, group, &most);
		if (!group->waits || group->rests)
			continue;
		if (sim->refused >= ROTATE_TRIALS && !own_are_on(sim, group))
			continue;
		if (own_refusal_stands(sim, group)) {
			sim->now += OWN_TO_FIND;
		} else if (place(sim, group)) {
			alone &= group->pinned;
			continue;
		}
		if (group->pinned) {
			group->waits = false;
			group->error = true;
		} else if (alone || group->failed) {
			group->failed++;
		}
	}
}

/* pmcgrp_rotate_fill() */
static void fill(struct sim *sim)
{
	struct sim_group *group;
	unsigned int i;

	sim->refused = 0;
	for (i = 0; i < sim->nr && sim->refused < ROTATE_TRIALS; i++) {
		group = &sim->groups[sim->order[i]];
		if (group->waits && !group->rests && !own_refusal_stands(sim, group))
			place(sim, group);
	}
}

static void to_end(struct sim *sim, unsigned int at)
{
	uint16_t group = sim->order[at];

	for (; at + 1 < sim->nr; at++)
		sim->order[at] = sim->order[at + 1];
	sim->order[at] = group;
}

/* kmod/follow/rest.c: pmcgrp_rest_wake(); sched.c: sched_place() has those whose counters are on. */
static bool wake(struct sim *sim)
{
	unsigned int i = 0, nr = 0, seen;
	struct sim_group *group;

	for (seen = 0; seen < sim->nr && nr < COME_BACK; seen++) {
		group = &sim->groups[sim->order[i]];
		if (!group->rests) {
			i++;
			continue;
		}
		group->rests = false;
		to_end(sim, i);
		nr++;
		if (own_are_on(sim, group))
			place(sim, group);
	}
	return nr;
}

/* kmod/follow/rest.c: pmcgrp_rest_begin() */
static void rest(struct sim *sim)
{
	unsigned int i, waiting = nr_waiting(sim);
	struct sim_group *group;

	for (i = sim->nr; i-- && waiting > WAITING_MOST;) {
		group = &sim->groups[sim->order[i]];
		if (!group->waits || group->rests)
			continue;
		group->rests = true;
		to_end(sim, i);
		waiting--;
	}
}

/* Times are small, so that what has been comes again. A group that never counts has less than all. */
static void begin_interval(struct sim *sim)
{
	int64_t least = INT64_MAX;
	struct sim_group *group;
	unsigned int i;

	sim->waits = false;
	for (i = 0; i < sim->nr; i++) {
		group = &sim->groups[i];
		sim->waits |= group->waits;
		if (is_flexible(group) && !group->failed && group->time < least)
			least = group->time;
	}
	for (i = 0; i < sim->nr && least < INT64_MAX; i++) {
		group = &sim->groups[i];
		group->time = group->time > least ? group->time - least : group->failed ? -1 : 0;
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

/*
 * kmod/sched/sched.c: sched_place(): one that comes in is tried at once, unless many wait. For a
 * pinned one that finds no room all others go off (rotate.c: pmcgrp_rotate_make_room()).
 */
static void enable(struct sim *sim, struct sim_group *group)
{
	sim->now += OWN_TO_ENABLE;
	if (!group->nr)
		return;
	if ((is_flexible(group) && nr_waiting(sim) >= WAITING_TRIED && !own_are_on(sim, group)) ||
	    own_refusal_stands(sim, group))
		group->waits = true;
	else if (!place(sim, group) && group->pinned)
		rotate(sim);
}

void sim_own_start(struct sim *sim)
{
	struct sim_slot *watchdog = &sim->watchdog;
	struct sim_group *group;
	unsigned int i;
	int64_t armed = 0;

	share(sim);
	if (watchdog->event && sim_add(&sim->cpu, &watchdog, 1)) {
		watchdog->users = 1;
		sim_enable(&sim->cpu);
	}
	for (i = 0; i < 2 * sim->nr; i++) {
		group = &sim->groups[i % sim->nr];
		if (group->pinned != (i < sim->nr))
			continue;
		enable(sim, group);
		/* kmod/sched/rotate.h: pmcgrp_rotate_arm() */
		if (!armed && nr_waiting(sim))
			armed = sim->now;
		/* kmod/follow/rest.c: pmcgrp_rest_at_once() */
		group->rests = group->waits && nr_waiting(sim) > WAITING_TRIED;
	}
	for (i = 0; i < sim->nr; i++)
		sim->groups[i].since -= armed;
	begin_interval(sim);
}

/* kmod/follow/tick.c: has_contender() */
static bool has_contender(const struct sim *sim)
{
	unsigned int i;

	for (i = 0; i < sim->nr; i++)
		if (sim->groups[i].waits && !sim->groups[i].rests && !backs_off(&sim->groups[i]))
			return true;
	return false;
}

/* kmod/follow/tick.c: rotate_tick() */
static void tick(struct sim *sim)
{
	bool woken = wake(sim);
	unsigned int i;

	if (has_contender(sim)) {
		rotate(sim);
	} else {
		fill(sim);
		for (i = 0; i < sim->nr; i++)
			if (sim->groups[i].waits && !sim->groups[i].rests)
				sim->groups[i].failed++;
	}
	/* more_may_fit() */
	while (woken && !nr_waiting(sim)) {
		woken = wake(sim);
		fill(sim);
	}
	rest(sim);
}

void sim_own_rotate(struct sim *sim)
{
	unsigned int i;

	if (!sim->waits)
		return;
	for (i = 0; i < sim->cpu.nr; i++)
		sim->cpu.slot[i]->idle += !sim->cpu.slot[i]->users;
	for (i = 0; i < sim->nr; i++)
		sim->groups[i].since -= interval(sim);
	sim->now = 0;
	own_refusals_age(sim);
	tick(sim);
	/* kmod/counter/idle.c: pmcgrp_idle_evict_old() */
	own_evict_old(sim, 2);
	sim_enable(&sim->cpu);
	begin_interval(sim);
}
