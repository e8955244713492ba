// SPDX-License-Identifier: GPL-2.0-only
/*
 * Start and stop the counting of an event list, and bring its sums up to date.
 *
 * A list in contexts is enabled and disabled where these may be accessed (context.c).
 *
 * All others: each is one broadcast to the CPUs where the list's sets are in.  A set that comes in
 * writes set->cpu and then reads evlist->active.  A task that controls the list writes
 * evlist->active and then reads set->cpu.  Both have a full barrier in between.  So either the set
 * sees the new state or its CPU is in the broadcast.  A set that leaves meanwhile has accounted for
 * itself.  The same holds for evlist->frozen, which keeps an active list from counting for a while.
 */
#include <linux/cpumask.h>
#include <linux/lockdep.h>
#include <linux/smp.h>
#include "compat.h"
#include "follow/context.h"
#include "follow/contexts.h"
#include "follow/latch.h"
#include "follow/rest.h"
#include "group/evlist_control.h"
#include "platform/recursion.h"
#include "sched/sched.h"
#include "set/evlist.h"
#include "set/evlist_sets.h"

/* The list's set that is scheduled in on this CPU, or NULL. */
static struct pmcgrp_evset *evset_here(struct pmcgrp_evlist *evlist)
{
	lockdep_assert_irqs_disabled();
	return pmcgrp_evcpu_here(evlist)->in;
}

/* The set was in, but its list did not count: it counts the running task from now on. */
static void enable_here(struct pmcgrp_evset *set)
{
	pmcgrp_sched_task_changed_of(set, current);
	pmcgrp_sched_enable(set);
}

static void start_here(void *evlist)
{
	struct pmcgrp_evset *set = evset_here(evlist);

	if (set)
		enable_here(set);
}

static void stop_here(void *evlist)
{
	struct pmcgrp_evset *set = evset_here(evlist);

	if (set)
		pmcgrp_sched_disable(set);
}

static void thaw_here(void *info)
{
	struct pmcgrp_evlist *evlist = info;
	struct pmcgrp_evset *set = evset_here(evlist);

	/* The list may have been enabled by execve() meanwhile. */
	if (set && READ_ONCE(evlist->active))
		enable_here(set);
}

static void watch_here(void *evlist)
{
	struct pmcgrp_evset *set = evset_here(evlist);

	if (set)
		pmcgrp_sched_watch(set);
}

static void publish_here(void *evlist)
{
	struct pmcgrp_evset *set = evset_here(evlist);

	if (set)
		set->evlist->hooks->counters_on(set);
}

static void account_here(void *evlist)
{
	struct pmcgrp_evset *set = evset_here(evlist);

	if (set && set->is_in)
		pmcgrp_evset_account(set);
}

/*
 * Collect the CPUs where the list's sets are in.  A set may have moved on by the time that its CPU
 * is called, which does no harm.  @resting: with those where a set rests in its context, which
 * info.c asks.  Return: whether there are any.
 */
static bool evlist_collect_cpus(struct pmcgrp_evlist *evlist, bool resting)
{
	struct pmcgrp_evset *set;
	bool any = false;
	int cpu;

	cpumask_clear(evlist->scratch_cpus);
	/* Pairs with the barrier in pmcgrp_sched_in(). */
	smp_mb();
	pmcgrp_evlist_sets_lock(evlist);
	list_for_each_entry(set, &evlist->sets, node) {
		/* Pairs with pmcgrp_sched_out(). */
		cpu = smp_load_acquire(&set->cpu);
		if (cpu < 0 && resting && READ_ONCE(set->resting))
			cpu = READ_ONCE(set->ctx->cpu);
		if (cpu < 0)
			continue;
		cpumask_set_cpu(cpu, evlist->scratch_cpus);
		any = true;
	}
	mutex_unlock(&evlist->evsets_mutex);
	return any;
}

/**
 * pmcgrp_evlist_call - call a function on each CPU where a set of the list is in, or rests
 * @evlist: the event list, its mutex held
 * @func: function, called with interrupts off, not inside perf core
 * @info: argument of @func
 *
 * Context: may sleep.
 */
