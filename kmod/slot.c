// SPDX-License-Identifier: GPL-2.0-only
/*
 * Slots on and off the PMU: the only file that drives pmu->add() and pmu->del().
 *
 * perf core takes a slot's event for disabled (pool.c).  Putting it on the PMU by
 * hand relies on nothing in a PMU's add/del/read/interrupt paths looking at
 * event->state or event->oncpu; that holds for drivers/perf/arm_pmu.c and
 * arm_pmuv3.c, arch/x86/events/core.c and the software PMUs of core.c.
 *
 * All of this is the hot path: interrupts off, on the slots' CPU, no locks.  A set
 * has its hardware slots first, then its software ones, and these come and go on
 * different occasions: hardware slots whenever the set gets or loses its turn,
 * software slots, which are never short, with the target itself.  That is also what
 * perf core wants: perf_swevent_add() insists on the CPU context's lock
 * (find_swevent_head()), which is held when core schedules a carrier in, and not in
 * a timer.
 *
 * A hardware slot that nobody uses any more stays on the PMU for a while (idle.c).
 */
#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>
#include "compat.h"
#include "direct.h"
#include "idle.h"
#include "peek.h"
#include "quiet.h"
#include "slot.h"

/* Nothing comes on any more: the system ends. */
static bool ended;

/**
 * pmcgrp_slots_end - from now on put nothing on any PMU
 *
 * For good: the system is about to be shut down, or another kernel to be entered.
 *
 * Context: any.
 */
void pmcgrp_slots_end(void)
{
	WRITE_ONCE(ended, true);
}

/**
 * pmcgrp_slot_is_software - whether the slot needs no room on any PMU
 * @slot: the slot
 */
bool pmcgrp_slot_is_software(const struct pmcgrp_slot *slot)
{
	return slot->event->pmu->task_ctx_nr == perf_sw_context;
}

/*
 * Hold a slot's PMU still, and let it go on: perf core's perf_pmu_disable() and
 * perf_pmu_enable(), which it does not export, nesting with them by sharing their
 * count.  While a PMU is held no counter of it moves, so that all slots of a set
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

static void slot_hold(const struct pmcgrp_slot *slot)
{
	pmu_hold(slot->event->pmu);
}

static void slot_unhold(const struct pmcgrp_slot *slot)
{
	pmu_unhold(slot->event->pmu);
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

/* How many of the first slots are of one PMU; a set has them PMU by PMU. */
static unsigned int slots_run(struct pmcgrp_slot *const *slot, unsigned int nr)
{
	const struct pmu *pmu = slot[0]->event->pmu;

	while (slot[nr - 1]->event->pmu != pmu)
		nr--;
	return nr;
}

/**
 * pmcgrp_slots_hold - no counter of a set's PMUs moves until pmcgrp_slots_unhold()
 * @slot: the set
 * @nr_hw: its hardware slots
 *
 * It nests in what perf core holds.
 *
 * Context: interrupts off, on the slots' CPU.  Not in a trigger's handler: that may have
 * interrupted the PMU's driver while it starts the PMU.
 */
void pmcgrp_slots_hold(struct pmcgrp_slot *const *slot, unsigned int nr_hw)
{
	unsigned int i;

	lockdep_assert_irqs_disabled();
	for (i = 0; i < nr_hw; i += slots_run(slot + i, nr_hw - i))
		slot_hold(slot[i]);
}

/**
 * pmcgrp_slots_unhold - undo pmcgrp_slots_hold()
 * @slot: the set
 * @nr_hw: its hardware slots
 *
 * Context: as there.
 */
void pmcgrp_slots_unhold(struct pmcgrp_slot *const *slot, unsigned int nr_hw)
{
	unsigned int i;

	lockdep_assert_irqs_disabled();
	for (i = 0; i < nr_hw; i += slots_run(slot + i, nr_hw - i))
		slot_unhold(slot[i]);
}

/**
 * pmcgrp_slots_any_held - pmcgrp_slots_are_held() for a set of several PMUs
 * @slot: the set
 * @nr_hw: its hardware slots
 *
 * Context: interrupts off, on the slots' CPU.
 */
