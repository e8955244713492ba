// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the device accepts and refuses: each bad input with its errno, its reason
 * and its fail_member.  Outputs are poisoned before each call.
 */
#include "pmcgrp_test.h"
#include <limits.h>
#include <linux/hw_breakpoint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include "kselftest_harness.h"

#define POISON		0xdeadbeefU
#define ABSENT_PID	0x3ffffff	/* above pid_max */

/* More than the kernel's struct, with a tail that the tests fill. */
struct long_create {
	struct pmcgrp_create create;
	char tail[24];
};

FIXTURE(abi)
{
	int dev;
	struct perf_event_attr attr[PMCGRP_MEMBERS_MAX + 1];
	struct pmcgrp_member member[PMCGRP_MEMBERS_MAX + 1];
	struct long_create arg;
	void *bad;	/* a page that cannot be touched */
};

FIXTURE_SETUP(abi)
{
	int i;

	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->bad = mmap(NULL, 1 << 16, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->bad);
	for (i = 0; i <= PMCGRP_MEMBERS_MAX; i++) {
		self->attr[i] = sw(PERF_COUNT_SW_PAGE_FAULTS);
		self->member[i] = (struct pmcgrp_member){ .attr = (uintptr_t)&self->attr[i] };
	}
	self->arg = (struct long_create){
		.create = {
			.size = sizeof(struct pmcgrp_create),
			.nr_members = 3,
			.members = (uintptr_t)self->member,
			.member_size = sizeof(struct pmcgrp_member),
			.why = POISON,
			.fail_member = POISON,
			.fail_cpu = -77,
		},
	};
}

FIXTURE_TEARDOWN(abi)
{
	close(self->dev);
}

/* Expect CREATE to fail so; a group descriptor would be the next free number. */
#define expect_refused(errno_, why_, member_) do {					\
	struct pmcgrp_create *c_ = &self->arg.create;					\
	int next_ = dup(0);								\
	close(next_);									\
	c_->why = POISON;								\
	c_->fail_member = POISON;							\
	EXPECT_EQ(-1, ioctl(self->dev, PMCGRP_IOC_CREATE, c_));				\
	EXPECT_EQ(errno_, errno);							\
	EXPECT_EQ((__u32)(why_), c_->why);						\
	EXPECT_EQ((__u32)(member_), c_->fail_member);					\
	EXPECT_EQ(-1, fcntl(next_, F_GETFD));						\
	EXPECT_EQ(EBADF, errno);							\
} while (0)

#define expect_made() do {								\
	int fd_ = ioctl(self->dev, PMCGRP_IOC_CREATE, &self->arg);			\
	EXPECT_GE(fd_, 0);								\
	EXPECT_EQ(FD_CLOEXEC, fcntl(fd_, F_GETFD));					\
	EXPECT_EQ(0, close(fd_));							\
	EXPECT_EQ(-1, close(fd_));							\
	EXPECT_EQ(EBADF, errno);							\
} while (0)

TEST_F(abi, the_device_is_for_root)
{
	struct stat st;

	ASSERT_EQ(0, stat(DEVICE, &st));
	ASSERT_EQ(S_IFCHR | 0600, st.st_mode);
	ASSERT_EQ(0, st.st_uid);
}

TEST_F(abi, opening_needs_a_capability)
{
	int fd, status;
	pid_t pid;

	/* Let the file mode not be what refuses. */
	ASSERT_EQ(0, chmod(DEVICE, 0666));
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		if (setresuid(1000, 1000, 1000))
			_exit(10);
		fd = open(DEVICE, O_RDWR);
		_exit(fd < 0 && errno == EACCES ? 0 : 11);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, chmod(DEVICE, 0600));
	ASSERT_EQ(0, status);
}

