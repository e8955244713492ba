// SPDX-License-Identifier: GPL-2.0-only
/*
 * A machine with two kinds of cores, each with a PMU of its own, imitated by the PMUs for tests
 * (test_modules/testpmu/hybrid.c): even and odd CPUs. What a group counts, and for how
 * long, is exact.
 *
 * needs: testpmu=yes
 */
#include "pmcgrp_testpmu.h"
#include <pthread.h>
#include "kselftest_harness.h"

#define KINDS		2
#define NR		2
#define CPUS_MAX	64
#define SEED		20261126
#define MOVES		200

static const char *const kind_name[KINDS] = { "pmcgrp_test_even", "pmcgrp_test_odd" };

FIXTURE(hybrid)
{
	struct testpmu pmu;
	uint32_t type[KINDS];
	struct perf_event_attr attr[KINDS][NR];
	int cpus;
	int dev;
};

static uint32_t rate(int i)
{
	return 3 + 4 * i;
}

FIXTURE_SETUP(hybrid)
{
	char path[96];
	int k, i;

	self->dev = -1;
	if (!testpmu_open(&self->pmu))
		SKIP(return, TESTPMU_MISSING);
	self->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (self->cpus < 2)
		SKIP(return, "needs two processors");
	for (k = 0; k < KINDS; k++) {
		snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type",
			 kind_name[k]);
		self->type[k] = file_number(path, "");
		for (i = 0; i < NR; i++)
			self->attr[k][i] = event(self->type[k],
						 (uint64_t)(10 * k + i) << 32 | rate(i));
	}
	ASSERT_NE(self->type[0], self->type[1]);
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	ASSERT_TRUE(stay_on(0));
}

FIXTURE_TEARDOWN(hybrid)
{
	if (self->dev < 0)
		return;
	EXPECT_EQ(self->pmu.faults, testpmu_faults());
	close(self->dev);
	close(self->pmu.ticks);
}

/* Whether all members show what so many ticks make. */
static bool shows(const struct group_values *v, uint64_t ticks)
{
	int i;

	for (i = 0; i < NR; i++)
		if (v->m[i].value != ticks * rate(i))
			return false;
	return true;
}

/* ---- Groups of CPUs ---- */

TEST_F(hybrid, a_group_of_all_cpus_counts_on_those_of_its_kind)
{
	CPU_RECORD(NR) record[CPUS_MAX];
	struct pmcgrp_read_cpus arg;
	struct group_values v;
	int fd, k, cpu, i;
	uint64_t ticks;

	for (k = 0; k < KINDS; k++) {
		struct ask ask = { .target_type = PMCGRP_TARGET_ALL_CPUS, .nr = NR,
				   .attr = self->attr[k] };

		fd = ask_group(self->dev, &ask);
		ASSERT_GE(fd, 0);
		ASSERT_TRUE(tick(&self->pmu, 5));
		for (cpu = 0, ticks = 0; cpu < self->cpus; cpu++) {
			ASSERT_TRUE(tick_cpu(&self->pmu, cpu + 1, cpu));
			ticks += cpu % 2 == k ? 5 + cpu + 1 : 0;
		}
		ASSERT_TRUE(group_values(fd, NR, &v));
		EXPECT_TRUE(shows(&v, ticks));
		EXPECT_EQ(v.enabled, v.running);
		ASSERT_EQ(0, read_cpus(fd, record, sizeof(record), &arg));
		EXPECT_EQ((self->cpus + 1 - k) / 2, arg.nr_cpus);
		for (i = 0; i < (int)arg.nr_cpus; i++) {
			EXPECT_EQ(2 * i + k, record[i].cpu);
			EXPECT_EQ((5 + 2 * i + k + 1) * rate(1), record[i].m[1].value);
			EXPECT_EQ(record[i].enabled, record[i].running);
		}
		close(fd);
	}
}

