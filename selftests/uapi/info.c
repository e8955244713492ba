// SPDX-License-Identifier: GPL-2.0-only
/*
 * What PMCGRP_IOC_INFO and PMCGRP_IOC_INFO_NEXT say of groups whose state is known, and
 * which groups are refused as too large.
 */
#include "pmcgrp_leader.h"
#include <linux/capability.h>
#include "kselftest_harness.h"

#define ROOM_CPUS	512

struct told {
	struct pmcgrp_info info;
	struct pmcgrp_info_member member[PMCGRP_MEMBERS_MAX];
	struct pmcgrp_info_cpu cpu[ROOM_CPUS];
};

FIXTURE(info)
{
	int dev;
	int cpu;	/* where this test runs */
	int watchdog;	/* counters that the kernel's has */
	unsigned int all;
	struct told told;
	struct perf_event_attr attr[PMCGRP_MEMBERS_MAX];
};

FIXTURE_SETUP(info)
{
	int i;

	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->cpu = 0;
	ASSERT_TRUE(run_on(self->cpu));
	self->all = counters();
	self->watchdog = watchdog_counters();
	for (i = 0; i < PMCGRP_MEMBERS_MAX; i++)
		self->attr[i] = cycles_copy(i);
}

FIXTURE_TEARDOWN(info)
{
	close(self->dev);
}

static void told_begin(struct told *told)
{
	memset(told, 0, sizeof(*told));
	told->info = (struct pmcgrp_info){
		.size = sizeof(told->info),
		.members = (uintptr_t)told->member,
		.cpus = (uintptr_t)told->cpu,
		.nr_members = PMCGRP_MEMBERS_MAX,
		.nr_cpus = ROOM_CPUS,
		.member_size = sizeof(told->member[0]),
		.cpu_size = sizeof(told->cpu[0]),
	};
}

static int ask_info(int fd, struct told *told)
{
	told_begin(told);
	return ioctl(fd, PMCGRP_IOC_INFO, &told->info) ? -errno : 0;
}

static int ask_next(int dev, uint64_t id, struct told *told)
{
	told_begin(told);
	told->info.id = id;
	return ioctl(dev, PMCGRP_IOC_INFO_NEXT, &told->info) ? -errno : 0;
}

/* Opens a pinned perf event on one counter of a CPU. */
static int pinned_cycles(int cpu)
{
	struct perf_event_attr pin = cycles_copy(99);

	pin.pinned = 1;
	return perf_open(&pin, -1, cpu, -1);
}

/* Waits until the group is in this state on the first CPU that is reported, at most 2 s. */
static bool state_comes(int fd, struct told *told, uint32_t state)
{
	uint64_t end = now_ns() + 2 * NSEC_PER_SEC;

	do {
		if (ask_info(fd, told))
			return false;
		if (told->cpu[0].state == state)
			return true;
		spin_ns(NSEC_PER_MSEC);
	} while (now_ns() < end);
	return false;
}

/* All of what selects the event, config3 where the kernel's perf_event_attr has it. */
TEST_F(info, configs)
{
	struct {
		struct perf_event_attr attr;
		__u64 tail[4];
	} wide = { .attr = sw(PERF_COUNT_SW_PAGE_FAULTS) };
	struct ask ask = { .nr = 1, .attr = &wide.attr, .target_id = getpid() };
	struct told *t = &self->told;
	__u64 config3 = 3;
	int fd;

	wide.attr.config1 = 1;
	wide.attr.config2 = 2;
	wide.attr.size = PERF_ATTR_SIZE_VER7 + sizeof(config3);
	memcpy((char *)&wide + PERF_ATTR_SIZE_VER7, &config3, sizeof(config3));
	fd = ask_group(self->dev, &ask);
	if (fd < 0) {
		ASSERT_EQ(E2BIG, errno);
		config3 = 0;
		wide.attr.size = PERF_ATTR_SIZE_VER7;
		fd = ask_group(self->dev, &ask);
	}
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, ask_info(fd, t));
	EXPECT_EQ(1, t->member[0].config1);
	EXPECT_EQ(2, t->member[0].config2);
	EXPECT_EQ(config3, t->member[0].config3);
	close(fd);
}

