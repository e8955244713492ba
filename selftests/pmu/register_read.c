// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters that are read from their registers equal perf's counts of the same events, which the
 * PMU's driver reads: from read to read, over switches, and over an overflow.
 */
#include "pmcgrp_test.h"
#include "kselftest_harness.h"

#define NR	2

FIXTURE(register_read)
{
	int dev;
	struct perf_event_attr attr[NR];
	int perf[NR];
	int fd;
};

FIXTURE_SETUP(register_read)
{
	struct perf_event_attr attr;
	int i;

	if (!have_cycles() || !deterministic())
		SKIP(return, "needs a PMU and a deterministic guest");
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	for (i = 0; i < NR; i++) {
		self->attr[i] = hw(i ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_HW_INSTRUCTIONS);
		attr = self->attr[i];
		attr.read_format = FORMAT;
		self->perf[i] = perf_open(&attr, 0, -1, i ? self->perf[0] : -1);
		ASSERT_GE(self->perf[i], 0);
	}
	self->fd = group_of(self->dev, NR, self->attr, 0);
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(register_read)
{
	int i;

	for (i = NR; i--;)
		close(self->perf[i]);
	close(self->fd);
	close(self->dev);
}

/* Both, one right after the other. */
struct both {
	struct group_values ours, perfs;
};

static bool both_read(int ours, int perfs, struct both *b)
{
	return group_values(ours, NR, &b->ours) && group_values(perfs, NR, &b->perfs);
}

/*
 * How much more perf has counted between two readings. What lies between the two reads is in
 * one reading's difference as in the other's, unless a tick came there.
 */
static long more(const struct both *from, const struct both *to, int i)
{
	return (long)((to->perfs.m[i].value - from->perfs.m[i].value) -
		      (to->ours.m[i].value - from->ours.m[i].value));
}

/* How many of so many differences between readings are equal. */
static unsigned long compare(struct __test_metadata *_metadata,
			     struct _test_data_register_read *self, unsigned long readings)
{
	struct rng rng = { .state = 1 };
	unsigned long equal = 0, k;
	struct both b[2];
	long off;
	int i;

	ASSERT_TRUE(both_read(self->fd, self->perf[0], &b[0]));
	for (k = 1; k <= readings; k++) {
		loop(1 + below(&rng, 20000));
		if (k % 10 == 0)
			sched_yield();
		ASSERT_TRUE(both_read(self->fd, self->perf[0], &b[k % 2]));
		for (i = 0; i < NR; i++) {
			off = more(&b[!(k % 2)], &b[k % 2], i);
			equal += !off;
			/* a tick, and what it has to do, at one of the two ends */
			EXPECT_GE(200000, labs(off));
		}
	}
	TH_LOG("%lu of %lu differences are equal", equal, readings * NR);
	return equal;
}

TEST_F_TIMEOUT(register_read, from_read_to_read, 300)
{
	EXPECT_LT(1900UL * NR, compare(_metadata, self, 2000));
}

/*
 * The interrupt of another counter's overflow comes between any two instructions of a read where
 * it is an NMI. AMD's driver then visits all counters that are on.
 */
TEST_F_TIMEOUT(register_read, with_samples, 300)
{
	struct perf_event_attr attr = hw(PERF_COUNT_HW_CPU_CYCLES);
	unsigned long samples = 0;
	int fd;

	attr.sample_period = 10007;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_GE(fd, 0);
	compare(_metadata, self, 2000);
	ASSERT_EQ(sizeof(samples), read(fd, &samples, sizeof(samples)));
	/* It has sampled for as long as it has counted, or has been throttled. */
	TH_LOG("%lu cycles of it, a sample each %llu", samples, attr.sample_period);
	EXPECT_LT(10000000UL, samples);
	close(fd);
}

/* Compares what both count in so many rounds, with a read after each. */
static void far(struct __test_metadata *_metadata, struct _test_data_register_read *self,
		int rounds, uint64_t length)
{
	struct both from, to;
	uint64_t cycles;
	long off;
	int i;

	ASSERT_TRUE(both_read(self->fd, self->perf[0], &from));
	while (rounds--) {
		loop(length);
		ASSERT_TRUE(both_read(self->fd, self->perf[0], &to));
		for (i = 0; i < NR; i++) {
			off = more(&from, &to, i);
			EXPECT_GE(200000, labs(off));
		}
	}
	cycles = to.ours.m[1].value - from.ours.m[1].value;
	TH_LOG("%llu cycles", (unsigned long long)cycles);
	EXPECT_LT(1ULL << 31, cycles);
}

/*
 * A register of 32 bits starts in its middle, and so does one of x86 that can be set to so many
 * only (before Ivy Bridge): past its end, and what it had is not lost.
 */
TEST_F_TIMEOUT(register_read, over_an_overflow, 300)
{
	far(_metadata, self, 1, 700000000);
}

/* How often the driver is asked for a counter. */
static int driver_reads(void)
{
#ifdef __x86_64__
	static const char symbol[] = "x86_pmu_read";
#else
	static const char symbol[] = "armpmu_read";
#endif
	struct perf_event_attr attr = {
		.type = file_number("/sys/bus/event_source/devices/kprobe/type", ""),
		.size = sizeof(attr),
		.kprobe_func = (uintptr_t)symbol,
	};

	return perf_open(&attr, -1, 0, -1);
}

/*
 * Frequent reads do not call the driver. It syncs the count every 2^28 ns or later, before bits
 * can be lost, and the counts stay the same.
 */
TEST_F_TIMEOUT(register_read, synced, 300)
{
	int hits = driver_reads(), rounds = 600;
	struct group_values from, to;
	uint64_t nr;

	if (hits < 0)
		SKIP(return, "no kprobe on the driver's read()");
	ASSERT_TRUE(group_values(self->fd, NR, &from));
	while (rounds--) {
		loop(1000000);
		ASSERT_TRUE(group_values(self->fd, NR, &to));
	}
	ASSERT_EQ(sizeof(nr), read(hits, &nr, sizeof(nr)));
	TH_LOG("%lu reads by the driver in %lu ns", nr, to.running - from.running);
#ifdef __x86_64__
	/* Of 48 bits: far is more than it counts in hours. */
	EXPECT_EQ(0, nr);
#else
	/* A sync each 2^28 ns, or later; what counts cycles, which are ns, has come far by then. */
	EXPECT_LE(NR * ((to.running - from.running) >> 30), nr);
	EXPECT_GE(NR * ((to.running - from.running) >> 28), nr);
#endif
	close(hits);
	far(_metadata, self, 28, 25000000);
}

TEST_HARNESS_MAIN
