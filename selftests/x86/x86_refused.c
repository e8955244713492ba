// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86 events that cannot count correctly as members or triggers are refused by name on every
 * PMU. Similar events that can are created. Without a PMU, hardware events are refused with
 * that reason, and software events count.
 */
#include "pmcgrp_test.h"
#include "kselftest_harness.h"

#define TOPDOWN_SLOTS	0x0400
#define TOPDOWN_FIRST	0x8000	/* retiring */
#define TOPDOWN_LAST	0x8700	/* memory bound */
#define RAW_BRANCHES	0x00c4	/* Intel's, retired */

FIXTURE(refused)
{
	int dev;
	bool pmu;
	bool intel;
};

static bool cpu_is_intel(void)
{
#ifdef __x86_64__
	uint32_t eax = 0, ebx, ecx = 0, edx;

	asm volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
	return ebx == 0x756e6547;	/* Genu */
#else
	return false;
#endif
}

FIXTURE_SETUP(refused)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->pmu = have_cycles();
	self->intel = cpu_is_intel();
}

FIXTURE_TEARDOWN(refused)
{
	close(self->dev);
}

/* The second of two members, the first of which can be counted anywhere; returns an errno. */
static int refuse(int dev, struct perf_event_attr attr, uint32_t *why)
{
	struct perf_event_attr both[2] = { sw(PERF_COUNT_SW_TASK_CLOCK), attr };
	struct ask ask = { .nr = 2, .attr = both };
	int fd = ask_group(dev, &ask);

	*why = ask.create.why;
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	return ask.create.fail_member == 1 ? -fd : -1;
}

static int refuse_trigger(int dev, struct perf_event_attr attr, uint32_t *why)
{
	struct perf_event_attr clock = sw(PERF_COUNT_SW_TASK_CLOCK);
	struct pmcgrp_ring_setup ring = { .size = sizeof(ring), .sample_type = PERF_SAMPLE_TID };
	struct pmcgrp_trigger_add add = { .size = sizeof(add), .attr = (uintptr_t)&attr };
	int fd = group_of(dev, 1, &clock, 0), err = -1;

	if (fd >= 0 && !ioctl(fd, PMCGRP_IOC_RING, &ring))
		err = ioctl(fd, PMCGRP_IOC_TRIGGER, &add) ? errno : 0;
	*why = add.why;
	close(fd);
	return err;
}

