// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Lists of events: from text to groups of attrs.
 *
 * All events of a group are counted by one PMU, as those of a perf group.  If a group in braces
 * names events of several, there is a group for each.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "events.h"
#include "internal.h"
#include "resolve.h"

/**
 * struct adder - the state of pmcgrp_events_add()
 * @codes: what each node stands for
 */
struct adder {
	struct pmcgrp_events *events;
	unsigned int flags;
	struct pmcgrp_events_error *error;
	struct event_syntax syntax;
	struct event_codes *codes;
};

int pmcgrp_events_new(struct pmcgrp_events **out)
{
	if (!out)
		return -EINVAL;
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	(*out)->machine = event_machine_here;
	return 0;
}

static bool is_named(const struct pmu *pmu, const char *name)
{
	return !strcmp(pmu->name, name) ||
	       (pmu->core && !strncmp(pmu->name, "cpu_", 4) && !strcmp(pmu->name + 4, name));
}

int pmcgrp_events_choose_pmu(struct pmcgrp_events *events, const char *name)
{
	const struct pmus *pmus = event_machine_pmus(&events->machine);
	size_t i;

	if (!pmus)
		return -ENOMEM;
	for (i = 0; name && i < pmus->nr && !is_named(&pmus->at[i], name); i++)
		;
	if (name && i == pmus->nr)
		return -ENODEV;
	events->machine.chosen = name ? &pmus->at[i] : NULL;
	return 0;
}

/* Forget what was added beyond the first events and groups. */
static void events_cut(struct pmcgrp_events *events, unsigned int nr, unsigned int nr_groups)
{
	while (events->nr > nr) {
		struct pmcgrp_event *event = &events->at[--events->nr];

		free((void *)event->attr);
		free((void *)event->name);
		free((void *)event->unit);
		free((void *)event->explanation);
	}
	while (events->nr_groups > nr_groups)
		free((void *)events->groups[--events->nr_groups].name);
}

void pmcgrp_events_free(struct pmcgrp_events *events)
{
	if (!events)
		return;
	events_cut(events, 0, 0);
	event_machine_close(&events->machine);
	free(events->at);
	free(events->groups);
	free(events);
}

/* What counter groups cannot have. */
static int check_modifiers(const struct adder *a, const struct event_modifiers *modifiers)
{
	static const struct {
		unsigned int bit;
		const char *why;
	} refused[] = {
		{ EVENT_PRECISE, "P asks for precise samples, and counters take no samples; see "
				 "\"pmcgrp record --every\"" },
		{ EVENT_EXCLUSIVE, "e keeps other groups off the PMU, which counter groups share; "
				   "D keeps this one on it" },
		{ EVENT_BPF, "b counts with a BPF program; a group of CPUs or of a process costs "
			     "less: leave b out" },
		{ EVENT_LATENCY, "R asks for the latency of retirement, which is in samples of perf "
				 "only" },
	};
	size_t i;

	if (a->flags & PMCGRP_EVENTS_ANY)
		return 0;
	if (modifiers->precise)
		return event_fail(a->error, modifiers->column,
				  "p asks for precise samples, and counters take no samples; see "
				  "\"pmcgrp record --every\"");
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		if (modifiers->bits & refused[i].bit)
			return event_fail(a->error, modifiers->column, "%s", refused[i].why);
	}
	return 0;
}

static bool is_software(const struct event_code *code)
{
	return code->type == PERF_TYPE_SOFTWARE || code->type == PERF_TYPE_TRACEPOINT;
}

/* A core PMU counts it, of a machine with one kind of core. */
static bool is_core(const struct event_code *code)
{
	if (code->pmu)
		return code->pmu->core;
	return code->type == PERF_TYPE_HARDWARE || code->type == PERF_TYPE_HW_CACHE ||
	       code->type == PERF_TYPE_RAW;
}

/**
 * struct part - the events of a group that one PMU counts
 * @pmu: the PMU; NULL: the core PMU, or a type that sysfs does not name
 * @software: there is none but software events and tracepoints
 */
struct part {
	const struct pmu *pmu;
	bool software;
};

/* The PMU that groups are made by: all events of the only kind of core are of one. */
static const struct pmu *part_pmu(const struct adder *a, const struct event_code *code)
{
	return code->pmu && code->pmu->core && a->events->machine.pmus.nr_core < 2 ? NULL :
										     code->pmu;
}

