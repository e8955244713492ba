// SPDX-License-Identifier: GPL-2.0-only
/*
 * Slices of perf and of pmcgrp follow context switches.
 *
 * perf and pmcgrp compete for a PMU only while both want it: perf events of the CPU or of the
 * running task, and sets of the CPU or of that task.  Their slices (arbiter.c) are slices of that
 * time.  As one side goes with its task, the slice pauses, and the other side may have the PMU.  As
 * the task comes back, the slice goes on with what is left of it.  Slices by the clock would often
 * pass while the task is not there, or always: ticks and the slices of tasks are of one length.
 *
 * A slice of perf that begins or goes on at a switch needs no worker: the sets go off in the probe
 * on sched_switch, and then perf core schedules in the events of the next task.  A slice of pmcgrp
 * needs none either once the task has a way event (way.c): as it comes in, events of the CPU are
 * off the PMU.
 *
 * Context: as for all of a CPU scheduler (sched.c), in the context switch, before perf core's part.
 */
#include <linux/init.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/sched/clock.h>
#include <linux/spinlock.h>
#include "compat.h"
#include "arbiter/arbiter.h"
#include "arbiter/backoff.h"
#include "arbiter/contention.h"
#include "arbiter/cpu.h"
#include "arbiter/pinned.h"
#include "counter/carrier.h"
#include "counter/counter.h"
#include "counter/idle.h"
#include "counter/way.h"
#include "platform/recursion.h"
#include "sched/rotate.h"
#include "sched/turn.h"
#include "set/evset.h"

static void note_contention(struct pmcgrp_arbiter *arbiter, const struct pmcgrp_contended *pmus)
{
	if (!arbiter->contended || arbiter->pmus.may_go)
		arbiter->pmus = *pmus;
	else
		pmcgrp_contended_add(&arbiter->pmus, pmus);
	pmcgrp_arbiter_contends(arbiter, pmus);
}

/* Find PMUs where only flexible perf events keep a set off; @own: where flexible sets are on. */
static bool find_obstacle(const struct pmcgrp_cpu *pcpu, const struct pmcgrp_contended *own,
			  struct pmcgrp_contended *pmus)
{
	unsigned int scan = PMCGRP_SCAN_MAX;
	const struct pmcgrp_evset *set;

	list_for_each_entry(set, &pcpu->sets, cpu_node) {
		if (set->waiting && pmcgrp_evset_is_flexible(set) && !pmcgrp_evset_backs_off(set) &&
		    !pmcgrp_contended_by(own, set->counter, set->nr_hw) &&
		    pmcgrp_contended_find(pmus, set))
			return true;
		if (!--scan)
			break;
	}
	return false;
}

/* Reservation events of this module are not taken for perf's, and pinned events come first. */
static bool goes_by_clock(const struct pmcgrp_arbiter *arbiter)
{
	return arbiter->busy && arbiter->by_clock;
}

static bool turn_is_over(u64 end, u64 now)
{
	return (s64)(end - now) <= (s64)pmcgrp_mux_interval_ns() / 8;
}

/* End of the slice, whosever it is: perf's also if it is over, and no set has been placed yet. */
static u64 slice_end(const struct pmcgrp_arbiter *arbiter, bool perfs)
{
	return perfs ? arbiter->waiting_since + pmcgrp_mux_interval_ns() : arbiter->until;
}

/**
 * pmcgrp_turn_leaves - note who has waited for whom while the task ran that leaves
 * @pcpu: this CPU's scheduler
 *
 * A tick may never find that task: it comes, say, for every fourth tick, and is gone by the next.
 * A slice that is over now ends as the task comes back.  What perf gains by its slices is judged
 * here, while its events are on.
 *
 * Context: if pmcgrp_turn_applies(), before any set of the task is scheduled out.
 */
void pmcgrp_turn_leaves(struct pmcgrp_cpu *pcpu)
{
	struct pmcgrp_arbiter *arbiter = &pcpu->arbiter;
	bool waits = pcpu->nr_waiting && !arbiter->contended;
	bool perf_waits = arbiter->contended || pmcgrp_task_has_perf_events(current);
	struct pmcgrp_contended own, pmus;
	u64 now;

	lockdep_assert_irqs_disabled();
	if (!(waits || perf_waits) || goes_by_clock(arbiter) || !pcpu->usable)
		return;
	now = local_clock();
	if (arbiter->yielding) {
		if (turn_is_over(slice_end(arbiter, true), now))
			pmcgrp_backoff_end(&arbiter->backoff, pcpu, &arbiter->pmus);
		return;
	}
	pmcgrp_contended_find_own(&own, pcpu);
	if (perf_waits && pmcgrp_contended_waits(&pmus, &own)) {
		note_contention(arbiter, &pmus);
		arbiter->perf_waited = !turn_is_over(arbiter->until, now) ||
				       pmcgrp_backoff_begin(&arbiter->backoff, &pmus);
	} else if (waits && find_obstacle(pcpu, &own, &pmus)) {
		note_contention(arbiter, &pmus);
		/* What has passed was a slice of perf. */
		arbiter->yielding = true;
		arbiter->waiting_since = now - pmcgrp_mux_interval_ns();
		arbiter->backoff.before = 0;
	}
}

