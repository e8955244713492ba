// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * The command line of stat with --regions: what does not go with that. The command counts itself,
 * thread by thread, so what the tool does while it counts is refused.
 */
#include "args/args.h"
#include "stat_options.h"

static int target_check(const struct stat_options *o)
{
	if (!o->command)
		return args_wrong("--regions shows what a command counts of its regions: give a "
				  "command");
	if (stat_counts_cpus(o) || stat_counts_tasks(o))
		return args_wrong("--regions listens to the threads of the command, which -a, -C, "
				  "-p and -t do not count");
	if (o->no_inherit)
		return args_wrong("--regions takes processes and threads apart: -i has nothing to "
				  "leave out");
	if (o->until_exit)
		return args_wrong("--until-exit is about the end of a task, which is in no region");
	if (o->aggr != AGGR_GLOBAL && o->aggr != AGGR_THREAD)
		return args_wrong("--regions counts threads wherever they run: of -A, --per-core "
				  "and the like there is --per-thread");
	return 1;
}

static int events_check(const struct stat_options *o)
{
	if (o->nr_metrics || o->nr_metric_files || o->detailed || o->transaction || o->pmu)
		return args_wrong("--regions counts the events of -e alone, in one group: -M, "
				  "--topdown, -d, -T and --cputype do not go with it");
	if (o->all_user || o->all_kernel)
		return args_wrong("with --regions the mode is said with each event: "
				  "{cycles,instructions}:u for --all-user, and :k for "
				  "--all-kernel");
	if (o->null_run)
		return args_wrong("-n counts nothing, and --regions counts regions: give one of "
				  "them");
	return 1;
}

static int when_check(const struct stat_options *o)
{
	if (o->interval || o->interval_count || o->interval_clear || o->summary)
		return args_wrong("--regions prints at the end of the command, and -I while it "
				  "runs; a program prints earlier by pmcgrp_regions_report()");
	if (o->delay || o->control)
		return args_wrong("with --regions the command says when to count, not -D or "
				  "--control: by its regions, or pmcgrp_regions_start()");
	if (o->repeat > 1 || o->table || o->passes)
		return args_wrong("--regions shows one run: -r and --passes do not go with it");
	if (o->metric_only || o->hide_zero || o->no_scale)
		return args_wrong("--regions scales nothing and has a table of its own: "
				  "--metric-only, --hide-zero-events and --no-scale do not go "
				  "with it");
	return 1;
}

int stat_options_regions(struct stat_options *o)
{
	int ret = target_check(o);

	if (ret == 1)
		ret = events_check(o);
	if (ret == 1)
		ret = when_check(o);
	if (ret == 1)
		ret = stat_options_output(o);
	o->regions_per_thread = o->aggr == AGGR_THREAD;
	o->aggr = AGGR_GLOBAL;
	/* Groups of the tool beside those of the threads would want as many counters once more. */
	o->null_run = true;
	return ret;
}
