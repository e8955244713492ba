// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is opened is freed when it is closed: counters, memory, the module.
 *
 * needs: timeout=1200
 */
#include "pmcgrp_test.h"
#include "kselftest_harness.h"

#define ROUNDS		10000
#define SLACK_KB	1024	/* a hundred bytes forgotten in each round */

FIXTURE(life)
{
	int dev;
};

FIXTURE_SETUP(life)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
}

FIXTURE_TEARDOWN(life)
{
	close(self->dev);
}

static long slab_kb(void)
{
	return file_number("/proc/meminfo", "Slab:") + file_number("/proc/meminfo", "Percpu:");
}

/* Returns the perf_event objects in use, if the kernel tells (SLUB may merge the cache). */
static long perf_events(void)
{
	return file_number("/proc/slabinfo", "perf_event ");
}

static bool all_counters_run(int dev, uint64_t *running)
{
	struct perf_event_attr attr[COUNTERS_MOST];
	unsigned int nr = counters(), i;
	struct group_values v;
	bool ok;
	int fd;

	for (i = 0; i < nr; i++)
		attr[i] = cycles_copy(i);
	fd = group_of(dev, nr, attr, 0);
	if (fd < 0)
		return false;
	spin_ns(10 * NSEC_PER_MSEC);
	ok = group_values(fd, nr, &v) && v.running == v.enabled;
	*running = v.running;
	close(fd);
	return ok;
}

static int open_close(int dev, const struct perf_event_attr *attr, int rounds)
{
	int fd, i;

	for (i = 0; i < rounds; i++) {
		fd = group_of(dev, 4, attr, 0);
		if (fd < 0)
			return fd;
		close(fd);
	}
	return 0;
}

TEST_F_TIMEOUT(life, ten_thousand_groups_leave_nothing, 1200)
{
	struct perf_event_attr attr[4] = { sw(PERF_COUNT_SW_PAGE_FAULTS),
					   sw(PERF_COUNT_SW_TASK_CLOCK),
					   sw(PERF_COUNT_SW_CONTEXT_SWITCHES),
					   sw(PERF_COUNT_SW_CPU_MIGRATIONS) };
	int rounds = slow_kernel() || rt_kernel() ? ROUNDS / 20 : ROUNDS;
	long before, after, events_before, events_after;
	uint64_t running;
	int i, waited;

	if (have_cycles())
		for (i = 0; i < 4; i++)
			attr[i] = cycles_copy(i);
	/* fill the caches that the allocators keep */
	ASSERT_EQ(0, open_close(self->dev, attr, rounds / 10));
	for (i = 0; i < 2; i++) {
		sleep_ns(NSEC_PER_SEC);		/* and let RCU free what it holds */
		before = slab_kb();
		events_before = perf_events();
		ASSERT_EQ(0, open_close(self->dev, attr, rounds));
		/* where the host stops the guest that takes RCU longer */
		for (waited = 0; waited < 30; waited++) {
			sleep_ns(NSEC_PER_SEC);
			after = slab_kb();
			events_after = perf_events();
			if (after - before < SLACK_KB && events_after - events_before < 100)
				break;
		}
		TH_LOG("%d groups: slab and per-CPU memory %ld -> %ld kB, perf_events %ld -> %ld",
		       rounds, before, after, events_before, events_after);
		/* what the rest of the system takes it takes once, a leak twice */
		if (after - before < SLACK_KB)
			break;
	}
	/* KASAN keeps what was freed for a while; there kmemleak looks for leaks */
	if (!slow_kernel()) {
		EXPECT_LT(after - before, SLACK_KB);
		if (events_before >= 0)
			EXPECT_LT(events_after - events_before, 100);
	}
	if (have_cycles()) {
		EXPECT_TRUE(all_counters_run(self->dev, &running));
		if (!slow_kernel())
			EXPECT_GT(running, 9 * NSEC_PER_MSEC);
	}
}

/* Close has closed: perf can have all counters in the next instruction. */
TEST_F(life, counters_are_free_at_once)
{
	struct perf_event_attr attr[COUNTERS_MOST], pin;
	unsigned int nr = counters(), i;
	uint64_t v[3], running;
	int fd, perf;

	if (!have_cycles())
		SKIP(return, "no hardware PMU");
	for (i = 0; i < nr; i++)
		attr[i] = cycles_copy(i);
	fd = group_of_cpu(self->dev, 0, nr, attr);
	ASSERT_GE(fd, 0);
	close(fd);
	pin = attr[0];
	pin.pinned = 1;
	pin.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	perf = perf_open(&pin, -1, 0, -1);
	ASSERT_GE(perf, 0);
	sleep_ns(NSEC_PER_MSEC);
	ASSERT_EQ(sizeof(v), read(perf, v, sizeof(v)));
	EXPECT_EQ(v[1], v[2]);
	close(perf);
	EXPECT_TRUE(all_counters_run(self->dev, &running));
}

/* Groups die with the process that forgot to close them. */
TEST_F(life, killed_owner)
{
	struct perf_event_attr attr[4];
	uint64_t running;
	int i, k, ready[2];
	char c;
	pid_t pid;

	if (!have_cycles())
		SKIP(return, "no hardware PMU");
	for (k = 0; k < 20; k++) {
		ASSERT_EQ(0, pipe(ready));
		pid = fork();
		ASSERT_GE(pid, 0);
		if (!pid) {
			for (i = 0; i < 4; i++)
				attr[i] = cycles_copy(i);
			for (i = 0; i < 8; i++)
				if (group_of_cpu(self->dev, 0, 4, attr) < 0)
					_exit(1);
			if (write(ready[1], "", 1) == 1)
				pause();
			_exit(1);
		}
		ASSERT_EQ(1, read(ready[0], &c, 1));
		kill(pid, SIGKILL);
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
		close(ready[0]);
		close(ready[1]);
	}
	EXPECT_TRUE(all_counters_run(self->dev, &running));
}

TEST_HARNESS_MAIN
