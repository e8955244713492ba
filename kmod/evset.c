// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event sets: the counts and times of a group's events for one task or CPU.
 *
 * A set is scheduled in on at most one CPU at a time.  Everything that changes it runs on that
 * CPU with interrupts off, so its seqcount has one writer and needs no lock.  The scheduler
 * orders a writer before the next CPU's writer when it migrates the task.  A set that rests has
 * its crew's lock instead (crew.c).
 *
 * Counts and times are updated in one write section of the seqcount.  A reader retries until it
 * has all of them from one instant.
 */
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <uapi/linux/pmcgrp.h>
#include "user_page.h"
#include "group.h"
#include "recursion.h"
#include "evset.h"
#include "placement.h"

/*
 * Readings of the set that is being accounted on this CPU.  They are too large for the stack,
 * which a kernel with CONFIG_INIT_STACK_ALL_ZERO clears at each call.
 */
static DEFINE_PER_CPU(u64[PMCGRP_MEMBERS_MAX], values);

static struct pmcgrp_evset *evset_create(struct pmcgrp_group *group)
{
	struct pmcgrp_evset *set;
	unsigned int room;

	room = group->member_values ? PMCGRP_MEMBERS_MAX : group->nr_events;
	set = kzalloc(struct_size(set, sum, 2 * room), GFP_KERNEL_ACCOUNT);
	if (!set)
		return NULL;
	set->base = set->sum + room;
	INIT_LIST_HEAD(&set->node);
	INIT_LIST_HEAD(&set->crew_node);
	INIT_LIST_HEAD(&set->cpu_node);
	set->group = group;
	set->synced_at = local_clock(); /* nothing has been counted yet */
	set->cpu = -1;
	seqcount_init(&set->seq);
	return set;
}

/* Copy the fields that may change under evsets_mutex: later changes find the set in the list. */
static void evset_publish(struct pmcgrp_evset *set)
{
	struct pmcgrp_group *group = set->group;

	mutex_lock(&group->evsets_mutex);
	set->nr = group->nr_events;
	set->nr_hw = group->nr_hw;
	set->pinned = group->flags & PMCGRP_CREATE_PINNED;
	list_add_tail(&set->node, &group->sets);
	if (pmcgrp_group_has_one_carrier(group))
		group->only = set;
	mutex_unlock(&group->evsets_mutex);
}

/**
 * pmcgrp_evset_of_task - create the set of a carrier event that follows a task
 * @group: group that owns the set, with its events in order
 * @task: the task
 *
 * Context: may sleep; perf core's mutexes and the group's may be held.
 * Return: the set, to be ended by pmcgrp_evset_end(), or NULL without memory.
 */
struct pmcgrp_evset *pmcgrp_evset_of_task(struct pmcgrp_group *group,
					  const struct task_struct *task)
{
	struct pmcgrp_evset *set = evset_create(group);

	if (!set)
		return NULL;
	set->task = task;
	evset_publish(set);
	return set;
}

/**
 * pmcgrp_evset_of_cpu - get the set of a group on a CPU, and create it if necessary
 * @group: group that owns the set, with its events in order
 * @cpu: the CPU
 *
 * The set outlives its carrier event, so that counts go on when the CPU comes back online.
 *
 * Context: may sleep; pmcgrp_groups_mutex and the group's mutex held.
 * Return: the set, which is freed with the group, or NULL without memory.
 */
struct pmcgrp_evset *pmcgrp_evset_of_cpu(struct pmcgrp_group *group, int cpu)
{
	struct pmcgrp_row *row = pmcgrp_row_of(group, cpu);
	struct pmcgrp_evset *set;

	if (row->cpu_set)
		return row->cpu_set;
	set = evset_create(group);
	if (!set)
		return NULL;
	if (group->member_values)
		set->member_values = pmcgrp_member_values_alloc();
	else
		set->zero = kzalloc(sizeof(*set->zero), GFP_KERNEL_ACCOUNT);
	if (!set->member_values && !set->zero) {
		kfree(set);
		return NULL;
	}
	row->cpu_set = set;
	evset_publish(set);
	return set;
}

/* Add the counts and times of a set that counts no more. */
static void evset_add_to(const struct pmcgrp_evset *set, struct pmcgrp_values *sum)
{
	unsigned int i;

	sum->enabled += set->enabled;
	sum->running += set->running;
	for (i = 0; i < set->nr; i++)
		sum->count[i] += set->sum[i];
}

/**
 * pmcgrp_evset_end - end the set of a carrier event that is destroyed, and keep its counts
 * @set: the set; a task's set is freed, a CPU's set remains
 *
 * Context: may sleep; perf core's mutexes may be held.
 */
void pmcgrp_evset_end(struct pmcgrp_evset *set)
{
	struct pmcgrp_group *group = set->group;

	WARN_ON_ONCE(set->cpu >= 0 || set->is_in);
	if (!set->task)
		return;
	/* pmcgrp_group_refresh() must find the counts either in the set or in @past. */
	mutex_lock(&group->evsets_mutex);
	evset_add_to(set, &group->past);
	if (set->why) {
		group->why = set->why;
		group->blocked_by = set->blocked_by;
	}
	list_del(&set->node);
	/* No reader is left: the group ends as well, or its creation has failed. */
	if (group->only == set)
		group->only = NULL;
	mutex_unlock(&group->evsets_mutex);
	pmcgrp_evset_free(set);
}

