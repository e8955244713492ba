/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_TASK_CONTEXT_H
#define PMCGRP_TASK_CONTEXT_H

#include <linux/irqflags.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/types.h>
#include "follow/context.h"
#include "follow/task_record.h"
#include "set/follower.h"

/**
 * struct pmcgrp_task_context - the sets that follow one task
 * @record: for the task, unless it had one before; its @rcu frees both
 * @ctx: the context; holds a reference of the task
 * @mutex: that of @ctx
 * @nr: lists that have a set in it; pmcgrp_groups_mutex
 * @nr_until_exit: lists in it that count until do_exit(); written under pmcgrp_groups_mutex
 */
struct pmcgrp_task_context {
	struct pmcgrp_task_record record;
	struct pmcgrp_context ctx;
	struct mutex mutex;
	unsigned int nr;
	unsigned int nr_until_exit;
};

/* The context of the task that a record, or NULL, is of; or NULL.  In an RCU section. */
static __always_inline struct pmcgrp_task_context *
pmcgrp_task_record_context(const struct pmcgrp_task_record *record)
{
	return record ? rcu_dereference_check(record->ctx, irqs_disabled()) : NULL;
}

/*
 * The context that is to be scheduled in with a task; or NULL.  Interrupts are off: it is valid
 * until they are on.
 */
static __always_inline struct pmcgrp_context *
pmcgrp_task_context_next(const struct pmcgrp_task_record *record)
{
	struct pmcgrp_task_context *tctx = pmcgrp_task_record_context(record);

	return tctx && READ_ONCE(tctx->ctx.enabled) ? &tctx->ctx : NULL;
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

void pmcgrp_task_context_exec(void);
bool pmcgrp_task_context_exit(void);
void pmcgrp_task_call(struct task_struct *task, smp_call_func_t func, void *info);

#endif /* PMCGRP_TASK_CONTEXT_H */
