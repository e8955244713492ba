// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Step 3 of user/doc/tutorial.md: a group of perf's. The first event leads: it is enabled, and
 * its read() gives all of them, each with its id.
 *
 * perf_group: branches and their misses, twice. perf_group 5: cycles, too.
 */
#include <stdlib.h>

#include "work.h"

#define FORMAT (PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED | \
		PERF_FORMAT_TOTAL_TIME_RUNNING)

static const struct {
	const char *name;
	uint64_t config;
} events[] = {
	{ "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_COUNT_HW_BRANCH_MISSES },
	{ "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_COUNT_HW_BRANCH_MISSES },
	{ "cycles", PERF_COUNT_HW_CPU_CYCLES },
};

#define NR_EVENTS (sizeof(events) / sizeof(events[0]))

struct group_read {
	uint64_t nr, enabled, running;
	struct {
		uint64_t value, id;
	} event[NR_EVENTS];
};

int main(int argc, char **argv)
{
	size_t nr = argc > 1 ? strtoul(argv[1], NULL, 0) : 4, i, j;
	struct group_read group;
	uint64_t id[NR_EVENTS];
	int fd[NR_EVENTS];

	if (!nr || nr > NR_EVENTS)
		errx(1, "1 to %zu events", NR_EVENTS);
	for (i = 0; i < nr; i++) {
		fd[i] = event_open(events[i].config, i ? fd[0] : -1, FORMAT);
		ioctl(fd[i], PERF_EVENT_IOC_ID, &id[i]);
	}

	ioctl(fd[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	work();
	ioctl(fd[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);

	if (read(fd[0], &group, sizeof(group)) < 0)
		err(1, "read");
	printf("enabled for %" PRIu64 " ns, counted for %" PRIu64 " ns\n", group.enabled,
	       group.running);
	for (i = 0; i < nr; i++) {
		for (j = 0; j < group.nr; j++) {
			if (group.event[j].id == id[i])
				printf("%12" PRIu64 " %s\n", group.event[j].value, events[i].name);
		}
	}
	for (i = 0; i < nr; i++)
		close(fd[i]);
	return 0;
}
