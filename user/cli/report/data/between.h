/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * What a thread has counted between two triggers, the entry and the return of a function. A return
 * belongs to the last entry of its thread that has none yet, so calls may be nested.
 */
#ifndef REPORT_BETWEEN_H
#define REPORT_BETWEEN_H

#include "map.h"
#include "pairs.h"
#include "sketch.h"
#include "stream.h"

#define REP_DEPTH_MAX 256	/* calls without a return that a thread may have at a time */

/* The time, or the counts of a member, of all calls. */
struct rep_call_sums {
	double total;
	struct rep_sketch sketch;
};

/* A pair of triggers, with a group: several groups have their own samples of the same call. */
struct rep_calls {
	unsigned int pair;
	uint64_t returned;
	uint64_t without_return;
	uint64_t without_entry;
	unsigned int nr;		/* members; none without a sample of the pair */
	unsigned int *events;
	struct rep_call_sums time;	/* ns */
	struct rep_call_sums *counts;	/* of each member */
};

struct rep_thread_sums;
struct rep_thread_calls;

/* All zero at first, but for @pairs. */
struct rep_between {
	const struct rep_pairs *pairs;	/* NULL: none */
	struct rep_calls *rows;
	size_t nr;
	size_t room;
	struct rep_map map;		/* by pair, and the group's first event */
	struct rep_thread_sums *threads;	/* what each has counted, by group */
	size_t nr_threads;
	size_t room_threads;
	struct rep_map thread_map;
	struct rep_thread_calls *stacks;	/* by row and thread */
	size_t nr_stacks;
	size_t room_stacks;
	struct rep_map stack_map;
};

/*
 * rep_between_add - a sample
 * @interval: whether @stream->interval is what the thread has counted up to it
 *
 * Returns 0, or -ENOMEM.
 */
int rep_between_add(struct rep_between *between, const struct perfdata_sample *sample,
		    const struct rep_stream *stream, bool interval);

/* Behind the last one: calls that go on have no return. Returns 0, or -ENOMEM. */
int rep_between_end(struct rep_between *between);

void rep_between_free(struct rep_between *between);

#endif
