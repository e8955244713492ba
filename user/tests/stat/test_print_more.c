// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What stat prints of runs and of intervals' sums, and metrics alone: as perf stat 6.12 has it. */
#include "test.h"

#include "fake_report.h"

/* Four runs, of which the third is no run's twin. */
static void table_of_runs(void **state)
{
	static const double runs[] = { 0.018, 0.021, 0.031, 0.022 };
	static const struct row row = { SW("faults", PAGE_FAULTS), 0, true, 50, 1e6, 1e6 };
	static const char expected[] =
		"\n"
		" Counts of 'true' (4 runs):\n"
		"\n"
		"                50      faults\n"
		"\n"
		"           # Table of individual measurements:\n"
		"           0.01800 (-0.00500) ######\n"
		"           0.02100 (-0.00200) ##\n"
		"           0.03100 (+0.00800) ######\n"
		"           0.02200 (-0.00100) #\n"
		"\n"
		"           # Final result:\n"
		"           0.02300 +- 0.00280 seconds time elapsed  ( +- 12.17% )\n"
		"\n";
	struct fixture x;
	char *text;
	size_t i;

	(void)state;
	fill(&x, &row, 1, 1, 1.0);
	x.report.subject = "'true'";
	x.report.runs = 4;
	x.report.run_times = runs;
	x.report.elapsed = (struct stats){ 0 };
	for (i = 0; i < ARRAY_SIZE(runs); i++)
		stats_update(&x.report.elapsed, runs[i]);
	text = printed(report_human, &x.report);
	assert_string_equal(text, expected);
	free(text);
	clear(&x);
}

/* A run in no time at all has a bar that ends. */
static void bar_ends(void **state)
{
	static const double runs[] = { 1e-9, 10.0 };
	static const struct row row = { SW("faults", PAGE_FAULTS), 0, true, 50, 1e6, 1e6 };
	char bar[] = " .............................................................\n";
	struct fixture x;
	char *text;
	size_t i;

	(void)state;
	fill(&x, &row, 1, 1, 1.0);
	x.report.runs = 2;
	x.report.subject = "x";
	x.report.run_times = runs;
	x.report.elapsed = (struct stats){ 0 };
	for (i = 0; i < ARRAY_SIZE(runs); i++)
		stats_update(&x.report.elapsed, runs[i]);
	text = printed(report_human, &x.report);
	memset(bar + 1, '#', 61);
	assert_non_null(strstr(text, bar));
	free(text);
	clear(&x);
}

static void null_run(void **state)
{
	struct fixture x;

	(void)state;
	fill(&x, NULL, 0, 1, 0.5);
	x.report.subject = "'true'";
	x.report.null_run = true;
	expect(report_human, &x, "\n Counts of 'true':\n\n"
				 "       0.500000000 seconds time elapsed\n\n");
	fill(&x, NULL, 0, 1, 0.5);
	expect(report_csv, &x, "");
}

static void csv_summary(void **state)
{
	static const struct row row = { SW("faults", PAGE_FAULTS), 0, true, 50, 1e6, 1e6 };
	struct fixture x;

	(void)state;
	fill(&x, &row, 1, 1, 1.0);
	x.report.summary = true;
	expect(report_csv, &x, "summary,50,,faults,1000000,100.00,,\n");
}

static void hidden(void **state)
{
	static const struct row rows[] = {
		{ SW("faults", PAGE_FAULTS), 0, true, 0, 1e6, 1e6 },
		{ SW("cs", CONTEXT_SWITCHES), 0, true, 3, 1e6, 1e6 },
		{ HW("cycles", CPU_CYCLES), 1, true, -1, 1e6, 0 },
		{ HW("bus-cycles", BUS_CYCLES), 2, false, 0, 0, 0 },
	};
	struct fixture x;

	(void)state;
	fill(&x, rows, ARRAY_SIZE(rows), 1, 1.0);
	x.report.hide_zero = true;
	expect(report_csv, &x, "3,,cs,1000000,100.00,,\n");
}

static const struct row with_metrics[] = {
	{ SW("task-clock", TASK_CLOCK), 0, true, 2000, 2000, 2000 },
	{ HW("cycles", CPU_CYCLES), 1, true, 4000, 2000, 2000 },
	{ HW("instructions", INSTRUCTIONS), 1, true, 6000, 2000, 2000 },
	{ HW("branches", BRANCH_INSTRUCTIONS), 1, true, 800, 2000, 2000 },
	{ HW("branch-misses", BRANCH_MISSES), 1, true, 8, 2000, 2000 },
};

/* In a format, of what is counted above, or of its first event, which has no metric. */
static char *metrics_of(enum report_format format, size_t nr, bool interval)
{
	struct fixture x;
	size_t size;
	char *text;
	FILE *file = open_memstream(&text, &size);

	fill(&x, with_metrics, nr, 1, 1.0);
	x.report.subject = "'x'";
	x.report.interval = interval;
	x.report.columns = interval;
	x.report.timestamp = 0.25;
	assert_int_equal(report_metrics(file, &x.report, format), 0);
	fclose(file);
	clear(&x);
	return text;
}

static void metrics(void **state)
{
	static const struct {
		enum report_format format;
		size_t nr;
		bool interval;
		const char *text;
	} rows[] = {
		{ REPORT_CSV, 5, false, "GHz,insn per cycle,branch-misses of all branches,\n"
					"2.000,1.50,1.00,\n" },
		{ REPORT_CSV, 5, true, "time,GHz,insn per cycle,branch-misses of all branches,\n"
				       "     0.250000000,2.000,1.50,1.00,\n" },
		{ REPORT_CSV, 1, false, "" },
		{ REPORT_JSON, 5, false, "{\"GHz\": \"2.000\", \"insn per cycle\": \"1.50\", "
					 "\"branch-misses of all branches\": \"1.00\"}\n" },
		{ REPORT_JSON, 1, false, "{\"metric-value\": \"none\"}\n" },
		{ REPORT_TABLE, 5, false,
		  "\n Counts of 'x':\n\n"
		  "                  GHz       insn per cycle branch-misses of all branches\n"
		  "                2.000                 1.50                         1.00%\n"
		  "\n       1.000000000 seconds time elapsed\n\n" },
		{ REPORT_TABLE, 5, true,
		  "#           time                   GHz       insn per cycle "
		  "branch-misses of all branches\n"
		  "     0.250000000                 2.000                 1.50                         1.00%\n" },
		{ REPORT_TABLE, 1, false,
		  "\n Counts of 'x':\n\n"
		  " # no metric follows from these events\n"
		  "\n       1.000000000 seconds time elapsed\n\n" },
	};
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		text = metrics_of(rows[i].format, rows[i].nr, rows[i].interval);
		assert_string_equal(text, rows[i].text);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_of_runs),
		cmocka_unit_test(bar_ends),
		cmocka_unit_test(null_run),
		cmocka_unit_test(csv_summary),
		cmocka_unit_test(hidden),
		cmocka_unit_test(metrics),
	};

	return cmocka_run_group_tests_name("report more", tests, NULL, NULL);
}
