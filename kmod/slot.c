// SPDX-License-Identifier: GPL-2.0-only
/*
 * Slots: one counter on one CPU, shared by every group that counts the same
 * event there.  The only file that drives pmu->add() and pmu->del().
 *
 * A slot's event is in state OFF for perf core, which therefore leaves it alone
 * (kernel/events/core.c: event_sched_in() and merge_sched_in() return at once
 * for PERF_EVENT_STATE_OFF and below).  Putting it on the PMU by hand relies on
 * nothing in a PMU's add/del/read/interrupt paths looking at event->state or
 * event->oncpu; that holds for drivers/perf/arm_pmu.c and arm_pmuv3.c,
 * arch/x86/events/core.c and the software PMUs of core.c.
 *
 * Lifetime: a slot lives while a row of a group holds it; it goes when the last
 * row lets go, which is after the carrier that could have used it is gone.
 * pool_mutex is the innermost of pmcgrp's mutexes; perf core's nest in it.
 *
 * The functions on sets of slots are the hot path: interrupts off, on the slots'
 * CPU, no locks.  A set has its hardware slots first, then its software ones, and
 * these come and go on different occasions: hardware slots whenever the set gets
 * or loses its turn, software slots, which are never short, with the target
 * itself.  That is also what perf core wants: perf_swevent_add() insists on the
 * CPU context's lock (find_swevent_head()), which is held when core schedules a
 * carrier in, and not in a timer.
 */
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include "compat.h"
#include "slot.h"

static DEFINE_MUTEX(pool_mutex);
static DEFINE_HASHTABLE(pool, 8);
static unsigned int nr_slots;	/* pool_mutex */
static unsigned int max_slots;	/* constant after init */

/**
 * pmcgrp_slots_init - once, before there is any slot
 * @slots_max: the most slots that there may be
 */
void pmcgrp_slots_init(unsigned int slots_max)
{
	max_slots = slots_max;
}

/**
 * pmcgrp_slots_exit - no group is left, so no slot is either
 */
void pmcgrp_slots_exit(void)
{
	WARN_ON(nr_slots);
}

static u32 slot_hash(const struct perf_event_attr *key, int cpu)
{
	return jhash(key, sizeof(*key), cpu);
}

static struct pmcgrp_slot *slot_find(const struct perf_event_attr *key, int cpu, u64 epoch)
{
	struct pmcgrp_slot *slot;

	lockdep_assert_held(&pool_mutex);
	hash_for_each_possible(pool, slot, node, slot_hash(key, cpu))
		if (slot->cpu == cpu && slot->epoch == epoch &&
		    !memcmp(&slot->key, key, sizeof(*key)))
			return slot;
	return NULL;
}

/* The kprobe and uprobe PMUs, whose attr names its target by a user pointer. */
static bool slot_event_is_probe(const struct perf_event *event)
{
#ifdef CONFIG_EVENT_TRACING
	return event->tp_event && event->attr.type != PERF_TYPE_TRACEPOINT;
#else
	return false;
#endif
}

/*
 * Refused: PMUs that trace rather than count, that can hold one event only, or
 * that have no per-CPU contexts (uncore: perf_pmu_migrate_context() would move a
 * slot to another CPU under us); and probes by pointer, which mean nothing to
 * another group or, when a CPU comes back, to a worker.  A probe made in tracefs
 * is a tracepoint like any other.
 */
static bool slot_event_ok(const struct perf_event *event, int cpu)
{
	const struct pmu *pmu = event->pmu;

	if (slot_event_is_probe(event))
		return false;
	return event->cpu == cpu && !pmu->setup_aux &&
	       !(pmu->capabilities & PERF_PMU_CAP_EXCLUSIVE) &&
	       pmu->task_ctx_nr != perf_invalid_context;
}

static struct pmcgrp_slot *slot_create(const struct perf_event_attr *key, int cpu, u64 epoch)
{
	struct perf_event_attr attr = *key;
	struct pmcgrp_slot *slot;
	int err;

	slot = kzalloc(sizeof(*slot), GFP_KERNEL);
	if (!slot)
		return ERR_PTR(-ENOMEM);
	slot->key = *key;
	slot->cpu = cpu;
	slot->epoch = epoch;
	slot->refs = 1;
	slot->event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
	if (IS_ERR(slot->event)) {
		err = PTR_ERR(slot->event);
		goto free_slot;
	}
	if (!slot_event_ok(slot->event, cpu)) {
		err = -EOPNOTSUPP;
		goto release_event;
	}
	return slot;

release_event:
	perf_event_release_kernel(slot->event);
free_slot:
	kfree(slot);
	return ERR_PTR(err);
}

