// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups that do not all fit the PMU are multiplexed as whole sets. A set that fits
 * never waits. Pinned groups are scheduled first.
 */
#include "pmcgrp_apart.h"
#include "kselftest_harness.h"

FIXTURE(rotation)
{
	int dev;
	unsigned int half;	/* members of a group of which two do not fit */
};

FIXTURE_SETUP(rotation)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	if (!deterministic())
		SKIP(return, "shares of time need a hardware PMU and a deterministic guest");
	self->half = more_than_half();
	apart_by_hold();	/* found out while there are counters left */
	/* on the CPU whose counters the perf events have */
	ASSERT_TRUE(run_on(0));
}

FIXTURE_TEARDOWN(rotation)
{
	close(self->dev);
}

/* nr different counters of cycles, none of which another set has */
static void fill(struct perf_event_attr *attr, unsigned int nr, unsigned int set)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		attr[i] = cycles_copy(COUNTERS_MOST * set + i);
}

static double percent(const struct group_values *v)
{
	return 100.0 * v->running / v->enabled;
}

TEST_F(rotation, three_groups_that_want_more_than_half)
{
	struct perf_event_attr attr[COUNTERS_MOST];
	unsigned int nr = self->half;
	struct group_values v[3];
	int fd[3], i;

	for (i = 0; i < 3; i++) {
		fill(attr, nr, i);
		fd[i] = group_of(self->dev, nr, attr, PMCGRP_CREATE_DISABLED);
		ASSERT_GE(fd[i], 0);
	}
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, ioctl(fd[i], PERF_EVENT_IOC_ENABLE, 0));
	spin_ns(300 * NSEC_PER_MSEC);
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, ioctl(fd[i], PERF_EVENT_IOC_DISABLE, 0));
	for (i = 0; i < 3; i++) {
		ASSERT_TRUE(group_values(fd[i], nr, &v[i]));
		TH_LOG("group %d of %u: %.2f %% of %llu us, %llu to %llu cycles", i, nr,
		       percent(&v[i]), (unsigned long long)v[i].enabled / 1000,
		       (unsigned long long)v[i].m[0].value,
		       (unsigned long long)v[i].m[nr - 1].value);
	}
	for (i = 0; i < 3; i++) {
		EXPECT_GT(percent(&v[i]), 29.33);
		EXPECT_LT(percent(&v[i]), 37.33);
		/* one interval for all members, to the unit: the PMU is held at both ends */
		EXPECT_TRUE(members_together(&v[i], nr, 0));
		/* and it is the interval that running says: cycles are nanoseconds here */
		EXPECT_LT(llabs((long long)(v[i].m[0].value - v[i].running)),
			  (long long)v[i].running / 100);
	}
}

/* perf stops at the first group that does not fit; pmcgrp goes on past it. */
TEST_F(rotation, a_small_group_goes_on_past_large_ones)
{
	struct perf_event_attr attr[COUNTERS_MOST];
	unsigned int nr[3];
	struct group_values v[3];
	int fd[3], i;

	nr[2] = counters() > 4 ? 2 : 1;
	nr[0] = counters() - nr[2];
	nr[1] = nr[0];
	for (i = 0; i < 3; i++) {
		fill(attr, nr[i], i);
		fd[i] = group_of(self->dev, nr[i], attr, PMCGRP_CREATE_DISABLED);
		ASSERT_GE(fd[i], 0);
	}
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, ioctl(fd[i], PERF_EVENT_IOC_ENABLE, 0));
	spin_ns(200 * NSEC_PER_MSEC);
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, ioctl(fd[i], PERF_EVENT_IOC_DISABLE, 0));
	for (i = 0; i < 3; i++) {
		ASSERT_TRUE(group_values(fd[i], nr[i], &v[i]));
		TH_LOG("group %d of %u: %.2f %%", i, nr[i], percent(&v[i]));
	}
	EXPECT_GT(percent(&v[0]), 45);
	EXPECT_GT(percent(&v[1]), 45);
	EXPECT_GT(percent(&v[2]), 99);
}

