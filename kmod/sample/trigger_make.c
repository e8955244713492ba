// SPDX-License-Identifier: GPL-2.0-only
/*
 * Create the perf events of a trigger, and release them.
 *
 * A group of a task has one event for each trigger, a group of CPUs one for each trigger and CPU.
 * A group of several tasks has one for each trigger and task that there was, and perf core lets
 * new threads and children inherit it.
 *
 * Triggers are pinned, because an unpinned event without a counter would be silent.  Clocks are not
 * pinned: they need no counter.  As flexible events they are scheduled in after the carriers.
 * Therefore a clock's time equals the group's time enabled to a microsecond for each schedule-in.
 *
 * Probes cannot be inherited: perf core would read their names again, in fork(), and fail it
 * (kernel/trace/trace_event_perf.c: perf_uprobe_init()).  A group of several tasks has these on
 * each CPU, and they cause a sample only while one of its tasks runs there.
 */
#include <linux/bsearch.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/sort.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "arbiter/cpu.h"
#include "counter/attr.h"
#include "counter/kernel_counter.h"
#include "follow/task_query.h"
#include "group/group.h"
#include "platform/account.h"
#include "platform/charge.h"
#include "platform/core_pmu.h"
#include "sample/ring_map.h"
#include "sample/sample.h"
#include "sample/trigger.h"

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

/* The user of the group. */
static struct pmcgrp_account *account_of(const struct pmcgrp_trigger *trigger)
{
	return trigger->source.group->charge.account;
}

/* Release the event of a trigger, if it has one; running handlers may go on.  May sleep. */
void pmcgrp_trigger_detach(struct pmcgrp_trigger *trigger)
{
	if (!trigger->event)
		return;
	perf_event_release_kernel(trigger->event);
	trigger->event = NULL;
	pmcgrp_account_give(account_of(trigger), PMCGRP_LIMIT_COUNTERS, 1);
}

/* The sources are the group's: events are inherited together with the pointer to them. */
static struct perf_event *create_of_tasks(const struct pmcgrp_trigger *trigger,
					  struct perf_event_attr *attr, struct task_struct *task)
{
	const struct pmcgrp_sample_source *like = &trigger->source;

	return perf_event_create_kernel_counter(attr, -1, task, pmcgrp_sample_overflow_of_tasks,
						&like->group->rings->sources[like->index - 1]);
}

/**
 * pmcgrp_trigger_attach - create the event of a trigger
 * @trigger: the trigger, without an event
 * @task: the task, or NULL for its CPU
 *
 * It is disabled, or if it is inherited enabled.
 *
 * Context: may sleep.
 * Return: 0, -EDQUOT for a counter above the limit, -EOPNOTSUPP for an event that cannot be
 * sampled, -PMCGRP_EBACKGROUND for one that would take a counter from others, or perf core's error.
 */
int pmcgrp_trigger_attach(struct pmcgrp_trigger *trigger, struct task_struct *task)
{
	struct perf_event_attr attr = trigger->attr;
	struct pmcgrp_group *group = trigger->source.group;
	bool inherited = task && group->evlist->follower->has_binding;
	struct perf_event *event;
	const struct pmu *pmu;

	if (!pmcgrp_account_take(account_of(trigger), PMCGRP_LIMIT_COUNTERS, 1))
		return -EDQUOT;
	/* What is inherited must not be disabled: a copy of that is never enabled. */
	attr.disabled = !inherited;
	attr.enable_on_exec = !inherited && task && group->flags & PMCGRP_CREATE_ENABLE_ON_EXEC &&
			      !READ_ONCE(group->evlist->latch_fired);
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
		pmcgrp_account_give(account_of(trigger), PMCGRP_LIMIT_COUNTERS, 1);
		return PTR_ERR(event);
	}
	trigger->event = event;
	/* perf_event_open() checks this, perf_event_create_kernel_counter() does not. */
	pmu = READ_ONCE(event->pmu); /* NULL once it is unregistered */
	if (!pmu || !pmcgrp_perf_event_can_be_used(event, pmu, trigger->cpu) ||
	    pmu->capabilities & PERF_PMU_CAP_NO_INTERRUPT ||
	    (inherited && pmcgrp_pmu_event_counts_siblings(event))) {
		pmcgrp_trigger_detach(trigger);
		return -EOPNOTSUPP;
	}
	if (group->flags & PMCGRP_CREATE_BACKGROUND && pmu->task_ctx_nr != perf_sw_context) {
		pmcgrp_trigger_detach(trigger);
		return -PMCGRP_EBACKGROUND;
	}
	return 0;
}

/*
 * Release triggers and their events, and wait for running handlers, which have at least preemption
 * off.  May sleep.
 */
void pmcgrp_triggers_free(struct list_head *triggers)
{
	struct pmcgrp_trigger *trigger, *next;

	if (list_empty(triggers))
		return;
	list_for_each_entry(trigger, triggers, node)
		pmcgrp_trigger_detach(trigger);
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

	return trigger ? pmcgrp_trigger_attach(trigger, like->source.group->evlist->task) : -ENOMEM;
}

