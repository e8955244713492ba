// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whom the memory of rings is charged to: the user, up to rings_user_kb for each CPU, then the
 * process, up to RLIMIT_MEMLOCK; as perf's buffers are, and with them.  Given back exactly once.
 */
#include "pmcgrp_become.h"
#include "pmcgrp_ring.h"
#include <sys/resource.h>
#include "kselftest_harness.h"

#define RECORDS		16		/* pages of records of a ring */
#define PAGES		(1 + RECORDS)	/* and all of them */
#define RINGS_MAX	128

FIXTURE(ring_memory)
{
	int dev;
	struct perf_event_attr attr;
	long page;
	long free;	/* pages that a user has without RLIMIT_MEMLOCK */
};

FIXTURE_SETUP(ring_memory)
{
	long kb = file_number("/sys/module/pmcgrp/parameters/rings_user_kb", "");

	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->attr = sw(PERF_COUNT_SW_PAGE_FAULTS);
	self->page = sysconf(_SC_PAGESIZE);
	ASSERT_EQ(512 + self->page / 1024, kb);
	self->free = kb * 1024 / self->page * sysconf(_SC_NPROCESSORS_ONLN);
	ASSERT_LT(self->free / PAGES + 3, RINGS_MAX);
}

FIXTURE_TEARDOWN(ring_memory)
{
	close(self->dev);
}

static bool may_lock(const struct _test_data_ring_memory *self, unsigned long pages)
{
	struct rlimit limit = { .rlim_cur = pages * self->page, .rlim_max = RLIM_INFINITY };

	return !setrlimit(RLIMIT_MEMLOCK, &limit);
}

/* Pages that are charged to the process. */
static long pinned(const struct _test_data_ring_memory *self)
{
	return file_number("/proc/self/status", "VmPin:") * 1024 / self->page;
}

struct held {
	unsigned int nr;
	int err;	/* of the first one that could not be mapped */
	int fd[RINGS_MAX];
	struct ring ring[RINGS_MAX];
};

static int hold_one(const struct _test_data_ring_memory *self, struct held *held)
{
	struct pmcgrp_ring_setup setup;
	int err, fd;

	if (held->nr == RINGS_MAX)
		return -ENOBUFS;
	fd = group_of(self->dev, 1, &self->attr, PMCGRP_CREATE_DISABLED);
	if (fd < 0)
		return fd;
	err = setup_ring(fd, 0, SAMPLE_TYPE, 0, &setup);
	if (!err)
		err = ring_map(fd, RECORDS, &held->ring[held->nr]);
	if (err)
		close(fd);
	else
		held->fd[held->nr++] = fd;
	return err;
}

/* Map rings until that is refused. */
static void hold_all(const struct _test_data_ring_memory *self, struct held *held)
{
	*held = (struct held){};
	do
		held->err = hold_one(self, held);
	while (!held->err);
}

static void drop_one(struct held *held)
{
	held->nr--;
	ring_unmap(&held->ring[held->nr]);
	close(held->fd[held->nr]);
}

static void drop_all(struct held *held)
{
	while (held->nr)
		drop_one(held);
}

/* Up to the user's allowance and the process's limit, to the page; and so again. */
TEST_F(ring_memory, as_much_as_there_may_be)
{
	static const unsigned long limits[] = { 0, PAGES, 3 * PAGES - 1 };
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	long nr, beyond, pages;
	struct held held;
	unsigned int i;

	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &all));
	ASSERT_TRUE(become(CAP_PERFMON));
	for (i = 0; i < 2 * COUNT(limits); i++) {
		ASSERT_TRUE(may_lock(self, limits[i / 2]));
		pages = self->free + limits[i / 2];
		nr = pages / PAGES;
		beyond = nr * PAGES > self->free ? nr * PAGES - self->free : 0;
		hold_all(self, &held);
		EXPECT_EQ(-EPERM, held.err);
		EXPECT_EQ(nr, held.nr);
		EXPECT_EQ(beyond, pinned(self));
		ASSERT_GT(held.nr, 0);
		drop_one(&held);
		EXPECT_EQ(0, hold_one(self, &held));
		EXPECT_EQ(-EPERM, hold_one(self, &held));
		drop_all(&held);
		EXPECT_EQ(0, pinned(self));
	}
}

