// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "event/near.h"
#include "option.h"

struct options {
	struct option_line *lines;	/* the command's own, and those that are refused */
	int nr;
	struct option *longs;		/* those that have a name, for getopt_long() */
	char *letters;
};

/* By an option's letter getopt_long() returns that; by its name this and the place of its line. */
#define VALUE_FIRST 256

static bool is_own(const struct option_line *line)
{
	return line->kind != OPTION_IS_REFUSED;
}

/* Another name for the same: getopt_long() takes what both names begin with. */
static bool is_same(const struct option_line *a, const struct option_line *b)
{
	return is_own(a) && a->kind == b->kind && a->at == b->at && a->value == b->value &&
	       a->argument == b->argument && a->call == b->call;
}

static int value_of(const struct options *o, const struct option_line *line)
{
	const struct option_line *at = o->lines;

	while (at != line && !is_same(at, line))
		at++;
	return VALUE_FIRST + (int)(at - o->lines);
}

static const struct option_line *find_letter(const struct options *o, int letter)
{
	int i;

	for (i = 0; i < o->nr; i++)
		if (o->lines[i].letter == letter)
			return &o->lines[i];
	return NULL;
}

static unsigned int count(const struct option_line *lines)
{
	unsigned int nr;

	for (nr = 0; lines[nr].kind != OPTION_END; nr++)
		;
	return nr;
}

static void add(struct options *o, const struct option_line *line)
{
	static const char * const colons[] = { "", ":", "::" };

	if (line->letter && !find_letter(o, line->letter))
		sprintf(o->letters + strlen(o->letters), "%c%s", line->letter, colons[line->has_arg]);
	o->lines[o->nr++] = *line;
}

static void add_refused(struct options *o, const struct refused_option *r)
{
	const struct option_line line = {
		.name = r->name,
		.letter = r->letter,
		.has_arg = r->has_arg,
		.kind = OPTION_IS_REFUSED,
		.what = r->why,
		.instead = r->instead,
	};

	add(o, &line);
}

static int options_init(struct options *o, const struct option_line *lines,
			const struct refused *refused, bool stops)
{
	unsigned int own = count(lines), all = own + (refused ? refused->nr : 0), i;
	struct option *at;

	*o = (struct options){
		.lines = calloc(all, sizeof(*o->lines)),
		.longs = calloc(all + 1, sizeof(*o->longs)),
		.letters = calloc(all + 1, strlen("x::")),
	};
	if (!o->lines || !o->longs || !o->letters)
		return args_wrong("out of memory");
	/* With a colon it tells a missing argument from an unknown option. */
	strcpy(o->letters, stops ? "+:" : ":");
	for (i = 0; i < own; i++)
		add(o, &lines[i]);
	for (; i < all; i++)
		add_refused(o, &refused->options[i - own]);
	for (i = 0, at = o->longs; i < all; i++) {
		if (o->lines[i].name)
			*at++ = (struct option){ o->lines[i].name, o->lines[i].has_arg, NULL,
						 value_of(o, &o->lines[i]) };
	}
	return 1;
}

static void options_free(struct options *o)
{
	free(o->lines);
	free(o->longs);
	free(o->letters);
}

/*
 * The word at which getopt_long() has stopped. Behind it if that was its last letter or its long
 * option; else a letter in the middle of it.
 */
static const char *word_at(int argc, char **argv)
{
	const char *before = optind > 1 ? argv[optind - 1] : "";
	size_t len = strlen(before);

	if (before[0] == '-' && (before[1] == '-' || !optopt || before[len - 1] == optopt ||
				 optind >= argc))
		return before;
	return optind < argc ? argv[optind] : before;
}

/* Names whose beginning, or one of their words, is close: --intervl is one of --interval-print. */
static void offer_parts(struct near *near, const char *name)
{
	char part[NEAR_LENGTH];
	const char *end;
	size_t len;

	for (end = strchr(name, '-'); end; end = strchr(end + 1, '-')) {
		len = (size_t)(end - name);
		if (len >= sizeof(part))
			continue;
		memcpy(part, name, len);
		part[len] = '\0';
		near_offer_as(near, part, name);
	}
}

/* Names that are close, or parts of them. */
static void offer(struct near *near, const struct options *o, bool parts)
{
	int i;

	for (i = 0; i < o->nr; i++) {
		if (!is_own(&o->lines[i]) || !o->lines[i].name)
			continue;
		if (parts)
			offer_parts(near, o->lines[i].name);
		else
			near_offer(near, o->lines[i].name);
	}
}

static void say_unknown_long(const char *word, const struct options *o)
{
	char name[NEAR_LENGTH] = "", text[NEAR_TEXT];
	size_t len = strcspn(word + 2, "=");
	struct near near;

	if (len < sizeof(name)) {
		memcpy(name, word + 2, len);
		name[len] = '\0';
	}
	near_begin(&near, name);
	offer(&near, o, false);
	if (!near.nr)
		offer(&near, o, true);
	cli_say("there is no option --%.*s%s", (int)len, word + 2,
		near_text_as(&near, "--", text, sizeof(text)));
	cli_point(word, 2);
}

