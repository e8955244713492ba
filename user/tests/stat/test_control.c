// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The tool itself, told by --control what to count, and when to end. */
#include "test.h"

#include "tool.h"

/*
 * A shell that has the tool count itself: "tell WORDS" writes a command and waits for the answer,
 * "untold WORDS" a command that has none. W makes 200 page faults and more.
 */
#define SHELL(options, script) \
	"D=$(mktemp -d); trap 'rm -rf $D' EXIT; mkfifo $D/c $D/a; " \
	"cat >$D/s <<'END'\n" \
	"exec 8<>$D/a\n" \
	"tell() { echo \"$@\" >$D/c; read -r x <&8; [ \"$x\" = ack ] || exit 99; }\n" \
	"untold() { echo \"$@\" >$D/c; }\n" \
	"W() { x=0123456789abcdef; while [ ${#x} -lt 1000000 ]; do x=$x$x; done; }\n" \
	script "\nEND\n" \
	"export D; $T stat --perf --control fifo:$D/c,$D/a -x, -e minor-faults:u " options \
	" -- sh $D/s"

/* The value of the report's only event: it is the last line. */
static long faults(const struct result *r)
{
	const char *at = strstr(r->err, ",,minor-faults:u,");

	if (!at)
		fail_msg("no value: %s", r->err);
	while (at > r->err && at[-1] != '\n')
		at--;
	return strtol(at, NULL, 10);
}

static void on_and_off(void **state)
{
	struct result r;
	long off, on;

	(void)state;
	need_perf();
	r = run(SHELL("-D -1", "tell ping; W; tell enable; tell disable; W"));
	assert_int_equal(r.status, 0);
	off = faults(&r);
	r = run(SHELL("-D -1", "tell enable; W; tell disable"));
	assert_int_equal(r.status, 0);
	on = faults(&r);
	assert_true(on > off + 200);
	assert_non_null(strstr(r.err, "pmcgrp stat: events disabled\npmcgrp stat: events enabled\n"
				      "pmcgrp stat: events disabled\n"));
	/* By the name of an event, and while -D passes. */
	r = run(SHELL("-D -1", "tell enable minor-faults:u; W; tell disable minor-faults:u"));
	assert_true(faults(&r) > off + 200);
	r = run(SHELL("-D 100000", "tell enable; W; tell disable; tell stop; exec sleep 99"));
	assert_int_equal(r.status, 0);
	assert_true(faults(&r) > off + 200);
	assert_null(strstr(r.err, "nothing was counted"));
	r = run(SHELL("-D 100000", "tell stop; exec sleep 99"));
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.err, "nothing was counted"));
	/* Enabled to begin with, without -D. */
	r = run(SHELL("-r 2", "W; tell disable"));
	assert_int_equal(r.status, 0);
	assert_true(faults(&r) > off + 200);
}

static void lists(void **state)
{
	struct result r;

	(void)state;
	need_perf();
	r = run(SHELL("-e '{cs:u,faults:u}'",
		      "tell evlist; tell evlist -g; tell evlist -v"));
	assert_int_equal(r.status, 0);
	assert_string_equal(r.out, "minor-faults:u\ncs:u\nfaults:u\n"
				   "minor-faults:u\n{cs:u,faults:u}\n"
				   "minor-faults:u: type: 1, config: 0x5\n"
				   "cs:u: type: 1, config: 0x3\nfaults:u: type: 1, config: 0x2\n");
}

/* The command is ended as by --timeout, and no run follows. */
static void stop(void **state)
{
	struct result r;

	(void)state;
	need_perf();
	r = run(SHELL("-v -r 3", "tell stop; exec sleep 99"));
	assert_int_equal(r.status, 0);
	assert_true(faults(&r) >= 0);
	assert_null(strstr(r.err, "run 2 of 3"));
	r = run(SHELL("-I 20", "sleep 0.1; tell stop; exec sleep 99"));
	assert_int_equal(r.status, 0);
}

/* What is not understood, or cannot be, has no answer: the next one's is the first. */
static void refused(void **state)
{
	struct result r;

	(void)state;
	need_perf();
	r = run(SHELL("", "untold bogus; untold snapshot; untold evlist -F; untold enable nix; "
			  "tell ping; [ -z \"$(timeout 0.2 head -c 1 <&8)\" ]"));
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.err, "'bogus' is no command: enable,"));
	assert_non_null(strstr(r.err, "a count has no snapshot"));
	assert_non_null(strstr(r.err, "evlist knows -g"));
	assert_non_null(strstr(r.err, "no event 'nix' is counted"));
	expect("$T stat --perf --control fifo:/dev/null -e faults:u true", 125, "is no FIFO");
	expect("$T stat --perf --control fd:77 -e faults:u true", 125, "descriptor 77: Bad file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_and_off),
		cmocka_unit_test(lists),
		cmocka_unit_test(stop),
		cmocka_unit_test(refused),
	};

	tool_init();
	return cmocka_run_group_tests_name("stat control", tests, NULL, NULL);
}
