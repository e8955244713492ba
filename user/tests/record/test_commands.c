// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* `pmcgrp record --control`: what is recorded, dumped and ended on command. */
#include "test.h"

#include "record_here.h"

/*
 * A shell that has the tool record itself: "tell WORDS" writes a command and waits for the answer,
 * "untold WORDS" a command that has none.
 */
#define SHELL(options, script, after) \
	"mkfifo $D/c $D/a; export D W; cat >$D/s <<'END'\n" \
	"exec 8<>$D/a\n" \
	"tell() { echo \"$@\" >$D/c; read -r x <&8; [ \"$x\" = ack ] || exit 99; }\n" \
	"untold() { echo \"$@\" >$D/c; }\n" \
	script "\nEND\n" \
	"r --control fifo:$D/c,$D/a --every 100us -o $D/f " options " -- sh $D/s; s=$?; " after \
	"\nexit $s"

static void on_and_off(void **state)
{
	(void)state;
	need_perf_tool();
	/* Nothing before the first command, and nothing after the second one. */
	expect_here(SHELL("-D -1", "eval \"$W\"; tell ping; eval \"$W;$W\"", ""), 0, "there was no sample");
	expect_here(SHELL("-D -1", "tell enable; eval \"$W;$W\"; tell disable; tell disable",
			  "[ $(script | wc -l) -gt 20 ] || exit 9"), 0, "events enabled");
	expect_here(SHELL("", "tell disable task-clock:u; eval \"$W;$W;$W;$W\"; tell enable task-clock:u",
			  "[ $(script | wc -l) -lt 5000 ] || exit 9"), 0, "events disabled");
	expect_here(SHELL("", "untold enable bogus; tell ping", ""), 0, "no event 'bogus' is recorded");
}

static void lists(void **state)
{
	struct result r;

	(void)state;
	need_recording();
	r = run_here(SHELL("", "tell evlist", ""));
	assert_int_equal(r.status, 0);
	assert_string_equal(r.out, "every:100us\nfaults:u\ntask-clock:u\n");
	r = run_here(SHELL("", "tell evlist -g", ""));
	assert_string_equal(r.out, "every:100us\n{faults:u,task-clock:u}\n");
	r = run_here(SHELL("", "tell evlist -v", ""));
	assert_non_null(strstr(r.out, "faults:u: type: 1, config: 0x2\n"));
	expect_here(SHELL("", "untold evlist -x; tell ping", ""), 0, "evlist knows -g");
}

static void snapshots(void **state)
{
	(void)state;
	need_perf_tool();
	setenv("FAKE_BACKWARD", "1", 1);
	expect_here(SHELL("--overwrite", "eval \"$W\"; [ ! -s $D/f ] || exit 9; tell snapshot; "
			  "[ -s $D/f ] || exit 8; eval \"$W\"; tell snapshot",
			  "[ $(script | wc -l) -gt 20 ] || exit 7"), 0, "");
	unsetenv("FAKE_BACKWARD");
	expect_here(SHELL("--switch-output", "tell snapshot; tell snapshot; tell snapshot",
			  "[ $(ls $D/f.[0-9]* | wc -l) -eq 4 ] || exit 9"), 0, "");
	expect_here(SHELL("", "untold snapshot; tell ping", ""), 0, "snapshot writes a dump with --overwrite");
}

/* As a timeout; that nobody writes to a descriptor any more does not matter. */
static void stops(void **state)
{
	(void)state;
	need_recording();
	expect_here(SHELL("", "tell stop; while :; do :; done", ""), 0, "");
	expect_here("r --control fd:0 --every 1ms -o $D/f -- sh -c \"$W\" </dev/null", 125,
		    "--control: cannot wait for commands");
	expect_here("echo ping | r --control fd:0 --every 1ms -o $D/f -- sh -c \"$W;$W\"", 0, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_and_off),
		cmocka_unit_test(lists),
		cmocka_unit_test(snapshots),
		cmocka_unit_test(stops),
	};

	tool_init();
	return cmocka_run_group_tests_name("record_commands", tests, NULL, NULL);
}
