// SPDX-License-Identifier: GPL-2.0-only
/*
 * A ring: memory shared with user space, in the layout and with the protocol of a ring
 * of perf_event_open(2): struct perf_event_mmap_page, then 2^n pages of records.
 *
 * A ring has one writer at a time: a CPU's is written on that CPU, a task's where the
 * task runs, always with interrupts off and never by an NMI in the midst of another
 * record (pmcgrp_recursion_try()).  So writing takes no atomics, and a record is whole
 * before data_head says so.  A task's next CPU sees what the last one wrote, for
 * the scheduler has moved the task in between.
 *
 * Of the control page, which user space can write, nothing but data_tail is read, and that
 * decides only whether there is room.
 */
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <uapi/linux/pmcgrp.h>
#include "group.h"
#include "ring.h"
#include "ring_map.h"

static u64 max_pages; /* of all rings; constant after init */
static atomic64_t nr_pages_all;

/**
 * pmcgrp_rings_init - once, before there is any group
 * @max_mb: the most memory of all rings, in MiB
 */
void pmcgrp_rings_init(unsigned int max_mb)
{
	max_pages = ((u64)max_mb << 20) >> PAGE_SHIFT;
}

/**
 * pmcgrp_rings_exit - no group is left: wait until the last ring is freed
 */
void pmcgrp_rings_exit(void)
{
	rcu_barrier();
	WARN_ON(atomic64_read(&nr_pages_all));
}

static unsigned long ring_pages(const struct pmcgrp_ring *ring)
{
	return 1 + (ring->size >> PAGE_SHIFT);
}

/**
 * pmcgrp_ring_free - give back its memory
 * @ring: that nobody can reach any more
 */
void pmcgrp_ring_free(struct pmcgrp_ring *ring)
{
	atomic64_sub(ring_pages(ring), &nr_pages_all);
	vfree(ring->page);
	kfree(ring);
}

static void ring_free_rcu(struct rcu_head *rcu)
{
	pmcgrp_ring_free(container_of(rcu, struct pmcgrp_ring, rcu));
}

/**
 * pmcgrp_ring_free_rcu - the same, once nobody writes to it any more
 * @ring: that nobody can find any more
 */
void pmcgrp_ring_free_rcu(struct pmcgrp_ring *ring)
{
	call_rcu(&ring->rcu, ring_free_rcu);
}

static void ring_set_wakeup(struct pmcgrp_ring *ring)
{
	u32 wakeup = ring->rings->wakeup;

	ring->wake_bytes = ring->size / 2;
	if (!(ring->rings->flags & PMCGRP_RING_WATERMARK))
		ring->wake_samples = wakeup;
	else if (wakeup && wakeup <= ring->size)
		ring->wake_bytes = wakeup;
}

/**
 * pmcgrp_ring_create - memory for records
 * @rings: whose
 * @cpu: which CPU's, or -1
 * @pages: a power of two, or 0; besides the control page
 * @overwrites: the reader cannot say how far it is
 *
 * Return: the ring, empty, or an ERR_PTR: -EPERM for too much, -ENOMEM.
 */
struct pmcgrp_ring *pmcgrp_ring_create(struct pmcgrp_rings *rings, int cpu, unsigned long pages,
				       bool overwrites)
{
	struct pmcgrp_ring *ring;
	int err = -ENOMEM;

	if (atomic64_add_return(pages + 1, &nr_pages_all) > max_pages) {
		err = -EPERM;
		goto uncount;
	}
	ring = kzalloc(sizeof(*ring), GFP_KERNEL_ACCOUNT);
	if (!ring)
		goto uncount;
	/* As large as user space likes it: that there is no room is for it to know. */
	ring->page = __vmalloc((pages + 1) << PAGE_SHIFT,
			       GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	if (!ring->page)
		goto free_ring;
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

free_ring:
	kfree(ring);
uncount:
	atomic64_sub(pages + 1, &nr_pages_all);
	return ERR_PTR(err);
}

/**
 * pmcgrp_ring_wake - tell the reader that there is something for it
 * @ring: the ring
 *
 * Only if there is someone to wake: an interrupt for each sample could itself be what
 * causes samples.
 *
 * Context: as pmcgrp_ring_reserve().
 */
void pmcgrp_ring_wake(struct pmcgrp_ring *ring)
{
	struct pmcgrp_rings *rings = ring->rings;

	lockdep_assert_irqs_disabled();
	ring->samples = 0;
	ring->woken = ring->head;
	atomic_set(&rings->poll, (__force int)EPOLLIN);
	/* Its barrier pairs with the one in poll_wait(): either side sees the other. */
	if (wq_has_sleeper(&rings->wait))
		irq_work_queue(&rings->wake);
}

/**
 * pmcgrp_ring_wrap - records that go over the end of the ring
 * @ring: the ring
 * @size: of the records
 * @scratch: where they are
 *
 * Context: as pmcgrp_ring_reserve().
 */
void pmcgrp_ring_wrap(struct pmcgrp_ring *ring, size_t size, const u64 *scratch)
{
	u64 at = pmcgrp_ring_start(ring, size);
	size_t n = ring->size - at;

	lockdep_assert_irqs_disabled();
	memcpy(ring->data + at / sizeof(u64), scratch, n);
	memcpy(ring->data, scratch + n / sizeof(u64), size - n);
}

/**
 * pmcgrp_ring_lost - there was no room for a sample
 * @ring: the ring
 *
 * Its reader is woken, lest both wait for the other.
 *
 * Context: as pmcgrp_ring_reserve().
 */
void pmcgrp_ring_lost(struct pmcgrp_ring *ring)
{
	lockdep_assert_irqs_disabled();
	ring->lost++;
	atomic64_inc(&ring->rings->lost);
	if (ring->woken != ring->head)
		pmcgrp_ring_wake(ring);
}
