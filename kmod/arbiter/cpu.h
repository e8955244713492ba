/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_CPU_H
#define PMCGRP_CPU_H

#include <linux/container_of.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include <linux/types.h>
#include "arbiter/arbiter.h"
#include "arbiter/pinned.h"
#include "counter/placement.h"
#include "platform/cpu_state.h"

struct pmcgrp_context;
struct pmcgrp_evset;
struct pmcgrp_counter;

/* Limit of searches through a CPU's sets. */
#define PMCGRP_SCAN_MAX 64

/**
 * struct pmcgrp_cpu - the scheduler of one CPU's sets; that CPU, interrupts off
 * @cpu: CPU number.  Constant.
 * @sets: enabled sets that are scheduled in here, by pmcgrp_evset.cpu_node; in the order of
 *	order_sets() after a rotation
 * @deferred: sets that are scheduled in here as well, but only wait: rotation does not visit them
 *	(rest.c)
 * @background: background sets that are scheduled in here (background.c)
 * @nr_background: number of sets in @background
 * @nr_background_on: number of these that are on the PMU
 * @background_waits: a set in @background waits for counters
 * @background_comes: a set has joined @background while @sets_come
 * @own: sets of groups of CPUs, enabled or not, by pmcgrp_evset.ctx_node (cpus.c)
 * @bound: contexts of lists that count the running task with others, by pmcgrp_context.in_node
 *	(binding.c)
 * @cgroups: contexts of lists of cgroups that are in, by pmcgrp_context.in_node (cgroup.c)
 * @cgroup_id: id of the cgroup by which these are in; 0: to be looked at again
 * @watched: the sets that are in and whose lists have @switch_ops, by pmcgrp_evset.watch_node
 * @bound_id: id of the binding to which @bound belongs; 0: none
 * @changes: number of changes of @bound and @cgroups, for pmcgrp_context.kept
 * @nr_evsets: number of sets in @sets and @deferred
 * @nr_deferred: number of sets in @deferred
 * @ctx: context of the running task that is in, or NULL (task_context.c)
 * @nr_resting: number of resting sets of @ctx and of those in @bound and @cgroups
 * @sets_come: sets of a task are being scheduled in, one after the other
 * @perf_leaves: perf events are on the PMU that perf core takes off later in the same switch
 * @pinned_comes: pinned perf events of the next task find no flexible set on the PMU, and no idle
 *	counter: until @work has run (pinned_room.c)
 * @pinned_at_exec: the running task has pinned perf events that execve() enables: no flexible set
 *	is placed until then
 * @retry: sets found no room beside such events: their times start as @work has tried them again
 * @timer: rotation timer; runs while a set waits or perf contends
 * @rotated: local_clock() at the last rotation, or at the last tick that needed none
 * @missed_since: local_clock() when @work first found a set waiting and no flexible set on its
 *	PMU, since the last rotation; 0: it has not
 * @work: what must not be done inside perf core; runs right after perf core's section
 * @rotate_pending: @work rotates, rather than only placing sets beside those that are on
 * @wake_pending: @work tries sets that rest or are deferred as well
 * @wakes: sets that rest come in for a rotation, which tries them
 * @nr_waiting: number of sets in @sets that wait for counters
 * @refused: number of placements that drivers have refused
 * @refused_until: @rotated from which on no refusal stands (refusal.c)
 * @in_use: pmcgrp_placement_in_use(), or 0: it is to be computed
 * @has_idle: idle counters may be on the PMU
 * @evict_early_until: local_clock() until which counters leave the PMU with their set
 * @reader: user mode may read counters while the running task runs: no counter may be idle
 *	(reader.c)
 * @ctx_generation: generation of the running task's perf context when it came in, if it had one
 * @armed: @timer is started
 * @arbiter: arbitration with flexible perf events
 * @recovery: recovery of pinned perf events from error
 * @usable: counters may be placed on this CPU; written here, read anywhere
 */
