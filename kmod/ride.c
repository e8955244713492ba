// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rides: what a carrier has counted.  A ride is in at most one gang at a time;
 * everything that changes it runs on that gang's CPU with interrupts off, so the
 * seqcount has one writer and needs no lock.  The next CPU's writer comes after
 * the scheduler has moved the task, which orders the two.
 *
 * Counts and times are brought up to date in one write section, so a reader sees
 * members and times of one instant or reads again.
 */
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <uapi/linux/pmcgrp.h>
#include "direct.h"
#include "group.h"
#include "quiet.h"
#include "ride.h"

DEFINE_PER_CPU(unsigned int, pmcgrp_quiet_depth);

/* Of whichever ride is changed here: too large for the stack, which is cleared each time. */
static DEFINE_PER_CPU(u64[PMCGRP_MEMBERS_MAX], values);

static struct pmcgrp_ride *ride_create(struct pmcgrp_group *group)
{
	struct pmcgrp_ride *ride;
	unsigned int room;

	room = group->own ? PMCGRP_MEMBERS_MAX : group->nr_events;
	ride = kzalloc(struct_size(ride, sum, 2 * room), GFP_KERNEL_ACCOUNT);
	if (!ride)
		return NULL;
	ride->base = ride->sum + room;
	INIT_LIST_HEAD(&ride->node);
	INIT_LIST_HEAD(&ride->crew_node);
	INIT_LIST_HEAD(&ride->gang_node);
	ride->group = group;
	ride->taken_over = local_clock();	/* nothing has been counted yet */
	ride->cpu = -1;
	seqcount_init(&ride->seq);
	return ride;
}

/* Of what may change (rides_mutex) only what holds when others can change it in here. */
static void ride_publish(struct pmcgrp_ride *ride)
{
	struct pmcgrp_group *group = ride->group;

	mutex_lock(&group->rides_mutex);
	ride->nr = group->nr_events;
	ride->nr_hw = group->nr_hw;
	ride->pinned = group->flags & PMCGRP_CREATE_PINNED;
	list_add_tail(&ride->node, &group->rides);
	if (pmcgrp_group_has_one_carrier(group))
		group->only = ride;
	mutex_unlock(&group->rides_mutex);
}

/**
 * pmcgrp_ride_of_task - a ride for a carrier that follows a task
 * @group: its owner, which has its events in order
 * @task: the task
 *
 * Context: may sleep; perf core's mutexes may be held, and the group's.
 * Return: the ride, to be ended by pmcgrp_ride_end(), or NULL without memory.
 */
struct pmcgrp_ride *pmcgrp_ride_of_task(struct pmcgrp_group *group,
					const struct task_struct *task)
{
	struct pmcgrp_ride *ride = ride_create(group);

	if (!ride)
		return NULL;
	ride->task = task;
	ride_publish(ride);
	return ride;
}

/**
 * pmcgrp_ride_of_cpu - the ride for a carrier of a CPU, made with the first one
 * @group: its owner, which has its events in order
 * @cpu: the CPU
 *
 * It outlives its carrier, so that counts go on when the CPU comes back.
 *
 * Context: may sleep; pmcgrp_groups_mutex and the group's held.
 * Return: the ride, which goes with the group, or NULL without memory.
 */
struct pmcgrp_ride *pmcgrp_ride_of_cpu(struct pmcgrp_group *group, int cpu)
{
	struct pmcgrp_row *row = pmcgrp_row_of(group, cpu);
	struct pmcgrp_ride *ride;

	if (row->own)
		return row->own;
	ride = ride_create(group);
	if (!ride)
		return NULL;
	if (group->own)
		ride->own = pmcgrp_own_alloc();
	else
		ride->zero = kzalloc(sizeof(*ride->zero), GFP_KERNEL_ACCOUNT);
	if (!ride->own && !ride->zero) {
		kfree(ride);
		return NULL;
	}
	row->own = ride;
	ride_publish(ride);
	return ride;
}

