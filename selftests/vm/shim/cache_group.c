// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client of shim-test: a group of two cache events, instructions and the CPU's clock, the members of
 * which have no variable of their own.  It is opened once, and reset, enabled, disabled and read for each
 * of several measurements, through the leader alone.  Its calls are those of a well-known example; no line
 * of its text is.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define READ_MISS(cache)	((cache) | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16)
#define TIMES			5

static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
} events[] = {
	{ "L1D read misses", PERF_TYPE_HW_CACHE, READ_MISS(PERF_COUNT_HW_CACHE_L1D) },
	{ "L1I read misses", PERF_TYPE_HW_CACHE, READ_MISS(PERF_COUNT_HW_CACHE_L1I) },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
};

#define NR	(sizeof(events) / sizeof(events[0]))

/* Which of them the processor has. */
static unsigned int taken[NR], nr_taken;

/* One more event of the group, or its leader; returns the leader. */
static int join(unsigned int i, int leader)
{
	struct perf_event_attr attr = {
		.type = events[i].type,
		.size = sizeof(attr),
		.config = events[i].config,
		.disabled = leader == -1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_GROUP,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, 0);

	if (fd < 0) {
		perror(events[i].name);
		return leader;
	}
	taken[nr_taken++] = i;
	return leader == -1 ? fd : leader;
}

static void measured(void)
{
	volatile unsigned int sum = 0;
	unsigned int i;

	for (i = 0; i < 100000; i++)
		sum += i;
}

static int measure(int leader, uint64_t *instructions)
{
	uint64_t buf[1 + NR];
	unsigned int i;

	if (ioctl(leader, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP) ||
	    ioctl(leader, PERF_EVENT_IOC_ENABLE, 0))
		return -1;
	measured();
	if (ioctl(leader, PERF_EVENT_IOC_DISABLE, 0) ||
	    read(leader, buf, sizeof(buf)) != (ssize_t)((1 + nr_taken) * sizeof(buf[0])) || buf[0] != nr_taken)
		return -1;
	for (i = 0; i < nr_taken; i++) {
		printf("%s: %" PRIu64 "\n", events[taken[i]].name, buf[1 + i]);
		if (events[taken[i]].config == PERF_COUNT_HW_INSTRUCTIONS &&
		    events[taken[i]].type == PERF_TYPE_HARDWARE)
			*instructions = buf[1 + i];
	}
	return 0;
}

/* The same work has the same number of instructions each time, but for what signals and faults add. */
int main(void)
{
	uint64_t first = 0, now = 0;
	unsigned int i;
	int fd = -1;

	for (i = 0; i < NR; i++)
		fd = join(i, fd);
	if (fd < 0 || measure(fd, &first))
		return 2;
	for (i = 1; i < TIMES; i++)
		if (measure(fd, &now) || now > first + first / 10 || now < first - first / 10)
			return 1;
	return !first;
}
