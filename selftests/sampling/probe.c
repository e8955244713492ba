// SPDX-License-Identifier: GPL-2.0-only
/* Triggers by probes of the kernel and of programs, by hardware events, and on every CPU. */
#include "pmcgrp_ring.h"
#include <sys/auxv.h>
#include "kselftest_harness.h"

#define TRACING	"/sys/kernel/tracing/"
#ifdef __aarch64__
#define GETPPID	"__arm64_sys_getppid"
#else
#define GETPPID	"__x64_sys_getppid"
#endif

FIXTURE(probe)
{
	int dev;
	struct perf_event_attr attr[MIXED];
	long page;
};

FIXTURE_SETUP(probe)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	mixed_members(self->attr);
	self->page = sysconf(_SC_PAGESIZE);
}

FIXTURE_TEARDOWN(probe)
{
	close(self->dev);
}

/* The id of a tracepoint, or -1. */
static long tracepoint(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), TRACING "events/%s/id", name);
	return file_number(path, "");
}

/* The type of a PMU, or -1. */
static long pmu_type(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", name);
	return file_number(path, "");
}

/* A tracepoint, and several triggers at the same time, each identified by its id. */
TEST_F(probe, tracepoint_among_others)
{
	struct perf_event_attr faults = sw(PERF_COUNT_SW_PAGE_FAULTS);
	long id = tracepoint("raw_syscalls/sys_enter");
	volatile char *mem = fresh_pages(64);
	struct pmcgrp_trigger_add on_call, on_fault;
	unsigned int calls = 0, hits = 0, hands = 0, i;
	union record record;
	struct perf_event_attr by;
	struct ring ring;
	int fd, got;

	if (id < 0)
		SKIP(return, "no tracepoints of system calls");
	fd = group_of(self->dev, 1, &faults, PMCGRP_CREATE_DISABLED);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(ring_ready(fd, 16, &ring));
	by = every(1, event(PERF_TYPE_TRACEPOINT, id));
	ASSERT_EQ(0, add_trigger(fd, &by, &on_call));
	by = every(1, faults);
	ASSERT_EQ(0, add_trigger(fd, &by, &on_fault));
	ASSERT_NE(on_call.id, on_fault.id);
	EXPECT_EQ(1, on_call.index);
	EXPECT_EQ(2, on_fault.index);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	for (i = 0; i < 50; i++) {
		syscall(SYS_getppid);
		mem[i * self->page] = 1;
	}
	ASSERT_EQ(1, ioctl(fd, PMCGRP_IOC_SAMPLE, 0));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	while ((got = ring_next(&ring, &record)) > 0) {
		ASSERT_EQ(PERF_RECORD_SAMPLE, record.header.type);
		calls += record.sample.id == on_call.id;
		hits += record.sample.id == on_fault.id;
		hands += record.sample.id == record.sample.read.m[0].id;
	}
	EXPECT_EQ(0, got);
	EXPECT_EQ(50 + 2, calls);	/* and the two ioctl() */
	EXPECT_EQ(50, hits);
	EXPECT_EQ(1, hands);
	ring_unmap(&ring);
	close(fd);
}

static int probed(int x)
{
	asm volatile("" : "+r"(x));
	return x + 1;
}

