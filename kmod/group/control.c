// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control of a group: enable, disable and reset it.  What it shows follows from its event list:
 *
 *   shown = total - zero    total: the sum over the list's sets; zero: total at the last reset
 *   shown = zero            while the group is disabled, and others may have the list count
 *
 * From one to the other @zero becomes total - @zero, with the total of that instant.  A list counts
 * while any of its groups is enabled.  For each of several CPUs alone there is the same, with
 * pmcgrp_group_cpu_zero() and the values of that CPU's set.
 */
#include <linux/cpumask.h>
#include <linux/lockdep.h>
#include <linux/seqlock.h>
#include <linux/string.h>
#include "group/control.h"
#include "group/evlist_control.h"
#include "group/group.h"
#include "set/evset.h"

static const struct pmcgrp_values none;

static void toggle(struct pmcgrp_values *zero, const struct pmcgrp_values *now, unsigned int nr)
{
	unsigned int i;

	zero->enabled = now->enabled - zero->enabled;
	zero->running = now->running - zero->running;
	for (i = 0; i < nr; i++)
		zero->count[i] = now->count[i] - zero->count[i];
}

/* Take no sample of a group whose values are about to change. */
static void no_samples(struct pmcgrp_group *group)
{
	WRITE_ONCE(group->enabled, false);
	/*
	 * Pairs with the barrier in pmcgrp_sched_in(): a set that comes in from now on sees it.
	 * The CPU of one that is in is asked later.
	 */
	smp_mb();
}

/*
 * What a group shows changes.  A read without the mutex does not wait for the end of this section:
 * it takes the mutex instead.
 */
static void control_change_begin(struct pmcgrp_group *group)
{
	/* The barrier in the next line pairs with that in pmcgrp_read_show(). */
	WRITE_ONCE(group->evlist->changes, group->evlist->changes + 1);
	raw_write_seqcount_begin(&group->zero_seq);
}

static void control_change_end(struct pmcgrp_group *group)
{
	raw_write_seqcount_end(&group->zero_seq);
}

/*
 * The same change, for one CPU alone.  Who reads a CPU's counts without the mutex either finds the
 * section, or the group disabled (pmcgrp_kernel_group_read_local()).
 */
static void cpu_toggle(struct pmcgrp_evset *set, const struct pmcgrp_values *now, void *info)
{
	struct pmcgrp_group *group = info;

	control_change_begin(group);
	toggle(pmcgrp_group_cpu_zero(group, set->home), now, set->nr);
	control_change_end(group);
}

/* Bring the list's values up to date, and change the form of what is shown: @func does for all. */
static void toggle_now(struct pmcgrp_group *group, pmcgrp_values_func_t func)
{
	pmcgrp_evlist_refresh_and(group->evlist, func, group->cpu_zero ? cpu_toggle : NULL, group);
}

/* The group shows @group->zero from now on. */
static void control_keep(const struct pmcgrp_values *now, void *info)
{
	struct pmcgrp_group *group = info;

	control_change_begin(group);
	toggle(&group->zero, now, group->evlist->nr_events);
	group->keeps = true;
	control_change_end(group);
}

/* The group goes on from what it has kept, if it keeps anything. */
static void control_go_on(const struct pmcgrp_values *now, void *info)
{
	struct pmcgrp_group *group = info;

	control_change_begin(group);
	if (group->keeps)
		toggle(&group->zero, now, group->evlist->nr_events);
	group->keeps = false;
	/* Pairs with pmcgrp_group_is_enabled(): a sample is taken with the new values. */
	smp_store_release(&group->enabled, true);
	control_change_end(group);
}

/* It keeps nothing any more; it may be disabled. */
static void end_keeping(const struct pmcgrp_values *now, void *info)
{
	struct pmcgrp_group *group = info;

	control_change_begin(group);
	toggle(&group->zero, now, group->evlist->nr_events);
	group->keeps = false;
	control_change_end(group);
}

/**
 * pmcgrp_control_keep - let a disabled group keep what it shows, as others may have its list count
 * @group: the group
 *
 * Context: may sleep; the list's mutex held.
 */
void pmcgrp_control_keep(struct pmcgrp_group *group)
{
	pmcgrp_group_assert_locked(group);
	if (!group->enabled && !group->keeps)
		toggle_now(group, control_keep);
}

