// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of section. */
#include "test.h"

#include "args/cli.h"
#include "section/section_options.h"

#define WORDS_MAX 8

/* Parses words up to NULL; argv is the caller's, as patterns stay there. */
static int parse(struct section_options *o, char **argv, const char *const *words)
{
	int argc = 1;

	argv[0] = "section";
	for (; argc <= WORDS_MAX && words[argc - 1]; argc++)
		argv[argc] = (char *)(uintptr_t)words[argc - 1];
	argv[argc] = NULL;
	return section_options_parse(o, argc, argv);
}

static void good(void **state)
{
	static const struct {
		const char *words[WORDS_MAX];
		struct section_options is;
		bool one;
	} rows[] = {
		{ { NULL }, { 0 }, false },
		{ { "-H" }, { .histogram = true }, false },
		{ { "--histogram", "a*" }, { .histogram = true, .nr_globs = 1 }, false },
		{ { "a" }, { .nr_globs = 1 }, true },
		{ { "a", "b" }, { .nr_globs = 2 }, false },
		{ { "a?" }, { .nr_globs = 1 }, false },
		{ { "[ab]" }, { .nr_globs = 1 }, false },
		{ { "\\*" }, { .nr_globs = 1 }, false },
		{ { "-j" }, { .json = true }, false },
		{ { "--json", "a" }, { .json = true, .nr_globs = 1 }, true },
		{ { "-x", "," }, { .separator = "," }, false },
		{ { "-x\\t" }, { .separator = "\t" }, false },
		{ { "--field-separator=||" }, { .separator = "||" }, false },
		{ { "-N" }, { .names = true }, false },
		{ { "--names", "a*" }, { .names = true, .nr_globs = 1 }, false },
		{ { "-I", "1" }, { .interval = 1 }, false },
		{ { "-I2147483647" }, { .interval = INT32_MAX }, false },
		{ { "--interval-print", "100", "--interval-count", "3", "-H" },
		  { .interval = 100, .interval_count = 3, .histogram = true }, false },
		{ { "a", "-I5", "-j", "b" }, { .interval = 5, .json = true, .nr_globs = 2 }, false },
		{ { "--", "-j" }, { .nr_globs = 1 }, true },
	};
	char *argv[WORDS_MAX + 2];
	struct section_options o;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		memset(&o, 0xff, sizeof(o));
		assert_row(i, parse(&o, argv, rows[i].words) == 1);
		assert_row(i, o.names == rows[i].is.names && o.json == rows[i].is.json);
		assert_row(i, o.histogram == rows[i].is.histogram);
		assert_row(i, o.interval == rows[i].is.interval);
		assert_row(i, o.interval_count == rows[i].is.interval_count);
		assert_row(i, o.nr_globs == rows[i].is.nr_globs);
		assert_row(i, !o.separator == !rows[i].is.separator);
		assert_row(i, !o.separator || !strcmp(o.separator, rows[i].is.separator));
		assert_row(i, section_asks_for_one(&o) == rows[i].one);
	}
}

static void bad(void **state)
{
	static const char *const rows[][WORDS_MAX] = {
		{ "-I" },
		{ "-I", "0" },
		{ "-I", "-5" },
		{ "-I", "1s" },
		{ "-I", "2147483648" },
		{ "--interval-count", "3" },
		{ "-I", "100", "--interval-count", "0" },
		{ "-I", "100", "--interval-count", "x" },
		{ "-x" },
		{ "-x", "" },
		{ "-x", ",", "-j" },
		{ "-j", "-H" },
		{ "-x,", "--histogram" },
		{ "-N", "-j" },
		{ "-N", "-x," },
		{ "-N", "-H" },
		{ "-N", "-I", "5" },
		{ "--nosuch" },
		{ "-e", "cycles" },
	};
	char *argv[WORDS_MAX + 2];
	struct section_options o;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		assert_row(i, parse(&o, argv, rows[i]) == -EXIT_TOOL);
}

static void globs(void **state)
{
	static const struct {
		const char *words[WORDS_MAX];
		const char *name;
		bool matches;
	} rows[] = {
		{ { NULL }, "lock", true },
		{ { "lock" }, "lock", true },
		{ { "lock" }, "lock2", false },
		{ { "LOCK" }, "lock", false },
		{ { "l*" }, "lock", true },
		{ { "*" }, "a.b/c", true },
		{ { "x", "?oc[k-m]" }, "lock", true },
		{ { "x", "y" }, "lock", false },
		{ { "" }, "lock", false },
		{ { "[" }, "[", true },
	};
	char *argv[WORDS_MAX + 2];
	struct section_options o;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_row(i, parse(&o, argv, rows[i].words) == 1);
		assert_row(i, section_matches(&o, rows[i].name) == rows[i].matches);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),
		cmocka_unit_test(bad),
		cmocka_unit_test(globs),
	};

	return cmocka_run_group_tests_name("section_options", tests, NULL, NULL);
}