TEST_F(info, a_group_and_who_made_it)
{
	struct perf_event_attr attr[2] = { sw(PERF_COUNT_SW_PAGE_FAULTS),
					   sw(PERF_COUNT_SW_CONTEXT_SWITCHES) };
	struct ask ask = { .nr = 2, .attr = attr, .read_format = PERF_FORMAT_ID,
			   .target_id = getpid() };
	struct told *t = &self->told;
	char comm[32] = "";
	int fd, i;

	attr[1].exclude_user = 1;
	fd = ask_group(self->dev, &ask);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, ask_info(fd, t));
	EXPECT_EQ(ask.member[0].id, t->info.id);
	EXPECT_EQ(ask.read_format, t->info.read_format);
	EXPECT_EQ(PMCGRP_TARGET_TASK, t->info.target_type);
	EXPECT_EQ(getpid(), t->info.target_id);
	EXPECT_EQ(getpid(), t->info.owner);
	i = open("/proc/self/comm", O_RDONLY);
	ASSERT_LT(0, read(i, comm, sizeof(comm) - 1));
	close(i);
	*strchrnul(comm, '\n') = '\0';
	EXPECT_STREQ(comm, t->info.comm);
	EXPECT_EQ(1, t->info.enabled);
	EXPECT_EQ(1, t->info.nr_targets);
	EXPECT_EQ(0, t->info.why);
	EXPECT_EQ(t->info.time_enabled, t->info.time_running);
	ASSERT_EQ(2, t->info.nr_members);
	ASSERT_EQ(2, t->info.nr_cpus);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(ask.member[i].id, t->member[i].id);
		EXPECT_EQ(attr[i].type, t->member[i].type);
		EXPECT_EQ(attr[i].config, t->member[i].config);
		EXPECT_EQ(i ? 1ULL << 4 : 0, t->member[i].bits);	/* exclude_user */
		EXPECT_EQ(self->cpu, t->cpu[i].cpu);
		EXPECT_EQ(i, t->cpu[i].member);
		EXPECT_EQ(PMCGRP_STATE_RUNNING, t->cpu[i].state);
		EXPECT_EQ(PMCGRP_NO_COUNTER, t->cpu[i].counter);
		EXPECT_EQ(1, t->cpu[i].groups);
	}
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(0, ask_info(fd, t));
	EXPECT_EQ(0, t->info.enabled);
	EXPECT_EQ(PMCGRP_STATE_DISABLED, t->cpu[0].state);
	close(fd);
}

/* One that sleeps, and one that is no more. */
TEST_F(info, a_task_that_is_away)
{
	struct perf_event_attr attr = sw(PERF_COUNT_SW_PAGE_FAULTS);
	struct told *t = &self->told;
	pid_t pid = fork();
	int fd;

	if (!pid)
		for (;;)
			pause();
	ASSERT_GT(pid, 0);
	fd = group_of_task(self->dev, pid, 1, &attr, 0);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(state_comes(fd, t, PMCGRP_STATE_SCHED_OUT));
	EXPECT_EQ(1, t->info.nr_cpus);
	EXPECT_EQ(-1, t->cpu[0].cpu);
	EXPECT_EQ(0, t->cpu[0].why);
	EXPECT_EQ(pid, t->info.target_id);
	EXPECT_EQ(1, t->info.nr_targets);
	ASSERT_TRUE(end_child(pid));
	ASSERT_EQ(0, ask_info(fd, t));
	EXPECT_EQ(PMCGRP_STATE_SCHED_OUT, t->cpu[0].state);
	EXPECT_EQ(PMCGRP_WHY_TASK_GONE, t->cpu[0].why);
	EXPECT_EQ(0, t->info.nr_targets);
	EXPECT_EQ(pid, t->info.target_id);
	close(fd);
}

