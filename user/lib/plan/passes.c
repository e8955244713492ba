// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Groups in as few passes as there can be.  First fit, the hardest first, is often as good as a bound
 * says; else each number of passes between the two is searched for.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "passes.h"

/*
 * struct finder - what passes_find() works with
 * @p: the groups
 * @oracle: the planner
 * @limits: when it gives up
 * @pass: of each group that is searched, of the best that was found
 * @best: how many passes these are
 * @least: and are needed at least
 * @why: why, or ""
 */
struct finder {
	struct passes_problem *p;
	struct passes_oracle *oracle;
	struct passes_limits *limits;
	unsigned int pass[PMCGRP_PLAN_EVENTS_MAX];
	unsigned int best;
	unsigned int least;
	char why[PMCGRP_PLAN_REASON];
};

/* A pass that is being filled. */
struct open_pass {
	struct passes_room room;
	uint64_t groups[PASSES_WORDS];
};

static void put(uint64_t groups[PASSES_WORDS], unsigned int group)
{
	groups[group / 64] |= 1ULL << group % 64;
}

static bool ask_with(struct finder *f, const uint64_t *groups, unsigned int group)
{
	uint64_t more[PASSES_WORDS];

	memcpy(more, groups, sizeof(more));
	put(more, group);
	return passes_ask(f->oracle, more);
}

/* The first pass where a group fits, or one that is new. */
static unsigned int first_fit(struct finder *f, struct open_pass *open, unsigned int nr,
			      const struct passes_kind *kind, unsigned int group)
{
	struct passes_room room;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		room = open[i].room;
		if (passes_room_add(f->p, &room, kind) && ask_with(f, open[i].groups, group))
			break;
	}
	if (i == nr) {
		memset(&open[i], 0, sizeof(open[i]));
		passes_room_empty(f->p, &room);
		passes_room_add(f->p, &room, kind);
	}
	open[i].room = room;
	put(open[i].groups, group);
	return i;
}

static int fit_all(struct finder *f)
{
	struct passes_problem *p = f->p;
	struct open_pass *open = malloc((p->nr + 1) * sizeof(*open));
	unsigned int i, k, pass, group;

	if (!open)
		return -ENOMEM;
	for (i = 0; i < p->nr_kinds; i++) {
		for (k = 0; k < p->kind[i].nr; k++) {
			group = p->member[p->kind[i].member + k];
			pass = first_fit(f, open, f->best, &p->kind[i], group);
			f->pass[group] = pass;
			if (pass == f->best)
				f->best++;
		}
	}
	free(open);
	return 0;
}

/* Search with a part of what is left of the limits. */
static enum passes_found search(struct finder *f, unsigned int nr, struct passes_oracle *oracle,
				bool any_order, unsigned int part, unsigned int *pass)
{
	uint64_t now = passes_now(), left = f->limits->until_us > now ? f->limits->until_us - now : 0;
	struct passes_limits limits = {
		.nodes = f->limits->nodes / part,
		.until_us = now + left / part,
	};
	uint64_t nodes = limits.nodes;
	enum passes_found found = passes_search(f->p, nr, oracle, any_order, &limits, pass);

	f->limits->nodes -= nodes - limits.nodes;
	return found;
}

static bool all_accepted(struct finder *f, const unsigned int *pass, unsigned int nr)
{
	uint64_t groups[PASSES_WORDS];
	unsigned int i, k;
	bool any;

	for (k = 0; k < nr; k++) {
		memset(groups, 0, sizeof(groups));
		any = false;
		for (i = 0; i < f->p->nr; i++) {
			if (passes_needs(&f->p->groups[i]) && pass[i] == k) {
				put(groups, i);
				any = true;
			}
		}
		if (any && !passes_ask(f->oracle, groups))
			return false;
	}
	return true;
}

static void refuted(struct finder *f, unsigned int nr, const char *whom)
{
	f->least = nr + 1;
	snprintf(f->why, sizeof(f->why), "all ways to divide them into %u passes were tried, and %s", nr,
		 whom);
}

static void use(struct finder *f, const unsigned int *pass, unsigned int nr)
{
	memcpy(f->pass, pass, f->p->nr * sizeof(*pass));
	f->best = nr;
}

/*
 * There is room in @nr passes, but not as the planner assigns counters: look for a way that it
 * accepts.  Of groups that are alike the first is taken, which loses few ways.  None is lost if
 * their order is no matter, or if only neighbours are taken for alike.
 */
