// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The counters of stat: from names to groups, and from reads to statistics. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counter_set.h"
#include "guest.h"
#include "plan/machine.h"
#include "say/name.h"
#include "uncore.h"
#include "user_mode.h"
#include "weak.h"

static int counter_init(struct counter *counter, const struct pmcgrp_event *event)
{
	counter->attr = malloc(event->attr->size);
	counter->name = name_dup(event->name, strlen(event->name));
	counter->unit = strdup(event->unit);
	if (!counter->attr || !counter->name || !counter->unit)
		return -ENOMEM;
	memcpy(counter->attr, event->attr, event->attr->size);
	counter->group = event->group;
	counter->supported = true;
	counter->scale = event->scale;
	counter->snapshot = event->flags & PMCGRP_EVENT_SNAPSHOT;
	counter->per_pkg = event->flags & PMCGRP_EVENT_PER_PKG;
	counter->sum = event->sum;
	return uncore_init(counter, event);
}

int counter_lines_grow(struct counter_set *set)
{
	struct counts *counts;

	if (set->nr_lines == set->aggr->nr)
		return 0;
	counts = reallocarray(set->counts, (size_t)set->aggr->nr * set->nr, sizeof(*counts));
	if (!counts)
		return -ENOMEM;
	memset(counts + (size_t)set->nr_lines * set->nr, 0,
	       (size_t)(set->aggr->nr - set->nr_lines) * set->nr * sizeof(*counts));
	set->counts = counts;
	set->nr_lines = set->aggr->nr;
	return 0;
}

static int counters_init(struct counter_set *set, const struct pmcgrp_events *events)
{
	const struct pmcgrp_event_group *from;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < set->nr_groups; i++) {
		from = pmcgrp_events_group(events, i);
		set->groups[i].first = from->first;
		set->groups[i].nr = from->nr;
		set->groups[i].pinned = from->flags & PMCGRP_EVENT_GROUP_PINNED;
		set->groups[i].weak = from->flags & PMCGRP_EVENT_GROUP_WEAK;
	}
	for (i = 0; i < pmcgrp_events_nr(events) && !ret; i++)
		ret = counter_init(&set->counters[set->nr++], pmcgrp_events_at(events, i));
	return ret;
}

int counter_set_init(struct counter_set *set, const struct pmcgrp_events *events,
		     struct aggr *aggr)
{
	int ret;

	memset(set, 0, sizeof(*set));
	set->counters = calloc(pmcgrp_events_nr(events), sizeof(*set->counters));
	set->groups = calloc(pmcgrp_events_nr_groups(events), sizeof(*set->groups));
	if (!set->counters || !set->groups) {
		counter_set_free(set);
		return -ENOMEM;
	}
	set->nr_groups = pmcgrp_events_nr_groups(events);
	set->aggr = aggr;
	ret = counters_init(set, events);
	if (!ret)
		ret = uncore_place(set);
	if (!ret)
		ret = counter_lines_grow(set);
	if (ret < 0)
		counter_set_free(set);
	return ret;
}

void counter_set_free(struct counter_set *set)
{
	unsigned int i;

	counter_set_close(set);
	for (i = 0; i < set->nr; i++) {
		free(set->counters[i].name);
		free(set->counters[i].attr);
		free(set->counters[i].unit);
		free(set->counters[i].planned);
		uncore_free(&set->counters[i]);
	}
	for (i = 0; i < set->nr_groups && set->groups; i++)
		free(set->groups[i].buf);
	for (i = 0; i < set->nr_lines * set->nr; i++)
		free(set->counts[i].reason);
	free(set->counters);
	free(set->groups);
	free(set->counts);
	memset(set, 0, sizeof(*set));
}

