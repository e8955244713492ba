// SPDX-License-Identifier: GPL-2.0-only
/*
 * Slots on and off the PMU: the only file that drives pmu->add() and pmu->del().
 *
 * perf core takes a counter's event for disabled (pool.c).  Putting it on the PMU by
 * hand relies on nothing in a PMU's add/del/read/interrupt paths looking at
 * event->state or event->oncpu; that holds for drivers/perf/arm_pmu.c and
 * arm_pmuv3.c, arch/x86/events/core.c and the software PMUs of core.c.
 *
 * All of this is the hot path: interrupts off, on the counters' CPU, no locks.  A set
 * has its hardware counters first, then its software ones, and these come and go on
 * different occasions: hardware counters whenever the set gets or loses its turn,
 * software counters, which are never short, with the target itself.  That is also what
 * perf core wants: perf_swevent_add() insists on the CPU context's lock
 * (find_swevent_head()), which is held when core schedules a carrier in, and not in
 * a timer.
 *
 * A hardware counter that nobody uses any more stays on the PMU for a while (placement.c).
 */
#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>
#include "compat.h"
#include "user_page.h"
#include "placement.h"
#include "counter_reg.h"
#include "recursion.h"
#include "counter.h"

/* Nothing comes on any more: the system ends. */
static bool ended;

/**
 * pmcgrp_counters_end - from now on put nothing on any PMU
 *
 * For good: the system is about to be shut down, or another kernel to be entered.
 *
 * Context: any.
 */
void pmcgrp_counters_end(void)
{
	WRITE_ONCE(ended, true);
}

/**
 * pmcgrp_counter_is_software - whether the counter needs no room on any PMU
 * @counter: the counter
 */
bool pmcgrp_counter_is_software(const struct pmcgrp_counter *counter)
{
	return counter->event->pmu->task_ctx_nr == perf_sw_context;
}

/*
 * Hold a counter's PMU still, and let it go on: perf core's perf_pmu_disable() and
 * perf_pmu_enable(), which it does not export, nesting with them by sharing their
 * count.  While a PMU is held no counter of it moves, so that all counters of a set
 * start at one instant.
 */
static void pmu_hold(struct pmu *pmu)
{
	if (!(*pmcgrp_pmu_disable_count(pmu))++)
		pmu->pmu_disable(pmu);
}

static void pmu_unhold(struct pmu *pmu)
{
	if (!--(*pmcgrp_pmu_disable_count(pmu)))
		pmu->pmu_enable(pmu);
}

static void counter_hold(const struct pmcgrp_counter *counter)
{
	pmu_hold(counter->event->pmu);
}

static void counter_unhold(const struct pmcgrp_counter *counter)
{
	pmu_unhold(counter->event->pmu);
}

/**
 * pmcgrp_pmu_restart - have a PMU's driver decide anew what it decides when it starts
 * @pmu: which; if perf core holds it, that is when core lets go
 *
 * Context: interrupts off.
 */
void pmcgrp_pmu_restart(struct pmu *pmu)
{
	lockdep_assert_irqs_disabled();
	pmu_hold(pmu);
	pmu_unhold(pmu);
}

/* How many of the first counters are of one PMU; a set has them PMU by PMU. */
static unsigned int counters_of_one_pmu(struct pmcgrp_counter *const *counter, unsigned int nr)
{
	const struct pmu *pmu = counter[0]->event->pmu;

	while (counter[nr - 1]->event->pmu != pmu)
		nr--;
	return nr;
}

/**
 * pmcgrp_counters_hold - no counter of a set's PMUs moves until pmcgrp_counters_unhold()
 * @counter: the set
 * @nr_hw: its hardware counters
 *
 * It nests in what perf core holds.
 *
 * Context: interrupts off, on the counters' CPU.  Not in a trigger's handler: that may have
 * interrupted the PMU's driver while it starts the PMU.
 */
void pmcgrp_counters_hold(struct pmcgrp_counter *const *counter, unsigned int nr_hw)
{
	unsigned int i;

	lockdep_assert_irqs_disabled();
	for (i = 0; i < nr_hw; i += counters_of_one_pmu(counter + i, nr_hw - i))
		counter_hold(counter[i]);
}

