// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is a member's own in a group with a leader: whether it is enabled, its count and
 * its times, as perf has them (kernel/events/core.c: __perf_effective_state(),
 * perf_event_for_each(), _perf_ioctl()).
 *
 * All events of the group are on the PMU or none, whoever is enabled.  A member that
 * is not takes no notice: each change of its state is made at an instant at which
 * everything is up to date, and sets apart what belongs to it (struct pmcgrp_member_values).  The
 * leader's state is the group's: while it is off nothing moves.
 *
 * For a group of CPUs the same is kept for each CPU, for PMCGRP_IOC_READ_CPUS: what a
 * member shows is the sum of what it shows there.
 */
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <uapi/linux/pmcgrp.h>
#include "group.h"
#include "member.h"
#include "evset.h"
#include "control.h"

enum member_change {
	MEMBER_ENABLE,
	MEMBER_DISABLE,
	MEMBER_RESET,
	MEMBER_RESET_TIMES, /* and the count */
};

/**
 * struct change - something that happens to members at one instant
 * @from: the first of them
 * @to: behind the last
 * @what: it
 */
struct change {
	unsigned int from;
	unsigned int to;
	enum member_change what;
};

/**
 * pmcgrp_member_values_alloc - for all members that a group can have: nothing counted yet
 *
 * Return: the first of PMCGRP_MEMBERS_MAX, for kfree(), or NULL without memory.
 */
struct pmcgrp_member_values *pmcgrp_member_values_alloc(void)
{
	return kcalloc(PMCGRP_MEMBERS_MAX, sizeof(struct pmcgrp_member_values), GFP_KERNEL_ACCOUNT);
}

/* What is shown becomes what the group has less that, and the other way round. */
static void member_toggle(struct pmcgrp_member_values *member_values,
			  const struct pmcgrp_values *at, unsigned int event)
{
	member_values->count = at->count[event] - member_values->count;
	member_values->enabled = at->enabled - member_values->enabled;
	member_values->running = at->running - member_values->running;
}

