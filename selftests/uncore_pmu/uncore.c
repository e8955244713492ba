// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups of events of uncore PMUs: each part of the machine is counted once, on the CPU that its
 * driver has chosen, and to the unit.  The PMUs are the tests' own
 * (test_modules/testpmu/uncore.c).
 *
 * needs: testpmu=yes
 */
#include "pmcgrp_leader.h"
#include "pmcgrp_uncore.h"
#include "kselftest_harness.h"

FIXTURE(uncore)
{
	struct uncore uncore;
	uint64_t designated;
	int dev;
};

FIXTURE_SETUP(uncore)
{
	self->dev = -1;
	if (!uncore_open(&self->uncore))
		SKIP(return, TESTPMU_MISSING);
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->designated = uncore_cpumask("pmcgrp_test_uncore_0");
	ASSERT_EQ(self->uncore.packages, __builtin_popcountll(self->designated));
	ASSERT_EQ(2, self->uncore.counters);
}

FIXTURE_TEARDOWN(uncore)
{
	if (self->dev < 0)
		return;
	EXPECT_EQ(self->uncore.pmu.faults, testpmu_faults());
	EXPECT_TRUE(uncore_box_empties(0));
	EXPECT_TRUE(uncore_box_empties(1));
	close(self->dev);
	uncore_close(&self->uncore);
}

/* A group of all CPUs counts every package, once, on the CPU that its driver has chosen. */
static void count_machine(struct __test_metadata *_metadata, const struct uncore *uncore, int dev,
			  unsigned int nr, const struct perf_event_attr *attr)
{
	uint64_t ticks[UNCORE_CPUS_MAX] = {}, mask = uncore_cpumask("pmcgrp_test_uncore_0");
	struct uncore_cpus cpus;
	struct group_values v;
	unsigned int i;
	int fd, p;

	fd = uncore_group(dev, nr, attr, 0);
	ASSERT_GE(fd, 0);
	EXPECT_TRUE(uncore_shows(uncore, fd, nr, attr, ticks));
	for (i = 0; i < nr; i++)
		EXPECT_TRUE(uncore_is_at(uncore, &attr[i], mask));
	EXPECT_EQ(nr * uncore->packages,
		  uncore_box_places(0, UINT_MAX).nr + uncore_box_places(1, UINT_MAX).nr);
	ASSERT_TRUE(uncore_tick(uncore, 5));
	for (p = 0; p < uncore->packages; p++) {
		ticks[p] = 5 + 10 * (p + 1);
		ASSERT_TRUE(uncore_tick_package(uncore, 10 * (p + 1), p));
	}
	EXPECT_TRUE(uncore_shows(uncore, fd, nr, attr, ticks));
	ASSERT_TRUE(uncore_read_cpus(fd, nr, &cpus));
	EXPECT_EQ(uncore->packages, cpus.nr);
	for (i = 0; i < cpus.nr; i++) {
		EXPECT_NE(0, mask & 1ULL << cpus.record[i].cpu);
		EXPECT_EQ(cpus.record[i].enabled, cpus.record[i].running);
	}
	ASSERT_TRUE(group_values(fd, nr, &v));
	EXPECT_EQ(v.enabled, v.running);
	close(fd);
}

TEST_F(uncore, the_whole_machine_is_counted_once_a_package)
{
	const struct uncore *uncore = &self->uncore;
	struct perf_event_attr attr[2];
	int box;

	for (box = 0; box < UNCORE_BOXES; box++) {
		attr[0] = uncore_event(uncore->type[box], 1, 3);
		attr[1] = uncore_event(uncore->type[box], 2, 1000);
		count_machine(_metadata, uncore, self->dev, 1, attr);
		count_machine(_metadata, uncore, self->dev, 2, attr);
	}
}

