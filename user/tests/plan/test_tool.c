// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* pmcgrp plan, as a user calls it. */
#include "test.h"

#include <jansson.h>

#include "core_pmu.h"
#include "tool.h"

#define FIVE "r1d1,r2d1,r4d1,r8d1,r40d1"

static void expect_out(const char *line, int status, const char *out)
{
	struct result r = run(line);

	if (r.status != status || !strstr(r.out, out))
		fail_msg("%s: status %d, stdout: %s, stderr: %s", line, r.status, r.out, r.err);
}

static void called_wrongly(void **state)
{
	(void)state;
	expect("$T plan", 125, "which events?");
	expect("$T plan --bogus", 125, "--help");
	expect("$T plan true", 125, "nothing is run");
	expect("$T plan -e cycles --perf --pmcgrp", 125, "without either there are both");
	expect("$T plan --case x -e cycles", 125, "a case has its events");
	expect("$T plan -e cycles --verify --picture", 125, "it runs for a second");
	expect("$T plan --model Skylake --kernel six -e cycles", 125, "'six' is no version");
	expect("$T plan --model Skylake -e 'cycles,{'", 125, "^");
	expect("$T plan --model Skylake -e cycels", 125, "'cycels' is not an event that Skylake has");
	expect("$T plan --model Skylark -e cycles", 125, "Skylark");
	expect("$T plan --model Skylake --duration 0 -e cycles", 125, "1 or more");
	expect("$T plan --model Skylake -e cycles >/dev/full", 125, "cannot write the plan");
	expect("$T plan --model Skylake -e cycles --svg /nonexistent/x", 125, "/nonexistent/x");
}

static void chosen(void **state)
{
	(void)state;
	expect_out("$T plan --help", 0, "usage: pmcgrp plan");
	expect_out("$T plan --list", 0, "Skylake\n");
	expect_out("$T plan --model Skylake -e cycles", 0, "counted              cycles");
	expect_out("$T plan --model Skylake -e cycles", 0, "All are counted all the time, in one pass.");
	expect_out("$T plan --model Skylake -e " FIVE " --perf", 0, "multiplexed 80.00 %  r1d1");
	expect_out("$T plan --model Skylake -e " FIVE " --perf", 0,
		   "2 passes, in none of which anything is multiplexed; fewer are not enough:");
	expect_out("$T plan --model Skylake --no-ht -e " FIVE " --perf --kernel 4.6", 0,
		   "counted              r40d1");
	expect_out("$T plan --model Skylake --no-tfa -e " FIVE " --perf", 0, "multiplexed 60.00 %  r1d1");
	expect_out("$T plan --model Haswell -e " FIVE " --perf", 0, "multiplexed 40.00 %  r1d1");
	expect_out("$T plan --model Haswell -e l1d_pend_miss.pending:D,rca3 --perf", 1,
		   "pinned events come first: GP2 counts one event at a time");
	expect_out("$T plan --model Skylake --duration 1 -e " FIVE " --perf", 1,
		   "the run ends before its turn comes");
	expect_out("$T plan --model Skylake -e '{" FIVE "}'", 1, "does not fit even alone");
	expect_out("$T plan --model Zen2 -e rff03,rff03,rff03 --perf", 0, "multiplexed 66.67 %");
	expect_out("$T plan --model Armv8 -e cycles,r8,r11,r10 --picture", 0, "A  cycles");
	expect_out("$T plan --model Skylake -e r1d1,r2d1 --svg /dev/stdout --perf", 0, "</svg>");
}

static json_t *load(const char *line)
{
	struct result r = run(line);
	json_error_t error;
	json_t *json = json_loads(r.out, 0, &error);

	if (!json)
		fail_msg("%s: %s: %s", line, error.text, r.err);
	return json;
}

/* Where this processor has a model, and the machine no PMU; a model that is named has one. */
static void pmu_absent(void **state)
{
	static const char note[] = "has no PMU of the cores, though its processor is a ";
	struct core_pmu pmus[CORE_PMUS_MAX];
	bool has = core_pmus_find(pmus, "");
	struct result r = run("$T plan -e cycles 2>&1");

	(void)state;
	if (r.status == 125)
		skip();
	assert_true(!has == !!strstr(r.out, note));
	assert_null(strstr(run("$T plan -e page-faults 2>&1").out, note));
	assert_null(strstr(run("$T plan --model Skylake -e cycles 2>&1").out, note));
}

