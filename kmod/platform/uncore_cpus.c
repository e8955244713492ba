// SPDX-License-Identifier: GPL-2.0-only
/*
 * On which CPUs an uncore PMU counts: what its file cpumask in sysfs says.
 *
 * Nothing else shows it.  Some drivers change event->cpu to such a CPU.  Others take any CPU, and
 * would count the same part of the machine once for each.  Since 6.12 perf core keeps the mask for
 * drivers that say what a part is (pmu->scope).  The mask itself is the drivers' or perf core's
 * own, but the attribute of the file is not.
 */
#include <linux/container_of.h>
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include "platform/uncore_cpus.h"

static struct device_attribute *find_in_group(const struct attribute_group *group)
{
	struct attribute **attr;

	/* Groups with a name are folders: events, format, caps. */
	if (group->name || !group->attrs)
		return NULL;
	for (attr = group->attrs; *attr; attr++)
		if (!strcmp((*attr)->name, "cpumask"))
			return container_of(*attr, struct device_attribute, attr);
	return NULL;
}

static int read_mask(struct pmu *pmu, const struct attribute_group *const *groups, char *page,
		     struct cpumask *mask)
{
	struct device_attribute *attr = NULL;

	while (groups && *groups && !attr)
		attr = find_in_group(*groups++);
	if (!attr || !attr->show || attr->show(pmu->dev, attr, page) <= 0)
		return -ENOENT;
	return cpulist_parse(page, mask);
}

static int find_mask(struct pmu *pmu, struct cpumask *mask)
{
	char *page = (char *)get_zeroed_page(GFP_KERNEL); /* sysfs_emit() wants a page */
	int err;

	if (!page)
		return -ENOMEM;
	err = read_mask(pmu, pmu->attr_groups, page, mask);
	if (err == -ENOENT)
		err = read_mask(pmu, pmu->attr_update, page, mask);
	if (err == -ENOENT && pmu->dev->bus)
		err = read_mask(pmu, pmu->dev->bus->dev_groups, page, mask);
	free_page((unsigned long)page);
	return err;
}

/**
 * pmcgrp_uncore_counts_on - check whether an uncore PMU counts on a CPU
 * @pmu: the PMU, of which an event exists
 * @cpu: the CPU
 *
 * Context: may sleep.
 * Return: 1 or 0; -ENOENT for a PMU that does not say; -ENOMEM.
 */
int pmcgrp_uncore_counts_on(struct pmu *pmu, int cpu)
{
	cpumask_var_t mask;
	int ret;

	if (!pmu->dev)
		return -ENOENT;
	if (!zalloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	ret = find_mask(pmu, mask);
	if (!ret)
		ret = cpumask_test_cpu(cpu, mask);
	free_cpumask_var(mask);
	return ret;
}
