/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * Counts per task: the groups count CPUs, and their rings have a record where one task is switched
 * to another. One that sleeps causes none.
 */
#ifndef TOP_RINGS_H
#define TOP_RINGS_H

#include "counters/counter_set.h"
#include "counters/side.h"
#include "order.h"
#include "tasks.h"

struct top_ring_group {
	struct pmcgrp_rings *rings;
	struct pmcgrp_delta *deltas;	/* one for each ring */
	unsigned int nr;
};

struct top_rings {
	struct counter_set *set;
	struct top_ring_group *groups;	/* as many as the set has; NULL: closed */
	struct side_rings side;
	struct top_order order;		/* of its records */
	uint64_t lost;			/* records of the interval, of counts */
	uint64_t lost_names;		/* and of names and new tasks */
};

/*
 * top_rings_open - rings for all groups of a set of CPUs that is open and disabled
 * @pages: how many pages of records each ring has: a power of two
 *
 * Names are followed by perf's records, where that is possible. Returns 0, or a negative errno
 * with nothing left open.
 */
int top_rings_open(struct top_rings *r, struct counter_set *set, struct pmcgrp *h, int pages);

void top_rings_close(struct top_rings *r);

/* top_rings_drain - into the sums with what there is; returns 0 or a negative errno */
int top_rings_drain(struct top_rings *r, struct top_tasks *tasks);

/*
 * top_rings_end - the same up to now: what runs at this moment has a record made
 *
 * Also finds CPUs that have come online.
 */
int top_rings_end(struct top_rings *r, struct top_tasks *tasks);

/* top_rings_take - the task that a record names gets what was counted since the last one */
int top_rings_take(struct top_rings *r, unsigned int group, struct pmcgrp_delta *delta,
		   const struct pmcgrp_record *record, struct top_tasks *tasks);

#endif
