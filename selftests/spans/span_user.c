// SPDX-License-Identifier: GPL-2.0-only
/* Spans of functions of programs: those of this one, whose instructions are known. */
#include "pmcgrp_keys.h"
#include "pmcgrp_machine.h"
#include <pthread.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include "kselftest_harness.h"
#include "pmcgrp_span_user.h"
#include "pmcgrp_unwind.h"

#define CALLS_ENV	"SPAN_USER_CALLS"
#define DEPTH_MAX	128	/* so many calls of one task have room */

long recurse(unsigned int depth);
ONE_EXIT(recurse);

__attribute__((noipa)) long recurse_inside(unsigned int depth)
{
	long below = depth > 1 ? recurse(depth - 1) : 0;

	asm volatile("" : "+r"(below) : : "memory");
	return below + 1;
}

static jmp_buf leap_to;
static long (*volatile leap_on)(unsigned int depth);

long leap(unsigned int depth);
ONE_EXIT(leap);

__attribute__((noipa)) long leap_inside(unsigned int depth)
{
	long below;

	if (!depth)
		return 0;
	if (depth == 1)
		longjmp(leap_to, 1);
	below = leap_on(depth - 1);
	asm volatile("" : "+r"(below) : : "memory");
	return below + 1;
}

long nap(unsigned int ms);
ONE_EXIT(nap);

__attribute__((noipa)) long nap_inside(unsigned int ms)
{
	sleep_ns(ms * NSEC_PER_MSEC);
	return 4711;
}

pid_t fork_inside(void);
ONE_EXIT(fork_inside);

__attribute__((noipa)) pid_t fork_inside_inside(void)
{
	pid_t pid = fork();

	asm volatile("" : "+r"(pid) : : "memory");
	return pid;
}

pid_t parent(void);
ONE_EXIT(parent);

__attribute__((noipa)) pid_t parent_inside(void)
{
	return getppid();
}

/* As a program that was executed by a test. */
static __attribute__((constructor)) void execute(void)
{
	const char *calls = getenv(CALLS_ENV);
	int i;

	if (!calls)
		return;
	for (i = 0; i < atoi(calls); i++)
		user_work(10);
	_exit(0);
}

/* Each call counts the same, and each instruction of it; others' calls are of no concern. */
TEST_F_TIMEOUT(span_user, counts_are_exact, 300)
{
	unsigned int times = deterministic() ? 10000 : 200, i, j, t;
	struct section *section = &self->section;
	uint64_t least[2];
	int group;

	if (!self->instructions)
		SKIP(return, "instructions need a hardware PMU that counts them");
	for (t = 0; t < ARRAY_SIZE(targets); t++) {
		for (i = 0; i < 2; i++) {
			group = group_like(self->dev, t, self->attr);
			ASSERT_GE(group, 0);
			ASSERT_EQ(0, SPAN_OF(group, user_work));
			for (j = 0; j < times; j++)
				user_work(100 << i);
			ASSERT_TRUE(FIND(group, user_work));
			close(group);
			EXPECT_EQ(times, section->info.count) {
				TH_LOG("a group of %s", targets[t]);
			}
			EXPECT_EQ(0, missed(section));
			EXPECT_EQ(0, section->info.in_flight);
			EXPECT_EQ(PMCGRP_SECTION_USER_FUNCTION, section->info.kind);
			if (deterministic())
				EXPECT_EQ(section->stat[1].min, section->stat[1].max);
			least[i] = section->stat[1].min;
		}
		EXPECT_EQ(200, least[1] - least[0]);
		TH_LOG("of %s: %u calls, %llu counted; %llu instructions, 100 iterations more %llu",
		       targets[t], times, (unsigned long long)section->info.count,
		       (unsigned long long)least[0], (unsigned long long)(least[1] - least[0]));
	}
}

/* Calls within calls, as deep as there is room; then the outer ones are missed. */
TEST_F(span_user, recursion)
{
	static const unsigned int depth[] = { 1, 50, DEPTH_MAX, DEPTH_MAX + 1, 200 };
	struct section *section = &self->section;
	unsigned int i, in_reach;
	int group;

	for (i = 0; i < ARRAY_SIZE(depth); i++) {
		group = group_like(self->dev, 0, self->attr);
		ASSERT_GE(group, 0);
		ASSERT_EQ(0, SPAN_OF(group, recurse));
		EXPECT_EQ(depth[i], recurse(depth[i]));
		EXPECT_EQ(depth[i], recurse(depth[i]));
		ASSERT_TRUE(FIND(group, recurse));
		close(group);
		in_reach = depth[i] < DEPTH_MAX ? depth[i] : DEPTH_MAX;
		EXPECT_EQ(2 * in_reach, section->info.count) {
			TH_LOG("%u deep", depth[i]);
		}
		EXPECT_EQ(2 * (depth[i] - in_reach), section->info.missed[PMCGRP_MISSED_LIMIT]);
		EXPECT_EQ(2 * (depth[i] - in_reach), missed(section));
		EXPECT_EQ(0, section->info.in_flight);
	}
}

