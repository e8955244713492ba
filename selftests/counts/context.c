// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many groups of one task, no two with the same events, which are in one context. All are
 * multiplexed, also sets that a context switch does not visit while they wait, and whose
 * time_enabled goes on. What is done to the groups while the task runs and migrates has the same
 * results as with one group.
 */
#include "pmcgrp_after.h"
#include "pmcgrp_apart.h"
#include "pmcgrp_ring.h"
#include "kselftest_harness.h"

#define NR_OTHERWISE	4	/* members of a group where there are no counters */
#define MANY	60
#define FEW	12	/* more than are tried at each switch to the task */
#define MUX_INTERVAL	(4 * NSEC_PER_MSEC)	/* the module's mux_interval_ms */

/*
 * Members of a group. With a PMU two such groups do not fit at a time. Computed once, while all
 * counters are free.
 */
static unsigned int nr;

FIXTURE(context)
{
	int dev;
	long refs;
};

FIXTURE_SETUP(context)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->refs = module_refs();
	nr = have_cycles() ? more_than_half() : NR_OTHERWISE;
}

FIXTURE_TEARDOWN(context)
{
	EXPECT_TRUE(refs_return_to(self->refs));
	close(self->dev);
}

/* Makes the k-th arrangement of the first events out of all of them. */
static void arrange(struct perf_event_attr *attr, unsigned int first, unsigned int all,
		    unsigned int k)
{
	struct perf_event_attr moved;
	unsigned int i, j;

	for (i = 0; i < first && i < all - 1; k /= all - i, i++) {
		j = i + k % (all - i);
		moved = attr[i];
		attr[i] = attr[j];
		attr[j] = moved;
	}
}

/*
 * The k-th set of nr events: counters of cycles of its own; or, without a PMU, software events,
 * of which all fit at any time, in an order of its own (of one PMU's, for order is kept there).
 */
static void set_of(struct perf_event_attr *attr, unsigned int k)
{
	struct perf_event_attr software[] = {
		sw(PERF_COUNT_SW_PAGE_FAULTS),	   sw(PERF_COUNT_SW_CONTEXT_SWITCHES),
		sw(PERF_COUNT_SW_CPU_MIGRATIONS),  sw(PERF_COUNT_SW_PAGE_FAULTS_MIN),
		sw(PERF_COUNT_SW_PAGE_FAULTS_MAJ), sw(PERF_COUNT_SW_ALIGNMENT_FAULTS),
	};
	unsigned int i;

	arrange(software, NR_OTHERWISE, ARRAY_SIZE(software), k);
	for (i = 0; i < nr; i++)
		attr[i] = have_cycles() ? cycles_copy(COUNTERS_MOST * k + i) : software[i];
}

static int group_of_set(int dev, pid_t tid, unsigned int k, uint64_t flags)
{
	struct perf_event_attr attr[COUNTERS_MOST];

	set_of(attr, k);
	return group_of_task(dev, tid, nr, attr, flags);
}

/* Opens groups, each with its own set, from a number on. */
static bool open_from(int *fd, unsigned int k, unsigned int nr, int dev, pid_t tid, uint64_t flags)
{
	bool good = true;

	for (; k < nr; k++) {
		fd[k] = group_of_set(dev, tid, k, flags);
		good &= fd[k] >= 0;
	}
	return good;
}

static bool open_all(int *fd, unsigned int nr, int dev, pid_t tid, uint64_t flags)
{
	return open_from(fd, 0, nr, dev, tid, flags);
}

static bool control_all(const int *fd, unsigned int nr, unsigned int cmd)
{
	bool good = true;
	unsigned int k;

	for (k = 0; k < nr; k++)
		good &= !ioctl(fd[k], cmd, 0);
	return good;
}

static void close_all(const int *fd, unsigned int nr)
{
	while (nr--)
		close(fd[nr]);
}

/* perf core holds the module for each carrier event: a probe follows the task instead. */
TEST_F(context, no_carrier_events)
{
	int fd[MANY];
	long one;

	ASSERT_TRUE(open_all(fd, 1, self->dev, 0, 0));
	one = module_refs();
	ASSERT_TRUE(open_from(fd, 1, MANY, self->dev, 0, 0));
	EXPECT_EQ(one + MANY - 1, module_refs());	/* the files */
	close_all(fd + 1, MANY - 1);
	EXPECT_EQ(one, module_refs());
	ASSERT_TRUE(open_from(fd, 1, MANY, self->dev, 0, 0));
	/* the first group is closed: later groups share the context */
	close(fd[0]);
	EXPECT_EQ(one + MANY - 2, module_refs());
	ASSERT_TRUE(open_all(fd, 1, self->dev, 0, 0));
	EXPECT_EQ(one + MANY - 1, module_refs());
	close_all(fd, MANY);
}

