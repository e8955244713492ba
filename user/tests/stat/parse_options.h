/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The command line of stat as a test writes one. */
#ifndef PARSE_OPTIONS_H
#define PARSE_OPTIONS_H

#include <unistd.h>

#include "stat/options.h"

#define ARGS_MAX 32

/* Splits at blanks, and parses, with stderr going to @said. */
static inline int parse(struct stat_options *o, const char *line, char *said, size_t size)
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

#endif