/* As many as asked for have room, also where that is few. */
TEST_F(span_user, the_room)
{
	struct section *section = &self->section;
	struct pmcgrp_span_add add;
	unsigned int room;
	int group;

	for (room = 1; room <= 8; room++) {
		group = group_like(self->dev, 0, self->attr);
		ASSERT_GE(group, 0);
		ASSERT_EQ(0, user_ask(group, self->path, file_offset(recurse), LENGTH(recurse),
				      "few", room, &add));
		EXPECT_LE(room, add.max_active);
		EXPECT_EQ(60, recurse(60));
		ASSERT_TRUE(find_span(self->dev, group, "few", section));
		EXPECT_LE(room, section->info.count);
		EXPECT_EQ(section->info.missed[PMCGRP_MISSED_LIMIT], missed(section));
		EXPECT_EQ(60, section->info.count + missed(section)) {
			TH_LOG("room for %u: %llu counted", add.max_active,
			       (unsigned long long)section->info.count);
		}
		EXPECT_EQ(0, section->info.in_flight);
		close(group);
	}
}

/* Calls that longjmp() leaves are in flight until another one is at their place, or above. */
TEST_F(span_user, longjmp_out_of_calls)
{
	struct section *section = &self->section;
	int group = group_like(self->dev, 0, self->attr);
	volatile int i;

	ASSERT_GE(group, 0);
	ASSERT_EQ(0, SPAN_OF(group, leap));
	leap_on = leap;
	for (i = 0; i < 100; i++)
		if (!setjmp(leap_to))
			leap(5);
	ASSERT_TRUE(FIND(group, leap));
	EXPECT_EQ(0, section->info.count);
	EXPECT_EQ(5, section->info.in_flight);
	EXPECT_EQ(495, section->info.missed[PMCGRP_MISSED_GONE]);
	EXPECT_EQ(495, missed(section));
	EXPECT_EQ(0, leap(0));
	ASSERT_TRUE(FIND(group, leap));
	EXPECT_EQ(1, section->info.count);
	EXPECT_EQ(0, section->info.in_flight);
	EXPECT_EQ(500, section->info.missed[PMCGRP_MISSED_GONE]);
	EXPECT_EQ(500, missed(section));
	close(group);
}

extern const char __executable_start[], etext[];

/* The return address of the function that has called the caller of this, by frames. */
static __attribute__((noipa)) bool return_is_own(const uintptr_t *frame)
{
#ifdef __aarch64__
	/* the frame of the one between has its return address */
	uintptr_t to = ((const uintptr_t *)frame[0])[1];
#else
	/* behind the return address into the one between, and the room that it has taken */
	uintptr_t to = frame[3];
#endif

	return to >= (uintptr_t)__executable_start && to < (uintptr_t)etext;
}

bool looks_back(void);
ONE_EXIT(looks_back);

__attribute__((noipa)) bool looks_back_inside(void)
{
	return return_is_own(__builtin_frame_address(0));
}

/*
 * Runtimes that walk stacks, and exceptions, go by return addresses: a program dies of one that it
 * does not know, as a uretprobe makes it.
 */
TEST_F(span_user, return_addresses_stay)
{
	struct section *section = &self->section;
	unsigned int t, i;
	int group;

	EXPECT_TRUE(looks_back());
	for (t = 0; t < ARRAY_SIZE(targets); t++) {
		group = group_like(self->dev, t, self->attr);
		ASSERT_GE(group, 0);
		ASSERT_EQ(0, SPAN_OF(group, looks_back));
		for (i = 0; i < 100; i++)
			ASSERT_TRUE(looks_back()) {
				TH_LOG("a group of %s", targets[t]);
			}
		ASSERT_TRUE(FIND(group, looks_back));
		EXPECT_EQ(100, section->info.count);
		EXPECT_EQ(0, missed(section));
		EXPECT_EQ(0, section->info.in_flight);
		close(group);
	}
}

