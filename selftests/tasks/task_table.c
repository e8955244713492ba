// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of tasks that are counted (kmod/follow/task_table.c) grows and shrinks while tasks are
 * created, are switched to, and exit.  No task is lost: sums are those of wait4() and getrusage().
 *
 * needs: testpmu=yes timeout=600
 */
#include "pmcgrp_testpmu.h"
#include "pmcgrp_machine.h"
#include <pthread.h>
#include <sys/wait.h>
#include "kselftest_harness.h"

#define NR		2
#define PAGES		3	/* touched by each task, twice */
#define BATCHES		6
#define BATCH_MOST	150
#define THREADS_MOST	1200

/* The worker that makes the table larger or smaller, and a walk before it lets interrupts in. */
#define FUNCTIONS	"pmcgrp:table_resize pmcgrp:pmcgrp_task_records_visit"

static struct perf_event_attr attr[NR];
static long page_size;
static volatile char *pages;

FIXTURE(task_table)
{
	int dev;
	int batch; /* BATCHES of them are more tasks than the smallest table is for */
};

FIXTURE_SETUP(task_table)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->batch = slow_kernel() ? BATCH_MOST / 3 : BATCH_MOST;
	page_size = sysconf(_SC_PAGESIZE);
	pages = fresh_pages(2 * PAGES);
	ASSERT_NE(NULL, pages);
	attr[0] = sw(PERF_COUNT_SW_PAGE_FAULTS_MIN);
	attr[1] = sw(PERF_COUNT_SW_CONTEXT_SWITCHES);
	if (!file_write(TESTPMU "sections", FUNCTIONS))
		SKIP(return, "needs kretprobes, and " TESTPMU_MISSING);
}

FIXTURE_TEARDOWN(task_table)
{
	file_write(TESTPMU "sections", " ");
	close(self->dev);
}

struct runs {
	unsigned long resizes;
	unsigned long walks;
	unsigned long longest_walk; /* in nanoseconds */
};

static struct runs runs_so_far(void)
{
	FILE *f = fopen(TESTPMU "sections", "r");
	struct runs runs = {};

	if (!f)
		return runs;
	if (fscanf(f, "%*s %lu %*u %*s %lu %lu", &runs.resizes, &runs.walks, &runs.longest_walk) != 3)
		printf("# sections: not understood\n");
	fclose(f);
	return runs;
}

/* Whether the worker runs again: what has exited is forgotten after a grace period of RCU. */
static bool resized_since(unsigned long resizes)
{
	uint64_t end = now_ns() + 20 * NSEC_PER_SEC;

	while (runs_so_far().resizes == resizes) {
		if (now_ns() > end)
			return false;
		sleep_ns(10 * NSEC_PER_MSEC);
	}
	return true;
}

static void touch(volatile char *at)
{
	int i;

	for (i = 0; i < PAGES; i++)
		at[i * page_size] = 1;
}

static uint64_t faults_of(int who)
{
	struct rusage ru;

	getrusage(who, &ru);
	return ru.ru_minflt;
}

/* Children that wait until there is a byte for them, and then end. */
struct batch {
	int go[2];
	int nr;
	pid_t pid[BATCH_MOST];
};

static bool batch_begin(struct batch *b, int nr)
{
	char c;

	if (pipe(b->go))
		return false;
	for (b->nr = 0; b->nr < nr; b->nr++) {
		b->pid[b->nr] = fork();
		if (b->pid[b->nr] < 0)
			return false;
		if (b->pid[b->nr])
			continue;
		touch(pages);
		if (read(b->go[0], &c, 1) != 1)
			_exit(1);
		touch(pages + PAGES * page_size);
		_exit(0);
	}
	return true;
}

static bool batch_let_go(struct batch *b)
{
	static const char bytes[BATCH_MOST];
	bool good = write(b->go[1], bytes, b->nr) == b->nr;

	close(b->go[0]);
	close(b->go[1]);
	return good;
}

/* Adds the faults of each child to @faults, if that is an array, or to the first of it. */
static bool batch_end(struct batch *b, uint64_t *faults, bool each)
{
	struct rusage ru;
	int status, i;

	for (i = 0; i < b->nr; i++) {
		if (wait4(b->pid[i], &status, 0, &ru) != b->pid[i] || status)
			return false;
		faults[each ? i : 0] += ru.ru_minflt;
	}
	return true;
}

