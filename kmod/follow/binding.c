// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bindings: what counts a task together with others.  These are contexts (contexts.c), of lists
 * that count a process, or what a task creates.
 *
 * A binding names contexts, and never changes.  A task and its threads and children share one as
 * long as the same lists count them (task_binding.c).
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <uapi/linux/pmcgrp.h>
#include "arbiter/cpu.h"
#include "counter/attr.h"
#include "follow/binding.h"
#include "follow/context.h"
#include "follow/contexts.h"
#include "set/evlist.h"
#include "set/evset.h"

/* A binding that is complete names its contexts. */
static void binding_hold(struct pmcgrp_binding *binding)
{
	unsigned int i;

	for (i = 0; i < binding->nr; i++)
		atomic_inc(&binding->contexts[i]->nr_bindings);
}

/* A binding names contexts no more.  If it was the last, notify who watches for the tasks' end. */
static void contexts_drop(struct pmcgrp_contexts *contexts)
{
	struct pmcgrp_end_watch *watch;
	unsigned long flags;

	local_irq_save(flags);
	if (atomic_dec_and_test(&contexts->nr_bindings))
		list_for_each_entry_rcu(watch, &contexts->watches, node, irqs_disabled())
			irq_work_queue(&watch->work);
	local_irq_restore(flags);
}

/**
 * pmcgrp_binding_put - drop a reference of a binding
 * @binding: the binding, or NULL
 *
 * It is freed after those that have found it in an RCU section.
 *
 * Context: any but NMI.
 */
void pmcgrp_binding_put(struct pmcgrp_binding *binding)
{
	unsigned int i;

	if (!binding || !refcount_dec_and_test(&binding->refs))
		return;
	for (i = 0; i < binding->nr; i++)
		contexts_drop(binding->contexts[i]);
	/* Parts have no other parts but @exiting of @heirs: this is no deep recursion. */
	if (binding->heirs != binding)
		pmcgrp_binding_put(binding->heirs);
	if (binding->exiting != binding)
		pmcgrp_binding_put(binding->exiting);
	kfree_rcu(binding, rcu);
}

static struct pmcgrp_binding *binding_alloc(unsigned int nr, gfp_t gfp)
{
	static atomic64_t last_id;
	struct pmcgrp_binding *binding;

	binding = kzalloc(struct_size(binding, contexts, nr), gfp);
	if (!binding)
		return NULL;
	refcount_set(&binding->refs, 1);
	binding->id = atomic64_inc_return(&last_id);
	binding->nr = nr;
	return binding;
}

/*
 * Make the part of a binding whose contexts have a flag, or have it not: itself, NULL or another
 * one. Return: false without memory.
 */
static bool binding_part(struct pmcgrp_binding *binding, u64 flag, bool has, gfp_t gfp,
			 struct pmcgrp_binding **part)
{
	unsigned int i, nr = 0;

	for (i = 0; i < binding->nr; i++)
		nr += !!(binding->contexts[i]->flags & flag) == has;
	*part = nr == binding->nr ? binding : NULL;
	if (!nr || nr == binding->nr)
		return true;
	*part = binding_alloc(nr, gfp);
	if (!*part)
		return false;
	for (i = nr = 0; i < binding->nr; i++)
		if (!!(binding->contexts[i]->flags & flag) == has)
			(*part)->contexts[nr++] = binding->contexts[i];
	binding_hold(*part);
	return true;
}

/* The part of a task in do_exit(), which creates nothing any more. */
static bool binding_make_exiting(struct pmcgrp_binding *binding, gfp_t gfp)
{
	if (!binding_part(binding, PMCGRP_CREATE_UNTIL_EXIT, false, gfp, &binding->exiting))
		return false;
	if (binding->exiting && binding->exiting != binding)
		binding->exiting->exiting = binding->exiting;
	return true;
}

/* Make the parts of a binding with its contexts. */
static bool binding_complete(struct pmcgrp_binding *binding, gfp_t gfp)
{
	struct pmcgrp_binding *heirs;

	binding_hold(binding);
	if (!binding_make_exiting(binding, gfp) ||
	    !binding_part(binding, PMCGRP_CREATE_INHERIT, true, gfp, &binding->heirs))
		return false;
	heirs = binding->heirs;
	if (!heirs || heirs == binding)
		return true;
	heirs->heirs = heirs;
	return binding_make_exiting(heirs, gfp);
}

/**
 * pmcgrp_binding_with - make a binding with more contexts
 * @old: the binding to be extended, or NULL
 * @contexts: those of lists that are not in it
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: a reference, or an ERR_PTR: -ENOMEM; -PMCGRP_ESWITCH: a switch would have too much to do.
 */
struct pmcgrp_binding *pmcgrp_binding_with(const struct pmcgrp_binding *old,
					   struct pmcgrp_contexts *contexts)
{
	unsigned int i, nr = old ? old->nr : 0;
	struct pmcgrp_binding *binding;

