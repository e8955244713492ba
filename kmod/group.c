// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups: what is counted, for whom, and since when.
 *
 * Lifetime: a group belongs to its file and stops with it, or with the last group that
 * counts by its carrier (share.c).  It owns a row of counter
 * references for each CPU (the counters), carriers (perf core's side: when does the
 * target run?) and sets (what was counted), and may own triggers.  It comes up in the
 * order rows, carriers, triggers, and goes down in the reverse: a carrier may use counters
 * as long as it is in a context.  The memory goes with the last carrier, for one that a
 * task inherited may be on its way out with that task when the file is closed.
 *
 * Lock order: pmcgrp_groups_mutex, pmcgrp_group.mutex, pmcgrp_crew.mutex, perf core's,
 * pmcgrp_group.evsets_mutex.  perf core calls pmcgrp (carrier.c) under its
 * ctx->mutex to make and destroy carriers, where only the last may be taken, and
 * under its ctx->lock with interrupts off, where none may but a crew's spinlock.  CPU
 * hotplug callbacks take none either (hotplug.c says why).
 */
#include <linux/align.h>
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "crew.h"
#include "validate.h"
#include "group.h"
#include "ring_map.h"
#include "root.h"
#include "share.h"
#include "trigger.h"

/* Far from perf's own ids, so that both can stand in one recording. */
#define MEMBER_ID_FIRST BIT_ULL(40)

DEFINE_MUTEX(pmcgrp_groups_mutex);
static LIST_HEAD(groups);
static int max_groups; /* of one opener; constant after init */
static atomic64_t last_id = ATOMIC64_INIT(MEMBER_ID_FIRST - 1);

/**
 * pmcgrp_groups_init - once, before there is any group
 * @groups_max: the most groups made through one open of the device
 */
void pmcgrp_groups_init(unsigned int groups_max)
{
	max_groups = groups_max;
}

/**
 * pmcgrp_opener_create - for one open of the device
 *
 * Return: an opener with a reference for the caller, or NULL without memory.
 */
struct pmcgrp_opener *pmcgrp_opener_create(void)
{
	struct pmcgrp_opener *opener = kzalloc(sizeof(*opener), GFP_KERNEL_ACCOUNT);

	if (opener)
		kref_init(&opener->refs);
	return opener;
}

static void opener_free(struct kref *refs)
{
	kfree(container_of(refs, struct pmcgrp_opener, refs));
}

/**
 * pmcgrp_opener_put - give back a reference
 * @opener: from pmcgrp_opener_create()
 */
void pmcgrp_opener_put(struct pmcgrp_opener *opener)
{
	kref_put(&opener->refs, opener_free);
}

/**
 * pmcgrp_group_next_ids - ids that no member has had
 * @nr: how many
 *
 * Return: the first of them; the others follow.
 */
u64 pmcgrp_group_next_ids(unsigned int nr)
{
	return atomic64_add_return(nr, &last_id) - nr + 1;
}

/**
 * pmcgrp_group_alloc - a group that does nothing yet
 * @opener: whose group it is; the group takes a reference
 * @nr: members, 1 to %PMCGRP_MEMBERS_MAX
 * @has_leader: member 0 is the others' leader, and there may be more of them later
 *
 * The caller fills in the target, CPUs, flags, read_format and each member's attr,
 * then calls pmcgrp_group_start(), and in any case pmcgrp_group_close().
 *
 * Return: the group, or an ERR_PTR: -ENOMEM, or -ENOSPC if the opener has as
 * many groups as it may have.
 */
