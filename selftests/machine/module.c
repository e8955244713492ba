// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loading and unloading: refused while in use, and without a trace afterwards.
 *
 * needs: module=no timeout=1200
 */
#include "pmcgrp_become.h"
#include "pmcgrp_module.h"
#include "pmcgrp_ring.h"
#include "kselftest_harness.h"

#define PMU		"/sys/bus/event_source/devices/pmcgrp"
#define ROUNDS		1000
#define ROUNDS_SLOW	100	/* each waits for RCU, and for lockdep and kmemleak */

static bool loaded(void)
{
	return !access("/sys/module/pmcgrp", F_OK);
}

/* Whether a line of a file has the word. */
static bool file_has(const char *path, const char *word)
{
	char line[1024];
	bool has = false;
	FILE *f = fopen(path, "r");

	if (!f)
		return false;
	while (!has && fgets(line, sizeof(line), f))
		has = strstr(line, word);
	fclose(f);
	return has;
}

static bool nothing_left(void)
{
	return !loaded() && access(DEVICE, F_OK) && access(PMU, F_OK) &&
	       !file_has("/proc/misc", "pmcgrp") && !file_has("/proc/timer_list", "pmcgrp") &&
	       !file_has("/proc/timer_list", "pmcgrp_tick_timer") &&
	       !file_has("/sys/devices/system/cpu/hotplug/states", "pmcgrp") &&
	       !file_has("/proc/kallsyms", "[pmcgrp]");
}

FIXTURE(module)
{
	bool was_loaded;
};

FIXTURE_SETUP(module)
{
	if (access(MODULE_FILE, R_OK))
		SKIP(return, "needs " MODULE_FILE);
	self->was_loaded = loaded();
	if (self->was_loaded)
		ASSERT_EQ(0, module_unload());
}

FIXTURE_TEARDOWN(module)
{
	module_unload();
	if (self->was_loaded)
		module_load("");
}

TEST_F(module, removal_is_refused_while_a_descriptor_is_open)
{
	struct perf_event_attr attr = sw(PERF_COUNT_SW_TASK_CLOCK);
	struct group_values v;
	int dev, fd;

	ASSERT_EQ(0, module_load(""));
	EXPECT_TRUE(file_has("/proc/misc", "pmcgrp"));
	EXPECT_TRUE(file_has("/sys/devices/system/cpu/hotplug/states", "pmcgrp"));
	dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(dev, 0);
	EXPECT_EQ(-EWOULDBLOCK, module_unload());
	fd = group_of(dev, 1, &attr, 0);
	ASSERT_GE(fd, 0);
	close(dev);
	EXPECT_EQ(-EWOULDBLOCK, module_unload());
	EXPECT_TRUE(group_values(fd, 1, &v));
	EXPECT_GT(v.running, 0);
	close(fd);
	EXPECT_EQ(0, module_unload());
	EXPECT_TRUE(nothing_left());
}

/* A group that counts, its trigger, and at last nothing but its mapped ring. */
TEST_F(module, removal_is_refused_while_counters_are_on)
{
	struct perf_event_attr attr[COUNTERS_MOST];
	unsigned int nr = counters() - 1, i;
	struct group_values v, w;
	struct ring_sum sum = {};
	struct ring ring;
	int dev, fd;

	if (!have_cycles())
		SKIP(return, "no hardware PMU");
	for (i = 0; i < nr; i++)
		attr[i] = cycles_copy(i);
	ASSERT_EQ(0, module_load(""));
	dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(dev, 0);
	fd = triggered(dev, attr, nr, 0, every(1000000, cycles_copy(nr)), 4, &ring);
	ASSERT_GE(fd, 0);
	close(dev);
	ASSERT_TRUE(group_values(fd, nr, &v));
	for (i = 0; i < 10; i++) {
		EXPECT_EQ(-EWOULDBLOCK, module_unload());
		spin_ns(2 * NSEC_PER_MSEC);
	}
	ASSERT_TRUE(group_values(fd, nr, &w));
	EXPECT_TRUE(group_follows(&v, &w, nr));
	EXPECT_GT(w.running - v.running, 15 * NSEC_PER_MSEC);
	close(fd);
	EXPECT_EQ(-EWOULDBLOCK, module_unload());
	ring_drain(&ring, &sum, NULL, NULL);
	EXPECT_LE(10, sum.samples);
	EXPECT_FALSE(sum.broken);
	ring_unmap(&ring);
	EXPECT_EQ(0, module_unload());
	EXPECT_TRUE(nothing_left());
}

