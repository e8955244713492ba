// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of span. */
#include "test.h"

#include "args/cli.h"
#include "span/span_options.h"

#define WORDS_MAX 12

/* Parses words up to NULL; argv is the caller's, as functions and the command stay there. */
static int parse(struct span_options *o, char **argv, const char *const *words)
{
	int argc = 1;

	argv[0] = "span";
	for (; argc <= WORDS_MAX && words[argc - 1]; argc++)
		argv[argc] = (char *)(uintptr_t)words[argc - 1];
	argv[argc] = NULL;
	return span_options_parse(o, argc, argv);
}

static void good(void **state)
{
	static const struct {
		const char *words[WORDS_MAX];
		struct span_options is;
		const char *command;
	} rows[] = {
		{ { "f", "--", "ls", "-l" }, { .nr_functions = 1 }, "ls" },
		/* options behind functions, and none of the command's */
		{ { "f", "-e", "cycles", "g", "--", "ls", "-a", "--", "x" },
		  { .nr_functions = 2, .nr_events = 1 }, "ls" },
		{ { "-a", "f" }, { .nr_functions = 1, .all_cpus = true }, NULL },
		{ { "--all-cpus", "f", "--", "ls" }, { .nr_functions = 1, .all_cpus = true }, "ls" },
		{ { "f", "-a", "--" }, { .nr_functions = 1, .all_cpus = true }, NULL },
		{ { "-C0", "f" }, { .nr_functions = 1, .has_cpus = true }, NULL },
		{ { "--cpu", "0-3", "f" }, { .nr_functions = 1, .has_cpus = true }, NULL },
		{ { "-p1,2", "f" }, { .nr_functions = 1, .pids.nr = 2 }, NULL },
		{ { "--pid=1", "f", "--", "ls" }, { .nr_functions = 1, .pids.nr = 1 }, "ls" },
		{ { "-G", "a,b/c", "f" }, { .nr_functions = 1, .cgroups = "a,b/c" }, NULL },
		{ { "--cgroup=a", "-a", "f", "--", "ls" },
		  { .nr_functions = 1, .all_cpus = true, .cgroups = "a" }, "ls" },
		{ { "-t", "7", "f" }, { .nr_functions = 1, .tids.nr = 1 }, NULL },
		{ { "--tid=7", "f" }, { .nr_functions = 1, .tids.nr = 1 }, NULL },
		{ { "-i", "f", "--", "ls" }, { .nr_functions = 1, .no_inherit = true }, "ls" },
		{ { "--no-inherit", "f", "--", "ls" }, { .nr_functions = 1, .no_inherit = true },
		  "ls" },
		{ { "--event=a", "-eb", "f", "--", "ls" }, { .nr_functions = 1, .nr_events = 2 },
		  "ls" },
		{ { "--max-active", "9", "f", "-a" },
		  { .nr_functions = 1, .all_cpus = true, .max_active = 9 }, NULL },
		{ { "-a", "-H", "-o", "x", "f" },
		  { .nr_functions = 1, .all_cpus = true, .output = "x", .show.histogram = true }, NULL },
		{ { "-a", "--histogram", "--output=x", "f" },
		  { .nr_functions = 1, .all_cpus = true, .output = "x", .show.histogram = true }, NULL },
		{ { "-a", "-j", "f" }, { .nr_functions = 1, .all_cpus = true, .show.json = true }, NULL },
		{ { "-a", "--json", "-I5", "--interval-count", "2", "f" },
		  { .nr_functions = 1, .all_cpus = true, .show = { .json = true, .interval = 5,
								   .interval_count = 2 } }, NULL },
		{ { "-a", "-x;", "--interval-print=5", "f" },
		  { .nr_functions = 1, .all_cpus = true, .show = { .separator = ";",
								   .interval = 5 } }, NULL },
		{ { "-a", "f", "--by", "process" },
		  { .nr_functions = 1, .all_cpus = true,
		    .by = { .is = true, .key = { PMCGRP_KEY_PROCESS, PMCGRP_KEYS_LEAF } } }, NULL },
		{ { "-a", "f", "--by=cgroup", "--top=3" },
		  { .nr_functions = 1, .all_cpus = true,
		    .by = { .is = true, .top = 3,
			    .key = { PMCGRP_KEY_CGROUP, PMCGRP_KEYS_LEAF } } }, NULL },
		{ { "-a", "f", "--top", "3", "--by", "cgroup:2" },
		  { .nr_functions = 1, .all_cpus = true,
		    .by = { .is = true, .top = 3, .key = { PMCGRP_KEY_CGROUP, 2 } } }, NULL },
		{ { "-a", "f", "--by", "cpu", "-H" },
		  { .nr_functions = 1, .all_cpus = true, .show.histogram = true,
		    .by = { .is = true, .cpus = true, .key.depth = PMCGRP_KEYS_LEAF } }, NULL },
		{ { "-a", "f", "--by", "process", "-H", "-j" },
		  { .nr_functions = 1, .all_cpus = true, .show = { .histogram = true, .json = true },
		    .by = { .is = true,
			    .key = { PMCGRP_KEY_PROCESS, PMCGRP_KEYS_LEAF } } }, NULL },
		{ { "-a", "f", "--by", "thread" },
		  { .nr_functions = 1, .all_cpus = true,
		    .by = { .is = true, .key = { PMCGRP_KEY_THREAD, PMCGRP_KEYS_LEAF } } }, NULL },
		{ { "-a", "f", "--by", "command" },
		  { .nr_functions = 1, .all_cpus = true,
		    .by = { .is = true, .key = { PMCGRP_KEY_COMMAND, PMCGRP_KEYS_LEAF } } }, NULL },
		{ { "-a", "f", "sys_enter/sys_exit", "a/b@arg1:4" },
		  { .nr_functions = 3, .all_cpus = true }, NULL },
		{ { "-a", "f", "--record", "x" },
		  { .nr_functions = 1, .all_cpus = true, .record = "x" }, NULL },
		{ { "-a", "f", "--record=x", "-m64", "-j", "-o", "y", "--by", "cpu" },
		  { .nr_functions = 1, .all_cpus = true, .record = "x", .pages = 64, .output = "y",
		    .show.json = true,
		    .by = { .is = true, .cpus = true, .key.depth = PMCGRP_KEYS_LEAF } }, NULL },
		{ { "-a", "f", "--mmap-pages", "1", "--record=x" },
		  { .nr_functions = 1, .all_cpus = true, .record = "x", .pages = 1 }, NULL },
		{ { "-a", "--field-separator", ";", "f" },
		  { .nr_functions = 1, .all_cpus = true, .show.separator = ";" }, NULL },
	};
	char *argv[WORDS_MAX + 2];
	struct span_options o;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct span_options *is = &rows[i].is;

		memset(&o, 0xff, sizeof(o));
		assert_row(i, parse(&o, argv, rows[i].words) == 1);
		assert_row(i, o.nr_functions == is->nr_functions && !strcmp(o.functions[0], "f"));
		assert_row(i, o.nr_events == is->nr_events && o.max_active == is->max_active);
		assert_row(i, o.all_cpus == is->all_cpus && o.has_cpus == is->has_cpus);
		assert_row(i, o.pids.nr == is->pids.nr && o.tids.nr == is->tids.nr);
		assert_row(i, o.no_inherit == is->no_inherit);
		assert_row(i, !o.cgroups == !is->cgroups);
		assert_row(i, !is->cgroups || !strcmp(o.cgroups, is->cgroups));
		assert_row(i, !o.output == !is->output && o.pages == is->pages);
		assert_row(i, !o.record == !is->record);
		assert_row(i, !is->record || !strcmp(o.record, is->record));
		assert_row(i, o.show.histogram == is->show.histogram && o.show.json == is->show.json);
		assert_row(i, o.show.interval == is->show.interval);
		assert_row(i, o.show.interval_count == is->show.interval_count);
		assert_row(i, !o.show.separator == !is->show.separator);
		assert_row(i, o.by.is == is->by.is && o.by.cpus == is->by.cpus);
		assert_row(i, o.by.key.type == is->by.key.type && o.by.top == is->by.top);
		assert_row(i, o.by.key.depth == is->by.key.depth);
		assert_row(i, o.by.histograms == is->show.histogram);
		assert_row(i, !o.command == !rows[i].command);
		assert_row(i, !o.command || !strcmp(o.command[0], rows[i].command));
		span_options_free(&o);
	}
}

