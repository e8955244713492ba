// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls in which a task sleeps, is preempted or moves: groups of CPUs and of several tasks count
 * them as a group of the task alone does, to the instruction, while others run on the same CPU.
 */
#include "pmcgrp_machine.h"
#include <pthread.h>
#include <sys/syscall.h>
#include "kselftest_harness.h"
#include "pmcgrp_span_user.h"

#define TIMES	20

/**
 * struct others - who runs on CPU 0 as well: a thread of this process, and another process
 * @thread: the thread
 * @pid: the process
 */
struct others {
	pthread_t thread;
	pid_t pid;
};

static volatile bool others_stop;

static void *run_until_stopped(void *unused)
{
	while (!others_stop)
		user_work(1000);
	return unused;
}

static bool others_run(struct others *others)
{
	others_stop = false;
	others->pid = spinner(0);
	return others->pid > 0 && !pthread_create(&others->thread, NULL, run_until_stopped, NULL);
}

static bool others_end(const struct others *others)
{
	others_stop = true;
	return !pthread_join(others->thread, NULL) && end_child(others->pid);
}

/*
 * nanosleep(2) as it is: the same instructions each time.  In a process with threads libc's is a
 * point of cancellation, and changes a word of the thread's before and after.  On an Arm without
 * LSE atomics that is a loop of five instructions, from ldaxr to stxr, which is gone through once
 * more when an interrupt comes between the two.
 */
static void nap(uint64_t ns)
{
	struct timespec t = { .tv_nsec = ns };

	syscall(SYS_nanosleep, &t, NULL);
}

void work_and_nap(unsigned long n, unsigned int us);
ONE_EXIT(work_and_nap);

__attribute__((noipa)) void work_and_nap_inside(unsigned long n, unsigned int us)
{
	user_work(n);
	nap(us * 1000UL);
	user_work(n);
}

void long_work(unsigned long n);
ONE_EXIT(long_work);

__attribute__((noipa)) void long_work_inside(unsigned long n)
{
	user_work(n);
	asm volatile("" : : : "memory");
}

/* Each level has the same work and a nap of its own. */
int naps_within(unsigned int depth);
ONE_EXIT(naps_within);

__attribute__((noipa)) int naps_within_inside(unsigned int depth)
{
	int below;

	work_and_nap(100, 1000);
	below = depth > 1 ? naps_within(depth - 1) : 0;
	asm volatile("" : "+r"(below) : : "memory");
	return below + 1;
}

static uint64_t switches_inside;

void three_naps(void);
ONE_EXIT(three_naps);

__attribute__((noipa)) void three_naps_inside(void)
{
	uint64_t before = switches_so_far();
	int i;

	for (i = 0; i < 3; i++)
		nap(NSEC_PER_MSEC);
	switches_inside += switches_so_far() - before;
}

void yield_often(unsigned int times);
ONE_EXIT(yield_often);

__attribute__((noipa)) void yield_often_inside(unsigned int times)
{
	while (times--)
		sched_yield();
	asm volatile("" : : : "memory");
}

/* On another CPU, and back. */
void go_and_return(void);
ONE_EXIT(go_and_return);

__attribute__((noipa)) void go_and_return_inside(void)
{
	user_work(100);
	if (!stay_on(1))
		abort();
	user_work(100);
	if (!stay_on(0))
		abort();
	user_work(100);
}

void stay_in(void (*leave)(void *value));
ONE_EXIT(stay_in);

__attribute__((noipa)) void stay_in_inside(void (*leave)(void *value))
{
	work_and_nap(100, 1000);
	if (leave)
		leave(NULL);
	asm volatile("" : : : "memory");
}

/* So many calls, each counted whole, the same each time; which is so many instructions. */
static uint64_t each_counts(struct __test_metadata *_metadata, const struct section *section,
			    unsigned int times, const char *target)
{
	EXPECT_EQ(times, section->info.count) {
		TH_LOG("a group of %s", target);
	}
	EXPECT_EQ(0, missed(section));
	EXPECT_EQ(0, section->info.in_flight);
	if (deterministic()) {
		EXPECT_EQ(section->stat[1].min, section->stat[1].max) {
			TH_LOG("a group of %s", target);
		}
		EXPECT_EQ(times * section->stat[1].min, section->stat[1].sum);
	}
	return section->stat[1].min;
}

