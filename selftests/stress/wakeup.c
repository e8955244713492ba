// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nobody waits for long behind a group of a process with many threads: it is made, read and closed
 * thread by thread, and whoever is more urgent runs in between.
 */
#include "pmcgrp_test.h"
#include <pthread.h>
#include "kselftest_harness.h"

#define THREADS		1000
#define PERIOD_NS	(50 * 1000ULL)

/* What an urgent task may come late: with -icount 50,000 instructions of the kernel. */
#define LATE_NS		(100 * 1000ULL)

struct lateness {
	uint64_t most;
	bool go;
	bool end;
};

FIXTURE(wakeup)
{
	int dev;
	struct lateness *late;
	pid_t urgent;
	pthread_t thread[THREADS];
	unsigned int nr;
};

static void *sleeps(void *unused)
{
	pause();
	return NULL;
}

/* A task that nobody preempts: how late it comes at most. */
static pid_t urgent_task(struct lateness *late)
{
	struct sched_param param = { .sched_priority = 50 };
	struct timespec t = { 0 };
	uint64_t next, now;
	pid_t pid = fork();

	if (pid)
		return pid;
	if (sched_setscheduler(0, SCHED_FIFO, &param))
		_exit(1);
	next = now_ns();
	while (!__atomic_load_n(&late->end, __ATOMIC_ACQUIRE)) {
		next += PERIOD_NS;
		t.tv_sec = next / NSEC_PER_SEC;
		t.tv_nsec = next % NSEC_PER_SEC;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
		now = now_ns();
		if (__atomic_load_n(&late->go, __ATOMIC_ACQUIRE) && now - next > late->most)
			late->most = now - next;
		if (now > next)
			next = now;
	}
	_exit(0);
}

FIXTURE_SETUP(wakeup)
{
	pthread_attr_t attr;

	self->urgent = 0;
	if (!deterministic())
		SKIP(return, "how late a task is needs a deterministic guest");
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	ASSERT_TRUE(run_on(0));
	self->late = shared_memory(sizeof(*self->late));
	ASSERT_NE(NULL, self->late);
	self->urgent = urgent_task(self->late);
	ASSERT_GT(self->urgent, 0);
	ASSERT_EQ(0, pthread_attr_init(&attr));
	ASSERT_EQ(0, pthread_attr_setstacksize(&attr, 128 << 10));
	for (self->nr = 0; self->nr < THREADS; self->nr++)
		ASSERT_EQ(0, pthread_create(&self->thread[self->nr], &attr, sleeps, NULL));
	sleep_ns(100 * NSEC_PER_MSEC);
}

FIXTURE_TEARDOWN(wakeup)
{
	int status;

	if (self->urgent <= 0)
		return;
	__atomic_store_n(&self->late->end, true, __ATOMIC_RELEASE);
	EXPECT_EQ(self->urgent, waitpid(self->urgent, &status, 0));
	EXPECT_EQ(0, status);
	close(self->dev);
}

/* How late the urgent task was during this. */
#define LATE_IN(what) ({									\
	self->late->most = 0;									\
	__atomic_store_n(&self->late->go, true, __ATOMIC_RELEASE);				\
	what;											\
	__atomic_store_n(&self->late->go, false, __ATOMIC_RELEASE);				\
	self->late->most;									\
})

TEST_F_TIMEOUT(wakeup, group_of_many_threads, 120)
{
	struct perf_event_attr attr = sw(PERF_COUNT_SW_PAGE_FAULTS);
	struct ask ask = { .target_type = PMCGRP_TARGET_PROCESS, .nr = 1, .attr = &attr };
	uint64_t idle, made, closed, told;
	struct pmcgrp_info info;
	struct pmcgrp_info_cpu cpu;
	int fd = -1, err = -1;

	idle = LATE_IN(spin_ns(10 * NSEC_PER_MSEC));
	made = LATE_IN(fd = ask_group(self->dev, &ask));
	ASSERT_GE(fd, 0);
	told = LATE_IN(err = group_info(fd, 0, &info, &cpu, 1));
	EXPECT_EQ(0, err);
	closed = LATE_IN(close(fd));
	TH_LOG("%u threads: at most %llu ns late; made %llu, told %llu, closed %llu", THREADS,
	       (unsigned long long)idle, (unsigned long long)made, (unsigned long long)told,
	       (unsigned long long)closed);
	EXPECT_LT(made, LATE_NS);
	EXPECT_LT(told, LATE_NS);
	EXPECT_LT(closed, LATE_NS);
}

TEST_HARNESS_MAIN
