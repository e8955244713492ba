// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arbitration: pmcgrp's flexible sets and perf's flexible events alternate on a PMU.
 *
 * perf core does not know of pmcgrp's counters, and pmcgrp does not schedule perf events.  The
 * side that has a counter would keep it.  So where both want the same counters, slices of perf
 * and slices of pmcgrp alternate on a CPU:
 *
 *  - Yield.  perf core rotates while flexible events wait (rotate_necessary).  If they wait
 *    and pmcgrp's slice is over, the flexible sets with counters of that PMU go off for one
 *    interval and idle counters are evicted.  A worker makes perf core reschedule the CPU by
 *    creating and releasing an event.  Slices by which perf gains nothing become rarer (backoff.c).
 *  - Reserve.  A set that does not fit although no other flexible set is on requests perf's
 *    counters.  The worker, on that CPU, tries to place the set's counters.  While it runs, the
 *    perf events of the interrupted task are off the PMU.  If it fails, events of the CPU are
 *    in the way.  The worker then makes reservation events: flexible events of the CPU that are
 *    like the set's, at the end of perf core's rotation list.  Once rotation has scheduled in
 *    all of them, the worker disables them and places the set's counters, before perf core
 *    rotates again (reserve.c).  pmcgrp's slice lasts as long as its wait did, one to
 *    TURN_TICKS intervals.
 *  - Recover.  A pinned perf event may be in error for want of a counter that pmcgrp has.
 *    Then pmcgrp yields, recovers the event, and has perf core reschedule (pinned.c).
 *
 * Reservation events are flexible.  So pinned events, the NMI watchdog's included, never lose
 * a counter to them.
 *
 * While perf contends, each tick checks whether perf events wait, otherwise one tick in
 * CHECK_TICKS.  Without ticks a deferrable timer checks, which does not wake an idle CPU.  It also
 * evicts idle counters.
 *
 * The arbiter neither places sets nor takes them off.  It returns verdicts, by which tick.c does.
 */
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/task.h>
#include <linux/smp.h>
#include "compat.h"
#include "arbiter/arbiter.h"
#include "arbiter/backoff.h"
#include "arbiter/contention.h"
#include "arbiter/cpu.h"
#include "arbiter/pinned.h"
#include "arbiter/reader.h"
#include "counter/counter.h"
#include "counter/event.h"
#include "counter/idle.h"
#include "set/evlist.h"
#include "set/evset.h"

/* Intervals between two checks while nothing is known to wait. */
#define CHECK_TICKS 4

/* Longest time for which a counter stays on the PMU without use. */
#define IDLE_NS NSEC_PER_SEC

/* Longest slice of pmcgrp, in intervals. */
#define TURN_TICKS 4

static void arbiter_kick(struct irq_work *kick)
{
	struct pmcgrp_arbiter *arbiter = container_of(kick, struct pmcgrp_arbiter, kick);

	queue_work_on(pmcgrp_arbiter_cpu(arbiter)->cpu, system_highpri_wq, &arbiter->work);
}

/*
 * Queue the worker by irq_work: perf core's locks and the run-queue lock may be held.  Slices are
 * as short as those of tasks: a worker of normal priority might run after the end of perf's slice.
 */
static void arbiter_queue(struct pmcgrp_cpu *pcpu)
{
	pcpu->arbiter.busy = true;
	irq_work_queue(&pcpu->arbiter.kick);
}

static void arbiter_yield(struct pmcgrp_cpu *pcpu, const struct pmcgrp_contention *contention,
			  u64 now)
{
	struct pmcgrp_arbiter *arbiter = &pcpu->arbiter;

	arbiter->pmus = contention->pmus;
	arbiter->attr = contention->counter->ev->key;
	arbiter->attr.pinned = contention->in_error; /* which events perf core reschedules */
	arbiter->by_clock = contention->in_error;
	arbiter->reschedule = true;
	arbiter->yielding = true;
	arbiter->waiting_since = now;
	arbiter_queue(pcpu);
}

static bool arbiter_is_overdue(const struct pmcgrp_arbiter *arbiter)
{
	return local_clock() + pmcgrp_mux_interval_ns() / 8 >= arbiter->until;
}

/**
 * pmcgrp_arbiter_contends - note that perf and pmcgrp compete
 * @arbiter: this CPU's arbiter
 * @pmus: where they do
 *
 * Context: interrupts off, not inside perf core.
 */
