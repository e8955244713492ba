// SPDX-License-Identifier: GPL-2.0-only
/* A group counts what perf counts, and all members are read at one instant. */
#include "pmcgrp_test.h"
#include <pthread.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include "kselftest_harness.h"

#define READS		100000
#define LOOPS	50000000ULL

FIXTURE(count)
{
	int dev;
};

FIXTURE_SETUP(count)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
}

FIXTURE_TEARDOWN(count)
{
	close(self->dev);
}

/* The same event four times with the same attr is one counter, read once. */
TEST_F(count, same_event_same_attr_is_equal_to_the_unit)
{
	struct perf_event_attr attr[4];
	struct group_values v;
	int fd, i, k;

	if (!have_instructions())
		SKIP(return, "no instructions counter");
	for (i = 0; i < 4; i++)
		attr[i] = instructions_copy(0);
	fd = group_of(self->dev, 4, attr, 0);
	ASSERT_GE(fd, 0);
	for (k = 0; k < 1000; k++) {
		ASSERT_TRUE(group_values(fd, 4, &v));
		ASSERT_EQ(v.running, v.enabled);
		for (i = 1; i < 4; i++)
			ASSERT_EQ(v.m[0].value, v.m[i].value);
	}
}

/*
 * Four counters of INST_RETIRED.  They are read one after the other while they go on, so each
 * is ahead of the one before by the instructions in between: but so it was at the start of
 * what is counted, and what is shown is the difference.
 */
TEST_F(count, four_counters_of_one_event_stay_equal)
{
	struct perf_event_attr attr[4];
	struct group_values v;
	uint64_t previous = 0;
	int fd, i, k;

	if (!have_instructions())
		SKIP(return, "no instructions counter");
	for (i = 0; i < 4; i++)
		attr[i] = instructions_copy(i);
	fd = group_of(self->dev, 4, attr, 0);
	ASSERT_GE(fd, 0);
	for (k = 0; k < READS; k++) {
		if (k % 100 == 0)
			sched_yield();
		ASSERT_TRUE(group_values(fd, 4, &v));
		ASSERT_EQ(v.running, v.enabled);
		ASSERT_GT(v.m[0].value, previous);
		previous = v.m[0].value;
		for (i = 1; i < 4; i++) {
			ASSERT_EQ(v.m[i].value, v.m[0].value) {
				TH_LOG("read %d, member %d", k, i);
			}
		}
	}
}

static void count_by_pmcgrp(struct __test_metadata *_metadata, int dev,
			    const struct perf_event_attr *attr, uint64_t *value)
{
	struct group_values v;
	int fd = group_of(dev, 2, attr, PMCGRP_CREATE_DISABLED);

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	loop(LOOPS);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_TRUE(group_values(fd, 2, &v));
	value[0] = v.m[0].value;
	value[1] = v.m[1].value;
	close(fd);
}

static void count_by_perf(struct __test_metadata *_metadata, const struct perf_event_attr *attr,
			  uint64_t *value)
{
	struct perf_event_attr leader = attr[0];
	struct group_values v;
	int fd[2];

	leader.read_format = FORMAT;
	leader.disabled = 1;
	fd[0] = perf_open(&leader, 0, -1, -1);
	ASSERT_GE(fd[0], 0);
	fd[1] = perf_open(&attr[1], 0, -1, fd[0]);
	ASSERT_GE(fd[1], 0);
	ASSERT_EQ(0, ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0));
	loop(LOOPS);
	ASSERT_EQ(0, ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_TRUE(group_values(fd[0], 2, &v));
	value[0] = v.m[0].value;
	value[1] = v.m[1].value;
	close(fd[1]);
	close(fd[0]);
}

TEST_F(count, a_known_loop_counts_as_it_does_in_perf)
{
	struct perf_event_attr attr[2] = { hw(PERF_COUNT_HW_INSTRUCTIONS),
					   hw(PERF_COUNT_HW_CPU_CYCLES) };
	uint64_t ours[2], perfs[2];
	int i;

	if (!have_instructions())
		SKIP(return, "no instructions counter");
	/* The first round of each also pays for touching its code and data. */
	for (i = 0; i < 2; i++) {
		count_by_pmcgrp(_metadata, self->dev, attr, ours);
		count_by_perf(_metadata, attr, perfs);
	}
	TH_LOG("instructions: pmcgrp %llu, perf %llu; cycles: pmcgrp %llu, perf %llu",
	       (unsigned long long)ours[0], (unsigned long long)perfs[0],
	       (unsigned long long)ours[1], (unsigned long long)perfs[1]);
	ASSERT_GE(ours[0], 2 * LOOPS);
	for (i = 0; i < 2; i++)
		ASSERT_LE(difference(ours[i], perfs[i]) * (slow_kernel() ? 10 : 1000), perfs[i]);
}