/* Some are created, some wait and some exit at any time: up to half of all live. */
TEST_F_TIMEOUT(task_table, children, 300)
{
	static struct batch batch[BATCHES];
	uint64_t before, after, faults = 0;
	struct group_values v = {}, w = {};
	int fd, i, k, living = BATCHES / 2;
	struct runs runs;

	fd = group_of(self->dev, NR, attr, PMCGRP_CREATE_INHERIT);
	ASSERT_GE(fd, 0);
	/* What is touched below has been touched before. */
	ASSERT_TRUE(batch_begin(&batch[0], 2));
	ASSERT_TRUE(batch_let_go(&batch[0]));
	ASSERT_TRUE(batch_end(&batch[0], &faults, false));
	memset(batch, 1, sizeof(batch));
	for (k = 0; k < (slow_kernel() ? 1 : 3); k++) {
		faults = 0;
		runs = runs_so_far();
		/* What fork() has made copy-on-write is touched before it is read for good. */
		ASSERT_TRUE(group_values(fd, NR, &v));
		faults_of(RUSAGE_SELF);
		before = faults_of(RUSAGE_SELF);
		ASSERT_TRUE(group_values(fd, NR, &v));
		for (i = 0; i < BATCHES + living; i++) {
			if (i < BATCHES)
				ASSERT_TRUE(batch_begin(&batch[i], self->batch));
			if (i >= living) {
				ASSERT_TRUE(batch_let_go(&batch[i - living]));
				ASSERT_TRUE(batch_end(&batch[i - living], &faults, false));
			}
		}
		ASSERT_TRUE(group_values(fd, NR, &w));
		faults_of(RUSAGE_SELF);
		ASSERT_TRUE(group_values(fd, NR, &w));
		after = faults_of(RUSAGE_SELF);
		EXPECT_EQ(after - before + faults, w.m[0].value - v.m[0].value);
		EXPECT_GE(faults, 2ULL * PAGES * BATCHES * self->batch);
		EXPECT_EQ(w.running, w.enabled);
		EXPECT_TRUE(resized_since(runs.resizes));
	}
	close(fd);
}

static pthread_barrier_t made;
static int gate[2];

static void *thread(void *at)
{
	char c;

	touch(at);
	pthread_barrier_wait(&made);
	if (!read(gate[0], &c, 1))
		touch((volatile char *)at + PAGES * page_size);
	return NULL;
}

/* Makes threads until there are @nr; each has touched its first pages. */
static bool threads_make(pthread_t *thr, volatile char *at, int from, int nr)
{
	pthread_attr_t small;
	bool good;
	int i;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 16384 + page_size);
	good = !pthread_barrier_init(&made, NULL, nr - from + 1);
	for (i = from; good && i < nr; i++)
		good = !pthread_create(&thr[i], &small, thread,
				       (void *)(at + (size_t)2 * PAGES * i * page_size));
	if (good)
		pthread_barrier_wait(&made);
	pthread_barrier_destroy(&made);
	return good;
}

static int process_group(int dev)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_PROCESS, .nr = NR, .attr = attr };

	return ask_group(dev, &ask);
}

/* Half of the threads are there before the group, and all of them exit at once. */
TEST_F_TIMEOUT(task_table, threads, 300)
{
	int nr = slow_kernel() ? THREADS_MOST / 4 : THREADS_MOST, half = nr / 2, fd, i;
	volatile char *at = fresh_pages(2 * PAGES * nr);
	static pthread_t thr[THREADS_MOST];
	struct group_values v = {}, w = {};
	uint64_t before, after;
	struct runs runs;

	ASSERT_NE(NULL, at);
	ASSERT_EQ(0, pipe(gate));
	runs = runs_so_far();
	ASSERT_TRUE(threads_make(thr, at, 0, half));
	fd = process_group(self->dev);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(group_values(fd, NR, &v));
	before = faults_of(RUSAGE_SELF);
	before = faults_of(RUSAGE_SELF);
	ASSERT_TRUE(group_values(fd, NR, &v));
	ASSERT_TRUE(threads_make(thr, at, half, nr));
	ASSERT_TRUE(resized_since(runs.resizes));
	runs = runs_so_far();
	close(gate[1]);
	for (i = 0; i < nr; i++)
		ASSERT_EQ(0, pthread_join(thr[i], NULL));
	ASSERT_TRUE(group_values(fd, NR, &w));
	after = faults_of(RUSAGE_SELF);
	EXPECT_EQ(after - before, w.m[0].value - v.m[0].value);
	EXPECT_GE(after - before, (uint64_t)PAGES * (half + nr));
	EXPECT_TRUE(resized_since(runs.resizes));
	close(fd);
	close(gate[0]);
}