static void bad(void **state)
{
	static const char *const rows[][WORDS_MAX] = {
		{ NULL },
		{ "-a" },
		{ "--", "ls" },
		{ "f" },
		{ "f", "--" },
		{ "f", "ls" },
		{ "-a", "-p1", "f" },
		{ "-C0", "-t1", "f" },
		{ "-p1", "-t1", "f" },
		{ "-G", "a", "-p1", "f" },
		{ "-G", "a", "-C0", "f" },
		{ "-i", "-G", "a", "f", "--", "ls" },
		{ "-i", "-a", "f" },
		{ "-i", "-p1", "f", "--", "ls" },
		{ "-p", "x", "f" },
		{ "-t", "0", "f" },
		{ "-C", "x", "f" },
		{ "-a", "f", "--max-active", "0" },
		{ "-a", "f", "--max-active", "many" },
		{ "-a", "f", "-I", "0" },
		{ "-a", "f", "--interval-count", "3" },
		{ "-a", "f", "-I1", "--interval-count", "0" },
		{ "-a", "f", "-j", "-x;" },
		{ "-a", "f", "-j", "-H" },
		{ "-a", "f", "-x;", "-H" },
		{ "-a", "f", "-x", "" },
		{ "-a", "f", "-e" },
		{ "-a", "f", "--by", "user" },
		{ "-a", "f", "--by", "" },
		{ "-a", "f", "--by", "cgroup:" },
		{ "-a", "f", "--by", "cgroup:-1" },
		{ "-a", "f", "--by", "cgroups" },
		{ "-a", "f", "--top", "3" },
		{ "-a", "f", "--by", "cpu", "--top", "0" },
		{ "-a", "f", "--by", "cpu", "-I5" },
		{ "-a", "f", "--nosuch" },
		{ "-a", "f", "--record" },
		{ "-a", "f", "--record", "" },
		{ "-a", "f", "--record", "-" },
		{ "-a", "f", "--record", "x", "-I5" },
		{ "-G", "a", "f", "--record", "x" },
		{ "-a", "f", "--record", "x", "-m", "3" },
		{ "-a", "f", "--record", "x", "-m", "0" },
		{ "-a", "f", "--record", "x", "-m", "65536" },
		{ "-a", "f", "-m", "64" },
		{ "-a", "f", "a/b" },
		{ "-a", "a/b@argx" },
	};
	char *argv[WORDS_MAX + 2];
	struct span_options o;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_row(i, parse(&o, argv, rows[i]) == -EXIT_TOOL);
		span_options_free(&o);
	}
}

static void help(void **state)
{
	static const char *const words[] = { "--help", NULL };
	char *argv[WORDS_MAX + 2];
	struct span_options o;

	(void)state;
	assert_int_equal(parse(&o, argv, words), 0);
	span_options_free(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),
		cmocka_unit_test(bad),
		cmocka_unit_test(help),
	};

	return cmocka_run_group_tests_name("span_options", tests, NULL, NULL);
}