TEST_F(hybrid, a_cpu_of_the_other_kind_is_refused)
{
	struct ask ask = { .nr = NR };
	int fd, k, cpu;

	for (k = 0; k < KINDS; k++)
		for (cpu = 0; cpu < self->cpus; cpu++) {
			ask.attr = self->attr[k];
			ask.target_type = PMCGRP_TARGET_CPU;
			ask.target_id = cpu;
			ask.cpus = 0;
			fd = ask_group(self->dev, &ask);
			if (cpu % 2 == k) {
				EXPECT_LE(0, fd);
				close(fd);
				continue;
			}
			EXPECT_EQ(-ENOENT, fd);
			EXPECT_EQ(PMCGRP_WHY_EVENT_UNKNOWN, ask.create.why);
			EXPECT_EQ(cpu, ask.create.fail_cpu);
			EXPECT_EQ(0, ask.create.fail_member);
			ask.target_type = PMCGRP_TARGET_CPUS;
			ask.target_id = 0;
			ask.cpus = 3;
			EXPECT_EQ(-ENOENT, ask_group(self->dev, &ask));
			EXPECT_EQ(PMCGRP_WHY_EVENT_UNKNOWN, ask.create.why);
			EXPECT_EQ(!k, ask.create.fail_cpu);
		}
}

/* With a member that every CPU could count, too: only where all of them can. */
TEST_F(hybrid, a_group_counts_where_all_members_can)
{
	struct perf_event_attr attr[NR] = { test_event(&self->pmu, 30, rate(0), 0),
					    self->attr[1][1] };
	struct ask ask = { .target_type = PMCGRP_TARGET_ALL_CPUS, .nr = NR, .attr = attr };
	struct group_values v;
	int fd, cpu;

	fd = ask_group(self->dev, &ask);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(tick(&self->pmu, 7));
	ASSERT_TRUE(group_values(fd, NR, &v));
	EXPECT_TRUE(shows(&v, 7 * (self->cpus / 2)));
	close(fd);
	fd = group_of(self->dev, NR, attr, 0);
	ASSERT_GE(fd, 0);
	for (cpu = 0; cpu < self->cpus; cpu++) {
		ASSERT_TRUE(stay_on(cpu));
		ASSERT_TRUE(tick(&self->pmu, 7));
	}
	ASSERT_TRUE(group_values(fd, NR, &v));
	EXPECT_TRUE(shows(&v, 7 * (self->cpus / 2)));
	EXPECT_LT(0, v.running);
	EXPECT_LT(v.running, v.enabled);
	close(fd);
}

/* No CPU has both. */
TEST_F(hybrid, members_of_both_kinds_are_refused)
{
	struct perf_event_attr attr[NR] = { self->attr[0][0], self->attr[1][1] };
	struct ask ask = { .nr = NR, .attr = attr };
	static const uint32_t target[] = { PMCGRP_TARGET_TASK, PMCGRP_TARGET_PROCESS,
					   PMCGRP_TARGET_ALL_CPUS };
	int i;

	for (i = 0; i < 3; i++) {
		ask.target_type = target[i];
		EXPECT_EQ(-ENOENT, ask_group(self->dev, &ask));
		EXPECT_EQ(PMCGRP_WHY_EVENT_UNKNOWN, ask.create.why);
		EXPECT_EQ(1, ask.create.fail_member);
		EXPECT_EQ(0, ask.create.fail_cpu);
	}
}

/* ---- More groups than counters ---- */

#define GROUPS		2	/* of all programmable counters of their kind */
#define MEMBERS		4
#define EACH		20
#define ROUNDS_MAX	20000

