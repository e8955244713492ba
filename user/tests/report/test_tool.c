// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* pmcgrp report as a process: what it prints of a recording, and what it says is wrong. */
#include "test.h"

#include <jansson.h>

#include "fake_recording.h"
#include "tool.h"

static char folder[] = "/tmp/pmcgrp-report-XXXXXX";

static int begin(void **state)
{
	struct fake f;
	char path[64];

	(void)state;
	if (!mkdtemp(folder) || setenv("D", folder, 1))
		return -1;
	snprintf(path, sizeof(path), "%s/perf.data", folder);
	fake_recording(&f);
	fake_save(&f, path);
	snprintf(path, sizeof(path), "%s/cut.data", folder);
	f.size -= 1000;
	fake_header(&f)->data.size = 0;
	fake_save(&f, path);
	fake_free(&f);
	return 0;
}

static int end(void **state)
{
	(void)state;
	return run("rm -r $D").status;
}

static const char table[] =
	"\n"
	" Recording perf.data: 202 samples in 0.100000 s (1.000000 to 1.100000) on 2 CPUs, "
	"of 2 threads\n"
	"\n"
	"       SAMPLES          LOST        MISSED     THROTTLED              FOR  TRIGGER\n"
	"           202             5             0             1         1.500 ms  cpu-clock\n"
	"\n"
	"       SAMPLES  CPU\n"
	"           101  0\n"
	"           101  1\n"
	"\n"
	"       SAMPLES  THREAD\n"
	"           102  0 swapper\n"
	"           100  42 sort\n"
	"\n"
	" Counts from one sample to the next, 200 intervals:\n"
	"\n"
	"               TOTAL            RATE            MIN            P50            P90"
	"            P99            MAX  RUNNING  EVENT\n"
	"          10,150,000   152.500 M/sec          1,000         60,000        140,000"
	"        196,000        200,000   75.00%  cycles\n"
	"          15,200,000   203.000 M/sec          2,000        100,000        180,000"
	"        200,000        200,000   75.00%  instructions\n"
	"               1,400    21.000 K/sec              7              7              7"
	"              7              7   75.00%  </script>,\"<b>'x\\x1b\n"
	"\n"
	"       OF THE TOTALS                            MIN            P50            P90"
	"            P99            MAX  RUNNING  RATIO\n"
	"               1.498                          1.000          2.000          2.000"
	"          2.000          2.000   75.00%  instructions/cycles (insn per cycle)\n"
	"\n";

static void for_people(void **state)
{
	struct result r = run("cd $D; $T report");

	(void)state;
	assert_int_equal(r.status, 0);
	assert_string_equal(r.out, table);
	assert_string_equal(r.err, "");
	r = run("cd $D; $T report -o out && cat out");
	assert_string_equal(r.out, table);
}

static void csv(void **state)
{
	static const char expected[] =
		"recording,202,1000000000,1100000000,5,0,1,1500000\n"
		"trigger,cpu-clock,202,5,0,1,1500000\n"
		"cpu,0,101\n"
		"cpu,1,101\n"
		"thread,0,0,swapper,102\n"
		"thread,42,42,sort,100\n"
		"member,cycles,10150000,152500000.000,150,1000,60000,140000,196000,200000,75.00\n"
		"member,instructions,15200000,203000000.000,150,2000,100000,180000,200000,200000,"
		"75.00\n"
		"member,\"</script>,\"\"<b>'x\\x1b\",1400,21000.000,150,7,7,7,7,7,75.00\n"
		"ratio,instructions/cycles,1.497537,,150,1.000000,2.000000,2.000000,2.000000,"
		"2.000000,75.00\n";
	struct result r = run("$T report --csv $D/perf.data");

	(void)state;
	assert_int_equal(r.status, 0);
	assert_string_equal(r.out, expected);
	r = run("$T report -x ';' -i $D/perf.data | tail -n 1");
	assert_non_null(strstr(r.out, "ratio;instructions/cycles;1.497537;;150;"));
}

static double real(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	assert_true(json_is_number(value));
	return json_number_value(value);
}

