// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* pmcgrp stat -M, with a table of our own whose metrics are of software events. */
#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "tool.h"

static char root[] = "/tmp/pmcgrp-test-XXXXXX";

static const char map[] = "Test-1-2\ttest\n0x0000000012345678\ttest\n";
static const char table[] =
	"{\"format\":1,\"model\":\"test\",\"event_columns\":[\"name\",\"terms\"],\"events\":{},"
	"\"metric_columns\":[\"name\",\"expr\",\"groups\",\"scale\",\"unit\"],\"metrics\":{\"default_core\":["
	"[\"broken\",\"cycles +\"],"
	"[\"half\",\"page\\\\-faults:u / (page\\\\-faults:u + faults:u)\",\"TopdownL1;Two\",100,\"%\"],"
	"[\"nothing\",\"no_such_event / 2\"],"
	"[\"one\",\"page\\\\-faults:u / faults:u\",\"Two\"],"
	"[\"per_second\",\"1 / duration_time * duration_time\"]]},\"groups\":{}}";

static const char more[] =
	"[\n{\"MetricName\":\"mine\",\"MetricExpr\":\"2 * one\",\"ScaleUnit\":\"10x\",\"MetricGroup\":\"My\"},\n"
	"{\"MetricName\":\"HALF\",\"MetricExpr\":\"faults:u / faults:u\",\"MetricGroup\":\"My\"},\n"
	"{\"MetricName\":\"circle\",\"MetricExpr\":\"circle2\"},\n"
	"{\"MetricName\":\"circle2\",\"MetricExpr\":\"circle\"},\n"
	"{\"MetricName\":\"constant\",\"MetricExpr\":\"7 if has_event(nosuch) else 3\"},\n"
	"{\"MetricName\":\"lost\",\"MetricExpr\":\"page\\\\-fautls\"}]\n";

#define MORE "--metrics-file $PMCGRP_SHARE/events/more.json "

