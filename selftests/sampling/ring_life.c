// SPDX-License-Identifier: GPL-2.0-only
/* Waiting for records; overwritten rings; control of groups with a ring; limits; the end. */
#include "pmcgrp_ring.h"
#include <pthread.h>
#include "kselftest_harness.h"

FIXTURE(ring_life)
{
	int dev;
	struct perf_event_attr attr[MIXED];
	long page;
};

FIXTURE_SETUP(ring_life)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	mixed_members(self->attr);
	self->page = sysconf(_SC_PAGESIZE);
}

FIXTURE_TEARDOWN(ring_life)
{
	close(self->dev);
}

TEST_F(ring_life, wakeups)
{
	struct pmcgrp_ring_setup setup;
	struct ring_sum sum = {};
	struct ring ring;
	unsigned int i, k;
	int fd;

	/* after so many samples: once, then again */
	fd = group_of(self->dev, MIXED, self->attr, 0);
	ASSERT_EQ(0, setup_ring(fd, 0, SAMPLE_TYPE, 3, &setup));
	ASSERT_EQ(0, ring_map(fd, 4, &ring));
	for (i = 0; i < 5; i++) {
		for (k = 0; k < 3; k++) {
			EXPECT_EQ(0, poll_now(fd));
			ASSERT_EQ(1, sample_now(fd, 0));
		}
		EXPECT_EQ(POLLIN, poll_now(fd));
	}
	ring_unmap(&ring);
	close(fd);

	/* after so many bytes */
	fd = group_of(self->dev, MIXED, self->attr, 0);
	ASSERT_EQ(0, setup_ring(fd, PMCGRP_RING_WATERMARK, SAMPLE_TYPE,
				2 * sample_size(MIXED), &setup));
	ASSERT_EQ(0, ring_map(fd, 4, &ring));
	ASSERT_EQ(1, sample_now(fd, 0));
	EXPECT_EQ(0, poll_now(fd));
	ASSERT_EQ(1, sample_now(fd, 0));
	EXPECT_EQ(POLLIN, poll_now(fd));
	EXPECT_EQ(0, poll_now(fd));
	ring_unmap(&ring);
	close(fd);

	/* one that would be full before: at half of it, and when it is full */
	fd = group_of(self->dev, MIXED, self->attr, 0);
	ASSERT_EQ(0, setup_ring(fd, 0, SAMPLE_TYPE, 100000, &setup));
	ASSERT_EQ(0, ring_map(fd, 1, &ring));
	for (k = 0; !poll_now(fd); k++)
		ASSERT_EQ(1, sample_now(fd, 0));
	EXPECT_EQ((ring.size / 2 + sample_size(MIXED) - 1) / sample_size(MIXED), k);
	while (sample_now(fd, 0))
		;
	EXPECT_EQ(POLLIN, poll_now(fd));
	EXPECT_EQ(0, sample_now(fd, 0));
	EXPECT_EQ(0, poll_now(fd));
	ring_unmap(&ring);
	close(fd);

	/* at half of it, if nothing was asked for */
	fd = group_of(self->dev, MIXED, self->attr, 0);
	ASSERT_TRUE(ring_ready(fd, 1, &ring));
	for (k = 0; !poll_now(fd); k++)
		ASSERT_EQ(1, sample_now(fd, 0));
	EXPECT_EQ((ring.size / 2 + sample_size(MIXED) - 1) / sample_size(MIXED), k);
	ring_drain(&ring, &sum, NULL, NULL);
	EXPECT_EQ(k, sum.samples);
	ring_unmap(&ring);
	close(fd);
}