static enum passes_found search_accepted(struct finder *f, unsigned int nr, unsigned int *pass)
{
	unsigned int in_any_order[PMCGRP_PLAN_EVENTS_MAX];
	enum passes_found found = search(f, nr, f->oracle, false, 3, pass);

	if (found == PASSES_FOUND || found == PASSES_NO_MEMORY)
		return found;
	found = search(f, nr, f->oracle, true, 3, in_any_order);
	if (found == PASSES_NONE || found == PASSES_NO_MEMORY)
		return found;
	passes_kinds(f->p, true);
	passes_cuts(f->p);
	found = search(f, nr, f->oracle, false, 2, pass);
	passes_kinds(f->p, false);
	passes_cuts(f->p);
	return found;
}

static int search_all(struct finder *f)
{
	unsigned int pass[PMCGRP_PLAN_EVENTS_MAX], nr;
	enum passes_found found;

	for (nr = f->least; nr < f->best; nr++) {
		found = search(f, nr, NULL, false, 2, pass);
		if (found == PASSES_NONE) {
			refuted(f, nr, "none has room for all events");
			continue;
		}
		if (found == PASSES_FOUND && !all_accepted(f, pass, nr)) {
			found = search_accepted(f, nr, pass);
			if (found == PASSES_NONE)
				refuted(f, nr, "the kernel leaves events without a counter in each");
		}
		if (found == PASSES_NO_MEMORY)
			return -ENOMEM;
		if (found == PASSES_FOUND)
			use(f, pass, nr);
	}
	return 0;
}

/* Software events fit anywhere, or else in a pass of their own. */
static void place_others(struct finder *f, struct pmcgrp_plan_passes *passes)
{
	uint64_t groups[PASSES_WORDS];
	unsigned int i, k, pass;

	for (i = 0; i < f->p->nr; i++)
		passes->pass[i] = passes_needs(&f->p->groups[i]) ? f->pass[i] : f->p->nr;
	for (i = 0; i < f->p->nr; i++) {
		if (passes_needs(&f->p->groups[i]))
			continue;
		for (pass = 0; pass < passes->nr; pass++) {
			memset(groups, 0, sizeof(groups));
			for (k = 0; k < f->p->nr; k++) {
				if (passes->pass[k] == pass)
					put(groups, k);
			}
			if (ask_with(f, groups, i))
				break;
		}
		passes->pass[i] = pass;
		if (pass == passes->nr)
			passes->nr++;
	}
}

static int find(struct finder *f, struct pmcgrp_plan_passes *passes)
{
	uint64_t nothing[PASSES_WORDS] = { 0 };
	unsigned int i;
	int ret;

	for (i = 0; i < f->p->nr; i++) {
		if (!ask_with(f, nothing, i)) {
			passes->misfit = i;
			return 0;
		}
	}
	passes_kinds(f->p, false);
	passes_cuts(f->p);
	f->least = passes_bound_why(f->p, f->why);
	ret = fit_all(f);
	if (!ret)
		ret = search_all(f);
	if (ret)
		return ret;
	passes->nr = f->best;
	passes->least = f->least || !f->p->nr ? f->least : 1;
	memcpy(passes->why, f->why, sizeof(passes->why));
	place_others(f, passes);
	return 0;
}

int passes_find(struct pmcgrp_plan_passes *passes, const struct pmcgrp_plan_pmu *pmu,
		const struct pmcgrp_plan_group *groups, unsigned int nr,
		const struct pmcgrp_plan_options *options, passes_fits_fn fits, void *arg,
		struct passes_limits *limits)
{
	struct finder *f;
	int ret;

	memset(passes, 0, sizeof(*passes));
	passes->misfit = nr;
	f = calloc(1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	f->limits = limits;
	ret = passes_problem_new(&f->p, pmu, groups, nr, options);
	if (!ret) {
		f->oracle = passes_oracle_new(f->p, fits, arg);
		passes->pass = calloc(nr + 1, sizeof(*passes->pass));
		ret = f->oracle && passes->pass ? find(f, passes) : -ENOMEM;
	}
	free(f->oracle);
	free(f->p);
	free(f);
	if (ret) {
		free(passes->pass);
		passes->pass = NULL;
	}
	return ret;
}
