// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Step 1 of user/doc/tutorial.md: one event, by perf_event_open(2). */
#include "work.h"

int main(void)
{
	int fd = event_open(PERF_COUNT_HW_INSTRUCTIONS, -1, 0);
	uint64_t count;

	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	work();
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);

	if (read(fd, &count, sizeof(count)) != sizeof(count))
		err(1, "read");
	printf("%" PRIu64 " instructions\n", count);
	close(fd);
	return 0;
}