/* Groups with the same event on a CPU have one counter there. */
TEST_F(info, who_shares_a_counter)
{
	struct told *t = &self->told;
	int fd[3], i;

	if (!have_cycles())
		SKIP(return, "no hardware PMU");
	for (i = 0; i < 3; i++) {
		fd[i] = group_of_cpu(self->dev, self->cpu, 1 + i, self->attr);
		ASSERT_GE(fd[i], 0);
	}
	ASSERT_EQ(0, ask_info(fd[2], t));
	ASSERT_EQ(3, t->info.nr_cpus);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(PMCGRP_STATE_RUNNING, t->cpu[i].state);
		EXPECT_EQ(3 - i, t->cpu[i].groups);
		EXPECT_LE(0, t->cpu[i].counter);
		EXPECT_NE(t->cpu[i].counter, t->cpu[(i + 1) % 3].counter);
	}
	for (i = 0; i < 3; i++)
		close(fd[i]);
}

TEST_F(info, who_has_the_counters)
{
	unsigned int nr = more_than_half(), i;
	struct told *t = &self->told;
	uint64_t first;
	int fd[2];

	if (!have_cycles())
		SKIP(return, "no hardware PMU");
	fd[0] = group_of_cpu(self->dev, self->cpu, nr, self->attr);
	fd[1] = group_of_cpu(self->dev, self->cpu, nr, self->attr + nr);
	ASSERT_GE(fd[0], 0);
	ASSERT_GE(fd[1], 0);
	ASSERT_EQ(0, ask_info(fd[0], t));
	first = t->info.id;
	ASSERT_TRUE(state_comes(fd[1], t, PMCGRP_STATE_WAITING));
	for (i = 0; i < nr; i++)
		if (t->cpu[i].counter == PMCGRP_NO_COUNTER)
			EXPECT_EQ(PMCGRP_WHY_BUSY_PMCGRP, t->cpu[i].why);
	EXPECT_EQ(first, t->cpu[0].blocked_by);
	EXPECT_EQ(self->watchdog, t->cpu[0].perf_counters);
	EXPECT_TRUE(state_comes(fd[1], t, PMCGRP_STATE_RUNNING));
	close(fd[0]);
	close(fd[1]);
}

/* A pinned perf event leaves no room for a group of all counters. */
TEST_F(info, counters_held_outside)
{
	struct told *t = &self->told;
	int perf, fd;

	if (!have_cycles())
		SKIP(return, "no hardware PMU");
	perf = pinned_cycles(self->cpu);
	ASSERT_GE(perf, 0);
	fd = group_of_cpu(self->dev, self->cpu, self->all, self->attr);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, ask_info(fd, t));
	EXPECT_EQ(PMCGRP_STATE_WAITING, t->cpu[0].state);
	EXPECT_EQ(PMCGRP_WHY_BUSY_PERF, t->cpu[0].why);
	EXPECT_EQ(1 + self->watchdog, t->cpu[0].perf_counters);
	EXPECT_EQ(0, t->cpu[0].blocked_by);
	EXPECT_EQ(PMCGRP_WHY_BUSY_PERF, t->info.why);
	close(perf);
	EXPECT_TRUE(state_comes(fd, t, PMCGRP_STATE_RUNNING));
	EXPECT_EQ(self->watchdog, t->cpu[0].perf_counters);
	close(fd);
}

/* What perf holds is not enough for one more than there are. */
TEST_F(info, too_large_with_perf_events)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_CPU, .target_id = self->cpu,
			   .nr = counters_of_pmu() + 1, .attr = self->attr };
	int perf;

	if (!have_cycles())
		SKIP(return, "no hardware PMU");
	perf = pinned_cycles(self->cpu);
	ASSERT_GE(perf, 0);
	EXPECT_EQ(-EINVAL, ask_group(self->dev, &ask));
	EXPECT_EQ(PMCGRP_WHY_TOO_LARGE, ask.create.why);
	close(perf);
}

