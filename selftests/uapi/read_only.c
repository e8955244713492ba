// SPDX-License-Identifier: GPL-2.0-only
/*
 * Descriptors for reading only (PMCGRP_IOC_READER): what they may do, and that all else changes
 * nothing and says why.
 */
#include "pmcgrp_after.h"
#include "pmcgrp_keys.h"
#include "pmcgrp_ring.h"
#include "kselftest_harness.h"

#define NR	2

FIXTURE(read_only)
{
	int dev;
	int group;
	int reader;
	struct perf_event_attr attr[NR];
	struct ask ask;
	long refs;
	long page;
};

static int reader_of(int fd)
{
	int reader = ioctl(fd, PMCGRP_IOC_READER, 0);

	return reader < 0 ? -errno : reader;
}

FIXTURE_SETUP(read_only)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->refs = module_refs();
	self->attr[0] = sw(PERF_COUNT_SW_TASK_CLOCK);
	self->attr[1] = sw(PERF_COUNT_SW_PAGE_FAULTS);
	self->ask = (struct ask){ .nr = NR, .attr = self->attr };
	self->group = ask_group(self->dev, &self->ask);
	ASSERT_GE(self->group, 0);
	self->reader = reader_of(self->group);
	ASSERT_GE(self->reader, 0);
	self->page = sysconf(_SC_PAGESIZE);
}

FIXTURE_TEARDOWN(read_only)
{
	if (self->group >= 0)
		close(self->group);
	close(self->reader);
	EXPECT_TRUE(refs_return_to(self->refs));
	close(self->dev);
}

/* Another group, and its reader, instead of those there are. */
static bool begin_with(int dev, struct ask *ask, int *group, int *reader)
{
	close(*group);
	close(*reader);
	*group = ask_group(dev, ask);
	*reader = *group < 0 ? -1 : reader_of(*group);
	return *reader >= 0;
}

static int control(int fd, unsigned long cmd, unsigned long arg)
{
	return ioctl(fd, cmd, arg) < 0 ? -errno : 0;
}

TEST_F(read_only, reads)
{
	struct pmcgrp_info_cpu cpu[NR];
	struct group_values v, w;
	struct pmcgrp_info info;
	uint64_t id = 0;

	EXPECT_EQ(O_RDONLY, fcntl(self->reader, F_GETFL) & O_ACCMODE);
	EXPECT_EQ(FD_CLOEXEC, fcntl(self->reader, F_GETFD));
	ASSERT_TRUE(group_values(self->group, NR, &v));
	ASSERT_TRUE(group_values(self->reader, NR, &w));
	EXPECT_LE(v.m[0].value, w.m[0].value);
	EXPECT_EQ(v.m[1].id, w.m[1].id);
	EXPECT_EQ(0, ioctl(self->reader, PERF_EVENT_IOC_ID, &id));
	EXPECT_EQ(v.m[0].id, id);
	EXPECT_EQ(0, group_info(self->reader, 0, &info, cpu, NR));
	EXPECT_EQ(v.m[0].id, info.id);
	EXPECT_EQ(POLLHUP, poll_now(self->reader));
	EXPECT_EQ(-1, write(self->reader, &v, sizeof(v)));
	EXPECT_EQ(EBADF, errno);
	EXPECT_EQ(-EINVAL, control(self->group, PMCGRP_IOC_READER, 1));
}

TEST_F(read_only, reads_cpus_and_many)
{
	CPU_RECORD(NR) record[64];
	struct pmcgrp_read_cpus cpus;
	struct {
		int64_t size;
		uint64_t v[3 + 2 * NR];
	} many;
	struct pmcgrp_read_many arg = {
		.size = sizeof(arg), .fds = (uintptr_t)&self->reader, .nr = 1,
		.buf = (uintptr_t)&many, .buf_size = sizeof(many),
	};

	ASSERT_EQ(0, ioctl(self->dev, PMCGRP_IOC_READ_MANY, &arg));
	EXPECT_EQ(sizeof(many.v), many.size);
	EXPECT_EQ(NR, many.v[0]);
	EXPECT_EQ(-EINVAL, read_cpus(self->reader, record, sizeof(record), &cpus));
	self->ask.target_type = PMCGRP_TARGET_ALL_CPUS;
	ASSERT_TRUE(begin_with(self->dev, &self->ask, &self->group, &self->reader));
	EXPECT_EQ(0, read_cpus(self->reader, record, sizeof(record), &cpus));
	EXPECT_LE(1, cpus.nr_cpus);
}

