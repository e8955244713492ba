/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * Options of a command line: a table with a line for each says what it is called, and what becomes
 * of its argument. common_options.h has the lines of those that several commands have.
 */
#ifndef OPTION_H
#define OPTION_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

#include "pmcgrp.h"

#include "args.h"
#include "refused.h"

enum option_kind {
	OPTION_END,		/* no option: the table ends */
	OPTION_IS_NOTHING,	/* what it asks for is so in any case */
	OPTION_IS_SWITCH,	/* a bool, which it sets to @value */
	OPTION_IS_TEXT,		/* a string */
	OPTION_IS_NUMBER,	/* an int, or unsigned; from @value to @max */
	OPTION_IS_CHOICE,	/* an enum: the place of the name in @what, where commas separate them */
	OPTION_IS_LIST,		/* one string more; @also is their number */
	OPTION_IS_IDS,		/* struct args_ids */
	OPTION_IS_CPUS,		/* struct pmcgrp_cpus; @also: whether there are any */
	OPTION_IS_ARGUMENT,	/* what @argument makes of it */
	OPTION_IS_CALL,		/* what @call does */
	OPTION_IS_HELP,		/* prints @what */
	OPTION_IS_REFUSED,	/* one of struct refused: it @what, and @instead comes nearest */
};

struct option_line {
	const char *name;	/* NULL: a letter alone */
	int letter;		/* 0: none */
	int has_arg;
	enum option_kind kind;
	size_t at;		/* where in the command's options it goes */
	size_t also;
	int value;
	int max;		/* 0: any */
	const char *what;	/* a number is, or names, or text */
	const char *instead;
	/* Both return 1, or what option_parse() shall return; the text may be NULL. */
	int (*argument)(void *at, const char *text);
	int (*call)(void *at, int value);
};

/* Where @member of structure @s is, which has to be a @type; or an int or unsigned. */
#define OPTION_IS(s, member, type)								\
	__builtin_types_compatible_p(__typeof__(((s *)0)->member), type)
#define OPTION_AT_IF(s, member, is) (offsetof(s, member) + 0 * sizeof(char[(is) ? 1 : -1]))
#define OPTION_AT(s, member, type) OPTION_AT_IF(s, member, OPTION_IS(s, member, type))
#define OPTION_AT_NUMBER(s, member)								\
	OPTION_AT_IF(s, member, OPTION_IS(s, member, int) || OPTION_IS(s, member, unsigned int))

#define OPTION_NOTHING(n, l) { .name = n, .letter = l, .kind = OPTION_IS_NOTHING }
#define OPTION_SWITCH(n, l, s, member) OPTION_SWITCH_TO(n, l, s, member, true)
#define OPTION_SWITCH_TO(n, l, s, member, to)							\
	{ .name = n, .letter = l, .kind = OPTION_IS_SWITCH, .at = OPTION_AT(s, member, bool),	\
	  .value = to }
#define OPTION_TEXT(n, l, s, member)								\
	{ .name = n, .letter = l, .has_arg = required_argument, .kind = OPTION_IS_TEXT,		\
	  .at = OPTION_AT(s, member, const char *) }
#define OPTION_NUMBER(n, l, s, member, from, to, is)						\
	{ .name = n, .letter = l, .has_arg = required_argument, .kind = OPTION_IS_NUMBER,	\
	  .at = OPTION_AT_NUMBER(s, member), .value = from, .max = to, .what = is }
/* A list whose number is in the field nr_ and its name; both are @in the structure, "" or "a member.". */
#define OPTION_LIST(n, l, s, in, member)							\
	{ .name = n, .letter = l, .has_arg = required_argument, .kind = OPTION_IS_LIST,		\
	  .at = OPTION_AT(s, in member, const char **),						\
	  .also = OPTION_AT(s, in nr_##member, unsigned int) }
#define OPTION_CHOICE(n, l, s, member, names)							\
	{ .name = n, .letter = l, .has_arg = required_argument, .kind = OPTION_IS_CHOICE,	\
	  .at = OPTION_AT_IF(s, member, sizeof(((s *)0)->member) == sizeof(int)),		\
	  .what = names }
#define OPTION_IDS(n, l, s, member)								\
	{ .name = n, .letter = l, .has_arg = required_argument, .kind = OPTION_IS_IDS,		\
	  .at = OPTION_AT(s, member, struct args_ids) }
#define OPTION_ARGUMENT(n, l, s, member, take)							\
	{ .name = n, .letter = l, .has_arg = required_argument, .kind = OPTION_IS_ARGUMENT,	\
	  .at = offsetof(s, member), .argument = take }
#define OPTION_OPTIONAL(n, l, s, member, take)							\
	{ .name = n, .letter = l, .has_arg = optional_argument, .kind = OPTION_IS_ARGUMENT,	\
	  .at = offsetof(s, member), .argument = take }
/* @take gets the command's options, not a member; @argument_is: required or optional. */
#define OPTION_OWN(n, l, argument_is, take)							\
	{ .name = n, .letter = l, .has_arg = argument_is##_argument,				\
	  .kind = OPTION_IS_ARGUMENT, .argument = take }
#define OPTION_CALL(n, l, s, member, take, with)						\
	{ .name = n, .letter = l, .kind = OPTION_IS_CALL, .at = offsetof(s, member),		\
	  .call = take, .value = with }
#define OPTION_HELP(text) { .name = "help", .letter = 'h', .kind = OPTION_IS_HELP, .what = text }

/*
 * option_parse - take the options of a command line
 * @options: those of the command, for the tables' @at
 * @lines: its table
 * @refused: those that are refused, and not offered where another is unknown; or NULL
 * @stops: the first word that is no option is a command, whose options are not looked at
 *
 * Says itself what is wrong with an option, where, and which option is close. What is left is
 * argv[optind] and on.
 *
 * Returns 1, 0 after --help, or -EXIT_TOOL after an error that was reported.
 */
int option_parse(void *options, const struct option_line *lines, const struct refused *refused, bool stops,
		 int argc, char **argv);

/*
 * option_parse_alone - option_parse() of a command that takes options alone
 * @does: what it does, for who gives an argument
 */
int option_parse_alone(void *options, const struct option_line *lines, const char *does, int argc,
		       char **argv);

#endif
