// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * `pmcgrp stat` on servers with PMUs outside the CPUs, whose sysfs is a folder of our own and whose
 * module is a stand-in (fake_cpus.h): event=N on CPU C has counted 1000 * N + C.
 */
#include "test.h"

#include <stdarg.h>

#include "event/uncore_machine.h"
#include "tool.h"

#define FAKE "FAKE_SYS=%s LD_PRELOAD=${T%%/*}/fake_module.so ASAN_OPTIONS=verify_asan_link_order=0 " \
	     "$T "

static struct result run_fake(const char *before, const char *args)
{
	char line[512];

	snprintf(line, sizeof(line), "%s " FAKE "%s", before, fake_root, args);
	setenv("FAKE_ROOT", fake_root, 1);
	return run(line);
}

struct row {
	const char *args;
	const char *err;	/* all of it */
};

static void check(const struct row *rows, size_t nr)
{
	struct result r;
	size_t i;

	for (i = 0; i < nr; i++) {
		r = run_fake("", rows[i].args);
		if (r.status || strcmp(r.err, rows[i].err))
			fail_msg("%s: status %d, not %s but %s", rows[i].args, r.status,
				 rows[i].err, r.err);
	}
}

static void expect_fake(const char *args, int status, const char *text)
{
	struct result r = run_fake("", args);

	if (r.status != status || !strstr(r.err, text))
		fail_msg("%s: status %d, stderr: %s", args, r.status, r.err);
}

/* 28 boxes, or 6, on two CPUs each: one row, and one for each socket. */
static const struct row on_intel[] = {
	{ "stat -x, -a -e uncore_cha/event=1/ -- true",
	  "56784,,uncore_cha/event=1/,56000000,100.00,,\n" },
	{ "stat -x, -a -e uncore_cha_3/event=1/,power/energy-pkg/ -- true",
	  "2028,,uncore_cha_3/event=1/,2000000,100.00,,\n"
	  "0.00,Joules,power/energy-pkg/,2000000,100.00,,\n" },
	{ "stat -x, -a --per-socket -e uncore_cha/event=1/ -e cas_count_read -- true",
	  "S0,1,28000,,uncore_cha/event=1/,28000000,100.00,,\n"
	  "S0,1,1.46,MiB,cas_count_read,6000000,100.00,,\n"
	  "S1,1,28784,,uncore_cha/event=1/,28000000,100.00,,\n"
	  "S1,1,1.48,MiB,cas_count_read,6000000,100.00,,\n" },
	{ "stat -x, -a --per-die -e 'uncore_imc_*/event=1/' -- true",
	  "S0-D0,1,6000,,uncore_imc_*/event=1/,6000000,100.00,,\n"
	  "S1-D0,1,6168,,uncore_imc_*/event=1/,6000000,100.00,,\n" },
	{ "stat -x, -a --per-node -e imc/event=1/ -- true",
	  "N0,1,6000,,imc/event=1/,6000000,100.00,,\nN1,1,6168,,imc/event=1/,6000000,100.00,,\n" },
	/* No row for a core that counts nothing. */
	{ "stat -x, -a --per-core -e imc_1/event=1/ -- true",
	  "S0-D0-C0,1,1000,,imc_1/event=1/,1000000,100.00,,\n"
	  "S1-D0-C0,1,1028,,imc_1/event=1/,1000000,100.00,,\n" },
	/* Boxes apart have the names of their PMUs. */
	{ "stat -x, -a -A -e 'imc_[01]/event=1/' -- true",
	  "CPU0,1000,,uncore_imc_0/event=1/,1000000,100.00,,\n"
	  "CPU28,1028,,uncore_imc_0/event=1/,1000000,100.00,,\n"
	  "CPU0,1000,,uncore_imc_1/event=1/,1000000,100.00,,\n"
	  "CPU28,1028,,uncore_imc_1/event=1/,1000000,100.00,,\n" },
	{ "stat -x, -a --no-merge -e '{uncore_ubox/clockticks/,uncore_ubox/event=1,name=one/}' -- true",
	  "CPU0,255000,,uncore_ubox/clockticks/,1000000,100.00,,\n"
	  "CPU28,255028,,uncore_ubox/clockticks/,1000000,100.00,,\n"
	  "CPU0,1000,,one [uncore_ubox],1000000,100.00,,\n"
	  "CPU28,1028,,one [uncore_ubox],1000000,100.00,,\n" },
	/* perf counts the machine for a command whose events are all of this kind. */
	{ "stat -x, -e imc_0/event=1/ -- true", "2028,,imc_0/event=1/,2000000,100.00,,\n" },
	{ "stat -x, --per-socket -e imc_0/event=1/ -- true",
	  "S0,1,1000,,imc_0/event=1/,1000000,100.00,,\n"
	  "S1,1,1028,,imc_0/event=1/,1000000,100.00,,\n" },
	{ "stat -x, -C 28-55 -e uncore_imc/event=1/ -- true",
	  "6168,,uncore_imc/event=1/,6000000,100.00,,\n" },
	{ "stat -x, -C 0,3 -A -e cs,imc_0/event=1/ -- true",
	  "CPU0,3000,,cs,1000000,100.00,,\nCPU3,3003,,cs,1000000,100.00,,\n"
	  "CPU0,1000,,uncore_imc_0/event=1/,1000000,100.00,,\n" },
	{ "stat -j -a --per-socket -e power/energy-pkg/ -- true",
	  "{\"socket\": \"S0\", \"aggregate-number\": 1, \"counter-value\": \"0.000000\", \"unit\": "
	  "\"Joules\", \"event\": \"power/energy-pkg/\", \"event-runtime\": 1000000, \"pcnt-running\": "
	  "100.0, \"metric-value\": 0.0, \"metric-unit\": \"\"}\n"
	  "{\"socket\": \"S1\", \"aggregate-number\": 1, \"counter-value\": \"0.000000\", \"unit\": "
	  "\"Joules\", \"event\": \"power/energy-pkg/\", \"event-runtime\": 1000000, \"pcnt-running\": "
	  "100.0, \"metric-value\": 0.0, \"metric-unit\": \"\"}\n" },
};

