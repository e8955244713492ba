// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * CPUs put together by cores and sockets, over a folder that shows two sockets of two
 * cores of two threads, and what is printed of it: as perf stat 6.1 has it.
 */
#include "test.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stat/count_report.h"

#define NR_CPUS 8

static char folder[] = "/tmp/pmcgrp-test-XXXXXX";

static void put(int cpu, const char *name, int value)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/cpu%d", folder, cpu);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/cpu%d/topology", folder, cpu);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/cpu%d/topology/%s", folder, cpu, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "%d\n", value);
	fclose(file);
}

/*
 * Numbers as a PC gives them: the second threads follow all the first, the cores of
 * each socket have the same numbers, and not every number is there. CPU 20 has no
 * dies and a firmware that knows of no packages.
 */
static int setup(void **state)
{
	int cpu;

	(void)state;
	if (!mkdtemp(folder))
		return -1;
	for (cpu = 0; cpu < NR_CPUS; cpu++) {
		put(cpu, "physical_package_id", cpu / 2 % 2);
		put(cpu, "die_id", 0);
		put(cpu, "core_id", cpu % 2 ? 8 : 1);
	}
	put(20, "physical_package_id", -1);
	put(20, "core_id", 3);
	put(30, "core_id", 3);
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

static void lines(struct aggr *aggr, enum aggr_mode mode, const char *list)
{
	struct pmcgrp_cpus cpus;
	int bad;

	assert_int_equal(pmcgrp_cpus_parse(&cpus, list, NULL), 0);
	assert_int_equal(aggr_init(aggr, mode, &cpus, folder, &bad), 0);
}

/* "label*cpus" of each line, in order. */
static const char *labels(const struct aggr *aggr)
{
	static char text[512];
	char label[64];
	size_t used = 0;
	unsigned int i;

	text[0] = '\0';
	for (i = 0; i < aggr->nr; i++) {
		aggr_label(aggr, aggr->order[i], label, sizeof(label));
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s*%u",
					 i ? " " : "", label, aggr->lines[aggr->order[i]].nr_cpus);
	}
	return text;
}

static void modes(void **state)
{
	static const struct {
		enum aggr_mode mode;
		const char *cpus;
		const char *labels;
	} rows[] = {
		{ AGGR_GLOBAL, "0-7", "*0" },
		{ AGGR_NONE, "0,3,10", "CPU0*1 CPU3*1 CPU10*1" },
		{ AGGR_CORE, "0-7", "S0-D0-C1*2 S0-D0-C8*2 S1-D0-C1*2 S1-D0-C8*2" },
		{ AGGR_CORE, "3-5", "S0-D0-C1*1 S0-D0-C8*1 S1-D0-C8*1" },
		{ AGGR_SOCKET, "0-7", "S0*4 S1*4" },
		{ AGGR_SOCKET, "2,3,6", "S1*3" },
		{ AGGR_CORE, "20", "S0-D0-C3*1" },
		{ AGGR_SOCKET, "0,20", "S0*2" },
	};
	struct aggr aggr;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		lines(&aggr, rows[i].mode, rows[i].cpus);
		assert_string_equal(labels(&aggr), rows[i].labels);
		aggr_free(&aggr);
	}
}

/* A CPU that comes later has its place in the order; one that nothing is known of, too. */
static void late(void **state)
{
	struct aggr aggr;
	int line;

	(void)state;
	lines(&aggr, AGGR_CORE, "2-3");
	line = aggr_line(&aggr, 3);
	assert_int_equal(aggr_line(&aggr, 7), line);
	assert_int_equal(aggr_line(&aggr, 0), 2);
	assert_int_equal(aggr_line(&aggr, 99), 3);
	assert_int_equal(aggr_line(&aggr, 0), 2);
	assert_int_equal(aggr_line(&aggr, 3), line);
	assert_string_equal(labels(&aggr),
			    "S-1-D-1-C-1*1 S0-D0-C1*1 S1-D0-C1*1 S1-D0-C8*2");
	aggr_free(&aggr);
}

