// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks in spans.
 *
 * A group of CPUs or of several tasks counts other tasks as well while the task of a span sleeps.
 * So as a task that is in calls of the span is switched from, what its CPU's set has counted is
 * kept for it.  As it is switched to, what the set has there by then is subtracted.  With the
 * difference the task's counts go on where they were, on any CPU.
 *
 * A call costs three comparisons more, and a context switch of a task that is in none nothing but
 * the look.  A task that is in one costs two readings of the counters for each switch.
 *
 * Whatever is not seen ends a visit: then the calls that the task is in are missed.
 *
 *  - The set was scheduled out and in without a switch: pmcgrp_evset.nr_sched_in.
 *  - The task ran where the group does not count: nvcsw and nivcsw, which grow by one for each
 *    switch, before the tracepoint (kernel/sched/core.c: __schedule()).
 *  - Its place was needed: it was the oldest one of a full bucket.  There are four places for each
 *    call that may be in flight, so that hardly happens (span_places.c).  But tasks that end where
 *    the group does not count them leave theirs.
 *
 * A set that counts nothing while its task runs mostly has that in its times.  What has no time is
 * marked by one more nanosecond of waiting: the call is missed as %PMCGRP_MISSED_OFF.
 *
 * A call that has gone on with a set which is read in another way, with its PMU held or running, is
 * off by the time that one reading takes, as is one of a group of one task (evset_read.c).
 *
 * The number of open calls may be too high, as one can end without its handler: by longjmp(), or in
 * a place that another one has taken.  Then a task is followed that need not be, until it exits.
 *
 * Locks: a bucket has a raw spinlock, taken in a recursion section: a span that begins or ends at a
 * tracepoint of the lock itself, or by an NMI, is missed as %PMCGRP_MISSED_BUSY and never waits for
 * it.  Inside it no other lock is taken; outside it is the run-queue lock.
 */
#include <linux/err.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <uapi/linux/pmcgrp.h>
#include "counter/event.h"
#include "follow/follow.h"
#include "group/evlist_control.h"
#include "platform/charge.h"
#include "platform/recursion.h"
#include "set/evlist.h"
#include "set/evset.h"
#include "span/span_places.h"
#include "span/span_task.h"

/**
 * struct place - a task that is in calls, and was switched from
 * @since: local_clock() of that
 * @switches: its switches by then
 * @visit: as pmcgrp_span_task_cpu.visit
 * @open: as pmcgrp_span_task_cpu.open
 * @waited: nanoseconds that its sets had no counters, and something constant
 * @count: counts of its sets, and something constant
 */
struct place {
	u64 since;
	unsigned long switches;
	unsigned long visit;
	unsigned int open;
	u64 waited;
	u64 count[];
};

static unsigned long span_task_switches_of(const struct task_struct *task)
{
	return task->nvcsw + task->nivcsw;
}

/* Take a place for a task; what was there is lost.  The bucket is locked. */
static struct place *take(struct pmcgrp_span_tasks *tasks, struct pmcgrp_bucket *bucket,
			  const struct pmcgrp_place_key *key)
{
	bool is_free;
	unsigned int way = pmcgrp_way_for(tasks->places, bucket, key, &is_free);

	if (is_free)
		atomic_inc(&tasks->nr);
	pmcgrp_way_take(bucket, way, key);
	return pmcgrp_place_at(tasks->places, bucket, way);
}

/*
 * Keep the counts of a task that leaves.  @accounted: in and out: the set's sums are up to date.  A
 * switch is at one time for all spans, however many there are.
 */
static void span_task_keep(struct pmcgrp_span_tasks *tasks, struct pmcgrp_evset *set,
			   bool *accounted, const struct pmcgrp_span_task_cpu *cpu,
			   const struct task_struct *prev)
{
	const struct pmcgrp_place_key key = pmcgrp_task_place(prev);
	struct pmcgrp_bucket *bucket = pmcgrp_bucket_of(tasks->places, &key);
	struct place *place;
	unsigned int i;

	pmcgrp_recursion_enter();
	if (set->is_in && !*accounted) {
		pmcgrp_evset_account(set);
		*accounted = true;
	}
	raw_spin_lock(&bucket->lock);
	place = take(tasks, bucket, &key);
	place->since = local_clock();
	place->switches = span_task_switches_of(prev);
	place->visit = cpu->visit;
	place->open = cpu->open;
	/* One that is not enabled yet counts nothing, and has no time that says so. */
	place->waited = set->enabled - set->running + (cpu->resumed ? cpu->waited : 0) +
			!set->is_in;
	for (i = 0; i < set->nr; i++)
		place->count[i] = set->sum[i] + (cpu->resumed ? cpu->count[i] : 0);
	/* perf core is about to count the switch for the task that leaves. */
	if (unlikely(READ_ONCE(pmcgrp_switch_events)) && set->switches)
		pmcgrp_evset_add_switch(set, place->count);
	raw_spin_unlock(&bucket->lock);
	pmcgrp_recursion_leave();
}

