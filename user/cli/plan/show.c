// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Plans, for people and for programs. */
#include <errno.h>
#include <string.h>

#include "args/cli.h"
#include "json.h"
#include "show.h"
#include "table.h"

#define MUX_US 4000

static uint64_t mux_of(const struct plan_problem *problem)
{
	return problem->options.mux_us ? problem->options.mux_us : MUX_US;
}

/* "Skylake: 4 general-purpose counters, 3 fixed; hyper-threading; NMI watchdog on FIXED1" */
static void describe(char *text, size_t size, const struct plan_problem *problem, int watchdog)
{
	const struct plan_setup *setup = &problem->pmu.setup;
	const struct pmcgrp_plan_pmu *pmu = &problem->pmu.pmu;
	char counter[16] = "", fixed[32] = "";

	if (watchdog >= 0)
		pmcgrp_plan_counter(counter, sizeof(counter), (unsigned int)watchdog);
	if (pmu->nr_fixed)
		snprintf(fixed, sizeof(fixed), ", %u fixed", pmu->nr_fixed);
	snprintf(text, size, "%s: %u general-purpose counters%s%s; %s%s",
		 plan_model_name(problem->model), pmu->nr_gp, fixed,
		 pmu->style == PMCGRP_PLAN_ARM ? "" : setup->ht ? "; hyper-threading" :
								  "; no hyper-threading",
		 watchdog < 0 ? "no NMI watchdog" : "NMI watchdog on ", counter);
}

static void print_plan(const struct plan_options *o, const struct plan_problem *problem,
		       const struct pmcgrp_plan *plan, const char *who)
{
	printf("\n%s:\n\n", who);
	plan_table(stdout, plan, problem->groups.groups);
	if (o->picture)
		plan_picture(stdout, plan, &problem->pmu.pmu, mux_of(problem));
}

static void print_group(const struct pmcgrp_plan_group *group)
{
	unsigned int i;

	for (i = 0; i < group->nr; i++)
		printf("%s%s", i ? "," : group->nr > 1 ? "{" : "", group->events[i]->name);
	if (group->nr > 1)
		putchar('}');
}

static void print_passes(const struct plan_problem *problem, const struct pmcgrp_plan_passes *passes)
{
	const char *between;
	unsigned int i, k;

	if (!passes->nr) {
		printf("\nNo number of passes is enough: ");
		print_group(&problem->groups.groups[passes->misfit]);
		printf(" does not fit even alone.\n");
		return;
	}
	if (passes->nr == 1) {
		printf("\nAll are counted all the time, in one pass.\n");
		return;
	}
	printf("\n%u passes, in none of which anything is multiplexed; ", passes->nr);
	if (passes->least == passes->nr)
		printf("fewer are not enough:\n%s.\n", passes->why);
	else
		printf("at least %u are needed:\n%s.\n", passes->least, passes->why);
	putchar('\n');
	for (i = 0; i < passes->nr; i++) {
		printf("  %2u  -e '", i + 1);
		for (k = 0, between = ""; k < problem->groups.nr; k++) {
			if (passes->pass[k] != i)
				continue;
			fputs(between, stdout);
			print_group(&problem->groups.groups[k]);
			between = ",";
		}
		puts("'");
	}
	puts("\n\"pmcgrp stat --passes\" runs a command once for each.");
}

static int write_svg(const struct plan_options *o, const struct plan_problem *problem,
		     const struct pmcgrp_plan *plan)
{
	char title[256];
	FILE *file;
	int err;

	describe(title, sizeof(title), problem, plan->watchdog);
	file = fopen(o->svg, "we");
	if (!file)
		return cli_say_errno(o->svg, errno);
	plan_svg(file, title, plan, &problem->pmu.pmu, mux_of(problem));
	err = ferror(file);
	if (fclose(file) || err)
		return cli_say_errno(o->svg, errno);
	return 0;
}

static int show_json(const struct plan_problem *problem, const struct plan_answer *answer)
{
	json_t *json = plan_json(problem, answer);
	int ret = json ? json_dumpf(json, stdout, JSON_INDENT(1)) : -1;

	putchar('\n');
	json_decref(json);
	return ret;
}

static void show_text(const struct plan_options *o, const struct plan_problem *problem,
		      const struct plan_answer *answer)
{
	const struct pmcgrp_plan *any = answer->perf ? answer->perf : answer->own;
	char text[256];

	describe(text, sizeof(text), problem, any->watchdog);
	printf("%s\n", text);
	if (plan_model_is_plain(problem->model))
		printf("No model that is installed is of this CPU: which counters an event may be on "
		       "is not known.\n");
	if (answer->perf)
		print_plan(o, problem, answer->perf, "perf stat");
	if (answer->own)
		print_plan(o, problem, answer->own, "pmcgrp");
	print_passes(problem, &answer->passes);
}

int plan_show(const struct plan_options *o, const struct plan_problem *problem,
	      const struct plan_answer *answer)
{
	int ret = 0;

	if (o->json)
		ret = show_json(problem, answer);
	else
		show_text(o, problem, answer);
	if (fflush(stdout) || ferror(stdout) || ret) {
		cli_say("cannot write the plan: %s", strerror(errno));
		return EXIT_TOOL;
	}
	return o->svg ? write_svg(o, problem, answer->perf ? answer->perf : answer->own) : 0;
}
