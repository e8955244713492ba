/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Cases: a PMU, options and groups in JSON, and what becomes of the groups. */
#ifndef PLAN_CASE_H
#define PLAN_CASE_H

#include <jansson.h>

#include "pmcgrp_plan.h"

/**
 * struct plan_case - one case
 * @id: its name
 * @pmu: the PMU
 * @watchdog: the event that the NMI watchdog has there
 * @options: what else decides
 * @nr_events: of @events
 * @events: the PMU's; each name is in the JSON
 * @nr_groups: of @groups
 * @groups: the groups
 * @members: their events
 */
struct plan_case {
	const char *id;
	struct pmcgrp_plan_pmu pmu;
	struct pmcgrp_plan_event watchdog;
	struct pmcgrp_plan_options options;
	unsigned int nr_events;
	struct pmcgrp_plan_event *events;
	unsigned int nr_groups;
	struct pmcgrp_plan_group *groups;
	const struct pmcgrp_plan_event **members;
};

/*
 * plan_case_read - a case from JSON, which has to stay as long as the case
 * @error: what is wrong, and in which field; FIELD_ERROR characters
 *
 * Returns 0, or -EINVAL with an error. It is for plan_case_free() in any case.
 */
int plan_case_read(struct plan_case *c, json_t *json, char *error);

void plan_case_free(struct plan_case *c);

/* What becomes of its groups: {"id", "expected"}; NULL: no memory. */
json_t *plan_case_result(const struct plan_case *c, const struct pmcgrp_plan *plan);

#endif
