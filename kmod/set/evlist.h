/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Event lists: the distinct events of groups, their target, and what counts them there.
 *
 *   pmcgrp_group  [n]---[1] pmcgrp_evlist    groups that count the same events of the same task
 *   pmcgrp_evlist [1]---[n] pmcgrp_evcpu       counters on each CPU (evcpu.c)
 *   pmcgrp_evlist [n]---[1] pmcgrp_follower  what schedules its sets in and out (follower.h)
 *   pmcgrp_evlist [1]---[n] pmcgrp_evset     counts and times (evset.h)
 *
 * evlist.c states who shares one, and its lifetime.
 */
#ifndef PMCGRP_EVLIST_H
#define PMCGRP_EVLIST_H

#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>
#include "counter/event.h"
#include "platform/charge.h"
#include "set/evset.h"
#include "set/follower.h"

struct cgroup;
struct perf_event;
struct pmcgrp_account;
struct pmcgrp_contexts;
struct pmcgrp_counter;
struct pmcgrp_evlist;
struct pmcgrp_group;

/**
 * struct pmcgrp_target - what an event list counts its events for
 * @type: enum pmcgrp_target_type
 * @flags: PMCGRP_CREATE_*
 * @follower: what follows it, by both (target.c)
 * @is_private: other groups do not share the list
 * @task: the task, or a thread of the process; NULL for CPUs
 * @cpus: CPUs, or all possible CPUs for tasks
 * @cgroup: the cgroup, or NULL
 * @cgroup_id: its id, or 0
 * @cgroup_level: its level
 */
struct pmcgrp_target {
	u32 type;
	u64 flags;
	const struct pmcgrp_follower *follower;
	bool is_private;
	struct task_struct *task;
	const struct cpumask *cpus;
	struct cgroup *cgroup;
	u64 cgroup_id;
	unsigned int cgroup_level;
};

/**
 * struct pmcgrp_evcpu - an event list on one CPU: its counters and who uses them
 * @in: the set that is scheduled in here, or NULL.  Never two: the sets of a list all follow
 *	tasks, of which one runs here, or all follow CPUs.  That CPU, interrupts off.
 * @cpu_set: the set of this CPU, or NULL: none yet, or sets follow one task each.  Owned by the
 *	list.  Written once, under its mutex, or where the set's context may be accessed.
 * @lookups: pmcgrp_lookups_here() for which @counter is filled; 0: it is not.  That CPU,
 *	interrupts off, or as @complete
 * @generation: with @has_cpu_events, pmcgrp_cpu_generation() in which the counters may be used
 * @has_cpu_events: some may be used in no other: pmcgrp_counter.is_cpu_event
 * @complete: the CPU can count every event
 * @counter: one for each event; with a leader one more while it is being added, and NULL behind
 *	that.  Those that are bound to the CPU for the list (evcpu.c) are written as @complete, the
 *	others on that CPU, interrupts off.
 *
 * @complete is written under pmcgrp_groups_mutex while nothing can use the counters: before the
 * list has sets, while the CPU is not usable or has no set in, or while the list is frozen.
 */
struct pmcgrp_evcpu {
	struct pmcgrp_evset *in;
	struct pmcgrp_evset *cpu_set;
	u64 lookups;
	u64 generation;
	bool has_cpu_events;
	bool complete;
	struct pmcgrp_counter *counter[];
};

/**
 * struct pmcgrp_evlist_hooks - what the user page of a group has to know (user_page.c), or its
 *	members' count pages (count_page.c)
 * @carrier_init: a carrier of the list is created; may sleep.  NULL: none of the next four.
 * @carrier_in: a carrier is about to be scheduled in; interrupts off
 * @carrier_out: a carrier is about to be scheduled out; interrupts off, under perf core's ctx->lock
 * @carrier_gone: it was scheduled out; the same section
 * @counters_on: a set has its counters, or the values that they had at a reset have changed;
 *	interrupts off, on the set's CPU
 * @counters_off: a set is about to lose its counters, or NULL; as @counters_on
 * @counters_moved: they were reloaded, or perf core may have moved them or is about to; as
 *	@counters_on, the PMU may be held
 * @accounted: the sums of a set are up to date, or it is not in any more; as @counters_on, or NULL
 * @members_changed: the state of members has changed; may sleep, the list's mutex held.  Or NULL.
 */
