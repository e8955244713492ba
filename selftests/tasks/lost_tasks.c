// SPDX-License-Identifier: GPL-2.0-only
/*
 * New tasks that cannot be followed, for want of memory in fork(): no sum is wrong.  read() of the
 * groups that were to count them gives 0 bytes from then on, and PMCGRP_IOC_INFO says why.
 *
 * needs: testpmu=yes
 */
#include "pmcgrp_testpmu.h"
#include <sys/wait.h>
#include "kselftest_harness.h"

#define NO_ENTRY	TESTPMU "no_entry"
#define PAGES		16	/* that each child touches */

FIXTURE(lost_tasks)
{
	int dev;
	struct perf_event_attr attr;
};

FIXTURE_SETUP(lost_tasks)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->attr = sw(PERF_COUNT_SW_PAGE_FAULTS);
	/* The probe is on a function that exists while the module is loaded. */
	if (!file_write(NO_ENTRY, "0"))
		SKIP(return, "needs kretprobes, and " TESTPMU_MISSING);
}

FIXTURE_TEARDOWN(lost_tasks)
{
	file_write(NO_ENTRY, "0");
	close(self->dev);
}

static int inherited(int dev, const struct perf_event_attr *attr)
{
	return group_of(dev, 1, attr, PMCGRP_CREATE_INHERIT);
}

/* A child that touches so many pages that it has not had, and ends. */
static bool child_touches(void)
{
	int status;
	pid_t child = fork();
	char *page;
	int i;

	if (!child) {
		page = mmap(NULL, PAGES * getpagesize(), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		for (i = 0; page != MAP_FAILED && i < PAGES; i++)
			((volatile char *)page)[i * getpagesize()] = 1;
		_exit(page == MAP_FAILED);
	}
	return child > 0 && waitpid(child, &status, 0) == child && !status;
}

static bool at_end(int fd)
{
	struct group_values v;

	return read(fd, &v, sizeof(v)) == 0;
}

/* What PMCGRP_IOC_INFO gives as the reason of the group, or -1. */
static int told_why(int fd)
{
	struct pmcgrp_info_member member[1];
	struct pmcgrp_info_cpu cpu[8];
	struct pmcgrp_info info = {
		.size = sizeof(info),
		.members = (uintptr_t)member,
		.cpus = (uintptr_t)cpu,
		.nr_members = 1,
		.nr_cpus = 8,
		.member_size = sizeof(member[0]),
		.cpu_size = sizeof(cpu[0]),
	};

	return ioctl(fd, PMCGRP_IOC_INFO, &info) ? -1 : (int)info.why;
}

TEST_F(lost_tasks, groups_that_were_to_count_it)
{
	struct group_values before, after;
	int all, alone, later;

	all = inherited(self->dev, &self->attr);
	alone = group_of(self->dev, 1, &self->attr, 0);
	ASSERT_GE(all, 0);
	ASSERT_GE(alone, 0);
	ASSERT_TRUE(group_values(all, 1, &before));
	ASSERT_TRUE(child_touches());
	ASSERT_TRUE(group_values(all, 1, &after));
	EXPECT_GE(after.m[0].value, before.m[0].value + PAGES);

	ASSERT_TRUE(file_write(NO_ENTRY, "1"));
	ASSERT_TRUE(child_touches());
	EXPECT_EQ(0, file_number(NO_ENTRY, ""));
	EXPECT_TRUE(at_end(all));
	EXPECT_EQ(PMCGRP_WHY_NOMEM, told_why(all));
	/* One that counts this task alone has lost nothing. */
	EXPECT_EQ(PMCGRP_WHY_NONE, told_why(alone));
	EXPECT_TRUE(group_values(alone, 1, &after));
	/* Nor has one that is made later. */
	later = inherited(self->dev, &self->attr);
	ASSERT_GE(later, 0);
	ASSERT_TRUE(group_values(later, 1, &before));
	ASSERT_TRUE(child_touches());
	ASSERT_TRUE(group_values(later, 1, &after));
	EXPECT_GE(after.m[0].value, before.m[0].value + PAGES);
	EXPECT_TRUE(at_end(all));
	close(later);
	close(alone);
	close(all);
}

/* Of many children one in three is lost, in all orders: a read() shows all pages, or nothing. */
TEST_F_TIMEOUT(lost_tasks, never_a_wrong_sum, 600)
{
	const unsigned int rounds = rounds_of(2000, 200), children = 5;
	unsigned int i, k, lost, ends = 0;
	struct group_values v;
	int fd;

	for (i = 0; i < rounds; i++) {
		fd = inherited(self->dev, &self->attr);
		ASSERT_GE(fd, 0);
		for (k = lost = 0; k < children; k++) {
			/* Which, differs from round to round. */
			if ((i >> k) % 3 == 2) {
				ASSERT_TRUE(file_write(NO_ENTRY, "1"));
				lost++;
			}
			ASSERT_TRUE(child_touches());
		}
		EXPECT_EQ(0, file_number(NO_ENTRY, ""));
		if (lost) {
			ends++;
			EXPECT_TRUE(at_end(fd)) TH_LOG("round %u", i);
		} else {
			ASSERT_TRUE(group_values(fd, 1, &v));
			EXPECT_GE(v.m[0].value, (uint64_t)children * PAGES);
		}
		close(fd);
	}
	TH_LOG("%u forks, %u of %u groups have lost a task", rounds * children, ends, rounds);
	EXPECT_GT(ends, rounds / 4);
	EXPECT_LT(ends, rounds);
}

TEST_HARNESS_MAIN
