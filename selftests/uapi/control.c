// SPDX-License-Identifier: GPL-2.0-only
/* Enable, disable, reset, enable on exec: perf's ioctls with perf's meaning. */
#include "pmcgrp_test.h"
#include "kselftest_harness.h"

FIXTURE(control)
{
	int dev;
	struct perf_event_attr attr[2];
	volatile char *mem;
	long page;
};

FIXTURE_SETUP(control)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->attr[0] = sw(PERF_COUNT_SW_PAGE_FAULTS);
	self->attr[1] = sw(PERF_COUNT_SW_TASK_CLOCK);
	self->page = sysconf(_SC_PAGESIZE);
	self->mem = fresh_pages(64);
	ASSERT_NE(NULL, self->mem);
}

FIXTURE_TEARDOWN(control)
{
	close(self->dev);
}

TEST_F(control, enable_disable_reset)
{
	static const unsigned long args[] = { 0, PERF_IOC_FLAG_GROUP };
	struct group_values v, w;
	char *next = (char *)self->mem;
	unsigned int i;
	int fd;

	for (i = 0; i < 2; i++) {
		fd = group_of(self->dev, 2, self->attr, PMCGRP_CREATE_DISABLED);
		ASSERT_GE(fd, 0);
		*next = 1;
		next += self->page;
		ASSERT_TRUE(group_values(fd, 2, &v));
		EXPECT_EQ(0, v.m[0].value);
		EXPECT_EQ(0, v.m[1].value);
		EXPECT_EQ(0, v.enabled);
		EXPECT_EQ(0, v.running);

		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, args[i]));
		*next = 1;
		next += self->page;
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, args[i]));
		*next = 1;
		next += self->page;
		ASSERT_TRUE(group_values(fd, 2, &v));
		EXPECT_EQ(1, v.m[0].value);
		EXPECT_GT(v.enabled, 0);
		EXPECT_EQ(v.enabled, v.running);
		ASSERT_TRUE(group_values(fd, 2, &w));
		EXPECT_TRUE(group_same(&v, &w, 2));

		/* counts are reset and times are kept, as by perf */
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_RESET, args[i]));
		ASSERT_TRUE(group_values(fd, 2, &w));
		EXPECT_EQ(0, w.m[0].value);
		EXPECT_EQ(0, w.m[1].value);
		EXPECT_EQ(v.enabled, w.enabled);
		EXPECT_EQ(v.running, w.running);

		/* used again without a close, and reset while it counts */
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, args[i]));
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, args[i]));
		*next = 1;
		next += self->page;
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_RESET, args[i]));
		*next = 1;
		next += self->page;
		next[0] = 1;
		next += self->page;
		ASSERT_TRUE(group_values(fd, 2, &w));
		EXPECT_EQ(2, w.m[0].value);
		EXPECT_GT(w.enabled, v.enabled);
		close(fd);
	}
}

/* execve() of the target enables the group; nothing before it is counted. */
TEST_F(control, enable_on_exec)
{
	static const uint64_t flags[] = {
		PMCGRP_CREATE_DISABLED | PMCGRP_CREATE_ENABLE_ON_EXEC,
		PMCGRP_CREATE_DISABLED,
	};
	struct group_values v;
	unsigned int i;
	int go, fd;
	pid_t pid;

	for (i = 0; i < 2; i++) {
		pid = exec_child(&go);
		ASSERT_GT(pid, 0);
		fd = group_of_task(self->dev, pid, 2, self->attr, flags[i]);
		ASSERT_GE(fd, 0);
		ASSERT_TRUE(group_values(fd, 2, &v));
		EXPECT_EQ(0, v.enabled);
		ASSERT_TRUE(exec_go(pid, go));
		ASSERT_TRUE(group_values(fd, 2, &v));
		if (flags[i] & PMCGRP_CREATE_ENABLE_ON_EXEC) {
			EXPECT_GT(v.m[0].value, 0);
			EXPECT_GT(v.running, 0);
		} else {
			EXPECT_EQ(0, v.m[0].value);
			EXPECT_EQ(0, v.enabled);
		}
		EXPECT_EQ(v.enabled, v.running);
		close(fd);
	}
}

/* The last values stay readable after the target's exit. */
TEST_F(control, values_outlive_the_target)
{
	struct group_values v, w;
	int go[2], fd;
	pid_t pid;
	char c = 0;
	int i;

	ASSERT_EQ(0, pipe(go));
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		if (read(go[0], &c, 1) != 1)
			_exit(9);
		for (i = 0; i < 20; i++)
			self->mem[i * self->page] = 1;
		_exit(0);
	}
	fd = group_of_task(self->dev, pid, 2, self->attr, 0);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(1, write(go[1], &c, 1));
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	ASSERT_TRUE(group_values(fd, 2, &v));
	EXPECT_GE(v.m[0].value, 20);
	EXPECT_EQ(v.enabled, v.running);
	/* control of a group without a target does no harm */
	EXPECT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_TRUE(group_values(fd, 2, &w));
	EXPECT_TRUE(group_same(&v, &w, 2));
	EXPECT_EQ(0, ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	ASSERT_TRUE(group_values(fd, 2, &w));
	EXPECT_EQ(0, w.m[0].value);
	close(fd);
}

/* A fork shares the descriptor; the group lives until the last one closes it. */
TEST_F(control, fork_holding_the_descriptor)
{
	struct group_values v, w;
	int fd, status;
	pid_t pid;

	fd = group_of(self->dev, 2, self->attr, 0);
	ASSERT_GE(fd, 0);
	self->mem[0] = 1;
	ASSERT_TRUE(group_values(fd, 2, &v));
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		/* not inherited: what the child does is not counted */
		self->mem[self->page] = 1;
		if (!group_values(fd, 2, &w) || w.m[0].value < v.m[0].value)
			_exit(1);
		close(fd);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	ASSERT_TRUE(group_values(fd, 2, &w));
	EXPECT_GT(w.running, v.running);
	EXPECT_EQ(0, close(fd));
	EXPECT_EQ(-1, close(fd));
	EXPECT_EQ(EBADF, errno);
}

/* The other way round: closed here, the group still counts for the child. */
TEST_F(control, closed_by_the_maker_kept_by_a_child)
{
	struct group_values v, w;
	int fd, go[2], ready[2], status;
	char c = 0;
	pid_t pid;

	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pipe(ready));
	fd = group_of(self->dev, 2, self->attr, 0);
	ASSERT_GE(fd, 0);
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		if (!group_values(fd, 2, &v) || write(ready[1], &c, 1) != 1 ||
		    read(go[0], &c, 1) != 1)
			_exit(1);
		if (!group_values(fd, 2, &w) || w.running <= v.running)
			_exit(2);
		_exit(0);
	}
	close(fd);
	ASSERT_EQ(1, read(ready[0], &c, 1));
	spin_ns(NSEC_PER_MSEC);
	ASSERT_EQ(1, write(go[1], &c, 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_HARNESS_MAIN
