// SPDX-License-Identifier: GPL-2.0-only
/* Perf events on the same PMU: alternation with flexible ones, eviction for pinned ones. */
#include "pmcgrp_test.h"
#include <sched.h>
#include <signal.h>
#include "kselftest_harness.h"

enum on {
	TASK,
	CPU,
};

static struct perf_event_attr attr[COUNTERS_MOST];
static struct perf_event_attr other[COUNTERS_MOST];
static unsigned int all;	/* counters that there are */
static unsigned int half;	/* more than that: two such groups do not fit */

FIXTURE(perf_arbitration)
{
	int dev;
};

FIXTURE_SETUP(perf_arbitration)
{
	unsigned int i;

	if (!have_cycles() || !deterministic())
		SKIP(return, "shares of time need a hardware PMU and a deterministic guest");
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	ASSERT_TRUE(run_on(0));
	all = counters();
	half = more_than_half();
	for (i = 0; i < all; i++) {
		attr[i] = cycles_copy(i);
		other[i] = cycles_copy(0);
		other[i].read_format = FORMAT;
	}
}

FIXTURE_TEARDOWN(perf_arbitration)
{
	close(self->dev);
}

static int open_ours(int dev, enum on on, unsigned int nr)
{
	return on == TASK ? group_of(dev, nr, attr, 0) : group_of_cpu(dev, 0, nr, attr);
}

/* A perf group; fd[0] leads. */
static bool open_perf(int *fd, enum on on, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		fd[i] = perf_open(&other[i], on == TASK ? 0 : -1, on == TASK ? -1 : 0,
				  i ? fd[0] : -1);
		if (fd[i] < 0)
			return false;
	}
	return true;
}

static void close_perf(int *fd, unsigned int nr)
{
	while (nr)
		close(fd[--nr]);
}

struct share {
	uint64_t since;
	struct group_values v;
};

static bool share_start(struct share *s, int fd)
{
	s->since = now_ns();
	return group_values(fd, half, &s->v);
}

/* Hundredths of a percent of the time since the start. */
static int share_of(const struct share *s, int fd)
{
	struct group_values w;
	uint64_t passed = now_ns() - s->since;

	if (!group_values(fd, half, &w))
		return -1;
	return (w.running - s->v.running) * 10000 / passed;
}

static void one_second(struct __test_metadata *_metadata, int dev, enum on ours_on,
		       enum on perfs_on, bool ours_first)
{
	static const char *const name[] = { "task", "CPU" };
	struct share ours, perfs;
	int fd = -1, perf[COUNTERS_MOST], a, b;

	if (ours_first)
		fd = open_ours(dev, ours_on, half);
	ASSERT_TRUE(open_perf(perf, perfs_on, half));
	if (!ours_first)
		fd = open_ours(dev, ours_on, half);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(share_start(&ours, fd));
	ASSERT_TRUE(share_start(&perfs, perf[0]));
	spin_ns(NSEC_PER_SEC);
	a = share_of(&ours, fd);
	b = share_of(&perfs, perf[0]);
	TH_LOG("pmcgrp on the %s, perf on the %s, %s first: pmcgrp %d.%02d %%, perf %d.%02d %%",
	       name[ours_on], name[perfs_on], ours_first ? "pmcgrp" : "perf",
	       a / 100, a % 100, b / 100, b % 100);
	/* On PREEMPT_RT timers run in a thread, and the worker that waits sleeps up to a tick. */
	EXPECT_GE(a, rt_kernel() ? 4000 : 4500);
	EXPECT_GE(b, rt_kernel() ? 3500 : 4500);
	close(fd);
	close_perf(perf, half);
}

TEST_F_TIMEOUT(perf_arbitration, both_on_a_task, 60)
{
	one_second(_metadata, self->dev, TASK, TASK, true);
	one_second(_metadata, self->dev, TASK, TASK, false);
}

TEST_F_TIMEOUT(perf_arbitration, both_on_a_cpu, 60)
{
	one_second(_metadata, self->dev, CPU, CPU, true);
	one_second(_metadata, self->dev, CPU, CPU, false);
}

TEST_F_TIMEOUT(perf_arbitration, ours_on_a_task_perfs_on_a_cpu, 60)
{
	one_second(_metadata, self->dev, TASK, CPU, true);
	one_second(_metadata, self->dev, TASK, CPU, false);
}

