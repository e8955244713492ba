// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * The drivers of x86: with each group that comes, counters are assigned anew to all events
 * (arch/x86/events/core.c: x86_schedule_events()).
 *
 * If every event can have the counter that it had last, it has it. Else the most constrained events
 * choose first, and each takes the first fixed counter, or general-purpose one, that is free. If an
 * event finds none, and a constraint before it is marked as overlapping, that one takes the next
 * counter instead. No more than two such choices are remembered.
 */
#include "sim.h"

#define SAVED_MAX 2

/* What an event may have now, and how constrained the driver takes it for. */
struct wish {
	uint64_t mask;
	unsigned int weight;
	bool overlap;
	bool pair;
};

/* How far the assignment is. */
struct place {
	unsigned int at;	/* in the order of weights */
	unsigned int counter;	/* the first to try; and the one that was found */
	unsigned int nr_gp;
	uint64_t used;
};

/*
 * An extra register with the event's value: its own, or the other one of its kind
 * (__intel_shared_reg_get_constraints(), intel_alt_er()).
 */
static bool get_reg(struct sim_cpu *cpu, struct sim_slot *slot)
{
	unsigned int kind = slot->event->extra - 1, nr, i, at;
	struct sim_reg *reg;

	if (slot->has_reg)
		return true;
	nr = cpu->pmu->nr_extra[kind];
	for (i = 0; i < nr && i < SIM_REGS; i++) {
		at = (slot->reg + i) % nr;
		reg = &cpu->reg[kind][at];
		if (reg->users && reg->value != slot->event->config1)
			continue;
		reg->users++;
		reg->value = slot->event->config1;
		slot->reg = at;
		slot->has_reg = true;
		return true;
	}
	return false;
}

static struct wish wish_of(struct sim_cpu *cpu, struct sim_slot *slot)
{
	const struct pmcgrp_plan_event *event = slot->event;
	struct wish wish = { .overlap = event->flags & PMCGRP_PLAN_OVERLAP,
			     .pair = event->flags & PMCGRP_PLAN_PAIR };

	if (event->extra && !get_reg(cpu, slot))
		return wish;
	wish.mask = sim_mask(cpu, event);
	wish.weight = event->weight ? event->weight : sim_bits(event->mask);
	wish.weight -= sim_bits(event->mask & ~wish.mask);
	if (!wish.mask)
		wish.weight = 0;
	return wish;
}

/* Each event has the counter that it had. */
static bool keep(const struct sim_cpu *cpu, const struct wish *wish, unsigned int nr)
{
	uint64_t used = 0, mask;
	unsigned int i;
	int counter;

	for (i = 0; i < nr; i++) {
		counter = cpu->slot[i]->counter;
		if (counter < 0 || !(wish[i].mask & 1ULL << counter))
			return false;
		mask = 1ULL << counter;
		if (wish[i].pair)
			mask |= mask << 1;
		if (used & mask)
			return false;
		used |= mask;
	}
	return true;
}

/* The first fixed counter that is free; fixed ones are preferred since 3.3. */
static bool find_fixed(struct place *place, const struct wish *wish)
{
	uint64_t mask = wish->mask >> PMCGRP_PLAN_FIXED << PMCGRP_PLAN_FIXED & ~place->used;

	if (!mask)
		return false;
	place->counter = (unsigned int)__builtin_ctzll(mask);
	place->used |= 1ULL << place->counter;
	return true;
}

static bool find_gp(struct place *place, const struct wish *wish, unsigned int gp_max)
{
	uint64_t mask;
	unsigned int i;

	for (i = place->counter; i < PMCGRP_PLAN_FIXED; i++) {
		mask = 1ULL << i;
		if (!(wish->mask & mask))
			continue;
		if (wish->pair)
			mask |= mask << 1;
		if (place->used & mask)
			continue;
		if (place->nr_gp++ >= gp_max)
			return false;
		place->used |= mask;
		place->counter = i;
		return true;
	}
	return false;
}

