// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts by key: what a group of CPUs, or of several tasks, counts is split by the task that
 * runs (uapi/linux/pmcgrp.h, DOC: Counts by key).
 *
 * The set of a CPU goes on from one task to the next.  When a task of another key comes, the
 * counters are read once, and what they have counted since the last time is the last key's.  So
 * nothing is counted twice and nothing is left out: all that the slots have ever had is the CPU's
 * counts, at any time.
 *
 * A set that does not go on, as no task of its group has run meanwhile, has complete counts: it is
 * not read.  perf core counts the context switch itself only after the probe, and it is the leaving
 * task's (pmcgrp_evset_copy_now()).
 *
 * Slots lie in the memory that user space reads.  Those that have not changed since it has read all
 * of them can be given to another key: @stamp says when a slot changed.
 *
 * Context: a probe on sched_switch, or an IPI: interrupts off, on the CPU whose table it is.
 */
#include <linux/align.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/numa.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <uapi/linux/pmcgrp.h>
#include "counter/key.h"
#include "follow/cgroup.h"
#include "follow/follow.h"
#include "group/evlist_control.h"
#include "group/group.h"
#include "key/by_key.h"
#include "platform/charge.h"
#include "platform/recursion.h"
#include "set/evlist.h"
#include "set/evset.h"

#define SEARCH 8
#define SLOT_ALIGN 64 /* of a usual cache line: part of the ABI's layout, not of this machine's */

static struct pmcgrp_task_key_table *table_of(const struct pmcgrp_evset *set)
{
	return pmcgrp_group_keys(set->evlist->only_group);
}

static struct pmcgrp_keys_slot *slot_at(const struct pmcgrp_task_key_table *table,
					const struct pmcgrp_by_key_cpu *cpu, u32 at)
{
	return pmcgrp_key_slot(&table->keys, &cpu->keys, at);
}

/* What the members have counted: behind the struct, where pmcgrp_keys.value_offset says. */
static u64 *slot_values(struct pmcgrp_keys_slot *slot)
{
	return (u64 *)(slot + 1);
}

static void slot_begin(struct pmcgrp_keys_slot *slot)
{
	WRITE_ONCE(slot->seq, slot->seq + 1);
	/* A reader who sees what follows sees the odd number, or another one. */
	smp_wmb();
}

static void slot_end(struct pmcgrp_by_key_cpu *cpu, struct pmcgrp_keys_slot *slot, u32 at)
{
	/* A reader who sees the even number sees what precedes. */
	smp_wmb();
	WRITE_ONCE(slot->seq, slot->seq + 1);
	cpu->keys.stamp[at] = ++cpu->clock;
}

static void slot_take(const struct pmcgrp_task_key_table *table, struct pmcgrp_by_key_cpu *cpu,
		      u32 at, const struct pmcgrp_task_key *key)
{
	struct pmcgrp_keys_slot *slot = slot_at(table, cpu, at);

	slot_begin(slot);
	slot->id = ++cpu->last_id;
	memcpy(slot->key, key->word, sizeof(slot->key));
	slot->stays = 0;
	slot->time_enabled = 0;
	slot->time_running = 0;
	memset(slot->comm, 0, sizeof(slot->comm));
	memset(slot_values(slot), 0, table->group->nr * sizeof(u64));
	slot_end(cpu, slot, at);
}

/* Begin with what has been counted up to now. */
static void start(struct pmcgrp_by_key_cpu *cpu)
{
	cpu->start = cpu->at;
	cpu->added = cpu->at;
	cpu->started = true;
}

/* Let a key be the one that is counted. */
static void count_key(const struct pmcgrp_task_key_table *table, struct pmcgrp_by_key_cpu *cpu,
		      const struct pmcgrp_task_key *key)
{
	bool is_new;

	cpu->slot = pmcgrp_key_find(&table->keys, &cpu->keys, key, &is_new);
	if (unlikely(!cpu->slot))
		cpu->block->overflows++;
	if (is_new) {
		if (cpu->block->used == cpu->keys.used)
			cpu->block->reused++;
		cpu->block->used = cpu->keys.used;
		slot_take(table, cpu, cpu->slot, key);
	}
	cpu->key = *key;
	cpu->stays++;
}

