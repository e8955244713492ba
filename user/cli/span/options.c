// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of span: functions and options, and behind -- a command. */
#include <stdlib.h>
#include <string.h>

#include "args/cli.h"
#include "args/common_options.h"
#include "span_options.h"
#include "point_pair.h"

static const struct option_line lines[] = {
	OPTION_EVENT(struct span_options, ),
	OPTION_TARGETS(struct span_options, ),
	OPTION_TEXT("cgroup", 'G', struct span_options, cgroups),
	OPTION_NO_INHERIT(struct span_options, ),
	OPTION_BACKGROUND(struct span_options, ),
	OPTION_NUMBER("max-active", 0, struct span_options, max_active, 1, 0,
		      "a number of calls, 1 or more"),
	OPTION_SWITCH("force", 0, struct span_options, force),
	OPTION_SWITCH("histogram", 'H', struct span_options, show.histogram),
	OPTION_INTERVALS(struct span_options, show.),
	OPTION_JSON(struct span_options, show.),
	OPTION_SEPARATOR(struct span_options, show.),
	OPTION_OUTPUT(struct span_options),
	OPTION_ARGUMENT("by", 0, struct span_options, by, section_take_by),
	OPTION_NUMBER("top", 0, struct span_options, by.top, 1, 0, "a number of keys, 1 or more"),
	OPTION_TEXT("record", 0, struct span_options, record),
	OPTION_MMAP_PAGES(struct span_options, ),
	OPTION_HELP(span_help),
	{ .kind = OPTION_END },
};

static int check_target(const struct span_options *o)
{
	bool cpus = o->all_cpus || o->has_cpus, tasks = o->pids.nr || o->tids.nr;

	if (!o->nr_functions)
		return args_wrong("no function: name one of the kernel's (/proc/kallsyms), as in "
				  "\"pmcgrp span vfs_read -- command\", or a pair of tracepoints");
	if (!o->command && !tasks && !cpus && !o->cgroups)
		return args_wrong("nobody to count: give a command behind --, -p PIDS, -t TIDS, -G "
				  "CGROUP, -a or -C CPUS");
	if (o->pids.nr && o->tids.nr)
		return args_wrong("-p and -t exclude each other: a group counts a process or a thread");
	if (tasks && cpus)
		return args_wrong("-p and -t exclude -a and -C: a group counts tasks wherever they run, "
				  "or CPUs whatever runs there");
	if (o->cgroups && (tasks || o->has_cpus))
		return args_wrong("-G excludes -p, -t and -C: a group of a cgroup counts whoever is in "
				  "it, on all CPUs");
	if (o->no_inherit && (cpus || tasks || o->cgroups))
		return args_wrong("-i leaves out what a command creates; there is none that is counted");
	return 1;
}

/* What can be told wrong before the kernel is asked. */
static int check_points(const struct span_options *o)
{
	struct point_pair pair;
	unsigned int i;

	for (i = 0; i < o->nr_functions; i++)
		if (point_is_pair(o->functions[i]) && point_parse(&pair, o->functions[i]))
			return -EXIT_TOOL;
	return 1;
}

static int check_show(const struct section_options *show, bool by)
{
	if (show->separator && show->json)
		return args_wrong("-x and -j exclude each other");
	if (show->histogram && show->separator)
		return args_wrong("--histogram is for people, or for -j with --by: CSV has no place "
				  "for it");
	if (show->histogram && show->json && !by)
		return args_wrong("--histogram is for people; -j has the buckets anyway, but for "
				  "those of --by");
	if (show->interval_count && !show->interval)
		return args_wrong("--interval-count counts the intervals of -I: give -I as well");
	return 1;
}

static int check_by(const struct span_options *o)
{
	if (!o->by.is && o->by.top)
		return args_wrong("--top leaves out keys of --by: give that as well");
	if (o->by.is && o->show.interval)
		return args_wrong("--by is of all the time, and -I of intervals: give one of them");
	return 1;
}

static int check_record(const struct span_options *o)
{
	if (!o->record && o->pages)
		return args_wrong("-m is the size of the rings of --record: give that as well");
	if (!o->record)
		return 1;
	if (o->show.interval)
		return args_wrong("--record is of all the time, and -I of intervals: give one of "
				  "them");
	/* The module has no rings for such a group. */
	if (o->cgroups)
		return args_wrong("--record excludes -G: record everyone's, -a, with --by cgroup");
	if (!*o->record || !strcmp(o->record, "-"))
		return args_wrong("--record wants a file, which perf and \"pmcgrp report\" read: "
				  "it cannot be written into a pipe");
	return 1;
}

/* Where the command begins: behind the first "--". */
static int functions_end(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc && strcmp(argv[i], "--"); i++)
		;
	return i;
}

int span_options_parse(struct span_options *o, int argc, char **argv)
{
	int ret, end = functions_end(argc, argv);

	memset(o, 0, sizeof(*o));
	if (end + 1 < argc)
		o->command = argv + end + 1;
	ret = option_parse(o, lines, NULL, false, end, argv);
	o->by.histograms = o->show.histogram;
	for (; ret > 0 && optind < end; optind++)
		ret = args_append(&o->functions, &o->nr_functions, argv[optind]);
	if (ret > 0)
		ret = check_target(o);
	if (ret > 0)
		ret = check_points(o);
	if (ret > 0)
		ret = check_show(&o->show, o->by.is);
	if (ret > 0)
		ret = check_by(o);
	return ret > 0 ? check_record(o) : ret;
}

void span_options_free(struct span_options *o)
{
	free(o->functions);
	free(o->events);
	free(o->pids.id);
	free(o->tids.id);
}
