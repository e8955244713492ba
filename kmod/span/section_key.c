// SPDX-License-Identifier: GPL-2.0-only
/*
 * What sections have counted by the key of the task that ended them (pmcgrp_span_add.by).
 *
 * Each CPU has a table of its own, which it alone writes, in the recursion section in which a
 * section ends (section.c): nothing interrupts that, and a reader comes by IPI.
 *
 * Slots are given out in the order in which keys come, and for good: a reader walks those in use
 * from a number on, whatever comes meanwhile.  An index finds the slot of a key.  It has twice as
 * many places as there are slots, and a key is looked for in SEARCH of them.  So the end of a
 * section costs the same however many keys there are.  What finds no slot is added to slot 0.
 *
 * Histograms, if they are asked for, are the most of a slot.  They lie behind its values.
 */
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/numa.h>
#include <linux/overflow.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <uapi/linux/pmcgrp.h>
#include "counter/key.h"
#include "platform/charge.h"
#include "platform/recursion.h"
#include "span/section_key.h"

#define SEARCH 16
/* Slots of each CPU unless the caller says; with histograms one of two events has 1.7 KiB. */
#define SLOTS_DEFAULT 1024U
#define SLOTS_OF_HISTOGRAMS 256U

/* A place of the index is a u16. */
static_assert(PMCGRP_SPAN_SLOTS_MAX <= U16_MAX);

/**
 * struct key_slot - what the sections of a key have counted on a CPU
 * @key: the key
 * @comm: pmcgrp_section_key.comm
 * @count: number of sections
 * @stat: pmcgrp_section_table.nr values; then, with pmcgrp_section_table.has_buckets, for each of
 *	these %PMCGRP_SECTION_BUCKETS of u64
 */
struct key_slot {
	struct pmcgrp_task_key key;
	char comm[PMCGRP_COMM_LEN];
	u64 count;
	struct pmcgrp_section_key_stat stat[];
};

/**
 * struct pmcgrp_section_key_cpu - the table of one CPU; that CPU, in a recursion section
 * @used: number of slots in use, without slot 0
 * @last: slot of the key that came last, or 0
 * @cache: for pmcgrp_key_of()
 * @slot: slot 0, and then those of keys.  Constant.
 * @index: slots by the hash of their key; 0: none
 */
struct pmcgrp_section_key_cpu {
	u32 used;
	u32 last;
	struct pmcgrp_key_cache cache;
	void *slot;
	u16 index[];
};

static __always_inline struct key_slot *
section_key_slot_at(const struct pmcgrp_section_table *table,
		    const struct pmcgrp_section_key_cpu *cpu, u32 at)
{
	return cpu->slot + at * table->slot_size;
}

static __always_inline u64 *buckets_of(const struct pmcgrp_section_table *table,
				       struct key_slot *slot)
{
	return (u64 *)&slot->stat[table->nr];
}

static void slot_init(const struct pmcgrp_section_table *table, struct key_slot *slot,
		      const struct pmcgrp_task_key *key)
{
	unsigned int i;

	slot->key = *key;
	for (i = 0; i < table->nr; i++)
		slot->stat[i].min = U64_MAX;
}

static struct pmcgrp_section_key_cpu *cpu_alloc(const struct pmcgrp_section_table *table,
						struct pmcgrp_charge *charge, int node)
{
	static const struct pmcgrp_task_key other;
	size_t places = 2 * table->slots;
	struct pmcgrp_section_key_cpu *cpu;
	size_t size = struct_size(cpu, index, places) + (table->slots + 1) * table->slot_size;

	cpu = pmcgrp_charge_alloc(charge, size, node);
	if (IS_ERR(cpu))
		return cpu;
	cpu->slot = &cpu->index[places];
	slot_init(table, section_key_slot_at(table, cpu, 0), &other);
	return cpu;
}

static int section_table_fill(struct pmcgrp_section_table *table, struct pmcgrp_charge *charge)
{
	struct pmcgrp_section_key_cpu *of_cpu;
	int cpu;

	for_each_possible_cpu(cpu) {
		of_cpu = cpu_alloc(table, charge, cpu_to_node(cpu));
		if (IS_ERR(of_cpu))
			return PTR_ERR(of_cpu);
		table->cpu[cpu] = of_cpu;
		cond_resched();
	}
	return 0;
}

static size_t slot_size_of(const struct pmcgrp_section_table *table)
{
	size_t size = offsetof(struct key_slot, stat[table->nr]);

	if (table->has_buckets)
		size += table->nr * PMCGRP_SECTION_BUCKETS * sizeof(u64);
	return size;
}

static u32 slots_of(const struct pmcgrp_section_table *table, u32 slots)
{
	u32 usual = table->has_buckets ? SLOTS_OF_HISTOGRAMS : SLOTS_DEFAULT;

	/* Two or more: then the slots behind the index are aligned. */
	return roundup_pow_of_two(max(slots ?: usual, 2U));
}