struct pmcgrp_evlist_hooks {
	void (*carrier_init)(const struct pmcgrp_evlist *evlist, struct perf_event *carrier);
	void (*carrier_in)(const struct pmcgrp_evlist *evlist);
	void (*carrier_out)(const struct pmcgrp_evlist *evlist, struct perf_event *carrier);
	void (*carrier_gone)(const struct pmcgrp_evlist *evlist, struct perf_event *carrier);
	void (*counters_on)(const struct pmcgrp_evset *set);
	void (*counters_off)(const struct pmcgrp_evlist *evlist);
	void (*counters_moved)(const struct pmcgrp_evlist *evlist);
	void (*accounted)(const struct pmcgrp_evset *set);
	void (*members_changed)(const struct pmcgrp_evlist *evlist);
};

/* Most that are informed of the context switches of a list: rings or a table of keys, and spans. */
#define PMCGRP_SWITCH_OPS_MAX 2

/**
 * struct pmcgrp_switch_ops - who is informed of context switches from and to the tasks of a list
 * @leaves: a task that @set counts is switched from, before any set is scheduled out; or NULL
 * @enters: a task that @set counts is switched to, after all sets were scheduled in
 * @changes: the running task, which @set counts, has executed a program or been moved; or NULL
 *
 * Context: interrupts off, perf core holds no PMU; but for @changes the run-queue lock held.
 */
struct pmcgrp_switch_ops {
	void (*leaves)(struct pmcgrp_evset *set, struct task_struct *prev);
	void (*enters)(struct pmcgrp_evset *set, struct task_struct *next);
	void (*changes)(struct pmcgrp_evset *set, struct task_struct *task);
};

/**
 * struct pmcgrp_end_watch - who is to be notified that the task of an event list may end
 * @node: node in pmcgrp_evlist.watches or pmcgrp_contexts.watches
 * @work: queued when the task leaves a CPU while it is exiting, or calls execve()
 */
struct pmcgrp_end_watch {
	struct list_head node;
	struct irq_work work;
};

