// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Events that this process has given to the module, by their ids.
 *
 * A descriptor is asked for its id; so dup(), fork() and close() change nothing here.  An event that
 * is not found here is asked for more.  Ids follow each other: the newest events all have a place.
 * One that is being written is not found, also by a handler of a signal that interrupts the writer.
 */
#include <stdatomic.h>

#include "shim.h"

#define PLACES 128

static struct place {
	atomic_uint seq;	/* odd: being written */
	struct shim_known known;
} places[PLACES];

static struct place *place_of(uint64_t id)
{
	return &places[id % PLACES];
}

void shim_known_add(const struct shim_known *known)
{
	struct place *place = place_of(known->id);
	unsigned int seq = atomic_load_explicit(&place->seq, memory_order_relaxed);

	if (seq & 1 || !atomic_compare_exchange_strong(&place->seq, &seq, seq + 1))
		return;
	/* Pairs with the fence of shim_known_find(). */
	atomic_thread_fence(memory_order_release);
	place->known = *known;
	/* Pairs with the acquire of shim_known_find(). */
	atomic_store_explicit(&place->seq, seq + 2, memory_order_release);
}

bool shim_known_find(struct shim_known *known, uint64_t id)
{
	struct place *place = place_of(id);
	/* Pairs with the release of shim_known_add(). */
	unsigned int seq = atomic_load_explicit(&place->seq, memory_order_acquire);

	if (seq & 1 || place->known.id != id)
		return false;
	*known = place->known;
	/* Pairs with the fence of shim_known_add(): what was copied is older than the second look. */
	atomic_thread_fence(memory_order_acquire);
	return atomic_load_explicit(&place->seq, memory_order_relaxed) == seq && known->id == id;
}
