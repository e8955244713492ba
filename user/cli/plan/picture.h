/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What both pictures of counters by time have in common. */
#ifndef PLAN_PICTURE_H
#define PLAN_PICTURE_H

#include <stdbool.h>

#include "pmcgrp_plan.h"

/* The letter of a row, or of a value of enum pmcgrp_plan_slice_row. */
char plan_letter(int row);

/* Whether a counter is shown: the PMU has it. */
bool plan_has_counter(const struct pmcgrp_plan_pmu *pmu, const struct pmcgrp_plan *plan,
		      unsigned int bit);

/* How many intervals are shown. */
unsigned int plan_shown(const struct pmcgrp_plan *plan);

#endif
