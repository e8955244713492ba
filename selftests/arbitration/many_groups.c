// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many groups of different events on one PMU: of a task and of a CPU.  Those that only wait are in
 * the backlog (kmod/follow/rest.c), which neither a rotation nor a context switch visits.
 *
 * How long sections with interrupts off take is told by a module beside it. Half a minute of the
 * host's processor.
 * needs: testpmu=yes more=arm64-6.12
 */
#include "pmcgrp_testpmu.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "kselftest_harness.h"

#define MUX_INTERVAL	(4 * NSEC_PER_MSEC)	/* the module's mux_interval_ms */
#define MOST	1000
#define FEW	64	/* more than come in at once */

static const struct rlimit files = { .rlim_cur = 4 * MOST, .rlim_max = 4 * MOST };
static int fd[MOST];
static unsigned int half;	/* members: two such groups do not fit at a time */
static unsigned int most;	/* groups; on PREEMPT_RT each release waits for RCU */

FIXTURE(many_groups)
{
	int dev;
};

FIXTURE_SETUP(many_groups)
{
	if (!have_cycles())
		SKIP(return, "needs a hardware PMU");
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	ASSERT_TRUE(run_on(0));
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	half = more_than_half();
	most = rt_kernel() ? MOST / 10 : MOST;
}

FIXTURE_TEARDOWN(many_groups)
{
	close(self->dev);
}

/* The k-th group: no other one has an event of it.  @pid: 0: this task, -1: CPU 0. */
static int open_group(int dev, pid_t pid, unsigned int k)
{
	struct perf_event_attr attr[COUNTERS_MOST];
	unsigned int i;

	for (i = 0; i < half; i++)
		attr[i] = cycles_copy(1 + k * half + i);
	return pid < 0 ? group_of_cpu(dev, 0, half, attr) : group_of_task(dev, pid, half, attr, 0);
}

static bool open_groups(int dev, pid_t pid, unsigned int nr)
{
	unsigned int k;

	for (k = 0; k < nr; k++) {
		fd[k] = open_group(dev, pid, k);
		if (fd[k] < 0)
			return false;
	}
	return true;
}

static void close_groups(unsigned int nr)
{
	while (nr)
		close(fd[--nr]);
}

static uint64_t running(int group)
{
	struct group_values v;

	return group_values(group, half, &v) ? v.running : 0;
}

static uint64_t all_running(unsigned int nr)
{
	uint64_t sum = 0;
	unsigned int k;

	for (k = 0; k < nr; k++)
		sum += running(fd[k]);
	return sum;
}

static int open_perf_group(pid_t pid, int *perf)
{
	struct perf_event_attr attr = cycles_copy(0);
	unsigned int i;

	attr.read_format = FORMAT;
	for (i = 0; i < half; i++) {
		perf[i] = perf_open(&attr, pid, pid < 0 ? 0 : -1, i ? perf[0] : -1);
		if (perf[i] < 0)
			return perf[i];
	}
	return 0;
}

FIXTURE(beside_perf)
{
	int dev;
};

FIXTURE_VARIANT(beside_perf)
{
	unsigned int nr;
	pid_t ours, perfs;
};

FIXTURE_VARIANT_ADD(beside_perf, 33_of_a_task_perf_of_a_task)
{
	.nr = 33,
	.ours = 0,
	.perfs = 0,
};

FIXTURE_VARIANT_ADD(beside_perf, 33_of_a_task_perf_of_a_cpu)
{
	.nr = 33,
	.ours = 0,
	.perfs = -1,
};

FIXTURE_VARIANT_ADD(beside_perf, 33_of_a_cpu_perf_of_a_task)
{
	.nr = 33,
	.ours = -1,
	.perfs = 0,
};

FIXTURE_VARIANT_ADD(beside_perf, 33_of_a_cpu_perf_of_a_cpu)
{
	.nr = 33,
	.ours = -1,
	.perfs = -1,
};

FIXTURE_VARIANT_ADD(beside_perf, 1000_of_a_task_perf_of_a_task)
{
	.nr = MOST,
	.ours = 0,
	.perfs = 0,
};