TEST_F(abi, a_descriptor_handed_down_makes_no_group)
{
	int status;
	pid_t pid = fork();

	ASSERT_GE(pid, 0);
	if (!pid) {
		if (setresuid(1000, 1000, 1000))
			_exit(10);
		if (ioctl(self->dev, PMCGRP_IOC_CREATE, &self->arg) != -1 || errno != EACCES)
			_exit(11);
		_exit(self->arg.create.why == PMCGRP_WHY_PERMISSION ? 0 : 12);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
}

TEST_F(abi, unknown_ioctls)
{
	int fd = ioctl(self->dev, PMCGRP_IOC_CREATE, &self->arg);

	ASSERT_GE(fd, 0);
	EXPECT_EQ(-1, ioctl(self->dev, _IO(PMCGRP_IOC_TYPE, 0xff), 0));
	EXPECT_EQ(ENOTTY, errno);
	EXPECT_EQ(-1, ioctl(self->dev, PERF_EVENT_IOC_ENABLE, 0));
	EXPECT_EQ(ENOTTY, errno);
	EXPECT_EQ(-1, ioctl(fd, PMCGRP_IOC_CREATE, &self->arg));
	EXPECT_EQ(ENOTTY, errno);
	EXPECT_EQ(-1, ioctl(fd, _IO('$', 0xff), 0));
	EXPECT_EQ(ENOTTY, errno);
	EXPECT_EQ(-1, ioctl(fd, PERF_EVENT_IOC_ENABLE, 2));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, ioctl(fd, PERF_EVENT_IOC_RESET, -1));
	EXPECT_EQ(EINVAL, errno);
	close(fd);
}

TEST_F(abi, query)
{
	struct {
		struct pmcgrp_query q;
		__u64 tail;
	} a = { .q = { .size = sizeof(a.q) } };

	ASSERT_EQ(0, ioctl(self->dev, PMCGRP_IOC_QUERY, &a));
	EXPECT_EQ(sizeof(a.q), a.q.size);
	EXPECT_EQ(PMCGRP_ABI_VERSION, a.q.abi_version);
	EXPECT_EQ(PMCGRP_MEMBERS_MAX, a.q.members_max);
	EXPECT_EQ(0x1ff, a.q.create_flags);
	EXPECT_EQ(0x1f, a.q.read_formats);
	EXPECT_EQ(0x3f, a.q.targets);
	EXPECT_EQ(4 * NSEC_PER_MSEC, a.q.mux_interval_ns);
	EXPECT_GT(strnlen(a.q.release, sizeof(a.q.release)), 0);
	EXPECT_LT(strnlen(a.q.release, sizeof(a.q.release)), sizeof(a.q.release));

	EXPECT_EQ(0x1f, a.q.ring_flags);
	EXPECT_EQ(0x2107ff, a.q.sample_types);
	EXPECT_EQ(PMCGRP_TRIGGERS_MAX, a.q.triggers_max);
	EXPECT_EQ(0x1ff, a.q.features);
	EXPECT_EQ(1 << CLOCK_MONOTONIC | 1 << CLOCK_MONOTONIC_RAW, a.q.clockids);
	EXPECT_EQ(1 << PMCGRP_SECTION_FUNCTION | 1 << PMCGRP_SECTION_TRACEPOINTS |
			  1 << PMCGRP_SECTION_USER_FUNCTION,
		  a.q.span_kinds);
	EXPECT_EQ(0x3, a.q.span_flags);
	EXPECT_EQ(0x7, a.q.span_keys);
	EXPECT_EQ(0xf, a.q.key_types);
	EXPECT_EQ(PMCGRP_SPANS_MAX, a.q.spans_max);
	EXPECT_EQ(PMCGRP_SPAN_ACTIVE_MAX, a.q.span_active_max);
	EXPECT_EQ(PMCGRP_SPAN_SLOTS_MAX, a.q.span_slots_max);
	EXPECT_EQ(PMCGRP_SPAN_EXITS_MAX, a.q.span_exits_max);
	EXPECT_EQ(PMCGRP_KEYS_SLOTS_MAX, a.q.keys_slots_max);
	EXPECT_EQ(PMCGRP_KEYS_CGROUPS_MAX, a.q.keys_cgroups_max);
	EXPECT_EQ(PMCGRP_SECTION_MEMBERS_MAX, a.q.section_members_max);
	EXPECT_EQ(PMCGRP_SWITCH_MAX, a.q.switch_max);

	a.q.size = PMCGRP_QUERY_SIZE_VER0 - 1;
	EXPECT_EQ(-1, ioctl(self->dev, PMCGRP_IOC_QUERY, &a));
	EXPECT_EQ(EINVAL, errno);
	/* a newer program: a tail of zeroes is accepted and not written */
	a.q.size = sizeof(a);
	a.q.flags = 0;
	EXPECT_EQ(0, ioctl(self->dev, PMCGRP_IOC_QUERY, &a));
	EXPECT_EQ(sizeof(a.q), a.q.size);
	EXPECT_EQ(0, a.tail);
	a.q.size = sizeof(a);
	a.tail = 1;
	EXPECT_EQ(-1, ioctl(self->dev, PMCGRP_IOC_QUERY, &a));
	EXPECT_EQ(E2BIG, errno);
	a.q.size = sizeof(a.q);
	a.q.flags = 1;
	EXPECT_EQ(-1, ioctl(self->dev, PMCGRP_IOC_QUERY, &a));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, ioctl(self->dev, PMCGRP_IOC_QUERY, self->bad));
	EXPECT_EQ(EFAULT, errno);
}

