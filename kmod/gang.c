// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gangs: who is on this CPU now, from coming in to leaving.
 *
 * A CPU's gang is the rides of active groups whose carriers are in there.  turn.c
 * decides which of them count.
 *
 * Context: everything about a gang happens on its own CPU with interrupts off:
 * in perf core's scheduling of the carriers (under its ctx->lock, possibly in
 * the scheduler under the run-queue lock), in the gang's own hard hrtimer, or in
 * a hard irq_work or IPI.  Interrupts off is all the locking there is, on PREEMPT_RT too.
 */
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "cores.h"
#include "gang.h"
#include "group.h"
#include "idle.h"
#include "quiet.h"
#include "ride.h"
#include "slot.h"
#include "turn.h"

DEFINE_PER_CPU(struct pmcgrp_gang, pmcgrp_gangs);
u64 pmcgrp_rotate_ns;	/* constant after init */

/**
 * pmcgrp_gang_of - a CPU's gang
 * @cpu: the CPU
 */
struct pmcgrp_gang *pmcgrp_gang_of(int cpu)
{
	return per_cpu_ptr(&pmcgrp_gangs, cpu);
}

typedef int (*slots_attach_t)(struct pmcgrp_slot *const *slot, unsigned int nr_hw,
			      unsigned int nr);

/* Find a place for a ride that has come in. */
static __always_inline void gang_admit(struct pmcgrp_gang *gang, struct pmcgrp_ride *ride,
				       slots_attach_t attach)
{
	struct pmcgrp_slot *const *slot;

	if (!gang->open || ride->error)
		return;
	slot = pmcgrp_row_slots(pmcgrp_row_here(ride->group), gang->epoch);
	if (!slot || (ride->nr_hw < ride->nr && attach(slot, ride->nr_hw, ride->nr)))
		return;
	ride->slot = slot;
	if (pmcgrp_turn_is_crowded(gang) && pmcgrp_ride_takes_turns(ride) &&
	    !pmcgrp_slots_are_on(slot, ride->nr_hw))
		pmcgrp_turn_set_waiting(gang, ride, true);	/* its turn will come */
	else if (!pmcgrp_turn_place(gang, ride))
		pmcgrp_turn_make_room(gang, ride);
	pmcgrp_gang_arm(gang);
}

static void gang_drop_slots(struct pmcgrp_ride *ride)
{
	if (ride->slot && ride->nr_hw < ride->nr)
		pmcgrp_slots_detach(ride->slot, ride->nr_hw, ride->nr);
	ride->slot = NULL;
}

static __always_inline void gang_start(struct pmcgrp_ride *ride, slots_attach_t attach)
{
	struct pmcgrp_gang *gang = pmcgrp_gang_here();

	if (ride->joined)
		return;
	/* Pairs with pmcgrp_group_thaw(): not frozen any more, so the new events are seen. */
	if (smp_load_acquire(&ride->group->frozen))
		return;		/* it is started when the group is thawed */
	pmcgrp_quiet_enter();
	ride->joined = true;
	/* Tasks that a group counts one after the other have their turns as one. */
	if (!ride->enabled)
		ride->vrun = READ_ONCE(ride->group->vrun);
	pmcgrp_ride_start(ride);
	list_add_tail(&ride->gang_node, &gang->rides);
	gang->nr_rides++;
	gang_admit(gang, ride, attach);
	if (!ride->on)
		pmcgrp_ride_account(ride);	/* its time of waiting starts */
	pmcgrp_quiet_leave();
}

/**
 * pmcgrp_gang_start - the group of a ride that is in here has been enabled
 * @ride: its ride; one that counts already is left alone
 *
 * Never fails: a ride without room waits, and its enabled time runs.
 *
 * Context: interrupts off, in an interrupt or a task that holds no lock of perf's.
 */
void pmcgrp_gang_start(struct pmcgrp_ride *ride)
{
	/* A pinned one that could not be placed tries again. */
	if (ride->joined && ride->pinned && !ride->on)
		pmcgrp_gang_stop(ride);
	gang_start(ride, pmcgrp_slots_attach_unlocked);
}

