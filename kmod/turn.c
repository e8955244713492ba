// SPDX-License-Identifier: GPL-2.0-only
/*
 * Turns: which rides of a CPU's gang are on the PMU.
 *
 * As long as the union of their slots fits the PMU all are on it.  When it does not,
 * whole rides take turns: at each tick the unpinned ones go off and come back in the
 * order of the time that they have had, least first, and going on past one that does
 * not fit.  A ride is on the PMU with all of its slots or with none.  perf's own
 * flexible events get their turns as well (truce.c).
 *
 * Context: as for all of a gang (gang.c): its CPU, interrupts off.
 */
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/list_sort.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/sched/clock.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "crew.h"
#include "gang.h"
#include "group.h"
#include "guard.h"
#include "idle.h"
#include "ride.h"
#include "slot.h"
#include "turn.h"

/* Whole ticks for which slots stay on the PMU idle. */
#define GANG_IDLE_TICKS		1

/* How long slots are removed at once after perf core was seen to rotate, in ticks. */
#define GANG_EAGER_TICKS	64

/* A ride that did not fit an otherwise empty PMU leaves it to others for so many ticks. */
#define GANG_MISFIT_PAUSE	16

/* Rides without room that are tried at one tick; the others come up later. */
#define GANG_TRIES		8

/*
 * A ride that found no room beside certain slots is not tried beside these again, but each
 * so many turns: perf may have let go of counters.
 */
#define GANG_BELIEVE		16

/* Ticks without anyone to be found after which a ride that comes in claims perf's counters. */
#define GANG_MISSED		3

/* The most turns that rides can be apart: what one can be owed. */
#define GANG_LAG_TURNS		4

/*
 * A turn of many rides takes its time, with interrupts off.  With more of them than
 * PMCGRP_CROWD, one that takes more than this part of a tick is followed by a rest: turns,
 * and looking for room, get at most one part in GANG_REST of the CPU.  (With fewer it
 * is quick, and what takes long is a hypervisor.)
 */
#define GANG_QUICK		16
#define GANG_REST		16

/**
 * pmcgrp_turn_be_eager - a ride has gone off where perf core rotates, or did lately
 * @gang: this CPU's
 * @ride: the ride
 *
 * A task whose perf events find no room for slots that stay would find none at each of its
 * turns: these leave with their targets for a while.  In a turn that was taken from perf, one
 * that is interrupted keeps its place.
 *
 * Context: interrupts off; perf core's locks may be held.
 */
void pmcgrp_turn_be_eager(struct pmcgrp_gang *gang, const struct pmcgrp_ride *ride)
{
	lockdep_assert_irqs_disabled();
	if (pmcgrp_perf_rotates(ride->slot[0]->event->pmu))
		gang->eager_until = ride->since + GANG_EAGER_TICKS * pmcgrp_gang_interval_ns();
	if (ride->since >= gang->truce.until)
		pmcgrp_slots_evict_programmed(NULL, 0);
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

	list_for_each_entry(ride, &gang->rides, gang_node)
		if (pmcgrp_ride_takes_turns(ride) && ride->slot && !ride->misfits)
			least = min(least, ride->vrun);
	if (least == U64_MAX)
		return;
	most = least + GANG_LAG_TURNS * pmcgrp_gang_interval_ns();
	list_for_each_entry(ride, &gang->rides, gang_node)
		if (pmcgrp_ride_takes_turns(ride))
			ride->vrun = min(ride->vrun, most);
}

/* Remember why a ride is not on: it may be gone before anybody asks. */
static void gang_explain(const struct pmcgrp_gang *gang, struct pmcgrp_ride *ride)
{
	const struct pmcgrp_ride *holder = pmcgrp_gang_holder(gang, ride, ride->slot);

	WRITE_ONCE(ride->why, holder ? PMCGRP_WHY_GROUPS : PMCGRP_WHY_OUTSIDE);
	WRITE_ONCE(ride->held_by, holder ? READ_ONCE(holder->group->member[0].id) : 0);
}

/**
 * pmcgrp_turn_wait - a ride has found no place
 * @gang: this CPU's
 * @ride: the ride, off
 *
 * Context: interrupts off; perf core's locks may be held.
 */
void pmcgrp_turn_wait(struct pmcgrp_gang *gang, struct pmcgrp_ride *ride)
{
	lockdep_assert_irqs_disabled();
	pmcgrp_turn_set_waiting(gang, ride, true);
	gang_explain(gang, ride);
}

