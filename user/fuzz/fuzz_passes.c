// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Passes of groups: the input is a PMU, options, and groups of events. What comes out is held against
 * the planner, and, of few groups, against all divisions.
 */
#include "fuzz.h"
#include "plan/passes.h"

#define GROUPS_ALL 6
#define NODES 300

struct input {
	const uint8_t *at;
	size_t left;
};

static uint8_t next(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->at++;
}

/* General-purpose counters, fixed ones or both, or those of metrics. */
static uint64_t next_mask(struct input *in)
{
	uint8_t what = next(in);
	uint64_t mask = next(in);

	if (what & 1)
		mask |= (uint64_t)(what >> 4) << PMCGRP_PLAN_FIXED;
	if (what & 2)
		mask = 1ULL << (PMCGRP_PLAN_METRIC + (what >> 4) % 4);
	return mask;
}

static void next_event(struct input *in, struct pmcgrp_plan_event *event)
{
	uint8_t what = next(in);

	*event = (struct pmcgrp_plan_event){
		.name = "e",
		.mask = next_mask(in),
		.code = what & 15,
		.flags = what & 0x80 ? next(in) & 63 : 0,
		.extra = what & 0x40 ? next(in) % 3 : 0,
		.config1 = what & 0x20 ? next(in) % 8 : 0,
	};
	if (event->mask >> PMCGRP_PLAN_FIXED)
		event->flags &= ~PMCGRP_PLAN_OVERLAP;
}

struct case_ {
	struct pmcgrp_plan_pmu pmu;
	struct pmcgrp_plan_options options;
	struct pmcgrp_plan_group group[PMCGRP_PLAN_EVENTS_MAX];
	unsigned int nr;
};

static bool counts_all(const struct case_ *c, const struct pmcgrp_plan_group *groups, unsigned int nr,
		       uint64_t run_us)
{
	struct pmcgrp_plan_options options = c->options;
	struct pmcgrp_plan *plan;
	unsigned int i;
	bool all;

	options.run_us = run_us;
	must(!pmcgrp_plan(&plan, &c->pmu, groups, nr, &options));
	all = !plan->multiplexed;
	for (i = 0; i < plan->nr; i++)
		all &= plan->rows[i].status == PMCGRP_PLAN_COUNTED;
	pmcgrp_plan_free(plan);
	return all;
}

/* As pmcgrp_plan_passes() asks: turns of what has to wait are not gone through. */
static bool fits(void *arg, const unsigned int *group, unsigned int nr)
{
	struct pmcgrp_plan_group groups[PMCGRP_PLAN_EVENTS_MAX];
	const struct case_ *c = arg;
	unsigned int i;

	for (i = 0; i < nr; i++)
		groups[i] = c->group[group[i]];
	return counts_all(c, groups, nr, 1) && counts_all(c, groups, nr, 0);
}

static unsigned int fewest(struct case_ *c)
{
	unsigned int best[1 << GROUPS_ALL] = { 0 }, group[GROUPS_ALL], s, t, i, nr;
	bool right[1 << GROUPS_ALL] = { false };

	for (s = 1; s < 1U << c->nr; s++) {
		for (nr = 0, i = 0; i < c->nr; i++) {
			if (s & (1U << i))
				group[nr++] = i;
		}
		right[s] = fits(c, group, nr);
		best[s] = nr;
		for (t = s; t; t = (t - 1) & s) {
			if (right[t] && best[s & ~t] + 1 < best[s])
				best[s] = best[s & ~t] + 1;
		}
	}
	return best[(1U << c->nr) - 1];
}

static void check(struct case_ *c, const struct pmcgrp_plan_passes *passes)
{
	unsigned int group[PMCGRP_PLAN_EVENTS_MAX], pass, i, nr;

	must(memchr(passes->why, '\0', sizeof(passes->why)));
	if (passes->misfit < c->nr) {
		must(!passes->nr && !fits(c, &passes->misfit, 1));
		return;
	}
	must(passes->misfit == c->nr && passes->least <= passes->nr && passes->nr <= c->nr);
	must(passes->least < 2 || passes->why[0]);
	for (i = 0; i < c->nr; i++)
		must(passes->pass[i] < passes->nr);
	for (pass = 0; pass < passes->nr; pass++) {
		for (nr = 0, i = 0; i < c->nr; i++) {
			if (passes->pass[i] == pass)
				group[nr++] = i;
		}
		must(nr && fits(c, group, nr));
	}
	if (c->nr <= GROUPS_ALL) {
		nr = fewest(c);
		must(passes->least <= nr && nr <= passes->nr);
		must(passes->nr == passes->least);
	}
}

static void next_machine(struct input *in, struct case_ *c, struct pmcgrp_plan_event *watchdog)
{
	uint8_t what = next(in);

	c->pmu.style = what & 1 ? PMCGRP_PLAN_ARM : PMCGRP_PLAN_X86;
	c->options.who = what & 2 ? PMCGRP_PLAN_PMCGRP : PMCGRP_PLAN_PERF;
	c->pmu.nr_gp = next(in) % 9;
	c->pmu.nr_fixed = next(in) % 5;
	c->pmu.nr_extra[0] = next(in) % 4;
	c->pmu.nr_extra[1] = 1;
	c->pmu.extra_name[0] = "OFFCORE_RSP";
	if (what & 4)
		c->pmu.ht_limit = 1 + next(in) % 4;
	if (what & 8) {
		next_event(in, watchdog);
		c->pmu.watchdog = watchdog;
	}
	if (what & 16) {
		c->options.no_pmc3 = next(in) & 1;
		c->options.sibling_shared = next(in);
		c->options.sibling_exclusive = next(in);
	}
	if (what & 32)
		c->options.kernel = PMCGRP_PLAN_KERNEL(2 + next(in) % 5, next(in) % 20, 255);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pmcgrp_plan_event event[PMCGRP_PLAN_EVENTS_MAX], watchdog;
	static const struct pmcgrp_plan_event *of_group[PMCGRP_PLAN_EVENTS_MAX];
	struct passes_limits limits = { .nodes = NODES, .until_us = UINT64_MAX };
	struct input in = { .at = data, .left = size };
	struct pmcgrp_plan_passes passes;
	static struct case_ c;
	unsigned int nr = 0, i;
	uint8_t what;

	memset(&c, 0, sizeof(c));
	next_machine(&in, &c, &watchdog);
	while (in.left && nr < PMCGRP_PLAN_EVENTS_MAX - 4) {
		what = next(&in);
		c.group[c.nr] = (struct pmcgrp_plan_group){
			.events = &of_group[nr],
			.nr = 1 + (what & 3),
			.pinned = what & 4,
			.exclusive = what & 8,
			.weak = what & 16,
		};
		for (i = 0; i < c.group[c.nr].nr; i++, nr++) {
			next_event(&in, &event[nr]);
			of_group[nr] = &event[nr];
		}
		c.nr++;
	}
	if (c.nr <= GROUPS_ALL)
		limits.nodes = UINT64_MAX;
	must(!passes_find(&passes, &c.pmu, c.group, c.nr, &c.options, fits, &c, &limits));
	check(&c, &passes);
	free(passes.pass);
	return 0;
}
