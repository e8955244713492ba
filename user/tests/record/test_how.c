// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* `pmcgrp record`: what perf record's smaller options do, seen in the file and by perf(1). */
#include "test.h"

#include "record_here.h"

/* With nothing to say but errors. */
static void quiet(void **state)
{
	struct result r;

	(void)state;
	need_recording();
	expect_here("r --every 10s -o $D/f -- true", 0, "there was no sample");
	r = run_here("r -q --every 10s -o $D/f -- true");
	assert_int_equal(r.status, 0);
	assert_string_equal(r.err, "");
	expect_here("r -q --every 1ms -o /nonexistent/x -- true", 125, "No such file");
}

/* The command would not end by itself. */
static void max_size(void **state)
{
	(void)state;
	need_perf_tool();
	expect_here("r --max-size 20K --every 100us -o $D/f -- sh -c \"$L\" || exit; "
		    "[ $(stat -c %s $D/f) -ge 20480 ] || exit 9; "
		    "$T report -j $D/f | grep -q '\"complete\": true'", 0, "--max-size: there are ");
	/* All files together. */
	expect_here("r -q --max-size 30K --switch-output=8K --every 100us -o $D/f -- sh -c \"$L\" || exit; "
		    "[ $(ls $D/f.* | wc -l) -gt 1 ] || exit 9; [ $(cat $D/f.* | wc -c) -ge 30720 ]",
		    0, "");
	expect_here("r --max-size 1K --every 100us --format csv -o $D/f -- sh -c \"$L\" || exit; "
		    "[ $(stat -c %s $D/f) -ge 1024 ]", 0, "--max-size: there are ");
}

static void stamp(void **state)
{
	(void)state;
	need_recording();
	expect_here("r -v --timestamp-filename --every 1ms -o $D/f -- sh -c \"$W\" || exit; "
		    "ls $D | grep -q -x 'f\\.[0-9]\\{16\\}' || exit 9; [ $(ls $D | wc -l) -eq 1 ] || exit 8; "
		    "$T report -j $D/f.* | grep -q '\"complete\": true'", 0, " is complete");
	/* Dumps go to one file, as without. */
	expect_here("export FAKE_BACKWARD=1; r --timestamp-filename --overwrite --every 1ms -o $D/f -- sh -c "
		    "\"$W\" || exit; [ $(ls $D | grep -c -x 'f\\.[0-9]\\{16\\}') -eq 1 ]", 0, "");
}

static void modes(void **state)
{
	(void)state;
	need_perf_tool();
	expect_here("r --all-kernel --every 1ms -o $D/f -- true || exit; perf evlist -v -i $D/f | "
		    "grep '^task-clock:u:' >$D/e; grep -q 'exclude_user: 1' $D/e || exit 9; "
		    "grep -q 'exclude_kernel' $D/e && exit 8; exit 0", 0, "");
	expect_here("LD_PRELOAD=${T%/*}/fake_module.so ASAN_OPTIONS=verify_asan_link_order=0 $T record "
		    "-i -e task-clock --all-user --every 1ms -o $D/f -- true || exit; "
		    "perf evlist -v -i $D/f | grep '^task-clock:' | grep -q 'exclude_kernel: 1'", 0, "");
}

/* -c is about the first event of the group, wherever it stands. */
static void when(void **state)
{
	(void)state;
	need_perf_tool();
	expect_here("r -c 1000000 -o $D/f -- sh -c \"$W\" || exit; "
		    "script | grep -q ' every:1000000:faults:u:'", 0, "");
	expect_here("r -F 1000 -o $D/f -- sh -c \"$W\" || exit; script | grep -q ' every:1ms:'", 0, "");
	expect("$T record -c 5 -e task-clock true", 125, "-c: of a clock give the time");
}

static void dry_run(void **state)
{
	(void)state;
	expect("cd /nonexistent 2>/dev/null; d=$(mktemp -d); $T record --dry-run --every 1ms -o $d/f "
	       "-e cycles false; s=$?; rmdir $d && exit $s", 0, "");
	expect("$T record --dry-run --every 1ms -e bogus true", 125, "\n  bogus\n  ^\n");
	expect("$T record --dry-run --every 1us -e cycles true", 125, "--every: the kernel's clocks");
}

/* This process alone, and not the command: field 41 is the policy. */
static void realtime(void **state)
{
	struct result r;

	(void)state;
	need_recording();
	r = run_here("r -r 3 --every 1ms -o $D/f -- sh -c 'cut -d \" \" -f 40,41 /proc/$PPID/stat; "
		     "cut -d \" \" -f 41 /proc/$$/stat'");
	if (r.status == 125 && strstr(r.err, "Operation not permitted")) {
		print_message("# skipped: %s\n", r.err);
		skip();
	}
	assert_int_equal(r.status, 0);
	assert_string_equal(r.out, "3 1\n0\n");
	expect_here("r -r 100 --every 1ms -o $D/f -- true", 125, "priorities are 1 to 99");
}

