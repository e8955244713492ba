// SPDX-License-Identifier: GPL-2.0-only
/*
 * Put a set's counters on the PMUs of this CPU, all or none.
 *
 * Hardware counters are placed when the set is scheduled in, and released when rotation takes it
 * off.  Those of one PMU are added in one transaction.  Software counters always fit, so they are
 * attached and detached with the target.
 *
 * A hardware counter without users stays on the PMU for a while, idle.  The next set may use it.
 * If the PMU is full, the counters that have been idle for longest make room; idle.c evicts the
 * others in time.
 *
 * Hot path: interrupts off, on the counters' CPU, no locks.
 */
#include <linux/bits.h>
#include <linux/cache.h>
#include <linux/bitops.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include "compat.h"
#include "counter/counter.h"
#include "counter/placement.h"
#include "platform/recursion.h"

/* The system is going down: no counter is placed any more. */
static bool ended;

/**
 * pmcgrp_placement_end - refuse to place counters from now on
 *
 * Called once, before the system shuts down or another kernel is started.
 *
 * Context: any.
 */
void pmcgrp_placement_end(void)
{
	WRITE_ONCE(ended, true);
}

static void (*moved)(void) __ro_after_init; /* or NULL */

/**
 * pmcgrp_placement_init - set who is notified that counters have moved
 * @counters_moved: called after a counter was added, which may move others to other registers;
 *	interrupts off, the PMU held; or NULL
 *
 * Context: once, before any counter exists.
 */
void pmcgrp_placement_init(void (*counters_moved)(void))
{
	moved = counters_moved;
}

/**
 * pmcgrp_placement_moved - notify that counters may have moved, or are about to
 *
 * Context: interrupts off.
 */
void pmcgrp_placement_moved(void)
{
	lockdep_assert_irqs_disabled();
	if (moved)
		moved();
}

/**
 * struct pmu_capacity - estimate of how many counters a PMU has room for
 * @pmu: the PMU, or NULL
 * @nr: the estimate
 * @refused: grows as the PMU has no room for so many, and falls as it has
 * @trust: number of times that the estimate is used until one more is tried
 *
 * Which events fit together is known to the PMU's driver alone.  So now and then it refuses
 * counters although there are not so many, or takes more.
 */
struct pmu_capacity {
	const struct pmu *pmu;
	unsigned int nr;
	unsigned int refused;
	unsigned int trust;
};

/* Uses of an estimate: perf events come and go, and change how many counters fit. */
#define CAPACITY_TRUST 64

/* What @refused grows by, and from where on the estimate is lowered: one of 8 may be refused. */
#define REFUSED_STEP 8
#define REFUSED_MOST (2 * REFUSED_STEP)

static DEFINE_PER_CPU(struct pmu_capacity, capacities);

/**
 * pmcgrp_placement_nr_on - count the counters that are on a PMU of this CPU, idle ones included
 * @pmu: the PMU
 *
 * Context: interrupts off.
 */
unsigned int pmcgrp_placement_nr_on(const struct pmu *pmu)
{
	const struct pmcgrp_counter *counter;
	unsigned int nr = 0;

	lockdep_assert_irqs_disabled();
	list_for_each_entry(counter, this_cpu_ptr(&pmcgrp_counters_placed), placed)
		nr += counter->pmu == pmu;
	return nr;
}

/* Return the idle counter of a PMU that was used longest ago, or NULL; @placed: out: all on it. */
static struct pmcgrp_counter *counter_longest_idle(const struct pmu *pmu, unsigned int *placed)
{
	struct pmcgrp_counter *counter, *longest = NULL;

	*placed = 0;
	list_for_each_entry(counter, this_cpu_ptr(&pmcgrp_counters_placed), placed) {
		if (counter->pmu != pmu)
			continue;
		++*placed;
		if (!counter->users &&
		    (!longest || (int)(counter->last_used - longest->last_used) < 0))
			longest = counter;
	}
	return longest;
}

/*
 * Take idle counters off a PMU, which the caller holds, longest idle first, until @nr counters are
 * left, those in use included.  Not if perf core has placed an event in the same section.  Return
 * true if a counter was taken off.
 */
static bool evict_longest_idle(const struct pmu *pmu, unsigned int nr)
{
	struct pmcgrp_counter *counter;
	unsigned int placed;
	bool any = false;

	lockdep_assert_irqs_disabled();
	do {
		counter = counter_longest_idle(pmu, &placed);
		if (!counter || placed <= nr)
			break;
		WARN_ON_ONCE(pmcgrp_counter_is_unprogrammed(counter));
		pmcgrp_counter_del(counter);
		any = true;
	} while (--placed > nr);
	return any;
}

/*
 * Evict idle counters if the PMU is thought to be full, so that @nr more can be placed.  Return:
 * whether one more than fit is tried.
 */