static void intel(void **state)
{
	(void)state;
	check(on_intel, ARRAY_SIZE(on_intel));
}

/* Units have their column, and scaled values two decimals. */
static void table(void **state)
{
	struct result r;

	(void)state;
	r = run_fake("", "stat -e cas_count_read,power/energy-pkg/,uncore_imc/event=1/ -- true");
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.err, "\n Counts of all CPUs:\n\n"
			       "              2.94 MiB    cas_count_read\n"
			       "              0.00 Joules power/energy-pkg/\n"
			       "            12,168        uncore_imc/event=1/\n\n"));
}

/* Of other targets, uncore events are those of all CPUs, and that is said. */
static void tasks(void **state)
{
	struct result r;

	(void)state;
	expect_fake("stat -e cs,imc_0/event=1/ -- true", 0,
		    " Counts of 'true', and of all CPUs for uncore events:\n\n"
		    "             3,000      cs\n"
		    "             2,028      imc_0/event=1/\n");
	expect_fake("stat -e imc_0/event=1/ -p $$ -- true", 0, " Counts of all CPUs, during process ");
	r = run_fake("", "stat -x, -e cs,imc_0/event=1/ -- true");
	assert_string_equal(r.err, "pmcgrp stat: imc_0/event=1/ is counted on all CPUs: its PMU counts "
			    "a part of the machine, and no tasks\n"
			    "3000,,cs,1000000,100.00,,\n"
			    "2028,,imc_0/event=1/,2000000,100.00,,\n");
}

/* Of a state, intervals have what it is, and of a count what has come. */
static void intervals(void **state)
{
	struct result r;
	unsigned int i;
	char *line;

	(void)state;
	r = run_fake("", "stat -x, -a -e power/temp/,imc_0/event=1/ -I 20 --interval-count 3 --summary");
	assert_int_equal(r.status, 0);
	line = r.err;
	for (i = 1; i <= 3; i++) {
		assert_true(strtol(strchr(line, ',') + 1, NULL, 10) == i * 18028);
		line = strchr(line, '\n') + 1;
		assert_true(strtol(strchr(line, ',') + 1, NULL, 10) == 2028);
		line = strchr(line, '\n') + 1;
	}
	assert_string_equal(line, "summary,54084,,power/temp/,6000000,100.00,,\n"
			    "summary,6084,,imc_0/event=1/,6000000,100.00,,\n");
	expect_fake("stat -a -I 10 --interval-count 1 -e power/energy-pkg/", 0,
		    "           counts unit   events\n");
}

