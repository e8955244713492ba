// SPDX-License-Identifier: GPL-2.0-only
/*
 * Background groups count with what nobody else wants.  A stranger's perf events and ordinary groups
 * find their counters at once, as if no background group were there.
 */
#include "pmcgrp_test.h"
#include <sched.h>
#include "kselftest_harness.h"

#define MEMBERS	8
#define TIMED	(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)
#define TIMES	1000

FIXTURE(background)
{
	int dev;
	unsigned int all;	/* counters that there are */
	unsigned int nr;	/* members of the background group */
	struct perf_event_attr ours[COUNTERS_MOST];
	struct perf_event_attr theirs[COUNTERS_MOST];
	int perf[COUNTERS_MOST];
	unsigned int nr_perf;
};

/* A stranger's events, and what the background group counts. */
FIXTURE_VARIANT(background)
{
	bool pinned;
	bool on_cpu;
	bool grouped;
	bool enabled_later;	/* by ioctl() */
	uint32_t target_type;
};

#define OF_CPU	.target_type = PMCGRP_TARGET_CPU
#define OF_PROCESS	.target_type = PMCGRP_TARGET_PROCESS
FIXTURE_VARIANT_ADD(background, flexible_of_task) { OF_CPU };
FIXTURE_VARIANT_ADD(background, pinned_of_task) { OF_CPU, .pinned = true };
FIXTURE_VARIANT_ADD(background, flexible_of_cpu) { OF_CPU, .on_cpu = true };
FIXTURE_VARIANT_ADD(background, pinned_of_cpu) { OF_CPU, .on_cpu = true, .pinned = true };
FIXTURE_VARIANT_ADD(background, group_of_task) { OF_CPU, .grouped = true };
FIXTURE_VARIANT_ADD(background, group_of_cpu) { OF_CPU, .grouped = true, .on_cpu = true };
FIXTURE_VARIANT_ADD(background, flexible_by_ioctl) { OF_CPU, .enabled_later = true };
FIXTURE_VARIANT_ADD(background, pinned_by_ioctl)
{
	OF_CPU, .enabled_later = true, .pinned = true
};

FIXTURE_VARIANT_ADD(background, task_beside_flexible) {};
FIXTURE_VARIANT_ADD(background, task_beside_pinned_of_cpu) { .on_cpu = true, .pinned = true };
FIXTURE_VARIANT_ADD(background, process_beside_flexible) { OF_PROCESS };
FIXTURE_VARIANT_ADD(background, process_beside_flexible_of_cpu) { OF_PROCESS, .on_cpu = true };

FIXTURE_SETUP(background)
{
	unsigned int i;

	if (!have_cycles())
		SKIP(return, "needs a hardware PMU");
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	ASSERT_TRUE(run_on(0));
	self->all = counters();
	self->nr = self->all < MEMBERS ? self->all : MEMBERS;
	for (i = 0; i < COUNTERS_MOST; i++) {
		self->ours[i] = cycles_copy(i);
		self->theirs[i] = cycles_copy(COUNTERS_MOST - 1 - i);
		self->theirs[i].read_format = TIMED;
		self->theirs[i].disabled = variant->enabled_later;
		self->theirs[i].pinned = variant->pinned && !(variant->grouped && i);
	}
}

FIXTURE_TEARDOWN(background)
{
	close(self->dev);
}

static int open_background(int dev, uint32_t type, unsigned int nr,
			   const struct perf_event_attr *attr)
{
	struct ask ask = {
		.target_type = type, .nr = nr, .attr = attr, .flags = PMCGRP_CREATE_BACKGROUND,
	};

	return ask_group(dev, &ask);
}

