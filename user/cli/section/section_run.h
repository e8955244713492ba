/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Sections that are looked at and printed, once or at intervals. */
#ifndef SECTION_RUN_H
#define SECTION_RUN_H

#include <stdint.h>
#include <stdio.h>

#include "counters/workload.h"
#include "section_set.h"

/**
 * struct section_run - which sections, and how they are printed
 * @options: what is printed, and when
 * @h: the module
 * @file: where it is printed
 * @file_name: what errors call it
 * @ids: of these sections alone; NULL: of all that @options chooses
 * @nr_ids: number of @ids
 * @by: what they are told apart by; NULL: nothing
 * @now: what was chosen, with all that it has counted
 * @start: of the intervals, by clock_now()
 * @intervals: how many there were
 */
struct section_run {
	struct section_options options;
	struct pmcgrp *h;
	FILE *file;
	const char *file_name;
	const uint64_t *ids;
	unsigned int nr_ids;
	const struct section_by *by;
	struct section_set now;
	int64_t start;
	unsigned int intervals;
};

/* Each returns 0, or EXIT_TOOL after an error that was reported. */

/* section_run_take - looks at the sections, by @ids, but not yet by @options */
int section_run_take(struct section_run *run);

/* section_run_print - prints what was counted in all */
int section_run_print(const struct section_run *run);

/*
 * section_run_intervals - prints what was counted in each interval, and in the rest
 *
 * Until their number is reached, what is waited for has ended, or a signal comes; a command that is
 * waited for gets that instead.
 */
int section_run_intervals(struct section_run *run, struct waiter *waiter);

/* section_run_flush - the end of what is printed */
int section_run_flush(const struct section_run *run);

void section_run_free(struct section_run *run);

#endif
