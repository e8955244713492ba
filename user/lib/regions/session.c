// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What all threads of a session count: the events, as a spec for each thread's group. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regions/process.h"

static int fail(int err, const char *text)
{
	snprintf(regions.failure, sizeof(regions.failure), "%s", text);
	return err;
}

static int fail_handle(int err)
{
	const char *text = pmcgrp_strerror(regions.h);

	return fail(err, *text ? text : strerror(-err));
}

/* ---- Events by name ---- */

/* The events of all groups of the text, one after the other. */
static int add_all(const struct pmcgrp_events *events)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < pmcgrp_events_nr_groups(events) && ret >= 0; i++)
		ret = pmcgrp_spec_add_events(regions.spec, events, i);
	if (ret == -ENOSPC)
		return fail(ret, "these are more events than a group can have: a thread counts all "
			    "of them in one");
	return ret < 0 ? fail(ret, strerror(-ret)) : 0;
}

static int add_text(const char *text, struct pmcgrp_events_error *error)
{
	struct pmcgrp_events *events;
	int ret = pmcgrp_events_parse(&events, text, 0, error);

	regions.column = error->column;
	if (ret < 0)
		return fail(ret, ret == -EINVAL ? error->text : strerror(-ret));
	ret = add_all(events);
	pmcgrp_events_free(events);
	return ret;
}

/* ---- Where no events are named ---- */

/* Whether the last member can be counted by itself. Returns 0 or a negative errno. */
static int try_event(const char *name)
{
	struct pmcgrp_group *group;
	struct pmcgrp_spec *spec;
	int ret = pmcgrp_spec_new(&spec);

	if (ret < 0)
		return ret;
	pmcgrp_spec_set_flags(spec, PMCGRP_CREATE_DISABLED);
	ret = pmcgrp_group_open(regions.h, name, spec, &group);
	if (!ret)
		pmcgrp_group_close(group);
	pmcgrp_spec_free(spec);
	return ret;
}

static bool not_permitted(int err)
{
	return err == -EACCES || err == -EPERM;
}

/* An event of these, in user mode alone where perf's sysctl does not permit more. */
static int add_default(const char *name)
{
	struct pmcgrp_events_error error = { 0 };
	char user[64];
	int ret = try_event(name);

	if (not_permitted(ret) && pmcgrp_backend(regions.h) == PMCGRP_BACKEND_PERF) {
		snprintf(user, sizeof(user), "%s:u", name);
		name = user;
		ret = try_event(name);
	}
	return ret ? ret : add_text(name, &error);
}

/* As "pmcgrp stat": those that this machine has. */
static int add_defaults(void)
{
	static const char *const names[] = { "cycles", "instructions", "branches", "branch-misses",
					     NULL, "task-clock", "page-faults" };
	size_t i;
	int ret;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!names[i] && pmcgrp_spec_nr(regions.spec))
			break;
		ret = names[i] ? add_default(names[i]) : 0;
		if (not_permitted(ret) || ret == -ENOMEM)
			return fail_handle(ret);
	}
	return pmcgrp_spec_nr(regions.spec) ? 0 : fail_handle(-EOPNOTSUPP);
}

/* ---- The session ---- */

static int keep_names(void)
{
	unsigned int i;

	regions.nr_members = pmcgrp_spec_nr(regions.spec);
	regions.names = calloc(regions.nr_members ? regions.nr_members : 1, sizeof(*regions.names));
	for (i = 0; regions.names && i < regions.nr_members; i++) {
		regions.names[i] = member_name(&regions.spec->members[i]);
		if (!regions.names[i])
			return -ENOMEM;
	}
	return regions.names ? 0 : -ENOMEM;
}

static int prepare(void)
{
	struct pmcgrp_events_error error = { 0 };
	bool named = regions.events && regions.events[0];
	int ret;

	/* Threads that cannot count are shown with their calls alone. */
	ret = pmcgrp_open(&regions.h, regions.flags);
	if (ret < 0)
		return fail(ret, pmcgrp_strerror(NULL));
	ret = pmcgrp_spec_new(&regions.spec);
	if (ret < 0)
		return fail(ret, strerror(-ret));
	ret = named ? add_text(regions.events, &error) : add_defaults();
	if (ret < 0)
		return ret;
	regions.spec->flags |= PMCGRP_CREATE_USER_READ;
	ret = keep_names();
	return ret ? fail(ret, strerror(-ret)) : 0;
}

static void close_all(void)
{
	unsigned int i;

	for (i = 0; regions.names && i < regions.nr_members; i++)
		free(regions.names[i]);
	free(regions.names);
	regions.names = NULL;
	regions.nr_members = 0;
	pmcgrp_spec_free(regions.spec);
	regions.spec = NULL;
	pmcgrp_close(regions.h);
	regions.h = NULL;
}

int region_session_prepare(void)
{
	int ret;

	if (regions.ready)
		return 0;
	regions.failure[0] = '\0';
	ret = prepare();
	if (ret)
		close_all();
	regions.ready = true;
	return ret;
}

void region_session_forget(void)
{
	close_all();
	regions.ready = false;
	regions.failure[0] = '\0';
}

/* The time, and the members. */
int region_set_name_values(struct region_set *set)
{
	unsigned int i;
	int ret = region_set_init(set, 1 + regions.nr_members);

	for (i = 0; !ret && i < set->nr_values; i++) {
		set->values[i] = strdup(i ? regions.names[i - 1] : "time");
		if (!set->values[i])
			ret = -ENOMEM;
	}
	return ret;
}
