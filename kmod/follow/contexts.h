/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_CONTEXTS_H
#define PMCGRP_CONTEXTS_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/rhashtable-types.h>
#include <linux/smp.h>
#include <linux/types.h>
#include "follow/context.h"
#include "set/evlist.h"

struct task_struct;

/**
 * struct pmcgrp_contexts - contexts of the lists that count the same tasks, one on each CPU
 * @target_type: enum pmcgrp_target_type of these lists; constant
 * @flags: those of %PMCGRP_CONTEXTS_FLAGS that they have; constant
 * @whose: pmcgrp_evlist.whose of these lists; constant
 * @task: the target task, or a thread of the process; a reference.  NULL for a cgroup.  Constant.
 * @cgroup_id: the cgroup, or 0; constant
 * @cgroup_level: its level; constant
 * @cgroup_node: node in the table of these (cgroup.c)
 * @rcu: frees it
 * @mutex: that of each context
 * @nr: lists in it; pmcgrp_groups_mutex
 * @nr_always: those of them that a switch always visits; pmcgrp_groups_mutex
 * @nr_lazy: those of them that are lazy; pmcgrp_groups_mutex
 * @lists: those of them that are enabled as well, an RCU list; written under @mutex
 * @come: CPUs where it has been in, or is about to be; a bit is set there, and never cleared
 * @nr_bindings: bindings that name it (binding.c)
 * @has_created: its tasks may be more than its target was: they have created some.  Written under
 *	pmcgrp_tasks_lock.
 * @incomplete: a task that it is to count could not be followed: read() gives 0 bytes.  Written in
 *	any context
 * @watches: list of struct pmcgrp_end_watch, an RCU list; written under the mutex of a list in it,
 *	and @mutex
 * @cpu: the context of each CPU
 *
 * Lists come in and go together with it: so a context switch does not look at each of them.
 */
struct pmcgrp_contexts {
	u32 target_type;
	u64 flags;
	u64 whose;
	struct task_struct *task;
	u64 cgroup_id;
	unsigned int cgroup_level;
	struct rhash_head cgroup_node;
	struct rcu_head rcu;
	struct mutex mutex;
	unsigned int nr;
	unsigned int nr_always;
	unsigned int nr_lazy;
	struct list_head lists;
	struct cpumask *come;
	atomic_t nr_bindings;
	bool has_created;
	bool incomplete;
	struct list_head watches;
	struct {
		struct pmcgrp_context ctx;
	} ____cacheline_aligned_in_smp cpu[];
};

/* Flags by which the tasks of two lists with the same target differ. */
#define PMCGRP_CONTEXTS_FLAGS (PMCGRP_CREATE_INHERIT | PMCGRP_CREATE_UNTIL_EXIT)

int pmcgrp_contexts_share(struct pmcgrp_evlist *evlist, struct pmcgrp_contexts *contexts);
int pmcgrp_contexts_always(struct pmcgrp_evlist *evlist);
void pmcgrp_contexts_add(struct pmcgrp_evlist *evlist, struct pmcgrp_evset *set, int cpu);
struct pmcgrp_contexts *pmcgrp_contexts_alloc(const struct pmcgrp_evlist *evlist);
struct pmcgrp_contexts *pmcgrp_contexts_leave(struct pmcgrp_evlist *evlist);
void pmcgrp_contexts_free(struct pmcgrp_contexts *contexts);
void pmcgrp_contexts_come(struct pmcgrp_contexts *contexts);
void pmcgrp_contexts_make_sets(struct pmcgrp_evlist *evlist);
void pmcgrp_contexts_set_enabled(struct pmcgrp_evlist *evlist, bool on);
void pmcgrp_contexts_catch_up(struct pmcgrp_evlist *evlist);
void pmcgrp_contexts_end_rest(struct pmcgrp_evlist *evlist);

/* The context of this CPU; the caller cannot migrate. */
static inline struct pmcgrp_context *pmcgrp_contexts_here(struct pmcgrp_contexts *contexts)
{
	return &contexts->cpu[smp_processor_id()].ctx;
}

/* Whether a task could not be followed that a list is to count. */
static inline bool pmcgrp_evlist_is_incomplete(const struct pmcgrp_evlist *evlist)
{
	return evlist->contexts && READ_ONCE(evlist->contexts->incomplete);
}

#endif /* PMCGRP_CONTEXTS_H */
