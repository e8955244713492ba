/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What the page of --html draws, as JSON in it. */
#ifndef REPORT_PAGE_DATA_H
#define REPORT_PAGE_DATA_H

#include <stdio.h>

#include "lanes.h"
#include "report/data/summary.h"

/*
 * Both write JSON in which no tag can begin. They return 0, or -ENOMEM.
 *
 * rep_page_data: an object with
 *	start, seconds, columns: "1.500000", the length of the picture, its number of columns
 *	lanes: objects of kind, label, total, nr: pairs of a column and a number
 *	plots: objects of title, unit, form ("rate", "clock", "ratio", "percent"), streams (how
 *	many there are), lines: objects of label, mean, low and high where they differ from the
 *	mean, off: pairs of a column and how many from there on the group was not on the PMU
 *	heat: columns, plots: as above, with label and mean of each row; or null
 * rep_page_summary: what --json prints
 */
int rep_page_data(FILE *file, const struct rep_picture *picture, const struct rep_picture *heat,
		  const struct rep_lanes *lanes);
int rep_page_summary(FILE *file, const struct rep_summary *summary, const char *recording);

#endif
