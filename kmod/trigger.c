// SPDX-License-Identifier: GPL-2.0-only
/*
 * Triggers: perf events whose overflows cause samples of a group.
 *
 * perf core schedules, counts and throttles these events.  A group of a task has one event for each
 * trigger, a group of CPUs one for each trigger and CPU.  A group of several tasks has one for each
 * trigger and task that there was, and perf core lets new threads and children inherit it.
 *
 * Triggers are pinned, because an unpinned event without a counter would be silent.  Clocks are not
 * pinned: they need no counter.  As flexible events they are scheduled in after the carriers.
 * Therefore a clock's time equals the group's time enabled to a microsecond for each schedule-in.
 *
 * The overflow handler runs in hard interrupts, in NMI, and in tasks that hold any lock, including
 * the run-queue lock.  It uses the group's sets, so triggers are released before carriers.
 *
 * Probes cannot be inherited: perf core would read their names again, in fork(), and fail it
 * (kernel/trace/trace_event_perf.c: perf_uprobe_init()).  A group of several tasks has these on
 * each CPU, and they cause a sample only while one of its tasks runs there.
 *
 * Events of several tasks stay enabled while the group is disabled, and cause no sample then.  To
 * disable those that were inherited needs their contexts' mutexes; these come before child_mutex,
 * which protects the list of them (kernel/events/core.c: perf_event_release_kernel()).
 *
 * Locks: creating a probe event reads the probe's name from user space, which can block.  Therefore
 * events are created under pmcgrp_rings.adding alone, and then added under the list's mutex.
 */
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include <uapi/linux/pmcgrp.h>
#include "attr.h"
#include "compat.h"
#include "cpu.h"
#include "group.h"
#include "uapi_copy.h"
#include "kernel_counter.h"
#include "sample.h"
#include "ring_map.h"
#include "root.h"
#include "task_table.h"
#include "evlist_control.h"
#include "trigger.h"

/**
 * struct pmcgrp_trigger - a trigger for one task or on one CPU
 * @node: node in pmcgrp_rings.triggers; pmcgrp_evlist.mutex
 * @attr: attr of the event, as user space gave it.  Constant.
 * @source: source of the samples.  Its group, id and index are constant and the same on all CPUs;
 *	the rest belongs to the overflow handler.
 * @cpu: the CPU, or -1 for a task.  Constant.
 * @generation: hotplug generation of the CPU for which @event was made; pmcgrp_evlist.mutex
 * @event: the perf event; NULL where the CPU is offline or lacks it; pmcgrp_evlist.mutex
 * @probe: attr has a user pointer to a probe's name, valid only in the ioctl.  Constant once the
 *	trigger is in the list.
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
 * Period of a clock in ns.  0 for other events, and for clocks that perf core does not sample in
 * every period (exclude_*).
 */
static u64 period_of(const struct perf_event_attr *attr)
{
	u64 period = attr->sample_period;

	if (!event_is_clock(attr) || attr->exclude_user || attr->exclude_kernel ||
	    attr->exclude_idle)
		return 0;
	/* As in perf_swevent_init_hrtimer(). */
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
	pmcgrp_counters_uncharge(1);
}

/* The sources are the group's: events are inherited together with the pointer to them. */
static struct perf_event *create_of_tasks(const struct pmcgrp_trigger *trigger,
					  struct perf_event_attr *attr, struct task_struct *task)
{
	const struct pmcgrp_sample_source *like = &trigger->source;

	return perf_event_create_kernel_counter(attr, -1, task, pmcgrp_sample_overflow_of_tasks,
						&like->group->rings->sources[like->index - 1]);
}