TEST_F(abi, struct_size)
{
	struct pmcgrp_create *c = &self->arg.create;

	expect_made();
	c->size = sizeof(self->arg);
	expect_made();
	self->arg.tail[sizeof(self->arg.tail) - 1] = 1;
	EXPECT_EQ(-1, ioctl(self->dev, PMCGRP_IOC_CREATE, c));
	EXPECT_EQ(E2BIG, errno);
	c->size = UINT_MAX;
	EXPECT_EQ(-1, ioctl(self->dev, PMCGRP_IOC_CREATE, c));
	EXPECT_EQ(E2BIG, errno);
	c->size = sizeof(*c) - 1;
	EXPECT_EQ(-1, ioctl(self->dev, PMCGRP_IOC_CREATE, c));
	EXPECT_EQ(EINVAL, errno);
	c->size = 0;
	EXPECT_EQ(-1, ioctl(self->dev, PMCGRP_IOC_CREATE, c));
	EXPECT_EQ(EINVAL, errno);
}

TEST_F(abi, unknown_flags)
{
	struct pmcgrp_create *c = &self->arg.create;
	int bit;

	for (bit = 7; bit < 64; bit++) {
		c->flags = 1ULL << bit;
		if (c->flags == PMCGRP_CREATE_BACKGROUND)
			continue; /* bit 7 goes with another one only */
		expect_refused(EINVAL, PMCGRP_WHY_FLAGS, PMCGRP_NO_MEMBER);
	}
	c->flags = 0;
	for (bit = 5; bit < 64; bit++) {
		c->read_format = 1ULL << bit;
		expect_refused(EINVAL, PMCGRP_WHY_READ_FORMAT, PMCGRP_NO_MEMBER);
	}
	c->read_format = 0;
	for (bit = 0; bit < 64; bit++) {
		self->member[1].flags = 1ULL << bit;
		expect_refused(EINVAL, PMCGRP_WHY_RESERVED, 1);
	}
}

TEST_F(abi, reserved_fields)
{
	struct pmcgrp_create *c = &self->arg.create;

	c->__reserved = 1;
	expect_refused(EINVAL, PMCGRP_WHY_RESERVED, PMCGRP_NO_MEMBER);
	c->__reserved = 1U << 31;
	expect_refused(EINVAL, PMCGRP_WHY_RESERVED, PMCGRP_NO_MEMBER);
	c->__reserved = 0;
	self->member[2].flags = 1;
	expect_refused(EINVAL, PMCGRP_WHY_RESERVED, 2);
	self->member[2].flags = 0;
	expect_made();
}