static void target_set(struct pmcgrp_spec *spec, const struct counter_target *target)
{
	switch (target->type) {
	case PMCGRP_TARGET_ALL_CPUS:
		pmcgrp_spec_set_all_cpus(spec);
		break;
	case PMCGRP_TARGET_CPUS:
		pmcgrp_spec_set_cpus(spec, &target->cpus);
		break;
	case PMCGRP_TARGET_PROCESS:
		pmcgrp_spec_set_process(spec, target->id);
		break;
	case PMCGRP_TARGET_CGROUP:
		pmcgrp_spec_set_cgroup(spec, target->id);
		break;
	default:
		pmcgrp_spec_set_task(spec, target->id);
	}
}

/* A spec of what the machine supports of the group, as far as is known by now. */
static int spec_make(const struct counter_set *set, struct counter_group *group,
		     const struct counter_target *target, struct pmcgrp_spec **out)
{
	uint64_t flags = PMCGRP_CREATE_DISABLED | target->flags;
	struct pmcgrp_spec *spec;
	unsigned int i;
	int ret;

	ret = pmcgrp_spec_new(&spec);
	if (ret < 0)
		return ret;
	target_set(spec, target);
	if (group->pinned)
		flags |= PMCGRP_CREATE_PINNED;
	pmcgrp_spec_set_flags(spec, flags);
	if (target->read_format)
		pmcgrp_spec_set_read_format(spec, target->read_format);
	for (i = group->first; i < group->first + group->nr; i++) {
		if (!set->counters[i].supported)
			continue;
		ret = pmcgrp_spec_add_sized(spec, set->counters[i].attr,
					    set->counters[i].attr->size,
					    set->counters[i].name);
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
static bool lacks_event(struct pmcgrp *h, int err, const struct counter *counter)
{
	switch (pmcgrp_error_why(h)) {
	case PMCGRP_WHY_EVENT_UNKNOWN:
	case PMCGRP_WHY_EVENT_KIND:
		return true;
	case PMCGRP_WHY_PMU:
		/* Of members but the first perf core says EINVAL too where there is no room. */
		if (err == EINVAL)
			return !pmcgrp_error_member(h) || plan_machine_refuses(counter->attr);
		return err == ENOENT || err == ENXIO || err == ENODEV || err == ENOSYS ||
		       err == EOPNOTSUPP;
	default:
		return false;
	}
}

/* The group of each further task, with the events that the first one has. */
static int more_open(struct counter_set *set, struct counter_group *group, struct pmcgrp *h,
		     const struct counter_target *target)
{
	struct counter_target one = *target;
	struct pmcgrp_spec *spec;
	int ret = 0;

	group->more = calloc(target->nr_more + 1, sizeof(struct pmcgrp_group *));
	if (!group->more)
		return -ENOMEM;
	while (group->nr_more < target->nr_more && ret >= 0) {
		one.id = target->more[group->nr_more];
		ret = spec_make(set, group, &one, &spec);
		if (ret < 0)
			return ret;
		ret = pmcgrp_group_create(h, spec, &group->more[group->nr_more]);
		pmcgrp_spec_free(spec);
		if (ret == -ESRCH && target->may_end)
			ret = 0;
		group->nr_more += ret >= 0;
	}
	return ret;
}

static int group_open(struct counter_set *set, unsigned int index, struct pmcgrp *h,
		      const struct counter_target *target, counter_note_fn note)
{
	struct counter_target of_uncore;
	struct counter_group *group;
	struct counter *counter;
	struct pmcgrp_spec *spec;
	int ret, changed;

	if (counter_group_is_uncore(set, &set->groups[index])) {
		uncore_target(&of_uncore, set, &set->groups[index], target);
		target = &of_uncore;
	}
	for (;;) {
		group = &set->groups[index];
		ret = spec_make(set, group, target, &spec);
		if (ret < 0)
			return ret;
		if (!pmcgrp_spec_nr(spec)) {
			pmcgrp_spec_free(spec);
			return 0;
		}
		ret = pmcgrp_group_create(h, spec, &group->group);
		pmcgrp_spec_free(spec);
		if (ret >= 0 && target->nr_more)
			return more_open(set, group, h, target);
		if (ret >= 0)
			return ret;
		changed = user_mode_degrade(set, group, h, target, note);
		if (!changed)
			changed = guest_exclude(set, h, note);
		if (!changed)
			changed = weak_break_up(set, index, h, -ret, note);
		if (changed < 0)
			return changed;
		if (changed)
			continue;
		counter = pmcgrp_error_member(h) < 0 ?
				  NULL :
				  &set->counters[group->counter_of[pmcgrp_error_member(h)]];
		if (!counter || !lacks_event(h, -ret, counter))
			return ret;
		counter->supported = false;
		if (note)
			note(counter, pmcgrp_strerror(h));
	}
}

/* Pinned ones go first, as perf core schedules them: exec() enables groups in their order. */
static int open_those(struct counter_set *set, bool pinned, struct pmcgrp *h,
		      const struct counter_target *target, counter_note_fn note)
{
	unsigned int i;
	int ret;

	for (i = 0; i < set->nr_groups; i++) {
		if (set->groups[i].pinned != pinned || set->groups[i].pass != set->pass)
			continue;
		ret = group_open(set, i, h, target, note);
		if (ret < 0)
			return ret;
	}
	return 0;
}

int counter_set_open(struct counter_set *set, struct pmcgrp *h,
		     const struct counter_target *target, counter_note_fn note)
{
	unsigned int i;
	int ret;

	for (i = 0; i < set->nr_lines * set->nr; i++)
		set->counts[i].before = (struct reading){ 0 };
	ret = open_those(set, true, h, target, note);
	if (ret >= 0)
		ret = open_those(set, false, h, target, note);
	if (ret < 0)
		counter_set_close(set);
	return ret;
}

void counter_set_close(struct counter_set *set)
{
	unsigned int i;

	for (i = 0; i < set->nr_groups && set->groups; i++) {
		struct counter_group *g = &set->groups[i];

		pmcgrp_group_close(g->group);
		g->group = NULL;
		while (g->nr_more)
			pmcgrp_group_close(g->more[--g->nr_more]);
		free(g->more);
		g->more = NULL;
	}
}

void counter_set_clear(struct counter_set *set)
{
	size_t i;

	for (i = 0; i < (size_t)set->nr_lines * set->nr; i++) {
		struct counts *c = &set->counts[i];

		memset(&c->value, 0, sizeof(c->value));
		memset(&c->enabled, 0, sizeof(c->enabled));
		memset(&c->running, 0, sizeof(c->running));
		c->seen = false;
	}
}

unsigned int counter_set_supported(const struct counter_set *set)
{
	unsigned int i, nr = 0;

	for (i = 0; i < set->nr; i++)
		nr += set->counters[i].supported;
	return nr;
}

/*
 * A pinned group in error reads as end of file, without times. A target that never
 * ran has no times either, but that is no one's fault.
 */
bool counter_group_starved(const struct counter_set *set, unsigned int group)
{
	const struct counter_group *g = &set->groups[group];
	bool waited = g->failed, ran = false, supported = false;
	unsigned int i, line;

	for (i = g->first; i < g->first + g->nr; i++) {
		supported |= set->counters[i].supported;
		for (line = 0; line < set->nr_lines; line++) {
			waited |= counter_counts(set, line, i)->waited;
			ran |= counter_counts(set, line, i)->ran;
		}
	}
	return supported && waited && !ran;
}

double counter_group_share(const struct counter_set *set, unsigned int group)
{
	const struct counter_group *g = &set->groups[group];
	double enabled = 0.0, running = 0.0;
	unsigned int line, i;

	for (line = 0; line < set->nr_lines; line++) {
		for (i = g->first; i < g->first + g->nr; i++) {
			enabled += counter_counts(set, line, i)->enabled.mean;
			running += counter_counts(set, line, i)->running.mean;
		}
	}
	return enabled > 0.0 ? running / enabled : 0.0;
}
