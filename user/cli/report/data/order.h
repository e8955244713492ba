/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * Records in the order of their times, from a file that has them CPU by CPU in rounds. It is gone
 * through twice. The first time tells of each part of it the least time of all that follow; the
 * second time a record is held back until no earlier one can come. That is as many records as the
 * file has out of order: of rounds about one of them, of a file that is all one round, the file.
 */
#ifndef REPORT_ORDER_H
#define REPORT_ORDER_H

#include <stdbool.h>

#include "perfdata/reader.h"

struct rep_order_record;
struct rep_order_run;
struct rep_order_block;

/* All zero at first. */
struct rep_order {
	uint64_t *least;	/* of each part: of its own times; then of those that follow as well */
	size_t nr_least;
	size_t room_least;
	uint64_t noted;		/* records of the first time */
	uint64_t put;		/* of the second */
	uint64_t until;		/* none that is still to come is earlier */
	struct rep_order_run **runs;	/* a heap, by the first record's time */
	size_t nr_runs;
	size_t room_runs;
	struct rep_order_run *last;	/* what comes later than its end goes there; may be NULL */
	struct rep_order_block *block;	/* that is being filled */
	struct rep_order_record *taken;	/* by the last rep_order_get() */
};

/* The first time, for each record. Returns 0, or -ENOMEM. */
int rep_order_note(struct rep_order *order, uint64_t time);

/* Behind the last one. */
void rep_order_noted(struct rep_order *order);

/*
 * rep_order_put - the second time, for the same records; a copy is kept
 *
 * Returns 0, or -ENOMEM.
 */
int rep_order_put(struct rep_order *order, uint64_t time, const struct perfdata_record *record);

/* Behind the last one: nothing more will come. */
void rep_order_end(struct rep_order *order);

/*
 * rep_order_get - the next in the order of time; those of the same time in that of the file
 *
 * Returns whether there is one already. It is valid until the next call.
 */
bool rep_order_get(struct rep_order *order, uint64_t *time, struct perfdata_record *record);

void rep_order_free(struct rep_order *order);

#endif