struct pmcgrp_group *pmcgrp_group_alloc(struct pmcgrp_opener *opener, unsigned int nr,
					bool has_leader)
{
	unsigned int room = has_leader ? PMCGRP_MEMBERS_MAX : nr;
	struct pmcgrp_group *group;
	size_t size = struct_size(group, member, room);
	size_t row_size, rows;
	struct pmcgrp_row *row;
	unsigned int i;
	int err = -ENOMEM;
	u64 id;

	if (atomic_inc_return(&opener->nr_groups) > max_groups) {
		err = -ENOSPC;
		goto uncount;
	}
	/* The masks stand behind the members, and then the rows, each with its cache lines. */
	row_size = ALIGN(struct_size(row, counter, room), SMP_CACHE_BYTES);
	rows = size + 2 * cpumask_size();
	group = kvzalloc(rows + SMP_CACHE_BYTES + nr_cpu_ids * row_size, GFP_KERNEL_ACCOUNT);
	if (!group)
		goto uncount;
	group->cpus = (void *)group + size;
	group->scratch_cpus = (void *)group->cpus + cpumask_size();
	group->rows = PTR_ALIGN((void *)group + rows, SMP_CACHE_BYTES);
	group->row_size = row_size;
	if (has_leader) {
		group->member_values = pmcgrp_member_values_alloc();
		if (!group->member_values)
			goto free_group;
	}
	kref_init(&group->refs);
	mutex_init(&group->mutex);
	seqcount_init(&group->zero_seq);
	mutex_init(&group->evsets_mutex);
	INIT_LIST_HEAD(&group->node);
	INIT_LIST_HEAD(&group->roots);
	INIT_LIST_HEAD(&group->sets);
	pmcgrp_share_init(group);
	group->nr = nr;
	id = pmcgrp_group_next_ids(nr);
	for (i = 0; i < nr; i++) {
		group->member[i].id = id + i;
		group->member[i].on = true;
	}
	group->owner = get_task_pid(current, PIDTYPE_TGID);
	/* Without its lock, as get_task_comm() since 6.14: it always ends with a zero. */
	strscpy_pad(group->comm, current->group_leader->comm, sizeof(group->comm));
	group->leader.group = group;
	group->leader.id = group->member[0].id;
	group->member[0].mfd = &group->leader;
	group->nr_fds = 1;
	kref_get(&opener->refs);
	group->opener = opener;
	return group;

free_group:
	kvfree(group);
uncount:
	atomic_dec(&opener->nr_groups);
	return ERR_PTR(err);
}

/**
 * pmcgrp_group_get - take a reference
 * @group: the group
 */
void pmcgrp_group_get(struct pmcgrp_group *group)
{
	kref_get(&group->refs);
}

static void group_free(struct kref *refs)
{
	struct pmcgrp_group *group = container_of(refs, struct pmcgrp_group, refs);
	struct pmcgrp_row *row;
	int cpu;

	WARN_ON_ONCE(!list_empty(&group->roots) || !list_empty(&group->viewers));
	for_each_possible_cpu(cpu) {
		row = pmcgrp_row_of(group, cpu);
		WARN_ON_ONCE(row->complete || row->in);
		if (row->cpu_set)
			pmcgrp_evset_free(row->cpu_set);
	}
	pmcgrp_rings_free(group->rings);
	pmcgrp_user_page_free(group);
	put_pid(group->target);
	put_pid(group->owner);
	kfree(group->member_values);
	mutex_destroy(&group->evsets_mutex);
	mutex_destroy(&group->mutex);
	kvfree(group);
}

/**
 * pmcgrp_group_put - give back a reference; the last one frees the group's memory
 * @group: the group
 *
 * Context: may sleep; perf core's mutexes may be held.
 */
void pmcgrp_group_put(struct pmcgrp_group *group)
{
	kref_put(&group->refs, group_free);
}

/**
 * pmcgrp_group_counts_cpus - whether the group's target is CPUs rather than tasks
 * @group: the group
 */
bool pmcgrp_group_counts_cpus(const struct pmcgrp_group *group)
{
	return group->target_type != PMCGRP_TARGET_TASK &&
	       group->target_type != PMCGRP_TARGET_PROCESS;
}

/**
 * pmcgrp_group_has_cpu_list - whether its CPUs were asked for by number: it is these or none
 * @group: the group
 */
bool pmcgrp_group_has_cpu_list(const struct pmcgrp_group *group)
{
	return group->target_type == PMCGRP_TARGET_CPU || group->target_type == PMCGRP_TARGET_CPUS;
}

/**
 * pmcgrp_group_is_inherited - whether what the target creates is counted, too
 * @group: the group
 */
bool pmcgrp_group_is_inherited(const struct pmcgrp_group *group)
{
	return group->target_type == PMCGRP_TARGET_PROCESS ||
	       group->flags & PMCGRP_CREATE_INHERIT;
}

