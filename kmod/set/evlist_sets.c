// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sets of a list: one for each task or CPU that it counts.  A task's set is created and ends
 * with what schedules it in, a CPU's stays with the list.  All change when a member is added or
 * removed.
 */
#include <linux/bits.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include "set/evlist.h"
#include "set/evlist_sets.h"
#include "set/evset.h"

/* Initialise a set, zeroed. */
static void evset_init(struct pmcgrp_evset *set, struct pmcgrp_evlist *evlist)
{
	set->base = set->sum + evlist->room;
	INIT_LIST_HEAD(&set->ctx_node);
	INIT_LIST_HEAD(&set->cpu_node);
	INIT_LIST_HEAD(&set->watch_node);
	set->evlist = evlist;
	set->synced_at = local_clock(); /* nothing has been counted yet */
	set->home = -1;
	set->cpu = -1;
	seqcount_init(&set->seq);
}

static struct pmcgrp_evset *evset_create(struct pmcgrp_evlist *evlist)
{
	struct pmcgrp_evset *set;

	set = kzalloc(pmcgrp_evset_size(evlist->room), GFP_KERNEL_ACCOUNT);
	if (set)
		evset_init(set, evlist);
	return set;
}

/**
 * pmcgrp_evlist_note_events - note what the events of a list are, for its sets
 * @evlist: event list without sets, or frozen
 *
 * Context: may sleep; as for a change of pmcgrp_evlist.nr_events.
 */
void pmcgrp_evlist_note_events(struct pmcgrp_evlist *evlist)
{
	unsigned int i;

	evlist->takes_shared = false;
	evlist->switches = 0;
	evlist->cgroup_switches = 0;
	for (i = 0; i < evlist->nr_hw; i++)
		evlist->takes_shared |= evlist->event[i]->takes_shared;
	for (; i < evlist->nr_events; i++) {
		if (pmcgrp_event_counts_switches(evlist->event[i]))
			evlist->switches |= BIT_ULL(i);
		if (pmcgrp_event_counts_cgroup_switches(evlist->event[i]))
			evlist->cgroup_switches |= BIT_ULL(i);
	}
}

/* Copy what the sets have of their list. */
static void evset_set_events(struct pmcgrp_evset *set)
{
	const struct pmcgrp_evlist *evlist = set->evlist;

	set->pinned = evlist->flags & PMCGRP_CREATE_PINNED;
	set->background = evlist->flags & PMCGRP_CREATE_BACKGROUND && evlist->nr_hw;
	set->nr = evlist->nr_events;
	set->nr_hw = evlist->nr_hw;
	set->takes_shared = evlist->takes_shared;
	set->switches = evlist->switches;
	set->cgroup_switches = evlist->cgroup_switches;
}

/* Copy the fields that may change under evsets_mutex: later changes find the set in the list. */
static void evset_publish(struct pmcgrp_evset *set)
{
	struct pmcgrp_evlist *evlist = set->evlist;

	mutex_lock(&evlist->evsets_mutex);
	evset_set_events(set);
	list_add_tail(&set->node, &evlist->sets);
	if (evlist->follower->has_one_set)
		evlist->only = set;
	mutex_unlock(&evlist->evsets_mutex);
}

/**
 * pmcgrp_evlist_set_of_task - create the set of a list that follows a task
 * @evlist: event list that owns the set, with its events in order
 * @task: the task
 *
 * Context: may sleep; perf core's mutexes and the list's may be held.
 * Return: the set, to be ended by pmcgrp_evlist_set_end(), or NULL without memory.
 */
struct pmcgrp_evset *pmcgrp_evlist_set_of_task(struct pmcgrp_evlist *evlist,
					       const struct task_struct *task)
{
	struct pmcgrp_evset *set = evset_create(evlist);

	if (!set)
		return NULL;
	set->task = task;
	evset_publish(set);
	return set;
}

/* Make room for what the members of a group with a leader show of one CPU. */
static bool evset_make_values(struct pmcgrp_evset *set)
{
	if (!(set->evlist->flags & PMCGRP_CREATE_LEADER))
		return true;
	set->member_values = pmcgrp_member_values_alloc();
	return set->member_values;
}

/**
 * pmcgrp_evlist_set_of_cpu - get the set of a list on a CPU, and create it if necessary
 * @evlist: event list that owns the set, with its events in order
 * @cpu: the CPU
 *
 * The set outlives what schedules it in, so that counts go on when the CPU comes back online.
 *
 * Context: may sleep; pmcgrp_groups_mutex and the list's mutex held.
 * Return: the set, which is freed with the list, or NULL without memory.
 */
