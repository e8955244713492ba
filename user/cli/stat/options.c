// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of stat: options and their limits. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "args/cli.h"
#include "args/common_options.h"
#include "counters/control.h"
#include "stat_options.h"
#include "refused.h"

int stat_take_aggr(void *at, int mode)
{
	enum aggr_mode *aggr = at;

	if (*aggr != AGGR_GLOBAL && *aggr != (enum aggr_mode)mode) {
		cli_say("%s and %s exclude each other: each is a way to put CPUs or threads together",
			stat_aggr_option(*aggr), stat_aggr_option((enum aggr_mode)mode));
		return -EXIT_TOOL;
	}
	*aggr = (enum aggr_mode)mode;
	return 1;
}

/* "L2" or "l2"; without an argument the last level. */
static int take_cache(void *options, const char *level)
{
	struct stat_options *o = options;

	o->cache_level = 0;
	if (level && ((level[0] != 'L' && level[0] != 'l') || level[1] < '1' || level[1] > '4' ||
		      level[2])) {
		cli_say("--per-cache wants a level from L1 to L4, not '%s'; without one it is the last",
			level);
		return -EXIT_TOOL;
	}
	if (level)
		o->cache_level = level[1] - '0';
	return stat_take_aggr(&o->aggr, AGGR_CACHE);
}

static int take_by(void *at, const char *text)
{
	struct stat_by *by = at;
	int ret = by_key_parse(&by->key, text);

	by->is = true;
	if (ret)
		return ret;
	return args_choice_wrong("--by", "cgroup,cgroup:DEPTH,process,thread,command", text);
}

static int take_sort(void *at, const char *text)
{
	struct stat_by *by = at;

	by->sort = text;
	by->shown = true;
	return 1;
}

static int take_rows(void *at, const char *text)
{
	struct stat_by *by = at;

	by->shown = true;
	return args_number(&by->rows, text, "--rows", "a number of rows, or 0 for all", 0, 0);
}

static int take_detailed(void *at, int more)
{
	*(unsigned int *)at += (unsigned int)more;
	return 1;
}

static int take_regions(void *options, const char *file)
{
	struct stat_options *o = options;

	o->regions = true;
	o->regions_file = file;
	return 1;
}

static int take_smi_cost(void *options, int is)
{
	struct stat_options *o = options;

	o->smi_cost = is;
	return args_append(&o->metrics, &o->nr_metrics, "smi");
}

#define SWITCH(n, l, member) OPTION_SWITCH(n, l, struct stat_options, member)
#define SWITCH_TO(n, l, member, to) OPTION_SWITCH_TO(n, l, struct stat_options, member, to)
#define TEXT(n, l, member) OPTION_TEXT(n, l, struct stat_options, member)
#define NUMBER(n, l, member, from, what) OPTION_NUMBER(n, l, struct stat_options, member, from, 0, what)
#define LIST(n, l, member) OPTION_LIST(n, l, struct stat_options, , member)
#define AGGR(n, mode) OPTION_CALL(n, 0, struct stat_options, aggr, stat_take_aggr, mode)

