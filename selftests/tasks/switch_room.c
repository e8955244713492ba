// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a context switch visits one by one has a limit: lists that never rest, of the same tasks
 * (64); and contexts of a task, as tasks that it has created are counted by some lists and not by
 * others (64). More are refused with a reason, a fork() never is. Groups that count the same of the
 * same tasks are one list, and have no limit.
 */
#include "pmcgrp_keys.h"
#include "pmcgrp_test.h"
#include <signal.h>
#include <sys/wait.h>
#include "kselftest_harness.h"

#define FEW	4	/* cgroups, one below the other */

#define MANY	200

FIXTURE(switch_room)
{
	int dev;
	int fd[PMCGRP_SWITCH_MAX + MANY];
	int nr;
};

FIXTURE_SETUP(switch_room)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->nr = 0;
}

FIXTURE_TEARDOWN(switch_room)
{
	while (self->nr)
		close(self->fd[--self->nr]);
	close(self->dev);
}

/* The k-th software event, of 80. */
static struct perf_event_attr software(unsigned int k)
{
	static const uint64_t config[] = {
		PERF_COUNT_SW_PAGE_FAULTS,
		PERF_COUNT_SW_PAGE_FAULTS_MIN,
		PERF_COUNT_SW_PAGE_FAULTS_MAJ,
		PERF_COUNT_SW_ALIGNMENT_FAULTS,
		PERF_COUNT_SW_EMULATION_FAULTS,
	};
	struct perf_event_attr attr = sw(config[k % COUNT(config)]);

	k /= COUNT(config);
	attr.exclude_kernel = k & 1;
	attr.exclude_hv = k >> 1 & 1;
	attr.exclude_idle = k >> 2 & 1;
	attr.exclude_guest = k >> 3 & 1;
	return attr;
}

static struct ask of_task(uint32_t type, pid_t pid, uint64_t flags)
{
	return (struct ask){ .target_type = type, .target_id = pid, .nr = 1, .flags = flags };
}

/* One group more, of the k-th event; or -errno. */
static int more(struct _test_data_switch_room *self, const struct ask *like, unsigned int k,
		struct ask *ask)
{
	struct perf_event_attr attr = software(k);
	int fd;

	*ask = *like;
	ask->attr = &attr;
	fd = ask_group(self->dev, ask);
	if (fd >= 0)
		self->fd[self->nr++] = fd;
	return fd;
}

/* Groups of so many events; or the first error. */
static int fill(struct _test_data_switch_room *self, const struct ask *like, unsigned int nr,
		struct ask *ask)
{
	unsigned int k;
	int fd = 0;

	for (k = 0; k < nr && fd >= 0; k++)
		fd = more(self, like, k, ask);
	return fd < 0 ? fd : 0;
}

TEST_F(switch_room, of_a_process)
{
	struct ask like, ask, other;
	pid_t pid = waiter(), second = waiter();
	int i;

	ASSERT_GT(pid, 0);
	ASSERT_GT(second, 0);
	like = of_task(PMCGRP_TARGET_PROCESS, pid, 0);
	ASSERT_EQ(0, fill(self, &like, PMCGRP_SWITCH_MAX, &ask));
	EXPECT_EQ(-ENOSPC, more(self, &like, PMCGRP_SWITCH_MAX, &ask));
	EXPECT_EQ(PMCGRP_WHY_SWITCH_MAX, ask.create.why);
	/* the same once more is no list of its own */
	for (i = 0; i < MANY; i++)
		ASSERT_GE(more(self, &like, 0, &ask), 0);
	while (self->nr > PMCGRP_SWITCH_MAX)
		close(self->fd[--self->nr]);
	/* another process has room of its own, and so have groups of one task */
	other = of_task(PMCGRP_TARGET_PROCESS, second, 0);
	EXPECT_GE(more(self, &other, PMCGRP_SWITCH_MAX, &ask), 0);
	other = of_task(PMCGRP_TARGET_TASK, pid, 0);
	EXPECT_GE(more(self, &other, PMCGRP_SWITCH_MAX, &ask), 0);
	while (self->nr > PMCGRP_SWITCH_MAX)
		close(self->fd[--self->nr]);
	/* what was refused has taken nothing, and a group that is closed leaves room for one */
	close(self->fd[--self->nr]);
	EXPECT_GE(more(self, &like, PMCGRP_SWITCH_MAX, &ask), 0);
	EXPECT_EQ(-ENOSPC, more(self, &like, PMCGRP_SWITCH_MAX + 1, &ask));
	EXPECT_TRUE(end_child(pid));
	EXPECT_TRUE(end_child(second));
}

