// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps perf's hooks in the scheduler patched in (kernel/events/core.c: perf_sched_events)
 * beside each test on a machine whose processors run at once: see `machines`.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	struct perf_event_attr attr = {
		.type	= PERF_TYPE_SOFTWARE,
		.size	= sizeof(attr),
		.config	= PERF_COUNT_SW_DUMMY,
	};

	if (syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) < 0) {
		perror("hold: perf_event_open");
		return 1;
	}
	for (;;)
		pause();
}