TEST_F_TIMEOUT(perf_arbitration, ours_on_a_cpu_perfs_on_a_task, 60)
{
	one_second(_metadata, self->dev, CPU, TASK, true);
	one_second(_metadata, self->dev, CPU, TASK, false);
}

/* Where both fit, both always count. */
TEST_F_TIMEOUT(perf_arbitration, room_for_both, 60)
{
	struct group_values v, w;
	int fd, perf[COUNTERS_MOST];

	fd = open_ours(self->dev, TASK, half);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(open_perf(perf, TASK, all - half));
	spin_ns(50 * NSEC_PER_MSEC);	/* what waited before is forgotten */
	ASSERT_TRUE(group_values(fd, half, &v));
	spin_ns(300 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd, half, &w));
	EXPECT_EQ(w.enabled - v.enabled, w.running - v.running);
	ASSERT_TRUE(group_values(perf[0], all - half, &v));
	EXPECT_EQ(v.enabled, v.running);
	close(fd);
	close_perf(perf, all - half);
}

/* A child that works for a while whenever it gets a byte from the pipe, and passes it on. */
static pid_t alternate(int in, int out)
{
	pid_t pid = fork();
	char c;

	if (pid)
		return pid;
	while (read(in, &c, 1) == 1) {
		spin_ns(NSEC_PER_MSEC);
		if (write(out, &c, 1) != 1)
			break;
	}
	_exit(0);
}

/*
 * Two tasks run alternately for a millisecond each: idle counters that pmcgrp's task leaves
 * on the PMU must not keep the other's perf events off it.
 */
TEST_F_TIMEOUT(perf_arbitration, tasks_that_alternate, 60)
{
	int there[2], back[2], fd, perf[COUNTERS_MOST];
	struct group_values v, w;
	unsigned int i;
	pid_t a, b;

	ASSERT_EQ(0, pipe(there));
	ASSERT_EQ(0, pipe(back));
	a = alternate(back[0], there[1]);
	b = alternate(there[0], back[1]);
	ASSERT_GT(a, 0);
	ASSERT_GT(b, 0);
	fd = group_of_task(self->dev, a, all, attr, 0);
	ASSERT_GE(fd, 0);
	for (i = 0; i < half; i++) {
		perf[i] = perf_open(&other[i], b, -1, i ? perf[0] : -1);
		ASSERT_GE(perf[i], 0);
	}
	ASSERT_EQ(1, write(there[1], "x", 1));
	sleep_ns(NSEC_PER_SEC);
	kill(a, SIGKILL);
	kill(b, SIGKILL);
	ASSERT_EQ(a, waitpid(a, NULL, 0));
	ASSERT_EQ(b, waitpid(b, NULL, 0));
	ASSERT_TRUE(group_values(fd, all, &v));
	ASSERT_TRUE(group_values(perf[0], half, &w));
	TH_LOG("all counters of one task: %d %%; perf on the other: %d %%",
	       (int)(v.running * 100 / v.enabled), (int)(w.running * 100 / w.enabled));
	EXPECT_GT(v.enabled, 300 * NSEC_PER_MSEC);
	EXPECT_GT(w.enabled, 300 * NSEC_PER_MSEC);
	EXPECT_GE(v.running * 100, v.enabled * 95);
	EXPECT_GE(w.running * 100, w.enabled * 90);
	close(fd);
	close_perf(perf, half);
}

/* Read a pinned event; false while it is in error. */
static bool pinned_values(int fd, uint64_t *v)
{
	return read(fd, v, 3 * sizeof(*v)) == 3 * sizeof(*v);
}

static bool pinned_values_soon(int fd, uint64_t *v)
{
	int i;

	for (i = 0; i < 100; i++) {
		if (pinned_values(fd, v) && v[2])
			return true;
		spin_ns(NSEC_PER_MSEC);
	}
	return false;
}

/*
 * A pinned perf event gets a counter, although it is opened while all are in use.
 * @share: how much of the following 300 ms it counts, in hundredths of a percent
 */