/* Naps, while others have the CPU. */
TEST_F_TIMEOUT(span_user, calls_that_sleep, 120)
{
	struct section *section = &self->section;
	uint64_t least[2], of_task = 0;
	unsigned int t, i, j;
	struct others others;
	int group;

	if (!self->instructions)
		SKIP(return, "instructions need a hardware PMU that counts them");
	ASSERT_TRUE(others_run(&others));
	for (t = 0; t < ARRAY_SIZE(targets); t++) {
		for (i = 0; i < 2; i++) {
			group = group_like(self->dev, t, self->attr);
			ASSERT_GE(group, 0);
			ASSERT_EQ(0, SPAN_OF(group, work_and_nap));
			for (j = 0; j < TIMES; j++)
				work_and_nap(100 << i, 1000);
			ASSERT_TRUE(FIND(group, work_and_nap));
			close(group);
			least[i] = each_counts(_metadata, section, TIMES, targets[t]);
			EXPECT_LE(NSEC_PER_MSEC, section->stat[0].min);
		}
		if (deterministic()) {
			EXPECT_EQ(400, least[1] - least[0]);
			if (!t)
				of_task = least[0];
			EXPECT_EQ(of_task, least[0]) {
				TH_LOG("a group of %s", targets[t]);
			}
		}
		TH_LOG("of %s: %llu instructions, %llu to %llu ns", targets[t],
		       (unsigned long long)least[0], (unsigned long long)section->stat[0].min,
		       (unsigned long long)section->stat[0].max);
	}
	EXPECT_TRUE(others_end(&others));
}

/* Calls longer than a slice. */
TEST_F_TIMEOUT(span_user, calls_that_are_preempted, 120)
{
	struct section *section = &self->section;
	uint64_t before, switches, of_task = 0, least;
	struct others others;
	unsigned int t, j;
	int group;

	if (!self->instructions)
		SKIP(return, "instructions need a hardware PMU that counts them");
	ASSERT_TRUE(others_run(&others));
	for (t = 0; t < ARRAY_SIZE(targets); t++) {
		group = group_like(self->dev, t, self->attr);
		ASSERT_GE(group, 0);
		ASSERT_EQ(0, SPAN_OF(group, long_work));
		before = switches_so_far();
		for (j = 0; j < TIMES; j++)
			long_work(2000000);
		switches = switches_so_far() - before;
		ASSERT_TRUE(FIND(group, long_work));
		close(group);
		least = each_counts(_metadata, section, TIMES, targets[t]);
		EXPECT_LE(4000000, least);
		if (deterministic()) {
			EXPECT_LE(TIMES, switches);
			if (!t)
				of_task = least;
			EXPECT_EQ(of_task, least);
		}
		TH_LOG("of %s: %llu instructions, %llu switches", targets[t],
		       (unsigned long long)least, (unsigned long long)switches);
	}
	EXPECT_TRUE(others_end(&others));
}

/* Calls that nest, each of which sleeps: an outer one has what the inner ones have. */
TEST_F_TIMEOUT(span_user, calls_within_calls_that_sleep, 120)
{
	struct section *section = &self->section;
	struct others others;
	unsigned int t, j;
	int group;

	if (!self->instructions)
		SKIP(return, "instructions need a hardware PMU that counts them");
	ASSERT_TRUE(others_run(&others));
	for (t = 0; t < ARRAY_SIZE(targets); t++) {
		group = group_like(self->dev, t, self->attr);
		ASSERT_GE(group, 0);
		ASSERT_EQ(0, SPAN_OF(group, naps_within));
		for (j = 0; j < TIMES; j++)
			EXPECT_EQ(5, naps_within(5));
		ASSERT_TRUE(FIND(group, naps_within));
		close(group);
		EXPECT_EQ(5 * TIMES, section->info.count) {
			TH_LOG("a group of %s", targets[t]);
		}
		EXPECT_EQ(0, missed(section));
		/* each level has as much more as the one below it */
		if (deterministic())
			EXPECT_EQ(5 * TIMES * (section->stat[1].min + section->stat[1].max),
				  2 * section->stat[1].sum);
		EXPECT_LE(5 * 400, section->stat[1].max);
	}
	EXPECT_TRUE(others_end(&others));
}

