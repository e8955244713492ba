// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* From a list of events to groups that count them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "internal.h"
#include "event/event_syntax.h"

int pmcgrp_spec_add_events(struct pmcgrp_spec *spec, const struct pmcgrp_events *events,
			   unsigned int group)
{
	const struct pmcgrp_event_group *g = events ? pmcgrp_events_group(events, group) : NULL;
	const struct pmcgrp_event *event;
	int first = -EINVAL, ret;
	unsigned int i;

	if (!spec || !g)
		return -EINVAL;
	for (i = 0; i < g->nr; i++) {
		event = pmcgrp_events_at(events, g->first + i);
		ret = pmcgrp_spec_add_sized(spec, event->attr, event->attr->size, event->name);
		if (ret < 0)
			return ret;
		if (!i)
			first = ret;
	}
	if (g->flags & PMCGRP_EVENT_GROUP_PINNED)
		spec->flags |= PMCGRP_CREATE_PINNED;
	return first;
}

/* A copy to add members to. */
static int spec_copy(struct pmcgrp_spec **out, const struct pmcgrp_spec *spec)
{
	struct pmcgrp_spec *copy;
	unsigned int i;
	int ret = pmcgrp_spec_new(&copy);

	if (ret < 0)
		return ret;
	copy->target_type = spec->target_type;
	copy->target_id = spec->target_id;
	copy->cpus = spec->cpus;
	copy->flags = spec->flags;
	copy->read_format = spec->read_format;
	for (i = 0; i < spec->nr && ret >= 0; i++)
		ret = pmcgrp_spec_add_sized(copy, spec->members[i].attr, spec->members[i].attr->size,
					    spec->members[i].name);
	if (ret < 0) {
		pmcgrp_spec_free(copy);
		return ret;
	}
	*out = copy;
	return 0;
}

static int fail_events(struct pmcgrp *h, const char *text, const struct pmcgrp_events_error *error)
{
	begin(&h->failure, PMCGRP_WHY_NONE, -1, -1);
	say(&h->failure, "events \"%.80s\", character %zu: %s", text, error->column + 1,
	    error->text);
	return -EINVAL;
}

static int fail_plain(struct pmcgrp *h, int ret)
{
	begin(&h->failure, ret == -ENOMEM ? PMCGRP_WHY_NOMEM : PMCGRP_WHY_NONE, -1, -1);
	say(&h->failure, "cannot set up the group: ");
	say_errno(&h->failure, -ret);
	return ret;
}

static int events_parse(struct pmcgrp *h, const char *text, struct pmcgrp_events **out)
{
	struct pmcgrp_events_error error = { 0 };
	int ret = pmcgrp_events_parse(out, text, 0, &error);

	if (ret == -EINVAL)
		return fail_events(h, text, &error);
	return ret < 0 ? fail_plain(h, ret) : 0;
}

static int one_group_only(struct pmcgrp *h, const char *text, const struct pmcgrp_events *events)
{
	struct pmcgrp_events_error error = { 0 };

	if (pmcgrp_events_nr_groups(events) == 1)
		return 0;
	error.column = pmcgrp_events_at(events, pmcgrp_events_group(events, 1)->first)->column;
	event_fail(&error, error.column, "this is a second group: put all events into one pair of "
		   "braces, and name those of one PMU; pmcgrp_groups_open() opens several groups");
	return fail_events(h, text, &error);
}

static int open_one(struct pmcgrp *h, const struct pmcgrp_events *events, unsigned int group,
		    const struct pmcgrp_spec *spec, struct pmcgrp_group **out)
{
	struct pmcgrp_spec *all = NULL;
	int ret = spec ? spec_copy(&all, spec) : pmcgrp_spec_new(&all);

	if (ret >= 0)
		ret = pmcgrp_spec_add_events(all, events, group);
	ret = ret < 0 ? fail_plain(h, ret) : pmcgrp_group_create(h, all, out);
	pmcgrp_spec_free(all);
	return ret;
}

int pmcgrp_group_open(struct pmcgrp *h, const char *text, const struct pmcgrp_spec *spec,
		      struct pmcgrp_group **out)
{
	struct pmcgrp_events *events = NULL;
	int ret;

	*out = NULL;
	ret = events_parse(h, text, &events);
	if (ret < 0)
		return ret;
	ret = one_group_only(h, text, events);
	if (!ret)
		ret = open_one(h, events, 0, spec, out);
	pmcgrp_events_free(events);
	return ret;
}

int pmcgrp_groups_open(struct pmcgrp *h, const char *text, const struct pmcgrp_spec *spec,
		       struct pmcgrp_group ***out)
{
	struct pmcgrp_events *events = NULL;
	struct pmcgrp_group **groups;
	unsigned int i, nr;
	int ret;

	*out = NULL;
	ret = events_parse(h, text, &events);
	if (ret < 0)
		return ret;
	nr = pmcgrp_events_nr_groups(events);
	groups = calloc(nr, sizeof(struct pmcgrp_group *));
	if (!groups)
		ret = fail_plain(h, -ENOMEM);
	for (i = 0; i < nr && !ret; i++)
		ret = open_one(h, events, i, spec, &groups[i]);
	pmcgrp_events_free(events);
	if (ret < 0) {
		pmcgrp_groups_close(groups, nr);
		return ret;
	}
	*out = groups;
	return (int)nr;
}

void pmcgrp_groups_close(struct pmcgrp_group **groups, unsigned int nr)
{
	unsigned int i;

	for (i = 0; groups && i < nr; i++)
		pmcgrp_group_close(groups[i]);
	free(groups);
}
