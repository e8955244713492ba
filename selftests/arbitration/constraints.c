// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups on a PMU with constraints, which answers as x86's PMU and reports each breach of
 * x86's rules. Groups are scheduled as a whole or not at all, every count is exact, and
 * there is no report.
 *
 * needs: testpmu=yes
 */
#include "pmcgrp_testpmu.h"
#include "pmcgrp_leader.h"
#include <signal.h>
#include "kselftest_harness.h"

FIXTURE(constraints)
{
	struct testpmu pmu;
	int dev;
};

FIXTURE_SETUP(constraints)
{
	self->dev = -1;
	if (!testpmu_open(&self->pmu))
		SKIP(return, TESTPMU_MISSING);
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	ASSERT_TRUE(stay_on(0));
}

FIXTURE_TEARDOWN(constraints)
{
	if (self->dev < 0)
		return;
	EXPECT_EQ(self->pmu.faults, testpmu_faults());
	close(self->dev);
	close(self->pmu.ticks);
}

/* A set that is on makes room by moving to other counters, and loses no count. */
TEST_F(constraints, a_newcomer_that_fits_makes_others_move)
{
	/* each takes the only counter of the one before, in a chain */
	static const uint64_t mask[] = { 0x3, 0x1 };
	long moves = testpmu_moves(0);
	struct perf_event_attr attr;
	struct group_values v;
	uint64_t ticks[2] = {};
	int fd[2], i, k;

	for (i = 0; i < 2; i++) {
		attr = test_event(&self->pmu, i, 1, mask[i]);
		fd[i] = group_of_cpu(self->dev, 0, 1, &attr);
		ASSERT_GE(fd[i], 0);
		ASSERT_TRUE(tick(&self->pmu, 5));
		for (k = 0; k <= i; k++) {
			ticks[k] += 5;
			ASSERT_TRUE(group_values(fd[k], 1, &v));
			EXPECT_EQ(ticks[k], v.m[0].value);
			EXPECT_EQ(v.enabled, v.running);
		}
	}
	EXPECT_EQ(1, testpmu_counter(0));
	EXPECT_EQ(0, testpmu_counter(1));
	TH_LOG("%ld moves", testpmu_moves(0) - moves);
	close(fd[1]);
	close(fd[0]);
}

/* One of three is on at each tick, whole; its members' rates are 1, 2, 3 and 4. */
TEST_F_TIMEOUT(constraints, three_groups_of_four_on_four_counters, 180)
{
	struct perf_event_attr attr[4];
	struct group_values v[3];
	uint64_t ticks, sum;
	int fd[3], g, i;

	for (g = 0; g < 3; g++) {
		for (i = 0; i < 4; i++)
			attr[i] = test_event(&self->pmu, 4 * g + i, i + 1, 0);
		fd[g] = group_of(self->dev, 4, attr, 0);
		ASSERT_GE(fd[g], 0);
	}
	for (ticks = 1; ticks <= 300; ticks++) {
		spin_ns(NSEC_PER_MSEC / 2);
		ASSERT_TRUE(tick(&self->pmu, 1));
		for (sum = 0, g = 0; g < 3; g++) {
			ASSERT_TRUE(group_values(fd[g], 4, &v[g]));
			sum += v[g].m[0].value;
			for (i = 1; i < 4; i++)
				ASSERT_EQ((i + 1) * v[g].m[0].value, v[g].m[i].value);
		}
		ASSERT_EQ(ticks, sum);
	}
	for (g = 0; g < 3; g++) {
		EXPECT_GT(v[g].m[0].value, 0);
		if (deterministic()) {
			EXPECT_GT(v[g].m[0].value, 90);
			EXPECT_LT(v[g].m[0].value, 110);
		}
		close(fd[g]);
	}
}

