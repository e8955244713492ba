// SPDX-License-Identifier: GPL-2.0-only
/*
 * Idle counters: hardware counters that no set uses any more, but that stay on the PMU.
 *
 * They stay until another set or perf needs their room, or until they have been idle for long
 * (rotate.c, arbiter.c).  A switch back to the same events finds them in place.
 *
 * Hot path: interrupts off, on the counters' CPU, no locks.
 */
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include "placement.h"
#include "counter.h"

/*
 * Hardware counters on the PMUs of this CPU, idle ones included; that CPU, interrupts off.  The
 * list is never longer than the PMUs have counters.
 */
static DEFINE_PER_CPU(struct list_head, placed_counters);

/**
 * pmcgrp_placement_note - record that a hardware counter is on the PMU
 * @counter: the counter; pmcgrp_counter_del() removes it again
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
 * struct pmu_capacity - number of counters that were on a PMU when it took no more
 * @pmu: the PMU, or NULL
 * @nr: that number
 * @trust: number of times that it may still be used
 */
struct pmu_capacity {
	const struct pmu *pmu;
	unsigned int nr;
	unsigned int trust;
};

/* Uses of an estimate: perf events come and go, and change how many counters fit. */
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

/* Return the idle counter of a PMU that was used longest ago, or NULL; @placed: out: all on it. */
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
 * pmcgrp_placement_evict - take idle counters off a PMU, longest idle first
 * @pmu: the PMU, which the caller holds
 * @nr: number of counters that may stay, those in use included
 *
 * Context: interrupts off; not if perf core has placed an event in the same section.
 * Return: true if a counter was taken off.
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
 * pmcgrp_placement_make_room - evict idle counters if the PMU is known to be full
 * @pmu: the PMU, which the caller holds
 * @nr: number of counters that the caller wants to place
 *
 * Context: as for pmcgrp_placement_evict().
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
 * pmcgrp_placement_is_full - record that a PMU has refused a counter
 * @pmu: the PMU
 * @over: number of counters among those added that it has no room for
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
 * pmcgrp_counters_in_use_mark - compute a fingerprint of the hardware counters in use on this CPU
 *
 * Equal fingerprints mean the same counters, with near certainty.
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

static bool was_used_before(const struct pmcgrp_counter *counter, u64 clock)
{
	return (int)(counter->last_used - pmcgrp_idle_time(clock)) < 0;
}

/**
 * pmcgrp_counters_used_since - tell whether a hardware counter of this CPU is or was in use
 * @since: local_clock() from which on its use matters
 *
 * Context: interrupts off.
 */
bool pmcgrp_counters_used_since(u64 since)
{
	const struct pmcgrp_counter *counter;

	lockdep_assert_irqs_disabled();
	list_for_each_entry(counter, this_cpu_ptr(&placed_counters), placed)
		if (counter->users || !was_used_before(counter, since))
			return true;
	return false;
}

/**
 * pmcgrp_counter_idle - find the idle counters of this CPU, one of each PMU
 * @last: the result of the last call, or NULL
 *
 * Context: interrupts off.
 * Return: an idle counter of another PMU than @last's, or NULL if there is none after it.
 */
struct pmcgrp_counter *pmcgrp_counter_idle(struct pmcgrp_counter *last)
{
	struct list_head *placed = this_cpu_ptr(&placed_counters);
	struct pmcgrp_counter *counter;

	lockdep_assert_irqs_disabled();
	counter = list_prepare_entry(last, placed, placed);
	list_for_each_entry_continue(counter, placed, placed)
		if (!counter->users && (!last || counter->event->pmu != last->event->pmu))
			return counter;
	return NULL;
}

/* Hold a PMU, or none, instead of the one that is held. */
static void hold_instead(struct pmu **held, struct pmu *pmu)
{
	if (*held == pmu)
		return;
	if (*held)
		pmcgrp_pmu_unhold(*held);
	if (pmu)
		pmcgrp_pmu_hold(pmu);
	*held = pmu;
}

