// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control: enable, disable and reset a group, and bring its sums up to date.  Each is one
 * broadcast to the CPUs where the group's carriers are scheduled in.
 *
 * Finding the CPUs: a carrier that comes in writes set->cpu and then reads group->active.  A
 * task that controls the group writes group->active and then reads set->cpu.  Both have a full
 * barrier in between.  So either the set sees the new state or its CPU is in the broadcast.  A
 * set that leaves meanwhile has accounted for itself.  The same holds for group->frozen, which
 * keeps an enabled group from counting for a while.
 */
#include <linux/cpumask.h>
#include <linux/lockdep.h>
#include <linux/smp.h>
#include <linux/string.h>
#include "context.h"
#include "sched.h"
#include "group.h"
#include "root.h"
#include "share.h"
#include "control.h"

/* The group's set that is scheduled in on this CPU, or NULL. */
static struct pmcgrp_evset *evset_here(struct pmcgrp_group *group)
{
	lockdep_assert_irqs_disabled();
	return pmcgrp_row_here(group)->in;
}

static void start_here(void *group)
{
	struct pmcgrp_evset *set = evset_here(group);

	if (set)
		pmcgrp_sched_enable(set);
}

static void stop_here(void *group)
{
	struct pmcgrp_evset *set = evset_here(group);

	if (set)
		pmcgrp_sched_disable(set);
}

static void thaw_here(void *info)
{
	struct pmcgrp_group *group = info;
	struct pmcgrp_evset *set = evset_here(group);

	/* The group may have been enabled by execve() meanwhile. */
	if (set && READ_ONCE(group->active))
		pmcgrp_sched_enable(set);
}

static void publish_here(void *group)
{
	struct pmcgrp_evset *set = evset_here(group);

	if (set)
		set->group->hooks->counters_on(set);
}

static void account_here(void *group)
{
	struct pmcgrp_evset *set = evset_here(group);

	if (set && set->is_in)
		pmcgrp_evset_account(set);
}

/*
 * Collect the CPUs where the group's carriers are in.  A carrier may have moved on by the time
 * that its CPU is called, which does no harm.
 */
static void group_collect_cpus(struct pmcgrp_group *group)
{
	struct pmcgrp_evset *set;
	int cpu;

	cpumask_clear(group->scratch_cpus);
	/* Pairs with the barrier in pmcgrp_sched_in(). */
	smp_mb();
	mutex_lock(&group->evsets_mutex);
	list_for_each_entry(set, &group->sets, node) {
		/* Pairs with pmcgrp_sched_out(). */
		cpu = smp_load_acquire(&set->cpu);
		/* A resting set is on no CPU, but info.c asks the CPU where its context is. */
		if (cpu < 0 && READ_ONCE(set->resting))
			cpu = READ_ONCE(set->ctx->cpu);
		if (cpu >= 0)
			cpumask_set_cpu(cpu, group->scratch_cpus);
	}
	mutex_unlock(&group->evsets_mutex);
}

/**
 * pmcgrp_group_call - call a function on each CPU where a carrier of the group is in
 * @group: the group, its mutex held
 * @func: function, called with interrupts off, not inside perf core
 * @info: argument of @func
 *
 * Context: may sleep.
 */
void pmcgrp_group_call(struct pmcgrp_group *group, smp_call_func_t func, void *info)
{
	group_collect_cpus(group);
	on_each_cpu_mask(group->scratch_cpus, func, info, true);
}

static void group_broadcast(struct pmcgrp_group *group, smp_call_func_t func)
{
	pmcgrp_group_call(group, func, group);
}

/* Clear the error of pinned sets, for them to be tried again. */
static void group_clear_error(struct pmcgrp_group *group)
{
	struct pmcgrp_evset *set;

	if (!(group->flags & PMCGRP_CREATE_PINNED))
		return;
	mutex_lock(&group->evsets_mutex);
	list_for_each_entry(set, &group->sets, node)
		WRITE_ONCE(set->error, false);
	mutex_unlock(&group->evsets_mutex);
}

/**
 * pmcgrp_group_in_error - check whether a pinned group could not be placed, or a task not followed
 * @group: the group
 *
 * Context: may sleep.
 * Return: true if that has happened on any CPU or for any task since the group was enabled.
 */