/* A sum without one of its boxes is none. */
static void missing(void **state)
{
	struct result r = run_fake("FAKE_BUSY=21", "stat -x, -a -e '{cha_1/event=1/,imc_0/event=1/}' "
				   "-e uncore_cha/event=1/ -e imc_1/event=1/ -- true");

	(void)state;
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.err, "<not counted>,,cha_1/event=1/,0,0.00,,\n"
			       "<not counted>,,imc_0/event=1/,0,0.00,,\n"
			       "<not counted>,,uncore_cha/event=1/,0,0.00,,\n"
			       "2028,,imc_1/event=1/,2000000,100.00,,\n"));
	assert_non_null(strstr(r.err, "the group of 28 with uncore_cha/event=1/ was never on the PMU"));
}

/* A PMU that counts on CPUs 0 and 28 is to move to 3. */
static void put_move(const char *pmu)
{
	put_as("0,28\n", "devices/%s/cpumask", pmu);
	put_as("3,28\n", "devices/%s/cpumask.1", pmu);
}

/* The lines of an interval's report or of the summary, without the time. */
static void assert_report(char **line, const char *const *rows)
{
	char *at;

	for (; *rows; rows++) {
		at = !strncmp(*line, "summary", 7) ? *line : strchr(*line, ',') + 1;
		if (strncmp(at, *rows, strlen(*rows)))
			fail_msg("not '%s' but: %s", *rows, at);
		*line = strchr(at, '\n') + 1;
	}
}

#define BEHIND(count) #count ",,uncore_imc_0/event=1/,1000000,100.00,,"

/* One row for each box, on the CPU that counts now; it goes on from what was counted before. */
static void moved(void **state)
{
	static const char *const reports[][3] = {
		{ "CPU0," BEHIND(1000), "CPU28," BEHIND(1028), NULL },
		{ "CPU3," BEHIND(1003), "CPU28," BEHIND(1028), NULL },
		{ "CPU5," BEHIND(1005), "CPU28," BEHIND(1028), NULL },
		{ "CPU5," BEHIND(1005), "CPU28," BEHIND(1028), NULL },
		{ "summary,CPU5,4013,,uncore_imc_0/event=1/,4000000,100.00,,",
		  "summary,CPU28,4112,,uncore_imc_0/event=1/,4000000,100.00,,", NULL },
	};
	struct result r;
	char *line;
	size_t i;

	(void)state;
	put_move("uncore_imc_0");
	put("devices/uncore_imc_0/cpumask.2", "5,28\n");
	r = run_fake("FAKE_MOVE=2", "stat -x, -a -A -e imc_0/event=1/ -I 20 --interval-count 4 --summary");
	assert_int_equal(r.status, 0);
	line = r.err;
	for (i = 0; i < ARRAY_SIZE(reports); i++)
		assert_report(&line, reports[i]);
	assert_string_equal(line, "");
	/* Before the only read. */
	put_move("uncore_imc_0");
	r = run_fake("FAKE_MOVE=1", "stat -x, -a -A -e imc_0/event=1/ -- true");
	assert_string_equal(r.err, "CPU3," BEHIND(1003) "\nCPU28," BEHIND(1028) "\n");
	/* Other lines, and all boxes. */
	put_move("uncore_imc_0");
	put_move("uncore_imc_1");
	r = run_fake("FAKE_MOVE=1", "stat -x, -a --per-core -e 'imc_[01]/event=1/' -r 2 -- true");
	assert_string_equal(r.err, "S0-D0-C3,1,2006,,imc_[01]/event=1/,0.00%,2000000,100.00,,\n"
			    "S1-D0-C0,1,2056,,imc_[01]/event=1/,0.00%,2000000,100.00,,\n");
	put_move("uncore_imc_0");
	r = run_fake("FAKE_MOVE=1", "stat -x, -a --per-socket -e imc_0/event=1/ -- true");
	assert_string_equal(r.err, "S0,1,1003,,imc_0/event=1/,1000000,100.00,,\n"
			    "S1,1,1028,,imc_0/event=1/,1000000,100.00,,\n");
	put_as("0,28\n", "devices/uncore_imc_0/cpumask");
	put_as("0,28\n", "devices/uncore_imc_1/cpumask");
}

/* From CPU 0 to 3 and to 5, between two reads: 3 is in the module's records, and has no row. */
static void moved_twice(void **state)
{
	static const char *const reports[][3] = {
		{ "CPU0,2000,,", "CPU28,2056,,", NULL },
		{ "CPU5,2010,,", "CPU28,2056,,", NULL },
		{ "CPU5,2010,,", "CPU28,2056,,", NULL },
	};
	struct result r;
	char *line;
	size_t i;

	(void)state;
	put_move("uncore_imc_0");
	put("devices/uncore_imc_0/cpumask.2", "5,28\n");
	r = run_fake("FAKE_TWICE=1 FAKE_MOVE=3", "stat -x, -a -A -e imc_0/event=1/ -I 20 "
		     "--interval-count 3");
	assert_int_equal(r.status, 0);
	line = r.err;
	for (i = 0; i < ARRAY_SIZE(reports); i++)
		assert_report(&line, reports[i]);
	assert_string_equal(line, "");
	put_as("0,28\n", "devices/uncore_imc_0/cpumask");
}

