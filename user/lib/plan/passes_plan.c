// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* pmcgrp_plan_passes(): what the planner says of passes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "passes.h"

/*
 * struct planner - pmcgrp_plan() of some of the groups
 * @pmu, @groups, @options: as pmcgrp_plan_passes() has got them
 * @error: what it has returned, if that was an error
 */
struct planner {
	const struct pmcgrp_plan_pmu *pmu;
	const struct pmcgrp_plan_group *groups;
	const struct pmcgrp_plan_options *options;
	int error;
};

/* The first row that is not counted all the time, or NULL. */
static const struct pmcgrp_plan_row *first_uncounted(const struct pmcgrp_plan *plan)
{
	unsigned int i;

	for (i = 0; i < plan->nr; i++) {
		if (plan->rows[i].status != PMCGRP_PLAN_COUNTED)
			return &plan->rows[i];
	}
	return NULL;
}

/* *why: the reason if not all is counted; it may be NULL. */
static bool counts_all(struct planner *planner, const struct pmcgrp_plan_group *groups, unsigned int nr,
		       const struct pmcgrp_plan_options *options, char *why)
{
	const struct pmcgrp_plan_row *row;
	struct pmcgrp_plan *plan;
	int ret = pmcgrp_plan(&plan, planner->pmu, groups, nr, options);

	if (ret) {
		planner->error = ret;
		return false;
	}
	row = first_uncounted(plan);
	if (row && why)
		snprintf(why, PMCGRP_PLAN_REASON, "%s", row->reason);
	pmcgrp_plan_free(plan);
	return !row;
}

/*
 * First in one interval: what has to wait is not in it, and how the turns go on is no matter. After
 * an error everything is refused, which ends the search.
 */
static bool fits(void *arg, const unsigned int *group, unsigned int nr)
{
	struct pmcgrp_plan_group groups[PMCGRP_PLAN_EVENTS_MAX];
	struct pmcgrp_plan_options once = { 0 };
	struct planner *planner = arg;
	unsigned int i;

	if (planner->error)
		return false;
	for (i = 0; i < nr; i++)
		groups[i] = planner->groups[group[i]];
	if (planner->options)
		once = *planner->options;
	once.run_us = 1;
	return counts_all(planner, groups, nr, &once, NULL) &&
	       counts_all(planner, groups, nr, planner->options, NULL);
}

int pmcgrp_plan_passes(struct pmcgrp_plan_passes *passes, const struct pmcgrp_plan_pmu *pmu,
		       const struct pmcgrp_plan_group *groups, unsigned int nr,
		       const struct pmcgrp_plan_options *options, uint64_t limit_us)
{
	struct planner planner = { .pmu = pmu, .groups = groups, .options = options };
	uint64_t now = passes_now();
	struct passes_limits limits = {
		.nodes = UINT64_MAX,
		.until_us = limit_us < UINT64_MAX - now ? now + limit_us : UINT64_MAX,
	};
	int ret = passes_find(passes, pmu, groups, nr, options, fits, &planner, &limits);

	if (!ret && planner.error)
		ret = planner.error;
	if (!ret && passes->misfit < nr)
		counts_all(&planner, &groups[passes->misfit], 1, options, passes->why);
	if (ret) {
		free(passes->pass);
		passes->pass = NULL;
	}
	return ret;
}
