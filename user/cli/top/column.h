/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The columns of top's tables: for each event its rate, and the ratio that it is known in. */
#ifndef TOP_COLUMN_H
#define TOP_COLUMN_H

#include <stdbool.h>

#include "stat/count_report.h"

#define COLUMN_TEXT_SIZE 32

struct top_column {
	unsigned int counter;
	bool ratio;
	char *name;		/* "cycles", "instructions/cycles": of --sort and of JSON */
	const char *title;	/* on the screen */
	int width;
};

struct top_columns {
	struct top_column *at;
	unsigned int nr;
};

/* The column of names, as the one to sort by. */
#define COLUMN_NAME (-1)

/* top_columns_init - those of a set; returns 0 or -ENOMEM */
int top_columns_init(struct top_columns *columns, const struct counter_set *set);
void top_columns_free(struct top_columns *columns);

/* top_columns_find - by name or title; "name": COLUMN_NAME. -2: there is none */
int top_columns_find(const struct top_columns *columns, const char *name);

/*
 * top_column_value - what a column shows of a row
 * @report: of the interval
 * @counts: of the row, for each counter
 *
 * Of events a rate for each second, of clocks a percentage of one CPU. Returns whether there is a
 * value.
 */
bool top_column_value(const struct top_column *column, const struct report *report,
		      struct counts *counts, double *value);

/* top_column_text - the same as text of no more than 9 characters: "12.3%", "1.50G" */
void top_column_text(const struct top_column *column, const struct report *report,
		     struct counts *counts, char *text);

#endif