/**
 * pmcgrp_control_end_keeping - undo pmcgrp_control_keep(), as nobody shares the list any more
 * @group: the group, disabled or not
 *
 * Context: may sleep; the list's mutex held.
 */
void pmcgrp_control_end_keeping(struct pmcgrp_group *group)
{
	pmcgrp_group_assert_locked(group);
	if (group->keeps)
		toggle_now(group, end_keeping);
}

/**
 * pmcgrp_control_start_anew - let a group go on with a list that has counted nothing yet
 * @group: the group
 * @evlist: the list, with the same events in the same order
 *
 * Context: may sleep; the mutex of its old list held, on which nobody counts for it any more.
 */
void pmcgrp_control_start_anew(struct pmcgrp_group *group, struct pmcgrp_evlist *evlist)
{
	int cpu;

	pmcgrp_group_assert_locked(group);
	/* What it has shown is what is kept now, and will be added. */
	if (!group->keeps)
		toggle_now(group, control_keep);
	control_change_begin(group);
	toggle(&group->zero, &none, evlist->nr_events);
	if (group->cpu_zero)
		for_each_cpu(cpu, evlist->cpus)
			toggle(pmcgrp_group_cpu_zero(group, cpu), &none, evlist->nr_events);
	group->keeps = false;
	WRITE_ONCE(group->evlist, evlist);
	control_change_end(group);
}

static void shared_enable(struct pmcgrp_group *group)
{
	struct pmcgrp_evlist *evlist = group->evlist;

	if (group->enabled)
		return;
	if (group->keeps)
		toggle_now(group, control_go_on);
	else
		control_go_on(NULL, group); /* the list does not count */
	if (!evlist->nr_enabled++)
		pmcgrp_evlist_activate(evlist);
}

static void shared_disable(struct pmcgrp_group *group)
{
	struct pmcgrp_evlist *evlist = group->evlist;

	if (!group->enabled)
		return;
	no_samples(group);
	if (!--evlist->nr_enabled)
		pmcgrp_evlist_deactivate(evlist);
	if (evlist->nr_groups > 1)
		toggle_now(group, control_keep);
}

/**
 * pmcgrp_control_set_enabled - enable or disable a group
 * @group: the group
 * @on: whether to enable or to disable it
 *
 * On return the group counts wherever its target runs, or nowhere.  Samples that were lost or not
 * taken have been reported in the rings of a disabled group, as far as there is room.
 *
 * Context: may sleep; the list's mutex held.
 */
void pmcgrp_control_set_enabled(struct pmcgrp_group *group, bool on)
{
	struct pmcgrp_evlist *evlist = group->evlist;
	bool shared = evlist->is_shareable;

	pmcgrp_group_stops(group);
	if (on) {
		if (shared)
			shared_enable(group);
		else
			pmcgrp_evlist_activate(evlist);
		if (group->rings)
			group->output->enable(group, true);
		return;
	}
	if (group->rings)
		group->output->enable(group, false);
	if (shared)
		shared_disable(group);
	else
		pmcgrp_evlist_deactivate(evlist);
	/* For a section that began in between: pairs with begin_here() in section.c. */
	pmcgrp_group_stops(group);
	if (!group->rings)
		return;
	/* execve() may enable a list that is not shared. */
	if (!shared)
		pmcgrp_evlist_freeze(evlist);
	group->output->flush(group);
	if (!shared)
		pmcgrp_evlist_thaw(evlist);
}

static int set_enabled(struct pmcgrp_group *group, bool on)
{
	if (!pmcgrp_group_lock(group))
		return -EINTR;
	pmcgrp_control_set_enabled(group, on);
	mutex_unlock(&group->evlist->mutex);
	return 0;
}

/**
 * pmcgrp_control_enable - enable a group for PERF_EVENT_IOC_ENABLE
 * @group: the group
 *
 * Context: may sleep; takes the list's mutex.
 * Return: 0, or -EINTR if the caller has been killed.
 */
int pmcgrp_control_enable(struct pmcgrp_group *group)
{
	return set_enabled(group, true);
}

/**
 * pmcgrp_control_disable - disable a group for PERF_EVENT_IOC_DISABLE, and keep the counts
 * @group: the group
 *
 * Context: may sleep; takes the list's mutex.
 * Return: 0, or -EINTR if the caller has been killed.
 */
