// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups that do not all fit the PMU take turns, whole; what fits never waits;
 * pinned groups come first.
 */
#include "pmcgrp_test.h"
#include "kselftest_harness.h"

#define ARM_COUNTERS	7	/* cortex-a57 in QEMU: six and the cycle counter */

FIXTURE(turns)
{
	int dev;
	struct perf_event_attr cycles;
};

FIXTURE_SETUP(turns)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	if (!deterministic())
		SKIP(return, "shares of time need a hardware PMU and a deterministic guest");
	self->cycles = event(PERF_TYPE_RAW, ARM_CPU_CYCLES);
}

FIXTURE_TEARDOWN(turns)
{
	close(self->dev);
}

/* nr different counters of cycles, numbered from first */
static void fill(struct perf_event_attr *attr, unsigned int nr, unsigned int first)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		attr[i] = raw_copy(ARM_CPU_CYCLES, first + i);
}

static double percent(const struct group_values *v)
{
	return 100.0 * v->running / v->enabled;
}

TEST_F(turns, three_groups_of_four_on_seven_counters)
{
	struct perf_event_attr attr[4];
	struct group_values v[3];
	int fd[3], i, j;

	for (i = 0; i < 3; i++) {
		fill(attr, 4, 4 * i);
		fd[i] = group_of(self->dev, 4, attr, PMCGRP_CREATE_DISABLED);
		ASSERT_GE(fd[i], 0);
	}
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, ioctl(fd[i], PERF_EVENT_IOC_ENABLE, 0));
	spin_ns(300 * NSEC_PER_MSEC);
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, ioctl(fd[i], PERF_EVENT_IOC_DISABLE, 0));
	for (i = 0; i < 3; i++) {
		ASSERT_TRUE(group_values(fd[i], 4, &v[i]));
		TH_LOG("group %d: %.2f %% of %llu us, %llu %llu %llu %llu cycles", i,
		       percent(&v[i]), (unsigned long long)v[i].enabled / 1000,
		       (unsigned long long)v[i].m[0].value, (unsigned long long)v[i].m[1].value,
		       (unsigned long long)v[i].m[2].value, (unsigned long long)v[i].m[3].value);
	}
	for (i = 0; i < 3; i++) {
		EXPECT_GT(percent(&v[i]), 29.33);
		EXPECT_LT(percent(&v[i]), 37.33);
		/* one interval for all members: to the unit, as the PMU is held at both ends */
		for (j = 1; j < 4; j++)
			EXPECT_EQ(v[i].m[0].value, v[i].m[j].value);
		/* and it is the interval that running says: cycles are nanoseconds here */
		EXPECT_LT(llabs((long long)(v[i].m[0].value - v[i].running)),
			  (long long)v[i].running / 100);
	}
}

/* perf stops at the first group that does not fit; pmcgrp goes on past it. */
TEST_F(turns, a_small_group_goes_on_past_large_ones)
{
	struct perf_event_attr attr[5], small[2];
	struct group_values v[3];
	int fd[3], i;

	for (i = 0; i < 2; i++) {
		fill(attr, 5, 8 * i);
		fd[i] = group_of(self->dev, 5, attr, PMCGRP_CREATE_DISABLED);
		ASSERT_GE(fd[i], 0);
	}
	fill(small, 2, 100);
	fd[2] = group_of(self->dev, 2, small, PMCGRP_CREATE_DISABLED);
	ASSERT_GE(fd[2], 0);
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, ioctl(fd[i], PERF_EVENT_IOC_ENABLE, 0));
	spin_ns(200 * NSEC_PER_MSEC);
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, ioctl(fd[i], PERF_EVENT_IOC_DISABLE, 0));
	for (i = 0; i < 3; i++) {
		ASSERT_TRUE(group_values(fd[i], i == 2 ? 2 : 5, &v[i]));
		TH_LOG("group %d: %.2f %%", i, percent(&v[i]));
	}
	EXPECT_GT(percent(&v[0]), 45);
	EXPECT_GT(percent(&v[1]), 45);
	EXPECT_GT(percent(&v[2]), 99);
}

