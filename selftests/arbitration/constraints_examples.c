// SPDX-License-Identifier: GPL-2.0-only
/*
 * The worked examples of the article "The Linux perf Event Scheduling Algorithm" that
 * depend on constraints, by perf groups and by pmcgrp groups. They run on the PMU
 * for tests, whose four programmable and three fixed counters are those of the
 * article's processors.  For each example, lines of the form
 *
 *	# example N, what it is: perf A / B %, pmcgrp A / B %
 *
 * say how much of the time each group was counted; selftests/vm/report collects them.
 *
 * A tick is one count for each event that is on, so the sum over groups says how many
 * were on at each tick: exact on every machine.  The share of each group depends on
 * timers, and is asserted where time is deterministic.
 *
 * needs: testpmu=yes
 */
#include <stdarg.h>
#include "pmcgrp_testpmu.h"
#include "kselftest_harness.h"

#define GROUPS		7
#define MEMBERS		6
#define TICKS		400	/* of 1 ms: a hundred intervals */
#define TICKS_LIMIT	20000	/* where time is not deterministic: until all were scheduled */

/* A group of the example: hardware members by their masks, perhaps a software one. */
struct group {
	unsigned int nr;
	uint64_t mask[MEMBERS];
	bool page_faults;
	bool pinned;
};

struct example {
	const char *name;
	unsigned int nr;
	struct group group[GROUPS];
	uint64_t taken;		/* counters that pinned events of the CPU hold */
	bool all_run;		/* every group is scheduled in the end */
	unsigned int sleep_ms;	/* between runs of 1 ms, each with one tick */
	unsigned int ticks;	/* instead of TICKS */
};

struct outcome {
	int fd[GROUPS][MEMBERS + 1];
	unsigned int nr_fds[GROUPS];
	uint64_t count[GROUPS];
	uint64_t ticks;
};

FIXTURE(constraints_examples)
{
	struct testpmu pmu;
	int dev;
	bool exact;	/* shares of time mean something */
};

FIXTURE_SETUP(constraints_examples)
{
	self->dev = -1;
	if (!testpmu_open(&self->pmu))
		SKIP(return, TESTPMU_MISSING);
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	ASSERT_TRUE(stay_on(0));
	self->exact = deterministic();
}

FIXTURE_TEARDOWN(constraints_examples)
{
	if (self->dev < 0)
		return;
	EXPECT_EQ(self->pmu.faults, testpmu_faults());
	close(self->dev);
	close(self->pmu.ticks);
}

static unsigned int group_attrs(const struct testpmu *pmu, const struct group *group,
				unsigned int number, struct perf_event_attr *attr)
{
	unsigned int i;

	for (i = 0; i < group->nr; i++)
		attr[i] = test_event(pmu, number * MEMBERS + i, 1, group->mask[i]);
	if (group->page_faults)
		attr[i++] = sw(PERF_COUNT_SW_PAGE_FAULTS);
	return i;
}

static void open_perf(struct __test_metadata *_metadata, const struct testpmu *pmu,
		      const struct example *example, struct outcome *out)
{
	struct perf_event_attr attr[MEMBERS + 1];
	unsigned int g, i;

	for (g = 0; g < example->nr; g++) {
		out->nr_fds[g] = group_attrs(pmu, &example->group[g], g, attr);
		attr[0].read_format = FORMAT;
		attr[0].disabled = 1;
		attr[0].pinned = example->group[g].pinned;
		for (i = 0; i < out->nr_fds[g]; i++) {
			out->fd[g][i] = perf_open(&attr[i], 0, -1, i ? out->fd[g][0] : -1);
			ASSERT_GE(out->fd[g][i], 0);
		}
	}
}

static void open_pmcgrp(struct __test_metadata *_metadata, const struct testpmu *pmu, int dev,
			const struct example *example, struct outcome *out)
{
	struct perf_event_attr attr[MEMBERS + 1];
	unsigned int g, nr;
	uint64_t flags;

	for (g = 0; g < example->nr; g++) {
		nr = group_attrs(pmu, &example->group[g], g, attr);
		flags = PMCGRP_CREATE_DISABLED;
		if (example->group[g].pinned)
			flags |= PMCGRP_CREATE_PINNED;
		out->fd[g][0] = group_of(dev, nr, attr, flags);
		ASSERT_GE(out->fd[g][0], 0);
		out->nr_fds[g] = 1;
	}
}

/* All members of a group have one count, and it is that of the ticks it was on. */
static void read_groups(struct __test_metadata *_metadata, const struct example *example,
			struct outcome *out)
{
	struct group_values v;
	unsigned int g, i;

