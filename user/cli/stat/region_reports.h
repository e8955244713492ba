/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What the processes of a command have written of their regions, and how it is printed. */
#ifndef STAT_REGION_REPORTS_H
#define STAT_REGION_REPORTS_H

#include <stdio.h>

#include "regions/set.h"

/* A process that has begun to count. */
struct regions_process {
	pid_t pid;
	char comm[64];
	unsigned int starts;	/* exec() starts anew */
	unsigned int reports;
};

struct regions_reports {
	struct region_set *sets;	/* one for each report */
	unsigned int nr_sets;
	struct regions_process *processes;
	unsigned int nr_processes;
	unsigned long line;		/* that is malformed; 0: none */
	const char *what;		/* and why */
};

/*
 * regions_read - the reports of a file; region_set.h describes it
 *
 * What follows a malformed line is left out, with the report that it is in.
 *
 * Returns 0, or -ENOMEM or as reading the file.
 */
int regions_read(struct regions_reports *reports, FILE *file);
void regions_reports_free(struct regions_reports *reports);

/* The most bytes of a file, and of a line. */
#define REGIONS_FILE_MAX (256UL << 20)
#define REGIONS_LINE_MAX 16384

/* How a set of rows is printed. */
struct regions_print {
	const struct region_set *set;
	bool per_thread;
	const char *separator;	/* of CSV */
};

void regions_csv(FILE *file, const struct regions_print *print);

/* One object a line. Returns 0 or -ENOMEM. */
int regions_json(FILE *file, const struct regions_print *print);

/* Calls that are in no sum, for any reason. */
uint64_t regions_missed(const struct region_row *row);

#endif
