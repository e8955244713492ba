// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Groups that are alike: which of them goes into a pass is no matter. */
#include <errno.h>
#include <stdlib.h>

#include "passes.h"
#include "sim.h"

bool passes_needs(const struct pmcgrp_plan_group *group)
{
	unsigned int i;

	for (i = 0; i < group->nr; i++) {
		if (!(group->events[i]->flags & PMCGRP_PLAN_SOFTWARE))
			return true;
	}
	return false;
}

/* Arm's driver has no extra registers. */
static bool has_value(const struct passes_problem *p, const struct pmcgrp_plan_event *event)
{
	return p->pmu->style == PMCGRP_PLAN_X86 && event->extra &&
	       event->extra <= PMCGRP_PLAN_EXTRA_MAX;
}

/* The events of all groups, by the numbers that passes_problem.first gives. */
static const struct pmcgrp_plan_event *event_at(const struct passes_problem *p, unsigned int group,
						unsigned int i)
{
	return p->groups[group].events[i];
}

static bool same_value(const struct pmcgrp_plan_event *a, const struct pmcgrp_plan_event *b)
{
	return a->extra == b->extra && a->config1 == b->config1;
}

/* Number what events count and their registers hold, the same by the same numbers. */
static void number(struct passes_problem *p)
{
	unsigned int g, h, i, k, events = 0;
	const struct pmcgrp_plan_event *event;

	for (g = 0; g < p->nr; g++) {
		for (i = 0; i < p->groups[g].nr; i++) {
			event = event_at(p, g, i);
			p->event[p->first[g] + i] = -1;
			p->value[p->first[g] + i] = -1;
			for (h = 0; h <= g; h++) {
				for (k = 0; k < (h < g ? p->groups[h].nr : i); k++) {
					if (has_value(p, event) && same_value(event, event_at(p, h, k)))
						p->value[p->first[g] + i] = p->value[p->first[h] + k];
					if (sim_same_event(event, event_at(p, h, k)))
						p->event[p->first[g] + i] = p->event[p->first[h] + k];
				}
			}
			if (p->event[p->first[g] + i] < 0)
				p->event[p->first[g] + i] = events++;
			if (has_value(p, event) && p->value[p->first[g] + i] < 0) {
				p->value_extra[p->nr_values] = event->extra - 1;
				p->value[p->first[g] + i] = p->nr_values++;
			}
		}
	}
}

/* Whether a number is also in another group. */
static bool elsewhere(const struct passes_problem *p, const int *number, unsigned int group, int what)
{
	unsigned int g, i;

	for (g = 0; g < p->nr; g++) {
		for (i = 0; g != group && i < p->groups[g].nr; i++) {
			if (number[p->first[g] + i] == what)
				return true;
		}
	}
	return false;
}

/*
 * Numbers that one group alone has differ between groups, but it is no matter how: they are alike if
 * they are the same in the same places of both.
 */
static bool same_numbers(const struct passes_problem *p, const int *number, unsigned int a,
			 unsigned int b, unsigned int i)
{
	const int *in_a = number + p->first[a], *in_b = number + p->first[b];
	unsigned int k;

	if (in_a[i] == in_b[i])
		return true;
	if (in_a[i] < 0 || in_b[i] < 0 || elsewhere(p, number, a, in_a[i]) ||
	    elsewhere(p, number, b, in_b[i]))
		return false;
	for (k = 0; k < i; k++) {
		if ((in_a[k] == in_a[i]) != (in_b[k] == in_b[i]))
			return false;
	}
	return true;
}

static bool alike(const struct passes_problem *p, unsigned int a, unsigned int b)
{
	const struct pmcgrp_plan_group *x = &p->groups[a], *y = &p->groups[b];
	const struct pmcgrp_plan_event *e, *f;
	unsigned int i;

	if (x->nr != y->nr || x->pinned != y->pinned || x->exclusive != y->exclusive ||
	    x->weak != y->weak)
		return false;
	for (i = 0; i < x->nr; i++) {
		e = x->events[i];
		f = y->events[i];
		if (e->mask != f->mask || e->weight != f->weight || e->extra != f->extra ||
		    e->flags != f->flags || !same_numbers(p, p->value, a, b, i) ||
		    (p->sharing && !same_numbers(p, p->event, a, b, i)))
			return false;
	}
	return true;
}

/* The counters that an event can have at all. */
static uint64_t mask_of(const struct passes_problem *p, const struct pmcgrp_plan_event *event)
{
	uint64_t gp = (1ULL << PMCGRP_PLAN_FIXED) - 1, mask = event->mask;
	const struct pmcgrp_plan_options *o = p->options;

	if (!o || p->pmu->style != PMCGRP_PLAN_X86)
		return mask;
	if (o->no_pmc3)
		mask &= ~(1ULL << 3);
	if (p->pmu->ht_limit) {
		mask &= ~(o->sibling_exclusive & gp);
		if (event->flags & PMCGRP_PLAN_EXCLUSIVE)
			mask &= ~(o->sibling_shared & gp);
	}
	return mask;
}

static struct passes_need need_of(const struct passes_problem *p, const struct pmcgrp_plan_event *event)
{
	return (struct passes_need){
		.mask = mask_of(p, event),
		.event = -1,
		.value = -1,
		.exclusive = event->flags & PMCGRP_PLAN_EXCLUSIVE,
		.owned = true,
	};
}

/* Whether the watchdog gets a counter in any case. */
static bool is_watched(const struct passes_problem *p)
{
	const struct pmcgrp_plan_event *event = p->pmu->watchdog;

	return event && !(event->flags & ~PMCGRP_PLAN_CYCLES) && !event->extra && p->pmu->nr_gp &&
	       mask_of(p, event);
}

