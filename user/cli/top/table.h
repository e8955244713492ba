/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The rows of an interval: of CPUs, threads, processes or cgroups. */
#ifndef TOP_TABLE_H
#define TOP_TABLE_H

#include "column.h"
#include "tasks.h"
#include "view.h"

struct top_row {
	char *name;		/* of the task, the path of the cgroup, "CPU0" */
	int pid;		/* -1: not of a process */
	int tid;		/* -1: not of a thread */
	unsigned int place;	/* in the order of CPUs */
	unsigned int nr;	/* how many threads it has */
	struct counts *counts;	/* for each counter of the set */
};

struct top_table {
	enum top_by by;
	unsigned int nr_counters;
	struct top_row *rows;
	size_t nr;
	size_t max;
	struct counts *counts;	/* of all rows */
	struct top_row **order;	/* those that the filter lets through, sorted */
	size_t nr_shown;
};

/* Each makes the rows anew. They return 0 or -ENOMEM. */

/* top_table_cpus - a row for each line that the set's CPUs are on */
int top_table_cpus(struct top_table *table, const struct counter_set *set);

/* top_table_keys - a row for each key of stat_keys_read() */
struct stat_run;
int top_table_keys(struct top_table *table, enum top_by by, const struct stat_run *stat);

/* top_table_tasks - a row for each wanted thread that ran, or process or cgroup with such */
int top_table_tasks(struct top_table *table, enum top_by by, const struct top_tasks *tasks);

/*
 * top_table_sort - the order of the rows that @view lets through
 *
 * Highest values first, and what was not counted last; names rise, and CPUs are in the order of
 * their numbers.
 */
void top_table_sort(struct top_table *table, const struct top_view *view,
		    const struct top_columns *columns, const struct report *report);

void top_table_free(struct top_table *table);

/* Whether one of the row's groups was not on the PMU all of the time. */
bool top_row_partial(const struct top_table *table, const struct top_row *row);

#endif
