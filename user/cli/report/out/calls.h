/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
#ifndef REPORT_OUT_CALLS_H
#define REPORT_OUT_CALLS_H

#include <stdio.h>

#include "report/data/rep_data.h"

/* What is said of the time of calls, or of a member's counts in them. NAN: there are none. */
struct rep_call_numbers {
	double total;
	double mean;
	double min;
	double p50;
	double p99;
	double max;
	double error;	/* as in struct rep_row */
};

struct rep_call_numbers rep_call_numbers(struct rep_call_sums *sums);

/* A table for each pair of triggers. */
void rep_between_table(FILE *file, const struct rep_data *data);

#endif
