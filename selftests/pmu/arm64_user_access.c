// SPDX-License-Identifier: GPL-2.0-only
/*
 * Members that ask Arm's PMUv3 for access from user space (config1 bit 1, format `rdpmc`) are
 * accepted where perf accepts them, in groups of tasks. Groups of CPUs refuse them by name.
 */
#include "pmcgrp_test.h"
#include "pmcgrp_user_page.h"
#include "kselftest_harness.h"

#define USER_ACCESS	2
#define MEMBERS_MAX	32

FIXTURE(user_access)
{
	int dev;
	struct perf_event_attr attr[2];	/* the second asks for access */
};

FIXTURE_SETUP(user_access)
{
	self->dev = -1;
#ifndef __aarch64__
	SKIP(return, "needs an arm64 machine");
#endif
	if (!have_cycles())
		SKIP(return, "needs a PMU");
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->attr[0] = cycles_copy(0);
	self->attr[1] = cycles_copy(1);
	self->attr[1].config1 = USER_ACCESS;
	ASSERT_TRUE(run_on(0));
}

FIXTURE_TEARDOWN(user_access)
{
	if (self->dev >= 0)
		close(self->dev);
}

static bool perf_takes(struct perf_event_attr attr, pid_t pid, int cpu)
{
	int fd = perf_open(&attr, pid, cpu, -1);

	close(fd);
	return fd >= 0;
}

/* Whichever asks first, as a counter is shared. */
TEST_F(user_access, for_tasks_and_not_for_cpus)
{
	struct ask cpu = { .target_type = PMCGRP_TARGET_CPU, .nr = 2, .attr = self->attr };
	struct ask all = { .target_type = PMCGRP_TARGET_ALL_CPUS, .nr = 2, .attr = self->attr };
	struct group_values v;
	int fd = -1, i;

	ASSERT_TRUE(perf_takes(self->attr[1], 0, -1));
	ASSERT_FALSE(perf_takes(self->attr[1], -1, 0));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(-EINVAL, ask_group(self->dev, &cpu)) TH_LOG("round %d", i);
		EXPECT_EQ(PMCGRP_WHY_USER_READ_TASK, cpu.create.why);
		EXPECT_EQ(1, cpu.create.fail_member);
		EXPECT_EQ(-EINVAL, ask_group(self->dev, &all)) TH_LOG("round %d", i);
		EXPECT_EQ(PMCGRP_WHY_USER_READ_TASK, all.create.why);
		if (i)
			break;
		fd = group_of(self->dev, 2, self->attr, 0);
		ASSERT_GE(fd, 0);
	}
	ASSERT_TRUE(group_sane(fd, 2));
	ASSERT_TRUE(group_values(fd, 2, &v));
	EXPECT_LT(0, v.m[1].value);
	EXPECT_EQ(v.enabled, v.running);
	/* The bit is perf's: a group of CPUs without it has the other counter. */
	cpu.nr = 1;
	close(ask_group(self->dev, &cpu));
	EXPECT_EQ(0, cpu.create.why);
	close(fd);
}

/* The driver is asked what fits, where the PMU cannot be emptied: it knows that a task asks. */
TEST_F(user_access, beside_pinned_events)
{
	unsigned int nr = counters_of_pmu(), i;
	struct perf_event_attr attr[MEMBERS_MAX], pinned = cycles_copy(nr);
	struct ask ask = { .nr = nr, .attr = attr };
	int fd, perf;

	ASSERT_LT(1, nr);
	ASSERT_GE(MEMBERS_MAX, nr);
	for (i = 0; i < nr; i++) {
		attr[i] = cycles_copy(i);
		attr[i].config1 = i ? USER_ACCESS : 0;
	}
	pinned.pinned = 1;
	perf = perf_open(&pinned, -1, 0, -1);
	ASSERT_GE(perf, 0);
	fd = ask_group(self->dev, &ask);
	EXPECT_GE(fd, 0) {
		TH_LOG("reason %u, member %u of %u", ask.create.why, ask.create.fail_member, nr);
	}
	close(fd);
	close(perf);
}

/* A group that waits for perf's events gets its counters from them all the same. */
TEST_F(user_access, beside_flexible_events)
{
	unsigned int nr = counters(), i;
	struct perf_event_attr attr[MEMBERS_MAX], flexible;
	struct group_values v;
	int fd, perf[MEMBERS_MAX];

	ASSERT_LT(1, nr);
	ASSERT_GE(MEMBERS_MAX, nr);
	for (i = 0; i < nr; i++) {
		attr[i] = cycles_copy(i);
		attr[i].config1 = USER_ACCESS;
		flexible = cycles_copy(nr + i);
		perf[i] = perf_open(&flexible, 0, -1, -1);
		ASSERT_GE(perf[i], 0);
	}
	fd = group_of(self->dev, nr, attr, 0);
	ASSERT_GE(fd, 0);
	spin_ns(NSEC_PER_SEC / 2);
	ASSERT_TRUE(group_values(fd, nr, &v));
	TH_LOG("%llu %% of the time", (unsigned long long)(100 * v.running / v.enabled));
	EXPECT_LT(v.enabled / 10, v.running);
	EXPECT_GT(v.enabled / 10 * 9, v.running);
	close(fd);
	for (i = 0; i < nr; i++)
		close(perf[i]);
}

/* The flag of the group gives access; the event's bit changes nothing of that. */
TEST_F(user_access, with_a_user_page)
{
	const volatile struct pmcgrp_user_page *page;
	struct group_values v;
	int fd, tries;

	if (!kernel_is(6, 2) || access(DIRECT_SYSCTL, F_OK) || pmu_has_nmi())
		SKIP(return, "user space cannot read counters here");
	user_allow(1);
	fd = group_of(self->dev, 2, self->attr, PMCGRP_CREATE_USER_READ);
	ASSERT_GE(fd, 0);
	page = direct_map(fd);
	ASSERT_NE(NULL, page);
	ASSERT_TRUE(group_values(fd, 2, &v));
	EXPECT_EQ(0, page->why);
	/* The slice of perf's events that were here before may not be over. */
	for (tries = 0; tries < 20 && !user_values(page, &v); tries++) {
		spin_ns(NSEC_PER_MSEC);
		ASSERT_TRUE(group_values(fd, 2, &v));
	}
	EXPECT_GT(20, tries);
	direct_unmap(page);
	close(fd);
	user_allow(0);
}

TEST_HARNESS_MAIN