/* A group over two PMUs is on both or on none: what it took on the first is released. */
TEST_F_TIMEOUT(constraints, a_group_over_two_pmus, 180)
{
	struct perf_event_attr attr[4], taken;
	struct group_values v;
	uint64_t before;
	int fd, perf, i;

	for (i = 0; i < 4; i++) {
		attr[i] = test_event(&self->pmu, i, i + 1, i < 2 ? 0 : FIXED(0));
		if (i >= 2)
			attr[i].type = self->pmu.type[1];
	}
	attr[3].config1 = 0;
	/* perf has the one counter that the third member can be on */
	taken = attr[2];
	taken.pinned = 1;
	perf = perf_open(&taken, -1, 0, -1);
	ASSERT_GE(perf, 0);
	fd = group_of_cpu(self->dev, 0, 4, attr);
	ASSERT_GE(fd, 0);
	for (i = 0; i < 20; i++) {
		spin_ns(NSEC_PER_MSEC);
		ASSERT_TRUE(tick(&self->pmu, 1));
		ASSERT_TRUE(group_values(fd, 4, &v));
		ASSERT_EQ(0, v.m[0].value);
		ASSERT_EQ(0, v.running);
		ASSERT_EQ(-1, testpmu_counter(0));
	}
	close(perf);
	/* pmcgrp's timer tries the group again: after 4 ms, or 64 with back-off */
	for (i = 0; i < 2000 && !v.m[0].value; i++) {
		spin_ns(NSEC_PER_MSEC);
		ASSERT_TRUE(tick(&self->pmu, 1));
		ASSERT_TRUE(group_values(fd, 4, &v));
	}
	EXPECT_GT(v.m[0].value, 0);
	before = v.m[0].value;
	ASSERT_TRUE(tick(&self->pmu, 10));
	ASSERT_TRUE(group_values(fd, 4, &v));
	EXPECT_EQ(before + 10, v.m[0].value);
	for (i = 1; i < 4; i++)
		EXPECT_EQ((i + 1) * v.m[0].value, v.m[i].value);
	close(fd);
}

/* What fits runs for all of the time that it is enabled, over several PMUs too. */
TEST_F(constraints, a_group_over_two_pmus_starts_at_once)
{
	struct perf_event_attr attr[2] = { test_event(&self->pmu, 0, 1, 0),
					   test_event(&self->pmu, 1, 1, 0) };
	struct group_values v;
	int fd, i;

	attr[1].type = self->pmu.type[1];
	for (i = 0; i < 2; i++) {
		fd = i ? group_of_cpu(self->dev, 0, 2, attr) : group_of(self->dev, 2, attr, 0);
		ASSERT_GE(fd, 0);
		ASSERT_TRUE(tick(&self->pmu, 1));
		ASSERT_TRUE(group_values(fd, 2, &v));
		EXPECT_EQ(1, v.m[0].value);
		EXPECT_EQ(1, v.m[1].value);
		EXPECT_EQ(v.enabled, v.running);
		close(fd);
	}
}

/*
 * Where a task has a pinned event, perf core holds the PMUs while it schedules the task's
 * other events in. What is placed then is not programmed yet and cannot be evicted.
 */
TEST_F_TIMEOUT(constraints, groups_that_come_in_while_the_pmu_is_held, 180)
{
	struct perf_event_attr attr[4];
	uint64_t ticks[3] = {};
	struct group_values v;
	int fd[3], i, k;

	for (i = 0; i < 3; i++) {
		attr[0] = test_event(&self->pmu, 10 * i, 1, i ? PROGRAMMABLE : FIXED(0));
		attr[1] = test_event(&self->pmu, 10 * i + 1, 2, i ? PROGRAMMABLE : FIXED(1));
		/* the last one is over two PMUs */
		if (i == 2)
			attr[1].type = self->pmu.type[1];
		fd[i] = group_of(self->dev, 2, attr, i ? 0 : PMCGRP_CREATE_PINNED);
		ASSERT_GE(fd[i], 0);
	}
	for (k = 1; k <= 100; k++) {
		sleep_ns(NSEC_PER_MSEC / 10);
		ASSERT_TRUE(tick(&self->pmu, 1));
		for (i = 0; i < 3; i++) {
			ASSERT_TRUE(group_values(fd[i], 2, &v));
			ASSERT_EQ(2 * v.m[0].value, v.m[1].value);
			ticks[i] = v.m[0].value;
		}
	}
	/* all fit at the same time */
	EXPECT_EQ(100, ticks[0]);
	EXPECT_EQ(100, ticks[1]);
	EXPECT_EQ(100, ticks[2]);
	for (i = 0; i < 3; i++)
		close(fd[i]);
}

