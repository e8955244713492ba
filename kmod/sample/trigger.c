// SPDX-License-Identifier: GPL-2.0-only
/*
 * Triggers: perf events whose overflows cause samples of a group.
 *
 * perf core schedules, counts and throttles these events (trigger_make.c).
 *
 * The overflow handler runs in hard interrupts, in NMI, and in tasks that hold any lock, including
 * the run-queue lock.  It uses the group's sets, so triggers are released before carriers.
 *
 * Events of several tasks stay enabled while the group is disabled, and cause no sample then.  To
 * disable those that were inherited needs their contexts' mutexes; these come before child_mutex,
 * which protects the list of them (kernel/events/core.c: perf_event_release_kernel()).
 *
 * Locks: creating a probe event reads the probe's name from user space, which can block.  Therefore
 * events are created under pmcgrp_ring_buffers.adding alone, and then added under the list's mutex.
 */
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "arbiter/cpu.h"
#include "counter/attr.h"
#include "counter/kernel_counter.h"
#include "group/evlist_control.h"
#include "group/group.h"
#include "sample/ring_map.h"
#include "sample/sample.h"
#include "sample/trigger.h"

static_assert(sizeof(struct pmcgrp_trigger_add) == PMCGRP_TRIGGER_ADD_SIZE_VER0);

static void trigger_start(struct pmcgrp_trigger *trigger)
{
	trigger->source.period_check.seen = 0;
	perf_event_enable(trigger->event);
}

static bool any_is_probe(const struct list_head *made)
{
	const struct pmcgrp_trigger *trigger;

	list_for_each_entry(trigger, made, node)
		if (trigger->event && pmcgrp_perf_event_is_probe(trigger->event))
			return true;
	return false;
}

/*
 * Create the event again if its CPU has been offline since.  From now on the trigger is in the
 * list and pmcgrp_triggers_rebuild() does this.
 */
static void renew(struct pmcgrp_trigger *trigger)
{
	if (trigger->cpu < 0 || trigger->generation == pmcgrp_cpu_generation(trigger->cpu))
		return;
	pmcgrp_trigger_detach(trigger);
	/* On failure it has no event, as on an offline CPU. */
	if (!trigger->probe)
		pmcgrp_trigger_attach(trigger, NULL);
}

/* perf core takes the PMU away if that is unregistered (counter_pmu.c). */
static bool trigger_is_hardware(const struct perf_event *event)
{
	const struct pmu *pmu = READ_ONCE(event->pmu);

	return pmu && pmu->task_ctx_nr != perf_sw_context;
}

/*
 * Set is_interrupted if a trigger is a hardware event, and let the list's sets use it before the
 * first overflow: their counters are then read with the PMU disabled (evset_read.c).
 */
static void note_counters(struct pmcgrp_evlist *evlist, const struct list_head *made)
{
	const struct pmcgrp_trigger *trigger;

	if (evlist->is_interrupted)
		return;
	list_for_each_entry(trigger, made, node) {
		if (!trigger->event || !trigger_is_hardware(trigger->event))
			continue;
		WRITE_ONCE(evlist->is_interrupted, true);
		pmcgrp_evlist_refresh(evlist);
		break;
	}
}

/* Add the new triggers to their group. */
static int triggers_join(struct pmcgrp_group *group, struct list_head *made)
{
	bool probe = any_is_probe(made);
	struct pmcgrp_trigger *trigger;

	pmcgrp_group_assert_locked(group);
	if (pmcgrp_evlist_has_ended(group->evlist))
		return -ESRCH;
	note_counters(group->evlist, made);
	list_for_each_entry(trigger, made, node) {
		trigger->probe = probe;
		renew(trigger);
		/* execve() may have enabled the group already, but not this trigger. */
		if (trigger->event && (pmcgrp_group_is_enabled(group) ||
				       group->evlist->follower->has_binding))
			trigger_start(trigger);
	}
	list_splice_tail_init(made, &group->rings->triggers);
	WRITE_ONCE(group->rings->nr_triggers, group->rings->nr_triggers + 1);
	return 0;
}

static int triggers_add(struct pmcgrp_group *group, const struct perf_event_attr *attr,
			struct pmcgrp_trigger_add *arg, struct pmcgrp_failure *fail)
{
	struct pmcgrp_ring_buffers *rings = group->rings;
	struct pmcgrp_trigger like = {
		.attr = *attr,
		.source.group = group,
		.source.id = pmcgrp_group_next_ids(1),
		.source.index = rings->nr_triggers + 1,
	};
	LIST_HEAD(made);
	int err;

	lockdep_assert_held(&rings->adding);
	if (rings->nr_triggers == PMCGRP_TRIGGERS_MAX) {
		fail->why = PMCGRP_WHY_TRIGGERS_MAX;
		return -ENOSPC;
	}
	err = pmcgrp_triggers_make(&made, &like, fail);
	if (!err)
		err = mutex_lock_killable(&group->evlist->mutex);
	if (!err) {
		err = triggers_join(group, &made);
		mutex_unlock(&group->evlist->mutex);
	}
	if (err) {
		fail->why = pmcgrp_why_of_error(err);
		pmcgrp_triggers_free(&made);
		return pmcgrp_errno_of(err);
	}
	fail->cpu = -1;
	arg->id = like.source.id;
	arg->index = like.source.index;
	return 0;
}

