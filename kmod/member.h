/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_MEMBER_H
#define PMCGRP_MEMBER_H

#include <linux/types.h>

struct pmcgrp_group;
struct pmcgrp_values;

/**
 * struct pmcgrp_member_fd - a descriptor of a group with a leader
 * @group: whose
 * @id: of the member that it leads to.  Constant.
 * @read_format: PERF_FORMAT_* of its read().  Constant.
 * @index: which member that is now; the group's mutex
 */
struct pmcgrp_member_fd {
	struct pmcgrp_group *group;
	u64 id;
	u64 read_format;
	unsigned int index;
};

/**
 * struct pmcgrp_member_values - what of a count and of the group's times is a member's own
 * @count: of its event
 * @enabled: nanoseconds
 * @running: nanoseconds
 *
 * While the member is off: what it shows.  While it is on: what the group had at an
 * instant, less what the member showed then; so what it shows is the group's less this.
 */
struct pmcgrp_member_values {
	u64 count;
	u64 enabled;
	u64 running;
};

struct pmcgrp_member_values *pmcgrp_member_values_alloc(void);
void pmcgrp_member_show(const struct pmcgrp_group *group, unsigned int i,
			const struct pmcgrp_member_values *member_values,
			const struct pmcgrp_values *at, struct pmcgrp_member_values *page);
void pmcgrp_member_begin(struct pmcgrp_group *group, unsigned int i, bool on);
void pmcgrp_member_remove(struct pmcgrp_group *group, unsigned int i);

bool pmcgrp_group_has_leader(const struct pmcgrp_group *group);
void pmcgrp_group_update_state(struct pmcgrp_group *group);
void pmcgrp_member_fd_enable(struct pmcgrp_member_fd *mfd, bool whole);
void pmcgrp_member_fd_disable(struct pmcgrp_member_fd *mfd, bool whole);
void pmcgrp_member_fd_reset(struct pmcgrp_member_fd *mfd, bool whole, bool times);

#endif /* PMCGRP_MEMBER_H */
