// SPDX-License-Identifier: GPL-2.0-only
/*
 * `pmcgrp info` of groups that are known, because they were made here; and the reasons
 * that `pmcgrp stat` gives for what was not counted.
 */
#include "pmcgrp_test.h"
#include <limits.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include "tool_json.h"
#include "tool_run.h"
#include "kselftest_harness.h"

#define OWN_NAME	"counts-things"	/* of this program, as others see it */

static const char *group_with(uint64_t id)
{
	return item_with(run.text, "groups", "id", id);
}

/* ---- Groups ---- */

FIXTURE(tool_info)
{
	int dev;
	bool hardware;
};

FIXTURE_SETUP(tool_info)
{
	self->dev = -1;
	if (system("command -v pmcgrp >/dev/null"))
		SKIP(return, "no pmcgrp in PATH");
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	ASSERT_EQ(0, prctl(PR_SET_NAME, OWN_NAME));
	self->hardware = have_instructions();
}

FIXTURE_TEARDOWN(tool_info)
{
	close(self->dev);
}

/* A group of cycles, or without a PMU of clock, and page faults, on a CPU. */
static int pair_of_cpu(int dev, int cpu, bool hardware, struct ask *ask)
{
	static struct perf_event_attr attr[2];

	attr[0] = hardware ? hw(PERF_COUNT_HW_CPU_CYCLES) : sw(PERF_COUNT_SW_CPU_CLOCK);
	attr[1] = sw(PERF_COUNT_SW_PAGE_FAULTS);
	*ask = (struct ask){ .target_type = PMCGRP_TARGET_CPU, .target_id = cpu, .nr = 2,
			     .attr = attr };
	return ask_group(dev, ask);
}

TEST_F_TIMEOUT(tool_info, two_groups_of_the_same_events, 60)
{
	struct group_values v;
	const char *p, *use;
	struct ask ask[2];
	int fd[2], i;

	for (i = 0; i < 2; i++) {
		fd[i] = pair_of_cpu(self->dev, 0, self->hardware, &ask[i]);
		ASSERT_GE(fd[i], 0);
	}
	sleep_ns(10 * NSEC_PER_MSEC);
	tool("pmcgrp info --json");
	ASSERT_EQ(0, run.status);
	for (i = 0; i < 2; i++) {
		p = group_with(ask[i].member[0].id);
		ASSERT_NE(NULL, p);
		EXPECT_EQ(getpid(), number(p, "owner.pid"));
		EXPECT_TRUE(is(p, "owner.comm", OWN_NAME));
		EXPECT_TRUE(is(p, "target.type", "cpu"));
		EXPECT_EQ(0, number(p, "target.id"));
		EXPECT_EQ(1, number(p, "target.count"));
		EXPECT_TRUE(is(p, "enabled", "true"));
		EXPECT_TRUE(is(p, "read-format", "0xf"));
		EXPECT_EQ(-2, number(p, "why"));
		EXPECT_LT(0, number(p, "time-running"));
		EXPECT_EQ(number(p, "time-enabled"), number(p, "time-running"));
		EXPECT_TRUE(is(p, "members.0.event", self->hardware ? "cycles" : "cpu-clock"));
		EXPECT_TRUE(is(p, "members.1.event", "page-faults"));
		EXPECT_EQ(ask[i].member[1].id, number(p, "members.1.id"));
		EXPECT_EQ(0, number(p, "members.0.cpus.0.cpu"));
		EXPECT_TRUE(is(p, "members.0.cpus.0.state", "running"));
		EXPECT_EQ(2, number(p, "members.0.cpus.0.groups"));
		EXPECT_EQ(-1, number(p, "members.0.cpus.1.cpu"));
		EXPECT_EQ(-1, number(p, "members.2.id"));
		/* it went on since */
		ASSERT_TRUE(group_values(fd[i], 2, &v));
		EXPECT_LT(0, number(p, "members.0.count"));
		EXPECT_GE(v.m[0].value, number(p, "members.0.count"));
		EXPECT_EQ(-2, number(p, "members.1.cpus.0.counter"));
	}
	if (self->hardware) {
		/* one counter for both of them */
		use = item_with(run.text, "counters", "counter",
				number(p, "members.0.cpus.0.counter"));
		ASSERT_NE(NULL, use);
		EXPECT_TRUE(is(use, "event", "cycles"));
		EXPECT_EQ(2, number(use, "groups"));
		EXPECT_EQ(0, number(use, "cpu"));
		EXPECT_EQ(-1, number(run.text, "counters.1.cpu"));
	}
	/* the same as a table: neither this process's name nor its number is lost */
	tool("pmcgrp info");
	EXPECT_EQ(0, run.status);
	EXPECT_TRUE(says(" of " OWN_NAME " (PID "));
	EXPECT_TRUE(says(": CPU 0, enabled, running, scheduled 100.00% of "));
	close(fd[0]);
	close(fd[1]);
	tool("pmcgrp info");
	EXPECT_EQ(0, run.status);
	EXPECT_STREQ("no groups\n", run.text);
}