FIXTURE_VARIANT_ADD(beside_perf, 1000_of_a_task_perf_of_a_cpu)
{
	.nr = MOST,
	.ours = 0,
	.perfs = -1,
};

FIXTURE_VARIANT_ADD(beside_perf, 1000_of_a_cpu_perf_of_a_task)
{
	.nr = MOST,
	.ours = -1,
	.perfs = 0,
};

FIXTURE_VARIANT_ADD(beside_perf, 1000_of_a_cpu_perf_of_a_cpu)
{
	.nr = MOST,
	.ours = -1,
	.perfs = -1,
};

FIXTURE_SETUP(beside_perf)
{
	FIXTURE_DATA(many_groups) many;

	many_groups_setup(_metadata, &many, NULL);
	self->dev = many.dev;
}

FIXTURE_TEARDOWN(beside_perf)
{
	close(self->dev);
}

/* Hundredths of a percent. */
static int share(uint64_t part, uint64_t all)
{
	return part * 10000 / all;
}

/* All groups together, of which one is on at a time, have as much of the PMU as perf's group. */
TEST_F_TIMEOUT(beside_perf, half_each, 120)
{
	unsigned int nr = variant->nr < most ? variant->nr : most;
	uint64_t start, a, b, all;
	int perf[COUNTERS_MOST], least;

	if (!deterministic())
		SKIP(return, "shares of time need a deterministic guest");
	ASSERT_TRUE(open_groups(self->dev, variant->ours, nr));
	ASSERT_EQ(0, open_perf_group(variant->perfs, perf));
	spin_ns(50 * NSEC_PER_MSEC);
	a = all_running(nr);
	b = running(perf[0]);
	start = now_ns();
	spin_ns(NSEC_PER_SEC);
	all = now_ns() - start;
	b = running(perf[0]) - b;
	a = all_running(nr) - a;
	TH_LOG("pmcgrp's groups %d.%02d %%, perf's %d.%02d %%", share(a, all) / 100,
	       share(a, all) % 100, share(b, all) / 100, share(b, all) % 100);
	EXPECT_GE(share(a, all), rt_kernel() ? 4000 : 4500);
	/*
	 * Beside events of the CPU the worker waits for reservation events, which take perf's
	 * counters meanwhile: for up to 16 ticks, 6 % of this second.
	 */
	least = variant->perfs < 0 ? 4000 : 4500;
	EXPECT_GE(share(b, all), rt_kernel() ? 3500 : least);
	close_groups(nr);
}

/* In the time of three intervals for each, all are on the PMU for one to five of these. */
static void all_take_turns(struct __test_metadata *_metadata, int dev, pid_t pid, unsigned int nr)
{
	uint64_t now, least = UINT64_MAX, most = 0;
	unsigned int k;

	if (!deterministic())
		SKIP(return, "shares of time need a deterministic guest");
	ASSERT_TRUE(open_groups(dev, pid, nr));
	spin_ns(3 * nr * MUX_INTERVAL);
	for (k = 0; k < nr; k++) {
		now = running(fd[k]);
		least = now < least ? now : least;
		most = now > most ? now : most;
	}
	TH_LOG("on the PMU for %d to %d us", (int)(least / 1000), (int)(most / 1000));
	EXPECT_GE(least, MUX_INTERVAL);
	EXPECT_LE(most, 5 * MUX_INTERVAL);
	close_groups(nr);
}

TEST_F_TIMEOUT(many_groups, all_of_a_task_take_turns, 120)
{
	all_take_turns(_metadata, self->dev, 0, 100);
}

TEST_F_TIMEOUT(many_groups, all_of_a_cpu_take_turns, 120)
{
	all_take_turns(_metadata, self->dev, -1, 100);
}

/* The functions of pmcgrp's that run with interrupts off: the PMU for tests tells how long. */
#define SECTIONS	"pmcgrp:pmcgrp_tick_timer pmcgrp:pmcgrp_tick_work pmcgrp:switch_sets " \
			"pmcgrp:context_call_here pmcgrp:try_here pmcgrp:in_here"

