// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings by task: what is counted between two records is one task's. For each task the sum over all
 * rings is what it did, and over all tasks what read() gives.
 */
#include "pmcgrp_ring.h"
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include "kselftest_harness.h"

#define TASKS		6
#define CPUS_MAX	16
#define TID_MAX		(1 << 16)
#define PAGES_STEP	10	/* the k-th task touches so many more pages than the one before */
#define PAGES_MORE	60	/* faults of a task besides: code, stack, its thread's memory */
#define ROUNDS		20
#define RING_PAGES	64

enum {
	FAULTS,
	SWITCHES,
	HARDWARE
};

/* What the records say of each task, and how many there are. */
struct tally {
	uint64_t sum[TID_MAX][HARDWARE + 1];
	uint64_t all[HARDWARE + 1];
	uint64_t enabled;
	unsigned int switches, hits;
	unsigned int unnamed;
	bool order;
};

FIXTURE(ring_tasks)
{
	int dev;
	unsigned int nr, cpus;
	struct perf_event_attr attr[HARDWARE + 1];
	struct ring ring[CPUS_MAX];
	struct tally *tally;
	struct ring_sum losses;
	int go[2];
};

FIXTURE_VARIANT(ring_tasks)
{
	uint32_t type;
	uint64_t flags;
	bool children;
	bool clock;
	bool hardware;	/* a trigger, which on x86 is an NMI */
};

FIXTURE_VARIANT_ADD(ring_tasks, inherited) {
	.flags = PMCGRP_CREATE_INHERIT, .children = true,
};

FIXTURE_VARIANT_ADD(ring_tasks, inherited_by_clock) {
	.flags = PMCGRP_CREATE_INHERIT, .children = true, .clock = true,
};

FIXTURE_VARIANT_ADD(ring_tasks, inherited_by_cycles) {
	.flags = PMCGRP_CREATE_INHERIT, .children = true, .hardware = true,
};

FIXTURE_VARIANT_ADD(ring_tasks, process) {
	.type = PMCGRP_TARGET_PROCESS,
};

FIXTURE_VARIANT_ADD(ring_tasks, process_by_clock) {
	.type = PMCGRP_TARGET_PROCESS, .clock = true,
};

FIXTURE_VARIANT_ADD(ring_tasks, process_and_children_by_clock) {
	.type = PMCGRP_TARGET_PROCESS, .flags = PMCGRP_CREATE_INHERIT, .children = true,
	.clock = true,
};

FIXTURE_SETUP(ring_tasks)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->attr[FAULTS] = sw(PERF_COUNT_SW_PAGE_FAULTS);
	self->attr[SWITCHES] = sw(PERF_COUNT_SW_CONTEXT_SWITCHES);
	self->nr = HARDWARE;
	if (have_instructions()) {
		self->attr[self->nr] = instructions_copy(0);
		self->attr[self->nr++].exclude_kernel = 1;
	}
	self->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	ASSERT_LE(self->cpus, CPUS_MAX);
	self->tally = calloc(1, sizeof(*self->tally));
	ASSERT_NE(NULL, self->tally);
	self->tally->order = true;
	ASSERT_EQ(0, pipe(self->go));
}

FIXTURE_TEARDOWN(ring_tasks)
{
	free(self->tally);
	close(self->go[0]);
	close(self->go[1]);
	close(self->dev);
}

static bool map_all(int fd, unsigned int cpus, struct ring *ring)
{
	unsigned int cpu;

	for (cpu = 0; cpu < cpus; cpu++)
		if (ring_map_at(fd, PMCGRP_RING_OFFSET(cpu), RING_PAGES, PROT_READ | PROT_WRITE,
				&ring[cpu]))
			return false;
	return true;
}

/* Adds up what a ring's samples have counted since the one before each. */
static void add_up(struct tally *tally, struct ring *ring, unsigned int nr,
		   struct ring_sum *losses)
{
	struct group_values last = {};
	union record record;
	unsigned int i;
	uint64_t delta;
	int got;

