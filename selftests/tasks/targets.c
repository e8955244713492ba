// SPDX-License-Identifier: GPL-2.0-only
/* Targets of several tasks or CPUs: sums over all of them, and parts that make the sum. */
#include "pmcgrp_test.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include "kselftest_harness.h"

#define NR		3
#define THREADS		40	/* more than the module finds in one walk */
#define PAGES		10	/* touched by each */
#define CHILDREN	1000

static struct perf_event_attr attr[NR];
static volatile char *page_of[2 * THREADS + 1];
static long page_size;

FIXTURE(targets)
{
	int dev;
	int cpus;
};

FIXTURE_SETUP(targets)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->cpus = sysconf(_SC_NPROCESSORS_CONF);
	page_size = sysconf(_SC_PAGESIZE);
	attr[0] = sw(PERF_COUNT_SW_PAGE_FAULTS_MIN);
	attr[1] = sw(PERF_COUNT_SW_TASK_CLOCK);
	attr[2] = sw(PERF_COUNT_SW_CONTEXT_SWITCHES);
}

FIXTURE_TEARDOWN(targets)
{
	close(self->dev);
}

static int group_on(int dev, uint32_t type, int id, uint64_t flags)
{
	struct ask ask = { .target_type = type, .target_id = id, .nr = NR, .attr = attr,
			   .flags = flags };

	return ask_group(dev, &ask);
}

static uint64_t faults_of(int who)
{
	struct rusage ru;

	getrusage(who, &ru);
	return ru.ru_minflt;
}

static void touch(volatile char *pages, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		pages[i * page_size] = 1;
}

static pthread_barrier_t all_there;
static volatile bool go;
static unsigned int looping;	/* threads that fault no more before they go */

static void *early_thread(void *pages)
{
	pthread_barrier_wait(&all_there);
	sched_yield();
	__atomic_add_fetch(&looping, 1, __ATOMIC_SEQ_CST);
	while (!go)
		sched_yield();
	touch(pages, PAGES);
	return NULL;
}

static void *late_thread(void *pages)
{
	touch(pages, PAGES);
	return NULL;
}

/* What a process has faulted while a group counted it, against its own rusage. */
static void count_threads(struct __test_metadata *_metadata, int dev, uint32_t type, int id,
			  bool expect_all)
{
	pthread_t thread[2 * THREADS];
	struct group_values v, w;
	uint64_t before, after;
	int fd, i;

	go = false;
	looping = 0;
	for (i = 0; i < 2 * THREADS; i++) {
		page_of[i] = fresh_pages(PAGES);
		ASSERT_NE(NULL, page_of[i]);
	}
	ASSERT_EQ(0, pthread_barrier_init(&all_there, NULL, THREADS + 1));
	for (i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, early_thread, (void *)page_of[i]));
	pthread_barrier_wait(&all_there);
	while (__atomic_load_n(&looping, __ATOMIC_SEQ_CST) < THREADS)
		sched_yield();

	memset(&w, 0, sizeof(w));	/* touched before it counts */
	fd = group_on(dev, type, id, 0);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(group_values(fd, NR, &v));
	before = faults_of(RUSAGE_SELF);
	ASSERT_TRUE(group_values(fd, NR, &v));
	go = true;
	for (i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_create(&thread[THREADS + i], NULL, late_thread,
					    (void *)page_of[THREADS + i]));
	for (i = 0; i < 2 * THREADS; i++)
		ASSERT_EQ(0, pthread_join(thread[i], NULL));
	ASSERT_TRUE(group_values(fd, NR, &w));
	after = faults_of(RUSAGE_SELF);
	if (expect_all) {
		ASSERT_GE(after - before, 2 * THREADS * PAGES);
		EXPECT_EQ(after - before, w.m[0].value - v.m[0].value);
	} else {
		/* this thread alone, which touched stacks and the like */
		EXPECT_LT(w.m[0].value - v.m[0].value, THREADS * PAGES);
	}
	close(fd);
	pthread_barrier_destroy(&all_there);
	for (i = 0; i < 2 * THREADS; i++)
		munmap((void *)page_of[i], PAGES * page_size);
}

