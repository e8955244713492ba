// SPDX-License-Identifier: GPL-2.0-only
/* Who may do what: capabilities, user and PID namespaces, descriptors handed on. */
#include "pmcgrp_become.h"
#include "pmcgrp_ring.h"
#include "pmcgrp_section_keys.h"
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include "kselftest_harness.h"

#define NO_NAMESPACES	77

FIXTURE(security)
{
	int dev;
	struct perf_event_attr attr;
};

FIXTURE_SETUP(security)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->attr = sw(PERF_COUNT_SW_TASK_CLOCK);
	/* What refuses shall be the capability, not the file's mode. */
	ASSERT_EQ(0, chmod(DEVICE, 0666));
}

FIXTURE_TEARDOWN(security)
{
	chmod(DEVICE, 0600);
	close(self->dev);
}

/* Run a function in a child: what it returns, or -1. */
static int in_child(int (*body)(int dev, const struct perf_event_attr *attr), int dev,
		    const struct perf_event_attr *attr)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(body(dev, attr));
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* Neither the device nor a descriptor of it is of use. */
static int refused(int dev, const struct perf_event_attr *attr)
{
	if (open(DEVICE, O_RDWR) >= 0 || errno != EACCES)
		return 2;
	return group_of(dev, 1, attr, 0) == -EACCES ? 0 : 3;
}

static int allowed(pid_t target, const struct perf_event_attr *attr)
{
	struct group_values v;
	int dev = open(DEVICE, O_RDWR), fd;

	if (dev < 0)
		return 2;
	fd = group_of_task(dev, target, 1, attr, 0);
	if (fd < 0)
		return 3;
	spin_ns(NSEC_PER_MSEC);
	return group_values(fd, 1, &v) && (target || v.running) ? 0 : 4;
}

static int without(int dev, const struct perf_event_attr *attr)
{
	return become(-1) ? refused(dev, attr) : 1;
}

static int with_ptrace(int dev, const struct perf_event_attr *attr)
{
	return become(CAP_SYS_PTRACE) ? refused(dev, attr) : 1;
}

static int with_perfmon(int dev, const struct perf_event_attr *attr)
{
	return become(CAP_PERFMON) ? allowed(0, attr) : 1;
}

static int with_sys_admin(int dev, const struct perf_event_attr *attr)
{
	return become(CAP_SYS_ADMIN) ? allowed(0, attr) : 1;
}

static int with_perfmon_on_init(int dev, const struct perf_event_attr *attr)
{
	return become(CAP_PERFMON) ? allowed(1, attr) : 1;
}

static int root_of_a_namespace(int dev, const struct perf_event_attr *attr)
{
	return unshare(CLONE_NEWUSER) ? NO_NAMESPACES : refused(dev, attr);
}

TEST_F(security, no_capability)
{
	EXPECT_EQ(0, in_child(without, self->dev, &self->attr));
}

TEST_F(security, cap_perfmon_is_enough)
{
	EXPECT_EQ(0, in_child(with_perfmon, self->dev, &self->attr));
}

TEST_F(security, cap_sys_admin_is_enough)
{
	EXPECT_EQ(0, in_child(with_sys_admin, self->dev, &self->attr));
}

TEST_F(security, cap_sys_ptrace_is_not)
{
	EXPECT_EQ(0, in_child(with_ptrace, self->dev, &self->attr));
}

/*
 * CAP_PERFMON counts any task, as with perf_event_open(2): ptrace is not asked
 * where the capability is there.  Init is a task that uid 1000 may not trace.
 */
TEST_F(security, cap_perfmon_counts_a_task_that_it_could_not_trace)
{
	EXPECT_EQ(0, in_child(with_perfmon_on_init, self->dev, &self->attr));
}

TEST_F(security, root_in_a_user_namespace)
{
	int status = in_child(root_of_a_namespace, self->dev, &self->attr);

	if (status == NO_NAMESPACES)
		SKIP(return, "no user namespaces");
	EXPECT_EQ(0, status);
}

