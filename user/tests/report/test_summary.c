// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Totals, rates, percentiles and ratios, against numbers worked out by hand. */
#include "test.h"

#include <math.h>

#include "fake_recording.h"
#include "report/data/summary.h"

#define NEAR(a, b) (fabs((a) - (b)) <= 1e-9 * fabs(b))

struct fixture {
	struct fake file;
	struct perfdata_reader reader;
	struct rep_data data;
	struct rep_ratios ratios;
	struct rep_summary summary;
};

static int begin(void **state)
{
	static const char *asked = "cpi=cycles/instructions";
	static const struct rep_filter all = { .ratios = &asked, .nr_ratios = 1 };
	struct fixture *x = calloc(1, sizeof(*x));

	assert_non_null(x);
	*state = x;
	fake_recording(&x->file);
	assert_int_equal(perfdata_read_bytes(&x->reader, x->file.bytes, x->file.size), 0);
	assert_int_equal(rep_data_take(&x->data, &x->reader, &all), 0);
	assert_int_equal(rep_ratios_find(&x->ratios, &x->data), 0);
	return 0;
}

static int end(void **state)
{
	struct fixture *x = *state;

	rep_summary_free(&x->summary);
	rep_ratios_free(&x->ratios);
	rep_data_free(&x->data);
	perfdata_read_close(&x->reader);
	fake_free(&x->file);
	free(x);
	return 0;
}

/* CPU 0: 1 to 100 thousand, 5,050,000; CPU 1: 4, 8, ... 200 thousand, 5,100,000 in half of the time. */
static void members(void **state)
{
	struct fixture *x = *state;
	const struct rep_row *row;

	assert_int_equal(rep_summary_take(&x->summary, &x->data, &x->ratios), 0);
	assert_int_equal(x->summary.nr_members, 3);
	row = &x->summary.members[0];
	assert_string_equal(row->name, "cycles");
	assert_true(row->total == 10150000.0);
	assert_true(NEAR(row->rate, (5050000.0 + 2 * 5100000.0) / 0.1));
	assert_int_equal(row->intervals, 150);
	assert_true(row->min == 1000 && row->p50 == 60000 && row->p90 == 140000);
	assert_true(row->p99 == 196000 && row->max == 200000);
	assert_true(row->running == 75.0);
	row = &x->summary.members[2];
	assert_true(row->total == 1400.0 && row->min == 7.0 && row->max == 7.0);
}

static void ratios(void **state)
{
	struct fixture *x = *state;
	const struct rep_row *row;

	assert_int_equal(rep_ratios_add(&x->ratios, &x->data, "cpi=cycles/instructions"), 0);
	assert_int_equal(rep_summary_take(&x->summary, &x->data, &x->ratios), 0);
	assert_int_equal(x->summary.nr_ratios, 2);
	row = &x->summary.ratios[0];
	assert_string_equal(row->name, "instructions/cycles");
	assert_string_equal(row->unit, "insn per cycle");
	assert_true(NEAR(row->total, 15200000.0 / 10150000.0));
	assert_true(isnan(row->rate));
	assert_int_equal(row->intervals, 150);
	/* 50 times 1, 100 times 2. */
	assert_true(row->min == 1.0 && row->p50 == 2.0 && row->p90 == 2.0 && row->max == 2.0);
	row = &x->summary.ratios[1];
	assert_string_equal(row->name, "cpi");
	assert_string_equal(row->unit, "");
	assert_true(row->min == 0.5 && row->p50 == 0.5 && row->p90 == 1.0);
}

static void ratios_asked_for(void **state)
{
	static const struct {
		const char *text;
		const char *name;	/* NULL: refused */
	} rows[] = {
		{ "cycles/instructions", "cycles/instructions" },
		{ "a b=cycles/cycles", "a b" },
		{ "=cycles/cycles", "" },
		/* Names with all that separates names. */
		{ "</script>,\"<b>'x\\x1b/cycles", "</script>,\"<b>'x\\x1b/cycles" },
		{ "a=b/c=cycles/</script>,\"<b>'x\\x1b", "a=b/c" },
		{ "", NULL },
		{ "/", NULL },
		{ "cycles", NULL },
		{ "cycles/", NULL },
		{ "cycles/cache-misses", NULL },
		{ "cycles/instructions/cycles", NULL },
		/* A trigger has no counts. */
		{ "cpu-clock/cycles", NULL },
		{ "a=", NULL },
	};
	struct fixture *x = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t nr = x->ratios.nr;
		int ret = rep_ratios_add(&x->ratios, &x->data, rows[i].text);

		if (!rows[i].name) {
			assert_row(i, ret == -EINVAL && x->ratios.nr == nr);
			assert_row(i, strstr(x->ratios.error, "EVENT/EVENT"));
			continue;
		}
		assert_row(i, !ret && x->ratios.nr == nr + 1);
		assert_row(i, !strcmp(x->ratios.rows[nr].name, rows[i].name));
	}
}

/* What one snapshot does not hold together has no ratio. */
static void ratio_of_two_groups(void **state)
{
	static const struct fake_event events[] = {
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 1000000, "cpu-clock", 9 },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, "cycles", 1 },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, "instructions", 2 },
	};
	struct fixture x = { 0 };
	struct rep_filter all = { 0 };
	uint64_t n;

	(void)state;
	fake_begin(&x.file, events, ARRAY_SIZE(events));
	for (n = 1; n < 8; n++)
		fake_sample(&x.file, &(struct fake_sample){
			.id = 9, .time = n, .tid = 1, .nr = 1, .ids = { 1 + n % 2 },
			.values = { n } });
	fake_end(&x.file);
	assert_int_equal(perfdata_read_bytes(&x.reader, x.file.bytes, x.file.size), 0);
	assert_int_equal(rep_data_take(&x.data, &x.reader, &all), 0);
	assert_int_equal(x.data.nr_streams, 2);
	assert_int_equal(rep_ratios_find(&x.ratios, &x.data), 0);
	assert_int_equal(x.ratios.nr, 0);
	assert_int_equal(rep_ratios_add(&x.ratios, &x.data, "instructions/cycles"), -EINVAL);
	assert_non_null(strstr(x.ratios.error, "different groups"));
	rep_ratios_free(&x.ratios);
	rep_data_free(&x.data);
	perfdata_read_close(&x.reader);
	fake_free(&x.file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(members, begin, end),
		cmocka_unit_test_setup_teardown(ratios, begin, end),
		cmocka_unit_test_setup_teardown(ratios_asked_for, begin, end),
		cmocka_unit_test(ratio_of_two_groups),
	};

	return cmocka_run_group_tests_name("rep_summary", tests, NULL, NULL);
}
