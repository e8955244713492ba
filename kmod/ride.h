/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_RIDE_H
#define PMCGRP_RIDE_H

#include <linux/list.h>
#include <linux/seqlock.h>
#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "slot.h"

struct pmcgrp_group;
struct pmcgrp_own;
struct task_struct;

/**
 * struct pmcgrp_tally - what one event of a group has counted
 * @base: the slot's value up to which @sum accounts, while on the PMU
 * @sum: counted so far
 */
struct pmcgrp_tally {
	u64	base;
	u64	sum;
};

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
 * @cpu: the CPU where the carrier is in, or -1; written on that CPU, irqs off
 * @gang_node: in the gang of @cpu, if @joined; @cpu, irqs off
 * @joined: the group is active and the ride in the gang; @cpu, irqs off
 * @slot: the group's slots on @cpu, software ones attached; NULL where it cannot
 *	count there now; @cpu, irqs off
 * @on: all of @slot are on the PMU; @cpu, irqs off
 * @waiting: counted in the gang's nr_waiting; @cpu, irqs off
 * @pinned: must never wait.  As @nr.
 * @error: pinned, and had to wait: does not try again until enabled anew
 *	Written on @cpu with irqs off, or under the group's mutex while it is not in.
 * @why: enum pmcgrp_why: why the last placement failed; 0 if it did not.  Written on
 *	@cpu with irqs off, read anywhere
 * @held_by: with %PMCGRP_WHY_GROUPS: id of a group that had the counters; as @why
 * @misfits: placements that failed although no other unpinned ride was on
 * @nr: distinct events of the group.  Changed while no ride of it is joined, under the
 *	mutexes that pmcgrp_group.nr_events says.
 * @nr_hw: those that need room on a PMU, which come first.  As @nr.
 * @vrun: nanoseconds on the PMU up to @since, less what gang_level() forgave;
 *	@cpu, irqs off (pmcgrp_ride_vrun() gives it up to now)
 * @seq: odd while what follows changes
 * @fresh: the clock starts at the next update
 * @since: local_clock() up to which the times account
 * @stays: how often it has come in
 * @enabled: nanoseconds in the gang
 * @running: nanoseconds of these on the PMU
 * @tally: one for each event
 */
struct pmcgrp_ride {
	struct list_head		node;
	struct pmcgrp_group		*group;
	const struct task_struct	*task;
	struct pmcgrp_snapshot		*zero;
	struct pmcgrp_own		*own;
	int				cpu;
	struct list_head		gang_node;
	bool				joined;
	struct pmcgrp_slot *const	*slot;
	bool				on;
	bool				waiting;
	bool				pinned;
	bool				error;
	u32				why;
	u64				held_by;
	unsigned int			misfits;
	unsigned int			nr;
	unsigned int			nr_hw;
	u64				vrun;
	seqcount_t			seq;
	bool				fresh;
	u64				since;
	u32				stays;
	u64				enabled;
	u64				running;
	struct pmcgrp_tally		tally[] __counted_by(nr);
};

/**
 * struct pmcgrp_look - a look at a ride that is in here
 * @at: what it shows
 * @here: what its slots show
 */
struct pmcgrp_look {
	struct pmcgrp_snapshot	at;
	struct pmcgrp_instant	here;
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

void pmcgrp_ride_start(struct pmcgrp_ride *ride);
u64 pmcgrp_ride_vrun(const struct pmcgrp_ride *ride);
bool pmcgrp_ride_place(struct pmcgrp_ride *ride);
void pmcgrp_ride_take_off(struct pmcgrp_ride *ride, unsigned int tick);
void pmcgrp_ride_account(struct pmcgrp_ride *ride);
void pmcgrp_ride_peek(const struct pmcgrp_ride *ride, struct pmcgrp_look *look);
void pmcgrp_ride_snapshot(const struct pmcgrp_ride *ride, struct pmcgrp_snapshot *snap);
void pmcgrp_snapshot_add(struct pmcgrp_snapshot *sum, const struct pmcgrp_snapshot *part,
			 unsigned int nr);
void pmcgrp_rides_insert(struct pmcgrp_group *group, unsigned int at);
void pmcgrp_rides_take_out(struct pmcgrp_group *group, unsigned int at);
void pmcgrp_rides_unpin(struct pmcgrp_group *group);

#endif /* PMCGRP_RIDE_H */
