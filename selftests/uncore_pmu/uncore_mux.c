// SPDX-License-Identifier: GPL-2.0-only
/*
 * More groups of an uncore PMU than it has counters for: whole groups take turns on the CPU where
 * their package is counted, beside perf's events of the same box, and no counter stays idle.
 *
 * needs: testpmu=yes
 */
#include "pmcgrp_uncore.h"
#include "kselftest_harness.h"

#define ROUNDS_MAX	20000
#define EACH		20	/* ticks that each has to get in a package */
#define GROUPS_MAX	4

FIXTURE(uncore_mux)
{
	struct uncore uncore;
	int dev;
};

FIXTURE_SETUP(uncore_mux)
{
	self->dev = -1;
	if (!uncore_open(&self->uncore))
		SKIP(return, TESTPMU_MISSING);
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	ASSERT_EQ(2, self->uncore.counters);
}

FIXTURE_TEARDOWN(uncore_mux)
{
	if (self->dev < 0)
		return;
	EXPECT_EQ(self->uncore.pmu.faults, testpmu_faults());
	EXPECT_TRUE(uncore_box_empties(0));
	EXPECT_TRUE(uncore_box_empties(1));
	close(self->dev);
	uncore_close(&self->uncore);
}

/**
 * struct rival - a group that does not always have counters
 * @fd: its descriptor
 * @nr: members, of which member i counts i + 1 at a tick
 * @attr: their events
 * @ticks: what it has counted of each package
 * @on: whether it has counted the last tick of a package
 */
struct rival {
	int fd;
	unsigned int nr;
	struct perf_event_attr attr[UNCORE_MEMBERS_MAX];
	uint64_t ticks[UNCORE_CPUS_MAX];
	bool on[UNCORE_CPUS_MAX];
};

/* Make a group of so many members of each box. */
static void rival_open(struct __test_metadata *_metadata, const struct uncore *uncore, int dev,
		       struct rival *rival, int number, unsigned int nr_0, unsigned int nr_1)
{
	unsigned int i;

	memset(rival, 0, sizeof(*rival));
	rival->nr = nr_0 + nr_1;
	for (i = 0; i < rival->nr; i++)
		rival->attr[i] = uncore_event(uncore->type[i >= nr_0], 10 * number + i, i + 1);
	rival->fd = uncore_group(dev, rival->nr, rival->attr, 0);
	ASSERT_GE(rival->fd, 0);
}

/* Each package's last tick was counted by all members, or by none. */
static void rival_look(struct __test_metadata *_metadata, const struct uncore *uncore,
		       struct rival *rival)
{
	struct uncore_cpus cpus;
	uint64_t ticks;
	unsigned int i;
	int p;

	ASSERT_TRUE(uncore_read_cpus(rival->fd, rival->nr, &cpus));
	for (p = 0; p < uncore->packages; p++) {
		ticks = uncore_package_value(uncore, &cpus, p, 0);
		for (i = 1; i < rival->nr; i++)
			ASSERT_EQ(ticks * (i + 1), uncore_package_value(uncore, &cpus, p, i));
		ASSERT_LE(rival->ticks[p], ticks);
		ASSERT_LE(ticks, rival->ticks[p] + 1);
		rival->on[p] = ticks != rival->ticks[p];
		rival->ticks[p] = ticks;
	}
}

static uint64_t least_ticks(const struct uncore *uncore, const struct rival *rival)
{
	uint64_t least = UINT64_MAX;
	int p;

	for (p = 0; p < uncore->packages; p++)
		if (rival->ticks[p] < least)
			least = rival->ticks[p];
	return least;
}

/*
 * Tick until each of the groups has counted enough of each package. At each tick a box has as many
 * of its counters in use as the groups can have together.
 */
static int compete(struct __test_metadata *_metadata, const struct uncore *uncore,
		   struct rival *rival, int nr, unsigned int in_use)
{
	unsigned int used;
	int rounds, p, g;
	bool enough = false;

	for (rounds = 0; rounds < ROUNDS_MAX && !enough; rounds++) {
		spin_ns(NSEC_PER_MSEC);
		ASSERT_TRUE(uncore_tick(uncore, 1)) {
			return 0;
		}
		enough = true;
		for (g = 0; g < nr; g++) {
			rival_look(_metadata, uncore, &rival[g]);
			enough = enough && least_ticks(uncore, &rival[g]) >= EACH;
		}
		for (p = 0; p < uncore->packages; p++) {
			for (g = 0, used = 0; g < nr; g++)
				used += rival[g].on[p] ? rival[g].nr : 0;
			EXPECT_EQ(in_use, used) {
				return 0;
			}
		}
	}
	EXPECT_TRUE(enough);
	return rounds;
}