#define SECTIONS_NR	6

/* Opens and closes @nr groups; how long each section has taken at most, in nanoseconds. */
static bool longest_sections(int dev, pid_t pid, unsigned int nr, unsigned long *longest)
{
	unsigned long times, all = 0;
	char name[64];
	unsigned int i;
	FILE *f;

	if (!file_write(TESTPMU "sections", SECTIONS) || !open_groups(dev, pid, nr))
		return false;
	spin_ns(200 * NSEC_PER_MSEC);
	close_groups(nr);
	f = fopen(TESTPMU "sections", "r");
	for (i = 0; f && i < SECTIONS_NR; i++) {
		if (fscanf(f, "%63s %lu %lu", name, &times, &longest[i]) != 3)
			break;
		printf("# %u groups: %s: %lu times, %lu ns at most\n", nr, name, times, longest[i]);
		all += times;
	}
	if (f)
		fclose(f);
	return i == SECTIONS_NR && all;
}

/* However many groups there are, no section with interrupts off takes longer. */
static void sections_are_short(struct __test_metadata *_metadata, int dev, pid_t pid)
{
	unsigned long few[SECTIONS_NR], many[SECTIONS_NR], longest = 0;
	unsigned int i;

	if (!deterministic())
		SKIP(return, "shares of time need a deterministic guest");
	ASSERT_TRUE(longest_sections(dev, pid, 20, few));
	ASSERT_TRUE(longest_sections(dev, pid, most, many));
	for (i = 0; i < SECTIONS_NR; i++)
		longest = few[i] > longest ? few[i] : longest;
	for (i = 0; i < SECTIONS_NR; i++)
		EXPECT_LE(many[i], longest + longest / 4);
	file_write(TESTPMU "sections", " ");
}

TEST_F_TIMEOUT(many_groups, sections_of_a_task_are_short, 120)
{
	sections_are_short(_metadata, self->dev, 0);
}

TEST_F_TIMEOUT(many_groups, sections_of_a_cpu_are_short, 120)
{
	sections_are_short(_metadata, self->dev, -1);
}

