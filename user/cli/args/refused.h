/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Options of perf that a subcommand knows, and cannot have: each is refused by its name. */
#ifndef REFUSED_H
#define REFUSED_H

#include <getopt.h>

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

#endif