bool pmcgrp_slots_any_held(struct pmcgrp_slot *const *slot, unsigned int nr_hw)
{
	unsigned int i;

	lockdep_assert_irqs_disabled();
	for (i = 0; i < nr_hw; i += slots_run(slot + i, nr_hw - i))
		if (*pmcgrp_pmu_disable_count(slot[i]->event->pmu))
			return true;
	return false;
}

static int slot_add(struct pmcgrp_slot *slot)
{
	struct perf_event *event = slot->event;
	int err;

	if (!slot->on) {
		err = event->pmu->add(event, PERF_EF_START);
		if (err)
			return err;
		slot->on = true;
		if (slot->peek)
			slot->counter = pmcgrp_peek_counter(event);
		if (!pmcgrp_slot_is_software(slot))
			pmcgrp_idle_watch(slot);
	}
	slot->users++;
	return 0;
}

/**
 * pmcgrp_slot_off - take a slot off its PMU
 * @slot: the slot, on; the caller holds the PMU
 *
 * Context: interrupts off, on the slot's CPU.
 */
void pmcgrp_slot_off(struct pmcgrp_slot *slot)
{
	lockdep_assert_irqs_disabled();
	slot->event->pmu->del(slot->event, 0);
	slot->on = false;
	slot->counter = -1;
	list_del_init(&slot->placed);
}

/**
 * pmcgrp_slot_take_off - the same for a PMU that nobody holds
 * @slot: the slot, on
 *
 * Context: as pmcgrp_slot_off().
 */
void pmcgrp_slot_take_off(struct pmcgrp_slot *slot)
{
	slot_hold(slot);
	pmcgrp_slot_off(slot);
	slot_unhold(slot);
}

/* Undo slot_add() of one that was not on the PMU, in the same section. */
static void slot_undo(struct pmcgrp_slot *slot)
{
	if (!--slot->users)
		pmcgrp_slot_off(slot);
}

/* Which slots of a set are not on the PMU; a bit for each. */
static u64 slots_fresh(struct pmcgrp_slot *const *slot, unsigned int nr)
{
	u64 fresh = 0;
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!slot[i]->on)
			fresh |= BIT_ULL(i);
	return fresh;
}

/* One user more, or less, of the hardware slots that were on the PMU before. */
static void slots_use(struct pmcgrp_slot *const *slot, unsigned int nr_hw, u64 fresh, int more)
{
	unsigned int i;

	for (i = 0; i < nr_hw; i++)
		if (!(fresh & BIT_ULL(i)))
			slot[i]->users += more;
}

/*
 * Add those of a run of one PMU's slots that are not on it, all or none, in one transaction:
 * x86's add() only collects, and the answer comes from commit_txn().
 */
static int slots_add_run(struct pmcgrp_slot *const *slot, u64 fresh)
{
	struct pmu *pmu = slot[__ffs64(fresh)]->event->pmu;
	u64 left, added = 0;
	int i, err = 0;

	pmu->start_txn(pmu, PERF_PMU_TXN_ADD);
	for (left = fresh; left; left &= left - 1) {
		i = __ffs64(left);
		err = slot_add(slot[i]);
		if (err)
			break;
		added |= BIT_ULL(i);
	}
	if (!err)
		err = pmu->commit_txn(pmu);
	if (!err)
		return 0;
	pmcgrp_idle_is_full(pmu, !left);
	for (; added; added &= ~BIT_ULL(i)) {
		i = fls64(added) - 1;
		slot_undo(slot[i]);
	}
	pmu->cancel_txn(pmu);
	return err;
}

/*
 * @fresh: which slots are not on their PMU, a bit for each; the others are used already
 * @may_evict: nothing on these PMUs is still to be programmed, so that idle slots
 * can be taken off for want of room.
 */
