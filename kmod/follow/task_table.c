// SPDX-License-Identifier: GPL-2.0-only
/*
 * Table of the tasks that are counted with what they create, and their bindings (binding.c).
 *
 * To count tasks by the contexts of lists, or no more, their entries get other bindings.  A new
 * task gets its entry in its parent's fork() (task_entry.c).  If there is none, the parent's lists
 * are incomplete: their read() gives 0 bytes from then on.  An entry ends with its task.
 *
 * Locks: entries are written under entries_lock, and read in RCU sections; interrupts off is one.
 * Groups are added and removed under pmcgrp_groups_mutex.
 */
#include <linux/err.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include "compat.h"
#include "arbiter/cpu.h"
#include "counter/pool_tasks.h"
#include "follow/binding.h"
#include "follow/contexts.h"
#include "follow/fork_work.h"
#include "follow/task_context.h"
#include "follow/task_entry.h"
#include "follow/task_table.h"
#include "sched/sched.h"
#include "set/evlist.h"

/* Protects pmcgrp_task_bucket.entries; inside the run-queue lock. */
static DEFINE_RAW_SPINLOCK(entries_lock);
static unsigned int nr_entries; /* entries_lock; read anywhere */

/* Find the entry of a task in its bucket; in an RCU section, which interrupts off are, too. */
static __always_inline struct pmcgrp_task_entry *
entry_in(const struct pmcgrp_task_bucket *bucket, const struct task_struct *task)
{
	struct pmcgrp_task_entry *entry;

	hlist_for_each_entry_rcu(entry, &bucket->entries, node, irqs_disabled())
		if (entry->task == task)
			return entry;
	return NULL;
}

static struct pmcgrp_task_entry *entry_of(const struct task_struct *task)
{
	return entry_in(pmcgrp_task_bucket(task), task);
}

static bool task_has_entry(const struct task_struct *task)
{
	bool has;

	if (!READ_ONCE(nr_entries))
		return false;
	rcu_read_lock();
	has = entry_of(task);
	rcu_read_unlock();
	return has;
}

/* Give an entry another binding, a reference; without one it ends.  entries_lock is held. */
static void entry_set(struct pmcgrp_task_entry *entry, struct pmcgrp_binding *binding)
{
	struct pmcgrp_binding *old = entry->binding;

	lockdep_assert_held(&entries_lock);
	if (binding) {
		/* Pairs with pmcgrp_tasks_next(). */
		smp_store_release(&entry->binding, binding);
	} else {
		hlist_del_rcu(&entry->node);
		WRITE_ONCE(nr_entries, nr_entries - 1);
		kfree_rcu(entry, rcu);
	}
	pmcgrp_binding_put(old);
}

/* Add an entry with a binding, a reference. */
static void entry_add(struct pmcgrp_task_entry *entry, const struct task_struct *task,
		      struct pmcgrp_binding *binding)
{
	lockdep_assert_held(&entries_lock);
	entry->task = task;
	entry->binding = binding;
	hlist_add_head_rcu(&entry->node, &pmcgrp_task_bucket(task)->entries);
	WRITE_ONCE(nr_entries, nr_entries + 1);
}

/*
 * Bind a new task to the lists of its parent.  It may have been found among the threads of its
 * process before (pmcgrp_tasks_find_missing()).  Return: whether @fresh has become its entry.
 */
static bool bind_child(const struct task_struct *child, struct pmcgrp_binding *binding,
		       struct pmcgrp_task_entry *fresh)
{
	struct pmcgrp_task_entry *entry = entry_of(child);

	lockdep_assert_held(&entries_lock);
	if (entry ? !pmcgrp_binding_covers(binding, entry->binding) : !fresh) {
		pmcgrp_binding_lose(binding);
	} else if (entry) {
		entry_set(entry, pmcgrp_binding_get(binding));
	} else {
		entry_add(fresh, child, pmcgrp_binding_get(binding));
		return true;
	}
	return false;
}

/**
 * pmcgrp_tasks_fork - bind a new task to the lists that count what its parent creates
 * @child: the task, which has not run yet
 * @clone_flags: CLONE_*
 *
 * Context: a probe in the parent's fork(), which may not sleep.
 */
