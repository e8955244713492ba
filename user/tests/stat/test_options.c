// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of stat. */
#include "test.h"

#include "args/cli.h"
#include "stat/stat_options.h"
#include "stat/refused.h"
#include "parse_options.h"

static const struct {
	const char *line;
	const char *says;
} bad[] = {
	{ "", "nothing to count" },
	{ "-e cycles", "nothing to count" },
	{ "-p 1,x", "'x' is none" },
	{ "-t 1,", "'' is none\n  1,\n    ^\n" },
	{ "-t 0", "'0' is none" },
	{ "-p x", "'x' is none" },
	{ "-p 0", "'0' is none" },
	{ "-p 1x", "'1x' is none" },
	{ "-p -5", "'-5' is none" },
	{ "-p 2,99999999999", "'99999999999' is none\n  2,99999999999\n    ^\n" },
	{ "-C x", "0-3,7\n  x\n  ^\n" },
	{ "-C 0-3,9-8,1", "0-3,7\n  0-3,9-8,1\n      ^\n" },
	{ "-C 0,8192 true", "end at 8191\n  0,8192\n    ^\n" },
	{ "-C \n true", "0-3,7" },
	{ "-p 1 -C 0", "-p and -t exclude -a and -C" },
	{ "-t 1 -a", "-p and -t exclude -a and -C" },
	{ "-p 1 -t 1", "-p and -t exclude each other" },
	{ "-A true", "add -a or -C" },
	{ "--per-core -p 1", "add -a or -C" },
	{ "--per-socket -t 1", "add -a or -C" },
	{ "-a -A --per-core", "exclude each other" },
	{ "-a --per-socket --per-core", "exclude each other" },
	{ "--per-die true", "add -a or -C" },
	{ "--per-cache -p 1", "add -a or -C" },
	{ "--per-node -a -A", "exclude each other" },
	{ "--per-thread -a --per-cluster", "exclude each other" },
	{ "--per-cache=L5 -a", "not 'L5'" },
	{ "--per-cache=3 -a", "from L1 to L4" },
	{ "--per-cache=L22 -a", "from L1 to L4" },
	{ "--per-thread true", "wants threads that are there already" },
	{ "--per-thread -C 0", "-C counts CPUs" },
	{ "--per-thread -i -t 1", "nothing of that kind" },
	{ "-i -a", "nothing of that kind" },
	{ "-i -t 1", "nothing of that kind" },
	{ "--until-exit -a", "count CPUs" },
	{ "--background --perf x", "--background needs /dev/pmcgrp" },
	{ "--until-exit -C 0 true", "count CPUs" },
	{ "--until-exit --regions true", "--until-exit is about the end of a task, which is in no region" },
	{ "-D -2 true", "not '-2'" },
	{ "-D x true", "milliseconds" },
	{ "--timeout 0 true", "not '0'" },
	{ "-I 0 true", "not '0'" },
	{ "-I 1s true", "not '1s'" },
	{ "-I 9999999999 true", "not '9999999999'" },
	{ "--interval-count 0 -I 1 true", "not '0'" },
	{ "--interval-count 3 true", "give -I" },
	{ "-I 100 -r 2 true", "-r and -I exclude" },
	{ "-r 0 true", "not '0'" },
	{ "-r x true", "not 'x'" },
	{ "-r 3 -p 1", "there is none" },
	{ "--passes -p 1", "there is none" },
	{ "--passes -a", "there is none" },
	{ "--passes -n true", "without events there is no pass" },
	{ "--passes -I 100 true", "--passes and -I exclude" },
	{ "--passes --control fd:3 true", "--passes and --control exclude" },
	{ "--passes --by process true", "each run has other tasks" },
	{ "--passes --regions true", "-r and --passes do not go with it" },
	{ "-x , -j true", "exclude each other" },
	{ "--append true", "name it with -o" },
	{ "--control x true", "fd:CTL[,ACK]" },
	{ "--control fd:x true", "not 'x'" },
	{ "--control fd:3 -n true", "-n counts nothing" },
	{ "-M x -n true", "-n counts nothing" },
	{ "-T -n true", "-n counts nothing" },
	{ "-g true", "give -e as well" },
	{ "--topdown -n true", "-n counts nothing" },
	{ "--metrics-file x true", "give -M as well" },
	{ "--td-level 2 true", "give that as well" },
	{ "--topdown --td-level 0 true", "not '0'" },
	{ "--topdown --td-level 7 true", "from 1 to 6" },
	{ "--log-fd 0 true", "not '0'" },
	{ "--log-fd x true", "not 'x'" },
	{ "--log-fd 3 -o f true", "-o and --log-fd exclude" },
	{ "--quiet -o f true", "--quiet prints no report" },
	{ "--quiet --log-fd 3 true", "--quiet prints no report" },
	{ "--no-csv-summary true", "give -x" },
	{ "--summary true", "give -I" },
	{ "--interval-clear true", "give -I" },
	{ "--interval-clear -I 100 -x , true", "for programs" },
	{ "--interval-clear -I 100 -j true", "for programs" },
	{ "--table true", "give -r" },
	{ "--table -r 2 -j true", "for people" },
	{ "--table -r 2 -x , true", "for people" },
	{ "--pre x -a", "there is none" },
	{ "--post x -p 1", "there is none" },
	{ "--sync -a", "there is none" },
	{ "-n -e cs true", "-n counts nothing" },
	{ "-d --null true", "-n counts nothing" },
	{ "--all-user --all-kernel true", "exclude each other" },
	{ "--no-such true", "--help" },
	{ "-e", "--help" },
};

