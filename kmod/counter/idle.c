// SPDX-License-Identifier: GPL-2.0-only
/*
 * Idle counters: hardware counters that no set uses any more, but that stay on the PMU.
 *
 * They stay until another set or perf needs their room, or until they have been idle for long
 * (placement.c, rotate.c, arbiter.c).  A switch back to the same events finds them in place.
 *
 * Hot path: interrupts off, on the counters' CPU, no locks.
 */
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "counter/counter.h"
#include "counter/event.h"
#include "counter/idle.h"
#include "counter/placement.h"

static bool was_used_before(const struct pmcgrp_counter *counter, u64 clock)
{
	return (int)(counter->last_used - pmcgrp_idle_time(clock)) < 0;
}

/**
 * pmcgrp_idle_used_since - check whether a hardware counter of this CPU is or was in use
 * @since: local_clock() from which on its use matters
 *
 * Context: interrupts off.
 */
bool pmcgrp_idle_used_since(u64 since)
{
	const struct pmcgrp_counter *counter;

	lockdep_assert_irqs_disabled();
	list_for_each_entry(counter, this_cpu_ptr(&pmcgrp_counters_placed), placed)
		if (counter->users || !was_used_before(counter, since))
			return true;
	return false;
}

/**
 * pmcgrp_idle_find - find the idle counters of this CPU, one of each PMU
 * @last: the result of the last call, or NULL
 *
 * Context: interrupts off.
 * Return: an idle counter of another PMU than @last's, or NULL if there is none after it.
 */
struct pmcgrp_counter *pmcgrp_idle_find(struct pmcgrp_counter *last)
{
	struct list_head *placed = this_cpu_ptr(&pmcgrp_counters_placed);
	struct pmcgrp_counter *counter;