/**
 * pmcgrp_slot_get - the counter for an event on a CPU, made if there is none
 * @attr: from pmcgrp_attr_copy()
 * @cpu: the CPU
 * @epoch: @cpu's epoch (pmcgrp_gang_epoch()), read before the call
 *
 * Context: may sleep.
 * Return: a slot with a reference for the caller, or an ERR_PTR: -ENODEV for an
 * offline CPU, -ENOENT for an event that no PMU of @cpu knows, -EOPNOTSUPP for
 * one that cannot be a member, -EDQUOT if there are too many slots already, or
 * whatever the PMU says.
 */
struct pmcgrp_slot *pmcgrp_slot_get(const struct perf_event_attr *attr, int cpu, u64 epoch)
{
	struct pmcgrp_slot *slot;

	mutex_lock(&pool_mutex);
	slot = slot_find(attr, cpu, epoch);
	if (slot) {
		slot->refs++;
	} else if (nr_slots >= max_slots) {
		slot = ERR_PTR(-EDQUOT);
	} else {
		slot = slot_create(attr, cpu, epoch);
		if (!IS_ERR(slot)) {
			hash_add(pool, &slot->node, slot_hash(attr, cpu));
			nr_slots++;
		}
	}
	mutex_unlock(&pool_mutex);
	return slot;
}

/**
 * pmcgrp_slot_put - let go of a slot; the last one to do so releases its counter
 * @slot: from pmcgrp_slot_get()
 *
 * Context: may sleep; the caller's rides are off the PMU.
 */
