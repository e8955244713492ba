// SPDX-License-Identifier: GPL-2.0-only
/*
 * Perf events that are opened or enabled while their task runs count at once, although pmcgrp's
 * counters are on the PMU: idle ones, or those of groups, if the events are pinned.
 */
#include "pmcgrp_test.h"
#include <sys/prctl.h>
#include "kselftest_harness.h"

#define TIMES	6

/*
 * A switch to a task with a pinned event takes sets off until that event is in, here 4 to 11 us
 * (kmod/sched/pinned_room.c). A few switches fall into a hundred openings, which would be 150 us
 * or more.
 */
#define SWITCHES_NS	(40 * 1000ULL)

#define TIMED	(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

FIXTURE(newcomer)
{
	int dev;
	unsigned int all;
	struct perf_event_attr attr[COUNTERS_MOST];
	int fd;		/* the group whose counters are on the PMU */
	pid_t child;	/* its task, or 0 */
};

/* Whose counters are on the PMU, and whether they are idle. */
enum whose {
	OF_CPU,
	OF_SELF,
	OF_OTHER,	/* of a task that sleeps */
};

enum begin {
	OPENED,
	BY_IOCTL,
	BY_PRCTL,
};

FIXTURE_VARIANT(newcomer)
{
	enum whose whose;
	bool active;	/* the group is enabled */
	bool on_cpu;	/* the perf events are of the CPU */
	enum begin begin;
};

FIXTURE_VARIANT_ADD(newcomer, cpu_opened) { .whose = OF_CPU };
FIXTURE_VARIANT_ADD(newcomer, cpu_ioctl) { .whose = OF_CPU, .begin = BY_IOCTL };
FIXTURE_VARIANT_ADD(newcomer, cpu_prctl) { .whose = OF_CPU, .begin = BY_PRCTL };
FIXTURE_VARIANT_ADD(newcomer, cpu_opened_on_cpu) { .whose = OF_CPU, .on_cpu = true };
FIXTURE_VARIANT_ADD(newcomer, cpu_ioctl_on_cpu)
{
	.whose = OF_CPU, .on_cpu = true, .begin = BY_IOCTL
};

FIXTURE_VARIANT_ADD(newcomer, self_opened) { .whose = OF_SELF };
FIXTURE_VARIANT_ADD(newcomer, self_ioctl) { .whose = OF_SELF, .begin = BY_IOCTL };
FIXTURE_VARIANT_ADD(newcomer, other_opened) { .whose = OF_OTHER };
FIXTURE_VARIANT_ADD(newcomer, other_ioctl_on_cpu)
{
	.whose = OF_OTHER, .on_cpu = true, .begin = BY_IOCTL
};

FIXTURE_VARIANT_ADD(newcomer, active_cpu_opened) { .whose = OF_CPU, .active = true };
FIXTURE_VARIANT_ADD(newcomer, active_cpu_ioctl_on_cpu)
{
	.whose = OF_CPU, .active = true, .on_cpu = true, .begin = BY_IOCTL
};

FIXTURE_VARIANT_ADD(newcomer, active_self_opened) { .whose = OF_SELF, .active = true };
FIXTURE_VARIANT_ADD(newcomer, active_self_ioctl)
{
	.whose = OF_SELF, .active = true, .begin = BY_IOCTL
};

static pid_t naps(void)
{
	pid_t pid = fork();

	while (!pid) {
		spin_ns(NSEC_PER_MSEC);
		sleep_ns(50 * NSEC_PER_MSEC);
	}
	return pid;
}

FIXTURE_SETUP(newcomer)
{
	unsigned int i;

	self->fd = -1;
	if (!have_cycles() || !deterministic())
		SKIP(return, "shares of time need a hardware PMU and a deterministic guest");
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	ASSERT_TRUE(run_on(0));
	self->all = counters();
	for (i = 0; i < self->all; i++)
		self->attr[i] = cycles_copy(i);
	self->child = variant->whose == OF_OTHER ? naps() : 0;
	if (variant->whose == OF_CPU)
		self->fd = group_of_cpu(self->dev, 0, self->all, self->attr);
	else
		self->fd = group_of_task(self->dev, self->child, self->all, self->attr, 0);
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(newcomer)
{
	if (self->fd < 0)
		return;
	if (self->child)
		EXPECT_TRUE(end_child(self->child));
	close(self->fd);
	close(self->dev);
}

/* The counters of the group are on the PMU, and idle unless it is active. */
static void occupy(struct __test_metadata *_metadata, int fd, enum whose whose, bool active,
		   unsigned int all)
{
	struct group_values v, w;

	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	if (whose == OF_OTHER) {
		sleep_ns(60 * NSEC_PER_MSEC);	/* the child was there, and sleeps again */
		return;
	}
	spin_ns(30 * NSEC_PER_MSEC);	/* what was before is forgotten */
	ASSERT_TRUE(group_values(fd, all, &v));
	spin_ns(5 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd, all, &w));
	ASSERT_EQ(w.enabled - v.enabled, w.running - v.running);
	if (!active)
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
}