/* A kprobe, a kretprobe and a uprobe, by pointer: no trace of them is left in tracefs. */
TEST_F(probe, probes)
{
	static const char self_exe[] = "/proc/self/exe", nobody[] = "no_such_function";
	long kprobe = pmu_type("kprobe"), uprobe = pmu_type("uprobe");
	struct perf_event_attr faults = sw(PERF_COUNT_SW_PAGE_FAULTS), by;
	/* called, and not inlined */
	int (*volatile call)(int) = probed;
	/* whose headers are on its first page */
	uint64_t image = getauxval(AT_PHDR) & -self->page;
	unsigned int kind, i;
	struct ring_sum sum;
	struct ring ring;
	int fd, x = 0;

	if (kprobe < 0 || uprobe < 0)
		SKIP(return, "no PMUs of probes");
	for (kind = 0; kind < 3; kind++) {
		by = every(1, event(kind < 2 ? kprobe : uprobe, kind == 1));
		if (kind < 2) {
			by.config1 = (uintptr_t)GETPPID;
		} else {
			by.config1 = (uintptr_t)self_exe;
			by.config2 = (uintptr_t)probed - image;
		}
		fd = triggered(self->dev, &faults, 1, PMCGRP_CREATE_DISABLED, by, 16, &ring);
		ASSERT_GE(fd, 0) TH_LOG("probe %u: %s", kind, strerror(-fd));
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		for (i = 0; i < 40; i++) {
			syscall(SYS_getppid);
			if (i % 2)
				x = call(x);
		}
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		sum = (struct ring_sum){};
		ring_drain(&ring, &sum, NULL, NULL);
		EXPECT_EQ(kind < 2 ? 40 : 20, sum.samples);
		EXPECT_EQ(0, sum.lost + sum.missed + sum.others);
		ring_unmap(&ring);
		close(fd);
	}
	/* no such function */
	by = every(1, event(kprobe, 0));
	by.config1 = (uintptr_t)nobody;
	EXPECT_LT(triggered(self->dev, &faults, 1, 0, by, 16, &ring), 0);
}

/* A counter of its own that overflows every so many cycles. */
TEST_F(probe, hardware)
{
	struct perf_event_attr by = every(100000, hw(PERF_COUNT_HW_CPU_CYCLES));
	struct perf_event_attr attr[2] = { cycles_copy(0),
					   instructions_copy(0) };
	struct ring_sum sum = {};
	struct group_values v;
	struct ring ring;
	int fd;

	if (!have_cycles())
		SKIP(return, "no PMU");
	fd = triggered(self->dev, attr, 2, PMCGRP_CREATE_DISABLED, by, 64, &ring);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	spin_ns(50 * NSEC_PER_MSEC);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_TRUE(group_values(fd, 2, &v));
	ring_drain(&ring, &sum, NULL, NULL);
	TH_LOG("%lu samples, %lu throttled, of %llu cycles", sum.samples, sum.throttles,
	       (unsigned long long)v.m[0].value);
	EXPECT_EQ(v.enabled, v.running);
	EXPECT_GT(sum.samples, 0);
	if (deterministic())
		EXPECT_GE(sum.samples + 2, v.m[0].value / 100000);
	EXPECT_LE(sum.samples, v.m[0].value / 100000 + 1);
	EXPECT_EQ(0, sum.lost + sum.others);
	ring_unmap(&ring);
	close(fd);
}

static int triggers_in_error(int fd)
{
	struct pmcgrp_info_member member;
	struct pmcgrp_info_cpu cpu[1];
	struct pmcgrp_info info = {
		.size = sizeof(info), .members = (uintptr_t)&member, .cpus = (uintptr_t)cpu,
		.nr_members = 1, .nr_cpus = 1,
		.member_size = sizeof(member), .cpu_size = sizeof(cpu[0]),
	};

	if (ioctl(fd, PMCGRP_IOC_INFO, &info))
		return -errno;
	return info.nr_triggers == 1 ? (int)info.triggers_in_error : -1;
}

/* A trigger without a counter reports an error state, and fires once there is one. */
TEST_F(probe, hardware_without_a_counter)
{
	struct perf_event_attr by = every(100000, cycles_copy(99)), attr;
	struct perf_event_attr faults = sw(PERF_COUNT_SW_PAGE_FAULTS);
	struct ring_sum sum = {};
	int fd, held[16], nr = 0;
	struct ring ring;

	if (!have_cycles() || sysconf(_SC_NPROCESSORS_ONLN) > 1)
		SKIP(return, "no PMU, or several");
	for (nr = 0; nr < 16; nr++) {
		attr = cycles_copy(nr);
		attr.pinned = 1;
		held[nr] = perf_open(&attr, 0, -1, -1);
		ASSERT_GE(held[nr], 0);
	}
	fd = triggered(self->dev, &faults, 1, 0, by, 16, &ring);
	ASSERT_GE(fd, 0);
	spin_ns(20 * NSEC_PER_MSEC);
	EXPECT_EQ(1, triggers_in_error(fd));
	ring_drain(&ring, &sum, NULL, NULL);
	EXPECT_EQ(0, sum.samples);
	while (nr)
		close(held[--nr]);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	spin_ns(20 * NSEC_PER_MSEC);
	EXPECT_EQ(0, triggers_in_error(fd));
	ring_drain(&ring, &sum, NULL, NULL);
	EXPECT_GT(sum.samples, 0);
	ring_unmap(&ring);
	close(fd);
}

