// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rotation: which of a CPU's sets are on the PMU.
 *
 * While the counters of all sets fit the PMU together, all sets are on it.  When they do not,
 * whole sets are multiplexed.  At each tick the flexible sets go off, and come on again in the
 * order of their vruntime, least first.  A set that does not fit is skipped.  A set is on the
 * PMU with all of its counters or with none.  Flexible perf events on the same PMU alternate
 * with pmcgrp's sets (arbiter.c).
 *
 * Context: as for all of a CPU scheduler (sched.c): its CPU, interrupts off.
 */
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/list_sort.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/sched/clock.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "arbiter/cpu.h"
#include "arbiter/pinned.h"
#include "arbiter/refusal.h"
#include "counter/carrier.h"
#include "counter/counter.h"
#include "counter/idle.h"
#include "counter/placement.h"
#include "sched/background.h"
#include "sched/rotate.h"
#include "set/evcpu.h"
#include "set/evlist.h"
#include "set/evset.h"

/* Ticks, after perf core was last seen to rotate, for which counters leave with their set. */
#define EVICT_EARLY_TICKS 64

/* Largest difference between the vruntimes of flexible sets, in intervals. */
#define LAG_MAX 4

/**
 * pmcgrp_rotate_evict_early - evict idle counters as a set goes off, if they must not stay
 * @pcpu: this CPU's scheduler
 * @set: the set
 *
 * Called while perf core rotates on this CPU, and for EVICT_EARLY_TICKS after that.  The perf
 * events of the next task would find no room beside idle counters each time that it runs.
 * During pmcgrp's slice idle counters are kept: a task that is preempted finds them again.
 * Also called while user mode can read counters, pinned perf events come, or the set takes what
 * other CPUs need: then they always go.
 *
 * Context: interrupts off; perf core's locks may be held.
 */
void pmcgrp_rotate_evict_early(struct pmcgrp_cpu *pcpu, const struct pmcgrp_evset *set)
{
	lockdep_assert_irqs_disabled();
	if (pmcgrp_perf_rotates(set->counter[0]->pmu))
		pcpu->evict_early_until = set->since + EVICT_EARLY_TICKS * pmcgrp_mux_interval_ns();
	if (set->since >= pcpu->arbiter.until || set->takes_shared || pcpu->reader ||
	    pcpu->pinned_comes)
		pmcgrp_idle_evict_programmed();
}

/*
 * Limit a set's vruntime to LAG_MAX intervals above the least; @most: that limit, U64_MAX while
 * sets with less are visited.  Otherwise a set that was absent, or kept off by perf events, would
 * monopolise the PMU.  A set that was alone on another CPU would be penalised.  Sets that fail even
 * alone do not count for the least.  All flexible sets are off the PMU here.
 */
static void clamp_vruntime(struct pmcgrp_evset *set, u64 *most)
{
	if (!pmcgrp_evset_is_flexible(set))
		return;
	if (*most == U64_MAX && set->counter && !set->failed_alone)
		*most = set->vruntime + LAG_MAX * pmcgrp_mux_interval_ns();
	set->vruntime = min(set->vruntime, *most);
}

/**
 * pmcgrp_rotate_wait - let a set wait for counters, and record the reason
 * @pcpu: this CPU's scheduler
 * @set: the set, off
 *
 * Context: interrupts off; perf core's locks may be held.
 */
void pmcgrp_rotate_wait(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set)
{
	lockdep_assert_irqs_disabled();
	pmcgrp_rotate_set_waiting(pcpu, set, true);
	pmcgrp_cpu_note_reason(pcpu, set);
}

/*
 * Place a set that has waited, from outside a recursion section.  Meanwhile another set of its
 * task may have left, and given counters back: then they are looked up again.
 */
static bool place_set(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set)
{
	bool on = false;

	pmcgrp_recursion_enter();
	if (pmcgrp_evcpu_counters(set->evlist, pmcgrp_evcpu_here(set->evlist)))
		on = pmcgrp_rotate_place(pcpu, set);
	else
		pmcgrp_rotate_wait(pcpu, set);
	pmcgrp_recursion_leave();
	return on;
}

/**
 * pmcgrp_rotate_take_off - take a set off its counters, and let it wait
 * @pcpu: this CPU's scheduler
 * @set: the set, on
 *
 * Context: as pmcgrp_rotate_off(), outside a recursion section.
 */