/**
 * pmcgrp_group_start - make a filled-in group count
 * @group: from pmcgrp_group_alloc()
 * @task: a thread of the target, or NULL for @group->cpus
 * @fail: out: the reason for a failure
 *
 * Context: may sleep.
 * Return: 0, or the errno that the uapi header gives for PMCGRP_IOC_CREATE; the
 * caller closes the group either way.
 */
int pmcgrp_group_start(struct pmcgrp_group *group, struct task_struct *task,
		       struct pmcgrp_failure *fail)
{
	bool shares = false;
	int err;

	group->active = !(group->flags & PMCGRP_CREATE_DISABLED);
	if (task)
		group->target = get_task_pid(task, PIDTYPE_PID);

	mutex_lock(&pmcgrp_groups_mutex);
	err = pmcgrp_rows_make(group, fail);
	if (!err && group->user_read.page)
		pmcgrp_user_page_check(group);
	if (!err) {
		err = pmcgrp_user_page_watch(group, task);
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
		list_add_tail(&group->node, &groups);
	if (!err && !shares)
		pmcgrp_share_offer(group);
	mutex_unlock(&pmcgrp_groups_mutex);
	return err;
}

/**
 * pmcgrp_group_next - the group with the least id from one on that somebody has
 * @id: of its first member
 *
 * Context: pmcgrp_groups_mutex held.
 * Return: the group, or NULL.
 */
struct pmcgrp_group *pmcgrp_group_next(u64 id)
{
	struct pmcgrp_group *group, *next = NULL;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	list_for_each_entry(group, &groups, node)
		if (group->opener && group->member[0].id >= id &&
		    (!next || group->member[0].id < next->member[0].id))
			next = group;
	return next;
}

/* Every counter that no other group uses is released. */
static void group_stop(struct pmcgrp_group *group)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	list_del(&group->node);
	pmcgrp_share_withdraw(group);
	pmcgrp_crew_forget_first(group);
	mutex_lock(&group->mutex);
	pmcgrp_roots_drop(group);
	mutex_unlock(&group->mutex);
	pmcgrp_user_page_unwatch(group);
	if (group->rings)
		pmcgrp_rings_stop(group->rings);
	pmcgrp_rows_drop(group);
}

/**
 * pmcgrp_group_end - stop a group that has outlived its descriptor, and give back its reference
 * @group: the group, by which nobody counts any more
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_group_end(struct pmcgrp_group *group)
{
	group_stop(group);
	pmcgrp_group_put(group);
}

/**
 * pmcgrp_group_close - stop a group, started or not, and give back its reference
 * @group: the group, which no descriptor leads to any more
 *
 * When it returns, every counter that no other group uses has been released; what others count
 * by stays for them (share.c).
 *
 * Context: may sleep.
 */
void pmcgrp_group_close(struct pmcgrp_group *group)
{
	struct pmcgrp_opener *opener = group->opener;
	struct pmcgrp_group *source;
	bool stays;

	/* Each of them may take a while: not under everybody's mutex. */
	if (group->rings) {
		mutex_lock(&group->mutex);
		pmcgrp_triggers_drop(group);
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

	atomic_dec(&opener->nr_groups);
	pmcgrp_opener_put(opener);
	if (!stays)
		pmcgrp_group_put(group);
}

/**
 * pmcgrp_groups_rebuild - let every group count on a CPU that has come online
 * @cpu: the CPU, whose gang is closed
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_groups_rebuild(int cpu)
{
	struct pmcgrp_group *group;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	list_for_each_entry(group, &groups, node) {
		if (!cpumask_test_cpu(cpu, group->cpus))
			continue;
		pmcgrp_row_rebuild(group, cpu);
		if (pmcgrp_group_counts_cpus(group)) {
			pmcgrp_root_rebuild(group, cpu);
			pmcgrp_triggers_rebuild(group, cpu);
		}
	}
}

/**
 * pmcgrp_groups_drop - release every group's counters on a CPU that is offline
 * @cpu: the CPU, whose gang is closed
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_groups_drop(int cpu)
{
	struct pmcgrp_group *group;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	list_for_each_entry(group, &groups, node)
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
	list_for_each_entry(group, &groups, node) {
		mutex_lock(&group->mutex);
		pmcgrp_triggers_enable(group, false);
		mutex_unlock(&group->mutex);
	}
	mutex_unlock(&pmcgrp_groups_mutex);
}
