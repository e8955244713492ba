// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups with the same events of the same CPUs, of all, or of the same cgroup share one list.  Each
 * shows what it would show alone, to the last page fault: in sum and for each CPU, whatever is done
 * to the others.
 */
#include "pmcgrp_after.h"
#include "pmcgrp_keys.h"
#include "pmcgrp_machine.h"
#include "pmcgrp_ring.h"
#include "kselftest_harness.h"

#define NR 2
#define PAGES 20000
#define GROUPS 6
#define STEPS 2000
#define CPUS_MOST 64

FIXTURE(shared_cpus)
{
	int dev;
	struct perf_event_attr attr[NR];
	volatile char *mem;
	unsigned int touched;
	unsigned int nr_cpus;
	int perf[CPUS_MOST]; /* page faults on each CPU */
	uint32_t type;
};

FIXTURE_VARIANT(shared_cpus)
{
	uint32_t type;
};

FIXTURE_VARIANT_ADD(shared_cpus, all){
	.type = PMCGRP_TARGET_ALL_CPUS,
};

FIXTURE_VARIANT_ADD(shared_cpus, listed){
	.type = PMCGRP_TARGET_CPUS,
};

FIXTURE_VARIANT_ADD(shared_cpus, cgroup){
	.type = PMCGRP_TARGET_CGROUP,
};

FIXTURE_SETUP(shared_cpus)
{
	unsigned int cpu;

	self->type = variant->type;
	self->nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->attr[0] = have_cycles() ? hw(PERF_COUNT_HW_CPU_CYCLES) : sw(PERF_COUNT_SW_CPU_CLOCK);
	self->attr[1] = sw(PERF_COUNT_SW_PAGE_FAULTS);
	ASSERT_LE(self->nr_cpus, CPUS_MOST);
	for (cpu = 0; cpu < self->nr_cpus; cpu++) {
		self->perf[cpu] = perf_open(&self->attr[1], -1, cpu, -1);
		ASSERT_GE(self->perf[cpu], 0);
	}
	if (self->type == PMCGRP_TARGET_CGROUP) {
		ASSERT_TRUE(cgroups_mount());
		ASSERT_NE(0, cgroup_make("shared"));
		ASSERT_TRUE(cgroup_move("shared", 0));
	}
	/* From here on this test has no faults but those on purpose. */
	ASSERT_EQ(0, mlockall(MCL_CURRENT));
	self->mem = fresh_pages(PAGES);
	ASSERT_NE(NULL, self->mem);
}

FIXTURE_TEARDOWN(shared_cpus)
{
	if (self->type == PMCGRP_TARGET_CGROUP) {
		cgroup_move("", 0);
		cgroup_remove("shared");
	}
	close(self->dev);
}

static void touch(struct _test_data_shared_cpus *self, unsigned int pages)
{
	size_t page = sysconf(_SC_PAGESIZE);

	while (pages--)
		self->mem[page * self->touched++] = 1;
}

static int group(struct _test_data_shared_cpus *self, const struct perf_event_attr *attr,
		 uint64_t flags)
{
	struct ask ask = { .target_type = self->type, .flags = flags, .nr = NR, .attr = attr };

	if (self->type == PMCGRP_TARGET_CGROUP)
		return group_of_cgroup(self->dev, "shared", &ask);
	if (self->type == PMCGRP_TARGET_CPUS)
		ask.cpus = ~0ULL >> (CPUS_MOST - self->nr_cpus);
	return ask_group(self->dev, &ask);
}

/* Page faults on all CPUs so far, by perf: others may cause some, now and then. */
static long faults_of_all(const struct _test_data_shared_cpus *self)
{
	uint64_t count, sum = 0;
	unsigned int cpu;

	for (cpu = 0; cpu < self->nr_cpus; cpu++)
		sum += read(self->perf[cpu], &count, sizeof(count)) == sizeof(count) ? count : 0;
	return sum;
}

/* Page faults that a group shows: in sum, and that of each CPU; both have to be the same. */
struct shown {
	long sum;
	long by_cpu[CPUS_MOST];
};

