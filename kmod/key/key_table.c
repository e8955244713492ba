// SPDX-License-Identifier: GPL-2.0-only
/*
 * Slots of keys: memory, and the slot of a key.
 *
 * Each CPU has a table of its own, which it alone writes: a context switch, or the end of a
 * section, takes no lock and no cache line of another CPU.
 *
 * Slots are given out in the order in which keys come.  An index finds the slot of a key, which is
 * looked for in a few places, from the one that its hash gives on.  That has a secret number in it.
 * So what is done for a key costs the same however many there are, and nobody can choose names that
 * take the slots of others.
 *
 * Slots are not emptied.  One that has been read may be given to another key, the oldest first,
 * with its place in the index.  So there is no key behind a place that is empty.
 */
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/topology.h>
#include "key/key_table.h"
#include "platform/charge.h"

/**
 * pmcgrp_key_slots_fill - make the tables of CPUs, without a key
 * @table: all of them, with @slots and @places; pmcgrp_key_slots_end() frees them, also after an
 *	error
 * @charge: whom they are charged to
 * @cpus: the CPUs that have one
 * @cpu_size: bytes of what begins with a struct pmcgrp_key_cpu, a multiple of 8
 * @per_slot: bytes that are allocated for each slot, a multiple of 8; pmcgrp_key_cpu.slot is set to
 *	those of slot 0
 *
 * Context: may sleep.
 * Return: 0, or as pmcgrp_charge_alloc().
 */
int pmcgrp_key_slots_fill(struct pmcgrp_key_slots *table, struct pmcgrp_charge *charge,
			  const struct cpumask *cpus, size_t cpu_size, size_t per_slot)
{
	size_t slots_size = (table->slots + 1) * per_slot;
	size_t size = cpu_size + slots_size + table->places * sizeof(u32);
	struct pmcgrp_key_cpu *of_cpu;
	int cpu;

	for_each_cpu(cpu, cpus) {
		of_cpu = pmcgrp_charge_alloc(charge, size, cpu_to_node(cpu));
		if (IS_ERR(of_cpu))
			return PTR_ERR(of_cpu);
		of_cpu->slot = (void *)of_cpu + cpu_size;
		of_cpu->index = of_cpu->slot + slots_size;
		table->cpu[cpu] = of_cpu;
		cond_resched();
	}
	return 0;
}

/* Free tables that nobody writes or reads any more.  May sleep. */
void pmcgrp_key_slots_end(struct pmcgrp_key_slots *table)
{
	int cpu;

	for_each_possible_cpu(cpu)
		kvfree(table->cpu[cpu]);
	pmcgrp_keyer_free(&table->keyer);
}

/**
 * pmcgrp_key_find - get the slot of a key, if need be a new one
 * @table: the table
 * @cpu: that of this CPU, or of an offline one
 * @key: the key
 * @is_new: out: the caller is to write the key into the slot: it had none
 *
 * Context: interrupts off; NMI included.
 * Return: number of the slot; 0 if all where it could be are in use.
 */
u32 pmcgrp_key_find(const struct pmcgrp_key_slots *table, struct pmcgrp_key_cpu *cpu,
		    const struct pmcgrp_task_key *key, bool *is_new)
{
	u32 from = pmcgrp_key_hash(&table->keyer, key, ilog2(table->places)), i, reuse = 0;
	u64 oldest = cpu->read + 1;
	u32 *place;

	lockdep_assert_irqs_disabled();
	*is_new = true;
	for (i = 0; i < table->search; i++) {
		place = &cpu->index[(from + i) & (table->places - 1)];
		if (!*place) {
			if (cpu->used < table->slots)
				*place = ++cpu->used;
			*is_new = *place;
			return *place;
		}
		if (pmcgrp_key_is(key, pmcgrp_key_slot(table, cpu, *place) + table->key_at)) {
			*is_new = false;
			return *place;
		}
		if (cpu->stamp && cpu->stamp[*place] < oldest) {
			oldest = cpu->stamp[*place];
			reuse = *place;
		}
	}
	*is_new = reuse;
	return reuse;
}