static void pinned_newcomer(struct __test_metadata *_metadata, int dev, enum on on, int *share)
{
	struct perf_event_attr pin = cycles_copy(0);
	struct group_values full, after;
	uint64_t v[3], w[3], start;
	int fd, perf;

	pin.pinned = 1;
	pin.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	fd = open_ours(dev, CPU, all);
	ASSERT_GE(fd, 0);
	spin_ns(20 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd, all, &full));
	ASSERT_EQ(full.enabled, full.running);	/* it has all of them */
	perf = perf_open(&pin, on == TASK ? 0 : -1, on == TASK ? -1 : 0, -1);
	ASSERT_GE(perf, 0);
	start = now_ns();
	ASSERT_TRUE(pinned_values_soon(perf, v));
	TH_LOG("pinned on the %s: counts after %d us", on == TASK ? "task" : "CPU",
	       (int)((now_ns() - start) / 1000));
	start = now_ns();
	spin_ns(300 * NSEC_PER_MSEC);
	ASSERT_TRUE(pinned_values_soon(perf, w));
	*share = (w[2] - v[2]) * 10000 / (now_ns() - start);
	EXPECT_GT(w[0], v[0]);
	close(perf);
	/* once it is closed, the group has all counters again */
	spin_ns(400 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd, all, &full));
	spin_ns(20 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd, all, &after));
	EXPECT_EQ(after.enabled - full.enabled, after.running - full.running);
	close(fd);
}

TEST_F_TIMEOUT(perf_arbitration, pinned_on_a_cpu_comes_later, 60)
{
	int share = 0;

	pinned_newcomer(_metadata, self->dev, CPU, &share);
	EXPECT_GE(share, 9990);	/* it keeps its counter */
}

/* Each time that its task is scheduled in the counters may be in use again. */
TEST_F_TIMEOUT(perf_arbitration, pinned_on_a_task_comes_later, 60)
{
	int share = 0;

	pinned_newcomer(_metadata, self->dev, TASK, &share);
	TH_LOG("pinned on a task, with a group of all counters on the CPU: %d.%02d %%",
	       share / 100, share % 100);
	/* before 6.2 there is no guard event, and on PREEMPT_RT recovery waits for a worker */
	EXPECT_GE(share, rt_kernel() && !kernel_is(6, 2) ? 3000 : 5000);
}

/*
 * Pinned groups of a CPU come in within perf core, which has its locks then: here as perf events of
 * the CPU have all counters, and a flexible group waits for them.
 */
TEST_F_TIMEOUT(perf_arbitration, pinned_groups_of_a_cpu_come, 60)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_CPU, .nr = all, .attr = attr,
			   .flags = PMCGRP_CREATE_PINNED };
	int perf[2 * COUNTERS_MOST], flexible, pinned[2];
	struct perf_event_attr rival;
	struct group_values v;
	unsigned int i, k;

	for (i = 0; i < 40; i++) {
		for (k = 0; k <= all; k++) {
			rival = cycles_copy(k);
			perf[k] = perf_open(&rival, -1, 0, -1);
			ASSERT_GE(perf[k], 0);
		}
		spin_ns(i * 137 * 1000);
		flexible = open_ours(self->dev, CPU, all);
		ASSERT_GE(flexible, 0);
		for (k = 0; k < 2; k++) {
			pinned[k] = ask_group(self->dev, &ask);
			ASSERT_GE(pinned[k], 0);
		}
		spin_ns(NSEC_PER_MSEC);
		close(pinned[1]);
		close(pinned[0]);
		close_perf(perf, all + 1);
		spin_ns(40 * NSEC_PER_MSEC);
		ASSERT_TRUE(group_values(flexible, all, &v));
		EXPECT_GT(v.running, 30 * NSEC_PER_MSEC);
		close(flexible);
	}
}

/* A group that is disabled has left its counters on the PMU, idle, and no set is in. */
static int idle_everywhere(struct __test_metadata *_metadata, int dev)
{
	struct group_values v;
	int fd = open_ours(dev, CPU, all);

	EXPECT_GE(fd, 0);
	spin_ns(20 * NSEC_PER_MSEC);
	EXPECT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_TRUE(group_values(fd, all, &v));
	EXPECT_EQ(v.enabled, v.running);	/* it had all of them */
	return fd;
}

