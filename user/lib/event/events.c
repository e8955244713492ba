// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Lists of events: from text to groups of attrs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "events.h"
#include "internal.h"
#include "split.h"

/**
 * struct adder - the state of pmcgrp_events_add()
 * @from: index of the first event that is added
 * @codes: what each node stands for
 */
struct adder {
	struct pmcgrp_events *events;
	unsigned int flags;
	unsigned int from;
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

/* A core PMU counts it, of a machine with one kind of core. */
static bool is_core(const struct event_code *code)
{
	if (code->pmu)
		return code->pmu->core;
	return code->type == PERF_TYPE_HARDWARE || code->type == PERF_TYPE_HW_CACHE ||
	       code->type == PERF_TYPE_RAW;
}

/*
 * Boxes that one name stands for, and whose counts are of one kind, are summed up: the first of
 * them, or @at itself.
 */
static unsigned int sum_of(const struct adder *a, const struct event_code *code, unsigned int at)
{
	const struct pmcgrp_event *event = &a->events->at[at];
	unsigned int i;

	for (i = a->from; i < at && code->pmu && !code->pmu->core; i++) {
		const struct pmcgrp_event *other = &a->events->at[i];

		if (other->column == event->column && other->pmu &&
		    strcmp(other->pmu, event->pmu) && !strcmp(other->name, event->name) &&
		    !strcmp(other->unit, event->unit) && other->scale == event->scale)
			return other->sum;
	}
	return at;
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
			 (is_core(code) ? PMCGRP_EVENT_CORE : 0) |
			 (code->pmu && code->pmu->uncore ? PMCGRP_EVENT_UNCORE : 0),
		.column = node->column,
		.explanation = code->explanation,
	};
	code->explanation = NULL;
	events->nr++;
	if (!event->attr || !event->name || !event->unit)
		return -ENOMEM;
	event->sum = sum_of(a, code, events->nr - 1);
	events->groups[events->nr_groups - 1].nr++;
	return 0;
}

static int group_append(struct adder *a, const struct event_node_group *group,
			const struct event_split_part *part)
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
		.pmu = part->pmu ? part->pmu->name : NULL,
		.first = events->nr,
		.flags = (bits & EVENT_PINNED ? PMCGRP_EVENT_GROUP_PINNED : 0) |
			 (bits & EVENT_WEAK ? PMCGRP_EVENT_GROUP_WEAK : 0) |
			 (bits & EVENT_EXCLUSIVE ? PMCGRP_EVENT_GROUP_EXCLUSIVE : 0) |
			 (group->braces ? PMCGRP_EVENT_GROUP_BRACES : 0) |
			 (part->lacks ? PMCGRP_EVENT_GROUP_SPLIT : 0),
	};
	return 0;
}

static int add_part(struct adder *a, const struct event_node_group *group,
		    const struct event_split *split, const struct event_split_part *part)
{
	int ret = group_append(a, group, part);
	size_t i;

	for (i = 0; i < part->nr && ret >= 0; i++) {
		const struct event_split_entry *e = &split->entries[part->first + i];
		size_t node = group->first + e->node;

		if (i == PMCGRP_MEMBERS_MAX)
			return event_fail(a->error, a->syntax.nodes[node].column,
					  "a group has at most %d events", PMCGRP_MEMBERS_MAX);
		ret = event_append(a, &a->syntax.nodes[node], &a->codes[node], e->code);
	}
	return ret;
}

static int add_group(struct adder *a, const struct event_node_group *group)
{
	struct event_split split;
	size_t i;
	int ret;

	ret = event_split(&split, group->braces, &a->codes[group->first], group->nr,
			  a->events->machine.pmus.nr_core);
	for (i = 0; i < split.nr_parts && ret >= 0; i++)
		ret = add_part(a, group, &split, &split.parts[i]);
	event_split_free(&split);
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
	for (i = 0; i < a->syntax.nr_groups && !ret; i++)
		ret = add_group(a, &a->syntax.groups[i]);
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
	nr = a.from = events->nr;
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
