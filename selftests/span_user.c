// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spans of functions of programs: those of this one, whose instructions are known, and of a file
 * of code that comes and goes.
 */
#include "pmcgrp_keys.h"
#include "pmcgrp_machine.h"
#include "pmcgrp_span.h"
#include "pmcgrp_testpmu.h"
#include <linux/capability.h>
#include <pthread.h>
#include <setjmp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "kselftest_harness.h"

#define CODE_FILE	"/tmp/span_user.code"
#define CALLS_ENV	"SPAN_USER_CALLS"
#define DEPTH_MAX	64	/* MAX_URETPROBE_DEPTH */

/* Two instructions for each of @n, and two more. */
void user_work(unsigned long n);
extern const unsigned char user_work_end[];

__asm__(".text\n"
	".balign 16\n"
	".globl user_work, user_work_end\n"
#ifdef __aarch64__
	"user_work:	mov x1, x0\n"
	"1:	subs x1, x1, #1\n"
	"	b.ne 1b\n"
	"	ret\n"
#else
	"user_work:	mov %rdi, %rax\n"
	"1:	dec %rax\n"
	"	jnz 1b\n"
	"	ret\n"
#endif
	"user_work_end:\n");

/* Nobody can put a breakpoint in place of one. */
#ifdef __aarch64__
static const uint32_t trap_insn __attribute__((used)) = 0xd42000a0;
#else
static const uint32_t trap_insn __attribute__((used)) = 0xcccccccc;
#endif

static __attribute__((noipa)) long recurse(unsigned int depth)
{
	long below = depth > 1 ? recurse(depth - 1) : 0;

	asm volatile("" : "+r"(below) : : "memory");
	return below + 1;
}

static jmp_buf leap_to;
static long (*volatile leap_on)(unsigned int depth);

static __attribute__((noipa)) long leap(unsigned int depth)
{
	long below;

	if (depth == 1)
		longjmp(leap_to, 1);
	below = leap_on(depth - 1);
	asm volatile("" : "+r"(below) : : "memory");
	return below + 1;
}

static __attribute__((noipa)) long nap(unsigned int ms)
{
	sleep_ns(ms * NSEC_PER_MSEC);
	return 4711;
}

static __attribute__((noipa)) pid_t fork_inside(void)
{
	pid_t pid = fork();

	asm volatile("" : "+r"(pid) : : "memory");
	return pid;
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

/* Where the code or data at an address is in its file; -1: in none. */
static long file_offset(const void *address)
{
	unsigned long start, end, offset, at = (unsigned long)address;
	FILE *file = fopen("/proc/self/maps", "re");
	long found = -1;
	char line[512];

	while (file && found < 0 && fgets(line, sizeof(line), file))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 && start <= at &&
		    at < end)
			found = at - start + offset;
	if (file)
		fclose(file);
	return found;
}

static int user_ask(int group, const char *path, uint64_t offset, const char *name,
		    unsigned int max_active, struct pmcgrp_span_add *add)
{
	*add = (struct pmcgrp_span_add){
		.size = sizeof(*add),
		.kind = PMCGRP_SECTION_USER_FUNCTION,
		.max_active = max_active,
		.begin = (uintptr_t)path,
		.offset = offset,
		.name = (uintptr_t)name,
	};
	return ioctl(group, PMCGRP_IOC_SPAN, add) ? -errno : 0;
}

FIXTURE(span_user)
{
	int dev;
	struct perf_event_attr attr[2];	/* of user mode alone; instructions first */
	bool instructions;
	char path[256];			/* this program */
	struct section section;
};

FIXTURE_SETUP(span_user)
{
	ssize_t n = readlink("/proc/self/exe", self->path, sizeof(self->path) - 1);

	ASSERT_GT(n, 0);
	self->path[n] = '\0';
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	ASSERT_TRUE(stay_on(0));
	self->instructions = have_instructions();
	self->attr[0] = self->instructions ? hw(PERF_COUNT_HW_INSTRUCTIONS) :
					     sw(PERF_COUNT_SW_CPU_CLOCK);
	self->attr[1] = self->instructions ? hw(PERF_COUNT_HW_CPU_CYCLES) :
					     sw(PERF_COUNT_SW_CONTEXT_SWITCHES);
	if (self->instructions) {
		self->attr[0].exclude_kernel = 1;
		self->attr[1].exclude_kernel = 1;
	}
}

