// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sets of a group: one for each task or CPU that it counts.  A set is created and ends with a
 * carrier, and all change when a member is added or removed.
 */
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "evset.h"
#include "group.h"
#include "group_evsets.h"

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
	INIT_LIST_HEAD(&set->ctx_node);
	INIT_LIST_HEAD(&set->cpu_node);
	set->group = group;
	set->synced_at = local_clock(); /* nothing has been counted yet */
	set->cpu = -1;
	seqcount_init(&set->seq);
	return set;
}

/* Copy what the sets have of their group's events. */
static void evset_set_events(struct pmcgrp_evset *set)
{
	const struct pmcgrp_group *group = set->group;
	unsigned int i;

	set->nr = group->nr_events;
	set->nr_hw = group->nr_hw;
	set->takes_shared = false;
	for (i = 0; i < group->nr_hw; i++)
		set->takes_shared |= group->event[i]->takes_shared;
}

/* Copy the fields that may change under evsets_mutex: later changes find the set in the list. */
static void evset_publish(struct pmcgrp_evset *set)
{
	struct pmcgrp_group *group = set->group;

	mutex_lock(&group->evsets_mutex);
	evset_set_events(set);
	set->pinned = group->flags & PMCGRP_CREATE_PINNED;
	list_add_tail(&set->node, &group->sets);
	if (pmcgrp_group_has_one_set(group))
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

/* Make room for what is to be shown for one CPU alone. */
static bool evset_make_values(struct pmcgrp_evset *set)
{
	if (set->group->member_values)
		set->member_values = pmcgrp_member_values_alloc();
	else
		set->zero = kzalloc(sizeof(*set->zero), GFP_KERNEL_ACCOUNT);
	return set->member_values || set->zero;
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
	if (pmcgrp_group_counts_cpus(group) && !evset_make_values(set)) {
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
		evset_set_events(set);
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
		evset_set_events(set);
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
