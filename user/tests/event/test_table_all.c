// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* All of perf's tables, where they were built: each model, and what a count elsewhere says. */
#include "test.h"

#include <libgen.h>
#include <time.h>
#include <unistd.h>

#include "event/expression.h"
#include "event/event_table.h"

static char *folder;	/* of the tables; NULL: they were not built */

static struct failure failure;
static unsigned int nr_expressions;	/* of metrics and of their thresholds */

/* A name and a value, or a name alone. */
static bool is_term(const char *term, size_t len)
{
	const char *value = memchr(term, '=', len);
	size_t name = value ? (size_t)(value - term) : len;
	char *end;

	if (!name || strspn(term, "abcdefghijklmnopqrstuvwxyz0123456789_") < name)
		return false;
	if (!value)
		return true;
	strtoull(value + 1, &end, 0);
	return end == term + len && end > value + 1;
}

static bool are_terms(const char *terms)
{
	size_t len;

	for (;;) {
		len = strcspn(terms, ",");
		if (!is_term(terms, len))
			return false;
		if (!terms[len])
			return true;
		terms += len + 1;
	}
}

static void check_entries(const struct event_table *table)
{
	size_t i;

	for (i = 0; i < event_table_nr(table); i++) {
		const struct event_table_entry *e = event_table_entry(table, i);

		if (!are_terms(e->terms))
			fail_msg("%s: %s/%s/: %s", event_table_model(table), e->pmu, e->name,
				 e->terms);
		/* Each of them is found, among those of the other PMUs. */
		if (event_table_find(table, e->pmu, e->name) != e)
			fail_msg("%s: %s/%s/ is not found", event_table_model(table), e->pmu,
				 e->name);
	}
}

static double any_literal(void *data, const char *name)
{
	(void)data;
	(void)name;
	return 1;
}

static void check_expression(const struct event_table *table, const struct event_table_metric *m,
			     const char *expr, const char *cpuid)
{
	const struct metric_env env = {
		.table = table, .pmu = m->pmu, .cpuid = cpuid, .literal = any_literal
	};
	struct metric_value *values;
	struct metric *metric;
	size_t i;

	if (metric_new(&metric, expr == m->expr ? m->name : NULL, expr, &env, &failure))
		fail_msg("%s: %s: %s", event_table_model(table), m->name, failure.text);
	values = calloc(metric_nr_ids(metric) + 1, sizeof(*values));
	assert_non_null(values);
	for (i = 0; i < metric_nr_ids(metric); i++)
		values[i] = (struct metric_value){ .value = 1, .sources = 1 };
	metric_eval(metric, values);
	free(values);
	metric_free(metric);
	nr_expressions++;
}

static void check_metrics(const struct event_table *table, const char *cpuid)
{
	const struct event_table_metric *m;
	size_t i;

	for (i = 0; i < event_table_nr_metrics(table); i++) {
		m = event_table_metric(table, i);
		check_expression(table, m, m->expr, cpuid);
		if (m->threshold)
			check_expression(table, m, m->threshold, cpuid);
	}
}

/* How many models there were. */
static unsigned int check_models(const char *arch)
{
	char own[] = __FILE__, command[4096], cpuid[128], model[128];
	unsigned int events, metrics, nr = 0;
	struct event_table *table;
	FILE *count;

	snprintf(command, sizeof(command), "python3 -B '%s/count_events.py' '%s' %s", dirname(own),
		 getenv("PMU_EVENTS"), arch);
	count = popen(command, "r");
	assert_non_null(count);
	while (fscanf(count, "%127s %127s %u %u", cpuid, model, &events, &metrics) == 4) {
		if (event_table_open(&table, folder, arch, cpuid, &failure))
			fail_msg("%s: %s", cpuid, failure.text);
		print_message("%s %s: %zu events, %zu metrics\n", arch, event_table_model(table),
			      event_table_nr(table), event_table_nr_metrics(table));
		assert_string_equal(event_table_model(table), model);
		assert_int_equal(event_table_nr(table), events);
		assert_int_equal(event_table_nr_metrics(table), metrics);
		check_entries(table);
		check_metrics(table, cpuid);
		event_table_close(table);
		nr++;
	}
	assert_int_equal(pclose(count), 0);
	return nr;
}

static void every_model(void **state)
{
	(void)state;
	if (!folder || !getenv("PMU_EVENTS"))
		skip();
	assert_true(check_models("x86") > 30);
	assert_true(check_models("arm64") > 20);
	print_message("%u expressions of metrics\n", nr_expressions);
	assert_true(nr_expressions > 6000);
}

static void every_system(void **state)
{
	struct event_table *table;
	size_t i;

	(void)state;
	if (!folder)
		skip();
	assert_int_equal(event_table_open_sys(&table, folder, "arm64", &failure), 0);
	assert_true(event_table_nr(table) > 0);
	for (i = 0; i < event_table_nr(table); i++) {
		const struct event_table_entry *e = event_table_entry(table, i);

		assert_true(are_terms(e->terms));
		assert_non_null(e->compat);
	}
	check_metrics(table, "0x00000000410fd0c0");
	event_table_close(table);
}

/* What every command pays that names an event: said, not judged. */
static void how_long(void **state)
{
	struct event_table *table;
	struct timespec t[2];

	(void)state;
	if (!folder)
		skip();
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t[0]);
	assert_int_equal(event_table_open(&table, folder, "x86", "GenuineIntel-6-55-4", &failure),
			 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t[1]);
	print_message("skylakex: %zu events read in %.1f ms\n", event_table_nr(table),
		      (t[1].tv_sec - t[0].tv_sec) * 1e3 + (t[1].tv_nsec - t[0].tv_nsec) / 1e6);
	event_table_close(table);
}

static int begin_all(void **state)
{
	const char *build = getenv("BUILD");

	(void)state;
	if (!build || asprintf(&folder, "%s/share/pmcgrp/events/README", build) < 0)
		return 0;
	if (access(folder, R_OK)) {
		free(folder);
		folder = NULL;
	} else {
		*strrchr(folder, '/') = '\0';
	}
	return 0;
}

static int end_all(void **state)
{
	(void)state;
	free(folder);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_model),
		cmocka_unit_test(every_system),
		cmocka_unit_test(how_long),
	};

	return cmocka_run_group_tests_name("table_all", tests, begin_all, end_all);
}
