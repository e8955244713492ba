// SPDX-License-Identifier: GPL-2.0-only
/* Triggers: every kind of event that can cause a snapshot, and what is refused. */
#include "pmcgrp_ring.h"
#include "kselftest_harness.h"

#define TRACING	"/sys/kernel/tracing/"
#ifdef __aarch64__
#define GETPPID	"__arm64_sys_getppid"
#else
#define GETPPID	"__x64_sys_getppid"
#endif
#define RATE	"/proc/sys/kernel/perf_event_max_sample_rate"

FIXTURE(trigger)
{
	int dev;
	struct perf_event_attr attr[MIXED];
	long page;
	long rate;
};

static bool write_number(const char *path, long number)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", number);
	return file_write(path, text);
}

FIXTURE_SETUP(trigger)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	mixed_members(self->attr);
	self->page = sysconf(_SC_PAGESIZE);
	self->rate = file_number(RATE, "");
	ASSERT_GT(self->rate, 0);
}

FIXTURE_TEARDOWN(trigger)
{
	write_number(RATE, self->rate);
	close(self->dev);
}

static struct perf_event_attr clock_every(uint64_t ns)
{
	return every(ns, sw(PERF_COUNT_SW_CPU_CLOCK));
}

/* A group of this task with a ring and one trigger; the descriptor, or -errno. */
static int triggered(int dev, const struct perf_event_attr *members, unsigned int nr,
		     uint64_t flags, struct perf_event_attr by, unsigned int pages,
		     struct ring *ring)
{
	struct pmcgrp_trigger_add add;
	int fd, err;