void pmcgrp_evlist_call(struct pmcgrp_evlist *evlist, smp_call_func_t func, void *info)
{
	if (evlist_collect_cpus(evlist, true))
		on_each_cpu_mask(evlist->scratch_cpus, func, info, true);
}

static void broadcast(struct pmcgrp_evlist *evlist, smp_call_func_t func)
{
	if (evlist_collect_cpus(evlist, false))
		on_each_cpu_mask(evlist->scratch_cpus, func, evlist, true);
}

/* Clear the error of pinned sets, for them to be tried again. */
static void clear_error(struct pmcgrp_evlist *evlist)
{
	struct pmcgrp_evset *set;

	if (!(evlist->flags & PMCGRP_CREATE_PINNED))
		return;
	pmcgrp_evlist_sets_lock(evlist);
	list_for_each_entry(set, &evlist->sets, node)
		WRITE_ONCE(set->error, false);
	mutex_unlock(&evlist->evsets_mutex);
}

/**
 * pmcgrp_evlist_in_error - check whether a pinned list could not be placed, or a task not followed
 * @evlist: the event list
 *
 * Context: may sleep.
 * Return: true if that has happened on any CPU or for any task since the list was activated.
 */
bool pmcgrp_evlist_in_error(struct pmcgrp_evlist *evlist)
{
	struct pmcgrp_evset *set;
	bool error = false;

	if (pmcgrp_evlist_is_incomplete(evlist))
		return true;
	if (!(evlist->flags & PMCGRP_CREATE_PINNED))
		return false;
	pmcgrp_evlist_sets_lock(evlist);
	list_for_each_entry(set, &evlist->sets, node)
		error |= READ_ONCE(set->error);
	mutex_unlock(&evlist->evsets_mutex);
	return error;
}

static void drop_fired(struct pmcgrp_evlist *evlist)
{
	if (READ_ONCE(evlist->latch_fired))
		pmcgrp_latches_drop(evlist);
}

/* Have the sets of a list scheduled in with its target, or no more, if that is not always so. */
static void sets_enable(struct pmcgrp_evlist *evlist, bool on)
{
	if (evlist->follower->enable && (on || !pmcgrp_evlist_always_follows(evlist)))
		evlist->follower->enable(evlist, on);
}

/* Whether a list's sets are in contexts, and only while it is active. */
static bool sets_follow(const struct pmcgrp_evlist *evlist)
{
	const struct pmcgrp_evset *set = evlist->only;

	return !pmcgrp_evlist_always_follows(evlist) &&
	       (evlist->contexts || (set && set->ctx && evlist->is_shareable));
}

/* Whether they are in contexts, and in none of their lists. */
static bool sets_are_idle(const struct pmcgrp_evlist *evlist)
{
	const struct pmcgrp_evset *set = evlist->only;

	if (evlist->contexts)
		return !evlist->ctx_enabled;
	return set && set->ctx && !set->ctx_enabled;
}

/**
 * pmcgrp_evlist_activate - let a list count wherever its target runs
 * @evlist: the event list
 *
 * A pinned list in error is tried again.
 *
 * Context: may sleep; the list's mutex held.
 */
void pmcgrp_evlist_activate(struct pmcgrp_evlist *evlist)
{
	lockdep_assert_held(&evlist->mutex);
	drop_fired(evlist);
	clear_error(evlist);
	if (sets_are_idle(evlist)) {
		/* Its sets are in nowhere: one call lets them come in, and count. */
		WRITE_ONCE(evlist->active, true);
		sets_enable(evlist, true);
		return;
	}
	sets_enable(evlist, true);
	WRITE_ONCE(evlist->active, true);
	broadcast(evlist, start_here);
}

/**
 * pmcgrp_evlist_deactivate - let a list count nowhere
 * @evlist: the event list
 *
 * Context: may sleep; the list's mutex held.
 */
void pmcgrp_evlist_deactivate(struct pmcgrp_evlist *evlist)
{
	lockdep_assert_held(&evlist->mutex);
	drop_fired(evlist);
	if (sets_follow(evlist)) {
		/* In contexts: a set's last schedule-out completes its sums. */
		sets_enable(evlist, false);
		WRITE_ONCE(evlist->active, false);
		return;
	}
	/* Again if execve() has enabled the list meanwhile. */
	do {
		WRITE_ONCE(evlist->active, false);
		broadcast(evlist, stop_here);
	} while (READ_ONCE(evlist->active));
	sets_enable(evlist, false);
}

