// SPDX-License-Identifier: GPL-2.0-only
/*
 * Start and close groups: bind a group to its target and release it, follow CPU hotplug.
 *
 * The order of creation is rows, carriers, triggers.  They are released in the reverse order,
 * because a carrier in a perf context may use counters.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include "follow.h"
#include "group.h"
#include "root.h"
#include "row.h"
#include "share.h"
#include "target.h"
#include "validate.h"

/* Whether probes follow the target (context.c, binding.c). */
static bool group_is_followed(const struct pmcgrp_group *group)
{
	return pmcgrp_group_has_context(group) || pmcgrp_group_has_binding(group);
}

static int group_follow(const struct pmcgrp_group *group)
{
	return group_is_followed(group) ? pmcgrp_follow_get() : 0;
}

static void group_unfollow(const struct pmcgrp_group *group)
{
	if (group_is_followed(group))
		pmcgrp_follow_put();
}

/**
 * pmcgrp_group_start - create counters and carriers of a group, and add it to the list
 * @group: the group, from pmcgrp_group_alloc(), filled in
 * @task: a thread of the target, or NULL for @group->cpus
 * @fail: out: the reason for a failure
 *
 * Context: may sleep.
 * Return: 0, or the errno that the uapi header gives for PMCGRP_IOC_CREATE, or -EINTR if the caller
 * has been killed; the caller closes the group either way.
 */
int pmcgrp_group_start(struct pmcgrp_group *group, struct task_struct *task,
		       struct pmcgrp_failure *fail)
{
	bool shares = false;
	int err;

	group->active = !(group->flags & PMCGRP_CREATE_DISABLED);
	if (task) {
		group->task = get_task_struct(task);
		group->target = get_task_pid(task, PIDTYPE_PID);
	}

	if (mutex_lock_killable(&pmcgrp_groups_mutex))
		return -EINTR;
	err = group_follow(group);
	if (err) {
		fail->why = pmcgrp_why_of_error(err);
	} else {
		err = pmcgrp_rows_make(group, fail);
		if (err)
			group_unfollow(group);
	}
	if (!err && group->hooks) {
		err = group->hooks->begin(group, task);
		if (err)
			fail->why = pmcgrp_why_of_error(err);
	}
	if (!err) {
		mutex_lock(&group->mutex);
		shares = pmcgrp_share_join(group, task);
		if (!shares)
			err = pmcgrp_roots_make(group, task, fail);
		mutex_unlock(&group->mutex);
	}
	if (!err && !shares)
		err = pmcgrp_validate_group(group, fail);
	if (!err)
		list_add_tail(&group->node, &pmcgrp_groups);
	if (!err && !shares)
		pmcgrp_share_offer(group);
	mutex_unlock(&pmcgrp_groups_mutex);
	return err;
}

/* Remove a group from the list, and release carriers and counters. */
static void group_stop(struct pmcgrp_group *group)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	list_del(&group->node);
	pmcgrp_share_withdraw(group);
	mutex_lock(&group->mutex);
	pmcgrp_roots_drop(group);
	mutex_unlock(&group->mutex);
	if (group->hooks)
		group->hooks->ended(group);
	if (group->rings)
		group->output->stop(group);
	pmcgrp_rows_drop(group);
	group_unfollow(group);
}

/**
 * pmcgrp_group_end - stop a group that has outlived its descriptor, and drop its reference
 * @group: the group; no other group counts by its carrier any more
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_group_end(struct pmcgrp_group *group)
{
	group_stop(group);
	pmcgrp_group_put(group);
}

/**
 * pmcgrp_group_close - stop a group, started or not, and drop its reference
 * @group: the group, without descriptors
 *
 * When it returns, all counters that no other group uses are released.  If other groups count by
 * the carrier of this one, carrier and counters remain for them (share.c).
 *
 * Context: may sleep.
 */
void pmcgrp_group_close(struct pmcgrp_group *group)
{
	struct pmcgrp_opener *opener = group->opener;
	struct pmcgrp_group *source;
	bool stays = false;

	/* Without events pmcgrp_group_start() has made nothing that is to be stopped. */
	if (!group->nr_events)
		goto put_group;

	/* Releasing triggers takes long: not under pmcgrp_groups_mutex. */
	if (group->rings) {
		mutex_lock(&group->mutex);
		group->output->drop(group);
		mutex_unlock(&group->mutex);
	}

	mutex_lock(&pmcgrp_groups_mutex);
	source = group->source;
	stays = pmcgrp_group_shares(group) && pmcgrp_share_leave(group);
	if (!stays)
		group_stop(group);
	if (source != group && pmcgrp_share_is_over(source))
		pmcgrp_group_end(source);
	mutex_unlock(&pmcgrp_groups_mutex);

put_group:
	atomic_dec(&opener->nr_groups);
	pmcgrp_opener_put(opener);
	if (!stays)
		pmcgrp_group_put(group);
}

/**
 * pmcgrp_groups_rebuild - create counters, carriers and triggers of all groups on an online CPU
 * @cpu: the CPU, not usable yet (pmcgrp_cpu_open())
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_groups_rebuild(int cpu)
{
	struct pmcgrp_group *group;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	list_for_each_entry(group, &pmcgrp_groups, node) {
		if (!cpumask_test_cpu(cpu, group->cpus))
			continue;
		pmcgrp_row_rebuild(group, cpu);
		if (pmcgrp_group_counts_cpus(group)) {
			pmcgrp_root_rebuild(group, cpu);
			if (pmcgrp_group_rings(group))
				group->output->cpu_online(group, cpu);
		}
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
	struct pmcgrp_group *group;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	list_for_each_entry(group, &pmcgrp_groups, node)
		if (pmcgrp_row_of(group, cpu)->has_cpu_events)
			pmcgrp_row_drop(group, cpu);
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
		mutex_lock(&group->mutex);
		if (group->rings)
			group->output->enable(group, false);
		mutex_unlock(&group->mutex);
	}
	mutex_unlock(&pmcgrp_groups_mutex);
}
