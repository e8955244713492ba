// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What is said of options that there are not, and how: one sentence, the place, what is close. */
#include "test.h"

#include "hear.h"

#include "args/cli.h"
#include "say/name.h"
#include "args/common_options.h"

enum choice {
	AUTO,
	NEVER,
	ALWAYS,
};

struct values {
	bool all_cpus;
	const char **events;
	unsigned int nr_events;
	int interval;
	unsigned int interval_count;
	bool core;
	bool socket;
	const char *text;
	struct args_ids ids;
	bool has_cpus;
	struct pmcgrp_cpus cpus;
	int called;
	int from;
	enum choice choice;
};

static int call(void *at, int value)
{
	*(int *)at += value;
	return 1;
}

static int call_twice(void *at, int value)
{
	*(int *)at += 2 * value;
	return 1;
}

static int optional(void *options, const char *text)
{
	struct values *v = options;

	v->text = text ? text : "none";
	return 1;
}

static const struct option_line lines[] = {
	OPTION_SWITCH("all-cpus", 'a', struct values, all_cpus),
	OPTION_EVENT(struct values, ),
	OPTION_INTERVALS(struct values, ),
	OPTION_SWITCH("per-core", 0, struct values, core),
	OPTION_SWITCH("per-socket", 0, struct values, socket),
	OPTION_SWITCH_TO("global", 0, struct values, core, false),
	OPTION_TEXT("output", 'o', struct values, text),
	OPTION_TEXT("output-file", 'o', struct values, text),
	OPTION_TEXT("log-text", 0, struct values, text),
	OPTION_TEXT("log-file", 0, struct values, text),
	OPTION_NUMBER("level", 0, struct values, interval, 2, 4, "a level"),
	OPTION_NUMBER("from", 0, struct values, from, -2, 0, "a number"),
	OPTION_IDS("pid", 'p', struct values, ids),
	OPTION_CPU(struct values, ),
	OPTION_CALL("times", 'x', struct values, called, call, 3),
	OPTION_CALL("once", 0, struct values, called, call, 5),
	OPTION_CALL("twice", 0, struct values, called, call_twice, 5),
	OPTION_CHOICE("color", 0, struct values, choice, "auto,never,always"),
	OPTION_OWN("zip", 'k', optional, optional),
	OPTION_NOTHING("so-anyway", 0),
	OPTION_HELP(""),
	{ .kind = OPTION_END },
};

static const struct refused_option refused_options[] = {
	{ "percore-threads", no_argument, 'n', "shares a core", "wait" },
};

static const struct refused refused = { refused_options, ARRAY_SIZE(refused_options) };

static void values_free(struct values *v)
{
	free(v->events);
	free(v->ids.id);
}

/* Parses a line, split at blanks; stderr goes to @said. */
static int parse_into(struct values *v, const char *line, bool stops, char *said, size_t size)
{
	static struct words w;

	memset(v, 0, sizeof(*v));
	split_words(&w, "x", line);
	return hear(option_parse(v, lines, &refused, stops, w.argc, w.argv), said, size);
}

static int parse(const char *line, bool stops, char *said, size_t size)
{
	struct values v;
	int ret = parse_into(&v, line, stops, said, size);

	values_free(&v);
	return ret;
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
		{ "--percore", "--percore-threads shares a core; instead: wait\n" },
		{ "-an", "--percore-threads shares a core; instead: wait\n" },
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
		{ "-I x", "-I wants milliseconds, 1 or more, not 'x'" },
		{ "-I 0", "-I wants milliseconds, 1 or more, not '0'" },
		{ "-I +5", "-I wants milliseconds, 1 or more, not '+5'" },
		{ "-I -5", "-I wants milliseconds, 1 or more, not '-5'" },
		{ "--from +1", "--from wants a number, not '+1'" },
		{ "--from --1", "--from wants a number, not '--1'" },
		{ "--from -3", "--from wants a number, not '-3'" },
		{ "--level 1", "--level wants a level, not '1'" },
		{ "--level 5", "--level wants a level, not '5'" },
		{ "-p 1,x", "-p wants numbers of processes or threads, separated by commas: 'x'" },
		{ "-p 1,+2", "'+2' is none\n  1,+2\n    ^\n" },
		{ "--color nver", "--color wants auto, never or always, not 'nver': did you mean 'never'?" },
		{ "--color auto,never", "not 'auto,never'" },
		{ "--color=", "not ''" },
		{ "-C x", "-C wants a list of CPUs" },
	};
	char said[2048];
	unsigned int i;

	(void)state;
	cli_begin("t");
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (parse(rows[i].line, false, said, sizeof(said)) != -EXIT_TOOL ||
		    !strstr(said, rows[i].says))
			fail_msg("%s: %s", rows[i].line, said);
	}
}

/* As getopt_long() has it: what belongs to a command is not looked at. */
static void right(void **state)
{
	char said[256];

	(void)state;
	assert_int_equal(parse("-a -e x --interval-c=3 -- -Z", true, said, sizeof(said)), 1);
	assert_int_equal(optind, 6);
	assert_int_equal(parse("-a word -Z", true, said, sizeof(said)), 1);
	assert_int_equal(optind, 2);
	assert_int_equal(parse("-a word -Z", false, said, sizeof(said)), -EXIT_TOOL);
	assert_int_equal(parse("--help -Z", false, said, sizeof(said)), 0);
}

/* What each kind of line makes of its argument. */
static void kinds(void **state)
{
	struct values v;
	char said[256];

	(void)state;
	assert_int_equal(parse_into(&v, "-a --per-core --event=x -e y -I 5 --interval-count 7 -p 1,2 "
				    "-C 0,2 -xx --times -k --so-anyway --color=always", false, said, sizeof(said)),
			 1);
	assert_true(v.all_cpus && v.core && !v.socket && v.nr_events == 2);
	assert_string_equal(v.events[0], "x");
	assert_string_equal(v.events[1], "y");
	assert_true(v.interval == 5 && v.interval_count == 7 && v.called == 9 && v.choice == ALWAYS);
	assert_true(v.ids.nr == 2 && v.ids.id[1] == 2 && v.has_cpus && pmcgrp_cpus_nr(&v.cpus) == 2);
	assert_string_equal(v.text, "none");
	values_free(&v);
	/* The last one counts. */
	assert_int_equal(parse_into(&v, "--per-core --global --zip=x -o y --level 4", false, said,
				    sizeof(said)),
			 1);
	assert_true(!v.core && v.interval == 4);
	assert_string_equal(v.text, "y");
	values_free(&v);
	/* Two that are called for the same are two. */
	assert_int_equal(parse_into(&v, "--once --twice --from -2", false, said, sizeof(said)), 1);
	assert_true(v.called == 15 && v.from == -2);
	values_free(&v);
	/* What both names begin with, which are for the same. */
	assert_int_equal(parse_into(&v, "--outp x --log y", false, said, sizeof(said)), 1);
	assert_string_equal(v.text, "y");
	values_free(&v);
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
	assert_int_equal(parse(line, false, said, sizeof(said)), -EXIT_TOOL);
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
		cmocka_unit_test(kinds),
		cmocka_unit_test(long_words),
		cmocka_unit_test(characters_are_whole),
		cmocka_unit_test(commands_are_whole),
	};

	return cmocka_run_group_tests_name("option", tests, NULL, NULL);
}
