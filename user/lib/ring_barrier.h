/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * The barriers between a reader and the kernel, which writes.
 *
 * Of a ring there are two, as perf_event_open(2) asks for them. data_head is read before the
 * records that it stands for: an acquire, to which the kernel's barrier before it writes data_head
 * belongs. data_tail is written after they have been read: a release, to which belongs that the
 * kernel looks at data_tail before it writes over anything.
 *
 * Of a slot of counts by key seq is read first, with an acquire, and once more after all else: what
 * is read between two even and equal ones belongs together. To both belong the barriers that the
 * kernel has behind the first and before the second change of seq.
 */
#ifndef PMCGRP_RING_BARRIER_H
#define PMCGRP_RING_BARRIER_H

#include <stdbool.h>

#include <linux/perf_event.h>
#include <linux/pmcgrp.h>

/* perf_output_put_handle(); of pmcgrp's own rings pmcgrp_ring_commit(). */
static inline uint64_t ring_head_acquire(const struct perf_event_mmap_page *page)
{
	return __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
}

/* __perf_output_begin(); of pmcgrp's own rings pmcgrp_ring_reserve(). */
static inline void ring_tail_release(struct perf_event_mmap_page *page, uint64_t tail)
{
	__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
}

static inline uint32_t slot_seq_acquire(const struct pmcgrp_keys_slot *slot)
{
	return __atomic_load_n(&slot->seq, __ATOMIC_ACQUIRE);
}

static inline bool slot_seq_unchanged(const struct pmcgrp_keys_slot *slot, uint32_t seq)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return !(seq & 1) && __atomic_load_n(&slot->seq, __ATOMIC_RELAXED) == seq;
}

#endif