TEST_F_TIMEOUT(targets, a_process_with_all_its_threads, 120)
{
	count_threads(_metadata, self->dev, PMCGRP_TARGET_PROCESS, 0, true);
	count_threads(_metadata, self->dev, PMCGRP_TARGET_PROCESS, getpid(), true);
}

TEST_F_TIMEOUT(targets, a_thread_without_the_others, 120)
{
	count_threads(_metadata, self->dev, PMCGRP_TARGET_TASK, 0, false);
}

/* What children have faulted and how often they were switched away from, by wait4(). */
struct rusages {
	uint64_t faults;
	uint64_t switches;
};

/* Fork and reap children of every kind; returns their sums, 0 after a failure. */
static struct rusages children_usage(int nr)
{
	struct rusages sum = {}, none = {};
	struct rusage ru;
	pid_t pid;
	int i;

	for (i = 0; i < nr; i++) {
		pid = fork();
		if (pid < 0)
			return none;
		if (!pid) {
			touch(page_of[0], i % PAGES);
			if (i % 2)
				_exit(0);
			for (;;)
				sched_yield();
		}
		if (i % 2 == 0) {
			if (i % 4)
				sched_yield();
			kill(pid, SIGKILL);
		}
		if (wait4(pid, NULL, 0, &ru) != pid)
			return none;
		sum.faults += ru.ru_minflt;
		sum.switches += ru.ru_nvcsw + ru.ru_nivcsw;
	}
	return sum;
}

/* No child is lost: half of them exit, half are killed at random places. */
TEST_F_TIMEOUT(targets, a_thousand_children, 600)
{
	int nr = slow_kernel() ? CHILDREN / 10 : CHILDREN;
	struct group_values v[3], w[3];
	uint64_t before, after, switches;
	struct perf_event_attr inherited = sw(PERF_COUNT_SW_CONTEXT_SWITCHES);
	struct rusages sum;
	uint64_t perfs[2];
	int fd[3], perf, i;

	page_of[0] = fresh_pages(PAGES);
	ASSERT_NE(NULL, page_of[0]);
	fd[0] = group_on(self->dev, PMCGRP_TARGET_TASK, 0, PMCGRP_CREATE_INHERIT);
	fd[1] = group_on(self->dev, PMCGRP_TARGET_PROCESS, 0, PMCGRP_CREATE_INHERIT);
	fd[2] = group_on(self->dev, PMCGRP_TARGET_PROCESS, 0, 0);	/* no children */
	children_usage(4);	/* what is touched below has been touched before */
	for (i = 0; i < 3; i++) {
		ASSERT_GE(fd[i], 0);
		ASSERT_TRUE(group_values(fd[i], NR, &v[i]));
	}
	inherited.inherit = 1;
	perf = perf_open(&inherited, 0, -1, -1);
	ASSERT_GE(perf, 0);
	faults_of(RUSAGE_SELF);
	before = faults_of(RUSAGE_SELF);
	for (i = 0; i < 3; i++)
		ASSERT_TRUE(group_values(fd[i], NR, &v[i]));

	ASSERT_EQ(8, read(perf, &perfs[0], 8));
	sum = children_usage(nr);
	ASSERT_GT(sum.faults, 0);
	/* What fork() has made copy-on-write is touched before it is read for good. */
	memset(w, 0, sizeof(w));
	faults_of(RUSAGE_SELF);
	for (i = 0; i < 3; i++)
		ASSERT_TRUE(group_values(fd[i], NR, &w[i]));
	ASSERT_EQ(8, read(perf, &perfs[1], 8));
	close(perf);
	after = faults_of(RUSAGE_SELF);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(after - before + sum.faults, w[i].m[0].value - v[i].m[0].value);
		EXPECT_GE(w[i].running, v[i].running);
		EXPECT_EQ(w[i].enabled, w[i].running);
		/*
		 * The parent's are counted apart.  perf has fewer: it lets go of a task that exits
		 * before the last switches.  wait4() may come before the very last of each child.
		 */
		switches = w[i].m[2].value - v[i].m[2].value;
		EXPECT_LT(perfs[1] - perfs[0], switches);
		switches -= w[2].m[2].value - v[2].m[2].value;
		EXPECT_LE(sum.switches, switches);
		if (deterministic())
			EXPECT_GE(sum.switches + nr, switches);
		TH_LOG("%llu switches, perf has %llu with the parent's, wait4() %llu",
		       (unsigned long long)switches, (unsigned long long)(perfs[1] - perfs[0]),
		       (unsigned long long)sum.switches);
	}
	EXPECT_EQ(after - before, w[2].m[0].value - v[2].m[0].value);
	TH_LOG("%d children: %llu faults, of which %llu in the parent", nr,
	       (unsigned long long)(w[0].m[0].value - v[0].m[0].value),
	       (unsigned long long)(after - before));
	printf("# children: %d lives\n", nr);
	for (i = 0; i < 3; i++)
		close(fd[i]);
}

