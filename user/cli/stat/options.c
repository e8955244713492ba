// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of stat: options, their limits, --help. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args/args.h"
#include "args/cli.h"
#include "counters/control.h"
#include "args/option.h"
#include "options.h"
#include "refused.h"

/* A first character of "+": the command's own options are not ours. */
#define SHORT_OPTIONS "+e:gTM:aC:p:t:idnAD:I:r:Sx:jo:BvhG:" STAT_REFUSED_LETTERS

enum {
	OPTION_APPEND = STAT_OPTION_OWN,
	OPTION_METRICS_FILE,
	OPTION_TOPDOWN,
	OPTION_TD_LEVEL,
	OPTION_PLAIN,
	OPTION_SMI_COST,
	OPTION_PMU,
	OPTION_NO_BIG_NUM,
	OPTION_INTERVAL_COUNT,
	OPTION_TIMEOUT,
	OPTION_CONTROL,
	OPTION_PER_DIE,
	OPTION_PER_CLUSTER,
	OPTION_PER_CACHE,
	OPTION_PER_NODE,
	OPTION_PER_THREAD,
	OPTION_ALL_USER,
	OPTION_ALL_KERNEL,
	OPTION_INTERVAL_CLEAR,
	OPTION_SUMMARY,
	OPTION_NO_SUMMARY,
	OPTION_CSV_SUMMARY,
	OPTION_NO_CSV_SUMMARY,
	OPTION_TABLE,
	OPTION_PRE,
	OPTION_POST,
	OPTION_SCALE,
	OPTION_NO_SCALE,
	OPTION_METRIC_ONLY,
	OPTION_HIDE_ZERO,
	OPTION_LOG_FD,
	OPTION_QUIET,
	OPTION_REGIONS,
	OPTION_UNTIL_EXIT,
};

static const struct option long_options[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "group", no_argument, NULL, 'g' },
	{ "transaction", no_argument, NULL, 'T' },
	{ "cputype", required_argument, NULL, OPTION_PMU },
	{ "pmu-filter", required_argument, NULL, OPTION_PMU },
	{ "affinity", no_argument, NULL, OPTION_PLAIN },
	{ "no-affinity", no_argument, NULL, OPTION_PLAIN },
	{ "metrics", required_argument, NULL, 'M' },
	{ "metrics-file", required_argument, NULL, OPTION_METRICS_FILE },
	{ "topdown", no_argument, NULL, OPTION_TOPDOWN },
	{ "smi-cost", no_argument, NULL, OPTION_SMI_COST },
	{ "td-level", required_argument, NULL, OPTION_TD_LEVEL },
	{ "metric-no-merge", no_argument, NULL, OPTION_PLAIN },
	{ "metric-no-threshold", no_argument, NULL, OPTION_PLAIN },
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "pid", required_argument, NULL, 'p' },
	{ "tid", required_argument, NULL, 't' },
	{ "no-inherit", no_argument, NULL, 'i' },
	{ "until-exit", no_argument, NULL, OPTION_UNTIL_EXIT },
	{ "all-user", no_argument, NULL, OPTION_ALL_USER },
	{ "all-kernel", no_argument, NULL, OPTION_ALL_KERNEL },
	{ "detailed", no_argument, NULL, 'd' },
	{ "null", no_argument, NULL, 'n' },
	{ "no-aggr", no_argument, NULL, 'A' },
	{ "per-core", no_argument, NULL, STAT_OPTION_PER_CORE },
	{ "per-socket", no_argument, NULL, STAT_OPTION_PER_SOCKET },
	{ "per-die", no_argument, NULL, OPTION_PER_DIE },
	{ "per-cluster", no_argument, NULL, OPTION_PER_CLUSTER },
	{ "per-cache", optional_argument, NULL, OPTION_PER_CACHE },
	{ "per-node", no_argument, NULL, OPTION_PER_NODE },
	{ "per-thread", no_argument, NULL, OPTION_PER_THREAD },
	{ "no-merge", no_argument, NULL, 'A' },
	{ "by", required_argument, NULL, STAT_OPTION_BY },
	{ "sort", required_argument, NULL, STAT_OPTION_SORT },
	{ "rows", required_argument, NULL, STAT_OPTION_ROWS },
	{ "cgroup", required_argument, NULL, 'G' },
	{ "for-each-cgroup", required_argument, NULL, STAT_OPTION_EACH_CGROUP },
	{ "delay", required_argument, NULL, 'D' },
	{ "control", required_argument, NULL, OPTION_CONTROL },
	{ "timeout", required_argument, NULL, OPTION_TIMEOUT },
	{ "interval-print", required_argument, NULL, 'I' },
	{ "interval-count", required_argument, NULL, OPTION_INTERVAL_COUNT },
	{ "interval-clear", no_argument, NULL, OPTION_INTERVAL_CLEAR },
	{ "summary", no_argument, NULL, OPTION_SUMMARY },
	{ "no-summary", no_argument, NULL, OPTION_NO_SUMMARY },
	{ "repeat", required_argument, NULL, 'r' },
	{ "table", no_argument, NULL, OPTION_TABLE },
	{ "pre", required_argument, NULL, OPTION_PRE },
	{ "post", required_argument, NULL, OPTION_POST },
	{ "sync", no_argument, NULL, 'S' },
	{ "regions", optional_argument, NULL, OPTION_REGIONS },
	{ "scale", no_argument, NULL, OPTION_SCALE },
	{ "no-scale", no_argument, NULL, OPTION_NO_SCALE },
	{ "metric-only", no_argument, NULL, OPTION_METRIC_ONLY },
	{ "hide-zero-events", no_argument, NULL, OPTION_HIDE_ZERO },
	{ "field-separator", required_argument, NULL, 'x' },
	{ "json", no_argument, NULL, 'j' },
	{ "json-output", no_argument, NULL, 'j' },
	{ "output", required_argument, NULL, 'o' },
	{ "append", no_argument, NULL, OPTION_APPEND },
	{ "log-fd", required_argument, NULL, OPTION_LOG_FD },
	{ "quiet", no_argument, NULL, OPTION_QUIET },
	{ "csv-summary", no_argument, NULL, OPTION_CSV_SUMMARY },
	{ "no-csv-summary", no_argument, NULL, OPTION_NO_CSV_SUMMARY },
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

