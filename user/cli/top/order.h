/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * Records of several rings in the order of their time. A child's own records are in the ring of the
 * CPU where it runs, its birth is in that of its parent: read one after the other, rings tell of a
 * task's end before they tell of its beginning.
 */
#ifndef TOP_ORDER_H
#define TOP_ORDER_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/side.h"

struct top_order_item {
	uint64_t time;
	uint64_t seq;			/* in which order they were put */
	struct perf_event_header *header;
};

struct top_order {
	struct top_order_item *items;
	size_t nr;
	size_t max;
	uint64_t seq;
};

/*
 * top_order_put - keep a copy of a record
 *
 * Its last eight bytes are its time: sample_id_all, with PERF_SAMPLE_TIME alone. A shorter one is
 * left out. Returns 0 or -ENOMEM. The first argument is a struct top_order.
 */
int top_order_put(void *order, const struct perf_event_header *header);

/*
 * top_order_flush - hand on what is older than @before, and keep the rest
 *
 * Records of one time stay in the order in which they were put. Returns 0, or the first negative
 * errno of @put: what is left is lost then.
 */
int top_order_flush(struct top_order *order, uint64_t before, side_put_fn put, void *arg);

void top_order_free(struct top_order *order);

#endif
