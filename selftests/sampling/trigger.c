// SPDX-License-Identifier: GPL-2.0-only
/* Triggers: every kind of event that can cause a sample, and what is refused. */
#include "pmcgrp_rate.h"
#include "pmcgrp_ring.h"
#include "kselftest_harness.h"

FIXTURE(trigger)
{
	int dev;
	struct perf_event_attr attr[MIXED];
	long page;
	struct rates rates;
};

FIXTURE_SETUP(trigger)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	mixed_members(self->attr);
	self->page = sysconf(_SC_PAGESIZE);
	self->rates.rate = -1;
}

FIXTURE_TEARDOWN(trigger)
{
	rates_restore(&self->rates);
	close(self->dev);
}

static struct perf_event_attr clock_every(uint64_t ns)
{
	return every(ns, sw(PERF_COUNT_SW_CPU_CLOCK));
}

TEST_F(trigger, refused)
{
	struct pmcgrp_trigger_add add;
	struct perf_event_attr attr;
	struct ring ring;
	int fd;

	fd = group_of(self->dev, 1, self->attr, 0);
	ASSERT_GE(fd, 0);
	attr = clock_every(NSEC_PER_MSEC);
	EXPECT_EQ(-EINVAL, add_trigger(fd, &attr, &add));
	EXPECT_EQ(PMCGRP_WHY_NO_RING, add.why);
	ASSERT_TRUE(ring_ready(fd, 1, &ring));

	attr = sw(PERF_COUNT_SW_CPU_CLOCK);
	EXPECT_EQ(-EINVAL, add_trigger(fd, &attr, &add));
	EXPECT_EQ(PMCGRP_WHY_PERIOD, add.why);
	attr = clock_every(1ULL << 63);
	EXPECT_EQ(-EINVAL, add_trigger(fd, &attr, &add));
	EXPECT_EQ(PMCGRP_WHY_PERIOD, add.why);
	attr.freq = 1;
	attr.sample_freq = 100001;
	EXPECT_EQ(-EINVAL, add_trigger(fd, &attr, &add));
	EXPECT_EQ(PMCGRP_WHY_PERIOD, add.why);
	attr = clock_every(NSEC_PER_MSEC);
	attr.sample_type = PERF_SAMPLE_IP;
	EXPECT_EQ(-EINVAL, add_trigger(fd, &attr, &add));
	EXPECT_EQ(PMCGRP_WHY_ATTR_FIELD, add.why);
	attr = every(1, event(PERF_TYPE_BREAKPOINT, 0));
	EXPECT_EQ(-EOPNOTSUPP, add_trigger(fd, &attr, &add));
	EXPECT_EQ(PMCGRP_WHY_EVENT_KIND, add.why);
	attr = every(1, sw(999));
	EXPECT_EQ(-ENOENT, add_trigger(fd, &attr, &add));
	EXPECT_EQ(PMCGRP_WHY_EVENT_UNKNOWN, add.why);
	attr = every(1, event(PERF_TYPE_TRACEPOINT, 0xffffff));
	EXPECT_LT(add_trigger(fd, &attr, &add), 0);
	EXPECT_NE(PMCGRP_WHY_NONE, add.why);
	EXPECT_EQ(0, add.id);
	EXPECT_EQ(0, add.index);

	attr = clock_every(NSEC_PER_MSEC);
	add = (struct pmcgrp_trigger_add){ .size = sizeof(add), .flags = 1,
					   .attr = (uintptr_t)&attr };
	EXPECT_EQ(-1, ioctl(fd, PMCGRP_IOC_TRIGGER, &add));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(PMCGRP_WHY_FLAGS, add.why);
	add = (struct pmcgrp_trigger_add){ .size = sizeof(add), .__reserved = 1,
					   .attr = (uintptr_t)&attr };
	EXPECT_EQ(-1, ioctl(fd, PMCGRP_IOC_TRIGGER, &add));
	EXPECT_EQ(PMCGRP_WHY_RESERVED, add.why);
	add = (struct pmcgrp_trigger_add){ .size = sizeof(add) };
	EXPECT_EQ(-1, ioctl(fd, PMCGRP_IOC_TRIGGER, &add));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(PMCGRP_WHY_ATTR_POINTER, add.why);
	ring_unmap(&ring);
	close(fd);
}

TEST_F(trigger, as_many_as_there_may_be)
{
	struct perf_event_attr attr = every(1, sw(PERF_COUNT_SW_EMULATION_FAULTS));
	struct pmcgrp_trigger_add add;
	uint64_t last = 0;
	struct ring ring;
	unsigned int i;
	int fd;

	fd = group_of(self->dev, 1, self->attr, 0);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(ring_ready(fd, 1, &ring));
	for (i = 1; i <= PMCGRP_TRIGGERS_MAX; i++) {
		ASSERT_EQ(0, add_trigger(fd, &attr, &add));
		EXPECT_EQ(i, add.index);
		EXPECT_GT(add.id, last);
		last = add.id;
	}
	EXPECT_EQ(-ENOSPC, add_trigger(fd, &attr, &add));
	EXPECT_EQ(PMCGRP_WHY_TRIGGERS_MAX, add.why);
	ring_unmap(&ring);
	close(fd);
}

