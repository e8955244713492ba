// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * How pmcgrp puts the counters of a group on the PMU, all or none (kmod/counter/placement.c).
 *
 * A counter that no group uses any more stays, idle, and makes room when others need it, the longest
 * idle first. How many counters fit is an estimate from what the driver has refused. What it has
 * refused is not tried again beside the same kinds of events for a while (kmod/arbiter/refusal.c).
 */
#include "own.h"

#define CAPACITY_TRUST	64
#define REFUSED_STEP	8
#define REFUSED_MOST	(2 * REFUSED_STEP)

/* kmod/arbiter/refusal.c */
#define REFUSAL_TICKS	16

static bool is_on_pmu(const struct sim_cpu *cpu, const struct sim_slot *slot)
{
	unsigned int i;

	for (i = 0; i < cpu->nr; i++)
		if (cpu->slot[i] == slot)
			return true;
	return false;
}

/* counters_not_on() */
static unsigned int not_on(const struct sim *sim, const struct sim_group *group, struct sim_slot **slot)
{
	unsigned int i, k, nr = 0;

	for (i = 0; i < group->nr; i++) {
		for (k = 0; k < nr && slot[k] != group->slot[i]; k++)
			;
		if (k == nr && !is_on_pmu(&sim->cpu, group->slot[i]))
			slot[nr++] = group->slot[i];
	}
	return nr;
}

bool own_are_on(const struct sim *sim, const struct sim_group *group)
{
	struct sim_slot *slot[PMCGRP_PLAN_EVENTS_MAX];

	return !not_on(sim, group, slot);
}