void pmcgrp_rotate_take_off(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set)
{
	lockdep_assert_irqs_disabled();
	pmcgrp_recursion_enter();
	pmcgrp_rotate_off(pcpu, set);
	pmcgrp_evset_accounted(set);
	pmcgrp_rotate_set_waiting(pcpu, set, true);
	pmcgrp_recursion_leave();
}

/**
 * pmcgrp_rotate_flexible_off - take all flexible and background sets off their counters
 * @pcpu: this CPU's scheduler
 *
 * Context: interrupts off, not inside perf core, or where perf core has placed nothing in its
 * section yet.
 */
void pmcgrp_rotate_flexible_off(struct pmcgrp_cpu *pcpu)
{
	struct pmcgrp_evset *set;

	lockdep_assert_irqs_disabled();
	pmcgrp_background_off(pcpu);
	list_for_each_entry(set, &pcpu->sets, cpu_node)
		if (set->on && pmcgrp_evset_is_flexible(set))
			pmcgrp_rotate_take_off(pcpu, set);
}

static void rotate_off_by(struct pmcgrp_cpu *pcpu, const struct pmcgrp_contended *pmus)
{
	struct pmcgrp_evset *set;

	lockdep_assert_irqs_disabled();
	list_for_each_entry(set, &pcpu->sets, cpu_node)
		if (set->on && pmcgrp_evset_is_flexible(set) &&
		    pmcgrp_contended_by(pmus, set->counter, set->nr_hw))
			pmcgrp_rotate_take_off(pcpu, set);
}

/**
 * pmcgrp_rotate_pmu_off - take the flexible sets off that have counters of a PMU
 * @pcpu: this CPU's scheduler
 * @pmu: the PMU
 *
 * Context: as pmcgrp_rotate_flexible_off().
 */
void pmcgrp_rotate_pmu_off(struct pmcgrp_cpu *pcpu, struct pmu *pmu)
{
	const struct pmcgrp_contended only = { .nr = 1, .pmu = { pmu } };

	rotate_off_by(pcpu, &only);
}

/**
 * pmcgrp_rotate_counter_off - take a counter off its PMU, and the sets that count by it
 * @pcpu: this CPU's scheduler
 * @counter: the counter, of this CPU
 *
 * Context: interrupts off, not within perf core.
 */
void pmcgrp_rotate_counter_off(struct pmcgrp_cpu *pcpu, struct pmcgrp_counter *counter)
{
	struct pmcgrp_evset *set;
	unsigned int i;

	lockdep_assert_irqs_disabled();
	pmcgrp_background_off(pcpu);
	list_for_each_entry(set, &pcpu->sets, cpu_node)
		for (i = 0; set->on && i < set->nr; i++)
			if (set->counter[i] == counter)
				pmcgrp_rotate_take_off(pcpu, set);
	pmcgrp_idle_evict(counter);
}

/**
 * pmcgrp_rotate_yield - take the flexible sets off whose counters perf gets for a slice
 * @pcpu: this CPU's scheduler
 *
 * Context: as pmcgrp_rotate_flexible_off().
 */
void pmcgrp_rotate_yield(struct pmcgrp_cpu *pcpu)
{
	rotate_off_by(pcpu, &pcpu->arbiter.pmus);
}

/**
 * pmcgrp_rotate_cpus_off - take flexible sets of groups of CPUs off their counters
 * @pcpu: this CPU's scheduler
 *
 * Context: as pmcgrp_rotate_flexible_off().
 * Return: whether any was on.
 */
bool pmcgrp_rotate_cpus_off(struct pmcgrp_cpu *pcpu)
{
	struct pmcgrp_evset *set;
	bool any = false;

	lockdep_assert_irqs_disabled();
	list_for_each_entry(set, &pcpu->sets, cpu_node)
		if (set->on && !set->task && pmcgrp_evset_is_flexible(set)) {
			pmcgrp_rotate_take_off(pcpu, set);
			any = true;
		}
	return any;
}

/* Find the first deferred set that was tried later than another one, and return its node. */
static struct list_head *place_by_trial(struct pmcgrp_cpu *pcpu, const struct pmcgrp_evset *set)
{
	unsigned int scan = PMCGRP_SCAN_MAX;
	struct pmcgrp_evset *other;

	if (list_empty(&pcpu->deferred) ||
	    list_last_entry(&pcpu->deferred, struct pmcgrp_evset, cpu_node)->tried <= set->tried)
		return &pcpu->deferred;
	list_for_each_entry(other, &pcpu->deferred, cpu_node)
		if (other->tried > set->tried || !--scan)
			break;
	return &other->cpu_node;
}