/* Nothing of this has an effect: the group goes on, with what it has. */
TEST_F(read_only, controls_nothing)
{
	static const unsigned long refused[] = {
		PERF_EVENT_IOC_DISABLE, PERF_EVENT_IOC_RESET, PERF_EVENT_IOC_ENABLE,
		PERF_EVENT_IOC_PAUSE_OUTPUT, PMCGRP_IOC_SAMPLE, PMCGRP_IOC_KEYS_FLUSH,
		PMCGRP_IOC_READER,
	};
	static const unsigned long unknown[] = {
		PMCGRP_IOC_CREATE + 0x80, _IO('$', 0xff), PERF_EVENT_IOC_REFRESH, PMCGRP_IOC_QUERY
	};
	struct group_values v, w;
	unsigned int i;

	ASSERT_TRUE(group_values(self->group, NR, &v));
	for (i = 0; i < COUNT(refused); i++) {
		EXPECT_EQ(-EBADF, control(self->reader, refused[i], 0));
		EXPECT_EQ(-EBADF, control(self->reader, refused[i], PERF_IOC_FLAG_GROUP));
	}
	for (i = 0; i < COUNT(unknown); i++)
		EXPECT_EQ(-ENOTTY, control(self->reader, unknown[i], 0));
	loop(10000);
	ASSERT_TRUE(group_values(self->group, NR, &w));
	EXPECT_LT(v.m[0].value, w.m[0].value);
	EXPECT_LT(v.enabled, w.enabled);
}

/* Each struct that has a place for a reason has it. */
TEST_F(read_only, says_why)
{
	struct pmcgrp_create create = { .size = sizeof(create) };
	struct pmcgrp_add add = { .size = sizeof(add) };
	struct pmcgrp_ring_setup ring = { .size = sizeof(ring) };
	struct pmcgrp_trigger_add trigger = { .size = sizeof(trigger) };
	struct pmcgrp_keys keys = { .size = sizeof(keys) };
	struct pmcgrp_span_add span = { .size = sizeof(span) };
	const struct {
		unsigned long cmd;
		void *arg;
		__u32 *why;
	} row[] = {
		{ PMCGRP_IOC_ADD, &add, &add.why },
		{ PMCGRP_IOC_RING, &ring, &ring.why },
		{ PMCGRP_IOC_TRIGGER, &trigger, &trigger.why },
		{ PMCGRP_IOC_KEYS, &keys, &keys.why },
		{ PMCGRP_IOC_SPAN, &span, &span.why },
	};
	unsigned int i;
	int fd;

	for (i = 0; i < COUNT(row); i++) {
		EXPECT_EQ(-EBADF, control(self->reader, row[i].cmd, (uintptr_t)row[i].arg));
		EXPECT_EQ(PMCGRP_WHY_READ_ONLY, *row[i].why) {
			TH_LOG("row %u: %u", i, *row[i].why);
		}
		EXPECT_EQ(-EFAULT, control(self->reader, row[i].cmd, 0));
		/* too short for a reason: nothing behind it is written to */
		*(__u32 *)row[i].arg = 4;
		*row[i].why = 0;
		EXPECT_EQ(-EBADF, control(self->reader, row[i].cmd, (uintptr_t)row[i].arg));
		EXPECT_EQ(0, *row[i].why);
	}
	/* the device has rights of its own as well */
	fd = open(DEVICE, O_RDONLY | O_CLOEXEC);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(-EBADF, control(fd, PMCGRP_IOC_CREATE, (uintptr_t)&create));
	EXPECT_EQ(PMCGRP_WHY_READ_ONLY, create.why);
	EXPECT_EQ(0, control(fd, PMCGRP_IOC_QUERY,
			     (uintptr_t)&(struct pmcgrp_query){ .size = sizeof(struct pmcgrp_query) }));
	close(fd);
}