TEST_F(abi, number_of_members)
{
	struct pmcgrp_create *c = &self->arg.create;

	c->nr_members = 0;
	expect_refused(EINVAL, PMCGRP_WHY_NR_MEMBERS, PMCGRP_NO_MEMBER);
	c->nr_members = PMCGRP_MEMBERS_MAX + 1;
	expect_refused(EINVAL, PMCGRP_WHY_NR_MEMBERS, PMCGRP_NO_MEMBER);
	c->nr_members = UINT_MAX;
	expect_refused(EINVAL, PMCGRP_WHY_NR_MEMBERS, PMCGRP_NO_MEMBER);
	c->nr_members = PMCGRP_MEMBERS_MAX;
	expect_made();
	c->nr_members = 1;
	expect_made();
}

TEST_F(abi, member_size)
{
	struct pmcgrp_create *c = &self->arg.create;
	struct {
		struct pmcgrp_member m;
		__u64 tail;
	} wide[2] = { { .m = self->member[0] }, { .m = self->member[1] } };

	c->member_size = sizeof(struct pmcgrp_member) - 1;
	expect_refused(EINVAL, PMCGRP_WHY_MEMBER, PMCGRP_NO_MEMBER);
	c->member_size = UINT_MAX;
	expect_refused(E2BIG, PMCGRP_WHY_MEMBER, PMCGRP_NO_MEMBER);
	c->member_size = sizeof(wide[0]);
	c->members = (uintptr_t)wide;
	c->nr_members = 2;
	expect_made();
	EXPECT_NE(0, wide[1].m.id);
	EXPECT_EQ(0, wide[1].tail);
	wide[1].tail = 1;
	expect_refused(E2BIG, PMCGRP_WHY_MEMBER, 1);
}

TEST_F(abi, attr_size)
{
	struct {
		struct perf_event_attr a;
		__u64 tail[4];	/* newer than any kernel knows */
	} wide = { .a = self->attr[0] };

	self->attr[1].size = 0;
	expect_refused(EINVAL, PMCGRP_WHY_ATTR_SIZE, 1);
	self->attr[1].size = PERF_ATTR_SIZE_VER0 - 8;
	expect_refused(EINVAL, PMCGRP_WHY_ATTR_SIZE, 1);
	self->attr[1].size = UINT_MAX;
	expect_refused(EINVAL, PMCGRP_WHY_ATTR_SIZE, 1);
	self->attr[1].size = PERF_ATTR_SIZE_VER0;
	expect_made();

	wide.a.size = sizeof(wide);
	self->member[1].attr = (uintptr_t)&wide;
	expect_made();
	wide.tail[3] = 1;
	expect_refused(E2BIG, PMCGRP_WHY_ATTR_UNKNOWN, 1);
	/* as perf does: how much the kernel knows */
	EXPECT_GE(wide.a.size, PERF_ATTR_SIZE_VER7);
	EXPECT_LT(wide.a.size, sizeof(wide));
}

/* An attr says what to count; everything else is refused rather than ignored. */
TEST_F(abi, attr_fields)
{
#define refuse_as(why, field, value) do {					\
	self->attr[2] = sw(PERF_COUNT_SW_PAGE_FAULTS);				\
	self->attr[2].field = value;						\
	expect_refused(EINVAL, why, 2);						\
} while (0)
#define refuse(field, value) refuse_as(PMCGRP_WHY_ATTR_FIELD, field, value)
	refuse(sample_period, 1);
	refuse(sample_type, PERF_SAMPLE_IP);
	refuse(read_format, PERF_FORMAT_ID);
	refuse(disabled, 1);
	refuse(inherit, 1);
	refuse(pinned, 1);
	refuse(exclusive, 1);
	refuse(mmap, 1);
	refuse(comm, 1);
	refuse(freq, 1);
	refuse(inherit_stat, 1);
	refuse(enable_on_exec, 1);
	refuse(task, 1);
	refuse(watermark, 1);
	refuse_as(PMCGRP_WHY_PRECISE, precise_ip, 1);
	refuse(sample_id_all, 1);
	refuse(exclude_callchain_user, 1);
	refuse(use_clockid, 1);
	refuse(context_switch, 1);
	refuse(write_backward, 1);
	refuse(wakeup_events, 1);
	refuse_as(PMCGRP_WHY_BRANCHES, branch_sample_type, 1);
	refuse(sample_regs_user, 1);
	refuse(sample_stack_user, 8);
	refuse(clockid, CLOCK_MONOTONIC);
	refuse(aux_watermark, 1);
	refuse(sample_max_stack, 1);
	refuse(aux_sample_size, 1);
	refuse(sig_data, 1);