int passes_problem_new(struct passes_problem **out, const struct pmcgrp_plan_pmu *pmu,
		       const struct pmcgrp_plan_group *groups, unsigned int nr,
		       const struct pmcgrp_plan_options *options)
{
	unsigned int g, h, events = 0;
	struct passes_problem *p;

	*out = NULL;
	for (g = 0; g < nr; g++) {
		if (!groups[g].nr)
			return -EINVAL;
		if (groups[g].nr > PMCGRP_PLAN_EVENTS_MAX - events)
			return -E2BIG;
		events += groups[g].nr;
	}
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	p->pmu = pmu;
	p->groups = groups;
	p->nr = nr;
	p->options = options;
	p->sharing = options && options->who == PMCGRP_PLAN_PMCGRP;
	for (g = 1; g < nr; g++)
		p->first[g] = p->first[g - 1] + groups[g - 1].nr;
	number(p);
	for (g = 0; g < nr; g++) {
		for (h = 0; h < g && !(p->alike[h] == h && alike(p, h, g)); h++)
			;
		p->alike[g] = h;
	}
	p->watched = is_watched(p);
	if (p->watched)
		p->watchdog = need_of(p, pmu->watchdog);
	*out = p;
	return 0;
}

/* Whether groups of a pass would share counters with this one: then it is no matter which it is. */
static bool shares(const struct passes_problem *p, unsigned int group)
{
	unsigned int i;

	for (i = 0; p->sharing && i < p->groups[group].nr; i++) {
		if (elsewhere(p, p->event, group, p->event[p->first[group] + i]))
			return true;
	}
	return false;
}

/* Whether an event, by its number among all groups' events, is the same as one before it. */
static bool is_before(const struct passes_problem *p, unsigned int from, unsigned int at)
{
	unsigned int i;

	for (i = from; i < at && p->event[i] != p->event[at]; i++)
		;
	return i < at;
}

/* A fixed counter needs no second one; Arm's driver knows no pairs. */
static bool takes_two(const struct passes_problem *p, const struct pmcgrp_plan_event *event)
{
	return p->pmu->style == PMCGRP_PLAN_X86 && event->flags & PMCGRP_PLAN_PAIR &&
	       !(event->mask >> PMCGRP_PLAN_FIXED);
}

static void set_value(const struct passes_problem *p, struct passes_need *need, unsigned int group,
		      unsigned int i)
{
	const int *value = &p->value[p->first[group]];
	unsigned int k;

	if (value[i] < 0)
		return;
	need->extra = event_at(p, group, i)->extra - 1;
	if (elsewhere(p, p->value, group, value[i])) {
		need->value = value[i];
		return;
	}
	for (k = 0; k < i && value[k] != value[i]; k++)
		;
	need->own_value = k == i;
}

static void needs_of(struct passes_problem *p, struct passes_kind *kind, unsigned int group)
{
	const struct pmcgrp_plan_event *event;
	struct passes_need *need;
	unsigned int i, at, bits;

	for (i = 0; i < p->groups[group].nr; i++) {
		event = event_at(p, group, i);
		if (event->flags & PMCGRP_PLAN_SOFTWARE)
			continue;
		at = p->first[group] + i;
		if (p->sharing && is_before(p, p->first[group], at))
			continue;
		need = &p->need[kind->need + kind->nr_need++];
		*need = need_of(p, event);
		set_value(p, need, group, i);
		if (p->sharing && elsewhere(p, p->event, group, p->event[at])) {
			need->event = p->event[at];
			need->owned = !is_before(p, 0, at);
		}
		if (need->value >= 0 || need->own_value) {
			kind->hard += 64.0 / (1 + p->pmu->nr_extra[need->extra]);
		}
		bits = __builtin_popcountll(need->mask);
		kind->hard += 64.0 / (bits ? bits : 1);
		if (takes_two(p, event)) {
			need[1] = need[0];
			need[1].mask <<= 1;
			need[1].second = true;
			need[1].own_value = false;
			kind->nr_need++;
			kind->hard *= 2;
		}
	}
}

static int harder(const void *a, const void *b)
{
	const struct passes_kind *x = a, *y = b;

	if (x->exclusive != y->exclusive)
		return x->exclusive ? -1 : 1;
	if (x->hard != y->hard)
		return x->hard < y->hard ? 1 : -1;
	return x->need < y->need ? -1 : x->need > y->need;
}

void passes_kinds(struct passes_problem *p, bool in_order)
{
	bool done[PMCGRP_PLAN_EVENTS_MAX] = { false };
	unsigned int g, h, members = 0, needs = 0;
	struct passes_kind *kind;

	p->nr_kinds = 0;
	for (g = 0; g < p->nr; g++) {
		if (done[g] || !passes_needs(&p->groups[g]))
			continue;
		kind = &p->kind[p->nr_kinds++];
		*kind = (struct passes_kind){
			.need = needs,
			.member = members,
			.pinned = p->groups[g].pinned,
			.exclusive = p->groups[g].exclusive && !p->sharing,
		};
		needs_of(p, kind, g);
		needs += kind->nr_need;
		for (h = g; h < p->nr; h++) {
			if (!passes_needs(&p->groups[h]))
				continue;
			if (h == g || (p->alike[h] == p->alike[g] && !shares(p, g))) {
				p->member[members++] = h;
				done[h] = true;
				kind->nr++;
			} else if (in_order) {
				break;
			}
		}
	}
	qsort(p->kind, p->nr_kinds, sizeof(p->kind[0]), harder);
}
