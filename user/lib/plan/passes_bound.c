// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * How many passes there must be at least: by sums that no pass exceeds.
 *
 * For a set of counters those events are added up that can be on no others (Hall's condition); each
 * union of events' masks is looked at.  As groups stay whole, it is a bound for bin packing: of those
 * that take more than half of a pass there is one in each, and smaller ones fill what these leave
 * (Martello and Toth's L2).  Values of extra registers are counted, not added: groups can share them.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "passes.h"

static bool has_ht_limit(const struct passes_problem *p)
{
	return p->pmu->ht_limit && p->pmu->style == PMCGRP_PLAN_X86;
}

static unsigned int divide_up(unsigned int a, unsigned int b)
{
	return (a + b - 1) / b;
}

/* Add a sum, unless all of it can be in one pass, or there is no room for anything. */
static void add_cut(struct passes_problem *p, const struct passes_cut *cut)
{
	unsigned int i, total = 0;

	for (i = 0; i < p->nr_kinds; i++)
		total += cut->size[i] * p->kind[i].nr;
	if (cut->room && total > cut->room && p->nr_cuts < PASSES_CUTS)
		p->cut[p->nr_cuts++] = *cut;
}

/* As ht_cut(), of which others can be on counters that are not general-purpose ones. */
static unsigned int limited_room(const struct passes_problem *p, uint64_t set, unsigned int room,
				 bool watchdog)
{
	unsigned int others = __builtin_popcountll(set >> PMCGRP_PLAN_FIXED);
	unsigned int limited = p->pmu->ht_limit + others - watchdog;

	return has_ht_limit(p) && limited < room ? limited : room;
}

static void counters_cut(struct passes_problem *p, uint64_t set)
{
	struct passes_cut cut = { .what = PASSES_COUNTERS, .set = set };
	const struct passes_need *need, *end;
	unsigned int i;

	cut.watchdog = p->watched && !(p->watchdog.mask & ~set);
	cut.room = __builtin_popcountll(set) - cut.watchdog;
	cut.limited = limited_room(p, set, cut.room, cut.watchdog);
	for (i = 0; i < p->nr_kinds; i++) {
		need = &p->need[p->kind[i].need];
		for (end = need + p->kind[i].nr_need; need < end; need++)
			cut.size[i] += need->owned && !(need->mask & ~set);
	}
	add_cut(p, &cut);
}

/* A pass with exclusive events: how many others can be in it depends on where these are. */
static void ht_cut(struct passes_problem *p)
{
	uint64_t gp = (1ULL << PMCGRP_PLAN_FIXED) - 1;
	struct passes_cut cut = { .what = PASSES_HT, .set = gp };
	const struct passes_need *need, *end;
	bool exclusive;
	unsigned int i;

	if (!has_ht_limit(p))
		return;
	cut.watchdog = p->watched && !(p->watchdog.mask & ~gp);
	if (p->pmu->ht_limit <= cut.watchdog)
		return;
	cut.room = p->pmu->ht_limit - cut.watchdog;
	cut.limited = cut.room;
	for (i = 0; i < p->nr_kinds; i++) {
		exclusive = p->options && p->options->sibling_exclusive;
		need = &p->need[p->kind[i].need];
		for (end = need + p->kind[i].nr_need; need < end; need++) {
			cut.size[i] += need->owned && !(need->mask & ~gp);
			exclusive |= need->exclusive;
		}
		if (!exclusive)
			cut.size[i] = 0;
	}
	add_cut(p, &cut);
}

/* A set of counters more, unless it is there already. */
static void add_set(uint64_t *set, unsigned int *nr, uint64_t more)
{
	unsigned int i;

	for (i = 0; i < *nr && set[i] != more; i++)
		;
	if (i == *nr && i < PASSES_CUTS)
		set[(*nr)++] = more;
}

static int smaller(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	int bits = __builtin_popcountll(x) - __builtin_popcountll(y);

	return bits ? bits : x < y ? -1 : x > y;
}

/* The smallest first: the reason is the simplest of those that show the same. */
void passes_cuts(struct passes_problem *p)
{
	unsigned int i, k, nr = 0, masks, needs = 0;
	uint64_t set[PASSES_CUTS];

	for (i = 0; i < p->nr_kinds; i++)
		needs += p->kind[i].nr_need;
	for (i = 0; i < needs; i++)
		add_set(set, &nr, p->need[i].mask);
	masks = nr;
	for (i = 0; i < nr; i++) {
		for (k = 0; k < masks; k++)
			add_set(set, &nr, set[i] | set[k]);
	}
	qsort(set, nr, sizeof(set[0]), smaller);
	p->nr_cuts = 0;
	for (i = 0; i < nr && p->nr_cuts < PASSES_CUTS - 1; i++)
		counters_cut(p, set[i]);
	ht_cut(p);
}

/* Passes for one sum; @whole: that groups stay whole is taken into account. */
static unsigned int cut_bound(const struct passes_problem *p, const struct passes_cut *cut,
			      const uint16_t *left, bool whole)
{
	unsigned int i, size, small, bound, best, nr[65] = { 0 }, sum = 0, big = 0, big_sum = 0;
	unsigned int fixed, middle, filled;

	for (i = 0; i < p->nr_kinds; i++) {
		size = cut->size[i] < cut->room ? cut->size[i] : cut->room;
		nr[size] += left[i];
		sum += size * left[i];
	}
	best = divide_up(sum, cut->room);
	for (size = cut->room / 2 + 1; size <= cut->room; size++) {
		big += nr[size];
		big_sum += size * nr[size];
	}
	if (!whole || !big)
		return best;
	/* Those of more than room - small are alone; those from small on fill what others leave. */
	for (small = 1; small <= cut->room / 2; small++) {
		fixed = 0;
		filled = 0;
		for (size = cut->room - small + 1; size <= cut->room; size++) {
			fixed += nr[size];
			filled += size * nr[size];
		}
		middle = 0;
		for (size = small; size <= cut->room / 2; size++)
			middle += size * nr[size];
		filled = (big - fixed) * cut->room - (big_sum - filled);
		bound = big + (middle > filled ? divide_up(middle - filled, cut->room) : 0);
		if (bound > best)
			best = bound;
	}
	return best > big ? best : big;
}

/* Passes for the values of a kind of extra register; *values: how many of them there are. */
static unsigned int values_bound(const struct passes_problem *p, const uint16_t *left,
				 unsigned int extra, unsigned int *values)
{
	uint64_t seen[PASSES_WORDS] = { 0 };
	const struct passes_need *need, *end;
	unsigned int i;

	*values = 0;
	if (!p->pmu->nr_extra[extra])
		return 0;
	for (i = 0; i < p->nr_kinds; i++) {
		need = &p->need[p->kind[i].need];
		for (end = need + p->kind[i].nr_need; left[i] && need < end; need++) {
			if (need->extra != extra)
				continue;
			if (need->own_value)
				*values += left[i];
			else if (need->value >= 0)
				seen[need->value / 64] |= 1ULL << need->value % 64;
		}
	}
	for (i = 0; i < PASSES_WORDS; i++)
		*values += __builtin_popcountll(seen[i]);
	return divide_up(*values, p->pmu->nr_extra[extra]);
}

/* The sum of a cut in @passes passes and more, if each has so much room. */
static unsigned int limited_bound(const struct passes_problem *p, const struct passes_cut *cut,
				  const uint16_t *left, unsigned int passes)
{
	unsigned int i, sum = 0, filled = passes * cut->limited;

	if (cut->limited == cut->room)
		return 0;
	for (i = 0; i < p->nr_kinds; i++)
		sum += cut->size[i] * left[i];
	return passes + (sum > filled ? divide_up(sum - filled, cut->room) : 0);
}

/* As far as sums and values show it. */
static unsigned int bound_all(const struct passes_problem *p, const uint16_t *left)
{
	unsigned int i, bound, values, best = 0, limited = 0;

	for (i = 0; i < p->nr_kinds && !best; i++)
		best = left[i] > 0;
	for (i = 0; i < p->nr_cuts; i++) {
		bound = cut_bound(p, &p->cut[i], left, true);
		best = bound > best ? bound : best;
		if (p->cut[i].what == PASSES_HT)
			limited = bound;
	}
	for (i = 0; limited && i < p->nr_cuts; i++) {
		bound = limited_bound(p, &p->cut[i], left, limited);
		best = bound > best ? bound : best;
	}
	for (i = 0; p->nr_values && i < PMCGRP_PLAN_EXTRA_MAX; i++) {
		bound = values_bound(p, left, i, &values);
		best = bound > best ? bound : best;
	}
	return best;
}

/*
 * Exclusive groups have a pass each, where no others are but pinned ones; take them away, and the
 * pinned ones if any of them are not.  How many there are.
 */
static unsigned int without_exclusive(const struct passes_problem *p, const uint16_t *left,
				      uint16_t *others)
{
	unsigned int i, nr = 0;
	bool flexible = false;

	for (i = 0; i < p->nr_kinds && p->kind[i].exclusive; i++) {
		nr += left[i];
		flexible |= left[i] && !p->kind[i].pinned;
	}
	for (i = 0; nr && i < p->nr_kinds; i++)
		others[i] = p->kind[i].exclusive || (flexible && p->kind[i].pinned) ? 0 : left[i];
	return nr;
}

unsigned int passes_bound(const struct passes_problem *p, const uint16_t *left)
{
	unsigned int best = bound_all(p, left), alone, bound;
	uint16_t others[PMCGRP_PLAN_EVENTS_MAX];

	alone = without_exclusive(p, left, others);
	bound = alone ? alone + bound_all(p, others) : 0;
	return bound > best ? bound : best;
}

/* ---- Why ---- */

/* A text that grows. */
struct text {
	char *at;
	size_t left;
};

static void __attribute__((format(printf, 2, 3))) say(struct text *t, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(t->at, t->left, format, args);
	va_end(args);
	if (length < 0)
		return;
	if ((size_t)length >= t->left)
		length = t->left - 1;
	t->at += length;
	t->left -= length;
}

static void say_counters(struct text *t, uint64_t set, const char *before_last)
{
	char name[32];

	for (bool first = true; set; set &= set - 1, first = false) {
		pmcgrp_plan_counter(name, sizeof(name), __builtin_ctzll(set));
		say(t, "%s%s", first ? "" : set & (set - 1) ? ", " : before_last, name);
	}
}

static const char *plural(unsigned int nr)
{
	return nr == 1 ? "" : "s";
}

/* "20 events on 4 general-purpose counters", "5 events need GP2, and it counts one at a time". */
static void say_cut(const struct passes_problem *p, const struct passes_cut *cut, const uint16_t *left,
		    bool whole, struct text *t)
{
	uint64_t gp = (1ULL << p->pmu->nr_gp) - 1, more = cut->set & ~gp;
	const struct passes_need *need, *end;
	unsigned int i, events = 0, pairs = 0;

	for (i = 0; i < p->nr_kinds; i++) {
		need = &p->need[p->kind[i].need];
		for (end = need + p->kind[i].nr_need; cut->size[i] && need < end; need++) {
			if (!need->owned || need->mask & ~cut->set)
				continue;
			if (need->second)
				pairs += left[i];
			else
				events += left[i];
		}
	}
	say(t, "%u event%s", events, plural(events));
	if (pairs && pairs == events)
		say(t, ", which take two counters each,");
	else if (pairs)
		say(t, ", %u of which take%s two counters,", pairs, pairs == 1 ? "s" : "");
	if (cut->what == PASSES_HT) {
		say(t, " on %u counters, all that a hyper-thread has beside exclusive events",
		    p->pmu->ht_limit);
	} else if (p->pmu->nr_gp && (cut->set & gp) == gp) {
		say(t, " on %u general-purpose counter%s", p->pmu->nr_gp, plural(p->pmu->nr_gp));
		if (more) {
			say(t, more & (more - 1) ? ", " : " and ");
			say_counters(t, more, " and ");
		}
	} else if (!(cut->set & (cut->set - 1))) {
		say(t, " need ");
		say_counters(t, cut->set, "");
		say(t, ", and it counts one at a time");
	} else {
		say(t, " need ");
		say_counters(t, cut->set, " or ");
		say(t, ", and these count %d at a time", __builtin_popcountll(cut->set));
	}
	if (cut->watchdog)
		say(t, ", of which the NMI watchdog has one");
	if (whole)
		say(t, ", in groups that stay whole");
}

static void say_values(const struct passes_problem *p, unsigned int extra, unsigned int values,
		       struct text *t)
{
	const char *name = p->pmu->extra_name[extra];

	say(t, "%u values of %s for %u register%s", values, name ? name : "an extra register",
	    p->pmu->nr_extra[extra], plural(p->pmu->nr_extra[extra]));
}

/* ---- Groups of which no two go together ---- */

static bool together(const struct passes_problem *p, unsigned int a, unsigned int b)
{
	struct passes_room room;

	passes_room_empty(p, &room);
	return passes_room_add(p, &room, &p->kind[a]) && passes_room_add(p, &room, &p->kind[b]);
}

/* Kinds that exclude each other, beginning with @first; how many groups. */
static unsigned int apart(const struct passes_problem *p, unsigned int first, unsigned int *clique,
			  unsigned int *nr)
{
	unsigned int i, k, groups = 0;

	*nr = 0;
	for (i = first; i < p->nr_kinds; i++) {
		for (k = 0; k < *nr && !together(p, clique[k], i); k++)
			;
		if (k < *nr)
			continue;
		clique[(*nr)++] = i;
		groups += p->kind[i].nr > 1 && !together(p, i, i) ? p->kind[i].nr : 1;
	}
	return groups;
}

static void say_apart(const struct passes_problem *p, const unsigned int *clique, unsigned int nr,
		      unsigned int groups, struct text *t)
{
	const struct pmcgrp_plan_group *group;
	unsigned int i, k;

	say(t, "%u groups of which no two have room together", groups);
	for (i = 0; nr == groups && nr <= 4 && i < nr; i++) {
		group = &p->groups[p->member[p->kind[clique[i]].member]];
		say(t, i ? ", " : ": ");
		for (k = 0; k < group->nr; k++)
			say(t, "%s%s", k ? "+" : "", group->events[k]->name ? group->events[k]->name : "?");
	}
}

/* As far as sums and values show it, and the sentence if it is more than one. */
static unsigned int why_all(const struct passes_problem *p, const uint16_t *left,
			    char why[PMCGRP_PLAN_REASON])
{
	unsigned int i, whole, bound, values, best = 0;
	struct text t;

	for (i = 0; i < p->nr_kinds && !best; i++)
		best = left[i] > 0;
	for (whole = 0; whole < 2; whole++) {
		for (i = 0; i < p->nr_cuts; i++) {
			bound = cut_bound(p, &p->cut[i], left, whole);
			if (bound <= best)
				continue;
			best = bound;
			t = (struct text){ .at = why, .left = PMCGRP_PLAN_REASON };
			say_cut(p, &p->cut[i], left, whole, &t);
		}
		for (i = 0; !whole && i < PMCGRP_PLAN_EXTRA_MAX; i++) {
			bound = values_bound(p, left, i, &values);
			if (bound <= best)
				continue;
			best = bound;
			t = (struct text){ .at = why, .left = PMCGRP_PLAN_REASON };
			say_values(p, i, values, &t);
		}
	}
	return best;
}

static void say_alone(unsigned int alone, unsigned int others, const char *why, struct text *t)
{
	if (!others)
		say(t, "%u groups are exclusive, and each is counted alone", alone);
	else
		say(t, "%u exclusive group%s counted alone, and %s", alone, alone == 1 ? " is" : "s are",
		    why[0] ? why : "the others in another pass");
}

unsigned int passes_bound_why(const struct passes_problem *p, char why[PMCGRP_PLAN_REASON])
{
	uint16_t left[PMCGRP_PLAN_EVENTS_MAX], others[PMCGRP_PLAN_EVENTS_MAX];
	unsigned int clique[PMCGRP_PLAN_EVENTS_MAX], nr;
	unsigned int i, bound, best, alone, rest;
	char why_rest[PMCGRP_PLAN_REASON] = "";
	struct text t;

	why[0] = '\0';
	for (i = 0; i < p->nr_kinds; i++)
		left[i] = p->kind[i].nr;
	best = why_all(p, left, why);
	alone = without_exclusive(p, left, others);
	rest = alone ? why_all(p, others, why_rest) : 0;
	if (alone + rest > best) {
		best = alone + rest;
		t = (struct text){ .at = why, .left = PMCGRP_PLAN_REASON };
		if (best > 1)
			say_alone(alone, rest, why_rest, &t);
	}
	for (i = 0; i < p->nr_kinds && i < PASSES_CUTS; i++) {
		bound = apart(p, i, clique, &nr);
		if (bound <= best)
			continue;
		best = bound;
		t = (struct text){ .at = why, .left = PMCGRP_PLAN_REASON };
		say_apart(p, clique, nr, bound, &t);
	}
	return best;
}
