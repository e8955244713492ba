// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * A stand-in for the module, to be preloaded: /dev/pmcgrp whose groups of all CPUs count a machine
 * of three tasks that is made up. A group is a file in memory; at each PMCGRP_IOC_SAMPLE the ring
 * of CPU 0 gets a record of what each task has counted since the last one, always the same.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pmcgrp.h"

#define PAGE 4096
#define PAGES 128	/* as top has them where nothing else is asked for */
#define MS 1000000

/* No machine has numbers as high as those: of these tasks /proc knows nothing. */
static const struct {
	unsigned int pid;
	unsigned int tid;
	unsigned int ms;
} tasks[] = {
	{ 4190001, 4190001, 60 },
	{ 4190001, 4190002, 30 },
	{ 0, 0, 10 },
};

static unsigned int nr_members;
static __u64 counted;	/* ms, up to now */
static __u64 lost;	/* records, to be told of once */

int open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	if (!strcmp(path, "/dev/pmcgrp"))
		path = "/dev/null";
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

/* A file can be read at any time; only the keyboard is waited for. */
int ppoll(struct pollfd *fds, nfds_t nr, const struct timespec *time, const sigset_t *mask)
{
	struct timespec left = *time;

	(void)nr;
	return (int)syscall(SYS_ppoll, fds, 1, &left, mask, 8);
}

static int create(struct pmcgrp_create *create)
{
	struct pmcgrp_member *members = (void *)(uintptr_t)create->members;
	int fd;

	if (create->target_type != PMCGRP_TARGET_ALL_CPUS) {
		create->why = PMCGRP_WHY_TARGET;
		create->fail_member = PMCGRP_NO_MEMBER;
		errno = EINVAL;
		return -1;
	}
	nr_members = create->nr_members;
	for (unsigned int i = 0; i < nr_members; i++)
		members[i].id = i + 1;
	counted = 0;
	lost = 3;
	fd = (int)syscall(SYS_memfd_create, "group", 1U);
	if (fd >= 0 && ftruncate(fd, (off_t)1 << 45) < 0)
		return -1;
	return fd;
}

static void put(char *ring, const void *bytes, size_t size)
{
	struct perf_event_mmap_page *page = (void *)ring;

	memcpy(ring + PAGE + page->data_head % (PAGES * PAGE), bytes, size);
	__atomic_store_n(&page->data_head, page->data_head + size, __ATOMIC_RELEASE);
}

static void put_lost(char *ring)
{
	struct {
		struct perf_event_header header;
		__u64 words[4];
	} r = { .header = { PERF_RECORD_LOST, 0, sizeof(r) }, .words = { 1, lost } };

	put(ring, &r, sizeof(r));
	lost = 0;
}

static void put_task(char *ring, unsigned int i)
{
	struct {
		struct perf_event_header header;
		__u32 pid;
		__u32 tid;
		__u64 time;
		__u64 nr;
		__u64 enabled;
		__u64 running;
		__u64 values[2 * PMCGRP_MEMBERS_MAX];
	} r = { .header = { .type = PERF_RECORD_SAMPLE, .misc = PMCGRP_RECORD_MISC_SWITCH } };
	size_t size = offsetof(__typeof__(r), values) + 2 * nr_members * sizeof(__u64);

	counted += tasks[i].ms;
	r.header.size = (__u16)size;
	r.pid = tasks[i].pid;
	r.tid = tasks[i].tid;
	r.time = r.enabled = r.running = counted * MS;
	r.nr = nr_members;
	for (i = 0; i < nr_members; i++) {
		r.values[2 * i] = counted * MS;
		r.values[2 * i + 1] = i + 1;
	}
	put(ring, &r, size);
}

static int sample(int fd)
{
	char *ring = mmap(NULL, (1 + PAGES) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (ring == MAP_FAILED)
		return -1;
	for (unsigned int i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++)
		put_task(ring, i);
	if (lost)
		put_lost(ring);
	munmap(ring, (1 + PAGES) * PAGE);
	return 1;
}

int ioctl(int fd, unsigned long request, ...)
{
	struct pmcgrp_query *query;
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	switch (request) {
	case PMCGRP_IOC_QUERY:
		query = arg;
		query->abi_version = PMCGRP_ABI_VERSION;
		return 0;
	case PMCGRP_IOC_CREATE:
		return create(arg);
	case PMCGRP_IOC_SAMPLE:
		return sample(fd);
	case PMCGRP_IOC_RING:
	case PERF_EVENT_IOC_ENABLE:
		return 0;
	default:
		return (int)syscall(SYS_ioctl, fd, request, arg);
	}
}
