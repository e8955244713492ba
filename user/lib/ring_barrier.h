/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * The two barriers between a ring's reader and the kernel, each with its partner in
 * kernel/events/ring_buffer.c, whose drawing this is:
 *
 *	kernel						user space
 *
 *	if (LOAD ->data_tail) {				LOAD ->data_head
 *	control dependency (A)				acquire (C)
 *		STORE records				LOAD records
 *		smp_wmb() (B)				release (D)
 *		STORE ->data_head			STORE ->data_tail
 *	}
 *
 * A pairs with D: what is overwritten has been read. B pairs with C: what is read has
 * been written.
 */
#ifndef PMCGRP_RING_BARRIER_H
#define PMCGRP_RING_BARRIER_H

#include <linux/perf_event.h>

/* C: pairs with the smp_wmb() of perf_output_put_handle(). */
static inline uint64_t ring_head_acquire(const struct perf_event_mmap_page *page)
{
	return __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
}

/* D: pairs with the look at data_tail in __perf_output_begin(). */
static inline void ring_tail_release(struct perf_event_mmap_page *page, uint64_t tail)
{
	__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
}

#endif