/* Every second interval is one thread's; in these CPU 1 is not on the PMU. */
static void sums(void **state)
{
	struct result r = run("$T report --sort comm,tid --csv $D/perf.data | grep ^sum");
	json_t *object, *row;

	(void)state;
	assert_string_equal(r.out,
			    "sum,swapper,0,102,100000000,100000000,7650000,10200000,700,"
			    "76500000.000,102000000.000,7000.000,1.333333\n"
			    "sum,sort,42,100,100000000,50000000,2500000,5000000,700,"
			    "50000000.000,100000000.000,14000.000,2.000000\n");
	r = run("$T report -s cpu --csv $D/perf.data | grep ^sum");
	assert_string_equal(r.out,
			    "sum,1,101,100000000,50000000,5100000,5100000,700,"
			    "102000000.000,102000000.000,14000.000,1.000000\n"
			    "sum,0,101,100000000,100000000,5050000,10100000,700,"
			    "50500000.000,101000000.000,7000.000,2.000000\n");
	r = run("$T report --sort tid,trigger $D/perf.data");
	assert_non_null(strstr(r.out, "\n   75.37%         102       7,650,000      10,200,000"));
	assert_non_null(strstr(r.out, "               1.333  0       cpu-clock\n"));
	r = run("$T report -j -s pid $D/perf.data");
	object = json_loads(r.out, 0, NULL);
	assert_non_null(object);
	assert_int_equal(json_array_size(json_object_get(object, "sums")), 2);
	row = json_array_get(json_object_get(object, "sums"), 1);
	assert_true(real(row, "pid") == 42 && real(row, "samples") == 100);
	assert_true(real(json_object_get(row, "counts"), "cycles") == 2500000);
	assert_true(real(json_object_get(row, "rates"), "cycles") == 5e7);
	assert_true(real(json_object_get(row, "ratios"), "instructions/cycles") == 2);
	json_decref(object);
	/* With a beginning, what was counted before the first sample is not in it. */
	r = run("$T report --sort cpu --time +0.05, --csv $D/perf.data | grep ^sum,0");
	assert_string_equal(r.out, "sum,0,51,50000000,50000000,3775000,7550000,350,"
			    "75500000.000,151000000.000,7000.000,2.000000\n");
}

/* Two triggers that are a function's; the counts and times are those of each round. */
static void calls(void **state)
{
	json_t *object, *row;
	struct result r;
	char path[64];
	struct fake f;

	(void)state;
	fake_calls(&f);
	snprintf(path, sizeof(path), "%s/calls.data", folder);
	fake_save(&f, path);
	fake_free(&f);
	r = run("$T report --csv $D/calls.data | grep ^call");
	assert_string_equal(r.out, "calls,kprobe:f,kretprobe:f,10,1,0\n"
				   "call,kprobe:f,kretprobe:f,time,55000,5500.000,1000,5000,10000,10000\n"
				   "call,kprobe:f,kretprobe:f,cycles,550,55.000,10,50,100,100\n");
	r = run("$T report $D/calls.data");
	assert_non_null(strstr(r.out, "\n Between kprobe:f and kretprobe:f, 10 calls; without a return "
				      "1:\n"));
	assert_non_null(strstr(r.out, "            55,000           5,500.0             1,000"));
	r = run("$T report -j --between kretprobe:f,kprobe:f $D/calls.data");
	object = json_loads(r.out, 0, NULL);
	assert_non_null(object);
	row = json_array_get(json_object_get(object, "calls"), 0);
	assert_true(real(row, "returned") == 10 && real(row, "without-return") == 1);
	assert_true(real(json_object_get(row, "time-ns"), "mean") == 5500);
	row = json_object_get(json_object_get(row, "counts"), "cycles");
	assert_true(real(row, "max") == 100 && real(row, "percentile-error") == 0);
	/* The other way round: what lies between two calls. */
	row = json_array_get(json_object_get(object, "calls"), 1);
	assert_string_equal(json_string_value(json_object_get(row, "entry")), "kretprobe:f");
	assert_true(real(row, "returned") == 10 && real(row, "without-entry") == 1);
	json_decref(object);
}

static void json(void **state)
{
	struct result r = run("$T report -j $D/perf.data");
	json_t *object = json_loads(r.out, 0, NULL), *row;

	(void)state;
	assert_int_equal(r.status, 0);
	assert_non_null(object);
	assert_true(json_is_true(json_object_get(object, "complete")));
	assert_true(real(object, "duration-ns") == 1e8);
	assert_true(real(object, "throttled-ns") == 1.5e6);
	assert_int_equal(json_array_size(json_object_get(object, "members")), 3);
	row = json_array_get(json_object_get(object, "members"), 2);
	assert_string_equal(json_string_value(json_object_get(row, "event")), "</script>,\"<b>'x\\x1b");
	assert_true(real(row, "p99") == 7 && real(row, "pcnt-running") == 75);
	row = json_array_get(json_object_get(object, "ratios"), 0);
	assert_string_equal(json_string_value(json_object_get(row, "unit")), "insn per cycle");
	assert_true(real(row, "p50") == 2);
	row = json_array_get(json_object_get(object, "threads"), 1);
	assert_true(real(row, "tid") == 42 && real(row, "samples") == 100);
	row = json_array_get(json_object_get(object, "triggers"), 0);
	assert_true(real(row, "period") == 1000000 && real(row, "lost") == 5);
	json_decref(object);
}

