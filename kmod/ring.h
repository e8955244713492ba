/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_RING_H
#define PMCGRP_RING_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include "ring_map.h"

/**
 * struct pmcgrp_ring - the records of one CPU, or of one task
 * @page: what user space sees of it, followed by the records.  Constant.
 * @data: the records.  Constant.
 * @size: bytes of these, a power of two.  Constant.
 * @overwrites: nobody can write data_tail, so it is never full.  Constant.
 * @backward: from high addresses to low ones.  Constant.
 * @default_forward: forward, and its samples are usual ones (struct pmcgrp_rings).  Constant.
 * @wake_samples: wake up the reader after so many samples, or 0.  Constant.
 * @wake_bytes: or after so many bytes.  Constant.
 * @keep: a mapping of it has failed half-way: not to be freed before the group;
 *	pmcgrp_rings.mutex
 * @head: how many bytes were written.  What follows is the writer's: a CPU's ring is
 *	written on that CPU, a task's where the task runs, in a section of
 *	pmcgrp_recursion_enter() with interrupts off.
 * @woken: @head at the last wake-up
 * @samples: since then
 * @lost: samples for which there was no room, not yet told
 * @not_taken: snapshots that could not be taken, not yet told; added to from any context
 * @gap: time enabled but off the PMU, at the last compact record
 * @maps: mappings there are; pmcgrp_rings.mutex
 * @rings: whose.  Constant.
 * @cpu: which, or -1 for the one of a task.  Constant.
 * @kept: in the list of those kept; pmcgrp_rings.mutex
 * @rcu: for the end
 */
struct pmcgrp_ring {
	struct perf_event_mmap_page *page;
	u64 *data;
	u64 size;
	bool overwrites;
	bool backward;
	bool default_forward;
	u32 wake_samples;
	u64 wake_bytes;
	bool keep;
	u64 head;
	u64 woken;
	u32 samples;
	u64 lost;
	atomic_long_t not_taken;
	u64 gap;
	unsigned int maps;
	struct pmcgrp_rings *rings;
	int cpu;
	struct list_head kept;
	struct rcu_head rcu;
};

void pmcgrp_rings_init(unsigned int max_mb);
void pmcgrp_rings_exit(void);
struct pmcgrp_ring *pmcgrp_ring_create(struct pmcgrp_rings *rings, int cpu, unsigned long pages,
				       bool overwrites);
void pmcgrp_ring_free(struct pmcgrp_ring *ring);
void pmcgrp_ring_free_rcu(struct pmcgrp_ring *ring);
void pmcgrp_ring_lost(struct pmcgrp_ring *ring);
void pmcgrp_ring_wake(struct pmcgrp_ring *ring);
void pmcgrp_ring_wrap(struct pmcgrp_ring *ring, size_t size, const u64 *scratch);

/* As much as perf fills: never to the last byte (__perf_output_begin()). */
static inline bool pmcgrp_ring_has_room(const struct pmcgrp_ring *ring, size_t size)
{
	u64 tail;

	if (ring->overwrites)
		return size < ring->size;
	/*
	 * What is written depends on it, so nothing is before it; pairs with the reader's
	 * full barrier between reading records and writing data_tail.
	 */
	tail = READ_ONCE(ring->page->data_tail);
	tail = ring->backward ? tail - ring->head : ring->head - tail;
	return tail < ring->size && size < ring->size - tail;
}

/* Where in the ring the next records begin, in bytes. */
static inline u64 pmcgrp_ring_start(const struct pmcgrp_ring *ring, size_t size)
{
	return (ring->backward ? ring->head - size : ring->head) & (ring->size - 1);
}

/**
 * pmcgrp_ring_reserve - room for the next records
 * @ring: the ring
 * @size: their size in bytes, a multiple of 8
 * @scratch: as large, for the case that they go over the end of the ring
 *
 * Context: the ring's only writer (struct pmcgrp_ring), interrupts off; NMI included.
 * Return: where to write them; NULL if there is no room.
 */
static inline u64 *pmcgrp_ring_reserve(struct pmcgrp_ring *ring, size_t size, u64 *scratch)
{
	u64 at;

	lockdep_assert_irqs_disabled();
	if (READ_ONCE(ring->rings->paused) || !pmcgrp_ring_has_room(ring, size))
		return NULL;
	at = pmcgrp_ring_start(ring, size);
	return likely(at + size <= ring->size) ? ring->data + at / sizeof(u64) : scratch;
}

/* What was written ends at @head, so many bytes from where the reader was woken last. */
static inline void pmcgrp_ring_show(struct pmcgrp_ring *ring, u64 head, u64 moved)
{
	ring->head = head;
	/* Pairs with the reader's barrier after reading data_head. */
	smp_store_release(&ring->page->data_head, head);
	if (unlikely((ring->wake_samples && ++ring->samples >= ring->wake_samples) ||
		     moved >= ring->wake_bytes))
		pmcgrp_ring_wake(ring);
}

/**
 * pmcgrp_ring_commit - show the reader what was written
 * @ring: the ring
 * @size: as reserved
 * @out: as was reserved
 * @scratch: as reserved
 *
 * Context: as pmcgrp_ring_reserve().
 */
static inline void pmcgrp_ring_commit(struct pmcgrp_ring *ring, size_t size, const u64 *out,
				      const u64 *scratch)
{
	u64 head = ring->head + (ring->backward ? -size : size);

	lockdep_assert_irqs_disabled();
	if (unlikely(out == scratch))
		pmcgrp_ring_wrap(ring, size, scratch);
	pmcgrp_ring_show(ring, head, ring->backward ? ring->woken - head : head - ring->woken);
}

/**
 * pmcgrp_ring_reserve_ahead - room for the next record of a ring that is plain
 * @ring: the ring
 * @size: its size in bytes, a multiple of 8
 *
 * Context: as pmcgrp_ring_reserve().
 * Return: where to write it; NULL if there is no room, or it would go over the end.
 */
static inline u64 *pmcgrp_ring_reserve_ahead(const struct pmcgrp_ring *ring, size_t size)
{
	u64 at = ring->head & (ring->size - 1), used = 0;

	lockdep_assert_irqs_disabled();
	/* As pmcgrp_ring_has_room() has it. */
	if (!ring->overwrites)
		used = ring->head - READ_ONCE(ring->page->data_tail);
	if (READ_ONCE(ring->rings->paused) || used >= ring->size || size >= ring->size - used ||
	    at + size > ring->size)
		return NULL;
	return (void *)ring->data + at;
}

/**
 * pmcgrp_ring_commit_ahead - show the reader what was written
 * @ring: the ring
 * @size: as reserved by pmcgrp_ring_reserve_ahead()
 *
 * Context: as pmcgrp_ring_reserve().
 */
static inline void pmcgrp_ring_commit_ahead(struct pmcgrp_ring *ring, size_t size)
{
	u64 head = ring->head + size;

	lockdep_assert_irqs_disabled();
	pmcgrp_ring_show(ring, head, head - ring->woken);
}

#endif /* PMCGRP_RING_H */
