/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_EVSET_H
#define PMCGRP_EVSET_H

#include <linux/list.h>
#include <linux/sched/clock.h>
#include <linux/seqlock.h>
#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "recursion.h"
#include "counter.h"
#include "evset_read.h"

struct pmcgrp_crew;
struct pmcgrp_group;
struct pmcgrp_member_values;
struct task_struct;

/**
 * struct pmcgrp_values - counts and times at one instant
 * @enabled: nanoseconds enabled
 * @running: nanoseconds on the PMU
 * @count: one for each event
 */
struct pmcgrp_values {
	u64 enabled;
	u64 running;
	u64 count[PMCGRP_MEMBERS_MAX];
};

/**
 * struct pmcgrp_evset - one carrier: its stays on CPUs, and what it has counted
 * @node: in the group's list; pmcgrp_group.evsets_mutex
 * @group: the owner.  Constant.
 * @task: whose carrier it was made for, to be compared only; NULL for a CPU.  perf
 *	core may let two tasks with the same inherited events swap them.  Constant.
 * @zero: for a CPU: what it showed at the group's last reset; the group's mutex
 * @member_values: the same in a group with a leader: each member's own; the group's mutex
 * @crew: the crew whose carrier it comes in by, or NULL; the group's mutex
 * @crew_node: in one of the crew's lists, if @boarded; as these
 * @boarded: comes in with the crew; pmcgrp_crew.mutex
 * @resting: does not for now, for it would only wait; as the crew's lists, read anywhere
 * @rested: the crew's time up to which @enabled accounts, while @resting; as these
 * @cpu: the CPU where the carrier is in, or -1; written on that CPU, irqs off
 * @cpu_node: in the gang of @cpu, if @is_in; @cpu, irqs off
 * @is_in: the group is active and the set in the gang; @cpu, irqs off
 * @counter: the group's counters on @cpu, software ones attached; NULL where it cannot
 *	count there now; @cpu, irqs off
 * @on: all of @counter are on the PMU; @cpu, irqs off
 * @held: while @on: of pmcgrp_evset_read_first(); @cpu, irqs off
 * @waiting: counted in the gang's nr_waiting; @cpu, irqs off
 * @pinned: must never wait.  As @nr.
 * @error: pinned, and had to wait: does not try again until enabled anew
 *	Written on @cpu with irqs off, or under the group's mutex while it is not in.
 * @why: enum pmcgrp_why: why the last placement failed; 0 if it did not.  Written on
 *	@cpu with irqs off, read anywhere
 * @blocked_by: with %PMCGRP_WHY_BUSY_PMCGRP: id of a group that had the counters; as @why
 * @failed_alone: placements that failed although no other unpinned set was on
 * @refused_by: what pmcgrp_counters_in_use_mark() was when it last found no room beside others of
 *	ours, or 0; @cpu, interrupts off
 * @nr_skipped: for how many turns that has been believed since
 * @nr: distinct events of the group.  Changed while no set of it is joined, under the
 *	mutexes that pmcgrp_group.nr_events says.
 * @nr_hw: those that need room on a PMU, which come first.  As @nr.
 * @vruntime: nanoseconds on the PMU up to @since, less what clamp_vruntimes() forgave;
 *	@cpu, irqs off (pmcgrp_evset_vruntime() gives it up to now)
 * @seq: odd while @enabled, @running or @sum change
 * @not_started: the clock starts at the next update
 * @since: local_clock() up to which the times account
 * @synced_at: local_clock() when pmcgrp_counters_sync() was called last; @cpu, irqs off
 * @nr_sched_in: how often it has come in
 * @enabled: nanoseconds in the gang
 * @running: nanoseconds of these on the PMU
 * @base: for each event: the counter's value up to which @sum accounts, while @on
 * @sum: for each event: counted so far; in memory @base follows
 */
