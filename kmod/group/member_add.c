// SPDX-License-Identifier: GPL-2.0-only
/*
 * Add members to a group with a leader, and remove them, while the group exists.  Its event list
 * is not shared.
 *
 * 1. Create a counter on each CPU, after the counters in use.  This can fail; the group keeps
 *    counting.
 * 2. Freeze the list: no set of it is in any CPU's list, so no CPU uses its counters, evcpus and
 *    sums.
 * 3. Move the new event to its place in evcpus and sums.  pmcgrp_groups_mutex, the list's mutex and
 *    its evsets_mutex are all held, so each of them protects a reader.  Nothing is allocated.
 * 4. Check that the list still fits the PMU; if not, undo step 3.  Thaw the list.
 *
 * Removal of a member freezes the list, moves the event after all others, thaws the list, and then
 * releases the counters.
 *
 * A member with the same attr as another one shares its event; then the list is not frozen.
 */
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <uapi/linux/pmcgrp.h>
#include "follow/latch.h"
#include "group/evlist_control.h"
#include "group/group.h"
#include "group/member.h"
#include "group/member_add.h"
#include "group/target.h"
#include "group/validate.h"
#include "set/evcpu_change.h"
#include "set/evlist_sets.h"
#include "set/evset.h"

static void group_lock(struct pmcgrp_group *group)
{
	mutex_lock(&pmcgrp_groups_mutex);
	mutex_lock(&group->evlist->mutex);
	pmcgrp_member_change_begin(group);
}

static int group_lock_killable(struct pmcgrp_group *group)
{
	int err = mutex_lock_killable(&pmcgrp_groups_mutex);

	if (err)
		return err;
	err = mutex_lock_killable(&group->evlist->mutex);
	if (err)
		mutex_unlock(&pmcgrp_groups_mutex);
	else
		pmcgrp_member_change_begin(group);
	return err;
}

static void group_unlock(struct pmcgrp_group *group)
{
	pmcgrp_member_change_end(group);
	mutex_unlock(&group->evlist->mutex);
	mutex_unlock(&pmcgrp_groups_mutex);
}

static bool is_shared(const struct pmcgrp_group *group, unsigned int i)
{
	unsigned int k;

	for (k = 0; k < group->nr; k++)
		if (k != i && group->member[k].event == group->member[i].event)
			return true;
	return false;
}

static void append_member(struct pmcgrp_group *group, struct pmcgrp_member_fd *mfd,
			  const struct perf_event_attr *attr, unsigned int event)
{
	unsigned int i;

	raw_spin_lock_irq(&group->values_lock);
	i = group->nr++;
	group->member[i] = (struct pmcgrp_member_state){
		.attr = *attr,
		.event = event,
		.id = mfd->id,
		.mfd = mfd,
	};
	mfd->index = i;
	raw_spin_unlock_irq(&group->values_lock);
}

/*
 * Make room for one member more, of which the group has less than PMCGRP_MEMBERS_MAX.  Samples read
 * the members of a list that counts, without a lock.
 */
static int make_room(struct pmcgrp_group *group)
{
	struct pmcgrp_member_state *member;

	if (group->nr < group->room)
		return 0;
	member = kvcalloc(PMCGRP_MEMBERS_MAX, sizeof(*member), GFP_KERNEL_ACCOUNT);
	if (!member)
		return -ENOMEM;
	pmcgrp_evlist_freeze(group->evlist);
	raw_spin_lock_irq(&group->values_lock);
	memcpy(member, group->member, group->nr * sizeof(*member));
	group->member = member;
	group->room = PMCGRP_MEMBERS_MAX;
	raw_spin_unlock_irq(&group->values_lock);
	pmcgrp_evlist_thaw(group->evlist);
	return 0;
}

/* Members that count events from number @at on count those behind or before it from now on. */
static void members_move(struct pmcgrp_group *group, unsigned int at, int by)
{
	unsigned int i;

	for (i = 0; i < group->nr; i++)
		if (group->member[i].event >= at)
			group->member[i].event += by;
}

/* The same in the sets of the list.  @by: 1: insert an event at @at; -1: take it out. */
static void events_move(struct pmcgrp_group *group, unsigned int at, int by)
{
	if (by > 0)
		pmcgrp_evlist_sets_insert(group->evlist, at);
	else
		pmcgrp_evlist_sets_take_out(group->evlist, at);
	members_move(group, at, by);
}

/* Lists with several sets have no count pages, and would hold the lock for long. */
static void events_move_locked(struct pmcgrp_group *group, unsigned int at, int by)
{
	if (!group->evlist->only) {
		events_move(group, at, by);
		return;
	}
	raw_spin_lock_irq(&group->values_lock);
	events_move(group, at, by);
	raw_spin_unlock_irq(&group->values_lock);
}