/* A group that does not fit with a pinned perf event waits, and takes nothing from others. */
TEST_F(rotation, a_group_that_never_fits_harms_no_one)
{
	struct perf_event_attr attr[COUNTERS_MOST], pin = cycles_copy(999);
	unsigned int all = counters();
	struct group_values v, w;
	int huge, fd, perf;

	pin.pinned = 1;
	perf = perf_open(&pin, -1, 0, -1);
	ASSERT_GE(perf, 0);
	fill(attr, all, 0);
	huge = group_of(self->dev, all, attr, 0);
	ASSERT_GE(huge, 0);
	fill(attr, all - 1, 1);
	fd = group_of(self->dev, all - 1, attr, 0);
	ASSERT_GE(fd, 0);
	spin_ns(300 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(huge, all, &v));
	ASSERT_TRUE(group_values(fd, all - 1, &w));
	close(perf);
	TH_LOG("too large: %.2f %%, the other one: %.2f %%", percent(&v), percent(&w));
	EXPECT_EQ(0, v.running);
	EXPECT_EQ(0, v.m[0].value);
	EXPECT_GT(v.enabled, 290 * NSEC_PER_MSEC);
	EXPECT_GT(percent(&w), 99.5);
}

/* A group that was alone is not penalised; one that was absent does not monopolise the PMU. */
TEST_F(rotation, one_that_was_alone_and_a_newcomer)
{
	struct perf_event_attr attr[COUNTERS_MOST];
	unsigned int nr = self->half;
	struct group_values v[4];
	int cpu_fd, fd, round;

	fill(attr, nr, 0);
	cpu_fd = group_of_cpu(self->dev, 0, nr, attr);
	ASSERT_GE(cpu_fd, 0);
	sleep_ns(NSEC_PER_SEC);
	fill(attr, nr, 1);
	fd = group_of(self->dev, nr, attr, 0);
	ASSERT_GE(fd, 0);
	for (round = 0; round < 2; round++) {
		ASSERT_TRUE(group_values(cpu_fd, nr, &v[0]));
		ASSERT_TRUE(group_values(fd, nr, &v[1]));
		spin_ns(200 * NSEC_PER_MSEC);
		ASSERT_TRUE(group_values(cpu_fd, nr, &v[2]));
		ASSERT_TRUE(group_values(fd, nr, &v[3]));
		TH_LOG("of 200 ms: the CPU's group %llu us, the newcomer %llu us",
		       (unsigned long long)(v[2].running - v[0].running) / 1000,
		       (unsigned long long)(v[3].running - v[1].running) / 1000);
		EXPECT_GT(v[2].running - v[0].running, 80 * NSEC_PER_MSEC);
		EXPECT_GT(v[3].running - v[1].running, 80 * NSEC_PER_MSEC);
		sleep_ns(NSEC_PER_SEC);
	}
}

/* Software members count exactly while their group is scheduled. */
TEST_F(rotation, groups_of_hardware_and_software)
{
	struct perf_event_attr attr[COUNTERS_MOST + 2];
	unsigned int last = self->half, faults_at = last - 1, clock = last + 1;
	struct group_values v[3];
	uint64_t faults = 0;
	volatile char *mem;
	int fd[3], i, k;

	mem = fresh_pages(512);
	ASSERT_NE(NULL, mem);
	for (i = 0; i < 3; i++) {
		fill(attr, self->half, i);
		attr[last] = attr[faults_at];
		attr[faults_at] = sw(PERF_COUNT_SW_PAGE_FAULTS);
		attr[clock] = sw(PERF_COUNT_SW_TASK_CLOCK);
		fd[i] = group_of(self->dev, clock + 1, attr, PMCGRP_CREATE_DISABLED);
		ASSERT_GE(fd[i], 0);
	}
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, ioctl(fd[i], PERF_EVENT_IOC_ENABLE, 0));
	for (k = 0; k < 512; k++) {
		mem[k * sysconf(_SC_PAGESIZE)] = 1;
		spin_ns(NSEC_PER_MSEC / 4);
	}
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, ioctl(fd[i], PERF_EVENT_IOC_DISABLE, 0));
	for (i = 0; i < 3; i++) {
		ASSERT_TRUE(group_values(fd[i], clock + 1, &v[i]));
		EXPECT_TRUE(counts_together(v[i].m[0].value, v[i].m[last].value, v[i].enabled, 0));
		EXPECT_LT(llabs((long long)(v[i].m[clock].value - v[i].running)),
			  (long long)v[i].running / 100);
		EXPECT_GT(v[i].m[faults_at].value, 100);
		faults += v[i].m[faults_at].value;
	}
	/* one group at a time, with hardly a gap between them */
	TH_LOG("512 page faults: %llu counted", (unsigned long long)faults);
	EXPECT_GE(faults, 500);
	EXPECT_LE(faults, 530);
}

