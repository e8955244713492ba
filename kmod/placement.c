// SPDX-License-Identifier: GPL-2.0-only
/*
 * Slots that nobody uses any more: they stay on the PMU, idle, until someone is short of
 * counters or a tick or two have passed (rotate.c), for the same events are likely to be
 * wanted again soon.
 *
 * All of this is the hot path: interrupts off, on the counters' CPU, no locks.
 */
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include "placement.h"
#include "counter.h"

/*
 * Hardware counters on this CPU's PMUs, those without a user included; that CPU, interrupts
 * off.  Never more than there are counters.
 */
static DEFINE_PER_CPU(struct list_head, placed_counters);

/**
 * pmcgrp_placement_note - a hardware counter has been put on the PMU
 * @counter: the counter; until pmcgrp_counter_del()
 *
 * Context: interrupts off, on the counter's CPU.
 */
void pmcgrp_placement_note(struct pmcgrp_counter *counter)
{
	lockdep_assert_irqs_disabled();
	list_add_tail(&counter->placed, this_cpu_ptr(&placed_counters));
}

static bool counter_is_unprogrammed(const struct pmcgrp_counter *counter)
{
	const int both = PERF_HES_STOPPED | PERF_HES_UPTODATE;

	return (counter->event->hw.state & both) == both;
}

/**
 * struct brim - how many counters a PMU had when it took no more
 * @pmu: which, or NULL
 * @nr: so many
 * @trust: how often that is still to be believed
 */
struct pmu_capacity {
	const struct pmu *pmu;
	unsigned int nr;
	unsigned int trust;
};

/* perf's events come and go, and with them the room for counters: it is found out anew. */
#define CAPACITY_TRUST 64

static DEFINE_PER_CPU(struct pmu_capacity, capacities);

static unsigned int counters_placed(const struct pmu *pmu)
{
	const struct pmcgrp_counter *counter;
	unsigned int nr = 0;

	list_for_each_entry(counter, this_cpu_ptr(&placed_counters), placed)
		nr += counter->event->pmu == pmu;
	return nr;
}

/* The one of a PMU's that was used longest ago; NULL: none is idle.  @placed: out: how many. */
static struct pmcgrp_counter *counter_longest_idle(const struct pmu *pmu, unsigned int *placed)
{
	struct pmcgrp_counter *counter, *longest = NULL;

	*placed = 0;
	list_for_each_entry(counter, this_cpu_ptr(&placed_counters), placed) {
		if (counter->event->pmu != pmu)
			continue;
		++*placed;
		if (!counter->users &&
		    (!longest || (int)(counter->last_used - longest->last_used) < 0))
			longest = counter;
	}
	return longest;
}

/**
 * pmcgrp_placement_evict - take idle counters off a PMU, those first that were used longest ago
 * @pmu: which; the caller holds it
 * @nr: so many counters may stay, those in use included
 *
 * Context: interrupts off, not where perf core has placed something in the same section.
 * Return: whether any went.
 */
bool pmcgrp_placement_evict(const struct pmu *pmu, unsigned int nr)
{
	struct pmcgrp_counter *counter;
	unsigned int placed;
	bool any = false;

	lockdep_assert_irqs_disabled();
	do {
		counter = counter_longest_idle(pmu, &placed);
		if (!counter || placed <= nr)
			break;
		WARN_ON_ONCE(counter_is_unprogrammed(counter));
		pmcgrp_counter_del(counter);
		any = true;
	} while (--placed > nr);
	return any;
}

/**
 * pmcgrp_placement_make_room - evict idle counters if the PMU is known to have no room
 * @pmu: whose; the caller holds it
 * @nr: how many are to come
 *
 * Context: as pmcgrp_placement_evict().
 */
void pmcgrp_placement_make_room(const struct pmu *pmu, unsigned int nr)
{
	struct pmu_capacity *pmu_capacity = this_cpu_ptr(&capacities);

	lockdep_assert_irqs_disabled();
	if (pmu_capacity->pmu != pmu || !pmu_capacity->trust || pmu_capacity->nr < nr)
		return;
	pmu_capacity->trust--;
	pmcgrp_placement_evict(pmu, pmu_capacity->nr - nr);
}

/**
 * pmcgrp_placement_is_full - a PMU has taken no more counters
 * @pmu: which
 * @over: how many that are on it were already too many
 *
 * Context: interrupts off.
 */