TEST_F(uncore, both_boxes_in_one_group)
{
	const struct uncore *uncore = &self->uncore;
	struct perf_event_attr attr[] = {
		uncore_event(uncore->type[1], 1, 3),
		uncore_event(uncore->type[0], 2, 5),
		uncore_event(uncore->type[0], 3, 7),
		uncore_event(uncore->type[1], 4, 11),
	};

	count_machine(_metadata, uncore, self->dev, 4, attr);
}

/* Of members that count the same each shows it. */
TEST_F(uncore, equal_members_share_a_counter)
{
	const struct uncore *uncore = &self->uncore;
	struct perf_event_attr attr[] = { uncore_event(uncore->type[0], 1, 3),
					  uncore_event(uncore->type[0], 2, 4),
					  uncore_event(uncore->type[0], 1, 3) };
	uint64_t ticks[UNCORE_CPUS_MAX] = {};
	int fd, p;

	fd = uncore_group(self->dev, 3, attr, 0);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(2 * uncore->packages, uncore_box_places(0, UINT_MAX).nr);
	ASSERT_TRUE(uncore_tick(uncore, 9));
	for (p = 0; p < uncore->packages; p++)
		ticks[p] = 9;
	EXPECT_TRUE(uncore_shows(uncore, fd, 3, attr, ticks));
	close(fd);
}

/* The kernel's number of a CPU's package. */
static int kernel_package(int cpu)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/physical_package_id",
		 cpu);
	return file_number(path, "");
}

/* perf core says for each CPU that the PMU counts there; a package is counted once all the same. */
TEST_F(uncore, a_pmu_with_a_scope_is_counted_once_a_package)
{
	const struct uncore *uncore = &self->uncore;
	struct perf_event_attr attr = uncore_event(uncore->scope_type, 1, 9);
	uint64_t seen = 0;
	struct group_values v;
	int fd, cpu, nr = 0;

	if (!uncore->scope_type)
		SKIP(return, "needs a kernel with scopes (6.12)");
	for (cpu = 0; cpu < uncore->cpus; cpu++) {
		nr += !(seen & 1ULL << kernel_package(cpu));
		seen |= 1ULL << kernel_package(cpu);
	}
	fd = uncore_group(self->dev, 1, &attr, 0);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(nr, uncore_places("pmcgrp_test_scope", UINT_MAX).nr);
	ASSERT_TRUE(uncore_tick(uncore, 4));
	ASSERT_TRUE(group_values(fd, 1, &v));
	EXPECT_EQ(9 * 4 * nr, v.m[0].value);
	close(fd);
	EXPECT_EQ(0, uncore_places("pmcgrp_test_scope", UINT_MAX).nr);
}

/* ---- Which CPUs can be asked for ---- */

TEST_F(uncore, a_list_of_the_cpus_that_count)
{
	const struct uncore *uncore = &self->uncore;
	struct perf_event_attr attr[] = { uncore_event(uncore->type[0], 1, 3),
					  uncore_event(uncore->type[1], 2, 5) };
	struct ask ask = { .target_type = PMCGRP_TARGET_CPUS, .nr = 2, .attr = attr,
			   .cpus = self->designated };
	uint64_t ticks[UNCORE_CPUS_MAX] = {};
	int fd, one, p;

	fd = ask_group(self->dev, &ask);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(uncore_tick(uncore, 1));
	for (p = 0; p < uncore->packages; p++)
		ticks[p] = 1;
	EXPECT_TRUE(uncore_shows(uncore, fd, 2, attr, ticks));
	for (p = 0; p < uncore->packages; p++) {
		one = group_of_cpu(self->dev, uncore_designated(uncore, p), 2, attr);
		ASSERT_GE(one, 0);
		memset(ticks, 0, sizeof(ticks));
		ticks[p] = 2;
		ASSERT_TRUE(uncore_tick(uncore, 2));
		EXPECT_TRUE(uncore_shows(uncore, one, 2, attr, ticks));
		close(one);
	}
	close(fd);
}

