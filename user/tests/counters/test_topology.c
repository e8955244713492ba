// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Dies, clusters, caches, NUMA nodes and threads, over folders that show two sockets of two dies of
 * two CPUs, and the lines that are printed of them: as perf stat 6.12 has them.
 */
#include "test.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "counters/topology.h"
#include "stat/count_report.h"

#define NR_CPUS 8
/* Has neither die, cluster, cache nor node; the next one a cache that nothing is known of. */
#define BARE 20
#define BROKEN 21

static char folder[] = "/tmp/pmcgrp-test-XXXXXX";

static void put(const char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A file, and the folders above it. */
static void put(const char *text, const char *format, ...)
{
	char path[256], *at;
	va_list args;
	FILE *file;
	int len;

	len = snprintf(path, sizeof(path), "%s/", folder);
	va_start(args, format);
	vsnprintf(path + len, sizeof(path) - (size_t)len, format, args);
	va_end(args);
	for (at = path + len; (at = strchr(at, '/')); *at++ = '/') {
		*at = '\0';
		mkdir(path, 0700);
	}
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "%s\n", text);
	fclose(file);
}

static void put_cache(int cpu, int index, int level, int first, int last)
{
	char text[32];

	snprintf(text, sizeof(text), "%d", level);
	put(text, "cpu%d/cache/index%d/level", cpu, index);
	snprintf(text, sizeof(text), "%d-%d", first, last);
	put(text, "cpu%d/cache/index%d/shared_cpu_list", cpu, index);
}

