// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The text that is scraped, to the byte; and which format who gets. */
#include "test.h"

#include "export/accept.h"
#include "export/exposition.h"

static struct exposition e;

static int teardown(void **state)
{
	(void)state;
	exposition_free(&e);
	return 0;
}

static void is(const char *wanted)
{
	assert_int_equal(exposition_end(&e), 0);
	exposition_counter(&e, "end", "", 0, 0);
	e.text[e.len] = '\0';
	*strstr(e.text, "end_total 0\n") = '\0';
	assert_string_equal(e.text, wanted);
}

static void write_all(enum exposition_format format)
{
	static const uint64_t to[] = { 0, 1, 3, 7 }, bucket[] = { 0, 5, 1, 2 };
	const struct exposition_buckets buckets = { to, bucket, 4, 21 };

	exposition_begin(&e, format);
	exposition_family(&e, "a", EXPOSITION_COUNTER, NULL, "say \"\\\"\n");
	exposition_counter(&e, "a", "{x=\"1\"}", UINT64_MAX, 1700000000007);
	exposition_counter(&e, "a", "", 0, 1234567);
	exposition_family(&e, "b_ratio", EXPOSITION_GAUGE, "ratio", "b");
	exposition_gauge(&e, "b_ratio", "", 0.25);
	exposition_family(&e, "c", EXPOSITION_INFO, NULL, "c");
	exposition_info(&e, "c", "{id=\"3\"}");
	exposition_family(&e, "h", EXPOSITION_HISTOGRAM, NULL, "h");
	exposition_histogram(&e, "h", "f=\"g\",", &buckets, 2000);
	exposition_histogram(&e, "h", "", &buckets, 2000);
}

static void openmetrics(void **state)
{
	(void)state;
	write_all(EXPOSITION_OPENMETRICS);
	is("# TYPE a counter\n"
	   "# HELP a say \\\"\\\\\\\"\\n\n"
	   "a_total{x=\"1\"} 18446744073709551615\n"
	   "a_created{x=\"1\"} 1700000000.007\n"
	   "a_total 0\n"
	   "a_created 1234.567\n"
	   "# TYPE b_ratio gauge\n"
	   "# UNIT b_ratio ratio\n"
	   "# HELP b_ratio b\n"
	   "b_ratio 0.25\n"
	   "# TYPE c info\n"
	   "# HELP c c\n"
	   "c_info{id=\"3\"} 1\n"
	   "# TYPE h histogram\n"
	   "# HELP h h\n"
	   "h_bucket{f=\"g\",le=\"0.0\"} 0\n"
	   "h_bucket{f=\"g\",le=\"1.0\"} 5\n"
	   "h_bucket{f=\"g\",le=\"3.0\"} 6\n"
	   "h_bucket{f=\"g\",le=\"+Inf\"} 8\n"
	   "h_count{f=\"g\"} 8\n"
	   "h_sum{f=\"g\"} 21\n"
	   "h_created{f=\"g\"} 2.000\n"
	   "h_bucket{le=\"0.0\"} 0\n"
	   "h_bucket{le=\"1.0\"} 5\n"
	   "h_bucket{le=\"3.0\"} 6\n"
	   "h_bucket{le=\"+Inf\"} 8\n"
	   "h_count 8\n"
	   "h_sum 21\n"
	   "h_created 2.000\n"
	   "# EOF\n");
}

static void plain(void **state)
{
	(void)state;
	write_all(EXPOSITION_PLAIN);
	is("# TYPE a_total counter\n"
	   "# HELP a_total say \"\\\\\"\\n\n"
	   "a_total{x=\"1\"} 18446744073709551615\n"
	   "a_total 0\n"
	   "# TYPE b_ratio gauge\n"
	   "# HELP b_ratio b\n"
	   "b_ratio 0.25\n"
	   "# TYPE c_info gauge\n"
	   "# HELP c_info c\n"
	   "c_info{id=\"3\"} 1\n"
	   "# TYPE h histogram\n"
	   "# HELP h h\n"
	   "h_bucket{f=\"g\",le=\"0.0\"} 0\n"
	   "h_bucket{f=\"g\",le=\"1.0\"} 5\n"
	   "h_bucket{f=\"g\",le=\"3.0\"} 6\n"
	   "h_bucket{f=\"g\",le=\"+Inf\"} 8\n"
	   "h_count{f=\"g\"} 8\n"
	   "h_sum{f=\"g\"} 21\n"
	   "h_bucket{le=\"0.0\"} 0\n"
	   "h_bucket{le=\"1.0\"} 5\n"
	   "h_bucket{le=\"3.0\"} 6\n"
	   "h_bucket{le=\"+Inf\"} 8\n"
	   "h_count 8\n"
	   "h_sum 21\n");
}

