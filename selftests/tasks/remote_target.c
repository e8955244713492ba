// SPDX-License-Identifier: GPL-2.0-only
/* Targets other than the reader: other tasks, on this CPU and others, and CPUs. */
#include "pmcgrp_test.h"
#include "kselftest_harness.h"

#define NR	3

FIXTURE(remote_target)
{
	int dev;
	int cpus;
	struct perf_event_attr attr[NR];
};

FIXTURE_SETUP(remote_target)
{
	int i;

	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	self->attr[0] = sw(PERF_COUNT_SW_TASK_CLOCK);
	self->attr[1] = sw(PERF_COUNT_SW_CONTEXT_SWITCHES);
	self->attr[2] = sw(PERF_COUNT_SW_CPU_MIGRATIONS);
	if (have_cycles())
		for (i = 0; i < NR; i++)
			self->attr[i] = cycles_copy(i);
}

FIXTURE_TEARDOWN(remote_target)
{
	close(self->dev);
}

/* Read over and over a group whose target comes, goes and moves about. */
static void watch(struct __test_metadata *_metadata, int fd, bool equal, int reads)
{
	struct group_values v, last = {};
	int i, k;

	for (k = 0; k < reads; k++) {
		ASSERT_TRUE(group_values(fd, NR, &v));
		ASSERT_LE(v.running, v.enabled);
		ASSERT_GE(v.enabled, last.enabled);
		ASSERT_GE(v.running, last.running);
		for (i = 0; i < NR; i++) {
			ASSERT_TRUE(v.m[i].value >= last.m[i].value || host_stopped(&last, &v, i)) {
				TH_LOG("read %d: member %d went backwards", k, i);
			}
			/*
			 * Read one after the other: never behind.  Where the
			 * host may stop QEMU between two counters' starts, one
			 * can be ahead of the other by as much.
			 */
			if (equal)
				ASSERT_GE(v.m[i].value, v.m[0].value);
		}
		last = v;
		if (!(k % 16))
			sched_yield();
	}
	ASSERT_GT(last.running, 0);
	ASSERT_GT(last.m[0].value, 0);
}

TEST_F(remote_target, a_running_task_of_another_process)
{
	pid_t pid = spinner(self->cpus - 1);
	int fd;

	ASSERT_GT(pid, 0);
	fd = group_of_task(self->dev, pid, NR, self->attr, 0);
	ASSERT_GE(fd, 0);
	run_on(0);
	sleep_ns(20 * NSEC_PER_MSEC);
	watch(_metadata, fd, deterministic(), 2000);
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	watch(_metadata, fd, deterministic(), 10);
}

