/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Plans in JSON. */
#ifndef PLAN_JSON_H
#define PLAN_JSON_H

#include <jansson.h>

#include "pmcgrp_plan.h"

struct plan_answer;
struct plan_problem;

/* {"event", "status", "percent", "counters", ...} */
json_t *plan_json_row(const struct pmcgrp_plan_row *row);

/* A list of all rows. */
json_t *plan_json_rows(const struct pmcgrp_plan *plan);

/* All of an answer. */
json_t *plan_json(const struct plan_problem *problem, const struct plan_answer *answer);

#endif
