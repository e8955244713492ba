/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * What each thread is called at a time: a fork has its parent's name until it gets its own. Its
 * number can be that of a thread before it, which keeps the name that it had.
 */
#ifndef REPORT_NAMES_H
#define REPORT_NAMES_H

#include "map.h"
#include "perfdata/reader.h"

/* TASK_COMM_LEN */
#define REP_COMM_SIZE 16

struct rep_name {
	uint32_t tid;
	size_t from;		/* the row that has its name, as long as it has none */
	char comm[REP_COMM_SIZE];	/* as in the file: any bytes */
};

/* All zero at first. Records are taken in the order of time. */
struct rep_names {
	struct rep_name *rows;	/* of each thread */
	size_t nr;
	size_t room;
	size_t *now;		/* by number, the thread that has it by now */
	size_t nr_now;
	size_t room_now;
	struct rep_map map;
};

/* Takes a PERF_RECORD_COMM or PERF_RECORD_FORK; leaves others alone. Returns 0, or -ENOMEM. */
int rep_names_take(struct rep_names *names, const struct perfdata_record *record);

/* Which thread has a number by now. Returns 0, or -ENOMEM. */
int rep_names_thread(struct rep_names *names, uint32_t tid, size_t *thread);

/* A thread's name by now, or the last that it had; NULL if it is not known. */
const char *rep_names_at(const struct rep_names *names, size_t thread);

/* The same of the thread that has a number by now. */
const char *rep_names_of(const struct rep_names *names, uint32_t tid);

void rep_names_free(struct rep_names *names);

#endif
