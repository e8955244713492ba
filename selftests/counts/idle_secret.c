// SPDX-License-Identifier: GPL-2.0-only
/*
 * A task without privileges that has mapped a perf event of its own can read all counters of its
 * CPU. It must not see what an idle counter of a group goes on counting: other tasks and the
 * kernel.
 */
#include "pmcgrp_become.h"
#include "pmcgrp_user_page.h"
#include "kselftest_harness.h"
#include <setjmp.h>

#define NR	3
/*
 * Within these the check of idle counters has come: 4 intervals of 4 ms, and two jiffies. With
 * -icount, jiffies also stand still while a CPU runs that does not count them.
 */
#define BOUND_NS	(26 * NSEC_PER_MSEC)
#define BOUND_NS_SMP	(40 * NSEC_PER_MSEC)

#ifdef __x86_64__
static const uint32_t registers[] = { 0, 1, 2, 3, 1U << 30, 1U << 30 | 1, 1U << 30 | 2 };
#else
static const uint32_t registers[] = { 0, 1, 2, 3, 4, 5, 31 };
#endif

static sigjmp_buf fault;

static void on_fault(int sig)
{
	siglongjmp(fault, 1);
}

/* What a user read of a register gives, or 0 if that is not allowed or the PMU has none such. */
static uint64_t try_counter(uint32_t index)
{
	volatile uint64_t value = 0;

	signal(SIGILL, on_fault);
	signal(SIGSEGV, on_fault);	/* x86 */
	if (!sigsetjmp(fault, 1))
		value = user_counter(index);
#ifdef __aarch64__
	/* The driver sets the upper half of a register of 64 bits, for an overflow in time. */
	value = (uint32_t)value;
#endif
	return value;
}

/* What the other side has of the test; memory that both share. */
struct shared {
	volatile int ready;
	volatile int go;
	volatile uint64_t reads;	/* user reads of the own counter that were not zero */
	volatile uint64_t foreign;	/* rounds with a foreign register that has counted */
	volatile uint32_t which;
	volatile uint64_t value;
	uint32_t had;			/* bits of the registers that the own event has had */
	uint64_t left[COUNT(registers)];	/* what it has left there */
};

/* Notes the register that the own event has now. */
static void note_own(struct shared *s, volatile struct perf_event_mmap_page *page)
{
	uint32_t index = page->index;
	unsigned int i;

	for (i = 0; i < COUNT(registers); i++)
		if (index && registers[i] == index - 1)
			s->had |= 1U << i;
}

/* One round: each register but the own one. The page says which that is. */
static void look(struct shared *s, volatile struct perf_event_mmap_page *page)
{
	uint64_t value[COUNT(registers)];
	uint32_t index, seq;
	unsigned int i;

	do {
		seq = page->lock;
		user_barrier();
		index = page->index;
		for (i = 0; i < COUNT(registers); i++)
			value[i] = try_counter(registers[i]);
		user_barrier();
	} while (page->lock != seq || page->index != index);
	for (i = 0; i < COUNT(registers); i++) {
		if (index && registers[i] == index - 1) {
			s->reads += !!value[i];
			s->had |= 1U << i;
			s->left[i] = 0;
			continue;
		}
		/* perf core may have moved the event: its old count stands still. */
		if (s->had & 1U << i && (!s->left[i] || s->left[i] == value[i])) {
			s->left[i] = value[i];
			continue;
		}
		/*
		 * On Nehalem the driver itself counts for a moment, and leaves the cycles of an
		 * instruction or two: up to 3 have been seen in an emulated machine
		 * (arch/x86/events/intel/core.c: intel_pmu_nhm_workaround()).
		 */
		if (value[i] <= 4 || s->foreign++)
			continue;
		s->which = registers[i];
		s->value = value[i];
	}
}

/* An event that a user without privileges may open, with access to counters. */
static volatile struct perf_event_mmap_page *own_event(int *fd)
{
	struct perf_event_attr attr = hw(PERF_COUNT_HW_CPU_CYCLES);
	void *page;

	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
#ifdef __aarch64__
	attr.config1 = 2;	/* rdpmc, as the format of the armv8 PMUs has it */
#endif
	*fd = perf_open(&attr, 0, -1, -1);
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, *fd, 0);
	return page == MAP_FAILED ? NULL : page;
}