/* Pinned perf events up to the size of the PMU: all count, though idle counters were in the way. */
TEST_F_TIMEOUT(perf_arbitration, pinned_beside_idle_counters, 60)
{
	int fd = idle_everywhere(_metadata, self->dev), perf[COUNTERS_MOST];
	struct perf_event_attr pin;
	uint64_t v[3], start = now_ns();
	unsigned int i;

	for (i = 0; i < all; i++) {
		pin = cycles_copy(i);
		pin.pinned = 1;
		pin.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
		perf[i] = perf_open(&pin, -1, 0, -1);
		ASSERT_GE(perf[i], 0);
	}
	for (i = 0; i < all; i++)
		ASSERT_TRUE(pinned_values_soon(perf[i], v));
	TH_LOG("%d pinned events count after %d us", all, (int)((now_ns() - start) / 1000));
	spin_ns(50 * NSEC_PER_MSEC);
	for (i = 0; i < all; i++) {
		EXPECT_TRUE(pinned_values(perf[i], v));
		EXPECT_GT(v[2], 50 * NSEC_PER_MSEC);
	}
	close_perf(perf, all);
	close(fd);
}

/* So does a flexible perf group of that size. */
TEST_F_TIMEOUT(perf_arbitration, flexible_beside_idle_counters, 60)
{
	int fd = idle_everywhere(_metadata, self->dev), perf[COUNTERS_MOST];
	struct group_values v;

	ASSERT_TRUE(open_perf(perf, CPU, all));
	spin_ns(200 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(perf[0], all, &v));
	TH_LOG("perf's group beside idle counters: %d us of %d", (int)(v.running / 1000),
	       (int)(v.enabled / 1000));
	EXPECT_LE(v.enabled - v.running, 30 * NSEC_PER_MSEC);
	close_perf(perf, all);
	close(fd);
}

/* When its task is scheduled in, its pinned event counts, although pmcgrp had all counters. */
static void pinned_comes_in(struct __test_metadata *_metadata, int dev, enum on on)
{
	struct perf_event_attr pin = cycles_copy(0);
	int there[2], back[2], fd, perf, i;
	struct group_values full, now;
	uint64_t v[3];
	pid_t child;
	char c = 'x';

	pin.pinned = 1;
	pin.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	ASSERT_EQ(0, pipe(there));
	ASSERT_EQ(0, pipe(back));
	child = alternate(there[0], back[1]);
	ASSERT_GT(child, 0);
	fd = open_ours(dev, on, all);
	ASSERT_GE(fd, 0);
	perf = perf_open(&pin, child, -1, -1);
	ASSERT_GE(perf, 0);
	for (i = 0; i < 200; i++) {
		ASSERT_TRUE(group_values(fd, all, &full));
		spin_ns((i % 10 + 10) * NSEC_PER_MSEC);
		ASSERT_TRUE(group_values(fd, all, &now));
		/* It came back as soon as the child was switched from, before the next tick. */
		ASSERT_LT(now.enabled - full.enabled,
			  now.running - full.running + NSEC_PER_MSEC);
		ASSERT_EQ(1, write(there[1], &c, 1));
		ASSERT_EQ(1, read(back[0], &c, 1));
		ASSERT_TRUE(pinned_values(perf, v));
		ASSERT_EQ(v[1], v[2]);
		ASSERT_GT(v[2], i * (NSEC_PER_MSEC - NSEC_PER_MSEC / 10));
	}
	TH_LOG("pinned, scheduled in %d times: on for %llu us of %llu", i,
	       (unsigned long long)v[2] / 1000, (unsigned long long)v[1] / 1000);
	kill(child, SIGKILL);
	ASSERT_EQ(child, waitpid(child, NULL, 0));
	close(perf);
	close(fd);
}

TEST_F_TIMEOUT(perf_arbitration, pinned_comes_in_where_a_cpu_is_counted, 60)
{
	if (!kernel_is(6, 2))
		SKIP(return, "before 6.2 perf core does not reschedule for such an event");
	pinned_comes_in(_metadata, self->dev, CPU);
}

/* Idle counters that the previous task leaves on the PMU are evicted as well. */
TEST_F_TIMEOUT(perf_arbitration, pinned_comes_in_where_a_task_was_counted, 60)
{
	if (!kernel_is(6, 2))
		SKIP(return, "before 6.2 perf core does not reschedule for such an event");
	pinned_comes_in(_metadata, self->dev, TASK);
}

