/* SPDX-License-Identifier: GPL-2.0-only */
/* read() of groups and members, PMCGRP_IOC_READ_CPUS, and limits of read_format. */
#ifndef PMCGRP_READ_H
#define PMCGRP_READ_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>

struct pmcgrp_group;
struct pmcgrp_member_fd;
struct pmcgrp_read_cpus;

#define PMCGRP_READ_FORMATS                                      \
	(PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST | \
	 PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

/* The read_format with a fast path in samples (sample.c); the tools use it. */
#define PMCGRP_READ_DEFAULT                                                    \
	(PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED | \
	 PERF_FORMAT_TOTAL_TIME_RUNNING)

/* The most words of a read: nr, time_enabled, time_running, and { value, id, lost } per member. */
#define PMCGRP_READ_WORDS_MAX (3 + 3 * PMCGRP_MEMBERS_MAX)

size_t pmcgrp_read_size(u64 read_format, unsigned int nr);
ssize_t pmcgrp_group_read(struct pmcgrp_group *group, char __user *buf, size_t count);
ssize_t pmcgrp_member_fd_read(struct pmcgrp_member_fd *mfd, char __user *buf, size_t count);
int pmcgrp_group_read_cpus(struct pmcgrp_group *group, struct pmcgrp_read_cpus *arg);

#endif /* PMCGRP_READ_H */
