// SPDX-License-Identifier: GPL-2.0-only
/*
 * pmcgrp_perf_event_open() compared with perf_event_open(2): groups, reads by every read_format,
 * ioctls, descriptors that are copied, handed on and kept, and who counts.
 *
 * needs: timeout=300
 */
#include "pmcgrp_shim.h"
#include <poll.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include "kselftest_harness.h"

#define PAGES	20

static void touch(unsigned int pages)
{
	long size = sysconf(_SC_PAGESIZE);
	volatile char *mem = fresh_pages(pages);
	unsigned int i;

	for (i = 0; mem && i < pages; i++)
		mem[i * size] = 1;
	munmap((void *)mem, pages * size);
}

/* ---- Groups ---- */

#define NR	3

static void open_group(struct side *s, int *fd, uint64_t *ids, uint64_t format)
{
	struct perf_event_attr attr = faults();
	unsigned int i;

	attr.read_format = format;
	for (i = 0; i < NR; i++) {
		if (i)
			attr.disabled = 0;
		if (i == 2)
			attr.config = PERF_COUNT_SW_PAGE_FAULTS_MIN;
		fd[i] = open_own(s, attr, i ? fd[0] : -1);
		note(s, "id", i, ioctl(fd[i], PERF_EVENT_IOC_ID, &ids[i]));
	}
}

