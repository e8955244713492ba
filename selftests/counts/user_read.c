// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading from user space: a task reads its group without a system call and gets what read()
 * returns, whatever happens to the group meanwhile. Other tasks cannot. Where it is not possible,
 * the reason is reported.
 */
#include "pmcgrp_apart.h"
#include "pmcgrp_user_page.h"
#include "kselftest_harness.h"
#include <setjmp.h>

#define NR	4
#define CLOCKS_APART_NS	1100

#ifdef __x86_64__

#define INSTRUCTIONS	0xc0
#define FIXED_COUNTER	(1U << 30)
#define COPY_SHIFT	40
#define AT_ONCE		10	/* after each switch a read() publishes the page again */

/* Intel's and AMD's number is not the same. */
static unsigned int raw_cycles(void)
{
	uint32_t eax = 0, ebx, ecx = 0, edx;

	asm volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
	return ebx == 0x68747541 ? 0x76 : 0x3c;	/* Auth */
}

#else

#define INSTRUCTIONS	ARM_INST_RETIRED
#define FIXED_COUNTER	31
#define COPY_SHIFT	32
#define AT_ONCE		1

static unsigned int raw_cycles(void)
{
	return ARM_CPU_CYCLES;
}

#endif

/* The k-th copy of the same event, by bits of config that drivers ignore. */
static struct perf_event_attr raw_event(uint64_t config, uint64_t k)
{
	return event(PERF_TYPE_RAW, config | k << COPY_SHIFT);
}

/* Half of them instructions, where the PMU counts these. */
static void members_of(struct perf_event_attr *attr, unsigned int nr, unsigned int set)
{
	unsigned int i, cycles = raw_cycles(), other = have_instructions() ? INSTRUCTIONS : cycles;

	for (i = 0; i < nr; i++)
		attr[i] = raw_event(i % 2 ? other : cycles, set * NR + i);
}

/* ---- What is refused, and what cannot be ---- */

/* Before 6.2 a task's events of another PMU are in another context (arm64). */
static bool kernel_can(void)
{
#ifdef __x86_64__
	return true;
#else
	return kernel_is(6, 2);
#endif
}

FIXTURE(refusal)
{
	int dev;
	struct perf_event_attr attr[MIXED];
};

FIXTURE_SETUP(refusal)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	mixed_members(self->attr);
}

FIXTURE_TEARDOWN(refusal)
{
	close(self->dev);
}

TEST_F(refusal, of_others_than_the_caller)
{
	pid_t child = spinner(-1);
	struct ask asks[] = {
		{ .target_id = child },
		{ .target_id = 1 },
		{ .flags = PMCGRP_CREATE_INHERIT },
		{ .flags = PMCGRP_CREATE_LEADER },
		{ .target_type = PMCGRP_TARGET_PROCESS },
		{ .target_type = PMCGRP_TARGET_CPU },
		{ .target_type = PMCGRP_TARGET_ALL_CPUS },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(asks); i++) {
		asks[i].flags |= PMCGRP_CREATE_USER_READ;
		asks[i].nr = 1;
		asks[i].attr = self->attr;
		EXPECT_EQ(-EINVAL, ask_group(self->dev, &asks[i])) TH_LOG("row %u", i);
		EXPECT_EQ(PMCGRP_WHY_FLAGS, asks[i].create.why) TH_LOG("row %u", i);
	}
	EXPECT_TRUE(end_child(child));
}

static int map_error(int fd, size_t pages, int prot, int flags)
{
	size_t size = pages * sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, size, prot, flags, fd, PMCGRP_USER_PAGE_OFFSET);

	if (page == MAP_FAILED)
		return errno;
	munmap(page, size);
	return 0;
}