/* time_enabled of a group that waits is the time since it was made, and stops while it is off. */
static void times_go_on(struct __test_metadata *_metadata, int dev, pid_t pid)
{
	struct group_values v[2], w[2];
	const unsigned int nr = 40;
	unsigned int k;

	if (!deterministic())
		SKIP(return, "shares of time need a deterministic guest");
	ASSERT_TRUE(open_groups(dev, pid, nr));
	spin_ns(50 * NSEC_PER_MSEC);
	for (k = 0; k < nr; k++) {
		ASSERT_TRUE(group_values(fd[k], half, &v[0]));
		ASSERT_TRUE(group_values(fd[0], half, &v[1]));
		spin_ns(NSEC_PER_MSEC);
		ASSERT_TRUE(group_values(fd[k], half, &w[0]));
		ASSERT_TRUE(group_values(fd[0], half, &w[1]));
		/* By two reads of a few microseconds each, between which a rotation may come. */
		EXPECT_LE(w[0].enabled - v[0].enabled, w[1].enabled - v[1].enabled + 100000);
		EXPECT_GE(w[0].enabled - v[0].enabled + 100000, w[1].enabled - v[1].enabled);
		if (!k)
			continue;
		ASSERT_EQ(0, ioctl(fd[k], PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_TRUE(group_values(fd[k], half, &v[0]));
		spin_ns(NSEC_PER_MSEC);
		ASSERT_TRUE(group_values(fd[k], half, &w[0]));
		EXPECT_TRUE(group_same(&v[0], &w[0], half));
		ASSERT_EQ(0, ioctl(fd[k], PERF_EVENT_IOC_ENABLE, 0));
	}
	close_groups(nr);
}

TEST_F_TIMEOUT(many_groups, times_of_a_task_go_on, 60)
{
	times_go_on(_metadata, self->dev, 0);
}

TEST_F_TIMEOUT(many_groups, times_of_a_cpu_go_on, 60)
{
	times_go_on(_metadata, self->dev, -1);
}

/* A group that fits beside any of the others counts all the time, last as it is in their order. */
static void the_small_one_counts(struct __test_metadata *_metadata, int dev, pid_t pid)
{
	struct perf_event_attr attr = cycles_copy(0);
	struct group_values v, w;
	int small;

	if (!deterministic())
		SKIP(return, "shares of time need a deterministic guest");
	small = pid < 0 ? group_of_cpu(dev, 0, 1, &attr) : group_of_task(dev, pid, 1, &attr, 0);
	ASSERT_GE(small, 0);
	spin_ns(50 * NSEC_PER_MSEC);	/* longer on the PMU than any of the others */
	ASSERT_TRUE(open_groups(dev, pid, FEW));
	ASSERT_TRUE(group_values(small, 1, &v));
	spin_ns(200 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(small, 1, &w));
	w.running -= v.running;
	w.enabled -= v.enabled;
	TH_LOG("%d.%02d %%", share(w.running, w.enabled) / 100,
	       share(w.running, w.enabled) % 100);
	EXPECT_GE(share(w.running, w.enabled), 9700);
	close_groups(FEW);
	close(small);
}

TEST_F_TIMEOUT(many_groups, a_small_one_of_a_task_counts, 60)
{
	the_small_one_counts(_metadata, self->dev, 0);
}

TEST_F_TIMEOUT(many_groups, a_small_one_of_a_cpu_counts, 60)
{
	the_small_one_counts(_metadata, self->dev, -1);
}

/* Which of the events that fit together are in the k-th group: each choice of them comes up. */
static unsigned int choice(unsigned int k)
{
	return 1 + k % ((1U << counters()) - 1);
}

static int open_choice(int dev, pid_t pid, unsigned int k)
{
	struct perf_event_attr attr[COUNTERS_MOST];
	unsigned int i, nr = 0;

	for (i = 0; i < counters(); i++)
		if (choice(k) & 1U << i)
			attr[nr++] = cycles_copy(i);
	return pid < 0 ? group_of_cpu(dev, 0, nr, attr) : group_of_task(dev, pid, nr, attr, 0);
}

static bool choice_values(unsigned int k, struct group_values *v)
{
	return group_values(fd[k], __builtin_popcount(choice(k)), v);
}

/* Groups with common events, which all fit together, always count, many as they are. */
static void choices_always_count(struct __test_metadata *_metadata, int dev, pid_t pid)
{
	struct group_values v, w;
	unsigned int k;

	for (k = 0; k < FEW; k++) {
		fd[k] = open_choice(dev, pid, k);
		ASSERT_GE(fd[k], 0);
	}
	for (k = 0; k < FEW; k++) {
		ASSERT_TRUE(choice_values(k, &v));
		EXPECT_EQ(v.enabled, v.running);
	}
	spin_ns(20 * NSEC_PER_MSEC);
	for (k = 0; k < FEW; k++) {
		ASSERT_TRUE(choice_values(k, &w));
		EXPECT_EQ(w.enabled, w.running);
		EXPECT_GE(w.enabled, 19 * NSEC_PER_MSEC);
	}
	close_groups(FEW);
}

TEST_F_TIMEOUT(many_groups, choices_of_a_task_always_count, 60)
{
	choices_always_count(_metadata, self->dev, 0);
}

TEST_F_TIMEOUT(many_groups, choices_of_a_cpu_always_count, 60)
{
	choices_always_count(_metadata, self->dev, -1);
}

/*
 * The same of a task that sleeps meanwhile: so many come in with the task, the others right after
 * the switch, before it is in user mode again.
 */
TEST_F_TIMEOUT(many_groups, choices_of_a_sleeper_always_count, 60)
{
	struct group_values v;
	int go[2], done[2];
	unsigned int k;
	pid_t child;
	char c = 0;

	if (!deterministic())
		SKIP(return, "shares of time need a deterministic guest");
	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pipe(done));
	child = fork();
	ASSERT_GE(child, 0);
	if (!child) {
		if (read(go[0], &c, 1) != 1)
			_exit(1);
		spin_ns(20 * NSEC_PER_MSEC);
		if (write(done[1], &c, 1) != 1)
			_exit(1);
		pause();
	}
	spin_ns(NSEC_PER_MSEC);
	for (k = 0; k < FEW; k++) {
		fd[k] = open_choice(self->dev, child, k);
		ASSERT_GE(fd[k], 0);
	}
	ASSERT_EQ(1, write(go[1], &c, 1));
	ASSERT_EQ(1, read(done[0], &c, 1));
	for (k = 0; k < FEW; k++) {
		ASSERT_TRUE(choice_values(k, &v));
		EXPECT_GE(v.enabled, 19 * NSEC_PER_MSEC); /* they come in one by one */
		EXPECT_LE(v.enabled - v.running, 200000);
	}
	close_groups(FEW);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static int told_why(int group)
{
	struct pmcgrp_info_member member[COUNTERS_MOST];
	struct pmcgrp_info_cpu cpu[COUNTERS_MOST];
	struct pmcgrp_info info = {
		.size = sizeof(info),
		.members = (uintptr_t)member,
		.cpus = (uintptr_t)cpu,
		.nr_members = COUNTERS_MOST,
		.nr_cpus = COUNTERS_MOST,
		.member_size = sizeof(member[0]),
		.cpu_size = sizeof(cpu[0]),
	};

	return ioctl(group, PMCGRP_IOC_INFO, &info) ? -errno : (int)info.why;
}

/* Groups in the backlog are asked for, while perf has its slices beside another task. */
TEST_F_TIMEOUT(many_groups, info_in_perfs_slices, 300)
{
	uint64_t end = now_ns() + NSEC_PER_SEC / 2;
	int perf[COUNTERS_MOST], ready[2];
	pid_t child;
	char c = 0;
	unsigned int k;

	ASSERT_EQ(0, pipe(ready));
	child = fork();
	ASSERT_GE(child, 0);
	if (!child) {
		if (open_group(self->dev, 0, FEW) < 0 || open_perf_group(0, perf) ||
		    write(ready[1], &c, 1) != 1)
			_exit(1);
		for (;;)
			spin_ns(NSEC_PER_MSEC);
	}
	ASSERT_EQ(1, read(ready[0], &c, 1));
	ASSERT_TRUE(open_groups(self->dev, 0, FEW));
	while (now_ns() < end)
		for (k = 0; k < FEW; k++)
			ASSERT_GE(told_why(fd[k]), 0);
	close_groups(FEW);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* Groups of a task and of a CPU that do not fit are made, switched and closed at random. */
TEST_F_TIMEOUT(many_groups, all_at_random, 300)
{
	const unsigned int rounds = rounds_of(5000, 1000);
	struct group_values v[FEW] = {}, w;
	unsigned int i, k;

	srandom(20261125);
	for (k = 0; k < FEW; k++) {
		fd[k] = open_group(self->dev, k % 2 ? -1 : 0, k);
		ASSERT_GE(fd[k], 0);
	}
	for (i = 0; i < rounds; i++) {
		k = random() % FEW;
		switch (random() % 8) {
		case 0:
			close(fd[k]);
			fd[k] = open_group(self->dev, k % 2 ? -1 : 0, k);
			ASSERT_GE(fd[k], 0);
			memset(&v[k], 0, sizeof(v[k]));
			break;
		case 1:
		case 2:
			ASSERT_EQ(0, ioctl(fd[k], PERF_EVENT_IOC_DISABLE, 0));
			break;
		case 3:
		case 4:
			ASSERT_EQ(0, ioctl(fd[k], PERF_EVENT_IOC_ENABLE, 0));
			break;
		case 5:
			sleep_ns(100000);
			break;
		default:
			spin_ns(200000);
		}
		ASSERT_TRUE(group_values(fd[k], half, &w));
		ASSERT_GE(w.enabled, v[k].enabled);
		ASSERT_GE(w.running, v[k].running);
		ASSERT_GE(w.enabled, w.running);
		ASSERT_GE(w.m[0].value, v[k].m[0].value);
		v[k] = w;
	}
	close_groups(FEW);
}

TEST_HARNESS_MAIN
