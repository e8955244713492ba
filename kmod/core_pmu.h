/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_CORE_PMU_H
#define PMCGRP_CORE_PMU_H

#include <linux/types.h>

struct perf_event;
struct pmu;

#ifdef CONFIG_X86

bool pmcgrp_pmu_is_core(const struct pmu *pmu);
bool pmcgrp_pmu_stops_at_once(const struct pmu *pmu);
bool pmcgrp_event_may_use(const struct perf_event *has, const struct perf_event *wants);
bool pmcgrp_pmu_is_shared(const struct pmu *pmu);
bool pmcgrp_event_takes_shared(const struct perf_event *event);
bool pmcgrp_event_counts_siblings(const struct perf_event *event);

#else

/* PMCR_EL0.E stops and starts all counters of an Arm PMU. */
static inline bool pmcgrp_pmu_stops_at_once(const struct pmu *pmu)
{
	return true;
}

/* Arm's only dedicated counter is for cycles, which may use any other one; it is not told apart. */
static inline bool pmcgrp_event_may_use(const struct perf_event *has,
					const struct perf_event *wants)
{
	return true;
}

static inline bool pmcgrp_pmu_is_shared(const struct pmu *pmu)
{
	return false;
}

static inline bool pmcgrp_event_counts_siblings(const struct perf_event *event)
{
	return false;
}

static inline bool pmcgrp_event_takes_shared(const struct perf_event *event)
{
	return false;
}

#endif

#endif /* PMCGRP_CORE_PMU_H */