/* An event that its own task opens while all counters are in use has one after the next switch. */
TEST_F_TIMEOUT(perf_arbitration, pinned_opened_too_late_is_helped, 60)
{
	struct perf_event_attr pin = cycles_copy(0);
	int fd, perf, i, late = 0;
	uint64_t v[3];

	pin.pinned = 1;
	pin.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	fd = open_ours(self->dev, CPU, all);
	ASSERT_GE(fd, 0);
	for (i = 0; i < 20; i++) {
		spin_ns(20 * NSEC_PER_MSEC);
		perf = perf_open(&pin, 0, -1, -1);
		ASSERT_GE(perf, 0);
		late += !pinned_values(perf, v);
		sleep_ns(NSEC_PER_MSEC / 10);
		EXPECT_TRUE(pinned_values(perf, v));
		close(perf);
	}
	TH_LOG("%d of %d found no counter at first", late, i);
	close(fd);
}

/*
 * A pinned event that execve() enables counts from then on, although pmcgrp had all counters. Then
 * the group has them again.
 */
TEST_F_TIMEOUT(perf_arbitration, pinned_enabled_by_execve, 60)
{
	struct perf_event_attr pin = cycles_copy(0);
	struct group_values before, after;
	uint64_t v[3];
	int fd, perf, go, i;
	pid_t child;

	pin.pinned = 1;
	pin.disabled = 1;
	pin.enable_on_exec = 1;
	pin.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	fd = open_ours(self->dev, CPU, all);
	ASSERT_GE(fd, 0);
	for (i = 0; i < 20; i++) {
		child = exec_child(&go);
		ASSERT_GT(child, 0);
		perf = perf_open(&pin, child, -1, -1);
		ASSERT_GE(perf, 0);
		spin_ns((i % 5 + 10) * NSEC_PER_MSEC);
		ASSERT_TRUE(exec_go(child, go));
		ASSERT_TRUE(pinned_values(perf, v));
		EXPECT_GT(v[0], 0);
		EXPECT_GT(v[1], 0);
		EXPECT_EQ(v[1], v[2]);
		close(perf);
		spin_ns(10 * NSEC_PER_MSEC);	/* the next tick finds the event gone */
		ASSERT_TRUE(group_values(fd, all, &before));
		spin_ns(5 * NSEC_PER_MSEC);
		ASSERT_TRUE(group_values(fd, all, &after));
		EXPECT_EQ(after.enabled - before.enabled, after.running - before.running);
	}
	close(fd);
}

/*
 * Beside a pinned event, and shortly after perf's flexible events have contended: the set of a
 * context and one that perf core schedules in share the PMU as they do otherwise.
 */
TEST_F_TIMEOUT(perf_arbitration, sets_are_fair_beside_a_pinned_event, 60)
{
	struct perf_event_attr pin = cycles_copy(all);
	int fd[2], perf[COUNTERS_MOST], pinned, percent, i;
	struct share since[2];
	pid_t child;

	pin.pinned = 1;
	fd[0] = group_of(self->dev, half, attr, PMCGRP_CREATE_INHERIT);
	ASSERT_GE(fd[0], 0);
	ASSERT_TRUE(open_perf(perf, TASK, half));
	spin_ns(100 * NSEC_PER_MSEC);
	close_perf(perf, half);
	fd[1] = group_of(self->dev, half, attr + all - half, 0);
	ASSERT_GE(fd[1], 0);
	pinned = perf_open(&pin, 0, -1, -1);
	ASSERT_GE(pinned, 0);
	child = fork();
	while (!child)
		sched_yield();
	ASSERT_GT(child, 0);
	for (i = 0; i < 2; i++)
		ASSERT_TRUE(share_start(&since[i], fd[i]));
	for (i = 0; i < 150; i++) {
		spin_ns(NSEC_PER_MSEC);
		sched_yield();
	}
	for (i = 0; i < 2; i++) {
		percent = share_of(&since[i], fd[i]) / 100;
		TH_LOG("%s: %d %%", i ? "context" : "inherited", percent);
		EXPECT_GE(percent, 35);
		close(fd[i]);
	}
	EXPECT_TRUE(end_child(child));
	close(pinned);
}

TEST_HARNESS_MAIN
