// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sharing: groups with the same events of the same task have one carrier and one set.  So the
 * cost of a context switch does not depend on their number.  perf core takes time for each event
 * that follows a task, and a schedule-out updates the sums of each set.
 *
 * The group that was created first is the source of the others, its viewers.  It counts while any
 * of them is enabled.  An enabled viewer shows the values of the source minus @zero.  A disabled
 * viewer shows @kept minus @zero, where @kept has the values of the source when the viewer was
 * disabled.  When it is enabled again, @zero grows by what the source has counted since.  The
 * descriptor of the source follows the same rules while there are viewers.
 *
 * Lifetime: a source whose descriptor is closed remains, without an opener, until its last viewer
 * is closed.  A group with rings counts alone, as rings record what its own carrier does.  So
 * when a source gets rings, each viewer gets a carrier of its own.
 *
 * Locks: @source changes under pmcgrp_groups_mutex, the mutex of the group and, nested in that, the
 * mutex of the source.  The latter also protects @by.  Reads use @by without these (read.c), in
 * an RCU section if it is another group.
 */
#include <linux/hash.h>
#include <linux/hashtable.h>
#include <linux/lockdep.h>
#include <linux/rcupdate.h>
#include <linux/seqlock.h>
#include "group.h"
#include "root.h"
#include "share.h"
#include "control.h"
#include "target.h"
#include "row.h"

/* Groups that may become sources; pmcgrp_groups_mutex. */
static DEFINE_HASHTABLE(sources, 8);

static const struct perf_event_attr *event_attr(const struct pmcgrp_group *group, unsigned int e)
{
	return &group->member[group->first[e]].attr;
}

static u32 key_of(const struct pmcgrp_group *group, const struct task_struct *task)
{
	u64 key = (unsigned long)task;
	unsigned int e;

	for (e = 0; e < group->nr_events; e++)
		key = key * 31 + event_attr(group, e)->config;
	return hash_64(key, 32);
}

static bool counts_the_same(const struct pmcgrp_group *a, const struct pmcgrp_group *b)
{
	unsigned int e;

	if (a->nr_events != b->nr_events || a->nr_hw != b->nr_hw)
		return false;
	for (e = 0; e < a->nr_events; e++)
		if (!pmcgrp_attr_equal(event_attr(a, e), event_attr(b, e)))
			return false;
	return true;
}

/* A task's carrier holds the task (kernel/events/core.c: perf_event_alloc()). */
static struct pmcgrp_group *find_source(const struct pmcgrp_group *group,
					const struct task_struct *task)
{
	struct pmcgrp_group *source;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	hash_for_each_possible(sources, source, source_node, key_of(group, task))
		if (source->only->task == task && counts_the_same(source, group))
			return source;
	return NULL;
}

/**
 * pmcgrp_share_lock - lock the source of a group
 * @group: the group, its mutex held
 *
 * Context: may sleep; to be undone by pmcgrp_share_unlock().
 * Return: the source; @group itself if it counts alone.
 */
struct pmcgrp_group *pmcgrp_share_lock(struct pmcgrp_group *group)
{
	lockdep_assert_held(&group->mutex);
	if (group->source != group)
		mutex_lock_nested(&group->source->mutex, SINGLE_DEPTH_NESTING);
	return group->source;
}

/**
 * pmcgrp_share_unlock - undo pmcgrp_share_lock()
 * @group: the group
 */
void pmcgrp_share_unlock(struct pmcgrp_group *group)
{
	if (group->source != group)
		mutex_unlock(&group->source->mutex);
}

static void values_advance(struct pmcgrp_values *zero, const struct pmcgrp_values *from,
			   const struct pmcgrp_values *to, unsigned int nr)
{
	unsigned int i;

	zero->enabled += to->enabled - from->enabled;
	zero->running += to->running - from->running;
	for (i = 0; i < nr; i++)
		zero->count[i] += to->count[i] - from->count[i];
}

/* Let a group show its source, from the values that it has kept. */
static void view_on(struct pmcgrp_group *group)
{
	struct pmcgrp_group *source = group->source;

	lockdep_assert_held(&source->mutex);
	pmcgrp_group_refresh_own(source);
	raw_write_seqcount_begin(&group->zero_seq);
	values_advance(&group->zero, &group->kept, &source->total, group->nr_events);
	WRITE_ONCE(group->by, source);
	raw_write_seqcount_end(&group->zero_seq);
}

