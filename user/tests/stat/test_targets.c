// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The tool itself: whom it counts, and from when to when. */
#include "test.h"

#include "tool.h"

/* The first value of a CSV whose only event it is. */
static long first_value(const char *line)
{
	struct result r = run(line);

	if (r.status)
		fail_msg("%s: status %d, stderr: %s", line, r.status, r.err);
	return strtol(r.err, NULL, 10);
}

/* A megabyte in a shell's variable is more than 200 pages: counted where they belong. */
#define WORK "'x=0123456789abcdef; while [ ${#x} -lt 1000000 ]; do x=$x$x; done'"

static void children(void **state)
{
	static const char nothing[] = "$T stat --perf -x, -e minor-faults:u -- sh -c '(:); :'";
	static const char counted[] =
		"$T stat --perf -x, -e minor-faults:u -- sh -c 'sh -c \"$0\"; :' " WORK;
	static const char left_out[] =
		"$T stat --perf -i -x, -e minor-faults:u -- sh -c 'sh -c \"$0\"; :' " WORK;
	long least;

	(void)state;
	need_perf();
	least = first_value(nothing);
	assert_true(first_value(counted) > least + 200);
	assert_true(first_value(left_out) < least + 200);
}

/* What two processes have counted is added up; the command tells them to begin, and waits. */
static void two_processes(void **state)
{
	static const char line[] =
		"D=$(mktemp -d); trap 'rm -rf $D' EXIT; "
		"w() { sh -c 'until [ -e $1/go ]; do sleep 0.02; done; eval \"$0\"; :>$1/$2; "
		"exec sleep 99' " WORK " $D $1 & }; "
		"w 1; a=$!; w 2; b=$!; $T stat --perf -x, -e minor-faults:u -p %s -- "
		"sh -c ':>$0/go; until [ -e $0/1 ] && [ -e $0/2 ]; do sleep 0.02; done' $D; "
		"s=$?; kill $a $b; exit $s";
	char both[1024], one[1024];

	(void)state;
	need_perf();
	snprintf(both, sizeof(both), line, "$a,$b");
	snprintf(one, sizeof(one), line, "$a");
	assert_true(first_value(both) > 3 * first_value(one) / 2);
}

static unsigned int lines_of(const char *text)
{
	unsigned int nr = 0;

	for (; (text = strchr(text, '\n')); text++)
		nr++;
	return nr;
}

/* Values of lines that stand for parts are those of the whole. */
static void intervals_add_up(void **state)
{
	struct result r;
	long sum = 0;
	char *line;

	(void)state;
	need_perf();
	/* 3 MB in steps: the intervals find some of it each. */
	r = run("$T stat --perf -x, -I 20 -e minor-faults:u -- sh -c 'for i in 1 2 3; do sh -c "
		"\"$0\"; sleep 0.03; done' " WORK);
	assert_int_equal(r.status, 0);
	for (line = r.err; *line; line = strchr(line, '\n') + 1)
		sum += strtol(strchr(line, ',') + 1, NULL, 10);
	assert_true(sum > 600);
}

/*
 * The status of a command that --timeout ends, and that exits with 4 if it is told to. Where it
 * has not come as far as to say how in that time, it gets ten times as much.
 */
static int ended(void)
{
	struct result r;
	char line[200];
	long ms;

	for (ms = 100; ms < WAIT_MS; ms *= 10) {
		snprintf(line, sizeof(line), "$T stat --perf -e cs:u --timeout %ld -- sh -c "
			 "'trap \"exit 4\" TERM; echo is there; while :; do sleep 0.01; done'", ms);
		r = run(line);
		if (strstr(r.out, "is there"))
			return strstr(r.err, "elapsed") ? r.status : -1;
	}
	return -1;
}

static void ends(void **state)
{
	struct result r;

	(void)state;
	need_perf();
	/* What --timeout ended has not failed; what caught the signal says what it means. */
	expect("$T stat --perf -e cs:u --timeout 30 -- sleep 30", 0, "Counts of 'sleep 30'");
	assert_int_equal(ended(), 4);
	expect("$T stat --perf -e cs:u --timeout 3000000 -- sh -c 'exit 3'", 3, "elapsed");
	r = run("$T stat --perf -x, -e task-clock:u -I 10 --interval-count 3 -p $$");
	assert_int_equal(r.status, 0);
	assert_int_equal(lines_of(r.err), 3);
	/* The table has a line of columns more, and no end. */
	r = run("$T stat --perf -e '{task-clock:u,cs:u}' -I 10 --interval-count 2 -p $$");
	assert_int_equal(lines_of(r.err), 5);
	assert_null(strstr(r.err, "elapsed"));
}

static void delays(void **state)
{
	(void)state;
	need_perf();
	expect("$T stat --perf -e task-clock:u -D -1 -- true", 0, "the events are disabled");
	expect("$T stat --perf -e task-clock:u -D -1 -- true", 0, "<not counted>");
	expect("$T stat --perf -e task-clock:u -D 20000 -- true", 0, "nothing was counted");
}

/* Threads that are there, and the line that says of what. */
static void targets(void **state)
{
	(void)state;
	need_perf();
	expect("$T stat --perf -e task-clock:u -p $$ --timeout 20", 0, "Counts of process ");
	expect("$T stat --perf -e task-clock:u -t $$ --timeout 20", 0, "Counts of thread ");
	if (run("$T stat --perf -a -e cs -- true").status)
		skip();		/* not permitted */
	expect("$T stat --perf -a -e cs -- true", 0, "Counts of all CPUs");
	expect("$T stat --perf -C 0 -e cs -- true", 0, "Counts of CPU 0:");
	expect("$T stat --perf -C 0 -A -e cs -- true", 0, "\nCPU0  ");
	expect("$T stat --perf -C 0 --per-socket -e cs -- true", 0, "\nS0        1 ");
	expect("$T stat --perf -C 4000 --per-core -e cs -- true", 125, "of CPU 4000 from /sys");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(children),
		cmocka_unit_test(two_processes),
		cmocka_unit_test(intervals_add_up),
		cmocka_unit_test(ends),
		cmocka_unit_test(delays),
		cmocka_unit_test(targets),
	};

	tool_init();
	return cmocka_run_group_tests_name("stat_targets", tests, NULL, NULL);
}
