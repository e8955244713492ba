// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's NMI watchdog pins a counter of cycles on every CPU. It is switched off and on
 * while groups count: it keeps its counter, and the groups keep their counts.
 */
#include "pmcgrp_test.h"
#include "kselftest_harness.h"

#define SYSCTL		"/proc/sys/kernel/nmi_watchdog"
#define NR		MIXED
#define NR_HW		2	/* of these, the same ones on every CPU */
#define CPUS_MAX	8
#define SWITCHES	60
#define SWITCHES_SLOW	20

FIXTURE(watchdog)
{
	int dev;
	int cpus;
	bool hardware;
	bool was_on;
	int counters;	/* that a CPU has */
	int taken;	/* of them by the watchdog, if it is on */
	struct perf_event_attr attr[NR];
};

static bool watchdog(bool on)
{
	return file_write(SYSCTL, on ? "1" : "0");
}

/* How many pinned perf events like the watchdog's get a counter on that CPU now. */
static int free_counters(int cpu)
{
	struct perf_event_attr pin = any_cycles_copy(0);
	int perf[COUNTERS_MOST], nr, room = 0;
	uint64_t value;

	pin.pinned = 1;
	for (nr = 0; nr < COUNTERS_MOST; nr++) {
		perf[nr] = perf_open(&pin, -1, cpu, -1);
		/* one that finds none is at its end of file */
		if (perf[nr] < 0 || read(perf[nr], &value, sizeof(value)) != sizeof(value))
			break;
		room++;
	}
	for (; nr >= 0; nr--)
		if (nr < COUNTERS_MOST && perf[nr] >= 0)
			close(perf[nr]);
	return room;
}

/*
 * Whether no more than that get one. An event without a counter is retried now and then, and is
 * not in error until it has failed again (kmod/arbiter/pinned.c). QEMU may have its CPU wait
 * before.
 */
static bool no_more_than(int cpu, int counters)
{
	int tries = 10;

	while (tries--)
		if (free_counters(cpu) <= counters)
			return true;
	return false;
}

FIXTURE_SETUP(watchdog)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	ASSERT_LE(self->cpus, CPUS_MAX);
	self->was_on = file_number(SYSCTL, "") == 1;
	if (!watchdog(false))
		SKIP(return, "no NMI watchdog, or none that can be switched");
	self->hardware = mixed_members(self->attr);
	if (!self->hardware)
		return;
	self->counters = free_counters(0);
	ASSERT_TRUE(watchdog(true));
	self->taken = self->counters - free_counters(0);
	ASSERT_TRUE(watchdog(false));
}

FIXTURE_TEARDOWN(watchdog)
{
	watchdog(self->was_on);
	close(self->dev);
}

TEST_F_TIMEOUT(watchdog, off_and_on_while_groups_count, 300)
{
	int switches = slow_kernel() ? SWITCHES_SLOW : SWITCHES, nr = self->cpus + 1, i, k;
	struct group_values last[CPUS_MAX + 1] = {}, v;
	pid_t pid = spinner(-1);
	int fd[CPUS_MAX + 1];
	bool on;

	ASSERT_GT(pid, 0);
	fd[0] = group_of_task(self->dev, pid, NR, self->attr, 0);
	for (i = 0; i < self->cpus; i++)
		fd[1 + i] = group_of_cpu(self->dev, i, NR, self->attr);
	for (k = 0; k < switches; k++) {
		on = k % 2 == 0;
		ASSERT_TRUE(watchdog(on));
		for (i = 0; i < nr; i++) {
			ASSERT_TRUE(group_values(fd[i], NR, &v));
			ASSERT_TRUE(group_follows(&last[i], &v, NR)) {
				TH_LOG("group %d, switch %d: %lu in %lu ns after %lu in %lu", i, k,
				       v.m[0].value, v.running, last[i].m[0].value,
				       last[i].running);
			}
			ASSERT_TRUE(group_goes_on(fd[i], NR, &v));
			last[i] = v;
		}
		for (i = 0; self->hardware && i < self->cpus; i++) {
			/* Pinned events evict groups, but not the watchdog. */
			ASSERT_TRUE(no_more_than(i, self->counters - on * self->taken)) {
				TH_LOG("on CPU %d, the watchdog being %s", i, on ? "on" : "off");
			}
		}
	}
	TH_LOG("of %d counters the watchdog takes %d", self->counters, self->taken);
	tell_count("nmi-watchdog", switches, "switches");
	ASSERT_TRUE(end_child(pid));
	for (i = 0; i < nr; i++)
		close(fd[i]);
}

/* Opens a CPU's group of nr counters, none shared with another of these groups. */
static int group_of_counters(int dev, int cpu, int nr, int first)
{
	struct perf_event_attr attr[COUNTERS_MOST];
	int i;

	for (i = 0; i < nr; i++)
		attr[i] = any_cycles_copy(first + i);
	return group_of_cpu(dev, cpu, nr, attr);
}

/* A group that needs the watchdog's counter as well is never scheduled; others are. */
TEST_F(watchdog, keeps_its_counter)
{
	int all = self->counters, cpu, whole, rest, small;
	struct group_values v = {};

	if (!self->taken)
		SKIP(return, "no NMI watchdog that takes a counter");
	ASSERT_TRUE(watchdog(true));
	for (cpu = 0; cpu < self->cpus; cpu++) {
		whole = group_of_counters(self->dev, cpu, all, 0);
		rest = group_of_counters(self->dev, cpu, all - 1, 100);
		small = group_of_counters(self->dev, cpu, all - 2, 200);
		ASSERT_GE(whole, 0);
		ASSERT_TRUE(group_goes_on(rest, all - 1, &v));
		ASSERT_TRUE(group_goes_on(small, all - 2, &v));
		ASSERT_TRUE(group_values(whole, all, &v));
		EXPECT_GT(v.enabled, 0);
		EXPECT_EQ(0, v.running);
		close(whole);
		close(rest);
		close(small);
		EXPECT_EQ(all - self->taken, free_counters(cpu));
	}
}

/*
 * Switched on while groups have every counter. Since Linux 6.12 perf core, making room
 * for a pinned event, reschedules the event's own PMU only (ctx_resched()), so pmcgrp is
 * not told. Once the groups are closed, the watchdog must work as if they had never existed.
 */
TEST_F(watchdog, switched_on_while_the_pmu_is_full)
{
	int all = self->counters, without = 0, cpu, fd[CPUS_MAX];
	struct group_values v = {};

	if (!self->taken)
		SKIP(return, "no NMI watchdog that takes a counter");
	for (cpu = 0; cpu < self->cpus; cpu++) {
		fd[cpu] = group_of_counters(self->dev, cpu, all, 0);
		ASSERT_TRUE(group_goes_on(fd[cpu], all, &v));
	}
	ASSERT_TRUE(watchdog(true));
	/* The event evicts groups on a CPU that is not idle. */
	for (cpu = 0; cpu < self->cpus; cpu++) {
		ASSERT_TRUE(run_on(cpu));
		spin_ns(300 * NSEC_PER_MSEC);
	}
	for (cpu = 0; cpu < self->cpus; cpu++) {
		close(fd[cpu]);
		without += free_counters(cpu) == all;
	}
	EXPECT_EQ(0, without);
	ASSERT_TRUE(watchdog(false));
	ASSERT_TRUE(watchdog(true));
	for (cpu = 0; cpu < self->cpus; cpu++)
		EXPECT_EQ(all - self->taken, free_counters(cpu));
}

TEST_HARNESS_MAIN
