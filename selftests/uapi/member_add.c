// SPDX-License-Identifier: GPL-2.0-only
/* Members that are added and closed while their group counts: refusals and counts. */
#include "pmcgrp_after.h"
#include "pmcgrp_leader.h"
#include "kselftest_harness.h"

#define TARGETS	5

FIXTURE(member_add)
{
	int dev;
	struct perf_event_attr attr[PMCGRP_MEMBERS_MAX + 1];
	unsigned int nr_hw;
	long refs;
};

FIXTURE_SETUP(member_add)
{
	unsigned int i;

	self->refs = module_refs();
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->nr_hw = !have_cycles() ? 0 : counters() < 5 ? counters() : 5;
	for (i = 0; i <= PMCGRP_MEMBERS_MAX; i++) {
		self->attr[i] = sw(i % 2 ? PERF_COUNT_SW_TASK_CLOCK : PERF_COUNT_SW_CPU_CLOCK);
		self->attr[i].exclude_hv = i / 2 & 1;
		self->attr[i].exclude_idle = i / 4 & 1;
		self->attr[i].exclude_guest = i / 8 & 1;
		self->attr[i].exclude_host = i / 16 & 1;
		self->attr[i].exclude_user = i / 32 & 1;
		/* hardware and software, one after the other */
		if (i < 2 * self->nr_hw && !(i & 1))
			self->attr[i] = cycles_copy(i);
	}
}

FIXTURE_TEARDOWN(member_add)
{
	close(self->dev);
	EXPECT_EQ(self->refs, module_refs());
}

static int group_with_leader(int dev, uint32_t type, int id, const struct perf_event_attr *attr,
			     uint64_t flags)
{
	struct ask ask = { .target_type = type, .target_id = id, .nr = 1, .attr = attr,
			   .flags = flags | PMCGRP_CREATE_LEADER };

	return ask_group(dev, &ask);
}

static int next_fd(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

#define expect_refused(err_, why_) do {						\
	int next_ = next_fd();							\
										\
	a.add.why = 77;								\
	EXPECT_EQ(-1, ioctl(fd, PMCGRP_IOC_ADD, &a));				\
	EXPECT_EQ(err_, errno);							\
	EXPECT_EQ(why_, a.add.why);						\
	EXPECT_EQ(next_, next_fd());						\
	EXPECT_TRUE(group_values(fd, 1, &v));					\
} while (0)

TEST_F(member_add, arguments)
{
	struct {
		struct pmcgrp_add add;
		uint64_t tail[2];
	} a = { .add.attr = (uintptr_t)&self->attr[1] }, good;
	struct perf_event_attr odd = self->attr[1];
	int fd = group_with_leader(self->dev, 0, 0, self->attr, 0), member, i;
	struct group_values v;

	ASSERT_GE(fd, 0);
	a.add.size = sizeof(a.add);
	good = a;
	for (i = 0; i < PMCGRP_ADD_SIZE_VER0; i++) {
		a.add.size = i;
		expect_refused(EINVAL, 77);
	}
	a.add.size = sizeof(a);
	a.tail[1] = 1;
	expect_refused(E2BIG, 77);
	a.add.size = 70000;
	expect_refused(E2BIG, 77);
	a = good;
	for (i = 2; i < 32; i++) {
		a.add.flags = 1U << i;
		expect_refused(EINVAL, PMCGRP_WHY_FLAGS);
	}
	a = good;
	for (i = 5; i < 64; i++) {
		a.add.read_format = 1ULL << i;
		expect_refused(EINVAL, PMCGRP_WHY_READ_FORMAT);
	}
	a = good;
	a.add.attr = 0;
	expect_refused(EFAULT, PMCGRP_WHY_ATTR_POINTER);
	a.add.attr = (uintptr_t)&odd;
	odd.size = 8;
	expect_refused(EINVAL, PMCGRP_WHY_ATTR_SIZE);
	odd.size = sizeof(odd);
	odd.disabled = 1;
	expect_refused(EINVAL, PMCGRP_WHY_ATTR_FIELD);
	odd.disabled = 0;
	odd.type = 0x7ffffff0;
	expect_refused(ENOENT, PMCGRP_WHY_EVENT_UNKNOWN);
	EXPECT_EQ(0, a.add.id);
	odd.type = PERF_TYPE_BREAKPOINT;
	expect_refused(EOPNOTSUPP, PMCGRP_WHY_EVENT_KIND);
	EXPECT_EQ(-1, ioctl(fd, PMCGRP_IOC_ADD, NULL));
	EXPECT_EQ(EFAULT, errno);

	/* a longer struct, and what comes of it */
	a = good;
	a.add.size = sizeof(a);
	member = ioctl(fd, PMCGRP_IOC_ADD, &a);
	ASSERT_GE(member, 0);
	EXPECT_EQ(FD_CLOEXEC, fcntl(member, F_GETFD));
	EXPECT_EQ(PMCGRP_WHY_NONE, a.add.why);
	EXPECT_EQ(-1, a.add.fail_cpu);
	ASSERT_TRUE(group_values(fd, 2, &v));
	EXPECT_EQ(v.m[1].id, a.add.id);
	EXPECT_LT(v.m[0].id, v.m[1].id);

	/* fields that a member may not set */
	EXPECT_EQ(-1, ioctl(member, PMCGRP_IOC_ADD, &good));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, ioctl(member, PMCGRP_IOC_READ_CPUS, &good));
	EXPECT_EQ(ENOTTY, errno);
	EXPECT_EQ(-1, ioctl(member, PERF_EVENT_IOC_ENABLE, 2));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, ioctl(member, PERF_EVENT_IOC_DISABLE, PMCGRP_IOC_FLAG_TIMES));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, ioctl(member, PERF_EVENT_IOC_ID, 8));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, ioctl(self->dev, PMCGRP_IOC_ADD, &good));
	EXPECT_EQ(ENOTTY, errno);
	close(member);
	close(fd);
	/* nor has every group a leader */
	fd = group_of(self->dev, 1, self->attr, 0);
	ASSERT_GE(fd, 0);
	a = good;
	expect_refused(EINVAL, PMCGRP_WHY_FLAGS);
	close(fd);
}

