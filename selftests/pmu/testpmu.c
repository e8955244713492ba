// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMU for tests (test_modules/testpmu) itself: it counts to the unit what it is told to,
 * answers as x86's PMU does, and complains of each kind of misuse.
 *
 * needs: testpmu=yes
 */
#include "pmcgrp_testpmu.h"
#include "kselftest_harness.h"

FIXTURE(testpmu)
{
	struct testpmu pmu;
};

FIXTURE_SETUP(testpmu)
{
	if (!testpmu_open(&self->pmu))
		SKIP(return, TESTPMU_MISSING);
	ASSERT_TRUE(stay_on(0));
}

FIXTURE_TEARDOWN(testpmu)
{
	if (self->pmu.ticks < 0)
		return;
	EXPECT_EQ(self->pmu.faults, testpmu_faults());
	close(self->pmu.ticks);
}

static uint64_t value_of(int fd)
{
	uint64_t value;

	return read(fd, &value, sizeof(value)) == sizeof(value) ? value : UINT64_MAX;
}

/* Opens a perf group with one member for each mask, with rates of 1, 2, 3 ... */
static int perf_group(const struct testpmu *pmu, unsigned int nr, const uint64_t *mask, int *fd)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct perf_event_attr attr = test_event(pmu, i, i + 1, mask[i]);

		if (!i)
			attr.read_format = FORMAT;
		fd[i] = perf_open(&attr, 0, -1, i ? fd[0] : -1);
		if (fd[i] < 0) {
			int err = fd[i];

			while (i--)
				close(fd[i]);
			return err;
		}
	}
	return 0;
}

static void close_all(unsigned int nr, const int *fd)
{
	while (nr--)
		close(fd[nr]);
}

TEST_F(testpmu, counts_to_the_unit_and_only_while_enabled)
{
	struct perf_event_attr attr = test_event(&self->pmu, 0, 7, 0);
	int fd = perf_open(&attr, 0, -1, -1);

	ASSERT_GE(fd, 0);
	EXPECT_EQ(0, value_of(fd));
	ASSERT_TRUE(tick(&self->pmu, 1));
	EXPECT_EQ(7, value_of(fd));
	ASSERT_TRUE(tick(&self->pmu, 1000));
	EXPECT_EQ(7 * 1001, value_of(fd));
	EXPECT_EQ(7 * 1001, value_of(fd));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_TRUE(tick(&self->pmu, 5));
	EXPECT_EQ(7 * 1001, value_of(fd));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_TRUE(tick(&self->pmu, 2));
	EXPECT_EQ(7 * 1003, value_of(fd));
	/* off and on again with its task */
	sleep_ns(2 * NSEC_PER_MSEC);
	ASSERT_TRUE(tick(&self->pmu, 1));
	EXPECT_EQ(7 * 1004, value_of(fd));
	close(fd);
}

/* Counters have 48 bits, and this one is not read for more than 2^50 counts. */
TEST_F(testpmu, counts_past_the_width_of_a_counter)
{
	const uint64_t rate = UINT32_MAX;
	struct perf_event_attr attr = test_event(&self->pmu, 0, rate, 0);
	int fd = perf_open(&attr, 0, -1, -1);
	int i;

	ASSERT_GE(fd, 0);
	for (i = 0; i < 10; i++)
		ASSERT_TRUE(tick(&self->pmu, 32768));
	EXPECT_EQ(10 * 32768 * rate, value_of(fd));
	close(fd);
	EXPECT_FALSE(tick(&self->pmu, 32769));
}

TEST_F(testpmu, ticks_of_one_cpu)
{
	struct perf_event_attr attr = test_event(&self->pmu, 0, 3, 0);
	int fd[2], i;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "needs two processors");
	for (i = 0; i < 2; i++) {
		fd[i] = perf_open(&attr, -1, i, -1);
		ASSERT_GE(fd[i], 0);
	}
	ASSERT_TRUE(tick_cpu(&self->pmu, 1, 0));
	ASSERT_TRUE(tick_cpu(&self->pmu, 10, 1));
	ASSERT_TRUE(tick(&self->pmu, 100));
	EXPECT_EQ(3 * 101, value_of(fd[0]));
	EXPECT_EQ(3 * 110, value_of(fd[1]));
	close_all(2, fd);
}

