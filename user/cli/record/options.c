// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of record: options, their limits, --help. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amount.h"
#include "common/args.h"
#include "common/cli.h"
#include "common/control.h"
#include "options.h"
#include "perfdata/pack.h"

#define PAGES 128
#define PAGES_MAX (1 << 15)

enum {
	OPTION_EVERY = 256,
	OPTION_ON,
	OPTION_FORMAT,
	OPTION_TIMEOUT,
	OPTION_BY_TASK,
	OPTION_CONTROL,
	OPTION_OVERWRITE,
	OPTION_SWITCH_OUTPUT,
	OPTION_SWITCH_MAX_FILES,
};

static const struct option long_options[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "every", required_argument, NULL, OPTION_EVERY },
	{ "on", required_argument, NULL, OPTION_ON },
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "pid", required_argument, NULL, 'p' },
	{ "tid", required_argument, NULL, 't' },
	{ "no-inherit", no_argument, NULL, 'i' },
	{ "by-task", no_argument, NULL, OPTION_BY_TASK },
	{ "delay", required_argument, NULL, 'D' },
	{ "timeout", required_argument, NULL, OPTION_TIMEOUT },
	{ "control", required_argument, NULL, OPTION_CONTROL },
	{ "output", required_argument, NULL, 'o' },
	{ "format", required_argument, NULL, OPTION_FORMAT },
	{ "switch-output", optional_argument, NULL, OPTION_SWITCH_OUTPUT },
	{ "switch-max-files", required_argument, NULL, OPTION_SWITCH_MAX_FILES },
	{ "overwrite", no_argument, NULL, OPTION_OVERWRITE },
	{ "compression-level", optional_argument, NULL, 'z' },
	{ "mmap-pages", required_argument, NULL, 'm' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int take_trigger(struct record_options *o, bool every, const char *text)
{
	if (o->nr_triggers == PMCGRP_TRIGGERS_MAX) {
		cli_say("a group has %d triggers at most", PMCGRP_TRIGGERS_MAX);
		return -EXIT_TOOL;
	}
	o->triggers[o->nr_triggers++] = (struct record_trigger){ every, text };
	return 1;
}

static int take_format(struct record_options *o, const char *name)
{
	static const char * const names[] = { "perf", "csv", "jsonl" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]))
			continue;
		o->format = (enum record_format)i;
		return 1;
	}
	cli_say("--format wants perf, csv or jsonl, not '%s'", name);
	return -EXIT_TOOL;
}

static int take_pages(struct record_options *o)
{
	int ret = args_number(&o->pages, optarg, "-m", "a number of pages, a power of two", 1);

	/* So that bytes can be said in 32 bits. */
	if (ret == 1 && o->pages > PAGES_MAX) {
		cli_say("-m: a ring has %d pages at most", PAGES_MAX);
		return -EXIT_TOOL;
	}
	if (ret == 1 && (o->pages & (o->pages - 1)))
		return args_wrong("-m wants a number of pages that is a power of two, as 128");
	return ret;
}

static int take_level(struct record_options *o)
{
	static const char what[] = "a level from 1, the fastest, to 22";
	int ret;

	o->level = 1;
	ret = optarg ? args_number(&o->level, optarg, "-z", what, 1) : 1;
	if (ret == 1 && o->level > PERFDATA_PACK_LEVEL_MAX) {
		cli_say("-z wants %s, not '%s'", what, optarg);
		return -EXIT_TOOL;
	}
	return ret;
}

static int take_turn(struct record_turn *turn, const char *text)
{
	if (!text || !strcmp(text, "signal")) {
		turn->by = TURN_SIGNAL;
	} else if (amount_size(&turn->size, text)) {
		turn->by = TURN_SIZE;
	} else if (amount_time(&turn->ns, text)) {
		turn->by = TURN_TIME;
	} else {
		cli_say("--switch-output wants signal, a size (100M; B, K, M, G) or a time (30s; s, m, "
			"h, d), not '%s'", text);
		return -EXIT_TOOL;
	}
	return 1;
}

