// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* top in a terminal of tmux, of 80 columns and 24 lines. */
#include "test.h"

#include "fake_tasks.h"
#include "stat/keys_machine.h"

/*
 * The tool on a screen of tmux's, with a server of its own: once it shows an interval
 * something is done, and then waited for; what is on the screen then. A busy machine makes
 * it later, not another.
 *
 * A top that is still there is ended by a signal, before its terminal goes. The SIGCONT of a
 * hang-up would cancel the stop by which LeakSanitizer attaches to what it looks at: both
 * would be left for ever.
 */
static struct result on_screen_with(const char *start, const char *args, const char *done,
				    const char *awaited)
{
	static struct result r;
	char line[2400];

	if (run("command -v tmux").status) {
		print_message("# skipped: no tmux\n");
		skip();
	}
	snprintf(line, sizeof(line),
		 "t() { tmux -f /dev/null -S $D/socket \"$@\"; }; D=$(mktemp -d);"
		 "shown() { i=0; until t capture-pane -p | grep -q \"$1\" || [ $i -gt 1500 ]; do"
		 "	sleep 0.1; i=$((i+1)); done; [ $i -le 1500 ] || echo NOT SHOWN: \"$1\"; };"
		 "t new-session -d -x 80 -y 24 \"set -m; %s -d 0.2 %s; echo status \\$?; sleep 99\";"
		 "shown '100.00%%\\|(ended)\\|^CPU0'; %s shown '%s';"
		 "t capture-pane -p;"
		 "P=$(t display -p '#{pane_pid}');"
		 "[ -z \"$P\" ] || t capture-pane -p | grep -q '^status' || {"
		 "	pkill -TERM -P $P; shown '^status';"
		 "	t capture-pane -p | grep -q '^status 0' || { echo ENDED BADLY; t capture-pane -p; };"
		 "};"
		 "t kill-server; rm -r $D", start, args, done, awaited);
	r = run(line);
	if (strstr(r.out, "ENDED BADLY") || strstr(r.out, "NOT SHOWN"))
		fail_msg("%s%s", r.out, r.err);
	return r;
}

static struct result on_screen(const char *args, const char *done, const char *awaited)
{
	return on_screen_with("$T top --perf", args, done, awaited);
}

static void terminal(void **state)
{
	struct result r;

	(void)state;
	need_perf();
	r = on_screen("-e page-faults:u,context-switches:u -p $$", "", "q: quit");
	if (strncmp(r.out, "pmcgrp top: process ", 20) || !strstr(r.out, "\nEVENT  ") ||
	    !strstr(r.out, "\npage-faults:u  ") || !strstr(r.out, "\nq: quit"))
		fail_msg("%s%s", r.out, r.err);
	r = on_screen("-e page-faults:u -p $$", "t send-keys q;", "^status");
	if (!strstr(r.out, "status 0"))
		fail_msg("%s%s", r.out, r.err);
}

/* Of 23 rows 21 fit: arrows and pages scroll to the last and back. */
static void scrolled(void **state)
{
	static const char events[] = "-e page-faults:u,page-faults:u,page-faults:u,page-faults:u,"
				     "page-faults:u,page-faults:u,page-faults:u,page-faults:u,"
				     "page-faults:u,page-faults:u,page-faults:u,page-faults:u,"
				     "page-faults:u,page-faults:u,page-faults:u,page-faults:u,"
				     "page-faults:u,page-faults:u,page-faults:u,page-faults:u,"
				     "page-faults:u,context-switches:u,minor-faults:u -p $$";

	(void)state;
	need_perf();
	on_screen(events, "shown 'rows 1 to 21 of 23';"
		  "! t capture-pane -p | grep minor-faults || echo NOT SHOWN later;"
		  "t send-keys Down; shown 'rows 2 to 22 of 23';"
		  "t send-keys NPage; shown minor-faults; shown 'rows 3 to 23 of 23';"
		  "t send-keys PPage;", "rows 1 to 21 of 23");
}

/* The target ends, and so does top, which says so on a terminal that is as it was. */
static void target_ends(void **state)
{
	struct result r;

	(void)state;
	need_perf();
	r = on_screen("-e page-faults:u -p \\$(yes >/dev/null & echo \\$! | tee $D/pid)",
		      "kill $(cat $D/pid);", "^status");
	if (!strstr(r.out, "has ended") || !strstr(r.out, "status 0"))
		fail_msg("%s%s", r.out, r.err);
}