/* Without names, end or features: all whole records count. */
static void cut_short(void **state)
{
	struct result r = run("$T report $D/cut.data");

	(void)state;
	assert_int_equal(r.status, 1);
	assert_non_null(strstr(r.out, " The recorder did not complete the file"));
	assert_non_null(strstr(r.out, " no whole record.\n"));
	assert_non_null(strstr(r.out, "  instructions/cycles (insn per cycle)\n"));
}

static void wrong_usage(void **state)
{
	static const struct {
		const char *args;
		const char *error;
	} rows[] = {
		{ "a b", "what is 'b'" },
		{ "-i a b", "one at a time" },
		{ "--no-such", "lists the options" },
		{ "--csv -j", "exclude each other" },
		{ "-x ''", "-x wants" },
		{ "-C 9-8", "-C wants" },
		{ "-t 0", "-t wants" },
		{ "-t +1", "-t wants" },
		{ "--time ''", "--time wants" },
		{ "--time ,", "--time wants" },
		{ "--time 1,2,3", "--time wants" },
		{ "--time 1:2", "--time wants" },
		{ "--time 99999999999999,", "--time wants" },
		{ "--columns 9 --svg x", "--columns wants" },
		{ "--columns 100", "--html or --svg" },
		{ "/nowhere", "/nowhere cannot be opened: No such file" },
		{ "$T", "does not begin with PERFILE2" },
		{ "--ratio a/b $D/perf.data", "--ratio a/b: write" },
		{ "--between cycles $D/perf.data", "--between cycles: write ENTRY,RETURN" },
		{ "--between cycles,cycles $D/perf.data", "--between cycles,cycles: write" },
		{ "--sort comm,pids $D/perf.data", "sym, dso and cgroup, separated by commas: 'pids'" },
		{ "--sort cgroup $D/perf.data", "has no cgroups in its samples" },
		{ "--sort sym $D/perf.data", "sym" },
		{ "--sort tid,dso $D/perf.data", "dso" },
		{ "-o /nowhere/x $D/perf.data", "/nowhere/x: No such file" },
		{ "--perfetto /nowhere/x $D/perf.data", "/nowhere/x: No such file" },
		{ "--html /nowhere/x --time 5,6 $D/perf.data", "nothing to draw" },
		{ "--svg /nowhere/x --time 5,6 $D/perf.data", "nothing to draw" },
		{ "--svg $D/x --html $D/x $D/perf.data; export PATH=/nowhere; $T report --svg $D/x "
		  "$D/perf.data", "Debian has it as gnuplot-nox" },
		{ "$D/perf.data; PMCGRP_SHARE=/nowhere $T report --html $D/x $D/perf.data",
		  "Debian has it as libjs-dygraphs" },
	};
	char line[400];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(line, sizeof(line), "$T report %s", rows[i].args);
		expect(line, 125, rows[i].error);
	}
	/* What could not be drawn is not there. */
	expect("test -e $D/x", 1, "");
}

static void times(void **state)
{
	static const struct {
		const char *time;
		const char *start;	/* of CSV's first line */
	} rows[] = {
		{ "1.05,", "recording,102,1050000000,1100000000," },
		{ "+0.05", "recording,102,1050000000,1100000000," },
		{ ",1.000000000", "recording,2,1000000000,1000000000," },
		{ "+0.05,1.0500000009", "recording,2,1050000000,1050000000," },
		{ "2,", "recording,0,0,0," },
	};
	char line[100];
	struct result r;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(line, sizeof(line), "$T report --csv --time %s $D/perf.data", rows[i].time);
		r = run(line);
		if (r.status || strncmp(r.out, rows[i].start, strlen(rows[i].start)))
			fail_msg("row %zu: %s%s", i, r.out, r.err);
	}
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	if (!text)
		fail_msg("no text %s", key);
	return text;
}