int pmcgrp_control_disable(struct pmcgrp_group *group)
{
	return set_enabled(group, false);
}

/**
 * pmcgrp_control_show - find what a group shows
 * @group: the group
 * @at: in: values up to now of its list, or of a CPU; out: values, of which
 * @zero: out: these are to be subtracted
 * @mine: pmcgrp_group.zero, or pmcgrp_group_cpu_zero() of the CPU
 *
 * Context: the list's mutex held.
 */
void pmcgrp_control_show(const struct pmcgrp_group *group, const struct pmcgrp_values **at,
			 const struct pmcgrp_values **zero, const struct pmcgrp_values *mine)
{
	pmcgrp_group_assert_locked(group);
	*zero = group->keeps ? &none : mine;
	if (group->keeps)
		*at = mine;
}

/**
 * pmcgrp_control_refresh - bring what a group shows up to date
 * @group: the group
 * @zero: out: values to be subtracted from those returned
 *
 * Context: may sleep; the list's mutex held.
 * Return: values, unchanged while the mutex is held.
 */
const struct pmcgrp_values *pmcgrp_control_refresh(struct pmcgrp_group *group,
						   const struct pmcgrp_values **zero)
{
	const struct pmcgrp_values *at = group->evlist->total;

	pmcgrp_group_assert_locked(group);
	if (!group->keeps)
		pmcgrp_evlist_refresh(group->evlist);
	pmcgrp_control_show(group, &at, zero, &group->zero);
	return at;
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

/**
 * struct reset - a reset of a group
 * @group: the group
 * @times: zero time_enabled and time_running as well
 */
struct reset {
	struct pmcgrp_group *group;
	bool times;
};

static void reset_to(const struct pmcgrp_values *now, void *info)
{
	struct reset *reset = info;
	struct pmcgrp_group *group = reset->group;

	control_change_begin(group);
	values_to_zero(&group->zero, group->keeps ? &none : now, group->evlist->nr_events,
		       reset->times);
	control_change_end(group);
}

static void cpu_reset_to(struct pmcgrp_evset *set, const struct pmcgrp_values *now, void *info)
{
	struct reset *reset = info;
	struct pmcgrp_group *group = reset->group;

	if (!group->cpu_zero)
		return;
	control_change_begin(group);
	values_to_zero(pmcgrp_group_cpu_zero(group, set->home), group->keeps ? &none : now,
		       set->nr, reset->times);
	control_change_end(group);
}

static void shared_reset(struct reset *reset)
{
	struct pmcgrp_group *group = reset->group;
	bool enabled = group->enabled;

	no_samples(group);
	pmcgrp_evlist_refresh_and(group->evlist, reset_to, cpu_reset_to, reset);
	/* As in control_go_on(). */
	smp_store_release(&group->enabled, enabled);
}

/*
 * With rings a list that is not shared is frozen meanwhile: samples read the values at the reset
 * without a lock, but only while a set is enabled.
 */
static void reset_sets(struct reset *reset)
{
	struct pmcgrp_group *group = reset->group;
	struct pmcgrp_evlist *evlist = group->evlist;

	if (group->rings) {
		pmcgrp_group_stops(group);
		pmcgrp_evlist_freeze(evlist);
		group->output->flush(group);
	}
	pmcgrp_evlist_refresh_sets(evlist, cpu_reset_to, reset);
	reset_to(evlist->total, reset);
	if (evlist->hooks)
		pmcgrp_evlist_publish(evlist);
	if (group->rings) {
		pmcgrp_group_stops(group);
		pmcgrp_evlist_thaw(evlist);
	}
}

/**
 * pmcgrp_control_reset - zero the counts for PERF_EVENT_IOC_RESET
 * @group: the group
 * @times: zero time_enabled and time_running as well
 *
 * Context: may sleep; takes the list's mutex.
 * Return: 0, or -EINTR if the caller has been killed.
 */
int pmcgrp_control_reset(struct pmcgrp_group *group, bool times)
{
	struct reset reset = { .group = group, .times = times };

	if (!pmcgrp_group_lock(group))
		return -EINTR;
	if (group->evlist->is_shareable)
		shared_reset(&reset);
	else
		reset_sets(&reset);
	mutex_unlock(&group->evlist->mutex);
	return 0;
}