void pmcgrp_tasks_fork(const struct task_struct *child, u64 clone_flags)
{
	struct pmcgrp_task_entry *entry, *fresh;
	struct pmcgrp_binding *binding;
	unsigned long flags;
	bool used = false, grow;

	if (!task_has_entry(current))
		return;
	fresh = pmcgrp_task_entry_take();
	raw_spin_lock_irqsave(&entries_lock, flags);
	entry = entry_of(current);
	binding = entry ? entry->binding : NULL;
	if (binding && !(clone_flags & CLONE_THREAD))
		binding = binding->heirs;
	if (binding) {
		pmcgrp_binding_created(binding, clone_flags & CLONE_THREAD);
		used = bind_child(child, binding, fresh);
	}
	grow = used && pmcgrp_pool_tasks_expect(nr_entries);
	raw_spin_unlock_irqrestore(&entries_lock, flags);
	if (unlikely(grow) && !pmcgrp_fork_work_queue())
		pmcgrp_pool_tasks_grow_soon();
	if (fresh && !used)
		pmcgrp_task_entry_give(fresh);
}

/* End the entry of a task, if it has one.  Return: whether it had. */
static bool entry_end(const struct task_struct *task)
{
	struct pmcgrp_task_entry *entry;
	unsigned long flags;

	raw_spin_lock_irqsave(&entries_lock, flags);
	entry = entry_of(task);
	if (entry)
		entry_set(entry, NULL);
	raw_spin_unlock_irqrestore(&entries_lock, flags);
	return entry;
}

/*
 * Take a task that is in do_exit() out of the lists that count until then.  Return: whether any
 * did.  entries_lock is held.
 */
static bool entry_exits(struct pmcgrp_task_entry *entry)
{
	struct pmcgrp_binding *exiting = entry->binding->exiting;

	lockdep_assert_held(&entries_lock);
	if (exiting == entry->binding)
		return false;
	entry_set(entry, pmcgrp_binding_get(exiting));
	return true;
}

/**
 * pmcgrp_tasks_free - end the entry of a task that is about to be freed
 * @task: the task
 *
 * Context: a probe; may not sleep.
 */
void pmcgrp_tasks_free(const struct task_struct *task)
{
	if (task_has_entry(task))
		entry_end(task);
}

/**
 * pmcgrp_tasks_next - find the lists that count a task that is switched to
 * @bucket: its pmcgrp_task_bucket()
 * @next: the task
 *
 * Context: interrupts off.
 * Return: the lists, for pmcgrp_binding_out() and pmcgrp_binding_in(); valid until interrupts are
 * on.  NULL for none.
 */
const struct pmcgrp_binding *pmcgrp_tasks_next(const struct pmcgrp_task_bucket *bucket,
					       const struct task_struct *next)
{
	const struct pmcgrp_task_entry *entry = entry_in(bucket, next);

	lockdep_assert_irqs_disabled();
	/* Pairs with entry_set(). */
	return entry ? smp_load_acquire(&entry->binding) : NULL;
}

/* The running task has another binding than when it was switched to. */
static void apply_here(void *unused)
{
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();
	const struct pmcgrp_binding *to = pmcgrp_tasks_next(pmcgrp_task_bucket(current), current);
	struct pmcgrp_evset *set;

	/* What comes in on a CPU that goes offline would never go out: as in follow.c. */
	if (!pmcgrp_this_cpu_is_online())
		to = NULL;
	if (pmcgrp_binding_id(to) == pcpu->bound_id)
		return;
	pmcgrp_binding_out(pcpu, to, false);
	pmcgrp_binding_in(pcpu, to, NULL);
	list_for_each_entry(set, &pcpu->watched, watch_node)
		pmcgrp_sched_task_counted(set);
}

/**
 * pmcgrp_tasks_exec - end the entry of the running task, if it has executed a set-uid program
 *
 * Context: as pmcgrp_task_context_exec().
 */
void pmcgrp_tasks_exec(void)
{
	unsigned long flags;

	if (!READ_ONCE(nr_entries) || likely(pmcgrp_current_is_dumpable()))
		return;
	local_irq_save(flags);
	if (entry_end(current))
		apply_here(NULL);
	local_irq_restore(flags);
}

/* Whether a binding has lists that count until do_exit(). */
static bool may_exit(const struct pmcgrp_binding *binding)
{
	return binding && binding->exiting != binding;
}

/**
 * pmcgrp_tasks_exit - count the running task no longer by lists that count until do_exit()
 *
 * Context: perf_event_exit_task() of the running task: in do_exit(), after PF_EXITING has been set,
 * or in execve() of a set-uid program, where pmcgrp_tasks_exec() follows; interrupts off.
 */
void pmcgrp_tasks_exit(void)
{
	struct pmcgrp_task_entry *entry;
	bool changed;

	lockdep_assert_irqs_disabled();
	/* Pairs with binding_replace(): PF_EXITING is set before the entry is looked for. */
	smp_mb();
	if (!task_has_entry(current) ||
	    !may_exit(pmcgrp_tasks_next(pmcgrp_task_bucket(current), current)))
		return;
	raw_spin_lock(&entries_lock);
	entry = entry_of(current);
	changed = entry && entry_exits(entry);
	raw_spin_unlock(&entries_lock);
	if (changed)
		apply_here(NULL);
}

