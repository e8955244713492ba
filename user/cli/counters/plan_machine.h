/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* This machine's PMU, for pmcgrp_plan(). */
#ifndef PLAN_MACHINE_H
#define PLAN_MACHINE_H

#include "plan/plan_model.h"

#define PLAN_SEARCH_US 5000000	/* for the fewest passes */

/*
 * plan_machine_counters - bits of the counters that the PMU has at this moment, as groups that fit show
 *
 * Returns 0 where that is not known.
 */
uint64_t plan_machine_counters(void);

/*
 * plan_machine_refuses - whether perf core refuses an event for what it is
 * @attr: attr->size bytes
 *
 * Returns a negative errno, or 0; also where it may not be asked.
 */
int plan_machine_refuses(const struct perf_event_attr *attr);

#endif
