/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * What a group's rows have come to. Counts are handed in as they come, each to one row; nothing is
 * ever lost:
 *
 *	all that was handed in = the rows' sum + other + idle + removed
 *
 * A row of a cgroup that is no more is shown until all readers can have seen its last value. Then it
 * goes to `removed`, which is no row: a rate over the rows has counted it when it came.
 */
#ifndef ROWS_H
#define ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Counts of a row: what was added, or all. */
struct row_counts {
	uint64_t enabled; /* ns for which it was to be counted */
	uint64_t running; /* ns of these for which it was */
	uint64_t *value;  /* of each member */
};

/*
 * So long a row may have to go without a counter in one piece until it is left out: its counts
 * stand still then, and not what they count.
 */
#define ROW_UNCOUNTED_NS 10000000

struct row {
	uint64_t id;
	char *labels;	    /* with braces, or "" */
	char *info;	    /* those that stand in a family of their own, or NULL */
	uint64_t created;   /* ms since 1970 */
	uint64_t removed;   /* the same; 0: it is there */
	uint64_t uncounted; /* ns for which it was not counted, since it last was */
	unsigned int users; /* who adds to it: it stays as long */
	struct row_counts counts;
	uint64_t values[];
};

struct rows {
	unsigned int nr_members;
	unsigned int max; /* so many at most */
	const char *label;
	struct row **at;
	size_t nr;
	struct row *other; /* NULL until there is anything */
	struct row *idle;
	struct row *removed;
	uint64_t refused; /* rows for which there was no room */
};

/*
 * rows_init - no rows yet
 * @max: of the rows that have ids
 * @label: what "other" and "idle" are values of
 */
void rows_init(struct rows *rows, unsigned int nr_members, unsigned int max, const char *label);
void rows_free(struct rows *rows);

/* rows_find - NULL: there is none */
struct row *rows_find(const struct rows *rows, uint64_t id);

/*
 * rows_new - a row that there is not yet
 * @created: in ms since 1970: all that it will have was counted since then
 * @labels: without braces; copied
 * @info: the same, or NULL
 *
 * Returns NULL where there is no room, or no memory.
 */
struct row *rows_new(struct rows *rows, uint64_t id, const char *labels, const char *info,
		     uint64_t created);

/* The two rows without an id; NULL: no memory. */
struct row *rows_other(struct rows *rows, uint64_t created);
struct row *rows_idle(struct rows *rows, uint64_t created);

/* row_add - what a row has counted more */
void row_add(struct row *row, const struct row_counts *more, unsigned int nr_members);

/* row_shown - whether its counts are those of what it stands for */
bool row_shown(const struct row *row);

/* row_share - of the time for which it was to be counted, that for which it was: 0 to 1 */
double row_share(const struct row *row);

/*
 * rows_drop - rows that were removed before @before go to `removed`
 *
 * Returns 0, or -ENOMEM: they stay.
 */
int rows_drop(struct rows *rows, uint64_t before, uint64_t now);

/* rows_sum - all that was handed in; @sum->value has room for the members */
void rows_sum(const struct rows *rows, struct row_counts *sum);

#endif