TEST_F(context, all_are_multiplexed)
{
	uint64_t least = UINT64_MAX, most = 0, all = 0, cycles = 0;
	double worst = 100;
	struct group_values v;
	int fd[MANY], k;

	if (!deterministic() || !have_cycles())
		SKIP(return, "shares of time need counters and a deterministic guest");
	/* A kprobe that earlier groups needed is disarmed by then: on x86 that takes 12 ms. */
	sleep_ns(3 * NSEC_PER_SEC);
	apart_by_hold();	/* found out while there are counters left */
	ASSERT_TRUE(open_all(fd, MANY, self->dev, 0, PMCGRP_CREATE_DISABLED));
	ASSERT_TRUE(control_all(fd, MANY, PERF_EVENT_IOC_ENABLE));
	/* the PMU is held whenever one more set is tried */
	for (k = 0; k < MANY; k++)
		ASSERT_EQ(0, ioctl(fd[k], PERF_EVENT_IOC_RESET, PMCGRP_IOC_FLAG_TIMES));
	spin_ns(5 * MANY * MUX_INTERVAL);
	for (k = 0; k < MANY; k++) {
		ASSERT_TRUE(group_values(fd[k], nr, &v));
		least = v.running < least ? v.running : least;
		most = v.running > most ? v.running : most;
		all += v.running;
		/* less the time to schedule in, when the CPU has run another task */
		EXPECT_GT(v.enabled, 5 * MANY * MUX_INTERVAL - MUX_INTERVAL);
		EXPECT_LT(v.enabled, 5 * MANY * MUX_INTERVAL + MUX_INTERVAL);
		EXPECT_TRUE(members_together(&v, nr, 0));
		/* Its clock is read after its counter, at both ends, within some instructions. */
		EXPECT_GE(v.running + 1000, v.m[0].value);
		cycles += v.m[0].value;
		if (worst > 100.0 * v.m[0].value / v.running)
			worst = 100.0 * v.m[0].value / v.running;
	}
	TH_LOG("%d groups, five intervals each: %llu to %llu us, %.2f %% of the time", MANY,
	       (unsigned long long)least / 1000, (unsigned long long)most / 1000,
	       100.0 * all / (5 * MANY * MUX_INTERVAL));
	TH_LOG("cycles: %.2f %% of that, of one group %.2f %%", 100.0 * cycles / all, worst);
	EXPECT_GT(least, 3 * MUX_INTERVAL);
	EXPECT_LT(most, 7 * MUX_INTERVAL);
	EXPECT_GT(all, 5 * MANY * MUX_INTERVAL / 100 * 97);
	/*
	 * Cycles are nanoseconds here, but the PMU is held while other sets are tried: 0.5 % of the
	 * time for each counter of a set.
	 */
	EXPECT_GT(cycles, all / 100 * 96);
	close_all(fd, MANY);
}

#define ORDERED	4	/* every PMU has so many counters */

/* Opens a group with the k-th of 24 orders of the same four events: 24 sets that fit at once. */
static int group_of_order(int dev, unsigned int k)
{
	struct perf_event_attr attr[ORDERED];
	unsigned int i;

	for (i = 0; i < ORDERED; i++)
		attr[i] = cycles_copy(i);
	arrange(attr, ORDERED, ORDERED, k);
	return group_of(dev, ORDERED, attr, 0);
}

