// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups of uncore events while CPUs go offline and come back: the driver chooses another CPU of
 * the package, and the group follows.  Each package goes on to be counted once.
 *
 * Drivers and pmcgrp have callbacks for that.  The driver's is first as a CPU goes offline if it
 * was loaded later.  Both orders are tested.
 *
 * needs: testpmu=yes timeout=1200
 */
#include "pmcgrp_uncore_hotplug.h"
#include "kselftest_harness.h"

#define NR		3
#define SEED		20261126
#define STORM		60	/* times that a CPU goes or comes */
#define STORM_SLOW	20

FIXTURE(uncore_hotplug)
{
	struct uncore uncore;
	struct perf_event_attr attr[NR];	/* both boxes */
	uint64_t ticks[UNCORE_CPUS_MAX];	/* what a group must have counted */
	int dev;
	int last;	/* the last package */
	int cpu;	/* its first CPU, and the last one but one of the machine */
};

FIXTURE_VARIANT(uncore_hotplug)
{
	bool driver_first;
};

FIXTURE_VARIANT_ADD(uncore_hotplug, driver_first)
{
	.driver_first = true,
};

FIXTURE_VARIANT_ADD(uncore_hotplug, module_first)
{
	.driver_first = false,
};

FIXTURE_SETUP(uncore_hotplug)
{
	const struct uncore *uncore = &self->uncore;

	self->dev = -1;
	if (!uncore_open(&self->uncore))
		SKIP(return, TESTPMU_MISSING);
	self->last = uncore->packages - 1;
	self->cpu = self->last * uncore->package_cpus;
	if (!uncore_has_hotplug(uncore))
		SKIP(return, UNCORE_NO_HOTPLUG);
	uncore_close(&self->uncore);
	if (uncore_driver_is_first() != variant->driver_first) {
		if (access(MODULE_FILE, R_OK) || access(TESTPMU_FILE, R_OK))
			SKIP(return, "needs the files of both modules in /lib");
		ASSERT_TRUE(uncore_load_in_order(variant->driver_first));
	}
	ASSERT_TRUE(uncore_open(&self->uncore));
	self->attr[0] = uncore_event(uncore->type[0], 1, 3);
	self->attr[1] = uncore_event(uncore->type[1], 2, 5);
	self->attr[2] = uncore_event(uncore->type[0], 3, 7);
	ASSERT_TRUE(uncore_designate(uncore, self->cpu));
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	ASSERT_TRUE(stay_on(0));
}

FIXTURE_TEARDOWN(uncore_hotplug)
{
	int cpu;

	if (self->dev < 0)
		return;
	for (cpu = 1; cpu < self->uncore.cpus; cpu++)
		set_online(cpu, true);
	EXPECT_EQ(self->uncore.pmu.faults, testpmu_faults());
	EXPECT_TRUE(uncore_box_empties(0));
	EXPECT_TRUE(uncore_box_empties(1));
	close(self->dev);
	uncore_close(&self->uncore);
}

/* The group counts what comes now on every package that has a CPU. */
static void goes_on(struct __test_metadata *_metadata, const struct uncore *uncore, int fd,
		    unsigned int nr, const struct perf_event_attr *attr, uint64_t *ticks,
		    unsigned int more)
{
	int p;

	EXPECT_TRUE(uncore_is_with_driver(uncore, nr, attr));
	EXPECT_TRUE(uncore_shows(uncore, fd, nr, attr, ticks));
	ASSERT_TRUE(uncore_tick(uncore, more));
	for (p = 0; p < uncore->packages; p++)
		if (uncore_designated(uncore, p) >= 0)
			ticks[p] += more;
	EXPECT_TRUE(uncore_shows(uncore, fd, nr, attr, ticks));
}

#define GOES_ON(fd, more) \
	goes_on(_metadata, &self->uncore, fd, NR, self->attr, self->ticks, more)