/* A sleeping target: the sums were complete when it left. */
TEST_F(remote_target, a_sleeping_task)
{
	struct group_values v, w;
	int fd, go[2];
	pid_t pid;
	char c;

	ASSERT_EQ(0, pipe(go));
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		if (read(go[0], &c, 1) == 1)
			spin_ns(10 * NSEC_PER_MSEC);
		pause();
		_exit(0);
	}
	fd = group_of_task(self->dev, pid, NR, self->attr, 0);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(1, write(go[1], "x", 1));
	sleep_ns(100 * NSEC_PER_MSEC);
	ASSERT_TRUE(wait_until_asleep(pid));
	ASSERT_TRUE(group_values(fd, NR, &v));
	sleep_ns(10 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd, NR, &w));
	EXPECT_TRUE(group_same(&v, &w, NR));
	EXPECT_EQ(v.enabled, v.running);
	EXPECT_GT(v.running, 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static pid_t wanderer(int cpus)
{
	pid_t pid = fork();
	int cpu = 0;

	if (!pid) {
		for (;;) {
			run_on(cpu++ % cpus);
			loop(2000);
		}
	}
	return pid;
}

TEST_F_TIMEOUT(remote_target, tasks_that_keep_migrating, 120)
{
	pid_t pid[4];
	int fd[4], i;

	for (i = 0; i < 4; i++) {
		pid[i] = wanderer(self->cpus);
		ASSERT_GT(pid[i], 0);
		fd[i] = group_of_task(self->dev, pid[i], NR, self->attr, 0);
		ASSERT_GE(fd[i], 0);
	}
	sleep_ns(50 * NSEC_PER_MSEC);
	for (i = 0; i < 4; i++)
		watch(_metadata, fd[i], deterministic(), 2000);
	for (i = 0; i < 4; i++) {
		kill(pid[i], SIGKILL);
		ASSERT_EQ(pid[i], waitpid(pid[i], NULL, 0));
		watch(_metadata, fd[i], deterministic(), 10);
	}
}

/* The same with more members than counters, while groups of the CPU count too. */
TEST_F_TIMEOUT(remote_target, migrating_and_multiplexed, 120)
{
	struct perf_event_attr attr[COUNTERS_MOST];
	unsigned int nr = more_than_half(), k;
	int fd[3], cpu_fd, i;
	struct group_values v;
	pid_t pid[3];

	if (!have_cycles())
		SKIP(return, "no hardware PMU");
	for (i = 0; i < 3; i++) {
		for (k = 0; k < nr; k++)
			attr[k] = cycles_copy(COUNTERS_MOST * i + k);
		pid[i] = wanderer(self->cpus);
		ASSERT_GT(pid[i], 0);
		fd[i] = group_of_task(self->dev, pid[i], nr, attr, 0);
		ASSERT_GE(fd[i], 0);
	}
	for (k = 0; k < nr; k++)
		attr[k] = cycles_copy(COUNTERS_MOST * 3 + k);
	cpu_fd = group_of_cpu(self->dev, self->cpus - 1, nr, attr);
	ASSERT_GE(cpu_fd, 0);
	for (k = 0; k < 500; k++) {
		for (i = 0; i < 3; i++) {
			ASSERT_TRUE(group_values(fd[i], nr, &v));
			ASSERT_LE(v.running, v.enabled);
		}
		ASSERT_TRUE(group_values(cpu_fd, nr, &v));
		ASSERT_LE(v.running, v.enabled);
		sched_yield();
	}
	EXPECT_GT(v.running, 0);
	for (i = 0; i < 3; i++) {
		kill(pid[i], SIGKILL);
		ASSERT_EQ(pid[i], waitpid(pid[i], NULL, 0));
		ASSERT_TRUE(group_values(fd[i], nr, &v));
		EXPECT_GT(v.running, 0);
		close(fd[i]);
	}
	close(cpu_fd);
}

/* A CPU's group counts every task there while the CPU is online. */
TEST_F(remote_target, a_cpu)
{
	struct group_values v;
	uint64_t start, before, after;
	pid_t pid;
	int cpu, fd;

	for (cpu = 0; cpu < self->cpus; cpu++) {
		pid = spinner(cpu);
		ASSERT_GT(pid, 0);
		before = now_ns();
		fd = group_of_cpu(self->dev, cpu, NR, self->attr);
		start = now_ns();
		ASSERT_GE(fd, 0);
		sleep_ns(50 * NSEC_PER_MSEC);
		after = now_ns();
		ASSERT_TRUE(group_values(fd, NR, &v));
		EXPECT_EQ(v.enabled, v.running);
		EXPECT_GE(v.running + NSEC_PER_MSEC, after - start);
		EXPECT_LE(v.running, now_ns() - before + NSEC_PER_MSEC);
		EXPECT_GT(v.m[0].value, 0);
		watch(_metadata, fd, deterministic(), 500);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		close(fd);
	}
}

/* A task group and a CPU group of the same events see the same work. */
TEST_F(remote_target, shared_between_task_and_cpu)
{
	struct group_values t, c;
	int task_fd, cpu_fd;

	run_on(0);
	cpu_fd = group_of_cpu(self->dev, 0, NR, self->attr);
	ASSERT_GE(cpu_fd, 0);
	task_fd = group_of(self->dev, NR, self->attr, 0);
	ASSERT_GE(task_fd, 0);
	spin_ns(20 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(task_fd, NR, &t));
	ASSERT_TRUE(group_values(cpu_fd, NR, &c));
	EXPECT_GT(t.m[0].value, 0);
	EXPECT_GE(c.m[0].value, t.m[0].value);
	EXPECT_GE(c.running, t.running);
	close(cpu_fd);
	/* the task's group keeps the counters */
	spin_ns(5 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(task_fd, NR, &c));
	EXPECT_GT(c.m[0].value, t.m[0].value);
	EXPECT_EQ(c.enabled, c.running);
}

TEST_HARNESS_MAIN
