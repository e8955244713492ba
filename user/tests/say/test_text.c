// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Text put together without printf(): the same bytes as with it. */
#include "test.h"

#include <math.h>

#include "say/text.h"

struct sink {
	struct text text;
	FILE *file;
	char *got;
	size_t size;
};

static void begin(struct sink *s)
{
	s->file = open_memstream(&s->got, &s->size);
	assert_non_null(s->file);
	text_init(&s->text, s->file);
}

static void expect(struct sink *s, const char *expected)
{
	text_end(&s->text);
	fclose(s->file);
	assert_string_equal(s->got, expected);
	free(s->got);
}

static void fields(void **state)
{
	struct sink s;

	(void)state;
	begin(&s);
	text_left(&s.text, 4, "ab");
	text_char(&s.text, '|');
	text_right(&s.text, 4, "cd");
	text_char(&s.text, '|');
	/* What is too long is not cut off. */
	text_left(&s.text, 4, "abcdef");
	text_right(&s.text, 4, "ghijkl");
	text_left(&s.text, 0, "");
	text_string(&s.text, "|");
	text_bytes(&s.text, "xyz", 2);
	expect(&s, "ab  |  cd|abcdefghijkl|xy");
}

static void blanks(void **state)
{
	struct sink s;

	(void)state;
	begin(&s);
	assert_int_equal(text_at(&s.text), 0);
	text_string(&s.text, "abc");
	text_blanks(&s.text, 2);
	assert_int_equal(text_at(&s.text), 3);
	text_blanks(&s.text, 5);
	/* What the file has is not forgotten. */
	text_end(&s.text);
	assert_int_equal(text_at(&s.text), 5);
	text_blanks(&s.text, 7);
	text_char(&s.text, '|');
	expect(&s, "abc    |");
}

static void whole_numbers(void **state)
{
	struct sink s;

	(void)state;
	begin(&s);
	text_whole(&s.text, 0, 0);
	text_char(&s.text, '|');
	text_whole(&s.text, 4, 12);
	text_char(&s.text, '|');
	text_whole(&s.text, 2, 12345);
	text_char(&s.text, '|');
	text_whole(&s.text, 0, UINT64_MAX);
	expect(&s, "0|  12|12345|18446744073709551615");
}

struct number {
	double value;
	int decimals;
	const char *plain;
	const char *commas;
};

static const struct number numbers[] = {
	{ 0, 0, "0", "0" },
	{ 0, 2, "0.00", "0.00" },
	{ 9, 0, "9", "9" },
	{ 999, 0, "999", "999" },
	{ 1000, 0, "1000", "1,000" },
	{ 1234567, 0, "1234567", "1,234,567" },
	{ 1234567.5, 1, "1234567.5", "1,234,567.5" },
	{ 0.000000001, 9, "0.000000001", "0.000000001" },
	/* Rounding that goes through all digits, */
	{ 0.999, 2, "1.00", "1.00" },
	{ 0.9994, 3, "0.999", "0.999" },
	{ 999.9996, 3, "1000.000", "1,000.000" },
	{ 999999.5, 0, "1000000", "1,000,000" },
	/* of halves to the even digit, and of what is a half only in too few bits. */
	{ 0.5, 0, "0", "0" },
	{ 1.5, 0, "2", "2" },
	{ 0.125, 2, "0.12", "0.12" },
	{ 0.375, 2, "0.38", "0.38" },
	{ 1.005, 2, "1.00", "1.00" },
	{ 1.015, 2, "1.01", "1.01" },
	{ 2.675, 2, "2.67", "2.67" },
	/* Negative, huge, more decimals than there are, no number. */
	{ -1234.5, 1, "-1234.5", "-1,234.5" },
	{ -999, 0, "-999", "-999" },
	{ -0.0, 0, "-0", "-0" },
	{ 18446744073709551616.0, 0, "18446744073709551616", "18,446,744,073,709,551,616" },
	{ 9007199254740991.0, 0, "9007199254740991", "9,007,199,254,740,991" },
	{ 9007199254740992.0, 0, "9007199254740992", "9,007,199,254,740,992" },
	{ 1e22, 1, "10000000000000000000000.0", "10,000,000,000,000,000,000,000.0" },
	{ 0.5, 12, "0.500000000000", "0.500000000000" },
	{ (double)INFINITY, 2, "inf", "inf" },
};

static void fixed_point(void **state)
{
	static const size_t widths[] = { 0, 1, 8, 18, 63, 64, 65, 100, 500 };
	char expected[1500];
	struct sink s;
	size_t i, w;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		const struct number *n = &numbers[i];

		for (w = 0; w < ARRAY_SIZE(widths); w++) {
			begin(&s);
			text_fixed(&s.text, widths[w], n->value, n->decimals, false);
			text_char(&s.text, '|');
			text_fixed(&s.text, widths[w], n->value, n->decimals, true);
			snprintf(expected, sizeof(expected), "%*s|%*s", (int)widths[w], n->plain,
				 (int)widths[w], n->commas);
			expect(&s, expected);
		}
	}
}

/* A double with all the digits that there are. */
static void longest(void **state)
{
	char plain[400], commas[600];
	struct sink s;
	size_t i, len;
	char *to = commas;

	(void)state;
	len = (size_t)snprintf(plain, sizeof(plain), "%.0f", -1.7e308);
	for (i = 0; i < len; i++) {
		*to++ = plain[i];
		if (i && i + 1 < len && (len - 1 - i) % 3 == 0)
			*to++ = ',';
	}
	*to = '\0';
	begin(&s);
	text_fixed(&s.text, 0, -1.7e308, 0, true);
	expect(&s, commas);
}

/* More than the buffer holds, in pieces that do and do not fit into its end. */
static void overflow(void **state)
{
	static char big[3 * sizeof(((struct text *)NULL)->buf) + 5];
	struct sink s;
	char *expected;
	FILE *file;
	size_t size;
	int i;

	(void)state;
	memset(big, 'x', sizeof(big) - 1);
	file = open_memstream(&expected, &size);
	begin(&s);
	for (i = 0; i < 2000; i++) {
		text_fixed(&s.text, 18, i * 1001.0, 0, false);
		text_left(&s.text, 5, "a");
		text_whole(&s.text, 3, (uint64_t)i);
		text_char(&s.text, '\n');
		fprintf(file, "%18.0f%-5s%3d\n", i * 1001.0, "a", i);
		if (i % 500 == 0) {
			text_string(&s.text, big);
			fputs(big, file);
		}
		assert_int_equal((long)text_at(&s.text), ftell(file));
	}
	fclose(file);
	expect(&s, expected);
	free(expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields),
		cmocka_unit_test(blanks),
		cmocka_unit_test(whole_numbers),
		cmocka_unit_test(fixed_point),
		cmocka_unit_test(longest),
		cmocka_unit_test(overflow),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
