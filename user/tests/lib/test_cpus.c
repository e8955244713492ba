// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Lists of CPUs: what /sys writes and what people type. */
#include "test.h"

#include <sched.h>
#include <unistd.h>

#include "internal.h"

static const struct {
	const char *list;
	const char *written;	/* as the kernel would */
	unsigned int nr;
} good[] = {
	{ "", "", 0 },
	{ "\n", "", 0 },
	{ "0", "0", 1 },
	{ "0-3,7", "0-3,7", 5 },
	{ "0-3,7\n", "0-3,7", 5 },
	{ "7,0-3", "0-3,7", 5 },
	{ "1,2,3", "1-3", 3 },
	{ "0-3,2-5", "0-5", 6 },
	{ "5-5", "5", 1 },
	{ "007", "7", 1 },
	{ "0,2,4,6", "0,2,4,6", 4 },
	{ "62-65", "62-65", 4 },
	{ "63,64,128-191", "63-64,128-191", 66 },
	{ "0-8191", "0-8191", 8192 },
	{ "8191", "8191", 1 },
};

static const struct {
	const char *list;
	int ret;
	size_t where;
} bad[] = {
	{ "x", -EINVAL, 0 },
	{ ",1", -EINVAL, 0 },
	{ "1,", -EINVAL, 2 },
	{ "1,,2", -EINVAL, 2 },
	{ "1-", -EINVAL, 2 },
	{ "-1", -EINVAL, 0 },
	{ "1--2", -EINVAL, 2 },
	{ "0-3 ", -EINVAL, 3 },
	{ "0,4-3", -EINVAL, 2 },
	{ "1-2-3", -EINVAL, 3 },
	{ "0-31:2/16", -EINVAL, 4 },
	{ "1\n\n", -EINVAL, 1 },
	{ "1\n2", -EINVAL, 1 },
	{ "0x1", -EINVAL, 1 },
	{ "8192", -ERANGE, 0 },
	{ "0,7-8192", -ERANGE, 4 },
	{ "99999999999999999999", -ERANGE, 0 },
};

static void lists(void **state)
{
	struct pmcgrp_cpus cpus;
	char text[64];
	size_t i, len;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		assert_row(i, pmcgrp_cpus_parse(&cpus, good[i].list, NULL) == 0);
		assert_row(i, pmcgrp_cpus_nr(&cpus) == good[i].nr);
		len = pmcgrp_cpus_format(&cpus, text, sizeof(text));
		assert_row(i, len == strlen(good[i].written));
		assert_row(i, !strcmp(text, good[i].written));
	}
}

static void bad_lists(void **state)
{
	struct pmcgrp_cpus cpus;
	size_t i, where;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		where = 99;
		memset(&cpus, 0xff, sizeof(cpus));
		assert_row(i, pmcgrp_cpus_parse(&cpus, bad[i].list, &where) == bad[i].ret);
		assert_row(i, where == bad[i].where);
		assert_row(i, pmcgrp_cpus_nr(&cpus) == 0);
	}
	assert_int_equal(pmcgrp_cpus_parse(NULL, "0", NULL), -EINVAL);
	assert_int_equal(pmcgrp_cpus_parse(&cpus, NULL, NULL), -EINVAL);
}

static void members(void **state)
{
	struct pmcgrp_cpus cpus = { 0 };

	(void)state;
	assert_int_equal(pmcgrp_cpus_next(&cpus, 0), -1);
	assert_int_equal(pmcgrp_cpus_set(&cpus, -1), -EINVAL);
	assert_int_equal(pmcgrp_cpus_set(&cpus, PMCGRP_CPUS_MAX), -EINVAL);
	assert_int_equal(pmcgrp_cpus_set(&cpus, 64), 0);
	assert_int_equal(pmcgrp_cpus_set(&cpus, PMCGRP_CPUS_MAX - 1), 0);
	assert_int_equal(pmcgrp_cpus_next(&cpus, -5), 64);
	assert_int_equal(pmcgrp_cpus_next(&cpus, 64), 64);
	assert_int_equal(pmcgrp_cpus_next(&cpus, 65), PMCGRP_CPUS_MAX - 1);
	assert_int_equal(pmcgrp_cpus_next(&cpus, PMCGRP_CPUS_MAX), -1);
	assert_true(pmcgrp_cpus_test(&cpus, 64));
	assert_false(pmcgrp_cpus_test(&cpus, 63));
	assert_false(pmcgrp_cpus_test(&cpus, -1));
	assert_false(pmcgrp_cpus_test(&cpus, PMCGRP_CPUS_MAX));
}

/* No more is written than there is room for, and what is written ends. */
static void short_buffers(void **state)
{
	struct pmcgrp_cpus cpus;
	char text[16];
	size_t size;

	(void)state;
	assert_int_equal(pmcgrp_cpus_parse(&cpus, "0-3,7,9", NULL), 0);
	for (size = 0; size <= 8; size++) {
		memset(text, 'x', sizeof(text));
		assert_row(size, pmcgrp_cpus_format(&cpus, text, size) == 7);
		assert_row(size, text[size] == 'x');
		if (size)
			assert_row(size, memchr(text, '\0', size));
	}
	assert_string_equal(text, "0-3,7,9");
}

/* As every other program sees them. */
static void online(void **state)
{
	struct pmcgrp_cpus cpus;
	cpu_set_t mine;
	int cpu;

	(void)state;
	assert_int_equal(pmcgrp_cpus_online(&cpus), 0);
	assert_int_equal(pmcgrp_cpus_nr(&cpus), sysconf(_SC_NPROCESSORS_ONLN));
	assert_int_equal(sched_getaffinity(0, sizeof(mine), &mine), 0);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &mine))
			assert_true(pmcgrp_cpus_test(&cpus, cpu));
	}
	assert_int_equal(cpus_read(&cpus, "/nonexistent/online"), -ENOENT);
}

/* Which CPUs are there is no matter of which are said to be online. */
static void present(void **state)
{
	char folder[] = "/tmp/pmcgrp-test-XXXXXX", path[64], text[64];
	struct pmcgrp_cpus cpus;
	cpu_set_t here;
	FILE *file;
	int cpu;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/present", folder);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("0-3,6\n", file);
	fclose(file);
	assert_int_equal(cpus_present(&cpus, folder), 0);
	pmcgrp_cpus_format(&cpus, text, sizeof(text));
	assert_string_equal(text, "0-3,6");
	unlink(path);
	/* Without the list: where this process may run. */
	assert_int_equal(sched_getaffinity(0, sizeof(here), &here), 0);
	assert_int_equal(cpus_present(&cpus, folder), 0);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		assert_int_equal(pmcgrp_cpus_test(&cpus, cpu), !!CPU_ISSET(cpu, &here));
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists),
		cmocka_unit_test(bad_lists),
		cmocka_unit_test(members),
		cmocka_unit_test(short_buffers),
		cmocka_unit_test(online),
		cmocka_unit_test(present),
	};

	return cmocka_run_group_tests_name("cpus", tests, NULL, NULL);
}
