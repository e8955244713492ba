/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The paths of cgroups, by the ids that samples have (PERF_RECORD_CGROUP). */
#ifndef REPORT_CGROUPS_H
#define REPORT_CGROUPS_H

#include "map.h"
#include "perfdata/reader.h"

/* All zero at first. */
struct rep_cgroups {
	char **paths;
	size_t nr;
	size_t room;
	struct rep_map map;
};

/* Takes a PERF_RECORD_CGROUP; leaves others alone. Returns 0, or -ENOMEM. */
int rep_cgroups_take(struct rep_cgroups *cgroups, const struct perfdata_record *record);

/* The path of an id; NULL: the recording does not say. */
const char *rep_cgroups_path(const struct rep_cgroups *cgroups, uint64_t id);

void rep_cgroups_free(struct rep_cgroups *cgroups);

#endif