/* Keep the values of the source.  A concurrent read waits for them, or has seen earlier ones. */
static void view_off(struct pmcgrp_group *group)
{
	struct pmcgrp_group *source = group->source;

	lockdep_assert_held(&source->mutex);
	raw_write_seqcount_begin(&group->zero_seq);
	WRITE_ONCE(group->by, NULL);
	raw_write_seqcount_end(&group->zero_seq);
	pmcgrp_group_refresh_own(source);
	group->kept = source->total;
}

/* Enable or disable a group; its mutex and that of its source are held. */
static void view_set_enabled(struct pmcgrp_group *group, bool on)
{
	struct pmcgrp_group *source = group->source;

	lockdep_assert_held(&source->mutex);
	if (!group->by == !on)
		return;
	if (on) {
		if (!source->nr_on++)
			pmcgrp_group_enable_locked(source);
		view_on(group);
	} else {
		if (!--source->nr_on)
			pmcgrp_group_disable_locked(source);
		view_off(group);
	}
}

/**
 * pmcgrp_share_set_enabled - enable or disable a group that shares
 * @group: the group
 * @on: whether to enable or to disable it
 *
 * Context: may sleep; the group's mutex held.
 */
void pmcgrp_share_set_enabled(struct pmcgrp_group *group, bool on)
{
	pmcgrp_share_lock(group);
	view_set_enabled(group, on);
	pmcgrp_share_unlock(group);
}

/**
 * pmcgrp_share_refresh - update @group->total of a group that shares
 * @group: the group
 *
 * Context: may sleep; the group's mutex held.
 */
void pmcgrp_share_refresh(struct pmcgrp_group *group)
{
	struct pmcgrp_group *source;

	if (!group->by) {
		group->total = group->kept;
		return;
	}
	source = pmcgrp_share_lock(group);
	pmcgrp_group_refresh_own(source);
	if (source != group)
		group->total = source->total;
	pmcgrp_share_unlock(group);
}

/* Prepare a group for its first viewer: its own descriptor becomes one of several. */
static void source_begin(struct pmcgrp_group *source)
{
	source->nr_on = source->active;
	if (!source->active)
		view_off(source);
}

/* End what source_begin() has done, after the last viewer. */
static void source_end(struct pmcgrp_group *source)
{
	if (!source->by)
		view_on(source);
}

/**
 * pmcgrp_share_join - make a group a viewer of another one with the same events, if there is one
 * @group: a new group that has its rows, and no carrier
 * @task: its target
 *
 * Context: may sleep; pmcgrp_groups_mutex and the group's mutex held.
 * Return: whether the group is a viewer now.  Then it is enabled, if @group->active is set.
 */
bool pmcgrp_share_join(struct pmcgrp_group *group, const struct task_struct *task)
{
	struct pmcgrp_group *source;

	lockdep_assert_held(&group->mutex);
	source = pmcgrp_group_may_share(group) ? find_source(group, task) : NULL;
	if (!source)
		return false;
	group->source = source;
	pmcgrp_share_lock(group);
	if (pmcgrp_roots_ended(source)) {
		/* the task may live on: execve() of a set-uid program */
		pmcgrp_share_unlock(group);
		group->source = group;
		return false;
	}
	if (list_empty(&source->viewers))
		source_begin(source);
	list_add_tail(&group->view_node, &source->viewers);
	view_off(group);
	group->zero = group->kept;
	view_set_enabled(group, group->active);
	pmcgrp_share_unlock(group);
	return true;
}

/**
 * pmcgrp_share_offer - let later groups become viewers of a group
 * @group: the group, which has its own carrier
 *
 * Context: pmcgrp_groups_mutex held.
 */
void pmcgrp_share_offer(struct pmcgrp_group *group)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (pmcgrp_group_may_share(group))
		hash_add(sources, &group->source_node, key_of(group, group->only->task));
}

/**
 * pmcgrp_share_withdraw - undo pmcgrp_share_offer(), done or not
 * @group: the group
 *
 * Context: pmcgrp_groups_mutex held.
 */
void pmcgrp_share_withdraw(struct pmcgrp_group *group)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	hash_del(&group->source_node);
}