#undef refuse
#undef refuse_as
	self->attr[2] = sw(PERF_COUNT_SW_PAGE_FAULTS);
	self->attr[2].exclude_kernel = 1;
	expect_made();
}

TEST_F(abi, bad_pointers)
{
	struct pmcgrp_create *c = &self->arg.create;
	/* the first two members can be read, the third cannot */
	struct pmcgrp_member *edge;
	long page = sysconf(_SC_PAGESIZE);
	char *two = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);

	ASSERT_NE(MAP_FAILED, two);
	ASSERT_EQ(0, mprotect(two + page, page, PROT_NONE));
	EXPECT_EQ(-1, ioctl(self->dev, PMCGRP_IOC_CREATE, NULL));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, ioctl(self->dev, PMCGRP_IOC_CREATE, self->bad));
	EXPECT_EQ(EFAULT, errno);
	/* readable size, unreadable rest */
	memcpy(two + page - 4, &c->size, 4);
	EXPECT_EQ(-1, ioctl(self->dev, PMCGRP_IOC_CREATE, two + page - 4));
	EXPECT_EQ(EFAULT, errno);

	c->members = 0;
	expect_refused(EFAULT, PMCGRP_WHY_MEMBER, 0);
	c->members = (uintptr_t)self->bad;
	expect_refused(EFAULT, PMCGRP_WHY_MEMBER, 0);
	c->members = ULONG_MAX - 8;
	expect_refused(EFAULT, PMCGRP_WHY_MEMBER, 0);
	edge = (void *)(two + page - 2 * sizeof(*edge));
	memcpy(edge, self->member, 2 * sizeof(*edge));
	c->members = (uintptr_t)edge;
	expect_refused(EFAULT, PMCGRP_WHY_MEMBER, 2);

	c->members = (uintptr_t)self->member;
	self->member[1].attr = 0;
	expect_refused(EFAULT, PMCGRP_WHY_ATTR_POINTER, 1);
	self->member[1].attr = (uintptr_t)self->bad;
	expect_refused(EFAULT, PMCGRP_WHY_ATTR_POINTER, 1);
	self->member[1].attr = (uintptr_t)&self->attr[1];

	/* members that can be read but not written: no group is left behind */
	memcpy(two, self->member, 3 * sizeof(*edge));
	ASSERT_EQ(0, mprotect(two, page, PROT_READ));
	c->members = (uintptr_t)two;
	expect_refused(EFAULT, PMCGRP_WHY_MEMBER, 0);
}

