// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two PMUs of one CPU: slices with perf's flexible events on one of them leave the other alone.
 *
 * needs: testpmu=yes
 */
#include "pmcgrp_testpmu.h"
#include "kselftest_harness.h"

#define NR	3	/* programmable counters that a group has of four: two do not fit */

FIXTURE(two_pmus)
{
	struct testpmu pmu;
	int dev;
	unsigned int half;
	struct perf_event_attr test[2][NR];
	struct perf_event_attr core[2][COUNTERS_MOST];
};

FIXTURE_SETUP(two_pmus)
{
	unsigned int i, k;

	if (!have_cycles() || !deterministic())
		SKIP(return, "shares of time need a hardware PMU and a deterministic guest");
	if (!testpmu_open(&self->pmu))
		SKIP(return, TESTPMU_MISSING);
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	ASSERT_TRUE(run_on(0));
	self->half = more_than_half();
	for (k = 0; k < 2; k++) {
		for (i = 0; i < NR; i++)
			self->test[k][i] = test_event(&self->pmu, k * NR + i, 1, PROGRAMMABLE);
		for (i = 0; i < self->half; i++)
			self->core[k][i] = cycles_copy(k * self->half + i);
	}
}

FIXTURE_TEARDOWN(two_pmus)
{
	EXPECT_EQ(self->pmu.faults, testpmu_faults());
	close(self->dev);
}

/* A perf group of this task; returns the leader. */
static int perf_group(const struct perf_event_attr *attr, unsigned int nr, int *fd)
{
	struct perf_event_attr a;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		a = attr[i];
		a.read_format = FORMAT;
		fd[i] = perf_open(&a, 0, -1, i ? fd[0] : -1);
		if (fd[i] < 0)
			return fd[i];
	}
	return fd[0];
}

static uint64_t running(int fd, unsigned int nr)
{
	struct group_values v;

	return group_values(fd, nr, &v) ? v.running : 0;
}

struct side {
	const char *name;
	int fd;
	unsigned int nr;
	uint64_t before;
	int share;	/* hundredths of a percent */
};

#define SIDE(name_, fd_, nr_) { .name = name_, .fd = fd_, .nr = nr_ }

static void measure(struct side *side, unsigned int nr)
{
	uint64_t start, all;
	unsigned int i;

	spin_ns(50 * NSEC_PER_MSEC);
	for (i = 0; i < nr; i++)
		side[i].before = running(side[i].fd, side[i].nr);
	start = now_ns();
	spin_ns(NSEC_PER_SEC);
	all = now_ns() - start;
	for (i = 0; i < nr; i++) {
		side[i].share = (running(side[i].fd, side[i].nr) - side[i].before) * 10000 / all;
		printf("# %s: %d.%02d %%\n", side[i].name, side[i].share / 100,
		       side[i].share % 100);
	}
}

/* Both PMUs are contended. */
TEST_F_TIMEOUT(two_pmus, half_each_on_both, 60)
{
	int perf[2][COUNTERS_MOST];
	struct side side[] = {
		SIDE("pmcgrp, core PMU", group_of(self->dev, self->half, self->core[0], 0),
		     self->half),
		SIDE("pmcgrp, test PMU", group_of(self->dev, NR, self->test[0], 0), NR),
		SIDE("perf, core PMU", perf_group(self->core[1], self->half, perf[0]),
		     self->half),
		SIDE("perf, test PMU", perf_group(self->test[1], NR, perf[1]), NR),
	};
	unsigned int i;

	for (i = 0; i < 4; i++)
		ASSERT_GE(side[i].fd, 0);
	measure(side, 4);
	for (i = 0; i < 4; i++)
		EXPECT_GE(side[i].share, 4500);
}

/* Only the core PMU is: the group on the other one is not taken off. */
TEST_F_TIMEOUT(two_pmus, one_contended, 60)
{
	int perf[COUNTERS_MOST];
	struct side side[] = {
		SIDE("pmcgrp, core PMU", group_of(self->dev, self->half, self->core[0], 0),
		     self->half),
		SIDE("perf, core PMU", perf_group(self->core[1], self->half, perf), self->half),
		SIDE("pmcgrp, test PMU", group_of(self->dev, NR, self->test[0], 0), NR),
	};
	unsigned int i;

	for (i = 0; i < 3; i++)
		ASSERT_GE(side[i].fd, 0);
	measure(side, 3);
	EXPECT_GE(side[0].share, 4500);
	EXPECT_GE(side[1].share, 4500);
	/*
	 * Less the rotations, which visit both PMUs.  Before 6.2 a task has one perf context, which
	 * does not tell for which PMU its events wait.
	 */
	EXPECT_GE(side[2].share, kernel_is(6, 2) ? 9500 : 4500);
}

TEST_HARNESS_MAIN