/* A poll() that waits: a record wakes it up, and its task's exit ends it. */
TEST_F(ring_life, poll_waits)
{
	static const uint64_t flags[] = { 0, PMCGRP_CREATE_DISABLED };
	struct pmcgrp_ring_setup setup;
	struct pollfd p = { .events = POLLIN };
	struct ring ring;
	unsigned int i;
	int fd, other;
	pid_t pid;

	fd = group_of(self->dev, MIXED, self->attr, 0);
	ASSERT_EQ(0, setup_ring(fd, 0, SAMPLE_TYPE, 1, &setup));
	ASSERT_EQ(0, ring_map(fd, 4, &ring));
	pid = spinner(-1);
	ASSERT_GT(pid, 0);
	other = group_of_task(self->dev, pid, MIXED, self->attr, 0);
	ASSERT_GE(other, 0);
	p.fd = fd;
	EXPECT_EQ(0, poll(&p, 1, 20));
	ASSERT_EQ(1, sample_now(fd, 0));
	EXPECT_EQ(1, poll(&p, 1, 20000));
	EXPECT_EQ(POLLIN, p.revents);
	ring_unmap(&ring);
	close(fd);
	close(other);
	ASSERT_TRUE(end_child(pid));

	for (i = 0; i < 2; i++) {
		pid = fork();
		if (!pid) {
			sleep_ns(50 * NSEC_PER_MSEC);
			_exit(0);
		}
		fd = group_of_task(self->dev, pid, MIXED, self->attr, flags[i]);
		ASSERT_GE(fd, 0);
		ASSERT_TRUE(ring_ready(fd, 1, &ring));
		p.fd = fd;
		EXPECT_EQ(1, poll(&p, 1, 60000));
		EXPECT_EQ(POLLHUP, p.revents);
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
		EXPECT_EQ(POLLHUP, poll_now(fd));
		EXPECT_EQ(0, sample_now(fd, 0));
		ring_unmap(&ring);
		close(fd);
	}
}

/*
 * execve() of a program that runs as another user ends the counting, and so the poll().
 */
TEST_F(ring_life, poll_ends_at_a_set_uid_program)
{
	static const char copy[] = "/tmp/suid";
	struct pollfd p = { .events = POLLIN };
	struct ring ring;
	int status, gate[2];
	pid_t pid;
	char c;

	ASSERT_EQ(0, pipe(gate));
	if (system("cp /bin/busybox /tmp/suid && chmod 4755 /tmp/suid"))
		SKIP(return, "no program to copy");
	pid = fork();
	if (!pid) {
		close(gate[1]);
		if (setresuid(1000, 1000, 1000) || read(gate[0], &c, 1) != 1)
			_exit(1);
		execl(copy, "sleep", "1000", NULL);
		_exit(2);
	}
	sleep_ns(100 * NSEC_PER_MSEC);
	p.fd = group_of_task(self->dev, pid, MIXED, self->attr, 0);
	ASSERT_GE(p.fd, 0);
	ASSERT_TRUE(ring_ready(p.fd, 1, &ring));
	EXPECT_EQ(0, poll(&p, 1, 50));
	ASSERT_EQ(1, write(gate[1], "x", 1));
	EXPECT_EQ(1, poll(&p, 1, 20000));
	EXPECT_EQ(POLLHUP, p.revents);
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
	ring_unmap(&ring);
	close(p.fd);
	unlink(copy);
}

struct second {
	int gate;
	pid_t *tid;
};

static void *exec_second(void *arg)
{
	const struct second *second = arg;
	char c;

	__atomic_store_n(second->tid, syscall(SYS_gettid), __ATOMIC_RELEASE);
	if (read(second->gate, &c, 1) == 1)
		execl("/bin/busybox", "sleep", "1000", NULL);
	_exit(9);
}

/*
 * execve() gives a thread that is not the leader the leader's id.  Its group gets triggers after
 * that as before it, and poll() tells of its exit.
 */
