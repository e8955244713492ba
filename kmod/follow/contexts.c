// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts of several tasks: on each CPU one has all lists that count the same tasks (tasks.c), or
 * the same cgroup (cgroup.c).  It is what a task's own is for lists that follow this task alone
 * (task_context.c).  It is in while any of these tasks runs there.  A switch between two of them
 * changes nothing, and no counts are created at fork or folded at exit.
 */
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/rculist.h>
#include <linux/sched/task.h>
#include <linux/smp.h>
#include "compat.h"
#include "arbiter/cpu.h"
#include "counter/attr.h"
#include "follow/binding.h"
#include "follow/context.h"
#include "follow/contexts.h"
#include "follow/rest.h"
#include "set/evlist.h"
#include "set/evset.h"

static struct pmcgrp_evset *set_on(const struct pmcgrp_evlist *evlist, int cpu)
{
	return pmcgrp_evcpu_of(evlist, cpu)->cpu_set;
}

/**
 * pmcgrp_contexts_alloc - make contexts without lists
 * @evlist: a list that is to be in them
 *
 * Context: may sleep.
 * Return: the contexts, for pmcgrp_contexts_free(); NULL without memory.
 */
struct pmcgrp_contexts *pmcgrp_contexts_alloc(const struct pmcgrp_evlist *evlist)
{
	struct pmcgrp_contexts *contexts;
	unsigned int cpu;

	contexts = kvzalloc(struct_size(contexts, cpu, nr_cpu_ids), GFP_KERNEL_ACCOUNT);
	if (!contexts)
		return NULL;
	contexts->target_type = evlist->target_type;
	contexts->flags = evlist->flags & PMCGRP_CONTEXTS_FLAGS;
	contexts->whose = evlist->whose;
	contexts->task = evlist->task ? get_task_struct(evlist->task) : NULL;
	contexts->cgroup_id = evlist->cgroup_id;
	contexts->cgroup_level = evlist->cgroup_level;
	mutex_init(&contexts->mutex);
	INIT_LIST_HEAD(&contexts->watches);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		pmcgrp_context_init(&contexts->cpu[cpu].ctx, NULL, &contexts->mutex);
	return contexts;
}

/* Whether sets of a list never rest (rest.c): a switch to its tasks visits them. */
static bool never_rests(const struct pmcgrp_evlist *evlist)
{
	return !evlist->nr_hw ||
	       evlist->flags & (PMCGRP_CREATE_PINNED | PMCGRP_CREATE_ENABLE_ON_EXEC);
}

/**
 * pmcgrp_contexts_always - have a switch to the tasks of a list always visit its sets
 * @evlist: the event list, in contexts or about to be
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: 0, until the list leaves them; -PMCGRP_ESWITCH: it would have too many to visit.
 */
int pmcgrp_contexts_always(struct pmcgrp_evlist *evlist)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (evlist->is_always_in)
		return 0;
	if (evlist->contexts->nr_always >= PMCGRP_SWITCH_MAX)
		return -PMCGRP_ESWITCH;
	evlist->contexts->nr_always++;
	evlist->is_always_in = true;
	return 0;
}

/**
 * pmcgrp_contexts_share - put the sets of a list into contexts
 * @evlist: the event list, with its sets
 * @contexts: the contexts
 *
 * Context: may sleep; pmcgrp_groups_mutex and the list's mutex held.
 * Return: 0, then pmcgrp_contexts_leave() undoes this; as pmcgrp_contexts_always().
 */
int pmcgrp_contexts_share(struct pmcgrp_evlist *evlist, struct pmcgrp_contexts *contexts)
{
	struct pmcgrp_evset *set;
	int cpu, err;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	lockdep_assert_held(&evlist->mutex);
	evlist->contexts = contexts;
	err = never_rests(evlist) ? pmcgrp_contexts_always(evlist) : 0;
	if (err) {
		evlist->contexts = NULL;
		return err;
	}
	contexts->nr++;
	for_each_cpu(cpu, evlist->cpus) {
		set = set_on(evlist, cpu);
		if (set)
			set->ctx = &contexts->cpu[cpu].ctx;
	}
	return 0;
}

/**
 * pmcgrp_contexts_add - put a new set of a list into its contexts
 * @evlist: the event list, in contexts
 * @set: the set; nothing happens if it is in them
 * @cpu: its CPU
 *
 * Context: may sleep; pmcgrp_groups_mutex and the list's mutex held.
 */
void pmcgrp_contexts_add(struct pmcgrp_evlist *evlist, struct pmcgrp_evset *set, int cpu)
{
	lockdep_assert_held(&evlist->mutex);
	if (set->ctx)
		return;
	set->ctx = &evlist->contexts->cpu[cpu].ctx;
	if (!evlist->ctx_enabled)
		return;
	mutex_lock(&evlist->contexts->mutex);
	pmcgrp_context_set_enabled(set, true);
	mutex_unlock(&evlist->contexts->mutex);
}

/**
 * pmcgrp_contexts_leave - remove the sets of a list from their contexts
 * @evlist: the event list
 *
 * Context: may sleep; pmcgrp_groups_mutex and the list's mutex held.
 * Return: the contexts if no list is in them any more, for pmcgrp_contexts_free(); or NULL.
 */
