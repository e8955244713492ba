// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * The tool itself, run as a process (TOOL in the environment), counting software
 * events with perf_event_open(2).
 */
#include "test.h"

#include <jansson.h>

#include "core_pmu.h"
#include "tool.h"

static void help_and_version(void **state)
{
	struct result r;

	(void)state;
	r = run("$T --help");
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.out, "usage: pmcgrp stat"));
	r = run("$T stat --help");
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.out, "--field-separator"));
	assert_non_null(strstr(r.out, "Exit status"));
	r = run("$T info --help");
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.out, "usage: pmcgrp info"));
	assert_non_null(strstr(r.out, "--json"));
	r = run("$T --version");
	assert_int_equal(r.status, 0);
	assert_int_equal(strncmp(r.out, "pmcgrp ", 7), 0);
	assert_non_null(strstr(r.out, "\nmodule: "));
	expect("$T", 125, "usage:");
	expect("$T bogus", 125, "no subcommand 'bogus'");
	expect("$T stta", 125, "no subcommand 'stta': did you mean 'stat'?");
}

static void info_is_called_wrongly(void **state)
{
	(void)state;
	expect("$T info --bogus", 125, "\"pmcgrp info --help\" lists the options");
	expect("$T info cycles", 125, "'cycles' is not the id of a group");
	expect("$T info 12x", 125, "'12x' is not the id of a group");
	expect("$T info -- -1", 125, "'-1' is not the id of a group");
	expect("$T info ''", 125, "'' is not the id of a group");
	expect("$T info 99999999999999999999", 125, "is not the id of a group");
	expect("$T info 1 2", 125, "one group at a time: what is '2'?");
	if (!access("/dev/pmcgrp", F_OK))
		skip();
	expect("$T info", 125, "pmcgrp info: cannot open /dev/pmcgrp");
	expect("$T info -j 1099511627776", 125, "the module pmcgrp is not loaded");
}

static void exit_statuses(void **state)
{
	(void)state;
	need_perf();
	expect("$T stat --perf -e faults:u true", 0, "faults:u");
	expect("$T stat --perf -e faults:u -- sh -c 'exit 3'", 3, "faults:u");
	expect("$T stat --perf -e faults:u -- sh -c 'kill -9 $$'", 137, "faults:u");
	expect("$T stat --perf -e faults:u -- sh -c 'kill -TERM $$'", 143, "faults:u");
	expect("$T stat --perf -e faults:u -- /nonexistent/x", 127,
	       "cannot run '/nonexistent/x': No such file");
	expect("$T stat --perf -e faults:u -- no-such-command-here", 127, "No such file");
	expect("$T stat --perf -e faults:u -- /etc/passwd", 126, "Permission denied");
	expect("$T stat --perf -e faults:u -- /", 126, "Permission denied");
	/* The first run that fails decides. */
	expect("n=$(mktemp); $T stat --perf -r 3 -e faults:u -- sh -c "
	       "'echo >>$1; exit $(wc -l <$1)' - $n; s=$?; rm $n; exit $s", 1, "(3 runs)");
}

static void nothing_printed_if_not_run(void **state)
{
	struct result r;

	(void)state;
	need_perf();
	r = run("$T stat --perf -e faults:u -- /nonexistent/x");
	assert_null(strstr(r.err, "elapsed"));
}

static void bad_events(void **state)
{
	(void)state;
	expect("$T stat --perf -e 'faults,{cs,cyclez}:u' true", 125,
	       "\n  faults,{cs,cyclez}:u\n             ^\n");
	expect("$T stat --perf -e cs -e 'a b' true", 125, "\n  a b\n  ^\n");
	expect("$T stat --perf -e 'cs,' true", 125, "\n  cs,\n     ^\n");
}

/* The command's output is its own; the table goes to stderr. */
static void streams(void **state)
{
	struct result r;

	(void)state;
	need_perf();
	r = run("echo in | $T stat --perf -e faults:u -- sh -c 'cat; echo out; echo err >&2'");
	assert_string_equal(r.out, "in\nout\n");
	assert_int_equal(strncmp(r.err, "err\n", 4), 0);
	assert_non_null(strstr(r.err, "Counts of 'sh -c cat; echo out; echo err >&2'"));
}

