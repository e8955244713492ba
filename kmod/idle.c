// SPDX-License-Identifier: GPL-2.0-only
/*
 * Slots that nobody uses any more: they stay on the PMU, idle, until someone is short of
 * counters or a tick or two have passed (turn.c), for the same events are likely to be
 * wanted again soon.
 *
 * All of this is the hot path: interrupts off, on the slots' CPU, no locks.
 */
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include "idle.h"
#include "slot.h"

/*
 * Hardware slots on this CPU's PMUs, those without a user included; that CPU, interrupts
 * off.  Never more than there are counters.
 */
static DEFINE_PER_CPU(struct list_head, placed_slots);

/**
 * pmcgrp_idle_watch - a hardware slot has been put on the PMU
 * @slot: the slot; until pmcgrp_slot_off()
 *
 * Context: interrupts off, on the slot's CPU.
 */
void pmcgrp_idle_watch(struct pmcgrp_slot *slot)
{
	lockdep_assert_irqs_disabled();
	list_add_tail(&slot->placed, this_cpu_ptr(&placed_slots));
}

static bool slot_is_unprogrammed(const struct pmcgrp_slot *slot)
{
	const int both = PERF_HES_STOPPED | PERF_HES_UPTODATE;

	return (slot->event->hw.state & both) == both;
}

/**
 * struct brim - how many slots a PMU had when it took no more
 * @pmu: which, or NULL
 * @nr: so many
 * @trust: how often that is still to be believed
 */
struct brim {
	const struct pmu	*pmu;
	unsigned int		nr;
	unsigned int		trust;
};

/* perf's events come and go, and with them the room for slots: it is found out anew. */
#define BRIM_TRUST	64

static DEFINE_PER_CPU(struct brim, brims);

static unsigned int slots_placed(const struct pmu *pmu)
{
	const struct pmcgrp_slot *slot;
	unsigned int nr = 0;

	list_for_each_entry(slot, this_cpu_ptr(&placed_slots), placed)
		nr += slot->event->pmu == pmu;
	return nr;
}

/* The one of a PMU's that was used longest ago; NULL: none is idle.  @placed: out: how many. */
static struct pmcgrp_slot *slot_longest_idle(const struct pmu *pmu, unsigned int *placed)
{
	struct pmcgrp_slot *slot, *longest = NULL;

	*placed = 0;
	list_for_each_entry(slot, this_cpu_ptr(&placed_slots), placed) {
		if (slot->event->pmu != pmu)
			continue;
		++*placed;
		if (!slot->users && (!longest || (int)(slot->used - longest->used) < 0))
			longest = slot;
	}
	return longest;
}

/**
 * pmcgrp_idle_evict - take idle slots off a PMU, those first that were used longest ago
 * @pmu: which; the caller holds it
 * @nr: so many slots may stay, those in use included
 *
 * Context: interrupts off, not where perf core has placed something in the same section.
 * Return: whether any went.
 */
bool pmcgrp_idle_evict(const struct pmu *pmu, unsigned int nr)
{
	struct pmcgrp_slot *slot;
	unsigned int placed;
	bool any = false;

	lockdep_assert_irqs_disabled();
	do {
		slot = slot_longest_idle(pmu, &placed);
		if (!slot || placed <= nr)
			break;
		WARN_ON_ONCE(slot_is_unprogrammed(slot));
		pmcgrp_slot_off(slot);
		any = true;
	} while (--placed > nr);
	return any;
}

/**
 * pmcgrp_idle_make_room - before slots are added: if it is known that there is no room for all
 * @pmu: whose; the caller holds it
 * @nr: how many are to come
 *
 * Context: as pmcgrp_idle_evict().
 */
void pmcgrp_idle_make_room(const struct pmu *pmu, unsigned int nr)
{
	struct brim *brim = this_cpu_ptr(&brims);

	lockdep_assert_irqs_disabled();
	if (brim->pmu != pmu || !brim->trust || brim->nr < nr)
		return;
	brim->trust--;
	pmcgrp_idle_evict(pmu, brim->nr - nr);
}

/**
 * pmcgrp_idle_is_full - a PMU has taken no more slots
 * @pmu: which
 * @over: how many that are on it were already too many
 *
 * Context: interrupts off.
 */
