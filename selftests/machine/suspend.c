// SPDX-License-Identifier: GPL-2.0-only
/*
 * The machine is suspended and resumed, without groups and with groups of tasks and
 * CPUs. Counts are kept and go on, as those of perf events.
 *
 * An x86_64 guest whose processors are off has only the host's clock to wake it: 210 s there,
 * and not the same each time; on arm64 half a second of the host's processor.
 * needs: timeout=600 rtc_of_host=x86_64-*
 */
#include "pmcgrp_test.h"
#include "kselftest_harness.h"

#define POWER		"/sys/power/"
#define ALARM		"/sys/class/rtc/rtc0/wakealarm"
#define DELAY		"/sys/module/suspend/parameters/pm_test_delay"
#define NR		MIXED
#define CPUS_MAX	8

FIXTURE(suspend)
{
	int dev;
	int cpus;
	struct perf_event_attr attr[NR];
};

/*
 * How: completely, until a clock wakes the machine, or up to a test point from which the kernel
 * resumes by itself, with devices suspended and all CPUs but one offline.
 */
struct way {
	const char *state;	/* in /sys/power/state */
	const char *mem_sleep;
	const char *pm_test;
};

FIXTURE_VARIANT(suspend)
{
	struct way way;
};

FIXTURE_VARIANT_ADD(suspend, to_idle)
{
	.way.state = "freeze",
};

FIXTURE_VARIANT_ADD(suspend, to_ram)
{
	.way.state = "mem",
	.way.mem_sleep = "deep",
};

FIXTURE_VARIANT_ADD(suspend, to_ram_up_to_processors)
{
	.way.state = "mem",
	.way.mem_sleep = "deep",
	.way.pm_test = "processors",
};

FIXTURE_VARIANT_ADD(suspend, to_ram_up_to_core)
{
	.way.state = "mem",
	.way.mem_sleep = "deep",
	.way.pm_test = "core",
};

FIXTURE_VARIANT_ADD(suspend, to_disk_up_to_processors)
{
	.way.state = "disk",
	.way.pm_test = "processors",
};

FIXTURE_VARIANT_ADD(suspend, to_disk_up_to_core)
{
	.way.state = "disk",
	.way.pm_test = "core",
};

/* A word of a file of choices, the one chosen being in brackets. */
static bool offers(const char *path, const char *word)
{
	char line[256] = "";
	FILE *f = fopen(path, "r");
	char *next, *rest = line;
	bool found = false;

	if (!f)
		return false;
	if (!fgets(line, sizeof(line), f))
		line[0] = 0;
	fclose(f);
	while (!found && (next = strtok_r(rest, "\n[] ", &rest)))
		found = !strcmp(next, word);
	return found;
}

FIXTURE_SETUP(suspend)
{
	const struct way *way = &variant->way;

	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	ASSERT_LE(self->cpus, CPUS_MAX);
	mixed_members(self->attr);
	if (!offers(POWER "state", way->state))
		SKIP(return, "the kernel cannot suspend so");
	if (way->mem_sleep && !offers(POWER "mem_sleep", way->mem_sleep))
		SKIP(return, "the machine cannot suspend so");
	if (way->pm_test && !offers(POWER "pm_test", way->pm_test))
		SKIP(return, "no CONFIG_PM_DEBUG");
	if (way->pm_test && !strcmp(way->pm_test, "processors") && self->cpus == 1)
		SKIP(return, "one CPU: none can be taken offline");
	/* that of QEMU's PC wakes it through firmware, and from nowhere else */
	if (!way->pm_test && (access(ALARM, W_OK) ||
			      (!way->mem_sleep && offers(POWER "mem_sleep", "deep"))))
		SKIP(return, "no clock that wakes the machine");
}

FIXTURE_TEARDOWN(suspend)
{
	if (variant->way.pm_test)
		file_write(POWER "pm_test", "none");
	close(self->dev);
}

/* Returns when the machine has come back. */
static bool cycle(const struct way *way)
{
	bool ok = true;

	if (way->mem_sleep)
		ok = file_write(POWER "mem_sleep", way->mem_sleep);
	if (way->pm_test) {
		ok = ok && file_write(POWER "pm_test", way->pm_test);
		file_write(DELAY, "1");		/* hibernation always takes five seconds */
	} else {
		/* long enough for the machine to be asleep by then */
		file_write(ALARM, "0");
		ok = ok && file_write(ALARM, slow_kernel() ? "+30" : "+8");
	}
	return ok && file_write(POWER "state", way->state);
}

TEST_F_TIMEOUT(suspend, with_no_groups, 300)
{
	struct group_values v = {};
	int fd;

	/* The second time that Debian's 6.12-rt is to come back, QEMU's PC starts anew. */
	if (variant->way.mem_sleep && !variant->way.pm_test && rt_kernel())
		SKIP(return, "this kernel comes back once, also without the module");
	ASSERT_TRUE(cycle(&variant->way));
	fd = group_of_cpu(self->dev, self->cpus - 1, NR, self->attr);
	ASSERT_GE(fd, 0);
	EXPECT_TRUE(group_goes_on(fd, NR, &v));
	close(fd);
	tell_count("suspend", 1, "cycles");
}