static void bad_lines(void **state)
{
	struct stat_options o;
	char said[1024];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_row(i, parse(&o, bad[i].line, said, sizeof(said)) == -EXIT_TOOL);
		if (!strstr(said, bad[i].says))
			fail_msg("'%s': %s", bad[i].line, said);
		stat_options_free(&o);
	}
}

static void defaults(void **state)
{
	struct stat_options o;
	char said[256];

	(void)state;
	assert_int_equal(parse(&o, "true", said, sizeof(said)), 1);
	assert_string_equal(said, "");
	assert_int_equal(o.nr_events, 0);
	assert_int_equal(o.pids.nr, 0);
	assert_int_equal(o.tids.nr, 0);
	assert_false(o.all_cpus || o.has_cpus || o.no_inherit || o.until_exit);
	assert_int_equal(o.aggr, AGGR_GLOBAL);
	assert_int_equal(o.delay, 0);
	assert_int_equal(o.timeout, 0);
	assert_int_equal(o.interval, 0);
	assert_int_equal(o.interval_count, 0);
	assert_int_equal(o.repeat, 1);
	assert_true(o.big_num);
	assert_false(o.separator || o.json || o.append || o.perf || o.fallback || o.verbose);
	assert_null(o.output);
	assert_string_equal(o.command[0], "true");
	assert_null(o.command[1]);
	stat_options_free(&o);
}

static void everything(void **state)
{
	struct stat_options o;
	char said[256];

	(void)state;
	assert_int_equal(parse(&o, "-e a,b --event {c} -p 7 --repeat 5 -x \\t -o f --append "
			       "--no-big-num -v --perf -- cmd -x", said, sizeof(said)), 1);
	assert_int_equal(o.nr_events, 2);
	assert_string_equal(o.events[0], "a,b");
	assert_string_equal(o.events[1], "{c}");
	assert_int_equal(o.pids.nr, 1);
	assert_int_equal(o.pids.id[0], 7);
	assert_int_equal(o.repeat, 5);
	assert_string_equal(o.separator, "\t");
	assert_string_equal(o.output, "f");
	assert_true(o.append && o.verbose && o.perf);
	assert_false(o.big_num);
	assert_string_equal(o.command[0], "cmd");
	assert_string_equal(o.command[1], "-x");
	stat_options_free(&o);
}

