// SPDX-License-Identifier: GPL-2.0-only
/*
 * Carriers: pmcgrp's own PMU, whose events count nothing.  perf core schedules a
 * carrier in and out with its target and thereby tells pmcgrp when the target
 * runs: no hook in the scheduler, one event for a group of any size.
 *
 * Every callback but event_init runs on the CPU in question with interrupts off, most of them
 * under perf core's ctx->lock, in a context switch also under the run-queue
 * lock: nothing here may sleep, allocate, print or take a lock.
 *
 * The PMU is a software one (perf_sw_context): perf core then never rotates
 * carriers out for lack of hardware counters, nor stops scheduling them in after
 * a hardware event that did not fit (kernel/events/core.c: merge_sched_in(),
 * group_can_go_on()).  add() never fails, so who counts is pmcgrp's own decision
 * (gang.c) on every kernel.
 *
 * perf core takes a reference to the module for each event (perf_init_event()),
 * so the module stays while there are carriers.
 */
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include "carrier.h"
#include "compat.h"
#include "gang.h"
#include "ride.h"

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

static int carrier_event_init(struct perf_event *event)
{
	if (event->attr.type != carrier_pmu.type)
		return -ENOENT;
	/* An ordinary perf_event_open(), which has only to guess the type. */
	if (event->overflow_handler != carrier_mark)
		return -EOPNOTSUPP;
	event->pmu_private = event->overflow_handler_context;
	/* What perf_event_open() sets for a software PMU, and 6.1 only there. */
	event->event_caps |= PERF_EV_CAP_SOFTWARE;
	return 0;
}

static int carrier_add(struct perf_event *event, int flags)
{
	lockdep_assert_irqs_disabled();
	pmcgrp_gang_join(event->pmu_private);
	return 0;
}

static void carrier_del(struct perf_event *event, int flags)
{
	lockdep_assert_irqs_disabled();
	pmcgrp_gang_leave(event->pmu_private);
}

static void carrier_read(struct perf_event *event)
{
	lockdep_assert_irqs_disabled();
	pmcgrp_ride_account(event->pmu_private);
}

/* perf core throttles and re-periods by these; a carrier does neither. */
static void carrier_nop(struct perf_event *event, int flags)
{
}

static struct pmu carrier_pmu = {
	.module		= THIS_MODULE,
	.dev		= PMCGRP_PMU_DEV,
	.task_ctx_nr	= perf_sw_context,
	.capabilities	= PERF_PMU_CAP_NO_EXCLUDE,
	.event_init	= carrier_event_init,
	.add		= carrier_add,
	.del		= carrier_del,
	.start		= carrier_nop,
	.stop		= carrier_nop,
	.read		= carrier_read,
};

/**
 * pmcgrp_carrier_create - follow a task or a CPU on behalf of a ride
 * @ride: the ride; must outlive the carrier
 * @task: the task, or NULL
 * @cpu: the CPU; -1 with @task
 * @disabled: start disabled
 * @enable_on_exec: @task's next execve() enables it
 *
 * Context: may sleep.
 * Return: the event, to be released by perf_event_release_kernel(), or an
 * ERR_PTR: -ESRCH for an exiting task, -ENODEV for an offline CPU, -ENOMEM.
 */
struct perf_event *pmcgrp_carrier_create(struct pmcgrp_ride *ride, struct task_struct *task,
					 int cpu, bool disabled, bool enable_on_exec)
{
	struct perf_event_attr attr = {
		.type		= carrier_pmu.type,
		.size		= sizeof(attr),
		.disabled	= disabled,
		.pinned		= ride->pinned,	/* comes in before flexible events do */
		.enable_on_exec	= enable_on_exec,
	};

	if (task) {
		int err = pmcgrp_prime_task(task);

		if (err)
			return ERR_PTR(err);
	}
	return perf_event_create_kernel_counter(&attr, cpu, task, carrier_mark, ride);
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
