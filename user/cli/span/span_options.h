/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The command line of span. */
#ifndef SPAN_OPTIONS_H
#define SPAN_OPTIONS_H

#include <stdbool.h>

#include "args/args.h"
#include "section/keys.h"
#include "section/section_options.h"

/**
 * struct span_options - the command line
 * @functions: names of functions, or pairs of tracepoints (point_pair.h), in order
 * @nr_functions: number of @functions
 * @events: the arguments of -e, in order
 * @nr_events: number of @events; 0: the default
 * @all_cpus: -a
 * @has_cpus: -C
 * @cpus: of -C
 * @cgroups: of -G; NULL: none
 * @pids: of -p
 * @tids: of -t
 * @no_inherit: only the first task of the command
 * @background: only while nobody else wants the counters
 * @max_active: how many calls can be in flight; 0: the module chooses
 * @force: measure functions of programs without exits of which nobody can be sure
 * @output: file; NULL: stderr
 * @record: file of each call; NULL: none
 * @pages: of the rings of @record; 0: the default
 * @show: what is printed, and when
 * @command: ends with NULL; NULL: none given
 * @by: what spans are told apart by
 */
struct span_options {
	const char **functions;
	unsigned int nr_functions;
	const char **events;
	unsigned int nr_events;
	bool all_cpus;
	bool has_cpus;
	struct pmcgrp_cpus cpus;
	const char *cgroups;
	struct args_ids pids;
	struct args_ids tids;
	bool no_inherit;
	bool background;
	int max_active;
	bool force;
	const char *output;
	const char *record;
	int pages;
	struct section_options show;
	char **command;
	struct section_by by;
};

/* Returns 1 if span shall run, else the negative of the exit status; to be freed in any case. */
int span_options_parse(struct span_options *o, int argc, char **argv);

void span_options_free(struct span_options *o);

extern const char span_help[];

#endif