void pmcgrp_placement_is_full(const struct pmu *pmu, unsigned int over)
{
	lockdep_assert_irqs_disabled();
	*this_cpu_ptr(&capacities) = (struct pmu_capacity){
		.pmu = pmu,
		.nr = counters_placed(pmu) - over,
		.trust = CAPACITY_TRUST,
	};
}

/**
 * pmcgrp_counters_in_use_mark - a number that stands for the hardware counters in use on this CPU
 *
 * Another one, all but certainly, for others.
 *
 * Context: interrupts off.
 */
u64 pmcgrp_counters_in_use_mark(void)
{
	const struct pmcgrp_counter *counter;
	u64 sum = 0;

	lockdep_assert_irqs_disabled();
	list_for_each_entry(counter, this_cpu_ptr(&placed_counters), placed)
		if (counter->users)
			sum += counter->mark;
	return sum;
}

/**
 * pmcgrp_counter_evict - take an idle counter off the PMU, unless perf core is at work there
 * @counter: the counter, without users, on the PMU
 *
 * Context: interrupts off, on the counter's CPU.
 * Return: whether it is off.
 */
bool pmcgrp_counter_evict(struct pmcgrp_counter *counter)
{
	struct pmcgrp_counter *const set[] = { counter };

	if (pmcgrp_counters_are_held(set, 1))
		return false;
	pmcgrp_counter_del_alone(counter);
	return true;
}

/**
 * pmcgrp_counters_evict - take idle counters of this CPU off the PMU
 * @before: those that were used last before this tick
 *
 * Context: interrupts off, not within perf core.
 * Return: whether idle counters remain.
 */
bool pmcgrp_counters_evict(unsigned int before)
{
	struct pmcgrp_counter *counter, *next;
	bool remain = false;

	lockdep_assert_irqs_disabled();
	list_for_each_entry_safe(counter, next, this_cpu_ptr(&placed_counters), placed)
		if (!counter->users &&
		    ((int)(counter->last_used - before) >= 0 || !pmcgrp_counter_evict(counter)))
			remain = true;
	return remain;
}

/**
 * pmcgrp_counters_evict_all - take all idle counters of this CPU off the PMU
 *
 * Context: interrupts off, not within perf core.
 */
void pmcgrp_counters_evict_all(void)
{
	struct pmcgrp_counter *counter, *next;

	lockdep_assert_irqs_disabled();
	list_for_each_entry_safe(counter, next, this_cpu_ptr(&placed_counters), placed)
		if (!counter->users)
			pmcgrp_counter_evict(counter);
}

/**
 * pmcgrp_counters_evict_programmed - take off all idle counters that can be by now
 * @gone: out: which, or NULL
 * @max: how many there is room for in @gone
 *
 * Context: interrupts off; perf core's locks may be held, and its hold on the PMU.
 * Return: how many are in @gone.
 */
unsigned int pmcgrp_counters_evict_programmed(struct pmcgrp_counter **gone, unsigned int max)
{
	struct pmcgrp_counter *counter, *next;
	unsigned int nr = 0;

	lockdep_assert_irqs_disabled();
	list_for_each_entry_safe(counter, next, this_cpu_ptr(&placed_counters), placed) {
		if (counter->users || counter_is_unprogrammed(counter))
			continue;
		pmcgrp_counter_del_alone(counter);
		if (gone && nr < max)
			gone[nr++] = counter;
	}
	return nr;
}

static void counter_retire_here(void *info)
{
	struct pmcgrp_counter *counter = info;

	if (counter->on)
		pmcgrp_counter_evict(counter);
}

/**
 * pmcgrp_counter_retire - make sure that a counter that no row holds is off the PMU
 * @counter: the counter, without users
 *
 * Context: may sleep.
 */
void pmcgrp_counter_retire(struct pmcgrp_counter *counter)
{
	/* Idle is all that it can be, and off is all that it can become. */
	if (READ_ONCE(counter->on))
		smp_call_function_single(counter->cpu, counter_retire_here, counter, 1);
	WARN_ON_ONCE(counter->users || counter->on);
}

/**
 * pmcgrp_placement_init - once, before there is any counter
 */
void pmcgrp_placement_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		INIT_LIST_HEAD(per_cpu_ptr(&placed_counters, cpu));
}