static void leave(struct pmcgrp_span_tasks *tasks, struct pmcgrp_evset *set, bool *accounted,
		  const struct task_struct *prev)
{
	struct pmcgrp_span_task_cpu *cpu = this_cpu_ptr(tasks->cpu);

	if (likely(!cpu->open))
		return;
	/* A task that ends is in its last calls for ever. */
	if (cpu->task == prev && cpu->sched_in == set->nr_sched_in &&
	    READ_ONCE(prev->__state) != TASK_DEAD)
		span_task_keep(tasks, set, accounted, cpu, prev);
	cpu->open = 0;
	cpu->visit = 0;
}

/* Go on with what a task has had, which is in a place of a locked bucket. */
static void span_task_go_on(const struct pmcgrp_span_tasks *tasks, struct pmcgrp_evset *set,
			    const struct place *place, const struct task_struct *next)
{
	struct pmcgrp_span_task_cpu *cpu = this_cpu_ptr(tasks->cpu);
	unsigned int i;

	cpu->task = next;
	cpu->visit = place->visit;
	cpu->open = place->open;
	cpu->sched_in = set->nr_sched_in;
	cpu->resumed = true;
	/* Without counters a set's time may begin with its next accounting only (sched.c). */
	cpu->waited = place->waited - (set->enabled - set->running) + set->not_started;
	for (i = 0; i < set->nr; i++)
		cpu->count[i] = place->count[i] - set->sum[i];
}

/* perf core is about to count the switch, in counters of a set that counts both tasks. */
static void leave_out_switch(const struct pmcgrp_span_tasks *tasks, struct pmcgrp_evset *set)
{
	struct pmcgrp_span_task_cpu *cpu = this_cpu_ptr(tasks->cpu);
	u64 count[PMCGRP_SECTION_MEMBERS_MAX] = {};
	unsigned int i;

	pmcgrp_evset_add_switch(set, count);
	for (i = 0; i < set->nr; i++)
		cpu->count[i] -= count[i];
}

static void span_task_resume(struct pmcgrp_span_tasks *tasks, struct pmcgrp_evset *set,
			     bool *accounted, const struct task_struct *next)
{
	struct pmcgrp_span_task_cpu *cpu = this_cpu_ptr(tasks->cpu);
	bool stays = pmcgrp_evset_stays(set);
	const struct pmcgrp_place_key key = pmcgrp_task_place(next);
	struct pmcgrp_bucket *bucket = pmcgrp_bucket_of(tasks->places, &key);
	unsigned int way = pmcgrp_way_of(bucket, &key);
	struct place *place;

	if (way == PMCGRP_WAYS)
		return;
	pmcgrp_recursion_enter();
	/* One that has just come in has counted nothing but what is the task's. */
	if (stays && !*accounted) {
		pmcgrp_evset_account(set);
		*accounted = true;
	}
	raw_spin_lock(&bucket->lock);
	if (pmcgrp_way_stays(bucket, way, &key)) {
		place = pmcgrp_place_at(tasks->places, bucket, way);
		if (place->switches == span_task_switches_of(next))
			span_task_go_on(tasks, set, place, next);
		pmcgrp_way_give(bucket, way);
		atomic_dec(&tasks->nr);
	}
	raw_spin_unlock(&bucket->lock);
	if (stays && cpu->open && pmcgrp_evset_counts_switches(set))
		leave_out_switch(tasks, set);
	pmcgrp_recursion_leave();
}

static void span_task_leaves(struct pmcgrp_evset *set, struct task_struct *prev)
{
	struct pmcgrp_span_tasks *tasks;
	bool accounted = false;

	list_for_each_entry_rcu(tasks, &set->evlist->span_tasks, node)
		leave(tasks, set, &accounted, prev);
}

static void span_task_enters(struct pmcgrp_evset *set, struct task_struct *next)
{
	struct pmcgrp_span_tasks *tasks;
	bool accounted = false;

	list_for_each_entry_rcu(tasks, &set->evlist->span_tasks, node)
		if (atomic_read(&tasks->nr))
			span_task_resume(tasks, set, &accounted, next);
}

