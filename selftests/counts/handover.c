// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters that change hands: with fewer counters than CPUs a task that leaves a CPU gives its
 * counters back, and takes others where it goes.  No count is lost by that.
 *
 * Every release of a counter waits for RCU, and that waits for a thread on -rt.
 * needs: module=no testpmu=yes timeout=1200
 */
#include "pmcgrp_mark.h"
#include "pmcgrp_module.h"
#include "pmcgrp_testpmu.h"
#include "kselftest_harness.h"

#define SEED		20261124
#define TASKS		2
#define POOL		(TASKS + 1)	/* counters of an event (kmod/counter/pool.c) */
#define MEMBERS		6
#define MOVES		8000	/* of each task */
#define MOVES_SLOW	400
#define CPUS_MAX	64
#define TEST_EVENTS	2	/* of the PMU for tests, the first members */

/*
 * Where and what the two groups of a task count.  The events of hardware are in a group of their
 * own: perf holds their PMU while it schedules its own events in, and a group of two PMUs is
 * placed only after that (kmod/counter/placement.c: pmcgrp_counters_place_slow()).
 */
struct counting {
	int dev;
	int cpus;
	unsigned int nr;	/* members of the first group: the PMU for tests, software */
	unsigned int nr_all;
	struct perf_event_attr attr[MEMBERS];
};

FIXTURE(handover)
{
	bool was_loaded;
	struct testpmu pmu;
	struct counting what;
};

static bool marks;

__attribute__((constructor)) static void hold(void)
{
	marks = mark_hold();
}

/* User-space instructions: what the kernel does between two reads is in neither count. */
static struct perf_event_attr user_instructions(unsigned int copy)
{
	struct perf_event_attr attr = instructions_copy(copy);

	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	return attr;
}

/* On arm64 with -icount the PMU of each CPU counts the instructions of all. */
static bool counts_own_instructions(void)
{
#ifdef __x86_64__
	return have_instructions();
#else
	return false;
#endif
}

FIXTURE_SETUP(handover)
{
	struct counting *what = &self->what;

	what->dev = -1;
	what->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (!marks)
		SKIP(return, MARK_MISSING);
	if (!testpmu_open(&self->pmu))
		SKIP(return, TESTPMU_MISSING);
	if (what->cpus <= POOL)
		SKIP(return, "needs more CPUs than an event of two tasks has counters");
	ASSERT_LE(what->cpus, CPUS_MAX);
	while (what->nr < TEST_EVENTS) {
		what->attr[what->nr] = test_event(&self->pmu, what->nr, 1, ANY_COUNTER);
		what->nr++;
	}
	what->attr[what->nr++] = tracepoint(MARK);
	what->attr[what->nr++] = sw(PERF_COUNT_SW_PAGE_FAULTS);
	what->nr_all = what->nr;
	if (counts_own_instructions()) {
		what->attr[what->nr_all++] = user_instructions(0);
		what->attr[what->nr_all++] = user_instructions(1);
	}
	self->was_loaded = !access("/sys/module/pmcgrp", F_OK);
	if (self->was_loaded)
		ASSERT_EQ(0, module_unload());
}

FIXTURE_TEARDOWN(handover)
{
	if (self->what.dev >= 0)
		close(self->what.dev);
	module_unload();
	if (self->was_loaded)
		module_load("");
	EXPECT_EQ(self->pmu.faults, testpmu_faults());
}

static void begin(struct __test_metadata *_metadata, struct counting *what,
		  unsigned int counters_max)
{
	char params[64];

	snprintf(params, sizeof(params), "counters_max=%u", counters_max);
	ASSERT_EQ(0, module_load(params));
	what->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(what->dev, 0);
}

static int moves(void)
{
	return slow_kernel() || !deterministic() ? MOVES_SLOW : MOVES;
}

/*
 * A child that goes from CPU to CPU once it is let go; it makes one mark on each.  It says when it
 * is about to wait for that.
 */
static pid_t wanderer(const int *go, const int *ready, int cpus, unsigned int seed)
{
	struct rng r = { .state = mix(SEED + seed) };
	pid_t pid = fork();
	char c;
	int i;

	if (pid)
		return pid;
	/* What runs and is written for the first time is mapped and copied before it is counted. */
	for (i = -1; i < moves(); i++) {
		if (!i && (write(ready[1], "x", 1) != 1 || read(go[0], &c, 1) != 1))
			_exit(1);
		if (!run_on(below(&r, cpus)))
			_exit(1);
		mark(1);
		loop(1 + below(&r, 2000));
	}
	_exit(0);
}

struct one {
	pid_t pid;
	int go[2], ready[2];
	int fd[2], perf[MEMBERS];
};

