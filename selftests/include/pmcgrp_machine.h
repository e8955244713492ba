/* SPDX-License-Identifier: GPL-2.0-only */
/* What the machine is that the tests run on: asked of the machine itself, by perf. */
#ifndef PMCGRP_MACHINE_H
#define PMCGRP_MACHINE_H

#define _GNU_SOURCE	/* before any other header */
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))
#define FORMAT		(PERF_FORMAT_GROUP | PERF_FORMAT_ID | \
			 PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

static inline struct perf_event_attr event(uint32_t type, uint64_t config)
{
	return (struct perf_event_attr){ .type = type, .size = sizeof(struct perf_event_attr),
					 .config = config };
}

static inline struct perf_event_attr hw(uint64_t config)
{
	return event(PERF_TYPE_HARDWARE, config);
}

static inline struct perf_event_attr sw(uint64_t config)
{
	return event(PERF_TYPE_SOFTWARE, config);
}

/*
 * The k-th counter of the same raw event. No driver reads these bits of the config:
 * arm_pmuv3.c has 16 of them, x86 up to 48. So these are different events to pmcgrp and one to
 * the hardware.
 */
#define RAW_COPY_SHIFT	48

static inline struct perf_event_attr raw_copy(uint64_t config, unsigned int k)
{
	return event(PERF_TYPE_RAW, config | (uint64_t)k << RAW_COPY_SHIFT);
}

/* A loop of two instructions an iteration. */
static inline void loop(uint64_t loops)
{
#if defined(__aarch64__)
	asm volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(loops) : : "cc");
#elif defined(__x86_64__)
	asm volatile("1: dec %0\n\tjnz 1b" : "+r"(loops) : : "cc");
#else
#error "write the loop for this architecture"
#endif
}

static inline bool run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

static inline int perf_open(const struct perf_event_attr *attr, pid_t pid, int cpu, int leader)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* Whether this machine has a PMU that counts this event. */
static inline bool have_event(struct perf_event_attr attr)
{
	uint64_t value = 0;
	volatile int i;
	int fd = perf_open(&attr, 0, -1, -1);

	if (fd < 0)
		return false;
	for (i = 0; i < 1000; i++)
		;
	if (read(fd, &value, sizeof(value)) != sizeof(value))
		value = 0;
	close(fd);
	return value > 0;
}

/* Asked once: when it is asked later, what a test holds itself may be in the way. */
static inline bool have_cycles(void)
{
	static int have = -1;

	if (have < 0)
		have = have_event(hw(PERF_COUNT_HW_CPU_CYCLES));
	return have;
}

static inline bool have_instructions(void)
{
	static int have = -1;

	if (have < 0)
		have = have_event(hw(PERF_COUNT_HW_INSTRUCTIONS));
	return have;
}

/* ---- Which raw events, and how many counters there are for them ---- */

#define COUNTERS_MOST	32	/* that are looked for */

/* The architectural events of Arm's PMUv3 that QEMU's model counts. */
#define ARM_INST_RETIRED	0x08
#define ARM_CPU_CYCLES		0x11

/*
 * Opens a perf group of the calling task with as many copies of a raw event as perf core accepts;
 * returns how many. It is on: arm_pmu.c leaves one that is off out of the reckoning.
 */
static inline unsigned int open_copies(int *fd, uint64_t config)
{
	struct perf_event_attr attr;
	unsigned int k;

	for (k = 0; k < COUNTERS_MOST; k++) {
		attr = raw_copy(config, k);
		attr.read_format = FORMAT;
		fd[k] = perf_open(&attr, 0, -1, k ? fd[0] : -1);
		if (fd[k] < 0)
			break;
	}
	return k;
}

/* How long a perf group that is off is on the PMU in a loop, and what its members count. */
static inline uint64_t time_on_pmu(int leader, uint64_t *value, unsigned int nr)
{
	uint64_t v[3 + 2 * COUNTERS_MOST] = {}, w[3 + 2 * COUNTERS_MOST] = {};
	unsigned int k;

	if (read(leader, v, sizeof(v)) <= 0 || ioctl(leader, PERF_EVENT_IOC_ENABLE, 0))
		return 0;
	loop(100000);
	if (ioctl(leader, PERF_EVENT_IOC_DISABLE, 0) || read(leader, w, sizeof(w)) <= 0)
		return 0;
	for (k = 0; k < nr; k++)
		value[k] = w[3 + 2 * k] - v[3 + 2 * k];
	return w[2] - v[2];
}

