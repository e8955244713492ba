// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What stat --regions reads: what the library writes, and anything else. */
#include "test.h"

#include "stat/region_reports.h"

static struct regions_reports read_text(const char *text)
{
	struct regions_reports reports;
	FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");

	assert_non_null(file);
	assert_int_equal(regions_read(&reports, file), 0);
	fclose(file);
	return reports;
}

/* A set with all that the library can write. */
static void fill(struct region_set *set)
{
	struct region_set_thread *thread;
	struct region_row *row;

	assert_int_equal(region_set_init(set, 2), 0);
	set->pid = 4711;
	snprintf(set->comm, sizeof(set->comm), "a b%%c");
	snprintf(set->backend, sizeof(set->backend), "/dev/pmcgrp");
	snprintf(set->failure, sizeof(set->failure), "member 0 (x): no\nway");
	set->refused[REGION_REFUSED_MEMORY] = 3;
	set->values[0] = strdup("time");
	set->values[1] = strdup("instructions:u");
	thread = region_set_add_thread(set);
	assert_non_null(thread);
	*thread = (struct region_set_thread){ .tid = 4712, .direct = true };
	row = region_set_add_row(set);
	assert_non_null(row);
	snprintf(row->name, sizeof(row->name), "solve: 100%%, :x");
	row->tid = 4712;
	row->calls = 12;
	row->counted = 10;
	row->renewed = 1;
	row->self_missed = 2;
	row->enabled = 100;
	row->running = 50;
	row->missed[PMCGRP_REGION_PARTLY] = 1;
	row->missed[PMCGRP_REGION_FORKED] = 1;
	row->values[0] = (struct region_value){ UINT64_MAX, 5, 1, 7 };
	row->values[1] = (struct region_value){ 100, 90, 8, 12 };
	row = region_set_add_row(set);
	assert_non_null(row);
	row->tid = 4712;
}

static char *written(const struct region_set *set)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	fputs("pmcgrp-regions 1 start 4711 :a%20b%25c\n", file);
	region_set_write(file, set);
	assert_int_equal(fclose(file), 0);
	return text;
}

static void reads_what_is_written(void **state)
{
	struct regions_reports reports;
	struct region_set set;
	const struct region_row *row;
	char *text;

	(void)state;
	fill(&set);
	text = written(&set);
	reports = read_text(text);
	assert_int_equal(reports.line, 0);
	assert_int_equal(reports.nr_sets, 1);
	assert_int_equal(reports.nr_processes, 1);
	assert_int_equal(reports.processes[0].pid, 4711);
	assert_string_equal(reports.processes[0].comm, "a b%c");
	assert_int_equal(reports.processes[0].starts, 1);
	assert_int_equal(reports.processes[0].reports, 1);
	assert_string_equal(reports.sets[0].comm, "a b%c");
	assert_string_equal(reports.sets[0].backend, "/dev/pmcgrp");
	assert_string_equal(reports.sets[0].failure, "member 0 (x): no\\x0away");
	assert_int_equal(reports.sets[0].refused[REGION_REFUSED_MEMORY], 3);
	assert_true(region_set_alike(&reports.sets[0], &set));
	assert_int_equal(reports.sets[0].nr_threads, 1);
	assert_true(reports.sets[0].threads[0].direct);
	assert_int_equal(reports.sets[0].threads[0].pid, 4711);
	assert_int_equal(reports.sets[0].nr_rows, 2);
	row = &reports.sets[0].rows[0];
	assert_string_equal(row->name, set.rows[0].name);
	assert_int_equal(row->tid, 4712);
	assert_int_equal(row->calls, 12);
	assert_int_equal(row->counted, 10);
	assert_int_equal(row->renewed, 1);
	assert_int_equal(row->self_missed, 2);
	assert_int_equal(row->enabled, 100);
	assert_int_equal(row->running, 50);
	assert_memory_equal(row->missed, set.rows[0].missed, sizeof(row->missed));
	assert_memory_equal(row->values, set.rows[0].values, 2 * sizeof(row->values[0]));
	assert_string_equal(reports.sets[0].rows[1].name, "");
	regions_reports_free(&reports);
	free(text);
	region_set_free(&set);
}