/* Give a source without a descriptor the id of its first viewer, for pmcgrp_info.blocked_by. */
static void source_rename(struct pmcgrp_group *source)
{
	struct pmcgrp_group *first = list_first_entry(&source->viewers, typeof(*first), view_node);

	WRITE_ONCE(source->member[0].id, first->member[0].id);
}

/* Separate a viewer from its source, whose mutex is held. */
static void view_end(struct pmcgrp_group *group)
{
	struct pmcgrp_group *source = group->source;

	view_set_enabled(group, false);
	list_del_init(&group->view_node);
	if (list_empty(&source->viewers))
		source_end(source);
	else if (!source->opener)
		source_rename(source);
}

/**
 * pmcgrp_share_leave - release the descriptor of a group that shares
 * @group: the group; takes its mutex
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: true if the group has viewers, and so remains.
 */
bool pmcgrp_share_leave(struct pmcgrp_group *group)
{
	bool stays = group->source == group;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	mutex_lock(&group->mutex);
	if (stays) {
		view_set_enabled(group, false);
		group->opener = NULL;
		pmcgrp_rows_orphan(group);
		source_rename(group);
	} else {
		pmcgrp_share_lock(group);
		view_end(group);
		pmcgrp_share_unlock(group);
	}
	mutex_unlock(&group->mutex);
	return stays;
}

/**
 * pmcgrp_share_is_over - check whether a source has neither descriptor nor viewers
 * @source: the group
 *
 * Context: pmcgrp_groups_mutex held.
 */
bool pmcgrp_share_is_over(const struct pmcgrp_group *source)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	return !source->opener && list_empty(&source->viewers);
}

/* Give a viewer its own carrier.  In between it counts nothing, and its times stand still. */
static int view_part(struct pmcgrp_group *group, struct pmcgrp_failure *fail)
{
	struct pmcgrp_group *source = group->source;
	struct pmcgrp_root *root = list_first_entry(&source->roots, typeof(*root), node);
	bool on;
	int err;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	mutex_lock(&group->mutex);
	pmcgrp_share_lock(group);
	err = pmcgrp_roots_check(source, fail);
	pmcgrp_share_unlock(group);
	group->active = false;
	if (!err)
		err = pmcgrp_roots_make(group, pmcgrp_root_task(root), fail);
	if (!err) {
		pmcgrp_share_lock(group);
		on = group->by;
		view_end(group);
		pmcgrp_share_unlock(group);
		/* Reads use neither carrier here: view_end() has set @by to NULL. */
		WRITE_ONCE(group->source, group);
		view_on(group);
		if (on)
			pmcgrp_group_enable_locked(group);
	}
	mutex_unlock(&group->mutex);
	return err;
}

/**
 * pmcgrp_share_end - end all sharing of a group
 * @group: the group; the function takes pmcgrp_groups_mutex, and mutexes of groups
 * @why: out: the reason for a failure
 *
 * Context: may sleep.
 * Return: 0; -ESRCH if a carrier is needed and the target has exited; -ENOMEM; -EINTR if the caller
 * has been killed.
 */
int pmcgrp_share_end(struct pmcgrp_group *group, u32 *why)
{
	struct pmcgrp_failure fail = { .why = PMCGRP_WHY_NONE };
	struct pmcgrp_group *viewer, *source;
	bool any = false;
	int err = 0;

	if (mutex_lock_killable(&pmcgrp_groups_mutex))
		return -EINTR;
	pmcgrp_share_withdraw(group);
	source = group->source;
	if (source != group) {
		err = view_part(group, &fail);
		any = !err;
	}
	while (!err && !list_empty(&group->viewers)) {
		viewer = list_first_entry(&group->viewers, typeof(*viewer), view_node);
		err = view_part(viewer, &fail);
		if (!err) {
			pmcgrp_share_offer(viewer);
			any = true;
		}
	}
	if (!err) {
		mutex_lock(&group->mutex);
		err = pmcgrp_root_part(group, &fail);
		mutex_unlock(&group->mutex);
	}
	/* Wait for reads that use the carrier of a former source. */
	if (any)
		synchronize_rcu();
	if (pmcgrp_share_is_over(source))
		pmcgrp_group_end(source);
	if (err && group->source == group && !group->rings)
		pmcgrp_share_offer(group);
	mutex_unlock(&pmcgrp_groups_mutex);
	*why = fail.why;
	return err;
}