/* A ring is seen, not made and not consumed. */
TEST_F(read_only, maps_a_ring)
{
	struct pmcgrp_ring_setup setup;
	struct ring ring, seen;
	char *mem;

	ASSERT_EQ(0, setup_ring(self->group, 0, SAMPLE_TYPE, 1, &setup));
	EXPECT_EQ(-EBADF, ring_map_at(self->reader, 0, 2, PROT_READ, &seen));
	EXPECT_EQ(-EACCES, ring_map_at(self->reader, 0, 2, PROT_READ | PROT_WRITE, &seen));
	ASSERT_EQ(0, ring_map(self->group, 2, &ring));
	EXPECT_EQ(-EINVAL, ring_map_at(self->reader, 0, 4, PROT_READ, &seen));
	mem = mmap(NULL, 3 * self->page, PROT_READ, MAP_PRIVATE, self->reader, 0);
	EXPECT_EQ(MAP_FAILED, mem);
	ASSERT_EQ(0, ring_map_at(self->reader, 0, 2, PROT_READ, &seen));
	EXPECT_EQ(-1, mprotect(seen.page, self->page, PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(1, sample_now(self->group, 0));
	EXPECT_EQ(ring_head(&ring), ring_head(&seen));
	EXPECT_LT(0, ring_head(&seen));
	/* each is woken up for itself */
	EXPECT_EQ(POLLIN, poll_now(self->reader));
	EXPECT_EQ(0, poll_now(self->reader));
	EXPECT_EQ(POLLIN, poll_now(self->group));
	EXPECT_EQ(0, poll_now(self->group));
	EXPECT_EQ(1, sample_now(self->group, 0));
	EXPECT_EQ(POLLIN, poll_now(self->group));
	EXPECT_EQ(POLLIN, poll_now(self->reader));
	ring_unmap(&ring);
	ring_unmap(&seen);
}

TEST_F(read_only, maps_keys)
{
	struct pmcgrp_info_cpu cpu[64 * NR];
	struct pmcgrp_info_member member[NR];
	struct pmcgrp_info info = {
		.size = sizeof(info), .members = (uintptr_t)member, .nr_members = NR,
		.member_size = sizeof(member[0]), .cpus = (uintptr_t)cpu, .nr_cpus = COUNT(cpu),
		.cpu_size = sizeof(cpu[0]),
	};
	const struct pmcgrp_keys_block *block;
	struct table t = {};

	self->ask.target_type = PMCGRP_TARGET_ALL_CPUS;
	ASSERT_TRUE(begin_with(self->dev, &self->ask, &self->group, &self->reader));
	ASSERT_EQ(0, ioctl(self->reader, PMCGRP_IOC_INFO, &info));
	EXPECT_EQ(0, info.keys_size);
	ASSERT_EQ(0, table_make(self->group, PMCGRP_KEY_PROCESS, 16, &t));
	info.id = 0;
	ASSERT_EQ(0, ioctl(self->reader, PMCGRP_IOC_INFO, &info));
	EXPECT_EQ(t.arg.map_size, info.keys_size);
	block = mmap(NULL, info.keys_size, PROT_READ, MAP_SHARED, self->reader, PMCGRP_KEYS_OFFSET);
	ASSERT_NE(MAP_FAILED, block);
	EXPECT_EQ(0, memcmp(block, t.map, offsetof(struct pmcgrp_keys_block, flushed)));
	EXPECT_EQ(-EBADF, control(self->reader, PMCGRP_IOC_KEYS_FLUSH, PMCGRP_KEYS_READ));
	EXPECT_EQ(-1, mprotect((void *)block, self->page, PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	munmap((void *)block, info.keys_size);
	table_unmap(&t);
}

/* That mapping opens counters to the process. */
TEST_F(read_only, maps_no_user_page)
{
	void *mem;

	self->ask.flags = PMCGRP_CREATE_USER_READ;
	ASSERT_TRUE(begin_with(self->dev, &self->ask, &self->group, &self->reader));
	mem = mmap(NULL, self->page, PROT_READ, MAP_SHARED, self->reader, PMCGRP_USER_PAGE_OFFSET);
	EXPECT_EQ(MAP_FAILED, mem);
	EXPECT_EQ(EACCES, errno);
	mem = mmap(NULL, self->page, PROT_READ, MAP_SHARED, self->group, PMCGRP_USER_PAGE_OFFSET);
	EXPECT_NE(MAP_FAILED, mem);
	munmap(mem, self->page);
}

TEST_F(read_only, of_a_member)
{
	struct pmcgrp_add add = {
		.size = sizeof(add), .attr = (uintptr_t)&self->attr[1],
		.read_format = PERF_FORMAT_ID,
	};
	uint64_t v[2], id = 0;
	int member, reader;

	self->ask.flags = PMCGRP_CREATE_LEADER;
	ASSERT_TRUE(begin_with(self->dev, &self->ask, &self->group, &self->reader));
	EXPECT_EQ(-EBADF, control(self->reader, PMCGRP_IOC_ADD, (uintptr_t)&add));
	EXPECT_EQ(PMCGRP_WHY_READ_ONLY, add.why);
	member = ioctl(self->group, PMCGRP_IOC_ADD, &add);
	ASSERT_GE(member, 0);
	reader = reader_of(member);
	ASSERT_GE(reader, 0);
	EXPECT_EQ(0, ioctl(reader, PERF_EVENT_IOC_ID, &id));
	EXPECT_EQ(add.id, id);
	EXPECT_EQ(sizeof(v), read(reader, v, sizeof(v)));
	EXPECT_EQ(add.id, v[1]);
	EXPECT_EQ(-EBADF, control(reader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, self->page, PROT_READ, MAP_SHARED, reader, 0));
	EXPECT_EQ(ENODEV, errno);
	/* it keeps the member in the group */
	close(member);
	EXPECT_EQ(sizeof(v), read(reader, v, sizeof(v)));
	EXPECT_EQ(add.id, v[1]);
	close(reader);
}

/* Its receiver needs no right of their own, and has none. */
TEST_F(read_only, handed_on)
{
	struct group_values v;
	int status;
	pid_t pid = fork();

	ASSERT_GE(pid, 0);
	if (!pid) {
		close(self->group);
		if (setresuid(1000, 1000, 1000))
			_exit(10);
		if (!group_values(self->reader, NR, &v))
			_exit(11);
		if (control(self->reader, PERF_EVENT_IOC_RESET, 0) != -EBADF)
			_exit(12);
		if (control(self->reader, PERF_EVENT_IOC_DISABLE, 0) != -EBADF)
			_exit(13);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/* It keeps the group, as any descriptor does. */
TEST_F(read_only, outlives)
{
	struct group_values v, w;

	ASSERT_TRUE(group_values(self->group, NR, &v));
	close(self->group);
	self->group = -1;
	loop(10000);
	ASSERT_TRUE(group_values(self->reader, NR, &w));
	EXPECT_LT(v.m[0].value, w.m[0].value);
}

TEST_HARNESS_MAIN
