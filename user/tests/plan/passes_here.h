/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Groups of events that are made up, for tests of passes. */
#ifndef PASSES_HERE_H
#define PASSES_HERE_H

#include "plan/passes.h"

/* All general-purpose counters of Skylake. */
#define GP 0xf

/* A PMU and groups. */
struct set {
	struct pmcgrp_plan_pmu pmu;
	struct pmcgrp_plan_event watchdog;
	struct pmcgrp_plan_options options;
	struct pmcgrp_plan_event event[PMCGRP_PLAN_EVENTS_MAX + 1];
	const struct pmcgrp_plan_event *of_group[PMCGRP_PLAN_EVENTS_MAX + 1];
	struct pmcgrp_plan_group group[PMCGRP_PLAN_EVENTS_MAX + 1];
	unsigned int nr_events;
	unsigned int nr;
};

static uint64_t seed;

static inline unsigned int random_below(unsigned int max)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % max;
}

static inline bool planner_fits(void *arg, const unsigned int *group, unsigned int nr)
{
	struct pmcgrp_plan_group groups[PMCGRP_PLAN_EVENTS_MAX];
	const struct set *set = arg;
	struct pmcgrp_plan *plan;
	unsigned int i;
	bool fits;

	for (i = 0; i < nr; i++)
		groups[i] = set->group[group[i]];
	assert_int_equal(pmcgrp_plan(&plan, &set->pmu, groups, nr, &set->options), 0);
	fits = !plan->multiplexed;
	for (i = 0; i < plan->nr; i++)
		fits &= plan->rows[i].status == PMCGRP_PLAN_COUNTED;
	pmcgrp_plan_free(plan);
	return fits;
}

static inline void add_event(struct set *set, uint64_t mask, unsigned int extra, uint64_t config1,
			     unsigned int flags)
{
	static char name[PMCGRP_PLAN_EVENTS_MAX + 1][8];
	unsigned int nr = set->nr_events++;

	snprintf(name[nr], sizeof(name[nr]), "e%u", nr);
	set->event[nr] = (struct pmcgrp_plan_event){
		.name = name[nr], .code = nr + 1, .mask = mask, .extra = extra, .config1 = config1,
		.flags = flags,
	};
	set->of_group[nr] = &set->event[nr];
}

/* A group of the next @nr events. */
static inline struct pmcgrp_plan_group *add_group(struct set *set, unsigned int nr)
{
	unsigned int first = 0, i;
	struct pmcgrp_plan_group *group = &set->group[set->nr];

	for (i = 0; i < set->nr; i++)
		first += set->group[i].nr;
	*group = (struct pmcgrp_plan_group){ .events = &set->of_group[first], .nr = nr };
	set->nr++;
	return group;
}

static inline void skylake(struct set *set)
{
	memset(set, 0, sizeof(*set));
	set->pmu = (struct pmcgrp_plan_pmu){
		.nr_gp = 4, .nr_fixed = 3, .nr_extra = { 2, 1 },
		.extra_name = { "OFFCORE_RSP", "LDLAT" },
	};
}

static inline void watched(struct set *set)
{
	set->watchdog = (struct pmcgrp_plan_event){ .code = 0x3c, .mask = 0x20000000fULL };
	set->pmu.watchdog = &set->watchdog;
}

/* The passes are right, and no group is in none. */
static inline void passes_right(const struct set *set, const struct pmcgrp_plan_passes *passes,
				passes_fits_fn fits, void *arg)
{
	unsigned int group[PMCGRP_PLAN_EVENTS_MAX], pass, i, nr, all = 0;

	for (pass = 0; pass < passes->nr; pass++) {
		for (nr = 0, i = 0; i < set->nr; i++) {
			if (passes->pass[i] == pass)
				group[nr++] = i;
		}
		assert_int_not_equal(nr, 0);
		assert_true(fits(arg, group, nr));
		all += nr;
	}
	assert_int_equal(all, set->nr);
	assert_true(passes->least <= passes->nr);
	assert_true(passes->least <= 1 || passes->why[0]);
}

#endif