struct steps {
	uint64_t nr;
	uint64_t time;
	uint64_t enabled;
	uint64_t gap;
	unsigned long uneven;
	unsigned long backward;
};

/*
 * Each sample counts those before it, and itself or not: perf core updates the member or
 * the trigger first, and the order may change when they are enabled or scheduled in.
 */
static void see_step(const struct sample *s, void *arg)
{
	struct steps *steps = arg;

	steps->uneven += s->read.m[0].value != steps->nr && s->read.m[0].value != steps->nr + 1;
	steps->nr++;
	steps->backward += s->time < steps->time || s->read.enabled < steps->enabled;
	if (steps->enabled && s->read.enabled - steps->enabled > steps->gap)
		steps->gap = s->read.enabled - steps->enabled;
	steps->time = s->time;
	steps->enabled = s->read.enabled;
}

/* Every page fault is a sample, and each sample shows one page fault more. */
TEST_F(trigger, page_faults)
{
	struct perf_event_attr faults = sw(PERF_COUNT_SW_PAGE_FAULTS);
	volatile char *mem = fresh_pages(300);
	struct ring_sum sum = {};
	struct steps steps = {};
	union record record;
	struct ring ring;
	unsigned int i;
	int fd;

	fd = triggered(self->dev, &faults, 1, PMCGRP_CREATE_DISABLED, every(1, faults), 16, &ring);
	ASSERT_GE(fd, 0);
	mem[0] = 1;
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	for (i = 1; i <= 100; i++)
		mem[i * self->page] = 1;
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	mem[i++ * self->page] = 1;
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	for (; i <= 201; i++)
		mem[i * self->page] = 1;
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(1, ring_record(&ring, 0, ring_head(&ring), &record));
	EXPECT_EQ((uintptr_t)mem + self->page, record.sample.addr);
	EXPECT_EQ(1, record.sample.period);
	ring_drain(&ring, &sum, see_step, &steps);
	EXPECT_EQ(200, sum.samples);
	EXPECT_EQ(0, sum.lost + sum.missed + sum.throttles + sum.others);
	EXPECT_EQ(0, steps.uneven);
	EXPECT_EQ(0, steps.backward);
	ring_unmap(&ring);
	close(fd);
}

TEST_F(trigger, every_hundredth)
{
	struct perf_event_attr faults = sw(PERF_COUNT_SW_PAGE_FAULTS);
	volatile char *mem = fresh_pages(2000);
	struct ring_sum sum = {};
	struct ring ring;
	unsigned int i;
	int fd;

	fd = triggered(self->dev, &faults, 1, 0, every(100, faults), 4, &ring);
	ASSERT_GE(fd, 0);
	for (i = 0; i < 2000; i++)
		mem[i * self->page] = 1;
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ring_drain(&ring, &sum, NULL, NULL);
	EXPECT_EQ(20, sum.samples);
	ring_unmap(&ring);
	close(fd);
}

/* A child that answers each byte. */
static pid_t answerer(int in, int out)
{
	pid_t pid = fork();
	char c;

	if (pid)
		return pid;
	while (read(in, &c, 1) == 1 && write(out, &c, 1) == 1)
		;
	_exit(0);
}

/* The group's own switches: seen while the task still counts. */
TEST_F(trigger, context_switches)
{
	struct perf_event_attr switches = sw(PERF_COUNT_SW_CONTEXT_SWITCHES);
	struct ring_sum sum = {};
	struct steps steps = {};
	struct group_values v;
	struct ring ring;
	int there[2], back[2], fd;
	unsigned int i;
	char c = 'x';
	pid_t pid;

	/* On the same CPU: there is no answer without a switch, however slow all is. */
	ASSERT_TRUE(run_on(0));
	ASSERT_EQ(0, pipe(there));
	ASSERT_EQ(0, pipe(back));
	pid = answerer(there[0], back[1]);
	ASSERT_GT(pid, 0);
	fd = triggered(self->dev, &switches, 1, PMCGRP_CREATE_DISABLED, every(1, switches), 64,
		       &ring);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(1, write(there[1], &c, 1));
		ASSERT_EQ(1, read(back[0], &c, 1));
	}
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_TRUE(end_child(pid));
	ASSERT_TRUE(group_values(fd, 1, &v));
	EXPECT_GE(v.m[0].value, 100);
	ring_drain(&ring, &sum, see_step, &steps);
	EXPECT_LE(sum.samples, v.m[0].value);
	EXPECT_GE(sum.samples + 1, v.m[0].value);
	EXPECT_EQ(0, sum.lost + sum.missed + sum.others);
	EXPECT_EQ(0, steps.backward);
	ring_unmap(&ring);
	close(fd);
}

