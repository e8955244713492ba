// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The view of events, the command line of top, and the tool in a terminal of tmux. */
#include "test.h"

#include "hear.h"

#include "args/cli.h"
#include "stat/keys_machine.h"
#include "top/top_options.h"
#include "top/top_screen.h"

/* ---- The lines ---- */

static struct counter counters[] = {
	{ .name = "task-clock", .unit = "", .scale = 1.0, .sum = 0, .nr_boxes = 1,
	  .group = 0, .supported = true,
	  .attr = &(struct perf_event_attr){ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK } },
	{ .name = "cycles", .unit = "", .scale = 1.0, .sum = 1, .nr_boxes = 1,
	  .group = 1, .supported = true,
	  .attr = &(struct perf_event_attr){ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES } },
	{ .name = "instructions", .unit = "", .scale = 1.0, .sum = 2, .nr_boxes = 1,
	  .group = 1, .supported = true,
	  .attr = &(struct perf_event_attr){ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS } },
	{ .name = "a-name-that-is-much-longer-than-any-column-of-a-small-screen", .unit = "", .scale = 1.0, .sum = 3, .nr_boxes = 1,
	  .group = 2,
	  .supported = true, .attr = &(struct perf_event_attr){ .type = PERF_TYPE_RAW, .config = 1 } },
	{ .name = "bus-cycles", .unit = "", .scale = 1.0, .sum = 4, .nr_boxes = 1,
	  .group = 3,
	  .attr = &(struct perf_event_attr){ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_BUS_CYCLES } },
};

/* Half a second: what was counted, scaled; enabled; running. -1: not counted. */
static const double values[][3] = {
	{ 250e6, 5e8, 5e8 },
	{ 1e9, 5e8, 2.5e8 },
	{ 1.5e9, 5e8, 2.5e8 },
	{ -1, 5e8, 0 },
	{ -1, 0, 0 },
};

struct fixture {
	struct aggr aggr;
	struct counter_set set;
	struct counts counts[ARRAY_SIZE(counters)];
	struct report report;
	struct top_view view;
	struct top_content content;
	struct top_screen screen;
};

static void fill(struct fixture *x)
{
	size_t i;
	int bad;

	memset(x, 0, sizeof(*x));
	assert_int_equal(aggr_init(&x->aggr, AGGR_GLOBAL, NULL, AGGR_FOLDER, &bad), 0);
	x->set = (struct counter_set){ .counters = counters, .nr = ARRAY_SIZE(counters),
				       .aggr = &x->aggr, .counts = x->counts, .nr_lines = 1 };
	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		if (values[i][0] >= 0)
			stats_update(&x->counts[i].value, values[i][0]);
		stats_update(&x->counts[i].enabled, values[i][1]);
		stats_update(&x->counts[i].running, values[i][2]);
	}
	x->counts[3].reason = "other pmcgrp groups have the counters";
	x->report = (struct report){ .set = &x->set, .subject = "process 42", .runs = 1 };
	stats_update(&x->report.elapsed, 0.5);
	x->content = (struct top_content){ .report = &x->report, .view = &x->view,
					   .clock = "12:00:00", .width = 80 };
}

static void clear(struct fixture *x)
{
	top_screen_free(&x->screen);
	aggr_free(&x->aggr);
}

static void lines(void **state)
{
	static const char * const rows[] = {
		"task-clock                   500.00 msec/sec  100.00% 0.500 CPUs utilized",
		"cycles                           2.000 G/sec   50.00% 4.000 GHz",
		"instructions                     3.000 G/sec   50.00% 1.50 insn per cycle",
		"a-name-that-is-much-longer-t   <not counted>    0.00% # other pmcgrp groups have",
		"bus-cycles                   <not supported>",
	};
	struct fixture x;
	size_t i;

	(void)state;
	fill(&x);
	assert_int_equal(top_screen_make(&x.screen, &x.content), 0);
	assert_string_equal(x.screen.title.text, "pmcgrp top: process 42, the last 0.500 s"
					    "                                12:00:00");
	assert_string_equal(x.screen.columns.text,
			    "EVENT                                   RATE  RUNNING");
	assert_int_equal(x.screen.nr, ARRAY_SIZE(rows));
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(x.screen.rows[i].text, rows[i]);
	/* What was scaled is seen. */
	assert_int_equal(x.screen.rows[0].style[40], TOP_PLAIN);
	assert_int_equal(x.screen.rows[1].style[40], TOP_PARTIAL);
	clear(&x);
}

