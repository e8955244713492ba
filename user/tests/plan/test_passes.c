// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * The fewest passes, held against all divisions of random groups; by planners that are made up, and
 * by pmcgrp_plan().
 */
#include "test.h"

#include "plan/passes_here.h"

#define EVENTS 10

/* What a planner that is made up knows. */
struct made_up {
	const struct set *set;
	enum {
		MATCHING,
		FIRST_FREE,
		MOODY,
	} how;
};

/* An assignment of counters to events from @at on, by trying all. */
static bool assign(const struct pmcgrp_plan_event *const *event, unsigned int nr, unsigned int at,
		   uint64_t used)
{
	uint64_t mask, both;
	unsigned int bit;

	if (at == nr)
		return true;
	for (mask = event[at]->mask & ~used; mask; mask &= mask - 1) {
		bit = __builtin_ctzll(mask);
		both = 1ULL << bit;
		if (event[at]->flags & PMCGRP_PLAN_PAIR)
			both |= both << 1;
		if (!(used & both) && assign(event, nr, at + 1, used | both))
			return true;
	}
	return false;
}

static bool assign_first(const struct pmcgrp_plan_event *const *event, unsigned int nr)
{
	uint64_t used = 0, both;
	unsigned int i, bit;

	for (i = 0; i < nr; i++) {
		if (!(event[i]->mask & ~used))
			return false;
		bit = __builtin_ctzll(event[i]->mask & ~used);
		both = 1ULL << bit;
		if (event[i]->flags & PMCGRP_PLAN_PAIR)
			both |= both << 1;
		if (used & both)
			return false;
		used |= both;
	}
	return true;
}

static bool registers_suffice(const struct set *set, const struct pmcgrp_plan_event *const *event,
			      unsigned int nr)
{
	unsigned int i, k, values[PMCGRP_PLAN_EXTRA_MAX] = { 0 };

	for (i = 0; i < nr; i++) {
		if (!event[i]->extra)
			continue;
		for (k = 0; k < i; k++) {
			if (event[k]->extra == event[i]->extra && event[k]->config1 == event[i]->config1)
				break;
		}
		if (k == i && ++values[event[i]->extra - 1] > set->pmu.nr_extra[event[i]->extra - 1])
			return false;
	}
	return true;
}

/* A mood that only what groups are like decides about, and their order. */
static bool in_the_mood(const struct set *set, const unsigned int *group, unsigned int nr)
{
	uint64_t hash = 1;
	unsigned int i, k, counted = 0;

	for (i = 0; i < nr; i++) {
		if (!passes_needs(&set->group[group[i]]))
			continue;
		counted++;
		hash = (hash + set->group[group[i]].nr) * 6364136223846793005ULL;
		for (k = 0; k < set->group[group[i]].nr; k++)
			hash = (hash ^ set->group[group[i]].events[k]->mask) * 0x9e3779b97f4a7c15ULL;
	}
	return counted <= 1 || hash >> 62;
}

static bool made_up_fits(void *arg, const unsigned int *group, unsigned int nr)
{
	const struct pmcgrp_plan_event *event[PMCGRP_PLAN_EVENTS_MAX];
	const struct made_up *made_up = arg;
	const struct set *set = made_up->set;
	unsigned int i, k, events = 0;

	if (set->pmu.watchdog)
		event[events++] = set->pmu.watchdog;
	for (i = 0; i < nr; i++) {
		for (k = 0; k < set->group[group[i]].nr; k++) {
			if (!(set->group[group[i]].events[k]->flags & PMCGRP_PLAN_SOFTWARE))
				event[events++] = set->group[group[i]].events[k];
		}
	}
	if (!registers_suffice(set, event, events))
		return false;
	if (made_up->how == FIRST_FREE)
		return assign_first(event, events);
	return assign(event, events, 0, 0) &&
	       (made_up->how == MATCHING || in_the_mood(set, group, nr));
}

/* Of all divisions the one with the fewest passes; 0: a group does not even fit alone. */
static unsigned int fewest(const struct set *set, passes_fits_fn fits, void *arg)
{
	static unsigned int best[1 << EVENTS];
	static bool right[1 << EVENTS];
	unsigned int group[EVENTS], s, t, i, nr, low;

	for (s = 1; s < 1U << set->nr; s++) {
		for (nr = 0, i = 0; i < set->nr; i++) {
			if (s & (1U << i))
				group[nr++] = i;
		}
		right[s] = fits(arg, group, nr);
		if (nr == 1 && !right[s])
			return 0;
		low = s & -s;
		best[s] = nr;
		for (t = s; t; t = (t - 1) & s) {
			if (t & low && right[t] && best[s & ~t] + 1 < best[s])
				best[s] = best[s & ~t] + 1;
		}
	}
	return best[(1U << set->nr) - 1];
}