	while ((got = ring_next(ring, &record)) > 0) {
		const struct sample *sample = &record.sample;

		if (record.header.type == PERF_RECORD_LOST)
			losses->lost += record.lost.lost;
		if (record.header.type == PERF_RECORD_LOST_SAMPLES)
			losses->missed += record.missed.lost;
		if (record.header.type != PERF_RECORD_SAMPLE)
			continue;
		if (record.header.misc & PMCGRP_RECORD_MISC_SWITCH)
			tally->switches++;
		else
			tally->hits++;
		if (sample->tid >= TID_MAX) {
			tally->unnamed++;
			continue;
		}
		tally->order &= sample->read.enabled >= last.enabled;
		tally->enabled += sample->read.enabled - last.enabled;
		for (i = 0; i < nr; i++) {
			delta = sample->read.m[i].value - last.m[i].value;
			tally->order &= (int64_t)delta >= 0;
			tally->sum[sample->tid][i] += delta;
			tally->all[i] += delta;
		}
		last = sample->read;
	}
	losses->broken |= got < 0;
}

/* A task of the test: it touches pages, and works in between, again and again giving way. */
struct work {
	unsigned int k;
	pid_t tid;
	uint64_t began, ended;	/* its context switches, as /proc has them */
};

static void touch_and_yield(struct work *work)
{
	unsigned int pages = (work->k + 1) * PAGES_STEP, i;
	volatile char *mem = fresh_pages(pages);
	long page = sysconf(_SC_PAGESIZE);

	work->tid = gettid();
	for (i = 0; mem && i < pages; i++) {
		mem[i * page] = 1;
		if (i % (pages / ROUNDS ? pages / ROUNDS : 1) == 0)
			sched_yield();
		loop(100 * (work->k + 1));
	}
	if (mem)
		munmap((void *)mem, pages * page);
}

static void *thread_of(void *work)
{
	touch_and_yield(work);
	return NULL;
}

/* In the target: half of the tasks are its threads, the others its children. */
static void target(struct work *work, int go)
{
	pthread_t thread[TASKS];
	unsigned int k;
	pid_t pid[TASKS];
	char c;

	if (read(go, &c, 1) != 1)
		_exit(1);
	for (k = 0; k < TASKS; k++) {
		work[k].k = k;
		if (k % 2 == 0) {
			if (pthread_create(&thread[k], NULL, thread_of, &work[k]))
				_exit(2);
			continue;
		}
		pid[k] = fork();
		if (pid[k] < 0)
			_exit(3);
		if (!pid[k]) {
			touch_and_yield(&work[k]);
			_exit(0);
		}
	}
	for (k = 0; k < TASKS; k++) {
		if (k % 2 == 0)
			pthread_join(thread[k], NULL);
		else
			waitpid(pid[k], NULL, 0);
	}
	_exit(0);
}

/* What each task has done is in the records that name it, and all together is what read() gives. */
static void check(struct __test_metadata *_metadata, const struct tally *tally,
		  const struct ring_sum *losses, const struct work *work, bool processes,
		  const struct group_values *total, unsigned int nr)
{
	unsigned int k, i, n = 0;
	uint64_t faults, pages;

	EXPECT_FALSE(losses->broken);
	EXPECT_EQ(0, losses->lost);
	EXPECT_EQ(0, losses->missed);
	EXPECT_TRUE(tally->order);
	EXPECT_EQ(0, tally->unnamed);
	for (i = 0; i < nr; i++)
		EXPECT_EQ(total->m[i].value, tally->all[i]);
	EXPECT_EQ(total->enabled, tally->enabled);
	for (k = 0; k < TASKS; k++) {
		if (!processes && k % 2)
			continue;
		faults = tally->sum[work[k].tid][FAULTS];
		pages = (k + 1) * PAGES_STEP;
		TH_LOG("task %u: %llu pages, %llu faults, %llu switches", k,
		       (unsigned long long)pages, (unsigned long long)faults,
		       (unsigned long long)tally->sum[work[k].tid][SWITCHES]);
		EXPECT_GE(faults, pages);
		EXPECT_LE(faults, pages + PAGES_MORE);
		if (nr > HARDWARE)
			EXPECT_GE(tally->sum[work[k].tid][HARDWARE], 100 * (k + 1) * pages);
		n++;
	}
	EXPECT_GE(tally->switches, n);
}

