// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables of counts by key: memory, and slots of keys.
 *
 * Each CPU has a table of its own, which it alone writes: a context switch takes no lock and no
 * cache line of another CPU.  A key is looked for in SEARCH slots, from the one that its hash gives
 * on.  So a switch costs the same however many keys there are.
 *
 * Slots are not emptied.  One is given to another key once user space has read it: @stamp says when
 * it changed, @read up to when user space has read.  What finds no slot is told in slot 0.  So all
 * that the slots have ever told is the CPU's counts, at any time.
 */
#include <linux/align.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/lockdep.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>
#include "evlist.h"
#include "group.h"
#include "key_table.h"
#include "ring.h"

#define SEARCH 8
#define SLOT_ALIGN 64 /* of a usual cache line: part of the ABI's layout, not of this machine's */

static struct pmcgrp_keys_slot *slot_at(const struct pmcgrp_key_table *table,
					const struct pmcgrp_key_cpu *cpu, u32 at)
{
	return (void *)cpu->block + table->slot_offset + (size_t)at * table->slot_size;
}

static u32 slot_index(const struct pmcgrp_key_table *table, const struct pmcgrp_key_cpu *cpu,
		      const struct pmcgrp_keys_slot *slot)
{
	return ((const void *)slot - (void *)slot_at(table, cpu, 0)) / table->slot_size;
}

static void slot_begin(struct pmcgrp_keys_slot *slot)
{
	WRITE_ONCE(slot->seq, slot->seq + 1);
	/* A reader who sees what follows sees the odd number, or another one. */
	smp_wmb();
}

static void slot_end(struct pmcgrp_keys_slot *slot)
{
	/* A reader who sees the even number sees what precedes. */
	smp_wmb();
	WRITE_ONCE(slot->seq, slot->seq + 1);
}

static void slot_take(const struct pmcgrp_key_table *table, struct pmcgrp_key_cpu *cpu, u32 at,
		      const struct pmcgrp_key *key)
{
	struct pmcgrp_keys_slot *slot = slot_at(table, cpu, at);

	slot_begin(slot);
	slot->id = ++cpu->last_id;
	memcpy(slot->key, key->word, sizeof(slot->key));
	slot->stays = 0;
	slot->time_enabled = 0;
	slot->time_running = 0;
	memset(slot->comm, 0, sizeof(slot->comm));
	memset(slot->value, 0, table->group->nr * sizeof(slot->value[0]));
	slot_end(slot);
	cpu->stamp[at] = ++cpu->clock;
}

/* The slot of a key, which it may be given; 0 if all where it could be are in use. */
static u32 slot_find(const struct pmcgrp_key_table *table, struct pmcgrp_key_cpu *cpu,
		     const struct pmcgrp_key *key)
{
	u32 from = hash_64(key->word[0] + key->word[1] * GOLDEN_RATIO_64, table->bits);
	u64 oldest = cpu->read + 1;
	u32 i, at, reuse = 0;

	for (i = 0; i < SEARCH; i++) {
		struct pmcgrp_keys_slot *slot;

		at = ((from + i) & (table->slots - 1)) + 1;
		slot = slot_at(table, cpu, at);
		if (!slot->id) {
			cpu->block->used++;
			reuse = at;
			break;
		}
		if (pmcgrp_key_is(key, slot->key))
			return at;
		if (cpu->stamp[at] < oldest) {
			oldest = cpu->stamp[at];
			reuse = at;
		}
	}
	if (!reuse)
		return 0;
	if (i == SEARCH)
		cpu->block->reused++;
	slot_take(table, cpu, reuse, key);
	return reuse;
}

/**
 * pmcgrp_key_start - begin with what has been counted up to now
 * @cpu: that of this CPU, or of an offline one, with @at up to date
 *
 * Context: interrupts off; pmcgrp_key_find() follows.
 */
void pmcgrp_key_start(struct pmcgrp_key_cpu *cpu)
{
	lockdep_assert_irqs_disabled();
	cpu->start = cpu->at;
	cpu->told = cpu->at;
	cpu->started = true;
}

/**
 * pmcgrp_key_find - let a key be the one that is counted
 * @table: the table
 * @cpu: that of this CPU
 * @key: the key
 *
 * Context: interrupts off.
 */
void pmcgrp_key_find(const struct pmcgrp_key_table *table, struct pmcgrp_key_cpu *cpu,
		     const struct pmcgrp_key *key)
{
	u32 at = slot_find(table, cpu, key);

	lockdep_assert_irqs_disabled();
	if (unlikely(!at))
		cpu->block->overflows++;
	cpu->slot = slot_at(table, cpu, at);
	cpu->key = *key;
	cpu->stays++;
}

/**
 * pmcgrp_key_add - add what has been counted to the key that was counted
 * @table: the table
 * @cpu: that of this CPU, with @at up to date
 *
 * Context: interrupts off.
 */
void pmcgrp_key_add(const struct pmcgrp_key_table *table, struct pmcgrp_key_cpu *cpu)
{
	const struct pmcgrp_group *group = table->group;
	struct pmcgrp_keys_slot *slot = cpu->slot;
	unsigned int i;
	u32 e;

	lockdep_assert_irqs_disabled();
	slot_begin(slot);
	slot->stays += cpu->stays;
	slot->time_enabled += cpu->at.enabled - cpu->told.enabled;
	slot->time_running += cpu->at.running - cpu->told.running;
	memcpy(slot->comm, cpu->comm, sizeof(slot->comm));
	for (i = 0; i < group->nr; i++) {
		e = group->member[i].event;
		slot->value[i] += cpu->at.count[e] - cpu->told.count[e];
	}
	slot_end(slot);
	cpu->stamp[slot_index(table, cpu, slot)] = ++cpu->clock;
	cpu->stays = 0;
	cpu->told.enabled = cpu->at.enabled;
	cpu->told.running = cpu->at.running;
	memcpy(cpu->told.count, cpu->at.count,
	       group->list->nr_events * sizeof(cpu->told.count[0]));
}

