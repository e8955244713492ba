// SPDX-License-Identifier: GPL-2.0-only
/*
 * A device is unplugged, or its driver unbound, while groups count events of its uncore PMUs: Linux
 * 6.15 and newer take the PMU away from its events. The groups keep what they have counted, and no
 * counter is on a PMU that has gone.
 *
 * needs: testpmu=yes
 */
#include "pmcgrp_uncore.h"
#include "kselftest_harness.h"

#define UNPLUGGED	"/sys/module/pmcgrp_testpmu/parameters/uncore_unplugged"
#define NR		2
#define TIMES		20

static bool unplugged(bool yes)
{
	int fd = open(UNPLUGGED, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, yes ? "Y" : "N", 1) == 1;

	if (fd >= 0)
		close(fd);
	return done;
}

FIXTURE(uncore_unplug)
{
	struct uncore uncore;
	struct perf_event_attr attr[NR];
	uint64_t ticks[UNCORE_CPUS_MAX];
	unsigned long long faults;
	int dev;
};

FIXTURE_SETUP(uncore_unplug)
{
	int p;

	self->dev = -1;
	if (!uncore_open(&self->uncore))
		SKIP(return, TESTPMU_MISSING);
	self->faults = self->uncore.pmu.faults;
	if (!unplugged(true)) {
		uncore_close(&self->uncore);
		SKIP(return, "this kernel does not take events from whoever has them");
	}
	ASSERT_TRUE(unplugged(false));
	uncore_close(&self->uncore);
	ASSERT_TRUE(uncore_open(&self->uncore));
	self->attr[0] = uncore_event(self->uncore.type[0], 1, 3);
	self->attr[1] = uncore_event(self->uncore.type[0], 2, 5);
	for (p = 0; p < self->uncore.packages; p++)
		self->ticks[p] = 7;
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
}

FIXTURE_TEARDOWN(uncore_unplug)
{
	if (self->dev < 0)
		return;
	EXPECT_TRUE(unplugged(false));
	EXPECT_EQ(self->faults, testpmu_faults());
	EXPECT_TRUE(uncore_box_empties(0));
	close(self->dev);
	uncore_close(&self->uncore);
}

/* A group of box 0 that has counted 7 ticks. */
static int counted(struct __test_metadata *_metadata, const struct uncore *uncore, int dev,
		   const struct perf_event_attr *attr, const uint64_t *ticks)
{
	int fd = uncore_group(dev, NR, attr, 0);

	EXPECT_GE(fd, 0);
	EXPECT_TRUE(uncore_tick(uncore, 7));
	EXPECT_TRUE(uncore_shows(uncore, fd, NR, attr, ticks));
	return fd;
}

TEST_F(uncore_unplug, sums_stay)
{
	const struct uncore *uncore = &self->uncore;
	struct group_values v, w;
	int fd, other;

	fd = counted(_metadata, uncore, self->dev, self->attr, self->ticks);
	ASSERT_TRUE(unplugged(true));
	ASSERT_TRUE(group_values(fd, NR, &v));
	EXPECT_EQ(7 * 3 * uncore->packages, v.m[0].value);
	EXPECT_EQ(7 * 5 * uncore->packages, v.m[1].value);
	EXPECT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	sleep_ns(50 * NSEC_PER_MSEC);	/* several ticks */
	ASSERT_TRUE(group_values(fd, NR, &w));
	EXPECT_EQ(v.m[0].value, w.m[0].value);
	EXPECT_EQ(v.running, w.running);
	other = uncore_group(self->dev, NR, self->attr, 0);
	EXPECT_LT(other, 0);
	EXPECT_EQ(ENOENT, errno);
	close(fd);
}

/* Enabled, disabled, and one that has just been closed, whose counters may be idle. */
TEST_F_TIMEOUT(uncore_unplug, again_and_again, 120)
{
	const struct uncore *uncore = &self->uncore;
	struct group_values v;
	unsigned int i;
	int fd;

	for (i = 0; i < TIMES; i++) {
		fd = counted(_metadata, uncore, self->dev, self->attr, self->ticks);
		if (i % 3 == 1)
			EXPECT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		if (i % 3 == 2)
			close(fd);
		ASSERT_TRUE(unplugged(true));
		if (i % 3 != 2) {
			EXPECT_TRUE(group_values(fd, NR, &v));
			EXPECT_EQ(7 * 3 * uncore->packages, v.m[0].value);
		}
		ASSERT_TRUE(unplugged(false));
		if (i % 3 != 2)
			close(fd);
	}
}

/* A child makes and closes groups all the time meanwhile. */
TEST_F_TIMEOUT(uncore_unplug, while_groups_come_and_go, 120)
{
	unsigned int i;
	int fd, status = 0;
	pid_t pid = fork();

	while (!pid) {
		fd = uncore_group(self->dev, NR, self->attr, 0);
		if (fd >= 0)
			close(fd);
		else if (errno != ENOENT && errno != ENODEV && errno != EXDEV)
			_exit(errno);	/* EXDEV: the PMU goes between two members */
	}
	ASSERT_GT(pid, 0);
	for (i = 0; i < TIMES; i++) {
		sleep_ns(5 * NSEC_PER_MSEC);
		EXPECT_TRUE(unplugged(true));
		sleep_ns(NSEC_PER_MSEC);
		EXPECT_TRUE(unplugged(false));
	}
	if (waitpid(pid, &status, WNOHANG)) {
		TH_LOG("the child has ended with errno %d", WEXITSTATUS(status));
		pid = 0;
	}
	EXPECT_NE(0, pid);
	if (pid)
		EXPECT_TRUE(end_child(pid));
}

TEST_HARNESS_MAIN
