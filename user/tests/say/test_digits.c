// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Numbers in digits: what printf() makes of them, by a shorter way. */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "say/digits.h"

static void expect_printf(double value, int decimals)
{
	char ours[DIGITS_FIXED_SIZE], printfs[DIGITS_FIXED_SIZE];

	snprintf(printfs, sizeof(printfs), "%.*f", decimals, value);
	assert_ptr_equal(digits_fixed(ours, value, decimals), ours);
	assert_string_equal(ours, printfs);
}

static void same_as_printf(void **state)
{
	static const double values[] = {
		0.0,
		0.5,
		1.0,
		0.001,
		99.999,
		999999.5,
		4503599627370496.0,
		9007199254740991.0,
		9007199254740993.0,
		18446744073709551615.0,
		1e300,
		-1.0,
		-0.004,
		(double)INFINITY,
		(double)NAN,
	};
	size_t i;
	int d;

	(void)state;
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		for (d = 0; d <= 12; d++)
			expect_printf(values[i], d);
}

/* Counts have no decimals: there is nothing to be rounded. Times are so many nanoseconds. */
static void counts_and_times(void **state)
{
	uint64_t x = 88172645463325252ULL;
	int i;

	(void)state;
	for (i = 0; i < 100000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		expect_printf((double)(x >> (i % 64)), 0);
		expect_printf((double)(x % 1000000000000000ULL) / 1e9, 9);
	}
}

/* Else it is the same number to half of the last digit, as printf()'s is. */
static void close_to_the_value(void **state)
{
	char ours[DIGITS_FIXED_SIZE];
	int i, d;

	(void)state;
	srand(1);
	for (i = 0; i < 100000; i++) {
		double value = rand() / 1000.0 / (1 + rand() % 1000);

		for (d = 1; d <= 4; d++) {
			digits_fixed(ours, value, d);
			assert_true(fabs(strtod(ours, NULL) - value) <=
				    0.5000001 * pow(10.0, -d) + value * 1e-15);
		}
	}
}

/* Also where a value is near the middle of two last digits, or in it. */
static void halves(void **state)
{
	int i, d;

	(void)state;
	srand(1);
	for (i = 0; i < 100000; i++) {
		for (d = 1; d <= 4; d++) {
			double half = (rand() % 1000000 + 0.5) / pow(10.0, d);

			expect_printf(half, d);
			expect_printf(nextafter(half, 0.0), d);
			expect_printf(nextafter(half, 1e9), d);
			expect_printf(rand() / 1000.0 / (1 + rand() % 1000), d);
			expect_printf((rand() % 100000 + 0.5) / 64, d);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_as_printf),
		cmocka_unit_test(counts_and_times),
		cmocka_unit_test(close_to_the_value),
		cmocka_unit_test(halves),
	};

	return cmocka_run_group_tests_name("digits", tests, NULL, NULL);
}
