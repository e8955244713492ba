// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suspend of the system.  All CPUs but the first go offline for it (hotplug.c); that one stays
 * online, and may come back with its PMU's registers reset.  On Arm the PMU's driver sees to that
 * (drivers/perf/arm_pmu.c: cpu_pm_pmu_notify()); on x86 nobody does.  A slot that stayed on would
 * stand still for as long as anybody uses it, and what its register has then would be taken for
 * what it has counted.
 */
#include <linux/syscore_ops.h>
#include "compat.h"
#include "gang.h"
#include "suspend.h"

static int counters_suspend(PMCGRP_SYSCORE_ARG)
{
	pmcgrp_gang_pause();
	return 0;
}

static void counters_resume(PMCGRP_SYSCORE_ARG)
{
	pmcgrp_gang_go_on();
}

PMCGRP_SYSCORE(counters, counters_suspend, counters_resume);

/**
 * pmcgrp_suspend_init - take all counters off the PMU whenever the system is suspended
 *
 * The callbacks have one CPU and interrupts off (drivers/base/syscore.c).  Who registered last is
 * suspended first: the clocks go on still.
 *
 * Context: may sleep; before any group exists.
 */
void pmcgrp_suspend_init(void)
{
	register_syscore(&counters);
}

/**
 * pmcgrp_suspend_exit - no group exists any more
 *
 * Context: may sleep.
 */
void pmcgrp_suspend_exit(void)
{
	unregister_syscore(&counters);
}