/* Only from exec on: a program that does nothing has its few faults, and no more. */
static void counts(void **state)
{
	struct result r;
	long faults, more;
	char *at;

	(void)state;
	need_perf();
	r = run("$T stat --perf -x, -e minor-faults:u -- sh -c :");
	faults = strtol(r.err, &at, 10);
	assert_int_equal(strncmp(at, ",,minor-faults:u,", 17), 0);
	assert_true(faults > 0);
	/* A megabyte more in a variable is more than 200 pages. */
	r = run("$T stat --perf -x, -e minor-faults:u -- sh -c "
		"'x=0123456789abcdef; while [ ${#x} -lt 1000000 ]; do x=$x$x; done'");
	more = strtol(r.err, &at, 10);
	assert_true(more > faults + 200);
}

/* The value of an event in the tool's JSON; -1 if it has none. */
static double value_of(const char *lines, const char *event)
{
	double value = -1;
	json_t *line;

	for (; *lines && value < 0; lines = strchr(lines, '\n') + 1) {
		line = json_loads(lines, JSON_DISABLE_EOF_CHECK, NULL);
		assert_non_null(line);
		if (!strcmp(json_string_value(json_object_get(line, "event")), event))
			sscanf(json_string_value(json_object_get(line, "counter-value")), "%lf",
			       &value);
		json_decref(line);
	}
	return value;
}

/*
 * Each value stands with its own event, also behind one that the machine lacks: this
 * clock is in ms, and would be more than a million as anything else.
 */
static void values_of_members(void **state)
{
	static const char loop[] = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";
	char line[256];
	struct result r;

	(void)state;
	need_perf();
	snprintf(line, sizeof(line), "$T stat --perf -j -e "
		 "'{task-clock:u,cycles:u,faults:u,cpu-migrations:u}' -- sh -c '%s'", loop);
	r = run(line);
	if (r.err[0] != '{')
		memmove(r.err, strchr(r.err, '\n') + 1, strlen(strchr(r.err, '\n')));
	assert_true(value_of(r.err, "task-clock:u") > 1);
	assert_true(value_of(r.err, "task-clock:u") < 100000);
	assert_true(value_of(r.err, "faults:u") > 5);
	assert_true(value_of(r.err, "faults:u") < 100000);
	assert_true(value_of(r.err, "cpu-migrations:u") >= 0);
	assert_true(value_of(r.err, "cpu-migrations:u") < 100);
}

static void json_lines(void **state)
{
	struct result r;
	json_t *line;
	char *text;
	size_t nr = 0;

	(void)state;
	need_perf();
	r = run("$T stat --perf -r 2 -j -e 'task-clock:u,{faults:u,cs:u}' -- true");
	for (text = r.err; *text; text = strchr(text, '\n') + 1, nr++) {
		line = json_loads(text, JSON_DISABLE_EOF_CHECK, NULL);
		assert_non_null(line);
		assert_true(json_is_string(json_object_get(line, "counter-value")));
		assert_true(json_is_string(json_object_get(line, "unit")));
		assert_true(json_is_string(json_object_get(line, "event")));
		assert_true(json_is_real(json_object_get(line, "variance")));
		assert_true(json_is_integer(json_object_get(line, "event-runtime")));
		assert_true(json_is_real(json_object_get(line, "pcnt-running")));
		assert_true(json_is_real(json_object_get(line, "metric-value")));
		assert_true(json_is_string(json_object_get(line, "metric-unit")));
		assert_int_equal(json_object_size(line), 8);
		json_decref(line);
	}
	assert_int_equal(nr, 3);
}

