// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * What stat prints, against texts written by hand: CSV and JSON from the format
 * that perf-stat(1) documents, the table from what it shall look like.
 */
#include "test.h"

#include <jansson.h>

#include "fake_report.h"

/* One run of 2 s; the second group had the PMU half of the time. */
static const struct row one_run[] = {
	{ SW("task-clock", TASK_CLOCK), 0, true, 1500000000, 2e9, 2e9 },
	{ SW("context-switches", CONTEXT_SWITCHES), 0, true, 12, 2e9, 2e9 },
	{ SW("page-faults", PAGE_FAULTS), 0, true, 4500, 2e9, 2e9 },
	{ HW("cycles", CPU_CYCLES), 1, true, 3000000000, 2e9, 1e9 },
	{ HW("instructions", INSTRUCTIONS), 1, true, 4500000000, 2e9, 1e9 },
	{ HW("branches", BRANCH_INSTRUCTIONS), 1, true, 900000000, 2e9, 1e9 },
	{ HW("branch-misses", BRANCH_MISSES), 1, true, 9000000, 2e9, 1e9 },
	{ HW("bus-cycles", BUS_CYCLES), 2, false, 0, 0, 0 },
	{ HW("cache-misses:D", CACHE_MISSES), 3, true, -1, 2e9, 0 },
	{ SW("cpu-clock", CPU_CLOCK), 4, true, -1, 0, 0 },
};

static const char human_one_run[] =
	"\n"
	" Counts of 'sort file':\n"
	"\n"
	"          1,500.00 msec task-clock                       #    0.750 CPUs utilized\n"
	"                12      context-switches                 #    8.000 /sec\n"
	"             4,500      page-faults                      #    3.000 K/sec\n"
	"     3,000,000,000      cycles                          "
	" #    2.000 GHz                    "
	"  (50.00%)\n"
	"     4,500,000,000      instructions                    "
	" #     1.50 insn per cycle         "
	"  (50.00%)\n"
	"       900,000,000      branches                        "
	" #  600.000 M/sec                  "
	"  (50.00%)\n"
	"         9,000,000      branch-misses                   "
	" #    1.00% of all branches        "
	"  (50.00%)\n"
	"   <not supported>      bus-cycles\n"
	"     <not counted>      cache-misses:D                  "
	"                                   "
	"  (0.00%)\n"
	"     <not counted> msec cpu-clock\n"
	"\n"
	"       2.000000000 seconds time elapsed\n"
	"\n"
	"       1.400000000 seconds user\n"
	"       0.100000000 seconds sys\n"
	"\n";

static const char csv_one_run[] =
	"1500.00,msec,task-clock,2000000000,100.00,0.750,CPUs utilized\n"
	"12,,context-switches,2000000000,100.00,8.000,/sec\n"
	"4500,,page-faults,2000000000,100.00,3.000,K/sec\n"
	"3000000000,,cycles,1000000000,50.00,2.000,GHz\n"
	"4500000000,,instructions,1000000000,50.00,1.50,insn per cycle\n"
	"900000000,,branches,1000000000,50.00,600.000,M/sec\n"
	"9000000,,branch-misses,1000000000,50.00,1.00,of all branches\n"
	"<not supported>,,bus-cycles,0,100.00,,\n"
	"<not counted>,,cache-misses:D,0,0.00,,\n"
	"<not counted>,msec,cpu-clock,0,100.00,,\n";

/* Three runs: each value once at -10 %, once as it is, once at +10 %. */
static const struct row three_runs[] = {
	{ SW("task-clock", TASK_CLOCK), 0, true, 1000000, 1e6, 1e6 },
	{ SW("page-faults", PAGE_FAULTS), 1, true, 50, 1e6, 1e6 },
	{ HW("cycles", CPU_CYCLES), 2, false, 0, 0, 0 },
};

static const char human_three_runs[] =
	"\n"
	" Counts of 'true' (3 runs):\n"
	"\n"
	"              1.00 msec task-clock                      "
	" #    0.500 CPUs utilized          "
	"  ( +-  5.77% )\n"
	"                50      page-faults                     "
	" #   50.000 K/sec                  "
	"  ( +-  5.77% )\n"
	"   <not supported>      cycles\n"
	"\n"
	"          0.002000 +- 0.000115 seconds time elapsed  ( +-  5.77% )\n"
	"\n";

static const char csv_three_runs[] =
	"1.00;msec;task-clock;5.77%;1000000;100.00;0.500;CPUs utilized\n"
	"50;;page-faults;5.77%;1000000;100.00;50.000;K/sec\n"
	"<not supported>;;cycles;0.00%;0;100.00;;\n";