	*ring = (struct ring){};
	fd = group_of(dev, nr, members, flags);
	if (fd < 0)
		return fd;
	err = ring_ready(fd, pages, ring) ? add_trigger(fd, &by, &add) : -EIO;
	if (!err)
		return fd;
	close(fd);
	return err;
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

TEST_F(trigger, refused)
{
	struct pmcgrp_trigger_add add;
	struct perf_event_attr attr;
	struct ring ring;
	int fd;

	fd = group_of(self->dev, 1, self->attr, 0);
	ASSERT_GE(fd, 0);
	attr = clock_every(NSEC_PER_MSEC);
	EXPECT_EQ(-EINVAL, add_trigger(fd, &attr, &add));
	EXPECT_EQ(PMCGRP_WHY_RING, add.why);
	ASSERT_TRUE(ring_ready(fd, 1, &ring));

	attr = sw(PERF_COUNT_SW_CPU_CLOCK);
	EXPECT_EQ(-EINVAL, add_trigger(fd, &attr, &add));
	EXPECT_EQ(PMCGRP_WHY_PERIOD, add.why);
	attr = clock_every(1ULL << 63);
	EXPECT_EQ(-EINVAL, add_trigger(fd, &attr, &add));
	EXPECT_EQ(PMCGRP_WHY_PERIOD, add.why);
	attr.freq = 1;
	attr.sample_freq = 100001;
	EXPECT_EQ(-EINVAL, add_trigger(fd, &attr, &add));
	EXPECT_EQ(PMCGRP_WHY_PERIOD, add.why);
	attr = clock_every(NSEC_PER_MSEC);
	attr.sample_type = PERF_SAMPLE_IP;
	EXPECT_EQ(-EINVAL, add_trigger(fd, &attr, &add));
	EXPECT_EQ(PMCGRP_WHY_ATTR_FIELD, add.why);
	attr = every(1, event(PERF_TYPE_BREAKPOINT, 0));
	EXPECT_EQ(-EOPNOTSUPP, add_trigger(fd, &attr, &add));
	EXPECT_EQ(PMCGRP_WHY_EVENT_KIND, add.why);
	attr = every(1, sw(999));
	EXPECT_EQ(-ENOENT, add_trigger(fd, &attr, &add));
	EXPECT_EQ(PMCGRP_WHY_EVENT_UNKNOWN, add.why);
	attr = every(1, event(PERF_TYPE_TRACEPOINT, 0xffffff));
	EXPECT_LT(add_trigger(fd, &attr, &add), 0);
	EXPECT_NE(PMCGRP_WHY_NONE, add.why);
	EXPECT_EQ(0, add.id);
	EXPECT_EQ(0, add.index);

	attr = clock_every(NSEC_PER_MSEC);
	add = (struct pmcgrp_trigger_add){ .size = sizeof(add), .flags = 1,
					   .attr = (uintptr_t)&attr };
	EXPECT_EQ(-1, ioctl(fd, PMCGRP_IOC_TRIGGER, &add));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(PMCGRP_WHY_FLAGS, add.why);
	add = (struct pmcgrp_trigger_add){ .size = sizeof(add), .__reserved = 1,
					   .attr = (uintptr_t)&attr };
	EXPECT_EQ(-1, ioctl(fd, PMCGRP_IOC_TRIGGER, &add));
	EXPECT_EQ(PMCGRP_WHY_RESERVED, add.why);
	add = (struct pmcgrp_trigger_add){ .size = sizeof(add) };
	EXPECT_EQ(-1, ioctl(fd, PMCGRP_IOC_TRIGGER, &add));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(PMCGRP_WHY_ATTR_POINTER, add.why);
	ring_unmap(&ring);
	close(fd);
}

TEST_F(trigger, as_many_as_there_may_be)
{
	struct perf_event_attr attr = every(1, sw(PERF_COUNT_SW_EMULATION_FAULTS));
	struct pmcgrp_trigger_add add;
	uint64_t last = 0;
	struct ring ring;
	unsigned int i;
	int fd;

	fd = group_of(self->dev, 1, self->attr, 0);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(ring_ready(fd, 1, &ring));
	for (i = 1; i <= PMCGRP_TRIGGERS_MAX; i++) {
		ASSERT_EQ(0, add_trigger(fd, &attr, &add));
		EXPECT_EQ(i, add.index);
		EXPECT_GT(add.id, last);
		last = add.id;
	}
	EXPECT_EQ(-ENOSPC, add_trigger(fd, &attr, &add));
	EXPECT_EQ(PMCGRP_WHY_TRIGGERS_MAX, add.why);
	ring_unmap(&ring);
	close(fd);
}

struct steps {
	uint64_t nr;
	uint64_t time;
	uint64_t enabled;
	uint64_t gap;
	unsigned long uneven;
	unsigned long backward;
};

/*
 * Each sample counts those before it, and itself or not: as perf core serves the member
 * or the trigger first, which may change when they are enabled or their task comes in.
 */
static void see_step(const struct sample *s, void *arg)
{
	struct steps *steps = arg;

	steps->uneven += s->read.m[0].value != steps->nr && s->read.m[0].value != steps->nr + 1;
	steps->nr++;
	steps->backward += s->time < steps->time || s->read.enabled < steps->enabled;
	if (steps->enabled && s->read.enabled - steps->enabled > steps->gap)
		steps->gap = s->read.enabled - steps->enabled;
	steps->time = s->time;
	steps->enabled = s->read.enabled;
}

/* Every page fault is a sample, and each sample shows one page fault more. */
TEST_F(trigger, page_faults)
{
	struct perf_event_attr faults = sw(PERF_COUNT_SW_PAGE_FAULTS);
	volatile char *mem = fresh_pages(300);
	struct ring_sum sum = {};
	struct steps steps = {};
	union record record;
	struct ring ring;
	unsigned int i;
	int fd;

	fd = triggered(self->dev, &faults, 1, PMCGRP_CREATE_DISABLED, every(1, faults), 16, &ring);
	ASSERT_GE(fd, 0);
	mem[0] = 1;
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	for (i = 1; i <= 100; i++)
		mem[i * self->page] = 1;
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	mem[i++ * self->page] = 1;
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	for (; i <= 201; i++)
		mem[i * self->page] = 1;
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(1, ring_record(&ring, 0, ring_head(&ring), &record));
	EXPECT_EQ((uintptr_t)mem + self->page, record.sample.addr);
	EXPECT_EQ(1, record.sample.period);
	ring_drain(&ring, &sum, see_step, &steps);
	EXPECT_EQ(200, sum.samples);
	EXPECT_EQ(0, sum.lost + sum.missed + sum.throttles + sum.others);
	EXPECT_EQ(0, steps.uneven);
	EXPECT_EQ(0, steps.backward);
	ring_unmap(&ring);
	close(fd);
}

TEST_F(trigger, every_hundredth)
{
	struct perf_event_attr faults = sw(PERF_COUNT_SW_PAGE_FAULTS);
	volatile char *mem = fresh_pages(2000);
	struct ring_sum sum = {};
	struct ring ring;
	unsigned int i;
	int fd;

	fd = triggered(self->dev, &faults, 1, 0, every(100, faults), 4, &ring);
	ASSERT_GE(fd, 0);
	for (i = 0; i < 2000; i++)
		mem[i * self->page] = 1;
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ring_drain(&ring, &sum, NULL, NULL);
	EXPECT_EQ(20, sum.samples);
	ring_unmap(&ring);
	close(fd);
}

/* The group's own switches: seen while the task still counts. */
TEST_F(trigger, context_switches)
{
	struct perf_event_attr switches = sw(PERF_COUNT_SW_CONTEXT_SWITCHES);
	struct ring_sum sum = {};
	struct steps steps = {};
	struct group_values v;
	struct ring ring;
	unsigned int i;
	int fd;

	fd = triggered(self->dev, &switches, 1, PMCGRP_CREATE_DISABLED, every(1, switches), 64,
		       &ring);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	for (i = 0; i < 100; i++)
		sleep_ns(NSEC_PER_MSEC / 10);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_TRUE(group_values(fd, 1, &v));
	/* a sleep may be over before it has begun */
	EXPECT_GE(v.m[0].value, 90);
	ring_drain(&ring, &sum, see_step, &steps);
	EXPECT_LE(sum.samples, v.m[0].value);
	EXPECT_GE(sum.samples + 1, v.m[0].value);
	EXPECT_EQ(0, sum.lost + sum.missed + sum.others);
	EXPECT_EQ(0, steps.backward);
	ring_unmap(&ring);
	close(fd);
}

/*
 * A clock of 100 us: ten samples in each millisecond that the task runs, none late
 * without a record that says so.
 */
static void clock_for(struct __test_metadata *_metadata, int dev, struct perf_event_attr by,
		      uint64_t period, uint64_t ns)
{
	struct perf_event_attr faults = sw(PERF_COUNT_SW_PAGE_FAULTS);
	struct ring_sum sum = {};
	struct steps steps = {};
	struct group_values v;
	uint64_t expected, slack;
	struct ring ring;
	int fd;

	fd = triggered(dev, &faults, 1, PMCGRP_CREATE_DISABLED, by, 1024, &ring);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	spin_ns(ns);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_TRUE(group_values(fd, 1, &v));
	ring_drain(&ring, &sum, see_step, &steps);
	expected = v.enabled / period;
	TH_LOG("%llu us in %llu ms: %lu samples of %llu, %lu missed, %lu throttled, gap %llu ns",
	       (unsigned long long)period / 1000, (unsigned long long)v.enabled / NSEC_PER_MSEC,
	       sum.samples, (unsigned long long)expected, sum.missed, sum.throttles,
	       (unsigned long long)steps.gap);
	EXPECT_EQ(0, sum.lost + sum.others);
	EXPECT_FALSE(sum.broken);
	EXPECT_EQ(0, steps.backward);
	slack = deterministic() ? 1 : 1 + expected / (slow_kernel() ? 10 : 50);
	EXPECT_LE(sum.samples + sum.missed, expected + slack);
	/*
	 * What is missed as a task leaves and comes is known to a period only, and perf core
	 * begins one anew there: where the host stops the guest that is a lot.
	 */
	if (deterministic())
		EXPECT_GE(sum.samples + sum.missed + slack, expected);
	if (deterministic()) {
		EXPECT_EQ(0, sum.missed);
		EXPECT_EQ(0, sum.throttles);
	}
	if (!sum.missed && !sum.throttles)
		EXPECT_LE(steps.gap, 2 * period);
	ring_unmap(&ring);
	close(fd);
}

TEST_F_TIMEOUT(trigger, clocks, 120)
{
	struct perf_event_attr freq = sw(PERF_COUNT_SW_TASK_CLOCK);

	ASSERT_TRUE(write_number(RATE, 400000));
	clock_for(_metadata, self->dev, clock_every(NSEC_PER_MSEC / 10), NSEC_PER_MSEC / 10,
		  200 * NSEC_PER_MSEC);
	clock_for(_metadata, self->dev, every(NSEC_PER_MSEC, sw(PERF_COUNT_SW_TASK_CLOCK)),
		  NSEC_PER_MSEC, 200 * NSEC_PER_MSEC);
	freq.freq = 1;
	freq.sample_freq = 5000;
	clock_for(_metadata, self->dev, freq, 200000, 200 * NSEC_PER_MSEC);
}

/* One that perf core stops says so, and when it goes on. */
TEST_F(trigger, throttled)
{
	struct perf_event_attr faults = sw(PERF_COUNT_SW_PAGE_FAULTS);
	struct ring_sum sum = {};
	struct steps steps = {};
	struct group_values v;
	struct ring ring;
	uint64_t due;
	int fd;

	ASSERT_TRUE(write_number(RATE, 2000));
	fd = triggered(self->dev, &faults, 1, PMCGRP_CREATE_DISABLED, clock_every(100000), 256,
		       &ring);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	spin_ns(300 * NSEC_PER_MSEC);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_TRUE(group_values(fd, 1, &v));
	ring_drain(&ring, &sum, see_step, &steps);
	due = v.enabled / 100000;
	TH_LOG("%lu samples of %llu, %lu missed, %lu throttled, %lu unthrottled", sum.samples,
	       (unsigned long long)due, sum.missed, sum.throttles, sum.unthrottles);
	EXPECT_FALSE(sum.broken);
	EXPECT_GE(sum.throttles, 20);
	EXPECT_LE(sum.throttles, sum.unthrottles + 1);
	EXPECT_GE(sum.throttles, sum.unthrottles);
	EXPECT_LT(sum.samples, due * 9 / 10);
	/* what was not taken is counted, but after the last throttling */
	EXPECT_LE(sum.samples + sum.missed, due + 1);
	if (deterministic())
		EXPECT_GE(sum.samples + sum.missed + 100, due);
	ring_unmap(&ring);
	close(fd);
}

/* A tracepoint, and several triggers beside each other, each known by its id. */
TEST_F(trigger, tracepoint_among_others)
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
	ASSERT_EQ(1, ioctl(fd, PMCGRP_IOC_SNAPSHOT, 0));
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

static __attribute__((noinline)) int probed(int x)
{
	asm volatile("" : "+r"(x));
	return x + 1;
}

/* A kprobe, a kretprobe and a uprobe, by pointer: no trace of them is left in tracefs. */
TEST_F(trigger, probes)
{
	static const char self_exe[] = "/proc/self/exe", nobody[] = "no_such_function";
	long kprobe = pmu_type("kprobe"), uprobe = pmu_type("uprobe");
	struct perf_event_attr faults = sw(PERF_COUNT_SW_PAGE_FAULTS), by;
	extern char __ehdr_start;
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
			by.config2 = (uintptr_t)probed - (uintptr_t)&__ehdr_start;
		}
		fd = triggered(self->dev, &faults, 1, PMCGRP_CREATE_DISABLED, by, 16, &ring);
		ASSERT_GE(fd, 0) TH_LOG("probe %u: %s", kind, strerror(-fd));
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		for (i = 0; i < 40; i++) {
			syscall(SYS_getppid);
			if (i % 2)
				x = probed(x);
		}
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		sum = (struct ring_sum){};
		ring_drain(&ring, &sum, NULL, NULL);
		EXPECT_EQ(kind < 2 ? 40 : 20, sum.samples);
		EXPECT_EQ(0, sum.lost + sum.missed + sum.others);
		ring_unmap(&ring);
		close(fd);
	}
	/* nobody there */
	by = every(1, event(kprobe, 0));
	by.config1 = (uintptr_t)nobody;
	EXPECT_LT(triggered(self->dev, &faults, 1, 0, by, 16, &ring), 0);
}

/* A counter of its own that overflows every so many cycles. */
TEST_F(trigger, hardware)
{
	struct perf_event_attr by = every(100000, hw(PERF_COUNT_HW_CPU_CYCLES));
	struct perf_event_attr attr[2] = { raw_copy(ARM_CPU_CYCLES, 0),
					   raw_copy(ARM_INST_RETIRED, 0) };
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

/* The group counts from execve() on, and its trigger fires from there. */
TEST_F(trigger, enabled_by_exec)
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
TEST_F_TIMEOUT(trigger, cpus, 120)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), cpu;
	struct perf_event_attr clock = sw(PERF_COUNT_SW_CPU_CLOCK), by = clock_every(NSEC_PER_MSEC);
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
