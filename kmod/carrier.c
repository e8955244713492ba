// SPDX-License-Identifier: GPL-2.0-only
/*
 * Carriers: pmcgrp's own PMU, whose events count nothing.  perf core schedules a
 * carrier in and out with its target and thereby tells pmcgrp when the target
 * runs: no hook in the scheduler, one event for a group of any size, or for many (crew.c).
 *
 * Every callback but event_init runs on the CPU in question with interrupts off, most of them
 * under perf core's ctx->lock, in a context switch also under the run-queue
 * lock: nothing here may sleep, allocate, print or take a lock but a crew's.
 *
 * The PMU is a software one (perf_sw_context): perf core then never rotates
 * carriers out for lack of hardware counters, nor stops scheduling them in after
 * a hardware event that did not fit (kernel/events/core.c: merge_sched_in(),
 * group_can_go_on()).  add() never fails, so who counts is pmcgrp's own decision
 * (rotate.c) on every kernel.
 *
 * perf core takes a reference to the module for each event (perf_init_event()),
 * so the module stays while there are carriers.
 */
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include "carrier.h"
#include "compat.h"
#include "crew.h"
#include "user_page.h"
#include "sched.h"
#include "group.h"
#include "pinned.h"
#include "evset.h"
#include "ring_map.h"
#include "control.h"

static struct pmu carrier_pmu;

/*
 * Never called: carriers do not sample.  It marks kernel counters as pmcgrp's
 * own, for perf core sets the handler before event_init (perf_event_alloc()) and
 * gives user space no way to choose it.
 */
static void carrier_mark(struct perf_event *event, struct perf_sample_data *data,
			 struct pt_regs *regs)
{
}

/* An event with nothing but a latch for a group that execve() shall enable. */
#define CONFIG_LATCH 1

/* One that tells when perf core makes way for pinned events (pinned.c). */
#define CONFIG_GUARD 2

/* The carrier of a crew. */
#define CONFIG_CREW 3

/* One that tells when perf core schedules another PMU anew: pmcgrp_sentry_create(). */
#define CONFIG_SENTRY 4

static void carrier_destroy(struct perf_event *event)
{
	struct pmcgrp_evset *set = event->pmu_private;
	struct pmcgrp_group *group = set->group;

	/* A crew's, to which this one was to be its own carrier: pmcgrp_root_part() has failed. */
	if (!set->crew)
		pmcgrp_evset_end(set);
	pmcgrp_group_put(group);
}

/* Before perf core gives back the module's reference by it (_free_event()). */
static void sentry_destroy(struct perf_event *event)
{
	event->pmu = &carrier_pmu;
}

static void latch_destroy(struct perf_event *event)
{
	pmcgrp_group_put(event->pmu_private);
}

/* The set that a new carrier is to have, which one that leaves its crew has already. */
static struct pmcgrp_evset *evset_of_carrier(struct pmcgrp_group *group,
					     const struct perf_event *event)
{
	if (!event->hw.target)
		return pmcgrp_evset_of_cpu(group, event->cpu);
	return group->only ?: pmcgrp_evset_of_task(group, event->hw.target);
}

/*
 * Also for the carrier that a new thread or child inherits, in its parent's fork():
 * perf core has then given it the parent's handler and context, and event->hw.target
 * is the new task (perf_event_alloc()).
 */
static int carrier_event_init(struct perf_event *event)
{
	struct pmcgrp_group *group = event->overflow_handler_context;
	struct pmcgrp_evset *set;

	if (event->attr.type != carrier_pmu.type)
		return -ENOENT;
	/* An ordinary perf_event_open(), which has only to guess the type. */
	if (event->overflow_handler != carrier_mark)
		return -EOPNOTSUPP;
	/* What perf_event_open() sets for a software PMU, and 6.1 only there. */
	event->event_caps |= PERF_EV_CAP_SOFTWARE;
	if (event->attr.config == CONFIG_GUARD)
		return 0;
	if (event->attr.config == CONFIG_CREW) {
		event->pmu_private = event->overflow_handler_context;
		return 0;
	}
	if (event->attr.config == CONFIG_SENTRY) {
		event->pmu_private = group;
		event->destroy = sentry_destroy;
		event->pmu = group->user_read.pmu;
		return 0;
	}
	if (event->attr.config == CONFIG_LATCH) {
		event->pmu_private = group;
		event->destroy = latch_destroy;
	} else {
		set = evset_of_carrier(group, event);
		if (!set)
			return -ENOMEM;
		event->pmu_private = set;
		event->destroy = carrier_destroy;
		pmcgrp_user_page_mark(group, event);
	}
	pmcgrp_group_get(group);
	return 0;
}