static void fill_one_run(struct fixture *x)
{
	fill(x, one_run, ARRAY_SIZE(one_run), 1, 2.0);
	x->report.subject = "'sort file'";
	x->report.has_times = true;
	x->report.user = 1.4;
	x->report.sys = 0.1;
}

static void fill_three_runs(struct fixture *x)
{
	fill(x, three_runs, ARRAY_SIZE(three_runs), 3, 0.002);
	x->report.subject = "'true'";
	x->report.separator = ";";
}

static const char human_exit_note[] =
	" exit(2) of each task is counted, as in time(1); perf leaves it out, as --until-exit does\n"
	"\n";

static void human(void **state)
{
	char noted[1024];
	struct fixture x;

	(void)state;
	fill_one_run(&x);
	expect(report_human, &x, human_one_run);
	fill_three_runs(&x);
	expect(report_human, &x, human_three_runs);
	/* A line behind all others, and in the table alone. */
	fill_three_runs(&x);
	x.report.exit_matters = true;
	snprintf(noted, sizeof(noted), "%s%s", human_three_runs, human_exit_note);
	expect(report_human, &x, noted);
	fill_three_runs(&x);
	x.report.exit_matters = true;
	expect(report_csv, &x, csv_three_runs);
}

static void csv(void **state)
{
	struct fixture x;

	(void)state;
	fill_one_run(&x);
	expect(report_csv, &x, csv_one_run);
	fill_three_runs(&x);
	expect(report_csv, &x, csv_three_runs);
}

static void thousands(void **state)
{
	static const struct {
		double value;
		const char *with;
		const char *without;
	} rows[] = {
		{ 0, " 0 ", " 0 " },
		{ 999, " 999 ", " 999 " },
		{ 1000, " 1,000 ", " 1000 " },
		{ 123456, " 123,456 ", " 123456 " },
		{ 1e15, "\n1,000,000,000,000,000 ", " 1000000000000000 " },
		/* 2^64 - 1, as a double. */
		{ 18446744073709551615.0, "\n18,446,744,073,709,551,616 ",
		  "\n18446744073709551616 " },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row row = { SW("faults", PAGE_FAULTS), 0, true, rows[i].value, 1, 1 };
		struct fixture x;
		char *text;

		fill(&x, &row, 1, 1, 1.0);
		x.report.subject = "x";
		text = printed(report_human, &x.report);
		assert_row(i, strstr(text, rows[i].with));
		free(text);
		x.report.big_num = false;
		text = printed(report_human, &x.report);
		assert_row(i, strstr(text, rows[i].without));
		free(text);
		clear(&x);
	}
}

static void assert_json(const char *line, const char *expected)
{
	json_t *a = json_loads(line, JSON_DISABLE_EOF_CHECK, NULL);
	json_t *b = json_loads(expected, 0, NULL);

	assert_non_null(a);
	assert_non_null(b);
	if (!json_equal(a, b))
		fail_msg("%s is not %s", line, expected);
	json_decref(a);
	json_decref(b);
}

/* Parsed back, line for line, with the same library that any reader could use. */
static void json(void **state)
{
	static const char * const lines[] = {
		"{\"counter-value\": \"1500.000000\", \"unit\": \"msec\", \"event\": "
		"\"task-clock\", \"event-runtime\": 2000000000, \"pcnt-running\": 100.0, "
		"\"metric-value\": 0.75, \"metric-unit\": \"CPUs utilized\"}",
		"{\"counter-value\": \"12.000000\", \"unit\": \"\", \"event\": "
		"\"context-switches\", \"event-runtime\": 2000000000, \"pcnt-running\": 100.0, "
		"\"metric-value\": 8.0, \"metric-unit\": \"/sec\"}",
		"{\"counter-value\": \"4500.000000\", \"unit\": \"\", \"event\": \"page-faults\", "
		"\"event-runtime\": 2000000000, \"pcnt-running\": 100.0, \"metric-value\": 3.0, "
		"\"metric-unit\": \"K/sec\"}",
		"{\"counter-value\": \"3000000000.000000\", \"unit\": \"\", \"event\": \"cycles\", "
		"\"event-runtime\": 1000000000, \"pcnt-running\": 50.0, \"metric-value\": 2.0, "
		"\"metric-unit\": \"GHz\"}",
		NULL,
		NULL,
		NULL,
		"{\"counter-value\": \"<not supported>\", \"unit\": \"\", \"event\": "
		"\"bus-cycles\", \"event-runtime\": 0, \"pcnt-running\": 100.0, \"metric-value\": "
		"0.0, \"metric-unit\": \"\"}",
		"{\"counter-value\": \"<not counted>\", \"unit\": \"\", \"event\": "
		"\"cache-misses:D\", \"event-runtime\": 0, \"pcnt-running\": 0.0, "
		"\"metric-value\": 0.0, \"metric-unit\": \"\"}",
	};
	struct fixture x;
	char *text, *line;
	size_t i;

	(void)state;
	fill_one_run(&x);
	text = printed(NULL, &x.report);
	for (i = 0, line = text; i < ARRAY_SIZE(one_run); i++, line = strchr(line, '\n') + 1) {
		if (i < ARRAY_SIZE(lines) && lines[i])
			assert_json(line, lines[i]);
	}
	assert_string_equal(line, "");
	free(text);
	clear(&x);
}