/* At the start, though, it must be known. */
static void unknown(void **state)
{
	struct pmcgrp_cpus cpus;
	struct aggr aggr;
	int bad;

	(void)state;
	assert_int_equal(pmcgrp_cpus_parse(&cpus, "0,30", NULL), 0);
	assert_int_equal(aggr_init(&aggr, AGGR_SOCKET, &cpus, folder, &bad), -ENOENT);
	assert_int_equal(bad, 30);
	assert_int_equal(aggr_init(&aggr, AGGR_NONE, &cpus, folder, &bad), 0);
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

/* Clock and faults; line n of the order has n + 1 ms and 2000 faults times that. */
static void fill(struct fixture *x, enum aggr_mode mode, const char *cpus, bool interval)
{
	unsigned int i, line;

	memset(x, 0, sizeof(*x));
	lines(&x->aggr, mode, cpus);
	x->counters[0] = (struct counter){ .name = (char *)"cpu-clock", .supported = true,
					   .attr = &x->attrs[0], .unit = (char *)"",
					   .scale = 1.0, .nr_boxes = 1 };
	x->attrs[0].type = PERF_TYPE_SOFTWARE;
	x->attrs[0].config = PERF_COUNT_SW_CPU_CLOCK;
	x->counters[1] = (struct counter){ .name = (char *)"page-faults", .supported = true,
					   .attr = &x->attrs[1], .unit = (char *)"",
					   .scale = 1.0, .sum = 1, .nr_boxes = 1 };
	x->attrs[1].type = PERF_TYPE_SOFTWARE;
	x->attrs[1].config = PERF_COUNT_SW_PAGE_FAULTS;
	x->set.aggr = &x->aggr;
	x->set.counters = x->counters;
	x->set.nr = 2;
	x->set.nr_lines = x->aggr.nr;
	x->set.counts = calloc(x->aggr.nr * 2, sizeof(*x->set.counts));
	for (i = 0; i < x->aggr.nr; i++) {
		uint64_t ms = (i + 1) * 1000000;

		line = x->aggr.order[i];
		counts_update(counter_counts(&x->set, line, 0), (struct reading){ ms, ms, ms });
		counts_update(counter_counts(&x->set, line, 1),
			      (struct reading){ ms / 500, ms, ms });
	}
	x->report.set = &x->set;
	x->report.subject = "all CPUs";
	x->report.runs = 1;
	x->report.big_num = true;
	x->report.separator = ",";
	x->report.interval = interval;
	x->report.columns = interval;
	x->report.timestamp = 1.000123456;
	stats_update(&x->report.elapsed, 0.001);
}

static void print_json(FILE *file, const struct report *report)
{
	assert_int_equal(report_json(file, report), 0);
}

static void expect(void (*print)(FILE *, const struct report *), enum aggr_mode mode,
		   const char *cpus, bool interval, const char *expected)
{
	struct fixture x;
	size_t size;
	char *text;
	FILE *file = open_memstream(&text, &size);

	fill(&x, mode, cpus, interval);
	print(file, &x.report);
	fclose(file);
	assert_string_equal(text, expected);
	free(text);
	free(x.set.counts);
	aggr_free(&x.aggr);
}

static void table(void **state)
{
	(void)state;
	/* Event by event, where each CPU has one. */
	expect(report_human, AGGR_NONE, "0,10", false,
	       "\n Counts of all CPUs:\n\n"
	       "CPU0                 1.00 msec cpu-clock                        #    1.000 CPUs utilized\n"
	       "CPU10                2.00 msec cpu-clock                        #    2.000 CPUs utilized\n"
	       "CPU0                2,000      page-faults                      #    2.000 M/sec\n"
	       "CPU10               4,000      page-faults                      #    2.000 M/sec\n"
	       "\n       0.001000000 seconds time elapsed\n\n");
	/* Line by line, where several share one. */
	expect(report_human, AGGR_CORE, "0,4,3", false,
	       "\n Counts of all CPUs:\n\n"
	       "S0-D0-C1              2               1.00 msec cpu-clock                        #    1.000 CPUs utilized\n"
	       "S0-D0-C1              2              2,000      page-faults                      #    2.000 M/sec\n"
	       "S1-D0-C8              1               2.00 msec cpu-clock                        #    2.000 CPUs utilized\n"
	       "S1-D0-C8              1              4,000      page-faults                      #    2.000 M/sec\n"
	       "\n       0.001000000 seconds time elapsed\n\n");
}

static void table_of_intervals(void **state)
{
	(void)state;
	expect(report_human, AGGR_GLOBAL, "", true,
	       "#           time             counts unit events\n"
	       "     1.000123456               1.00 msec cpu-clock                        #    1.000 CPUs utilized\n"
	       "     1.000123456              2,000      page-faults                      #    2.000 M/sec\n");
	expect(report_human, AGGR_NONE, "3", true,
	       "#           time CPU                counts unit events\n"
	       "     1.000123456 CPU3                 1.00 msec cpu-clock                        #    1.000 CPUs utilized\n"
	       "     1.000123456 CPU3                2,000      page-faults                      #    2.000 M/sec\n");
	expect(report_human, AGGR_SOCKET, "0,2", true,
	       "#           time socket cpus             counts unit events\n"
	       "     1.000123456 S0        1               1.00 msec cpu-clock                        #    1.000 CPUs utilized\n"
	       "     1.000123456 S0        1              2,000      page-faults                      #    2.000 M/sec\n"
	       "     1.000123456 S1        1               2.00 msec cpu-clock                        #    2.000 CPUs utilized\n"
	       "     1.000123456 S1        1              4,000      page-faults                      #    2.000 M/sec\n");
}

static void csv(void **state)
{
	(void)state;
	expect(report_csv, AGGR_NONE, "3,5", false,
	       "CPU3,1.00,msec,cpu-clock,1000000,100.00,1.000,CPUs utilized\n"
	       "CPU5,2.00,msec,cpu-clock,2000000,100.00,2.000,CPUs utilized\n"
	       "CPU3,2000,,page-faults,1000000,100.00,2.000,M/sec\n"
	       "CPU5,4000,,page-faults,2000000,100.00,2.000,M/sec\n");
	expect(report_csv, AGGR_SOCKET, "0,1,4", true,
	       "     1.000123456,S0,3,1.00,msec,cpu-clock,1000000,100.00,1.000,CPUs utilized\n"
	       "     1.000123456,S0,3,2000,,page-faults,1000000,100.00,2.000,M/sec\n");
	expect(report_csv, AGGR_CORE, "0", false,
	       "S0-D0-C1,1,1.00,msec,cpu-clock,1000000,100.00,1.000,CPUs utilized\n"
	       "S0-D0-C1,1,2000,,page-faults,1000000,100.00,2.000,M/sec\n");
	expect(report_csv, AGGR_GLOBAL, "", true,
	       "     1.000123456,1.00,msec,cpu-clock,1000000,100.00,1.000,CPUs utilized\n"
	       "     1.000123456,2000,,page-faults,1000000,100.00,2.000,M/sec\n");
}

static void json(void **state)
{
#define REST "\"unit\": \"\", \"event\": \"page-faults\", \"event-runtime\": 1000000, " \
	     "\"pcnt-running\": 100.0, \"metric-value\": 2.0, \"metric-unit\": \"M/sec\"}\n"
#define CLOCK "\"counter-value\": \"1.000000\", \"unit\": \"msec\", \"event\": \"cpu-clock\", " \
	      "\"event-runtime\": 1000000, \"pcnt-running\": 100.0, \"metric-value\": 1.0, " \
	      "\"metric-unit\": \"CPUs utilized\"}\n"
	(void)state;
	expect(print_json, AGGR_NONE, "3", false,
	       "{\"cpu\": \"3\", " CLOCK
	       "{\"cpu\": \"3\", \"counter-value\": \"2000.000000\", " REST);
	expect(print_json, AGGR_CORE, "0,4", false,
	       "{\"core\": \"S0-D0-C1\", \"aggregate-number\": 2, " CLOCK
	       "{\"core\": \"S0-D0-C1\", \"aggregate-number\": 2, "
	       "\"counter-value\": \"2000.000000\", " REST);
	expect(print_json, AGGR_SOCKET, "2", true,
	       "{\"interval\": 1.000123456, \"socket\": \"S1\", \"aggregate-number\": 1, " CLOCK
	       "{\"interval\": 1.000123456, \"socket\": \"S1\", \"aggregate-number\": 1, "
	       "\"counter-value\": \"2000.000000\", " REST);
	expect(print_json, AGGR_GLOBAL, "", true,
	       "{\"interval\": 1.000123456, " CLOCK
	       "{\"interval\": 1.000123456, \"counter-value\": \"2000.000000\", " REST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modes),
		cmocka_unit_test(late),
		cmocka_unit_test(unknown),
		cmocka_unit_test(table),
		cmocka_unit_test(table_of_intervals),
		cmocka_unit_test(csv),
		cmocka_unit_test(json),
	};

	return cmocka_run_group_tests_name("aggr", tests, setup, teardown);
}