/* pmcgrp_turn_place() where there is no section yet: nobody comes or goes just now. */
static bool turn_place_quietly(struct pmcgrp_gang *gang, struct pmcgrp_ride *ride)
{
	bool on;

	pmcgrp_quiet_enter();
	on = pmcgrp_turn_place(gang, ride);
	pmcgrp_quiet_leave();
	return on;
}

/**
 * pmcgrp_gang_take_off_turns - all that take turns go off
 * @gang: this CPU's
 *
 * Context: interrupts off, not within perf core or where it has placed nothing yet.
 */
void pmcgrp_gang_take_off_turns(struct pmcgrp_gang *gang)
{
	struct pmcgrp_ride *ride;

	lockdep_assert_irqs_disabled();
	list_for_each_entry(ride, &gang->rides, gang_node)
		if (ride->on && pmcgrp_ride_takes_turns(ride)) {
			pmcgrp_quiet_enter();
			pmcgrp_turn_end(gang, ride);
			pmcgrp_turn_set_waiting(gang, ride, true);
			pmcgrp_quiet_leave();
		}
}

/* What began then has taken its time: leave things as they are for a while. */
static void gang_rest(struct pmcgrp_gang *gang, u64 start)
{
	u64 now, took;

	if (gang->nr_rides <= PMCGRP_CROWD)
		return;
	now = local_clock();
	took = now - start;
	if (took > pmcgrp_gang_interval_ns() / GANG_QUICK)
		gang->rest_until = now + took * GANG_REST;
}

static u64 gang_rest_left(const struct pmcgrp_gang *gang)
{
	u64 now;

	if (likely(!gang->rest_until))
		return 0;
	now = local_clock();
	return gang->rest_until > now ? gang->rest_until - now : 0;
}

/**
 * pmcgrp_gang_fill - let waiting rides in that fit beside those that are on
 * @gang: this CPU's
 *
 * Context: interrupts off, not within perf core.
 */
void pmcgrp_gang_fill(struct pmcgrp_gang *gang)
{
	unsigned int tries = GANG_TRIES;
	u64 start = local_clock();
	struct pmcgrp_ride *ride;

	lockdep_assert_irqs_disabled();
	list_for_each_entry(ride, &gang->rides, gang_node) {
		if (!ride->waiting)
			continue;
		if (turn_place_quietly(gang, ride))
			ride->refused_by = 0;
		else if (!--tries)
			break;
	}
	gang_rest(gang, start);
}

/* Pinned first, those that cannot be placed anyway last, in between least-run first. */
static int gang_order(void *priv, const struct list_head *a, const struct list_head *b)
{
	const struct pmcgrp_ride *ra = list_entry(a, struct pmcgrp_ride, gang_node);
	const struct pmcgrp_ride *rb = list_entry(b, struct pmcgrp_ride, gang_node);

	if (ra->pinned != rb->pinned)
		return ra->pinned ? -1 : 1;
	if (ride_is_outcast(ra) != ride_is_outcast(rb))
		return ride_is_outcast(ra) ? 1 : -1;
	if (ra->vrun != rb->vrun)
		return ra->vrun < rb->vrun ? -1 : 1;
	return 0;
}

/* Would it be tried in vain? */
static bool ride_is_refused(struct pmcgrp_ride *ride)
{
	return ride->refused_by && pmcgrp_ride_takes_turns(ride) &&
	       !pmcgrp_slots_are_on(ride->slot, ride->nr_hw) &&
	       ride->refused_by == pmcgrp_slots_in_use() && ++ride->believed < GANG_BELIEVE;
}

/* Place a ride at its turn, beside those that have been @alone, which are none, or others. */
static bool gang_try(struct pmcgrp_gang *gang, struct pmcgrp_ride *ride, bool alone)
{
	if (alone)
		return turn_place_quietly(gang, ride);
	if (ride_is_refused(ride)) {
		pmcgrp_turn_wait(gang, ride);
		return false;
	}
	if (turn_place_quietly(gang, ride)) {
		ride->refused_by = 0;
		return true;
	}
	/* For want of room, and nothing else. */
	if (!gang->truce.yielding && !pmcgrp_slots_are_held(ride->slot, ride->nr_hw)) {
		ride->refused_by = pmcgrp_slots_in_use();
		ride->believed = 0;
	}
	return false;
}

/*
 * The next turn: all off, then on again in order, going on past a misfit.  A
 * pinned ride comes before all that take turns, and if it does not fit then, it
 * goes into error, as a pinned event of perf's does.
 */