TEST_F(ring_life, execve_by_another_thread_than_the_leader)
{
	struct perf_event_attr by = every(1, sw(PERF_COUNT_SW_EMULATION_FAULTS));
	pid_t pid, *tid = shared_memory(sizeof(*tid));
	struct pollfd p = { .events = POLLIN };
	struct pmcgrp_info_cpu cpu[MIXED];
	struct pmcgrp_trigger_add add;
	struct pmcgrp_info info;
	struct second second;
	int gate[2], done[2];
	pthread_t thread;
	struct ring ring;
	char c;

	if (access("/bin/busybox", X_OK))
		SKIP(return, "no program to execute");
	ASSERT_NE(NULL, tid);
	ASSERT_EQ(0, pipe(gate));
	ASSERT_EQ(0, pipe2(done, O_CLOEXEC));
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		close(done[0]);
		second = (struct second){ .gate = gate[0], .tid = tid };
		pthread_create(&thread, NULL, exec_second, &second);
		for (;;)
			pause();
	}
	close(done[1]);
	while (!__atomic_load_n(tid, __ATOMIC_ACQUIRE))
		sleep_ns(NSEC_PER_MSEC);
	ASSERT_NE(pid, *tid);
	p.fd = group_of_task(self->dev, *tid, MIXED, self->attr, 0);
	ASSERT_GE(p.fd, 0);
	ASSERT_TRUE(ring_ready(p.fd, 1, &ring));
	EXPECT_EQ(0, group_info(p.fd, 0, &info, cpu, MIXED));
	EXPECT_EQ(*tid, info.target_id);

	ASSERT_EQ(1, write(gate[1], "x", 1));
	/* its end has gone with execve() */
	EXPECT_EQ(0, read(done[0], &c, 1));
	EXPECT_EQ(0, add_trigger(p.fd, &by, &add)) TH_LOG("why %u", add.why);
	EXPECT_EQ(0, group_info(p.fd, 0, &info, cpu, MIXED));
	EXPECT_EQ(pid, info.target_id);
	EXPECT_EQ(0, poll(&p, 1, 50));
	EXPECT_TRUE(end_child(pid));
	EXPECT_EQ(1, poll(&p, 1, 20000));
	EXPECT_EQ(POLLHUP, p.revents);
	EXPECT_EQ(-ESRCH, add_trigger(p.fd, &by, &add));
	EXPECT_EQ(PMCGRP_WHY_TASK_GONE, add.why);
	ring_unmap(&ring);
	close(p.fd);
	close(gate[0]);
	close(gate[1]);
	close(done[0]);
}

/* An overwritten ring is never full and has the newest record first. */
TEST_F(ring_life, overwritten_backward)
{
	unsigned long k, rounds = 5000;
	struct pmcgrp_ring_setup setup;
	union record record;
	struct ring ring;
	uint64_t at, end, next;
	int fd, got;

	fd = group_of(self->dev, MIXED, self->attr, 0);
	ASSERT_EQ(0, setup_ring(fd, PMCGRP_RING_BACKWARD, SAMPLE_TYPE, 0, &setup));
	ASSERT_EQ(0, ring_map_at(fd, 0, 4, PROT_READ, &ring));
	for (k = 0; k < rounds; k++)
		ASSERT_EQ(1, sample_now(fd, k));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1));
	EXPECT_EQ(0, sample_now(fd, k));
	at = ring_head(&ring);
	EXPECT_EQ(-rounds * sample_size(MIXED), at);
	end = at + ring.size / sample_size(MIXED) * sample_size(MIXED);
	for (next = rounds - 1; (got = ring_record(&ring, at, end, &record)) > 0; next--) {
		ASSERT_EQ(PERF_RECORD_SAMPLE, record.header.type);
		ASSERT_EQ(next, record.sample.addr);
		at += record.header.size;
	}
	EXPECT_EQ(0, got);
	EXPECT_EQ(ring.size / sample_size(MIXED), rounds - 1 - next);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0));
	ASSERT_EQ(1, sample_now(fd, k));
	/* and what the pause has cost is told: before the newest, the way it is written */
	ASSERT_EQ(1, ring_record(&ring, ring_head(&ring), end, &record));
	EXPECT_EQ(PERF_RECORD_LOST, record.header.type);
	EXPECT_EQ(1, record.lost.lost);
	ring_unmap(&ring);
	close(fd);
}