/* Whether perf wants a PMU of the slices for events of the CPU, whatever runs. */
static bool perf_of_cpu_competes(const struct pmcgrp_cpu *pcpu)
{
	const struct pmcgrp_contended *pmus = &pcpu->arbiter.pmus;
	unsigned int i;

	for (i = 0; i < min_t(unsigned int, pmus->nr, PMCGRP_CONTENDED_MAX); i++)
		if (pmcgrp_cpu_ctx_competes(pmus->pmu[i]))
			return true;
	return false;
}

/*
 * Whether perf wants a PMU of the slices while a task runs: for events of the CPU or the task.
 * Events of the CPU that sets fit beside have no part in the slices: those would pass while the
 * task is away whose events wait.  Tick and slices of tasks may be of one length, and it may be
 * away in each of perf's.
 */
static bool perf_competes(const struct pmcgrp_cpu *pcpu, const struct task_struct *task)
{
	const struct pmcgrp_contended *pmus = &pcpu->arbiter.pmus;

	return pmus->nr > PMCGRP_CONTENDED_MAX ||
	       (pcpu->arbiter.with_cpu && perf_of_cpu_competes(pcpu)) ||
	       pmcgrp_contended_wanted_by(pmus, pmcgrp_task_ctx(task));
}

/* Whether sets are about to be scheduled in with carriers of a task. */
static bool carriers_come(const struct task_struct *task)
{
	const struct pmcgrp_contended only = { .nr = 1, .pmu = { pmcgrp_carrier_pmu() } };

	return pmcgrp_contended_wanted_by(&only, pmcgrp_task_software_ctx(task));
}

/* Whether sets that want a PMU of the slices are in here, and remain as the running task leaves. */
static bool own_remain(const struct pmcgrp_cpu *pcpu)
{
	unsigned int scan = PMCGRP_SCAN_MAX;
	const struct pmcgrp_evset *set;

	list_for_each_entry(set, &pcpu->sets, cpu_node) {
		/* perf core schedules out sets with a carrier of the task after this. */
		if (set->task != current && set->counter && pmcgrp_evset_is_flexible(set) &&
		    pmcgrp_contended_by(&pcpu->arbiter.pmus, set->counter, set->nr_hw))
			return true;
		if (!--scan)
			break;
	}
	return false;
}

static void evict_idle(struct pmcgrp_cpu *pcpu)
{
	pmcgrp_recursion_enter();
	pmcgrp_idle_evict_all();
	pmcgrp_recursion_leave();
	pcpu->has_idle = false;
}

static void pause(struct pmcgrp_cpu *pcpu, u64 now)
{
	struct pmcgrp_arbiter *arbiter = &pcpu->arbiter;
	bool perfs = arbiter->yielding || arbiter->waiting_since;

	arbiter->contended = 0;
	arbiter->paused = true;
	arbiter->paused_yield = perfs;
	arbiter->left = slice_end(arbiter, perfs) - now;
	if (arbiter->yielding) {
		arbiter->yielding = false;
		irq_work_queue(&pcpu->work); /* sets that remain may be placed after the switch */
	} else if (arbiter->way_used) {
		evict_idle(pcpu); /* the task finds room when it comes back */
	}
	arbiter->way_used = false;
}

/* Begin or continue perf's slice; @left: nanoseconds of it. */
static void resume_perf(struct pmcgrp_cpu *pcpu, u64 now, u64 left)
{
	struct pmcgrp_arbiter *arbiter = &pcpu->arbiter;

	arbiter->yielding = true;
	arbiter->waiting_since = now - (pmcgrp_mux_interval_ns() - left);
	/* perf core schedules in perf events after this. */
	pmcgrp_rotate_yield(pcpu);
	evict_idle(pcpu);
	arbiter->resumed = true;
	irq_work_queue(&pcpu->work);
}

