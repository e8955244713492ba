// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spans in flight, found by a key.
 *
 * A table of buckets with FLIGHT_WAYS places each.  The beginning of a span takes a place in the
 * bucket of its key, and its end gives it back.  Nothing has to notify the table that an instance
 * will never end, as when its task exits: its place is taken
 *
 *  - by the next instance of the same key, and it is missed as %PMCGRP_MISSED_AGAIN, or
 *  - by one of another key if no place is free and it is the oldest of the bucket: it is missed as
 *    %PMCGRP_MISSED_LIMIT.
 *
 * So there are four places for each instance that is to have room: in one of 4,000 buckets are then
 * more than eight, if keys are spread evenly.
 *
 * Locks: a bucket has a raw spinlock, under which interrupts are off, the counters are read once
 * at a beginning, and no other lock is taken.  A tracepoint may be hit in here, with a probe that
 * is one of ours, as by the lock itself: handlers do not nest on a CPU, whatever table they are of.
 * What interrupts one is missed (%PMCGRP_MISSED_BUSY).  An NMI only tries the lock, as lockdep
 * asks of it.
 *
 * An end that finds no place has nothing to end.  Places are looked through without the lock for
 * that: the beginning is in the same task, on the same CPU, or has let the end happen.  So what
 * does not concern the group costs one look at a bucket, and writes nothing.
 */
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/irqflags.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/mm.h>
#include <linux/numa.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <uapi/linux/pmcgrp.h>
#include "include/linux/pmcgrp.h"
#include "platform/charge.h"
#include "span/section.h"
#include "span/span.h"
#include "span/span_flight.h"
#include "span/span_room.h"
#include "span/span_task.h"

#define FLIGHT_WAYS 8
#define FLIGHT_SPARE 4 /* places for each instance that is to have room */

/**
 * struct flight_bucket - some places
 * @lock: all below, and the marks of these places
 * @used: bit mask of the places that are taken
 * @broken: bit mask of those whose instance is not to be counted; atomic, in any context
 * @mark: marks of these places.  Constant.
 * @key: of each place that is taken; read without @lock as well
 */
struct flight_bucket {
	raw_spinlock_t lock;
	unsigned long used;
	unsigned long broken;
	void *mark;
	struct pmcgrp_flight_key key[FLIGHT_WAYS];
};

/**
 * struct pmcgrp_flights - a table of the spans in flight
 * @bits: logarithm of the number of buckets.  Constant.
 * @mark_size: bytes of a mark.  Constant.
 * @seed: makes the buckets of keys others in each table.  Constant.
 * @mark: marks of all places.  Constant.
 * @bucket: the buckets
 */
struct pmcgrp_flights {
	unsigned int bits;
	unsigned int mark_size;
	u64 seed;
	void *mark;
	struct flight_bucket bucket[];
};

static size_t flight_table_size(unsigned long nr, size_t mark_size)
{
	return nr * (sizeof(struct flight_bucket) + FLIGHT_WAYS * mark_size);
}

/* A handler of ours runs on this CPU. */
static DEFINE_PER_CPU(bool, flight_busy);

/**
 * pmcgrp_flights_alloc - make a table
 * @charge: that of the section
 * @max_active: how many spans are to have room, 1 or more
 * @nr_events: how many values a mark has
 * @why: out: enum pmcgrp_why of a failure
 *
 * Context: may sleep.
 * Return: the table, for pmcgrp_flights_free(); or an ERR_PTR: -ENOSPC if all spans of the user
 * together have no more room; or as pmcgrp_charge_alloc().
 */
struct pmcgrp_flights *pmcgrp_flights_alloc(struct pmcgrp_charge *charge, unsigned int max_active,
					    unsigned int nr_events, u32 *why)
{
	unsigned long nr = roundup_pow_of_two(DIV_ROUND_UP(max_active * FLIGHT_SPARE, FLIGHT_WAYS));
	size_t mark_size = offsetof(struct pmcgrp_section_mark, count[nr_events]);
	struct pmcgrp_flights *flights;
	unsigned long i;
	void *mark;
	int err;

	err = pmcgrp_span_room_take(charge, flight_table_size(nr, mark_size), why);
	if (err)
		return ERR_PTR(err);
	flights = pmcgrp_charge_alloc(charge, struct_size(flights, bucket, nr), NUMA_NO_NODE);
	*why = pmcgrp_why_of_charge(PTR_ERR_OR_ZERO(flights));
	if (IS_ERR(flights))
		return flights;
	flights->bits = ilog2(nr);
	flights->mark_size = mark_size;
	flights->seed = get_random_u64();
	mark = pmcgrp_charge_alloc_array(charge, nr * FLIGHT_WAYS, mark_size);
	err = PTR_ERR_OR_ZERO(mark);
	*why = pmcgrp_why_of_charge(err);
	if (err) {
		pmcgrp_flights_free(flights);
		return ERR_PTR(err);
	}
	flights->mark = mark;
	for (i = 0; i < nr; i++) {
		raw_spin_lock_init(&flights->bucket[i].lock);
		flights->bucket[i].mark = flights->mark + i * FLIGHT_WAYS * flights->mark_size;
	}
	return flights;
}

