/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * What the regions of a process have counted, by thread and region: for people a table, and for
 * "pmcgrp stat --regions" text.
 *
 * The text is a line for each process that begins a region,
 *
 *	pmcgrp-regions 1 start PID :COMM
 *
 * and at the end of that process a report, in one piece:
 *
 *	pmcgrp-regions 1 report PID :COMM NR_VALUES
 *	backend :NAME				if a group was made
 *	failure :SENTENCE			if none could be
 *	refused COUNT...			one for each of enum region_refused
 *	value :NAME				NR_VALUES of them, first the time in ns
 *	thread TID DIRECT :WHY			its group: read directly (1) or not (0)
 *	region TID :NAME CALLS COUNTED RENEWED SELF_MISSED ENABLED RUNNING MISSED... VALUES...
 *	end LINES				the number of lines between the first and this one
 *
 * MISSED is one for each of enum pmcgrp_region_missed; VALUES are sum, self, min and max of each
 * value. Strings begin with a colon; bytes that are not printable, blanks and % are %XX.
 */
#ifndef PMCGRP_REGION_SET_H
#define PMCGRP_REGION_SET_H

#include "internal.h"
#include "pmcgrp_regions.h"

#define REGION_TEXT_VERSION 1
#define REGION_VALUES_MAX (1 + PMCGRP_MEMBERS_MAX)

/* Thread number of what ended threads have counted that there is no room to keep apart. */
#define REGION_TID_OTHERS 0

/* Calls that were refused, of no region. */
enum region_refused {
	REGION_REFUSED_NAME,		/* no region of such a name can be, or one more */
	REGION_REFUSED_MEMORY,
	REGION_REFUSED_INTERRUPTED,	/* in a signal handler, within another call */
	REGION_REFUSED_THREADS,		/* threads that did not come to rest for the report */
	REGION_REFUSED_REASONS,
};

struct region_value {
	uint64_t sum;		/* of the outermost calls */
	uint64_t self;		/* of all calls, without what regions within have counted */
	uint64_t min;		/* of one outermost call; UINT64_MAX and 0 without any */
	uint64_t max;
};

/* A region in a thread, or in all of them. */
struct region_row {
	char name[PMCGRP_REGION_NAME_MAX];	/* "": the empty region, for its cost */
	pid_t pid;				/* 0: of several */
	pid_t tid;
	unsigned int nr_threads;
	uint64_t calls;			/* of all levels */
	uint64_t counted;		/* outermost ones, which are in the sums */
	uint64_t renewed;		/* of those, how many ended by a system call */
	uint64_t self_missed;		/* of those, how many have no part in self */
	uint64_t enabled;		/* ns of those that were counted partly */
	uint64_t running;		/* and for how long of it they were */
	uint64_t missed[PMCGRP_REGION_REASONS];
	struct region_value *values;	/* as many as the set has names */
};

struct region_set_thread {
	pid_t pid;
	pid_t tid;
	bool direct;		/* its counters were read in user space */
	char why[256];		/* why not; or REGION_NOT_COUNTED, and why it has no group */
};

#define REGION_NOT_COUNTED "not counted: "


struct region_set {
	pid_t pid;
	char comm[64];
	char backend[32];	/* "": no group */
	char failure[384];
	uint64_t refused[REGION_REFUSED_REASONS];
	unsigned int nr_values;
	char **values;		/* names; the first is "time" */
	unsigned int nr_threads;
	struct region_set_thread *threads;
	unsigned int nr_rows;
	struct region_row *rows;
};

/* region_set_init - an empty set with the names of its values to be added; @nr up to the maximum */
int region_set_init(struct region_set *set, unsigned int nr);

/* region_set_like - an empty set for sums of another one: its values' names, and its failure */
int region_set_like(struct region_set *set, const struct region_set *from);

/* After a failure of these, too. */
void region_set_free(struct region_set *set);

/* Each returns what was added, zeroed, or NULL without memory. Earlier ones may have moved. */
struct region_set_thread *region_set_add_thread(struct region_set *set);
struct region_row *region_set_add_row(struct region_set *set);

/* region_row_add - add what another row of the same region has counted */
void region_row_add(struct region_row *row, const struct region_row *other, unsigned int nr_values);

/* Whether both have counted the same values. */
bool region_set_alike(const struct region_set *set, const struct region_set *other);

/*
 * region_set_sum - add each region of a set to the row of its name in @total, which is alike
 *
 * Threads and what was refused are added, too.
 *
 * Returns 0 or -ENOMEM.
 */
int region_set_sum(struct region_set *total, const struct region_set *set);

/* The row of the empty region that has the least values, or NULL. */
const struct region_row *region_set_empty(const struct region_set *set);

/* Why calls were refused, for people. */
const char *region_refused_text(enum region_refused reason);

/* region_set_table - the table for people. @per_thread: the rows are those of threads, not sums */
void region_set_table(FILE *file, const struct region_set *set, bool per_thread);

/* region_set_write - the text of a report. ferror() tells. */
void region_set_write(FILE *file, const struct region_set *set);

/* A string of the text. */
void region_write_string(FILE *file, const char *string);

/*
 * A number of a region that is a ratio of two of its values, as "pmcgrp stat" has it.
 * Returns false behind the last one.
 */
struct region_ratio {
	double value;
	const char *sign;	/* "%" or "" */
	const char *unit;
	unsigned int of;	/* the value that it stands behind */
};

bool region_ratio(const struct region_set *set, const struct region_row *row, unsigned int of,
		  struct region_ratio *ratio);

#endif