TEST_F_TIMEOUT(uncore_hotplug, the_group_follows_to_another_cpu_of_the_package, 120)
{
	const struct uncore *uncore = &self->uncore;
	struct uncore_cpus cpus;
	struct group_values v;
	int fd, i;

	fd = uncore_group(self->dev, NR, self->attr, 0);
	ASSERT_GE(fd, 0);
	GOES_ON(fd, 1);
	for (i = 0; i < 3; i++) {
		/* to the second CPU */
		ASSERT_TRUE(set_online(self->cpu, false));
		ASSERT_EQ(self->cpu + 1, uncore_designated(uncore, self->last));
		GOES_ON(fd, 10);
		/* the first one is back, and nothing changes */
		ASSERT_TRUE(set_online(self->cpu, true));
		ASSERT_EQ(self->cpu + 1, uncore_designated(uncore, self->last));
		GOES_ON(fd, 100);
		sleep_ns(50 * NSEC_PER_MSEC);
		GOES_ON(fd, 1000);
		/* to the first one again */
		ASSERT_TRUE(set_online(self->cpu + 1, false));
		ASSERT_EQ(self->cpu, uncore_designated(uncore, self->last));
		GOES_ON(fd, 2000);
		ASSERT_TRUE(set_online(self->cpu + 1, true));
		GOES_ON(fd, 3000);
	}
	/* What each CPU has counted is told of it. */
	ASSERT_TRUE(uncore_read_cpus(fd, NR, &cpus));
	EXPECT_EQ(uncore->packages + 1, cpus.nr);
	for (i = 0; i < (int)cpus.nr; i++)
		if ((int)cpus.record[i].cpu == self->cpu + 1)
			EXPECT_EQ(3 * 3 * 1110, cpus.record[i].m[0].value);
	ASSERT_TRUE(group_values(fd, NR, &v));
	EXPECT_LE(v.running, v.enabled);
	close(fd);
}

/*
 * Ticks that come while nobody counts the package are lost to all members alike. Other packages
 * lose none.
 */
TEST_F_TIMEOUT(uncore_hotplug, ticks_meanwhile_are_counted_by_all_or_none, 120)
{
	const struct uncore *uncore = &self->uncore;
	struct uncore_cpus cpus;
	uint64_t ticks;
	int fd, i, k, p;

	fd = uncore_group(self->dev, NR, self->attr, 0);
	ASSERT_GE(fd, 0);
	GOES_ON(fd, 1);
	for (i = 0; i < 6; i++) {
		ASSERT_TRUE(set_online(self->cpu + i % 2, false));
		for (k = 0; k < 20; k++)
			ASSERT_TRUE(uncore_tick(uncore, 1));
		for (p = 0; p < self->last; p++)
			self->ticks[p] += 20;
		ASSERT_TRUE(uncore_read_cpus(fd, NR, &cpus));
		ticks = uncore_package_value(uncore, &cpus, self->last, 0) / 3;
		EXPECT_LE(self->ticks[self->last], ticks);
		EXPECT_LE(ticks, self->ticks[self->last] + 20);
		self->ticks[self->last] = ticks;
		GOES_ON(fd, 100);
		ASSERT_TRUE(set_online(self->cpu + i % 2, true));
	}
	close(fd);
}

TEST_F_TIMEOUT(uncore_hotplug, a_whole_package_goes_and_comes_back, 120)
{
	const struct uncore *uncore = &self->uncore;
	struct group_values v, w;
	int fd, i;

	fd = uncore_group(self->dev, NR, self->attr, 0);
	ASSERT_GE(fd, 0);
	GOES_ON(fd, 1);
	for (i = 0; i < 3; i++) {
		ASSERT_TRUE(set_online(self->cpu + i % 2, false));
		GOES_ON(fd, 10);
		ASSERT_TRUE(group_values(fd, NR, &v));
		ASSERT_TRUE(set_online(self->cpu + !(i % 2), false));
		ASSERT_EQ(-1, uncore_designated(uncore, self->last));
		/* it keeps what it has counted */
		EXPECT_TRUE(uncore_is_with_driver(uncore, NR, self->attr));
		ASSERT_TRUE(group_values(fd, NR, &w));
		EXPECT_EQ(0, memcmp(v.m, w.m, sizeof(v.m[0]) * NR));
		GOES_ON(fd, 100);
		/* and is counted again, once */
		ASSERT_TRUE(set_online(self->cpu + 1, true));
		ASSERT_EQ(self->cpu + 1, uncore_designated(uncore, self->last));
		GOES_ON(fd, 1000);
		ASSERT_TRUE(set_online(self->cpu, true));
		GOES_ON(fd, 2000);
		sleep_ns(50 * NSEC_PER_MSEC);
		GOES_ON(fd, 3000);
	}
	close(fd);
}