static int take(struct record_options *o, int option)
{
	switch (option) {
	case 'e':
		return args_append(&o->events, &o->nr_events, optarg);
	case OPTION_EVERY:
	case OPTION_ON:
		return take_trigger(o, option == OPTION_EVERY, optarg);
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
	case OPTION_BY_TASK:
		o->by_task = true;
		return 1;
	case 'D':
		return args_number(&o->delay, optarg, "-D", "milliseconds, 0 or more, or -1", -1);
	case OPTION_CONTROL:
		o->control = optarg;
		return control_check(optarg);
	case OPTION_TIMEOUT:
		return args_number(&o->timeout, optarg, "--timeout", "milliseconds, 1 or more", 1);
	case 'o':
		o->output = optarg;
		return 1;
	case OPTION_FORMAT:
		return take_format(o, optarg);
	case 'z':
		return take_level(o);
	case OPTION_OVERWRITE:
		o->overwrite = true;
		return 1;
	case OPTION_SWITCH_OUTPUT:
		return take_turn(&o->turn, optarg);
	case OPTION_SWITCH_MAX_FILES:
		return args_number(&o->turn.max_files, optarg, "--switch-max-files",
				   "a number of files, 1 or more", 1);
	case 'm':
		return take_pages(o);
	case 'v':
		o->verbose = true;
		return 1;
	case 'h':
		fputs(record_help, stdout);
		return 0;
	default:
		/* getopt has said what is wrong. */
		return args_wrong("\"pmcgrp record --help\" lists the options");
	}
}

/* What does not go together. */
static int check(const struct record_options *o)
{
	bool cpus = record_of_cpus(o);

	if (!o->command && !record_of_tasks(o) && !cpus)
		return args_wrong("nothing to record: give a command, -p PID, -t TID, -a or -C CPUS "
				  "(\"pmcgrp record --help\" says more)");
	if (!o->nr_triggers)
		return args_wrong("when? --every 100us, --every 1000000:instructions or "
				  "--on sched:sched_switch say so");
	if (o->pids.nr && o->tids.nr)
		return args_wrong("-p and -t exclude each other: all threads of processes, or single "
				  "ones");
	if (record_of_tasks(o) && cpus)
		return args_wrong("-p and -t exclude -a and -C: a group counts a thread wherever it "
				  "runs, or CPUs whatever runs there");
	if (o->no_inherit && cpus)
		return args_wrong("--no-inherit is about threads and processes, not about -a and -C");
	if (o->by_task && !cpus)
		return args_wrong("--by-task goes with -a or -C: threads and processes are always told "
				  "apart");
	if (o->turn.max_files && !record_names_files(o))
		return args_wrong("--switch-max-files is about the files of --switch-output");
	if (o->level && o->format != FORMAT_PERF)
		return args_wrong("-z compresses the records of a file of perf's: pipe text through a "
				  "program such as zstd (-o -)");
	if (o->overwrite && o->turn.by == TURN_SIZE)
		return args_wrong("--overwrite writes nothing until a dump is asked for, so that no file "
				  "grows to a size: --switch-output=signal or =TIME go with it");
	if (record_names_files(o) && !strcmp(o->output, "-"))
		return args_wrong("--switch-output writes files that are renamed: name them with -o");
	if (o->format == FORMAT_PERF && !strcmp(o->output, "-"))
		return args_wrong("a file of perf's is not written from its beginning to its end: name "
				  "one with -o, or use --format csv or jsonl");
	return 1;
}

int record_options_parse(struct record_options *o, int argc, char **argv)
{
	static const char * const outputs[] = { "pmcgrp.data", "pmcgrp.csv", "pmcgrp.jsonl" };
	int option, ret;

	memset(o, 0, sizeof(*o));
	o->pages = PAGES;
	/* A first argument of "+": the command's own options are not ours. 0: start anew. */
	optind = 0;
	while ((option = getopt_long(argc, argv, "+e:aC:p:t:iD:o:m:z::vh", long_options, NULL)) != -1) {
		ret = take(o, option);
		if (ret <= 0)
			return ret;
	}
	if (optind < argc)
		o->command = argv + optind;
	if (!o->output)
		o->output = outputs[o->format];
	return check(o);
}

void record_options_free(struct record_options *o)
{
	free(o->events);
	o->events = NULL;
	free(o->pids.id);
	free(o->tids.id);
}
