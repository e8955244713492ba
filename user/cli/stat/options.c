// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of stat: options, their limits, --help. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/args.h"
#include "common/cli.h"
#include "options.h"

enum {
	OPTION_APPEND = STAT_OPTION_OWN,
	OPTION_NO_BIG_NUM,
	OPTION_INTERVAL_COUNT,
	OPTION_TIMEOUT,
};

static const struct option long_options[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "pid", required_argument, NULL, 'p' },
	{ "tid", required_argument, NULL, 't' },
	{ "no-inherit", no_argument, NULL, 'i' },
	{ "no-aggr", no_argument, NULL, 'A' },
	{ "per-core", no_argument, NULL, STAT_OPTION_PER_CORE },
	{ "per-socket", no_argument, NULL, STAT_OPTION_PER_SOCKET },
	{ "delay", required_argument, NULL, 'D' },
	{ "timeout", required_argument, NULL, OPTION_TIMEOUT },
	{ "interval-print", required_argument, NULL, 'I' },
	{ "interval-count", required_argument, NULL, OPTION_INTERVAL_COUNT },
	{ "repeat", required_argument, NULL, 'r' },
	{ "field-separator", required_argument, NULL, 'x' },
	{ "json", no_argument, NULL, 'j' },
	{ "json-output", no_argument, NULL, 'j' },
	{ "output", required_argument, NULL, 'o' },
	{ "append", no_argument, NULL, OPTION_APPEND },
	{ "big-num", no_argument, NULL, 'B' },
	{ "no-big-num", no_argument, NULL, OPTION_NO_BIG_NUM },
	{ "verbose", no_argument, NULL, 'v' },
	{ "perf", no_argument, NULL, STAT_OPTION_PERF },
	{ "fallback", no_argument, NULL, STAT_OPTION_FALLBACK },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* A number for the option, from @min on; @what says what it is. */
static int take_number(int *value, const char *option, const char *what, int min)
{
	return args_number(value, optarg, option, what, min);
}

static int take_aggr(struct stat_options *o, enum aggr_mode mode)
{
	if (o->aggr != AGGR_GLOBAL && o->aggr != mode)
		return args_wrong("-A, --per-core and --per-socket exclude each other: each is a way "
			     "to put CPUs together");
	o->aggr = mode;
	return 1;
}

static int take_separator(struct stat_options *o, const char *text)
{
	if (!*text)
		return args_wrong("-x wants a separator, for example -x ,");
	o->csv = true;
	o->separator = strcmp(text, "\\t") ? text : "\t";
	return 1;
}

int stat_option_what(struct stat_options *o, int option)
{
	int value = 0, ret = 1;

	switch (option) {
	case 'e':
		return args_append(&o->events, &o->nr_events, optarg);
	case 'a':
		o->all_cpus = true;
		return 1;
	case 'C':
		return args_cpus(&o->cpus, &o->has_cpus, optarg);
	case 'p':
		return args_ids(&o->pids, optarg, "-p");
	case 't':
		return args_ids(&o->tids, optarg, "-t");
	case 'i':
		o->no_inherit = true;
		return 1;
	case 'D':
		return take_number(&o->delay, "-D", "milliseconds, or -1 to start disabled", -1);
	case OPTION_TIMEOUT:
		return take_number(&o->timeout, "--timeout", "milliseconds, 1 or more", 1);
	case 'I':
		return take_number(&o->interval, "-I", "milliseconds, 1 or more", 1);
	case OPTION_INTERVAL_COUNT:
		ret = take_number(&value, "--interval-count", "a number of intervals, 1 or more",
				  1);
		o->interval_count = (unsigned int)value;
		return ret;
	case 'r':
		ret = take_number(&value, "-r", "a number of runs, 1 or more", 1);
		o->repeat = (unsigned int)value;
		return ret;
	default:
		return 0;
	}
}

