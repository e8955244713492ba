// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Metrics of the user's own, of files. */
#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "event/expression.h"
#include "event/metric_file.h"
#include "event/table_rows.h"

static struct failure failure;

static const char perfs[] =
	"{\"format\":1,\"model\":\"test\",\"event_columns\":[],\"events\":{},\"metric_columns\":"
	"[\"name\",\"expr\"],\"metrics\":{\"default_core\":[[\"ipc\",\"a / b\"],[\"twice\",\"2 * ipc\"]]},"
	"\"groups\":{}}";

static struct event_table *table_of_perf(void)
{
	struct event_table *table;

	assert_int_equal(table_read(&table, perfs, strlen(perfs), "perfs", &failure), 0);
	return table;
}

static int add(struct event_table *table, const char *text)
{
	failure.text[0] = '\0';
	return metric_file_add(table, text, strlen(text), "f.json", &failure);
}

static const struct event_table_metric *find(const struct event_table *table, const char *name)
{
	const struct event_table_metric *m = event_table_find_metric(table, NULL, name);

	assert_non_null(m);
	assert_null(event_table_find_metric(table, m, name));
	return m;
}

static void all_keys(void **state)
{
	struct event_table *table = table_of_perf();
	const struct event_table_metric *m;

	(void)state;
	assert_int_equal(add(table, "[{\"MetricName\":\"m.1\",\"MetricExpr\":\"a\\\\-b / 2\",\"MetricGroup\":"
			     "\"G;H\",\"ScaleUnit\":\"1e3per_sec\",\"BriefDescription\":\"{ \\\" {\",\n"
			     "\"PublicDescription\":\"long\",\"MetricThreshold\":\"m.1 > 2\",\n"
			     "\"MetricConstraint\":\"NO_GROUP_EVENTS_NMI\",\"MetricgroupNoGroup\":\"G\","
			     "\"DefaultMetricgroupName\":\"H\",\"AggregationMode\":\"PerCore\","
			     "\"Compat\":\"x\",\"Unit\":\"cpu_core\",\"DefaultShowEvents\":\"1\","
			     "\"Errata\":\"e\"},\n\n{\"MetricName\":\n\"n\",\"MetricExpr\":\"1\"}\n,"
			     "{\"MetricName\":\"o\",\"MetricExpr\":\"1\"}]"), 0);
	assert_int_equal(event_table_nr_metrics(table), 5);
	m = find(table, "M.1");
	assert_string_equal(m->expr, "a\\-b / 2");
	assert_string_equal(m->groups, "G;H");
	assert_true(m->scale == 1000);
	assert_string_equal(m->unit, "per_sec");
	assert_string_equal(m->desc, "{ \" {");
	assert_string_equal(m->long_desc, "long");
	assert_string_equal(m->threshold, "m.1 > 2");
	assert_int_equal(m->constraint, EVENT_TABLE_NO_GROUP_NMI);
	assert_string_equal(m->pmu, "cpu_core");
	assert_string_equal(m->file, "f.json");
	assert_int_equal(m->line, 1);
	m = find(table, "n");
	assert_string_equal(m->pmu, EVENT_TABLE_CORE);
	assert_true(m->scale == 1 && !m->unit && !m->groups);
	assert_int_equal(m->line, 5);
	assert_int_equal(find(table, "o")->line, 7);
	assert_null(find(table, "ipc")->file);
	assert_non_null(event_table_find_group(table, NULL, "h"));
	event_table_close(table);
}

/* The last file's metric is the one, also for those that refer to it. */
static void precedence(void **state)
{
	struct event_table *table = table_of_perf();
	const struct metric_env env = { .table = table, .pmu = EVENT_TABLE_CORE };
	const struct metric_value six = { .value = 6, .sources = 1 };
	struct metric *metric;

	(void)state;
	assert_int_equal(add(table, "[{\"MetricName\":\"IPC\",\"MetricExpr\":\"x\"}]"), 0);
	assert_int_equal(add(table, "[]"), 0);
	assert_int_equal(add(table, "[{\"MetricName\":\"Ipc\",\"MetricExpr\":\"y / 3\"}]"), 0);
	assert_int_equal(event_table_nr_metrics(table), 2);
	assert_string_equal(find(table, "ipc")->expr, "y / 3");
	assert_int_equal(metric_new(&metric, "t", find(table, "twice")->expr, &env, &failure), 0);
	assert_int_equal(metric_nr_ids(metric), 1);
	assert_string_equal(metric_id(metric, 0), "y");
	assert_true(metric_eval(metric, &six) == 4);
	metric_free(metric);
	event_table_close(table);
}

#define NAME "[\n{\"MetricName\":\"m\","

