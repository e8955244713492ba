// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client of shim-test: a group of cycles and page faults, each found by its id in what one read() of the
 * leader gives.  Its calls are those of a well-known example; no line of its text is.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BYTES	(4UL << 20)

static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
} events[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
};

#define NR	(sizeof(events) / sizeof(events[0]))

/* What read() gives with PERF_FORMAT_GROUP and PERF_FORMAT_ID. */
struct group_values {
	uint64_t nr;
	struct {
		uint64_t value;
		uint64_t id;
	} of[NR];
};

static int open_one(unsigned int i, int leader)
{
	struct perf_event_attr attr = {
		.type = events[i].type,
		.size = sizeof(attr),
		.config = events[i].config,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, 0);
}

static void work(void)
{
	unsigned char *mem = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t i;

	/* A huge page has one fault for all of it. */
	if (mem == MAP_FAILED || (madvise(mem, BYTES, MADV_NOHUGEPAGE) && errno != EINVAL))
		exit(2);
	for (i = 0; i < BYTES; i += 512)
		mem[i] = (unsigned char)i;
	munmap(mem, BYTES);
}

static uint64_t value_of(const struct group_values *all, uint64_t id)
{
	uint64_t i;

	for (i = 0; i < all->nr && i < NR; i++)
		if (all->of[i].id == id)
			return all->of[i].value;
	return 0;
}

int main(void)
{
	struct group_values all;
	uint64_t id[NR], value;
	int fd[NR], bad = 0;
	unsigned int i;

	for (i = 0; i < NR; i++) {
		fd[i] = open_one(i, i ? fd[0] : -1);
		if (fd[i] < 0 || ioctl(fd[i], PERF_EVENT_IOC_ID, &id[i])) {
			perror(events[i].name);
			return 2;
		}
	}
	ioctl(fd[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
	ioctl(fd[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	work();
	ioctl(fd[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	memset(&all, 0, sizeof(all));
	if (read(fd[0], &all, sizeof(all)) != sizeof(all) || all.nr != NR) {
		fprintf(stderr, "read() gives something else\n");
		return 2;
	}
	for (i = 0; i < NR; i++) {
		value = value_of(&all, id[i]);
		printf("%s: %" PRIu64 "\n", events[i].name, value);
		bad |= !value;
	}
	/* Each page of the memory is touched first here. */
	return bad || value_of(&all, id[1]) < BYTES / (unsigned long)sysconf(_SC_PAGESIZE);
}