/* The minor faults of a task that sleeps, or -1. */
static long faults_until_now(pid_t pid)
{
	long faults = -1;
	char path[32];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (f && fscanf(f, "%*d %*s %*c %*d %*d %*d %*d %*d %*u %ld", &faults) != 1)
		faults = -1;
	if (f)
		fclose(f);
	return faults;
}

/* Each child is counted alone, every other one with what it creates as well. */
TEST_F_TIMEOUT(task_table, children_alone_and_with_others, 300)
{
	int alone[BATCH_MOST], all[BATCH_MOST], i, again;
	uint64_t before[BATCH_MOST], faults[BATCH_MOST] = {};
	struct group_values v = {};
	static struct batch batch;
	struct runs runs;

	memset(&batch, 1, sizeof(batch));
	ASSERT_TRUE(batch_begin(&batch, BATCH_MOST));
	/* All of them have come to their read(). */
	sleep_ns(slow_kernel() ? 5 * NSEC_PER_SEC : NSEC_PER_SEC / 2);
	runs = runs_so_far();
	for (i = 0; i < BATCH_MOST; i++) {
		before[i] = faults_until_now(batch.pid[i]);
		alone[i] = group_of_task(self->dev, batch.pid[i], NR, attr, 0);
		ASSERT_GE(alone[i], 0);
		all[i] = -1;
		if (i % 2) {
			all[i] = group_of_task(self->dev, batch.pid[i], NR, attr,
					       PMCGRP_CREATE_INHERIT);
			ASSERT_GE(all[i], 0);
		}
	}
	EXPECT_TRUE(resized_since(runs.resizes));
	/* One group of some is closed and made again: the table has them meanwhile, or has not. */
	for (i = 0; i < BATCH_MOST; i += 3) {
		close(alone[i]);
		alone[i] = group_of_task(self->dev, batch.pid[i], NR, attr, 0);
		ASSERT_GE(alone[i], 0);
	}
	for (i = 1; i < BATCH_MOST; i += 4) {
		close(all[i]);
		again = group_of_task(self->dev, batch.pid[i], NR, attr, PMCGRP_CREATE_INHERIT);
		ASSERT_GE(again, 0);
		all[i] = again;
	}
	ASSERT_TRUE(batch_let_go(&batch));
	ASSERT_TRUE(batch_end(&batch, faults, true));
	for (i = 0; i < BATCH_MOST; i++) {
		ASSERT_TRUE(group_values(alone[i], NR, &v));
		EXPECT_EQ(faults[i] - before[i], v.m[0].value) TH_LOG("child %d", i);
		if (all[i] < 0)
			continue;
		ASSERT_TRUE(group_values(all[i], NR, &v));
		EXPECT_EQ(faults[i] - before[i], v.m[0].value) TH_LOG("child %d", i);
	}
	runs = runs_so_far();
	for (i = 0; i < BATCH_MOST; i++) {
		close(alone[i]);
		if (all[i] >= 0)
			close(all[i]);
	}
	EXPECT_TRUE(resized_since(runs.resizes));
}

#define FORKERS		4
#define FORKS		200

