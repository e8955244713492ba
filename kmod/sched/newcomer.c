// SPDX-License-Identifier: GPL-2.0-only
/*
 * Room for perf events that are opened or enabled while their task runs, or on a CPU.
 *
 * perf core schedules such an event in at once, in one section (kernel/events/core.c:
 * ctx_resched()).  Since 6.12 it schedules out nothing but events of that PMU before, so no event
 * of this module shows.  A pinned event that finds no counter goes into error and remains there; a
 * flexible one waits until perf core rotates.  Neither must find idle counters in the way, and a
 * pinned one no flexible set.
 *
 * So kprobes are at two functions that perf core calls on the event's CPU before that:
 *
 *  - __perf_install_in_context(), for an event that is opened (perf_install_in_context());
 *  - __perf_event_enable(), for one that is enabled by ioctl() or prctl() (_perf_event_enable()).
 *
 * Both are called by their addresses (task_function_call(), event_function()), with the event as
 * first argument and interrupts off.  So both exist out of line, whatever the compiler inlines.
 * perf core holds no PMU there, so that counters may leave it.
 *
 * Sets that make room are tried again right after perf core's section: a group does not count for
 * some microseconds.  They stay where there are counters enough for all events anyhow, unless one
 * of these takes two or is confined to some.  Triggers of this module are as they are: a group
 * with one would lose that time whenever it is enabled.
 *
 * Two more are where an event is closed or disabled, __perf_remove_from_context() and
 * __perf_event_disable(): sets that made room for it come back at once.
 *
 * Without kprobes, or if these functions are no longer there, such events are helped as late as
 * pinned.c says.
 *
 * The probes are registered when the module is loaded, and armed as long as follow.c has its own.
 */
#include <linux/init.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include "compat.h"
#include "arbiter/cpu.h"
#include "counter/counter.h"
#include "counter/idle.h"
#include "counter/placement.h"
#include "platform/core_pmu.h"
#include "platform/recursion.h"
#include "sched/background.h"
#include "sched/newcomer.h"
#include "sched/rotate.h"

static bool (*is_trigger)(const struct perf_event *event); /* constant after init */

/* A group is pinned if its leader is; with a new member it is scheduled in anew. */
static bool is_pinned(const struct perf_event *event)
{
	return event->group_leader->attr.pinned;
}

/*
 * Whether an event is about to come in here, and on a PMU that has counters of this module.  One
 * that is opened disabled does not.
 */
static bool comes_in(const struct perf_event *event, bool enabled)
{
	const struct task_struct *task = event->ctx->task;

	return (enabled || event->state >= PERF_EVENT_STATE_INACTIVE) &&
	       (!task || task == current) && event->pmu->task_ctx_nr != perf_sw_context &&
	       pmcgrp_placement_nr_on(event->pmu);
}

/* Whether there is a counter for each event of a group beside all that are on its PMU. */
static bool fits_for_sure(const struct perf_event *event)
{
	unsigned int nr = event->group_leader->nr_siblings + 1;

	return pmcgrp_placement_nr_on(event->pmu) + pmcgrp_perf_holds(event->pmu) + nr <=
	       pmcgrp_pmu_room(event->pmu);
}

/*
 * In pmcgrp's slice idle counters stay for the tasks for which they were reserved (reserve.c), and
 * flexible events are the reservation's own, or have their turn later.
 */
static bool waits_for_its_turn(const struct pmcgrp_cpu *pcpu, const struct perf_event *event)
{
	return !is_pinned(event) && (pcpu->arbiter.busy || pmcgrp_cpu_has_slice(pcpu));
}

static void newcomer_make_room(struct pmcgrp_cpu *pcpu, struct perf_event *event)
{
	pmcgrp_recursion_enter();
	pmcgrp_idle_evict_of(event->pmu);
	pmcgrp_recursion_leave();
	if (!is_pinned(event) || is_trigger(event) || !pmcgrp_placement_nr_on(event->pmu) ||
	    fits_for_sure(event))
		return;
	pmcgrp_rotate_pmu_off(pcpu, event->pmu);
	pmcgrp_recursion_enter();
	pmcgrp_idle_evict_of(event->pmu);
	pmcgrp_recursion_leave();
	irq_work_queue(&pcpu->work); /* what fits comes back */
}

