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
 * Context: as for all of a gang (gang.c): its CPU, interrupts off, not within perf core.
 */
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/rbtree.h>
#include <linux/sched/clock.h>
#include <linux/siphash.h>
#include "compat.h"
#include "gang.h"
#include "ride.h"
#include "slot.h"
#include "turn.h"
#include "vain.h"

/* The longest that perf is not asked again whether it would gain, in ticks. */
#define VAIN_TICKS_MAX	256

/* Events that are looked at, ours that are off among them; with more nothing is told. */
#define VAIN_LOOK	256

/* Mix what is told of one event into a number in which the order does not matter. */
static u64 mixed(u64 id, u64 had)
{
	static const siphash_key_t key;

	return siphash_2u64(id, had, &key);
}

/* Of one tree of a context: leaders that could be on.  *@look: how many may still be seen. */
static u64 leaders_in(const struct perf_event_groups *groups, unsigned int *look)
{
	const struct perf_event *event;
	struct rb_node *node;
	u64 sum = 0;

	for (node = rb_first(&groups->tree); node && *look; node = rb_next(node), --*look) {
		event = rb_entry(node, struct perf_event, group_node);
		if (event->state == PERF_EVENT_STATE_ACTIVE)
			sum += mixed(event->id, U64_MAX);
		else if (event->state == PERF_EVENT_STATE_INACTIVE)
			sum += mixed(event->id, event->total_time_running);
	}
	return sum;
}

static u64 events_of(struct perf_event_context *ctx, unsigned int *look)
{
	u64 sum;

	raw_spin_lock(&ctx->lock);
	sum = leaders_in(&ctx->pinned_groups, look) + leaders_in(&ctx->flexible_groups, look);
	raw_spin_unlock(&ctx->lock);
	return sum;
}

/* A number for what of perf's is on here and how much the rest has had; 0: not known. */
static u64 situation(const struct pmcgrp_ride *ride)
{
	struct perf_event_context *task_ctx = pmcgrp_current_ctx();
	unsigned int look = VAIN_LOOK;
	u64 sum = events_of(ride->slot[0]->event->ctx, &look);

	if (task_ctx)
		sum += events_of(task_ctx, &look);
	return look ? sum : 0;
}

/**
 * pmcgrp_vain_begin - perf is about to be given its turn
 * @vain: this CPU's
 * @ride: one that is on and has hardware slots
 *
 * Return: false if that is known to be in vain for now.
 */
bool pmcgrp_vain_begin(struct pmcgrp_vain *vain, const struct pmcgrp_ride *ride)
{
	lockdep_assert_irqs_disabled();
	vain->before = situation(ride);
	return !vain->before || vain->before != vain->seen || local_clock() >= vain->until;
}

/* Some ride that perf's events can be looked at by. */
static const struct pmcgrp_ride *any_ride(const struct pmcgrp_gang *gang)
{
	const struct pmcgrp_ride *ride;
	unsigned int look = PMCGRP_LOOK;

	list_for_each_entry(ride, &gang->rides, gang_node) {
		if (ride->slot && pmcgrp_ride_takes_turns(ride))
			return ride;
		if (!--look)
			break;
	}
	return NULL;
}

/**
 * pmcgrp_vain_end - perf has had its turn
 * @vain: this CPU's
 * @gang: this CPU's, none of which has been on meanwhile
 */
void pmcgrp_vain_end(struct pmcgrp_vain *vain, const struct pmcgrp_gang *gang)
{
	const struct pmcgrp_ride *ride = any_ride(gang);

	lockdep_assert_irqs_disabled();
	/* Another task may be here now; what has changed shows when perf is to have it next. */
	if (!ride || !vain->before || situation(ride) != vain->before)
		return;
	if (!pmcgrp_perf_waits(ride->slot[0]->event->pmu)) {
		vain->seen = 0;
		return;
	}
	vain->ticks = vain->seen == vain->before ? min(2 * vain->ticks, VAIN_TICKS_MAX) : 2;
	vain->seen = vain->before;
	vain->until = local_clock() + vain->ticks * pmcgrp_gang_interval_ns();
}
