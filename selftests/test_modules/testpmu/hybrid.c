// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two kinds of cores, as big.LITTLE has: CPUs with even and with odd numbers, each kind with a PMU
 * of its own.  As with Arm's driver an event for a CPU of the other kind is not known to the PMU,
 * and that of a task waits there (drivers/perf/arm_pmu.c: armpmu_event_init(), armpmu_add()).
 */
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/gfp.h>
#include <linux/sysfs.h>
#include "testpmu.h"

/**
 * tpmu_counts_on - tell whether a PMU is that of a CPU
 * @pmu: the PMU
 * @cpu: the CPU
 */
bool tpmu_counts_on(struct pmu *pmu, int cpu)
{
	switch (tpmu_of(pmu)->kind) {
	case TPMU_EVEN:
		return cpu % 2 == 0;
	case TPMU_ODD:
		return cpu % 2 == 1;
	default:
		return true;
	}
}

static PMCGRP_PMU_FILTER(hybrid_filter)
{
	return PMCGRP_PMU_FILTER_ANSWER(tpmu_counts_on);
}

static ssize_t cpus_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct pmu *pmu = dev_get_drvdata(dev);
	cpumask_var_t mask;
	ssize_t len;
	int cpu;

	if (!zalloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		if (tpmu_counts_on(pmu, cpu))
			cpumask_set_cpu(cpu, mask);
	len = sysfs_emit(buf, "%*pbl\n", cpumask_pr_args(mask));
	free_cpumask_var(mask);
	return len;
}
static DEVICE_ATTR_RO(cpus);

static struct attribute *cpus_attrs[] = {
	&dev_attr_cpus.attr,
	NULL
};

static const struct attribute_group cpus_group = {
	.attrs	= cpus_attrs,
};

static const struct attribute_group *hybrid_attr_groups[] = {
	&tpmu_format_group,
	&cpus_group,
	NULL
};

/**
 * tpmu_hybrid_init - give a PMU of one kind of cores what others lack
 * @tpmu: the PMU, not registered yet
 *
 * Return: false if the machine has no such core.
 */
bool tpmu_hybrid_init(struct tpmu *tpmu)
{
	if (tpmu->kind == TPMU_ALL)
		return true;
	tpmu->pmu.attr_groups = hybrid_attr_groups;
	tpmu->pmu.PMCGRP_PMU_FILTER_FIELD = hybrid_filter;
	return tpmu->kind == TPMU_EVEN || nr_cpu_ids > 1;
}
