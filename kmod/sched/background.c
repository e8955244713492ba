// SPDX-License-Identifier: GPL-2.0-only
/*
 * Background sets count with what nobody else wants (PMCGRP_CREATE_BACKGROUND).
 *
 * They are never on the PMU while perf core, or this module for any other set, looks for room:
 *
 *  - perf core schedules in each group of events between pmu->start_txn() and commit_txn()
 *    (kernel/events/core.c: group_sched_in()), whoever's they are and for whatever reason.  A
 *    kprobe at start_txn() takes the background sets off that have counters of that PMU
 *    (background_probe.c).
 *  - A set that finds no room takes them off and is tried again (pmcgrp_rotate_place()).  In a
 *    section of perf core they go first: x86 could not take them off after it has placed
 *    something.
 *
 * So in a section of perf core nothing is placed while a background set is on.  What is still free
 * when the section is over is theirs: pmcgrp_cpu.work places them, after all other sets.  While
 * perf and pmcgrp compete for a PMU, nothing is.
 *
 * Their counters leave the PMU with them: an idle counter would be in somebody's way.  They are in
 * a list of their own.  Nothing that rotates, arbitrates or rests knows them.  background_fill.c
 * places them.
 *
 * Context: as for all of a CPU scheduler (sched.c): its CPU, interrupts off.
 */
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include "arbiter/cpu.h"
#include "counter/counter.h"
#include "platform/recursion.h"
#include "sched/background.h"
#include "set/evset.h"

/**
 * pmcgrp_background_take_off - take a background set off the PMU, and its counters with it
 * @pcpu: this CPU's scheduler
 * @set: the set, on; the caller reports it by pmcgrp_evset_accounted()
 *
 * A counter that others use, too, stays.
 *
 * Context: as pmcgrp_background_off(), in a recursion section.
 */
void pmcgrp_background_take_off(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set)
{
	unsigned int i;

	pmcgrp_assert_recursion();
	pmcgrp_counters_hold(set->counter, set->nr_hw);
	pmcgrp_evset_del(set);
	for (i = 0; i < set->nr_hw; i++)
		if (set->counter[i]->on && !set->counter[i]->users)
			pmcgrp_counter_del(set->counter[i]);
	pmcgrp_counters_unhold(set->counter, set->nr_hw);
	pcpu->nr_background_on--;
	pcpu->in_use = 0;
}

/**
 * pmcgrp_background_wait - take a background set off the PMU, and let it wait
 * @pcpu: this CPU's scheduler
 * @set: the set, on
 *
 * Context: as pmcgrp_background_off().
 */
void pmcgrp_background_wait(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set)
{
	pmcgrp_recursion_enter();
	pmcgrp_background_take_off(pcpu, set);
	pmcgrp_evset_accounted(set);
	pmcgrp_recursion_leave();
}

/**
 * pmcgrp_background_yield - take all background sets off the PMU; the caller tries them again
 * @pcpu: this CPU's scheduler
 *
 * pmcgrp_cpu.work does so where sets wait that may never fit: if it were queued again for what it
 * takes off, it would never end.
 *
 * Context: as pmcgrp_background_off().
 */
void pmcgrp_background_yield(struct pmcgrp_cpu *pcpu)
{
	struct pmcgrp_evset *set;

	lockdep_assert_irqs_disabled();
	list_for_each_entry(set, &pcpu->background, cpu_node)
		if (set->on)
			pmcgrp_background_wait(pcpu, set);
}

/**
 * pmcgrp_background_off_slow - do pmcgrp_background_off() where there are any
 * @pcpu: this CPU's scheduler
 *
 * Context: as pmcgrp_background_off().
 */
void pmcgrp_background_off_slow(struct pmcgrp_cpu *pcpu)
{
	pmcgrp_background_yield(pcpu);
	irq_work_queue(&pcpu->work);
}
