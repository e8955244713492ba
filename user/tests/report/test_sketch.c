// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Percentiles of few values, which are exact, and of many, which are off by so much at most. */
#include "test.h"

#include <math.h>

#include "report/data/sketch.h"

static double percentile(const double *values, size_t nr, double percent)
{
	struct rep_sketch sketch = { 0 };
	double value;
	size_t i;

	/* The greatest first: it sorts them by itself. */
	for (i = nr; i > 0; i--)
		assert_int_equal(rep_sketch_add(&sketch, values[i - 1]), 0);
	assert_true(rep_sketch_error(&sketch) == 0.0);
	value = rep_sketch_percentile(&sketch, percent);
	rep_sketch_free(&sketch);
	return value;
}

static void few(void **state)
{
	static const double values[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };

	(void)state;
	assert_true(isnan(percentile(values, 0, 50)));
	assert_true(percentile(values, 1, 99) == 1);
	assert_true(percentile(values, 2, 50) == 1);
	assert_true(percentile(values, 3, 50) == 2);
	assert_true(percentile(values, 10, 0) == 1);
	assert_true(percentile(values, 10, 50) == 5);
	assert_true(percentile(values, 10, 90) == 9);
	assert_true(percentile(values, 10, 99) == 10);
	assert_true(percentile(values, 10, 100) == 10);
}

/* Values of every size, from 1e-12 to 1e+18: their percentiles are known from how they are made. */
static double made(uint64_t i, uint64_t nr)
{
	return pow(10.0, 30.0 * (double)i / (double)nr - 12.0);
}

static void many(void **state)
{
	static const double percents[] = { 1, 10, 50, 90, 99, 99.9 };
	const uint64_t nr = 200000;
	struct rep_sketch sketch = { 0 };
	uint64_t i;

	(void)state;
	/* 7919 has no divisor in common with their number: each once, in no order. */
	for (i = 0; i < nr; i++)
		assert_int_equal(rep_sketch_add(&sketch, made(i * 7919 % nr, nr)), 0);
	assert_true(rep_sketch_error(&sketch) == REP_SKETCH_ERROR);
	assert_int_equal(sketch.nr, nr);
	for (i = 0; i < ARRAY_SIZE(percents); i++) {
		double exact = made((uint64_t)ceil(percents[i] / 100 * (double)nr) - 1, nr);
		double value = rep_sketch_percentile(&sketch, percents[i]);

		assert_row(i, value <= exact * (1 + 1e-12));
		assert_row(i, value >= exact * (1 - REP_SKETCH_ERROR));
	}
	/* The least and the greatest are exact. */
	assert_true(rep_sketch_percentile(&sketch, 0) == made(0, nr));
	assert_true(rep_sketch_percentile(&sketch, 100) == made(nr - 1, nr));
	rep_sketch_free(&sketch);
}

/* Integers below 1024 are exact, zero among them; all that is equal is, too, wherever it lies. */
static void integers(void **state)
{
	struct rep_sketch sketch = { 0 };
	uint64_t i;

	(void)state;
	for (i = 0; i < 1024 * 20; i++)
		assert_int_equal(rep_sketch_add(&sketch, (double)(i % 1024)), 0);
	for (i = 0; i < 1024; i++)
		assert_row(i, rep_sketch_percentile(&sketch, (double)(i + 1) * 100 / 1024) == (double)i);
	rep_sketch_free(&sketch);
	for (i = 0; i < 2 * REP_SKETCH_EXACT; i++)
		assert_int_equal(rep_sketch_add(&sketch, 123456789), 0);
	assert_true(rep_sketch_percentile(&sketch, 50) == 123456789);
	rep_sketch_free(&sketch);
	for (i = 0; i < 2 * REP_SKETCH_EXACT; i++)
		assert_int_equal(rep_sketch_add(&sketch, 0), 0);
	assert_true(rep_sketch_percentile(&sketch, 99) == 0);
	rep_sketch_free(&sketch);
}

/* The last value that is kept, and the first that is not. */
static void limit(void **state)
{
	struct rep_sketch sketch = { 0 };
	uint64_t i;

	(void)state;
	for (i = 1; i <= REP_SKETCH_EXACT; i++)
		assert_int_equal(rep_sketch_add(&sketch, 1000 + (double)i), 0);
	assert_true(rep_sketch_error(&sketch) == 0.0);
	assert_true(rep_sketch_percentile(&sketch, 50) == 1000 + REP_SKETCH_EXACT / 2);
	assert_int_equal(rep_sketch_add(&sketch, 5), 0);
	assert_true(rep_sketch_error(&sketch) > 0.0);
	assert_true(rep_sketch_percentile(&sketch, 0) == 5);
	assert_true(fabs(rep_sketch_percentile(&sketch, 50) - 5096) <= REP_SKETCH_ERROR * 5096);
	rep_sketch_free(&sketch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few),
		cmocka_unit_test(many),
		cmocka_unit_test(integers),
		cmocka_unit_test(limit),
	};

	return cmocka_run_group_tests_name("rep_sketch", tests, NULL, NULL);
}
