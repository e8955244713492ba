// SPDX-License-Identifier: GPL-2.0-only
/*
 * Members with descriptors of their own, compared with perf: the same is done to a group of
 * perf_event_open(2) and to one of pmcgrp, with the same events and target. Everything that
 * their descriptors return is compared: exact counts, number and order of the members, and
 * which times go on.
 *
 * needs: timeout=600
 */
#include "pmcgrp_leader.h"
#include <stddef.h>
#include <sys/resource.h>
#include "kselftest_harness.h"

#define DESCRIPTORS	8	/* at most */
#define PAGES		30000	/* between two remaps */
#define LONG_RUNS	100
#define LONG_RUN	30	/* operations */

/* One of the two groups. */
struct side {
	bool perf;
	int fd[DESCRIPTORS];	/* the leader's first; -1: closed */
	uint64_t id[DESCRIPTORS];
};

/* What a read() gave. */
struct shown {
	ssize_t size;
	uint64_t nr;
	uint64_t lost;
	uint64_t value[DESCRIPTORS];
	uint64_t who[DESCRIPTORS];
	uint64_t enabled;
	uint64_t running;
};

/* Operations: on each descriptor, without and with FLAG_GROUP; and on the group. */
enum op {
	ENABLE,
	DISABLE,
	RESET,
	CLOSE,
	KINDS,
	ADD = 2 * KINDS,
	ADD_DISABLED,
	OPS
};

static int dev;
static uint32_t target_type;
static struct perf_event_attr events[DESCRIPTORS];
static uint64_t formats[DESCRIPTORS];
static struct side sides[2] = { { .perf = true } };
static unsigned int nr;			/* descriptors that there have been */
static volatile char *mem;
static unsigned int touched;
static char done[1024];			/* what was done so far, for people */
static int keep[3];
static int clock_fd;			/* shows the time that perf core has for this CPU */

static bool of_cpus(void)
{
	return target_type == PMCGRP_TARGET_CPU || target_type == PMCGRP_TARGET_ALL_CPUS;
}

/*
 * Events that are different to pmcgrp and count the same, and events that are equal.  On a
 * CPU only events that no other task causes, and only those of one PMU.
 */
static void choose_events(void)
{
	struct perf_event_attr faults = sw(PERF_COUNT_SW_PAGE_FAULTS), getsid = getsid_event();
	unsigned int i;

	if (!getsid.type)
		getsid = sw(PERF_COUNT_SW_PAGE_FAULTS_MIN);
	for (i = 0; i < DESCRIPTORS; i++) {
		events[i] = of_cpus() || i % 3 == 2 ? getsid : faults;
		events[i].exclude_hv = i & 1;
		events[i].exclude_idle = i == 5;
	}
}

static uint64_t perf_time(void)
{
	uint64_t word[2] = { 0 };

	return read(clock_fd, word, sizeof(word)) == sizeof(word) ? word[1] : 0;
}

/*
 * What every event counts once, or each page.  The time of perf core goes on meanwhile: where
 * the TSC counts as unstable, it stands still until the next tick once a virtual CPU was
 * stopped by the host for a tick (sched_clock_local(), kernel/sched/clock.c).
 */
static void work(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	uint64_t begun = perf_time();

	if (touched == PAGES) {
		madvise((void *)mem, PAGES * page, MADV_DONTNEED);
		touched = 0;
	}
	mem[page * touched++] = 1;
	getsid(0);
	do
		loop(200);
	while (perf_time() == begun);
}

