// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* perf's tables of events: a small one of the test's own. test_table_all.c has the real ones. */
#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "event/event_table.h"

#define COLUMNS									\
	"\"event_columns\":[\"name\",\"terms\",\"desc\",\"later\",\"unit\",\"scale\","	\
	"\"per_pkg\",\"deprecated\",\"long_desc\",\"topic\",\"counter\",\"errata\",\"compat\"],"
#define METRIC_COLUMNS								\
	"\"metric_columns\":[\"name\",\"expr\",\"groups\",\"constraint\",\"unit\",\"scale\","	\
	"\"threshold\",\"desc\"],"
#define HEAD "{\"format\":1,\"model\":\"small\"," COLUMNS METRIC_COLUMNS

static const char small[] =
	HEAD "\"events\":{"
	"\"uncore_cbox\":[[\"clocks\",\"event=0\",null,null,\"MiB\",6.1e-5,true]],"
	"\"default_core\":[[\"b.two\",\"event=0xc0,umask=0x1\",\"Two\",[1],null,null,null,true,"
	"\"Two things\",\"cache\",\"0,1\",\"E1\"],[\"a.one\",\"event=2\"]],"
	"\"cpu_atom\":[[\"b.two\",\"event=3\"]]},"
	"\"metrics\":{\"default_core\":["
	"[\"ipc\",\"b.two / a.one\",\"Basic;Pipeline\",\"NO_GROUP_EVENTS_NMI\",\"%\",100,"
	"\"ipc < 1\",\"Work\"],[\"busy\",\"a.one\",\"pipeline\"],[\"alone\",\"1\"]]},"
	"\"groups\":{\"Basic\":\"The first\"}}";

static const char sys[] =
	HEAD "\"events\":{\"soc,ddr\":["
	"[\"reads\",\"eventid=1\",null,null,null,null,null,null,null,null,null,null,\"rev-2\"],"
	"[\"reads\",\"eventid=0\",null,null,null,null,null,null,null,null,null,null,\"rev-1.*\"]]},"
	"\"metrics\":{},\"groups\":{}}";

static const char map[] =
	"GenuineIntel-6-(1|2)\tsmall\n"
	"GenuineIntel-6-55-[01]\tother/deep\n"
	"GenuineIntel-6-7\tabsent\n"
	"0x00000000410fd0c0\tsmall\n";

static char root[] = "/tmp/pmcgrp-test-table-XXXXXX";
static struct failure failure;

static void put(const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_not_equal(fputs(text, file), EOF);
	assert_int_equal(fclose(file), 0);
}

static int begin_all(void **state)
{
	static const char *const folders[] = {
		"", "/events", "/events/x86", "/events/arm64", "/events/x86/other"
	};
	char path[128];
	size_t i;

	(void)state;
	if (!mkdtemp(root))
		return -1;
	for (i = 1; i < ARRAY_SIZE(folders); i++) {
		snprintf(path, sizeof(path), "%s%s", root, folders[i]);
		if (mkdir(path, 0755))
			return -1;
	}
	put("events/README", "");
	put("events/x86/map", map);
	put("events/x86/small.json", small);
	put("events/x86/other/deep.json", HEAD "\"events\":{},\"metrics\":{},\"groups\":{}}");
	put("events/arm64/sys.json", sys);
	return setenv("PMCGRP_SHARE", root, 1);
}

static int end_all(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command);
}

static struct event_table *opened(const char *cpuid)
{
	struct event_table *table = NULL;

	if (event_table_open(&table, NULL, "x86", cpuid, &failure))
		fail_msg("%s: %s", cpuid, failure.text);
	return table;
}

static void every_field(void **state)
{
	struct event_table *table = opened("GenuineIntel-6-1-4");
	const struct event_table_entry *e;

	(void)state;
	assert_string_equal(event_table_model(table), "small");
	e = event_table_find(table, EVENT_TABLE_CORE, "B.Two");
	assert_non_null(e);
	assert_string_equal(e->name, "b.two");
	assert_string_equal(e->pmu, "default_core");
	assert_string_equal(e->terms, "event=0xc0,umask=0x1");
	assert_string_equal(e->desc, "Two");
	assert_string_equal(e->long_desc, "Two things");
	assert_string_equal(e->topic, "cache");
	assert_string_equal(e->counter, "0,1");
	assert_string_equal(e->errata, "E1");
	assert_null(e->unit);
	assert_null(e->compat);
	assert_true(e->scale == 1 && e->deprecated && !e->per_pkg);
	e = event_table_find(table, "uncore_cbox_3", "clocks");
	assert_non_null(e);
	assert_string_equal(e->unit, "MiB");
	assert_true(e->scale == 6.1e-5 && e->per_pkg && !e->deprecated);
	assert_null(e->desc);
	event_table_close(table);
}

