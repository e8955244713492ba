// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <math.h>

#include "json.h"

static const char *const names[] = {
	[PMCGRP_PLAN_COUNTED] = "counted",
	[PMCGRP_PLAN_MULTIPLEXED] = "multiplexed",
	[PMCGRP_PLAN_NOT_COUNTED] = "not_counted",
	[PMCGRP_PLAN_NOT_SUPPORTED] = "not_supported",
};

static json_t *percent(double share)
{
	return json_real(round(share * 100) / 100);
}

static json_t *counters(const struct pmcgrp_plan_row *row)
{
	json_t *all = json_array();
	char name[16];
	unsigned int i;

	for (i = 0; i < row->nr_counters; i++) {
		pmcgrp_plan_counter(name, sizeof(name), row->counters[i]);
		json_array_append_new(all, json_string(name));
	}
	return all;
}

json_t *plan_json_row(const struct pmcgrp_plan_row *row)
{
	json_t *json = json_pack("{s:s, s:s, s:o, s:o}", "event", row->event->name, "status",
				 names[row->status], "percent",
				 row->has_share ? percent(row->share) : json_null(), "counters",
				 counters(row));

	if (!row->has_share && row->status != PMCGRP_PLAN_NOT_SUPPORTED)
		json_object_set_new(json, "kernel_running_percent", percent(row->kernel_share));
	if (row->reason[0])
		json_object_set_new(json, "reason", json_string(row->reason));
	return json;
}

json_t *plan_json_rows(const struct pmcgrp_plan *plan)
{
	json_t *all = json_array();
	unsigned int i;

	for (i = 0; i < plan->nr; i++)
		json_array_append_new(all, plan_json_row(&plan->rows[i]));
	return all;
}