/* Children that live on when their group is read, disabled, reset and closed. */
TEST_F_TIMEOUT(targets, living_children, 120)
{
	struct group_values v, w;
	pid_t pid[4];
	int fd, i;

	fd = group_on(self->dev, PMCGRP_TARGET_TASK, 0, PMCGRP_CREATE_INHERIT);
	ASSERT_GE(fd, 0);
	for (i = 0; i < 4; i++) {
		pid[i] = fork();
		ASSERT_GE(pid[i], 0);
		if (!pid[i]) {
			close(fd);
			for (;;)
				loop(10000);
		}
	}
	sleep_ns(50 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd, NR, &v));
	EXPECT_GT(v.m[1].value, 0);
	sleep_ns(50 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd, NR, &w));
	EXPECT_GT(w.m[1].value, v.m[1].value);
	/* disabled: stands still everywhere, at once */
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_TRUE(group_values(fd, NR, &v));
	sleep_ns(50 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd, NR, &w));
	EXPECT_EQ(0, memcmp(&v, &w, 3 * 8 + NR * 16));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_RESET, PMCGRP_IOC_FLAG_TIMES));
	ASSERT_TRUE(group_values(fd, NR, &w));
	EXPECT_EQ(0, w.enabled);
	EXPECT_EQ(0, w.running);
	for (i = 0; i < NR; i++)
		EXPECT_EQ(0, w.m[i].value);
	/* enabled again: those who were inherited while disabled count as well */
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	sleep_ns(50 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd, NR, &w));
	EXPECT_GT(w.m[1].value, 0);
	kill(pid[0], SIGKILL);
	ASSERT_EQ(pid[0], waitpid(pid[0], NULL, 0));
	ASSERT_TRUE(group_values(fd, NR, &v));
	EXPECT_GE(v.m[1].value, w.m[1].value);
	close(fd);	/* three still run */
	for (i = 1; i < 4; i++) {
		ASSERT_EQ(0, kill(pid[i], SIGKILL));
		ASSERT_EQ(pid[i], waitpid(pid[i], NULL, 0));
	}
}

/* A group made disabled counts those born before it was enabled. */
TEST_F(targets, enabled_after_the_fork)
{
	struct group_values v;
	int fd, pipe_fd[2];
	pid_t pid;
	char c;

	page_of[0] = fresh_pages(PAGES);
	ASSERT_NE(NULL, page_of[0]);
	ASSERT_EQ(0, pipe(pipe_fd));
	fd = group_on(self->dev, PMCGRP_TARGET_PROCESS, 0,
		      PMCGRP_CREATE_INHERIT | PMCGRP_CREATE_DISABLED);
	ASSERT_GE(fd, 0);
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		if (read(pipe_fd[0], &c, 1) == 1)
			touch(page_of[0], PAGES);
		_exit(0);
	}
	sleep_ns(10 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd, NR, &v));
	EXPECT_EQ(0, v.m[0].value);
	EXPECT_EQ(0, v.enabled);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_EQ(1, write(pipe_fd[1], "x", 1));
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	ASSERT_TRUE(group_values(fd, NR, &v));
	EXPECT_GE(v.m[0].value, PAGES);
	close(fd);
}

