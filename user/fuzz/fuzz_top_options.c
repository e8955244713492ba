// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of top: each line of the input is one argument. */
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>

#include "cli.h"
#include "fuzz.h"
#include "top_options.h"

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

static void check(const struct top_options *o, const struct stat_options *stat)
{
	must(o->delay >= 100 && o->iterations >= 0);
	must(!!stat->pid + !!stat->tid + stat_counts_cpus(stat) == 1);
	must(stat->has_cpus == !!pmcgrp_cpus_nr(&stat->cpus));
	must(stat->aggr == AGGR_GLOBAL || stat_counts_cpus(stat));
	must(!stat->command && !stat->interval && !stat->csv && !stat->json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *argv[ARGS_MAX + 1] = { "top" }, *text = text_of(data, size), *at = text;
	struct stat_options stat;
	struct top_options o;
	int argc = 1, ret;

	while (argc < ARGS_MAX && at) {
		argv[argc++] = at;
		at = strchr(at, '\n');
		if (at)
			*at++ = '\0';
	}
	opterr = 0;	/* getopt_long() has nothing to say, either */
	ret = top_options_parse(&o, &stat, argc, argv);
	must(ret == 1 || ret == 0 || ret == -EXIT_TOOL);
	if (ret == 1)
		check(&o, &stat);
	stat_options_free(&stat);
	free(text);
	return 0;
}
