// SPDX-License-Identifier: GPL-2.0-only
/*
 * At most 64 groups of processes, inherited tasks and cgroups at one context switch: more are
 * refused with a reason, a fork() never is.
 */
#include "pmcgrp_keys.h"
#include "pmcgrp_test.h"
#include <signal.h>
#include <sys/wait.h>
#include "kselftest_harness.h"

#define FEW	4	/* cgroups, one below the other */

FIXTURE(switch_room)
{
	int dev;
	struct perf_event_attr attr;
	int fd[PMCGRP_SWITCH_MAX + 1];
	int nr;
};

FIXTURE_SETUP(switch_room)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->attr = sw(PERF_COUNT_SW_PAGE_FAULTS);
	self->nr = 0;
}

FIXTURE_TEARDOWN(switch_room)
{
	while (self->nr)
		close(self->fd[--self->nr]);
	close(self->dev);
}

static struct ask of_task(struct _test_data_switch_room *self, uint32_t type, pid_t pid,
			  uint64_t flags)
{
	return (struct ask){ .target_type = type, .target_id = pid, .nr = 1, .attr = &self->attr,
			     .flags = flags };
}

/* Makes groups until there are so many, or one is refused: then its errno. */
static int fill(struct _test_data_switch_room *self, const struct ask *like, int nr,
		struct ask *ask)
{
	int fd;

	while (self->nr < nr) {
		*ask = *like;
		fd = ask_group(self->dev, ask);
		if (fd < 0)
			return fd;
		self->fd[self->nr++] = fd;
	}
	return 0;
}

/* A group of a cgroup; or -errno. */
static int of_cgroup(struct _test_data_switch_room *self, const char *name, struct ask *ask)
{
	*ask = of_task(self, PMCGRP_TARGET_CGROUP, 0, 0);
	return group_of_cgroup(self->dev, name, ask);
}

TEST_F(switch_room, of_a_process)
{
	struct ask like, ask, other;
	pid_t pid = waiter(), second = waiter();
	int fd;

	ASSERT_GT(pid, 0);
	ASSERT_GT(second, 0);
	like = of_task(self, PMCGRP_TARGET_PROCESS, pid, 0);
	EXPECT_EQ(-ENOSPC, fill(self, &like, PMCGRP_SWITCH_MAX + 1, &ask));
	EXPECT_EQ(PMCGRP_SWITCH_MAX, self->nr);
	EXPECT_EQ(PMCGRP_WHY_SWITCH_MAX, ask.create.why);
	/* another process has room of its own */
	other = of_task(self, PMCGRP_TARGET_PROCESS, second, 0);
	fd = ask_group(self->dev, &other);
	EXPECT_GE(fd, 0);
	close(fd);
	/* groups of one task and of CPUs cost a switch nothing of that kind */
	other = of_task(self, PMCGRP_TARGET_TASK, pid, 0);
	fd = ask_group(self->dev, &other);
	EXPECT_GE(fd, 0);
	close(fd);
	/* what was refused has taken nothing, and a group that is closed leaves room for one */
	close(self->fd[--self->nr]);
	EXPECT_EQ(0, fill(self, &like, PMCGRP_SWITCH_MAX, &ask));
	EXPECT_EQ(-ENOSPC, fill(self, &like, PMCGRP_SWITCH_MAX + 1, &ask));
	EXPECT_TRUE(end_child(pid));
	EXPECT_TRUE(end_child(second));
}