/**
 * pmcgrp_rotate_defer - let a set wait without being visited by rotations
 * @pcpu: this CPU's scheduler
 * @set: the set, which waits
 *
 * Sets come back in the order in which they were tried last.  That is kept while a task is out.
 *
 * Context: interrupts off; perf core's locks may be held.
 */
void pmcgrp_rotate_defer(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set)
{
	lockdep_assert_irqs_disabled();
	pmcgrp_rotate_set_waiting(pcpu, set, false);
	list_move_tail(&set->cpu_node, place_by_trial(pcpu, set));
	set->deferred = true;
	pcpu->nr_deferred++;
}

/**
 * pmcgrp_rotate_undefer - undo pmcgrp_rotate_defer(): the next rotation tries the set
 * @pcpu: this CPU's scheduler
 * @set: the set
 *
 * Context: as pmcgrp_rotate_defer().
 */
void pmcgrp_rotate_undefer(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set)
{
	lockdep_assert_irqs_disabled();
	pcpu->nr_deferred--;
	set->deferred = false;
	list_move_tail(&set->cpu_node, &pcpu->sets);
	pmcgrp_rotate_set_waiting(pcpu, set, true);
}

/* Whether drivers have refused enough since pmcgrp_cpu.refused was @refused: trials take long. */
static bool tried_enough(const struct pmcgrp_cpu *pcpu, unsigned int refused)
{
	return pcpu->refused - refused >= PMCGRP_ROTATE_TRIALS;
}

/**
 * pmcgrp_rotate_fill - place waiting sets that fit beside the sets on the PMU
 * @pcpu: this CPU's scheduler
 *
 * Context: interrupts off.  While perf core holds the PMU, placing evicts nothing.
 */
void pmcgrp_rotate_fill(struct pmcgrp_cpu *pcpu)
{
	unsigned int refused = pcpu->refused;
	struct pmcgrp_evset *set;

	lockdep_assert_irqs_disabled();
	list_for_each_entry(set, &pcpu->sets, cpu_node) {
		if (!set->waiting ||
		    (pmcgrp_evset_is_flexible(set) &&
		     pmcgrp_cpu_withholds_from(pcpu, set->counter, set->nr_hw)))
			continue;
		if (pmcgrp_background_refuses(pcpu, set))
			pmcgrp_rotate_wait_again(pcpu, set);
		else
			place_set(pcpu, set);
		if (tried_enough(pcpu, refused))
			break;
	}
}

/* Pinned sets first, sets that back off last; in between by vruntime, least first. */
static int order_sets(void *priv, const struct list_head *a, const struct list_head *b)
{
	const struct pmcgrp_evset *ra = list_entry(a, struct pmcgrp_evset, cpu_node);
	const struct pmcgrp_evset *rb = list_entry(b, struct pmcgrp_evset, cpu_node);

	if (ra->pinned != rb->pinned)
		return ra->pinned ? -1 : 1;
	if (pmcgrp_evset_backs_off(ra) != pmcgrp_evset_backs_off(rb))
		return pmcgrp_evset_backs_off(ra) ? 1 : -1;
	if (ra->vruntime != rb->vruntime)
		return ra->vruntime < rb->vruntime ? -1 : 1;
	return 0;
}

/**
 * pmcgrp_rotate_refill - place sets again that have made room, least vruntime first
 * @pcpu: this CPU's scheduler
 *
 * A task may come in often in one interval: sets that are there already would always be first.
 *
 * Context: as pmcgrp_rotate_fill().
 */
void pmcgrp_rotate_refill(struct pmcgrp_cpu *pcpu)
{
	lockdep_assert_irqs_disabled();
	if (pcpu->nr_waiting > 1)
		list_sort(NULL, &pcpu->sets, order_sets);
	pmcgrp_rotate_fill(pcpu);
}

/*
 * Take all flexible sets off, then place sets in order, skipping those that do not fit.  Pinned
 * sets are placed first.  A pinned set that does not fit then goes into error, as a pinned perf
 * event does.
 */
