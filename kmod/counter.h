/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_COUNTER_H
#define PMCGRP_COUNTER_H

#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "recursion.h"

struct pmcgrp_guard;

/**
 * struct pmcgrp_counter - one counter on one CPU
 * @event: the kernel counter, created disabled: perf core owns its memory and
 *	its validation and never schedules it.  Constant.
 * @on: on the PMU; written on @cpu, interrupts off
 * @has_reg: its value can be read from its register (counter_reg.h).  Constant.
 * @at_once: all counters of its PMU stop and start at one instant (core_pmu.c).  Constant.
 * @reg: its pmcgrp_event_reg() while it is on, otherwise, and if it cannot, -1; as @on
 * @users: sets for which it counts now; @cpu, interrupts off
 * @last_used: the gang's tick at which a set stopped using it; @cpu, interrupts off
 * @cpu: the only CPU on which it counts.  Constant.
 * @placed: a hardware counter in the CPU's list of those that are on; @cpu, interrupts off
 * @generation: @cpu's epoch (pmcgrp_cpu_generation()) when the counter was made; in another
 *	one it is dead, for perf core has detached its event.  Constant.
 * @mark: a number by which sets of counters are told apart.  Constant.
 * @guard: its CPU's, with a reference; NULL for a software event.  Constant.
 * @node: in the pool; pmcgrp_groups_mutex
 * @refs: rows that hold it; pmcgrp_groups_mutex
 * @orphans: those of groups that nobody has any more (share.c); pmcgrp_groups_mutex
 * @key: what was asked for (a PMU may rewrite event->attr).  Constant.
 *
 * What each switch of tasks looks at comes first, in one cache line.
 */
struct pmcgrp_counter {
	struct perf_event *event;
	bool on;
	bool has_reg;
	bool at_once;
	int reg;
	unsigned int users;
	unsigned int last_used;
	int cpu;
	struct list_head placed;
	u64 generation;
	u64 mark;
	struct pmcgrp_guard *guard;
	struct hlist_node node;
	unsigned int refs;
	unsigned int orphans;
	struct perf_event_attr key;
};

bool pmcgrp_counter_is_software(const struct pmcgrp_counter *counter);

void pmcgrp_counters_end(void);
void pmcgrp_pmu_restart(struct pmu *pmu);
bool pmcgrp_counters_reload(struct pmcgrp_counter *const *counter, unsigned int nr_hw);
void pmcgrp_counter_del(struct pmcgrp_counter *counter);
void pmcgrp_counter_del_alone(struct pmcgrp_counter *counter);
void pmcgrp_counters_hold(struct pmcgrp_counter *const *counter, unsigned int nr_hw);
void pmcgrp_counters_unhold(struct pmcgrp_counter *const *counter, unsigned int nr_hw);
void pmcgrp_counters_run_while_held(struct pmcgrp_counter *const *counter, unsigned int nr_hw);
void pmcgrp_counters_stop_again(struct pmcgrp_counter *const *counter, unsigned int nr_hw);
bool pmcgrp_counters_any_held(struct pmcgrp_counter *const *counter, unsigned int nr_hw);
int pmcgrp_counters_attach(struct pmcgrp_counter *const *counter, unsigned int nr_hw,
			   unsigned int nr);
int pmcgrp_counters_attach_unlocked(struct pmcgrp_counter *const *counter, unsigned int nr_hw,
				    unsigned int nr);
void pmcgrp_counters_detach(struct pmcgrp_counter *const *counter, unsigned int nr_hw,
			    unsigned int nr);
int pmcgrp_counters_place_slow(struct pmcgrp_counter *const *counter, unsigned int nr_hw);
bool pmcgrp_counters_try_read(struct pmcgrp_counter *const *counter, unsigned int nr, u64 *value);
u64 pmcgrp_counters_read(struct pmcgrp_counter *const *counter, unsigned int nr, u64 *value);
void pmcgrp_counters_sync(struct pmcgrp_counter *const *counter, unsigned int nr_hw);