bool pmcgrp_group_in_error(struct pmcgrp_group *group)
{
	struct pmcgrp_evset *set;
	bool error = false;

	if (READ_ONCE(group->incomplete))
		return true;
	if (!(group->flags & PMCGRP_CREATE_PINNED))
		return false;
	mutex_lock(&group->evsets_mutex);
	list_for_each_entry(set, &group->sets, node)
		error |= READ_ONCE(set->error);
	mutex_unlock(&group->evsets_mutex);
	return error;
}

static void group_drop_fired(struct pmcgrp_group *group)
{
	if (READ_ONCE(group->latch_fired))
		pmcgrp_roots_drop_fired(group);
}

/**
 * pmcgrp_group_enable_locked - enable a group by its carriers
 * @group: the group
 *
 * On return the group counts wherever its target runs.  A pinned group in error is tried again.
 *
 * Context: may sleep; the group's mutex held.
 */
void pmcgrp_group_enable_locked(struct pmcgrp_group *group)
{
	lockdep_assert_held(&group->mutex);
	group_drop_fired(group);
	group_clear_error(group);
	pmcgrp_roots_enable(group, true);
	WRITE_ONCE(group->active, true);
	group_broadcast(group, start_here);
	if (group->rings)
		group->output->enable(group, true);
}

/**
 * pmcgrp_group_enable - enable a group for PERF_EVENT_IOC_ENABLE
 * @group: the group
 *
 * Context: may sleep; takes the group's mutex.
 * Return: 0, or -EINTR if the caller has been killed.
 */
int pmcgrp_group_enable(struct pmcgrp_group *group)
{
	if (mutex_lock_killable(&group->mutex))
		return -EINTR;
	if (pmcgrp_group_shares(group))
		pmcgrp_share_set_enabled(group, true);
	else
		pmcgrp_group_enable_locked(group);
	mutex_unlock(&group->mutex);
	return 0;
}

/**
 * pmcgrp_group_disable_locked - disable a group by its carriers, and keep the counts
 * @group: the group
 *
 * On return the group counts nowhere.  Samples that were lost or not taken have been reported
 * in its rings, as far as there is room.
 *
 * Context: may sleep; the group's mutex held.
 */
void pmcgrp_group_disable_locked(struct pmcgrp_group *group)
{
	lockdep_assert_held(&group->mutex);
	group_drop_fired(group);
	if (group->rings)
		group->output->enable(group, false);
	/* Again if execve() has enabled the group meanwhile. */
	do {
		WRITE_ONCE(group->active, false);
		group_broadcast(group, stop_here);
	} while (READ_ONCE(group->active));
	pmcgrp_roots_enable(group, false);
	if (group->rings) {
		pmcgrp_group_freeze(group);
		group->output->flush(group);
		pmcgrp_group_thaw(group);
	}
}

/**
 * pmcgrp_group_disable - disable a group for PERF_EVENT_IOC_DISABLE, and keep the counts
 * @group: the group
 *
 * Context: may sleep; takes the group's mutex.
 * Return: 0, or -EINTR if the caller has been killed.
 */
int pmcgrp_group_disable(struct pmcgrp_group *group)
{
	if (mutex_lock_killable(&group->mutex))
		return -EINTR;
	if (pmcgrp_group_shares(group))
		pmcgrp_share_set_enabled(group, false);
	else
		pmcgrp_group_disable_locked(group);
	mutex_unlock(&group->mutex);
	return 0;
}

/**
 * pmcgrp_group_freeze - keep a group from counting for a change of its events or its rings
 * @group: the group
 *
 * On return no CPU has an enabled set of the group, and its counters have no user.  Sets that
 * come in are not enabled before pmcgrp_group_thaw().  The group's own state, enabled or
 * disabled, does not change.
 *
 * Context: may sleep; the group's mutex held.
 */
void pmcgrp_group_freeze(struct pmcgrp_group *group)
{
	lockdep_assert_held(&group->mutex);
	WRITE_ONCE(group->frozen, true);
	group_broadcast(group, stop_here);
}

/**
 * pmcgrp_group_thaw - let a frozen group count again if it is enabled
 * @group: the group
 *
 * Context: may sleep; the group's mutex held.
 */
void pmcgrp_group_thaw(struct pmcgrp_group *group)
{
	lockdep_assert_held(&group->mutex);
	/* Pairs with sched_enable(): a set that finds the group thawed sees its new events. */
	smp_store_release(&group->frozen, false);
	group_broadcast(group, thaw_here);
}