TEST_F_TIMEOUT(uncore_hotplug, groups_made_while_cpus_are_away, 120)
{
	const struct uncore *uncore = &self->uncore;
	struct ask ask = { .target_type = PMCGRP_TARGET_CPU, .target_id = self->cpu, .nr = NR,
			   .attr = self->attr };
	uint64_t ticks[UNCORE_CPUS_MAX] = {};
	int fd, fd2;

	ASSERT_TRUE(set_online(self->cpu, false));
	fd = uncore_group(self->dev, NR, self->attr, 0);
	ASSERT_GE(fd, 0);
	GOES_ON(fd, 1);
	EXPECT_EQ(-ENODEV, ask_group(self->dev, &ask));
	EXPECT_EQ(PMCGRP_WHY_CPU_OFFLINE, ask.create.why);
	EXPECT_EQ(self->cpu, ask.create.fail_cpu);
	ASSERT_TRUE(set_online(self->cpu + 1, false));
	GOES_ON(fd, 10);
	/* The same events: both groups have the same counters. */
	fd2 = uncore_group(self->dev, NR, self->attr, 0);
	ASSERT_GE(fd2, 0);
	goes_on(_metadata, uncore, fd2, NR, self->attr, ticks, 100);
	goes_on(_metadata, uncore, fd2, NR, self->attr, ticks, 0);
	self->ticks[0] += 100;
	GOES_ON(fd, 0);
	ASSERT_TRUE(set_online(self->cpu, true));
	goes_on(_metadata, uncore, fd2, NR, self->attr, ticks, 1000);
	self->ticks[0] += 1000;
	self->ticks[self->last] += 1000;
	GOES_ON(fd, 0);
	close(fd);
	ASSERT_TRUE(set_online(self->cpu + 1, true));
	goes_on(_metadata, uncore, fd2, NR, self->attr, ticks, 2000);
	close(fd2);
}

/* Disabled all the while, and enabled elsewhere. */
TEST_F_TIMEOUT(uncore_hotplug, a_disabled_group_follows_as_well, 120)
{
	const struct uncore *uncore = &self->uncore;
	int fd;

	fd = uncore_group(self->dev, NR, self->attr, PMCGRP_CREATE_DISABLED);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(set_online(self->cpu, false));
	ASSERT_TRUE(uncore_tick(uncore, 1));
	EXPECT_TRUE(uncore_shows(uncore, fd, NR, self->attr, self->ticks));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	GOES_ON(fd, 10);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_TRUE(set_online(self->cpu + 1, false));
	ASSERT_TRUE(set_online(self->cpu, true));
	ASSERT_TRUE(uncore_tick(uncore, 100));
	EXPECT_TRUE(uncore_shows(uncore, fd, NR, self->attr, self->ticks));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	GOES_ON(fd, 1000);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	memset(self->ticks, 0, sizeof(self->ticks));
	GOES_ON(fd, 2000);
	close(fd);
}

/* A CPU that was asked for counts nothing while it is away, nor another CPU for it. */
TEST_F_TIMEOUT(uncore_hotplug, a_cpu_that_was_asked_for, 120)
{
	const struct uncore *uncore = &self->uncore;
	struct group_values v;
	int fd;

	fd = group_of_cpu(self->dev, self->cpu, NR, self->attr);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(uncore_tick(uncore, 4));
	ASSERT_TRUE(set_online(self->cpu, false));
	ASSERT_TRUE(uncore_tick(uncore, 100));
	sleep_ns(50 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd, NR, &v));
	EXPECT_EQ(3 * 4, v.m[0].value);
	EXPECT_EQ(0, uncore_box_places(0, UINT_MAX).nr);
	/* It is back, and the driver still counts on the other one. */
	ASSERT_TRUE(set_online(self->cpu, true));
	sleep_ns(50 * NSEC_PER_MSEC);
	ASSERT_TRUE(uncore_tick(uncore, 100));
	ASSERT_TRUE(group_values(fd, NR, &v));
	EXPECT_EQ(3 * 4, v.m[0].value);
	EXPECT_EQ(0, uncore_box_places(0, UINT_MAX).nr);
	close(fd);
}

