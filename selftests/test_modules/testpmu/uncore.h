/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_TESTPMU_UNCORE_H
#define PMCGRP_TESTPMU_UNCORE_H

#include <linux/perf_event.h>
#include <linux/spinlock.h>
#include <linux/topology.h>
#include <linux/types.h>

#define UNCORE_COUNTERS_MAX 16

/**
 * struct uncore_box - what a PMU has in one package
 * @lock: of all below but @cpu
 * @cpu: the designated CPU, or -1: none is online.  Written by callbacks of hotplug only.
 * @event: the event on each counter, or NULL
 * @raw: what each counter shows
 */
struct uncore_box {
	raw_spinlock_t		lock;
	int			cpu;
	struct perf_event	*event[UNCORE_COUNTERS_MAX];
	u64			raw[UNCORE_COUNTERS_MAX];
};

/**
 * struct uncore - an uncore PMU
 * @pmu: perf core's part
 * @name: in sysfs
 * @has_scope: perf core keeps its events on one CPU of each package
 * @can_be_held: it has pmu_disable()
 * @held: whether the PMU is disabled, for each CPU; that CPU, interrupts off
 * @box: for each package; nr_cpu_ids of them
 */
struct uncore {
	struct pmu		pmu;
	const char		*name;
	bool			has_scope;
	bool			can_be_held;
	bool __percpu		*held;
	struct uncore_box	*box;
};

/* Module parameters. */
extern unsigned int tpmu_package_cpus;
extern unsigned int tpmu_uncore_counters;

static inline struct uncore *tpmu_uncore_of(struct pmu *pmu)
{
	return container_of(pmu, struct uncore, pmu);
}

static inline unsigned int tpmu_package_of(const struct uncore *uncore, int cpu)
{
	int id;

	if (!uncore->has_scope)
		return cpu / tpmu_package_cpus;
	id = topology_physical_package_id(cpu);
	return id > 0 && id < nr_cpu_ids ? id : 0;
}

void tpmu_uncore_callbacks(struct uncore *uncore);
void tpmu_uncore_tick_here(struct uncore *uncore, int package, u64 ticks);

#endif /* PMCGRP_TESTPMU_UNCORE_H */