/* Give all CPUs a source of the samples of a trigger.  They are freed with the rings. */
static int make_sources(const struct pmcgrp_sample_source *like, u64 period)
{
	struct pmcgrp_sample_source __percpu **sources =
		&like->group->rings->sources[like->index - 1];
	struct pmcgrp_sample_source *source;
	int cpu, err = 0;

	lockdep_assert_held(&like->group->rings->adding);
	if (!*sources)
		*sources = pmcgrp_charge_percpu(&like->group->charge, struct pmcgrp_sample_source,
						&err);
	if (err)
		return err == -ENOSPC ? -PMCGRP_EMEMORY : err;
	for_each_possible_cpu(cpu) {
		source = per_cpu_ptr(*sources, cpu);
		*source = *like;
		source->period_check.period = period;
	}
	return 0;
}

/*
 * Whether an event is a task's: it was made for it, or serves it since perf core has exchanged the
 * contexts of two tasks (kernel/events/core.c: inherit_event(), perf_event_context_sched_out()).
 */
static bool is_events_task(const struct perf_event *event, const struct task_struct *task)
{
	return event->hw.target == task || READ_ONCE(READ_ONCE(event->ctx)->task) == task;
}

static bool task_inherited(const struct task_struct *task, struct perf_event *event)
{
	struct perf_event *child;
	bool has = false;

	mutex_lock(&event->child_mutex);
	list_for_each_entry(child, &event->child_list, child_list)
		has |= is_events_task(child, task);
	mutex_unlock(&event->child_mutex);
	return has;
}

static bool task_has_trigger(const struct task_struct *task, const struct list_head *made)
{
	const struct pmcgrp_trigger *trigger;

	list_for_each_entry(trigger, made, node)
		if (trigger->event && (is_events_task(trigger->event, task) ||
				       task_inherited(task, trigger->event)))
			return true;
	return false;
}

/**
 * struct walk - the tasks that a walk through all has found, for each of which all is done
 * @task: sorted by address, references
 * @nr: how many
 */
struct walk {
	struct task_struct **task;
	unsigned int nr;
};

static void walk_free(struct walk *walk)
{
	unsigned int i;

	for (i = 0; i < walk->nr; i++)
		put_task_struct(walk->task[i]);
	kvfree(walk->task);
}

static int by_address(const void *a, const void *b)
{
	const struct task_struct *const *x = a, *const *y = b;

	return *x < *y ? -1 : *x > *y;
}

static bool walk_has(const struct walk *walk, struct task_struct *task)
{
	return bsearch(&task, walk->task, walk->nr, sizeof(task), by_address);
}

/*
 * Create the events of a trigger for those of these tasks that have none.  Those of the first walk
 * were there before any event was.  Return: how many.
 */
static int make_for_each(struct list_head *made, const struct pmcgrp_trigger *like,
			 struct task_struct *const *task, unsigned int nr,
			 const struct walk *before)
{
	struct pmcgrp_trigger *trigger;
	unsigned int i;
	int err, n = 0;

	for (i = 0; i < nr; i++) {
		if (before->task && (walk_has(before, task[i]) || task_has_trigger(task[i], made)))
			continue;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
		trigger = trigger_make(made, like, -1);
		if (!trigger)
			return -ENOMEM;
		err = pmcgrp_trigger_attach(trigger, task[i]);
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
	unsigned int nr;
	struct walk walk = {};
	int n;

	n = make_sources(&like->source, period_of(&like->attr));
	if (n)
		return n;
	do {
		task = pmcgrp_tasks_collect(like->source.group->evlist->contexts, &nr);
		if (IS_ERR(task)) {
			n = PTR_ERR(task);
			break;
		}
		sort(task, nr, sizeof(*task), by_address, NULL);
		n = make_for_each(made, like, task, nr, &walk);
		walk_free(&walk);
		walk = (struct walk){ .task = task, .nr = nr };
	} while (n > 0);
	walk_free(&walk);
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

	for_each_cpu(cpu, group->evlist->cpus) {
		trigger = trigger_make(made, like, cpu);
		if (!trigger)
			return -ENOMEM;
		err = pmcgrp_trigger_attach(trigger, NULL);
		if (!err) {
			any = true;
			continue;
		}
		if (!missing) {
			fail->cpu = cpu;
			missing = err;
		}
		if ((err != -ENODEV && err != -ENOENT) || group->evlist->follower->has_cpu_list)
			return err;
	}
	return any ? 0 : missing;
}

/* Whether a trigger is a probe, which an event that is never enabled shows. */
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

/**
 * pmcgrp_triggers_make - create a trigger's events for all that its group counts
 * @made: list of triggers, to which they are added, also on failure
 * @like: the trigger, without an event
 * @fail: out: the CPU on which it failed
 *
 * Context: may sleep; pmcgrp_ring_buffers.adding held.
 * Return: 0, -ENOMEM, -ESRCH if the target has ended, or an error of pmcgrp_trigger_attach().
 */
int pmcgrp_triggers_make(struct list_head *made, struct pmcgrp_trigger *like,
			 struct pmcgrp_failure *fail)
{
	const struct pmcgrp_evlist *evlist = like->source.group->evlist;

	if (evlist->follower->counts_cpus)
		return make_for_cpus(made, like, fail);
	if (!evlist->follower->has_binding)
		return make_for_task(made, like);
	like->source.of_any_task = attr_is_probe(&like->attr);
	return like->source.of_any_task ? make_for_cpus(made, like, fail) :
					  make_for_tasks(made, like);
}
