// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "args/cli.h"
#include "core_pmu.h"
#include "plan/machine.h"
#include "problem.h"
#include "verify.h"

static int read_model(struct plan_problem *problem, const struct plan_options *o)
{
	struct failure failure = { 0 };
	int ret;

	if (o->model)
		ret = plan_model_open(&problem->model, o->model, &failure);
	else
		ret = plan_model_here(&problem->model, &failure);
	if (!ret)
		return 0;
	cli_say("%s", failure.text);
	return EXIT_TOOL;
}

static int read_kernel(unsigned int *kernel, const char *text)
{
	const char *end = plan_kernel_parse(text, kernel);

	if (end && !*end)
		return 0;
	cli_say("--kernel: '%s' is no version, as 6.12 or 4.7-rc7", text);
	return EXIT_TOOL;
}

/* A model has hyper-threading and the watchdog, as machines come; this machine is as it is. */
static int read_setup(struct plan_setup *setup, const struct plan_options *o)
{
	*setup = (struct plan_setup){ .ht = true, .watchdog = true };
	if (!o->model)
		plan_setup_here(setup, "");
	if (o->ht)
		setup->ht = o->ht > 0;
	if (o->watchdog)
		setup->watchdog = o->watchdog > 0;
	if (o->no_tfa)
		setup->no_pmc3 = true;
	return o->kernel ? read_kernel(&setup->kernel, o->kernel) : 0;
}

/* All -e in one text; for free(), or NULL. */
static char *join(const struct plan_options *o)
{
	size_t size = 1;
	unsigned int i;
	char *text;

	for (i = 0; i < o->nr_events; i++)
		size += strlen(o->events[i]) + 1;
	text = calloc(1, size);
	for (i = 0; text && i < o->nr_events; i++) {
		if (i)
			strcat(text, ",");
		strcat(text, o->events[i]);
	}
	return text;
}

static int read_groups(struct plan_problem *problem, const struct plan_options *o)
{
	struct pmcgrp_events_error error;
	char *text = join(o);
	int ret;

	ret = text ? plan_groups_parse(&problem->groups, &problem->pmu, text, &error) : -ENOMEM;
	if (ret == -EINVAL) {
		cli_say("%s", error.text);
		cli_point(text, error.column);
	} else if (ret) {
		cli_say_errno("-e", -ret);
	}
	free(text);
	return ret ? EXIT_TOOL : 0;
}

/* The model is that of the processor, which a virtual machine may have without its PMU. */
static void say_no_pmu(const struct plan_problem *problem)
{
	struct core_pmu pmus[CORE_PMUS_MAX];
	const char *name = plan_model_name(problem->model);
	unsigned int i, nr = pmcgrp_events_nr(problem->groups.list);

	for (i = 0; i < nr && !(problem->groups.events[i].flags & PMCGRP_PLAN_UNSUPPORTED); i++)
		;
	if (i < nr && !core_pmus_find(pmus, ""))
		cli_say("this machine has no PMU of the cores, though its processor is a %s: "
			"\"--model %s\" says what one with it counts", name, name);
}

int plan_problem_read(struct plan_problem *problem, const struct plan_options *o)
{
	struct plan_setup setup;
	int ret;

	*problem = (struct plan_problem){ .model = NULL };
	ret = read_model(problem, o);
	if (!ret)
		ret = read_setup(&setup, o);
	if (ret)
		return ret;
	if (!o->model)
		setup.counters = plan_machine_counters();
	plan_pmu_begin(&problem->pmu, problem->model, &setup);
	/* Few of Arm's machines have one that counts. */
	if (o->model && !o->watchdog && problem->pmu.pmu.style == PMCGRP_PLAN_ARM) {
		setup.watchdog = false;
		plan_pmu_begin(&problem->pmu, problem->model, &setup);
	}
	problem->options = (struct pmcgrp_plan_options){
		.kernel = setup.kernel,
		.run_us = (uint64_t)(o->verify ? PLAN_VERIFY_MS : o->duration) * 1000,
		.mux_us = (uint64_t)o->mux_interval * 1000, .no_pmc3 = problem->pmu.no_pmc3
	};
	ret = read_groups(problem, o);
	if (!ret && !o->model) {
		plan_machine_probe(&problem->groups, problem->groups.list);
		say_no_pmu(problem);
	}
	return ret;
}

void plan_problem_free(struct plan_problem *problem)
{
	plan_groups_free(&problem->groups);
	plan_model_close(problem->model);
}

static int plan_of(struct pmcgrp_plan **plan, const struct plan_problem *problem,
		   enum pmcgrp_plan_who who)
{
	struct pmcgrp_plan_options options = problem->options;

	options.who = who;
	return pmcgrp_plan(plan, &problem->pmu.pmu, problem->groups.groups, problem->groups.nr, &options);
}

int plan_solve(struct plan_answer *answer, const struct plan_problem *problem,
	       const struct plan_options *o)
{
	struct pmcgrp_plan_options options = problem->options;
	int ret = 0;

	*answer = (struct plan_answer){ .perf = NULL };
	if (!o->pmcgrp)
		ret = plan_of(&answer->perf, problem, PMCGRP_PLAN_PERF);
	if (!ret && !o->perf)
		ret = plan_of(&answer->own, problem, PMCGRP_PLAN_PMCGRP);
	options.who = o->pmcgrp ? PMCGRP_PLAN_PMCGRP : PMCGRP_PLAN_PERF;
	options.run_us = 0;
	if (!ret)
		ret = pmcgrp_plan_passes(&answer->passes, &problem->pmu.pmu, problem->groups.groups,
					 problem->groups.nr, &options, PLAN_SEARCH_US);
	if (ret)
		plan_answer_free(answer);
	return ret;
}

void plan_answer_free(struct plan_answer *answer)
{
	pmcgrp_plan_free(answer->perf);
	pmcgrp_plan_free(answer->own);
	free(answer->passes.pass);
}