/* It has waited, and the sum of all packages is that of its parts. */
static void rival_end(struct __test_metadata *_metadata, const struct uncore *uncore,
		      struct rival *rival)
{
	struct group_values v;
	uint64_t sum = 0;
	unsigned int i;
	int p;

	ASSERT_TRUE(group_values(rival->fd, rival->nr, &v));
	for (p = 0; p < uncore->packages; p++)
		sum += rival->ticks[p];
	for (i = 0; i < rival->nr; i++)
		EXPECT_EQ(sum * (i + 1), v.m[i].value);
	EXPECT_LT(0, v.running);
	EXPECT_LT(v.running, v.enabled);
	TH_LOG("%llu of %llu ticks, %llu %% of the time", (unsigned long long)rival->ticks[0],
	       (unsigned long long)sum, (unsigned long long)(v.running * 100 / v.enabled));
	close(rival->fd);
}

/* Groups that fill the box: one at a time. */
TEST_F_TIMEOUT(uncore_mux, whole_groups_take_turns, 120)
{
	const struct uncore *uncore = &self->uncore;
	struct rival rival[3];
	int g, rounds;

	for (g = 0; g < 3; g++)
		rival_open(_metadata, uncore, self->dev, &rival[g], g, 2, 0);
	rounds = compete(_metadata, uncore, rival, 3, 2);
	for (g = 0; g < 3; g++) {
		if (deterministic())
			EXPECT_LE(rounds / 4, rival[g].ticks[0]);
		rival_end(_metadata, uncore, &rival[g]);
	}
}

/* A group of both boxes waits for both, and others have none of it meanwhile. */
TEST_F_TIMEOUT(uncore_mux, groups_of_both_boxes_take_turns, 120)
{
	const struct uncore *uncore = &self->uncore;
	struct rival rival[2];
	int g;

	for (g = 0; g < 2; g++)
		rival_open(_metadata, uncore, self->dev, &rival[g], g, 2, 2);
	compete(_metadata, uncore, rival, 2, 4);
	for (g = 0; g < 2; g++)
		rival_end(_metadata, uncore, &rival[g]);
}

/* Small groups have the counters that a large one needs together. */
TEST_F_TIMEOUT(uncore_mux, no_counter_stays_idle, 120)
{
	const struct uncore *uncore = &self->uncore;
	struct rival rival[4];
	int g;

	rival_open(_metadata, uncore, self->dev, &rival[0], 0, 2, 0);
	for (g = 1; g < 4; g++)
		rival_open(_metadata, uncore, self->dev, &rival[g], g, 1, 0);
	compete(_metadata, uncore, rival, 4, 2);
	for (g = 0; g < 4; g++)
		rival_end(_metadata, uncore, &rival[g]);
}

/* What is full is one box; the other one's groups count all of the time. */
TEST_F_TIMEOUT(uncore_mux, the_other_box_is_left_alone, 120)
{
	const struct uncore *uncore = &self->uncore;
	struct perf_event_attr attr = uncore_event(uncore->type[1], 90, 1);
	struct rival rival[2];
	struct group_values v;
	int g, fd, rounds;

	for (g = 0; g < 2; g++)
		rival_open(_metadata, uncore, self->dev, &rival[g], g, 2, 0);
	fd = uncore_group(self->dev, 1, &attr, 0);
	ASSERT_GE(fd, 0);
	rounds = compete(_metadata, uncore, rival, 2, 2);
	ASSERT_TRUE(group_values(fd, 1, &v));
	EXPECT_EQ((uint64_t)rounds * uncore->packages, v.m[0].value);
	/* A rotation takes all flexible sets of a CPU off for a moment. */
	if (deterministic())
		EXPECT_LE(v.enabled * 95, v.running * 100);
	for (g = 0; g < 2; g++)
		rival_end(_metadata, uncore, &rival[g]);
	close(fd);
}

/* ---- Beside perf's events ---- */

struct perf_values {
	uint64_t value;
	uint64_t enabled;
	uint64_t running;
};

static struct perf_values perf_values(int fd)
{
	struct perf_values v = {};

	if (read(fd, &v, sizeof(v)) != sizeof(v))
		v.value = UINT64_MAX;
	return v;
}

/* One event of perf's for each package. */
static void perf_open_all(struct __test_metadata *_metadata, const struct uncore *uncore,
			  unsigned int number, bool pinned, int *fd)
{
	struct perf_event_attr attr = uncore_event(uncore->type[0], number, 1);
	int p;

	attr.pinned = pinned;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	for (p = 0; p < uncore->packages; p++) {
		fd[p] = perf_open(&attr, -1, uncore_designated(uncore, p), -1);
		ASSERT_GE(fd[p], 0);
	}
}

