// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters that overflow at the worst times: thousands of times a second while groups are created
 * and closed, around every switch, and while counters are being stopped. On x86 each is an NMI,
 * which interrupts anything. An NMI without a known source is in the kernel's log.
 */
#include "pmcgrp_apart.h"
#include "pmcgrp_rate.h"
#include "pmcgrp_ring.h"
#include "kselftest_harness.h"

#define YIELDS	40
#define CHANGES	4	/* to perf events and groups in a step */

/* Opens a sampling perf event of cycles on the last free counter. */
static int perf_samples(uint64_t period, pid_t pid, int cpu, unsigned int pages, struct ring *ring)
{
	struct perf_event_attr attr = every(period, cycles_copy(COUNTERS_MOST));
	int fd;

	attr.pinned = 1;
	attr.disabled = 1;
	attr.sample_type = PERF_SAMPLE_TIME;
	fd = perf_open(&attr, pid, cpu, -1);
	if (fd < 0 || ring_map(fd, pages, ring))
		return -1;
	return fd;
}

/*
 * Whether every overflow becomes an interrupt.  QEMU's Arm PMU forgets most of those that are due
 * when counters are stopped and started again, perf's alone as well.
 */
#ifdef __aarch64__
#define ALL_OVERFLOWS_COME 0
#else
#define ALL_OVERFLOWS_COME 1
#endif

FIXTURE(overflow)
{
	int dev;
	struct rates rates;
	unsigned int nr;	/* all counters but one, which overflows */
	struct perf_event_attr attr[COUNTERS_MOST];
};

FIXTURE_SETUP(overflow)
{
	unsigned int i;

	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->rates.rate = -1;
	if (!have_cycles() || !deterministic())
		SKIP(return, "needs a PMU and a deterministic guest");
	self->rates = rates_allow(400000);
	ASSERT_LT(0, self->rates.rate);
	ASSERT_TRUE(run_on(0));
	self->nr = counters() - 1;
	apart_by_hold();	/* found out while there are counters left */
	for (i = 0; i < self->nr; i++)
		self->attr[i] = cycles_copy(i);
}

FIXTURE_TEARDOWN(overflow)
{
	rates_restore(&self->rates);
	close(self->dev);
}

