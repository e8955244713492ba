// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Cases of plan: JSON, and what becomes of their groups. */
#include <errno.h>

#include "fuzz.h"
#include "plan/case.h"
#include "plan/field.h"

static void check(const struct plan_case *c, const struct pmcgrp_plan *plan)
{
	unsigned int i, rows = 0;

	for (i = 0; i < c->nr_groups; i++)
		rows += c->groups[i].nr;
	must(plan->nr == rows);
	must(plan->nr_slices <= PMCGRP_PLAN_SLICES);
	for (i = 0; i < plan->nr; i++) {
		const struct pmcgrp_plan_row *row = &plan->rows[i];

		must(row->group < c->nr_groups);
		must(row->on <= row->of);
		must(row->share >= 0 && row->share <= 100.0001);
		must(row->status != PMCGRP_PLAN_COUNTED || (row->has_share && row->on == row->of));
		must(row->status == PMCGRP_PLAN_COUNTED || row->reason[0]);
		must(memchr(row->reason, '\0', sizeof(row->reason)));
	}
}

/* Both plans, and their form in JSON. */
static void solve(struct plan_case *c)
{
	static const enum pmcgrp_plan_who who[] = { PMCGRP_PLAN_PERF, PMCGRP_PLAN_PMCGRP };
	struct pmcgrp_plan *plan;
	unsigned int i;
	int err;

	for (i = 0; i < 2; i++) {
		c->options.who = who[i];
		err = pmcgrp_plan(&plan, &c->pmu, c->groups, c->nr_groups, &c->options);
		must(!err || err == -EINVAL || err == -E2BIG);
		if (err)
			continue;
		check(c, plan);
		json_decref(plan_case_result(c, plan));
		pmcgrp_plan_free(plan);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *json = json_loadb((const char *)data, size, 0, NULL);
	char error[FIELD_ERROR];
	struct plan_case c;

	if (!json)
		return 0;
	if (!plan_case_read(&c, json, error))
		solve(&c);
	else
		must(error[0]);
	plan_case_free(&c);
	json_decref(json);
	return 0;
}