/* The kind's PMU is full, and the other kind's is not. */
TEST_F_TIMEOUT(hybrid, groups_of_one_kind_take_turns, 120)
{
	struct perf_event_attr attr[GROUPS][MEMBERS];
	uint64_t ticks[GROUPS] = {}, now, more, other = 0;
	struct group_values v;
	int fd[GROUPS], odd, g, i, rounds;

	for (g = 0; g < GROUPS; g++) {
		for (i = 0; i < MEMBERS; i++)
			attr[g][i] = event(self->type[0], (uint64_t)(100 + 10 * g + i) << 32 | 1);
		fd[g] = group_of(self->dev, MEMBERS, attr[g], 0);
		ASSERT_GE(fd[g], 0);
	}
	odd = group_of(self->dev, NR, self->attr[1], 0);
	ASSERT_GE(odd, 0);
	for (rounds = 0; rounds < ROUNDS_MAX && (ticks[0] < EACH || ticks[1] < EACH); rounds++) {
		ASSERT_TRUE(stay_on(rounds % 8 == 7));
		spin_ns(NSEC_PER_MSEC);
		ASSERT_TRUE(tick(&self->pmu, 1));
		other += rounds % 8 == 7;
		for (g = 0, more = 0; g < GROUPS; g++) {
			ASSERT_TRUE(group_values(fd[g], MEMBERS, &v));
			now = v.m[0].value;
			for (i = 1; i < MEMBERS; i++)
				ASSERT_EQ(now, v.m[i].value);
			more += now - ticks[g];
			ticks[g] = now;
		}
		ASSERT_EQ(rounds % 8 != 7, more);
		ASSERT_TRUE(group_values(odd, NR, &v));
		ASSERT_TRUE(shows(&v, other));
	}
	EXPECT_LE(EACH, ticks[0]);
	EXPECT_LE(EACH, ticks[1]);
	for (g = 0; g < GROUPS; g++) {
		ASSERT_TRUE(group_values(fd[g], MEMBERS, &v));
		EXPECT_LT(v.running, v.enabled);
		close(fd[g]);
	}
	close(odd);
}

/* ---- A task that moves between the kinds ---- */

/* What groups of one task, one for each kind, must have counted. */
struct pair {
	int fd[KINDS];
	uint64_t ticks[KINDS];
};

static void pair_open(struct __test_metadata *_metadata, int dev, struct ask *ask,
		      const struct perf_event_attr attr[KINDS][NR], struct pair *pair)
{
	int k;

	memset(pair, 0, sizeof(*pair));
	for (k = 0; k < KINDS; k++) {
		ask->nr = NR;
		ask->attr = attr[k];
		pair->fd[k] = ask_group(dev, ask);
		ASSERT_GE(pair->fd[k], 0);
	}
}

static void pair_close(struct pair *pair)
{
	close(pair->fd[0]);
	close(pair->fd[1]);
}

static void pair_values(struct __test_metadata *_metadata, const struct pair *pair,
			struct group_values *v)
{
	int k;

	for (k = 0; k < KINDS; k++) {
		ASSERT_TRUE(group_values(pair->fd[k], NR, &v[k]));
		ASSERT_TRUE(shows(&v[k], pair->ticks[k])) {
			TH_LOG("kind %d: %llu, not %llu ticks", k,
			       (unsigned long long)v[k].m[0].value / rate(0),
			       (unsigned long long)pair->ticks[k]);
		}
	}
}

/* This task goes to a CPU and has time pass there. */
static void pair_tick(struct __test_metadata *_metadata, const struct testpmu *pmu,
		      struct pair *pair, int cpu, unsigned int ticks)
{
	struct group_values v[KINDS], w[KINDS];
	uint64_t enabled, running;
	int k;

	ASSERT_TRUE(stay_on(cpu));
	pair_values(_metadata, pair, v);
	ASSERT_TRUE(tick(pmu, ticks));
	pair->ticks[cpu % 2] += ticks;
	pair_values(_metadata, pair, w);
	for (k = 0; k < KINDS; k++) {
		enabled = w[k].enabled - v[k].enabled;
		running = w[k].running - v[k].running;
		EXPECT_LT(0, enabled);
		/* All of the time on CPUs of its kind, and none on the others. */
		EXPECT_EQ(cpu % 2 == k ? enabled : 0, running);
	}
}

TEST_F(hybrid, a_task_counts_in_the_group_of_each_kind)
{
	struct rng rng = { .state = mix(SEED) };
	struct ask ask = {};
	struct pair pair;
	int i;

	pair_open(_metadata, self->dev, &ask, self->attr, &pair);
	for (i = 0; i < 8; i++)
		pair_tick(_metadata, &self->pmu, &pair, i % self->cpus, i + 1);
	for (i = 0; i < MOVES; i++)
		pair_tick(_metadata, &self->pmu, &pair, below(&rng, self->cpus),
			  1 + below(&rng, 10));
	EXPECT_LT(0, pair.ticks[0]);
	EXPECT_LT(0, pair.ticks[1]);
	pair_close(&pair);
}

