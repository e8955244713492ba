// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every allocation and every copy from or to user space fails once
 * (/proc/self/fail-nth): the errno is a documented one, nothing half-made is left
 * behind, and the same call works right after.  Needs a kernel with fault
 * injection.
 */
#include "pmcgrp_leader.h"
#include "pmcgrp_ring.h"
#include <sched.h>
#include <signal.h>
#include "kselftest_harness.h"

#define FAIL_NTH	"/proc/thread-self/fail-nth"
#define NTH_MAX		2000
#define NR		4

static int nth_fd;		/* FAIL_NTH, open */
static unsigned int injected;

FIXTURE(faults)
{
	int dev;
	struct perf_event_attr attr[NR];
};

/* Faults in allocations that may sleep, too, and without a trace for each in dmesg. */
static void configure(const char *kind)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/kernel/debug/%s/verbose", kind);
	file_write(path, "0");
	snprintf(path, sizeof(path), "/sys/kernel/debug/%s/ignore-gfp-wait", kind);
	file_write(path, "N");
	snprintf(path, sizeof(path), "/sys/kernel/debug/%s/ignore-gfp-highmem", kind);
	file_write(path, "N");
	snprintf(path, sizeof(path), "/sys/kernel/debug/%s/min-order", kind);
	file_write(path, "0");
}

FIXTURE_SETUP(faults)
{
	nth_fd = open(FAIL_NTH, O_RDWR | O_CLOEXEC);
	if (nth_fd < 0)
		SKIP(return, "no fault injection in this kernel");
	configure("failslab");
	configure("fail_page_alloc");
	configure("fail_usercopy");
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->attr[0] = sw(PERF_COUNT_SW_TASK_CLOCK);
	self->attr[1] = sw(PERF_COUNT_SW_PAGE_FAULTS);
	self->attr[2] = sw(PERF_COUNT_SW_CONTEXT_SWITCHES);
	self->attr[3] = sw(PERF_COUNT_SW_CPU_MIGRATIONS);
	if (have_cycles()) {
		self->attr[1] = cycles_copy(0);
		self->attr[2] = cycles_copy(1);
	}
}

FIXTURE_TEARDOWN(faults)
{
	if (nth_fd >= 0)
		printf("# faults: %u injected\n", injected);
	close(self->dev);
	close(nth_fd);
}

static bool arm(int nth, int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", n);

	return pwrite(nth, text, len, 0) == len;
}

/* Whether the fault was used up; disarms. */
static bool hit(int nth)
{
	char text[16] = {};

	if (pread(nth, text, sizeof(text) - 1, 0) <= 0)
		return false;
	if (atoi(text) == 0)
		return true;
	arm(nth, 0);
	return false;
}

/* Run call for n = 1, 2, ... until it runs through without a fault. */
#define sweep(call, check) do {							\
	for (n = 1; n < NTH_MAX; n++) {						\
		int next_ = dup(0), again_;					\
										\
		close(next_);							\
		ASSERT_TRUE(arm(nth_fd, n));					\
		ret = (call);							\
		if (!hit(nth_fd))						\
			break;							\
		injected++;							\
		{ check }							\
		again_ = dup(0);	/* no descriptor is left */		\
		close(again_);							\
		ASSERT_EQ(next_, again_) {					\
			TH_LOG("fault %d left a descriptor", n);		\
		}								\
	}									\
	ASSERT_LT(n, NTH_MAX);							\
	ASSERT_GT(n, 1);							\
} while (0)

/* A group that a fault did not prevent must work. */
static bool works(int fd)
{
	struct group_values v;
	bool ok = group_values(fd, NR, &v) && v.running > 0;

	close(fd);
	return ok;
}

static void sweep_create(struct __test_metadata *_metadata, int dev, struct ask *ask)
{
	int n, ret;

	sweep(ask_group(dev, ask), {
		if (ret >= 0) {
			/* tolerated: there was another way */
			ASSERT_TRUE(works(ret));
		} else {
			ASSERT_TRUE(ret == -ENOMEM || ret == -EFAULT) {
				TH_LOG("fault %d: errno %d, why %u", n, -ret, ask->create.why);
			}
			/* no memory for a descriptor or its file has no reason of its own */
			if (ret == -ENOMEM)
				ASSERT_TRUE(ask->create.why == PMCGRP_WHY_NOMEM ||
					    ask->create.why == PMCGRP_WHY_NONE);
		}
	});
	ASSERT_GE(ret, 0);
	ASSERT_TRUE(works(ret));
	TH_LOG("%d places to fail", n - 1);
}

