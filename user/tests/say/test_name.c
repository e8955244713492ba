// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Names that others chose: what each output has of them. */
#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "counters/aggr.h"
#include "say/name.h"
#include "say/name_csv.h"
#include "counters/topology.h"

/* What stays as it is, and what gets an escape, with the columns of a terminal. */
static const struct {
	const char *name;
	const char *text;
	size_t columns;
} names[] = {
	{ "", "", 0 },
	{ "sort", "sort", 4 },
	{ "Web Content", "Web Content", 11 },
	{ "a\\b", "a\\b", 3 },
	{ "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f", 4 },
	{ "\xe6\x97\xa5\xe6\x9c\xac", "\xe6\x97\xa5\xe6\x9c\xac", 2 },
	{ "\xf0\x9f\x90\xa7", "\xf0\x9f\x90\xa7", 1 },
	{ "\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf", 1 },
	/* Cut off after 15 bytes, as the kernel does. */
	{ "12345678901234\xe6", "12345678901234\\xe6", 18 },
	{ "\xe6\x97", "\\xe6\\x97", 8 },
	/* No UTF-8: a byte alone, Latin-1, too long, a surrogate, beyond the last. */
	{ "\x80", "\\x80", 4 },
	{ "gr\xfc\xdf", "gr\\xfc\\xdf", 10 },
	{ "\xc0\xaf", "\\xc0\\xaf", 8 },
	{ "\xe0\x80\x80", "\\xe0\\x80\\x80", 12 },
	{ "\xed\xa0\x80", "\\xed\\xa0\\x80", 12 },
	{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", 16 },
	{ "\xff\xfe", "\\xff\\xfe", 8 },
	/* What a terminal, or a line, takes for something else. */
	{ "\033[2J", "\\x1b[2J", 7 },
	{ "a\nb\tc\r", "a\\x0ab\\x09c\\x0d", 15 },
	{ "\x7f", "\\x7f", 4 },
	{ "\xc2\x9b", "\\xc2\\x9b", 8 },
	{ "\xc2\xa0", "\xc2\xa0", 1 },
	{ "\xe2\x80\xaegpj", "\\xe2\\x80\\xaegpj", 15 },
	{ "\xe2\x80\xa8", "\\xe2\\x80\\xa8", 12 },
};

static void texts(void **state)
{
	char text[NAME_COMM_SIZE], *copy;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		name_text(text, sizeof(text), names[i].name, strlen(names[i].name));
		assert_row(i, !strcmp(text, names[i].text));
		assert_row(i, name_columns(text) == names[i].columns);
		copy = name_dup(names[i].name, SIZE_MAX);
		assert_row(i, !strcmp(copy, names[i].text));
		free(copy);
	}
}

/* Without an end, and where there is no room for a whole character. */
static void cut(void **state)
{
	const char comm[16] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
	char text[NAME_COMM_SIZE];

	(void)state;
	assert_int_equal(strlen(name_text(text, sizeof(text), comm, sizeof(comm))), 64);
	assert_string_equal(name_text(text, 5, "\xe6\x97\xa5\xe6\x9c\xac", 6), "\xe6\x97\xa5");
	assert_string_equal(name_text(text, 5, "ab\001", 3), "ab");
	assert_string_equal(name_text(text, sizeof(text), "ab\0c", 4), "ab");
	assert_int_equal(name_cut("\xe6\x97\xa5\xe6\x9c\xac", 1), 3);
	assert_int_equal(name_cut("ab", 5), 2);
}

static const struct {
	const char *name;
	const char *separator;
	const char *csv;	/* RFC 4180 */
	const char *field;	/* for readers of perf's */
} fields[] = {
	{ "sort", ",", "sort", "sort" },
	{ "a,b", ",", "\"a,b\"", "a.b" },
	{ "a;b", ",", "a;b", "a;b" },
	{ "a;b", ";", "\"a;b\"", "a.b" },
	{ "a\"b", ",", "\"a\"\"b\"", "\"a\"\"b\"" },
	{ "\",", ",", "\"\"\",\"", "\"\"\".\"" },
	{ "a::b", "::", "\"a::b\"", "a..b" },
	{ "", ",", "", "" },
};

static char *of(void (*put)(struct text *, const char *, const char *), size_t i)
{
	char *out = NULL;
	size_t size;
	FILE *file = open_memstream(&out, &size);
	struct text text;

	text_init(&text, file);
	put(&text, fields[i].name, fields[i].separator);
	text_end(&text);
	fclose(file);
	return out;
}

static void csv(void **state)
{
	char *out;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		out = of(name_csv_text, i);
		assert_row(i, !strcmp(out, fields[i].csv));
		free(out);
		out = of(name_field, i);
		assert_row(i, !strcmp(out, fields[i].field));
		free(out);
	}
}

/* A line of /proc/TID/comm ends with a newline, and the name can have some, too. */
static void of_proc(void **state)
{
	char folder[] = "/tmp/pmcgrp-test-XXXXXX", comm[NAME_COMM_SIZE], path[64];
	FILE *file;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/7", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	strcat(path, "/comm");
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("a\nb\n\n", file);
	fclose(file);
	topology_comm(folder, 7, comm, sizeof(comm));
	assert_string_equal(comm, "a\\x0ab\\x0a");
	topology_comm(folder, 8, comm, sizeof(comm));
	assert_string_equal(comm, ":8");
	unlink(path);
	path[strlen(path) - strlen("/comm")] = '\0';
	rmdir(path);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts),
		cmocka_unit_test(cut),
		cmocka_unit_test(csv),
		cmocka_unit_test(of_proc),
	};

	return cmocka_run_group_tests_name("name", tests, NULL, NULL);
}