static bool one_begin(struct one *one, struct counting *what, unsigned int seed)
{
	unsigned int i;
	char c;

	if (pipe(one->go) || pipe(one->ready))
		return false;
	one->pid = wanderer(one->go, one->ready, what->cpus, seed);
	if (one->pid < 0 || read(one->ready[0], &c, 1) != 1 || !wait_until_asleep(one->pid))
		return false;
	one->fd[0] = group_of_task(what->dev, one->pid, what->nr, what->attr, 0);
	one->fd[1] = -1;
	if (what->nr_all > what->nr)
		one->fd[1] = group_of_task(what->dev, one->pid, what->nr_all - what->nr,
					   what->attr + what->nr, 0);
	for (i = 0; i < what->nr_all; i++)
		one->perf[i] = i < TEST_EVENTS ? -1 : perf_open(&what->attr[i], one->pid, -1, -1);
	return one->fd[0] >= 0 && (what->nr_all == what->nr || one->fd[1] >= 0);
}

/* A group was on all the time, and has counted what perf has, to the unit. */
static void group_end(struct __test_metadata *_metadata, int fd, const int *perf, unsigned int nr,
		      struct group_values *v)
{
	uint64_t value;
	unsigned int i;

	ASSERT_TRUE(group_values(fd, nr, v));
	EXPECT_EQ(v->enabled, v->running);
	for (i = 0; i < nr; i++) {
		if (perf[i] < 0)
			continue;
		ASSERT_EQ(sizeof(value), read(perf[i], &value, sizeof(value)));
		EXPECT_EQ(value, v->m[i].value) {
			TH_LOG("member %u of %u", i, nr);
		}
		close(perf[i]);
	}
	close(fd);
}

static void one_end(struct __test_metadata *_metadata, struct one *one, struct counting *what)
{
	struct group_values v;
	int status;

	ASSERT_EQ(one->pid, waitpid(one->pid, &status, 0));
	EXPECT_EQ(0, status);
	group_end(_metadata, one->fd[0], one->perf, what->nr, &v);
	EXPECT_EQ(moves(), v.m[TEST_EVENTS].value);
	if (one->fd[1] >= 0)
		group_end(_metadata, one->fd[1], one->perf + what->nr, what->nr_all - what->nr, &v);
}

/* Marks of all tasks, counted by CPU. */
static bool cpus_open(int *fd, int cpus)
{
	struct perf_event_attr attr = tracepoint(MARK);
	int cpu;

	for (cpu = 0; cpu < cpus; cpu++) {
		fd[cpu] = perf_open(&attr, -1, cpu, -1);
		if (fd[cpu] < 0)
			return false;
	}
	return true;
}

static uint64_t cpus_close(int *fd, int cpus)
{
	uint64_t value, sum = 0;

	while (cpus--) {
		if (read(fd[cpus], &value, sizeof(value)) == sizeof(value))
			sum += value;
		close(fd[cpus]);
	}
	return sum;
}

/* Let the tasks wander and return how many counters have changed hands. */
static long wander(struct __test_metadata *_metadata, struct counting *what)
{
	long adds = file_number(TESTPMU "adds", ""), hands;
	int cpu_fd[CPUS_MAX], i;
	struct one one[TASKS];

	for (i = 0; i < TASKS; i++)
		EXPECT_TRUE(one_begin(&one[i], what, i));
	EXPECT_TRUE(cpus_open(cpu_fd, what->cpus));
	for (i = 0; i < TASKS; i++)
		EXPECT_EQ(1, write(one[i].go[1], "x", 1));
	for (i = 0; i < TASKS; i++)
		one_end(_metadata, &one[i], what);
	EXPECT_EQ(TASKS * moves(), cpus_close(cpu_fd, what->cpus));
	/* Only pmcgrp counts events of the PMU for tests.  All members change hands together. */
	adds = file_number(TESTPMU "adds", "") - adds;
	hands = adds / TEST_EVENTS * what->nr;
	TH_LOG("%d tasks of %u members, %d moves on %d CPUs: %ld calls of pmu->add(), %ld counters",
	       TASKS, what->nr, TASKS * moves(), what->cpus, adds, hands);
	return hands;
}

/* There may be no counter beyond those that the groups are made with. */
TEST_F_TIMEOUT(handover, no_count_is_lost_with_few_counters, 600)
{
	long hands;

	begin(_metadata, &self->what, POOL * self->what.nr_all);
	hands = wander(_metadata, &self->what);
	EXPECT_LE(moves() * self->what.nr, hands);
	if (moves() == MOVES)
		EXPECT_LE(29000, hands);
}

/* The pool grows until each CPU has a counter of each event: then none changes hands. */
TEST_F_TIMEOUT(handover, the_pool_grows, 600)
{
	begin(_metadata, &self->what, 65536);
	EXPECT_GE(moves() * self->what.nr / 10, wander(_metadata, &self->what));
}

TEST_HARNESS_MAIN
