// SPDX-License-Identifier: GPL-2.0-only
/*
 * A PMU for tests: counters with constraints that answer as x86's do and count what
 * tests say, on any machine.  /sys/kernel/debug/pmcgrp_test is where tests have it
 * count and look at it (debugfs.c).
 *
 * Lifetime: perf core holds a reference to the module for each event, so that none is
 * left when the PMUs go.  On kernels before 6.2 a task's hardware context keeps a
 * pointer to the PMU of the task's first event: tasks that were counted by
 * perf_event_open(2) must have ended before the module is removed there, as they have
 * in the guests.  (pmcgrp's counters are CPU events and leave no such pointer.)
 */
#include <linux/cpumask.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include "testpmu.h"

static unsigned int programmable = 4;
module_param(programmable, uint, 0444);
MODULE_PARM_DESC(programmable, "programmable counters of each PMU (1 to 16, default 4), bits 0 and up of a mask");

static unsigned int fixed = 3;
module_param(fixed, uint, 0444);
MODULE_PARM_DESC(fixed, "fixed counters of each PMU (0 to 16, default 3), bits 32 and up of a mask");

static int tpmu_register(struct tpmu *tpmu)
{
	int err;

	tpmu->counters = GENMASK_ULL(programmable - 1, 0);
	if (fixed)
		tpmu->counters |= GENMASK_ULL(fixed - 1, 0) << TPMU_FIXED_FIRST;
	tpmu->counters_nr = programmable + fixed;
	tpmu->pmu.attr_groups = tpmu_attr_groups;
	if (!tpmu_hybrid_init(tpmu))
		return 0;
	tpmu->cpu = alloc_percpu(struct tpmu_cpu);
	if (!tpmu->cpu)
		return -ENOMEM;
	tpmu->pmu.module = THIS_MODULE;
	tpmu->pmu.task_ctx_nr = perf_hw_context;
	tpmu->pmu.capabilities = PMCGRP_PMU_CAP_SHARED_HW_CONTEXT | PERF_PMU_CAP_NO_INTERRUPT |
				 PERF_PMU_CAP_NO_EXCLUDE;
	tpmu->pmu.event_init = tpmu_event_init;
	tpmu_cpu_callbacks(&tpmu->pmu);
	err = perf_pmu_register(&tpmu->pmu, tpmu->name, -1);
	if (err)
		free_percpu(tpmu->cpu);
	return err;
}

static void tpmu_unregister(struct tpmu *tpmu)
{
	int cpu;

	if (!tpmu->cpu)
		return;
	pmcgrp_pmu_cancel_timers(&tpmu->pmu);
	perf_pmu_unregister(&tpmu->pmu);
	for_each_possible_cpu(cpu)
		if (per_cpu_ptr(tpmu->cpu, cpu)->nr)
			tpmu_complain(TPMU_FREED_ON, NULL);
	free_percpu(tpmu->cpu);
}

static int __init testpmu_init(void)
{
	int err, i;

	if (!programmable || programmable > TPMU_KIND_MAX || fixed > TPMU_KIND_MAX) {
		pr_err("pmcgrp_testpmu: there are no PMUs of %u + %u counters\n", programmable,
		       fixed);
		return -EINVAL;
	}
	for (i = 0; i < TPMU_NR; i++) {
		err = tpmu_register(&tpmus[i]);
		if (err)
			goto unregister;
	}
	err = tpmu_uncore_init();
	if (err)
		goto unregister;
	err = tpmu_debugfs_init();
	if (err)
		goto exit_uncore;
	return 0;

exit_uncore:
	tpmu_uncore_exit();
unregister:
	while (i--)
		tpmu_unregister(&tpmus[i]);
	return err;
}

static void __exit testpmu_exit(void)
{
	int i = TPMU_NR;

	tpmu_debugfs_exit();
	tpmu_uncore_exit();
	while (i--)
		tpmu_unregister(&tpmus[i]);
}

module_init(testpmu_init);
module_exit(testpmu_exit);
MODULE_DESCRIPTION("A PMU with constraints that counts what tests say; never for production");
MODULE_AUTHOR("The pmcgrp developers");
MODULE_LICENSE("GPL");
