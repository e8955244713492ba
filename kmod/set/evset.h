/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_EVSET_H
#define PMCGRP_EVSET_H

#include <linux/align.h>
#include <linux/cache.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/overflow.h>
#include <linux/sched/clock.h>
#include <linux/seqlock.h>
#include <linux/slab.h>
#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "counter/counter.h"
#include "counter/event.h"
#include "platform/recursion.h"
#include "set/evset_read.h"

struct pmcgrp_context;
struct pmcgrp_evlist;
struct task_struct;

/**
 * struct pmcgrp_values - counts and times at one instant
 * @enabled: nanoseconds enabled
 * @running: nanoseconds on the PMU
 * @count: one count for each event
 */
struct pmcgrp_values {
	u64 enabled;
	u64 running;
	u64 count[PMCGRP_MEMBERS_MAX];
};

/* Size of values of so many events. */
static inline size_t pmcgrp_values_size(unsigned int nr)
{
	return offsetof(struct pmcgrp_values, count) + nr * sizeof(u64);
}

/**
 * struct pmcgrp_member_values - count and times of one member of a group with a leader
 * @count: count of the member's event
 * @enabled: time enabled in nanoseconds
 * @running: time running in nanoseconds
 *
 * While the member is disabled, these are the values that a read shows.  While it is enabled, these
 * are offsets: a read shows the group's values minus these.
 */
struct pmcgrp_member_values {
	u64 count;
	u64 enabled;
	u64 running;
};

/**
 * pmcgrp_member_values_alloc - allocate zeroed values for all members that a group can have
 *
 * Context: may sleep.
 * Return: an array of PMCGRP_MEMBERS_MAX, for kfree(), or NULL without memory.
 */
static inline struct pmcgrp_member_values *pmcgrp_member_values_alloc(void)
{
	return kcalloc(PMCGRP_MEMBERS_MAX, sizeof(struct pmcgrp_member_values), GFP_KERNEL_ACCOUNT);
}

/**
 * struct pmcgrp_evset - events of a group that are counted for one task or CPU, and their counts
 * @node: node in pmcgrp_evlist.sets; pmcgrp_evlist.evsets_mutex
 * @fresh: instead: node in pmcgrp_evlist.fresh
 * @evlist: event list that owns the set.  Constant.
 * @task: task that the set was made for; valid while it has @ctx, else only to be compared.  NULL
 *	for a CPU: that of a list of CPUs, or of one that counts several tasks (contexts.c).
 *	Constant.
 * @home: the CPU that it was made for, or -1: for a task.  Constant.
 * @member_values: for a CPU, if the group has a leader: values of each member; the list's mutex
 * @ctx: context that the set is in (context.c), or NULL if something else schedules it in and out;
 *	the list's mutex, and constant of one that a switch has made
 * @carrier: perf event that schedules it in and out instead (carried.c), or NULL; as @ctx
 * @generation: hotplug generation of its CPU for which @carrier was created; as @ctx
 * @ctx_node: node in one of the context's lists, while it is enabled there; protected like these
 *	lists (context.h).  Or node in pmcgrp_cpu.own: @cpu, irqs off.
 * @ctx_enabled: of a task: in one of the context's lists; pmcgrp_context.mutex
 * @resting: not scheduled in for now, as it would only wait; written like the context's lists, read
 *	anywhere
 * @rested: the context's time up to which @enabled accounts, while @resting; protected like the
 *	context's lists
 * @cpu: CPU where the set's context or carrier is in, or -1; written on that CPU, irqs off
 * @cpu_node: node in pmcgrp_cpu.sets, or pmcgrp_cpu.deferred or pmcgrp_cpu.background, of @cpu,
 *	while @is_in; @cpu, irqs off
 * @watch_node: node in pmcgrp_cpu.watched of @cpu, if its list has @switch_ops; @cpu, irqs off
 * @is_in: scheduled in on @cpu, and its list active; @cpu, irqs off
 * @counter: the list's counters on @cpu, software ones attached; NULL if it cannot count there
 *	now; @cpu, irqs off
 * @on: all of @counter are on the PMU; @cpu, irqs off
 * @held: state of the PMU in all readings while @on (pmcgrp_evset_read_first()); @cpu, irqs off
 * @waiting: included in pmcgrp_cpu.nr_waiting; @cpu, irqs off
 * @tried: pmcgrp_cpu.rotated when it was deferred last; 0: never; @cpu, irqs off
 * @deferred: in pmcgrp_cpu.deferred instead of pmcgrp_cpu.sets; @cpu, irqs off
 * @pinned: its list is pinned; as @nr
 * @background: its list is a background one, with hardware events: in pmcgrp_cpu.background instead
 *	of pmcgrp_cpu.sets (background.c); as @nr
 * @error: pinned and did not fit: not tried again until it is enabled again.  Written on @cpu
 *	with irqs off, or under the list's mutex while the set is not in.
 * @why: enum pmcgrp_why of the last failed placement; 0 after a successful one.  Written on @cpu
 *	with irqs off, read anywhere
 * @blocked_by: with %PMCGRP_WHY_BUSY_PMCGRP: id of a group that had the counters; as @why
 * @failed_alone: placements that failed with no other flexible set on, and ticks waited since
 *	then; @cpu, irqs off
 * @nr: number of events of the list.  Written while the list is frozen, under the mutexes of
 *	pmcgrp_evlist.nr_events.
 * @nr_hw: number of hardware events among these, which come first; as @nr
 * @takes_shared: any of them takes what other CPUs need; as @nr
 * @switches: a bit for each of them that counts context switches; as @nr
 * @cgroup_switches: those of @switches that count switches between cgroups only; as @nr
 * @vruntime: nanoseconds on the PMU up to @since, less what clamp_vruntime() took off; @cpu,
 *	irqs off
 * @seq: seqcount of @enabled, @running and @sum
 * @not_started: @since is set by the next accounting or placement; @cpu, irqs off
 * @since: local_clock() up to which @enabled and @running account; @cpu, irqs off
 * @synced_at: local_clock() of the last pmcgrp_counters_sync(); @cpu, irqs off
 * @nr_sched_in: number of times that it was put on a CPU's list; @cpu, irqs off
 * @left: that as a task left last, if its list has @switch_ops; @cpu, irqs off
 * @enabled: nanoseconds enabled while its task or CPU ran; @seq
 * @running: nanoseconds of these with all counters on the PMU; @seq
 * @base: values of the counters up to which @sum accounts, while @on; @cpu, irqs off.  Stored
 *	behind @sum.
 * @sum: counts so far; @seq
 */
