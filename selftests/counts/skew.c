// SPDX-License-Identifier: GPL-2.0-only
/*
 * Members of a group count over the same time, to the unit: members with the same event show the
 * same count. Other events on the PMU, holds of the PMU while a set is scheduled in or out, and
 * interrupts between two members' reads do not change that.
 */
#include "pmcgrp_apart.h"
#include "pmcgrp_ring.h"
#include "kselftest_harness.h"

#define SAMPLING_PAGES	8	/* of perf's ring */

/* perf's pages are never read: its samples only have to be taken. */
struct sampler {
	int fd;
	void *ring;
};

struct seen {
	unsigned int nr;	/* members */
	unsigned int naps;
	unsigned long samples;
	unsigned long apart;	/* of them with members that differ */
	struct group_values first;	/* of these */
};

FIXTURE(skew)
{
	int dev;
	unsigned int nr;	/* members; two such groups do not fit at a time */
};

/*
 * @two: two groups instead of one
 * @of_cpu: the groups count the CPU instead of the task
 * @perf: perf has a group of the same size, of the task or of the CPU
 * @trigger: cycles between two samples of the first group's trigger, or 0
 * @samples: cycles between two perf samples of the CPU or the task by NMI, or 0
 * @naps: number of times that the task sleeps, or 0 if it runs all the time
 */
FIXTURE_VARIANT(skew)
{
	bool two;
	bool of_cpu;
	bool perf;
	bool perf_of_cpu;
	unsigned int trigger;
	unsigned int samples;
	bool samples_cpu;
	unsigned int naps;
};

FIXTURE_VARIANT_ADD(skew, alone)
{
	.two = false,
};

FIXTURE_VARIANT_ADD(skew, alone_of_the_cpu)
{
	.of_cpu = true,
};

FIXTURE_VARIANT_ADD(skew, two_groups)
{
	.two = true,
};

FIXTURE_VARIANT_ADD(skew, two_groups_of_the_cpu)
{
	.two = true,
	.of_cpu = true,
};

FIXTURE_VARIANT_ADD(skew, perf_of_the_task)
{
	.perf = true,
};

FIXTURE_VARIANT_ADD(skew, perf_of_the_cpu)
{
	.perf = true,
	.perf_of_cpu = true,
};

FIXTURE_VARIANT_ADD(skew, perf_of_the_task_ours_of_the_cpu)
{
	.perf = true,
	.of_cpu = true,
};

FIXTURE_VARIANT_ADD(skew, both_of_the_cpu)
{
	.perf = true,
	.perf_of_cpu = true,
	.of_cpu = true,
};

FIXTURE_VARIANT_ADD(skew, two_groups_perf_of_the_task)
{
	.two = true,
	.perf = true,
};

FIXTURE_VARIANT_ADD(skew, naps)
{
	.naps = 400,
};

FIXTURE_VARIANT_ADD(skew, naps_two_groups)
{
	.two = true,
	.naps = 400,
};

FIXTURE_VARIANT_ADD(skew, naps_perf_of_the_task)
{
	.perf = true,
	.naps = 400,
};

FIXTURE_VARIANT_ADD(skew, naps_two_groups_perf_of_the_task)
{
	.two = true,
	.perf = true,
	.naps = 400,
};

FIXTURE_VARIANT_ADD(skew, trigger)
{
	.trigger = 20000,
};

FIXTURE_VARIANT_ADD(skew, trigger_two_groups)
{
	.two = true,
	.trigger = 20000,
};

FIXTURE_VARIANT_ADD(skew, trigger_naps)
{
	.two = true,
	.trigger = 20000,
	.naps = 400,
};

FIXTURE_VARIANT_ADD(skew, samples_of_the_cpu)
{
	.samples = 20000,
	.samples_cpu = true,
};

FIXTURE_VARIANT_ADD(skew, samples_of_the_cpu_two_groups)
{
	.two = true,
	.samples = 20000,
	.samples_cpu = true,
};

FIXTURE_VARIANT_ADD(skew, samples_of_the_task_two_groups)
{
	.two = true,
	.samples = 20000,
};

FIXTURE_VARIANT_ADD(skew, samples_two_groups_of_the_cpu)
{
	.two = true,
	.of_cpu = true,
	.samples = 20000,
	.samples_cpu = true,
};

FIXTURE_SETUP(skew)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	if (!deterministic())
		SKIP(return, "equal counters need a hardware PMU that counts instructions");
	self->nr = more_than_half();
	if (self->nr < 2)
		SKIP(return, "too few counters for two members");
	ASSERT_TRUE(run_on(0));
	apart_by_hold();	/* found out while there are counters left */
}

FIXTURE_TEARDOWN(skew)
{
	close(self->dev);
}

static void see(const struct sample *sample, void *arg)
{
	struct seen *seen = arg;

	seen->samples++;
	if (!members_together(&sample->read, seen->nr, seen->naps) && !seen->apart++)
		seen->first = sample->read;
}

/* Opens a flexible perf group of so many events; returns its leader, or -1. */
static int perf_group(int *fd, unsigned int nr, bool of_cpu)
{
	struct perf_event_attr attr;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		attr = instructions_copy(500 + i);
		attr.read_format = FORMAT;
		fd[i] = perf_open(&attr, of_cpu ? -1 : 0, of_cpu ? 0 : -1, i ? fd[0] : -1);
		if (fd[i] < 0)
			return -1;
	}
	return fd[0];
}

