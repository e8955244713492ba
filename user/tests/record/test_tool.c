// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * `pmcgrp record` as a process. Where it shall record, a stand-in for the module is preloaded
 * that makes its groups and triggers of perf's, of one thread (fake_module.c).
 */
#include "test.h"

#include <jansson.h>

#include "record_here.h"

static void called_wrongly(void **state)
{
	(void)state;
	/* Options: test_options.c */
	expect("$T record", 125, "nothing to record");
	expect("$T record --every 5us true", 125, "--every: the kernel's clocks");
	expect("$T record --every 1x true", 125, "\n  1x\n   ^\n");
	expect("$T record --on cycles true", 125, "--every 1000000:cycles");
	expect("$T record --on bogus:bogus true", 125, bogus_system());
	expect("$T record --every 1ms -e cycles,bogus true", 125, "\n  cycles,bogus\n         ^\n");
	expect("$T record --every 1ms -e cycles -e '{a' true", 125, "\n  {a\n  ^\n");
	expect("$T record --every 1ms -e cycles -e bogus true", 125, "\n  bogus\n  ^\n");
	expect("$T record --every 1ms -e '{cs,faults},cycles' true", 125, "one pair of braces");
	expect("i=0; while [ $i -lt 17 ]; do a=\"$a --on cs\"; i=$((i+1)); done; "
	       "$T record $a true", 125, "16 triggers at most");
}

static void help(void **state)
{
	struct result r;

	(void)state;
	r = run("$T record --help");
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.out, "usage: pmcgrp record"));
	assert_non_null(strstr(r.out, "--mmap-pages"));
	assert_string_equal(r.err, "");
	assert_non_null(strstr(run("$T --help").out, "pmcgrp record"));
}

static void no_module(void **state)
{
	(void)state;
	if (!access("/dev/pmcgrp", F_OK))
		skip();
	expect("$T record --every 1ms -o /nonexistent/x true", 125, "module pmcgrp is not loaded");
	expect("$T record --every 1ms true", 125, "perf record -e '{cycles,instructions}:S'");
	expect("$T record true", 125, "module pmcgrp is not loaded");
}

static void command(void **state)
{
	struct result r;

	(void)state;
	need_perf_tool();
	r = run_here("r -v --every 100us -o $D/f -- sh -c \"$W\"; s=$?; script | sort -k 3 -u -b |"
		     "tr -s ' '; ls $D; exit $s");
	if (r.status || !strstr(r.out, "sh") || !strstr(r.out, " every:100us:") ||
	    !strstr(r.out, " task-clock:u:"))
		fail_msg("status %d: %s, %s", r.status, r.out, r.err);
	/* The shell's own code: its libraries are known only if they were mapped in time. */
	expect_here("r --every 1ms -o $D/f -- sh -c \"$W;$W;$W\"; "
		    "perf script -i $D/f -F ip,sym,dso | grep -q -E '/(dash|bash|sh|libc)'",
		    0, "");
	assert_non_null(strstr(r.err, "2 events, 1 triggers, 1 rings"));
	assert_non_null(strstr(r.err, " samples, 0 lost, "));
	/* Its own status, and what was there is kept. */
	expect_here("r --every 10s -o $D/f -- sh -c 'exit 3'", 3, "there was no sample");
	expect_here("r --every 1ms -o $D/f -- sh -c 'kill -9 $$'", 137, "");
	expect_here("r --every 1ms -o $D/f -- /nonexistent", 127, "cannot run '/nonexistent'");
	r = run_here("for i in 1 2; do r --every 1ms -o $D/f -- sh -c \"$W\" || exit; done; "
		     "perf script -i $D/f.old | wc -l; ls $D");
	assert_int_equal(r.status, 0);
	assert_true(atoi(r.out) > 5);
	assert_non_null(strstr(r.out, "\nf\nf.old\n"));
}

/* A smaller file that says the same. */
static void compressed(void **state)
{
	(void)state;
	need_perf_tool();
	expect_here("r -v -z --every 100us -o $D/f -- sh -c \"$W;$W;$W\" 2>$D/err || exit; "
		    "n=$(sed -n 's/.*record: \\([0-9]*\\) samples, 0 lost.*/\\1/p' $D/err); "
		    "[ $(script | grep -c every:) -eq $n ] || exit 9; "
		    "$T report -j $D/f | grep -q \"\\\"samples\\\": $n,\" || exit 8; "
		    "[ $(stat -c %s $D/f) -lt $((n * 100)) ] || exit 7; "
		    "perf report -i $D/f --header-only | grep -q 'compressed : Zstd, level = 1, ratio = [2-9]'",
		    0, "");
	/* Each file is a stream of its own. */
	expect_here("r -v --compression-level=3 --switch-output=4K --every 50us -o $D/f -- sh -c "
		    "\"$W;$W;$W;$W;$W;$W\" 2>$D/err || exit; "
		    "n=$(sed -n 's/.*record: \\([0-9]*\\) samples, 0 lost.*/\\1/p' $D/err); "
		    "[ $(ls $D/f.* | wc -l) -gt 2 ] || exit 9; "
		    "for f in $D/f.*; do perf script -i $f -F event 2>/dev/null; done >$D/s; "
		    "[ $(grep -c every: $D/s) -eq $n ]", 0, "");
}

