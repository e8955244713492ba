/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables of counts by key: one for each CPU, in memory that user space reads.
 */
#ifndef PMCGRP_KEY_TABLE_H
#define PMCGRP_KEY_TABLE_H

#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>
#include "counter/key.h"
#include "platform/charge.h"
#include "set/evset.h"

struct pmcgrp_group;

/**
 * struct pmcgrp_key_cpu - counts by key of one CPU; that CPU, interrupts off; of an offline one
 *	with cpus_read_lock()
 * @block: the block that user space reads.  Constant.
 * @started: @added and @slot are valid
 * @slot: slot of the key whose counts are not in the table yet
 * @key: that key
 * @comm: name of the task of that key which has come last
 * @stays: how often a task of it has come, not added yet
 * @left: nr_sched_in of the set as a task left last
 * @added: counts and times up to which the table has them
 * @at: scratch: counts and times up to now
 * @start: @added at the beginning
 * @clock: number of changes of slots
 * @flushed: @clock at the last flush
 * @read: user space has read all changes up to this one
 * @last_id: id that was given last
 * @stamp: of each slot: @clock at its last change.  Array, constant.
 * @cache: for pmcgrp_key_of()
 */
struct pmcgrp_key_cpu {
	struct pmcgrp_keys_block *block;
	bool started;
	struct pmcgrp_keys_slot *slot;
	struct pmcgrp_task_key key;
	char comm[PMCGRP_COMM_LEN];
	u64 stays;
	u32 left;
	struct pmcgrp_values added;
	struct pmcgrp_values at;
	struct pmcgrp_values start;
	u64 clock;
	u64 flushed;
	u64 read;
	u64 last_id;
	u64 *stamp;
	struct pmcgrp_key_cache cache;
};

/**
 * struct pmcgrp_task_key_table - a group's table of counts by key
 * @group: the group.  Constant.
 * @keyer: how tasks are distinguished.  Constant.
 * @slots: number of slots for each CPU, without slot 0; a power of two.  Constant.
 * @bits: logarithm of @slots.  Constant.
 * @slot_size: size of a slot in bytes.  Constant.
 * @slot_offset: where slot 0 is in a block, in bytes.  Constant.
 * @block_size: size of a block in bytes.  Constant.
 * @nr_cpus: number of CPUs.  Constant.
 * @pages: number of pages that user space maps.  Constant.
 * @charge: what all of it is charged to.  Constant.
 * @cpu: for each CPU that the group counts on, or else NULL.  Constant.
 */
struct pmcgrp_task_key_table {
	struct pmcgrp_group *group;
	struct pmcgrp_keyer keyer;
	u32 slots;
	u32 bits;
	u32 slot_size;
	u32 slot_offset;
	size_t block_size;
	unsigned int nr_cpus;
	unsigned long pages;
	struct pmcgrp_charge charge;
	struct pmcgrp_key_cpu *cpu[];
};

struct pmcgrp_task_key_table *pmcgrp_key_table_create(struct pmcgrp_group *group,
						      const struct pmcgrp_keys *arg, u32 *why);
void pmcgrp_key_table_free(struct pmcgrp_task_key_table *table);
void pmcgrp_key_start(struct pmcgrp_key_cpu *cpu);
void pmcgrp_key_find(const struct pmcgrp_task_key_table *table, struct pmcgrp_key_cpu *cpu,
		     const struct pmcgrp_task_key *key);
void pmcgrp_key_add(const struct pmcgrp_task_key_table *table, struct pmcgrp_key_cpu *cpu);
void pmcgrp_key_flushed(const struct pmcgrp_task_key_table *table, struct pmcgrp_key_cpu *cpu,
			bool was_read);

#endif /* PMCGRP_KEY_TABLE_H */
