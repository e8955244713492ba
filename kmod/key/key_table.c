// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables of counts by key: memory, and slots of keys.
 *
 * Each CPU has a table of its own, which it alone writes: a context switch takes no lock and no
 * cache line of another CPU.  A key is looked for in SEARCH slots, from the one that its hash gives
 * on, which has a secret number in it.  So a switch costs the same however many keys there are, and
 * nobody can choose names that take the slots of others.
 *
 * Slots are not emptied.  One is given to another key once user space has read it: @stamp says when
 * it changed, @read up to when user space has read.  What finds no slot is added to slot 0.  So all
 * that the slots have ever had is the CPU's counts, at any time.
 */
#include <linux/align.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/numa.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>
#include "group/group.h"
#include "key/key_table.h"
#include "set/evlist.h"

#define SEARCH 8
#define SLOT_ALIGN 64 /* of a usual cache line: part of the ABI's layout, not of this machine's */

static struct pmcgrp_keys_slot *key_table_slot_at(const struct pmcgrp_task_key_table *table,
						  const struct pmcgrp_key_cpu *cpu, u32 at)
{
	return (void *)cpu->block + table->slot_offset + (size_t)at * table->slot_size;
}

/* What the members have counted: behind the struct, where pmcgrp_keys.value_offset says. */
static u64 *slot_values(struct pmcgrp_keys_slot *slot)
{
	return (u64 *)(slot + 1);
}

