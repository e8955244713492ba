/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The intervals of -I from rings: the kernel takes the values, and stat wakes up for many at once. */
#ifndef INTERVAL_H
#define INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "counters/counter_set.h"

struct interval_ring;

struct interval_rings {
	struct counter_set *set;
	struct pmcgrp_rings **maps;	/* one for each group of the set, or NULL */
	struct interval_ring *rings;	/* of all groups */
	unsigned int nr;
	int64_t interval;		/* ns */
	int64_t asked;			/* clock_now() of a sample on request not seen yet; or 0 */
	int64_t offset;			/* clock_now() less a record's time */
	int64_t checked;		/* when the last one was asked for; or 0 */
	ssize_t read_size;		/* of all CPUs that count */
	uint64_t lost;			/* samples, as far as is known */
	bool useless;			/* not all CPUs' samples come: to be freed, and read instead */
};

/*
 * interval_rings_open - give the groups of a set rings with a sample at each interval
 * @set: open, disabled, and counting CPUs
 * @cpus: those
 * @interval: in ns
 *
 * Returns 0, or a negative errno with nothing left to be freed: the groups can still be read.
 * -ERANGE: to read them is cheaper.
 */
int interval_rings_open(struct interval_rings *r, struct counter_set *set, struct pmcgrp *h,
			const struct pmcgrp_cpus *cpus, int64_t interval);

/* Ends them; before the groups. Also of a zeroed struct. */
void interval_rings_free(struct interval_rings *r);

/* To be called when the counting has begun. */
void interval_rings_start(struct interval_rings *r);

/* When to look at the rings next, if the counting began at @start. */
int64_t interval_rings_next(const struct interval_rings *r, int64_t start);

/* Lets records be read, those that have come by now; @now is clock_now(), or a bit earlier. */
int interval_rings_begin(struct interval_rings *r, int64_t now);

/*
 * interval_rings_take - the next interval, into the set's statistics
 * @now: as told to interval_rings_begin()
 * @limit: none that ended later
 * @end: when it ended, on CLOCK_MONOTONIC in ns
 *
 * Returns 1, 0: there is none yet, or a negative errno.
 */
int interval_rings_take(struct interval_rings *r, int64_t now, int64_t limit, int64_t *end);

/* Gives the room of what was taken back. */
void interval_rings_end(struct interval_rings *r);

#endif
