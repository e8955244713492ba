// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a CPU scheduler does from outside perf core: the ticks of the rotation timer, and the
 * irq_work that comes right after perf core's section or a context switch.
 *
 * Context: hard interrupt, on its CPU.
 */
#include <linux/hrtimer.h>
#include <linux/init.h>
#include <linux/irq_work.h>
#include <linux/sched/clock.h>
#include "compat.h"
#include "arbiter/arbiter.h"
#include "arbiter/contention.h"
#include "arbiter/cpu.h"
#include "arbiter/refusal.h"
#include "counter/idle.h"
#include "follow/rest.h"
#include "follow/tick.h"
#include "sched/background.h"
#include "sched/background_fill.h"
#include "sched/rotate.h"
#include "set/evset.h"

/* Ticks without a rotation after which a set that comes in requests perf's counters. */
#define MISSED_TICKS 3

/* Whether a set waits that could be placed if others went off. */
static bool has_contender(struct pmcgrp_cpu *pcpu)
{
	struct pmcgrp_evset *set;

	list_for_each_entry(set, &pcpu->sets, cpu_node)
		if (set->waiting && !pmcgrp_evset_backs_off(set))
			return true;
	return false;
}

static u64 most_of_a_tick(void)
{
	return pmcgrp_mux_interval_ns() - pmcgrp_mux_interval_ns() / 8;
}

/* Take flexible sets off if perf's slice begins.  Return: whether it is perf's slice. */
static bool apply_verdict(struct pmcgrp_cpu *pcpu, enum pmcgrp_verdict verdict)
{
	if (verdict == PMCGRP_YIELD) {
		pmcgrp_rotate_yield(pcpu);
		pmcgrp_idle_evict_all();
	}
	return verdict != PMCGRP_KEEP;
}

/* If all sets of the backlog that have come back have found room, more are tried, by @work. */
static bool more_may_fit(const struct pmcgrp_cpu *pcpu, bool woken)
{
	return woken && !pcpu->nr_waiting && pmcgrp_cpu_has_backlog(pcpu);
}

static void end_rotation(struct pmcgrp_cpu *pcpu, bool woken)
{
	if (more_may_fit(pcpu, woken)) {
		pcpu->wake_pending = true;
		irq_work_queue(&pcpu->work);
	}
	pmcgrp_rest_begin(pcpu);
}

static void rotate_tick(struct pmcgrp_cpu *pcpu, u64 now)
{
	bool yielding = pcpu->arbiter.yielding, woken;
	struct pmcgrp_evset *set;

	if (apply_verdict(pcpu, pmcgrp_arbiter_tick(pcpu)))
		return;
	/* The timer also fires at the end of a slice, between two rotations. */
	if (now - pcpu->rotated < most_of_a_tick()) {
		if (yielding)
			pmcgrp_rotate_fill(pcpu);
		return;
	}
	woken = pmcgrp_rest_wake(pcpu);
	if (has_contender(pcpu)) {
		pmcgrp_rotate_now(pcpu);
		end_rotation(pcpu, woken);
		return;
	}
	pcpu->rotated = now;
	pmcgrp_rotate_fill(pcpu);
	list_for_each_entry(set, &pcpu->sets, cpu_node)
		if (set->waiting)
			set->failed_alone++;
	end_rotation(pcpu, woken);
}

/* Rotate, and evict counters that have been idle for an interval. */
static enum hrtimer_restart pmcgrp_tick_timer(struct hrtimer *timer)
{
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();
	u64 now = local_clock();

	/* A pinned timer, cancelled before its CPU goes offline: it fires on no other CPU. */
	if (WARN_ON_ONCE(pcpu != container_of(timer, struct pmcgrp_cpu, timer)))
		return HRTIMER_NORESTART;
	if (pcpu->arbiter.contended || pmcgrp_cpu_has_waiting(pcpu))
		rotate_tick(pcpu, now);
	pmcgrp_background_tick(pcpu, now);
	if (pcpu->has_idle)
		pcpu->has_idle = pmcgrp_idle_evict_old(now - pmcgrp_mux_interval_ns());
	pcpu->armed = pmcgrp_rotate_needs_timer(pcpu);
	if (!pcpu->armed) {
		pcpu->refused_until = 0; /* no placement pays for refusals then */
		return HRTIMER_NORESTART;
	}
	hrtimer_forward_now(timer, ns_to_ktime(pmcgrp_arbiter_interval_ns(pcpu)));
	return HRTIMER_RESTART;
}

/*
 * Request perf's counters for a set that no tick finds.  Requests are made at ticks, when a task
 * that mostly sleeps is hardly ever in.  So if sets have waited for MISSED_TICKS without a
 * rotation, a set that only perf events keep off makes the request as it comes in.
 */
