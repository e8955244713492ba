// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hostile lives: targets that exec, exit and get killed; removal under load; a
 * crowd of groups; another user of the same PMU.  What is asserted is that groups
 * stay right and the machine usable; what the kernel says is the runner's part.
 */
#include "pmcgrp_test.h"
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include "kselftest_harness.h"

#define NR		3
#define STORM		200	/* targets */
#define HAMMER_MS	300

FIXTURE(hostile)
{
	int dev;
	bool hardware;
	struct perf_event_attr attr[NR];
};

FIXTURE_SETUP(hostile)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->attr[0] = sw(PERF_COUNT_SW_TASK_CLOCK);
	self->attr[1] = sw(PERF_COUNT_SW_PAGE_FAULTS);
	self->attr[2] = sw(PERF_COUNT_SW_CONTEXT_SWITCHES);
	self->hardware = have_cycles();
	if (self->hardware) {
		self->attr[1] = raw_copy(ARM_CPU_CYCLES, 0);
		self->attr[2] = raw_copy(ARM_CPU_CYCLES, 1);
	}
}

FIXTURE_TEARDOWN(hostile)
{
	close(self->dev);
}

static bool sane(int fd)
{
	struct group_values v, w;
	int i;

	if (!group_values(fd, NR, &v) || !group_values(fd, NR, &w))
		return false;
	for (i = 0; i < NR; i++)
		if (w.m[i].value < v.m[i].value)
			return false;
	return v.running <= v.enabled && w.running >= v.running;
}

/* Every target ends in its own way while it is being counted and read. */
TEST_F_TIMEOUT(hostile, targets_that_exec_exit_and_get_killed, 300)
{
	static const uint64_t flags[] = {
		PMCGRP_CREATE_DISABLED | PMCGRP_CREATE_ENABLE_ON_EXEC, 0, 0
	};
	unsigned int made = 0, gone = 0;
	int i, fd, k;
	pid_t pid;

	for (i = 0; i < STORM; i++) {
		pid = fork();
		ASSERT_GE(pid, 0);
		if (!pid) {
			if (i % 4 == 0)
				_exit(0);
			if (i % 4 == 1)
				execl("/bin/true", "true", NULL);
			if (i % 4 == 2 && !fork())
				_exit(0);
			for (;;)
				loop(1000);
		}
		fd = group_of_task(self->dev, pid, NR, self->attr, flags[i % 3]);
		if (fd < 0) {
			ASSERT_EQ(-ESRCH, fd);
			gone++;
		} else {
			made++;
			for (k = 0; k < i % 8; k++)
				ASSERT_TRUE(sane(fd));
		}
		kill(pid, SIGKILL);
		if (fd >= 0 && i % 2)
			ASSERT_TRUE(sane(fd));
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
		if (fd >= 0) {
			ASSERT_TRUE(sane(fd));
			close(fd);
		}
	}
	TH_LOG("%u targets counted, %u were gone before", made, gone);
	EXPECT_GT(made, STORM / 4);	/* the others were zombies */
}

/* Groups made and closed on a task from one side while it is dying on the other. */
TEST_F_TIMEOUT(hostile, racing_with_exit, 300)
{
	int i, fd, made;
	pid_t pid;

	for (i = 0; i < STORM; i++) {
		pid = fork();
		ASSERT_GE(pid, 0);
		if (!pid) {
			loop(1000 * (i % 50) + 1);
			_exit(0);
		}
		for (made = 0; made < 10000; made++) {
			fd = group_of_task(self->dev, pid, NR, self->attr, 0);
			if (fd < 0)
				break;
			if (made % 2)
				ASSERT_TRUE(sane(fd));
			close(fd);
		}
		ASSERT_EQ(-ESRCH, fd);	/* in the end it is a zombie */
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	}
}

