// SPDX-License-Identifier: GPL-2.0-only
/*
 * Regions of a program (libpmcgrp's pmcgrp_regions.h): under -icount a region counts the code in it
 * to the instruction, each time, and a constant that is told. What a begin and end cost is told,
 * too, beside reading registers without bookkeeping of regions, and beside read() of perf events.
 *
 * What was counted is taken from the table that people see.
 *
 * 400,000 regions, half of them with two system calls each.
 * needs: timeout=600
 */
#include "pmcgrp_machine.h"
#include "pmcgrp_user_page.h"
#include "kselftest_harness.h"
#include <pthread.h>

#include <pmcgrp_regions.h>

#define CALLS	100000
#define EVENTS	"{instructions:u,cycles:u}"
#define THREADS	4

/* Instructions retired, on all that count them. */
#ifdef __x86_64__
#define RAW_INSTRUCTIONS 0xc0
#else
#define RAW_INSTRUCTIONS ARM_INST_RETIRED
#endif

/* ---- The table ---- */

struct counted {
	unsigned long long calls, counted, partly, sum, self, min, max, renewed;
	unsigned int threads;
};

static char *table;

static void take_table(void)
{
	size_t size = 0;
	FILE *file;
	char *c, *to;

	free(table);
	table = NULL;
	file = open_memstream(&table, &size);
	if (!file)
		abort();
	if (pmcgrp_regions_report(file))
		abort();
	fclose(file);
	/* Commas between thousands are for people; here they all go. */
	for (c = to = table; *c; c++) {
		if (*c != ',')
			*to++ = *c;
	}
	*to = '\0';
}

/* What a region of the table has counted of an event. */
static bool find(const char *region, const char *event, struct counted *v)
{
	const char *at, *end, *value;
	char head[64], line[64];
	double mean;

	memset(v, 0, sizeof(*v));
	snprintf(head, sizeof(head), "region %s: ", region);
	snprintf(line, sizeof(line), "\n  %s ", event);
	at = strstr(table, head);
	if (!at || sscanf(at + strlen(head), "%llu %*s %llu counted %u", &v->calls, &v->counted,
			  &v->threads) != 3)
		return false;
	end = strstr(at, "\n\n");
	for (at = strchr(at, '\n') + 1; at < end; at = strchr(at, '\n') + 1) {
		unsigned long long nr;

		if (sscanf(at, "  %llu ended by a system call", &nr) == 1)
			v->renewed = nr;
		if (sscanf(at, "  not counted %llu: the group had its", &nr) == 1)
			v->partly = nr;
	}
	value = strstr(strstr(table, head), line);
	if (!v->counted)
		return !value || value > end;
	return value && value < end &&
	       sscanf(value + strlen(line), "%llu %llu %lf %llu %llu", &v->sum, &v->self, &mean,
		      &v->min, &v->max) == 5;
}

/* Instructions of an empty region, from the line that says so. */
static unsigned long long empty_instructions(void)
{
	const char *at = strstr(table, "An empty region counts: ");
	unsigned long long ns, nr;

	if (!at || sscanf(at, "An empty region counts: %llu ns %llu instructions", &ns, &nr) != 2)
		return ~0ULL;
	return nr;
}

/* ---- The test ---- */

FIXTURE(regions)
{
	struct pmcgrp *h;
};

FIXTURE_SETUP(regions)
{
	self->h = NULL;
	if (!have_cycles() || !have_instructions())
		SKIP(return, "needs a PMU that counts instructions");
	ASSERT_EQ(0, pmcgrp_open(&self->h, 0));
}

FIXTURE_TEARDOWN(regions)
{
	pmcgrp_regions_stop();
	pmcgrp_close(self->h);
	free(table);
	table = NULL;
}

static bool listen_to(const char *events)
{
	struct pmcgrp_events_error error;
	int ret = pmcgrp_regions_start(events, 0, &error);

	if (ret)
		printf("# nobody can listen: %s\n", error.text);
	return !ret;
}

static void call_loop(struct pmcgrp_region *region, uint64_t loops)
{
	pmcgrp_region_enter(region);
	loop(loops);
	pmcgrp_region_leave(region);
}

