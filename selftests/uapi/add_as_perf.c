// SPDX-License-Identifier: GPL-2.0-only
/* PMCGRP_ADD_AS_PERF: which arguments of perf_event_open(2) it takes, and that perf takes them, too. */
#include "pmcgrp_leader.h"
#include "kselftest_harness.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

/* A group of the caller, disabled, and one of perf's that is the same. */
FIXTURE(add_as_perf)
{
	int dev;
	int leader;
	int perf;
	struct perf_event_attr attr;
};

static int leader_of(int dev, uint32_t type, uint64_t flags)
{
	const struct perf_event_attr attr = sw(PERF_COUNT_SW_PAGE_FAULTS);
	struct ask ask = { .target_type = type, .nr = 1, .attr = &attr,
			   .flags = flags | PMCGRP_CREATE_LEADER };

	return ask_group(dev, &ask);
}

FIXTURE_SETUP(add_as_perf)
{
	struct perf_event_attr faults = sw(PERF_COUNT_SW_PAGE_FAULTS);

	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->leader = leader_of(self->dev, PMCGRP_TARGET_TASK,
				 PMCGRP_CREATE_AS_PERF | PMCGRP_CREATE_DISABLED);
	ASSERT_GE(self->leader, 0);
	self->attr = sw(PERF_COUNT_SW_TASK_CLOCK);
	faults.disabled = 1;
	self->perf = perf_open(&faults, 0, -1, -1);
	ASSERT_GE(self->perf, 0);
}

FIXTURE_TEARDOWN(add_as_perf)
{
	close(self->perf);
	close(self->leader);
	close(self->dev);
}

/* Returns a descriptor, or -errno. */
static int add_as_perf(int leader, const struct perf_event_attr *attr, pid_t pid, int cpu,
		       struct pmcgrp_add *add)
{
	int fd;

	*add = (struct pmcgrp_add){ .size = sizeof(*add), .flags = PMCGRP_ADD_AS_PERF,
				    .attr = (uintptr_t)attr, .pid = pid, .cpu = cpu };
	fd = ioctl(leader, PMCGRP_IOC_ADD, add);
	return fd < 0 ? -errno : fd;
}

#define expect_taken(pid, cpu) do {							\
	int fd_ = add_as_perf(self->leader, &self->attr, pid, cpu, &add), perf_;	\
											\
	EXPECT_GE(fd_, 0) TH_LOG("why %u", add.why);					\
	EXPECT_EQ(0, close(fd_));							\
	perf_ = perf_open(&self->attr, pid, cpu, self->perf);				\
	EXPECT_EQ(0, close(perf_));							\
} while (0)

#define expect_refused(pid, cpu, err, why_) do {					\
	EXPECT_EQ(-(err), add_as_perf(self->leader, &self->attr, pid, cpu, &add));	\
	EXPECT_EQ(why_, add.why);							\
	EXPECT_EQ(0, add.id);								\
} while (0)

/* One field is as it is in the statement, for the one that follows. */
#define WITH(field, value, statement) do {		\
	struct perf_event_attr kept_ = self->attr;	\
							\
	self->attr.field = value;			\
	statement;					\
	self->attr = kept_;				\
} while (0)

TEST_F(add_as_perf, fields)
{
	struct pmcgrp_add add;

	expect_taken(0, -1);
	WITH(disabled, 1, expect_taken(0, -1));
	WITH(enable_on_exec, 1, expect_taken(0, -1));
	WITH(sample_type, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME, expect_taken(0, -1));
	WITH(sample_id_all, 1, expect_taken(0, -1));
	WITH(watermark, 1, expect_taken(0, -1));
	WITH(wakeup_events, 7, expect_taken(0, -1));
	WITH(read_format, PERF_FORMAT_GROUP | PERF_FORMAT_ID, expect_taken(0, -1));
	WITH(exclude_user, 1, expect_taken(0, -1));
	WITH(inherit, 1, expect_refused(0, -1, EINVAL, PMCGRP_WHY_ATTR_FIELD));
	WITH(pinned, 1, expect_refused(0, -1, EINVAL, PMCGRP_WHY_ATTR_FIELD));
	WITH(exclusive, 1, expect_refused(0, -1, EINVAL, PMCGRP_WHY_ATTR_FIELD));
	WITH(sample_period, 1, expect_refused(0, -1, EINVAL, PMCGRP_WHY_ATTR_FIELD));
	WITH(sample_type, PERF_SAMPLE_BRANCH_STACK,
	     expect_refused(0, -1, EINVAL, PMCGRP_WHY_ATTR_FIELD));
	WITH(read_format, 1ULL << 40, expect_refused(0, -1, EINVAL, PMCGRP_WHY_ATTR_FIELD));
	WITH(type, PERF_TYPE_TRACEPOINT, expect_refused(0, -1, EINVAL, PMCGRP_WHY_ATTR_FIELD));
	WITH(type, PERF_TYPE_BREAKPOINT, expect_refused(0, -1, EOPNOTSUPP, PMCGRP_WHY_EVENT_KIND));
	WITH(config, PERF_COUNT_SW_BPF_OUTPUT,
	     expect_refused(0, -1, EINVAL, PMCGRP_WHY_ATTR_FIELD));
	WITH(config, 12345, expect_refused(0, -1, ENOENT, PMCGRP_WHY_EVENT_UNKNOWN));
	self->attr.disabled = 1;
	WITH(enable_on_exec, 1, expect_refused(0, -1, EINVAL, PMCGRP_WHY_ATTR_FIELD));
}

