// SPDX-License-Identifier: GPL-2.0-only
/* Costs: the one in the middle. */
#include "bench.h"

static int by_insns(const void *a, const void *b)
{
	const struct cost *x = a, *y = b;

	return (x->insns > y->insns) - (x->insns < y->insns);
}

struct cost cost_median(struct cost *cost, unsigned int nr)
{
	qsort(cost, nr, sizeof(*cost), by_insns);
	return cost[nr / 2];
}