/**
 * pmcgrp_evset_free - free a set that nobody else can reach
 * @set: the set
 */
void pmcgrp_evset_free(struct pmcgrp_evset *set)
{
	kfree(set->zero);
	kfree(set->member_values);
	kfree(set);
}

/* Start the times of a set whose times have not started; return whether they start now. */
static __always_inline bool evset_starts_clock(struct pmcgrp_evset *set, u64 now)
{
	if (!set->not_started)
		return false;
	set->not_started = false;
	set->since = now;
	return true;
}

/* Advance the times of a set that has been @on the PMU, or off; inside the write section. */
static __always_inline void evset_advance(struct pmcgrp_evset *set, u64 now, bool on)
{
	u64 delta = pmcgrp_evset_since(set, now);

	set->since += delta;
	set->enabled += delta;
	if (on) {
		set->running += delta;
		set->vruntime += delta;
	}
}

/* Advance the counts up to the readings @value; inside the write section. */
static __always_inline void evset_add_counts(struct pmcgrp_evset *set, const u64 *value)
{
	u64 *sum = set->sum, *end = sum + set->nr;
	const u64 *base = set->base;

	while (sum < end)
		*sum++ += *value++ - *base++;
}

/**
 * pmcgrp_evset_vruntime - get a set's vruntime up to now, for the order of rotation
 * @set: the set
 *
 * Context: this CPU, interrupts off.
 */
u64 pmcgrp_evset_vruntime(const struct pmcgrp_evset *set)
{
	pmcgrp_assert_here(set->cpu);
	return set->on ? set->vruntime + pmcgrp_evset_since(set, local_clock()) : set->vruntime;
}

/**
 * pmcgrp_evset_sync_now - sync a set's counters, for pmcgrp_evset_sync()
 * @set: the set, on the PMU
 * @now: local_clock()
 *
 * Context: as for pmcgrp_counters_sync().
 */
void pmcgrp_evset_sync_now(struct pmcgrp_evset *set, u64 now)
{
	pmcgrp_assert_here(set->cpu);
	set->synced_at = now;
	pmcgrp_counters_sync(set->counter, set->nr_hw);
}

static __always_inline u64 evset_read(const struct pmcgrp_evset *set, u64 *value)
{
	return pmcgrp_evset_read(set->counter, set->nr_hw, set->nr, value, set->held);
}

/* Take the first reading of a placement as the base of the counts. */
static __always_inline u64 evset_begin(struct pmcgrp_evset *set)
{
	set->held = READ_ONCE(set->group->is_interrupted);
	return pmcgrp_evset_read_first(set->counter, set->nr_hw, set->nr, set->base, &set->held);
}

/**
 * pmcgrp_evset_on - try to put all counters of a set on the PMU
 * @set: the set, off the PMU, with counters on this CPU
 *
 * Context: this CPU, interrupts off, in a section of pmcgrp_recursion_enter().
 * Return: true if the set counts now; if false, the set is as before.
 */
bool pmcgrp_evset_on(struct pmcgrp_evset *set)
{
	u64 now;

	pmcgrp_assert_here(set->cpu);
	pmcgrp_assert_recursion();
	if (pmcgrp_counters_place(set->counter, set->nr_hw))
		return false;

	now = evset_begin(set);
	if (!evset_starts_clock(set, now)) {
		write_seqcount_begin(&set->seq);
		evset_advance(set, now, false);
		write_seqcount_end(&set->seq);
	}
	set->on = true;
	if (unlikely(set->group->user_read.page))
		pmcgrp_user_page_publish(set);
	return true;
}

/**
 * pmcgrp_evset_off - account a set, and release its hardware counters
 * @set: the set, on the PMU
 *
 * Context: this CPU, interrupts off, in a section of pmcgrp_recursion_enter().
 */
void pmcgrp_evset_off(struct pmcgrp_evset *set)
{
	u64 *value = *this_cpu_ptr(&values), now;

	pmcgrp_assert_here(set->cpu);
	pmcgrp_assert_recursion();
	if (unlikely(set->group->user_read.page))
		pmcgrp_user_page_invalidate(set->group);
	now = evset_read(set, value);
	write_seqcount_begin(&set->seq);
	evset_advance(set, now, true);
	evset_add_counts(set, value);
	set->on = false;
	write_seqcount_end(&set->seq);
	pmcgrp_evset_sync(set, now);
	pmcgrp_counters_release(set->counter, set->nr_hw, now);
}

/*
 * Switch a set to readings with a held PMU: a trigger of its group is now a hardware counter.
 * Events between the last reading in the old state and the first one in the new state are not
 * counted.
 */
static noinline void evset_begin_again(struct pmcgrp_evset *set)
{
	evset_begin(set);
	if (set->group->user_read.page)
		pmcgrp_user_page_publish(set);
}

