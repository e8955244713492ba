// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts of counters, NMIs on x86, at bad moments: ten thousand a second while groups come
 * and go, and one at each instruction of a switch of tasks. Members that count the same show
 * the same, in the samples as well; nothing goes back; no sample is torn.
 */
#include "pmcgrp_apart.h"
#include "pmcgrp_ring.h"
#include "kselftest_harness.h"

#define MEMBERS		3
#define PERIOD		100000	/* cycles; QEMU's PMU has 1 GHz: 10,000 interrupts a second */
#define SWITCHES	400

struct seen {
	unsigned int switches;	/* in the samples' time */
	unsigned long samples;
	unsigned long apart;
	unsigned long back;
	struct group_values last;
};

FIXTURE(pmi)
{
	int dev;
	struct perf_event_attr attr[MEMBERS];
};

FIXTURE_SETUP(pmi)
{
	unsigned int i;

	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	if (!deterministic())
		SKIP(return, "interrupts at known instructions need a deterministic PMU");
	if (counters() < MEMBERS + 1)
		SKIP(return, "too few counters");
	for (i = 0; i < MEMBERS; i++)
		self->attr[i] = instructions_copy(i);
	ASSERT_TRUE(run_on(0));
	apart_by_hold();	/* found out while there are counters left */
}

FIXTURE_TEARDOWN(pmi)
{
	close(self->dev);
}

static void see(const struct sample *sample, void *arg)
{
	struct seen *seen = arg;

	seen->samples++;
	seen->apart += !members_together(&sample->read, MEMBERS, seen->switches);
	seen->back += sample->read.m[0].value < seen->last.m[0].value ||
		      sample->read.running < seen->last.running ||
		      sample->read.enabled < seen->last.enabled;
	seen->last = sample->read;
}

TEST_F_TIMEOUT(pmi, ten_thousand_a_second_while_groups_come_and_go, 300)
{
	struct perf_event_attr others[MEMBERS];
	unsigned int i, k, least, rounds = 0;
	uint64_t end = now_ns() + NSEC_PER_SEC;
	struct group_values v;
	struct seen seen = {};
	struct ring_sum sum = {};
	struct ring ring;
	int fd, other[2];

	fd = triggered(self->dev, self->attr, MEMBERS, 0,
		       every(PERIOD, hw(PERF_COUNT_HW_CPU_CYCLES)), 64, &ring);
	ASSERT_GE(fd, 0);
	for (; now_ns() < end; rounds++) {
		for (k = 0; k < 2; k++) {
			for (i = 0; i < MEMBERS; i++)
				others[i] = instructions_copy(MEMBERS * (k + 1) + i);
			other[k] = k ? group_of_cpu(self->dev, 0, MEMBERS, others) :
				       group_of(self->dev, MEMBERS, others, 0);
			ASSERT_GE(other[k], 0);
		}
		loop(20000);
		for (k = 0; k < 2; k++) {
			ASSERT_TRUE(group_values(other[k], MEMBERS, &v));
			ASSERT_TRUE(members_together(&v, MEMBERS, 0));
			close(other[k]);
		}
		ring_drain(&ring, &sum, see, &seen);
		/* groups that come and go hold the PMU as switches of tasks do */
		seen.switches = 2 * (rounds + 1);
		ASSERT_TRUE(group_values(fd, MEMBERS, &v));
		ASSERT_TRUE(members_together(&v, MEMBERS, seen.switches)) {
			for (i = 0; i < MEMBERS; i++)
				TH_LOG("round %u: %lu, %lu", rounds, v.m[i].value, apart_by_hold());
		}
	}
	tell_count("pmi", seen.samples, "samples while groups came and went");
	TH_LOG("%u rounds, %lu samples, %lu missed", rounds, seen.samples, sum.missed);
	/*
	 * With -rt each release waits for RCU, and the task does not run meanwhile.  QEMU's PMU for
	 * arm64 loses overflows as other events come and go: 762 to 1400 of 1800 samples were seen,
	 * and the phase decides.  Whether perf's own come (overflow.c) says nothing about these.
	 */
#ifdef __aarch64__
	least = 100;
#else
	least = 1000;
#endif
	EXPECT_GT(seen.samples, rt_kernel() ? 10 : least);
	EXPECT_EQ(0, seen.apart);
	EXPECT_EQ(0, seen.back);
	EXPECT_FALSE(sum.broken);
	close(fd);
	ring_unmap(&ring);
}

static void ping(int to, int from, unsigned int nr)
{
	char c = 0;

	while (nr--)
		if (write(to, &c, 1) != 1 || read(from, &c, 1) != 1)
			break;
}

/* A period that is no multiple of what a switch takes comes at another place of it each time. */
TEST_F_TIMEOUT(pmi, at_each_instant_of_a_switch, 300)
{
	static const unsigned int periods[] = { 10007, 5003, 3001 };
	struct group_values v, w, kept = {};
	struct ring_sum sum;
	struct ring ring;
	struct seen seen;
	unsigned int k;
	int to[2], from[2], fd;
	pid_t pid;
	char c;

	ASSERT_EQ(0, pipe(to));
	ASSERT_EQ(0, pipe(from));
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		close(to[1]);
		while (read(to[0], &c, 1) == 1 && write(from[1], &c, 1) == 1)
			;
		_exit(0);
	}
	for (k = 0; k < COUNT(periods); k++) {
		seen = (struct seen){ .switches = SWITCHES };
		sum = (struct ring_sum){};
		fd = triggered(self->dev, self->attr, MEMBERS, 0,
			       every(periods[k], hw(PERF_COUNT_HW_CPU_CYCLES)), 64, &ring);
		ASSERT_GE(fd, 0);
		ASSERT_TRUE(group_values(fd, MEMBERS, &v));
		kept = v;
		ping(to[1], from[0], SWITCHES);
		ASSERT_TRUE(group_values(fd, MEMBERS, &w));
		ring_drain(&ring, &sum, see, &seen);
		TH_LOG("each %u cycles: %lu samples, %lu missed, %lu apart, %lu back", periods[k],
		       seen.samples, sum.missed, seen.apart, seen.back);
		EXPECT_GT(seen.samples, SWITCHES);
		EXPECT_TRUE(members_together(&w, MEMBERS, SWITCHES));
		EXPECT_TRUE(group_follows(&kept, &w, MEMBERS));
		EXPECT_EQ(w.enabled, w.running);
		EXPECT_EQ(0, seen.apart);
		EXPECT_EQ(0, seen.back);
		EXPECT_FALSE(sum.broken);
		close(fd);
		ring_unmap(&ring);
	}
	close(to[1]);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
}

TEST_HARNESS_MAIN