void pmcgrp_arbiter_contends(struct pmcgrp_arbiter *arbiter, const struct pmcgrp_contended *pmus)
{
	lockdep_assert_irqs_disabled();
	arbiter->with_cpu &= arbiter->contended || arbiter->paused;
	arbiter->with_cpu |= pmcgrp_contended_by_cpu(pmus);
	arbiter->contended = PMCGRP_CONTEND_TICKS;
	arbiter->paused = false;
}

/*
 * Check whether perf events wait for counters that pmcgrp has, and begin perf's slice if that of
 * pmcgrp is over.
 */
static enum pmcgrp_verdict arbiter_yield_if_waiting(struct pmcgrp_cpu *pcpu)
{
	struct pmcgrp_arbiter *arbiter = &pcpu->arbiter;
	struct pmcgrp_contention contention;
	u64 now = local_clock();

	if (arbiter->contended)
		arbiter->contended--;
	else if (now - arbiter->checked_at < CHECK_TICKS * pmcgrp_mux_interval_ns())
		return PMCGRP_KEEP;
	pmcgrp_contention_find(&contention, pcpu);
	/* A set that is scheduled out just now causes the check when it comes in. */
	if (!contention.any)
		return PMCGRP_KEEP;
	arbiter->checked_at = now;
	if (contention.in_error)
		arbiter->backoff.before = 0;
	if (contention.set) {
		/* If slices were paused it is for another PMU than before. */
		pmcgrp_arbiter_contends(arbiter, &contention.pmus);
		arbiter->perf_waited = !arbiter_is_overdue(arbiter);
	} else if (!arbiter->paused) {
		arbiter->perf_waited = false; /* those that have waited are gone, or all are on */
	}
	if (!contention.in_error && (!contention.set || !arbiter_is_overdue(arbiter) ||
				     !pmcgrp_backoff_begin(&arbiter->backoff, &contention.pmus)))
		return PMCGRP_KEEP;
	arbiter_yield(pcpu, &contention, now);
	return PMCGRP_YIELD;
}

/* Nanoseconds left of perf's slice; less than an eighth of an interval counts as none. */
static s64 arbiter_yield_left(const struct pmcgrp_arbiter *arbiter)
{
	u64 interval = pmcgrp_mux_interval_ns();
	s64 left = arbiter->waiting_since + interval - local_clock();

	return left > (s64)interval / 8 ? left : 0;
}

/**
 * pmcgrp_arbiter_tick - begin, continue or end perf's slice at a tick
 * @pcpu: this CPU's scheduler
 *
 * Context: interrupts off, not inside perf core.
 * Return: whose slice it is.
 */
enum pmcgrp_verdict pmcgrp_arbiter_tick(struct pmcgrp_cpu *pcpu)
{
	struct pmcgrp_arbiter *arbiter = &pcpu->arbiter;

	/* By the clock, not by what the worker has done. */
	if (arbiter->yielding) {
		arbiter->yielding = arbiter_yield_left(arbiter) > 0;
		/* Before the worker has had perf core reschedule, the gain is not known. */
		if (!arbiter->yielding && !arbiter->busy)
			pmcgrp_backoff_end(&arbiter->backoff, pcpu, &arbiter->pmus);
		return arbiter->yielding ? PMCGRP_YIELDED : PMCGRP_KEEP;
	}
	/* No check while reservation events may exist: only users' events count as waiting. */
	return arbiter->busy ? PMCGRP_KEEP : arbiter_yield_if_waiting(pcpu);
}

/*
 * Check whether perf needs an idle counter of this CPU.  No set need be in, so perf gets no slice:
 * its flexible events find the room when perf core rotates next.  Its pinned ones are recovered
 * from error, and perf core reschedules.
 */
static bool perf_needs_idle(struct pmcgrp_cpu *pcpu, u64 now)
{
	struct pmcgrp_arbiter *arbiter = &pcpu->arbiter;
	struct pmcgrp_counter *counter = NULL;
	bool needed = false;

	/* In pmcgrp's slice they stay, and reservation events of this module must not count. */
	if (arbiter->busy || now < arbiter->until)
		return false;
	while ((counter = pmcgrp_idle_find(counter))) {
		needed |= pmcgrp_contention_perf_waits(counter->pmu);
		if (!pmcgrp_pinned_recover(pcpu, counter->pmu))
			continue;
		needed = true;
		if (arbiter->busy)
			continue; /* one PMU at a time: the others by the next check */
		arbiter->attr = counter->ev->key;
		arbiter->attr.pinned = true; /* which events perf core reschedules */
		arbiter->by_clock = true;
		arbiter->reschedule = true;
		arbiter_queue(pcpu);
	}
	return needed;
}

/*
 * Evict the idle counters of this CPU if perf needs one, if user mode has got access to counters
 * since the running task came in, or if they have been idle for long.
 */
