// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* pmcgrp list, as a user calls it. */
#include "test.h"

#include <jansson.h>

#include <stdarg.h>

#include "event/uncore_machine.h"
#include "tool.h"

static void expect_out(const char *line, int status, const char *out)
{
	struct result r = run(line);

	if (r.status != status || !strstr(r.out, out))
		fail_msg("%s: status %d, stdout: %s, stderr: %s", line, r.status, r.out, r.err);
}

static void called_wrongly(void **state)
{
	(void)state;
	expect("$T list --bogus", 125, "--help");
	expect("$T list -N -j", 125, "leave out --json");
	expect("$T list -N -p", 125, "leave out --probe");
	expect("$T list -N -d", 125, "leave out --details");
	expect("$T list -N -c", 125, "leave out --counters");
	expect("$T list -x cycles -c", 125, "about one event");
	expect("$T list metric -c", 125, "without events and counters");
	expect("$T list -x cycles sw", 125, "about one event");
	expect("$T list -x cycles -p", 125, "about one event");
	expect("$T list -x", 125, "");
	expect("$T list -x 'cycles,{a'", 125, "pmcgrp list: --explain: this brace is not closed\n  cycles,{a\n"
	       "         ^\n");
	expect_out("$T list no-such-event", 1, "no event of this machine matches");
	expect_out("$T list page-fault5", 1, "no event of this machine matches: did you mean 'page-faults'?");
	expect_out("$T list tracepiont", 1, "matches: did you mean 'tracepoint'?");
	expect("$T list >/dev/full", 125, "cannot write the list");
	expect("$T list -j >/dev/full", 125, "cannot write the list");
	expect("$T list -x cycles >/dev/full", 125, "cannot write the explanation");
}

static void chosen(void **state)
{
	(void)state;
	expect_out("$T list --help", 0, "usage: pmcgrp list");
	expect_out("$T list hw", 0, "Hardware events, of the PMU of each CPU\n  cpu-cycles OR cycles\n");
	expect_out("$T list hw sw | grep -c .", 0, "23\n");
	expect_out("$T list cache | grep -c '^  '", 0, "32\n");
	expect_out("$T list CYCLES hw", 0, "\n  cpu-cycles OR cycles\n  bus-cycles\n  ref-cycles\n");
	expect_out("$T list '*-faults' sw | grep -c '^  '", 0, "5\n");
	expect_out("$T list -N faults branch-l sw cache | tr '\\n' ,", 0,
		   "page-faults,faults,minor-faults,major-faults,alignment-faults,emulation-faults,"
		   "branch-loads,branch-load-misses,");
	/* All of them are names that can be looked up. */
	expect_out("$T list -N hw sw cache | xargs -n 1 $T list -x >/dev/null && echo well", 0, "well");
}

static json_t *load(const char *line)
{
	struct result r = run(line);
	json_error_t error;
	json_t *root;

	assert_int_equal(r.status, 0);
	root = json_loads(r.out, 0, &error);
	if (!root)
		fail_msg("%s: %s", line, error.text);
	return root;
}

