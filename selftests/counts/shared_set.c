// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups with the same events of the same task, process, inherited tasks or CPU share one list. Each
 * shows what it would show alone, to the last page fault, whatever is done to the others. That
 * holds for readers on other CPUs too, while groups are created, get a set of their own, and are
 * closed. Nothing is left in the end.
 */
#include "pmcgrp_after.h"
#include "pmcgrp_keys.h"
#include "pmcgrp_ring.h"
#include <linux/capability.h>
#include "kselftest_harness.h"

#define NR 2
#define PAGES 20000
#define GROUPS 6
#define STEPS 3000
#define READERS 2
#define WRONG_MOST 16

/* What a group was to show, and what it shows. */
struct wrong {
	int line;
	long want;
	long shown;
};

FIXTURE(shared_set)
{
	int dev;
	struct perf_event_attr attr[NR];
	volatile char *mem;
	unsigned int touched;
	struct wrong wrong[WRONG_MOST];
	unsigned int nr_wrong;
	long refs;
	uint32_t type;
	uint64_t flags;
};

FIXTURE_VARIANT(shared_set)
{
	uint32_t type;
	uint64_t flags;
};

FIXTURE_VARIANT_ADD(shared_set, task){
	.type = PMCGRP_TARGET_TASK,
};

FIXTURE_VARIANT_ADD(shared_set, process){
	.type = PMCGRP_TARGET_PROCESS,
};

FIXTURE_VARIANT_ADD(shared_set, inherited){
	.type = PMCGRP_TARGET_TASK,
	.flags = PMCGRP_CREATE_INHERIT,
};

FIXTURE_VARIANT_ADD(shared_set, cpu){
	.type = PMCGRP_TARGET_CPU,
};

FIXTURE_SETUP(shared_set)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	/* A hardware event, where there is a PMU, and page faults, all caused by this test. */
	self->attr[0] = have_cycles() ? hw(PERF_COUNT_HW_CPU_CYCLES) :
					sw(PERF_COUNT_SW_TASK_CLOCK);
	self->attr[1] = sw(PERF_COUNT_SW_PAGE_FAULTS);
	/* From here on there is no other: what is called, and its data, has its pages. */
	ASSERT_EQ(0, mlockall(MCL_CURRENT));
	self->mem = fresh_pages(PAGES);
	ASSERT_NE(NULL, self->mem);
	if (variant->type == PMCGRP_TARGET_CPU)
		ASSERT_TRUE(run_on(0));
	self->refs = module_refs();
	self->type = variant->type;
	self->flags = variant->flags;
}

FIXTURE_TEARDOWN(shared_set)
{
	EXPECT_TRUE(refs_return_to(self->refs));
	close(self->dev);
}

static void touch(struct _test_data_shared_set *self, unsigned int pages)
{
	size_t page = sysconf(_SC_PAGESIZE);

	while (pages--)
		self->mem[page * self->touched++] = 1;
}

static int group_like(struct _test_data_shared_set *self, pid_t pid,
		      const struct perf_event_attr *attr, uint64_t flags)
{
	struct ask ask = { .target_type = self->type,
			   .target_id = self->type == PMCGRP_TARGET_CPU ? 0 : pid,
			   .flags = self->flags | flags,
			   .nr = NR,
			   .attr = attr };

	return ask_group(self->dev, &ask);
}

static int group(struct _test_data_shared_set *self, uint64_t flags)
{
	return group_like(self, 0, self->attr, flags);
}

static bool is_one_task(const struct _test_data_shared_set *self)
{
	return self->type == PMCGRP_TARGET_TASK && !self->flags;
}

