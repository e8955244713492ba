// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* From a text to groups of a model's events. */
#include <stdlib.h>

#include "event/event_syntax.h"
#include "event/events.h"
#include "model.h"

/* The fixed counter of slots. */
#define SLOTS (1ULL << (PMCGRP_PLAN_FIXED + 3))

/* Where the names of a model's events are looked up. */
static void use_model(struct pmcgrp_events *list, const struct plan_model *model)
{
	if (model->is_here)
		return;
	list->machine = (struct event_machine){
		.devices = event_machine_here.devices,
		.tracing = event_machine_here.tracing,
		.tables = event_machine_here.tables,
		.given = &model->given,
		.arch = model->style == PMCGRP_PLAN_ARM ? "arm64" : "x86",
		.cpuid = model->table,
	};
}

/* perf stat lowers what P asks for until it can be had. */
static bool is_as_precise_as_can_be(const struct pmcgrp_event *event)
{
	const char *modifiers = strrchr(event->name, ':');

	return modifiers && strchr(modifiers, 'P');
}

/* An event of a PMU outside the cores; msr's are software events to perf core. */
static bool is_elsewhere(const struct pmcgrp_event *event)
{
	return !(event->flags & PMCGRP_EVENT_CORE) && event->pmu && strcmp(event->pmu, "msr");
}

static int set_event(const struct plan_pmu *pmu, const struct pmcgrp_event *from,
		     struct pmcgrp_plan_event *event, struct pmcgrp_events_error *error)
{
	struct perf_event_attr attr = *from->attr;

	if (is_elsewhere(from))
		return event_fail(error, from->column,
				  "'%.64s' is counted by %.32s, which is no PMU of the cores: it has "
				  "counters of its own", from->name, from->pmu);
	if (is_as_precise_as_can_be(from))
		attr.precise_ip = 0;
	event->name = from->name;
	if (from->flags & PMCGRP_EVENT_CORE)
		plan_pmu_attr(pmu, &attr, event);
	else
		event->flags = PMCGRP_PLAN_SOFTWARE;
	return 0;
}

/*
 * arch/x86/events/intel/core.c: intel_pmu_hw_config(): topdown metrics are refused but in a group that
 * slots lead.
 */
static void refuse_metrics(struct pmcgrp_plan_event *events, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (events[i].mask >> PMCGRP_PLAN_METRIC && events[0].mask != SLOTS)
			events[i].flags |= PMCGRP_PLAN_UNSUPPORTED;
	}
}

static void set_group(struct plan_groups *groups, const struct pmcgrp_events *list, unsigned int i)
{
	const struct pmcgrp_event_group *from = pmcgrp_events_group(list, i);

	refuse_metrics(&groups->events[from->first], from->nr);
	groups->groups[i] = (struct pmcgrp_plan_group){
		.events = &groups->members[from->first],
		.nr = from->nr,
		.pinned = from->flags & PMCGRP_EVENT_GROUP_PINNED,
		.exclusive = from->flags & PMCGRP_EVENT_GROUP_EXCLUSIVE,
		.weak = from->flags & PMCGRP_EVENT_GROUP_WEAK,
	};
}

static int set_all(struct plan_groups *groups, const struct pmcgrp_events *list,
		   const struct plan_pmu *pmu, struct pmcgrp_events_error *error)
{
	unsigned int i, nr = pmcgrp_events_nr(list);
	int ret = 0;

	groups->nr = pmcgrp_events_nr_groups(list);
	groups->events = calloc(nr, sizeof(*groups->events));
	groups->members = calloc(nr, sizeof(struct pmcgrp_plan_event *));
	groups->groups = calloc(groups->nr, sizeof(*groups->groups));
	if (!groups->events || !groups->members || !groups->groups)
		return -ENOMEM;
	for (i = 0; i < nr && !ret; i++) {
		groups->members[i] = &groups->events[i];
		ret = set_event(pmu, pmcgrp_events_at(list, i), &groups->events[i], error);
	}
	for (i = 0; i < groups->nr; i++)
		set_group(groups, list, i);
	return ret;
}

int plan_groups_parse(struct plan_groups *groups, const struct plan_pmu *pmu, const char *text,
		      struct pmcgrp_events_error *error)
{
	int ret;

	*groups = (struct plan_groups){ 0 };
	ret = pmcgrp_events_new(&groups->list);
	if (ret)
		return ret;
	use_model(groups->list, pmu->model);
	ret = pmcgrp_events_add(groups->list, text, PMCGRP_EVENTS_ANY, error);
	if (!ret)
		ret = set_all(groups, groups->list, pmu, error);
	if (ret)
		plan_groups_free(groups);
	return ret;
}

int plan_groups_of(struct plan_groups *groups, const struct plan_pmu *pmu,
		   const struct pmcgrp_events *list, struct pmcgrp_events_error *error)
{
	int ret;

	*groups = (struct plan_groups){ 0 };
	ret = set_all(groups, list, pmu, error);
	if (ret)
		plan_groups_free(groups);
	return ret;
}

void plan_groups_free(struct plan_groups *groups)
{
	pmcgrp_events_free(groups->list);
	free(groups->events);
	free(groups->members);
	free(groups->groups);
	*groups = (struct plan_groups){ 0 };
}
