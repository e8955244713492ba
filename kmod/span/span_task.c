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
 *    call that may be in flight, so that hardly happens (span_flight.c).  But tasks that end where
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
#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/lockdep.h>
#include <linux/math.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <uapi/linux/pmcgrp.h>
#include "counter/event.h"
#include "follow/follow.h"
#include "group/evlist_control.h"
#include "platform/charge.h"
#include "platform/recursion.h"
#include "set/evlist.h"
#include "set/evset.h"
#include "span/span_room.h"
#include "span/span_task.h"

#define BUCKET_WAYS 8
#define PLACE_SPARE 4 /* places for each call that is to have room */

/**
 * struct span_task_bucket - some tasks that do not run
 * @lock: all below, and the places of the bucket
 * @used: bit mask of the places that are taken
 * @key: the task of each place that is taken; read without @lock as well
 */
struct span_task_bucket {
	raw_spinlock_t lock;
	unsigned long used;
	u64 key[BUCKET_WAYS];
};

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

static unsigned int bucket_nr(const struct pmcgrp_span_tasks *tasks, u64 key)
{
	return pmcgrp_span_hash(key, tasks->bits);
}

static struct place *place_of(const struct pmcgrp_span_tasks *tasks, unsigned int nr,
			      unsigned int way)
{
	return tasks->place + (nr * BUCKET_WAYS + way) * tasks->place_size;
}

/* The place of a task, or BUCKET_WAYS. */
static unsigned int span_task_way_of(const struct span_task_bucket *bucket, u64 key)
{
	unsigned long used = READ_ONCE(bucket->used);
	unsigned int way;

	for (; used; used &= used - 1) {
		way = __ffs(used);
		if (READ_ONCE(bucket->key[way]) == key)
			return way;
	}
	return BUCKET_WAYS;
}

static unsigned int span_task_oldest_of(const struct pmcgrp_span_tasks *tasks, unsigned int nr)
{
	unsigned int way, oldest = 0;

	for (way = 1; way < BUCKET_WAYS; way++)
		if (place_of(tasks, nr, way)->since < place_of(tasks, nr, oldest)->since)
			oldest = way;
	return oldest;
}

/* Take a place for a task; what was there is lost.  The bucket is locked. */
static struct place *take(struct pmcgrp_span_tasks *tasks, unsigned int nr, u64 key)
{
	struct span_task_bucket *bucket = &tasks->bucket[nr];
	unsigned int way = span_task_way_of(bucket, key);

	if (way == BUCKET_WAYS)
		way = ffz(bucket->used);
	if (way >= BUCKET_WAYS)
		way = span_task_oldest_of(tasks, nr);
	if (!(bucket->used & BIT(way)))
		atomic_inc(&tasks->nr);
	WRITE_ONCE(bucket->key[way], key);
	WRITE_ONCE(bucket->used, bucket->used | BIT(way));
	return place_of(tasks, nr, way);
}

/*
 * Keep the counts of a task that leaves.  @accounted: in and out: the set's sums are up to date.  A
 * switch is at one time for all spans, however many there are.
 */
static void span_task_keep(struct pmcgrp_span_tasks *tasks, struct pmcgrp_evset *set,
			   bool *accounted, const struct pmcgrp_span_task_cpu *cpu,
			   const struct task_struct *prev)
{
	u64 key = pmcgrp_span_task(prev);
	unsigned int nr = bucket_nr(tasks, key), i;
	struct place *place;

	pmcgrp_recursion_enter();
	if (set->is_in && !*accounted) {
		pmcgrp_evset_account(set);
		*accounted = true;
	}
	raw_spin_lock(&tasks->bucket[nr].lock);
	place = take(tasks, nr, key);
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
	raw_spin_unlock(&tasks->bucket[nr].lock);
	pmcgrp_recursion_leave();
}

