// SPDX-License-Identifier: GPL-2.0-only
/*
 * Everything at once: several workers create, read, control and close groups of every
 * target. There are more groups than fit the PMU, tasks start and exit, and CPUs go
 * offline and come back.
 *
 * STORM_SECONDS and STORM_SEED in the environment are how long (5) and which (1).  For
 * ten minutes, once a test of that machine has run and so all are built:
 *
 *	selftests/vm/run x86_64-6.12 --testpmu --limit 1500 \
 *		--file build/selftests/x86_64/storm:/storm --sh 'STORM_SECONDS=600 /storm'
 *
 * Many groups and tasks: half a minute of the host's processor.
 * needs: testpmu=yes more=arm64-6.12
 */
#include "pmcgrp_testpmu.h"
#include "pmcgrp_after.h"
#include <sys/prctl.h>
#include <sys/resource.h>
#include "kselftest_harness.h"

#define WORKERS		4
#define SEATS		8	/* groups that a worker has */
#define KIDS		4
#define MEMBERS		5
#define KINDS		8	/* of hardware events */

/* What all of it comes to. */
static struct {
	int stop;
	unsigned long groups, away, reads, waited, lives, cycles;
	char found[128];	/* what must not be */
} *shared;

struct seat {
	int fd;			/* -1: there is none */
	unsigned int nr;
	struct group_values last;
};

struct worker {
	struct rng rng;
	int dev, cpus;
	unsigned int members;	/* of a group at most: there are counters for so many */
	bool arm;		/* there is a PMU */
	bool test;		/* there is the one for tests */
	struct testpmu pmu;
	struct seat seat[SEATS];
	pid_t kid[KIDS];
	pid_t peer[WORKERS];
};

static bool stopped(void)
{
	return __atomic_load_n(&shared->stop, __ATOMIC_RELAXED);
}

