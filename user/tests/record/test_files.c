// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * `pmcgrp record --switch-output`: each file is whole by itself, and all of them together have what
 * one would have.
 */
#include "test.h"

#include "record_here.h"

/*
 * Shell functions: samples counts those of all files $D/f.*, said those that the tool has
 * told of in $D/err; usr2 sends so many SIGUSR2, each when the file of before has grown.
 */
#define FUNCTIONS \
	"samples() { for f in $D/f.[0-9]*; do perf script -i $f -F event 2>/dev/null; done | " \
	"grep -c every:; }; " \
	"said() { sed -n 's/.*record: \\([0-9]*\\) samples, 0 lost.*/\\1/p' $D/err; }; " \
	"usr2() { for n in $(seq $1); do grown 9000; kill -USR2 $(cat $D/pid); " \
	"until [ $(ls $D/f.[0-9]* 2>/dev/null | wc -l) -ge $n ]; do sleep 0.02; done; done; }; "

static void expect_files(const char *line, int status, const char *err)
{
	char all[1600];

	snprintf(all, sizeof(all), "%s%s", FUNCTIONS, line);
	expect_here(all, status, err);
}

/* Nothing is lost or doubled where one file follows another; each has the names and maps. */
static void by_size(void **state)
{
	(void)state;
	need_perf_tool();
	expect_files("r -v --every 100us --switch-output=40K -o $D/f -- sh -c \"$W;$W;$W;$W;$W;$W\" "
		     "2>$D/err || exit; [ $(samples) -eq $(said) ] || exit 9; "
		     "[ $(ls $D/f.* | wc -l) -gt 2 ] || exit 8; [ ! -e $D/f ] || exit 7; "
		     "for f in $D/f.[0-9]*; do perf report -i $f --stdio --header 2>/dev/null | "
		     "grep -q 'event : name = every:100us' || exit 6; "
		     "$T report -j $f | grep -q '\"complete\": true' || exit 5; "
		     "perf script -i $f -F comm,dso,ip >$D/s 2>/dev/null; "
		     "grep -q -v '^ *sh' $D/s && exit 4; grep -v 'swapper' $D/s | grep -q -v '(/' && "
		     "exit 3; done; exit 0", 0, "");
}

/* The sums of all files are those of the samples, each of which has its part. */
static void sums(void **state)
{
	(void)state;
	need_perf_tool();
	expect_files("r -v --every 100us --switch-output=40K -o $D/f -- sh -c \"$W;$W;$W\" 2>$D/err || "
		     "exit; for f in $D/f.[0-9]*; do perf script -i $f -F event,period 2>/dev/null; "
		     "done | awk '/every:/ { c += $1 } /task-clock:u/ { t += $1 } END { "
		     "exit !(t > 0.9 * c && t < 1.1 * c) }'", 0, "");
}

static void by_signal(void **state)
{
	(void)state;
	need_perf_tool();
	expect_files("sh -c \"$L\" & p=$!; (usr2 3; kill -INT $(cat $D/pid)) & "
		     "bare -v --every 1ms --switch-output -t $p 2>$D/err; s=$?; kill $p; "
		     "[ $(ls $D/f.* | wc -l) -eq 4 ] || exit 9; [ $(samples) -eq $(said) ] || exit 8; "
		     "grep -q 'in 4 files' $D/err || exit 7; exit $s", 0, "");
}

static void by_time(void **state)
{
	(void)state;
	need_perf_tool();
	expect_files("sh -c \"$L\" & p=$!; (until [ $(ls $D/f.[0-9]* 2>/dev/null | wc -l) -ge 2 ]; do "
		     "sleep 0.1; done; kill -INT $(cat $D/pid)) & "
		     "bare -v --every 1ms --switch-output=1s -t $p 2>$D/err; s=$?; kill $p; "
		     "[ $(samples) -eq $(said) ] || exit 8; exit $s", 0, "");
}

/* The oldest go; those that others have made stay. */
static void max_files(void **state)
{
	(void)state;
	need_recording();
	expect_files("touch $D/f.other; r -v --every 100us --switch-output=4K --switch-max-files 2 "
		     "-o $D/f -- sh -c \"$W;$W;$W;$W;$W;$W\" 2>$D/err || exit; "
		     "[ $(ls $D/f.[0-9]* | wc -l) -eq 2 ] || exit 9; [ -e $D/f.other ] || exit 8; "
		     "[ $(grep -c 'is complete' $D/err) -gt 3 ] || exit 7; "
		     "tail -n 2 $D/err | grep -q \"$(ls $D/f.[0-9]* | tail -n 1)\"", 0, "");
}

static void text(void **state)
{
	(void)state;
	need_recording();
	expect_files("r -v --every 100us --format csv --switch-output=2K -o $D/f -- "
		     "sh -c \"$W;$W;$W;$W\" 2>$D/err || exit; "
		     "[ $(cat $D/f.* | grep -c every:) -eq $(said) ] || exit 9; "
		     "for f in $D/f.*; do head -n 1 $f | grep -q ^time_ns || exit 8; done", 0, "");
}

/* What is no file is not renamed, and what cannot be made ends the recording. */
static void no_file(void **state)
{
	(void)state;
	need_recording();
	expect_files("r --every 1ms --switch-output -o /dev/full -- true", 125,
		     "/dev/full: Operation not supported");
	expect_here("[ -c /dev/full ]", 0, "");
	expect_files("mkdir $D/x; (until [ -s $D/x/f ]; do sleep 0.02; done; rm -rf $D/x) & "
		     "r --every 100us --timeout 5000 --switch-output=1s -o $D/x/f -- sh -c \"$L\"", 125,
		     "the recording ends here");
}

/* Of the recorded alone: others have page faults all the time, a loop has none. */
static void by_event(void **state)
{
	(void)state;
	need_perf_tool();
	expect("$T record --every 1ms --switch-output-event bogus:bogus true", 125,
	       "--switch-output-event: 'bogus");
	expect("$T record --every 1ms --switch-output-event bogus:bogus true", 125, bogus_system());
	expect("$T record --every 1ms --switch-output-event cycles true", 125, "\n  cycles\n  ^\n");
	expect_files("r -v --every 100us --switch-output-event faults -o $D/f -- sh -c \"$W;(:);$W;$W\" "
		     "2>$D/err || exit; [ $(samples) -eq $(said) ] || exit 9; "
		     "[ $(ls $D/f.* | wc -l) -gt 1 ]", 0, "");
	expect_files("sh -c \"$L\" & p=$!; busy $p 20; r --timeout 400 --every 1ms "
		     "--switch-output-event faults -o $D/f -t $p; s=$?; kill $p; "
		     "[ $(ls $D/f.* | wc -l) -eq 1 ] || exit 9; exit $s", 0, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_size),
		cmocka_unit_test(sums),
		cmocka_unit_test(by_signal),
		cmocka_unit_test(by_time),
		cmocka_unit_test(max_files),
		cmocka_unit_test(text),
		cmocka_unit_test(no_file),
		cmocka_unit_test(by_event),
	};

	tool_init();
	return cmocka_run_group_tests_name("record_files", tests, NULL, NULL);
}