FIXTURE_TEARDOWN(span_user)
{
	unlink(CODE_FILE);
	close(self->dev);
}

static const char *const targets[] = { "task", "process", "inherit", "cpu", "all" };

/* The target of a group: this task, its process, it and what it creates, this CPU, or all. */
static int group_like(int dev, unsigned int target, const struct perf_event_attr *attr)
{
	static const uint32_t type[] = { PMCGRP_TARGET_TASK, PMCGRP_TARGET_PROCESS,
					 PMCGRP_TARGET_TASK, PMCGRP_TARGET_CPU,
					 PMCGRP_TARGET_ALL_CPUS };
	struct ask ask = { .nr = 2, .attr = attr, .target_type = type[target] };

	if (target == 2)
		ask.flags = PMCGRP_CREATE_INHERIT;
	return ask_group(dev, &ask);
}

/* A span of a function of this program, called by its name. */
#define SPAN_OF(group, function) ({							\
	struct pmcgrp_span_add add_;							\
	user_ask(group, self->path, file_offset(function), #function, 0, &add_);	\
})

#define FIND(group, function) find_span(self->dev, group, #function, &self->section)

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
			/* The others may be preempted. */
			EXPECT_EQ(times, section->info.count + missed(section)) {
				TH_LOG("a group of %s", targets[t]);
			}
			EXPECT_EQ(section->info.missed[PMCGRP_MISSED_MOVED], missed(section));
			if (!t)
				EXPECT_EQ(times, section->info.count);
			EXPECT_LT(times / 2, section->info.count);
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

/* Calls within calls, as deep as the kernel probes returns; deeper ones are missed. */
TEST_F(span_user, recursion)
{
	static const unsigned int depth[] = { 1, 50, DEPTH_MAX, DEPTH_MAX + 1, 100 };
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
		ASSERT_EQ(0, user_ask(group, self->path, file_offset(recurse), "few", room, &add));
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

/* Calls that longjmp() leaves are in flight until others come to their place. */
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
	EXPECT_EQ(495, section->info.missed[PMCGRP_MISSED_AGAIN]);
	EXPECT_EQ(495, missed(section));
	close(group);
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
	/* the C library's */
	ASSERT_EQ(0, SPAN_OF(group, getppid));
	for (nr = 0; nr < 5; nr++) {
		if (fork())
			continue;
		for (i = 0; i < 100; i++)
			getppid();
		_exit(0);
	}
	for (nr = 0; nr < 5; nr++) {
		ASSERT_LT(0, wait(&status));
		EXPECT_EQ(0, status);
	}
	ASSERT_TRUE(FIND(group, getppid));
	EXPECT_EQ(500, section->info.count + section->info.missed[PMCGRP_MISSED_MOVED]);
	EXPECT_EQ(500, section->info.count + missed(section));
	EXPECT_LT(250, section->info.count);
	close(group);
}

