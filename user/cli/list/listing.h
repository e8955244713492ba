/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What is listed, and how it is printed. */
#ifndef LISTING_H
#define LISTING_H

#include "list_options.h"

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

#endif
