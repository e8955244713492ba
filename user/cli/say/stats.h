/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Mean and deviation of values that come one after the other. */
#ifndef STATS_H
#define STATS_H

struct stats {
	double n;
	double mean;
	double m2;	/* sum of squared distances from the mean */
};

void stats_update(struct stats *stats, double value);

/* Standard error of the mean: sqrt(variance / n); 0 with fewer than two values. */
double stats_error(const struct stats *stats);

/* The same as a percentage of the mean; 0 where the mean is 0. */
double stats_error_percent(const struct stats *stats);

#endif
