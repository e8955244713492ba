// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gangs: who is on this CPU's PMU now.
 *
 * A CPU's gang is the rides whose carriers are in there.  As long as the union
 * of their slots fits the PMU all are on it.  When it does not, whole rides take
 * turns: at each tick the unpinned ones go off and come back in the order of the
 * time that they have had, least first, and going on past one that does not
 * fit.  A ride is on the PMU with all of its slots or with none.
 *
 * Context: everything about a gang happens on its own CPU with interrupts off:
 * in perf core's scheduling of the carriers (under its ctx->lock, possibly in
 * the scheduler under the run-queue lock), in the gang's own hard hrtimer, or in
 * a hard irq_work or IPI.  Interrupts off is all the locking there is, on PREEMPT_RT too.
 */
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/list_sort.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "gang.h"
#include "group.h"
#include "ride.h"

/* A ride that did not fit an otherwise empty PMU leaves it to others for so many ticks. */
#define GANG_MISFIT_PAUSE	16

/* Rides without room that are tried at one tick; the others come up later. */
#define GANG_TRIES		16

/* The most turns that rides can be apart: what one can be owed. */
#define GANG_LAG_TURNS		4

/* How many rides are looked at to see whether a newcomer is owed a turn. */
#define GANG_LOOK		64

/**
 * struct pmcgrp_gang - the rides of one CPU; that CPU, interrupts off
 * @rides: pmcgrp_ride.node, in the order of their next turns after a rotation
 * @timer: the tick, running while a ride waits
 * @work: what cannot be done while perf core is at work, right after it
 * @owes: @work is to give a turn, not only to fill what is free
 * @nr_waiting: rides that wait for room
 * @armed: @timer runs
 * @alive: between this CPU's online and offline callbacks; written here, read
 *	anywhere
 * @open: the slots of this CPU are usable; written here, read anywhere
 * @epoch: counts this CPU's goings and comings; written here, read anywhere
 */
struct pmcgrp_gang {
	struct list_head	rides;
	struct hrtimer		timer;
	struct irq_work		work;
	unsigned int		nr_waiting;
	bool			owes;
	bool			armed;
	bool			alive;
	bool			open;
	u64			epoch;
};

static DEFINE_PER_CPU(struct pmcgrp_gang, gangs);
static u64 interval_ns;

static struct pmcgrp_gang *gang_here(void)
{
	lockdep_assert_irqs_disabled();
	return this_cpu_ptr(&gangs);
}

static void gang_set_waiting(struct pmcgrp_gang *gang, struct pmcgrp_ride *ride, bool waiting)
{
	if (ride->waiting == waiting)
		return;
	ride->waiting = waiting;
	if (waiting)
		gang->nr_waiting++;
	else
		gang->nr_waiting--;
}

/* The rides that give up their place at a tick. */
static bool ride_takes_turns(const struct pmcgrp_ride *ride)
{
	return ride->nr_hw && !ride->pinned;
}

/* Due for another try on an empty PMU, after it had failed there? */
static bool ride_is_outcast(const struct pmcgrp_ride *ride)
{
	return ride->misfits % GANG_MISFIT_PAUSE;
}

/*
 * Nobody is owed more than a few turns, however long it has been away, was alone
 * elsewhere or has been kept off by others than us: those that have had more than
 * that above the least count as having had just that.  All are off the PMU.
 */
static void gang_level(struct pmcgrp_gang *gang)
{
	struct pmcgrp_ride *ride;
	u64 least = U64_MAX;
	u64 most;

	list_for_each_entry(ride, &gang->rides, node)
		if (ride_takes_turns(ride) && ride->slot && !ride->misfits)
			least = min(least, ride->vrun);
	if (least == U64_MAX)
		return;
	most = least + GANG_LAG_TURNS * interval_ns;
	list_for_each_entry(ride, &gang->rides, node)
		if (ride_takes_turns(ride))
			ride->vrun = min(ride->vrun, most);
}

static bool gang_place(struct pmcgrp_gang *gang, struct pmcgrp_ride *ride)
{
	bool on = pmcgrp_ride_place(ride);

	gang_set_waiting(gang, ride, !on);
	if (on)
		ride->misfits = 0;
	return on;
}

static void gang_take_off_turns(struct pmcgrp_gang *gang)
{
	struct pmcgrp_ride *ride;

	list_for_each_entry(ride, &gang->rides, node)
		if (ride->on && ride_takes_turns(ride))
			pmcgrp_ride_take_off(ride);
}

/* Let waiting rides in that fit beside those that are on. */
static void gang_fill(struct pmcgrp_gang *gang)
{
	unsigned int tries = GANG_TRIES;
	struct pmcgrp_ride *ride;

	list_for_each_entry(ride, &gang->rides, node)
		if (ride->waiting && !gang_place(gang, ride) && !--tries)
			break;
}

