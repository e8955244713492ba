// SPDX-License-Identifier: GPL-2.0-only
/*
 * Turns with perf's own events on the same PMU.
 *
 * perf core does not know of slots and slots do not know of perf: whoever has the
 * counters keeps them.  So pmcgrp goes by perf's own rules:
 *
 *  - Yield.  perf core rotates while flexible events wait (rotate_necessary).  If so,
 *    and pmcgrp has had its turn, all rides that take turns go off for one tick, and a
 *    worker nudges perf core: an event made and released makes it schedule the CPU
 *    anew.  Less often where that is in vain (vain.c).
 *  - Claim.  A ride that does not even fit when no other of pmcgrp's is on asks for
 *    perf's counters.  The worker, running on that CPU, tries to place the ride's
 *    slots itself: events of a task that perf counts are off the PMU while the worker
 *    runs.  If that fails, events of the CPU are in the way; the worker makes claims,
 *    flexible events of the CPU like the ride's, which take their place at the end of
 *    perf's queue.  When rotation has brought all of them on, they are disabled and
 *    the slots placed, before perf core rotates the next time (claim.c).  A turn so gained lasts
 *    as long as the wait for it, up to a few ticks.
 *  - Help.  Where a pinned event has gone into error for want of our counters, pmcgrp
 *    yields, takes the event out of its error and nudges (guard.c).
 *
 * Claims are flexible, so pinned events, the NMI watchdog's among them, never lose a
 * counter to them.
 *
 * Whether perf waits is looked at each tick while pmcgrp's rides contend, otherwise by
 * a deferrable timer, which does not wake an idle CPU.
 */
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>
#include "compat.h"
#include "gang.h"
#include "group.h"
#include "guard.h"
#include "idle.h"
#include "ride.h"
#include "row.h"
#include "slot.h"
#include "truce.h"
#include "turn.h"
#include "vain.h"

/* Ticks from one look to the next while nothing is known to wait. */
#define WATCH_TICKS	4

/* The longest that our turn makes up for, in ticks. */
#define TURN_TICKS	4

/* How long perf is taken to be waiting once it has been seen to, in ticks. */
#define CONTEND_TICKS	8

/* Does perf wait for a PMU on which this ride counts? */
static bool perf_waits_for(const struct pmcgrp_ride *ride)
{
	unsigned int i;

	for (i = 0; i < ride->nr_hw; i++)
		if (pmcgrp_perf_waits(ride->slot[i]->event->pmu))
			return true;
	return false;
}

/* Does perf count by flexible events on a PMU on which this ride is to count? */
static bool perf_is_on_for(const struct pmcgrp_ride *ride)
{
	unsigned int i;

	for (i = 0; i < ride->nr_hw; i++)
		if (pmcgrp_perf_is_on(ride->slot[i]->event->pmu))
			return true;
	return false;
}

static void truce_kick(struct irq_work *kick)
{
	struct pmcgrp_truce *truce = container_of(kick, struct pmcgrp_truce, kick);

	queue_work_on(pmcgrp_truce_gang(truce)->cpu, system_wq, &truce->work);
}

/* Not queued at once: perf core's locks may be held, the run-queue lock among them. */
static void truce_queue(struct pmcgrp_gang *gang)
{
	gang->truce.busy = true;
	irq_work_queue(&gang->truce.kick);
}

static void truce_yield(struct pmcgrp_gang *gang, const struct pmcgrp_ride *ride, u64 now,
			bool pinned)
{
	struct pmcgrp_truce *truce = &gang->truce;

	truce->attr = ride->slot[0]->key;
	truce->attr.pinned = pinned;	/* what is scheduled anew */
	truce->nudge = true;
	truce->yielding = true;
	truce->contended = CONTEND_TICKS;
	truce->wanting = now;
	pmcgrp_gang_take_off_turns(gang);
	pmcgrp_slots_evict_all();
	truce_queue(gang);
}