static void parsed(struct stat_options *o, const char *line)
{
	char said[256];

	assert_int_equal(parse(o, line, said, sizeof(said)), 1);
	assert_string_equal(said, "");
}

/* Switches, each of them off by default; and the last of two that contradict is the one. */
static void switches(void **state)
{
	struct stat_options o;

	(void)state;
	parsed(&o, "true");
	assert_false(o.all_user || o.all_kernel || o.null_run || o.sync || o.summary || o.table);
	assert_false(o.interval_clear || o.no_scale || o.metric_only || o.no_csv_summary || o.quiet);
	assert_false(o.hide_zero);
	assert_int_equal(o.detailed, 0);
	assert_int_equal(o.log_fd, 0);
	assert_null(o.pre);
	assert_null(o.post);
	assert_null(o.control);
	stat_options_free(&o);
	parsed(&o, "-d -dd --all-user -S --pre a --post b --table -r 2 --no-scale "
	       "--metric-only --hide-zero-events --log-fd 7 --control fd:3,4 true");
	assert_string_equal(o.control, "fd:3,4");
	assert_int_equal(o.detailed, 3);
	assert_true(o.all_user && o.sync && o.table && o.no_scale && o.metric_only);
	assert_true(o.hide_zero);
	assert_string_equal(o.pre, "a");
	assert_string_equal(o.post, "b");
	assert_int_equal(o.log_fd, 7);
	stat_options_free(&o);
	parsed(&o, "--all-kernel --null --quiet --no-scale --scale -I 5 --summary "
	       "--interval-clear --no-big-num --big-num true");
	assert_true(o.all_kernel && o.null_run && o.quiet && o.summary && o.interval_clear);
	assert_true(o.big_num);
	assert_false(o.no_scale);
	stat_options_free(&o);
	parsed(&o, "-I 5 --summary --no-summary -x , --no-csv-summary true");
	assert_true(o.no_csv_summary);
	assert_false(o.summary);
	stat_options_free(&o);
	parsed(&o, "-x , --no-csv-summary --csv-summary true");
	assert_false(o.no_csv_summary);
	stat_options_free(&o);
}

/* What follows the command is the command's, with or without "--". */
static void options_of_the_command(void **state)
{
	struct stat_options o;
	char said[256];

	(void)state;
	assert_int_equal(parse(&o, "-j ls -x -r", said, sizeof(said)), 1);
	assert_true(o.json);
	assert_false(o.separator);
	assert_string_equal(o.command[1], "-x");
	assert_string_equal(o.command[2], "-r");
	stat_options_free(&o);
	assert_int_equal(parse(&o, "-C 0", said, sizeof(said)), 1);
	assert_true(o.has_cpus && pmcgrp_cpus_test(&o.cpus, 0));
	assert_int_equal(pmcgrp_cpus_nr(&o.cpus), 1);
	assert_null(o.command);
	stat_options_free(&o);
}

