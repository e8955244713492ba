// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The tool itself with --per-thread: each thread has its own, and nobody another's. */
#include "test.h"

#include "tool.h"

/* A megabyte in a shell's variable is more than 200 pages. */
#define WORK "x=0123456789abcdef; while [ ${#x} -lt 1000000 ]; do x=$x$x; done"

/* The value on the line of CSV that begins so; -1: there is none. */
static long value_of(const char *text, const char *begin)
{
	const char *at = strstr(text, begin);

	return at ? strtol(at + strlen(begin), NULL, 10) : -1;
}

/* One of two works; the numbers of both come first. */
static struct result one_of_two(const char *options)
{
	static const char line[] =
		"D=$(mktemp -d); trap 'rm -rf $D' EXIT; "
		"cat >$D/s <<'END'\nuntil [ -e $1/go ]; do sleep 0.02; done\n"
		"[ $2 = 1 ] || { " WORK "; }\n:>$1/$2; exec sleep 99\nEND\n"
		"sh $D/s $D 1 & a=$!; sh $D/s $D 2 & b=$!; echo $a $b; "
		"$T stat --perf -x, -e minor-faults:u %s -- sh -c "
		"':>$0/go; until [ -e $0/1 ] && [ -e $0/2 ]; do sleep 0.02; done' $D; "
		"s=$?; kill $a $b; exit $s";
	char text[1024];

	snprintf(text, sizeof(text), line, options);
	return run(text);
}

static void apart(void **state)
{
	static const char *const options[] = {
		"--per-thread -p $a,$b", "--per-thread -t $b,$a", "--per-thread -a",
	};
	char idle[32], busy[32];
	struct result r;
	int a, b;
	size_t i;

	(void)state;
	need_perf();
	for (i = 0; i < ARRAY_SIZE(options); i++) {
		r = one_of_two(options[i]);
		/* Of all threads only root may ask everywhere. */
		if (r.status && i == 2)
			continue;
		assert_int_equal(r.status, 0);
		assert_int_equal(sscanf(r.out, "%d %d", &a, &b), 2);
		snprintf(idle, sizeof(idle), "-%d,", a);
		snprintf(busy, sizeof(busy), "-%d,", b);
		assert_row(i, value_of(r.err, idle) >= 0);
		assert_row(i, value_of(r.err, busy) > value_of(r.err, idle) + 200);
	}
}

static void refused(void **state)
{
	(void)state;
	need_perf();
	expect("$T stat --perf --per-thread -e faults:u -p $$,1073741824 -- true", 125,
	       "process 1073741824 does not exist");
	expect("$T stat --perf --per-thread -e faults:u -t 1073741824", 125, "does not exist");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(apart),
		cmocka_unit_test(refused),
	};

	tool_init();
	return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
