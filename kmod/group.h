/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counter group, and the objects it owns.
 *
 *   pmcgrp_opener [1]---[n] pmcgrp_group      an open of /dev/pmcgrp, and its groups
 *   pmcgrp_group  [1]---[n] member_state      what each member counts
 *   pmcgrp_group  [1]---[n] pmcgrp_row        counters on each CPU
 *   pmcgrp_group  [1]---[n] pmcgrp_root       carriers: perf events that follow the target (root.c)
 *   pmcgrp_group  [1]---[n] pmcgrp_evset      counts and times of each carrier (evset.h)
 *
 * A carrier is an event of pmcgrp's own PMU.  perf core schedules it in and out with the target.
 * group.c states lifetime and lock order.
 */
#ifndef PMCGRP_GROUP_H
#define PMCGRP_GROUP_H

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>
#include "attr.h"
#include "event.h"
#include "evset.h"

struct pmcgrp_counter;
struct pmcgrp_ring;
struct pmcgrp_rings;

#define PMCGRP_CREATE_FLAGS                                                             \
	(PMCGRP_CREATE_DISABLED | PMCGRP_CREATE_ENABLE_ON_EXEC | PMCGRP_CREATE_PINNED | \
	 PMCGRP_CREATE_INHERIT | PMCGRP_CREATE_LEADER | PMCGRP_CREATE_USER_READ)

/**
 * struct pmcgrp_opener - one open of the device
 * @refs: references of the device's file and of each group
 * @nr_groups: number of groups created through this open
 */
struct pmcgrp_opener {
	struct kref refs;
	atomic_t nr_groups;
};

/**
 * struct pmcgrp_member_fd - a descriptor of a group with a leader
 * @group: the group.  Constant.
 * @id: id of the member.  Constant.
 * @read_format: PERF_FORMAT_* of read() on the descriptor.  Constant.
 * @index: index of the member in pmcgrp_group.member; the group's mutex
 */
struct pmcgrp_member_fd {
	struct pmcgrp_group *group;
	u64 id;
	u64 read_format;
	unsigned int index;
};

/**
 * struct pmcgrp_member_state - a member of a group
 * @attr: event of the member; constant
 * @event: index of @attr among the group's distinct events; pmcgrp_group.mutex
 * @id: id for PERF_FORMAT_ID; constant
 * @mfd: descriptor of the member in a group with a leader, or NULL; constant
 * @on: enabled state of the member in a group with a leader; pmcgrp_group.mutex.  Always true for
 *	the leader: pmcgrp_group.active is its state.
 *
 * When a member leaves, the members after it move up in the array.
 */
struct pmcgrp_member_state {
	struct perf_event_attr attr;
	unsigned int event;
	u64 id;
	struct pmcgrp_member_fd *mfd;
	bool on;
};

/**
 * struct pmcgrp_row - a group on one CPU: its counters and who uses them
 * @in: the set whose carrier is in here, or NULL.  Never two: a group's carriers
 *	all follow tasks, of which one runs here, or all follow CPUs.  That CPU,
 *	interrupts off.
 * @cpu_set: the set of this CPU for a group of CPUs, or NULL; owned by the group,
 *	constant once the group is made
 * @ring: where what the group does here is recorded, or NULL; pmcgrp_rings.mutex
 * @lookups: pmcgrp_lookups_here() for which @counter is filled; 0: it is not.  That CPU,
 *	interrupts off, or as @complete
 * @generation: with @has_cpu_events, pmcgrp_cpu_generation() in which the counters may be used
 * @has_cpu_events: some may be used in no other: pmcgrp_counter.is_cpu_event
 * @complete: the CPU can count every event
 * @counter: one for each distinct event; in a group with a leader one more while it is
 *	being added, and NULL behind that.  Those that are bound to the CPU for the group (row.c)
 *	are written as @complete, the others on that CPU, interrupts off.
 *
 * @complete is written under pmcgrp_groups_mutex while nothing can use the counters: before
 * the group has a carrier, while the CPU is not usable, or while the group is frozen.
 */
struct pmcgrp_row {
	struct pmcgrp_evset *in;
	struct pmcgrp_evset *cpu_set;
	struct pmcgrp_ring __rcu *ring;
	u64 lookups;
	u64 generation;
	bool has_cpu_events;
	bool complete;
	struct pmcgrp_counter *counter[];
};