static bool begin(enum begin begin, const int *fd, unsigned int nr)
{
	unsigned int i;

	if (begin == BY_PRCTL)
		return !prctl(PR_TASK_PERF_EVENTS_ENABLE);
	for (i = 0; begin == BY_IOCTL && i < nr; i++)
		if (ioctl(fd[i], PERF_EVENT_IOC_ENABLE, 0))
			return false;
	return true;
}

static void come(struct __test_metadata *_metadata, unsigned int nr, bool pinned, bool on_cpu,
		 enum begin how)
{
	struct perf_event_attr attr;
	int fd[COUNTERS_MOST];
	uint64_t v[3];
	unsigned int i, lost = 0;

	for (i = 0; i < nr; i++) {
		attr = cycles_copy(i);
		attr.pinned = pinned;
		attr.disabled = how != OPENED;
		attr.read_format = TIMED;
		fd[i] = perf_open(&attr, on_cpu ? -1 : 0, on_cpu ? 0 : -1, -1);
		ASSERT_GE(fd[i], 0);
	}
	ASSERT_TRUE(begin(how, fd, nr));
	spin_ns(NSEC_PER_MSEC / 10);
	for (i = 0; i < nr; i++) {
		if (read(fd[i], v, sizeof(v)) != sizeof(v)) {
			lost++;
			continue;
		}
		EXPECT_GE(v[1], NSEC_PER_MSEC / 10);
		EXPECT_EQ(v[1], v[2]);
		EXPECT_GT(v[0], 0);
	}
	EXPECT_EQ(0, lost);
	for (i = 0; i < nr; i++)
		close(fd[i]);
}

/* As many pinned events as there are counters, and one alone. */
TEST_F_TIMEOUT(newcomer, pinned, 60)
{
	unsigned int i;

	for (i = 0; i < TIMES; i++) {
		occupy(_metadata, self->fd, variant->whose, variant->active, self->all);
		come(_metadata, i % 2 ? self->all : 1, true, variant->on_cpu, variant->begin);
	}
}

/* Flexible ones wait for groups, by turns, but not for idle counters. */
TEST_F_TIMEOUT(newcomer, flexible, 60)
{
	unsigned int i;

	if (variant->active)
		SKIP(return, "perf's turn comes later");
	for (i = 0; i < TIMES; i++) {
		occupy(_metadata, self->fd, variant->whose, false, self->all);
		come(_metadata, i % 2 ? self->all : 1, false, variant->on_cpu, variant->begin);
	}
}

/* An active group has its counters back once the event is closed; while both fit it keeps them. */
TEST_F_TIMEOUT(newcomer, group_goes_on, 60)
{
	struct perf_event_attr pin = cycles_copy(0);
	struct group_values v, w;
	uint64_t lost;
	int half, fd;
	unsigned int i;

	if (!variant->active)
		SKIP(return, "the group is disabled");
	occupy(_metadata, self->fd, variant->whose, true, self->all);
	for (i = 0; i < TIMES; i++) {
		come(_metadata, 1, true, variant->on_cpu, variant->begin);
		spin_ns(10 * NSEC_PER_MSEC);
		ASSERT_TRUE(group_values(self->fd, self->all, &v));
		spin_ns(5 * NSEC_PER_MSEC);
		ASSERT_TRUE(group_values(self->fd, self->all, &w));
		EXPECT_EQ(w.enabled - v.enabled, w.running - v.running);
	}
	close(self->fd);
	half = variant->whose == OF_CPU ? group_of_cpu(self->dev, 0, self->all / 2, self->attr) :
					  group_of(self->dev, self->all / 2, self->attr, 0);
	ASSERT_GE(half, 0);
	spin_ns(30 * NSEC_PER_MSEC);
	pin.pinned = 1;
	ASSERT_TRUE(group_values(half, self->all / 2, &v));
	for (i = 0; i < 100; i++) {
		fd = perf_open(&pin, variant->on_cpu ? -1 : 0, variant->on_cpu ? 0 : -1, -1);
		ASSERT_GE(fd, 0);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		close(fd);
	}
	ASSERT_TRUE(group_values(half, self->all / 2, &w));
	lost = (w.enabled - v.enabled) - (w.running - v.running);
	EXPECT_LE(lost, SWITCHES_NS);
	self->fd = half;
}

TEST_HARNESS_MAIN
