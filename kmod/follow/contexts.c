// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts of several tasks: on each CPU one has all lists that count the same tasks (tasks.c), or
 * the same cgroup (cgroup.c).  It is what a task's own is for lists that follow this task alone
 * (task_context.c).  It is in while any of these tasks runs there.  A switch between two of them
 * changes nothing, and no counts are created at fork or folded at exit.
 *
 * Most tasks run on few CPUs.  So most lists of tasks are lazy: a CPU makes their sets as the
 * context comes in there for the first time, in memory that the lists have for them.  Until then a
 * set would count nothing, nor would its times go on.  A list that is enabled later makes its sets
 * where the context has been.
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
#include "set/evlist_sets.h"
#include "set/evset.h"

/*
 * Lists whose sets a CPU makes before their context comes in there for the first time.  No more
 * than sets that come in with it (rest.c): a switch may bring in the contexts of a whole binding.
 * The sets of any more are made with the list.
 */
#define LAZY_MOST 8

static struct pmcgrp_context *ctx_on(const struct pmcgrp_evlist *evlist, int cpu)
{
	return &evlist->contexts->cpu[cpu].ctx;
}

static struct pmcgrp_evset *set_on(const struct pmcgrp_evlist *evlist, int cpu)
{
	return pmcgrp_evcpu_of(evlist, cpu)->cpu_set;
}

/*
 * The same, made if the list has memory for it; where its context may be accessed, or no switch
 * finds the list yet.
 */
static struct pmcgrp_evset *make_set_on(struct pmcgrp_evlist *evlist, int cpu)
{
	return evlist->cpu_sets ? pmcgrp_evlist_make_set(evlist, cpu, ctx_on(evlist, cpu)) :
				  set_on(evlist, cpu);
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

	contexts = kvzalloc(struct_size(contexts, cpu, nr_cpu_ids) + cpumask_size(),
			    GFP_KERNEL_ACCOUNT);
	if (!contexts)
		return NULL;
	contexts->come = (void *)(contexts->cpu + nr_cpu_ids);
	contexts->target_type = evlist->target_type;
	contexts->flags = evlist->flags & PMCGRP_CONTEXTS_FLAGS;
	contexts->whose = evlist->whose;
	contexts->task = evlist->task ? get_task_struct(evlist->task) : NULL;
	contexts->cgroup_id = evlist->cgroup_id;
	contexts->cgroup_level = evlist->cgroup_level;
	mutex_init(&contexts->mutex);
	INIT_LIST_HEAD(&contexts->watches);
	INIT_LIST_HEAD(&contexts->lists);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		pmcgrp_context_init(&contexts->cpu[cpu].ctx, NULL, &contexts->mutex);
	return contexts;
}