static bool attr_counts_switches(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		attr->config == PERF_COUNT_SW_CGROUP_SWITCHES);
}

static int trigger_add_check(struct pmcgrp_group *group, const struct pmcgrp_trigger_add *arg,
			     struct perf_event_attr *attr, struct pmcgrp_failure *fail)
{
	int err;

	if (!perfmon_capable()) {
		fail->why = PMCGRP_WHY_PERMISSION;
		return -EACCES;
	}
	fail->why = PMCGRP_WHY_FLAGS;
	if (arg->flags)
		return -EINVAL;
	fail->why = PMCGRP_WHY_RESERVED;
	if (arg->__reserved)
		return -EINVAL;
	fail->why = PMCGRP_WHY_NO_RING;
	if (!pmcgrp_group_rings(group))
		return -EINVAL;
	err = pmcgrp_attr_copy_trigger(attr, u64_to_user_ptr(arg->attr), &fail->why);
	if (err)
		return err;
	/* perf core counts a switch when the set counts the next task already (by_task.c). */
	fail->why = PMCGRP_WHY_EVENT_KIND;
	return group->rings->by_task && attr_counts_switches(attr) ? -EOPNOTSUPP : 0;
}

/* PMCGRP_IOC_TRIGGER: a struct pmcgrp_trigger_add.  Takes the list's mutex. */
long pmcgrp_trigger_add(struct pmcgrp_group *group, void *_arg)
{
	struct pmcgrp_failure fail = { .cpu = -1 };
	struct pmcgrp_trigger_add *arg = _arg;
	struct perf_event_attr attr;
	int err;

	arg->id = 0;
	arg->index = 0;
	err = trigger_add_check(group, arg, &attr, &fail);
	if (!err)
		err = mutex_lock_killable(&group->rings->adding);
	if (!err) {
		err = triggers_add(group, &attr, arg, &fail);
		mutex_unlock(&group->rings->adding);
	}
	arg->why = err ? fail.why : PMCGRP_WHY_NONE;
	arg->fail_cpu = fail.cpu;
	return err;
}

/* Enable or disable a group's triggers; the list's mutex held. */
void pmcgrp_triggers_enable(struct pmcgrp_group *group, bool enable)
{
	struct pmcgrp_trigger *trigger;

	pmcgrp_group_assert_locked(group);
	list_for_each_entry(trigger, &group->rings->triggers, node) {
		if (!trigger->event)
			continue;
		if (enable)
			trigger_start(trigger);
		else if (!group->evlist->follower->has_binding)
			perf_event_disable(trigger->event);
	}
}

/* A copy of an event in error is off (kernel/events/core.c: inherit_event()). */
static unsigned int events_in_error(struct perf_event *event)
{
	unsigned int nr = READ_ONCE(event->state) == PERF_EVENT_STATE_ERROR;
	const struct perf_event *child;

	if (!event->attr.inherit)
		return nr;
	mutex_lock(&event->child_mutex);
	list_for_each_entry(child, &event->child_list, child_list)
		nr += READ_ONCE(child->state) == PERF_EVENT_STATE_ERROR ||
		      READ_ONCE(child->state) == PERF_EVENT_STATE_OFF;
	mutex_unlock(&event->child_mutex);
	return nr;
}

/*
 * Count the trigger events in error state, for want of a counter: a trigger of several CPUs counts
 * once for each.  The list's mutex is held.
 */
unsigned int pmcgrp_triggers_in_error(const struct pmcgrp_group *group)
{
	const struct pmcgrp_trigger *trigger;
	unsigned int nr = 0;

	pmcgrp_group_assert_locked(group);
	list_for_each_entry(trigger, &group->rings->triggers, node)
		if (trigger->event)
			nr += events_in_error(trigger->event);
	return nr;
}

/**
 * pmcgrp_triggers_rebuild - create a group's triggers on a CPU that has come online
 * @group: the group, of CPUs
 * @cpu: the CPU, not usable yet (pmcgrp_sched_open())
 *
 * Probes are not created again: the pointer to their name was valid only in the ioctl.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_triggers_rebuild(struct pmcgrp_group *group, int cpu)
{
	struct pmcgrp_trigger *trigger;
	int err;

	mutex_lock(&group->evlist->mutex);
	if (!group->rings)
		goto unlock;
	list_for_each_entry(trigger, &group->rings->triggers, node) {
		if (trigger->cpu != cpu || trigger->generation == pmcgrp_cpu_generation(cpu))
			continue;
		pmcgrp_trigger_detach(trigger);
		err = trigger->probe ? -EOPNOTSUPP : pmcgrp_trigger_attach(trigger, NULL);
		if (!err && pmcgrp_group_is_enabled(group))
			trigger_start(trigger);
		/* -ENOENT: on a hybrid machine some cores lack the event. */
		if (err && err != -ENOENT)
			pr_warn_ratelimited("pmcgrp: trigger %u fails on CPU %d: error %d\n",
					    trigger->source.index, cpu, err);
	}
unlock:
	mutex_unlock(&group->evlist->mutex);
}

/* Release a group's triggers, and wait for running handlers; the list's mutex held. */
void pmcgrp_triggers_drop(struct pmcgrp_group *group)
{
	pmcgrp_group_assert_locked(group);
	pmcgrp_triggers_free(&group->rings->triggers);
}
