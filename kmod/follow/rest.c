// SPDX-License-Identifier: GPL-2.0-only
/*
 * The backlog: sets that wait, and that neither rotations nor context switches visit.
 *
 * After a rotation PMCGRP_WAITING_MOST sets wait beside those on the PMU.  Any more of a context
 * rest: they are scheduled out, and their time_enabled follows the time of the context.  Others are
 * deferred: they remain scheduled in.  Before each rotation those come back that have waited there
 * longest.  All sets are placed in the order of their vruntime, and others go to the backlog.  So
 * the time with interrupts off does not depend on the number of sets that wait.
 *
 * Context: where the context may be accessed (context.c).
 */
#include <linux/lockdep.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/seqlock.h>
#include "arbiter/cpu.h"
#include "follow/context.h"
#include "follow/rest.h"
#include "sched/rotate.h"
#include "sched/sched.h"
#include "set/evlist.h"
#include "set/evset.h"

/*
 * Sets that come back before a rotation: so many that rest in the task's context, in those of its
 * binding, in those of its cgroups, and so many that are deferred.
 */
#define COME_BACK 3

/* Sets of a context that its next schedule-in visits, of those enabled while it is in nowhere. */
#define ACTIVE_MOST 8

/* A sum of kinds that no counters have: the next schedule-in has the backlog tried. */
#define BESIDE_ANY (~0ULL)

/* Advance the time of a resting set to that of its context; local_clock() may step back. */
static void catch_up_to(struct pmcgrp_evset *set, u64 time)
{
	time = max(time, set->rested);
	write_seqcount_begin(&set->seq);
	set->enabled += time - set->rested;
	write_seqcount_end(&set->seq);
	set->rested = time;
	pmcgrp_evset_accounted(set);
}

/**
 * pmcgrp_rest_catch_up - update the time of a set, if it rests
 * @set: the set
 */
void pmcgrp_rest_catch_up(struct pmcgrp_evset *set)
{
	pmcgrp_context_assert(set->ctx);
	if (set->resting)
		catch_up_to(set, pmcgrp_context_time(set->ctx));
}

static void count_resting(struct pmcgrp_context *ctx, int more)
{
	pmcgrp_context_assert(ctx);
	ctx->nr_resting += more;
	if (ctx->cpu >= 0)
		pmcgrp_this_cpu()->nr_resting += more;
}

static void rest_from(struct pmcgrp_evset *set, u64 time)
{
	set->rested = time;
	WRITE_ONCE(set->resting, true);
	list_move_tail(&set->ctx_node, &set->ctx->resting);
	count_resting(set->ctx, 1);
}

/* Let a set rest.  Its enabled time goes on from where the CPU scheduler's accounting has ended. */
static void begin_rest(struct pmcgrp_evset *set)
{
	pmcgrp_sched_out(set);
	rest_from(set, pmcgrp_context_time_at(set->ctx, set->since));
}

/*
 * Whether a set that waits may rest.  Not one that is scheduled in also while its list is not
 * active, until execve(), nor one of which somebody watches who is switched to: it does not only
 * count while it is in.
 */
static bool may_rest(const struct pmcgrp_evset *set)
{
	const struct pmcgrp_evlist *evlist = set->evlist;

	return pmcgrp_evset_is_flexible(set) && !set->background &&
	       !pmcgrp_evlist_is_watched(evlist) &&
	       (!READ_ONCE(evlist->is_followed) || READ_ONCE(evlist->latch_fired));
}

/* Defer a set that has been tried.  Its time enabled goes on. */
static void defer(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set)
{
	if (set->not_started)
		pmcgrp_evset_account(set);
	set->tried = pcpu->rotated;
	pmcgrp_rotate_defer(pcpu, set);
}

/**
 * pmcgrp_rest_at_once - let a set rest that has just been enabled, if many others are
 * @set: the set, in its context
 *
 * While the context is in, that is if many sets wait.
 *
 * Context: where its context may be accessed.
 */
void pmcgrp_rest_at_once(struct pmcgrp_evset *set)
{
	struct pmcgrp_context *ctx = set->ctx;

	pmcgrp_context_assert(ctx);
	if (!may_rest(set))
		return;
	if (ctx->cpu < 0) {
		if (ctx->nr_enabled <= ctx->nr_resting + ACTIVE_MOST)
			return;
		rest_from(set, ctx->time);
		ctx->beside = BESIDE_ANY;
	} else if (set->waiting && pmcgrp_this_cpu()->nr_waiting > PMCGRP_WAITING_TRIED) {
		begin_rest(set);
	}
}

static void end_rest(struct pmcgrp_evset *set)
{
	u64 time;

	count_resting(set->ctx, -1);
	list_move_tail(&set->ctx_node, &set->ctx->active);
	pmcgrp_sched_in(set);
	time = set->is_in ? pmcgrp_context_time_at(set->ctx, set->since) :
			    pmcgrp_context_time(set->ctx);
	catch_up_to(set, time);
	/* Pairs with fast_read_away(): once @resting is false, its enabled time is complete. */
	smp_store_release(&set->resting, false);
}