/* Whom and when, in both spellings. */
static void targets(void **state)
{
	static const struct {
		const char *line;
		bool all, cpus, no_inherit, until_exit, background;
		pid_t pid, tid;
		enum aggr_mode aggr;
		int delay, timeout, interval, level;
		unsigned int count;
	} rows[] = {
		{ .line = "-a", .all = true },
		{ .line = "--all-cpus -A", .all = true, .aggr = AGGR_NONE },
		{ .line = "-a --no-aggr -A x", .all = true, .aggr = AGGR_NONE },
		/* As perf: -C says of which CPUs. */
		{ .line = "-a -C 0-2", .all = true, .cpus = true },
		{ .line = "--cpu 0-2 --per-core", .cpus = true, .aggr = AGGR_CORE },
		{ .line = "-C 2,0,1 --per-socket x", .cpus = true, .aggr = AGGR_SOCKET },
		{ .line = "-a --per-die", .all = true, .aggr = AGGR_DIE },
		{ .line = "-a --per-cluster x", .all = true, .aggr = AGGR_CLUSTER },
		{ .line = "-a --per-cache x", .all = true, .aggr = AGGR_CACHE },
		{ .line = "-a --per-cache=l2 x", .all = true, .aggr = AGGR_CACHE, .level = 2 },
		{ .line = "-a --per-node", .all = true, .aggr = AGGR_NODE },
		{ .line = "-a --no-merge", .all = true, .aggr = AGGR_NONE },
		{ .line = "--per-thread", .all = true, .aggr = AGGR_THREAD },
		{ .line = "--per-thread -p 7", .pid = 7, .aggr = AGGR_THREAD },
		{ .line = "--per-thread -t 8 x", .tid = 8, .aggr = AGGR_THREAD },
		{ .line = "-p 7 -i", .pid = 7, .no_inherit = true },
		{ .line = "--until-exit x", .until_exit = true },
		{ .line = "-p 7 --until-exit", .pid = 7, .until_exit = true },
		{ .line = "--background -a", .all = true, .background = true },
		{ .line = "-i --background x", .no_inherit = true, .background = true },
		{ .line = "--tid 8 --timeout 5", .tid = 8, .timeout = 5 },
		{ .line = "--no-inherit -D 20 x", .no_inherit = true, .delay = 20 },
		{ .line = "-D -1 x", .delay = -1 },
		{ .line = "--delay 3 -I 10 x", .delay = 3, .interval = 10 },
		{ .line = "-a --interval-print 1 --interval-count 4", .all = true,
		  .interval = 1, .count = 4 },
		{ .line = "-r 3 --timeout 10 x", .timeout = 10 },
	};
	struct stat_options o;
	char said[256];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_row(i, parse(&o, rows[i].line, said, sizeof(said)) == 1);
		assert_row(i, o.all_cpus == rows[i].all && o.has_cpus == rows[i].cpus);
		assert_row(i, pmcgrp_cpus_nr(&o.cpus) == (rows[i].cpus ? 3 : 0));
		assert_row(i, (o.pids.nr ? o.pids.id[0] : 0) == rows[i].pid &&
				      (o.tids.nr ? o.tids.id[0] : 0) == rows[i].tid);
		assert_row(i, o.no_inherit == rows[i].no_inherit && o.aggr == rows[i].aggr);
		assert_row(i, o.until_exit == rows[i].until_exit);
		assert_row(i, o.background == rows[i].background);
		assert_row(i, o.delay == rows[i].delay && o.timeout == rows[i].timeout);
		assert_row(i, o.interval == rows[i].interval && o.cache_level == rows[i].level);
		assert_row(i, o.interval_count == rows[i].count);
		assert_row(i, stat_counts_cpus(&o) == (rows[i].all || rows[i].cpus));
		stat_options_free(&o);
	}
}

static void regions_options(void **state)
{
	struct stat_options o;
	char said[256];

	(void)state;
	assert_int_equal(parse(&o, "--regions -e {a,b}:u x", said, sizeof(said)), 1);
	assert_true(o.regions && o.null_run && !o.regions_per_thread);
	assert_null(o.regions_file);
	stat_options_free(&o);
	assert_int_equal(parse(&o, "--regions=f --per-thread -j --timeout 5 x", said, sizeof(said)), 1);
	assert_true(o.regions && o.regions_per_thread && o.json);
	assert_string_equal(o.regions_file, "f");
	assert_int_equal(o.aggr, AGGR_GLOBAL);
	stat_options_free(&o);
}

