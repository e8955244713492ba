/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * Files with metrics of the user's own, in perf's JSON form: an array of objects with MetricName and
 * MetricExpr, and what else perf's tables say of a metric.
 */
#ifndef PMCGRP_EVENT_METRIC_FILE_H
#define PMCGRP_EVENT_METRIC_FILE_H

#include "event_table.h"

/* What is longer is refused. */
#define METRIC_FILE_MAX (16U << 20)

/* Below $XDG_CONFIG_HOME, or ~/.config where that is not set. */
#define METRIC_FILE_OWN "pmcgrp/metrics.json"

/*
 * metric_file_add - the metrics of a text to a table
 * @path: of the file, for messages
 *
 * One replaces what the table has of its name, on whatever PMU.  All pointers to metrics of the
 * table that were got before are not valid any more.
 *
 * Returns 0; or -EINVAL or -ENOMEM, and the table is as it was: @failure names file, line and
 * metric.
 */
int metric_file_add(struct event_table *table, const char *text, size_t size, const char *path,
		    struct failure *failure);

/*
 * metric_files_open (metric_files.c) - the table of this CPU, the user's own file, and others
 * @files: @nr of them, each of which goes before those that are named before it
 *
 * The user's own file need not be there.  Without perf's tables the metrics of files are all that
 * there is: event_table_missing() says why.
 *
 * Returns 0, or a negative errno, and what is wrong in @failure.
 */
int metric_files_open(struct event_table **out, const char *const *files, unsigned int nr,
		      struct failure *failure);

#endif