/* Refused with the CPU on which the PMU does not count. */
TEST_F(uncore, a_second_cpu_of_a_package_is_refused)
{
	const struct uncore *uncore = &self->uncore;
	struct perf_event_attr attr[] = { uncore_event(uncore->type[0], 1, 3),
					  uncore_event(uncore->type[1], 2, 5) };
	struct ask ask = { .nr = 2, .attr = attr };
	int cpu;

	if (uncore->cpus < 2 || uncore->package_cpus < 2)
		SKIP(return, "needs a package of two CPUs");
	for (cpu = 0; cpu < uncore->cpus; cpu++) {
		if (self->designated & 1ULL << cpu)
			continue;
		ask.target_type = PMCGRP_TARGET_CPU;
		ask.target_id = cpu;
		ask.cpus = 0;
		EXPECT_EQ(-ENODEV, ask_group(self->dev, &ask));
		EXPECT_EQ(PMCGRP_WHY_UNCORE_CPU, ask.create.why);
		EXPECT_EQ(cpu, ask.create.fail_cpu);
		EXPECT_EQ(0, ask.create.fail_member);
		ask.target_type = PMCGRP_TARGET_CPUS;
		ask.target_id = 0;
		ask.cpus = self->designated | 1ULL << cpu;
		EXPECT_EQ(-ENODEV, ask_group(self->dev, &ask));
		EXPECT_EQ(PMCGRP_WHY_UNCORE_CPU, ask.create.why);
		EXPECT_EQ(cpu, ask.create.fail_cpu);
	}
}

/* ---- What else is refused ---- */

static void refused(struct __test_metadata *_metadata, int dev, struct ask *ask,
		    unsigned int why, unsigned int member)
{
	EXPECT_EQ(-EINVAL, ask_group(dev, ask));
	EXPECT_EQ(why, ask->create.why);
	EXPECT_EQ(member, ask->create.fail_member);
}

TEST_F(uncore, tasks_are_refused)
{
	const struct uncore *uncore = &self->uncore;
	struct perf_event_attr attr[] = { uncore_event(uncore->type[0], 1, 3),
					  uncore_event(uncore->type[1], 2, 5) };
	struct perf_event_attr clock_first[] = { sw(PERF_COUNT_SW_TASK_CLOCK), attr[0] };
	struct ask ask = { .nr = 2, .attr = attr };

	refused(_metadata, self->dev, &ask, PMCGRP_WHY_UNCORE_TASK, 0);
	ask.flags = PMCGRP_CREATE_INHERIT;
	refused(_metadata, self->dev, &ask, PMCGRP_WHY_UNCORE_TASK, 0);
	ask.flags = 0;
	ask.target_type = PMCGRP_TARGET_PROCESS;
	refused(_metadata, self->dev, &ask, PMCGRP_WHY_UNCORE_TASK, 0);
	ask.target_type = PMCGRP_TARGET_TASK;
	ask.attr = clock_first;
	refused(_metadata, self->dev, &ask, PMCGRP_WHY_UNCORE_TASK, 1);
}

TEST_F(uncore, groups_of_both_sorts_are_refused)
{
	const struct uncore *uncore = &self->uncore;
	struct perf_event_attr box = uncore_event(uncore->type[0], 1, 3);
	struct perf_event_attr other = uncore_event(uncore->type[1], 1, 3);
	struct perf_event_attr core = test_event(&uncore->pmu, 1, 1, 0);
	struct perf_event_attr clock = sw(PERF_COUNT_SW_CPU_CLOCK);
	struct perf_event_attr a[] = { box, clock }, b[] = { clock, box }, c[] = { core, box },
			       d[] = { box, other, core }, e[] = { core, clock, other };
	struct ask ask = { .target_type = PMCGRP_TARGET_ALL_CPUS, .nr = 2, .attr = a };

	refused(_metadata, self->dev, &ask, PMCGRP_WHY_UNCORE_MIXED, 1);
	ask.attr = b;
	refused(_metadata, self->dev, &ask, PMCGRP_WHY_UNCORE_MIXED, 1);
	ask.attr = c;
	refused(_metadata, self->dev, &ask, PMCGRP_WHY_UNCORE_MIXED, 1);
	ask.nr = 3;
	ask.attr = d;
	refused(_metadata, self->dev, &ask, PMCGRP_WHY_UNCORE_MIXED, 2);
	ask.attr = e;
	refused(_metadata, self->dev, &ask, PMCGRP_WHY_UNCORE_MIXED, 2);
	ask.target_type = PMCGRP_TARGET_CPU;
	refused(_metadata, self->dev, &ask, PMCGRP_WHY_UNCORE_MIXED, 2);
}

