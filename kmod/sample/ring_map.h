/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rings of a group: format, mappings, waiting readers, and the list of triggers.
 */
#ifndef PMCGRP_RING_MAP_H
#define PMCGRP_RING_MAP_H

#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/poll.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <uapi/linux/pmcgrp.h>
#include "set/evlist.h"

struct file;
struct pid_namespace;
struct pmcgrp_group;
struct pmcgrp_ring_buffer;
struct pmcgrp_sample_source;
struct vm_area_struct;

#define PMCGRP_RING_FLAGS \
	(PMCGRP_RING_BACKWARD | PMCGRP_RING_WATERMARK | PMCGRP_RING_COMPACT | \
	 PMCGRP_RING_BY_TASK | PMCGRP_RING_USE_CLOCKID)

/**
 * struct pmcgrp_ring_buffers - common part of a group's rings, and the group's triggers
 * @group: the group.  Constant.
 * @flags: PMCGRP_RING_*.  Constant.
 * @sample_type: PERF_SAMPLE_*.  Constant.
 * @wakeup: number of samples or bytes between wake-ups, or 0.  Constant.
 * @clockid: with PMCGRP_RING_USE_CLOCKID, the clock of PERF_SAMPLE_TIME.  Constant.
 * @show_addresses: PERF_SAMPLE_ADDR shows addresses of events: the creator had CAP_SYSLOG.
 *	Constant.
 * @ns: PID namespace of the creator, for PERF_SAMPLE_TID; a reference.  Constant.
 * @kernel_ns: @ns is the initial namespace.  Constant.
 * @default_format: samples with PERF_SAMPLE_READ in PMCGRP_READ_DEFAULT.  Constant.
 * @sample_size: size of a sample, less its call chain and the raw data of a span, or of a compact
 *	record, in bytes.  Constant.
 * @id_words: number of words in the sample_id of other records.  Constant.
 * @paused: nothing is written (PERF_EVENT_IOC_PAUSE_OUTPUT); any context
 * @mutex: protects @ring and the mappings; nests in mmap_lock
 * @kept: rings that are freed with the group, as parts may still be mapped; @mutex
 * @lost: total number of samples without room; any context
 * @wait: wait queue of poll()
 * @wakes: number of wake-ups; any context
 * @seen: how many of them poll() of the group's own descriptor has reported; @mutex
 * @wake: irq_work that wakes @wait
 * @leave: its work queues @ended when an exiting task leaves a CPU
 * @ended: work that wakes @wait after the task has exited
 * @gone: all tasks of a group of several have exited; written by @ended
 * @checks: number of times that @ended has found the task exiting; @ended only
 * @adding: serialises PMCGRP_IOC_TRIGGER; taken before pmcgrp_evlist.mutex
 * @triggers: list of struct pmcgrp_trigger; pmcgrp_evlist.mutex
 * @nr_triggers: number of triggers that user space has added; pmcgrp_evlist.mutex
 * @by_task: what is counted between two records of a ring is one task's (by_task.c).  Constant.
 * @sources: for a group of several tasks, the sources of each trigger's samples, or NULL; @adding
 * @watches_end: poll() reports when the target is gone.  Constant.
 * @per_cpu: there is a ring for each CPU, not one for the task.  Constant.
 * @ring: where samples are written: for each CPU, or the task; NULL without a mapping; @mutex,
 *	read in RCU sections
 */
struct pmcgrp_ring_buffers {
	struct pmcgrp_group *group;
	u32 flags;
	u64 sample_type;
	u32 wakeup;
	clockid_t clockid;
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
	atomic_t wakes;
	int seen;
	struct irq_work wake;
	struct pmcgrp_end_watch leave;
	struct delayed_work ended;
	bool gone;
	unsigned int checks;
	struct mutex adding;
	struct list_head triggers;
	unsigned int nr_triggers;
	bool by_task;
	struct pmcgrp_sample_source __percpu *sources[PMCGRP_TRIGGERS_MAX];
	bool watches_end;
	bool per_cpu;
	struct pmcgrp_ring_buffer __rcu *ring[];
};

/* Where the ring of a group on a CPU is noted. */
static inline struct pmcgrp_ring_buffer __rcu *const *
pmcgrp_ring_place(const struct pmcgrp_ring_buffers *rings, int cpu)
{
	return &rings->ring[rings->per_cpu ? cpu : 0];
}

struct pmcgrp_ring_buffers *pmcgrp_rings_create(struct pmcgrp_group *group,
						const struct pmcgrp_ring_setup *arg);
int pmcgrp_by_task_begin(struct pmcgrp_ring_buffers *rings);
void pmcgrp_by_task_end(void);
void pmcgrp_ring_flush_group(struct pmcgrp_group *group);
void pmcgrp_rings_stop(struct pmcgrp_group *group);
void pmcgrp_rings_destroy(struct pmcgrp_ring_buffers *rings);
int pmcgrp_rings_watch(struct pmcgrp_ring_buffers *rings);
int pmcgrp_rings_mmap(struct pmcgrp_ring_buffers *rings, struct vm_area_struct *vma);
__poll_t pmcgrp_rings_poll(struct pmcgrp_ring_buffers *rings, struct file *file, poll_table *wait,
			   int *seen);

#endif /* PMCGRP_RING_MAP_H */