/**
 * pmcgrp_gang_start_locked - the same under perf core's ctx->lock
 * @ride: its ride
 *
 * Context: interrupts off, this CPU's ctx->lock held.
 */
void pmcgrp_gang_start_locked(struct pmcgrp_ride *ride)
{
	gang_start(ride, pmcgrp_slots_attach);
}

static __always_inline void gang_stop(struct pmcgrp_ride *ride)
{
	struct pmcgrp_gang *gang = pmcgrp_gang_here();
	bool was_on = ride->on;

	if (!ride->joined)
		return;
	pmcgrp_quiet_enter();
	if (was_on)
		pmcgrp_turn_end(gang, ride);
	else
		pmcgrp_ride_account(ride);
	WRITE_ONCE(ride->group->vrun, ride->vrun);
	pmcgrp_turn_set_waiting(gang, ride, false);
	list_del_init(&ride->gang_node);
	gang->nr_rides--;
	gang_drop_slots(ride);
	ride->joined = false;
	pmcgrp_quiet_leave();
	pmcgrp_gang_arm(gang);
	/* For others, but not now: core may hold the PMU, and others may leave too. */
	if (unlikely(gang->nr_waiting) && was_on && ride->nr_hw)
		irq_work_queue(&gang->work);
}

/**
 * pmcgrp_gang_stop - a ride that is in here counts no more; its sums are complete
 * @ride: the ride
 *
 * Context: interrupts off; perf core's ctx->lock may be held.
 */
void pmcgrp_gang_stop(struct pmcgrp_ride *ride)
{
	gang_stop(ride);
}

static __always_inline void gang_join(struct pmcgrp_ride *ride, slots_attach_t attach)
{
	int cpu = smp_processor_id();

	WRITE_ONCE(ride->cpu, cpu);
	pmcgrp_row_of(ride->group, cpu)->in = ride;
	/* Either this sees the group active or its enabler sees the ride here; as for frozen. */
	smp_mb();
	if (READ_ONCE(ride->group->active))
		gang_start(ride, attach);
}

/**
 * pmcgrp_gang_join - a carrier has come in on this CPU
 * @ride: its ride
 *
 * Context: interrupts off, under perf core's ctx->lock.
 */
void pmcgrp_gang_join(struct pmcgrp_ride *ride)
{
	gang_join(ride, pmcgrp_slots_attach);
}

/**
 * pmcgrp_gang_board - a ride has come in with a carrier that is in here already
 * @ride: the ride
 *
 * Context: interrupts off, in an interrupt or a task that holds no lock of perf's.
 */
void pmcgrp_gang_board(struct pmcgrp_ride *ride)
{
	gang_join(ride, pmcgrp_slots_attach_unlocked);
}

/**
 * pmcgrp_gang_leave - a carrier leaves this CPU; its sums are then complete
 * @ride: its ride
 *
 * Context: interrupts off, under perf core's ctx->lock.
 */
void pmcgrp_gang_leave(struct pmcgrp_ride *ride)
{
	gang_stop(ride);
	pmcgrp_row_here(ride->group)->in = NULL;
	/* Pairs with group_locate(): who sees that it has left sees what it has counted. */
	smp_store_release(&ride->cpu, -1);
}

/**
 * pmcgrp_gang_has_turn - whether a ride that takes turns has its own now
 * @gang: this CPU's
 */
struct pmcgrp_ride *pmcgrp_gang_has_turn(struct pmcgrp_gang *gang)
{
	struct pmcgrp_ride *ride;

	lockdep_assert_irqs_disabled();
	list_for_each_entry(ride, &gang->rides, gang_node)
		if (ride->on && pmcgrp_ride_takes_turns(ride))
			return ride;
	return NULL;
}

/**
 * pmcgrp_gang_has_pinned - whether a pinned ride has hardware counters now
 * @gang: this CPU's
 *
 * Context: interrupts off.
 */
