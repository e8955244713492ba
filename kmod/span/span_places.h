/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_SPAN_PLACES_H
#define PMCGRP_SPAN_PLACES_H

#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct pmcgrp_charge;

#define PMCGRP_WAYS 8

/**
 * struct pmcgrp_place_key - by what a place is found
 * @word: its words.  The first one is hashed, not with a secret, but with a number of the table's
 *	own.
 */
struct pmcgrp_place_key {
	u64 word[2];
};

/**
 * struct pmcgrp_bucket - some places
 * @lock: all below, and these places
 * @used: bit mask of the places that are taken
 * @broken: bit mask of those whose span is not to be counted (span_tracepoint.c); atomic, in any
 *	context
 * @place: these places.  Constant.
 * @key: both words of the key of each place that is taken; read without @lock as well
 */
struct pmcgrp_bucket {
	raw_spinlock_t lock;
	unsigned long used;
	unsigned long broken;
	void *place;
	u64 key[2][PMCGRP_WAYS];
};

/**
 * struct pmcgrp_places - a table of places
 * @shift: 63 less the logarithm of the number of buckets.  Constant.
 * @size: bytes of a place, whose first word is local_clock() of when it was taken.  Constant.
 * @seed: makes the buckets of keys others in each table.  Constant.
 * @bucket: the buckets, and behind them all places
 */
struct pmcgrp_places {
	unsigned int shift;
	unsigned int size;
	u64 seed;
	struct pmcgrp_bucket bucket[];
};

struct pmcgrp_places *pmcgrp_places_alloc(struct pmcgrp_charge *charge, unsigned int room,
					  size_t size, u32 *why);
unsigned int pmcgrp_places_room(const struct pmcgrp_places *places);
unsigned int pmcgrp_way_oldest(const struct pmcgrp_places *places,
			       const struct pmcgrp_bucket *bucket);

/* A task's memory is another one's later: that began at another time. */
static __always_inline struct pmcgrp_place_key pmcgrp_task_place(const struct task_struct *task)
{
	return (struct pmcgrp_place_key){ { task->start_time, (unsigned long)task } };
}

static __always_inline struct pmcgrp_bucket *pmcgrp_bucket_of(struct pmcgrp_places *places,
							      const struct pmcgrp_place_key *key)
{
	u64 hash = (key->word[0] ^ places->seed) * GOLDEN_RATIO_64;

	/*
	 * Twice: keys often differ by multiples of a number, as addresses of structures in an
	 * array, and once leaves these close together for some of these numbers (144 is one).
	 */
	hash = (hash ^ hash >> 32) * GOLDEN_RATIO_64;
	return &places->bucket[hash >> 1 >> places->shift];
}

static __always_inline void *pmcgrp_place_at(const struct pmcgrp_places *places,
					     const struct pmcgrp_bucket *bucket, unsigned int way)
{
	return bucket->place + way * places->size;
}

static __always_inline bool pmcgrp_way_has(const struct pmcgrp_bucket *bucket, unsigned int way,
					   const struct pmcgrp_place_key *key)
{
	return READ_ONCE(bucket->key[0][way]) == key->word[0] &&
	       READ_ONCE(bucket->key[1][way]) == key->word[1];
}

/* Whether a place that was found without the lock is still the key's. */
static __always_inline bool pmcgrp_way_stays(const struct pmcgrp_bucket *bucket, unsigned int way,
					     const struct pmcgrp_place_key *key)
{
	return likely(bucket->used & BIT(way)) && likely(pmcgrp_way_has(bucket, way, key));
}

/* The place of a key, or PMCGRP_WAYS; also without the lock. */
static __always_inline unsigned int pmcgrp_way_of(const struct pmcgrp_bucket *bucket,
						  const struct pmcgrp_place_key *key)
{
	unsigned long used = READ_ONCE(bucket->used);
	unsigned int way;

	/* for_each_set_bit() is twice as long. */
	for (; used; used &= used - 1) {
		way = __ffs(used);
		if (pmcgrp_way_has(bucket, way, key))
			return way;
	}
	return PMCGRP_WAYS;
}

/* The place that a key is to have: that which it has, a free one, or the oldest. */
static __always_inline unsigned int pmcgrp_way_for(const struct pmcgrp_places *places,
						   const struct pmcgrp_bucket *bucket,
						   const struct pmcgrp_place_key *key,
						   bool *is_free)
{
	unsigned int way = pmcgrp_way_of(bucket, key);

	*is_free = false;
	if (unlikely(way < PMCGRP_WAYS))
		return way;
	way = ffz(bucket->used);
	if (unlikely(way >= PMCGRP_WAYS))
		return pmcgrp_way_oldest(places, bucket);
	*is_free = true;
	return way;
}

static __always_inline void pmcgrp_way_take(struct pmcgrp_bucket *bucket, unsigned int way,
					    const struct pmcgrp_place_key *key)
{
	WRITE_ONCE(bucket->key[0][way], key->word[0]);
	WRITE_ONCE(bucket->key[1][way], key->word[1]);
	WRITE_ONCE(bucket->used, bucket->used | BIT(way));
}

static __always_inline void pmcgrp_way_give(struct pmcgrp_bucket *bucket, unsigned int way)
{
	WRITE_ONCE(bucket->used, bucket->used & ~BIT(way));
}

#endif /* PMCGRP_SPAN_PLACES_H */