static void in_order(void **state)
{
	static const char *const names[][2] = {
		{ "cpu_atom", "b.two" },
		{ "default_core", "a.one" },
		{ "default_core", "b.two" },
		{ "uncore_cbox", "clocks" },
	};
	struct event_table *table = opened("GenuineIntel-6-2");
	size_t i;

	(void)state;
	assert_int_equal(event_table_nr(table), ARRAY_SIZE(names));
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		assert_string_equal(event_table_entry(table, i)->pmu, names[i][0]);
		assert_string_equal(event_table_entry(table, i)->name, names[i][1]);
	}
	assert_null(event_table_entry(table, i));
	event_table_close(table);
}

static void by_name(void **state)
{
	struct event_table *table = opened("GenuineIntel-6-1-4");
	const struct event_table_entry *e;

	(void)state;
	/* Of all PMUs, one after the other. */
	e = event_table_find(table, NULL, "b.two");
	assert_ptr_equal(e, event_table_entry(table, 0));
	e = event_table_find_next(table, e, NULL);
	assert_ptr_equal(e, event_table_entry(table, 2));
	assert_null(event_table_find_next(table, e, NULL));
	e = event_table_find(table, "cpu_atom", "b.two");
	assert_ptr_equal(e, event_table_entry(table, 0));
	assert_null(event_table_find_next(table, e, "cpu_atom"));
	assert_null(event_table_find(table, "uncore_cbox", "b.two"));
	assert_null(event_table_find(table, "uncore_sbox", "clocks"));
	assert_null(event_table_find(table, NULL, "b.tw"));
	assert_null(event_table_find(table, NULL, "b.two2"));
	assert_null(event_table_find(table, NULL, ""));
	event_table_close(table);
}

static void metrics(void **state)
{
	struct event_table *table = opened("GenuineIntel-6-1-4");
	const struct event_table_metric *m;

	(void)state;
	assert_int_equal(event_table_nr_metrics(table), 3);
	m = event_table_find_metric(table, NULL, "IPC");
	assert_non_null(m);
	assert_ptr_equal(m, event_table_metric(table, 2));
	assert_string_equal(m->name, "ipc");
	assert_string_equal(m->pmu, "default_core");
	assert_string_equal(m->expr, "b.two / a.one");
	assert_string_equal(m->groups, "Basic;Pipeline");
	assert_string_equal(m->threshold, "ipc < 1");
	assert_string_equal(m->unit, "%");
	assert_string_equal(m->desc, "Work");
	assert_true(m->scale == 100 && m->constraint == EVENT_TABLE_NO_GROUP_NMI);
	assert_null(event_table_find_metric(table, m, "ipc"));
	/* Both that have the group, whatever its case; not what only begins so. */
	m = event_table_find_group(table, NULL, "Pipeline");
	assert_string_equal(m->name, "busy");
	assert_int_equal(m->constraint, EVENT_TABLE_GROUP);
	m = event_table_find_group(table, m, "Pipeline");
	assert_string_equal(m->name, "ipc");
	assert_null(event_table_find_group(table, m, "Pipeline"));
	assert_null(event_table_find_group(table, NULL, "Pipe"));
	assert_null(event_table_find_group(table, NULL, "Basic;Pipeline2"));
	assert_string_equal(event_table_group_desc(table, "Basic"), "The first");
	assert_null(event_table_group_desc(table, "Pipeline"));
	event_table_close(table);
}

static void of_systems(void **state)
{
	const struct event_table_entry *e;
	struct event_table *table;

	(void)state;
	assert_int_equal(event_table_open_sys(&table, NULL, "arm64", &failure), 0);
	e = event_table_find(table, "soc3_ddr1", "reads");
	assert_non_null(e);
	assert_string_equal(e->compat, "rev-1.*");
	e = event_table_find_next(table, e, "soc3_ddr1");
	assert_string_equal(e->compat, "rev-2");
	assert_null(event_table_find_next(table, e, "soc3_ddr1"));
	event_table_close(table);
	assert_int_equal(event_table_open_sys(&table, NULL, "x86", &failure), -ENODEV);
}

static void not_there(void **state)
{
	static const struct {
		const char *folder, *arch, *cpuid;
		int ret;
		const char *said;
	} rows[] = {
		{ NULL, "x86", "GenuineIntel-6-3-1", -ENODEV, "the CPU GenuineIntel-6-3-1" },
		{ NULL, "x86", "GenuineIntel-6-55-2", -ENODEV, "no model" },
		{ NULL, "x86", "GenuineIntel-6-55", -ENODEV, "no model" },
		{ NULL, "x86", "", -ENODEV, "no model" },
		{ NULL, "x86", "GenuineIntel-6-7-1", -ENOENT, "x86/absent.json: No such file" },
		{ NULL, "mips", "x", -ENOENT, "mips/map: No such file" },
		{ "/nonexistent", "x86", "x", -ENOENT, "/nonexistent/x86/map" },
	};
	struct event_table *table = NULL;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_row(i, event_table_open(&table, rows[i].folder, rows[i].arch, rows[i].cpuid,
					       &failure) == rows[i].ret);
		assert_row(i, strstr(failure.text, rows[i].said));
		assert_null(table);
	}
	assert_int_equal(setenv("PMCGRP_SHARE", "/nonexistent", 1), 0);
	assert_int_equal(event_table_open(&table, NULL, "x86", "x", &failure), -ENOENT);
	assert_non_null(strstr(failure.text, "linux-source"));
	assert_non_null(strstr(failure.text, "make events install"));
	assert_int_equal(event_table_open_sys(&table, NULL, NULL, &failure), -ENOENT);
	assert_int_equal(setenv("PMCGRP_SHARE", root, 1), 0);
}