/**
 * struct pmcgrp_root - binding of a group to one thread or CPU; pmcgrp_group.mutex
 * @node: node in pmcgrp_group.roots
 * @carrier: the carrier; NULL with @set, or if @cpu has been offline
 * @set: set in the context of the task, if that schedules the group in and out, or NULL
 * @latch: event that enables the group at execve() (%PMCGRP_CREATE_ENABLE_ON_EXEC), or NULL;
 *	released after execve()
 * @cpu: the CPU, or -1 for a thread
 * @generation: hotplug generation of @cpu for which @carrier was created
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
 * struct pmcgrp_user_read - user page of a group
 * @pmu: PMU of all members; NULL if user space cannot read the group.  Constant.
 * @sentry: carrier that tells when @pmu is rescheduled, or NULL if not needed.  Constant once the
 *	group counts.
 * @page: the user page, or NULL; written on the CPU where the carrier is scheduled in, interrupts
 *	off
 */
struct pmcgrp_user_read {
	struct pmu *pmu;
	struct perf_event *sentry;
	struct pmcgrp_user_page *page;
};

/**
 * struct pmcgrp_group_hooks - what the user page of a group has to know (user_page.c)
 * @begin: the group has its rows, and is about to get its carriers for a task; may sleep,
 *	pmcgrp_groups_mutex held.  Return 0, or an errno of perf core's.
 * @ended: the group has no carriers any more; may sleep, pmcgrp_groups_mutex held
 * @free: the group is about to be freed
 * @carrier_init: a carrier of the group is created; may sleep
 * @carrier_in: a carrier is about to be scheduled in; interrupts off
 * @carrier_out: a carrier is about to be scheduled out; interrupts off, under perf core's ctx->lock
 * @carrier_gone: it was scheduled out; the same section
 * @counters_on: a set has its counters, or the values that they had at a reset have changed;
 *	interrupts off, on the set's CPU
 * @counters_off: a set of the group is about to lose its counters; as @counters_on
 */
struct pmcgrp_group_hooks {
	int (*begin)(struct pmcgrp_group *group, struct task_struct *task);
	void (*ended)(struct pmcgrp_group *group);
	void (*free)(struct pmcgrp_group *group);
	void (*carrier_init)(const struct pmcgrp_group *group, struct perf_event *carrier);
	void (*carrier_in)(const struct pmcgrp_group *group);
	void (*carrier_out)(const struct pmcgrp_group *group, struct perf_event *carrier);
	void (*carrier_gone)(const struct pmcgrp_group *group, struct perf_event *carrier);
	void (*counters_on)(const struct pmcgrp_evset *set);
	void (*counters_off)(const struct pmcgrp_group *group);
};

/**
 * struct pmcgrp_output_ops - what a group's rings and triggers have to know (ring_ioctl.c)
 * @enable: the group was enabled, or is to be disabled; may sleep, the group's mutex held
 * @flush: the group is disabled: report lost samples; may sleep, the group's mutex held
 * @task_leaves: a task of the group exits; interrupts off
 * @cpu_online: a CPU of the group has come online; may sleep, pmcgrp_groups_mutex held
 * @drop: the group's descriptor is closed: end the triggers; may sleep, the group's mutex held
 * @stop: the carriers are gone: no sample comes any more; may sleep
 * @free: the group is about to be freed; may sleep
 */
struct pmcgrp_output_ops {
	void (*enable)(struct pmcgrp_group *group, bool enable);
	void (*flush)(struct pmcgrp_group *group);
	void (*task_leaves)(struct pmcgrp_group *group);
	void (*cpu_online)(struct pmcgrp_group *group, int cpu);
	void (*drop)(struct pmcgrp_group *group);
	void (*stop)(struct pmcgrp_group *group);
	void (*free)(struct pmcgrp_group *group);
};

