/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * perf_event_open(2) by groups of pmcgrp: for programs that are written for the system call.
 *
 * The manual is pmcgrp_perf_event_open(3).  Programs that cannot be changed are run by
 * pmcgrp-run(1).
 */
#ifndef PMCGRP_PERF_H
#define PMCGRP_PERF_H

#include <sys/types.h>

#include <linux/perf_event.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/**
 * pmcgrp_perf_event_open - open a perf event, counted by the module where it can be
 * @attr: as for perf_event_open(2)
 * @pid: as for perf_event_open(2)
 * @cpu: as for perf_event_open(2)
 * @group_fd: as for perf_event_open(2); a descriptor of this function or of the system call
 * @flags: as for perf_event_open(2)
 *
 * A group that counts becomes a group of the module with a leader.  What the module cannot do is
 * left to the system call, a whole group at a time.
 *
 * Kernel calls: perf_event_open(2), open("/dev/pmcgrp"), PMCGRP_IOC_CREATE, PMCGRP_IOC_ADD.
 * It may be called from several threads and from handlers of signals, and after a fork().
 *
 * Returns a descriptor, or -1 with the errno of perf_event_open(2).
 */
int pmcgrp_perf_event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
			   unsigned long flags);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* PMCGRP_PERF_H */