/**
 * struct pmcgrp_evlist - events that are counted for a target, for one or more groups
 * @refs: references of the groups, of each carrier and latch, and of the arbiter
 * @charge: what it is charged to, with its sets; its counters are the same user's.  Constant, but
 *	for @mutex.
 * @node: node in pmcgrp_evlists; pmcgrp_groups_mutex
 * @hash_node: node in the table of lists that other groups may share; pmcgrp_groups_mutex
 * @mutex: serialises what changes the list or its groups, and reads of the groups but for their
 *	fast path
 * @groups: list of the groups, by pmcgrp_group.list_node; pmcgrp_groups_mutex and @mutex
 * @nr_groups: number of entries of @groups; as @groups
 * @nr_enabled: number of enabled ones among them; @mutex.  Not used if the list is not shared.
 * @changes: number of changes of what the groups show; as pmcgrp_group.zero
 * @only_group: the group of a list that is not shared; written once, under @mutex
 * @id: id of a group, for pmcgrp_info.blocked_by; written as @groups, read anywhere
 * @target_type: enum pmcgrp_target_type; constant
 * @flags: PMCGRP_CREATE_*; constant, except that a group which loses its leader loses
 *	%PMCGRP_CREATE_PINNED (@evsets_mutex)
 * @follower: what schedules its sets in and out; constant
 * @cpus: CPUs of the target, or all possible CPUs for tasks; constant
 * @cgroup: the cgroup of @cgroup_id, a reference, or NULL; constant
 * @cgroup_id: id of the cgroup whose tasks are counted on @cpus, or 0: all tasks; constant
 * @cgroup_level: its level; constant
 * @whose: pmcgrp_follower.whose() of its target; 0 without; constant
 * @task: target task, a reference, or NULL; constant.  Not its struct pid: execve() by a thread
 *	that is not the leader exchanges that (fs/exec.c: de_thread()).
 * @pid: the struct pid that the target task had when the list was made, or NULL; constant
 * @nr_events: number of events; constant without a leader.  With a leader written under all of
 *	pmcgrp_groups_mutex, @mutex and @evsets_mutex, and read under any of them.
 * @nr_hw: number of hardware events, which come first; as @nr_events
 * @takes_shared: any of these takes what other CPUs need (pmcgrp_evset.takes_shared); as @nr_events
 * @switches: as pmcgrp_evset.switches; as @nr_events
 * @cgroup_switches: as pmcgrp_evset.cgroup_switches; as @nr_events
 * @room: number of events that there is room for; constant
 * @event: the events, in the order of the counters; with a leader one more while it is being
 *	added; as @nr_events
 * @active: the list counts wherever its target runs; written under @mutex or by a latch, read
 *	when a set is scheduled in (evlist_control.c)
 * @frozen: no set counts, while events or values at a reset change, or rings are flushed; written
 *	under @mutex, read when a set is scheduled in (evlist_control.c)
 * @is_shareable: other groups may share the list; cleared when a group gets it for itself, under
 *	@mutex, read anywhere
 * @is_uncore: the events are of uncore PMUs (uncore.c); constant once the list has evcpus
 * @pmu_has_gone: a PMU of its events was unregistered: it gets no evcpus any more;
 *	pmcgrp_groups_mutex
 * @latch_fired: a latch has enabled the list at execve(); written once, by the latch
 * @background_probes: a bit for each kprobe that it needs (background_probe.c);
 *	pmcgrp_groups_mutex
 * @is_interrupted: a hardware event is a trigger; @mutex, read in any context
 * @hooks: the user page's, or NULL: constant once the list has sets.  Or those of count pages:
 *	set once, at any time, read where sets are scheduled
 * @switch_ops: who is informed of context switches, then NULL; each written once, under @mutex
 * @span_tasks: list of struct pmcgrp_span_tasks, an RCU list; written under @mutex
 * @contexts: what schedules it in and out, if it counts several tasks (contexts.c), or NULL;
 *	@mutex, and constant while the list is in pmcgrp_contexts.lists
 * @ctx_enabled: its sets are enabled in @contexts; @mutex
 * @ctx_node: node in pmcgrp_contexts.lists, while @is_lazy and @ctx_enabled; pmcgrp_contexts.mutex
 * @is_lazy: its sets are made where @contexts have come in; pmcgrp_groups_mutex and @mutex
 * @is_always_in: included in pmcgrp_contexts.nr_always; pmcgrp_groups_mutex
 * @vruntime: vruntime of the set that was disabled or left a CPU last; start value of a new set
 *	(sched.c)
 * @why: enum pmcgrp_why of a set that has ended after a failed placement; @evsets_mutex
 * @blocked_by: with %PMCGRP_WHY_BUSY_PMCGRP, id of a group that had the counters; @evsets_mutex
 * @requests_failed: number of failed requests for counters of perf events; arbiter.c
 * @request_after: time in jiffies of the next request for them; arbiter.c
 * @is_followed: its set is scheduled in and out also while the list is not active: until execve(),
 *	or as @watches are waiting; @mutex
 * @watches: list of struct pmcgrp_end_watch, an RCU list; written under @mutex
 * @latches: list of the events that enable it at execve() (latch.c); @mutex
 * @evcpus: array of struct pmcgrp_evcpu, one for each CPU: pmcgrp_evcpu_of()
 * @evcpu_size: size of an evcpu in bytes; constant
 * @evsets_mutex: protects @sets and @past; innermost, also inside perf core's mutexes
 * @sets: list of sets that follow a task, and of the CPUs' sets but for those in @fresh;
 *	@evsets_mutex
 * @fresh: CPUs' sets that are to be in @sets (pmcgrp_evlist_sets_lock())
 * @cpu_sets: memory of the CPUs' sets, pmcgrp_evset_size() each, or NULL: each is allocated.
 *	Constant.
 * @only: set of a list with one set, valid until that ends; NULL for others
 * @past: sum of the sets that have ended, for @room events; @evsets_mutex
 * @total: scratch, the sum over all sets, as @past; @mutex
 * @scratch_cpus: scratch; @mutex
 */
struct pmcgrp_evlist {
	struct kref refs;
	struct pmcgrp_charge charge;
	struct list_head node;
	struct hlist_node hash_node;
	struct mutex mutex;
	struct list_head groups;
	unsigned int nr_groups;
	unsigned int nr_enabled;
	unsigned int changes;
	struct pmcgrp_group *only_group;
	u64 id;
	u32 target_type;
	u64 flags;
	const struct pmcgrp_follower *follower;
	struct cpumask *cpus;
	struct cgroup *cgroup;
	u64 cgroup_id;
	unsigned int cgroup_level;
	u64 whose;
	struct task_struct *task;
	struct pid *pid;
	unsigned int nr_events;
	unsigned int nr_hw;
	bool takes_shared;
	u64 switches;
	u64 cgroup_switches;
	unsigned int room;
	struct pmcgrp_shared_event **event;
	bool active;
	bool frozen;
	bool is_shareable;
	bool is_uncore;
	bool pmu_has_gone;
	bool latch_fired;
	u8 background_probes;
	bool is_interrupted;
	const struct pmcgrp_evlist_hooks *hooks;
	const struct pmcgrp_switch_ops *switch_ops[PMCGRP_SWITCH_OPS_MAX + 1];
	struct list_head span_tasks;
	struct pmcgrp_contexts *contexts;
	bool ctx_enabled;
	struct list_head ctx_node;
	bool is_lazy;
	bool is_always_in;
	u64 vruntime;
	u32 why;
	u64 blocked_by;
	unsigned int requests_failed;
	unsigned long request_after;
	bool is_followed;
	struct list_head watches;
	struct list_head latches;
	void *evcpus;
	size_t evcpu_size;
	struct mutex evsets_mutex;
	struct list_head sets;
	struct llist_head fresh;
	void *cpu_sets;
	struct pmcgrp_evset *only;
	struct pmcgrp_values *past;
	struct pmcgrp_values *total;
	struct cpumask *scratch_cpus;
};

