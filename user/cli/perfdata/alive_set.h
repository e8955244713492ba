/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What the records so far have said of tasks: to be said again at the beginning of another file. */
#ifndef PERFDATA_ALIVE_SET_H
#define PERFDATA_ALIVE_SET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <linux/perf_event.h>

struct alive_process;
struct perfdata_tasks;

#define PERFDATA_ALIVE_BUCKETS 256

/* So many threads that have ended are remembered: the rings may have samples of them yet. */
#define PERFDATA_ALIVE_ENDED 1024

/* All zero at first. */
struct perfdata_alive {
	struct perfdata_tasks *known;	/* who is forgotten here is forgotten there */
	bool keep_ended;		/* they are told of until they are too many */
	bool has_ends;			/* the kernel tells of them */
	struct alive_process *processes[PERFDATA_ALIVE_BUCKETS];
	struct alive_record **pending;	/* not looked at yet */
	size_t nr_pending;
	size_t room_pending;
	uint32_t round;
	uint32_t ended[PERFDATA_ALIVE_ENDED][2];	/* pid and tid, the oldest first */
	size_t ended_first;
	size_t nr_ended;
};

/*
 * perfdata_alive_note - remember a PERF_RECORD_COMM, _MMAP2, _FORK, _EXIT or _NAMESPACES with a
 *	sample_id of RECORD_SAMPLE_TYPE; others mean nothing here
 *
 * Returns 0 or -ENOMEM.
 */
int perfdata_alive_note(struct perfdata_alive *alive, const struct perf_event_header *record);

/* perfdata_alive_settle - all rings have been gone through; returns 0 or -ENOMEM */
int perfdata_alive_settle(struct perfdata_alive *alive);

/*
 * perfdata_alive_tell - the records that a file begins with: names and maps of all that live, and of
 *	those that ended a moment ago
 * @id: what they have as PERF_SAMPLE_IDENTIFIER
 */
void perfdata_alive_tell(struct perfdata_alive *alive, FILE *out, uint64_t id);

void perfdata_alive_free(struct perfdata_alive *alive);

#endif
