// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * What sections have counted between two looks at them.
 *
 * Sums and buckets are differences. The module keeps the least and greatest value of all time
 * alone: a new one is that of the interval as well. Else the interval's is in its first or last
 * bucket that is not empty.
 */
#include "section_set.h"

uint64_t section_bucket_from(unsigned int bucket)
{
	return bucket ? 1ULL << (bucket - 1) : 0;
}

uint64_t section_bucket_to(unsigned int bucket)
{
	return bucket ? (1ULL << (bucket - 1)) * 2 - 1 : 0;
}

/* The first bucket that is not empty, or PMCGRP_SECTION_BUCKETS. */
static unsigned int first_bucket(const struct pmcgrp_section_stat *stat)
{
	unsigned int i;

	for (i = 0; i < PMCGRP_SECTION_BUCKETS && !stat->bucket[i]; i++)
		;
	return i;
}

static unsigned int last_bucket(const struct pmcgrp_section_stat *stat)
{
	unsigned int i;

	for (i = PMCGRP_SECTION_BUCKETS; i > 1 && !stat->bucket[i - 1]; i--)
		;
	return i - 1;
}

static uint64_t at_least(uint64_t a, uint64_t b)
{
	return a < b ? b : a;
}

static uint64_t at_most(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Where the least and greatest value are, by the buckets and by those of all time. */
static void bound(struct section_value *value, const struct pmcgrp_section_stat *before)
{
	struct pmcgrp_section_stat *stat = &value->stat;
	unsigned int first = first_bucket(stat), last = last_bucket(stat);
	uint64_t min = stat->min, max = stat->max;

	if (first == PMCGRP_SECTION_BUCKETS) {
		stat->min = 0;
		stat->max = 0;
		return;
	}
	stat->min = at_least(min, section_bucket_from(first));
	stat->max = at_most(max, section_bucket_to(last));
	value->min_exact = min < before->min || stat->min >= at_most(max, section_bucket_to(first));
	value->max_exact = max > before->max ||
			   stat->max <= at_least(min, section_bucket_from(last));
}

static void subtract(struct section *section, const struct section *before)
{
	struct pmcgrp_section_stat *stat;
	const struct pmcgrp_section_stat *old;
	unsigned int i, k;

	section->count -= before->count;
	/* Each CPU is read at another time, so a sum can seem to have become less. */
	for (i = 0; i < SECTION_REASONS; i++)
		section->missed[i] -= before->missed[i] < section->missed[i] ? before->missed[i] :
									      section->missed[i];
	/* Where nothing was counted before, all is of the interval. */
	if (!before->count)
		return;
	for (i = 0; i < section->nr && i < before->nr; i++) {
		stat = &section->values[i].stat;
		old = &before->values[i].stat;
		stat->sum -= old->sum;
		for (k = 0; k < PMCGRP_SECTION_BUCKETS; k++)
			stat->bucket[k] -= old->bucket[k];
		bound(&section->values[i], old);
	}
}

void section_set_subtract(struct section_set *set, const struct section_set *before)
{
	const struct section *old;
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		old = section_set_find(before, set->sections[i].id);
		if (old)
			subtract(&set->sections[i], old);
	}
}