/* Each list counts one child less than the one before. */
TEST_F(switch_room, inherited)
{
	pid_t child[PMCGRP_SWITCH_MAX], pid;
	struct group_values v, w;
	struct ask like, ask;
	int status, k;

	like = of_task(PMCGRP_TARGET_TASK, 0, PMCGRP_CREATE_INHERIT);
	for (k = 0; k < PMCGRP_SWITCH_MAX; k++) {
		ASSERT_GE(more(self, &like, 0, &ask), 0);
		child[k] = waiter();
		ASSERT_GT(child[k], 0);
	}
	EXPECT_EQ(-ENOSPC, more(self, &like, 0, &ask));
	EXPECT_EQ(PMCGRP_WHY_SWITCH_MAX, ask.create.why);
	ASSERT_TRUE(group_values(self->fd[PMCGRP_SWITCH_MAX - 1], 1, &v));
	for (k = 0; k < 20; k++) {
		pid = fork();
		ASSERT_GE(pid, 0);
		if (!pid) {
			volatile char *page = fresh_pages(10);
			int i;

			for (i = 0; i < 10; i++)
				page[(size_t)i * sysconf(_SC_PAGESIZE)] = 1;
			_exit(0);
		}
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_EQ(0, status);
	}
	ASSERT_TRUE(group_values(self->fd[PMCGRP_SWITCH_MAX - 1], 1, &w));
	EXPECT_LE(200, w.m[0].value - v.m[0].value);
	for (k = 0; k < PMCGRP_SWITCH_MAX; k++)
		EXPECT_TRUE(end_child(child[k]));
}

/* Of a cgroup; or -errno. */
static int of_cgroup(struct _test_data_switch_room *self, const char *name, unsigned int k,
		     struct ask *ask)
{
	struct perf_event_attr attr = software(k);
	int fd;

	*ask = (struct ask){ .nr = 1, .attr = &attr };
	fd = group_of_cgroup(self->dev, name, ask);
	if (fd >= 0)
		self->fd[self->nr++] = fd;
	return fd;
}

TEST_F(switch_room, of_cgroups)
{
	static const char *const name[FEW] = { "r", "r/s", "r/s/t", "r/s/t/u" };
	struct ask ask;
	char side[16];
	pid_t pid;
	int i;

	if (!cgroups_mount())
		SKIP(return, "there are no cgroups of version 2");
	for (i = 0; i < FEW; i++)
		ASSERT_NE(0, cgroup_make(name[i]));
	for (i = 0; i < PMCGRP_SWITCH_MAX; i++)
		ASSERT_GE(of_cgroup(self, name[0], i, &ask), 0);
	EXPECT_EQ(-ENOSPC, of_cgroup(self, name[0], PMCGRP_SWITCH_MAX, &ask));
	EXPECT_EQ(PMCGRP_WHY_SWITCH_MAX, ask.create.why);
	/* of an event that is counted there already it is the same list */
	EXPECT_GE(of_cgroup(self, name[0], 0, &ask), 0);
	/* those below have room of their own, and so have their neighbours */
	for (i = 1; i < FEW; i++)
		EXPECT_GE(of_cgroup(self, name[i], 0, &ask), 0);
	for (i = 0; i < MANY - FEW; i++) {
		snprintf(side, sizeof(side), "side%d", i);
		ASSERT_NE(0, cgroup_make(side));
		EXPECT_GE(of_cgroup(self, side, 0, &ask), 0);
	}
	pid = waiter();
	ASSERT_GT(pid, 0);
	EXPECT_TRUE(cgroup_move(name[FEW - 1], pid));
	EXPECT_TRUE(end_child(pid));
	while (self->nr)
		close(self->fd[--self->nr]);
	for (i = 0; i < MANY - FEW; i++) {
		snprintf(side, sizeof(side), "side%d", i);
		cgroup_remove(side);
	}
	for (i = FEW; i--;)
		cgroup_remove(name[i]);
}

TEST_HARNESS_MAIN
