// SPDX-License-Identifier: GPL-2.0-only
/*
 * The uncore PMUs for tests (test_modules/testpmu/uncore.c) themselves, by perf_event_open(2): they
 * count to the unit, behave as drivers of uncore PMUs do, and complain of each kind of misuse.
 *
 * needs: testpmu=yes
 */
#include "pmcgrp_uncore.h"
#include "kselftest_harness.h"

FIXTURE(testpmu_uncore)
{
	struct uncore uncore;
};

FIXTURE_SETUP(testpmu_uncore)
{
	self->uncore.ticks = -1;
	if (!uncore_open(&self->uncore))
		SKIP(return, TESTPMU_MISSING);
	ASSERT_TRUE(stay_on(0));
}

FIXTURE_TEARDOWN(testpmu_uncore)
{
	int cpu;

	if (self->uncore.ticks < 0)
		return;
	for (cpu = 1; cpu < self->uncore.cpus; cpu++)
		set_online(cpu, true);
	EXPECT_EQ(self->uncore.pmu.faults, testpmu_faults());
	uncore_close(&self->uncore);
}

static uint64_t value_of(int fd)
{
	uint64_t value;

	return read(fd, &value, sizeof(value)) == sizeof(value) ? value : UINT64_MAX;
}

/* An event of a box for a CPU. */
static int open_on(const struct uncore *uncore, int box, unsigned int number, uint32_t rate,
		   int cpu)
{
	struct perf_event_attr attr = uncore_event(uncore->type[box], number, rate);

	return perf_open(&attr, -1, cpu, -1);
}

TEST_F(testpmu_uncore, sysfs_says_what_there_is)
{
	uint64_t mask = 0;
	char text[64] = "";
	int p;
	FILE *f;

	for (p = 0; p < self->uncore.packages; p++)
		mask |= 1ULL << p * self->uncore.package_cpus;
	EXPECT_EQ(mask, uncore_cpumask("pmcgrp_test_uncore_0"));
	EXPECT_EQ(mask, uncore_cpumask("pmcgrp_test_uncore_1"));
	EXPECT_EQ(kernel_is(6, 12), self->uncore.scope_type != 0);
	if (self->uncore.scope_type)
		EXPECT_NE(0, uncore_cpumask("pmcgrp_test_scope"));
	f = fopen(UNCORE_DEVICES "pmcgrp_test_uncore_1/events/energy.scale", "r");
	ASSERT_NE(NULL, f);
	EXPECT_EQ(1, fscanf(f, "%63s", text));
	fclose(f);
	EXPECT_STREQ("2.3283064365386962890625e-10", text);
	EXPECT_EQ(1, file_number(UNCORE_DEVICES
				 "pmcgrp_test_uncore_0/events/per_package.per-pkg", ""));
}

/* Every CPU of a package stands for the package. */
TEST_F(testpmu_uncore, a_package_s_events_count_on_its_designated_cpu)
{
	const struct uncore *uncore = &self->uncore;
	struct uncore_places places;
	int cpu, fd, designated;

	for (cpu = 0; cpu < uncore->cpus; cpu++) {
		designated = uncore_designated(uncore, cpu / uncore->package_cpus);
		fd = open_on(uncore, 1, 100 + cpu, 7, cpu);
		ASSERT_GE(fd, 0);
		places = uncore_box_places(1, 100 + cpu);
		EXPECT_EQ(1ULL << designated, places.cpus);
		EXPECT_EQ(1, places.nr);
		EXPECT_EQ(0, uncore_box_places(0, UINT_MAX).nr);
		ASSERT_TRUE(uncore_tick(uncore, 3));
		EXPECT_EQ(7 * 3, value_of(fd));
		ASSERT_TRUE(uncore_tick_package(uncore, 2, cpu / uncore->package_cpus));
		EXPECT_EQ(7 * 5, value_of(fd));
		if (uncore->packages > 1) {
			ASSERT_TRUE(uncore_tick_package(uncore, 10, cpu < uncore->package_cpus));
			EXPECT_EQ(7 * 5, value_of(fd));
		}
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_TRUE(uncore_tick(uncore, 3));
		EXPECT_EQ(7 * 5, value_of(fd));
		close(fd);
		EXPECT_EQ(0, uncore_box_places(1, UINT_MAX).nr);
	}
}

TEST_F(testpmu_uncore, refuses_what_it_cannot_count)
{
	struct perf_event_attr attr = uncore_event(self->uncore.type[0], 1, 1);
	int fd[8], i;

	EXPECT_EQ(-EINVAL, perf_open(&attr, 0, -1, -1));	/* a task */
	EXPECT_EQ(-EINVAL, perf_open(&attr, 0, 0, -1));
	attr.sample_period = 1000;
	EXPECT_EQ(-EINVAL, perf_open(&attr, -1, 0, -1));
	attr.sample_period = 0;
	attr.exclude_user = 1;
	EXPECT_EQ(-EINVAL, perf_open(&attr, -1, 0, -1));
	attr.exclude_user = 0;
	ASSERT_LT(self->uncore.counters, 8);
	for (i = 0; i < self->uncore.counters; i++) {
		fd[i] = perf_open(&attr, -1, 0, i ? fd[0] : -1);
		ASSERT_GE(fd[i], 0);
	}
	EXPECT_EQ(-EINVAL, perf_open(&attr, -1, 0, fd[0]));
	while (i--)
		close(fd[i]);
}