static const struct option_line lines[] = {
	OPTION_EVENT(struct stat_options, ),
	SWITCH("group", 'g', one_group),
	SWITCH("transaction", 'T', transaction),
	TEXT("cputype", 0, pmu),
	TEXT("pmu-filter", 0, pmu),
	OPTION_NOTHING("affinity", 0),		/* one read gives all CPUs */
	OPTION_NOTHING("no-affinity", 0),
	LIST("metrics", 'M', metrics),
	OPTION_METRICS_FILE(struct stat_options),
	SWITCH("topdown", 0, topdown),
	{ .name = "smi-cost", .kind = OPTION_IS_CALL, .call = take_smi_cost, .value = true },
	NUMBER("td-level", 0, td_level, 1, "a level"),
	OPTION_NOTHING("metric-no-merge", 0),
	OPTION_NOTHING("metric-no-threshold", 0),	/* metrics are not judged */
	OPTION_TARGETS(struct stat_options, ),
	OPTION_NO_INHERIT(struct stat_options, ),
	OPTION_BACKGROUND(struct stat_options, ),
	SWITCH("until-exit", 0, until_exit),
	OPTION_MODES(struct stat_options),
	OPTION_CALL("detailed", 'd', struct stat_options, detailed, take_detailed, 1),
	SWITCH("null", 'n', null_run),
	SWITCH("passes", 0, passes),
	STAT_OPTION_LINES(struct stat_options, aggr),
	AGGR("per-die", AGGR_DIE),
	AGGR("per-cluster", AGGR_CLUSTER),
	OPTION_OWN("per-cache", 0, optional, take_cache),
	AGGR("per-node", AGGR_NODE),
	AGGR("per-thread", AGGR_THREAD),
	OPTION_CALL("no-merge", 'A', struct stat_options, aggr, stat_take_aggr, AGGR_NONE),
	OPTION_ARGUMENT("by", 0, struct stat_options, by, take_by),
	OPTION_ARGUMENT("sort", 0, struct stat_options, by, take_sort),
	OPTION_ARGUMENT("rows", 0, struct stat_options, by, take_rows),
	OPTION_CGROUP(struct stat_options),
	LIST("for-each-cgroup", 0, each),
	NUMBER("delay", 'D', delay, -1, "milliseconds, or -1 to start disabled"),
	OPTION_CONTROL(struct stat_options),
	OPTION_TIMEOUT(struct stat_options),
	OPTION_INTERVALS(struct stat_options, ),
	SWITCH("interval-clear", 0, interval_clear),
	SWITCH("summary", 0, summary),
	SWITCH_TO("no-summary", 0, summary, false),
	NUMBER("repeat", 'r', repeat, 1, "a number of runs, 1 or more"),
	SWITCH("table", 0, table),
	TEXT("pre", 0, pre),
	TEXT("post", 0, post),
	SWITCH("sync", 'S', sync),
	OPTION_OWN("regions", 0, optional, take_regions),
	SWITCH_TO("scale", 0, no_scale, false),
	SWITCH("no-scale", 0, no_scale),
	SWITCH("metric-only", 0, metric_only),
	SWITCH("hide-zero-events", 0, hide_zero),
	OPTION_SEPARATOR(struct stat_options, ),
	OPTION_JSON(struct stat_options, ),
	SWITCH("json-output", 'j', json),
	OPTION_OUTPUT(struct stat_options),
	SWITCH("append", 0, append),
	NUMBER("log-fd", 0, log_fd, 1, "the number of an open descriptor, 1 or more"),
	SWITCH("quiet", 0, quiet),
	SWITCH_TO("csv-summary", 0, no_csv_summary, false),
	SWITCH("no-csv-summary", 0, no_csv_summary),
	SWITCH("big-num", 'B', big_num),
	SWITCH_TO("no-big-num", 0, big_num, false),
	OPTION_VERBOSE(struct stat_options),
	OPTION_PERF(struct stat_options, ),
	OPTION_FALLBACK(struct stat_options, ),
	OPTION_HELP(stat_help),
	{ .kind = OPTION_END },
};

/* The table's group of metrics that --topdown stands for. */
static int add_topdown(struct stat_options *o)
{
	static const char *const groups[] = { "TopdownL1", "TopdownL2", "TopdownL3",
					      "TopdownL4", "TopdownL5", "TopdownL6" };
	int levels = sizeof(groups) / sizeof(groups[0]);

	if (o->td_level && !o->topdown)
		return args_wrong("--td-level is a level of --topdown: give that as well");
	if (o->td_level > levels)
		return args_wrong("--td-level is a level from 1 to 6");
	if (!o->topdown)
		return 1;
	return args_append(&o->metrics, &o->nr_metrics, groups[o->td_level ? o->td_level - 1 : 0]);
}

int stat_options_parse(struct stat_options *o, int argc, char **argv)
{
	int ret;

	memset(o, 0, sizeof(*o));
	o->repeat = 1;
	o->by.rows = STAT_BY_ROWS;
	o->big_num = true;
	ret = option_parse(o, lines, &stat_refused, true, argc, argv);
	if (ret <= 0)
		return ret;
	if (optind < argc)
		o->command = argv + optind;
	ret = add_topdown(o);
	if (ret <= 0)
		return ret;
	if (o->regions)
		return stat_options_regions(o);
	/* As perf has it: of nobody in particular it is all. */
	if (o->aggr == AGGR_THREAD && !o->command && !stat_counts_tasks(o) && !o->has_cpus)
		o->all_cpus = true;
	return stat_options_combine(o);
}

void stat_options_free(struct stat_options *o)
{
	free(o->events);
	free(o->metrics);
	free(o->metric_files);
	free(o->cgroups);
	free(o->each);
	o->events = NULL;
	o->metrics = NULL;
	o->metric_files = NULL;
	o->cgroups = NULL;
	o->each = NULL;
	free(o->pids.id);
	free(o->tids.id);
	o->pids = (struct args_ids){ 0 };
	o->tids = (struct args_ids){ 0 };
}
