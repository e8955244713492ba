// SPDX-License-Identifier: GPL-2.0-only
/*
 * Turns: which sets of a CPU's gang are on the PMU.
 *
 * As long as the union of their counters fits the PMU all are on it.  When it does not,
 * whole sets take turns: at each tick the unpinned ones go off and come back in the
 * order of the time that they have had, least first, and going on past one that does
 * not fit.  A set is on the PMU with all of its counters or with none.  perf's own
 * flexible events get their turns as well (arbiter.c).
 *
 * Context: as for all of a gang (sched.c): its CPU, interrupts off.
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
#include "sched.h"
#include "group.h"
#include "pinned.h"
#include "placement.h"
#include "evset.h"
#include "counter.h"
#include "rotate.h"

/* Whole ticks for which counters stay on the PMU idle. */
#define IDLE_TICKS 1

/* How long counters are removed at once after perf core was seen to rotate, in ticks. */
#define EVICT_EARLY_TICKS 64

/* A set that did not fit an otherwise empty PMU leaves it to others for so many ticks. */
#define BACK_OFF_TICKS 16

/* Rides without room that are tried at one tick; the others come up later. */
#define PLACE_TRIES 8

/*
 * A set that found no room beside certain counters is not tried beside these again, but each
 * so many turns: perf may have let go of counters.
 */
#define SKIP_TICKS 16

/* Ticks without anyone to be found after which a set that comes in claims perf's counters. */
#define MISSED_TICKS 3

/* The most turns that sets can be apart: what one can be owed. */
#define LAG_MAX 4

/*
 * A turn of many sets takes its time, with interrupts off.  With more of them than
 * PMCGRP_MANY_SETS, one that takes more than this part of a tick is followed by a rest: turns,
 * and looking for room, get at most one part in PAUSE_PARTS of the CPU.  (With fewer it
 * is quick, and what takes long is a hypervisor.)
 */
#define QUICK_PART 16
#define PAUSE_PARTS 16

/**
 * pmcgrp_rotate_evict_early - a set has gone off where perf core rotates, or did lately
 * @pcpu: this CPU's
 * @set: the set
 *
 * A task whose perf events find no room for counters that stay would find none at each of its
 * turns: these leave with their targets for a while.  In a turn that was taken from perf, one
 * that is interrupted keeps its place.
 *
 * Context: interrupts off; perf core's locks may be held.
 */
void pmcgrp_rotate_evict_early(struct pmcgrp_cpu *pcpu, const struct pmcgrp_evset *set)
{
	lockdep_assert_irqs_disabled();
	if (pmcgrp_perf_rotates(set->counter[0]->event->pmu))
		pcpu->evict_early_until = set->since + EVICT_EARLY_TICKS * pmcgrp_mux_interval_ns();
	if (set->since >= pcpu->arbiter.until)
		pmcgrp_counters_evict_programmed(NULL, 0);
}

/* Due for another try on an empty PMU, after it had failed there? */
static bool evset_backs_off(const struct pmcgrp_evset *set)
{
	return set->failed_alone % BACK_OFF_TICKS;
}

/*
 * Nobody is owed more than a few turns, however long it has been away, was alone
 * elsewhere or has been kept off by others than us: those that have had more than
 * that above the least count as having had just that.  All are off the PMU.
 */
static void clamp_vruntimes(struct pmcgrp_cpu *pcpu)
{
	struct pmcgrp_evset *set;
	u64 least = U64_MAX;
	u64 most;

	list_for_each_entry(set, &pcpu->sets, cpu_node)
		if (pmcgrp_evset_is_flexible(set) && set->counter && !set->failed_alone)
			least = min(least, set->vruntime);
	if (least == U64_MAX)
		return;
	most = least + LAG_MAX * pmcgrp_mux_interval_ns();
	list_for_each_entry(set, &pcpu->sets, cpu_node)
		if (pmcgrp_evset_is_flexible(set))
			set->vruntime = min(set->vruntime, most);
}

/* Remember why a set is not on: it may be gone before anybody asks. */
static void note_reason(const struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set)
{
	const struct pmcgrp_evset *holder = pmcgrp_cpu_blocker(pcpu, set, set->counter);

	WRITE_ONCE(set->why, holder ? PMCGRP_WHY_BUSY_PMCGRP : PMCGRP_WHY_BUSY_PERF);
	WRITE_ONCE(set->blocked_by, holder ? READ_ONCE(holder->group->member[0].id) : 0);
}

/**
 * pmcgrp_rotate_wait - a set has found no place
 * @pcpu: this CPU's
 * @set: the set, off
 *
 * Context: interrupts off; perf core's locks may be held.
 */