/* Of a process and of tasks that inherit, together; a child has no more, and is counted. */
TEST_F(switch_room, inherited)
{
	struct group_values v, w;
	struct ask like, ask;
	pid_t pid = waiter(), child;
	int status, k;

	ASSERT_GT(pid, 0);
	like = of_task(self, PMCGRP_TARGET_PROCESS, pid, 0);
	ASSERT_EQ(0, fill(self, &like, PMCGRP_SWITCH_MAX / 2, &ask));
	like = of_task(self, PMCGRP_TARGET_TASK, pid, PMCGRP_CREATE_INHERIT);
	EXPECT_EQ(-ENOSPC, fill(self, &like, PMCGRP_SWITCH_MAX + 1, &ask));
	EXPECT_EQ(PMCGRP_SWITCH_MAX, self->nr);
	EXPECT_EQ(PMCGRP_WHY_SWITCH_MAX, ask.create.why);
	EXPECT_TRUE(end_child(pid));
	while (self->nr)
		close(self->fd[--self->nr]);

	like = of_task(self, PMCGRP_TARGET_TASK, 0, PMCGRP_CREATE_INHERIT);
	ASSERT_EQ(0, fill(self, &like, PMCGRP_SWITCH_MAX, &ask));
	ASSERT_TRUE(group_values(self->fd[PMCGRP_SWITCH_MAX - 1], 1, &v));
	for (k = 0; k < 20; k++) {
		child = fork();
		ASSERT_GE(child, 0);
		if (!child) {
			volatile char *page = fresh_pages(10);
			int i;

			for (i = 0; i < 10; i++)
				page[(size_t)i * sysconf(_SC_PAGESIZE)] = 1;
			_exit(0);
		}
		ASSERT_EQ(child, waitpid(child, &status, 0));
		ASSERT_EQ(0, status);
	}
	ASSERT_TRUE(group_values(self->fd[PMCGRP_SWITCH_MAX - 1], 1, &w));
	EXPECT_LE(200, w.m[0].value - v.m[0].value);
}

TEST_F(switch_room, of_cgroups)
{
	static const char *const name[FEW] = { "r", "r/s", "r/s/t", "r/s/t/u" };
	char side[16];
	struct ask like, ask;
	pid_t pid;
	int i, fd[PMCGRP_SWITCH_MAX + 16], more = 0;

	if (!cgroups_mount())
		SKIP(return, "there are no cgroups of version 2");
	for (i = 0; i < FEW; i++)
		ASSERT_NE(0, cgroup_make(name[i]));
	/* a switch schedules in the groups of a cgroup and of all its ancestors */
	for (i = 0; i < PMCGRP_SWITCH_MAX; i++) {
		self->fd[self->nr] = of_cgroup(self, name[i % FEW], &ask);
		ASSERT_GE(self->fd[self->nr], 0);
		self->nr++;
	}
	for (i = 0; i < FEW; i++) {
		EXPECT_EQ(-ENOSPC, of_cgroup(self, name[i], &ask));
		EXPECT_EQ(PMCGRP_WHY_SWITCH_MAX, ask.create.why);
	}
	/* a task could be moved there */
	like = of_task(self, PMCGRP_TARGET_PROCESS, 0, 0);
	EXPECT_EQ(-ENOSPC, fill(self, &like, PMCGRP_SWITCH_MAX + 1, &ask));
	EXPECT_EQ(PMCGRP_WHY_SWITCH_MAX, ask.create.why);
	while (self->nr > FEW)
		close(self->fd[--self->nr]);
	pid = waiter();
	ASSERT_GT(pid, 0);
	like = of_task(self, PMCGRP_TARGET_PROCESS, pid, 0);
	EXPECT_EQ(-ENOSPC, fill(self, &like, PMCGRP_SWITCH_MAX + 1, &ask));
	EXPECT_EQ(PMCGRP_SWITCH_MAX, self->nr);
	EXPECT_EQ(-ENOSPC, of_cgroup(self, name[0], &ask));
	EXPECT_EQ(PMCGRP_WHY_SWITCH_MAX, ask.create.why);
	EXPECT_TRUE(cgroup_move(name[FEW - 1], pid));
	EXPECT_TRUE(end_child(pid));
	while (self->nr)
		close(self->fd[--self->nr]);
	/* groups of sibling cgroups never meet in one switch */
	for (i = 0; i < PMCGRP_SWITCH_MAX + 16; i++) {
		snprintf(side, sizeof(side), "side%d", i);
		ASSERT_NE(0, cgroup_make(side));
		fd[i] = of_cgroup(self, side, &ask);
		EXPECT_GE(fd[i], 0);
		more += fd[i] >= 0;
	}
	EXPECT_EQ(PMCGRP_SWITCH_MAX + 16, more);
	for (i = 0; i < PMCGRP_SWITCH_MAX + 16; i++) {
		close(fd[i]);
		snprintf(side, sizeof(side), "side%d", i);
		cgroup_remove(side);
	}
	for (i = FEW; i--;)
		cgroup_remove(name[i]);
}

TEST_HARNESS_MAIN
