/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The sink of a perf.data file, and what it says of tasks. */
#ifndef PERFDATA_WRITE_TASKS_H
#define PERFDATA_WRITE_TASKS_H

#include "alive_set.h"
#include "tasks.h"
#include "write_file.h"

struct perfdata {
	struct record_sink sink;
	const struct record_desc *desc;
	struct perfdata_file file;
	uint64_t *hits;			/* what each trigger has come to in each ring */
	uint64_t *last;			/* what each member has come to in each ring */
	uint64_t *base;			/* what of it the file leaves out */
	bool *gap;			/* rings of which nothing was read since they were overwritten */
	struct perfdata_tasks tasks;
	struct perfdata_alive alive;	/* with desc->many_files */
	int64_t doubt;			/* when names are looked up anew */
};

/* Each returns 0 or a negative errno. */

/* perfdata_tell - what perf needs to know of a record's thread; NULL: what a file begins with */
int perfdata_tell(struct perfdata *p, const struct pmcgrp_record *record);

/* perfdata_tell_cgroup - the path of a sample's cgroup, once in a file */
int perfdata_tell_cgroup(struct perfdata *p, const struct pmcgrp_record *record);

/* perfdata_tell_all - names and maps, as they are now */
int perfdata_tell_all(struct perfdata *p);

/* perfdata_put_task - as struct record_sink has it */
int perfdata_put_task(struct record_sink *sink, const struct perf_event_header *header);

#endif