/* The sum is read first: others may cause faults in between. */
static bool shows(const struct _test_data_shared_cpus *self, int fd, struct shown *shown)
{
	CPU_RECORD(NR) record[CPUS_MOST];
	struct pmcgrp_read_cpus arg;
	struct group_values v;
	long sum = 0;
	unsigned int i;

	*shown = (struct shown){};
	if (!group_values(fd, NR, &v) || v.running > v.enabled ||
	    read_cpus(fd, record, sizeof(record), &arg) || arg.nr_cpus != self->nr_cpus)
		return false;
	for (i = 0; i < arg.nr_cpus; i++) {
		if (record[i].running > record[i].enabled || record[i].cpu >= CPUS_MOST)
			return false;
		shown->by_cpu[record[i].cpu] = record[i].m[1].value;
		sum += record[i].m[1].value;
	}
	shown->sum = v.m[1].value;
	return sum >= shown->sum;
}

/* A group, and the counts that it must show. */
struct known {
	int fd;
	bool on;
	bool ring;
	struct shown is;
};

/* The k-th set of events, with page faults as its second one; the first is the usual one. */
static bool known_open(struct _test_data_shared_cpus *self, struct known *known, unsigned int set,
		       bool on)
{
	struct perf_event_attr attr[NR] = { self->attr[0], self->attr[1] };

	if (set)
		attr[0] = sw(PERF_COUNT_SW_CPU_MIGRATIONS);
	*known = (struct known){ .on = on };
	known->fd = group(self, attr, on ? 0 : PMCGRP_CREATE_DISABLED);
	return known->fd >= 0;
}

/* Rings and tables give a group a list of its own. */
static bool known_own(const struct _test_data_shared_cpus *self, struct known *known)
{
	struct pmcgrp_ring_setup setup;
	bool first = !known->ring;

	if (self->type == PMCGRP_TARGET_CGROUP)
		return true;
	known->ring = true;
	return setup_ring(known->fd, 0, PERF_SAMPLE_READ, 0, &setup) == (first ? 0 : -EBUSY);
}

static bool known_step(struct _test_data_shared_cpus *self, struct known *known, unsigned int set,
		       struct rng *rng)
{
	bool on = chance(rng, 70);

