// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * `pmcgrp doctor` as a process, on whatever machine this is; and with a stand-in for the module
 * (fake_module.c). What it says of this machine is not known here, but what it must say is.
 */
#include "test.h"

#include <jansson.h>

#include "tool.h"

#define FAKE "LD_PRELOAD=${T%/*}/fake_module.so ASAN_OPTIONS=verify_asan_link_order=0 "

static void called_wrongly(void **state)
{
	(void)state;
	expect("$T doctor --bogus", 125, "\"pmcgrp doctor --help\" lists the options");
	expect("$T doctor -x", 125, "\"pmcgrp doctor --help\" lists the options");
	expect("$T doctor --json=1", 125, "\"pmcgrp doctor --help\" lists the options");
	expect("$T doctor here", 125, "takes no argument: what is 'here'?");
	expect("$T doctor --no-selftest >/dev/full", 125, "stdout: No space left");
}

static void help(void **state)
{
	struct result r = run("$T doctor --help");

	(void)state;
	assert_int_equal(r.status, 0);
	assert_string_equal(r.err, "");
	assert_non_null(strstr(r.out, "usage: pmcgrp doctor"));
	assert_non_null(strstr(r.out, "--no-selftest"));
	assert_non_null(strstr(run("$T --help").out, "pmcgrp doctor [options]"));
}

static json_t *doctor_json(const char *line, int *status)
{
	struct result r = run(line);
	json_error_t error;
	json_t *all = json_loads(r.out, JSON_REJECT_DUPLICATES, &error);

	if (!all)
		fail_msg("%s: %s; stderr: %s", line, error.text, r.err);
	*status = r.status;
	return all;
}

/* The finding of a section about this; NULL: there is none. */
static json_t *finding(json_t *all, const char *section, const char *what)
{
	json_t *list = json_object_get(all, section), *one;
	size_t i;

	assert_true(json_is_array(list));
	for (i = 0; (one = json_array_get(list, i)); i++) {
		if (!strcmp(json_string_value(json_object_get(one, "what")), what))
			return one;
	}
	return NULL;
}

/* @verdict: NULL if it depends on what else the machine does. */
static void expect_json(json_t *all, const char *section, const char *what, const char *verdict,
			const char *found)
{
	json_t *one = finding(all, section, what);
	const char *text;

	if (!one)
		fail_msg("nothing of %s", what);
	text = json_string_value(json_object_get(one, "found"));
	if ((verdict && strcmp(json_string_value(json_object_get(one, "verdict")), verdict)) ||
	    !strstr(text, found))
		fail_msg("%s: %s", what, text);
}

static const char * const sections[] = { "machine", "config", "module", "rights", "pmus", "holders",
					 "user-read", "limits", "self-test" };

/* Every finding has all keys; the summary is their sum, and the exit status what it says. */
static void json(void **state)
{
	json_int_t nr = 0, sum = 0;
	json_t *all, *one, *number;
	const char *key;
	size_t i, k;
	int status;

	(void)state;
	all = doctor_json("$T doctor --json", &status);
	assert_true(json_is_string(json_object_get(all, "pmcgrp")));
	for (i = 0; i < ARRAY_SIZE(sections); i++) {
		json_t *list = json_object_get(all, sections[i]);

		assert_row(i, json_array_size(list) > 0);
		for (k = 0; (one = json_array_get(list, k)); k++) {
			bool ok = !strcmp(json_string_value(json_object_get(one, "verdict")), "ok");

			assert_true(json_is_string(json_object_get(one, "found")));
			assert_true(json_is_object(json_object_get(one, "values")));
			assert_true(ok == json_is_null(json_object_get(one, "advice")));
			nr++;
		}
	}
	json_object_foreach(json_object_get(all, "summary"), key, number)
		sum += json_integer_value(number);
	assert_int_equal(nr, sum);
	assert_int_equal(status, json_integer_value(json_object_get(json_object_get(all, "summary"),
								    "problem")) ? 1 : 0);
	json_decref(all);
}

static void without_selftest(void **state)
{
	json_t *all;
	int status;

	(void)state;
	all = doctor_json("$T doctor -j --no-selftest", &status);
	assert_int_equal(json_array_size(json_object_get(all, "self-test")), 0);
	json_decref(all);
	assert_null(strstr(run("$T doctor --no-selftest").out, "Self-test"));
}