static bool placement_make_room(const struct pmu *pmu, unsigned int nr)
{
	struct pmu_capacity *capacity = this_cpu_ptr(&capacities);
	bool one_more;

	lockdep_assert_irqs_disabled();
	if (capacity->pmu != pmu || capacity->nr < nr)
		return true;
	one_more = !capacity->trust;
	capacity->trust = one_more ? CAPACITY_TRUST : capacity->trust - 1;
	evict_longest_idle(pmu, capacity->nr - nr + one_more);
	return one_more;
}

/* A PMU had no room for @nr counters. */
static void note_full(const struct pmu *pmu, unsigned int nr)
{
	struct pmu_capacity *capacity = this_cpu_ptr(&capacities);

	lockdep_assert_irqs_disabled();
	if (capacity->pmu == pmu && nr > capacity->nr) {
		capacity->trust = CAPACITY_TRUST; /* as was thought */
		return;
	}
	if (capacity->pmu == pmu && nr == capacity->nr) {
		capacity->refused += REFUSED_STEP;
		if (capacity->refused < REFUSED_MOST)
			return;
	}
	*capacity = (struct pmu_capacity){ .pmu = pmu, .nr = nr - 1, .trust = CAPACITY_TRUST };
}

/* A PMU has taken counters.  @one_more: of placement_make_room() */
static void note_room(const struct pmu *pmu, bool one_more)
{
	struct pmu_capacity *capacity = this_cpu_ptr(&capacities);

	if (capacity->pmu != pmu)
		return;
	if (capacity->refused)
		capacity->refused--;
	if (one_more)
		capacity->nr = max(capacity->nr, pmcgrp_placement_nr_on(pmu));
}

/**
 * pmcgrp_placement_in_use - add up the kinds of the hardware counters in use on this CPU
 *
 * Equal sums mean the same kinds, with near certainty.
 *
 * Context: interrupts off.
 */
u64 pmcgrp_placement_in_use(void)
{
	const struct pmcgrp_counter *counter;
	u64 sum = 0;

	lockdep_assert_irqs_disabled();
	list_for_each_entry(counter, this_cpu_ptr(&pmcgrp_counters_placed), placed)
		if (counter->users)
			sum += counter->kind;
	return sum;
}

/* Return a bit for each counter of a set that is not on its PMU. */
static u64 counters_not_on(struct pmcgrp_counter *const *counter, unsigned int nr)
{
	u64 fresh = 0;
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!counter[i]->on)
			fresh |= BIT_ULL(i);
	return fresh;
}

/* Add @more to the users of the hardware counters that are not @fresh, i.e. were on before. */
static void counters_use(struct pmcgrp_counter *const *counter, unsigned int nr_hw, u64 fresh,
			 int more)
{
	unsigned int i;

	for (i = 0; i < nr_hw; i++)
		if (!(fresh & BIT_ULL(i)))
			counter[i]->users += more;
}

/*
 * Add the @fresh counters of one PMU in one transaction, all or none.  On x86 add() only
 * collects events: commit_txn() says whether they fit.
 */
static int counters_add_run(struct pmcgrp_counter *const *counter, u64 fresh)
{
	struct pmu *pmu = counter[__ffs64(fresh)]->pmu;
	u64 left, added = 0;
	int i, err = 0;

	pmu->start_txn(pmu, PERF_PMU_TXN_ADD);
	for (left = fresh; left; left &= left - 1) {
		i = __ffs64(left);
		err = pmcgrp_counter_add(counter[i]);
		if (err)
			break;
		added |= BIT_ULL(i);
	}
	if (!err)
		err = pmu->commit_txn(pmu);
	if (!err)
		return 0;
	note_full(pmu, pmcgrp_placement_nr_on(pmu) + !!left);
	for (; added; added &= ~BIT_ULL(i)) {
		i = fls64(added) - 1;
		pmcgrp_counter_undo_add(counter[i]);
	}
	pmu->cancel_txn(pmu);
	return err;
}

/* The same.  With @may_evict idle counters make room: as few as are thought to, one more, all. */
static int counters_add_run_evicting(struct pmcgrp_counter *const *counter, u64 fresh,
				     bool may_evict)
{
	const struct pmu *pmu = counter[__ffs64(fresh)]->pmu;
	bool one_more;
	int err;

	if (!may_evict)
		return counters_add_run(counter, fresh);
	one_more = placement_make_room(pmu, hweight64(fresh));
	err = counters_add_run(counter, fresh);
	if (err && evict_longest_idle(pmu, pmcgrp_placement_nr_on(pmu) - 1)) {
		err = counters_add_run(counter, fresh);
		if (err && evict_longest_idle(pmu, 0))
			err = counters_add_run(counter, fresh);
	}
	if (!err)
		note_room(pmu, one_more);
	return err;
}

/*
 * Add the @fresh counters of a set (a bit for each); the others are on already.  With @may_evict
 * no event on these PMUs is still to be programmed, so idle counters can make room.
 */