/* The counters of perf events on each PMU, as reported for each member. */
TEST_F(constraints, counters_held_outside_on_one_of_two_pmus)
{
	static struct pmcgrp_info_member member[3];
	static struct pmcgrp_info_cpu cpu[3];
	struct pmcgrp_info info = {
		.size = sizeof(info),
		.members = (uintptr_t)member,
		.cpus = (uintptr_t)cpu,
		.nr_members = 3,
		.nr_cpus = 3,
		.member_size = sizeof(member[0]),
		.cpu_size = sizeof(cpu[0]),
	};
	struct perf_event_attr attr[3], other;
	int fd, perf[2], i;

	attr[0] = sw(PERF_COUNT_SW_PAGE_FAULTS);
	attr[1] = test_event(&self->pmu, 1, 1, PROGRAMMABLE);
	attr[2] = test_event(&self->pmu, 2, 1, PROGRAMMABLE);
	attr[2].type = self->pmu.type[1];
	other = attr[2];
	other.pinned = 1;
	for (i = 0; i < 2; i++) {
		perf[i] = perf_open(&other, -1, 0, -1);
		ASSERT_GE(perf[i], 0);
	}
	fd = group_of_cpu(self->dev, 0, 3, attr);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, ioctl(fd, PMCGRP_IOC_INFO, &info));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(PMCGRP_STATE_RUNNING, cpu[i].state);
		EXPECT_EQ(i == 2 ? 2 : 0, cpu[i].perf_counters);
	}
	close(fd);
	close(perf[0]);
	close(perf[1]);
}

/* Ticks three times whenever it gets a byte. */
static pid_t ticker(const struct testpmu *pmu, int in, int out)
{
	pid_t pid = fork();
	char c;

	if (pid)
		return pid;
	while (read(in, &c, 1) == 1)
		if (!tick(pmu, 3) || write(out, &c, 1) != 1)
			break;
	_exit(0);
}

/* The CPU's group has all counters when a task with a pinned perf event is scheduled in. */
TEST_F_TIMEOUT(constraints, pinned_events_of_perf_come_in, 60)
{
	int there[2], back[2], fd, perf, i;
	struct perf_event_attr attr[4], pin;
	struct group_values v, w;
	uint64_t value;
	pid_t pid;
	char c = 'x';

	if (!kernel_is(6, 2))
		SKIP(return, "before 6.2 perf core does not reschedule for such an event");
	for (i = 0; i < 4; i++)
		attr[i] = test_event(&self->pmu, i, 1, PROGRAMMABLE);
	pin = test_event(&self->pmu, 4, 1, PROGRAMMABLE);
	pin.pinned = 1;
	ASSERT_EQ(0, pipe(there));
	ASSERT_EQ(0, pipe(back));
	pid = ticker(&self->pmu, there[0], back[1]);
	ASSERT_GT(pid, 0);
	fd = group_of_cpu(self->dev, 0, 4, attr);
	ASSERT_GE(fd, 0);
	perf = perf_open(&pin, pid, -1, -1);
	ASSERT_GE(perf, 0);
	for (i = 1; i <= 50; i++) {
		ASSERT_TRUE(group_values(fd, 4, &w));
		do {
			spin_ns(NSEC_PER_MSEC);
			ASSERT_TRUE(group_values(fd, 4, &v));
		} while (v.running == w.running);
		ASSERT_EQ(1, write(there[1], &c, 1));
		ASSERT_EQ(1, read(back[0], &c, 1));
		ASSERT_EQ(sizeof(value), read(perf, &value, sizeof(value)));
		ASSERT_EQ(3 * i, value);
	}
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	close(perf);
	/* the task's perf context has no events when the CPU's last counter is released */
	perf = perf_open(&pin, 0, -1, -1);
	ASSERT_GE(perf, 0);
	close(perf);
	close(fd);
}

#define TASKS		4
#define TASK_TICKS	200

