/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_TASK_CONTEXT_H
#define PMCGRP_TASK_CONTEXT_H

#include <linux/hash.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/types.h>
#include "follow/context.h"
#include "set/follower.h"

/**
 * struct pmcgrp_task_context - the sets that follow one task
 * @ctx: the context; holds a reference of the task
 * @node: in pmcgrp_task_bucket.contexts of the task
 * @rcu: frees it, after those who look it up in an RCU section
 * @nr: lists that have a set in it; pmcgrp_groups_mutex
 * @mutex: that of @ctx
 * @enabled: there are enabled sets: it is scheduled in with its task; written under @mutex
 * @nr_until_exit: lists in it that count until do_exit(); written under pmcgrp_groups_mutex
 */
struct pmcgrp_task_context {
	struct pmcgrp_context ctx;
	struct hlist_node node;
	struct rcu_head rcu;
	unsigned int nr;
	struct mutex mutex;
	bool enabled;
	unsigned int nr_until_exit;
};

#define PMCGRP_TASK_HASH_BITS 10

/**
 * struct pmcgrp_task_bucket - what is known of tasks with the same hash
 * @contexts: their contexts, by pmcgrp_task_context.node; written under pmcgrp_groups_mutex, read
 *	in RCU sections
 * @entries: their entries in the table of tasks (task_table.c)
 *
 * Most tasks are not counted: one look at both is enough for the probe on sched_switch.
 */
struct pmcgrp_task_bucket {
	struct hlist_head contexts;
	struct hlist_head entries;
};

extern struct pmcgrp_task_bucket pmcgrp_task_hash[1 << PMCGRP_TASK_HASH_BITS];

static __always_inline struct pmcgrp_task_bucket *pmcgrp_task_bucket(const struct task_struct *task)
{
	return &pmcgrp_task_hash[hash_ptr(task, PMCGRP_TASK_HASH_BITS)];
}

/* Whether a task may have a context or an entry. */
static __always_inline bool pmcgrp_task_may_be_counted(const struct pmcgrp_task_bucket *bucket)
{
	return READ_ONCE(bucket->contexts.first) || READ_ONCE(bucket->entries.first);
}

/*
 * Whether the context of a task is not scheduled in any more: the task exits, or has executed a
 * set-uid program.
 */
static inline bool pmcgrp_context_has_ended(const struct pmcgrp_context *ctx)
{
	return READ_ONCE(ctx->ended) || READ_ONCE(ctx->task->flags) & PF_EXITING;
}

/* In its context until there is a ring; with a user page. */
extern const struct pmcgrp_follower pmcgrp_task_follower, pmcgrp_task_carried;

struct pmcgrp_context *pmcgrp_task_context_next(const struct pmcgrp_task_bucket *bucket,
						const struct task_struct *task);
void pmcgrp_task_context_exec(void);
bool pmcgrp_task_context_exit(void);
void pmcgrp_task_call(struct task_struct *task, smp_call_func_t func, void *info);

#endif /* PMCGRP_TASK_CONTEXT_H */
