// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * The state of tasks that a file's records add up to. /proc does not know it: samples that are
 * still in the rings when a file begins may be of tasks that have ended by then.
 *
 * Each CPU has a ring of records of tasks, and the rings are read one after the other. A round's
 * records are sorted by time before they are applied, so that a fork comes before what
 * the new process does.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alive_task.h"
#include "tasks.h"

/* A sample_id as RECORD_SAMPLE_TYPE has it: pid, tid, time, cpu, IDENTIFIER. */
#define SAMPLE_ID_SIZE 32

static uint32_t u32_at(const struct alive_record *record, size_t at)
{
	uint32_t value;

	memcpy(&value, record->body + at, sizeof(value));
	return value;
}

static uint64_t u64_at(const unsigned char *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

/* ---- What a record says ---- */

static int take_comm(struct perfdata_alive *alive, const struct alive_record *record)
{
	struct alive_process *process = alive_process_get(alive, u32_at(record, 0));
	struct alive_thread *thread = process ? alive_thread_get(process, u32_at(record, 4)) : NULL;
	size_t len = record->header.size - sizeof(record->header) - 8 - SAMPLE_ID_SIZE;

	if (!thread)
		return -ENOMEM;
	if (record->header.misc & PERF_RECORD_MISC_COMM_EXEC) {
		alive_maps_drop(process);
		process->since = record->time;
	}
	thread->ended = false;
	memset(thread->comm, 0, sizeof(thread->comm));
	memcpy(thread->comm, record->body + 8, len < ALIVE_COMM_SIZE ? len : ALIVE_COMM_SIZE - 1);
	return 0;
}

static int take_map(struct perfdata_alive *alive, const struct alive_record *record)
{
	struct alive_process *process = alive_process_get(alive, u32_at(record, 0));
	size_t size = record->header.size - sizeof(record->header);
	struct alive_map *map = process ? malloc(sizeof(*map) + size) : NULL;

	if (!map)
		return -ENOMEM;
	map->users = 0;
	map->start = u64_at(record->body + 8);
	map->len = u64_at(record->body + 16);
	map->header = record->header;
	memcpy(map->body, record->body, size);
	if (!alive_thread_get(process, u32_at(record, 4)) || alive_map_add(process, map) < 0) {
		free(map);
		return -ENOMEM;
	}
	return 0;
}

/* What the new task has from the one that has made it. */
static int take_fork(struct perfdata_alive *alive, const struct alive_record *record)
{
	uint32_t pid = u32_at(record, 0), parent = u32_at(record, 4);
	struct alive_process *from = alive_process_find(alive, parent);
	struct alive_process *process = alive_process_get(alive, pid);
	struct alive_thread *thread, *maker;
	size_t i;

	if (!process)
		return -ENOMEM;
	/* It has executed another program since. */
	if (pid != parent && process->since > record->time)
		return 0;
	thread = alive_thread_get(process, u32_at(record, 8));
	if (!thread)
		return -ENOMEM;
	thread->ended = false;
	maker = alive_thread_find(from, u32_at(record, 12));
	if (maker)
		memcpy(thread->comm, maker->comm, sizeof(thread->comm));
	if (pid == parent)
		return 0;
	alive_maps_drop(process);
	for (i = 0; from && i < from->nr_maps; i++) {
		if (alive_map_add(process, from->maps[i]) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* All of them, in place of those from before. */
static int take_namespaces(struct perfdata_alive *alive, const struct alive_record *record)
{
	size_t size = sizeof(*record) + record->header.size - sizeof(record->header);
	struct alive_process *process = alive_process_get(alive, u32_at(record, 0));
	struct alive_thread *thread =
		process ? alive_thread_get(process, u32_at(record, 4)) : NULL;
	struct alive_record *copy = thread ? malloc(size) : NULL;

	if (!copy)
		return -ENOMEM;
	memcpy(copy, record, size);
	free(thread->namespaces);
	thread->namespaces = copy;
	return 0;
}

static void take_exit(struct perfdata_alive *alive, const struct alive_record *record)
{
	uint32_t pid = u32_at(record, 0), tid = u32_at(record, 8), *oldest;
	struct alive_process *process = alive_process_find(alive, pid);
	struct alive_thread *thread = alive_thread_find(process, tid);
	size_t at = (alive->ended_first + alive->nr_ended) % PERFDATA_ALIVE_ENDED;

	if (!thread)
		return;
	thread->ended = true;
	thread->round = alive->round;
	if (alive->nr_ended < PERFDATA_ALIVE_ENDED) {
		alive->nr_ended++;
	} else {
		oldest = alive->ended[alive->ended_first];
		process = alive_process_find(alive, oldest[0]);
		thread = alive_thread_find(process, oldest[1]);
		if (thread && thread->ended && !(oldest[0] == pid && oldest[1] == tid))
			alive_thread_drop(alive, process, thread);
		alive->ended_first = (alive->ended_first + 1) % PERFDATA_ALIVE_ENDED;
	}
	alive->ended[at][0] = pid;
	alive->ended[at][1] = tid;
}

static int take(struct perfdata_alive *alive, const struct alive_record *record)
{
	switch (record->header.type) {
	case PERF_RECORD_COMM:
		return take_comm(alive, record);
	case PERF_RECORD_MMAP2:
		return take_map(alive, record);
	case PERF_RECORD_FORK:
		return take_fork(alive, record);
	case PERF_RECORD_NAMESPACES:
		return take_namespaces(alive, record);
	default:
		take_exit(alive, record);
		return 0;
	}
}

/* ---- Rounds ---- */

/* The least of a record; 0: of a kind that says nothing of tasks. */
static size_t size_min(uint32_t type)
{
	const size_t ends = sizeof(struct perf_event_header) + SAMPLE_ID_SIZE;

	switch (type) {
	case PERF_RECORD_COMM:
		return ends + 8;
	case PERF_RECORD_NAMESPACES:
		return ends + 16;
	case PERF_RECORD_MMAP2:
		return ends + 64;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return ends + 24;
	default:
		return 0;
	}
}

int perfdata_alive_note(struct perfdata_alive *alive, const struct perf_event_header *header)
{
	size_t size = header->size - sizeof(*header), least = size_min(header->type);
	struct alive_record *record;

	if (!least || header->size < least)
		return 0;
	if (alive_grow(&alive->pending, &alive->room_pending, alive->nr_pending,
		       sizeof(struct alive_record *)) < 0)
		return -ENOMEM;
	record = malloc(sizeof(*record) + size);
	if (!record)
		return -ENOMEM;
	record->header = *header;
	memcpy(record->body, header + 1, size);
	record->time = u64_at(record->body + size - SAMPLE_ID_SIZE + 8);
	record->place = alive->nr_pending;
	alive->pending[alive->nr_pending++] = record;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct alive_record *x = *(struct alive_record *const *)a;
	const struct alive_record *y = *(struct alive_record *const *)b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

int perfdata_alive_settle(struct perfdata_alive *alive)
{
	size_t i, nr = alive->nr_pending;
	int ret = 0;

	alive->round++;
	if (nr)
		qsort(alive->pending, nr, sizeof(struct alive_record *), by_time);
	for (i = 0; i < nr; i++) {
		if (!ret)
			ret = take(alive, alive->pending[i]);
		free(alive->pending[i]);
	}
	alive->nr_pending = 0;
	return ret;
}

/* ---- At the beginning of a file ---- */

/* Before everything, and of the process alone: those of its parent have another pid in them. */
static void tell_again(FILE *out, const struct alive_process *process, uint32_t tid,
		       const struct perf_event_header *header, const unsigned char *body,
		       uint64_t id)
{
	const uint32_t who[] = { process->pid, tid };
	const uint64_t rest[] = { 0, 0, id };
	size_t size = header->size - sizeof(*header) - sizeof(who) - SAMPLE_ID_SIZE;

	fwrite(header, sizeof(*header), 1, out);
	fwrite(who, sizeof(who), 1, out);
	fwrite(body + sizeof(who), size, 1, out);
	fwrite(who, sizeof(who), 1, out);
	fwrite(rest, sizeof(rest), 1, out);
}

/* Samples that were written as it ended may be read in the round after. */
static bool is_told(const struct perfdata_alive *alive, const struct alive_thread *thread)
{
	return !thread->ended || alive->keep_ended || alive->round - thread->round < 2;
}

static void tell_process(struct perfdata_alive *alive, FILE *out,
			 const struct alive_process *process, uint64_t id)
{
	size_t i;
	bool any = false;

	for (i = 0; i < process->nr_threads; i++) {
		const struct alive_thread *thread = &process->threads[i];

		if (!is_told(alive, thread))
			continue;
		any = true;
		if (thread->comm[0])
			perfdata_comm_tell(out, thread->comm, process->pid, thread->tid, id);
		if (thread->namespaces)
			tell_again(out, process, thread->tid, &thread->namespaces->header,
				   thread->namespaces->body, id);
	}
	for (i = 0; i < process->nr_maps && any; i++)
		tell_again(out, process, process->threads[0].tid, &process->maps[i]->header,
			   process->maps[i]->body, id);
}

/* Without the kernel's records of tasks no end is known, but that one is gone. */
static bool is_gone(const struct alive_process *process, const struct alive_thread *thread)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/task/%u", process->pid, thread->tid);
	return process->pid && access(path, F_OK) < 0;
}

static void forget_ended(struct perfdata_alive *alive, struct alive_process *process)
{
	size_t i = process->nr_threads;
	bool last;

	while (i--) {
		struct alive_thread *thread = &process->threads[i];

		if (!thread->ended && !alive->has_ends && is_gone(process, thread)) {
			thread->ended = true;
			thread->round = alive->round;
		}
		if (is_told(alive, thread))
			continue;
		last = process->nr_threads == 1;
		alive_thread_drop(alive, process, thread);
		if (last)
			return;
	}
}

void perfdata_alive_tell(struct perfdata_alive *alive, FILE *out, uint64_t id)
{
	struct alive_process *process, *next;
	unsigned int i;

	for (i = 0; i < PERFDATA_ALIVE_BUCKETS; i++) {
		for (process = alive->processes[i]; process; process = next) {
			next = process->next;
			tell_process(alive, out, process, id);
			forget_ended(alive, process);
		}
	}
}

void perfdata_alive_free(struct perfdata_alive *alive)
{
	unsigned int i;

	while (alive->nr_pending)
		free(alive->pending[--alive->nr_pending]);
	free(alive->pending);
	for (i = 0; i < PERFDATA_ALIVE_BUCKETS; i++) {
		while (alive->processes[i])
			alive_process_free(alive, alive->processes[i]);
	}
	memset(alive, 0, sizeof(*alive));
}
