/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_GROUP_H
#define PMCGRP_GROUP_H

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>
#include "attr.h"
#include "user_page.h"
#include "member.h"
#include "evset.h"
#include "row.h"

#define PMCGRP_CREATE_FLAGS                                                             \
	(PMCGRP_CREATE_DISABLED | PMCGRP_CREATE_ENABLE_ON_EXEC | PMCGRP_CREATE_PINNED | \
	 PMCGRP_CREATE_INHERIT | PMCGRP_CREATE_LEADER | PMCGRP_CREATE_USER_READ)

/**
 * struct pmcgrp_opener - one open of the device, and the groups made through it
 * @refs: the device's file and each of the groups
 * @nr_groups: how many groups there are
 */
struct pmcgrp_opener {
	struct kref refs;
	atomic_t nr_groups;
};

/**
 * struct pmcgrp_member_state - one event of a group
 * @attr: what it counts; constant
 * @event: which of the group's distinct events that is; pmcgrp_group.mutex
 * @id: what PERF_FORMAT_ID gives; constant
 * @mfd: in a group with a leader: its descriptor, or NULL; constant
 * @on: in a group with a leader: enabled, as far as it alone is concerned; always for
 *	the leader, whose state is the group's; pmcgrp_group.mutex
 *
 * They move up when one before them leaves.
 */
struct pmcgrp_member_state {
	struct perf_event_attr attr;
	unsigned int event;
	u64 id;
	struct pmcgrp_member_fd *mfd;
	bool on;
};

/**
 * struct pmcgrp_root - what ties a group to one thread or CPU
 * @node: in the group's list
 * @carrier: NULL where the CPU has been offline, or with @set
 * @set: without a carrier: of the crew that the group counts by (crew.c), or NULL
 * @latch: for %PMCGRP_CREATE_ENABLE_ON_EXEC, until execve() has sprung it
 * @cpu: the CPU, or -1 for a thread
 * @generation: the CPU's epoch for which @carrier was made
 */
struct pmcgrp_root {
	struct list_head node;
	struct perf_event *carrier;
	struct pmcgrp_evset *set;
	struct perf_event *latch;
	int cpu;
	u64 generation;
};

/**
 * struct pmcgrp_group - a counter group
 * @refs: the file, each carrier (those that tasks inherited, too) and each latch
 * @opener: whose limit it counts against; NULL once it is nobody's group any more, but the
 *	source of others; pmcgrp_groups_mutex
 * @node: in the list of all groups; pmcgrp_groups_mutex
 * @mutex: serialises reads and steering, and guards @roots
 * @target_type: enum pmcgrp_target_type; constant
 * @cpus: where it may count: the CPUs of the target, or all; constant
 * @flags: PMCGRP_CREATE_*; constant, but that a group is not pinned any more once it
 *	has lost its leader (@evsets_mutex)
 * @read_format: PERF_FORMAT_*; constant
 * @nr: members; with a leader @mutex, otherwise constant
 * @nr_events: distinct events; with a leader all of pmcgrp_groups_mutex, @mutex and
 *	@evsets_mutex to write, any of them to read; otherwise constant
 * @nr_hw: those that need room on a PMU, which come first; as @nr_events
 * @first: for each event, in the order of the counters, the first member that counts
 *	it; as @nr_events
 * @leader: the descriptor of member 0, if the group has a leader
 * @member_values: in a group with a leader: what is each member's own; @mutex.  Otherwise NULL.
 * @rings: set up once; @mutex, read anywhere (ring_ioctl.c).  NULL without.
 * @is_interrupted: has had a trigger that is a hardware counter; @mutex, read anywhere
 * @nr_fds: descriptors that are open; pmcgrp_groups_mutex
 * @frozen: nothing of it counts, for its events change; @mutex, read by carriers as
 *	they come in (control.c)
 * @active: counts wherever its target runs.  Written under @mutex, or by a latch;
 *	read by carriers as they come in (control.c)
 * @sprung: a latch has done its work; written by it, once
 * @source: by whose carrier it counts: its own, or that of another group with the same
 *	events of the same task (share.c).  The next six: share.c says under which locks.
 * @by: whose counts it shows: those of @source, or none (NULL), if it is disabled and shares
 * @nr_on: while others share its carrier: how many of all these show its counts
 * @viewers: others that count by its carrier
 * @view_node: in these
 * @source_node: in the table of those by which others may count; pmcgrp_groups_mutex
 * @first_node: in the table of those that have a carrier of their own (crew.c);
 *	pmcgrp_groups_mutex
 * @kept: without @by: what @source had counted when it was disabled
 * @vruntime: of the set that left a gang last: where a new one starts; sched.c
 * @owner: the process that has made it; constant
 * @comm: its name then; constant
 * @target: the task that was asked for, or NULL; constant
 * @why: enum pmcgrp_why: why a set that is no more never ran; @evsets_mutex
 * @blocked_by: with %PMCGRP_WHY_BUSY_PMCGRP: who had the counters then; @evsets_mutex
 * @wants_failed: how often perf's counters were claimed in vain; arbiter.c
 * @want_after: in jiffies, when they may be claimed again; arbiter.c
 * @roots: struct pmcgrp_root; @mutex
 * @rows: struct pmcgrp_row, one for each CPU: pmcgrp_row_of()
 * @row_size: of each, in bytes
 * @evsets_mutex: guards @sets and @past; innermost, inside perf core's mutexes
 * @sets: of carriers that exist
 * @user_read: with %PMCGRP_CREATE_USER_READ: how its task reads it by itself (user_page.c)
 * @only: the set of a group with one carrier, which lives as long; NULL in any other
 * @past: what sets have left behind that are no more
 * @scratch_cpus: scratch; @mutex
 * @total: scratch: the sum over all sets; @mutex
 * @zero: @total at the last reset; @mutex, read without (read.c)
 * @zero_seq: odd while @zero or @by changes
 * @member: the members
 */