TEST_F_TIMEOUT(ring_tasks, sums_per_task_are_exact, 60)
{
	struct perf_event_attr clock = every(200000, sw(PERF_COUNT_SW_CPU_CLOCK));
	/* So rarely that a ring has room for all samples: it is read when the tasks have ended. */
	struct perf_event_attr cycles = every(slow_kernel() ? 500000 : 50000, cycles_copy(1));
	struct work *work = shared_memory(TASKS * sizeof(*work));
	struct ask ask = { .target_type = variant->type, .attr = self->attr, .nr = self->nr,
			   .flags = variant->flags | PMCGRP_CREATE_DISABLED };
	struct pmcgrp_ring_setup setup;
	struct pmcgrp_trigger_add add;
	struct group_values total;
	unsigned int cpu;
	int fd, status;
	pid_t pid;

	ASSERT_NE(NULL, work);
	pid = fork();
	if (!pid)
		target(work, self->go[0]);
	ASSERT_GT(pid, 0);
	ask.target_id = pid;
	fd = ask_group(self->dev, &ask);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, setup_ring(fd, 0, SAMPLE_TYPE, 0, &setup));
	ASSERT_TRUE(map_all(fd, self->cpus, self->ring));
	if (variant->clock)
		ASSERT_EQ(0, add_trigger(fd, &clock, &add));
	if (variant->hardware && !have_cycles())
		SKIP(goto end, "no hardware PMU");
	if (variant->hardware)
		ASSERT_EQ(0, add_trigger(fd, &cycles, &add));
	EXPECT_EQ(0, poll_now(fd));
	/* Otherwise its first steps are counted, and the reset writes them to a record. */
	ASSERT_TRUE(wait_until_asleep(pid));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_RESET, PMCGRP_IOC_FLAG_TIMES));
	ASSERT_EQ(1, write(self->go[1], "g", 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_TRUE(group_values(fd, self->nr, &total));
	for (cpu = 0; cpu < self->cpus; cpu++)
		add_up(self->tally, &self->ring[cpu], self->nr, &self->losses);
	/* A ring that was full has room now for the record of what it has lost. */
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	for (cpu = 0; cpu < self->cpus; cpu++)
		add_up(self->tally, &self->ring[cpu], self->nr, &self->losses);
	TH_LOG("%u records of switches, %u of the trigger, %lu not taken, %lu without room",
	       self->tally->switches, self->tally->hits, self->losses.missed, self->losses.lost);
	/* A hit between the probe and perf core's part of a switch is told as not taken. */
	if (variant->clock || variant->hardware) {
		EXPECT_GT(self->tally->hits, 0);
		self->losses.missed = 0;
	} else {
		EXPECT_EQ(0, self->tally->hits);
	}
	check(_metadata, self->tally, &self->losses, work, variant->children, &total, self->nr);
end:
	close(fd);
	end_child(pid);
	for (cpu = 0; cpu < self->cpus; cpu++)
		ring_unmap(&self->ring[cpu]);
}

/* The last of the tasks is gone. */
TEST_F_TIMEOUT(ring_tasks, readers_are_told_of_the_end, 30)
{
	struct work *work = shared_memory(TASKS * sizeof(*work));
	struct ask ask = { .target_type = variant->type, .attr = self->attr, .nr = self->nr,
			   .flags = variant->flags };
	struct pmcgrp_ring_setup setup;
	struct pollfd p = { .events = 0 };
	pid_t pid = fork();

	if (!pid)
		target(work, self->go[0]);
	ASSERT_GT(pid, 0);
	ask.target_id = pid;
	p.fd = ask_group(self->dev, &ask);
	ASSERT_GE(p.fd, 0);
	ASSERT_EQ(0, setup_ring(p.fd, 0, SAMPLE_TYPE, 0, &setup));
	ASSERT_TRUE(map_all(p.fd, self->cpus, self->ring));
	EXPECT_EQ(0, poll_now(p.fd));
	ASSERT_EQ(1, write(self->go[1], "g", 1));
	/* nobody has reaped it yet */
	EXPECT_EQ(1, poll(&p, 1, 10000));
	EXPECT_EQ(POLLHUP, p.revents);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	close(p.fd);
}

/* One that is never switched from is told of as the group is disabled. */
TEST_F(ring_tasks, a_task_that_runs_on)
{
	struct ask ask = { .target_type = variant->type, .attr = self->attr, .nr = self->nr,
			   .flags = variant->flags | PMCGRP_CREATE_DISABLED };
	struct pmcgrp_ring_setup setup;
	struct group_values total;
	unsigned int cpu;
	int fd;

	fd = ask_group(self->dev, &ask);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, setup_ring(fd, 0, SAMPLE_TYPE, 0, &setup));
	ASSERT_TRUE(map_all(fd, self->cpus, self->ring));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	loop(1000);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_TRUE(group_values(fd, self->nr, &total));
	for (cpu = 0; cpu < self->cpus; cpu++)
		add_up(self->tally, &self->ring[cpu], self->nr, &self->losses);
	EXPECT_LT(0, self->tally->switches);
	EXPECT_EQ(total.enabled, self->tally->enabled);
	EXPECT_EQ(total.m[FAULTS].value, self->tally->sum[gettid()][FAULTS]);
	close(fd);
}

