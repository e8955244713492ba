// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suspend of the system, and its end.  All CPUs but the first go offline for a suspend
 * (hotplug.c); that one stays online, and may come back with its PMU's registers reset.  On Arm
 * the PMU's driver sees to that (drivers/perf/arm_pmu.c: cpu_pm_pmu_notify()); on x86 nobody does.
 * A counter that stayed on would stand still for as long as anybody uses it, and what its
 * register contains would be taken for its count.
 *
 * Nor may anything count when another kernel is entered by kexec: x86's finds its PMU in use then
 * (arch/x86/events/core.c: check_hw_exists()), and does without one.
 */
#include <linux/limits.h>
#include <linux/notifier.h>
#include <linux/reboot.h>
#include <linux/smp.h>
#include <linux/syscore_ops.h>
#include "compat.h"
#include "counter.h"
#include "group.h"
#include "sched.h"
#include "suspend.h"

static int counters_suspend(PMCGRP_SYSCORE_ARG)
{
	pmcgrp_cpu_suspend();
	return 0;
}

static void counters_resume(PMCGRP_SYSCORE_ARG)
{
	pmcgrp_cpu_resume();
}

PMCGRP_SYSCORE(counters, counters_suspend, counters_resume);

static void counters_end_here(void *unused)
{
	pmcgrp_cpu_suspend();
}

/*
 * Tasks run on, and their carriers come in: none of them has its counters again.  perf core takes
 * off what it has on CPUs (kernel/events/core.c: perf_reboot()), but no task's: triggers may be.
 */
static int counters_end(struct notifier_block *block, unsigned long action, void *unused)
{
	pmcgrp_groups_end();
	pmcgrp_counters_end();
	on_each_cpu(counters_end_here, NULL, 1);
	return NOTIFY_OK;
}

/* After kernel/events/core.c: perf_reboot(), which has the same priority and was there before. */
static struct notifier_block end_block = {
	.notifier_call = counters_end,
	.priority = INT_MIN,
};

/**
 * pmcgrp_suspend_init - take all counters off the PMU when the system is suspended or ends
 *
 * The callbacks have one CPU and interrupts off (drivers/base/syscore.c).  Who registered last is
 * suspended first: the clocks go on still.
 *
 * Context: may sleep; before any group exists.
 */
void pmcgrp_suspend_init(void)
{
	register_syscore(&counters);
	register_reboot_notifier(&end_block);
}

/**
 * pmcgrp_suspend_exit - no group exists any more
 *
 * Context: may sleep.
 */
void pmcgrp_suspend_exit(void)
{
	unregister_reboot_notifier(&end_block);
	unregister_syscore(&counters);
}