/* The group counts from execve() on, and its trigger fires from there. */
TEST_F(probe, enabled_by_exec)
{
	struct perf_event_attr faults = sw(PERF_COUNT_SW_PAGE_FAULTS), by = every(1, faults);
	struct pmcgrp_trigger_add add;
	struct ring_sum sum = {};
	struct group_values v;
	struct ring ring;
	int fd, go;
	pid_t pid;

	pid = exec_child(&go);
	ASSERT_GT(pid, 0);
	fd = group_of_task(self->dev, pid, 1, &faults,
			   PMCGRP_CREATE_DISABLED | PMCGRP_CREATE_ENABLE_ON_EXEC);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(ring_ready(fd, 64, &ring));
	ASSERT_EQ(0, add_trigger(fd, &by, &add));
	EXPECT_EQ(0, ring_head(&ring));
	ASSERT_TRUE(exec_go(pid, go));
	ASSERT_TRUE(group_values(fd, 1, &v));
	ring_drain(&ring, &sum, NULL, NULL);
	EXPECT_GT(v.m[0].value, 10);
	EXPECT_EQ(v.m[0].value, sum.samples);
	EXPECT_EQ(POLLHUP, poll_now(fd));
	EXPECT_EQ(-ESRCH, add_trigger(fd, &by, &add));
	EXPECT_EQ(PMCGRP_WHY_TASK_GONE, add.why);
	ring_unmap(&ring);
	close(fd);
}

/* On each CPU of the target, into that CPU's ring; and on one that was away. */
TEST_F_TIMEOUT(probe, cpus, 120)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), cpu;
	struct perf_event_attr clock = sw(PERF_COUNT_SW_CPU_CLOCK);
	struct perf_event_attr by = every(NSEC_PER_MSEC, clock);
	struct ask ask = { .target_type = PMCGRP_TARGET_ALL_CPUS, .nr = 1, .attr = &clock };
	struct pmcgrp_trigger_add add;
	struct pmcgrp_ring_setup setup;
	struct ring ring[cpus];
	struct ring_sum sum;
	unsigned int round;
	bool away;
	int fd;

	fd = ask_group(self->dev, &ask);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, setup_ring(fd, 0, SAMPLE_TYPE, 0, &setup));
	for (cpu = 0; cpu < cpus; cpu++)
		ASSERT_EQ(0, ring_map_at(fd, PMCGRP_RING_OFFSET(cpu), 128,
					 PROT_READ | PROT_WRITE, &ring[cpu]));
	/* one CPU is away just then: it joins as it comes */
	away = cpus > 1 && set_online(1, false);
	ASSERT_EQ(0, add_trigger(fd, &by, &add));
	if (away) {
		ASSERT_TRUE(set_online(1, true));
		sleep_ns(500 * NSEC_PER_MSEC);	/* a work item has to run first */
	}
	for (round = 0; round < 3; round++) {
		spin_ns(100 * NSEC_PER_MSEC);
		for (cpu = 0; cpu < cpus; cpu++) {
			sum = (struct ring_sum){};
			ring_drain(&ring[cpu], &sum, NULL, NULL);
			EXPECT_GT(sum.samples, 0);
			EXPECT_FALSE(sum.broken);
			EXPECT_EQ(0, sum.lost + sum.others);
		}
		if (cpus < 2 || !set_online(1, false))
			continue;
		ASSERT_TRUE(set_online(1, true));
		sleep_ns(500 * NSEC_PER_MSEC);
	}
	for (cpu = 0; cpu < cpus; cpu++)
		ring_unmap(&ring[cpu]);
	close(fd);
}

TEST_HARNESS_MAIN
