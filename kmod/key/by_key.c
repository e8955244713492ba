// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts by key: what a group of CPUs, or of several tasks, counts is split by the task that
 * runs (uapi/linux/pmcgrp.h, DOC: Counts by key).
 *
 * The set of a CPU goes on from one task to the next.  When a task of another key comes, the
 * counters are read once, and what they have counted since the last time is the last key's
 * (key_table.c).  So nothing is counted twice and nothing is left out.
 *
 * A set that does not go on, as no task of its group has run meanwhile, has complete counts: it is
 * not read (pmcgrp_evset_copy()).  perf core counts the context switch itself only after the probe,
 * and it is the leaving task's: pmcgrp_evset_add_switch().
 *
 * Context: a probe on sched_switch, or an IPI: interrupts off, on the CPU whose table it is.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <uapi/linux/pmcgrp.h>
#include "counter/key.h"
#include "follow/cgroup.h"
#include "follow/follow.h"
#include "group/evlist_control.h"
#include "group/group.h"
#include "key/by_key.h"
#include "key/key_table.h"
#include "platform/recursion.h"
#include "set/evlist.h"
#include "set/evset.h"

static struct pmcgrp_task_key_table *table_of(const struct pmcgrp_evset *set)
{
	return pmcgrp_group_keys(set->evlist->only_group);
}

/* Get counts and times up to now.  @stays: the set has gone on since the last key came. */
static void update(struct pmcgrp_key_cpu *cpu, struct pmcgrp_evset *set, bool stays, bool in_switch)
{
	if (stays)
		pmcgrp_evset_account(set);
	pmcgrp_evset_copy(set, &cpu->at);
	if (stays && in_switch && unlikely(READ_ONCE(pmcgrp_switch_events)) && set->switches)
		pmcgrp_evset_add_switch(set, cpu->at.count);
}

/* Go on with the key of @next, unless it is the last one. */
static void change(const struct pmcgrp_task_key_table *table, struct pmcgrp_evset *set,
		   struct task_struct *next, bool stays, bool in_switch)
{
	struct pmcgrp_key_cpu *cpu = table->cpu[smp_processor_id()];
	struct pmcgrp_task_key key;

	pmcgrp_key_of(&table->keyer, next, &cpu->cache, &key);
	if (likely(cpu->started) && pmcgrp_key_is(&key, cpu->key.word))
		return;
	pmcgrp_recursion_enter();
	if (likely(cpu->started)) {
		update(cpu, set, stays, in_switch);
		pmcgrp_key_add(table, cpu);
	} else {
		update(cpu, set, set->is_in, in_switch);
		pmcgrp_key_start(cpu);
	}
	pmcgrp_key_find(table, cpu, &key);
	pmcgrp_key_comm(&table->keyer, next, cpu->comm);
	pmcgrp_recursion_leave();
}

static void by_key_task_leaves(struct pmcgrp_evset *set, struct task_struct *prev)
{
	const struct pmcgrp_task_key_table *table = table_of(set);

	if (table)
		table->cpu[smp_processor_id()]->left = set->nr_sched_in;
}

static void by_key_task_enters(struct pmcgrp_evset *set, struct task_struct *next)
{
	const struct pmcgrp_task_key_table *table = table_of(set);

	if (table)
		change(table, set, next,
		       set->is_in &&
			       set->nr_sched_in == table->cpu[smp_processor_id()]->left,
		       true);
}

/* The running task may have another key by now. */
static void by_key_task_changes(struct pmcgrp_evset *set, struct task_struct *task)
{
	const struct pmcgrp_task_key_table *table = table_of(set);

	if (!table)
		return;
	change(table, set, task, set->is_in, false);
	pmcgrp_key_comm(&table->keyer, task, table->cpu[smp_processor_id()]->comm);
}

static const struct pmcgrp_switch_ops by_key_ops = {
	.leaves = by_key_task_leaves,
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
static void start_cpu(const struct pmcgrp_task_key_table *table, int nr)
{
	const struct pmcgrp_evset *set = pmcgrp_evcpu_of(table->group->evlist, nr)->cpu_set;
	struct pmcgrp_key_cpu *cpu = table->cpu[nr];
	static const struct pmcgrp_task_key idle;

	if (set)
		pmcgrp_evset_copy(set, &cpu->at);
	pmcgrp_key_start(cpu);
	pmcgrp_key_find(table, cpu, &idle);
	cpu->stays = 0;
}

/* @here: of this CPU; else of one that is offline, whose set counts nothing. */
static void flush_cpu(const struct flush *flush, int nr, bool here)
{
	const struct pmcgrp_evcpu *evcpu = pmcgrp_evcpu_of(flush->table->group->evlist, nr);
	struct pmcgrp_key_cpu *cpu = flush->table->cpu[nr];
	struct pmcgrp_evset *set = evcpu->cpu_set;

	if (here && evcpu->in)
		by_key_task_changes(set, current);
	if (!cpu->started)
		start_cpu(flush->table, nr);
	pmcgrp_recursion_enter();
	if (set) {
		update(cpu, set, here && set->is_in, false);
		pmcgrp_key_add(flush->table, cpu);
	}
	pmcgrp_key_flushed(flush->table, cpu, flush->was_read);
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
	return table->keyer.type == PMCGRP_KEY_CGROUP;
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

/**
 * pmcgrp_by_key_end - undo pmcgrp_by_key_begin()
 * @table: the table; no set of the group is in any more
 *
 * Context: may sleep.
 */
void pmcgrp_by_key_end(struct pmcgrp_task_key_table *table)
{
	mutex_lock(&pmcgrp_groups_mutex);
	if (is_by_cgroup(table))
		pmcgrp_cgroups_put();
	pmcgrp_follow_put();
	mutex_unlock(&pmcgrp_groups_mutex);
	pmcgrp_key_table_free(table);
}
