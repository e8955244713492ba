// SPDX-License-Identifier: GPL-2.0-only
/*
 * Places found by a key, for spans in flight (span_tracepoint.c) and tasks in calls (span_task.c).
 *
 * A table has buckets of PMCGRP_WAYS places.  What is put into one may be left there for good: if
 * all places of a bucket are taken, the next key gets the oldest one.  So there are four places for
 * each entry that is to have room: in one of 4,000 buckets are then more than eight, if keys are
 * spread evenly.
 */
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/overflow.h>
#include <linux/random.h>
#include <linux/spinlock.h>
#include "platform/charge.h"
#include "span/span_places.h"

#define SPARE 4 /* places for each entry that is to have room */

/**
 * pmcgrp_places_alloc - make a table
 * @charge: that of the span's section
 * @room: how many entries are to have room, 1 or more
 * @size: bytes of a place
 * @why: out: enum pmcgrp_why of a failure
 *
 * Context: may sleep.
 * Return: the table, for kvfree(), or an ERR_PTR as of pmcgrp_charge_alloc_in_flight().
 */
struct pmcgrp_places *pmcgrp_places_alloc(struct pmcgrp_charge *charge, unsigned int room,
					  size_t size, u32 *why)
{
	unsigned long nr = roundup_pow_of_two(DIV_ROUND_UP(room * SPARE, PMCGRP_WAYS)), i;
	struct pmcgrp_places *places;
	size_t all = struct_size(places, bucket, nr) + nr * PMCGRP_WAYS * size;

	places = pmcgrp_charge_alloc_in_flight(charge, all, why);
	if (IS_ERR(places))
		return places;
	places->shift = 63 - ilog2(nr);
	places->size = size;
	places->seed = get_random_u64();
	for (i = 0; i < nr; i++) {
		raw_spin_lock_init(&places->bucket[i].lock);
		places->bucket[i].place = (void *)&places->bucket[nr] + i * PMCGRP_WAYS * size;
	}
	return places;
}

/* How many entries have room. */
unsigned int pmcgrp_places_room(const struct pmcgrp_places *places)
{
	return (1U << (63 - places->shift)) * PMCGRP_WAYS / SPARE;
}

/* The oldest place of a bucket that is locked, and has no free place. */
unsigned int pmcgrp_way_oldest(const struct pmcgrp_places *places,
			       const struct pmcgrp_bucket *bucket)
{
	unsigned int way, oldest = 0;

	for (way = 1; way < PMCGRP_WAYS; way++)
		if (*(u64 *)pmcgrp_place_at(places, bucket, way) <
		    *(u64 *)pmcgrp_place_at(places, bucket, oldest))
			oldest = way;
	return oldest;
}
