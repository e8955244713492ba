// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stdlib.h>
#include <string.h>

#include "grow.h"
#include "tally.h"

struct rep_tally *rep_tally(struct rep_tallies *tallies, uint64_t key)
{
	size_t at = rep_map_find(&tallies->map, key, 0);

	if (at != REP_MAP_NONE)
		return &tallies->rows[at];
	if (!rep_grow(&tallies->rows, &tallies->room, tallies->nr, sizeof(*tallies->rows)) ||
	    rep_map_add(&tallies->map, key, 0, tallies->nr) < 0)
		return NULL;
	memset(&tallies->rows[tallies->nr], 0, sizeof(*tallies->rows));
	return &tallies->rows[tallies->nr++];
}

static int by_cpu(const void *a, const void *b)
{
	const struct rep_tally *x = a, *y = b;

	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static int by_samples(const void *a, const void *b)
{
	const struct rep_tally *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

void rep_tallies_by_cpu(struct rep_tallies *tallies)
{
	if (tallies->nr)
		qsort(tallies->rows, tallies->nr, sizeof(*tallies->rows), by_cpu);
}

void rep_tallies_by_samples(struct rep_tallies *tallies)
{
	if (tallies->nr)
		qsort(tallies->rows, tallies->nr, sizeof(*tallies->rows), by_samples);
}

void rep_tallies_free(struct rep_tallies *tallies)
{
	free(tallies->rows);
	rep_map_free(&tallies->map);
	memset(tallies, 0, sizeof(*tallies));
}