/* Pinned first, those that cannot be placed anyway last, in between least-run first. */
static int gang_order(void *priv, const struct list_head *a, const struct list_head *b)
{
	const struct pmcgrp_ride *ra = list_entry(a, struct pmcgrp_ride, node);
	const struct pmcgrp_ride *rb = list_entry(b, struct pmcgrp_ride, node);

	if (ra->pinned != rb->pinned)
		return ra->pinned ? -1 : 1;
	if (ride_is_outcast(ra) != ride_is_outcast(rb))
		return ride_is_outcast(ra) ? 1 : -1;
	if (ra->vrun != rb->vrun)
		return ra->vrun < rb->vrun ? -1 : 1;
	return 0;
}

/*
 * The next turn: all off, then on again in order, going on past a misfit.  A
 * pinned ride comes before all that take turns, and if it does not fit then, it
 * goes into error, as a pinned event of perf's does.
 */
static void gang_rotate(struct pmcgrp_gang *gang)
{
	unsigned int tries = GANG_TRIES;
	struct pmcgrp_ride *ride;
	bool alone = true;

	gang_take_off_turns(gang);
	gang_level(gang);
	list_sort(NULL, &gang->rides, gang_order);
	list_for_each_entry(ride, &gang->rides, node) {
		if (ride->on || !ride->slot || ride->error)
			continue;
		if (!tries) {
			gang_set_waiting(gang, ride, true);
			continue;
		}
		if (gang_place(gang, ride)) {
			if (ride_takes_turns(ride))
				alone = false;
			continue;
		}
		tries--;
		if (ride->pinned) {
			gang_set_waiting(gang, ride, false);
			WRITE_ONCE(ride->error, true);
		} else if (alone || ride->misfits) {
			ride->misfits++;
		}
	}
}

/* Is any ride waiting that could be helped by others giving up their places? */
static bool gang_has_contender(struct pmcgrp_gang *gang)
{
	struct pmcgrp_ride *ride;

	list_for_each_entry(ride, &gang->rides, node)
		if (ride->waiting && !ride_is_outcast(ride))
			return true;
	return false;
}

static void gang_tick(struct pmcgrp_gang *gang)
{
	struct pmcgrp_ride *ride;

	if (gang_has_contender(gang)) {
		gang_rotate(gang);
		return;
	}
	gang_fill(gang);
	list_for_each_entry(ride, &gang->rides, node)
		if (ride->waiting)
			ride->misfits++;
}

static enum hrtimer_restart gang_timer(struct hrtimer *timer)
{
	struct pmcgrp_gang *gang = gang_here();

	/* Pinned, and cancelled before the CPU goes: never anywhere else. */
	if (WARN_ON_ONCE(gang != container_of(timer, struct pmcgrp_gang, timer)))
		return HRTIMER_NORESTART;
	if (gang->nr_waiting)
		gang_tick(gang);
	gang->armed = gang->nr_waiting;
	if (!gang->armed)
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(interval_ns));
	return HRTIMER_RESTART;
}

static void gang_arm(struct pmcgrp_gang *gang)
{
	if (gang->armed || !gang->nr_waiting || !gang->open)
		return;
	gang->armed = true;
	hrtimer_start(&gang->timer, ns_to_ktime(interval_ns), HRTIMER_MODE_REL_PINNED_HARD);
}

/*
 * A ride that has come in and finds no room need not wait for the tick if it is
 * pinned, or if one that is on has already had a turn more than it.
 */
static bool gang_owes_turn(struct pmcgrp_gang *gang, const struct pmcgrp_ride *ride)
{
	unsigned int look = GANG_LOOK;
	struct pmcgrp_ride *other;

	if (ride->pinned)
		return true;
	if (ride_is_outcast(ride))
		return false;
	list_for_each_entry(other, &gang->rides, node) {
		if (other->on && ride_takes_turns(other) &&
		    pmcgrp_ride_vrun(other) > ride->vrun + interval_ns)
			return true;
		if (!--look)
			break;
	}
	return false;
}

static void gang_work(struct irq_work *work)
{
	struct pmcgrp_gang *gang = gang_here();

	if (WARN_ON_ONCE(gang != container_of(work, struct pmcgrp_gang, work)))
		return;
	if (gang->nr_waiting && gang->owes)
		gang_rotate(gang);
	else if (gang->nr_waiting)
		gang_fill(gang);
	gang->owes = false;
	gang_arm(gang);
}

/* Find a place for a ride that has come in. */
static void gang_admit(struct pmcgrp_gang *gang, struct pmcgrp_ride *ride)
{
	struct pmcgrp_slot *const *slot;

	if (!gang->open || ride->error)
		return;
	slot = pmcgrp_group_slots(ride->group, smp_processor_id());
	if (!slot || pmcgrp_slots_attach(slot, ride->nr_hw, ride->nr))
		return;
	ride->slot = slot;
	if (ride->nr_hw && !ride->pinned && gang->nr_waiting >= GANG_TRIES) {
		gang_set_waiting(gang, ride, true);	/* a crowd: its turn will come */
	} else if (!gang_place(gang, ride) && gang_owes_turn(gang, ride)) {
		/* pmcgrp_slots_are_held() says why that makes a difference */
		if (pmcgrp_slots_are_held(slot, ride->nr_hw)) {
			gang->owes = true;
			irq_work_queue(&gang->work);
		} else {
			gang_rotate(gang);
		}
	}
	gang_arm(gang);
}

