// SPDX-License-Identifier: GPL-2.0-only
/*
 * Place background sets in what is left (background.c), after all other sets.
 *
 * They take turns, whole sets, at each tick while one of them waits and another one is on.  Where
 * none is on, others have the counters, perhaps for hours: the check timer tries, which wakes no
 * idle CPU.
 *
 * Context: as for all of a CPU scheduler (sched.c): its CPU, interrupts off.
 */
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/list_sort.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/sched/clock.h>
#include <uapi/linux/pmcgrp.h>
#include "arbiter/arbiter.h"
#include "arbiter/cpu.h"
#include "arbiter/refusal.h"
#include "platform/recursion.h"
#include "sched/background.h"
#include "sched/background_fill.h"
#include "sched/rotate.h"
#include "set/evcpu.h"
#include "set/evlist.h"
#include "set/evset.h"

/* Placements that drivers may refuse in one pass. */
#define TRIALS 6

/* Largest difference between the vruntimes of background sets, in intervals. */
#define LAG_MAX 4

/**
 * pmcgrp_background_come - let a set wait for what nobody else wants
 * @pcpu: this CPU's scheduler
 * @set: the set, scheduled in here, with its counters
 *
 * Context: interrupts off; perf core's locks may be held.
 */
void pmcgrp_background_come(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set)
{
	lockdep_assert_irqs_disabled();
	list_add(&set->cpu_node, &pcpu->background);
	pcpu->nr_background++;
	if (pcpu->sets_come)
		pcpu->background_comes = true; /* pmcgrp_sched_in_end() places it */
	else
		irq_work_queue(&pcpu->work);
}

/* Whether others compete for counters, or are about to come: what is free is not left over. */
static bool background_withheld(const struct pmcgrp_cpu *pcpu)
{
	const struct pmcgrp_arbiter *arbiter = &pcpu->arbiter;

	return arbiter->contended || arbiter->busy || pmcgrp_cpu_withholds(pcpu);
}

/* Place a set if there is room.  Its counters are looked up: others of its task may have left. */
static bool background_place(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set)
{
	struct pmcgrp_counter *const *counter;
	bool on = false;

	if (pmcgrp_refusal_stands(pcpu, set))
		return false;
	pmcgrp_recursion_enter();
	counter = pmcgrp_evcpu_counters(set->evlist, pmcgrp_evcpu_here(set->evlist));
	if (counter && !pmcgrp_evset_add(set)) {
		on = true;
		pcpu->nr_background_on++;
		pcpu->in_use = 0;
		WRITE_ONCE(set->why, PMCGRP_WHY_NONE);
	} else {
		pmcgrp_cpu_note_reason(pcpu, set);
		pmcgrp_refusal_note(pcpu, set);
	}
	pmcgrp_recursion_leave();
	return on;
}

static int order_background(void *priv, const struct list_head *a, const struct list_head *b)
{
	const struct pmcgrp_evset *ra = list_entry(a, struct pmcgrp_evset, cpu_node);
	const struct pmcgrp_evset *rb = list_entry(b, struct pmcgrp_evset, cpu_node);

	return ra->vruntime > rb->vruntime;
}

/**
 * pmcgrp_background_fill - place background sets in what is left, least vruntime first
 * @pcpu: this CPU's scheduler
 *
 * Context: interrupts off, not inside perf core, after all other sets have been tried.
 */
void pmcgrp_background_fill(struct pmcgrp_cpu *pcpu)
{
	unsigned int scan = PMCGRP_SCAN_MAX, refused = 0;
	struct pmcgrp_evset *set;
	bool withheld;

	lockdep_assert_irqs_disabled();
	if (likely(!pcpu->nr_background) || !pcpu->usable)
		return;
	withheld = background_withheld(pcpu);
	if (!withheld && pcpu->nr_background > 1 && pcpu->nr_background <= PMCGRP_SCAN_MAX)
		list_sort(NULL, &pcpu->background, order_background);
	pcpu->background_waits = false;
	list_for_each_entry(set, &pcpu->background, cpu_node) {
		if (set->on || !set->counter)
			continue;
		if (!withheld && refused < TRIALS && scan && background_place(pcpu, set))
			continue;
		pcpu->background_waits = true;
		refused++;
		if (!scan || !--scan)
			break;
	}
	if (pcpu->background_waits && !pcpu->nr_background_on)
		pmcgrp_arbiter_watch(&pcpu->arbiter);
	else
		pmcgrp_rotate_arm(pcpu);
}

/**
 * pmcgrp_background_check - try sets that wait where none is on; called by the check timer
 * @pcpu: this CPU's scheduler
 *
 * Context: softirq with interrupts off, not inside perf core.
 */
void pmcgrp_background_check(struct pmcgrp_cpu *pcpu)
{
	if (!pcpu->background_waits || pcpu->nr_background_on)
		return;
	if (!pmcgrp_cpu_has_waiting(pcpu))
		pcpu->rotated = local_clock(); /* refusals stand for a number of ticks */
	pmcgrp_background_fill(pcpu);
}

/* Limit vruntimes to LAG_MAX intervals above the least.  All sets are off. */
static void clamp_background(struct pmcgrp_cpu *pcpu)
{
	struct pmcgrp_evset *set;
	u64 least = U64_MAX;

	list_for_each_entry(set, &pcpu->background, cpu_node)
		least = min(least, set->vruntime);
	list_for_each_entry(set, &pcpu->background, cpu_node)
		set->vruntime = min(set->vruntime, least + LAG_MAX * pmcgrp_mux_interval_ns());
}

/**
 * pmcgrp_background_tick - let the next sets have their turn, if any waits
 * @pcpu: this CPU's scheduler
 * @now: local_clock()
 *
 * Context: interrupts off, not inside perf core, after the other sets' tick.
 */
void pmcgrp_background_tick(struct pmcgrp_cpu *pcpu, u64 now)
{
	struct pmcgrp_evset *set, *next;
	LIST_HEAD(were_on);

	lockdep_assert_irqs_disabled();
	if (likely(!pcpu->background_waits))
		return;
	if (!pmcgrp_cpu_has_waiting(pcpu))
		pcpu->rotated = now; /* refusals stand for a number of ticks */
	list_for_each_entry_safe(set, next, &pcpu->background, cpu_node) {
		if (!set->on)
			continue;
		pmcgrp_background_wait(pcpu, set);
		list_move_tail(&set->cpu_node, &were_on);
	}
	list_splice_tail(&were_on, &pcpu->background);
	clamp_background(pcpu);
	pmcgrp_background_fill(pcpu);
}