/* perf's own events move with the group's. */
TEST_F_TIMEOUT(uncore_hotplug, beside_perf, 120)
{
	const struct uncore *uncore = &self->uncore;
	struct perf_event_attr attr = uncore_event(uncore->type[0], 90, 11);
	uint64_t value;
	int fd, perf;

	perf = perf_open(&attr, -1, self->cpu, -1);
	ASSERT_GE(perf, 0);
	fd = uncore_group(self->dev, 2, self->attr, 0);
	ASSERT_GE(fd, 0);
	goes_on(_metadata, uncore, fd, 2, self->attr, self->ticks, 1);
	ASSERT_TRUE(set_online(self->cpu, false));
	goes_on(_metadata, uncore, fd, 2, self->attr, self->ticks, 10);
	ASSERT_TRUE(set_online(self->cpu, true));
	ASSERT_TRUE(set_online(self->cpu + 1, false));
	goes_on(_metadata, uncore, fd, 2, self->attr, self->ticks, 100);
	ASSERT_EQ(sizeof(value), read(perf, &value, sizeof(value)));
	EXPECT_EQ(11 * 111, value);
	close(perf);
	goes_on(_metadata, uncore, fd, 2, self->attr, self->ticks, 1000);
	close(fd);
}

/* ---- A storm ---- */

#define LOADS	4	/* groups, more than the boxes have counters for */

struct storm {
	int fd[LOADS];
	struct perf_event_attr attr[LOADS][2];
};

static void storm_open(struct __test_metadata *_metadata, const struct uncore *uncore, int dev,
		       struct storm *storm)
{
	int g;

	for (g = 0; g < LOADS; g++) {
		storm->attr[g][0] = uncore_event(uncore->type[g % 2], 10 * g, 1);
		storm->attr[g][1] = uncore_event(uncore->type[g / 2], 10 * g + 1, 2);
		storm->fd[g] = uncore_group(dev, 2, storm->attr[g], 0);
		ASSERT_GE(storm->fd[g], 0);
	}
}

/* No tick was counted by one member alone, and none twice. */
static bool storm_is_right(const struct storm *storm, uint64_t ticks_of_all)
{
	struct group_values v;
	int g;

	for (g = 0; g < LOADS; g++)
		if (!group_values(storm->fd[g], 2, &v) || v.m[1].value != 2 * v.m[0].value ||
		    v.m[0].value > ticks_of_all || v.running > v.enabled)
			return false;
	return true;
}

/* CPUs go and come in an order that is the same each time, while groups wait for counters. */
TEST_F_TIMEOUT(uncore_hotplug, storm, 1200)
{
	const struct uncore *uncore = &self->uncore;
	int toggles = slow_kernel() ? STORM_SLOW : STORM, cpu, i, g;
	struct rng rng = { .state = mix(SEED) };
	bool online[UNCORE_CPUS_MAX] = {};
	struct storm storm;
	uint64_t ticks = 0;

	memset(online, true, uncore->cpus);
	storm_open(_metadata, uncore, self->dev, &storm);
	for (i = 0; i < toggles; i++) {
		cpu = 1 + below(&rng, uncore->cpus - 1);
		online[cpu] = !online[cpu];
		ASSERT_TRUE(set_online(cpu, online[cpu]));
		ASSERT_TRUE(uncore_tick(uncore, 3));
		spin_ns(below(&rng, 5 * NSEC_PER_MSEC));
		ASSERT_TRUE(uncore_tick(uncore, 4));
		ticks += 7 * uncore->packages;
		ASSERT_TRUE(storm_is_right(&storm, ticks)) {
			TH_LOG("after CPU %d went %s", cpu, online[cpu] ? "on" : "off");
		}
	}
	for (i = 1; i < uncore->cpus; i++)
		ASSERT_TRUE(set_online(i, true));
	for (g = 1; g < LOADS; g++)
		close(storm.fd[g]);
	/* The one that is left counts each package once, from zero on. */
	EXPECT_TRUE(uncore_is_with_driver(uncore, 2, storm.attr[0]));
	ASSERT_EQ(0, ioctl(storm.fd[0], PERF_EVENT_IOC_RESET, 0));
	goes_on(_metadata, uncore, storm.fd[0], 2, storm.attr[0], self->ticks, 100);
	tell_count("uncore_hotplug", toggles, "times that a CPU went or came");
	close(storm.fd[0]);
}

TEST_HARNESS_MAIN
