// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"
#include "names.h"

/* A new thread; @place: that of its number. */
static int add(struct rep_names *names, uint32_t tid, size_t place)
{
	if (!rep_grow(&names->rows, &names->room, names->nr, sizeof(*names->rows)))
		return -ENOMEM;
	names->rows[names->nr] = (struct rep_name){ .tid = tid, .from = REP_MAP_NONE };
	names->now[place] = names->nr++;
	return 0;
}

/* The thread that has a number by now; REP_MAP_NONE: out of memory. */
static size_t thread_of(struct rep_names *names, uint32_t tid)
{
	size_t place = rep_map_find(&names->map, tid, 0);

	if (place != REP_MAP_NONE)
		return names->now[place];
	place = names->nr_now;
	if (!rep_grow(&names->now, &names->room_now, place, sizeof(*names->now)) ||
	    add(names, tid, place) < 0 || rep_map_add(&names->map, tid, 0, place) < 0)
		return REP_MAP_NONE;
	names->nr_now++;
	return names->now[place];
}

/*
 * A fork's number may have been another thread's, which has ended. Who has no name yet is the new
 * one itself: CPUs' clocks differ, and its first record can seem to be before the fork.
 */
static size_t new_thread(struct rep_names *names, uint32_t tid)
{
	size_t place = rep_map_find(&names->map, tid, 0);

	if (place == REP_MAP_NONE || !rep_names_at(names, names->now[place]))
		return thread_of(names, tid);
	return add(names, tid, place) < 0 ? REP_MAP_NONE : names->now[place];
}

/* Threads that it has made were called as it was before. */
static void leave_children(struct rep_names *names, size_t thread)
{
	size_t i;

	for (i = 0; i < names->nr; i++) {
		if (names->rows[i].from == thread)
			names->rows[i].from = REP_MAP_NONE;
	}
}

/*
 * perf's own records of a task outside of the recorder's PID namespace have 0, as if it were the idle
 * task: whose name is known, and which is nobody's parent.
 */
static bool is_known(uint32_t tid)
{
	return tid && tid != UINT32_MAX;
}

/* PERF_RECORD_COMM: pid, tid, the name. */
static int take_comm(struct rep_names *names, const struct perfdata_record *record)
{
	struct rep_name *name;
	size_t i, thread;
	uint32_t tid;

	if (record->size < 9)
		return 0;
	tid = perfdata_u32(record->body + 4);
	if (!is_known(tid))
		return 0;
	thread = thread_of(names, tid);
	if (thread == REP_MAP_NONE)
		return -ENOMEM;
	name = &names->rows[thread];
	if (!name->comm[0] && record->misc & PERF_RECORD_MISC_COMM_EXEC)
		leave_children(names, thread);
	memset(name->comm, 0, sizeof(name->comm));
	for (i = 0; i + 1 < sizeof(name->comm) && 8 + i < record->size && record->body[8 + i]; i++)
		name->comm[i] = (char)record->body[8 + i];
	return 0;
}

/* PERF_RECORD_FORK: pid, its parent's, tid, that of the thread that made it. */
static int take_fork(struct rep_names *names, const struct perfdata_record *record)
{
	uint32_t tid, maker;
	size_t parent, child;

	if (record->size < 16)
		return 0;
	tid = perfdata_u32(record->body + 8);
	maker = perfdata_u32(record->body + 12);
	if (!is_known(tid))
		return 0;
	parent = tid == maker || !is_known(maker) ? REP_MAP_NONE : thread_of(names, maker);
	if (tid != maker && is_known(maker) && parent == REP_MAP_NONE)
		return -ENOMEM;
	child = new_thread(names, tid);
	if (child == REP_MAP_NONE)
		return -ENOMEM;
	if (parent == REP_MAP_NONE)
		return 0;
	memcpy(names->rows[child].comm, names->rows[parent].comm, sizeof(names->rows[child].comm));
	/* The file may have the parent's name later: it was not seen before. */
	if (!names->rows[parent].comm[0] && parent < child)
		names->rows[child].from = parent;
	return 0;
}

int rep_names_take(struct rep_names *names, const struct perfdata_record *record)
{
	if (record->type == PERF_RECORD_COMM)
		return take_comm(names, record);
	return record->type == PERF_RECORD_FORK ? take_fork(names, record) : 0;
}

int rep_names_thread(struct rep_names *names, uint32_t tid, size_t *thread)
{
	*thread = thread_of(names, tid);
	return *thread == REP_MAP_NONE ? -ENOMEM : 0;
}

/* Where a row's name is from is always an earlier one. */
const char *rep_names_at(const struct rep_names *names, size_t thread)
{
	const struct rep_name *name = &names->rows[thread];

	while (!name->comm[0] && name->from != REP_MAP_NONE)
		name = &names->rows[name->from];
	if (name->comm[0])
		return name->comm;
	/* Of no number: it is outside of the recorder's PID namespace, or has been reaped. */
	if (name->tid == UINT32_MAX)
		return "(no number)";
	return name->tid ? NULL : "swapper";
}

const char *rep_names_of(const struct rep_names *names, uint32_t tid)
{
	size_t place = rep_map_find(&names->map, tid, 0);

	if (place != REP_MAP_NONE)
		return rep_names_at(names, names->now[place]);
	return tid ? NULL : "swapper";
}

void rep_names_free(struct rep_names *names)
{
	free(names->rows);
	free(names->now);
	rep_map_free(&names->map);
	memset(names, 0, sizeof(*names));
}
