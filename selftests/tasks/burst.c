// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks that are created at once.  A list of several tasks has counters for some more than live; a
 * worker makes more as their number grows (kmod/counter/pool_tasks.c).  No task waits for one meanwhile.
 */
#include "pmcgrp_test.h"
#include "pmcgrp_machine.h"
#include <pthread.h>
#include <sys/wait.h>
#include "kselftest_harness.h"

#define LOOPS 2000000 /* of two instructions, in each thread */
#define BURSTS 3
#define TASKS_MOST 1024

FIXTURE(burst)
{
	int dev;
	int cpus;
	bool counts; /* instructions */
	struct perf_event_attr attr[2];
};

FIXTURE_SETUP(burst)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (self->cpus > TASKS_MOST / 2)
		self->cpus = TASKS_MOST / 2;
	/* Without a PMU: the times alone are checked. */
	self->attr[0] = sw(PERF_COUNT_SW_TASK_CLOCK);
	self->attr[1] = sw(PERF_COUNT_SW_DUMMY);
	if (have_instructions()) {
		self->attr[0] = hw(PERF_COUNT_HW_INSTRUCTIONS);
		self->attr[0].exclude_kernel = 1;
		self->counts = true;
	}
}

FIXTURE_TEARDOWN(burst)
{
	close(self->dev);
}

static void *spin(void *unused)
{
	loop(LOOPS);
	return NULL;
}

/* Threads that all run as soon as they are there. */
static bool threads_at_once(int nr)
{
	pthread_t thread[TASKS_MOST];
	int i, k;

	for (i = 0; i < nr; i++)
		if (pthread_create(&thread[i], NULL, spin, NULL))
			break;
	for (k = 0; k < i; k++)
		pthread_join(thread[k], NULL);
	return i == nr;
}

static bool processes_at_once(int nr)
{
	int i, status, good = 0;

	for (i = 0; i < nr; i++)
		if (!fork()) {
			spin(NULL);
			_exit(0);
		}
	while (wait(&status) > 0)
		good += !status;
	return good == nr;
}

/* Each task creates two, until there are so many that create no more: all of them at once. */
static void branch(int leaves)
{
	int status, i, bad = 0;

	for (i = 0; leaves > 1 && i < 2; i++)
		if (!fork()) {
			branch(i ? leaves / 2 : leaves - leaves / 2);
			_exit(0);
		}
	spin(NULL);
	while (wait(&status) > 0)
		bad |= status;
	if (bad)
		_exit(1);
}

/* What a group of two events has counted: all of the time, and what the tasks have executed. */
#define EXPECT_WHOLE(fd, tasks)                                   \
	do {                                                      \
		struct group_values v_;                           \
                                                                  \
		ASSERT_TRUE(group_values(fd, 2, &v_));            \
		EXPECT_EQ(v_.running, v_.enabled);                \
		EXPECT_GE(v_.m[0].value, 2ULL * LOOPS * (tasks)); \
	} while (0)

TEST_F(burst, threads_of_a_task_that_inherits)
{
	int fd = group_of(self->dev, 2, self->attr, PMCGRP_CREATE_INHERIT), i;

	ASSERT_GE(fd, 0);
	for (i = 1; i <= BURSTS; i++) {
		ASSERT_TRUE(threads_at_once(2 * self->cpus));
		EXPECT_WHOLE(fd, 2 * self->cpus * i);
	}
	close(fd);
}

TEST_F(burst, children_of_a_task_that_inherits)
{
	int fd = group_of(self->dev, 2, self->attr, PMCGRP_CREATE_INHERIT);

	ASSERT_GE(fd, 0);
	ASSERT_TRUE(processes_at_once(2 * self->cpus));
	EXPECT_WHOLE(fd, 2 * self->cpus);
	close(fd);
}

TEST_F(burst, tree_of_tasks)
{
	int fd = group_of(self->dev, 2, self->attr, PMCGRP_CREATE_INHERIT), status;
	pid_t child;

	ASSERT_GE(fd, 0);
	child = fork();
	if (!child) {
		branch(self->cpus);
		_exit(0);
	}
	ASSERT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(status, 0);
	EXPECT_WHOLE(fd, 2 * self->cpus - 1);
	close(fd);
}

TEST_F(burst, threads_of_a_process)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_PROCESS, .target_id = getpid(), .nr = 2, .attr = self->attr };
	int fd = ask_group(self->dev, &ask);

	ASSERT_GE(fd, 0);
	ASSERT_TRUE(threads_at_once(2 * self->cpus));
	EXPECT_WHOLE(fd, 2 * self->cpus);
	close(fd);
}

static int started[2];

static void *spin_for_long(void *unused)
{
	char c = 0;

	if (write(started[1], &c, 1) == 1)
		loop(20 * LOOPS);
	return NULL;
}

/* A process that has its threads before it is counted: they run on all CPUs at once. */
TEST_F(burst, process_with_many_threads)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_PROCESS, .target_id = getpid(), .nr = 2, .attr = self->attr };
	pthread_t thread[TASKS_MOST];
	struct group_values v;
	int fd, i;
	char c;

	ASSERT_EQ(pipe(started), 0);
	for (i = 0; i < self->cpus; i++)
		ASSERT_EQ(pthread_create(&thread[i], NULL, spin_for_long, NULL), 0);
	for (i = 0; i < self->cpus; i++)
		ASSERT_EQ(read(started[0], &c, 1), 1);
	fd = ask_group(self->dev, &ask);
	ASSERT_GE(fd, 0);
	for (i = 0; i < self->cpus; i++)
		pthread_join(thread[i], NULL);
	ASSERT_TRUE(group_values(fd, 2, &v));
	EXPECT_EQ(v.running, v.enabled);
	EXPECT_GT(v.m[0].value, 0);
	close(fd);
}

TEST_HARNESS_MAIN
