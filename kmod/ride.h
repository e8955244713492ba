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
 * struct pmcgrp_ride - one carrier: its stays on CPUs, and what it has counted
 * @node: in the gang of the CPU where the carrier is in; that CPU, irqs off
 * @group: the owner.  Constant.
 * @cpu: the CPU where the carrier is in, or -1; written on that CPU, irqs off
 * @slot: the group's slots on @cpu, software ones attached; NULL where it cannot
 *	count there now; @cpu, irqs off
 * @on: all of @slot are on the PMU; @cpu, irqs off
 * @waiting: counted in the gang's nr_waiting; @cpu, irqs off
 * @pinned: must never wait.  Constant.
 * @error: pinned, and had to wait: does not try again until enabled anew.
 *	Written on @cpu with irqs off, or while the carrier is disabled.
 * @misfits: placements that failed although no other unpinned ride was on
 * @nr: distinct events of the group.  Constant once the group is made.
 * @nr_hw: those that need room on a PMU, which come first.  Likewise.
 * @vrun: nanoseconds on the PMU up to @since, less what gang_level() forgave;
 *	@cpu, irqs off (pmcgrp_ride_vrun() gives it up to now)
 * @seq: odd while what follows changes
 * @fresh: the clock starts at the next update
 * @since: local_clock() up to which the times account
 * @enabled: nanoseconds the carrier was in
 * @running: nanoseconds of these on the PMU
 * @tally: one for each event
 */
struct pmcgrp_ride {
	struct list_head		node;
	struct pmcgrp_group		*group;
	int				cpu;
	struct pmcgrp_slot *const	*slot;
	bool				on;
	bool				waiting;
	bool				pinned;
	bool				error;
	unsigned int			misfits;
	unsigned int			nr;
	unsigned int			nr_hw;
	u64				vrun;
	seqcount_t			seq;
	bool				fresh;
	u64				since;
	u64				enabled;
	u64				running;
	struct pmcgrp_tally		tally[] __counted_by(nr);
};

/**
 * struct pmcgrp_snapshot - a ride's state at one instant
 * @enabled: nanoseconds enabled
 * @running: nanoseconds on the PMU
 * @count: one for each event
 */
struct pmcgrp_snapshot {
	u64	enabled;
	u64	running;
	u64	count[PMCGRP_MEMBERS_MAX];
};

struct pmcgrp_ride *pmcgrp_ride_create(struct pmcgrp_group *group, unsigned int nr);

void pmcgrp_ride_start(struct pmcgrp_ride *ride);
u64 pmcgrp_ride_vrun(const struct pmcgrp_ride *ride);
bool pmcgrp_ride_place(struct pmcgrp_ride *ride);
void pmcgrp_ride_take_off(struct pmcgrp_ride *ride);
void pmcgrp_ride_account(struct pmcgrp_ride *ride);
void pmcgrp_ride_snapshot(const struct pmcgrp_ride *ride, struct pmcgrp_snapshot *snap);

#endif /* PMCGRP_RIDE_H */
