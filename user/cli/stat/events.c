// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The events of stat: from -e to counters. */
#include <errno.h>
#include <stdlib.h>

#include "common/cli.h"
#include "stat.h"

static const char default_events[] =
	"{task-clock,context-switches,cpu-migrations,page-faults},"
	"{cycles,instructions,branches,branch-misses}";

/* perf stat's choice, too: a CPU's own clock does not stop when it idles. */
static const char default_cpu_events[] =
	"{cpu-clock,context-switches,cpu-migrations,page-faults},"
	"{cycles,instructions,branches,branch-misses}";

static void say_event_error(const char *string, const struct event_error *error)
{
	cli_say("-e: %s", error->text);
	cli_point(string, error->column);
}

/* The string that the list's item @bad came from, given how many each brought. */
static const char *string_of(const struct stat_options *o, const size_t *ends, size_t bad)
{
	unsigned int i;

	for (i = 0; i < o->nr_events; i++) {
		if (bad < ends[i])
			return o->events[i];
	}
	return "";
}

static int events_lookup(struct stat_run *st, const struct event_list *list, const size_t *ends)
{
	struct event_error error;
	size_t bad;
	int ret;

	ret = counter_set_init(&st->set, list, &st->aggr, &error, &bad);
	if (ret == -ENOENT)
		say_event_error(string_of(&st->options, ends, bad), &error);
	else if (ret < 0)
		cli_say_errno("cannot set up the events", -ret);
	return ret < 0 ? EXIT_TOOL : 0;
}

int stat_events_init(struct stat_run *st)
{
	struct stat_options *o = &st->options;
	struct event_list list = { 0 };
	struct event_error error;
	const char *string = stat_counts_cpus(o) ? default_cpu_events : default_events;
	unsigned int i, nr = o->nr_events ? o->nr_events : 1;
	size_t *ends = calloc(nr, sizeof(*ends));
	int ret = EXIT_TOOL;

	if (!ends)
		return cli_say_errno("cannot set up the events", ENOMEM);
	for (i = 0; i < nr; i++) {
		if (o->nr_events)
			string = o->events[i];
		ret = event_list_parse(&list, string, &error);
		if (ret < 0) {
			if (ret == -EINVAL)
				say_event_error(string, &error);
			else
				cli_say_errno("cannot set up the events", -ret);
			ret = EXIT_TOOL;
			goto out;
		}
		ends[i] = list.nr;
	}
	ret = events_lookup(st, &list, ends);
out:
	event_list_free(&list);
	free(ends);
	return ret;
}