TEST_F(testpmu, refuses_what_it_cannot_count)
{
	struct perf_event_attr attr;

	attr = test_event(&self->pmu, 0, 1, 1ULL << 4);		/* there are 0 to 3 */
	EXPECT_EQ(-EINVAL, perf_open(&attr, 0, -1, -1));
	attr = test_event(&self->pmu, 0, 1, FIXED(3));		/* and fixed 0 to 2 */
	EXPECT_EQ(-EINVAL, perf_open(&attr, 0, -1, -1));
	attr = test_event(&self->pmu, 0, 1, 0);
	attr.config2 = 1ULL << 32;
	EXPECT_EQ(-EINVAL, perf_open(&attr, 0, -1, -1));
	attr = test_event(&self->pmu, 0, 1, 0);
	attr.exclude_user = 1;
	EXPECT_EQ(-EINVAL, perf_open(&attr, 0, -1, -1));
	attr = test_event(&self->pmu, 0, 1, 0);
	attr.sample_period = 1000;
	EXPECT_EQ(-EOPNOTSUPP, perf_open(&attr, 0, -1, -1));
}

/* As x86's validate_group(): a group that cannot ever run is refused when it is made. */
TEST_F(testpmu, a_group_that_does_not_fit_the_empty_pmu_is_refused)
{
	const uint64_t same[] = { 1 << 2, 1 << 2 };
	uint64_t many[8];
	int fd[8], i;

	EXPECT_EQ(-EINVAL, perf_group(&self->pmu, 2, same, fd));
	for (i = 0; i < 8; i++)
		many[i] = ANY_COUNTER;
	EXPECT_EQ(-EINVAL, perf_group(&self->pmu, 8, many, fd));
	ASSERT_EQ(0, perf_group(&self->pmu, 7, many, fd));
	close_all(7, fd);
	ASSERT_EQ(0, perf_group(&self->pmu, 1, same, fd));
	close_all(1, fd);
}

/* A group that fits: each member counts, on one of the counters that it may have. */
static void count_group(struct __test_metadata *_metadata, const struct testpmu *pmu,
			unsigned int nr, const uint64_t *mask)
{
	struct group_values v;
	unsigned int i;
	int fd[8];

	ASSERT_EQ(0, perf_group(pmu, nr, mask, fd));
	ASSERT_TRUE(tick(pmu, 11));
	ASSERT_TRUE(group_values(fd[0], nr, &v));
	EXPECT_EQ(v.enabled, v.running);
	for (i = 0; i < nr; i++) {
		int counter = testpmu_counter(i);

		EXPECT_EQ(11 * (i + 1), v.m[i].value);
		ASSERT_GE(counter, 0);
		EXPECT_NE(0, mask[i] & 1ULL << counter) {
			TH_LOG("member %u is on counter %d", i, counter);
		}
	}
	close_all(nr, fd);
}

TEST_F(testpmu, constraints_are_solved_exactly)
{
	/* the most constrained comes last */
	const uint64_t weights[] = { PROGRAMMABLE, PROGRAMMABLE, PROGRAMMABLE, 1 << 2 };
	/* the article's A, B, C, D: a first-fit choice for A has to be revised */
	const uint64_t overlap[] = { 0x9, 0x3, 0x7, 0x7 };
	/* a chain in which every one has to move for the last */
	const uint64_t chain[] = { 0x3, 0x6, 0xc, 0x1 };
	const uint64_t all[] = { ANY_COUNTER, ANY_COUNTER, PROGRAMMABLE, PROGRAMMABLE,
				 PROGRAMMABLE, PROGRAMMABLE, ANY_COUNTER };

	count_group(_metadata, &self->pmu, 4, weights);
	count_group(_metadata, &self->pmu, 4, overlap);
	count_group(_metadata, &self->pmu, 4, chain);
	count_group(_metadata, &self->pmu, 7, all);
}

