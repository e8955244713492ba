// SPDX-License-Identifier: GPL-2.0-only
/*
 * Carriers: events of pmcgrp's own PMU, which count nothing.  perf core schedules a carrier in and
 * out with its target, and so notifies the carrier's owner when the target runs.  This needs no
 * hook in the scheduler, and one event for a group of any size.
 *
 * Every callback but event_init runs on the CPU in question with interrupts off, most of them
 * under perf core's ctx->lock, in a context switch also under the run-queue lock.  Nothing there
 * may sleep, allocate, print or take a lock but a pool's.
 *
 * The PMU is a software one (perf_sw_context).  So perf core never rotates carriers for lack of
 * hardware counters, and goes on scheduling them in after a hardware event that did not fit
 * (kernel/events/core.c: merge_sched_in(), group_can_go_on()).  add() never fails: rotate.c decides
 * who counts, on every kernel.
 *
 * perf core takes a reference to the module for each event (perf_init_event()), so the module
 * stays while there are carriers.
 */
#include <linux/cache.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include "compat.h"
#include "counter/carrier.h"

/* The CPU is in an operation of a carrier; interrupts off. */
DEFINE_PER_CPU(bool, pmcgrp_carrier_called);

static struct pmu carrier_pmu;

/* By kind, which is attr.config. */
static struct pmcgrp_carrier_ops carrier_ops[PMCGRP_CARRIER_KINDS] __ro_after_init;

/*
 * Never called, as carriers do not sample.  It marks pmcgrp's own events: perf core sets the
 * handler before event_init (perf_event_alloc()), and user space cannot choose it.
 */
static void carrier_mark(struct perf_event *event, struct perf_sample_data *data,
			 struct pt_regs *regs)
{
}

/*
 * A carrier among the events of another PMU is freed.  Its PMU is its own again, unless it could
 * not be created.  Then perf core is to put what it has of this module by event->pmu
 * (_free_event(), since 6.15 __free_event()).
 */
static void restore_pmu(struct perf_event *event)
{
	if (event->pmu == &carrier_pmu)
		return;
	pmcgrp_event_leaves_pmu(event, &carrier_pmu);
	event->pmu = &carrier_pmu;
}

static int carrier_event_init(struct perf_event *event)
{
	const struct pmcgrp_carrier_ops *ops;

	if (event->attr.type != carrier_pmu.type)
		return -ENOENT;
	/* An ordinary perf_event_open(), which only has to guess the type. */
	if (event->overflow_handler != carrier_mark)
		return -EOPNOTSUPP;
	/* perf_event_open() sets it for a software PMU, and 6.1 only there. */
	event->event_caps |= PERF_EV_CAP_SOFTWARE;
	event->pmu_private = event->overflow_handler_context;
	ops = &carrier_ops[event->attr.config];
	if (ops->among) {
		event->destroy = restore_pmu;
		event->pmu = ops->among(event->pmu_private);
	}
	return ops->init ? ops->init(event) : 0;
}

static int carrier_add(struct perf_event *event, int flags)
{
	const struct pmcgrp_carrier_ops *ops = &carrier_ops[event->attr.config];

	lockdep_assert_irqs_disabled();
	if (!ops->add)
		return 0;
	this_cpu_write(pmcgrp_carrier_called, true);
	ops->add(event);
	this_cpu_write(pmcgrp_carrier_called, false);
	return 0;
}

static void carrier_del(struct perf_event *event, int flags)
{
	const struct pmcgrp_carrier_ops *ops = &carrier_ops[event->attr.config];

	lockdep_assert_irqs_disabled();
	if (!ops->del)
		return;
	this_cpu_write(pmcgrp_carrier_called, true);
	ops->del(event);
	this_cpu_write(pmcgrp_carrier_called, false);
}

/* evlist_control.c brings the counts of sets up to date by a broadcast of its own. */
static void carrier_read(struct perf_event *event)
{
}

/* perf core throttles and changes periods by these; a carrier has neither. */
static void carrier_nop(struct perf_event *event, int flags)
{
}

static struct pmu carrier_pmu = {
	.module = THIS_MODULE,
	.dev = PMCGRP_PMU_DEV,
	.task_ctx_nr = perf_sw_context,
	.event_init = carrier_event_init,
	.add = carrier_add,
	.del = carrier_del,
	.start = carrier_nop,
	.stop = carrier_nop,
	.read = carrier_read,
};

/**
 * pmcgrp_carrier_create - follow a task or a CPU
 * @kind: kind of carrier
 * @attr: when it is enabled, and whether pinned; type, size and config are set here
 * @owner: owner of the carrier, for the operations of @kind
 * @task: the task, or NULL
 * @cpu: the CPU; -1 with @task
 *
 * A carrier among the events of another PMU is found there by event->pmu, right after event_init()
 * (kernel/events/core.c: perf_event_create_kernel_counter()).  The callbacks are those of
 * event->pmu from then on.  None is called before the event is enabled.
 *
 * Context: may sleep.
 * Return: the event, to be released by perf_event_release_kernel(), or an ERR_PTR: -ESRCH for an
 * exiting task, -ENODEV for an offline CPU, -ENOMEM.
 */
struct perf_event *pmcgrp_carrier_create(enum pmcgrp_carrier_kind kind,
					 struct perf_event_attr *attr, void *owner,
					 struct task_struct *task, int cpu)
{
	const struct pmcgrp_carrier_ops *ops = &carrier_ops[kind];
	int err = task ? pmcgrp_prime_task(task) : 0;
	struct perf_event *event;

	if (err)
		return ERR_PTR(err);
	attr->type = carrier_pmu.type;
	attr->size = sizeof(*attr);
	attr->config = kind;
	if (ops->among) {
		attr->disabled = 1;
		/* Else guests with a mediated vPMU stay out (mediated_pmu_account_event()). */
		attr->exclude_guest = 1;
	}
	event = perf_event_create_kernel_counter(attr, cpu, task, carrier_mark, owner);
	if (!IS_ERR(event) && ops->among) {
		event->pmu = &carrier_pmu;
		perf_event_enable(event);
	}
	return event;
}

/**
 * pmcgrp_carrier_pmu - get the PMU of the carriers
 */
struct pmu *pmcgrp_carrier_pmu(void)
{
	return &carrier_pmu;
}

/**
 * pmcgrp_carrier_register - set the operations of a kind of carrier
 * @kind: the kind
 * @ops: its operations, copied
 *
 * Context: when the module is loaded, before any carrier exists.
 */
void __init pmcgrp_carrier_register(enum pmcgrp_carrier_kind kind,
				    const struct pmcgrp_carrier_ops *ops)
{
	carrier_ops[kind] = *ops;
}

/**
 * pmcgrp_carrier_init - register the PMU
 *
 * Context: may sleep; after pmcgrp_carrier_register() of all kinds.
 * Return: 0 or an errno.
 */
int __init pmcgrp_carrier_init(void)
{
	return perf_pmu_register(&carrier_pmu, "pmcgrp", -1);
}

/**
 * pmcgrp_carrier_exit - unregister the PMU; there are no carriers any more
 *
 * Context: may sleep.
 */
void pmcgrp_carrier_exit(void)
{
	perf_pmu_unregister(&carrier_pmu);
}
