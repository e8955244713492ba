// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hostile use: targets that exec, exit and get killed; removal under load; as many
 * groups as the limits allow; another user of the same PMU.  The tests assert that
 * groups stay right and the machine usable; vm/run checks the kernel's log.
 *
 * needs: timeout=600
 */
#include "pmcgrp_become.h"
#include <sys/resource.h>
#include "kselftest_harness.h"

#define NR		MIXED
#define STORM		200	/* targets */
#define REMOVALS	1000
#define HAMMER_MS	300
#define HAMMER_ROUNDS	36	/* at least: every kind on every target, a few times */

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
	self->hardware = mixed_members(self->attr);
}

FIXTURE_TEARDOWN(hostile)
{
	close(self->dev);
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
				ASSERT_TRUE(group_sane(fd, NR));
		}
		kill(pid, SIGKILL);
		if (fd >= 0 && i % 2)
			ASSERT_TRUE(group_sane(fd, NR));
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
		if (fd >= 0) {
			ASSERT_TRUE(group_sane(fd, NR));
			close(fd);
		}
	}
	TH_LOG("%u targets counted, %u were gone before", made, gone);
	tell_count("exec-exit-kill", STORM, "lives");
	EXPECT_GT(made, STORM / 4);	/* the others were zombies */
}

/* Groups made and closed on a task from one side while it is dying on the other. */
TEST_F_TIMEOUT(hostile, racing_with_exit, 300)
{
	unsigned long made_in_all = 0, loops = 1000;
	int i, fd, made;
	pid_t pid;

	for (i = 0; i < STORM; i++) {
		pid = fork();
		ASSERT_GE(pid, 0);
		if (!pid) {
			loop(loops);
			_exit(0);
		}
		for (made = 0; made < 10000; made++) {
			fd = group_of_task(self->dev, pid, NR, self->attr, 0);
			if (fd < 0)
				break;
			if (made % 2)
				ASSERT_TRUE(group_sane(fd, NR));
			close(fd);
		}
		ASSERT_EQ(-ESRCH, fd);	/* in the end it is a zombie */
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
		made_in_all += made;
		/* keep to the time at which the task is about to exit */
		loops = made ? loops / 2 + 1 : loops * 2;
	}
	EXPECT_GT(made_in_all, 0);
	TH_LOG("%lu groups made on the dying", made_in_all);
	tell_count("racing-with-exit", STORM, "lives");
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
	for (i = 0; i < REMOVALS; i++) {
		ASSERT_EQ(-1, syscall(SYS_delete_module, "pmcgrp", O_NONBLOCK));
		ASSERT_EQ(EWOULDBLOCK, errno);
		if (!(i % 50)) {
			ASSERT_TRUE(group_sane(fd, NR));
			sched_yield();
		}
	}
	ASSERT_EQ(0, waitpid(pid, NULL, WNOHANG));
	ASSERT_TRUE(end_child(pid));
	close(fd);
	tell_count("rmmod-under-load", REMOVALS, "attempts");
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
	/* another open of the device has the same limit, another user its own */
	other = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(other, 0);
	EXPECT_EQ(-ENOSPC, ask_group(other, &ask));
	EXPECT_EQ(PMCGRP_WHY_GROUPS_MAX, ask.create.why);
	close(other);
	EXPECT_TRUE(another_user_gets(self->dev, &ask));
	close(fd[0]);
	fd[0] = ask_group(self->dev, &ask);
	EXPECT_GE(fd[0], 0);
	for (i = 0; i < most; i++)
		close(fd[i]);
	i = group_of(self->dev, NR, self->attr, 0);
	ASSERT_GE(i, 0);
	EXPECT_TRUE(group_sane(i, NR));
	close(i);
	free(fd);
	tell_count("groups-max", most, "groups");
}

enum kind {
	FLEXIBLE,
	PINNED,
	EXCLUSIVE,
	KINDS,
};

enum target {
	OWN_TASK,
	GROUP_S_TASK,
	A_CPU,
	TARGETS,
};

struct hammered {
	unsigned long rounds;
	unsigned long opened[KINDS][TARGETS];
	unsigned long ran[KINDS][TARGETS];
};

static bool perf_event_ran(int fd)
{
	uint64_t v[3];

	/* 0 bytes: a pinned group that found no counter */
	return read(fd, v, sizeof(v)) == sizeof(v) && v[2];
}

/* Another user of the PMU, of every kind and on every target, coming and going. */
static void hammer(bool hardware, struct hammered *h)
{
	static const int cpu[TARGETS] = { -1, -1, 0 };
	const pid_t pid[TARGETS] = { 0, getppid(), -1 };
	unsigned int i, k, kind, target;
	struct perf_event_attr attr;
	int fd[6];

	run_on(0);
	for (i = 0;; i++) {
		kind = i % KINDS;
		target = i / KINDS % TARGETS;
		attr = hardware ? hw(PERF_COUNT_HW_CPU_CYCLES) : sw(PERF_COUNT_SW_CPU_CLOCK);
		attr.pinned = kind == PINNED;
		attr.exclusive = kind == EXCLUSIVE;
		attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
		for (k = 0; k < 6; k++)
			fd[k] = perf_open(&attr, pid[target], cpu[target], -1);
		loop(20000);
		for (k = 0; k < 6; k++) {
			if (fd[k] < 0)
				continue;
			h->opened[kind][target]++;
			h->ran[kind][target] += perf_event_ran(fd[k]);
			close(fd[k]);
		}
		__atomic_fetch_add(&h->rounds, 1, __ATOMIC_RELEASE);
	}
}

TEST_F_TIMEOUT(hostile, another_user_of_the_pmu, 240)
{
	struct hammered *h = shared_memory(sizeof(*h));
	struct group_values v, w;
	int task_fd, cpu_fd, i, k;
	uint64_t end;
	pid_t pid;

	ASSERT_NE(NULL, h);
	task_fd = group_of(self->dev, NR, self->attr, 0);
	cpu_fd = group_of_cpu(self->dev, 0, NR, self->attr);
	ASSERT_GE(task_fd, 0);
	ASSERT_GE(cpu_fd, 0);
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid)
		hammer(self->hardware, h);
	end = now_ns() + HAMMER_MS * NSEC_PER_MSEC;
	/* bounded by the test's own limit */
	while (now_ns() < end || __atomic_load_n(&h->rounds, __ATOMIC_ACQUIRE) < HAMMER_ROUNDS) {
		ASSERT_TRUE(group_sane(task_fd, NR));
		ASSERT_TRUE(group_sane(cpu_fd, NR));
		sched_yield();
	}
	ASSERT_TRUE(end_child(pid));
	for (i = 0; i < KINDS; i++)
		for (k = 0; k < TARGETS; k++) {
			EXPECT_GT(h->opened[i][k], 0);
			/* whether the group's task ran meanwhile is the scheduler's affair */
			if (k != GROUP_S_TASK)
				EXPECT_GT(h->ran[i][k], 0) {
					TH_LOG("of kind %d on target %d none ran", i, k);
				}
		}
	/* all counters are free again */
	spin_ns(200 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(task_fd, NR, &v));
	spin_ns(20 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(task_fd, NR, &w));
	EXPECT_EQ(w.enabled - v.enabled, w.running - v.running);
	EXPECT_GT(w.running, v.running);
	tell_count("pmu-hammer", h->rounds, "rounds");
	close(cpu_fd);
	close(task_fd);
}

TEST_HARNESS_MAIN
