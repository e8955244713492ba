/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The ways of printing a summary, and call chains. */
#ifndef REPORT_PRINT_H
#define REPORT_PRINT_H

#include <stdio.h>

#include "report/data/summary.h"

/* @path: the recording, as it was named. */
void rep_table(FILE *file, const struct rep_summary *summary, const char *path);

void rep_csv(FILE *file, const struct rep_summary *summary, const char *separator);

/* Returns 0, or -ENOMEM. */
int rep_json(FILE *file, const struct rep_summary *summary, const char *path);

/* Of which objects the functions are not known, and why: each to @put, without a full stop. */
void rep_objects_say(const struct rep_code *code, void (*put)(const char *sentence, void *arg),
		     void *arg);

/* What of the call chains is in "[other]", if anything is. */
void rep_chains_say(const struct rep_chains *chains, void (*put)(const char *sentence, void *arg),
		    void *arg);

/*
 * rep_folded_event - the event that a member's name is of
 * @member: NULL: the first; "samples" is REP_CHAIN_SAMPLES, if no member is called so
 *
 * Returns 0, or -1 after an error that was reported.
 */
int rep_folded_event(const struct rep_data *data, const char *member, uint32_t *event);

/*
 * rep_folded - each call chain in a line, in the order of their names: "comm;main;f 12"
 *
 * What has to be said of them goes to stderr. Returns 0, or -ENOMEM.
 */
int rep_folded(FILE *file, const struct rep_data *data, uint32_t event);

#endif