int stat_option_how(struct stat_options *o, int option)
{
	switch (option) {
	case 'A':
		return take_aggr(o, AGGR_NONE);
	case STAT_OPTION_PER_CORE:
		return take_aggr(o, AGGR_CORE);
	case STAT_OPTION_PER_SOCKET:
		return take_aggr(o, AGGR_SOCKET);
	case STAT_OPTION_PERF:
		o->perf = true;
		return 1;
	case STAT_OPTION_FALLBACK:
		o->fallback = true;
		return 1;
	default:
		return 0;
	}
}

static int take(struct stat_options *o, int option)
{
	int ret = stat_option_what(o, option);

	if (!ret)
		ret = stat_option_how(o, option);
	if (ret)
		return ret;
	switch (option) {
	case 'x':
		return take_separator(o, optarg);
	case 'j':
		o->json = true;
		return 1;
	case 'o':
		o->output = optarg;
		return 1;
	case OPTION_APPEND:
		o->append = true;
		return 1;
	case 'B':
		o->big_num = true;
		return 1;
	case OPTION_NO_BIG_NUM:
		o->big_num = false;
		return 1;
	case 'v':
		o->verbose = true;
		return 1;
	case 'h':
		fputs(stat_help, stdout);
		return 0;
	default:
		/* getopt has said what is wrong. */
		return args_wrong("\"pmcgrp stat --help\" lists the options");
	}
}

int stat_options_check(const struct stat_options *o)
{
	bool cpus = stat_counts_cpus(o);

	if (!o->command && !stat_counts_tasks(o) && !cpus)
		return args_wrong("nothing to count: give a command, -p PIDS, -t TIDS, -a or -C CPUS "
			     "(\"pmcgrp stat --help\" says more)");
	if (o->pids.nr && o->tids.nr)
		return args_wrong("-p and -t exclude each other: a group counts a process or a thread");
	if (stat_counts_tasks(o) && cpus)
		return args_wrong("-p and -t exclude -a and -C: a group counts tasks wherever they run, "
			     "or CPUs whatever runs there");
	if (o->aggr != AGGR_GLOBAL && !cpus)
		return args_wrong("-A, --per-core and --per-socket take CPUs apart, and tasks are "
			     "counted here: add -a or -C");
	if (o->no_inherit && (cpus || o->tids.nr))
		return args_wrong("-i leaves out what a command or process creates; CPUs and the one "
			     "thread of -t have nothing of that kind");
	return 1;
}

/* What does not go together. */
static int check(const struct stat_options *o)
{
	int ret = stat_options_check(o);

	if (ret != 1)
		return ret;
	if (o->repeat > 1 && !o->command)
		return args_wrong("-r repeats a command, and there is none");
	if (o->repeat > 1 && o->interval)
		return args_wrong("-r and -I exclude each other: a mean is of whole runs");
	if (o->interval_count && !o->interval)
		return args_wrong("--interval-count counts the intervals of -I: give -I as well");
	if (o->csv && o->json)
		return args_wrong("-x and -j exclude each other");
	if (o->append && !o->output)
		return args_wrong("--append adds to a file: name it with -o");
	return 1;
}

int stat_options_parse(struct stat_options *o, int argc, char **argv)
{
	int option, ret;

	memset(o, 0, sizeof(*o));
	o->repeat = 1;
	o->big_num = true;
	/* A first argument of "+": the command's own options are not ours. 0: start anew. */
	optind = 0;
	while ((option = getopt_long(argc, argv, "+e:aC:p:t:iAD:I:r:x:jo:Bvh", long_options, NULL)) != -1) {
		ret = take(o, option);
		if (ret <= 0)
			return ret;
	}
	if (optind < argc)
		o->command = argv + optind;
	return check(o);
}

void stat_options_free(struct stat_options *o)
{
	free(o->events);
	o->events = NULL;
	free(o->pids.id);
	free(o->tids.id);
	o->pids = (struct args_ids){ 0 };
	o->tids = (struct args_ids){ 0 };
}
