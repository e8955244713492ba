// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The view of events. */
#include "test.h"

#include "counters/counter_set.h"
#include "stat/count_report.h"
#include "top/top_screen.h"

static struct counter counters[] = {
	{ .name = "task-clock", .unit = "", .scale = 1.0, .sum = 0, .nr_boxes = 1,
	  .group = 0, .supported = true,
	  .attr = &(struct perf_event_attr){ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK } },
	{ .name = "cycles", .unit = "", .scale = 1.0, .sum = 1, .nr_boxes = 1,
	  .group = 1, .supported = true,
	  .attr = &(struct perf_event_attr){ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES } },
	{ .name = "instructions", .unit = "", .scale = 1.0, .sum = 2, .nr_boxes = 1,
	  .group = 1, .supported = true,
	  .attr = &(struct perf_event_attr){ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS } },
	{ .name = "a-name-that-is-much-longer-than-any-column-of-a-small-screen", .unit = "", .scale = 1.0, .sum = 3, .nr_boxes = 1,
	  .group = 2,
	  .supported = true, .attr = &(struct perf_event_attr){ .type = PERF_TYPE_RAW, .config = 1 } },
	{ .name = "bus-cycles", .unit = "", .scale = 1.0, .sum = 4, .nr_boxes = 1,
	  .group = 3,
	  .attr = &(struct perf_event_attr){ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_BUS_CYCLES } },
};

/* Half a second: what was counted, scaled; enabled; running. -1: not counted. */
static const double values[][3] = {
	{ 250e6, 5e8, 5e8 },
	{ 1e9, 5e8, 2.5e8 },
	{ 1.5e9, 5e8, 2.5e8 },
	{ -1, 5e8, 0 },
	{ -1, 0, 0 },
};

struct fixture {
	struct aggr aggr;
	struct counter_set set;
	struct counts counts[ARRAY_SIZE(counters)];
	struct report report;
	struct top_view view;
	struct top_content content;
	struct top_screen screen;
};

static void fill(struct fixture *x)
{
	size_t i;
	int bad;

	memset(x, 0, sizeof(*x));
	assert_int_equal(aggr_init(&x->aggr, AGGR_GLOBAL, NULL, AGGR_FOLDER, &bad), 0);
	x->set = (struct counter_set){ .counters = counters, .nr = ARRAY_SIZE(counters),
				       .aggr = &x->aggr, .counts = x->counts, .nr_lines = 1 };
	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		if (values[i][0] >= 0)
			stats_update(&x->counts[i].value, values[i][0]);
		stats_update(&x->counts[i].enabled, values[i][1]);
		stats_update(&x->counts[i].running, values[i][2]);
	}
	x->counts[3].reason = "other pmcgrp groups have the counters";
	x->report = (struct report){ .set = &x->set, .subject = "process 42", .runs = 1 };
	stats_update(&x->report.elapsed, 0.5);
	x->content = (struct top_content){ .report = &x->report, .view = &x->view,
					   .clock = "12:00:00", .width = 80 };
}

static void clear(struct fixture *x)
{
	top_screen_free(&x->screen);
	aggr_free(&x->aggr);
}

static void lines(void **state)
{
	static const char * const rows[] = {
		"task-clock                   500.00 msec/sec  100.00% 0.500 CPUs utilized",
		"cycles                           2.000 G/sec   50.00% 4.000 GHz",
		"instructions                     3.000 G/sec   50.00% 1.50 insn per cycle",
		"a-name-that-is-much-longer-t   <not counted>    0.00% # other pmcgrp groups have",
		"bus-cycles                   <not supported>",
	};
	struct fixture x;
	size_t i;

	(void)state;
	fill(&x);
	assert_int_equal(top_screen_make(&x.screen, &x.content), 0);
	assert_string_equal(x.screen.title.text, "pmcgrp top: process 42, the last 0.500 s"
					    "                                12:00:00");
	assert_string_equal(x.screen.columns.text,
			    "EVENT                                   RATE  RUNNING");
	assert_int_equal(x.screen.nr, ARRAY_SIZE(rows));
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(x.screen.rows[i].text, rows[i]);
	/* What was scaled is seen. */
	assert_int_equal(x.screen.rows[0].style[40], TOP_PLAIN);
	assert_int_equal(x.screen.rows[1].style[40], TOP_PARTIAL);
	clear(&x);
}

/* No line is wider than the screen, whatever that is, nor has blanks at its end. */
static void any_width(void **state)
{
	struct fixture x;
	unsigned int width;
	size_t i;

	(void)state;
	fill(&x);
	for (width = 0; width < 1000; width += 7) {
		size_t most = width < TOP_WIDTH_MIN ? TOP_WIDTH_MIN : width;

		x.content.width = width;
		assert_int_equal(top_screen_make(&x.screen, &x.content), 0);
		assert_row(width, strlen(x.screen.title.text) <= most);
		for (i = 0; i < x.screen.nr; i++) {
			size_t len = strlen(x.screen.rows[i].text);

			assert_row(width, len && len <= most && x.screen.rows[i].text[len - 1] != ' ');
		}
	}
	/* There is room for all of it in the end. */
	assert_non_null(strstr(x.screen.rows[3].text, "small-screen"));
	assert_non_null(strstr(x.screen.rows[3].text, "have the counters"));
	clear(&x);
}

static void scrolling(void **state)
{
	(void)state;
	assert_int_equal(top_screen_offset(10, 0, 4), 0);
	assert_int_equal(top_screen_offset(10, 5, 4), 5);
	assert_int_equal(top_screen_offset(10, 7, 4), 6);
	assert_int_equal(top_screen_offset(10, 3, 10), 0);
	assert_int_equal(top_screen_offset(10, 3, 100), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(any_width),
		cmocka_unit_test(scrolling),
	};

	return cmocka_run_group_tests_name("top: screen", tests, NULL, NULL);
}