static int side_open(struct side *side, unsigned int k, bool disabled)
{
	struct perf_event_attr attr = events[k];
	struct pmcgrp_add add;
	struct ask ask = {
		.target_type = target_type,
		.nr = 1,
		.attr = &attr,
		.read_format = formats[0],
		.flags = PMCGRP_CREATE_LEADER | (disabled ? PMCGRP_CREATE_DISABLED : 0),
	};
	int fd;

	if (side->perf) {
		attr.disabled = disabled;
		attr.read_format = formats[k];
		fd = perf_open(&attr, of_cpus() ? -1 : 0, of_cpus() ? 0 : -1,
			       k ? side->fd[0] : -1);
		if (fd >= 0 && ioctl(fd, PERF_EVENT_IOC_ID, &side->id[k]))
			return -errno;
		return fd;
	}
	if (k) {
		fd = ask_member(side->fd[0], &attr, disabled ? PMCGRP_ADD_DISABLED : 0,
				formats[k], &add);
		side->id[k] = add.id;
		return fd;
	}
	fd = ask_group(dev, &ask);
	if (fd >= 0 && !formats[0]) {	/* ask_group() takes 0 for FORMAT */
		close(fd);
		ask.create.read_format = 0;
		fd = ioctl(dev, PMCGRP_IOC_CREATE, &ask.create);
	}
	side->id[0] = ask.member[0].id;
	return fd;
}

static bool open_both(bool disabled)
{
	unsigned int k = nr++, i;

	for (i = 0; i < 2; i++) {
		sides[i].fd[k] = side_open(&sides[i], k, disabled);
		if (sides[i].fd[k] < 0) {
			printf("# %s: descriptor %u: errno %d\n", i ? "pmcgrp" : "perf", k,
			       -sides[i].fd[k]);
			return false;
		}
	}
	return true;
}

static void close_both(unsigned int k)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		if (sides[i].fd[k] >= 0)
			close(sides[i].fd[k]);
		sides[i].fd[k] = -1;
	}
}

static void close_all(void)
{
	while (nr)
		close_both(--nr);
}

static uint64_t whose(const struct side *side, uint64_t id)
{
	unsigned int k;

	for (k = 0; k < nr && side->id[k] != id; k++)
		;
	return k;
}

static void look(const struct side *side, unsigned int k, struct shown *shown)
{
	uint64_t word[3 + 3 * DESCRIPTORS], format = formats[k];
	bool whole = format & PERF_FORMAT_GROUP;
	unsigned int i, n = 0;

	memset(shown, 0, sizeof(*shown));
	shown->size = read(side->fd[k], word, sizeof(word));
	if (shown->size <= 0)
		return;
	shown->nr = whole ? word[n++] : 1;
	for (i = 0; i < shown->nr && i < DESCRIPTORS; i++) {
		if (!whole)
			shown->value[i] = word[n++];
		if (!i && format & PERF_FORMAT_TOTAL_TIME_ENABLED)
			shown->enabled = word[n++];
		if (!i && format & PERF_FORMAT_TOTAL_TIME_RUNNING)
			shown->running = word[n++];
		if (whole)
			shown->value[i] = word[n++];
		if (format & PERF_FORMAT_ID)
			shown->who[i] = whose(side, word[n++]);
		if (format & PERF_FORMAT_LOST)
			shown->lost += word[n++];
	}
}

/* All but the times. */
static bool same(const struct shown *a, const struct shown *b)
{
	return !memcmp(a, b, offsetof(struct shown, enabled));
}

static void tell(const char *what, const struct shown *s)
{
	unsigned int i;

	printf("#   %s: %zd bytes, nr %llu, times %llu %llu:", what, s->size,
	       (unsigned long long)s->nr, (unsigned long long)s->enabled,
	       (unsigned long long)s->running);
	for (i = 0; i < s->nr && i < DESCRIPTORS; i++)
		printf(" %llu (%llu)", (unsigned long long)s->value[i],
		       (unsigned long long)s->who[i]);
	printf("\n");
}

/*
 * perf puts members on the PMU that may now count (their leader was disabled and is
 * closed, or, from 6.2 on, they are of another PMU than their leader) only when it schedules the
 * next time.
 */
static void let_perf_schedule(void)
{
	struct rusage before, now;
	uint64_t ns = 1000;

	if (of_cpus()) {
		close(perf_open(&events[0], -1, 0, -1));
		return;
	}
	/* A sleep that is over before it has begun is no switch. */
	getrusage(RUSAGE_SELF, &before);
	do {
		sleep_ns(ns);
		ns *= 2;
		getrusage(RUSAGE_SELF, &now);
	} while (now.ru_nvcsw == before.ru_nvcsw);
}

