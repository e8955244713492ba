// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of record: options, their limits, --help. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amount.h"
#include "args/args.h"
#include "args/cli.h"
#include "counters/control.h"
#include "args/option.h"
#include "proc/sysfile.h"
#include "options.h"
#include "perfdata/pack.h"
#include "refused.h"

/* A first character of "+": the command's own options are not ours. */
#define SHORT_OPTIONS "+e:c:F:aC:G:p:t:u:iD:o:m:r:z::gBNTPsqvh" RECORD_REFUSED_LETTERS

/* The kernel's clocks have no shorter steps. */
#define FREQUENCY_MAX 100000
#define FREQUENCY_DEFAULT 4000

enum {
	OPTION_EVERY = 256,
	OPTION_ON,
	OPTION_FORMAT,
	OPTION_TIMEOUT,
	OPTION_BY_TASK,
	OPTION_ALL_CGROUPS,
	OPTION_CONTROL,
	OPTION_OVERWRITE,
	OPTION_SWITCH_OUTPUT,
	OPTION_SWITCH_MAX_FILES,
	OPTION_SWITCH_OUTPUT_EVENT,
	OPTION_TIMESTAMP_FILENAME,
	OPTION_MAX_SIZE,
	OPTION_ALL_USER,
	OPTION_ALL_KERNEL,
	OPTION_NO_BUFFERING,
	OPTION_TAIL_SYNTHESIZE,
	OPTION_NAMESPACES,
	OPTION_SWITCH_EVENTS,
	OPTION_DRY_RUN,
	OPTION_CALL_GRAPH,
	OPTION_KERNEL_CHAINS,
	OPTION_USER_CHAINS,
	OPTION_ALWAYS,		/* it is so in any case */
};

static const struct option long_options[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "every", required_argument, NULL, OPTION_EVERY },
	{ "on", required_argument, NULL, OPTION_ON },
	{ "count", required_argument, NULL, 'c' },
	{ "freq", required_argument, NULL, 'F' },
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "pid", required_argument, NULL, 'p' },
	{ "tid", required_argument, NULL, 't' },
	{ "uid", required_argument, NULL, 'u' },
	{ "no-inherit", no_argument, NULL, 'i' },
	{ "per-thread", no_argument, NULL, 'i' },
	{ "all-user", no_argument, NULL, OPTION_ALL_USER },
	{ "all-kernel", no_argument, NULL, OPTION_ALL_KERNEL },
	{ "call-graph", required_argument, NULL, OPTION_CALL_GRAPH },
	{ "kernel-callchains", no_argument, NULL, OPTION_KERNEL_CHAINS },
	{ "user-callchains", no_argument, NULL, OPTION_USER_CHAINS },
	{ "cgroup", required_argument, NULL, 'G' },
	{ "all-cgroups", no_argument, NULL, OPTION_ALL_CGROUPS },
	{ "by-task", no_argument, NULL, OPTION_BY_TASK },
	{ "delay", required_argument, NULL, 'D' },
	{ "timeout", required_argument, NULL, OPTION_TIMEOUT },
	{ "control", required_argument, NULL, OPTION_CONTROL },
	{ "output", required_argument, NULL, 'o' },
	{ "format", required_argument, NULL, OPTION_FORMAT },
	{ "switch-output", optional_argument, NULL, OPTION_SWITCH_OUTPUT },
	{ "switch-max-files", required_argument, NULL, OPTION_SWITCH_MAX_FILES },
	{ "overwrite", no_argument, NULL, OPTION_OVERWRITE },
	{ "switch-output-event", required_argument, NULL, OPTION_SWITCH_OUTPUT_EVENT },
	{ "timestamp-filename", no_argument, NULL, OPTION_TIMESTAMP_FILENAME },
	{ "max-size", required_argument, NULL, OPTION_MAX_SIZE },
	{ "tail-synthesize", no_argument, NULL, OPTION_TAIL_SYNTHESIZE },
	{ "namespaces", no_argument, NULL, OPTION_NAMESPACES },
	{ "switch-events", no_argument, NULL, OPTION_SWITCH_EVENTS },
	{ "no-buildid", no_argument, NULL, 'B' },
	{ "compression-level", optional_argument, NULL, 'z' },
	{ "mmap-pages", required_argument, NULL, 'm' },
	{ "no-buffering", no_argument, NULL, OPTION_NO_BUFFERING },
	{ "realtime", required_argument, NULL, 'r' },
	{ "dry-run", no_argument, NULL, OPTION_DRY_RUN },
	{ "quiet", no_argument, NULL, 'q' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "timestamp", no_argument, NULL, 'T' },
	{ "timestamp-boundary", no_argument, NULL, OPTION_ALWAYS },
	{ "period", no_argument, NULL, 'P' },
	{ "running-time", no_argument, NULL, OPTION_ALWAYS },
	{ "sample-cpu", no_argument, NULL, OPTION_ALWAYS },
	{ "sample-identifier", no_argument, NULL, OPTION_ALWAYS },
	{ "group", no_argument, NULL, OPTION_ALWAYS },
	{ "strict-freq", no_argument, NULL, OPTION_ALWAYS },
	{ "stat", no_argument, NULL, 's' },
	{ "buildid-all", no_argument, NULL, OPTION_ALWAYS },
	{ "buildid-mmap", no_argument, NULL, OPTION_ALWAYS },
	{ "no-buildid-cache", no_argument, NULL, 'N' },
	{ "no-bpf-event", no_argument, NULL, OPTION_ALWAYS },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* @text: NULL: so many of the first event */