/* With a PMU and without one: what is asked for is what is refused. */
TEST_F(refused, precise_and_branches)
{
	struct perf_event_attr precise = hw(PERF_COUNT_HW_CPU_CYCLES);
	struct perf_event_attr branches = hw(PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	uint32_t why;

	for (precise.precise_ip = 3; precise.precise_ip; precise.precise_ip--) {
		EXPECT_EQ(EINVAL, refuse(self->dev, precise, &why));
		EXPECT_EQ(PMCGRP_WHY_PRECISE, why);
	}
	precise.precise_ip = 2;
	precise.sample_period = 100000;
	EXPECT_EQ(EINVAL, refuse_trigger(self->dev, precise, &why));
	EXPECT_EQ(PMCGRP_WHY_PRECISE, why);

	branches.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	EXPECT_EQ(EINVAL, refuse(self->dev, branches, &why));
	EXPECT_EQ(PMCGRP_WHY_BRANCHES, why);
	branches.sample_period = 100000;
	EXPECT_EQ(EINVAL, refuse_trigger(self->dev, branches, &why));
	EXPECT_EQ(PMCGRP_WHY_BRANCHES, why);
}

/* A period of 1 is BTS with Intel; with 2 it is a trigger like any other. */
TEST_F(refused, branch_tracing)
{
	struct perf_event_attr attr = hw(PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	uint32_t why;
	int raw;

	if (!self->intel)
		SKIP(return, "Intel has BTS");
	for (raw = 0; raw < 2; raw++) {
		if (raw)
			attr = event(PERF_TYPE_RAW, RAW_BRANCHES);
		attr.exclude_kernel = 1;
		attr.sample_period = 1;
		EXPECT_EQ(EOPNOTSUPP, refuse_trigger(self->dev, attr, &why));
		EXPECT_EQ(PMCGRP_WHY_BRANCHES, why);
		attr.sample_period = 1000000;
		EXPECT_EQ(self->pmu ? 0 : ENOENT, refuse_trigger(self->dev, attr, &why));
	}
}

/*
 * Metrics are refused by name where the processor has them: sysfs lists them for other processors
 * of the model too. Where it has not, the kernel takes their numbers for an event of general
 * counters, and so does a group.
 */
TEST_F(refused, topdown_metrics)
{
	struct perf_event_attr attr;
	uint32_t why, config;
	int fd, err;

	if (!self->intel || !self->pmu)
		SKIP(return, "needs a PMU of Intel's");
	for (config = TOPDOWN_FIRST; config <= TOPDOWN_LAST; config += 0x100) {
		attr = event(PERF_TYPE_RAW, config);
		fd = perf_open(&attr, 0, -1, -1);
		/* EINVAL: it has no leader.  Otherwise as perf does, where it makes the event. */
		err = fd == -EINVAL ? EOPNOTSUPP : 0;
		close(fd);
		EXPECT_EQ(err, refuse(self->dev, attr, &why)) TH_LOG("%#x", config);
		EXPECT_EQ(err ? PMCGRP_WHY_TOPDOWN : 0, why) TH_LOG("%#x", config);
	}
	attr = event(PERF_TYPE_RAW, TOPDOWN_SLOTS);
	if (!access("/sys/bus/event_source/devices/cpu/events/slots", F_OK))
		EXPECT_EQ(0, refuse(self->dev, attr, &why));
}

/* PMUs that write to an AUX area, as far as there are any. */
TEST_F(refused, tracing_pmus)
{
	static const char *const names[] = { "intel_pt", "intel_bts", "arm_spe_0", "cs_etm" };
	struct perf_event_attr attr;
	uint32_t why;
	char path[96];
	size_t i;
	int type, any = 0;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", names[i]);
		if (access(path, F_OK))
			continue;
		type = file_number(path, "");
		attr = event(type, 0);
		EXPECT_EQ(EOPNOTSUPP, refuse(self->dev, attr, &why)) TH_LOG("%s", names[i]);
		EXPECT_EQ(PMCGRP_WHY_SAMPLES, why) TH_LOG("%s", names[i]);
		any++;
	}
	if (!any)
		SKIP(return, "no such PMU here");
}

/* Without a PMU, or with one that a hypervisor hides, only hardware events are refused. */
TEST_F(refused, without_a_pmu)
{
	struct perf_event_attr clock = sw(PERF_COUNT_SW_TASK_CLOCK);
	struct group_values v;
	uint32_t why;
	int fd;

	if (self->pmu)
		SKIP(return, "there is a PMU");
	EXPECT_EQ(ENOENT, refuse(self->dev, hw(PERF_COUNT_HW_CPU_CYCLES), &why));
	EXPECT_EQ(PMCGRP_WHY_EVENT_UNKNOWN, why);
	EXPECT_EQ(ENOENT, refuse(self->dev, event(PERF_TYPE_RAW, RAW_BRANCHES), &why));
	EXPECT_EQ(PMCGRP_WHY_EVENT_UNKNOWN, why);
	fd = group_of(self->dev, 1, &clock, 0);
	ASSERT_GE(fd, 0);
	spin_ns(NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd, 1, &v));
	EXPECT_LT(NSEC_PER_MSEC, v.m[0].value);
	EXPECT_EQ(v.enabled, v.running);
	close(fd);
}

/* Also where perf core lends the PMU to guests (guest_pmu.c). */
TEST_F(refused, exclude_guest)
{
	struct perf_event_attr attr;
	uint32_t why;

	if (!self->pmu)
		SKIP(return, "needs a PMU");
	attr = cycles_copy(0);
	EXPECT_EQ(0, refuse(self->dev, attr, &why));
	attr.exclude_guest = 1;
	EXPECT_EQ(0, refuse(self->dev, attr, &why));
	/* A software counter runs on, as a task does. */
	attr = sw(PERF_COUNT_SW_CPU_CLOCK);
	attr.exclude_guest = 1;
	EXPECT_EQ(0, refuse(self->dev, attr, &why));
}

TEST_HARNESS_MAIN