static int slots_add_hardware(struct pmcgrp_slot *const *slot, unsigned int nr_hw, u64 fresh,
			      bool may_evict)
{
	const struct pmu *pmu;
	unsigned int i, n;
	u64 run;
	int err;

	for (i = 0; i < nr_hw; i += n) {
		n = slots_run(slot + i, nr_hw - i);
		run = (fresh >> i) & GENMASK_ULL(n - 1, 0);
		if (!run)
			continue;
		pmu = slot[i]->event->pmu;
		if (may_evict)
			pmcgrp_idle_make_room(pmu, hweight64(run));
		err = slots_add_run(slot + i, run);
		if (err && may_evict && pmcgrp_idle_evict(pmu, 0))
			err = slots_add_run(slot + i, run);
		if (err)
			goto undo;
	}
	return 0;

undo:
	/* Another PMU's run is committed: have it programmed, then take it off. */
	if (i) {
		pmcgrp_slots_unhold(slot, nr_hw);
		pmcgrp_slots_hold(slot, nr_hw);
	}
	while (i--)
		if (fresh & BIT_ULL(i))
			slot_undo(slot[i]);
	return err;
}

/**
 * pmcgrp_slots_attach - let a set's software slots count
 * @slot: the set
 * @nr_hw: its hardware slots, which are not touched
 * @nr: all of its slots
 *
 * Context: interrupts off, on the slots' CPU, under its perf context's lock.
 * Return: 0, or the PMU's error; then nothing has changed.
 */
int pmcgrp_slots_attach(struct pmcgrp_slot *const *slot, unsigned int nr_hw, unsigned int nr)
{
	unsigned int i;
	int err;

	lockdep_assert_irqs_disabled();
	for (i = nr_hw; i < nr; i++) {
		err = slot_add(slot[i]);
		if (err)
			goto undo;
	}
	return 0;

undo:
	pmcgrp_slots_detach(slot, nr_hw, i);
	return err;
}

/**
 * pmcgrp_slots_attach_unlocked - the same where that lock is not held
 * @slot: the set
 * @nr_hw: its hardware slots
 * @nr: all of its slots
 *
 * Context: an interrupt on the slots' CPU, which cannot have interrupted a
 * holder of the lock there, for such have interrupts off.
 * Return: as pmcgrp_slots_attach().
 */
int pmcgrp_slots_attach_unlocked(struct pmcgrp_slot *const *slot, unsigned int nr_hw,
				 unsigned int nr)
{
	struct perf_event_context *ctx;
	int err;

	lockdep_assert_irqs_disabled();
	if (nr_hw == nr)
		return 0;
	/* Software PMUs have their counters of a CPU in one context. */
	ctx = slot[nr_hw]->event->ctx;
	raw_spin_lock(&ctx->lock);
	err = pmcgrp_slots_attach(slot, nr_hw, nr);
	raw_spin_unlock(&ctx->lock);
	return err;
}

/**
 * pmcgrp_slots_detach - the opposite of pmcgrp_slots_attach()
 * @slot: the set
 * @nr_hw: its hardware slots
 * @nr: all of its slots
 *
 * Context: interrupts off, on the slots' CPU.
 */
void pmcgrp_slots_detach(struct pmcgrp_slot *const *slot, unsigned int nr_hw, unsigned int nr)
{
	lockdep_assert_irqs_disabled();
	while (nr > nr_hw)
		slot_undo(slot[--nr]);
}

/**
 * pmcgrp_slots_place_fresh - pmcgrp_slots_place() where some are not on their PMU
 * @slot: the set, its software slots attached
 * @nr_hw: its hardware slots
 *
 * Context: interrupts off, on the slots' CPU.
 * Return: 0, or the PMU's error; then no slot counts that did not before.
 */
int pmcgrp_slots_place_fresh(struct pmcgrp_slot *const *slot, unsigned int nr_hw)
{
	bool held = pmcgrp_slots_are_held(slot, nr_hw);
	u64 fresh = slots_fresh(slot, nr_hw);
	int err;

	if (unlikely(READ_ONCE(ended)))
		return -ESHUTDOWN;
	/* Over two PMUs one may have to be undone, which has to wait for core. */
	if (held && slots_run(slot, nr_hw) != nr_hw)
		return -EAGAIN;

	pmcgrp_quiet_enter();
	pmcgrp_slots_hold(slot, nr_hw);
	slots_use(slot, nr_hw, fresh, 1);
	err = slots_add_hardware(slot, nr_hw, fresh, !held);
	if (err)
		slots_use(slot, nr_hw, fresh, -1);
	else
		pmcgrp_direct_counters_moved();
	pmcgrp_slots_unhold(slot, nr_hw);
	pmcgrp_quiet_leave();
	return err;
}

