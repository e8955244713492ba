/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of groups with a leader share. */
#ifndef PMCGRP_LEADER_H
#define PMCGRP_LEADER_H

#include "pmcgrp_test.h"

/* Returns a descriptor, or -errno. */
static inline int ask_member(int leader, const struct perf_event_attr *attr, uint32_t flags,
			     uint64_t read_format, struct pmcgrp_add *add)
{
	int fd;

	*add = (struct pmcgrp_add){ .size = sizeof(*add), .flags = flags,
				    .attr = (uintptr_t)attr, .read_format = read_format };
	fd = ioctl(leader, PMCGRP_IOC_ADD, add);
	return fd < 0 ? -errno : fd;
}

static inline int add_member(int leader, const struct perf_event_attr *attr)
{
	struct pmcgrp_add add;

	return ask_member(leader, attr, 0, FORMAT, &add);
}

/* A system call that nothing else here makes, to be counted; type 0 if it cannot be. */
static inline struct perf_event_attr getsid_event(void)
{
	long id = file_number("/sys/kernel/tracing/events/syscalls/sys_enter_getsid/id", "");

	return id > 0 ? event(PERF_TYPE_TRACEPOINT, id) : (struct perf_event_attr){};
}

/* A read() without PERF_FORMAT_GROUP, with both times. */
struct own_values {
	uint64_t value;
	uint64_t enabled;
	uint64_t running;
};

#define OWN_FORMAT	(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

#endif /* PMCGRP_LEADER_H */