static inline uint64_t difference(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Which of these raw events counts what the generic one does: comes nearest to it. */
static inline uint64_t raw_like(uint64_t generic, const uint64_t *config, unsigned int nr)
{
	uint64_t v[2], off, least = UINT64_MAX, best = config[0];
	struct perf_event_attr leader = hw(generic), raw;
	unsigned int i;
	int fd[2];

	leader.disabled = 1;
	leader.read_format = FORMAT;
	for (i = 0; nr > 1 && i < nr; i++) {
		fd[0] = perf_open(&leader, 0, -1, -1);
		raw = raw_copy(config[i], 0);
		fd[1] = perf_open(&raw, 0, -1, fd[0]);
		if (time_on_pmu(fd[0], v, 2)) {
			off = difference(v[0], v[1]);
			if (off < least) {
				least = off;
				best = config[i];
			}
		}
		close(fd[1]);
		close(fd[0]);
	}
	return best;
}

/* Idle counters of groups that were closed may be there still; they leave within an interval. */
static inline bool gets_counters(int leader)
{
	return time_on_pmu(leader, NULL, 0) ||
	       (!usleep(20000) && time_on_pmu(leader, NULL, 0));
}

struct copies {
	unsigned int fit;	/* copies of an event that the PMU has counters for */
	unsigned int left;	/* that is, less those that the kernel's watchdog has */
};

static inline struct copies count_copies(uint64_t config)
{
	struct copies copies;
	int fd[COUNTERS_MOST];
	unsigned int nr = open_copies(fd, config);

	copies.fit = nr;
	if (nr)
		ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0);
	while (nr && !gets_counters(fd[0]))
		close(fd[--nr]);
	copies.left = nr;
	while (nr)
		close(fd[--nr]);
	return copies;
}

/*
 * The events of which the tests take many. Each copy needs a counter that others can have as
 * well, so @copies of cycles is the PMU's size. x86: 003c and 00c0 by themselves would go to
 * counters that count nothing else; a threshold of 1 makes them ordinary, and where an
 * instruction takes a cycle or more changes nothing of what they count.
 * @any_cycles: cycles as the watchdog has them: on a counter for cycles alone, if there is one
 */
struct machine {
	uint64_t cycles;
	uint64_t instructions;
	uint64_t any_cycles;
	struct copies copies;
};

static inline const struct machine *machine(void)
{
#if defined(__aarch64__)
	static const uint64_t cycles[] = { ARM_CPU_CYCLES }, any_cycles[] = { ARM_CPU_CYCLES };
	static const uint64_t instructions[] = { ARM_INST_RETIRED };
#else	/* x86: Intel's, AMD's */
	static const uint64_t cycles[] = { 0x0100003c, 0x76 }, any_cycles[] = { 0x3c, 0x76 };
	static const uint64_t instructions[] = { 0x010000c0, 0xc0 };
#endif
	static struct machine machine;
	static bool asked;

	if (asked)
		return &machine;
	asked = true;
	machine.cycles = raw_like(PERF_COUNT_HW_CPU_CYCLES, cycles, COUNT(cycles));
	machine.any_cycles = raw_like(PERF_COUNT_HW_CPU_CYCLES, any_cycles, COUNT(any_cycles));
	machine.instructions = raw_like(PERF_COUNT_HW_INSTRUCTIONS, instructions,
					COUNT(instructions));
	machine.copies = count_copies(machine.cycles);
	return &machine;
}

static inline struct perf_event_attr cycles_copy(unsigned int k)
{
	return raw_copy(machine()->cycles, k);
}

static inline struct perf_event_attr any_cycles_copy(unsigned int k)
{
	return raw_copy(machine()->any_cycles, k);
}

static inline struct perf_event_attr instructions_copy(unsigned int k)
{
	return raw_copy(machine()->instructions, k);
}

/* Returns how many copies of cycles count together while no other event counts. */
static inline unsigned int counters(void)
{
	return machine()->copies.left;
}

/* Returns the size of the largest group that is not refused. */
static inline unsigned int counters_of_pmu(void)
{
	return machine()->copies.fit;
}

