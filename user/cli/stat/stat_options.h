/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The command line of stat. */
#ifndef STAT_OPTIONS_H
#define STAT_OPTIONS_H

#include <stdbool.h>

#include "args/by_key.h"
#include "args/common_options.h"
#include "counters/aggr.h"

/* Rows of --by that are shown, unless --rows says how many. */
#define STAT_BY_ROWS 20

/* --by, and how its rows are shown. */
struct stat_by {
	bool is;
	struct pmcgrp_key_options key;	/* its type, and the depth of cgroups */
	const char *sort;	/* or NULL: the first event */
	int rows;		/* of the table; 0: all */
	bool shown;		/* --sort or --rows was given */
};

struct stat_options {
	const char **events;	/* the arguments of -e, in order */
	unsigned int nr_events;
	bool one_group;		/* all of -e are one group */
	bool transaction;	/* add events of transactions */
	const char *pmu;	/* that names of several stand for, or NULL */
	const char **metrics;	/* the arguments of -M, in order */
	unsigned int nr_metrics;
	const char **metric_files;	/* of --metrics-file, in order */
	unsigned int nr_metric_files;
	bool topdown;
	bool smi_cost;
	int td_level;		/* 0: not given */
	bool all_cpus;
	bool has_cpus;
	struct pmcgrp_cpus cpus;
	struct args_ids pids;
	struct args_ids tids;
	bool no_inherit;
	bool until_exit;
	bool background;
	bool all_user;
	bool all_kernel;
	enum aggr_mode aggr;
	int cache_level;	/* of AGGR_CACHE; 0: the last */
	int delay;		/* ms; -1: for ever */
	int timeout;		/* ms; 0: none */
	int interval;		/* ms; 0: none */
	unsigned int interval_count;	/* 0: no limit */
	bool interval_clear;
	bool summary;		/* of all intervals, at the end */
	unsigned int repeat;
	bool table;		/* of the runs */
	bool passes;		/* a run for each pass in which nothing is multiplexed */
	const char *pre;	/* to run before each run, and after it; or NULL */
	const char *post;
	bool sync;
	bool regions;		/* --regions; then null_run: the command counts itself */
	const char *regions_file;	/* or NULL: where the report goes */
	bool regions_per_thread;
	unsigned int detailed;	/* how often -d was given */
	bool null_run;
	bool no_scale;
	bool metric_only;
	bool hide_zero;
	bool no_csv_summary;
	const char *separator;	/* of CSV; NULL: none */
	bool json;
	const char *output;	/* NULL: stderr, or */
	const char *control;	/* or NULL */
	int log_fd;		/* unless 0 */
	bool quiet;
	bool append;
	bool big_num;
	bool perf;		/* --perf */
	bool fallback;
	bool verbose;
	struct stat_by by;
	const char **cgroups;	/* the arguments of -G, in order */
	unsigned int nr_cgroups;
	const char **each;	/* those of --for-each-cgroup */
	unsigned int nr_each;
	char **command;		/* ends with NULL; NULL: none given */
};

/*
 * stat_options_parse - understand argv
 *
 * Returns 1 if stat shall run, else the negative of the exit status to end with:
 * 0 after --help, -EXIT_TOOL after an error that was reported.
 */
int stat_options_parse(struct stat_options *options, int argc, char **argv);

/*
 * What does not go together, for stat_options_parse(): 1, or the same after an error.
 *
 * stat_options_combine: of all but --regions
 * stat_options_regions: of that; and it changes the others to what it makes of them
 * stat_options_output: of where and how it is printed
 */
int stat_options_combine(const struct stat_options *options);
int stat_options_regions(struct stat_options *options);
int stat_options_output(const struct stat_options *options);

/* stat_take_aggr - take a way to put CPUs or threads together, an enum aggr_mode: there is one */
int stat_take_aggr(void *aggr, int mode);

/* The lines of it that top has, too. */
#define STAT_OPTION_LINES(s, member)								\
	OPTION_CALL("no-aggr", 'A', s, member, stat_take_aggr, AGGR_NONE),			\
	OPTION_CALL("per-core", 0, s, member, stat_take_aggr, AGGR_CORE),			\
	OPTION_CALL("per-socket", 0, s, member, stat_take_aggr, AGGR_SOCKET)

/*
 * What does not go together of the options that top has, too. Each returns 1, or -EXIT_TOOL after an
 * error that was reported.
 *
 * stat_options_check: targets
 * stat_options_check_lines: CPUs are to be taken apart, and there are none; stat_options_check()
 *	leaves that to who knows the events where these may be of uncore PMUs
 */
int stat_options_check(const struct stat_options *options);
int stat_options_check_lines(const struct stat_options *options);

/* The option that has chosen it; not of AGGR_GLOBAL. */
const char *stat_aggr_option(enum aggr_mode mode);

/* The same of counts by key: --by, -G, --for-each-cgroup. */
int stat_options_check_keys(const struct stat_options *options);

/* Whether counts are told apart by key. */
static inline bool stat_by_key(const struct stat_options *options)
{
	return options->by.is || options->nr_cgroups || options->nr_each;
}

/* Whether CPUs are counted, and not tasks. */
static inline bool stat_counts_cpus(const struct stat_options *options)
{
	return options->all_cpus || options->has_cpus;
}

/* Whether processes or threads are counted that are there already. */
static inline bool stat_counts_tasks(const struct stat_options *options)
{
	return options->pids.nr || options->tids.nr;
}

/* What --help prints. */
extern const char stat_help[];

void stat_options_free(struct stat_options *options);

#endif
