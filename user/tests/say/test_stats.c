// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Mean and deviation, against values worked out by hand. */
#include "test.h"

#include <math.h>

#include "say/stats.h"

#define NEAR(a, b) (fabs((a) - (b)) <= 1e-9 * fabs(b))

static struct stats of(const double *values, size_t nr)
{
	struct stats stats = { 0 };
	size_t i;

	for (i = 0; i < nr; i++)
		stats_update(&stats, values[i]);
	return stats;
}

static void nothing(void **state)
{
	struct stats stats = of(NULL, 0);

	(void)state;
	assert_true(stats_error(&stats) == 0.0);
	assert_true(stats_error_percent(&stats) == 0.0);
}

static void one_value(void **state)
{
	struct stats stats = of((double[]){ 5.0 }, 1);

	(void)state;
	assert_true(stats.mean == 5.0);
	assert_true(stats_error(&stats) == 0.0);
	assert_true(stats_error_percent(&stats) == 0.0);
}

/* Squares 9+1+1+1+0+0+4+16 = 32; 32/7 the variance, /8 that of the mean. */
static void known_values(void **state)
{
	struct stats stats = of((double[]){ 2, 4, 4, 4, 5, 5, 7, 9 }, 8);

	(void)state;
	assert_true(NEAR(stats.mean, 5.0));
	assert_true(NEAR(stats_error(&stats), sqrt(32.0 / 7 / 8)));
	assert_true(NEAR(stats_error_percent(&stats), 100 * sqrt(32.0 / 7 / 8) / 5));
}

/* The deviation of 1, 2, 3 on top of 10^15: a difference of sums would lose it. */
static void large_values(void **state)
{
	struct stats stats = of((double[]){ 1e15 + 1, 1e15 + 2, 1e15 + 3 }, 3);

	(void)state;
	assert_true(stats.mean == 1e15 + 2);
	assert_true(NEAR(stats_error(&stats), sqrt(1.0 / 3)));
}

static void mean_of_zero(void **state)
{
	struct stats stats = of((double[]){ -1, 1 }, 2);

	(void)state;
	assert_true(stats.mean == 0.0);
	assert_true(NEAR(stats_error(&stats), 1.0));
	assert_true(stats_error_percent(&stats) == 0.0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing),
		cmocka_unit_test(one_value),
		cmocka_unit_test(known_values),
		cmocka_unit_test(large_values),
		cmocka_unit_test(mean_of_zero),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