/**
 * pmcgrp_counters_unhold - undo pmcgrp_counters_hold()
 * @counter: the set
 * @nr_hw: its hardware counters
 *
 * Context: as there.
 */
void pmcgrp_counters_unhold(struct pmcgrp_counter *const *counter, unsigned int nr_hw)
{
	unsigned int i;

	lockdep_assert_irqs_disabled();
	for (i = 0; i < nr_hw; i += counters_of_one_pmu(counter + i, nr_hw - i))
		counter_unhold(counter[i]);
}

/**
 * pmcgrp_counters_any_held - pmcgrp_counters_are_held() for a set of several PMUs
 * @counter: the set
 * @nr_hw: its hardware counters
 *
 * Context: interrupts off, on the counters' CPU.
 */
bool pmcgrp_counters_any_held(struct pmcgrp_counter *const *counter, unsigned int nr_hw)
{
	unsigned int i;

	lockdep_assert_irqs_disabled();
	for (i = 0; i < nr_hw; i += counters_of_one_pmu(counter + i, nr_hw - i))
		if (*pmcgrp_pmu_disable_count(counter[i]->event->pmu))
			return true;
	return false;
}

static int counter_add(struct pmcgrp_counter *counter)
{
	struct perf_event *event = counter->event;
	int err;

	if (!counter->on) {
		err = event->pmu->add(event, PERF_EF_START);
		if (err)
			return err;
		counter->on = true;
		if (counter->has_reg)
			counter->reg = pmcgrp_event_reg(event);
		if (!pmcgrp_counter_is_software(counter))
			pmcgrp_placement_note(counter);
	}
	counter->users++;
	return 0;
}

/**
 * pmcgrp_counter_del - take a counter off its PMU
 * @counter: the counter, on; the caller holds the PMU
 *
 * Context: interrupts off, on the counter's CPU.
 */
void pmcgrp_counter_del(struct pmcgrp_counter *counter)
{
	lockdep_assert_irqs_disabled();
	counter->event->pmu->del(counter->event, 0);
	counter->on = false;
	counter->reg = -1;
	list_del_init(&counter->placed);
}

/**
 * pmcgrp_counter_del_alone - the same for a PMU that nobody holds
 * @counter: the counter, on
 *
 * Context: as pmcgrp_counter_del().
 */
void pmcgrp_counter_del_alone(struct pmcgrp_counter *counter)
{
	counter_hold(counter);
	pmcgrp_counter_del(counter);
	counter_unhold(counter);
}

/* Undo counter_add() of one that was not on the PMU, in the same section. */
static void counter_undo_add(struct pmcgrp_counter *counter)
{
	if (!--counter->users)
		pmcgrp_counter_del(counter);
}

/* Which counters of a set are not on the PMU; a bit for each. */
static u64 counters_not_on(struct pmcgrp_counter *const *counter, unsigned int nr)
{
	u64 fresh = 0;
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!counter[i]->on)
			fresh |= BIT_ULL(i);
	return fresh;
}

/* One user more, or less, of the hardware counters that were on the PMU before. */
static void counters_use(struct pmcgrp_counter *const *counter, unsigned int nr_hw, u64 fresh,
			 int more)
{
	unsigned int i;

	for (i = 0; i < nr_hw; i++)
		if (!(fresh & BIT_ULL(i)))
			counter[i]->users += more;
}

/*
 * Add those of a run of one PMU's counters that are not on it, all or none, in one transaction:
 * x86's add() only collects, and the answer comes from commit_txn().
 */
static int counters_add_run(struct pmcgrp_counter *const *counter, u64 fresh)
{
	struct pmu *pmu = counter[__ffs64(fresh)]->event->pmu;
	u64 left, added = 0;
	int i, err = 0;

	pmu->start_txn(pmu, PERF_PMU_TXN_ADD);
	for (left = fresh; left; left &= left - 1) {
		i = __ffs64(left);
		err = counter_add(counter[i]);
		if (err)
			break;
		added |= BIT_ULL(i);
	}
	if (!err)
		err = pmu->commit_txn(pmu);
	if (!err)
		return 0;
	pmcgrp_placement_is_full(pmu, !left);
	for (; added; added &= ~BIT_ULL(i)) {
		i = fls64(added) - 1;
		counter_undo_add(counter[i]);
	}
	pmu->cancel_txn(pmu);
	return err;
}