struct pmcgrp_group {
	struct kref refs;
	struct pmcgrp_opener *opener;
	struct list_head node;
	struct mutex mutex;
	u32 target_type;
	struct cpumask *cpus;
	u64 flags;
	u64 read_format;
	unsigned int nr;
	unsigned int nr_events;
	unsigned int nr_hw;
	u8 first[PMCGRP_MEMBERS_MAX];
	struct pmcgrp_member_fd leader;
	struct pmcgrp_member_values *member_values;
	struct pmcgrp_rings *rings;
	bool is_interrupted;
	unsigned int nr_fds;
	bool frozen;
	bool active;
	bool sprung;
	struct pmcgrp_group *source;
	struct pmcgrp_group *by;
	unsigned int nr_on;
	struct list_head viewers;
	struct list_head view_node;
	struct hlist_node source_node;
	struct hlist_node first_node;
	u64 vruntime;
	struct pid *owner;
	char comm[TASK_COMM_LEN];
	struct pid *target;
	u32 why;
	u64 blocked_by;
	unsigned int wants_failed;
	unsigned long want_after;
	struct list_head roots;
	void *rows;
	size_t row_size;
	struct mutex evsets_mutex;
	struct list_head sets;
	struct pmcgrp_user_read user_read;
	struct pmcgrp_evset *only;
	struct pmcgrp_values past;
	struct cpumask *scratch_cpus;
	struct pmcgrp_values total;
	struct pmcgrp_values zero;
	struct pmcgrp_values kept;
	seqcount_t zero_seq;
	struct pmcgrp_member_state member[] __counted_by(nr);
};

extern struct mutex pmcgrp_groups_mutex;

void pmcgrp_groups_init(unsigned int groups_max);
struct pmcgrp_opener *pmcgrp_opener_create(void);
void pmcgrp_opener_put(struct pmcgrp_opener *opener);

struct pmcgrp_group *pmcgrp_group_alloc(struct pmcgrp_opener *opener, unsigned int nr,
					bool has_leader);
u64 pmcgrp_group_next_ids(unsigned int nr);
int pmcgrp_group_start(struct pmcgrp_group *group, struct task_struct *task,
		       struct pmcgrp_failure *fail);
void pmcgrp_group_close(struct pmcgrp_group *group);
void pmcgrp_group_end(struct pmcgrp_group *group);
void pmcgrp_group_get(struct pmcgrp_group *group);
void pmcgrp_group_put(struct pmcgrp_group *group);
bool pmcgrp_group_counts_cpus(const struct pmcgrp_group *group);
bool pmcgrp_group_has_cpu_list(const struct pmcgrp_group *group);
bool pmcgrp_group_is_inherited(const struct pmcgrp_group *group);

/*
 * A group on one CPU, which alone touches these lines of memory while the group counts.  They
 * are no per-CPU memory: to get and give back that takes longer than the rest of a group's.
 */
static inline struct pmcgrp_row *pmcgrp_row_of(const struct pmcgrp_group *group, int cpu)
{
	return group->rows + group->row_size * cpu;
}

/* The same on this CPU, from which the caller cannot be moved. */
static inline struct pmcgrp_row *pmcgrp_row_here(const struct pmcgrp_group *group)
{
	return pmcgrp_row_of(group, smp_processor_id());
}

/* One only, which lives as long as the group does. */
static inline bool pmcgrp_group_has_one_carrier(const struct pmcgrp_group *group)
{
	return group->target_type == PMCGRP_TARGET_CPU ||
	       (group->target_type == PMCGRP_TARGET_TASK &&
		!(group->flags & PMCGRP_CREATE_INHERIT));
}

/* Complete, or NULL; anywhere. */
static inline struct pmcgrp_rings *pmcgrp_group_rings(const struct pmcgrp_group *group)
{
	/* Pairs with pmcgrp_ring_setup(). */
	return smp_load_acquire(&group->rings);
}

struct pmcgrp_group *pmcgrp_group_next(u64 id);
void pmcgrp_groups_rebuild(int cpu);
void pmcgrp_groups_drop(int cpu);
void pmcgrp_groups_end(void);

#endif /* PMCGRP_GROUP_H */
