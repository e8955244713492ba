// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups of a single member with a hardware trigger. From one sample to the next the member counts
 * exactly the trigger's period, however often the group is read, its task is switched and its set
 * is scheduled out. Each PMCGRP_IOC_INFO reads the group.
 */
#include "pmcgrp_apart.h"
#include "pmcgrp_rate.h"
#include "pmcgrp_ring.h"
#include "kselftest_harness.h"

#define PERIOD		400009	/* cycles */
#define ACCOUNTS	4000	/* dozens in a period */
#define YIELD_EACH	128

/*
 * Cycles from an overflow to the reading of the member vary. By how much
 * is known where the overflow is an NMI. Elsewhere it waits while interrupts are off, and the
 * difference is small on average.
 */
#define SKID		150
#define MEAN		(PERIOD / 100)

FIXTURE(single)
{
	int dev;
	struct rates rates;
	unsigned int others;	/* members that leave no counter for one more */
	pid_t pid;		/* child that yields the CPU */
};

FIXTURE_VARIANT(single)
{
	bool of_cpu;
	bool software;
	bool multiplexed;
};

FIXTURE_VARIANT_ADD(single, of_a_task)
{
	.of_cpu = false,
};

FIXTURE_VARIANT_ADD(single, of_a_task_multiplexed)
{
	.multiplexed = true,
};

FIXTURE_VARIANT_ADD(single, of_a_cpu)
{
	.of_cpu = true,
};

FIXTURE_VARIANT_ADD(single, of_a_cpu_multiplexed)
{
	.of_cpu = true,
	.multiplexed = true,
};

FIXTURE_VARIANT_ADD(single, software_of_a_task)
{
	.software = true,
};

FIXTURE_VARIANT_ADD(single, software_of_a_cpu)
{
	.software = true,
	.of_cpu = true,
};

FIXTURE_SETUP(single)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->rates.rate = -1;
	self->pid = -1;
	if (!deterministic())
		SKIP(return, "exact counts need a PMU in a deterministic guest");
	if (counters() < 2)
		SKIP(return, "too few counters");
	self->others = counters() - 1;
	apart_by_hold();	/* found out while there are counters left */
	self->rates = rates_allow(400000);
	ASSERT_LT(0, self->rates.rate);
	ASSERT_TRUE(run_on(0));
	self->pid = fork();
	while (!self->pid)
		sched_yield();
	ASSERT_LT(0, self->pid);
}

FIXTURE_TEARDOWN(single)
{
	if (self->pid > 0)
		end_child(self->pid);
	rates_restore(&self->rates);
	close(self->dev);
}

struct seen {
	bool software;
	const struct ring_sum *sum;
	struct sample last;
	unsigned long missed;
	unsigned long windows;	/* from one sample to the next, always scheduled */
	unsigned long parts;	/* others: the task or the set was scheduled out */
	unsigned long wrong;
	int64_t off, least, most;	/* difference from the period */
};

static void see(const struct sample *s, void *arg)
{
	struct seen *seen = arg;
	uint64_t enabled = s->read.enabled - seen->last.read.enabled;
	uint64_t running = s->read.running - seen->last.read.running;
	uint64_t value = s->read.m[0].value - seen->last.read.m[0].value;
	uint64_t time = s->time - seen->last.time, due = running;
	bool first = !seen->last.time;
	int64_t off;

	if (!seen->software)
		due = PERIOD * (1 + seen->sum->missed - seen->missed);
	seen->missed = seen->sum->missed;
	memcpy(&seen->last, s, s->header.size);
	if (first)
		return;
	if (enabled != running || enabled != time) {
		seen->parts++;
		return;
	}
	off = value - due;
	seen->windows++;
	seen->off += off;
	seen->wrong += llabs((long long)off) > SKID + (int64_t)apart_most(time, 0);
	seen->least = off < seen->least ? off : seen->least;
	seen->most = off > seen->most ? off : seen->most;
}

static bool by_nmi(void)
{
#ifdef __x86_64__
	return true;
#else
	return false;
#endif
}

/* Waits until the trigger has a counter. */
static bool trigger_is_on(int fd)
{
	uint64_t end = now_ns() + NSEC_PER_SEC;
	struct pmcgrp_info_cpu cpu;
	struct pmcgrp_info info;

	do {
		if (group_info(fd, 0, &info, &cpu, 1))
			return false;
	} while (info.triggers_in_error && now_ns() < end);
	return !info.triggers_in_error;
}

TEST_F_TIMEOUT(single, nothing_is_lost, 120)
{
	struct perf_event_attr by = every(PERIOD, cycles_copy(COUNTERS_MOST));
	struct perf_event_attr other[COUNTERS_MOST], attr = cycles_copy(0);
	struct ask ask = { .nr = 1, .attr = &attr, .flags = PMCGRP_CREATE_DISABLED,
			   .target_type = variant->of_cpu ? PMCGRP_TARGET_CPU :
							    PMCGRP_TARGET_TASK };
	struct ring_sum sum = {};
	struct seen seen = { .software = variant->software, .sum = &sum };
	struct pmcgrp_trigger_add add;
	struct pmcgrp_info_cpu cpu;
	struct pmcgrp_info info;
	struct group_values v;
	int fd, second = -1;
	struct ring ring;
	unsigned int i, rounds;

	if (variant->software)
		attr = sw(PERF_COUNT_SW_TASK_CLOCK);
	fd = ask_group(self->dev, &ask);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(ring_ready(fd, 64, &ring));
	ASSERT_EQ(0, add_trigger(fd, &by, &add));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	if (variant->multiplexed) {
		for (i = 0; i < self->others; i++)
			other[i] = cycles_copy(1 + i);
		ask = (struct ask){ .nr = self->others, .attr = other,
				    .target_type = ask.target_type };
		second = ask_group(self->dev, &ask);
		ASSERT_GE(second, 0);
	}
	ASSERT_TRUE(trigger_is_on(fd));
	/* A multiplexed group is on for some of its intervals: its share is of many. */
	rounds = variant->multiplexed ? 4 : 1;
	for (i = 0; i < rounds * ACCOUNTS; i++) {
		ASSERT_EQ(0, group_info(fd, 0, &info, &cpu, 1));
		if (i % YIELD_EACH == 0)
			sched_yield();
		if (i % ACCOUNTS == 0)
			ring_drain(&ring, &sum, see, &seen);
	}
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_TRUE(group_values(fd, 1, &v));
	ring_drain(&ring, &sum, see, &seen);
	TH_LOG("%lu windows off by %lld to %lld, %lu parts of some; %lu missed; %llu us of %llu",
	       seen.windows, (long long)seen.least, (long long)seen.most, seen.parts, sum.missed,
	       (unsigned long long)v.running / 1000, (unsigned long long)v.enabled / 1000);
	EXPECT_LE(5, seen.windows);
	EXPECT_GT(seen.windows * MEAN, llabs((long long)seen.off));
	if (by_nmi())
		EXPECT_EQ(0, seen.wrong);
	if (variant->multiplexed) {
		EXPECT_LT(v.enabled / 4, v.running);
		EXPECT_GT(v.enabled * 3 / 4, v.running);
	} else {
		EXPECT_EQ(v.enabled, v.running);
	}
	EXPECT_EQ(0, sum.lost + sum.throttles + sum.others);
	EXPECT_FALSE(sum.broken);
	ring_unmap(&ring);
	if (second >= 0)
		close(second);
	close(fd);
}

TEST_HARNESS_MAIN
