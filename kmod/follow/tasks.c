// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists of several tasks: the threads of a process, or a task with what it creates.  On each CPU
 * their sets are in the contexts of all lists that count the same tasks (contexts.c).  The table of
 * tasks has which contexts count a task (task_binding.c).
 *
 * Lists with the same target count the same tasks, unless these have created some in between that
 * only the older list counts.  Then the newer one gets contexts of its own.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include "counter/attr.h"
#include "follow/binding.h"
#include "follow/contexts.h"
#include "follow/latch.h"
#include "follow/task_binding.h"
#include "follow/task_query.h"
#include "follow/tasks.h"
#include "set/evlist.h"

/* Whether a list has the same target. */
static bool has_target(const struct pmcgrp_contexts *contexts, const struct pmcgrp_evlist *evlist)
{
	return contexts->target_type == evlist->target_type &&
	       contexts->flags == (evlist->flags & PMCGRP_CONTEXTS_FLAGS) &&
	       contexts->whose == evlist->whose;
}

/* Whether a new list of the target is to count the same tasks: all of it, and no others. */
static bool has_tasks(struct pmcgrp_contexts *contexts)
{
	return !READ_ONCE(contexts->incomplete) && pmcgrp_tasks_have_target(contexts) &&
	       pmcgrp_tasks_are_of_target(contexts);
}

/* Find the contexts that a new list can be in. */
static struct pmcgrp_contexts *contexts_find(const struct pmcgrp_evlist *evlist)
{
	struct pmcgrp_binding *binding;
	struct pmcgrp_contexts *found = NULL;
	unsigned int i;

	/* Each of its tasks has a latch of its own (latch.c). */
	if (evlist->flags & PMCGRP_CREATE_ENABLE_ON_EXEC)
		return NULL;
	binding = pmcgrp_tasks_binding(evlist->task);
	for (i = 0; binding && !found && i < binding->nr; i++)
		if (has_target(binding->contexts[i], evlist) &&
		    has_tasks(binding->contexts[i]))
			found = binding->contexts[i];
	pmcgrp_binding_put(binding);
	return found;
}

/* Not after execve() of a set-uid program: its new lists do count the task. */
static bool tasks_suit(const struct pmcgrp_evlist *evlist, const struct pmcgrp_target *target)
{
	struct pmcgrp_contexts *contexts = evlist->contexts;
	struct pmcgrp_binding *binding;
	bool bound;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	binding = pmcgrp_tasks_binding(evlist->task);
	bound = pmcgrp_binding_has(binding, contexts);
	pmcgrp_binding_put(binding);
	return bound && has_tasks(contexts);
}

/* Count tasks, and have each enable the list at execve() if it is to. */
static int tasks_bind(struct pmcgrp_evlist *evlist, struct task_struct *const *task,
		      unsigned int nr)
{
	int err = pmcgrp_tasks_add(evlist->contexts, task, nr);
	unsigned int i;

	if (!(evlist->flags & PMCGRP_CREATE_ENABLE_ON_EXEC))
		return err;
	for (i = 0; i < nr && !err; i++) {
		err = pmcgrp_latch_add(evlist, task[i]);
		if (err == -ESRCH && evlist->target_type == PMCGRP_TARGET_PROCESS)
			err = 0; /* the thread has exited */
		cond_resched();
	}
	return err;
}

/*
 * Count all threads of a process.  A thread that is created meanwhile is counted like its parent.
 * If its parent was not counted yet, the next walk finds it.
 */
static int tasks_bind_process(struct pmcgrp_evlist *evlist)
{
	struct task_struct **found;
	unsigned int i, nr, any = 0;
	int err;

	do {
		found = pmcgrp_tasks_find_missing(evlist->contexts, evlist->task, &nr);
		if (IS_ERR(found))
			return PTR_ERR(found);
		err = tasks_bind(evlist, found, nr);
		for (i = 0; i < nr; i++)
			put_task_struct(found[i]);
		kvfree(found);
		any += nr;
	} while (!err && nr);
	if (err)
		return err;
	return any ? 0 : -ESRCH;
}

static int tasks_make(struct pmcgrp_evlist *evlist, const struct pmcgrp_evlist *like,
		      struct pmcgrp_failure *fail)
{
	bool of_process = evlist->target_type == PMCGRP_TARGET_PROCESS, fresh;
	struct pmcgrp_contexts *contexts;
	int err;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	evlist->is_followed = evlist->flags & PMCGRP_CREATE_ENABLE_ON_EXEC;
	/* As perf core refuses its events (kernel/events/core.c: find_get_context()). */
	if (!like && !of_process && evlist->task->flags & PF_EXITING)
		return -ESRCH;
	contexts = like ? like->contexts : contexts_find(evlist);
	fresh = !contexts;
	if (fresh)
		contexts = pmcgrp_contexts_alloc(evlist);
	if (!contexts)
		return -ENOMEM;
	err = pmcgrp_contexts_share(evlist, contexts);
	if (err && fresh)
		pmcgrp_contexts_free(contexts);
	if (!err && pmcgrp_evlist_follows(evlist))
		pmcgrp_contexts_set_enabled(evlist, true);
	if (err || !fresh)
		return err;
	return of_process ? tasks_bind_process(evlist) : tasks_bind(evlist, &evlist->task, 1);
}

/* Nobody is bound to contexts without lists. */
static void tasks_drop(struct pmcgrp_evlist *evlist)
{
	struct pmcgrp_contexts *contexts;

	pmcgrp_latches_drop(evlist);
	contexts = evlist->contexts ? pmcgrp_contexts_leave(evlist) : NULL;
	if (!contexts)
		return;
	pmcgrp_tasks_remove(contexts);
	pmcgrp_contexts_free(contexts);
}

static int tasks_watch(struct pmcgrp_evlist *evlist, struct pmcgrp_end_watch *watch)
{
	struct pmcgrp_contexts *contexts = evlist->contexts;

	mutex_lock(&contexts->mutex);
	list_add_tail_rcu(&watch->node, &contexts->watches);
	mutex_unlock(&contexts->mutex);
	return 0;
}

static void tasks_unwatch(struct pmcgrp_evlist *evlist, struct pmcgrp_end_watch *watch)
{
	struct pmcgrp_contexts *contexts = evlist->contexts;

	mutex_lock(&contexts->mutex);
	list_del_rcu(&watch->node);
	mutex_unlock(&contexts->mutex);
}

static u64 tasks_whose(const struct pmcgrp_target *target)
{
	return (unsigned long)target->task;
}

/* All threads of a process have the same. */
static u64 tasks_whose_process(const struct pmcgrp_target *target)
{
	return (unsigned long)target->task->signal;
}

#define TASKS_FOLLOWED				\
	.has_binding = true,			\
	.has_probes = true,			\
	.suits = tasks_suit,			\
	.make = tasks_make,			\
	.drop = tasks_drop,			\
	.enable = pmcgrp_contexts_set_enabled,	\
	.watch = tasks_watch,			\
	.unwatch = tasks_unwatch

const struct pmcgrp_follower pmcgrp_tasks_created = {
	TASKS_FOLLOWED,
	.whose = tasks_whose,
};

const struct pmcgrp_follower pmcgrp_tasks_of_process = {
	TASKS_FOLLOWED,
	.whose = tasks_whose_process,
};
