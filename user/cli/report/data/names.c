// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"
#include "names.h"

static struct rep_name *entry(struct rep_names *names, uint32_t tid)
{
	size_t at = rep_map_find(&names->map, tid, 0);

	if (at != REP_MAP_NONE)
		return &names->rows[at];
	if (!rep_grow(&names->rows, &names->room, names->nr, sizeof(*names->rows)) ||
	    rep_map_add(&names->map, tid, 0, names->nr) < 0)
		return NULL;
	names->rows[names->nr] = (struct rep_name){ .tid = tid };
	return &names->rows[names->nr++];
}

/* PERF_RECORD_COMM: pid, tid, the name. */
static int take_comm(struct rep_names *names, const struct perfdata_record *record)
{
	struct rep_name *name;
	size_t i;

	if (record->size < 9)
		return 0;
	name = entry(names, perfdata_u32(record->body + 4));
	if (!name)
		return -ENOMEM;
	memset(name->comm, 0, sizeof(name->comm));
	for (i = 0; i + 1 < sizeof(name->comm) && 8 + i < record->size && record->body[8 + i]; i++) {
		unsigned char c = record->body[8 + i];

		name->comm[i] = c >= ' ' && c <= '~' ? (char)c : '?';
	}
	return 0;
}

/* PERF_RECORD_FORK: pid, its parent's, tid, that of the thread that made it. */
static int take_fork(struct rep_names *names, const struct perfdata_record *record)
{
	struct rep_name *child;
	size_t parent;

	if (record->size < 16)
		return 0;
	parent = rep_map_find(&names->map, perfdata_u32(record->body + 12), 0);
	if (parent == REP_MAP_NONE)
		return 0;
	child = entry(names, perfdata_u32(record->body + 8));
	if (!child)
		return -ENOMEM;
	memmove(child->comm, names->rows[parent].comm, sizeof(child->comm));
	return 0;
}

int rep_names_take(struct rep_names *names, const struct perfdata_record *record)
{
	if (record->type == PERF_RECORD_COMM)
		return take_comm(names, record);
	return record->type == PERF_RECORD_FORK ? take_fork(names, record) : 0;
}

const char *rep_names_of(const struct rep_names *names, uint32_t tid)
{
	size_t at = rep_map_find(&names->map, tid, 0);

	if (at != REP_MAP_NONE)
		return names->rows[at].comm;
	return tid ? NULL : "swapper";
}

void rep_names_free(struct rep_names *names)
{
	free(names->rows);
	rep_map_free(&names->map);
	memset(names, 0, sizeof(*names));
}
