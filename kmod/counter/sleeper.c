// SPDX-License-Identifier: GPL-2.0-only
/*
 * Make perf events for counters: of a CPU, or of the sleeper, a kernel thread that sleeps for ever.
 * They name their PMU, once it is known which one all CPUs have.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include "compat.h"
#include "counter/event.h"
#include "counter/sleeper.h"

static struct task_struct *sleeper; /* or NULL; pmcgrp_groups_mutex */
static unsigned int nr_of_sleeper;  /* its events; pmcgrp_groups_mutex */

/*
 * The PMU of all possible CPUs that counts events which name none, if it has a type of its own;
 * NULL: none, or not known.  pmcgrp_groups_mutex
 */
static const struct pmu *usual;

/* Whether an event is of a core, and its attr may leave open of which PMU. */
static bool is_of_core(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE ||
	       attr->type == PERF_TYPE_RAW;
}

static bool names_pmu(const struct perf_event_attr *attr)
{
	return attr->type != PERF_TYPE_RAW && attr->config >> PERF_PMU_TYPE_SHIFT;
}

/**
 * pmcgrp_perf_event_note_pmu - note which PMU all CPUs have for an event
 * @ev: the event, with its PMU
 * @event: the perf event of its first counter
 *
 * A CPU that is offline may have another one, whose driver does not know it yet.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_perf_event_note_pmu(const struct pmcgrp_shared_event *ev, struct perf_event *event)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	/* A module's may go. */
	if (usual || !is_of_core(&ev->key) || names_pmu(&ev->key) || ev->is_of_module ||
	    ev->pmu->type == PERF_TYPE_RAW)
		return;
	cpus_read_lock();
	if (cpumask_equal(cpu_online_mask, cpu_possible_mask) &&
	    pmcgrp_event_is_of_all_cpus(event))
		usual = ev->pmu;
	cpus_read_unlock();
}

/*
 * Name the PMU of an event, if its attr does not and it is known.  Else perf core asks one PMU
 * after the other where none has the type of raw events (kernel/events/core.c: perf_init_event()).
 * So it is on Arm, whose machines have many other PMUs.
 */
static void name_pmu(struct perf_event_attr *attr)
{
	if (!usual || !is_of_core(attr) || names_pmu(attr))
		return;
	if (attr->type == PERF_TYPE_RAW)
		attr->type = usual->type;
	else if (usual->capabilities & PERF_PMU_CAP_EXTENDED_HW_TYPE)
		attr->config |= (u64)usual->type << PERF_PMU_TYPE_SHIFT;
}

static struct perf_event *perf_event_make(const struct pmcgrp_shared_event *ev, int cpu,
					  struct task_struct *task)
{
	struct perf_event_attr attr = ev->key;

	name_pmu(&attr);
	return perf_event_create_kernel_counter(&attr, cpu, task, NULL, NULL);
}

/**
 * pmcgrp_perf_event_of_cpu - make an event of a CPU
 * @ev: what it counts
 * @cpu: the CPU
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: the event, or an ERR_PTR as of perf_event_create_kernel_counter().
 */
struct perf_event *pmcgrp_perf_event_of_cpu(const struct pmcgrp_shared_event *ev, int cpu)
{
	return perf_event_make(ev, cpu, NULL);
}

static int sleep_for_ever(void *unused)
{
	for (;;) {
		set_current_state(TASK_IDLE);
		if (kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

/**
 * pmcgrp_sleeper_exit - end the sleeper, after its last event
 *
 * Context: may sleep.
 */
void pmcgrp_sleeper_exit(void)
{
	if (sleeper)
		kthread_stop(sleeper);
	sleeper = NULL;
}

/* Count one more event of the sleeper, which is started if necessary. */
static struct task_struct *sleeper_get(void)
{
	struct task_struct *task;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (!sleeper) {
		task = kthread_run(sleep_for_ever, NULL, "pmcgrp");
		if (IS_ERR(task))
			return task;
		sleeper = task;
		pmcgrp_prime_hardware(task);
	}
	nr_of_sleeper++;
	return sleeper;
}

/*
 * Where each PMU of a task has a context, that of hardware points to the PMU that it was made for
 * (pmcgrp_prime_hardware()).  A PMU can be unregistered when it has no events: then the sleeper
 * has none left, or has others first.  So it does not outlive its last event.
 */
static void sleeper_put(void)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (!--nr_of_sleeper && !pmcgrp_core_has_one_context())
		pmcgrp_sleeper_exit();
}

/**
 * pmcgrp_perf_event_of_sleeper - make an event of the sleeper
 * @ev: what it counts
 * @cpu: the CPU that it is bound to, or -1
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: the event, for pmcgrp_perf_event_leave_sleeper(); or an ERR_PTR as of
 * perf_event_create_kernel_counter(), or -ENOMEM.
 */
struct perf_event *pmcgrp_perf_event_of_sleeper(const struct pmcgrp_shared_event *ev, int cpu)
{
	struct task_struct *task = sleeper_get();
	struct perf_event *event;

	if (IS_ERR(task))
		return ERR_CAST(task);
	event = perf_event_make(ev, cpu, task);
	if (IS_ERR(event))
		sleeper_put();
	return event;
}

/**
 * pmcgrp_perf_event_leave_sleeper - release an event of the sleeper
 * @event: the event
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_perf_event_leave_sleeper(struct perf_event *event)
{
	perf_event_release_kernel(event);
	sleeper_put();
}