/* Pass a descriptor to a child over a socket, as a broker would. */
static int receive(int sock)
{
	char buf[1], control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { buf, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *c;
	int fd = -1;

	if (recvmsg(sock, &msg, 0) != 1)
		return -1;
	c = CMSG_FIRSTHDR(&msg);
	if (c)
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

static bool send_fd(int sock, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = {};
	struct iovec iov = { "x", 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	return sendmsg(sock, &msg, 0) == 1;
}

/* A group descriptor may be passed to anyone: to read and control, not to create groups. */
TEST_F(security, descriptors_passed_over_a_socket)
{
	int sock[2], fd, status;
	pid_t pid;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sock));
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		struct group_values v;
		int dev, group;

		if (!become(-1))
			_exit(1);
		group = receive(sock[1]);
		dev = receive(sock[1]);
		if (group < 0 || dev < 0)
			_exit(2);
		if (!group_values(group, 1, &v) || !v.running)
			_exit(3);
		if (ioctl(group, PERF_EVENT_IOC_DISABLE, 0) ||
		    ioctl(group, PERF_EVENT_IOC_RESET, 0))
			_exit(4);
		if (group_of(dev, 1, &self->attr, 0) != -EACCES)
			_exit(5);
		_exit(0);
	}
	fd = group_of(self->dev, 1, &self->attr, 0);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(send_fd(sock[0], fd));
	ASSERT_TRUE(send_fd(sock[0], self->dev));
	close(fd);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

static struct perf_event_attr on_faults(void)
{
	return every(1, sw(PERF_COUNT_SW_PAGE_FAULTS));
}

/* One page fault's record in the ring of a group; the descriptor or -errno. */
static int record_a_fault(int dev, uint64_t sample_type, union record *record)
{
	struct perf_event_attr attr = sw(PERF_COUNT_SW_PAGE_FAULTS), by = on_faults();
	int fd = group_of(dev, 1, &attr, PMCGRP_CREATE_DISABLED), err;
	volatile char *mem = fresh_pages(1);
	struct pmcgrp_trigger_add add;
	struct pmcgrp_ring_setup setup;
	struct ring ring;

	err = setup_ring(fd, 0, sample_type, 0, &setup);
	if (!err)
		err = ring_map(fd, 1, &ring);
	if (!err)
		err = add_trigger(fd, &by, &add);
	if (err) {
		close(fd);
		return err;
	}
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	*mem = 1;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	err = ring_next(&ring, record) == 1 ? 0 : -EIO;
	ring_unmap(&ring);
	close(fd);
	return err;
}

static int addresses_hidden(int unused, const struct perf_event_attr *attr)
{
	union record record;
	int dev;

	if (!become(CAP_PERFMON))
		return 1;
	dev = open(DEVICE, O_RDWR);
	if (dev < 0)
		return 2;
	if (record_a_fault(dev, SAMPLE_TYPE | PERF_SAMPLE_IP, &record) != -EACCES)
		return 3;
	if (record_a_fault(dev, SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN, &record) != -EACCES)
		return 6;
	if (record_a_fault(dev, SAMPLE_TYPE, &record))
		return 4;
	return record.sample.addr || record.sample.tid != getpid() ? 5 : 0;
}

/* Where the kernel and its data are is for those with CAP_SYSLOG. */
TEST_F(security, addresses_in_records)
{
	union record record;

	ASSERT_EQ(0, record_a_fault(self->dev, SAMPLE_TYPE, &record));
	EXPECT_NE(0, record.sample.addr);
	ASSERT_EQ(0, record_a_fault(self->dev, SAMPLE_TYPE | PERF_SAMPLE_IP, &record));
	EXPECT_NE(0, record.words[2]);
	EXPECT_EQ(0, in_child(addresses_hidden, self->dev, &self->attr));
}

static int group_handed_on;

static int cannot_arm(int dev, const struct perf_event_attr *attr)
{
	struct perf_event_attr by = on_faults();
	struct pmcgrp_ring_setup setup;
	struct pmcgrp_trigger_add add;

	if (!become(-1))
		return 1;
	if (setup_ring(group_handed_on, 0, SAMPLE_TYPE, 0, &setup) != -EACCES ||
	    setup.why != PMCGRP_WHY_PERMISSION)
		return 2;
	if (add_trigger(group_handed_on, &by, &add) != -EACCES ||
	    add.why != PMCGRP_WHY_PERMISSION)
		return 3;
	return 0;
}

/* The receiver of a descriptor cannot make the group take memory or counters. */
TEST_F(security, rings_and_triggers_need_the_capability)
{
	group_handed_on = group_of(self->dev, 1, &self->attr, 0);
	ASSERT_GE(group_handed_on, 0);
	EXPECT_EQ(0, in_child(cannot_arm, self->dev, &self->attr));
	close(group_handed_on);
}

static pid_t outsider;

static int first_of_a_namespace(int dev, const struct perf_event_attr *attr)
{
	union record record;

	if (getpid() != 1)
		return 5;
	if (group_of_task(dev, outsider, 1, attr, 0) != -ESRCH)
		return 6;
	if (record_a_fault(dev, SAMPLE_TYPE, &record) || record.sample.pid != 1 ||
	    record.sample.tid != 1)
		return 7;
	return allowed(1, attr);
}

static int new_pid_namespace(int dev, const struct perf_event_attr *attr)
{
	return unshare(CLONE_NEWPID) ? NO_NAMESPACES : in_child(first_of_a_namespace, dev, attr);
}

/* Pids mean the caller's namespace: there 1 is the caller, and outsiders have none. */
TEST_F(security, pid_namespace)
{
	int status;

	outsider = getpid();
	status = in_child(new_pid_namespace, self->dev, &self->attr);
	if (status == NO_NAMESPACES)
		SKIP(return, "no PID namespaces");
	EXPECT_EQ(0, status);
}

/* A span of a function of the kernel, by process. Returns its id, or 0. */
static uint64_t span_by_process(int group)
{
	struct pmcgrp_span_add add = {
		.size = sizeof(add),
		.kind = PMCGRP_SECTION_FUNCTION,
		.begin = (uintptr_t)CALLED_FUNCTION,
		.by = BY(PROCESS),
		.slots = 16,
		.max_active = 16,
	};

	return ioctl(group, PMCGRP_IOC_SPAN, &add) ? 0 : add.id;
}

static int keys_errno(int dev, uint64_t id)
{
	static struct pmcgrp_section_key entry;
	struct pmcgrp_section_keys arg = {
		.size = sizeof(arg),
		.id = id,
		.entries = (uintptr_t)&entry,
		.nr_entries = 1,
		.entry_size = sizeof(entry),
	};

	return keys_ask(dev, &arg);
}

static int next_errno(int dev, uint64_t id, struct section *section)
{
	return next_section(dev, id, section) ? 0 : -errno;
}

/* Of the first group from an id on, which becomes its own. */
static int info_errno(int dev, uint64_t *id)
{
	static struct pmcgrp_info_cpu cpu[PMCGRP_MEMBERS_MAX];
	struct pmcgrp_info info;
	int err = group_info(dev, *id, &info, cpu, PMCGRP_MEMBERS_MAX);

	if (!err)
		*id = info.id;
	return err;
}

static uint64_t span_of_root;

/* All that tells of others by a number says no. */
static int sees_nothing(int dev)
{
	struct section section;
	uint64_t id = 1;

	if (next_errno(dev, 0, &section) != -EACCES)
		return 10;
	if (next_errno(dev, span_of_root, &section) != -EACCES)
		return 11;
	if (keys_errno(dev, span_of_root) != -EACCES)
		return 12;
	return info_errno(dev, &id) == -EACCES ? 0 : 13;
}

static int handed_on_without(int dev, const struct perf_event_attr *attr)
{
	return become(-1) ? sees_nothing(dev) : 1;
}

/* Another user who may make groups has got the descriptor that root has opened. */
static int handed_on_with_perfmon(int dev, const struct perf_event_attr *attr)
{
	int status;

	if (!become(CAP_PERFMON))
		return 1;
	status = sees_nothing(dev);
	if (status || group_of(dev, 1, attr, 0) < 0)
		return status ?: 2;
	return sees_nothing(dev);
}

/* With CAP_PERFMON one sees what one has made by one's own descriptor, and nothing else. */
static int sees_its_own(int dev, const struct perf_event_attr *attr)
{
	uint64_t mine, of, id = 1;
	struct section section;
	int group, other;

	if (!become(CAP_PERFMON))
		return 1;
	dev = open(DEVICE, O_RDWR);
	other = open(DEVICE, O_RDWR);
	if (dev < 0 || other < 0 || sees_nothing(dev))
		return 2;
	group = group_of(dev, 1, attr, PMCGRP_CREATE_INHERIT);
	if (group < 0 || ioctl(group, PERF_EVENT_IOC_ID, &of))
		return 3;
	if (next_errno(dev, 0, &section) != -ENOENT)
		return 4;
	mine = span_by_process(group);
	if (!mine)
		return 5;
	if (next_errno(dev, 0, &section) || section.info.id != mine || section.info.group != of)
		return 6;
	if (next_errno(dev, mine + 1, &section) != -ENOENT)
		return 7;
	if (keys_errno(dev, mine) || keys_errno(dev, span_of_root) != -ENOENT)
		return 8;
	if (info_errno(dev, &id) || id != of)
		return 9;
	id++;
	if (info_errno(dev, &id) != -ENOENT)
		return 14;
	return sees_nothing(other);
}

static int sees_all(int dev, const struct perf_event_attr *attr)
{
	struct section section;
	uint64_t id = 1;

	if (!become(CAP_SYS_ADMIN))
		return 1;
	if (next_errno(dev, span_of_root, &section) || section.info.id != span_of_root)
		return 2;
	return keys_errno(dev, span_of_root) || info_errno(dev, &id) ? 3 : 0;
}

/* Groups, sections and spans that are named by a number: one rule for all that tells of them. */
TEST_F(security, what_is_named_by_a_number)
{
	int group = group_of(self->dev, 1, &self->attr, PMCGRP_CREATE_INHERIT);

	ASSERT_GE(group, 0);
	span_of_root = span_by_process(group);
	ASSERT_NE(0, span_of_root);
	EXPECT_EQ(0, in_child(handed_on_without, self->dev, &self->attr));
	EXPECT_EQ(0, in_child(handed_on_with_perfmon, self->dev, &self->attr));
	EXPECT_EQ(0, in_child(sees_its_own, self->dev, &self->attr));
	EXPECT_EQ(0, in_child(sees_all, self->dev, &self->attr));
	close(group);
}

/* Numbers that are beyond all there is, as a CPU, a ring or a place in a table. */
TEST_F(security, numbers_beyond)
{
	struct pmcgrp_section_keys arg = { .size = sizeof(arg), .nr_entries = 1 };
	struct ask ask = { .target_type = PMCGRP_TARGET_CPU, .nr = 1, .attr = &self->attr };
	static const int32_t cpus[] = { 1 << 16, INT32_MAX };
	int group = group_of(self->dev, 1, &self->attr, PMCGRP_CREATE_INHERIT);
	struct pmcgrp_section_key entry;
	struct pmcgrp_ring_setup setup;
	unsigned int i;

	ASSERT_GE(group, 0);
	for (i = 0; i < COUNT(cpus); i++) {
		ask.target_id = cpus[i];
		EXPECT_EQ(-EINVAL, ask_group(self->dev, &ask));
	}
	span_of_root = span_by_process(group);
	ASSERT_NE(0, span_of_root);
	arg.id = span_of_root;
	arg.entries = (uintptr_t)&entry;
	arg.entry_size = sizeof(entry);
	arg.cursor = (uint64_t)UINT16_MAX << 32;
	EXPECT_EQ(-EINVAL, keys_ask(self->dev, &arg));
	arg.cursor = UINT32_MAX;
	EXPECT_EQ(-EINVAL, keys_ask(self->dev, &arg));
	close(group);
	group = group_of_cpu(self->dev, 0, 1, &self->attr);
	ASSERT_GE(group, 0);
	ASSERT_EQ(0, setup_ring(group, 0, SAMPLE_TYPE, 0, &setup));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 2 * sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, group,
				   PMCGRP_RING_OFFSET(1 << 16)));
	close(group);
}

TEST_HARNESS_MAIN
