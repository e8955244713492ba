// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Expressions of metrics: their value, the events they need, what is refused. */
#include "test.h"

#include <math.h>
#include <unistd.h>

#include "event/expression.h"
#include "event/table_rows.h"

static struct failure failure;

static double literal(void *data, const char *name)
{
	(void)data;
	if (!strcmp(name, "#smt_on"))
		return 1;
	if (!strcmp(name, "#zero"))
		return 0;
	return !strcmp(name, "#num-4") ? 4 : NAN;
}

static bool has_event(void *data, const char *id)
{
	(void)data;
	return id[0] == 'F';
}

static struct metric_env env = {
	.cpuid = "GenuineIntel-6-55-4", .literal = literal, .has_event = has_event,
};

static struct metric *made(const char *expr)
{
	struct metric *metric = NULL;

	if (metric_new(&metric, NULL, expr, &env, &failure))
		fail_msg("%s: %s", expr, failure.text);
	return metric;
}

/* FOO is 1, BAR is 2, B,c=d is 7, others were not counted; of three PMUs, by five counts. */
static double value_of(struct metric *metric)
{
	struct metric_value values[16];
	size_t i;

	assert_true(metric_nr_ids(metric) <= ARRAY_SIZE(values));
	for (i = 0; i < metric_nr_ids(metric); i++) {
		const char *id = metric_id(metric, i);

		values[i].sources = 3;
		values[i].counts = 5;
		values[i].value = !strcmp(id, "FOO") ? 1 :
				  !strcmp(id, "BAR") ? 2 :
				  !strcmp(id, "B,c=d") ? 7 : NAN;
	}
	return metric_eval(metric, values);
}

static const struct {
	const char *expr;
	double value;
} values[] = {
	{ "1+1", 2 },
	{ "FOO+BAR", 3 },
	{ "1 - -4", 5 },
	{ "--4", 4 },
	{ "---4", -4 },
	{ "-2*3+1", -5 },
	{ "10-4-3", 3 },
	{ "2+3*4", 14 },
	{ "(2+3)*4", 20 },
	{ "16/4/2", 2 },
	{ "17%5*2", 4 },
	{ "7.9 % 2.9", 1 },
	{ "-7 % 4", -3 },
	{ "(FOO-1)*2 + (BAR/2)%2 - -4", 5 },
	{ ".5 + 2.", 2.5 },
	{ "1e3", 1000 },
	{ "1.5e-1*10", 1.5 },
	{ "1 < 2 < 3", 1 },
	{ "3 > 2 > 1", 0 },
	{ "1+1 > 1", 1 },
	{ "1 & 2 | 0", 1 },
	{ "1 | 1 ^ 1", 1 },	/* | binds least */
	{ "1 ^ 1 & 0", 1 },
	{ "2 ^ 3", 0 },
	{ "0 & 1 | 2", 1 },
	{ "1 < 2 & 2 < 1", 0 },
	{ "min(1,2) + 1", 2 },
	{ "max(1, BAR*3)", 6 },
	{ "min(max(1, 2), 3)", 2 },
	{ "d_ratio(1, 2)", 0.5 },
	{ "d_ratio(FOO, 0)", 0 },
	{ "1 if 3*4 else 0", 1 },
	{ "100 if 0 else 200 if 0 else 300", 300 },
	{ "100 if 0 else 200 if 1 else 300", 200 },
	{ "(1 if FOO > 1 else 2) + 1", 3 },
	{ "1 if BAR > 1 else 2", 1 },
	{ "5 if NONE else 6", 5 },	/* what is not known is no zero */
	{ "source_count(FOO) * 2", 6 },
	{ "aggr_nr(FOO) * 2", 10 },
	{ "has_event(FOO) + has_event(NONE)", 1 },
	{ "strcmp_cpuid_str(GenuineIntel\\-6\\-55\\-4)", 1 },
	{ "strcmp_cpuid_str(0x0)", 0 },
	{ "#smt_on + #num-4", 5 },
	{ "B\\,c\\=d", 7 },
	{ "1 | NONE", 1 },
	{ "NONE & 0", 0 },
	{ "  FOO\n+\tBAR ", 3 },
	/* Not a number. */
	{ "NaN", NAN },
	{ "NONE", NAN },
	{ "NONE * 0", NAN },
	{ "NONE | 0", NAN },
	{ "NONE & 1", NAN },
	{ "NONE ^ 1", NAN },
	{ "NONE < 1", NAN },
	{ "FOO / 0", NAN },
	{ "FOO / (BAR - 2)", NAN },
	{ "FOO % (BAR - 2)", NAN },
	{ "5 % 0.5", NAN },
	{ "-NONE", NAN },
};

static void numbers(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		struct metric *metric = made(values[i].expr);
		double value = value_of(metric);

		if (isnan(values[i].value) ? !isnan(value) : value != values[i].value)
			fail_msg("%s is %g", values[i].expr, value);
		metric_free(metric);
	}
}