/* Insert the event of a new member, whose counters are after all others, into its place. */
static void insert_event(struct pmcgrp_group *group, struct pmcgrp_member_fd *mfd,
			 const struct perf_event_attr *attr)
{
	struct pmcgrp_evlist *evlist = group->evlist;
	unsigned int at;

	pmcgrp_evlist_sets_lock(evlist);
	at = pmcgrp_evcpus_insert(evlist);
	events_move_locked(group, at, 1);
	mutex_unlock(&evlist->evsets_mutex);
	append_member(group, mfd, attr, at);
}

/* Remove an event without members; its counters move after all others, for pmcgrp_evcpus_trim(). */
static void take_out_event(struct pmcgrp_group *group, unsigned int event)
{
	struct pmcgrp_evlist *evlist = group->evlist;

	pmcgrp_evlist_sets_lock(evlist);
	pmcgrp_evcpus_take_out(evlist, event);
	events_move_locked(group, event, -1);
	mutex_unlock(&evlist->evsets_mutex);
	WRITE_ONCE(evlist->requests_failed, 0); /* fewer counters may be available now */
}

static void remove_member(struct pmcgrp_group *group, unsigned int i)
{
	unsigned int event = group->member[i].event;

	if (is_shared(group, i)) {
		pmcgrp_member_remove(group, i);
		return;
	}
	pmcgrp_evlist_freeze(group->evlist);
	pmcgrp_member_remove(group, i);
	take_out_event(group, event);
	pmcgrp_evlist_thaw(group->evlist);
	pmcgrp_evcpus_trim(group->evlist);
}

static int add_event(struct pmcgrp_group *group, struct pmcgrp_member_fd *mfd,
		     const struct perf_event_attr *attr, bool on, struct pmcgrp_failure *fail)
{
	unsigned int event;
	int err;

	err = pmcgrp_evcpus_extend(group->evlist, attr, fail);
	if (err)
		return err;
	pmcgrp_evlist_freeze(group->evlist);
	insert_event(group, mfd, attr);
	err = pmcgrp_validate_evlist(group->evlist, fail);
	if (!err) {
		pmcgrp_member_begin(group, mfd->index, on);
		pmcgrp_evlist_thaw(group->evlist);
		return 0;
	}
	event = group->member[mfd->index].event;
	pmcgrp_member_remove(group, mfd->index);
	take_out_event(group, event);
	pmcgrp_evlist_thaw(group->evlist);
	pmcgrp_evcpus_trim(group->evlist);
	return err;
}

/**
 * pmcgrp_member_fd_add - add a member with a descriptor
 * @mfd: the new descriptor, without a member yet; the caller holds the descriptor of the leader
 * @attr: event of the member, from pmcgrp_attr_copy()
 * @on: whether the member starts enabled
 * @as_perf: refuse an event of hardware that another member has: perf would count it by another
 *	counter, of which it may have no more
 * @fail: out: the reason for a failure
 *
 * When it returns, the member counts wherever the group counts.
 *
 * Context: may sleep.
 * Return: 0, then pmcgrp_member_fd_close() undoes this; or the errno that the uapi header gives
 * for PMCGRP_IOC_ADD, or -EINTR if the caller has been killed, then the group is unchanged.
 */
int pmcgrp_member_fd_add(struct pmcgrp_member_fd *mfd, const struct perf_event_attr *attr, bool on,
			 bool as_perf, struct pmcgrp_failure *fail)
{
	struct pmcgrp_group *group = mfd->group;
	unsigned int event;
	int err = group_lock_killable(group);

	if (err)
		return err;
	event = pmcgrp_evlist_index(group->evlist, attr);
	if (group->nr == PMCGRP_MEMBERS_MAX) {
		fail->why = PMCGRP_WHY_NR_MEMBERS;
		err = -EINVAL;
	} else if (make_room(group)) {
		err = -ENOMEM;
	} else if (event == group->evlist->nr_events) {
		err = add_event(group, mfd, attr, on, fail);
	} else if (as_perf && !group->evlist->event[event]->is_software) {
		fail->why = PMCGRP_WHY_FLAGS;
		err = -EINVAL;
	} else {
		append_member(group, mfd, attr, event);
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

	pmcgrp_latches_drop(group->evlist);
	for (i = group->nr; --i;)
		if (!group->member[i].mfd)
			remove_member(group, i);
	/* From then on it is found by the id of another member. */
	pmcgrp_group_unlink(group);
	remove_member(group, 0);
	pmcgrp_group_link(group);
	if (group->evlist->flags & PMCGRP_CREATE_PINNED) {
		pmcgrp_evlist_freeze(group->evlist);
		pmcgrp_evlist_sets_unpin(group->evlist);
		pmcgrp_evlist_thaw(group->evlist);
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
	if (!last && !pmcgrp_member_has_leader(group))
		pmcgrp_member_update_state(group);
	group_unlock(group);
	if (!last)
		return;
	if (group->user_read.ops)
		group->user_read.ops->closes(group);
	pmcgrp_target_close(group);
}
