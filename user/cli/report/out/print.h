/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The three ways of printing a summary. */
#ifndef REPORT_PRINT_H
#define REPORT_PRINT_H

#include <stdio.h>

#include "report/data/summary.h"

/* @path: the recording, as it was named. */
void rep_table(FILE *file, const struct rep_summary *summary, const char *path);

void rep_csv(FILE *file, const struct rep_summary *summary, const char *separator);

/* Returns 0, or -ENOMEM. */
int rep_json(FILE *file, const struct rep_summary *summary, const char *path);

#endif
