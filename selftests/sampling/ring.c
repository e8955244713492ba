// SPDX-License-Identifier: GPL-2.0-only
/* The ring: set-up, mapping, samples on request, and how readers are woken up. */
#include "pmcgrp_ring.h"
#include "kselftest_harness.h"

FIXTURE(ring)
{
	int dev;
	struct perf_event_attr attr[MIXED];
	long page;
};

FIXTURE_SETUP(ring)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	mixed_members(self->attr);
	self->page = sysconf(_SC_PAGESIZE);
}

FIXTURE_TEARDOWN(ring)
{
	close(self->dev);
}

TEST_F(ring, setup_arguments)
{
	struct pmcgrp_ring_setup setup;
	struct ring ring;
	int fd;

	fd = group_of(self->dev, MIXED, self->attr, 0);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(-EINVAL, ring_map(fd, 1, &ring));
	EXPECT_EQ(-EINVAL, sample_now(fd, 0));
	EXPECT_EQ(-1, ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(POLLHUP, poll_now(fd));

	EXPECT_EQ(-EINVAL, setup_ring(fd, 1U << 31, SAMPLE_TYPE, 0, &setup));
	EXPECT_EQ(PMCGRP_WHY_FLAGS, setup.why);
	EXPECT_EQ(-EINVAL, setup_ring(fd, 0, PERF_SAMPLE_WEIGHT, 0, &setup));
	EXPECT_EQ(PMCGRP_WHY_SAMPLE_TYPE, setup.why);
	EXPECT_EQ(-EINVAL, setup_ring(fd, PMCGRP_RING_COMPACT, SAMPLE_TYPE, 0, &setup));
	EXPECT_EQ(PMCGRP_WHY_SAMPLE_TYPE, setup.why);
	setup = (struct pmcgrp_ring_setup){ .size = sizeof(setup) - 8 };
	EXPECT_EQ(-1, ioctl(fd, PMCGRP_IOC_RING, &setup));
	EXPECT_EQ(EINVAL, errno);

	EXPECT_EQ(0, setup_ring(fd, 0, SAMPLE_TYPE, 0, &setup));
	EXPECT_EQ(-EBUSY, setup_ring(fd, 0, SAMPLE_TYPE, 0, &setup));
	EXPECT_EQ(PMCGRP_WHY_RING_EXISTS, setup.why);
	close(fd);

	fd = group_of(self->dev, MIXED, self->attr, PMCGRP_CREATE_LEADER);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(-EOPNOTSUPP, setup_ring(fd, 0, SAMPLE_TYPE, 0, &setup));
	EXPECT_EQ(PMCGRP_WHY_LEADER, setup.why);
	close(fd);
}

/* Sizes and offsets as perf_event_open(2) takes and refuses them. */
TEST_F(ring, mmap_arguments)
{
	struct pmcgrp_ring_setup setup;
	struct ring a, b;
	bool deprecated;
	void *mem;
	int fd;

	fd = group_of(self->dev, MIXED, self->attr, 0);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, setup_ring(fd, 0, SAMPLE_TYPE, 0, &setup));
	EXPECT_EQ(POLLHUP, poll_now(fd));
	EXPECT_EQ(-EINVAL, ring_map(fd, 3, &a));
	EXPECT_EQ(-EINVAL, ring_map(fd, 6, &a));
	EXPECT_EQ(-EINVAL, ring_map_at(fd, self->page, 4, PROT_READ | PROT_WRITE, &a));
	EXPECT_EQ(-EINVAL, ring_map_at(fd, PMCGRP_RING_OFFSET(1), 4, PROT_READ | PROT_WRITE, &a));
	mem = mmap(NULL, 5 * self->page, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	EXPECT_EQ(MAP_FAILED, mem);
	EXPECT_EQ(EINVAL, errno);

	ASSERT_EQ(0, ring_map(fd, 4, &a));
	EXPECT_EQ(0, poll_now(fd));
	EXPECT_EQ(self->page, a.page->data_offset);
	EXPECT_EQ(4 * self->page, a.page->data_size);
	deprecated = a.page->cap_bit0_is_deprecated;
	EXPECT_TRUE(deprecated);
	EXPECT_EQ(0, a.page->data_head);
	/* the same ring once more, and not in another size */
	EXPECT_EQ(-EINVAL, ring_map(fd, 8, &b));
	ASSERT_EQ(0, ring_map(fd, 4, &b));
	EXPECT_EQ(1, sample_now(fd, 0));
	EXPECT_EQ(sample_size(MIXED), ring_head(&a));
	EXPECT_EQ(sample_size(MIXED), ring_head(&b));
	ring_unmap(&a);
	EXPECT_EQ(1, sample_now(fd, 0));
	EXPECT_EQ(2 * sample_size(MIXED), ring_head(&b));
	/* the last one gone, another size will do, and it is empty */
	ring_unmap(&b);
	EXPECT_EQ(POLLHUP, poll_now(fd));
	EXPECT_EQ(0, sample_now(fd, 0));
	ASSERT_EQ(0, ring_map(fd, 1, &a));
	EXPECT_EQ(0, ring_head(&a));
	/* a mapping may outlive the descriptor */
	EXPECT_EQ(1, sample_now(fd, 0));
	close(fd);
	EXPECT_EQ(sample_size(MIXED), ring_head(&a));
	ring_unmap(&a);

	/* the control page alone */
	fd = group_of(self->dev, MIXED, self->attr, 0);
	ASSERT_EQ(0, setup_ring(fd, 0, SAMPLE_TYPE, 0, &setup));
	ASSERT_EQ(0, ring_map(fd, 0, &a));
	EXPECT_EQ(0, sample_now(fd, 0));
	EXPECT_EQ(0, ring_head(&a));
	close(fd);
	ring_unmap(&a);
}

/* A child does not get its parent's mapping: it would move the reader's tail. */
TEST_F(ring, not_in_a_child)
{
	struct ring ring;
	int fd, status;
	pid_t pid;

	fd = group_of(self->dev, MIXED, self->attr, 0);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(ring_ready(fd, 2, &ring));
	pid = fork();
	if (!pid) {
		ring.page->data_tail = 8;
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	EXPECT_EQ(0, ring.page->data_tail);
	close(fd);
	ring_unmap(&ring);
}

/* The signal that a write there costs: of a process that shares the memory. */
static int signal_of_write(volatile char *at)
{
	int status;
	pid_t pid;

	pid = syscall(SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0, 0);
	if (!pid) {
		*at = 1;
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* The control page can be written, if it was mapped so, and the records never. */
TEST_F(ring, records_are_read_only)
{
	struct ring ring, look;
	int fd;

	fd = group_of(self->dev, MIXED, self->attr, 0);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(ring_ready(fd, 2, &ring));
	EXPECT_EQ(0, signal_of_write((char *)&ring.page->data_tail));
	EXPECT_EQ(SIGBUS, signal_of_write(ring.data));
	EXPECT_EQ(SIGBUS, signal_of_write(ring.data + ring.size - 1));
	ASSERT_EQ(0, ring_map_at(fd, 0, 2, PROT_READ, &look));
	EXPECT_EQ(SIGSEGV, signal_of_write((char *)&look.page->data_tail));
	/* mprotect() is no way around it */
	ASSERT_EQ(0, mprotect(look.page, 3 * self->page, PROT_READ | PROT_WRITE));
	EXPECT_EQ(0, signal_of_write((char *)&look.page->data_tail));
	EXPECT_EQ(SIGBUS, signal_of_write(look.data));
	ring_unmap(&look);
	ring_unmap(&ring);
	close(fd);
}

/* A sample on request has what read() would have returned at that time. */
TEST_F(ring, sample_on_request)
{
	struct group_values before, after;
	union record record;
	struct ring ring;
	unsigned int i, k;
	int fd;

	fd = group_of(self->dev, MIXED, self->attr, 0);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(ring_ready(fd, 1, &ring));
	for (k = 0; k < 1000; k++) {
		ASSERT_TRUE(group_values(fd, MIXED, &before));
		ASSERT_EQ(1, sample_now(fd, 7 * k));
		ASSERT_TRUE(group_values(fd, MIXED, &after));
		ASSERT_EQ(1, ring_next(&ring, &record));
		ASSERT_EQ(PERF_RECORD_SAMPLE, record.header.type);
		ASSERT_EQ(sample_size(MIXED), record.header.size);
		ASSERT_EQ(before.m[0].id, record.sample.id);
		ASSERT_EQ(getpid(), record.sample.pid);
		ASSERT_EQ(getpid(), record.sample.tid);
		ASSERT_EQ(7 * k, record.sample.addr);
		ASSERT_EQ(0, record.sample.cpu_reserved);
		ASSERT_EQ(MIXED, record.sample.read.nr);
		ASSERT_GE(record.sample.read.enabled, before.enabled);
		ASSERT_LE(record.sample.read.enabled, after.enabled);
		ASSERT_GE(record.sample.read.running, before.running);
		ASSERT_LE(record.sample.read.running, after.running);
		for (i = 0; i < MIXED; i++) {
			ASSERT_EQ(before.m[i].id, record.sample.read.m[i].id);
			ASSERT_GE(record.sample.read.m[i].value, before.m[i].value);
			ASSERT_LE(record.sample.read.m[i].value, after.m[i].value);
		}
		ASSERT_EQ(0, ring_next(&ring, &record));
	}
	ring_unmap(&ring);
	close(fd);
}

/* Records that find no room are counted, and the next record says how many. */
TEST_F(ring, full)
{
	unsigned long written = 0, lost = 0, taken = 0, k;
	struct ring_sum sum = {};
	struct ring ring;
	int fd, n;

	fd = group_of(self->dev, MIXED, self->attr, 0);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(ring_ready(fd, 1, &ring));
	for (k = 0; k < 5000; k++) {
		n = sample_now(fd, k);
		ASSERT_GE(n, 0);
		written += n;
		lost += !n;
		if (k % 700 == 699)
			ring_drain(&ring, &sum, NULL, NULL);
	}
	ring_drain(&ring, &sum, NULL, NULL);
	ASSERT_EQ(1, sample_now(fd, 0));
	ring_drain(&ring, &sum, NULL, NULL);
	taken = sum.samples;
	EXPECT_FALSE(sum.broken);
	EXPECT_EQ(0, sum.others);
	EXPECT_EQ(0, sum.missed);
	EXPECT_EQ(written + 1, taken);
	EXPECT_EQ(lost, sum.lost);
	EXPECT_EQ(5001, sum.samples + sum.lost);
	EXPECT_GT(lost, 1000);
	ring_unmap(&ring);
	close(fd);
}

/* What was lost behind the last record is told when the group stops and there is room. */
TEST_F(ring, lost_at_the_end)
{
	unsigned long lost = 0, k;
	struct ring_sum sum = {};
	union record record;
	struct ring ring;
	int fd;

	fd = group_of(self->dev, MIXED, self->attr, 0);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(ring_ready(fd, 1, &ring));
	for (k = 0; k < 1000; k++)
		lost += !sample_now(fd, k);
	EXPECT_GT(lost, 900);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ring_drain(&ring, &sum, NULL, NULL);
	EXPECT_EQ(1000 - lost, sum.samples);
	/* A few bytes may have been free. */
	if (!sum.lost) {
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_EQ(1, ring_next(&ring, &record));
		ASSERT_EQ(PERF_RECORD_LOST, record.header.type);
		ASSERT_EQ(sizeof(record.lost), record.header.size);
		EXPECT_EQ(record.lost.id, record.lost.sample_id.id);
		sum.lost = record.lost.lost;
	}
	EXPECT_EQ(lost, sum.lost);
	/* once */
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(0, ring_next(&ring, &record));
	EXPECT_FALSE(sum.broken);
	ring_unmap(&ring);
	close(fd);
}

/* A reader that lies about its tail harms itself only. */
TEST_F(ring, tail_of_a_liar)
{
	static const uint64_t lies[] = { ~0ULL, 1, 3, 1ULL << 63, 1ULL << 32, 4096, 8192 };
	struct ring ring;
	unsigned int i, k;
	int fd;

	fd = group_of(self->dev, MIXED, self->attr, 0);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(ring_ready(fd, 2, &ring));
	for (i = 0; i < 7; i++) {
		ring.page->data_tail = lies[i];
		ring.page->data_offset = lies[i];
		ring.page->data_size = lies[i];
		ring.page->data_head = lies[i];
		for (k = 0; k < 300; k++)
			ASSERT_GE(sample_now(fd, k), 0);
	}
	ring.page->data_tail = 0;
	ring_unmap(&ring);
	close(fd);
}

/* What was lost for want of room is also told by read(). */
TEST_F(ring, lost_in_read)
{
	struct ask ask = { .nr = 1, .attr = self->attr,
			   .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_LOST };
	uint64_t v[3], lost = 0;
	struct ring ring;
	unsigned int k;
	int fd;

	fd = ask_group(self->dev, &ask);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(ring_ready(fd, 1, &ring));
	for (k = 0; k < 300; k++)
		lost += !ioctl(fd, PMCGRP_IOC_SAMPLE, 0);
	ASSERT_EQ(sizeof(v), read(fd, v, sizeof(v)));
	EXPECT_GT(lost, 100);
	EXPECT_EQ(lost, v[2]);
	ring_unmap(&ring);
	ASSERT_EQ(sizeof(v), read(fd, v, sizeof(v)));
	EXPECT_EQ(lost, v[2]);
	close(fd);
}

TEST_F(ring, compact)
{
	struct pmcgrp_ring_setup setup;
	struct perf_event_attr attr[4];
	struct group_values before, after;
	union record record;
	struct ring ring;
	unsigned int i;
	int fd;

	for (i = 0; i < 4; i++)
		attr[i] = have_cycles() ? cycles_copy(i) :
					  sw(PERF_COUNT_SW_TASK_CLOCK);
	fd = group_of(self->dev, 4, attr, 0);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, setup_ring(fd, PMCGRP_RING_COMPACT, 0, 0, &setup));
	ASSERT_EQ(0, ring_map(fd, 1, &ring));
	ASSERT_TRUE(group_values(fd, 4, &before));
	ASSERT_EQ(1, sample_now(fd, 0));
	ASSERT_TRUE(group_values(fd, 4, &after));
	ASSERT_EQ(1, ring_next(&ring, &record));
	EXPECT_EQ(PMCGRP_RECORD_COMPACT, record.header.type);
	/* perf's sample of as much, with TID, TIME and what FORMAT has: twice that and more */
	EXPECT_EQ(24 + 4 * 8, record.header.size);
	EXPECT_LE(2 * record.header.size, 8 + 8 + 8 + (3 + 2 * 4) * 8);
	EXPECT_EQ(getpid(), record.compact.tid);
	EXPECT_EQ(0, record.compact.trigger);
	EXPECT_EQ(0, record.compact.flags);
	for (i = 0; i < 4; i++) {
		EXPECT_GE(record.compact.value[i], before.m[i].value);
		EXPECT_LE(record.compact.value[i], after.m[i].value);
	}
	ring_unmap(&ring);
	close(fd);
}

static bool map_cpus(int fd, long cpus, struct ring *ring)
{
	long cpu;

	for (cpu = 0; cpu < cpus; cpu++)
		if (ring_map_at(fd, PMCGRP_RING_OFFSET(cpu), 1, PROT_READ | PROT_WRITE,
				&ring[cpu]))
			return false;
	return true;
}

/* One ring for each CPU of the target, each with what that CPU has counted. */
TEST_F(ring, cpus_apart)
{
	CPU_RECORD(MIXED) before[CPU_SETSIZE], after[CPU_SETSIZE];
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), cpu;
	struct ask ask = { .target_type = PMCGRP_TARGET_ALL_CPUS, .nr = MIXED,
			   .attr = self->attr };
	struct pmcgrp_ring_setup setup;
	struct ring ring[cpus], none;
	struct pmcgrp_read_cpus arg;
	union record record;
	int fd;

	fd = ask_group(self->dev, &ask);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, setup_ring(fd, 0, SAMPLE_TYPE, 0, &setup));
	ASSERT_TRUE(map_cpus(fd, cpus, ring));
	EXPECT_EQ(-EINVAL, ring_map_at(fd, PMCGRP_RING_OFFSET(100000), 1, PROT_READ, &none));
	ASSERT_EQ(0, read_cpus(fd, before, sizeof(before), &arg));
	ASSERT_EQ(cpus, arg.nr_cpus);
	EXPECT_EQ(cpus, sample_now(fd, 5));
	ASSERT_EQ(0, read_cpus(fd, after, sizeof(after), &arg));
	for (cpu = 0; cpu < cpus; cpu++) {
		ASSERT_EQ(1, ring_next(&ring[cpu], &record));
		EXPECT_EQ(cpu, record.sample.cpu);
		EXPECT_EQ(5, record.sample.addr);
		EXPECT_GE(record.sample.read.m[0].value, before[cpu].m[0].value);
		EXPECT_LE(record.sample.read.m[0].value, after[cpu].m[0].value);
		EXPECT_GE(record.sample.read.enabled, before[cpu].enabled);
		EXPECT_LE(record.sample.read.enabled, after[cpu].enabled);
		EXPECT_EQ(0, ring_next(&ring[cpu], &record));
		ring_unmap(&ring[cpu]);
	}
	close(fd);
}

/* Each ring tells by itself, on its CPU, what it had no room for. */
TEST_F(ring, cpus_lose_apart)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), cpu;
	struct ask ask = { .target_type = PMCGRP_TARGET_ALL_CPUS, .nr = MIXED,
			   .attr = self->attr };
	struct pmcgrp_ring_setup setup;
	unsigned long all = 0, samples, lost;
	struct ring ring[cpus];
	union record record;
	int fd, n, k, pass;

	fd = ask_group(self->dev, &ask);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, setup_ring(fd, 0, SAMPLE_TYPE, 0, &setup));
	ASSERT_TRUE(map_cpus(fd, cpus, ring));
	for (k = 0; k < 300; k++) {
		n = sample_now(fd, 0);
		ASSERT_GE(n, 0);
		all += cpus - n;
	}
	EXPECT_GE(all, 200 * cpus);
	for (cpu = 0; cpu < cpus; cpu++) {
		samples = 0;
		lost = 0;
		for (pass = 0; pass < 2; pass++) {
			while (ring_next(&ring[cpu], &record) > 0) {
				if (record.header.type == PERF_RECORD_SAMPLE) {
					samples++;
					continue;
				}
				ASSERT_EQ(PERF_RECORD_LOST, record.header.type);
				EXPECT_EQ(cpu, record.lost.sample_id.cpu);
				lost += record.lost.lost;
			}
			ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		}
		EXPECT_EQ(300, samples + lost);
		all -= lost;
	}
	EXPECT_EQ(0, all);
	for (cpu = 0; cpu < cpus; cpu++)
		ring_unmap(&ring[cpu]);
	close(fd);
}

TEST_HARNESS_MAIN