static u32 slot_index(const struct pmcgrp_task_key_table *table, const struct pmcgrp_key_cpu *cpu,
		      const struct pmcgrp_keys_slot *slot)
{
	return ((const void *)slot - (void *)key_table_slot_at(table, cpu, 0)) / table->slot_size;
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

static void slot_take(const struct pmcgrp_task_key_table *table, struct pmcgrp_key_cpu *cpu, u32 at,
		      const struct pmcgrp_task_key *key)
{
	struct pmcgrp_keys_slot *slot = key_table_slot_at(table, cpu, at);

	slot_begin(slot);
	slot->id = ++cpu->last_id;
	memcpy(slot->key, key->word, sizeof(slot->key));
	slot->stays = 0;
	slot->time_enabled = 0;
	slot->time_running = 0;
	memset(slot->comm, 0, sizeof(slot->comm));
	memset(slot_values(slot), 0, table->group->nr * sizeof(u64));
	slot_end(slot);
	cpu->stamp[at] = ++cpu->clock;
}

/* The slot of a key, which it may be given; 0 if all where it could be are in use. */
static u32 slot_find(const struct pmcgrp_task_key_table *table, struct pmcgrp_key_cpu *cpu,
		     const struct pmcgrp_task_key *key)
{
	u32 from = pmcgrp_key_hash(&table->keyer, key, table->bits);
	u64 oldest = cpu->read + 1;
	u32 i, at, reuse = 0;

	for (i = 0; i < SEARCH; i++) {
		struct pmcgrp_keys_slot *slot;

		at = ((from + i) & (table->slots - 1)) + 1;
		slot = key_table_slot_at(table, cpu, at);
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
	cpu->added = cpu->at;
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
void pmcgrp_key_find(const struct pmcgrp_task_key_table *table, struct pmcgrp_key_cpu *cpu,
		     const struct pmcgrp_task_key *key)
{
	u32 at = slot_find(table, cpu, key);

	lockdep_assert_irqs_disabled();
	if (unlikely(!at))
		cpu->block->overflows++;
	cpu->slot = key_table_slot_at(table, cpu, at);
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
void pmcgrp_key_add(const struct pmcgrp_task_key_table *table, struct pmcgrp_key_cpu *cpu)
{
	const struct pmcgrp_group *group = table->group;
	struct pmcgrp_keys_slot *slot = cpu->slot;
	u64 *value = slot_values(slot);
	unsigned int i;
	u32 e;

	lockdep_assert_irqs_disabled();
	slot_begin(slot);
	slot->stays += cpu->stays;
	slot->time_enabled += cpu->at.enabled - cpu->added.enabled;
	slot->time_running += cpu->at.running - cpu->added.running;
	memcpy(slot->comm, cpu->comm, sizeof(cpu->comm));
	for (i = 0; i < group->nr; i++) {
		e = group->member[i].event;
		value[i] += cpu->at.count[e] - cpu->added.count[e];
	}
	slot_end(slot);
	cpu->stamp[slot_index(table, cpu, slot)] = ++cpu->clock;
	cpu->stays = 0;
	cpu->added.enabled = cpu->at.enabled;
	cpu->added.running = cpu->at.running;
	memcpy(cpu->added.count, cpu->at.count,
	       group->evlist->nr_events * sizeof(cpu->added.count[0]));
}

/**
 * pmcgrp_key_flushed - note that all has been added up to now
 * @table: the table
 * @cpu: that of this CPU, or of an offline one
 * @was_read: user space has read all slots since the last time
 *
 * Context: interrupts off.
 */
void pmcgrp_key_flushed(const struct pmcgrp_task_key_table *table, struct pmcgrp_key_cpu *cpu,
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
	block->time_enabled = cpu->added.enabled - cpu->start.enabled;
	block->time_running = cpu->added.running - cpu->start.running;
	for (i = 0; i < group->nr; i++) {
		e = group->member[i].event;
		block->value[i] = cpu->added.count[e] - cpu->start.count[e];
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

/* Fill in the table of a CPU, which is without @stamp or @block after an error. */
static int cpu_fill(struct pmcgrp_task_key_table *table, struct pmcgrp_key_cpu *cpu, int nr)
{
	static const struct pmcgrp_task_key other = { { PMCGRP_KEY_OTHER, 0 } };
	struct pmcgrp_keys_block *block;
	u64 *stamp;

	stamp = pmcgrp_charge_alloc(&table->charge, array_size(table->slots + 1, sizeof(u64)),
				    cpu_to_node(nr));
	if (IS_ERR(stamp))
		return PTR_ERR(stamp);
	cpu->stamp = stamp;
	block = pmcgrp_charge_alloc_pages(&table->charge, table->block_size >> PAGE_SHIFT);
	if (IS_ERR(block))
		return PTR_ERR(block);
	cpu->block = block;
	block->cpu = nr;
	block->type = table->keyer.type;
	block->nr_members = table->group->nr;
	block->slots = table->slots;
	block->slot_offset = table->slot_offset;
	block->slot_size = table->slot_size;
	block->value_offset = sizeof(struct pmcgrp_keys_slot);
	block->block_size = table->block_size;
	slot_take(table, cpu, 0, &other);
	return 0;
}

static int key_table_fill(struct pmcgrp_task_key_table *table)
{
	struct pmcgrp_key_cpu *of_cpu;
	int cpu, err;

	for_each_cpu(cpu, table->group->evlist->cpus) {
		of_cpu = pmcgrp_charge_alloc(&table->charge, sizeof(*of_cpu), cpu_to_node(cpu));
		if (IS_ERR(of_cpu))
			return PTR_ERR(of_cpu);
		table->cpu[cpu] = of_cpu;
		err = cpu_fill(table, of_cpu, cpu);
		if (err)
			return err;
		cond_resched();
	}
	return 0;
}

static void key_table_size(struct pmcgrp_task_key_table *table, u32 slots)
{
	table->slots = roundup_pow_of_two(max_t(u32, slots, SEARCH));
	table->bits = ilog2(table->slots);
	table->slot_size = ALIGN(sizeof(struct pmcgrp_keys_slot) + table->group->nr * sizeof(u64),
				 SLOT_ALIGN);
	table->slot_offset = ALIGN(sizeof(struct pmcgrp_keys_block), SLOT_ALIGN);
	table->block_size = PAGE_ALIGN(table->slot_offset +
				       (size_t)(table->slots + 1) * table->slot_size);
	table->nr_cpus = cpumask_weight(table->group->evlist->cpus);
	table->pages = table->nr_cpus * (table->block_size >> PAGE_SHIFT);
}

static int key_table_init(struct pmcgrp_task_key_table *table, const struct pmcgrp_keys *arg,
			  u32 *why)
{
	int err = pmcgrp_keyer_init(&table->keyer, &table->charge, arg, why);

	if (err)
		return err;
	key_table_size(table, arg->slots);
	err = key_table_fill(table);
	*why = pmcgrp_why_of_charge(err);
	return err;
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
struct pmcgrp_task_key_table *pmcgrp_key_table_create(struct pmcgrp_group *group,
						      const struct pmcgrp_keys *arg, u32 *why)
{
	struct pmcgrp_task_key_table *table;
	struct pmcgrp_charge charge;
	int err;

	*why = PMCGRP_WHY_NOMEM;
	err = pmcgrp_charge_begin(&charge);
	if (err)
		return ERR_PTR(err);
	table = pmcgrp_charge_alloc(&charge, struct_size(table, cpu, nr_cpu_ids), NUMA_NO_NODE);
	if (IS_ERR(table)) {
		*why = pmcgrp_why_of_charge(PTR_ERR(table));
		pmcgrp_charge_end(&charge);
		return table;
	}
	table->charge = charge;
	table->group = group;
	err = key_table_init(table, arg, why);
	if (!err)
		return table;
	pmcgrp_key_table_free(table);
	return ERR_PTR(err);
}

/**
 * pmcgrp_key_table_free - free a table that nobody writes or reads any more
 * @table: the table
 *
 * Context: may sleep.
 */
void pmcgrp_key_table_free(struct pmcgrp_task_key_table *table)
{
	struct pmcgrp_charge charge = table->charge;
	int cpu;

	for_each_cpu(cpu, table->group->evlist->cpus)
		cpu_free(table->cpu[cpu]);
	pmcgrp_keyer_free(&table->keyer);
	kvfree(table);
	pmcgrp_charge_end(&charge);
}