/* A task that writes ticks for its CPU, now and then yields, and counts what it caused. */
static void one_task(const struct testpmu *pmu, int dev, unsigned int number)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), cpu = number % cpus;
	struct perf_event_attr attr[3];
	struct group_values v;
	int fd, i;

	if (!stay_on(cpu))
		exit(2);
	for (i = 0; i < 3; i++)
		attr[i] = test_event(pmu, 100 * number + i, i + 1, i ? PROGRAMMABLE : FIXED(0));
	fd = group_of(dev, 3, attr, 0);
	if (fd < 0)
		exit(3);
	for (i = 1; i <= TASK_TICKS; i++) {
		if (!tick_cpu(pmu, 1, cpu) || !group_values(fd, 3, &v))
			exit(4);
		if (v.m[0].value != i || v.m[1].value != 2 * i || v.m[2].value != 3 * i)
			exit(5);
		if (i % 8)
			sched_yield();
		else
			sleep_ns(100000);
	}
	exit(v.running == v.enabled ? 0 : 6);
}

/* Tasks that take the PMU from one another hundreds of times. */
TEST_F_TIMEOUT(constraints, tasks_that_switch, 180)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), status, fd[TASKS], i, cpu;
	uint64_t sum = 0;
	struct perf_event_attr attr = test_event(&self->pmu, 999, 1, FIXED(1));
	struct group_values v;
	pid_t pid[TASKS];

	for (cpu = 0; cpu < cpus && cpu < TASKS; cpu++) {
		fd[cpu] = group_of_cpu(self->dev, cpu, 1, &attr);
		ASSERT_GE(fd[cpu], 0);
	}
	for (i = 0; i < TASKS; i++) {
		pid[i] = fork();
		ASSERT_GE(pid[i], 0);
		if (!pid[i])
			one_task(&self->pmu, self->dev, i);
	}
	for (i = 0; i < TASKS; i++) {
		ASSERT_EQ(pid[i], waitpid(pid[i], &status, 0));
		EXPECT_EQ(0, status);
	}
	/* and the CPUs' groups have the sum */
	for (cpu = 0; cpu < cpus && cpu < TASKS; cpu++) {
		ASSERT_TRUE(group_values(fd[cpu], 1, &v));
		sum += v.m[0].value;
		close(fd[cpu]);
	}
	EXPECT_EQ(TASKS * TASK_TICKS, sum);
}

/* Ticks that each of the first intervals may leave unused. A tick is 0.5 ms, an interval 8. */
#define FIRST	10

/*
 * perf core rotates perf events on the same PMU while groups are multiplexed. The shares
 * are not asserted, but no counter counts for two events, and pinned events stay on.
 */
#define GROUPS		4
#define EACH		3
#define SWITCHES	400

/*
 * Four groups of a task of which one fits at a time.  A switch back to the task tries none that
 * the counters in use have refused: counters are added by rotations only.
 */