/* What it has counted, when it counts no more. */
static void ride_add_to(const struct pmcgrp_ride *ride, struct pmcgrp_snapshot *sum)
{
	unsigned int i;

	sum->enabled += ride->enabled;
	sum->running += ride->running;
	for (i = 0; i < ride->nr; i++)
		sum->count[i] += ride->sum[i];
}

/**
 * pmcgrp_ride_end - a carrier is no more: keep what it has counted
 * @ride: its ride; one of a task is freed
 *
 * Context: may sleep; perf core's mutexes may be held.
 */
void pmcgrp_ride_end(struct pmcgrp_ride *ride)
{
	struct pmcgrp_group *group = ride->group;

	WARN_ON_ONCE(ride->cpu >= 0 || ride->joined);
	if (!ride->task)
		return;
	/* Both at once for pmcgrp_group_refresh(). */
	mutex_lock(&group->rides_mutex);
	ride_add_to(ride, &group->past);
	if (ride->why) {
		group->why = ride->why;
		group->held_by = ride->held_by;
	}
	list_del(&ride->node);
	/* Nobody reads any more: it has ended with the group, or with what did not become one. */
	if (group->only == ride)
		group->only = NULL;
	mutex_unlock(&group->rides_mutex);
	pmcgrp_ride_free(ride);
}

/**
 * pmcgrp_ride_free - free a ride that nobody else can reach
 * @ride: the ride
 */
void pmcgrp_ride_free(struct pmcgrp_ride *ride)
{
	kfree(ride->zero);
	kfree(ride->own);
	kfree(ride);
}

/* Whether the clock of a ride that has come in starts just now. */
static __always_inline bool ride_starts_clock(struct pmcgrp_ride *ride, u64 now)
{
	if (!ride->fresh)
		return false;
	ride->fresh = false;
	ride->since = now;
	return true;
}

/* Advance the times of a ride that has been @on the PMU, or not; inside the write section. */
static __always_inline void ride_advance(struct pmcgrp_ride *ride, u64 now, bool on)
{
	u64 delta = pmcgrp_ride_since(ride, now);

	ride->since += delta;
	ride->enabled += delta;
	if (on) {
		ride->running += delta;
		ride->vrun += delta;
	}
}

/* Advance the counts up to @value; inside the write section. */
static __always_inline void ride_tally(struct pmcgrp_ride *ride, const u64 *value)
{
	u64 *sum = ride->sum, *end = sum + ride->nr;
	const u64 *base = ride->base;

	while (sum < end)
		*sum++ += *value++ - *base++;
}

/**
 * pmcgrp_ride_vrun - the time on the PMU up to now, for the order of turns
 * @ride: the ride
 *
 * Context: this CPU, interrupts off.
 */
u64 pmcgrp_ride_vrun(const struct pmcgrp_ride *ride)
{
	pmcgrp_assert_here(ride->cpu);
	return ride->on ? ride->vrun + pmcgrp_ride_since(ride, local_clock()) : ride->vrun;
}

/**
 * pmcgrp_ride_take_over_now - pmcgrp_ride_take_over() when it is time
 * @ride: the ride, on the PMU
 * @now: local_clock()
 *
 * Context: as pmcgrp_slots_take_over().
 */
void pmcgrp_ride_take_over_now(struct pmcgrp_ride *ride, u64 now)
{
	pmcgrp_assert_here(ride->cpu);
	ride->taken_over = now;
	pmcgrp_slots_take_over(ride->slot, ride->nr_hw);
}

static __always_inline u64 ride_read(const struct pmcgrp_ride *ride, u64 *value)
{
	return pmcgrp_stay_read(ride->slot, ride->nr_hw, ride->nr, value, ride->still);
}

