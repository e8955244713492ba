// SPDX-License-Identifier: GPL-2.0-only
/*
 * A pmcgrp group and a flexible perf group, of which only one fits at a time, on a CPU that several
 * tasks share. Each counts for half of the time that its task or CPU runs, at least.
 *
 * Many groups and tasks: half a minute of the host's processor.
 * needs: more=arm64-6.12
 */
#include "pmcgrp_rivals.h"
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include "kselftest_harness.h"

#define BURNERS	3

FIXTURE(busy)
{
	struct rivals rivals;
	pid_t burner[BURNERS];
};

/*
 * @burners: number of other tasks that use the CPU
 * @ours_of_cpu, @perf_of_cpu: the group is of the CPU, not of the test's task
 * @turn_us: the burners let others run after so many microseconds; 0: never
 */
FIXTURE_VARIANT(busy)
{
	unsigned int burners;
	bool ours_of_cpu, perf_of_cpu;
	unsigned int turn_us;
};

FIXTURE_VARIANT_ADD(busy, 1_task_task)
{
	.burners = 1,
};

FIXTURE_VARIANT_ADD(busy, 3_task_task)
{
	.burners = 3,
};

FIXTURE_VARIANT_ADD(busy, 1_cpu_task)
{
	.burners = 1,
	.ours_of_cpu = true,
};

FIXTURE_VARIANT_ADD(busy, 3_cpu_task)
{
	.burners = 3,
	.ours_of_cpu = true,
};

FIXTURE_VARIANT_ADD(busy, 1_task_cpu)
{
	.burners = 1,
	.perf_of_cpu = true,
};

FIXTURE_VARIANT_ADD(busy, 3_task_cpu)
{
	.burners = 3,
	.perf_of_cpu = true,
};

FIXTURE_VARIANT_ADD(busy, 1_cpu_cpu)
{
	.burners = 1,
	.ours_of_cpu = true,
	.perf_of_cpu = true,
};

FIXTURE_VARIANT_ADD(busy, 3_cpu_cpu)
{
	.burners = 3,
	.ours_of_cpu = true,
	.perf_of_cpu = true,
};

FIXTURE_VARIANT_ADD(busy, 2_task_task_turns)
{
	.burners = 2,
	.turn_us = 300,
};

FIXTURE_VARIANT_ADD(busy, 2_cpu_task_turns)
{
	.burners = 2,
	.ours_of_cpu = true,
	.turn_us = 300,
};

FIXTURE_VARIANT_ADD(busy, 2_task_cpu_turns)
{
	.burners = 2,
	.perf_of_cpu = true,
	.turn_us = 300,
};

FIXTURE_SETUP(busy)
{
	self->rivals.dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->rivals.dev, 0);
	if (!deterministic())
		SKIP(return, "shares of time need a hardware PMU and a deterministic guest");
	if (!rivals_ready(&self->rivals))
		SKIP(return, "too few counters");
}

FIXTURE_TEARDOWN(busy)
{
	close(self->rivals.dev);
}

/* Uses the CPU until it is killed, or the test's task has ended. */
static pid_t burn(unsigned int turn_us)
{
	pid_t parent = getpid(), pid = fork();

	if (pid)
		return pid;
	while (getppid() == parent) {
		spin_ns((turn_us ?: 1000) * 1000);
		if (turn_us)
			sched_yield();
	}
	_exit(0);
}

/* Work for some time of the machine's, in turns like those of the others. */
static void work(uint64_t ns, unsigned int turn_us)
{
	uint64_t end = now_ns() + ns;

	while (now_ns() < end) {
		spin_ns((turn_us ?: 1000) * 1000);
		if (turn_us)
			sched_yield();
	}
}

TEST_F_TIMEOUT(busy, half_each, 120)
{
	unsigned int nr = self->rivals.nr, i;
	struct perf_event_attr attr[COUNTERS_MOST];
	struct group_values v, w, p, q;
	struct perf_share perf;
	int fd, least = 45;

	/*
	 * Without way events (kmod/counter/way.c) a worker gets the counters: the task may be out
	 * then.
	 */
	if (!kernel_is(6, 2) && variant->perf_of_cpu && !variant->ours_of_cpu)
		least = 30;
	/* The worker that has perf core reschedule the CPU is late. */
	if (rt_kernel() && variant->perf_of_cpu && variant->ours_of_cpu)
		least = 35;
	for (i = 0; i < nr; i++)
		attr[i] = instructions_copy(i);
	fd = variant->ours_of_cpu ? group_of_cpu(self->rivals.dev, 0, nr, attr) :
				    group_of(self->rivals.dev, nr, attr, 0);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(perf_start(&perf, nr, variant->perf_of_cpu));
	for (i = 0; i < variant->burners; i++) {
		self->burner[i] = burn(variant->turn_us);
		ASSERT_GT(self->burner[i], 0);
	}
	work(100 * NSEC_PER_MSEC, variant->turn_us);
	ASSERT_TRUE(group_values(fd, nr, &v));
	ASSERT_TRUE(group_values(perf.fd[0], nr, &p));
	work(2 * NSEC_PER_SEC, variant->turn_us);
	ASSERT_TRUE(group_values(fd, nr, &w));
	ASSERT_TRUE(group_values(perf.fd[0], nr, &q));
	TH_LOG("pmcgrp %.1f%% of %d ms, perf %.1f%% of %d ms", percent(&v, &w),
	       (int)((w.enabled - v.enabled) / NSEC_PER_MSEC), percent(&p, &q),
	       (int)((q.enabled - p.enabled) / NSEC_PER_MSEC));
	EXPECT_GE(percent(&v, &w), least);
	EXPECT_GE(percent(&p, &q), least);
	for (i = 0; i < variant->burners; i++) {
		kill(self->burner[i], SIGKILL);
		ASSERT_EQ(self->burner[i], waitpid(self->burner[i], NULL, 0));
	}
	close(fd);
	for (i = 0; i < nr; i++)
		close(perf.fd[i]);
}

TEST_HARNESS_MAIN