static void add(unsigned long *count)
{
	__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

static void found(const char *what, long a, long b)
{
	if (!__atomic_exchange_n(&shared->stop, 1, __ATOMIC_RELAXED))
		snprintf(shared->found, sizeof(shared->found), "%s: %ld, %ld", what, a, b);
}

/* ---- What a worker does ---- */

static struct perf_event_attr some_event(struct worker *w)
{
	static const uint64_t software[] = {
		PERF_COUNT_SW_TASK_CLOCK,
		PERF_COUNT_SW_PAGE_FAULTS,
		PERF_COUNT_SW_CONTEXT_SWITCHES,
		PERF_COUNT_SW_CPU_MIGRATIONS,
	};
	unsigned int kind = below(&w->rng, KINDS);

	if (w->test && chance(&w->rng, w->arm ? 30 : 70))
		return test_event(&w->pmu, kind, 1 + kind, kind % 2 ? PROGRAMMABLE : ANY_COUNTER);
	if (w->arm && chance(&w->rng, 80))
		return cycles_copy(kind);
	return sw(software[kind % ARRAY_SIZE(software)]);
}

static pid_t some_task(struct worker *w)
{
	pid_t tid = chance(&w->rng, 50) ? w->kid[below(&w->rng, KIDS)] :
					  w->peer[below(&w->rng, WORKERS)];

	return tid > 0 ? tid : 0;
}

static void close_seat(struct seat *seat)
{
	if (seat->fd >= 0)
		close(seat->fd);
	seat->fd = -1;
}

static void create(struct worker *w, struct seat *seat)
{
	struct perf_event_attr attr[MEMBERS];
	struct ask ask = { .target_type = below(&w->rng, PMCGRP_TARGET_ALL_CPUS + 1),
			   .nr = 1 + below(&w->rng, w->members), .attr = attr };
	bool task = ask.target_type == PMCGRP_TARGET_TASK ||
		    ask.target_type == PMCGRP_TARGET_PROCESS;
	unsigned int i;

	for (i = 0; i < ask.nr; i++)
		attr[i] = some_event(w);
	if (chance(&w->rng, 20))
		ask.flags |= PMCGRP_CREATE_DISABLED;
	if (task) {
		ask.target_id = some_task(w);
		if (chance(&w->rng, 50))
			ask.flags |= PMCGRP_CREATE_INHERIT;
	} else if (ask.target_type == PMCGRP_TARGET_CPU) {
		ask.target_id = below(&w->rng, w->cpus);
	} else if (ask.target_type == PMCGRP_TARGET_CPUS) {
		ask.cpus = 1 + below(&w->rng, (1ULL << w->cpus) - 1);
	}
	close_seat(seat);
	memset(&seat->last, 0, sizeof(seat->last));
	seat->nr = ask.nr;
	seat->fd = ask_group(w->dev, &ask);
	if (seat->fd >= 0)
		add(&shared->groups);
	else if (ask.create.why == (task ? PMCGRP_WHY_TASK_GONE : PMCGRP_WHY_CPU_OFFLINE))
		add(&shared->away);
	else
		found("errno and reason of a group that was not made", -seat->fd, ask.create.why);
}

static void check_read(struct seat *seat)
{
	struct group_values v;
	unsigned int i;

	if (!group_values(seat->fd, seat->nr, &v)) {
		found("a read of so many members, errno", seat->nr, errno);
		return;
	}
	if (v.running > v.enabled)
		found("enabled and running", v.enabled, v.running);
	if (v.enabled < seat->last.enabled || v.running < seat->last.running)
		found("enabled, running went backwards by", seat->last.enabled - v.enabled,
		      seat->last.running - v.running);
	for (i = 0; i < seat->nr; i++)
		if (v.m[i].value < seat->last.m[i].value)
			found("a count went backwards from, to", seat->last.m[i].value,
			      v.m[i].value);
	if (v.running - seat->last.running < v.enabled - seat->last.enabled)
		add(&shared->waited);
	seat->last = v;
	add(&shared->reads);
}

static void control_group(struct worker *w, struct seat *seat)
{
	static const unsigned long request[] = {
		PERF_EVENT_IOC_ENABLE,
		PERF_EVENT_IOC_DISABLE,
		PERF_EVENT_IOC_ENABLE,
		PERF_EVENT_IOC_RESET,
	};
	unsigned int i = below(&w->rng, ARRAY_SIZE(request));

	if (ioctl(seat->fd, request[i], 0))
		found("control, errno", i, errno);
	if (request[i] == PERF_EVENT_IOC_RESET)
		memset(seat->last.m, 0, sizeof(seat->last.m));
}

static void touch(void)
{
	volatile char *mem = fresh_pages(1);

	if (mem) {
		mem[0] = 1;
		munmap((void *)mem, sysconf(_SC_PAGESIZE));
	}
}

/* Some spin, some sleep, some end at once, and some have children. */
static void kid_main(unsigned int kind, int cpus)
{
	unsigned int round;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpriority(PRIO_PROCESS, 0, 15);
	for (round = 0; kind; round++) {
		touch();
		if (kind == 1)
			run_on(round % cpus);
		if (kind == 2)
			sleep_ns(NSEC_PER_MSEC);
		if (kind == 3 && !fork())
			_exit(0);
		if (kind == 3)
			wait(NULL);
		loop(10000);
	}
	_exit(0);
}

static void bear(struct worker *w)
{
	pid_t *kid = &w->kid[below(&w->rng, KIDS)];
	unsigned int kind = below(&w->rng, 4);

	if (*kid > 0 && !end_child(*kid))
		found("a child, errno", *kid, errno);
	*kid = fork();
	if (!*kid)
		kid_main(kind, w->cpus);
	add(&shared->lives);
}

static void pass_time(struct worker *w)
{
	uint64_t us = 1 + below(&w->rng, 5000);

	touch();
	if (w->test)
		tick_cpu(&w->pmu, 1, below(&w->rng, w->cpus));
	if (chance(&w->rng, 50))
		spin_ns(us * 1000);
	else
		sleep_ns(us * 1000);
}

static void step(struct worker *w)
{
	struct seat *seat = &w->seat[below(&w->rng, SEATS)];
	unsigned int what = below(&w->rng, 100);

	if (what < 3)
		bear(w);
	else if (what < 8)
		pass_time(w);
	else if (what < 12)
		run_on(below(&w->rng, w->cpus));	/* if it is there */
	else if (what < 14)
		close_seat(seat);
	else if (what < 22 || seat->fd < 0)
		create(w, seat);
	else if (what < 27)
		control_group(w, seat);
	else
		check_read(seat);
}

static void work(struct worker *w, unsigned int index, uint64_t seed)
{
	int before = nr_descriptors(), after, i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	w->rng.state = mix(mix(seed) ^ index) | 1;
	for (i = 0; i < SEATS; i++)
		w->seat[i].fd = -1;
	while (!stopped())
		step(w);
	for (i = 0; i < SEATS; i++)
		close_seat(&w->seat[i]);
	for (i = 0; i < KIDS; i++)
		if (w->kid[i] > 0)
			end_child(w->kid[i]);
	after = nr_descriptors();
	if (after != before)
		found("descriptors before and after", before, after);
	_exit(0);
}

/* CPUs go offline and come back; the first stays online. */
static void weather(int cpus, uint64_t seed)
{
	struct rng rng = { .state = mix(~seed) | 1 };
	int cpu;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!stopped() && cpus > 1) {
		cpu = 1 + below(&rng, cpus - 1);
		if (!set_online(cpu, false))
			found("CPU does not go, errno", cpu, errno);
		sleep_ns(below(&rng, 20) * NSEC_PER_MSEC);
		if (chance(&rng, 30))	/* and another one meanwhile */
			set_online(1 + below(&rng, cpus - 1), false);
		for (cpu = 1; cpu < cpus; cpu++)
			set_online(cpu, true);
		add(&shared->cycles);
		sleep_ns(below(&rng, 20) * NSEC_PER_MSEC);
	}
	_exit(0);
}

