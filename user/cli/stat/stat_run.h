/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What the files of stat share. */
#ifndef STAT_RUN_H
#define STAT_RUN_H

#include "counters/aggr.h"
#include "counters/control.h"
#include "counters/counter_set.h"
#include "interval.h"
#include "stat_keys.h"
#include "stat_options.h"
#include "count_report.h"
#include "smi.h"
#include "table_metric.h"

/* Which events are counted on all CPUs, though tasks are the target. */
enum stat_uncore {
	STAT_UNCORE_NONE,
	STAT_UNCORE_SOME,
	STAT_UNCORE_ALL,
};

struct stat_run {
	struct stat_options options;
	enum stat_uncore uncore;
	struct aggr aggr;
	struct args_ids threads;	/* of --per-thread, in the order of their lines */
	struct counter_set set;
	struct table_metrics metrics;	/* of -M */
	struct stat_keys keys;		/* of --by, -G and --for-each-cgroup */
	struct smi_freeze smi;		/* of --smi-cost */
	struct pmcgrp *h;
	FILE *file;
	char *subject;
	struct report report;
	double *runs;			/* seconds of each, for --table */
	bool total;			/* it is all intervals that are printed, and not one */
	struct interval_rings rings;	/* without any: each interval is read */
	unsigned int intervals;		/* printed so far */
	int status;			/* the command's */
	struct control control;		/* --control; not open without it */
	bool commanded;			/* it enabled events, before -D did or after */
	bool stop;			/* it said so: no run is to follow */
	bool planned;			/* it was asked why groups are never on the PMU */
	char *regions_path;		/* of --regions: what the command's processes write to */
};

/* Each returns 0, or the exit status after a failure that was reported. */

/* The threads of --per-thread, as they are now. */
int stat_threads_find(struct stat_run *st);

/* The events of -e, or those that are counted where none are named, and the lines. */
int stat_events_init(struct stat_run *st);

/* The lines of the report, once it is known whether CPUs are counted. */
int stat_lines_init(struct stat_run *st);

/*
 * stat_uncore_note_split - say which groups of -e are broken up
 * stat_uncore_choose - whom to count, now that the events are known
 * stat_uncore_limit - leave out CPUs that -C does not name
 * stat_uncore_by_pmu - groups as perf_event_open(2) has them
 */
void stat_uncore_note_split(const struct pmcgrp_events *events);
int stat_uncore_choose(struct stat_run *st, const struct pmcgrp_events *events);
int stat_uncore_limit(struct stat_run *st);
int stat_uncore_by_pmu(struct stat_run *st);

/*
 * stat_setup - all that comes before the first group: lines, events, the backend, and what
 * is counted in words
 */
int stat_setup(struct stat_run *st);

void stat_free(struct stat_run *st);

/*
 * stat_regions_begin - the environment in which a command counts its regions
 * stat_regions_print - what its processes have counted, at their end
 * stat_regions_end - remove what they have written; also after a failure
 */
int stat_regions_begin(struct stat_run *st);
int stat_regions_print(struct stat_run *st);
void stat_regions_end(struct stat_run *st);

struct waiter;

/*
 * Counts until the target ends, a signal comes that is not the command's, or it was
 * enough. @began is when the counters were started, or 0 if that is to be done. Sets
 * @timeout if the time is over. The last interval, or all of it, is left to be
 * printed, unless there were as many as were asked for.
 */
int stat_count_until(struct stat_run *st, struct waiter *waiter, int64_t began, bool *timeout);

/* Does what commands of --control say, those that have come. May set stop. */
int stat_commands(struct stat_run *st);

/* Makes the groups, disabled; @child is the command's process, if there is one. */
int stat_groups_open(struct stat_run *st, pid_t child);

/* Counts, run by run, and with -I prints the intervals. */
int stat_count(struct stat_run *st);

/* Whether there were as many intervals as --interval-count asks for. */
bool stat_intervals_done(const struct stat_run *st);

/* Opens what the report goes to. */
int stat_output_open(struct stat_run *st);

/*
 * Prints what was counted: all of it, or with -I the last interval; without stat_flush() not to
 * the end.
 */
int stat_write(struct stat_run *st);
int stat_write_total(struct stat_run *st);	/* of all intervals */
int stat_flush(struct stat_run *st);

#endif
