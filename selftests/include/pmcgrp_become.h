/* SPDX-License-Identifier: GPL-2.0-only */
/* A process that is not root, with one capability or none. */
#ifndef PMCGRP_BECOME_H
#define PMCGRP_BECOME_H

#include "pmcgrp_test.h"
#include <linux/capability.h>
#include <sys/prctl.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif

/* Become uid 1000 with one capability (or none: -1); false if that fails. */
static inline bool become(int cap)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};

	if (prctl(PR_SET_KEEPCAPS, 1) || setresuid(1000, 1000, 1000))
		return false;
	if (cap >= 0)
		data[cap / 32].permitted = 1U << cap % 32;
	if (cap >= 0)
		data[cap / 32].effective = data[cap / 32].permitted;
	return !syscall(SYS_capset, &head, data);
}

/* Whether another user with CAP_PERFMON is given a group. */
static inline bool another_user_gets(int dev, struct ask *ask)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(become(CAP_PERFMON) && ask_group(dev, ask) >= 0 ? 0 : 1);
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

#endif /* PMCGRP_BECOME_H */
