/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What top counts with: groups that are read, or groups of CPUs with rings by task. */
#ifndef TOP_SOURCE_H
#define TOP_SOURCE_H

#include "column.h"
#include "top_options.h"
#include "rings.h"
#include "stat/stat_run.h"
#include "table.h"
#include "tasks.h"

struct top_source {
	const struct top_options *options;
	struct stat_options wanted;	/* as the command line has them */
	struct top_wanted tasks_wanted;
	char *subject;			/* of rows of tasks */
	enum top_by by;			/* rows of what */
	bool has_cgroups;		/* they can be told by id */
	struct stat_run stat;		/* its options are parts of @wanted, for this kind of rows */
	struct top_columns columns;
	struct top_rings rings;		/* of tasks */
	struct top_tasks tasks;
	struct top_table table;		/* the rows of the last interval, but of events */
	int64_t last;			/* end of the last interval */
	uint64_t lost;			/* records that this interval has lost */
	uint64_t lost_names;
};

/* Each returns 0, or the exit status after a failure that was reported. */

/* top_source_init - what the command line asks for; source->wanted then belongs to it */
int top_source_init(struct top_source *source, const struct top_options *options,
		    const struct stat_options *wanted);
void top_source_free(struct top_source *source);

/* top_source_open - begin to count for rows of this kind; what was counted before ends */
int top_source_open(struct top_source *source, enum top_by by);

/*
 * top_source_by_key - whether rows of this kind come from a table of counts by key
 *
 * Those of threads and processes do not: it would tell neither whose the threads are, nor how many
 * have run. Nor do those of some tasks alone.
 */
bool top_source_by_key(const struct top_source *source, enum top_by by);

/* Whether they come from rings. */
static inline bool top_source_has_rings(const struct top_source *source, enum top_by by)
{
	return top_by_tasks(by) && !top_source_by_key(source, by);
}

/*
 * top_source_drain - take what is in the rings, or make room in the tables; 0, a negative errno, or
 *	the exit status
 */
int top_source_drain(struct top_source *source);

/* top_source_interval - end an interval: the report and the rows; 0 or a negative errno */
int top_source_interval(struct top_source *source);

/* Whether all processes or threads that were named have ended. */
bool top_source_gone(const struct top_source *source);

#endif
