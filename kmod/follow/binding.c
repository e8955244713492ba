// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bindings: which lists count a task, of those that count a process, or what a task creates.
 *
 * Such a list has one set for each CPU.  It is in while any of its tasks runs there: a switch
 * between two of them changes nothing, and no counts are created at fork or folded at exit.
 *
 * A binding names event lists, and never changes.  A task and its threads and children share one
 * as long as the same lists count them (task_table.c).
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <uapi/linux/pmcgrp.h>
#include "arbiter/cpu.h"
#include "counter/attr.h"
#include "follow/binding.h"
#include "follow/switch_room.h"
#include "sched/sched.h"
#include "set/evlist.h"
#include "set/evset.h"

/* A binding that is complete names its lists. */
static void binding_hold_lists(struct pmcgrp_binding *binding)
{
	unsigned int i;

	for (i = 0; i < binding->nr; i++)
		atomic_inc(&binding->evlist[i]->nr_bindings);
}

/* The last task is gone of a list that no binding names: tell those who watch it. */
static void binding_drop_lists(const struct pmcgrp_binding *binding)
{
	unsigned long flags;
	unsigned int i;

	for (i = 0; i < binding->nr; i++) {
		if (!atomic_dec_and_test(&binding->evlist[i]->nr_bindings))
			continue;
		local_irq_save(flags);
		pmcgrp_evlist_tell_end(binding->evlist[i]);
		local_irq_restore(flags);
	}
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
	if (!binding || !refcount_dec_and_test(&binding->refs))
		return;
	binding_drop_lists(binding);
	/* Parts have no other parts but @exiting of @heirs: this is no deep recursion. */
	if (binding->heirs != binding)
		pmcgrp_binding_put(binding->heirs);
	if (binding->exiting != binding)
		pmcgrp_binding_put(binding->exiting);
	pmcgrp_switch_binding_freed(binding->nr);
	kfree_rcu(binding, rcu);
}

static struct pmcgrp_binding *binding_alloc(unsigned int nr, gfp_t gfp)
{
	static atomic64_t last_id;
	struct pmcgrp_binding *binding;

	binding = kzalloc(struct_size(binding, evlist, nr), gfp);
	if (!binding)
		return NULL;
	pmcgrp_switch_binding_made(nr);
	refcount_set(&binding->refs, 1);
	binding->id = atomic64_inc_return(&last_id);
	binding->nr = nr;
	return binding;
}

/*
 * Make the part of a binding whose lists have a flag, or have it not: itself, NULL or another one.
 * Return: false without memory.
 */
static bool binding_part(struct pmcgrp_binding *binding, u64 flag, bool has, gfp_t gfp,
			 struct pmcgrp_binding **part)
{
	unsigned int i, nr = 0;

