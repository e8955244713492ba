/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What is to be planned, and the plan. */
#ifndef PLAN_PROBLEM_H
#define PLAN_PROBLEM_H

#include "plan/plan_model.h"
#include "plan_options.h"

/**
 * struct plan_problem - what is to be planned
 * @model: of the PMU
 * @pmu: the PMU
 * @groups: the groups
 * @options: what else decides, but for who counts
 */
struct plan_problem {
	struct plan_model *model;
	struct plan_pmu pmu;
	struct plan_groups groups;
	struct pmcgrp_plan_options options;
};

/* By the command line. Returns 0, or EXIT_TOOL after an error that was reported. */
int plan_problem_read(struct plan_problem *problem, const struct plan_options *o);

void plan_problem_free(struct plan_problem *problem);

/**
 * struct plan_answer - plans
 * @perf: of perf, or NULL
 * @own: of pmcgrp, or NULL
 * @passes: the fewest passes, of perf, or of pmcgrp if it is asked for alone
 */
struct plan_answer {
	struct pmcgrp_plan *perf;
	struct pmcgrp_plan *own;
	struct pmcgrp_plan_passes passes;
};

/* Returns 0 or a negative errno. */
int plan_solve(struct plan_answer *answer, const struct plan_problem *problem,
	       const struct plan_options *o);

void plan_answer_free(struct plan_answer *answer);

#endif
