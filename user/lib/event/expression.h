/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * Metrics: which events an expression needs, and what it is worth.
 *
 * What is known before anything is counted is decided first: of "A if #smt_on else B" one event is
 * needed. An expression may name other metrics of its table; their events are its own.
 */
#ifndef PMCGRP_EVENT_EXPRESSION_H
#define PMCGRP_EVENT_EXPRESSION_H

#include "event_table.h"

/* What is known of the machine and of what is counted. */
struct metric_env {
	const struct event_table *table;	/* of the other metrics; or NULL */
	const char *pmu;			/* whose metrics are meant, of several; or NULL */
	const char *cpuid;
	bool system_wide;			/* all CPUs are counted, and all that runs there */
	/* "#num_cpus"; NaN: there is no such literal. NULL: metric_literal() of this machine. */
	double (*literal)(void *data, const char *name);
	/* Whether the machine has an event. NULL: it has all. */
	bool (*has_event)(void *data, const char *id);
	void *data;
};

/* What was counted of an event. */
struct metric_value {
	double value;		/* NaN: not counted */
	unsigned int sources;	/* how many counters were added up: one for each PMU of a kind */
	unsigned int counts;	/* the same, one for each PMU of a kind and each CPU or task */
};

struct metric;

/*
 * metric_new - an expression that can be evaluated
 * @name: of the metric, for references in a circle; or NULL
 *
 * Returns 0 or
 *   -EINVAL	the expression, or one that it refers to, is malformed or has an unknown literal
 *   -ELOOP	metrics refer to each other in a circle, or too deep
 *   -ENOMEM
 * and @failure says what is wrong.
 */
int metric_new(struct metric **out, const char *name, const char *expr,
	       const struct metric_env *env, struct failure *failure);
void metric_free(struct metric *metric);

/*
 * The events it needs, each once: "cpu@event=0xc0,umask=0x1@" is cpu/event=0xc0,umask=0x1/ in a
 * list of events, as metric_event() writes it.
 */
size_t metric_nr_ids(const struct metric *metric);
const char *metric_id(const struct metric *metric, size_t i);

/* An id as an event's name, to be freed; NULL: no memory. */
char *metric_event(const char *id);

/*
 * metric_eval - the value, by those of its events in the order of metric_id()
 *
 * NaN: what is needed was not counted, or something was divided by zero. Only one thread may
 * evaluate a metric at a time.
 */
double metric_eval(struct metric *metric, const struct metric_value *values);

/*
 * metric_literal - what a literal of perf's is on this machine; NaN: it has no such
 * @system_wide: then "#core_wide" is 1: counts of a core are of all its threads
 */
double metric_literal(const char *name, bool system_wide);

#endif
