// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMU of a counter, and what becomes of a counter whose PMU is unregistered.
 *
 * A driver unregisters its PMU when its device is unbound or unplugged.  An event holds the
 * driver's module, not the device.  Since Linux 6.15 perf core then takes the PMU away from its
 * events: it marks them REVOKED, calls event->destroy(), and sets event->pmu to NULL
 * (kernel/events/core.c: perf_pmu_unregister(), __pmu_detach_event()).  After that the driver may
 * free the PMU.  perf core knows nothing of a counter that is on: for it the event is off.
 *
 * So event->destroy() of a counter is a function of this file.  The counter leaves the PMU on its
 * CPU and belongs to pmcgrp_no_pmu from then on, a PMU that counts nothing.  It is dead, as one
 * whose CPU has gone: its groups drop it.  They get no other one: the number of the PMU may be
 * that of another device's next.
 *
 * Before Linux 6.15 drivers do not unregister a PMU that has events, or all its users are at risk.
 *
 * Locks: perf core calls event->destroy() with the mutex of the event's context held.  Under that
 * mutex event->pmu does not change.  pmcgrp_pmus_mutex comes after it: while it is held no PMU of a
 * counter goes.  A driver's file cpumask is read under it (uncore_cpus.c): no driver of Linux
 * takes a lock for that.  Interrupts off on a counter's CPU do the same for what is on there.
 */
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include "compat.h"
#include "counter/counter.h"
#include "counter/counter_pmu.h"
#include "platform/core_pmu.h"

/* Held while a function that may sleep looks at the PMU of a counter or an event. */
DEFINE_MUTEX(pmcgrp_pmus_mutex);

static void (*leave_pmu)(struct pmcgrp_counter *counter); /* constant after init */

static int no_event_init(struct perf_event *event)
{
	return -ENOENT;
}

static int no_add(struct perf_event *event, int flags)
{
	return -ENODEV;
}

static void no_change(struct perf_event *event, int flags)
{
}

static void no_read(struct perf_event *event)
{
}

/* The PMU of counters that have none any more. */
struct pmu pmcgrp_no_pmu = {
	.module = THIS_MODULE,
	.dev = PMCGRP_PMU_DEV,
	.task_ctx_nr = perf_invalid_context,
	.capabilities = PERF_PMU_CAP_NO_INTERRUPT | PERF_PMU_CAP_NO_EXCLUDE,
	.event_init = no_event_init,
	.add = no_add,
	.del = no_change,
	.start = no_change,
	.stop = no_change,
	.read = no_read,
};

/**
 * pmcgrp_counter_pmu_lock_ctx - lock the context of an event, which a driver may move between CPUs
 * @event: the event of a counter
 *
 * Context: may sleep.
 * Return: the context, whose mutex is held: the caller unlocks it.
 */
struct perf_event_context *pmcgrp_counter_pmu_lock_ctx(struct perf_event *event)
{
	struct perf_event_context *ctx;

	for (;;) {
		ctx = READ_ONCE(event->ctx); /* of a CPU, or of the sleeper: it stays */
		mutex_lock(&ctx->mutex);
		if (event->ctx == ctx)
			return ctx;
		mutex_unlock(&ctx->mutex);
	}
}

/*
 * perf core takes the PMU away, with the mutex of the context held.  The driver's part of the
 * event is freed last, as it would be without this module.
 */
static void revoked(struct perf_event *event)
{
	struct pmcgrp_counter *counter = event->overflow_handler_context;

	lockdep_assert_held(&event->ctx->mutex);
	mutex_lock(&pmcgrp_pmus_mutex);
	leave_pmu(counter);
	mutex_unlock(&pmcgrp_pmus_mutex);
	if (counter->destroy)
		counter->destroy(event);
}

/**
 * pmcgrp_counter_pmu_is_uncore - check whether an event is of an uncore PMU
 * @event: an event that perf core has just made for a counter
 *
 * Context: may sleep.
 * Return: false as well if the PMU has gone already.
 */
bool pmcgrp_counter_pmu_is_uncore(struct perf_event *event)
{
	struct perf_event_context *ctx = pmcgrp_counter_pmu_lock_ctx(event);
	bool is_uncore = event->pmu && pmcgrp_pmu_is_uncore(event->pmu);

	mutex_unlock(&ctx->mutex);
	return is_uncore;
}

/**
 * pmcgrp_counter_pmu_take - note the PMU of a new counter, and follow its end
 * @counter: the counter, with its event
 *
 * PMUs of processors are built in and are never unregistered: these need no following.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: 0, or -ENODEV if the PMU has gone already.
 */
int pmcgrp_counter_pmu_take(struct pmcgrp_counter *counter)
{
	struct perf_event *event = counter->event;
	struct perf_event_context *ctx;

	if (!pmcgrp_core_revokes()) {
		counter->pmu = event->pmu;
		return 0;
	}
	ctx = pmcgrp_counter_pmu_lock_ctx(event);
	counter->pmu = event->pmu ? event->pmu : &pmcgrp_no_pmu;
	if (event->pmu && pmcgrp_pmu_may_go(event->pmu)) {
		event->overflow_handler_context = counter;
		counter->destroy = event->destroy;
		event->destroy = revoked;
	}
	mutex_unlock(&ctx->mutex);
	return counter->pmu == &pmcgrp_no_pmu ? -ENODEV : 0;
}

/**
 * pmcgrp_counter_pmu_put - undo pmcgrp_counter_pmu_take(), before the event is released
 * @counter: the counter, which no CPU can reach
 *
 * perf_pmu_unregister() may have a reference to the event, and come to it when the counter is
 * freed.
 *
 * Context: may sleep.
 */
void pmcgrp_counter_pmu_put(struct pmcgrp_counter *counter)
{
	struct perf_event *event = counter->event;
	struct perf_event_context *ctx;

	if (!pmcgrp_core_revokes())
		return;
	ctx = pmcgrp_counter_pmu_lock_ctx(event);
	if (event->destroy == revoked)
		event->destroy = counter->destroy;
	mutex_unlock(&ctx->mutex);
}

/**
 * pmcgrp_counter_pmu_init - register the PMU of counters that have none
 * @leave: takes a counter off its PMU, and lets it belong to pmcgrp_no_pmu; may sleep,
 *	pmcgrp_pmus_mutex and the mutex of a perf context held
 *
 * Context: may sleep; before any counter exists.
 * Return: 0 or an errno.
 */
int __init pmcgrp_counter_pmu_init(void (*leave)(struct pmcgrp_counter *counter))
{
	leave_pmu = leave;
	return pmcgrp_core_revokes() ? perf_pmu_register(&pmcgrp_no_pmu, "pmcgrp_none", -1) : 0;
}

/**
 * pmcgrp_counter_pmu_exit - unregister it, after the last counter
 *
 * Context: may sleep.
 */
void pmcgrp_counter_pmu_exit(void)
{
	if (pmcgrp_core_revokes())
		perf_pmu_unregister(&pmcgrp_no_pmu);
}