	for (g = 0; g < example->nr; g++) {
		const struct group *group = &example->group[g];

		ASSERT_TRUE(group_values(out->fd[g][0], group->nr + group->page_faults, &v));
		for (i = 1; i < group->nr; i++)
			ASSERT_EQ(v.m[0].value, v.m[i].value);
		out->count[g] = v.m[0].value;
		ASSERT_LE(out->count[g], out->ticks);
	}
}

static bool all_had_a_turn(const struct example *example, const struct outcome *out)
{
	unsigned int g;

	for (g = 0; g < example->nr; g++)
		if (!out->count[g])
			return false;
	return true;
}

static void run_groups(struct __test_metadata *_metadata, const struct testpmu *pmu, bool exact,
		       const struct example *example, struct outcome *out)
{
	unsigned int g, ticks = example->ticks ? example->ticks : TICKS;

	for (g = 0; g < example->nr; g++)
		ASSERT_EQ(0, ioctl(out->fd[g][0], PERF_EVENT_IOC_ENABLE, 0));
	while (out->ticks < ticks || (!exact && example->all_run && out->ticks < TICKS_LIMIT &&
				      !all_had_a_turn(example, out))) {
		if (example->sleep_ms)
			sleep_ns(example->sleep_ms * NSEC_PER_MSEC);
		spin_ns(NSEC_PER_MSEC);
		ASSERT_TRUE(tick(pmu, 1));
		out->ticks++;
		if (out->ticks >= ticks || !(out->ticks % 16))
			read_groups(_metadata, example, out);
	}
}

static void close_groups(const struct example *example, struct outcome *out)
{
	unsigned int g;

	for (g = 0; g < example->nr; g++)
		while (out->nr_fds[g])
			close(out->fd[g][--out->nr_fds[g]]);
}

/* As the NMI watchdog does: pinned events of the CPU, made by perf, made first. */
static unsigned int take_counters(struct __test_metadata *_metadata, const struct testpmu *pmu,
				  uint64_t taken, int *fd)
{
	unsigned int nr = 0, c;

	for (c = 0; c < 64; c++) {
		struct perf_event_attr attr = test_event(pmu, 1000 + c, 1, 1ULL << c);

		if (!(taken & 1ULL << c))
			continue;
		attr.pinned = 1;
		fd[nr] = perf_open(&attr, -1, 0, -1);
		ASSERT_GE(fd[nr], 0);
		nr++;
	}
	return nr;
}

static void print_shares(const char *who, const struct example *example,
			 const struct outcome *out)
{
	unsigned int g;

	printf("%s", who);
	for (g = 0; g < example->nr; g++)
		printf("%s %.0f", g ? " /" : "", 100.0 * out->count[g] / out->ticks);
	printf(" %%");
}

/* One example, on perf and on pmcgrp, and the line about it. */
static void run_example(struct __test_metadata *_metadata, const struct testpmu *pmu, int dev,
			bool exact, const struct example *example, struct outcome *perf,
			struct outcome *ours)
{
	int taken[8];
	unsigned int nr_taken = take_counters(_metadata, pmu, example->taken, taken);

	*perf = (struct outcome){};
	*ours = (struct outcome){};
	open_perf(_metadata, pmu, example, perf);
	run_groups(_metadata, pmu, exact, example, perf);
	close_groups(example, perf);
	open_pmcgrp(_metadata, pmu, dev, example, ours);
	run_groups(_metadata, pmu, exact, example, ours);
	close_groups(example, ours);
	while (nr_taken)
		close(taken[--nr_taken]);
	printf("# example %s: ", example->name);
	print_shares("perf", example, perf);
	print_shares(", pmcgrp", example, ours);
	printf("\n");
	fflush(stdout);
}

#define RUN(example, perf, ours) \
	run_example(_metadata, &self->pmu, self->dev, self->exact, example, perf, ours)

static uint64_t sum(const struct example *example, const struct outcome *out)
{
	uint64_t total = 0;
	unsigned int g;

	for (g = 0; g < example->nr; g++)
		total += out->count[g];
	return total;
}

/* At every tick so many groups are on, each group is scheduled, with equal shares. */
static void expect_shares(struct __test_metadata *_metadata, const struct example *example,
			  const struct outcome *out, unsigned int room, bool exact)
{
	double share = 100.0 * room / example->nr;
	unsigned int g;

	EXPECT_EQ(room * out->ticks, sum(example, out));
	for (g = 0; g < example->nr; g++) {
		EXPECT_GT(out->count[g], 0);
		if (!exact)
			continue;
		EXPECT_GT(100.0 * out->count[g] / out->ticks, share - 3);
		EXPECT_LT(100.0 * out->count[g] / out->ticks, share + 3);
	}
}