static const struct {
	const char *expr, *ids;		/* each followed by a blank */
} needed[] = {
	{ "FOO + BAR + FOO", "FOO BAR " },
	{ "foo + FOO", "foo FOO " },
	{ "1", "" },
	{ "dash\\-one - dash\\-two", "dash-one dash-two " },
	{ "cpu@event\\=0xc0\\,umask\\=0x1@ / 2x", "cpu@event=0xc0,umask=0x1@ 2x " },
	{ "inst:k / 1", "inst:k " },
	{ "A if #smt_on else B", "A " },
	{ "A if #zero else B", "B " },
	{ "A if #zero else B if #smt_on else C", "B " },
	{ "A if C else B", "C A B " },
	{ "1.0 if A > 100.0 else 1.0", "" },
	{ "1.0 if A > 100.0 else 2", "A " },
	{ "0 & A > 0", "" },
	{ "A > 0 & 0", "" },
	{ "1 & A > 0", "A " },
	{ "A > 0 & 1", "A " },
	{ "1 | A > 0", "" },
	{ "A > 0 | 1", "" },
	{ "0 | A > 0", "A " },
	{ "A > 0 | 0", "A " },
	{ "A ^ 1", "A " },
	{ "A / 0", "" },
	{ "d_ratio(A, 0)", "" },
	{ "d_ratio(0, A)", "A " },
	{ "0 * A", "A " },
	{ "min(A, B)", "A B " },
	{ "source_count(A)", "A " },
	{ "A / aggr_nr(B)", "A B " },
	{ "has_event(F)", "" },
	{ "A if has_event(F) else B", "A " },
	{ "A if has_event(G) else B", "B " },
	{ "A if strcmp_cpuid_str(GenuineIntel\\-6\\-55\\-4) else B", "A " },
	{ "(1 - (A if 1 - 1 else B)) * C", "B C " },
};

static void events(void **state)
{
	char ids[256];
	size_t i, k;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(needed); i++) {
		struct metric *metric = made(needed[i].expr);

		ids[0] = '\0';
		for (k = 0; k < metric_nr_ids(metric); k++)
			snprintf(ids + strlen(ids), sizeof(ids) - strlen(ids), "%s ",
				 metric_id(metric, k));
		if (strcmp(ids, needed[i].ids))
			fail_msg("%s needs: %s", needed[i].expr, ids);
		assert_null(metric_id(metric, k));
		metric_free(metric);
	}
}

static void as_events(void **state)
{
	char *event = metric_event("cpu@event=0xc0,umask=0x1@");

	(void)state;
	assert_string_equal(event, "cpu/event=0xc0,umask=0x1/");
	free(event);
	event = metric_event("a.b:k");
	assert_string_equal(event, "a.b:k");
	free(event);
}

static const struct {
	const char *expr, *said;
} bad[] = {
	{ "", "column 1: an event, a number or '(' is expected, and it ends" },
	{ "BAR/", "column 5: an event" },
	{ "(1", "column 3: ')' is expected" },
	{ "1)", "column 2: an operator is expected" },
	{ "1 2", "column 3: an operator" },
	{ "a if b", "column 7: 'else' is expected" },
	{ "if", "column 1: an event" },
	{ "min(1)", "column 6: ',' is expected" },
	{ "min 1", "column 5: '(' is expected" },
	{ "max(1, 2", "column 9: ')' is expected" },
	{ "source_count(1)", "column 14: a name is expected" },
	{ "has_event(a + b)", "column 13: ')' is expected" },
	{ "a $ b", "column 3: an operator" },
	{ "$", "column 1: a character that no expression has" },
	{ "#", "column 1: a character" },
	{ "a\\", "column 2: an operator" },
	{ "strcmp_cpuid_str(6\\-[12])", "column 21: ')' is expected" },
	{ "a?", "PowerPC" },
	{ "#none", "no #none" },
	{ "5 % 0", "remainder" },
	{ "A % #zero", "remainder" },
};

static void malformed(void **state)
{
	struct metric *metric = NULL;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_row(i, metric_new(&metric, NULL, bad[i].expr, &env, &failure) == -EINVAL);
		if (!strstr(failure.text, bad[i].said))
			fail_msg("%s: %s", bad[i].expr, failure.text);
		assert_null(metric);
	}
}

/* A text of parts many times over, between others. */
static int many(const char *begin, const char *middle, const char *end, size_t times)
{
	size_t size = (strlen(begin) + strlen(end)) * times + strlen(middle) + 1, i;
	struct metric *metric = NULL;
	char *text = malloc(size), *at = text;
	int ret;

	assert_non_null(text);
	for (i = 0; i < times; i++)
		at = stpcpy(at, begin);
	at = stpcpy(at, middle);
	for (i = 0; i < times; i++)
		at = stpcpy(at, end);
	ret = metric_new(&metric, NULL, text, &env, &failure);
	if (!ret) {
		assert_false(isnan(value_of(metric)));
		metric_free(metric);
	}
	free(text);
	return ret;
}