/* One that is disabled, one of a process that sleeps and then ends; in user mode alone. */
TEST_F_TIMEOUT(tool_info, states_and_targets, 60)
{
	struct perf_event_attr attr = sw(PERF_COUNT_SW_PAGE_FAULTS);
	struct ask ask = { .nr = 1, .attr = &attr, .flags = PMCGRP_CREATE_DISABLED };
	struct ask of_child = { .target_type = PMCGRP_TARGET_PROCESS, .nr = 1, .attr = &attr,
				.flags = PMCGRP_CREATE_INHERIT };
	int fd, child_fd, pipes[2];
	const char *p;
	pid_t child;
	char c;

	ASSERT_EQ(0, pipe(pipes));
	child = fork();
	ASSERT_GE(child, 0);
	if (!child) {
		close(pipes[1]);
		_exit(read(pipes[0], &c, 1));
	}
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	fd = ask_group(self->dev, &ask);
	ASSERT_GE(fd, 0);
	of_child.target_id = child;
	child_fd = ask_group(self->dev, &of_child);
	ASSERT_GE(child_fd, 0);
	sleep_ns(50 * NSEC_PER_MSEC);	/* the child has come to its read() */
	tool("pmcgrp info -j");
	p = group_with(ask.member[0].id);
	ASSERT_NE(NULL, p);
	EXPECT_TRUE(is(p, "enabled", "false"));
	EXPECT_TRUE(is(p, "flags.0", "disabled"));
	EXPECT_TRUE(is(p, "target.type", "thread"));
	EXPECT_EQ(getpid(), number(p, "target.id"));
	EXPECT_TRUE(is(p, "members.0.event", "page-faults:u"));
	EXPECT_TRUE(is(p, "members.0.cpus.0.state", "disabled"));
	p = group_with(of_child.member[0].id);
	ASSERT_NE(NULL, p);
	EXPECT_TRUE(is(p, "enabled", "true"));
	EXPECT_TRUE(is(p, "flags.0", "inherit"));
	EXPECT_TRUE(is(p, "target.type", "process"));
	EXPECT_EQ(child, number(p, "target.id"));
	EXPECT_EQ(1, number(p, "target.count"));
	EXPECT_TRUE(is(p, "members.0.cpus.0.state", "sched-out"));
	EXPECT_EQ(-2, number(p, "members.0.cpus.0.cpu"));
	close(pipes[1]);
	ASSERT_EQ(child, waitpid(child, NULL, 0));
	tool("pmcgrp info -j");
	p = group_with(of_child.member[0].id);
	EXPECT_EQ(0, number(p, "target.count"));
	EXPECT_TRUE(is(p, "members.0.cpus.0.why", "task-gone"));
	close(pipes[0]);
	close(fd);
	close(child_fd);
}

