/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_RING_H
#define PMCGRP_RING_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/types.h>

struct pmcgrp_group;
struct pmcgrp_rings;

/**
 * struct pmcgrp_ring - the records of one CPU, or of one task
 * @page: what user space sees of it, followed by the records.  Constant.
 * @data: the records.  Constant.
 * @size: bytes of these, a power of two.  Constant.
 * @overwrites: nobody can write data_tail, so it is never full.  Constant.
 * @backward: from high addresses to low ones.  Constant.
 * @wake_samples: wake up the reader after so many samples, or 0.  Constant.
 * @wake_bytes: or after so many bytes.  Constant.
 * @keep: a mapping of it has failed half-way: not to be freed before the group;
 *	pmcgrp_rings.mutex
 * @head: how many bytes were written.  What follows is the writer's: a CPU's ring is
 *	written on that CPU, a task's where the task runs, in a section of
 *	pmcgrp_quiet_enter() with interrupts off.
 * @woken: @head at the last wake-up
 * @samples: since then
 * @lost: samples for which there was no room, not yet told
 * @missed: snapshots that could not be taken, not yet told; added to from any context
 * @gap: time enabled but off the PMU, at the last compact record
 * @maps: mappings there are; pmcgrp_rings.mutex
 * @rings: whose.  Constant.
 * @cpu: which, or -1 for the one of a task.  Constant.
 * @kept: in the list of those kept; pmcgrp_rings.mutex
 * @rcu: for the end
 */
struct pmcgrp_ring {
	struct perf_event_mmap_page	*page;
	u64				*data;
	u64				size;
	bool				overwrites;
	bool				backward;
	u32				wake_samples;
	u64				wake_bytes;
	bool				keep;
	u64				head;
	u64				woken;
	u32				samples;
	u64				lost;
	atomic_long_t			missed;
	u64				gap;
	unsigned int			maps;
	struct pmcgrp_rings		*rings;
	int				cpu;
	struct list_head		kept;
	struct rcu_head			rcu;
};

void pmcgrp_rings_init(unsigned int max_mb);
void pmcgrp_rings_exit(void);
struct pmcgrp_ring *pmcgrp_ring_create(struct pmcgrp_rings *rings, int cpu, unsigned long pages,
				       bool overwrites);
void pmcgrp_ring_free(struct pmcgrp_ring *ring);
void pmcgrp_ring_free_rcu(struct pmcgrp_ring *ring);
struct pmcgrp_ring *pmcgrp_ring_here(struct pmcgrp_group *group);
u64 *pmcgrp_ring_reserve(struct pmcgrp_ring *ring, size_t size, u64 *scratch);
void pmcgrp_ring_commit(struct pmcgrp_ring *ring, size_t size, const u64 *scratch);
void pmcgrp_ring_lose(struct pmcgrp_ring *ring);

#endif /* PMCGRP_RING_H */