static void gang_drop_slots(struct pmcgrp_ride *ride)
{
	if (ride->slot)
		pmcgrp_slots_detach(ride->slot, ride->nr_hw, ride->nr);
	ride->slot = NULL;
}

/**
 * pmcgrp_gang_join - a carrier has come in on this CPU
 * @ride: its ride
 *
 * Never fails: a ride without room waits, and its enabled time runs.
 *
 * Context: interrupts off; perf core's ctx->lock may be held.
 */
void pmcgrp_gang_join(struct pmcgrp_ride *ride)
{
	struct pmcgrp_gang *gang = gang_here();

	WRITE_ONCE(ride->cpu, smp_processor_id());
	pmcgrp_ride_start(ride);
	list_add_tail(&ride->node, &gang->rides);
	gang_admit(gang, ride);
	if (!ride->on)
		pmcgrp_ride_account(ride);	/* its time of waiting starts */
}

/**
 * pmcgrp_gang_leave - a carrier leaves this CPU; its sums are then complete
 * @ride: its ride
 *
 * Context: interrupts off; perf core's ctx->lock may be held.
 */
void pmcgrp_gang_leave(struct pmcgrp_ride *ride)
{
	struct pmcgrp_gang *gang = gang_here();
	bool makes_room = ride->on && ride->nr_hw;

	if (ride->on)
		pmcgrp_ride_take_off(ride);
	else
		pmcgrp_ride_account(ride);
	gang_set_waiting(gang, ride, false);
	list_del_init(&ride->node);
	gang_drop_slots(ride);
	WRITE_ONCE(ride->cpu, -1);
	/* For others, but not now: core may hold the PMU, and others may leave too. */
	if (makes_room && gang->nr_waiting)
		irq_work_queue(&gang->work);
}

/**
 * pmcgrp_gang_epoch - a number that changes whenever a CPU goes or comes
 * @cpu: the CPU
 */
u64 pmcgrp_gang_epoch(int cpu)
{
	return READ_ONCE(per_cpu_ptr(&gangs, cpu)->epoch);
}

/**
 * pmcgrp_gang_is_open - whether a CPU's slots are in use
 * @cpu: the CPU; unless it is the caller's, the answer may be old
 */
bool pmcgrp_gang_is_open(int cpu)
{
	return READ_ONCE(per_cpu_ptr(&gangs, cpu)->open);
}

/**
 * pmcgrp_gang_is_alive - whether a CPU may have slots
 * @cpu: the CPU; unless it is the caller's, the answer may be old
 */
bool pmcgrp_gang_is_alive(int cpu)
{
	return READ_ONCE(per_cpu_ptr(&gangs, cpu)->alive);
}

static void gang_open_here(void *info)
{
	const u64 *epoch = info;
	struct pmcgrp_gang *gang = gang_here();
	struct pmcgrp_slot *const *slot;
	struct pmcgrp_ride *ride;

	if (!gang->alive || gang->epoch != *epoch)
		return;
	WRITE_ONCE(gang->open, true);
	list_for_each_entry(ride, &gang->rides, node) {
		slot = pmcgrp_group_slots(ride->group, smp_processor_id());
		if (slot && !pmcgrp_slots_attach_unlocked(slot, ride->nr_hw, ride->nr))
			ride->slot = slot;
	}
	gang_rotate(gang);
	gang_arm(gang);
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
	gang_set_alive(gang_here(), true);
	local_irq_enable();
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
	gang = gang_here();
	list_for_each_entry(ride, &gang->rides, node) {
		if (ride->on)
			pmcgrp_ride_take_off(ride);
		gang_set_waiting(gang, ride, false);
		gang_drop_slots(ride);
	}
	WRITE_ONCE(gang->open, false);
	gang_set_alive(gang, false);
	local_irq_enable();

	/* Nothing queues or arms them while closed. */
	irq_work_sync(&gang->work);
	hrtimer_cancel(&gang->timer);
	gang->armed = false;
}

/**
 * pmcgrp_gang_interval_ns - the interval between two turns, in nanoseconds
 */
u64 pmcgrp_gang_interval_ns(void)
{
	return interval_ns;
}

/**
 * pmcgrp_gangs_init - once, before any carrier can exist; all gangs are closed
 * @rotate_ms: the interval between two turns
 */
void pmcgrp_gangs_init(unsigned int rotate_ms)
{
	int cpu;

	interval_ns = (u64)rotate_ms * NSEC_PER_MSEC;
	for_each_possible_cpu(cpu) {
		struct pmcgrp_gang *gang = per_cpu_ptr(&gangs, cpu);

		INIT_LIST_HEAD(&gang->rides);
		gang->work = IRQ_WORK_INIT_HARD(gang_work);
		hrtimer_setup(&gang->timer, gang_timer, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
	}
}