void pmcgrp_slot_put(struct pmcgrp_slot *slot)
{
	mutex_lock(&pool_mutex);
	if (--slot->refs) {
		mutex_unlock(&pool_mutex);
		return;
	}
	hash_del(&slot->node);
	nr_slots--;
	WARN_ON_ONCE(slot->users);
	perf_event_release_kernel(slot->event);
	mutex_unlock(&pool_mutex);
	kfree(slot);
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
 * start, stop and are read at one instant.
 */
static void slot_hold(const struct pmcgrp_slot *slot)
{
	struct pmu *pmu = slot->event->pmu;

	if (!(*pmcgrp_pmu_disable_count(pmu))++)
		pmu->pmu_disable(pmu);
}

static void slot_unhold(const struct pmcgrp_slot *slot)
{
	struct pmu *pmu = slot->event->pmu;

	if (!--(*pmcgrp_pmu_disable_count(pmu)))
		pmu->pmu_enable(pmu);
}

static void slots_hold(struct pmcgrp_slot *const *slot, unsigned int nr_hw)
{
	unsigned int i;

	for (i = 0; i < nr_hw; i++)
		slot_hold(slot[i]);
}

static void slots_unhold(struct pmcgrp_slot *const *slot, unsigned int nr_hw)
{
	unsigned int i;

	for (i = 0; i < nr_hw; i++)
		slot_unhold(slot[i]);
}

/**
 * pmcgrp_slots_are_held - whether perf core holds a PMU of a set just now
 * @slot: the set
 * @nr_hw: its hardware slots
 *
 * Then what is placed is not programmed before core lets go, and x86 cannot take
 * off what it has not programmed: x86_pmu_del() outside a transaction trusts a
 * hw.idx that is still that of an earlier stay.  So place at will, but take
 * nothing off again before core is done.
 *
 * Context: interrupts off, on the slots' CPU.
 */
bool pmcgrp_slots_are_held(struct pmcgrp_slot *const *slot, unsigned int nr_hw)
{
	unsigned int i;

	lockdep_assert_irqs_disabled();
	for (i = 0; i < nr_hw; i++)
		if (*pmcgrp_pmu_disable_count(slot[i]->event->pmu))
			return true;
	return false;
}

/*
 * pmu->read() only when the hardware knows more than event->count: a slot off
 * the PMU has a stale hw.idx, and x86 programs a counter only when the outermost
 * enable runs (arch/x86/events/core.c: x86_pmu_enable()), until when hw.state
 * says UPTODATE.  The clock PMUs of core.c never set hw.state, hence @users.
 */
static u64 slot_value(const struct pmcgrp_slot *slot)
{
	struct perf_event *event = slot->event;

	if (slot->users && !(event->hw.state & PERF_HES_UPTODATE))
		event->pmu->read(event);
	return local64_read(&event->count);
}

static int slot_add(struct pmcgrp_slot *slot)
{
	struct perf_event *event = slot->event;
	int err;

	if (!slot->users) {
		err = event->pmu->add(event, PERF_EF_START);
		if (err)
			return err;
	}
	slot->users++;
	return 0;
}

static void slot_del(struct pmcgrp_slot *slot)
{
	struct perf_event *event = slot->event;

	if (!--slot->users)
		event->pmu->del(event, 0);
}

static bool slot_is_unprogrammed(const struct pmcgrp_slot *slot)
{
	const int both = PERF_HES_STOPPED | PERF_HES_UPTODATE;

	return (slot->event->hw.state & both) == both;
}

/*
 * Add a run of slots of one PMU, all or none, in one transaction: x86's add()
 * only collects, and the answer comes from commit_txn().  Where all are on the
 * PMU already there is nothing to ask.
 */
static int slots_add_run(struct pmcgrp_slot *const *slot, unsigned int nr)
{
	struct pmu *pmu = slot[0]->event->pmu;
	unsigned int i, fresh = 0;
	int err = 0;

	for (i = 0; i < nr; i++)
		fresh += !slot[i]->users;
	if (!fresh) {
		for (i = 0; i < nr; i++)
			slot[i]->users++;
		return 0;
	}

	pmu->start_txn(pmu, PERF_PMU_TXN_ADD);
	for (i = 0; i < nr; i++) {
		err = slot_add(slot[i]);
		if (err)
			goto undo;
	}
	err = pmu->commit_txn(pmu);
	if (!err)
		return 0;
undo:
	while (i--)
		slot_del(slot[i]);
	pmu->cancel_txn(pmu);
	return err;
}

/* How many of the first slots are of one PMU. */
static unsigned int slots_run(struct pmcgrp_slot *const *slot, unsigned int nr)
{
	unsigned int i;

	for (i = 1; i < nr; i++)
		if (slot[i]->event->pmu != slot[0]->event->pmu)
			break;
	return i;
}

static int slots_add_hardware(struct pmcgrp_slot *const *slot, unsigned int nr_hw)
{
	unsigned int i, n;
	int err;

	for (i = 0; i < nr_hw; i += n) {
		n = slots_run(slot + i, nr_hw - i);
		err = slots_add_run(slot + i, n);
		if (err)
			goto undo;
	}
	return 0;

undo:
	/* Another PMU's run is committed: have it programmed, then take it off. */
	if (i) {
		slots_unhold(slot, nr_hw);
		slots_hold(slot, nr_hw);
	}
	while (i--)
		slot_del(slot[i]);
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
		slot_del(slot[--nr]);
}

/**
 * pmcgrp_slots_place - put a set's hardware slots on the PMU, all or none
 * @slot: the set, its software slots attached
 * @nr_hw: its hardware slots
 * @nr: all of its slots
 * @start: out: the one instant at which the set starts
 *
 * Context: interrupts off, on the slots' CPU.
 * Return: 0, or the PMU's error; then no slot is where it was not before.
 */
int pmcgrp_slots_place(struct pmcgrp_slot *const *slot, unsigned int nr_hw, unsigned int nr,
		       struct pmcgrp_instant *start)
{
	unsigned int i;
	int err;

	lockdep_assert_irqs_disabled();
	WARN_ON_ONCE(slot[0]->cpu != smp_processor_id());

	/* Over two PMUs one may have to be undone, which has to wait for core. */
	if (nr_hw && slots_run(slot, nr_hw) != nr_hw && pmcgrp_slots_are_held(slot, nr_hw))
		return -EAGAIN;

	slots_hold(slot, nr_hw);
	err = slots_add_hardware(slot, nr_hw);
	if (!err) {
		for (i = 0; i < nr; i++)
			start->value[i] = slot_value(slot[i]);
		start->now = local_clock();
	}
	slots_unhold(slot, nr_hw);
	return err;
}

/**
 * pmcgrp_slots_remove - take a set's hardware slots off the PMU
 * @slot: the set, placed before
 * @nr_hw: its hardware slots
 * @nr: all of its slots
 * @stop: out: the one instant at which the set stopped
 *
 * Slots that another ride uses too stay on.
 *
 * Context: interrupts off, on the slots' CPU.
 */
void pmcgrp_slots_remove(struct pmcgrp_slot *const *slot, unsigned int nr_hw, unsigned int nr,
			 struct pmcgrp_instant *stop)
{
	unsigned int i;

	lockdep_assert_irqs_disabled();
	WARN_ON_ONCE(slot[0]->cpu != smp_processor_id());

	slots_hold(slot, nr_hw);
	stop->now = local_clock();
	for (i = 0; i < nr_hw; i++) {
		WARN_ON_ONCE(slot_is_unprogrammed(slot[i]));
		slot_del(slot[i]);
	}
	for (i = 0; i < nr; i++)
		stop->value[i] = slot_value(slot[i]);
	slots_unhold(slot, nr_hw);
}

/**
 * pmcgrp_slots_read - the values of slots that go on counting
 * @slot: the set, placed before
 * @nr: all of its slots
 * @here: out: the slots' values, read in order without interruption
 *
 * The counters run on meanwhile, so that a later one is ahead of an earlier one
 * by what the reads between them take: the same each time.
 *
 * Context: interrupts off, on the slots' CPU.
 */
void pmcgrp_slots_read(struct pmcgrp_slot *const *slot, unsigned int nr,
		       struct pmcgrp_instant *here)
{
	unsigned int i;

	lockdep_assert_irqs_disabled();
	WARN_ON_ONCE(slot[0]->cpu != smp_processor_id());

	for (i = 0; i < nr; i++)
		here->value[i] = slot_value(slot[i]);
	here->now = local_clock();
}