static bool truce_is_overdue(const struct pmcgrp_truce *truce)
{
	return local_clock() + pmcgrp_gang_interval_ns() / 8 >= truce->until;
}

/*
 * Looks whether perf is short of what we have, and gives it up if we have had our turn.
 * With a crowd there are no turns with perf: core looks at all slots of the CPU at each
 * event that is made, enabled or released for them.
 */
static bool truce_look(struct pmcgrp_gang *gang)
{
	const struct pmcgrp_ride *ride = pmcgrp_gang_has_turn(gang);
	struct pmcgrp_truce *truce = &gang->truce;
	bool stranded, waits;

	if (truce->contended)
		truce->contended--;
	/* The task that has its turn may be out just now: it will be seen coming in. */
	if (!ride || pmcgrp_gang_is_crowd(gang))
		return false;
	truce->looked = gang->ticked;
	stranded = pmcgrp_guard_help(gang, ride);
	if (stranded)
		truce->vain.before = 0;
	waits = stranded || perf_waits_for(ride);
	if (waits)
		truce->contended = CONTEND_TICKS;
	if (!stranded && (!waits || !truce_is_overdue(truce) ||
			  !pmcgrp_vain_begin(&truce->vain, ride)))
		return false;
	truce_yield(gang, ride, local_clock(), stranded);
	return true;
}

/* How much of perf's turn is left, to within an eighth of it; in nanoseconds. */
static s64 truce_yield_left(const struct pmcgrp_truce *truce)
{
	u64 interval = pmcgrp_gang_interval_ns();
	s64 left = truce->wanting + interval - local_clock();

	return left > (s64)interval / 8 ? left : 0;
}

/**
 * pmcgrp_truce_tick - perf's part in a tick
 * @gang: this CPU's
 *
 * Context: interrupts off, not within perf core.
 * Return: true if it is perf's turn; then there is nothing else to do.
 */
bool pmcgrp_truce_tick(struct pmcgrp_gang *gang)
{
	struct pmcgrp_truce *truce = &gang->truce;

	/* On the clock, whatever becomes of the worker. */
	if (truce->yielding) {
		truce->yielding = truce_yield_left(truce) > 0;
		/* Nothing can be said while the worker has not come to nudge perf core. */
		if (!truce->yielding && !truce->busy)
			pmcgrp_vain_end(&truce->vain, gang);
		return truce->yielding;
	}
	/* No look while there may be claims: they are no events of perf's users. */
	return !truce->busy && truce_look(gang);
}

static void truce_watch(struct timer_list *timer)
{
	struct pmcgrp_gang *gang = pmcgrp_gang_here();

	if (&gang->truce.watch != timer)
		return;		/* the CPU has gone offline */
	/*
	 * It is the tick that looks: softirqs may run in a thread, as always on PREEMPT_RT,
	 * and then those who count or wait are out just now.
	 */
	if (gang->open && !gang->truce.contended && !pmcgrp_gang_is_crowd(gang) &&
	    local_clock() - gang->truce.looked > WATCH_TICKS * pmcgrp_gang_interval_ns())
		gang->truce.contended = 2;
	pmcgrp_gang_arm(gang);
	if (gang->open && gang->nr_rides)
		mod_timer(timer, jiffies + pmcgrp_ticks_to_jiffies(WATCH_TICKS));
}

/**
 * pmcgrp_truce_interval_ns - how long to wait for the next tick
 * @gang: this CPU's
 *
 * Turns with perf end on time.  Where ours is over but nobody was seen to wait, it is
 * soon: the task that waits may just have been interrupted by another.
 */
u64 pmcgrp_truce_interval_ns(struct pmcgrp_gang *gang)
{
	const struct pmcgrp_truce *truce = &gang->truce;
	u64 interval = pmcgrp_gang_interval_ns();

	if (truce->yielding)
		return max_t(s64, truce_yield_left(truce), interval / 8);
	if (truce->contended && !truce->busy && local_clock() >= truce->vain.until)
		return clamp_t(s64, truce->until - local_clock(), interval / 8, interval);
	return interval;
}