static void request_if_missed(struct pmcgrp_cpu *pcpu)
{
	u64 missed = MISSED_TICKS * pmcgrp_mux_interval_ns(), now = local_clock();
	struct pmcgrp_evset *set, *least = NULL;
	unsigned int scan = PMCGRP_SCAN_MAX;
	struct pmcgrp_contended own;

	if (pmcgrp_cpu_withholds(pcpu) || !pcpu->nr_waiting)
		return;
	pmcgrp_contended_find_own(&own, pcpu);
	list_for_each_entry(set, &pcpu->sets, cpu_node) {
		if (set->waiting && pmcgrp_evset_is_flexible(set) && !pmcgrp_evset_backs_off(set) &&
		    !pmcgrp_contended_by(&own, set->counter, set->nr_hw) &&
		    (!least || set->vruntime < least->vruntime))
			least = set;
		if (!--scan)
			break;
	}
	if (!least)
		return;
	if (!pcpu->missed_since)
		pcpu->missed_since = now;
	if (now - pcpu->missed_since >= missed)
		pmcgrp_arbiter_request(pcpu, least);
}

/* Start the times of sets that found no room beside the events of the previous task. */
static void start_times(struct pmcgrp_cpu *pcpu)
{
	struct pmcgrp_evset *set;

	pcpu->retry = false;
	list_for_each_entry(set, &pcpu->sets, cpu_node)
		if (set->not_started)
			pmcgrp_evset_account(set);
}

/* Whether a flexible set waits where perf has its slice; @refused: one that would fail again. */
static bool waits_for_slice(struct pmcgrp_cpu *pcpu, bool refused)
{
	const struct pmcgrp_evset *set;

	list_for_each_entry(set, &pcpu->sets, cpu_node)
		if (set->waiting && pmcgrp_evset_is_flexible(set) &&
		    pmcgrp_contended_by(&pcpu->arbiter.pmus, set->counter, set->nr_hw) &&
		    (!refused || pmcgrp_refusal_stands(pcpu, set)))
			return true;
	return false;
}

/*
 * End a slice of perf that has gone on, if nobody needs it: perf's events are on and all sets fit
 * beside them.  It was of others, which have gone while it paused.
 */
static void end_needless_slice(struct pmcgrp_cpu *pcpu)
{
	struct pmcgrp_arbiter *arbiter = &pcpu->arbiter;
	struct pmcgrp_contended waits;

	arbiter->resumed = false;
	if (!arbiter->yielding || waits_for_slice(pcpu, true) ||
	    pmcgrp_contended_waits(&waits, &arbiter->pmus))
		return;
	arbiter->yielding = false;
	pmcgrp_rotate_fill(pcpu);
	arbiter->yielding = waits_for_slice(pcpu, false);
	if (arbiter->yielding)
		apply_verdict(pcpu, PMCGRP_YIELD);
	else
		arbiter->contended = 0;
}

/* Do what had to wait for the end of perf core's section, or of the context switch. */
static void pmcgrp_tick_work(struct irq_work *work)
{
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();
	bool yields, woken = false;

	if (WARN_ON_ONCE(pcpu != container_of(work, struct pmcgrp_cpu, work)))
		return;
	pmcgrp_evicted_forget();
	pcpu->pinned_comes = false;
	if (unlikely(pcpu->arbiter.resumed))
		end_needless_slice(pcpu);
	yields = apply_verdict(pcpu, pmcgrp_arbiter_end_slice(pcpu));
	/* A pending rotation is done in perf's slice, too: a pinned set may wait. */
	if (!pmcgrp_cpu_has_waiting(pcpu))
		goto arm;
	if (unlikely(pcpu->nr_background_on))
		pmcgrp_background_yield(pcpu);
	if (pcpu->rotate_pending) {
		woken = pmcgrp_rest_wake(pcpu);
		pmcgrp_rotate_now(pcpu);
		pmcgrp_rest_begin(pcpu);
	} else if (!yields) {
		if (pcpu->wake_pending)
			woken = pmcgrp_rest_wake(pcpu);
		if (pcpu->retry)
			pmcgrp_rotate_refill(pcpu);
		else
			pmcgrp_rotate_fill(pcpu);
		request_if_missed(pcpu);
		if (pcpu->wake_pending)
			pmcgrp_rest_begin(pcpu);
	}
arm:
	if (unlikely(pcpu->nr_waiting > PMCGRP_WAITING_BRIEFLY))
		pmcgrp_rest_begin(pcpu);
	if (unlikely(pcpu->retry))
		start_times(pcpu);
	if (pcpu->reader && pcpu->has_idle) {
		pmcgrp_idle_evict_all();
		pcpu->has_idle = false;
	}
	pcpu->rotate_pending = false;
	pcpu->wake_pending = more_may_fit(pcpu, woken);
	if (unlikely(pcpu->wake_pending))
		irq_work_queue(&pcpu->work);
	pmcgrp_background_fill(pcpu);
	pmcgrp_rotate_arm(pcpu);
}

/**
 * pmcgrp_tick_init - initialise the timers and irq_works of all CPUs
 *
 * Context: once, before any set exists.
 */
void __init pmcgrp_tick_init(void)
{
	struct pmcgrp_cpu *pcpu;
	int cpu;

	for_each_possible_cpu(cpu) {
		pcpu = pmcgrp_cpu_of(cpu);
		pcpu->work = IRQ_WORK_INIT_HARD(pmcgrp_tick_work);
		hrtimer_setup(&pcpu->timer, pmcgrp_tick_timer, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
	}
}