/**
 * struct pmcgrp_group - a counter group
 * @refs: references of the group's file, and of each carrier and latch, inherited ones included
 * @opener: open of the device, for its limit; pmcgrp_groups_mutex.  NULL once the descriptor is
 *	closed and the group only counts for others (share.c).
 * @node: node in the list of all groups; pmcgrp_groups_mutex
 * @mutex: serialises reads (but for the fast path), enable, disable and reset; protects @roots
 * @target_type: enum pmcgrp_target_type; constant
 * @cpus: CPUs of the target, or all possible CPUs for a task; constant
 * @flags: PMCGRP_CREATE_*; constant, except that a group which loses its leader loses
 *	%PMCGRP_CREATE_PINNED (@evsets_mutex)
 * @read_format: PERF_FORMAT_*; constant
 * @nr: number of members; with a leader @mutex, otherwise constant
 * @nr_events: number of distinct events; constant without a leader.  With a leader written under
 *	all of pmcgrp_groups_mutex, @mutex and @evsets_mutex, and read under any of them.
 * @nr_hw: number of distinct hardware events, which come first; as @nr_events
 * @event: the distinct events, in the order of the counters; in a group with a leader one more
 *	while it is being added; as @nr_events
 * @first: index of the first member for each event, in the order of the counters; as @nr_events
 * @leader: descriptor of the group, which is the descriptor of member 0
 * @member_values: state of each member in a group with a leader, otherwise NULL; @mutex
 * @rings: the rings, or NULL; set once under @mutex, read in any context (ring_ioctl.c)
 * @output: operations of @rings; set before @rings
 * @is_interrupted: a hardware event has been a trigger; @mutex, read in any context
 * @nr_fds: number of open descriptors; pmcgrp_groups_mutex
 * @frozen: no set counts, while events or @zero change or rings are flushed; written under @mutex,
 *	read when a carrier is scheduled in (control.c)
 * @active: the group counts wherever its target runs; written under @mutex or by a latch, read
 *	when a carrier is scheduled in (control.c)
 * @incomplete: a task that the group is to count could not be followed: read() gives 0 bytes.
 *	Written in any context
 * @latch_fired: a latch has enabled the group at execve(); written once, by the latch
 * @source: group whose carrier counts for this one: itself, or another group with the same events
 *	of the same task (share.c).  share.c states the locks of @source to @view_node, and @kept.
 * @by: @source; NULL while the group is disabled and shares a carrier
 * @nr_on: number of enabled groups among this one and @viewers, while the latter are not empty
 * @viewers: list of other groups that count by this group's carrier
 * @view_node: node in @viewers of @source
 * @source_node: node in the table of groups whose carrier others may use; pmcgrp_groups_mutex
 * @vruntime: vruntime of the set that was disabled or left a CPU last; start value of a new set
 *	(sched.c)
 * @owner: process that created the group; constant
 * @comm: name of that process at creation; constant
 * @task: target task, a reference, or NULL; constant.  Not its struct pid: execve() by a thread
 *	that is not the leader exchanges that (fs/exec.c: de_thread()).
 * @target: the struct pid that the target task had when the group was made, or NULL; constant
 * @why: enum pmcgrp_why of a set that has ended after a failed placement; @evsets_mutex
 * @blocked_by: with %PMCGRP_WHY_BUSY_PMCGRP, id of a group that had the counters; @evsets_mutex
 * @requests_failed: number of failed requests for counters of perf events; arbiter.c
 * @request_after: time in jiffies of the next request for them; arbiter.c
 * @roots: list of struct pmcgrp_root; @mutex
 * @rows: array of struct pmcgrp_row, one for each CPU: pmcgrp_row_of()
 * @row_size: size of a row in bytes; constant
 * @evsets_mutex: protects @sets and @past; innermost, also inside perf core's mutexes
 * @sets: list of sets with a carrier, and of the CPUs' sets; @evsets_mutex
 * @hooks: operations of @user_read, or NULL without a user page; constant
 * @user_read: user page, with %PMCGRP_CREATE_USER_READ (user_page.c)
 * @only: set of a group with one set, valid until that ends; NULL for other groups
 * @past: sum of the sets that have ended; @evsets_mutex
 * @scratch_cpus: scratch; @mutex
 * @total: scratch, the sum over all sets; @mutex
 * @zero: @total at the last reset; @mutex, read without it under @zero_seq (read.c)
 * @kept: values of @source when this group was disabled, while @by is NULL; as @source
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
	struct pmcgrp_event **event;
	u8 first[PMCGRP_MEMBERS_MAX];
	struct pmcgrp_member_fd leader;
	struct pmcgrp_member_values *member_values;
	struct pmcgrp_rings *rings;
	const struct pmcgrp_output_ops *output;
	bool is_interrupted;
	unsigned int nr_fds;
	bool frozen;
	bool active;
	bool incomplete;
	bool latch_fired;
	struct pmcgrp_group *source;
	struct pmcgrp_group *by;
	unsigned int nr_on;
	struct list_head viewers;
	struct list_head view_node;
	struct hlist_node source_node;
	u64 vruntime;
	struct pid *owner;
	char comm[TASK_COMM_LEN];
	struct task_struct *task;
	struct pid *target;
	u32 why;
	u64 blocked_by;
	unsigned int requests_failed;
	unsigned long request_after;
	struct list_head roots;
	void *rows;
	size_t row_size;
	struct mutex evsets_mutex;
	struct list_head sets;
	const struct pmcgrp_group_hooks *hooks;
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

extern struct list_head pmcgrp_groups; /* pmcgrp_groups_mutex */