/* Create the event, disabled, or for several tasks enabled. */
static int trigger_attach(struct pmcgrp_trigger *trigger, struct task_struct *task)
{
	struct perf_event_attr attr = trigger->attr;
	struct pmcgrp_group *group = trigger->source.group;
	bool several = pmcgrp_evlist_has_binding(group->list);
	bool inherited = several && task;
	struct perf_event *event;

	if (!pmcgrp_counters_charge(1))
		return -EDQUOT;
	attr.enable_on_exec = task && group->flags & PMCGRP_CREATE_ENABLE_ON_EXEC &&
			      !READ_ONCE(group->list->latch_fired);
	attr.disabled = !several || attr.enable_on_exec;
	attr.inherit = inherited;
	attr.inherit_thread = inherited && !(group->flags & PMCGRP_CREATE_INHERIT);
	attr.pinned = !event_is_clock(&attr);
	if (!task)
		trigger->generation = pmcgrp_cpu_generation(trigger->cpu);
	trigger->source.period_check = (struct pmcgrp_period_check){ .period = period_of(&attr) };
	event = inherited ? create_of_tasks(trigger, &attr, task) :
			    perf_event_create_kernel_counter(&attr, trigger->cpu, task,
							     pmcgrp_sample_overflow,
							     &trigger->source);
	if (IS_ERR(event)) {
		pmcgrp_counters_uncharge(1);
		return PTR_ERR(event);
	}
	trigger->event = event;
	/* perf_event_open() checks this, perf_event_create_kernel_counter() does not. */
	if (!pmcgrp_perf_event_can_be_used(event, trigger->cpu) ||
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

/* Release triggers.  Running handlers have at least preemption off: synchronize_rcu() waits. */
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

	return trigger ? trigger_attach(trigger, like->source.group->list->task) : -ENOMEM;
}

/* Give all CPUs a source of the samples of a trigger.  They are freed with the rings. */
static int make_sources(const struct pmcgrp_sample_source *like)
{
	struct pmcgrp_sample_source __percpu **sources =
		&like->group->rings->sources[like->index - 1];
	struct pmcgrp_sample_source *source;
	int cpu;

	lockdep_assert_held(&like->group->rings->adding);
	if (!*sources)
		*sources = alloc_percpu(struct pmcgrp_sample_source);
	if (!*sources)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		source = per_cpu_ptr(*sources, cpu);
		*source = *like;
	}
	return 0;
}

/*
 * Whether a task has inherited an event.  Its copy names the task for which it was made, also when
 * perf core has exchanged its context with another task's since
 * (kernel/events/core.c: inherit_event(), perf_event_context_sched_out()).
 */
static bool task_inherited(const struct task_struct *task, struct perf_event *event)
{
	struct perf_event *child;
	bool has = false;

	mutex_lock(&event->child_mutex);
	list_for_each_entry(child, &event->child_list, child_list)
		has |= child->hw.target == task;
	mutex_unlock(&event->child_mutex);
	return has;
}

static bool task_has_trigger(const struct task_struct *task, const struct list_head *made)
{
	const struct pmcgrp_trigger *trigger;

	list_for_each_entry(trigger, made, node)
		if (trigger->event && (trigger->event->hw.target == task ||
				       task_inherited(task, trigger->event)))
			return true;
	return false;
}

/* Create the events of a trigger for those of these tasks that have none.  Return: how many. */
static int make_for_each(struct list_head *made, const struct pmcgrp_trigger *like,
			 struct task_struct *const *task, unsigned int nr)
{
	struct pmcgrp_trigger *trigger;
	unsigned int i;
	int err, n = 0;

	for (i = 0; i < nr; i++) {
		if (task_has_trigger(task[i], made))
			continue;
		trigger = trigger_make(made, like, -1);
		if (!trigger)
			return -ENOMEM;
		err = trigger_attach(trigger, task[i]);
		if (!err) {
			n++;
			continue;
		}
		if (err != -ESRCH)
			return err;
		list_del(&trigger->node); /* the task has exited */
		kfree(trigger);
	}
	return n;
}

/*
 * Create the events of a trigger for all tasks of a group.  A task that is created meanwhile
 * inherits them, or is found by the next walk.
 */