/* The switches of a call are its own, each once, and those of others are not. */
TEST_F_TIMEOUT(span_user, switches_in_calls, 120)
{
	const struct perf_event_attr attr[2] = { sw(PERF_COUNT_SW_CONTEXT_SWITCHES),
						 sw(PERF_COUNT_SW_CPU_CLOCK) };
	struct section *section = &self->section;
	uint64_t before, around;
	struct others others;
	unsigned int t, j;
	int group;

	ASSERT_TRUE(others_run(&others));
	for (t = 0; t < ARRAY_SIZE(targets); t++) {
		group = group_like(self->dev, t, attr);
		ASSERT_GE(group, 0);
		ASSERT_EQ(0, SPAN_OF(group, three_naps));
		switches_inside = 0;
		before = switches_so_far();
		for (j = 0; j < TIMES; j++)
			three_naps();
		around = switches_so_far() - before;
		ASSERT_TRUE(FIND(group, three_naps));
		close(group);
		EXPECT_EQ(TIMES, section->info.count) {
			TH_LOG("a group of %s", targets[t]);
		}
		EXPECT_EQ(0, missed(section));
		/* on a slow machine a nap may be over as it begins */
		if (deterministic())
			EXPECT_LE(3 * TIMES, switches_inside);
		EXPECT_LE(switches_inside, section->stat[1].sum);
		EXPECT_LE(section->stat[1].sum, around) {
			TH_LOG("a group of %s: %llu inside, %llu around", targets[t],
			       (unsigned long long)switches_inside, (unsigned long long)around);
		}
		/* Others had the CPU while it slept: its own time is not the whole. */
		if (deterministic())
			EXPECT_LT(10 * section->stat[2].sum, section->stat[0].sum);
	}
	EXPECT_TRUE(others_end(&others));
}

/* From one CPU to the other and back: right where the group counts both, else missed. */
TEST_F_TIMEOUT(span_user, calls_that_move, 120)
{
	struct section *section = &self->section;
	struct others others;
	unsigned int t, j;
	bool both;
	int group;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "needs two CPUs");
	ASSERT_TRUE(others_run(&others));
	for (t = 0; t < ARRAY_SIZE(targets); t++) {
		both = strcmp(targets[t], "cpu");
		group = group_like(self->dev, t, self->attr);
		ASSERT_GE(group, 0);
		ASSERT_EQ(0, SPAN_OF(group, go_and_return));
		for (j = 0; j < TIMES; j++)
			go_and_return();
		ASSERT_TRUE(FIND(group, go_and_return));
		close(group);
		if (both && self->instructions)
			each_counts(_metadata, section, TIMES, targets[t]);
		EXPECT_EQ(both ? TIMES : 0, section->info.count) {
			TH_LOG("a group of %s", targets[t]);
		}
		EXPECT_EQ(both ? 0 : TIMES, section->info.missed[PMCGRP_MISSED_MOVED]);
		EXPECT_EQ(TIMES, section->info.count + missed(section));
	}
	EXPECT_TRUE(others_end(&others));
}

static void *stay_and_end(void *leave)
{
	stay_in(leave);
	return NULL;
}

/* Many sleep in a call at once; and few have room. */
TEST_F_TIMEOUT(span_user, many_that_sleep, 120)
{
	static const unsigned int room[] = { 0, 1 };
	struct section *section = &self->section;
	pthread_t thread[100];
	struct pmcgrp_span_add add;
	unsigned int t, r, i;
	int group;

	for (t = 1; t < ARRAY_SIZE(targets); t++) {
		for (r = 0; r < ARRAY_SIZE(room); r++) {
			group = group_like(self->dev, t, self->attr);
			ASSERT_GE(group, 0);
			ASSERT_EQ(0, user_ask(group, self->path, file_offset(stay_in),
					      LENGTH(stay_in), "stay_in", room[r], &add));
			for (i = 0; i < ARRAY_SIZE(thread); i++)
				ASSERT_EQ(0, pthread_create(&thread[i], NULL, stay_and_end, NULL));
			for (i = 0; i < ARRAY_SIZE(thread); i++)
				ASSERT_EQ(0, pthread_join(thread[i], NULL));
			ASSERT_TRUE(FIND(group, stay_in));
			close(group);
			if (self->instructions && !room[r])
				each_counts(_metadata, section, ARRAY_SIZE(thread), targets[t]);
			EXPECT_EQ(ARRAY_SIZE(thread), section->info.count + missed(section)) {
				TH_LOG("a group of %s, room for %u", targets[t], add.max_active);
			}
			EXPECT_EQ(0, section->info.in_flight);
			if (self->instructions && deterministic())
				EXPECT_EQ(section->stat[1].min, section->stat[1].max);
		}
	}
}