static bool open_perf(FIXTURE_DATA(background) *self, const FIXTURE_VARIANT(background) *variant,
		      unsigned int nr)
{
	int leader = -1;

	for (self->nr_perf = 0; self->nr_perf < nr; self->nr_perf++) {
		int fd = perf_open(&self->theirs[self->nr_perf], variant->on_cpu ? -1 : 0,
				   variant->on_cpu ? 0 : -1, leader);

		if (fd < 0)
			return false;
		self->perf[self->nr_perf] = fd;
		if (variant->grouped)
			leader = self->perf[0];
		if (variant->enabled_later && ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
			return false;
	}
	return true;
}

static void close_perf(FIXTURE_DATA(background) *self)
{
	while (self->nr_perf)
		close(self->perf[--self->nr_perf]);
}

/* How many have not counted all of the time.  read() of a pinned one in error gives 0 bytes. */
static unsigned int perf_starved(const FIXTURE_DATA(background) *self)
{
	struct {
		uint64_t value;
		uint64_t enabled;
		uint64_t running;
	} v;
	unsigned int i, nr = 0;

	for (i = 0; i < self->nr_perf; i++)
		nr += read(self->perf[i], &v, sizeof(v)) != sizeof(v) || !v.value ||
		      v.running != v.enabled;
	return nr;
}

/* Thousandths of the time for which a group is on in so many ns, and whether it counts just then. */
static int share_in(int fd, unsigned int nr, uint64_t ns)
{
	struct group_values v, w;

	if (!group_values(fd, nr, &v))
		return -1;
	spin_ns(ns);
	if (!group_values(fd, nr, &w) || w.enabled == v.enabled)
		return -1;
	if ((w.running == v.running) != (w.m[0].value == v.m[0].value))
		return -1;
	return (w.running - v.running) * 1000 / (w.enabled - v.enabled);
}

TEST_F_TIMEOUT(background, strangers_find_their_counters, 120)
{
	bool shares = deterministic();	/* else the host may stop a processor at any time */
	unsigned int n;
	int fd, share;

	fd = open_background(self->dev, variant->target_type, self->nr, self->ours);
	ASSERT_GE(fd, 0);
	spin_ns(10 * NSEC_PER_MSEC);
	for (n = 1; n <= self->all; n++) {
		share = share_in(fd, self->nr, 10 * NSEC_PER_MSEC);
		/* That of a task is off from where it comes in until the end of the switch. */
		if (shares)
			EXPECT_GE(share, variant->target_type == PMCGRP_TARGET_CPU ? 1000 : 990);
		ASSERT_TRUE(open_perf(self, variant, n));
		share = share_in(fd, self->nr, 20 * NSEC_PER_MSEC);
		EXPECT_EQ(0, perf_starved(self)) {
			TH_LOG("%u events, %u counters", n, self->all);
		}
		if (shares && n + self->nr > self->all) {
			EXPECT_EQ(0, share);
		} else if (shares) {
			EXPECT_GE(share, 990);
		}
		close_perf(self);
		spin_ns(5 * NSEC_PER_MSEC);
	}
	close(fd);
}

/* What is left is used: a group of half of the counters beside as many events. */
TEST_F_TIMEOUT(background, counts_beside_strangers, 60)
{
	unsigned int half = self->all / 2;
	int fd = open_background(self->dev, variant->target_type, half, self->ours), share;

	ASSERT_GE(fd, 0);
	ASSERT_TRUE(open_perf(self, variant, self->all - half));
	share = share_in(fd, half, 50 * NSEC_PER_MSEC);
	if (deterministic())
		EXPECT_GE(share, 990);
	EXPECT_EQ(0, perf_starved(self));
	close_perf(self);
	close(fd);
}

TEST_F_TIMEOUT(background, strangers_come_and_go, 120)
{
	struct group_values before, after;
	unsigned int i, wrong = 0;
	int fd = open_background(self->dev, variant->target_type, self->nr, self->ours);

	ASSERT_GE(fd, 0);
	ASSERT_TRUE(group_values(fd, self->nr, &before));
	for (i = 0; i < rounds_of(TIMES, 100); i++) {
		ASSERT_TRUE(open_perf(self, variant, 1 + i % self->all));
		loop(1000);
		wrong += perf_starved(self);
		close_perf(self);
		loop(1000);
	}
	EXPECT_EQ(0, wrong);
	ASSERT_TRUE(group_values(fd, self->nr, &after));
	EXPECT_GT(after.running, before.running);
	EXPECT_LT(after.running - before.running, after.enabled - before.enabled);
	close(fd);
}

FIXTURE(background_beside_ours)
{
	int dev;
	unsigned int all;
	struct perf_event_attr ours[COUNTERS_MOST];
	struct perf_event_attr theirs[COUNTERS_MOST];
};

FIXTURE_SETUP(background_beside_ours)
{
	unsigned int i;

	if (!have_cycles() || !deterministic())
		SKIP(return, "shares of time need a hardware PMU and a deterministic guest");
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	ASSERT_TRUE(run_on(0));
	self->all = counters();
	for (i = 0; i < COUNTERS_MOST; i++) {
		self->ours[i] = cycles_copy(i);
		self->theirs[i] = cycles_copy(COUNTERS_MOST - 1 - i);
	}
}

FIXTURE_TEARDOWN(background_beside_ours)
{
	close(self->dev);
}

/* An ordinary group of so many members is on from the start, whatever is in the background. */
TEST_F_TIMEOUT(background_beside_ours, ordinary_groups_find_their_counters, 60)
{
	struct group_values v;
	unsigned int n;
	int fd, other;

	fd = open_background(self->dev, PMCGRP_TARGET_CPU, self->all, self->ours);
	ASSERT_GE(fd, 0);
	for (n = 1; n <= self->all; n++) {
		EXPECT_EQ(1000, share_in(fd, self->all, 10 * NSEC_PER_MSEC));
		other = n % 2 ? group_of(self->dev, n, self->theirs, 0) :
				group_of_cpu(self->dev, 0, n, self->theirs);
		ASSERT_GE(other, 0);
		EXPECT_EQ(0, share_in(fd, self->all, 20 * NSEC_PER_MSEC));
		ASSERT_TRUE(group_values(other, n, &v));
		EXPECT_EQ(v.enabled, v.running);
		close(other);
		spin_ns(10 * NSEC_PER_MSEC);
	}
	close(fd);
}

/* Groups that do not fit together take turns; each is on whole or not at all. */
TEST_F_TIMEOUT(background_beside_ours, background_groups_take_turns, 60)
{
	unsigned int half = more_than_half();
	struct group_values v[2], w[2];
	uint64_t share[2];
	int fd[2], i;

	fd[0] = open_background(self->dev, PMCGRP_TARGET_CPU, half, self->ours);
	fd[1] = open_background(self->dev, PMCGRP_TARGET_TASK, half, self->theirs);
	ASSERT_GE(fd[0], 0);
	ASSERT_GE(fd[1], 0);
	spin_ns(50 * NSEC_PER_MSEC);
	for (i = 0; i < 2; i++)
		ASSERT_TRUE(group_values(fd[i], half, &v[i]));
	spin_ns(NSEC_PER_SEC);
	for (i = 0; i < 2; i++) {
		ASSERT_TRUE(group_values(fd[i], half, &w[i]));
		share[i] = (w[i].running - v[i].running) * 1000 / (w[i].enabled - v[i].enabled);
	}
	TH_LOG("shares %.1f and %.1f %%", share[0] / 10.0, share[1] / 10.0);
	EXPECT_GE(share[0], 450);
	EXPECT_GE(share[1], 450);
	EXPECT_LE(share[0] + share[1], 1000);
	EXPECT_GE(share[0] + share[1], 980);
	close(fd[0]);
	close(fd[1]);
}

/* Groups with the same events share a list, but not with an ordinary one. */
TEST_F_TIMEOUT(background_beside_ours, same_events, 60)
{
	int fd[3];

	fd[0] = open_background(self->dev, PMCGRP_TARGET_CPU, self->all, self->ours);
	fd[1] = open_background(self->dev, PMCGRP_TARGET_CPU, self->all, self->ours);
	ASSERT_GE(fd[0], 0);
	ASSERT_GE(fd[1], 0);
	EXPECT_EQ(1000, share_in(fd[0], self->all, 20 * NSEC_PER_MSEC));
	EXPECT_EQ(1000, share_in(fd[1], self->all, 20 * NSEC_PER_MSEC));
	fd[2] = group_of_cpu(self->dev, 0, self->all, self->ours);
	ASSERT_GE(fd[2], 0);
	EXPECT_EQ(1000, share_in(fd[2], self->all, 20 * NSEC_PER_MSEC));
	EXPECT_GE(share_in(fd[1], self->all, 20 * NSEC_PER_MSEC), 990);
	close(fd[2]);
	EXPECT_GE(share_in(fd[1], self->all, 20 * NSEC_PER_MSEC), 990);
	close(fd[0]);
	close(fd[1]);
}

TEST_F(background_beside_ours, what_does_not_go_with_it)
{
	static const uint64_t flags[] = {
		PMCGRP_CREATE_PINNED,
		PMCGRP_CREATE_LEADER,
		PMCGRP_CREATE_USER_READ,
	};
	struct perf_event_attr trigger = cycles_copy(0);
	struct pmcgrp_ring_setup ring = {
		.size = sizeof(ring), .sample_type = PERF_SAMPLE_TIME,
	};
	struct pmcgrp_trigger_add add = { .size = sizeof(add), .attr = (uintptr_t)&trigger };
	unsigned int i;
	int fd;

	for (i = 0; i < COUNT(flags); i++) {
		struct ask ask = {
			.nr = 1, .attr = self->ours, .flags = PMCGRP_CREATE_BACKGROUND | flags[i],
		};

		EXPECT_EQ(-EINVAL, ask_group(self->dev, &ask));
		EXPECT_EQ(PMCGRP_WHY_FLAGS, ask.create.why);
	}
	fd = open_background(self->dev, PMCGRP_TARGET_TASK, 1, self->ours);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, ioctl(fd, PMCGRP_IOC_RING, &ring));
	trigger.sample_period = 1000000;
	EXPECT_EQ(-1, ioctl(fd, PMCGRP_IOC_TRIGGER, &add));
	if (errno == EOPNOTSUPP)
		TH_LOG("this PMU has no interrupts");
	else
		EXPECT_EQ(PMCGRP_WHY_BACKGROUND, add.why);
	trigger = sw(PERF_COUNT_SW_CPU_CLOCK);
	trigger.sample_period = NSEC_PER_MSEC;
	EXPECT_EQ(0, ioctl(fd, PMCGRP_IOC_TRIGGER, &add));
	close(fd);
}

TEST_HARNESS_MAIN