/* perf core counts these when the next task is counted already. */
TEST_F(ring_tasks, switches_are_no_trigger)
{
	struct perf_event_attr by = every(1, sw(PERF_COUNT_SW_CONTEXT_SWITCHES));
	struct ask ask = { .target_type = variant->type, .attr = self->attr, .nr = self->nr,
			   .flags = variant->flags };
	struct pmcgrp_ring_setup setup;
	struct pmcgrp_trigger_add add;
	int fd;

	fd = ask_group(self->dev, &ask);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, setup_ring(fd, 0, SAMPLE_TYPE, 0, &setup));
	EXPECT_EQ(-EOPNOTSUPP, add_trigger(fd, &by, &add));
	EXPECT_EQ(PMCGRP_WHY_EVENT_KIND, add.why);
	close(fd);
}

/* All that runs on a CPU, idle times included. */
TEST(ring_of_a_cpu)
{
	struct perf_event_attr attr[] = { sw(PERF_COUNT_SW_PAGE_FAULTS),
					  sw(PERF_COUNT_SW_CONTEXT_SWITCHES) };
	struct work *work = shared_memory(TASKS * sizeof(*work));
	struct tally *tally = calloc(1, sizeof(*tally));
	int dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	struct pmcgrp_ring_setup setup;
	struct ring_sum losses = {};
	struct group_values total;
	struct ring ring;
	int fd, go[2];
	pid_t pid;

	ASSERT_NE(NULL, work);
	ASSERT_NE(NULL, tally);
	tally->order = true;
	ASSERT_EQ(0, pipe(go));
	ASSERT_TRUE(run_on(0));
	fd = group_of_cpu(dev, 0, 2, attr);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_RESET, PMCGRP_IOC_FLAG_TIMES));
	ASSERT_EQ(0, setup_ring(fd, PMCGRP_RING_BY_TASK, SAMPLE_TYPE, 0, &setup));
	ASSERT_EQ(0, ring_map_at(fd, PMCGRP_RING_OFFSET(0), 4 * RING_PAGES,
				 PROT_READ | PROT_WRITE, &ring));
	pid = fork();
	if (!pid)
		target(work, go[0]);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_EQ(1, write(go[1], "g", 1));
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	sleep_ns(20 * NSEC_PER_MSEC);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_TRUE(group_values(fd, 2, &total));
	add_up(tally, &ring, 2, &losses);
	TH_LOG("%u records", tally->switches);
	check(_metadata, tally, &losses, work, true, &total, 2);
	close(fd);
	ring_unmap(&ring);
	close(dev);
	free(tally);
}

TEST_HARNESS_MAIN
