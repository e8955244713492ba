// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The options of counts by key: what they mean, and what does not go together. */
#include "test.h"

#include "args/cli.h"
#include "parse_options.h"

static const struct {
	const char *line;
	enum pmcgrp_key_type type;
	unsigned int depth;
	int rows;
} kinds[] = {
	{ "-a --by cgroup", PMCGRP_KEY_CGROUP, PMCGRP_KEYS_LEAF, 20 },
	{ "-a --by cgroup:0", PMCGRP_KEY_CGROUP, PMCGRP_KEYS_ROOT, 20 },
	{ "-C 0 --by cgroup:2 --rows 0", PMCGRP_KEY_CGROUP, 2, 0 },
	{ "--by process true", PMCGRP_KEY_PROCESS, PMCGRP_KEYS_LEAF, 20 },
	{ "-p 1 -i --by thread --rows 5", PMCGRP_KEY_THREAD, PMCGRP_KEYS_LEAF, 5 },
	{ "-a --by cgroup:3 --by command --sort x", PMCGRP_KEY_COMMAND, PMCGRP_KEYS_LEAF, 20 },
};

static void accepted(void **state)
{
	struct stat_options o;
	char said[1024];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		assert_row(i, parse(&o, kinds[i].line, said, sizeof(said)) == 1);
		assert_row(i, o.by.is && o.by.key.type == kinds[i].type);
		assert_row(i, o.by.key.depth == kinds[i].depth && o.by.rows == kinds[i].rows);
		stat_options_free(&o);
	}
	assert_int_equal(parse(&o, "-a -e x -G a,b -G c", said, sizeof(said)), 1);
	assert_int_equal(o.nr_cgroups, 2);
	assert_string_equal(o.cgroups[1], "c");
	assert_true(stat_by_key(&o) && !o.by.is);
	stat_options_free(&o);
	assert_int_equal(parse(&o, "-C 1 --for-each-cgroup a -r 3 true", said, sizeof(said)), 1);
	assert_int_equal(o.nr_each, 1);
	stat_options_free(&o);
	assert_int_equal(parse(&o, "-a true", said, sizeof(said)), 1);
	assert_false(stat_by_key(&o));
	stat_options_free(&o);
}

static const struct {
	const char *line;
	const char *says;
} wrong[] = {
	{ "-a --by cgruop", "did you mean 'cgroup'?" },
	{ "-a --by cgroups", "--by" },
	{ "-a --by cgroup:", "--by cgroup:DEPTH wants" },
	{ "-a --by cgroup:x", "--by cgroup:DEPTH wants" },
	{ "-a --by cgroup:-1", "--by cgroup:DEPTH wants" },
	{ "-a --by process --rows x", "--rows wants" },
	{ "-a --sort x", "--sort and --rows" },
	{ "-a --rows 3", "--sort and --rows" },
	{ "-t 1 --by process", "-t counts single threads" },
	{ "-i --by process true", "-i counts a command's first thread" },
	{ "--by process -r 2 true", "--by and -r exclude" },
	{ "-a --by process --metric-only", "-x and -j" },
	{ "-a --by process -I 10 --summary", "--summary" },
	{ "-a --by process -A", "-A, --per-core" },
	{ "--per-thread -a --by thread", "--per-thread" },
	{ "-a --per-core --for-each-cgroup a", "--per-core" },
	{ "-a --by process -G a", "give one of them" },
	{ "-a --by process --for-each-cgroup a", "give one of them" },
	{ "-a -e x -G a --for-each-cgroup b", "-G and --for-each-cgroup exclude" },
	{ "-a -G a", "give -e as well" },
	{ "-e x -G a true", "add -a or -C" },
	{ "-p 1 --for-each-cgroup a", "add -a or -C" },
	{ "-a --perf --by process", "no counts by key" },
	{ "-a --perf --for-each-cgroup a", "an event for each cgroup" },
	{ "-a -n --by process", "-n counts nothing" },
};

static void refused(void **state)
{
	struct stat_options o;
	char said[1024];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_row(i, parse(&o, wrong[i].line, said, sizeof(said)) == -EXIT_TOOL);
		if (!strstr(said, wrong[i].says))
			fail_msg("'%s': %s", wrong[i].line, said);
		stat_options_free(&o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepted),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests_name("options_keys", tests, NULL, NULL);
}