static uint64_t mix(uint64_t hash)
{
	hash *= 0x9e3779b97f4a7c15ULL;
	return (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9ULL;
}

static uint64_t kind_of(const struct sim_slot *slot)
{
	return mix(slot->event->code ^ mix(slot->event->config1 + 1));
}

static bool is_watchdog(const struct sim *sim, const struct sim_slot *slot)
{
	return slot == &sim->watchdog;
}

/* pmcgrp_placement_nr_on() */
static unsigned int nr_on(const struct sim *sim)
{
	return sim->cpu.nr - sim->watchdog.users;
}

static bool evict(struct sim *sim, unsigned int least)
{
	struct sim_slot *longest = NULL, *slot;
	unsigned int i;

	for (i = 0; i < sim->cpu.nr; i++) {
		slot = sim->cpu.slot[i];
		if (!slot->users && slot->idle >= least && (!longest || slot->idle > longest->idle))
			longest = slot;
	}
	if (longest)
		sim_del(&sim->cpu, longest);
	return longest;
}

/* evict_longest_idle() */
static bool evict_longest_idle(struct sim *sim, unsigned int nr)
{
	bool any = false;

	while (nr_on(sim) > nr && evict(sim, 0))
		any = true;
	return any;
}

void own_evict_old(struct sim *sim, unsigned int least)
{
	while (evict(sim, least))
		;
}

/* placement_make_room() */
static bool make_room(struct sim *sim, unsigned int nr)
{
	struct sim_capacity *capacity = &sim->capacity;
	bool one_more;

	if (!capacity->known || capacity->nr < nr)
		return true;
	one_more = !capacity->trust;
	capacity->trust = one_more ? CAPACITY_TRUST : capacity->trust - 1;
	evict_longest_idle(sim, capacity->nr - nr + one_more);
	return one_more;
}

/* note_full() */
static void note_full(struct sim_capacity *capacity, unsigned int nr)
{
	if (capacity->known && nr > capacity->nr) {
		capacity->trust = CAPACITY_TRUST;
		return;
	}
	if (capacity->known && nr == capacity->nr) {
		capacity->refused += REFUSED_STEP;
		if (capacity->refused < REFUSED_MOST)
			return;
	}
	*capacity = (struct sim_capacity){ .known = true, .nr = nr - 1, .trust = CAPACITY_TRUST };
}

/* note_room() */
static void note_room(struct sim *sim, bool one_more)
{
	struct sim_capacity *capacity = &sim->capacity;

	if (!capacity->known)
		return;
	capacity->refused -= !!capacity->refused;
	if (one_more && nr_on(sim) > capacity->nr)
		capacity->nr = nr_on(sim);
}

/* How many the driver has taken as it refuses: that of Arm takes them one by one. */
static unsigned int nr_tried(struct sim *sim, struct sim_slot *const *slot, unsigned int nr)
{
	unsigned int tried, i;

	if (sim->cpu.pmu->style != PMCGRP_PLAN_ARM)
		return nr;
	for (tried = 1; sim_add(&sim->cpu, slot, tried); tried++)
		for (i = 0; i < tried; i++)
			sim_del(&sim->cpu, slot[i]);
	return tried;
}

/* counters_add_run() */
static bool add_run(struct sim *sim, struct sim_slot *const *slot, unsigned int nr)
{
	sim->now += OWN_TO_PLACE * (1 + (int64_t)nr);
	if (sim_add(&sim->cpu, slot, nr))
		return true;
	note_full(&sim->capacity, nr_on(sim) + nr_tried(sim, slot, nr));
	return false;
}

/* counters_add_run_evicting() */
static bool add(struct sim *sim, struct sim_slot *const *slot, unsigned int nr)
{
	bool one_more = make_room(sim, nr);

	if (add_run(sim, slot, nr) ||
	    (evict_longest_idle(sim, nr_on(sim) - 1) && add_run(sim, slot, nr)) ||
	    (evict_longest_idle(sim, 0) && add_run(sim, slot, nr))) {
		note_room(sim, one_more);
		return true;
	}
	return false;
}

/* kmod/arbiter/refusal.c: refusal_key() */
static uint64_t refusal_key(const struct sim *sim, const struct sim_group *group)
{
	uint64_t used = 0, wanted = 0;
	unsigned int i;

	for (i = 0; i < sim->cpu.nr; i++)
		if (sim->cpu.slot[i]->users && !is_watchdog(sim, sim->cpu.slot[i]))
			used += kind_of(sim->cpu.slot[i]);
	if (!used)
		return 0;
	for (i = 0; i < group->nr; i++)
		if (!group->slot[i]->users)
			wanted += kind_of(group->slot[i]);
	return mix(used ^ mix(wanted)) | 1;
}

/* The one with this key, or else the oldest. In the kernel the key's last bits choose one. */
static unsigned int refusal_at(const struct sim *sim, uint64_t key)
{
	unsigned int i, oldest = 0;

	for (i = 0; i < SIM_REFUSALS; i++) {
		if (sim->refusal[i].key == key)
			return i;
		if (sim->refusal[i].ticks < sim->refusal[oldest].ticks)
			oldest = i;
	}
	return oldest;
}

void own_refusal_note(struct sim *sim, const struct sim_group *group)
{
	uint64_t key = group->pinned ? 0 : refusal_key(sim, group);

	if (key)
		sim->refusal[refusal_at(sim, key)] = (struct sim_refusal){ .key = key, .ticks = REFUSAL_TICKS };
}

bool own_refusal_stands(const struct sim *sim, const struct sim_group *group)
{
	uint64_t key = group->pinned || own_are_on(sim, group) ? 0 : refusal_key(sim, group);

	return key && sim->refusal[refusal_at(sim, key)].key == key;
}

void own_refusals_age(struct sim *sim)
{
	struct sim_refusal *refusal;
	unsigned int i;

	for (i = 0; i < SIM_REFUSALS; i++) {
		refusal = &sim->refusal[i];
		refusal->ticks -= !!refusal->ticks;
		if (!refusal->ticks)
			refusal->key = 0;
	}
}

bool own_place(struct sim *sim, const struct sim_group *group)
{
	struct sim_slot *fresh[PMCGRP_PLAN_EVENTS_MAX];
	unsigned int nr = not_on(sim, group, fresh), i;

	/* One whose counters are on takes no trial. */
	if (!nr)
		sim->now += OWN_TO_FIND;
	for (i = 0; i < group->nr; i++)
		group->slot[i]->users++;
	if (!nr || add(sim, fresh, nr)) {
		sim_enable(&sim->cpu);
		return true;
	}
	for (i = 0; i < group->nr; i++)
		group->slot[i]->users--;
	return false;
}
