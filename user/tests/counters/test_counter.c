// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* From the list of -e to attrs and groups. */
#include "test.h"

#include "counters/counter_set.h"

static struct aggr aggr;

static int setup(void **state)
{
	int bad;

	(void)state;
	return aggr_init(&aggr, AGGR_GLOBAL, NULL, AGGR_FOLDER, &bad);
}

static int teardown(void **state)
{
	(void)state;
	aggr_free(&aggr);
	return 0;
}

static void init(struct counter_set *set, const char *string)
{
	struct pmcgrp_events *events;

	assert_int_equal(pmcgrp_events_parse(&events, string, 0, NULL), 0);
	assert_int_equal(counter_set_init(set, events, &aggr), 0);
	pmcgrp_events_free(events);
}

/* u, k and h leave out what is not named; without them, nothing is left out. */
static void modifiers(void **state)
{
	static const struct {
		const char *string;
		bool user, kernel, hv;	/* excluded */
	} rows[] = {
		{ "cycles", false, false, false },
		{ "cycles:u", false, true, true },
		{ "cycles:k", true, false, true },
		{ "cycles:h", true, true, false },
		{ "cycles:uk", false, false, true },
		{ "cycles:ukh", false, false, false },
		{ "cycles:D", false, false, false },
		{ "cycles:uD", false, true, true },
		{ "{cycles}:u", false, true, true },
		{ "{cycles:k}:u", false, false, true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct perf_event_attr expected = {
			.type = PERF_TYPE_HARDWARE,
			.size = sizeof(expected),
			.config = PERF_COUNT_HW_CPU_CYCLES,
			.exclude_user = rows[i].user,
			.exclude_kernel = rows[i].kernel,
			.exclude_hv = rows[i].hv,
		};
		struct counter_set set;

		init(&set, rows[i].string);
		/* Nothing but what says what to count. */
		assert_memory_equal(set.counters[0].attr, &expected, sizeof(expected));
		assert_row(i, set.groups[0].pinned == !!strchr(rows[i].string, 'D'));
		counter_set_free(&set);
	}
}

static void groups(void **state)
{
	struct counter_set set;

	(void)state;
	init(&set, "cs,{cycles,instructions,faults}:D,task-clock");
	assert_int_equal(set.nr, 5);
	assert_int_equal(set.nr_groups, 3);
	assert_int_equal(set.groups[1].first, 1);
	assert_int_equal(set.groups[1].nr, 3);
	assert_true(set.groups[1].pinned);
	assert_false(set.groups[0].pinned || set.groups[2].pinned);
	assert_int_equal(set.groups[2].first, 4);
	assert_string_equal(set.counters[1].name, "cycles:D");
	assert_int_equal(counter_set_supported(&set), 5);
	assert_true(counter_is_clock(&set.counters[4]));
	assert_false(counter_is_clock(&set.counters[3]));
	counter_set_free(&set);
}

/* What was counted in a part of the time stands for the whole of it. */
static void scaling(void **state)
{
	struct counts c = { 0 };

	(void)state;
	assert_false(counts_counted(&c));
	counts_update(&c, (struct reading){ 0, 1000, 0 });
	assert_false(counts_counted(&c));
	counts_update(&c, (struct reading){ 300, 1000, 250 });
	assert_true(counts_counted(&c));
	assert_true(c.value.mean == 1200.0);
	/* 1200 and 800; the run that was never counted does not pull the mean down. */
	counts_update(&c, (struct reading){ 800, 1000, 1000 });
	assert_true(c.value.mean == 1000.0);
	assert_true(c.value.n == 2);
	assert_true(c.enabled.mean == 1000.0);
	assert_true(counts_running_percent(&c) > 41.66 && counts_running_percent(&c) < 41.67);
}

/* --no-scale: what was counted, and the percentage. */
static void unscaled(void **state)
{
	struct counts c = { 0 };

	(void)state;
	counts_update_unscaled(&c, (struct reading){ 0, 1000, 0 });
	assert_false(counts_counted(&c));
	counts_update_unscaled(&c, (struct reading){ 300, 1000, 250 });
	assert_true(c.value.mean == 300.0);
	assert_true(c.ran && c.waited);
}

/* The sum of all intervals is what the groups have counted, the last one alone is gone. */
static void total(void **state)
{
	struct counter_set set;
	struct counts *cs, *faults;

	(void)state;
	init(&set, "cs,faults,cycles");
	cs = counter_counts(&set, 0, 0);
	faults = counter_counts(&set, 0, 1);
	set.counters[2].supported = false;
	cs->before = (struct reading){ 40, 1000, 500 };
	counts_update(cs, (struct reading){ 3, 10, 10 });
	faults->before = (struct reading){ 0, 1000, 0 };
	counter_set_total(&set);
	assert_true(cs->value.n == 1 && cs->value.mean == 80.0);
	assert_true(cs->enabled.mean == 1000.0 && cs->running.mean == 500.0);
	assert_false(counts_counted(faults));
	assert_true(counter_counts(&set, 0, 2)->enabled.n == 0);
	set.unscaled = true;
	counter_set_total(&set);
	assert_true(cs->value.n == 1 && cs->value.mean == 40.0);
	counter_set_free(&set);
}

/* A new interval knows nothing of the one before, but whether anything ever ran. */
static void intervals(void **state)
{
	struct counter_set set;
	struct counts *c;

	(void)state;
	init(&set, "cs");
	c = counter_counts(&set, 0, 0);
	counts_update(c, (struct reading){ 300, 1000, 1000 });
	counter_set_clear(&set);
	assert_false(counts_counted(c));
	counts_update(c, (struct reading){ 10, 1000, 500 });
	assert_true(c->value.n == 1 && c->value.mean == 20.0);
	counter_set_clear(&set);
	counts_update(c, (struct reading){ 0, 1000, 0 });
	assert_false(counts_counted(c));
	assert_false(counter_group_starved(&set, 0));
	counter_set_free(&set);
}

static void took(struct counter_set *set, unsigned int i, uint64_t enabled, uint64_t running)
{
	counts_update(counter_counts(set, 0, i), (struct reading){ 0, enabled, running });
}

static void starved(void **state)
{
	struct counter_set set;

	(void)state;
	init(&set, "{cs,faults},cycles,instructions,branches,cache-misses");
	set.counters[0].supported = false;
	took(&set, 1, 100, 0);		/* waited in vain */
	took(&set, 2, 100, 1);		/* had a moment */
	took(&set, 3, 0, 0);		/* target never ran */
	took(&set, 4, 0, 0);		/* pinned, in error */
	set.groups[3].failed = true;
	set.counters[5].supported = false;
	assert_true(counter_group_starved(&set, 0));
	assert_false(counter_group_starved(&set, 1));
	assert_false(counter_group_starved(&set, 2));
	assert_true(counter_group_starved(&set, 3));
	assert_false(counter_group_starved(&set, 4));
	assert_true(counter_group_share(&set, 0) == 0.0);
	assert_true(counter_group_share(&set, 1) == 0.01);
	assert_true(counter_group_share(&set, 2) == 0.0);
	took(&set, 1, 300, 100);
	assert_true(counter_group_share(&set, 0) == 0.25);
	counter_set_free(&set);
}

/*
 * With perf's descriptors: on lines of their own CPUs make the sum, and what is read a
 * second time is what came since.
 */
static void reading(void **state)
{
	struct counter_target target = { .type = PMCGRP_TARGET_ALL_CPUS };
	struct pmcgrp_cpus online, none = { 0 };
	struct counter_set sum, parts;
	struct pmcgrp *h;
	struct aggr apart;
	double enabled = 0;
	unsigned int i;
	int bad, ret;

	(void)state;
	assert_int_equal(pmcgrp_open(&h, PMCGRP_OPEN_PERF), 0);
	assert_int_equal(pmcgrp_cpus_online(&online), 0);
	init(&sum, "cpu-clock");
	/* Lines are made as CPUs are found, also those that were not there before. */
	assert_int_equal(aggr_init(&apart, AGGR_NONE, &none, AGGR_FOLDER, &bad), 0);
	init(&parts, "cpu-clock");
	parts.aggr = &apart;
	parts.nr_lines = 0;
	ret = counter_set_open(&sum, h, &target, NULL);
	if (ret == -EACCES || ret == -EPERM || ret == -ENOSYS) {
		print_message("# skipped: %s\n", pmcgrp_strerror(h));
		skip();
	}
	assert_int_equal(ret, 0);
	assert_int_equal(counter_set_open(&parts, h, &target, NULL), 0);
	assert_int_equal(counter_set_enable(&parts), 0);
	assert_int_equal(counter_set_enable(&sum), 0);
	assert_int_equal(counter_set_disable(&sum), 0);
	assert_int_equal(counter_set_disable(&parts), 0);
	assert_int_equal(counter_set_read(&sum), 0);
	assert_int_equal(counter_set_read(&parts), 0);
	assert_int_equal(parts.nr_lines, pmcgrp_cpus_nr(&online));
	assert_int_equal(sum.nr_lines, 1);
	for (i = 0; i < parts.nr_lines; i++) {
		assert_true(counter_counts(&parts, i, 0)->value.mean > 0);
		enabled += counter_counts(&parts, i, 0)->enabled.mean;
	}
	/* The sum was counted within the time of the parts. */
	assert_true(counter_counts(&sum, 0, 0)->enabled.mean > 0);
	assert_true(counter_counts(&sum, 0, 0)->enabled.mean < enabled);
	counter_set_clear(&parts);
	assert_int_equal(counter_set_read(&parts), 0);
	for (i = 0; i < parts.nr_lines; i++) {
		assert_true(counter_counts(&parts, i, 0)->enabled.n == 1);
		assert_true(counter_counts(&parts, i, 0)->enabled.mean == 0);
	}
	counter_set_free(&sum);
	counter_set_free(&parts);
	aggr_free(&apart);
	pmcgrp_close(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modifiers),
		cmocka_unit_test(groups),
		cmocka_unit_test(scaling),
		cmocka_unit_test(unscaled),
		cmocka_unit_test(total),
		cmocka_unit_test(intervals),
		cmocka_unit_test(starved),
		cmocka_unit_test(reading),
	};

	return cmocka_run_group_tests_name("counter", tests, setup, teardown);
}