/*
 * pmu->read() only when the hardware knows more than event->count: x86 programs a
 * counter only when the outermost enable runs (arch/x86/events/core.c:
 * x86_pmu_enable()), until when hw.state says UPTODATE.  The clock PMUs of core.c
 * never set hw.state, but these are on.  And arm_pmu.c stops events before their CPU loses
 * its registers' contents (cpu_pm_pmu_notify()).
 */
static __always_inline u64 slot_value(const struct pmcgrp_slot *slot)
{
	struct perf_event *event = slot->event;
	struct pmcgrp_peek peek;

	if (likely(slot->counter >= 0 && !(event->hw.state & PERF_HES_UPTODATE))) {
		pmcgrp_peek_parts(event, slot->counter, &peek);
		return pmcgrp_peek_value(&peek);
	}
	if (!(event->hw.state & PERF_HES_UPTODATE)) {
		/* What it adds is in neither place for a moment, where a record may come in. */
		pmcgrp_quiet_enter();
		event->pmu->read(event);
		pmcgrp_quiet_leave();
	}
	return local64_read(&event->count);
}

/**
 * pmcgrp_slots_let_run - have a set read that counts, while perf core may hold its PMUs
 * @slot: the set
 * @nr_hw: its hardware slots
 *
 * What is on the PMU counts until pmcgrp_slots_stop_again(), perf's own events as well: those
 * of one group alike.  Core's count of holds stays as it is, so a nested section changes nothing.
 *
 * Context: interrupts off, on the slots' CPU, where perf core has placed nothing in its
 * section yet.
 */
void pmcgrp_slots_let_run(struct pmcgrp_slot *const *slot, unsigned int nr_hw)
{
	struct pmu *pmu;
	unsigned int i;

	lockdep_assert_irqs_disabled();
	for (i = 0; i < nr_hw; i += slots_run(slot + i, nr_hw - i)) {
		pmu = slot[i]->event->pmu;
		if (*pmcgrp_pmu_disable_count(pmu))
			pmu->pmu_enable(pmu);
	}
}

/**
 * pmcgrp_slots_stop_again - undo pmcgrp_slots_let_run()
 * @slot: the set
 * @nr_hw: its hardware slots
 *
 * Context: the same section.
 */
void pmcgrp_slots_stop_again(struct pmcgrp_slot *const *slot, unsigned int nr_hw)
{
	struct pmu *pmu;
	unsigned int i;

	lockdep_assert_irqs_disabled();
	for (i = 0; i < nr_hw; i += slots_run(slot + i, nr_hw - i)) {
		pmu = slot[i]->event->pmu;
		if (*pmcgrp_pmu_disable_count(pmu))
			pmu->pmu_disable(pmu);
	}
}

/**
 * pmcgrp_slots_try_read - one reading of slots that go on counting
 * @slot: the set, placed before
 * @nr: all of its slots, at least one
 * @value: out: one for each slot, read in order
 *
 * The compiler makes one copy of it, for what a read takes is to be the same at both ends.
 *
 * Context: interrupts off, on the slots' CPU.
 * Return: false if an NMI came in between: what that has counted is in the later ones only.
 */
noinline bool pmcgrp_slots_try_read(struct pmcgrp_slot *const *slot, unsigned int nr, u64 *value)
{
	unsigned int nmis = pmcgrp_nmis_here();

	pmcgrp_assert_here(slot[0]->cpu);
	do {
		*value++ = slot_value(*slot++);
	} while (--nr);
	return likely(nmis == pmcgrp_nmis_here());
}

/* NMIs that come as fast as a set is read are let through in the end. */
#define READ_TRIES	8

