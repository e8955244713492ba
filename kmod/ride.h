/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_RIDE_H
#define PMCGRP_RIDE_H

#include <linux/list.h>
#include <linux/sched/clock.h>
#include <linux/seqlock.h>
#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "quiet.h"
#include "slot.h"
#include "stay.h"

struct pmcgrp_crew;
struct pmcgrp_group;
struct pmcgrp_own;
struct task_struct;

/**
 * struct pmcgrp_snapshot - counts and times at one instant
 * @enabled: nanoseconds enabled
 * @running: nanoseconds on the PMU
 * @count: one for each event
 */
struct pmcgrp_snapshot {
	u64	enabled;
	u64	running;
	u64	count[PMCGRP_MEMBERS_MAX];
};

/**
 * struct pmcgrp_ride - one carrier: its stays on CPUs, and what it has counted
 * @node: in the group's list; pmcgrp_group.rides_mutex
 * @group: the owner.  Constant.
 * @task: whose carrier it was made for, to be compared only; NULL for a CPU.  perf
 *	core may let two tasks with the same inherited events swap them.  Constant.
 * @zero: for a CPU: what it showed at the group's last reset; the group's mutex
 * @own: the same in a group with a leader: each member's own; the group's mutex
 * @crew: the crew whose carrier it comes in by, or NULL; the group's mutex
 * @crew_node: in one of the crew's lists, if @boarded; as these
 * @boarded: comes in with the crew; pmcgrp_crew.mutex
 * @resting: does not for now, for it would only wait; as the crew's lists, read anywhere
 * @rested: the crew's time up to which @enabled accounts, while @resting; as these
 * @cpu: the CPU where the carrier is in, or -1; written on that CPU, irqs off
 * @gang_node: in the gang of @cpu, if @joined; @cpu, irqs off
 * @joined: the group is active and the ride in the gang; @cpu, irqs off
 * @slot: the group's slots on @cpu, software ones attached; NULL where it cannot
 *	count there now; @cpu, irqs off
 * @on: all of @slot are on the PMU; @cpu, irqs off
 * @still: while @on: of pmcgrp_stay_begin(); @cpu, irqs off
 * @waiting: counted in the gang's nr_waiting; @cpu, irqs off
 * @pinned: must never wait.  As @nr.
 * @error: pinned, and had to wait: does not try again until enabled anew
 *	Written on @cpu with irqs off, or under the group's mutex while it is not in.
 * @why: enum pmcgrp_why: why the last placement failed; 0 if it did not.  Written on
 *	@cpu with irqs off, read anywhere
 * @held_by: with %PMCGRP_WHY_GROUPS: id of a group that had the counters; as @why
 * @misfits: placements that failed although no other unpinned ride was on
 * @refused_by: what pmcgrp_slots_in_use() was when it last found no room beside others of
 *	ours, or 0; @cpu, interrupts off
 * @believed: for how many turns that has been believed since
 * @nr: distinct events of the group.  Changed while no ride of it is joined, under the
 *	mutexes that pmcgrp_group.nr_events says.
 * @nr_hw: those that need room on a PMU, which come first.  As @nr.
 * @vrun: nanoseconds on the PMU up to @since, less what gang_level() forgave;
 *	@cpu, irqs off (pmcgrp_ride_vrun() gives it up to now)
 * @seq: odd while @enabled, @running or @sum change
 * @fresh: the clock starts at the next update
 * @since: local_clock() up to which the times account
 * @taken_over: local_clock() when pmcgrp_slots_take_over() was called last; @cpu, irqs off
 * @stays: how often it has come in
 * @enabled: nanoseconds in the gang
 * @running: nanoseconds of these on the PMU
 * @base: for each event: the slot's value up to which @sum accounts, while @on
 * @sum: for each event: counted so far; in memory @base follows
 */
struct pmcgrp_ride {
	struct list_head		node;
	struct pmcgrp_group		*group;
	const struct task_struct	*task;
	struct pmcgrp_snapshot		*zero;
	struct pmcgrp_own		*own;
	struct pmcgrp_crew		*crew;
	struct list_head		crew_node;
	bool				boarded;
	bool				resting;
	u64				rested;
	int				cpu;
	struct list_head		gang_node;
	bool				joined;
	struct pmcgrp_slot *const	*slot;
	bool				on;
	bool				still;
	bool				waiting;
	bool				pinned;
	bool				error;
	u32				why;
	u64				held_by;
	unsigned int			misfits;
	unsigned int			believed;
	u64				refused_by;
	unsigned int			nr;
	unsigned int			nr_hw;
	u64				vrun;
	seqcount_t			seq;
	bool				fresh;
	u64				since;
	u64				taken_over;
	u32				stays;
	u64				enabled;
	u64				running;
	u64				*base;
	u64				sum[] __counted_by(nr);
};

