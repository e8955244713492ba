// SPDX-License-Identifier: GPL-2.0-only
/*
 * A time series of one task: every sample that is due is there, at 100 us and at 10 us.
 * The test prints what that costs, and what perf's sampling of the same group costs.
 */
#include "pmcgrp_rate.h"
#include "pmcgrp_ring.h"
#include <sys/resource.h>
#include "kselftest_harness.h"

#define NR	4
#define PAGES	8192	/* of 4 KiB: for 100,000 samples and more */

FIXTURE(sampling_rate)
{
	int dev;
	struct rates rates;
	struct perf_event_attr attr[NR];
};

FIXTURE_SETUP(sampling_rate)
{
	unsigned int i;

	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	/* A sample each 10 us is just what perf core throttles by default. */
	self->rates = rates_allow(400000);
	ASSERT_LT(0, self->rates.rate);
	for (i = 0; i < NR; i++)
		self->attr[i] = i % 2 ? instructions_copy(i) : cycles_copy(i);
}

FIXTURE_TEARDOWN(sampling_rate)
{
	rates_restore(&self->rates);
	close(self->dev);
}

struct series {
	uint64_t time;
	uint64_t enabled;
	uint64_t gap;
	unsigned long reported;	/* missed samples and throttle records so far */
	unsigned long unreported;	/* gaps without any */
	unsigned long backward;
	struct ring_sum *sum;
	uint64_t period;
};

static void see_series(const struct sample *s, void *arg)
{
	struct series *p = arg;

	uint64_t gap = p->time ? s->read.enabled - p->enabled : 0;
	unsigned long reported = p->sum->missed + p->sum->throttles;

	if (gap > p->gap)
		p->gap = gap;
	if (gap > 2 * p->period && reported == p->reported)
		p->unreported++;
	p->reported = reported;
	p->backward += s->time < p->time;
	p->time = s->time;
	p->enabled = s->read.enabled;
}

static unsigned long switches(void)
{
	struct rusage use;

	getrusage(RUSAGE_SELF, &use);
	return use.ru_nvcsw + use.ru_nivcsw;
}

/* Returns how long a loop takes that takes so many ns alone. */
static uint64_t timed_loop(uint64_t ns)
{
	uint64_t start = now_ns();

	loop(ns / 4);	/* 2 ns an instruction, two instructions an iteration */
	return now_ns() - start;
}

/* Runs the loop while the group is sampled into a ring every so often. */
static uint64_t sampled_by_pmcgrp(struct __test_metadata *_metadata, int dev,
				  const struct perf_event_attr *attr, uint64_t period, uint64_t ns)
{
	struct perf_event_attr by = every(period, sw(PERF_COUNT_SW_CPU_CLOCK));
	struct pmcgrp_trigger_add add;
	struct ring_sum sum = {};
	struct group_values v;
	struct series series = { .sum = &sum, .period = period };
	unsigned long switched, slack;
	uint64_t took, due;
	struct ring ring;
	int fd;

	fd = group_of(dev, NR, attr, PMCGRP_CREATE_DISABLED);
	if (fd < 0 || !ring_ready(fd, PAGES, &ring) || add_trigger(fd, &by, &add) ||
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return 0;
	switched = switches();
	took = timed_loop(ns);
	EXPECT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	switched = switches() - switched;
	EXPECT_TRUE(group_values(fd, NR, &v));
	ring_drain(&ring, &sum, see_series, &series);
	due = v.enabled / period;
	TH_LOG("%llu us:", (unsigned long long)period / 1000);
	TH_LOG("%lu samples in %llu ns (%llu), %lu missed, %lu throttled, gap %llu, %lu switches",
	       sum.samples, (unsigned long long)v.enabled,
	       (unsigned long long)due, sum.missed, sum.throttles, (unsigned long long)series.gap,
	       switched);
	EXPECT_EQ(v.enabled, v.running);
	/*
	 * perf core sets its timer anew at each switch: to 2 us with what was left, but if
	 * that was nothing it begins a period anew.  At a switch the clock event goes out after
	 * the set, a few microseconds later.
	 */
	slack = 1 + switched * 6000 / period;
	EXPECT_GE(due + slack, sum.samples + sum.missed);
	if (period < 100000)
		slack += switched;
	EXPECT_LE(due, sum.samples + sum.missed + slack);
	EXPECT_EQ(0, series.unreported);
	EXPECT_EQ(0, sum.lost + sum.throttles + sum.others + series.backward);
	if (period >= 100000)
		EXPECT_EQ(0, sum.missed);
	EXPECT_FALSE(sum.broken);
	ring_unmap(&ring);
	close(fd);
	return took;
}

/* The same by perf: the leader is a clock, and its samples have the group's values. */
static uint64_t sampled_by_perf(const struct perf_event_attr *attr, uint64_t period, uint64_t ns,
				unsigned long *samples)
{
	struct perf_event_attr lead = every(period, sw(PERF_COUNT_SW_CPU_CLOCK));
	struct ring_sum sum = {};
	struct ring ring;
	unsigned int i;
	uint64_t took;
	int fd[1 + NR];

	lead.sample_type = SAMPLE_TYPE;
	lead.read_format = FORMAT;
	lead.disabled = 1;
	fd[0] = perf_open(&lead, 0, -1, -1);
	for (i = 0; i < NR; i++) {
		struct perf_event_attr member = attr[i];

		member.read_format = FORMAT;
		fd[1 + i] = perf_open(&member, 0, -1, fd[0]);
		if (fd[1 + i] < 0)
			return 0;
	}
	if (ring_map(fd[0], PAGES, &ring) ||
	    ioctl(fd[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP))
		return 0;
	took = timed_loop(ns);
	ioctl(fd[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	ring_drain(&ring, &sum, NULL, NULL);
	*samples = sum.samples;
	ring_unmap(&ring);
	for (i = 0; i <= NR; i++)
		close(fd[i]);
	return took;
}

static unsigned int permille(uint64_t took, uint64_t alone)
{
	return (took - alone) * 1000 / took;
}

static void both(struct __test_metadata *_metadata, int dev, const struct perf_event_attr *attr,
		 uint64_t period, uint64_t ns)
{
	uint64_t alone, ours, perfs;
	unsigned long samples = 0;

	alone = timed_loop(ns);
	ours = sampled_by_pmcgrp(_metadata, dev, attr, period, ns);
	ASSERT_GT(ours, 0);
	perfs = sampled_by_perf(attr, period, ns, &samples);
	ASSERT_GT(perfs, 0);
	TH_LOG("%llu us: pmcgrp takes %u.%u %% of the time, perf %u.%u %% (%lu samples)",
	       (unsigned long long)period / 1000, permille(ours, alone) / 10,
	       permille(ours, alone) % 10, permille(perfs, alone) / 10,
	       permille(perfs, alone) % 10, samples);
	EXPECT_LT(ours, perfs);
}

static uint64_t rate_ns(void)
{
	const char *text = getenv("RATE_SECONDS");

	return (text ? strtoul(text, NULL, 0) : 2) * NSEC_PER_SEC;
}

TEST_F_TIMEOUT(sampling_rate, each_100_us, 600)
{
	if (!deterministic())
		SKIP(return, "time is not the guest's own");
	both(_metadata, self->dev, self->attr, 100000, rate_ns());
}

TEST_F_TIMEOUT(sampling_rate, each_10_us, 600)
{
	if (!deterministic())
		SKIP(return, "time is not the guest's own");
	/* more than half of the time goes into the samples */
	both(_metadata, self->dev, self->attr, 10000, rate_ns() / 22);
}

TEST_HARNESS_MAIN
