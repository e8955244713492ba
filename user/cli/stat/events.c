// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The events of stat: from -e to counters. */
#include <errno.h>
#include <stdlib.h>

#include "common/cli.h"
#include "common/modes.h"
#include "stat.h"

static const char default_events[] =
	"{task-clock,context-switches,cpu-migrations,page-faults},"
	"{cycles,instructions,branches,branch-misses}";

/* perf stat's choice, too: a CPU's own clock does not stop when it idles. */
static const char default_cpu_events[] =
	"{cpu-clock,context-switches,cpu-migrations,page-faults},"
	"{cycles,instructions,branches,branch-misses}";

/* What each further -d adds, perf stat's events. Pairs, for a PMU of few counters to have. */
static const char *const detailed_events[] = {
	"{L1-dcache-loads,L1-dcache-load-misses},{LLC-loads,LLC-load-misses}",
	"{L1-icache-loads,L1-icache-load-misses},{dTLB-loads,dTLB-load-misses},"
	"{iTLB-loads,iTLB-load-misses}",
	"{L1-dcache-prefetches,L1-dcache-prefetch-misses}",
};

#define NR_DETAILED (sizeof(detailed_events) / sizeof(detailed_events[0]))

/* Lists of events, and the number of the items that they came to so far. */
struct strings {
	const char **at;
	size_t *ends;
	unsigned int nr;
};

static int strings_init(struct strings *strings, const struct stat_options *o)
{
	bool cpus = stat_counts_cpus(o) && o->aggr != AGGR_THREAD;
	unsigned int i;

	*strings = (struct strings){ 0 };
	strings->at = calloc(o->nr_events + 1 + NR_DETAILED, sizeof(*strings->at));
	strings->ends = calloc(o->nr_events + 1 + NR_DETAILED, sizeof(*strings->ends));
	if (!strings->at || !strings->ends)
		return -ENOMEM;
	for (i = 0; i < o->nr_events; i++)
		strings->at[strings->nr++] = o->events[i];
	if (!o->nr_events)
		strings->at[strings->nr++] = cpus ? default_cpu_events : default_events;
	for (i = 0; i < o->detailed && i < NR_DETAILED; i++)
		strings->at[strings->nr++] = detailed_events[i];
	return 0;
}

static void strings_free(struct strings *strings)
{
	free(strings->at);
	free(strings->ends);
}

static void say_event_error(const char *string, const struct event_error *error)
{
	cli_say("-e: %s", error->text);
	cli_point(string, error->column);
}

/* The string that the list's item @bad came from. */
static const char *string_of(const struct strings *strings, size_t bad)
{
	unsigned int i;

	for (i = 0; i < strings->nr; i++) {
		if (bad < strings->ends[i])
			return strings->at[i];
	}
	return "";
}

static int events_lookup(struct stat_run *st, const struct event_list *list,
			 const struct strings *strings)
{
	struct event_error error;
	size_t bad;
	int ret;

	ret = counter_set_init(&st->set, list, &st->aggr, &error, &bad);
	if (ret == -ENOENT)
		say_event_error(string_of(strings, bad), &error);
	else if (ret < 0)
		cli_say_errno("cannot set up the events", -ret);
	return ret < 0 ? EXIT_TOOL : 0;
}

static int strings_parse(struct strings *strings, struct event_list *list)
{
	struct event_error error;
	unsigned int i;
	int ret;

	for (i = 0; i < strings->nr; i++) {
		ret = event_list_parse(list, strings->at[i], &error);
		if (ret == -EINVAL)
			say_event_error(strings->at[i], &error);
		else if (ret < 0)
			cli_say_errno("cannot set up the events", -ret);
		if (ret < 0)
			return EXIT_TOOL;
		strings->ends[i] = list->nr;
	}
	return 0;
}

int stat_events_init(struct stat_run *st)
{
	const struct stat_options *o = &st->options;
	struct event_list list = { 0 };
	struct strings strings;
	int ret;

	if (o->null_run) {
		st->set.aggr = &st->aggr;
		return 0;
	}
	ret = strings_init(&strings, o);
	ret = ret < 0 ? cli_say_errno("cannot set up the events", -ret) :
			strings_parse(&strings, &list);
	if (!ret)
		ret = events_lookup(st, &list, &strings);
	if (!ret) {
		modes_set(&st->set, o->all_user, o->all_kernel);
		st->set.unscaled = o->no_scale;
	}
	event_list_free(&list);
	strings_free(&strings);
	return ret;
}