/* Groups with the same events share counters: none waits. */
TEST_F(rotation, fifty_groups_of_the_same_events)
{
	struct perf_event_attr attr[2] = { hw(PERF_COUNT_HW_CPU_CYCLES),
					   cycles_copy(1) };
	struct group_values v;
	int fd[50], i;

	for (i = 0; i < 50; i++) {
		fd[i] = group_of_cpu(self->dev, 0, 2, attr);
		ASSERT_GE(fd[i], 0);
	}
	sleep_ns(20 * NSEC_PER_MSEC);
	for (i = 0; i < 50; i++) {
		ASSERT_TRUE(group_values(fd[i], 2, &v));
		EXPECT_EQ(v.enabled, v.running);
		EXPECT_GE(v.running, 20 * NSEC_PER_MSEC);
		EXPECT_GT(v.m[0].value, 0);
	}
}

/* Multiplexed groups never evict a pinned group. */
TEST_F(rotation, pinned_comes_first)
{
	struct perf_event_attr attr[COUNTERS_MOST];
	unsigned int nr = self->half;
	struct group_values v[3];
	int fd[3], i;

	for (i = 0; i < 3; i++) {
		fill(attr, nr, i);
		fd[i] = group_of(self->dev, nr, attr, i == 2 ? PMCGRP_CREATE_PINNED : 0);
		ASSERT_GE(fd[i], 0);
	}
	for (i = 0; i < 2; i++)
		ASSERT_TRUE(group_values(fd[i], nr, &v[i]));
	spin_ns(100 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd[2], nr, &v[2]));
	EXPECT_EQ(v[2].enabled, v[2].running);
	EXPECT_GT(v[2].running, 90 * NSEC_PER_MSEC);
	/* the others got nothing meanwhile, and all once it is gone */
	close(fd[2]);
	for (i = 0; i < 2; i++) {
		ASSERT_TRUE(group_values(fd[i], nr, &v[2]));
		EXPECT_LT(v[2].running - v[i].running, 9 * NSEC_PER_MSEC);
		v[i] = v[2];
	}
	spin_ns(100 * NSEC_PER_MSEC);
	/* half, less 4 intervals of vruntime that may be due, and one interval under way */
	for (i = 0; i < 2; i++) {
		ASSERT_TRUE(group_values(fd[i], nr, &v[2]));
		EXPECT_GT(v[2].running - v[i].running, 37 * NSEC_PER_MSEC);
	}
}

/* As perf does: a pinned group that cannot run is in error, and reads as EOF. */
TEST_F(rotation, pinned_that_does_not_fit_reads_as_eof)
{
	struct perf_event_attr attr[COUNTERS_MOST];
	unsigned int nr = self->half;
	struct group_values v;
	int fd[2], i;

	for (i = 0; i < 2; i++) {
		fill(attr, nr, i);
		fd[i] = group_of(self->dev, nr, attr, PMCGRP_CREATE_PINNED);
		ASSERT_GE(fd[i], 0);
	}
	EXPECT_TRUE(group_values(fd[0], nr, &v));
	EXPECT_EQ(0, read(fd[1], &v, sizeof(v)));
	/* enabling it again tries again */
	ASSERT_EQ(0, ioctl(fd[1], PERF_EVENT_IOC_ENABLE, 0));
	EXPECT_EQ(0, read(fd[1], &v, sizeof(v)));
	close(fd[0]);
	ASSERT_EQ(0, ioctl(fd[1], PERF_EVENT_IOC_ENABLE, 0));
	spin_ns(5 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd[1], nr, &v));
	EXPECT_GT(v.running, 4 * NSEC_PER_MSEC);
	EXPECT_GT(v.m[nr - 1].value, 0);
}

/* Pinned perf events keep their counters; pmcgrp uses the others, and later all. */
TEST_F(rotation, with_pinned_perf_events)
{
	struct perf_event_attr attr[COUNTERS_MOST], pin = cycles_copy(0);
	unsigned int nr = self->half, pins = counters() - nr + 1, i;
	struct group_values v, w;
	int perf[COUNTERS_MOST], fd;
	uint64_t value;

	pin.pinned = 1;
	for (i = 0; i < pins; i++) {
		perf[i] = perf_open(&pin, -1, 0, -1);
		ASSERT_GE(perf[i], 0);
	}
	fill(attr, nr, 0);
	fd = group_of(self->dev, nr, attr, 0);
	ASSERT_GE(fd, 0);
	spin_ns(20 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd, nr, &v));
	EXPECT_EQ(0, v.running);
	for (i = 0; i < pins; i++) {
		ASSERT_EQ(sizeof(value), read(perf[i], &value, sizeof(value)));
		EXPECT_GT(value, 19 * NSEC_PER_MSEC);
		close(perf[i]);
	}
	spin_ns(200 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd, nr, &w));
	EXPECT_GT(w.running - v.running, 100 * NSEC_PER_MSEC);
}

TEST_HARNESS_MAIN