static void put(const char *name, const char *text)
{
	char path[128], *slash;
	FILE *out;

	snprintf(path, sizeof(path), "%s/events/%s", root, name);
	for (slash = strchr(path + sizeof(root), '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	out = fopen(path, "we");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(root))
		return -1;
	put("README", "");
	put("x86/map", map);
	put("x86/test.json", table);
	put("arm64/map", map);
	put("arm64/test.json", table);
	put("more.json", more);
	put("bad.json", "[\n{\"MetricName\":\"x\",\"MetricExpr\":\"1 +\"}]");
	setenv("XDG_CONFIG_HOME", root, 1);
	setenv("PMCGRP_SHARE", root, 1);
#ifdef __aarch64__
	return setenv("PERF_CPUID", "0x0000000012345678", 1);
#else
	return setenv("PERF_CPUID", "Test-1-2-3", 1);
#endif
}

static int teardown(void **state)
{
	char line[128];

	(void)state;
	snprintf(line, sizeof(line), "rm -r %s", root);
	return system(line);
}

static void wrong(void **state)
{
	(void)state;
	expect("$T stat --perf -M nosuch true", 125, "'nosuch' is neither a metric nor a group");
	expect("$T stat --perf -M haff true", 125, "metrics of test: did you mean 'half'?");
	expect("$T stat --perf -M topdwnl1 true", 125, "did you mean 'TopdownL1'?");
	expect("$T stat --perf -M one,,half true", 125, "a metric's name is missing in 'one,,half'");
	expect("$T stat --perf -M broken true", 125, "-M: metric broken: ");
	expect("$T stat --perf -M nothing true", 125,
	       "metric nothing cannot be computed here: 'no_such_event' is not an event");
	expect("PMCGRP_SHARE=/nonexistent $T stat --perf -M one true", 125, "pmcgrp stat: -M: ");
	expect("PERF_CPUID=Other-1 $T stat --perf -M one true", 125, "pmcgrp stat: -M: ");
}

static void values(void **state)
{
	(void)state;
	need_perf();
	expect("$T stat --perf -M one true", 0, "             1.000      one\n");
	expect("$T stat --perf --topdown true", 0, "            50.000 %    half\n");
	expect("$T stat --perf -M two true", 0, "            50.000 %    half\n             1.000      one\n");
	expect("$T stat --perf -e page-faults:u -M one,per_second true", 0, "1.000      per_second\n");
	expect("$T stat --perf -x, -M half true", 0, "\n,,,,,50.000000,%  half\n");
	expect("$T stat --perf -r 2 -x, -M one true", 0, "\n,,,,,,1.000000,one\n");
	expect("$T stat --perf -j -M half true", 0,
	       "{\"metric\": \"half\", \"metric-value\": 50.0, \"metric-unit\": \"%\"}\n");
	expect("$T stat --perf -I 20 --interval-count 1 -M one -- sh -c 'for i in 1 2 3 4; do (:); done; "
	       "sleep 1'", 0, " 1.000      one\n");
}

static void of_files(void **state)
{
	(void)state;
	expect("$T stat --perf -M mine true", 125, "neither a metric");
	expect("$T stat --perf " MORE " true", 125, "give -M as well");
	expect("$T stat --perf --metrics-file /nonexistent -M one true", 125, "-M: /nonexistent: No such");
	expect("$T stat --perf --metrics-file $PMCGRP_SHARE/events/bad.json -M one true", 125,
	       "/events/bad.json:2: metric x: MetricExpr: metric expression, column 4");
	expect("$T stat --perf " MORE "-M circle true", 125, "more.json:4): metric circle refers to itself");
	expect("$T stat --perf " MORE "-M lost true", 125,
	       "more.json:7) cannot be computed here: 'page-fautls' is not an event that this machine has: "
	       "did you mean 'page-faults'?");
	expect("PMCGRP_SHARE=/nonexistent $T stat --perf --metrics-file /dev/null -M one true", 125, "/dev/null:1: ");
	need_perf();
	expect("$T stat --perf " MORE "-M mine true", 0, "            20.000 x    mine\n");
	expect("$T stat --perf " MORE "-M constant true", 0, "Counts of 'true':\n\n             3.000      constant\n");
	expect("$T stat --perf " MORE "-M constant -r 2 -x, true", 0, ",,,,,,3.000000,constant\n");
	expect("$T stat --perf " MORE "-M half true", 0, "             1.000      HALF\n");
	expect("$T stat --perf " MORE "-M my,one true", 0, "1.000      one\n");
	expect("mkdir $PMCGRP_SHARE/pmcgrp && cp $PMCGRP_SHARE/events/more.json $PMCGRP_SHARE/pmcgrp/metrics.json; "
	       "$T stat --perf -M mine true; s=$?; rm -r $PMCGRP_SHARE/pmcgrp; exit $s", 0,
	       "            20.000 x    mine\n");
}

/* Columns of metrics alone; without -e the events of -M have none of their own. */
static void metric_only(void **state)
{
	(void)state;
	need_perf();
	expect("$T stat --perf --metric-only -M half,one true", 0,
	       "              %  half                  one\n               50.000                1.000\n");
	expect("$T stat --perf --metric-only -x, -M half,one true", 0, "%  half,one,\n50.000000,1.000000,\n");
	expect("$T stat --perf --metric-only -j -M half,one true", 0,
	       "{\"%  half\": \"50.000000\", \"one\": \"1.000000\"}\n");
	expect("$T stat --perf --metric-only -j -e cs -M per_second true", 0, "{\"per_second\": \"1.000000\"}\n");
	expect("$T stat --perf --metric-only -x, -I 100 --interval-count 1 -M one -- "
	       "sh -c 'for i in 1 2 3 4; do (:); done; sleep 1'", 0, ",1.000000,\n");
	expect("$T stat --perf --metric-only -r 3 -M half true", 0, "\n               50.000\n");
	expect("$T stat --perf --metric-only --topdown true", 0, "%  half");
}

/* The other ways to say what is counted. */
static void groups(void **state)
{
	(void)state;
	expect("$T stat --perf -g -e faults -e '{cs' true", 125, "  {faults,{cs}\n          ^\n");
	expect("$T stat --perf -T true", 125, "no events of transactions");
	expect("$T stat --perf --smi-cost true", 125, "'smi' is neither a metric nor a group");
	expect("$T stat --perf --cputype nosuch true", 125, "no PMU 'nosuch'");
	expect("$T stat --perf --cputype sofware true", 125, "no PMU 'sofware': did you mean 'software'?");
	need_perf();
	expect("$T stat --perf -x, -g -e faults:u,1:2:u -e page-faults:u true", 0, ",faults:u,");
	expect("$T stat --perf --pmu-filter software -e faults:u true", 0, " faults:u");
	expect("$T stat --perf --affinity --metric-no-merge -e faults:u true", 0, " faults:u");
}

static void listed(void **state)
{
	struct result r = run("$T list metric -d");

	(void)state;
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.out, "Metrics of test (this CPU: "));
	assert_non_null(strstr(r.out, "  half (%)\n        groups: TopdownL1;Two\n        = page"));
	r = run("$T list metric " MORE);
	assert_non_null(strstr(r.out, "Metrics of files, for -M\n  circle\n"));
	assert_non_null(strstr(r.out, "), for -M\n  broken\n"));
	assert_non_null(strstr(r.out, "/more.json, line 2\n\nMetrics of test (this CPU: "));
	r = run("$T list metric -j mine " MORE);
	assert_non_null(strstr(r.out, "\"line\": 2\n"));
	expect("$T list sw " MORE, 125, "events are listed");
	expect("$T list metric --metrics-file /nonexistent", 125, "pmcgrp list: /nonexistent: No such");
	r = run("$T list metric -N two");
	assert_string_equal(r.out, "half\none\n");
	r = run("$T list metric -j half");
	assert_non_null(strstr(r.out, "\"metric\": \"half\""));
	assert_int_equal(run("$T list metric nosuch").status, 1);
	assert_non_null(strstr(run("$T list metric haff").out, "no metric matches: did you mean 'half'?"));
	expect("$T list metric sw", 125, "by themselves");
	expect("PERF_CPUID=Other-1 $T list metric", 125, "pmcgrp list: ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong),
		cmocka_unit_test(values),
		cmocka_unit_test(of_files),
		cmocka_unit_test(metric_only),
		cmocka_unit_test(groups),
		cmocka_unit_test(listed),
	};

	tool_init();
	return cmocka_run_group_tests_name("stat_metrics", tests, setup, teardown);
}
