// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits of one user: memory of spans and tables whose size the user chooses, per-CPU parts
 * included, is charged to that user, and one who has all of it takes nothing from others.
 *
 * Users who take all that they may have, with tables for each CPU.
 * needs: timeout=900
 */
#include "pmcgrp_become.h"
#include "pmcgrp_keys.h"
#include "pmcgrp_span.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "kselftest_harness.h"

#define GROUPS_MAX	4

FIXTURE(limits)
{
	int dev;
	struct perf_event_attr attr;
	long page;
	long free;	/* pages that a user has without RLIMIT_MEMLOCK */
};

FIXTURE_SETUP(limits)
{
	long kb = file_number("/sys/module/pmcgrp/parameters/rings_user_kb", "");

	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->attr = sw(PERF_COUNT_SW_PAGE_FAULTS);
	self->page = sysconf(_SC_PAGESIZE);
	ASSERT_GT(kb, 0);
	self->free = kb * 1024 / self->page * sysconf(_SC_NPROCESSORS_CONF);
}

FIXTURE_TEARDOWN(limits)
{
	close(self->dev);
}

static bool poor(void)
{
	struct rlimit none = { 0, RLIM_INFINITY };

	return !setrlimit(RLIMIT_MEMLOCK, &none) && become(CAP_PERFMON);
}

/* Spans of groups, until one is refused. */
struct spans {
	unsigned int nr;	/* spans */
	int groups;
	int fd[GROUPS_MAX];
	int err;
	struct pmcgrp_span_add add;	/* of the last one */
};

static void spans_take(const struct _test_data_limits *self, const struct pmcgrp_span_add *like,
		       struct spans *spans)
{
	int group = -1;

	*spans = (struct spans){};
	while (!spans->err) {
		if (spans->nr % PMCGRP_SPANS_MAX == 0) {
			if (spans->groups == GROUPS_MAX)
				return;
			group = group_of_task(self->dev, 0, 1, &self->attr, PMCGRP_CREATE_INHERIT);
			spans->err = group < 0 ? group : 0;
			if (group >= 0)
				spans->fd[spans->groups++] = group;
		}
		spans->add = *like;
		if (!spans->err)
			spans->err = ioctl(group, PMCGRP_IOC_SPAN, &spans->add) ? -errno : 0;
		spans->nr += !spans->err;
	}
}

static void spans_close(struct spans *spans)
{
	while (spans->groups)
		close(spans->fd[--spans->groups]);
}

static struct pmcgrp_span_add span_of_function(void)
{
	return (struct pmcgrp_span_add){
		.size = sizeof(struct pmcgrp_span_add),
		.kind = PMCGRP_SECTION_FUNCTION,
		.max_active = 1,
		.begin = (uintptr_t)CALLED_FUNCTION,
	};
}

/* Tables of spans by key, with histograms: as much as the user may have, and so again. */
TEST_F_TIMEOUT(limits, spans_by_key, 300)
{
	struct pmcgrp_span_add like = span_of_function();
	struct spans spans;
	unsigned int nr[2], round;
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	/* two values of 24 bytes and their histograms of 65 numbers, for each key and CPU */
	long bytes = 64 * 2 * (24 + 65 * 8) * cpus;

	like.by = 1 + PMCGRP_KEY_PROCESS;
	like.slots = 64;
	like.flags = PMCGRP_SPAN_HISTOGRAMS;
	ASSERT_TRUE(poor());
	for (round = 0; round < 2; round++) {
		spans_take(self, &like, &spans);
		EXPECT_EQ(-EPERM, spans.err);
		EXPECT_EQ(PMCGRP_WHY_MEMLOCK, spans.add.why);
		EXPECT_GT(spans.nr, 0);
		EXPECT_LE(spans.nr * bytes, self->free * self->page);
		nr[round] = spans.nr;
		spans_close(&spans);
	}
	EXPECT_EQ(nr[0], nr[1]);
	printf("# %u spans of %ld bytes each and more, of %ld pages\n", nr[0], bytes, self->free);
}