TEST_F(abi, targets)
{
	struct pmcgrp_create *c = &self->arg.create;

	c->target_type = PMCGRP_TARGET_CGROUP + 1;
	expect_refused(EINVAL, PMCGRP_WHY_TARGET, PMCGRP_NO_MEMBER);
	c->target_type = PMCGRP_TARGET_PROCESS;
	c->target_id = ABSENT_PID;
	expect_refused(ESRCH, PMCGRP_WHY_TASK_GONE, PMCGRP_NO_MEMBER);
	c->target_type = PMCGRP_TARGET_ALL_CPUS;
	c->target_id = 1;
	expect_refused(EINVAL, PMCGRP_WHY_TARGET, PMCGRP_NO_MEMBER);
	c->target_type = PMCGRP_TARGET_TASK;
	c->target_id = -1;
	expect_refused(EINVAL, PMCGRP_WHY_TARGET, PMCGRP_NO_MEMBER);
	c->target_id = ABSENT_PID;
	expect_refused(ESRCH, PMCGRP_WHY_TASK_GONE, PMCGRP_NO_MEMBER);
	c->target_type = PMCGRP_TARGET_CPU;
	c->target_id = -1;
	expect_refused(EINVAL, PMCGRP_WHY_TARGET, PMCGRP_NO_MEMBER);
	c->target_id = INT_MAX;
	expect_refused(EINVAL, PMCGRP_WHY_TARGET, PMCGRP_NO_MEMBER);
	c->target_id = sysconf(_SC_NPROCESSORS_CONF);
	expect_refused(EINVAL, PMCGRP_WHY_TARGET, PMCGRP_NO_MEMBER);
	c->target_id = 0;
	c->flags = PMCGRP_CREATE_ENABLE_ON_EXEC;
	expect_refused(EINVAL, PMCGRP_WHY_FLAGS, PMCGRP_NO_MEMBER);
	c->flags = PMCGRP_CREATE_DISABLED;
	expect_made();
}

TEST_F(abi, masks_of_cpus)
{
	struct pmcgrp_create *c = &self->arg.create;
	__u64 mask[2048] = { 1 };
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	c->target_type = PMCGRP_TARGET_CPUS;
	expect_refused(EINVAL, PMCGRP_WHY_CPUS, PMCGRP_NO_MEMBER);	/* no size */
	c->cpus_size = 8;
	expect_refused(EFAULT, PMCGRP_WHY_CPUS, PMCGRP_NO_MEMBER);
	c->cpus = (uintptr_t)self->bad;
	expect_refused(EFAULT, PMCGRP_WHY_CPUS, PMCGRP_NO_MEMBER);
	c->cpus = (uintptr_t)mask;
	expect_made();
	c->cpus_size = 4;
	expect_refused(EINVAL, PMCGRP_WHY_CPUS, PMCGRP_NO_MEMBER);
	c->cpus_size = 16384 * 8;
	expect_refused(EINVAL, PMCGRP_WHY_CPUS, PMCGRP_NO_MEMBER);
	/* longer than any machine's, and zero from there on */
	c->cpus_size = 4096;
	expect_made();
	mask[511] = 1ULL << 63;
	expect_refused(EINVAL, PMCGRP_WHY_CPUS, PMCGRP_NO_MEMBER);
	mask[511] = 0;
	mask[0] = 0;
	expect_refused(EINVAL, PMCGRP_WHY_CPUS, PMCGRP_NO_MEMBER);
	mask[cpus / 64] = 1ULL << cpus % 64;
	expect_refused(EINVAL, PMCGRP_WHY_CPUS, PMCGRP_NO_MEMBER);
	mask[cpus / 64] = 0;
	mask[0] = 1;
	c->target_id = 1;
	expect_refused(EINVAL, PMCGRP_WHY_TARGET, PMCGRP_NO_MEMBER);
	c->target_id = 0;
	expect_made();
	/* a mask goes with its target only */
	c->target_type = PMCGRP_TARGET_TASK;
	expect_refused(EINVAL, PMCGRP_WHY_CPUS, PMCGRP_NO_MEMBER);
	c->cpus = 0;
	expect_refused(EINVAL, PMCGRP_WHY_CPUS, PMCGRP_NO_MEMBER);
	c->cpus_size = 0;
	expect_made();
	/* CPUs are not inherited, do not exec and do not exit */
	c->target_type = PMCGRP_TARGET_ALL_CPUS;
	expect_made();
	c->flags = PMCGRP_CREATE_INHERIT;
	expect_refused(EINVAL, PMCGRP_WHY_FLAGS, PMCGRP_NO_MEMBER);
	c->flags = PMCGRP_CREATE_ENABLE_ON_EXEC;
	expect_refused(EINVAL, PMCGRP_WHY_FLAGS, PMCGRP_NO_MEMBER);
	c->flags = PMCGRP_CREATE_UNTIL_EXIT;
	expect_refused(EINVAL, PMCGRP_WHY_FLAGS, PMCGRP_NO_MEMBER);
}

