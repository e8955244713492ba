/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The rows of --by: what each key has come to, in all groups together. */
#ifndef STAT_BY_ROWS_H
#define STAT_BY_ROWS_H

#include "counters/counter_set.h"

/* A group of a set, and its table. */
struct key_source {
	struct pmcgrp_key_table *table;
	unsigned int group;
};

struct key_tables {
	struct key_source *at;
	unsigned int nr;
};

/* An event of a row. */
struct by_cell {
	double value;		/* scaled */
	uint64_t enabled;
	uint64_t running;
};

enum by_kind {
	BY_KEY,
	BY_IDLE,
	BY_OTHER,		/* PMCGRP_KEY_KIND_OTHER */
	BY_OVERFLOW,
	BY_ENDED,		/* keys that were dropped to save memory */
	BY_REST,		/* rows that are not shown one by one */
	BY_TOTAL,
};

struct by_row {
	enum by_kind kind;
	uint64_t key[2];
	char comm[PMCGRP_COMM_SIZE + 1];
	uint64_t stays;
	uint64_t enabled;	/* ns, in the group that has it first */
	size_t nr;		/* of BY_REST and BY_TOTAL: how many keys */
	struct by_cell *cell;	/* of each counter */
};

/* Orders beside that of a counter's values. */
#define BY_SORT_NAME	(~0U)
#define BY_SORT_STAYS	(~0U - 1)
#define BY_SORT_TIME	(~0U - 2)

struct by_rows {
	unsigned int nr_counters;
	struct by_row *at;
	size_t nr;		/* keys first, then the rest, the total last */
	size_t nr_keys;		/* of kind BY_KEY */
	struct by_cell *cells;
	struct by_row total;
	struct by_row rest;
	struct by_cell *sums;	/* of these two */
};

/*
 * by_rows_make - make the rows of what has been counted
 * @interval: in the last interval; else since the beginning
 *
 * Returns 0 or -ENOMEM.
 */
int by_rows_make(struct by_rows *rows, const struct counter_set *set,
		 const struct key_tables *tables, bool interval);

/* by_rows_sort - the highest first, and what was not counted last; names rise */
void by_rows_sort(struct by_rows *rows, enum pmcgrp_key_type type, unsigned int sort);

/* by_cell_take - make statistics of a cell, which have none yet */
void by_cell_take(struct counts *counts, const struct by_cell *cell);

/* by_rows_rest - make @rows->rest the sum of the keys from @first on */
void by_rows_rest(struct by_rows *rows, size_t first);

void by_rows_free(struct by_rows *rows);

#endif