static void check_idle(struct pmcgrp_cpu *pcpu, u64 now)
{
	bool goes;

	pcpu->has_idle = pmcgrp_idle_evict_old(now - IDLE_NS);
	goes = perf_needs_idle(pcpu, now);
	goes |= pmcgrp_reader_check(pcpu);
	if (!goes)
		return;
	pmcgrp_idle_evict_all();
	pcpu->has_idle = false;
}

/*
 * Have the next ticks check whether perf events wait, if there may be any.  Slices begin at ticks.
 *
 * This softirq may run in a thread, as always on PREEMPT_RT.  Then the task whose events count or
 * wait is scheduled out, and its perf events are not seen: only the ticks can show it.  An idle CPU
 * gets no ticks for that: the set that is placed next has the check made.  A task that naps may do
 * so at each check.
 */
static void check_sets(struct pmcgrp_cpu *pcpu, u64 now)
{
	struct pmcgrp_arbiter *arbiter = &pcpu->arbiter;
	u64 interval = pmcgrp_mux_interval_ns();
	bool any;

	if (arbiter->contended || now - arbiter->checked_at <= CHECK_TICKS * interval)
		return;
	/* Where perf core rotates no counters are left behind (pmcgrp_rotate_evict_early()). */
	if (!pmcgrp_contention_is_likely(pcpu, &any) &&
	    (any || (now >= pcpu->evict_early_until &&
		     !pmcgrp_idle_used_since(now - interval))))
		return;
	if (is_idle_task(current))
		arbiter->check_pending = true;
	else
		arbiter->contended = 2;
}

/**
 * pmcgrp_arbiter_check - check whether perf needs counters, and go on with that
 * @pcpu: this CPU's scheduler
 * @now: local_clock()
 *
 * Called by the check timer.  The caller starts the rotation timer, if perf contends now.
 *
 * Context: softirq with interrupts off, not inside perf core.
 */
void pmcgrp_arbiter_check(struct pmcgrp_cpu *pcpu, u64 now)
{
	lockdep_assert_irqs_disabled();
	check_sets(pcpu, now);
	if (pcpu->has_idle)
		check_idle(pcpu, now);
	if (pcpu->nr_evsets || pcpu->has_idle)
		pmcgrp_arbiter_watch(&pcpu->arbiter);
}

/**
 * pmcgrp_arbiter_interval_ns - get the time to the next tick
 * @pcpu: this CPU's scheduler
 *
 * Slices end on time.  If pmcgrp's slice is over and no perf event was seen to wait, the next
 * tick comes soon: the task whose events wait may just have been preempted.
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
 * pmcgrp_arbiter_end_slice - yield if pmcgrp's slice is over and perf contends
 * @pcpu: this CPU's scheduler
 *
 * Called after a set was scheduled in, as the next tick may be late.
 *
 * Context: interrupts off, not inside perf core.
 * Return: %PMCGRP_YIELD if perf's slice begins, otherwise %PMCGRP_KEEP.
 */
enum pmcgrp_verdict pmcgrp_arbiter_end_slice(struct pmcgrp_cpu *pcpu)
{
	struct pmcgrp_arbiter *arbiter = &pcpu->arbiter;

	if (!arbiter->contended || arbiter->busy || arbiter->yielding ||
	    !arbiter_is_overdue(arbiter))
		return PMCGRP_KEEP;
	return arbiter_yield_if_waiting(pcpu);
}

/**
 * pmcgrp_arbiter_watch - check now and then whether perf needs counters
 * @arbiter: this CPU's arbiter
 *
 * The checks go on as long as sets are in, or counters idle.
 *
 * Context: interrupts off; perf core's locks may be held.
 */
void pmcgrp_arbiter_watch(struct pmcgrp_arbiter *arbiter)
{
	lockdep_assert_irqs_disabled();
	if (!timer_pending(&arbiter->check_timer))
		mod_timer(&arbiter->check_timer, jiffies + pmcgrp_ticks_to_jiffies(CHECK_TICKS));
}

/**
 * pmcgrp_arbiter_placed_slow - update the arbiter after a flexible set has been placed
 * @arbiter: this CPU's arbiter
 * @set: the set
 *
 * Called if the check timer is off, perf contends, or pmcgrp has waited for its slice.
 *
 * Context: as pmcgrp_arbiter_placed().
 */
