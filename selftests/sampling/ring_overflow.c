// SPDX-License-Identifier: GPL-2.0-only
/*
 * More records than the reader reads: each is there or counted as lost, and each is
 * whole. FLOOD_RECORDS sets their number (default 300,000).
 */
#include "pmcgrp_ring.h"
#include <sys/prctl.h>
#include "kselftest_harness.h"

#define TWINS	8	/* members that count the same: equal in every record, or it is torn */

static unsigned long flood_records(void)
{
	const char *text = getenv("FLOOD_RECORDS");

	return text ? strtoul(text, NULL, 0) : rounds_of(300000, 20000);
}

FIXTURE(ring_overflow)
{
	int dev;
	struct perf_event_attr attr[TWINS];
};

FIXTURE_SETUP(ring_overflow)
{
	unsigned int i;

	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	for (i = 0; i < TWINS; i++)
		self->attr[i] = have_cycles() ? hw(PERF_COUNT_HW_CPU_CYCLES) :
						sw(PERF_COUNT_SW_TASK_CLOCK);
}

FIXTURE_TEARDOWN(ring_overflow)
{
	close(self->dev);
}

/* What must hold of every record: a sum over it that a torn one would not have. */
struct whole {
	uint64_t ids[TWINS];
	uint64_t time;
	uint64_t value;
	unsigned long torn;
	unsigned long backward;
};

static void see_whole(const struct sample *s, void *arg)
{
	struct whole *w = arg;
	unsigned int i;

	w->torn += s->header.size != sample_size(TWINS) || s->read.nr != TWINS ||
		   s->cpu_reserved || s->read.running > s->read.enabled;
	for (i = 0; i < TWINS; i++)
		w->torn += s->read.m[i].id != w->ids[i] ||
			   s->read.m[i].value != s->read.m[0].value;
	w->backward += s->time < w->time || s->read.m[0].value < w->value;
	w->time = s->time;
	w->value = s->read.m[0].value;
}

static bool whole_init(struct whole *w, int fd)
{
	struct group_values v;
	unsigned int i;

	*w = (struct whole){};
	if (!group_values(fd, TWINS, &v))
		return false;
	for (i = 0; i < TWINS; i++)
		w->ids[i] = v.m[i].id;
	return true;
}

/* Faster than the reader: what was written and what was lost is what there was, exactly. */
TEST_F_TIMEOUT(ring_overflow, written_and_lost, 3600)
{
	unsigned long records = flood_records(), k, written = 0;
	struct ring_sum sum = {};
	struct whole whole;
	struct ring ring;
	int fd, n;

	fd = group_of(self->dev, TWINS, self->attr, 0);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(whole_init(&whole, fd));
	ASSERT_TRUE(ring_ready(fd, 16, &ring));
	for (k = 1; k < records; k++) {
		n = ioctl(fd, PMCGRP_IOC_SAMPLE, k);
		ASSERT_GE(n, 0);
		written += n;
		if (k % 1000 == 0)
			ring_drain(&ring, &sum, see_whole, &whole);
	}
	ring_drain(&ring, &sum, see_whole, &whole);
	ASSERT_EQ(1, ioctl(fd, PMCGRP_IOC_SAMPLE, k));
	ring_drain(&ring, &sum, see_whole, &whole);
	TH_LOG("%lu records: %lu read, %lu lost", records, sum.samples, sum.lost);
	EXPECT_EQ(records, sum.samples + sum.lost);
	EXPECT_EQ(written + 1, sum.samples);
	EXPECT_GT(sum.lost, records / 10);
	EXPECT_EQ(0, sum.missed + sum.others);
	EXPECT_FALSE(sum.broken);
	EXPECT_EQ(0, whole.torn);
	EXPECT_EQ(0, whole.backward);
	tell_count("ring_overflow", records, "records");
	ring_unmap(&ring);
	close(fd);
}

