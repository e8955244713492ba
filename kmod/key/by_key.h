/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_BY_KEY_H
#define PMCGRP_BY_KEY_H

#include <linux/types.h>
#include "key/key_table.h"
#include "platform/charge.h"
#include "set/evset.h"

struct pmcgrp_group;

/**
 * struct pmcgrp_by_key_cpu - counts by key of one CPU; that CPU, interrupts off; of an offline one
 *	with cpus_read_lock()
 * @keys: slots of keys, which lie in @block
 * @block: the block that user space reads.  Constant.
 * @started: @added and @slot are valid
 * @slot: number of the slot of the key whose counts are not in the table yet
 * @key: that key
 * @comm: name of the task of that key which has come last
 * @stays: how often a task of it has come, not added yet
 * @added: counts and times up to which the table has them
 * @at: scratch: counts and times up to now
 * @start: @added at the beginning
 * @clock: number of changes of slots
 * @flushed: @clock at the last flush
 * @last_id: id that was given last
 */
struct pmcgrp_by_key_cpu {
	struct pmcgrp_key_cpu keys;
	struct pmcgrp_keys_block *block;
	bool started;
	u32 slot;
	struct pmcgrp_task_key key;
	char comm[PMCGRP_COMM_LEN];
	u64 stays;
	struct pmcgrp_values added;
	struct pmcgrp_values at;
	struct pmcgrp_values start;
	u64 clock;
	u64 flushed;
	u64 last_id;
};

/**
 * struct pmcgrp_task_key_table - a group's table of counts by key.  Constant.
 * @group: the group
 * @slot_offset: where slot 0 is in a block, in bytes
 * @block_size: size of a block in bytes
 * @nr_cpus: number of CPUs
 * @pages: number of pages that user space maps
 * @charge: what all of it is charged to
 * @keys: slots of keys on the CPUs that the group counts on, struct pmcgrp_by_key_cpu
 */
struct pmcgrp_task_key_table {
	struct pmcgrp_group *group;
	u32 slot_offset;
	size_t block_size;
	unsigned int nr_cpus;
	unsigned long pages;
	struct pmcgrp_charge charge;
	struct pmcgrp_key_slots keys;
};

static inline struct pmcgrp_by_key_cpu *
pmcgrp_by_key_cpu_of(const struct pmcgrp_task_key_table *table, int cpu)
{
	return container_of(table->keys.cpu[cpu], struct pmcgrp_by_key_cpu, keys);
}

struct pmcgrp_task_key_table *pmcgrp_by_key_create(struct pmcgrp_group *group,
						   const struct pmcgrp_keys *arg, u32 *why);
void pmcgrp_by_key_free(struct pmcgrp_task_key_table *table);
int pmcgrp_by_key_begin(struct pmcgrp_task_key_table *table);
void pmcgrp_by_key_end(struct pmcgrp_task_key_table *table);
void pmcgrp_by_key_flush(struct pmcgrp_task_key_table *table, bool was_read);

#endif /* PMCGRP_BY_KEY_H */