static void no_buffering(void **state)
{
	(void)state;
	need_recording();
	expect_here("export FAKE_RING=1; r -m 4 --every 1ms -o $D/f -- true", 0,
		    "ring: wakeup 4096 bytes\n");
	expect_here("export FAKE_RING=1; r -m 4 --no-buffering --every 1ms -o $D/f -- true", 0,
		    "ring: wakeup 1 samples\n");
}

/* Of what is mapped later, what was mapped before, and the kernel; or of nothing. */
static void build_ids(void **state)
{
	(void)state;
	need_perf_tool();
	expect_here("ids() { perf script -i $D/f --show-mmap-events 2>/dev/null | "
		    "grep -c 'MMAP2.*<[0-9a-f]\\{40\\}>'; }; "
		    "r --every 1ms -o $D/f -- sh -c \"$W; cat /dev/null\" || exit; [ $(ids) -gt 2 ] || exit 9; "
		    "r -B --every 1ms -o $D/f -- sh -c \"$W; cat /dev/null\" || exit; [ $(ids) -eq 0 ] || exit 8; "
		    "perf script -i $D/f --show-mmap-events 2>/dev/null | grep -q 'MMAP.* r-xp /'", 0, "");
	expect_here("a=$(awk '$3 == \"_text\" || $3 == \"_stext\" { print $1; exit }' /proc/kallsyms); "
		    "case $a in *[1-9a-f]*) ;; *) exit 0 ;; esac; [ -r /sys/kernel/notes ] || exit 0; "
		    "r --every 1ms -o $D/f -- sh -c \"$W\" || exit; "
		    "k=$(perf script -i $D/f --show-mmap-events 2>/dev/null | "
		    "sed -n 's/.*MMAP2 -1.*<\\([0-9a-f]*\\)>.*kernel.kallsyms.*/\\1/p'); "
		    "[ ${#k} -eq 40 ] || exit 9; "
		    "od -A n -t x1 -v /sys/kernel/notes | tr -d ' \\n' | grep -q $k", 0, "");
}

/* Of a thread that the kernel has told of, and of one that was there. */
static void namespaces(void **state)
{
	struct result r;

	(void)state;
	need_perf_tool();
	r = run_here("r --namespaces --every 1ms -o $D/f -- sh -c \"$W; (:); $W\"");
	if (r.status == 125 && strstr(r.err, "--namespaces: perf events refused")) {
		print_message("# skipped: %s\n", r.err);
		skip();
	}
	expect_here("told() { perf script -i $D/f --show-namespace-events 2>/dev/null | "
		    "grep -A 8 'PERF_RECORD_NAMESPACES'; }; "
		    "mine() { told | grep -q \"mnt: [0-9]*/0x$(printf %x $(stat -L -c %i /proc/self/ns/mnt))\"; }; "
		    "r --namespaces --every 1ms -o $D/f -- sh -c \"$W\" || exit; mine || exit 9; "
		    "sh -c \"$L\" & p=$!; r --timeout 300 --namespaces --every 1ms -o $D/f -t $p; s=$?; "
		    "kill $p; mine || exit 8; exit $s", 0, "");
	/* Each of several files with a sample has them. */
	expect_here("r -q --namespaces --every 100us --switch-output=10K -o $D/f -- sh -c \"$W;$W;$W\" || "
		    "exit; for f in $D/f.*; do perf script -i $f --show-namespace-events 2>/dev/null >$D/s; "
		    "grep -q every: $D/s || continue; n=x$n; grep -q NAMESPACES $D/s || exit 9; done; "
		    "[ ${#n} -gt 1 ]", 0, "");
}

static void switch_events(void **state)
{
	(void)state;
	need_perf_tool();
	expect_here("sw() { perf script -i $D/f --show-switch-events 2>/dev/null | grep -c RECORD_SWITCH; }; "
		    "r --switch-events --every 1ms -o $D/f -- sh -c \"$W; sleep 0.1; $W\" || exit; "
		    "[ $(sw) -gt 1 ] || exit 9; "
		    "r --every 1ms -o $D/f -- sh -c \"$W; sleep 0.1; $W\" || exit; [ $(sw) -eq 0 ]", 0, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quiet),
		cmocka_unit_test(max_size),
		cmocka_unit_test(stamp),
		cmocka_unit_test(modes),
		cmocka_unit_test(when),
		cmocka_unit_test(dry_run),
		cmocka_unit_test(realtime),
		cmocka_unit_test(no_buffering),
		cmocka_unit_test(build_ids),
		cmocka_unit_test(namespaces),
		cmocka_unit_test(switch_events),
	};

	tool_init();
	return cmocka_run_group_tests_name("record how", tests, NULL, NULL);
}