/**
 * pmcgrp_truce_work - a task whose turn is over has come in
 * @gang: this CPU's
 *
 * Context: interrupts off, not within perf core.
 * Return: true if it is perf's turn now.
 */
bool pmcgrp_truce_work(struct pmcgrp_gang *gang)
{
	struct pmcgrp_truce *truce = &gang->truce;

	return truce->contended && !truce->busy && !truce->yielding &&
	       truce_is_overdue(truce) && truce_look(gang);
}

/**
 * pmcgrp_truce_note - pmcgrp_truce_placed() where the watch is off, or perf contends
 * @truce: this CPU's
 *
 * Context: as there.
 */
void pmcgrp_truce_note(struct pmcgrp_truce *truce)
{
	u64 interval = pmcgrp_gang_interval_ns();
	u64 now;

	lockdep_assert_irqs_disabled();
	if (!timer_pending(&truce->watch))
		mod_timer(&truce->watch, jiffies + pmcgrp_ticks_to_jiffies(WATCH_TICKS));
	if (!truce->wanting) {
		/* Right after this, for core may be at work on the PMU. */
		if (truce->contended && truce_is_overdue(truce) &&
		    local_clock() >= truce->vain.until)
			irq_work_queue(&pmcgrp_truce_gang(truce)->work);
		return;
	}
	now = local_clock();
	truce->until = now + clamp(now - truce->wanting, interval, TURN_TICKS * interval);
	truce->wanting = 0;
}

/**
 * pmcgrp_truce_claim - ask perf for the counters of a ride
 * @gang: this CPU's
 * @ride: one that does not fit, though no other ride that takes turns is on
 *
 * Context: interrupts off.
 * Return: true if it has been asked for, false if that came to nothing lately.
 */
bool pmcgrp_truce_claim(struct pmcgrp_gang *gang, struct pmcgrp_ride *ride)
{
	struct pmcgrp_truce *truce = &gang->truce;
	struct pmcgrp_group *group = ride->group;

	if (truce->busy)
		return true;
	if (pmcgrp_gang_is_crowd(gang) || local_clock() < truce->claim_after)
		return false;
	if (!perf_is_on_for(ride))
		return false;	/* pinned events and its own size are in its way */
	if (group->claims_failed && time_before(jiffies, READ_ONCE(group->claim_after)))
		return false;
	if (!truce->wanting) {
		/* perf has come in by itself: it has the turn that it would have had. */
		truce->wanting = local_clock();
		truce->yielding = true;
		truce->vain.before = 0;
		truce->contended = CONTEND_TICKS;
		return true;
	}
	pmcgrp_group_get(group);
	truce->claimant = group;
	truce_queue(gang);
	return true;
}

/**
 * pmcgrp_truce_end - the CPU goes offline
 * @gang: this CPU's
 */
void pmcgrp_truce_end(struct pmcgrp_gang *gang)
{
	gang->truce.contended = 0;
	gang->truce.yielding = false;
	gang->truce.wanting = 0;
	gang->truce.until = 0;
}

/**
 * pmcgrp_truce_flush - wait for all workers; nothing queues them any more
 *
 * Context: may sleep.
 */
void pmcgrp_truce_flush(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		flush_work(&pmcgrp_gang_of(cpu)->truce.work);
}

/**
 * pmcgrp_truce_init - once, before there is any ride
 * @truce: of a CPU
 */
void pmcgrp_truce_init(struct pmcgrp_truce *truce)
{
	INIT_WORK(&truce->work, pmcgrp_claim_work);
	truce->kick = IRQ_WORK_INIT_HARD(truce_kick);
	timer_setup(&truce->watch, truce_watch,
		    TIMER_DEFERRABLE | TIMER_PINNED | TIMER_IRQSAFE);
}
