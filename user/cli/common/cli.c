// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

static const char *subcommand = "";

void cli_begin(const char *name)
{
	subcommand = name;
}

void cli_say(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "pmcgrp %s: ", subcommand);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
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