static void evset_join(struct pmcgrp_evset *set)
{
	if (unlikely(set->group->user_read.page))
		pmcgrp_user_page_open(set->group);
	pmcgrp_sched_in(set);
}

static int carrier_add(struct perf_event *event, int flags)
{
	lockdep_assert_irqs_disabled();
	if (likely(!event->attr.config))
		evset_join(event->pmu_private);
	else if (event->attr.config == CONFIG_CREW)
		pmcgrp_crew_in(event->pmu_private);
	else if (event->attr.config == CONFIG_LATCH)
		pmcgrp_group_spring(event->pmu_private);
	else if (event->attr.config == CONFIG_GUARD)
		pmcgrp_guard_in();
	return 0;
}

static void evset_leave(struct perf_event *event)
{
	struct pmcgrp_evset *set = event->pmu_private;
	struct pmcgrp_rings *rings;

	pmcgrp_sched_out(set);
	if (unlikely(set->group->user_read.page))
		pmcgrp_user_page_close(set->group, event);
	/* execve() of a set-uid program ends counting as well: begin_new_exec() */
	if (likely(!(current->flags & PF_EXITING || current->in_execve)))
		return;
	rings = pmcgrp_group_rings(set->group);
	if (rings && set->task)
		pmcgrp_rings_task_leaves(rings);
}

static void carrier_del(struct perf_event *event, int flags)
{
	lockdep_assert_irqs_disabled();
	if (likely(!event->attr.config))
		evset_leave(event);
	else if (event->attr.config == CONFIG_CREW)
		pmcgrp_crew_out(event->pmu_private);
	else if (event->attr.config == CONFIG_GUARD)
		pmcgrp_guard_out(event->ctx);
	else if (event->attr.config == CONFIG_SENTRY)
		pmcgrp_user_page_invalidate(event->pmu_private);
}

/* What a set has counted is brought up to date by pmcgrp's own broadcast (control.c). */
static void carrier_read(struct perf_event *event)
{
}

/* perf core throttles and re-periods by these; a carrier does neither. */
static void carrier_nop(struct perf_event *event, int flags)
{
}

static struct pmu carrier_pmu = {
	.module = THIS_MODULE,
	.dev = PMCGRP_PMU_DEV,
	.task_ctx_nr = perf_sw_context,
	.capabilities = PERF_PMU_CAP_NO_EXCLUDE,
	.event_init = carrier_event_init,
	.add = carrier_add,
	.del = carrier_del,
	.start = carrier_nop,
	.stop = carrier_nop,
	.read = carrier_read,
};

static struct perf_event *event_create(struct perf_event_attr *attr, void *whose,
				       struct task_struct *task, int cpu)
{
	int err = task ? pmcgrp_prime_task(task) : 0;

	if (err)
		return ERR_PTR(err);
	attr->type = carrier_pmu.type;
	attr->size = sizeof(*attr);
	return perf_event_create_kernel_counter(attr, cpu, task, carrier_mark, whose);
}

/**
 * pmcgrp_carrier_create - follow a task or a CPU on behalf of a group
 * @group: the group, which has its rows; the carrier takes a reference
 * @task: the task, or NULL
 * @cpu: the CPU; -1 with @task
 *
 * What is to be inherited, and when it is enabled, follows from the group's target,
 * flags and state.
 *
 * Context: may sleep.
 * Return: the event, to be released by perf_event_release_kernel(), or an
 * ERR_PTR: -ESRCH for an exiting task, -ENODEV for an offline CPU, -ENOMEM.
 */