TEST_F_TIMEOUT(faults, create_for_the_caller, 600)
{
	struct ask ask = { .nr = NR, .attr = self->attr };

	sweep_create(_metadata, self->dev, &ask);
}

TEST_F_TIMEOUT(faults, create_for_a_cpu, 600)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_CPU, .nr = NR, .attr = self->attr };

	sweep_create(_metadata, self->dev, &ask);
}

/* Groups that count what their target creates. */
TEST_F_TIMEOUT(faults, create_inherited, 600)
{
	struct ask ask = { .nr = NR, .attr = self->attr, .flags = PMCGRP_CREATE_INHERIT };

	sweep_create(_metadata, self->dev, &ask);
	ask.target_type = PMCGRP_TARGET_PROCESS;
	sweep_create(_metadata, self->dev, &ask);
	ask.flags |= PMCGRP_CREATE_DISABLED | PMCGRP_CREATE_ENABLE_ON_EXEC;
	close(ask_group(self->dev, &ask));
}

/* Each time a task without a perf context yet. */
TEST_F_TIMEOUT(faults, create_for_a_fresh_task, 600)
{
	struct ask ask = { .nr = NR, .attr = self->attr };
	int n, fd;
	pid_t pid;
	bool used;

	for (n = 1; n < NTH_MAX; n++) {
		pid = fork();
		ASSERT_GE(pid, 0);
		if (!pid)
			for (;;)
				loop(1000);
		ask.target_id = pid;
		ASSERT_TRUE(arm(nth_fd, n));
		fd = ask_group(self->dev, &ask);
		used = hit(nth_fd);
		if (fd >= 0)
			close(fd);
		else
			ASSERT_TRUE(fd == -ENOMEM || fd == -EFAULT);
		injected += used;
		/* the same task, now */
		fd = ask_group(self->dev, &ask);
		ASSERT_GE(fd, 0);
		close(fd);
		kill(pid, SIGKILL);
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
		if (!used)
			break;
	}
	ASSERT_LT(n, NTH_MAX);
	TH_LOG("%d places to fail", n - 1);
}

TEST_F_TIMEOUT(faults, open_and_query, 120)
{
	struct pmcgrp_query q = { .size = sizeof(q) };
	int n, ret;

	sweep(open(DEVICE, O_RDWR | O_CLOEXEC), {
		if (ret >= 0)
			close(ret);
		else
			ASSERT_TRUE(errno == ENOMEM || errno == EFAULT || errno == ENFILE);
	});
	ASSERT_GE(ret, 0);
	close(ret);
	sweep((q.flags = 0, ioctl(self->dev, PMCGRP_IOC_QUERY, &q)), {
		if (ret)
			ASSERT_EQ(EFAULT, errno);
	});
	ASSERT_EQ(0, ret);
}

/* A read whose copy fails loses nothing. */
TEST_F_TIMEOUT(faults, read, 120)
{
	struct group_values v, last = {};
	int fd, n, ret;

	fd = group_of(self->dev, NR, self->attr, 0);
	ASSERT_GE(fd, 0);
	sweep(read(fd, &v, sizeof(v)), {
		if (ret < 0)
			ASSERT_EQ(EFAULT, errno);
		ASSERT_TRUE(group_values(fd, NR, &v));
		ASSERT_GT(v.running, last.running);
		last = v;
	});
	close(fd);
}