/* Exceptions find their way through the function, as they do without a span. */
TEST_F(span_user, exceptions)
{
	struct section *section = &self->section;
	volatile unsigned int t, i;
	volatile int group;
	int how;

	caught_at = (uintptr_t)__builtin_frame_address(0);
	for (t = 0; t < ARRAY_SIZE(targets); t++) {
		group = group_like(self->dev, t, self->attr);
		ASSERT_GE(group, 0);
		ASSERT_EQ(0, SPAN_OF(group, thrown_through));
		for (i = 0; i < 300; i++) {
			how = setjmp(caught);
			if (!how)
				thrown_through(i % 3 == 0);
			else
				ASSERT_EQ(1, how);
		}
		ASSERT_TRUE(FIND(group, thrown_through));
		EXPECT_EQ(200, section->info.count) {
			TH_LOG("a group of %s", targets[t]);
		}
		EXPECT_EQ(100, section->info.missed[PMCGRP_MISSED_GONE]);
		EXPECT_EQ(100, missed(section));
		EXPECT_EQ(0, section->info.in_flight);
		close(group);
	}
}

static ucontext_t on_main, on_other;

long visit(bool leaves);
ONE_EXIT(visit);

__attribute__((noipa)) long visit_inside(bool leaves)
{
	if (leaves)
		swapcontext(&on_other, &on_main);
	return 1;
}

static void run_coroutine(void)
{
	int i;

	for (i = 0; i < 100; i++)
		visit(true);
}

/* A call on another stack that its thread leaves for a while: it counts whole, or is missed. */
TEST_F(span_user, stacks_of_one_thread)
{
	static char room[2][65536] __attribute__((aligned(64)));
	struct section *section = &self->section;
	unsigned int calls, i;
	int group;

	for (calls = 0; calls < 2; calls++) {
		group = group_like(self->dev, 0, self->attr);
		ASSERT_GE(group, 0);
		ASSERT_EQ(0, SPAN_OF(group, visit));
		ASSERT_EQ(0, getcontext(&on_other));
		on_other.uc_stack.ss_sp = room[calls];
		on_other.uc_stack.ss_size = sizeof(room[calls]);
		on_other.uc_link = &on_main;
		makecontext(&on_other, run_coroutine, 0);
		for (i = 0; i < 101; i++) {
			swapcontext(&on_main, &on_other);
			/* further up, with the other call in flight */
			if (calls)
				visit(false);
		}
		ASSERT_TRUE(FIND(group, visit));
		EXPECT_EQ(calls ? 101 : 100, section->info.count);
		EXPECT_EQ(calls ? 100 : 0, section->info.missed[PMCGRP_MISSED_GONE]);
		EXPECT_EQ(section->info.missed[PMCGRP_MISSED_GONE], missed(section));
		EXPECT_EQ(0, section->info.in_flight);
		close(group);
	}
}

static void *call_often(void *times)
{
	uintptr_t i;

	for (i = 0; i < (uintptr_t)times; i++)
		user_work(20);
	return NULL;
}

/* Each call of each thread is counted whole, or missed, for threads before and after the span. */
TEST_F_TIMEOUT(span_user, threads, 120)
{
	struct section *section = &self->section;
	pthread_t thread[8];
	cpu_set_t all;
	unsigned int i;
	int group;

	memset(&all, 0xff, sizeof(all));
	sched_setaffinity(0, sizeof(all), &all);
	group = group_like(self->dev, 1, self->attr);
	ASSERT_GE(group, 0);
	ASSERT_EQ(0, SPAN_OF(group, user_work));
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, call_often, (void *)500));
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		ASSERT_EQ(0, pthread_join(thread[i], NULL));
	ASSERT_TRUE(FIND(group, user_work));
	EXPECT_EQ(4000, section->info.count + section->info.missed[PMCGRP_MISSED_MOVED]);
	EXPECT_EQ(4000, section->info.count + missed(section));
	EXPECT_LT(2000, section->info.count);
	EXPECT_EQ(0, section->info.in_flight);
	if (deterministic())
		EXPECT_EQ(section->stat[1].min, section->stat[1].max);
	close(group);
}

