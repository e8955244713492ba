// SPDX-License-Identifier: GPL-2.0-only
/*
 * Members of a group with a leader: enable, disable, reset and values of each member, as in perf
 * (kernel/events/core.c: __perf_effective_state(), perf_event_for_each(), _perf_ioctl()).
 *
 * The group is on the PMU with all of its events or none, even if some members are disabled.  The
 * state of a member only decides which part of the group's values a read shows.  Each change of the
 * state brings the group up to date, and then adjusts struct pmcgrp_member_values.
 *
 * The state of the leader is the state of the group: while it is disabled, nothing counts.
 *
 * A read without the mutex finds pmcgrp_group.zero_seq odd during a change, and takes the mutex.
 *
 * For PMCGRP_IOC_READ_CPUS, each set of a CPU has the same values for that CPU.  The values of a
 * member are the sum over all CPUs.
 */
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/seqlock.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <uapi/linux/pmcgrp.h>
#include "group/control.h"
#include "group/evlist_control.h"
#include "group/group.h"
#include "group/member.h"
#include "set/evlist_sets.h"
#include "set/evset.h"

enum member_change {
	MEMBER_ENABLE,
	MEMBER_DISABLE,
	MEMBER_RESET,
	MEMBER_RESET_TIMES, /* count and times */
};

/**
 * struct change - a change of the state of several members at one instant
 * @group: the group
 * @from: index of the first member
 * @to: index after the last member
 * @what: the change
 */
struct change {
	const struct pmcgrp_group *group;
	unsigned int from;
	unsigned int to;
	enum member_change what;
};

static void member_change(struct pmcgrp_member_values *member_values, bool on,
			  const struct pmcgrp_values *at, unsigned int event,
			  enum member_change what)
{
	switch (what) {
	case MEMBER_ENABLE:
		if (!on)
			pmcgrp_member_toggle(member_values, at, event);
		break;
	case MEMBER_DISABLE:
		if (on)
			pmcgrp_member_toggle(member_values, at, event);
		break;
	case MEMBER_RESET_TIMES:
		member_values->enabled = on ? at->enabled : 0;
		member_values->running = on ? at->running : 0;
		fallthrough;
	case MEMBER_RESET:
		member_values->count = on ? at->count[event] : 0;
		break;
	}
}

static void members_change(struct pmcgrp_member_values *member_values,
			   const struct pmcgrp_values *at, const struct change *change)
{
	const struct pmcgrp_group *group = change->group;
	unsigned int i;

	for (i = change->from; i < change->to; i++)
		member_change(&member_values[i], group->member[i].on, at, group->member[i].event,
			      change->what);
}

static void evset_change(struct pmcgrp_evset *set, const struct pmcgrp_values *at, void *change)
{
	if (set->member_values)
		members_change(set->member_values, at, change);
}

/* Have the count pages of members show what has changed. */
static void report_members_changed(const struct pmcgrp_group *group)
{
	const struct pmcgrp_evlist_hooks *hooks = READ_ONCE(group->evlist->hooks);

	if (unlikely(hooks && hooks->members_changed))
		hooks->members_changed(group->evlist);
}

/* Change the state of members @from to @to - 1 now, in the group and in its sets of CPUs. */
static void group_change(struct pmcgrp_group *group, unsigned int from, unsigned int to,
			 enum member_change what)
{
	struct change change = { .group = group, .from = from, .to = to, .what = what };
	unsigned int i;

	pmcgrp_group_assert_locked(group);
	pmcgrp_evlist_refresh_sets(group->evlist, evset_change, &change);
	raw_spin_lock_irq(&group->values_lock);
	members_change(group->member_values, group->evlist->total, &change);
	if (what == MEMBER_ENABLE || what == MEMBER_DISABLE)
		for (i = from; i < to; i++)
			group->member[i].on = what == MEMBER_ENABLE;
	raw_spin_unlock_irq(&group->values_lock);
	report_members_changed(group);
}

