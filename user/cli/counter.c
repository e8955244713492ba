// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The counters of stat: from names to groups, and from reads to statistics. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counter.h"
#include "event_name.h"

static void attr_set(struct perf_event_attr *attr, const struct event_code *code,
		     unsigned int modifiers)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = code->type;
	attr->config = code->config;
	attr->config1 = code->config1;
	attr->config2 = code->config2;
	attr->exclude_user = code->exclude_user;
	attr->exclude_kernel = code->exclude_kernel;
	attr->exclude_hv = code->exclude_hv;
	/* As perf: one of them given leaves out the others. */
	if (modifiers & (EVENT_USER | EVENT_KERNEL | EVENT_HV)) {
		attr->exclude_user |= !(modifiers & EVENT_USER);
		attr->exclude_kernel |= !(modifiers & EVENT_KERNEL);
		attr->exclude_hv |= !(modifiers & EVENT_HV);
	}
}

static int counter_init(struct counter *counter, const struct event_item *item,
			struct event_error *error)
{
	struct event_code code;
	char why[160];

	if (event_name_encode(item->name, &code, why, sizeof(why)) < 0) {
		error->column = item->column;
		snprintf(error->text, sizeof(error->text), "'%.32s' %s", item->name, why);
		return -ENOENT;
	}
	attr_set(&counter->attr, &code, item->modifiers);
	counter->name = strdup(item->shown);
	if (!counter->name)
		return -ENOMEM;
	counter->group = item->group;
	counter->supported = true;
	return 0;
}

int counter_set_init(struct counter_set *set, const struct event_list *list,
		     struct event_error *error, size_t *bad)
{
	struct counter_group *group;
	size_t i;
	int ret;

	memset(set, 0, sizeof(*set));
	set->counters = calloc(list->nr, sizeof(*set->counters));
	set->groups = calloc(list->nr_groups, sizeof(*set->groups));
	if (!set->counters || !set->groups) {
		counter_set_free(set);
		return -ENOMEM;
	}
	set->nr_groups = list->nr_groups;
	for (i = 0; i < list->nr; i++) {
		ret = counter_init(&set->counters[i], &list->items[i], error);
		if (ret < 0) {
			*bad = i;
			counter_set_free(set);
			return ret;
		}
		set->nr++;
		group = &set->groups[list->items[i].group];
		if (!group->nr++)
			group->first = (unsigned int)i;
		if (list->items[i].modifiers & EVENT_PINNED)
			group->pinned = true;
	}
	return 0;
}

void counter_set_free(struct counter_set *set)
{
	unsigned int i;

	counter_set_close(set);
	for (i = 0; i < set->nr; i++)
		free(set->counters[i].name);
	free(set->counters);
	free(set->groups);
	memset(set, 0, sizeof(*set));
}

/* A spec of what the machine supports of the group, as far as is known by now. */
static int spec_make(const struct counter_set *set, struct counter_group *group,
		     const struct counter_target *target, struct pmcgrp_spec **out)
{
	uint64_t flags = PMCGRP_CREATE_DISABLED;
	struct pmcgrp_spec *spec;
	unsigned int i;
	int ret;

	ret = pmcgrp_spec_new(&spec);
	if (ret < 0)
		return ret;
	if (target->by_cpu)
		pmcgrp_spec_set_cpu(spec, target->id);
	else
		pmcgrp_spec_set_task(spec, target->id);
	if (target->enable_on_exec)
		flags |= PMCGRP_CREATE_ENABLE_ON_EXEC;
	if (group->pinned)
		flags |= PMCGRP_CREATE_PINNED;
	pmcgrp_spec_set_flags(spec, flags);
	for (i = group->first; i < group->first + group->nr; i++) {
		if (!set->counters[i].supported)
			continue;
		ret = pmcgrp_spec_add(spec, &set->counters[i].attr, set->counters[i].name);
		if (ret < 0) {
			pmcgrp_spec_free(spec);
			return ret;
		}
		group->counter_of[ret] = i;
	}
	*out = spec;
	return 0;
}

/* Whether the failure says that the machine lacks the event, and not something else. */
static bool lacks_event(struct pmcgrp *h, int err)
{
	if (pmcgrp_error_member(h) < 0)
		return false;
	switch (pmcgrp_error_why(h)) {
	case PMCGRP_WHY_EVENT_UNKNOWN:
	case PMCGRP_WHY_EVENT_KIND:
		return true;
	case PMCGRP_WHY_PMU:
		return err == ENOENT || err == ENXIO || err == ENODEV || err == ENOSYS ||
		       err == EOPNOTSUPP;
	default:
		return false;
	}
}