/* The same single event nr times, each on its own. */
static struct example singles(const char *name, unsigned int nr, uint64_t mask)
{
	struct example example = { .name = name, .nr = nr, .all_run = true };

	while (nr--)
		example.group[nr] = (struct group){ .nr = 1, .mask = { mask } };
	return example;
}

TEST_F_TIMEOUT(constraints_examples, example_1_two_events_for_one_counter, 180)
{
	struct example example = singles("1, two events for one counter", 2, 1 << 2);
	struct outcome perf, ours;

	RUN(&example, &perf, &ours);
	expect_shares(_metadata, &example, &perf, 1, self->exact);
	expect_shares(_metadata, &example, &ours, 1, self->exact);
}

/* Pinned perf events keep their counters: pmcgrp does not evict them. */
TEST_F_TIMEOUT(constraints_examples, example_1_with_a_watchdog_on_that_counter, 180)
{
	struct example example = singles("1, and a watchdog has that counter", 2, 1 << 2);
	struct outcome perf, ours;

	example.taken = 1 << 2;
	example.all_run = false;
	RUN(&example, &perf, &ours);
	EXPECT_EQ(0, sum(&example, &perf));
	EXPECT_EQ(0, sum(&example, &ours));
}

TEST_F_TIMEOUT(constraints_examples, example_2_one_of_them_pinned, 180)
{
	struct example example = singles("2, the second of them pinned", 2, 1 << 2);
	struct outcome perf, ours;

	example.group[1].pinned = true;
	example.all_run = false;
	RUN(&example, &perf, &ours);
	EXPECT_EQ(0, perf.count[0]);
	EXPECT_EQ(perf.ticks, perf.count[1]);
	EXPECT_EQ(0, ours.count[0]);
	EXPECT_EQ(ours.ticks, ours.count[1]);
}

/*
 * The first group waits for the pinned group's counter.  The third could have any other
 * counter all the time; perf core tries it only in every second interval.
 */
TEST_F_TIMEOUT(constraints_examples, example_3_a_third_group_whose_counter_is_free, 180)
{
	struct example example = {
		.name = "3, a group without room, a pinned one, and one whose counter is free",
		.nr = 3,
		.group = {
			{ .nr = 1, .mask = { 1 << 2 }, .page_faults = true },
			{ .nr = 1, .mask = { 1 << 2 }, .pinned = true },
			{ .nr = 1, .mask = { PROGRAMMABLE } },
		},
	};
	struct outcome perf, ours;

	RUN(&example, &perf, &ours);
	EXPECT_EQ(0, perf.count[0]);
	EXPECT_EQ(perf.ticks, perf.count[1]);
	EXPECT_LT(perf.count[2], perf.ticks);
	EXPECT_GT(perf.count[2], 0);
	if (self->exact) {
		EXPECT_GT(100.0 * perf.count[2] / perf.ticks, 47);
		EXPECT_LT(100.0 * perf.count[2] / perf.ticks, 53);
	}
	/* never a tick without it */
	EXPECT_EQ(0, ours.count[0]);
	EXPECT_EQ(ours.ticks, ours.count[1]);
	EXPECT_EQ(ours.ticks, ours.count[2]);
}

TEST_F_TIMEOUT(constraints_examples, example_4_three_events_for_two_counters, 180)
{
	struct example example = singles("4, three events for two counters", 3, 0x3);
	struct outcome perf, ours;

	RUN(&example, &perf, &ours);
	expect_shares(_metadata, &example, &perf, 2, self->exact);
	expect_shares(_metadata, &example, &ours, 2, self->exact);
}

/* The most constrained member is the last one, and still gets its counter. */
TEST_F_TIMEOUT(constraints_examples, a_group_with_one_member_for_one_counter, 180)
{
	struct example example = {
		.name = "4, in a group with one for the third counter only",
		.nr = 1,
		.group = {
			{ .nr = 4, .mask = { PROGRAMMABLE, PROGRAMMABLE, PROGRAMMABLE, 1 << 2 } },
		},
	};
	struct outcome perf, ours;

	RUN(&example, &perf, &ours);
	EXPECT_EQ(perf.ticks, perf.count[0]);
	EXPECT_EQ(ours.ticks, ours.count[0]);
}

TEST_F_TIMEOUT(constraints_examples, example_5_five_events_for_two_counters, 180)
{
	struct example example = singles("5, five events for two counters", 5, 0x3);
	struct outcome perf, ours;

	RUN(&example, &perf, &ours);
	expect_shares(_metadata, &example, &perf, 2, self->exact);
	expect_shares(_metadata, &example, &ours, 2, self->exact);
}

