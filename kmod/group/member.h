/* SPDX-License-Identifier: GPL-2.0-only */
/* State of the members of a group with a leader: enabled or not, count and times. */
#ifndef PMCGRP_MEMBER_H
#define PMCGRP_MEMBER_H

#include <linux/compiler.h>
#include <linux/types.h>
#include "group/group.h"
#include "set/evset.h"

/* Convert values into offsets to the group's values, or offsets into values. */
static __always_inline void pmcgrp_member_toggle(struct pmcgrp_member_values *member_values,
						 const struct pmcgrp_values *at, unsigned int event)
{
	member_values->count = at->count[event] - member_values->count;
	member_values->enabled = at->enabled - member_values->enabled;
	member_values->running = at->running - member_values->running;
}

/**
 * pmcgrp_member_show - compute the values that a read of a member shows
 * @member: the member; its list's mutex or the group's values_lock is held
 * @member_values: its place in pmcgrp_group.member_values, or in those of the set of one CPU
 * @at: values of the group, or of that set
 *
 * Return: values of the member.
 */
static __always_inline struct pmcgrp_member_values
pmcgrp_member_show(const struct pmcgrp_member_state *member,
		   const struct pmcgrp_member_values *member_values, const struct pmcgrp_values *at)
{
	struct pmcgrp_member_values values = *member_values;

	if (member->on)
		pmcgrp_member_toggle(&values, at, member->event);
	return values;
}

void pmcgrp_member_begin(struct pmcgrp_group *group, unsigned int i, bool on);
void pmcgrp_member_remove(struct pmcgrp_group *group, unsigned int i);

bool pmcgrp_member_has_leader(const struct pmcgrp_group *group);
void pmcgrp_member_change_begin(struct pmcgrp_group *group);
void pmcgrp_member_change_end(struct pmcgrp_group *group);
void pmcgrp_member_update_state(struct pmcgrp_group *group);
int pmcgrp_member_fd_enable(struct pmcgrp_member_fd *mfd, bool whole);
int pmcgrp_member_fd_disable(struct pmcgrp_member_fd *mfd, bool whole);
int pmcgrp_member_fd_reset(struct pmcgrp_member_fd *mfd, bool whole, bool times);

#endif /* PMCGRP_MEMBER_H */