static void close_all(const struct uncore *uncore, const int *fd)
{
	int p;

	for (p = 0; p < uncore->packages; p++)
		close(fd[p]);
}

/* One counter each: both count all. */
TEST_F(uncore_mux, beside_perf_with_room_for_both)
{
	const struct uncore *uncore = &self->uncore;
	struct perf_event_attr attr = uncore_event(uncore->type[0], 1, 1);
	int perf[2][UNCORE_CPUS_MAX], fd, p, k;
	uint64_t ticks[UNCORE_CPUS_MAX] = {};

	perf_open_all(_metadata, uncore, 50, false, perf[0]);
	fd = uncore_group(self->dev, 1, &attr, 0);
	ASSERT_GE(fd, 0);
	for (k = 0; k < 100; k++) {
		ASSERT_TRUE(uncore_tick(uncore, 1));
		spin_ns(NSEC_PER_MSEC / 5);
	}
	for (p = 0; p < uncore->packages; p++) {
		ticks[p] = 100;
		EXPECT_EQ(100, perf_values(perf[0][p]).value);
	}
	EXPECT_TRUE(uncore_shows(uncore, fd, 1, &attr, ticks));
	EXPECT_EQ(2 * uncore->packages, uncore_box_places(0, UINT_MAX).nr);
	/* The same event by perf: another counter. */
	close_all(uncore, perf[0]);
	perf_open_all(_metadata, uncore, 1, false, perf[1]);
	ASSERT_TRUE(uncore_tick(uncore, 7));
	for (p = 0; p < uncore->packages; p++) {
		ticks[p] = 107;
		EXPECT_EQ(7, perf_values(perf[1][p]).value);
	}
	EXPECT_TRUE(uncore_shows(uncore, fd, 1, &attr, ticks));
	close_all(uncore, perf[1]);
	close(fd);
}

/* A pinned event of perf's always counts, and the group has the rest. */
TEST_F_TIMEOUT(uncore_mux, beside_a_pinned_perf_event, 120)
{
	const struct uncore *uncore = &self->uncore;
	int perf[UNCORE_CPUS_MAX], p, g, rounds;
	struct rival rival[3];

	perf_open_all(_metadata, uncore, 50, true, perf);
	for (g = 0; g < 2; g++)
		rival_open(_metadata, uncore, self->dev, &rival[g], g, 1, 0);
	rounds = compete(_metadata, uncore, rival, 2, 1);
	for (p = 0; p < uncore->packages; p++)
		EXPECT_EQ((uint64_t)rounds, perf_values(perf[p]).value);
	/* And one that comes later takes what it needs. */
	rival_open(_metadata, uncore, self->dev, &rival[2], 2, 1, 0);
	compete(_metadata, uncore, rival, 3, 1);
	for (g = 0; g < 3; g++)
		rival_end(_metadata, uncore, &rival[g]);
	close_all(uncore, perf);
}

/* Flexible events of perf's that need both counters, as the group does: each gets its turn. */
TEST_F_TIMEOUT(uncore_mux, in_turns_with_perf, 300)
{
	const struct uncore *uncore = &self->uncore;
	uint64_t before[2][UNCORE_CPUS_MAX] = {}, least;
	int perf[2][UNCORE_CPUS_MAX], p, k, rounds;
	struct perf_values v;
	unsigned int used;
	struct rival rival;

	for (k = 0; k < 2; k++)
		perf_open_all(_metadata, uncore, 50 + k, false, perf[k]);
	rival_open(_metadata, uncore, self->dev, &rival, 0, 2, 0);
	for (rounds = 0, least = 0; rounds < ROUNDS_MAX && least < EACH; rounds++) {
		spin_ns(NSEC_PER_MSEC);
		ASSERT_TRUE(uncore_tick(uncore, 1));
		rival_look(_metadata, uncore, &rival);
		least = least_ticks(uncore, &rival);
		for (p = 0; p < uncore->packages; p++) {
			used = rival.on[p] ? 2 : 0;
			for (k = 0; k < 2; k++) {
				v = perf_values(perf[k][p]);
				ASSERT_LE(v.value, before[k][p] + 1);
				ASSERT_LE(before[k][p], v.value);
				used += v.value - before[k][p];
				before[k][p] = v.value;
				least = v.value < least ? v.value : least;
			}
			ASSERT_LE(used, 2);
		}
	}
	EXPECT_LE(EACH, least);
	for (k = 0; k < 2; k++) {
		v = perf_values(perf[k][0]);
		TH_LOG("perf: %llu of %d ticks, %llu %% of the time",
		       (unsigned long long)v.value, rounds,
		       (unsigned long long)(v.running * 100 / v.enabled));
		close_all(uncore, perf[k]);
	}
	rival_end(_metadata, uncore, &rival);
}

TEST_HARNESS_MAIN