	switch (below(rng, 12)) {
	case 0:
	case 1:
		close(known->fd);
		return known_open(self, known, set, on);
	case 2:
		return known_own(self, known);
	case 3:
		known->is = (struct shown){};
		return !ioctl(known->fd, PERF_EVENT_IOC_RESET, 0);
	default:
		known->on = on;
		return !ioctl(known->fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
	}
}

/* Takes what groups show for right, at a time when others cause no faults: there are so many. */
static bool known_begin(const struct _test_data_shared_cpus *self, struct known *known, long *all)
{
	unsigned int k, tries;

	for (tries = 0; tries < 1000; tries++) {
		*all = faults_of_all(self);
		for (k = 0; k < GROUPS; k++)
			if (!shows(self, known[k].fd, &known[k].is))
				return false;
		if (faults_of_all(self) == *all)
			return true;
	}
	return false;
}

/*
 * Random operations on groups, here and there; each must show its own counts, of each CPU too.  A
 * step in which others cause faults is no test.
 */
static void known_steps(struct __test_metadata *_metadata, struct _test_data_shared_cpus *self,
			unsigned int sets)
{
	bool of_cgroup = self->type == PMCGRP_TARGET_CGROUP, good = true, alone;
	struct rng rng = { .state = 11 };
	struct known known[GROUPS] = {};
	unsigned int k, n, step, others = 0, cpu;
	struct shown now[GROUPS];
	long before, after;

	for (k = 0; k < GROUPS; k++)
		ASSERT_TRUE(known_open(self, &known[k], k % sets, true));
	ASSERT_TRUE(known_begin(self, known, &before));
	for (step = 0; step < STEPS && good; step++) {
		cpu = below(&rng, self->nr_cpus);
		ASSERT_TRUE(run_on(cpu));
		k = below(&rng, GROUPS);
		ASSERT_TRUE(known_step(self, &known[k], k % sets, &rng))
		{
			TH_LOG("step %u: refused: %s", step, strerror(errno));
		}
		n = below(&rng, 8);
		touch(self, n);
		for (k = 0; k < GROUPS; k++) {
			known[k].is.sum += known[k].on ? n : 0;
			known[k].is.by_cpu[cpu] += known[k].on ? n : 0;
		}
		for (k = 0; k < GROUPS; k++)
			ASSERT_TRUE(shows(self, known[k].fd, &now[k]));
		after = faults_of_all(self);
		alone = of_cgroup || after - before == n;
		before = after;
		for (k = 0; alone && k < GROUPS; k++)
			good &= !memcmp(&now[k], &known[k].is, sizeof(now[k]));
		if (alone)
			continue;
		others++;
		ASSERT_TRUE(known_begin(self, known, &before));
	}
	EXPECT_TRUE(good)
	{
		TH_LOG("step %u: not what was done", step);
	}
	EXPECT_LT(others, STEPS / 10);
	for (k = 0; k < GROUPS; k++)
		close(known[k].fd);
}

TEST_F_TIMEOUT(shared_cpus, each_as_if_alone, 300)
{
	known_steps(_metadata, self, 1);
}

TEST_F_TIMEOUT(shared_cpus, each_as_if_alone_with_other_sets, 300)
{
	known_steps(_metadata, self, 2);
}

/* How many groups the first counter of a group counts for, or -errno. */
static int groups_of_counter(int fd)
{
	struct pmcgrp_info_cpu cpu[NR * CPUS_MOST];
	struct pmcgrp_info_member member[NR];
	struct pmcgrp_info info = {
		.size = sizeof(info),
		.members = (uintptr_t)member,
		.nr_members = NR,
		.member_size = sizeof(member[0]),
		.cpus = (uintptr_t)cpu,
		.nr_cpus = ARRAY_SIZE(cpu),
		.cpu_size = sizeof(cpu[0]),
	};

	return ioctl(fd, PMCGRP_IOC_INFO, &info) ? -errno : (int)cpu[0].groups;
}

TEST_F(shared_cpus, counters_are_shared)
{
	struct perf_event_attr other[NR] = { self->attr[1], self->attr[0] };
	int a, b, c;

	a = group(self, self->attr, 0);
	ASSERT_GE(a, 0);
	b = group(self, other, PMCGRP_CREATE_DISABLED);
	ASSERT_GE(b, 0);
	/* Another one of its own. */
	c = group(self, self->attr, PMCGRP_CREATE_LEADER);
	ASSERT_GE(c, 0);
	EXPECT_EQ(3, groups_of_counter(a));
	close(b);
	EXPECT_EQ(2, groups_of_counter(a));
	close(a);
	EXPECT_EQ(1, groups_of_counter(c));
	close(c);
}

/* Times of a CPU stand still while the group is disabled, and go on where they were. */
TEST_F(shared_cpus, times)
{
	CPU_RECORD(NR) first[CPUS_MOST], second[CPUS_MOST];
	struct pmcgrp_read_cpus arg;
	int a, b;

	ASSERT_TRUE(run_on(0));
	a = group(self, self->attr, 0);
	ASSERT_GE(a, 0);
	loop(1000000);
	b = group(self, self->attr, 0);
	ASSERT_GE(b, 0);
	ASSERT_EQ(0, read_cpus(b, first, sizeof(first), &arg));
	ASSERT_EQ(0, read_cpus(a, second, sizeof(second), &arg));
	EXPECT_LT(first[0].enabled, second[0].enabled);
	ASSERT_EQ(0, ioctl(b, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(0, read_cpus(b, first, sizeof(first), &arg));
	loop(1000000);
	ASSERT_EQ(0, read_cpus(b, second, sizeof(second), &arg));
	EXPECT_EQ(0, memcmp(first, second, arg.nr_cpus * sizeof(first[0])));
	ASSERT_EQ(0, ioctl(b, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_EQ(0, ioctl(a, PERF_EVENT_IOC_DISABLE, 0));
	loop(1000000);
	ASSERT_EQ(0, read_cpus(b, second, sizeof(second), &arg));
	EXPECT_LT(first[0].enabled, second[0].enabled);
	EXPECT_EQ(second[0].enabled - first[0].enabled, second[0].running - first[0].running);
	close(a);
	close(b);
}

TEST_HARNESS_MAIN
