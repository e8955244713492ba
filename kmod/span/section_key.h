/* SPDX-License-Identifier: GPL-2.0-only */
/* What sections have counted by the key of the task that ended them. */
#ifndef PMCGRP_SECTION_KEY_H
#define PMCGRP_SECTION_KEY_H

#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>
#include "counter/key.h"

struct pmcgrp_charge;
struct pmcgrp_section_key_cpu;

/**
 * struct pmcgrp_section_table - a section's counts by key
 * @keyer: how tasks are distinguished.  Constant.
 * @slots: number of slots of each CPU, without that of an overflow; a power of two.  Constant.
 * @nr: number of values of a slot: the time, and each event of the group's list.  Constant.
 * @has_buckets: slots have histograms.  Constant.
 * @slot_size: bytes of a slot.  Constant.
 * @cpu: for each possible CPU.  Constant.
 */
struct pmcgrp_section_table {
	struct pmcgrp_keyer keyer;
	u32 slots;
	unsigned int nr;
	bool has_buckets;
	size_t slot_size;
	struct pmcgrp_section_key_cpu *cpu[];
};

struct pmcgrp_section_table *pmcgrp_section_table_create(const struct pmcgrp_span_add *arg,
							 unsigned int nr_events,
							 struct pmcgrp_charge *charge, u32 *why);
void pmcgrp_section_table_free(struct pmcgrp_section_table *table);
void pmcgrp_section_table_add(struct pmcgrp_section_table *table, u64 time, const u64 *value);
u32 pmcgrp_section_table_used(const struct pmcgrp_section_table *table, int cpu);
const struct pmcgrp_section_key_stat *
pmcgrp_section_table_slot(const struct pmcgrp_section_table *table, int cpu, u32 at,
			  struct pmcgrp_section_key *entry);
const u64 *pmcgrp_section_table_buckets(const struct pmcgrp_section_table *table, int cpu, u32 at);

#endif /* PMCGRP_SECTION_KEY_H */