/* Whether a flexible set is on a PMU of the slices. */
static bool any_on(const struct pmcgrp_cpu *pcpu)
{
	unsigned int scan = PMCGRP_SCAN_MAX;
	const struct pmcgrp_evset *set;

	list_for_each_entry(set, &pcpu->sets, cpu_node) {
		if (set->on && pmcgrp_evset_is_flexible(set) &&
		    pmcgrp_contended_by(&pcpu->arbiter.pmus, set->counter, set->nr_hw))
			return true;
		if (!--scan)
			break;
	}
	return false;
}

/*
 * Begin or continue pmcgrp's slice; @left: nanoseconds of it.  If sets find no room after the
 * switch, counters are requested for them.
 */
static void resume_own(struct pmcgrp_cpu *pcpu, u64 now, u64 left, bool begins)
{
	struct pmcgrp_arbiter *arbiter = &pcpu->arbiter;

	if (begins && !any_on(pcpu)) {
		arbiter->waiting_since = now - left; /* it begins as a set is placed */
	} else {
		arbiter->waiting_since = 0;
		arbiter->until = now + left;
	}
	if (perf_of_cpu_competes(pcpu)) {
		pcpu->missed_since = 1; /* long ago */
		irq_work_queue(&pcpu->work);
	}
}

static void turn_resume(struct pmcgrp_cpu *pcpu, u64 now)
{
	struct pmcgrp_arbiter *arbiter = &pcpu->arbiter;
	s64 interval = pmcgrp_mux_interval_ns(), left = arbiter->left;
	bool perfs = arbiter->paused_yield, over = turn_is_over(now + left, now);

	arbiter->paused = false;
	if (over && !perfs && !arbiter->perf_waited)
		return; /* no perf event has waited, or none gains anything */
	arbiter->contended = PMCGRP_CONTEND_TICKS;
	if (over) {
		/* The other side's slice is as long as this one has been, but for back-off. */
		left = !perfs && arbiter->backoff.seen ?
			       interval :
			       interval - clamp(left, -3 * interval, interval);
		perfs = !perfs;
		arbiter->perf_waited = false;
	}
	if (perfs)
		resume_perf(pcpu, now, left);
	else
		resume_own(pcpu, now, left, over);
	pmcgrp_rotate_arm(pcpu);
}

/**
 * pmcgrp_turn_enters - let slices pause and go on, with the task that comes
 * @pcpu: this CPU's scheduler
 * @next: the task
 * @sets_come: sets are about to be scheduled in with it
 *
 * Context: after pmcgrp_turn_leaves(); the sets of the task that leaves have been scheduled out.
 */
void pmcgrp_turn_enters(struct pmcgrp_cpu *pcpu, const struct task_struct *next, bool sets_come)
{
	struct pmcgrp_arbiter *arbiter = &pcpu->arbiter;
	bool compete;

	lockdep_assert_irqs_disabled();
	if (!arbiter->paused)
		arbiter->paused_cpu = false;
	if (!pcpu->usable || !(arbiter->contended || arbiter->paused) || goes_by_clock(arbiter))
		return;
	if (arbiter->pmus.may_go) {
		arbiter->paused = false; /* its slices go by the clock */
		return;
	}
	compete = perf_competes(pcpu, next) &&
		  (sets_come || own_remain(pcpu) || carriers_come(next));
	if (arbiter->paused && compete)
		turn_resume(pcpu, local_clock());
	else if (!arbiter->paused && !compete)
		pause(pcpu, local_clock());
	arbiter->paused_cpu = arbiter->paused && arbiter->with_cpu && perf_of_cpu_competes(pcpu);
}

/* A task with a way event comes in: flexible perf events of the CPU are off, the PMU is held. */
static void way_in(struct perf_event *event)
{
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();
	unsigned int waited = pcpu->nr_waiting;

	if (!pcpu->usable || !waited || !pcpu->arbiter.contended)
		return;
	if (pmcgrp_pinned_comes(pcpu, event->ctx)) {
		irq_work_queue(&pcpu->work); /* theirs is the room */
		return;
	}
	if (!pcpu->arbiter.yielding)
		pmcgrp_rotate_refill(pcpu);
	pcpu->arbiter.way_used = pcpu->nr_waiting < waited;
	pmcgrp_way_note(event, pcpu->arbiter.yielding || pcpu->nr_waiting < waited);
	pmcgrp_rotate_arm(pcpu);
}

static const struct pmcgrp_carrier_ops way_ops = {
	.add = way_in,
};

/**
 * pmcgrp_turn_init - set the operations of way events
 *
 * Context: when the module is loaded.
 */
void __init pmcgrp_turn_init(void)
{
	pmcgrp_carrier_register(PMCGRP_CARRIER_WAY, &way_ops);
}
