/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* For fuzzers of a command line: each line of the input is one argument. */
#ifndef FUZZ_ARGS_H
#define FUZZ_ARGS_H

#include <stdarg.h>
#include <stdbool.h>

#include "args/cli.h"
#include "fuzz.h"

#define ARGS_MAX 64

/* In place of cli.c's: what is said is formatted, so that its arguments are read. */
void cli_say(const char *format, ...)
{
	static char line[256];
	va_list args;

	va_start(args, format);
	must(vsnprintf(line, sizeof(line), format, args) > 0);
	va_end(args);
}

int cli_say_errno(const char *what, int err)
{
	cli_say("%s: %s", what, strerror(err));
	return EXIT_TOOL;
}

const char *cli_subcommand(void)
{
	return "fuzz";
}

void cli_point(const char *string, size_t column)
{
	must(column <= strlen(string));
}

/* Cuts text into arguments behind argv[0], which is there; returns how many there are. */
static inline int args_of(char *text, char **argv)
{
	int argc = 1;

	while (argc < ARGS_MAX && text) {
		argv[argc++] = text;
		text = strchr(text, '\n');
		if (text)
			*text++ = '\0';
	}
	argv[argc] = NULL;
	return argc;
}

#endif