/* Each says what there is instead. */
static void regions_refusals(void **state)
{
	static const struct {
		const char *line;
		const char *says;
	} rows[] = {
		{ "--regions", "give a command" },
		{ "--regions -p 7 x", "-a, -C, -p and -t do not count" },
		{ "--regions -a x", "-a, -C, -p and -t do not count" },
		{ "--regions -C 0 x", "-a, -C, -p and -t do not count" },
		{ "--regions -t 7 x", "-a, -C, -p and -t do not count" },
		{ "--regions -i x", "-i has nothing to leave out" },
		{ "--regions -A x", "there is --per-thread" },
		{ "--regions --per-core x", "there is --per-thread" },
		{ "--regions -M ipc x", "counts the events of -e alone" },
		{ "--regions --topdown x", "counts the events of -e alone" },
		{ "--regions -d x", "counts the events of -e alone" },
		{ "--regions -T x", "counts the events of -e alone" },
		{ "--regions --cputype cpu x", "counts the events of -e alone" },
		{ "--regions --all-user x", "{cycles,instructions}:u" },
		{ "--regions --all-kernel x", ":k for --all-kernel" },
		{ "--regions -n x", "-n counts nothing" },
		{ "--regions -I 5 x", "pmcgrp_regions_report()" },
		{ "--regions --summary x", "pmcgrp_regions_report()" },
		{ "--regions -D 5 x", "pmcgrp_regions_start()" },
		{ "--regions --control fd:3 x", "pmcgrp_regions_start()" },
		{ "--regions -r 2 x", "-r and --passes do not go with it" },
		{ "--regions --metric-only x", "scales nothing" },
		{ "--regions --no-scale x", "scales nothing" },
		{ "--regions -x , -j x", "-x and -j exclude each other" },
		{ "--regions --append x", "name it with -o" },
	};
	struct stat_options o;
	char said[256];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_row(i, parse(&o, rows[i].line, said, sizeof(said)) == -EXIT_TOOL);
		assert_row(i, strstr(said, rows[i].says));
		stat_options_free(&o);
	}
}

/* Each with an argument where it has one, and by its letter. */
static const struct {
	const char *line;
	const char *says;
} refusals[] = {
	{ "--filter x", "--filter sets a filter" },
	{ "--bpf-prog 1", "--bpf-prog counts" },
	{ "-b 1", "--bpf-prog counts" },
	{ "--bpf-counters", "column GROUPS" },
	{ "--bpf-attr-map x", "--bpf-attr-map names" },
	{ "--metric-no-group", "without braces" },
	{ "--hybrid-merge", "leave it out" },
	{ "--iostat", "uncore" },
	{ "--iostat=list", "uncore" },
	{ "--percore-show-thread", "--per-core adds up" },
	{ "--record-tpebs", "pmcgrp record" },
	{ "--tpebs-mode mean", "pmcgrp record" },
};

/* What perf stat has and this cannot have: by name, with something to do instead. */
static void refused_by_name(void **state)
{
	struct stat_options o;
	char line[64], said[1024];
	unsigned int i, k;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(refusals); i++) {
		snprintf(line, sizeof(line), "%s -a true", refusals[i].line);
		assert_row(i, parse(&o, line, said, sizeof(said)) == -EXIT_TOOL);
		if (!strstr(said, refusals[i].says) || !strstr(said, "; instead: "))
			fail_msg("'%s': %s", line, said);
		stat_options_free(&o);
	}
	/* And all of them are here. */
	for (i = 0; i < stat_refused.nr; i++) {
		const char *name = stat_refused.options[i].name;

		for (k = 0; k < ARRAY_SIZE(refusals); k++) {
			if (!strncmp(refusals[k].line + 2, name, strlen(name)))
				break;
		}
		assert_row(i, k < ARRAY_SIZE(refusals));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_lines),
		cmocka_unit_test(defaults),
		cmocka_unit_test(everything),
		cmocka_unit_test(switches),
		cmocka_unit_test(refused_by_name),
		cmocka_unit_test(options_of_the_command),
		cmocka_unit_test(targets),
		cmocka_unit_test(regions_options),
		cmocka_unit_test(regions_refusals),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
