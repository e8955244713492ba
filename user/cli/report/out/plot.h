/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * The plots of a report, for all output formats: a plot for each member's rate and each ratio, with a
 * line for each stream, over as many columns of time.
 *
 * A column has the mean, and the least and the most of the intervals that lie in it or
 * reach into it: a peak is seen however many intervals share its column.
 */
#ifndef REPORT_PLOT_H
#define REPORT_PLOT_H

#include "report/data/ratio.h"

#define REP_LINES_MAX 8	/* more cannot be told apart */
#define REP_ROWS_MAX 512	/* of a heat map */

/* NAN where the group was not on the PMU, or did not exist. */
struct rep_column {
	double low;
	double mean;
	double high;
	bool off;		/* not on the PMU in an interval that reaches into it */
};

struct rep_line {
	const char *label;
	struct rep_column *columns;
};

/* How a value is written. */
enum rep_form {
	REP_FORM_RATE,		/* counts a second */
	REP_FORM_CLOCK,		/* ns a second */
	REP_FORM_RATIO,
	REP_FORM_PERCENT,
};

struct rep_plot {
	char *title;		/* "cycles", "instructions/cycles" */
	char *unit;		/* "cycles/sec", "insn per cycle" */
	struct rep_line *lines;	/* those with the highest totals, in the streams' order */
	unsigned int nr_lines;
	size_t nr_streams;	/* that there are */
	enum rep_form form;
};

struct rep_picture {
	uint64_t start;		/* ns: where the first interval begins */
	uint64_t stop;		/* where the last one ends */
	unsigned int nr_columns;
	size_t nr_intervals;
	bool shared;		/* columns have several intervals of one stream */
	bool heat;		/* of rep_heat_take(): lines are streams of one CPU */
	struct rep_plot *plots;
	unsigned int nr_plots;
};

/* Returns 0, or -ENOMEM; rep_picture_free() in any case. */
int rep_picture_take(struct rep_picture *picture, const struct rep_data *data,
		     const struct rep_ratios *list, unsigned int columns);

void rep_picture_free(struct rep_picture *picture);

/*
 * rep_heat_take - the same for heat maps: a row for each stream of one CPU
 *
 * Up to REP_ROWS_MAX rows, and so many columns that a page can hold them. There are no plots
 * where there are not two CPUs.
 */
int rep_heat_take(struct rep_picture *picture, const struct rep_data *data,
		  const struct rep_ratios *list);

/* The columns that an interval lies in or reaches into. */
void rep_picture_span(const struct rep_picture *picture, const struct rep_interval *interval,
		      unsigned int *first, unsigned int *last);

/* A column's left edge, in seconds from @start. */
double rep_picture_x(const struct rep_picture *picture, unsigned int column);

/* What has to be said below the picture, in @buf: how time was divided, which lines are missing. */
void rep_picture_note(const struct rep_picture *picture, char *buf, size_t size);

#endif
