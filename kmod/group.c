// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups: allocation, references, ids, and the list of all groups.
 *
 * Lifetime: a group belongs to its file.  It stops when the file is closed, or when the last group
 * that counts by its carrier is closed (share.c).  It owns
 *
 * - references to its events, and a row of their counters for each CPU (row.c),
 * - carriers: perf events of pmcgrp's PMU that follow the target (root.c, carrier.c),
 * - sets: the counts and times of each carrier (evset.c),
 * - perhaps rings and triggers.
 *
 * The order of creation is rows, carriers, triggers.  They are released in the reverse order,
 * because a carrier in a perf context may use counters.  The last carrier frees the group's memory:
 * an inherited carrier may still be exiting with its task after the file is closed.
 *
 * README.md has the lock order.
 *
 * perf core creates and destroys carriers under its ctx->mutex; there only evsets_mutex may be
 * taken.  It schedules carriers under its ctx->lock with interrupts off; there only a pool's
 * spinlock may be taken.  CPU hotplug callbacks take no mutex at all (hotplug.c).
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
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "group.h"

/* Far from the ids of perf events, so that both can be in one recording. */
#define MEMBER_ID_FIRST BIT_ULL(40)

LIST_HEAD(pmcgrp_groups);
static int max_groups; /* limit for one opener; constant after init */
static atomic64_t last_id = ATOMIC64_INIT(MEMBER_ID_FIRST - 1);

/**
 * pmcgrp_groups_init - set the limit of groups
 * @groups_max: limit for one open of the device
 *
 * Context: called once, before any group exists.
 */
void pmcgrp_groups_init(unsigned int groups_max)
{
	max_groups = groups_max;
}

/**
 * pmcgrp_opener_create - create an opener for one open of the device
 *
 * Context: may sleep.
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
 * pmcgrp_opener_put - drop a reference
 * @opener: from pmcgrp_opener_create()
 */
void pmcgrp_opener_put(struct pmcgrp_opener *opener)
{
	kref_put(&opener->refs, opener_free);
}

/**
 * pmcgrp_group_next_ids - allocate consecutive ids that no member or trigger has had
 * @nr: number of ids
 *
 * Return: the first id.
 */
u64 pmcgrp_group_next_ids(unsigned int nr)
{
	return atomic64_add_return(nr, &last_id) - nr + 1;
}

/**
 * pmcgrp_group_alloc - allocate a group that does not count yet
 * @opener: opener of the group; the group takes a reference
 * @nr: number of members, 1 to %PMCGRP_MEMBERS_MAX
 * @has_leader: member 0 is the leader, and members may be added later
 *
 * The caller fills in target, CPUs, flags, read_format and each member's attr.  Then it calls
 * pmcgrp_group_start(), and in any case pmcgrp_group_close().
 *
 * Context: may sleep.
 * Return: the group, or an ERR_PTR: -ENOMEM, or -ENOSPC if the opener has reached its limit.
 */
struct pmcgrp_group *pmcgrp_group_alloc(struct pmcgrp_opener *opener, unsigned int nr,
					bool has_leader)
{
	unsigned int room = has_leader ? PMCGRP_MEMBERS_MAX : nr;
	struct pmcgrp_group *group;
	size_t size = struct_size(group, member, room);
	size_t row_size, masks, rows;
	struct pmcgrp_row *row;
	unsigned int i;
	int err = -ENOMEM;
	u64 id;

	if (atomic_inc_return(&opener->nr_groups) > max_groups) {
		err = -ENOSPC;
		goto uncount;
	}
	/* One allocation: group and members, events, two masks, rows aligned to cache lines. */
	row_size = ALIGN(struct_size(row, counter, room), SMP_CACHE_BYTES);
	masks = size + room * sizeof(*group->event);
	rows = masks + 2 * cpumask_size();
	group = kvzalloc(rows + SMP_CACHE_BYTES + nr_cpu_ids * row_size, GFP_KERNEL_ACCOUNT);
	if (!group)
		goto uncount;
	group->event = (void *)group + size;
	group->cpus = (void *)group + masks;
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
	group->source = group;
	group->by = group;
	INIT_LIST_HEAD(&group->viewers);
	INIT_LIST_HEAD(&group->view_node);
	INIT_HLIST_NODE(&group->source_node);
	group->nr = nr;
	id = pmcgrp_group_next_ids(nr);
	for (i = 0; i < nr; i++) {
		group->member[i].id = id + i;
		group->member[i].on = true;
	}
	group->owner = get_task_pid(current, PIDTYPE_TGID);
	/* No lock needed, as in get_task_comm() since 6.14: comm is always terminated. */
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
	if (group->rings)
		group->output->free(group);
	if (group->hooks)
		group->hooks->free(group);
	if (group->task)
		put_task_struct(group->task);
	put_pid(group->target);
	put_pid(group->owner);
	kfree(group->member_values);
	mutex_destroy(&group->evsets_mutex);
	mutex_destroy(&group->mutex);
	kvfree(group);
}

/**
 * pmcgrp_group_put - drop a reference; the last one frees the group
 * @group: the group
 *
 * Context: may sleep; perf core's mutexes may be held.
 */
void pmcgrp_group_put(struct pmcgrp_group *group)
{
	kref_put(&group->refs, group_free);
}

/**
 * pmcgrp_group_next - find the group with the lowest id from @id on
 * @id: the lowest id to look for; the id of a group is the id of its first member
 *
 * Groups whose descriptor is closed (share.c) are skipped.
 *
 * Context: pmcgrp_groups_mutex held.
 * Return: the group, or NULL.
 */
struct pmcgrp_group *pmcgrp_group_next(u64 id)
{
	struct pmcgrp_group *group, *next = NULL;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	list_for_each_entry(group, &pmcgrp_groups, node)
		if (group->opener && group->member[0].id >= id &&
		    (!next || group->member[0].id < next->member[0].id))
			next = group;
	return next;
}
