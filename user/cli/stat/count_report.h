/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What stat prints, and the three ways of printing it. */
#ifndef COUNT_REPORT_H
#define COUNT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "counters/counter_set.h"
#include "say/stats.h"
#include "say/text.h"

struct table_metrics;

struct report {
	const struct counter_set *set;
	const struct table_metrics *metrics;	/* or NULL */
	const char *subject;	/* what was counted: "'sort file'", "CPU 0" */
	const char *by;		/* what has a row, of --by; or NULL */
	unsigned int runs;
	unsigned int passes;	/* in each of which it ran as often, for other groups */
	struct stats elapsed;	/* seconds, over the runs */
	bool has_times;		/* of the command, in its only run */
	double user;		/* seconds */
	double sys;
	bool exit_matters;	/* the command's exit is counted, and perf's counts lack it */
	const double *run_times;	/* seconds, each to be shown; or NULL */
	bool null_run;		/* nothing was counted, and that was asked for */
	bool summary;		/* of intervals: CSV says so first */
	bool hide_zero;		/* of all threads most have done nothing */
	bool interval;		/* one of several: no header but a line of columns, no footer */
	double timestamp;	/* seconds, of the interval's end */
	bool columns;		/* name the columns first */
	bool big_num;		/* thousands separators */
	const char *separator;	/* of CSV */
};

void report_human(FILE *file, const struct report *report);

/*
 * perf stat -x: the interval's end, the line and its number of CPUs where there are
 * such; value, unit, event, with several runs the deviation, time running in ns,
 * percentage running, metric value, metric unit.
 */
void report_csv(FILE *file, const struct report *report);

/*
 * perf stat -j: one object a line, and in those that are not counted, if it is known, why:
 * "not-counted-reason". Returns 0, or -ENOMEM.
 */
int report_json(FILE *file, const struct report *report);

enum report_format {
	REPORT_TABLE,
	REPORT_CSV,
	REPORT_JSON,
};

/*
 * perf stat --metric-only: a line with what metric_of() has for each event, but for rates, and no
 * counts. Returns 0, or -ENOMEM.
 */
int report_metrics(FILE *file, const struct report *report, enum report_format format);

/* What begins and ends the table, where it is no interval's. */
void report_title(FILE *file, const struct report *report);
void report_footer(FILE *file, const struct report *report);

/*
 * What begins each of its lines, behind an interval's time: what it is of, and how many CPUs have
 * counted @counter; NULL: all of the line. And the columns' names. A cgroup stands behind an event,
 * and here only for all of the line.
 */
void report_line(struct text *text, const struct report *report, unsigned int line,
		 const struct counter *counter);
void report_columns(struct text *text, const struct report *report);

/* The same of CSV; the interval's time is part of it. */
void report_csv_line(struct text *text, const struct report *report, unsigned int line,
		     const struct counter *counter);

/* The same of JSON. Returns 0, or what json_object_set_new() returns on failure. */
struct json_t;
int report_json_line(struct json_t *object, const struct report *report, unsigned int line,
		     const struct counter *counter);

/* A number that says more about a counter than its value. */
struct metric {
	double value;
	int decimals;
	const char *sign;	/* "%" or "" */
	const char *unit;	/* "" if there is no metric */
};

/* An event on a line. */
struct report_row {
	const struct counter_set *set;
	unsigned int line;
	unsigned int index;	/* of the counter */
	const struct counter *counter;
	const struct counts *counts;
};

/*
 * report_row - row @n, from 0, in perf's order: line by line, but event by event where
 * each CPU has one
 *
 * Returns false behind the last.
 */
bool report_row(const struct report *report, size_t n, struct report_row *row);

/* Whether the row is not to be printed. */
bool report_row_hidden(const struct report *report, const struct report_row *row);

/* The cgroup that a line is of; NULL: the lines are of something else. */
const char *report_cgroup(const struct report *report, unsigned int line);

/* How many CPUs of a line have counted a counter; NULL: all that the line is of. */
unsigned int report_cpus(const struct report *report, unsigned int line,
			 const struct counter *counter);

/* What can be derived for the row from it and the others of its line. */
struct metric metric_of(const struct report *report, const struct report_row *row);

/* What all three agree on: the value in its unit, and what to print for none. */
double report_value(const struct report_row *row);
int report_decimals(const struct counter *counter);
const char *report_unit(const struct counter *counter);
size_t report_unit_width(const struct report *report);
const char *report_no_value(const struct report_row *row);

/* Why there is no value, if that is known; else NULL. CSV has no column for it. */
const char *report_reason(const struct report_row *row);

#endif
