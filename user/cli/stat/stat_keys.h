/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Counts by key: the tables of stat's groups, and what is made of them. */
#ifndef STAT_KEYS_H
#define STAT_KEYS_H

#include "by_rows.h"
#include "cgroup_lines.h"

struct stat_run;

struct stat_keys {
	struct key_tables tables;
	struct pmcgrp_cgroups *cgroups;		/* or NULL: no names are needed */
	struct cgroup_lines lines;		/* of -G and --for-each-cgroup */
	struct by_rows rows;			/* of --by */
	unsigned int sort;			/* index of the counter, or BY_SORT_* */
	int64_t drain;				/* when the tables are to be read next */
	int64_t look;				/* and when the cgroups are to be listed */
	bool looked;				/* they were, for this interval */
};

/* Each returns 0, or the exit status after a failure that was reported. */

/* stat_keys_lines - the lines of the report, before the counters are set up */
int stat_keys_lines(struct stat_run *st);

/* stat_keys_init - what concerns the counters, once they are */
int stat_keys_init(struct stat_run *st);

/* stat_keys_open - give each group its table */
int stat_keys_open(struct stat_run *st);
void stat_keys_close(struct stat_run *st);

/* stat_keys_read - in place of counter_set_read(); returns 0 or a negative errno */
int stat_keys_read(struct stat_run *st);

/* After an interval was printed: keys that have ended are dropped. */
void stat_keys_next(struct stat_run *st);

/*
 * stat_keys_until - when the tables have to be read, unless @until comes before
 * stat_keys_drain - do so; returns 0 or a negative errno
 */
int64_t stat_keys_until(const struct stat_run *st, int64_t until);
int stat_keys_drain(struct stat_run *st);

/* stat_keys_name - of a row of --by, without the number of a process or thread */
void stat_keys_name(const struct stat_run *st, const struct by_row *row, char *name, size_t size);

/* stat_keys_write - the report of --by; returns 0 or a negative errno */
int stat_keys_write(struct stat_run *st);

/* stat_keys_note - what is to be said of the tables at the end */
void stat_keys_note(const struct stat_run *st);

void stat_keys_free(struct stat_run *st);

#endif