/* A child that has so many threads. */
static pid_t process_of(int nr)
{
	volatile char *at = fresh_pages(2 * PAGES * nr);
	static pthread_t thr[THREADS_MOST];
	char c = 0;
	int ready[2];
	pid_t pid;

	if (!at || pipe(gate) || pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		if (threads_make(thr, at, 0, nr) && write(ready[1], &c, 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	if (pid > 0 && read(ready[0], &c, 1) != 1)
		pid = -1;
	close(ready[0]);
	return pid;
}

/* A child that creates so many children, one after the other. */
static pid_t forker(int forks)
{
	pid_t pid = fork(), child;
	int i, status;

	if (pid)
		return pid;
	for (i = 0; i < forks; i++) {
		child = fork();
		if (!child) {
			touch(pages);
			_exit(0);
		}
		if (waitpid(child, &status, 0) != child || status)
			_exit(1);
	}
	_exit(0);
}

/* Tasks are created and exit at any step of a table that grows for a process, and shrinks. */
TEST_F_TIMEOUT(task_table, at_any_step, 600)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_PROCESS, .nr = NR, .attr = attr };
	int forks = slow_kernel() ? FORKS / 8 : FORKS, rounds = 0, living = FORKERS;
	int fd, process, status, i;
	struct group_values v = {}, w = {};
	uint64_t before, after, faults = 0;
	struct rusage ru;
	pid_t pid;

	ask.target_id = process_of(slow_kernel() ? THREADS_MOST / 4 : THREADS_MOST);
	ASSERT_GT(ask.target_id, 0);
	fd = group_of(self->dev, NR, attr, PMCGRP_CREATE_INHERIT);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(group_values(fd, NR, &v));
	faults_of(RUSAGE_SELF);
	before = faults_of(RUSAGE_SELF);
	ASSERT_TRUE(group_values(fd, NR, &v));
	for (i = 0; i < FORKERS; i++)
		ASSERT_GT(forker(forks), 0);
	while (living) {
		process = ask_group(self->dev, &ask);
		ASSERT_GE(process, 0);
		close(process);
		rounds++;
		pid = wait4(-1, &status, WNOHANG, &ru);
		if (!pid)
			continue;
		ASSERT_GT(pid, 0);
		ASSERT_EQ(0, status);
		faults += ru.ru_minflt;
		living--;
	}
	ASSERT_TRUE(group_values(fd, NR, &w));
	faults_of(RUSAGE_SELF);
	ASSERT_TRUE(group_values(fd, NR, &w));
	after = faults_of(RUSAGE_SELF);
	EXPECT_EQ(after - before + faults, w.m[0].value - v.m[0].value);
	EXPECT_GE(faults, (uint64_t)PAGES * FORKERS * forks);
	printf("# at_any_step: %d rounds, %lu runs of the worker\n", rounds, runs_so_far().resizes);
	close(fd);
	end_child(ask.target_id);
	close(gate[0]);
	close(gate[1]);
}

/* The longest run with interrupts off of all walks by which a group of so many threads ends. */
static unsigned long longest_walk(int dev, int nr)
{
	volatile char *at = fresh_pages(2 * PAGES * nr);
	static pthread_t thr[THREADS_MOST];
	struct runs runs;
	int fd, i;

	if (!at || pipe(gate) || !threads_make(thr, at, 0, nr) ||
	    !file_write(TESTPMU "sections", FUNCTIONS))
		return 0;
	fd = process_group(dev);
	close(fd);
	runs = runs_so_far();
	close(gate[1]);
	for (i = 0; i < nr; i++)
		pthread_join(thr[i], NULL);
	close(gate[0]);
	munmap((void *)at, 2 * PAGES * nr * page_size);
	printf("# %d threads: %lu walks, %lu ns at most\n", nr, runs.walks, runs.longest_walk);
	return fd >= 0 && runs.walks ? runs.longest_walk : 0;
}

/* However many tasks there are, no walk has interrupts off for longer. */
TEST_F_TIMEOUT(task_table, walks_are_short, 300)
{
	unsigned long few, many;

	if (!deterministic())
		SKIP(return, "lengths of time need a deterministic guest");
	few = longest_walk(self->dev, THREADS_MOST / 4);
	many = longest_walk(self->dev, THREADS_MOST);
	ASSERT_GT(few, 0);
	ASSERT_GT(many, 0);
	EXPECT_LE(many, few + few / 2);
}

TEST_HARNESS_MAIN
