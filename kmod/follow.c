// SPDX-License-Identifier: GPL-2.0-only
/*
 * Follow context switches, to keep idle counters from tasks that can read registers.
 *
 * An idle counter goes on counting whatever runs on its CPU, the kernel included.  A task without
 * privileges can read the registers of all counters of its CPU once it has mapped a perf event of
 * its own (user_access.h).  perf core zeroes the counters that no event has; an idle counter has
 * one.  So no counter is idle while user mode can read counters:
 *
 *  - A probe on the tracepoint sched_switch evicts the idle counters before such a task comes in.
 *    perf core has not begun its own work on the switch, and holds no PMU.
 *  - Meanwhile pmcgrp_cpu.reader is set: counters leave the PMU with their set (rotate.h).  The
 *    previous task's sets are scheduled out after the probe.
 *  - In pmcgrp's slice the idle counters may be those that the task is to find (reserve.c).  Then
 *    an irq_work evicts what its sets have left, as soon as interrupts are on.
 *  - A task may get access while it runs.  The check of idle counters finds that out (arbiter.c):
 *    within 4 intervals and a jiffy.
 *
 * The probe is there as long as there are hardware counters, and a second longer.  Without it, for
 * want of memory, CPUs keep no idle counters at all.
 */
#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>
#include <trace/events/sched.h>
#include "compat.h"
#include "cpu.h"
#include "group.h"
#include "follow.h"
#include "idle.h"
#include "kernel_counter.h"
#include "recursion.h"
#include "user_access.h"

static struct tracepoint *sched_switch; /* constant after init */
static unsigned int users;              /* hardware counters; pmcgrp_groups_mutex */
static bool followed;                   /* the probe is registered; pmcgrp_groups_mutex */

static void unfollow(struct work_struct *work);
static DECLARE_DELAYED_WORK(unfollow_work, unfollow);

static noinline void reader_comes(struct pmcgrp_cpu *pcpu)
{
	if (!pcpu->has_idle)
		return;
	if (pmcgrp_cpu_has_slice(pcpu)) {
		irq_work_queue(&pcpu->work);
		return;
	}
	pmcgrp_recursion_enter();
	pmcgrp_counters_evict_all();
	pmcgrp_recursion_leave();
	pcpu->has_idle = false;
}

/* Context: interrupts off, the run-queue lock held; @prev is current. */
static PMCGRP_SWITCH_PROBE(on_switch)
{
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();
	bool reader = pmcgrp_user_access_comes(prev, next, pcpu->reader, &pcpu->ctx_generation);

	if (likely(!reader && !pcpu->reader))
		return;
	pcpu->reader = reader;
	__this_cpu_write(pmcgrp_user_access_found, reader);
	if (reader)
		reader_comes(pcpu);
}

/**
 * pmcgrp_follow_check - find out whether user mode has got access to counters since the switch
 * @pcpu: this CPU's scheduler
 *
 * Context: interrupts off, not inside perf core.
 * Return: true if user mode can read counters here: no counter may be idle.
 */
bool pmcgrp_follow_check(struct pmcgrp_cpu *pcpu)
{
	lockdep_assert_irqs_disabled();
	if (current->mm && pmcgrp_user_access_is_open()) {
		pcpu->reader = true;
		__this_cpu_write(pmcgrp_user_access_found, true);
	}
	return pcpu->reader;
}

static void find(struct tracepoint *tracepoint, void *unused)
{
	if (!strcmp(tracepoint->name, "sched_switch"))
		sched_switch = tracepoint;
}

static bool follow(void)
{
	return sched_switch && !tracepoint_probe_register(sched_switch, on_switch, NULL);
}

/* A hardware counter is about to exist: follow context switches. */
static void follow_get(void)
{
	int cpu;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	users++;
	if (followed)
		return;
	followed = follow();
	if (followed)
		return;
	for_each_possible_cpu(cpu) {
		WRITE_ONCE(pmcgrp_cpu_of(cpu)->reader, true);
		WRITE_ONCE(*per_cpu_ptr(&pmcgrp_user_access_found, cpu), true);
	}
}

/* Undo follow_get().  Tools make groups again and again: the probe stays for a second. */
static void follow_put(void)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (!--users && followed)
		schedule_delayed_work(&unfollow_work, HZ);
}

const struct pmcgrp_hardware_ops pmcgrp_follow_ops = {
	.get = follow_get,
	.put = follow_put,
};

static void unfollow(struct work_struct *work)
{
	mutex_lock(&pmcgrp_groups_mutex);
	if (!users && followed) {
		tracepoint_probe_unregister(sched_switch, on_switch, NULL);
		followed = false;
	}
	mutex_unlock(&pmcgrp_groups_mutex);
}

/**
 * pmcgrp_follow_init - find the tracepoint
 *
 * Context: when the module is loaded.
 */
void __init pmcgrp_follow_init(void)
{
	check_trace_callback_type_sched_switch(on_switch);
	pmcgrp_user_access_init();
	for_each_kernel_tracepoint(find, NULL);
}

/**
 * pmcgrp_follow_exit - end the probe, after the last counter
 *
 * Context: may sleep.
 */
void pmcgrp_follow_exit(void)
{
	cancel_delayed_work_sync(&unfollow_work);
	unfollow(NULL);
	tracepoint_synchronize_unregister();
}