void pmcgrp_idle_is_full(const struct pmu *pmu, unsigned int over)
{
	lockdep_assert_irqs_disabled();
	*this_cpu_ptr(&brims) = (struct brim){
		.pmu = pmu, .nr = slots_placed(pmu) - over, .trust = BRIM_TRUST,
	};
}

/**
 * pmcgrp_slots_in_use - a number that stands for the hardware slots in use on this CPU
 *
 * Another one, all but certainly, for others.
 *
 * Context: interrupts off.
 */
u64 pmcgrp_slots_in_use(void)
{
	const struct pmcgrp_slot *slot;
	u64 sum = 0;

	lockdep_assert_irqs_disabled();
	list_for_each_entry(slot, this_cpu_ptr(&placed_slots), placed)
		if (slot->users)
			sum += slot->mark;
	return sum;
}

/**
 * pmcgrp_slot_evict - take an idle slot off the PMU, unless perf core is at work there
 * @slot: the slot, without users, on the PMU
 *
 * Context: interrupts off, on the slot's CPU.
 * Return: whether it is off.
 */
bool pmcgrp_slot_evict(struct pmcgrp_slot *slot)
{
	struct pmcgrp_slot *const set[] = { slot };

	if (pmcgrp_slots_are_held(set, 1))
		return false;
	pmcgrp_slot_take_off(slot);
	return true;
}

/**
 * pmcgrp_slots_evict - take idle slots of this CPU off the PMU
 * @before: those that were used last before this tick
 *
 * Context: interrupts off, not within perf core.
 * Return: whether idle slots remain.
 */
bool pmcgrp_slots_evict(unsigned int before)
{
	struct pmcgrp_slot *slot, *next;
	bool remain = false;

	lockdep_assert_irqs_disabled();
	list_for_each_entry_safe(slot, next, this_cpu_ptr(&placed_slots), placed)
		if (!slot->users &&
		    ((int)(slot->used - before) >= 0 || !pmcgrp_slot_evict(slot)))
			remain = true;
	return remain;
}

/**
 * pmcgrp_slots_evict_all - take all idle slots of this CPU off the PMU
 *
 * Context: interrupts off, not within perf core.
 */
void pmcgrp_slots_evict_all(void)
{
	struct pmcgrp_slot *slot, *next;

	lockdep_assert_irqs_disabled();
	list_for_each_entry_safe(slot, next, this_cpu_ptr(&placed_slots), placed)
		if (!slot->users)
			pmcgrp_slot_evict(slot);
}

/**
 * pmcgrp_slots_evict_programmed - take off all idle slots that can be by now
 * @gone: out: which, or NULL
 * @max: how many there is room for in @gone
 *
 * Context: interrupts off; perf core's locks may be held, and its hold on the PMU.
 * Return: how many are in @gone.
 */
unsigned int pmcgrp_slots_evict_programmed(struct pmcgrp_slot **gone, unsigned int max)
{
	struct pmcgrp_slot *slot, *next;
	unsigned int nr = 0;

	lockdep_assert_irqs_disabled();
	list_for_each_entry_safe(slot, next, this_cpu_ptr(&placed_slots), placed) {
		if (slot->users || slot_is_unprogrammed(slot))
			continue;
		pmcgrp_slot_take_off(slot);
		if (gone && nr < max)
			gone[nr++] = slot;
	}
	return nr;
}

static void slot_retire_here(void *info)
{
	struct pmcgrp_slot *slot = info;

	if (slot->on)
		pmcgrp_slot_evict(slot);
}

/**
 * pmcgrp_slot_retire - make sure that a slot that no row holds is off the PMU
 * @slot: the slot, without users
 *
 * Context: may sleep.
 */
void pmcgrp_slot_retire(struct pmcgrp_slot *slot)
{
	/* Idle is all that it can be, and off is all that it can become. */
	if (READ_ONCE(slot->on))
		smp_call_function_single(slot->cpu, slot_retire_here, slot, 1);
	WARN_ON_ONCE(slot->users || slot->on);
}

/**
 * pmcgrp_slots_placed_init - once, before there is any slot
 */
void pmcgrp_slots_placed_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		INIT_LIST_HEAD(per_cpu_ptr(&placed_slots, cpu));
}