static int section_table_init(struct pmcgrp_section_table *table, const struct pmcgrp_span_add *arg,
			      unsigned int nr_events, struct pmcgrp_charge *charge, u32 *why)
{
	const struct pmcgrp_keys keys = {
		.type = arg->by - 1,
		.depth = arg->depth,
		.cgroups = arg->cgroups,
		.nr_cgroups = arg->nr_cgroups,
	};
	int err = pmcgrp_keyer_init(&table->keyer, charge, &keys, why);

	if (err && *why == PMCGRP_WHY_FLAGS)
		*why = PMCGRP_WHY_SPAN_BY;
	if (err)
		return err;
	table->has_buckets = arg->flags & PMCGRP_SPAN_HISTOGRAMS;
	table->slots = slots_of(table, arg->slots);
	table->nr = 1 + nr_events;
	table->slot_size = slot_size_of(table);
	err = section_table_fill(table, charge);
	*why = pmcgrp_why_of_charge(err);
	return err;
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
	struct pmcgrp_section_table *table;
	int err;

	*why = PMCGRP_WHY_SPAN_BY;
	if (arg->slots > PMCGRP_SPAN_SLOTS_MAX)
		return ERR_PTR(-EINVAL);
	table = pmcgrp_charge_alloc(charge, struct_size(table, cpu, nr_cpu_ids), NUMA_NO_NODE);
	*why = pmcgrp_why_of_charge(PTR_ERR_OR_ZERO(table));
	if (IS_ERR(table))
		return table;
	err = section_table_init(table, arg, nr_events, charge, why);
	if (!err)
		return table;
	pmcgrp_section_table_free(table);
	return ERR_PTR(err);
}

/**
 * pmcgrp_section_table_free - free a table that nobody writes or reads any more
 * @table: the table, or NULL
 *
 * Context: may sleep.
 */
void pmcgrp_section_table_free(struct pmcgrp_section_table *table)
{
	int cpu;

	if (!table)
		return;
	for_each_possible_cpu(cpu)
		kvfree(table->cpu[cpu]);
	pmcgrp_keyer_free(&table->keyer);
	kvfree(table);
}

/* The slot of a key, if need be a new one; 0: there is none. */
static u32 section_key_find(const struct pmcgrp_section_table *table,
			    struct pmcgrp_section_key_cpu *cpu, const struct pmcgrp_task_key *key)
{
	u32 places = 2 * table->slots, i;
	u32 at = pmcgrp_key_hash(&table->keyer, key, ilog2(places));
	u16 *place;

	for (i = 0; i < SEARCH; i++) {
		place = &cpu->index[(at + i) & (places - 1)];
		if (!*place)
			break;
		if (pmcgrp_key_is(key, section_key_slot_at(table, cpu, *place)->key.word))
			return *place;
	}
	if (i == SEARCH || cpu->used == table->slots)
		return 0;
	*place = ++cpu->used;
	slot_init(table, section_key_slot_at(table, cpu, cpu->used), key);
	return cpu->used;
}

/* Of a process or thread its name, which may have changed. */
static void set_comm(const struct pmcgrp_section_table *table, struct key_slot *slot)
{
	if (table->keyer.type == PMCGRP_KEY_PROCESS || table->keyer.type == PMCGRP_KEY_THREAD)
		pmcgrp_key_comm(&table->keyer, current, slot->comm);
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
	struct pmcgrp_section_key_cpu *cpu = table->cpu[smp_processor_id()];
	struct key_slot *slot = section_key_slot_at(table, cpu, cpu->last);
	struct pmcgrp_task_key key;
	unsigned int i;

	pmcgrp_assert_recursion();
	pmcgrp_key_of(&table->keyer, current, &cpu->cache, &key);
	if (!cpu->last || !pmcgrp_key_is(&key, slot->key.word)) {
		cpu->last = section_key_find(table, cpu, &key);
		slot = section_key_slot_at(table, cpu, cpu->last);
	}
	if (likely(cpu->last))
		set_comm(table, slot);
	slot->count++;
	section_key_stat_add(&slot->stat[0], time);
	for (i = 1; i < table->nr; i++)
		section_key_stat_add(&slot->stat[i], value[i - 1]);
	if (table->has_buckets)
		buckets_add(buckets_of(table, slot), time, value, table->nr - 1);
}

/**
 * pmcgrp_section_table_used - get how many slots of a CPU are in use
 * @table: the table
 * @cpu: the CPU
 *
 * Context: interrupts off, in a recursion section on @cpu; or @cpu is offline.
 * Return: the number, without slot 0.
 */
u32 pmcgrp_section_table_used(const struct pmcgrp_section_table *table, int cpu)
{
	return table->cpu[cpu]->used;
}

/**
 * pmcgrp_section_table_slot - read a slot
 * @table: the table
 * @cpu: the CPU
 * @at: number of the slot, up to pmcgrp_section_table_used()
 * @entry: out: all but @stat, @cpu
 *
 * Context: as pmcgrp_section_table_used().
 * Return: the time, and then what each event of the list has counted.
 */
const struct pmcgrp_section_key_stat *
pmcgrp_section_table_slot(const struct pmcgrp_section_table *table, int cpu, u32 at,
			  struct pmcgrp_section_key *entry)
{
	const struct key_slot *slot = section_key_slot_at(table, table->cpu[cpu], at);

	entry->kind = at ? PMCGRP_SECTION_KEY_TASKS : PMCGRP_SECTION_KEY_OVERFLOW;
	entry->count = slot->count;
	memcpy(entry->key, slot->key.word, sizeof(entry->key));
	memcpy(entry->comm, slot->comm, sizeof(slot->comm));
	return slot->stat;
}

/**
 * pmcgrp_section_table_buckets - read the histograms of a slot
 * @table: the table
 * @cpu: the CPU
 * @at: number of the slot, up to pmcgrp_section_table_used()
 *
 * Context: as pmcgrp_section_table_used().
 * Return: %PMCGRP_SECTION_BUCKETS of the time, and then of each event of the list; NULL: none.
 */
const u64 *pmcgrp_section_table_buckets(const struct pmcgrp_section_table *table, int cpu, u32 at)
{
	if (!table->has_buckets)
		return NULL;
	return buckets_of(table, section_key_slot_at(table, table->cpu[cpu], at));
}
