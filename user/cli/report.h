/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What stat prints, and the three ways of printing it. */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "counter.h"
#include "stats.h"

struct report {
	const struct counter_set *set;
	const char *subject;	/* what was counted: "'sort file'", "CPU 0" */
	unsigned int runs;
	struct stats elapsed;	/* seconds, over the runs */
	bool has_times;		/* of the command, in its only run */
	double user;		/* seconds */
	double sys;
	bool big_num;		/* thousands separators */
	const char *separator;	/* of CSV */
};

void report_human(FILE *file, const struct report *report);

/*
 * perf stat -x: value, unit, event, with several runs the deviation, time
 * running in ns, percentage running, metric value, metric unit.
 */
void report_csv(FILE *file, const struct report *report);

/* perf stat -j: one object a line. Returns 0, or -ENOMEM. */
int report_json(FILE *file, const struct report *report);

/* A number that says more about a counter than its value. */
struct metric {
	double value;
	int decimals;
	const char *sign;	/* "%" or "" */
	char unit[40];		/* "" if there is no metric */
};

/* What can be derived for the counter from it and the others. */
struct metric metric_of(const struct report *report, const struct counter *counter);

/* What all three agree on: the value in its unit, and what to print for none. */
double report_value(const struct counter *counter);
const char *report_unit(const struct counter *counter);
const char *report_no_value(const struct counter *counter);

#endif
