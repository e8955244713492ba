// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Regions in one thread: what is counted, and what is told of what does not nest. */
#include "test.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "regions_here.h"
static int teardown(void **state)
{
	(void)state;
	pmcgrp_regions_stop();
	return 0;
}

/* In a child, as regions are for ever. */
static void in_child(void (*test)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		test();
		exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* ---- Names ---- */

static void fill_names(void)
{
	unsigned int nr = regions.nr_regions;
	char name[16];

	do {
		snprintf(name, sizeof(name), "region %u", nr++);
	} while (pmcgrp_region_find(name) && nr < 2 * PMCGRP_REGIONS_MAX);
	/* The empty region is one more. */
	if (regions.nr_regions != 1 + PMCGRP_REGIONS_MAX || !pmcgrp_region_find("solve"))
		exit(1);
}

static void names(void **state)
{
	char name[PMCGRP_REGION_NAME_MAX + 1];
	struct pmcgrp_region *region = pmcgrp_region_find("solve");

	(void)state;
	assert_non_null(region);
	assert_ptr_equal(pmcgrp_region_find("solve"), region);
	assert_ptr_equal(pmcgrp_region_find_n("solve   ", 8), region);
	assert_ptr_not_equal(pmcgrp_region_find("solve "), region);
	assert_ptr_not_equal(pmcgrp_region_find("solved"), region);
	assert_null(pmcgrp_region_find(NULL));
	assert_null(pmcgrp_region_find(""));
	assert_null(pmcgrp_region_find_n("   ", 3));
	assert_null(pmcgrp_region_find("a\tb"));
	assert_null(pmcgrp_region_find("a\nb"));
	assert_null(pmcgrp_region_find("\xc3\xa4"));
	memset(name, 'x', sizeof(name));
	name[PMCGRP_REGION_NAME_MAX - 1] = '\0';
	assert_non_null(pmcgrp_region_find(name));
	name[PMCGRP_REGION_NAME_MAX - 1] = 'x';
	name[PMCGRP_REGION_NAME_MAX] = '\0';
	assert_null(pmcgrp_region_find(name));
	assert_null(pmcgrp_region_find_n(name, PMCGRP_REGION_NAME_MAX));
	in_child(fill_names);
}

/* ---- Who listens ---- */

static void nobody_listens(void **state)
{
	(void)state;
	assert_int_equal(pmcgrp_regions_on, 0);
	assert_int_equal(pmcgrp_regions_report(NULL), -ENODATA);
	assert_int_equal(pmcgrp_regions_stop(), -EINVAL);
	pmcgrp_region_begin("ignored");
	pmcgrp_region_end("ignored");
	pmcgrp_region_begin_on("ignored");
	pmcgrp_region_begin_n("ignored", 7);
	pmcgrp_region_enter_on(NULL);
	assert_null(region_self);
}

static void wrong_starts(void **state)
{
	struct pmcgrp_events_error error;

	(void)state;
	need_counts();
	assert_int_equal(pmcgrp_regions_start("page-faults,nosuch", PMCGRP_OPEN_PERF, &error),
			 -EINVAL);
	assert_int_equal(error.column, 12);
	assert_non_null(strstr(error.text, "nosuch"));
	assert_int_equal(pmcgrp_regions_start("{page-faults", PMCGRP_OPEN_PERF, NULL), -EINVAL);
	assert_int_equal(pmcgrp_regions_start(EVENTS, 1U << 30, &error), -EINVAL);
	assert_non_null(strstr(error.text, "flags"));
	assert_int_equal(pmcgrp_regions_on, 0);
	listen_to(EVENTS);
	assert_int_equal(pmcgrp_regions_start(EVENTS, PMCGRP_OPEN_PERF, &error), -EBUSY);
	assert_int_equal(pmcgrp_regions_stop(), 0);
	assert_int_equal(pmcgrp_regions_stop(), -EINVAL);
}

/* What an earlier start has counted is forgotten, and what was open then is not counted. */
static void starts_anew(void **state)
{
	struct region_row row;

	(void)state;
	need_counts();
	listen_to(EVENTS);
	pmcgrp_region_begin("anew");
	pmcgrp_region_end("anew");
	pmcgrp_region_begin("anew");
	pmcgrp_regions_stop();
	row = row_of("anew");
	assert_int_equal(row.calls, 2);
	assert_int_equal(row.counted, 1);
	assert_missed(&row, PMCGRP_REGION_OPEN, 1);
	pmcgrp_region_end("anew");
	listen_to("{page-faults:u,task-clock:u}");
	pmcgrp_region_end("anew");
	row = row_of("anew");
	assert_int_equal(row.calls, 0);
	assert_missed(&row, PMCGRP_REGION_NO_BEGIN, 1);
}

/* ---- What is counted ---- */

static void counts(void **state)
{
	struct pmcgrp_region *handle = pmcgrp_region_find("inner");
	struct region_row outer, inner, empty;

	(void)state;
	need_counts();
	listen_to(EVENTS);
	/* The first touch of what they need is no part of them. */
	pmcgrp_region_begin("outer");
	pmcgrp_region_enter(handle);
	pmcgrp_region_leave(handle);
	pmcgrp_region_end("outer");
	fault(1);
	pmcgrp_region_begin("outer");
	fault(3);
	pmcgrp_region_enter(handle);
	fault(10);
	pmcgrp_region_leave(handle);
	pmcgrp_region_begin("inner");
	fault(20);
	pmcgrp_region_end("inner");
	fault(4);
	pmcgrp_region_end("outer");
	outer = row_of("outer");
	inner = row_of("inner");
	assert_int_equal(outer.calls, 2);
	assert_int_equal(outer.counted, 2);
	assert_faults(outer.values[1].max, 37);
	assert_true(outer.values[1].self >= 7 &&
		    outer.values[1].sum == outer.values[1].self + inner.values[1].sum);
	assert_none_missed(&outer);
	assert_int_equal(inner.counted, 3);
	assert_int_equal(inner.nr_threads, 1);
	assert_faults(inner.values[1].sum, 30);
	assert_faults(inner.values[1].self, 30);
	assert_int_equal(inner.values[1].min, 0);
	assert_faults(inner.values[1].max, 20);
	assert_true(inner.values[0].sum > 0 && inner.values[0].min <= inner.values[0].max);
	assert_true(inner.values[0].max < outer.values[0].max);
	assert_none_missed(&inner);
	empty = row_of("");
	assert_int_equal(empty.calls, 16);
	assert_int_equal(empty.values[1].min, 0);
	assert_true(empty.values[0].min > 0);
}

static void recurse(unsigned int levels)
{
	pmcgrp_region_begin("recursive");
	fault(1);
	if (levels > 1)
		recurse(levels - 1);
	pmcgrp_region_end("recursive");
}

static void recursion(void **state)
{
	struct region_row row, other;

	(void)state;
	need_counts();
	recurse(1000);	/* the stack's pages */
	listen_to(EVENTS);
	recurse(1);
	recurse(1000);
	row = row_of("recursive");
	assert_int_equal(row.calls, 1001);
	assert_int_equal(row.counted, 2);
	assert_int_equal(row.values[1].min, 1);
	assert_faults(row.values[1].max, 1000);
	assert_int_equal(row.values[1].self, row.values[1].sum);
	assert_none_missed(&row);
	/* By another one each level is read. */
	pmcgrp_region_begin("recursive");
	fault(2);
	pmcgrp_region_begin("other");
	fault(3);
	pmcgrp_region_begin("recursive");
	fault(4);
	pmcgrp_region_end("recursive");
	pmcgrp_region_end("other");
	pmcgrp_region_end("recursive");
	row = row_of("recursive");
	other = row_of("other");
	assert_int_equal(row.calls, 1003);
	assert_int_equal(row.counted, 3);
	assert_faults(row.values[1].sum, 1001 + 9);
	assert_faults(row.values[1].self, 1001 + 6);
	assert_faults(other.values[1].sum, 7);
	assert_faults(other.values[1].self, 3);
}

/* Where the address of a name is used again for another one. */
static void names_that_change(void **state)
{
	struct region_row row;
	char name[8] = "first";

	(void)state;
	need_counts();
	listen_to(EVENTS);
	pmcgrp_region_begin(name);
	pmcgrp_region_end(name);
	strcpy(name, "second");
	pmcgrp_region_begin(name);
	pmcgrp_region_end(name);
	pmcgrp_region_begin_n("third  ", 7);
	pmcgrp_region_end_n("third", 5);
	row = row_of("first");
	assert_int_equal(row.counted, 1);
	row = row_of("second");
	assert_int_equal(row.counted, 1);
	row = row_of("third");
	assert_int_equal(row.counted, 1);
}

/* ---- What does not nest ---- */

static void mismatched(void **state)
{
	struct region_row a, b, c;

	(void)state;
	need_counts();
	listen_to(EVENTS);
	pmcgrp_region_begin("around");
	pmcgrp_region_begin("a");
	pmcgrp_region_begin("b");
	pmcgrp_region_end("a");
	a = row_of("a");
	assert_int_equal(a.calls, 1);
	assert_int_equal(a.counted, 0);
	assert_missed(&a, PMCGRP_REGION_MISMATCHED, 1);
	b = row_of("b");
	assert_missed(&b, PMCGRP_REGION_MISMATCHED, 1);
	pmcgrp_region_end("b");
	b = row_of("b");
	assert_int_equal(b.missed[PMCGRP_REGION_NO_BEGIN], 1);
	pmcgrp_region_end("around");
	/* It was counted; how much of it was its own is not known. */
	c = row_of("around");
	assert_int_equal(c.counted, 1);
	assert_int_equal(c.self_missed, 1);
	assert_int_equal(c.values[1].self, 0);
	assert_none_missed(&c);
	pmcgrp_region_end("never begun");
	c = row_of("never begun");
	assert_int_equal(c.calls, 0);
	assert_missed(&c, PMCGRP_REGION_NO_BEGIN, 1);
}

static void nest(int levels)
{
	static char names[PMCGRP_REGION_DEPTH_MAX + 2][16];

	snprintf(names[levels], sizeof(names[levels]), "d%d", levels);
	pmcgrp_region_begin(names[levels]);
	if (levels)
		nest(levels - 1);
	pmcgrp_region_end(names[levels]);
}

static void too_deep(void **state)
{
	struct region_row row;

	(void)state;
	need_counts();
	listen_to(EVENTS);
	nest(PMCGRP_REGION_DEPTH_MAX - 1);
	row = row_of("d0");
	assert_int_equal(row.counted, 1);
	nest(PMCGRP_REGION_DEPTH_MAX + 1);
	row = row_of("d0");
	assert_int_equal(row.counted, 1);
	assert_missed(&row, PMCGRP_REGION_TOO_DEEP, 1);
	row = row_of("d1");
	assert_missed(&row, PMCGRP_REGION_TOO_DEEP, 1);
	row = row_of("d2");
	assert_int_equal(row.counted, 2);
	assert_int_equal(row.self_missed, 1);
	row = row_of("d3");
	assert_int_equal(row.counted, 2);
	assert_int_equal(row.self_missed, 0);
	/* One that ends instead of another, out of sight, drops all. */
	pmcgrp_regions_stop();
	listen_to(EVENTS);
	nest(0);
	{
		static char names[PMCGRP_REGION_DEPTH_MAX][16];
		int i;

		for (i = 0; i < PMCGRP_REGION_DEPTH_MAX; i++) {
			snprintf(names[i], sizeof(names[i]), "e%d", i);
			pmcgrp_region_begin(names[i]);
		}
		pmcgrp_region_begin("beyond");
		pmcgrp_region_end(names[PMCGRP_REGION_DEPTH_MAX - 1]);
	}
	row = row_of("e0");
	assert_missed(&row, PMCGRP_REGION_MISMATCHED, 1);
	row = row_of("e63");
	assert_missed(&row, PMCGRP_REGION_MISMATCHED, 1);
	assert_int_equal(region_self->depth, 0);
}

static void refused(void **state)
{
	struct region_set set;

	(void)state;
	need_counts();
	listen_to(EVENTS);
	pmcgrp_region_begin("");
	pmcgrp_region_end("a\tb");
	pmcgrp_region_enter(NULL);
	pmcgrp_region_leave(NULL);
	set = collect();
	assert_int_equal(set.refused[REGION_REFUSED_NAME], 4);
	region_set_free(&set);
	/* As a handler finds it that has interrupted a begin. */
	pmcgrp_region_begin("interrupted");
	region_self->seq++;
	pmcgrp_region_begin("interrupted");
	pmcgrp_region_end("interrupted");
	region_self->seq++;
	pmcgrp_region_end("interrupted");
	set = collect();
	assert_int_equal(set.refused[REGION_REFUSED_INTERRUPTED], 2);
	region_set_free(&set);
	assert_int_equal(row_of("interrupted").calls, 1);
	assert_int_equal(row_of("interrupted").counted, 1);
}

/* ---- What cannot be counted ---- */

/* The group had its counters for half of the time. */
static void partly(void **state)
{
	struct region_frame *frame;
	struct region_row row;

	(void)state;
	need_counts();
	listen_to(EVENTS);
	pmcgrp_region_begin("around");
	pmcgrp_region_begin("partly");
	frame = region_frame(region_self, 1);
	frame->words[1] = 0;
	frame->words[2] += 5;
	pmcgrp_region_end("partly");
	pmcgrp_region_end("around");
	row = row_of("partly");
	assert_int_equal(row.calls, 1);
	assert_int_equal(row.counted, 0);
	assert_missed(&row, PMCGRP_REGION_PARTLY, 1);
	assert_true(row.enabled > row.running);
	assert_int_equal(row.values[1].sum, 0);
	row = row_of("around");
	assert_int_equal(row.self_missed, 1);
}

/* No descriptor is left for a group. */
static void uncounted_thread(void)
{
	struct rlimit before, none;
	struct region_row row;
	struct region_set set;

	listen_to(EVENTS);
	getrlimit(RLIMIT_NOFILE, &before);
	none = before;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	pmcgrp_region_begin("uncounted");
	pmcgrp_region_begin("uncounted");
	pmcgrp_region_end("uncounted");
	pmcgrp_region_end("uncounted");
	setrlimit(RLIMIT_NOFILE, &before);
	row = row_of("uncounted");
	if (row.calls != 2 || row.counted || row.missed[PMCGRP_REGION_UNCOUNTED] != 1)
		exit(1);
	set = collect();
	if (set.nr_threads != 1 || set.threads[0].direct ||
	    !strstr(set.threads[0].why, "not counted: "))
		exit(2);
	region_set_free(&set);
}

static void uncounted(void **state)
{
	(void)state;
	need_counts();
	in_child(uncounted_thread);
}

static void default_events(void **state)
{
	struct region_set set;

	(void)state;
	need_counts();
	listen_to(NULL);
	pmcgrp_region_begin("default");
	pmcgrp_region_end("default");
	assert_int_equal(row_of("default").counted, 1);
	set = collect();
	assert_true(set.nr_values >= 2);
	assert_string_equal(set.values[0], "time");
	assert_string_equal(set.backend, "perf_event_open");
	region_set_free(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_listens),
		cmocka_unit_test(names),
		cmocka_unit_test_teardown(wrong_starts, teardown),
		cmocka_unit_test_teardown(starts_anew, teardown),
		cmocka_unit_test_teardown(counts, teardown),
		cmocka_unit_test_teardown(recursion, teardown),
		cmocka_unit_test_teardown(names_that_change, teardown),
		cmocka_unit_test_teardown(mismatched, teardown),
		cmocka_unit_test_teardown(too_deep, teardown),
		cmocka_unit_test_teardown(refused, teardown),
		cmocka_unit_test_teardown(partly, teardown),
		cmocka_unit_test_teardown(uncounted, teardown),
		cmocka_unit_test_teardown(default_events, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
