// SPDX-License-Identifier: GPL-2.0-only
/*
 * Start and close groups, and follow CPU hotplug.
 *
 * A group starts with an event list that counts its events for its target.  It shares one if it
 * can (evlist.c).  A new list gets rows, then roots.  They are released in the reverse order,
 * because what a root schedules in uses counters.  Triggers come later, and go first.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/sched.h>
#include "follow/cgroup.h"
#include "follow/exit_probe.h"
#include "follow/follow.h"
#include "group/control.h"
#include "group/group.h"
#include "group/root.h"
#include "group/target.h"
#include "group/validate.h"
#include "set/evlist.h"
#include "set/row.h"

/* Whether probes follow the target (context.c, binding.c, cgroup.c). */
static bool list_is_followed(const struct pmcgrp_evlist *list)
{
	return pmcgrp_evlist_has_context(list) || pmcgrp_evlist_has_binding(list) ||
	       list->cgroup_id;
}

static int list_follow(struct pmcgrp_evlist *list)
{
	int err = list_is_followed(list) ? pmcgrp_follow_get() : 0;

	if (err)
		return err;
	if (list->cgroup_id)
		err = pmcgrp_cgroups_reserve(list);
	else if (list->flags & PMCGRP_CREATE_UNTIL_EXIT)
		err = pmcgrp_exit_probe_get();
	if (err && list_is_followed(list))
		pmcgrp_follow_put();
	return err;
}

static void list_unfollow(struct pmcgrp_evlist *list)
{
	if (list->flags & PMCGRP_CREATE_UNTIL_EXIT)
		pmcgrp_exit_probe_put();
	if (list->cgroup_id)
		pmcgrp_cgroups_unreserve(list);
	if (list_is_followed(list))
		pmcgrp_follow_put();
}

static struct pmcgrp_group *first_group(const struct pmcgrp_evlist *list)
{
	return list_first_entry(&list->groups, struct pmcgrp_group, list_node);
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
		group->member[i].event = pmcgrp_evlist_index(group->list, &group->member[i].attr);
}

/* The first member that counts an event of the group's list. */
static unsigned int first_member(const struct pmcgrp_group *group, unsigned int event)
{
	unsigned int i;

	for (i = 0; group->member[i].event != event; i++)
		;
	return i;
}

/* Make the rows of a new list.  Without them there is nothing to be stopped. */
static int list_make_rows(struct pmcgrp_evlist *list, const struct distinct *events,
			  struct pmcgrp_failure *fail)
{
	int err = list_follow(list);

	if (err) {
		fail->why = err == -ENOSPC     ? PMCGRP_WHY_CGROUPS_MAX :
			    err == -EOPNOTSUPP ? PMCGRP_WHY_UNTIL_EXIT :
						 pmcgrp_why_of_error(err);
		return pmcgrp_errno_of(err);
	}
	err = pmcgrp_rows_make(list, events->attr, events->nr, fail);
	if (!err)
		return 0;
	if (fail->member != PMCGRP_NO_MEMBER)
		fail->member = events->member[fail->member];
	list_unfollow(list);
	return err;
}

/* Bind a list that has its rows to its target. */
static int list_bind(struct pmcgrp_group *group, struct pmcgrp_failure *fail)
{
	const struct pmcgrp_user_read_ops *ops = group->user_read.ops;
	struct pmcgrp_evlist *list = group->list;
	int err = ops ? ops->begin(group) : 0;

	if (err) {
		fail->why = pmcgrp_why_of_error(err);
		return err;
	}
	mutex_lock(&list->mutex);
	group->enabled = !(group->flags & PMCGRP_CREATE_DISABLED);
	list->nr_enabled = group->enabled;
	list->active = group->enabled;
	err = pmcgrp_roots_make(list, fail);
	mutex_unlock(&list->mutex);
	if (err)
		return err;
	err = pmcgrp_validate_evlist(list, fail);
	if (err)
		fail->member = first_member(group, fail->member);
	return err;
}

/* Start a group with a list of its own. */
static int start_alone(struct pmcgrp_group *group, const struct pmcgrp_target *target,
		       const struct distinct *events, struct pmcgrp_failure *fail)
{
	unsigned int room = group->member_values ? PMCGRP_MEMBERS_MAX : events->nr;
	struct pmcgrp_evlist *list = pmcgrp_evlist_alloc(target, room, group->charge.account);
	int err;

	if (IS_ERR(list)) {
		fail->why = pmcgrp_why_of_charge(PTR_ERR(list));
		return PTR_ERR(list);
	}
	list->id = group->member[0].id;
	if (!pmcgrp_evlist_may_be_shared(list))
		list->only_group = group;
	err = list_make_rows(list, events, fail);
	if (err) {
		pmcgrp_evlist_put(list);
		return err;
	}
	group->list = list;
	list_add_tail(&group->list_node, &list->groups);
	list->nr_groups = 1;
	number_members(group);
	err = list_bind(group, fail);
	if (err)
		return err;
	list_add_tail(&list->node, &pmcgrp_evlists);
	list_add_tail(&group->node, &pmcgrp_groups);
	pmcgrp_evlist_offer(list);
	return 0;
}

