/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_GUARD_H
#define PMCGRP_GUARD_H

#include <linux/types.h>

struct perf_event_attr;
struct pmu;

void pmcgrp_guard_get(int cpu, const struct pmu *pmu, const struct perf_event_attr *attr);
void pmcgrp_guard_put(int cpu, const struct pmu *pmu);
bool pmcgrp_guard_covers_all(const struct pmu *pmu);
void pmcgrp_guard_get_all(const struct pmu *pmu, const struct perf_event_attr *attr);
void pmcgrp_guard_put_all(const struct pmu *pmu);
bool pmcgrp_guard_covers(const struct pmu *pmu);
void pmcgrp_guard_want(void);
bool pmcgrp_guard_is_up(void);
void pmcgrp_guard_exit(void);

#endif /* PMCGRP_GUARD_H */