/*
 * Why something was not counted: behind it in the table, in JSON by a key that perf does
 * not have, and not in CSV, whose columns are perf's. Not of what was counted, or cannot be.
 */
static void reasons(void **state)
{
	static char why[] = "others have the counters";
	struct fixture x;
	char *text, *line;
	json_t *object;
	size_t i;

	(void)state;
	fill_one_run(&x);
	for (i = 0; i < ARRAY_SIZE(one_run); i++)
		x.set.counts[i].reason = why;
	text = printed(report_human, &x.report);
	assert_non_null(strstr(text, "\n     <not counted>      cache-misses:D                  "
				     " # others have the counters\n"));
	assert_non_null(strstr(text, "\n     <not counted> msec cpu-clock                       "
				     " # others have the counters\n"));
	assert_non_null(strstr(text, "\n   <not supported>      bus-cycles\n"));
	assert_non_null(strstr(text, "cycles                           #    2.000 GHz"));
	free(text);
	text = printed(report_csv, &x.report);
	assert_string_equal(text, csv_one_run);
	free(text);
	text = printed(NULL, &x.report);
	for (i = 0, line = text; i < ARRAY_SIZE(one_run); i++, line = strchr(line, '\n') + 1) {
		const char *said;

		object = json_loads(line, JSON_DISABLE_EOF_CHECK, NULL);
		said = json_string_value(json_object_get(object, "not-counted-reason"));
		assert_row(i, !said == !(one_run[i].supported && one_run[i].value < 0));
		assert_row(i, !said || !strcmp(said, why));
		json_decref(object);
	}
	free(text);
	clear(&x);
}

/* With several runs there is a deviation, to two digits and no rounding dust. */
static void json_variance(void **state)
{
	struct fixture x;
	char *text;

	(void)state;
	fill_three_runs(&x);
	text = printed(NULL, &x.report);
	assert_non_null(strstr(text, "\"variance\": 5.77,"));
	free(text);
	clear(&x);
}

/* A ratio prefers its own group, and never takes a partner of other modes. */
static void partners(void **state)
{
	const struct row rows[] = {
		{ HW("cycles", CPU_CYCLES), 0, true, 1000, 1, 1 },
		{ HW("cycles:u", CPU_CYCLES), 1, true, 500, 1, 1 },
		{ HW("instructions:u", INSTRUCTIONS), 2, true, 1000, 1, 1 },
		{ HW("cycles", CPU_CYCLES), 3, true, 4000, 1, 1 },
		{ HW("instructions", INSTRUCTIONS), 3, true, 1000, 1, 1 },
		{ HW("branch-misses", BRANCH_MISSES), 4, true, 1000, 1, 1 },
	};
	struct report_row row[ARRAY_SIZE(rows)];
	struct fixture x;
	size_t i;

	(void)state;
	fill(&x, rows, ARRAY_SIZE(rows), 1, 1.0);
	x.set.counters[1].attr->exclude_kernel = 1;
	x.set.counters[2].attr->exclude_kernel = 1;
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		assert_true(report_row(&x.report, i, &row[i]));
	assert_true(metric_of(&x.report, &row[2]).value == 2.0);
	assert_true(metric_of(&x.report, &row[4]).value == 0.25);
	/* No branches, no clock: nothing to derive. */
	assert_string_equal(metric_of(&x.report, &row[5]).unit, "");
	assert_string_equal(metric_of(&x.report, &row[0]).unit, "");
	clear(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(human),
		cmocka_unit_test(csv),
		cmocka_unit_test(thousands),
		cmocka_unit_test(json),
		cmocka_unit_test(reasons),
		cmocka_unit_test(json_variance),
		cmocka_unit_test(partners),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