/* Sets that wait only for perf events are all scheduled together if they fit together. */
TEST_F(context, all_that_fit_count_with_perf)
{
	uint64_t least = UINT64_MAX, most = 0;
	struct group_values v, w;
	/* with the four, one more than there are counters */
	int fd[24], perf[COUNTERS_MOST], nr_perf = counters() - ORDERED + 1, k;

	if (!deterministic() || !have_cycles())
		SKIP(return, "shares of time need counters and a deterministic guest");
	for (k = 0; k < 24; k++) {
		fd[k] = group_of_order(self->dev, k);
		ASSERT_GE(fd[k], 0);
	}
	spin_ns(10 * MUX_INTERVAL);
	for (k = 0; k < 24; k++) {
		ASSERT_TRUE(group_values(fd[k], ORDERED, &v));
		EXPECT_EQ(v.enabled, v.running);
	}
	for (k = 0; k < nr_perf; k++) {
		struct perf_event_attr attr = cycles_copy(100 + k);

		attr.read_format = FORMAT;
		perf[k] = perf_open(&attr, 0, -1, k ? perf[0] : -1);
		ASSERT_GE(perf[k], 0);
	}
	spin_ns(200 * MUX_INTERVAL);
	for (k = 0; k < 24; k++) {
		ASSERT_TRUE(group_values(fd[k], ORDERED, &v));
		least = v.running < least ? v.running : least;
		most = v.running > most ? v.running : most;
	}
	ASSERT_TRUE(group_values(perf[0], nr_perf, &w));
	TH_LOG("24 groups: %llu to %llu us of 840000, perf %llu us",
	       (unsigned long long)least / 1000, (unsigned long long)most / 1000,
	       (unsigned long long)w.running / 1000);
	EXPECT_GT(least, 60 * MUX_INTERVAL);
	EXPECT_LT(most - least, 4 * MUX_INTERVAL);
	EXPECT_GT(w.running, 60 * MUX_INTERVAL);
	close_all(fd, 24);
	close_all(perf, nr_perf);
}

/* The task sleeps before any tick comes: the sets rotate after each 4 ms of run time. */
TEST_F(context, short_runs)
{
	struct group_values v;
	int fd[MANY], k, ran = 0;
	uint64_t most = 0;

	if (!deterministic() || !have_cycles())
		SKIP(return, "shares of time need counters and a deterministic guest");
	ASSERT_TRUE(open_all(fd, MANY, self->dev, 0, 0));
	for (k = 0; k < 3 * 4 * MANY; k++) {
		spin_ns(NSEC_PER_MSEC);
		sleep_ns(NSEC_PER_MSEC / 2);
	}
	for (k = 0; k < MANY; k++) {
		ASSERT_TRUE(group_values(fd[k], nr, &v));
		ran += v.running > 0;
		most = v.running > most ? v.running : most;
	}
	TH_LOG("%d of %d have counted, for %llu us at most", ran, MANY,
	       (unsigned long long)most / 1000);
	EXPECT_EQ(MANY, ran);
	EXPECT_LT(most, 9 * MUX_INTERVAL);
	close_all(fd, MANY);
}