static void values_to_zero(struct pmcgrp_values *zero, const struct pmcgrp_values *at,
			   unsigned int nr, bool times)
{
	memcpy(zero->count, at->count, nr * sizeof(at->count[0]));
	if (times) {
		zero->enabled = at->enabled;
		zero->running = at->running;
	}
}

/* Account and copy in one section, for a group whose only set is in on this CPU. */
static bool group_refresh_here(struct pmcgrp_group *group)
{
	struct pmcgrp_evset *set;
	unsigned long flags;

	if (!pmcgrp_group_has_one_set(group))
		return false;
	local_irq_save(flags);
	set = evset_here(group);
	if (set) {
		account_here(group);
		pmcgrp_evset_copy(set, &group->total);
	}
	local_irq_restore(flags);
	return set;
}

/**
 * pmcgrp_group_refresh_evsets - bring @group->total up to date from all sets
 * @group: the group, its mutex held
 * @visit: called for each set with the values that are added for it; or NULL
 * @arg: argument of @visit
 *
 * The total is the sum over all sets, those that have ended included (@group->past).  CPUs where
 * carriers are in account their sets in parallel, each all members at one instant.  Sets of
 * targets that do not run were accounted when they were scheduled out.
 *
 * Context: may sleep; @visit is called with the group's evsets_mutex held.
 */
void pmcgrp_group_refresh_evsets(struct pmcgrp_group *group, pmcgrp_evset_visit_t visit, void *arg)
{
	struct pmcgrp_values part;
	struct pmcgrp_evset *set;

	lockdep_assert_held(&group->mutex);
	if (group->only)
		pmcgrp_context_catch_up(group->only);
	group_broadcast(group, account_here);
	mutex_lock(&group->evsets_mutex);
	group->total = group->past;
	list_for_each_entry(set, &group->sets, node) {
		pmcgrp_evset_copy(set, &part);
		pmcgrp_values_add(&group->total, &part, group->nr_events);
		if (visit)
			visit(set, &part, arg);
	}
	mutex_unlock(&group->evsets_mutex);
}

/**
 * pmcgrp_group_refresh_own - bring @group->total up to date from the group's own carriers
 * @group: the group, its mutex held
 *
 * Context: may sleep.
 */
void pmcgrp_group_refresh_own(struct pmcgrp_group *group)
{
	if (!group_refresh_here(group))
		pmcgrp_group_refresh_evsets(group, NULL, NULL);
}

/**
 * pmcgrp_group_refresh - bring @group->total up to date
 * @group: the group, its mutex held
 *
 * Context: may sleep.
 */
void pmcgrp_group_refresh(struct pmcgrp_group *group)
{
	if (pmcgrp_group_shares(group))
		pmcgrp_share_refresh(group);
	else
		pmcgrp_group_refresh_own(group);
}

static void evset_zero(struct pmcgrp_evset *set, const struct pmcgrp_values *at, void *times)
{
	if (set->zero)
		values_to_zero(set->zero, at, set->nr, *(bool *)times);
}

/**
 * pmcgrp_group_reset - zero the counts for PERF_EVENT_IOC_RESET
 * @group: the group
 * @times: zero time_enabled and time_running as well
 *
 * A group with rings is frozen meanwhile.  Samples read @group->zero, or that of the CPU's set,
 * without a lock, but only while a set is enabled.
 *
 * Context: may sleep; takes the group's mutex.
 * Return: 0, or -EINTR if the caller has been killed.
 */
int pmcgrp_group_reset(struct pmcgrp_group *group, bool times)
{
	if (mutex_lock_killable(&group->mutex))
		return -EINTR;
	if (group->rings)
		pmcgrp_group_freeze(group);
	if (pmcgrp_group_shares(group))
		pmcgrp_share_refresh(group);
	else
		pmcgrp_group_refresh_evsets(group, evset_zero, &times);
	/* A read without the mutex does not wait for this section: it takes the mutex instead. */
	raw_write_seqcount_begin(&group->zero_seq);
	values_to_zero(&group->zero, &group->total, group->nr_events, times);
	raw_write_seqcount_end(&group->zero_seq);
	if (group->hooks)
		group_broadcast(group, publish_here);
	if (group->rings)
		pmcgrp_group_thaw(group);
	mutex_unlock(&group->mutex);
	return 0;
}