/* Calls that sleep are right for one task; for others they are missed. */
TEST_F(span_user, calls_that_sleep)
{
	struct section *section = &self->section;
	unsigned int t;
	int group, i;

	for (t = 0; t < ARRAY_SIZE(targets); t++) {
		group = group_like(self->dev, t, self->attr);
		ASSERT_GE(group, 0);
		ASSERT_EQ(0, SPAN_OF(group, nap));
		for (i = 0; i < 5; i++)
			EXPECT_EQ(4711, nap(10));
		ASSERT_TRUE(FIND(group, nap));
		EXPECT_EQ(t ? 0 : 5, section->info.count) {
			TH_LOG("a group of %s", targets[t]);
		}
		EXPECT_EQ(t ? 5 : 0, section->info.missed[PMCGRP_MISSED_MOVED]);
		EXPECT_EQ(5, section->info.count + missed(section));
		if (!t && deterministic())
			EXPECT_LE(10 * NSEC_PER_MSEC, section->stat[0].min);
		close(group);
	}
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

/* A process that waits, reports the first bytes of user_work, calls it, and reports again. */
struct other {
	pid_t pid;
	int go, told;
};

static uint32_t first_bytes(void)
{
	return *(const volatile uint32_t *)(uintptr_t)user_work;
}

static bool other_start(struct other *other)
{
	int go[2], told[2];
	uint32_t bytes;
	char c;

	if (pipe(go) || pipe(told))
		return false;
	other->pid = fork();
	if (!other->pid) {
		close(go[1]);
		while (read(go[0], &c, 1) == 1) {
			if (c == 'c')
				user_work(10);
			bytes = first_bytes();
			if (write(told[1], &bytes, 4) != 4)
				_exit(1);
		}
		_exit(0);
	}
	close(go[0]);
	close(told[1]);
	other->go = go[1];
	other->told = told[0];
	return other->pid > 0;
}

static uint32_t other_do(const struct other *other, char what)
{
	uint32_t bytes = 0;

	if (write(other->go, &what, 1) != 1 || read(other->told, &bytes, 4) != 4)
		return 0;
	return bytes;
}

static bool other_end(struct other *other)
{
	int status;

	close(other->go);
	close(other->told);
	return waitpid(other->pid, &status, 0) == other->pid && !status;
}

/* Processes that are not counted have no breakpoint, or none from the first call on. */
TEST_F(span_user, breakpoints_of_others)
{
	static const bool stays[] = { false, false, false, true, true };
	const uint32_t bytes = first_bytes();
	struct other before, after;
	unsigned int t, calls;
	int group;

	for (t = 0; t < ARRAY_SIZE(targets); t++) {
		ASSERT_TRUE(other_start(&before));
		EXPECT_EQ(bytes, other_do(&before, 'l'));
		group = group_like(self->dev, t, self->attr);
		ASSERT_GE(group, 0);
		ASSERT_EQ(0, SPAN_OF(group, user_work));
		EXPECT_NE(bytes, first_bytes());
		/* that of a single task is nowhere else from the beginning */
		EXPECT_EQ(t == 0, other_do(&before, 'l') == bytes) {
			TH_LOG("a group of %s", targets[t]);
		}
		EXPECT_EQ(!stays[t], other_do(&before, 'c') == bytes);
		/* fork() copies it; inherited tasks keep it */
		ASSERT_TRUE(other_start(&after));
		EXPECT_NE(bytes, other_do(&after, 'l'));
		EXPECT_EQ(!stays[t] && t != 2, other_do(&after, 'c') == bytes) {
			TH_LOG("a group of %s", targets[t]);
		}
		user_work(10);
		EXPECT_NE(bytes, first_bytes());
		ASSERT_TRUE(FIND(group, user_work));
		calls = self->section.info.count + missed(&self->section);
		EXPECT_EQ(1 + 2 * stays[t] + (t == 2), calls) {
			TH_LOG("a group of %s", targets[t]);
		}
		/* it has the group and the first one's pipes as well */
		EXPECT_TRUE(other_end(&after));
		close(group);
		EXPECT_EQ(bytes, first_bytes());
		EXPECT_EQ(bytes, other_do(&before, 'l'));
		EXPECT_TRUE(other_end(&before));
	}
}

/* user_work in a file of its own, or NULL. */
static void (*map_code(void))(unsigned long)
{
	int fd = open(CODE_FILE, O_RDONLY | O_CLOEXEC);
	void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	if (fd >= 0)
		close(fd);
	return at == MAP_FAILED ? NULL : (void (*)(unsigned long))(uintptr_t)at;
}

static bool make_code(void)
{
	size_t size = user_work_end - (const unsigned char *)(uintptr_t)user_work;
	int fd = open(CODE_FILE, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	bool made = fd >= 0 && write(fd, (const void *)(uintptr_t)user_work, size) == (ssize_t)size;

	close(fd);
	return made;
}

/* A library is mapped after the span began, again, elsewhere, and after it was removed. */
TEST_F(span_user, a_file_that_comes_and_goes)
{
	void (*code)(unsigned long n), (*more)(unsigned long n);
	struct section *section = &self->section;
	struct pmcgrp_span_add add;
	unsigned int t, i;
	int group;

	for (t = 0; t < ARRAY_SIZE(targets); t++) {
		ASSERT_TRUE(make_code());
		group = group_like(self->dev, t, self->attr);
		ASSERT_GE(group, 0);
		ASSERT_EQ(0, user_ask(group, CODE_FILE, 0, NULL, 0, &add));
		code = map_code();
		more = map_code();
		ASSERT_NE(NULL, code);
		ASSERT_NE(NULL, more);
		for (i = 0; i < 10; i++) {
			code(10);
			more(10);
		}
		munmap((void *)(uintptr_t)code, 4096);
		ASSERT_EQ(0, unlink(CODE_FILE));
		for (i = 0; i < 10; i++)
			more(10);
		ASSERT_TRUE(find_span(self->dev, group, CODE_FILE, section));
		EXPECT_EQ(30, section->info.count + section->info.missed[PMCGRP_MISSED_MOVED]) {
			TH_LOG("a group of %s", targets[t]);
		}
		EXPECT_EQ(30, section->info.count + missed(section));
		EXPECT_LT(10, section->info.count);
		if (t % 2)
			munmap((void *)(uintptr_t)more, 4096);
		close(group);
		if (!(t % 2)) {
			more(10);
			munmap((void *)(uintptr_t)more, 4096);
		}
	}
}

TEST_F(span_user, files_and_offsets_that_are_refused)
{
	static const struct {
		const char *path;
		int err;
	} file[] = {
		{ "/", EISDIR },
		{ "/tmp", EISDIR },
		{ "/dev/null", EINVAL },
		{ "/no/such/file", ENOENT },
		{ "/dev/null/file", ENOTDIR },
		{ "/proc/version", EIO },
	};
	int group = group_like(self->dev, 0, self->attr);
	char name[PMCGRP_SPAN_POINT_MAX + 2];
	struct pmcgrp_span_add add;
	struct stat st;
	unsigned int i;

	ASSERT_GE(group, 0);
	for (i = 0; i < ARRAY_SIZE(file); i++) {
		EXPECT_EQ(-file[i].err, user_ask(group, file[i].path, 0, NULL, 0, &add)) {
			TH_LOG("%s", file[i].path);
		}
		EXPECT_EQ(PMCGRP_WHY_SPAN_FILE, add.why);
		EXPECT_EQ(0, add.id);
	}
	ASSERT_EQ(0, stat(self->path, &st));
	EXPECT_EQ(-EINVAL, user_ask(group, self->path, st.st_size, NULL, 0, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_REFUSED, add.why);
	EXPECT_EQ(-EINVAL, user_ask(group, self->path, -8ULL, NULL, 0, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_REFUSED, add.why);
	/* a breakpoint, in data that is mapped */
	EXPECT_EQ(-EOPNOTSUPP, user_ask(group, self->path, file_offset(&trap_insn), NULL, 0, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_REFUSED, add.why);
#ifdef __aarch64__
	EXPECT_EQ(-EINVAL, user_ask(group, self->path, file_offset(user_work) + 2, NULL, 0, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_REFUSED, add.why);
#endif
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	EXPECT_EQ(-EINVAL, user_ask(group, name, 0, NULL, 0, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_NAME, add.why);
	EXPECT_EQ(-EINVAL, user_ask(group, "", 0, NULL, 0, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_NAME, add.why);
	EXPECT_EQ(-EFAULT, user_ask(group, NULL, 0, NULL, 0, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_NAME, add.why);
	EXPECT_EQ(-EINVAL, user_ask(group, self->path, 0, NULL, PMCGRP_SPAN_ACTIVE_MAX + 1, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_KIND, add.why);
	/* none of them is there */
	EXPECT_FALSE(find_section(self->dev, self->path, &self->section));
	/* the most that can be in flight */
	EXPECT_EQ(0, user_ask(group, self->path, file_offset(user_work), "most",
			      PMCGRP_SPAN_ACTIVE_MAX, &add));
	EXPECT_EQ(PMCGRP_SPAN_ACTIVE_MAX, add.max_active);
	close(group);
}

TEST_F(span_user, bad_arguments)
{
	struct pmcgrp_span_add good = {
		.size = sizeof(good), .kind = PMCGRP_SECTION_USER_FUNCTION,
		.begin = (uintptr_t)self->path, .offset = file_offset(user_work),
	};
	struct pmcgrp_span_add bad[5] = { good, good, good, good, good };
	int group = group_like(self->dev, 0, self->attr);
	unsigned int i;

	ASSERT_GE(group, 0);
	bad[0].end = good.begin;
	bad[1].key = PMCGRP_SPAN_KEY_CPU;
	bad[2].begin_arg = 1;
	bad[3].end_arg = 1;
	bad[4].arg_size = 4;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(-1, ioctl(group, PMCGRP_IOC_SPAN, &bad[i])) {
			TH_LOG("%u", i);
		}
		EXPECT_EQ(EINVAL, errno);
		EXPECT_EQ(PMCGRP_WHY_SPAN_KEY, bad[i].why);
	}
	EXPECT_EQ(0, ioctl(group, PMCGRP_IOC_SPAN, &good));
	close(group);
}

/* CAP_PERFMON alone does not do: a breakpoint changes what programs do. */
TEST_F(span_user, without_the_capability)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	int group = group_like(self->dev, 0, self->attr), status, err;
	struct __user_cap_data_struct caps[2];
	struct pmcgrp_span_add add;
	pid_t pid;

	ASSERT_GE(group, 0);
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		if (syscall(SYS_capget, &head, caps))
			_exit(2);
		caps[0].effective &= ~(1U << CAP_SYS_ADMIN);
		if (syscall(SYS_capset, &head, caps))
			_exit(3);
		err = user_ask(group, self->path, file_offset(user_work), NULL, 0, &add);
		_exit(err != -EACCES || add.why != PMCGRP_WHY_PERMISSION);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	close(group);
}

/* Instructions, the kernel's too, of a thousand calls. */
static uint64_t cost_of_calls(int dev, const struct perf_event_attr *attr)
{
	int group = group_of(dev, 1, attr, 0), i;
	struct group_values v, w;

	if (group < 0)
		return 0;
	for (i = 0; i < 10; i++)
		user_work(10);
	if (!group_values(group, 1, &v))
		return 0;
	for (i = 0; i < 1000; i++)
		user_work(10);
	if (!group_values(group, 1, &w))
		return 0;
	close(group);
	return w.m[0].value - v.m[0].value;
}

/*
 * The cost of a span of a call: of the two traps, which any uprobe and uretprobe have, and of the
 * counting.  A group that is disabled has the traps and a look at each end.
 */
TEST_F_TIMEOUT(span_user, cost, 120)
{
	struct perf_event_attr all = hw(PERF_COUNT_HW_INSTRUCTIONS);
	uint64_t none, traps, counted, others;
	struct other other;
	int group;

	if (!self->instructions || !deterministic())
		SKIP(return, "costs need a hardware PMU and a deterministic guest");
	none = cost_of_calls(self->dev, &all);
	group = group_like(self->dev, 0, self->attr);
	ASSERT_GE(group, 0);
	ASSERT_EQ(0, SPAN_OF(group, user_work));
	counted = cost_of_calls(self->dev, &all);
	ASSERT_EQ(0, ioctl(group, PERF_EVENT_IOC_DISABLE, 0));
	traps = cost_of_calls(self->dev, &all);
	close(group);
	/* a span of another process's */
	ASSERT_TRUE(other_start(&other));
	group = group_of_task(self->dev, other.pid, 2, self->attr, 0);
	ASSERT_GE(group, 0);
	ASSERT_EQ(0, SPAN_OF(group, user_work));
	others = cost_of_calls(self->dev, &all);
	close(group);
	EXPECT_TRUE(other_end(&other));
	TH_LOG("instructions of a call %llu; span disabled %llu, counting %llu, of others %llu",
	       (unsigned long long)none / 1000, (unsigned long long)traps / 1000,
	       (unsigned long long)counted / 1000, (unsigned long long)others / 1000);
	EXPECT_LT(0, none);
	EXPECT_LT(none, traps);
	EXPECT_LT(traps, counted);
	/* what counts is less than the traps */
	EXPECT_LT(counted - traps, traps - none);
	EXPECT_LE(others, none + none / 10);
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
	ASSERT_EQ(0, user_ask(group, self->path, file_offset(user_work), "work", 0, &add));
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
