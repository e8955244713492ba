/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events, and the counters that count them.
 *
 *   pmcgrp_evlist [n]---[m] pmcgrp_shared_event     the distinct events of groups
 *   pmcgrp_shared_event [1]---[n] pmcgrp_counter    spare, or of a CPU: on its PMU or off
 *
 * An event is found by its attr (event.c).  pool.c makes its counters and gives them to CPUs.
 */
#ifndef PMCGRP_EVENT_H
#define PMCGRP_EVENT_H

#include <linux/cache.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include "counter/counter.h"
#include "counter/counter_pmu.h"

struct pmcgrp_account;

/**
 * struct pmcgrp_shared_event - an event that groups count
 * @key: attr as groups asked for it: a PMU may rewrite the attr of a perf_event.  Constant.
 * @pmu: PMU of its counters, or NULL before the first one; with @is_bound that of one of them;
 *	pmcgrp_no_pmu once it has been unregistered.  Written under pmcgrp_pmus_mutex, and
 *	pmcgrp_groups_mutex unless it is that.
 * @is_software: its counters need no hardware counter of a PMU; as @pmu, but it stays
 * @is_uncore: its PMU is an uncore one; as @pmu
 * @is_of_module: its PMU is a module's, which could not be unloaded; as @pmu
 * @takes_shared: its counters take what other CPUs need (pmcgrp_pmu_event_takes_shared()); as @pmu
 * @is_bound: CPUs differ in whether they can count it by @pmu, so that each counter is made for
 *	one CPU; as @pmu
 * @guarded: its PMU is covered on all CPUs (guard.c); pmcgrp_groups_mutex
 * @kind: that of its counters, unless it @is_bound or @is_uncore; as @pmu, but it stays
 * @node: node in the table of events; pmcgrp_groups_mutex
 * @unused: node in the list of events that no group has; pmcgrp_groups_mutex
 * @unused_since: jiffies when it came into that list; pmcgrp_groups_mutex
 * @account: whom its counters are charged to: the user of the list that was the first to have it,
 *	until none has; NULL: none has.  pmcgrp_groups_mutex
 * @refs: number of event lists that have it; pmcgrp_groups_mutex, read anywhere
 * @nr_groups: number of groups that count it, but for those that have a counter bound to a CPU:
 *	pmcgrp_counter.refs has them; pmcgrp_groups_mutex
 * @pool_node: node in the list of all pools; pmcgrp_groups_mutex
 * @counters: list of all its counters; pmcgrp_groups_mutex
 * @first: memory of one of @counters, unless its @ev is NULL
 * @nr_counters: number of entries of @counters; pmcgrp_groups_mutex
 * @lock: protects the fields below; innermost, interrupts off
 * @nr: number of counters that can go to any CPU
 * @nr_spare: number of these that no CPU has
 * @nr_several: lists of several tasks that have it, each with a part of @want; pmcgrp_groups_mutex
 * @want: number of tasks that may need one at the same time, at most; written under
 *	pmcgrp_groups_mutex as well
 * @is_short: a CPU found too few spare ones: the pool is to grow.  Any CPU, without a lock.
 * @grow_after: jiffies before which the pool does not grow, as it could not; as @is_short
 * @spare: those that no CPU has
 * @of_cpu: for each CPU: the counter that it has, or NULL.  Written on that CPU; by others only
 *	from NULL or from a dead counter, or while the CPU is offline.
 */
struct pmcgrp_shared_event {
	struct perf_event_attr key;
	struct pmu *pmu;
	bool is_software;
	bool is_uncore;
	bool is_of_module;
	bool takes_shared;
	bool is_bound;
	bool guarded;
	u64 kind;
	struct hlist_node node;
	struct list_head unused;
	unsigned long unused_since;
	struct pmcgrp_account *account;
	unsigned int refs;
	unsigned int nr_groups;
	struct list_head pool_node;
	struct list_head counters;
	struct pmcgrp_counter first ____cacheline_aligned_in_smp;
	unsigned int nr_counters;
	raw_spinlock_t lock;
	unsigned int nr;
	unsigned int nr_spare;
	unsigned int nr_several;
	unsigned int want;
	bool is_short;
	unsigned long grow_after;
	struct pmcgrp_counter *spare;
	struct pmcgrp_counter *of_cpu[];
};

extern struct mutex pmcgrp_groups_mutex;

void pmcgrp_events_exit(void);
void pmcgrp_events_keep(void);
bool pmcgrp_events_unkeep(void);
void pmcgrp_events_settle(void);
extern unsigned int pmcgrp_switch_events;

/* Whether an event counts switches between cgroups: perf core does so in kernel mode. */
static inline bool pmcgrp_event_counts_cgroup_switches(const struct pmcgrp_shared_event *ev)
{
	return ev->key.type == PERF_TYPE_SOFTWARE &&
	       ev->key.config == PERF_COUNT_SW_CGROUP_SWITCHES && !ev->key.exclude_kernel;
}

/* Whether an event counts context switches, all of them or those between cgroups. */
static inline bool pmcgrp_event_counts_switches(const struct pmcgrp_shared_event *ev)
{
	return pmcgrp_event_counts_cgroup_switches(ev) ||
	       (ev->key.type == PERF_TYPE_SOFTWARE &&
		ev->key.config == PERF_COUNT_SW_CONTEXT_SWITCHES && !ev->key.exclude_kernel);
}

/*
 * Forget an event's PMU, which may go.  That of other events than uncore ones is only compared with
 * others, as by guard.c, which wants the one that it was given.
 */
static inline void pmcgrp_event_forget_pmu(struct pmcgrp_shared_event *ev)
{
	lockdep_assert_held(&pmcgrp_pmus_mutex);
	if (ev->is_uncore)
		ev->pmu = &pmcgrp_no_pmu;
}

struct pmcgrp_shared_event *pmcgrp_event_get(const struct perf_event_attr *attr,
					     struct pmcgrp_account *account);
void pmcgrp_event_put(struct pmcgrp_shared_event *ev);
unsigned int pmcgrp_event_nr_groups(const struct pmcgrp_shared_event *ev, int cpu);

#endif /* PMCGRP_EVENT_H */
