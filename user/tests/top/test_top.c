// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The lines that top shows, its command line, and the tool in a terminal of tmux. */
#include "test.h"

#include "tool.h"
#include "top/options.h"
#include "top/screen.h"

/* ---- The lines ---- */

static struct counter counters[] = {
	{ .name = "task-clock", .group = 0, .supported = true,
	  .attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK } },
	{ .name = "cycles", .group = 1, .supported = true,
	  .attr = { .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES } },
	{ .name = "instructions", .group = 1, .supported = true,
	  .attr = { .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS } },
	{ .name = "a-name-that-is-much-longer-than-any-column-of-a-small-screen", .group = 2,
	  .supported = true, .attr = { .type = PERF_TYPE_RAW, .config = 1 } },
	{ .name = "bus-cycles", .group = 3,
	  .attr = { .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_BUS_CYCLES } },
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
	assert_int_equal(top_screen_make(&x.screen, &x.report, "12:00:00", 80), 0);
	assert_string_equal(x.screen.title, "pmcgrp top: process 42, the last 0.500 s"
					    "                                12:00:00");
	assert_string_equal(x.screen.columns,
			    "EVENT                                   RATE  RUNNING");
	assert_int_equal(x.screen.nr, ARRAY_SIZE(rows));
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(x.screen.rows[i], rows[i]);
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

		assert_int_equal(top_screen_make(&x.screen, &x.report, "12:00:00", width), 0);
		assert_row(width, strlen(x.screen.title) <= most);
		for (i = 0; i < x.screen.nr; i++) {
			size_t len = strlen(x.screen.rows[i]);

			assert_row(width, len && len <= most && x.screen.rows[i][len - 1] != ' ');
		}
	}
	/* There is room for all of it in the end. */
	assert_non_null(strstr(x.screen.rows[3], "small-screen"));
	assert_non_null(strstr(x.screen.rows[3], "have the counters"));
	clear(&x);
}

static void scrolling(void **state)
{
	struct top_screen screen = { .nr = 10 };

	(void)state;
	assert_int_equal(top_screen_offset(&screen, 0, 4), 0);
	assert_int_equal(top_screen_offset(&screen, 5, 4), 5);
	assert_int_equal(top_screen_offset(&screen, 7, 4), 6);
	assert_int_equal(top_screen_offset(&screen, 3, 10), 0);
	assert_int_equal(top_screen_offset(&screen, 3, 100), 0);
}

/* ---- The command line ---- */

static void options(void **state)
{
	static const struct {
		const char *args;
		const char *error;
	} rows[] = {
		{ "x", "what is 'x'" },
		{ "-d 0", "-d wants" },
		{ "-d nan", "-d wants" },
		{ "-d 1s", "-d wants" },
		{ "-n 0", "-n wants" },
		{ "-p 1 -a", "exclude" },
		{ "-p 1 -A", "add -a or -C" },
		{ "-t 1 -p 1", "exclude" },
		{ "-x ,", "lists the options" },
		{ "-D 5", "lists the options" },
		{ "--perf -e no-such-event", "no-such-event" },
		{ "--perf -e page-faults:u </dev/null", "" },
	};
	char line[100];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(line, sizeof(line), "$T top %s", rows[i].args);
		expect(line, 125, rows[i].error);
	}
	expect("$T top --help", 0, "");
	need_perf();
	expect("$T top --perf -e page-faults:u </dev/null", 125, "it needs a terminal");
}

static void parsed(void **state)
{
	char *argv[] = { "top", "-d", "0.25", "-n", "3", "-A", "--perf", NULL };
	struct top_options o;
	struct stat_options stat;

	(void)state;
	assert_int_equal(top_options_parse(&o, &stat, 7, argv), 1);
	assert_true(o.delay == 250 && o.iterations == 3);
	assert_true(stat.all_cpus && stat.aggr == AGGR_NONE && stat.perf && !stat.fallback);
	stat_options_free(&stat);
}