struct pmcgrp_ride *pmcgrp_ride_of_task(struct pmcgrp_group *group,
					const struct task_struct *task);
struct pmcgrp_ride *pmcgrp_ride_of_cpu(struct pmcgrp_group *group, int cpu);
void pmcgrp_ride_end(struct pmcgrp_ride *ride);
void pmcgrp_ride_free(struct pmcgrp_ride *ride);

/* Since its times were advanced; local_clock() may step back where the TSC is not stable. */
static inline u64 pmcgrp_ride_since(const struct pmcgrp_ride *ride, u64 now)
{
	return now > ride->since ? now - ride->since : 0;
}

/**
 * pmcgrp_ride_start - the carrier has come in on this CPU
 * @ride: the ride, off the PMU
 *
 * The clock starts when the ride is placed, or at the first update without: one
 * that is placed at once has run for all of the time that it was enabled.
 *
 * Context: this CPU, interrupts off.
 */
static inline void pmcgrp_ride_start(struct pmcgrp_ride *ride)
{
	pmcgrp_assert_here(ride->cpu);
	ride->fresh = true;
	ride->stays++;
}

/* Counters are seen to each 2^28 ns, in which none of them comes far, if somebody reads them. */
#define PMCGRP_TAKE_OVER_SHIFT	28

void pmcgrp_ride_take_over_now(struct pmcgrp_ride *ride, u64 now);

/**
 * pmcgrp_ride_take_over - pmcgrp_slots_take_over() now and then
 * @ride: the ride, on the PMU
 * @now: local_clock(), of pmcgrp_slots_read()
 *
 * Context: as pmcgrp_slots_take_over().
 */
static inline void pmcgrp_ride_take_over(struct pmcgrp_ride *ride, u64 now)
{
	if (unlikely((now - ride->taken_over) >> PMCGRP_TAKE_OVER_SHIFT))
		pmcgrp_ride_take_over_now(ride, now);
}

u64 pmcgrp_ride_vrun(const struct pmcgrp_ride *ride);
bool pmcgrp_ride_place(struct pmcgrp_ride *ride);
void pmcgrp_ride_take_off(struct pmcgrp_ride *ride, unsigned int tick);
void pmcgrp_ride_account(struct pmcgrp_ride *ride);
void pmcgrp_ride_snapshot(const struct pmcgrp_ride *ride, struct pmcgrp_snapshot *snap);
void pmcgrp_snapshot_add(struct pmcgrp_snapshot *sum, const struct pmcgrp_snapshot *part,
			 unsigned int nr);
void pmcgrp_rides_insert(struct pmcgrp_group *group, unsigned int at);
void pmcgrp_rides_take_out(struct pmcgrp_group *group, unsigned int at);
void pmcgrp_rides_unpin(struct pmcgrp_group *group);

/**
 * pmcgrp_ride_peek - what a ride shows now, without bringing it up to date
 * @ride: the ride, which is joined on this CPU
 * @at: out
 * @as_is: in a trigger's handler: the PMU is as it is
 *
 * (A handler that finds the PMU in the other state than that of the stay's first reading
 * shows later members off by the lead that pmcgrp_slots_read() tells of, in no sum.)
 *
 * Context: this CPU, interrupts off; in NMI, in a section of pmcgrp_quiet_try().
 * Return: local_clock() then.
 */
static __always_inline u64 pmcgrp_ride_peek(struct pmcgrp_ride *ride, struct pmcgrp_snapshot *at,
					    bool as_is)
{
	const u64 *sum = ride->sum, *base = ride->base;
	u64 *count = at->count, *end = count + ride->nr;
	u64 now, delta;

	pmcgrp_assert_here(ride->cpu);
	if (unlikely(!ride->on)) {
		now = local_clock();
		at->enabled = ride->enabled;
		if (!ride->fresh)
			at->enabled += pmcgrp_ride_since(ride, now);
		at->running = ride->running;
		while (count < end)
			*count++ = *sum++;
		return now;
	}
	if (likely(as_is || !ride->still))
		now = pmcgrp_slots_read(ride->slot, ride->nr, count);
	else
		now = pmcgrp_stay_read(ride->slot, ride->nr_hw, ride->nr, count, true);
	while (count < end)
		*count++ += *sum++ - *base++;
	delta = pmcgrp_ride_since(ride, now);
	at->enabled = ride->enabled + delta;
	at->running = ride->running + delta;
	pmcgrp_ride_take_over(ride, now);
	return now;
}

#endif /* PMCGRP_RIDE_H */
