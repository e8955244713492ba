// SPDX-License-Identifier: GPL-2.0-only
/*
 * Claims: what a CPU's worker does to get perf's counters for a ride, and to have perf
 * core schedule the CPU anew.  truce.c says when, and why so.
 *
 * Context: a worker, which may sleep.  What it does on the PMU is done with interrupts
 * off, on its own CPU.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include "gang.h"
#include "group.h"
#include "ride.h"
#include "row.h"
#include "slot.h"
#include "truce.h"
#include "turn.h"

/* How long claims wait, in ticks. */
#define CLAIM_TICKS	16

/* A ride whose claims came to nothing pauses for so many ticks, then twice as many ... */
#define PAUSE_TICKS	16
#define PAUSE_DOUBLES	8

/* Claims that came to nothing may take one part in so many of the time. */
#define CLAIM_SHARE	8

/* How often the worker looks whether its claims are on, in microseconds. */
#define LOOK_US		200

static struct perf_event *flexible_event(const struct perf_event_attr *key, int cpu)
{
	struct perf_event_attr attr = *key;

	attr.disabled = 0;
	return perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
}

static void claim_nudge(struct pmcgrp_gang *gang)
{
	struct perf_event *event = flexible_event(&gang->truce.attr, gang->cpu);

	if (!IS_ERR(event))
		perf_event_release_kernel(event);
}

/**
 * struct claims - the worker's events in perf's queue
 * @nr: how many
 * @event: one for each slot that is not on the PMU
 */
struct claims {
	unsigned int		nr;
	struct perf_event	*event[PMCGRP_MEMBERS_MAX];
};

static void claims_release(struct claims *claims)
{
	while (claims->nr)
		perf_event_release_kernel(claims->event[--claims->nr]);
	kfree(claims);
}

static struct claims *claims_make(struct pmcgrp_group *group, int cpu)
{
	struct pmcgrp_row *row = pmcgrp_row_of(group, cpu);
	struct claims *claims;
	struct perf_event *event;
	unsigned int i;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	claims = kzalloc(sizeof(*claims), GFP_KERNEL);
	if (!claims)
		return NULL;
	for (i = 0; i < group->nr_hw; i++) {
		if (READ_ONCE(row->slot[i]->on))
			continue;
		event = flexible_event(&row->slot[i]->key, cpu);
		if (IS_ERR(event)) {
			claims_release(claims);
			return NULL;
		}
		claims->event[claims->nr++] = event;
	}
	return claims;
}

static bool claims_are_on(const struct claims *claims)
{
	unsigned long flags;
	bool all = true;
	unsigned int i;

	local_irq_save(flags);
	for (i = 0; i < claims->nr; i++)
		all &= claims->event[i]->state == PERF_EVENT_STATE_ACTIVE;
	local_irq_restore(flags);
	return all;
}

/* Nothing to wait for any more: somebody has the CPU's turn, or the group is closed. */
static bool claim_is_moot(const struct pmcgrp_gang *gang, const struct pmcgrp_group *group)
{
	return !READ_ONCE(gang->truce.wanting) ||
	       !READ_ONCE(pmcgrp_row_of(group, gang->cpu)->complete);
}

/* Wait until rotation has brought all of them on, and make room; false if it has not. */
static bool claims_prevail(const struct pmcgrp_gang *gang, const struct pmcgrp_group *group,
			   struct claims *claims)
{
	u64 end = local_clock() + CLAIM_TICKS * pmcgrp_gang_interval_ns();
	unsigned int i;

	while (!claims_are_on(claims)) {
		if (local_clock() > end || claim_is_moot(gang, group))
			return false;
		usleep_range(LOOK_US, 2 * LOOK_US);
	}
	for (i = 0; i < claims->nr; i++)
		perf_event_disable(claims->event[i]);
	return true;
}

/*
 * Put the group's slots on the PMU, whether its ride is in or not: a task that the
 * worker has interrupted finds them there when it comes back.
 */
static bool claim_reserve(struct pmcgrp_gang *gang, struct pmcgrp_group *group)
{
	struct pmcgrp_row *row = pmcgrp_row_of(group, gang->cpu);
	bool done = false;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	local_irq_disable();
	if (gang != pmcgrp_gang_here() || !gang->open || !row->complete ||
	    row->epoch != gang->epoch) {
		done = true;	/* nothing to be had here any more */
	} else if (row->in && row->in->joined) {
		if (!row->in->on)
			pmcgrp_gang_fill(gang);
		done = row->in->on;
	} else if (!pmcgrp_slots_place(row->slot, group->nr_hw)) {
		pmcgrp_slots_release(row->slot, group->nr_hw, gang->ticks);
		gang->has_idle = true;
		pmcgrp_gang_arm(gang);
		done = true;
	}
	local_irq_enable();
	return done;
}

/* One way after the other; the mutex is not held while perf core rotates. */
static bool claim_get_turn(struct pmcgrp_gang *gang, struct pmcgrp_group *group)
{
	struct claims *claims;
	bool done;

	mutex_lock(&pmcgrp_groups_mutex);
	done = claim_reserve(gang, group);
	claims = done ? NULL : claims_make(group, gang->cpu);
	mutex_unlock(&pmcgrp_groups_mutex);
	if (!claims)
		return done;
	if (claims_prevail(gang, group, claims)) {
		mutex_lock(&pmcgrp_groups_mutex);
		done = claim_reserve(gang, group);
		mutex_unlock(&pmcgrp_groups_mutex);
	}
	claims_release(claims);
	return done || claim_is_moot(gang, group);
}

static void claim_turn(struct pmcgrp_gang *gang, struct pmcgrp_group *group)
{
	u64 start = local_clock(), now;
	unsigned int doubles;

	if (claim_get_turn(gang, group)) {
		WRITE_ONCE(group->claims_failed, 0);
		return;
	}
	now = local_clock();
	WRITE_ONCE(gang->truce.claim_after, now + (CLAIM_SHARE - 1) * (now - start));
	doubles = min_t(unsigned int, group->claims_failed, PAUSE_DOUBLES);
	WRITE_ONCE(group->claim_after, jiffies + pmcgrp_ticks_to_jiffies(PAUSE_TICKS << doubles));
	WRITE_ONCE(group->claims_failed, group->claims_failed + 1);
}

/**
 * pmcgrp_claim_work - the worker
 * @work: of a CPU's truce
 *
 * Bound to its CPU, unless that has gone offline: then it changes nothing there, and
 * what it makes fails.
 *
 * Context: may sleep.
 */
void pmcgrp_claim_work(struct work_struct *work)
{
	struct pmcgrp_truce *truce = container_of(work, struct pmcgrp_truce, work);
	struct pmcgrp_gang *gang = pmcgrp_truce_gang(truce);
	struct pmcgrp_group *group = truce->claimant;

	if (truce->nudge)
		claim_nudge(gang);
	truce->nudge = false;
	truce->claimant = NULL;
	if (group) {
		claim_turn(gang, group);
		pmcgrp_group_put(group);
	}
	/* From here on the CPU may ask again. */
	smp_store_release(&truce->busy, false);
}