	for (i = 0; i < binding->nr; i++)
		nr += !!(binding->evlist[i]->flags & flag) == has;
	*part = nr == binding->nr ? binding : NULL;
	if (!nr || nr == binding->nr)
		return true;
	*part = binding_alloc(nr, gfp);
	if (!*part)
		return false;
	for (i = nr = 0; i < binding->nr; i++)
		if (!!(binding->evlist[i]->flags & flag) == has)
			(*part)->evlist[nr++] = binding->evlist[i];
	binding_hold_lists(*part);
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

/* Make the parts of a binding with its lists. */
static bool binding_complete(struct pmcgrp_binding *binding, gfp_t gfp)
{
	struct pmcgrp_binding *heirs;

	binding_hold_lists(binding);
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
 * pmcgrp_binding_with - make a binding with one list more
 * @old: the binding to be extended, or NULL
 * @evlist: the event list, which is not in it
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: a reference, or an ERR_PTR: -ENOMEM; -PMCGRP_ESWITCH: a switch would have too much to do.
 */
struct pmcgrp_binding *pmcgrp_binding_with(const struct pmcgrp_binding *old,
					   struct pmcgrp_evlist *evlist)
{
	unsigned int i, nr = old ? old->nr : 0;
	struct pmcgrp_binding *binding;

	if (!pmcgrp_switch_has_room(nr + 1))
		return ERR_PTR(-PMCGRP_ESWITCH);
	binding = binding_alloc(nr + 1, GFP_KERNEL_ACCOUNT);
	if (!binding)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i < nr; i++)
		binding->evlist[i] = old->evlist[i];
	binding->evlist[nr] = evlist;
	if (!binding_complete(binding, GFP_KERNEL_ACCOUNT)) {
		pmcgrp_binding_put(binding);
		return ERR_PTR(-ENOMEM);
	}
	return binding;
}

/**
 * pmcgrp_binding_without - make a binding with one list less, which cannot fail
 * @old: the binding
 * @evlist: a list of it
 *
 * Context: may sleep.
 * Return: a reference, or NULL if it has no other list.
 */
struct pmcgrp_binding *pmcgrp_binding_without(const struct pmcgrp_binding *old,
					      const struct pmcgrp_evlist *evlist)
{
	struct pmcgrp_binding *binding;
	unsigned int i, nr = 0;

	if (old->nr == 1)
		return NULL;
	binding = binding_alloc(old->nr - 1, GFP_KERNEL | __GFP_NOFAIL);
	for (i = 0; i < old->nr; i++)
		if (old->evlist[i] != evlist)
			binding->evlist[nr++] = old->evlist[i];
	binding_complete(binding, GFP_KERNEL | __GFP_NOFAIL);
	return binding;
}

/**
 * pmcgrp_binding_covers - check whether all lists of a binding are in another one
 * @all: the other one
 * @some: the binding
 */
bool pmcgrp_binding_covers(const struct pmcgrp_binding *all, const struct pmcgrp_binding *some)
{
	unsigned int i;

	for (i = 0; i < some->nr; i++)
		if (!pmcgrp_binding_has(all, some->evlist[i]))
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
		WRITE_ONCE(binding->evlist[i]->incomplete, true);
}

/**
 * pmcgrp_binding_out - schedule out the sets of lists that do not count the next task
 * @pcpu: this CPU's scheduler
 * @to: the next task's binding, or NULL
 * @leaves: the task that they count is being switched from
 *
 * Context: interrupts off; the run-queue lock may be held.
 */
void pmcgrp_binding_out(struct pmcgrp_cpu *pcpu, const struct pmcgrp_binding *to, bool leaves)
{
	struct pmcgrp_evset *set, *next;

	list_for_each_entry_safe(set, next, &pcpu->bound, ctx_node) {
		if (pmcgrp_binding_has(to, set->evlist))
			continue;
		list_del_init(&set->ctx_node);
		if (leaves)
			pmcgrp_evset_leaves(set);
		pmcgrp_sched_out(set);
	}
	pcpu->bound_id = pmcgrp_binding_id(to);
}

/**
 * pmcgrp_binding_in - schedule in the sets of lists that count the next task
 * @pcpu: this CPU's scheduler
 * @to: the next task's binding, or NULL
 * @prev: task that is switched from, before perf core's part of the switch; or NULL
 *
 * Context: as pmcgrp_binding_out(), after it.
 */
void pmcgrp_binding_in(struct pmcgrp_cpu *pcpu, const struct pmcgrp_binding *to,
		       const struct task_struct *prev)
{
	struct pmcgrp_evset *set;
	unsigned int i;

	pmcgrp_sched_in_begin(pcpu, prev);
	for (i = 0; to && i < to->nr; i++) {
		set = pmcgrp_evcpu_here(to->evlist[i])->cpu_set;
		if (set->cpu >= 0)
			continue; /* it counts the previous task, too */
		list_add_tail(&set->ctx_node, &pcpu->bound);
		pmcgrp_sched_in(set);
	}
	pmcgrp_sched_in_end(pcpu);
}

/**
 * pmcgrp_binding_entered - do pmcgrp_evset_enters() for sets that a switch has scheduled in
 * @pcpu: this CPU's scheduler
 * @stays: last node of @pcpu->bound before pmcgrp_binding_in()
 *
 * Context: as pmcgrp_evset_enters().
 */
void pmcgrp_binding_entered(struct pmcgrp_cpu *pcpu, struct list_head *stays)
{
	struct list_head *node;

	for (node = stays->next; node != &pcpu->bound; node = node->next)
		pmcgrp_evset_enters(list_entry(node, struct pmcgrp_evset, ctx_node));
}