static void bounds(void **state)
{
	(void)state;
	assert_int_equal(many("(", "1", ")", 100), 0);
	assert_int_equal(many("(", "1", ")", 200), -EINVAL);
	assert_non_null(strstr(failure.text, "too deep"));
	assert_int_equal(many("1+", "1", "", 400), 0);
	assert_int_equal(many("1+", "1", "", 600), -EINVAL);
	assert_int_equal(many("1 if 1 else ", "1", "", 100), 0);
	assert_int_equal(many("1 if 1 else ", "1", "", 600), -EINVAL);
	assert_int_equal(many("min(1,", "1", ")", 600), -EINVAL);
	assert_int_equal(many("-", "1", "", 5000), 0);
	assert_int_equal(many("", "1", " ", 20000), -EINVAL);
	assert_non_null(strstr(failure.text, "too long"));
}

static const char table_text[] =
	"{\"format\":1,\"model\":\"m\",\"event_columns\":[],\"events\":{},"
	"\"metric_columns\":[\"name\",\"expr\"],\"metrics\":{"
	"\"default_core\":[[\"ipc\",\"work / FOO\"],[\"work\",\"BAR * 2\"],"
	"[\"both\",\"ipc + work + ipc + #num-4\"],[\"self\",\"1 + SELF\"],"
	"[\"a\",\"b\"],[\"b\",\"c + 1\"],[\"c\",\"1 if a else 2\"],"
	"[\"dead\",\"1 if #smt_on else a\"],[\"wrong\",\"1 +\"],"
	"[\"to_wrong\",\"wrong\"],[\"count\",\"source_count(work)\"]],"
	"\"cpu_atom\":[[\"work\",\"BAR * 3\"]]},\"groups\":{}}";

static void references(void **state)
{
	static const struct {
		const char *name, *pmu;
		double value;
		int ret;
		const char *said;
	} rows[] = {
		{ "ipc", "default_core", 4, 0, NULL },
		{ "both", "default_core", 16, 0, NULL },
		{ "dead", "default_core", 1, 0, NULL },
		{ "count", "default_core", 3, 0, NULL },
		{ "work", NULL, 6, 0, NULL },
		{ "self", "default_core", 0, -ELOOP, "metric self refers to itself" },
		{ "a", "default_core", 0, -ELOOP, "metric a refers to itself" },
		{ "to_wrong", "default_core", 0, -EINVAL, "it ends" },
	};
	struct event_table *table;
	struct metric *metric;
	size_t i;

	(void)state;
	assert_int_equal(table_read(&table, table_text, strlen(table_text), "test", &failure), 0);
	env.table = table;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct event_table_metric *m = NULL;

		do {
			m = event_table_find_metric(table, m, rows[i].name);
		} while (m && rows[i].pmu && strcmp(m->pmu, rows[i].pmu));
		assert_non_null(m);
		env.pmu = rows[i].pmu;
		assert_row(i, metric_new(&metric, m->name, m->expr, &env, &failure) == rows[i].ret);
		if (rows[i].ret) {
			assert_row(i, strstr(failure.text, rows[i].said));
			continue;
		}
		assert_row(i, value_of(metric) == rows[i].value);
		/* Once more: nothing is left of the first time. */
		assert_row(i, value_of(metric) == rows[i].value);
		metric_free(metric);
	}
	env.table = NULL;
	env.pmu = NULL;
	event_table_close(table);
}

static void of_this_machine(void **state)
{
	double cpus = metric_literal("#num_cpus_online", false);

	(void)state;
	assert_true(cpus == (double)sysconf(_SC_NPROCESSORS_ONLN));
	assert_true(metric_literal("#num_cpus", false) >= cpus);
	assert_true(metric_literal("#num_cores", false) >= 1);
	assert_true(metric_literal("#num_cores", false) <= cpus);
	assert_true(metric_literal("#num_packages", false) >= 1);
	assert_true(metric_literal("#num_packages", false) <= metric_literal("#num_cores", false));
	assert_true(metric_literal("#smt_on", false) ==
		    (metric_literal("#num_cores", false) < cpus));
	assert_true(metric_literal("#core_wide", true) == 1);
	assert_true(metric_literal("#core_wide", false) == 0);
	assert_true(metric_literal("#system_tsc_freq", false) >= 0);
	assert_true(metric_literal("#has_pmem", false) == !access("/sys/firmware/acpi/tables/NFIT",
								  F_OK));
	assert_true(isnan(metric_literal("#none", false)));
	assert_true(isnan(metric_literal("smt_on", false)));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(events),
		cmocka_unit_test(as_events),
		cmocka_unit_test(malformed),
		cmocka_unit_test(bounds),
		cmocka_unit_test(references),
		cmocka_unit_test(of_this_machine),
	};

	return cmocka_run_group_tests_name("metric", tests, NULL, NULL);
}
