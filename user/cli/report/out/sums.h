/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
#ifndef REPORT_OUT_SUMS_H
#define REPORT_OUT_SUMS_H

#include <stdio.h>

#include "report/data/summary.h"

/* The table of --sort; nothing without. */
void rep_sums_table(FILE *file, const struct rep_summary *summary);

/* The name of a row's trigger. */
const char *rep_sum_trigger(const struct rep_data *data, const struct rep_sum *row);

#endif
