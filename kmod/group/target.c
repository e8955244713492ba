// SPDX-License-Identifier: GPL-2.0-only
/*
 * Start and close groups.
 *
 * A group starts with an event list that counts its events for its target.  It shares one if it
 * can (evlist.c).  A new list gets evcpus, then its follower makes what schedules its sets in.
 * That goes before the evcpus do: it uses their counters.  Triggers come later, and go first.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/sched.h>
#include "follow/carried.h"
#include "follow/cgroup.h"
#include "follow/contexts.h"
#include "follow/cpus.h"
#include "follow/exit_probe.h"
#include "follow/follow.h"
#include "follow/task_context.h"
#include "follow/tasks.h"
#include "group/control.h"
#include "group/evlist_control.h"
#include "group/group.h"
#include "group/target.h"
#include "group/validate.h"
#include "sched/background_probe.h"
#include "set/evcpu.h"
#include "set/evlist.h"

/* What follows a target: the first one of its type all of whose flags it has. */
static const struct {
	u32 type;
	u64 flags;
	const struct pmcgrp_follower *follower;
} followers[] = {
	{ PMCGRP_TARGET_TASK, PMCGRP_CREATE_INHERIT, &pmcgrp_tasks_created },
	{ PMCGRP_TARGET_TASK, PMCGRP_CREATE_USER_READ, &pmcgrp_task_carried },
	{ PMCGRP_TARGET_TASK, 0, &pmcgrp_task_follower },
	{ PMCGRP_TARGET_PROCESS, 0, &pmcgrp_tasks_of_process },
	{ PMCGRP_TARGET_CPU, PMCGRP_CREATE_PINNED, &pmcgrp_carried_cpu },
	{ PMCGRP_TARGET_CPU, 0, &pmcgrp_cpus_one },
	{ PMCGRP_TARGET_CPUS, PMCGRP_CREATE_PINNED, &pmcgrp_carried_cpus },
	{ PMCGRP_TARGET_CPUS, 0, &pmcgrp_cpus_listed },
	{ PMCGRP_TARGET_ALL_CPUS, PMCGRP_CREATE_PINNED, &pmcgrp_carried_all_cpus },
	{ PMCGRP_TARGET_ALL_CPUS, 0, &pmcgrp_cpus_all },
	{ PMCGRP_TARGET_CGROUP, 0, &pmcgrp_cgroup_follower },
};

static const struct pmcgrp_follower *follower_of(const struct pmcgrp_target *target)
{
	unsigned int i;

	for (i = 0; followers[i].type != target->type || followers[i].flags & ~target->flags; i++)
		;
	return followers[i].follower;
}

static int list_follow(const struct pmcgrp_evlist *evlist)
{
	const struct pmcgrp_follower *follower = evlist->follower;
	int err = follower->has_probes ? pmcgrp_follow_get() : 0;

	if (err)
		return err;
	if (follower->get)
		err = follower->get();
	else if (evlist->flags & PMCGRP_CREATE_UNTIL_EXIT)
		err = pmcgrp_exit_probe_get();
	if (err && follower->has_probes)
		pmcgrp_follow_put();
	return err;
}

static void list_unfollow(struct pmcgrp_evlist *evlist)
{
	pmcgrp_background_put(evlist);
	if (evlist->flags & PMCGRP_CREATE_UNTIL_EXIT)
		pmcgrp_exit_probe_put();
	if (evlist->follower->put)
		evlist->follower->put();
	if (evlist->follower->has_probes)
		pmcgrp_follow_put();
}

static struct pmcgrp_group *first_group(const struct pmcgrp_evlist *evlist)
{
	return list_first_entry(&evlist->groups, struct pmcgrp_group, list_node);
}

/**
 * struct distinct - the distinct events of a group's members
 * @nr: number of events
 * @attr: the attr of each
 * @member: the first member that counts each
 */
struct distinct {
	unsigned int nr;
	const struct perf_event_attr *attr[PMCGRP_MEMBERS_MAX];
	u8 member[PMCGRP_MEMBERS_MAX];
};

static void find_distinct(const struct pmcgrp_group *group, struct distinct *events)
{
	const struct perf_event_attr *attr;
	unsigned int e, i;

	events->nr = 0;
	for (i = 0; i < group->nr; i++) {
		attr = &group->member[i].attr;
		for (e = 0; e < events->nr; e++)
			if (pmcgrp_attr_equal(attr, events->attr[e]))
				break;
		if (e < events->nr)
			continue;
		events->attr[e] = attr;
		events->member[e] = i;
		events->nr++;
	}
}

/* Have the members count the events of the group's list. */
static void number_members(struct pmcgrp_group *group)
{
	unsigned int i;

	for (i = 0; i < group->nr; i++)
		group->member[i].event = pmcgrp_evlist_index(group->evlist, &group->member[i].attr);
}