/* CPUs 0 to 3 and 4 to 7 are a socket and node each, of two dies with a cache of level 3 each. */
static int setup(void **state)
{
	char text[16];
	int cpu;

	(void)state;
	if (!mkdtemp(folder))
		return -1;
	for (cpu = 0; cpu < NR_CPUS; cpu++) {
		put(cpu < 4 ? "0" : "1", "cpu%d/topology/physical_package_id", cpu);
		put(cpu % 4 < 2 ? "0" : "1", "cpu%d/topology/die_id", cpu);
		snprintf(text, sizeof(text), "%d", 8 * (cpu / 2));
		put(text, "cpu%d/topology/cluster_id", cpu);
		put("0", "cpu%d/topology/core_id", cpu);
		put_cache(cpu, 0, 1, cpu, cpu);
		put_cache(cpu, 1, 1, cpu, cpu);
		put_cache(cpu, 2, 2, cpu, cpu);
		put_cache(cpu, 3, 3, cpu / 2 * 2, cpu / 2 * 2 + 1);
		/* The link's name is all that counts. */
		put("", "cpu%d/nodes", cpu);
		put("", "cpu%d/node%d", cpu, 2 * (cpu / 4));
	}
	put("-1", "cpu%d/topology/physical_package_id", BARE);
	put("5", "cpu%d/topology/core_id", BARE);
	put("0", "cpu%d/topology/physical_package_id", BROKEN);
	put("0", "cpu%d/topology/core_id", BROKEN);
	put("what", "cpu%d/cache/index0/level", BROKEN);
	put("sort", "71/comm");
	put("a name of 15 by", "1234567/comm");
	return 0;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int teardown(void **state)
{
	(void)state;
	return nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* "label*cpus" of each line, in order; or "-errno of CPU". */
static const char *labels(enum aggr_mode mode, int level, const char *list)
{
	static char text[512];
	struct pmcgrp_cpus cpus;
	struct aggr aggr;
	char label[64];
	size_t used = 0;
	unsigned int i;
	int bad, ret;

	assert_int_equal(pmcgrp_cpus_parse(&cpus, list, NULL), 0);
	ret = aggr_init_cache(&aggr, mode, level, &cpus, folder, &bad);
	text[0] = '\0';
	if (ret < 0)
		snprintf(text, sizeof(text), "%d of %d", ret, bad);
	for (i = 0; ret >= 0 && i < aggr.nr; i++) {
		aggr_label(&aggr, aggr.order[i], label, sizeof(label));
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s*%u", i ? " " : "",
					 label, aggr.lines[aggr.order[i]].nr_cpus);
	}
	if (ret >= 0)
		aggr_free(&aggr);
	return text;
}

/* Each CPU on one line, and none on two. */
static void cpus(void **state)
{
	static const struct {
		enum aggr_mode mode;
		int level;
		const char *cpus;
		const char *labels;
	} rows[] = {
		{ AGGR_DIE, 0, "0-7", "S0-D0*2 S0-D1*2 S1-D0*2 S1-D1*2" },
		{ AGGR_DIE, 0, "7,0,7,0-1", "S0-D0*2 S1-D1*1" },
		{ AGGR_DIE, 0, "20", "S0-D0*1" },
		{ AGGR_CORE, 0, "0-3", "S0-D0-C0*2 S0-D1-C0*2" },
		{ AGGR_CLUSTER, 0, "0-7", "S0-D0-CLS0*2 S0-D1-CLS8*2 S1-D0-CLS16*2 S1-D1-CLS24*2" },
		{ AGGR_CLUSTER, 0, "20", "S0-D0-CLS0*1" },
		{ AGGR_CACHE, 0, "0-7", "S0-D0-L3-ID0*2 S0-D1-L3-ID2*2 S1-D0-L3-ID4*2 S1-D1-L3-ID6*2" },
		{ AGGR_CACHE, 3, "3", "S0-D1-L3-ID2*1" },
		{ AGGR_CACHE, 2, "0-1", "S0-D0-L2-ID0*1 S0-D0-L2-ID1*1" },
		{ AGGR_CACHE, 1, "0,2", "S0-D0-L1-ID0*1 S0-D1-L1-ID2*1" },
		{ AGGR_CACHE, 4, "0", "-2 of 0" },
		{ AGGR_CACHE, 0, "0,20", "-2 of 20" },
		{ AGGR_CACHE, 0, "21", "-22 of 21" },
		{ AGGR_NODE, 0, "0-7", "N0*4 N2*4" },
		{ AGGR_NODE, 0, "5,20", "N0*1 N2*1" },
		{ AGGR_NODE, 0, "99", "-2 of 99" },
		{ AGGR_DIE, 0, "99", "-2 of 99" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(labels(rows[i].mode, rows[i].level, rows[i].cpus),
				    rows[i].labels);
}

/* A line for each, whatever they have: read by name, told apart by number. */
static void threads(void **state)
{
	static const int tids[] = { 1234567, 71, 80 };
	struct aggr aggr;
	char label[64];

	(void)state;
	assert_int_equal(aggr_init_threads(&aggr, tids, 3, folder), 0);
	assert_int_equal(aggr.nr, 3);
	aggr_label(&aggr, 0, label, sizeof(label));
	assert_string_equal(label, "a name of 15 by-1234567");
	aggr_label(&aggr, 1, label, sizeof(label));
	assert_string_equal(label, "sort-71");
	aggr_label(&aggr, 2, label, sizeof(label));
	assert_string_equal(label, ":80-80");
	assert_int_equal(aggr.order[0], 1);
	assert_int_equal(aggr.order[1], 2);
	assert_int_equal(aggr.order[2], 0);
	aggr_free(&aggr);
}

/* ---- What is printed ---- */

struct fixture {
	struct aggr aggr;
	struct counter_set set;
	struct report report;
	struct counter counters[2];
	struct perf_event_attr attrs[2];
};

/* Two events; line n in order has n times 7, and n times 8, from 0 on. */
static void fill(struct fixture *x)
{
	unsigned int i, k;

	x->counters[0] = (struct counter){ .name = (char *)"cs", .supported = true,
					   .attr = &x->attrs[0], .unit = (char *)"",
					   .scale = 1.0, .nr_boxes = 1 };
	x->attrs[0].type = PERF_TYPE_SOFTWARE;
	x->attrs[0].config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	x->counters[1] = x->counters[0];
	x->counters[1].name = (char *)"faults";
	x->counters[1].sum = 1;
	x->set.aggr = &x->aggr;
	x->set.counters = x->counters;
	x->set.nr = 2;
	x->set.nr_lines = x->aggr.nr;
	x->set.counts = calloc(x->aggr.nr * 2, sizeof(*x->set.counts));
	for (i = 0; i < x->aggr.nr; i++) {
		for (k = 0; k < 2; k++)
			counts_update(counter_counts(&x->set, x->aggr.order[i], k),
				      (struct reading){ i * (7 + k), 1000, 1000 });
	}
	x->report.set = &x->set;
	x->report.subject = "x";
	x->report.runs = 1;
	x->report.separator = ",";
	x->report.interval = true;
	x->report.columns = true;
	x->report.timestamp = 0.5;
}

static void print_json(FILE *file, const struct report *report)
{
	assert_int_equal(report_json(file, report), 0);
}

static void expect(void (*print)(FILE *, const struct report *), struct fixture *x,
		   const char *expected)
{
	size_t size;
	char *text;
	FILE *file = open_memstream(&text, &size);

	fill(x);
	print(file, &x->report);
	fclose(file);
	assert_string_equal(text, expected);
	free(text);
	free(x->set.counts);
	aggr_free(&x->aggr);
}

static void expect_cpus(void (*print)(FILE *, const struct report *), enum aggr_mode mode,
			const char *list, const char *expected)
{
	struct fixture x = { 0 };
	struct pmcgrp_cpus set;
	int bad;

	assert_int_equal(pmcgrp_cpus_parse(&set, list, NULL), 0);
	assert_int_equal(aggr_init(&x.aggr, mode, &set, folder, &bad), 0);
	expect(print, &x, expected);
}

static void lines_of_cpus(void **state)
{
#define REST "\"unit\": \"\", \"event\": \"cs\", \"event-runtime\": 1000, " \
	     "\"pcnt-running\": 100.0, \"metric-value\": 0.0, \"metric-unit\": \"\"}\n"
#define FAULTS "\"unit\": \"\", \"event\": \"faults\", \"event-runtime\": 1000, " \
	       "\"pcnt-running\": 100.0, \"metric-value\": 0.0, \"metric-unit\": \"\"}\n"
	(void)state;
	expect_cpus(report_human, AGGR_DIE, "0-2",
		    "#           time die          cpus             counts unit events\n"
		    "     0.500000000 S0-D0           2                  0      cs\n"
		    "     0.500000000 S0-D0           2                  0      faults\n"
		    "     0.500000000 S0-D1           1                  7      cs\n"
		    "     0.500000000 S0-D1           1                  8      faults\n");
	expect_cpus(report_human, AGGR_CACHE, "0",
		    "#           time cache                  cpus             counts unit events\n"
		    "     0.500000000 S0-D0-L3-ID0              1                  0      cs\n"
		    "     0.500000000 S0-D0-L3-ID0              1                  0      faults\n");
	expect_cpus(report_human, AGGR_NODE, "5",
		    "#           time node   cpus             counts unit events\n"
		    "     0.500000000 N2        1                  0      cs\n"
		    "     0.500000000 N2        1                  0      faults\n");
	expect_cpus(report_human, AGGR_CLUSTER, "2",
		    "#           time cluster              cpus             counts unit events\n"
		    "     0.500000000 S0-D1-CLS8              1                  0      cs\n"
		    "     0.500000000 S0-D1-CLS8              1                  0      faults\n");
	expect_cpus(report_csv, AGGR_NODE, "0,5",
		    "     0.500000000,N0,1,0,,cs,1000,100.00,,\n"
		    "     0.500000000,N0,1,0,,faults,1000,100.00,,\n"
		    "     0.500000000,N2,1,7,,cs,1000,100.00,,\n"
		    "     0.500000000,N2,1,8,,faults,1000,100.00,,\n");
	expect_cpus(print_json, AGGR_CACHE, "0",
		    "{\"interval\": 0.5, \"cache\": \"S0-D0-L3-ID0\", \"aggregate-number\": 1, "
		    "\"counter-value\": \"0.000000\", " REST
		    "{\"interval\": 0.5, \"cache\": \"S0-D0-L3-ID0\", \"aggregate-number\": 1, "
		    "\"counter-value\": \"0.000000\", " FAULTS);
	expect_cpus(print_json, AGGR_DIE, "0",
		    "{\"interval\": 0.5, \"die\": \"S0-D0\", \"aggregate-number\": 1, "
		    "\"counter-value\": \"0.000000\", " REST
		    "{\"interval\": 0.5, \"die\": \"S0-D0\", \"aggregate-number\": 1, "
		    "\"counter-value\": \"0.000000\", " FAULTS);
}

static void expect_threads(void (*print)(FILE *, const struct report *), bool hide_zero,
			   const char *expected)
{
	static const int tids[] = { 71, 1234567 };
	struct fixture x = { 0 };

	assert_int_equal(aggr_init_threads(&x.aggr, tids, 2, folder), 0);
	x.report.hide_zero = hide_zero;
	expect(print, &x, expected);
}

/* Event by event; of all threads those that have something. */
static void lines_of_threads(void **state)
{
	(void)state;
	expect_threads(report_human, false,
		       "#           time             comm-pid                 counts unit events\n"
		       "     0.500000000             sort-71                       0      cs\n"
		       "     0.500000000  a name of 15 by-1234567                  7      cs\n"
		       "     0.500000000             sort-71                       0      faults\n"
		       "     0.500000000  a name of 15 by-1234567                  8      faults\n");
	expect_threads(report_csv, true,
		       "     0.500000000,a name of 15 by-1234567,7,,cs,1000,100.00,,\n"
		       "     0.500000000,a name of 15 by-1234567,8,,faults,1000,100.00,,\n");
	expect_threads(print_json, true,
		       "{\"interval\": 0.5, \"thread\": \"a name of 15 by-1234567\", "
		       "\"counter-value\": \"7.000000\", " REST
		       "{\"interval\": 0.5, \"thread\": \"a name of 15 by-1234567\", "
		       "\"counter-value\": \"8.000000\", " FAULTS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpus),
		cmocka_unit_test(threads),
		cmocka_unit_test(lines_of_cpus),
		cmocka_unit_test(lines_of_threads),
	};

	return cmocka_run_group_tests_name("topology", tests, setup, teardown);
}