	if (nr >= PMCGRP_SWITCH_MAX)
		return ERR_PTR(-PMCGRP_ESWITCH);
	binding = binding_alloc(nr + 1, GFP_KERNEL_ACCOUNT);
	if (!binding)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i < nr; i++)
		binding->contexts[i] = old->contexts[i];
	binding->contexts[nr] = contexts;
	if (!binding_complete(binding, GFP_KERNEL_ACCOUNT)) {
		pmcgrp_binding_put(binding);
		return ERR_PTR(-ENOMEM);
	}
	return binding;
}

/**
 * pmcgrp_binding_without - make a binding without some contexts, which cannot fail
 * @old: the binding
 * @contexts: those of it
 *
 * Context: may sleep.
 * Return: a reference, or NULL if it has no others.
 */
struct pmcgrp_binding *pmcgrp_binding_without(const struct pmcgrp_binding *old,
					      const struct pmcgrp_contexts *contexts)
{
	struct pmcgrp_binding *binding;
	unsigned int i, nr = 0;

	if (old->nr == 1)
		return NULL;
	binding = binding_alloc(old->nr - 1, GFP_KERNEL | __GFP_NOFAIL);
	for (i = 0; i < old->nr; i++)
		if (old->contexts[i] != contexts)
			binding->contexts[nr++] = old->contexts[i];
	binding_complete(binding, GFP_KERNEL | __GFP_NOFAIL);
	return binding;
}

/**
 * pmcgrp_binding_covers - check whether all contexts of a binding are in another one
 * @all: the other one
 * @some: the binding
 */
bool pmcgrp_binding_covers(const struct pmcgrp_binding *all, const struct pmcgrp_binding *some)
{
	unsigned int i;

	for (i = 0; i < some->nr; i++)
		if (!pmcgrp_binding_has(all, some->contexts[i]))
			return false;
	return true;
}

/**
 * pmcgrp_binding_lose - note that a task could not be followed that a binding's lists are to count
 * @binding: the binding
 *
 * Context: any.
 */
void pmcgrp_binding_lose(const struct pmcgrp_binding *binding)
{
	unsigned int i;

	for (i = 0; i < binding->nr; i++)
		WRITE_ONCE(binding->contexts[i]->incomplete, true);
}

/**
 * pmcgrp_binding_created - note that a task has created another one, which is counted like it
 * @binding: the binding of the new task
 * @thread: the new task is a thread of the same process
 *
 * Context: pmcgrp_tasks_lock held.
 */
void pmcgrp_binding_created(const struct pmcgrp_binding *binding, bool thread)
{
	struct pmcgrp_contexts *contexts;
	unsigned int i;

	for (i = 0; i < binding->nr; i++) {
		contexts = binding->contexts[i];
		if (!(thread && contexts->target_type == PMCGRP_TARGET_PROCESS) &&
		    !contexts->has_created)
			WRITE_ONCE(contexts->has_created, true);
	}
}

/**
 * pmcgrp_binding_out - schedule out the contexts of lists that do not count the next task
 * @pcpu: this CPU's scheduler
 * @to: the next task's binding, or NULL
 * @leaves: the task that they count is being switched from
 *
 * Context: interrupts off; the run-queue lock may be held.
 */
void pmcgrp_binding_out(struct pmcgrp_cpu *pcpu, const struct pmcgrp_binding *to, bool leaves)
{
	struct pmcgrp_context *ctx, *next;
	unsigned int i;

	lockdep_assert_irqs_disabled();
	pcpu->changes++;
	for (i = 0; to && i < to->nr; i++)
		pmcgrp_contexts_here(to->contexts[i])->kept = pcpu->changes;
	list_for_each_entry_safe(ctx, next, &pcpu->bound, in_node) {
		if (ctx->kept == pcpu->changes)
			continue;
		list_del_init(&ctx->in_node);
		pmcgrp_context_out(pcpu, ctx, leaves);
	}
	pcpu->bound_id = pmcgrp_binding_id(to);
}

/**
 * pmcgrp_binding_in - schedule in the contexts of lists that count the next task
 * @pcpu: this CPU's scheduler
 * @to: the next task's binding, or NULL
 * @prev: task that is switched from, before perf core's part of the switch; or NULL
 *
 * Context: as pmcgrp_binding_out(), after it.
 */
void pmcgrp_binding_in(struct pmcgrp_cpu *pcpu, const struct pmcgrp_binding *to,
		       const struct task_struct *prev)
{
	struct pmcgrp_context *ctx;
	unsigned int i;

	lockdep_assert_irqs_disabled();
	for (i = 0; to && i < to->nr; i++) {
		ctx = pmcgrp_contexts_here(to->contexts[i]);
		if (!list_empty(&ctx->in_node))
			continue; /* it counts the previous task, too */
		if (unlikely(!ctx->has_come))
			pmcgrp_contexts_come(to->contexts[i]);
		pmcgrp_context_claim(ctx); /* always: such a context does not end */
		list_add_tail(&ctx->in_node, &pcpu->bound);
		pmcgrp_context_in(pcpu, ctx, prev);
	}
}
