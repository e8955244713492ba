/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What top shows, as lines of text; how they get to a terminal is another matter. */
#ifndef TOP_SCREEN_H
#define TOP_SCREEN_H

#include "line.h"
#include "stat/count_report.h"
#include "table.h"
#include "view.h"

struct top_screen {
	struct top_line title;
	struct top_line columns;
	struct top_line *rows;
	size_t nr;		/* of rows here */
	size_t first;		/* how many there are before */
	size_t all;		/* and with those behind */
	unsigned int first_column;	/* the same of columns of events, */
	unsigned int nr_columns;
	unsigned int columns_of;	/* and how many there are */
	struct top_line foot;
};

/* What a screen is made of, and how large it is. */
struct top_content {
	const struct report *report;	/* of the interval; report->elapsed is its length */
	const struct top_columns *columns;
	const struct top_table *table;	/* sorted; not for the view of events */
	const struct top_view *view;
	const char *clock;		/* the time of day, for the title's end */
	unsigned int width;
	size_t room;			/* for rows; 0: for all */
	uint64_t lost;			/* records of counts, in this interval */
	uint64_t lost_names;		/* and of names and new tasks */
	bool keys;			/* there is a keyboard */
};

/*
 * top_screen_make - the lines for what view->by says, from view->offset on
 *
 * A screen that was made before is made anew. Returns 0, or -ENOMEM.
 */
int top_screen_make(struct top_screen *screen, const struct top_content *content);

void top_screen_free(struct top_screen *screen);

/*
 * top_screen_offset - the first row to be shown, if @wanted is asked for, and there is room
 * for @room of @nr
 */
size_t top_screen_offset(size_t nr, size_t wanted, size_t room);

/* The views; each fills columns and rows. They return 0 or -ENOMEM. */
int top_screen_events(struct top_screen *screen, const struct top_content *content);
int top_screen_table(struct top_screen *screen, const struct top_content *content);
int top_screen_matrix(struct top_screen *screen, const struct top_content *content);
int top_screen_help(struct top_screen *screen, const struct top_content *content);

/*
 * top_screen_rows - room for the part of @all rows that there is room for
 *
 * Sets first, all and nr; returns 0 or -ENOMEM.
 */
int top_screen_rows(struct top_screen *screen, const struct top_content *content, size_t all);

#endif