struct pmcgrp_evset {
	struct list_head node;
	struct pmcgrp_group *group;
	const struct task_struct *task;
	struct pmcgrp_values *zero;
	struct pmcgrp_member_values *member_values;
	struct pmcgrp_crew *crew;
	struct list_head crew_node;
	bool boarded;
	bool resting;
	u64 rested;
	int cpu;
	struct list_head cpu_node;
	bool is_in;
	struct pmcgrp_counter *const *counter;
	bool on;
	bool held;
	bool waiting;
	bool pinned;
	bool error;
	u32 why;
	u64 blocked_by;
	unsigned int failed_alone;
	unsigned int nr_skipped;
	u64 refused_by;
	unsigned int nr;
	unsigned int nr_hw;
	u64 vruntime;
	seqcount_t seq;
	bool not_started;
	u64 since;
	u64 synced_at;
	u32 nr_sched_in;
	u64 enabled;
	u64 running;
	u64 *base;
	u64 sum[] __counted_by(nr);
};

struct pmcgrp_evset *pmcgrp_evset_of_task(struct pmcgrp_group *group,
					  const struct task_struct *task);
struct pmcgrp_evset *pmcgrp_evset_of_cpu(struct pmcgrp_group *group, int cpu);
void pmcgrp_evset_end(struct pmcgrp_evset *set);
void pmcgrp_evset_free(struct pmcgrp_evset *set);

/* Since its times were advanced; local_clock() may step back where the TSC is not stable. */
static inline u64 pmcgrp_evset_since(const struct pmcgrp_evset *set, u64 now)
{
	return now > set->since ? now - set->since : 0;
}

/**
 * pmcgrp_evset_start - the carrier has come in on this CPU
 * @set: the set, off the PMU
 *
 * The clock starts when the set is placed, or at the first update without: one
 * that is placed at once has run for all of the time that it was enabled.
 *
 * Context: this CPU, interrupts off.
 */
static inline void pmcgrp_evset_start(struct pmcgrp_evset *set)
{
	pmcgrp_assert_here(set->cpu);
	set->not_started = true;
	set->nr_sched_in++;
}

/* Counters are seen to each 2^28 ns, in which none of them comes far, if somebody reads them. */
#define PMCGRP_SYNC_SHIFT 28

void pmcgrp_evset_sync_now(struct pmcgrp_evset *set, u64 now);

/**
 * pmcgrp_evset_sync - pmcgrp_counters_sync() now and then
 * @set: the set, on the PMU
 * @now: local_clock(), of pmcgrp_counters_read()
 *
 * Context: as pmcgrp_counters_sync().
 */
static inline void pmcgrp_evset_sync(struct pmcgrp_evset *set, u64 now)
{
	if (unlikely((now - set->synced_at) >> PMCGRP_SYNC_SHIFT))
		pmcgrp_evset_sync_now(set, now);
}

u64 pmcgrp_evset_vruntime(const struct pmcgrp_evset *set);
bool pmcgrp_evset_on(struct pmcgrp_evset *set);
void pmcgrp_evset_off(struct pmcgrp_evset *set, unsigned int tick);
void pmcgrp_evset_account(struct pmcgrp_evset *set);
void pmcgrp_evset_copy(const struct pmcgrp_evset *set, struct pmcgrp_values *total);
void pmcgrp_values_add(struct pmcgrp_values *sum, const struct pmcgrp_values *part,
		       unsigned int nr);
void pmcgrp_evsets_insert(struct pmcgrp_group *group, unsigned int at);
void pmcgrp_evsets_take_out(struct pmcgrp_group *group, unsigned int at);
void pmcgrp_evsets_unpin(struct pmcgrp_group *group);

/**
 * pmcgrp_evset_values - what a set shows now, without bringing it up to date
 * @set: the set, which is joined on this CPU
 * @at: out
 * @as_is: in a trigger's handler: the PMU is as it is
 *
 * (A handler that finds the PMU in the other state than that of the stay's first reading
 * shows later members off by the lead that pmcgrp_counters_read() tells of, in no sum.)
 *
 * Context: this CPU, interrupts off; in NMI, in a section of pmcgrp_recursion_try().
 * Return: local_clock() then.
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
