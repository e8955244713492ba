/* SPDX-License-Identifier: GPL-2.0-only */
/* State of the members of a group with a leader: enabled or not, count and times. */
#ifndef PMCGRP_MEMBER_H
#define PMCGRP_MEMBER_H

#include <linux/types.h>

struct pmcgrp_group;
struct pmcgrp_member_fd;
struct pmcgrp_member_values;
struct pmcgrp_values;

void pmcgrp_member_show(const struct pmcgrp_group *group, unsigned int i,
			const struct pmcgrp_member_values *member_values,
			const struct pmcgrp_values *at, struct pmcgrp_member_values *values);
void pmcgrp_member_begin(struct pmcgrp_group *group, unsigned int i, bool on);
void pmcgrp_member_remove(struct pmcgrp_group *group, unsigned int i);

bool pmcgrp_member_has_leader(const struct pmcgrp_group *group);
void pmcgrp_member_update_state(struct pmcgrp_group *group);
int pmcgrp_member_fd_enable(struct pmcgrp_member_fd *mfd, bool whole);
int pmcgrp_member_fd_disable(struct pmcgrp_member_fd *mfd, bool whole);
int pmcgrp_member_fd_reset(struct pmcgrp_member_fd *mfd, bool whole, bool times);

#endif /* PMCGRP_MEMBER_H */
