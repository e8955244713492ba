// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of top. */
#include "test.h"

#include "hear.h"
#include "tool.h"

#include "args/cli.h"
#include "top/top_options.h"

/* Split at blanks; '' is an empty word. The status; stderr goes to @said. */
static int parse_line(const char *args, char *said, size_t size)
{
	struct stat_options stat;
	struct top_options o;
	struct words w;
	int i, ret;

	split_words(&w, "top", args);
	for (i = 1; i < w.argc; i++)
		if (!strcmp(w.argv[i], "''"))
			w.argv[i] += 2;
	ret = hear(top_options_parse(&o, &stat, w.argc, w.argv), said, size);
	stat_options_free(&stat);
	return ret;
}

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
		{ "-n 0", "-n, --iterations wants" },
		{ "--lines 0", "--lines wants" },
		{ "--iterations 0", "--iterations wants" },
		{ "--by socket", "--by wants" },
		{ "--by thred", "or command, not 'thred': did you mean 'thread'?" },
		{ "--color=red", "--color wants" },
		{ "-m 100", "a power of two" },
		{ "-m 65536", "-m: a ring has 32768 pages at most" },
		{ "--filter ''", "--filter wants" },
		{ "--json --batch", "exclude" },
		{ "--json --matrix", "--json --by cpu" },
		{ "--matrix --by thread", "--matrix is of CPUs" },
		{ "--perf --by thread", "need /dev/pmcgrp" },
		{ "--by cpu -p 1", "--by thread has those" },
		{ "--by thread -A", "for rows of events and CPUs" },
		{ "--cgroup / -p 1", "--cgroup excludes" },
		{ "--by command -p 1", "rows of commands are of all tasks" },
		{ "--by command --cgroup /", "rows of commands are of all tasks" },
		{ "--cgroup / -C 0", "--cgroup excludes" },
		{ "--by cpu --cgroup /", "--by thread has those" },
		{ "-p 1 -a", "exclude" },
		{ "-p 1 -A", "add -a or -C" },
		{ "-t 1 -p 1", "exclude" },
		{ "-x ,", "lists the options" },
		{ "-D 5", "lists the options" },
	};
	char said[4096];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (parse_line(rows[i].args, said, sizeof(said)) != -EXIT_TOOL ||
		    !strstr(said, rows[i].error))
			fail_msg("%s: %s", rows[i].args, said);
	}
	expect("$T top --perf -e no-such-event", 125, "no-such-event");
	expect("$T top --cgroup /no/such", 125, "/sys/fs/cgroup/no/such is a cgroup");
	expect("$T top --help", 0, "");
	need_perf();
	expect("$T top --perf -e page-faults:u </dev/null", 125, "it needs a terminal");
}

static void parsed(void **state)
{
	char *argv[] = { "top", "-d", "0.25", "--lines", "3", "-A", "--perf", "-n", "4", "-rb",
			 "-s", "cycles", "--by", "cpu", "--filter", "x", "--color", "never", "-m",
			 "64", "--matrix", NULL };
	char *of_cgroup[] = { "top", "--cgroup", "/a", "-j", NULL };
	struct top_options o;
	struct stat_options stat;

	(void)state;
	assert_int_equal(top_options_parse(&o, &stat, 21, argv), 1);
	assert_true(o.delay == 250 && o.iterations == 4 && o.lines == 3 && o.pages == 64);
	assert_true(o.reverse && o.batch && !o.json && o.matrix && o.by == TOP_BY_CPU);
	assert_true(o.colour == TOP_COLOUR_NEVER && !strcmp(o.sort, "cycles") && !strcmp(o.filter, "x"));
	assert_true(stat.all_cpus && stat.aggr == AGGR_NONE && stat.perf && !stat.fallback);
	stat_options_free(&stat);
	assert_int_equal(top_options_parse(&o, &stat, 4, of_cgroup), 1);
	assert_true(o.by == TOP_BY_PROCESS && o.json && stat.all_cpus && !strcmp(o.cgroup, "/a"));
	stat_options_free(&stat);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options),
		cmocka_unit_test(parsed),
	};

	tool_init();
	return cmocka_run_group_tests_name("top: options", tests, NULL, NULL);
}