TEST_F_TIMEOUT(constraints_examples, example_5_five_events_for_four_counters, 180)
{
	struct example example = singles("5, five events for four counters", 5, PROGRAMMABLE);
	struct outcome perf, ours;

	RUN(&example, &perf, &ours);
	expect_shares(_metadata, &example, &perf, 4, self->exact);
	expect_shares(_metadata, &example, &ours, 4, self->exact);
}

/* A counter that an erratum or another user takes away. */
TEST_F_TIMEOUT(constraints_examples, example_5_five_events_and_one_counter_gone, 180)
{
	struct example example = singles("5, and one of the four is taken", 5, PROGRAMMABLE);
	struct outcome perf, ours;

	example.taken = 1 << 3;
	RUN(&example, &perf, &ours);
	expect_shares(_metadata, &example, &perf, 3, self->exact);
	expect_shares(_metadata, &example, &ours, 3, self->exact);
}

TEST_F_TIMEOUT(constraints_examples, example_6_six_events_for_four_counters, 180)
{
	struct example example = singles("6, six events for four counters", 6, PROGRAMMABLE);
	struct outcome perf, ours;

	RUN(&example, &perf, &ours);
	expect_shares(_metadata, &example, &perf, 4, self->exact);
	expect_shares(_metadata, &example, &ours, 4, self->exact);
}

/*
 * The same six as one group, which can never be scheduled.  perf refuses its fifth
 * member, and so does pmcgrp, with fail_member.
 */
TEST_F(constraints_examples, example_7_a_group_larger_than_the_pmu)
{
	struct perf_event_attr attr[6];
	struct ask ask = { .nr = 6, .attr = attr };
	int fd[6], i;

	for (i = 0; i < 6; i++) {
		attr[i] = test_event(&self->pmu, i, 1, PROGRAMMABLE);
		fd[i] = perf_open(&attr[i], 0, -1, i ? fd[0] : -1);
		ASSERT_EQ(i < 4, fd[i] >= 0);
		if (i >= 4)
			EXPECT_EQ(-EINVAL, fd[i]);
	}
	for (i = 0; i < 4; i++)
		close(fd[i]);

	EXPECT_EQ(-EINVAL, ask_group(self->dev, &ask));
	EXPECT_EQ(PMCGRP_WHY_TOO_LARGE, ask.create.why);
	EXPECT_EQ(4, ask.create.fail_member);
	printf("# example 7, the six in one group: perf EINVAL at the fifth, pmcgrp the same\n");
	fflush(stdout);
}

static struct example short_runs(const char *name, unsigned int ticks, unsigned int sleep_ms)
{
	struct example example = singles(name, 7, PROGRAMMABLE);

	example.group[0].mask[0] = FIXED(0);
	example.all_run = false;
	example.ticks = ticks;
	example.sleep_ms = sleep_ms;
	return example;
}

/*
 * As the article has it: a task that runs twice, for a part of an interval each time.
 * perf's timer mostly finds it asleep, and two milliseconds are no full interval of
 * pmcgrp either.  But every event that fits is on: five of them at each tick.
 */
TEST_F_TIMEOUT(constraints_examples, example_8_two_short_runs, 180)
{
	struct example example = short_runs("8, one fixed and six events for four, two short runs",
					    2, 1000);
	struct outcome perf, ours;

	RUN(&example, &perf, &ours);
	EXPECT_EQ(ours.ticks, ours.count[0]);
	EXPECT_EQ(5 * ours.ticks, sum(&example, &ours));
}

/*
 * Many such runs.  A waiting group falls behind in vruntime until it is scheduled.  The
 * event of the fixed counter never waits, while perf core leaves that counter empty
 * whenever it stops at an event that does not fit.
 */
TEST_F_TIMEOUT(constraints_examples, example_8_many_short_runs, 180)
{
	struct example example = short_runs("8, four hundred short runs", TICKS, 10);
	struct outcome perf, ours;
	int g;

	RUN(&example, &perf, &ours);
	EXPECT_EQ(ours.ticks, ours.count[0]);
	EXPECT_EQ(5 * ours.ticks, sum(&example, &ours));
	EXPECT_LE(sum(&example, &perf), sum(&example, &ours));
	for (g = 1; g < 7; g++) {
		EXPECT_GT(ours.count[g], 0);
		if (!self->exact)
			continue;
		EXPECT_GT(100.0 * ours.count[g] / ours.ticks, 60);
		EXPECT_LT(100.0 * ours.count[g] / ours.ticks, 73);
	}
}

TEST_HARNESS_MAIN