/* Short ones between long ones, so that nothing is a matter of order. */
static void call_loops(unsigned int calls)
{
	void (*call)(struct pmcgrp_region *region, uint64_t loops) = call_loop;
	struct pmcgrp_region *shorter = pmcgrp_region_find("shorter");
	struct pmcgrp_region *longer = pmcgrp_region_find("longer");
	unsigned int i;

	/* Not known to the compiler: one function for all, of the same instructions. */
	asm("" : "+r"(call));
	for (i = 0; i < calls; i++) {
		call(shorter, 10);
		call(longer, 110);
	}
}

/* What all calls have counted but for a few: those are too few to change the mean by a half. */
static unsigned long long usual(const struct counted *v)
{
	return (v->sum + v->counted / 2) / v->counted;
}

/*
 * Whether no more than @others calls have counted something else, by no more than there is from
 * the least to the greatest.
 */
static bool all_but(const struct counted *v, unsigned long long others)
{
	long long off = v->sum - v->counted * usual(v);

	return llabs(off) <= others * (v->max - v->min);
}

/* Calls that met a change of the page: begun by a system call these count less, read anew more. */
#define CHANGED	10

/*
 * Whether both count what is in them and the constant, @calls times.  Ends by a system call, and
 * calls that a report has held meanwhile, count more.
 */
static bool loops_are_exact(unsigned int calls, unsigned int threads, unsigned int held)
{
	unsigned long long empty;
	struct counted s, l;

	take_table();
	empty = empty_instructions();
	if (!find("shorter", "instructions:u", &s) || !find("longer", "instructions:u", &l)) {
		printf("# no such regions in: %s\n", table);
		return false;
	}
	printf("# empty %llu; shorter min %llu max %llu, %llu renewed; longer min %llu max %llu\n",
	       empty, s.min, s.max, s.renewed, l.min, l.max);
	return s.calls == calls && s.counted == calls && l.calls == calls && l.counted == calls &&
	       s.threads == threads && usual(&l) - usual(&s) == 200 && usual(&s) - empty >= 20 &&
	       usual(&s) - empty <= 23 && all_but(&s, s.renewed + held + CHANGED) &&
	       all_but(&l, l.renewed + held + CHANGED) && s.renewed < calls / 100 &&
	       l.renewed < calls / 100;
}

TEST_F_TIMEOUT(regions, are_exact_by_system_calls, 600)
{
	struct counted v;

	user_allow(0);
	ASSERT_TRUE(listen_to(EVENTS));
	call_loops(CALLS);
	EXPECT_TRUE(loops_are_exact(CALLS, 1, 0));
	ASSERT_TRUE(find("longer", "instructions:u", &v));
	EXPECT_EQ(v.min, v.max);
	EXPECT_EQ(0, v.renewed);
	EXPECT_NE(NULL, strstr(table, "by system calls"));
}

static bool can_read_directly(struct pmcgrp *h)
{
	struct pmcgrp_group *group = NULL;
	struct pmcgrp_spec *spec;
	bool can;

	if (pmcgrp_spec_new(&spec))
		return false;
	pmcgrp_spec_set_flags(spec, PMCGRP_CREATE_USER_READ);
	can = user_allow(1) && !pmcgrp_group_open(h, EVENTS, spec, &group) &&
	      pmcgrp_group_user_read_why(group) == PMCGRP_WHY_NONE;
	pmcgrp_spec_free(spec);
	pmcgrp_group_close(group);
	return can;
}

TEST_F_TIMEOUT(regions, are_exact_directly, 600)
{
	if (!can_read_directly(self->h))
		SKIP(return, "user space cannot read counters here");
	ASSERT_TRUE(listen_to(EVENTS));
	call_loops(CALLS);
	EXPECT_TRUE(loops_are_exact(CALLS, 1, 0));
	EXPECT_EQ(NULL, strstr(table, "by system calls"));
}

static void *thread_loops(void *arg)
{
	call_loops(CALLS / 100);
	return NULL;
}

TEST_F_TIMEOUT(regions, of_threads, 600)
{
	pthread_t threads[THREADS];
	int i;

	user_allow(1);
	ASSERT_TRUE(listen_to(EVENTS));
	for (i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, thread_loops, NULL));
	/* While they are at work the report has whole numbers. */
	take_table();
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	EXPECT_TRUE(loops_are_exact(THREADS * CALLS / 100, THREADS, THREADS));
}

