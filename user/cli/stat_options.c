// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of stat: options, their limits, --help. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "stat_options.h"

static const char help[] =
	"usage: pmcgrp stat [options] [--] command [arguments]\n"
	"       pmcgrp stat [options] -p PID | -C CPU [[--] command [arguments]]\n"
	"\n"
	"Counts events and prints a table when the command ends. With -p or -C and no command\n"
	"it counts until Ctrl-C, or until the thread ends. A group counts one thread: the\n"
	"command's further threads and its children are not counted, and a note says so\n"
	"where they took a part of the time.\n"
	"\n"
	"What to count:\n"
	"  -e, --event LIST      events, separated by commas; may be given several times.\n"
	"                        Each is a group of its own; {a,b,c} is one group, whose\n"
	"                        members are counted over exactly the same interval.\n"
	"                        Names: cycles, instructions, branch-misses, cache-misses,\n"
	"                        L1-dcache-load-misses, LLC-loads, dTLB-load-misses, ...;\n"
	"                        page-faults, context-switches, task-clock, ...; rNNN, a raw\n"
	"                        code in hexadecimal; names of libpfm4 for this machine.\n"
	"                        Modifiers after a colon: u, k, h count only user mode, the\n"
	"                        kernel, the hypervisor (cycles:u, cycles:uk); D pins the\n"
	"                        group: it is on the PMU always, or fails.\n"
	"                        Default: {task-clock,context-switches,cpu-migrations,\n"
	"                        page-faults},{cycles,instructions,branches,branch-misses}\n"
	"  -p, --pid PID         count this thread, not the command\n"
	"  -C, --cpu CPU         count whatever runs on this CPU\n"
	"  -r, --repeat N        run the command N times: mean and deviation\n"
	"\n"
	"How to show it:\n"
	"  -x, --field-separator SEP\n"
	"                        CSV, in the field order of perf stat -x\n"
	"  -j, --json            JSON, one object a line, as perf stat -j\n"
	"  -o, --output FILE     to a file rather than to stderr\n"
	"      --append          add to that file\n"
	"  -B, --big-num         commas between thousands (default; --no-big-num: none)\n"
	"  -v, --verbose         tell what is being done\n"
	"\n"
	"What to count with:\n"
	"      --fallback        where the module is not loaded, use perf_event_open(2), and\n"
	"                        say so\n"
	"      --perf            use perf_event_open(2) in any case\n"
	"\n"
	"Exit status: that of the command (with -r, of the first run that failed), 128 plus\n"
	"the signal if one ended it; 127 if it was not found, 126 if it cannot be run; 125 if\n"
	"pmcgrp itself failed.\n"
	"\n"
	"Examples:\n"
	"  pmcgrp stat sha256sum file\n"
	"  pmcgrp stat -e '{cycles,instructions,L1-dcache-load-misses}:u' -r 5 -- sha256sum file\n"
	"  pmcgrp stat -e cycles -C 3 -j sleep 10\n";

enum {
	OPTION_APPEND = 256,
	OPTION_NO_BIG_NUM,
	OPTION_PERF,
	OPTION_FALLBACK,
};

static const struct option long_options[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "pid", required_argument, NULL, 'p' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "repeat", required_argument, NULL, 'r' },
	{ "field-separator", required_argument, NULL, 'x' },
	{ "json", no_argument, NULL, 'j' },
	{ "json-output", no_argument, NULL, 'j' },
	{ "output", required_argument, NULL, 'o' },
	{ "append", no_argument, NULL, OPTION_APPEND },
	{ "big-num", no_argument, NULL, 'B' },
	{ "no-big-num", no_argument, NULL, OPTION_NO_BIG_NUM },
	{ "verbose", no_argument, NULL, 'v' },
	{ "perf", no_argument, NULL, OPTION_PERF },
	{ "fallback", no_argument, NULL, OPTION_FALLBACK },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* A number from @min to INT_MAX, and nothing after it; else -1. */
static int number(const char *text, int min)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (end == text || *end || errno || value < min || value > INT_MAX)
		return -1;
	return (int)value;
}

static int wrong(const char *text)
{
	cli_say("%s", text);
	return -EXIT_TOOL;
}

static int take_event(struct stat_options *o, const char *list)
{
	const char **events = reallocarray(o->events, o->nr_events + 1, sizeof(*events));

	if (!events)
		return wrong("out of memory");
	o->events = events;
	o->events[o->nr_events++] = list;
	return 1;
}

static int take_pid(struct stat_options *o, const char *text)
{
	if (strchr(text, ','))
		return wrong("-p takes one thread: a group counts one target; start one "
			     "\"pmcgrp stat -p\" for each");
	o->pid = number(text, 1);
	if (o->pid < 0) {
		cli_say("-p wants a process or thread id, not '%s'", text);
		return -EXIT_TOOL;
	}
	return 1;
}

static int take_cpu(struct stat_options *o, const char *text)
{
	if (strpbrk(text, ",-"))
		return wrong("-C takes one CPU (0, 1, ...): a group counts one target; start one "
			     "\"pmcgrp stat -C\" for each");
	o->cpu = number(text, 0);
	if (o->cpu < 0) {
		cli_say("-C wants the number of a CPU, not '%s'", text);
		return -EXIT_TOOL;
	}
	return 1;
}

static int take_repeat(struct stat_options *o, const char *text)
{
	int repeat = number(text, 1);

	if (repeat < 0) {
		cli_say("-r wants a number of runs, 1 or more, not '%s'", text);
		return -EXIT_TOOL;
	}
	o->repeat = (unsigned int)repeat;
	return 1;
}

static int take_separator(struct stat_options *o, const char *text)
{
	if (!*text)
		return wrong("-x wants a separator, for example -x ,");
	o->csv = true;
	o->separator = strcmp(text, "\\t") ? text : "\t";
	return 1;
}

static int take(struct stat_options *o, int option)
{
	switch (option) {
	case 'e':
		return take_event(o, optarg);
	case 'p':
		return take_pid(o, optarg);
	case 'C':
		return take_cpu(o, optarg);
	case 'r':
		return take_repeat(o, optarg);
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
	case OPTION_PERF:
		o->perf = true;
		return 1;
	case OPTION_FALLBACK:
		o->fallback = true;
		return 1;
	case 'h':
		fputs(help, stdout);
		return 0;
	default:
		/* getopt has said what is wrong. */
		return wrong("\"pmcgrp stat --help\" lists the options");
	}
}

/* What does not go together. */
static int check(const struct stat_options *o)
{
	if (!o->command && !o->pid && o->cpu < 0)
		return wrong("nothing to count: give a command, -p PID or -C CPU "
			     "(\"pmcgrp stat --help\" says more)");
	if (o->pid && o->cpu >= 0)
		return wrong("-p and -C exclude each other: a group counts a thread or a CPU");
	if (o->repeat > 1 && !o->command)
		return wrong("-r repeats a command, and there is none");
	if (o->csv && o->json)
		return wrong("-x and -j exclude each other");
	if (o->append && !o->output)
		return wrong("--append adds to a file: name it with -o");
	return 1;
}

int stat_options_parse(struct stat_options *o, int argc, char **argv)
{
	int option, ret;

	memset(o, 0, sizeof(*o));
	o->cpu = -1;
	o->repeat = 1;
	o->big_num = true;
	/* A first argument of "+": the command's own options are not ours. 0: start anew. */
	optind = 0;
	while ((option = getopt_long(argc, argv, "+e:p:C:r:x:jo:Bvh", long_options, NULL)) != -1) {
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
}
