// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/args.h"
#include "common/cli.h"
#include "options.h"

#define DELAY_MIN 0.1	/* seconds */
#define DELAY_MAX 86400.0

static const char top_help[] =
	"usage: pmcgrp top [options]\n"
	"\n"
	"Shows what counter groups count, while they count: for each event its rate, what can be\n"
	"derived from it, and for which part of the time its group was on the PMU. Of the whole\n"
	"machine, unless a target is named. q quits; the arrow keys scroll.\n"
	"\n"
	"  -e, --event LIST      events, as for stat: {a,b,c} is one group\n"
	"  -a, --all-cpus        whatever runs on the machine (default)\n"
	"  -C, --cpu CPUS        whatever runs on these CPUs: 0-3,7\n"
	"  -p, --pid PIDS        processes: all their threads, and the processes they create\n"
	"  -t, --tid TIDS        these threads alone\n"
	"  -i, --no-inherit      of -p only the process\n"
	"  -A, --no-aggr         each CPU apart\n"
	"      --per-core        their cores apart\n"
	"      --per-socket      their sockets apart\n"
	"  -d, --delay SECONDS   refresh so often (default: 1)\n"
	"  -n, --iterations N    end after so many refreshes\n"
	"      --fallback        where the module is not loaded, use perf_event_open(2)\n"
	"      --perf            use perf_event_open(2) in any case\n"
	"  -h, --help            this text\n"
	"\n"
	"Exit status: 0; 125 if pmcgrp itself failed or was called wrongly.\n"
	"\n"
	"Examples:\n"
	"  pmcgrp top\n"
	"  pmcgrp top -e '{cycles,instructions,cache-misses}' -A\n"
	"  pmcgrp top -p 4711 -d 0.5\n";

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
	{ "delay", required_argument, NULL, 'd' },
	{ "iterations", required_argument, NULL, 'n' },
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
	if (end == optarg || *end || errno || !(seconds >= DELAY_MIN && seconds <= DELAY_MAX)) {
		cli_say("-d wants seconds, 0.1 or more, not '%s'", optarg);
		return -EXIT_TOOL;
	}
	o->delay = (int)(seconds * 1000.0 + 0.5);
	return 1;
}

static int take(struct top_options *o, struct stat_options *stat, int option)
{
	int ret;

	switch (option) {
	case 'd':
		return take_delay(o);
	case 'n':
		return args_number(&o->iterations, optarg, "-n",
				   "a number of refreshes, 1 or more", 1);
	case 'h':
		fputs(top_help, stdout);
		return 0;
	default:
		ret = stat_option_what(stat, option);
		if (!ret)
			ret = stat_option_how(stat, option);
		if (ret)
			return ret;
		/* getopt has said what is wrong. */
		cli_say("\"pmcgrp top --help\" lists the options");
		return -EXIT_TOOL;
	}
}

int top_options_parse(struct top_options *o, struct stat_options *stat, int argc, char **argv)
{
	int option, ret;

	memset(stat, 0, sizeof(*stat));
	*o = (struct top_options){ .delay = 1000 };
	stat->repeat = 1;
	optind = 0;
	while ((option = getopt_long(argc, argv, "e:aC:p:t:iAd:n:h", long_options, NULL)) != -1) {
		ret = take(o, stat, option);
		if (ret <= 0)
			return ret;
	}
	if (optind < argc) {
		cli_say("what is '%s'? top runs no command; \"pmcgrp stat -I 1000\" does",
			argv[optind]);
		return -EXIT_TOOL;
	}
	if (!stat_counts_tasks(stat) && !stat->has_cpus)
		stat->all_cpus = true;
	return stat_options_check(stat);
}
