// SPDX-License-Identifier: GPL-2.0-only
/*
 * Drivers of uncore PMUs that hand over to a CPU that comes online, as arm_cmn's: the CPU before
 * stays online, with the group's counters on it.  The group follows.
 *
 * needs: testpmu=yes
 */
#include "pmcgrp_uncore_hotplug.h"
#include "kselftest_harness.h"

#define UNCORE_RETURNS	UNCORE_PARAMETERS "uncore_returns"	/* boxes, as a mask */
#define NR		3
#define ROUNDS		3

FIXTURE(uncore_handover)
{
	struct uncore uncore;
	uint64_t ticks[UNCORE_CPUS_MAX];	/* what a group must have counted */
	int dev;
	int last;	/* the last package */
	int cpu;	/* its first CPU */
};

FIXTURE_VARIANT(uncore_handover)
{
	bool driver_first;
};

FIXTURE_VARIANT_ADD(uncore_handover, driver_first)
{
	.driver_first = true,
};

FIXTURE_VARIANT_ADD(uncore_handover, module_first)
{
	.driver_first = false,
};

FIXTURE_SETUP(uncore_handover)
{
	const struct uncore *uncore = &self->uncore;

	self->dev = -1;
	if (!uncore_open(&self->uncore))
		SKIP(return, TESTPMU_MISSING);
	if (!uncore_has_hotplug(uncore))
		SKIP(return, UNCORE_NO_HOTPLUG);
	uncore_close(&self->uncore);
	if (uncore_driver_is_first() != variant->driver_first) {
		if (access(MODULE_FILE, R_OK) || access(TESTPMU_FILE, R_OK))
			SKIP(return, "needs the files of both modules in /lib");
		ASSERT_TRUE(uncore_load_in_order(variant->driver_first));
	}
	ASSERT_TRUE(uncore_open(&self->uncore));
	self->last = uncore->packages - 1;
	self->cpu = self->last * uncore->package_cpus;
	ASSERT_TRUE(uncore_designate(uncore, self->cpu));
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	ASSERT_TRUE(stay_on(0));
}

FIXTURE_TEARDOWN(uncore_handover)
{
	int cpu;

	if (self->dev < 0)
		return;
	file_write(UNCORE_RETURNS, "0");
	for (cpu = 1; cpu < self->uncore.cpus; cpu++)
		set_online(cpu, true);
	EXPECT_EQ(self->uncore.pmu.faults, testpmu_faults());
	EXPECT_TRUE(uncore_box_empties(0));
	EXPECT_TRUE(uncore_box_empties(1));
	close(self->dev);
	uncore_close(&self->uncore);
}

/* What a member has counted on a CPU, or 0. */
static uint64_t value_on(const struct uncore_cpus *cpus, int cpu, unsigned int member)
{
	unsigned int i;

	for (i = 0; i < cpus->nr; i++)
		if ((int)cpus->record[i].cpu == cpu)
			return cpus->record[i].m[member].value;
	return 0;
}

/*
 * Wait until a package is counted on a CPU, by ticks. Until then each is counted by all members on
 * the CPU before, or by none while the group is on its way. What was counted may be seen later.
 */
static void wait_for_cpu(struct __test_metadata *_metadata, const struct uncore *uncore, int fd,
			 unsigned int nr, const struct perf_event_attr *attr, uint64_t *ticks,
			 int cpu)
{
	int package = cpu / uncore->package_cpus;
	uint64_t end = now_ns() + UNCORE_PATIENCE, before, sum, most = ticks[package];
	struct uncore_cpus cpus;
	unsigned int i;

	ASSERT_TRUE(uncore_read_cpus(fd, nr, &cpus));
	before = value_on(&cpus, cpu, 0);
	do {
		ASSERT_TRUE(uncore_tick_package(uncore, 1, package));
		ASSERT_TRUE(uncore_read_cpus(fd, nr, &cpus));
		sum = uncore_package_value(uncore, &cpus, package, 0) / uncore_rate(&attr[0]);
		ASSERT_LE(ticks[package], sum);
		ASSERT_LE(sum, ++most);
		ticks[package] = sum;
		for (i = 0; i < nr; i++)
			ASSERT_EQ(sum * uncore_rate(&attr[i]),
				  uncore_package_value(uncore, &cpus, package, i));
		if (value_on(&cpus, cpu, 0) > before)
			return;
		sleep_ns(NSEC_PER_MSEC);
	} while (now_ns() < end);
	ASSERT_LT(before, value_on(&cpus, cpu, 0));
}

/* Time passes, and every package is counted. */
static void all_count(struct __test_metadata *_metadata, const struct uncore *uncore, int fd,
		      const struct perf_event_attr *attr, uint64_t *ticks)
{
	int p;

	EXPECT_TRUE(uncore_shows(uncore, fd, NR, attr, ticks));
	ASSERT_TRUE(uncore_tick(uncore, 100));
	for (p = 0; p < uncore->packages; p++)
		ticks[p] += 100;
	EXPECT_TRUE(uncore_shows(uncore, fd, NR, attr, ticks));
	EXPECT_TRUE(uncore_is_with_driver(uncore, NR, attr));
}