/* The first member that counts an event of the group's list. */
static unsigned int first_member(const struct pmcgrp_group *group, unsigned int event)
{
	unsigned int i;

	for (i = 0; group->member[i].event != event; i++)
		;
	return i;
}

/* Make the evcpus of a new list.  Without them there is nothing to be stopped. */
static int list_make_evcpus(struct pmcgrp_evlist *evlist, const struct distinct *events,
			    struct pmcgrp_failure *fail)
{
	int err = list_follow(evlist);

	if (err) {
		fail->why = err == -EOPNOTSUPP ? PMCGRP_WHY_UNTIL_EXIT : pmcgrp_why_of_error(err);
		return pmcgrp_errno_of(err);
	}
	err = pmcgrp_evcpus_make(evlist, events->attr, events->nr, fail);
	if (!err && evlist->flags & PMCGRP_CREATE_BACKGROUND) {
		err = pmcgrp_background_get(evlist, fail);
		if (err)
			pmcgrp_evcpus_drop(evlist);
	}
	if (!err)
		return 0;
	if (fail->member != PMCGRP_NO_MEMBER)
		fail->member = events->member[fail->member];
	list_unfollow(evlist);
	return err;
}

/* Let a list that has its evcpus follow its target, which @like, if not NULL, counts as well. */
static int list_make(struct pmcgrp_evlist *evlist, const struct pmcgrp_evlist *like,
		     struct pmcgrp_failure *fail)
{
	int err = evlist->follower->make(evlist, like, fail);

	lockdep_assert_held(&evlist->mutex);
	if (err)
		fail->why = pmcgrp_why_of_error(err);
	return pmcgrp_errno_of(err);
}

/* The first list of a group begins to count. */
static int list_bind(struct pmcgrp_group *group, struct pmcgrp_failure *fail)
{
	const struct pmcgrp_user_read_ops *ops = group->user_read.ops;
	struct pmcgrp_evlist *evlist = group->evlist;
	int err = ops ? ops->begin(group) : 0;

	if (err) {
		fail->why = pmcgrp_why_of_error(err);
		return err;
	}
	mutex_lock(&evlist->mutex);
	group->enabled = !(group->flags & PMCGRP_CREATE_DISABLED);
	evlist->nr_enabled = group->enabled;
	evlist->active = group->enabled;
	err = list_make(evlist, NULL, fail);
	mutex_unlock(&evlist->mutex);
	if (err)
		return err;
	err = pmcgrp_validate_evlist(evlist, fail);
	if (err)
		fail->member = first_member(group, fail->member);
	return err;
}

/* Start a group with a list of its own. */
static int start_alone(struct pmcgrp_group *group, const struct pmcgrp_target *target,
		       const struct distinct *events, struct pmcgrp_failure *fail)
{
	unsigned int room = group->member_values ? PMCGRP_MEMBERS_MAX : events->nr;
	struct pmcgrp_evlist *evlist = pmcgrp_evlist_alloc(target, room, group->charge.account);
	int err;

	if (IS_ERR(evlist)) {
		fail->why = pmcgrp_why_of_charge(PTR_ERR(evlist));
		return PTR_ERR(evlist);
	}
	evlist->id = group->member[0].id;
	if (!evlist->is_shareable)
		evlist->only_group = group;
	err = list_make_evcpus(evlist, events, fail);
	if (err) {
		pmcgrp_evlist_put(evlist);
		return err;
	}
	group->evlist = evlist;
	list_add_tail(&group->list_node, &evlist->groups);
	evlist->nr_groups = 1;
	number_members(group);
	err = list_bind(group, fail);
	if (err)
		return err;
	list_add_tail(&evlist->node, &pmcgrp_evlists);
	pmcgrp_group_link(group);
	pmcgrp_evlist_offer(evlist);
	return 0;
}

/* Start a group with another group's list, unless its task has ended: false. */
static bool start_shared(struct pmcgrp_group *group, struct pmcgrp_evlist *evlist)
{
	bool ended;

	mutex_lock(&evlist->mutex);
	/* The task may live on: execve() of a set-uid program. */
	ended = pmcgrp_evlist_has_ended(evlist);
	if (!ended) {
		pmcgrp_evlist_get(evlist);
		group->evlist = evlist;
		number_members(group);
		if (evlist->nr_groups == 1)
			pmcgrp_control_keep(first_group(evlist));
		list_add_tail(&group->list_node, &evlist->groups);
		evlist->nr_groups++;
		pmcgrp_evcpus_count_groups(evlist, 1);
		group->keeps = true; /* nothing */
		if (!(group->flags & PMCGRP_CREATE_DISABLED))
			pmcgrp_control_set_enabled(group, true);
		pmcgrp_group_link(group);
	}
	mutex_unlock(&evlist->mutex);
	return !ended;
}