/* Add what has been counted to the key that was counted. */
static void add(const struct pmcgrp_task_key_table *table, struct pmcgrp_by_key_cpu *cpu)
{
	const struct pmcgrp_group *group = table->group;
	struct pmcgrp_keys_slot *slot = slot_at(table, cpu, cpu->slot);
	u64 *value = slot_values(slot);
	unsigned int i;
	u32 e;

	slot_begin(slot);
	slot->stays += cpu->stays;
	slot->time_enabled += cpu->at.enabled - cpu->added.enabled;
	slot->time_running += cpu->at.running - cpu->added.running;
	memcpy(slot->comm, cpu->comm, sizeof(cpu->comm));
	for (i = 0; i < group->nr; i++) {
		e = group->member[i].event;
		value[i] += cpu->at.count[e] - cpu->added.count[e];
	}
	slot_end(cpu, slot, cpu->slot);
	cpu->stays = 0;
	cpu->added.enabled = cpu->at.enabled;
	cpu->added.running = cpu->at.running;
	memcpy(cpu->added.count, cpu->at.count,
	       group->evlist->nr_events * sizeof(cpu->added.count[0]));
}

/* Go on with the key of @next, unless it is the last one.  @in_switch: it is switched to. */
static void change(const struct pmcgrp_task_key_table *table, struct pmcgrp_evset *set,
		   struct task_struct *next, bool in_switch)
{
	struct pmcgrp_by_key_cpu *cpu = pmcgrp_by_key_cpu_of(table, smp_processor_id());
	struct pmcgrp_task_key key;

	pmcgrp_key_of(&table->keys.keyer, next, &cpu->keys.cache, &key);
	if (likely(cpu->started) && pmcgrp_key_is(&key, cpu->key.word))
		return;
	pmcgrp_recursion_enter();
	pmcgrp_evset_copy_now(set, &cpu->at,
			      likely(cpu->started) && in_switch ? pmcgrp_evset_stays(set) :
								  set->is_in,
			      in_switch);
	if (likely(cpu->started))
		add(table, cpu);
	else
		start(cpu);
	count_key(table, cpu, &key);
	pmcgrp_key_comm(&table->keys.keyer, next, cpu->comm);
	pmcgrp_recursion_leave();
}

static void by_key_task_enters(struct pmcgrp_evset *set, struct task_struct *next)
{
	const struct pmcgrp_task_key_table *table = table_of(set);

	if (table)
		change(table, set, next, true);
}

/* The running task may have another key by now. */
static void by_key_task_changes(struct pmcgrp_evset *set, struct task_struct *task)
{
	const struct pmcgrp_task_key_table *table = table_of(set);

	if (!table)
		return;
	change(table, set, task, false);
	pmcgrp_key_comm(&table->keys.keyer, task,
			pmcgrp_by_key_cpu_of(table, smp_processor_id())->comm);
}

static const struct pmcgrp_switch_ops by_key_ops = {
	.enters = by_key_task_enters,
	.changes = by_key_task_changes,
};

/**
 * struct flush - bring tables up to date
 * @table: the table
 * @was_read: user space has read all slots since the last time
 */
struct flush {
	const struct pmcgrp_task_key_table *table;
	bool was_read;
};

/* Begin where no task of the group runs: its set is in nowhere. */
static void start_cpu(const struct pmcgrp_task_key_table *table, struct pmcgrp_by_key_cpu *cpu,
		      const struct pmcgrp_evset *set)
{
	static const struct pmcgrp_task_key idle;

	if (set)
		pmcgrp_evset_copy(set, &cpu->at);
	start(cpu);
	count_key(table, cpu, &idle);
	cpu->stays = 0;
}

/* Note that all has been added up to now. */
static void flushed(const struct flush *flush, struct pmcgrp_by_key_cpu *cpu)
{
	const struct pmcgrp_group *group = flush->table->group;
	struct pmcgrp_keys_block *block = cpu->block;
	unsigned int i;
	u32 e;

	if (flush->was_read)
		cpu->keys.read = cpu->flushed;
	cpu->flushed = cpu->clock;
	block->time_enabled = cpu->added.enabled - cpu->start.enabled;
	block->time_running = cpu->added.running - cpu->start.running;
	for (i = 0; i < group->nr; i++) {
		e = group->member[i].event;
		block->value[i] = cpu->added.count[e] - cpu->start.count[e];
	}
	block->flushed++;
}