/* One span that asks for more than there is takes nothing. */
TEST_F(limits, a_span_that_is_too_large)
{
	struct pmcgrp_span_add like = span_of_function(), add;
	int group, i;

	ASSERT_TRUE(poor());
	group = group_of_task(self->dev, 0, 1, &self->attr, PMCGRP_CREATE_INHERIT);
	ASSERT_GE(group, 0);
	like.by = 1 + PMCGRP_KEY_COMMAND;
	like.flags = PMCGRP_SPAN_HISTOGRAMS;
	like.slots = PMCGRP_SPAN_SLOTS_MAX;	/* 17 MiB for each CPU */
	for (i = 0; i < 10; i++) {
		add = like;
		EXPECT_EQ(-1, ioctl(group, PMCGRP_IOC_SPAN, &add));
		EXPECT_EQ(EPERM, errno);
		EXPECT_EQ(PMCGRP_WHY_MEMLOCK, add.why);
	}
	add = like;
	add.slots = 16;
	EXPECT_EQ(0, ioctl(group, PMCGRP_IOC_SPAN, &add));
	close(group);
}

/* What spans without keys have on each CPU, and their calls in flight. */
TEST_F_TIMEOUT(limits, spans, 600)
{
	struct pmcgrp_span_add like = span_of_function();
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct spans spans;

	ASSERT_TRUE(poor());
	spans_take(self, &like, &spans);
	EXPECT_EQ(-EPERM, spans.err);
	EXPECT_EQ(PMCGRP_WHY_MEMLOCK, spans.add.why);
	/* nine histograms of 65 numbers on each CPU */
	EXPECT_LE(spans.nr * 9 * 65 * 8 * cpus, self->free * self->page);
	EXPECT_GT(spans.nr, 8);
	printf("# %u spans of %ld pages\n", spans.nr, self->free);
	spans_close(&spans);
}

/* A user who has all that he may have takes nothing from another one, nor root. */
TEST_F_TIMEOUT(limits, takes_nothing_from_others, 300)
{
	struct pmcgrp_span_add like = span_of_function(), add;
	int up[2], group, status;
	struct spans spans;
	pid_t pid;
	char c;

	like.max_active = PMCGRP_SPAN_ACTIVE_MAX;
	ASSERT_EQ(0, pipe(up));
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		/* all room of spans in flight */
		struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };

		if (setrlimit(RLIMIT_MEMLOCK, &all) || !become(CAP_PERFMON))
			_exit(1);
		spans_take(self, &like, &spans);
		if (spans.err != -ENOSPC || spans.add.why != PMCGRP_WHY_SPANS_ROOM || !spans.nr)
			_exit(2);
		if (write(up[1], "x", 1) != 1)
			_exit(3);
		_exit(kill(getpid(), SIGSTOP));
	}
	close(up[1]);
	ASSERT_EQ(1, read(up[0], &c, 1));
	close(up[0]);
	group = group_of_task(self->dev, 0, 1, &self->attr, PMCGRP_CREATE_INHERIT);
	ASSERT_GE(group, 0);
	add = like;
	EXPECT_EQ(0, ioctl(group, PMCGRP_IOC_SPAN, &add));
	close(group);
	ASSERT_EQ(0, waitpid(pid, &status, WNOHANG));
	EXPECT_TRUE(end_child(pid));
}

/* A table for all CPUs that there can be, while few of them are online. */
TEST_F(limits, cpus_that_may_come)
{
	struct rlimit none = { 0, RLIM_INFINITY };
	int cpus = sysconf(_SC_NPROCESSORS_CONF), cpu, group, status;
	struct table table = {};
	bool off = true;
	pid_t pid;

	if (cpus < 3)
		SKIP(return, "there are no three CPUs");
	for (cpu = 1; cpu < cpus; cpu++)
		off &= set_online(cpu, false);
	pid = off ? fork() : -1;
	if (!pid) {
		if (setrlimit(RLIMIT_MEMLOCK, &none) || !become(CAP_PERFMON))
			_exit(1);
		group = group_of_task(self->dev, 0, 1, &self->attr, PMCGRP_CREATE_INHERIT);
		if (group < 0)
			_exit(2);
		/* 256 KiB for each CPU: half of what there is for each */
		_exit(table_make(group, PMCGRP_KEY_PROCESS, 2048, &table) ? 3 : 0);
	}
	for (cpu = 1; cpu < cpus; cpu++)
		set_online(cpu, true);
	ASSERT_TRUE(off);
	ASSERT_GT(pid, 0);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_HARNESS_MAIN