/*
 * Take the idle counters of this CPU off that @goes says of, except on PMUs that perf core holds.
 * A PMU is held once for all counters that follow each other in the list.  Return whether idle
 * counters remain.
 */
static bool counters_evict(bool (*goes)(const struct pmcgrp_counter *counter, u64 arg),
			   u64 arg)
{
	struct pmcgrp_counter *counter, *next;
	struct pmu *pmu, *held = NULL;
	bool remain = false;

	lockdep_assert_irqs_disabled();
	list_for_each_entry_safe(counter, next, this_cpu_ptr(&placed_counters), placed) {
		if (counter->users)
			continue;
		pmu = counter->event->pmu;
		if (!goes(counter, arg) || (pmu != held && *pmcgrp_pmu_disable_count(pmu))) {
			remain = true;
			continue;
		}
		hold_instead(&held, pmu);
		pmcgrp_counter_del(counter);
	}
	hold_instead(&held, NULL);
	return remain;
}

static bool is_counter(const struct pmcgrp_counter *counter, u64 arg)
{
	return counter == (const struct pmcgrp_counter *)(uintptr_t)arg;
}

/**
 * pmcgrp_counter_evict - take an idle counter off the PMU, unless perf core holds the PMU
 * @counter: the counter, without users
 *
 * Context: interrupts off, on the counter's CPU.
 */
void pmcgrp_counter_evict(const struct pmcgrp_counter *counter)
{
	counters_evict(is_counter, (uintptr_t)counter);
}

/**
 * pmcgrp_counters_evict - take counters of this CPU off that have been idle for some time
 * @before: local_clock(); those last used before it go
 *
 * Context: interrupts off, not within perf core.
 * Return: true if idle counters remain.
 */
bool pmcgrp_counters_evict(u64 before)
{
	return counters_evict(was_used_before, before);
}

static bool is_any(const struct pmcgrp_counter *counter, u64 unused)
{
	return true;
}

/**
 * pmcgrp_counters_evict_all - take all idle counters of this CPU off, except on held PMUs
 *
 * Context: interrupts off, not within perf core.
 */
void pmcgrp_counters_evict_all(void)
{
	counters_evict(is_any, 0);
}

/**
 * pmcgrp_counters_evict_programmed - take off all idle counters that the PMU has programmed
 * @gone: out: the counters taken off, or NULL
 * @max: size of @gone
 *
 * Context: interrupts off; perf core's locks may be held, and perf core may hold the PMU.
 * Return: number of counters in @gone.
 */
unsigned int pmcgrp_counters_evict_programmed(struct pmcgrp_counter **gone, unsigned int max)
{
	struct pmcgrp_counter *counter, *next;
	struct pmu *held = NULL;
	unsigned int nr = 0;

	lockdep_assert_irqs_disabled();
	list_for_each_entry_safe(counter, next, this_cpu_ptr(&placed_counters), placed) {
		if (counter->users || counter_is_unprogrammed(counter))
			continue;
		hold_instead(&held, counter->event->pmu);
		pmcgrp_counter_del(counter);
		if (gone && nr < max)
			gone[nr++] = counter;
	}
	hold_instead(&held, NULL);
	return nr;
}

static bool is_unreferenced(const struct pmcgrp_counter *counter, u64 unused)
{
	return !READ_ONCE(counter->refs);
}

/**
 * pmcgrp_counters_evict_unreferenced - take counters off that no row holds
 *
 * Context: an IPI, so that perf core holds no PMU; the sender holds pmcgrp_groups_mutex.
 */
void pmcgrp_counters_evict_unreferenced(void)
{
	counters_evict(is_unreferenced, 0);
}

/**
 * pmcgrp_placement_init - initialise the lists; once, before any counter exists
 */
void pmcgrp_placement_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		INIT_LIST_HEAD(per_cpu_ptr(&placed_counters, cpu));
}