static void for_programs(void **state)
{
	json_t *all = load("$T plan -j --model Skylake -e " FIVE), *json, *row;

	(void)state;
	assert_string_equal(json_string_value(json_object_get(all, "watchdog_counter")), "FIXED1");
	row = json_array_get(json_object_get(json_object_get(all, "perf"), "events"), 4);
	assert_string_equal(json_string_value(json_object_get(row, "status")), "multiplexed");
	assert_true(json_real_value(json_object_get(row, "percent")) == 80.0);
	assert_int_equal(json_array_size(json_object_get(row, "counters")), 4);
	json = json_object_get(all, "regrouped");
	assert_int_equal(json_integer_value(json_object_get(json, "nr")), 2);
	assert_int_equal(json_array_size(json_object_get(json, "passes")), 2);
	json_decref(all);
}

#define PMU "\"pmu\":{\"n_gp\":4,\"n_fixed\":3,\"events\":{\"a\":{\"mask\":\"0x4\"},\"b\":{\"mask\":4},"	\
	    "\"c\":{\"type\":\"software\"},\"d\":{\"supported\":false}}}"

static void cases(void **state)
{
	(void)state;
	expect_out("echo '{\"id\":\"x\"," PMU ",\"groups\":[{\"events\":[\"a\",\"c\"]},{\"events\":[\"b\"]}]}' | "
		   "$T plan --case - | tr -d ' \\n'",
		   0, "[{\"id\":\"x\",\"expected\":[{\"event\":\"a\",\"status\":\"multiplexed\",\"percent\":50.0,"
		      "\"counters\":[\"GP2\"],");
	expect_out("echo '[{" PMU ",\"groups\":[{\"events\":[\"a\",\"d\"]}]}]' | $T plan --case - | tr -d ' \\n'", 0,
		   "\"event\":\"a\",\"status\":\"not_counted\",\"percent\":null,\"counters\":[\"GP2\"],"
		   "\"kernel_running_percent\":100.0");
	expect("echo '[{' | $T plan --case -", 125, "line 2:");
	expect("echo '[1]' | $T plan --case -", 125, "case 1: a case is an object");
	expect("echo '[{\"id\":\"y\"}]' | $T plan --case -", 125, "case 1 (y): pmu is missing");
	expect("echo '{" PMU ",\"groups\":[{\"events\":[]}]}' | $T plan --case -", 125,
	       "groups.0.events is a list of the PMU's events, and not empty");
	expect("echo '{" PMU ",\"groups\":[{\"events\":[\"z\"]}]}' | $T plan --case -", 125,
	       "groups.0.z is no event of pmu.events");
	expect("echo '{\"pmu\":{\"n_gp\":\"4\"},\"groups\":[]}' | $T plan --case -", 125,
	       "pmu.n_gp is no number from 0 to 31");
	expect("echo '{\"pmu\":{\"n_gp\":4,\"events\":{\"a\":{\"mask\":\"4x\"}}},\"groups\":[]}' | $T plan --case -",
	       125, "pmu.events.a.mask is no number");
	expect("echo '{\"pmu\":{\"n_gp\":4,\"events\":{\"a\":{\"mask\":\"0x100000001\",\"overlap\":true}}},"
	       "\"groups\":[]}' | $T plan --case -",
	       125, "pmu.events.a.overlap is not for an event with a fixed counter");
	expect("echo '{\"options\":{\"kernel\":\"six\"}," PMU ",\"groups\":[]}' | $T plan --case -", 125,
	       "options.kernel is a version");
	expect("$T plan --case /nonexistent", 125, "/nonexistent");
}

/* As they are built. */
static int models_here(void **state)
{
	const char *build = getenv("BUILD");
	char folder[4096];

	(void)state;
	snprintf(folder, sizeof(folder), "%s/share/pmcgrp", build ? build : "build");
	return setenv("PMCGRP_SHARE", folder, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(called_wrongly),
		cmocka_unit_test(chosen),
		cmocka_unit_test(pmu_absent),
		cmocka_unit_test(for_programs),
		cmocka_unit_test(cases),
	};

	tool_init();
	return cmocka_run_group_tests_name("plan", tests, models_here, NULL);
}