static const char *text_of(json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static void as_json(void **state)
{
	json_t *root = load("$T list -j sw"), *first = json_array_get(root, 2);

	(void)state;
	assert_int_equal(json_array_size(root), 11);
	assert_string_equal(text_of(first, "event"), "page-faults");
	assert_string_equal(text_of(first, "alias"), "faults");
	assert_string_equal(text_of(first, "kind"), "software");
	assert_true(json_is_null(json_object_get(first, "pmu")));
	assert_null(json_object_get(first, "opens"));
	json_decref(root);
	root = load("$T list -j -p faults sw");
	assert_true(json_is_boolean(json_object_get(json_array_get(root, 0), "opens")));
	json_decref(root);
}

static void explained(void **state)
{
	json_t *root, *attr;

	(void)state;
	expect_out("$T list -x cycles:k,software/config=2,name=X/", 0,
		   "cycles:k\n  type             0\n  config           0\n  exclude_user     1\n"
		   "  exclude_hv       1\n    type = 0, config = 0: cycles, of the kernel\n"
		   "X\n  type             1\n  config           0x2\n  PMU              software\n"
		   "    type = 1: PMU software\n    config:0-63 = 0x2: term config\n");
	expect("$T list -x cycles:pp >/dev/null", 0, "not for a counter group: p asks for precise");
	expect_out("$T list -x cycles:pp", 0, "  precise_ip       2\n");
	root = load("$T list -j -x '{r1a8,cycles}:u,4:0x123'");
	assert_int_equal(json_array_size(root), 3);
	assert_string_equal(text_of(json_array_get(root, 0), "event"), "r1a8:u");
	attr = json_object_get(json_array_get(root, 0), "attr");
	assert_string_equal(text_of(attr, "config"), "0x1a8");
	assert_int_equal(json_integer_value(json_object_get(attr, "exclude_kernel")), 1);
	assert_int_equal(json_integer_value(json_object_get(json_array_get(root, 2), "group")), 1);
	json_decref(root);
}

static void probed(void **state)
{
	(void)state;
	need_perf();
	expect_out("$T list -p '*page-faults' sw", 0, "  opens\n");
	expect_out("$T list -p L1-dcache-loads cache", 0, "  L1-dcache-loads ");
}

/* PMUs outside the CPUs, whether sysfs names events of them or not. */
static void uncore(void **state)
{
	char line[256];

	(void)state;
#define FAKE "FAKE_SYS=%s LD_PRELOAD=${T%%/*}/fake_module.so ASAN_OPTIONS=verify_asan_link_order=0 "
	snprintf(line, sizeof(line), FAKE "$T list pmu", fake_root);
	expect_out(line, 0, "Events of PMU power, outside the CPUs: with -a, on CPUs 0,28\n"
		   "  power/energy-pkg/\n  power/temp/\n");
	expect_out(line, 0, "\n\nPMUs outside the CPUs: counted on one CPU of each package, with -a\n");
	expect_out(line, 0, "\n  uncore_cha                28 boxes, on CPUs 0,28; terms: ");
	expect_out(line, 0, "\n  uncore_ubox               on CPUs 0,28; terms: ");
	snprintf(line, sizeof(line), FAKE "$T list pmu | grep -c 'uncore_cha'", fake_root);
	expect_out(line, 0, "1\n");
	snprintf(line, sizeof(line), FAKE "$T list uncore_cha", fake_root);
	expect_out(line, 0, "  uncore_cha                28 boxes");
	snprintf(line, sizeof(line), FAKE "$T list -p power/energy", fake_root);
	expect_out(line, 0, "  power/energy-pkg/                                 opens\n");
	snprintf(line, sizeof(line), FAKE "$T list -j pmu | grep -c '\"cpus\": \"0,28\"'", fake_root);
	/* 2 of each imc, 1 of ubox, 2 of power */
	expect_out(line, 0, "15\n");
}

#define FAKE_DEVICE "LD_PRELOAD=${T%/*}/fake_module.so ASAN_OPTIONS=verify_asan_link_order=0 "

/* What no machine without the device can measure is said once; the list is there all the same. */
static void counters_without_device(void **state)
{
	struct result r;
	const char *first;

	(void)state;
	if (!access("/dev/pmcgrp", F_OK))
		skip();
	r = run("$T list -c hw cache");
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.out, "Cache events, of the PMU of each CPU\n  L1-dcache-loads\n"));
	first = strstr(r.err, "pmcgrp list: --counters: nothing is measured: ");
	assert_non_null(first);
	assert_null(strstr(first + 1, "pmcgrp list: "));
	expect_out("$T list -c -j hw 2>/dev/null | grep -c '\"kind\": \"counters\"'", 1, "0\n");
}

/* With a device: each PMU of the cores once, or that there is none. */
static void counters_with_device(void **state)
{
	struct result r = run(FAKE_DEVICE "$T list -c hw cache");
	json_t *root, *first;

	(void)state;
	assert_int_equal(r.status, 0);
	if (strstr(r.err, "no PMU of the cores")) {
		assert_null(strstr(r.out, "    "));
		return;
	}
	assert_string_equal(r.err, "");
	assert_non_null(strstr(r.out, "CPU\n    "));
	root = load(FAKE_DEVICE "$T list -c -j hw");
	first = json_array_get(root, 0);
	assert_string_equal(text_of(first, "kind"), "counters");
	/* It is measured, or it is said why not. */
	assert_true(json_is_null(json_object_get(first, "counters")) !=
		    json_is_null(json_object_get(first, "why")));
	json_decref(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(called_wrongly),
		cmocka_unit_test(chosen),
		cmocka_unit_test(as_json),
		cmocka_unit_test(explained),
		cmocka_unit_test(probed),
		cmocka_unit_test(counters_without_device),
		cmocka_unit_test(counters_with_device),
	};

	const struct CMUnitTest on_server[] = {
		cmocka_unit_test(uncore),
	};

	tool_init();
	return cmocka_run_group_tests_name("list", tests, NULL, NULL) +
	       cmocka_run_group_tests_name("uncore", on_server, intel_server, fake_machine_end);
}
