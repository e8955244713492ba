// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/machine.h"
#include "regroup.h"
#include "set_plan.h"

/* A set's groups, for pmcgrp_plan(). */
struct set_plan {
	struct plan_here here;
	struct pmcgrp_plan_event *events;		/* of each counter */
	const struct pmcgrp_plan_event **members;
	struct pmcgrp_plan_group *groups;		/* without those that have no event left */
	unsigned int *number;				/* of each of them its number in the set */
	unsigned int *counter;				/* of each member */
	unsigned int nr;
};

static void finish(struct set_plan *plan)
{
	plan_here_end(&plan->here);
	free(plan->events);
	free(plan->members);
	free(plan->groups);
	free(plan->number);
	free(plan->counter);
}

static void add_group(struct set_plan *plan, const struct counter_set *set, unsigned int number,
		      unsigned int *nr_members)
{
	const struct counter_group *from = &set->groups[number];
	struct pmcgrp_plan_group *to = &plan->groups[plan->nr];
	unsigned int i;

	*to = (struct pmcgrp_plan_group){ .events = plan->members + *nr_members,
					  .pinned = from->pinned };
	for (i = from->first; i < from->first + from->nr; i++) {
		if (!set->counters[i].supported ||
		    plan->events[i].flags & PMCGRP_PLAN_UNSUPPORTED)
			continue;
		plan->counter[*nr_members] = i;
		plan->members[(*nr_members)++] = &plan->events[i];
		to->nr++;
	}
	if (to->nr)
		plan->number[plan->nr++] = number;
}

static void add_groups(struct set_plan *plan, const struct counter_set *set)
{
	unsigned int i, nr_members = 0;

	plan->nr = 0;
	for (i = 0; i < set->nr_groups; i++)
		add_group(plan, set, i, &nr_members);
}

static void add_event(struct pmcgrp_plan_event *event, const struct plan_pmu *pmu,
		      const struct counter *counter)
{
	struct perf_event_attr attr = { 0 };
	size_t size = counter->attr->size;

	event->name = counter->name;
	/* Other PMUs have counters of their own. */
	if (counter->pmu) {
		event->flags = PMCGRP_PLAN_SOFTWARE;
		return;
	}
	memcpy(&attr, counter->attr, size < sizeof(attr) ? size : sizeof(attr));
	plan_pmu_attr(pmu, &attr, event);
	if (plan_machine_refuses(&attr))
		event->flags |= PMCGRP_PLAN_UNSUPPORTED;
}

/* Returns 0 or a negative errno; finish() in any case. */
static int prepare(struct set_plan *plan, const struct counter_set *set, enum pmcgrp_backend backend)
{
	struct failure failure = { 0 };
	unsigned int i;
	int ret;

	memset(plan, 0, sizeof(*plan));
	plan->events = calloc(set->nr + 1, sizeof(*plan->events));
	plan->members = calloc(set->nr + 1, sizeof(struct pmcgrp_plan_event *));
	/* As many as there are events, if all of them are weak. */
	plan->groups = calloc(set->nr + 1, sizeof(*plan->groups));
	plan->number = calloc(set->nr + 1, sizeof(*plan->number));
	plan->counter = calloc(set->nr + 1, sizeof(*plan->counter));
	if (!plan->events || !plan->members || !plan->groups || !plan->number || !plan->counter)
		return -ENOMEM;
	ret = plan_here_begin(&plan->here, backend, &failure);
	if (ret)
		return ret;
	for (i = 0; i < set->nr; i++)
		add_event(&plan->events[i], &plan->here.pmu, &set->counters[i]);
	add_groups(plan, set);
	return 0;
}

/* Returns the first counter of those that are refused, or -1. */
static int take_reasons(struct counter_set *set, const struct set_plan *plan,
			const struct pmcgrp_plan *result)
{
	unsigned int i;
	int refused = -1;

	for (i = 0; i < result->nr; i++) {
		const struct pmcgrp_plan_row *row = &result->rows[i];
		struct counter *counter = &set->counters[plan->counter[i]];

		if (row->status != PMCGRP_PLAN_NOT_COUNTED && row->status != PMCGRP_PLAN_NOT_SUPPORTED)
			continue;
		free(counter->planned);
		counter->planned = row->reason[0] ? strdup(row->reason) : NULL;
		if (refused < 0 && counter->planned && row->status == PMCGRP_PLAN_NOT_SUPPORTED)
			refused = (int)plan->counter[i];
	}
	return refused;
}

int set_plan_explain(struct counter_set *set, enum pmcgrp_backend backend)
{
	struct pmcgrp_plan *result;
	struct set_plan plan;
	int refused = -1;

	if (!prepare(&plan, set, backend) &&
	    !pmcgrp_plan(&result, &plan.here.pmu.pmu, plan.groups, plan.nr, &plan.here.options)) {
		refused = take_reasons(set, &plan, result);
		pmcgrp_plan_free(result);
	}
	finish(&plan);
	return refused;
}

static bool fits(const struct set_plan *plan, const struct pmcgrp_plan_group *group)
{
	return pmcgrp_plan_fits(&plan->here.pmu.pmu, group->events, group->nr, &plan->here.options);
}

/* The last first: it moves those behind it. */
static int break_up(struct counter_set *set, struct set_plan *plan)
{
	unsigned int i = plan->nr;
	int ret = 0;

	while (i-- && ret >= 0) {
		if (set->groups[plan->number[i]].weak && !fits(plan, &plan->groups[i]))
			ret = regroup_split(set, plan->number[i], regroup_always);
	}
	add_groups(plan, set);
	return ret < 0 ? ret : 0;
}

/* A group that does not fit even alone. */
static int misfit(const struct pmcgrp_plan_group *group, const char *why, char **text)
{
	char more[32] = "";

	if (group->nr > 1)
		snprintf(more, sizeof(more), " and %u more", group->nr - 1);
	if (asprintf(text, "%s%s: %s", group->events[0]->name, more, why) < 0)
		return -ENOMEM;
	return -EINVAL;
}

int set_plan_passes(struct counter_set *set, enum pmcgrp_backend backend, unsigned int *least,
		    char **text)
{
	struct pmcgrp_plan_passes passes = { 0 };
	struct set_plan plan;
	unsigned int i;
	int ret;

	ret = prepare(&plan, set, backend);
	if (!ret)
		ret = break_up(set, &plan);
	if (!ret)
		ret = pmcgrp_plan_passes(&passes, &plan.here.pmu.pmu, plan.groups, plan.nr, &plan.here.options,
					 PLAN_SEARCH_US);
	if (!ret && plan.nr && !passes.nr)
		ret = misfit(&plan.groups[passes.misfit], passes.why, text);
	if (passes.nr > 1 && !ret)
		*text = strdup(passes.why);
	for (i = 0; !ret && i < plan.nr; i++)
		set->groups[plan.number[i]].pass = passes.pass[i];
	*least = passes.least;
	free(passes.pass);
	finish(&plan);
	return ret ? ret : (int)passes.nr;
}
