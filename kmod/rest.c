// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sets of a context that rest: a context switch does not visit them.
 *
 * A set that finds no room beside PMCGRP_CONTEXT_WAITING others rests after a rotation: it is in no
 * list of a CPU.  Before each rotation the sets that have rested longest are scheduled in again.
 * All sets are placed in the order of their vruntime, and others rest.  The time_enabled of a
 * resting set follows the time of its context.
 *
 * Context: where the context may be accessed (context.c).
 */
#include <linux/lockdep.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/seqlock.h>
#include "context.h"
#include "cpu.h"
#include "evset.h"
#include "rest.h"
#include "rotate.h"
#include "sched.h"

/* Resting sets that are scheduled in again before a rotation. */
#define CONTEXT_BACK 8

/* Advance the time of a resting set to that of its context; local_clock() may step back. */
static void catch_up_to(struct pmcgrp_evset *set, u64 time)
{
	time = max(time, set->rested);
	write_seqcount_begin(&set->seq);
	set->enabled += time - set->rested;
	write_seqcount_end(&set->seq);
	set->rested = time;
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
		pmcgrp_this_cpu()->nr_resting = ctx->nr_resting;
}

/* Let a set rest.  Its enabled time goes on from where the CPU scheduler's accounting has ended. */
static void begin_rest(struct pmcgrp_evset *set)
{
	pmcgrp_sched_out(set);
	set->rested = pmcgrp_context_time_at(set->ctx, set->since);
	WRITE_ONCE(set->resting, true);
	list_move_tail(&set->ctx_node, &set->ctx->resting);
	count_resting(set->ctx, 1);
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
 * pmcgrp_rest_here - check whether a set rests while its context is in here
 * @set: the set, or NULL
 *
 * Context: interrupts off.
 * Return: @set if it does, or NULL.
 */
const struct pmcgrp_evset *pmcgrp_rest_here(const struct pmcgrp_evset *set)
{
	struct pmcgrp_context *ctx = pmcgrp_this_cpu()->ctx;

	return set && ctx && set->ctx == ctx && set->resting ? set : NULL;
}

/**
 * pmcgrp_rest_wake - schedule in the sets that have rested longest, before a rotation
 * @pcpu: this CPU's scheduler
 *
 * Does nothing in perf's slice.
 *
 * Context: interrupts off, not inside perf core.
 */
void pmcgrp_rest_wake(struct pmcgrp_cpu *pcpu)
{
	struct pmcgrp_context *ctx = pcpu->ctx;
	unsigned int n = CONTEXT_BACK;

	lockdep_assert_irqs_disabled();
	if (!ctx || pmcgrp_cpu_withholds(pcpu))
		return;
	ctx->exchanged = pmcgrp_context_time(ctx);
	while (n-- && !list_empty(&ctx->resting))
		end_rest(list_first_entry(&ctx->resting, struct pmcgrp_evset, ctx_node));
}

/**
 * pmcgrp_rest_begin - let sets with the greatest vruntime rest if too many wait after a rotation
 * @pcpu: this CPU's scheduler
 *
 * Does nothing in perf's slice, or while the arbiter requests counters: there may soon be room for
 * all of them.
 *
 * Context: interrupts off, not inside perf core.
 */
void pmcgrp_rest_begin(struct pmcgrp_cpu *pcpu)
{
	struct pmcgrp_evset *set, *next;

	lockdep_assert_irqs_disabled();
	if (!pcpu->ctx || pmcgrp_cpu_withholds(pcpu) || pcpu->arbiter.busy)
		return;
	/* From the last set in the order of rotation (order_sets()). */
	list_for_each_entry_safe_reverse(set, next, &pcpu->sets, cpu_node) {
		if (pcpu->nr_waiting <= PMCGRP_CONTEXT_WAITING)
			break;
		/* Not a set that has got a carrier (leave_context() in root.c). */
		if (set->waiting && !set->pinned && set->ctx == pcpu->ctx &&
		    !list_empty(&set->ctx_node))
			begin_rest(set);
	}
}
