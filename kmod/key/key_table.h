/* SPDX-License-Identifier: GPL-2.0-only */
/* Slots of keys, for each CPU: of counts by key (by_key.c), and of sections (section_key.c). */
#ifndef PMCGRP_KEY_TABLE_H
#define PMCGRP_KEY_TABLE_H

#include <linux/cpumask.h>
#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>
#include "counter/key.h"

struct pmcgrp_charge;

/**
 * struct pmcgrp_key_cpu - slots of keys on one CPU; that CPU, interrupts off
 * @slot: slot 0, of what finds no other one, and those of keys behind it.  Constant.
 * @index: slots by the hash of their key; 0: none
 * @used: number of slots in use, without slot 0
 * @stamp: of each slot: a number that grows with its changes; NULL: a key has its slot for good.
 *	Constant.
 * @read: slots with a @stamp up to this one may be given to another key
 * @cache: for pmcgrp_key_of()
 */
struct pmcgrp_key_cpu {
	void *slot;
	u32 *index;
	u32 used;
	u64 *stamp;
	u64 read;
	struct pmcgrp_key_cache cache;
};

/**
 * struct pmcgrp_key_slots - slots of keys on all CPUs.  Constant.
 * @keyer: how tasks are distinguished
 * @slots: number of slots of each CPU, without slot 0; a power of two
 * @places: number of places of an index; a power of two
 * @search: in how many of these a key is looked for
 * @slot_size: bytes of a slot
 * @key_at: where its key is, in bytes
 * @cpu: for each CPU that has one; what begins with a struct pmcgrp_key_cpu
 */
struct pmcgrp_key_slots {
	struct pmcgrp_keyer keyer;
	u32 slots;
	u32 places;
	u32 search;
	u32 slot_size;
	u32 key_at;
	struct pmcgrp_key_cpu *cpu[];
};

int pmcgrp_key_slots_fill(struct pmcgrp_key_slots *table, struct pmcgrp_charge *charge,
			  const struct cpumask *cpus, size_t cpu_size, size_t per_slot);
void pmcgrp_key_slots_end(struct pmcgrp_key_slots *table);
u32 pmcgrp_key_find(const struct pmcgrp_key_slots *table, struct pmcgrp_key_cpu *cpu,
		    const struct pmcgrp_task_key *key, bool *is_new);

static __always_inline void *pmcgrp_key_slot(const struct pmcgrp_key_slots *table,
					     const struct pmcgrp_key_cpu *cpu, u32 at)
{
	return cpu->slot + (size_t)at * table->slot_size;
}

#endif /* PMCGRP_KEY_TABLE_H */