/* time_enabled of a waiting group goes on, and stops when the group is disabled. */
TEST_F(context, times_go_on)
{
	struct group_values v, w, away;
	uint64_t before, from, to, after;
	int fd[MANY], k;

	ASSERT_TRUE(open_all(fd, MANY, self->dev, 0, 0));
	spin_ns(10 * MUX_INTERVAL);
	for (k = 0; k < MANY; k++) {
		before = now_ns();
		ASSERT_TRUE(group_values(fd[k], nr, &v));
		from = now_ns();
		spin_ns(NSEC_PER_MSEC);
		to = now_ns();
		ASSERT_TRUE(group_values(fd[k], nr, &w));
		after = now_ns();
		EXPECT_TRUE(group_follows(&v, &w, nr));
		EXPECT_GT(w.enabled - v.enabled, NSEC_PER_MSEC / 2);
		/* not while it sleeps */
		sleep_ns(4 * NSEC_PER_MSEC);
		ASSERT_TRUE(group_values(fd[k], nr, &away));
		if (deterministic()) {
			EXPECT_GT(w.enabled - v.enabled, to - from - NSEC_PER_MSEC / 4);
			EXPECT_LE(w.enabled - v.enabled, after - before);
			EXPECT_LT(away.enabled - w.enabled, NSEC_PER_MSEC);
		}
		ASSERT_EQ(0, ioctl(fd[k], PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_TRUE(group_values(fd[k], nr, &v));
		spin_ns(NSEC_PER_MSEC);
		ASSERT_TRUE(group_values(fd[k], nr, &w));
		EXPECT_TRUE(group_same(&v, &w, nr));
	}
	close_all(fd, MANY);
}

/* A waiting group reports that it waits, and for which group. */
TEST_F(context, info)
{
	unsigned int waiting = 0, running = 0, k;
	struct pmcgrp_info_cpu cpu[COUNTERS_MOST];
	struct pmcgrp_info info;
	int fd[MANY];

	if (!have_cycles())
		SKIP(return, "without a PMU no group waits");
	ASSERT_TRUE(open_all(fd, MANY, self->dev, 0, 0));
	spin_ns(10 * MUX_INTERVAL);
	for (k = 0; k < MANY; k++) {
		ASSERT_EQ(0, group_info(fd[k], 0, &info, cpu, nr));
		EXPECT_EQ(1, info.nr_targets);
		if (cpu[0].state == PMCGRP_STATE_RUNNING) {
			running++;
			continue;
		}
		EXPECT_EQ(PMCGRP_STATE_WAITING, cpu[0].state);
		EXPECT_EQ(PMCGRP_WHY_BUSY_PMCGRP, cpu[0].why);
		EXPECT_NE(0, cpu[0].blocked_by);
		EXPECT_LT(0, info.time_enabled);
		waiting++;
	}
	TH_LOG("%u wait, %u run", waiting, running);
	EXPECT_LT(MANY / 2, waiting);
	close_all(fd, MANY);
}

/* Sets that rest are tried as soon as another one leaves its counters, not at the next rotation. */
TEST_F(context, none_rests_beside_free_counters)
{
	struct pmcgrp_info_cpu cpu[COUNTERS_MOST];
	struct pmcgrp_info info;
	unsigned int left, k, tries;
	bool off[FEW] = {};
	int fd[FEW];

	/* All are asked within an interval: one rotation at most comes between two questions. */
	if (!have_cycles() || slow_kernel())
		SKIP(return, "needs counters, and a kernel that answers soon");
	ASSERT_TRUE(open_all(fd, FEW, self->dev, 0, 0));
	spin_ns(3 * MUX_INTERVAL);
	for (left = FEW; left; left--) {
		for (tries = 0; tries < 2 * FEW; tries++) {
			k = tries % FEW;
			if (off[k])
				continue;
			ASSERT_EQ(0, group_info(fd[k], 0, &info, cpu, nr));
			if (cpu[0].state == PMCGRP_STATE_RUNNING)
				break;
		}
		ASSERT_GT(2 * FEW, tries) {
			TH_LOG("none of %u groups runs", left);
		}
		ASSERT_EQ(0, ioctl(fd[k], PERF_EVENT_IOC_DISABLE, 0));
		off[k] = true;
	}
	close_all(fd, FEW);
}

/* Events of the scheduler that happen while the task is switched to or from count as in perf. */
TEST_F(context, scheduler_events)
{
	const struct perf_event_attr attr[] = {
		sw(PERF_COUNT_SW_CONTEXT_SWITCHES),
		sw(PERF_COUNT_SW_CPU_MIGRATIONS),
		sw(PERF_COUNT_SW_PAGE_FAULTS),
	};
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), go[2], done[2], fd, perf[ARRAY_SIZE(attr)], i;
	struct group_values v;
	uint64_t value;
	pid_t pid;
	char c;

	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pipe(done));
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		if (read(go[0], &c, 1) != 1)
			_exit(1);
		for (i = 0; i < 100; i++) {
			run_on(i % cpus);
			sleep_ns(100 * 1000);
		}
		if (write(done[1], "x", 1) == 1)
			pause();
		_exit(1);
	}
	ASSERT_TRUE(wait_until_asleep(pid));
	fd = group_of_task(self->dev, pid, ARRAY_SIZE(attr), attr, 0);
	ASSERT_GE(fd, 0);
	for (i = 0; i < (int)ARRAY_SIZE(attr); i++) {
		perf[i] = perf_open(&attr[i], pid, -1, -1);
		ASSERT_GE(perf[i], 0);
	}
	ASSERT_EQ(1, write(go[1], "x", 1));
	ASSERT_EQ(1, read(done[0], &c, 1));
	ASSERT_TRUE(wait_until_asleep(pid));
	ASSERT_TRUE(group_values(fd, ARRAY_SIZE(attr), &v));
	for (i = 0; i < (int)ARRAY_SIZE(attr); i++) {
		ASSERT_EQ(sizeof(value), read(perf[i], &value, sizeof(value)));
		EXPECT_EQ(value, v.m[i].value) {
			TH_LOG("member %d", i);
		}
		close(perf[i]);
	}
	EXPECT_LE(100, v.m[0].value);
	ASSERT_TRUE(end_child(pid));
	close(fd);
}