/* perf's buffers are in the same sum. */
TEST_F(ring_memory, together_with_perf)
{
	struct perf_event_attr dummy = sw(PERF_COUNT_SW_DUMMY);
	struct held held;
	struct ring perf;
	int fd;

	/* before it is somebody else's: Debian's perf_event_paranoid may be 3 */
	fd = perf_open(&dummy, 0, -1, -1);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(may_lock(self, 0));
	ASSERT_TRUE(become(CAP_PERFMON));
	ASSERT_EQ(0, ring_map(fd, RECORDS, &perf));
	hold_all(self, &held);
	EXPECT_EQ(self->free / PAGES - 1, held.nr);
	ring_unmap(&perf);
	EXPECT_EQ(0, hold_one(self, &held));
	/* and perf's find none of what ours have */
	EXPECT_EQ(-EPERM, ring_map(fd, RECORDS, &perf));
	drop_all(&held);
	EXPECT_EQ(0, ring_map(fd, RECORDS, &perf));
	ring_unmap(&perf);
	close(fd);
}

/* One of several mappings costs, and the last one of them gives back. */
TEST_F(ring_memory, further_mappings)
{
	struct ring again;
	struct held held;
	int status;
	pid_t pid;

	ASSERT_TRUE(may_lock(self, PAGES));
	ASSERT_TRUE(become(CAP_PERFMON));
	hold_all(self, &held);
	EXPECT_EQ((self->free + PAGES) / PAGES, held.nr);
	EXPECT_EQ(held.nr * PAGES - self->free, pinned(self));
	/* the last one, which the process has pinned */
	EXPECT_EQ(0, ring_map(held.fd[held.nr - 1], RECORDS, &again));
	ring_unmap(&held.ring[held.nr - 1]);
	EXPECT_EQ(held.nr * PAGES - self->free, pinned(self));
	held.ring[held.nr - 1] = again;
	/* one in a child, which does not inherit the others */
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		if (pinned(self) || ring_map(held.fd[held.nr - 1], RECORDS, &again) ||
		    pinned(self))
			_exit(1);
		_exit(kill(getpid(), SIGSTOP));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, WUNTRACED));
	ASSERT_TRUE(WIFSTOPPED(status));
	ring_unmap(&held.ring[held.nr - 1]);
	EXPECT_EQ(held.nr * PAGES - self->free, pinned(self));
	ASSERT_TRUE(end_child(pid));
	EXPECT_EQ(0, pinned(self));
	close(held.fd[--held.nr]);
	EXPECT_EQ(0, hold_one(self, &held));
	drop_all(&held);
	EXPECT_EQ(0, pinned(self));
}

/* A child takes all there is, and is killed or exits: then all is there again. */
TEST_F(ring_memory, exit_gives_back)
{
	struct held *held = shared_memory(sizeof(*held));
	int status, round;
	pid_t pid;

	ASSERT_NE(NULL, held);
	ASSERT_TRUE(may_lock(self, PAGES));
	ASSERT_TRUE(become(CAP_PERFMON));
	for (round = 0; round < 4; round++) {
		pid = fork();
		ASSERT_GE(pid, 0);
		if (!pid) {
			hold_all(self, held);
			if (round % 2)
				kill(getpid(), SIGKILL);
			_exit(0);
		}
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(round % 2, WIFSIGNALED(status));
		EXPECT_EQ((self->free + PAGES) / PAGES, held->nr);
		EXPECT_EQ(-EPERM, held->err);
	}
}

/* Who has CAP_IPC_LOCK is not limited, but charged all the same. */
TEST_F(ring_memory, cap_ipc_lock)
{
	struct held held = {};
	long beyond;

	ASSERT_TRUE(may_lock(self, 0));
	while (held.nr * PAGES <= self->free + PAGES)
		ASSERT_EQ(0, hold_one(self, &held));
	/* root may have perf buffers elsewhere */
	beyond = held.nr * PAGES - self->free;
	EXPECT_GE(pinned(self), beyond);
	drop_all(&held);
	EXPECT_EQ(0, pinned(self));
}

TEST_HARNESS_MAIN
