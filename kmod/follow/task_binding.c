// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bindings of the tasks that are counted with what they create (binding.c).
 *
 * To count tasks by the contexts of lists, or no more, they get other bindings.  A new task gets
 * its binding in its parent's fork(), and the record for it (task_record.c).  If there is none, the
 * parent's lists are incomplete: their read() gives 0 bytes from then on.  A binding ends with its
 * task.
 *
 * Locks: bindings of tasks are written under pmcgrp_tasks_lock, and read in RCU sections
 * (task_table.c).  Groups are added and removed under pmcgrp_groups_mutex.
 */
#include <linux/err.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
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
#include "follow/task_binding.h"
#include "follow/task_context.h"
#include "follow/task_record.h"
#include "follow/task_table.h"
#include "sched/sched.h"
#include "set/evlist.h"

static unsigned int nr_bound; /* tasks with a binding; pmcgrp_tasks_lock, read anywhere */

/* In an RCU section, which interrupts off are, too. */
static struct pmcgrp_binding *binding_of(const struct task_struct *task)
{
	return pmcgrp_task_record_binding(pmcgrp_task_record_of(task));
}

static bool task_is_bound(const struct task_struct *task)
{
	bool is_bound;

	if (!READ_ONCE(nr_bound))
		return false;
	rcu_read_lock();
	is_bound = binding_of(task);
	rcu_read_unlock();
	return is_bound;
}

/* Give a task another binding, a reference; or none, NULL. */
static void record_bind(struct pmcgrp_task_record *record, struct pmcgrp_binding *binding)
{
	struct pmcgrp_binding *old = pmcgrp_task_record_binding(record);

	lockdep_assert_held(&pmcgrp_tasks_lock);
	WRITE_ONCE(nr_bound, nr_bound + !!binding - !!old);
	/* Pairs with pmcgrp_task_record_binding(). */
	rcu_assign_pointer(record->binding, binding);
	pmcgrp_task_record_tidy(record);
	pmcgrp_binding_put(old);
}

/*
 * Bind a new task to the lists of its parent.  It may have been found among the threads of its
 * process before (pmcgrp_tasks_find_missing()).  Return: whether there is one bound task more.
 */
static bool bind_child(struct task_struct *child, struct pmcgrp_binding *binding,
		       struct pmcgrp_task_record **fresh)
{
	struct pmcgrp_task_record *record = pmcgrp_task_record_find_or_add(child, fresh);
	const struct pmcgrp_binding *old = pmcgrp_task_record_binding(record);

	lockdep_assert_held(&pmcgrp_tasks_lock);
	if (!record || (old && !pmcgrp_binding_covers(binding, old))) {
		pmcgrp_binding_lose(binding);
		return false;
	}
	record_bind(record, pmcgrp_binding_get(binding));
	return !old;
}

/**
 * pmcgrp_tasks_fork - bind a new task to the lists that count what its parent creates
 * @child: the task, which has not run yet
 * @clone_flags: CLONE_*
 *
 * Context: a probe in the parent's fork(), which may not sleep.
 */
void pmcgrp_tasks_fork(struct task_struct *child, u64 clone_flags)
{
	struct pmcgrp_task_record *fresh;
	struct pmcgrp_binding *binding;
	unsigned long flags;
	bool grow = false;

	if (!task_is_bound(current))
		return;
	fresh = pmcgrp_task_record_take();
	raw_spin_lock_irqsave(&pmcgrp_tasks_lock, flags);
	binding = binding_of(current);
	if (binding && !(clone_flags & CLONE_THREAD))
		binding = binding->heirs;
	if (binding) {
		pmcgrp_binding_created(binding, clone_flags & CLONE_THREAD);
		grow = bind_child(child, binding, &fresh) && pmcgrp_pool_tasks_expect(nr_bound);
	}
	raw_spin_unlock_irqrestore(&pmcgrp_tasks_lock, flags);
	if (unlikely(grow) && !pmcgrp_fork_work_queue())
		pmcgrp_pool_tasks_grow_soon();
	if (fresh)
		pmcgrp_task_record_give(fresh);
}

/* Let a task be bound no more.  Return: whether it was. */
static bool task_unbind(const struct task_struct *task)
{
	struct pmcgrp_task_record *record;
	unsigned long flags;
	bool was_bound;

	raw_spin_lock_irqsave(&pmcgrp_tasks_lock, flags);
	record = pmcgrp_task_record_of(task);
	was_bound = pmcgrp_task_record_binding(record);
	if (was_bound)
		record_bind(record, NULL);
	raw_spin_unlock_irqrestore(&pmcgrp_tasks_lock, flags);
	return was_bound;
}

/* Whether a binding, which may be NULL, has lists that count until do_exit(). */
static bool may_exit(const struct pmcgrp_binding *binding)
{
	return binding && binding->exiting != binding;
}

/*
 * Take a task that is in do_exit() out of the lists that count until then.  Return: whether any
 * did.
 */
static bool record_exits(struct pmcgrp_task_record *record)
{
	const struct pmcgrp_binding *binding = pmcgrp_task_record_binding(record);

	lockdep_assert_held(&pmcgrp_tasks_lock);
	if (!may_exit(binding))
		return false;
	record_bind(record, pmcgrp_binding_get(binding->exiting));
	return true;
}

/**
 * pmcgrp_tasks_free - forget the binding of a task that is about to be freed
 * @task: the task
 *
 * Context: a probe; may not sleep.
 */
