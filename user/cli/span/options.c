// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of span: functions and options, and behind -- a command. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args/args.h"
#include "args/cli.h"
#include "args/option.h"
#include "options.h"
#include "point.h"

#define SHORT_OPTIONS "e:p:t:aC:G:iHI:jx:o:m:h"

enum {
	OPTION_INTERVAL_COUNT = 256,
	OPTION_MAX_ACTIVE,
	OPTION_BY,
	OPTION_TOP,
	OPTION_RECORD,
	OPTION_FORCE,
};

static const struct option long_options[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "pid", required_argument, NULL, 'p' },
	{ "tid", required_argument, NULL, 't' },
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "cgroup", required_argument, NULL, 'G' },
	{ "no-inherit", no_argument, NULL, 'i' },
	{ "max-active", required_argument, NULL, OPTION_MAX_ACTIVE },
	{ "force", no_argument, NULL, OPTION_FORCE },
	{ "histogram", no_argument, NULL, 'H' },
	{ "interval-print", required_argument, NULL, 'I' },
	{ "interval-count", required_argument, NULL, OPTION_INTERVAL_COUNT },
	{ "json", no_argument, NULL, 'j' },
	{ "field-separator", required_argument, NULL, 'x' },
	{ "output", required_argument, NULL, 'o' },
	{ "by", required_argument, NULL, OPTION_BY },
	{ "top", required_argument, NULL, OPTION_TOP },
	{ "record", required_argument, NULL, OPTION_RECORD },
	{ "mmap-pages", required_argument, NULL, 'm' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* Whom to count. */
static int take_whom(struct span_options *o, int option)
{
	switch (option) {
	case 'e':
		return args_append(&o->events, &o->nr_events, optarg);
	case 'p':
		return args_ids(&o->pids, optarg, "-p");
	case 't':
		return args_ids(&o->tids, optarg, "-t");
	case 'a':
		o->all_cpus = true;
		return 1;
	case 'C':
		return args_cpus(&o->cpus, &o->has_cpus, optarg);
	case 'G':
		o->cgroups = optarg;
		return 1;
	case 'i':
		o->no_inherit = true;
		return 1;
	case OPTION_MAX_ACTIVE:
		return args_number(&o->max_active, optarg, "--max-active",
				   "a number of calls, 1 or more", 1);
	case OPTION_FORCE:
		o->force = true;
		return 1;
	default:
		return 0;
	}
}

/* How it is printed. */
static int take_show(struct span_options *o, int option)
{
	int value = 0, ret;

	switch (option) {
	case 'H':
		o->show.histogram = true;
		o->by.histograms = true;
		return 1;
	case 'I':
		return args_number(&o->show.interval, optarg, "-I", "milliseconds, 1 or more", 1);
	case OPTION_INTERVAL_COUNT:
		ret = args_number(&value, optarg, "--interval-count",
				  "a number of intervals, 1 or more", 1);
		o->show.interval_count = (unsigned int)value;
		return ret;
	case 'j':
		o->show.json = true;
		return 1;
	case 'x':
		return args_separator(&o->show.separator, optarg);
	case 'o':
		o->output = optarg;
		return 1;
	case OPTION_BY:
		return section_by_parse(&o->by, optarg);
	case OPTION_TOP:
		return args_number(&o->by.top, optarg, "--top", "a number of keys, 1 or more", 1);
	default:
		return 0;
	}
}

static int take_record(struct span_options *o, int option)
{
	switch (option) {
	case OPTION_RECORD:
		o->record = optarg;
		return 1;
	case 'm':
		return args_pages(&o->pages, optarg);
	default:
		return 0;
	}
}

static int take(struct span_options *o, int option)
{
	int ret = take_whom(o, option);

	if (!ret)
		ret = take_show(o, option);
	if (!ret)
		ret = take_record(o, option);
	if (ret)
		return ret;
	if (option == 'h') {
		fputs(span_help, stdout);
		return 0;
	}
	return -EXIT_TOOL;
}

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
	int option, ret = 1, end = functions_end(argc, argv);

	memset(o, 0, sizeof(*o));
	if (end + 1 < argc)
		o->command = argv + end + 1;
	/* Start anew. */
	optind = 0;
	while (ret > 0 &&
	       (option = option_next(end, argv, SHORT_OPTIONS, long_options)) != -1)
		ret = take(o, option);
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