/* Threads that end in a call have it in flight, and are of no harm to those that come then. */
TEST_F_TIMEOUT(span_user, threads_that_end_in_a_call, 120)
{
	struct section *section = &self->section;
	pthread_t thread;
	unsigned int t, j;
	int group;

	for (t = 1; t < ARRAY_SIZE(targets); t++) {
		group = group_like(self->dev, t, self->attr);
		ASSERT_GE(group, 0);
		ASSERT_EQ(0, SPAN_OF(group, stay_in));
		for (j = 0; j < 2 * TIMES; j++) {
			ASSERT_EQ(0, pthread_create(&thread, NULL, stay_and_end,
						    j % 2 ? pthread_exit : NULL));
			ASSERT_EQ(0, pthread_join(thread, NULL));
		}
		ASSERT_TRUE(FIND(group, stay_in));
		close(group);
		EXPECT_EQ(TIMES, section->info.count) {
			TH_LOG("a group of %s", targets[t]);
		}
		EXPECT_EQ(TIMES, section->info.in_flight + missed(section));
		if (self->instructions && deterministic())
			EXPECT_EQ(section->stat[1].min, section->stat[1].max);
	}
}

static void *nap_long(void *unused)
{
	if (!stay_on(0))
		abort();
	work_and_nap(100, 300000);
	return unused;
}