/* Calls of a child before and after its fork(), and of the program that it executes. */
TEST_F_TIMEOUT(span_user, what_is_created, 60)
{
	struct section *section = &self->section;
	int group, go[2], status, i;
	unsigned int inherit;
	pid_t pid, child;
	char c;

	for (inherit = 0; inherit < 2; inherit++) {
		ASSERT_EQ(0, pipe(go));
		pid = fork();
		ASSERT_GE(pid, 0);
		if (!pid) {
			if (read(go[0], &c, 1) != 1)
				_exit(1);
			for (i = 0; i < 10; i++)
				user_work(10);
			child = fork();
			for (i = 0; !child && i < 20; i++)
				user_work(10);
			if (child && waitpid(child, &status, 0) != child)
				_exit(2);
			setenv(CALLS_ENV, child ? "40" : "80", 1);
			execl(self->path, "again", NULL);
			_exit(3);
		}
		group = group_of_task(self->dev, pid, 2, self->attr,
				      inherit ? PMCGRP_CREATE_INHERIT : 0);
		ASSERT_GE(group, 0);
		ASSERT_EQ(0, SPAN_OF(group, user_work));
		ASSERT_EQ(1, write(go[1], "x", 1));
		/* no concern of theirs */
		for (i = 0; i < 1000; i++)
			user_work(10);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(0, status);
		ASSERT_TRUE(FIND(group, user_work));
		EXPECT_EQ(inherit ? 150 : 50, section->info.count + missed(section));
		EXPECT_EQ(section->info.missed[PMCGRP_MISSED_MOVED], missed(section));
		EXPECT_EQ(0, section->info.in_flight);
		close(group);
		close(go[0]);
		close(go[1]);
	}
}

/* A child returns from the call in which it was created: that is its parent's alone. */
TEST_F(span_user, fork_in_a_call)
{
	struct section *section = &self->section;
	unsigned int t;
	int group, status;
	pid_t pid;

	for (t = 0; t < ARRAY_SIZE(targets); t++) {
		group = group_like(self->dev, t, self->attr);
		ASSERT_GE(group, 0);
		ASSERT_EQ(0, SPAN_OF(group, fork_inside));
		pid = fork_inside();
		ASSERT_GE(pid, 0);
		if (!pid)
			_exit(0);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(0, status);
		ASSERT_TRUE(FIND(group, fork_inside));
		EXPECT_EQ(1, section->info.count + missed(section)) {
			TH_LOG("a group of %s", targets[t]);
		}
		EXPECT_EQ(0, section->info.in_flight);
		close(group);
	}
}

/* Several processes, by groups of all CPUs and of one. */
TEST_F_TIMEOUT(span_user, processes, 60)
{
	struct section *section = &self->section;
	int group, status, i;
	unsigned int nr;

	group = group_like(self->dev, 4, self->attr);
	ASSERT_GE(group, 0);
	ASSERT_EQ(0, SPAN_OF(group, parent));
	for (nr = 0; nr < 5; nr++) {
		if (fork())
			continue;
		for (i = 0; i < 100; i++)
			parent();
		_exit(0);
	}
	for (nr = 0; nr < 5; nr++) {
		ASSERT_LT(0, wait(&status));
		EXPECT_EQ(0, status);
	}
	ASSERT_TRUE(FIND(group, parent));
	EXPECT_EQ(500, section->info.count + section->info.missed[PMCGRP_MISSED_MOVED]);
	EXPECT_EQ(500, section->info.count + missed(section));
	EXPECT_LT(250, section->info.count);
	close(group);
}

static void *nap_once(void *ms)
{
	return (void *)nap((uintptr_t)ms);
}

/* The group goes while others are in the function: they return to where they came from. */
TEST_F(span_user, the_end_of_a_group_during_calls)
{
	pthread_t thread[4];
	unsigned int t, i;
	void *ret;
	int group;

	for (t = 0; t < ARRAY_SIZE(targets); t++) {
		group = group_like(self->dev, t, self->attr);
		ASSERT_GE(group, 0);
		ASSERT_EQ(0, SPAN_OF(group, nap));
		for (i = 0; i < ARRAY_SIZE(thread); i++)
			ASSERT_EQ(0, pthread_create(&thread[i], NULL, nap_once, (void *)300));
		sleep_ns(100 * NSEC_PER_MSEC);
		ASSERT_TRUE(FIND(group, nap));
		EXPECT_EQ(t ? ARRAY_SIZE(thread) : 0, self->section.info.in_flight) {
			TH_LOG("a group of %s", targets[t]);
		}
		close(group);
		for (i = 0; i < ARRAY_SIZE(thread); i++) {
			ASSERT_EQ(0, pthread_join(thread[i], &ret));
			EXPECT_EQ(4711, (long)ret);
		}
		EXPECT_FALSE(find_section(self->dev, "nap", &self->section));
	}
}

static volatile bool calls_end;

