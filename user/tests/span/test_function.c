// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Functions of the kernel, in files that are written by hand. */
#include "test.h"

#include "hear.h"

#include <stdlib.h>
#include <unistd.h>

#include "args/cli.h"
#include "span/function.h"

static const char symbols[] =
	"0000000000000000 T vfs_read\n"
	"0000000000000000 T vfs_write\n"
	"0000000000000000 t do_one\n"
	"0000000000000000 t do_one\n"
	"0000000000000000 t helper.isra.0\n"
	"0000000000000000 D jiffies\n"
	"0000000000000000 T hidden\n"
	"0000000000000000 W weak\n"
	"0000000000000000 t do_one\t[disk]\n"
	"0000000000000000 t disk_read\t[disk]\n"
	"0000000000000000 t disk_read\t[disk2]\n";

static const char traceable[] =
	"vfs_read\nvfs_write\ndo_one\nhelper.isra.0\nweak\ndo_one [disk]\ndisk_read [disk]\n"
	"disk_read [disk2]\n";

static const char blacklist[] =
	"0x0000000000000000-0x0000000000000000\tdo_int3\n";

static char folder[] = "/tmp/pmcgrp-span-XXXXXX";
static char paths[3][64];
static struct function_files files = { paths[0], paths[1], paths[2] };

static void put(unsigned int i, const char *text)
{
	FILE *file;

	snprintf(paths[i], sizeof(paths[i]), "%s/%u", folder, i);
	file = fopen(paths[i], "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int make_files(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	put(0, symbols);
	put(1, traceable);
	put(2, blacklist);
	return 0;
}

static int remove_files(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < 3; i++)
		unlink(paths[i]);
	return rmdir(folder);
}

static void check(void **state)
{
	static const struct {
		const char *function;
		const char *says;	/* NULL: nothing */
	} rows[] = {
		{ "vfs_read", NULL },
		{ "weak", NULL },
		{ "disk:do_one", NULL },
		{ "disk:disk_read", NULL },
		{ "vfs_raed", "no function 'vfs_raed', or it is inlined wherever it is called: did you mean "
			      "'vfs_read'" },
		{ "nothing_like_it_at_all", "no function" },
		{ "helper", "the compiler has made 'helper.isra.0' of it" },
		{ "jiffies", "no function 'jiffies'" },
		{ "do_one", "3 functions of the kernel are called 'do_one'" },
		{ "disk_read", "2 functions of the kernel are called" },
		{ "hidden", "'hidden' is notrace" },
		{ "disk:vfs_read", "no function 'disk:vfs_read'" },
		{ "nosuch:vfs_read", "no function 'nosuch:vfs_read'" },
		{ "", "no function ''" },
	};
	char text[4096];
	size_t i;
	int ret;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		ret = hear(function_check(&files, rows[i].function), text, sizeof(text));
		assert_row(i, ret == (rows[i].says ? EXIT_TOOL : 0));
		if (rows[i].says && !strstr(text, rows[i].says))
			fail_msg("'%s' lacks '%s'", text, rows[i].says);
		assert_row(i, rows[i].says || !*text);
	}
}

/* Where nothing can be read the kernel decides. */
static void no_files(void **state)
{
	const struct function_files none = { "/nosuch", "/nosuch", "/nosuch" };

	(void)state;
	assert_int_equal(function_check(&none, "vfs_raed"), 0);
	assert_string_equal(function_why_refused(&none, "do_int3"), "");
}

static void refused(void **state)
{
	(void)state;
	assert_non_null(strstr(function_why_refused(&files, "do_int3"), "kprobes/blacklist"));
	assert_string_equal(function_why_refused(&files, "vfs_read"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check),
		cmocka_unit_test(no_files),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests_name("span_function", tests, make_files, remove_files);
}
