// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cgroups.h"
#include "say/name.h"
#include "grow.h"

const char *rep_cgroups_path(const struct rep_cgroups *cgroups, uint64_t id)
{
	size_t at = rep_map_find(&cgroups->map, id, 0);

	return at == REP_MAP_NONE ? NULL : cgroups->paths[at];
}

/* id, then the path. */
int rep_cgroups_take(struct rep_cgroups *cgroups, const struct perfdata_record *record)
{
	char *path;
	uint64_t id;

	if (record->type != PERF_RECORD_CGROUP || record->size < 9)
		return 0;
	id = perfdata_u64(record->body);
	if (rep_cgroups_path(cgroups, id))
		return 0;
	path = name_dup(record->body + 8, record->size - 8);
	if (!path ||
	    !rep_grow(&cgroups->paths, &cgroups->room, cgroups->nr, sizeof(*cgroups->paths)) ||
	    rep_map_add(&cgroups->map, id, 0, cgroups->nr) < 0) {
		free(path);
		return -ENOMEM;
	}
	cgroups->paths[cgroups->nr++] = path;
	return 0;
}

void rep_cgroups_free(struct rep_cgroups *cgroups)
{
	size_t i;

	for (i = 0; i < cgroups->nr; i++)
		free(cgroups->paths[i]);
	free(cgroups->paths);
	rep_map_free(&cgroups->map);
	memset(cgroups, 0, sizeof(*cgroups));
}