static void output_file(void **state)
{
	struct result r;

	(void)state;
	need_perf();
	r = run("f=$(mktemp); $T stat --perf -x, -e faults:u -o $f true &&"
		"$T stat --perf -x, -e faults:u -o $f --append true && cat $f; rm $f");
	assert_int_equal(r.status, 0);
	assert_string_equal(r.err, "");
	assert_int_equal(strncmp(r.out, "# started on ", 13), 0);
	assert_non_null(strstr(strstr(r.out, "faults:u"), "# started on "));
	assert_non_null(strstr(strstr(strstr(r.out, "faults:u") + 1, "faults:u"), "\n"));
	expect("$T stat --perf -e faults:u -o /nonexistent/x true", 125, "/nonexistent/x: ");
}

static void no_such_target(void **state)
{
	(void)state;
	need_perf();
	expect("$T stat --perf -e faults:u -p 1073741824", 125, "does not exist");
	expect("$T stat --perf -e faults:u -t 1073741824", 125, "does not exist");
	expect("$T stat --perf -e faults:u -C 0,4000 true", 125, "there is no CPU 4000; there can be ");
}

/* A thread that ends ends the counting. */
static void target_ends(void **state)
{
	(void)state;
	need_perf();
	expect("sleep 2 & $T stat --perf -e cs:u,task-clock:u -p $!", 0, "Counts of process ");
}

static bool says(FILE *file, const char *word)
{
	char text[OUTPUT_MAX];
	ssize_t len = pread(fileno(file), text, sizeof(text) - 1, 0);

	text[len > 0 ? len : 0] = '\0';
	return strstr(text, word);
}

/*
 * Sends the signal to the tool alone, once a word on stderr says that it, or the command, is
 * at work, and returns its status; -1 if it does not end.
 */
static int signalled(const char *arguments, const char *word, int signal, char *err_text)
{
	char line[256];
	FILE *out = tmpfile(), *err = tmpfile();
	int status, ms;
	pid_t pid;

	snprintf(line, sizeof(line), "exec $T stat --perf -v %s", arguments);
	pid = start(line, out, err);

	for (ms = 0; ms < WAIT_MS && !says(err, word); ms += 10)
		nap(10);
	kill(pid, signal);
	status = wait_for(pid);
	slurp(err, err_text, OUTPUT_MAX);
	fclose(out);
	return status;
}

/* Without a command, a signal ends the interval, and the table is printed. */
static void signal_ends_interval(void **state)
{
	char err[OUTPUT_MAX];

	(void)state;
	need_perf();
	assert_int_equal(signalled("-e task-clock:u -p $PPID", "events in", SIGINT, err), 0);
	assert_non_null(strstr(err, "seconds time elapsed"));
	assert_int_equal(signalled("-e task-clock:u -p $PPID", "events in", SIGTERM, err), 0);
	assert_non_null(strstr(err, "seconds time elapsed"));
}

/* With one, it is passed on; what the command makes of it is its business. */
static void signal_reaches_command(void **state)
{
	static const char once[] = "-e faults:u -- sh -c 'echo is there >&2; exec sleep 99'";
	static const char often[] = "-r 5 -e faults:u -- sh -c 'echo is there >&2; exec sleep 99'";
	static const char trap[] = "-e faults:u -- sh -c 'trap \"exit 5\" TERM; echo is there >&2; "
				   "while :; do sleep 0.05; done'";
	char err[OUTPUT_MAX];

	(void)state;
	need_perf();
	assert_int_equal(signalled(once, "is there", SIGTERM, err), 143);
	assert_non_null(strstr(err, "seconds time elapsed"));
	assert_int_equal(signalled(once, "is there", SIGINT, err), 130);
	assert_int_equal(signalled(trap, "is there", SIGTERM, err), 5);
	assert_non_null(strstr(err, "seconds time elapsed"));
	/* And no further run is started. */
	assert_int_equal(signalled(often, "is there", SIGTERM, err), 143);
	assert_null(strstr(err, "run 2 of 5"));
}

/* The command inherits what it would without the tool: nohup(1) must still work. */
static void signals_of_the_command(void **state)
{
	static const char * const traps[] = { ":", "trap '' HUP", "trap '' INT", "trap '' TERM" };
	static const char look[] = "grep -E 'Sig(Blk|Ign)' /proc/self/status";
	char line[256], without[OUTPUT_MAX];
	size_t i;

	(void)state;
	need_perf();
	for (i = 0; i < ARRAY_SIZE(traps); i++) {
		snprintf(line, sizeof(line), "%s; %s", traps[i], look);
		strcpy(without, run(line).out);
		assert_non_null(strstr(without, "SigIgn:"));
		snprintf(line, sizeof(line), "%s; $T stat --perf -e faults:u -- %s", traps[i],
			 look);
		assert_string_equal(run(line).out, without);
	}
}