/* ---- Keys ---- */

#define CPUS_SHOWN "-e page-faults:u,context-switches:u -a"

static void check_result(struct result r, const char *done, const char *shown)
{
	if (!strstr(r.out, shown))
		fail_msg("%s: no '%s' in:\n%s%s", done, shown, r.out, r.err);
}

static void check_screen(const char *args, const char *done, const char *awaited, const char *shown)
{
	check_result(on_screen(args, done, awaited), done, shown);
}

/* A key, and what is on the screen then, in one session. */
#define KEY(keys, first, second) "t send-keys " keys "; shown '" first "'; shown '" second "';"

static void keys(void **state)
{
	/* clang-format off */
	static const char steps[] =
		KEY("c", "^CPU0", "WHERE")
		KEY("'>'", ">page-faults:u", "by cpu")
		KEY("r", "<page-faults:u", "by cpu")
		KEY("m", "^CPU0", "of the highest")
		KEY("e", "^EVENT", "page-faults:u")
		KEY("t", "need /dev/pmcgrp", "EVENT")
		KEY("'?'", "KEYS AND COLOURS", "halve the interval")
		KEY("x", "^EVENT", "q: quit")
		KEY("h", "KEYS AND COLOURS", "halve the interval")
		KEY("x", "^EVENT", "q: quit")
		KEY("+", "interval: 0.4 s", "EVENT")
		KEY("- -", "interval: 0.1 s", "EVENT")
		KEY("c / x BSpace", "filter: _", "WHERE")
		KEY("Escape", "q: quit", "WHERE")
		KEY("/ nothing", "filter: nothing_", "WHERE")
		KEY("Escape", "q: quit", "WHERE")
		KEY("/ cpu0 Enter", "^CPU0", "filter: cpu0")
		KEY("Escape", "^status", "status 0");
	/* clang-format on */

	(void)state;
	need_perf();
	on_screen(CPUS_SHOWN, steps, "^status");
}

/* It stands still while intervals pass, and the first one after that has all of them. */
static void frozen(void **state)
{
	const char *length;
	struct result r;

	(void)state;
	need_perf();
	check_screen(CPUS_SHOWN, "t send-keys Space; shown FROZEN; t capture-pane -p >$D/a; sleep 1;"
		     "t capture-pane -p | cmp - $D/a && echo still the same; ", "FROZEN",
		     "still the same");
	/* What passed meanwhile is in the interval after that. */
	r = on_screen(CPUS_SHOWN " -d 3",
		      "t send-keys Space; shown FROZEN; sleep 5; t send-keys Space;",
		      "the last [5-9][.]");
	length = strstr(r.out, "the last ");
	if (!length || atof(length + 9) < 5.0)
		fail_msg("%s%s", r.out, r.err);
}

static void resized(void **state)
{
	(void)state;
	need_perf();
	/* Long before the interval's end. */
	check_screen(CPUS_SHOWN " -d 0.2",
		     "t send-keys +++++++++; shown 'interval: 102 s'; t resize-window -x 60 -y 10;",
		     "^pmcgrp top.\\{50\\}$", "EVENT");
}

/* The terminal is as it was, whatever ends top. */
static void restored(void **state)
{
	static const char stty[] = "-e page-faults:u -a; stty -a | grep -o ' -\\?icanon\\| -\\?echo '";
	static const char * const signals[] = { "TERM", "INT", "HUP", "QUIT" };
	char done[300];
	size_t i;

	(void)state;
	need_perf();
	for (i = 0; i < ARRAY_SIZE(signals); i++) {
		snprintf(done, sizeof(done),
			 "kill -%s $(pgrep -f -x \"$T top --perf -d 0.2 -e page-faults:u -a\");",
			 signals[i]);
		check_screen(stty, done, "^status", " icanon\n echo");
	}
}

/* Without its terminal it ends: in a job of its own no signal says so. */
static void terminal_gone(void **state)
{
	static const char gone[] =
		"P=$(pgrep -f -x \"$T top --perf -d 0.2 -e page-faults:u -a\"); t kill-server;"
		"while kill -0 $P; do sleep 0.1; done; echo it has ended; shown() { :; };";

	(void)state;
	need_perf();
	/* LeakSanitizer cannot look at what its terminal's end continues: on_screen_with(). */
	check_result(on_screen_with("env ASAN_OPTIONS=detect_leaks=0 $T top --perf",
				    "-e page-faults:u -a", gone, ""),
		     gone, "it has ended");
}

