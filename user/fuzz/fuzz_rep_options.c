// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of report: each line of the input is one argument. */
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>

#include "cli.h"
#include "fuzz.h"
#include "rep_options.h"

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

void cli_point(const char *string, size_t column)
{
	must(column <= strlen(string));
}

static void check(const struct rep_options *o)
{
	must(o->input);
	must(!o->separator || *o->separator);
	must(!(o->separator && o->json));
	must(o->filter.has_cpus == !!pmcgrp_cpus_nr(&o->filter.cpus));
	must(o->filter.has_start || !o->filter.start_relative);
	must(o->filter.has_stop || !o->filter.stop_relative);
	must(!o->columns || (o->columns >= 10 && o->columns <= REP_COLUMNS_MAX));
	must(!o->columns || o->html || o->svg);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *argv[ARGS_MAX + 1] = { "report" }, *text = text_of(data, size), *at = text;
	struct rep_options o;
	int argc = 1, ret;

	while (argc < ARGS_MAX && at) {
		argv[argc++] = at;
		at = strchr(at, '\n');
		if (at)
			*at++ = '\0';
	}
	opterr = 0;	/* getopt_long() has nothing to say, either */
	ret = rep_options_parse(&o, argc, argv);
	must(ret == 1 || ret == 0 || ret == -EXIT_TOOL);
	if (ret == 1)
		check(&o);
	rep_options_free(&o);
	free(text);
	return 0;
}