/* No line is wider than the screen, whatever that is, nor has blanks at its end. */
static void any_width(void **state)
{
	struct fixture x;
	unsigned int width;
	size_t i;

	(void)state;
	fill(&x);
	for (width = 0; width < 1000; width += 7) {
		size_t most = width < TOP_WIDTH_MIN ? TOP_WIDTH_MIN : width;

		x.content.width = width;
		assert_int_equal(top_screen_make(&x.screen, &x.content), 0);
		assert_row(width, strlen(x.screen.title.text) <= most);
		for (i = 0; i < x.screen.nr; i++) {
			size_t len = strlen(x.screen.rows[i].text);

			assert_row(width, len && len <= most && x.screen.rows[i].text[len - 1] != ' ');
		}
	}
	/* There is room for all of it in the end. */
	assert_non_null(strstr(x.screen.rows[3].text, "small-screen"));
	assert_non_null(strstr(x.screen.rows[3].text, "have the counters"));
	clear(&x);
}

static void scrolling(void **state)
{
	(void)state;
	assert_int_equal(top_screen_offset(10, 0, 4), 0);
	assert_int_equal(top_screen_offset(10, 5, 4), 5);
	assert_int_equal(top_screen_offset(10, 7, 4), 6);
	assert_int_equal(top_screen_offset(10, 3, 10), 0);
	assert_int_equal(top_screen_offset(10, 3, 100), 0);
}

/* ---- The command line ---- */

/* Split at blanks; '' is an empty word. The status; stderr goes to @said. */
static int parse_line(const char *args, char *said, size_t size)
{
	struct stat_options stat;
	struct top_options o;
	struct words w;
	struct hear h;
	int i, ret;

	split_words(&w, "top", args);
	for (i = 1; i < w.argc; i++)
		if (!strcmp(w.argv[i], "''"))
			w.argv[i] += 2;
	h = hear_begin();
	ret = top_options_parse(&o, &stat, w.argc, w.argv);
	hear_end(&h, said, size);
	stat_options_free(&stat);
	return ret;
}

static void options(void **state)
{
	static const struct {
		const char *args;
		const char *error;
	} rows[] = {
		{ "x", "what is 'x'" },
		{ "-d 0", "-d wants" },
		{ "-d nan", "-d wants" },
		{ "-d 1s", "-d wants" },
		{ "-n 0", "-n, --iterations wants" },
		{ "--lines 0", "--lines wants" },
		{ "--iterations 0", "--iterations wants" },
		{ "--by socket", "--by wants" },
		{ "--by thred", "or command, not 'thred': did you mean 'thread'?" },
		{ "--color=red", "--color wants" },
		{ "-m 100", "a power of two" },
		{ "-m 131072", "no more than" },
		{ "--filter ''", "--filter wants" },
		{ "--json --batch", "exclude" },
		{ "--json --matrix", "--json --by cpu" },
		{ "--matrix --by thread", "--matrix is of CPUs" },
		{ "--perf --by thread", "need /dev/pmcgrp" },
		{ "--by cpu -p 1", "--by thread has those" },
		{ "--by thread -A", "for rows of events and CPUs" },
		{ "--cgroup / -p 1", "--cgroup excludes" },
		{ "--by command -p 1", "rows of commands are of all tasks" },
		{ "--by command --cgroup /", "rows of commands are of all tasks" },
		{ "--cgroup / -C 0", "--cgroup excludes" },
		{ "--by cpu --cgroup /", "--by thread has those" },
		{ "-p 1 -a", "exclude" },
		{ "-p 1 -A", "add -a or -C" },
		{ "-t 1 -p 1", "exclude" },
		{ "-x ,", "lists the options" },
		{ "-D 5", "lists the options" },
	};
	char said[4096];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (parse_line(rows[i].args, said, sizeof(said)) != -EXIT_TOOL ||
		    !strstr(said, rows[i].error))
			fail_msg("%s: %s", rows[i].args, said);
	}
	expect("$T top --perf -e no-such-event", 125, "no-such-event");
	expect("$T top --cgroup /no/such", 125, "/sys/fs/cgroup/no/such is a cgroup");
	expect("$T top --help", 0, "");
	need_perf();
	expect("$T top --perf -e page-faults:u </dev/null", 125, "it needs a terminal");
}

static void parsed(void **state)
{
	char *argv[] = { "top", "-d", "0.25", "--lines", "3", "-A", "--perf", "-n", "4", "-rb",
			 "-s", "cycles", "--by", "cpu", "--filter", "x", "--color", "never", "-m",
			 "64", "--matrix", NULL };
	char *of_cgroup[] = { "top", "--cgroup", "/a", "-j", NULL };
	struct top_options o;
	struct stat_options stat;

	(void)state;
	assert_int_equal(top_options_parse(&o, &stat, 21, argv), 1);
	assert_true(o.delay == 250 && o.iterations == 4 && o.lines == 3 && o.pages == 64);
	assert_true(o.reverse && o.batch && !o.json && o.matrix && o.by == TOP_BY_CPU);
	assert_true(o.colour == TOP_COLOUR_NEVER && !strcmp(o.sort, "cycles") && !strcmp(o.filter, "x"));
	assert_true(stat.all_cpus && stat.aggr == AGGR_NONE && stat.perf && !stat.fallback);
	stat_options_free(&stat);
	assert_int_equal(top_options_parse(&o, &stat, 4, of_cgroup), 1);
	assert_true(o.by == TOP_BY_PROCESS && o.json && stat.all_cpus && !strcmp(o.cgroup, "/a"));
	stat_options_free(&stat);
}