static void every_read_format(struct side *s)
{
	uint64_t ids[NR], format;
	unsigned int i;
	int fd[NR];

	for (format = 0; format < 32; format++) {
		open_group(s, fd, ids, format);
		for (i = 0; i < NR; i++)
			note_read(s, fd[i], format, ids, NR);
		control(s, fd[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
		touch(PAGES);
		control(s, fd[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
		for (i = 0; i < NR; i++)
			note_read(s, fd[i], format, ids, NR);
		note(s, "no room", format, read(fd[1], ids, 4) < 0 ? -errno : 0);
		close_them(fd, NR);
	}
}

static void through_members(struct side *s)
{
	static const unsigned long requests[] = { PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE,
						  PERF_EVENT_IOC_RESET };
	uint64_t ids[NR];
	unsigned int i, k, whole;
	int fd[NR];

	open_group(s, fd, ids, FORMAT);
	control(s, fd[0], PERF_EVENT_IOC_ENABLE, 0);
	for (i = 0; i < NR; i++) {
		for (k = 0; k < COUNT(requests); k++) {
			for (whole = 0; whole < 2; whole++) {
				touch(PAGES);
				control(s, fd[i], requests[k], whole);
				note_read(s, fd[0], FORMAT, ids, NR);
			}
		}
		control(s, fd[i], PERF_EVENT_IOC_ENABLE, 1);
	}
	close_them(fd, 1);
	for (i = 1; i < NR; i++) {
		touch(PAGES);
		control(s, fd[i], PERF_EVENT_IOC_DISABLE, 0);
		note_read(s, fd[i], FORMAT, ids, NR);
	}
	close_them(fd + 1, NR - 1);
}

/* What a counting event says to all that can be done with a descriptor. */
static void note_uses(struct side *s, int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT };
	char buf[64];

	note(s, "F_GETFL", 0, fcntl(fd, F_GETFL));
	note(s, "F_GETFD", 0, fcntl(fd, F_GETFD));
	note(s, "write", 0, write(fd, buf, 8) < 0 ? -errno : 0);
	note(s, "poll", 0, poll(&p, 1, 0));
	note(s, "revents", 0, p.revents);
	note(s, "ID, no memory", 0, ioctl(fd, PERF_EVENT_IOC_ID, 8) < 0 ? -errno : 0);
	note(s, "other ioctl", 0, ioctl(fd, _IO('$', 99), 0) < 0 ? -errno : 0);
}

static const uint64_t period = 1000;
static const char filter[] = "a == 1";
static const struct perf_event_attr same_type = { .type = PERF_TYPE_SOFTWARE,
						  .size = sizeof(same_type) };
static const struct perf_event_attr other_type = { .type = PERF_TYPE_HARDWARE,
						   .size = sizeof(other_type) };

/* What a counting event has no use for. */
static const struct {
	const char *what;
	unsigned long request;
	unsigned long arg;
} useless[] = {
	{ "ENABLE, unknown bits", PERF_EVENT_IOC_ENABLE, 0x80 },
	{ "DISABLE, unknown bits", PERF_EVENT_IOC_DISABLE, 0x82 },
	{ "RESET, unknown bits", PERF_EVENT_IOC_RESET, 0x180 },
	{ "REFRESH", PERF_EVENT_IOC_REFRESH, 1 },
	{ "PERIOD", PERF_EVENT_IOC_PERIOD, (uintptr_t)&period },
	{ "PERIOD, no memory", PERF_EVENT_IOC_PERIOD, 8 },
	{ "SET_FILTER", PERF_EVENT_IOC_SET_FILTER, (uintptr_t)filter },
	{ "SET_FILTER, no memory", PERF_EVENT_IOC_SET_FILTER, 8 },
	{ "SET_OUTPUT", PERF_EVENT_IOC_SET_OUTPUT, -1UL },
	{ "SET_OUTPUT, closed", PERF_EVENT_IOC_SET_OUTPUT, 9999 },
	{ "SET_OUTPUT, no event", PERF_EVENT_IOC_SET_OUTPUT, 0 },
	{ "SET_BPF, closed", PERF_EVENT_IOC_SET_BPF, 9999 },
	{ "SET_BPF, no program", PERF_EVENT_IOC_SET_BPF, 0 },
	{ "PAUSE_OUTPUT", PERF_EVENT_IOC_PAUSE_OUTPUT, 1 },
	{ "QUERY_BPF", PERF_EVENT_IOC_QUERY_BPF, 8 },
	{ "MODIFY_ATTRIBUTES", PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (uintptr_t)&same_type },
	{ "MODIFY_ATTRIBUTES, type", PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (uintptr_t)&other_type },
	{ "MODIFY_ATTRIBUTES, no memory", PERF_EVENT_IOC_MODIFY_ATTRIBUTES, 8 },
};

static void note_useless(struct side *s, int fd, bool leads)
{
	unsigned int i, pages;
	void *page;

	for (i = 0; i < COUNT(useless); i++)
		note(s, useless[i].what, leads,
		     ioctl(fd, useless[i].request, useless[i].arg) < 0 ? -errno : 0);
	note(s, "lseek", leads, lseek(fd, 0, SEEK_SET) < 0 ? -errno : 0);
	for (pages = 1; pages < 5; pages++) {
		page = mmap(NULL, pages * sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
		note(s, "mmap", leads, page == MAP_FAILED ? -errno : 0);
		if (page == MAP_FAILED)
			continue;
		note(s, "SET_OUTPUT, mapped", pages,
		     ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, -1UL) < 0 ? -errno : 0);
		note(s, "PAUSE_OUTPUT, mapped", pages,
		     ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0) < 0 ? -errno : 0);
		munmap(page, pages * sysconf(_SC_PAGESIZE));
	}
}

static void uses(struct side *s)
{
	int fd[2] = { open_own(s, faults(), -1), -1 };

	fd[1] = open_own(s, faults(), fd[0]);
	note_uses(s, fd[0]);
	note_uses(s, fd[1]);
	note_useless(s, fd[0], true);
	note_useless(s, fd[1], false);
	close_them(fd, 2);
}

/* ---- Descriptors that go places ---- */

static void kept(struct side *s)
{
	struct perf_event_attr attr = faults(), member = faults();
	int fd[4], i, status;
	uint64_t value = 0;
	pid_t pid;

	member.disabled = 0;
	fd[0] = open_event(s, &attr, 0, -1, -1, 0);
	fd[1] = dup(fd[0]);
	fd[2] = open_event(s, &member, 0, -1, fd[1], 0);
	close(fd[0]);
	fd[0] = -1;
	fd[3] = open_event(s, &attr, 0, -1, fd[1], PERF_FLAG_FD_CLOEXEC);
	for (i = 1; i < 4; i++)
		note(s, "F_GETFD", i, fcntl(fd[i], F_GETFD));
	pid = fork();
	if (!pid) {
		/* A child adds no event of its own to its parent's group; it can control it. */
		i = open_quietly(s, &attr, 0, -1, fd[1], 0);
		_exit(ioctl(fd[1], PERF_EVENT_IOC_ENABLE, 0) ? 100 : -i);
	}
	waitpid(pid, &status, 0);
	note(s, "the child's", 0, status);
	touch(PAGES);
	control(s, fd[2], PERF_EVENT_IOC_DISABLE, 0);
	note(s, "read", 0, read(fd[2], &value, sizeof(value)));
	note(s, "value", 0, value >= PAGES);
	close_them(fd, 4);
}

/* In another process that has the descriptor by a socket. */
static void handed_on(struct side *s)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} u = { .head = { .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET,
			  .cmsg_type = SCM_RIGHTS } };
	char byte = 0;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &u,
			    .msg_controllen = sizeof(u) };
	struct perf_event_attr attr = faults();
	int pair[2], fd[2], status;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return;
	pid = fork();
	if (!pid) {
		if (recvmsg(pair[1], &m, 0) != 1)
			_exit(1);
		memcpy(fd, CMSG_DATA(&u.head), sizeof(int));
		fd[1] = open_quietly(s, &attr, getppid(), -1, fd[0], 0);
		_exit(fd[1] < 0 ? -fd[1] : 0);
	}
	fd[0] = open_event(s, &attr, 0, -1, -1, 0);
	memcpy(CMSG_DATA(&u.head), &fd[0], sizeof(int));
	note(s, "sendmsg", 0, sendmsg(pair[0], &m, 0));
	waitpid(pid, &status, 0);
	note(s, "the other's", 0, status);
	close_them(pair, 2);
	close_them(fd, 1);
}

