/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What each thread is called at a time: a fork has its parent's name until it gets its own. */
#ifndef REPORT_NAMES_H
#define REPORT_NAMES_H

#include "map.h"
#include "perfdata/read.h"

struct rep_name {
	uint32_t tid;
	char comm[16];		/* printable ASCII */
};

/* All zero at first. */
struct rep_names {
	struct rep_name *rows;
	size_t nr;
	size_t room;
	struct rep_map map;
};

/* Takes a PERF_RECORD_COMM or PERF_RECORD_FORK; leaves others alone. Returns 0, or -ENOMEM. */
int rep_names_take(struct rep_names *names, const struct perfdata_record *record);

/* A thread's name by now; NULL if it is not known. */
const char *rep_names_of(const struct rep_names *names, uint32_t tid);

void rep_names_free(struct rep_names *names);

#endif
