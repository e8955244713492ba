// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups: what is counted, for whom, and since when.
 *
 * Lifetime: a group belongs to its file and dies with it.  It owns one carrier
 * (perf core's side: when does the target run?), one ride (what was counted) and
 * a row of slot references for each CPU (the counters).  It comes up in the order
 * rows, carrier, and goes down in the reverse: a carrier may use slots as long
 * as it exists.
 *
 * Lock order: pmcgrp_groups_mutex, pmcgrp_group.mutex, slot.c's pool_mutex, then
 * perf core's.  perf core calls pmcgrp (carrier.c) under its ctx->lock with
 * interrupts off, where none of these may be taken.  CPU hotplug callbacks take
 * none either (hotplug.c says why).
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include "carrier.h"
#include "gang.h"
#include "group.h"

/* Far from perf's own ids, so that both can stand in one recording. */
#define MEMBER_ID_FIRST		BIT_ULL(40)

DEFINE_MUTEX(pmcgrp_groups_mutex);
static LIST_HEAD(groups);
static int max_groups;	/* of one opener; constant after init */
static atomic64_t last_id = ATOMIC64_INIT(MEMBER_ID_FIRST - 1);

/**
 * pmcgrp_groups_init - once, before there is any group
 * @groups_max: the most groups made through one open of the device
 */
void pmcgrp_groups_init(unsigned int groups_max)
{
	max_groups = groups_max;
}

/**
 * pmcgrp_opener_create - for one open of the device
 *
 * Return: an opener with a reference for the caller, or NULL without memory.
 */
struct pmcgrp_opener *pmcgrp_opener_create(void)
{
	struct pmcgrp_opener *opener = kzalloc(sizeof(*opener), GFP_KERNEL_ACCOUNT);

	if (opener)
		kref_init(&opener->refs);
	return opener;
}

static void opener_free(struct kref *refs)
{
	kfree(container_of(refs, struct pmcgrp_opener, refs));
}

/**
 * pmcgrp_opener_put - give back a reference
 * @opener: from pmcgrp_opener_create()
 */
void pmcgrp_opener_put(struct pmcgrp_opener *opener)
{
	kref_put(&opener->refs, opener_free);
}

/**
 * pmcgrp_group_alloc - a group that does nothing yet
 * @opener: whose group it is; the group takes a reference
 * @nr: members, 1 to %PMCGRP_MEMBERS_MAX
 *
 * The caller fills in the target, flags, read_format and each member's attr,
 * then calls pmcgrp_group_start() or pmcgrp_group_free().
 *
 * Return: the group, or an ERR_PTR: -ENOMEM, or -ENOSPC if the opener has as
 * many groups as it may have.
 */
struct pmcgrp_group *pmcgrp_group_alloc(struct pmcgrp_opener *opener, unsigned int nr)
{
	struct pmcgrp_group *group;
	struct pmcgrp_row *row;
	unsigned int i;
	int err = -ENOMEM;

	if (atomic_inc_return(&opener->nr_groups) > max_groups) {
		err = -ENOSPC;
		goto uncount;
	}
	group = kvzalloc(struct_size(group, member, nr), GFP_KERNEL_ACCOUNT);
	if (!group)
		goto uncount;
	group->nr = nr;
	group->cpu = -1;
	mutex_init(&group->mutex);
	INIT_LIST_HEAD(&group->node);
	for (i = 0; i < nr; i++)
		group->member[i].id = atomic64_inc_return(&last_id);

	group->rows = __alloc_percpu(struct_size(row, slot, nr), __alignof__(*row));
	if (!group->rows)
		goto free_group;
	group->ride = pmcgrp_ride_create(group, nr);
	if (!group->ride)
		goto free_rows;
	kref_get(&opener->refs);
	group->opener = opener;
	return group;

free_rows:
	free_percpu(group->rows);
free_group:
	kvfree(group);
uncount:
	atomic_dec(&opener->nr_groups);
	return ERR_PTR(err);
}

static void row_drop(struct pmcgrp_group *group, int cpu)
{
	struct pmcgrp_row *row = per_cpu_ptr(group->rows, cpu);
	unsigned int i;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (!row->complete)
		return;
	row->complete = false;
	for (i = 0; i < group->nr_events; i++)
		pmcgrp_slot_put(row->slot[i]);
}

static void group_drop_rows(struct pmcgrp_group *group)
{
	int cpu;

	for_each_possible_cpu(cpu)
		row_drop(group, cpu);
}

static int row_make(struct pmcgrp_group *group, int cpu, struct pmcgrp_failure *fail)
{
	struct pmcgrp_row *row = per_cpu_ptr(group->rows, cpu);
	struct pmcgrp_slot *slot;
	unsigned int i;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	row->epoch = pmcgrp_gang_epoch(cpu);
	for (i = 0; i < group->nr_events; i++) {
		slot = pmcgrp_slot_get(&group->member[group->first[i]].attr, cpu, row->epoch);
		if (IS_ERR(slot))
			goto put_slots;
		row->slot[i] = slot;
	}
	row->complete = true;
	return 0;

put_slots:
	fail->member = group->first[i];
	fail->cpu = cpu;
	while (i--)
		pmcgrp_slot_put(row->slot[i]);
	return PTR_ERR(slot);
}

/* What comes first: hardware, then PMU by PMU. */
static bool slot_before(const struct pmcgrp_slot *a, const struct pmcgrp_slot *b)
{
	if (pmcgrp_slot_is_software(a) != pmcgrp_slot_is_software(b))
		return pmcgrp_slot_is_software(b);
	return a->event->pmu->type < b->event->pmu->type;
}

/*
 * Put the events into the order that slot.c wants, once the first row shows
 * whose they are.  Members keep theirs.
 */
static void group_sort_events(struct pmcgrp_group *group, struct pmcgrp_row *row)
{
	u8 place[PMCGRP_MEMBERS_MAX];	/* of member's event in the new order */
	unsigned int i, k;

	for (i = 1; i < group->nr_events; i++)
		for (k = i; k && slot_before(row->slot[k], row->slot[k - 1]); k--) {
			swap(row->slot[k], row->slot[k - 1]);
			swap(group->first[k], group->first[k - 1]);
		}
	/* first[] still finds each event by its old number: its first member's. */
	for (i = 0; i < group->nr_events; i++)
		place[group->member[group->first[i]].event] = i;
	for (i = 0; i < group->nr; i++)
		group->member[i].event = place[group->member[i].event];

	for (i = 0; i < group->nr_events && !pmcgrp_slot_is_software(row->slot[i]); i++)
		;
	group->ride->nr_hw = i;
}

static u32 why_of_slot_error(int err, int cpu)
{
	switch (err) {
	case -ENOENT:
		return PMCGRP_WHY_EVENT_UNKNOWN;
	case -EOPNOTSUPP:
		return PMCGRP_WHY_EVENT_KIND;
	case -ENODEV:
		return cpu_online(cpu) ? PMCGRP_WHY_PMU : PMCGRP_WHY_CPU_OFFLINE;
	case -ENOMEM:
		return PMCGRP_WHY_NOMEM;
	case -EDQUOT:
		return PMCGRP_WHY_SLOTS_MAX;
	default:
		return PMCGRP_WHY_PMU;
	}
}

/*
 * Rows for every CPU that the target may run on.  A CPU that has no such event
 * (a hybrid machine's other kind of core) or has just gone offline is done
 * without, as long as there is one that has.
 */
static int group_make_rows(struct pmcgrp_group *group, struct pmcgrp_failure *fail)
{
	struct pmcgrp_failure first = *fail;
	int cpu, err, first_err = 0;
	bool any = false;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	for_each_online_cpu(cpu) {
		if (group->cpu >= 0 && cpu != group->cpu)
			continue;
		err = row_make(group, cpu, fail);
		if (!err) {
			if (!any)
				group_sort_events(group, per_cpu_ptr(group->rows, cpu));
			any = true;
			continue;
		}
		fail->why = why_of_slot_error(err, cpu);
		/* EDQUOT inside only: a PMU's own ENOSPC is another matter. */
		if (err == -EDQUOT)
			err = -ENOSPC;
		if (err != -ENOENT && err != -ENODEV)
			goto drop_rows;
		if (!first_err) {
			first_err = err;
			first = *fail;
		}
	}
	if (any) {
		fail->why = PMCGRP_WHY_NONE;
		fail->member = PMCGRP_NO_MEMBER;
		fail->cpu = -1;
		return 0;
	}
	*fail = first;
	if (first_err)
		return first_err;
	/* The CPU is not online: no row was tried. */
	fail->why = PMCGRP_WHY_CPU_OFFLINE;
	fail->cpu = group->cpu;
	return -ENODEV;

drop_rows:
	group_drop_rows(group);
	return err;
}

static void group_find_events(struct pmcgrp_group *group)
{
	unsigned int e, i;

	for (i = 0; i < group->nr; i++) {
		for (e = 0; e < group->nr_events; e++)
			if (!memcmp(&group->member[i].attr, &group->member[group->first[e]].attr,
				    sizeof(group->member[i].attr)))
				break;
		if (e == group->nr_events)
			group->first[group->nr_events++] = i;
		group->member[i].event = e;
	}
	group->ride->nr = group->nr_events;
}

static u32 why_of_carrier_error(int err)
{
	switch (err) {
	case -ESRCH:
		return PMCGRP_WHY_TASK_GONE;
	case -ENODEV:
		return PMCGRP_WHY_CPU_OFFLINE;
	case -ENOMEM:
		return PMCGRP_WHY_NOMEM;
	default:
		return PMCGRP_WHY_PMU;
	}
}

static int group_make_carrier(struct pmcgrp_group *group, struct task_struct *task)
{
	struct perf_event *carrier;

	lockdep_assert_held(&group->mutex);
	if (group->cpu >= 0)
		group->carrier_epoch = pmcgrp_gang_epoch(group->cpu);
	carrier = pmcgrp_carrier_create(group->ride, task, group->cpu, !group->enabled,
					group->flags & PMCGRP_CREATE_ENABLE_ON_EXEC);
	if (IS_ERR(carrier))
		return PTR_ERR(carrier);
	group->carrier = carrier;
	return 0;
}

/**
 * pmcgrp_group_start - make a filled-in group count
 * @group: from pmcgrp_group_alloc()
 * @task: the task to count, or NULL for @group->cpu
 * @fail: out: the reason for a failure
 *
 * Context: may sleep.
 * Return: 0, or the errno that the uapi header gives for PMCGRP_IOC_CREATE; the
 * caller still owns the group.
 */
int pmcgrp_group_start(struct pmcgrp_group *group, struct task_struct *task,
		       struct pmcgrp_failure *fail)
{
	int err;

	group_find_events(group);
	group->ride->pinned = group->flags & PMCGRP_CREATE_PINNED;
	group->enabled = !(group->flags & PMCGRP_CREATE_DISABLED);

	mutex_lock(&pmcgrp_groups_mutex);
	err = group_make_rows(group, fail);
	if (err)
		goto unlock;
	mutex_lock(&group->mutex);
	err = group_make_carrier(group, task);
	mutex_unlock(&group->mutex);
	if (err) {
		fail->why = why_of_carrier_error(err);
		goto drop_rows;
	}
	list_add_tail(&group->node, &groups);
	mutex_unlock(&pmcgrp_groups_mutex);
	return 0;

drop_rows:
	group_drop_rows(group);
unlock:
	mutex_unlock(&pmcgrp_groups_mutex);
	return err;
}

/**
 * pmcgrp_group_free - stop and free a group, started or not
 * @group: the group, which no one else can reach any more
 *
 * When it returns, every counter that no other group uses has been released.
 *
 * Context: may sleep.
 */
void pmcgrp_group_free(struct pmcgrp_group *group)
{
	mutex_lock(&pmcgrp_groups_mutex);
	list_del(&group->node);
	if (group->carrier)
		perf_event_release_kernel(group->carrier);
	group_drop_rows(group);
	mutex_unlock(&pmcgrp_groups_mutex);

	kfree(group->ride);
	free_percpu(group->rows);
	mutex_destroy(&group->mutex);
	atomic_dec(&group->opener->nr_groups);
	pmcgrp_opener_put(group->opener);
	kvfree(group);
}

/**
 * pmcgrp_group_enable - let the group count; PERF_EVENT_IOC_ENABLE
 * @group: the group; takes its mutex
 */
void pmcgrp_group_enable(struct pmcgrp_group *group)
{
	mutex_lock(&group->mutex);
	group->enabled = true;
	if (group->carrier) {
		/* A pinned group in error tries again when its carrier comes in. */
		if (READ_ONCE(group->ride->error)) {
			perf_event_disable(group->carrier);
			WRITE_ONCE(group->ride->error, false);
		}
		perf_event_enable(group->carrier);
	}
	mutex_unlock(&group->mutex);
}

/**
 * pmcgrp_group_disable - stop counting, keep the counts; PERF_EVENT_IOC_DISABLE
 * @group: the group; takes its mutex
 */
void pmcgrp_group_disable(struct pmcgrp_group *group)
{
	mutex_lock(&group->mutex);
	group->enabled = false;
	if (group->carrier)
		perf_event_disable(group->carrier);
	mutex_unlock(&group->mutex);
}

/**
 * pmcgrp_group_refresh - bring @group->snap up to date, wherever the target runs
 * @group: the group, its mutex held
 *
 * A target that runs here is read here.  For one that runs elsewhere perf core
 * sends the IPI, which ends in the carrier's read callback (carrier.c); one that
 * does not run was accounted when it left.
 */
void pmcgrp_group_refresh(struct pmcgrp_group *group)
{
	struct pmcgrp_ride *ride = group->ride;
	unsigned long flags;
	u64 enabled, running;
	bool here;

	lockdep_assert_held(&group->mutex);
	local_irq_save(flags);
	/* Only this CPU sets it to this CPU or away from it, with interrupts off. */
	here = READ_ONCE(ride->cpu) == smp_processor_id();
	if (here) {
		pmcgrp_ride_account(ride);
		pmcgrp_ride_snapshot(ride, &group->snap);
	}
	local_irq_restore(flags);
	if (here)
		return;
	if (group->carrier)
		perf_event_read_value(group->carrier, &enabled, &running);
	pmcgrp_ride_snapshot(ride, &group->snap);
}

/**
 * pmcgrp_group_reset - zero the counts, not the times; PERF_EVENT_IOC_RESET
 * @group: the group; takes its mutex
 */
void pmcgrp_group_reset(struct pmcgrp_group *group)
{
	unsigned int i;

	mutex_lock(&group->mutex);
	pmcgrp_group_refresh(group);
	for (i = 0; i < group->nr; i++)
		group->member[i].offset = group->snap.count[group->member[i].event];
	mutex_unlock(&group->mutex);
}

/**
 * pmcgrp_group_slots - the group's slots on this CPU
 * @group: the group
 * @cpu: this CPU, whose gang is open
 *
 * Context: interrupts off.
 * Return: one slot for each event, or NULL where the group cannot count.
 */
struct pmcgrp_slot *const *pmcgrp_group_slots(struct pmcgrp_group *group, int cpu)
{
	struct pmcgrp_row *row = per_cpu_ptr(group->rows, cpu);

	lockdep_assert_irqs_disabled();
	if (!row->complete || row->epoch != pmcgrp_gang_epoch(cpu))
		return NULL;
	return row->slot;
}

static void group_rebuild_carrier(struct pmcgrp_group *group)
{
	mutex_lock(&group->mutex);
	if (group->carrier_epoch != pmcgrp_gang_epoch(group->cpu)) {
		if (group->carrier) {
			perf_event_release_kernel(group->carrier);
			group->carrier = NULL;
		}
		if (group_make_carrier(group, NULL))
			pr_warn_ratelimited("pmcgrp: a group of CPU %d could not go on after it came back\n",
					    group->cpu);
	}
	mutex_unlock(&group->mutex);
}

/**
 * pmcgrp_groups_rebuild - give every group its slots on a CPU that has come online
 * @cpu: the CPU, whose gang is closed
 *
 * Counts go on from where they were.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_groups_rebuild(int cpu)
{
	struct pmcgrp_group *group;
	struct pmcgrp_failure fail;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	list_for_each_entry(group, &groups, node) {
		if (group->cpu >= 0 && group->cpu != cpu)
			continue;
		row_drop(group, cpu);
		/* Without, the group is enabled but does not run on this CPU. */
		row_make(group, cpu, &fail);
		if (group->cpu == cpu)
			group_rebuild_carrier(group);
	}
}

/**
 * pmcgrp_groups_drop - release every group's slots on a CPU that is offline
 * @cpu: the CPU, whose gang is closed
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_groups_drop(int cpu)
{
	struct pmcgrp_group *group;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	list_for_each_entry(group, &groups, node)
		row_drop(group, cpu);
}
