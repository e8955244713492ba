// SPDX-License-Identifier: GPL-2.0-only
/*
 * Triggers: events of perf core's that sample, and whose samples are snapshots of a
 * group.  perf core has them count, overflow and throttle; one is bound to the group's
 * task, or one to each of its CPUs.
 *
 * They are pinned: one without a counter would be silent.  But not the clocks, which
 * lack nothing: perf core schedules these after the carriers, and so their time is that for
 * which the group is enabled, to a microsecond in each stay of the target.
 *
 * They are released before the carriers, for a handler uses what carriers stand for.
 *
 * Their handler runs in hard interrupts, in NMI, and in tasks that hold any lock, the
 * run-queue lock among them.
 *
 * Locks: a probe's name is read from user space as its event is made, which may take as
 * long as user space likes: so events are made under pmcgrp_rings.adding alone, and then
 * join the group under its mutex.
 */
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <uapi/linux/pmcgrp.h>
#include "attr.h"
#include "compat.h"
#include "sched.h"
#include "group.h"
#include "ioctl.h"
#include "pool.h"
#include "sample.h"
#include "ring_map.h"
#include "root.h"
#include "control.h"
#include "trigger.h"

/**
 * struct pmcgrp_trigger - what causes snapshots for one task or on one CPU
 * @node: in the group's list; pmcgrp_group.mutex
 * @attr: what was asked for.  Constant.
 * @source: of its snapshots; group, id and index are the same for all CPUs, and constant, the
 *	rest is its handler's
 * @cpu: the CPU, or -1 for the task.  Constant.
 * @generation: the CPU's, for which @event was made; pmcgrp_group.mutex
 * @event: the event; NULL where the CPU is not online; pmcgrp_group.mutex
 * @probe: it is one by pointer, which means nothing but to the ioctl.  Constant once in
 *	the list.
 */
struct pmcgrp_trigger {
	struct list_head node;
	struct perf_event_attr attr;
	struct pmcgrp_sample_source source;
	int cpu;
	u64 generation;
	struct perf_event *event;
	bool probe;
};

static_assert(sizeof(struct pmcgrp_trigger_add) == PMCGRP_TRIGGER_ADD_SIZE_VER0);