/* ---- The storm ---- */

static uint64_t environment(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : otherwise;
}

FIXTURE(storm)
{
	int dev;
};

FIXTURE_SETUP(storm)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
}

FIXTURE_TEARDOWN(storm)
{
	close(self->dev);
}

/* The harness's time limit is for nothing here: it may be asked to run for hours. */
TEST_F_TIMEOUT(storm, all_at_once, 24 * 3600)
{
	uint64_t seconds = environment("STORM_SECONDS", 5), seed = environment("STORM_SEED", 1);
	struct worker w = { .dev = self->dev, .cpus = sysconf(_SC_NPROCESSORS_CONF),
			    .arm = have_cycles(), .members = MEMBERS };
	pid_t sky;
	long refs;
	int i, status;

	shared = shared_memory(sizeof(*shared));
	ASSERT_NE(NULL, shared);
	w.test = testpmu_open(&w.pmu);
	if (w.arm && counters_of_pmu() < MEMBERS)
		w.members = counters_of_pmu();
	refs = module_refs();
	for (i = 0; i < WORKERS; i++) {
		w.peer[i] = fork();
		ASSERT_GE(w.peer[i], 0);
		if (!w.peer[i])
			work(&w, i, seed);
	}
	sky = fork();
	ASSERT_GE(sky, 0);
	if (!sky)
		weather(w.cpus, seed);
	for (seconds = now_ns() + seconds * NSEC_PER_SEC; now_ns() < seconds && !stopped();)
		sleep_ns(100 * NSEC_PER_MSEC);
	__atomic_store_n(&shared->stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < WORKERS; i++) {
		ASSERT_EQ(w.peer[i], waitpid(w.peer[i], &status, 0));
		EXPECT_EQ(0, status);
	}
	ASSERT_EQ(sky, waitpid(sky, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_STREQ("", shared->found);

	tell_count("storm", shared->groups, "groups");
	tell_count("storm", shared->reads, "reads");
	tell_count("storm", shared->lives, "lives");
	tell_count("storm", shared->cycles, "cycles");
	TH_LOG("seed %llu: %lu reads of groups that had waited, %lu targets were gone",
	       (unsigned long long)seed, shared->waited, shared->away);
	EXPECT_GT(shared->groups, 0);
	EXPECT_GT(shared->reads, 0);
	EXPECT_TRUE(refs_return_to(refs));
	EXPECT_TRUE(usable(w.dev, sw(PERF_COUNT_SW_CPU_CLOCK)));
	if (w.arm)
		EXPECT_TRUE(usable(w.dev, hw(PERF_COUNT_HW_CPU_CYCLES)));
	if (w.test)
		EXPECT_EQ(w.pmu.faults, testpmu_faults());
}

TEST_HARNESS_MAIN