/* One for which a pinned event of perf's leaves no room waits, and takes nothing from others. */
TEST_F(turns, a_group_that_never_fits_harms_no_one)
{
	struct perf_event_attr attr[ARM_COUNTERS], pin = raw_copy(ARM_CPU_CYCLES, 99);
	struct group_values v, w;
	int huge, fd, perf;

	pin.pinned = 1;
	perf = perf_open(&pin, -1, 0, -1);
	ASSERT_GE(perf, 0);
	fill(attr, ARM_COUNTERS, 0);
	huge = group_of(self->dev, ARM_COUNTERS, attr, 0);
	ASSERT_GE(huge, 0);
	fill(attr, ARM_COUNTERS - 1, 50);
	fd = group_of(self->dev, ARM_COUNTERS - 1, attr, 0);
	ASSERT_GE(fd, 0);
	spin_ns(300 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(huge, ARM_COUNTERS, &v));
	ASSERT_TRUE(group_values(fd, ARM_COUNTERS - 1, &w));
	close(perf);
	TH_LOG("too large: %.2f %%, beside it: %.2f %%", percent(&v), percent(&w));
	EXPECT_EQ(0, v.running);
	EXPECT_EQ(0, v.m[0].value);
	EXPECT_GT(v.enabled, 290 * NSEC_PER_MSEC);
	EXPECT_GT(percent(&w), 99.5);
}

/* Having been alone for long is no debt, having been away no claim. */
TEST_F(turns, one_that_was_alone_and_a_newcomer)
{
	struct perf_event_attr attr[5];
	struct group_values v[4];
	int cpu_fd, fd, round;

	fill(attr, 5, 0);
	cpu_fd = group_of_cpu(self->dev, 0, 5, attr);
	ASSERT_GE(cpu_fd, 0);
	sleep_ns(NSEC_PER_SEC);
	fill(attr, 5, 8);
	fd = group_of(self->dev, 5, attr, 0);
	ASSERT_GE(fd, 0);
	for (round = 0; round < 2; round++) {
		ASSERT_TRUE(group_values(cpu_fd, 5, &v[0]));
		ASSERT_TRUE(group_values(fd, 5, &v[1]));
		spin_ns(200 * NSEC_PER_MSEC);
		ASSERT_TRUE(group_values(cpu_fd, 5, &v[2]));
		ASSERT_TRUE(group_values(fd, 5, &v[3]));
		TH_LOG("of 200 ms: the CPU's group %llu us, the newcomer %llu us",
		       (unsigned long long)(v[2].running - v[0].running) / 1000,
		       (unsigned long long)(v[3].running - v[1].running) / 1000);
		EXPECT_GT(v[2].running - v[0].running, 80 * NSEC_PER_MSEC);
		EXPECT_GT(v[3].running - v[1].running, 80 * NSEC_PER_MSEC);
		sleep_ns(NSEC_PER_SEC);
	}
}

/* Software members go with their group's turns, and lose nothing within them. */
TEST_F(turns, groups_of_hardware_and_software)
{
	struct perf_event_attr attr[6];
	struct group_values v[3];
	uint64_t faults = 0;
	volatile char *mem;
	int fd[3], i, k;

	mem = fresh_pages(512);
	ASSERT_NE(NULL, mem);
	for (i = 0; i < 3; i++) {
		fill(attr, 4, 4 * i);
		attr[4] = attr[3];
		attr[3] = sw(PERF_COUNT_SW_PAGE_FAULTS);
		attr[5] = sw(PERF_COUNT_SW_TASK_CLOCK);
		fd[i] = group_of(self->dev, 6, attr, PMCGRP_CREATE_DISABLED);
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
		ASSERT_TRUE(group_values(fd[i], 6, &v[i]));
		EXPECT_EQ(v[i].m[0].value, v[i].m[4].value);
		EXPECT_LT(llabs((long long)(v[i].m[5].value - v[i].running)),
			  (long long)v[i].running / 100);
		EXPECT_GT(v[i].m[3].value, 100);
		faults += v[i].m[3].value;
	}
	/* one group at a time, with hardly a gap between them */
	TH_LOG("512 page faults: %llu counted", (unsigned long long)faults);
	EXPECT_GE(faults, 500);
	EXPECT_LE(faults, 530);
}