/**
 * struct addition - contexts that are added to the entries of tasks
 * @contexts: the contexts
 * @old: the binding that was replaced last, or NULL; a reference
 * @with: the binding that has replaced it, or NULL; a reference
 */
struct addition {
	struct pmcgrp_contexts *contexts;
	struct pmcgrp_binding *old;
	struct pmcgrp_binding *with;
};

/* Find the binding that replaces @old.  Threads of a process mostly have the same. */
static int addition_find(struct addition *add, struct pmcgrp_binding *old)
{
	struct pmcgrp_binding *with;

	if (add->with && add->old == old)
		return 0;
	with = pmcgrp_binding_with(old, add->contexts);
	if (IS_ERR(with))
		return PTR_ERR(with);
	pmcgrp_binding_put(add->with);
	pmcgrp_binding_put(add->old);
	add->old = pmcgrp_binding_get(old);
	add->with = with;
	return 0;
}

/**
 * pmcgrp_tasks_binding - get what counts a task with others
 * @task: the task
 *
 * Context: any but NMI, interrupts on.
 * Return: a reference, or NULL.
 */
struct pmcgrp_binding *pmcgrp_tasks_binding(const struct task_struct *task)
{
	struct pmcgrp_binding *binding = NULL;
	struct pmcgrp_task_entry *entry;

	raw_spin_lock_irq(&entries_lock);
	entry = entry_of(task);
	if (entry)
		binding = pmcgrp_binding_get(entry->binding);
	raw_spin_unlock_irq(&entries_lock);
	return binding;
}

/* Give a task a binding instead of @old; false if it has got another one meanwhile. */
static bool binding_replace(struct task_struct *task, const struct pmcgrp_binding *old,
			    struct pmcgrp_binding *with, struct pmcgrp_task_entry **fresh)
{
	struct pmcgrp_task_entry *entry;
	bool done = false;

	raw_spin_lock_irq(&entries_lock);
	entry = entry_of(task);
	if ((entry ? entry->binding : NULL) != old)
		goto unlock;
	done = true;
	/* Else it has been released: pmcgrp_tasks_free() may have seen it already. */
	if (!pid_alive(task))
		goto unlock;
	pmcgrp_binding_get(with);
	if (entry) {
		entry_set(entry, with);
	} else {
		entry = *fresh;
		entry_add(entry, task, with);
		*fresh = NULL;
	}
	/* Pairs with pmcgrp_tasks_exit(), which may have found the task without this binding. */
	smp_mb();
	if (READ_ONCE(task->flags) & PF_EXITING)
		entry_exits(entry);
unlock:
	raw_spin_unlock_irq(&entries_lock);
	return done;
}

static int bind_task(struct addition *add, struct task_struct *task)
{
	struct pmcgrp_binding *old;
	struct pmcgrp_task_entry *fresh;
	bool done = false;
	int err = 0;

	fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT);
	if (!fresh)
		return -ENOMEM;
	while (!done && !err) {
		old = pmcgrp_tasks_binding(task);
		done = pmcgrp_binding_has(old, add->contexts);
		if (!done)
			err = addition_find(add, old);
		if (!done && !err)
			done = binding_replace(task, old, add->with, &fresh);
		pmcgrp_binding_put(old);
	}
	kfree(fresh);
	return err;
}

/* A process may have created threads since the counters for them were made. */
static void tasks_expect(void)
{
	bool grow;

	raw_spin_lock_irq(&entries_lock);
	grow = pmcgrp_pool_tasks_expect(nr_entries);
	raw_spin_unlock_irq(&entries_lock);
	if (grow)
		pmcgrp_pool_tasks_grow_soon();
}

/**
 * pmcgrp_tasks_add - count tasks by the lists in contexts, and what they create from now on
 * @contexts: the contexts
 * @task: the tasks, references
 * @nr: number of tasks
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: 0; -ENOMEM, or -PMCGRP_ESWITCH as of pmcgrp_binding_with(): then some tasks may be
 * counted: pmcgrp_tasks_remove() cleans up.
 */
