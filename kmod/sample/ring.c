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
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <uapi/linux/pmcgrp.h>
#include "group/group.h"
#include "sample/ring.h"
#include "sample/ring_map.h"

/**
 * pmcgrp_rings_exit - wait until the last ring is freed
 *
 * Context: may sleep; no group exists.
 */
void pmcgrp_rings_exit(void)
{
	rcu_barrier();
}

/**
 * pmcgrp_ring_free - free a ring
 * @ring: the ring, no locked memory any more, without readers and writers
 */
void pmcgrp_ring_free(struct pmcgrp_ring_buffer *ring)
{
	vfree(ring->page);
	pmcgrp_charge_end(&ring->charge);
	kfree(ring);
}

static void ring_free_rcu(struct rcu_head *rcu)
{
	pmcgrp_ring_free(container_of(rcu, struct pmcgrp_ring_buffer, rcu));
}

/**
 * pmcgrp_ring_free_rcu - free a ring after the last writer has left it
 * @ring: the ring, no locked memory any more, no longer referenced by any evcpu
 */
void pmcgrp_ring_free_rcu(struct pmcgrp_ring_buffer *ring)
{
	call_rcu(&ring->rcu, ring_free_rcu);
}

static void ring_set_wakeup(struct pmcgrp_ring_buffer *ring)
{
	u32 wakeup = ring->rings->wakeup;

	ring->wake_bytes = ring->size / 2;
	if (!(ring->rings->flags & PMCGRP_RING_WATERMARK))
		ring->wake_samples = wakeup;
	else if (wakeup && wakeup <= ring->size)
		ring->wake_bytes = wakeup;
}

/**
 * pmcgrp_ring_create - allocate an empty ring
 * @rings: the rings of the group
 * @cpu: the CPU, or -1 for the ring of a task
 * @pages: number of pages for records, a power of two or 0
 * @overwrites: the reader cannot write data_tail
 *
 * The ring is charged to the current user and process.
 *
 * Context: may sleep; the task that maps the ring.
 * Return: the ring, or an ERR_PTR as of pmcgrp_charge_alloc_pages().
 */
struct pmcgrp_ring_buffer *pmcgrp_ring_create(struct pmcgrp_ring_buffers *rings, int cpu,
					      unsigned long pages, bool overwrites)
{
	struct pmcgrp_ring_buffer *ring;
	int err;

	ring = kzalloc(sizeof(*ring), GFP_KERNEL_ACCOUNT);
	if (!ring)
		return ERR_PTR(-ENOMEM);
	err = pmcgrp_charge_begin(&ring->charge);
	if (err)
		goto free_ring;
	ring->page = pmcgrp_charge_alloc_pages(&ring->charge, pages + 1);
	err = PTR_ERR_OR_ZERO(ring->page);
	if (err)
		goto end_charge;
	ring->data = (void *)ring->page + PAGE_SIZE;
	ring->size = (u64)pages << PAGE_SHIFT;
	ring->overwrites = overwrites;
	ring->backward = rings->flags & PMCGRP_RING_BACKWARD;
	ring->default_forward = rings->default_format && !ring->backward;
	ring->rings = rings;
	ring->cpu = cpu;
	ring->page->cap_bit0_is_deprecated = 1;
	ring->page->size = offsetof(struct perf_event_mmap_page, __reserved);
	ring->page->data_offset = PAGE_SIZE;
	ring->page->data_size = ring->size;
	ring_set_wakeup(ring);
	return ring;

end_charge:
	pmcgrp_charge_end(&ring->charge);
free_ring:
	kfree(ring);
	return ERR_PTR(err);
}

/**
 * pmcgrp_ring_wake - wake up the reader
 * @ring: the ring
 *
 * Queue the irq_work only if a task waits: its interrupt can cause further samples.
 *
 * Context: as pmcgrp_ring_reserve().
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

/**
 * pmcgrp_ring_wrap - copy records that wrap at the end of the ring
 * @ring: the ring
 * @size: size of the records in bytes
 * @scratch: the records
 *
 * Context: as pmcgrp_ring_reserve().
 */
void pmcgrp_ring_wrap(struct pmcgrp_ring_buffer *ring, size_t size, const u64 *scratch)
{
	u64 at = pmcgrp_ring_start(ring, size);
	size_t n = ring->size - at;

	lockdep_assert_irqs_disabled();
	memcpy(ring->data + at / sizeof(u64), scratch, n);
	memcpy(ring->data, scratch + n / sizeof(u64), size - n);
}

/**
 * pmcgrp_ring_lost - count a sample that found no room
 * @ring: the ring
 *
 * Also wake up the reader: the ring may be full before the reader's wake-up mark is reached.
 *
 * Context: as pmcgrp_ring_reserve().
 */
void pmcgrp_ring_lost(struct pmcgrp_ring_buffer *ring)
{
	lockdep_assert_irqs_disabled();
	ring->lost++;
	atomic64_inc(&ring->rings->lost);
	if (ring->woken != ring->head)
		pmcgrp_ring_wake(ring);
}