/* Nor is what a pinned group holds. */
TEST_F(info, too_large_with_a_pinned_group)
{
	struct ask pinned = { .target_type = PMCGRP_TARGET_CPU, .target_id = self->cpu, .nr = 1,
			      .attr = self->attr + COUNTERS_MOST, .flags = PMCGRP_CREATE_PINNED };
	struct ask ask = { .target_type = PMCGRP_TARGET_CPU, .target_id = self->cpu,
			   .nr = counters_of_pmu() + 1, .attr = self->attr };
	int beside;

	if (!have_cycles())
		SKIP(return, "no hardware PMU");
	beside = ask_group(self->dev, &pinned);
	ASSERT_GE(beside, 0);
	EXPECT_EQ(-EINVAL, ask_group(self->dev, &ask));
	EXPECT_EQ(PMCGRP_WHY_TOO_LARGE, ask.create.why);
	close(beside);
}

/* Why a task was never counted is still known when it is gone. */
TEST_F(info, why_a_task_was_not_counted)
{
	struct told *t = &self->told;
	int perf, fd, go[2];
	pid_t pid;
	char c;

	if (!have_cycles())
		SKIP(return, "no hardware PMU");
	perf = pinned_cycles(self->cpu);
	ASSERT_GE(perf, 0);
	ASSERT_EQ(0, pipe(go));
	pid = fork();
	if (!pid) {
		if (read(go[0], &c, 1) == 1)
			loop(1000);
		_exit(0);
	}
	fd = group_of_task(self->dev, pid, self->all, self->attr, PMCGRP_CREATE_INHERIT);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(1, write(go[1], "x", 1));
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	ASSERT_EQ(0, ask_info(fd, t));
	EXPECT_LT(0, t->info.time_enabled);
	EXPECT_EQ(0, t->info.time_running);
	EXPECT_EQ(PMCGRP_WHY_BUSY_PERF, t->info.why);
	close(fd);
	close(perf);
}

TEST_F(info, a_pinned_group_in_error)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_CPU, .target_id = self->cpu,
			   .nr = self->all, .attr = self->attr, .flags = PMCGRP_CREATE_PINNED };
	struct told *t = &self->told;
	int perf, fd;

	if (!have_cycles())
		SKIP(return, "no hardware PMU");
	perf = pinned_cycles(self->cpu);
	ASSERT_GE(perf, 0);
	fd = ask_group(self->dev, &ask);
	ASSERT_GE(fd, 0);
	EXPECT_TRUE(state_comes(fd, t, PMCGRP_STATE_ERROR));
	EXPECT_EQ(PMCGRP_WHY_BUSY_PERF, t->cpu[0].why);
	close(fd);
	close(perf);
}

/* Refused with the first member without a counter, for every kind of target. */
TEST_F(info, groups_that_are_too_large)
{
	pid_t pid = fork();
	struct ask asks[] = {
		{ .target_type = PMCGRP_TARGET_TASK },
		{ .target_type = PMCGRP_TARGET_TASK, .flags = PMCGRP_CREATE_DISABLED },
		{ .target_type = PMCGRP_TARGET_TASK, .target_id = pid },
		{ .target_type = PMCGRP_TARGET_PROCESS, .flags = PMCGRP_CREATE_INHERIT },
		{ .target_type = PMCGRP_TARGET_CPU, .flags = PMCGRP_CREATE_PINNED },
		{ .target_type = PMCGRP_TARGET_CPUS, .cpus = 1 },
		{ .target_type = PMCGRP_TARGET_ALL_CPUS },
	};
	struct group_values before, after;
	struct perf_event_attr mixed[COUNTERS_MOST + 3];
	unsigned int all = counters_of_pmu(), i, k;
	int fd, beside;

	if (!pid)
		for (;;)
			pause();
	ASSERT_GT(pid, 0);
	if (!have_cycles()) {
		ASSERT_TRUE(end_child(pid));
		SKIP(return, "no hardware PMU");
	}
	/* software members need none */
	mixed[0] = sw(PERF_COUNT_SW_PAGE_FAULTS);
	mixed[1] = sw(PERF_COUNT_SW_CONTEXT_SWITCHES);
	for (i = 0; i <= all; i++)
		mixed[2 + i] = self->attr[i];
	for (k = 0; k < 2; k++) {
		/* alone, then while another group has all counters */
		beside = -1;
		if (k)
			beside = group_of_cpu(self->dev, self->cpu, self->all,
					      self->attr + COUNTERS_MOST);
		for (i = 0; i < ARRAY_SIZE(asks); i++) {
			asks[i].attr = mixed;
			asks[i].nr = all + 3;
			EXPECT_EQ(-EINVAL, ask_group(self->dev, &asks[i]));
			EXPECT_EQ(PMCGRP_WHY_TOO_LARGE, asks[i].create.why);
			EXPECT_EQ(2 + all, asks[i].create.fail_member);
			asks[i].nr = all + 2;
			fd = ask_group(self->dev, &asks[i]);
			EXPECT_GE(fd, 0) {
				TH_LOG("%u with %d: why %u", i, beside, asks[i].create.why);
			}
			close(fd);
		}
		if (beside < 0)
			continue;
		ASSERT_TRUE(group_values(beside, self->all, &before));
		spin_ns(20 * NSEC_PER_MSEC);
		ASSERT_TRUE(group_values(beside, self->all, &after));
		EXPECT_EQ(after.enabled - before.enabled, after.running - before.running);
		close(beside);
	}
	ASSERT_TRUE(end_child(pid));
}

