// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Shares of pmcgrp's groups, beside those that guests have shown in runs of one second. */
#include "test.h"

#include <math.h>

#include "event/machine.h"
#include "plan/model.h"

#define RUN_US	1000000
#define POINTS	1.0	/* by which a share may differ */
#define NR_MAX	32

static struct failure failure;

/* What `pmcgrp plan --verify` has observed, of each event; -1: no share. Guests show tenths. */
static const struct seen {
	const char *about;
	const char *model;
	const char *events;
	double share[NR_MAX];
} seen[] = {
	/* x86_64-skl-6.12, x86_64-zen-6.12 */
	{
		.about = "the same code by another attr is another counter",
		.model = "Skylake",
		.events = "{cache-references,ref-cycles,branch-misses},{LLC-loads,context-switches}:D,{r4a3,rc5}:W",
		.share = { 49.9, 49.9, 49.9, 100, 100, 49.9, 49.9 },
	},
	{
		.about = "a group that fits not even alone backs off, and limits nobody",
		.model = "Skylake",
		.events = "{LLC-stores,r4a3},{bus-cycles,ref-cycles,bus-cycles}:D,cache-references,"
			  "{LLC-stores,r1d1,branch-misses,r1c0},cache-misses,"
			  "{branch-misses,branch-misses,L1-dcache-loads,context-switches,page-faults},"
			  "{LLC-loads,context-switches,ref-cycles},page-faults,bus-cycles",
		.share = { 42.6, 42.6, 100, 100, 100, 42.6, 0, 0, 0, 0, 42.9, 42.6, 42.6, 42.6,
			   42.6, 42.6, 42.6, 42.6, 42.6, 100, 99.1 },
	},
	{
		.about = "one whose events are counted for pinned ones but for one",
		.model = "Skylake",
		.events = "{rc5,cycles,r4a3}:D,{cache-misses,r1d1,r8d1,r8d1},{page-faults,r4a3,LLC-load-misses},"
			  "{r148,L1-dcache-loads}:D,{r4a3,branch-misses,page-faults,rca3},"
			  "{rc5,r1c0,cache-misses,r1d1,LLC-load-misses},ref-cycles,task-clock,bus-cycles",
		.share = { 100, 100, 100, 0, 0, 0, 0, 49.9, 49.9, 49.9, -1, -1, 0, 0, 0, 0, -1,
			   -1, -1, -1, -1, 99.6, 100, 49.9 },
	},
	{
		.about = "pairs of groups that go together in turn",
		.model = "Skylake",
		.events = "{L1-dcache-loads,instructions,task-clock},{page-faults,instructions},"
			  "{r1d1,branch-misses,rc5,r1c0},{r8d1,branch-misses,cache-references,instructions},cache-misses",
		.share = { 39.9, 39.9, 39.9, 99.2, 99.2, 39.9, 39.9, 39.9, 39.9, 39.8, 39.8,
			   39.8, 39.8, 39.9 },
	},
	{
		.about = "events that take two counters, and one that fits beside all others",
		.model = "Zen",
		.events = "{branch-misses,rff03},task-clock,{instructions,task-clock,branches,rff03,context-switches},"
			  "stalled-cycles-frontend,{context-switches,cycles,page-faults,cycles,context-switches},"
			  "{branches,context-switches},rca",
		.share = { 49.7, 49.7, 100, 49.7, 49.7, 49.7, 49.7, 49.7, 49.7, 49.7, 49.7, 49.7,
			   49.7, 49.7, 99, 99, 49.7 },
	},
};

static void check(const struct seen *s)
{
	const struct pmcgrp_plan_options options = { .who = PMCGRP_PLAN_PMCGRP, .run_us = RUN_US };
	struct plan_setup setup = { .ht = true, .watchdog = true };
	struct pmcgrp_events_error error = { 0 };
	struct plan_groups groups;
	struct plan_model *model;
	struct pmcgrp_plan *plan;
	struct plan_pmu pmu;
	unsigned int i;

	if (plan_model_open(&model, s->model, &failure))
		fail_msg("%s: %s", s->about, failure.text);
	plan_pmu_begin(&pmu, model, &setup);
	if (plan_groups_parse(&groups, &pmu, s->events, &error))
		fail_msg("%s: %s", s->about, error.text);
	assert_int_equal(pmcgrp_plan(&plan, &pmu.pmu, groups.groups, groups.nr, &options), 0);
	for (i = 0; i < plan->nr; i++) {
		double share = plan->rows[i].has_share ? plan->rows[i].share : -1;

		if (fabs(share - s->share[i]) > POINTS)
			fail_msg("%s: %s: %.1f, and a guest has shown %.1f", s->about,
				 plan->rows[i].event->name, share, s->share[i]);
	}
	pmcgrp_plan_free(plan);
	plan_groups_free(&groups);
	plan_model_close(model);
}

static void shares(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(seen); i++)
		check(&seen[i]);
}

static int begin_all(void **state)
{
	static const char *const nowhere[TRACEFS_FOLDERS] = { "/nonexistent", "/nonexistent" };
	const char *build = getenv("BUILD");
	char *folder;

	(void)state;
	event_machine_here = (struct event_machine){ .devices = "/nonexistent", .tracing = nowhere,
						     .tables = "/nonexistent" };
	if (!build || asprintf(&folder, "%s/share/pmcgrp", build) < 0)
		return -1;
	setenv("PMCGRP_SHARE", folder, 1);
	free(folder);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares),
	};

	return cmocka_run_group_tests_name("own", tests, begin_all, NULL);
}