/* Of a task that does not run there is nothing to write, of one that does there is. */
TEST_F(ring_life, another_task)
{
	struct pmcgrp_ring_setup setup;
	union record record;
	struct ring ring;
	int fd, go, tries;
	pid_t pid;

	pid = exec_child(&go);
	ASSERT_GT(pid, 0);
	sleep_ns(100 * NSEC_PER_MSEC);
	fd = group_of_task(self->dev, pid, MIXED, self->attr, 0);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, setup_ring(fd, 0, SAMPLE_TYPE, 0, &setup));
	ASSERT_EQ(0, ring_map(fd, 1, &ring));
	EXPECT_EQ(0, sample_now(fd, 0));
	EXPECT_EQ(0, ring_next(&ring, &record));
	EXPECT_TRUE(exec_go(pid, go));
	ring_unmap(&ring);
	close(fd);

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		return;
	run_on(0);
	pid = spinner(1);
	ASSERT_GT(pid, 0);
	sleep_ns(100 * NSEC_PER_MSEC);
	fd = group_of_task(self->dev, pid, MIXED, self->attr, 0);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(ring_ready(fd, 1, &ring));
	/* a kernel thread may have the CPU for a moment */
	for (tries = 0; tries < 100 && !sample_now(fd, 0); tries++)
		sleep_ns(NSEC_PER_MSEC);
	ASSERT_EQ(1, ring_next(&ring, &record));
	EXPECT_EQ(0, ring_next(&ring, &record));
	EXPECT_EQ(pid, record.sample.tid);
	EXPECT_EQ(1, record.sample.cpu);
	EXPECT_EQ(self->attr[0].config ? record.sample.read.m[0].id : 0, record.sample.id);
	ring_unmap(&ring);
	close(fd);
	ASSERT_TRUE(end_child(pid));
}

/* All rings together have a limit, and give back what they had. */
TEST_F(ring_life, memory_limit)
{
	long max = file_number("/sys/module/pmcgrp/parameters/rings_max_mb", "");
	unsigned int pages = (8 << 20) / self->page, nr = 0, i, round;
	struct pmcgrp_ring_setup setup;
	struct ring ring[64];
	int fd[64], err;

	ASSERT_EQ(256, max);
	for (round = 0; round < 2; round++) {
		for (nr = 0; nr < 64; nr++) {
			fd[nr] = group_of(self->dev, 1, self->attr, 0);
			ASSERT_GE(fd[nr], 0);
			ASSERT_EQ(0, setup_ring(fd[nr], 0, SAMPLE_TYPE, 0, &setup));
			err = ring_map(fd[nr], pages, &ring[nr]);
			if (err)
				break;
		}
		EXPECT_EQ(-ENOSPC, err);
		EXPECT_EQ(31, nr);	/* each has a page more than 8 MiB */
		close(fd[nr]);
		for (i = 0; i < nr; i++) {
			ring_unmap(&ring[i]);
			close(fd[i]);
		}
		/* freed by RCU */
		sleep_ns(500 * NSEC_PER_MSEC);
	}
}

/* Reset and disable affect samples as they affect read(). */
TEST_F(ring_life, controlled)
{
	union record record;
	struct ring ring;
	volatile char *mem = fresh_pages(64);
	unsigned int i;
	int fd;

	self->attr[0] = sw(PERF_COUNT_SW_PAGE_FAULTS);
	fd = group_of(self->dev, 1, self->attr, 0);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(ring_ready(fd, 1, &ring));
	for (i = 0; i < 10; i++)
		mem[i * self->page] = 1;
	ASSERT_EQ(1, sample_now(fd, 0));
	ASSERT_EQ(1, ring_next(&ring, &record));
	EXPECT_GE(record.sample.read.m[0].value, 10);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	for (; i < 13; i++)
		mem[i * self->page] = 1;
	ASSERT_EQ(1, sample_now(fd, 0));
	ASSERT_EQ(1, ring_next(&ring, &record));
	EXPECT_EQ(3, record.sample.read.m[0].value);
	EXPECT_GT(record.sample.read.enabled, 0);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	mem[i++ * self->page] = 1;
	EXPECT_EQ(0, sample_now(fd, 0));
	EXPECT_EQ(0, ring_next(&ring, &record));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_EQ(1, sample_now(fd, 0));
	ASSERT_EQ(1, ring_next(&ring, &record));
	EXPECT_EQ(PERF_RECORD_SAMPLE, record.header.type);
	EXPECT_EQ(3, record.sample.read.m[0].value);
	ring_unmap(&ring);
	close(fd);
}

TEST_HARNESS_MAIN