TEST_F(uncore, a_ring_is_refused)
{
	struct perf_event_attr attr = uncore_event(self->uncore.type[0], 1, 3);
	struct pmcgrp_ring_setup ring = { .size = sizeof(ring), .sample_type = PERF_SAMPLE_READ };
	struct group_values v;
	int fd;

	fd = uncore_group(self->dev, 1, &attr, 0);
	ASSERT_GE(fd, 0);
	errno = 0;
	EXPECT_EQ(-1, ioctl(fd, PMCGRP_IOC_RING, &ring));
	EXPECT_EQ(EOPNOTSUPP, errno);
	EXPECT_EQ(PMCGRP_WHY_UNCORE_RING, ring.why);
	ASSERT_TRUE(uncore_tick(&self->uncore, 2));
	ASSERT_TRUE(group_values(fd, 1, &v));
	EXPECT_EQ(3 * 2 * self->uncore.packages, v.m[0].value);
	close(fd);
}

TEST_F(uncore, a_group_of_more_members_than_counters_is_refused)
{
	const struct uncore *uncore = &self->uncore;
	struct perf_event_attr attr[5];
	struct ask ask = { .target_type = PMCGRP_TARGET_ALL_CPUS, .nr = 3, .attr = attr };
	int i;

	for (i = 0; i < 3; i++)
		attr[i] = uncore_event(uncore->type[0], i, 1);
	refused(_metadata, self->dev, &ask, PMCGRP_WHY_TOO_LARGE, 2);
	for (i = 0; i < 5; i++)
		attr[i] = uncore_event(uncore->type[i % 2], i, 1);
	ask.nr = 5;
	refused(_metadata, self->dev, &ask, PMCGRP_WHY_TOO_LARGE, 4);
	ask.target_type = PMCGRP_TARGET_CPU;
	refused(_metadata, self->dev, &ask, PMCGRP_WHY_TOO_LARGE, 4);
}

/* ---- Control ---- */

TEST_F(uncore, disabled_enabled_reset)
{
	const struct uncore *uncore = &self->uncore;
	struct perf_event_attr attr[] = { uncore_event(uncore->type[0], 1, 3),
					  uncore_event(uncore->type[1], 2, 5) };
	uint64_t ticks[UNCORE_CPUS_MAX] = {};
	struct group_values v;
	int fd, p;

	fd = uncore_group(self->dev, 2, attr, PMCGRP_CREATE_DISABLED);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(uncore_tick(uncore, 1));
	EXPECT_TRUE(uncore_shows(uncore, fd, 2, attr, ticks));
	ASSERT_TRUE(group_values(fd, 2, &v));
	EXPECT_EQ(0, v.enabled);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_TRUE(uncore_tick(uncore, 10));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_TRUE(uncore_tick(uncore, 100));
	for (p = 0; p < uncore->packages; p++)
		ticks[p] = 10;
	EXPECT_TRUE(uncore_shows(uncore, fd, 2, attr, ticks));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_TRUE(uncore_tick(uncore, 1000));
	for (p = 0; p < uncore->packages; p++)
		ticks[p] = 1010;
	EXPECT_TRUE(uncore_shows(uncore, fd, 2, attr, ticks));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	memset(ticks, 0, sizeof(ticks));
	EXPECT_TRUE(uncore_shows(uncore, fd, 2, attr, ticks));
	for (p = 0; p < uncore->packages; p++) {
		ticks[p] = p + 1;
		ASSERT_TRUE(uncore_tick_package(uncore, p + 1, p));
	}
	EXPECT_TRUE(uncore_shows(uncore, fd, 2, attr, ticks));
	ASSERT_TRUE(group_values(fd, 2, &v));
	EXPECT_GT(v.enabled, 0);
	EXPECT_EQ(v.enabled, v.running);
	close(fd);
}