/* As many as there may be, and one more. */
static void thousand(struct side *s)
{
	struct rlimit old, limit = { .rlim_cur = 1000, .rlim_max = 1000 };
	struct perf_event_attr attr = faults();
	static int fd[1000];
	unsigned int i;

	getrlimit(RLIMIT_NOFILE, &old);
	limit.rlim_max = old.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	for (i = 0; i < 1000; i++) {
		fd[i] = open_quietly(s, &attr, 0, -1, i % 4 ? fd[i / 4 * 4] : -1, 0);
		if (fd[i] < 0)
			break;
	}
	note(s, "opened", i, fd[i]);
	close_them(fd, i);
	setrlimit(RLIMIT_NOFILE, &old);
}

/* As many as there are counters for, with one event: natively each has its own. */
static void equal(struct side *s)
{
	struct perf_event_attr attr = hw(PERF_COUNT_HW_INSTRUCTIONS);
	uint64_t value[2 + 16] = { 0 };
	unsigned int nr, i;
	bool same = true;
	int fd[16];

	attr.read_format = PERF_FORMAT_GROUP;
	for (nr = 0; nr < COUNT(fd); nr++) {
		attr.disabled = !nr;
		fd[nr] = open_quietly(s, &attr, 0, -1, nr ? fd[0] : -1, 0);
		if (fd[nr] < 0)
			break;
	}
	note(s, "opened", nr, nr < COUNT(fd) ? fd[nr] : 0);
	if (!nr)
		return;
	ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
	loop(1000);
	ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0);
	note(s, "read", 0, read(fd[0], value, sizeof(value)));
	for (i = 0; i < nr; i++)
		same = same && value[1 + i] == value[1];
	note(s, "same", value[0], same);
	close_them(fd, nr);
}

/* ---- What perf takes over ---- */

static void converted(struct side *s)
{
	struct perf_event_attr attr = faults(), sampling = faults();
	int fd[4], i;
	uint64_t value;

	fd[0] = open_own(s, attr, -1);
	attr.disabled = 0;
	fd[1] = open_event(s, &attr, 0, -1, fd[0], 0);
	sampling.disabled = 0;
	sampling.sample_period = 1000000;
	fd[2] = open_own(s, sampling, fd[0]);
	fd[3] = open_own(s, attr, fd[0]);
	for (i = 0; i < 4; i++)
		note(s, "F_GETFD", i, fcntl(fd[i], F_GETFD));
	control(s, fd[0], PERF_EVENT_IOC_ENABLE, 0);
	touch(PAGES);
	control(s, fd[0], PERF_EVENT_IOC_DISABLE, 0);
	for (i = 0; i < 4; i++) {
		value = 0;
		note(s, "read", i, read(fd[i], &value, sizeof(value)));
		note(s, "value", i, value);
	}
	close_them(fd, 4);
}

static void perf_leads(struct side *s)
{
	struct perf_event_attr attr = faults(), leader = faults();
	int fd[2];

	leader.sample_period = 1000000;
	fd[0] = open_own(s, leader, -1);
	fd[1] = open_own(s, attr, fd[0]);
	note_read(s, fd[1], 0, NULL, 0);
	close_them(fd, 2);
}

/* ---- prctl(), threads ---- */

static void *opener(void *arg)
{
	struct side *s = arg;
	struct perf_event_attr attr = faults();
	unsigned int i;
	long bad = 0;
	int fd[4];

	for (i = 0; i < 200; i++) {
		fd[0] = open_quietly(s, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
		fd[1] = open_quietly(s, &attr, 0, -1, fd[0], 0);
		fd[2] = open_quietly(s, &attr, 0, -1, fd[1], 0);
		fd[3] = open_quietly(s, &attr, getpid(), -1, fd[0], 0);
		bad += fd[0] < 0 || fd[1] < 0 || fd[2] != -EINVAL || fd[3] != -EINVAL;
		close_them(fd, 2);
	}
	return (void *)bad;
}

static void threads(struct side *s)
{
	pthread_t thread[4];
	void *bad;
	int i;

	for (i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, opener, s);
	for (i = 0; i < 50; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
	for (i = 0; i < 4; i++) {
		pthread_join(thread[i], &bad);
		note(s, "wrong", i, (long)bad);
	}
}

static const struct shim_case all[] = {
	{ "every read_format", every_read_format, 32 * NR, 0 },
	{ "through members", through_members, NR, 0 },
	{ "uses", uses, 2, 0 },
	{ "kept", kept, 3, 0 },
	{ "handed on", handed_on, 2, 0 },
	{ "thousand", thousand, 990, 0 },
	{ "equal", equal, 0, 0 },
	{ "converted", converted, 2, 3 },
	{ "perf leads", perf_leads, 0, 0 },
	{ "threads", threads, 1600, 0 },
};

/* Only a test of a fixture has its own timeout. */
FIXTURE(perf_shim)
{
	int locked;
};

/* What is called has its pages: page faults are those that the scenarios cause. */
FIXTURE_SETUP(perf_shim)
{
	self->locked = mlockall(MCL_CURRENT);
	ASSERT_EQ(0, self->locked);
}

FIXTURE_TEARDOWN(perf_shim)
{
}

TEST_F_TIMEOUT(perf_shim, same_as_perf, 300)
{
	unsigned int i;

	for (i = 0; i < COUNT(all); i++)
		EXPECT_TRUE(same(&all[i]));
}

TEST_HARNESS_MAIN