/* Made while it runs on the other kind, disabled and enabled there. */
TEST_F(hybrid, a_group_of_the_other_kind_is_controlled)
{
	struct ask ask = {};
	struct pair pair;
	struct group_values v, w;

	ASSERT_TRUE(stay_on(1));
	pair_open(_metadata, self->dev, &ask, self->attr, &pair);
	pair_tick(_metadata, &self->pmu, &pair, 1, 4);
	ASSERT_EQ(0, ioctl(pair.fd[0], PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_TRUE(stay_on(0));
	ASSERT_TRUE(tick(&self->pmu, 100));
	ASSERT_TRUE(group_values(pair.fd[0], NR, &v));
	EXPECT_TRUE(shows(&v, 0));
	ASSERT_TRUE(stay_on(1));
	ASSERT_EQ(0, ioctl(pair.fd[0], PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_TRUE(group_values(pair.fd[0], NR, &v));
	spin_ns(NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(pair.fd[0], NR, &w));
	EXPECT_EQ(v.running, w.running);
	EXPECT_LE(NSEC_PER_MSEC, w.enabled - v.enabled);
	pair_tick(_metadata, &self->pmu, &pair, 0, 5);
	pair_tick(_metadata, &self->pmu, &pair, 1, 6);
	pair_close(&pair);
}

struct worker {
	const struct testpmu *pmu;
	int cpu;
	unsigned int ticks;
	bool ok;
};

static void *work(void *arg)
{
	struct worker *worker = arg;

	worker->ok = stay_on(worker->cpu) &&
		     tick_cpu(worker->pmu, worker->ticks, worker->cpu);
	return NULL;
}

/* Threads on both kinds, one after the other: the sum of each kind's. */
TEST_F(hybrid, threads_count_in_the_group_of_their_kind)
{
	static const struct {
		uint32_t type;
		uint64_t flags;
	} target[] = {
		{ PMCGRP_TARGET_PROCESS, 0 },
		{ PMCGRP_TARGET_TASK, PMCGRP_CREATE_INHERIT },
	};
	struct group_values v;
	pthread_t thread;
	struct pair pair;
	int t, i, k;

	for (t = 0; t < 2; t++) {
		struct ask ask = { .target_type = target[t].type, .flags = target[t].flags };

		ASSERT_TRUE(stay_on(0));
		pair_open(_metadata, self->dev, &ask, self->attr, &pair);
		for (i = 0; i < 12; i++) {
			struct worker worker = { .pmu = &self->pmu, .cpu = i % self->cpus,
						 .ticks = 1 + i };

			/* This one is elsewhere, and no time passes there. */
			ASSERT_TRUE(stay_on((i + 1) % self->cpus));
			ASSERT_EQ(0, pthread_create(&thread, NULL, work, &worker));
			ASSERT_EQ(0, pthread_join(thread, NULL));
			ASSERT_TRUE(worker.ok);
			pair.ticks[worker.cpu % 2] += worker.ticks;
		}
		for (k = 0; k < KINDS; k++) {
			ASSERT_TRUE(group_values(pair.fd[k], NR, &v));
			EXPECT_TRUE(shows(&v, pair.ticks[k]));
			EXPECT_LT(0, v.running);
			EXPECT_LT(v.running, v.enabled);
		}
		pair_close(&pair);
	}
}

/* perf's own events of the task show the same. */
TEST_F(hybrid, the_same_as_perf)
{
	struct ask ask = {};
	struct pair pair;
	uint64_t value;
	int perf[KINDS], k, i;

	for (k = 0; k < KINDS; k++) {
		perf[k] = perf_open(&self->attr[k][0], 0, -1, -1);
		ASSERT_GE(perf[k], 0);
	}
	pair_open(_metadata, self->dev, &ask, self->attr, &pair);
	for (i = 0; i < 40; i++)
		pair_tick(_metadata, &self->pmu, &pair, i * 7 % self->cpus, 1 + i % 5);
	for (k = 0; k < KINDS; k++) {
		ASSERT_EQ(sizeof(value), read(perf[k], &value, sizeof(value)));
		EXPECT_EQ(pair.ticks[k] * rate(0), value);
		close(perf[k]);
	}
	pair_close(&pair);
}

TEST_HARNESS_MAIN
