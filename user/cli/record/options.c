// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of record: options and their limits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amount.h"
#include "args/cli.h"
#include "args/common_options.h"
#include "counters/control.h"
#include "sysfile.h"
#include "record_options.h"
#include "perfdata/pack.h"
#include "refused.h"

/* The kernel's clocks have no shorter steps. */
#define FREQUENCY_MAX 100000
#define FREQUENCY_DEFAULT 4000

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

static int take_every(void *options, const char *text)
{
	return take_trigger(options, true, text, 0);
}

static int take_on(void *options, const char *text)
{
	return take_trigger(options, false, text, 0);
}

static int take_count(void *options, const char *text)
{
	int count, ret;

	ret = args_number(&count, text, "-c", "a number of events, 1 or more", 1, 0);
	return ret == 1 ? take_trigger(options, true, NULL, count) : ret;
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

static int take_frequency(void *options, const char *text)
{
	int number, ret;

	if (!strcmp(text, "max"))
		return add_frequency(options, frequency_max());
	ret = args_number(&number, text, "-F", "a number of samples a second, 1 to 100000, or max", 1,
			  0);
	if (ret != 1)
		return ret;
	if (number > FREQUENCY_MAX) {
		cli_say("-F: the kernel's clocks have steps of 10us and more, so %d samples a second "
			"at most, not '%s'", FREQUENCY_MAX, text);
		return -EXIT_TOOL;
	}
	return add_frequency(options, number);
}

/* As perf record: so many samples a second if nothing says when, or as many as are allowed. */
static int take_default(struct record_options *o)
{
	int max = frequency_max();

	return add_frequency(o, max < FREQUENCY_DEFAULT ? max : FREQUENCY_DEFAULT);
}

static int take_level(void *at, const char *text)
{
	int *level = at;

	*level = 1;
	if (!text)
		return 1;
	return args_number(level, text, "-z", "a level from 1, the fastest, to 22", 1,
			   PERFDATA_PACK_LEVEL_MAX);
}

static int take_turn(void *at, const char *text)
{
	struct record_turn *turn = at;

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

static int take_max_size(void *at, const char *text)
{
	if (amount_size(at, text))
		return 1;
	cli_say("--max-size wants a size (100M; B, K, M, G), not '%s'", text);
	return -EXIT_TOOL;
}

static int take_call_graph(void *chains, const char *text)
{
	if (strcmp(text, "fp")) {
		cli_say("--call-graph %s: the chains of groups follow frame pointers: fp. \"perf record "
			"--call-graph\" has the others, at the same time if need be", text);
		return -EXIT_TOOL;
	}
	*(bool *)chains = true;
	return 1;
}

#define SWITCH(n, l, member) OPTION_SWITCH(n, l, struct record_options, member)
#define TEXT(n, l, member) OPTION_TEXT(n, l, struct record_options, member)
#define NUMBER(n, l, member, from, what)							\
	OPTION_NUMBER(n, l, struct record_options, member, from, 0, what)

static const struct option_line lines[] = {
	OPTION_EVENT(struct record_options, ),
	OPTION_OWN("every", 0, required, take_every),
	OPTION_OWN("on", 0, required, take_on),
	OPTION_OWN("count", 'c', required, take_count),
	OPTION_OWN("freq", 'F', required, take_frequency),
	OPTION_TARGETS(struct record_options, ),
	TEXT("uid", 'u', user),
	OPTION_NO_INHERIT(struct record_options, ),
	OPTION_BACKGROUND(struct record_options, ),
	SWITCH("per-thread", 'i', no_inherit),
	OPTION_MODES(struct record_options),
	SWITCH(NULL, 'g', chains),
	OPTION_ARGUMENT("call-graph", 0, struct record_options, chains, take_call_graph),
	SWITCH("kernel-callchains", 0, kernel_chains),
	SWITCH("user-callchains", 0, user_chains),
	OPTION_CGROUP(struct record_options),
	SWITCH("all-cgroups", 0, all_cgroups),
	SWITCH("by-task", 0, by_task),
	NUMBER("delay", 'D', delay, -1, "milliseconds, 0 or more, or -1"),
	OPTION_TIMEOUT(struct record_options),
	OPTION_CONTROL(struct record_options),
	OPTION_OUTPUT(struct record_options),
	OPTION_CHOICE("format", 0, struct record_options, format, "perf,csv,jsonl"),
	OPTION_OPTIONAL("switch-output", 0, struct record_options, turn, take_turn),
	NUMBER("switch-max-files", 0, turn.max_files, 1, "a number of files, 1 or more"),
	SWITCH("overwrite", 0, overwrite),
	TEXT("switch-output-event", 0, turn.event),
	SWITCH("timestamp-filename", 0, stamp),
	OPTION_ARGUMENT("max-size", 0, struct record_options, max_size, take_max_size),
	SWITCH("tail-synthesize", 0, tail_synthesize),
	SWITCH("namespaces", 0, namespaces),
	SWITCH("switch-events", 0, switch_events),
	SWITCH("no-buildid", 'B', no_buildid),
	OPTION_OPTIONAL("compression-level", 'z', struct record_options, level, take_level),
	OPTION_MMAP_PAGES(struct record_options, ),
	SWITCH("no-buffering", 0, no_buffering),
	NUMBER("realtime", 'r', realtime, 1, "a priority for SCHED_FIFO, 1 or more"),
	SWITCH("dry-run", 0, dry_run),
	SWITCH("quiet", 'q', quiet),
	OPTION_VERBOSE(struct record_options),
	OPTION_NOTHING("timestamp", 'T'),
	OPTION_NOTHING("timestamp-boundary", 0),
	OPTION_NOTHING("period", 'P'),
	OPTION_NOTHING("running-time", 0),
	OPTION_NOTHING("sample-cpu", 0),
	OPTION_NOTHING("sample-identifier", 0),
	OPTION_NOTHING("group", 0),
	OPTION_NOTHING("strict-freq", 0),
	OPTION_NOTHING("stat", 's'),
	OPTION_NOTHING("buildid-all", 0),
	OPTION_NOTHING("buildid-mmap", 0),
	OPTION_NOTHING("no-buildid-cache", 'N'),
	OPTION_NOTHING("no-bpf-event", 0),
	OPTION_HELP(record_help),
	{ .kind = OPTION_END },
};

int record_options_parse(struct record_options *o, int argc, char **argv)
{
	static const char * const outputs[] = { "pmcgrp.data", "pmcgrp.csv", "pmcgrp.jsonl" };
	int ret;

	memset(o, 0, sizeof(*o));
	o->pages = ARGS_PAGES;
	ret = option_parse(o, lines, &record_refused, true, argc, argv);
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
