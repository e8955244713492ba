// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <math.h>

#include "json.h"
#include "problem.h"

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

static json_t *one(const struct pmcgrp_plan *plan)
{
	return json_pack("{s:o, s:i, s:i, s:b}", "events", plan_json_rows(plan), "before", plan->before,
			 "cycle", plan->cycle, "multiplexed", plan->multiplexed);
}

static json_t *passes(const struct plan_problem *problem, const struct pmcgrp_plan_passes *p)
{
	json_t *all = json_array(), *pass, *group;
	unsigned int i, k, m;

	for (i = 0; i < p->nr; i++) {
		pass = json_array();
		for (k = 0; k < problem->groups.nr; k++) {
			if (p->pass[k] != i)
				continue;
			group = json_array();
			for (m = 0; m < problem->groups.groups[k].nr; m++)
				json_array_append_new(
					group, json_string(problem->groups.groups[k].events[m]->name));
			json_array_append_new(pass, group);
		}
		json_array_append_new(all, pass);
	}
	return json_pack("{s:i, s:i, s:s, s:o}", "nr", p->nr, "least", p->least, "why", p->why, "passes",
			 all);
}

json_t *plan_json(const struct plan_problem *problem, const struct plan_answer *answer)
{
	const struct pmcgrp_plan *any = answer->perf ? answer->perf : answer->own;
	json_t *json = json_pack("{s:s, s:i, s:i, s:b}", "model", plan_model_name(problem->model),
				 "general_purpose", problem->pmu.pmu.nr_gp, "fixed",
				 problem->pmu.pmu.nr_fixed, "ht", problem->pmu.setup.ht);
	char name[16];

	if (any->watchdog >= 0) {
		pmcgrp_plan_counter(name, sizeof(name), (unsigned int)any->watchdog);
		json_object_set_new(json, "watchdog_counter", json_string(name));
	}
	if (answer->perf)
		json_object_set_new(json, "perf", one(answer->perf));
	if (answer->own)
		json_object_set_new(json, "pmcgrp", one(answer->own));
	json_object_set_new(json, "regrouped", passes(problem, &answer->passes));
	return json;
}
