/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Metrics of perf's tables: the events that they need, as groups, and what they are worth. */
#ifndef STAT_TABLE_METRIC_H
#define STAT_TABLE_METRIC_H

#include "counters/counter_set.h"

struct event_table;
struct table_metric;

/**
 * struct table_metrics - metrics that are counted
 * @table: the table of this CPU
 * @files: @nr_files that have more, as metric_files_open() takes them; the caller's
 * @cpuid: its name
 * @system_wide: all CPUs are counted, and all that runs there
 * @first: number of events that were there before those of metrics
 * @at: the metrics; table_metrics_at() gives one
 */
struct table_metrics {
	struct event_table *table;
	char cpuid[64];
	bool system_wide;
	const char *const *files;
	unsigned int nr_files;
	unsigned int first;
	struct table_metric *at;
	unsigned int nr;
};

/*
 * table_metrics_add - add the events of metrics to a list, those of each as one group
 * @metrics: zero before; table_metrics_free() frees what it holds
 * @names: names of metrics or of groups of them, separated by commas
 *
 * Errors are reported, and name @option.  Return: 0, or the exit status.
 */
int table_metrics_add(struct table_metrics *metrics, const char *names, const char *option,
		      struct pmcgrp_events *events);

void table_metrics_free(struct table_metrics *metrics);

/* A metric, from 0; NULL: there is none. */
const struct table_metric *table_metrics_at(const struct table_metrics *metrics, unsigned int i);

/*
 * table_metric_value - what a metric is worth on a line
 * @seconds: the time that was counted
 *
 * Return: the value in the metric's unit; NaN: an event of it was not counted.
 */
double table_metric_value(const struct table_metric *metric, const struct counter_set *set,
			  unsigned int line, double seconds);

/* Whether all of its events are counted on CPUs of a line: those of uncore PMUs need not be. */
bool table_metric_on_line(const struct table_metric *metric, const struct counter_set *set,
			  unsigned int line);

/* The first of its events, or NULL. */
const struct counter *table_metric_first(const struct table_metric *metric,
					 const struct counter_set *set);

/* Its name in the table. */
const char *table_metric_name(const struct table_metric *metric);

/* "%" or whatever its values are; "" for a plain number. */
const char *table_metric_unit(const struct table_metric *metric);

#endif
