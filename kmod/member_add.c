// SPDX-License-Identifier: GPL-2.0-only
/*
 * Add members to a group with a leader, and remove them, while the group exists.
 *
 * 1. Create a counter on each CPU, after the counters in use.  This can fail; the group keeps
 *    counting.
 * 2. Freeze the group: no set of it is in any CPU's list, so no CPU uses its counters, rows and
 *    sums.
 * 3. Move the new event to its place in rows and sums.  pmcgrp_groups_mutex, the group's mutex and
 *    its evsets_mutex are all held, so each of them protects a reader.  Nothing is allocated.
 * 4. Check that the group still fits the PMU; if not, undo step 3.  Thaw the group.
 *
 * Removal of a member freezes the group, moves the event after all others, thaws the group, and
 * then releases the counters.
 *
 * A set that fork() creates meanwhile is published under evsets_mutex with the current events.
 *
 * A member with the same attr as another one shares its event; then the group is not frozen.
 */
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <uapi/linux/pmcgrp.h>
#include "validate.h"
#include "group.h"
#include "member_add.h"
#include "member.h"
#include "evset.h"
#include "root.h"
#include "row.h"
#include "control.h"
#include "group_evsets.h"
#include "target.h"

static void group_lock(struct pmcgrp_group *group)
{
	mutex_lock(&pmcgrp_groups_mutex);
	mutex_lock(&group->mutex);
}

static int group_lock_killable(struct pmcgrp_group *group)
{
	int err = mutex_lock_killable(&pmcgrp_groups_mutex);

	if (err)
		return err;
	err = mutex_lock_killable(&group->mutex);
	if (err)
		mutex_unlock(&pmcgrp_groups_mutex);
	return err;
}

static void group_unlock(struct pmcgrp_group *group)
{
	mutex_unlock(&group->mutex);
	mutex_unlock(&pmcgrp_groups_mutex);
}

/* Find the event with an attr.  Return its index, or nr_events. */
static unsigned int find_event(const struct pmcgrp_group *group,
			       const struct perf_event_attr *attr)
{
	unsigned int e;

	for (e = 0; e < group->nr_events; e++)
		if (pmcgrp_attr_equal(&group->member[group->first[e]].attr, attr))
			break;
	return e;
}

static bool is_shared(const struct pmcgrp_group *group, unsigned int i)
{
	unsigned int k;

	for (k = 0; k < group->nr; k++)
		if (k != i && group->member[k].event == group->member[i].event)
			return true;
	return false;
}

/* Whether a group with a new event still fits the PMU.  It is frozen and uses no counter. */
static int group_fits(struct pmcgrp_group *group, struct pmcgrp_failure *fail)
{
	lockdep_assert_held(&group->mutex);
	return pmcgrp_validate_group(group, fail);
}

static void append_member(struct pmcgrp_group *group, struct pmcgrp_member_fd *mfd,
			  const struct perf_event_attr *attr)
{
	unsigned int i = group->nr++;

	group->member[i] = (struct pmcgrp_member_state){
		.attr = *attr,
		.id = mfd->id,
		.mfd = mfd,
	};
	mfd->index = i;
}

static void drop_member(struct pmcgrp_group *group, unsigned int i)
{
	unsigned int k;

	pmcgrp_member_remove(group, i);
	memmove(&group->member[i], &group->member[i + 1],
		(group->nr - i - 1) * sizeof(group->member[0]));
	group->nr--;
	for (k = i; k < group->nr; k++)
		if (group->member[k].mfd)
			group->member[k].mfd->index = k;
}

/* Insert the event of the last member, whose counters are after all others, into its place. */
static void insert_event(struct pmcgrp_group *group)
{
	mutex_lock(&group->evsets_mutex);
	pmcgrp_evsets_insert(group, pmcgrp_rows_insert(group));
	mutex_unlock(&group->evsets_mutex);
}

/* Remove an event without members; its counters move after all others, for pmcgrp_rows_trim(). */
static void take_out_event(struct pmcgrp_group *group, unsigned int event)
{
	mutex_lock(&group->evsets_mutex);
	pmcgrp_rows_take_out(group, event);
	pmcgrp_evsets_take_out(group, event);
	mutex_unlock(&group->evsets_mutex);
	WRITE_ONCE(group->requests_failed, 0); /* fewer counters may be available now */
}