/* Whether sets of a list never rest (rest.c): a switch to its tasks visits them. */
static bool never_rests(const struct pmcgrp_evlist *evlist)
{
	return !evlist->nr_hw ||
	       evlist->flags & (PMCGRP_CREATE_PINNED | PMCGRP_CREATE_ENABLE_ON_EXEC |
				PMCGRP_CREATE_BACKGROUND);
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
 * @evlist: the event list; if it is of a cgroup, with its sets
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
	/* The events of one with a leader change. */
	evlist->is_lazy = evlist->cpu_sets && !(evlist->flags & PMCGRP_CREATE_LEADER) &&
			  contexts->nr_lazy < LAZY_MOST;
	err = never_rests(evlist) ? pmcgrp_contexts_always(evlist) : 0;
	if (err) {
		evlist->contexts = NULL;
		evlist->is_lazy = false;
		return err;
	}
	contexts->nr++;
	contexts->nr_lazy += evlist->is_lazy;
	if (evlist->is_lazy)
		return 0;
	for_each_cpu(cpu, evlist->cpus) {
		set = make_set_on(evlist, cpu);
		if (set)
			set->ctx = ctx_on(evlist, cpu);
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
	set->ctx = ctx_on(evlist, cpu);
	if (!evlist->ctx_enabled)
		return;
	mutex_lock(&evlist->contexts->mutex);
	pmcgrp_context_call_set(set, pmcgrp_context_enable_here);
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
	contexts->nr_lazy -= evlist->is_lazy;
	evlist->is_always_in = false;
	evlist->is_lazy = false;
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

typedef void (*on_cpu_func_t)(struct pmcgrp_evlist *evlist, int cpu);

/**
 * struct list_call - a call for a list and CPUs, where its context of each may be accessed
 * @evlist: the event list
 * @func: the function, which gets the CPU
 */
struct list_call {
	struct pmcgrp_evlist *evlist;
	on_cpu_func_t func;
};

static void contexts_call_here(void *info)
{
	struct list_call *call = info;
	int cpu = smp_processor_id();

	/* It cannot leave this CPU during the call. */
	if (ctx_on(call->evlist, cpu)->cpu != cpu)
		return;
	call->func(call->evlist, cpu);
	cpumask_clear_cpu(cpu, call->evlist->scratch_cpus);
}

static void call_away(struct pmcgrp_evlist *evlist, int cpu, on_cpu_func_t func)
{
	struct pmcgrp_context *ctx = ctx_on(evlist, cpu);
	unsigned long flags;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	if (ctx->cpu < 0) {
		func(evlist, cpu);
		cpumask_clear_cpu(cpu, evlist->scratch_cpus);
	}
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
}

/*
 * Call a function for the CPUs in @evlist->scratch_cpus; those where the context is in do it in
 * parallel.
 */
static void call_on(struct pmcgrp_evlist *evlist, on_cpu_func_t func)
{
	struct list_call call = { .evlist = evlist, .func = func };
	int cpu;

	lockdep_assert_held(&evlist->mutex);
	do {
		for_each_cpu(cpu, evlist->scratch_cpus)
			call_away(evlist, cpu, func);
		on_each_cpu_mask(evlist->scratch_cpus, contexts_call_here, &call, 1);
		/* Again where it has come in or gone out in between. */
	} while (!cpumask_empty(evlist->scratch_cpus));
}

static void make_on(struct pmcgrp_evlist *evlist, int cpu)
{
	make_set_on(evlist, cpu);
}

/* The set may be enabled already: its CPU has made it as its context came in. */
static void enable_on(struct pmcgrp_evlist *evlist, int cpu)
{
	struct pmcgrp_evset *set = make_set_on(evlist, cpu);

	if (list_empty(&set->ctx_node))
		pmcgrp_context_enable_here(set);
}

static void disable_on(struct pmcgrp_evlist *evlist, int cpu)
{
	struct pmcgrp_evset *set = set_on(evlist, cpu);

	if (set)
		pmcgrp_context_disable_here(set);
}

/**
 * pmcgrp_contexts_come - make sets of this CPU, where a context is about to come in first
 * @contexts: the contexts
 *
 * Context: interrupts off; the run-queue lock may be held.
 */
void pmcgrp_contexts_come(struct pmcgrp_contexts *contexts)
{
	struct pmcgrp_context *ctx = pmcgrp_contexts_here(contexts);
	int cpu = smp_processor_id();
	struct pmcgrp_evlist *evlist;

	ctx->has_come = true;
	cpumask_set_cpu(cpu, contexts->come);
	/* Pairs with pmcgrp_contexts_set_enabled(): it finds this CPU, or this its list. */
	smp_mb__after_atomic();
	raw_spin_lock(&ctx->lock);
	list_for_each_entry_rcu(evlist, &contexts->lists, ctx_node, irqs_disabled())
		enable_on(evlist, cpu);
	raw_spin_unlock(&ctx->lock);
}

/* Collect the CPUs where a list has sets in its contexts, or is to make them. */
static void collect_cpus(struct pmcgrp_evlist *evlist)
{
	int cpu;

	if (evlist->is_lazy) {
		cpumask_copy(evlist->scratch_cpus, evlist->contexts->come);
		return;
	}
	cpumask_clear(evlist->scratch_cpus);
	for_each_cpu(cpu, evlist->cpus)
		if (set_on(evlist, cpu))
			cpumask_set_cpu(cpu, evlist->scratch_cpus);
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
	struct pmcgrp_contexts *contexts = evlist->contexts;

	lockdep_assert_held(&evlist->mutex);
	if (evlist->ctx_enabled == on)
		return;
	mutex_lock(&contexts->mutex);
	evlist->ctx_enabled = on;
	if (evlist->is_lazy && on)
		list_add_tail_rcu(&evlist->ctx_node, &contexts->lists);
	else if (evlist->is_lazy)
		list_del_rcu(&evlist->ctx_node);
	/* Pairs with pmcgrp_contexts_come(). */
	smp_mb();
	collect_cpus(evlist);
	call_on(evlist, on ? enable_on : disable_on);
	mutex_unlock(&contexts->mutex);
}

/**
 * pmcgrp_contexts_make_sets - make all sets of a list in contexts, which is lazy no more
 * @evlist: the event list
 *
 * For what visits the set of each CPU: rings, tables of keys, spans.
 *
 * Context: may sleep; pmcgrp_groups_mutex and the list's mutex held.
 */
void pmcgrp_contexts_make_sets(struct pmcgrp_evlist *evlist)
{
	struct pmcgrp_contexts *contexts = evlist->contexts;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	lockdep_assert_held(&evlist->mutex);
	if (!evlist->is_lazy)
		return;
	mutex_lock(&contexts->mutex);
	cpumask_copy(evlist->scratch_cpus, evlist->cpus);
	call_on(evlist, evlist->ctx_enabled ? enable_on : make_on);
	if (evlist->ctx_enabled)
		list_del_rcu(&evlist->ctx_node);
	evlist->is_lazy = false;
	contexts->nr_lazy--;
	mutex_unlock(&contexts->mutex);
}

static void call_resting(struct pmcgrp_evlist *evlist, on_cpu_func_t func)
{
	const struct pmcgrp_evset *set;
	bool any = false;
	int cpu;

	for_each_cpu(cpu, evlist->cpus) {
		/* Pairs with pmcgrp_evlist_make_set(). */
		set = smp_load_acquire(&pmcgrp_evcpu_of(evlist, cpu)->cpu_set);
		if (!set || !READ_ONCE(set->resting))
			continue;
		if (!any)
			cpumask_clear(evlist->scratch_cpus);
		cpumask_set_cpu(cpu, evlist->scratch_cpus);
		any = true;
	}
	if (any)
		call_on(evlist, func);
}

static void catch_up_on(struct pmcgrp_evlist *evlist, int cpu)
{
	pmcgrp_rest_catch_up(set_on(evlist, cpu));
}

static void end_rest_on(struct pmcgrp_evlist *evlist, int cpu)
{
	pmcgrp_rest_end(set_on(evlist, cpu));
}

/**
 * pmcgrp_contexts_catch_up - update the times of those sets of a list that rest
 * @evlist: the event list, in contexts
 *
 * Context: may sleep; the list's mutex held.
 */
void pmcgrp_contexts_catch_up(struct pmcgrp_evlist *evlist)
{
	call_resting(evlist, catch_up_on);
}

/**
 * pmcgrp_contexts_end_rest - let no set of a list rest that may not any more (rest.c)
 * @evlist: the event list, in contexts
 *
 * Context: may sleep; the list's mutex held.
 */
void pmcgrp_contexts_end_rest(struct pmcgrp_evlist *evlist)
{
	call_resting(evlist, end_rest_on);
}