static void recurse(unsigned int levels)
{
	pmcgrp_region_begin("recursive");
	loop(50);
	if (levels > 1)
		recurse(levels - 1);
	pmcgrp_region_end("recursive");
}

TEST_F(regions, within_each_other)
{
	struct counted outer, inner, recursive, between;
	int i;

	user_allow(1);
	ASSERT_TRUE(listen_to(EVENTS));
	pmcgrp_region_begin("outer");
	for (i = 0; i < 10; i++) {
		pmcgrp_region_begin("inner");
		loop(1000);
		pmcgrp_region_end("inner");
		loop(100);
	}
	recurse(50);	/* more than the other one, below */
	pmcgrp_region_end("outer");
	/* Through another one, so that each level is read. */
	pmcgrp_region_begin("recursive");
	pmcgrp_region_begin("between");
	recurse(1);
	pmcgrp_region_end("between");
	pmcgrp_region_end("recursive");
	take_table();
	ASSERT_TRUE(find("outer", "instructions:u", &outer));
	ASSERT_TRUE(find("inner", "instructions:u", &inner));
	ASSERT_TRUE(find("between", "instructions:u", &between));
	ASSERT_TRUE(find("recursive", "instructions:u", &recursive));
	EXPECT_EQ(10, inner.counted);
	EXPECT_EQ(inner.sum, inner.self);
	EXPECT_EQ(52, recursive.calls);
	EXPECT_EQ(2, recursive.counted);
	EXPECT_GE(inner.min, 2000);
	/* What outer has counted is its own, or that of one within: 50 levels at once. */
	EXPECT_EQ(outer.sum, outer.self + inner.sum + recursive.sum - recursive.min);
	/* The self of both is all that the outermost "recursive" has counted. */
	EXPECT_EQ(recursive.sum, recursive.self + between.self);
	EXPECT_GT(between.sum, between.self);
	EXPECT_GT(recursive.min, between.sum);
	EXPECT_GT(recursive.max, 2 * recursive.min);
}

/* ---- Groups that wait ---- */

#define RIVALS 4
#define RIVAL_MEMBERS 4

/* Others take the counters in turn: what was counted partly is in no sum, and nothing is scaled. */
TEST_F_TIMEOUT(regions, partly_counted, 600)
{
	struct perf_event_attr attr[RIVAL_MEMBERS];
	int fds[RIVALS], dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	unsigned int i, k;
	struct counted v;

	ASSERT_GE(dev, 0);
	for (i = 0; i < RIVALS; i++) {
		for (k = 0; k < RIVAL_MEMBERS; k++)
			attr[k] = raw_copy(RAW_INSTRUCTIONS, 1 + i * RIVAL_MEMBERS + k);
		fds[i] = group_of(dev, RIVAL_MEMBERS, attr, 0);
		ASSERT_GE(fds[i], 0);
	}
	user_allow(0);
	ASSERT_TRUE(listen_to("{r3c:u,instructions:u,r4c:u}"));
	for (i = 0; i < 20; i++) {
		pmcgrp_region_begin("long");
		spin_ns(40 * NSEC_PER_MSEC);
		pmcgrp_region_end("long");
	}
	take_table();
	EXPECT_TRUE(find("long", "instructions:u", &v)) TH_LOG("%s", table);
	EXPECT_EQ(20, v.calls);
	EXPECT_EQ(20, v.counted + v.partly);
	EXPECT_GT(v.partly, 0);
	for (i = 0; i < RIVALS; i++)
		close(fds[i]);
	close(dev);
}

/* ---- What it costs ---- */

#define PAIRS 1000

/* Instructions of @statement, with the kernel's, by a group of its own; the second time. */
#define COST(meter, statement)						\
({									\
	struct pmcgrp_group *meter_ = (meter);				\
	uint64_t words_[7], first_ = 0;					\
	unsigned int run_, i_;						\
									\
	for (run_ = 0; run_ < 3; run_++) {				\
		pmcgrp_group_read(meter_, words_, sizeof(words_));	\
		first_ = words_[3];					\
		for (i_ = 0; i_ < PAIRS; i_++) {			\
			asm volatile("" : : : "memory");		\
			statement;					\
		}							\
		pmcgrp_group_read(meter_, words_, sizeof(words_));	\
	}								\
	(double)(words_[3] - first_) / PAIRS;				\
})