static void names(void **state)
{
	static const struct {
		const char *text, *name;
	} rows[] = {
		{ "cycles", "cycles" },
		{ "L1-dcache-load-misses:u", "L1_dcache_load_misses_u" },
		{ "cpu/config=0x1/", "cpu_config_0x1" },
		{ "sched:sched_switch", "sched_sched_switch" },
		{ "7zip", "_7zip" },
		{ "/7zip/", "_7zip" },
		{ "--", "_" },
		{ "", "_" },
		{ "\xc3\xa4", "_" },
	};
	char name[32];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		exposition_name(name, sizeof(name), rows[i].text);
		assert_string_equal(name, rows[i].name);
	}
	exposition_name(name, 4, "cycles");
	assert_string_equal(name, "cyc");
}

static void labels(void **state)
{
	char text[LABELS_SIZE] = "", value[4097];

	(void)state;
	labels_add(text, sizeof(text), "a", "x\\y\"z");
	labels_add(text, sizeof(text), "b", "");
	labels_add(text, sizeof(text), "c", "1\n\xff\xc3\xa4");
	assert_string_equal(text, "a=\"x\\\\y\\\"z\",c=\"1\\\\x0a\\\\xff\xc3\xa4\"");
	/* The longest path fits, and what does not is left out as a whole. */
	memset(value, 'x', 4096);
	value[4096] = '\0';
	text[0] = '\0';
	labels_add(text, sizeof(text), "a", value);
	assert_int_equal(strlen(text), 4096 + 4);
	text[0] = '\0';
	labels_add(text, 10, "a", "123456789");
	assert_string_equal(text, "");
}

static void accepts(void **state)
{
	static const struct {
		const char *header;
		enum exposition_format format;
	} rows[] = {
		{ NULL, EXPOSITION_PLAIN },
		{ "", EXPOSITION_PLAIN },
		{ "*/*", EXPOSITION_PLAIN },
		/* Prometheus 2.42 and 3.5, VictoriaMetrics, PCP. */
		{ "application/openmetrics-text;version=1.0.0,application/openmetrics-text;"
		  "version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
		  EXPOSITION_OPENMETRICS },
		{ "text/plain;version=0.0.4;q=1,*/*;q=0.1", EXPOSITION_PLAIN },
		{ "application/openmetrics-text; version=1.0.0; charset=utf-8", EXPOSITION_OPENMETRICS },
		{ "Application/OpenMetrics-Text", EXPOSITION_OPENMETRICS },
		{ "application/openmetrics-text;version=0.0.1", EXPOSITION_PLAIN },
		{ "application/openmetrics-text;q=0", EXPOSITION_PLAIN },
		{ "application/openmetrics-text;q=0.5,text/plain;q=0.6", EXPOSITION_PLAIN },
		{ "application/openmetrics-text;q=0.601,text/plain;q=0.6", EXPOSITION_OPENMETRICS },
		{ "application/openmetrics-texts", EXPOSITION_PLAIN },
		{ " , ,application/openmetrics-text", EXPOSITION_OPENMETRICS },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		assert_row(i, accept_format(rows[i].header) == rows[i].format);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(openmetrics, teardown),
		cmocka_unit_test_teardown(plain, teardown),
		cmocka_unit_test(names),
		cmocka_unit_test(labels),
		cmocka_unit_test(accepts),
	};

	return cmocka_run_group_tests_name("exposition", tests, NULL, NULL);
}
