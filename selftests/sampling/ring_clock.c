// SPDX-License-Identifier: GPL-2.0-only
/*
 * The clock of records: CLOCK_MONOTONIC or CLOCK_MONOTONIC_RAW, so that they can be compared with
 * what a program reads itself.  Clocks that cannot be read in an NMI are refused.
 */
#include "pmcgrp_testpmu.h"
#include "pmcgrp_ring.h"
#include "kselftest_harness.h"

/* The kernel's fast readers may be behind or ahead for so long while the clock is adjusted. */
#define SLOP_NS	1000

static const int clocks[] = { CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW };

FIXTURE(ring_clock)
{
	int dev;
	struct perf_event_attr attr;
	struct pmcgrp_ring_setup setup;
};

FIXTURE_SETUP(ring_clock)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->attr = sw(PERF_COUNT_SW_PAGE_FAULTS);
}

FIXTURE_TEARDOWN(ring_clock)
{
	close(self->dev);
}

static int set_clock(int fd, uint32_t flags, int clock, struct pmcgrp_ring_setup *setup)
{
	*setup = (struct pmcgrp_ring_setup){
		.size = sizeof(*setup),
		.flags = flags,
		.sample_type = flags & PMCGRP_RING_COMPACT ? PERF_SAMPLE_TIME : SAMPLE_TYPE,
		.clockid = clock,
	};
	return ioctl(fd, PMCGRP_IOC_RING, setup) ? -errno : 0;
}

static uint64_t clock_ns(int clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

TEST_F(ring_clock, refused)
{
	static const int bad[] = {
		CLOCK_REALTIME, CLOCK_BOOTTIME, CLOCK_TAI, CLOCK_PROCESS_CPUTIME_ID,
		CLOCK_THREAD_CPUTIME_ID, CLOCK_MONOTONIC_COARSE, 31, 32, 63, 64, 65, -1, INT32_MIN,
		INT32_MAX
	};
	int fd = group_of(self->dev, 1, &self->attr, 0);
	unsigned int i;

	ASSERT_GE(fd, 0);
	for (i = 0; i < COUNT(bad); i++) {
		EXPECT_EQ(-EINVAL, set_clock(fd, PMCGRP_RING_USE_CLOCKID, bad[i], &self->setup)) {
			TH_LOG("clock %d", bad[i]);
		}
		EXPECT_EQ(PMCGRP_WHY_CLOCK, self->setup.why);
	}
	/* a clock that nobody would look at */
	EXPECT_EQ(-EINVAL, set_clock(fd, 0, CLOCK_MONOTONIC, &self->setup));
	EXPECT_EQ(PMCGRP_WHY_CLOCK, self->setup.why);
	self->setup = (struct pmcgrp_ring_setup){ .size = sizeof(self->setup), .__reserved = 1 };
	EXPECT_EQ(-1, ioctl(fd, PMCGRP_IOC_RING, &self->setup));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(PMCGRP_WHY_RESERVED, self->setup.why);
	EXPECT_EQ(0, set_clock(fd, PMCGRP_RING_USE_CLOCKID, CLOCK_MONOTONIC, &self->setup));
	close(fd);
}

/* What a ring has: samples, or records of few bytes, all of the time between two readings. */
struct times {
	uint64_t after, before;
	uint64_t last;
	unsigned int records;
	unsigned int wrong;
};

static void look(struct times *t, uint64_t time)
{
	t->records++;
	t->wrong += time + SLOP_NS < t->after || time > t->before + SLOP_NS || time < t->last;
	t->last = time;
}

static void look_at_all(struct ring *ring, struct times *t)
{
	union record record;
	int got;

	while ((got = ring_next(ring, &record)) > 0) {
		if (record.header.type == PERF_RECORD_SAMPLE)
			look(t, record.sample.time);
		else if (record.header.type == PMCGRP_RECORD_COMPACT)
			look(t, record.compact.time);
		else if (record.header.type == PERF_RECORD_LOST)
			look(t, record.lost.sample_id.time);
	}
	t->wrong += got < 0;
}

/* Samples on request, and of a timer, which has other ways through the module. */
static struct times times_of(int fd, int clock, struct ring *ring)
{
	struct perf_event_attr timer = every(NSEC_PER_MSEC, sw(PERF_COUNT_SW_CPU_CLOCK));
	struct times t = { .after = clock_ns(clock) };
	struct pmcgrp_trigger_add add;
	uint64_t from;
	unsigned int i;

	for (i = 0; i < 10; i++)
		t.wrong += sample_now(fd, i) != 1;
	t.wrong += add_trigger(fd, &timer, &add) != 0;
	from = clock_ns(clock);
	while (clock_ns(clock) < from + 20 * NSEC_PER_MSEC)
		loop(1000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	t.before = clock_ns(clock);
	look_at_all(ring, &t);
	return t;
}

TEST_F(ring_clock, of_samples)
{
	struct ring ring;
	struct times t;
	unsigned int i;
	int fd;

	for (i = 0; i < 2 * COUNT(clocks); i++) {
		uint32_t flags = PMCGRP_RING_USE_CLOCKID | (i % 2 ? PMCGRP_RING_COMPACT : 0);

		fd = group_of(self->dev, 1, &self->attr, 0);
		ASSERT_GE(fd, 0);
		ASSERT_EQ(0, set_clock(fd, flags, clocks[i / 2], &self->setup));
		ASSERT_EQ(0, ring_map(fd, 4, &ring));
		t = times_of(fd, clocks[i / 2], &ring);
		EXPECT_EQ(0, t.wrong);
		EXPECT_LT(10, t.records);
		close(fd);
		ring_unmap(&ring);
	}
}

/* Records of losses, and of tasks that were switched from. */
TEST_F(ring_clock, of_other_records)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_PROCESS, .nr = 1, .attr = &self->attr };
	unsigned int i, lost = 0;
	struct times t = {};
	struct ring ring;
	int fd, cpu;

	ASSERT_TRUE(stay_on(0));
	fd = ask_group(self->dev, &ask);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, set_clock(fd, PMCGRP_RING_USE_CLOCKID, CLOCK_MONOTONIC, &self->setup));
	cpu = sched_getcpu();
	ASSERT_EQ(0, ring_map_at(fd, PMCGRP_RING_OFFSET(cpu), 1, PROT_READ | PROT_WRITE, &ring));
	t.after = clock_ns(CLOCK_MONOTONIC);
	for (i = 0; i < 1000; i++)
		lost += sample_now(fd, 0) == 0;
	EXPECT_LT(0, lost);
	t.before = clock_ns(CLOCK_MONOTONIC);
	look_at_all(&ring, &t);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	t.before = clock_ns(CLOCK_MONOTONIC);
	i = t.records;
	look_at_all(&ring, &t);
	EXPECT_LT(i, t.records);
	EXPECT_EQ(0, t.wrong);
	close(fd);
	ring_unmap(&ring);
}

TEST_HARNESS_MAIN
