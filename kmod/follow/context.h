/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_CONTEXT_H
#define PMCGRP_CONTEXT_H

#include <linux/hash.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct pmcgrp_cpu;
struct pmcgrp_evlist;
struct pmcgrp_evset;

/**
 * struct pmcgrp_context - sets of a task that are scheduled in and out together
 * @node: in pmcgrp_task_bucket.contexts of @task
 * @rcu: frees the context, after those who look it up in an RCU section
 * @task: the task, with a reference.  Constant.
 * @nr: lists that have a set in it; pmcgrp_groups_mutex
 * @mutex: protects pmcgrp_evset.ctx_enabled; inside the mutexes of lists
 * @nr_enabled: sets on either list; @mutex
 * @enabled: there are enabled sets: it is scheduled in with its task; written under @mutex
 * @nr_until_exit: lists in it that count until do_exit(); written under pmcgrp_groups_mutex
 * @ended: it is not scheduled in any more; written under @lock
 * @lock: protects what follows @cpu while the context is in nowhere; inside the run-queue lock
 * @cpu: the CPU where the context is in, or -1; written there under @lock.  Everything below is
 *	protected by interrupts off on that CPU, or by @lock while @cpu is -1.
 * @active: sets that are scheduled in with the task, in the order of the last rotation
 * @resting: enabled sets that are not, the one that has rested longest first
 * @nr_resting: number of sets in @resting
 * @time: nanoseconds for which the context has been in, up to @since
 * @since: local_clock() of its last schedule-in
 * @rotated: pmcgrp_cpu.rotated at its last schedule-in
 * @exchanged: @time when resting sets were exchanged last
 * @beside: with resting sets: pmcgrp_counters_fingerprint() as it was scheduled out: other sets'
 */
struct pmcgrp_context {
	struct hlist_node node;
	struct rcu_head rcu;
	struct task_struct *task;
	unsigned int nr;
	struct mutex mutex;
	unsigned int nr_enabled;
	bool enabled;
	unsigned int nr_until_exit;
	bool ended;
	raw_spinlock_t lock;
	int cpu;
	struct list_head active;
	struct list_head resting;
	unsigned int nr_resting;
	u64 time;
	u64 since;
	u64 rotated;
	u64 exchanged;
	u64 beside;
};

#define PMCGRP_TASK_HASH_BITS 10

/**
 * struct pmcgrp_task_bucket - what is known of tasks with the same hash
 * @contexts: their contexts, by @node; written under pmcgrp_groups_mutex, read in RCU sections
 * @entries: their entries in the table of tasks (task_table.c)
 *
 * Most tasks are not counted: one look at both tells the probe on sched_switch.
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

/* Whether a context is not scheduled in any more: its task exits, or has executed a set-uid one. */
static inline bool pmcgrp_context_has_ended(const struct pmcgrp_context *ctx)
{
	return READ_ONCE(ctx->ended) || READ_ONCE(ctx->task->flags) & PF_EXITING;
}

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

struct pmcgrp_evset *pmcgrp_context_join(struct pmcgrp_evlist *evlist);
void pmcgrp_context_quit(struct pmcgrp_evset *set);
void pmcgrp_context_enable(struct pmcgrp_evset *set);
void pmcgrp_context_disable(struct pmcgrp_evset *set);
void pmcgrp_context_catch_up(struct pmcgrp_evset *set);

struct pmcgrp_context *pmcgrp_context_next(const struct pmcgrp_task_bucket *bucket,
					   const struct task_struct *task);
bool pmcgrp_context_claim(struct pmcgrp_context *ctx);
void pmcgrp_context_in(struct pmcgrp_cpu *pcpu, struct pmcgrp_context *ctx,
		       const struct task_struct *prev);
bool pmcgrp_context_hand_over(struct pmcgrp_cpu *pcpu, struct pmcgrp_context *to);
void pmcgrp_context_entered(struct pmcgrp_context *ctx);
void pmcgrp_context_out(struct pmcgrp_cpu *pcpu, bool leaves);
void pmcgrp_context_exec(void);
bool pmcgrp_context_exit(void);
void pmcgrp_context_call(struct pmcgrp_context *ctx, void (*func)(void *arg), void *arg);
void pmcgrp_context_call_task(struct task_struct *task, smp_call_func_t func, void *info);

#endif /* PMCGRP_CONTEXT_H */
