/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_OWN_H
#define PMCGRP_OWN_H

#include <linux/types.h>

struct pmcgrp_group;
struct pmcgrp_snapshot;

/**
 * struct pmcgrp_handle - a descriptor of a group with a leader
 * @group: whose
 * @id: of the member that it leads to.  Constant.
 * @read_format: PERF_FORMAT_* of its read().  Constant.
 * @index: which member that is now; the group's mutex
 */
struct pmcgrp_handle {
	struct pmcgrp_group	*group;
	u64			id;
	u64			read_format;
	unsigned int		index;
};

/**
 * struct pmcgrp_own - what of a count and of the group's times is a member's own
 * @count: of its event
 * @enabled: nanoseconds
 * @running: nanoseconds
 *
 * While the member is off: what it shows.  While it is on: what the group had at an
 * instant, less what the member showed then; so what it shows is the group's less this.
 */
struct pmcgrp_own {
	u64	count;
	u64	enabled;
	u64	running;
};

struct pmcgrp_own *pmcgrp_own_alloc(void);
void pmcgrp_own_show(const struct pmcgrp_group *group, unsigned int i,
		     const struct pmcgrp_own *own, const struct pmcgrp_snapshot *at,
		     struct pmcgrp_own *shown);
void pmcgrp_own_begin(struct pmcgrp_group *group, unsigned int i, bool on);
void pmcgrp_own_remove(struct pmcgrp_group *group, unsigned int i);

bool pmcgrp_group_has_leader(const struct pmcgrp_group *group);
void pmcgrp_group_settle(struct pmcgrp_group *group);
void pmcgrp_handle_enable(struct pmcgrp_handle *handle, bool whole);
void pmcgrp_handle_disable(struct pmcgrp_handle *handle, bool whole);
void pmcgrp_handle_reset(struct pmcgrp_handle *handle, bool whole, bool times);

#endif /* PMCGRP_OWN_H */