struct pmcgrp_cpu {
	int cpu;
	struct list_head sets;
	struct list_head deferred;
	struct list_head background;
	unsigned int nr_background;
	unsigned int nr_background_on;
	bool background_waits;
	bool background_comes;
	struct list_head own;
	struct list_head bound;
	struct list_head cgroups;
	u64 cgroup_id;
	struct list_head watched;
	u64 bound_id;
	u64 changes;
	unsigned int nr_evsets;
	unsigned int nr_deferred;
	struct pmcgrp_context *ctx;
	unsigned int nr_resting;
	bool sets_come;
	bool perf_leaves;
	bool pinned_comes;
	bool pinned_at_exec;
	bool retry;
	struct hrtimer timer;
	u64 rotated;
	u64 missed_since;
	struct irq_work work;
	bool rotate_pending;
	bool wake_pending;
	bool wakes;
	unsigned int nr_waiting;
	unsigned int refused;
	u64 refused_until;
	u64 in_use;
	bool has_idle;
	u64 evict_early_until;
	bool reader;
	u64 ctx_generation;
	bool armed;
	struct pmcgrp_arbiter arbiter;
	struct pmcgrp_recovery recovery;
	bool usable;
};

/* The CPU scheduler that contains this arbiter. */
static inline struct pmcgrp_cpu *pmcgrp_arbiter_cpu(struct pmcgrp_arbiter *arbiter)
{
	return container_of(arbiter, struct pmcgrp_cpu, arbiter);
}

/* Whether it is pmcgrp's slice, or pmcgrp waits for one and may have counters reserved for it. */
static inline bool pmcgrp_cpu_has_slice(const struct pmcgrp_cpu *pcpu)
{
	const struct pmcgrp_arbiter *arbiter = &pcpu->arbiter;

	return !arbiter->yielding && (arbiter->waiting_since || local_clock() < arbiter->until);
}

/* Whether pinned perf events come in after the set that is scheduled in, with its context. */
static inline bool pmcgrp_cpu_pinned_first(const struct pmcgrp_cpu *pcpu)
{
	return pcpu->perf_leaves && pcpu->pinned_comes;
}

/* Whether some flexible sets may not be placed now. */
static inline bool pmcgrp_cpu_withholds(const struct pmcgrp_cpu *pcpu)
{
	return pcpu->arbiter.yielding || pcpu->pinned_at_exec;
}

/* Whether a flexible set with such hardware counters may not be placed now. */
static inline bool pmcgrp_cpu_withholds_from(const struct pmcgrp_cpu *pcpu,
					     struct pmcgrp_counter *const *counter,
					     unsigned int nr_hw)
{
	return unlikely(pmcgrp_cpu_withholds(pcpu)) &&
	       (pcpu->pinned_at_exec ||
		pmcgrp_contended_by(&pcpu->arbiter.pmus, counter, nr_hw));
}

DECLARE_PER_CPU(struct pmcgrp_cpu, pmcgrp_cpus);
extern u64 pmcgrp_interval_ns;

/**
 * pmcgrp_this_cpu - get this CPU's scheduler
 *
 * Context: interrupts off.
 */
static inline struct pmcgrp_cpu *pmcgrp_this_cpu(void)
{
	lockdep_assert_irqs_disabled();
	return this_cpu_ptr(&pmcgrp_cpus);
}

/* Whether there are sets that no rotation visits: of the contexts that are in, or of others. */
static inline bool pmcgrp_cpu_has_backlog(const struct pmcgrp_cpu *pcpu)
{
	return pcpu->nr_resting || pcpu->nr_deferred;
}

/* The sum of the kinds of the counters in use; the functions that put sets on and off clear it. */
static inline u64 pmcgrp_cpu_in_use(struct pmcgrp_cpu *pcpu)
{
	if (!pcpu->in_use)
		pcpu->in_use = pmcgrp_placement_in_use();
	return pcpu->in_use;
}

/* The multiplexing interval: the time between two rotations. */
static inline u64 pmcgrp_mux_interval_ns(void)
{
	return pmcgrp_interval_ns;
}

static inline unsigned long pmcgrp_ticks_to_jiffies(u64 ticks)
{
	return nsecs_to_jiffies(ticks * pmcgrp_mux_interval_ns()) + 1;
}

struct pmcgrp_cpu *pmcgrp_cpu_of(int cpu);

struct pmcgrp_evset *pmcgrp_cpu_flexible_on(struct pmcgrp_cpu *pcpu);
bool pmcgrp_cpu_has_pinned(const struct pmcgrp_cpu *pcpu);
const struct pmcgrp_evset *pmcgrp_cpu_blocker(const struct pmcgrp_cpu *pcpu,
					      const struct pmcgrp_evset *set,
					      struct pmcgrp_counter *const *counter);

void pmcgrp_cpu_note_reason(const struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set);

bool pmcgrp_cpu_is_usable(int cpu);

#endif /* PMCGRP_CPU_H */