void pmcgrp_arbiter_placed_slow(struct pmcgrp_arbiter *arbiter, const struct pmcgrp_evset *set)
{
	s64 interval = pmcgrp_mux_interval_ns(), waited;
	u64 now;

	lockdep_assert_irqs_disabled();
	pmcgrp_arbiter_watch(arbiter);
	if (arbiter->check_pending) {
		arbiter->check_pending = false;
		arbiter->contended = max(arbiter->contended, 2U);
	}
	/* Other PMUs have no slices. */
	if (pmcgrp_contended_by(&arbiter->pmus, set->counter, set->nr_hw))
		WRITE_ONCE(arbiter->placed, true);
	else if (arbiter->waiting_since)
		return;
	if (!arbiter->waiting_since) {
		/* Check by irq_work, as perf core may hold the PMU now. */
		if (arbiter->contended && arbiter_is_overdue(arbiter) &&
		    local_clock() >= arbiter->backoff.until)
			irq_work_queue(&pmcgrp_arbiter_cpu(arbiter)->work);
		return;
	}
	now = local_clock();
	waited = now - arbiter->waiting_since;
	arbiter->until = now + clamp(waited, interval, TURN_TICKS * interval);
	arbiter->waiting_since = 0;
}

/*
 * The task whose way event helps a set, with a reference, or NULL.  perf core schedules in a set
 * with a carrier of its task too late for one.  In the context switch the running task is the one
 * that leaves.
 */
static struct task_struct *requester_task(const struct pmcgrp_evset *set)
{
	if (set->ctx && set->task)
		return get_task_struct((struct task_struct *)set->task);
	if (set->task || set->evlist->follower->counts_cpus || !in_hardirq() ||
	    is_idle_task(current))
		return NULL;
	return get_task_struct(current);
}

/**
 * pmcgrp_arbiter_request - request counters from perf for a set
 * @pcpu: this CPU's scheduler
 * @set: a set that does not fit although no other flexible set is on
 *
 * Context: interrupts off, not inside perf core.
 * Return: true if the set will get a slice: a request was made or is under way, or perf's slice
 * comes first.  false if a request failed lately, or no flexible perf event is in the way.
 */
bool pmcgrp_arbiter_request(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set)
{
	struct pmcgrp_arbiter *arbiter = &pcpu->arbiter;
	struct pmcgrp_evlist *evlist = set->evlist;
	struct pmcgrp_contended pmus;

	if (arbiter->busy)
		return true;
	if (local_clock() < arbiter->request_after)
		return false;
	if (!pmcgrp_contended_find(&pmus, set))
		return false; /* pinned events or its size are in the way */
	if (evlist->requests_failed && time_before(jiffies, READ_ONCE(evlist->request_after)))
		return false;
	if (!arbiter->waiting_since && local_clock() >= arbiter->until) {
		/* perf events have come in without a yield: their slice begins now. */
		arbiter->pmus = pmus;
		arbiter->waiting_since = local_clock();
		arbiter->yielding = true;
		arbiter->backoff.before = 0;
		pmcgrp_arbiter_contends(arbiter, &pmus);
		return true;
	}
	/* Its placement ends the wait, whichever PMU was waited for before. */
	pmcgrp_contended_add(&arbiter->pmus, &pmus);
	pmcgrp_evlist_get(evlist);
	arbiter->requester = evlist;
	arbiter->placed = false;
	arbiter->by_clock = true;
	arbiter->task = requester_task(set);
	arbiter_queue(pcpu);
	return true;
}

/**
 * pmcgrp_arbiter_end - end all slices, as the CPU goes offline
 * @pcpu: this CPU's scheduler
 *
 * Context: interrupts off.
 */
void pmcgrp_arbiter_end(struct pmcgrp_cpu *pcpu)
{
	pcpu->arbiter.contended = 0;
	pcpu->arbiter.paused = false;
	pcpu->arbiter.check_pending = false;
	pcpu->arbiter.yielding = false;
	pcpu->arbiter.waiting_since = 0;
	pcpu->arbiter.until = 0;
}

/**
 * pmcgrp_arbiter_flush - wait for the workers of all CPUs, which nothing queues any more
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
 * pmcgrp_arbiter_init - initialise an arbiter
 * @arbiter: a CPU's arbiter
 * @worker: gets counters from perf
 * @check: called by the check timer; calls pmcgrp_arbiter_check()
 *
 * Context: once, before any set exists.
 */
void pmcgrp_arbiter_init(struct pmcgrp_arbiter *arbiter, work_func_t worker,
			 void (*check)(struct timer_list *timer))
{
	INIT_WORK(&arbiter->work, worker);
	arbiter->kick = IRQ_WORK_INIT_HARD(arbiter_kick);
	timer_setup(&arbiter->check_timer, check,
		    TIMER_DEFERRABLE | TIMER_PINNED | TIMER_IRQSAFE);
}