/* A member that could not be added has left no trace in its group. */
TEST_F_TIMEOUT(faults, add, 600)
{
	struct ask ask = { .nr = 1, .attr = self->attr, .flags = PMCGRP_CREATE_LEADER };
	static const uint32_t types[] = { PMCGRP_TARGET_TASK, PMCGRP_TARGET_CPU };
	struct group_values v, last = {};
	struct pmcgrp_add add;
	int fd, n, ret;
	unsigned int t;

	for (t = 0; t < 2; t++) {
		ask.target_type = types[t];
		fd = ask_group(self->dev, &ask);
		ASSERT_GE(fd, 0);
		memset(&last, 0, sizeof(last));
		/* Each time another event, between others or behind them. */
		sweep(ask_member(fd, &self->attr[1 + n % 3], 0, FORMAT, &add), {
			if (ret >= 0) {
				ASSERT_TRUE(group_values(ret, 2, &v));
				close(ret);
			} else {
				ASSERT_TRUE(ret == -ENOMEM || ret == -EFAULT) {
					TH_LOG("fault %d: errno %d, why %u", n, -ret, add.why);
				}
			}
			ASSERT_TRUE(group_values(fd, 1, &v));
			ASSERT_GT(v.running, last.running);
			ASSERT_GE(v.m[0].value, last.m[0].value);
			last = v;
		});
		ASSERT_GE(ret, 0);
		ASSERT_TRUE(group_values(fd, 2, &v));
		close(fd);
		ASSERT_TRUE(group_values(ret, 1, &v));
		close(ret);
		TH_LOG("%d places to fail", n - 1);
	}
}

/* A ring or trigger that could not be had has left no trace, and can be had then. */
TEST_F_TIMEOUT(faults, ring_and_trigger, 600)
{
	static const uint32_t types[] = {
		PMCGRP_TARGET_TASK, PMCGRP_TARGET_CPU, PMCGRP_TARGET_TASK
	};
	struct perf_event_attr by = every(1000000, sw(PERF_COUNT_SW_CPU_CLOCK));
	struct ask ask = { .nr = NR, .attr = self->attr };
	struct pmcgrp_ring_setup setup;
	struct pmcgrp_trigger_add add;
	struct ring_sum sum = {};
	struct ring ring;
	int fd, n, ret, same = -1;
	unsigned int t;

	for (t = 0; t < 3; t++) {
		ask.target_type = types[t];
		/* the last time a group that shared a carrier event and now needs its own */
		if (t == 2)
			same = ask_group(self->dev, &ask);
		fd = ask_group(self->dev, &ask);
		ASSERT_GE(fd, 0);
		sweep(setup_ring(fd, 0, SAMPLE_TYPE, 0, &setup), {
			ASSERT_TRUE(ret == -ENOMEM || ret == -EFAULT || !ret);
			/* Where its id could not be written it may exist: another group. */
			close(fd);
			fd = ask_group(self->dev, &ask);
			ASSERT_GE(fd, 0);
		});
		ASSERT_EQ(0, ret);
		sweep(ring_map(fd, 4, &ring), {
			ASSERT_TRUE(ret == -ENOMEM || ret == -EAGAIN || !ret) {
				TH_LOG("fault %d: errno %d", n, -ret);
			}
			if (!ret)
				ring_unmap(&ring);
		});
		ASSERT_EQ(0, ret);
		sweep(add_trigger(fd, &by, &add), {
			ASSERT_TRUE(ret == -ENOMEM || ret == -EFAULT || ret == -ENOSPC || !ret) {
				TH_LOG("fault %d: errno %d, why %u", n, -ret, add.why);
			}
			if (ret == -ENOMEM)
				ASSERT_EQ(PMCGRP_WHY_NOMEM, add.why);
		});
		ASSERT_TRUE(!ret || ret == -ENOSPC);
		spin_ns(20 * NSEC_PER_MSEC);
		ring_drain(&ring, &sum, NULL, NULL);
		EXPECT_GT(sum.samples, 0);
		EXPECT_FALSE(sum.broken);
		ring_unmap(&ring);
		close(fd);
	}
	EXPECT_TRUE(works(same));
}

/* Teardown neither fails nor allocates: not one place to fail in close(). */
TEST_F(faults, close_cannot_fail)
{
	int fd = group_of(self->dev, NR, self->attr, 0);
	bool used;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_TRUE(arm(nth_fd, 1));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	used = hit(nth_fd);
	EXPECT_FALSE(used);
	ASSERT_TRUE(arm(nth_fd, 1));
	ASSERT_EQ(0, close(fd));
	hit(nth_fd);
	fd = group_of(self->dev, NR, self->attr, 0);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(works(fd));
}

TEST_HARNESS_MAIN