TEST_F(abi, a_zombie_is_no_target)
{
	struct pmcgrp_create *c = &self->arg.create;
	siginfo_t info;
	pid_t pid = fork();

	ASSERT_GE(pid, 0);
	if (!pid)
		_exit(0);
	ASSERT_EQ(0, waitid(P_PID, pid, &info, WEXITED | WNOWAIT));
	c->target_id = pid;
	expect_refused(ESRCH, PMCGRP_WHY_TASK_GONE, PMCGRP_NO_MEMBER);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	expect_refused(ESRCH, PMCGRP_WHY_TASK_GONE, PMCGRP_NO_MEMBER);
}

TEST_F(abi, unknown_events_are_named)
{
	int k;

	for (k = 0; k < 3; k++) {
		self->attr[k] = event(0x7ffffff0, 1);	/* no such PMU */
		expect_refused(ENOENT, PMCGRP_WHY_EVENT_UNKNOWN, k);
		self->attr[k] = sw(PERF_COUNT_SW_MAX);
		expect_refused(ENOENT, PMCGRP_WHY_EVENT_UNKNOWN, k);
		self->attr[k] = sw(PERF_COUNT_SW_PAGE_FAULTS);
	}
	expect_made();
}

TEST_F(abi, breakpoints_cannot_be_members)
{
	struct perf_event_attr bp = event(PERF_TYPE_BREAKPOINT, 0);
	static long watched;

	bp.bp_type = HW_BREAKPOINT_W;
	bp.bp_addr = (uintptr_t)&watched;
	bp.bp_len = HW_BREAKPOINT_LEN_8;
	self->attr[1] = bp;
	expect_refused(EOPNOTSUPP, PMCGRP_WHY_EVENT_KIND, 1);
}

/* The pmcgrp PMU has a type like any other, and refuses all events of user space. */
TEST_F(abi, pmcgrp_s_own_pmu_is_not_for_use)
{
	struct perf_event_attr attr = sw(0);
	unsigned int refused = 0;
	int fd;

	for (attr.type = PERF_TYPE_MAX; attr.type < 256; attr.type++) {
		fd = perf_open(&attr, 0, -1, -1);
		if (fd >= 0)
			close(fd);
		if (fd != -EOPNOTSUPP)
			continue;
		refused++;
		self->attr[1] = attr;
		expect_refused(EOPNOTSUPP, PMCGRP_WHY_EVENT_KIND, 1);
	}
	EXPECT_GT(refused, 0);
}

/* A probe named by a user pointer means nothing to the next group. */
TEST_F(abi, probes_by_pointer_cannot_be_members)
{
	static const char symbol[] = "vfs_read";
	long type = file_number("/sys/bus/event_source/devices/kprobe/type", "");

	if (type < 0)
		SKIP(return, "no kprobe PMU");
	self->attr[1] = event(type, 0);
	self->attr[1].kprobe_func = (uintptr_t)symbol;
	expect_refused(EOPNOTSUPP, PMCGRP_WHY_EVENT_KIND, 1);
}

TEST_F(abi, out_of_descriptors_leaves_nothing_behind)
{
	struct rlimit lim = { .rlim_cur = 0, .rlim_max = 4096 };
	int fd = dup(0);

	close(fd);
	lim.rlim_cur = fd;
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &lim));
	EXPECT_EQ(-1, ioctl(self->dev, PMCGRP_IOC_CREATE, &self->arg));
	EXPECT_EQ(EMFILE, errno);
	lim.rlim_cur = 64;
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &lim));
	expect_made();
}

TEST_HARNESS_MAIN
