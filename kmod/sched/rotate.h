/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_ROTATE_H
#define PMCGRP_ROTATE_H

#include <linux/types.h>
#include "compat.h"
#include "arbiter/cpu.h"
#include "arbiter/refusal.h"
#include "sched/background.h"
#include "set/evset.h"

/**
 * pmcgrp_rotate_set_waiting - note whether a set waits for counters
 * @pcpu: this CPU's scheduler
 * @set: the set
 * @waiting: whether it waits
 *
 * Context: interrupts off.
 */
static inline void pmcgrp_rotate_set_waiting(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set,
					     bool waiting)
{
	lockdep_assert_irqs_disabled();
	if (set->waiting == waiting)
		return;
	set->waiting = waiting;
	if (waiting)
		pcpu->nr_waiting++;
	else
		pcpu->nr_waiting--;
}

/* A set that did not fit an otherwise empty PMU is tried there once in so many ticks. */
#define PMCGRP_BACK_OFF_TICKS 16

/* Whether a set that did not fit an empty PMU is not yet due for another try. */
static inline bool pmcgrp_evset_backs_off(const struct pmcgrp_evset *set)
{
	return set->failed_alone % PMCGRP_BACK_OFF_TICKS;
}

/* Placements that drivers may refuse in one rotation or fill; the other sets come up later. */
#define PMCGRP_ROTATE_TRIALS 6

/* Sets that may wait for the next rotation, if others come in before it. */
#define PMCGRP_WAITING_TRIED 6

/* Sets that may wait until the next rotation.  The backlog takes any more (rest.c). */
#define PMCGRP_WAITING_BRIEFLY 16

void pmcgrp_rotate_start_timer(struct pmcgrp_cpu *pcpu);

/* Whether any set lacks counters: one that waits, rests or is deferred. */
static inline bool pmcgrp_cpu_has_waiting(const struct pmcgrp_cpu *pcpu)
{
	return pcpu->nr_waiting || pmcgrp_cpu_has_backlog(pcpu);
}

static inline bool pmcgrp_rotate_needs_timer(const struct pmcgrp_cpu *pcpu)
{
	return pcpu->usable && (pcpu->arbiter.contended || pmcgrp_cpu_has_waiting(pcpu) ||
				(pcpu->background_waits && pcpu->nr_background_on));
}

/**
 * pmcgrp_rotate_arm - start the rotation timer if it is needed and not started
 * @pcpu: this CPU's scheduler
 *
 * Context: interrupts off.
 */
static inline void pmcgrp_rotate_arm(struct pmcgrp_cpu *pcpu)
{
	lockdep_assert_irqs_disabled();
	if (!pcpu->armed && pmcgrp_rotate_needs_timer(pcpu))
		pmcgrp_rotate_start_timer(pcpu);
}

void pmcgrp_rotate_take_off(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set);
void pmcgrp_rotate_flexible_off(struct pmcgrp_cpu *pcpu);
void pmcgrp_rotate_pmu_off(struct pmcgrp_cpu *pcpu, struct pmu *pmu);
void pmcgrp_rotate_counter_off(struct pmcgrp_cpu *pcpu, struct pmcgrp_counter *counter);
void pmcgrp_rotate_yield(struct pmcgrp_cpu *pcpu);
bool pmcgrp_rotate_cpus_off(struct pmcgrp_cpu *pcpu);
void pmcgrp_rotate_fill(struct pmcgrp_cpu *pcpu);
void pmcgrp_rotate_refill(struct pmcgrp_cpu *pcpu);

void pmcgrp_rotate_evict_early(struct pmcgrp_cpu *pcpu, const struct pmcgrp_evset *set);
void pmcgrp_rotate_wait(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set);

/*
 * Let a set wait whose refusal stands (refusal.h).  It keeps the reason of its last try.  It has
 * none where another set was refused.  Context: as pmcgrp_rotate_wait().
 */
static inline void pmcgrp_rotate_wait_again(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set)
{
	if (unlikely(set->why == PMCGRP_WHY_NONE))
		pmcgrp_rotate_wait(pcpu, set);
	else
		pmcgrp_rotate_set_waiting(pcpu, set, true);
}