/* ---- In a terminal of 80 columns and 24 lines ---- */

/*
 * The tool on a screen of tmux's, with a server of its own: once it shows an interval
 * something is done, and then waited for; what is on the screen then. A busy machine makes
 * it later, not another.
 */
static struct result on_screen(const char *args, const char *done, const char *awaited)
{
	static struct result r;
	char line[1600];

	if (run("command -v tmux").status) {
		print_message("# skipped: no tmux\n");
		skip();
	}
	snprintf(line, sizeof(line),
		 "t() { tmux -f /dev/null -S $D/socket \"$@\"; }; D=$(mktemp -d);"
		 "shown() { i=0; until t capture-pane -p | grep -q \"$1\" || [ $i -gt 1500 ]; do"
		 "	sleep 0.1; i=$((i+1)); done; };"
		 "t new-session -d -x 80 -y 24 \"$T top --perf -d 0.2 %s; echo status \\$?; sleep 99\";"
		 "shown '100.00%%'; %s shown '%s';"
		 "t capture-pane -p; t kill-server; rm -r $D", args, done, awaited);
	r = run(line);
	return r;
}

static void terminal(void **state)
{
	struct result r;

	(void)state;
	need_perf();
	r = on_screen("-e page-faults:u,context-switches:u -p $$", "", "q: quit");
	if (strncmp(r.out, "pmcgrp top: process ", 20) || !strstr(r.out, "\nEVENT  ") ||
	    !strstr(r.out, "\npage-faults:u  ") || !strstr(r.out, "\nq: quit"))
		fail_msg("%s%s", r.out, r.err);
	r = on_screen("-e page-faults:u -p $$", "t send-keys q;", "^status");
	if (!strstr(r.out, "status 0"))
		fail_msg("%s%s", r.out, r.err);
}

/* Of 23 rows 21 fit: arrows and pages scroll to the last and back. */
static void scrolled(void **state)
{
	static const char events[] = "-e page-faults:u,page-faults:u,page-faults:u,page-faults:u,"
				     "page-faults:u,page-faults:u,page-faults:u,page-faults:u,"
				     "page-faults:u,page-faults:u,page-faults:u,page-faults:u,"
				     "page-faults:u,page-faults:u,page-faults:u,page-faults:u,"
				     "page-faults:u,page-faults:u,page-faults:u,page-faults:u,"
				     "page-faults:u,context-switches:u,minor-faults:u -p $$";
	struct result r;

	(void)state;
	need_perf();
	r = on_screen(events, "", "rows 1 to 21 of 23");
	assert_non_null(strstr(r.out, "rows 1 to 21 of 23"));
	assert_null(strstr(r.out, "minor-faults"));
	r = on_screen(events, "t send-keys NPage;", "rows 3 to 23 of 23");
	assert_non_null(strstr(r.out, "rows 3 to 23 of 23"));
	assert_non_null(strstr(r.out, "minor-faults"));
	r = on_screen(events, "t send-keys Down;", "rows 2 to 22 of 23");
	assert_non_null(strstr(r.out, "rows 2 to 22 of 23"));
}

/* The target ends, and so does top, which says so on a terminal that is as it was. */
static void target_ends(void **state)
{
	struct result r;

	(void)state;
	need_perf();
	r = on_screen("-e page-faults:u -p \\$(yes >/dev/null & echo \\$! | tee $D/pid)",
		      "kill $(cat $D/pid);", "^status");
	if (!strstr(r.out, "has ended") || !strstr(r.out, "status 0"))
		fail_msg("%s%s", r.out, r.err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(any_width),
		cmocka_unit_test(scrolling),
		cmocka_unit_test(options),
		cmocka_unit_test(parsed),
		cmocka_unit_test(terminal),
		cmocka_unit_test(scrolled),
		cmocka_unit_test(target_ends),
	};

	tool_init();
	return cmocka_run_group_tests_name("top", tests, NULL, NULL);
}
