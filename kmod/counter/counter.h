/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_COUNTER_H
#define PMCGRP_COUNTER_H

#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "counter/counter_pmu.h"
#include "platform/cpu_state.h"
#include "platform/recursion.h"

struct pmcgrp_shared_event;

/**
 * struct pmcgrp_counter - one kernel counter of perf core; it counts on one CPU at a time
 * @event: perf's kernel counter, created disabled: perf core allocates and checks it, and never
 *	schedules it.  Constant.
 * @pmu: its PMU, or pmcgrp_no_pmu once that has been unregistered (counter_pmu.c).  Written on
 *	@cpu, interrupts off, under pmcgrp_pmus_mutex; read with one of both.
 * @on: on the PMU; written on @cpu, interrupts off
 * @has_reg: its value can be read from its register (counter_reg.h).  Constant.
 * @stops_at_once: all counters of its PMU stop and start at one instant
 *	(pmcgrp_pmu_stops_at_once()).  Constant.
 * @is_bound: made for @cpu, and stays there.  Constant.
 * @reg: pmcgrp_event_reg() while it is on and has a readable register, otherwise -1; as @on
 * @users: number of sets that count by it now; @cpu, interrupts off
 * @last_used: pmcgrp_idle_time() when a set last stopped using it; @cpu, interrupts off
 * @cpu: the CPU that has it, or -1 while it is spare; constant with @is_bound.  Otherwise written
 *	under the lock of @ev, and on @cpu only, so that @cpu itself may rely on it.
 * @ev: what it counts.  Constant; NULL: pmcgrp_shared_event.first is not in use.
 * @is_software: it needs no hardware counter of a PMU.  Constant.
 * @is_of_core: it needs one for which perf events of tasks compete: their switches concern no
 *	others.  Constant.
 * @kind: hash of what the driver programs for it.  Constant.
 * @placed: node in the list of hardware counters that are on @cpu's PMUs; @cpu, interrupts off
 * @next: next spare counter of @ev; the lock of @ev
 * @refs: number of evcpus that need it on @cpu (pool.c); pmcgrp_groups_mutex and the lock of @ev
 * @nr_sharers: number of groups of @cpu that count by it, but for one for each of @refs; as those
 * @is_cpu_event: with @is_bound: its event is in @cpu's perf context, not in that of a kernel
 *	thread.  Constant.
 * @guarded: what @pmu was when it was made, for guard.c, which only compares it.  Constant.
 * @destroy: what @event's destroy() was, or NULL (counter_pmu.c); the mutex of its context
 * @is_few: with @is_cpu_event: counted among the few that @cpu's perf context may have.  Constant.
 * @generation: pmcgrp_cpu_generation() of @cpu when it was made.  In any other generation a
 *	counter with @is_cpu_event is dead, as perf core has detached its event.  Constant.
 * @node: node in the list of @ev's counters; pmcgrp_groups_mutex
 *
 * The fields that each task switch reads come first, in one cache line.
 */
struct pmcgrp_counter {
	struct perf_event *event;
	struct pmu *pmu;
	bool on;
	bool has_reg;
	bool stops_at_once;
	bool is_bound;
	int reg;
	unsigned int users;
	unsigned int last_used;
	int cpu;
	struct pmcgrp_shared_event *ev;
	u64 kind;
	struct list_head placed;
	struct pmcgrp_counter *next;
	unsigned int refs;
	unsigned int nr_sharers;
	bool is_cpu_event;
	bool is_few;
	bool is_software;
	bool is_of_core;
	const struct pmu *guarded;
	void (*destroy)(struct perf_event *event);
	u64 generation;
	struct list_head node;
};

DECLARE_PER_CPU(struct list_head, pmcgrp_counters_placed);