TEST_F(constraints, a_refused_group_is_not_tried_at_each_switch)
{
	const long each_rotation = 2 * GROUPS * EACH; /* all are tried, and again after evictions */
	struct perf_event_attr attr[EACH];
	int fd[GROUPS], to[2], from[2];
	unsigned int i, k;
	uint64_t since;
	long adds, most;
	char byte = 0;
	pid_t child;

	if (!deterministic())
		SKIP(return, "the time of a switch needs a deterministic guest");
	ASSERT_TRUE(run_on(0));
	ASSERT_EQ(0, pipe(to));
	ASSERT_EQ(0, pipe(from));
	child = fork();
	ASSERT_GE(child, 0);
	if (!child) {
		close(to[1]);
		while (read(to[0], &byte, 1) == 1 && write(from[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	for (k = 0; k < GROUPS; k++) {
		for (i = 0; i < EACH; i++)
			attr[i] = test_event(&self->pmu, k * EACH + i, 1, PROGRAMMABLE);
		fd[k] = group_of(self->dev, EACH, attr, 0);
		ASSERT_GE(fd[k], 0);
	}
	spin_ns(50 * NSEC_PER_MSEC);
	adds = file_number(TESTPMU "adds", "");
	ASSERT_GE(adds, 0);
	since = now_ns();
	for (i = 0; i < SWITCHES; i++) {
		ASSERT_EQ(1, write(to[1], &byte, 1));
		ASSERT_EQ(1, read(from[0], &byte, 1));
	}
	/* A rotation at each interval, and one more if a set is far behind. */
	most = each_rotation * ((now_ns() - since) / (4 * NSEC_PER_MSEC) + 2);
	adds = file_number(TESTPMU "adds", "") - adds;
	TH_LOG("%u switches: %ld calls of pmu->add(), %ld allowed", SWITCHES, adds, most);
	EXPECT_LT(most, EACH * SWITCHES); /* or nothing is shown */
	EXPECT_LE(adds, most);
	close(to[1]);
	ASSERT_EQ(child, waitpid(child, NULL, 0));
	for (k = 0; k < GROUPS; k++)
		close(fd[k]);
	close(to[0]);
	close(from[0]);
	close(from[1]);
}

TEST_F_TIMEOUT(constraints, with_rotating_perf_events, 180)
{
	struct perf_event_attr attr[4];
	struct group_values v;
	uint64_t value, sum, pinned;
	int perf[6], fd[2], i, k;

	for (i = 0; i < 6; i++) {
		attr[0] = test_event(&self->pmu, 50 + i, 1, i ? PROGRAMMABLE : FIXED(0));
		attr[0].pinned = !i;
		perf[i] = perf_open(&attr[0], i % 2 ? 0 : -1, i % 2 ? -1 : 0, -1);
		ASSERT_GE(perf[i], 0);
	}
	for (i = 0; i < 2; i++) {
		for (k = 0; k < 3; k++)
			attr[k] = test_event(&self->pmu, 10 * i + k, 1, PROGRAMMABLE);
		fd[i] = group_of(self->dev, 3, attr, 0);
		ASSERT_GE(fd[i], 0);
	}
	for (k = 1; k <= 200; k++) {
		spin_ns(NSEC_PER_MSEC / 2);
		ASSERT_TRUE(tick(&self->pmu, 1));
		for (sum = 0, pinned = 0, i = 0; i < 6; i++) {
			ASSERT_EQ(sizeof(value), read(perf[i], &value, sizeof(value)));
			if (i)
				sum += value;
			else
				pinned = value;
		}
		for (i = 0; i < 2; i++) {
			ASSERT_TRUE(group_values(fd[i], 3, &v));
			ASSERT_EQ(v.m[0].value, v.m[1].value);
			ASSERT_EQ(v.m[0].value, v.m[2].value);
			sum += 3 * v.m[0].value;
		}
		ASSERT_EQ(k, pinned);
		ASSERT_LE(sum, 4 * k);
		/* A worker has to run between two intervals: elsewhere the host decides when. */
		if (deterministic())
			ASSERT_GE(sum + 3 * FIRST, 3 * k);
	}
	for (i = 0; i < 6; i++)
		close(perf[i]);
	for (i = 0; i < 2; i++)
		close(fd[i]);
}

/* References to the PMU's module: one for each event. */
static long pmu_events(void)
{
	return file_number("/sys/module/pmcgrp_testpmu/refcnt", "");
}

/* The same when it is closed, whatever is kept for a while: the PMU is a module's. */
static bool no_event_is_left(long before)
{
	int i;

	for (i = 0; i < 100 && pmu_events() != before; i++)
		sleep_ns(20 * NSEC_PER_MSEC);
	return pmu_events() == before;
}

/* A PMU may make a sampling event of a counting one, as AMD's IBS does: it is no member. */
TEST_F(constraints, an_event_that_the_pmu_turns_into_a_sampling_one)
{
	struct perf_event_attr attr[3] = { test_event(&self->pmu, 0, 1, 0),
					   test_event(&self->pmu, 1, 2, 0),
					   test_event(&self->pmu, 2, 3, 0) };
	struct ask asks[] = {
		{ .target_type = PMCGRP_TARGET_TASK, .nr = 3, .attr = attr },
		{ .target_type = PMCGRP_TARGET_CPU, .nr = 3, .attr = attr },
		{ .target_type = PMCGRP_TARGET_PROCESS, .nr = 3, .attr = attr },
		{ .target_type = PMCGRP_TARGET_ALL_CPUS, .nr = 3, .attr = attr },
		{ .flags = PMCGRP_CREATE_LEADER, .nr = 3, .attr = attr },
	};
	struct perf_event_attr sampling = test_event(&self->pmu, 1, 2, 0);
	long before = pmu_events();
	struct pmcgrp_add add;
	int fd, i;

	ASSERT_LE(0, before);
	sampling.config2 = 1000;
	attr[1] = sampling;
	/* The driver takes it; perf refuses it afterwards, as this PMU has no interrupt. */
	ASSERT_EQ(-EOPNOTSUPP, perf_open(&sampling, -1, 0, -1));
	ASSERT_TRUE(no_event_is_left(before));
	for (i = 0; i < 100 * (int)COUNT(asks); i++) {
		struct ask *ask = &asks[i % COUNT(asks)];

		ASSERT_EQ(-EOPNOTSUPP, ask_group(self->dev, ask)) TH_LOG("%d", i);
		ASSERT_EQ(PMCGRP_WHY_SAMPLES, ask->create.why);
		ASSERT_EQ(1, ask->create.fail_member);
	}
	EXPECT_TRUE(no_event_is_left(before)) {
		TH_LOG("%ld events, %ld before", pmu_events(), before);
	}
	/* nor can it join a group later */
	fd = group_of(self->dev, 1, attr, PMCGRP_CREATE_LEADER);
	ASSERT_LE(0, fd);
	for (i = 0; i < 10; i++) {
		EXPECT_EQ(-EOPNOTSUPP, ask_member(fd, &sampling, 0, FORMAT, &add));
		EXPECT_EQ(PMCGRP_WHY_SAMPLES, add.why);
	}
	close(fd);
	EXPECT_TRUE(no_event_is_left(before));
	/* The same without a period is another event, and counts. */
	attr[1].config2 = 0;
	fd = ask_group(self->dev, &asks[0]);
	ASSERT_LE(0, fd);
	EXPECT_TRUE(group_sane(fd, 3));
	close(fd);
	EXPECT_TRUE(no_event_is_left(before));
}

/* A CPU that goes offline releases its counters, and has new ones when it is back. */
TEST_F_TIMEOUT(constraints, a_cpu_that_goes_and_comes, 180)
{
	const char *online = "/sys/devices/system/cpu/cpu1/online";
	struct perf_event_attr attr[2] = { test_event(&self->pmu, 0, 1, 0),
					   test_event(&self->pmu, 1, 2, FIXED(2)) };
	struct group_values v;
	uint64_t before = 0;
	int fd, i, wait;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2 || access(online, W_OK))
		SKIP(return, "needs a second processor that can be taken offline");
	fd = group_of_cpu(self->dev, 1, 2, attr);
	ASSERT_GE(fd, 0);
	for (i = 0; i < 3; i++) {
		ASSERT_TRUE(tick_cpu(&self->pmu, 5, 1));
		ASSERT_TRUE(group_values(fd, 2, &v));
		EXPECT_GE(v.m[0].value, before + 5);
		EXPECT_EQ(2 * v.m[0].value, v.m[1].value);
		before = v.m[0].value;
		ASSERT_TRUE(file_write(online, "0"));
		EXPECT_FALSE(tick_cpu(&self->pmu, 5, 1));
		ASSERT_TRUE(group_values(fd, 2, &v));
		EXPECT_EQ(before, v.m[0].value);
		ASSERT_TRUE(file_write(online, "1"));
		/* its counters are made by a worker: until they count */
		for (wait = 0; wait < 10000 && v.m[0].value == before; wait++) {
			sleep_ns(NSEC_PER_MSEC);
			ASSERT_TRUE(tick_cpu(&self->pmu, 1, 1));
			ASSERT_TRUE(group_values(fd, 2, &v));
		}
		EXPECT_GT(v.m[0].value, before);
		before = v.m[0].value;
	}
	close(fd);
}

TEST_HARNESS_MAIN