/* The modifiers of perf's event grammar reach the hardware. */
TEST_F(count, user_and_kernel_add_up)
{
	struct perf_event_attr attr[3];
	struct group_values v;
	uint64_t k;
	int fd, i;

	if (!have_instructions())
		SKIP(return, "no instructions counter");
	for (i = 0; i < 3; i++)
		attr[i] = instructions_copy(0);
	attr[1].exclude_kernel = 1;
	attr[2].exclude_user = 1;
	fd = group_of(self->dev, 3, attr, PMCGRP_CREATE_DISABLED);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	loop(1000);
	for (k = 0; k < 100; k++)
		getppid();
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_TRUE(group_values(fd, 3, &v));
	ASSERT_GE(v.m[1].value, 2000);
	ASSERT_GT(v.m[2].value, 100);
	/* started and stopped at one instant: to the unit */
	ASSERT_EQ(v.m[1].value + v.m[2].value, v.m[0].value);
}

/* A counter of 32 bits is carried on past 2^32: 5 s of cycles at 1 GHz, if need be in work. */
TEST_F_TIMEOUT(count, cycles_go_on_past_32_bits, 300)
{
	struct perf_event_attr attr[2];
	struct group_values v, before = {};
	unsigned int step;
	bool idle;
	int fd;

	if (!have_cycles())
		SKIP(return, "no cycles counter");
	idle = idle_has_cycles();
	ASSERT_TRUE(run_on(0));
	/* The second one has to take an ordinary counter. */
	attr[0] = cycles_copy(0);
	attr[1] = cycles_copy(1);
	fd = group_of_cpu(self->dev, 0, 2, attr);
	ASSERT_GE(fd, 0);
	for (step = 0; step < 5; step++) {
		if (idle)
			sleep_ns(NSEC_PER_SEC);
		else
			spin_ns(NSEC_PER_SEC);
		ASSERT_TRUE(group_values(fd, 2, &v));
		ASSERT_GT(v.m[0].value, before.m[0].value);
		ASSERT_GT(v.m[1].value, before.m[1].value);
		before = v;
	}
	TH_LOG("after %llu ns: %llu and %llu cycles", (unsigned long long)v.running,
	       (unsigned long long)v.m[0].value, (unsigned long long)v.m[1].value);
	ASSERT_EQ(v.running, v.enabled);
	ASSERT_GT(v.m[0].value, 1ULL << 32);
	ASSERT_GT(v.m[1].value, 1ULL << 32);
	/* QEMU's cycles are nanoseconds of guest time: within 0.1 % of the clock's */
	if (!deterministic())
		return;
	ASSERT_LT(llabs((long long)(v.m[0].value - v.running)), (long long)v.running / 1000);
	ASSERT_LT(llabs((long long)(v.m[1].value - v.running)), (long long)v.running / 1000);
}

/* Software events, hardware or not: page faults to the unit, the clocks in ns. */
TEST_F(count, software_events)
{
	struct perf_event_attr attr[4] = { sw(PERF_COUNT_SW_PAGE_FAULTS),
					   sw(PERF_COUNT_SW_TASK_CLOCK),
					   sw(PERF_COUNT_SW_CPU_CLOCK),
					   sw(PERF_COUNT_SW_CONTEXT_SWITCHES) };
	long page = sysconf(_SC_PAGESIZE);
	struct group_values v, w;
	volatile char *mem;
	uint64_t switches;
	int fd, i;

	fd = group_of(self->dev, 4, attr, 0);
	ASSERT_GE(fd, 0);
	mem = fresh_pages(64);
	ASSERT_NE(NULL, mem);
	ASSERT_TRUE(group_values(fd, 4, &v));
	ASSERT_TRUE(group_values(fd, 4, &v));	/* its own faults are over */
	for (i = 0; i < 64; i++)
		mem[i * page] = 1;
	ASSERT_TRUE(group_values(fd, 4, &w));
	ASSERT_EQ(v.m[0].value + 64, w.m[0].value);
	v = w;
	/* On a slow machine a sleep may be over before the task has been switched away. */
	switches = switches_so_far();
	for (i = 0; i < 10; i++)
		sleep_ns(NSEC_PER_MSEC);
	switches = switches_so_far() - switches;
	ASSERT_GT(switches, 0);
	ASSERT_TRUE(group_values(fd, 4, &w));
	ASSERT_GE(w.m[3].value, v.m[3].value + switches);
	ASSERT_EQ(w.running, w.enabled);
	/* both clocks are the group's own time on the CPU, not the wall's */
	ASSERT_EQ(w.m[1].value, w.m[2].value);
	ASSERT_GT(w.m[1].value, v.m[1].value);
	if (deterministic())
		ASSERT_LT(llabs((long long)(w.m[1].value - w.running)), (long long)w.running / 100);
}