/**
 * pmcgrp_evlist_freeze - keep a list from counting for a change of its events or its groups' rings
 * @evlist: the event list
 *
 * On return no CPU has an enabled set of the list, and its counters have no user.  Sets that come
 * in are not enabled before pmcgrp_evlist_thaw().  @evlist->active does not change.
 *
 * Context: may sleep; the list's mutex held.
 */
void pmcgrp_evlist_freeze(struct pmcgrp_evlist *evlist)
{
	lockdep_assert_held(&evlist->mutex);
	WRITE_ONCE(evlist->frozen, true);
	broadcast(evlist, stop_here);
}

/**
 * pmcgrp_evlist_thaw - let a frozen list count again if it is active
 * @evlist: the event list
 *
 * Context: may sleep; the list's mutex held.
 */
void pmcgrp_evlist_thaw(struct pmcgrp_evlist *evlist)
{
	lockdep_assert_held(&evlist->mutex);
	/* Pairs with sched_enable(): a set that finds the list thawed sees its new events. */
	smp_store_release(&evlist->frozen, false);
	broadcast(evlist, thaw_here);
}

/**
 * pmcgrp_evlist_publish - write the user page again: values at a reset have changed
 * @evlist: the event list, with a user page
 *
 * Context: may sleep; the list's mutex held.
 */
void pmcgrp_evlist_publish(struct pmcgrp_evlist *evlist)
{
	broadcast(evlist, publish_here);
}

/**
 * pmcgrp_evlist_watch_switches - report context switches between the tasks of a list
 * @evlist: the event list, whose sets are in no context of one task: they are in from now on, also
 *	while the list is not active
 * @ops: who is called, until no set of the list is in; nothing happens if it is called already
 *
 * Context: may sleep; the list's mutex held.
 */
void pmcgrp_evlist_watch_switches(struct pmcgrp_evlist *evlist, const struct pmcgrp_switch_ops *ops)
{
	unsigned int i;

	lockdep_assert_held(&evlist->mutex);
	for (i = 0; evlist->switch_ops[i]; i++)
		if (evlist->switch_ops[i] == ops)
			return;
	if (WARN_ON_ONCE(i == PMCGRP_SWITCH_OPS_MAX))
		return;
	WRITE_ONCE(evlist->switch_ops[i], ops);
	if (evlist->contexts) {
		pmcgrp_contexts_set_enabled(evlist, true);
		pmcgrp_contexts_end_rest(evlist);
	}
	broadcast(evlist, watch_here);
}

/**
 * struct refresh - a call where a list's set may be accessed
 * @evlist: the event list, with one set
 * @func: what to do with the sum, or NULL
 * @arg: its argument
 */
struct refresh {
	struct pmcgrp_evlist *evlist;
	pmcgrp_values_func_t func;
	void *arg;
};

/* @evlist->only may be accessed.  A sample that interrupts this is counted as not taken. */
static void refresh_here(void *info)
{
	struct refresh *refresh = info;
	struct pmcgrp_evlist *evlist = refresh->evlist;
	struct pmcgrp_evset *set = evlist->only;

	pmcgrp_recursion_enter();
	if (set->is_in)
		pmcgrp_evset_account(set);
	else if (set->ctx)
		pmcgrp_rest_catch_up(set);
	pmcgrp_evset_copy(set, evlist->total);
	if (refresh->func)
		refresh->func(evlist->total, refresh->arg);
	pmcgrp_recursion_leave();
}

/* Account and copy in one section, if the list's only set is in on this CPU. */
static bool refresh_on_this_cpu(struct refresh *refresh)
{
	struct pmcgrp_evlist *evlist = refresh->evlist;
	struct pmcgrp_evset *set;
	unsigned long flags;

	local_irq_save(flags);
	set = evset_here(evlist);
	if (set)
		refresh_here(refresh);
	local_irq_restore(flags);
	return set;
}

