// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * The view alone, for programs that open perf events by themselves: it walks the
 * bytes that perf's own read() gives, in whatever read_format they were asked for.
 *
 *	cc view.c $(pkg-config --cflags --libs libpmcgrp) && ./a.out
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <pmcgrp.h>

#define FORMAT (PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED)

static int event_open(uint64_t config, int leader)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = config,
		.read_format = FORMAT,
		.exclude_kernel = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		err(1, "perf_event_open");
	return fd;
}

int main(void)
{
	int leader = event_open(PERF_COUNT_SW_TASK_CLOCK, -1);
	int faults = event_open(PERF_COUNT_SW_PAGE_FAULTS, leader);
	struct pmcgrp_view view;
	uint64_t id, ns, buf[16];
	ssize_t len, i;

	if (ioctl(faults, PERF_EVENT_IOC_ID, &id) < 0)
		err(1, "PERF_EVENT_IOC_ID");
	len = read(leader, buf, sizeof(buf));
	if (len < 0)
		err(1, "read");
	if (pmcgrp_view_init(&view, buf, len, FORMAT) < 0)
		errx(1, "these bytes are not in the read_format that was asked for");

	if (pmcgrp_view_time_enabled(&view, &ns))
		printf("enabled for %" PRIu64 " ns, %zu members\n", ns, pmcgrp_view_nr(&view));
	for (i = 0; i < (ssize_t)pmcgrp_view_nr(&view); i++)
		printf("member %zd, id %" PRIu64 ": %" PRIu64 "\n", i, pmcgrp_view_id(&view, i),
		       pmcgrp_view_value(&view, i));
	i = pmcgrp_view_find_id(&view, id);
	if (i >= 0)
		printf("page faults are member %zd\n", i);
	close(faults);
	close(leader);
	return 0;
}