/* What the format's description asks of counters, instants, and names of processes and threads. */
static void check_event(const json_t *event)
{
	const char *ph = text_of(event, "ph"), *name = text_of(event, "name");
	const json_t *args = json_object_get(event, "args");

	assert_true(json_is_integer(json_object_get(event, "pid")));
	assert_true(json_is_object(args));
	if (!strcmp(ph, "M")) {
		assert_true(json_is_integer(json_object_get(event, "tid")));
		if (strstr(name, "_sort_index")) {
			assert_true(json_is_integer(json_object_get(args, "sort_index")));
			return;
		}
		assert_true(!strcmp(name, "process_name") || !strcmp(name, "thread_name"));
		text_of(args, "name");
		return;
	}
	assert_true(real(event, "ts") >= 1e6 && real(event, "ts") <= 1.1e6);
	if (!strcmp(ph, "i")) {
		assert_true(json_is_integer(json_object_get(event, "tid")));
		assert_true(strchr("tpg", *text_of(event, "s")) && !text_of(event, "s")[1]);
		return;
	}
	assert_string_equal(ph, "C");
	assert_true(real(args, "value") >= 0);
}

/* How many events have this phase and name, and are on this track; -1: on any. */
static unsigned int events_of(json_t *events, const char *ph, const char *name, int pid, int tid)
{
	unsigned int nr = 0;
	json_t *event;
	size_t i;

	json_array_foreach(events, i, event)
		nr += !strcmp(text_of(event, "ph"), ph) && !strcmp(text_of(event, "name"), name) &&
		      (pid < 0 || (int)real(event, "pid") == pid) &&
		      (tid < 0 || (int)real(event, "tid") == tid);
	return nr;
}

#define PID_CPUS (1 << 24)

static void perfetto(void **state)
{
	json_t *trace, *events, *event;
	char path[64];
	size_t i;

	(void)state;
	assert_int_equal(run("$T report --perfetto $D/trace.json $D/perf.data").status, 0);
	snprintf(path, sizeof(path), "%s/trace.json", folder);
	trace = json_load_file(path, 0, NULL);
	assert_non_null(trace);
	events = json_object_get(trace, "traceEvents");
	json_array_foreach(events, i, event)
		check_event(event);
	/* Two streams of three members and a ratio: each interval, and the end. */
	assert_int_equal(events_of(events, "C", "cycles/sec", PID_CPUS + 1, -1), FAKE_INTERVALS + 1);
	assert_int_equal(events_of(events, "C", "instructions/cycles", PID_CPUS + 2, -1),
			 FAKE_INTERVALS + 1);
	event = json_array_get(events, 0);
	assert_string_equal(text_of(json_object_get(event, "args"), "name"), "CPU 0");
	/* Interval 2 begins a millisecond later, and has 2000 cycles in one. */
	event = json_array_get(events, 3);
	assert_string_equal(text_of(event, "name"), "cycles/sec");
	assert_true(real(event, "ts") == 1001000);
	assert_true(real(json_object_get(event, "args"), "value") == 2e6);
	/* A track for each CPU and for the thread that is not the idle one, with its samples. */
	assert_int_equal(events_of(events, "M", "thread_name", PID_CPUS, -1), 2);
	assert_int_equal(events_of(events, "M", "thread_name", 42, 42), 1);
	assert_int_equal(events_of(events, "M", "thread_name", 0, -1), 0);
	assert_int_equal(events_of(events, "M", "process_name", 42, -1), 1);
	assert_int_equal(events_of(events, "i", "cpu-clock", PID_CPUS, 2), FAKE_INTERVALS + 1);
	assert_int_equal(events_of(events, "i", "cpu-clock", 42, 42), 100);
	assert_int_equal(events_of(events, "i", "lost", PID_CPUS, 1), 1);
	assert_int_equal(events_of(events, "i", "throttled", PID_CPUS, 1), 1);
	for (i = 0; strcmp(text_of(json_array_get(events, i), "name"), "lost"); i++)
		;
	event = json_array_get(events, i);
	assert_true(real(json_object_get(event, "args"), "number") == 5);
	assert_string_equal(text_of(json_object_get(event, "args"), "trigger"), "cpu-clock");
	assert_true(real(event, "ts") == 1050000);
	json_decref(trace);
	/* Of one thread and half of the time: its samples alone. */
	run("$T report --perfetto $D/trace.json -t 42 --time +0.05, $D/perf.data");
	trace = json_load_file(path, 0, NULL);
	events = json_object_get(trace, "traceEvents");
	assert_int_equal(events_of(events, "i", "cpu-clock", PID_CPUS, -1), 50);
	json_decref(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(for_people),
		cmocka_unit_test(csv),
		cmocka_unit_test(sums),
		cmocka_unit_test(calls),
		cmocka_unit_test(json),
		cmocka_unit_test(cut_short),
		cmocka_unit_test(wrong_usage),
		cmocka_unit_test(times),
		cmocka_unit_test(perfetto),
	};

	tool_init();
	return cmocka_run_group_tests_name("rep_tool", tests, begin, end);
}