void pmcgrp_rotate_wait(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set)
{
	lockdep_assert_irqs_disabled();
	pmcgrp_rotate_set_waiting(pcpu, set, true);
	note_reason(pcpu, set);
}

/* pmcgrp_rotate_place() where there is no section yet: nobody comes or goes just now. */
static bool place_set(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set)
{
	bool on;

	pmcgrp_recursion_enter();
	on = pmcgrp_rotate_place(pcpu, set);
	pmcgrp_recursion_leave();
	return on;
}

/**
 * pmcgrp_rotate_flexible_off - all that take turns go off
 * @pcpu: this CPU's
 *
 * Context: interrupts off, not within perf core or where it has placed nothing yet.
 */
void pmcgrp_rotate_flexible_off(struct pmcgrp_cpu *pcpu)
{
	struct pmcgrp_evset *set;

	lockdep_assert_irqs_disabled();
	list_for_each_entry(set, &pcpu->sets, cpu_node)
		if (set->on && pmcgrp_evset_is_flexible(set)) {
			pmcgrp_recursion_enter();
			pmcgrp_rotate_off(pcpu, set);
			pmcgrp_rotate_set_waiting(pcpu, set, true);
			pmcgrp_recursion_leave();
		}
}

/* What began then has taken its time: leave things as they are for a while. */
static void pause_rotation(struct pmcgrp_cpu *pcpu, u64 start)
{
	u64 now, took;

	if (pcpu->nr_evsets <= PMCGRP_MANY_SETS)
		return;
	now = local_clock();
	took = now - start;
	if (took > pmcgrp_mux_interval_ns() / QUICK_PART)
		pcpu->pause_until = now + took * PAUSE_PARTS;
}

static u64 pause_left(const struct pmcgrp_cpu *pcpu)
{
	u64 now;

	if (likely(!pcpu->pause_until))
		return 0;
	now = local_clock();
	return pcpu->pause_until > now ? pcpu->pause_until - now : 0;
}

/**
 * pmcgrp_rotate_fill - let waiting sets in that fit beside those that are on
 * @pcpu: this CPU's
 *
 * Context: interrupts off, not within perf core.
 */
void pmcgrp_rotate_fill(struct pmcgrp_cpu *pcpu)
{
	unsigned int tries = PLACE_TRIES;
	u64 start = local_clock();
	struct pmcgrp_evset *set;

	lockdep_assert_irqs_disabled();
	list_for_each_entry(set, &pcpu->sets, cpu_node) {
		if (!set->waiting)
			continue;
		if (place_set(pcpu, set))
			set->refused_by = 0;
		else if (!--tries)
			break;
	}
	pause_rotation(pcpu, start);
}

/* Pinned first, those that cannot be placed anyway last, in between least-run first. */
static int order_sets(void *priv, const struct list_head *a, const struct list_head *b)
{
	const struct pmcgrp_evset *ra = list_entry(a, struct pmcgrp_evset, cpu_node);
	const struct pmcgrp_evset *rb = list_entry(b, struct pmcgrp_evset, cpu_node);

	if (ra->pinned != rb->pinned)
		return ra->pinned ? -1 : 1;
	if (evset_backs_off(ra) != evset_backs_off(rb))
		return evset_backs_off(ra) ? 1 : -1;
	if (ra->vruntime != rb->vruntime)
		return ra->vruntime < rb->vruntime ? -1 : 1;
	return 0;
}

/* Would it be tried in vain? */
static bool evset_is_refused(struct pmcgrp_evset *set)
{
	return set->refused_by && pmcgrp_evset_is_flexible(set) &&
	       !pmcgrp_counters_are_on(set->counter, set->nr_hw) &&
	       set->refused_by == pmcgrp_counters_in_use_mark() && ++set->nr_skipped < SKIP_TICKS;
}

/* Place a set at its turn, beside those that have been @alone, which are none, or others. */
static bool try_set(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set, bool alone)
{
	if (alone)
		return place_set(pcpu, set);
	if (evset_is_refused(set)) {
		pmcgrp_rotate_wait(pcpu, set);
		return false;
	}
	if (place_set(pcpu, set)) {
		set->refused_by = 0;
		return true;
	}
	/* For want of room, and nothing else. */
	if (!pcpu->arbiter.yielding && !pmcgrp_counters_are_held(set->counter, set->nr_hw)) {
		set->refused_by = pmcgrp_counters_in_use_mark();
		set->nr_skipped = 0;
	}
	return false;
}