/* Which options begin with what was written, as many as a line has room for. */
static bool say_ambiguous(const char *word, const struct options *o)
{
	size_t len = strcspn(word + 2, "="), used = 0;
	unsigned int nr = 0, shown = 0;
	char list[128] = "";
	const char *name;
	int i;

	for (i = 0; i < o->nr; i++) {
		name = o->lines[i].name;
		if (!name || strncmp(name, word + 2, len))
			continue;
		nr++;
		if (!is_own(&o->lines[i]) || used + strlen(name) + 4 >= sizeof(list))
			continue;
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s--%s",
					 shown++ ? ", " : "", name);
	}
	if (nr < 2)
		return false;
	cli_say("--%.*s may be %s%s: write more of it", (int)len, word + 2, list,
		shown < nr ? ", ..." : "");
	cli_point(word, 2);
	return true;
}

static void say_letter(const char *word, const struct options *o)
{
	const char *at = strchr(word + 1, optopt);
	int other = islower(optopt) ? toupper(optopt) : tolower(optopt);
	const struct option_line *near = other != optopt ? find_letter(o, other) : NULL;

	if (near && is_own(near))
		cli_say("there is no option -%c: did you mean '-%c'?", optopt, other);
	else if (isprint(optopt))
		cli_say("there is no option -%c", optopt);
	else
		cli_say("there is no option that is the byte 0x%02x", optopt & 0xff);
	cli_point(word, at ? (size_t)(at - word) : 0);
}

/* An option that there is, but not so. */
static void say_argument(const char *word, const struct options *o)
{
	bool is_long = word[1] == '-';
	const char *at = strchr(word, is_long ? '=' : optopt);
	const struct option_line *line;

	if (!is_long) {
		line = find_letter(o, optopt);
		cli_say("-%c%s%s wants an argument, and nothing follows it", optopt,
			is_own(line) ? ", --" : "", is_own(line) ? line->name : "");
	} else if (at) {
		cli_say("%.*s takes no argument", (int)(at - word), word);
	} else {
		cli_say("%s wants an argument, and nothing follows it", word);
	}
	cli_point(word, at ? (size_t)(at - word) : 2);
}

static int say_wrong(int argc, char **argv, bool missing, const struct options *o)
{
	const char *word = word_at(argc, argv);
	bool is_long = word[0] == '-' && word[1] == '-';

	if (missing || (is_long && optopt))
		say_argument(word, o);
	else if (!is_long)
		say_letter(word, o);
	else if (!say_ambiguous(word, o))
		say_unknown_long(word, o);
	cli_say("\"pmcgrp %s --help\" lists the options", cli_subcommand());
	return -EXIT_TOOL;
}

/* The option as messages have it: by its letter where it has one. */
static const char *spelled(const struct option_line *line, char *text, size_t size)
{
	if (line->letter)
		snprintf(text, size, "-%c", line->letter);
	else
		snprintf(text, size, "--%s", line->name);
	return text;
}

static int take_number(const struct option_line *line, int *number, const char *text)
{
	char option[64];

	return args_number(number, text, spelled(line, option, sizeof(option)), line->what, line->value,
			   line->max);
}

static int take_choice(const struct option_line *line, int *choice, const char *text)
{
	const char *at = line->what;
	size_t len = strlen(text);
	char option[64];
	int i;

	for (i = 0; strncmp(at, text, len) || len != strcspn(at, ","); i++) {
		at += strcspn(at, ",");
		if (!*at++)
			return args_choice_wrong(spelled(line, option, sizeof(option)), line->what,
						 text);
	}
	*choice = i;
	return 1;
}

static int take_ids(const struct option_line *line, struct args_ids *ids, const char *text)
{
	char option[64];

	return args_ids(ids, text, spelled(line, option, sizeof(option)));
}

static int take(const struct option_line *line, char *options, const char *text)
{
	void *at = options + line->at, *also = options + line->also;

	switch (line->kind) {
	case OPTION_IS_SWITCH:
		*(bool *)at = line->value;
		return 1;
	case OPTION_IS_TEXT:
		*(const char **)at = text;
		return 1;
	case OPTION_IS_NUMBER:
		return take_number(line, at, text);
	case OPTION_IS_CHOICE:
		return take_choice(line, at, text);
	case OPTION_IS_LIST:
		return args_append(at, also, text);
	case OPTION_IS_IDS:
		return take_ids(line, at, text);
	case OPTION_IS_CPUS:
		return args_cpus(at, also, text);
	case OPTION_IS_ARGUMENT:
		return line->argument(at, text);
	case OPTION_IS_CALL:
		return line->call(at, line->value);
	case OPTION_IS_HELP:
		fputs(line->what, stdout);
		return 0;
	case OPTION_IS_REFUSED:
		cli_say("--%s %s; instead: %s", line->name, line->what, line->instead);
		return -EXIT_TOOL;
	default:
		return 1;
	}
}

int option_parse(void *options, const struct option_line *lines, const struct refused *refused, bool stops,
		 int argc, char **argv)
{
	struct options o;
	int option, ret = options_init(&o, lines, refused, stops);

	/* Start anew. */
	optind = 0;
	opterr = 0;
	while (ret > 0 && (option = getopt_long(argc, argv, o.letters, o.longs, NULL)) != -1) {
		if (option == '?' || option == ':')
			ret = say_wrong(argc, argv, option == ':', &o);
		else
			ret = take(option < VALUE_FIRST ? find_letter(&o, option) :
							  &o.lines[option - VALUE_FIRST],
				   options, optarg);
	}
	options_free(&o);
	return ret;
}

int option_parse_alone(void *options, const struct option_line *lines, const char *does, int argc,
		       char **argv)
{
	int ret = option_parse(options, lines, NULL, false, argc, argv);

	if (ret <= 0 || optind == argc)
		return ret;
	cli_say("it %s, and takes no argument: what is '%s'?", does, argv[optind]);
	return -EXIT_TOOL;
}