static void wrong(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "", "f.json:1: column 0: " },
		{ "[\n{\n", "f.json:3: column 0: " },
		{ "[{\"a\":1,\"a\":2}]", "f.json:1: column 11: duplicate object key" },
		{ "[]x", "f.json:1: column 3: end of file expected" },
		{ "{}", "f.json:1: an array of metrics is expected" },
		{ "[1]", "f.json:1: element 0 of the array is no object" },
		{ "[{\"MetricName\":\"a\",\"MetricExpr\":\"1\"},[]]", "element 1 of the array is no" },
		{ "[\n\n{}]", "f.json:3: a metric without \"MetricName\"" },
		{ "[{\"MetricName\":\"\",\"MetricExpr\":\"1\"}]", "without \"MetricName\"" },
		{ "[{\"MetricName\":\"a b\",\"MetricExpr\":\"1\"}]", "f.json:1: metric a b: the name" },
		{ NAME "\"MetricGroup\":\"g\"}]", "f.json:2: metric m: it has no \"MetricExpr\"" },
		{ NAME "\"MetricExpr\":1}]", "metric m: the value of \"MetricExpr\" is no string" },
		{ NAME "\"MetricExpr\":\"\"}]", "metric m: MetricExpr: metric expression, column 1" },
		{ NAME "\"MetricExpr\":\"a +\"}]", "f.json:2: metric m: MetricExpr: metric expr" },
		{ NAME "\"MetricExpr\":\"1\",\"MetricThreshold\":\"1 >\"}]", "m: MetricThreshold: " },
		{ NAME "\"MetricExpr\":\"1\",\"ScaleUnit\":\"%\"}]", "ScaleUnit is a factor and a unit" },
		{ NAME "\"MetricExpr\":\"1\",\"ScaleUnit\":\"0x\"}]", "ScaleUnit is a factor and a unit" },
		{ NAME "\"MetricExpr\":\"1\",\"MetricConstraint\":\"x\"}]", "NO_GROUP_EVENTS_SMT, not \"x\"" },
		{ NAME "\"MetricExpr\":\"1\",\"MetricExp\":\"1\"}]",
		  "metric m: no key of a metric is \"MetricExp\": did you mean 'MetricExpr'?" },
		{ "[{\"EventName\":\"e\",\"EventCode\":\"1\"}]", "f.json:1: it is an event" },
		{ NAME "\"MetricExpr\":\"1\"},\n{\"MetricName\":\"M\",\"MetricExpr\":\"1\"}]",
		  "f.json:3: metric M: there is one of this name in line 2" },
	};
	struct event_table *table = table_of_perf();
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (add(table, rows[i].text) != -EINVAL || !strstr(failure.text, rows[i].says))
			fail_msg("%s: %s", rows[i].text, failure.text);
		assert_int_equal(event_table_nr_metrics(table), 2);
	}
	event_table_close(table);
}

static void put(const char *root, const char *name, const char *text)
{
	char path[128];
	FILE *out;

	snprintf(path, sizeof(path), "%s/pmcgrp/%s", root, name);
	out = fopen(path, "we");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

/* Without perf's tables, and with files of one's own that are there, are not, or are too long. */
static void files(void **state)
{
	char root[] = "/tmp/pmcgrp-test-XXXXXX", path[128], line[128];
	const char *more[2] = { path, "/dev/zero" };
	struct event_table *table;

	(void)state;
	assert_non_null(mkdtemp(root));
	setenv("PMCGRP_SHARE", "/nonexistent", 1);
	setenv("XDG_CONFIG_HOME", root, 1);
	assert_int_equal(metric_files_open(&table, NULL, 0, &failure), -ENOENT);
	assert_non_null(strstr(failure.text, "not installed"));
	snprintf(path, sizeof(path), "%s/pmcgrp", root);
	assert_int_equal(mkdir(path, 0755), 0);
	put(root, "metrics.json", "[{\"MetricName\":\"a\",\"MetricExpr\":\"1\"},"
				  "{\"MetricName\":\"b\",\"MetricExpr\":\"1\"}]");
	assert_int_equal(metric_files_open(&table, NULL, 0, &failure), 0);
	assert_int_equal(event_table_nr_metrics(table), 2);
	assert_non_null(strstr(event_table_missing(table), "not installed"));
	event_table_close(table);
	snprintf(path, sizeof(path), "%s/pmcgrp/more.json", root);
	put(root, "more.json", "[{\"MetricName\":\"b\",\"MetricExpr\":\"2\"}]");
	assert_int_equal(metric_files_open(&table, more, 1, &failure), 0);
	assert_int_equal(event_table_nr_metrics(table), 2);
	assert_string_equal(find(table, "b")->expr, "2");
	event_table_close(table);
	/* Where HOME alone is set. */
	unsetenv("XDG_CONFIG_HOME");
	setenv("HOME", root, 1);
	assert_int_equal(metric_files_open(&table, more, 1, &failure), 0);
	assert_int_equal(event_table_nr_metrics(table), 1);
	event_table_close(table);
	assert_int_equal(metric_files_open(&table, more, 2, &failure), -EFBIG);
	more[1] = "/nonexistent/x.json";
	assert_int_equal(metric_files_open(&table, more, 2, &failure), -ENOENT);
	assert_non_null(strstr(failure.text, "/nonexistent/x.json"));
	more[1] = root;
	assert_int_equal(metric_files_open(&table, more, 2, &failure), -EIO);
	put(root, "more.json", "[{\"MetricName\":\"b\"}]");
	assert_int_equal(metric_files_open(&table, more, 1, &failure), -EINVAL);
	assert_non_null(strstr(failure.text, "more.json:1: metric b: it has no"));
	snprintf(line, sizeof(line), "rm -r %s", root);
	assert_int_equal(system(line), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_keys),
		cmocka_unit_test(precedence),
		cmocka_unit_test(wrong),
		cmocka_unit_test(files),
	};

	return cmocka_run_group_tests_name("metric_file", tests, NULL, NULL);
}