static void gang_next_turn(struct pmcgrp_gang *gang)
{
	unsigned int tries = GANG_TRIES;
	struct pmcgrp_ride *ride;
	bool alone = true;

	gang->missed_since = 0;
	pmcgrp_gang_take_off_turns(gang);
	gang_level(gang);
	list_sort(NULL, &gang->rides, gang_order);
	list_for_each_entry(ride, &gang->rides, gang_node) {
		if (ride->on || !ride->slot || ride->error)
			continue;
		if (!tries) {
			pmcgrp_turn_set_waiting(gang, ride, true);
			continue;
		}
		if (gang_try(gang, ride, alone)) {
			if (pmcgrp_ride_takes_turns(ride))
				alone = false;
			continue;
		}
		tries--;
		if (ride->pinned) {
			pmcgrp_turn_set_waiting(gang, ride, false);
			WRITE_ONCE(ride->error, true);
		} else if (gang->truce.yielding) {
			tries = 0;	/* the others wait as well */
		} else if (alone && !ride_is_outcast(ride) && pmcgrp_truce_claim(gang, ride)) {
			alone = false;	/* perf has the room, and will be asked for it */
		} else if (alone || ride->misfits) {
			ride->misfits++;
		}
	}
}

static void gang_rotate(struct pmcgrp_gang *gang, u64 now)
{
	gang->rotated = now;
	gang_next_turn(gang);
	gang_rest(gang, now);
}

/**
 * pmcgrp_turn_rotate - the next turn
 * @gang: this CPU's
 *
 * Context: interrupts off, not while perf core holds a PMU of these rides.
 */
void pmcgrp_turn_rotate(struct pmcgrp_gang *gang)
{
	lockdep_assert_irqs_disabled();
	gang_rotate(gang, local_clock());
}

/* Is any ride waiting that could be helped by others giving up their places? */
static bool gang_has_contender(struct pmcgrp_gang *gang)
{
	struct pmcgrp_ride *ride;

	list_for_each_entry(ride, &gang->rides, gang_node)
		if (ride->waiting && !ride_is_outcast(ride))
			return true;
	return false;
}

static u64 most_of_a_tick(void)
{
	return pmcgrp_gang_interval_ns() - pmcgrp_gang_interval_ns() / 8;
}

static void gang_tick(struct pmcgrp_gang *gang, u64 now)
{
	struct pmcgrp_ride *ride;

	if (pmcgrp_truce_tick(gang))
		return;
	/* Between perf's turns and ours there are ticks in between. */
	if (now - gang->rotated < most_of_a_tick() || gang_rest_left(gang))
		return;
	pmcgrp_crew_wake(gang);
	if (gang_has_contender(gang)) {
		gang_rotate(gang, now);
		pmcgrp_crew_rest(gang);
		return;
	}
	gang->rotated = now;
	pmcgrp_gang_fill(gang);
	list_for_each_entry(ride, &gang->rides, gang_node)
		if (ride->waiting)
			ride->misfits++;
	pmcgrp_crew_rest(gang);
}

/* Those in between do not count. */
static void gang_count_tick(struct pmcgrp_gang *gang, u64 now)
{
	if (now - gang->ticked < most_of_a_tick())
		return;
	gang->ticked = now;
	gang->ticks++;
}

/**
 * pmcgrp_turn_timer - the gang's tick
 * @timer: of this CPU's gang
 *
 * Context: hard interrupt.
 */
enum hrtimer_restart pmcgrp_turn_timer(struct hrtimer *timer)
{
	struct pmcgrp_gang *gang = pmcgrp_gang_here();
	u64 now = local_clock();

	/* Pinned, and cancelled before the CPU goes: never anywhere else. */
	if (WARN_ON_ONCE(gang != container_of(timer, struct pmcgrp_gang, timer)))
		return HRTIMER_NORESTART;
	if (gang->truce.contended || pmcgrp_gang_has_waiting(gang))
		gang_tick(gang, now);
	gang_count_tick(gang, now);
	if (gang->has_idle)
		gang->has_idle = pmcgrp_slots_evict(gang->ticks - GANG_IDLE_TICKS);
	gang->armed = pmcgrp_gang_needs_tick(gang);
	if (!gang->armed)
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(max(pmcgrp_truce_interval_ns(gang),
						   gang_rest_left(gang))));
	return HRTIMER_RESTART;
}

/**
 * pmcgrp_gang_tick_on - start the tick of a gang that needs it
 * @gang: this CPU's; pmcgrp_gang_arm() says when
 *
 * Context: interrupts off.
 */
