// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"
#include "sketch.h"

/* A double above 0 has a bucket's number in its upper bits: exponent and 9 bits of the mantissa. */
#define SHIFT (52 - 9)
#define MARGIN 64	/* buckets more than are needed now */

static uint64_t bucket_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits >> SHIFT;
}

/* The least that lies in it. */
static double value_of(uint64_t bucket)
{
	uint64_t bits = bucket << SHIFT;
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Room for one more bucket, at either end. */
static int reach(struct rep_sketch *sketch, uint64_t bucket)
{
	uint64_t first = sketch->first, end = first + sketch->nr_buckets;
	uint64_t *more;

	if (sketch->nr_buckets && bucket >= first && bucket < end)
		return 0;
	if (!sketch->nr_buckets)
		first = end = bucket;
	if (bucket < first)
		first = bucket > MARGIN ? bucket - MARGIN : 0;
	if (bucket >= end)
		end = bucket + MARGIN;
	more = calloc(end - first, sizeof(*more));
	if (!more)
		return -ENOMEM;
	if (sketch->nr_buckets)
		memcpy(more + (sketch->first - first), sketch->buckets,
		       sketch->nr_buckets * sizeof(*more));
	free(sketch->buckets);
	sketch->buckets = more;
	sketch->first = first;
	sketch->nr_buckets = end - first;
	return 0;
}

static int count(struct rep_sketch *sketch, double value)
{
	uint64_t bucket = bucket_of(value);

	if (value <= 0.0) {
		sketch->zeroes++;
		return 0;
	}
	if (reach(sketch, bucket) < 0)
		return -ENOMEM;
	sketch->buckets[bucket - sketch->first]++;
	return 0;
}

/* From values to buckets. */
static int spill(struct rep_sketch *sketch)
{
	size_t i;

	if (reach(sketch, bucket_of(sketch->max)) < 0)
		return -ENOMEM;
	for (i = 0; i < REP_SKETCH_EXACT; i++) {
		if (count(sketch, sketch->values[i]) < 0)
			return -ENOMEM;
	}
	free(sketch->values);
	sketch->values = NULL;
	return 0;
}

int rep_sketch_add(struct rep_sketch *sketch, double value)
{
	if (sketch->nr < REP_SKETCH_EXACT) {
		if (!rep_grow(&sketch->values, &sketch->room, sketch->nr, sizeof(*sketch->values)))
			return -ENOMEM;
		sketch->values[sketch->nr] = value;
	} else {
		if (sketch->nr == REP_SKETCH_EXACT && spill(sketch) < 0)
			return -ENOMEM;
		if (count(sketch, value) < 0)
			return -ENOMEM;
	}
	if (!sketch->nr || value < sketch->min)
		sketch->min = value;
	if (!sketch->nr || value > sketch->max)
		sketch->max = value;
	sketch->nr++;
	return 0;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Of those in buckets: the @rank-th, from 1 on. */
static double ranked(const struct rep_sketch *sketch, uint64_t rank)
{
	uint64_t before = sketch->zeroes;
	double value = 0.0;
	size_t i;

	for (i = 0; before < rank && i < sketch->nr_buckets; i++) {
		before += sketch->buckets[i];
		value = value_of(sketch->first + i);
	}
	return fmax(value, sketch->min);
}

double rep_sketch_percentile(struct rep_sketch *sketch, double percent)
{
	uint64_t rank = (uint64_t)ceil(percent / 100.0 * (double)sketch->nr);

	if (!sketch->nr)
		return NAN;
	if (rank <= 1)
		return sketch->min;
	if (rank >= sketch->nr)
		return sketch->max;
	if (!sketch->values)
		return ranked(sketch, rank);
	qsort(sketch->values, sketch->nr, sizeof(*sketch->values), compare);
	return sketch->values[rank - 1];
}

void rep_sketch_free(struct rep_sketch *sketch)
{
	free(sketch->values);
	free(sketch->buckets);
	memset(sketch, 0, sizeof(*sketch));
}