bool pmcgrp_gang_has_pinned(const struct pmcgrp_gang *gang)
{
	const struct pmcgrp_ride *ride;

	lockdep_assert_irqs_disabled();
	list_for_each_entry(ride, &gang->rides, gang_node)
		if (ride->on && ride->nr_hw && ride->pinned)
			return true;
	return false;
}

static const struct pmcgrp_slot *first_waiting(struct pmcgrp_slot *const *slot, unsigned int nr_hw)
{
	unsigned int i;

	for (i = 0; i < nr_hw; i++)
		if (!slot[i]->on)
			return slot[i];
	return slot[0];
}

static bool has_counter_for(const struct pmcgrp_ride *ride, const struct perf_event *wanted)
{
	unsigned int i;

	for (i = 0; i < ride->nr_hw; i++)
		if (ride->slot[i]->event->pmu == wanted->pmu &&
		    pmcgrp_counter_suits(ride->slot[i]->event, wanted))
			return true;
	return false;
}

/**
 * pmcgrp_gang_holder - who has counters that a ride may want
 * @gang: this CPU's
 * @ride: the ride
 * @slot: its hardware slots, at least one
 *
 * Context: interrupts off.
 * Return: another ride that has a counter which the first of these that is not on could have,
 * or NULL if none of the first ones that are looked at has.
 */
const struct pmcgrp_ride *pmcgrp_gang_holder(const struct pmcgrp_gang *gang,
					     const struct pmcgrp_ride *ride,
					     struct pmcgrp_slot *const *slot)
{
	const struct perf_event *wanted = first_waiting(slot, ride->nr_hw)->event;
	const struct pmcgrp_ride *other;
	unsigned int look = PMCGRP_LOOK;

	lockdep_assert_irqs_disabled();
	list_for_each_entry(other, &gang->rides, gang_node) {
		if (other != ride && other->on && has_counter_for(other, wanted))
			return other;
		if (!--look)
			break;
	}
	return NULL;
}

/**
 * pmcgrp_gang_epoch - a number that changes whenever a CPU goes or comes
 * @cpu: the CPU
 */
u64 pmcgrp_gang_epoch(int cpu)
{
	return READ_ONCE(per_cpu_ptr(&pmcgrp_gangs, cpu)->epoch);
}

/**
 * pmcgrp_gang_is_open - whether a CPU's slots are in use
 * @cpu: the CPU; unless it is the caller's, the answer may be old
 */
bool pmcgrp_gang_is_open(int cpu)
{
	return READ_ONCE(per_cpu_ptr(&pmcgrp_gangs, cpu)->open);
}

/**
 * pmcgrp_gang_is_alive - whether a CPU may have slots
 * @cpu: the CPU; unless it is the caller's, the answer may be old
 */
bool pmcgrp_gang_is_alive(int cpu)
{
	return READ_ONCE(per_cpu_ptr(&pmcgrp_gangs, cpu)->alive);
}

static void gang_open_here(void *info)
{
	const u64 *epoch = info;
	struct pmcgrp_gang *gang = pmcgrp_gang_here();
	struct pmcgrp_slot *const *slot;
	struct pmcgrp_ride *ride;

	if (!gang->alive || gang->epoch != *epoch)
		return;
	WRITE_ONCE(gang->open, true);
	list_for_each_entry(ride, &gang->rides, gang_node) {
		slot = pmcgrp_row_slots(pmcgrp_row_here(ride->group), gang->epoch);
		if (slot && !pmcgrp_slots_attach_unlocked(slot, ride->nr_hw, ride->nr))
			ride->slot = slot;
	}
	pmcgrp_turn_rotate(gang);
	pmcgrp_gang_arm(gang);
}

/**
 * pmcgrp_gang_open - let rides use a CPU whose slots have been made
 * @cpu: the CPU
 * @epoch: the epoch that they were made for
 *
 * If @cpu has gone meanwhile, nothing happens.
 *
 * Context: may sleep; no other opening of @cpu at the same time.
 */
void pmcgrp_gang_open(int cpu, u64 epoch)
{
	smp_call_function_single(cpu, gang_open_here, &epoch, 1);
}

