// SPDX-License-Identifier: GPL-2.0-only
/*
 * Turns with perf's own events on the same PMU.
 *
 * perf core does not know of counters and counters do not know of perf: whoever has the
 * counters keeps them.  So pmcgrp goes by perf's own rules:
 *
 *  - Yield.  perf core rotates while flexible events wait (rotate_necessary).  If so,
 *    and pmcgrp has had its turn, all sets that take turns go off for one tick, and a
 *    worker nudges perf core: an event made and released makes it schedule the CPU
 *    anew.  Less often where that is in vain (backoff.c).
 *  - Claim.  A set that does not even fit when no other of pmcgrp's is on asks for
 *    perf's counters.  The worker, running on that CPU, tries to place the set's
 *    counters itself: events of a task that perf counts are off the PMU while the worker
 *    runs.  If that fails, events of the CPU are in the way; the worker makes claims,
 *    flexible events of the CPU like the set's, which take their place at the end of
 *    perf's queue.  When rotation has brought all of them on, they are disabled and
 *    the counters placed, before perf core rotates the next time (reserve.c).  Such a turn lasts
 *    as long as the wait for it, up to a few ticks.
 *  - Help.  Where a pinned event has gone into error for want of our counters, pmcgrp
 *    yields, takes the event out of its error and nudges (pinned.c).
 *
 * Claims are flexible, so pinned events, the NMI watchdog's among them, never lose a
 * counter to them.
 *
 * Whether perf waits is looked at each tick while pmcgrp's sets contend, otherwise by
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
#include "sched.h"
#include "group.h"
#include "pinned.h"
#include "placement.h"
#include "evset.h"
#include "row.h"
#include "counter.h"
#include "arbiter.h"
#include "rotate.h"
#include "backoff.h"

/* Ticks from one look to the next while nothing is known to wait. */
#define CHECK_TICKS 4

/* The longest that our turn makes up for, in ticks. */
#define TURN_TICKS 4

/* How long perf is taken to be waiting once it has been seen to, in ticks. */
#define CONTEND_TICKS 8

/* Does perf wait for a PMU on which this set counts? */
static bool perf_waits_for(const struct pmcgrp_evset *set)
{
	unsigned int i;

	for (i = 0; i < set->nr_hw; i++)
		if (pmcgrp_perf_waits(set->counter[i]->event->pmu))
			return true;
	return false;
}

/* Does perf count by flexible events on a PMU on which this set is to count? */
static bool perf_is_on_for(const struct pmcgrp_evset *set)
{
	unsigned int i;

	for (i = 0; i < set->nr_hw; i++)
		if (pmcgrp_perf_is_on(set->counter[i]->event->pmu))
			return true;
	return false;
}

static void arbiter_kick(struct irq_work *kick)
{
	struct pmcgrp_arbiter *arbiter = container_of(kick, struct pmcgrp_arbiter, kick);

	queue_work_on(pmcgrp_arbiter_cpu(arbiter)->cpu, system_wq, &arbiter->work);
}

/* Not queued at once: perf core's locks may be held, the run-queue lock among them. */
static void arbiter_queue(struct pmcgrp_cpu *pcpu)
{
	pcpu->arbiter.busy = true;
	irq_work_queue(&pcpu->arbiter.kick);
}

static void arbiter_yield(struct pmcgrp_cpu *pcpu, const struct pmcgrp_evset *set, u64 now,
			  bool pinned)
{
	struct pmcgrp_arbiter *arbiter = &pcpu->arbiter;

	arbiter->attr = set->counter[0]->key;
	arbiter->attr.pinned = pinned; /* what is scheduled anew */
	arbiter->reschedule = true;
	arbiter->yielding = true;
	arbiter->contended = CONTEND_TICKS;
	arbiter->waiting_since = now;
	pmcgrp_rotate_flexible_off(pcpu);
	pmcgrp_counters_evict_all();
	arbiter_queue(pcpu);
}

static bool arbiter_is_overdue(const struct pmcgrp_arbiter *arbiter)
{
	return local_clock() + pmcgrp_mux_interval_ns() / 8 >= arbiter->until;
}