	lockdep_assert_irqs_disabled();
	counter = list_prepare_entry(last, placed, placed);
	list_for_each_entry_continue(counter, placed, placed)
		if (!counter->users && (!last || counter->pmu != last->pmu))
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
	list_for_each_entry_safe(counter, next, this_cpu_ptr(&pmcgrp_counters_placed), placed) {
		if (counter->users)
			continue;
		pmu = counter->pmu;
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
 * pmcgrp_idle_evict - take an idle counter off the PMU, unless perf core holds the PMU
 * @counter: the counter, without users
 *
 * Context: interrupts off, on the counter's CPU.
 */
void pmcgrp_idle_evict(const struct pmcgrp_counter *counter)
{
	counters_evict(is_counter, (uintptr_t)counter);
}

/**
 * pmcgrp_idle_try_evict - take an idle counter off the PMU, if that has programmed it
 * @counter: the counter, on the PMU, without users
 *
 * Context: as for pmcgrp_idle_evict_programmed().
 * Return: whether it is off.
 */
bool pmcgrp_idle_try_evict(struct pmcgrp_counter *counter)
{
	struct pmu *pmu = counter->pmu;

	lockdep_assert_irqs_disabled();
	if (pmcgrp_counter_is_unprogrammed(counter))
		return false;
	pmcgrp_pmu_hold(pmu);
	pmcgrp_counter_del(counter);
	pmcgrp_pmu_unhold(pmu);
	return true;
}

/**
 * pmcgrp_idle_evict_old - take counters of this CPU off that have been idle for some time
 * @before: local_clock(); those last used before it go
 *
 * Context: interrupts off, not within perf core.
 * Return: true if idle counters remain.
 */
bool pmcgrp_idle_evict_old(u64 before)
{
	return counters_evict(was_used_before, before);
}

static bool is_any(const struct pmcgrp_counter *counter, u64 unused)
{
	return true;
}

/**
 * pmcgrp_idle_evict_all - take all idle counters of this CPU off, except on held PMUs
 *
 * Context: interrupts off, not within perf core.
 */
void pmcgrp_idle_evict_all(void)
{
	counters_evict(is_any, 0);
}

static bool idle_is_of(const struct pmcgrp_counter *counter, u64 arg)
{
	return counter->pmu == (const struct pmu *)(uintptr_t)arg;
}

/**
 * pmcgrp_idle_evict_of - take all idle counters of a PMU off, unless perf core holds it
 * @pmu: the PMU
 *
 * Context: interrupts off; perf core's locks may be held.
 */
void pmcgrp_idle_evict_of(const struct pmu *pmu)
{
	counters_evict(idle_is_of, (uintptr_t)pmu);
}

/**
 * struct evicted - idle counters evicted for pinned perf events, until the end of perf core's
 *	section; that CPU, interrupts off
 * @begun: there may be some: they are freed after pmcgrp_evicted_forget() on this CPU; read
 *	anywhere
 * @nr: number of entries of @counter
 * @counter: the counters
 */
struct evicted {
	bool begun;
	unsigned int nr;
	struct pmcgrp_counter *counter[PMCGRP_MEMBERS_MAX];
};

static DEFINE_PER_CPU(struct evicted, evicted);

/* Take off all idle counters that the PMU has programmed; @gone: where to note them, or NULL. */
static bool evict_programmed(struct evicted *gone)
{
	struct pmcgrp_counter *counter, *next;
	struct pmu *held = NULL;
	bool any = false;

	lockdep_assert_irqs_disabled();
	list_for_each_entry_safe(counter, next, this_cpu_ptr(&pmcgrp_counters_placed), placed) {
		if (counter->users || pmcgrp_counter_is_unprogrammed(counter))
			continue;
		hold_instead(&held, counter->pmu);
		pmcgrp_counter_del(counter);
		any = true;
		if (gone && gone->nr < ARRAY_SIZE(gone->counter))
			gone->counter[gone->nr++] = counter;
	}
	hold_instead(&held, NULL);
	return any;
}

/**
 * pmcgrp_idle_evict_programmed - take off all idle counters that the PMU has programmed
 *
 * Context: interrupts off; perf core's locks may be held, and perf core may hold the PMU.
 */
void pmcgrp_idle_evict_programmed(void)
{
	evict_programmed(NULL);
}

/**
 * pmcgrp_evicted_begin - announce that counters are evicted that may come back
 *
 * Who then finds a counter of this CPU off the PMU finds out by pmcgrp_evicted_any_on() that it may
 * come back.
 *
 * Context: interrupts off.
 */
void pmcgrp_evicted_begin(void)
{
	lockdep_assert_irqs_disabled();
	WRITE_ONCE(this_cpu_ptr(&evicted)->begun, true);
	smp_wmb(); /* pairs with pmcgrp_evicted_any_on() */
}

/**
 * pmcgrp_idle_evict_for_now - pmcgrp_idle_evict_programmed(), and remember the counters
 *
 * Context: as for that, after pmcgrp_evicted_begin().
 * Return: whether there are any.
 */
bool pmcgrp_idle_evict_for_now(void)
{
	return evict_programmed(this_cpu_ptr(&evicted));
}

/**
 * pmcgrp_evicted_begun - whether counters were evicted on this CPU that may come back
 *
 * Context: interrupts off.
 */
bool pmcgrp_evicted_begun(void)
{
	lockdep_assert_irqs_disabled();
	return this_cpu_ptr(&evicted)->begun;
}

/**
 * pmcgrp_evicted_come_back - put evicted counters on the PMU again, idle, as far as they fit
 *
 * A counter may have left this CPU meanwhile, as its task did (pool.c).
 *
 * Context: interrupts off; perf core may hold the PMU.
 * Return: whether any has come back.
 */
bool pmcgrp_evicted_come_back(void)
{
	struct evicted *gone = this_cpu_ptr(&evicted);
	struct pmcgrp_counter *counter;
	bool any = false;
	unsigned int i;

	lockdep_assert_irqs_disabled();
	for (i = 0; i < gone->nr; i++) {
		counter = gone->counter[i];
		if (READ_ONCE(counter->cpu) != smp_processor_id() || counter->on ||
		    pmcgrp_counters_place(&counter, 1))
			continue;
		pmcgrp_counters_release(&counter, 1, local_clock());
		any = true;
	}
	return any;
}

/**
 * pmcgrp_evicted_forget - forget evicted counters, which may be freed from then on
 *
 * Context: interrupts off.
 */
void pmcgrp_evicted_forget(void)
{
	struct evicted *gone = this_cpu_ptr(&evicted);

	lockdep_assert_irqs_disabled();
	gone->nr = 0;
	WRITE_ONCE(gone->begun, false);
}

/**
 * pmcgrp_evicted_any_on - check whether counters that are off may come back on a CPU
 * @cpu: the CPU
 *
 * Context: any; after the caller has found a counter of @cpu off, that no group has.
 */
bool pmcgrp_evicted_any_on(int cpu)
{
	smp_rmb(); /* pairs with pmcgrp_evicted_begin() */
	return READ_ONCE(per_cpu_ptr(&evicted, cpu)->begun);
}

static bool is_unreferenced(const struct pmcgrp_counter *counter, u64 unused)
{
	return !READ_ONCE(counter->ev->refs);
}

/**
 * pmcgrp_idle_evict_unreferenced - take counters off whose event no group has
 *
 * Context: an IPI, so that perf core holds no PMU; the sender holds pmcgrp_groups_mutex.
 */
void pmcgrp_idle_evict_unreferenced(void)
{
	counters_evict(is_unreferenced, 0);
}