struct perf_event *pmcgrp_carrier_create(struct pmcgrp_group *group, struct task_struct *task,
					 int cpu)
{
	bool children = group->flags & PMCGRP_CREATE_INHERIT;
	bool inherit = pmcgrp_group_is_inherited(group);
	struct perf_event_attr attr = {
		/* comes in before flexible events do */
		.pinned = !!(group->flags & PMCGRP_CREATE_PINNED),
		.inherit = inherit,
		.inherit_thread = inherit && !children,
		/* root.c says why not those that can be inherited */
		.disabled = !inherit && !READ_ONCE(group->active),
		.enable_on_exec = !inherit && group->flags & PMCGRP_CREATE_ENABLE_ON_EXEC,
	};

	return event_create(&attr, group, task, cpu);
}

/**
 * pmcgrp_latch_create - have a task's next execve() enable a group
 * @group: the group; the latch takes a reference
 * @task: the task
 *
 * Context: may sleep.
 * Return: as pmcgrp_carrier_create().
 */
struct perf_event *pmcgrp_latch_create(struct pmcgrp_group *group, struct task_struct *task)
{
	struct perf_event_attr attr = {
		.config = CONFIG_LATCH,
		.disabled = 1,
		.enable_on_exec = 1,
	};

	return event_create(&attr, group, task, -1);
}

/**
 * pmcgrp_crew_carrier_create - follow a task on behalf of a crew
 * @crew: the crew
 * @task: the task
 *
 * Disabled, until a set boards.
 *
 * Context: may sleep.
 * Return: as pmcgrp_carrier_create().
 */
struct perf_event *pmcgrp_crew_carrier_create(struct pmcgrp_crew *crew, struct task_struct *task)
{
	struct perf_event_attr attr = {
		.config = CONFIG_CREW,
		.disabled = 1,
	};

	return event_create(&attr, crew, task, -1);
}

/**
 * pmcgrp_guard_event_create - be told when perf core makes way for pinned events
 * @cpu: where
 *
 * Flexible and of the CPU: such events perf core takes out first.
 *
 * Context: may sleep.
 * Return: the event, to be released by perf_event_release_kernel(), or an ERR_PTR:
 * -ENODEV for an offline CPU, -ENOMEM.
 */
struct perf_event *pmcgrp_guard_event_create(int cpu)
{
	struct perf_event_attr attr = {
		.config = CONFIG_GUARD,
	};

	return event_create(&attr, NULL, NULL, cpu);
}

/**
 * pmcgrp_sentry_create - be told when perf core schedules the PMU of a group anew
 * @group: the group, which has a window: it outlives the sentry
 * @task: its task
 *
 * The sentry is a flexible event of the task, and among those of that PMU, as a software event
 * in a group of hardware is (kernel/events/core.c: perf_event_open(), group_sched_in()). Whenever
 * perf core has other events of the PMU come in while the task is in, it takes the task's flexible
 * ones out before (ctx_resched(), perf_rotate_context()).
 *
 * Which PMU an event is among is found by event->pmu, right after event_init()
 * (perf_event_create_kernel_counter()); whose callbacks are called, by what it is from then on.
 * Nothing is called before it is enabled.
 *
 * Context: may sleep.
 * Return: as pmcgrp_carrier_create().
 */
struct perf_event *pmcgrp_sentry_create(struct pmcgrp_group *group, struct task_struct *task)
{
	struct perf_event_attr attr = {
		.config = CONFIG_SENTRY,
		.disabled = 1,
	};
	struct perf_event *event = event_create(&attr, group, task, -1);

	if (!IS_ERR(event)) {
		event->pmu = &carrier_pmu;
		perf_event_enable(event);
	}
	return event;
}

/**
 * pmcgrp_carrier_init - register the PMU
 *
 * Return: 0 or an errno.
 */
int pmcgrp_carrier_init(void)
{
	return perf_pmu_register(&carrier_pmu, "pmcgrp", -1);
}

/**
 * pmcgrp_carrier_exit - unregister the PMU; there are no carriers any more
 */
void pmcgrp_carrier_exit(void)
{
	perf_pmu_unregister(&carrier_pmu);
}
