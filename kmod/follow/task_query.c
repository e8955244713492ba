// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is asked of the table of tasks: which tasks contexts count, and which they do not.
 */
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include "follow/binding.h"
#include "follow/contexts.h"
#include "follow/task_binding.h"
#include "follow/task_query.h"
#include "follow/task_table.h"

/* Threads of a process that are looked at before others may run. */
#define WALK_AT_ONCE 128

/*
 * Let others run in the middle of a walk through the threads of a process, in an RCU section, as
 * kernel/hung_task.c does.  Return: whether the walk can go on: the thread is still there.
 */
static bool walk_pause(struct task_struct *thread)
{
	bool there;

	get_task_struct(thread);
	rcu_read_unlock();
	cond_resched();
	rcu_read_lock();
	there = pid_alive(thread);
	put_task_struct(thread);
	return there;
}

typedef bool (*task_visit_t)(struct task_struct *task, void *arg);

/*
 * Look at the threads of a process that do not exit, until a call returns false.  Return: false if
 * some were not reached, as the one has gone where others were let run.
 */
static bool visit_threads(struct task_struct *task, task_visit_t visit, void *arg)
{
	struct task_struct *thread;
	unsigned int walked = 0;
	bool all = true;

	rcu_read_lock();
	for_each_thread(task, thread) {
		if (!(++walked % WALK_AT_ONCE) && !walk_pause(thread)) {
			all = false;
			break;
		}
		if (!(thread->flags & PF_EXITING) && !visit(thread, arg))
			break;
	}
	rcu_read_unlock();
	return all;
}

/**
 * struct collection - tasks that are looked for
 * @contexts: in: those of which they are, or are not
 * @task: array for references of them; NULL: they are only counted
 * @room: the most to be found
 * @nr: out: how many were found
 * @any: out: there was one that is not looked for
 */
struct collection {
	const struct pmcgrp_contexts *contexts;
	struct task_struct **task;
	unsigned int room;
	unsigned int nr;
	bool any;
};

static bool task_query_collect(struct task_struct *task, struct collection *c)
{
	if (c->task)
		c->task[c->nr] = get_task_struct(task);
	return ++c->nr < c->room;
}

static bool collect_missing(struct task_struct *thread, void *info)
{
	struct collection *c = info;

	if (!pmcgrp_task_is_bound(thread, c->contexts))
		return task_query_collect(thread, c);
	c->any = true;
	return true;
}

static bool collect_alive(struct task_struct *task, void *info)
{
	return READ_ONCE(task->flags) & PF_EXITING || task_query_collect(task, info);
}

/**
 * pmcgrp_tasks_find_missing - find the threads of a process that contexts do not count yet
 * @contexts: the contexts
 * @task: a thread of the process
 * @nr: out: how many were found
 *
 * A thread that is created later has its parent's lists.  Not all may be found at once: only if
 * none is found there is none.
 *
 * Context: may sleep.
 * Return: references of the tasks, in an array for kvfree(); or an ERR_PTR: -ENOMEM.
 */
struct task_struct **pmcgrp_tasks_find_missing(const struct pmcgrp_contexts *contexts,
					       struct task_struct *task, unsigned int *nr)
{
	struct collection c = { .contexts = contexts, .room = get_nr_threads(task) + 16 };

	c.task = kvmalloc_array(c.room, sizeof(*c.task), GFP_KERNEL_ACCOUNT);
	if (!c.task)
		return ERR_PTR(-ENOMEM);
	while (!visit_threads(task, collect_missing, &c) && !c.nr)
		;
	*nr = c.nr;
	return c.task;
}

/**
 * pmcgrp_tasks_have_target - check whether contexts count all of their target, which is alive
 * @contexts: the contexts, which count the target task or some threads of the process
 *
 * Context: may sleep.
 */
bool pmcgrp_tasks_have_target(const struct pmcgrp_contexts *contexts)
{
	struct collection c = { .contexts = contexts, .room = 1 };

	if (contexts->target_type != PMCGRP_TARGET_PROCESS)
		return !(READ_ONCE(contexts->task->flags) & PF_EXITING);
	while (!visit_threads(contexts->task, collect_missing, &c) && !c.nr)
		;
	return c.any && !c.nr;
}

/**
 * struct walk - a walk through the tasks of contexts
 * @contexts: the contexts
 * @visit: called for each task, which is not freed meanwhile, with interrupts off; false: no more
 * @arg: argument of @visit
 * @from: as of pmcgrp_task_records_visit()
 * @ended: out: a call of @visit has ended it
 */