/* Whether both return the same through every descriptor, and go on in the same way. */
static bool agree(void)
{
	static struct shown was[2][DESCRIPTORS], is[2][DESCRIPTORS];
	unsigned int i, k;
	bool ok;

	let_perf_schedule();
	for (k = 0; k < nr; k++)
		for (i = 0; i < 2; i++)
			look(&sides[i], k, &was[i][k]);
	work();
	for (k = 0; k < nr; k++)
		for (i = 0; i < 2; i++)
			look(&sides[i], k, &is[i][k]);
	for (k = 0; k < nr; k++) {
		ok = same(&was[0][k], &was[1][k]) && same(&is[0][k], &is[1][k]);
		ok &= (is[0][k].enabled > was[0][k].enabled) ==
		      (is[1][k].enabled > was[1][k].enabled);
		ok &= (is[0][k].running > was[0][k].running) ==
		      (is[1][k].running > was[1][k].running);
		if (ok)
			continue;
		printf("# descriptor %u, read_format 0x%llx, after %s\n", k,
		       (unsigned long long)formats[k], done);
		tell("perf was  ", &was[0][k]);
		tell("pmcgrp was", &was[1][k]);
		tell("perf is   ", &is[0][k]);
		tell("pmcgrp is ", &is[1][k]);
		return false;
	}
	return true;
}

static void note(const char *what, unsigned int k, bool whole)
{
	size_t n = strlen(done);

	snprintf(done + n, sizeof(done) - n, " %s %u%s", what, k, whole ? "+group" : "");
}

/* Whether it could be done at all. */
static bool operate(unsigned int op, unsigned int k)
{
	static const unsigned long cmds[] = { PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE,
					      PERF_EVENT_IOC_RESET };
	static const char *const names[] = { "enable", "disable", "reset", "close" };
	bool whole = op >= KINDS;
	int ret[2], i;

	if (op >= ADD) {
		if (sides[0].fd[0] < 0 || nr == DESCRIPTORS)
			return true;
		note(op == ADD ? "add" : "add disabled", nr, false);
		return open_both(op == ADD_DISABLED);
	}
	if (sides[0].fd[k] < 0)
		return true;
	op %= KINDS;
	note(names[op], k, whole);
	if (op == CLOSE) {
		close_both(k);
		return true;
	}
	for (i = 0; i < 2; i++)
		ret[i] = ioctl(sides[i].fd[k], cmds[op], whole ? PERF_IOC_FLAG_GROUP : 0);
	return !ret[0] && !ret[1];
}

/* A leader and two members, each enabled or not. */
static bool begin(unsigned int disabled)
{
	unsigned int k;

	close_all();
	snprintf(done, sizeof(done), "start 0x%x", disabled);
	for (k = 0; k < 3; k++)
		if (!open_both(disabled >> k & 1))
			return false;
	return agree();
}

static bool step(unsigned int op, unsigned int k)
{
	if (operate(op, k) && agree())
		return true;
	printf("# failed:%s\n", done);
	return false;
}

static void any_formats(struct rng *r)
{
	unsigned int k;

	for (k = 0; k < DESCRIPTORS; k++)
		formats[k] = chance(r, 50) ? FORMAT : below(r, 32);
}

FIXTURE(member_vs_perf)
{
	int unused;
};

FIXTURE_VARIANT(member_vs_perf)
{
	uint32_t target_type;
};

FIXTURE_VARIANT_ADD(member_vs_perf, task)
{
	.target_type = PMCGRP_TARGET_TASK,
};

FIXTURE_VARIANT_ADD(member_vs_perf, process)
{
	.target_type = PMCGRP_TARGET_PROCESS,
};

FIXTURE_VARIANT_ADD(member_vs_perf, cpu)
{
	.target_type = PMCGRP_TARGET_CPU,
};

FIXTURE_VARIANT_ADD(member_vs_perf, all_cpus)
{
	.target_type = PMCGRP_TARGET_ALL_CPUS,
};