static int take_trigger(struct record_options *o, bool every, const char *text, int count)
{
	struct record_trigger *trigger = &o->triggers[o->nr_triggers];

	if (o->nr_triggers == PMCGRP_TRIGGERS_MAX) {
		cli_say("a group has %d triggers at most", PMCGRP_TRIGGERS_MAX);
		return -EXIT_TOOL;
	}
	*trigger = (struct record_trigger){ .every = every, .count = count };
	if (text) {
		trigger->text = strdup(text);
		if (!trigger->text)
			return args_wrong("out of memory");
	}
	o->nr_triggers++;
	return 1;
}

static int take_count(struct record_options *o)
{
	int count, ret;

	ret = args_number(&count, optarg, "-c", "a number of events, 1 or more", 1);
	return ret == 1 ? take_trigger(o, true, NULL, count) : ret;
}

const char *record_rate_file = "/proc/sys/kernel/perf_event_max_sample_rate";

/* What the kernel allows a second, as far as it says so. */
static int frequency_max(void)
{
	long long max;

	if (sysfile_number("", record_rate_file, &max) || max < 1 || max > FREQUENCY_MAX)
		return FREQUENCY_MAX;
	return (int)max;
}

/* So many times a second, in the largest unit that says it without a remainder. */
static int add_frequency(struct record_options *o, int number)
{
	static const struct {
		const char *name;
		int ns;
	} units[] = { { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 } };
	char text[32];
	int ns, i = 0;

	ns = (1000000000 + number / 2) / number;
	while (ns % units[i].ns)
		i++;
	snprintf(text, sizeof(text), "%d%s", ns / units[i].ns, units[i].name);
	return take_trigger(o, true, text, 0);
}

static int take_frequency(struct record_options *o)
{
	int number, ret;

	if (!strcmp(optarg, "max"))
		return add_frequency(o, frequency_max());
	ret = args_number(&number, optarg, "-F", "a number of samples a second, 1 to 100000, or max",
			  1);
	if (ret != 1)
		return ret;
	if (number > FREQUENCY_MAX) {
		cli_say("-F: the kernel's clocks have steps of 10us and more, so %d samples a second "
			"at most, not '%s'", FREQUENCY_MAX, optarg);
		return -EXIT_TOOL;
	}
	return add_frequency(o, number);
}