/* @mixed: also with what only the planner knows of. */
static void random_set(struct set *set, bool mixed)
{
	static const uint64_t laminar[] = { 0xf, 0xf, 0x4, 0x3, 0x1, 0x10000000fULL, 0x20000000fULL };
	static const uint64_t any[] = { 0x3, 0x6, 0xc, 0x9, 0x5, 0x7, 0xe, 0x100000008ULL };
	bool crossing = random_below(2), registers = random_below(2), pairs = !random_below(4);
	unsigned int i, nr, flags, kinds = 1 + random_below(EVENTS), extra, total = 1 + random_below(EVENTS);

	skylake(set);
	if (!random_below(4))
		watched(set);
	if (mixed) {
		set->pmu.style = random_below(4) ? PMCGRP_PLAN_X86 : PMCGRP_PLAN_ARM;
		set->pmu.ht_limit = random_below(2) ? 2 : 0;
		set->options.who = random_below(2) ? PMCGRP_PLAN_PERF : PMCGRP_PLAN_PMCGRP;
		set->options.no_pmc3 = !random_below(8);
		set->options.sibling_exclusive = random_below(8) ? 0 : 1 << random_below(4);
		set->options.sibling_shared = random_below(8) ? 0 : 1 << random_below(4);
	}
	for (i = 0; i < total; i++) {
		flags = !random_below(10) ? PMCGRP_PLAN_SOFTWARE : 0;
		flags |= pairs && !random_below(3) ? PMCGRP_PLAN_PAIR : 0;
		flags |= mixed && !random_below(4) ? PMCGRP_PLAN_EXCLUSIVE : 0;
		extra = registers ? random_below(3) : 0;
		if (i && random_below(EVENTS) >= kinds) {
			nr = random_below(i);
			set->event[i] = set->event[nr];
			set->of_group[i] = &set->event[i];
			set->event[i].code = mixed && random_below(2) ? set->event[nr].code : i + 1;
			set->nr_events++;
		} else if (crossing) {
			add_event(set, any[random_below(ARRAY_SIZE(any))], extra, random_below(4), flags);
		} else {
			add_event(set, laminar[random_below(ARRAY_SIZE(laminar))], extra, random_below(4),
				  flags);
		}
		if (pairs)
			set->event[i].mask &= GP;
	}
	for (i = 0; i < set->nr_events; i += nr) {
		nr = random_below(3) ? 1 : 1 + random_below(3);
		if (nr > set->nr_events - i)
			nr = set->nr_events - i;
		add_group(set, nr);
		if (mixed) {
			set->group[set->nr - 1].exclusive = !random_below(8);
			set->group[set->nr - 1].pinned = !random_below(8);
			set->group[set->nr - 1].weak = !random_below(8);
		}
	}
}

static struct passes_limits no_limits(void)
{
	return (struct passes_limits){ .nodes = UINT64_MAX, .until_us = UINT64_MAX };
}

static void against_all(const struct set *set, passes_fits_fn fits, void *arg, unsigned int row)
{
	struct passes_limits limits = no_limits();
	struct pmcgrp_plan_passes passes;
	unsigned int best;
	int ret;

	ret = passes_find(&passes, &set->pmu, set->group, set->nr, &set->options, fits, arg, &limits);
	assert_int_equal(ret, 0);
	best = fewest(set, fits, arg);
	if (!best) {
		assert_row(row, !passes.nr && passes.misfit < set->nr);
		assert_row(row, !fits(arg, &passes.misfit, 1));
	} else {
		passes_right(set, &passes, fits, arg);
		if (passes.nr != best || passes.least != best)
			fail_msg("instance %u: %u passes, at least %u: %s; there are %u", row, passes.nr,
				 passes.least, passes.why, best);
	}
	free(passes.pass);
}

static void by_matching(void **state)
{
	struct set set;
	struct made_up made_up = { .set = &set, .how = MATCHING };
	unsigned int i;

	(void)state;
	for (seed = 1, i = 0; i < 4000; i++) {
		random_set(&set, false);
		against_all(&set, made_up_fits, &made_up, i);
	}
}

/* Planners that refuse what others would not, and more or less than that. */
static void by_greedy(void **state)
{
	struct set set;
	struct made_up made_up = { .set = &set };
	unsigned int i;

	(void)state;
	for (seed = 2, i = 0; i < 4000; i++) {
		random_set(&set, false);
		made_up.how = i % 2 ? FIRST_FREE : MOODY;
		against_all(&set, made_up_fits, &made_up, i);
	}
}

static void by_planner(void **state)
{
	struct set set;
	unsigned int i;

	(void)state;
	for (seed = 3, i = 0; i < 400; i++) {
		random_set(&set, true);
		against_all(&set, planner_fits, &set, i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_matching),
		cmocka_unit_test(by_greedy),
		cmocka_unit_test(by_planner),
	};

	return cmocka_run_group_tests_name("passes", tests, NULL, NULL);
}