struct pmcgrp_evset {
	union {
		struct list_head node;
		struct llist_node fresh;
	};
	struct pmcgrp_evlist *evlist;
	const struct task_struct *task;
	int home;
	struct pmcgrp_member_values *member_values;
	struct pmcgrp_context *ctx;
	struct list_head ctx_node;
	bool ctx_enabled;
	bool resting;
	u64 rested;
	int cpu;
	struct list_head cpu_node;
	struct list_head watch_node;
	bool is_in;
	struct pmcgrp_counter *const *counter;
	bool on;
	bool held;
	bool waiting;
	bool deferred;
	u64 tried;
	bool pinned;
	bool background;
	bool error;
	u32 why;
	u64 blocked_by;
	unsigned int failed_alone;
	unsigned int nr;
	unsigned int nr_hw;
	bool takes_shared;
	u64 switches;
	u64 cgroup_switches;
	u64 vruntime;
	seqcount_t seq;
	bool not_started;
	u64 since;
	u64 synced_at;
	u32 nr_sched_in;
	u32 left;
	u64 enabled;
	u64 running;
	struct perf_event *carrier;
	u64 generation;
	u64 *base;
	u64 sum[] __counted_by(nr);
};

/* Size of a set that has room for so many events. */
static inline size_t pmcgrp_evset_size(unsigned int room)
{
	struct pmcgrp_evset *set;

	return ALIGN(struct_size(set, sum, 2 * room), SMP_CACHE_BYTES);
}

void pmcgrp_evset_free(struct pmcgrp_evset *set);

/* Flexible sets are multiplexed: they have hardware counters and are not pinned. */
static inline bool pmcgrp_evset_is_flexible(const struct pmcgrp_evset *set)
{
	return set->nr_hw && !set->pinned;
}

/* Time since its times were updated.  local_clock() may step back if the TSC is not stable. */
static inline u64 pmcgrp_evset_since(const struct pmcgrp_evset *set, u64 now)
{
	return now > set->since ? now - set->since : 0;
}

/**
 * pmcgrp_evset_start - note that a set is put on this CPU's list
 * @set: the set, off the PMU
 *
 * Its times start with its placement, or else with its first accounting.  So a set that is
 * placed at once has equal times.
 *
 * Context: this CPU, interrupts off.
 */
static inline void pmcgrp_evset_start(struct pmcgrp_evset *set)
{
	pmcgrp_assert_here(set->cpu);
	set->not_started = true;
	set->nr_sched_in++;
}

/* A set that is read has its counters synced every 2^28 ns: no register gets far in that time. */
#define PMCGRP_SYNC_SHIFT 28

void pmcgrp_evset_sync_now(struct pmcgrp_evset *set, u64 now);

/**
 * pmcgrp_evset_sync - call pmcgrp_counters_sync() if the last call is long ago
 * @set: the set, on the PMU
 * @now: local_clock(), of pmcgrp_counters_read()
 *
 * Context: as for pmcgrp_counters_sync().
 */
static inline void pmcgrp_evset_sync(struct pmcgrp_evset *set, u64 now)
{
	if (unlikely((now - set->synced_at) >> PMCGRP_SYNC_SHIFT))
		pmcgrp_evset_sync_now(set, now);
}