/**
 * pmcgrp_slots_read - the values of slots that go on counting
 * @slot: the set, placed before
 * @nr: all of its slots, at least one
 * @value: out: one for each slot, read in order without interruption
 *
 * While its PMU runs, a later slot is ahead of an earlier one by what the reads between them
 * take.  All that is said of a set is the difference of two readings.  If both are taken
 * while the PMU runs, that lead is the same in both, and so not in the difference; nor is
 * there one if both are taken while it is held.  So the PMU need not be stopped for a set
 * whose slots stay on it, but all readings of a stay are taken in the same state:
 * pmcgrp_stay_begin() and pmcgrp_stay_read() see to that.  This function takes the PMU as it
 * finds it, and is all that a trigger's handler may call.
 *
 * An NMI in between makes a longer lead of it: then all are read again.
 *
 * Context: interrupts off, on the slots' CPU; NMI included.
 * Return: local_clock() then.
 */
u64 pmcgrp_slots_read(struct pmcgrp_slot *const *slot, unsigned int nr, u64 *value)
{
	unsigned int tries = READ_TRIES;

	while (!pmcgrp_slots_try_read(slot, nr, value) && --tries)
		;
	return local_clock();
}

/**
 * pmcgrp_slots_take_over - have drivers take over what has been counted since long ago
 * @slot: the set, placed before
 * @nr_hw: its hardware slots
 *
 * It changes no value of theirs.
 *
 * Context: interrupts off, on the slots' CPU; in NMI, in a section of pmcgrp_quiet_try().
 */
void pmcgrp_slots_take_over(struct pmcgrp_slot *const *slot, unsigned int nr_hw)
{
	struct perf_event *event;
	struct pmcgrp_peek peek;
	unsigned int i;

	pmcgrp_quiet_enter();
	for (i = 0; i < nr_hw; i++) {
		pmcgrp_assert_here(slot[i]->cpu);
		event = slot[i]->event;
		if (slot[i]->counter < 0 || event->hw.state & PERF_HES_UPTODATE)
			continue;
		pmcgrp_peek_parts(event, slot[i]->counter, &peek);
		if (pmcgrp_peek_is_far(&peek))
			event->pmu->read(event);
	}
	pmcgrp_quiet_leave();
}

/*
 * Whether it is in the last half of what its driver lets it count at a time.  Also if it is
 * about to be set anew: its driver has taken over what was counted past its end, and the
 * interrupt is still to come.
 */
static bool slot_is_low(const struct pmcgrp_slot *slot)
{
	struct pmcgrp_peek peek;

	if (slot->counter < 0)
		return false;
	if (local64_read(&slot->event->hw.period_left) <= 0)
		return true;
	pmcgrp_peek_parts(slot->event, slot->counter, &peek);
	return pmcgrp_peek_left(&peek) < slot->event->hw.sample_period >> 1;
}

/**
 * pmcgrp_slots_refill - see to it that no counter of a set is used up soon
 * @slot: the set, placed before, of which each can be peeked at
 * @nr_hw: its hardware slots
 *
 * As perf core has a counter of its own start from a period's beginning
 * (kernel/events/core.c: __perf_event_period()).
 *
 * Context: interrupts off, on the slots' CPU.
 * Return: whether a register has been set anew.
 */
bool pmcgrp_slots_refill(struct pmcgrp_slot *const *slot, unsigned int nr_hw)
{
	struct perf_event *event;
	bool any = false;
	unsigned int i;

	pmcgrp_assert_here(slot[0]->cpu);
	pmcgrp_quiet_enter();
	pmcgrp_slots_hold(slot, nr_hw);
	for (i = 0; i < nr_hw; i++) {
		if (!slot_is_low(slot[i]))
			continue;
		event = slot[i]->event;
		event->pmu->stop(event, PERF_EF_UPDATE);
		local64_set(&event->hw.period_left, 0);
		event->pmu->start(event, PERF_EF_RELOAD);
		any = true;
	}
	pmcgrp_slots_unhold(slot, nr_hw);
	pmcgrp_quiet_leave();
	return any;
}
