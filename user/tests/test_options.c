// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of stat. */
#include "test.h"

#include <unistd.h>

#include "cli.h"
#include "stat_options.h"

#define ARGS_MAX 32

/* Splits at blanks, and parses, with stderr going to @said. */
static int parse(struct stat_options *o, const char *line, char *said, size_t size)
{
	static char copy[512];
	static char *argv[ARGS_MAX + 1];
	int argc = 0, ret, saved = dup(2);
	FILE *file = tmpfile();
	size_t len;
	char *word;

	snprintf(copy, sizeof(copy), "stat %s", line);
	for (word = strtok(copy, " "); word && argc < ARGS_MAX; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	dup2(fileno(file), 2);
	ret = stat_options_parse(o, argc, argv);
	dup2(saved, 2);
	close(saved);
	rewind(file);
	len = fread(said, 1, size - 1, file);
	said[len] = '\0';
	fclose(file);
	return ret;
}

static const struct {
	const char *line;
	const char *says;
} bad[] = {
	{ "", "nothing to count" },
	{ "-e cycles", "nothing to count" },
	{ "-p 1,2", "one thread" },
	{ "-p x", "not 'x'" },
	{ "-p 0", "not '0'" },
	{ "-p 1x", "not '1x'" },
	{ "-p -5", "not '-5'" },
	{ "-p 99999999999", "not '99999999999'" },
	{ "-C 0,1", "one CPU" },
	{ "-C 0-3", "one CPU" },
	{ "-C x", "not 'x'" },
	{ "-p 1 -C 0", "exclude each other" },
	{ "-r 0 true", "not '0'" },
	{ "-r x true", "not 'x'" },
	{ "-r 3 -p 1", "there is none" },
	{ "-x , -j true", "exclude each other" },
	{ "--append true", "name it with -o" },
	{ "--no-such true", "--help" },
	{ "-e", "--help" },
};

static void bad_lines(void **state)
{
	struct stat_options o;
	char said[1024];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_row(i, parse(&o, bad[i].line, said, sizeof(said)) == -EXIT_TOOL);
		if (!strstr(said, bad[i].says))
			fail_msg("'%s': %s", bad[i].line, said);
		stat_options_free(&o);
	}
}

static void defaults(void **state)
{
	struct stat_options o;
	char said[256];

	(void)state;
	assert_int_equal(parse(&o, "true", said, sizeof(said)), 1);
	assert_string_equal(said, "");
	assert_int_equal(o.nr_events, 0);
	assert_int_equal(o.pid, 0);
	assert_int_equal(o.cpu, -1);
	assert_int_equal(o.repeat, 1);
	assert_true(o.big_num);
	assert_false(o.csv || o.json || o.append || o.perf || o.fallback || o.verbose);
	assert_null(o.output);
	assert_string_equal(o.command[0], "true");
	assert_null(o.command[1]);
	stat_options_free(&o);
}

static void everything(void **state)
{
	struct stat_options o;
	char said[256];

	(void)state;
	assert_int_equal(parse(&o, "-e a,b --event {c} -p 7 --repeat 5 -x \\t -o f --append "
			       "--no-big-num -v --perf -- cmd -x", said, sizeof(said)), 1);
	assert_int_equal(o.nr_events, 2);
	assert_string_equal(o.events[0], "a,b");
	assert_string_equal(o.events[1], "{c}");
	assert_int_equal(o.pid, 7);
	assert_int_equal(o.repeat, 5);
	assert_true(o.csv);
	assert_string_equal(o.separator, "\t");
	assert_string_equal(o.output, "f");
	assert_true(o.append && o.verbose && o.perf);
	assert_false(o.big_num);
	assert_string_equal(o.command[0], "cmd");
	assert_string_equal(o.command[1], "-x");
	stat_options_free(&o);
}

/* What follows the command is the command's, with or without "--". */
static void options_of_the_command(void **state)
{
	struct stat_options o;
	char said[256];

	(void)state;
	assert_int_equal(parse(&o, "-j ls -x -r", said, sizeof(said)), 1);
	assert_true(o.json);
	assert_false(o.csv);
	assert_string_equal(o.command[1], "-x");
	assert_string_equal(o.command[2], "-r");
	stat_options_free(&o);
	assert_int_equal(parse(&o, "-C 0", said, sizeof(said)), 1);
	assert_int_equal(o.cpu, 0);
	assert_null(o.command);
	stat_options_free(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_lines),
		cmocka_unit_test(defaults),
		cmocka_unit_test(everything),
		cmocka_unit_test(options_of_the_command),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