/*
 * Looks whether perf is short of what we have, and gives it up if we have had our turn.
 * With a crowd there are no turns with perf: core looks at all counters of the CPU at each
 * event that is made, enabled or released for them.
 */
static bool arbiter_yield_if_waiting(struct pmcgrp_cpu *pcpu)
{
	const struct pmcgrp_evset *set = pmcgrp_cpu_flexible_on(pcpu);
	struct pmcgrp_arbiter *arbiter = &pcpu->arbiter;
	bool in_error, waits;

	if (arbiter->contended)
		arbiter->contended--;
	/* The task that has its turn may be out just now: it will be seen coming in. */
	if (!set || pmcgrp_cpu_has_many_sets(pcpu))
		return false;
	arbiter->checked_at = pcpu->ticked;
	in_error = pmcgrp_pinned_recover(pcpu, set);
	if (in_error)
		arbiter->backoff.before = 0;
	waits = in_error || perf_waits_for(set);
	if (waits)
		arbiter->contended = CONTEND_TICKS;
	if (!in_error && (!waits || !arbiter_is_overdue(arbiter) ||
			  !pmcgrp_backoff_begin(&arbiter->backoff, set)))
		return false;
	arbiter_yield(pcpu, set, local_clock(), in_error);
	return true;
}

/* How much of perf's turn is left, to within an eighth of it; in nanoseconds. */
static s64 arbiter_yield_left(const struct pmcgrp_arbiter *arbiter)
{
	u64 interval = pmcgrp_mux_interval_ns();
	s64 left = arbiter->waiting_since + interval - local_clock();

	return left > (s64)interval / 8 ? left : 0;
}

/**
 * pmcgrp_arbiter_tick - perf's part in a tick
 * @pcpu: this CPU's
 *
 * Context: interrupts off, not within perf core.
 * Return: true if it is perf's turn; then there is nothing else to do.
 */
bool pmcgrp_arbiter_tick(struct pmcgrp_cpu *pcpu)
{
	struct pmcgrp_arbiter *arbiter = &pcpu->arbiter;

	/* On the clock, whatever becomes of the worker. */
	if (arbiter->yielding) {
		arbiter->yielding = arbiter_yield_left(arbiter) > 0;
		/* Nothing can be said while the worker has not come to nudge perf core. */
		if (!arbiter->yielding && !arbiter->busy)
			pmcgrp_backoff_end(&arbiter->backoff, pcpu);
		return arbiter->yielding;
	}
	/* No look while there may be claims: they are no events of perf's users. */
	return !arbiter->busy && arbiter_yield_if_waiting(pcpu);
}

static void arbiter_check(struct timer_list *timer)
{
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();

	if (&pcpu->arbiter.check_timer != timer)
		return; /* the CPU has gone offline */
	/*
	 * It is the tick that looks: softirqs may run in a thread, as always on PREEMPT_RT,
	 * and then those who count or wait are out just now.
	 */
	if (pcpu->usable && !pcpu->arbiter.contended && !pmcgrp_cpu_has_many_sets(pcpu) &&
	    local_clock() - pcpu->arbiter.checked_at > CHECK_TICKS * pmcgrp_mux_interval_ns())
		pcpu->arbiter.contended = 2;
	pmcgrp_rotate_arm(pcpu);
	if (pcpu->usable && pcpu->nr_evsets)
		mod_timer(timer, jiffies + pmcgrp_ticks_to_jiffies(CHECK_TICKS));
}

/**
 * pmcgrp_arbiter_interval_ns - how long to wait for the next tick
 * @pcpu: this CPU's
 *
 * Turns with perf end on time.  Where ours is over but nobody was seen to wait, it is
 * soon: the task that waits may just have been interrupted by another.
 */
u64 pmcgrp_arbiter_interval_ns(struct pmcgrp_cpu *pcpu)
{
	const struct pmcgrp_arbiter *arbiter = &pcpu->arbiter;
	u64 interval = pmcgrp_mux_interval_ns();

	if (arbiter->yielding)
		return max_t(s64, arbiter_yield_left(arbiter), interval / 8);
	if (arbiter->contended && !arbiter->busy && local_clock() >= arbiter->backoff.until)
		return clamp_t(s64, arbiter->until - local_clock(), interval / 8, interval);
	return interval;
}

