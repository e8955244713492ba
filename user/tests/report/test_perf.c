// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The numbers of report beside those of perf's own tools, of recordings that perf makes. */
#include "test.h"

#include "tool.h"

static char folder[] = "/tmp/pmcgrp-perf-XXXXXX";

static int begin(void **state)
{
	(void)state;
	return mkdtemp(folder) && !setenv("D", folder, 1) ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	return run("rm -r $D").status;
}

/*
 * A recording in $D/perf.data, of a machine on which something happens. The shell itself computes
 * for some 100 ms, however fast it starts others.
 */
static void record(const char *options)
{
	char line[400];
	struct result r;

	if (run("command -v perf && perf --version").status) {
		print_message("# skipped: no perf (Debian: linux-perf)\n");
		skip();
	}
	snprintf(line, sizeof(line), "perf record -q -o $D/perf.data "
		 "-e '{cpu-clock,page-faults,context-switches}:S' %s -- sh -c "
		 "'i=0; while [ $i -lt 200 ]; do /bin/true; i=$((i+1)); j=0;"
		 "while [ $j -lt 1000 ]; do j=$((j+1)); done; done'", options);
	r = run(line);
	if (r.status) {
		print_message("# skipped: perf cannot record here: %s\n", r.err);
		skip();
	}
}

/*
 * perf script has a line for each count that moved, with by how much; for the first
 * snapshot of a CPU, or of a @thread on it, that is what was counted before, which is in no interval.
 */
static void totals(bool thread)
{
	struct result r;

	setenv("THREAD", thread ? "1" : "0", 1);
	r = run(
		"perf script -i $D/perf.data --ns -F tid,cpu,time,event,period 2>$D/err |"
		"tr -d '[]:' | awk -v thread=$THREAD '{ key = $2 \" \" (thread ? $1 : 0);"
		"	if (!(key in first)) first[key] = $3;"
		"	if ($3 != first[key]) sum[$5] += $4 }"
		"	END { for (event in sum) if (sum[event]) printf \"%s %.0f\\n\", event, sum[event] }' |"
		"sort >$D/theirs;"
		"$T report --csv $D/perf.data |"
		"awk -F, '$1 == \"member\" && $3 > 0 { print $2, $3 }' | sort >$D/ours;"
		"cat $D/ours; wc -l <$D/ours; diff $D/theirs $D/ours");

	if (r.status)
		fail_msg("%s%s", r.out, r.err);
	assert_non_null(strstr(r.out, "cpu-clock "));
}

static void samples(void)
{
	struct result r = run(
		"perf script -i $D/perf.data -D 2>/dev/null | grep -c ' PERF_RECORD_SAMPLE(' >$D/theirs;"
		"$T report --csv $D/perf.data | awk -F, '$1 == \"recording\" { print $2 }' >$D/ours;"
		"cat $D/theirs; diff $D/theirs $D/ours");

	if (r.status)
		fail_msg("%s%s", r.out, r.err);
	assert_true(atoi(r.out) > 10);
}

static void machine(void **state)
{
	(void)state;
	record("-a -c 1000000");
	totals(false);
	assert_int_equal(run("grep -q page-faults $D/ours").status, 0);
	samples();
}

static void task(void **state)
{
	(void)state;
	/* From perf of Linux 6.13 on children have counts of their own. */
	record("--sample-cpu -c 1000000");
	totals(true);
	samples();
}

static void thread(void **state)
{
	(void)state;
	record("--per-thread -c 1000000");
	samples();
	/* One task, one stream: every sample but the first ends an interval. */
	assert_int_equal(run("$T report --csv $D/perf.data | awk -F, '"
			     "$1 == \"recording\" { samples = $2 }"
			     "$1 == \"member\" && $5 != samples - 1 { bad = 1 }"
			     "END { exit bad }'").status, 0);
}

/*
 * Samples of events that are in no group: there is nothing to subtract, but to count. Every
 * page fault, but a clock of 1 ms: one of each nanosecond is as fast as the kernel can, and the
 * tool that is to end gets the less done the busier the machine is.
 */
static void without_groups(void **state)
{
	struct result r;

	(void)state;
	record("-a -c 1000000");
	r = run("perf record -q -o $D/perf.data -e cpu-clock/period=1000000,name=cpu-clock/ "
		"-e page-faults/period=1,name=page-faults/ -- $T --help");
	assert_int_equal(r.status, 0);
	r = run("$T report $D/perf.data");
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.out, " No counts: "));
	assert_non_null(strstr(r.out, "  page-faults\n"));
}

/* How many samples of the clock lie in each file of a path, and in the kernel. */
static void objects(void **state)
{
	struct result r;

	(void)state;
	record("--sample-cpu -c 1000000");
	r = run("$T report -s dso --csv $D/perf.data");
	if (r.status && strstr(r.err, "libelf")) {
		print_message("# skipped: no libelf (Debian: libelf-dev)\n");
		skip();
	}
	r = run("perf script -i $D/perf.data -F event,ip,sym,dso 2>$D/err | "
		"sed -n 's/^ *cpu-clock: .*(\\(\\/usr.*\\|\\[kernel.kallsyms\\]\\))$/\\1/p' | sort | uniq -c | "
		"awk '{ print $2, $1 }' >$D/theirs;"
		"$T report -s dso --csv $D/perf.data | sed -n 's/^sum,\\([^,]*\\),\\([0-9]*\\),.*/\\1 \\2/p' | "
		"grep '^/usr\\|^.kernel' | sort >$D/ours; cat $D/ours; diff $D/theirs $D/ours");
	if (r.status)
		fail_msg("%s%s", r.out, r.err);
	assert_non_null(strstr(r.out, "/usr/"));
}

/*
 * perf's own recorder: its file is read while it grows, and when it was killed. It has
 * written no size, and no names.
 */
static void killed(void **state)
{
	struct result r;

	(void)state;
	record("-a -c 1000000");
	r = run("perf record -q -a -o $D/killed.data -m 1 -e '{cpu-clock,page-faults}:S' -c 1000000 &"
		"pid=$!; i=0; until $T report --csv $D/killed.data 2>/dev/null | "
		"grep -q '^recording,[1-9]' || [ $i -gt 1000 ]; do sleep 0.1; i=$((i+1)); done; "
		"kill -9 $pid; wait $pid; $T report $D/killed.data");
	if (r.status != 1 || !strstr(r.out, "The recorder did not complete the file") ||
	    !strstr(r.out, "  page-faults"))
		fail_msg("status %d: %s%s", r.status, r.out, r.err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machine),
		cmocka_unit_test(task),
		cmocka_unit_test(thread),
		cmocka_unit_test(without_groups),
		cmocka_unit_test(objects),
		cmocka_unit_test(killed),
	};

	tool_init();
	return cmocka_run_group_tests_name("rep_perf", tests, begin, end);
}