/* execve() enables a disabled group once, for the process that called it. */
TEST_F(targets, exec_in_a_process)
{
	const uint64_t on_exec = PMCGRP_CREATE_DISABLED | PMCGRP_CREATE_ENABLE_ON_EXEC;
	struct group_values v;
	int fd, go;
	pid_t pid;

	pid = exec_child(&go);
	ASSERT_GT(pid, 0);
	fd = group_on(self->dev, PMCGRP_TARGET_PROCESS, pid, on_exec | PMCGRP_CREATE_INHERIT);
	ASSERT_GE(fd, 0);
	sleep_ns(5 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd, NR, &v));
	EXPECT_EQ(0, v.enabled);
	ASSERT_TRUE(exec_go(pid, go));
	ASSERT_TRUE(group_values(fd, NR, &v));
	EXPECT_GT(v.enabled, 0);
	EXPECT_EQ(v.enabled, v.running);
	EXPECT_GT(v.m[0].value, 0);
	close(fd);
}

/* The parts are exactly the whole, and a reset is one everywhere. */
TEST_F(targets, all_cpus_and_each_of_them)
{
	CPU_RECORD(NR) r[CPU_SETSIZE], sum;
	struct pmcgrp_read_cpus arg;
	struct group_values v;
	int online = sysconf(_SC_NPROCESSORS_ONLN);
	int fd, i, k, round;

	fd = group_on(self->dev, PMCGRP_TARGET_ALL_CPUS, 0, 0);
	ASSERT_GE(fd, 0);
	for (round = 0; round < 3; round++) {
		spin_ns(20 * NSEC_PER_MSEC);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_TRUE(group_values(fd, NR, &v));
		ASSERT_EQ(0, read_cpus(fd, r, sizeof(r), &arg));
		ASSERT_EQ(online, arg.nr_cpus);
		ASSERT_EQ(sizeof(r[0]), arg.record_size);
		memset(&sum, 0, sizeof(sum));
		for (i = 0; i < online; i++) {
			EXPECT_EQ(NR, r[i].nr);
			if (i)
				EXPECT_GT(r[i].cpu, r[i - 1].cpu);
			EXPECT_GE(r[i].enabled, 20 * NSEC_PER_MSEC);
			EXPECT_EQ(r[i].enabled, r[i].running);
			sum.enabled += r[i].enabled;
			sum.running += r[i].running;
			for (k = 0; k < NR; k++) {
				sum.m[k].value += r[i].m[k].value;
				EXPECT_EQ(v.m[k].id, r[i].m[k].id);
			}
		}
		EXPECT_EQ(v.enabled, sum.enabled);
		EXPECT_EQ(v.running, sum.running);
		for (k = 0; k < NR; k++)
			EXPECT_EQ(v.m[k].value, sum.m[k].value);
		EXPECT_GE(v.m[1].value, online * 20 * NSEC_PER_MSEC);	/* cpu-clock */
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_RESET, PMCGRP_IOC_FLAG_TIMES));
		ASSERT_EQ(0, read_cpus(fd, r, sizeof(r), &arg));
		for (i = 0; i < online; i++)
			EXPECT_TRUE(!r[i].enabled && !r[i].running && !r[i].m[0].value &&
				    !r[i].m[1].value && !r[i].m[2].value);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	}
	/* too small says how large; a group of tasks has no CPUs */
	EXPECT_EQ(-ENOSPC, read_cpus(fd, r, online * sizeof(r[0]) - 1, &arg));
	EXPECT_EQ(online, arg.nr_cpus);
	EXPECT_EQ(sizeof(r[0]), arg.record_size);
	EXPECT_EQ(-EFAULT, read_cpus(fd, NULL, sizeof(r), &arg));
	close(fd);
	fd = group_on(self->dev, PMCGRP_TARGET_PROCESS, 0, 0);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(-EINVAL, read_cpus(fd, r, sizeof(r), &arg));
	close(fd);
}

