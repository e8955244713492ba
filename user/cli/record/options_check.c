// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Which options of record do not go together. */
#include <string.h>
#include <unistd.h>

#include "record_options.h"

static int check_targets(const struct record_options *o)
{
	bool cpus = record_of_cpus(o);

	if (!o->command && !record_of_tasks(o) && !cpus)
		return args_wrong("nothing to record: give a command, -p PID, -t TID, -a or -C CPUS "
				  "(\"pmcgrp record --help\" says more)");
	if (!!o->pids.nr + !!o->tids.nr + !!o->user > 1)
		return args_wrong("-p, -t and -u exclude each other: all threads of processes, single "
				  "ones, or processes of a user");
	if (record_of_tasks(o) && cpus)
		return args_wrong("-p, -t and -u exclude -a and -C: a group counts a thread wherever it "
				  "runs, or CPUs whatever runs there");
	if (o->no_inherit && cpus)
		return args_wrong("--no-inherit is about threads and processes, not about -a and -C");
	if (o->nr_cgroups && !cpus)
		return args_wrong("-G goes with -a or -C, as in perf: cgroups are recorded on CPUs, "
				  "whoever runs there; --all-cgroups has the cgroup in samples of "
				  "any target");
	if (o->by_task && !cpus)
		return args_wrong("--by-task goes with -a or -C: threads and processes are always told "
				  "apart");
	return 1;
}

static int check_events(const struct record_options *o)
{
	if (o->all_user && o->all_kernel)
		return args_wrong("--all-user and --all-kernel exclude each other: without them both "
				  "are counted");
	return 1;
}

/* As for perf, which part is no wish for chains. */
static int check_chains(const struct record_options *o)
{
	if (o->kernel_chains && o->user_chains)
		return args_wrong("--kernel-callchains and --user-callchains exclude each other: without "
				  "them -g records both parts");
	if ((o->kernel_chains || o->user_chains) && !o->chains)
		return args_wrong("--kernel-callchains and --user-callchains go with -g");
	if (o->chains && o->format == FORMAT_CSV)
		return args_wrong("-g, --call-graph: a line of CSV has no room for call chains: perf's "
				  "format and jsonl have them");
	return 1;
}

static int check_overwrite(const struct record_options *o)
{
	if (o->tail_synthesize && !o->overwrite)
		return args_wrong("--tail-synthesize goes with --overwrite, whose dumps tell names and "
				  "maps as they are then; else they come before the samples");
	if (!o->overwrite)
		return 1;
	if (o->turn.by == TURN_SIZE)
		return args_wrong("--overwrite writes nothing until a dump is asked for, so that no file "
				  "grows to a size: --switch-output=signal or =TIME go with it");
	if (o->no_buffering)
		return args_wrong("--overwrite reads the rings for a dump, --no-buffering after each "
				  "record: choose one");
	if (o->switch_events)
		return args_wrong("a dump of --overwrite has no --switch-events: --by-task has a record "
				  "of each switch in the ring itself");
	return 1;
}

static int check_files(const struct record_options *o)
{
	if (o->turn.max_files && !record_turns_files(o))
		return args_wrong("--switch-max-files is about the files of --switch-output");
	if (o->level && o->format != FORMAT_PERF)
		return args_wrong("-z compresses the records of a file of perf's: pipe text through a "
				  "program such as zstd (-o -)");
	if ((o->namespaces || o->switch_events) && o->format != FORMAT_PERF)
		return args_wrong("--namespaces and --switch-events are records for a file of perf's, "
				  "which text has none of");
	if (record_names_files(o) && !strcmp(o->output, "-"))
		return args_wrong("--switch-output and --timestamp-filename rename files: name them with "
				  "-o");
	if (record_to_pipe(o) && o->level)
		return args_wrong("-z compresses the records of a file: pipe those of -o - through a program "
				  "such as zstd");
	if (record_to_pipe(o) && isatty(STDOUT_FILENO))
		return args_wrong("-o - writes what programs read, and stdout is a terminal: \"pmcgrp "
				  "record -o - ... | perf script -i -\", or --format csv for people");
	if (o->quiet && o->verbose)
		return args_wrong("-q and -v exclude each other: nothing but errors, or more than usual");
	return 1;
}

int record_options_check(const struct record_options *o)
{
	static int (*const checks[])(const struct record_options *o) = {
		check_targets, check_events, check_chains, check_overwrite, check_files
	};
	size_t i;
	int ret = 1;

	for (i = 0; i < sizeof(checks) / sizeof(checks[0]) && ret == 1; i++)
		ret = checks[i](o);
	return ret;
}