/**
 * pmcgrp_flights_free - free a table that no handler can reach any more
 * @flights: the table, NULL, or an ERR_PTR
 *
 * Context: may sleep.
 */
void pmcgrp_flights_free(struct pmcgrp_flights *flights)
{
	if (IS_ERR_OR_NULL(flights))
		return;
	kvfree(flights->mark);
	kvfree(flights);
}

/**
 * pmcgrp_flights_room - get how many spans in flight have room
 * @flights: the table
 *
 * Context: any.
 */
unsigned int pmcgrp_flights_room(const struct pmcgrp_flights *flights)
{
	return (1U << flights->bits) * FLIGHT_WAYS / FLIGHT_SPARE;
}

static __always_inline struct flight_bucket *bucket_of(struct pmcgrp_flights *flights,
						       const struct pmcgrp_flight_key *key)
{
	u64 hash = (key->word[1] ^ flights->seed) * GOLDEN_RATIO_64;

	/*
	 * Twice: keys often differ by multiples of a number, as addresses of structures in an
	 * array, and once leaves these close together for some of these numbers (144 is one).
	 */
	hash = (hash ^ hash >> 32) + key->word[0];
	return &flights->bucket[pmcgrp_span_hash(hash, flights->bits)];
}

static __always_inline struct pmcgrp_section_mark *
flight_mark_of(const struct pmcgrp_flights *flights, const struct flight_bucket *bucket,
	       unsigned int way)
{
	return bucket->mark + way * flights->mark_size;
}

static __always_inline bool has_key(const struct flight_bucket *bucket, unsigned int way,
				    const struct pmcgrp_flight_key *key)
{
	return READ_ONCE(bucket->key[way].word[0]) == key->word[0] &&
	       READ_ONCE(bucket->key[way].word[1]) == key->word[1];
}

/* The place of a key, or FLIGHT_WAYS. */
static __always_inline unsigned int flight_way_of(const struct flight_bucket *bucket,
						  const struct pmcgrp_flight_key *key)
{
	unsigned long used = READ_ONCE(bucket->used);
	unsigned int way;

	/* for_each_set_bit() is twice as long. */
	for (; used; used &= used - 1) {
		way = __ffs(used);
		if (has_key(bucket, way, key))
			return way;
	}
	return FLIGHT_WAYS;
}

static unsigned int flight_oldest_of(const struct pmcgrp_flights *flights,
				     const struct flight_bucket *bucket)
{
	unsigned int way, oldest = 0;

	for (way = 1; way < FLIGHT_WAYS; way++)
		if (flight_mark_of(flights, bucket, way)->now <
		    flight_mark_of(flights, bucket, oldest)->now)
			oldest = way;
	return oldest;
}

/*
 * A handler that cannot have the bucket marks the place of its key: the instance there has ended
 * already, or another one has begun, and the next end of the key is not its own.
 */
static void way_break(struct flight_bucket *bucket, unsigned int way)
{
	if (way < FLIGHT_WAYS)
		set_bit(way, &bucket->broken);
}

static __always_inline bool is_broken(struct flight_bucket *bucket, unsigned int way)
{
	return unlikely(READ_ONCE(bucket->broken)) && test_and_clear_bit(way, &bucket->broken);
}

/* Take the place of an instance that has not ended. */
static void way_lose(const struct pmcgrp_span *span, struct flight_bucket *bucket,
		     unsigned int way, enum pmcgrp_missed why)
{
	WRITE_ONCE(bucket->used, bucket->used & ~BIT(way));
	if (is_broken(bucket, way))
		why = PMCGRP_MISSED_BUSY;
	pmcgrp_section_miss(span->section, why);
	this_cpu_inc(span->section->cpu->ended);
}

static __always_inline unsigned int way_for(const struct pmcgrp_span *span,
					    const struct pmcgrp_flights *flights,
					    struct flight_bucket *bucket,
					    const struct pmcgrp_flight_key *key)
{
	unsigned int way = flight_way_of(bucket, key);

	if (unlikely(way < FLIGHT_WAYS)) {
		way_lose(span, bucket, way, PMCGRP_MISSED_AGAIN);
		return way;
	}
	way = ffz(bucket->used);
	if (likely(way < FLIGHT_WAYS))
		return way;
	way = flight_oldest_of(flights, bucket);
	way_lose(span, bucket, way, PMCGRP_MISSED_LIMIT);
	return way;
}