void pmcgrp_groups_init(unsigned int groups_max);
struct pmcgrp_opener *pmcgrp_opener_create(void);
void pmcgrp_opener_put(struct pmcgrp_opener *opener);

struct pmcgrp_group *pmcgrp_group_alloc(struct pmcgrp_opener *opener, unsigned int nr,
					bool has_leader);
u64 pmcgrp_group_next_ids(unsigned int nr);
void pmcgrp_group_get(struct pmcgrp_group *group);
void pmcgrp_group_put(struct pmcgrp_group *group);

/**
 * pmcgrp_group_counts_cpus - check whether the target is one or more CPUs, not tasks
 * @group: the group
 */
static inline bool pmcgrp_group_counts_cpus(const struct pmcgrp_group *group)
{
	return group->target_type != PMCGRP_TARGET_TASK &&
	       group->target_type != PMCGRP_TARGET_PROCESS;
}

/**
 * pmcgrp_group_has_cpu_list - check whether user space listed the CPUs, so that all must succeed
 * @group: the group
 */
static inline bool pmcgrp_group_has_cpu_list(const struct pmcgrp_group *group)
{
	return group->target_type == PMCGRP_TARGET_CPU || group->target_type == PMCGRP_TARGET_CPUS;
}

/**
 * pmcgrp_group_is_inherited - check whether new threads or children of the target are counted, too
 * @group: the group
 */
static inline bool pmcgrp_group_is_inherited(const struct pmcgrp_group *group)
{
	return group->target_type == PMCGRP_TARGET_PROCESS ||
	       group->flags & PMCGRP_CREATE_INHERIT;
}

/*
 * Whether the group has a set for each CPU, which is in while any of its tasks runs there
 * (binding.c).
 */
static inline bool pmcgrp_group_has_binding(const struct pmcgrp_group *group)
{
	return pmcgrp_group_is_inherited(group);
}

/*
 * The row of a group on one CPU.  Only that CPU touches its cache lines while the group counts.
 * Rows are not per-CPU memory, because alloc_percpu() takes longer than the rest of creation.
 */
static inline struct pmcgrp_row *pmcgrp_row_of(const struct pmcgrp_group *group, int cpu)
{
	return group->rows + group->row_size * cpu;
}

/* The row of a group on this CPU; the caller cannot migrate. */
static inline struct pmcgrp_row *pmcgrp_row_here(const struct pmcgrp_group *group)
{
	return pmcgrp_row_of(group, smp_processor_id());
}

/* Whether a group has a single set, for all of its life. */
static inline bool pmcgrp_group_has_one_set(const struct pmcgrp_group *group)
{
	return group->target_type == PMCGRP_TARGET_CPU ||
	       (group->target_type == PMCGRP_TARGET_TASK &&
		!(group->flags & PMCGRP_CREATE_INHERIT));
}

/* The rings of a group, initialised, or NULL; any context. */
static inline struct pmcgrp_rings *pmcgrp_group_rings(const struct pmcgrp_group *group)
{
	/* Pairs with setup() in ring_ioctl.c. */
	return smp_load_acquire(&group->rings);
}

/*
 * Whether a group can count by a carrier that is not its own: one thread and nothing that it
 * creates; counts from now on, and for no longer than it is enabled; and may be taken off the PMU
 * like any other.
 */
static inline bool pmcgrp_group_may_share(const struct pmcgrp_group *group)
{
	return group->target_type == PMCGRP_TARGET_TASK &&
	       !(group->flags & ~PMCGRP_CREATE_DISABLED);
}

/* Whether a probe follows the target, which is one task (context.c), instead of a carrier. */
static inline bool pmcgrp_group_has_context(const struct pmcgrp_group *group)
{
	return group->target_type == PMCGRP_TARGET_TASK &&
	       !(group->flags & (PMCGRP_CREATE_INHERIT | PMCGRP_CREATE_ENABLE_ON_EXEC |
				 PMCGRP_CREATE_USER_READ));
}

/*
 * Whether others count by this group's carrier, or it by another's; its mutex held, or
 * pmcgrp_groups_mutex.
 */
static inline bool pmcgrp_group_shares(const struct pmcgrp_group *group)
{
	return group->source != group || !list_empty(&group->viewers);
}

/* Whether it counts wherever its target runs, as its descriptor has it. */
static inline bool pmcgrp_group_is_enabled(const struct pmcgrp_group *group)
{
	const struct pmcgrp_group *by = READ_ONCE(group->by);

	return by == group ? READ_ONCE(group->active) : !!by;
}

struct pmcgrp_group *pmcgrp_group_next(u64 id);

#endif /* PMCGRP_GROUP_H */
