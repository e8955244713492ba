/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Plans for people. */
#ifndef PLAN_TABLE_H
#define PLAN_TABLE_H

#include <stdio.h>

#include "pmcgrp_plan.h"

/* A line for each event: what becomes of it, its name, its counters, and below it the reason. */
void plan_table(FILE *out, const struct pmcgrp_plan *plan, const struct pmcgrp_plan_group *groups);

/* Counters by time, a row for each counter, and a letter for each event. */
void plan_picture(FILE *out, const struct pmcgrp_plan *plan, const struct pmcgrp_plan_pmu *pmu,
		  uint64_t mux_us);

/* The same in SVG. */
void plan_svg(FILE *out, const char *title, const struct pmcgrp_plan *plan,
	      const struct pmcgrp_plan_pmu *pmu, uint64_t mux_us);

#endif
