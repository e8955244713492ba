// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What is said of options that there are not, and how: one sentence, the place, what is close. */
#include "test.h"

#include "hear.h"

#include "args/cli.h"
#include "say/name.h"
#include "args/option.h"
#include "args/refused.h"

static const struct option longs[] = {
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "event", required_argument, NULL, 'e' },
	{ "interval-print", required_argument, NULL, 'I' },
	{ "interval-count", required_argument, NULL, 300 },
	{ "per-core", no_argument, NULL, 301 },
	{ "per-socket", no_argument, NULL, 302 },
	{ "percore-threads", no_argument, NULL, REFUSED_FIRST },
	{ NULL, 0, NULL, 0 },
};

/* Parses a line, split at blanks, to its end or first error; stderr goes to @said. */
static int parse(const char *line, const char *letters, char *said, size_t size)
{
	static struct words w;
	struct hear h;
	int option;

	split_words(&w, "x", line);
	h = hear_begin();
	optind = 0;
	while ((option = option_next(w.argc, w.argv, letters, longs)) != -1 && option != '?')
		;
	hear_end(&h, said, size);
	return option;
}

static void wrong(void **state)
{
	static const struct {
		const char *line;
		const char *says;
	} rows[] = {
		{ "--evnt x", "no option --evnt: did you mean '--event'?\n  --evnt\n    ^\n" },
		{ "--intervl 3", "did you mean '--interval-print' or '--interval-count'?" },
		{ "--nosuch", "pmcgrp t: there is no option --nosuch\n  --nosuch\n    ^\n" },
		{ "--evnt=x", "no option --evnt: did you mean '--event'?\n  --evnt=x\n    ^\n" },
		{ "--per", "--per may be --per-core, --per-socket, ...: write more of it\n  --per\n    ^\n" },
		{ "--percore", "" },
		{ "-Z", "no option -Z\n  -Z\n   ^\n" },
		{ "-aZe x", "no option -Z\n  -aZe\n    ^\n" },
		{ "-A", "no option -A: did you mean '-a'?\n  -A\n   ^\n" },
		{ "-N", "no option -N\n  -N\n   ^\n" },	/* -n is refused */
		{ "-a -aZ", "no option -Z\n  -aZ\n    ^\n" },
		{ "word -Z", "no option -Z\n  -Z\n   ^\n" },
		{ "-e", "-e, --event wants an argument, and nothing follows it\n  -e\n   ^\n" },
		{ "-ae", "-e, --event wants an argument, and nothing follows it\n  -ae\n    ^\n" },
		{ "--event", "--event wants an argument, and nothing follows it\n" },
		{ "--all-cpus=3", "--all-cpus takes no argument\n  --all-cpus=3\n            ^\n" },
		{ "-\001", "no option that is the byte 0x01\n" },
		{ "--evnt", "\"pmcgrp t --help\" lists the options\n" },
	};
	char said[2048];
	unsigned int i;

	(void)state;
	cli_begin("t");
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		parse(rows[i].line, "ae:I:n", said, sizeof(said));
		if (!strstr(said, rows[i].says) || !*rows[i].says != !*said)
			fail_msg("%s: %s", rows[i].line, said);
	}
}

/* As getopt_long() has it: what belongs to a command is not looked at. */
static void right(void **state)
{
	char said[256];

	(void)state;
	assert_int_equal(parse("-a -e x --interval-c=3 -- -Z", "+ae:I:", said, sizeof(said)), -1);
	assert_int_equal(parse("-a word -Z", "+ae:I:", said, sizeof(said)), -1);
	assert_int_equal(parse("-a word -Z", "ae:I:", said, sizeof(said)), '?');
}

/* However long what was written is, no line is: its beginning and its end are shown. */
static void long_words(void **state)
{
	char line[900] = "--x", said[4096], *at, *next;
	size_t i;

	(void)state;
	for (i = 3; i < sizeof(line) - 2; i++)
		line[i] = (char)('a' + i % 26);
	line[i] = '\0';
	assert_int_equal(parse(line, "a", said, sizeof(said)), '?');
	for (at = said; *at; at = next + 1) {
		next = strchr(at, '\n');
		assert_non_null(next);
		assert_true(next - at <= 180);
	}
	assert_non_null(strstr(said, "..."));
}

/* Lines are as wide as their characters, and none of these is cut, however long the word. */
static void characters_are_whole(void **state)
{
	char text[2000] = "", said[4096], *line, *at, *shown;
	struct hear h;
	size_t nr, i;

	(void)state;
	for (nr = 150; nr < 400; nr += 7) {
		text[0] = '\0';
		for (i = 0; i < nr; i++)
			strcat(text, "\xc3\xbc");
		h = hear_begin();
		cli_say("%s is long", text);
		hear_end(&h, said, sizeof(said));
		/* It has a line of its own as long as there is room for it. */
		assert_row(nr, !strstr(said, text) == (nr >= 178));
		for (at = said; (line = strsep(&at, "\n"));) {
			shown = name_dup(line, strlen(line));
			assert_row(nr, !strcmp(shown, line) && name_columns(line) <= 180);
			free(shown);
		}
	}
}

/* A line ends between words, and not in a command that is there to be copied. */
static void commands_are_whole(void **state)
{
	static const char command[] = "\"pmcgrp stat -a -I 100 -e 'a long event'\"";
	char said[1024], before[200];
	struct hear h;
	size_t i;

	(void)state;
	memset(before, 'x', sizeof(before));
	for (i = 100; i < 180; i++) {
		h = hear_begin();
		cli_say("%.*s %s prints it", (int)i, before, command);
		hear_end(&h, said, sizeof(said));
		assert_non_null(strstr(said, command));
		assert_true(strcspn(said, "\n") <= 180);
	}
	/* A quote that does not end is a character as others are. */
	h = hear_begin();
	cli_say("%.*s \"a b", 175, before);
	hear_end(&h, said, sizeof(said));
	assert_non_null(strstr(said, "x \"a\n  b\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong),
		cmocka_unit_test(right),
		cmocka_unit_test(long_words),
		cmocka_unit_test(characters_are_whole),
		cmocka_unit_test(commands_are_whole),
	};

	return cmocka_run_group_tests_name("option", tests, NULL, NULL);
}