/* RESET keeps the times unless told; then a count goes on from nothing. */
TEST_F(targets, reset_with_and_without_times)
{
	struct group_values v, w;
	int fd = group_on(self->dev, PMCGRP_TARGET_TASK, 0, 0);

	ASSERT_GE(fd, 0);
	spin_ns(5 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd, NR, &v));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP));
	ASSERT_TRUE(group_values(fd, NR, &w));
	EXPECT_GE(w.enabled, v.enabled);
	EXPECT_LT(w.m[1].value, w.enabled);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_RESET,
			   PERF_IOC_FLAG_GROUP | PMCGRP_IOC_FLAG_TIMES));
	ASSERT_TRUE(group_values(fd, NR, &w));
	EXPECT_EQ(w.enabled, w.running);
	EXPECT_GT(w.enabled, 0);
	/* the clock member started with the times, to within reading the clock */
	EXPECT_LE(w.m[1].value, w.enabled + NSEC_PER_MSEC);
	EXPECT_EQ(-1, ioctl(fd, PERF_EVENT_IOC_RESET, 2));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, ioctl(fd, PERF_EVENT_IOC_ENABLE, PMCGRP_IOC_FLAG_TIMES));
	EXPECT_EQ(EINVAL, errno);
	close(fd);
}

/* A group of all CPUs goes on without one, and with it when it is back. */
TEST_F_TIMEOUT(targets, a_cpu_goes_and_comes, 120)
{
	CPU_RECORD(NR) r[CPU_SETSIZE], off[CPU_SETSIZE];
	struct pmcgrp_read_cpus arg;
	int fd, last = self->cpus - 1, i;
	cpu_set_t set;
	struct ask ask = { .target_type = PMCGRP_TARGET_CPUS, .nr = NR, .attr = attr };

	if (!last || !set_online(last, true))
		SKIP(return, "needs a second CPU that can be taken offline");
	fd = group_on(self->dev, PMCGRP_TARGET_ALL_CPUS, 0, 0);
	ASSERT_GE(fd, 0);
	sleep_ns(20 * NSEC_PER_MSEC);
	ASSERT_TRUE(set_online(last, false));
	ASSERT_EQ(0, read_cpus(fd, off, sizeof(off), &arg));
	ASSERT_EQ(self->cpus, arg.nr_cpus);	/* it keeps what it has */
	EXPECT_GT(off[last].enabled, 0);
	sleep_ns(20 * NSEC_PER_MSEC);
	ASSERT_EQ(0, read_cpus(fd, r, sizeof(r), &arg));
	EXPECT_EQ(off[last].enabled, r[last].enabled);
	EXPECT_GT(r[0].enabled, off[0].enabled);
	/* named by number it must be there */
	ask.cpus = (1ULL << last) | 1;
	EXPECT_EQ(-ENODEV, ask_group(self->dev, &ask));
	EXPECT_EQ(PMCGRP_WHY_CPU_OFFLINE, ask.create.why);
	EXPECT_EQ(last, ask.create.fail_cpu);
	ASSERT_TRUE(set_online(last, true));
	for (i = 0; i < 200; i++) {
		ASSERT_EQ(0, read_cpus(fd, r, sizeof(r), &arg));
		if (r[last].enabled > off[last].enabled)
			break;
		sleep_ns(10 * NSEC_PER_MSEC);
	}
	EXPECT_LT(i, 200);
	close(fd);
	/* made without it, a group of all takes it in when it comes */
	ASSERT_TRUE(set_online(last, false));
	fd = group_on(self->dev, PMCGRP_TARGET_ALL_CPUS, 0, 0);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, read_cpus(fd, r, sizeof(r), &arg));
	EXPECT_EQ(last, arg.nr_cpus);
	ASSERT_TRUE(set_online(last, true));
	for (i = 0; i < 200 && (int)arg.nr_cpus < self->cpus; i++) {
		sleep_ns(10 * NSEC_PER_MSEC);
		ASSERT_EQ(0, read_cpus(fd, r, sizeof(r), &arg));
	}
	EXPECT_EQ(self->cpus, arg.nr_cpus);
	CPU_ZERO(&set);
	CPU_SET(last, &set);
	sched_setaffinity(0, sizeof(set), &set);
	spin_ns(5 * NSEC_PER_MSEC);
	ASSERT_EQ(0, read_cpus(fd, r, sizeof(r), &arg));
	EXPECT_GT(r[last].m[1].value, 0);
	close(fd);
}

TEST_HARNESS_MAIN
