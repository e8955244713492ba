/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What the programs of the tutorial measure, and how they open an event of perf's. */
#ifndef TUTORIAL_WORK_H
#define TUTORIAL_WORK_H

#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/perf_event.h>

#define ROUNDS 12
#define SUMS 400000
#define CALLS 8000

/* Two phases by turns: arithmetic in the program, and calls of the kernel. */
static inline void work(void)
{
	volatile unsigned int sum = 0;
	int round, i;

	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < SUMS; i++)
			sum += i;
		for (i = 0; i < CALLS; i++)
			getppid();
	}
}

/* An event of this thread, in user mode, that does not count yet; its descriptor. */
static inline int event_open(uint64_t config, int leader, uint64_t read_format)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = config,
		.read_format = read_format,
		.disabled = leader < 0,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		err(1, "perf_event_open");
	return fd;
}

#endif