void pmcgrp_counters_init(void);
void pmcgrp_pmu_hold(struct pmu *pmu);
void pmcgrp_pmu_unhold(struct pmu *pmu);
void pmcgrp_pmu_restart(struct pmu *pmu);
bool pmcgrp_counters_reload(struct pmcgrp_counter *const *counter, unsigned int nr_hw);
int pmcgrp_counter_add(struct pmcgrp_counter *counter);
void pmcgrp_counter_undo_add(struct pmcgrp_counter *counter);
void pmcgrp_counter_del(struct pmcgrp_counter *counter);
unsigned int pmcgrp_counters_of_one_pmu(struct pmcgrp_counter *const *counter, unsigned int nr);
void pmcgrp_counters_hold(struct pmcgrp_counter *const *counter, unsigned int nr_hw);
void pmcgrp_counters_unhold(struct pmcgrp_counter *const *counter, unsigned int nr_hw);
void pmcgrp_counters_run_while_held(struct pmcgrp_counter *const *counter, unsigned int nr_hw);
void pmcgrp_counters_stop_again(struct pmcgrp_counter *const *counter, unsigned int nr_hw);
bool pmcgrp_counters_any_held(struct pmcgrp_counter *const *counter, unsigned int nr_hw);
bool pmcgrp_counters_try_read(struct pmcgrp_counter *const *counter, unsigned int nr, u64 *value);
u64 pmcgrp_counters_read(struct pmcgrp_counter *const *counter, unsigned int nr, u64 *value);
void pmcgrp_counters_sync(struct pmcgrp_counter *const *counter, unsigned int nr_hw);

/*
 * Check whether perf core has detached a counter's event, as its CPU went offline or its PMU was
 * unregistered, or a driver has moved it to another CPU (kernel/events/core.c:
 * perf_pmu_migrate_context()).
 */
static inline bool pmcgrp_counter_is_dead(const struct pmcgrp_counter *counter)
{
	if (READ_ONCE(counter->pmu) == &pmcgrp_no_pmu)
		return true;
	return counter->is_cpu_event &&
	       (counter->generation != pmcgrp_cpu_generation(counter->cpu) ||
		READ_ONCE(counter->event->cpu) != counter->cpu);
}

/**
 * pmcgrp_counters_are_held - check whether perf core has a PMU of a set disabled
 * @counter: the set's counters, hardware ones first
 * @nr_hw: number of hardware counters
 *
 * x86 programs a counter that is placed now only when perf core enables the PMU again.  Until
 * then it cannot be taken off: x86_pmu_del() outside a transaction uses hw.idx, which is stale.
 * So a caller may place counters, but takes none off before perf core has enabled the PMU.
 *
 * Context: interrupts off, on the counters' CPU.
 */
static inline bool pmcgrp_counters_are_held(struct pmcgrp_counter *const *counter,
					    unsigned int nr_hw)
{
	struct pmu *pmu = counter[0]->pmu;

	lockdep_assert_irqs_disabled();
	/* Hardware counters of one PMU are adjacent, and nearly every set uses one PMU only. */
	if (likely(nr_hw && counter[nr_hw - 1]->pmu == pmu))
		return *pmcgrp_pmu_disable_count(pmu);
	return pmcgrp_counters_any_held(counter, nr_hw);
}

/**
 * pmcgrp_counters_are_on - check whether all hardware counters of a set are on the PMU
 * @counter: the set's counters, hardware ones first
 * @nr_hw: number of hardware counters
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
 * pmcgrp_counters_may_move - check whether an NMI may find a set's values inconsistent
 * @counter: the set's counters, hardware ones first
 * @nr_hw: number of hardware counters
 *
 * x86 moves events between counters when it enables the PMU (x86_pmu_enable()).  A late NMI may
 * find a part of a count in neither the register nor event->count.
 *
 * Context: interrupts off, on the counters' CPU; NMI included.
 */
static inline bool pmcgrp_counters_may_move(struct pmcgrp_counter *const *counter,
					    unsigned int nr_hw)
{
	return IS_ENABLED(CONFIG_X86) && in_nmi() && pmcgrp_counters_are_held(counter, nr_hw);
}

/**
 * pmcgrp_counter_is_unprogrammed - check whether the driver has not programmed an added counter yet
 * @counter: the counter
 *
 * x86 programs it when the PMU is enabled (arch/x86/events/core.c: x86_pmu_add()).
 */
static inline bool pmcgrp_counter_is_unprogrammed(const struct pmcgrp_counter *counter)
{
	const int both = PERF_HES_STOPPED | PERF_HES_UPTODATE;

	return (counter->event->hw.state & both) == both;
}

/**
 * pmcgrp_idle_time - express a time in the unit of pmcgrp_counter.last_used, some ms
 * @clock: the time by local_clock()
 */
static inline unsigned int pmcgrp_idle_time(u64 clock)
{
	return clock >> 20;
}

#endif /* PMCGRP_COUNTER_H */
