/* SPDX-License-Identifier: GPL-2.0-only */
/* read() of groups and members, PMCGRP_IOC_READ_CPUS, and what PMCGRP_IOC_READ_MANY needs. */
#ifndef PMCGRP_READ_H
#define PMCGRP_READ_H

#include <linux/types.h>
#include "set/evset.h"

struct pmcgrp_evlist;
struct pmcgrp_group;
struct pmcgrp_member_fd;
struct pmcgrp_read_cpus;

/**
 * struct pmcgrp_scan - a reading of the only set of an event list
 * @changes: pmcgrp_evlist.changes at that time
 * @at: the values
 */
struct pmcgrp_scan {
	unsigned int changes;
	struct pmcgrp_values at;
};

ssize_t pmcgrp_read_group(struct pmcgrp_group *group, char __user *buf, size_t count);
ssize_t pmcgrp_read_member(struct pmcgrp_member_fd *mfd, char __user *buf, size_t count);
ssize_t pmcgrp_read_group_words(struct pmcgrp_group *group, u64 *out);
ssize_t pmcgrp_read_member_words(struct pmcgrp_member_fd *mfd, u64 *out);
bool pmcgrp_read_scan(const struct pmcgrp_evlist *evlist, struct pmcgrp_scan *scan);
size_t pmcgrp_read_show(const struct pmcgrp_group *group, const struct pmcgrp_scan *scan,
			u64 *out);
int pmcgrp_read_group_cpus(struct pmcgrp_group *group, struct pmcgrp_read_cpus *arg);

#endif /* PMCGRP_READ_H */
