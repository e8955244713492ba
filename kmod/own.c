// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is a member's own in a group with a leader: whether it is enabled, its count and
 * its times, as perf has them (kernel/events/core.c: __perf_effective_state(),
 * perf_event_for_each(), _perf_ioctl()).
 *
 * All events of the group are on the PMU or none, whoever is enabled.  A member that
 * is not takes no notice: each change of its state is made at an instant at which
 * everything is up to date, and sets apart what belongs to it (struct pmcgrp_own).  The
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
#include "own.h"
#include "ride.h"
#include "steer.h"

enum own_change {
	OWN_ENABLE,
	OWN_DISABLE,
	OWN_RESET,
	OWN_RESET_TIMES,	/* and the count */
};

/**
 * struct change - something that happens to members at one instant
 * @from: the first of them
 * @to: behind the last
 * @what: it
 */
struct change {
	unsigned int	from;
	unsigned int	to;
	enum own_change	what;
};

/**
 * pmcgrp_own_alloc - for all members that a group can have: nothing counted yet
 *
 * Return: the first of PMCGRP_MEMBERS_MAX, for kfree(), or NULL without memory.
 */
struct pmcgrp_own *pmcgrp_own_alloc(void)
{
	return kcalloc(PMCGRP_MEMBERS_MAX, sizeof(struct pmcgrp_own), GFP_KERNEL_ACCOUNT);
}

/* What is shown becomes what the group has less that, and the other way round. */
static void own_turn(struct pmcgrp_own *own, const struct pmcgrp_snapshot *at, unsigned int event)
{
	own->count = at->count[event] - own->count;
	own->enabled = at->enabled - own->enabled;
	own->running = at->running - own->running;
}

static void own_change(struct pmcgrp_own *own, bool on, const struct pmcgrp_snapshot *at,
		       unsigned int event, enum own_change what)
{
	switch (what) {
	case OWN_ENABLE:
		if (!on)
			own_turn(own, at, event);
		break;
	case OWN_DISABLE:
		if (on)
			own_turn(own, at, event);
		break;
	case OWN_RESET_TIMES:
		own->enabled = on ? at->enabled : 0;
		own->running = on ? at->running : 0;
		fallthrough;
	case OWN_RESET:
		own->count = on ? at->count[event] : 0;
		break;
	}
}

static void owns_change(const struct pmcgrp_group *group, struct pmcgrp_own *own,
			const struct pmcgrp_snapshot *at, const struct change *change)
{
	unsigned int i;

	for (i = change->from; i < change->to; i++)
		own_change(&own[i], group->member[i].on, at, group->member[i].event,
			   change->what);
}

static void ride_change(struct pmcgrp_ride *ride, const struct pmcgrp_snapshot *at, void *change)
{
	if (ride->own)
		owns_change(ride->group, ride->own, at, change);
}

/* To members from @from to before @to, now. */
static void group_change(struct pmcgrp_group *group, unsigned int from, unsigned int to,
			 enum own_change what)
{
	struct change change = { .from = from, .to = to, .what = what };
	unsigned int i;

	lockdep_assert_held(&group->mutex);
	pmcgrp_group_refresh_rides(group, ride_change, &change);
	owns_change(group, group->own, &group->snap, &change);
	if (what == OWN_ENABLE || what == OWN_DISABLE)
		for (i = from; i < to; i++)
			group->member[i].on = what == OWN_ENABLE;
}

/**
 * pmcgrp_own_show - what a member shows
 * @group: the group, its mutex held
 * @i: the member
 * @own: @group->own, or that of the ride of one CPU
 * @at: the group's snapshot, or that of the same ride
 * @shown: out
 */
void pmcgrp_own_show(const struct pmcgrp_group *group, unsigned int i,
		     const struct pmcgrp_own *own, const struct pmcgrp_snapshot *at,
		     struct pmcgrp_own *shown)
{
	*shown = own[i];
	if (group->member[i].on)
		own_turn(shown, at, group->member[i].event);
}

static void owns_clear(struct pmcgrp_ride *ride, const struct pmcgrp_snapshot *at, void *i)
{
	if (ride->own)
		ride->own[*(unsigned int *)i] = (struct pmcgrp_own){};
}

/**
 * pmcgrp_own_begin - a new member shows 0 and goes on from there
 * @group: the group, its mutex held
 * @i: the member, which has its event
 * @on: whether it is enabled
 *
 * Context: may sleep.
 */
void pmcgrp_own_begin(struct pmcgrp_group *group, unsigned int i, bool on)
{
	group->member[i].on = false;
	group->own[i] = (struct pmcgrp_own){};
	pmcgrp_group_refresh_rides(group, owns_clear, &i);
	if (on)
		group_change(group, i, i + 1, OWN_ENABLE);
}

