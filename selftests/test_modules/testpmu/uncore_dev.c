// SPDX-License-Identifier: GPL-2.0-only
/*
 * The uncore PMUs (uncore.c) as perf core, sysfs and debugfs know them: registration, the
 * designated CPUs, and two things for tests, ticks and what is on which counter.
 *
 * The state of hotplug is a dynamic one, as arm_cmn's.  Of two of these, that of the module that
 * was loaded later has its CPU offline first.  pmcgrp has one as well, so both orders can be had.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/sysfs.h>
#include "testpmu.h"
#include "uncore.h"

unsigned int tpmu_package_cpus = 2;
module_param_named(package_cpus, tpmu_package_cpus, uint, 0444);
MODULE_PARM_DESC(package_cpus, "CPUs of each package of the uncore PMUs (1 and up, default 2)");

unsigned int tpmu_uncore_counters = 2;
module_param_named(uncore_counters, tpmu_uncore_counters, uint, 0444);
MODULE_PARM_DESC(uncore_counters, "counters of each box of the uncore PMUs (1 to 16, default 2)");

static unsigned int uncore_returns;
module_param(uncore_returns, uint, 0644);
MODULE_PARM_DESC(uncore_returns, "boxes, as a mask, that move to a package's first CPU when it comes online (default 0)");

/* The last one is there if this kernel has scopes. */
static struct uncore uncores[] = {
	{ .name = "pmcgrp_test_uncore_0", .can_be_held = true },
	{ .name = "pmcgrp_test_uncore_1" },
	{ .name = "pmcgrp_test_scope", .has_scope = true },
};

static enum cpuhp_state hp_state;
static unsigned int nr_registered;

PMU_FORMAT_ATTR(rate, "config:0-31");	/* counts for each tick */
PMU_FORMAT_ATTR(event, "config:32-63");	/* any number */

static struct attribute *format_attrs[] = {
	&format_attr_rate.attr,
	&format_attr_event.attr,
	NULL
};

static const struct attribute_group format_group = {
	.name	= "format",
	.attrs	= format_attrs,
};

PMU_EVENT_ATTR_STRING(ticks, attr_ticks, "event=0x1,rate=1");
PMU_EVENT_ATTR_STRING(energy, attr_energy, "event=0x2,rate=1");
PMU_EVENT_ATTR_STRING(energy.scale, attr_energy_scale, "2.3283064365386962890625e-10");
PMU_EVENT_ATTR_STRING(energy.unit, attr_energy_unit, "Joules");
PMU_EVENT_ATTR_STRING(per_package, attr_per_package, "event=0x3,rate=1");

/* The macro takes no name with a hyphen, as clang-format has it. */
static struct perf_pmu_events_attr attr_per_package_per_pkg = {
	.attr		= {
		.attr	= { .name = "per_package.per-pkg", .mode = 0444 },
		.show	= perf_event_sysfs_show,
	},
	.event_str	= "1",
};

static struct attribute *event_attrs[] = {
	&attr_ticks.attr.attr,
	&attr_energy.attr.attr,
	&attr_energy_scale.attr.attr,
	&attr_energy_unit.attr.attr,
	&attr_per_package.attr.attr,
	&attr_per_package_per_pkg.attr.attr,
	NULL
};

static const struct attribute_group event_group = {
	.name	= "events",
	.attrs	= event_attrs,
};

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct uncore *uncore = tpmu_uncore_of(dev_get_drvdata(dev));
	cpumask_var_t mask;
	ssize_t len;
	int p, cpu;

	if (!zalloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	for (p = 0; p < nr_cpu_ids; p++) {
		cpu = READ_ONCE(uncore->box[p].cpu);
		if (cpu >= 0)
			cpumask_set_cpu(cpu, mask);
	}
	len = sysfs_emit(buf, "%*pbl\n", cpumask_pr_args(mask));
	free_cpumask_var(mask);
	return len;
}
static DEVICE_ATTR_RO(cpumask);

static struct attribute *cpumask_attrs[] = {
	&dev_attr_cpumask.attr,
	NULL
};

static const struct attribute_group cpumask_group = {
	.attrs	= cpumask_attrs,
};

static const struct attribute_group *box_attr_groups[] = {
	&format_group,
	&event_group,
	&cpumask_group,
	NULL
};

/* Its cpumask is perf core's. */
static const struct attribute_group *scope_attr_groups[] = {
	&format_group,
	&event_group,
	NULL
};