/* As perf record: so many samples a second if nothing says when, or as many as are allowed. */
static int take_default(struct record_options *o)
{
	int max = frequency_max();

	return add_frequency(o, max < FREQUENCY_DEFAULT ? max : FREQUENCY_DEFAULT);
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
	return args_choice_wrong("--format", "perf,csv,jsonl", name);
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

static int take_max_size(struct record_options *o, const char *text)
{
	if (amount_size(&o->max_size, text))
		return 1;
	cli_say("--max-size wants a size (100M; B, K, M, G), not '%s'", text);
	return -EXIT_TOOL;
}

/* What is counted, when, and of whom. Each of these returns 0 for an option of another one. */
static int take_what(struct record_options *o, int option)
{
	switch (option) {
	case 'e':
		return args_append(&o->events, &o->nr_events, optarg);
	case OPTION_EVERY:
	case OPTION_ON:
		return take_trigger(o, option == OPTION_EVERY, optarg, 0);
	case 'c':
		return take_count(o);
	case 'F':
		return take_frequency(o);
	case 'C':
		return args_cpus(&o->cpus, &o->has_cpus, optarg);
	case 'G':
		return args_append(&o->cgroups, &o->nr_cgroups, optarg);
	case 'p':
		return args_ids(&o->pids, optarg, "-p");
	case 't':
		return args_ids(&o->tids, optarg, "-t");
	case 'u':
		o->user = optarg;
		return 1;
	case 'D':
		return args_number(&o->delay, optarg, "-D", "milliseconds, 0 or more, or -1", -1);
	case OPTION_CONTROL:
		o->control = optarg;
		return control_check(optarg);
	case OPTION_TIMEOUT:
		return args_number(&o->timeout, optarg, "--timeout", "milliseconds, 1 or more", 1);
	default:
		return 0;
	}
}

/* Where it goes. */
static int take_where(struct record_options *o, int option)
{
	switch (option) {
	case 'o':
		o->output = optarg;
		return 1;
	case OPTION_FORMAT:
		return take_format(o, optarg);
	case 'z':
		return take_level(o);
	case OPTION_SWITCH_OUTPUT:
		return take_turn(&o->turn, optarg);
	case OPTION_SWITCH_MAX_FILES:
		return args_number(&o->turn.max_files, optarg, "--switch-max-files",
				   "a number of files, 1 or more", 1);
	case OPTION_SWITCH_OUTPUT_EVENT:
		o->turn.event = optarg;
		return 1;
	case OPTION_MAX_SIZE:
		return take_max_size(o, optarg);
	case 'm':
		return args_pages(&o->pages, optarg);
	case 'r':
		return args_number(&o->realtime, optarg, "-r",
				   "a priority for SCHED_FIFO, 1 or more", 1);
	default:
		return 0;
	}
}

static int take_switch(struct record_options *o, int option)
{
	const struct {
		int option;
		bool *is;
	} switches[] = {
		{ 'a', &o->all_cpus },
		{ 'i', &o->no_inherit },
		{ 'B', &o->no_buildid },
		{ 'g', &o->chains },
		{ OPTION_KERNEL_CHAINS, &o->kernel_chains },
		{ OPTION_USER_CHAINS, &o->user_chains },
		{ 'q', &o->quiet },
		{ 'v', &o->verbose },
		{ OPTION_BY_TASK, &o->by_task },
		{ OPTION_ALL_CGROUPS, &o->all_cgroups },
		{ OPTION_ALL_USER, &o->all_user },
		{ OPTION_ALL_KERNEL, &o->all_kernel },
		{ OPTION_OVERWRITE, &o->overwrite },
		{ OPTION_TIMESTAMP_FILENAME, &o->stamp },
		{ OPTION_NO_BUFFERING, &o->no_buffering },
		{ OPTION_TAIL_SYNTHESIZE, &o->tail_synthesize },
		{ OPTION_NAMESPACES, &o->namespaces },
		{ OPTION_SWITCH_EVENTS, &o->switch_events },
		{ OPTION_DRY_RUN, &o->dry_run },
	};
	size_t i;

	for (i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
		if (switches[i].option == option) {
			*switches[i].is = true;
			return 1;
		}
	}
	return 0;
}

static int take_call_graph(struct record_options *o)
{
	if (strcmp(optarg, "fp")) {
		cli_say("--call-graph %s: the chains of groups follow frame pointers: fp. \"perf record "
			"--call-graph\" has the others, at the same time if need be", optarg);
		return -EXIT_TOOL;
	}
	o->chains = true;
	return 1;
}

static int take(struct record_options *o, int option)
{
	int ret = take_what(o, option);

	if (!ret)
		ret = take_where(o, option);
	if (!ret)
		ret = take_switch(o, option);
	if (ret)
		return ret;
	switch (option) {
	case 'T':
	case 'P':
	case 'N':
	case 's':
	case OPTION_ALWAYS:
		return 1;
	case OPTION_CALL_GRAPH:
		return take_call_graph(o);
	case 'h':
		fputs(record_help, stdout);
		return 0;
	default:
		ret = refused_say(&record_refused, option);
		return ret ? ret : -EXIT_TOOL;
	}
}

/* Returns 1, or what record_options_parse() shall return. */
static int take_all(struct record_options *o, int argc, char **argv)
{
	struct option *all = refused_join(&record_refused, long_options);
	int option, ret = 1;

	if (!all)
		return args_wrong("out of memory");
	/* Start anew. */
	optind = 0;
	while (ret > 0 && (option = option_next(argc, argv, SHORT_OPTIONS, all)) != -1)
		ret = take(o, option);
	free(all);
	return ret;
}

int record_options_parse(struct record_options *o, int argc, char **argv)
{
	static const char * const outputs[] = { "pmcgrp.data", "pmcgrp.csv", "pmcgrp.jsonl" };
	int ret;

	memset(o, 0, sizeof(*o));
	o->pages = ARGS_PAGES;
	ret = take_all(o, argc, argv);
	if (ret <= 0)
		return ret;
	if (optind < argc)
		o->command = argv + optind;
	/* So that what others count on the same CPU is in no sample. */
	if (o->nr_cgroups) {
		o->all_cgroups = true;
		o->by_task = true;
	}
	if (!o->output)
		o->output = outputs[o->format];
	/* As perf has it. */
	if (o->turn.event && o->turn.by == TURN_NEVER)
		o->turn.by = TURN_SIGNAL;
	if (!o->nr_triggers && take_default(o) != 1)
		return -EXIT_TOOL;
	return record_options_check(o);
}

void record_options_free(struct record_options *o)
{
	while (o->nr_triggers)
		free(o->triggers[--o->nr_triggers].text);
	free(o->events);
	o->events = NULL;
	free(o->cgroups);
	o->cgroups = NULL;
	free(o->pids.id);
	free(o->tids.id);
	o->pids = (struct args_ids){ 0 };
	o->tids = (struct args_ids){ 0 };
}
