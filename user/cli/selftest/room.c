// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The PMU: how much fits, and whether all get their turn when more is asked for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

#define EVENTS 24 /* that may be tried, more than a core has counters */
#define GROUPS 6
#define PERIOD_NS 600000000ULL
#define TRY_NS 100000000ULL
#define SLICE 100000

static const uint64_t configs[] = {
	PERF_COUNT_HW_CPU_CYCLES,
	PERF_COUNT_HW_INSTRUCTIONS,
	PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	PERF_COUNT_HW_BRANCH_MISSES,
	PERF_COUNT_HW_CACHE_REFERENCES,
	PERF_COUNT_HW_CACHE_MISSES,
};

/* The i-th of events no two of which are equal; false: there are no more. */
static bool event_nr(unsigned int i, struct perf_event_attr *attr)
{
	const unsigned int kinds = sizeof(configs) / sizeof(configs[0]);
	static const struct {
		unsigned int user, kernel;
	} excluded[] = { { 0, 1 }, { 1, 0 }, { 0, 0 } };

	if (i >= kinds * sizeof(excluded) / sizeof(excluded[0]) || i >= EVENTS)
		return false;
	*attr = check_hardware(configs[i % kinds]);
	attr->exclude_user = excluded[i / kinds].user;
	attr->exclude_kernel = excluded[i / kinds].kernel;
	return true;
}

/* Those of them that this machine knows. */
static unsigned int known_events(struct check *c, struct perf_event_attr *attr)
{
	struct pmcgrp_group *group;
	unsigned int i, nr = 0;

	for (i = 0; event_nr(i, &attr[nr]); i++) {
		if (check_group(c, CHECK_THREAD, &attr[nr], 1, &group))
			continue;
		pmcgrp_group_close(group);
		nr++;
	}
	return nr;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ULL + (uint64_t)t.tv_nsec;
}

static void work(uint64_t ns)
{
	uint64_t end = now_ns() + ns;

	while (now_ns() < end)
		check_loop(SLICE);
}

/* Of so many events in one group: whether there is room for them. */
static bool fits(struct check *c, const struct perf_event_attr *attr, unsigned int nr)
{
	struct pmcgrp_group *group;
	int ret = check_group(c, CHECK_THREAD, attr, nr, &group);

	if (!ret) {
		pmcgrp_group_close(group);
		return true;
	}
	if (pmcgrp_error_why(c->h) != PMCGRP_WHY_TOO_LARGE)
		check_fail(c, "a group of %u events: %s", nr, pmcgrp_strerror(c->h));
	return false;
}

/* Whether a group of so many events comes on, for all of its members. */
static bool comes_on(struct check *c, const struct perf_event_attr *attr, unsigned int nr,
		     struct check_values *v)
{
	struct pmcgrp_group *group;
	bool good;

	if (check_group(c, CHECK_THREAD, attr, nr, &group))
		return check_fail(c, "a group of %u events was accepted, and then not: %s", nr,
				  pmcgrp_strerror(c->h));
	work(TRY_NS);
	good = check_read(c, group, v);
	pmcgrp_group_close(group);
	return good && v->running;
}

/* The largest group that is accepted: it counts, or others have counters, and then a smaller one does. */
void check_room(struct check *c)
{
	struct perf_event_attr attr[EVENTS + 1];
	unsigned int known = known_events(c, attr), most, nr;
	struct check_values v = { 0 };

	if (!known) {
		check_skip(c, "no hardware event can be counted: %s", pmcgrp_strerror(c->h));
		return;
	}
	if (known > CHECK_MEMBERS)
		known = CHECK_MEMBERS;
	for (most = 1; most < known && fits(c, attr, most + 1); most++)
		;
	for (nr = most; nr && !*c->failed && !comes_on(c, attr, nr, &v); nr--)
		;
	if (*c->failed)
		return;
	check_note(c, "%u events%s fit together; of %u each is on for %.1f %% of the time", most,
		   most == known ? " or more" : "", nr,
		   100.0 * (double)v.running / (double)(v.enabled ? v.enabled : 1));
	if (nr < most)
		check_note(c, "who has the others: see doctor below");
	if (!nr)
		check_skip(c, "no counter came free within 0.1 s; who has them: see doctor below");
}

/* What read() of an event of perf's gives. */
struct perf_values {
	uint64_t value, enabled, running;
};

static int open_timed(const struct perf_event_attr *attr, int leader)
{
	struct perf_event_attr a = *attr;

	a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return check_perf(&a, leader);
}

/*
 * Whether others leave two counters, at least now and then: to a group of perf's, which shares none with groups of
 * pmcgrp.
 */
static bool leaves_two(const struct perf_event_attr *attr)
{
	int leader = open_timed(&attr[0], -1), member = leader < 0 ? -1 : open_timed(&attr[1], leader);
	struct perf_values v = { 0 };
	bool leaves = false;

	if (member >= 0) {
		work(TRY_NS);
		leaves = read(leader, &v, sizeof(v)) == sizeof(v) && v.running;
		close(member);
	}
	if (leader >= 0)
		close(leader);
	return leaves;
}

static unsigned int open_perf(const struct perf_event_attr *attr, unsigned int nr, int *fd)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		fd[i] = open_timed(&attr[i], -1);
		if (fd[i] < 0)
			break;
	}
	return i;
}

static void judge_perf(struct check *c, const int *fd, unsigned int nr)
{
	struct perf_values perf;
	double share, least = 1;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (read(fd[i], &perf, sizeof(perf)) != sizeof(perf)) {
			check_fail(c, "read() of perf's event: %s", strerror(errno));
			return;
		}
		share = perf.enabled ? (double)perf.running / (double)perf.enabled : 0;
		if (share < least)
			least = share;
	}
	check_note(c, "%u events of perf beside: each on for %.1f %% of the time or more", nr, 100 * least);
	if (least <= 0)
		check_fail(c, "an event of perf_event_open(2) beside the groups never came on");
}

/* More groups, and events of perf, than there are counters: each gets its turn, as a whole. */
void check_beside_perf(struct check *c)
{
	struct perf_event_attr attr[EVENTS + 1];
	struct pmcgrp_group *group[GROUPS];
	unsigned int known = known_events(c, attr), nr = 0, perf, i;
	int fd[EVENTS];
	struct check_values v;
	double share, least = 1;

	if (known < 2) {
		check_skip(c, "there are no two hardware events: %s", pmcgrp_strerror(c->h));
		return;
	}
	if (!leaves_two(attr)) {
		check_skip(c, "two events of perf got no counters within 0.1 s; who has them: see doctor below");
		return;
	}
	while (nr < GROUPS && 2 * nr + 1 < known && !check_group(c, CHECK_THREAD, &attr[2 * nr], 2, &group[nr]))
		nr++;
	perf = open_perf(attr, known < EVENTS ? known : EVENTS, fd);
	work(PERIOD_NS);
	for (i = 0; i < nr; i++) {
		if (!check_read(c, group[i], &v))
			break;
		share = v.enabled ? (double)v.running / (double)v.enabled : 0;
		if (share < least)
			least = share;
	}
	judge_perf(c, fd, perf);
	check_note(c, "%u groups of two: each on for %.1f %% of the time or more", nr, 100 * least);
	if (nr && least <= 0)
		check_fail(c, "a group never came on within 0.6 s, beside %u events of perf", perf);
	while (perf--)
		close(fd[perf]);
	while (nr--)
		pmcgrp_group_close(group[nr]);
}