void pmcgrp_evset_note_switch(struct task_struct *prev, struct task_struct *next);
void pmcgrp_evset_count_leave(struct pmcgrp_evset *set);
void pmcgrp_evset_uncount_enter(struct pmcgrp_evset *set);
void pmcgrp_evset_add_switch(const struct pmcgrp_evset *set, u64 *count);

static inline bool pmcgrp_evset_counts_switches(const struct pmcgrp_evset *set)
{
	return unlikely(READ_ONCE(pmcgrp_switch_events)) && set->switches;
}

/* Whether a set counts the task that is switched to as it has counted the one that has left. */
static inline bool pmcgrp_evset_stays(const struct pmcgrp_evset *set)
{
	return set->is_in && set->nr_sched_in == set->left;
}

/**
 * pmcgrp_evset_leaves - count a switch for a set whose task leaves the CPU
 * @set: the set, before it is scheduled out
 *
 * perf core counts a switch when the sets of the task that leaves are out, and those of the next
 * one are in (include/linux/perf_event.h: perf_event_task_sched_out()).  It is the leaving task's.
 *
 * Context: this CPU, interrupts off, in the probe on sched_switch.
 */
static inline void pmcgrp_evset_leaves(struct pmcgrp_evset *set)
{
	if (pmcgrp_evset_counts_switches(set))
		pmcgrp_evset_count_leave(set);
}

/**
 * pmcgrp_evset_enters - leave out the switch that perf core is about to count
 * @set: the set, after it and all others of the next task have been scheduled in
 *
 * Nobody can see it before perf core has counted: sets that a probe schedules in are not sampled.
 *
 * Context: as pmcgrp_evset_leaves().
 */
static inline void pmcgrp_evset_enters(struct pmcgrp_evset *set)
{
	if (pmcgrp_evset_counts_switches(set))
		pmcgrp_evset_uncount_enter(set);
}

void pmcgrp_evset_switch_begin(void);
void pmcgrp_evset_switch_end(void);
int pmcgrp_evset_add(struct pmcgrp_evset *set);
void pmcgrp_evset_del(struct pmcgrp_evset *set);
u64 pmcgrp_evset_hand_over(struct pmcgrp_evset *from, struct pmcgrp_evset *to);
void pmcgrp_evset_accounted(const struct pmcgrp_evset *set);
void pmcgrp_evset_account(struct pmcgrp_evset *set);
void pmcgrp_evset_copy(const struct pmcgrp_evset *set, struct pmcgrp_values *total);

/**
 * pmcgrp_evset_copy_now - copy a set's counts and times up to now: those of the task that leaves
 * @set: the set, which follows several tasks
 * @at: out
 * @stays: it counts here, and its counters are to be read; else its counts are complete
 * @in_switch: a switch is under way, which perf core is about to count for the leaving task
 *
 * Context: this CPU, interrupts off.
 */
static inline void pmcgrp_evset_copy_now(struct pmcgrp_evset *set, struct pmcgrp_values *at,
					 bool stays, bool in_switch)
{
	if (stays)
		pmcgrp_evset_account(set);
	pmcgrp_evset_copy(set, at);
	if (stays && in_switch && pmcgrp_evset_counts_switches(set))
		pmcgrp_evset_add_switch(set, at->count);
}

void pmcgrp_values_add(struct pmcgrp_values *sum, const struct pmcgrp_values *part,
		       unsigned int nr);

/**
 * pmcgrp_evset_values - compute a set's counts and times up to now, without accounting them
 * @set: the set, which @is_in on this CPU
 * @at: out
 * @as_is: true in a trigger's handler: read the PMU in the state that it has
 *
 * A handler may find the PMU in another state than the first reading did.  Then later members
 * are off by their lead in this sample (pmcgrp_counters_read()); no sum is affected.
 *
 * Context: this CPU, interrupts off; in NMI, in a section of pmcgrp_recursion_try().
 * Return: local_clock() at the end of the reading.
 */
static __always_inline u64 pmcgrp_evset_values(struct pmcgrp_evset *set, struct pmcgrp_values *at,
					       bool as_is)
{
	const u64 *sum = set->sum, *base = set->base;
	u64 *count = at->count, *end = count + set->nr;
	u64 now, delta;

	pmcgrp_assert_here(set->cpu);
	if (unlikely(!set->on)) {
		now = local_clock();
		at->enabled = set->enabled;
		if (!set->not_started)
			at->enabled += pmcgrp_evset_since(set, now);
		at->running = set->running;
		while (count < end)
			*count++ = *sum++;
		return now;
	}
	if (likely(as_is || !set->held))
		now = pmcgrp_counters_read(set->counter, set->nr, count);
	else
		now = pmcgrp_evset_read(set->counter, set->nr_hw, set->nr, count, true);
	while (count < end)
		*count++ += *sum++ - *base++;
	delta = pmcgrp_evset_since(set, now);
	at->enabled = set->enabled + delta;
	at->running = set->running + delta;
	pmcgrp_evset_sync(set, now);
	return now;
}

#endif /* PMCGRP_EVSET_H */
