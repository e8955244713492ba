/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_SCHED_H
#define PMCGRP_SCHED_H

#include <linux/container_of.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include "pinned.h"
#include "arbiter.h"

struct pmcgrp_crew;
struct pmcgrp_evset;
struct pmcgrp_counter;

/*
 * With more sets than that on a CPU what goes through all of them takes its time, with
 * interrupts off: it is done less often, or not at all.
 */
#define PMCGRP_MANY_SETS 32

/* How many sets are looked at to find one that has what another one wants. */
#define PMCGRP_SCAN_MAX 64

/**
 * struct pmcgrp_cpu - the sets of one CPU; that CPU, interrupts off
 * @cpu: which.  Constant.
 * @sets: pmcgrp_evset.cpu_node, in the order of their next turns after a rotation
 * @nr_evsets: how many
 * @crew: that is in, or NULL: one task runs here
 * @nr_resting: sets of that one that rest
 * @timer: the tick, running while a set waits, counters are idle or perf contends
 * @ticks: how many there were
 * @ticked: local_clock() of the last of them
 * @rotated: local_clock() of the last rotation
 * @missed_since: local_clock() since when sets come in that wait, and no tick has found any;
 *	0: not known to be so
 * @pause_until: local_clock() before which nobody is placed anew but who comes in
 * @work: what cannot be done while perf core is at work, right after it
 * @rotate_pending: @work is to give a turn, not only to fill what is free
 * @nr_waiting: sets that wait for room
 * @has_idle: counters may be idle on the PMU
 * @evict_early_until: local_clock() until which counters do not stay idle
 * @armed: @timer runs
 * @arbiter: turns with perf's own events
 * @recovery: to pinned events of perf's
 * @online: between this CPU's online and offline callbacks; written here, read
 *	anywhere
 * @usable: the counters of this CPU are usable; written here, read anywhere
 * @generation: counts this CPU's goings and comings; written here, read anywhere
 */
struct pmcgrp_cpu {
	int cpu;
	struct list_head sets;
	unsigned int nr_evsets;
	struct pmcgrp_crew *crew;
	unsigned int nr_resting;
	struct hrtimer timer;
	unsigned int ticks;
	u64 ticked;
	u64 rotated;
	u64 missed_since;
	u64 pause_until;
	struct irq_work work;
	bool rotate_pending;
	unsigned int nr_waiting;
	bool has_idle;
	u64 evict_early_until;
	bool armed;
	struct pmcgrp_arbiter arbiter;
	struct pmcgrp_recovery recovery;
	bool online;
	bool usable;
	u64 generation;
};

/* The gang of which this is a part. */
static inline struct pmcgrp_cpu *pmcgrp_arbiter_cpu(struct pmcgrp_arbiter *arbiter)
{
	return container_of(arbiter, struct pmcgrp_cpu, arbiter);
}

DECLARE_PER_CPU(struct pmcgrp_cpu, pmcgrp_cpus);
extern u64 pmcgrp_interval_ns;

/**
 * pmcgrp_this_cpu - this CPU's gang
 *
 * Context: interrupts off.
 */
static inline struct pmcgrp_cpu *pmcgrp_this_cpu(void)
{
	lockdep_assert_irqs_disabled();
	return this_cpu_ptr(&pmcgrp_cpus);
}

/* Whether more than PMCGRP_MANY_SETS have counters here, or would have them if there were room. */
static inline bool pmcgrp_cpu_has_many_sets(const struct pmcgrp_cpu *pcpu)
{
	return pcpu->nr_evsets + pcpu->nr_resting > PMCGRP_MANY_SETS;
}

/* The interval between two turns, in nanoseconds. */
static inline u64 pmcgrp_mux_interval_ns(void)
{
	return pmcgrp_interval_ns;
}

void pmcgrp_sched_init(unsigned int mux_interval_ms);

static inline unsigned long pmcgrp_ticks_to_jiffies(u64 ticks)
{
	return nsecs_to_jiffies(ticks * pmcgrp_mux_interval_ns()) + 1;
}

void pmcgrp_sched_in(struct pmcgrp_evset *set);
void pmcgrp_sched_in_unlocked(struct pmcgrp_evset *set);
void pmcgrp_sched_out(struct pmcgrp_evset *set);
void pmcgrp_sched_enable(struct pmcgrp_evset *set);
void pmcgrp_sched_enable_locked(struct pmcgrp_evset *set);
void pmcgrp_sched_disable(struct pmcgrp_evset *set);

struct pmcgrp_cpu *pmcgrp_cpu_of(int cpu);

struct pmcgrp_evset *pmcgrp_cpu_flexible_on(struct pmcgrp_cpu *pcpu);
bool pmcgrp_cpu_has_pinned(const struct pmcgrp_cpu *pcpu);
const struct pmcgrp_evset *pmcgrp_cpu_blocker(const struct pmcgrp_cpu *pcpu,
					      const struct pmcgrp_evset *set,
					      struct pmcgrp_counter *const *counter);

u64 pmcgrp_cpu_generation(int cpu);
bool pmcgrp_cpu_is_online(int cpu);
bool pmcgrp_cpu_is_usable(int cpu);
void pmcgrp_cpu_open(int cpu, u64 generation);
void pmcgrp_cpu_online(void);
void pmcgrp_cpu_offline(void);
void pmcgrp_cpu_suspend(void);
void pmcgrp_cpu_resume(void);

#endif /* PMCGRP_SCHED_H */