struct pmcgrp_evset *pmcgrp_evlist_set_of_cpu(struct pmcgrp_evlist *evlist, int cpu)
{
	struct pmcgrp_evcpu *evcpu = pmcgrp_evcpu_of(evlist, cpu);
	struct pmcgrp_evset *set;

	if (evcpu->cpu_set)
		return evcpu->cpu_set;
	set = evset_create(evlist);
	if (!set)
		return NULL;
	if (evlist->follower->counts_cpus && !evset_make_values(set)) {
		kfree(set);
		return NULL;
	}
	set->home = cpu;
	evcpu->cpu_set = set;
	evset_publish(set);
	return set;
}

/**
 * pmcgrp_evlist_make_set - make the set of a list on a CPU, unless there is one
 * @evlist: event list with memory for its sets, with its events in order
 * @cpu: the CPU
 * @ctx: the set's context there
 *
 * Context: where @ctx may be accessed, or no switch finds the list yet; the run-queue lock may be
 * held.
 * The list's events do not change meanwhile.
 * Return: the set, which is freed with the list.
 */
struct pmcgrp_evset *pmcgrp_evlist_make_set(struct pmcgrp_evlist *evlist, int cpu,
					    struct pmcgrp_context *ctx)
{
	struct pmcgrp_evcpu *evcpu = pmcgrp_evcpu_of(evlist, cpu);
	struct pmcgrp_evset *set = evcpu->cpu_set;

	if (set)
		return set;
	set = evlist->cpu_sets + pmcgrp_evset_size(evlist->room) * cpu;
	evset_init(set, evlist);
	set->home = cpu;
	set->ctx = ctx;
	evset_set_events(set);
	/* Pairs with call_resting(); evlist_collect_cpus() finds it by @fresh. */
	smp_store_release(&evcpu->cpu_set, set);
	llist_add(&set->fresh, &evlist->fresh);
	return set;
}

/**
 * pmcgrp_evlist_sets_lock - lock the sets of a list, all that have been made
 * @evlist: the event list
 *
 * Context: may sleep; the caller unlocks evsets_mutex.
 */
void pmcgrp_evlist_sets_lock(struct pmcgrp_evlist *evlist)
{
	struct llist_node *fresh;
	struct pmcgrp_evset *set;

	mutex_lock(&evlist->evsets_mutex);
	fresh = llist_empty(&evlist->fresh) ? NULL : llist_del_all(&evlist->fresh);
	while (fresh) {
		set = llist_entry(fresh, struct pmcgrp_evset, fresh);
		fresh = fresh->next;
		list_add_tail(&set->node, &evlist->sets);
	}
}

/* Add the counts and times of a set that counts no more. */
static void evset_add_to(const struct pmcgrp_evset *set, struct pmcgrp_values *sum)
{
	unsigned int i;

	sum->enabled += set->enabled;
	sum->running += set->running;
	for (i = 0; i < set->nr; i++)
		sum->count[i] += set->sum[i];
}

/**
 * pmcgrp_evlist_set_end - end a set that nothing schedules in any more, and keep its counts
 * @set: the set; a task's set is freed, a CPU's set remains
 *
 * Context: may sleep; perf core's mutexes may be held.
 */
void pmcgrp_evlist_set_end(struct pmcgrp_evset *set)
{
	struct pmcgrp_evlist *evlist = set->evlist;

	WARN_ON_ONCE(set->cpu >= 0 || set->is_in);
	if (!set->task)
		return;
	/* pmcgrp_evlist_refresh() must find the counts either in the set or in @past. */
	mutex_lock(&evlist->evsets_mutex);
	evset_add_to(set, evlist->past);
	if (set->why) {
		evlist->why = set->why;
		evlist->blocked_by = set->blocked_by;
	}
	list_del(&set->node);
	/* No reader is left: the list ends as well, or its creation has failed. */
	if (evlist->only == set)
		evlist->only = NULL;
	mutex_unlock(&evlist->evsets_mutex);
	pmcgrp_evset_free(set);
}

/**
 * struct only_call - a call where the only set of a list may be accessed
 * @evlist: the event list
 * @func: the function
 * @arg: its argument
 * @done: out: it was called
 */