/*
 * @fresh: which counters are not on their PMU, a bit for each; the others are used already
 * @may_evict: nothing on these PMUs is still to be programmed, so that idle counters
 * can be taken off for want of room.
 */
static int counters_add_hardware(struct pmcgrp_counter *const *counter, unsigned int nr_hw,
				 u64 fresh, bool may_evict)
{
	const struct pmu *pmu;
	unsigned int i, n;
	u64 run;
	int err;

	for (i = 0; i < nr_hw; i += n) {
		n = counters_of_one_pmu(counter + i, nr_hw - i);
		run = (fresh >> i) & GENMASK_ULL(n - 1, 0);
		if (!run)
			continue;
		pmu = counter[i]->event->pmu;
		if (may_evict)
			pmcgrp_placement_make_room(pmu, hweight64(run));
		err = counters_add_run(counter + i, run);
		if (err && may_evict && pmcgrp_placement_evict(pmu, 0))
			err = counters_add_run(counter + i, run);
		if (err)
			goto undo;
	}
	return 0;

undo:
	/* Another PMU's run is committed: have it programmed, then take it off. */
	if (i) {
		pmcgrp_counters_unhold(counter, nr_hw);
		pmcgrp_counters_hold(counter, nr_hw);
	}
	while (i--)
		if (fresh & BIT_ULL(i))
			counter_undo_add(counter[i]);
	return err;
}

/**
 * pmcgrp_counters_attach - let a set's software counters count
 * @counter: the set
 * @nr_hw: its hardware counters, which are not touched
 * @nr: all of its counters
 *
 * Context: interrupts off, on the counters' CPU, under its perf context's lock.
 * Return: 0, or the PMU's error; then nothing has changed.
 */
int pmcgrp_counters_attach(struct pmcgrp_counter *const *counter, unsigned int nr_hw,
			   unsigned int nr)
{
	unsigned int i;
	int err;

	lockdep_assert_irqs_disabled();
	for (i = nr_hw; i < nr; i++) {
		err = counter_add(counter[i]);
		if (err)
			goto undo;
	}
	return 0;

undo:
	pmcgrp_counters_detach(counter, nr_hw, i);
	return err;
}

/**
 * pmcgrp_counters_attach_unlocked - the same where that lock is not held
 * @counter: the set
 * @nr_hw: its hardware counters
 * @nr: all of its counters
 *
 * Context: an interrupt on the counters' CPU, which cannot have interrupted a
 * holder of the lock there, for such have interrupts off.
 * Return: as pmcgrp_counters_attach().
 */
int pmcgrp_counters_attach_unlocked(struct pmcgrp_counter *const *counter, unsigned int nr_hw,
				    unsigned int nr)
{
	struct perf_event_context *ctx;
	int err;

	lockdep_assert_irqs_disabled();
	if (nr_hw == nr)
		return 0;
	/* Software PMUs have their counters of a CPU in one context. */
	ctx = counter[nr_hw]->event->ctx;
	raw_spin_lock(&ctx->lock);
	err = pmcgrp_counters_attach(counter, nr_hw, nr);
	raw_spin_unlock(&ctx->lock);
	return err;
}

/**
 * pmcgrp_counters_detach - the opposite of pmcgrp_counters_attach()
 * @counter: the set
 * @nr_hw: its hardware counters
 * @nr: all of its counters
 *
 * Context: interrupts off, on the counters' CPU.
 */
void pmcgrp_counters_detach(struct pmcgrp_counter *const *counter, unsigned int nr_hw,
			    unsigned int nr)
{
	lockdep_assert_irqs_disabled();
	while (nr > nr_hw)
		counter_undo_add(counter[--nr]);
}

/**
 * pmcgrp_counters_place_slow - pmcgrp_counters_place() where some are not on their PMU
 * @counter: the set, its software counters attached
 * @nr_hw: its hardware counters
 *
 * Context: interrupts off, on the counters' CPU.
 * Return: 0, or the PMU's error; then no counter counts that did not before.
 */