static void text(void **state)
{
	json_t *line;
	struct result r;
	char *at;
	int nr = 0;

	(void)state;
	need_recording();
	r = run_here("r --every 1ms --format csv -o - -- sh -c \"$W\"");
	assert_int_equal(r.status, 0);
	assert_int_equal(strncmp(r.out, "time_ns,cpu,pid,tid,trigger,interval_ns,running_ns,lost,"
				 "faults:u,task-clock:u\n", 78), 0);
	assert_non_null(strstr(r.out, ",every:1ms,"));
	r = run_here("r --every 5ms --format jsonl -o - -- sh -c \"$W\"");
	assert_int_equal(r.status, 0);
	for (at = r.out; *at; at = strchr(at, '\n') + 1, nr++) {
		line = json_loads(at, JSON_DISABLE_EOF_CHECK, NULL);
		assert_non_null(line);
		assert_string_equal(json_string_value(json_object_get(line, "trigger")),
				    "every:5ms");
		json_decref(line);
	}
	assert_true(nr > 2);
}

/* Into a pipe, where what the command itself writes is not. */
static void piped(void **state)
{
	struct result r;

	(void)state;
	need_recording();
	need_perf_tool();
	r = run_here("r --every 10ms -o - -- sh -c \"$W; echo loud\" | perf script -i - -F event,period");
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.out, " every:10ms:"));
	assert_non_null(strstr(r.out, " task-clock:u:"));
	assert_non_null(strstr(r.err, "loud\n"));
	r = run_here("r --every 10ms --format csv -o - -- sh -c \"$W; echo loud\"");
	assert_null(strstr(r.out, "loud"));
}

/* Of what was mapped before the recording as well, a build-id: perf archive packs by these. */
static void archive(void **state)
{
	(void)state;
	need_perf_tool();
	expect_here("file -L /bin/sh | grep -q BuildID || ! type file >/dev/null 2>&1 || exit 0; "
		    "sh -c \"$L\" & p=$!; (grown 5000; busy $p 40; kill $p) & "
		    "r --every 1ms -o $D/f -t $p || exit; "
		    "perf buildid-list -i $D/f --with-hits | grep -q -E '^[0-9a-f]{40} /[^ ]*/(dash|sh|bash)'",
		    0, "");
}

/* Ctrl-C, a target's end and a timeout end it alike: all that there was is in the file. */
static void ends(void **state)
{
	(void)state;
	need_perf_tool();
	expect_here("sh -c \"$L\" & p=$!; (grown 5000; busy $p 40; kill -INT $(cat $D/pid)) & "
		    "bare --every 1ms -t $p; s=$?; kill $p; "
		    "[ $(script | wc -l) -gt 100 ] || exit 9; "
		    "$T report -j $D/f | grep -q '\"complete\": true' || exit 8; exit $s", 0, "");
	expect_here("sh -c \"$L\" & p=$!; (grown 5000; busy $p 40; kill $p) & "
		    "r --every 1ms -o $D/f -t $p || exit; [ $(script | wc -l) -gt 50 ]", 0, "");
	expect_here("r --every 1ms --timeout 1000 -o $D/f -- sh -c \"$L\" || exit; "
		    "[ $(script | wc -l) -gt 5 ]", 0, "");
}

/* What was flushed can be read, whenever it ends. */
static void killed(void **state)
{
	(void)state;
	need_perf_tool();
	expect_here("sh -c \"$L\" & p=$!; (grown 5000; busy $p 60; kill -KILL $(cat $D/pid)) & "
		    "bare --every 1ms -t $p; s=$?; kill $p; "
		    "[ $(script | wc -l) -gt 100 ] || exit 9; exit $s", 137, "");
}

/* The reader stops for a while: the kernel reports how many samples were lost. */
static void slow_reader(void **state)
{
	(void)state;
	need_perf_tool();
	expect_here("sh -c \"$L\" & p=$!; (grown 5000; q=$(cat $D/pid); kill -STOP $q; busy $p 30; "
		    "kill -CONT $q; busy $p 20; kill -INT $q) & "
		    "bare -m 1 --every 1ms -t $p; s=$?; kill $p; "
		    "perf report -i $D/f --stats --stdio | grep -q ' LOST events' || exit 9; exit $s",
		    0, " samples were lost: the rings were full");
}

static void no_room(void **state)
{
	(void)state;
	need_recording();
	expect_here("r --every 1ms -o /dev/full -- true", 125, "/dev/full: No space left");
	expect_here("r --every 1ms --format csv -o /dev/full -- sh -c \"$W; exit 7\"", 125,
		    "the recording ends here");
	expect_here("r --every 1ms -o /nonexistent/x -- true", 125, "/nonexistent/x: No such file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(called_wrongly),
		cmocka_unit_test(help),
		cmocka_unit_test(no_module),
		cmocka_unit_test(command),
		cmocka_unit_test(compressed),
		cmocka_unit_test(text),
		cmocka_unit_test(piped),
		cmocka_unit_test(archive),
		cmocka_unit_test(ends),
		cmocka_unit_test(killed),
		cmocka_unit_test(slow_reader),
		cmocka_unit_test(no_room),
	};

	tool_init();
	return cmocka_run_group_tests_name("record_tool", tests, NULL, NULL);
}