static int say_aggr(const struct stat_options *o, enum aggr_mode mode)
{
	cli_say("%s and %s exclude each other: each is a way to put CPUs or threads together",
		stat_aggr_option(o->aggr), stat_aggr_option(mode));
	return -EXIT_TOOL;
}

static int take_aggr(struct stat_options *o, enum aggr_mode mode)
{
	if (o->aggr != AGGR_GLOBAL && o->aggr != mode)
		return say_aggr(o, mode);
	o->aggr = mode;
	return 1;
}

/* "L2" or "l2"; without an argument the last level. */
static int take_cache(struct stat_options *o, const char *level)
{
	o->cache_level = 0;
	if (level && ((level[0] != 'L' && level[0] != 'l') || level[1] < '1' || level[1] > '4' ||
		      level[2])) {
		cli_say("--per-cache wants a level from L1 to L4, not '%s'; without one it is the last",
			level);
		return -EXIT_TOOL;
	}
	if (level)
		o->cache_level = level[1] - '0';
	return take_aggr(o, AGGR_CACHE);
}

/* Of what the lines are, beside those that top has. */
static int take_lines(struct stat_options *o, int option)
{
	switch (option) {
	case OPTION_PER_DIE:
		return take_aggr(o, AGGR_DIE);
	case OPTION_PER_CLUSTER:
		return take_aggr(o, AGGR_CLUSTER);
	case OPTION_PER_CACHE:
		return take_cache(o, optarg);
	case OPTION_PER_NODE:
		return take_aggr(o, AGGR_NODE);
	case OPTION_PER_THREAD:
		return take_aggr(o, AGGR_THREAD);
	default:
		return 0;
	}
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

/* Of what is counted, and of the runs: what stat alone has. */
static int take_what(struct stat_options *o, int option)
{
	switch (option) {
	case OPTION_UNTIL_EXIT:
		o->until_exit = true;
		return 1;
	case OPTION_ALL_USER:
		o->all_user = true;
		return 1;
	case OPTION_ALL_KERNEL:
		o->all_kernel = true;
		return 1;
	case 'd':
		o->detailed++;
		return 1;
	case 'n':
		o->null_run = true;
		return 1;
	case 'S':
		o->sync = true;
		return 1;
	case OPTION_CONTROL:
		o->control = optarg;
		return control_check(optarg);
	case OPTION_PRE:
		o->pre = optarg;
		return 1;
	case OPTION_POST:
		o->post = optarg;
		return 1;
	case OPTION_REGIONS:
		o->regions = true;
		o->regions_file = optarg;
		return 1;
	default:
		return 0;
	}
}

/* Where it is printed. */
static int take_where(struct stat_options *o, int option)
{
	switch (option) {
	case 'o':
		o->output = optarg;
		return 1;
	case OPTION_APPEND:
		o->append = true;
		return 1;
	case OPTION_LOG_FD:
		return take_number(&o->log_fd, "--log-fd",
				   "the number of an open descriptor, 1 or more", 1);
	case OPTION_QUIET:
		o->quiet = true;
		return 1;
	case 'v':
		o->verbose = true;
		return 1;
	default:
		return 0;
	}
}

/* How it is printed: switches, all of them. */
static int take_format(struct stat_options *o, int option)
{
	switch (option) {
	case 'B':
	case OPTION_NO_BIG_NUM:
		o->big_num = option == 'B';
		return 1;
	case OPTION_SCALE:
	case OPTION_NO_SCALE:
		o->no_scale = option == OPTION_NO_SCALE;
		return 1;
	case OPTION_SUMMARY:
	case OPTION_NO_SUMMARY:
		o->summary = option == OPTION_SUMMARY;
		return 1;
	case OPTION_CSV_SUMMARY:
	case OPTION_NO_CSV_SUMMARY:
		o->no_csv_summary = option == OPTION_NO_CSV_SUMMARY;
		return 1;
	case OPTION_INTERVAL_CLEAR:
		o->interval_clear = true;
		return 1;
	case OPTION_METRIC_ONLY:
		o->metric_only = true;
		return 1;
	case OPTION_PLAIN:
		return 1;	/* metrics are not merged nor judged, and one read gives all CPUs */
	case OPTION_HIDE_ZERO:
		o->hide_zero = true;
		return 1;
	case OPTION_TABLE:
		o->table = true;
		return 1;
	case 'j':
		o->json = true;
		return 1;
	default:
		return 0;
	}
}

/* Which events and metrics there are beside -e. */
static int take_metrics(struct stat_options *o, int option)
{
	switch (option) {
	case 'M':
		return args_append(&o->metrics, &o->nr_metrics, optarg);
	case OPTION_METRICS_FILE:
		return args_append(&o->metric_files, &o->nr_metric_files, optarg);
	case 'g':
		o->one_group = true;
		return 1;
	case 'T':
		o->transaction = true;
		return 1;
	case OPTION_PMU:
		o->pmu = optarg;
		return 1;
	case OPTION_TOPDOWN:
		o->topdown = true;
		return 1;
	case OPTION_SMI_COST:
		o->smi_cost = true;
		return args_append(&o->metrics, &o->nr_metrics, "smi");
	case OPTION_TD_LEVEL:
		return take_number(&o->td_level, "--td-level", "a level", 1);
	default:
		return 0;
	}
}

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

static int take(struct stat_options *o, int option)
{
	static int (*const kinds[])(struct stat_options *o, int option) = {
		stat_option_what,
		stat_option_how,
		take_lines,
		stat_option_keys,
		take_what,
		take_where,
		take_format,
		take_metrics,
	};
	size_t i;
	int ret;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		ret = kinds[i](o, option);
		if (ret)
			return ret;
	}
	switch (option) {
	case 'x':
		o->csv = true;
		return args_separator(&o->separator, optarg);
	case 'h':
		fputs(stat_help, stdout);
		return 0;
	default:
		ret = refused_say(&stat_refused, option);
		if (ret)
			return ret;
		return -EXIT_TOOL;
	}
}

/* Returns 1, or what stat_options_parse() shall return. */
static int take_all(struct stat_options *o, int argc, char **argv)
{
	struct option *all = refused_join(&stat_refused, long_options);
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

int stat_options_parse(struct stat_options *o, int argc, char **argv)
{
	int ret;

	memset(o, 0, sizeof(*o));
	o->repeat = 1;
	o->by.rows = STAT_BY_ROWS;
	o->big_num = true;
	ret = take_all(o, argc, argv);
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
