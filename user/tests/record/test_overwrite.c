// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * `pmcgrp record --overwrite`: nothing is written before a dump, which has the newest records and
 * none of them twice.
 */
#include "test.h"

#include "record_here.h"

/*
 * Shell functions: sized waits until a file is greater than so many bytes, ticked until the
 * process has run for so many hundredths of a second, at lists the times of the samples of files.
 */
#define FUNCTIONS \
	"export FAKE_BACKWARD=1; " \
	"sized() { until [ $(stat -c %s $1 2>/dev/null || echo 0) -gt $2 ]; do sleep 0.02; done; }; " \
	"at() { for f in \"$@\"; do perf script -i $f -F event,time --ns 2>/dev/null; done | " \
	"grep every: | sed 's/: .*//'; }; "

static void expect_dumps(const char *line, int status, const char *err)
{
	char all[1600];

	snprintf(all, sizeof(all), "%s%s", FUNCTIONS, line);
	expect_here(all, status, err);
}

static void called_wrongly(void **state)
{
	(void)state;
	expect("$T record --every 1ms --overwrite --switch-output=1M true", 125, "no file grows to a size");
	expect("$T record --every 1ms --overwrite=x true", 125, "\"pmcgrp record --help\" lists");
}

/* At the end: the newest that fits, with their names, and how much does not. */
static void at_the_end(void **state)
{
	(void)state;
	need_perf_tool();
	expect_dumps("r -m 1 --every 100us --overwrite -o $D/f -- sh -c \"$W;$W;$W\" 2>$D/err || exit; "
		     "n=$(at $D/f | wc -l); [ $n -gt 20 ] && [ $n -lt 40 ] || exit 9; "
		     "grep -q 'older records were overwritten: ' $D/err || exit 8; "
		     "script | grep -q -v '^ *sh ' && exit 7; "
		     "$T report -j $D/f | grep -q '\"complete\": true' || exit 6; "
		     /* What was counted before the first of them is not there. */
		     "script | awk '/every:/ { n++ } /task-clock/ { t += $2 } END { "
		     "exit !(t < (n + 3) * 200000) }'", 0, "");
	/* All fits: nothing was overwritten, and nothing is said of that. */
	expect_dumps("r -v --every 10ms --overwrite -o $D/f -- sh -c \"$W;$W;$W\" 2>$D/err || exit; "
		     "grep -q overwritten $D/err && exit 9; $T report -j $D/f | grep -q \"\\\"samples\\\": "
		     "$(sed -n 's/.*record: \\([0-9]*\\) samples, 0 lost.*/\\1/p' $D/err),\"", 0, "");
}

/* Of several dumps into one file no sample is there twice, and their sums are those of time. */
static void one_file(void **state)
{
	(void)state;
	need_perf_tool();
	expect_dumps("sh -c \"$L\" & p=$!; (until [ -s $D/pid ] && [ -e $D/f ]; do sleep 0.02; done; "
		     "busy $p 20; [ -s $D/f ] && touch $D/early; kill -USR2 $(cat $D/pid); "
		     "sized $D/f 2000; s=$(stat -c %s $D/f); busy $p 20; kill -USR2 $(cat $D/pid); "
		     "sized $D/f $s; kill -INT $(cat $D/pid)) & "
		     "bare -m 1 --every 1ms --overwrite -t $p 2>$D/err; s=$?; kill $p; "
		     "[ ! -e $D/early ] || exit 9; "
		     "[ $(at $D/f | wc -l) -eq $(at $D/f | sort -u | wc -l) ] || exit 8; "
		     "[ $(at $D/f | wc -l) -gt 40 ] || exit 7; "
		     "script | awk '/task-clock/ && $2 > 100000000 { exit 1 }' || exit 6; exit $s", 0, "");
}

static void one_file_each(void **state)
{
	(void)state;
	need_perf_tool();
	expect_dumps("sh -c \"$L\" & p=$!; (until [ -s $D/pid ] && [ -e $D/f ]; do sleep 0.02; done; "
		     "for n in 1 2 3; do busy $p 10; kill -USR2 $(cat $D/pid); "
		     "until [ $(ls $D/f.* 2>/dev/null | wc -l) -ge $n ]; do sleep 0.02; done; done; "
		     "kill -INT $(cat $D/pid)) & "
		     "bare -m 1 --every 1ms --overwrite --switch-output -t $p 2>$D/err; s=$?; kill $p; "
		     "[ $(ls $D/f.* | wc -l) -eq 4 ] || exit 9; [ ! -e $D/f ] || exit 8; "
		     "[ $(at $D/f.* | wc -l) -eq $(at $D/f.* | sort -u | wc -l) ] || exit 7; "
		     "for f in $(ls $D/f.* | head -n 3); do [ $(at $f | wc -l) -gt 5 ] || exit 6; "
		     "perf script -i $f -F comm 2>/dev/null | grep -q -v sh && exit 5; done; exit $s",
		     0, "");
}

static void text(void **state)
{
	(void)state;
	need_recording();
	expect_dumps("r -m 1 --every 100us --overwrite --format csv -o $D/f -- sh -c \"$W;$W;$W\" "
		     "2>$D/err || exit; [ $(grep -c ^time_ns $D/f) -eq 1 ] || exit 9; "
		     "n=$(grep -c every: $D/f); [ $n -gt 20 ] && [ $n -lt 40 ]", 0, "");
}

/* The disk is full when a dump comes. */
static void no_room(void **state)
{
	(void)state;
	need_recording();
	expect_dumps("r --every 1ms --overwrite -o /dev/full -- sh -c \"$W\"", 125,
		     "/dev/full: No space left");
	expect_dumps("r --every 1ms --overwrite -o /nonexistent/x -- true", 125,
		     "/nonexistent/x: No such file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(called_wrongly),
		cmocka_unit_test(at_the_end),
		cmocka_unit_test(one_file),
		cmocka_unit_test(one_file_each),
		cmocka_unit_test(text),
		cmocka_unit_test(no_room),
	};

	tool_init();
	return cmocka_run_group_tests_name("record_overwrite", tests, NULL, NULL);
}