static void event_comes(struct perf_event *event, bool enabled)
{
	struct pmcgrp_cpu *pcpu;

	lockdep_assert_irqs_disabled();
	if (!comes_in(event, enabled))
		return;
	pcpu = pmcgrp_this_cpu();
	pmcgrp_background_off(pcpu);
	if (pcpu->usable && !waits_for_its_turn(pcpu, event))
		newcomer_make_room(pcpu, event);
}

/* Context: interrupts off, and perf core's locks may be held; a kprobe. */
static int on_install(struct kprobe *probe, struct pt_regs *regs)
{
	struct perf_event *event = (struct perf_event *)regs_get_kernel_argument(regs, 0);

	/* It may come in with no other going out: when the running task is moved to its cgroup. */
	if (pmcgrp_event_is_of_cgroup(event))
		pmcgrp_placement_moved();
	event_comes(event, false);
	return 0;
}

NOKPROBE_SYMBOL(on_install);

static int on_enable(struct kprobe *probe, struct pt_regs *regs)
{
	event_comes((struct perf_event *)regs_get_kernel_argument(regs, 0), true);
	return 0;
}

NOKPROBE_SYMBOL(on_enable);

/*
 * An event leaves: what waits for its counter is tried right after, not at the next tick.  What the
 * worker frees is for its requester (reserve.c).
 */
static int on_leave(struct kprobe *probe, struct pt_regs *regs)
{
	const struct perf_event *event = (struct perf_event *)regs_get_kernel_argument(regs, 0);
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();

	lockdep_assert_irqs_disabled();
	if (event->state == PERF_EVENT_STATE_ACTIVE && pcpu->usable &&
	    (pcpu->nr_waiting || pcpu->background_waits) &&
	    !pcpu->arbiter.busy && event->pmu->task_ctx_nr != perf_sw_context)
		irq_work_queue(&pcpu->work);
	return 0;
}

NOKPROBE_SYMBOL(on_leave);

static struct kprobe probes[] = {
	{ .symbol_name = "__perf_install_in_context", .pre_handler = on_install },
	{ .symbol_name = "__perf_event_enable", .pre_handler = on_enable },
	{ .symbol_name = "__perf_remove_from_context", .pre_handler = on_leave },
	{ .symbol_name = "__perf_event_disable", .pre_handler = on_leave },
};

static bool registered; /* constant after init */

/**
 * pmcgrp_newcomer_arm - make room for perf events from now on, or not any more
 * @arm: from now on
 *
 * An error leaves them as without kprobes.
 *
 * Context: may sleep; pmcgrp_groups_mutex held: kprobe_mutex and what is in it come after it.
 */
void pmcgrp_newcomer_arm(bool arm)
{
	unsigned int i;

	for (i = 0; registered && i < ARRAY_SIZE(probes); i++) {
		if (arm)
			enable_kprobe(&probes[i]);
		else
			disable_kprobe(&probes[i]);
	}
}

/**
 * pmcgrp_newcomer_init - find the functions
 * @trigger: checks whether an event is a trigger of this module
 *
 * Context: may sleep; when the module is loaded.
 */
void __init pmcgrp_newcomer_init(bool (*trigger)(const struct perf_event *event))
{
	unsigned int i;

	is_trigger = trigger;
	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		probes[i].flags = KPROBE_FLAG_DISABLED;
		if (!register_kprobe(&probes[i]))
			continue;
		pr_info("pmcgrp: no kprobe at %s(): pinned perf events may find no counter at first\n",
			probes[i].symbol_name);
		while (i--)
			unregister_kprobe(&probes[i]);
		return;
	}
	registered = true;
}

/**
 * pmcgrp_newcomer_exit - end the probes
 *
 * Context: may sleep.
 */
void pmcgrp_newcomer_exit(void)
{
	unsigned int i;

	for (i = 0; registered && i < ARRAY_SIZE(probes); i++)
		unregister_kprobe(&probes[i]);
}