/* Slots made before are of another life of this CPU. */
static void gang_set_alive(struct pmcgrp_gang *gang, bool alive)
{
	WRITE_ONCE(gang->epoch, gang->epoch + 1);
	WRITE_ONCE(gang->alive, alive);
}

/**
 * pmcgrp_gang_revive - this CPU has come online: its gang may be opened
 *
 * Context: a task bound to this CPU, as a cpuhp callback has it.
 */
void pmcgrp_gang_revive(void)
{
	local_irq_disable();
	gang_set_alive(pmcgrp_gang_here(), true);
	local_irq_enable();
}

/**
 * pmcgrp_gang_pause - what this CPU's counters hold is about to be lost: all off the PMU
 *
 * Who was on waits, and its sums are complete; idle slots go as well.
 *
 * Context: interrupts off, not within perf core.  Until pmcgrp_gang_go_on() nothing else happens
 * here, or pmcgrp_slots_end() keeps all off.
 */
void pmcgrp_gang_pause(void)
{
	struct pmcgrp_gang *gang = pmcgrp_gang_here();
	struct pmcgrp_ride *ride;

	lockdep_assert_irqs_disabled();
	list_for_each_entry(ride, &gang->rides, gang_node) {
		if (!ride->on)
			continue;
		pmcgrp_quiet_enter();
		pmcgrp_turn_end(gang, ride);
		pmcgrp_turn_set_waiting(gang, ride, true);
		pmcgrp_quiet_leave();
	}
	pmcgrp_slots_evict_all();
	gang->has_idle = false;
}

/**
 * pmcgrp_gang_go_on - this CPU's counters may be programmed again
 *
 * Context: as pmcgrp_gang_pause().
 */
void pmcgrp_gang_go_on(void)
{
	struct pmcgrp_gang *gang = pmcgrp_gang_here();

	lockdep_assert_irqs_disabled();
	pmcgrp_gang_fill(gang);
	pmcgrp_gang_arm(gang);
}

/**
 * pmcgrp_gang_close - this CPU goes offline: all off the PMU, the timer stopped
 *
 * Context: a task bound to this CPU, interrupts on, as a cpuhp callback has it.
 */
void pmcgrp_gang_close(void)
{
	struct pmcgrp_gang *gang;
	struct pmcgrp_ride *ride;

	local_irq_disable();
	gang = pmcgrp_gang_here();
	list_for_each_entry(ride, &gang->rides, gang_node) {
		pmcgrp_quiet_enter();
		if (ride->on)
			pmcgrp_turn_end(gang, ride);
		pmcgrp_turn_set_waiting(gang, ride, false);
		gang_drop_slots(ride);
		pmcgrp_quiet_leave();
	}
	pmcgrp_slots_evict_all();
	gang->has_idle = false;
	pmcgrp_truce_end(gang);
	WRITE_ONCE(gang->open, false);
	gang_set_alive(gang, false);
	local_irq_enable();

	/* Nothing queues or arms them while closed. */
	irq_work_sync(&gang->work);
	irq_work_sync(&gang->truce.kick);
	hrtimer_cancel(&gang->timer);
	timer_delete_sync(&gang->truce.watch);
	gang->armed = false;
}

/**
 * pmcgrp_gangs_init - once, before any carrier can exist; all gangs are closed
 * @rotate_ms: the interval between two turns
 */
void pmcgrp_gangs_init(unsigned int rotate_ms)
{
	int cpu;

	pmcgrp_rotate_ns = (u64)rotate_ms * NSEC_PER_MSEC;
	for_each_possible_cpu(cpu) {
		struct pmcgrp_gang *gang = per_cpu_ptr(&pmcgrp_gangs, cpu);

		INIT_LIST_HEAD(&gang->rides);
		gang->work = IRQ_WORK_INIT_HARD(pmcgrp_turn_work);
		gang->cpu = cpu;
		pmcgrp_truce_init(&gang->truce);
		hrtimer_setup(&gang->timer, pmcgrp_turn_timer, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
	}
}
