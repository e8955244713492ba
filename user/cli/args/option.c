// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "event/near.h"
#include "option.h"
#include "refused.h"

/* All letters of the alphabet with colons, and what stands before them. */
#define LETTERS_MAX 192

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

static const struct option *find_value(const struct option *longs, int value)
{
	for (; longs->name; longs++)
		if (longs->val == value)
			return longs;
	return NULL;
}

static bool is_own(const struct option *o)
{
	return o->val < REFUSED_FIRST;
}

/* Names whose beginning, or one of their words, is close: --intervl is one of --interval-print. */
static void offer_parts(struct near *near, const struct option *longs)
{
	char part[NEAR_LENGTH];
	const char *end;
	size_t len;

	for (; longs->name; longs++) {
		for (end = strchr(longs->name, '-'); end; end = strchr(end + 1, '-')) {
			len = (size_t)(end - longs->name);
			if (!is_own(longs) || len >= sizeof(part))
				continue;
			memcpy(part, longs->name, len);
			part[len] = '\0';
			near_offer_as(near, part, longs->name);
		}
	}
}

static void say_unknown_long(const char *word, const struct option *longs)
{
	char name[NEAR_LENGTH] = "", text[NEAR_TEXT];
	size_t len = strcspn(word + 2, "=");
	const struct option *o;
	struct near near;

	if (len < sizeof(name)) {
		memcpy(name, word + 2, len);
		name[len] = '\0';
	}
	near_begin(&near, name);
	for (o = longs; o->name; o++) {
		if (is_own(o))
			near_offer(&near, o->name);
	}
	if (!near.nr)
		offer_parts(&near, longs);
	cli_say("there is no option --%.*s%s", (int)len, word + 2,
		near_text_as(&near, "--", text, sizeof(text)));
	cli_point(word, 2);
}

/* Which options begin with what was written, as many as a line has room for. */
static bool say_ambiguous(const char *word, const struct option *longs)
{
	size_t len = strcspn(word + 2, "="), used = 0;
	unsigned int nr = 0, shown = 0;
	char list[128] = "";
	const struct option *o;

	for (o = longs; o->name; o++) {
		if (strncmp(o->name, word + 2, len))
			continue;
		nr++;
		if (!is_own(o) || used + strlen(o->name) + 4 >= sizeof(list))
			continue;
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s--%s",
					 shown++ ? ", " : "", o->name);
	}
	if (nr < 2)
		return false;
	cli_say("--%.*s may be %s%s: write more of it", (int)len, word + 2, list,
		shown < nr ? ", ..." : "");
	cli_point(word, 2);
	return true;
}

static void say_letter(const char *word, const struct option *longs)
{
	const char *at = strchr(word + 1, optopt);
	int other = islower(optopt) ? toupper(optopt) : tolower(optopt);
	char near[32] = "";

	/* Letters that are refused have no option of ours. */
	if (other != optopt && find_value(longs, other))
		snprintf(near, sizeof(near), ": did you mean '-%c'?", other);
	if (isprint(optopt))
		cli_say("there is no option -%c%s", optopt, near);
	else
		cli_say("there is no option that is the byte 0x%02x", optopt & 0xff);
	cli_point(word, at ? (size_t)(at - word) : 0);
}

/* An option that there is, but not so. */
static void say_argument(const char *word, const struct option *longs)
{
	const struct option *o = find_value(longs, optopt);
	bool is_long = word[1] == '-';
	const char *at = strchr(word, is_long ? '=' : optopt);

	if (!is_long) {
		cli_say("-%c%s%s wants an argument, and nothing follows it", optopt,
			o ? ", --" : "", o ? o->name : "");
	} else if (at) {
		cli_say("%.*s takes no argument", (int)(at - word), word);
	} else {
		cli_say("%s wants an argument, and nothing follows it", word);
	}
	cli_point(word, at ? (size_t)(at - word) : 2);
}

static void say_wrong(int argc, char **argv, bool missing, const struct option *longs)
{
	const char *word = word_at(argc, argv);
	bool is_long = word[0] == '-' && word[1] == '-';

	if (missing || (is_long && optopt))
		say_argument(word, longs);
	else if (!is_long)
		say_letter(word, longs);
	else if (!say_ambiguous(word, longs))
		say_unknown_long(word, longs);
	cli_say("\"pmcgrp %s --help\" lists the options", cli_subcommand());
}

int option_next(int argc, char **argv, const char *letters, const struct option *longs)
{
	bool stops = letters[0] == '+';
	char all[LETTERS_MAX];
	int option;

	/* With a colon it tells a missing argument from an unknown option. */
	snprintf(all, sizeof(all), "%s:%s", stops ? "+" : "", letters + stops);
	opterr = 0;
	option = getopt_long(argc, argv, all, longs, NULL);
	if (option != '?' && option != ':')
		return option;
	say_wrong(argc, argv, option == ':', longs);
	return '?';
}