int pmcgrp_counters_place_slow(struct pmcgrp_counter *const *counter, unsigned int nr_hw)
{
	bool held = pmcgrp_counters_are_held(counter, nr_hw);
	u64 fresh = counters_not_on(counter, nr_hw);
	int err;

	if (unlikely(READ_ONCE(ended)))
		return -ESHUTDOWN;
	/* Over two PMUs one may have to be undone, which has to wait for core. */
	if (held && counters_of_one_pmu(counter, nr_hw) != nr_hw)
		return -EAGAIN;

	pmcgrp_recursion_enter();
	pmcgrp_counters_hold(counter, nr_hw);
	counters_use(counter, nr_hw, fresh, 1);
	err = counters_add_hardware(counter, nr_hw, fresh, !held);
	if (err)
		counters_use(counter, nr_hw, fresh, -1);
	else
		pmcgrp_user_page_counters_moved();
	pmcgrp_counters_unhold(counter, nr_hw);
	pmcgrp_recursion_leave();
	return err;
}

/*
 * pmu->read() only when the hardware knows more than event->count: x86 programs a
 * counter only when the outermost enable runs (arch/x86/events/core.c:
 * x86_pmu_enable()), until when hw.state says UPTODATE.  The clock PMUs of core.c
 * never set hw.state, but these are on.  And arm_pmu.c stops events before their CPU loses
 * its registers' contents (cpu_pm_pmu_notify()).
 */
static __always_inline u64 counter_value(const struct pmcgrp_counter *counter)
{
	struct perf_event *event = counter->event;
	struct pmcgrp_reg_read parts;

	if (likely(counter->reg >= 0 && !(event->hw.state & PERF_HES_UPTODATE))) {
		pmcgrp_counter_reg_read(event, counter->reg, &parts);
		return pmcgrp_reg_value(&parts);
	}
	if (!(event->hw.state & PERF_HES_UPTODATE)) {
		/* What it adds is in neither place for a moment, where a record may come in. */
		pmcgrp_recursion_enter();
		event->pmu->read(event);
		pmcgrp_recursion_leave();
	}
	return local64_read(&event->count);
}

/**
 * pmcgrp_counters_run_while_held - have a set read that counts, while perf core may hold its PMUs
 * @counter: the set
 * @nr_hw: its hardware counters
 *
 * What is on the PMU counts until pmcgrp_counters_stop_again(), perf's own events as well: those
 * of one group alike.  Core's count of holds stays as it is, so a nested section changes nothing.
 *
 * Context: interrupts off, on the counters' CPU, where perf core has placed nothing in its
 * section yet.
 */
void pmcgrp_counters_run_while_held(struct pmcgrp_counter *const *counter, unsigned int nr_hw)
{
	struct pmu *pmu;
	unsigned int i;

	lockdep_assert_irqs_disabled();
	for (i = 0; i < nr_hw; i += counters_of_one_pmu(counter + i, nr_hw - i)) {
		pmu = counter[i]->event->pmu;
		if (*pmcgrp_pmu_disable_count(pmu))
			pmu->pmu_enable(pmu);
	}
}

/**
 * pmcgrp_counters_stop_again - undo pmcgrp_counters_run_while_held()
 * @counter: the set
 * @nr_hw: its hardware counters
 *
 * Context: the same section.
 */
void pmcgrp_counters_stop_again(struct pmcgrp_counter *const *counter, unsigned int nr_hw)
{
	struct pmu *pmu;
	unsigned int i;

	lockdep_assert_irqs_disabled();
	for (i = 0; i < nr_hw; i += counters_of_one_pmu(counter + i, nr_hw - i)) {
		pmu = counter[i]->event->pmu;
		if (*pmcgrp_pmu_disable_count(pmu))
			pmu->pmu_disable(pmu);
	}
}

/**
 * pmcgrp_counters_try_read - one reading of counters that go on counting
 * @counter: the set, placed before
 * @nr: all of its counters, at least one
 * @value: out: one for each counter, read in order
 *
 * The compiler makes one copy of it, for what a read takes is to be the same at both ends.
 *
 * Context: interrupts off, on the counters' CPU.
 * Return: false if an NMI came in between: what that has counted is in the later ones only.
 */
noinline bool pmcgrp_counters_try_read(struct pmcgrp_counter *const *counter, unsigned int nr,
				       u64 *value)
{
	unsigned int nmis = pmcgrp_nmis_here();

	pmcgrp_assert_here(counter[0]->cpu);
	do {
		*value++ = counter_value(*counter++);
	} while (--nr);
	return likely(nmis == pmcgrp_nmis_here());
}