/* Colours are asked for by no means, by an option, or not at all. */
static void colours(void **state)
{
	static const char look[] = "shown '^CPU0'; t capture-pane -e -p |"
				   " grep -c \"$(printf '\\033')\\[[0-9;]*4[1-8]\" >$D/nr;"
				   "echo colours: $(cat $D/nr);";
	static const struct {
		const char *start;
		const char *args;
		const char *shown;
	} rows[] = {
		{ "env -u NO_COLOR $T top --perf", "--matrix", "colours: 1" },
		{ "env NO_COLOR= $T top --perf", "--matrix", "colours: 1" },
		{ "env NO_COLOR=1 $T top --perf", "--matrix", "colours: 0" },
		{ "env NO_COLOR=1 $T top --perf", "--matrix --color=always", "colours: 1" },
		{ "env -u NO_COLOR $T top --perf", "--matrix --color=never", "colours: 0" },
	};
	char args[100];
	size_t i;

	(void)state;
	need_perf();
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(args, sizeof(args), "-e page-faults:u %s", rows[i].args);
		check_result(on_screen_with(rows[i].start, args, look, "CPU0"), rows[i].args,
			     rows[i].shown);
	}
}

/* SIGTSTP gives the terminal back, and SIGCONT takes it again. */
static void stopped(void **state)
{
	static const char args[] = "-e page-faults:u -a; stty -a >$D/stty; fg >/dev/null";
	static const char stop[] =
		"kill -TSTP $(pgrep -f -x \"$T top --perf -d 0.2 -e page-faults:u -a\");"
		"until grep -q . $D/stty; do sleep 0.1; done; grep -o ' icanon' $D/stty;"
		"t send-keys '?';";

	(void)state;
	need_perf();
	check_screen(args, stop, "KEYS AND COLOURS", " icanon\npmcgrp top: ");
}

/* ---- Rows of tasks, with a stand-in for the module ---- */

static void check_tasks(const char *args, const char *done, const char *awaited, const char *shown)
{
	check_result(on_screen_with(FAKE_TASKS, args, done, awaited), done, shown);
}

static void tasks(void **state)
{
	(void)state;
	check_tasks("--by thread", "shown '^4190001 4190001 (ended)';", "(ended)",
		    "\n4190002 4190001 (ended)");
	check_tasks("--by thread", "t send-keys p;", "    2 (ended)", "4190001     2 (ended)");
	check_tasks("--by process", "t send-keys t;", "^4190002", "by thread");
	check_tasks("--by thread -e cpu-clock", "t send-keys r;", "<cpu-clock",
		    "<cpu-clock\n      0       0 idle");
	check_tasks("--by thread -e cpu-clock", "t send-keys '<';", "NAME            cpu-clock",
		    "cpu-clock\n4190001");
	check_tasks("--by thread", "t send-keys / idle Enter;", "filter: idle", "      0       0 idle");
	check_tasks("--by thread --lines 1", "", "rows 1 to 1 of 3", "4190001");
}

/* From counts by key; the name of the command is (ended). */
static void counts_by_key(void **state)
{
	char start[512];

	(void)state;
	put("keys", "0 11650860684567848 0 1000000 1000 x\n");
	snprintf(start, sizeof(start), FAKE_KEYS, fake_root, "top");
	/* The first interval alone has it: it stays long enough to be seen. */
	check_result(on_screen_with(start, "--by command -e cycles -d 4", "", "COMMAND"), start,
		     "(ended)");
	check_result(on_screen_with(start, "--by command -e cycles", "t send-keys g;", "by cgroup"),
		     start, "CGROUP");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(terminal),
		cmocka_unit_test(scrolled),
		cmocka_unit_test(target_ends),
		cmocka_unit_test(keys),
		cmocka_unit_test(frozen),
		cmocka_unit_test(resized),
		cmocka_unit_test(restored),
		cmocka_unit_test(terminal_gone),
		cmocka_unit_test(colours),
		cmocka_unit_test(stopped),
		cmocka_unit_test(tasks),
		cmocka_unit_test_setup_teardown(counts_by_key, keys_machine, fake_machine_end),
	};

	tool_init();
	return cmocka_run_group_tests_name("top: terminal", tests, NULL, NULL);
}