/* From now on. */
static __always_inline u64 ride_begin(struct pmcgrp_ride *ride)
{
	ride->still = READ_ONCE(ride->group->is_interrupted);
	return pmcgrp_stay_begin(ride->slot, ride->nr_hw, ride->nr, ride->base, &ride->still);
}

/**
 * pmcgrp_ride_place - try to put all of a ride's counters on the PMU
 * @ride: the ride, off the PMU, with slots here
 *
 * Context: this CPU, interrupts off, in a section of pmcgrp_quiet_enter().
 * Return: true if it now counts; otherwise nothing has changed.
 */
bool pmcgrp_ride_place(struct pmcgrp_ride *ride)
{
	u64 now;

	pmcgrp_assert_here(ride->cpu);
	pmcgrp_assert_quiet();
	if (pmcgrp_slots_place(ride->slot, ride->nr_hw))
		return false;

	now = ride_begin(ride);
	if (!ride_starts_clock(ride, now)) {
		write_seqcount_begin(&ride->seq);
		ride_advance(ride, now, false);
		write_seqcount_end(&ride->seq);
	}
	ride->on = true;
	if (unlikely(ride->group->window.shown))
		pmcgrp_direct_show(ride);
	return true;
}

/**
 * pmcgrp_ride_take_off - account a ride that is not to use its counters any more
 * @ride: the ride, on the PMU
 * @tick: the gang's, for counters that nobody else uses
 *
 * Context: this CPU, interrupts off, in a section of pmcgrp_quiet_enter().
 */
void pmcgrp_ride_take_off(struct pmcgrp_ride *ride, unsigned int tick)
{
	u64 *value = *this_cpu_ptr(&values), now;

	pmcgrp_assert_here(ride->cpu);
	pmcgrp_assert_quiet();
	if (unlikely(ride->group->window.shown))
		pmcgrp_direct_hide(ride->group);
	now = ride_read(ride, value);
	write_seqcount_begin(&ride->seq);
	ride_advance(ride, now, true);
	ride_tally(ride, value);
	ride->on = false;
	write_seqcount_end(&ride->seq);
	pmcgrp_ride_take_over(ride, now);
	pmcgrp_slots_release(ride->slot, ride->nr_hw, tick);
}

/*
 * The group has got a trigger that is a counter: another stay begins, as it wants it.  What
 * is counted from the last reading of this one to the first of that is in neither.
 */
static noinline void ride_begin_anew(struct pmcgrp_ride *ride)
{
	ride_begin(ride);
	if (ride->group->window.shown)
		pmcgrp_direct_show(ride);
}

/**
 * pmcgrp_ride_account - bring a ride's counts and times up to date
 * @ride: the ride, whose carrier is in on this CPU
 *
 * Context: this CPU, interrupts off.
 */
void pmcgrp_ride_account(struct pmcgrp_ride *ride)
{
	u64 *value = *this_cpu_ptr(&values), now;

	pmcgrp_assert_here(ride->cpu);
	pmcgrp_quiet_enter();
	now = ride->on ? ride_read(ride, value) : local_clock();

	write_seqcount_begin(&ride->seq);
	if (!ride_starts_clock(ride, now))
		ride_advance(ride, now, ride->on);
	if (ride->on) {
		ride_tally(ride, value);
		memcpy(ride->base, value, ride->nr * sizeof(*value));
	}
	write_seqcount_end(&ride->seq);
	if (ride->on) {
		if (unlikely(READ_ONCE(ride->group->is_interrupted) && !ride->still) &&
		    pmcgrp_stay_can_stand_still(ride->slot, ride->nr_hw))
			ride_begin_anew(ride);
		pmcgrp_ride_take_over(ride, now);
	}
	pmcgrp_quiet_leave();
}

/**
 * pmcgrp_ride_snapshot - a consistent copy of what has been accounted
 * @ride: the ride, anywhere
 * @snap: out
 *
 * Context: any but NMI: it could wait for the writer that it interrupted.
 */