/* Causes page faults, system calls and samples on request until the parent has seen enough. */
static void make_noise(int fd)
{
	long page = sysconf(_SC_PAGESIZE);
	volatile char *mem = fresh_pages(64);
	unsigned int i;

	for (;;) {
		for (i = 0; i < 64; i++) {
			mem[i * page] = 1;
			if (i % 16 == 0)
				ioctl(fd, PMCGRP_IOC_SAMPLE, 0);
			loop(2000);
		}
		madvise((void *)mem, 64 * page, MADV_DONTNEED);
	}
}

/*
 * On each CPU a ring that is written from hard interrupts, from tasks and from other
 * CPUs' requests, one in the midst of the other.
 */
TEST_F_TIMEOUT(ring_overflow, nested_writers, 600)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), cpu;
	/* A slow kernel would do nothing but take samples. */
	unsigned int slower = slow_kernel() ? 100 : 1;
	struct perf_event_attr by[] = {
		every(20000 * slower, sw(PERF_COUNT_SW_CPU_CLOCK)),
		every(1, sw(PERF_COUNT_SW_PAGE_FAULTS)),
		every(1, sw(PERF_COUNT_SW_CONTEXT_SWITCHES)),
		every(50000 * slower, hw(PERF_COUNT_HW_CPU_CYCLES)),
	};
	struct ask ask = { .target_type = PMCGRP_TARGET_ALL_CPUS, .nr = TWINS,
			   .attr = self->attr };
	struct pmcgrp_ring_setup setup;
	struct pmcgrp_trigger_add add;
	struct whole whole[cpus];
	struct ring_sum sum[cpus], all = {};
	struct ring ring[cpus];
	pid_t child[2 * cpus];
	unsigned long torn = 0, backward = 0;
	unsigned int i, nr = have_cycles() ? 4 : 3;
	uint64_t end;
	int fd;

	fd = ask_group(self->dev, &ask);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, setup_ring(fd, 0, SAMPLE_TYPE, 0, &setup));
	for (cpu = 0; cpu < cpus; cpu++) {
		ASSERT_TRUE(whole_init(&whole[cpu], fd));
		sum[cpu] = (struct ring_sum){};
		ASSERT_EQ(0, ring_map_at(fd, PMCGRP_RING_OFFSET(cpu), 64, PROT_READ | PROT_WRITE,
					 &ring[cpu]));
	}
	for (i = 0; i < nr; i++)
		ASSERT_EQ(0, add_trigger(fd, &by[i], &add));
	for (i = 0; i < 2 * cpus; i++) {
		child[i] = fork();
		if (!child[i]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			run_on(i % cpus);
			make_noise(fd);
		}
		ASSERT_GT(child[i], 0);
	}
	end = now_ns() + rounds_of(50, 20) * 100 * NSEC_PER_MSEC;
	while (now_ns() < end) {
		for (cpu = 0; cpu < cpus; cpu++)
			ring_drain(&ring[cpu], &sum[cpu], see_whole, &whole[cpu]);
		sleep_ns(NSEC_PER_MSEC);
	}
	for (i = 0; i < 2 * cpus; i++)
		ASSERT_TRUE(end_child(child[i]));
	for (cpu = 0; cpu < cpus; cpu++) {
		ring_drain(&ring[cpu], &sum[cpu], see_whole, &whole[cpu]);
		EXPECT_GT(sum[cpu].samples, 100);
		EXPECT_FALSE(sum[cpu].broken);
		all.samples += sum[cpu].samples;
		all.lost += sum[cpu].lost;
		all.missed += sum[cpu].missed;
		all.throttles += sum[cpu].throttles;
		all.others += sum[cpu].others;
		torn += whole[cpu].torn;
		backward += whole[cpu].backward;
		ring_unmap(&ring[cpu]);
	}
	TH_LOG("%ld CPUs: %lu samples, %lu lost, %lu missed, %lu throttled", cpus, all.samples,
	       all.lost, all.missed, all.throttles);
	EXPECT_EQ(0, all.others);
	EXPECT_EQ(0, torn);
	EXPECT_EQ(0, backward);
	close(fd);
}

TEST_HARNESS_MAIN
