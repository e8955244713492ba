// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* From the list of -e to attrs and groups. */
#include "test.h"

#include "counter.h"

static void init(struct counter_set *set, const char *string)
{
	struct event_list list = { 0 };
	struct event_error error;
	size_t bad;

	assert_int_equal(event_list_parse(&list, string, &error), 0);
	assert_int_equal(counter_set_init(set, &list, &error, &bad), 0);
	event_list_free(&list);
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
		assert_memory_equal(&set.counters[0].attr, &expected, sizeof(expected));
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

static void unknown_name(void **state)
{
	struct event_list list = { 0 };
	struct event_error error;
	struct counter_set set;
	size_t bad;

	(void)state;
	assert_int_equal(event_list_parse(&list, "cs,{faults,bogus}:u", &error), 0);
	assert_int_equal(counter_set_init(&set, &list, &error, &bad), -ENOENT);
	assert_int_equal(bad, 2);
	assert_int_equal(error.column, 11);
	assert_int_equal(strncmp(error.text, "'bogus' is not a name", 21), 0);
	event_list_free(&list);
}

/* What was counted in a part of the time stands for the whole of it. */
static void scaling(void **state)
{
	struct counter c = { .supported = true };

	(void)state;
	assert_false(counter_counted(&c));
	counter_update(&c, 0, 1000, 0);
	assert_false(counter_counted(&c));
	counter_update(&c, 300, 1000, 250);
	assert_true(counter_counted(&c));
	assert_true(c.value.mean == 1200.0);
	/* 1200 and 800; the run that was never counted does not pull the mean down. */
	counter_update(&c, 800, 1000, 1000);
	assert_true(c.value.mean == 1000.0);
	assert_true(c.value.n == 2);
	assert_true(c.enabled.mean == 1000.0);
	assert_true(counter_running_percent(&c) > 41.66 && counter_running_percent(&c) < 41.67);
}

static void took(struct counter *counter, double enabled, double running)
{
	stats_update(&counter->enabled, enabled);
	stats_update(&counter->running, running);
}

static void starved(void **state)
{
	struct counter_set set;

	(void)state;
	init(&set, "{cs,faults},cycles,instructions,branches,cache-misses");
	set.counters[0].supported = false;
	took(&set.counters[1], 100, 0);		/* waited in vain */
	took(&set.counters[2], 100, 1);		/* had a moment */
	took(&set.counters[3], 0, 0);		/* target never ran */
	took(&set.counters[4], 0, 0);		/* pinned, in error */
	set.groups[3].failed = true;
	set.counters[5].supported = false;
	assert_true(counter_group_starved(&set, 0));
	assert_false(counter_group_starved(&set, 1));
	assert_false(counter_group_starved(&set, 2));
	assert_true(counter_group_starved(&set, 3));
	assert_false(counter_group_starved(&set, 4));
	counter_set_free(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modifiers),
		cmocka_unit_test(groups),
		cmocka_unit_test(unknown_name),
		cmocka_unit_test(scaling),
		cmocka_unit_test(starved),
	};

	return cmocka_run_group_tests_name("counter", tests, NULL, NULL);
}
