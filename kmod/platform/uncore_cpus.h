/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_UNCORE_CPUS_H
#define PMCGRP_UNCORE_CPUS_H

struct pmu;

int pmcgrp_uncore_counts_on(struct pmu *pmu, int cpu);

#endif /* PMCGRP_UNCORE_CPUS_H */
