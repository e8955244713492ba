/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Options of perf that a subcommand knows, and cannot have: each is refused by its name. */
#ifndef REFUSED_H
#define REFUSED_H

#include <getopt.h>

/* The number of the first one for getopt_long(): behind all that a subcommand has itself. */
#define REFUSED_FIRST 1000

/* The end of a sentence that begins with the option; then what comes nearest to it. */
struct refused_option {
	const char *name;
	int has_arg;
	int letter;	/* 0: none */
	const char *why;
	const char *instead;
};

struct refused {
	const struct refused_option *options;
	unsigned int nr;
};

/*
 * refused_join - the options for getopt_long(): a subcommand's own, which end with one that has no
 *	name, and those that are refused
 *
 * Returns a list for free(), or NULL: out of memory.
 */
struct option *refused_join(const struct refused *refused, const struct option *own);

/* refused_say - why not, and what instead; returns -EXIT_TOOL, or 0 for another option */
int refused_say(const struct refused *refused, int option);

#endif
