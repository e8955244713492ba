// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups: allocation, ids, and the list of all groups.
 *
 * Lifetime: a group belongs to its file, with a leader to the last file of a member.  It starts
 * with an event list of its own, or shares another group's (target.c).  It owns its members, and
 * perhaps rings, triggers and a user page.
 *
 * README.md has the lock order.
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/numa.h>
#include <linux/overflow.h>
#include <linux/pid.h>
#include <linux/rbtree.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "group/group.h"
#include "platform/account.h"
#include "platform/charge.h"

/* Far from the ids of perf events, so that both can be in one recording. */
#define MEMBER_ID_FIRST BIT_ULL(40)

/* Room for the members of a group with a leader at first: most have no more. */
#define FEW_MEMBERS 8

struct rb_root pmcgrp_groups = RB_ROOT;
static atomic64_t last_id = ATOMIC64_INIT(MEMBER_ID_FIRST - 1);

/**
 * pmcgrp_groups_init - set the limit of groups
 * @groups_max: limit for each user
 *
 * Context: called once, before any group exists.
 */
void pmcgrp_groups_init(unsigned int groups_max)
{
	pmcgrp_account_limit(PMCGRP_LIMIT_GROUPS, groups_max);
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
 * @account: user of the group; so it does
 * @nr: number of members, 1 to %PMCGRP_MEMBERS_MAX
 * @has_leader: member 0 is the leader, and members may be added later
 *
 * The caller fills in flags, read_format and each member's attr.  Then it calls
 * pmcgrp_target_start(), and in any case pmcgrp_target_close().
 *
 * Context: may sleep.
 * Return: the group, or an ERR_PTR: -EDQUOT if the user has as many as there may be; or as of
 * pmcgrp_charge_alloc().
 */
struct pmcgrp_group *pmcgrp_group_alloc(struct pmcgrp_opener *opener,
					struct pmcgrp_account *account, unsigned int nr,
					bool has_leader)
{
	unsigned int room = has_leader ? max_t(unsigned int, nr, FEW_MEMBERS) : nr;
	struct pmcgrp_charge charge;
	struct pmcgrp_group *group;
	unsigned int i;
	int err;
	u64 id;

	if (!pmcgrp_account_take(account, PMCGRP_LIMIT_GROUPS, 1))
		return ERR_PTR(-EDQUOT);
	pmcgrp_charge_begin_unlocked(&charge, account);
	group = pmcgrp_charge_alloc(&charge, struct_size(group, few, room), NUMA_NO_NODE);
	err = PTR_ERR_OR_ZERO(group);
	if (err)
		goto end_charge;
	group->room = room;
	group->member = group->few;
	if (has_leader) {
		/* What more members will need (member_add.c). */
		err = pmcgrp_charge_add(&charge, PMCGRP_MEMBERS_MAX * sizeof(*group->member));
		if (err)
			goto free_group;
		err = -ENOMEM;
		group->member_values = pmcgrp_member_values_alloc();
		if (!group->member_values)
			goto free_group;
	}
	seqcount_init(&group->zero_seq);
	raw_spin_lock_init(&group->values_lock);
	RB_CLEAR_NODE(&group->node);
	INIT_LIST_HEAD(&group->list_node);
	INIT_LIST_HEAD(&group->spans);
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
	atomic_inc(&opener->nr_groups);
	group->opener = opener;
	group->charge = charge;
	return group;

free_group:
	kvfree(group);
end_charge:
	pmcgrp_charge_end(&charge);
	pmcgrp_account_give(account, PMCGRP_LIMIT_GROUPS, 1);
	return ERR_PTR(err);
}

/**
 * pmcgrp_group_show_cpus - make room for what a group shows of each CPU alone
 * @group: the group, without a leader, of which nobody reads single CPUs yet
 * @nr_events: number of events of its list
 *
 * They begin at 0: what was reset before is in the values that are shown first.
 *
 * Context: may sleep.
 * Return: 0, or as pmcgrp_charge_alloc().
 */
int pmcgrp_group_show_cpus(struct pmcgrp_group *group, unsigned int nr_events)
{
	size_t size = pmcgrp_values_size(nr_events);
	void *zero;

	zero = pmcgrp_charge_alloc(&group->charge, array_size(nr_cpu_ids, size), NUMA_NO_NODE);
	if (IS_ERR(zero))
		return PTR_ERR(zero);
	group->cpu_zero_size = size;
	group->cpu_zero = zero;
	return 0;
}

/**
 * pmcgrp_group_why - find the reason of a failure
 * @err: errno of pmcgrp_group_alloc()
 *
 * Return: enum pmcgrp_why.
 */
u32 pmcgrp_group_why(int err)
{
	return err == -EDQUOT ? PMCGRP_WHY_GROUPS_MAX : pmcgrp_why_of_charge(err);
}

/**
 * pmcgrp_group_free - free a group, and drop its opener and its event list
 * @group: the group, started or not, which nothing refers to
 *
 * Context: may sleep.
 */
void pmcgrp_group_free(struct pmcgrp_group *group)
{
	struct pmcgrp_charge charge = group->charge;

	if (group->rings)
		group->output->free(group->rings);
	if (group->keys)
		group->keys_ops->free(group->keys);
	if (group->user_read.ops)
		group->user_read.ops->free(group);
	if (group->evlist)
		pmcgrp_evlist_put(group->evlist);
	if (group->left)
		pmcgrp_evlist_put(group->left);
	put_pid(group->owner);
	atomic_dec(&group->opener->nr_groups);
	pmcgrp_opener_put(group->opener);
	kfree(group->member_values);
	kvfree(group->cpu_zero);
	if (group->member != group->few)
		kvfree(group->member);
	kvfree(group);
	pmcgrp_account_give(charge.account, PMCGRP_LIMIT_GROUPS, 1);
	pmcgrp_charge_end(&charge);
}

static struct pmcgrp_group *group_of(struct rb_node *node)
{
	return rb_entry_safe(node, struct pmcgrp_group, node);
}

static bool group_is_before(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct pmcgrp_group, node)->member[0].id <
	       rb_entry(b, struct pmcgrp_group, node)->member[0].id;
}

/**
 * pmcgrp_group_link - put a group among all groups, where it can be found
 * @group: the group, which is not there
 *
 * Context: pmcgrp_groups_mutex held.
 */
void pmcgrp_group_link(struct pmcgrp_group *group)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	rb_add(&group->node, &pmcgrp_groups, group_is_before);
}

/**
 * pmcgrp_group_unlink - undo pmcgrp_group_link(), or do nothing
 * @group: the group
 *
 * Context: pmcgrp_groups_mutex held.
 */
void pmcgrp_group_unlink(struct pmcgrp_group *group)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (RB_EMPTY_NODE(&group->node))
		return;
	rb_erase(&group->node, &pmcgrp_groups);
	RB_CLEAR_NODE(&group->node);
}

/**
 * pmcgrp_group_next - find the group with the lowest id from @id on
 * @id: the lowest id to look for; the id of a group is the id of its first member
 * @only: of the groups of this opener; NULL: of all
 *
 * Context: pmcgrp_groups_mutex held.
 * Return: the group, or NULL.
 */
struct pmcgrp_group *pmcgrp_group_next(u64 id, const struct pmcgrp_opener *only)
{
	struct rb_node *node = pmcgrp_groups.rb_node;
	struct pmcgrp_group *group, *next = NULL;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	while (node) {
		group = group_of(node);
		if (group->member[0].id >= id) {
			next = group;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	while (next && only && next->opener != only)
		next = group_of(rb_next(&next->node));
	return next;
}