static void own_shift(struct pmcgrp_own *own, unsigned int i)
{
	memmove(&own[i], &own[i + 1], (PMCGRP_MEMBERS_MAX - i - 1) * sizeof(*own));
}

/**
 * pmcgrp_own_remove - a member has left; those behind it move up
 * @group: the group, its mutex held
 * @i: which it was
 *
 * Context: may sleep.
 */
void pmcgrp_own_remove(struct pmcgrp_group *group, unsigned int i)
{
	struct pmcgrp_ride *ride;

	lockdep_assert_held(&group->mutex);
	own_shift(group->own, i);
	mutex_lock(&group->rides_mutex);
	list_for_each_entry(ride, &group->rides, node)
		if (ride->own)
			own_shift(ride->own, i);
	mutex_unlock(&group->rides_mutex);
}

/**
 * pmcgrp_group_has_leader - whether the descriptor of the group's leader is open
 * @group: a group made with a leader, its mutex held
 */
bool pmcgrp_group_has_leader(const struct pmcgrp_group *group)
{
	lockdep_assert_held(&group->mutex);
	return group->member[0].handle == &group->leader;
}

/**
 * pmcgrp_group_settle - let a group that has lost its leader count if a member is enabled
 * @group: the group, its mutex held
 *
 * Context: may sleep.
 */
void pmcgrp_group_settle(struct pmcgrp_group *group)
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
static unsigned int handle_range(const struct pmcgrp_handle *handle, bool whole,
				 unsigned int *from)
{
	lockdep_assert_held(&handle->group->mutex);
	if (whole && pmcgrp_group_has_leader(handle->group)) {
		*from = 0;
		return handle->group->nr;
	}
	*from = handle->index;
	return handle->index + 1;
}

/* The same without the leader, whose state is the group's. */
static unsigned int handle_range_led(const struct pmcgrp_handle *handle, bool whole,
				     unsigned int *from)
{
	unsigned int to = handle_range(handle, whole, from);

	if (!*from && pmcgrp_group_has_leader(handle->group))
		++*from;
	return to;
}

static bool handle_means_leader(const struct pmcgrp_handle *handle, bool whole)
{
	return pmcgrp_group_has_leader(handle->group) && (whole || !handle->index);
}

/**
 * pmcgrp_handle_enable - PERF_EVENT_IOC_ENABLE
 * @handle: a descriptor; takes the group's mutex
 * @whole: not only its member, but all of the group
 *
 * Context: may sleep.
 */
void pmcgrp_handle_enable(struct pmcgrp_handle *handle, bool whole)
{
	struct pmcgrp_group *group = handle->group;
	unsigned int from, to;

	mutex_lock(&group->mutex);
	to = handle_range_led(handle, whole, &from);
	if (from < to)
		group_change(group, from, to, OWN_ENABLE);
	if (handle_means_leader(handle, whole))
		pmcgrp_group_enable_locked(group);
	else if (!pmcgrp_group_has_leader(group))
		pmcgrp_group_settle(group);
	mutex_unlock(&group->mutex);
}

/**
 * pmcgrp_handle_disable - PERF_EVENT_IOC_DISABLE
 * @handle: a descriptor; takes the group's mutex
 * @whole: not only its member, but all of the group
 *
 * Context: may sleep.
 */
void pmcgrp_handle_disable(struct pmcgrp_handle *handle, bool whole)
{
	struct pmcgrp_group *group = handle->group;
	unsigned int from, to;

	mutex_lock(&group->mutex);
	if (handle_means_leader(handle, whole))
		pmcgrp_group_disable_locked(group);
	to = handle_range_led(handle, whole, &from);
	if (from < to)
		group_change(group, from, to, OWN_DISABLE);
	if (!pmcgrp_group_has_leader(group))
		pmcgrp_group_settle(group);
	mutex_unlock(&group->mutex);
}

/**
 * pmcgrp_handle_reset - PERF_EVENT_IOC_RESET
 * @handle: a descriptor; takes the group's mutex
 * @whole: not only its member, but all of the group
 * @times: the times as well
 *
 * Context: may sleep.
 */
void pmcgrp_handle_reset(struct pmcgrp_handle *handle, bool whole, bool times)
{
	struct pmcgrp_group *group = handle->group;
	unsigned int from, to;

	mutex_lock(&group->mutex);
	to = handle_range(handle, whole, &from);
	group_change(group, from, to, times ? OWN_RESET_TIMES : OWN_RESET);
	mutex_unlock(&group->mutex);
}