/* How many counters the kernel's watchdog has on each CPU, which pins an event of cycles. */
static inline unsigned int watchdog_counters(void)
{
	struct copies copies = count_copies(machine()->any_cycles);

	return copies.fit - copies.left;
}

/* Returns the size of the smallest group of which two do not fit at a time. */
static inline unsigned int more_than_half(void)
{
	return counters() / 2 + 1;
}

/* Whether this CPU's cycles go on while it is idle: on QEMU's Arm they do. */
static inline bool idle_has_cycles(void)
{
	struct timespec t = { .tv_nsec = 20000000 };
	struct perf_event_attr attr = cycles_copy(0);
	uint64_t v[5] = {}, w[5] = {};
	cpu_set_t before;
	bool ok;
	int fd;

	if (sched_getaffinity(0, sizeof(before), &before) || !run_on(0))
		return false;
	attr.read_format = FORMAT;
	fd = perf_open(&attr, -1, 0, -1);
	ok = read(fd, v, sizeof(v)) == sizeof(v) && !nanosleep(&t, NULL) &&
	     read(fd, w, sizeof(w)) == sizeof(w);
	close(fd);
	sched_setaffinity(0, sizeof(before), &before);
	return ok && w[3] - v[3] > (w[2] - v[2]) / 2;
}

/*
 * Members of both kinds: two in hardware, where there is a PMU, and one in software.
 * The first always moves while its target runs.
 */
#define MIXED	3

static inline bool mixed_members(struct perf_event_attr *attr)
{
	attr[0] = sw(PERF_COUNT_SW_TASK_CLOCK);
	attr[1] = sw(PERF_COUNT_SW_CONTEXT_SWITCHES);
	attr[2] = sw(PERF_COUNT_SW_PAGE_FAULTS);
	if (!have_cycles())
		return false;
	attr[0] = cycles_copy(0);
	attr[1] = cycles_copy(1);
	return true;
}

/* There a worker waits until it is scheduled, and each release of a counter waits for RCU. */
static inline bool rt_kernel(void)
{
	struct utsname name;

	return !uname(&name) && strstr(name.version, "PREEMPT_RT");
}

/* Whether it is of that version or a newer one. */
static inline bool kernel_is(unsigned int major, unsigned int minor)
{
	unsigned int has_major = 0, has_minor = 0;
	struct utsname name;

	return !uname(&name) && sscanf(name.release, "%u.%u", &has_major, &has_minor) == 2 &&
	       has_major * 1000 + has_minor >= major * 1000 + minor;
}

/*
 * A kernel with KASAN, lockdep and the like: a hundred times slower in all that
 * perf does, and with memory of its own.  What is asserted there is that nothing
 * breaks, not how close a share or a count comes.
 */
static inline bool slow_kernel(void)
{
	return !access("/sys/kernel/debug/kmemleak", F_OK);
}

/* Whether this is `make check` (../vm/run --core): what takes minutes is left to check-all. */
static inline bool only_core(void)
{
	return getenv("PMCGRP_CORE");
}

/*
 * How often to do what is done @nr times where there is time: @slow times on a kernel that is slow,
 * and a tenth of @nr in `make check`.
 */
static inline unsigned int rounds_of(unsigned int nr, unsigned int slow)
{
	if (slow_kernel())
		return slow;
	return only_core() ? (nr + 9) / 10 : nr;
}

/*
 * Whether time passes by instructions only: QEMU's PMU counts instructions just
 * with -icount (with several CPUs, on each those of all).  Elsewhere the host may
 * stop a guest's CPU between any two of its instructions, and nothing about times can
 * be asserted but their order.
 */
static inline bool deterministic(void)
{
	return have_instructions() && !slow_kernel();
}

/* Whether the host can stop the guest's counters by stopping QEMU: not with -icount. */
static inline bool host_can_stop(void)
{
	static int can = -1;

	if (can < 0)
		can = have_cycles() && !have_instructions();
	return can;
}

/* A failure that is known and listed: as the harness's SKIP(), where it has none. */
#ifndef XFAIL
#define XFAIL(statement, reason_text) do {						\
	snprintf(_metadata->results->reason, sizeof(_metadata->results->reason), "%s",	\
		 reason_text);								\
	_metadata->exit_code = KSFT_XFAIL;						\
	statement;									\
} while (0)
#endif

#endif /* PMCGRP_MACHINE_H */