TEST_F(refusal, of_mappings)
{
	int fd = group_of(self->dev, 1, self->attr, PMCGRP_CREATE_USER_READ);
	int plain = group_of(self->dev, 1, self->attr, 0);
	const volatile struct pmcgrp_user_page *page;

	ASSERT_GE(fd, 0);
	ASSERT_GE(plain, 0);
	EXPECT_EQ(EINVAL, map_error(plain, 1, PROT_READ, MAP_SHARED));
	EXPECT_EQ(EINVAL, map_error(fd, 2, PROT_READ, MAP_SHARED));
	EXPECT_EQ(EINVAL, map_error(fd, 1, PROT_READ, MAP_PRIVATE));
	EXPECT_EQ(EACCES, map_error(fd, 1, PROT_READ | PROT_WRITE, MAP_SHARED));
	page = direct_map(fd);
	ASSERT_NE(NULL, page);
	EXPECT_EQ(-1, mprotect((void *)page, sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	/* A mapping that exists stays valid. */
	close(fd);
	EXPECT_EQ(1, page->nr);
	direct_unmap(page);
	close(plain);
}

static uint32_t info_why(int fd)
{
	struct pmcgrp_info_cpu cpu[NR];
	struct pmcgrp_info info;

	return group_info(fd, 0, &info, cpu, NR) ? ~0U : info.user_read_why;
}

/* Returns why a group of these cannot be read so; or -1 with more said. */
static int why_not(int dev, const struct perf_event_attr *attr, unsigned int nr)
{
	int fd = group_of(dev, nr, attr, PMCGRP_CREATE_USER_READ), why;
	const volatile struct pmcgrp_user_page *page;
	struct group_values v;

	if (fd < 0)
		return -1;
	page = direct_map(fd);
	why = page ? page->why : -1;
	/* Nothing but that is different. */
	if (why > 0 && (page->until || !group_values(fd, nr, &v) || !group_sane(fd, nr)))
		why = -1;
	if (page)
		direct_unmap(page);
	close(fd);
	return why;
}

TEST_F(refusal, of_software_members)
{
	struct perf_event_attr clock = sw(PERF_COUNT_SW_TASK_CLOCK);
	bool can = kernel_can();

#ifndef __x86_64__
	can = can && have_cycles() && !access(DIRECT_SYSCTL, F_OK);
#endif
	EXPECT_EQ(can ? PMCGRP_WHY_USER_READ_EVENT : PMCGRP_WHY_USER_READ_UNSUPPORTED,
		  why_not(self->dev, &clock, 1));
	EXPECT_EQ(can ? PMCGRP_WHY_USER_READ_EVENT : PMCGRP_WHY_USER_READ_UNSUPPORTED,
		  why_not(self->dev, self->attr, MIXED));
}

TEST_F(refusal, by_the_administrator)
{
	struct perf_event_attr attr = raw_event(raw_cycles(), 0);
	int why = PMCGRP_WHY_USER_READ_DENIED;

	if (!have_cycles())
		SKIP(return, "needs a PMU");
	user_allow(0);
	if (!kernel_can() || access(DIRECT_SYSCTL, F_OK))
		why = PMCGRP_WHY_USER_READ_UNSUPPORTED;
	else if (pmu_has_nmi())
		why = PMCGRP_WHY_USER_READ_EVENT;
	EXPECT_EQ(why, why_not(self->dev, &attr, 1));
}

/* ---- Reading ---- */

FIXTURE(user_read)
{
	int dev;
	struct perf_event_attr attr[NR];
	int fd;
	const volatile struct pmcgrp_user_page *page;
	struct rng rng;
};

/* An interval given to an earlier test's events may last until the next tick. */
static bool is_on(int fd)
{
	uint64_t end = now_ns() + 20 * NSEC_PER_MSEC;
	struct group_values v;

	do {
		if (!group_values(fd, NR, &v))
			return false;
	} while (!v.running && now_ns() < end);
	return v.running;
}

FIXTURE_SETUP(user_read)
{
	if (!have_cycles() || !kernel_can() || pmu_has_nmi() || !user_allow(1))
		SKIP(return, "needs a PMU and a kernel that let user space read counters");
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	apart_by_hold();	/* found out while there are counters left */
	members_of(self->attr, NR, 0);
	self->fd = group_of(self->dev, NR, self->attr, PMCGRP_CREATE_USER_READ);
	ASSERT_GE(self->fd, 0);
	self->page = direct_map(self->fd);
	ASSERT_NE(NULL, self->page);
	ASSERT_TRUE(is_on(self->fd));
	self->rng.state = 1;
}

FIXTURE_TEARDOWN(user_read)
{
	if (self->page)
		direct_unmap(self->page);
	close(self->fd);
	close(self->dev);
}

static bool in_order(const char *what, uint64_t a, uint64_t b, uint64_t slack)
{
	if (a <= b + slack)
		return true;
	printf("# %s: %llu, then %llu\n", what, (unsigned long long)a, (unsigned long long)b);
	return false;
}

static bool not_after(const struct group_values *a, const struct group_values *b)
{
	bool good = true;
	unsigned int i;

	for (i = 0; i < NR; i++) {
		good &= in_order("count", a->m[i].value, b->m[i].value, 0);
		good &= a->m[i].id == b->m[i].id;
	}
	/* Of two clocks that the kernel has read one after the other. */
	good &= in_order("time_enabled", a->enabled, b->enabled, CLOCKS_APART_NS);
	return in_order("time_running", a->running, b->running, CLOCKS_APART_NS) && good;
}

/*
 * Reads in user space, by read(), and in user space again: no value may exceed the next one.
 * Returns how many of the user reads were possible, or -1. *cost: events of member 0 between them.
 */
static int read_thrice(const volatile struct pmcgrp_user_page *page, int fd, uint64_t *cost)
{
	static struct group_values a, b, c;
	bool first, second;

	first = user_values(page, &a);
	if (!group_values(fd, NR, &b))
		return -1;
	second = user_values(page, &c);
	if ((first && !not_after(&a, &b)) || (second && !not_after(&b, &c)))
		return -1;
	*cost = first && second ? c.m[0].value - a.m[0].value : UINT64_MAX;
	return first + second;
}

/*
 * Whether both user reads of three are possible, and one more, in *v. That is so at once where
 * time is instructions. Elsewhere the host may stop the guest between the two clocks that the
 * page publishes as one, and the page is invalid until the next read().
 */
static bool reads_directly(const volatile struct pmcgrp_user_page *page, int fd,
			   struct group_values *v)
{
	unsigned int tries = deterministic() ? AT_ONCE : 1000;
	uint64_t cost;
	int n;

	while (tries--) {
		n = read_thrice(page, fd, &cost);
		if (n < 0)
			return false;
		if (n == 2 && user_values(page, v))
			return true;
	}
	return false;
}

/*
 * 10^6 reads, while another task runs on the same CPU and the reader changes CPUs now and then.
 * A user read lies between two calls of read().
 */
TEST_F_TIMEOUT(user_read, equals_read, 600)
{
	unsigned long k, total = rounds_of(333333, 10000), directly = 0, close_by = 0;
	int cpu = 0, cpus = sysconf(_SC_NPROCESSORS_ONLN), n;
	uint64_t least = UINT64_MAX, cost;
	pid_t child;

	/*
	 * With several TCG threads, and time that passes by itself, counters of QEMU's jump ahead
	 * by 2^31 now and then. So they do without the module, for perf's read() of four events
	 * of a task that changes CPUs: 8,599,006,631 cycles, with the next read 10,738,407,280,
	 * 8,730,056,880 ns after the start, at a cycle a nanosecond.
	 */
	if (!have_instructions())
		SKIP(return, "needs a guest whose PMU counts instructions");
	child = spinner(0);
	ASSERT_TRUE(run_on(0));
	for (k = 0; k < total; k++) {
		if (k % 1000 == 0 && cpus > 1) {
			cpu = (cpu + 1) % cpus;
			ASSERT_TRUE(run_on(cpu));
		}
		if (k % 100 == 0)
			sched_yield();
		n = read_thrice(self->page, self->fd, &cost);
		ASSERT_LE(0, n) TH_LOG("round %lu", k);
		directly += n;
		if (cost < least)
			least = cost;
		close_by += cost <= 2 * least;
	}
	TH_LOG("%lu of %lu user reads; %lu pairs %llu events apart or up to twice that",
	       directly, 2 * total, close_by, (unsigned long long)least);
	tell_count("user read", 3 * total, "reads");
	EXPECT_LT(total * 19 / 10, directly);
	/* Elsewhere the host may stop it in between. */
	if (!deterministic() || cpus > 1)
		close_by = total;
	EXPECT_LT(total * 9 / 10, close_by);
	EXPECT_TRUE(end_child(child));
}

/* The group is multiplexed with others: scheduled out and in again. */
TEST_F_TIMEOUT(user_read, multiplexed, 300)
{
	struct perf_event_attr attr[NR];
	unsigned long k, total = rounds_of(100000, 2000), directly = 0;
	struct group_values v;
	/* fixed counters of x86 are not among these */
	unsigned int i, others = counters_of_pmu() < 2 * NR ? 1 : 2;
	uint64_t cost;
	int fd[COUNTERS_MOST], n;

	if (!have_instructions())
		SKIP(return, "needs a guest whose PMU counts instructions");
	for (i = 0; i < others; i++) {
		members_of(attr, NR, i + 1);
		fd[i] = group_of(self->dev, NR, attr, 0);
		ASSERT_GE(fd[i], 0);
	}
	for (k = 0; k < total; k++) {
		n = read_thrice(self->page, self->fd, &cost);
		ASSERT_LE(0, n) TH_LOG("round %lu", k);
		directly += n;
	}
	ASSERT_TRUE(group_values(self->fd, NR, &v));
	TH_LOG("%lu of %lu user reads, the group ran for %llu of %llu ns", directly, 2 * total,
	       (unsigned long long)v.running, (unsigned long long)v.enabled);
	if (!slow_kernel()) {
		EXPECT_LT(v.running, v.enabled * 9 / 10);
		EXPECT_LT(total / 2, directly);
		EXPECT_GT(total * 9 / 5, directly);
	}
	while (others)
		close(fd[--others]);
}

/*
 * A counter of 32 bits starts in its middle, and is reloaded before its end, on behalf of either
 * of two groups that use it.
 */
TEST_F_TIMEOUT(user_read, over_an_overflow, 300)
{
	int other = group_of(self->dev, NR, self->attr, PMCGRP_CREATE_USER_READ), n, m;
	const volatile struct pmcgrp_user_page *others = direct_map(other);
	unsigned long k, directly = 0;
	struct group_values from, to;
	uint64_t cost;

	if (!deterministic())
		SKIP(return, "needs a deterministic guest");
	ASSERT_NE(NULL, others);
	ASSERT_TRUE(group_values(self->fd, NR, &from));
	for (k = 0; k < 7000; k++) {
		loop(200000);
		n = read_thrice(self->page, self->fd, &cost);
		ASSERT_LE(0, n) TH_LOG("round %lu", k);
		m = k % 3 ? read_thrice(others, other, &cost) : 2;
		ASSERT_LE(0, m) TH_LOG("round %lu, the other one", k);
		directly += n + m;
	}
	ASSERT_TRUE(group_values(self->fd, NR, &to));
	EXPECT_LT(5ULL << 29, to.m[0].value - from.m[0].value);
	/* Two instructions in an iteration, and the code in between. */
	EXPECT_LT(2ULL * 7000 * 200000, to.m[1].value - from.m[1].value);
	EXPECT_GT(3ULL * 7000 * 200000, to.m[1].value - from.m[1].value);
	TH_LOG("%lu of %lu user reads", directly, 4 * k);
	EXPECT_LT(k * 19 / 5, directly);
	direct_unmap(others);
	close(other);
}

TEST_F(user_read, follows_control)
{
	struct group_values v, before;
	uint64_t cost;

	ASSERT_EQ(0, info_why(self->fd));
	loop(100000);
	ASSERT_TRUE(group_values(self->fd, NR, &before));
	ASSERT_EQ(0, ioctl(self->fd, PERF_EVENT_IOC_RESET, 0));
	ASSERT_TRUE(reads_directly(self->page, self->fd, &v));
	if (deterministic())
		EXPECT_GT(before.m[0].value, v.m[0].value);
	EXPECT_LT(before.enabled, v.enabled);
	ASSERT_EQ(0, ioctl(self->fd, PERF_EVENT_IOC_RESET, PMCGRP_IOC_FLAG_TIMES));
	ASSERT_TRUE(reads_directly(self->page, self->fd, &v));
	if (deterministic())
		EXPECT_GT(before.enabled, v.enabled);

	ASSERT_EQ(0, ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_FALSE(user_values(self->page, &v));
	EXPECT_EQ(0, read_thrice(self->page, self->fd, &cost));
	ASSERT_EQ(0, ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0));
	EXPECT_TRUE(reads_directly(self->page, self->fd, &v));
}

/* ---- Other tasks ---- */

static sigjmp_buf fault;

static void on_fault(int sig)
{
	siglongjmp(fault, 1);
}

/* Whether this task can read a counter's register. */
static bool can_read_counter(uint32_t index)
{
	volatile bool can = false;

	signal(SIGILL, on_fault);
	signal(SIGSEGV, on_fault);	/* x86 */
	if (!sigsetjmp(fault, 1)) {
		user_counter(index);
		can = true;
	}
	signal(SIGILL, SIG_DFL);
	signal(SIGSEGV, SIG_DFL);
	return can;
}

/* Whether it could in any of so many tries, with other tasks running in between. */
static bool can_ever_read_counter(unsigned int tries)
{
	while (tries--) {
		if (can_read_counter(0) || can_read_counter(FIXED_COUNTER))
			return true;
		if (tries % 16 == 0)
			sched_yield();
	}
	return false;
}

TEST_F_TIMEOUT(user_read, another_task_gets_a_fault, 300)
{
	unsigned int tries = slow_kernel() ? 1000 : 20000;
	unsigned long directly = 0, round = 0;
	uint64_t cost;
	int status;
	pid_t child;

	ASSERT_TRUE(run_on(0));
	/* On x86 a child's memory is open if its parent's was, without a mapping (dup_mm()). */
	direct_unmap(self->page);
	child = fork();
	if (!child)
		_exit(can_ever_read_counter(tries));
	self->page = direct_map(self->fd);
	ASSERT_NE(NULL, self->page);
	while (!waitpid(child, &status, WNOHANG)) {
		directly += read_thrice(self->page, self->fd, &cost) > 0;
		if (++round % 64 == 0)
			sched_yield();
	}
	TH_LOG("%lu user reads during %u tries of another task", directly, tries);
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
	EXPECT_LT(tries / 16, directly);
	EXPECT_TRUE(can_read_counter(0));
}

static void drop_group(struct _test_data_user_read *self)
{
	direct_unmap(self->page);
	self->page = NULL;
	close(self->fd);
	self->fd = -1;
}

/* Closing the last group that is mapped revokes the access at once. */
TEST_F(user_read, ends_with_the_group)
{
	int fd = group_of(self->dev, NR, self->attr, PMCGRP_CREATE_USER_READ);
	const volatile struct pmcgrp_user_page *other = direct_map(fd);

	ASSERT_NE(NULL, other);
	EXPECT_TRUE(can_read_counter(0));
	drop_group(self);
	EXPECT_TRUE(can_read_counter(0));
	direct_unmap(other);
	close(fd);
	EXPECT_FALSE(can_read_counter(0));
	EXPECT_FALSE(can_read_counter(FIXED_COUNTER));
}

/* A perf event that the task reads in user space keeps the access, and the other way round. */
TEST_F(user_read, with_perf_events)
{
	struct perf_event_attr attr = raw_event(raw_cycles(), 9);
	struct perf_event_mmap_page *page;
	size_t size = sysconf(_SC_PAGESIZE);
	struct group_values v;
	int fd, round;

#ifdef __aarch64__
	attr.config1 = 2;	/* rdpmc, as the format of the armv8 PMUs has it */
#endif
	for (round = 0; round < 2; round++) {
		fd = perf_open(&attr, 0, -1, -1);
		ASSERT_GE(fd, 0);
		page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
		ASSERT_NE(MAP_FAILED, page);
		EXPECT_NE(0, page->index);
		if (round) {
			drop_group(self);
			EXPECT_TRUE(can_read_counter(0));
		} else {
			EXPECT_TRUE(reads_directly(self->page, self->fd, &v));
		}
		munmap(page, size);
		close(fd);
		if (!round)
			EXPECT_TRUE(reads_directly(self->page, self->fd, &v));
	}
}

#ifdef __x86_64__

/* ---- Events that move to other counters ---- */

/*
 * 10^6 reads. x86 moves events to other counters when events are added. Whatever perf opens and
 * closes, on the task or its CPU, a user read never exceeds the next read(), which never exceeds
 * the next user read, and each member keeps its event.
 */
TEST_F_TIMEOUT(user_read, while_events_move, 600)
{
	unsigned long k, total = slow_kernel() ? 300 : 3000, each = rounds_of(56, 2);
	unsigned long directly = 0, i;
	struct group_values from, to;
	struct perf_event_attr attr;
	int fd[2] = { -1, -1 }, n, j;
	uint64_t cost;
	bool together;
	double ratio;

	if (!deterministic())
		SKIP(return, "needs a deterministic guest");
	ASSERT_TRUE(run_on(0));
	ASSERT_TRUE(group_values(self->fd, NR, &from));
	for (k = 0; k < total; k++) {
		j = below(&self->rng, 2);
		/* one that has but few counters to choose from: l1d_pend_miss.pending */
		attr = raw_event(below(&self->rng, 2) ? 0x0148 : INSTRUCTIONS, 20 + j);
		attr.pinned = below(&self->rng, 2);
		/* The page may be read right after perf core's work, before any read(). */
		for (i = 0; i < each; i++) {
			n = read_thrice(self->page, self->fd, &cost);
			ASSERT_LE(0, n) TH_LOG("round %lu, %lu", k, i);
			directly += n;
		}
		if (fd[j] >= 0)
			close(fd[j]);
		fd[j] = below(&self->rng, 3) ? perf_open(&attr, j ? -1 : 0, j ? 0 : -1, -1) : -1;
		for (i = 0; i < each; i++) {
			n = read_thrice(self->page, self->fd, &cost);
			ASSERT_LE(0, n) TH_LOG("round %lu, %lu after a perf event", k, i);
			directly += n;
		}
		loop(1 + below(&self->rng, 1000));
	}
	for (j = 0; j < 2; j++)
		close(fd[j]);
	ASSERT_TRUE(group_values(self->fd, NR, &to));
	TH_LOG("%lu of %lu user reads", directly, 4 * each * total);
	tell_count("while events move", 6 * each * total, "reads");
	EXPECT_LT(each * total, directly);
	/* Cycles and instructions have the same ratio everywhere. */
	for (j = 0; j < NR; j++) {
		ratio = (double)(to.m[j].value - from.m[j].value) /
			(to.m[j % 2].value - from.m[j % 2].value);
		together = counts_together(to.m[j].value - from.m[j].value,
					   to.m[j % 2].value - from.m[j % 2].value,
					   to.enabled - from.enabled, total);
		together |= ratio > 0.999 && ratio < 1.001;
		EXPECT_TRUE(together) TH_LOG("member %d: %f", j, ratio);
	}
}

/* A later change by the administrator is reported at the first read() after a schedule-in. */
TEST_F(user_read, the_administrator_changes_it)
{
	struct group_values v;

	EXPECT_TRUE(reads_directly(self->page, self->fd, &v));
	ASSERT_TRUE(user_allow(0));
	EXPECT_FALSE(can_read_counter(0));
	usleep(1000);
	EXPECT_EQ(0, self->page->until);
	ASSERT_TRUE(group_values(self->fd, NR, &v));
	EXPECT_EQ(0, self->page->until);
	EXPECT_EQ(PMCGRP_WHY_USER_READ_DENIED, self->page->why);
	EXPECT_EQ(PMCGRP_WHY_USER_READ_DENIED, info_why(self->fd));
	ASSERT_TRUE(user_allow(2));
	EXPECT_TRUE(reads_directly(self->page, self->fd, &v));
	EXPECT_EQ(PMCGRP_WHY_NONE, self->page->why);
	ASSERT_TRUE(user_allow(1));
	EXPECT_TRUE(reads_directly(self->page, self->fd, &v));
}

/* A mapping that was moved counts once, and the mm's end takes all of them. */
TEST_F(user_read, mappings_are_counted)
{
	size_t size = sysconf(_SC_PAGESIZE);
	void *elsewhere = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *moved;
	int status, k;
	pid_t child;

	for (k = 0; k < 3; k++) {
		moved = (void *)direct_map(self->fd);
		ASSERT_NE(NULL, moved);
		moved = mremap(moved, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, elsewhere);
		ASSERT_EQ(elsewhere, moved);
	}
	munmap(moved, size);
	EXPECT_TRUE(can_read_counter(0));
	direct_unmap(self->page);
	self->page = NULL;
	EXPECT_FALSE(can_read_counter(0));
	/* A child has a mapping of its own, which ends with the child. */
	child = fork();
	if (!child) {
		if (can_read_counter(0) || !direct_map(self->fd) || !can_read_counter(0))
			_exit(1);
		_exit(0);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_FALSE(can_read_counter(0));
}

#endif

TEST_HARNESS_MAIN