struct pmcgrp_contexts *pmcgrp_contexts_leave(struct pmcgrp_evlist *evlist)
{
	struct pmcgrp_contexts *contexts = evlist->contexts;
	struct pmcgrp_evset *set;
	int cpu;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	pmcgrp_contexts_set_enabled(evlist, false);
	for_each_cpu(cpu, evlist->cpus) {
		set = set_on(evlist, cpu);
		if (set)
			set->ctx = NULL;
	}
	contexts->nr_always -= evlist->is_always_in;
	evlist->is_always_in = false;
	evlist->contexts = NULL;
	return --contexts->nr ? NULL : contexts;
}

/* A switch that was under way as they were looked up for the last time may have brought them in. */
static void contexts_out_here(void *contexts)
{
	struct pmcgrp_context *ctx = pmcgrp_contexts_here(contexts);

	if (list_empty(&ctx->in_node))
		return;
	list_del_init(&ctx->in_node);
	pmcgrp_context_out(pmcgrp_this_cpu(), ctx, false);
}

/**
 * pmcgrp_contexts_free - free contexts without lists, which no switch finds any more
 * @contexts: the contexts
 *
 * Context: may sleep.
 */
void pmcgrp_contexts_free(struct pmcgrp_contexts *contexts)
{
	WARN_ON_ONCE(atomic_read(&contexts->nr_bindings));
	on_each_cpu(contexts_out_here, contexts, 1);
	if (contexts->task)
		put_task_struct(contexts->task);
	mutex_destroy(&contexts->mutex);
	kvfree_rcu(contexts, rcu);
}

/**
 * struct list_call - a call for each set of a list, where its context may be accessed
 * @evlist: the event list
 * @func: the function, which gets the set
 */
struct list_call {
	struct pmcgrp_evlist *evlist;
	pmcgrp_set_func_t func;
};

static void contexts_call_here(void *info)
{
	struct list_call *call = info;
	int cpu = smp_processor_id();
	struct pmcgrp_evset *set = set_on(call->evlist, cpu);

	/* It cannot leave this CPU during the call. */
	if (set->ctx->cpu != cpu)
		return;
	call->func(set);
	cpumask_clear_cpu(cpu, call->evlist->scratch_cpus);
}

static bool call_away(struct pmcgrp_evset *set, pmcgrp_set_func_t func)
{
	struct pmcgrp_context *ctx = set->ctx;
	unsigned long flags;
	bool away;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	away = ctx->cpu < 0;
	if (away)
		func(set);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	return away;
}

/*
 * Call a function for the sets in @evlist->scratch_cpus; CPUs where they are in do it in parallel.
 */
static void call_sets(struct pmcgrp_evlist *evlist, pmcgrp_set_func_t func)
{
	struct list_call call = { .evlist = evlist, .func = func };
	int cpu;

	lockdep_assert_held(&evlist->mutex);
	for_each_cpu(cpu, evlist->scratch_cpus)
		if (call_away(set_on(evlist, cpu), func))
			cpumask_clear_cpu(cpu, evlist->scratch_cpus);
	on_each_cpu_mask(evlist->scratch_cpus, contexts_call_here, &call, 1);
	/* Those that have come in or gone out in between. */
	for_each_cpu(cpu, evlist->scratch_cpus)
		pmcgrp_context_call_set(set_on(evlist, cpu), func);
}

/**
 * pmcgrp_contexts_set_enabled - schedule a list in with its contexts from now on, or no more
 * @evlist: the event list
 * @on: whether to enable or to disable it; one that is so already is left alone
 *
 * Context: may sleep; the list's mutex held.
 */
void pmcgrp_contexts_set_enabled(struct pmcgrp_evlist *evlist, bool on)
{
	struct pmcgrp_evset *set;
	int cpu;

	lockdep_assert_held(&evlist->mutex);
	if (evlist->ctx_enabled == on)
		return;
	mutex_lock(&evlist->contexts->mutex);
	cpumask_clear(evlist->scratch_cpus);
	for_each_cpu(cpu, evlist->cpus)
		if (set_on(evlist, cpu))
			cpumask_set_cpu(cpu, evlist->scratch_cpus);
	call_sets(evlist, on ? pmcgrp_context_enable_here : pmcgrp_context_disable_here);
	for_each_cpu(cpu, evlist->cpus) {
		set = set_on(evlist, cpu);
		if (!set)
			continue;
		set->ctx_enabled = on;
		set->ctx->nr_enabled += on ? 1 : -1;
	}
	evlist->ctx_enabled = on;
	mutex_unlock(&evlist->contexts->mutex);
}

static void call_resting(struct pmcgrp_evlist *evlist, pmcgrp_set_func_t func)
{
	struct pmcgrp_evset *set;
	bool any = false;
	int cpu;

	for_each_cpu(cpu, evlist->cpus) {
		set = set_on(evlist, cpu);
		if (!set || !READ_ONCE(set->resting))
			continue;
		if (!any)
			cpumask_clear(evlist->scratch_cpus);
		cpumask_set_cpu(cpu, evlist->scratch_cpus);
		any = true;
	}
	if (any)
		call_sets(evlist, func);
}

/**
 * pmcgrp_contexts_catch_up - update the times of those sets of a list that rest
 * @evlist: the event list, in contexts
 *
 * Context: may sleep; the list's mutex held.
 */
void pmcgrp_contexts_catch_up(struct pmcgrp_evlist *evlist)
{
	call_resting(evlist, pmcgrp_rest_catch_up);
}

/**
 * pmcgrp_contexts_end_rest - let no set of a list rest that may not any more (rest.c)
 * @evlist: the event list, in contexts
 *
 * Context: may sleep; the list's mutex held.
 */
void pmcgrp_contexts_end_rest(struct pmcgrp_evlist *evlist)
{
	call_resting(evlist, pmcgrp_rest_end);
}
