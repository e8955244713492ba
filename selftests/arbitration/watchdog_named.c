// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMCGRP_IOC_INFO reports that the kernel's NMI watchdog is among the perf events on a CPU, as
 * long as it is on, and never takes another pinned event that samples for it.
 */
#include "pmcgrp_test.h"
#include "kselftest_harness.h"

#define SYSCTL	"/proc/sys/kernel/nmi_watchdog"

FIXTURE(named)
{
	int dev;
	bool was_on;
	int fd;
};

static bool watchdog(bool on)
{
	return file_write(SYSCTL, on ? "1" : "0");
}

FIXTURE_SETUP(named)
{
	struct perf_event_attr attr = hw(PERF_COUNT_HW_INSTRUCTIONS);

	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->was_on = file_number(SYSCTL, "") == 1;
	if (!have_cycles() || !watchdog(false) || !watchdog(true) ||
	    file_number(SYSCTL, "") != 1 || !watchdog_counters())
		SKIP(return, "no PMU, or no NMI watchdog that takes a counter");
	ASSERT_TRUE(run_on(0));
	self->fd = group_of(self->dev, 1, &attr, 0);
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(named)
{
	watchdog(self->was_on);
	close(self->fd);
	close(self->dev);
}

/* Returns the flags of the group's only CPU, and in *held the counters; ~0: none are reported. */
static uint32_t perf_flags(int fd, uint32_t *held)
{
	struct pmcgrp_info_cpu cpu;
	struct pmcgrp_info info;

	if (group_info(fd, 0, &info, &cpu, 1))
		return ~0U;
	*held = cpu.perf_counters;
	return cpu.perf_flags;
}

TEST_F(named, on_and_off)
{
	uint32_t with = 0, without = 0;
	int k;

	for (k = 0; k < 8; k++) {
		ASSERT_TRUE(watchdog(true));
		EXPECT_EQ(PMCGRP_PERF_WATCHDOG, perf_flags(self->fd, &with));
		ASSERT_TRUE(watchdog(false));
		EXPECT_EQ(0, perf_flags(self->fd, &without));
		EXPECT_EQ(1, with - without);
	}
}

/* A pinned event of the CPU that samples: a perf event, then a trigger. */
TEST_F(named, no_other)
{
	struct perf_event_attr attr = hw(PERF_COUNT_HW_CPU_CYCLES), clock = attr;
	struct pmcgrp_ring_setup ring = { .size = sizeof(ring), .sample_type = PERF_SAMPLE_TID };
	struct pmcgrp_trigger_add add = { .size = sizeof(add), .attr = (uintptr_t)&attr };
	int fd, group;
	uint32_t held = 0;

	ASSERT_TRUE(watchdog(false));
	attr.pinned = 1;
	attr.sample_period = 1000000000;
	fd = perf_open(&attr, -1, 0, -1);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(0, perf_flags(self->fd, &held));
	EXPECT_EQ(1, held);
	close(fd);

	attr.pinned = 0;
	group = group_of_cpu(self->dev, 0, 1, &clock);
	ASSERT_GE(group, 0);
	ASSERT_EQ(0, ioctl(group, PMCGRP_IOC_RING, &ring));
	ASSERT_EQ(0, ioctl(group, PMCGRP_IOC_TRIGGER, &add));
	EXPECT_EQ(0, perf_flags(self->fd, &held));
	close(group);
}

TEST_HARNESS_MAIN
