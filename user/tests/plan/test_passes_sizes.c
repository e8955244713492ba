// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Passes: the reasons for their number, and how many events can be divided in how many nodes. */
#include "test.h"

#include "plan/passes_here.h"

/* Of pmcgrp_plan(), within so many nodes. */
static void find_within(struct set *set, struct pmcgrp_plan_passes *passes, uint64_t nodes)
{
	struct passes_limits limits = { .nodes = nodes, .until_us = UINT64_MAX };
	int ret;

	ret = passes_find(passes, &set->pmu, set->group, set->nr, &set->options, planner_fits, set, &limits);
	assert_int_equal(ret, 0);
}

/* It is right, and as many passes as are said, for this reason. */
static void finds(struct set *set, unsigned int nr, const char *why, uint64_t nodes)
{
	struct pmcgrp_plan_passes passes;

	find_within(set, &passes, nodes);
	assert_string_equal(passes.why, why);
	assert_int_equal(passes.nr, nr);
	assert_int_equal(passes.least, nr);
	assert_int_equal(passes.misfit, set->nr);
	passes_right(set, &passes, planner_fits, set);
	free(passes.pass);
}

static void add_groups(struct set *set, unsigned int nr, uint64_t mask, unsigned int flags)
{
	while (nr--) {
		add_event(set, mask, 0, 0, flags);
		add_group(set, 1);
	}
}

static void add_values(struct set *set, unsigned int nr, uint64_t mask, unsigned int extra)
{
	while (nr--) {
		add_event(set, mask, extra, nr + 1, 0);
		add_group(set, 1);
	}
}

/* perf's cache events: those of the last-level cache and of nodes take a value of OFFCORE_RSP each. */
static void cache_events(void **state)
{
	struct set set;

	(void)state;
	skylake(&set);
	add_groups(&set, 12, GP, 0);
	add_values(&set, 8, GP, 1);
	finds(&set, 5, "20 events on 4 general-purpose counters", 0);
	skylake(&set);
	set.pmu.nr_gp = 8;
	add_groups(&set, 12, 0xff, 0);
	add_values(&set, 8, 0xff, 1);
	finds(&set, 4, "8 values of OFFCORE_RSP for 2 registers", 0);
}

static void reasons(void **state)
{
	struct set set;

	(void)state;
	skylake(&set);
	finds(&set, 0, "", 0);
	add_groups(&set, 1, 0, PMCGRP_PLAN_SOFTWARE);
	finds(&set, 1, "", 0);
	add_groups(&set, 4, GP, 0);
	finds(&set, 1, "", 0);
	add_groups(&set, 5, 0x4, 0);
	finds(&set, 5, "5 events need GP2, and it counts one at a time", 0);
	set.pmu.watchdog = NULL;

	skylake(&set);
	add_groups(&set, 5, 0xc, 0);
	finds(&set, 3, "5 events need GP2 or GP3, and these count 2 at a time", 0);

	skylake(&set);
	add_groups(&set, 5, 0x20000000fULL, 0);
	watched(&set);
	finds(&set, 2, "5 events on 4 general-purpose counters and FIXED1, of which the NMI watchdog has one",
	      0);

	skylake(&set);
	add_groups(&set, 9, GP, 0);
	set.group[0].nr = 3;
	set.group[1] = (struct pmcgrp_plan_group){ .events = &set.of_group[3], .nr = 3 };
	set.group[2] = (struct pmcgrp_plan_group){ .events = &set.of_group[6], .nr = 2 };
	set.nr = 3;
	finds(&set, 3, "8 events on 4 general-purpose counters, in groups that stay whole", 0);

	skylake(&set);
	add_groups(&set, 3, GP, PMCGRP_PLAN_EXCLUSIVE);
	set.pmu.ht_limit = 2;
	finds(&set, 2, "3 events on 2 counters, all that a hyper-thread has beside exclusive events", 0);

	skylake(&set);
	set.pmu.nr_gp = 6;
	add_groups(&set, 4, 0x15, PMCGRP_PLAN_PAIR);
	finds(&set, 2, "4 events need GP0, GP2 or GP4, and these count 3 at a time", 0);
	add_groups(&set, 6, 0x3f, 0);
	finds(&set, 3, "10 events, 4 of which take two counters, on 6 general-purpose counters", 0);
}

static void alone(void **state)
{
	struct set set;

	(void)state;
	skylake(&set);
	add_groups(&set, 2, GP, 0);
	set.group[0].exclusive = true;
	finds(&set, 2, "1 exclusive group is counted alone, and the others in another pass", 0);
	set.group[1].exclusive = true;
	finds(&set, 2, "2 groups are exclusive, and each is counted alone", 0);
	add_groups(&set, 5, GP, 0);
	finds(&set, 4, "2 exclusive groups are counted alone, and 5 events on 4 general-purpose counters", 0);
	set.options.who = PMCGRP_PLAN_PMCGRP;
	finds(&set, 2, "7 events on 4 general-purpose counters", 0);
}

