// SPDX-License-Identifier: GPL-2.0-only
/*
 * What sections have counted by the key of the task that ended them (pmcgrp_span_add.by).
 *
 * A CPU writes its table in the recursion section in which a section ends (section.c): nothing
 * interrupts that, and a reader comes by IPI.  Histograms, if they are asked for, are the most of a
 * slot.  They lie behind its values.
 */
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/container_of.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/numa.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <uapi/linux/pmcgrp.h>
#include "counter/key.h"
#include "platform/charge.h"
#include "platform/recursion.h"
#include "span/section_key.h"

/* Slots of each CPU unless the caller says; with histograms one of two events has 1.7 KiB. */
#define SLOTS_DEFAULT 1024U
#define SLOTS_OF_HISTOGRAMS 256U

/**
 * struct section_key_cpu - the table of one CPU; that CPU, in a recursion section
 * @keys: slots of keys
 * @last: slot of the key that came last, or 0
 */
struct section_key_cpu {
	struct pmcgrp_key_cpu keys;
	u64 last;
};

static void slot_init(const struct pmcgrp_section_table *table, struct pmcgrp_section_slot *slot,
		      const struct pmcgrp_task_key *key)
{
	unsigned int i;

	slot->key = *key;
	for (i = 0; i < table->nr; i++)
		slot->stat[i].min = U64_MAX;
}

static int section_table_fill(struct pmcgrp_section_table *table, struct pmcgrp_charge *charge)
{
	static const struct pmcgrp_task_key other;
	struct pmcgrp_key_cpu *of_cpu;
	int cpu, err;

	err = pmcgrp_key_slots_fill(&table->keys, charge, cpu_possible_mask,
				    sizeof(struct section_key_cpu), table->keys.slot_size);
	if (err)
		return err;
	for_each_possible_cpu(cpu) {
		of_cpu = table->keys.cpu[cpu];
		slot_init(table, pmcgrp_section_slot(table, of_cpu, 0), &other);
	}
	return 0;
}

static void section_table_size(struct pmcgrp_section_table *table,
			       const struct pmcgrp_span_add *arg, unsigned int nr_events)
{
	struct pmcgrp_key_slots *keys = &table->keys;
	u32 usual;

	table->nr = 1 + nr_events;
	table->has_buckets = arg->flags & PMCGRP_SPAN_HISTOGRAMS;
	usual = table->has_buckets ? SLOTS_OF_HISTOGRAMS : SLOTS_DEFAULT;
	keys->slots = roundup_pow_of_two(max(arg->slots ?: usual, 2U));
	/* Twice as many as slots, and long enough a search: all slots can be used. */
	keys->places = 2 * keys->slots;
	keys->search = 16;
	keys->key_at = offsetof(struct pmcgrp_section_slot, key);
	keys->slot_size = offsetof(struct pmcgrp_section_slot, stat[table->nr]);
	if (table->has_buckets)
		keys->slot_size += table->nr * PMCGRP_SECTION_BUCKETS * sizeof(u64);
}

/**
 * pmcgrp_section_table_create - make an empty table
 * @arg: argument of PMCGRP_IOC_SPAN, with @by set
 * @nr_events: number of events of the group's list
 * @charge: that of the section; also what is freed after an error is charged to it
 * @why: out: enum pmcgrp_why on failure
 *
 * Context: may sleep; user memory is read.
 * Return: the table, for pmcgrp_section_table_free(), or an ERR_PTR as the uapi header says.
 */
struct pmcgrp_section_table *pmcgrp_section_table_create(const struct pmcgrp_span_add *arg,
							 unsigned int nr_events,
							 struct pmcgrp_charge *charge, u32 *why)
{
	const struct pmcgrp_keys keys = {
		.type = arg->by - 1,
		.depth = arg->depth,
		.cgroups = arg->cgroups,
		.nr_cgroups = arg->nr_cgroups,
	};
	struct pmcgrp_section_table *table;
	int err;

	*why = PMCGRP_WHY_SPAN_BY;
	if (arg->slots > PMCGRP_SPAN_SLOTS_MAX)
		return ERR_PTR(-EINVAL);
	table = pmcgrp_charge_alloc(charge, struct_size(table, keys.cpu, nr_cpu_ids), NUMA_NO_NODE);
	*why = pmcgrp_why_of_charge(PTR_ERR_OR_ZERO(table));
	if (IS_ERR(table))
		return table;
	section_table_size(table, arg, nr_events);
	err = pmcgrp_keyer_init(&table->keys.keyer, charge, &keys, why);
	if (err && *why == PMCGRP_WHY_FLAGS)
		*why = PMCGRP_WHY_SPAN_BY;
	if (!err) {
		err = section_table_fill(table, charge);
		*why = pmcgrp_why_of_charge(err);
	}
	if (!err)
		return table;
	pmcgrp_section_table_free(table);
	return ERR_PTR(err);
}

/* Free a table that nobody writes or reads any more, or NULL.  May sleep. */
void pmcgrp_section_table_free(struct pmcgrp_section_table *table)
{
	if (!table)
		return;
	pmcgrp_key_slots_end(&table->keys);
	kvfree(table);
}

/* Of a process or thread its name, which may have changed. */
static void set_comm(const struct pmcgrp_keyer *keyer, struct pmcgrp_section_slot *slot)
{
	if (keyer->type == PMCGRP_KEY_PROCESS || keyer->type == PMCGRP_KEY_THREAD)
		pmcgrp_key_comm(keyer, current, slot->comm);
}

static __always_inline void section_key_stat_add(struct pmcgrp_section_key_stat *stat, u64 value)
{
	stat->sum += value;
	if (value < stat->min)
		stat->min = value;
	if (value > stat->max)
		stat->max = value;
}

static void buckets_add(u64 *bucket, u64 time, const u64 *value, unsigned int nr_events)
{
	unsigned int i;

	bucket[fls64(time)]++;
	for (i = 0; i < nr_events; i++) {
		bucket += PMCGRP_SECTION_BUCKETS;
		bucket[fls64(value[i])]++;
	}
}

/**
 * pmcgrp_section_table_add - add a section to the key of the task that runs
 * @table: the table
 * @time: its nanoseconds
 * @value: what each event of the list has counted
 *
 * Context: interrupts off, in a recursion section; NMI included.
 */
void pmcgrp_section_table_add(struct pmcgrp_section_table *table, u64 time, const u64 *value)
{
	struct section_key_cpu *cpu = container_of(table->keys.cpu[smp_processor_id()],
						   struct section_key_cpu, keys);
	struct pmcgrp_section_slot *slot = pmcgrp_section_slot(table, &cpu->keys, cpu->last);
	struct pmcgrp_task_key key;
	unsigned int i;
	bool is_new;

	pmcgrp_assert_recursion();
	pmcgrp_key_of(&table->keys.keyer, current, &cpu->keys.cache, &key);
	if (!cpu->last || !pmcgrp_key_is(&key, slot->key.word)) {
		cpu->last = pmcgrp_key_find(&table->keys, &cpu->keys, &key, &is_new);
		slot = pmcgrp_section_slot(table, &cpu->keys, cpu->last);
		if (is_new)
			slot_init(table, slot, &key);
	}
	if (likely(cpu->last))
		set_comm(&table->keys.keyer, slot);
	slot->count++;
	section_key_stat_add(&slot->stat[0], time);
	for (i = 1; i < table->nr; i++)
		section_key_stat_add(&slot->stat[i], value[i - 1]);
	if (table->has_buckets)
		buckets_add(pmcgrp_section_buckets(table, slot), time, value, table->nr - 1);
}