static bool find(const struct sim_cpu *cpu, struct place *place, const struct wish *wish,
		 unsigned int gp_max)
{
	if (cpu->kernel < PMCGRP_PLAN_KERNEL(3, 3, 0))
		return find_gp(place, wish, gp_max) || find_fixed(place, wish);
	return find_fixed(place, wish) || find_gp(place, wish, gp_max);
}

/* Events by weight, and in their order where it is equal. */
static void sort(const struct wish *wish, unsigned int nr, uint8_t *order)
{
	unsigned int i, k;

	for (i = 0; i < nr; i++) {
		for (k = i; k > 0 && wish[order[k - 1]].weight > wish[i].weight; k--)
			order[k] = order[k - 1];
		order[k] = (uint8_t)i;
	}
}

static bool assign(const struct sim_cpu *cpu, const struct wish *wish, unsigned int nr,
		   unsigned int gp_max, uint8_t *counter)
{
	struct place place = { 0 }, saved[SAVED_MAX];
	unsigned int nr_saved = 0;
	uint8_t order[SIM_COUNTERS];

	sort(wish, nr, order);
	while (place.at < nr) {
		const struct wish *now = &wish[order[place.at]];

		if (find(cpu, &place, now, gp_max)) {
			counter[order[place.at]] = (uint8_t)place.counter;
			if (now->overlap && nr_saved < SAVED_MAX)
				saved[nr_saved++] = place;
			place.at++;
			place.counter = 0;
			continue;
		}
		if (!nr_saved)
			return false;
		place = saved[--nr_saved];
		place.used &= ~(1ULL << place.counter);
		place.counter++;
	}
	return true;
}

static unsigned int gp_max(const struct sim_cpu *cpu)
{
	unsigned int max = sim_ht_limit(cpu, cpu->slot, cpu->nr), pairs = 0, i;

	if (!max)
		max = cpu->pmu->nr_gp;
	for (i = 0; i < cpu->nr; i++)
		pairs += !!(cpu->slot[i]->event->flags & PMCGRP_PLAN_PAIR);
	return max > pairs ? max - pairs : 0;
}

/* All that are on the PMU get counters; they are programmed later, by sim_enable(). */
static bool schedule(struct sim_cpu *cpu)
{
	struct wish wish[SIM_COUNTERS];
	uint8_t counter[SIM_COUNTERS];
	unsigned int i;

	for (i = 0; i < cpu->nr; i++)
		wish[i] = wish_of(cpu, cpu->slot[i]);
	if (keep(cpu, wish, cpu->nr)) {
		for (i = 0; i < cpu->nr; i++)
			cpu->slot[i]->next = cpu->slot[i]->counter;
		return true;
	}
	if (!assign(cpu, wish, cpu->nr, gp_max(cpu), counter))
		return false;
	for (i = 0; i < cpu->nr; i++)
		cpu->slot[i]->next = counter[i];
	return true;
}

/* The driver collects no more events than the PMU has counters (collect_event()). */
static bool collect(struct sim_cpu *cpu, struct sim_slot *slot)
{
	unsigned int max = cpu->pmu->nr_gp + cpu->pmu->nr_fixed, i;

	for (i = 0; i < cpu->nr; i++)
		max += !!(cpu->slot[i]->event->mask >> PMCGRP_PLAN_METRIC);
	max += !!(slot->event->mask >> PMCGRP_PLAN_METRIC);
	if (cpu->nr >= max || cpu->nr >= SIM_COUNTERS)
		return false;
	cpu->slot[cpu->nr++] = slot;
	return true;
}

bool sim_x86_add(struct sim_cpu *cpu, struct sim_slot *const *slots, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr && collect(cpu, slots[i]); i++)
		;
	if (i == nr && schedule(cpu))
		return true;
	while (i)
		sim_del(cpu, slots[--i]);
	return false;
}
