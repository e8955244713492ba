// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CPU schedulers' state, and searches through the sets of a CPU.
 *
 * sched.c and rotate.c change this state.  The files below them read it: arbitration, pinned
 * perf events, counters of groups.
 *
 * Context: as for all of a CPU scheduler (sched.c): its CPU, interrupts off, where nothing else is
 * said.
 */
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include "compat.h"
#include "arbiter/cpu.h"
#include "counter/counter.h"
#include "platform/core_pmu.h"
#include "set/evlist.h"
#include "set/evset.h"

DEFINE_PER_CPU(struct pmcgrp_cpu, pmcgrp_cpus);
u64 pmcgrp_interval_ns; /* constant after init */

/**
 * pmcgrp_cpu_of - get a CPU's scheduler
 * @cpu: the CPU
 */
struct pmcgrp_cpu *pmcgrp_cpu_of(int cpu)
{
	return per_cpu_ptr(&pmcgrp_cpus, cpu);
}

/**
 * pmcgrp_cpu_flexible_on - find a flexible set that is on the PMU
 * @pcpu: this CPU's scheduler
 *
 * Context: interrupts off.
 * Return: the set, or NULL if there is none.
 */
struct pmcgrp_evset *pmcgrp_cpu_flexible_on(struct pmcgrp_cpu *pcpu)
{
	struct pmcgrp_evset *set;

	lockdep_assert_irqs_disabled();
	list_for_each_entry(set, &pcpu->sets, cpu_node)
		if (set->on && pmcgrp_evset_is_flexible(set))
			return set;
	return NULL;
}

/**
 * pmcgrp_cpu_has_pinned - check whether a pinned set has hardware counters on the PMU
 * @pcpu: this CPU's scheduler
 *
 * Context: interrupts off.
 */
bool pmcgrp_cpu_has_pinned(const struct pmcgrp_cpu *pcpu)
{
	const struct pmcgrp_evset *set;

	lockdep_assert_irqs_disabled();
	list_for_each_entry(set, &pcpu->sets, cpu_node)
		if (set->on && set->nr_hw && set->pinned)
			return true;
	return false;
}

static const struct pmcgrp_counter *first_waiting(struct pmcgrp_counter *const *counter,
						  unsigned int nr_hw)
{
	unsigned int i;

	for (i = 0; i < nr_hw; i++)
		if (!counter[i]->on)
			return counter[i];
	return counter[0];
}

static bool has_counter_for(const struct pmcgrp_evset *set, const struct perf_event *wanted)
{
	unsigned int i;

	for (i = 0; i < set->nr_hw; i++)
		if (set->counter[i]->pmu == wanted->pmu &&
		    pmcgrp_pmu_event_may_use(set->counter[i]->event, wanted))
			return true;
	return false;
}

/**
 * pmcgrp_cpu_blocker - find a set that occupies a counter another set needs
 * @pcpu: this CPU's scheduler
 * @set: the set that needs it
 * @counter: hardware counters of @set, at least one
 *
 * The counter in question is the first of @counter that is not on the PMU.  The search ends
 * after PMCGRP_SCAN_MAX sets.
 *
 * Context: interrupts off.
 * Return: a set whose place that counter could take, or NULL if none was found.
 */
const struct pmcgrp_evset *pmcgrp_cpu_blocker(const struct pmcgrp_cpu *pcpu,
					      const struct pmcgrp_evset *set,
					      struct pmcgrp_counter *const *counter)
{
	const struct perf_event *wanted = first_waiting(counter, set->nr_hw)->event;
	const struct pmcgrp_evset *other;
	unsigned int scan = PMCGRP_SCAN_MAX;

	lockdep_assert_irqs_disabled();
	list_for_each_entry(other, &pcpu->sets, cpu_node) {
		if (other != set && other->on && has_counter_for(other, wanted))
			return other;
		if (!--scan)
			break;
	}
	return NULL;
}

/**
 * pmcgrp_cpu_note_reason - record why a set is not on
 * @pcpu: this CPU's scheduler
 * @set: the set, with its counters
 *
 * The set in its way may be gone when user space asks.
 *
 * Context: interrupts off.
 */
void pmcgrp_cpu_note_reason(const struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set)
{
	const struct pmcgrp_evset *holder = pmcgrp_cpu_blocker(pcpu, set, set->counter);

	WRITE_ONCE(set->why, holder ? PMCGRP_WHY_BUSY_PMCGRP : PMCGRP_WHY_BUSY_PERF);
	WRITE_ONCE(set->blocked_by, holder ? READ_ONCE(holder->evlist->id) : 0);
}

/**
 * pmcgrp_cpu_is_usable - check whether a CPU's counters may be placed
 * @cpu: the CPU; the answer may be outdated unless it is the caller's
 */
bool pmcgrp_cpu_is_usable(int cpu)
{
	return READ_ONCE(per_cpu_ptr(&pmcgrp_cpus, cpu)->usable);
}