/*
 * The next turn: all off, then on again in order, going on past a misfit.  A
 * pinned set comes before all that take turns, and if it does not fit then, it
 * goes into error, as a pinned event of perf's does.
 */
static void rotate_sets(struct pmcgrp_cpu *pcpu)
{
	unsigned int tries = PLACE_TRIES;
	struct pmcgrp_evset *set;
	bool alone = true;

	pcpu->missed_since = 0;
	pmcgrp_rotate_flexible_off(pcpu);
	clamp_vruntimes(pcpu);
	list_sort(NULL, &pcpu->sets, order_sets);
	list_for_each_entry(set, &pcpu->sets, cpu_node) {
		if (set->on || !set->counter || set->error)
			continue;
		if (!tries) {
			pmcgrp_rotate_set_waiting(pcpu, set, true);
			continue;
		}
		if (try_set(pcpu, set, alone)) {
			if (pmcgrp_evset_is_flexible(set))
				alone = false;
			continue;
		}
		tries--;
		if (set->pinned) {
			pmcgrp_rotate_set_waiting(pcpu, set, false);
			WRITE_ONCE(set->error, true);
		} else if (pcpu->arbiter.yielding) {
			tries = 0; /* the others wait as well */
		} else if (alone && !evset_backs_off(set) && pmcgrp_arbiter_want(pcpu, set)) {
			alone = false; /* perf has the room, and will be asked for it */
		} else if (alone || set->failed_alone) {
			set->failed_alone++;
		}
	}
}

static void rotate(struct pmcgrp_cpu *pcpu, u64 now)
{
	pcpu->rotated = now;
	rotate_sets(pcpu);
	pause_rotation(pcpu, now);
}

/**
 * pmcgrp_rotate_now - the next turn
 * @pcpu: this CPU's
 *
 * Context: interrupts off, not while perf core holds a PMU of these sets.
 */
void pmcgrp_rotate_now(struct pmcgrp_cpu *pcpu)
{
	lockdep_assert_irqs_disabled();
	rotate(pcpu, local_clock());
}

/* Is any set waiting that could be helped by others giving up their places? */
static bool has_contender(struct pmcgrp_cpu *pcpu)
{
	struct pmcgrp_evset *set;

	list_for_each_entry(set, &pcpu->sets, cpu_node)
		if (set->waiting && !evset_backs_off(set))
			return true;
	return false;
}

static u64 most_of_a_tick(void)
{
	return pmcgrp_mux_interval_ns() - pmcgrp_mux_interval_ns() / 8;
}

static void rotate_tick(struct pmcgrp_cpu *pcpu, u64 now)
{
	struct pmcgrp_evset *set;

	if (pmcgrp_arbiter_tick(pcpu))
		return;
	/* Between perf's turns and ours there are ticks in between. */
	if (now - pcpu->rotated < most_of_a_tick() || pause_left(pcpu))
		return;
	pmcgrp_crew_wake(pcpu);
	if (has_contender(pcpu)) {
		rotate(pcpu, now);
		pmcgrp_crew_rest(pcpu);
		return;
	}
	pcpu->rotated = now;
	pmcgrp_rotate_fill(pcpu);
	list_for_each_entry(set, &pcpu->sets, cpu_node)
		if (set->waiting)
			set->failed_alone++;
	pmcgrp_crew_rest(pcpu);
}

/* Those in between do not count. */
static void count_tick(struct pmcgrp_cpu *pcpu, u64 now)
{
	if (now - pcpu->ticked < most_of_a_tick())
		return;
	pcpu->ticked = now;
	pcpu->ticks++;
}

/**
 * pmcgrp_rotate_timer - the gang's tick
 * @timer: of this CPU's gang
 *
 * Context: hard interrupt.
 */
enum hrtimer_restart pmcgrp_rotate_timer(struct hrtimer *timer)
{
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();
	u64 now = local_clock();

	/* Pinned, and cancelled before the CPU goes: never anywhere else. */
	if (WARN_ON_ONCE(pcpu != container_of(timer, struct pmcgrp_cpu, timer)))
		return HRTIMER_NORESTART;
	if (pcpu->arbiter.contended || pmcgrp_cpu_has_waiting(pcpu))
		rotate_tick(pcpu, now);
	count_tick(pcpu, now);
	if (pcpu->has_idle)
		pcpu->has_idle = pmcgrp_counters_evict(pcpu->ticks - IDLE_TICKS);
	pcpu->armed = pmcgrp_rotate_needs_timer(pcpu);
	if (!pcpu->armed)
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(max(pmcgrp_arbiter_interval_ns(pcpu),
						   pause_left(pcpu))));
	return HRTIMER_RESTART;
}