void pmcgrp_tasks_free(const struct task_struct *task)
{
	if (task_is_bound(task))
		task_unbind(task);
}

/* The running task has another binding than when it was switched to. */
static void apply_here(void *unused)
{
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();
	const struct pmcgrp_binding *to = binding_of(current);
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
 * pmcgrp_tasks_exec - forget the binding of the running task, if it has executed a set-uid program
 *
 * Context: as pmcgrp_task_context_exec().
 */
void pmcgrp_tasks_exec(void)
{
	unsigned long flags;

	if (!READ_ONCE(nr_bound) || likely(pmcgrp_current_is_dumpable()))
		return;
	local_irq_save(flags);
	if (task_unbind(current))
		apply_here(NULL);
	local_irq_restore(flags);
}

/**
 * pmcgrp_tasks_exit - count the running task no longer by lists that count until do_exit()
 *
 * Context: perf_event_exit_task() of the running task: in do_exit(), after PF_EXITING has been set,
 * or in execve() of a set-uid program, where pmcgrp_tasks_exec() follows; interrupts off.
 */
void pmcgrp_tasks_exit(void)
{
	struct pmcgrp_task_record *record;
	bool changed;

	lockdep_assert_irqs_disabled();
	/* Pairs with binding_replace(): PF_EXITING is set before the binding is looked for. */
	smp_mb();
	if (!READ_ONCE(nr_bound) || !may_exit(binding_of(current)))
		return;
	raw_spin_lock(&pmcgrp_tasks_lock);
	record = pmcgrp_task_record_of(current);
	changed = record && record_exits(record);
	raw_spin_unlock(&pmcgrp_tasks_lock);
	if (changed)
		apply_here(NULL);
}

/**
 * struct addition - contexts that are added to the bindings of tasks
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
	struct pmcgrp_binding *binding;

	raw_spin_lock_irq(&pmcgrp_tasks_lock);
	binding = pmcgrp_binding_get(binding_of(task));
	raw_spin_unlock_irq(&pmcgrp_tasks_lock);
	return binding;
}

/* Give a task a binding instead of @old; false if it has got another one meanwhile. */
static bool binding_replace(struct task_struct *task, const struct pmcgrp_binding *old,
			    struct pmcgrp_binding *with, struct pmcgrp_task_record **fresh)
{
	struct pmcgrp_task_record *record;
	bool done;

	raw_spin_lock_irq(&pmcgrp_tasks_lock);
	done = binding_of(task) == old;
	/* Else it has been released: pmcgrp_tasks_free() may have seen it already. */
	if (!done || !pid_alive(task))
		goto unlock;
	record = pmcgrp_task_record_find_or_add(task, fresh);
	record_bind(record, pmcgrp_binding_get(with));
	/* Pairs with pmcgrp_tasks_exit(), which may have found the task without this binding. */
	smp_mb();
	if (READ_ONCE(task->flags) & PF_EXITING)
		record_exits(record);
unlock:
	raw_spin_unlock_irq(&pmcgrp_tasks_lock);
	return done;
}

static int bind_task(struct addition *add, struct task_struct *task)
{
	struct pmcgrp_binding *old;
	struct pmcgrp_task_record *fresh;
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

	raw_spin_lock_irq(&pmcgrp_tasks_lock);
	grow = pmcgrp_pool_tasks_expect(nr_bound);
	raw_spin_unlock_irq(&pmcgrp_tasks_lock);
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
	if (!pmcgrp_task_records_fill())
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

/**
 * struct removal - contexts that are removed from the bindings of tasks
 * @contexts: the contexts
 * @old: a binding that has them and was found, a reference; or NULL
 * @with: the binding that replaces it, a reference; or NULL
 */
struct removal {
	const struct pmcgrp_contexts *contexts;
	struct pmcgrp_binding *old;
	struct pmcgrp_binding *with;
};

static bool removal_find(struct pmcgrp_task_record *record, void *info)
{
	struct pmcgrp_binding *binding = pmcgrp_task_record_binding(record);
	struct removal *r = info;

	if (!pmcgrp_binding_has(binding, r->contexts))
		return true;
	r->old = pmcgrp_binding_get(binding);
	return false;
}

static bool removal_replace(struct pmcgrp_task_record *record, void *info)
{
	const struct removal *r = info;

	if (pmcgrp_task_record_binding(record) == r->old)
		record_bind(record, pmcgrp_binding_get(r->with));
	return true;
}

/* Remove contexts from all bindings once.  Return: whether any had them. */
static bool remove_once(const struct pmcgrp_contexts *contexts)
{
	struct removal r = { .contexts = contexts };
	u64 from = 0, on;
	bool any = false;

	for (;; any = true) {
		r.old = NULL;
		while (pmcgrp_task_records_visit(&from, removal_find, &r))
			cond_resched();
		if (!r.old)
			return any;
		r.with = pmcgrp_binding_without(r.old, contexts);
		on = from;
		while (pmcgrp_task_records_visit(&on, removal_replace, &r))
			cond_resched();
		pmcgrp_binding_put(r.with);
		pmcgrp_binding_put(r.old);
	}
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
	 * whole pass finds none, no parent is left.
	 */
	while (READ_ONCE(nr_bound) && remove_once(contexts))
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
	return pmcgrp_binding_has(binding_of(task), contexts);
}