/* The group is disabled and enabled while a call sleeps, or another one is. */
TEST_F_TIMEOUT(span_user, a_stop_while_a_call_sleeps, 120)
{
	struct section *section = &self->section;
	pthread_t thread;
	unsigned int t;
	int group;

	for (t = 1; t < ARRAY_SIZE(targets); t++) {
		/* what is there already is not created by this task */
		if (!strcmp(targets[t], "inherit"))
			continue;
		group = group_like(self->dev, t, self->attr);
		ASSERT_GE(group, 0);
		ASSERT_EQ(0, SPAN_OF(group, work_and_nap));
		ASSERT_EQ(0, pthread_create(&thread, NULL, nap_long, NULL));
		sleep_ns(100 * NSEC_PER_MSEC);
		ASSERT_TRUE(FIND(group, work_and_nap));
		EXPECT_EQ(1, section->info.in_flight) {
			TH_LOG("a group of %s", targets[t]);
		}
		ASSERT_EQ(0, ioctl(group, PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_EQ(0, ioctl(group, PERF_EVENT_IOC_ENABLE, 0));
		ASSERT_EQ(0, pthread_join(thread, NULL));
		ASSERT_TRUE(FIND(group, work_and_nap));
		EXPECT_EQ(0, section->info.count) {
			TH_LOG("a group of %s", targets[t]);
		}
		EXPECT_EQ(1, section->info.missed[PMCGRP_MISSED_OFF]);
		close(group);
	}
}

/* Groups that take turns: a call is counted if its group had the counters whenever it ran. */
TEST_F_TIMEOUT(span_user, calls_beside_a_rival, 300)
{
	unsigned int nr = more_than_half(), times = 20 * TIMES, i;
	struct ask ask = { .target_type = PMCGRP_TARGET_ALL_CPUS, .nr = nr };
	struct perf_event_attr attr[PMCGRP_SECTION_MEMBERS_MAX];
	struct section *section = &self->section;
	int group[2];

	if (!self->instructions || nr < 2 || nr > PMCGRP_SECTION_MEMBERS_MAX || nr >= counters())
		SKIP(return, "needs a PMU that two groups fill");
	ask.attr = attr;
	for (i = 0; i < 2 * nr; i++) {
		attr[i % nr] = instructions_copy(i);
		attr[i % nr].exclude_kernel = 1;
		if (i % nr == nr - 1)
			group[i / nr] = ask_group(self->dev, &ask);
	}
	ASSERT_GE(group[0], 0);
	ASSERT_GE(group[1], 0);
	ASSERT_EQ(0, SPAN_OF(group[0], work_and_nap));
	for (i = 0; i < times; i++)
		work_and_nap(100, 1000);
	ASSERT_TRUE(FIND(group[0], work_and_nap));
	EXPECT_EQ(times, section->info.count + section->info.missed[PMCGRP_MISSED_OFF]);
	EXPECT_EQ(times, section->info.count + missed(section));
	if (deterministic()) {
		EXPECT_LT(0, section->info.count);
		EXPECT_LT(0, missed(section));
		for (i = 1; i <= nr; i++)
			EXPECT_EQ(section->stat[i].min, section->stat[i].max);
	}
	TH_LOG("%llu counted, %llu missed: %llu to %llu instructions",
	       (unsigned long long)section->info.count, (unsigned long long)missed(section),
	       (unsigned long long)section->stat[1].min, (unsigned long long)section->stat[1].max);
	for (i = 0; i < 2; i++)
		close(group[i]);
}

static void *yield_until_stopped(void *unused)
{
	while (!others_stop)
		sched_yield();
	return unused;
}

/* What CPU 0 executes while a task yields to another thread so often, and that to it. */
static uint64_t yields_once(unsigned int times)
{
	struct perf_event_attr attr = hw(PERF_COUNT_HW_INSTRUCTIONS);
	int fd = perf_open(&attr, -1, 0, -1);
	uint64_t before = 0, after = 0;

	if (fd < 0 || read(fd, &before, sizeof(before)) != sizeof(before))
		return 0;
	yield_often(times);
	if (read(fd, &after, sizeof(after)) != sizeof(after))
		after = before;
	close(fd);
	return after - before;
}

/* The least of some: now and then something else runs. */
static uint64_t cost_of_yields(unsigned int times)
{
	uint64_t least = UINT64_MAX, cost;
	int i;

	for (i = 0; i < 5; i++) {
		cost = yields_once(times);
		least = cost < least ? cost : least;
	}
	return least;
}

/*
 * What it costs that a task which is in a call is switched from and to again: two readings of the
 * counters, each in a fast path of its own.
 */
TEST_F_TIMEOUT(span_user, cost_of_a_switch, 120)
{
	const unsigned int times = 1000;
	struct ask ask = { .target_type = PMCGRP_TARGET_ALL_CPUS, .nr = 2, .attr = self->attr };
	struct section *section = &self->section;
	uint64_t without, outside, inside;
	pthread_t thread;
	int group;

	if (!self->instructions || !deterministic())
		SKIP(return, "costs need a hardware PMU and a deterministic guest");
	others_stop = false;
	ASSERT_EQ(0, pthread_create(&thread, NULL, yield_until_stopped, NULL));
	group = ask_group(self->dev, &ask);
	ASSERT_GE(group, 0);
	without = cost_of_yields(times);
	ASSERT_EQ(0, SPAN_OF(group, work_and_nap));
	outside = cost_of_yields(times);
	ASSERT_EQ(0, SPAN_OF(group, yield_often));
	inside = cost_of_yields(times);
	ASSERT_TRUE(FIND(group, yield_often));
	EXPECT_EQ(5, section->info.count);
	others_stop = true;
	ASSERT_EQ(0, pthread_join(thread, NULL));
	close(group);
	ASSERT_LT(0, without);
	ASSERT_LT(outside, inside);
	TH_LOG("there and back: %llu instructions; %lld more with a span, %lld more in a call",
	       (unsigned long long)without / times,
	       (long long)(outside - without) / (int)times,
	       (long long)(inside - without) / (int)times);
	/* the whole costs less than the switches themselves */
	EXPECT_LT(inside - without, without);
}

TEST_HARNESS_MAIN