static void rotate_sets(struct pmcgrp_cpu *pcpu)
{
	unsigned int refused = pcpu->refused;
	struct pmcgrp_evset *set;
	u64 most = U64_MAX;
	bool alone = true;

	pcpu->missed_since = 0;
	pmcgrp_rotate_flexible_off(pcpu);
	list_sort(NULL, &pcpu->sets, order_sets);
	list_for_each_entry(set, &pcpu->sets, cpu_node) {
		clamp_vruntime(set, &most);
		if (set->on || !set->counter || set->error)
			continue;
		/* One whose counters are on still takes no trial, and most likely was on before. */
		if (tried_enough(pcpu, refused) &&
		    !pmcgrp_counters_are_on(set->counter, set->nr_hw)) {
			pmcgrp_rotate_set_waiting(pcpu, set, true);
			continue;
		}
		if (pmcgrp_refusal_stands(pcpu, set)) {
			pmcgrp_rotate_wait(pcpu, set);
		} else if (place_set(pcpu, set)) {
			if (pmcgrp_evset_is_flexible(set))
				alone = false;
			continue;
		}
		if (!set->pinned && pmcgrp_cpu_withholds_from(pcpu, set->counter, set->nr_hw))
			continue;
		if (set->pinned) {
			pmcgrp_rotate_set_waiting(pcpu, set, false);
			WRITE_ONCE(set->error, true);
		} else if (alone && !pmcgrp_evset_backs_off(set) &&
			   pmcgrp_arbiter_request(pcpu, set)) {
			alone = false; /* perf events are in the way: requested */
		} else if (alone || set->failed_alone) {
			set->failed_alone++;
		}
	}
}

/**
 * pmcgrp_rotate_now - rotate the sets of this CPU
 * @pcpu: this CPU's scheduler
 *
 * Context: interrupts off, not while perf core holds a PMU of these sets.
 */
void pmcgrp_rotate_now(struct pmcgrp_cpu *pcpu)
{
	lockdep_assert_irqs_disabled();
	pcpu->rotated = local_clock();
	rotate_sets(pcpu);
}

/**
 * pmcgrp_rotate_start_timer - start the rotation timer
 * @pcpu: this CPU's scheduler; pmcgrp_rotate_arm() says when
 *
 * Context: interrupts off.
 */
void pmcgrp_rotate_start_timer(struct pmcgrp_cpu *pcpu)
{
	lockdep_assert_irqs_disabled();
	pcpu->armed = true;
	hrtimer_start(&pcpu->timer, ns_to_ktime(pmcgrp_mux_interval_ns()),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/*
 * Whether a set that has come in and finds no room causes a rotation now, before the next tick.
 * It does if it is pinned, or if a flexible set that is on has run for over an interval more.
 */
static bool rotation_is_due(struct pmcgrp_cpu *pcpu, const struct pmcgrp_evset *set)
{
	unsigned int scan = PMCGRP_SCAN_MAX;
	struct pmcgrp_evset *other;

	if (set->pinned)
		return true;
	if (pmcgrp_evset_backs_off(set))
		return false;
	list_for_each_entry(other, &pcpu->sets, cpu_node) {
		/* Its vruntime when it came in: of a longer run the next tick knows. */
		if (other->on && pmcgrp_evset_is_flexible(other) &&
		    other->vruntime > set->vruntime + pmcgrp_mux_interval_ns())
			return true;
		if (!--scan)
			break;
	}
	return false;
}

/**
 * pmcgrp_rotate_make_room - rotate for a set that has come in and found no room, if due
 * @pcpu: this CPU's scheduler
 * @set: the set, off
 * @refused: it was not tried, as its refusal stands
 *
 * While perf core holds the PMU nothing may be taken off (pmcgrp_counters_are_held() says why):
 * the irq_work does it.  It also tries counters of several PMUs, which are not placed at all
 * while held (pmcgrp_counters_place_slow()).
 *
 * So it does where sets of a task come in: each might rotate, and all that with interrupts off.
 *
 * Since 6.12 perf core may schedule in a carrier, and hold no PMU but the carrier's
 * (kernel/events/core.c: ctx_resched()).  It has the locks that the arbiter takes.
 *
 * Context: interrupts off; perf core's locks may be held.
 */
void pmcgrp_rotate_make_room(struct pmcgrp_cpu *pcpu, const struct pmcgrp_evset *set,
			     bool refused)
{
	bool rotate_pending = rotation_is_due(pcpu, set);

	lockdep_assert_irqs_disabled();
	if (pcpu->sets_come || pmcgrp_carrier_is_called() ||
	    pmcgrp_counters_are_held(set->counter, set->nr_hw)) {
		if (!rotate_pending && (refused || pmcgrp_refusal_stands(pcpu, set)))
			return;
		pcpu->rotate_pending |= rotate_pending;
		irq_work_queue(&pcpu->work);
	} else if (rotate_pending) {
		pmcgrp_rotate_now(pcpu);
		if (pmcgrp_cpu_has_backlog(pcpu)) {
			pcpu->wake_pending = true;
			irq_work_queue(&pcpu->work);
		}
	}
}