/* By name, with what can be done. */
static void refused(void **state)
{
	(void)state;
	expect_fake("stat -a --per-thread -e imc/event=1/", 125, "of no thread");
	expect_fake("stat -e cs --per-socket -- true", 125, "add -a or -C");
	expect_fake("stat -e cs,imc/event=1/ --per-socket -- true", 125, "add -a or -C");
	expect_fake("stat -C 3 -e imc/event=1/ -- true", 125, "counted on CPUs 0,28, once for each");
	expect_fake("stat -a -e '{cycles,imc/event=1/}' -- true", 0,
		    "the group with cycles is broken up");
	expect_fake("top -e imc/event=1/ --batch", 125, "stat -a -I 1000 -e 'imc/event=1/'");
	expect_fake("record --every 1ms -e imc/event=1/ -- true", 125,
		    "stat -a -I 100 -e 'imc/event=1/'");
	expect_fake("record --every 1000:imc/event=1/ -- true", 125, "its PMU makes no samples");
}

/* One row for each L3 cache; but of an event that a package has once, one of them. */
static const struct row on_amd[] = {
	{ "stat -x, -a -A -e amd_l3/event=4/,amd_df/event=1/ -- true",
	  "CPU0,4000,,amd_l3/event=4/,1000000,100.00,,\nCPU8,4008,,amd_l3/event=4/,1000000,100.00,,\n"
	  "CPU16,4016,,amd_l3/event=4/,1000000,100.00,,\nCPU24,4024,,amd_l3/event=4/,1000000,100.00,,\n"
	  "CPU0,1000,,amd_df/event=1/,1000000,100.00,,\n" },
	{ "stat -x, -a --per-socket -e amd_l3/event=4/ -- true",
	  "S0,4,16048,,amd_l3/event=4/,4000000,100.00,,\n" },
	{ "stat -x, -a --per-socket -e amd_l3/once/ -- true",
	  "S0,1,7000,,amd_l3/once/,1000000,100.00,,\n" },
	{ "stat -x, -a -A -e amd_l3/once/ -- true", "CPU0,7000,,amd_l3/once/,1000000,100.00,,\n" },
	{ "stat -x, -a -e amd_l3/once/ -- true", "7000,,amd_l3/once/,1000000,100.00,,\n" },
};

static void amd(void **state)
{
	struct result r;

	(void)state;
	put("devices/amd_l3/events/once", "event=7\n");
	put("devices/amd_l3/events/once.per-pkg", "1\n");
	check(on_amd, ARRAY_SIZE(on_amd));
	/* One of those that are left out moves: its heir is left out, too. */
	put("devices/amd_l3/cpumask.1", "0,9,16,24\n");
	r = run_fake("FAKE_MOVE=1", "stat -x, -a -e amd_l3/once/ -- true");
	assert_string_equal(r.err, "7000,,amd_l3/once/,1000000,100.00,,\n");
	put("devices/amd_l3/cpumask", "0,8,16,24\n");
	put("devices/amd_l3/cpumask.1", "1,8,16,24\n");
	r = run_fake("FAKE_MOVE=1", "stat -x, -a -e amd_l3/once/ -- true");
	assert_string_equal(r.err, "7001,,amd_l3/once/,1000000,100.00,,\n");
}

/* Each box is on a CPU of its own, and so in a group of its own; the sum has all. */
static const struct row on_arm[] = {
	{ "stat -x, -a -e arm_cmn/event=4/ -- true", "8004,,arm_cmn/event=4/,2000000,100.00,,\n" },
	{ "stat -x, -a --per-socket -e arm_dsu/event=1/ -- true",
	  "S0,2,2002,,arm_dsu/event=1/,2000000,100.00,,\n"
	  "S1,1,1004,,arm_dsu/event=1/,1000000,100.00,,\n" },
	{ "stat -x, -a -A -e arm_cmn/event=4/ -- true",
	  "CPU0,4000,,arm_cmn_0/event=4/,1000000,100.00,,\n"
	  "CPU4,4004,,arm_cmn_1/event=4/,1000000,100.00,,\n" },
	{ "stat -x, -C 4,5 -e arm_cmn/event=4/ -- true", "4004,,arm_cmn/event=4/,1000000,100.00,,\n" },
	{ "stat -x, -a -e '{arm_cmn/event=4/,arm_cmn/event=1/}' -r 2 -- true",
	  "8004,,arm_cmn/event=4/,0.00%,2000000,100.00,,\n"
	  "2004,,arm_cmn/event=1/,0.00%,2000000,100.00,,\n" },
};

