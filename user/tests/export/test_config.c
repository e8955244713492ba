// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The configuration file: what it sets, and what it is refused for. */
#include "test.h"

#include "export/export_config.h"

static struct export_config config;
static char error[EXPORT_ERROR_SIZE];

static int setup(void **state)
{
	(void)state;
	export_config_init(&config);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	export_config_free(&config);
	return 0;
}

static void whole(void **state)
{
	(void)state;
	assert_int_equal(export_config_parse(&config,
					     "# a comment\n"
					     "[exporter]\n"
					     "listen = unix:/run/pmcgrp/export\n"
					     "linger = 60 ; seconds\n"
					     "\n"
					     "[cpu]\n"
					     "count = machine\n"
					     "events = cycles,instructions,\n"
					     "  sched:sched_switch\n"
					     "[by_pod]\n"
					     "count = pod\n"
					     "events = cycles\n"
					     "series = 50\n"
					     "labels = id\n"
					     "background = yes\n"
					     "[files]\n"
					     "count = span\n"
					     "of = vfs_read\n"
					     "  vfs_write\n"
					     "events = cycles\n"
					     "[modules]\n"
					     "count = section\n",
					     error),
			 0);
	assert_string_equal(config.listen, "unix:/run/pmcgrp/export");
	assert_int_equal(config.linger, 60);
	assert_int_equal(config.nr, 4);
	assert_string_equal(config.groups[0].name, "cpu");
	assert_int_equal(config.groups[0].kind, EXPORT_MACHINE);
	assert_string_equal(config.groups[0].events, "cycles,instructions,sched:sched_switch");
	assert_int_equal(config.groups[0].series, EXPORT_SERIES);
	assert_int_equal(config.groups[1].kind, EXPORT_POD);
	assert_int_equal(config.groups[1].series, 50);
	assert_true(config.groups[1].by_id);
	assert_true(config.groups[1].background);
	assert_false(config.groups[0].background);
	assert_string_equal(config.groups[2].of, "vfs_read,vfs_write");
	assert_null(config.groups[3].events);
}

static void refused(void **state)
{
	static const struct {
		const char *text, *error;
	} rows[] = {
		{ "count = machine\n", "line 1: a line before the first [section]" },
		{ "[a]\nnonsense\n", "line 2: neither [section] nor name = value" },
		{ "[a]\ncount = machin\nevents = a\n", "line 2: count is machine, cpu, cgroup, unit, pod, job, "
						       "span or section, not 'machin': did you mean 'machine'?" },
		{ "[a]\nevent = a\n", "line 2: a group has no 'event': did you mean 'events'?" },
		{ "[exporter]\nport = 1\n", "line 2: [exporter] has no 'port'" },
		{ "[A b]\ncount = cpu\n", "line 2: [A b]: a group's name is a part of its metrics' names: "
					  "small letters, digits and _ between them" },
		{ "[a_]\ncount = cpu\n", "line 2: [a_]: a group's name is a part of its metrics' names: "
					 "small letters, digits and _ between them" },
		{ "[a]\ncount = cpu\nevents = x\n[b]\ncount = cpu\nevents = x\n[a]\ncount = cpu\n",
		  "line 8: [a] is there twice" },
		{ "[a_b]\ncount = cpu\nevents = x\n[a]\ncount = cpu\n",
		  "line 5: [a_b] and [a]: with _ between them, their metrics could have one name" },
		{ "[exporter_b]\ncount = cpu\n", "line 2: [exporter_b]: the exporter's own metrics begin so" },
		{ "[a]\ncount = cpu\nevents = x\ncount = cpu\n", "line 4: 'count' is there twice" },
		{ "[a]\ncount = cpu\ncount = cpu\n", "line 3: 'count' is there twice" },
		{ "[a]\ncount =\n", "line 2: 'count' has no value" },
		{ "[a]\nevents = x\n", "[a] does not say what it counts: count = machine, or another" },
		{ "[a]\ncount = unit\n", "[a] has no events" },
		{ "[a]\ncount = span\nevents = x\n", "[a] has no functions: of = vfs_read, or others" },
		{ "[a]\ncount = span\nevents = x\nof = vfs_read, y, vfs_read\n",
		  "[a]: 'vfs_read' is there twice" },
		{ "[a]\ncount = section\nevents = x\n", "[a]: what sections count is the kernel modules' "
							"choice; they take no events" },
		{ "[a]\ncount = cpu\nevents = x\nof = y\n", "[a]: 'of' is for spans and sections" },
		{ "[a]\ncount = cpu\nevents = x\nlabels = id\n",
		  "[a]: 'labels' is for what is counted by cgroup" },
		{ "[a]\nbackground = 1\n", "line 2: background is yes or no, not '1'" },
		{ "[a]\nlabels = path\n", "line 2: labels is all or id, not 'path'" },
		{ "[a]\nseries = 0\n", "line 2: a number of 1 or more is wanted, and one that is possible, "
				       "not '0'" },
		{ "[a]\nseries = 99999999999999999999\n", "line 2: a number of 1 or more is wanted, and one "
							  "that is possible, not '99999999999999999999'" },
		{ "[a]\nseries = -1\n", "line 2: a number of 1 or more is wanted, and one that is possible, "
					"not '-1'" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		export_config_free(&config);
		export_config_init(&config);
		assert_row(i, export_config_parse(&config, rows[i].text, error) == -EINVAL);
		assert_string_equal(error, rows[i].error);
	}
}

static void long_lines(void **state)
{
	char text[400] = "[a]\nevents = ";

	(void)state;
	memset(text + strlen(text), 'x', 300);
	assert_int_equal(export_config_parse(&config, text, error), -EINVAL);
	assert_string_equal(error, "line 2: it has more than 190 bytes: lists go on in the next line, if "
				   "that is indented");
}

static void too_many(void **state)
{
	static char text[65 * 40];
	size_t len = 0;
	int i;

	(void)state;
	for (i = 0; i < EXPORT_GROUPS_MAX + 1; i++)
		len += (size_t)sprintf(text + len, "[g%d]\ncount = cpu\nevents = a\n", i);
	assert_int_equal(export_config_parse(&config, text, error), -EINVAL);
	assert_non_null(strstr(error, "[g64] is one group too many: 64 are the most"));
}

static void no_file(void **state)
{
	(void)state;
	assert_int_equal(export_config_read(&config, "/nonexistent", error), -ENOENT);
	assert_string_equal(error, "");
	assert_int_equal(export_config_read(&config, "/", error), -EISDIR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(whole, setup, teardown),
		cmocka_unit_test_setup_teardown(refused, setup, teardown),
		cmocka_unit_test_setup_teardown(long_lines, setup, teardown),
		cmocka_unit_test_setup_teardown(too_many, setup, teardown),
		cmocka_unit_test_setup_teardown(no_file, setup, teardown),
	};

	return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
