// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* pmcgrp plan: what will become of events, before the run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args/cli.h"
#include "cases.h"
#include "plan/plan_model.h"
#include "plan_options.h"
#include "problem.h"
#include "show.h"
#include "verify.h"

static void print_model(void *arg, const char *name)
{
	(void)arg;
	puts(name);
}

static int list_models(void)
{
	struct failure failure = { 0 };

	if (!plan_model_each(print_model, NULL, &failure))
		return 0;
	cli_say("%s", failure.text);
	return EXIT_TOOL;
}

/* Whether an event is not counted at all, by whom the plan is asked for. */
static bool any_not_counted(const struct pmcgrp_plan *plan)
{
	unsigned int i;

	for (i = 0; plan && i < plan->nr; i++)
		if (plan->rows[i].status >= PMCGRP_PLAN_NOT_COUNTED)
			return true;
	return false;
}

static int solve(const struct plan_options *o, const struct plan_problem *problem)
{
	struct plan_answer answer;
	int ret;

	ret = plan_solve(&answer, problem, o);
	if (ret)
		return cli_say_errno("plan", -ret);
	ret = plan_show(o, problem, &answer);
	if (!ret)
		ret = any_not_counted(answer.perf) || any_not_counted(answer.own);
	plan_answer_free(&answer);
	return ret;
}

static int plan_events(const struct plan_options *options)
{
	struct plan_problem problem;
	int ret;

	ret = plan_problem_read(&problem, options);
	if (!ret)
		ret = options->verify ? plan_verify(options, &problem) : solve(options, &problem);
	plan_problem_free(&problem);
	return ret;
}

int plan_main(int argc, char **argv)
{
	struct plan_options options;
	int ret;

	cli_begin("plan");
	ret = plan_options_parse(&options, argc, argv);
	if (ret <= 0)
		ret = -ret;
	else if (options.list)
		ret = list_models();
	else if (options.case_file)
		ret = plan_cases(options.case_file);
	else
		ret = plan_events(&options);
	free(options.events);
	return ret;
}
