// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Spans and sections as histograms. */
#include "test.h"

#include "export/spans.h"

static struct span_rows spans;
static struct exposition e;

#define STATS 2

static struct {
	struct pmcgrp_section_info info;
	struct pmcgrp_section_stat stat[STATS];
} section;

static void begin(enum export_kind kind)
{
	static struct export_group group = { .name = (char *)"g", .series = 2 };

	group.kind = kind;
	spans_init(&spans, &group);
	memset(&section, 0, sizeof(section));
	section.info.stats = (uintptr_t)section.stat;
	section.info.nr_stats = STATS;
	section.info.nr_members = STATS - 1;
	section.info.stat_size = sizeof(section.stat[0]);
	section.stat[1].type = PERF_TYPE_HARDWARE;
	section.stat[1].config = PERF_COUNT_HW_INSTRUCTIONS;
	strcpy(section.info.name, "vfs_read");
	section.info.id = 7;
}

static int teardown(void **state)
{
	(void)state;
	exposition_free(&e);
	spans_free(&spans);
	return 0;
}

static const char *text(void)
{
	exposition_begin(&e, EXPOSITION_OPENMETRICS);
	spans_write(&spans, &e);
	assert_int_equal(exposition_end(&e), 0);
	exposition_info(&e, "end", "");
	*strstr(e.text, "end_info") = '\0';
	return e.text;
}

static void histograms(void **state)
{
	(void)state;
	begin(EXPORT_SPAN);
	section.stat[0].sum = 9;
	section.stat[0].bucket[2] = 2;
	section.stat[0].bucket[3] = 1;
	section.stat[1].sum = 0;
	section.stat[1].bucket[0] = 3;
	section.info.missed[PMCGRP_MISSED_BUSY] = 4;
	assert_int_equal(spans_take(&spans, &section.info, 1000), 0);
	assert_string_equal(text(),
			    "# TYPE pmcgrp_g_time_nanoseconds histogram\n"
			    "# UNIT pmcgrp_g_time_nanoseconds nanoseconds\n"
			    "# HELP pmcgrp_g_time_nanoseconds Time from the beginning to the end.\n"
			    "pmcgrp_g_time_nanoseconds_bucket{span=\"vfs_read\",le=\"0.0\"} 0\n"
			    "pmcgrp_g_time_nanoseconds_bucket{span=\"vfs_read\",le=\"1.0\"} 0\n"
			    "pmcgrp_g_time_nanoseconds_bucket{span=\"vfs_read\",le=\"3.0\"} 2\n"
			    "pmcgrp_g_time_nanoseconds_bucket{span=\"vfs_read\",le=\"7.0\"} 3\n"
			    "pmcgrp_g_time_nanoseconds_bucket{span=\"vfs_read\",le=\"+Inf\"} 3\n"
			    "pmcgrp_g_time_nanoseconds_count{span=\"vfs_read\"} 3\n"
			    "pmcgrp_g_time_nanoseconds_sum{span=\"vfs_read\"} 9\n"
			    "pmcgrp_g_time_nanoseconds_created{span=\"vfs_read\"} 1.000\n"
			    "# TYPE pmcgrp_g_instructions histogram\n"
			    "# HELP pmcgrp_g_instructions instructions from the beginning to the end.\n"
			    "pmcgrp_g_instructions_bucket{span=\"vfs_read\",le=\"0.0\"} 3\n"
			    "pmcgrp_g_instructions_bucket{span=\"vfs_read\",le=\"+Inf\"} 3\n"
			    "pmcgrp_g_instructions_count{span=\"vfs_read\"} 3\n"
			    "pmcgrp_g_instructions_sum{span=\"vfs_read\"} 0\n"
			    "pmcgrp_g_instructions_created{span=\"vfs_read\"} 1.000\n"
			    "# TYPE pmcgrp_g_missed counter\n"
			    "# HELP pmcgrp_g_missed Those that were not counted, by the reason.\n"
			    "pmcgrp_g_missed_total{span=\"vfs_read\",reason=\"busy\"} 4\n"
			    "pmcgrp_g_missed_created{span=\"vfs_read\",reason=\"busy\"} 1.000\n"
			    "# EOF\n");
}

/* A sum that was read of one CPU later than of another one is no less than it was. */
static void not_back(void **state)
{
	(void)state;
	begin(EXPORT_SPAN);
	section.stat[0].sum = 9;
	section.stat[0].bucket[2] = 3;
	assert_int_equal(spans_take(&spans, &section.info, 1000), 0);
	section.stat[0].sum = 8;
	section.stat[0].bucket[2] = 2;
	section.stat[0].bucket[1] = 2;
	assert_int_equal(spans_take(&spans, &section.info, 2000), 0);
	text();
	assert_non_null(strstr(e.text, "time_nanoseconds_sum{span=\"vfs_read\"} 9\n"));
	assert_non_null(strstr(e.text, "time_nanoseconds_count{span=\"vfs_read\"} 5\n"));
	assert_non_null(strstr(e.text, "time_nanoseconds_created{span=\"vfs_read\"} 1.000\n"));
}

/* Two of one name, the highest bucket of all, the greatest value; and no more than the bound. */
static void sections(void **state)
{
	(void)state;
	begin(EXPORT_SECTION);
	section.stat[0].bucket[PMCGRP_SECTION_BUCKETS - 1] = 1;
	assert_int_equal(spans_take(&spans, &section.info, 1000), 0);
	section.info.id = 8;
	section.stat[0].bucket[PMCGRP_SECTION_BUCKETS - 1] = 0;
	section.stat[1].config = PERF_COUNT_HW_CPU_CYCLES;
	assert_int_equal(spans_take(&spans, &section.info, 1000), 0);
	section.info.id = 9;
	assert_int_equal(spans_take(&spans, &section.info, 1000), 0);
	text();
	assert_non_null(strstr(e.text, "_bucket{section=\"vfs_read\",id=\"7\",le=\"18446744073709551615.0\"} 1\n"));
	assert_non_null(strstr(e.text, "_bucket{section=\"vfs_read\",id=\"8\",le=\"18446744073709551615.0\"} 0\n"));
	assert_null(strstr(e.text, "id=\"9\""));
	/* Each family has those that count its event. */
	assert_non_null(strstr(e.text, "pmcgrp_g_instructions_count{section=\"vfs_read\",id=\"7\"}"));
	assert_null(strstr(e.text, "pmcgrp_g_instructions_count{section=\"vfs_read\",id=\"8\"}"));
	assert_non_null(strstr(e.text, "pmcgrp_g_cycles_count{section=\"vfs_read\",id=\"8\"}"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(histograms, teardown),
		cmocka_unit_test_teardown(not_back, teardown),
		cmocka_unit_test_teardown(sections, teardown),
	};

	return cmocka_run_group_tests_name("spans", tests, NULL, NULL);
}