/* @here: of this CPU; else of one that is offline, whose set counts nothing. */
static void flush_cpu(const struct flush *flush, int nr, bool here)
{
	const struct pmcgrp_evcpu *evcpu = pmcgrp_evcpu_of(flush->table->group->evlist, nr);
	struct pmcgrp_by_key_cpu *cpu = pmcgrp_by_key_cpu_of(flush->table, nr);
	struct pmcgrp_evset *set = evcpu->cpu_set;

	if (here && evcpu->in)
		by_key_task_changes(set, current);
	if (!cpu->started)
		start_cpu(flush->table, cpu, set);
	pmcgrp_recursion_enter();
	if (set) {
		pmcgrp_evset_copy_now(set, &cpu->at, here && set->is_in, false);
		add(flush->table, cpu);
	}
	flushed(flush, cpu);
	pmcgrp_recursion_leave();
}

static void by_key_flush_here(void *info)
{
	flush_cpu(info, smp_processor_id(), true);
}

/* CPUs do not come or go meanwhile: cpus_read_lock() is held. */
static void flush_all(const struct flush *flush)
{
	const struct cpumask *cpus = flush->table->group->evlist->cpus;
	int cpu;

	on_each_cpu_mask(cpus, by_key_flush_here, (void *)flush, true);
	for_each_cpu(cpu, cpus) {
		if (cpu_online(cpu))
			continue;
		local_irq_disable();
		flush_cpu(flush, cpu, false);
		local_irq_enable();
	}
}

/**
 * pmcgrp_by_key_flush - add what has been counted so far
 * @table: the table
 * @was_read: user space has read all slots since the last time
 *
 * Context: may sleep; the list's mutex held.
 */
void pmcgrp_by_key_flush(struct pmcgrp_task_key_table *table, bool was_read)
{
	struct flush flush = { .table = table, .was_read = was_read };

	pmcgrp_group_assert_locked(table->group);
	cpus_read_lock();
	flush_all(&flush);
	cpus_read_unlock();
}

static bool is_by_cgroup(const struct pmcgrp_task_key_table *table)
{
	return table->keys.keyer.type == PMCGRP_KEY_CGROUP;
}

/**
 * pmcgrp_by_key_begin - count by key from now on
 * @table: the new table of a group whose context switches nobody watches
 *
 * Context: may sleep; pmcgrp_groups_mutex and the list's mutex held.
 * Return: 0, then pmcgrp_by_key_end() undoes this; or -ENOMEM.
 */
int pmcgrp_by_key_begin(struct pmcgrp_task_key_table *table)
{
	const struct flush flush = { .table = table };
	struct pmcgrp_group *group = table->group;
	int err;

	pmcgrp_group_assert_locked(group);
	err = pmcgrp_follow_get();
	if (err)
		return err;
	err = is_by_cgroup(table) ? pmcgrp_cgroups_get() : 0;
	if (err) {
		pmcgrp_follow_put();
		return err;
	}
	/* Initialise before publishing; pairs with pmcgrp_group_keys(). */
	smp_store_release(&group->keys, table);
	pmcgrp_evlist_watch_switches(group->evlist, &by_key_ops);
	/* Each CPU begins, unless a switch has let it. */
	cpus_read_lock();
	flush_all(&flush);
	cpus_read_unlock();
	return 0;
}

/* Undo pmcgrp_by_key_begin(), when no set of the group is in any more.  May sleep. */
void pmcgrp_by_key_end(struct pmcgrp_task_key_table *table)
{
	mutex_lock(&pmcgrp_groups_mutex);
	if (is_by_cgroup(table))
		pmcgrp_cgroups_put();
	pmcgrp_follow_put();
	mutex_unlock(&pmcgrp_groups_mutex);
	pmcgrp_by_key_free(table);
}

