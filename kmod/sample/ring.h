/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ring buffer of one CPU or one task.  ring.c states the protocol.
 */
#ifndef PMCGRP_RING_H
#define PMCGRP_RING_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include "platform/charge.h"
#include "sample/ring_map.h"

/**
 * struct pmcgrp_owner - a task whose counts are not in a record yet (by_task.c)
 * @tid: as pmcgrp_tid_word()
 * @ip: where it goes on in user mode, or 0
 * @cgroup: as pmcgrp_sample_cgroup()
 */
struct pmcgrp_owner {
	u64 tid;
	u64 ip;
	u64 cgroup;
};

/**
 * struct pmcgrp_ring_buffer - ring buffer of one CPU, or of one task
 * @page: control page, followed by the records; mapped by user space.  Constant.
 * @data: the records.  Constant.
 * @size: size of @data in bytes, a power of two or 0.  Constant.
 * @overwrites: user space cannot write data_tail, so the ring is never full.  Constant.
 * @backward: records are written from high addresses to low ones.  Constant.
 * @default_forward: not @backward, and pmcgrp_rings.default_format is set.  Constant.
 * @wake_samples: number of samples after which the reader is woken, or 0.  Constant.
 * @wake_bytes: number of bytes after which the reader is woken.  Constant.
 * @keep: a mapping failed half-way, so the memory is freed with the group;
 *	pmcgrp_ring_buffers.mutex
 * @head: data_head: bytes written, counted down if @backward.  @head to @gap, without @not_taken,
 *	belong to the writer: the ring's CPU, or the CPU where the task runs; interrupts off, in a
 *	recursion section.
 * @woken: @head at the last wake-up
 * @samples: number of samples since the last wake-up
 * @lost: number of samples without room, not yet reported
 * @not_taken: number of samples that were not taken, not yet reported; any context
 * @gap: time enabled minus time running, at the last compact record
 * @owner: with @has_owner: the task that was counted last; by_task.c.  @owner to @stays are used in
 *	context switches of the ring's CPU.
 * @has_owner: the counts since the last record are @owner's
 * @recorded: time enabled up to which records of by_task.c have the counts
 * @stays: number of tasks that were switched to, also read by samples
 * @floor: if not 0, no sample is taken before the set's count of @floor_event is @floor - 1
 * @floor_event: index of an event of the list
 * @maps: number of mappings; pmcgrp_ring_buffers.mutex
 * @charge: what the memory is charged to.  Constant.
 * @rings: the rings of the group.  Constant.
 * @cpu: the CPU, or -1 for the ring of a task.  Constant.
 * @kept: node in pmcgrp_ring_buffers.kept, if @keep; pmcgrp_ring_buffers.mutex
 * @rcu: RCU head to free the ring
 */
struct pmcgrp_ring_buffer {
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
	struct pmcgrp_owner owner;
	bool has_owner;
	u64 recorded;
	u32 stays;
	u64 floor;
	unsigned int floor_event;
	unsigned int maps;
	struct pmcgrp_charge charge;
	struct pmcgrp_ring_buffers *rings;
	int cpu;
	struct list_head kept;
	struct rcu_head rcu;
};

void pmcgrp_ring_lost(struct pmcgrp_ring_buffer *ring);
void pmcgrp_ring_wake(struct pmcgrp_ring_buffer *ring);
bool pmcgrp_ring_write(struct pmcgrp_ring_buffer *ring, const void *from, size_t size);

/*
 * Context of all that follows: the ring's only writer (struct pmcgrp_ring_buffer), interrupts off;
 * NMI included.
 */

/* Whether @size bytes fit.  The last byte stays free, as in __perf_output_begin(). */
static __always_inline bool pmcgrp_ring_has_room(const struct pmcgrp_ring_buffer *ring, size_t size,
						 bool backward)
{
	u64 used = 0;

	lockdep_assert_irqs_disabled();
	/*
	 * The writes depend on this load (control dependency), so none precedes it.  Pairs with the
	 * reader's full barrier between reading records and writing data_tail.
	 */
	if (!ring->overwrites)
		used = ring->head - READ_ONCE(ring->page->data_tail);
	if (backward)
		used = -used;
	return used < ring->size && size < ring->size - used;
}

/* Publish the records up to @head, which is @moved bytes from the last wake-up. */
static __always_inline void pmcgrp_ring_show(struct pmcgrp_ring_buffer *ring, u64 head, u64 moved)
{
	ring->head = head;
	/* Pairs with the reader's barrier after reading data_head. */
	smp_store_release(&ring->page->data_head, head);
	if (unlikely((ring->wake_samples && ++ring->samples >= ring->wake_samples) ||
		     moved >= ring->wake_bytes))
		pmcgrp_ring_wake(ring);
}

/*
 * Reserve room for the next record in a forward ring, for pmcgrp_ring_commit().  Return: NULL if
 * the ring is full or paused, or the record would wrap: then pmcgrp_ring_write() may do.
 */
static inline u64 *pmcgrp_ring_reserve(const struct pmcgrp_ring_buffer *ring, size_t size)
{
	u64 at = ring->head & (ring->size - 1);

	if (READ_ONCE(ring->rings->paused) || !pmcgrp_ring_has_room(ring, size, false) ||
	    at + size > ring->size)
		return NULL;
	return (void *)ring->data + at;
}

static inline void pmcgrp_ring_commit(struct pmcgrp_ring_buffer *ring, size_t size)
{
	u64 head = ring->head + size;

	pmcgrp_ring_show(ring, head, head - ring->woken);
}

#endif /* PMCGRP_RING_H */
