// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of stat: what does not go together. */
#include "args/args.h"
#include "args/cli.h"
#include "stat_options.h"

static int threads_check(const struct stat_options *o)
{
	if (o->has_cpus)
		return args_wrong("--per-thread takes threads apart, and -C counts CPUs whatever runs "
				  "there: -a --per-thread counts all threads");
	if (!o->all_cpus && !stat_counts_tasks(o))
		return args_wrong("--per-thread wants threads that are there already: -p, -t or -a; of a "
				  "command \"pmcgrp record\" and \"pmcgrp report -s tid\" tell the "
				  "threads apart");
	if (o->no_inherit && o->tids.nr)
		return args_wrong("-i leaves out what threads create, and -t counts nothing of that kind");
	return 1;
}

const char *stat_aggr_option(enum aggr_mode mode)
{
	static const char *const names[] = {
		[AGGR_NONE] = "-A",
		[AGGR_CORE] = "--per-core",
		[AGGR_SOCKET] = "--per-socket",
		[AGGR_DIE] = "--per-die",
		[AGGR_CLUSTER] = "--per-cluster",
		[AGGR_CACHE] = "--per-cache",
		[AGGR_NODE] = "--per-node",
		[AGGR_THREAD] = "--per-thread",
	};

	return names[mode];
}

int stat_options_check_lines(const struct stat_options *o)
{
	if (o->aggr == AGGR_GLOBAL || o->aggr == AGGR_THREAD || stat_counts_cpus(o))
		return 1;
	cli_say("%s takes CPUs apart, and tasks are counted here: add -a or -C",
		stat_aggr_option(o->aggr));
	return -EXIT_TOOL;
}

/* Events that belong to no task are counted on all CPUs while a command runs. */
static bool may_be_uncore(const struct stat_options *o)
{
	return o->command && !stat_counts_tasks(o) && (o->nr_events || o->nr_metrics);
}

int stat_options_check(const struct stat_options *o)
{
	bool cpus = stat_counts_cpus(o);

	if (o->until_exit && cpus)
		return args_wrong("--until-exit says when tasks are counted no longer, and -a and -C "
				  "count CPUs whatever runs there");
	if (o->background && o->perf)
		return args_wrong("--background needs /dev/pmcgrp: perf_event_open(2) has nothing of "
				  "the kind, so not with --perf");
	if (!o->command && !stat_counts_tasks(o) && !cpus)
		return args_wrong("nothing to count: give a command, -p PIDS, -t TIDS, -a or -C CPUS "
			     "(\"pmcgrp stat --help\" says more)");
	if (o->pids.nr && o->tids.nr)
		return args_wrong("-p and -t exclude each other: a group counts a process or a thread");
	if (stat_counts_tasks(o) && cpus)
		return args_wrong("-p and -t exclude -a and -C: a group counts tasks wherever they run, "
			     "or CPUs whatever runs there");
	if (o->aggr == AGGR_THREAD)
		return threads_check(o);
	if (!may_be_uncore(o) && stat_options_check_lines(o) != 1)
		return -EXIT_TOOL;
	if (o->no_inherit && (cpus || o->tids.nr))
		return args_wrong("-i leaves out what a command or process creates; CPUs and the one "
			     "thread of -t have nothing of that kind");
	return 1;
}

static int runs_combine(const struct stat_options *o)
{
	if ((o->pre || o->post || o->sync) && !o->command)
		return args_wrong("--pre, --post and --sync go around the runs of a command, and there "
				  "is none");
	if (o->table && o->repeat < 2)
		return args_wrong("--table shows each run of -r: give -r with 2 or more");
	if (o->table && (o->separator || o->json))
		return args_wrong("--table is for people, and neither -x nor -j has a place for it");
	return 1;
}

static int passes_combine(const struct stat_options *o)
{
	if (!o->passes)
		return 1;
	if (!o->command)
		return args_wrong("--passes runs a command once for each pass, and there is none");
	if (o->null_run)
		return args_wrong("--passes and -n exclude each other: without events there is no pass");
	if (o->interval)
		return args_wrong("--passes and -I exclude each other: intervals of several runs do not "
				  "belong together");
	if (o->control)
		return args_wrong("--passes and --control exclude each other: not all events are there "
				  "in a run");
	if (stat_by_key(o))
		return args_wrong("--passes and --by, -G or --for-each-cgroup exclude each other: each "
				  "run has other tasks");
	return 1;
}

static int intervals_combine(const struct stat_options *o)
{
	if (o->summary && !o->interval)
		return args_wrong("--summary sums up the intervals of -I: give -I as well");
	if (o->interval_clear && !o->interval)
		return args_wrong("--interval-clear clears the screen for each interval of -I: give -I "
				  "as well");
	if (o->interval_clear && (o->separator || o->json))
		return args_wrong("--interval-clear is for people, and -x and -j are for programs");
	return 1;
}

int stat_options_output(const struct stat_options *o)
{
	if (o->append && !o->output)
		return args_wrong("--append adds to a file: name it with -o");
	if (o->output && o->log_fd)
		return args_wrong("-o and --log-fd exclude each other: the report goes to one place");
	if (o->quiet && (o->output || o->log_fd))
		return args_wrong("--quiet prints no report, and -o and --log-fd say where one goes");
	if (o->no_csv_summary && !o->separator)
		return args_wrong("--no-csv-summary leaves out a word of -x: give -x as well");
	if (o->separator && o->json)
		return args_wrong("-x and -j exclude each other");
	return 1;
}

int stat_options_combine(const struct stat_options *o)
{
	int ret = stat_options_check(o);

	if (ret != 1)
		return ret;
	if (o->all_user && o->all_kernel)
		return args_wrong("--all-user and --all-kernel exclude each other; events count both "
				  "modes without them");
	if (o->null_run && (o->nr_events || o->detailed))
		return args_wrong("-n counts nothing, and -e and -d name events: give one of them");
	if (o->one_group && !o->nr_events)
		return args_wrong("-g makes one group of the events of -e: give -e as well");
	if (o->null_run && o->transaction)
		return args_wrong("-n counts nothing, and -T names events: give one of them");
	if (o->null_run && o->nr_metrics)
		return args_wrong("-n counts nothing, and -M and --topdown name metrics: give one of "
				  "them");
	if (o->nr_metric_files && !o->nr_metrics)
		return args_wrong("--metrics-file has metrics for -M to name: give -M as well");
	if (o->null_run && o->control)
		return args_wrong("-n counts nothing, and --control switches events on and off");
	if (o->repeat > 1 && !o->command)
		return args_wrong("-r repeats a command, and there is none");
	if (o->repeat > 1 && o->interval)
		return args_wrong("-r and -I exclude each other: a mean is of whole runs");
	if (o->interval_count && !o->interval)
		return args_wrong("--interval-count counts the intervals of -I: give -I as well");
	if (stat_options_check_keys(o) != 1)
		return -EXIT_TOOL;
	if (runs_combine(o) != 1 || passes_combine(o) != 1 || intervals_combine(o) != 1)
		return -EXIT_TOOL;
	return stat_options_output(o);
}