static bool sample(struct sampler *by, unsigned int period, bool cpu)
{
	struct perf_event_attr attr = every(period, hw(PERF_COUNT_HW_CPU_CYCLES));

	attr.sample_type = PERF_SAMPLE_IP;
	by->fd = perf_open(&attr, cpu ? -1 : 0, cpu ? 0 : -1, -1);
	if (by->fd < 0)
		return false;
	by->ring = mmap(NULL, (1 + SAMPLING_PAGES) * sysconf(_SC_PAGESIZE),
			PROT_READ | PROT_WRITE, MAP_SHARED, by->fd, 0);
	return by->ring != MAP_FAILED;
}

static void sample_no_more(struct sampler *by)
{
	munmap(by->ring, (1 + SAMPLING_PAGES) * sysconf(_SC_PAGESIZE));
	close(by->fd);
}

/* Works for a quarter of a second, or in small pieces with sleep in between. */
static void work(unsigned int naps, struct ring *ring, struct seen *seen)
{
	uint64_t end = now_ns() + 250 * NSEC_PER_MSEC;
	struct ring_sum sum = {};

	while (naps ? naps-- : now_ns() < end) {
		loop(20000);
		if (naps)
			sleep_ns(50000);
		if (ring->page)
			ring_drain(ring, &sum, see, seen);
	}
}

TEST_F_TIMEOUT(skew, members_stay_together, 300)
{
	struct perf_event_attr attr[COUNTERS_MOST];
	unsigned int groups = variant->two ? 2 : 1, nr = self->nr, g, i;
	struct seen seen = { .nr = nr, .naps = variant->naps };
	int fd[2], perf[COUNTERS_MOST];
	struct group_values v;
	struct sampler by = {};
	struct ring ring = {};

	if (variant->perf)
		ASSERT_GE(perf_group(perf, nr, variant->perf_of_cpu), 0);
	if (variant->samples)
		ASSERT_TRUE(sample(&by, variant->samples, variant->samples_cpu));
	for (g = 0; g < groups; g++) {
		for (i = 0; i < nr; i++)
			attr[i] = instructions_copy(g * nr + i);
		if (variant->trigger && !g)
			fd[g] = triggered(self->dev, attr, nr, 0,
					  every(variant->trigger, hw(PERF_COUNT_HW_CPU_CYCLES)), 64,
					  &ring);
		else if (variant->of_cpu)
			fd[g] = group_of_cpu(self->dev, 0, nr, attr);
		else
			fd[g] = group_of(self->dev, nr, attr, 0);
		ASSERT_GE(fd[g], 0);
	}
	work(variant->naps, &ring, &seen);
	for (g = 0; g < groups; g++) {
		ASSERT_TRUE(group_values(fd[g], nr, &v));
		EXPECT_GT(v.m[0].value, 100000);
		TH_LOG("group %u: %.1f%%, %lu", g, 100.0 * v.running / v.enabled, v.m[0].value);
		EXPECT_TRUE(members_together(&v, nr, variant->naps));
		close(fd[g]);
	}
	if (variant->trigger) {
		EXPECT_GT(seen.samples, 100);
		EXPECT_EQ(0, seen.apart) {
			TH_LOG("%lu of %lu samples, the first: %lu, %lu", seen.apart, seen.samples,
			       seen.first.m[0].value, seen.first.m[nr - 1].value);
		}
		ring_unmap(&ring);
	}
	if (variant->samples)
		sample_no_more(&by);
	for (i = 0; variant->perf && i < nr; i++)
		close(perf[i]);
}

/* Returns how far the first and the last member of so many groups differ after 250 ms. */
static uint64_t all_apart(const int *fd, unsigned int groups, unsigned int nr)
{
	struct group_values from[2], to[2];
	uint64_t sum = 0;
	long more;
	unsigned int g;

	for (g = 0; g < groups; g++)
		if (!group_values(fd[g], nr, &from[g]))
			return UINT64_MAX;
	work(0, &(struct ring){}, NULL);
	for (g = 0; g < groups; g++) {
		if (!group_values(fd[g], nr, &to[g]))
			return UINT64_MAX;
		more = (to[g].m[nr - 1].value - from[g].m[nr - 1].value) -
		       (to[g].m[0].value - from[g].m[0].value);
		sum += labs(more);
	}
	return sum;
}

/* Two multiplexed groups: their members differ no more than those of two perf groups. */
TEST(no_further_than_perfs)
{
	int dev = open(DEVICE, O_RDWR | O_CLOEXEC), perf[2][COUNTERS_MOST], fd[2];
	struct perf_event_attr attr[COUNTERS_MOST];
	unsigned int g, i, nr;
	uint64_t perfs, ours;

	ASSERT_GE(dev, 0);
	if (!deterministic())
		SKIP(return, "equal counters need a hardware PMU that counts instructions");
	nr = more_than_half();
	if (nr < 2)
		SKIP(return, "too few counters for two members");
	ASSERT_TRUE(run_on(0));
	for (g = 0; g < 2; g++) {
		fd[g] = perf_group(perf[g], nr, false);
		ASSERT_GE(fd[g], 0);
	}
	perfs = all_apart(fd, 2, nr);
	for (g = 0; g < 2; g++)
		for (i = nr; i--;)
			close(perf[g][i]);
	for (g = 0; g < 2; g++) {
		for (i = 0; i < nr; i++)
			attr[i] = instructions_copy(g * nr + i);
		fd[g] = group_of(dev, nr, attr, 0);
		ASSERT_GE(fd[g], 0);
	}
	ours = all_apart(fd, 2, nr);
	TH_LOG("members differ: perf %lu, pmcgrp %lu", perfs, ours);
	EXPECT_LE(ours, perfs);
	close(fd[0]);
	close(fd[1]);
	close(dev);
}

TEST_HARNESS_MAIN