TEST_F_TIMEOUT(tool_info, one_group, 60)
{
	struct ask ask[2];
	int fd[2], i;

	for (i = 0; i < 2; i++) {
		fd[i] = pair_of_cpu(self->dev, 0, self->hardware, &ask[i]);
		ASSERT_GE(fd[i], 0);
	}
	for (i = 0; i < 2; i++) {
		/* by any of its members */
		tool("pmcgrp info -j %llu", (unsigned long long)ask[1].member[i].id);
		EXPECT_EQ(0, run.status);
		EXPECT_EQ(ask[1].member[0].id, number(run.text, "groups.0.id"));
		EXPECT_EQ(-1, number(run.text, "groups.1.id"));
	}
	close(fd[0]);
	close(fd[1]);
	tool("pmcgrp info %llu", (unsigned long long)ask[1].member[0].id);
	EXPECT_EQ(125, run.status);
	EXPECT_TRUE(says("no group has the id "));
}

/* CPUs that look the same share a line, however many they are. */
TEST_F_TIMEOUT(tool_info, all_cpus, 60)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), fd, i;
	struct perf_event_attr attr = sw(PERF_COUNT_SW_CPU_CLOCK);
	struct ask ask = { .target_type = PMCGRP_TARGET_ALL_CPUS, .nr = 1, .attr = &attr };
	char text[64];
	const char *p;

	fd = ask_group(self->dev, &ask);
	ASSERT_GE(fd, 0);
	tool("pmcgrp info -j");
	p = group_with(ask.member[0].id);
	ASSERT_NE(NULL, p);
	EXPECT_TRUE(is(p, "target.type", "all-cpus"));
	EXPECT_EQ(cpus, number(p, "target.count"));
	for (i = 0; i < cpus; i++) {
		snprintf(text, sizeof(text), "members.0.cpus.%d.cpu", i);
		EXPECT_EQ(i, number(p, text));
		snprintf(text, sizeof(text), "members.0.cpus.%d.state", i);
		EXPECT_TRUE(is(p, text, "running"));
	}
	tool("pmcgrp info");
	snprintf(text, sizeof(text), "all CPUs (%d), enabled, running", cpus);
	EXPECT_TRUE(says(text));
	snprintf(text, sizeof(text), "running             -      1  0%s%.0d\n",
		 cpus > 1 ? "-" : "", cpus - 1);
	EXPECT_TRUE(says(text)) {
		TH_LOG("%s", run.text);
	}
	close(fd);
}