TEST_F(info, all_groups_of_the_machine)
{
	struct perf_event_attr attr = sw(PERF_COUNT_SW_PAGE_FAULTS);
	struct told *t = &self->told;
	uint64_t id[5], at = 0;
	int fd[5], i, other;

	other = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(other, 0);
	for (i = 0; i < 5; i++) {
		fd[i] = group_of(i & 1 ? other : self->dev, 1, &attr, 0);
		ASSERT_GE(fd[i], 0);
		ASSERT_EQ(0, ask_info(fd[i], t));
		id[i] = t->info.id;
	}
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, ask_next(self->dev, at, t));
		EXPECT_EQ(id[i], t->info.id);
		EXPECT_EQ(5, t->cpu[0].groups);
		at = t->info.id + 1;
	}
	EXPECT_EQ(-ENOENT, ask_next(self->dev, at, t));
	close(fd[2]);
	ASSERT_EQ(0, ask_next(self->dev, id[2], t));
	EXPECT_EQ(id[3], t->info.id);
	for (i = 0; i < 5; i++)
		if (i != 2)
			close(fd[i]);
	close(other);
}

/* Offline CPUs of the target are reported. */
TEST_F(info, a_cpu_that_is_offline)
{
	struct perf_event_attr attr = sw(PERF_COUNT_SW_PAGE_FAULTS);
	struct ask ask = { .target_type = PMCGRP_TARGET_ALL_CPUS, .nr = 1, .attr = &attr };
	int cpus = sysconf(_SC_NPROCESSORS_CONF), last = cpus - 1, fd, i;
	struct told *t = &self->told;
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", last);
	if (!last || access(path, W_OK))
		SKIP(return, "needs a second CPU that can be taken offline");
	fd = ask_group(self->dev, &ask);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(file_write(path, "0"));
	ASSERT_EQ(0, ask_info(fd, t));
	ASSERT_EQ(cpus, t->info.nr_cpus);
	EXPECT_EQ(cpus - 1, t->info.nr_targets);
	for (i = 0; i < cpus; i++) {
		EXPECT_EQ(i, t->cpu[i].cpu);
		EXPECT_EQ(i == last ? PMCGRP_STATE_SCHED_OUT : PMCGRP_STATE_RUNNING,
			  t->cpu[i].state);
		EXPECT_EQ(i == last ? PMCGRP_WHY_CPU_OFFLINE : 0, t->cpu[i].why);
	}
	ASSERT_TRUE(file_write(path, "1"));
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(0, ask_info(fd, t));
		if (t->cpu[last].state == PMCGRP_STATE_RUNNING)
			break;
		sleep_ns(20 * NSEC_PER_MSEC);
	}
	EXPECT_EQ(PMCGRP_STATE_RUNNING, t->cpu[last].state);
	close(fd);
}

