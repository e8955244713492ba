// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args/args.h"
#include "args/cli.h"
#include "args/option.h"
#include "options.h"

#define PAGES		128
#define PAGES_MAX	65536

enum {
	OPTION_BY = STAT_OPTION_OWN,
	OPTION_MATRIX,
	OPTION_CGROUP,
	OPTION_FILTER,
	OPTION_LINES,
	OPTION_COLOUR,
};

static const struct option long_options[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "pid", required_argument, NULL, 'p' },
	{ "tid", required_argument, NULL, 't' },
	{ "cgroup", required_argument, NULL, OPTION_CGROUP },
	{ "no-inherit", no_argument, NULL, 'i' },
	{ "by", required_argument, NULL, OPTION_BY },
	{ "matrix", no_argument, NULL, OPTION_MATRIX },
	{ "no-aggr", no_argument, NULL, 'A' },
	{ "per-core", no_argument, NULL, STAT_OPTION_PER_CORE },
	{ "per-socket", no_argument, NULL, STAT_OPTION_PER_SOCKET },
	{ "sort", required_argument, NULL, 's' },
	{ "reverse", no_argument, NULL, 'r' },
	{ "lines", required_argument, NULL, OPTION_LINES },
	{ "filter", required_argument, NULL, OPTION_FILTER },
	{ "delay", required_argument, NULL, 'd' },
	{ "iterations", required_argument, NULL, 'n' },
	{ "batch", no_argument, NULL, 'b' },
	{ "json", no_argument, NULL, 'j' },
	{ "color", required_argument, NULL, OPTION_COLOUR },
	{ "mmap-pages", required_argument, NULL, 'm' },
	{ "fallback", no_argument, NULL, STAT_OPTION_FALLBACK },
	{ "perf", no_argument, NULL, STAT_OPTION_PERF },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int take_delay(struct top_options *o)
{
	double seconds;
	char *end;

	errno = 0;
	seconds = strtod(optarg, &end);
	if (end == optarg || *end || errno ||
	    !(seconds >= TOP_DELAY_MIN / 1000.0 && seconds <= TOP_DELAY_MAX / 1000.0)) {
		cli_say("-d wants seconds, 0.1 or more, not '%s'", optarg);
		return -EXIT_TOOL;
	}
	o->delay = (int)(seconds * 1000.0 + 0.5);
	return 1;
}

static int take_by(struct top_options *o)
{
	int by = top_by_find(optarg);

	if (by < 0)
		return args_choice_wrong("--by", "event,cpu,thread,process,cgroup,command", optarg);
	o->by = (enum top_by)by;
	return 1;
}

static int take_pages(struct top_options *o)
{
	int ret = args_number(&o->pages, optarg, "-m", "a number of pages, a power of two", 1);

	if (ret == 1 && (o->pages > PAGES_MAX || (o->pages & (o->pages - 1)))) {
		cli_say("-m wants a number of pages that is a power of two, as 128, and no more than "
			"%d", PAGES_MAX);
		return -EXIT_TOOL;
	}
	return ret;
}

static int take_colour(struct top_options *o)
{
	static const char * const names[] = {
		[TOP_COLOUR_AUTO] = "auto",
		[TOP_COLOUR_NEVER] = "never",
		[TOP_COLOUR_ALWAYS] = "always",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(names[i], optarg)) {
			o->colour = (enum top_colour)i;
			return 1;
		}
	}
	return args_choice_wrong("--color", "auto,never,always", optarg);
}

static int take_filter(struct top_options *o)
{
	if (!*optarg || strlen(optarg) >= TOP_FILTER_SIZE) {
		cli_say("--filter wants a text of 1 to %d characters", TOP_FILTER_SIZE - 1);
		return -EXIT_TOOL;
	}
	o->filter = optarg;
	return 1;
}

/* What rows there are, and in which order. Returns 0 for an option that is none of this kind. */
static int take_rows(struct top_options *o, int option)
{
	switch (option) {
	case OPTION_BY:
		return take_by(o);
	case OPTION_MATRIX:
		o->matrix = true;
		return 1;
	case OPTION_CGROUP:
		o->cgroup = optarg;
		return 1;
	case OPTION_FILTER:
		return take_filter(o);
	case 's':
		o->sort = optarg;
		return 1;
	case 'r':
		o->reverse = true;
		return 1;
	case OPTION_LINES:
		return args_number(&o->lines, optarg, "--lines", "a number of rows, 1 or more", 1);
	case 'm':
		return take_pages(o);
	default:
		return 0;
	}
}