FIXTURE_SETUP(member_vs_perf)
{
	struct perf_event_attr dummy = sw(PERF_COUNT_SW_DUMMY);
	unsigned int k;

	target_type = variant->target_type;
	if (!getsid_event().type && of_cpus())
		SKIP(return, "no tracepoints of system calls in this kernel");
	dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(dev, 0);
	ASSERT_TRUE(run_on(0));
	choose_events();
	/* With these open nothing is switched on or off each time in the kernel. */
	keep[0] = perf_open(&events[0], 0, -1, -1);
	keep[1] = perf_open(&events[2], 0, -1, -1);
	keep[2] = group_of(dev, DESCRIPTORS, events, PMCGRP_CREATE_DISABLED);
	for (k = 0; k < 3; k++)
		ASSERT_GE(keep[k], 0);
	dummy.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED;
	clock_fd = perf_open(&dummy, -1, 0, -1);
	ASSERT_GE(clock_fd, 0);
	/* Page faults: none but in fresh pages. */
	ASSERT_EQ(0, mlockall(MCL_CURRENT));
	mem = fresh_pages(PAGES);
	ASSERT_NE(NULL, mem);
	for (k = 0; k < DESCRIPTORS; k++)
		formats[k] = FORMAT;
	begin(0);
}

FIXTURE_TEARDOWN(member_vs_perf)
{
	unsigned int k;

	close_all();
	for (k = 0; k < 3; k++)
		close(keep[k]);
	close(clock_fd);
	close(dev);
}

/* By every read_format, of a group that counts, of one that is disabled, of singles. */
TEST_F_TIMEOUT(member_vs_perf, every_read_format, 120)
{
	unsigned int format, k;

	for (format = 0; format < 32; format++) {
		for (k = 0; k < DESCRIPTORS; k++)
			formats[k] = format;
		ASSERT_TRUE(begin(format & 7));
		ASSERT_TRUE(step(ENABLE + KINDS, 1));
		ASSERT_TRUE(step(DISABLE, 0));
		ASSERT_TRUE(step(CLOSE, 1));
		ASSERT_TRUE(step(CLOSE, 0));
	}
}

/* Any two operations one after the other, from every state that three members can have. */
TEST_F_TIMEOUT(member_vs_perf, every_two_operations, 600)
{
	unsigned int start, a, b, n = 0, one_in = rt_kernel() ? 16 : 16 / rounds_of(16, 1);

	/* Targets of several are several times one. */
	if (target_type == PMCGRP_TARGET_PROCESS || target_type == PMCGRP_TARGET_ALL_CPUS)
		one_in *= 4;
	for (start = 0; start < 8; start++) {
		for (a = 0; a < 3 * OPS; a++) {
			for (b = 0; b < 3 * OPS; b++) {
				/* what does not tell one descriptor from another: once */
				if ((a % OPS >= ADD && a / OPS) || (b % OPS >= ADD && b / OPS))
					continue;
				if ((a * 7 + b + start) % one_in)
					continue;
				ASSERT_TRUE(begin(start));
				ASSERT_TRUE(step(a % OPS, a / OPS));
				ASSERT_TRUE(step(b % OPS, b / OPS));
				n++;
			}
		}
	}
	tell_count("member_vs_perf", n, "pairs of operations");
}

TEST_F_TIMEOUT(member_vs_perf, long_runs, 600)
{
	struct rng r = { .state = 20260101 };
	unsigned int runs = rt_kernel() ? LONG_RUNS / 10 : rounds_of(LONG_RUNS, LONG_RUNS / 10);
	unsigned int run, i;

	for (run = 0; run < runs; run++) {
		any_formats(&r);
		ASSERT_TRUE(begin(below(&r, 8)));
		for (i = 0; i < LONG_RUN; i++)
			ASSERT_TRUE(step(chance(&r, 20) ? ADD + below(&r, 2) : below(&r, OPS),
					 below(&r, nr)));
	}
	tell_count("member_vs_perf", runs * LONG_RUN, "operations");
}

TEST_HARNESS_MAIN
