/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_RING_H
#define PMCGRP_RING_H

#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/poll.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <asm/local.h>

struct file;
struct pid_namespace;
struct pmcgrp_group;
struct pmcgrp_rings;
struct vm_area_struct;

#define PMCGRP_RING_FLAGS \
	(PMCGRP_RING_BACKWARD | PMCGRP_RING_WATERMARK | PMCGRP_RING_COMPACT)

/**
 * struct pmcgrp_ring - the records of one CPU, or of one task
 * @page: what user space sees of it, followed by the records.  Constant.
 * @data: the records.  Constant.
 * @size: bytes of these, a power of two.  Constant.
 * @overwrites: nobody can write data_tail, so it is never full.  Constant.
 * @backward: from high addresses to low ones.  Constant.
 * @wake_samples: wake up the reader after so many samples, or 0.  Constant.
 * @wake_bytes: or after so many bytes, or 0.  Constant.
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
	u64				head;
	u64				woken;
	u32				samples;
	u64				lost;
	local_t				missed;
	u64				gap;
	unsigned int			maps;
	struct pmcgrp_rings		*rings;
	int				cpu;
	struct rcu_head			rcu;
};

/**
 * struct pmcgrp_rings - what a group's rings have in common, and its triggers
 * @group: whose.  Constant.
 * @flags: PMCGRP_RING_*.  Constant.
 * @sample_type: PERF_SAMPLE_*.  Constant.
 * @wakeup: as asked for.  Constant.
 * @show_addresses: the one who asked had CAP_SYSLOG.  Constant.
 * @ns: in which tasks have their numbers; with a reference.  Constant.
 * @sample_size: of a sample or compact record, in bytes.  Constant.
 * @paused: PERF_EVENT_IOC_PAUSE_OUTPUT
 * @mutex: guards the rows' pointers to rings, and their mappings; inside mmap_lock
 * @wait: who polls
 * @poll: events to be told to them
 * @wake: wakes them
 * @leave: the task leaves a CPU, perhaps for good: starts @ended
 * @ended: looks whether the task has exited
 * @triggers: struct pmcgrp_trigger; pmcgrp_group.mutex
 * @nr_triggers: how many were asked for; pmcgrp_group.mutex
 */
struct pmcgrp_rings {
	struct pmcgrp_group	*group;
	u32			flags;
	u64			sample_type;
	u32			wakeup;
	bool			show_addresses;
	struct pid_namespace	*ns;
	size_t			sample_size;
	bool			paused;
	struct mutex		mutex;
	wait_queue_head_t	wait;
	atomic_t		poll;
	struct irq_work		wake;
	struct irq_work		leave;
	struct delayed_work	ended;
	struct list_head	triggers;
	unsigned int		nr_triggers;
};

void pmcgrp_rings_init(unsigned int max_mb);
void pmcgrp_rings_exit(void);
struct pmcgrp_rings *pmcgrp_rings_create(struct pmcgrp_group *group, u32 flags, u64 sample_type,
					 u32 wakeup);
void pmcgrp_rings_stop(struct pmcgrp_rings *rings);
void pmcgrp_rings_free(struct pmcgrp_rings *rings);
void pmcgrp_rings_task_leaves(struct pmcgrp_rings *rings);
int pmcgrp_rings_mmap(struct pmcgrp_rings *rings, struct vm_area_struct *vma);
__poll_t pmcgrp_rings_poll(struct pmcgrp_rings *rings, struct file *file, poll_table *wait);

struct pmcgrp_ring *pmcgrp_ring_here(struct pmcgrp_group *group);
u64 *pmcgrp_ring_reserve(struct pmcgrp_ring *ring, size_t size, u64 *scratch);
void pmcgrp_ring_commit(struct pmcgrp_ring *ring, size_t size, const u64 *scratch);

#endif /* PMCGRP_RING_H */