void pmcgrp_rotate_now(struct pmcgrp_cpu *pcpu);
void pmcgrp_rotate_make_room(struct pmcgrp_cpu *pcpu, const struct pmcgrp_evset *set,
			     bool refused);
void pmcgrp_rotate_defer(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set);
void pmcgrp_rotate_undefer(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set);

/* Whether the counters of a set may have to leave the PMU with it. */
static inline bool pmcgrp_rotate_leaves_early(const struct pmcgrp_cpu *pcpu,
					      const struct pmcgrp_evset *set)
{
	return set->takes_shared ||
	       (set->nr_hw && pmcgrp_perf_rotates(set->counter[0]->pmu)) ||
	       set->since < pcpu->evict_early_until || pcpu->reader || pcpu->pinned_comes;
}

/**
 * pmcgrp_rotate_off - take a set off its counters; the caller reports it, as of pmcgrp_evset_del()
 * @pcpu: this CPU's scheduler
 * @set: the set, on
 *
 * The counters are left on the PMU, idle, for the set to find them when it comes back.  Where
 * perf core rotates, user mode can read counters, pinned perf events come, or other threads of the
 * core need what they take, they are evicted at once: pmcgrp_rotate_evict_early().
 *
 * Context: interrupts off, in a recursion section; perf core's locks may be held.
 */
static inline void pmcgrp_rotate_off(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set)
{
	pmcgrp_evset_del(set);
	if (!set->nr_hw)
		return;
	pcpu->in_use = 0;
	pcpu->has_idle = true;
	if (unlikely(pmcgrp_rotate_leaves_early(pcpu, set)))
		pmcgrp_rotate_evict_early(pcpu, set);
}

/**
 * pmcgrp_rotate_place - place a set if there is room and perf does not have its slice
 * @pcpu: this CPU's scheduler
 * @set: the set, off, whose counters have just been looked up (evcpu.h)
 *
 * Context: interrupts off, in a recursion section; perf core's locks may be held.
 * Return: whether the set is on; otherwise it waits.
 */
static inline bool pmcgrp_rotate_place(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set)
{
	int err;

	lockdep_assert_irqs_disabled();
	if (pmcgrp_evset_is_flexible(set) &&
	    pmcgrp_cpu_withholds_from(pcpu, set->counter, set->nr_hw)) {
		pmcgrp_rotate_wait(pcpu, set);
		return false;
	}
	/* In perf core's section nothing is taken off any more once this has been placed. */
	if (unlikely(pcpu->nr_background_on) &&
	    pmcgrp_counters_are_held(set->counter, set->nr_hw))
		pmcgrp_background_off(pcpu);
	err = pmcgrp_evset_add(set);
	if (unlikely(err && pcpu->nr_background_on)) {
		pmcgrp_background_off(pcpu);
		err = pmcgrp_evset_add(set);
	}
	if (unlikely(err)) {
		pcpu->refused += err != -EALREADY;
		pmcgrp_rotate_wait(pcpu, set);
		pmcgrp_refusal_note(pcpu, set);
		return false;
	}
	pcpu->in_use = 0;
	pmcgrp_rotate_set_waiting(pcpu, set, false);
	set->failed_alone = 0;
	WRITE_ONCE(set->why, PMCGRP_WHY_NONE);
	if (pmcgrp_evset_is_flexible(set))
		pmcgrp_arbiter_placed(&pcpu->arbiter, set);
	else if (set->nr_hw)
		pmcgrp_arbiter_watch(&pcpu->arbiter); /* its counters may become idle */
	return true;
}

/**
 * pmcgrp_rotate_should_wait - check whether a set that is scheduled in waits without a trial
 * @pcpu: this CPU's scheduler
 *
 * It does if many others wait, or if it comes in for a rotation.
 *
 * Context: interrupts off.
 */
static inline bool pmcgrp_rotate_should_wait(const struct pmcgrp_cpu *pcpu)
{
	lockdep_assert_irqs_disabled();
	return pcpu->nr_waiting >= PMCGRP_WAITING_TRIED || pcpu->wakes;
}

#endif /* PMCGRP_ROTATE_H */
