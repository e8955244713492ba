/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * The two barriers between a ring's reader and the kernel, as perf_event_open(2) asks for
 * them. data_head is read before the records that it stands for: an acquire, to which the
 * kernel's barrier before it writes data_head belongs. data_tail is written after they
 * have been read: a release, to which belongs that the kernel looks at data_tail before it
 * writes over anything.
 */
#ifndef PMCGRP_RING_BARRIER_H
#define PMCGRP_RING_BARRIER_H

#include <linux/perf_event.h>

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

#endif
