/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_SLOT_H
#define PMCGRP_SLOT_H

#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>

struct pmcgrp_guard;

/**
 * struct pmcgrp_slot - one counter on one CPU
 * @node: in the pool; pmcgrp_groups_mutex
 * @event: the kernel counter, created disabled: perf core owns its memory and
 *	its validation and never schedules it.  Constant.
 * @key: what was asked for (a PMU may rewrite event->attr).  Constant.
 * @cpu: the only CPU on which it counts.  Constant.
 * @epoch: @cpu's epoch (pmcgrp_gang_epoch()) when the slot was made; in another
 *	one it is dead, for perf core has detached its event.  Constant.
 * @guard: its CPU's, with a reference; NULL for a software event.  Constant.
 * @refs: rows that hold it; pmcgrp_groups_mutex
 * @users: rides for which it counts now; @cpu, interrupts off
 * @on: on the PMU; written on @cpu, interrupts off
 * @placed: a hardware slot in the CPU's list of those that are on; @cpu, interrupts off
 * @used: the gang's tick at which a ride stopped using it; @cpu, interrupts off
 * @peek: its value can be read from its register (peek.h).  Constant.
 */
struct pmcgrp_slot {
	struct hlist_node	node;
	struct perf_event	*event;
	struct perf_event_attr	key;
	int			cpu;
	u64			epoch;
	struct pmcgrp_guard	*guard;
	unsigned int		refs;
	unsigned int		users;
	bool			on;
	struct list_head	placed;
	unsigned int		used;
	bool			peek;
};

bool pmcgrp_slot_is_software(const struct pmcgrp_slot *slot);

/**
 * struct pmcgrp_instant - what a set of slots shows at one instant
 * @now: local_clock(), nanoseconds
 * @value: one for each slot
 */
struct pmcgrp_instant {
	u64	now;
	u64	value[PMCGRP_MEMBERS_MAX];
};

void pmcgrp_pmu_restart(struct pmu *pmu);
void pmcgrp_slots_refill(struct pmcgrp_slot *const *slot, unsigned int nr_hw);
void pmcgrp_slot_off(struct pmcgrp_slot *slot);
void pmcgrp_slot_take_off(struct pmcgrp_slot *slot);
bool pmcgrp_slots_are_on(struct pmcgrp_slot *const *slot, unsigned int nr_hw);
bool pmcgrp_slots_are_held(struct pmcgrp_slot *const *slot, unsigned int nr_hw);
int pmcgrp_slots_attach(struct pmcgrp_slot *const *slot, unsigned int nr_hw, unsigned int nr);
int pmcgrp_slots_attach_unlocked(struct pmcgrp_slot *const *slot, unsigned int nr_hw,
				 unsigned int nr);
void pmcgrp_slots_detach(struct pmcgrp_slot *const *slot, unsigned int nr_hw, unsigned int nr);
int pmcgrp_slots_place(struct pmcgrp_slot *const *slot, unsigned int nr_hw);
void pmcgrp_slots_release(struct pmcgrp_slot *const *slot, unsigned int nr_hw, unsigned int tick);
void pmcgrp_slots_read(struct pmcgrp_slot *const *slot, unsigned int nr,
		       struct pmcgrp_instant *here);

#endif /* PMCGRP_SLOT_H */