void pmcgrp_gang_tick_on(struct pmcgrp_gang *gang)
{
	lockdep_assert_irqs_disabled();
	gang->armed = true;
	hrtimer_start(&gang->timer, ns_to_ktime(pmcgrp_gang_interval_ns()),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/*
 * A ride that has come in and finds no room need not wait for the tick if it is
 * pinned, or if one that is on has already had a turn more than it.
 */
static bool gang_owes_turn(struct pmcgrp_gang *gang, const struct pmcgrp_ride *ride)
{
	unsigned int look = PMCGRP_LOOK;
	struct pmcgrp_ride *other;

	if (ride->pinned)
		return true;
	if (ride_is_outcast(ride))
		return false;
	list_for_each_entry(other, &gang->rides, gang_node) {
		if (other->on && pmcgrp_ride_takes_turns(other) &&
		    pmcgrp_ride_vrun(other) > ride->vrun + pmcgrp_gang_interval_ns())
			return true;
		if (!--look)
			break;
	}
	return false;
}

/*
 * Claims are made at ticks, at which a task that naps is hardly ever in.  So where no tick has
 * found anyone for a while, a ride that only perf's events keep off claims their counters as
 * soon as it comes in.
 */
static void gang_claim(struct pmcgrp_gang *gang)
{
	u64 missed = GANG_MISSED * pmcgrp_gang_interval_ns(), now = local_clock();
	struct pmcgrp_ride *ride, *least = NULL;
	unsigned int look = PMCGRP_LOOK;

	if (gang->truce.yielding || !gang->nr_waiting || pmcgrp_gang_has_turn(gang))
		return;
	if (!gang->missed_since)
		gang->missed_since = now;
	if (now - gang->missed_since < missed)
		return;
	list_for_each_entry(ride, &gang->rides, gang_node) {
		if (ride->waiting && pmcgrp_ride_takes_turns(ride) && !ride_is_outcast(ride) &&
		    (!least || ride->vrun < least->vrun))
			least = ride;
		if (!--look)
			break;
	}
	if (least)
		pmcgrp_truce_claim(gang, least);
}

/**
 * pmcgrp_turn_work - what could not be done while perf core was at work
 * @work: of this CPU's gang
 *
 * Context: hard interrupt, not within perf core.
 */
void pmcgrp_turn_work(struct irq_work *work)
{
	struct pmcgrp_gang *gang = pmcgrp_gang_here();
	bool yields;

	if (WARN_ON_ONCE(gang != container_of(work, struct pmcgrp_gang, work)))
		return;
	pmcgrp_guard_forget();
	yields = pmcgrp_truce_work(gang);
	/* A pinned ride comes in whosever turn it is. */
	if (!pmcgrp_gang_has_waiting(gang) || gang_rest_left(gang))
		goto arm;
	if (gang->owes) {
		pmcgrp_crew_wake(gang);
		pmcgrp_turn_rotate(gang);
		pmcgrp_crew_rest(gang);
	} else if (!yields) {
		pmcgrp_gang_fill(gang);
		gang_claim(gang);
	}
arm:
	gang->owes = false;
	pmcgrp_gang_arm(gang);
}

/**
 * pmcgrp_turn_make_room - for a ride that has come in and is not on: by a turn, if owed one
 * @gang: this CPU's
 * @ride: the ride
 *
 * While perf core holds the PMU that has to wait (pmcgrp_slots_are_held() says why), and
 * slots of several PMUs were not even tried (pmcgrp_slots_place()): they may well fit.
 *
 * Context: interrupts off; perf core's locks may be held.
 */
void pmcgrp_turn_make_room(struct pmcgrp_gang *gang, const struct pmcgrp_ride *ride)
{
	bool owes = gang_owes_turn(gang, ride);

	lockdep_assert_irqs_disabled();
	if (pmcgrp_slots_are_held(ride->slot, ride->nr_hw)) {
		gang->owes |= owes;
		irq_work_queue(&gang->work);
	} else if (owes && !gang_rest_left(gang)) {
		pmcgrp_turn_rotate(gang);
	}
}

/**
 * pmcgrp_turn_is_full - pmcgrp_turn_is_crowded() where some wait
 * @gang: this CPU's
 *
 * Context: interrupts off.
 */
bool pmcgrp_turn_is_full(const struct pmcgrp_gang *gang)
{
	lockdep_assert_irqs_disabled();
	return gang->nr_waiting >= GANG_TRIES || gang_rest_left(gang);
}