static void remove_member(struct pmcgrp_group *group, unsigned int i)
{
	unsigned int event = group->member[i].event;

	if (is_shared(group, i)) {
		drop_member(group, i);
		pmcgrp_rows_renumber(group);
		return;
	}
	pmcgrp_group_freeze(group);
	drop_member(group, i);
	take_out_event(group, event);
	pmcgrp_group_thaw(group);
	pmcgrp_rows_trim(group);
}

static int add_event(struct pmcgrp_group *group, struct pmcgrp_member_fd *mfd,
		     const struct perf_event_attr *attr, bool on, struct pmcgrp_failure *fail)
{
	int err;

	err = pmcgrp_rows_extend(group, attr, fail);
	if (err)
		return err;
	pmcgrp_group_freeze(group);
	append_member(group, mfd, attr);
	insert_event(group);
	err = group_fits(group, fail);
	if (!err) {
		pmcgrp_member_begin(group, mfd->index, on);
		pmcgrp_group_thaw(group);
		return 0;
	}
	group->nr--;
	take_out_event(group, group->member[mfd->index].event);
	pmcgrp_group_thaw(group);
	pmcgrp_rows_trim(group);
	return err;
}

/**
 * pmcgrp_member_fd_add - add a member with a descriptor
 * @mfd: the new descriptor, without a member yet; the caller holds the descriptor of the leader
 * @attr: event of the member, from pmcgrp_attr_copy()
 * @on: whether the member starts enabled
 * @fail: out: the reason for a failure
 *
 * When it returns, the member counts wherever the group counts.
 *
 * Context: may sleep.
 * Return: 0, then pmcgrp_member_fd_close() undoes this; or the errno that the uapi header gives
 * for PMCGRP_IOC_ADD, or -EINTR if the caller has been killed, then the group is unchanged.
 */
int pmcgrp_member_fd_add(struct pmcgrp_member_fd *mfd, const struct perf_event_attr *attr, bool on,
			 struct pmcgrp_failure *fail)
{
	struct pmcgrp_group *group = mfd->group;
	unsigned int event;
	int err = group_lock_killable(group);

	if (err)
		return err;
	event = find_event(group, attr);
	if (group->nr == PMCGRP_MEMBERS_MAX) {
		fail->why = PMCGRP_WHY_NR_MEMBERS;
		err = -EINVAL;
	} else if (event == group->nr_events) {
		err = add_event(group, mfd, attr, on, fail);
	} else {
		append_member(group, mfd, attr);
		group->member[mfd->index].event = event;
		pmcgrp_member_begin(group, mfd->index, on);
	}
	if (!err)
		group->nr_fds++;
	group_unlock(group);
	return err;
}

/*
 * Remove the leader when its descriptor is closed.  As in perf_group_detach()
 * (kernel/events/core.c), members with a descriptor continue without it and are not pinned.
 * Members without a descriptor go with the leader.
 */
static void detach_leader(struct pmcgrp_group *group)
{
	unsigned int i;

	pmcgrp_roots_drop_fired(group);
	for (i = group->nr; --i;)
		if (!group->member[i].mfd)
			remove_member(group, i);
	remove_member(group, 0);
	if (group->flags & PMCGRP_CREATE_PINNED) {
		pmcgrp_group_freeze(group);
		pmcgrp_evsets_unpin(group);
		pmcgrp_group_thaw(group);
	}
}

/**
 * pmcgrp_member_fd_close - remove the member of a descriptor whose file is released
 * @mfd: the descriptor; the caller frees it, except the leader's
 *
 * The last descriptor closes the group.
 *
 * Context: may sleep.
 */
void pmcgrp_member_fd_close(struct pmcgrp_member_fd *mfd)
{
	struct pmcgrp_group *group = mfd->group;
	bool last;

	group_lock(group);
	last = !--group->nr_fds;
	if (!last && mfd == &group->leader)
		detach_leader(group);
	else if (!last)
		remove_member(group, mfd->index);
	if (!last && !pmcgrp_group_has_leader(group))
		pmcgrp_group_update_state(group);
	group_unlock(group);
	if (last)
		pmcgrp_group_close(group);
}
