/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_CORE_PMU_H
#define PMCGRP_CORE_PMU_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include "compat.h"
#include "platform/counter_reg.h"

#ifdef CONFIG_X86

bool pmcgrp_pmu_is_core(const struct pmu *pmu);
bool pmcgrp_pmu_stops_at_once(const struct pmu *pmu);
bool pmcgrp_pmu_event_may_use(const struct perf_event *has, const struct perf_event *wants);
bool pmcgrp_pmu_is_shared(const struct pmu *pmu);
bool pmcgrp_pmu_event_takes_shared(const struct perf_event *event);
bool pmcgrp_pmu_event_counts_siblings(const struct perf_event *event);
bool pmcgrp_pmu_event_is_reloaded(const struct perf_event *event);
unsigned int pmcgrp_pmu_room(const struct pmu *pmu);

#else

/* The number of counters of an Arm PMU that any event can have: all but that of cycles. */
static inline unsigned int pmcgrp_pmu_room(const struct pmu *pmu)
{
	return IS_ENABLED(CONFIG_ARM_PMU) && pmcgrp_pmu_is_armv8(pmu) ? pmcgrp_armv8_counters(pmu) :
									0;
}

/* PMCR_EL0.E stops and starts all counters of an Arm PMU. */
static inline bool pmcgrp_pmu_stops_at_once(const struct pmu *pmu)
{
	return true;
}

/* Arm's only dedicated counter is for cycles, which may use any other one; it is as any other. */
static inline bool pmcgrp_pmu_event_may_use(const struct perf_event *has,
					    const struct perf_event *wants)
{
	return true;
}

static inline bool pmcgrp_pmu_is_shared(const struct pmu *pmu)
{
	return false;
}

static inline bool pmcgrp_pmu_event_counts_siblings(const struct perf_event *event)
{
	return false;
}

static inline bool pmcgrp_pmu_event_takes_shared(const struct perf_event *event)
{
	return false;
}

static inline bool pmcgrp_pmu_event_is_reloaded(const struct perf_event *event)
{
	return false;
}

#endif

/**
 * pmcgrp_pmu_is_uncore - check whether a PMU counts a part of the machine, not what a CPU executes
 * @pmu: the PMU
 *
 * Its events are of no task (kernel/events/core.c: perf_event_alloc()).
 */
static inline bool pmcgrp_pmu_is_uncore(const struct pmu *pmu)
{
	return pmu->task_ctx_nr == perf_invalid_context;
}

/**
 * pmcgrp_pmu_may_go - check whether a PMU may be unregistered while this module is there
 * @pmu: the PMU
 *
 * Those of processors, and perf core's own, are built in and stay.  Others go with their module, or
 * their device.
 */
static inline bool pmcgrp_pmu_may_go(const struct pmu *pmu)
{
	return pmu->module || pmcgrp_pmu_is_uncore(pmu);
}

#endif /* PMCGRP_CORE_PMU_H */