/* NMIs that come as fast as a set is read are let through in the end. */
#define READ_TRIES 8

/**
 * pmcgrp_counters_read - the values of counters that go on counting
 * @counter: the set, placed before
 * @nr: all of its counters, at least one
 * @value: out: one for each counter, read in order without interruption
 *
 * While its PMU runs, a later counter is ahead of an earlier one by what the reads between them
 * take.  All that is said of a set is the difference of two readings.  If both are taken
 * while the PMU runs, that lead is the same in both, and so not in the difference; nor is
 * there one if both are taken while it is held.  So the PMU need not be stopped for a set
 * whose counters stay on it, but all readings of a stay are taken in the same state:
 * pmcgrp_evset_read_first() and pmcgrp_evset_read() see to that.  This function takes the PMU as it
 * finds it, and is all that a trigger's handler may call.
 *
 * An NMI in between makes a longer lead of it: then all are read again.
 *
 * Context: interrupts off, on the counters' CPU; NMI included.
 * Return: local_clock() then.
 */
u64 pmcgrp_counters_read(struct pmcgrp_counter *const *counter, unsigned int nr, u64 *value)
{
	unsigned int tries = READ_TRIES;

	while (!pmcgrp_counters_try_read(counter, nr, value) && --tries)
		;
	return local_clock();
}

/**
 * pmcgrp_counters_sync - have drivers take over what has been counted since long ago
 * @counter: the set, placed before
 * @nr_hw: its hardware counters
 *
 * It changes no value of theirs.
 *
 * Context: interrupts off, on the counters' CPU; in NMI, in a section of pmcgrp_recursion_try().
 */
void pmcgrp_counters_sync(struct pmcgrp_counter *const *counter, unsigned int nr_hw)
{
	struct perf_event *event;
	struct pmcgrp_reg_read parts;
	unsigned int i;

	pmcgrp_recursion_enter();
	for (i = 0; i < nr_hw; i++) {
		pmcgrp_assert_here(counter[i]->cpu);
		event = counter[i]->event;
		if (counter[i]->reg < 0 || event->hw.state & PERF_HES_UPTODATE)
			continue;
		pmcgrp_counter_reg_read(event, counter[i]->reg, &parts);
		if (pmcgrp_reg_is_far(&parts))
			event->pmu->read(event);
	}
	pmcgrp_recursion_leave();
}

/*
 * Whether it is in the last half of what its driver lets it count at a time.  Also if it is
 * about to be set anew: its driver has taken over what was counted past its end, and the
 * interrupt is still to come.
 */
static bool counter_is_low(const struct pmcgrp_counter *counter)
{
	struct pmcgrp_reg_read parts;

	if (counter->reg < 0)
		return false;
	if (local64_read(&counter->event->hw.period_left) <= 0)
		return true;
	pmcgrp_counter_reg_read(counter->event, counter->reg, &parts);
	return pmcgrp_reg_left(&parts) < counter->event->hw.sample_period >> 1;
}

/**
 * pmcgrp_counters_reload - see to it that no counter of a set is used up soon
 * @counter: the set, placed before, of which each can be peeked at
 * @nr_hw: its hardware counters
 *
 * As perf core has a counter of its own start from a period's beginning
 * (kernel/events/core.c: __perf_event_period()).
 *
 * Context: interrupts off, on the counters' CPU.
 * Return: whether a register has been set anew.
 */
bool pmcgrp_counters_reload(struct pmcgrp_counter *const *counter, unsigned int nr_hw)
{
	struct perf_event *event;
	bool any = false;
	unsigned int i;

	pmcgrp_assert_here(counter[0]->cpu);
	pmcgrp_recursion_enter();
	pmcgrp_counters_hold(counter, nr_hw);
	for (i = 0; i < nr_hw; i++) {
		if (!counter_is_low(counter[i]))
			continue;
		event = counter[i]->event;
		event->pmu->stop(event, PERF_EF_UPDATE);
		local64_set(&event->hw.period_left, 0);
		event->pmu->start(event, PERF_EF_RELOAD);
		any = true;
	}
	pmcgrp_counters_unhold(counter, nr_hw);
	pmcgrp_recursion_leave();
	return any;
}