/* A group with a ring gets a carrier event of its own, and keeps its counts. */
TEST_F(context, a_ring)
{
	struct group_values v, w;
	union record record;
	struct ring ring;
	int fd[MANY];
	long before;

	ASSERT_TRUE(open_all(fd, MANY, self->dev, 0, 0));
	spin_ns(10 * MUX_INTERVAL);
	ASSERT_TRUE(group_values(fd[MANY - 1], nr, &v));
	before = module_refs();
	ASSERT_TRUE(ring_ready(fd[MANY - 1], 1, &ring));
	EXPECT_EQ(before + 1, module_refs());
	ASSERT_EQ(1, sample_now(fd[MANY - 1], 0));
	ASSERT_TRUE(group_values(fd[MANY - 1], nr, &w));
	EXPECT_TRUE(group_follows(&v, &w, nr));
	EXPECT_LT(v.enabled, w.enabled);
	ASSERT_EQ(1, ring_next(&ring, &record));
	EXPECT_LE(v.m[0].value, record.sample.read.m[0].value);
	EXPECT_GE(w.m[0].value, record.sample.read.m[0].value);
	ring_unmap(&ring);
	close_all(fd, MANY);
}

TEST_F(context, the_target_has_gone)
{
	struct group_values v[MANY], w;
	struct pmcgrp_ring_setup setup;
	pid_t pid = spinner(-1);
	int fd[MANY], k;

	ASSERT_GT(pid, 0);
	ASSERT_TRUE(open_all(fd, MANY, self->dev, pid, 0));
	sleep_ns(20 * NSEC_PER_MSEC);
	ASSERT_TRUE(end_child(pid));
	for (k = 0; k < MANY; k++) {
		ASSERT_TRUE(group_values(fd[k], nr, &v[k]));
		EXPECT_LT(0, v[k].enabled);
	}
	EXPECT_EQ(-ESRCH, setup_ring(fd[MANY - 1], 0, PERF_SAMPLE_READ, 0, &setup));
	EXPECT_EQ(PMCGRP_WHY_TASK_GONE, setup.why);
	ASSERT_TRUE(control_all(fd, MANY, PERF_EVENT_IOC_DISABLE));
	ASSERT_TRUE(control_all(fd, MANY, PERF_EVENT_IOC_ENABLE));
	for (k = 0; k < MANY; k++) {
		ASSERT_TRUE(group_values(fd[k], nr, &w));
		EXPECT_TRUE(group_same(&v[k], &w, nr));
	}
	close_all(fd, MANY);
}

/* A task that migrates all the time. */
static pid_t wanderer(void)
{
	unsigned int cpus = sysconf(_SC_NPROCESSORS_ONLN), cpu = 0;
	pid_t pid = fork();

	while (!pid) {
		run_on(cpu++ % cpus);
		spin_ns(NSEC_PER_MSEC / 4);
		if (!(cpu % 7))
			sleep_ns(NSEC_PER_MSEC / 8);
	}
	return pid;
}

/* Does one random operation to a group; false: its counts cannot be right. */
static bool step(int dev, pid_t pid, int *fd, struct group_values *last, struct rng *rng)
{
	uint64_t flags = chance(rng, 30) ? PMCGRP_CREATE_DISABLED : 0;
	struct group_values v;

	switch (below(rng, 8)) {
	case 0:
		close(*fd);
		*fd = group_of_set(dev, pid, below(rng, MANY), flags);
		*last = (struct group_values){};
		break;
	case 1:
	case 2:
		if (ioctl(*fd, PERF_EVENT_IOC_DISABLE, 0))
			return false;
		break;
	case 3:
	case 4:
		if (ioctl(*fd, PERF_EVENT_IOC_ENABLE, 0))
			return false;
		break;
	}
	if (!group_values(*fd, nr, &v) || !group_follows(last, &v, nr))
		return false;
	*last = v;
	return true;
}

TEST_F_TIMEOUT(context, a_target_that_moves, 300)
{
	struct group_values last[MANY] = {};
	struct rng rng = { .state = 11 };
	pid_t pid = wanderer();
	unsigned int n, k = 0;
	bool good = true;
	int fd[MANY];

	host_can_stop();	/* found out while there are counters left */
	ASSERT_GT(pid, 0);
	ASSERT_TRUE(open_all(fd, MANY, self->dev, pid, 0));
	for (n = 0; n < 4000 && good; n++) {
		k = below(&rng, MANY);
		good = step(self->dev, pid, &fd[k], &last[k], &rng);
	}
	EXPECT_TRUE(good) {
		TH_LOG("step %u, group %u: %s", n, k, strerror(errno));
	}
	ASSERT_TRUE(end_child(pid));
	close_all(fd, MANY);
}

TEST_HARNESS_MAIN
