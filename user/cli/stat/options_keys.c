// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of stat: what does not go together with counts by key. */
#include "stat_options.h"

static int check_by(const struct stat_options *o)
{
	if (o->tids.nr)
		return args_wrong("--by tells the tasks of CPUs, of processes or of a command apart, and "
				  "-t counts single threads: --per-thread shows each of these");
	if (o->no_inherit && !o->pids.nr)
		return args_wrong("--by tells tasks apart, and -i counts a command's first thread alone");
	if (o->repeat > 1 || o->table)
		return args_wrong("--by and -r exclude each other: each run has other processes");
	if (o->metric_only)
		return args_wrong("--by has counts: what follows from them is in -x and -j, beside "
				  "them");
	if (o->summary)
		return args_wrong("--by with -I has no --summary: without -I it is of all the time");
	return 1;
}

static int check_cgroups(const struct stat_options *o)
{
	if (o->by.is)
		return args_wrong("--by shows all cgroups, processes or commands, and -G and "
				  "--for-each-cgroup some cgroups: give one of them");
	if (o->nr_cgroups && o->nr_each)
		return args_wrong("-G and --for-each-cgroup exclude each other: events are counted for "
				  "one cgroup each, or for all of them");
	if (o->nr_cgroups && !o->nr_events && !o->nr_metrics)
		return args_wrong("-G names the cgroups of the events of -e: give -e as well");
	if (!stat_counts_cpus(o))
		return args_wrong("-G and --for-each-cgroup count on CPUs, whatever runs there: add -a or -C "
				  "(of a command's own cgroups --by cgroup has the counts)");
	return 1;
}

int stat_options_check_keys(const struct stat_options *o)
{
	if (o->by.shown && !o->by.is)
		return args_wrong("--sort and --rows are for the rows of --by: give that as well");
	if (!stat_by_key(o))
		return 1;
	if (o->aggr != AGGR_GLOBAL)
		return args_wrong("--by, -G and --for-each-cgroup tell tasks apart, and -A, --per-core, "
				  "--per-thread and the like CPUs or threads: give one of them; -C "
				  "counts some CPUs alone");
	if (o->null_run)
		return args_wrong("-n counts nothing that could be told apart");
	if (o->perf)
		return args_wrong("--by, -G and --for-each-cgroup need the module: perf_event_open(2) "
				  "has no counts by key, and perf stat needs an event for each cgroup");
	return o->by.is && !o->nr_cgroups && !o->nr_each ? check_by(o) : check_cgroups(o);
}