/**
 * pmcgrp_evset_account - update a set's counts and times up to now
 * @set: the set, which @is_in on this CPU
 *
 * Context: this CPU, interrupts off.
 */
void pmcgrp_evset_account(struct pmcgrp_evset *set)
{
	u64 *value = *this_cpu_ptr(&values), now;

	pmcgrp_assert_here(set->cpu);
	pmcgrp_recursion_enter();
	now = set->on ? evset_read(set, value) : local_clock();

	write_seqcount_begin(&set->seq);
	if (!evset_starts_clock(set, now))
		evset_advance(set, now, set->on);
	if (set->on) {
		evset_add_counts(set, value);
		memcpy(set->base, value, set->nr * sizeof(*value));
	}
	write_seqcount_end(&set->seq);
	if (set->on) {
		if (unlikely(READ_ONCE(set->group->is_interrupted) && !set->held) &&
		    pmcgrp_evset_can_be_held(set->counter, set->nr_hw))
			evset_begin_again(set);
		pmcgrp_evset_sync(set, now);
	}
	pmcgrp_recursion_leave();
}

/**
 * pmcgrp_evset_copy - copy a set's accounted counts and times consistently
 * @set: the set, on any CPU or none
 * @total: out
 *
 * Context: any but NMI, which could wait for ever for a writer that it has interrupted.
 */
void pmcgrp_evset_copy(const struct pmcgrp_evset *set, struct pmcgrp_values *total)
{
	unsigned int i, seq;

	do {
		seq = read_seqcount_begin(&set->seq);
		total->enabled = set->enabled;
		total->running = set->running;
		for (i = 0; i < set->nr; i++)
			total->count[i] = set->sum[i];
	} while (read_seqcount_retry(&set->seq, seq));
}

/**
 * pmcgrp_values_add - add counts and times to others
 * @sum: sum to add to
 * @part: values to add
 * @nr: number of events of both
 */
void pmcgrp_values_add(struct pmcgrp_values *sum, const struct pmcgrp_values *part,
		       unsigned int nr)
{
	unsigned int i;

	sum->enabled += part->enabled;
	sum->running += part->running;
	for (i = 0; i < nr; i++)
		sum->count[i] += part->count[i];
}

/* Count the events behind position @at. */
static size_t behind(unsigned int nr, unsigned int at)
{
	return nr - at - 1;
}

/**
 * pmcgrp_evsets_insert - add an event without counts to all sets of a group
 * @group: the group, frozen, with @group->nr_events and @group->nr_hw already increased
 * @at: position of the new event
 *
 * Context: may sleep; the group's evsets_mutex held.
 */
void pmcgrp_evsets_insert(struct pmcgrp_group *group, unsigned int at)
{
	struct pmcgrp_values *past = &group->past;
	unsigned int nr = group->nr_events;
	struct pmcgrp_evset *set;

	lockdep_assert_held(&group->evsets_mutex);
	list_for_each_entry(set, &group->sets, node) {
		WARN_ON_ONCE(set->is_in);
		set->nr = nr;
		set->nr_hw = group->nr_hw;
		set->failed_alone = 0;
		set->refused_by = 0;
		memmove(&set->sum[at + 1], &set->sum[at],
			behind(nr, at) * sizeof(set->sum[0]));
		set->sum[at] = 0;
	}
	memmove(&past->count[at + 1], &past->count[at], behind(nr, at) * sizeof(past->count[0]));
	past->count[at] = 0;
}

/**
 * pmcgrp_evsets_take_out - remove an event from all sets of a group
 * @group: the group, frozen, with @group->nr_events and @group->nr_hw already decreased
 * @at: position of the event
 *
 * Context: may sleep; the group's evsets_mutex held.
 */
void pmcgrp_evsets_take_out(struct pmcgrp_group *group, unsigned int at)
{
	struct pmcgrp_values *past = &group->past;
	unsigned int nr = group->nr_events + 1;
	struct pmcgrp_evset *set;

	lockdep_assert_held(&group->evsets_mutex);
	list_for_each_entry(set, &group->sets, node) {
		WARN_ON_ONCE(set->is_in);
		memmove(&set->sum[at], &set->sum[at + 1], behind(nr, at) * sizeof(set->sum[0]));
		set->nr = group->nr_events;
		set->nr_hw = group->nr_hw;
		set->failed_alone = 0;
		set->refused_by = 0;
	}
	memmove(&past->count[at], &past->count[at + 1], behind(nr, at) * sizeof(past->count[0]));
	past->count[nr - 1] = 0;
}

/**
 * pmcgrp_evsets_unpin - turn a pinned group and its sets into flexible ones
 * @group: the group, frozen
 *
 * Context: may sleep.
 */
void pmcgrp_evsets_unpin(struct pmcgrp_group *group)
{
	struct pmcgrp_evset *set;

	mutex_lock(&group->evsets_mutex);
	group->flags &= ~PMCGRP_CREATE_PINNED;
	list_for_each_entry(set, &group->sets, node) {
		WARN_ON_ONCE(set->is_in);
		set->pinned = false;
		WRITE_ONCE(set->error, false);
	}
	mutex_unlock(&group->evsets_mutex);
}