/* Start a group with another group's list, unless its task has ended: false. */
static bool start_shared(struct pmcgrp_group *group, struct pmcgrp_evlist *list)
{
	bool ended;

	mutex_lock(&list->mutex);
	/* The task may live on: execve() of a set-uid program. */
	ended = pmcgrp_roots_ended(list);
	if (!ended) {
		pmcgrp_evlist_get(list);
		group->list = list;
		number_members(group);
		if (list->nr_groups == 1)
			pmcgrp_group_keep(first_group(list));
		list_add_tail(&group->list_node, &list->groups);
		list->nr_groups++;
		pmcgrp_rows_count_groups(list, 1);
		group->keeps = true; /* nothing */
		if (!(group->flags & PMCGRP_CREATE_DISABLED))
			pmcgrp_group_set_enabled(group, true);
		list_add_tail(&group->node, &pmcgrp_groups);
	}
	mutex_unlock(&list->mutex);
	return !ended;
}

/**
 * pmcgrp_group_start - let a group count its target, and add it to the list of groups
 * @group: the group, from pmcgrp_group_alloc(), filled in
 * @target: its target
 * @fail: out: the reason for a failure
 *
 * Context: may sleep.
 * Return: 0, or the errno that the uapi header gives for PMCGRP_IOC_CREATE, or -EINTR if the caller
 * has been killed; the caller closes the group either way.
 */
int pmcgrp_group_start(struct pmcgrp_group *group, const struct pmcgrp_target *target,
		       struct pmcgrp_failure *fail)
{
	struct pmcgrp_evlist *list;
	struct distinct events;
	int err = 0;

	find_distinct(group, &events);
	if (mutex_lock_killable(&pmcgrp_groups_mutex))
		return -EINTR;
	list = pmcgrp_evlist_find(target, events.attr, events.nr);
	if (!list || !start_shared(group, list))
		err = start_alone(group, target, &events, fail);
	mutex_unlock(&pmcgrp_groups_mutex);
	return err;
}

/* Release roots and counters of a group's list, which no other group has. */
static void list_stop(struct pmcgrp_group *group)
{
	struct pmcgrp_evlist *list = group->list;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	list_del(&list->node);
	pmcgrp_evlist_withdraw(list);
	mutex_lock(&list->mutex);
	pmcgrp_roots_drop(list);
	mutex_unlock(&list->mutex);
	if (group->user_read.ops)
		group->user_read.ops->ended(group);
	pmcgrp_rows_drop(list);
	list_unfollow(list);
}

/* Take a group from its list.  Return: whether it was the last one. */
static bool list_leave(struct pmcgrp_group *group)
{
	struct pmcgrp_evlist *list = group->list;
	bool last;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	mutex_lock(&list->mutex);
	last = list->nr_groups == 1;
	if (!last) {
		pmcgrp_group_set_enabled(group, false);
		pmcgrp_rows_count_groups(list, -1);
	}
	list_del_init(&group->list_node);
	list->nr_groups--;
	if (!last)
		WRITE_ONCE(list->id, first_group(list)->member[0].id);
	mutex_unlock(&list->mutex);
	return last;
}

/**
 * pmcgrp_group_close - stop a group, started or not, and free it
 * @group: the group, without descriptors
 *
 * When it returns, all counters that no other group uses are released.
 *
 * Context: may sleep.
 */
void pmcgrp_group_close(struct pmcgrp_group *group)
{
	if (!group->list) {
		pmcgrp_group_free(group);
		return;
	}
	/* Before what their handlers read.  They wait for these: under no mutex. */
	if (group->end_spans)
		group->end_spans(group);
	/* Releasing triggers takes long: not under pmcgrp_groups_mutex. */
	if (group->rings) {
		mutex_lock(&group->list->mutex);
		group->output->drop(group);
		mutex_unlock(&group->list->mutex);
		group->output->stop(group);
	}
	mutex_lock(&pmcgrp_groups_mutex);
	list_del(&group->node);
	if (list_leave(group))
		list_stop(group);
	mutex_unlock(&pmcgrp_groups_mutex);
	pmcgrp_group_free(group);
}

/**
 * pmcgrp_groups_rebuild - create counters, carriers and triggers of all groups on an online CPU
 * @cpu: the CPU, not usable yet (pmcgrp_cpu_open())
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_groups_rebuild(int cpu)
{
	struct pmcgrp_evlist *list;
	struct pmcgrp_group *group;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	list_for_each_entry(list, &pmcgrp_evlists, node) {
		if (!cpumask_test_cpu(cpu, list->cpus))
			continue;
		pmcgrp_row_rebuild(list, cpu);
		if (!pmcgrp_evlist_counts_cpus(list))
			continue;
		pmcgrp_root_rebuild(list, cpu);
		group = list->only_group;
		if (pmcgrp_group_rings(group))
			group->output->cpu_online(group, cpu);
	}
}

/**
 * pmcgrp_groups_drop - release the counters that an offline CPU has ended
 * @cpu: the CPU, not usable (pmcgrp_cpu_offline())
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_groups_drop(int cpu)
{
	struct pmcgrp_evlist *list;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	list_for_each_entry(list, &pmcgrp_evlists, node)
		if (pmcgrp_row_of(list, cpu)->has_cpu_events)
			pmcgrp_row_drop(list, cpu);
}

/**
 * pmcgrp_groups_end - let no trigger fire any more: the system ends
 *
 * Context: may sleep.
 */
void pmcgrp_groups_end(void)
{
	struct pmcgrp_group *group;

	mutex_lock(&pmcgrp_groups_mutex);
	list_for_each_entry(group, &pmcgrp_groups, node) {
		mutex_lock(&group->list->mutex);
		/* Those that tasks have inherited are never disabled. */
		if (group->rings && pmcgrp_evlist_has_binding(group->list))
			group->output->drop(group);
		else if (group->rings)
			group->output->enable(group, false);
		mutex_unlock(&group->list->mutex);
	}
	mutex_unlock(&pmcgrp_groups_mutex);
}