/* Wherever a report breaks off, nothing of it is shown, and what was before is. */
static void reads_what_was_cut_off(void **state)
{
	struct regions_reports reports;
	struct region_set set;
	char *text, *twice, *end;
	size_t len, i;

	(void)state;
	fill(&set);
	text = written(&set);
	len = strlen(text);
	assert_true(asprintf(&twice, "%s%s", text, text) > 0);
	end = strchr(text, '\n') + 1;
	for (i = (size_t)(end - text) + 1; i < len; i++) {
		twice[len + i] = '\0';
		reports = read_text(twice);
		assert_true(reports.line > 0);
		assert_non_null(reports.what);
		assert_int_equal(reports.nr_sets, 1);
		regions_reports_free(&reports);
		twice[len + i] = text[i];
	}
	free(twice);
	free(text);
	region_set_free(&set);
}

#define HEAD "pmcgrp-regions 1 report 1 :a 1\n"
#define ROW "region 1 :r 1 1 0 0 0 0 0 0 0 0 0 0 0"

static const struct {
	const char *text;
	unsigned long line;
	unsigned int sets;
} rows[] = {
	{ HEAD "value :time\nend 1\n", 0, 1 },
	{ HEAD "value :time\n" ROW " 1 2 3 4\nend 2\n", 0, 1 },
	{ "pmcgrp-regions 1 start 1 :a\n", 0, 0 },
	/* Heads. */
	{ "\n", 1, 0 },
	{ "hello\n", 1, 0 },
	{ "pmcgrp-regions\n", 1, 0 },
	{ "pmcgrp-regions 2 start 1 :a\n", 1, 0 },
	{ "pmcgrp-regions 1 start 1 a\n", 1, 0 },
	{ "pmcgrp-regions 1 start 1 :a b\n", 1, 0 },
	{ "pmcgrp-regions 1 start -1 :a\n", 1, 0 },
	{ "pmcgrp-regions 1 start 2147483648 :a\n", 1, 0 },
	{ "pmcgrp-regions 1 begin 1 :a\n", 1, 0 },
	{ "pmcgrp-regions 1 start 1 :a%2\n", 1, 0 },
	{ "pmcgrp-regions 1 start 1 :a%2g\n", 1, 0 },
	{ "pmcgrp-regions 1 report 1 :a 0\n", 1, 0 },
	{ "pmcgrp-regions 1 report 1 :a 66\n", 1, 0 },
	{ "pmcgrp-regions 1 report 1 :a\n", 1, 0 },
	{ "pmcgrp-regions 1 start 1 :0123456789012345678901234567890123456789012345678901234567890"
	  "123\n", 1, 0 },
	/* Within a report. */
	{ HEAD "bogus\n", 2, 0 },
	{ HEAD "value\n", 2, 0 },
	{ HEAD "value :a\nvalue :b\n", 3, 0 },
	{ HEAD "end 0\n", 2, 0 },
	{ HEAD "value :a\nend 2\n", 3, 0 },
	{ HEAD ROW " 1 2 3 4\n", 2, 0 },
	{ HEAD "value :a\n" ROW " 1 2 3\n", 3, 0 },
	{ HEAD "value :a\n" ROW " 1 2 3 4 5\n", 3, 0 },
	{ HEAD "value :a\n" ROW " 1 2 3 18446744073709551616\n", 3, 0 },
	{ HEAD "value :a\n" ROW " 1 2 3 99999999999999999999\n", 3, 0 },
	{ HEAD "value :a\n" ROW " 1 2  4\n", 3, 0 },
	{ HEAD "thread 1 2 :x\n", 2, 0 },
	{ HEAD "thread 1 1\n", 2, 0 },
	{ HEAD "refused 1 2 3\n", 2, 0 },
	{ HEAD "refused 1 2 3 4 5\n", 2, 0 },
	{ HEAD "pmcgrp-regions 1 start 2 :b\n", 2, 0 },
	{ HEAD "value :time\nend 1\nvalue :time\n", 4, 1 },
};

static void reads_anything(void **state)
{
	struct regions_reports reports;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		reports = read_text(rows[i].text);
		assert_row(i, reports.line == rows[i].line);
		assert_row(i, reports.nr_sets == rows[i].sets);
		assert_row(i, !reports.line == !reports.what);
		regions_reports_free(&reports);
	}
}