int pmcgrp_tasks_add(struct pmcgrp_contexts *contexts, struct task_struct *const *task,
		     unsigned int nr)
{
	struct addition add = { .contexts = contexts };
	unsigned int i;
	int err = 0;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (!pmcgrp_task_entries_fill())
		return -ENOMEM;
	for (i = 0; i < nr && !err; i++) {
		err = bind_task(&add, task[i]);
		cond_resched();
	}
	pmcgrp_binding_put(add.with);
	pmcgrp_binding_put(add.old);
	if (nr == 1) {
		pmcgrp_task_call(task[0], apply_here, NULL);
	} else {
		tasks_expect();
		on_each_cpu(apply_here, NULL, 1);
	}
	return err;
}

/* Find a binding with contexts in a bucket, a reference. */
static struct pmcgrp_binding *bucket_find(unsigned int bucket,
					  const struct pmcgrp_contexts *contexts)
{
	struct pmcgrp_binding *found = NULL;
	struct pmcgrp_task_entry *entry;

	raw_spin_lock_irq(&entries_lock);
	hlist_for_each_entry(entry, &pmcgrp_task_hash[bucket].entries, node)
		if (pmcgrp_binding_has(entry->binding, contexts)) {
			found = pmcgrp_binding_get(entry->binding);
			break;
		}
	raw_spin_unlock_irq(&entries_lock);
	return found;
}

/* Replace a binding in a bucket. */
static void bucket_replace(unsigned int bucket, const struct pmcgrp_binding *old,
			   struct pmcgrp_binding *with)
{
	struct hlist_node *next;
	struct pmcgrp_task_entry *entry;

	raw_spin_lock_irq(&entries_lock);
	hlist_for_each_entry_safe(entry, next, &pmcgrp_task_hash[bucket].entries, node) {
		if (entry->binding != old)
			continue;
		entry_set(entry, pmcgrp_binding_get(with));
	}
	raw_spin_unlock_irq(&entries_lock);
}

/* Remove contexts from all entries once.  Return: whether any had them. */
static bool remove_once(const struct pmcgrp_contexts *contexts)
{
	struct pmcgrp_binding *old, *with;
	unsigned int bucket, i;
	bool any = false;

	for (bucket = 0; bucket < ARRAY_SIZE(pmcgrp_task_hash); bucket++) {
		while ((old = bucket_find(bucket, contexts))) {
			with = pmcgrp_binding_without(old, contexts);
			for (i = bucket; i < ARRAY_SIZE(pmcgrp_task_hash); i++) {
				bucket_replace(i, old, with);
				cond_resched();
			}
			pmcgrp_binding_put(with);
			pmcgrp_binding_put(old);
			any = true;
		}
		cond_resched();
	}
	return any;
}

/**
 * pmcgrp_tasks_remove - count no task by contexts any more
 * @contexts: the contexts
 *
 * On return no binding names them that a task has.  They may be in until the next switch.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_tasks_remove(const struct pmcgrp_contexts *contexts)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	/*
	 * Again for those that were added by fork() behind us: their parents were ahead.  Once a
	 * whole pass finds no entry, no parent is left.
	 */
	while (READ_ONCE(nr_entries) && remove_once(contexts))
		cond_resched();
}

/**
 * pmcgrp_task_is_bound - check whether contexts count a task
 * @task: the task
 * @contexts: the contexts
 *
 * Context: an RCU section, which interrupts off are, too.
 */
bool pmcgrp_task_is_bound(const struct task_struct *task, const struct pmcgrp_contexts *contexts)
{
	const struct pmcgrp_task_entry *entry = entry_of(task);

	return entry && pmcgrp_binding_has(READ_ONCE(entry->binding), contexts);
}

/**
 * pmcgrp_tasks_visit - look at the tasks of contexts that are in one bucket of the table
 * @bucket: number of the bucket
 * @contexts: the contexts
 * @visit: called for each task, which is not freed meanwhile, with interrupts off; false: no more
 * @arg: argument of @visit
 *
 * Context: any but NMI.
 * Return: false if a call has.
 */
bool pmcgrp_tasks_visit(unsigned int bucket, const struct pmcgrp_contexts *contexts,
			pmcgrp_task_visit_t visit, void *arg)
{
	const struct hlist_head *entries = &pmcgrp_task_hash[bucket].entries;
	struct pmcgrp_task_entry *entry;
	unsigned long flags;
	bool more = true;

	/* Most are empty.  An entry that is being added is of a task that has not run yet. */
	if (hlist_empty(entries))
		return true;
	raw_spin_lock_irqsave(&entries_lock, flags);
	hlist_for_each_entry(entry, entries, node) {
		if (pmcgrp_binding_has(entry->binding, contexts))
			more = visit((struct task_struct *)entry->task, arg);
		if (!more)
			break;
	}
	raw_spin_unlock_irqrestore(&entries_lock, flags);
	return more;
}