/* Whether PMCGRP_IOC_READ_CPUS shows several CPUs, where members have no values of their own. */
static bool shows_cpus(const struct pmcgrp_target *target)
{
	return target->follower->counts_cpus && !target->follower->has_one_set &&
	       !(target->flags & PMCGRP_CREATE_LEADER);
}

/**
 * pmcgrp_target_start - let a group count its target, and add it to the list of groups
 * @group: the group, from pmcgrp_group_alloc(), filled in
 * @target: its target; what follows it is filled in
 * @fail: out: the reason for a failure
 *
 * Context: may sleep.
 * Return: 0, or the errno that the uapi header gives for PMCGRP_IOC_CREATE, or -EINTR if the caller
 * has been killed; the caller closes the group either way.
 */
int pmcgrp_target_start(struct pmcgrp_group *group, struct pmcgrp_target *target,
			struct pmcgrp_failure *fail)
{
	struct pmcgrp_evlist *evlist;
	struct distinct events;
	int err;

	target->follower = follower_of(target);
	find_distinct(group, &events);
	err = shows_cpus(target) ? pmcgrp_group_show_cpus(group, events.nr) : 0;
	if (err) {
		fail->why = pmcgrp_why_of_charge(err);
		return err;
	}
	if (mutex_lock_killable(&pmcgrp_groups_mutex))
		return -EINTR;
	evlist = pmcgrp_evlist_find(target, events.attr, events.nr);
	if (!evlist || !start_shared(group, evlist))
		err = start_alone(group, target, &events, fail);
	mutex_unlock(&pmcgrp_groups_mutex);
	return err;
}

/* Stop a group's list, and release its counters, which no other group has. */
static void list_stop(struct pmcgrp_group *group)
{
	struct pmcgrp_evlist *evlist = group->evlist;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	list_del(&evlist->node);
	pmcgrp_evlist_withdraw(evlist);
	mutex_lock(&evlist->mutex);
	evlist->follower->drop(evlist);
	mutex_unlock(&evlist->mutex);
	if (group->user_read.ops)
		group->user_read.ops->ended(group);
	pmcgrp_evcpus_drop(evlist);
	list_unfollow(evlist);
}

/* Take a group from a list that others have, too. */
static void leave_others(struct pmcgrp_group *group)
{
	struct pmcgrp_evlist *evlist = group->evlist;

	pmcgrp_group_assert_locked(group);
	pmcgrp_control_set_enabled(group, false);
	pmcgrp_evcpus_count_groups(evlist, -1);
	list_del_init(&group->list_node);
	evlist->nr_groups--;
	WRITE_ONCE(evlist->id, first_group(evlist)->member[0].id);
}

/* Take a group from its list.  Return: whether it was the last one. */
static bool target_list_leave(struct pmcgrp_group *group)
{
	struct pmcgrp_evlist *evlist = group->evlist;
	bool last;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	mutex_lock(&evlist->mutex);
	last = evlist->nr_groups == 1;
	if (last) {
		list_del_init(&group->list_node);
		evlist->nr_groups--;
	} else {
		leave_others(group);
	}
	mutex_unlock(&evlist->mutex);
	return last;
}

/* A group's list has only this group, and will not have others. */
static void list_keep(struct pmcgrp_group *group)
{
	struct pmcgrp_evlist *evlist = group->evlist;

	mutex_lock(&evlist->mutex);
	pmcgrp_control_end_keeping(group);
	pmcgrp_evlist_withdraw(evlist);
	WRITE_ONCE(evlist->is_shareable, false);
	evlist->only_group = group;
	mutex_unlock(&evlist->mutex);
}

/* Make a list with the events of another one, which counts the same. */
static struct pmcgrp_evlist *list_make_like(const struct pmcgrp_evlist *old,
					    struct pmcgrp_account *account,
					    struct pmcgrp_failure *fail)
{
	const struct pmcgrp_target target = {
		.type = old->target_type,
		.flags = old->flags,
		.follower = old->follower,
		.is_private = true,
		.task = old->task,
		.cpus = old->cpus,
		.cgroup = old->cgroup,
		.cgroup_id = old->cgroup_id,
		.cgroup_level = old->cgroup_level,
	};
	struct distinct events = { .nr = old->nr_events };
	struct pmcgrp_evlist *evlist;
	unsigned int e;
	int err;