/* Whoever may not count the kernel gets user mode, and is told so. */
static void user_mode(void **state)
{
	static const char as_nobody[] =
		"d=$(mktemp -d); trap 'rm -rf $d' EXIT; cp $T $d/t; chmod -R a+rx $d; "
		"setpriv --reuid 65534 --clear-groups $d/t";
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
	char line[500], out[5000];
	int level = 0;

	(void)state;
	if (file) {
		assert_int_equal(fscanf(file, "%d", &level), 1);
		fclose(file);
	}
	if (geteuid() || level != 2)
		skip();
	need_perf();
	snprintf(line, sizeof(line), "%s stat --perf -e faults,cs,task-clock:u -- true 2>&1",
		 as_nobody);
	strcpy(out, run(line).out);
	assert_non_null(strstr(out, "faults:u is counted instead"));
	assert_non_null(strstr(out, "not supported here: cs: happens in the kernel"));
	assert_non_null(strstr(out, "  faults:u "));
	assert_non_null(strstr(out, "<not supported>      cs"));
	assert_null(strstr(out, "task-clock:uu"));
	/* Of events that nobody has named there is no word. */
	snprintf(line, sizeof(line), "%s stat --perf -- true 2>&1", as_nobody);
	strcpy(out, run(line).out);
	assert_non_null(strstr(out, "task-clock:u"));
	assert_null(strstr(out, "counted instead"));
	snprintf(line, sizeof(line), "%s stat --perf -a -e faults -- true", as_nobody);
	expect(line, 125, "is 2, which allows user mode");
}

static void module_absent(void **state)
{
	(void)state;
	if (!access("/dev/pmcgrp", F_OK))
		skip();
	expect("$T stat true", 125, "the module pmcgrp is not loaded");
	expect("$T stat true", 125, "--fallback");
	need_perf();
	expect("$T stat --fallback -e faults:u true", 0, "counting with perf_event_open(2)");
}

/* People who have named no events get the reason; who has, gets it for each; programs do not. */
static void pmu_absent(void **state)
{
	static const char note[] = "has no PMU of the cores, and so no hardware events";
	struct core_pmu pmus[CORE_PMUS_MAX];

	(void)state;
	need_perf();
	if (core_pmus_find(pmus, ""))
		assert_null(strstr(run("$T stat --perf -- true 2>&1").out, note));
	else
		expect("$T stat --perf -- true", 0, note);
	assert_null(strstr(run("$T stat --perf -e faults:u -- true 2>&1").out, note));
	assert_null(strstr(run("$T stat --perf -x , -- true 2>&1").out, note));
	assert_null(strstr(run("$T stat --perf -j -- true 2>&1").out, note));
	assert_null(strstr(run("$T stat --perf --quiet -- true 2>&1").out, note));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(help_and_version),
		cmocka_unit_test(info_is_called_wrongly),
		cmocka_unit_test(exit_statuses),
		cmocka_unit_test(nothing_printed_if_not_run),
		cmocka_unit_test(bad_events),
		cmocka_unit_test(streams),
		cmocka_unit_test(counts),
		cmocka_unit_test(values_of_members),
		cmocka_unit_test(json_lines),
		cmocka_unit_test(output_file),
		cmocka_unit_test(no_such_target),
		cmocka_unit_test(target_ends),
		cmocka_unit_test(signal_ends_interval),
		cmocka_unit_test(signal_reaches_command),
		cmocka_unit_test(signals_of_the_command),
		cmocka_unit_test(user_mode),
		cmocka_unit_test(module_absent),
		cmocka_unit_test(pmu_absent),
	};

	tool_init();
	return cmocka_run_group_tests_name("stat", tests, NULL, NULL);
}