/* Without a terminal there are no colours; each PMU has its line. */
static void text(void **state)
{
	struct result r = run("$T doctor -v --no-selftest");

	(void)state;
	assert_string_equal(r.err, "");
	assert_null(strchr(r.out, '\033'));
	assert_int_equal(strncmp(r.out, "pmcgrp ", 7), 0);
	assert_non_null(strstr(r.out, "\n\nMachine\n"));
	assert_non_null(strstr(r.out, ", problems: "));
	if (!access("/sys/bus/event_source/devices/software", F_OK))
		assert_non_null(strstr(r.out, "  ok       software            type 1\n"));
	assert_null(strstr(run("$T doctor --no-selftest").out, "software            type 1"));
}

/* It opens the device, and perf_event_open(2) is asked all the same. */
static void with_a_module(void **state)
{
	json_t *all;
	int status;

	(void)state;
	need_perf();
	all = doctor_json(FAKE "FAKE_KERNEL=1 $T doctor --json", &status);
	expect_json(all, "module", "loaded", "ok", "yes");
	expect_json(all, "module", "version", "warning", "module fake, this tool");
	expect_json(all, "module", "access", "ok", "may open it");
	expect_json(all, "holders", "pmcgrp groups", "unknown", "Inappropriate ioctl");
	expect_json(all, "self-test", "counted with", "ok", "a group of pmcgrp, and one of");
	expect_json(all, "self-test", "page faults", "ok", "256 fresh pages; getrusage(2)");
	expect_json(all, "self-test", "page faults", "ok", "perf ");
	/* Clocks of a busy machine, or a guest; where time is known: selftests/tool/tool_doctor.c. */
	expect_json(all, "self-test", "task-clock", NULL, "; pmcgrp ");
	json_decref(all);
}

/* A group of a kernel module has a name, and no process. */
static void group_of_a_kernel_module(void **state)
{
	json_t *all, *one;
	const char *found;
	int status;

	(void)state;
	all = doctor_json(FAKE "FAKE_SECTIONS=1 FAKE_OWNER=sample $T doctor --json --no-selftest",
			  &status);
	expect_json(all, "holders", "pmcgrp groups", "warning", "of all CPUs: of sample");
	one = finding(all, "holders", "pmcgrp groups");
	found = json_string_value(json_object_get(one, "found"));
	assert_null(strstr(found, "PID"));
	json_decref(all);
}

/* The stand-in counts user mode alone, where a switch is none: a module that is wrong. */
static void wrong_counts(void **state)
{
	struct result r;
	json_t *all;
	int status;

	(void)state;
	r = run("$T stat --perf -e context-switches -- true");
	if (r.status || !strstr(r.err, "context-switches\n") || strchr(r.err, '<')) {
		print_message("# skipped: %s\n", r.err);
		skip();
	}
	all = doctor_json(FAKE "$T doctor --json", &status);
	expect_json(all, "self-test", "context switches", "problem", "pmcgrp 0, perf 1");
	assert_int_equal(status, 1);
	json_decref(all);
}

/* A device that is there, and speaks of something else. */
static void another_abi(void **state)
{
	json_t *all;
	int status;

	(void)state;
	all = doctor_json(FAKE "FAKE_ABI=999 $T doctor --json", &status);
	assert_int_equal(status, 1);
	expect_json(all, "module", "loaded", "ok", "yes");
	expect_json(all, "module", "access", "problem", "Protocol not supported");
	if (finding(all, "self-test", "page faults"))
		expect_json(all, "self-test", "counted with", "unknown",
			    "perf_event_open(2) alone");
	json_decref(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(called_wrongly),
		cmocka_unit_test(help),
		cmocka_unit_test(json),
		cmocka_unit_test(without_selftest),
		cmocka_unit_test(text),
		cmocka_unit_test(with_a_module),
		cmocka_unit_test(group_of_a_kernel_module),
		cmocka_unit_test(wrong_counts),
		cmocka_unit_test(another_abi),
	};

	tool_init();
	return cmocka_run_group_tests_name("doctor_tool", tests, NULL, NULL);
}
