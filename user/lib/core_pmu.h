/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * The PMUs of the cores themselves, as sysfs shows them. @root is a folder that stands for /, as
 * tests have one; "" is / itself.
 */
#ifndef CORE_PMU_H
#define CORE_PMU_H

#include "pmcgrp.h"

#define CORE_PMUS_FOLDER "/sys/bus/event_source/devices"

/* A hybrid machine has several. */
struct core_pmu {
	char name[64];
	uint32_t type;
	struct pmcgrp_cpus cpus;	/* that have it; empty: not known */
};

#define CORE_PMUS_MAX 8

/* core_pmus_find - the core PMUs by name, CORE_PMUS_MAX at the most; returns how many */
unsigned int core_pmus_find(struct core_pmu *pmus, const char *root);

/*
 * core_pmu_list - what any PMU's folder lists in the file @name as CPUs
 *
 * Returns how many, 0: no such file.
 */
unsigned int core_pmu_list(const char *root, const char *pmu, const char *name,
			   struct pmcgrp_cpus *cpus);

#endif
