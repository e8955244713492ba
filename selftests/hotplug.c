// SPDX-License-Identifier: GPL-2.0-only
/* CPUs that go offline and come back: counts are kept and counting goes on. */
#include "pmcgrp_test.h"
#include <sched.h>
#include <signal.h>
#include "kselftest_harness.h"

#define NR	3
#define STORM	20	/* times that the last CPU goes and comes under load */

FIXTURE(hotplug)
{
	int dev;
	int cpu;	/* the last one */
	char path[64];
	struct perf_event_attr attr[NR];
};

FIXTURE_SETUP(hotplug)
{
	int i;

	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->cpu = sysconf(_SC_NPROCESSORS_CONF) - 1;
	snprintf(self->path, sizeof(self->path), "/sys/devices/system/cpu/cpu%d/online",
		 self->cpu);
	if (!self->cpu || access(self->path, W_OK))
		SKIP(return, "needs a second CPU that can be taken offline");
	self->attr[0] = sw(PERF_COUNT_SW_TASK_CLOCK);
	self->attr[1] = sw(PERF_COUNT_SW_CONTEXT_SWITCHES);
	self->attr[2] = sw(PERF_COUNT_SW_PAGE_FAULTS);
	if (have_cycles())	/* and one member in software */
		for (i = 0; i < NR - 1; i++)
			self->attr[i] = raw_copy(ARM_CPU_CYCLES, i);
}

FIXTURE_TEARDOWN(hotplug)
{
	file_write(self->path, "1");
	close(self->dev);
}

/* Counting resumes from a work item: wait for it, bounded. */
static bool goes_on(int fd, const struct group_values *since)
{
	struct group_values v;
	int i;

	for (i = 0; i < 200; i++) {
		if (!group_values(fd, NR, &v))
			return false;
		if (v.running > since->running && v.m[0].value > since->m[0].value)
			return true;
		sleep_ns(10 * NSEC_PER_MSEC);
	}
	return false;
}

TEST_F(hotplug, creating_on_an_offline_cpu)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_CPU, .target_id = self->cpu,
			   .nr = NR, .attr = self->attr };
	int fd;

	ASSERT_TRUE(file_write(self->path, "0"));
	EXPECT_EQ(-ENODEV, ask_group(self->dev, &ask));
	EXPECT_EQ(PMCGRP_WHY_CPU_OFFLINE, ask.create.why);
	EXPECT_EQ(self->cpu, ask.create.fail_cpu);
	EXPECT_EQ(PMCGRP_NO_MEMBER, ask.create.fail_member);
	ASSERT_TRUE(file_write(self->path, "1"));
	fd = ask_group(self->dev, &ask);
	EXPECT_GE(fd, 0);
	close(fd);
}

TEST_F_TIMEOUT(hotplug, a_cpu_s_group_keeps_its_counts_and_goes_on, 120)
{
	struct group_values v, off, w;
	int fd, i;

	fd = group_of_cpu(self->dev, self->cpu, NR, self->attr);
	ASSERT_GE(fd, 0);
	for (i = 0; i < 3; i++) {
		sleep_ns(20 * NSEC_PER_MSEC);
		ASSERT_TRUE(group_values(fd, NR, &v));
		EXPECT_GT(v.running, 0);
		ASSERT_TRUE(file_write(self->path, "0"));
		ASSERT_TRUE(group_values(fd, NR, &off));
		EXPECT_GE(off.m[0].value, v.m[0].value);
		EXPECT_GE(off.running, v.running);
		sleep_ns(20 * NSEC_PER_MSEC);
		ASSERT_TRUE(group_values(fd, NR, &w));
		EXPECT_EQ(0, memcmp(&off, &w, 3 * 8 + NR * 16));
		/* steering without a CPU does no harm */
		EXPECT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		EXPECT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		ASSERT_TRUE(file_write(self->path, "1"));
		EXPECT_TRUE(goes_on(fd, &off));
	}
	/* disabled while away: stays disabled */
	ASSERT_TRUE(file_write(self->path, "0"));
	EXPECT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_TRUE(file_write(self->path, "1"));
	sleep_ns(100 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd, NR, &v));
	sleep_ns(20 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd, NR, &w));
	EXPECT_EQ(0, memcmp(&v, &w, 3 * 8 + NR * 16));
	EXPECT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	EXPECT_TRUE(goes_on(fd, &w));
	close(fd);
}

static pid_t spinner(int cpu)
{
	cpu_set_t set;
	pid_t pid = fork();

	if (!pid) {
		if (cpu >= 0) {
			CPU_ZERO(&set);
			CPU_SET(cpu, &set);
			sched_setaffinity(0, sizeof(set), &set);
		}
		for (;;)
			loop(100000);
	}
	return pid;
}

/* A task's group made while the CPU was away counts there when it is back. */
TEST_F_TIMEOUT(hotplug, a_task_s_group_follows_to_a_cpu_that_was_away, 120)
{
	struct group_values v = {};
	cpu_set_t set;
	pid_t pid;
	int fd;

	ASSERT_TRUE(file_write(self->path, "0"));
	pid = spinner(-1);
	ASSERT_GT(pid, 0);
	fd = group_of_task(self->dev, pid, NR, self->attr, 0);
	ASSERT_GE(fd, 0);
	EXPECT_TRUE(goes_on(fd, &v));
	ASSERT_TRUE(file_write(self->path, "1"));
	CPU_ZERO(&set);
	CPU_SET(self->cpu, &set);
	ASSERT_EQ(0, sched_setaffinity(pid, sizeof(set), &set));
	sleep_ns(100 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd, NR, &v));
	EXPECT_TRUE(goes_on(fd, &v));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(fd);
}

TEST_F_TIMEOUT(hotplug, storm, 300)
{
	struct group_values v[4], w;
	int fd[4], i, k;
	pid_t pid[2];

	for (i = 0; i < 2; i++) {
		pid[i] = spinner(-1);
		ASSERT_GT(pid[i], 0);
		fd[i] = group_of_task(self->dev, pid[i], NR, self->attr, 0);
		ASSERT_GE(fd[i], 0);
		fd[2 + i] = group_of_cpu(self->dev, self->cpu, NR, self->attr);
		ASSERT_GE(fd[2 + i], 0);
	}
	memset(v, 0, sizeof(v));
	for (k = 0; k < STORM; k++) {
		ASSERT_TRUE(file_write(self->path, k % 2 ? "1" : "0"));
		for (i = 0; i < 4; i++) {
			ASSERT_TRUE(group_values(fd[i], NR, &w));
			ASSERT_GE(w.m[0].value, v[i].m[0].value);
			ASSERT_GE(w.running, v[i].running);
			ASSERT_LE(w.running, w.enabled);
			v[i] = w;
		}
	}
	ASSERT_TRUE(file_write(self->path, "1"));
	for (i = 0; i < 4; i++) {
		EXPECT_TRUE(goes_on(fd[i], &v[i]));
		close(fd[i]);
	}
	for (i = 0; i < 2; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
}

TEST_HARNESS_MAIN
