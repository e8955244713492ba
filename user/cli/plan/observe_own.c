// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdio.h>

#include "plan/machine.h"
#include "observe.h"

#define FORMAT (PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

/* Without the members that @observed says are refused; @at: which row each member of it has. */
static int make_spec(struct pmcgrp_spec **spec, const struct pmcgrp_plan_group *group,
		     const struct perf_event_attr *attrs, const struct plan_observed *observed,
		     unsigned int *at)
{
	struct perf_event_attr attr;
	unsigned int i, nr = 0;
	int err;

	err = pmcgrp_spec_new(spec);
	if (err)
		return err;
	err = pmcgrp_spec_set_task(*spec, 0);
	if (!err)
		err = pmcgrp_spec_set_read_format(*spec, FORMAT);
	if (!err)
		err = pmcgrp_spec_set_flags(*spec, PMCGRP_CREATE_DISABLED |
							   (group->pinned ? PMCGRP_CREATE_PINNED : 0));
	for (i = 0; !err && i < group->nr; i++) {
		if (observed[i].err)
			continue;
		attr = attrs[i];
		attr.pinned = attr.exclusive = 0;
		err = pmcgrp_spec_add(*spec, &attr, group->events[i]->name);
		err = err < 0 ? err : 0;
		at[nr++] = i;
	}
	return err;
}

/* EINVAL may be about room as well, unless the event is refused alone. */
static bool is_unsupported(int err, const struct perf_event_attr *attr)
{
	return err == -ENOENT || err == -EOPNOTSUPP || err == -ENODEV ||
	       (err == -EINVAL && plan_machine_refuses(attr));
}

/* As pmcgrp stat: events that the PMU has not are left out. */
static int create(struct pmcgrp *h, struct pmcgrp_group **made, const struct pmcgrp_plan_group *group,
		  const struct perf_event_attr *attrs, struct plan_observed *observed)
{
	unsigned int at[PMCGRP_PLAN_EVENTS_MAX], left;
	struct pmcgrp_spec *spec;
	int err, member;

	for (left = group->nr; left; left--) {
		err = make_spec(&spec, group, attrs, observed, at);
		if (!err)
			err = pmcgrp_group_create(h, spec, made);
		pmcgrp_spec_free(spec);
		member = pmcgrp_error_member(h);
		if (!err || member < 0 || !is_unsupported(err, &attrs[at[member]]))
			return err;
		observed[at[member]].err = err;
	}
	return -ENOENT;
}

/* Of all members that are not refused. */
static void put(struct plan_observed *observed, unsigned int nr, const struct plan_observed *one)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!observed[i].err)
			observed[i] = *one;
		if (observed[i].err)
			observed[i].status = PMCGRP_PLAN_NOT_SUPPORTED;
	}
}

/* A pinned group in error cannot be read. */
static struct plan_observed read_group(struct pmcgrp_group *group)
{
	struct plan_observed one = { .status = PMCGRP_PLAN_NOT_COUNTED };
	uint64_t buf[3 + PMCGRP_PLAN_EVENTS_MAX], enabled, running;
	struct pmcgrp_view view;
	ssize_t len;

	len = pmcgrp_group_read(group, buf, sizeof(buf));
	if (len <= 0 || pmcgrp_view_init(&view, buf, (size_t)len, FORMAT) < 0 ||
	    !pmcgrp_view_time_enabled(&view, &enabled) || !pmcgrp_view_time_running(&view, &running))
		return one;
	one.has_share = true;
	one.share = enabled ? 100.0 * (double)running / (double)enabled : 0;
	if (running)
		one.status = running == enabled ? PMCGRP_PLAN_COUNTED : PMCGRP_PLAN_MULTIPLEXED;
	return one;
}

/* Groups that are open, each with the rows of its events. */
struct own {
	struct pmcgrp *h;
	struct pmcgrp_group *group[PMCGRP_PLAN_EVENTS_MAX];
	struct plan_observed *observed[PMCGRP_PLAN_EVENTS_MAX];
	unsigned int members[PMCGRP_PLAN_EVENTS_MAX];
	bool pinned[PMCGRP_PLAN_EVENTS_MAX];
	unsigned int nr;
};

/* Returns whether it is open. */
static bool open_one(struct own *own, const struct pmcgrp_plan_group *group,
		     const struct perf_event_attr *attrs, struct plan_observed *observed)
{
	struct plan_observed one = { .status = PMCGRP_PLAN_NOT_COUNTED };

	one.err = create(own->h, &own->group[own->nr], group, attrs, observed);
	if (one.err)
		snprintf(one.why, sizeof(one.why), "%s", pmcgrp_strerror(own->h));
	put(observed, group->nr, &one);
	if (one.err)
		return false;
	own->observed[own->nr] = observed;
	own->pinned[own->nr] = group->pinned;
	own->members[own->nr++] = group->nr;
	return true;
}

/* Event by event, as a weak group that was refused. */
static void open_apart(struct own *own, const struct pmcgrp_plan_group *group,
		       const struct perf_event_attr *attrs, struct plan_observed *observed)
{
	struct pmcgrp_plan_group alone = { .nr = 1, .pinned = group->pinned };
	unsigned int i;

	for (i = 0; i < group->nr; i++) {
		alone.events = group->events + i;
		observed[i] = (struct plan_observed){ .err = 0 };
		open_one(own, &alone, attrs + i, &observed[i]);
	}
}

static void open_all(struct own *own, const struct plan_opened *opened, struct plan_observed *observed)
{
	bool apart[PMCGRP_PLAN_EVENTS_MAX] = { false };
	unsigned int i, row = 0;

	for (i = 0; i < opened->nr; row += opened->groups[i++].nr) {
		const struct pmcgrp_plan_group *group = &opened->groups[i];

		apart[i] = !open_one(own, group, opened->attrs + row, observed + row) && group->weak &&
			   group->nr > 1;
	}
	for (i = 0, row = 0; i < opened->nr; row += opened->groups[i++].nr)
		if (apart[i])
			open_apart(own, &opened->groups[i], opened->attrs + row, observed + row);
}

/* Pinned ones first, as pmcgrp stat. */
static void enable_all(const struct own *own)
{
	unsigned int i, pinned;

	for (pinned = 2; pinned--;)
		for (i = 0; i < own->nr; i++)
			if (own->pinned[i] == !!pinned)
				pmcgrp_group_enable(own->group[i]);
}

static void disable_all(const struct own *own)
{
	unsigned int i;

	for (i = 0; i < own->nr; i++)
		pmcgrp_group_disable(own->group[i]);
}

int plan_observe_own(struct pmcgrp *h, const struct plan_opened *opened, unsigned int ms,
		     struct plan_observed *observed)
{
	struct own own = { .h = h };
	struct plan_observed one;
	unsigned int i;

	open_all(&own, opened, observed);
	enable_all(&own);
	plan_busy(ms, NULL, NULL);
	disable_all(&own);
	for (i = 0; i < own.nr; i++) {
		one = read_group(own.group[i]);
		put(own.observed[i], own.members[i], &one);
		pmcgrp_group_close(own.group[i]);
	}
	return 0;
}
