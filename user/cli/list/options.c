// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of list. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args/cli.h"
#include "args/common_options.h"
#include "list_options.h"

const char list_help[] =
	"usage: pmcgrp list [options] [KIND | PATTERN]...\n"
	"       pmcgrp list --explain EVENT\n"
	"\n"
	"Lists the events of this machine by name, as option -e of stat, record and top takes them.\n"
	"A KIND lists events of that kind: hw or hardware, sw or software, cache, pmu, tracepoint,\n"
	"table (perf's tables of the CPU's own events); \"metric\" lists the metrics that option -M of\n"
	"stat takes. A PATTERN lists those whose name or description\n"
	"has it as a part, or whose name matches it as a glob (mem*).\n"
	"\n"
	"  -d, --details         what each name stands for: terms, unit, counters\n"
	"  -p, --probe           try each event: whether this user can count it here, and if not, why\n"
	"                        not; of cache events also whether they count anything of a load\n"
	"                        that has accesses and misses of each cache\n"
	"  -c, --counters        how many counters each PMU of the cores has at this moment, by\n"
	"                        filling it, and who has the others; it wants the device, and\n"
	"                        has others take turns for some milliseconds\n"
	"  -x, --explain EVENT   what an event is in perf_event_attr, field by field, and where each\n"
	"                        bit comes from\n"
	"      --metrics-file FILE\n"
	"                        with metric: those of this file, too, as option --metrics-file of\n"
	"                        stat takes it\n"
	"  -N, --names           the names alone, one a line\n"
	"  -j, --json            JSON; pmcgrp-list(1) has its keys\n"
	"  -h, --help            this text\n"
	"\n"
	"Examples:\n"
	"  pmcgrp list cache --probe\n"
	"  pmcgrp list energy\n"
	"  pmcgrp list --explain cpu/mem-loads,ldlat=30/u\n"
	"\n"
	"Exit status: 0; 1 if nothing matches; 125 if pmcgrp itself failed.\n";

static const struct option_line lines[] = {
	OPTION_SWITCH("details", 'd', struct list_options, details),
	OPTION_SWITCH("probe", 'p', struct list_options, probe),
	OPTION_SWITCH("counters", 'c', struct list_options, counters),
	OPTION_TEXT("explain", 'x', struct list_options, explain),
	OPTION_METRICS_FILE(struct list_options),
	OPTION_NAMES(struct list_options),
	OPTION_JSON(struct list_options, ),
	OPTION_HELP(list_help),
	{ .kind = OPTION_END },
};

static const struct {
	const char *name;
	enum pmcgrp_name_kind kind;
} kinds[] = {
	{ "hardware", PMCGRP_NAME_HARDWARE },
	{ "hw", PMCGRP_NAME_HARDWARE },
	{ "software", PMCGRP_NAME_SOFTWARE },
	{ "sw", PMCGRP_NAME_SOFTWARE },
	{ "cache", PMCGRP_NAME_CACHE },
	{ "hwcache", PMCGRP_NAME_CACHE },
	{ "pmu", PMCGRP_NAME_PMU },
	{ "tracepoint", PMCGRP_NAME_TRACEPOINT },
	{ "table", PMCGRP_NAME_TABLE },
};

const char list_kinds[] = "hardware,software,cache,pmu,tracepoint,table,metric";

#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

const char *list_kind_name(enum pmcgrp_name_kind kind)
{
	size_t i;

	for (i = 0; i < NR_KINDS && kinds[i].kind != kind; i++)
		;
	return kinds[i].name;
}

/* Words that are kinds, and patterns behind them. */
static void take_words(struct list_options *o, char **words, unsigned int nr)
{
	unsigned int i, patterns = 0;
	size_t k;

	for (i = 0; i < nr; i++) {
		for (k = 0; k < NR_KINDS && strcmp(kinds[k].name, words[i]); k++)
			;
		if (k < NR_KINDS)
			o->kinds |= kinds[k].kind;
		else if (!strcmp(words[i], "metric") || !strcmp(words[i], "metrics"))
			o->metrics = true;
		else
			words[patterns++] = words[i];
	}
	o->patterns = words;
	o->nr_patterns = patterns;
}

static int combine(const struct list_options *o, bool words)
{
	const char *other;

	if (o->explain && (words || o->probe || o->names || o->details || o->counters))
		return args_wrong("--explain is about one event: it takes no pattern and no option but "
				  "--json");
	if (o->names && (o->json || o->probe || o->details || o->counters)) {
		other = o->json ? "--json" : o->probe ? "--probe" :
			o->details ? "--details" : "--counters";
		cli_say("--names prints nothing but names: leave out %s", other);
		return -EXIT_TOOL;
	}
	if (o->metrics && (o->kinds || o->probe || o->counters))
		return args_wrong("metrics are listed by themselves, without events and counters, and "
				  "are not tried");
	if (o->nr_metric_files && !o->metrics)
		return args_wrong("--metrics-file has metrics, and events are listed: \"pmcgrp list "
				  "metric\"");
	return 1;
}

int list_options_parse(struct list_options *o, int argc, char **argv)
{
	int ret;

	memset(o, 0, sizeof(*o));
	ret = option_parse(o, lines, NULL, false, argc, argv);
	if (ret <= 0)
		return ret;
	take_words(o, argv + optind, (unsigned int)(argc - optind));
	ret = combine(o, optind < argc);
	if (!o->kinds)
		o->kinds = 2 * PMCGRP_NAME_TABLE - 1;
	return ret;
}

void list_options_free(struct list_options *o)
{
	free(o->metric_files);
	o->metric_files = NULL;
}