static int make_for_tasks(struct list_head *made, const struct pmcgrp_trigger *like)
{
	struct task_struct **task;
	unsigned int i, nr;
	int n = make_sources(&like->source);

	if (n)
		return n;
	do {
		task = pmcgrp_tasks_collect(like->source.group->list, &nr);
		if (IS_ERR(task))
			return PTR_ERR(task);
		n = make_for_each(made, like, task, nr);
		for (i = 0; i < nr; i++)
			put_task_struct(task[i]);
		kvfree(task);
	} while (n > 0);
	return n ? n : list_empty(made) ? -ESRCH : 0;
}

/*
 * Create the events of a trigger for all CPUs of a group.  CPUs that are offline or lack the event
 * are skipped if another CPU succeeds, unless user space listed the CPUs.
 */
static int make_for_cpus(struct list_head *made, const struct pmcgrp_trigger *like,
			 struct pmcgrp_failure *fail)
{
	struct pmcgrp_group *group = like->source.group;
	struct pmcgrp_trigger *trigger;
	int cpu, err, missing = 0;
	bool any = false;

	for_each_cpu(cpu, group->list->cpus) {
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
		if ((err != -ENODEV && err != -ENOENT) || pmcgrp_evlist_has_cpu_list(group->list))
			return err;
	}
	return any ? 0 : missing;
}