/* From a list with one set. */
static void refresh_only(struct refresh *refresh)
{
	struct pmcgrp_evlist *evlist = refresh->evlist;

	if (refresh_on_this_cpu(refresh) ||
	    evlist->follower->call(evlist, refresh_here, refresh))
		return;
	pmcgrp_evset_copy(evlist->only, evlist->total);
	if (refresh->func)
		refresh->func(evlist->total, refresh->arg);
}

/**
 * pmcgrp_evlist_refresh_sets - bring @evlist->total up to date from all sets
 * @evlist: the event list, its mutex held
 * @visit: called for each set with the values that are added for it; or NULL
 * @arg: argument of @visit
 *
 * The total is the sum over all sets, those that have ended included (@evlist->past).  CPUs where
 * sets are in account them in parallel, each all events at one instant.  Sets of targets that do
 * not run were accounted when they were scheduled out.
 *
 * Context: may sleep; @visit is called with the list's evsets_mutex held.
 */
void pmcgrp_evlist_refresh_sets(struct pmcgrp_evlist *evlist, pmcgrp_evset_visit_t visit, void *arg)
{
	struct pmcgrp_values part __uninitialized;
	struct pmcgrp_evset *set;

	lockdep_assert_held(&evlist->mutex);
	if (evlist->contexts)
		pmcgrp_contexts_catch_up(evlist);
	else if (evlist->only)
		pmcgrp_context_catch_up(evlist->only);
	broadcast(evlist, account_here);
	pmcgrp_evlist_sets_lock(evlist);
	memcpy(evlist->total, evlist->past, pmcgrp_values_size(evlist->nr_events));
	list_for_each_entry(set, &evlist->sets, node) {
		pmcgrp_evset_copy(set, &part);
		pmcgrp_values_add(evlist->total, &part, evlist->nr_events);
		if (visit)
			visit(set, &part, arg);
	}
	mutex_unlock(&evlist->evsets_mutex);
}

/**
 * pmcgrp_evlist_refresh_and - bring @evlist->total up to date, and do something with it
 * @evlist: the event list, its mutex held
 * @func: what to do, or NULL.  For a list with one set it is called on the CPU where that is in:
 *	nothing is counted meanwhile, and no sample is taken.
 * @visit: of a list with several sets called before, as pmcgrp_evlist_refresh_sets() does; or NULL
 * @arg: argument of both
 *
 * Context: may sleep.
 */
void pmcgrp_evlist_refresh_and(struct pmcgrp_evlist *evlist, pmcgrp_values_func_t func,
			       pmcgrp_evset_visit_t visit, void *arg)
{
	struct refresh refresh = { .evlist = evlist, .func = func, .arg = arg };

	lockdep_assert_held(&evlist->mutex);
	if (evlist->only) {
		refresh_only(&refresh);
		return;
	}
	pmcgrp_evlist_refresh_sets(evlist, visit, arg);
	if (func)
		func(evlist->total, arg);
}

/**
 * pmcgrp_evlist_refresh - bring @evlist->total up to date
 * @evlist: the event list, its mutex held
 *
 * Context: may sleep.
 */
void pmcgrp_evlist_refresh(struct pmcgrp_evlist *evlist)
{
	pmcgrp_evlist_refresh_and(evlist, NULL, NULL, NULL);
}

/**
 * pmcgrp_evlist_cpu_online - let a list count on a CPU that has come online
 * @evlist: the event list, of CPUs
 * @cpu: the CPU, not usable yet, or the list has no set in there (uncore.c)
 *
 * Counts go on from where they were.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_evlist_cpu_online(struct pmcgrp_evlist *evlist, int cpu)
{
	int err;

	/* Its uncore PMUs count elsewhere. */
	if (evlist->is_uncore && !pmcgrp_evcpu_of(evlist, cpu)->complete)
		return;
	mutex_lock(&evlist->mutex);
	err = evlist->follower->cpu_online(evlist, cpu);
	mutex_unlock(&evlist->mutex);
	if (err)
		pr_warn_ratelimited("pmcgrp: a group does not count on CPU %d any more: error %d\n",
				    cpu, err);
}