/* rmmod is refused however often it is asked, and no group minds. */
TEST_F_TIMEOUT(hostile, removal_under_load, 120)
{
	pid_t pid = fork();
	int fd, i;

	ASSERT_GE(pid, 0);
	if (!pid)
		for (;;) {
			fd = group_of(self->dev, NR, self->attr, 0);
			if (fd < 0)
				_exit(1);
			close(fd);
		}
	fd = group_of_task(self->dev, pid, NR, self->attr, 0);
	ASSERT_GE(fd, 0);
	for (i = 0; i < 1000; i++) {
		ASSERT_EQ(-1, syscall(SYS_delete_module, "pmcgrp", O_NONBLOCK));
		ASSERT_EQ(EWOULDBLOCK, errno);
		if (!(i % 50)) {
			ASSERT_TRUE(sane(fd));
			sched_yield();
		}
	}
	ASSERT_EQ(0, kill(pid, 0));
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	close(fd);
}

/* As many groups as there are: a reason, and all works again once they are closed. */
TEST_F_TIMEOUT(hostile, more_groups_than_one_may_have, 300)
{
	long most = file_number("/sys/module/pmcgrp/parameters/groups_max", "");
	struct ask ask = { .nr = 1, .attr = self->attr, .flags = PMCGRP_CREATE_DISABLED };
	struct rlimit lim = { .rlim_cur = most + 64, .rlim_max = most + 64 };
	int *fd, i, other;

	ASSERT_GT(most, 0);
	if (setrlimit(RLIMIT_NOFILE, &lim))
		SKIP(return, "RLIMIT_NOFILE cannot be raised");
	fd = calloc(most, sizeof(*fd));
	ASSERT_NE(NULL, fd);
	for (i = 0; i < most; i++) {
		fd[i] = ask_group(self->dev, &ask);
		ASSERT_GE(fd[i], 0);
	}
	EXPECT_EQ(-ENOSPC, ask_group(self->dev, &ask));
	EXPECT_EQ(PMCGRP_WHY_GROUPS_MAX, ask.create.why);
	/* another opener has its own share */
	other = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(other, 0);
	i = ask_group(other, &ask);
	EXPECT_GE(i, 0);
	close(i);
	close(other);
	close(fd[0]);
	fd[0] = ask_group(self->dev, &ask);
	EXPECT_GE(fd[0], 0);
	for (i = 0; i < most; i++)
		close(fd[i]);
	i = group_of(self->dev, NR, self->attr, 0);
	ASSERT_GE(i, 0);
	EXPECT_TRUE(sane(i));
	close(i);
	free(fd);
}

/* Another user of the PMU, of every kind, coming and going all the time. */
static void hammer(bool hardware)
{
	struct perf_event_attr attr;
	unsigned int i, k;
	int fd[6];

	for (i = 0;; i++) {
		for (k = 0; k < 6; k++) {
			attr = hardware ? hw(PERF_COUNT_HW_CPU_CYCLES) :
					  sw(PERF_COUNT_SW_CPU_CLOCK);
			attr.pinned = i % 3 == 0;
			attr.exclusive = i % 3 == 1;
			fd[k] = perf_open(&attr, i % 2 ? 0 : -1, i % 2 ? -1 : 0, -1);
		}
		loop(20000);
		for (k = 0; k < 6; k++)
			if (fd[k] >= 0)
				close(fd[k]);
	}
}

TEST_F_TIMEOUT(hostile, another_user_of_the_pmu, 120)
{
	struct group_values v, w;
	int task_fd, cpu_fd;
	uint64_t end;
	pid_t pid;

	task_fd = group_of(self->dev, NR, self->attr, 0);
	cpu_fd = group_of_cpu(self->dev, 0, NR, self->attr);
	ASSERT_GE(task_fd, 0);
	ASSERT_GE(cpu_fd, 0);
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid)
		hammer(self->hardware);
	end = now_ns() + HAMMER_MS * NSEC_PER_MSEC;
	while (now_ns() < end) {
		ASSERT_TRUE(sane(task_fd));
		ASSERT_TRUE(sane(cpu_fd));
		sched_yield();
	}
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	/* and it is all ours again */
	spin_ns(200 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(task_fd, NR, &v));
	spin_ns(20 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(task_fd, NR, &w));
	EXPECT_EQ(w.enabled - v.enabled, w.running - v.running);
	EXPECT_GT(w.running, v.running);
	close(cpu_fd);
	close(task_fd);
}

TEST_HARNESS_MAIN