struct only_call {
	struct pmcgrp_evlist *evlist;
	void (*func)(void *arg);
	void *arg;
	bool done;
};

static void only_call_here(void *info)
{
	struct only_call *call = info;

	if (!pmcgrp_evcpu_here(call->evlist)->in)
		return;
	call->func(call->arg);
	call->done = true;
}

/**
 * pmcgrp_evlist_call_only - call a function where the only set of a list is in
 * @evlist: the event list, whose set is in no context
 * @func: the function; interrupts are off
 * @arg: its argument
 *
 * Context: may sleep; the list's mutex held.
 * Return: false: it was not called, for the set is in nowhere, and its counts are complete.
 */
bool pmcgrp_evlist_call_only(struct pmcgrp_evlist *evlist, void (*func)(void *arg), void *arg)
{
	struct only_call call = { .evlist = evlist, .func = func, .arg = arg };
	int cpu;

	lockdep_assert_held(&evlist->mutex);
	/* Retry if it moves to another CPU. */
	while (!call.done) {
		/* Pairs with pmcgrp_sched_out(): once @cpu is -1, its counts are complete. */
		cpu = smp_load_acquire(&evlist->only->cpu);
		if (cpu < 0)
			break;
		smp_call_function_single(cpu, only_call_here, &call, 1);
	}
	return call.done;
}

/* Count the events behind position @at. */
static size_t behind(unsigned int nr, unsigned int at)
{
	return nr - at - 1;
}

/**
 * pmcgrp_evlist_sets_insert - add an event without counts to all sets of a list
 * @evlist: the event list, frozen, with @evlist->nr_events and @evlist->nr_hw already increased
 * @at: position of the new event
 *
 * Context: may sleep; the list's evsets_mutex held.
 */
void pmcgrp_evlist_sets_insert(struct pmcgrp_evlist *evlist, unsigned int at)
{
	struct pmcgrp_values *past = evlist->past;
	unsigned int nr = evlist->nr_events;
	struct pmcgrp_evset *set;

	lockdep_assert_held(&evlist->evsets_mutex);
	pmcgrp_evlist_note_events(evlist);
	list_for_each_entry(set, &evlist->sets, node) {
		WARN_ON_ONCE(set->is_in);
		evset_set_events(set);
		set->failed_alone = 0;
		memmove(&set->sum[at + 1], &set->sum[at],
			behind(nr, at) * sizeof(set->sum[0]));
		set->sum[at] = 0;
	}
	memmove(&past->count[at + 1], &past->count[at], behind(nr, at) * sizeof(past->count[0]));
	past->count[at] = 0;
}

/**
 * pmcgrp_evlist_sets_take_out - remove an event from all sets of a list
 * @evlist: the event list, frozen, with @evlist->nr_events and @evlist->nr_hw already decreased
 * @at: position of the event
 *
 * Context: may sleep; the list's evsets_mutex held.
 */
void pmcgrp_evlist_sets_take_out(struct pmcgrp_evlist *evlist, unsigned int at)
{
	struct pmcgrp_values *past = evlist->past;
	unsigned int nr = evlist->nr_events + 1;
	struct pmcgrp_evset *set;

	lockdep_assert_held(&evlist->evsets_mutex);
	pmcgrp_evlist_note_events(evlist);
	list_for_each_entry(set, &evlist->sets, node) {
		WARN_ON_ONCE(set->is_in);
		memmove(&set->sum[at], &set->sum[at + 1], behind(nr, at) * sizeof(set->sum[0]));
		evset_set_events(set);
		set->failed_alone = 0;
	}
	memmove(&past->count[at], &past->count[at + 1], behind(nr, at) * sizeof(past->count[0]));
	past->count[nr - 1] = 0;
}

/**
 * pmcgrp_evlist_sets_unpin - turn a pinned list and its sets into flexible ones
 * @evlist: the event list, frozen
 *
 * Context: may sleep.
 */
void pmcgrp_evlist_sets_unpin(struct pmcgrp_evlist *evlist)
{
	struct pmcgrp_evset *set;

	pmcgrp_evlist_sets_lock(evlist);
	evlist->flags &= ~PMCGRP_CREATE_PINNED;
	list_for_each_entry(set, &evlist->sets, node) {
		WARN_ON_ONCE(set->is_in);
		set->pinned = false;
		WRITE_ONCE(set->error, false);
	}
	mutex_unlock(&evlist->evsets_mutex);
}