/* The reader: looks while it runs, and again each time that it comes in. */
static int reader(struct shared *s, unsigned int rounds)
{
	volatile struct perf_event_mmap_page *page;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned int i, k;
	int fd;

	if (!become(-1))
		return 2;
	s->ready = 1;
	while (!s->go)
		sched_yield();
	page = own_event(&fd);
	if (!page)
		return 3;
	note_own(s, page);
	/* without a switch, if nobody else wants the CPU */
	spin_ns(cpus > 1 ? BOUND_NS_SMP : BOUND_NS);
	for (k = 0; k < rounds; k++) {
		for (i = 0; i < 8; i++)
			look(s, page);
		sched_yield();
	}
	return s->reads ? 0 : 4;
}

FIXTURE(idle_secret)
{
	int dev;
	struct shared *s;
	struct perf_event_attr attr[NR];
};

FIXTURE_SETUP(idle_secret)
{
	unsigned int i;

	if (!have_cycles() || pmu_has_nmi() || !user_allow(1))
		SKIP(return, "needs a PMU and a kernel that let user space read counters");
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->s = shared_memory(sizeof(*self->s));
	ASSERT_NE(NULL, self->s);
	for (i = 0; i < NR; i++)
		self->attr[i] = cycles_copy(i);
	file_write("/proc/sys/kernel/perf_event_paranoid", "2");
	/* Its counter is in use, by an event of the CPU: perf core lets user mode read it. */
	file_write("/proc/sys/kernel/nmi_watchdog", "0");
	ASSERT_TRUE(run_on(0));
}

FIXTURE_TEARDOWN(idle_secret)
{
	close(self->dev);
}

static pid_t start_reader(struct shared *s)
{
	pid_t child = fork();

	if (!child)
		_exit(reader(s, slow_kernel() ? 20 : 200));
	while (child > 0 && !s->ready)
		sched_yield();
	return child;
}

static void expect_none(struct __test_metadata *_metadata, struct shared *s, pid_t child)
{
	int status;

	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	TH_LOG("%llu reads of the own counter, %llu of foreign ones",
	       (unsigned long long)s->reads, (unsigned long long)s->foreign);
	if (s->foreign)
		TH_LOG("register %x: %llu", s->which, (unsigned long long)s->value);
	EXPECT_EQ(0, s->foreign);
}

/* The group's task sleeps while the reader runs: its counters are idle. */
TEST_F(idle_secret, of_a_task_that_sleeps)
{
	pid_t child = start_reader(self->s);
	int fd = group_of(self->dev, NR, self->attr, 0);

	ASSERT_GE(fd, 0);
	self->s->go = 1;
	expect_none(_metadata, self->s, child);
	close(fd);
}

/* It and the reader alternate: its counters become idle as the reader comes in. */
TEST_F(idle_secret, of_a_task_that_alternates)
{
	int fd = group_of(self->dev, NR, self->attr, 0);
	siginfo_t info = {};
	pid_t child;

	ASSERT_GE(fd, 0);
	child = start_reader(self->s);
	self->s->go = 1;
	do {
		loop(1000);
		sched_yield();
	} while (!waitid(P_PID, child, &info, WEXITED | WNOHANG | WNOWAIT) && !info.si_pid);
	expect_none(_metadata, self->s, child);
	close(fd);
}

/* A group of the reader itself that is disabled. */
TEST_F(idle_secret, of_its_own_group)
{
	pid_t child = start_reader(self->s);
	int fd = group_of_task(self->dev, child, NR, self->attr, 0);
	struct group_values v;

	ASSERT_GE(fd, 0);
	do {
		sched_yield();
		ASSERT_TRUE(group_values(fd, NR, &v));
	} while (!v.running);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	self->s->go = 1;
	expect_none(_metadata, self->s, child);
	close(fd);
}

TEST_HARNESS_MAIN
