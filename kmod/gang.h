/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_GANG_H
#define PMCGRP_GANG_H

#include <linux/container_of.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include "guard.h"
#include "truce.h"

struct pmcgrp_crew;
struct pmcgrp_ride;
struct pmcgrp_slot;

/*
 * With more rides than that on a CPU what goes through all of them takes its time, with
 * interrupts off: it is done less often, or not at all.
 */
#define PMCGRP_CROWD	32

/* How many rides are looked at to find one that has what another one wants. */
#define PMCGRP_LOOK	64

/**
 * struct pmcgrp_gang - the rides of one CPU; that CPU, interrupts off
 * @cpu: which.  Constant.
 * @rides: pmcgrp_ride.gang_node, in the order of their next turns after a rotation
 * @nr_rides: how many
 * @crew: that is in, or NULL: one task runs here
 * @nr_resting: rides of that one that rest
 * @timer: the tick, running while a ride waits, slots are idle or perf contends
 * @ticks: how many there were
 * @ticked: local_clock() of the last of them
 * @rotated: local_clock() of the last rotation
 * @missed_since: local_clock() since when rides come in that wait, and no tick has found any;
 *	0: not known to be so
 * @rest_until: local_clock() before which nobody is placed anew but who comes in
 * @work: what cannot be done while perf core is at work, right after it
 * @owes: @work is to give a turn, not only to fill what is free
 * @nr_waiting: rides that wait for room
 * @has_idle: slots may be idle on the PMU
 * @eager_until: local_clock() until which slots do not stay idle
 * @armed: @timer runs
 * @truce: turns with perf's own events
 * @help: to pinned events of perf's
 * @alive: between this CPU's online and offline callbacks; written here, read
 *	anywhere
 * @open: the slots of this CPU are usable; written here, read anywhere
 * @epoch: counts this CPU's goings and comings; written here, read anywhere
 */
struct pmcgrp_gang {
	int			cpu;
	struct list_head	rides;
	unsigned int		nr_rides;
	struct pmcgrp_crew	*crew;
	unsigned int		nr_resting;
	struct hrtimer		timer;
	unsigned int		ticks;
	u64			ticked;
	u64			rotated;
	u64			missed_since;
	u64			rest_until;
	struct irq_work		work;
	bool			owes;
	unsigned int		nr_waiting;
	bool			has_idle;
	u64			eager_until;
	bool			armed;
	struct pmcgrp_truce	truce;
	struct pmcgrp_help	help;
	bool			alive;
	bool			open;
	u64			epoch;
};

/* The gang of which this is a part. */
static inline struct pmcgrp_gang *pmcgrp_truce_gang(struct pmcgrp_truce *truce)
{
	return container_of(truce, struct pmcgrp_gang, truce);
}

DECLARE_PER_CPU(struct pmcgrp_gang, pmcgrp_gangs);
extern u64 pmcgrp_rotate_ns;

/**
 * pmcgrp_gang_here - this CPU's gang
 *
 * Context: interrupts off.
 */
static inline struct pmcgrp_gang *pmcgrp_gang_here(void)
{
	lockdep_assert_irqs_disabled();
	return this_cpu_ptr(&pmcgrp_gangs);
}

/* Whether more than PMCGRP_CROWD have counters here, or would have them if there were room. */
static inline bool pmcgrp_gang_is_crowd(const struct pmcgrp_gang *gang)
{
	return gang->nr_rides + gang->nr_resting > PMCGRP_CROWD;
}

/* The interval between two turns, in nanoseconds. */
static inline u64 pmcgrp_gang_interval_ns(void)
{
	return pmcgrp_rotate_ns;
}

void pmcgrp_gangs_init(unsigned int rotate_ms);

static inline unsigned long pmcgrp_ticks_to_jiffies(u64 ticks)
{
	return nsecs_to_jiffies(ticks * pmcgrp_gang_interval_ns()) + 1;
}

void pmcgrp_gang_join(struct pmcgrp_ride *ride);
void pmcgrp_gang_board(struct pmcgrp_ride *ride);
void pmcgrp_gang_leave(struct pmcgrp_ride *ride);
void pmcgrp_gang_start(struct pmcgrp_ride *ride);
void pmcgrp_gang_start_locked(struct pmcgrp_ride *ride);
void pmcgrp_gang_stop(struct pmcgrp_ride *ride);

struct pmcgrp_gang *pmcgrp_gang_of(int cpu);

struct pmcgrp_ride *pmcgrp_gang_has_turn(struct pmcgrp_gang *gang);
bool pmcgrp_gang_has_pinned(const struct pmcgrp_gang *gang);
const struct pmcgrp_ride *pmcgrp_gang_holder(const struct pmcgrp_gang *gang,
					     const struct pmcgrp_ride *ride,
					     struct pmcgrp_slot *const *slot);

u64 pmcgrp_gang_epoch(int cpu);
bool pmcgrp_gang_is_alive(int cpu);
bool pmcgrp_gang_is_open(int cpu);
void pmcgrp_gang_open(int cpu, u64 epoch);
void pmcgrp_gang_revive(void);
void pmcgrp_gang_close(void);
void pmcgrp_gang_pause(void);
void pmcgrp_gang_go_on(void);

#endif /* PMCGRP_GANG_H */