/**
 * pmcgrp_arbiter_work - a task whose turn is over has come in
 * @pcpu: this CPU's
 *
 * Context: interrupts off, not within perf core.
 * Return: true if it is perf's turn now.
 */
bool pmcgrp_arbiter_work(struct pmcgrp_cpu *pcpu)
{
	struct pmcgrp_arbiter *arbiter = &pcpu->arbiter;

	return arbiter->contended && !arbiter->busy && !arbiter->yielding &&
	       arbiter_is_overdue(arbiter) && arbiter_yield_if_waiting(pcpu);
}

/**
 * pmcgrp_arbiter_note - pmcgrp_arbiter_placed() where the watch is off, or perf contends
 * @arbiter: this CPU's
 *
 * Context: as there.
 */
void pmcgrp_arbiter_note(struct pmcgrp_arbiter *arbiter)
{
	u64 interval = pmcgrp_mux_interval_ns();
	u64 now;

	lockdep_assert_irqs_disabled();
	if (!timer_pending(&arbiter->check_timer))
		mod_timer(&arbiter->check_timer, jiffies + pmcgrp_ticks_to_jiffies(CHECK_TICKS));
	if (!arbiter->waiting_since) {
		/* Right after this, for core may be at work on the PMU. */
		if (arbiter->contended && arbiter_is_overdue(arbiter) &&
		    local_clock() >= arbiter->backoff.until)
			irq_work_queue(&pmcgrp_arbiter_cpu(arbiter)->work);
		return;
	}
	now = local_clock();
	arbiter->until = now + clamp(now - arbiter->waiting_since, interval, TURN_TICKS * interval);
	arbiter->waiting_since = 0;
}

/**
 * pmcgrp_arbiter_want - ask perf for the counters of a set
 * @pcpu: this CPU's
 * @set: one that does not fit, though no other set that takes turns is on
 *
 * Context: interrupts off.
 * Return: true if it has been asked for, false if that came to nothing lately.
 */
bool pmcgrp_arbiter_want(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set)
{
	struct pmcgrp_arbiter *arbiter = &pcpu->arbiter;
	struct pmcgrp_group *group = set->group;

	if (arbiter->busy)
		return true;
	if (pmcgrp_cpu_has_many_sets(pcpu) || local_clock() < arbiter->want_after)
		return false;
	if (!perf_is_on_for(set))
		return false; /* pinned events and its own size are in its way */
	if (group->wants_failed && time_before(jiffies, READ_ONCE(group->want_after)))
		return false;
	if (!arbiter->waiting_since) {
		/* perf has come in by itself: it has the turn that it would have had. */
		arbiter->waiting_since = local_clock();
		arbiter->yielding = true;
		arbiter->backoff.before = 0;
		arbiter->contended = CONTEND_TICKS;
		return true;
	}
	pmcgrp_group_get(group);
	arbiter->requester = group;
	arbiter_queue(pcpu);
	return true;
}

/**
 * pmcgrp_arbiter_end - the CPU goes offline
 * @pcpu: this CPU's
 */
void pmcgrp_arbiter_end(struct pmcgrp_cpu *pcpu)
{
	pcpu->arbiter.contended = 0;
	pcpu->arbiter.yielding = false;
	pcpu->arbiter.waiting_since = 0;
	pcpu->arbiter.until = 0;
}

/**
 * pmcgrp_arbiter_flush - wait for all workers; nothing queues them any more
 *
 * Context: may sleep.
 */
void pmcgrp_arbiter_flush(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		flush_work(&pmcgrp_cpu_of(cpu)->arbiter.work);
}

/**
 * pmcgrp_arbiter_init - once, before there is any set
 * @arbiter: of a CPU
 */
void pmcgrp_arbiter_init(struct pmcgrp_arbiter *arbiter)
{
	INIT_WORK(&arbiter->work, pmcgrp_reserve_work);
	arbiter->kick = IRQ_WORK_INIT_HARD(arbiter_kick);
	timer_setup(&arbiter->check_timer, arbiter_check,
		    TIMER_DEFERRABLE | TIMER_PINNED | TIMER_IRQSAFE);
}