/* perf core keeps no reference to pmcgrp in a sleeping task that had a group. */
TEST_F(module, targets_outlive_the_module)
{
	struct perf_event_attr attr = sw(PERF_COUNT_SW_TASK_CLOCK);
	int dev, fd, i;
	pid_t pid[4];

	ASSERT_EQ(0, module_load(""));
	dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(dev, 0);
	for (i = 0; i < 4; i++) {
		pid[i] = fork();
		ASSERT_GE(pid[i], 0);
		if (!pid[i]) {
			close(dev);
			pause();
			fork();		/* its context is copied */
			_exit(0);
		}
	}
	sleep_ns(20 * NSEC_PER_MSEC);	/* all asleep */
	for (i = 0; i < 4; i++) {
		fd = group_of_task(dev, pid[i], 1, &attr, 0);
		ASSERT_GE(fd, 0);
		close(fd);
	}
	close(dev);
	ASSERT_EQ(0, module_unload());
	for (i = 0; i < 4; i++)
		kill(pid[i], i % 2 ? SIGKILL : SIGCONT);
	sleep_ns(20 * NSEC_PER_MSEC);
	for (i = 0; i < 4; i++) {
		kill(pid[i], SIGKILL);
		ASSERT_EQ(pid[i], waitpid(pid[i], NULL, 0));
	}
	sleep_ns(100 * NSEC_PER_MSEC);	/* RCU frees the contexts */
	EXPECT_TRUE(nothing_left());
}

/* The timer of the CPU scheduler was running and counters were in use: all are released. */
TEST_F(module, nothing_is_left_after_removal)
{
	struct perf_event_attr attr[COUNTERS_MOST], pin;
	unsigned int all = counters(), half = more_than_half(), i, k;
	int dev, fd[3], perf[COUNTERS_MOST];
	uint64_t v[3];

	if (!have_cycles())
		SKIP(return, "no hardware PMU");
	ASSERT_EQ(0, module_load(""));
	dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(dev, 0);
	for (i = 0; i < 3; i++) {
		for (k = 0; k < half; k++)
			attr[k] = cycles_copy(COUNTERS_MOST * i + k);
		fd[i] = group_of_cpu(dev, 0, half, attr);
		ASSERT_GE(fd[i], 0);
	}
	spin_ns(20 * NSEC_PER_MSEC);
	/* Not in the list while it runs: look more than once. */
	if (file_has("/proc/timer_list", "hrtimer")) {
		for (i = 0; i < 10 && !file_has("/proc/timer_list", "pmcgrp_tick_timer"); i++)
			spin_ns(NSEC_PER_MSEC);
		EXPECT_LT(i, 10);
	}
	for (i = 0; i < 3; i++)
		close(fd[i]);
	close(dev);
	ASSERT_EQ(0, module_unload());
	EXPECT_TRUE(nothing_left());

	/* perf gets every counter, pinned */
	pin = cycles_copy(0);
	pin.pinned = 1;
	pin.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	for (i = 0; i < all; i++) {
		perf[i] = perf_open(&pin, -1, 0, -1);
		ASSERT_GE(perf[i], 0);
	}
	spin_ns(5 * NSEC_PER_MSEC);
	for (i = 0; i < all; i++) {
		ASSERT_EQ(sizeof(v), read(perf[i], v, sizeof(v)));
		EXPECT_EQ(v[1], v[2]);
		close(perf[i]);
	}
}

/* What perf's own group of all counters has had of its time, and counted. */
struct perf_group {
	uint64_t nr, enabled, running;
	struct {
		uint64_t value, id;
	} m[COUNTERS_MOST];
};

/*
 * Whether perf's own group of all counters counts, all of the time. It is enabled anew: where the
 * watchdog has one of the counters (AMD's) it was too large at first, and was off for that.
 */
static bool perf_has_all_counters(struct __test_metadata *_metadata)
{
	struct perf_group from = {}, to = {};
	int fd[COUNTERS_MOST];
	unsigned int nr, i;
	bool ok;

	nr = open_copies(fd, machine()->cycles);
	while (nr > counters())
		close(fd[--nr]);
	ok = nr == counters() && !ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0) &&
	     !ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0) && read(fd[0], &from, sizeof(from)) > 0;
	loop(10000);
	ok = ok && read(fd[0], &to, sizeof(to)) > 0 && to.nr == nr &&
	     to.enabled - from.enabled == to.running - from.running;
	for (i = 0; i < nr; i++) {
		ok = ok && to.m[i].value - from.m[i].value > 10000;
		close(fd[i]);
	}
	if (!ok)
		TH_LOG("perf's %u counters: %llu ns of %llu, the first %llu", nr,
		       (unsigned long long)(to.running - from.running),
		       (unsigned long long)(to.enabled - from.enabled),
		       (unsigned long long)(to.m[0].value - from.m[0].value));
	return ok;
}