static int event_append(struct adder *a, const struct event_node *node, struct event_codes *codes,
			size_t i)
{
	struct pmcgrp_events *events = a->events;
	struct event_code *code = &codes->at[i];
	struct event_modifiers modifiers = node->modifiers;
	struct pmcgrp_event *at, *event;
	const char *shown;

	at = reallocarray(events->at, events->nr + 1, sizeof(*at));
	if (!at)
		return -ENOMEM;
	events->at = at;
	shown = code->name ? code->name : codes->shown[i] ? codes->shown[i] : node->shown;
	if (events->groups[events->nr_groups - 1].nr)
		modifiers.bits &= ~(unsigned int)(EVENT_PINNED | EVENT_EXCLUSIVE);
	event = &at[events->nr];
	*event = (struct pmcgrp_event){
		.attr = event_attr_new(code, &modifiers, a->flags),
		.name = strdup(shown),
		.unit = strdup(code->unit),
		.pmu = code->pmu ? code->pmu->name : NULL,
		.cpus = code->pmu ? code->pmu->cpus : NULL,
		.scale = code->scale,
		.group = events->nr_groups - 1,
		.flags = (code->snapshot ? PMCGRP_EVENT_SNAPSHOT : 0) |
			 (code->per_pkg ? PMCGRP_EVENT_PER_PKG : 0) |
			 (is_core(code) ? PMCGRP_EVENT_CORE : 0),
		.column = node->column,
		.explanation = code->explanation,
	};
	code->explanation = NULL;
	events->nr++;
	if (!event->attr || !event->name || !event->unit)
		return -ENOMEM;
	events->groups[events->nr_groups - 1].nr++;
	return 0;
}

static int group_append(struct adder *a, const struct event_node_group *group, bool braces,
			const struct pmu *pmu)
{
	struct pmcgrp_events *events = a->events;
	unsigned int bits = a->syntax.nodes[group->first].modifiers.bits;
	struct pmcgrp_event_group *groups;
	char *name = NULL;

	groups = reallocarray(events->groups, events->nr_groups + 1, sizeof(*groups));
	if (!groups)
		return -ENOMEM;
	events->groups = groups;
	if (group->name) {
		name = strdup(group->name);
		if (!name)
			return -ENOMEM;
	}
	groups[events->nr_groups++] = (struct pmcgrp_event_group){
		.name = name,
		.pmu = pmu ? pmu->name : NULL,
		.first = events->nr,
		.flags = (bits & EVENT_PINNED ? PMCGRP_EVENT_GROUP_PINNED : 0) |
			 (bits & EVENT_WEAK ? PMCGRP_EVENT_GROUP_WEAK : 0) |
			 (bits & EVENT_EXCLUSIVE ? PMCGRP_EVENT_GROUP_EXCLUSIVE : 0) |
			 (braces ? PMCGRP_EVENT_GROUP_BRACES : 0),
	};
	return 0;
}

/* Without braces each event is a group. */
static int add_singles(struct adder *a, const struct event_node_group *group)
{
	struct event_codes *codes = &a->codes[group->first];
	int ret = 0;
	size_t i;

	for (i = 0; i < codes->nr && ret >= 0; i++) {
		ret = group_append(a, group, false, codes->nr > 1 ? codes->at[i].pmu : NULL);
		if (ret >= 0)
			ret = event_append(a, &a->syntax.nodes[group->first], codes, i);
	}
	return ret;
}

/* Add those of a group's events that are of the part; software events if it is the first one. */
static int add_part(struct adder *a, const struct event_node_group *group, const struct part *part,
		    bool first, bool only)
{
	int ret = group_append(a, group, true, only ? NULL : part->pmu);
	size_t n, i;

	for (n = group->first; n < group->first + group->nr && ret >= 0; n++) {
		for (i = 0; i < a->codes[n].nr && ret >= 0; i++) {
			const struct event_code *code = &a->codes[n].at[i];

			if (is_software(code) ? !first : part_pmu(a, code) != part->pmu)
				continue;
			if (a->events->nr - a->events->groups[a->events->nr_groups - 1].first ==
			    PMCGRP_MEMBERS_MAX)
				return event_fail(a->error, a->syntax.nodes[n].column,
						  "a group has at most %d events",
						  PMCGRP_MEMBERS_MAX);
			ret = event_append(a, &a->syntax.nodes[n], &a->codes[n], i);
		}
	}
	return ret;
}

/* Whether an event before this one is of the same part. */
static bool seen(const struct adder *a, const struct event_node_group *group, size_t node, size_t at)
{
	const struct pmu *pmu = part_pmu(a, &a->codes[node].at[at]);
	size_t n, i;

	for (n = group->first; n <= node; n++) {
		for (i = 0; i < (n == node ? at : a->codes[n].nr); i++) {
			if (!is_software(&a->codes[n].at[i]) && part_pmu(a, &a->codes[n].at[i]) == pmu)
				return true;
		}
	}
	return false;
}