TEST_F(info, bad_input)
{
	struct perf_event_attr attr[3] = { sw(PERF_COUNT_SW_PAGE_FAULTS),
					   sw(PERF_COUNT_SW_CONTEXT_SWITCHES),
					   sw(PERF_COUNT_SW_CPU_MIGRATIONS) };
	struct told *t = &self->told;
	char wide[4096] = "";
	int fd;

	fd = group_of(self->dev, 3, attr, 0);
	ASSERT_GE(fd, 0);
#define expect_errno(err, cmd, where, ...) do {				\
	told_begin(t);							\
	__VA_ARGS__;							\
	EXPECT_EQ(-1, ioctl(where, cmd, &t->info));			\
	EXPECT_EQ(err, errno);						\
} while (0)
	expect_errno(EINVAL, PMCGRP_IOC_INFO, fd, t->info.size = PMCGRP_INFO_SIZE_VER0 - 1);
	expect_errno(EINVAL, PMCGRP_IOC_INFO, fd, t->info.flags = PMCGRP_INFO_NO_CPUS << 1);
	told_begin(t);
	t->info.flags = PMCGRP_INFO_NO_CPUS;
	t->info.cpus = 0;
	t->info.nr_cpus = 0;
	EXPECT_EQ(0, ioctl(fd, PMCGRP_IOC_INFO, &t->info));
	EXPECT_EQ(3, t->info.nr_members);
	EXPECT_EQ(0, t->info.nr_cpus);
	expect_errno(EINVAL, PMCGRP_IOC_INFO, fd, t->info.id = 1);
	expect_errno(EINVAL, PMCGRP_IOC_INFO, fd, t->info.member_size = 8);
	expect_errno(EINVAL, PMCGRP_IOC_INFO, fd, t->info.cpu_size = 8);
	expect_errno(E2BIG, PMCGRP_IOC_INFO, fd, t->info.cpu_size = 1 << 20);
	expect_errno(E2BIG, PMCGRP_IOC_INFO, fd, t->info.size = 1 << 20);
	expect_errno(EFAULT, PMCGRP_IOC_INFO, fd, t->info.members = 8);
	expect_errno(EFAULT, PMCGRP_IOC_INFO, fd, t->info.cpus = 8);
	expect_errno(ENOTTY, PMCGRP_IOC_INFO_NEXT, fd, t->info.id = 0);
	expect_errno(ENOTTY, PMCGRP_IOC_INFO, self->dev, t->info.id = 0);
	/* too little room: how much it takes, and nothing else */
	expect_errno(ENOSPC, PMCGRP_IOC_INFO, fd, t->info.nr_members = 2);
	EXPECT_EQ(3, t->info.nr_members);
	EXPECT_EQ(3, t->info.nr_cpus);
	EXPECT_EQ(0, t->member[0].id);
	expect_errno(ENOSPC, PMCGRP_IOC_INFO_NEXT, self->dev, t->info.nr_cpus = 0);
	EXPECT_EQ(3, t->info.nr_cpus);
	EXPECT_NE(0, t->info.id);
	/* elements of user space's may be longer, and are zeroed behind */
	memset(wide, 0xaa, sizeof(wide));
	told_begin(t);
	t->info.members = (uintptr_t)wide;
	t->info.member_size = 1024;
	ASSERT_EQ(0, ioctl(fd, PMCGRP_IOC_INFO, &t->info));
	EXPECT_EQ(t->info.id, *(uint64_t *)wide);
	EXPECT_EQ(0, *(uint64_t *)(wide + 1016));
	EXPECT_EQ((char)0xaa, wide[3 * 1024]);
	close(fd);
}

#define GROUPS_MOST	1000

