// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sentries: who reads registers in user space learns that they may have moved.
 *
 * x86 can move events to other counters when the PMU is enabled after an add (x86_pmu_enable()).
 * If this module adds a counter, it says so itself.  If perf core adds one, it first schedules out
 * the sentry.
 *
 * A sentry is a flexible event of the task, and among those of the group's PMU, as a software
 * event in a group of hardware is (kernel/events/core.c: perf_event_open(), group_sched_in()).
 * Whenever perf core schedules in other events of the PMU while the task runs, it takes the task's
 * flexible ones out before (ctx_resched(), perf_rotate_context()), but for cgroup events
 * (user_read.h: registers_stay_here()).
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include "arbiter/cpu.h"
#include "counter/carrier.h"
#include "counter/placement.h"
#include "group/group.h"
#include "sample/sentry.h"
#include "set/evlist.h"
#include "set/evset.h"

/* Number of groups with a sentry. */
static atomic_t watched = ATOMIC_INIT(0);

/**
 * pmcgrp_sentry_create - create the sentry of a group
 * @group: the group, of one task; pmcgrp_group.user_read says what the sentry reports to whom
 *
 * Context: may sleep; perf core's mutexes.
 * Return: 0, then pmcgrp_sentry_release() undoes this; or an errno as of pmcgrp_carrier_create().
 */
int pmcgrp_sentry_create(struct pmcgrp_group *group)
{
	struct perf_event_attr attr = {};
	struct perf_event *sentry;

	atomic_inc(&watched); /* before anyone relies on reports */
	sentry = pmcgrp_carrier_create(PMCGRP_CARRIER_SENTRY, &attr, group, group->evlist->task,
				       -1);
	if (IS_ERR(sentry)) {
		atomic_dec(&watched);
		return PTR_ERR(sentry);
	}
	WRITE_ONCE(group->user_read.sentry, sentry);
	return 0;
}

/* Release the sentry of a group, if it has one.  May sleep. */
void pmcgrp_sentry_release(struct pmcgrp_group *group)
{
	struct perf_event *sentry = group->user_read.sentry;

	if (!sentry)
		return;
	group->user_read.sentry = NULL;
	perf_event_release_kernel(sentry);
	atomic_dec(&watched);
}

/**
 * pmcgrp_sentry_report - report that registers on this CPU were reloaded or may have moved
 * @but: set that knows already, or NULL
 *
 * Context: interrupts off.
 */
void pmcgrp_sentry_report(const struct pmcgrp_evset *but)
{
	const struct pmcgrp_evlist_hooks *hooks;
	const struct pmcgrp_evset *set;

	list_for_each_entry(set, &pmcgrp_this_cpu()->sets, cpu_node) {
		hooks = READ_ONCE(set->evlist->hooks);
		if (set != but && set->on && hooks)
			hooks->counters_moved(set->evlist);
	}
}

static void counters_may_have_moved(void)
{
	if (atomic_read(&watched))
		pmcgrp_sentry_report(NULL);
}

static struct pmu *sentry_pmu(const void *owner)
{
	const struct pmcgrp_group *group = owner;

	return group->user_read.pmu;
}

static void sentry_add(struct perf_event *event)
{
	const struct pmcgrp_group *group = event->pmu_private;

	if (group->user_read.ops->sentry_in)
		group->user_read.ops->sentry_in(group);
}

static void sentry_del(struct perf_event *event)
{
	const struct pmcgrp_group *group = event->pmu_private;

	group->evlist->hooks->counters_moved(group->evlist);
}

static const struct pmcgrp_carrier_ops sentry_ops = {
	.among = sentry_pmu,
	.add = sentry_add,
	.del = sentry_del,
};

/**
 * pmcgrp_sentry_init - be notified of moved counters, where drivers move them
 *
 * Context: when the module is loaded.
 */
void __init pmcgrp_sentry_init(void)
{
	pmcgrp_placement_init(IS_ENABLED(CONFIG_X86) ? counters_may_have_moved : NULL);
	pmcgrp_carrier_register(PMCGRP_CARRIER_SENTRY, &sentry_ops);
}