/* What a member has counted on all CPUs, by its own descriptor. */
static uint64_t own_value(int fd)
{
	struct own_values own;

	return read(fd, &own, sizeof(own)) == sizeof(own) ? own.value : UINT64_MAX;
}

TEST_F(uncore, members_come_and_go)
{
	const struct uncore *uncore = &self->uncore;
	struct perf_event_attr lead = uncore_event(uncore->type[0], 1, 2);
	struct perf_event_attr same_box = uncore_event(uncore->type[0], 2, 3);
	struct perf_event_attr other_box = uncore_event(uncore->type[1], 3, 5);
	struct perf_event_attr too_many = uncore_event(uncore->type[0], 4, 7);
	struct perf_event_attr clock = sw(PERF_COUNT_SW_CPU_CLOCK);
	int fd, second, third, n = uncore->packages;
	struct group_values v;
	struct pmcgrp_add add;

	fd = uncore_group(self->dev, 1, &lead, PMCGRP_CREATE_LEADER);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(uncore_tick(uncore, 1));
	third = ask_member(fd, &other_box, 0, OWN_FORMAT, &add);
	ASSERT_GE(third, 0);
	ASSERT_TRUE(uncore_tick(uncore, 10));
	second = ask_member(fd, &same_box, 0, OWN_FORMAT, &add);
	ASSERT_GE(second, 0);
	EXPECT_EQ(-EINVAL, ask_member(fd, &too_many, 0, OWN_FORMAT, &add));
	EXPECT_EQ(PMCGRP_WHY_TOO_LARGE, add.why);
	EXPECT_EQ(-EINVAL, ask_member(fd, &clock, 0, OWN_FORMAT, &add));
	EXPECT_EQ(PMCGRP_WHY_UNCORE_MIXED, add.why);
	ASSERT_TRUE(uncore_tick(uncore, 100));
	ASSERT_TRUE(group_values(fd, 3, &v));
	EXPECT_EQ(2 * 111 * n, v.m[0].value);
	EXPECT_EQ(5 * 110 * n, v.m[1].value);
	EXPECT_EQ(3 * 100 * n, v.m[2].value);
	EXPECT_EQ(5 * 110 * n, own_value(third));
	EXPECT_EQ(3 * 100 * n, own_value(second));
	EXPECT_EQ(2 * n, uncore_box_places(0, UINT_MAX).nr);
	EXPECT_EQ(n, uncore_box_places(1, UINT_MAX).nr);
	close(second);
	/* Its counters are another's now. */
	second = ask_member(fd, &too_many, 0, OWN_FORMAT, &add);
	ASSERT_GE(second, 0);
	ASSERT_TRUE(uncore_tick(uncore, 1000));
	EXPECT_EQ(7 * 1000 * n, own_value(second));
	EXPECT_EQ(5 * 1110 * n, own_value(third));
	/* They go on without their leader. */
	close(fd);
	ASSERT_TRUE(uncore_tick(uncore, 1));
	EXPECT_EQ(7 * 1001 * n, own_value(second));
	EXPECT_EQ(5 * 1111 * n, own_value(third));
	close(second);
	close(third);
}

TEST_HARNESS_MAIN