/*
 * Groups of a task, without and with what it creates, and a perf event; what they have counted when
 * they were open, and since then.
 */
struct switch_counts {
	int fd[3];
	uint64_t base[3], count[3];
};

static bool switch_counts_read_once(struct switch_counts *s)
{
	struct group_values v;
	int i;

	for (i = 0; i < 2; i++) {
		if (!group_values(s->fd[i], 1, &v))
			return false;
		s->count[i] = v.m[0].value - s->base[i];
	}
	if (read(s->fd[2], &s->count[2], 8) != 8)
		return false;
	s->count[2] -= s->base[2];
	return true;
}

/* Reads all of them between two switches of the running task. */
static bool switch_counts_read(struct switch_counts *s)
{
	uint64_t before;

	do {
		before = switches_so_far();
		if (!switch_counts_read_once(s))
			return false;
	} while (before != switches_so_far());
	return true;
}

static bool switch_counts_open(struct switch_counts *s, int dev, pid_t tid, uint64_t config)
{
	struct perf_event_attr attr = sw(config);
	int i;

	s->fd[0] = group_of_task(dev, tid, 1, &attr, 0);
	s->fd[1] = group_of_task(dev, tid, 1, &attr, PMCGRP_CREATE_INHERIT);
	s->fd[2] = perf_open(&attr, tid, -1, -1);
	memset(s->base, 0, sizeof(s->base));
	if (s->fd[0] < 0 || s->fd[1] < 0 || s->fd[2] < 0 || !switch_counts_read(s))
		return false;
	for (i = 0; i < 3; i++)
		s->base[i] = s->count[i];
	return true;
}

static void switch_counts_close(struct switch_counts *s)
{
	int i;

	for (i = 0; i < 3; i++)
		close(s->fd[i]);
}

/* A switch is counted for the task that leaves, as by perf core: while it sleeps as well. */
TEST_F(count, switches_of_a_task_that_has_left)
{
	struct switch_counts *s = shared_memory(sizeof(*s));
	pid_t child;
	int status;

	ASSERT_NE(NULL, s);
	ASSERT_TRUE(switch_counts_open(s, self->dev, 0, PERF_COUNT_SW_CONTEXT_SWITCHES));
	child = fork();
	ASSERT_GE(child, 0);
	if (!child) {
		sleep_ns(10 * NSEC_PER_MSEC);
		_exit(!switch_counts_read(s));
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_EQ(0, status);
	EXPECT_GT(s->count[2], 0);
	EXPECT_EQ(s->count[2], s->count[0]);
	/* The child's own switches are among those of the group that inherits. */
	EXPECT_GE(s->count[1], s->count[2]);
	switch_counts_close(s);
}

struct other {
	struct switch_counts s;
	int dev;
	pid_t tid;
	bool good;
};

/* Whether a thread of this process sleeps. */
static bool sleeps(pid_t tid)
{
	char path[64], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	f = fopen(path, "r");
	if (f && fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	if (f)
		fclose(f);
	return state == 'S';
}

static void *count_the_other(void *arg)
{
	struct other *other = arg;

	while (!sleeps(other->tid))
		sched_yield();
	other->good = switch_counts_open(&other->s, other->dev, other->tid,
					 PERF_COUNT_SW_CONTEXT_SWITCHES);
	return NULL;
}

/* A task that has been scheduled in since, and has not left, has had no switch. */
TEST_F(count, switches_of_a_task_that_has_come)
{
	struct other other = { .dev = self->dev, .tid = gettid() };
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, count_the_other, &other));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	ASSERT_TRUE(other.good);
	ASSERT_TRUE(switch_counts_read(&other.s));
	EXPECT_EQ(other.s.count[2], other.s.count[0]);
	EXPECT_EQ(other.s.count[2], other.s.count[1]);
	sleep_ns(10 * NSEC_PER_MSEC);
	ASSERT_TRUE(switch_counts_read(&other.s));
	EXPECT_GT(other.s.count[2], 0);
	EXPECT_EQ(other.s.count[2], other.s.count[0]);
	EXPECT_EQ(other.s.count[2], other.s.count[1]);
	switch_counts_close(&other.s);
}

#define CGROUPS	"/tmp/count.cgroups"
#define CGROUP	CGROUPS "/other"

/* A child in a cgroup of its own, which writes a byte for each that it reads. */
static void cgroup_child(int in, int out)
{
	char byte;

	if (!file_write(CGROUP "/cgroup.procs", "0"))
		_exit(1);
	while (read(in, &byte, 1) == 1)
		if (write(out, &byte, 1) != 1)
			_exit(1);
	_exit(0);
}

