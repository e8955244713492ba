/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The command line of stat as a test writes one. */
#ifndef PARSE_OPTIONS_H
#define PARSE_OPTIONS_H

#include "hear.h"

#include "stat/stat_options.h"

/* Splits at blanks, and parses, with stderr going to @said. */
static inline int parse(struct stat_options *o, const char *line, char *said, size_t size)
{
	static struct words w;

	split_words(&w, "stat", line);
	return hear(stat_options_parse(o, w.argc, w.argv), said, size);
}

#endif