/* Groups that count the same share counters: no one waits. */
TEST_F(turns, fifty_groups_of_the_same_events)
{
	struct perf_event_attr attr[2] = { hw(PERF_COUNT_HW_CPU_CYCLES),
					   raw_copy(ARM_CPU_CYCLES, 1) };
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

/* A pinned group never gives up its place to those that take turns. */
TEST_F(turns, pinned_comes_first)
{
	struct perf_event_attr attr[4];
	struct group_values v[3];
	int fd[3], i;

	for (i = 0; i < 3; i++) {
		fill(attr, 4, 4 * i);
		fd[i] = group_of(self->dev, 4, attr, i == 2 ? PMCGRP_CREATE_PINNED : 0);
		ASSERT_GE(fd[i], 0);
	}
	for (i = 0; i < 2; i++)
		ASSERT_TRUE(group_values(fd[i], 4, &v[i]));
	spin_ns(100 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd[2], 4, &v[2]));
	EXPECT_EQ(v[2].enabled, v[2].running);
	EXPECT_GT(v[2].running, 90 * NSEC_PER_MSEC);
	/* the others got nothing meanwhile, and all once it is gone */
	close(fd[2]);
	for (i = 0; i < 2; i++) {
		ASSERT_TRUE(group_values(fd[i], 4, &v[2]));
		EXPECT_LT(v[2].running - v[i].running, 9 * NSEC_PER_MSEC);
		v[i] = v[2];
	}
	spin_ns(100 * NSEC_PER_MSEC);
	/* half less what one may have been owed, four turns of 4 ms, and one turn under way */
	for (i = 0; i < 2; i++) {
		ASSERT_TRUE(group_values(fd[i], 4, &v[2]));
		EXPECT_GT(v[2].running - v[i].running, 37 * NSEC_PER_MSEC);
	}
}

/* As perf does: a pinned group that cannot run is in error, and reads as EOF. */
TEST_F(turns, pinned_that_does_not_fit_reads_as_eof)
{
	struct perf_event_attr attr[4];
	struct group_values v;
	int fd[2], i;

	for (i = 0; i < 2; i++) {
		fill(attr, 4, 4 * i);
		fd[i] = group_of(self->dev, 4, attr, PMCGRP_CREATE_PINNED);
		ASSERT_GE(fd[i], 0);
	}
	EXPECT_TRUE(group_values(fd[0], 4, &v));
	EXPECT_EQ(0, read(fd[1], &v, sizeof(v)));
	/* enabling it again tries again */
	ASSERT_EQ(0, ioctl(fd[1], PERF_EVENT_IOC_ENABLE, 0));
	EXPECT_EQ(0, read(fd[1], &v, sizeof(v)));
	close(fd[0]);
	ASSERT_EQ(0, ioctl(fd[1], PERF_EVENT_IOC_ENABLE, 0));
	spin_ns(5 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd[1], 4, &v));
	EXPECT_GT(v.running, 4 * NSEC_PER_MSEC);
	EXPECT_GT(v.m[3].value, 0);
}

/* A perf user who pins counters keeps them; pmcgrp has the rest, then all. */
TEST_F(turns, beside_pinned_perf_events)
{
	struct perf_event_attr attr[4], pin = self->cycles;
	struct group_values v, w;
	uint64_t value;
	int perf[4], fd, i;

	pin.pinned = 1;
	for (i = 0; i < 4; i++) {
		perf[i] = perf_open(&pin, -1, 0, -1);
		ASSERT_GE(perf[i], 0);
	}
	fill(attr, 4, 0);
	fd = group_of(self->dev, 4, attr, 0);
	ASSERT_GE(fd, 0);
	spin_ns(20 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd, 4, &v));
	EXPECT_EQ(0, v.running);
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(sizeof(value), read(perf[i], &value, sizeof(value)));
		EXPECT_GT(value, 19 * NSEC_PER_MSEC);
		close(perf[i]);
	}
	spin_ns(200 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd, 4, &w));
	EXPECT_GT(w.running - v.running, 100 * NSEC_PER_MSEC);
}

TEST_HARNESS_MAIN
