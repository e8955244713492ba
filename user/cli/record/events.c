// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What record counts, and when: from the command line to attrs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/cli.h"
#include "common/modes.h"
#include "record.h"

static const char default_events[] = "{cycles,instructions,branches,branch-misses}";

/* What there is without a PMU. */
static const char software_events[] = "{task-clock,context-switches,page-faults}";

static int say_event_error(const char *string, const struct event_error *error)
{
	cli_say("-e: %s", error->text);
	cli_point(string, error->column);
	return EXIT_TOOL;
}

/* A pair of braces more would be a group more, with a ring of its own. */
static int check_groups(const struct event_list *list)
{
	size_t i;

	if (list->nr > PMCGRP_MEMBERS_MAX) {
		cli_say("-e: a group has %d events at most", PMCGRP_MEMBERS_MAX);
		return EXIT_TOOL;
	}
	for (i = 1; i < list->nr && list->nr_groups > 1; i++) {
		if (list->items[i].group != list->items[i - 1].group)
			continue;
		cli_say("-e: all events are one group here: put them into one pair of braces, or "
			"start one \"pmcgrp record\" for each group");
		return EXIT_TOOL;
	}
	return 0;
}

static int list_init(struct record_run *r, struct event_list *list)
{
	const struct record_options *o = &r->options;
	unsigned int i, nr = o->nr_events ? o->nr_events : 1;
	struct event_error error;
	const char *string = r->fell_back ? software_events : default_events;
	size_t done = 0, bad;
	int ret;

	for (i = 0; i < nr; i++) {
		if (o->nr_events)
			string = o->events[i];
		ret = event_list_parse(list, string, &error);
		if (ret == -EINVAL)
			return say_event_error(string, &error);
		if (ret < 0)
			return cli_say_errno("cannot set up the events", -ret);
	}
	ret = check_groups(list);
	if (ret)
		return ret;
	for (i = 0; i < list->nr; i++)
		list->items[i].group = 0;
	list->nr_groups = 1;
	ret = counter_set_init(&r->set, list, &r->aggr, &error, &bad);
	if (!ret)
		modes_set(&r->set, o->all_user, o->all_kernel);
	if (ret != -ENOENT)
		return ret < 0 ? cli_say_errno("cannot set up the events", -ret) : 0;
	/* Which of the strings it was: they have been parsed once already. */
	for (i = 0; i < o->nr_events; i++) {
		struct event_list again = { 0 };

		string = o->events[i];
		if (event_list_parse(&again, string, &error) < 0)
			break;
		done += again.nr;
		event_list_free(&again);
		if (bad < done)
			break;
	}
	counter_set_init(&r->set, list, &r->aggr, &error, &bad);
	return say_event_error(string, &error);
}

/* Of -c it is the first event that is counted, as perf record's. */
static int every_init(struct record_run *r, struct record_trigger *t, struct event_error *error)
{
	if (!t->text &&
	    asprintf(&t->text, "%d:%s", t->count, r->set.counters[0].name) < 0) {
		t->text = NULL;
		return -ENOMEM;
	}
	return trigger_every(&r->triggers[r->nr_triggers], t->text, record_of_cpus(&r->options),
			     error);
}

static int triggers_init(struct record_run *r)
{
	struct record_options *o = &r->options;
	struct event_error error;
	const char *option;
	unsigned int i;
	int ret;

	for (i = 0; i < o->nr_triggers; i++) {
		struct record_trigger *t = &o->triggers[i];

		if (t->every)
			ret = every_init(r, t, &error);
		else
			ret = trigger_on(&r->triggers[i], t->text, &trigger_folders, &error);
		if (ret == -EINVAL) {
			option = t->count ? "-c" : t->every ? "--every" : "--on";
			cli_say("%s: %s", option, error.text);
			cli_point(t->text, error.column);
			return EXIT_TOOL;
		}
		if (ret < 0)
			return cli_say_errno("cannot set up the triggers", -ret);
		r->nr_triggers++;
	}
	return 0;
}

int record_events_fall_back(struct record_run *r)
{
	struct event_list list = { 0 };
	int ret;

	if (r->options.nr_events || r->fell_back)
		return EXIT_TOOL;
	r->fell_back = true;
	counter_set_free(&r->set);
	ret = list_init(r, &list);
	event_list_free(&list);
	return ret;
}

int record_events_init(struct record_run *r)
{
	struct event_list list = { 0 };
	struct pmcgrp_cpus none = { 0 };
	int bad, ret;

	ret = aggr_init(&r->aggr, AGGR_GLOBAL, &none, AGGR_FOLDER, &bad);
	if (ret < 0)
		return cli_say_errno("cannot set up the events", -ret);
	ret = list_init(r, &list);
	event_list_free(&list);
	return ret ? ret : triggers_init(r);
}