static int group_open(struct counter_set *set, struct counter_group *group, struct pmcgrp *h,
		      const struct counter_target *target, counter_note_fn note)
{
	struct counter *counter;
	struct pmcgrp_spec *spec;
	int ret;

	for (;;) {
		ret = spec_make(set, group, target, &spec);
		if (ret < 0)
			return ret;
		if (!pmcgrp_spec_nr(spec)) {
			pmcgrp_spec_free(spec);
			return 0;
		}
		ret = pmcgrp_group_create(h, spec, &group->group);
		pmcgrp_spec_free(spec);
		if (ret >= 0 || !lacks_event(h, -ret))
			return ret;
		counter = &set->counters[group->counter_of[pmcgrp_error_member(h)]];
		counter->supported = false;
		if (note)
			note(counter, pmcgrp_strerror(h));
	}
}

int counter_set_open(struct counter_set *set, struct pmcgrp *h,
		     const struct counter_target *target, counter_note_fn note)
{
	unsigned int i;
	int ret;

	for (i = 0; i < set->nr_groups; i++) {
		ret = group_open(set, &set->groups[i], h, target, note);
		if (ret < 0) {
			counter_set_close(set);
			return ret;
		}
	}
	return 0;
}

void counter_set_close(struct counter_set *set)
{
	unsigned int i;

	for (i = 0; i < set->nr_groups; i++) {
		pmcgrp_group_close(set->groups[i].group);
		set->groups[i].group = NULL;
	}
}

int counter_set_enable(struct counter_set *set)
{
	unsigned int i;
	int ret;

	for (i = 0; i < set->nr_groups; i++) {
		ret = set->groups[i].group ? pmcgrp_group_enable(set->groups[i].group) : 0;
		if (ret < 0)
			return ret;
	}
	return 0;
}

int counter_set_disable(struct counter_set *set)
{
	unsigned int i;
	int ret;

	for (i = 0; i < set->nr_groups; i++) {
		ret = set->groups[i].group ? pmcgrp_group_disable(set->groups[i].group) : 0;
		if (ret < 0)
			return ret;
	}
	return 0;
}

/*
 * A run in which it never ran says nothing about the value, and least of all that it
 * was 0.
 */
void counter_update(struct counter *counter, uint64_t value, uint64_t enabled, uint64_t running)
{
	double scaled = (double)value;

	stats_update(&counter->enabled, (double)enabled);
	stats_update(&counter->running, (double)running);
	if (!running)
		return;
	if (running < enabled)
		scaled = scaled * (double)enabled / (double)running;
	stats_update(&counter->value, scaled);
}

static int group_read(struct counter_set *set, struct counter_group *group)
{
	/* nr, both times, and for each member value and id. */
	uint64_t buf[3 + 2 * PMCGRP_MEMBERS_MAX];
	uint64_t enabled = 0, running = 0;
	struct pmcgrp_view view;
	unsigned int i;
	ssize_t ret, at;

	ret = pmcgrp_group_read(group->group, buf, sizeof(buf));
	if (ret < 0)
		return (int)ret;
	ret = pmcgrp_view_init(&view, buf, (size_t)ret, pmcgrp_group_read_format(group->group));
	if (ret == -ENODATA)
		group->failed = true;
	else if (ret < 0)
		return (int)ret;
	pmcgrp_view_time_enabled(&view, &enabled);
	pmcgrp_view_time_running(&view, &running);
	for (i = 0; i < pmcgrp_group_nr(group->group); i++) {
		at = pmcgrp_view_find_id(&view, pmcgrp_group_id(group->group, i));
		counter_update(&set->counters[group->counter_of[i]],
			       at < 0 ? 0 : pmcgrp_view_value(&view, (size_t)at),
			       enabled, at < 0 ? 0 : running);
	}
	return 0;
}

int counter_set_read(struct counter_set *set)
{
	unsigned int i;
	int ret;

	for (i = 0; i < set->nr_groups; i++) {
		ret = set->groups[i].group ? group_read(set, &set->groups[i]) : 0;
		if (ret < 0)
			return ret;
	}
	return 0;
}

unsigned int counter_set_supported(const struct counter_set *set)
{
	unsigned int i, nr = 0;

	for (i = 0; i < set->nr; i++)
		nr += set->counters[i].supported;
	return nr;
}

bool counter_counted(const struct counter *counter)
{
	return counter->supported && counter->value.n > 0;
}

double counter_running_percent(const struct counter *counter)
{
	if (counter->running.mean == counter->enabled.mean)
		return 100.0;
	return 100.0 * counter->running.mean / counter->enabled.mean;
}

/*
 * A pinned group in error reads as end of file, without times. A target that never
 * ran has no times either, but that is no one's fault.
 */
bool counter_group_starved(const struct counter_set *set, unsigned int group)
{
	const struct counter_group *g = &set->groups[group];
	unsigned int i;

	for (i = g->first; i < g->first + g->nr; i++) {
		const struct counter *c = &set->counters[i];

		if (!c->supported)
			continue;
		return c->running.n > 0 && c->running.mean == 0.0 &&
		       (c->enabled.mean > 0.0 || g->failed);
	}
	return false;
}

bool counter_is(const struct counter *counter, uint32_t type, uint64_t config)
{
	return counter->attr.type == type && counter->attr.config == config;
}

bool counter_is_clock(const struct counter *counter)
{
	return counter_is(counter, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK) ||
	       counter_is(counter, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
}
