// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "name.h"

static const char *subcommand = "";

void cli_begin(const char *name)
{
	subcommand = name;
}

void cli_say(const char *format, ...)
{
	char *said = NULL, *rest, *line, *shown;
	va_list args;

	va_start(args, format);
	if (vasprintf(&said, format, args) < 0)
		said = NULL;
	va_end(args);
	fprintf(stderr, "pmcgrp %s: ", subcommand);
	/* Names and arguments are in it; lines are ours. */
	for (rest = said; (line = strsep(&rest, "\n"));) {
		shown = name_dup(line, strlen(line));
		fprintf(stderr, "%s\n", shown ? shown : format);
		free(shown);
	}
	free(said);
}

int cli_say_errno(const char *what, int err)
{
	cli_say("%s: %s", what, strerror(err));
	return EXIT_TOOL;
}

void cli_point(const char *string, size_t column)
{
	size_t i;

	fprintf(stderr, "  %s\n  ", string);
	for (i = 0; i < column && string[i]; i++)
		fputc(string[i] == '\t' ? '\t' : ' ', stderr);
	fputs("^\n", stderr);
}