extern struct list_head pmcgrp_evlists; /* pmcgrp_groups_mutex */

struct pmcgrp_evlist *pmcgrp_evlist_alloc(const struct pmcgrp_target *target, unsigned int room,
					  struct pmcgrp_account *account);
void pmcgrp_evlist_get(struct pmcgrp_evlist *evlist);
void pmcgrp_evlist_put(struct pmcgrp_evlist *evlist);
void pmcgrp_evlist_offer(struct pmcgrp_evlist *evlist);
void pmcgrp_evlist_withdraw(struct pmcgrp_evlist *evlist);
struct pmcgrp_evlist *pmcgrp_evlist_find(const struct pmcgrp_target *target,
					 const struct perf_event_attr *const *attr,
					 unsigned int nr);
unsigned int pmcgrp_evlist_index(const struct pmcgrp_evlist *evlist,
				 const struct perf_event_attr *attr);

/* Whether anybody is informed of context switches from and to the tasks of a list. */
static inline bool pmcgrp_evlist_is_watched(const struct pmcgrp_evlist *evlist)
{
	return READ_ONCE(evlist->switch_ops[0]);
}

/* Whether sets of a list are scheduled in and out also while it is not active. */
static inline bool pmcgrp_evlist_always_follows(const struct pmcgrp_evlist *evlist)
{
	return evlist->is_followed || pmcgrp_evlist_is_watched(evlist);
}

/* Whether they are now. */
static inline bool pmcgrp_evlist_follows(const struct pmcgrp_evlist *evlist)
{
	return pmcgrp_evlist_always_follows(evlist) || READ_ONCE(evlist->active);
}

/* Whether the one task of a list is not counted any more; the list's mutex held. */
static inline bool pmcgrp_evlist_has_ended(const struct pmcgrp_evlist *evlist)
{
	return evlist->follower->ended && evlist->follower->ended(evlist);
}

/* The same for who does not hold the list's mutex.  May sleep. */
static inline bool pmcgrp_evlist_ask_ended(struct pmcgrp_evlist *evlist)
{
	bool ended;

	mutex_lock(&evlist->mutex);
	ended = pmcgrp_evlist_has_ended(evlist);
	mutex_unlock(&evlist->mutex);
	return ended;
}

/*
 * A list on one CPU.  Only that CPU touches its cache lines while the list counts.  Evcpus are not
 * per-CPU memory, because alloc_percpu() takes longer than the rest of creation.
 */
static inline struct pmcgrp_evcpu *pmcgrp_evcpu_of(const struct pmcgrp_evlist *evlist, int cpu)
{
	return evlist->evcpus + evlist->evcpu_size * cpu;
}

/* A list on this CPU; the caller cannot migrate. */
static inline struct pmcgrp_evcpu *pmcgrp_evcpu_here(const struct pmcgrp_evlist *evlist)
{
	return pmcgrp_evcpu_of(evlist, smp_processor_id());
}

/*
 * Whether perf core is about to remove a task's events: at exit, or at a set-uid execve()
 * (fs/exec.c: begin_new_exec()).
 */
static inline bool pmcgrp_task_may_end(const struct task_struct *task)
{
	return READ_ONCE(task->flags) & PF_EXITING || task->in_execve;
}

/* Notify those who watch a list that its task may end; interrupts off. */
static inline void pmcgrp_evlist_notify_end(struct pmcgrp_evlist *evlist)
{
	struct pmcgrp_end_watch *watch;

	list_for_each_entry_rcu(watch, &evlist->watches, node, irqs_disabled())
		irq_work_queue(&watch->work);
}

#endif /* PMCGRP_EVLIST_H */