/**
 * pmcgrp_rest_stop - complete the time of a set that may rest, before it is disabled
 * @set: the set
 */
void pmcgrp_rest_stop(struct pmcgrp_evset *set)
{
	pmcgrp_rest_catch_up(set);
	count_resting(set->ctx, -set->resting);
	/* Pairs with fast_read_away(). */
	smp_store_release(&set->resting, false);
}

/**
 * pmcgrp_rest_end - let a set rest no longer
 * @set: the set
 */
void pmcgrp_rest_end(struct pmcgrp_evset *set)
{
	pmcgrp_context_assert(set->ctx);
	if (!set->resting)
		return;
	if (set->ctx->cpu >= 0) {
		end_rest(set);
		return;
	}
	pmcgrp_rest_stop(set);
	list_move_tail(&set->ctx_node, &set->ctx->active);
}

/**
 * pmcgrp_rest_here - check whether a set rests while its context is in here
 * @set: the set, or NULL
 *
 * Context: interrupts off.
 * Return: @set if it does, or NULL.
 */
const struct pmcgrp_evset *pmcgrp_rest_here(const struct pmcgrp_evset *set)
{
	lockdep_assert_irqs_disabled();
	return set && READ_ONCE(set->resting) && READ_ONCE(set->ctx->cpu) == smp_processor_id() ?
		       set :
		       NULL;
}

/* Have sets of a context tried, so many at most.  Return: whether there were any. */
static bool wake_context(struct pmcgrp_context *ctx, unsigned int *most)
{
	struct pmcgrp_evset *set;
	bool any = false;

	ctx->exchanged = pmcgrp_context_time(ctx);
	for (; *most && !list_empty(&ctx->resting); --*most) {
		set = list_first_entry(&ctx->resting, struct pmcgrp_evset, ctx_node);
		end_rest(set);
		if (set->counter)
			any = true;
		else
			begin_rest(set); /* this CPU cannot count its events, or not yet */
	}
	return any;
}

/* The same for several, which take turns: those that were reached are last the next time. */
static bool wake_contexts(struct list_head *contexts)
{
	struct pmcgrp_context *ctx, *next;
	unsigned int most = COME_BACK;
	LIST_HEAD(woken);
	bool any = false;

	list_for_each_entry_safe(ctx, next, contexts, in_node) {
		if (!most)
			break;
		any |= wake_context(ctx, &most);
		list_move_tail(&ctx->in_node, &woken);
	}
	list_splice_tail(&woken, contexts);
	return any;
}

/**
 * pmcgrp_rest_wake - have the sets that have been in the backlog longest tried by a rotation
 * @pcpu: this CPU's scheduler
 *
 * Does nothing in perf's slice.
 *
 * Context: interrupts off, not inside perf core.
 * Return: whether there were such sets.
 */
bool pmcgrp_rest_wake(struct pmcgrp_cpu *pcpu)
{
	unsigned int n, most = COME_BACK;
	bool any = pcpu->nr_deferred;

	lockdep_assert_irqs_disabled();
	if (pmcgrp_cpu_withholds(pcpu) || !pcpu->usable)
		return false;
	for (n = 0; n < COME_BACK && !list_empty(&pcpu->deferred); n++)
		pmcgrp_rotate_undefer(pcpu, list_first_entry(&pcpu->deferred, struct pmcgrp_evset,
							     cpu_node));
	pcpu->wakes = true;
	if (pcpu->ctx)
		any |= wake_context(pcpu->ctx, &most);
	any |= wake_contexts(&pcpu->bound);
	any |= wake_contexts(&pcpu->cgroups);
	pcpu->wakes = false;
	return any;
}

/**
 * pmcgrp_rest_begin - put sets into the backlog if too many wait after a rotation
 * @pcpu: this CPU's scheduler
 *
 * Those go first that are last in the order of rotation: with the greatest vruntime.
 *
 * In perf's slice, or while the arbiter requests counters, more of them remain: there may soon be
 * room for all.
 *
 * Context: interrupts off, not inside perf core.
 */
void pmcgrp_rest_begin(struct pmcgrp_cpu *pcpu)
{
	bool soon = pmcgrp_cpu_withholds(pcpu) || pcpu->arbiter.busy;
	unsigned int most = soon ? PMCGRP_WAITING_BRIEFLY : PMCGRP_WAITING_MOST;
	struct pmcgrp_evset *set, *next;

	lockdep_assert_irqs_disabled();
	list_for_each_entry_safe_reverse(set, next, &pcpu->sets, cpu_node) {
		if (pcpu->nr_waiting <= most)
			break;
		if (!set->waiting || !may_rest(set))
			continue;
		if (!set->ctx)
			defer(pcpu, set);
		else if (!list_empty(&set->ctx_node)) /* not in task_leave_context() */
			begin_rest(set);
	}
}
