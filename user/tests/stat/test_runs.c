// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The tool itself: its runs and what goes around them, sums of intervals, where it prints. */
#include "test.h"

#include "tool.h"

/* Around each run, in order, by a shell, and not into what is counted. */
static void pre_and_post(void **state)
{
	struct result r;

	(void)state;
	need_perf();
	r = run("$T stat --perf -S -r 2 --pre 'echo a; :' --post 'echo c; :' -e faults:u -- echo b");
	assert_int_equal(r.status, 0);
	assert_string_equal(r.out, "a\nb\nc\na\nb\nc\n");
	assert_non_null(strstr(r.err, "(2 runs)"));
	/* A first one that fails leaves nothing to print, a later one what there is. */
	r = run("$T stat --perf --pre 'exit 3' -e faults:u -- echo b");
	assert_int_equal(r.status, 125);
	assert_string_equal(r.out, "");
	assert_non_null(strstr(r.err, "--pre 'exit 3' ended with status 3"));
	assert_null(strstr(r.err, "elapsed"));
	r = run("$T stat --perf -r 3 --post 'exit 4' -e faults:u -- echo b");
	assert_int_equal(r.status, 125);
	assert_string_equal(r.out, "b\n");
	assert_non_null(strstr(r.err, "--post 'exit 4' ended with status 4"));
	assert_non_null(strstr(r.err, "elapsed"));
	expect("$T stat --perf --pre 'kill -9 $$' -e faults:u true", 125, "signal 9");
}

/* Without events there is nothing to open, and nobody to ask for it. */
static void null_run(void **state)
{
	struct result r;

	(void)state;
	r = run("$T stat -n -- sh -c 'exit 5'");
	assert_int_equal(r.status, 5);
	assert_non_null(strstr(r.err, "seconds time elapsed"));
	r = run("$T stat -n -r 2 --table -- true");
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.err, "# Table of individual measurements:"));
	assert_non_null(strstr(r.err, "# Final result:"));
	r = run("$T stat -n -I 20 --summary -- sleep 0.05");
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.err, "seconds time elapsed"));
}

/* The sum of the intervals is what the summary has. */
static void summary(void **state)
{
	struct result r;
	long sum = 0, total = -1;
	char *line;

	(void)state;
	need_perf();
	r = run("$T stat --perf -x, -I 20 --summary -e minor-faults:u -- sh -c "
		"'for i in 1 2 3; do /bin/true; sleep 0.03; done'");
	assert_int_equal(r.status, 0);
	for (line = r.err; *line; line = strchr(line, '\n') + 1) {
		if (!strncmp(line, "summary,", 8))
			total = strtol(line + 8, NULL, 10);
		else
			sum += strtol(strchr(line, ',') + 1, NULL, 10);
	}
	assert_true(sum > 100);
	assert_int_equal(total, sum);
	r = run("$T stat --perf -x, -I 20 --summary --no-csv-summary -e minor-faults:u -- true");
	assert_null(strstr(r.err, "summary"));
	for (line = r.err; strchr(line, '\n')[1]; line = strchr(line, '\n') + 1)
		;
	assert_int_not_equal(strtol(line, NULL, 10), 0);
	r = run("$T stat --perf -I 10 --interval-count 2 --summary -a -e cpu-clock");
	if (!r.status)
		assert_non_null(strstr(r.err, "Counts of all CPUs"));
	r = run("$T stat --perf -I 10 --interval-clear -e minor-faults:u -- sleep 0.03");
	assert_int_equal(strncmp(r.err, "\033[H\033[2J#           time ", 24), 0);
}

static void places(void **state)
{
	struct result r;

	(void)state;
	need_perf();
	r = run("$T stat --perf -x, --log-fd 5 -e faults:u -- sh -c 'echo it >&5' 5>&1");
	assert_int_equal(r.status, 0);
	assert_string_equal(r.err, "");
	assert_int_equal(strncmp(r.out, "it\n", 3), 0);
	assert_non_null(strstr(r.out, ",faults:u,"));
	expect("$T stat --perf --log-fd 77 -e faults:u true", 125,
	       "--log-fd 77: Bad file descriptor; a shell opens it with 77>FILE");
	r = run("$T stat --perf --quiet -e faults:u -- sh -c 'echo out; exit 2'");
	assert_int_equal(r.status, 2);
	assert_string_equal(r.out, "out\n");
	assert_string_equal(r.err, "");
	expect("$T stat --perf -o - -e faults:u true", 0, "Counts of 'true'");
}

/* A machine has these events or has not: by name in both cases, and in pairs. */
static void detailed(void **state)
{
	static const char *const names[] = {
		"L1-dcache-loads", "L1-dcache-load-misses", "LLC-loads", "LLC-load-misses",
		"L1-icache-loads", "L1-icache-load-misses", "dTLB-loads", "dTLB-load-misses",
		"iTLB-loads", "iTLB-load-misses", "L1-dcache-prefetches",
		"L1-dcache-prefetch-misses",
	};
	static const char *const lines[] = { "-d", "-dd", "-ddd" };
	static const size_t nr[] = { 4, 10, 12 };
	char line[128];
	struct result r;
	size_t i, k;

	(void)state;
	need_perf();
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		snprintf(line, sizeof(line), "$T stat --perf -x, %s -e faults --all-user true",
			 lines[i]);
		r = run(line);
		assert_int_equal(r.status, 0);
		for (k = 0; k < ARRAY_SIZE(names); k++) {
			snprintf(line, sizeof(line), ",,%s,", names[k]);
			assert_row(k, !strstr(r.err, line) == (k >= nr[i]));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pre_and_post),
		cmocka_unit_test(null_run),
		cmocka_unit_test(summary),
		cmocka_unit_test(places),
		cmocka_unit_test(detailed),
	};

	tool_init();
	return cmocka_run_group_tests_name("runs", tests, NULL, NULL);
}
