/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_SLOT_H
#define PMCGRP_SLOT_H

#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "quiet.h"

struct pmcgrp_guard;

/**
 * struct pmcgrp_slot - one counter on one CPU
 * @event: the kernel counter, created disabled: perf core owns its memory and
 *	its validation and never schedules it.  Constant.
 * @on: on the PMU; written on @cpu, interrupts off
 * @peek: its value can be read from its register (peek.h).  Constant.
 * @at_once: all counters of its PMU stop and start at one instant (cores.c).  Constant.
 * @counter: its pmcgrp_peek_counter() while it is on, otherwise, and if it cannot, -1; as @on
 * @users: rides for which it counts now; @cpu, interrupts off
 * @used: the gang's tick at which a ride stopped using it; @cpu, interrupts off
 * @cpu: the only CPU on which it counts.  Constant.
 * @placed: a hardware slot in the CPU's list of those that are on; @cpu, interrupts off
 * @epoch: @cpu's epoch (pmcgrp_gang_epoch()) when the slot was made; in another
 *	one it is dead, for perf core has detached its event.  Constant.
 * @mark: a number by which sets of slots are told apart.  Constant.
 * @guard: its CPU's, with a reference; NULL for a software event.  Constant.
 * @node: in the pool; pmcgrp_groups_mutex
 * @refs: rows that hold it; pmcgrp_groups_mutex
 * @orphans: those of groups that nobody has any more (share.c); pmcgrp_groups_mutex
 * @key: what was asked for (a PMU may rewrite event->attr).  Constant.
 *
 * What each switch of tasks looks at comes first, in one cache line.
 */
struct pmcgrp_slot {
	struct perf_event	*event;
	bool			on;
	bool			peek;
	bool			at_once;
	int			counter;
	unsigned int		users;
	unsigned int		used;
	int			cpu;
	struct list_head	placed;
	u64			epoch;
	u64			mark;
	struct pmcgrp_guard	*guard;
	struct hlist_node	node;
	unsigned int		refs;
	unsigned int		orphans;
	struct perf_event_attr	key;
};

bool pmcgrp_slot_is_software(const struct pmcgrp_slot *slot);

void pmcgrp_slots_end(void);
void pmcgrp_pmu_restart(struct pmu *pmu);
bool pmcgrp_slots_refill(struct pmcgrp_slot *const *slot, unsigned int nr_hw);
void pmcgrp_slot_off(struct pmcgrp_slot *slot);
void pmcgrp_slot_take_off(struct pmcgrp_slot *slot);
void pmcgrp_slots_hold(struct pmcgrp_slot *const *slot, unsigned int nr_hw);
void pmcgrp_slots_unhold(struct pmcgrp_slot *const *slot, unsigned int nr_hw);
void pmcgrp_slots_let_run(struct pmcgrp_slot *const *slot, unsigned int nr_hw);
void pmcgrp_slots_stop_again(struct pmcgrp_slot *const *slot, unsigned int nr_hw);
bool pmcgrp_slots_any_held(struct pmcgrp_slot *const *slot, unsigned int nr_hw);
int pmcgrp_slots_attach(struct pmcgrp_slot *const *slot, unsigned int nr_hw, unsigned int nr);
int pmcgrp_slots_attach_unlocked(struct pmcgrp_slot *const *slot, unsigned int nr_hw,
				 unsigned int nr);
void pmcgrp_slots_detach(struct pmcgrp_slot *const *slot, unsigned int nr_hw, unsigned int nr);
int pmcgrp_slots_place_fresh(struct pmcgrp_slot *const *slot, unsigned int nr_hw);
bool pmcgrp_slots_try_read(struct pmcgrp_slot *const *slot, unsigned int nr, u64 *value);
u64 pmcgrp_slots_read(struct pmcgrp_slot *const *slot, unsigned int nr, u64 *value);
void pmcgrp_slots_take_over(struct pmcgrp_slot *const *slot, unsigned int nr_hw);