/* All perf samples are there, and each group that was created meanwhile is right. */
TEST_F_TIMEOUT(overflow, often_while_groups_come_and_go, 120)
{
	const uint64_t period = 100000;		/* of cycles, which are nanoseconds here */
	struct rng rng = { .state = 20261123 };
	unsigned int groups = 0, unequal = 0;
	bool lost;
	struct ring_sum sum = {};
	struct group_values v;
	uint64_t end, value;
	struct ring ring;
	int fd, perf;

	perf = perf_samples(period, -1, 0, 64, &ring);
	ASSERT_GE(perf, 0);
	ASSERT_EQ(0, ioctl(perf, PERF_EVENT_IOC_ENABLE, 0));
	for (end = now_ns() + NSEC_PER_SEC / 2; now_ns() < end; groups++) {
		fd = group_of(self->dev, 1 + below(&rng, self->nr), self->attr, 0);
		ASSERT_GE(fd, 0);
		loop(below(&rng, 100000));
		if (chance(&rng, 30))
			sleep_ns(below(&rng, NSEC_PER_MSEC));
		ASSERT_LT(0, read(fd, &v, sizeof(v)));
		ASSERT_EQ(v.enabled, v.running);
		unequal += !members_together(&v, v.nr, 0);
		close(fd);
	}
	ASSERT_EQ(0, ioctl(perf, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(sizeof(value), read(perf, &value, sizeof(value)));
	ring_drain(&ring, &sum, NULL, NULL);
	TH_LOG("%lu%s overflows in %llu cycles, with %u groups, %u of them uneven", sum.samples,
	       ALL_OVERFLOWS_COME ? "" : " counted", (unsigned long long)value, groups, unequal);
	EXPECT_LT(rt_kernel() ? 10 : 100, groups);	/* there each release waits for RCU */
	EXPECT_EQ(0, unequal);
	lost = ALL_OVERFLOWS_COME && sum.samples + 1 < value / period;
	if (!rt_kernel())
		EXPECT_FALSE(lost);
	EXPECT_LE(sum.samples, value / period);
	EXPECT_EQ(0, sum.lost + sum.throttles);
	EXPECT_FALSE(sum.broken);
	ring_unmap(&ring);
	close(perf);
	if (lost && __test_passed(_metadata))
		XFAIL(return, "a few of perf's samples are not taken on PREEMPT_RT");
}

/* A child that always yields the CPU. */
static pid_t yielder(void)
{
	pid_t pid = fork();

	while (!pid)
		sched_yield();
	return pid;
}

struct in_order {
	unsigned int nr;
	struct group_values last;
	unsigned long wrong;
};

static void see_in_order(const struct sample *s, void *arg)
{
	struct in_order *seen = arg;

	seen->wrong += !members_together(&s->read, seen->nr, YIELDS) ||
		       !group_follows(&seen->last, &s->read, seen->nr);
	seen->last = s->read;
}

/* Periods that put an overflow at every place of scheduling in and out. */
TEST_F_TIMEOUT(overflow, around_switches, 120)
{
	unsigned int nr = self->nr, k, yields;
	unsigned long samples = 0, missed = 0;
	pid_t pid = yielder();

	ASSERT_GT(pid, 0);
	ASSERT_LT(0, nr);
	for (k = 0; k < 200; k++) {
		uint64_t period = 10007 + 31 * k, apart;
		struct perf_event_attr by = every(period, cycles_copy(COUNTERS_MOST));
		struct in_order seen = { .nr = nr };
		struct ring_sum sum = {};
		struct group_values v;
		struct ring ring;
		int fd;

		fd = triggered(self->dev, self->attr, nr, PMCGRP_CREATE_DISABLED, by, 64, &ring);
		ASSERT_GE(fd, 0);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		for (yields = 0; yields < YIELDS; yields++)
			sched_yield();
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_TRUE(group_values(fd, nr, &v));
		ring_drain(&ring, &sum, see_in_order, &seen);
		EXPECT_EQ(v.enabled, v.running);
		EXPECT_TRUE(members_together(&v, nr, YIELDS));
		EXPECT_TRUE(group_follows(&seen.last, &v, nr));
		EXPECT_EQ(0, seen.wrong);
		EXPECT_EQ(0, sum.lost + sum.throttles + sum.others);
		EXPECT_FALSE(sum.broken);
		apart = apart_most(v.enabled, YIELDS);
		EXPECT_GE((v.m[0].value + apart) / period + 1, sum.samples + sum.missed);
		/*
		 * One is still to come at the end. And where the trigger goes off just as it
		 * overflows, its driver begins another period (x86_perf_event_set_period()).
		 */
		if (ALL_OVERFLOWS_COME)
			EXPECT_LE(v.m[0].value / period,
				  sum.samples + sum.missed + 2 + apart / period);
		samples += sum.samples;
		missed += sum.missed;
		ring_unmap(&ring);
		close(fd);
	}
	TH_LOG("%lu samples, %lu not taken during a change", samples, missed);
	EXPECT_LT(missed, samples);
	ASSERT_TRUE(end_child(pid));
}

/* From the kprobe until the group is on again (kmod/sched/newcomer.c), 10,000 instructions. */
#define ROOM_NS		(25 * 1000ULL)

/*
 * The one overflow falls on each place between the end of the work and the counter's end: then
 * its interrupt may find nothing any more. A perf event and a trigger alternate, with a group on
 * the other counters, which may take the one that has just become free.
 */
TEST_F_TIMEOUT(overflow, just_as_it_is_stopped, 120)
{
	const uint64_t period = 20000;
	unsigned int steps = 0, early = 0, none = 0, full = 0;
	struct group_values v, w;
	uint64_t loops, value;
	int fd, beside, perf;

	beside = group_of(self->dev, self->nr, self->attr, 0);
	ASSERT_GE(beside, 0);
	ASSERT_TRUE(group_values(beside, self->nr, &v));
	for (loops = period / 8; loops < period / 4; loops += 7, steps++) {
		struct ring_sum by_perf = {}, by_ours = {};
		struct ring ring[2];

		perf = perf_samples(period, 0, -1, 1, &ring[0]);
		ASSERT_GE(perf, 0);
		ASSERT_EQ(0, ioctl(perf, PERF_EVENT_IOC_ENABLE, 0));
		loop(loops);
		ASSERT_EQ(0, ioctl(perf, PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_EQ(sizeof(value), read(perf, &value, sizeof(value)));
		ring_drain(&ring[0], &by_perf, NULL, NULL);
		ring_unmap(&ring[0]);
		close(perf);
		full += value >= period;
		early += value < period && by_perf.samples;
		none += value >= period && !by_perf.samples;
		EXPECT_GE(value / period, by_perf.samples);

		fd = triggered(self->dev, self->attr, 1, PMCGRP_CREATE_DISABLED,
			       every(period, cycles_copy(COUNTERS_MOST)), 1, &ring[1]);
		ASSERT_GE(fd, 0);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		loop(loops);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_TRUE(group_values(fd, 1, &w));
		ring_drain(&ring[1], &by_ours, NULL, NULL);
		EXPECT_GE(w.m[0].value / period, by_ours.samples + by_ours.missed);
		EXPECT_FALSE(by_ours.broken);
		ring_unmap(&ring[1]);
		close(fd);

		ASSERT_TRUE(group_values(beside, self->nr, &w));
		EXPECT_TRUE(members_together(&w, self->nr, CHANGES * (steps + 1)));
		EXPECT_TRUE(group_follows(&v, &w, self->nr));
		v = w;
	}
	TH_LOG("%u times; the period was full %u times, %u of them without a sample", steps, full,
	       none);
	/* The group makes room while perf core places a pinned event of perf's, once a step. */
	EXPECT_LE(v.enabled - v.enabled / 100 - steps * ROOM_NS, v.running);
	EXPECT_EQ(0, early);
	if (ALL_OVERFLOWS_COME)
		EXPECT_EQ(0, none);
	EXPECT_LT(0, full);
	EXPECT_LT(full, steps);
	close(beside);
}

TEST_HARNESS_MAIN