/**
 * pmcgrp_member_begin - start the values of a new member at 0
 * @group: the group; its list's mutex is held
 * @i: index of the member, which has its event
 * @on: whether the member starts enabled
 *
 * Context: may sleep.
 */
void pmcgrp_member_begin(struct pmcgrp_group *group, unsigned int i, bool on)
{
	group->member[i].on = on;
	group_change(group, i, i + 1, MEMBER_RESET_TIMES);
}

/* Remove the values of a member, of so many. */
static void members_shift(struct pmcgrp_member_values *member_values, unsigned int i,
			  unsigned int nr)
{
	memmove(&member_values[i], &member_values[i + 1], (nr - i - 1) * sizeof(*member_values));
}

/**
 * pmcgrp_member_remove - remove a member and its values, and move up those after it
 * @group: the group; its list's mutex is held
 * @i: index of the member
 *
 * Context: may sleep.
 */
void pmcgrp_member_remove(struct pmcgrp_group *group, unsigned int i)
{
	struct pmcgrp_evset *set;

	pmcgrp_group_assert_locked(group);
	pmcgrp_evlist_sets_lock(group->evlist);
	list_for_each_entry(set, &group->evlist->sets, node)
		if (set->member_values)
			members_shift(set->member_values, i, group->nr);
	mutex_unlock(&group->evlist->evsets_mutex);
	raw_spin_lock_irq(&group->values_lock);
	members_shift(group->member_values, i, group->nr);
	memmove(&group->member[i], &group->member[i + 1],
		(group->nr - i - 1) * sizeof(group->member[0]));
	group->nr--;
	for (; i < group->nr; i++)
		if (group->member[i].mfd)
			group->member[i].mfd->index = i;
	raw_spin_unlock_irq(&group->values_lock);
}

/**
 * pmcgrp_member_has_leader - check whether the descriptor of the group's leader is open
 * @group: a group created with a leader; its list's mutex or its values_lock is held
 */
bool pmcgrp_member_has_leader(const struct pmcgrp_group *group)
{
	lockdep_assert(lockdep_is_held(&group->evlist->mutex) ||
		       lockdep_is_held(&group->values_lock));
	return group->member[0].mfd == &group->leader;
}

/**
 * pmcgrp_member_update_state - enable a group that has lost its leader if any member is enabled
 * @group: the group; its list's mutex is held
 *
 * Otherwise disable it.
 *
 * Context: may sleep.
 */
void pmcgrp_member_update_state(struct pmcgrp_group *group)
{
	bool any = false;
	unsigned int i;

	pmcgrp_group_assert_locked(group);
	for (i = 0; i < group->nr; i++)
		any |= group->member[i].on;
	if (any && !READ_ONCE(group->evlist->active))
		pmcgrp_control_set_enabled(group, true);
	else if (!any && READ_ONCE(group->evlist->active))
		pmcgrp_control_set_enabled(group, false);
}

/* Find the members that an ioctl on a descriptor changes: @from to the returned index - 1. */
static unsigned int mfd_range(const struct pmcgrp_member_fd *mfd, bool whole,
			      unsigned int *from)
{
	pmcgrp_group_assert_locked(mfd->group);
	if (whole && pmcgrp_member_has_leader(mfd->group)) {
		*from = 0;
		return mfd->group->nr;
	}
	*from = mfd->index;
	return mfd->index + 1;
}

/* As mfd_range(), without the leader: its state is pmcgrp_evlist.active. */
static unsigned int mfd_range_led(const struct pmcgrp_member_fd *mfd, bool whole,
				  unsigned int *from)
{
	unsigned int to = mfd_range(mfd, whole, from);

	if (!*from && pmcgrp_member_has_leader(mfd->group))
		++*from;
	return to;
}

static bool mfd_means_leader(const struct pmcgrp_member_fd *mfd, bool whole)
{
	return pmcgrp_member_has_leader(mfd->group) && (whole || !mfd->index);
}

