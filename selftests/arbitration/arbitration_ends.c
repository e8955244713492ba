// SPDX-License-Identifier: GPL-2.0-only
/*
 * When nobody waits any more: perf events and groups that fit together all count, whatever competed
 * for the PMU before. A slice is for those that wait.
 */
#include "pmcgrp_test.h"
#include "kselftest_harness.h"

#define PAIRS		40
#define PAIR_NS		(470 * 1000ULL)	/* several in one interval of 4 ms */
/* A slice of perf that has paused begins again before it is seen that nobody needs it: 8 us. */
#define SEEN_NS		(20 * 1000)

FIXTURE(arbitration_ends)
{
	int dev;
	unsigned int all;
};

/* What competed before: nothing; pinned or flexible perf events, of the task or the CPU. */
FIXTURE_VARIANT(arbitration_ends)
{
	bool rivals;
	bool pinned;
	bool on_cpu;
	bool keep;	/* the group that competed stays open, disabled */
};

FIXTURE_VARIANT_ADD(arbitration_ends, nothing) {};
FIXTURE_VARIANT_ADD(arbitration_ends, pinned) { .rivals = true, .pinned = true };
FIXTURE_VARIANT_ADD(arbitration_ends, pinned_cpu)
{
	.rivals = true, .pinned = true, .on_cpu = true
};

FIXTURE_VARIANT_ADD(arbitration_ends, flexible) { .rivals = true };
FIXTURE_VARIANT_ADD(arbitration_ends, flexible_cpu) { .rivals = true, .on_cpu = true };
FIXTURE_VARIANT_ADD(arbitration_ends, disabled) { .rivals = true, .pinned = true, .keep = true };

FIXTURE_SETUP(arbitration_ends)
{
	if (!have_cycles() || !have_instructions() || !deterministic())
		SKIP(return, "shares of time need a hardware PMU and a deterministic guest");
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	ASSERT_TRUE(run_on(0));
	self->all = counters();
}

FIXTURE_TEARDOWN(arbitration_ends)
{
	close(self->dev);
}

/* A group and perf events that do not fit together, for a while. Returns the group. */
static int compete(struct __test_metadata *_metadata, int dev, unsigned int all, bool pinned,
		   bool on_cpu)
{
	unsigned int nr = all / 2 + 1, i;
	struct perf_event_attr ours[COUNTERS_MOST], rival;
	int perf[COUNTERS_MOST], fd;

	for (i = 0; i < nr; i++)
		ours[i] = cycles_copy(i);
	fd = group_of(dev, nr, ours, 0);
	EXPECT_GE(fd, 0);
	spin_ns(10 * NSEC_PER_MSEC);
	for (i = 0; i < nr; i++) {
		rival = cycles_copy(nr + i);
		rival.pinned = pinned;
		perf[i] = perf_open(&rival, on_cpu ? -1 : 0, on_cpu ? 0 : -1, -1);
		EXPECT_GE(perf[i], 0);
	}
	spin_ns(30 * NSEC_PER_MSEC);
	for (i = 0; i < nr; i++)
		close(perf[i]);
	spin_ns(20 * NSEC_PER_MSEC);
	return fd;
}

struct pair {
	struct group_values v;
	uint64_t perf[3];
	uint32_t why;
};

/* One perf event and one group, of one event: they need two counters of all. */
static void count_pair(struct __test_metadata *_metadata, int dev, struct pair *pair)
{
	struct perf_event_attr ours = hw(PERF_COUNT_HW_INSTRUCTIONS), theirs = ours;
	struct pmcgrp_info info;
	struct pmcgrp_info_cpu cpu;
	int fd, perf;

	theirs.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	perf = perf_open(&theirs, 0, -1, -1);
	fd = group_of(dev, 1, &ours, 0);
	ASSERT_GE(perf, 0);
	ASSERT_GE(fd, 0);
	spin_ns(PAIR_NS);
	ASSERT_EQ(0, group_info(fd, 0, &info, &cpu, 1));
	ASSERT_TRUE(group_values(fd, 1, &pair->v));
	ASSERT_EQ(sizeof(pair->perf), read(perf, pair->perf, sizeof(pair->perf)));
	pair->why = info.why;
	close(perf);
	close(fd);
}

