/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * Percentiles of any number of values in little memory. Few values are kept as they are. Of more,
 * the numbers in buckets are: a power of two and the next have 512 buckets between them. A percentile
 * is then too small by 1/512 of it at most; each integer below 1024 has a bucket of its own.
 */
#ifndef REPORT_SKETCH_H
#define REPORT_SKETCH_H

#include <stddef.h>
#include <stdint.h>

#define REP_SKETCH_EXACT 8192		/* so many values are kept */
#define REP_SKETCH_ERROR 0.002		/* of a percentile of more: not below 1/512 */

/* All zero at first. */
struct rep_sketch {
	uint64_t nr;
	double min;
	double max;
	double *values;		/* all of them, up to REP_SKETCH_EXACT */
	size_t room;
	uint64_t zeroes;	/* these three: once there are more */
	uint64_t *buckets;
	size_t nr_buckets;
	uint64_t first;		/* the number of the first bucket */
};

/*
 * rep_sketch_add - one value more
 * @value: finite, and not negative
 *
 * Returns 0, or -ENOMEM.
 */
int rep_sketch_add(struct rep_sketch *sketch, double value);

/* The relative error of its percentiles: 0, or REP_SKETCH_ERROR. */
static inline double rep_sketch_error(const struct rep_sketch *sketch)
{
	return sketch->buckets ? REP_SKETCH_ERROR : 0.0;
}

/*
 * rep_sketch_percentile - the value of rank @percent, by the nearest rank
 *
 * NAN if there are none. The least and the greatest are exact always.
 */
double rep_sketch_percentile(struct rep_sketch *sketch, double percent);

void rep_sketch_free(struct rep_sketch *sketch);

#endif
