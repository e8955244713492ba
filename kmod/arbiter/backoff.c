// SPDX-License-Identifier: GPL-2.0-only
/*
 * Back off from yielding to perf events that wait for each other, not for pmcgrp.
 *
 * An event that only one counter can count waits as long as another perf event has that
 * counter, whatever pmcgrp leaves free.  perf core only says that something waits.  So a
 * fingerprint of this CPU's perf events is taken as perf's slice begins, and again as it ends.
 * If both are equal and perf events still wait, the same events are on and no other one has run:
 * perf has gained nothing.  While the fingerprint remains the same, perf's slices become rarer,
 * up to one in BACKOFF_TICKS_MAX intervals.  As soon as it changes, perf has its slices as before.
 *
 * Context: as for all of a CPU scheduler (sched.c): its CPU, interrupts off, not inside perf core.
 */
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/rbtree.h>
#include <linux/sched/clock.h>
#include <linux/siphash.h>
#include "compat.h"
#include "arbiter/backoff.h"
#include "arbiter/contention.h"
#include "arbiter/cpu.h"

/* Longest pause between two slices of perf, in intervals. */
#define BACKOFF_TICKS_MAX 256

/* Events visited for a fingerprint, disabled ones of pmcgrp included; with more there is none. */
#define SCAN_EVENTS_MAX 256

/* Hash of an event's id and running time; hashes are added up, so their order does not matter. */
static u64 mixed(u64 id, u64 had)
{
	static const siphash_key_t key;

	return siphash_2u64(id, had, &key);
}

/* Hashes of the group leaders in one tree that are on or wait.  @scan: visits left, in and out. */
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

/* Fingerprint: which perf events are on @pmus here, how long the others have run; 0: unknown. */
static u64 situation(const struct pmcgrp_contended *pmus)
{
	struct perf_event_context *ctx, *last = NULL;
	unsigned int i, scan = SCAN_EVENTS_MAX;
	u64 sum = 0;

	if (pmus->nr > PMCGRP_CONTENDED_MAX)
		return 0;
	for (i = 0; i < pmus->nr; i++) {
		ctx = pmcgrp_cpu_ctx(pmus->pmu[i]);
		if (!ctx || ctx == last)
			continue; /* since 6.2 it is the same for all */
		sum += events_of(ctx, &scan);
		last = ctx;
	}
	ctx = pmcgrp_current_ctx();
	if (ctx)
		sum += events_of(ctx, &scan);
	return scan ? sum : 0;
}

/**
 * pmcgrp_backoff_begin - decide whether perf gets a slice, and note how it begins
 * @backoff: this CPU's back-off state
 * @pmus: PMUs where perf events wait
 *
 * Context: interrupts off, not inside perf core.
 * Return: false if perf would gain nothing by a slice for now.
 */
bool pmcgrp_backoff_begin(struct pmcgrp_backoff *backoff, const struct pmcgrp_contended *pmus)
{
	lockdep_assert_irqs_disabled();
	backoff->before = situation(pmus);
	return !backoff->before || backoff->before != backoff->seen ||
	       local_clock() >= backoff->until;
}

/**
 * pmcgrp_backoff_end - judge the slice of perf that is over
 * @backoff: this CPU's back-off state
 * @pcpu: this CPU's scheduler
 * @pmus: PMUs of the slice, where no flexible set has been on
 *
 * Context: interrupts off, not inside perf core.
 */
void pmcgrp_backoff_end(struct pmcgrp_backoff *backoff, const struct pmcgrp_cpu *pcpu,
			const struct pmcgrp_contended *pmus)
{
	struct pmcgrp_contended waits;

	lockdep_assert_irqs_disabled();
	/* Another task may run by now.  A real change shows when perf's next slice begins. */
	if (!backoff->before || !pmcgrp_contended_exist(pmus, pcpu) ||
	    situation(pmus) != backoff->before)
		return;
	if (pmcgrp_contended_waits(&waits, pmus)) {
		backoff->ticks = backoff->seen == backoff->before ?
					 min(2 * backoff->ticks, BACKOFF_TICKS_MAX) :
					 2;
		backoff->seen = backoff->before;
		backoff->until = local_clock() + backoff->ticks * pmcgrp_mux_interval_ns();
	} else {
		backoff->seen = 0;
	}
	backoff->before = 0; /* one verdict on each slice */
}
