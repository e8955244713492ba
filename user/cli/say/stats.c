// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Welford's method: one pass, and no difference of two large sums in which the
 * small deviation of large counts would drown.
 */
#include <math.h>

#include "stats.h"

void stats_update(struct stats *stats, double value)
{
	double distance = value - stats->mean;

	stats->n++;
	stats->mean += distance / stats->n;
	stats->m2 += distance * (value - stats->mean);
}

double stats_error(const struct stats *stats)
{
	if (stats->n < 2)
		return 0.0;
	return sqrt(stats->m2 / (stats->n - 1) / stats->n);
}

double stats_error_percent(const struct stats *stats)
{
	return stats->mean != 0.0 ? 100.0 * stats_error(stats) / stats->mean : 0.0;
}