struct walk {
	const struct pmcgrp_contexts *contexts;
	task_visit_t visit;
	void *arg;
	u64 from;
	bool ended;
};

static bool walk_visit(struct pmcgrp_task_record *record, void *info)
{
	struct walk *walk = info;

	walk->ended = pmcgrp_binding_has(pmcgrp_task_record_binding(record), walk->contexts) &&
		      !walk->visit(record->task, walk->arg);
	return !walk->ended;
}

/* Some steps of a walk.  Return: whether there may be more. */
static bool walk_on(struct walk *walk)
{
	return pmcgrp_task_records_visit(&walk->from, walk_visit, walk);
}

/* Look at all tasks of contexts.  Return: false if a call has. */
static bool visit_all(const struct pmcgrp_contexts *contexts, task_visit_t visit, void *arg)
{
	struct walk walk = { .contexts = contexts, .visit = visit, .arg = arg };

	while (walk_on(&walk))
		cond_resched();
	return !walk.ended;
}

/**
 * pmcgrp_tasks_count - count the tasks of contexts that have not exited
 * @contexts: the contexts
 *
 * Context: may sleep.
 */
unsigned int pmcgrp_tasks_count(const struct pmcgrp_contexts *contexts)
{
	struct collection c = { .room = UINT_MAX };

	visit_all(contexts, collect_alive, &c);
	return c.nr;
}

/**
 * pmcgrp_tasks_collect - get the tasks of contexts that have not exited
 * @contexts: the contexts
 * @nr: out: how many there are
 *
 * Of tasks that are created meanwhile not all may be among them.
 *
 * Context: may sleep.
 * Return: as pmcgrp_tasks_find_missing().
 */
struct task_struct **pmcgrp_tasks_collect(const struct pmcgrp_contexts *contexts, unsigned int *nr)
{
	struct collection c = { .room = pmcgrp_tasks_count(contexts) + 16 };

	*nr = 0;
	c.task = kvmalloc_array(c.room, sizeof(*c.task), GFP_KERNEL_ACCOUNT);
	if (!c.task)
		return ERR_PTR(-ENOMEM);
	visit_all(contexts, collect_alive, &c);
	*nr = c.nr;
	return c.task;
}

/* Whether a task is the target, or a thread of it if that is a process. */
static bool task_query_is_of(struct task_struct *task, void *info)
{
	const struct pmcgrp_contexts *contexts = info;

	return contexts->target_type == PMCGRP_TARGET_PROCESS ?
		       same_thread_group(task, contexts->task) :
		       task == contexts->task;
}

/**
 * pmcgrp_tasks_are_of_target - check whether contexts count nothing but their target
 * @contexts: the contexts
 *
 * Tasks that exit are counted until the end, so they are among the others.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
bool pmcgrp_tasks_are_of_target(struct pmcgrp_contexts *contexts)
{
	return !READ_ONCE(contexts->has_created) || visit_all(contexts, task_query_is_of, contexts);
}

/* Which memory map is looked for, only to be compared, and whether a task uses it. */
struct search {
	const struct mm_struct *mm;
	bool found;
};

static bool look(struct task_struct *task, void *info)
{
	struct search *search = info;

	search->found = READ_ONCE(task->mm) == search->mm;
	return !search->found;
}

/**
 * pmcgrp_tasks_use_mm - check whether any task of contexts uses a memory map
 * @contexts: the contexts
 * @mm: the memory map, only to be compared
 *
 * The running task is looked for first.  Of others a task that is being created may not be found
 * yet; but its parent is, if it shares the memory map.
 *
 * Context: any but NMI; mmap_lock may be held.
 */
bool pmcgrp_tasks_use_mm(const struct pmcgrp_contexts *contexts, const struct mm_struct *mm)
{
	struct search search = { .mm = mm };
	struct walk walk = { .contexts = contexts, .visit = look, .arg = &search };

	rcu_read_lock();
	search.found = current->mm == mm && pmcgrp_task_is_bound(current, contexts);
	rcu_read_unlock();
	/* Nobody else uses it: exec() asks this of each program. */
	if (mm == current->mm && atomic_read(&current->mm->mm_users) == 1)
		return search.found;
	while (!search.found && walk_on(&walk))
		;
	return search.found;
}