/* ---- The designated CPUs ---- */

static void box_move(struct uncore *uncore, struct uncore_box *box, int cpu)
{
	int old = box->cpu;

	WRITE_ONCE(box->cpu, -1);
	perf_pmu_migrate_context(&uncore->pmu, old, cpu);
	WRITE_ONCE(box->cpu, cpu);
}

/* arm_cmn moves its events as well when a better CPU comes online: arm_cmn_pmu_online_cpu(). */
static int hp_online(unsigned int cpu)
{
	struct uncore_box *box;
	unsigned int i;

	for (i = 0; i < nr_registered; i++) {
		if (uncores[i].has_scope)
			continue;
		box = &uncores[i].box[tpmu_package_of(&uncores[i], cpu)];
		if (box->cpu < 0)
			WRITE_ONCE(box->cpu, cpu);
		else if (cpu < box->cpu && READ_ONCE(uncore_returns) & BIT(i))
			box_move(&uncores[i], box, cpu);
	}
	return 0;
}

/* Another online CPU of the package, or -1. */
static int find_other(const struct uncore *uncore, int cpu)
{
	int other;

	for_each_online_cpu(other)
		if (other != cpu &&
		    tpmu_package_of(uncore, other) == tpmu_package_of(uncore, cpu))
			return other;
	return -1;
}

static int hp_offline(unsigned int cpu)
{
	struct uncore_box *box;
	unsigned int i;
	int other;

	for (i = 0; i < nr_registered; i++) {
		box = &uncores[i].box[tpmu_package_of(&uncores[i], cpu)];
		if (uncores[i].has_scope || box->cpu != cpu)
			continue;
		other = find_other(&uncores[i], cpu);
		if (other < 0)
			WRITE_ONCE(box->cpu, -1);
		else
			box_move(&uncores[i], box, other);
	}
	return 0;
}

/* ---- Registration ---- */

/* Whoever counted ticks on a CPU has ended. */
static void no_tick_here(void *unused)
{
}

static void uncore_free(struct uncore *uncore)
{
	free_percpu(uncore->held);
	kfree(uncore->box);
}

static int uncore_register(struct uncore *uncore)
{
	unsigned int p;
	int err;

	uncore->held = alloc_percpu(bool);
	uncore->box = kcalloc(nr_cpu_ids, sizeof(*uncore->box), GFP_KERNEL);
	if (!uncore->held || !uncore->box) {
		uncore_free(uncore);
		return -ENOMEM;
	}
	for (p = 0; p < nr_cpu_ids; p++) {
		raw_spin_lock_init(&uncore->box[p].lock);
		uncore->box[p].cpu = -1;
	}
	/* perf core has left its own in it, if it was registered before. */
	uncore->pmu = (struct pmu){ .module = THIS_MODULE };
	uncore->pmu.task_ctx_nr = perf_invalid_context;
	uncore->pmu.capabilities = PERF_PMU_CAP_NO_EXCLUDE | PERF_PMU_CAP_NO_INTERRUPT;
	uncore->pmu.attr_groups = uncore->has_scope ? scope_attr_groups : box_attr_groups;
	if (uncore->has_scope)
		pmcgrp_pmu_set_package_scope(&uncore->pmu);
	tpmu_uncore_callbacks(uncore);
	err = perf_pmu_register(&uncore->pmu, uncore->name, -1);
	if (err)
		uncore_free(uncore);
	return err;
}

static void uncore_unregister(struct uncore *uncore)
{
	unsigned int p, i;

	pmcgrp_pmu_cancel_timers(&uncore->pmu);
	perf_pmu_unregister(&uncore->pmu);
	for (p = 0; p < nr_cpu_ids; p++)
		for (i = 0; i < tpmu_uncore_counters; i++)
			if (uncore->box[p].event[i])
				tpmu_complain(TPMU_FREED_ON, NULL);
	uncore_free(uncore);
}

/* As hotplug and ticks come they find all PMUs, or none. */
static void uncores_unregister(void)
{
	unsigned int nr;

	cpus_read_lock();
	nr = nr_registered;
	nr_registered = 0;
	cpus_read_unlock();
	on_each_cpu(no_tick_here, NULL, 1);
	while (nr)
		uncore_unregister(&uncores[--nr]);
}