/* Whether a trigger is a probe, which an event that is never enabled tells. */
static bool attr_is_probe(const struct perf_event_attr *like)
{
	struct perf_event_attr attr = *like;
	struct perf_event *event;
	bool probe;

	/* Their PMUs have numbers of their own. */
	if (attr.type < PERF_TYPE_MAX)
		return false;
	attr.disabled = 1;
	event = perf_event_create_kernel_counter(&attr, raw_smp_processor_id(), NULL, NULL, NULL);
	if (IS_ERR(event))
		return false;
	probe = pmcgrp_perf_event_is_probe(event);
	perf_event_release_kernel(event);
	return probe;
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
 * Create the event again if its CPU has been offline since.  From now on the trigger is in the list
 * and pmcgrp_triggers_rebuild() does this.
 */
static void renew(struct pmcgrp_trigger *trigger)
{
	if (trigger->cpu < 0 || trigger->generation == pmcgrp_cpu_generation(trigger->cpu))
		return;
	trigger_detach(trigger);
	if (!trigger->probe)
		trigger_attach(trigger, NULL); /* on failure no event, as on an offline CPU */
}

/*
 * Set is_interrupted if a trigger is a hardware event, and let the list's sets use it before the
 * first overflow: their counters are then read with the PMU disabled (evset_read.c).
 */
static void note_counters(struct pmcgrp_evlist *list, const struct list_head *made)
{
	const struct pmcgrp_trigger *trigger;

	if (list->is_interrupted)
		return;
	list_for_each_entry(trigger, made, node) {
		if (!trigger->event || trigger->event->pmu->task_ctx_nr == perf_sw_context)
			continue;
		WRITE_ONCE(list->is_interrupted, true);
		pmcgrp_evlist_refresh(list);
		break;
	}
}

/* Add the new triggers to their group. */
static int triggers_join(struct pmcgrp_group *group, struct list_head *made)
{
	bool probe = any_is_probe(made);
	struct pmcgrp_trigger *trigger;

	pmcgrp_group_assert_locked(group);
	if (!pmcgrp_evlist_counts_cpus(group->list) && pmcgrp_roots_ended(group->list))
		return -ESRCH;
	note_counters(group->list, made);
	list_for_each_entry(trigger, made, node) {
		trigger->probe = probe;
		renew(trigger);
		/* execve() may have enabled the group already, but not this trigger. */
		if (trigger->event && pmcgrp_group_is_enabled(group))
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
	like.source.of_any_task = pmcgrp_evlist_has_binding(group->list) && attr_is_probe(attr);
	if (pmcgrp_evlist_counts_cpus(group->list) || like.source.of_any_task)
		err = make_for_cpus(&made, &like, fail);
	else if (pmcgrp_evlist_has_binding(group->list))
		err = make_for_tasks(&made, &like);
	else
		err = make_for_task(&made, &like);
	if (!err)
		err = mutex_lock_killable(&group->list->mutex);
	if (!err) {
		err = triggers_join(group, &made);
		mutex_unlock(&group->list->mutex);
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
	fail->why = PMCGRP_WHY_NO_RING;
	if (!pmcgrp_group_rings(group))
		return -EINVAL;
	return pmcgrp_attr_copy_trigger(attr, u64_to_user_ptr(arg->attr), &fail->why);
}

/**
 * pmcgrp_trigger_add - add a trigger to a group (PMCGRP_IOC_TRIGGER)
 * @group: the group; the function takes the list's mutex
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
	if (!err)
		err = mutex_lock_killable(&group->rings->adding);
	if (!err) {
		err = triggers_add(group, &attr, &arg, &fail);
		mutex_unlock(&group->rings->adding);
	}
	/* After -EFAULT the trigger stays until the group is closed. */
	if (put_user(arg.id, &out->id) || put_user(arg.index, &out->index) ||
	    put_user(err ? fail.why : PMCGRP_WHY_NONE, &out->why) ||
	    put_user(fail.cpu, &out->fail_cpu))
		return -EFAULT;
	return err;
}

/**
 * pmcgrp_triggers_enable - enable or disable a group's triggers
 * @group: the group
 * @enable: true to enable, false to disable
 *
 * Context: may sleep; the list's mutex held.
 */
void pmcgrp_triggers_enable(struct pmcgrp_group *group, bool enable)
{
	struct pmcgrp_trigger *trigger;

	pmcgrp_group_assert_locked(group);
	list_for_each_entry(trigger, &group->rings->triggers, node) {
		if (!trigger->event)
			continue;
		if (enable)
			trigger_start(trigger);
		else if (!pmcgrp_evlist_has_binding(group->list))
			perf_event_disable(trigger->event);
	}
}

/**
 * pmcgrp_triggers_in_error - count the trigger events in error state, for want of a counter
 * @group: the group, with rings; its list's mutex is held
 *
 * Return: the number of events: a trigger of several CPUs counts once for each.
 */
unsigned int pmcgrp_triggers_in_error(const struct pmcgrp_group *group)
{
	const struct pmcgrp_trigger *trigger;
	unsigned int nr = 0;

	pmcgrp_group_assert_locked(group);
	list_for_each_entry(trigger, &group->rings->triggers, node)
		nr += trigger->event &&
		      READ_ONCE(trigger->event->state) == PERF_EVENT_STATE_ERROR;
	return nr;
}

/**
 * pmcgrp_triggers_rebuild - create a group's triggers on a CPU that has come online
 * @group: the group, of CPUs
 * @cpu: the CPU, not usable yet (pmcgrp_cpu_open())
 *
 * Probes are not created again: the pointer to their name was valid only in the ioctl.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_triggers_rebuild(struct pmcgrp_group *group, int cpu)
{
	struct pmcgrp_trigger *trigger;
	int err;

	mutex_lock(&group->list->mutex);
	if (!group->rings)
		goto unlock;
	list_for_each_entry(trigger, &group->rings->triggers, node) {
		if (trigger->cpu != cpu || trigger->generation == pmcgrp_cpu_generation(cpu))
			continue;
		trigger_detach(trigger);
		err = trigger->probe ? -EOPNOTSUPP : trigger_attach(trigger, NULL);
		if (!err && pmcgrp_group_is_enabled(group))
			trigger_start(trigger);
		/* -ENOENT: on a hybrid machine some cores lack the event. */
		if (err && err != -ENOENT)
			pr_warn_ratelimited("pmcgrp: trigger %u fails on CPU %d: error %d\n",
					    trigger->source.index, cpu, err);
	}
unlock:
	mutex_unlock(&group->list->mutex);
}

/**
 * pmcgrp_triggers_drop - release a group's triggers, and wait for running handlers
 * @group: the group, with rings
 *
 * Context: may sleep; the list's mutex held.
 */
void pmcgrp_triggers_drop(struct pmcgrp_group *group)
{
	pmcgrp_group_assert_locked(group);
	triggers_free(&group->rings->triggers);
}