/*
 * Busy before the lock, which has tracepoints.  An NMI puts back what it finds.
 *
 * Context: any, interrupts off.
 */
static __always_inline bool bucket_lock(struct flight_bucket *bucket)
{
	if (unlikely(__this_cpu_read(flight_busy)))
		return false;
	__this_cpu_write(flight_busy, true);
	barrier();
	if (likely(!in_nmi())) {
		raw_spin_lock(&bucket->lock);
	} else if (!raw_spin_trylock(&bucket->lock)) {
		barrier();
		__this_cpu_write(flight_busy, false);
		return false;
	}
	return true;
}

static __always_inline void bucket_unlock(struct flight_bucket *bucket)
{
	raw_spin_unlock(&bucket->lock);
	barrier();
	__this_cpu_write(flight_busy, false);
}

static void flight_begin_in(struct pmcgrp_span *span, struct pmcgrp_flights *flights,
			    struct flight_bucket *bucket, const struct pmcgrp_flight_key *key)
{
	unsigned int way = way_for(span, flights, bucket, key);

	is_broken(bucket, way);
	WRITE_ONCE(bucket->key[way].word[0], key->word[0]);
	WRITE_ONCE(bucket->key[way].word[1], key->word[1]);
	WRITE_ONCE(bucket->used, bucket->used | BIT(way));
	if (likely(!pmcgrp_span_section_begin(span->section, flight_mark_of(flights, bucket, way))))
		this_cpu_inc(span->section->cpu->begun);
	else
		WRITE_ONCE(bucket->used, bucket->used & ~BIT(way));
}

/**
 * pmcgrp_flight_begin - begin a span, if it concerns the group
 * @span: the span
 * @flights: its table
 * @key: what its end will know of it
 *
 * Context: any, NMI included.
 */
void pmcgrp_flight_begin(struct pmcgrp_span *span, struct pmcgrp_flights *flights,
			 const struct pmcgrp_flight_key *key)
{
	struct flight_bucket *bucket = bucket_of(flights, key);
	unsigned long flags;

	local_irq_save(flags);
	if (pmcgrp_span_concerns(span)) {
		if (likely(bucket_lock(bucket))) {
			flight_begin_in(span, flights, bucket, key);
			bucket_unlock(bucket);
		} else {
			way_break(bucket, flight_way_of(bucket, key));
			pmcgrp_section_miss(span->section, PMCGRP_MISSED_BUSY);
		}
	}
	local_irq_restore(flags);
}

/* Give the place back, and get where the instance began.  false: there is nothing to count. */
static __always_inline bool flight_take_out(struct pmcgrp_span *span,
					    struct pmcgrp_flights *flights,
					    struct flight_bucket *bucket, unsigned int way,
					    const struct pmcgrp_flight_key *key,
					    struct pmcgrp_section_mark *mark)
{
	/* Another one may have taken the place since it was looked for. */
	if (unlikely(!(bucket->used & BIT(way)) || !has_key(bucket, way, key)))
		return false;
	if (unlikely(READ_ONCE(bucket->broken) & BIT(way))) {
		way_lose(span, bucket, way, PMCGRP_MISSED_BUSY);
		return false;
	}
	pmcgrp_section_mark_copy(mark, flight_mark_of(flights, bucket, way), flights->mark_size);
	WRITE_ONCE(bucket->used, bucket->used & ~BIT(way));
	return true;
}

/**
 * pmcgrp_flight_end - end a span, if it has begun
 * @span: the span
 * @flights: its table
 * @key: that of its beginning
 *
 * One that interrupts another handler is missed as %PMCGRP_MISSED_BUSY, as its place is taken.
 *
 * The section ends without the lock: who listens to its trace event may take locks, and tracepoints
 * are hit while these are held.  But handlers of this CPU stay out.
 *
 * Context: any, NMI included.
 */
void pmcgrp_flight_end(struct pmcgrp_span *span, struct pmcgrp_flights *flights,
		       const struct pmcgrp_flight_key *key)
{
	struct flight_bucket *bucket = bucket_of(flights, key);
	unsigned int way = flight_way_of(bucket, key);
	struct pmcgrp_section_mark mark;
	unsigned long flags;
	bool has_begun;

	if (way == FLIGHT_WAYS)
		return;
	local_irq_save(flags);
	if (likely(bucket_lock(bucket))) {
		has_begun = flight_take_out(span, flights, bucket, way, key, &mark);
		raw_spin_unlock(&bucket->lock);
		if (likely(has_begun)) {
			pmcgrp_span_section_end(span->section, &mark);
			this_cpu_inc(span->section->cpu->ended);
		}
		barrier();
		__this_cpu_write(flight_busy, false);
	} else {
		way_break(bucket, way);
	}
	local_irq_restore(flags);
}