/**
 * pmcgrp_key_flushed - tell that all has been added up to now
 * @table: the table
 * @cpu: that of this CPU, or of an offline one
 * @was_read: user space has read all slots since the last time
 *
 * Context: interrupts off.
 */
void pmcgrp_key_flushed(const struct pmcgrp_key_table *table, struct pmcgrp_key_cpu *cpu,
			bool was_read)
{
	const struct pmcgrp_group *group = table->group;
	struct pmcgrp_keys_block *block = cpu->block;
	unsigned int i;
	u32 e;

	lockdep_assert_irqs_disabled();
	if (was_read)
		cpu->read = cpu->flushed;
	cpu->flushed = cpu->clock;
	block->time_enabled = cpu->told.enabled - cpu->start.enabled;
	block->time_running = cpu->told.running - cpu->start.running;
	for (i = 0; i < group->nr; i++) {
		e = group->member[i].event;
		block->value[i] = cpu->told.count[e] - cpu->start.count[e];
	}
	block->flushed++;
}

static void cpu_free(struct pmcgrp_key_cpu *cpu)
{
	if (!cpu)
		return;
	vfree(cpu->block);
	kvfree(cpu->stamp);
	kvfree(cpu);
}

static struct pmcgrp_key_cpu *cpu_create(const struct pmcgrp_key_table *table, int nr)
{
	static const struct pmcgrp_key other = { { PMCGRP_KEY_OTHER, 0 } };
	int node = cpu_to_node(nr);
	struct pmcgrp_key_cpu *cpu;

	cpu = kvzalloc_node(sizeof(*cpu), GFP_KERNEL_ACCOUNT, node);
	if (!cpu)
		return NULL;
	cpu->stamp = kvzalloc_node(array_size(table->slots + 1, sizeof(u64)), GFP_KERNEL_ACCOUNT,
				   node);
	/* User space chooses the size and gets the error: no warning in the log. */
	cpu->block = __vmalloc(table->block_size, GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	if (!cpu->stamp || !cpu->block) {
		cpu_free(cpu);
		return NULL;
	}
	cpu->block->cpu = nr;
	cpu->block->slot_offset = table->slot_offset;
	slot_take(table, cpu, 0, &other);
	return cpu;
}

static int table_fill(struct pmcgrp_key_table *table)
{
	int cpu;

	for_each_cpu(cpu, table->group->list->cpus) {
		table->cpu[cpu] = cpu_create(table, cpu);
		if (!table->cpu[cpu])
			return -ENOMEM;
	}
	return 0;
}

static void table_size(struct pmcgrp_key_table *table, u32 slots)
{
	struct pmcgrp_keys_slot *slot;

	table->slots = roundup_pow_of_two(max_t(u32, slots, SEARCH));
	table->bits = ilog2(table->slots);
	table->slot_size = ALIGN(struct_size(slot, value, table->group->nr), SLOT_ALIGN);
	table->slot_offset = ALIGN(sizeof(struct pmcgrp_keys_block), SLOT_ALIGN);
	table->block_size = PAGE_ALIGN(table->slot_offset +
				       (size_t)(table->slots + 1) * table->slot_size);
	table->nr_cpus = cpumask_weight(table->group->list->cpus);
	table->pages = table->nr_cpus * (table->block_size >> PAGE_SHIFT);
	table->charged = table->pages +
			 table->nr_cpus * (PAGE_ALIGN(sizeof(struct pmcgrp_key_cpu) +
						      (table->slots + 1) * sizeof(u64)) >>
					   PAGE_SHIFT);
}

/**
 * pmcgrp_key_table_create - make an empty table of counts by key
 * @group: the group
 * @arg: argument of PMCGRP_IOC_KEYS, with @slots checked
 * @why: out: enum pmcgrp_why on failure
 *
 * Context: may sleep; user memory is read.
 * Return: the table, for pmcgrp_key_table_free(), or an ERR_PTR as the uapi header says.
 */
struct pmcgrp_key_table *pmcgrp_key_table_create(struct pmcgrp_group *group,
						 const struct pmcgrp_keys *arg, u32 *why)
{
	struct pmcgrp_key_table *table;
	int err;

	*why = PMCGRP_WHY_NOMEM;
	table = kvzalloc(struct_size(table, cpu, nr_cpu_ids), GFP_KERNEL_ACCOUNT);
	if (!table)
		return ERR_PTR(-ENOMEM);
	table->group = group;
	table_size(table, arg->slots);
	err = pmcgrp_keyer_init(&table->keyer, arg, why);
	if (err)
		goto free_keyer;
	*why = PMCGRP_WHY_NOMEM;
	err = pmcgrp_ring_pages_get(&table->charge, table->charged);
	if (err)
		goto free_keyer;
	err = table_fill(table);
	if (!err)
		return table;
	pmcgrp_key_table_free(table);
	return ERR_PTR(err);

free_keyer:
	pmcgrp_keyer_free(&table->keyer);
	kvfree(table);
	return ERR_PTR(err);
}

/**
 * pmcgrp_key_table_free - free a table that nobody writes or reads any more
 * @table: the table
 *
 * Context: may sleep.
 */
void pmcgrp_key_table_free(struct pmcgrp_key_table *table)
{
	int cpu;

	for_each_cpu(cpu, table->group->list->cpus)
		cpu_free(table->cpu[cpu]);
	pmcgrp_ring_pages_put(&table->charge, table->charged);
	pmcgrp_keyer_free(&table->keyer);
	kvfree(table);
}
