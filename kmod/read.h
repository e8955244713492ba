/* SPDX-License-Identifier: GPL-2.0-only */
/* read() of groups and members, and PMCGRP_IOC_READ_CPUS. */
#ifndef PMCGRP_READ_H
#define PMCGRP_READ_H

#include <linux/types.h>

struct pmcgrp_group;
struct pmcgrp_member_fd;
struct pmcgrp_read_cpus;

ssize_t pmcgrp_group_read(struct pmcgrp_group *group, char __user *buf, size_t count);
ssize_t pmcgrp_member_fd_read(struct pmcgrp_member_fd *mfd, char __user *buf, size_t count);
int pmcgrp_group_read_cpus(struct pmcgrp_group *group, struct pmcgrp_read_cpus *arg);

#endif /* PMCGRP_READ_H */