/* perf's own events follow the driver, and count on. */
TEST_F(testpmu_uncore, events_move_to_another_cpu_of_the_package)
{
	const struct uncore *uncore = &self->uncore;
	int last = uncore->packages - 1, cpu = uncore_designated(uncore, last), fd, new_fd;

	if (uncore->cpus < 4 || uncore->package_cpus < 2 || cpu == uncore->cpus - 1)
		SKIP(return, "needs a package of two CPUs that can be taken offline");
	fd = open_on(uncore, 0, 1, 3, cpu + 1);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(uncore_tick(uncore, 1));
	ASSERT_TRUE(set_online(cpu, false));
	EXPECT_EQ(cpu + 1, uncore_designated(uncore, last));
	EXPECT_EQ(1ULL << (cpu + 1), uncore_box_places(0, 1).cpus);
	ASSERT_TRUE(uncore_tick(uncore, 10));
	EXPECT_EQ(3 * 11, value_of(fd));
	/* It does not go back. */
	ASSERT_TRUE(set_online(cpu, true));
	EXPECT_EQ(cpu + 1, uncore_designated(uncore, last));
	ASSERT_TRUE(uncore_tick(uncore, 100));
	EXPECT_EQ(3 * 111, value_of(fd));
	/* The package goes, and with it perf's event for good. */
	ASSERT_TRUE(set_online(cpu, false));
	ASSERT_TRUE(set_online(cpu + 1, false));
	EXPECT_EQ(-1, uncore_designated(uncore, last));
	EXPECT_EQ(0, uncore_box_places(0, UINT_MAX).nr);
	EXPECT_GT(0, open_on(uncore, 0, 2, 5, cpu));
	ASSERT_TRUE(set_online(cpu, true));
	EXPECT_EQ(cpu, uncore_designated(uncore, last));
	new_fd = open_on(uncore, 0, 2, 5, cpu);
	ASSERT_GE(new_fd, 0);
	ASSERT_TRUE(uncore_tick(uncore, 1000));
	EXPECT_EQ(5 * 1000, value_of(new_fd));
	EXPECT_EQ(3 * 111, value_of(fd));
	close(new_fd);
	close(fd);
}

/* Of more events than a box has counters each counts, and the box is never idle. */
TEST_F_TIMEOUT(testpmu_uncore, events_are_multiplexed, 60)
{
	const struct uncore *uncore = &self->uncore;
	int nr = uncore->counters + 1, fd[16], i, ticks;
	uint64_t sum;
	bool all;

	ASSERT_LE(nr, 16);
	for (i = 0; i < nr; i++) {
		fd[i] = open_on(uncore, 1, i, 1, 0);
		ASSERT_GE(fd[i], 0);
	}
	for (ticks = 0, all = false; ticks < 10000 && !all; ticks++) {
		spin_ns(NSEC_PER_MSEC);
		ASSERT_TRUE(uncore_tick(uncore, 1));
		for (i = 0, sum = 0, all = true; i < nr; i++) {
			all = all && value_of(fd[i]);
			sum += value_of(fd[i]);
		}
		ASSERT_EQ((uint64_t)uncore->counters * (ticks + 1), sum);
	}
	EXPECT_TRUE(all);
	while (nr--)
		close(fd[nr]);
}

/* perf core keeps the events where they were asked for, and reads them from the package's CPUs. */
TEST_F(testpmu_uncore, a_pmu_with_a_scope)
{
	const struct uncore *uncore = &self->uncore;
	struct perf_event_attr attr = uncore_event(uncore->scope_type, 1, 9);
	int cpu, fd;

	if (!uncore->scope_type)
		SKIP(return, "needs a kernel with scopes (6.12)");
	EXPECT_EQ(-EINVAL, perf_open(&attr, 0, -1, -1));
	for (cpu = 0; cpu < uncore->cpus; cpu++) {
		fd = perf_open(&attr, -1, cpu, -1);
		ASSERT_GE(fd, 0);
		EXPECT_EQ(1ULL << cpu, uncore_places("pmcgrp_test_scope", 1).cpus);
		ASSERT_TRUE(uncore_tick(uncore, 4));
		EXPECT_EQ(9 * 4, value_of(fd));
		close(fd);
	}
}

TEST_F(testpmu_uncore, complains_of_every_misuse)
{
	static const char *const misuse[] = {
		"uncore irqs-on", "uncore unheld", "uncore double-add", "uncore absent-read",
		"uncore stopped-read", "uncore absent-del", "uncore unbalanced", NULL
	};
	bool smp = sysconf(_SC_NPROCESSORS_ONLN) > 1;
	unsigned int i, try;

	for (i = 0; misuse[i]; i++) {
		errno = 0;
		/* irqs-on must not migrate, and does not prevent it: this test is bound */
		for (try = 0; try < 3; try++)
			if (file_write(TESTPMU "misuse", misuse[i]))
				break;
		EXPECT_LT(try, 3) {
			TH_LOG("%s: errno %d", misuse[i], errno);
		}
	}
	EXPECT_FALSE(file_write(TESTPMU "misuse", "uncore txn-left"));
	EXPECT_EQ(smp, file_write(TESTPMU "misuse", "uncore wrong-cpu"));
	EXPECT_EQ(0, uncore_box_places(0, UINT_MAX).nr);
}

TEST_HARNESS_MAIN