/* What a library for markers does at least: it reads registers, and adds up. */
struct raw {
	struct pmcgrp_group *group;
	uint64_t begin[7], end[7], sum[2], calls;
};

static void raw_pair(struct raw *raw)
{
	unsigned int i;

	pmcgrp_group_read_user(raw->group, raw->begin, sizeof(raw->begin));
	pmcgrp_group_read_user(raw->group, raw->end, sizeof(raw->end));
	for (i = 0; i < 2; i++)
		raw->sum[i] += raw->end[3 + 2 * i] - raw->begin[3 + 2 * i];
	raw->calls++;
}

static void perf_pair(int fd)
{
	uint64_t begin[7], end[7];

	if (read(fd, begin, sizeof(begin)) < 0 || read(fd, end, sizeof(end)) < 0)
		abort();
}

static double cost_of_perf(struct pmcgrp_group *meter)
{
	struct pmcgrp_group *group;
	struct pmcgrp *h;
	double cost;

	if (pmcgrp_open(&h, PMCGRP_OPEN_PERF))
		return -1;
	if (pmcgrp_group_open(h, EVENTS, NULL, &group)) {
		pmcgrp_close(h);
		return -1;
	}
	cost = COST(meter, perf_pair(pmcgrp_group_fd(group)));
	pmcgrp_group_close(group);
	pmcgrp_close(h);
	return cost;
}

static double cost_of_raw(struct pmcgrp *h, struct pmcgrp_group *meter)
{
	struct pmcgrp_spec *spec;
	struct raw raw = { 0 };
	double cost = -1;

	if (pmcgrp_spec_new(&spec))
		return -1;
	pmcgrp_spec_set_flags(spec, PMCGRP_CREATE_USER_READ);
	if (!pmcgrp_group_open(h, EVENTS, spec, &raw.group)) {
		cost = COST(meter, raw_pair(&raw));
		pmcgrp_group_close(raw.group);
	}
	pmcgrp_spec_free(spec);
	return cost;
}

struct costs {
	double handle;
	double name;
};

static struct costs cost_of_regions(struct pmcgrp_group *meter)
{
	struct pmcgrp_region *region = pmcgrp_region_find("cost");
	struct costs costs;

	costs.handle = COST(meter, (pmcgrp_region_enter(region), pmcgrp_region_leave(region)));
	costs.name = COST(meter, (pmcgrp_region_begin("cost"), pmcgrp_region_end("cost")));
	return costs;
}

/* A pair of calls in a loop: the loop's own instructions are subtracted. */
TEST_F_TIMEOUT(regions, cost_little, 600)
{
	bool directly = can_read_directly(self->h);
	struct costs off, on, by_call;
	struct pmcgrp_group *meter;
	double nothing, raw, perf;

	ASSERT_EQ(0, pmcgrp_group_open(self->h, "{instructions,cycles}", NULL, &meter));
	nothing = COST(meter, (void)0);
	off = cost_of_regions(meter);
	raw = cost_of_raw(self->h, meter);
	perf = cost_of_perf(meter);
	ASSERT_TRUE(listen_to(EVENTS));
	on = cost_of_regions(meter);
	pmcgrp_regions_stop();
	user_allow(0);
	ASSERT_TRUE(listen_to(EVENTS));
	by_call = cost_of_regions(meter);
	pmcgrp_regions_stop();
	pmcgrp_group_close(meter);
	printf("# begin and end of 2 members (and by name): nobody listens %.2f (%.2f)\n",
	       off.handle - nothing, off.name - nothing);
	printf("# %s %.1f (%.1f), by system calls %.1f (%.1f)\n",
	       directly ? "directly" : "not directly here", on.handle - nothing, on.name - nothing,
	       by_call.handle - nothing, by_call.name - nothing);
	printf("# two reads and sums alone %.1f; two read() of perf events %.1f\n", raw - nothing,
	       perf - nothing);
	EXPECT_LE(off.handle - nothing, 8);
	EXPECT_LE(off.name - nothing, 10);
	if (directly)
		EXPECT_LT(2 * (on.name - nothing), perf - nothing);
	EXPECT_LT(by_call.handle - nothing, 2 * (perf - nothing));
}

TEST_HARNESS_MAIN