TEST_F(member_add, needs_a_capability)
{
	int fd = group_with_leader(self->dev, 0, 0, self->attr, 0), status;
	struct group_values v;
	struct pmcgrp_add add;
	pid_t pid;

	ASSERT_GE(fd, 0);
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		if (setresuid(1000, 1000, 1000))
			_exit(10);
		if (ask_member(fd, &self->attr[1], 0, FORMAT, &add) != -EACCES)
			_exit(11);
		_exit(add.why == PMCGRP_WHY_PERMISSION && group_values(fd, 1, &v) ? 0 : 12);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	close(fd);
}

/* The most there can be, and one more; in any order out again. */
TEST_F_TIMEOUT(member_add, as_many_as_there_can_be, 120)
{
	int fd = group_with_leader(self->dev, PMCGRP_TARGET_CPU, 0, self->attr, 0);
	int member[PMCGRP_MEMBERS_MAX];
	struct group_values v, w;
	struct pmcgrp_add add;
	unsigned int i, k, left;

	ASSERT_GE(fd, 0);
	for (i = 1; i < PMCGRP_MEMBERS_MAX; i++) {
		member[i] = add_member(fd, &self->attr[i]);
		ASSERT_GE(member[i], 0) {
			TH_LOG("member %u: %d", i, member[i]);
		}
	}
	EXPECT_EQ(-EINVAL, ask_member(fd, &self->attr[64], 0, FORMAT, &add));
	EXPECT_EQ(PMCGRP_WHY_NR_MEMBERS, add.why);
	for (left = PMCGRP_MEMBERS_MAX; left > 1; left--) {
		ASSERT_TRUE(group_values(fd, left, &v));
		for (i = 1, k = 7 * left % (left - 1); member[i] < 0 || k; i++)
			k -= member[i] >= 0;
		close(member[i]);
		member[i] = -1;
		ASSERT_TRUE(group_values(fd, left - 1, &w));
		EXPECT_GT(w.running, v.running);
		/* The other members are the same, and go on. */
		for (i = 0, k = 0; i < left - 1; i++, k++) {
			k += w.m[i].id != v.m[k].id;
			ASSERT_EQ(w.m[i].id, v.m[k].id);
			ASSERT_GE(w.m[i].value, v.m[k].value);
		}
	}
	close(fd);
}

/* Four descriptors, closed in every order; what is left counts. */
TEST_F_TIMEOUT(member_add, closed_in_every_order, 120)
{
	int fd[4], order, left, i, k, nr;
	struct group_values v, w;

	for (order = 0; order < 24; order++) {
		fd[0] = group_with_leader(self->dev, 0, 0, self->attr, 0);
		for (i = 1; i < 4; i++)
			fd[i] = add_member(fd[0], &self->attr[i]);
		for (left = 4, k = order; left > 1; k /= left--) {
			for (i = 0, nr = k % left; fd[i] < 0 || nr; i++)
				nr -= fd[i] >= 0;
			ASSERT_EQ(0, close(fd[i]));
			fd[i] = -1;
			for (i = 0; i < 4; i++) {
				if (fd[i] < 0)
					continue;
				nr = fd[0] < 0 ? 1 : left - 1;
				ASSERT_TRUE(group_values(fd[i], nr, &v));
				loop(100);
				ASSERT_TRUE(group_values(fd[i], nr, &w));
				ASSERT_GT(w.running, v.running);
				ASSERT_GT(w.m[0].value, v.m[0].value);
			}
		}
		for (i = 0; i < 4; i++)
			if (fd[i] >= 0)
				close(fd[i]);
	}
}

/* Members of CREATE have no descriptors: they go with the leader's. */
TEST_F(member_add, members_without_a_descriptor_go_with_the_leader)
{
	struct ask ask = { .nr = 3, .attr = self->attr, .flags = PMCGRP_CREATE_LEADER };
	int fd = ask_group(self->dev, &ask), member;
	struct group_values v;

	ASSERT_GE(fd, 0);
	member = add_member(fd, &self->attr[1]);	/* the same as one of them */
	ASSERT_GE(member, 0);
	ASSERT_TRUE(group_values(fd, 4, &v));
	ASSERT_TRUE(group_values(member, 4, &v));
	EXPECT_EQ(ask.member[2].id, v.m[2].id);
	close(fd);
	ASSERT_TRUE(group_values(member, 1, &v));
	close(member);
}