	evlist = pmcgrp_evlist_alloc(&target, old->nr_events, account);
	if (IS_ERR(evlist)) {
		fail->why = pmcgrp_why_of_charge(PTR_ERR(evlist));
		return evlist;
	}
	for (e = 0; e < old->nr_events; e++)
		events.attr[e] = &old->event[e]->key;
	err = list_make_evcpus(evlist, &events, fail);
	if (err) {
		pmcgrp_evlist_put(evlist);
		return ERR_PTR(err);
	}
	mutex_lock(&evlist->mutex);
	err = list_make(evlist, old, fail);
	if (err)
		evlist->follower->drop(evlist);
	mutex_unlock(&evlist->mutex);
	if (!err)
		return evlist;
	pmcgrp_evcpus_drop(evlist);
	list_unfollow(evlist);
	pmcgrp_evlist_put(evlist);
	return ERR_PTR(err);
}

/*
 * Let a group leave the list that it shares, for one of its own.  Between both it counts nothing,
 * and its times stand still.
 */
static int list_exchange(struct pmcgrp_group *group, struct pmcgrp_failure *fail)
{
	struct pmcgrp_evlist *old = group->evlist, *evlist;
	bool enabled;

	evlist = list_make_like(old, group->charge.account, fail);
	if (IS_ERR(evlist))
		return PTR_ERR(evlist);
	evlist->id = group->member[0].id;
	evlist->only_group = group;
	mutex_lock(&old->mutex);
	/* Nobody else knows it. */
	mutex_lock_nested(&evlist->mutex, SINGLE_DEPTH_NESTING);
	enabled = group->enabled;
	leave_others(group);
	pmcgrp_control_start_anew(group, evlist);
	list_add_tail(&group->list_node, &evlist->groups);
	evlist->nr_groups = 1;
	if (enabled)
		pmcgrp_control_set_enabled(group, true);
	mutex_unlock(&evlist->mutex);
	mutex_unlock(&old->mutex);
	group->left = old;
	list_add_tail(&evlist->node, &pmcgrp_evlists);
	return 0;
}

static int group_own(struct pmcgrp_group *group, struct pmcgrp_failure *fail)
{
	struct pmcgrp_evlist *evlist = group->evlist;
	int err = 0;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (!evlist->contexts && !evlist->follower->counts_cpus)
		return 0;
	if (evlist->is_shareable) {
		if (evlist->nr_groups > 1)
			err = list_exchange(group, fail);
		else
			list_keep(group);
	}
	if (err || !evlist->contexts)
		return err;
	evlist = group->evlist;
	err = pmcgrp_contexts_always(evlist);
	if (err) {
		fail->why = pmcgrp_why_of_error(err);
		return pmcgrp_errno_of(err);
	}
	mutex_lock(&evlist->mutex);
	pmcgrp_contexts_make_sets(evlist);
	mutex_unlock(&evlist->mutex);
	return 0;
}

/**
 * pmcgrp_target_unshare_lock - give a group of several tasks, or of a CPU, a list of its own, with
 * a set on each CPU, which a switch always visits, and take pmcgrp_groups_mutex
 * @group: the group
 * @why: out: PMCGRP_WHY_*
 *
 * Rings, keys and spans of such a group are informed of the context switches of its list.
 *
 * Context: may sleep.
 * Return: 0, the mutex held; or an errno of PMCGRP_IOC_CREATE, or -EINTR, the mutex not held.
 */
int pmcgrp_target_unshare_lock(struct pmcgrp_group *group, u32 *why)
{
	struct pmcgrp_failure fail = { .why = PMCGRP_WHY_NONE };
	int err = mutex_lock_killable(&pmcgrp_groups_mutex);

	if (err)
		return err;
	err = group_own(group, &fail);
	if (err)
		mutex_unlock(&pmcgrp_groups_mutex);
	*why = fail.why;
	return err;
}

/**
 * pmcgrp_target_close - stop a group, started or not, and free it
 * @group: the group, without descriptors
 *
 * When it returns, all counters that no other group uses are released.
 *
 * Context: may sleep.
 */
void pmcgrp_target_close(struct pmcgrp_group *group)
{
	if (!group->evlist) {
		pmcgrp_group_free(group);
		return;
	}
	/* Before what their handlers read.  They wait for these: under no mutex. */
	if (group->end_spans)
		group->end_spans(group);
	/* Releasing triggers takes long: not under pmcgrp_groups_mutex. */
	if (group->rings) {
		mutex_lock(&group->evlist->mutex);
		group->output->drop(group);
		mutex_unlock(&group->evlist->mutex);
		group->output->stop(group);
	}
	mutex_lock(&pmcgrp_groups_mutex);
	pmcgrp_group_unlink(group);
	if (target_list_leave(group))
		list_stop(group);
	mutex_unlock(&pmcgrp_groups_mutex);
	pmcgrp_group_free(group);
}
