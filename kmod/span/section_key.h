/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_SECTION_KEY_H
#define PMCGRP_SECTION_KEY_H

#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>
#include "key/key_table.h"

struct pmcgrp_charge;

/**
 * struct pmcgrp_section_table - a section's counts by key.  Constant.
 * @nr: number of values of a slot: the time, and each event of the group's list
 * @has_buckets: slots have histograms
 * @keys: slots of keys on all possible CPUs
 */
struct pmcgrp_section_table {
	unsigned int nr;
	bool has_buckets;
	struct pmcgrp_key_slots keys;
};

/**
 * struct pmcgrp_section_slot - what the sections of a key have counted on a CPU
 * @key: the key
 * @comm: pmcgrp_section_key.comm
 * @count: number of sections
 * @stat: pmcgrp_section_table.nr values; then, with pmcgrp_section_table.has_buckets, for each of
 *	these %PMCGRP_SECTION_BUCKETS of u64
 */
struct pmcgrp_section_slot {
	struct pmcgrp_task_key key;
	char comm[PMCGRP_COMM_LEN];
	u64 count;
	struct pmcgrp_section_key_stat stat[];
};

static __always_inline struct pmcgrp_section_slot *
pmcgrp_section_slot(const struct pmcgrp_section_table *table, const struct pmcgrp_key_cpu *cpu,
		    u32 at)
{
	return pmcgrp_key_slot(&table->keys, cpu, at);
}

static __always_inline u64 *pmcgrp_section_buckets(const struct pmcgrp_section_table *table,
						   struct pmcgrp_section_slot *slot)
{
	return (u64 *)&slot->stat[table->nr];
}

struct pmcgrp_section_table *pmcgrp_section_table_create(const struct pmcgrp_span_add *arg,
							 unsigned int nr_events,
							 struct pmcgrp_charge *charge, u32 *why);
void pmcgrp_section_table_free(struct pmcgrp_section_table *table);
void pmcgrp_section_table_add(struct pmcgrp_section_table *table, u64 time, const u64 *value);

#endif /* PMCGRP_SECTION_KEY_H */
