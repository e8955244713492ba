// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups and perf events that only one counter can count. These perf events wait for each other
 * although other counters are free. A group that fits with them keeps its counters, and the perf
 * events run as long as they do without pmcgrp.
 */
#include "pmcgrp_test.h"
#include "kselftest_harness.h"

/* Each on one counter alone: on counter 2 up to Broadwell, on counter 1 from Skylake on. */
static const uint64_t one_counter[] = { 0x0148, 0x01c0 };
static const uint64_t free_events[] = { 0x0151, 0x0152, 0x0154, 0x0156, 0x0158, 0x0159 };

#define MEMBERS		3
#define PERFS_MAX	3

FIXTURE(x86_arbitration)
{
	int dev;
	uint64_t config;	/* of which only one is on at a time */
};

/*
 * @perfs: number of perf events, the first of the CPU, the others of the task
 * @groups: number of pmcgrp groups; one of them fits with the perf events
 * @of_cpu: the groups are of the CPU
 */
FIXTURE_VARIANT(x86_arbitration)
{
	unsigned int perfs;
	unsigned int groups;
	bool of_cpu;
};

FIXTURE_VARIANT_ADD(x86_arbitration, 1_of_perf_1_of_the_task)
{
	.perfs = 1,
	.groups = 1,
};

FIXTURE_VARIANT_ADD(x86_arbitration, 1_of_perf_1_of_the_cpu)
{
	.perfs = 1,
	.groups = 1,
	.of_cpu = true,
};

FIXTURE_VARIANT_ADD(x86_arbitration, 2_of_perf_1_of_the_task)
{
	.perfs = 2,
	.groups = 1,
};

FIXTURE_VARIANT_ADD(x86_arbitration, 2_of_perf_1_of_the_cpu)
{
	.perfs = 2,
	.groups = 1,
	.of_cpu = true,
};

FIXTURE_VARIANT_ADD(x86_arbitration, 3_of_perf_1_of_the_task)
{
	.perfs = 3,
	.groups = 1,
};

FIXTURE_VARIANT_ADD(x86_arbitration, 3_of_perf_1_of_the_cpu)
{
	.perfs = 3,
	.groups = 1,
	.of_cpu = true,
};

FIXTURE_VARIANT_ADD(x86_arbitration, 1_of_perf_4_of_the_task)
{
	.perfs = 1,
	.groups = 4,
};

FIXTURE_VARIANT_ADD(x86_arbitration, 1_of_perf_4_of_the_cpu)
{
	.perfs = 1,
	.groups = 4,
	.of_cpu = true,
};

FIXTURE_VARIANT_ADD(x86_arbitration, 2_of_perf_4_of_the_task)
{
	.perfs = 2,
	.groups = 4,
};

FIXTURE_VARIANT_ADD(x86_arbitration, 2_of_perf_4_of_the_cpu)
{
	.perfs = 2,
	.groups = 4,
	.of_cpu = true,
};

FIXTURE_SETUP(x86_arbitration)
{
	struct perf_event_attr attr;
	unsigned int i;
	int fd[2];

	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
#ifndef __x86_64__
	SKIP(return, "constraints of Intel's PMU: x86 only");
#endif
	if (!deterministic() ||
	    access("/sys/bus/event_source/devices/cpu/format/offcore_rsp", F_OK))
		SKIP(return, "no Intel PMU that is deterministic");
	for (i = 0; i < COUNT(one_counter) && !self->config; i++) {
		attr = raw_copy(one_counter[i], 0);
		fd[0] = perf_open(&attr, 0, -1, -1);
		attr = raw_copy(one_counter[i], 1);
		fd[1] = perf_open(&attr, 0, -1, fd[0]);
		if (fd[0] >= 0 && fd[1] == -EINVAL)
			self->config = one_counter[i];
		close(fd[0]);
		close(fd[1]);
	}
	if (!self->config)
		SKIP(return, "no event that only one counter can count");
	ASSERT_TRUE(run_on(0));
}

FIXTURE_TEARDOWN(x86_arbitration)
{
	close(self->dev);
}

static double percent(const struct group_values *v, const struct group_values *w)
{
	return 100.0 * (w->running - v->running) / (w->enabled - v->enabled);
}

TEST_F_TIMEOUT(x86_arbitration, free_counters_are_used, 300)
{
	double share, all = 0, perfs[PERFS_MAX];
	struct perf_event_attr attr[MEMBERS];
	struct group_values v[4], w;
	unsigned int g, i;
	int fd[4], perf[PERFS_MAX];

	for (i = 0; i < variant->perfs; i++) {
		attr[0] = raw_copy(self->config, i);
		attr[0].read_format = FORMAT;
		perf[i] = perf_open(&attr[0], i ? 0 : -1, i ? -1 : 0, -1);
		ASSERT_GE(perf[i], 0);
	}
	for (g = 0; g < variant->groups; g++) {
		attr[0] = hw(PERF_COUNT_HW_INSTRUCTIONS);
		attr[1] = raw_copy(free_events[0], g);
		attr[2] = raw_copy(free_events[1], g);
		fd[g] = variant->of_cpu ? group_of_cpu(self->dev, 0, MEMBERS, attr) :
					  group_of(self->dev, MEMBERS, attr, 0);
		ASSERT_GE(fd[g], 0);
	}
	for (g = 0; g < variant->groups; g++)
		ASSERT_TRUE(group_values(fd[g], MEMBERS, &v[g]));
	spin_ns(NSEC_PER_SEC);
	for (g = 0; g < variant->groups; g++) {
		ASSERT_TRUE(group_values(fd[g], MEMBERS, &w));
		share = percent(&v[g], &w);
		TH_LOG("pmcgrp: %.1f%%", share);
		all += share;
		close(fd[g]);
	}
	for (i = 0; i < variant->perfs; i++) {
		ASSERT_TRUE(group_values(perf[i], 1, &w));
		perfs[i] = 100.0 * w.running / w.enabled;
		TH_LOG("perf: %.1f%%", perfs[i]);
		close(perf[i]);
	}
	/* The CPU's event goes first, with pmcgrp and without. */
	EXPECT_GT(perfs[0], 98);
	/*
	 * Intervals that perf gets and cannot use become fewer: 8 of 4 ms in the first second.  On
	 * PREEMPT_RT they end as the worker runs: 3 to 18 % were seen.
	 */
	EXPECT_GT(all, rt_kernel() ? 75 : 95);
	if (variant->perfs == 1 && variant->groups == 1)
		EXPECT_GT(all, 99);
}

TEST_HARNESS_MAIN