/* When and how they are shown. */
static int take_output(struct top_options *o, int option)
{
	switch (option) {
	case 'd':
		return take_delay(o);
	case 'n':
		/* As of top(1). */
		return args_number(&o->iterations, optarg, "-n, --iterations",
				   "a number of refreshes, 1 or more", 1);
	case 'b':
		o->batch = true;
		return 1;
	case 'j':
		o->json = true;
		return 1;
	case OPTION_COLOUR:
		return take_colour(o);
	default:
		return 0;
	}
}

static int take(struct top_options *o, struct stat_options *stat, int option)
{
	int ret = take_rows(o, option);

	if (!ret)
		ret = take_output(o, option);
	if (ret)
		return ret;
	switch (option) {
	case 'h':
		fputs(top_help, stdout);
		return 0;
	default:
		ret = stat_option_what(stat, option);
		if (!ret)
			ret = stat_option_how(stat, option);
		if (ret)
			return ret;
	}
	return -EXIT_TOOL;
}

const char *top_options_refuse_by(const struct top_options *o, const struct stat_options *stat,
				  enum top_by by)
{
	bool tasks = stat_counts_tasks(stat) || o->cgroup;

	if (top_by_tasks(by) && stat->perf)
		return "rows of tasks (--by, --cgroup) need /dev/pmcgrp: not with --perf";
	if (top_by_tasks(by) && stat->aggr != AGGR_GLOBAL)
		return "-A, --per-core and --per-socket are for rows of events and CPUs";
	if (by == TOP_BY_CPU && tasks)
		return "rows of CPUs are of all tasks: --by thread has those of -p, -t, --cgroup";
	if (by == TOP_BY_COMMAND && tasks)
		return "rows of commands are of all tasks: --by process has those of -p, -t, --cgroup";
	if (by == TOP_BY_EVENT && o->cgroup)
		return "--cgroup has rows of tasks: --by thread, process or cgroup";
	return NULL;
}

/* What does not go together. */
static int check(const struct top_options *o, const struct stat_options *stat)
{
	const char *why = top_options_refuse_by(o, stat, o->by);

	if (o->cgroup && (stat_counts_tasks(stat) || stat_counts_cpus(stat)))
		return args_wrong("--cgroup excludes -p, -t, -a and -C: each says which tasks");
	if (o->matrix && o->by != TOP_BY_CPU)
		return args_wrong("--matrix is of CPUs: with --by cpu, or without --by");
	if (o->json && o->batch)
		return args_wrong("--json and --batch exclude each other");
	if (o->json && o->matrix)
		return args_wrong("--matrix is for people: --json --by cpu has the same values");
	if (why)
		return args_wrong(why);
	return 1;
}

int top_options_parse(struct top_options *o, struct stat_options *stat, int argc, char **argv)
{
	bool by_given;
	int option, ret;

	memset(stat, 0, sizeof(*stat));
	*o = (struct top_options){ .delay = 1000, .pages = PAGES };
	stat->repeat = 1;
	optind = 0;
	while ((option = option_next(argc, argv, "e:aC:p:t:iAs:rn:d:bjm:h", long_options)) !=
	       -1) {
		ret = take(o, stat, option);
		if (ret <= 0)
			return ret;
	}
	if (optind < argc) {
		cli_say("what is '%s'? top runs no command; \"pmcgrp stat -I 1000\" does",
			argv[optind]);
		return -EXIT_TOOL;
	}
	by_given = o->by != TOP_BY_EVENT;
	if (o->matrix && !by_given)
		o->by = TOP_BY_CPU;
	if (o->cgroup && !by_given && !o->matrix)
		o->by = TOP_BY_PROCESS;
	ret = check(o, stat);
	if (ret <= 0)
		return ret;
	if (!stat_counts_tasks(stat) && !stat->has_cpus)
		stat->all_cpus = true;
	return stat_options_check(stat);
}