/* Fill in the block of a CPU. */
static int block_make(struct pmcgrp_task_key_table *table, int nr)
{
	static const struct pmcgrp_task_key other = { { PMCGRP_KEY_OTHER, 0 } };
	struct pmcgrp_by_key_cpu *cpu = pmcgrp_by_key_cpu_of(table, nr);
	struct pmcgrp_keys_block *block;

	block = pmcgrp_charge_alloc_pages(&table->charge, table->block_size >> PAGE_SHIFT);
	if (IS_ERR(block))
		return PTR_ERR(block);
	block->cpu = nr;
	block->type = table->keys.keyer.type;
	block->nr_members = table->group->nr;
	block->slots = table->keys.slots;
	block->slot_offset = table->slot_offset;
	block->slot_size = table->keys.slot_size;
	block->value_offset = sizeof(struct pmcgrp_keys_slot);
	block->block_size = table->block_size;
	cpu->block = block;
	cpu->keys.stamp = cpu->keys.slot;
	cpu->keys.slot = (void *)block + table->slot_offset;
	slot_take(table, cpu, 0, &other);
	cond_resched();
	return 0;
}

static int table_fill(struct pmcgrp_task_key_table *table)
{
	const struct cpumask *cpus = table->group->evlist->cpus;
	int cpu, err;

	err = pmcgrp_key_slots_fill(&table->keys, &table->charge, cpus,
				    sizeof(struct pmcgrp_by_key_cpu), sizeof(u64));
	if (err)
		return err;
	for_each_cpu(cpu, cpus) {
		err = block_make(table, cpu);
		if (err)
			break;
	}
	return err;
}

static void table_size(struct pmcgrp_task_key_table *table, u32 slots)
{
	struct pmcgrp_key_slots *keys = &table->keys;

	keys->slots = roundup_pow_of_two(max_t(u32, slots, SEARCH));
	/* As many as slots: if all are in use each place has one that may be given to a new key. */
	keys->places = keys->slots;
	keys->search = SEARCH;
	keys->slot_size = ALIGN(sizeof(struct pmcgrp_keys_slot) + table->group->nr * sizeof(u64),
				SLOT_ALIGN);
	keys->key_at = offsetof(struct pmcgrp_keys_slot, key);
	table->slot_offset = ALIGN(sizeof(struct pmcgrp_keys_block), SLOT_ALIGN);
	table->block_size = PAGE_ALIGN(table->slot_offset +
				       (size_t)(keys->slots + 1) * keys->slot_size);
	table->nr_cpus = cpumask_weight(table->group->evlist->cpus);
	table->pages = table->nr_cpus * (table->block_size >> PAGE_SHIFT);
}

/**
 * pmcgrp_by_key_create - make an empty table of counts by key
 * @group: the group
 * @arg: argument of PMCGRP_IOC_KEYS, with @slots checked
 * @why: out: enum pmcgrp_why on failure
 *
 * Context: may sleep; user memory is read.
 * Return: the table, for pmcgrp_by_key_free(), or an ERR_PTR as the uapi header says.
 */
struct pmcgrp_task_key_table *pmcgrp_by_key_create(struct pmcgrp_group *group,
						   const struct pmcgrp_keys *arg, u32 *why)
{
	struct pmcgrp_task_key_table *table;
	struct pmcgrp_charge charge;
	int err;

	*why = PMCGRP_WHY_NOMEM;
	err = pmcgrp_charge_begin(&charge);
	if (err)
		return ERR_PTR(err);
	table = pmcgrp_charge_alloc(&charge, struct_size(table, keys.cpu, nr_cpu_ids),
				    NUMA_NO_NODE);
	if (IS_ERR(table)) {
		*why = pmcgrp_why_of_charge(PTR_ERR(table));
		pmcgrp_charge_end(&charge);
		return table;
	}
	table->charge = charge;
	table->group = group;
	table_size(table, arg->slots);
	err = pmcgrp_keyer_init(&table->keys.keyer, &table->charge, arg, why);
	if (!err) {
		err = table_fill(table);
		*why = pmcgrp_why_of_charge(err);
	}
	if (!err)
		return table;
	pmcgrp_by_key_free(table);
	return ERR_PTR(err);
}

/* Free a table that nobody writes or reads any more.  May sleep. */
void pmcgrp_by_key_free(struct pmcgrp_task_key_table *table)
{
	struct pmcgrp_charge charge = table->charge;
	int cpu;

	for_each_cpu(cpu, table->group->evlist->cpus)
		if (table->keys.cpu[cpu])
			vfree(pmcgrp_by_key_cpu_of(table, cpu)->block);
	pmcgrp_key_slots_end(&table->keys);
	kvfree(table);
	pmcgrp_charge_end(&charge);
}