/**
 * pmcgrp_member_change_begin - keep reads without the mutex from a group whose members change
 * @group: a group with a leader; its list's mutex is held
 *
 * They take the mutex meanwhile.
 */
void pmcgrp_member_change_begin(struct pmcgrp_group *group)
{
	pmcgrp_group_assert_locked(group);
	raw_write_seqcount_begin(&group->zero_seq);
}

/* Undo pmcgrp_member_change_begin(). */
void pmcgrp_member_change_end(struct pmcgrp_group *group)
{
	raw_write_seqcount_end(&group->zero_seq);
}

/* Take the list's mutex for a change; or -EINTR. */
static int change_lock(struct pmcgrp_group *group)
{
	if (mutex_lock_killable(&group->evlist->mutex))
		return -EINTR;
	pmcgrp_member_change_begin(group);
	return 0;
}

static void change_unlock(struct pmcgrp_group *group)
{
	pmcgrp_member_change_end(group);
	mutex_unlock(&group->evlist->mutex);
}

/**
 * pmcgrp_member_fd_enable - enable a member or the whole group (PERF_EVENT_IOC_ENABLE)
 * @mfd: the descriptor; the function takes the list's mutex
 * @whole: the whole group (PERF_IOC_FLAG_GROUP), not only the member
 *
 * Context: may sleep.
 * Return: 0, or -EINTR if the caller has been killed.
 */
int pmcgrp_member_fd_enable(struct pmcgrp_member_fd *mfd, bool whole)
{
	struct pmcgrp_group *group = mfd->group;
	unsigned int from, to;

	if (change_lock(group))
		return -EINTR;
	to = mfd_range_led(mfd, whole, &from);
	if (from < to)
		group_change(group, from, to, MEMBER_ENABLE);
	if (mfd_means_leader(mfd, whole))
		pmcgrp_control_set_enabled(group, true);
	else if (!pmcgrp_member_has_leader(group))
		pmcgrp_member_update_state(group);
	change_unlock(group);
	return 0;
}

/**
 * pmcgrp_member_fd_disable - disable a member or the whole group (PERF_EVENT_IOC_DISABLE)
 * @mfd: the descriptor; the function takes the list's mutex
 * @whole: the whole group (PERF_IOC_FLAG_GROUP), not only the member
 *
 * Context: may sleep.
 * Return: 0, or -EINTR if the caller has been killed.
 */
int pmcgrp_member_fd_disable(struct pmcgrp_member_fd *mfd, bool whole)
{
	struct pmcgrp_group *group = mfd->group;
	unsigned int from, to;

	if (change_lock(group))
		return -EINTR;
	if (mfd_means_leader(mfd, whole))
		pmcgrp_control_set_enabled(group, false);
	to = mfd_range_led(mfd, whole, &from);
	if (from < to)
		group_change(group, from, to, MEMBER_DISABLE);
	if (!pmcgrp_member_has_leader(group))
		pmcgrp_member_update_state(group);
	change_unlock(group);
	return 0;
}

/**
 * pmcgrp_member_fd_reset - reset a member or the whole group (PERF_EVENT_IOC_RESET)
 * @mfd: the descriptor; the function takes the list's mutex
 * @whole: the whole group (PERF_IOC_FLAG_GROUP), not only the member
 * @times: reset the times, too
 *
 * Context: may sleep.
 * Return: 0, or -EINTR if the caller has been killed.
 */
int pmcgrp_member_fd_reset(struct pmcgrp_member_fd *mfd, bool whole, bool times)
{
	struct pmcgrp_group *group = mfd->group;
	unsigned int from, to;

	if (change_lock(group))
		return -EINTR;
	to = mfd_range(mfd, whole, &from);
	group_change(group, from, to, times ? MEMBER_RESET_TIMES : MEMBER_RESET);
	change_unlock(group);
	return 0;
}
