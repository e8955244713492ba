/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What the files of "pmcgrp list" share. */
#ifndef LIST_H
#define LIST_H

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

/**
 * struct list_probe - what a trial has shown of an event
 * @tried: it was tried
 * @opens: a group that counts it could be made
 * @moves: it has counted something of a load, or not; known of @PMCGRP_NAME_CACHE only
 * @why: why it does not open, for people
 */
struct list_probe {
	bool tried;
	bool opens;
	bool moves;
	char why[96];
};

/**
 * struct list_entry - a line of the list
 * @name: the name, the library's
 * @probe: of @list_options.probe
 */
struct list_entry {
	const struct pmcgrp_name *name;
	struct list_probe probe;
};

struct list_counters;

/**
 * struct list - what is listed
 * @counters: of @list_options.counters, or NULL
 */
struct list {
	struct pmcgrp_names *names;
	struct list_entry *at;
	unsigned int nr;
	bool any;	/* something was printed that is no event */
	struct list_counters *counters;
};

/* Try an event: of the calling thread, or of the machine if its PMU counts no tasks. */
void list_probe(struct list_probe *probe, struct pmcgrp *h, const char *name, bool with_load);

/* Each returns 0, or a negative errno: stdout could not be written. */
int list_print(struct list *list, const struct list_options *options);
int list_print_json(const struct list *list, const struct list_options *options);

/* The PMUs outside the CPUs, after a list of PMUs; @any: whether something was printed. */
int list_print_uncore(const struct list_options *options, bool *any);

/* Whether a text has the pattern as a part, or matches it as a glob; NULL does not. */
bool list_matches(const char *text, const char *pattern);

/* A text below its event, in lines that fit on a terminal. */
void list_print_wrapped(const char *before, const char *text);

/* Each returns the exit status. */
int list_metrics(const struct list_options *options);
int list_explain(const char *text, bool json);

/* All words that are kinds, with commas. */
extern const char list_kinds[];

/* "hardware", "software", "cache", "pmu" or "tracepoint". */
const char *list_kind_name(enum pmcgrp_name_kind kind);

extern const char list_help[];

#endif