static bool event_is_clock(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
						    attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

/*
 * In nanoseconds; 0 for what is no clock, or one that perf core does not sample at each of
 * its periods.
 */
static u64 period_of(const struct perf_event_attr *attr)
{
	u64 period = attr->sample_period;

	if (!event_is_clock(attr) || attr->exclude_user || attr->exclude_kernel ||
	    attr->exclude_idle)
		return 0;
	/* perf core has the same (perf_swevent_init_hrtimer()). */
	if (attr->freq)
		period = div64_u64(NSEC_PER_SEC, attr->sample_freq);
	return max_t(u64, period, PMCGRP_CLOCK_PERIOD_MIN);
}

static void trigger_detach(struct pmcgrp_trigger *trigger)
{
	if (!trigger->event)
		return;
	perf_event_release_kernel(trigger->event);
	trigger->event = NULL;
	pmcgrp_counters_uncharge();
}

/* Make the event, disabled. */
static int trigger_attach(struct pmcgrp_trigger *trigger, struct task_struct *task)
{
	struct perf_event_attr attr = trigger->attr;
	struct pmcgrp_group *group = trigger->source.group;
	struct perf_event *event;

	if (!pmcgrp_counters_charge())
		return -EDQUOT;
	attr.disabled = 1;
	attr.enable_on_exec = task && group->flags & PMCGRP_CREATE_ENABLE_ON_EXEC &&
			      !READ_ONCE(group->sprung);
	attr.pinned = !event_is_clock(&attr);
	if (!task)
		trigger->generation = pmcgrp_cpu_generation(trigger->cpu);
	trigger->source.period_check = (struct pmcgrp_period_check){ .period = period_of(&attr) };
	event = perf_event_create_kernel_counter(&attr, trigger->cpu, task,
						 pmcgrp_sample_overflow, &trigger->source);
	if (IS_ERR(event)) {
		pmcgrp_counters_uncharge();
		return PTR_ERR(event);
	}
	trigger->event = event;
	/* perf_event_open() checks that, perf_event_create_kernel_counter() does not. */
	if (!pmcgrp_event_can_be_used(event, trigger->cpu) ||
	    event->pmu->capabilities & PERF_PMU_CAP_NO_INTERRUPT) {
		trigger_detach(trigger);
		return -EOPNOTSUPP;
	}
	return 0;
}

static void trigger_start(struct pmcgrp_trigger *trigger)
{
	trigger->source.period_check.seen = 0;
	perf_event_enable(trigger->event);
}

/* Release them all; handlers may have begun to run with nothing but preemption off. */
static void triggers_free(struct list_head *triggers)
{
	struct pmcgrp_trigger *trigger, *next;

	if (list_empty(triggers))
		return;
	list_for_each_entry(trigger, triggers, node)
		trigger_detach(trigger);
	synchronize_rcu();
	list_for_each_entry_safe(trigger, next, triggers, node) {
		list_del(&trigger->node);
		kfree(trigger);
	}
}

static struct pmcgrp_trigger *trigger_make(struct list_head *made,
					   const struct pmcgrp_trigger *like, int cpu)
{
	struct pmcgrp_trigger *trigger = kmemdup(like, sizeof(*like), GFP_KERNEL_ACCOUNT);

	if (!trigger)
		return NULL;
	trigger->cpu = cpu;
	list_add_tail(&trigger->node, made);
	return trigger;
}

static int make_for_task(struct list_head *made, const struct pmcgrp_trigger *like)
{
	struct pmcgrp_trigger *trigger = trigger_make(made, like, -1);
	struct task_struct *task;
	int err;

	if (!trigger)
		return -ENOMEM;
	task = get_pid_task(like->source.group->target, PIDTYPE_PID);
	if (!task)
		return -ESRCH;
	err = trigger_attach(trigger, task);
	put_task_struct(task);
	return err;
}

/* Some CPUs of all may lack the event, or be offline; not those asked for by number. */
static int make_for_cpus(struct list_head *made, const struct pmcgrp_trigger *like,
			 struct pmcgrp_failure *fail)
{
	struct pmcgrp_group *group = like->source.group;
	struct pmcgrp_trigger *trigger;
	int cpu, err, missing = 0;
	bool any = false;

	for_each_cpu(cpu, group->cpus) {
		trigger = trigger_make(made, like, cpu);
		if (!trigger)
			return -ENOMEM;
		err = trigger_attach(trigger, NULL);
		if (!err) {
			any = true;
			continue;
		}
		if (!missing) {
			fail->cpu = cpu;
			missing = err;
		}
		if ((err != -ENODEV && err != -ENOENT) || pmcgrp_group_has_cpu_list(group))
			return err;
	}
	return any ? 0 : missing;
}

static bool any_is_probe(const struct list_head *made)
{
	const struct pmcgrp_trigger *trigger;

	list_for_each_entry(trigger, made, node)
		if (trigger->event && pmcgrp_event_is_probe(trigger->event))
			return true;
	return false;
}

/* Its CPU has gone and come back since it was made; what comes later is rebuilt. */
static void renew(struct pmcgrp_trigger *trigger)
{
	if (trigger->cpu < 0 || trigger->generation == pmcgrp_cpu_generation(trigger->cpu))
		return;
	trigger_detach(trigger);
	if (!trigger->probe)
		trigger_attach(trigger, NULL); /* or it is without, as on a CPU that is off */
}

/* Have the group counted as a trigger that is a counter wants it, before the first comes. */
static void note_counters(struct pmcgrp_group *group, const struct list_head *made)
{
	const struct pmcgrp_trigger *trigger;

	if (group->is_interrupted)
		return;
	list_for_each_entry(trigger, made, node) {
		if (!trigger->event || trigger->event->pmu->task_ctx_nr == perf_sw_context)
			continue;
		WRITE_ONCE(group->is_interrupted, true);
		pmcgrp_group_refresh(group);
		break;
	}
}

/* Let them belong to their group. */
static int triggers_join(struct pmcgrp_group *group, struct list_head *made)
{
	bool probe = any_is_probe(made);
	struct pmcgrp_trigger *trigger;

	lockdep_assert_held(&group->mutex);
	if (!pmcgrp_group_counts_cpus(group) && pmcgrp_roots_ended(group))
		return -ESRCH;
	note_counters(group, made);
	list_for_each_entry(trigger, made, node) {
		trigger->probe = probe;
		renew(trigger);
		/* execve() may have enabled the group, but not yet the trigger. */
		if (trigger->event && READ_ONCE(group->active))
			trigger_start(trigger);
	}
	list_splice_tail_init(made, &group->rings->triggers);
	group->rings->nr_triggers++;
	return 0;
}

static int triggers_add(struct pmcgrp_group *group, const struct perf_event_attr *attr,
			struct pmcgrp_trigger_add *arg, struct pmcgrp_failure *fail)
{
	struct pmcgrp_rings *rings = group->rings;
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
	err = pmcgrp_group_counts_cpus(group) ? make_for_cpus(&made, &like, fail) :
						make_for_task(&made, &like);
	if (!err) {
		mutex_lock(&group->mutex);
		err = triggers_join(group, &made);
		mutex_unlock(&group->mutex);
	}
	if (err) {
		fail->why = pmcgrp_why_of_error(err);
		triggers_free(&made);
		return pmcgrp_errno_of(err);
	}
	fail->cpu = -1;
	arg->id = like.source.id;
	arg->index = like.source.index;
	return 0;
}

static int add_check(struct pmcgrp_group *group, const struct pmcgrp_trigger_add *arg,
		     struct perf_event_attr *attr, struct pmcgrp_failure *fail)
{
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
	fail->why = PMCGRP_WHY_RING;
	if (!pmcgrp_group_rings(group))
		return -EINVAL;
	return pmcgrp_attr_copy_trigger(attr, u64_to_user_ptr(arg->attr), &fail->why);
}

/**
 * pmcgrp_trigger_add - PMCGRP_IOC_TRIGGER
 * @group: the group; takes its mutex
 * @uarg: user pointer to a struct pmcgrp_trigger_add
 *
 * Context: may sleep.
 * Return: 0, or the errno that the uapi header gives.
 */
long pmcgrp_trigger_add(struct pmcgrp_group *group, void __user *uarg)
{
	struct pmcgrp_failure fail = { .cpu = -1 };
	struct pmcgrp_trigger_add __user *out = uarg;
	struct pmcgrp_trigger_add arg;
	struct perf_event_attr attr;
	int err;

	err = pmcgrp_copy_sized(&arg, sizeof(arg), PMCGRP_TRIGGER_ADD_SIZE_VER0, uarg);
	if (err)
		return err;
	arg.id = 0;
	arg.index = 0;
	err = add_check(group, &arg, &attr, &fail);
	if (!err) {
		mutex_lock(&group->rings->adding);
		err = triggers_add(group, &attr, &arg, &fail);
		mutex_unlock(&group->rings->adding);
	}
	/* One that nobody knows the id of goes with the group like the others. */
	if (put_user(arg.id, &out->id) || put_user(arg.index, &out->index) ||
	    put_user(err ? fail.why : PMCGRP_WHY_NONE, &out->why) ||
	    put_user(fail.cpu, &out->fail_cpu))
		return -EFAULT;
	return err;
}

/**
 * pmcgrp_triggers_enable - let a group's triggers fire, or not
 * @group: the group
 * @enable: which
 *
 * Context: may sleep; the group's mutex held.
 */
void pmcgrp_triggers_enable(struct pmcgrp_group *group, bool enable)
{
	struct pmcgrp_trigger *trigger;

	lockdep_assert_held(&group->mutex);
	if (!group->rings)
		return;
	list_for_each_entry(trigger, &group->rings->triggers, node) {
		if (!trigger->event)
			continue;
		if (enable)
			trigger_start(trigger);
		else
			perf_event_disable(trigger->event);
	}
}

/**
 * pmcgrp_triggers_in_error - how many of a group's triggers have no counter, each where it is
 * @group: the group, its mutex held
 */
unsigned int pmcgrp_triggers_in_error(const struct pmcgrp_group *group)
{
	const struct pmcgrp_trigger *trigger;
	unsigned int nr = 0;

	lockdep_assert_held(&group->mutex);
	list_for_each_entry(trigger, &group->rings->triggers, node)
		nr += trigger->event &&
		      READ_ONCE(trigger->event->state) == PERF_EVENT_STATE_ERROR;
	return nr;
}

/**
 * pmcgrp_triggers_rebuild - make a group's triggers on a CPU that has come online
 * @group: the group, of CPUs
 * @cpu: the CPU, whose gang is closed
 *
 * Not probes by pointer: it was good in the caller's ioctl only.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_triggers_rebuild(struct pmcgrp_group *group, int cpu)
{
	struct pmcgrp_trigger *trigger;
	int err;

	mutex_lock(&group->mutex);
	if (!group->rings)
		goto unlock;
	list_for_each_entry(trigger, &group->rings->triggers, node) {
		if (trigger->cpu != cpu || trigger->generation == pmcgrp_cpu_generation(cpu))
			continue;
		trigger_detach(trigger);
		err = trigger->probe ? -EOPNOTSUPP : trigger_attach(trigger, NULL);
		if (!err && READ_ONCE(group->active))
			trigger_start(trigger);
		/* Of several kinds of core some may not know the event. */
		if (err && err != -ENOENT)
			pr_warn_ratelimited(
				"pmcgrp: trigger %u of a group does not fire on CPU %d: error %d\n",
				trigger->source.index, cpu, err);
	}
unlock:
	mutex_unlock(&group->mutex);
}

/**
 * pmcgrp_triggers_drop - release a group's triggers; no handler runs any more
 * @group: the group, which has rings, and still its carriers
 *
 * Context: may sleep; the group's mutex held.
 */
void pmcgrp_triggers_drop(struct pmcgrp_group *group)
{
	lockdep_assert_held(&group->mutex);
	triggers_free(&group->rings->triggers);
}
