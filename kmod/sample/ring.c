// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ring buffers: memory shared with user space, with perf's mmap layout and protocol.
 *
 * As for perf_event_open(2), struct perf_event_mmap_page is followed by 2^n pages of records.
 *
 * A ring has one writer at a time.  The ring of a CPU is written on that CPU, the ring of a task on
 * the CPU where the task runs.  The writer has interrupts off, and an NMI that interrupts it writes
 * nothing (pmcgrp_recursion_try()).  Therefore writing needs no atomics, and each record is
 * complete before data_head includes it.
 *
 * When a task migrates, the scheduler orders the old CPU's writes before the new CPU's.
 *
 * User space can write the control page.  The kernel reads only data_tail from it, and only to
 * decide whether there is room.
 */
#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/wait.h>
#include "sample/ring.h"
#include "sample/ring_map.h"

/*
 * Wake up the reader.  The irq_work is queued only if a task waits: its interrupt can cause further
 * samples.
 */
void pmcgrp_ring_wake(struct pmcgrp_ring_buffer *ring)
{
	struct pmcgrp_ring_buffers *rings = ring->rings;

	lockdep_assert_irqs_disabled();
	ring->samples = 0;
	ring->woken = ring->head;
	/* Who sees the number sees data_head.  Pairs with pmcgrp_rings_poll(). */
	atomic_inc_return_release(&rings->wakes);
	/* Its barrier pairs with pmcgrp_rings_poll(): that sees @wakes, or this sees who polls. */
	if (wq_has_sleeper(&rings->wait))
		irq_work_queue(&rings->wake);
}

/* Write records of @size bytes, a multiple of 8.  Return: false if the ring is full or paused. */
bool pmcgrp_ring_write(struct pmcgrp_ring_buffer *ring, const void *from, size_t size)
{
	bool backward = ring->backward;
	u64 head = ring->head + (backward ? -size : size);
	u64 at = (backward ? head : ring->head) & (ring->size - 1);
	size_t n = min_t(u64, size, ring->size - at);

	if (READ_ONCE(ring->rings->paused) || !pmcgrp_ring_has_room(ring, size, backward))
		return false;
	memcpy((void *)ring->data + at, from, n);
	memcpy(ring->data, from + n, size - n);
	pmcgrp_ring_show(ring, head, backward ? ring->woken - head : head - ring->woken);
	return true;
}

/*
 * Count a sample that found no room.  The reader is woken: the ring may be full before its wake-up
 * mark is reached.
 */
void pmcgrp_ring_lost(struct pmcgrp_ring_buffer *ring)
{
	lockdep_assert_irqs_disabled();
	ring->lost++;
	atomic64_inc(&ring->rings->lost);
	if (ring->woken != ring->head)
		pmcgrp_ring_wake(ring);
}