/**
 * pmcgrp_counters_are_held - whether perf core holds a PMU of a set just now
 * @counter: the set
 * @nr_hw: its hardware counters
 *
 * Then what is placed is not programmed before core lets go, and x86 cannot take
 * off what it has not programmed: x86_pmu_del() outside a transaction trusts a
 * hw.idx that is still that of an earlier stay.  So place at will, but take
 * nothing off again before core is done.
 *
 * Context: interrupts off, on the counters' CPU.
 */
static inline bool pmcgrp_counters_are_held(struct pmcgrp_counter *const *counter,
					    unsigned int nr_hw)
{
	struct pmu *pmu = counter[0]->event->pmu;

	lockdep_assert_irqs_disabled();
	/* A set has its hardware counters PMU by PMU, and most often of one. */
	if (likely(nr_hw && counter[nr_hw - 1]->event->pmu == pmu))
		return *pmcgrp_pmu_disable_count(pmu);
	return pmcgrp_counters_any_held(counter, nr_hw);
}

/**
 * pmcgrp_counters_are_on - whether all hardware counters of a set are on the PMU
 * @counter: the set
 * @nr_hw: its hardware counters
 *
 * Context: interrupts off, on the counters' CPU.
 */
static inline bool pmcgrp_counters_are_on(struct pmcgrp_counter *const *counter, unsigned int nr_hw)
{
	struct pmcgrp_counter *const *end = counter + nr_hw;

	lockdep_assert_irqs_disabled();
	for (; counter < end; counter++)
		if (!(*counter)->on)
			return false;
	return true;
}

/**
 * pmcgrp_counters_may_move - whether values of a set may not be whole just now
 * @counter: the set
 * @nr_hw: its hardware counters
 *
 * x86 moves events between counters as it lets go of the PMU (x86_pmu_enable()), and an NMI that
 * was late may find what a counter had in neither place: not yet in event->count.
 *
 * Context: interrupts off, on the counters' CPU; NMI included.
 */
static inline bool pmcgrp_counters_may_move(struct pmcgrp_counter *const *counter,
					    unsigned int nr_hw)
{
	return IS_ENABLED(CONFIG_X86) && in_nmi() && pmcgrp_counters_are_held(counter, nr_hw);
}

/**
 * pmcgrp_counters_place - put a set's hardware counters on the PMU, all or none
 * @counter: the set, its software counters attached
 * @nr_hw: its hardware counters
 *
 * Idle counters make room if they must.
 *
 * Context: interrupts off, on the counters' CPU.
 * Return: 0, or the PMU's error; then no counter counts that did not before.
 */
static inline int pmcgrp_counters_place(struct pmcgrp_counter *const *counter, unsigned int nr_hw)
{
	struct pmcgrp_counter *const *end = counter + nr_hw;

	pmcgrp_assert_here(counter[0]->cpu);
	if (!pmcgrp_counters_are_on(counter, nr_hw))
		return pmcgrp_counters_place_slow(counter, nr_hw);
	for (; counter < end; counter++)
		(*counter)->users++;
	return 0;
}

/**
 * pmcgrp_counters_release - a set stops using its hardware counters
 * @counter: the set, placed before
 * @nr_hw: its hardware counters
 * @tick: when they were used last: those that nobody else uses stay on the PMU, idle
 *
 * Context: interrupts off, on the counters' CPU.
 */
static inline void pmcgrp_counters_release(struct pmcgrp_counter *const *counter,
					   unsigned int nr_hw, unsigned int tick)
{
	struct pmcgrp_counter *const *end = counter + nr_hw;
	struct pmcgrp_counter *one;

	pmcgrp_assert_here(counter[0]->cpu);
	for (; counter < end; counter++) {
		one = *counter;
		one->users--;
		one->last_used = tick;
	}
}

#endif /* PMCGRP_COUNTER_H */