void pmcgrp_ride_snapshot(const struct pmcgrp_ride *ride, struct pmcgrp_snapshot *snap)
{
	unsigned int i, seq;

	do {
		seq = read_seqcount_begin(&ride->seq);
		snap->enabled = ride->enabled;
		snap->running = ride->running;
		for (i = 0; i < ride->nr; i++)
			snap->count[i] = ride->sum[i];
	} while (read_seqcount_retry(&ride->seq, seq));
}

/**
 * pmcgrp_snapshot_add - add one snapshot to another
 * @sum: what is added to
 * @part: what is added
 * @nr: events of both
 */
void pmcgrp_snapshot_add(struct pmcgrp_snapshot *sum, const struct pmcgrp_snapshot *part,
			 unsigned int nr)
{
	unsigned int i;

	sum->enabled += part->enabled;
	sum->running += part->running;
	for (i = 0; i < nr; i++)
		sum->count[i] += part->count[i];
}

/* How many there are behind a place. */
static size_t behind(unsigned int nr, unsigned int at)
{
	return nr - at - 1;
}

/**
 * pmcgrp_rides_insert - the group has one event more, of which nothing has been counted
 * @group: the group, frozen; @group->nr_events and @group->nr_hw say so already
 * @at: which it is
 *
 * Context: may sleep; the group's rides_mutex held.
 */
void pmcgrp_rides_insert(struct pmcgrp_group *group, unsigned int at)
{
	struct pmcgrp_snapshot *past = &group->past;
	unsigned int nr = group->nr_events;
	struct pmcgrp_ride *ride;

	lockdep_assert_held(&group->rides_mutex);
	list_for_each_entry(ride, &group->rides, node) {
		WARN_ON_ONCE(ride->joined);
		ride->nr = nr;
		ride->nr_hw = group->nr_hw;
		ride->misfits = 0;
		ride->refused_by = 0;
		memmove(&ride->sum[at + 1], &ride->sum[at],
			behind(nr, at) * sizeof(ride->sum[0]));
		ride->sum[at] = 0;
	}
	memmove(&past->count[at + 1], &past->count[at], behind(nr, at) * sizeof(past->count[0]));
	past->count[at] = 0;
}

/**
 * pmcgrp_rides_take_out - the group has one event less
 * @group: the group, frozen; @group->nr_events and @group->nr_hw say so already
 * @at: which it was
 *
 * Context: may sleep; the group's rides_mutex held.
 */
void pmcgrp_rides_take_out(struct pmcgrp_group *group, unsigned int at)
{
	struct pmcgrp_snapshot *past = &group->past;
	unsigned int nr = group->nr_events + 1;
	struct pmcgrp_ride *ride;

	lockdep_assert_held(&group->rides_mutex);
	list_for_each_entry(ride, &group->rides, node) {
		WARN_ON_ONCE(ride->joined);
		memmove(&ride->sum[at], &ride->sum[at + 1], behind(nr, at) * sizeof(ride->sum[0]));
		ride->nr = group->nr_events;
		ride->nr_hw = group->nr_hw;
		ride->misfits = 0;
		ride->refused_by = 0;
	}
	memmove(&past->count[at], &past->count[at + 1], behind(nr, at) * sizeof(past->count[0]));
	past->count[nr - 1] = 0;
}

/**
 * pmcgrp_rides_unpin - the group is pinned no more
 * @group: the group, frozen
 *
 * Context: may sleep.
 */
void pmcgrp_rides_unpin(struct pmcgrp_group *group)
{
	struct pmcgrp_ride *ride;

	mutex_lock(&group->rides_mutex);
	group->flags &= ~PMCGRP_CREATE_PINNED;
	list_for_each_entry(ride, &group->rides, node) {
		WARN_ON_ONCE(ride->joined);
		ride->pinned = false;
		WRITE_ONCE(ride->error, false);
	}
	mutex_unlock(&group->rides_mutex);
}
