/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_CONTEXT_H
#define PMCGRP_CONTEXT_H

#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>
#include "set/evlist.h"
#include "set/evset.h"

struct pmcgrp_cpu;
struct task_struct;

/**
 * struct pmcgrp_context - sets that are scheduled in and out together
 * @task: the task that they all follow; NULL: they are of one CPU.  Constant.
 * @mutex: protects pmcgrp_evset.ctx_enabled, or pmcgrp_contexts.lists; inside the mutexes of
 *	lists.  Constant.
 * @ended: it is not scheduled in any more; written under @lock
 * @enabled: of one task: there are enabled sets: it is scheduled in with its task; written under
 *	@mutex
 * @has_come: of one CPU: its bit in pmcgrp_contexts.come, for a switch to find beside the rest;
 *	that CPU, interrupts off
 * @lock: protects what follows @cpu while the context is in nowhere; inside the run-queue lock
 * @cpu: the CPU where the context is in, or -1; written there under @lock.  Everything below is
 *	protected by interrupts off on that CPU, or by @lock while @cpu is -1.
 * @nr_enabled: sets on either list; read anywhere
 * @active: sets that are scheduled in with the context, in the order of the last rotation
 * @resting: enabled sets that are not, the one that has rested longest first
 * @nr_resting: number of sets in @resting
 * @time: nanoseconds for which the context has been in, up to @since
 * @since: local_clock() of its last schedule-in
 * @rotated: pmcgrp_cpu.rotated at its last schedule-in
 * @exchanged: @time when resting sets were exchanged last
 * @beside: with resting sets: pmcgrp_cpu_in_use() as it was scheduled out: other sets'
 * @in_node: of one CPU: in the CPU's list of those that are in; that CPU, interrupts off
 * @kept: of one CPU: number of the change that it outlasts, or has come in with; as @in_node
 */
struct pmcgrp_context {
	struct task_struct *task;
	struct mutex *mutex;
	bool ended;
	bool enabled;
	bool has_come;
	raw_spinlock_t lock;
	int cpu;
	unsigned int nr_enabled;
	struct list_head active;
	struct list_head resting;
	unsigned int nr_resting;
	u64 time;
	u64 since;
	u64 rotated;
	u64 exchanged;
	u64 beside;
	struct list_head in_node;
	u64 kept;
};

/* Assert that the caller may access a context: the context rule (context.c). */
static inline void pmcgrp_context_assert(const struct pmcgrp_context *ctx)
{
	lockdep_assert_irqs_disabled();
	lockdep_assert(ctx->cpu < 0 ? lockdep_is_held(&ctx->lock) :
				      ctx->cpu == smp_processor_id());
}

/* The time of a context that is in, at a time of local_clock(). */
static inline u64 pmcgrp_context_time_at(const struct pmcgrp_context *ctx, u64 clock)
{
	return clock > ctx->since ? ctx->time + clock - ctx->since : ctx->time;
}

/* The time of a context now; where it may be accessed. */
static inline u64 pmcgrp_context_time(const struct pmcgrp_context *ctx)
{
	return ctx->cpu < 0 ? ctx->time : pmcgrp_context_time_at(ctx, local_clock());
}

/* Whether a set counts its task until do_exit() alone. */
static inline bool pmcgrp_evset_is_until_exit(const struct pmcgrp_evset *set)
{
	return set->evlist->flags & PMCGRP_CREATE_UNTIL_EXIT;
}

typedef void (*pmcgrp_set_func_t)(struct pmcgrp_evset *set);

void pmcgrp_context_init(struct pmcgrp_context *ctx, struct task_struct *task,
			 struct mutex *mutex);
void pmcgrp_context_set_enabled(struct pmcgrp_evset *set, bool on);
void pmcgrp_context_enable_here(struct pmcgrp_evset *set);
void pmcgrp_context_disable_here(struct pmcgrp_evset *set);
void pmcgrp_context_catch_up(struct pmcgrp_evset *set);

bool pmcgrp_context_claim(struct pmcgrp_context *ctx);
void pmcgrp_context_in(struct pmcgrp_cpu *pcpu, struct pmcgrp_context *ctx,
		       const struct task_struct *prev);
bool pmcgrp_context_hand_over(struct pmcgrp_cpu *pcpu, struct pmcgrp_context *from,
			      struct pmcgrp_context *to);
void pmcgrp_context_entered(struct pmcgrp_context *ctx);
void pmcgrp_contexts_entered(struct list_head *contexts, struct list_head *stays);
void pmcgrp_context_out(struct pmcgrp_cpu *pcpu, struct pmcgrp_context *ctx, bool leaves);
void pmcgrp_context_call(struct pmcgrp_context *ctx, void (*func)(void *arg), void *arg);
void pmcgrp_context_call_set(struct pmcgrp_evset *set, pmcgrp_set_func_t func);

#endif /* PMCGRP_CONTEXT_H */