#define EVENTS(text) HEAD "\"events\":{\"p\":[" text "]},\"metrics\":{},\"groups\":{}}"
#define METRICS(text) HEAD "\"events\":{},\"metrics\":{\"p\":[" text "]},\"groups\":{}}"

static const struct {
	const char *text, *said;
} malformed[] = {
	{ "", "line 1 column 0" },
	{ "[]", "format" },
	{ "{\"format\":1}", "no model" },
	{ "{\"format\":2,\"model\":\"x\"}", "format is not 1" },
	{ "{\"format\":1,\"model\":\"x\",\n\"events\":{},}", "line 2 column" },
	{ "{\"format\":1,\"model\":\"x\",\"events\":{}}", "no array of columns" },
	{ "{\"format\":1,\"model\":\"x\",\"event_columns\":[1],\"events\":{}}",
	  "a column without a name" },
	{ HEAD "\"metrics\":{},\"groups\":{}}", "no object of PMUs" },
	{ HEAD "\"events\":{},\"metrics\":{}}", "no object of groups" },
	{ HEAD "\"events\":{},\"metrics\":{},\"groups\":{\"g\":1}}", "group g is no string" },
	{ HEAD "\"events\":{\"p\":1},\"metrics\":{},\"groups\":{}}", "p is no array" },
	{ EVENTS("1"), "p: an event or metric is no array" },
	{ EVENTS("[\"a\"]"), "without terms" },
	{ EVENTS("[null,\"event=1\"]"), "without name" },
	{ EVENTS("[\"a\",1]"), "element 1, terms" },
	{ EVENTS("[\"a\",\"b\",null,null,null,\"1\"]"), "element 5, scale" },
	{ EVENTS("[\"a\",\"b\",null,null,null,1,1]"), "element 6, per_pkg" },
	{ EVENTS("[\"a\",\"b\",1,2,3,4,5,6,7,8,9,10,11,12]"), "element 2, desc" },
	{ EVENTS("[\"a\",\"b\",null,0,null,null,null,null,null,null,null,null,null,0]"),
	  "more values than columns" },
	{ EVENTS("[\"a\\u0000b\",\"b\"]"), "line 1 column" },
	{ METRICS("[\"a\"]"), "without expr" },
	{ METRICS("[\"a\",\"b\",null,\"NEVER\"]"), "element 3, constraint" },
	{ METRICS("[\"a\",\"b\",null,1]"), "element 3, constraint" },
};

static void refused(void **state)
{
	static const char *const maps[] = {
		"x", "x\t", "\tx", "x\t/etc/x", "x\t../x", "x\tx\ty", "x\\1\tx", "x{9}{9}\tx",
		"x{1000}\tx", "(x+)+\tx", "x++\tx", "y\n\nx y\tz z"
	};
	struct event_table *table = NULL;
	size_t i;

	(void)state;
	put("events/x86/map", "x\tbroken\n");
	for (i = 0; i < ARRAY_SIZE(malformed); i++) {
		put("events/x86/broken.json", malformed[i].text);
		assert_row(i, event_table_open(&table, NULL, "x86", "x", &failure) == -EINVAL);
		assert_row(i, strstr(failure.text, "x86/broken.json: "));
		assert_row(i, strstr(failure.text, malformed[i].said));
		assert_null(table);
	}
	for (i = 0; i < ARRAY_SIZE(maps); i++) {
		put("events/x86/map", maps[i]);
		assert_row(i, event_table_open(&table, NULL, "x86", "none", &failure) == -EINVAL);
		assert_row(i, strstr(failure.text, "x86/map line "));
	}
	assert_non_null(strstr(failure.text, "line 1"));
	put("events/x86/map", map);
}

static void of_this_cpu(void **state)
{
	struct event_table *table;

	(void)state;
	assert_int_equal(setenv("PERF_CPUID", "GenuineIntel-6-1-4", 1), 0);
	assert_int_equal(event_table_open(&table, NULL, "x86", NULL, &failure), 0);
	assert_string_equal(event_table_model(table), "small");
	event_table_close(table);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field),
		cmocka_unit_test(in_order),
		cmocka_unit_test(by_name),
		cmocka_unit_test(metrics),
		cmocka_unit_test(of_systems),
		cmocka_unit_test(not_there),
		cmocka_unit_test(refused),
		cmocka_unit_test(of_this_cpu),
	};

	return cmocka_run_group_tests_name("table", tests, begin_all, end_all);
}