/*
 * A clock of 100 us: ten samples in each millisecond that the task runs, none late
 * without a record that says so.
 */
static void clock_for(struct __test_metadata *_metadata, int dev, struct perf_event_attr by,
		      uint64_t period, uint64_t ns)
{
	struct perf_event_attr faults = sw(PERF_COUNT_SW_PAGE_FAULTS);
	struct ring_sum sum = {};
	struct steps steps = {};
	struct group_values v;
	uint64_t expected, slack;
	struct ring ring;
	int fd;

	fd = triggered(dev, &faults, 1, PMCGRP_CREATE_DISABLED, by, 1024, &ring);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	spin_ns(ns);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_TRUE(group_values(fd, 1, &v));
	ring_drain(&ring, &sum, see_step, &steps);
	expected = v.enabled / period;
	TH_LOG("%llu us in %llu ms: %lu samples of %llu, %lu missed, %lu throttled, gap %llu ns",
	       (unsigned long long)period / 1000, (unsigned long long)v.enabled / NSEC_PER_MSEC,
	       sum.samples, (unsigned long long)expected, sum.missed, sum.throttles,
	       (unsigned long long)steps.gap);
	EXPECT_EQ(0, sum.lost + sum.others);
	EXPECT_FALSE(sum.broken);
	EXPECT_EQ(0, steps.backward);
	slack = deterministic() ? 1 : 1 + expected / (slow_kernel() ? 10 : 50);
	EXPECT_LE(sum.samples + sum.missed, expected + slack);
	/*
	 * What is missed as a task leaves and comes is known to a period only, and perf core
	 * begins one anew there: where the host stops the guest that is a lot.
	 */
	if (deterministic())
		EXPECT_GE(sum.samples + sum.missed + slack, expected);
	if (deterministic()) {
		EXPECT_EQ(0, sum.missed);
		EXPECT_EQ(0, sum.throttles);
	}
	if (!sum.missed && !sum.throttles)
		EXPECT_LE(steps.gap, 2 * period);
	ring_unmap(&ring);
	close(fd);
}

TEST_F_TIMEOUT(trigger, clocks, 120)
{
	struct perf_event_attr freq = sw(PERF_COUNT_SW_TASK_CLOCK);

	self->rates = rates_allow(400000);
	ASSERT_LT(0, self->rates.rate);
	clock_for(_metadata, self->dev, clock_every(NSEC_PER_MSEC / 10), NSEC_PER_MSEC / 10,
		  200 * NSEC_PER_MSEC);
	clock_for(_metadata, self->dev, every(NSEC_PER_MSEC, sw(PERF_COUNT_SW_TASK_CLOCK)),
		  NSEC_PER_MSEC, 200 * NSEC_PER_MSEC);
	freq.freq = 1;
	freq.sample_freq = 5000;
	clock_for(_metadata, self->dev, freq, 200000, 200 * NSEC_PER_MSEC);
}

/* A trigger that perf core throttles records when it stops and when it goes on. */
TEST_F(trigger, throttled)
{
	struct perf_event_attr faults = sw(PERF_COUNT_SW_PAGE_FAULTS);
	struct ring_sum sum = {};
	struct steps steps = {};
	struct group_values v;
	struct ring ring;
	uint64_t due;
	int fd;

	self->rates = rates_allow(2000);
	ASSERT_LT(0, self->rates.rate);
	fd = triggered(self->dev, &faults, 1, PMCGRP_CREATE_DISABLED, clock_every(100000), 256,
		       &ring);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	spin_ns(300 * NSEC_PER_MSEC);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_TRUE(group_values(fd, 1, &v));
	ring_drain(&ring, &sum, see_step, &steps);
	due = v.enabled / 100000;
	TH_LOG("%lu samples of %llu, %lu missed, %lu throttled, %lu unthrottled", sum.samples,
	       (unsigned long long)due, sum.missed, sum.throttles, sum.unthrottles);
	EXPECT_FALSE(sum.broken);
	EXPECT_GE(sum.throttles, deterministic() ? 20 : 1);
	EXPECT_LE(sum.throttles, sum.unthrottles + 1);
	EXPECT_GE(sum.throttles, sum.unthrottles);
	EXPECT_LT(sum.samples, due * 9 / 10);
	/* what was not taken is counted, but after the last throttling */
	EXPECT_LE(sum.samples + sum.missed, due + 1);
	if (deterministic())
		EXPECT_GE(sum.samples + sum.missed + 100, due);
	ring_unmap(&ring);
	close(fd);
}

TEST_HARNESS_MAIN
