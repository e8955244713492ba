/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_RING_MAP_H
#define PMCGRP_RING_MAP_H

#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

struct file;
struct pid_namespace;
struct pmcgrp_group;
struct vm_area_struct;

#define PMCGRP_RING_FLAGS \
	(PMCGRP_RING_BACKWARD | PMCGRP_RING_WATERMARK | PMCGRP_RING_COMPACT)

/**
 * struct pmcgrp_rings - what a group's rings have in common, and its triggers
 * @group: whose.  Constant.
 * @flags: PMCGRP_RING_*.  Constant.
 * @sample_type: PERF_SAMPLE_*.  Constant.
 * @wakeup: as asked for.  Constant.
 * @show_addresses: the one who asked had CAP_SYSLOG.  Constant.
 * @ns: in which tasks have their numbers; with a reference.  Constant.
 * @kernel_ns: that is the kernel's own.  Constant.
 * @default_format: samples, which end with the group in PMCGRP_READ_DEFAULT.  Constant.
 * @sample_size: of a sample or compact record, in bytes.  Constant.
 * @id_words: of the sample_id of other records.  Constant.
 * @paused: PERF_EVENT_IOC_PAUSE_OUTPUT
 * @mutex: guards the rows' pointers to rings, and their mappings; inside mmap_lock
 * @kept: rings whose memory may still be mapped; @mutex
 * @lost: samples that found no room, in all
 * @wait: who polls
 * @poll: events to be told to them
 * @wake: wakes them
 * @leave: the task leaves a CPU, perhaps for good: starts @ended
 * @ended: looks whether the task has exited
 * @checks: how often it has found it exiting
 * @adding: serialises PMCGRP_IOC_TRIGGER, outside of pmcgrp_group.mutex
 * @triggers: struct pmcgrp_trigger; pmcgrp_group.mutex
 * @nr_triggers: how many were asked for; pmcgrp_group.mutex
 */
struct pmcgrp_rings {
	struct pmcgrp_group *group;
	u32 flags;
	u64 sample_type;
	u32 wakeup;
	bool show_addresses;
	struct pid_namespace *ns;
	bool kernel_ns;
	bool default_format;
	size_t sample_size;
	unsigned int id_words;
	bool paused;
	struct mutex mutex;
	struct list_head kept;
	atomic64_t lost;
	wait_queue_head_t wait;
	atomic_t poll;
	struct irq_work wake;
	struct irq_work leave;
	struct delayed_work ended;
	unsigned int checks;
	struct mutex adding;
	struct list_head triggers;
	unsigned int nr_triggers;
};

struct pmcgrp_rings *pmcgrp_rings_create(struct pmcgrp_group *group, u32 flags, u64 sample_type,
					 u32 wakeup);
void pmcgrp_rings_stop(struct pmcgrp_rings *rings);
void pmcgrp_rings_free(struct pmcgrp_rings *rings);
void pmcgrp_rings_watch(struct pmcgrp_rings *rings);
void pmcgrp_rings_task_leaves(struct pmcgrp_rings *rings);
int pmcgrp_rings_mmap(struct pmcgrp_rings *rings, struct vm_area_struct *vma);
__poll_t pmcgrp_rings_poll(struct pmcgrp_rings *rings, struct file *file, poll_table *wait);

#endif /* PMCGRP_RING_MAP_H */
