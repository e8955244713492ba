/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_SHARE_H
#define PMCGRP_SHARE_H

#include <linux/list.h>
#include <linux/types.h>
#include "group.h"

struct task_struct;

/*
 * Whether a group can count by a carrier that is not its own: one thread and nothing that it
 * creates; counts from now on, and for no longer than it is enabled; and may be taken off the PMU
 * like any other.
 */
static inline bool pmcgrp_group_may_share(const struct pmcgrp_group *group)
{
	return group->target_type == PMCGRP_TARGET_TASK &&
	       !(group->flags & ~PMCGRP_CREATE_DISABLED);
}

/*
 * Whether others count by this group's carrier, or it by another's; its mutex held, or
 * pmcgrp_groups_mutex.
 */
static inline bool pmcgrp_group_shares(const struct pmcgrp_group *group)
{
	return group->source != group || !list_empty(&group->viewers);
}

/* Whether it counts wherever its target runs, as its descriptor has it. */
static inline bool pmcgrp_group_is_enabled(const struct pmcgrp_group *group)
{
	const struct pmcgrp_group *by = READ_ONCE(group->by);

	return by == group ? READ_ONCE(group->active) : !!by;
}

void pmcgrp_share_init(struct pmcgrp_group *group);
bool pmcgrp_share_join(struct pmcgrp_group *group, const struct task_struct *task);
void pmcgrp_share_offer(struct pmcgrp_group *group);
void pmcgrp_share_withdraw(struct pmcgrp_group *group);
bool pmcgrp_share_leave(struct pmcgrp_group *group);
bool pmcgrp_share_is_over(const struct pmcgrp_group *source);
int pmcgrp_share_end(struct pmcgrp_group *group, u32 *why);
struct pmcgrp_group *pmcgrp_share_lock(struct pmcgrp_group *group);
void pmcgrp_share_unlock(struct pmcgrp_group *group);
void pmcgrp_share_set_enabled(struct pmcgrp_group *group, bool on);
void pmcgrp_share_refresh(struct pmcgrp_group *group);

#endif /* PMCGRP_SHARE_H */