/* The nanoseconds in which PMCGRP_IOC_INFO_NEXT has gone through all groups; 0: not as many. */
static uint64_t pass_ns(int dev, unsigned int nr)
{
	struct pmcgrp_info_member member;
	struct pmcgrp_info info = { 0 };
	uint64_t start = now_ns();
	unsigned int seen = 0;

	for (;; seen++) {
		info = (struct pmcgrp_info){
			.size = sizeof(info),
			.flags = PMCGRP_INFO_NO_CPUS,
			.id = info.id + !!seen,
			.members = (uintptr_t)&member,
			.nr_members = 1,
			.member_size = sizeof(member),
			.cpu_size = sizeof(struct pmcgrp_info_cpu),
		};
		if (ioctl(dev, PMCGRP_IOC_INFO_NEXT, &info))
			break;
	}
	return errno == ENOENT && seen == nr ? now_ns() - start : 0;
}

/* Each is found at once, however many there are: four times as many take four times as long. */
TEST_F_TIMEOUT(info, of_many_groups, 120)
{
	const struct rlimit files = { .rlim_cur = 2 * GROUPS_MOST, .rlim_max = 2 * GROUPS_MOST };
	struct perf_event_attr attr = sw(PERF_COUNT_SW_PAGE_FAULTS);
	uint64_t few = 0, all;
	int fd[GROUPS_MOST], i;

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	for (i = 0; i < GROUPS_MOST; i++) {
		fd[i] = group_of(self->dev, 1, &attr, PMCGRP_CREATE_DISABLED);
		ASSERT_LE(0, fd[i]);
		if (i + 1 == GROUPS_MOST / 4)
			few = pass_ns(self->dev, i + 1);
	}
	all = pass_ns(self->dev, GROUPS_MOST);
	TH_LOG("%u groups: %llu ns, %u: %llu ns", GROUPS_MOST / 4, (unsigned long long)few, GROUPS_MOST,
	       (unsigned long long)all);
	EXPECT_NE(0, few);
	EXPECT_NE(0, all);
	if (deterministic())
		EXPECT_LE(all, 5 * few);
	for (i = 0; i < GROUPS_MOST; i++)
		close(fd[i]);
}

/* A group whose leader has gone is found by the id of its first member, behind a group that came between. */
TEST_F(info, of_a_group_without_its_leader)
{
	struct perf_event_attr attr = sw(PERF_COUNT_SW_PAGE_FAULTS);
	struct ask ask = { .nr = 1, .attr = &attr, .flags = PMCGRP_CREATE_LEADER };
	int leader = ask_group(self->dev, &ask), other = group_of(self->dev, 1, &attr, 0), member;
	struct told *t = &self->told;
	struct pmcgrp_add add;
	uint64_t id;

	ASSERT_LE(0, leader);
	ASSERT_LE(0, other);
	member = ask_member(leader, &attr, 0, 0, &add);
	ASSERT_LE(0, member);
	ASSERT_EQ(0, ask_next(self->dev, 0, t));
	EXPECT_EQ(2, t->info.nr_members);
	close(leader);
	ASSERT_EQ(0, ask_next(self->dev, 0, t));
	id = t->info.id;
	ASSERT_EQ(0, ask_info(other, t));
	EXPECT_EQ(id, t->info.id);
	ASSERT_EQ(0, ask_next(self->dev, id + 1, t));
	EXPECT_EQ(add.id, t->info.id);
	EXPECT_EQ(1, t->info.nr_members);
	EXPECT_EQ(-ENOENT, ask_next(self->dev, t->info.id + 1, t));
	close(member);
	close(other);
	EXPECT_EQ(-ENOENT, ask_next(self->dev, 0, t));
}

/* Groups of other users need CAP_SYS_ADMIN; a group descriptor suffices for its group. */
TEST_F(info, who_may_ask)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct perf_event_attr attr = sw(PERF_COUNT_SW_PAGE_FAULTS);
	struct __user_cap_data_struct none[2] = {};
	struct told *t = &self->told;
	int fd = group_of(self->dev, 1, &attr, 0);

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, syscall(SYS_capset, &header, none));
	EXPECT_EQ(-EACCES, ask_next(self->dev, 0, t));
	EXPECT_EQ(0, ask_info(fd, t));
	close(fd);
}

TEST_HARNESS_MAIN
