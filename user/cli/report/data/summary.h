/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What is said of each member and each ratio, whichever way it is printed. */
#ifndef REPORT_SUMMARY_H
#define REPORT_SUMMARY_H

#include "ratio.h"

/*
 * Percentiles are of all intervals in which the group was on the PMU, by the nearest rank: a value
 * that did occur, or one that is smaller by @error of it at most. NAN stands for what is not known.
 */
struct rep_row {
	const char *name;
	const char *unit;	/* of a ratio */
	double total;		/* of the counts; a ratio: that of both totals */
	double rate;		/* counts a second; a ratio has none */
	uint64_t intervals;
	double min;
	double p50;
	double p90;
	double p99;
	double max;
	double error;		/* of p50, p90 and p99; 0: exact */
	double running;		/* percent of the time enabled */
};

struct rep_summary {
	const struct rep_data *data;
	const struct rep_ratios *list;	/* those of @ratios */
	struct rep_row *members;
	size_t nr_members;
	struct rep_row *ratios;
	size_t nr_ratios;
};

/* Returns 0, or -ENOMEM; rep_summary_free() in any case. */
int rep_summary_take(struct rep_summary *summary, const struct rep_data *data,
		     const struct rep_ratios *list);

/* A member's counts in a row of the sums, a second on the PMU; NAN: not known. */
double rep_sum_rate(const struct rep_sums *sums, const struct rep_sum *row, unsigned int event);

/* The ratio of a row's counts; NAN where the second did not occur. */
double rep_sum_ratio(const struct rep_sums *sums, const struct rep_sum *row,
		     const struct rep_ratio *ratio);

void rep_summary_free(struct rep_summary *summary);

#endif