/**
 * pmcgrp_rotate_start_timer - start the tick of a gang that needs it
 * @pcpu: this CPU's; pmcgrp_rotate_arm() says when
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
 * A set that has come in and finds no room need not wait for the tick if it is
 * pinned, or if one that is on has already had a turn more than it.
 */
static bool rotation_is_due(struct pmcgrp_cpu *pcpu, const struct pmcgrp_evset *set)
{
	unsigned int scan = PMCGRP_SCAN_MAX;
	struct pmcgrp_evset *other;

	if (set->pinned)
		return true;
	if (evset_backs_off(set))
		return false;
	list_for_each_entry(other, &pcpu->sets, cpu_node) {
		if (other->on && pmcgrp_evset_is_flexible(other) &&
		    pmcgrp_evset_vruntime(other) > set->vruntime + pmcgrp_mux_interval_ns())
			return true;
		if (!--scan)
			break;
	}
	return false;
}

/*
 * Claims are made at ticks, at which a task that naps is hardly ever in.  So where no tick has
 * found anyone for a while, a set that only perf's events keep off claims their counters as
 * soon as it comes in.
 */
static void want_if_missed(struct pmcgrp_cpu *pcpu)
{
	u64 missed = MISSED_TICKS * pmcgrp_mux_interval_ns(), now = local_clock();
	struct pmcgrp_evset *set, *least = NULL;
	unsigned int scan = PMCGRP_SCAN_MAX;

	if (pcpu->arbiter.yielding || !pcpu->nr_waiting || pmcgrp_cpu_flexible_on(pcpu))
		return;
	if (!pcpu->missed_since)
		pcpu->missed_since = now;
	if (now - pcpu->missed_since < missed)
		return;
	list_for_each_entry(set, &pcpu->sets, cpu_node) {
		if (set->waiting && pmcgrp_evset_is_flexible(set) && !evset_backs_off(set) &&
		    (!least || set->vruntime < least->vruntime))
			least = set;
		if (!--scan)
			break;
	}
	if (least)
		pmcgrp_arbiter_want(pcpu, least);
}

/**
 * pmcgrp_rotate_work - what could not be done while perf core was at work
 * @work: of this CPU's gang
 *
 * Context: hard interrupt, not within perf core.
 */
void pmcgrp_rotate_work(struct irq_work *work)
{
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();
	bool yields;

	if (WARN_ON_ONCE(pcpu != container_of(work, struct pmcgrp_cpu, work)))
		return;
	pmcgrp_guard_forget();
	yields = pmcgrp_arbiter_work(pcpu);
	/* A pinned set comes in whosever turn it is. */
	if (!pmcgrp_cpu_has_waiting(pcpu) || pause_left(pcpu))
		goto arm;
	if (pcpu->rotate_pending) {
		pmcgrp_crew_wake(pcpu);
		pmcgrp_rotate_now(pcpu);
		pmcgrp_crew_rest(pcpu);
	} else if (!yields) {
		pmcgrp_rotate_fill(pcpu);
		want_if_missed(pcpu);
	}
arm:
	pcpu->rotate_pending = false;
	pmcgrp_rotate_arm(pcpu);
}

/**
 * pmcgrp_rotate_make_room - for a set that has come in and is not on: by a turn, if owed one
 * @pcpu: this CPU's
 * @set: the set
 *
 * While perf core holds the PMU that has to wait (pmcgrp_counters_are_held() says why), and
 * counters of several PMUs were not even tried (pmcgrp_counters_place()): they may well fit.
 *
 * Context: interrupts off; perf core's locks may be held.
 */
void pmcgrp_rotate_make_room(struct pmcgrp_cpu *pcpu, const struct pmcgrp_evset *set)
{
	bool rotate_pending = rotation_is_due(pcpu, set);

	lockdep_assert_irqs_disabled();
	if (pmcgrp_counters_are_held(set->counter, set->nr_hw)) {
		pcpu->rotate_pending |= rotate_pending;
		irq_work_queue(&pcpu->work);
	} else if (rotate_pending && !pause_left(pcpu)) {
		pmcgrp_rotate_now(pcpu);
	}
}

/**
 * pmcgrp_rotate_is_full - pmcgrp_rotate_is_crowded() where some wait
 * @pcpu: this CPU's
 *
 * Context: interrupts off.
 */
bool pmcgrp_rotate_is_full(const struct pmcgrp_cpu *pcpu)
{
	lockdep_assert_irqs_disabled();
	return pcpu->nr_waiting >= PLACE_TRIES || pause_left(pcpu);
}