static void leave(struct pmcgrp_span_tasks *tasks, struct pmcgrp_evset *set, bool *accounted,
		  const struct task_struct *prev)
{
	struct pmcgrp_span_task_cpu *cpu = this_cpu_ptr(tasks->cpu);

	cpu->left = set->nr_sched_in;
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
	bool stays = set->is_in && set->nr_sched_in == cpu->left;
	u64 key = pmcgrp_span_task(next);
	unsigned int nr = bucket_nr(tasks, key), way;
	struct span_task_bucket *bucket = &tasks->bucket[nr];

	if (span_task_way_of(bucket, key) == BUCKET_WAYS)
		return;
	pmcgrp_recursion_enter();
	/* One that has just come in has counted nothing but what is the task's. */
	if (stays && !*accounted) {
		pmcgrp_evset_account(set);
		*accounted = true;
	}
	raw_spin_lock(&bucket->lock);
	way = span_task_way_of(bucket, key);
	if (way < BUCKET_WAYS) {
		if (place_of(tasks, nr, way)->switches == span_task_switches_of(next))
			span_task_go_on(tasks, set, place_of(tasks, nr, way), next);
		WRITE_ONCE(bucket->used, bucket->used & ~BIT(way));
		atomic_dec(&tasks->nr);
	}
	raw_spin_unlock(&bucket->lock);
	if (stays && cpu->open && unlikely(READ_ONCE(pmcgrp_switch_events)) && set->switches)
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

static int make_places(struct pmcgrp_span_tasks *tasks, unsigned long nr,
		       struct pmcgrp_charge *charge)
{
	struct span_task_bucket *bucket;
	unsigned long i;
	void *place;

	bucket = pmcgrp_charge_alloc_array(charge, nr, sizeof(*bucket));
	if (IS_ERR(bucket))
		return PTR_ERR(bucket);
	tasks->bucket = bucket;
	place = pmcgrp_charge_alloc_array(charge, nr * BUCKET_WAYS, tasks->place_size);
	if (IS_ERR(place))
		return PTR_ERR(place);
	tasks->place = place;
	for (i = 0; i < nr; i++)
		raw_spin_lock_init(&tasks->bucket[i].lock);
	return 0;
}

static int make_cpus(struct pmcgrp_span_tasks *tasks, struct pmcgrp_charge *charge)
{
	int cpu, err;

	tasks->cpu = pmcgrp_charge_percpu(charge, struct pmcgrp_span_task_cpu, &err);
	if (err)
		return err;
	for_each_possible_cpu(cpu)
		per_cpu_ptr(tasks->cpu, cpu)->last_visit = PMCGRP_SPAN_VISIT | cpu;
	return 0;
}

/**
 * pmcgrp_span_tasks_create - make room for the tasks that are in calls of a span
 * @evlist: list of its group, which has a set for each CPU
 * @charge: that of its section
 * @max_active: how many calls can be in flight
 * @why: out: enum pmcgrp_why of a failure
 *
 * Context: may sleep.
 * Return: the tasks, for pmcgrp_span_tasks_free(); or an ERR_PTR: -ENOSPC if all spans of the user
 * together have no more room; or as pmcgrp_charge_alloc().
 */
struct pmcgrp_span_tasks *pmcgrp_span_tasks_create(struct pmcgrp_evlist *evlist,
						   struct pmcgrp_charge *charge,
						   unsigned int max_active, u32 *why)
{
	unsigned long nr = roundup_pow_of_two(DIV_ROUND_UP(max_active * PLACE_SPARE, BUCKET_WAYS));
	size_t place_size = offsetof(struct place, count[evlist->nr_events]);
	size_t size = nr * (sizeof(struct span_task_bucket) + BUCKET_WAYS * place_size);
	struct pmcgrp_span_tasks *tasks;
	int err;

	err = pmcgrp_span_room_take(charge, size, why);
	if (err)
		return ERR_PTR(err);
	*why = PMCGRP_WHY_NOMEM;
	tasks = kzalloc(sizeof(*tasks), GFP_KERNEL_ACCOUNT);
	if (!tasks)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&tasks->node);
	tasks->evlist = evlist;
	tasks->bits = ilog2(nr);
	tasks->place_size = place_size;
	err = make_places(tasks, nr, charge) ?: make_cpus(tasks, charge);
	*why = pmcgrp_why_of_charge(err);
	if (!err)
		return tasks;
	pmcgrp_span_tasks_free(tasks);
	return ERR_PTR(err);
}

/**
 * pmcgrp_span_tasks_free - free what no handler can reach any more
 * @tasks: the tasks, NULL or an ERR_PTR; not followed for an RCU grace period
 *
 * Context: may sleep.
 */
void pmcgrp_span_tasks_free(struct pmcgrp_span_tasks *tasks)
{
	if (IS_ERR_OR_NULL(tasks))
		return;
	free_percpu(tasks->cpu);
	kvfree(tasks->place);
	kvfree(tasks->bucket);
	kfree(tasks);
}

/**
 * pmcgrp_span_tasks_follow - follow tasks from now on, before the span has probes
 * @tasks: the tasks
 *
 * Context: may sleep; takes pmcgrp_groups_mutex and the list's mutex; no mutex held.
 * Return: 0, then pmcgrp_span_tasks_unfollow() undoes this; -ENOMEM, -EINTR.
 */
int pmcgrp_span_tasks_follow(struct pmcgrp_span_tasks *tasks)
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
 * pmcgrp_span_tasks_unfollow - undo pmcgrp_span_tasks_follow(), before the span loses its probes
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
