/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_TURN_H
#define PMCGRP_TURN_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/types.h>
#include "gang.h"
#include "ride.h"

/* The rides that give up their place at a tick. */
static inline bool pmcgrp_ride_takes_turns(const struct pmcgrp_ride *ride)
{
	return ride->nr_hw && !ride->pinned;
}

/**
 * pmcgrp_turn_set_waiting - count a ride among those that wait, or no more
 * @gang: this CPU's
 * @ride: the ride
 * @waiting: whether it waits for room
 *
 * Context: interrupts off.
 */
static inline void pmcgrp_turn_set_waiting(struct pmcgrp_gang *gang, struct pmcgrp_ride *ride,
					   bool waiting)
{
	lockdep_assert_irqs_disabled();
	if (ride->waiting == waiting)
		return;
	ride->waiting = waiting;
	if (waiting)
		gang->nr_waiting++;
	else
		gang->nr_waiting--;
}

void pmcgrp_gang_tick_on(struct pmcgrp_gang *gang);

/* Is there a ride that would count if there were room, in the gang or at rest? */
static inline bool pmcgrp_gang_has_waiting(const struct pmcgrp_gang *gang)
{
	return gang->nr_waiting || gang->nr_resting;
}

static inline bool pmcgrp_gang_needs_tick(const struct pmcgrp_gang *gang)
{
	return gang->open && (gang->has_idle || gang->truce.contended ||
			      pmcgrp_gang_has_waiting(gang));
}

/**
 * pmcgrp_gang_arm - let the tick run if there is something for it to do
 * @gang: this CPU's
 *
 * Context: interrupts off.
 */
static inline void pmcgrp_gang_arm(struct pmcgrp_gang *gang)
{
	lockdep_assert_irqs_disabled();
	if (!gang->armed && pmcgrp_gang_needs_tick(gang))
		pmcgrp_gang_tick_on(gang);
}

void pmcgrp_gang_take_off_turns(struct pmcgrp_gang *gang);
void pmcgrp_gang_fill(struct pmcgrp_gang *gang);

void pmcgrp_turn_be_eager(struct pmcgrp_gang *gang, const struct pmcgrp_ride *ride);
void pmcgrp_turn_wait(struct pmcgrp_gang *gang, struct pmcgrp_ride *ride);
void pmcgrp_turn_rotate(struct pmcgrp_gang *gang);
void pmcgrp_turn_make_room(struct pmcgrp_gang *gang, const struct pmcgrp_ride *ride);
bool pmcgrp_turn_is_full(const struct pmcgrp_gang *gang);
enum hrtimer_restart pmcgrp_turn_timer(struct hrtimer *timer);
void pmcgrp_turn_work(struct irq_work *work);

/**
 * pmcgrp_turn_end - take a ride off its counters
 * @gang: this CPU's
 * @ride: the ride, on
 *
 * Its slots are left on the PMU for when it comes back.
 *
 * Context: interrupts off, quiet; perf core's locks may be held.
 */
static inline void pmcgrp_turn_end(struct pmcgrp_gang *gang, struct pmcgrp_ride *ride)
{
	pmcgrp_ride_take_off(ride, gang->ticks);
	if (!ride->nr_hw)
		return;
	gang->has_idle = true;
	if (unlikely(pmcgrp_perf_rotates(ride->slot[0]->event->pmu) ||
		     ride->since < gang->eager_until))
		pmcgrp_turn_be_eager(gang, ride);
}

/**
 * pmcgrp_turn_place - put a ride on its counters if there is room and it is our turn
 * @gang: this CPU's
 * @ride: the ride, off
 *
 * Context: interrupts off, quiet; perf core's locks may be held.
 * Return: whether it is on; otherwise it waits.
 */
static inline bool pmcgrp_turn_place(struct pmcgrp_gang *gang, struct pmcgrp_ride *ride)
{
	lockdep_assert_irqs_disabled();
	if ((gang->truce.yielding && pmcgrp_ride_takes_turns(ride)) || !pmcgrp_ride_place(ride)) {
		pmcgrp_turn_wait(gang, ride);
		return false;
	}
	pmcgrp_turn_set_waiting(gang, ride, false);
	ride->misfits = 0;
	WRITE_ONCE(ride->why, PMCGRP_WHY_NONE);
	if (pmcgrp_ride_takes_turns(ride))
		pmcgrp_truce_placed(&gang->truce);
	return true;
}

/**
 * pmcgrp_turn_is_crowded - many wait, or more than there is time for
 * @gang: this CPU's
 *
 * One more is then not tried at once.
 *
 * Context: interrupts off.
 */
static inline bool pmcgrp_turn_is_crowded(const struct pmcgrp_gang *gang)
{
	lockdep_assert_irqs_disabled();
	return gang->nr_waiting && pmcgrp_turn_is_full(gang);
}

#endif /* PMCGRP_TURN_H */