TEST_F_TIMEOUT(arbitration_ends, pairs_that_fit, 60)
{
	unsigned int i, short_of = 0;
	struct pair pair;
	int fd = -1;

	if (variant->rivals)
		fd = compete(_metadata, self->dev, self->all, variant->pinned, variant->on_cpu);
	if (!variant->keep)
		close(fd);
	else
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	for (i = 0; i < PAIRS; i++) {
		count_pair(_metadata, self->dev, &pair);
		EXPECT_EQ(0, pair.why);
		EXPECT_EQ(pair.perf[1], pair.perf[2]);
		if (pair.v.enabled - pair.v.running < SEEN_NS)
			continue;
		if (!short_of++)
			TH_LOG("pair %u: the group has counted %llu of %llu ns, why %u", i,
			       (unsigned long long)pair.v.running,
			       (unsigned long long)pair.v.enabled, pair.why);
	}
	EXPECT_EQ(0, short_of);
	if (variant->keep)
		close(fd);
}

/* What a perf event has run, of the time that it was enabled, in percent. */
static unsigned int share(int fd)
{
	uint64_t v[3];

	return read(fd, v, sizeof(v)) == sizeof(v) && v[1] ? 100 * v[2] / v[1] : 0;
}

/*
 * Perf events of the CPU and of a task, and a group of the CPU: either fits with the CPU's events,
 * both do not. The task shares the CPU with another one, so that the events of the CPU are all
 * that is seen while it does not run. It has its turns all the same.
 */
TEST(task_beside_cpu_and_group)
{
	struct perf_event_attr ours[COUNTERS_MOST], attr;
	unsigned int all, part, i, most = 0;
	int dev, fd, of_cpu[COUNTERS_MOST], of_task[COUNTERS_MOST];
	struct group_values v;
	pid_t task, other;

	if (!have_cycles() || !deterministic())
		SKIP(return, "shares of time need a hardware PMU and a deterministic guest");
	dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(dev, 0);
	ASSERT_TRUE(run_on(0));
	all = counters();
	part = all / 3 + 1;	/* two of these fit, three do not */
	ASSERT_LE(2 * part, all);
	task = spinner(0);
	other = spinner(0);
	ASSERT_GT(task, 0);
	ASSERT_GT(other, 0);
	for (i = 0; i < part; i++) {
		attr = cycles_copy(i);
		attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
		of_cpu[i] = perf_open(&attr, -1, 0, -1);
		ASSERT_GE(of_cpu[i], 0);
	}
	for (i = 0; i < part; i++) {
		ours[i] = cycles_copy(part + i);
		attr = cycles_copy(2 * part + i);
		attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
		of_task[i] = perf_open(&attr, task, -1, -1);
		ASSERT_GE(of_task[i], 0);
	}
	fd = group_of_cpu(dev, 0, part, ours);
	ASSERT_GE(fd, 0);
	sleep_ns(600 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd, part, &v));
	for (i = 0; i < part; i++) {
		most = share(of_task[i]) > most ? share(of_task[i]) : most;
		EXPECT_GE(share(of_task[i]), 45);
		EXPECT_GE(share(of_cpu[i]), 30);
	}
	TH_LOG("the task's events had up to %u %%, the group %u %%", most,
	       (unsigned int)(100 * v.running / v.enabled));
	EXPECT_GE(100 * v.running / v.enabled, 30);
	EXPECT_TRUE(end_child(task));
	EXPECT_TRUE(end_child(other));
	for (i = 0; i < part; i++) {
		close(of_cpu[i]);
		close(of_task[i]);
	}
	close(fd);
	close(dev);
}

TEST_HARNESS_MAIN
