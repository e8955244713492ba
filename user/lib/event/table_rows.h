/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* A file of perf's tables in memory. */
#ifndef PMCGRP_EVENT_TABLE_ROWS_H
#define PMCGRP_EVENT_TABLE_ROWS_H

#include "event_table.h"

/* The entries of a PMU, sorted by name. */
struct table_pmu {
	const char *name;
	size_t first;
	size_t nr;
};

struct event_table {
	void *json;			/* whose strings all the others are */
	void *files;			/* and those of metric_file.h; or NULL */
	char *missing;
	const char *model;
	struct event_table_entry *entries;
	size_t nr;
	struct table_pmu *pmus;
	size_t nr_pmus;
	struct event_table_metric *metrics;
	size_t nr_metrics;
};

/*
 * table_read - a table from the text of its file
 * @path: for @failure
 *
 * Returns 0, -EINVAL or -ENOMEM.
 */
int table_read(struct event_table **out, const char *text, size_t size, const char *path,
	       struct failure *failure);

/* table_sort_metrics - by PMU and name, as all that look for one expect it */
void table_sort_metrics(struct event_table *table);

/* The kind of constraint that a table names; -EINVAL: none of perf's. */
int table_constraint(enum event_table_constraint *constraint, const char *name);

#endif