static int counters_add_hardware(struct pmcgrp_counter *const *counter, unsigned int nr_hw,
				 u64 fresh, bool may_evict)
{
	unsigned int i, n;
	u64 run;
	int err;

	for (i = 0; i < nr_hw; i += n) {
		n = pmcgrp_counters_of_one_pmu(counter + i, nr_hw - i);
		run = (fresh >> i) & GENMASK_ULL(n - 1, 0);
		if (!run)
			continue;
		err = counters_add_run_evicting(counter + i, run, may_evict);
		if (err)
			goto undo;
	}
	return 0;

undo:
	/*
	 * Earlier PMUs have committed: release and hold them, so that they program what del()
	 * takes off.
	 */
	if (i) {
		pmcgrp_counters_unhold(counter, nr_hw);
		pmcgrp_counters_hold(counter, nr_hw);
	}
	while (i--)
		if (fresh & BIT_ULL(i))
			pmcgrp_counter_undo_add(counter[i]);
	return err;
}

/*
 * perf_swevent_add() asserts that the lock of the event's context is held (kernel/events/core.c:
 * find_swevent_head()), so that the CPU's list of software events is not freed meanwhile.  While a
 * counter exists its event keeps that list (perf_swevent_init(): swevent_hlist_get()).  So the lock
 * is taken only where the assertion is compiled in: all CPUs would contend for the lock of the
 * thread that counters belong to (kernel_counter.c).  The context of a CPU may be locked by perf
 * core, as it schedules a carrier.
 */
static int software_add(struct pmcgrp_counter *counter)
{
#ifdef CONFIG_PROVE_RCU
	struct perf_event_context *ctx = counter->event->ctx;
	int err;

	if (!lockdep_is_held(&ctx->lock)) {
		raw_spin_lock_nested(&ctx->lock, SINGLE_DEPTH_NESTING);
		err = pmcgrp_counter_add(counter);
		raw_spin_unlock(&ctx->lock);
		return err;
	}
#endif
	return pmcgrp_counter_add(counter);
}

/**
 * pmcgrp_counters_attach - start a set's software counters
 * @counter: the set's counters, hardware ones first
 * @nr_hw: number of hardware counters, which are left alone
 * @nr: number of all counters
 *
 * Context: interrupts off, on the counters' CPU; perf core's locks may be held.
 * Return: 0, or the PMU's error; after an error nothing has changed.
 */
int pmcgrp_counters_attach(struct pmcgrp_counter *const *counter, unsigned int nr_hw,
			   unsigned int nr)
{
	unsigned int i;
	int err;

	lockdep_assert_irqs_disabled();
	for (i = nr_hw; i < nr; i++) {
		err = software_add(counter[i]);
		if (err)
			goto undo;
	}
	return 0;

undo:
	pmcgrp_counters_detach(counter, nr_hw, i);
	return err;
}

/**
 * pmcgrp_counters_detach - undo pmcgrp_counters_attach()
 * @counter: the set's counters, hardware ones first
 * @nr_hw: number of hardware counters
 * @nr: number of all counters
 *
 * Context: interrupts off, on the counters' CPU.
 */
void pmcgrp_counters_detach(struct pmcgrp_counter *const *counter, unsigned int nr_hw,
			    unsigned int nr)
{
	lockdep_assert_irqs_disabled();
	while (nr > nr_hw)
		pmcgrp_counter_undo_add(counter[--nr]);
}

/**
 * pmcgrp_counters_place_slow - do pmcgrp_counters_place() with counters that are not on their PMU
 * @counter: the set's counters, with the software ones attached
 * @nr_hw: number of hardware counters
 *
 * Context: interrupts off, on the counters' CPU.
 * Return: as pmcgrp_counters_place().
 */
int pmcgrp_counters_place_slow(struct pmcgrp_counter *const *counter, unsigned int nr_hw)
{
	bool held = pmcgrp_counters_are_held(counter, nr_hw);
	u64 fresh = counters_not_on(counter, nr_hw);
	int err;

	if (unlikely(READ_ONCE(ended)))
		return -ESHUTDOWN;
	/*
	 * If a second PMU fails the first one is undone, which is not possible while perf core
	 * holds it.
	 */
	if (held && pmcgrp_counters_of_one_pmu(counter, nr_hw) != nr_hw)
		return -EALREADY;

	pmcgrp_recursion_enter();
	pmcgrp_counters_hold(counter, nr_hw);
	counters_use(counter, nr_hw, fresh, 1);
	err = counters_add_hardware(counter, nr_hw, fresh, !held);
	if (err)
		counters_use(counter, nr_hw, fresh, -1);
	else
		pmcgrp_placement_moved();
	pmcgrp_counters_unhold(counter, nr_hw);
	pmcgrp_recursion_leave();
	return err;
}
