// SPDX-License-Identifier: GPL-2.0-only
/*
 * The emulated x86 PMU of selftests/qemu counts as its models say, and perf core's driver
 * agrees. The other tests on these machines rely on that.
 *
 * Only perf events are used here, no pmcgrp groups.
 */
#include "pmcgrp_test.h"
#include "kselftest_harness.h"

#ifdef __x86_64__
#include "pmcgrp_x86.h"

#define LOOPS		1000000ULL	/* of two instructions */

#define EDGE		(1ULL << 18)
#define INV		(1ULL << 23)
#define CMASK(n)	((uint64_t)(n) << 24)

/* How often a register has been read, written, or read by RDPMC, by CPU 0. */
struct accesses {
	uint32_t rdmsr, wrmsr, rdpmc;
};

static struct accesses accesses_of(uint32_t msr)
{
	unsigned int a, b, c, d, i = 0;

	do {
		__cpuid_count(ACCESS_LEAF, i++, a, b, c, d);
	} while (a && a != msr);
	return (struct accesses){ b, c, d };
}

static void iterate(uint64_t n)
{
	asm volatile("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
}

static struct perf_event_attr user_event(uint64_t config)
{
	struct perf_event_attr attr = event(PERF_TYPE_RAW, config);

	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	return attr;
}

/* What an event counts in @loops iterations of the loop; -errno if it cannot be opened. */
static int64_t counted(struct perf_event_attr attr, uint64_t loops)
{
	uint64_t value = 0;
	int fd;

	attr.disabled = 1;
	fd = perf_open(&attr, 0, -1, -1);
	if (fd < 0)
		return -errno;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	iterate(loops);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (read(fd, &value, sizeof(value)) != sizeof(value))
		value = -1;
	close(fd);
	return value;
}

/* Counts what LOOPS more iterations make: both counts have the same overhead. */
static int64_t counted_more(struct perf_event_attr attr)
{
	return counted(attr, 2 * LOOPS) - counted(attr, LOOPS);
}

FIXTURE(x86_pmu)
{
	bool amd;
};

FIXTURE_SETUP(x86_pmu)
{
	if (!is_emulated())
		SKIP(return, "needs the emulated PMU of selftests/qemu");
	ASSERT_TRUE(run_on(0));
	self->amd = is_amd();
}

FIXTURE_TEARDOWN(x86_pmu)
{
}

/* EFLAGS after an addition, and a CMPXCHG16B that succeeds or is left out.  A jump ends a block. */
#define FLAGS_AFTER(then, with, sum)						\
({										\
	uint64_t flags_, a_ = 1, d_ = 2, x_ = (sum);				\
										\
	asm volatile("lea -128(%%rsp), %%rsp\n\t"				\
		     "cmp %[x], %[y]\n\t"					\
		     "jmp 1f\n"							\
		     "1:\tadd %[y], %[x]\n\t"					\
		     then							\
		     "pushfq\n\t"						\
		     "popq %[flags]\n\t"					\
		     "lea 128(%%rsp), %%rsp"					\
		     : [flags] "=&r"(flags_), [x] "+&r"(x_), "+&a"(a_), "+&d"(d_) \
		     : [word] "r"(with), "b"(3ULL), "c"(4ULL),			\
		       [y] "r"(0xdeadbeefcafef00dULL)				\
		     : "cc", "memory");						\
	flags_;									\
})

/*
 * QEMU 7.2 as it is makes the flags up, but ZF: a kernel that an interrupt of a counter finds there
 * goes on with any of them set (selftests/qemu/hooks.patch).
 */
TEST_F(x86_pmu, flags_after_cmpxchg16b)
{
	const uint64_t zf = 1 << 6;
	uint64_t room[4], *word = room + ((uintptr_t)room / sizeof(*room)) % 2;
	struct rng rng = { .state = 20261125 };
	unsigned int i;
	uint64_t sum, flags;

	for (i = 0; i < 1000; i++) {
		sum = rng_next(&rng);
		flags = FLAGS_AFTER("", word, sum);
		word[0] = 1;
		word[1] = 2;
		EXPECT_EQ(flags | zf, FLAGS_AFTER("lock cmpxchg16b (%[word])\n\t", word, sum));
		EXPECT_EQ(3, word[0]);
	}
}

TEST_F(x86_pmu, instructions_are_exact)
{
	struct perf_event_attr attr = hw(PERF_COUNT_HW_INSTRUCTIONS);

	attr.exclude_kernel = 1;
	EXPECT_EQ(counted_more(attr), 2 * LOOPS);
	EXPECT_EQ(counted_more(attr), 2 * LOOPS);
	attr = hw(PERF_COUNT_HW_CPU_CYCLES);
	attr.exclude_kernel = 1;
	EXPECT_EQ(counted_more(attr), 4 * LOOPS);
}

/* num / den for each instruction, of which each takes two cycles. */
struct rate {
	uint64_t config;
	int num, den;
};

/* Whether an event happens so often; where it is a fraction, one may fall to either side. */
static bool has_rate(const struct rate *rate)
{
	int64_t due = 2 * LOOPS * rate->num / rate->den;
	int64_t more = counted_more(user_event(rate->config));

	return llabs(more - due) <= (rate->den > 1);
}

TEST_F(x86_pmu, rates_intel)
{
	static const struct rate rates[] = {
		{ 0xc0, 1, 1 },
		{ 0x3c, 2, 1 },
		{ 0x13c, 2, 10 },
		{ 0xc2, 3, 2 },
		{ 0xc4, 1, 5 },
		{ 0xc5, 1, 100 },
		{ 0x412e, 1, 500 },
		{ 0x4f2e, 1, 50 },
		/* cycles in which at least so many retire */
		{ 0xc0 | CMASK(1), 1, 1 },
		{ 0xc0 | CMASK(2), 0, 1 },
		{ 0xc0 | CMASK(1) | INV, 1, 1 },
		{ 0xc0 | CMASK(2) | INV, 2, 1 },
		{ 0xc2 | CMASK(1), 1, 1 },
		{ 0xc2 | CMASK(2), 1, 2 },
		{ 0xc2 | CMASK(3), 0, 1 },
		{ 0xc2 | CMASK(2) | INV, 3, 2 },
		{ 0xc4 | CMASK(1), 1, 5 },
		{ 0xc4 | CMASK(1) | INV, 9, 5 },
		{ 0x3c | CMASK(1), 2, 1 },
		{ 0x3c | CMASK(2), 0, 1 },
		/* how often that begins */
		{ 0xc4 | CMASK(1) | EDGE, 1, 5 },
		{ 0xc4 | CMASK(1) | INV | EDGE, 1, 5 },
		{ 0xc0 | CMASK(1) | EDGE, 1, 1 },
		{ 0x3c | CMASK(1) | EDGE, 0, 1 },
	};

	if (self->amd)
		SKIP(return, "needs Intel");
	for (unsigned int i = 0; i < COUNT(rates); i++) {
		EXPECT_TRUE(has_rate(&rates[i])) {
			TH_LOG("event %#llx", (unsigned long long)rates[i].config);
		}
	}
}

TEST_F(x86_pmu, rates_amd)
{
	static const struct rate rates[] = {
		{ 0xc0, 1, 1 },
		{ 0x76, 2, 1 },
		{ 0xc1, 3, 2 },
		{ 0xc2, 1, 5 },
		{ 0xc3, 1, 100 },
		{ 0xc1 | CMASK(2), 1, 2 },
		{ 0xc2 | CMASK(1) | INV, 9, 5 },
		{ 0x76 | CMASK(1) | EDGE, 0, 1 },
	};

	if (!self->amd)
		SKIP(return, "needs AMD");
	for (unsigned int i = 0; i < COUNT(rates); i++) {
		EXPECT_TRUE(has_rate(&rates[i])) {
			TH_LOG("event %#llx", (unsigned long long)rates[i].config);
		}
	}
}

/* A count of user mode excludes the kernel's loop, and the other way round. */
TEST_F(x86_pmu, privilege_levels_apart)
{
	struct perf_event_attr user = user_event(0xc0), kernel = event(PERF_TYPE_RAW, 0xc0);

	kernel.exclude_user = 1;
	EXPECT_EQ(counted_more(user), 2 * LOOPS);
	/* two calls of the system, and an interrupt by the way */
	EXPECT_LT(counted(kernel, 1), slow_kernel() ? 200000 : 20000);
	EXPECT_GT(counted(kernel, 1), 100);
}

/* A sample for each period, each by one interrupt. */
TEST_F(x86_pmu, each_overflow_interrupts)
{
	struct perf_event_attr attr = user_event(self->amd ? 0x76 : 0x3c);
	struct perf_event_mmap_page *page;
	size_t size = 65 * sysconf(_SC_PAGESIZE);
	uint64_t samples;
	int fd;

	attr.sample_period = 100000;
	attr.disabled = 1;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_GE(fd, 0);
	page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(page, MAP_FAILED);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	iterate(2500000);			/* 10,000,000 cycles, and what the calls take */
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	/* sample_type 0: a header of eight bytes each. */
	samples = page->data_head / 8;
	EXPECT_EQ(samples, 100);
	munmap(page, size);
	close(fd);
}

/* Two events that only counter 2 counts: refused in one group, multiplexed as two. */
TEST_F(x86_pmu, one_counter_for_two)
{
	struct perf_event_attr attr = user_event(0x0148);
	unsigned int model = cpu_model();
	int fd, other;

	if (self->amd || (model != 0x2a && model != 0x3c))
		SKIP(return, "needs SandyBridge or Haswell");
	EXPECT_TRUE(has_rate(&(struct rate){ 0x0148, 1, 12 }));
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_GE(fd, 0);
	other = perf_open(&attr, 0, -1, fd);
	EXPECT_EQ(other < 0 ? errno : 0, EINVAL);
	close(fd);
}

/* Every access to a register is counted, by register. */
TEST_F(x86_pmu, accesses_are_counted)
{
	struct perf_event_attr attr = user_event(self->amd ? 0xc2 : 0xc4);
	struct accesses before, after;
	uint32_t n, select, counter;
	struct perf_event_mmap_page *page;
	unsigned int low, high, i;
	int fd;

	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_GE(fd, 0);
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(page, MAP_FAILED);
	if (!page->cap_user_rdpmc) {
		/* 6.1 reports it only when the event is scheduled in again. */
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	}
	ASSERT_TRUE(!!page->cap_user_rdpmc);
	/* Nothing else runs here: the event keeps its counter. */
	ASSERT_GE(page->index, 1);
	n = page->index - 1;
	select = self->amd ? 0xc0010200 + 2 * n : 0x186 + n;
	counter = self->amd ? select + 1 : 0xc1 + n;
	before = accesses_of(counter);
	for (i = 0; i < 10; i++)
		asm volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(n));
	after = accesses_of(counter);
	EXPECT_EQ(after.rdpmc - before.rdpmc, 10);
	EXPECT_EQ(after.rdmsr - before.rdmsr, 0);
	before = accesses_of(select);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	after = accesses_of(select);
	EXPECT_GE(after.wrmsr - before.wrmsr, 1);
	munmap(page, sysconf(_SC_PAGESIZE));
	close(fd);
}

/* User mode reads counters only if the PMU allows it. An absent counter faults for everyone. */
TEST_F(x86_pmu, an_absent_counter_faults)
{
	struct perf_event_attr attr = user_event(self->amd ? 0xc2 : 0xc4);
	unsigned int low, high;
	int fd, status;
	pid_t pid;

	/* The kernel's log does not mention the fault. */
	ASSERT_TRUE(write_number("/proc/sys/debug/exception-trace", 0));
	for (unsigned int mapped = 0; mapped < 2; mapped++) {
		pid = fork();
		ASSERT_GE(pid, 0);
		if (!pid) {
			fd = perf_open(&attr, 0, -1, -1);
			if (mapped)
				mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
			asm volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(mapped ? 15 : 0));
			_exit(0);
		}
		ASSERT_EQ(waitpid(pid, &status, 0), pid);
		EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	}
}

#else

TEST(x86_pmu)
{
	SKIP(return, "needs x86");
}

#endif

TEST_HARNESS_MAIN