/* The right to create groups is not the right to see all groups. */
TEST_F_TIMEOUT(tool_info, who_may, 60)
{
	int status;
	pid_t pid = fork();

	ASSERT_GE(pid, 0);
	if (!pid) {
		/* root's next program has no more than this */
		if (prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN))
			_exit(2);
		tool("pmcgrp info");
		if (run.status != 125 || !says("run as root, or with CAP_SYS_ADMIN"))
			_exit(3);
		tool("pmcgrp stat -e page-faults -- true");
		_exit(run.status);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

/* ---- Reasons ---- */

/*
 * An event that takes one of the counters that the copies take, and is none of those, in the
 * tool's words; on x86 "instructions" has a counter of its own.
 */
static const char *ordinary(void)
{
	static char name[32];

	snprintf(name, sizeof(name), "r%llx:u",
		 (unsigned long long)instructions_copy(COUNTERS_MOST).config);
	return name;
}

/* Different copies of it. */
static void copies_of_ordinary(struct perf_event_attr *attr)
{
	unsigned int i;

	for (i = 0; i < COUNTERS_MOST; i++)
		attr[i] = instructions_copy(i);
}

/* Another program's pinned group has all counters: reports that, and its owner. */
TEST_F_TIMEOUT(tool_info, others_have_the_counters, 120)
{
	struct perf_event_attr attr[COUNTERS_MOST];
	struct ask ask = { .target_type = PMCGRP_TARGET_ALL_CPUS, .attr = attr,
			   .flags = PMCGRP_CREATE_PINNED };
	const char *event = ordinary(), *p;
	char text[128], line[128];
	int fd, fd2;

	if (!self->hardware)
		SKIP(return, "no counters");
	ask.nr = count_copies(machine()->instructions).left;
	copies_of_ordinary(attr);
	ASSERT_LT(0, (int)ask.nr);
	TH_LOG("%u counters", ask.nr);
	fd = ask_group(self->dev, &ask);
	ASSERT_GE(fd, 0);
	snprintf(text, sizeof(text),
		 "other pmcgrp groups have the counters (group %llu of PID %d, " OWN_NAME ")",
		 (unsigned long long)ask.member[0].id, getpid());

	tool("pmcgrp stat -e '{%s,page-faults:u}' -- sh -c :", event);
	EXPECT_EQ(0, run.status);
	EXPECT_TRUE(says(text)) {
		TH_LOG("%s", run.text);
	}
	snprintf(line, sizeof(line), "<not counted>      %-33s# other", event);
	EXPECT_TRUE(says(line));
	snprintf(line, sizeof(line), "the group of 2 with %s was never on the PMU: other", event);
	EXPECT_TRUE(says(line));
	EXPECT_TRUE(says_words("; \"pmcgrp info\" shows who has which counter"));

	/* CSV has perf's columns; JSON a key of its own */
	tool("pmcgrp stat -x, -e %s -- sh -c :", event);
	snprintf(line, sizeof(line), "<not counted>,,%s,0,", event);
	EXPECT_EQ(0, strncmp(line, run.text, strlen(line)));
	EXPECT_FALSE(says("#"));
	snprintf(line, sizeof(line), "\npmcgrp stat: the group of 1 with %s was never", event);
	EXPECT_TRUE(says(line));
	tool("pmcgrp stat -j -e %s -- sh -c :", event);
	EXPECT_TRUE(is(run.text, "not-counted-reason", text));
	tool("pmcgrp stat -j -e page-faults -- sh -c :");
	EXPECT_EQ(NULL, json(run.text, "not-counted-reason"));

	/* each CPU of a machine, each interval; and while it waits, info tells the same */
	tool("pmcgrp stat -j -a -A -e %.*s -I 50 --interval-count 2", (int)strlen(event) - 2,
	     event);
	EXPECT_TRUE(is(run.text, "not-counted-reason", text));
	fd2 = group_of_cpu(self->dev, 0, 1, attr + ask.nr);
	ASSERT_GE(fd2, 0);
	tool("pmcgrp info -j");
	p = item_with(run.text, "groups", "blocked-by", ask.member[0].id);
	ASSERT_NE(NULL, p);
	EXPECT_TRUE(is(p, "why", "busy-pmcgrp"));
	EXPECT_TRUE(is(p, "members.0.cpus.0.state", "waiting"));
	EXPECT_TRUE(is(p, "members.0.cpus.0.why", "busy-pmcgrp"));
	EXPECT_EQ(ask.member[0].id, number(p, "members.0.cpus.0.blocked-by"));
	EXPECT_EQ(-2, number(p, "members.0.cpus.0.counter"));
	close(fd2);
	close(fd);

	/* room again */
	tool("pmcgrp stat -j -e %s -- sh -c :", event);
	EXPECT_EQ(NULL, json(run.text, "not-counted-reason"));
}

/* Pinned perf events are never evicted. */
TEST_F_TIMEOUT(tool_info, perf_has_the_counters, 120)
{
	int fd[COUNTERS_MOST], nr, i, group, cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct perf_event_attr attr[COUNTERS_MOST];
	int watchdog = watchdog_counters(), named = 0;
	char path[80];
	const char *p;

	if (!self->hardware)
		SKIP(return, "no counters");
	if (cpus > 1)
		SKIP(return, "one CPU is enough");
	nr = count_copies(machine()->instructions).left;
	copies_of_ordinary(attr);
	ASSERT_LT(0, nr);
	for (i = 0; i < nr; i++) {
		attr[i].pinned = 1;
		fd[i] = perf_open(&attr[i], -1, 0, -1);
		ASSERT_GE(fd[i], 0);
	}
	tool("pmcgrp stat -e %s -- sh -c :", ordinary());
	EXPECT_EQ(0, run.status);
	EXPECT_TRUE(says("# perf events outside pmcgrp have the counters")) {
		TH_LOG("%s", run.text);
	}
	EXPECT_TRUE(says("; end what else counts with perf"));
	group = group_of_cpu(self->dev, 0, 1, attr + nr);
	ASSERT_GE(group, 0);
	tool("pmcgrp info -j");
	p = json(run.text, "groups.0");
	EXPECT_TRUE(is(p, "members.0.cpus.0.why", "busy-perf"));
	EXPECT_EQ(nr + watchdog, number(p, "members.0.cpus.0.perf-counters"));
	EXPECT_EQ(nr + watchdog, number(run.text, "perf.0.held"));
	EXPECT_EQ(0, number(run.text, "perf.0.cpu"));
	/* And whose they are. */
	for (i = 0; i < nr + watchdog; i++) {
		snprintf(path, sizeof(path), "perf.0.holders.%d", i);
		p = json(run.text, path);
		ASSERT_NE(NULL, p);
		EXPECT_TRUE(is(p, "flags.0", "pinned"));
		if (is(p, "flags.3", "nmi-watchdog")) {
			EXPECT_TRUE(is(p, "function", "watchdog_overflow_callback"));
			continue;
		}
		EXPECT_EQ(getpid(), number(p, "pid"));
		EXPECT_TRUE(is(p, "comm", OWN_NAME));
		EXPECT_EQ(-2, number(p, "unnamed"));
		EXPECT_EQ(-2, number(p, "target.tid"));
		named++;
	}
	EXPECT_EQ(nr, named);
	EXPECT_EQ(-1, number(run.text, "perf.0.holders.63.pid"));
	tool("pmcgrp info");
	snprintf(path, sizeof(path), "  # " OWN_NAME " (PID %d): pinned, of the CPU\n", getpid());
	EXPECT_TRUE(says(path)) {
		TH_LOG("%s", run.text);
	}
	EXPECT_EQ(!!watchdog, says("  # the NMI watchdog: pinned, samples, of the CPU\n"));
	close(group);
	for (i = 0; i < nr; i++)
		close(fd[i]);
}

/* Nothing runs, and the first event without a counter is named. */
TEST_F_TIMEOUT(tool_info, too_large, 60)
{
	struct perf_event_attr attr[COUNTERS_MOST];
	char list[COUNTERS_MOST * 16] = "", text[128];
	int nr, i;

	if (!self->hardware)
		SKIP(return, "no counters");
	nr = count_copies(machine()->instructions).fit;
	copies_of_ordinary(attr);
	ASSERT_LT(0, nr);
	for (i = 0; i <= nr; i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), ",r%llx",
			 (unsigned long long)attr[i].config);
	/* the clock needs none of them */
	tool("pmcgrp stat -e '{task-clock%s}' -- echo was run", list);
	EXPECT_EQ(125, run.status);
	snprintf(text, sizeof(text), "member %d (r%llx): one hardware event too many: ", nr + 1,
		 (unsigned long long)attr[nr].config);
	EXPECT_TRUE(says(text));
	snprintf(text, sizeof(text), "the PMU has counters for the %d before it", nr);
	EXPECT_TRUE(says(text)) {
		TH_LOG("%s", run.text);
	}
	EXPECT_FALSE(says("was run"));
}

TEST_HARNESS_MAIN