/*
 * An event that is on moves to another counter and loses no count. It is pinned, or perf core
 * would schedule it out and in again for the new event.
 */
TEST_F(testpmu, moves_what_is_on_for_a_newcomer)
{
	struct perf_event_attr attr[2] = { test_event(&self->pmu, 10, 1, 0x3),
					   test_event(&self->pmu, 11, 1, 0x1) };
	long moves = testpmu_moves(0);
	int fd[2];

	ASSERT_GE(moves, 0);
	attr[0].pinned = 1;
	fd[0] = perf_open(&attr[0], -1, 0, -1);
	ASSERT_GE(fd[0], 0);
	ASSERT_TRUE(tick(&self->pmu, 3));
	EXPECT_EQ(0, testpmu_counter(10));
	fd[1] = perf_open(&attr[1], -1, 0, -1);
	ASSERT_GE(fd[1], 0);
	ASSERT_TRUE(tick(&self->pmu, 5));
	EXPECT_EQ(1, testpmu_counter(10));
	EXPECT_EQ(0, testpmu_counter(11));
	EXPECT_EQ(8, value_of(fd[0]));
	EXPECT_EQ(5, value_of(fd[1]));
	close(fd[1]);
	ASSERT_TRUE(tick(&self->pmu, 1));
	EXPECT_EQ(9, value_of(fd[0]));
	close(fd[0]);
	EXPECT_EQ(moves + 1, testpmu_moves(0));
}

/* Of two for one counter always one counts: at each tick, to the unit. */
TEST_F_TIMEOUT(testpmu, two_for_one_counter_are_multiplexed, 60)
{
	struct perf_event_attr attr[2] = { test_event(&self->pmu, 0, 1, 0x4),
					   test_event(&self->pmu, 1, 1, 0x4) };
	uint64_t value[2] = {};
	int fd[2], i, ticks;

	for (i = 0; i < 2; i++) {
		fd[i] = perf_open(&attr[i], 0, -1, -1);
		ASSERT_GE(fd[i], 0);
	}
	/* perf rotates every 4 ms; ten seconds are enough on any host */
	for (ticks = 0; ticks < 10000 && (ticks < 20 || !value[0] || !value[1]); ticks++) {
		spin_ns(NSEC_PER_MSEC);
		ASSERT_TRUE(tick(&self->pmu, 1));
		for (i = 0; i < 2; i++)
			value[i] = value_of(fd[i]);
		ASSERT_EQ(ticks + 1, value[0] + value[1]);
	}
	EXPECT_GT(value[0], 0);
	EXPECT_GT(value[1], 0);
	close_all(2, fd);
}

TEST_F(testpmu, complains_of_every_misuse)
{
	static const char *const misuse[] = {
		"irqs-on", "unheld", "double-add", "absent-read", "early-read", "stopped-read",
		"absent-del", "early-del", "txn-nested", "txn-none", "txn-del", "txn-left",
		"unbalanced", "left-held", NULL
	};
	bool smp = sysconf(_SC_NPROCESSORS_ONLN) > 1;
	unsigned int i, k, try;

	for (k = 0; k < 2; k++) {
		for (i = 0; misuse[i]; i++) {
			/* irqs-on must not migrate, and does not prevent it: this test is bound */
			errno = 0;
			for (try = 0; try < 3; try++)
				if (file_write(TESTPMU "misuse", misuse[i]))
					break;
			EXPECT_LT(try, 3) {
				TH_LOG("%s: errno %d", misuse[i], errno);
			}
		}
	}
	EXPECT_FALSE(file_write(TESTPMU "misuse", "nonsense"));
	/* plausible numbers from another CPU's counter */
	EXPECT_EQ(smp, file_write(TESTPMU "misuse", "elsewhere-read"));
	/* and no harm is left behind */
	count_group(_metadata, &self->pmu, 1, (const uint64_t[]){ 1 });
}

TEST_HARNESS_MAIN