/* perf is to see the attr as it was. */
TEST_F(add_as_perf, sizes)
{
	struct {
		struct perf_event_attr attr;
		uint64_t tail[40];
	} wide = { .attr = self->attr };
	struct pmcgrp_add add;

	wide.attr.size = sizeof(wide);
	EXPECT_EQ(0, close(add_as_perf(self->leader, &wide.attr, 0, -1, &add)));
	wide.tail[39] = 1;
	EXPECT_EQ(-E2BIG, add_as_perf(self->leader, &wide.attr, 0, -1, &add));
	EXPECT_EQ(sizeof(wide), wide.attr.size);
	EXPECT_EQ(-EFAULT, add_as_perf(self->leader, (void *)8, 0, -1, &add));
	WITH(size, 0, expect_refused(0, -1, EINVAL, PMCGRP_WHY_ATTR_SIZE));
}

TEST_F(add_as_perf, targets)
{
	pid_t child = waiter();
	struct pmcgrp_add add;
	int of_cpu, of_all, fd;

	expect_taken(getpid(), -1);
	expect_refused(child, -1, EINVAL, PMCGRP_WHY_TARGET);
	expect_refused(0x7ffffff, -1, EINVAL, PMCGRP_WHY_TARGET);
	expect_refused(-7, -1, EINVAL, PMCGRP_WHY_TARGET);
	expect_refused(0, 0, EINVAL, PMCGRP_WHY_TARGET);
	expect_refused(-1, 0, EINVAL, PMCGRP_WHY_TARGET);
	expect_refused(-1, -1, EINVAL, PMCGRP_WHY_TARGET);
	end_child(child);
	of_cpu = leader_of(self->dev, PMCGRP_TARGET_CPU, PMCGRP_CREATE_AS_PERF);
	of_all = leader_of(self->dev, PMCGRP_TARGET_ALL_CPUS, PMCGRP_CREATE_AS_PERF);
	/* There these bits mean nothing to perf. */
	self->attr.disabled = 1;
	self->attr.inherit = 1;
	self->attr.enable_on_exec = 1;
	fd = add_as_perf(of_cpu, &self->attr, -1, 0, &add);
	EXPECT_EQ(0, close(fd));
	EXPECT_EQ(-EINVAL, add_as_perf(of_cpu, &self->attr, -1, 1, &add));
	EXPECT_EQ(-EINVAL, add_as_perf(of_cpu, &self->attr, 0, -1, &add));
	EXPECT_EQ(-EINVAL, add_as_perf(of_all, &self->attr, -1, 0, &add));
	close(of_all);
	close(of_cpu);
}

TEST_F(add_as_perf, arguments)
{
	int plain = leader_of(self->dev, PMCGRP_TARGET_TASK, 0);
	struct pmcgrp_add add;
	uint64_t id = 0;
	int fd, again;

	fd = add_as_perf(self->leader, &self->attr, 0, -1, &add);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ID, &id));
	EXPECT_EQ(id, add.id);
	EXPECT_EQ(0, ioctl(self->leader, PERF_EVENT_IOC_ID, &id));
	EXPECT_EQ(id, add.leader);
	EXPECT_EQ(getpid(), add.process);
	EXPECT_EQ(syscall(SYS_gettid), add.thread);
	EXPECT_EQ(-EINVAL, add_as_perf(fd, &self->attr, 0, -1, &add));
	EXPECT_EQ(-EINVAL, add_as_perf(plain, &self->attr, 0, -1, &add));
	EXPECT_EQ(PMCGRP_WHY_FLAGS, add.why);
	add = (struct pmcgrp_add){ .size = sizeof(add), .attr = (uintptr_t)&self->attr, .cpu = 1 };
	again = ioctl(self->leader, PMCGRP_IOC_ADD, &add);
	EXPECT_EQ(-1, again);
	EXPECT_EQ(PMCGRP_WHY_RESERVED, add.why);
	add.cpu = 0;
	add.flags = PMCGRP_ADD_AS_PERF | PMCGRP_ADD_DISABLED;
	EXPECT_EQ(-1, ioctl(self->leader, PMCGRP_IOC_ADD, &add));
	EXPECT_EQ(PMCGRP_WHY_FLAGS, add.why);
	close(fd);
	close(plain);
}

/* What a filter says of perf_event_open(2) is not for the module to know. */
TEST_F(add_as_perf, with_a_filter)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = { .len = 1, .filter = &allow };
	struct pmcgrp_add add;

	expect_taken(0, -1);
	ASSERT_EQ(0, prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0))
		SKIP(return, "no filters of system calls");
	expect_refused(0, -1, EINVAL, PMCGRP_WHY_FLAGS);
}

TEST_HARNESS_MAIN