static int add_braces(struct adder *a, const struct event_node_group *group)
{
	unsigned int nr = 0, done = 0;
	int ret = 0;
	size_t n, i;

	for (n = group->first; n < group->first + group->nr; n++) {
		for (i = 0; i < a->codes[n].nr; i++)
			nr += !is_software(&a->codes[n].at[i]) && !seen(a, group, n, i);
	}
	if (!nr)
		return add_part(a, group, &(struct part){ .software = true }, true, true);
	for (n = group->first; n < group->first + group->nr && ret >= 0; n++) {
		for (i = 0; i < a->codes[n].nr && ret >= 0; i++) {
			const struct event_code *code = &a->codes[n].at[i];

			if (is_software(code) || seen(a, group, n, i))
				continue;
			ret = add_part(a, group, &(struct part){ .pmu = part_pmu(a, code) },
				       !done++, nr == 1);
		}
	}
	return ret;
}

static int resolve_all(struct adder *a)
{
	int ret = 0;
	size_t i;

	a->codes = calloc(a->syntax.nr, sizeof(*a->codes));
	if (!a->codes)
		return -ENOMEM;
	for (i = 0; i < a->syntax.nr && !ret; i++) {
		ret = check_modifiers(a, &a->syntax.nodes[i].modifiers);
		if (!ret)
			ret = event_resolve(&a->events->machine, &a->syntax.nodes[i], a->flags,
					    &a->codes[i], a->error);
	}
	return ret;
}

/* Modifiers of a group are checked where they were written. */
static int check_groups(const struct adder *a)
{
	int ret = 0;
	size_t i;

	for (i = 0; i < a->syntax.nr_groups && !ret; i++)
		ret = check_modifiers(a, &a->syntax.groups[i].modifiers);
	return ret;
}

static int add_all(struct adder *a)
{
	int ret = check_groups(a);
	size_t i;

	if (!ret)
		ret = resolve_all(a);
	for (i = 0; i < a->syntax.nr_groups && !ret; i++) {
		const struct event_node_group *group = &a->syntax.groups[i];

		ret = group->braces ? add_braces(a, group) : add_singles(a, group);
	}
	return ret;
}

int pmcgrp_events_add(struct pmcgrp_events *events, const char *text, unsigned int flags,
		      struct pmcgrp_events_error *error)
{
	struct pmcgrp_events_error unread;
	struct adder a = { .events = events, .flags = flags, .error = error ? error : &unread };
	unsigned int nr, nr_groups;
	size_t i;
	int ret;

	if (!events || !text || flags & ~(PMCGRP_EVENTS_ANY | PMCGRP_EVENTS_EXPLAIN))
		return event_fail(a.error, 0, "pmcgrp_events_add() was called with what it does not "
				  "take");
	nr = events->nr;
	nr_groups = events->nr_groups;
	ret = event_syntax_parse(&a.syntax, text, a.error);
	if (ret < 0)
		return ret;
	ret = add_all(&a);
	if (ret < 0)
		events_cut(events, nr, nr_groups);
	for (i = 0; i < a.syntax.nr && a.codes; i++)
		event_codes_free(&a.codes[i]);
	free(a.codes);
	event_syntax_free(&a.syntax);
	return ret;
}

int pmcgrp_events_parse(struct pmcgrp_events **out, const char *text, unsigned int flags,
			struct pmcgrp_events_error *error)
{
	int ret = pmcgrp_events_new(out);

	if (ret < 0)
		return ret;
	ret = pmcgrp_events_add(*out, text, flags, error);
	if (ret < 0) {
		pmcgrp_events_free(*out);
		*out = NULL;
	}
	return ret;
}

unsigned int pmcgrp_events_nr(const struct pmcgrp_events *events)
{
	return events->nr;
}

unsigned int pmcgrp_events_nr_groups(const struct pmcgrp_events *events)
{
	return events->nr_groups;
}

const struct pmcgrp_event *pmcgrp_events_at(const struct pmcgrp_events *events, unsigned int i)
{
	return i < events->nr ? &events->at[i] : NULL;
}

const struct pmcgrp_event_group *pmcgrp_events_group(const struct pmcgrp_events *events,
						     unsigned int i)
{
	return i < events->nr_groups ? &events->groups[i] : NULL;
}
