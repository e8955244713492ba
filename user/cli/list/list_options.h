/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The command line of list. */
#ifndef LIST_OPTIONS_H
#define LIST_OPTIONS_H

#include <stdbool.h>

#include "pmcgrp.h"

/**
 * struct list_options - the command line
 * @kinds: bits of enum pmcgrp_name_kind
 * @patterns: what names are chosen by: a glob, or a part of the name; any of them
 * @explain: the event to explain, or NULL
 * @details: show what a name stands for
 * @probe: try whether each event can be counted
 * @counters: measure how many counters each core PMU has
 * @names: names alone, one a line
 * @json: JSON
 * @metrics: metrics are listed, and not events
 * @metric_files: @nr_metric_files that have more of them
 */
struct list_options {
	unsigned int kinds;
	char *const *patterns;
	unsigned int nr_patterns;
	const char *explain;
	bool details;
	bool probe;
	bool counters;
	bool names;
	bool json;
	bool metrics;
	const char **metric_files;
	unsigned int nr_metric_files;
};

/* Return 1 if list shall run, else the negative of the exit status. */
int list_options_parse(struct list_options *options, int argc, char **argv);

void list_options_free(struct list_options *options);

/* All words that are kinds, with commas. */
extern const char list_kinds[];

/* "hardware", "software", "cache", "pmu" or "tracepoint". */
const char *list_kind_name(enum pmcgrp_name_kind kind);

extern const char list_help[];

#endif