TEST_F_TIMEOUT(uncore_handover, the_group_follows_to_a_cpu_that_comes, 120)
{
	const struct uncore *uncore = &self->uncore;
	struct perf_event_attr attr[NR] = { uncore_event(uncore->type[0], 1, 3),
					    uncore_event(uncore->type[1], 2, 5),
					    uncore_event(uncore->type[0], 3, 7) };
	int fd, i;

	ASSERT_TRUE(file_write(UNCORE_RETURNS, "3"));
	fd = uncore_group(self->dev, NR, attr, 0);
	ASSERT_GE(fd, 0);
	all_count(_metadata, uncore, fd, attr, self->ticks);
	for (i = 0; i < ROUNDS; i++) {
		ASSERT_TRUE(set_online(self->cpu, false));
		ASSERT_EQ(self->cpu + 1, uncore_designated(uncore, self->last));
		wait_for_cpu(_metadata, uncore, fd, NR, attr, self->ticks, self->cpu + 1);
		all_count(_metadata, uncore, fd, attr, self->ticks);
		ASSERT_TRUE(set_online(self->cpu, true));
		ASSERT_EQ(self->cpu, uncore_designated(uncore, self->last));
		wait_for_cpu(_metadata, uncore, fd, NR, attr, self->ticks, self->cpu);
		all_count(_metadata, uncore, fd, attr, self->ticks);
	}
	close(fd);
}

/* How many ticks of each package a group has counted: all members the same. */
static void ticks_of(struct __test_metadata *_metadata, const struct uncore *uncore, int fd,
		     unsigned int nr, const struct perf_event_attr *attr, uint64_t *ticks)
{
	struct uncore_cpus cpus;
	int p;

	ASSERT_TRUE(uncore_read_cpus(fd, nr, &cpus));
	for (p = 0; p < uncore->packages; p++)
		ticks[p] = uncore_package_value(uncore, &cpus, p, 0) / uncore_rate(&attr[0]);
	ASSERT_TRUE(uncore_shows(uncore, fd, nr, attr, ticks));
}

/* A group on one or both boxes. */
struct boxes {
	int fd;
	unsigned int nr;
	struct perf_event_attr attr[2];
	uint64_t ticks[UNCORE_CPUS_MAX];
};

/* Time passes: all groups count it, but for one that the last package is not counted by. */
static void boxes_tick(struct __test_metadata *_metadata, const struct uncore *uncore,
		       struct boxes *boxes, unsigned int nr, const struct boxes *split)
{
	struct boxes *one;
	int p;

	for (one = boxes; one < boxes + nr; one++)
		ticks_of(_metadata, uncore, one->fd, one->nr, one->attr, one->ticks);
	ASSERT_TRUE(uncore_tick(uncore, 100));
	for (one = boxes; one < boxes + nr; one++) {
		for (p = 0; p < uncore->packages; p++)
			one->ticks[p] += one == split && p == uncore->packages - 1 ? 0 : 100;
		EXPECT_TRUE(uncore_shows(uncore, one->fd, one->nr, one->attr, one->ticks));
	}
}

static void boxes_wait(struct __test_metadata *_metadata, const struct uncore *uncore,
		       struct boxes *boxes, int cpu)
{
	ticks_of(_metadata, uncore, boxes->fd, boxes->nr, boxes->attr, boxes->ticks);
	wait_for_cpu(_metadata, uncore, boxes->fd, boxes->nr, boxes->attr, boxes->ticks, cpu);
}

/*
 * One box's driver moves, and the other's does not: no CPU has both. A group of both keeps what it
 * has of the package, and those of one box count on.
 */
TEST_F_TIMEOUT(uncore_handover, boxes_on_two_cpus_of_a_package, 120)
{
	const struct uncore *uncore = &self->uncore;
	uint64_t package = 3ULL << self->cpu;
	struct boxes boxes[3] = {};
	int i, g;

	ASSERT_TRUE(file_write(UNCORE_RETURNS, "2"));
	for (g = 0; g < 3; g++) {
		boxes[g].nr = 1 + g / 2;
		boxes[g].attr[0] = uncore_event(uncore->type[g % 2], 50 + g, 2);
		boxes[g].attr[1] = uncore_event(uncore->type[1], 60, 3);
		boxes[g].fd = uncore_group(self->dev, boxes[g].nr, boxes[g].attr, 0);
		ASSERT_GE(boxes[g].fd, 0);
	}
	for (i = 0; i < ROUNDS; i++) {
		boxes_tick(_metadata, uncore, boxes, 3, NULL);
		ASSERT_TRUE(set_online(self->cpu, false));
		for (g = 0; g < 3; g++)
			boxes_wait(_metadata, uncore, &boxes[g], self->cpu + 1);
		boxes_tick(_metadata, uncore, boxes, 3, NULL);
		ASSERT_TRUE(set_online(self->cpu, true));
		ASSERT_EQ(1ULL << self->cpu, uncore_cpumask("pmcgrp_test_uncore_1") & package);
		ASSERT_EQ(2ULL << self->cpu, uncore_cpumask("pmcgrp_test_uncore_0") & package);
		boxes_wait(_metadata, uncore, &boxes[1], self->cpu);
		boxes_tick(_metadata, uncore, boxes, 3, &boxes[2]);
		/* together again */
		ASSERT_TRUE(set_online(self->cpu + 1, false));
		for (g = 0; g < 3; g++)
			boxes_wait(_metadata, uncore, &boxes[g], self->cpu);
		ASSERT_TRUE(set_online(self->cpu + 1, true));
	}
	for (g = 0; g < 3; g++)
		close(boxes[g].fd);
}

TEST_HARNESS_MAIN