/* ---- In a terminal of 80 columns and 24 lines ---- */

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

#define FAKE "env LD_PRELOAD=${T%/*}/fake_tasks.so ASAN_OPTIONS=verify_asan_link_order=0 $T top"

static void check_tasks(const char *args, const char *done, const char *awaited, const char *shown)
{
	check_result(on_screen_with(FAKE, args, done, awaited), done, shown);
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

/* Of the first interval three records are lost, and of no other one. */
static void tasks_batch(void **state)
{
	struct result r;

	(void)state;
	r = run(FAKE " -b --by thread -e cpu-clock -d 0.1 --iterations 2");
	if (r.status || !strstr(r.out, "\nLOST 3 records: sums are not exact\n") ||
	    strstr(strstr(r.out, "LOST") + 1, "LOST"))
		fail_msg("%d %s%s", r.status, r.out, r.err);
	r = run(FAKE " --json --by thread -e cpu-clock -d 0.1 --iterations 2 | tail -n 1 |"
		" grep -o '\"lost\":[0-9]*\\|\"tid\":[0-9]*\\|\"value\":[0-9]*' | tr '\n' ' '");
	assert_string_equal(r.out, "\"lost\":0 \"tid\":4190001 \"value\":60000000 "
			    "\"tid\":4190002 \"value\":30000000 \"tid\":0 \"value\":10000000 ");
	r = run(FAKE " --json --by process -p 4190001");
	if (r.status != 125 || !strstr(r.err, "-p: there is no such process"))
		fail_msg("%d %s", r.status, r.err);
}

/* ---- Without a terminal ---- */

static void batch(void **state)
{
	struct result r;

	(void)state;
	need_perf();
	r = run("$T top --perf -b --by cpu -e page-faults:u -d 0.1 -n 2 --lines 1 </dev/null");
	if (r.status || !strstr(r.out, "\n\npmcgrp top: all CPUs by cpu, the last 0.") ||
	    !strstr(r.out, "\nCPU0 ") || strstr(r.out, "\033") || strstr(r.out, "q: quit"))
		fail_msg("%d %s%s", r.status, r.out, r.err);
	r = run("$T top --perf -b --by cpu -e page-faults:u -d 0.1 --iterations 1 --color=always");
	assert_non_null(strstr(r.out, "\033[0;7mWHERE"));
	r = run("$T top --perf -b --matrix -e page-faults:u -d 0.1 --iterations 1");
	assert_non_null(strstr(r.out, "page-faults:u: percent of the highest"));
	r = run("$T top --perf -b --by cpu --sort nothing -e page-faults:u");
	if (r.status != 125 || !strstr(r.err, "no column 'nothing'") ||
	    !strstr(r.err, "page-faults:u"))
		fail_msg("%d %s", r.status, r.err);
}

static void json(void **state)
{
	struct result r;

	(void)state;
	need_perf();
	r = run("$T top --perf --json -e page-faults:u -a -d 0.1 --iterations 2 |"
		" grep -c '^{\"time\":.*\"by\":\"event\",\"target\":\"all CPUs\".*}$'");
	assert_string_equal(r.out, "2\n");
	/* Nobody reads any more. */
	r = run("{ $T top --perf --json -e page-faults:u -a -d 0.1; echo $? >&2; } | head -n 1");
	assert_string_equal(r.err, "0\n");
	/* A whole line is the last one. */
	r = run("timeout -s INT 1 $T top --perf --json -e page-faults:u -a -d 0.1 >$TMPDIR/top.$$;"
		"echo $?; tail -c 1 $TMPDIR/top.$$ | od -A n -t x1; rm $TMPDIR/top.$$");
	assert_non_null(strstr(r.out, " 0a"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(any_width),
		cmocka_unit_test(scrolling),
		cmocka_unit_test(options),
		cmocka_unit_test(parsed),
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
		cmocka_unit_test(tasks_batch),
		cmocka_unit_test(batch),
		cmocka_unit_test(json),
	};

	tool_init();
	setenv("TMPDIR", "/tmp", 0);
	return cmocka_run_group_tests_name("top", tests, NULL, NULL);
}