static const struct target {
	uint32_t type;
	uint64_t flags;
	bool cpus;
} targets[TARGETS] = {
	{ PMCGRP_TARGET_TASK, 0, false },
	{ PMCGRP_TARGET_TASK, PMCGRP_CREATE_INHERIT, false },
	{ PMCGRP_TARGET_PROCESS, 0, false },
	{ PMCGRP_TARGET_CPU, 0, true },
	{ PMCGRP_TARGET_ALL_CPUS, 0, true },
};

/*
 * While a target runs: nothing goes backwards, and members that count the same count the
 * same from the moment when the younger one came.
 */
TEST_F_TIMEOUT(member_add, sums_go_on_while_members_come_and_go, 120)
{
	struct group_values v, w;
	unsigned int t, i, k;
	int fd, member[5];
	uint64_t a, b;
	pid_t pid;

	for (t = 0; t < TARGETS; t++) {
		pid = spinner(-1);
		fd = group_with_leader(self->dev, targets[t].type, targets[t].cpus ? 0 : pid,
				       self->attr, targets[t].flags);
		ASSERT_GE(fd, 0);
		sleep_ns(20 * NSEC_PER_MSEC);
		for (i = 1; i < 5; i++) {
			ASSERT_TRUE(group_values(fd, i, &v));
			member[i] = add_member(fd, &self->attr[i]);
			ASSERT_GE(member[i], 0);
			ASSERT_TRUE(group_values(fd, i + 1, &w));
			for (k = 0; k < i; k++)
				EXPECT_GE(w.m[k].value, v.m[k].value);
			EXPECT_GE(w.enabled, v.enabled);
			sleep_ns(20 * NSEC_PER_MSEC);
		}
		/* 0, 2 and 4 count cycles, where there are any */
		ASSERT_TRUE(group_values(fd, 5, &v));
		sleep_ns(50 * NSEC_PER_MSEC);
		ASSERT_TRUE(group_values(fd, 5, &w));
		EXPECT_GT(w.running, v.running);
		a = w.m[0].value - v.m[0].value;
		b = w.m[4].value - v.m[4].value;
		EXPECT_GT(a, 0);
		if (deterministic() && self->nr_hw)
			EXPECT_LT(difference(a, b), 2000 + a / 100000);
		for (i = 4; i > 1; i--) {
			ASSERT_TRUE(group_values(fd, i + 1, &v));
			close(member[i]);
			ASSERT_TRUE(group_values(fd, i, &w));
			for (k = 0; k < i; k++)
				EXPECT_GE(w.m[k].value, v.m[k].value);
		}
		/* Without a leader the last one goes on, wherever it counts. */
		close(fd);
		ASSERT_TRUE(group_values(member[1], 1, &v));
		sleep_ns(20 * NSEC_PER_MSEC);
		ASSERT_TRUE(group_values(member[1], 1, &w));
		EXPECT_GT(w.m[0].value, v.m[0].value);
		EXPECT_GT(w.running, v.running);
		close(member[1]);
		ASSERT_TRUE(end_child(pid));
	}
}

#define CHANGES	2000

/* Disable and enable a member, add and close another one.  Return: whether all of it worked. */
static bool change_often(int fd, int member, const struct perf_event_attr *attr)
{
	unsigned int i;
	int more;

	for (i = 0; i < CHANGES; i++) {
		more = add_member(fd, attr);
		if (more < 0 || ioctl(member, PERF_EVENT_IOC_DISABLE, 0) ||
		    ioctl(member, PERF_EVENT_IOC_ENABLE, 0) || close(more))
			return false;
	}
	return true;
}

/* A task reads its own group without a lock, while another one changes it: nothing goes backwards. */
TEST_F_TIMEOUT(member_add, read_by_its_task_while_another_one_changes_it, 120)
{
	struct own_values v = {}, was = {};
	struct pmcgrp_add add;
	int fd, member, status;
	long reads = 0;
	pid_t pid;

	fd = group_with_leader(self->dev, PMCGRP_TARGET_TASK, 0, self->attr, 0);
	ASSERT_GE(fd, 0);
	member = ask_member(fd, &self->attr[1], 0, OWN_FORMAT, &add);
	ASSERT_GE(member, 0);
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid)
		_exit(!change_often(fd, member, &self->attr[2]));
	while (!waitpid(pid, &status, WNOHANG)) {
		ASSERT_EQ(sizeof(v), read(member, &v, sizeof(v)));
		ASSERT_GE(v.value, was.value);
		ASSERT_GE(v.enabled, was.enabled);
		ASSERT_GE(v.running, was.running);
		was = v;
		reads++;
	}
	EXPECT_EQ(0, status);
	EXPECT_GT(reads, 0);
	EXPECT_GT(v.value, 0);
	close(member);
	close(fd);
}

TEST_HARNESS_MAIN