static int uncores_register(void)
{
	unsigned int nr, here = ARRAY_SIZE(uncores) - !pmcgrp_core_has_scopes();
	int err = 0;

	for (nr = 0; nr < here; nr++) {
		err = uncore_register(&uncores[nr]);
		if (err)
			break;
	}
	cpus_read_lock();
	nr_registered = nr;
	cpus_read_unlock();
	if (err)
		uncores_unregister();
	return err;
}

/* ---- The device is unplugged while its PMUs are in use, and comes back ---- */

static bool unplugged; /* the lock of this module's parameters */

static int unplug(const char *value, const struct kernel_param *param)
{
	bool want;
	int cpu, err;

	err = kstrtobool(value, &want);
	if (err || want == unplugged)
		return err;
	if (!pmcgrp_core_revokes())
		return -EOPNOTSUPP; /* whoever has events would use them for ever */
	if (want) {
		uncores_unregister();
	} else {
		err = uncores_register();
		if (err)
			return err;
		cpus_read_lock();
		for_each_online_cpu(cpu)
			hp_online(cpu);
		cpus_read_unlock();
	}
	unplugged = want;
	return 0;
}

static const struct kernel_param_ops unplug_ops = {
	.set	= unplug,
	.get	= param_get_bool,
};
module_param_cb(uncore_unplugged, &unplug_ops, &unplugged, 0644);
MODULE_PARM_DESC(uncore_unplugged, "the uncore PMUs are unregistered, in use or not (default N; Linux 6.15)");

/**
 * tpmu_uncore_init - register the uncore PMUs, that with a scope where the kernel has such
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int tpmu_uncore_init(void)
{
	int err;

	if (!tpmu_package_cpus || !tpmu_uncore_counters ||
	    tpmu_uncore_counters > UNCORE_COUNTERS_MAX) {
		pr_err("pmcgrp_testpmu: there are no packages of %u CPUs with %u counters\n",
		       tpmu_package_cpus, tpmu_uncore_counters);
		return -EINVAL;
	}
	err = uncores_register();
	if (err)
		return err;
	/* It calls hp_online() for each CPU. */
	err = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "perf/pmcgrp_test:online", hp_online,
				hp_offline);
	if (err < 0) {
		uncores_unregister();
		return err;
	}
	hp_state = err;
	return 0;
}

/**
 * tpmu_uncore_exit - remove the uncore PMUs, which have no events
 *
 * Context: may sleep.
 */
void tpmu_uncore_exit(void)
{
	cpuhp_remove_state_nocalls(hp_state);
	uncores_unregister();
}

/**
 * tpmu_uncore_type - number of the first uncore PMU
 */
u32 tpmu_uncore_type(void)
{
	return uncores[0].pmu.type;
}

/* ---- debugfs ---- */

struct tick {
	int package;
	u64 ticks;
};

static void tick_here(void *info)
{
	const struct tick *tick = info;
	unsigned int i;

	for (i = 0; i < nr_registered; i++)
		tpmu_uncore_tick_here(&uncores[i], tick->package, tick->ticks);
}

/**
 * tpmu_uncore_tick - time passes for boxes: all of a package at one instant
 * @package: which package; -1: all
 * @ticks: how much
 *
 * Context: may sleep.
 */
void tpmu_uncore_tick(int package, u64 ticks)
{
	struct tick tick = { .package = package, .ticks = ticks };

	on_each_cpu(tick_here, &tick, 1);
}

static void box_show(struct seq_file *seq, const struct uncore *uncore, unsigned int package)
{
	struct uncore_box *box = &uncore->box[package];
	const struct perf_event *event;
	unsigned int i;

	raw_spin_lock_irq(&box->lock);
	for (i = 0; i < tpmu_uncore_counters; i++) {
		event = box->event[i];
		if (event)
			seq_printf(seq, "%s package %u cpu %d counter %u: event %llu rate %llu%s\n",
				   uncore->name, package, event->cpu, i, event->attr.config >> 32,
				   tpmu_event_rate(event),
				   event->hw.state & PERF_HES_STOPPED ? " stopped" : "");
	}
	raw_spin_unlock_irq(&box->lock);
}

/**
 * tpmu_uncore_show - what is on which counter of which box
 * @seq: where to
 *
 * Context: may sleep.
 */
void tpmu_uncore_show(struct seq_file *seq)
{
	unsigned int p, i;

	for (i = 0; i < nr_registered; i++)
		for (p = 0; p < nr_cpu_ids; p++)
			box_show(seq, &uncores[i], p);
}