/**
 * pmcgrp_slots_are_held - whether perf core holds a PMU of a set just now
 * @slot: the set
 * @nr_hw: its hardware slots
 *
 * Then what is placed is not programmed before core lets go, and x86 cannot take
 * off what it has not programmed: x86_pmu_del() outside a transaction trusts a
 * hw.idx that is still that of an earlier stay.  So place at will, but take
 * nothing off again before core is done.
 *
 * Context: interrupts off, on the slots' CPU.
 */
static inline bool pmcgrp_slots_are_held(struct pmcgrp_slot *const *slot, unsigned int nr_hw)
{
	struct pmu *pmu = slot[0]->event->pmu;

	lockdep_assert_irqs_disabled();
	/* A set has its hardware slots PMU by PMU, and most often of one. */
	if (likely(nr_hw && slot[nr_hw - 1]->event->pmu == pmu))
		return *pmcgrp_pmu_disable_count(pmu);
	return pmcgrp_slots_any_held(slot, nr_hw);
}

/**
 * pmcgrp_slots_are_on - whether all hardware slots of a set are on the PMU
 * @slot: the set
 * @nr_hw: its hardware slots
 *
 * Context: interrupts off, on the slots' CPU.
 */
static inline bool pmcgrp_slots_are_on(struct pmcgrp_slot *const *slot, unsigned int nr_hw)
{
	struct pmcgrp_slot *const *end = slot + nr_hw;

	lockdep_assert_irqs_disabled();
	for (; slot < end; slot++)
		if (!(*slot)->on)
			return false;
	return true;
}

/**
 * pmcgrp_slots_may_move - whether values of a set may not be whole just now
 * @slot: the set
 * @nr_hw: its hardware slots
 *
 * x86 moves events between counters as it lets go of the PMU (x86_pmu_enable()), and an NMI that
 * was late may find what a counter had in neither place: not yet in event->count.
 *
 * Context: interrupts off, on the slots' CPU; NMI included.
 */
static inline bool pmcgrp_slots_may_move(struct pmcgrp_slot *const *slot, unsigned int nr_hw)
{
	return IS_ENABLED(CONFIG_X86) && in_nmi() && pmcgrp_slots_are_held(slot, nr_hw);
}

/**
 * pmcgrp_slots_place - put a set's hardware slots on the PMU, all or none
 * @slot: the set, its software slots attached
 * @nr_hw: its hardware slots
 *
 * Idle slots make room if they must.
 *
 * Context: interrupts off, on the slots' CPU.
 * Return: 0, or the PMU's error; then no slot counts that did not before.
 */
static inline int pmcgrp_slots_place(struct pmcgrp_slot *const *slot, unsigned int nr_hw)
{
	struct pmcgrp_slot *const *end = slot + nr_hw;

	pmcgrp_assert_here(slot[0]->cpu);
	if (!pmcgrp_slots_are_on(slot, nr_hw))
		return pmcgrp_slots_place_fresh(slot, nr_hw);
	for (; slot < end; slot++)
		(*slot)->users++;
	return 0;
}

/**
 * pmcgrp_slots_release - a set stops using its hardware slots
 * @slot: the set, placed before
 * @nr_hw: its hardware slots
 * @tick: when they were used last: those that nobody else uses stay on the PMU, idle
 *
 * Context: interrupts off, on the slots' CPU.
 */
static inline void pmcgrp_slots_release(struct pmcgrp_slot *const *slot, unsigned int nr_hw,
					unsigned int tick)
{
	struct pmcgrp_slot *const *end = slot + nr_hw;
	struct pmcgrp_slot *one;

	pmcgrp_assert_here(slot[0]->cpu);
	for (; slot < end; slot++) {
		one = *slot;
		one->users--;
		one->used = tick;
	}
}

#endif /* PMCGRP_SLOT_H */
