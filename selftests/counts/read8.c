// SPDX-License-Identifier: GPL-2.0-only
/*
 * One read of a group of all CPUs against perf's read of a group on each of them: what
 * both say, and what they cost where instructions can be counted.
 *
 * needs: machines=arm64-6.12-icount8
 */
#include "pmcgrp_test.h"
#include "kselftest_harness.h"

#define NR		4
#define CPUS_MAX	64
#define READS		100

FIXTURE(read8)
{
	int dev;
	int cpus;
	struct perf_event_attr attr[NR];
	pid_t spinner[CPUS_MAX];
	int busy;	/* CPUs that have one */
};

FIXTURE_SETUP(read8)
{
	int i;

	self->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (!deterministic() || self->cpus < 2)
		SKIP(return, "needs several CPUs whose PMUs count instructions");
	ASSERT_LE(self->cpus, CPUS_MAX);
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	ASSERT_TRUE(run_on(0));
	for (i = 0; i < NR; i++)
		self->attr[i] = i % 2 ? cycles_copy(i) : instructions_copy(i);
}

FIXTURE_TEARDOWN(read8)
{
	while (self->busy)
		EXPECT_TRUE(end_child(self->spinner[--self->busy]));
	close(self->dev);
}

static int all_cpus(int dev, unsigned int nr, const struct perf_event_attr *attr)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_ALL_CPUS, .nr = nr, .attr = attr };

	return ask_group(dev, &ask);
}

/* A group on each CPU; fd[cpu][0] leads. */
static bool perf_open_all(int (*fd)[NR], int cpus, const struct perf_event_attr *members)
{
	struct perf_event_attr attr;
	int cpu, i;

	for (cpu = 0; cpu < cpus; cpu++)
		for (i = 0; i < NR; i++) {
			attr = members[i];
			attr.read_format = FORMAT;
			fd[cpu][i] = perf_open(&attr, -1, cpu, i ? fd[cpu][0] : -1);
			if (fd[cpu][i] < 0)
				return false;
		}
	return true;
}

/* Their sum, as a group of all CPUs has it. */
static bool perf_read_all(int (*fd)[NR], int cpus, struct group_values *sum)
{
	struct group_values v;
	int cpu, i;

	memset(sum, 0, sizeof(*sum));
	for (cpu = 0; cpu < cpus; cpu++) {
		if (!group_values(fd[cpu][0], NR, &v))
			return false;
		sum->enabled += v.enabled;
		sum->running += v.running;
		for (i = 0; i < NR; i++)
			sum->m[i].value += v.m[i].value;
	}
	return true;
}

static void perf_close_all(int (*fd)[NR], int cpus)
{
	int cpu, i;

	for (cpu = 0; cpu < cpus; cpu++)
		for (i = NR; i--;)
			close(fd[cpu][i]);
}

/* The sum of the parts is the whole, member by member. */
TEST_F_TIMEOUT(read8, parts_make_the_sum, 300)
{
	CPU_RECORD(NR) r[CPUS_MAX];
	struct pmcgrp_read_cpus arg;
	struct group_values v;
	uint64_t sum;
	int fd, i, k;

	fd = all_cpus(self->dev, NR, self->attr);
	ASSERT_GE(fd, 0);
	sleep_ns(20 * NSEC_PER_MSEC);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_TRUE(group_values(fd, NR, &v));
	ASSERT_EQ(0, read_cpus(fd, r, sizeof(r), &arg));
	ASSERT_EQ(self->cpus, arg.nr_cpus);
	EXPECT_EQ(v.enabled, v.running);
	for (k = 0; k < NR; k++) {
		for (i = 0, sum = 0; i < self->cpus; i++) {
			EXPECT_EQ(v.m[k].id, r[i].m[k].id);
			sum += r[i].m[k].value;
		}
		EXPECT_EQ(v.m[k].value, sum);
		EXPECT_GT(sum, 0);
	}
	close(fd);
}

/* What READS of a kind take, all told. */
struct cost {
	uint64_t ns;
	uint64_t instructions;
	struct group_values first, last;
};

/*
 * With -icount QEMU's CPUs all count the instructions of all: one counter, on the
 * reader's CPU, has what the readers and those who answer them have executed.
 */
static void measure(struct __test_metadata *_metadata, int meter, int group, int (*perf)[NR],
		    int cpus, struct cost *cost)
{
	struct group_values v, w;
	bool good;
	int i;

	memset(cost, 0, sizeof(*cost));
	for (i = -1; i < READS; i++) {
		if (!i) {	/* the first one has brought all into memory */
			ASSERT_TRUE(group_values(meter, 1, &v));
			cost->ns = now_ns();
			cost->first = cost->last;
		}
		good = perf ? perf_read_all(perf, cpus, &cost->last) :
			      group_values(group, NR, &cost->last);
		ASSERT_TRUE(good);
	}
	cost->ns = (now_ns() - cost->ns) / READS;
	ASSERT_TRUE(group_values(meter, 1, &w));
	cost->instructions = (w.m[0].value - v.m[0].value) / READS;
	EXPECT_EQ(cost->last.running - cost->first.running,
		  cost->last.enabled - cost->first.enabled);
	for (i = 0; i < NR; i++)
		EXPECT_GT(cost->last.m[i].value, cost->first.m[i].value);
}

/* One kind at a time, so that neither waits for the other's counters. */
static void compare(struct __test_metadata *_metadata, int dev, int cpus,
		    const struct perf_event_attr *attr, const char *what, struct cost *ours,
		    struct cost *perfs)
{
	struct perf_event_attr instructions = instructions_copy(0);
	int meter = group_of_cpu(dev, 0, 1, &instructions), fd;
	static int perf[CPUS_MAX][NR];

	ASSERT_GE(meter, 0);
	fd = all_cpus(dev, NR, attr);
	ASSERT_GE(fd, 0);
	measure(_metadata, meter, fd, NULL, cpus, ours);
	close(fd);
	ASSERT_TRUE(perf_open_all(perf, cpus, attr));
	measure(_metadata, meter, -1, perf, cpus, perfs);
	perf_close_all(perf, cpus);
	close(meter);
	printf("# example read of %d CPUs, %s: perf %llu instructions / %llu ns, ", cpus, what,
	       (unsigned long long)perfs->instructions, (unsigned long long)perfs->ns);
	printf("pmcgrp %llu instructions / %llu ns\n", (unsigned long long)ours->instructions,
	       (unsigned long long)ours->ns);
}

TEST_F_TIMEOUT(read8, idle_cpus, 300)
{
	struct cost ours, perfs;

	compare(_metadata, self->dev, self->cpus, self->attr, "idle", &ours, &perfs);
	/* in fewer instructions, and sooner */
	EXPECT_LT(ours.instructions, perfs.instructions);
	EXPECT_LT(ours.ns, perfs.ns);
}

/* While other CPUs work: an IPI to a CPU waits until QEMU runs that CPU. */
TEST_F_TIMEOUT(read8, busy_cpus, 300)
{
	struct cost ours, perfs;

	for (; self->busy < self->cpus - 1; self->busy++) {
		self->spinner[self->busy] = spinner(self->busy + 1);
		ASSERT_GT(self->spinner[self->busy], 0);
	}
	compare(_metadata, self->dev, self->cpus, self->attr, "busy", &ours, &perfs);
	EXPECT_LT(ours.ns, perfs.ns);
}

TEST_HARNESS_MAIN