static int enable(int fd, bool on)
{
	return ioctl(fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

/* Returns the page faults that a group shows; -1 if its other values cannot be right. */
static long faults(int fd)
{
	struct group_values v;

	if (!group_values(fd, NR, &v) || v.running > v.enabled)
		return -1;
	return v.m[1].value;
}

/*
 * Faults on CPU 0 so far, by perf: others may cause some there, now and then.  What counts this task
 * has none but its own.
 */
static long faults_on_cpu(int perf)
{
	uint64_t count;

	return perf >= 0 && read(perf, &count, sizeof(count)) == sizeof(count) ? (long)count : 0;
}

/* A group is to show so many page faults; known once it is clear that others have caused none. */
#define SHOWS(want, fd) shows(self, __LINE__, want, faults(fd))

static void shows(struct _test_data_shared_set *self, int line, long want, long shown)
{
	if (want != shown && self->nr_wrong < WRONG_MOST)
		self->wrong[self->nr_wrong++] =
			(struct wrong){ .line = line, .want = want, .shown = shown };
}

typedef void (*steps_func_t)(struct __test_metadata *_metadata, struct _test_data_shared_set *self);

/* Does steps that SHOWS() checks: of CPU 0 once more where others have caused faults meanwhile. */
static void do_alone(struct __test_metadata *_metadata, struct _test_data_shared_set *self,
		     steps_func_t steps)
{
	bool of_cpu = self->type == PMCGRP_TARGET_CPU;
	int perf = of_cpu ? perf_open(&self->attr[1], -1, 0, -1) : -1;
	unsigned int i, again = 0;
	long others;

	ASSERT_TRUE(!of_cpu || perf >= 0);
	do {
		self->nr_wrong = 0;
		others = faults_on_cpu(perf) - self->touched;
		steps(_metadata, self);
	} while (of_cpu && faults_on_cpu(perf) - self->touched != others && ++again < 20);
	EXPECT_LT(again, 20);
	for (i = 0; i < self->nr_wrong; i++)
		EXPECT_EQ(self->wrong[i].want, self->wrong[i].shown)
		{
			TH_LOG("line %d", self->wrong[i].line);
		}
	if (perf >= 0)
		close(perf);
}

static void each_from_its_own_beginning_steps(struct __test_metadata *_metadata,
					      struct _test_data_shared_set *self)
{
	int a, b, c, d;

	a = group(self, 0);
	ASSERT_GE(a, 0);
	touch(self, 10);
	b = group(self, 0);
	ASSERT_GE(b, 0);
	touch(self, 20);
	c = group(self, PMCGRP_CREATE_DISABLED);
	ASSERT_GE(c, 0);
	touch(self, 30);
	SHOWS(60, a);
	SHOWS(50, b);
	SHOWS(0, c);

	ASSERT_EQ(0, enable(b, false));
	touch(self, 5);
	ASSERT_EQ(0, enable(c, true));
	touch(self, 7);
	SHOWS(72, a);
	SHOWS(50, b);
	SHOWS(7, c);

	/* the group that owns the set: only its own counts change */
	ASSERT_EQ(0, ioctl(a, PERF_EVENT_IOC_RESET, 0));
	ASSERT_EQ(0, enable(a, false));
	touch(self, 2);
	ASSERT_EQ(0, enable(b, true));
	touch(self, 1);
	SHOWS(0, a);
	SHOWS(51, b);
	SHOWS(10, c);
	ASSERT_EQ(0, enable(a, true));
	touch(self, 3);
	SHOWS(3, a);
	ASSERT_EQ(0, ioctl(b, PERF_EVENT_IOC_RESET, PMCGRP_IOC_FLAG_TIMES));

	/* the set remains for the other groups, and for a new one */
	close(a);
	touch(self, 4);
	SHOWS(4, b);
	SHOWS(17, c);
	ASSERT_EQ(0, enable(b, false));
	ASSERT_EQ(0, enable(c, false));
	touch(self, 6);
	d = group(self, 0);
	ASSERT_GE(d, 0);
	touch(self, 8);
	SHOWS(4, b);
	SHOWS(17, c);
	SHOWS(8, d);
	close(b);
	close(c);
	touch(self, 1);
	SHOWS(9, d);
	close(d);
}

TEST_F(shared_set, each_from_its_own_beginning)
{
	do_alone(_metadata, self, each_from_its_own_beginning_steps);
}

/* Each group has its own times. */
TEST_F(shared_set, times)
{
	struct group_values a[2], b[2];
	int fd[2];

	fd[0] = group(self, 0);
	ASSERT_GE(fd[0], 0);
	loop(1000000);
	fd[1] = group(self, 0);
	ASSERT_GE(fd[1], 0);
	ASSERT_TRUE(group_values(fd[1], NR, &b[0]));
	ASSERT_TRUE(group_values(fd[0], NR, &a[0]));
	EXPECT_LT(b[0].enabled, a[0].enabled);
	EXPECT_EQ(a[0].enabled, a[0].running);
	EXPECT_EQ(b[0].enabled, b[0].running);

	ASSERT_EQ(0, enable(fd[0], false));
	ASSERT_TRUE(group_values(fd[0], NR, &a[0]));
	loop(1000000);
	ASSERT_TRUE(group_values(fd[0], NR, &a[1]));
	ASSERT_TRUE(group_values(fd[1], NR, &b[1]));
	EXPECT_TRUE(group_same(&a[0], &a[1], NR));
	EXPECT_LT(b[0].enabled, b[1].enabled);
	EXPECT_EQ(b[1].enabled, b[1].running);
	close(fd[0]);
	close(fd[1]);
}

/* What is shown of the only CPU is what is shown of the group, whatever others count. */
static void read_cpus_steps(struct __test_metadata *_metadata,
			    struct _test_data_shared_set *self)
{
	static const uint64_t shown[] = { 13, 3, 6, 0 };
	CPU_RECORD(NR) record;
	struct pmcgrp_read_cpus arg;
	struct group_values v;
	unsigned int step;
	int fd[2];

	for (step = 0; step < 2; step++) {
		fd[step] = group(self, 0);
		ASSERT_GE(fd[step], 0);
		touch(self, 10);
	}
	for (step = 0; step < 4; step++) {
		if (step == 1)
			ASSERT_EQ(0, ioctl(fd[1], PERF_EVENT_IOC_RESET, PMCGRP_IOC_FLAG_TIMES));
		if (step == 3)
			ASSERT_EQ(0, ioctl(fd[1], PERF_EVENT_IOC_RESET, 0));
		touch(self, 3);
		if (step >= 2)
			ASSERT_EQ(0, enable(fd[1], false));
		ASSERT_EQ(0, read_cpus(fd[1], &record, sizeof(record), &arg));
		ASSERT_TRUE(group_values(fd[1], NR, &v));
		ASSERT_EQ(1, arg.nr_cpus);
		EXPECT_EQ(0, record.cpu);
		shows(self, __LINE__, shown[step], record.m[1].value);
		shows(self, __LINE__, shown[step], v.m[1].value);
		EXPECT_LE(record.enabled, v.enabled);
		if (step >= 2)
			EXPECT_EQ(record.enabled, v.enabled);
	}
	close(fd[0]);
	close(fd[1]);
}

TEST_F(shared_set, read_cpus)
{
	if (self->type != PMCGRP_TARGET_CPU)
		SKIP(return, "of a CPU");
	do_alone(_metadata, self, read_cpus_steps);
}

/* perf core holds the module for each carrier event: the references show how many there are. */
TEST_F(shared_set, one_carrier_event)
{
	struct perf_event_attr other[NR] = { self->attr[1], self->attr[0] };
	long alone, before;
	int a, b, c;

	if (!is_one_task(self))
		SKIP(return, "of one task");
	before = module_refs();
	a = group(self, 0);
	ASSERT_GE(a, 0);
	alone = module_refs() - before;
	before = module_refs();
	b = group(self, 0);
	ASSERT_GE(b, 0);
	EXPECT_EQ(before + 1, module_refs()); /* its file */

	/* other events, or other flags: not shared */
	before = module_refs();
	c = group_of(self->dev, NR, other, 0);
	ASSERT_GE(c, 0);
	EXPECT_EQ(before + 1, module_refs());
	close(c);
	c = group_of(self->dev, 1, self->attr, 0);
	ASSERT_GE(c, 0);
	EXPECT_EQ(before + 1, module_refs());
	close(c);
	c = group(self, PMCGRP_CREATE_INHERIT);
	ASSERT_GE(c, 0);
	EXPECT_EQ(before + 1, module_refs());
	close(c);
	c = group(self, PMCGRP_CREATE_PINNED);
	ASSERT_GE(c, 0);
	EXPECT_EQ(before + 1, module_refs());
	close(c);

	/* the first group is closed; its carrier event stays until the last one is */
	close(a);
	EXPECT_EQ(before - 1, module_refs());
	close(b);
	EXPECT_TRUE(refs_return_to(before - alone - 1));
}

/* Groups with rings share a set with others.  The set gets a carrier event; no count is lost. */
TEST_F(shared_set, rings_of_some)
{
	struct pmcgrp_ring_setup setup;
	union record record;
	struct ring ring;
	int a, b, c;
	long before;

	if (!is_one_task(self))
		SKIP(return, "of one task");
	a = group(self, 0);
	ASSERT_GE(a, 0);
	touch(self, 3);
	b = group(self, 0);
	ASSERT_GE(b, 0);
	c = group(self, 0);
	ASSERT_GE(c, 0);
	touch(self, 4);
	ASSERT_EQ(0, enable(c, false));
	before = module_refs();
	ASSERT_TRUE(ring_ready(b, 1, &ring));
	before++;
	EXPECT_EQ(before, module_refs());
	EXPECT_EQ(4, faults(b));
	touch(self, 5);
	EXPECT_EQ(12, faults(a));
	EXPECT_EQ(9, faults(b));
	EXPECT_EQ(4, faults(c));
	ASSERT_EQ(1, sample_now(b, 0));

	/* the group that was there first, and one that is disabled */
	ASSERT_EQ(0, setup_ring(a, 0, PERF_SAMPLE_READ, 0, &setup));
	EXPECT_EQ(before, module_refs());
	EXPECT_EQ(0, sample_now(c, 0) > 0);
	EXPECT_EQ(12, faults(a));
	EXPECT_EQ(4, faults(c));
	ASSERT_EQ(0, enable(c, true));
	touch(self, 6);
	close(a);
	EXPECT_EQ(15, faults(b));
	EXPECT_EQ(10, faults(c));

	/* a group shares what has a ring */
	before = module_refs();
	a = group(self, 0);
	ASSERT_GE(a, 0);
	EXPECT_EQ(before + 1, module_refs());
	touch(self, 2);
	EXPECT_EQ(2, faults(a));
	close(c);
	close(b);
	EXPECT_EQ(2, faults(a));
	close(a);
	ASSERT_EQ(1, ring_next(&ring, &record));
	EXPECT_EQ(9, record.sample.read.m[1].value);
	ring_unmap(&ring);
}

/* A group of several tasks has a list of its own from when it has a ring or keys.  It goes on. */
static void own_list_steps(struct __test_metadata *_metadata,
			   struct _test_data_shared_set *self)
{
	struct pmcgrp_ring_setup setup;
	struct table table = {};
	int a, b, c, d;

	a = group(self, 0);
	ASSERT_GE(a, 0);
	touch(self, 3);
	b = group(self, 0);
	ASSERT_GE(b, 0);
	c = group(self, PMCGRP_CREATE_DISABLED);
	ASSERT_GE(c, 0);
	touch(self, 4);
	ASSERT_EQ(0, setup_ring(a, 0, PERF_SAMPLE_READ, 0, &setup));
	SHOWS(7, a);
	SHOWS(4, b);
	touch(self, 5);
	SHOWS(12, a);
	SHOWS(9, b);
	/* one that is disabled, and keeps what it has counted */
	ASSERT_EQ(0, enable(c, true));
	touch(self, 1);
	ASSERT_EQ(0, enable(c, false));
	touch(self, 1);
	ASSERT_EQ(0, table_make(c, PMCGRP_KEY_THREAD, 16, &table));
	SHOWS(1, c);
	touch(self, 1);
	ASSERT_EQ(0, enable(c, true));
	touch(self, 2);
	SHOWS(3, c);
	ASSERT_EQ(0, ioctl(c, PERF_EVENT_IOC_RESET, 0));
	touch(self, 3);
	SHOWS(3, c);
	SHOWS(20, a);
	SHOWS(17, b);
	/* nobody shares it; the other list goes on without them */
	d = group(self, 0);
	ASSERT_GE(d, 0);
	close(a);
	touch(self, 1);
	SHOWS(18, b);
	SHOWS(4, c);
	SHOWS(1, d);
	/* the last one of its list has it alone */
	close(d);
	ASSERT_EQ(0, setup_ring(b, 0, PERF_SAMPLE_READ, 0, &setup));
	touch(self, 1);
	SHOWS(19, b);
	table_unmap(&table);
	close(b);
	close(c);
}

TEST_F(shared_set, own_list)
{
	if (is_one_task(self))
		SKIP(return, "of several tasks");
	do_alone(_metadata, self, own_list_steps);
}

/* The target has exited: each group keeps its counts. */
TEST_F(shared_set, the_target_has_gone)
{
	struct pmcgrp_ring_setup setup;
	struct group_values v, w;
	pid_t pid = spinner(-1);
	int a, b;

	if (!is_one_task(self))
		SKIP(return, "of one task");
	ASSERT_GT(pid, 0);
	a = group_of_task(self->dev, pid, NR, self->attr, 0);
	b = group_of_task(self->dev, pid, NR, self->attr, 0);
	sleep_ns(20 * NSEC_PER_MSEC);
	ASSERT_TRUE(end_child(pid));
	ASSERT_TRUE(group_values(b, NR, &v));
	EXPECT_LT(0, v.m[0].value);
	EXPECT_EQ(-ESRCH, setup_ring(b, 0, PERF_SAMPLE_READ, 0, &setup));
	EXPECT_EQ(PMCGRP_WHY_TASK_GONE, setup.why);
	EXPECT_EQ(-ESRCH, setup_ring(a, 0, PERF_SAMPLE_READ, 0, &setup));
	close(a);
	ASSERT_EQ(0, enable(b, false));
	ASSERT_EQ(0, enable(b, true));
	ASSERT_TRUE(group_values(b, NR, &w));
	EXPECT_TRUE(group_same(&v, &w, NR));
	close(b);
}

/* Of a task that has exited, and is still to be waited for, there are no new groups. */
TEST_F(shared_set, of_a_zombie)
{
	struct perf_event_attr other[NR] = { self->attr[0], sw(PERF_COUNT_SW_PAGE_FAULTS_MIN) };
	pid_t pid = waiter();
	siginfo_t info;
	int a;

	if (self->type == PMCGRP_TARGET_CPU)
		SKIP(return, "of tasks");
	ASSERT_GT(pid, 0);
	a = group_like(self, pid, self->attr, 0);
	ASSERT_GE(a, 0);
	ASSERT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(0, waitid(P_PID, pid, &info, WEXITED | WNOWAIT));
	EXPECT_EQ(-ESRCH, group_like(self, pid, self->attr, 0));
	EXPECT_EQ(-ESRCH, group_like(self, pid, other, 0));
	EXPECT_LE(0, faults(a));
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	close(a);
}

/* PMCGRP_IOC_INFO describes the group of the descriptor; closed groups are not reported. */
TEST_F(shared_set, info)
{
	struct pmcgrp_info_cpu cpu[NR];
	struct pmcgrp_info info;
	uint64_t id[2];
	int a, b;

	a = group(self, 0);
	ASSERT_GE(a, 0);
	b = group(self, PMCGRP_CREATE_DISABLED);
	ASSERT_GE(b, 0);
	ASSERT_EQ(0, ioctl(a, PERF_EVENT_IOC_ID, &id[0]));
	ASSERT_EQ(0, ioctl(b, PERF_EVENT_IOC_ID, &id[1]));
	ASSERT_EQ(0, group_info(a, 0, &info, cpu, NR));
	EXPECT_EQ(id[0], info.id);
	EXPECT_EQ(1, info.enabled);
	EXPECT_EQ(1, info.nr_targets);
	EXPECT_EQ(PMCGRP_STATE_RUNNING, cpu[0].state);
	EXPECT_EQ(2, cpu[0].groups);
	ASSERT_EQ(0, group_info(b, 0, &info, cpu, NR));
	EXPECT_EQ(id[1], info.id);
	EXPECT_EQ(0, info.enabled);
	EXPECT_EQ(1, info.nr_targets);
	EXPECT_EQ(0, info.time_enabled);
	EXPECT_EQ(PMCGRP_STATE_DISABLED, cpu[0].state);

	ASSERT_EQ(0, enable(b, true));
	ASSERT_EQ(0, enable(a, false));
	ASSERT_EQ(0, group_info(a, 0, &info, cpu, NR));
	EXPECT_EQ(0, info.enabled);
	EXPECT_EQ(PMCGRP_STATE_DISABLED, cpu[0].state);
	ASSERT_EQ(0, group_info(b, 0, &info, cpu, NR));
	EXPECT_EQ(1, info.enabled);
	EXPECT_EQ(PMCGRP_STATE_RUNNING, cpu[0].state);

	close(a);
	ASSERT_EQ(0, group_info(self->dev, id[0], &info, cpu, NR));
	EXPECT_EQ(id[1], info.id);
	EXPECT_EQ(1, cpu[0].groups);
	EXPECT_EQ(-ENOENT, group_info(self->dev, id[1] + 1, &info, cpu, NR));
	close(b);
}

/* A group, and the counts that it must show. */
struct known {
	int fd;
	unsigned int set; /* of those in other_events() */
	bool on;
	bool ring;
	unsigned long faults;
	long shown;
};

/* The k-th set of events, with page faults as its second one; the first is the usual one. */
static void other_events(const struct _test_data_shared_set *self, struct perf_event_attr *attr,
			 unsigned int k)
{
	static const uint64_t counts[] = { PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_TASK_CLOCK,
					   PERF_COUNT_SW_CONTEXT_SWITCHES,
					   PERF_COUNT_SW_ALIGNMENT_FAULTS };

	attr[0] = k ? sw(counts[k % ARRAY_SIZE(counts)]) : self->attr[0];
	attr[1] = self->attr[1];
}

static bool known_open(struct _test_data_shared_set *self, struct known *known, unsigned int set,
		       bool on)
{
	struct perf_event_attr attr[NR];

	other_events(self, attr, set);
	*known = (struct known){ .set = set, .on = on };
	known->fd = group_like(self, 0, attr, on ? 0 : PMCGRP_CREATE_DISABLED);
	return known->fd >= 0;
}

static bool known_control(struct known *known, unsigned int cmd)
{
	if (cmd == PERF_EVENT_IOC_RESET)
		known->faults = 0;
	else
		known->on = cmd == PERF_EVENT_IOC_ENABLE;
	return !ioctl(known->fd, cmd, 0);
}

static bool known_ring(struct known *known)
{
	struct pmcgrp_ring_setup setup;
	int err = setup_ring(known->fd, 0, PERF_SAMPLE_READ, 0, &setup);
	bool first = !known->ring;

	known->ring = true;
	return err == (first ? 0 : -EBUSY);
}

/* Does one random operation to a group; false: it was refused. */
static bool known_step(struct _test_data_shared_set *self, struct known *known, struct rng *rng)
{
	bool on = chance(rng, 70);

	switch (below(rng, 12)) {
	case 0:
	case 1:
		close(known->fd);
		return known_open(self, known, known->set, on);
	case 2:
		return known_ring(known);
	case 3:
		return known_control(known, PERF_EVENT_IOC_RESET);
	default:
		return known_control(known, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE);
	}
}

/*
 * Of CPU 0, takes what groups show for right at a time when others cause no faults.  Returns how many
 * there are.
 */
static long known_begin(struct known *known, bool of_cpu, int perf)
{
	long all;
	unsigned int k;

	do {
		all = faults_on_cpu(perf);
		for (k = 0; of_cpu && k < GROUPS; k++)
			known[k].faults = faults(known[k].fd);
	} while (faults_on_cpu(perf) != all);
	return all;
}

/*
 * Does random operations to groups with so many sets; each must show its own counts.  A step in
 * which others cause faults is no test: what the groups show is as it has to be afterwards.
 */
static void known_steps(struct __test_metadata *_metadata, struct _test_data_shared_set *self,
			unsigned int sets)
{
	bool of_cpu = self->type == PMCGRP_TARGET_CPU, good = true, alone;
	struct rng rng = { .state = 7 };
	struct known known[GROUPS] = {};
	unsigned int k, n, step, others = 0;
	int perf = of_cpu ? perf_open(&self->attr[1], -1, 0, -1) : -1;
	long before, after;

	ASSERT_TRUE(!of_cpu || perf >= 0);
	for (k = 0; k < GROUPS; k++)
		ASSERT_TRUE(known_open(self, &known[k], k % sets, true));
	before = known_begin(known, of_cpu, perf);
	for (step = 0; step < STEPS && good; step++) {
		k = below(&rng, GROUPS);
		ASSERT_TRUE(known_step(self, &known[k], &rng))
		{
			TH_LOG("step %u: refused: %s", step, strerror(errno));
		}
		n = below(&rng, 8);
		touch(self, n);
		for (k = 0; k < GROUPS; k++) {
			known[k].faults += known[k].on ? n : 0;
			known[k].shown = faults(known[k].fd);
		}
		after = faults_on_cpu(perf);
		alone = !of_cpu || after - before == n;
		before = after;
		for (k = 0; alone && k < GROUPS; k++)
			good &= known[k].shown == (long)known[k].faults;
		if (alone)
			continue;
		others++;
		before = known_begin(known, of_cpu, perf);
	}
	EXPECT_TRUE(good)
	{
		TH_LOG("step %u: not what was done", step);
		for (k = 0; k < GROUPS; k++)
			TH_LOG("group %u, on %d ring %d: %ld for %lu", k, known[k].on, known[k].ring,
			       known[k].shown, known[k].faults);
	}
	EXPECT_LT(others, STEPS / 10);
	if (perf >= 0)
		close(perf);
	for (k = 0; k < GROUPS; k++)
		close(known[k].fd);
}

TEST_F_TIMEOUT(shared_set, each_as_if_alone, 300)
{
	known_steps(_metadata, self, 1);
}

/* Some groups have other events; some share a set that is not the task's first. */
TEST_F_TIMEOUT(shared_set, each_as_if_alone_with_other_sets, 300)
{
	known_steps(_metadata, self, 4);
}

/* Reads without end: counts and times never decrease, and running never exceeds enabled. */
static int reader(int fd, const volatile bool *stop)
{
	struct group_values v = {}, w;

	while (!*stop) {
		if (!group_values(fd, NR, &w) || !group_follows(&v, &w, NR))
			return 1;
		v = w;
	}
	return 0;
}

/*
 * A group is read on other CPUs all the time, while others are created before and after it, are
 * enabled and disabled, and while it gets a carrier event of its own.
 */
static void read_meanwhile(struct __test_metadata *_metadata, struct _test_data_shared_set *self,
			   const struct perf_event_attr *attr)
{
	volatile bool *stop = shared_memory(sizeof(*stop));
	struct pmcgrp_ring_setup setup;
	pid_t readers[READERS], target = spinner(-1);
	unsigned int round, i;
	int a, b, c, status;

	ASSERT_NE(NULL, stop);
	ASSERT_GT(target, 0);
	for (round = 0; round < 20; round++) {
		*stop = false;
		a = group_like(self, target, self->attr, 0);
		b = group_like(self, target, attr, 0);
		c = group_like(self, target, attr, round & 1 ? PMCGRP_CREATE_DISABLED : 0);
		ASSERT_GE(c, 0);
		for (i = 0; i < READERS; i++) {
			readers[i] = fork();
			if (!readers[i]) {
				close(a);
				close(c);
				/* here, and away */
				if (self->type == PMCGRP_TARGET_CPU)
					run_on(i % sysconf(_SC_NPROCESSORS_ONLN));
				_exit(reader(b, stop));
			}
		}
		sleep_ns(2 * NSEC_PER_MSEC);
		for (i = 0; i < 10; i++) {
			ASSERT_EQ(0, enable(b, i & 1));
			ASSERT_EQ(0, enable(c, i & 2));
		}
		if (round & 6)
			ASSERT_EQ(0, setup_ring(round & 2 ? a : b, 0, PERF_SAMPLE_READ, 0, &setup));
		sleep_ns(2 * NSEC_PER_MSEC);
		close(a);
		sleep_ns(2 * NSEC_PER_MSEC);
		*stop = true;
		for (i = 0; i < READERS; i++) {
			ASSERT_EQ(readers[i], waitpid(readers[i], &status, 0));
			EXPECT_EQ(0, status);
		}
		close(b);
		close(c);
	}
	ASSERT_TRUE(end_child(target));
}

TEST_F_TIMEOUT(shared_set, read_meanwhile, 300)
{
	read_meanwhile(_metadata, self, self->attr);
}

/* The groups with the same events share a set that is not the task's first. */
TEST_F_TIMEOUT(shared_set, read_meanwhile_with_other_sets, 300)
{
	struct perf_event_attr attr[NR];

	other_events(self, attr, 1);
	read_meanwhile(_metadata, self, attr);
}

TEST_HARNESS_MAIN