static void member_change(struct pmcgrp_member_values *member_values, bool on,
			  const struct pmcgrp_values *at, unsigned int event,
			  enum member_change what)
{
	switch (what) {
	case MEMBER_ENABLE:
		if (!on)
			member_toggle(member_values, at, event);
		break;
	case MEMBER_DISABLE:
		if (on)
			member_toggle(member_values, at, event);
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

static void members_change(const struct pmcgrp_group *group,
			   struct pmcgrp_member_values *member_values,
			   const struct pmcgrp_values *at, const struct change *change)
{
	unsigned int i;

	for (i = change->from; i < change->to; i++)
		member_change(&member_values[i], group->member[i].on, at, group->member[i].event,
			      change->what);
}

static void evset_change(struct pmcgrp_evset *set, const struct pmcgrp_values *at, void *change)
{
	if (set->member_values)
		members_change(set->group, set->member_values, at, change);
}

/* To members from @from to before @to, now. */
static void group_change(struct pmcgrp_group *group, unsigned int from, unsigned int to,
			 enum member_change what)
{
	struct change change = { .from = from, .to = to, .what = what };
	unsigned int i;

	lockdep_assert_held(&group->mutex);
	pmcgrp_group_refresh_evsets(group, evset_change, &change);
	members_change(group, group->member_values, &group->total, &change);
	if (what == MEMBER_ENABLE || what == MEMBER_DISABLE)
		for (i = from; i < to; i++)
			group->member[i].on = what == MEMBER_ENABLE;
}

/**
 * pmcgrp_member_show - what a member shows
 * @group: the group, its mutex held
 * @i: the member
 * @member_values: @group->member_values, or that of the set of one CPU
 * @at: the group's snapshot, or that of the same set
 * @page: out
 */
void pmcgrp_member_show(const struct pmcgrp_group *group, unsigned int i,
			const struct pmcgrp_member_values *member_values,
			const struct pmcgrp_values *at, struct pmcgrp_member_values *page)
{
	*page = member_values[i];
	if (group->member[i].on)
		member_toggle(page, at, group->member[i].event);
}

static void members_clear(struct pmcgrp_evset *set, const struct pmcgrp_values *at, void *i)
{
	if (set->member_values)
		set->member_values[*(unsigned int *)i] = (struct pmcgrp_member_values){};
}

/**
 * pmcgrp_member_begin - a new member shows 0 and goes on from there
 * @group: the group, its mutex held
 * @i: the member, which has its event
 * @on: whether it is enabled
 *
 * Context: may sleep.
 */
void pmcgrp_member_begin(struct pmcgrp_group *group, unsigned int i, bool on)
{
	group->member[i].on = false;
	group->member_values[i] = (struct pmcgrp_member_values){};
	pmcgrp_group_refresh_evsets(group, members_clear, &i);
	if (on)
		group_change(group, i, i + 1, MEMBER_ENABLE);
}

static void members_shift(struct pmcgrp_member_values *member_values, unsigned int i)
{
	memmove(&member_values[i], &member_values[i + 1],
		(PMCGRP_MEMBERS_MAX - i - 1) * sizeof(*member_values));
}

/**
 * pmcgrp_member_remove - a member has left; those behind it move up
 * @group: the group, its mutex held
 * @i: which it was
 *
 * Context: may sleep.
 */
void pmcgrp_member_remove(struct pmcgrp_group *group, unsigned int i)
{
	struct pmcgrp_evset *set;

	lockdep_assert_held(&group->mutex);
	members_shift(group->member_values, i);
	mutex_lock(&group->evsets_mutex);
	list_for_each_entry(set, &group->sets, node)
		if (set->member_values)
			members_shift(set->member_values, i);
	mutex_unlock(&group->evsets_mutex);
}

/**
 * pmcgrp_group_has_leader - whether the descriptor of the group's leader is open
 * @group: a group made with a leader, its mutex held
 */
bool pmcgrp_group_has_leader(const struct pmcgrp_group *group)
{
	lockdep_assert_held(&group->mutex);
	return group->member[0].mfd == &group->leader;
}

/**
 * pmcgrp_group_update_state - let a group that has lost its leader count if a member is enabled
 * @group: the group, its mutex held
 *
 * Context: may sleep.
 */
void pmcgrp_group_update_state(struct pmcgrp_group *group)
{
	bool any = false;
	unsigned int i;

	lockdep_assert_held(&group->mutex);
	for (i = 0; i < group->nr; i++)
		any |= group->member[i].on;
	if (any && !READ_ONCE(group->active))
		pmcgrp_group_enable_locked(group);
	else if (!any && READ_ONCE(group->active))
		pmcgrp_group_disable_locked(group);
}

/* The members that a call on a descriptor means: from @from to before what is returned. */
static unsigned int mfd_range(const struct pmcgrp_member_fd *mfd, bool whole,
			      unsigned int *from)
{
	lockdep_assert_held(&mfd->group->mutex);
	if (whole && pmcgrp_group_has_leader(mfd->group)) {
		*from = 0;
		return mfd->group->nr;
	}
	*from = mfd->index;
	return mfd->index + 1;
}

/* The same without the leader, whose state is the group's. */
static unsigned int mfd_range_led(const struct pmcgrp_member_fd *mfd, bool whole,
				  unsigned int *from)
{
	unsigned int to = mfd_range(mfd, whole, from);

	if (!*from && pmcgrp_group_has_leader(mfd->group))
		++*from;
	return to;
}

static bool mfd_means_leader(const struct pmcgrp_member_fd *mfd, bool whole)
{
	return pmcgrp_group_has_leader(mfd->group) && (whole || !mfd->index);
}

/**
 * pmcgrp_member_fd_enable - PERF_EVENT_IOC_ENABLE
 * @mfd: a descriptor; takes the group's mutex
 * @whole: not only its member, but all of the group
 *
 * Context: may sleep.
 */
void pmcgrp_member_fd_enable(struct pmcgrp_member_fd *mfd, bool whole)
{
	struct pmcgrp_group *group = mfd->group;
	unsigned int from, to;

	mutex_lock(&group->mutex);
	to = mfd_range_led(mfd, whole, &from);
	if (from < to)
		group_change(group, from, to, MEMBER_ENABLE);
	if (mfd_means_leader(mfd, whole))
		pmcgrp_group_enable_locked(group);
	else if (!pmcgrp_group_has_leader(group))
		pmcgrp_group_update_state(group);
	mutex_unlock(&group->mutex);
}

/**
 * pmcgrp_member_fd_disable - PERF_EVENT_IOC_DISABLE
 * @mfd: a descriptor; takes the group's mutex
 * @whole: not only its member, but all of the group
 *
 * Context: may sleep.
 */
void pmcgrp_member_fd_disable(struct pmcgrp_member_fd *mfd, bool whole)
{
	struct pmcgrp_group *group = mfd->group;
	unsigned int from, to;

	mutex_lock(&group->mutex);
	if (mfd_means_leader(mfd, whole))
		pmcgrp_group_disable_locked(group);
	to = mfd_range_led(mfd, whole, &from);
	if (from < to)
		group_change(group, from, to, MEMBER_DISABLE);
	if (!pmcgrp_group_has_leader(group))
		pmcgrp_group_update_state(group);
	mutex_unlock(&group->mutex);
}

/**
 * pmcgrp_member_fd_reset - PERF_EVENT_IOC_RESET
 * @mfd: a descriptor; takes the group's mutex
 * @whole: not only its member, but all of the group
 * @times: the times as well
 *
 * Context: may sleep.
 */
void pmcgrp_member_fd_reset(struct pmcgrp_member_fd *mfd, bool whole, bool times)
{
	struct pmcgrp_group *group = mfd->group;
	unsigned int from, to;

	mutex_lock(&group->mutex);
	to = mfd_range(mfd, whole, &from);
	group_change(group, from, to, times ? MEMBER_RESET_TIMES : MEMBER_RESET);
	mutex_unlock(&group->mutex);
}