/* It was not switched to: its calls have begun here, or are missed. */
static void span_task_changes(struct pmcgrp_evset *set, struct task_struct *task)
{
}

static const struct pmcgrp_switch_ops span_ops = {
	.leaves = span_task_leaves,
	.enters = span_task_enters,
	.changes = span_task_changes,
};

static int make_cpus(struct pmcgrp_span_tasks *tasks, struct pmcgrp_charge *charge, u32 *why)
{
	int cpu, err;

	tasks->cpu = pmcgrp_charge_percpu(charge, struct pmcgrp_span_task_cpu, &err);
	*why = pmcgrp_why_of_charge(err);
	if (err)
		return err;
	for_each_possible_cpu(cpu)
		per_cpu_ptr(tasks->cpu, cpu)->last_visit = PMCGRP_SPAN_VISIT | cpu;
	return 0;
}

static int span_task_follow(struct pmcgrp_span_tasks *tasks)
{
	struct pmcgrp_evlist *evlist = tasks->evlist;
	int err;

	if (mutex_lock_killable(&pmcgrp_groups_mutex))
		return -EINTR;
	err = pmcgrp_follow_get();
	if (!err) {
		mutex_lock(&evlist->mutex);
		tasks->follows = true;
		list_add_tail_rcu(&tasks->node, &evlist->span_tasks);
		pmcgrp_evlist_watch_switches(evlist, &span_ops);
		mutex_unlock(&evlist->mutex);
	}
	mutex_unlock(&pmcgrp_groups_mutex);
	/* No switch goes on that looked at the list as a task left, and will as one enters. */
	if (!err)
		synchronize_rcu();
	return err;
}

/**
 * pmcgrp_span_tasks_follow - follow the tasks that are in calls of a span, before it has probes
 * @evlist: list of its group, which has a set for each CPU
 * @charge: that of its section
 * @max_active: how many calls can be in flight
 * @why: out: enum pmcgrp_why of a failure
 *
 * Context: may sleep; takes pmcgrp_groups_mutex and the list's mutex; no mutex held.
 * Return: the tasks, for pmcgrp_span_tasks_unfollow() and pmcgrp_span_tasks_free(); or an ERR_PTR:
 * -EINTR, or as of pmcgrp_charge_alloc_in_flight().
 */
struct pmcgrp_span_tasks *pmcgrp_span_tasks_follow(struct pmcgrp_evlist *evlist,
						   struct pmcgrp_charge *charge,
						   unsigned int max_active, u32 *why)
{
	struct pmcgrp_span_tasks *tasks;
	struct pmcgrp_places *places;
	int err;

	*why = PMCGRP_WHY_NOMEM;
	tasks = kzalloc(sizeof(*tasks), GFP_KERNEL_ACCOUNT);
	if (!tasks)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&tasks->node);
	tasks->evlist = evlist;
	places = pmcgrp_places_alloc(charge, max_active,
				     offsetof(struct place, count[evlist->nr_events]), why);
	err = PTR_ERR_OR_ZERO(places);
	if (!err) {
		tasks->places = places;
		err = make_cpus(tasks, charge, why);
	}
	if (!err)
		err = span_task_follow(tasks);
	if (!err)
		return tasks;
	pmcgrp_span_tasks_free(tasks);
	return ERR_PTR(err);
}

/*
 * Free tasks, or NULL: what no handler can reach any more, and has not been followed for an RCU
 * grace period.  May sleep.
 */
void pmcgrp_span_tasks_free(struct pmcgrp_span_tasks *tasks)
{
	if (!tasks)
		return;
	free_percpu(tasks->cpu);
	kvfree(tasks->places);
	kfree(tasks);
}

/**
 * pmcgrp_span_tasks_unfollow - follow them no more, before the span loses its probes
 * @tasks: the tasks
 *
 * The calls that are in flight will be missed.  The list's context switches are watched on.
 *
 * Context: as pmcgrp_span_tasks_follow(); synchronize_rcu() is to follow.
 */
void pmcgrp_span_tasks_unfollow(struct pmcgrp_span_tasks *tasks)
{
	WRITE_ONCE(tasks->follows, false);
	/* Who does not find it in the list any more finds this.  Pairs with the context switch. */
	smp_wmb();
	mutex_lock(&pmcgrp_groups_mutex);
	mutex_lock(&tasks->evlist->mutex);
	list_del_rcu(&tasks->node);
	mutex_unlock(&tasks->evlist->mutex);
	pmcgrp_follow_put();
	mutex_unlock(&pmcgrp_groups_mutex);
}
