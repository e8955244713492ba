// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suspend, shutdown and reboot of the system: all counters are taken off the PMU.
 *
 * All CPUs but the first go offline for a suspend (hotplug.c).  The first stays online, and may
 * come back with its PMU's registers reset.  On Arm the PMU's driver restores them
 * (drivers/perf/arm_pmu.c: cpu_pm_pmu_notify()); on x86 nothing does.  There a counter that
 * remained on the PMU would not count until its last user is gone.  The contents of its register
 * would be taken for its count.
 *
 * Nor may a counter run when kexec enters another kernel.  x86 then finds its PMU in use
 * (arch/x86/events/core.c: check_hw_exists()), and does without one.
 */
#include <linux/limits.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/rbtree.h>
#include <linux/reboot.h>
#include <linux/smp.h>
#include <linux/syscore_ops.h>
#include "compat.h"
#include "suspend.h"
#include "counter/placement.h"
#include "group/group.h"
#include "sched/sched.h"

static int counters_suspend(PMCGRP_SYSCORE_ARG)
{
	pmcgrp_sched_suspend();
	return 0;
}

static void counters_resume(PMCGRP_SYSCORE_ARG)
{
	pmcgrp_sched_resume();
}

PMCGRP_SYSCORE(counters, counters_suspend, counters_resume);

static void counters_end_here(void *unused)
{
	pmcgrp_sched_suspend();
}

/* Let no trigger fire any more. */
static void triggers_end(void)
{
	struct pmcgrp_group *group;
	struct rb_node *node;

	mutex_lock(&pmcgrp_groups_mutex);
	for (node = rb_first(&pmcgrp_groups); node; node = rb_next(node)) {
		group = rb_entry(node, struct pmcgrp_group, node);
		mutex_lock(&group->evlist->mutex);
		/* Those that tasks have inherited are never disabled. */
		if (group->rings && group->evlist->follower->has_binding)
			group->output->drop(group);
		else if (group->rings)
			group->output->enable(group, false);
		mutex_unlock(&group->evlist->mutex);
	}
	mutex_unlock(&pmcgrp_groups_mutex);
}

/*
 * Tasks go on, and carriers come in, but pmcgrp_placement_end() keeps their counters off.  perf
 * core takes off the events of CPUs (kernel/events/core.c: perf_reboot()) and leaves those of
 * tasks: triggers are perf events of tasks as well.
 */
static int counters_end(struct notifier_block *block, unsigned long action, void *unused)
{
	triggers_end();
	pmcgrp_placement_end();
	on_each_cpu(counters_end_here, NULL, 1);
	return NOTIFY_OK;
}

/* Called after perf_reboot() (kernel/events/core.c): same priority, and registered later. */
static struct notifier_block end_block = {
	.notifier_call = counters_end,
	.priority = INT_MIN,
};

/**
 * pmcgrp_suspend_init - register the callbacks of suspend, shutdown and reboot
 *
 * Those of suspend run on the only CPU that is online, with interrupts off
 * (drivers/base/syscore.c); that of a reboot in a task, with mutexes and IPIs.  What was registered
 * last is suspended first, so the clocks still run.
 *
 * Context: may sleep; before any group exists.
 */
void pmcgrp_suspend_init(void)
{
	register_syscore(&counters);
	register_reboot_notifier(&end_block);
}

/**
 * pmcgrp_suspend_exit - undo pmcgrp_suspend_init(), after the last group
 *
 * Context: may sleep.
 */
void pmcgrp_suspend_exit(void)
{
	unregister_reboot_notifier(&end_block);
	unregister_syscore(&counters);
}