/*
 * perf's own event on a CPU, or of a task. x86 keeps no counters over a suspend to RAM (there is
 * nothing in arch/x86/events/ that would, as drivers/perf/arm_pmu.c has it): what counted then
 * comes back with registers of 0, and stands still until it is put on the PMU anew.
 */
static int perf_beside(pid_t pid, int cpu)
{
	struct perf_event_attr attr = have_cycles() ? cycles_copy(99) :
						      sw(PERF_COUNT_SW_CPU_CLOCK);

	return perf_open(&attr, pid, cpu, -1);
}

static uint64_t perf_value(int perf)
{
	uint64_t value = 0;

	return read(perf, &value, sizeof(value)) == sizeof(value) ? value : 0;
}

static bool perf_goes_on(int perf)
{
	uint64_t value = perf_value(perf);

	spin_ns(20 * NSEC_PER_MSEC);
	return perf_value(perf) > value;
}

/* More than any event counts here, and less than half of the range of an x86 counter. */
#define LOST	(1ULL << 40)

/* Schedules the group out and in, which perf events need as well. */
static bool start_anew(int fd)
{
	bool ok = !ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);

	spin_ns(20 * NSEC_PER_MSEC);	/* an idle counter stays on the PMU for a tick or two */
	return ok && !ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

/*
 * Groups of a spinning task and of every CPU, and one that is disabled, each with a perf event
 * of the same target. A group keeps its counts and goes on where the perf event does, and by the
 * same means where the perf event does not.  perf core lets go of the events of a CPU that goes
 * offline, as all but the first do on the way to RAM (kernel/events/core.c: perf_event_exit_cpu()):
 * there only the group has to go on.
 */
TEST_F_TIMEOUT(suspend, with_groups, 300)
{
	struct group_values before[CPUS_MAX + 2], v;
	int fd[CPUS_MAX + 2], nr = self->cpus + 2, off = nr - 1, i, k;
	int perf[CPUS_MAX + 1], kept, stood = 0;
	uint64_t perf_before[CPUS_MAX + 1];
	pid_t pid = spinner(-1);

	ASSERT_GT(pid, 0);
	for (i = 0; i < self->cpus; i++) {
		fd[i] = group_of_cpu(self->dev, i, NR, self->attr);
		perf[i] = perf_beside(-1, i);
	}
	perf[i] = perf_beside(pid, -1);
	fd[i++] = group_of_task(self->dev, pid, NR, self->attr, 0);
	fd[off] = group_of(self->dev, NR, self->attr, 0);
	ASSERT_GE(fd[off], 0);
	spin_ns(20 * NSEC_PER_MSEC);
	ASSERT_EQ(0, ioctl(fd[off], PERF_EVENT_IOC_DISABLE, 0));
	for (i = 0; i < nr; i++) {
		ASSERT_TRUE(group_values(fd[i], NR, &before[i]));
		if (i == off)
			continue;
		ASSERT_GE(perf[i], 0);
		perf_before[i] = perf_value(perf[i]);
	}
	ASSERT_TRUE(cycle(&variant->way));
	for (i = 0; i < nr; i++) {
		kept = i == off || perf_value(perf[i]) - perf_before[i] < LOST;
		ASSERT_TRUE(group_values(fd[i], NR, &v));
		EXPECT_LE(v.running, v.enabled);
		EXPECT_GE(v.running, before[i].running);
		EXPECT_GE(v.enabled, before[i].enabled);
		for (k = 0; k < NR; k++) {
			EXPECT_GE(v.m[k].value, before[i].m[k].value);
			if (kept)
				EXPECT_LT(v.m[k].value - before[i].m[k].value, LOST);
		}
		if (i == off)
			continue;
		if (!perf_goes_on(perf[i])) {
			stood++;
			EXPECT_TRUE(start_anew(fd[i]));
			EXPECT_TRUE(start_anew(perf[i]));
			EXPECT_TRUE(perf_goes_on(perf[i]) || (i && i < self->cpus));
		}
		EXPECT_TRUE(group_goes_on(fd[i], NR, &v));
	}
	TH_LOG("%d of perf's %d events did not go on by themselves", stood, self->cpus + 1);
	EXPECT_TRUE(group_same(&v, &before[off], NR));
	EXPECT_GT(v.running, 0);
	EXPECT_EQ(0, ioctl(fd[off], PERF_EVENT_IOC_ENABLE, 0));
	spin_ns(NSEC_PER_MSEC);
	EXPECT_TRUE(group_goes_on(fd[off], NR, &v));
	tell_count("suspend", 1, "cycles");
	ASSERT_TRUE(end_child(pid));
	for (i = 0; i < nr; i++) {
		close(fd[i]);
		if (i != off)
			close(perf[i]);
	}
}

TEST_HARNESS_MAIN