/* pmcgrp counts equal events of several groups by one counter. */
static void shared(void **state)
{
	struct set set;
	unsigned int i;

	(void)state;
	skylake(&set);
	add_groups(&set, 12, GP, 0);
	for (i = 0; i < set.nr_events; i++)
		set.event[i].code = 1 + i % 4;
	finds(&set, 3, "12 events on 4 general-purpose counters", 0);
	set.options.who = PMCGRP_PLAN_PMCGRP;
	finds(&set, 1, "", 0);
}

static void misfits(void **state)
{
	struct pmcgrp_plan_passes passes;
	struct set set;

	(void)state;
	skylake(&set);
	add_groups(&set, 1, GP, 0);
	add_event(&set, 0x4, 0, 0, 0);
	add_event(&set, 0x4, 0, 0, 0);
	add_group(&set, 2);
	assert_int_equal(pmcgrp_plan_passes(&passes, &set.pmu, set.group, set.nr, NULL, 1000000), 0);
	assert_int_equal(passes.nr, 0);
	assert_int_equal(passes.misfit, 1);
	assert_true(passes.why[0]);
	free(passes.pass);
	set.group[1].nr = 0;
	assert_int_equal(pmcgrp_plan_passes(&passes, &set.pmu, set.group, set.nr, NULL, 1000000), -EINVAL);
	set.group[1].nr = PMCGRP_PLAN_EVENTS_MAX;
	assert_int_equal(pmcgrp_plan_passes(&passes, &set.pmu, set.group, set.nr, NULL, 1000000), -E2BIG);
	set.group[1].nr = 1;
	set.pmu.nr_gp = PMCGRP_PLAN_FIXED + 1;
	assert_int_equal(pmcgrp_plan_passes(&passes, &set.pmu, set.group, set.nr, NULL, 1000000), -EINVAL);
	assert_null(passes.pass);
}

/* Events of Skylake and of Zen in groups of one to three; how many nodes the search takes. */
static void random_groups(struct set *set, bool zen, unsigned int nr)
{
	static const uint64_t intel[] = { GP, GP, GP, GP, 0x4, 0x1, 0x2, 0x3, 0xc, 0x10000000f, 0x20000000f };
	static const uint64_t amd[] = { 0x3f, 0x3f, 0x3f, 0x38, 0x07 };
	unsigned int i, size;
	uint64_t mask;
	bool value;

	skylake(set);
	set->pmu.nr_gp = zen ? 6 : 4;
	for (i = 0; i < nr; i++) {
		value = !zen && !random_below(3);
		mask = intel[random_below(ARRAY_SIZE(intel))];
		if (zen)
			mask = amd[random_below(ARRAY_SIZE(amd))];
		if (zen && !random_below(4))
			add_event(set, 0x15, 0, 0, PMCGRP_PLAN_PAIR);
		else
			add_event(set, mask, value ? 1 + random_below(2) : 0, random_below(8), 0);
	}
	for (i = 0; i < nr; i += size) {
		size = 1 + random_below(3);
		if (size > nr - i)
			size = nr - i;
		while (size > 1 && !pmcgrp_plan_fits(&set->pmu, &set->of_group[i], size, NULL))
			size--;
		add_group(set, size);
	}
}

/* Within so many nodes, of which there are a million in a second: with a proof, or with a bound. */
static unsigned int proven(bool zen, unsigned int nr, unsigned int sets, uint64_t nodes)
{
	struct pmcgrp_plan_passes passes;
	unsigned int i, found = 0;
	struct set set;

	for (i = 0; i < sets; i++) {
		random_groups(&set, zen, nr);
		find_within(&set, &passes, nodes);
		assert_row(i, passes.misfit == set.nr && passes.nr);
		passes_right(&set, &passes, planner_fits, &set);
		found += passes.nr == passes.least;
		free(passes.pass);
	}
	return found;
}

static void sizes(void **state)
{
	(void)state;
	seed = 4;
	assert_int_equal(proven(false, 20, 50, 100000), 50);
	assert_int_equal(proven(true, 20, 50, 100000), 50);
	assert_in_range(proven(false, 64, 10, 100000), 6, 10);
	assert_in_range(proven(true, 64, 10, 100000), 5, 10);
	proven(false, PMCGRP_PLAN_EVENTS_MAX, 1, 2000);
	proven(true, PMCGRP_PLAN_EVENTS_MAX, 1, 2000);
}

/* Without any time there is an answer, too, and a bound. */
static void no_time(void **state)
{
	struct pmcgrp_plan_passes passes;
	struct set set;
	unsigned int i;

	(void)state;
	for (seed = 5, i = 0; i < 50; i++) {
		random_groups(&set, i % 2, 40);
		find_within(&set, &passes, 0);
		passes_right(&set, &passes, planner_fits, &set);
		free(passes.pass);
		assert_int_equal(pmcgrp_plan_passes(&passes, &set.pmu, set.group, set.nr, &set.options, 0), 0);
		passes_right(&set, &passes, planner_fits, &set);
		free(passes.pass);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cache_events),
		cmocka_unit_test(reasons),
		cmocka_unit_test(alone),
		cmocka_unit_test(shared),
		cmocka_unit_test(misfits),
		cmocka_unit_test(sizes),
		cmocka_unit_test(no_time),
	};

	return cmocka_run_group_tests_name("passes_sizes", tests, NULL, NULL);
}