static void *call_on(void *unused)
{
	while (!calls_end)
		user_work(5);
	return unused;
}

/* Groups come and go while threads call all the time. */
TEST_F_TIMEOUT(span_user, groups_come_and_go_during_calls, 120)
{
	pthread_t thread[2];
	unsigned int i, t;
	cpu_set_t all;
	int group;

	memset(&all, 0xff, sizeof(all));
	sched_setaffinity(0, sizeof(all), &all);
	calls_end = false;
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, call_on, NULL));
	for (i = 0; i < 4; i++) {
		for (t = 0; t < ARRAY_SIZE(targets); t++) {
			group = group_like(self->dev, t, self->attr);
			ASSERT_GE(group, 0);
			ASSERT_EQ(0, SPAN_OF(group, user_work));
			sleep_ns(10 * NSEC_PER_MSEC);
			ASSERT_TRUE(FIND(group, user_work));
			/*
			 * The threads are not what the task with its heirs has created since; of
			 * several CPUs one may have had none of them.
			 */
			if (strcmp(targets[t], "cpu") || sysconf(_SC_NPROCESSORS_ONLN) == 1)
				EXPECT_EQ(t == 0 || t == 2, !self->section.info.count) {
					TH_LOG("a group of %s", targets[t]);
				}
			close(group);
		}
	}
	calls_end = true;
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		EXPECT_EQ(0, pthread_join(thread[i], NULL));
}

/* While it is disabled no call is counted or missed; in which it is disabled, one is. */
TEST_F(span_user, a_disabled_group)
{
	struct section *section = &self->section;
	unsigned int t;
	int group;

	for (t = 0; t < ARRAY_SIZE(targets); t++) {
		group = group_like(self->dev, t, self->attr);
		ASSERT_GE(group, 0);
		ASSERT_EQ(0, SPAN_OF(group, nap));
		ASSERT_EQ(0, ioctl(group, PERF_EVENT_IOC_DISABLE, 0));
		EXPECT_EQ(4711, nap(1));
		ASSERT_TRUE(FIND(group, nap));
		EXPECT_EQ(0, section->info.count + missed(section) + section->info.in_flight);
		ASSERT_EQ(0, ioctl(group, PERF_EVENT_IOC_ENABLE, 0));
		EXPECT_EQ(4711, nap(1));
		ASSERT_TRUE(FIND(group, nap));
		EXPECT_EQ(1, section->info.count + missed(section)) {
			TH_LOG("a group of %s", targets[t]);
		}
		close(group);
	}
}

/* A task that comes to the cgroup with the breakpoint hit before, and removed if that was wrong. */
TEST_F(span_user, of_a_cgroup)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_CGROUP, .nr = 2, .attr = self->attr };
	struct pmcgrp_span_add add;
	int group, go[2][2], status, i;
	char path[128], c = 'x';
	pid_t pid;

	if (!cgroups_mount())
		SKIP(return, "there are no cgroups of version 2");
	ASSERT_NE(0, cgroup_make("span_user"));
	cgroup_path(path, sizeof(path), "span_user", "");
	ask.target_id = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	group = ask_group(self->dev, &ask);
	ASSERT_GE(group, 0);
	close((int)ask.target_id);
	ASSERT_EQ(0, pipe(go[0]));
	ASSERT_EQ(0, pipe(go[1]));
	ASSERT_EQ(0, user_ask(group, self->path, file_offset(user_work), LENGTH(user_work),
			      "work", 0, &add));
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		user_work(10);
		if (write(go[1][1], &c, 1) != 1 || read(go[0][0], &c, 1) != 1)
			_exit(1);
		for (i = 0; i < 50; i++)
			user_work(10);
		_exit(0);
	}
	ASSERT_EQ(1, read(go[1][0], &c, 1));
	ASSERT_TRUE(wait_until_asleep(pid));
	ASSERT_TRUE(cgroup_move("span_user", pid));
	user_work(10);
	ASSERT_EQ(1, write(go[0][1], &c, 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	ASSERT_TRUE(find_span(self->dev, group, "work", &self->section));
	EXPECT_EQ(50, self->section.info.count + missed(&self->section));
	EXPECT_LE(40, self->section.info.count);
	EXPECT_EQ(0, self->section.info.missed[PMCGRP_MISSED_OFF]);
	close(group);
	EXPECT_TRUE(cgroup_remove("span_user"));
	for (i = 0; i < 4; i++)
		close(go[i / 2][i % 2]);
}

TEST_HARNESS_MAIN
