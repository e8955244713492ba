// SPDX-License-Identifier: GPL-2.0-only
/*
 * Yielding in vain: perf's events may wait for each other, not for us.
 *
 * An event that only one counter can count waits as long as another one has that, whatever we
 * leave free.  perf core only says that something waits.  So what perf has on this CPU is
 * looked at as a turn is given to it, and again at the end of that: if the same events are on,
 * none of the others has been on meanwhile, and perf still waits, then it has gained nothing.
 * As long as that situation lasts perf is given its turn less and less often.  Anything that
 * changes in it, and perf has its turns as before.
 *
 * Context: as for all of a gang (sched.c): its CPU, interrupts off, not within perf core.
 */
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/rbtree.h>
#include <linux/sched/clock.h>
#include <linux/siphash.h>
#include "compat.h"
#include "sched.h"
#include "evset.h"
#include "counter.h"
#include "rotate.h"
#include "backoff.h"

/* The longest that perf is not asked again whether it would gain, in ticks. */
#define BACKOFF_TICKS_MAX 256

/* Events that are looked at, ours that are off among them; with more nothing is told. */
#define SCAN_EVENTS_MAX 256

/* Mix what is told of one event into a number in which the order does not matter. */
static u64 mixed(u64 id, u64 had)
{
	static const siphash_key_t key;

	return siphash_2u64(id, had, &key);
}

/* Of one tree of a context: leaders that could be on.  *@scan: how many may still be seen. */
static u64 leaders_in(const struct perf_event_groups *groups, unsigned int *scan)
{
	const struct perf_event *event;
	struct rb_node *node;
	u64 sum = 0;

	for (node = rb_first(&groups->tree); node && *scan; node = rb_next(node), --*scan) {
		event = rb_entry(node, struct perf_event, group_node);
		if (event->state == PERF_EVENT_STATE_ACTIVE)
			sum += mixed(event->id, U64_MAX);
		else if (event->state == PERF_EVENT_STATE_INACTIVE)
			sum += mixed(event->id, event->total_time_running);
	}
	return sum;
}

static u64 events_of(struct perf_event_context *ctx, unsigned int *scan)
{
	u64 sum;

	raw_spin_lock(&ctx->lock);
	sum = leaders_in(&ctx->pinned_groups, scan) + leaders_in(&ctx->flexible_groups, scan);
	raw_spin_unlock(&ctx->lock);
	return sum;
}

/* A number for what of perf's is on here and how much the rest has had; 0: not known. */
static u64 situation(const struct pmcgrp_evset *set)
{
	struct perf_event_context *task_ctx = pmcgrp_current_ctx();
	unsigned int scan = SCAN_EVENTS_MAX;
	u64 sum = events_of(set->counter[0]->event->ctx, &scan);

	if (task_ctx)
		sum += events_of(task_ctx, &scan);
	return scan ? sum : 0;
}

/**
 * pmcgrp_backoff_begin - perf is about to be given its turn
 * @backoff: this CPU's
 * @set: one that is on and has hardware counters
 *
 * Return: false if that is known to be in vain for now.
 */
bool pmcgrp_backoff_begin(struct pmcgrp_backoff *backoff, const struct pmcgrp_evset *set)
{
	lockdep_assert_irqs_disabled();
	backoff->before = situation(set);
	return !backoff->before || backoff->before != backoff->seen ||
	       local_clock() >= backoff->until;
}

/* Some set that perf's events can be looked at by. */
static const struct pmcgrp_evset *any_evset(const struct pmcgrp_cpu *pcpu)
{
	const struct pmcgrp_evset *set;
	unsigned int scan = PMCGRP_SCAN_MAX;

	list_for_each_entry(set, &pcpu->sets, cpu_node) {
		if (set->counter && pmcgrp_evset_is_flexible(set))
			return set;
		if (!--scan)
			break;
	}
	return NULL;
}

/**
 * pmcgrp_backoff_end - perf has had its turn
 * @backoff: this CPU's
 * @pcpu: this CPU's, none of which has been on meanwhile
 */
void pmcgrp_backoff_end(struct pmcgrp_backoff *backoff, const struct pmcgrp_cpu *pcpu)
{
	const struct pmcgrp_evset *set = any_evset(pcpu);

	lockdep_assert_irqs_disabled();
	/* Another task may be here now; what has changed shows when perf is to have it next. */
	if (!set || !backoff->before || situation(set) != backoff->before)
		return;
	if (!pmcgrp_perf_waits(set->counter[0]->event->pmu)) {
		backoff->seen = 0;
		return;
	}
	backoff->ticks =
		backoff->seen == backoff->before ? min(2 * backoff->ticks, BACKOFF_TICKS_MAX) : 2;
	backoff->seen = backoff->before;
	backoff->until = local_clock() + backoff->ticks * pmcgrp_mux_interval_ns();
}
