/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What pmu.h has, of a PMU that is given and in no folder. */
#ifndef PMCGRP_EVENT_PMU_GIVEN_H
#define PMCGRP_EVENT_PMU_GIVEN_H

#include "pmu.h"

/* The text of a term's format; NULL: there is no such term. */
const char *pmu_given_format(const struct pmu_given *given, const char *term);

void pmu_given_formats_list(const struct pmu_given *given, char *buf, size_t size);
int pmu_given_alias(const struct pmu_given *given, const char *name, struct pmu_alias *alias);
int pmu_given_each_alias(const struct pmu_given *given, const struct pmu *pmu,
			 int (*each)(void *ctx, const struct pmu *pmu, const char *name), void *ctx);

#endif