static void reads_no_endless_lines(void **state)
{
	static char text[2 * REGIONS_LINE_MAX];
	struct regions_reports reports;

	(void)state;
	memset(text, '0', sizeof(text) - 1);
	memcpy(text, "pmcgrp-regions ", 15);
	reports = read_text(text);
	assert_int_equal(reports.line, 1);
	assert_non_null(strstr(reports.what, "too long"));
	regions_reports_free(&reports);
}

/* ---- Sums and ratios ---- */

static struct region_row *add_row(struct region_set *set, const char *name, uint64_t first)
{
	struct region_row *row = region_set_add_row(set);
	unsigned int i;

	assert_non_null(row);
	snprintf(row->name, sizeof(row->name), "%s", name);
	row->nr_threads = 1;
	row->calls = 1;
	row->counted = 1;
	for (i = 0; i < set->nr_values; i++)
		row->values[i] = (struct region_value){ first + i, first, first + i, first + i };
	return row;
}

static void sums_by_name(void **state)
{
	struct region_set set, sum;

	(void)state;
	assert_int_equal(region_set_init(&set, 3), 0);
	set.values[0] = strdup("time");
	set.values[1] = strdup("cycles:u");
	set.values[2] = strdup("instructions:u");
	add_row(&set, "a", 10);
	add_row(&set, "b", 20);
	add_row(&set, "a", 30);
	assert_int_equal(region_set_like(&sum, &set), 0);
	assert_int_equal(region_set_sum(&sum, &set), 0);
	assert_int_equal(sum.nr_rows, 2);
	assert_int_equal(sum.rows[0].counted, 2);
	assert_int_equal(sum.rows[0].nr_threads, 2);
	assert_int_equal(sum.rows[0].values[1].sum, 42);
	assert_int_equal(sum.rows[0].values[1].self, 40);
	assert_int_equal(sum.rows[0].values[1].min, 11);
	assert_int_equal(sum.rows[0].values[1].max, 31);
	assert_int_equal(sum.rows[1].counted, 1);
	assert_null(region_set_empty(&sum));
	region_set_free(&sum);
	region_set_free(&set);
}

static void ratios(void **state)
{
	struct region_ratio ratio;
	struct region_set set;
	struct region_row *row;

	(void)state;
	assert_int_equal(region_set_init(&set, 4), 0);
	set.values[0] = strdup("time");
	set.values[1] = strdup("cycles:k");
	set.values[2] = strdup("instructions:u");
	set.values[3] = strdup("cycles:u");
	row = add_row(&set, "a", 10);
	assert_false(region_ratio(&set, row, 0, &ratio));
	assert_false(region_ratio(&set, row, 1, &ratio));
	assert_true(region_ratio(&set, row, 2, &ratio));
	assert_true(ratio.value > 12.0 / 13.0 - 1e-9 && ratio.value < 12.0 / 13.0 + 1e-9);
	assert_string_equal(ratio.unit, "insn per cycle");
	row->values[3].sum = 0;
	assert_false(region_ratio(&set, row, 2, &ratio));
	region_set_free(&set);
}

static void csv_quotes_names(void **state)
{
	struct regions_print print = { .separator = "," };
	struct region_set set;
	char *text = NULL;
	size_t size = 0;
	FILE *file;

	(void)state;
	assert_int_equal(region_set_init(&set, 1), 0);
	set.values[0] = strdup("time");
	add_row(&set, "a,\"b\"", 7);
	print.set = &set;
	file = open_memstream(&text, &size);
	regions_csv(file, &print);
	fclose(file);
	assert_string_equal(text, "\"a,\"\"b\"\"\",7,ns,time,1,1,0,7,7.00,7,7,,\n");
	free(text);
	region_set_free(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_is_written),
		cmocka_unit_test(reads_what_was_cut_off),
		cmocka_unit_test(reads_anything),
		cmocka_unit_test(reads_no_endless_lines),
		cmocka_unit_test(sums_by_name),
		cmocka_unit_test(ratios),
		cmocka_unit_test(csv_quotes_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