/* As for context switches: a switch between cgroups is counted for the task that leaves. */
TEST_F(count, switches_between_cgroups)
{
	int there[2], back[2], i, status;
	struct switch_counts of_child, own;
	char byte = 0;
	pid_t child;

	mkdir(CGROUPS, 0755);
	if (mount("cgroup", CGROUPS, "cgroup2", 0, NULL))
		SKIP(return, "no cgroup2");
	/* With the first controller, whichever, perf's is enabled too: it is implicit. */
	ASSERT_TRUE(file_write(CGROUPS "/cgroup.subtree_control", "+pids") ||
		    file_write(CGROUPS "/cgroup.subtree_control", "+cpu"));
	ASSERT_EQ(0, mkdir(CGROUP, 0755));
	ASSERT_TRUE(run_on(0));
	ASSERT_EQ(0, pipe(there));
	ASSERT_EQ(0, pipe(back));
	child = fork();
	ASSERT_GE(child, 0);
	if (!child) {
		close(there[1]);
		cgroup_child(there[0], back[1]);
	}
	ASSERT_EQ(1, write(there[1], &byte, 1));
	ASSERT_EQ(1, read(back[0], &byte, 1));	/* it has entered */
	ASSERT_TRUE(switch_counts_open(&of_child, self->dev, child,
				       PERF_COUNT_SW_CGROUP_SWITCHES));
	ASSERT_TRUE(switch_counts_open(&own, self->dev, 0, PERF_COUNT_SW_CGROUP_SWITCHES));
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(1, write(there[1], &byte, 1));
		ASSERT_EQ(1, read(back[0], &byte, 1));
		sched_yield();	/* or a switch within a cgroup */
	}
	sleep_ns(10 * NSEC_PER_MSEC);	/* the child waits now */
	ASSERT_TRUE(switch_counts_read(&own));
	ASSERT_TRUE(switch_counts_read(&of_child));
	TH_LOG("%lld, %lld of the child", (long long)own.count[2], (long long)of_child.count[2]);
	EXPECT_GT(own.count[2], 0);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(own.count[2], own.count[i]);
		EXPECT_EQ(of_child.count[2], of_child.count[i]);
	}
	switch_counts_close(&own);
	switch_counts_close(&of_child);
	close(there[1]);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, rmdir(CGROUP));
	EXPECT_EQ(0, umount(CGROUPS));
}

/* At each switch to the task a pinned group that inherits takes the counters from the other one. */
TEST_F(count, switches_beside_a_pinned_group)
{
	struct perf_event_attr attr[1 + COUNTERS_MOST], other[COUNTERS_MOST];
	unsigned int i, half = have_cycles() ? more_than_half() : 0;
	struct group_values v;
	int fd, pinned;

	if (!half)
		SKIP(return, "needs a hardware PMU");
	attr[half] = sw(PERF_COUNT_SW_CONTEXT_SWITCHES);
	for (i = 0; i < half; i++) {
		attr[i] = cycles_copy(i);
		other[i] = cycles_copy(half + i);
	}
	fd = group_of(self->dev, half + 1, attr, 0);
	ASSERT_GE(fd, 0);
	pinned = group_of(self->dev, half, other, PMCGRP_CREATE_INHERIT | PMCGRP_CREATE_PINNED);
	ASSERT_GE(pinned, 0);
	for (i = 0; i < 50; i++)
		sleep_ns(100000);
	ASSERT_TRUE(group_values(fd, half + 1, &v));
	TH_LOG("%lld switches", (long long)v.m[half].value);
	EXPECT_LE(v.m[half].value, 1000);
	close(pinned);
	close(fd);
}

/* Members of several PMUs in one group start, stop and multiplex together. */
TEST_F(count, hardware_and_software_in_one_group)
{
	struct perf_event_attr attr[4] = { sw(PERF_COUNT_SW_TASK_CLOCK),
					   hw(PERF_COUNT_HW_CPU_CYCLES),
					   sw(PERF_COUNT_SW_PAGE_FAULTS),
					   cycles_copy(1) };
	struct group_values v;
	int fd;

	if (!have_cycles())
		SKIP(return, "no cycles counter");
	fd = group_of(self->dev, 4, attr, PMCGRP_CREATE_DISABLED);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	spin_ns(20 * NSEC_PER_MSEC);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_TRUE(group_values(fd, 4, &v));
	ASSERT_EQ(v.running, v.enabled);
	ASSERT_GT(v.running, 0);
	if (!deterministic())
		return;
	/* one PMU, held while both start and stop: to the unit */
	ASSERT_EQ(v.m[1].value, v.m[3].value);
	ASSERT_LT(llabs((long long)(v.m[0].value - v.running)), (long long)v.running / 100);
}

TEST_HARNESS_MAIN
