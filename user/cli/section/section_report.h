/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What section and span print. */
#ifndef SECTION_REPORT_H
#define SECTION_REPORT_H

#include "section_set.h"

/**
 * struct section_report - what is printed at once
 * @set: the sections
 * @options: the command line
 * @histogram: pictures of the buckets, too
 * @interval: the set has what was counted in an interval, which ended at @timestamp
 * @timestamp: in seconds since the beginning
 */
struct section_report {
	const struct section_set *set;
	const struct section_options *options;
	bool histogram;
	bool interval;
	double timestamp;
};

void section_table(FILE *file, const struct section_report *report);

/* The pictures of a section, one for each value; then those of its keys that have histograms. */
void section_histograms(FILE *file, const struct section *section);

void section_csv(FILE *file, const struct section_report *report);

/* One JSON object, of an interval in one line. Returns 0 or -ENOMEM. */
int section_json(FILE *file, const struct section_report *report);

#endif