/* Where counters are when the module is about to go: in use, or idle with a task that is out. */
TEST_F(module, removal_right_after_counters_were_on)
{
	struct perf_event_attr attr[COUNTERS_MOST];
	unsigned int nr = counters(), i, round;
	struct group_values v;
	int dev, fd, status;
	pid_t pid;

	if (!have_cycles())
		SKIP(return, "no hardware PMU");
	for (i = 0; i < nr; i++)
		attr[i] = cycles_copy(i);
	ASSERT_TRUE(run_on(0));
	for (round = 0; round < 12; round++) {
		pid = spinner(0);
		ASSERT_GT(pid, 0);
		ASSERT_EQ(0, module_load(""));
		dev = open(DEVICE, O_RDWR | O_CLOEXEC);
		ASSERT_GE(dev, 0);
		fd = round % 3 ? group_of_task(dev, pid, nr, attr, 0) :
				 group_of_cpu(dev, 0, nr, attr);
		ASSERT_GE(fd, 0);
		sleep_ns(10 * NSEC_PER_MSEC);
		if (round % 3 == 1) {		/* the counters stay on the PMU for a tick */
			ASSERT_EQ(0, kill(pid, SIGSTOP));
			ASSERT_EQ(pid, waitpid(pid, &status, WUNTRACED));
		} else if (round % 3 == 2) {
			ASSERT_TRUE(end_child(pid));
		}
		ASSERT_TRUE(group_values(fd, nr, &v));
		EXPECT_LT(0, v.running);
		close(fd);
		close(dev);
		ASSERT_EQ(0, module_unload());
		EXPECT_TRUE(perf_has_all_counters(_metadata));
		if (round % 3 != 2)
			ASSERT_TRUE(end_child(pid));
	}
	EXPECT_TRUE(nothing_left());
}

TEST_F(module, parameters)
{
	struct pmcgrp_query q = { .size = sizeof(q) };
	int dev;

	EXPECT_EQ(-EINVAL, module_load("mux_interval_ms=0"));
	EXPECT_EQ(-EINVAL, module_load("mux_interval_ms=1001"));
	EXPECT_FALSE(loaded());
	ASSERT_EQ(0, module_load("mux_interval_ms=10"));
	dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(dev, 0);
	ASSERT_EQ(0, ioctl(dev, PMCGRP_IOC_QUERY, &q));
	EXPECT_EQ(10 * NSEC_PER_MSEC, q.mux_interval_ns);
	close(dev);
	EXPECT_EQ(10, file_number("/sys/module/pmcgrp/parameters/mux_interval_ms", ""));
	EXPECT_EQ(0, module_unload());
}

/* A limit on the counters of a user: the reason, and room again once a group is closed. */
TEST_F(module, counters_in_all)
{
	struct perf_event_attr attr[3] = { sw(PERF_COUNT_SW_PAGE_FAULTS),
					   sw(PERF_COUNT_SW_CONTEXT_SWITCHES),
					   sw(PERF_COUNT_SW_CPU_MIGRATIONS) };
	struct ask ask = { .target_type = PMCGRP_TARGET_CPU, .nr = 3, .attr = attr };
	int dev, fd[4], i;

	ASSERT_EQ(0, module_load("counters_max=4"));
	dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(dev, 0);
	fd[0] = ask_group(dev, &ask);
	ASSERT_GE(fd[0], 0);
	attr[0] = sw(PERF_COUNT_SW_PAGE_FAULTS_MIN);
	ask.nr = 1;
	fd[1] = ask_group(dev, &ask);	/* the fourth counter */
	EXPECT_GE(fd[1], 0);
	attr[0] = sw(PERF_COUNT_SW_PAGE_FAULTS_MAJ);
	EXPECT_EQ(-ENOSPC, ask_group(dev, &ask));
	EXPECT_EQ(PMCGRP_WHY_COUNTERS_MAX, ask.create.why);
	EXPECT_EQ(0, ask.create.fail_member);
	/* what is counted already costs nothing */
	attr[0] = sw(PERF_COUNT_SW_CONTEXT_SWITCHES);
	fd[2] = ask_group(dev, &ask);
	EXPECT_GE(fd[2], 0);
	/* another user has its own */
	attr[0] = sw(PERF_COUNT_SW_PAGE_FAULTS_MAJ);
	EXPECT_TRUE(another_user_gets(dev, &ask));
	close(fd[0]);
	attr[0] = sw(PERF_COUNT_SW_PAGE_FAULTS_MAJ);
	fd[3] = ask_group(dev, &ask);
	EXPECT_GE(fd[3], 0);
	for (i = 1; i < 4; i++)
		close(fd[i]);
	close(dev);
	EXPECT_EQ(0, module_unload());
}

TEST_F_TIMEOUT(module, over_and_over, 1200)
{
	int rounds = rounds_of(ROUNDS, ROUNDS_SLOW);
	struct perf_event_attr attr[MIXED];
	int dev, fd, i;

	mixed_members(attr);
	for (i = 0; i < rounds; i++) {
		ASSERT_EQ(0, module_load(""));
		dev = open(DEVICE, O_RDWR | O_CLOEXEC);
		ASSERT_GE(dev, 0);
		fd = group_of(dev, MIXED, attr, 0);
		ASSERT_GE(fd, 0);
		ASSERT_TRUE(group_sane(fd, MIXED));
		close(fd);
		close(dev);
		ASSERT_EQ(0, module_unload());
	}
	EXPECT_TRUE(nothing_left());
	tell_count("module", rounds, "loads");
}

TEST_HARNESS_MAIN