static void arm(void **state)
{
	struct result r;

	(void)state;
	check(on_arm, ARRAY_SIZE(on_arm));
	r = run_fake("FAKE_BUSY=21", "stat -x, -a -e arm_cmn/event=4/ -- true");
	assert_non_null(strstr(r.err, "<not counted>,,arm_cmn/event=4/,0,0.00,,\n"));
	assert_non_null(strstr(r.err, "the group of 1 with arm_cmn/event=4/ was never on the PMU"));
}

/* Metrics of events of boxes take the sum, and know how many there are; of cores they have groups. */
static void metrics(void **state)
{
	static const char map[] = "Test-1-2\ttest\n0x0000000012345678\ttest\n";
	static const char tables[] =
		"{\"format\":1,\"model\":\"test\",\"event_columns\":[\"name\",\"terms\"],\"events\":{"
		"\"uncore_imc\":[[\"unc_m_cas\",\"event=4\"]]},\"metric_columns\":[\"name\",\"expr\"],"
		"\"metrics\":{\"default_core\":[[\"box\",\"unc_m_cas / source_count(unc_m_cas)\"],"
		"[\"ratio\",\"unc_m_cas / cycles\"]]},\"groups\":{}}";
	static const char *const arch[] = { "x86", "arm64" };
	struct result r;
	size_t i;

	(void)state;
	put("share/events/README", "");
	for (i = 0; i < ARRAY_SIZE(arch); i++) {
		put_as(map, "share/events/%s/map", arch[i]);
		put_as(tables, "share/events/%s/test.json", arch[i]);
	}
#ifdef __aarch64__
	setenv("PERF_CPUID", "0x0000000012345678", 1);
#else
	setenv("PERF_CPUID", "Test-1-2-3", 1);
#endif
	r = run_fake("PMCGRP_SHARE=$FAKE_ROOT/share", "stat -x, -a -M box,ratio -- true");
	assert_string_equal(r.err, "48168,,unc_m_cas,12000000,100.00,,\n"
			    "48168,,unc_m_cas,12000000,100.00,,\n1540,,cycles,56000000,100.00,,\n"
			    ",,,,,8028.000000,box\n,,,,,31.277922,ratio\n");
	r = run_fake("PMCGRP_SHARE=$FAKE_ROOT/share", "stat -x, --per-socket -M box -- true");
	assert_string_equal(r.err, "S0,1,24000,,unc_m_cas,6000000,100.00,,\n"
			    "S1,1,24168,,unc_m_cas,6000000,100.00,,\n"
			    "S0,1,,,,,,4000.000000,box\nS1,1,,,,,,4028.000000,box\n");
	r = run_fake("PMCGRP_SHARE=$FAKE_ROOT/share", "stat -x, -a -A -M box -- true");
	assert_non_null(strstr(r.err, "CPU28,4028,,unc_m_cas [uncore_imc_5],1000000,100.00,,\n"
			       "CPU0,,,,,,4000.000000,box\nCPU28,,,,,,4028.000000,box\n"));
	unsetenv("PERF_CPUID");
}

int main(void)
{
	const struct CMUnitTest of_intel[] = {
		cmocka_unit_test(intel),
		cmocka_unit_test(table),
		cmocka_unit_test(tasks),
		cmocka_unit_test(intervals),
		cmocka_unit_test(missing),
		cmocka_unit_test(moved),
		cmocka_unit_test(moved_twice),
		cmocka_unit_test(refused),
		cmocka_unit_test(metrics),
	};
	const struct CMUnitTest of_amd[] = {
		cmocka_unit_test(amd),
	};
	const struct CMUnitTest of_arm[] = {
		cmocka_unit_test(arm),
	};

	tool_init();
	return cmocka_run_group_tests(of_intel, intel_server, fake_machine_end) +
	       cmocka_run_group_tests(of_amd, amd_server, fake_machine_end) +
	       cmocka_run_group_tests(of_arm, arm_server, fake_machine_end);
}
