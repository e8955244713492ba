// SPDX-License-Identifier: GPL-2.0-only
/*
 * A time series of one task: every sample that is due is there, at 100 us and at 10 us.
 * The test prints what that costs, and what perf's sampling of the same group costs.
 */
#include "pmcgrp_rate.h"
#include "pmcgrp_ring.h"
#include <sys/prctl.h>
#include <sys/resource.h>
#include "kselftest_harness.h"

#define NR	4
#define PAGES	8192	/* of 4 KiB: for 100,000 samples and more */
#define FEW	8	/* for 200 samples */

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

/* Counts how often the clocks of perf core expire on a CPU: a perf event of a kprobe. */
static int expiries_open(int cpu)
{
	static const char symbol[] = "perf_swevent_hrtimer";
	struct perf_event_attr attr = {
		.type = file_number("/sys/bus/event_source/devices/kprobe/type", ""),
		.size = sizeof(attr),
		.kprobe_func = (uintptr_t)symbol,
	};

	return perf_open(&attr, -1, cpu, -1);
}

static void spin_on(long cpu)
{
	run_on(cpu);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		loop(100000);
}

/*
 * With -icount the clock goes on while any of the CPUs executes: 10 us of each, and half of them
 * free.  Elsewhere, what a busy host's CPU can do in between; or as the environment says, by hand.
 */
static uint64_t period_of(long cpus)
{
	const char *text = getenv("RATE_PERIOD_NS");

	if (text)
		return strtoul(text, NULL, 0);
	if (deterministic())
		return 2 * cpus * 10000;
	return slow_kernel() ? 20 * NSEC_PER_MSEC : NSEC_PER_MSEC;
}

/*
 * On each CPU at once, into rings that are too small: whenever a clock expires there is a sample,
 * or one that is counted as lost.
 */
TEST_F_TIMEOUT(sampling_rate, all_cpus_at_once, 600)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), cpu;
	struct perf_event_attr by = every(period_of(cpus), sw(PERF_COUNT_SW_CPU_CLOCK));
	struct ask ask = { .target_type = PMCGRP_TARGET_ALL_CPUS, .nr = NR, .attr = self->attr,
			   .flags = PMCGRP_CREATE_DISABLED };
	struct ring_sum sum[cpus];
	struct pmcgrp_ring_setup setup;
	struct pmcgrp_trigger_add add;
	struct ring ring[cpus];
	int fd, expiries[cpus];
	pid_t child[cpus];
	uint64_t before[cpus], after[cpus], end, produced = 0, samples = 0;
	struct pmcgrp_info_member member[NR];
	struct pmcgrp_info_cpu place[NR * cpus];
	struct pmcgrp_info info = {
		.size = sizeof(info),
		.members = (uintptr_t)member,
		.nr_members = NR,
		.member_size = sizeof(member[0]),
		.cpus = (uintptr_t)place,
		.nr_cpus = NR * cpus,
		.cpu_size = sizeof(place[0]),
	};

	if (file_number("/sys/bus/event_source/devices/kprobe/type", "") < 0)
		SKIP(return, "no kprobe PMU");
	fd = ask_group(self->dev, &ask);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, setup_ring(fd, 0, SAMPLE_TYPE, 0, &setup));
	for (cpu = 0; cpu < cpus; cpu++) {
		sum[cpu] = (struct ring_sum){};
		ASSERT_EQ(0, ring_map_at(fd, PMCGRP_RING_OFFSET(cpu), FEW, PROT_READ | PROT_WRITE,
					 &ring[cpu]));
		expiries[cpu] = expiries_open(cpu);
		ASSERT_GE(expiries[cpu], 0);
		child[cpu] = fork();
		if (!child[cpu])
			spin_on(cpu);
		ASSERT_GT(child[cpu], 0);
	}
	ASSERT_EQ(0, add_trigger(fd, &by, &add));
	for (cpu = 0; cpu < cpus; cpu++)
		ASSERT_EQ(8, read(expiries[cpu], &before[cpu], 8));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	end = now_ns() + NSEC_PER_SEC / 5;
	while (now_ns() < end) {
		sleep_ns(20 * NSEC_PER_MSEC);
		for (cpu = 0; cpu < cpus; cpu++)
			ring_drain(&ring[cpu], &sum[cpu], NULL, NULL);
	}
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	for (cpu = 0; cpu < cpus; cpu++)
		ASSERT_EQ(8, read(expiries[cpu], &after[cpu], 8));
	for (cpu = 0; cpu < cpus; cpu++) {
		ring_drain(&ring[cpu], &sum[cpu], NULL, NULL);
		ASSERT_TRUE(end_child(child[cpu]));
		TH_LOG("CPU %ld: %llu expiries, %lu samples, %lu lost; %lu periods missed", cpu,
		       (unsigned long long)(after[cpu] - before[cpu]), sum[cpu].samples,
		       sum[cpu].lost, sum[cpu].missed);
		/* What is lost is told before the next sample that finds room. */
		EXPECT_GE(after[cpu] - before[cpu], sum[cpu].samples + sum[cpu].lost);
		if (deterministic())
			EXPECT_GT(sum[cpu].lost, 100);
		produced += after[cpu] - before[cpu];
		samples += sum[cpu].samples;
		EXPECT_FALSE(sum[cpu].broken);
		ring_unmap(&ring[cpu]);
		close(expiries[cpu]);
	}
	ASSERT_EQ(0, ioctl(fd, PMCGRP_IOC_INFO, &info));
	EXPECT_EQ(produced, samples + info.lost);
	close(fd);
}

TEST_HARNESS_MAIN
