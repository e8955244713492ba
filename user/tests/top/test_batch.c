// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* top without a terminal. */
#include "test.h"

#include "tool.h"

#include "fake_tasks.h"

/* Of the first interval three records are lost, and of no other one. */
static void tasks_batch(void **state)
{
	struct result r;

	(void)state;
	r = run(FAKE_TASKS " -b --by thread -e cpu-clock -d 0.1 --iterations 2");
	if (r.status || !strstr(r.out, "\nLOST 3 records: sums are not exact\n") ||
	    strstr(strstr(r.out, "LOST") + 1, "LOST"))
		fail_msg("%d %s%s", r.status, r.out, r.err);
	r = run(FAKE_TASKS " --json --by thread -e cpu-clock -d 0.1 --iterations 2 | tail -n 1 |"
		" grep -o '\"lost\":[0-9]*\\|\"tid\":[0-9]*\\|\"value\":[0-9]*' | tr '\n' ' '");
	assert_string_equal(r.out, "\"lost\":0 \"tid\":4190001 \"value\":60000000 "
			    "\"tid\":4190002 \"value\":30000000 \"tid\":0 \"value\":10000000 ");
	r = run(FAKE_TASKS " --json --by process -p 4190001");
	if (r.status != 125 || !strstr(r.err, "-p: there is no such process"))
		fail_msg("%d %s", r.status, r.err);
}

static void batch(void **state)
{
	struct result r;

	(void)state;
	need_perf();
	r = run("$T top --perf -b --by cpu -e page-faults:u -d 0.1 -n 2 --lines 1 </dev/null");
	if (r.status || !strstr(r.out, "\n\npmcgrp top: all CPUs by cpu, the last 0.") ||
	    !strstr(r.out, "\nCPU0 ") || strstr(r.out, "\033") || strstr(r.out, "q: quit"))
		fail_msg("%d %s%s", r.status, r.out, r.err);
	r = run("$T top --perf -b --by cpu -e page-faults:u -d 0.1 --iterations 1 --color=always");
	assert_non_null(strstr(r.out, "\033[0;7mWHERE"));
	r = run("$T top --perf -b --matrix -e page-faults:u -d 0.1 --iterations 1");
	assert_non_null(strstr(r.out, "page-faults:u: percent of the highest"));
	r = run("$T top --perf -b --by cpu --sort nothing -e page-faults:u");
	if (r.status != 125 || !strstr(r.err, "no column 'nothing'") ||
	    !strstr(r.err, "page-faults:u"))
		fail_msg("%d %s", r.status, r.err);
}

static void json(void **state)
{
	struct result r;

	(void)state;
	need_perf();
	r = run("$T top --perf --json -e page-faults:u -a -d 0.1 --iterations 2 |"
		" grep -c '^{\"time\":.*\"by\":\"event\",\"target\":\"all CPUs\".*}$'");
	assert_string_equal(r.out, "2\n");
	/* Nobody reads any more. */
	r = run("{ $T top --perf --json -e page-faults:u -a -d 0.1; echo $? >&2; } | head -n 1");
	assert_string_equal(r.err, "0\n");
	/* A whole line is the last one. */
	r = run("timeout -s INT 1 $T top --perf --json -e page-faults:u -a -d 0.1 >$TMPDIR/top.$$;"
		"echo $?; tail -c 1 $TMPDIR/top.$$ | od -A n -t x1; rm $TMPDIR/top.$$");
	assert_non_null(strstr(r.out, " 0a"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks_batch),
		cmocka_unit_test(batch),
		cmocka_unit_test(json),
	};

	tool_init();
	setenv("TMPDIR", "/tmp", 0);
	return cmocka_run_group_tests_name("top: batch", tests, NULL, NULL);
}
