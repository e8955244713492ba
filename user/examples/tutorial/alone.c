// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Step 2 of user/doc/tutorial.md: each event has a descriptor of its own. Two of them are there
 * twice, to see how far two counts of the same are apart.
 *
 * alone: six events. alone 2: so many.
 */
#include <stdlib.h>

#include "work.h"

#define FORMAT (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

static const struct {
	const char *name;
	uint64_t config;
} events[] = {
	{ "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_COUNT_HW_BRANCH_MISSES },
	{ "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_COUNT_HW_BRANCH_MISSES },
	{ "cache-references", PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_COUNT_HW_CACHE_MISSES },
};

#define NR_EVENTS (sizeof(events) / sizeof(events[0]))

int main(int argc, char **argv)
{
	struct {
		uint64_t value, enabled, running;
	} count;
	size_t nr = argc > 1 ? strtoul(argv[1], NULL, 0) : NR_EVENTS, i;
	int fd[NR_EVENTS];

	if (!nr || nr > NR_EVENTS)
		errx(1, "1 to %zu events", NR_EVENTS);
	for (i = 0; i < nr; i++)
		fd[i] = event_open(events[i].config, -1, FORMAT);

	for (i = 0; i < nr; i++)
		ioctl(fd[i], PERF_EVENT_IOC_ENABLE, 0);
	work();
	for (i = 0; i < nr; i++)
		ioctl(fd[i], PERF_EVENT_IOC_DISABLE, 0);

	printf("     counted  of the time    scaled up\n");
	for (i = 0; i < nr; i++) {
		if (read(fd[i], &count, sizeof(count)) != sizeof(count) || !count.running)
			errx(1, "%s was not counted", events[i].name);
		printf("%12" PRIu64 " %11.1f %% %12.0f %s\n", count.value,
		       100.0 * count.running / count.enabled,
		       (double)count.value * count.enabled / count.running, events[i].name);
		close(fd[i]);
	}
	return 0;
}
