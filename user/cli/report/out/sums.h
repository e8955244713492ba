/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
#ifndef REPORT_OUT_SUMS_H
#define REPORT_OUT_SUMS_H

#include <stdio.h>

#include "report/data/summary.h"

/* The table of --sort; nothing without. */
void rep_sums_table(FILE *file, const struct rep_summary *summary);

/* What a row has for a key that is a name; NULL: that key is a number. */
const char *rep_sum_name(const struct rep_data *data, const struct rep_sum *row, enum rep_key key);

/* What it has for a key that is a number. */
uint64_t rep_sum_number(const struct rep_sum *row, enum rep_key key);

#endif
