/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The processes, threads and maps that alive.c knows. */
#ifndef PERFDATA_ALIVE_TASK_H
#define PERFDATA_ALIVE_TASK_H

#include "alive_set.h"

#define ALIVE_COMM_SIZE 16

struct alive_record {
	uint64_t time;
	size_t place;			/* in its round */
	struct perf_event_header header;
	unsigned char body[];
};

/* Processes that come from each other share them. */
struct alive_map {
	unsigned int users;
	uint64_t start;
	uint64_t len;
	struct perf_event_header header;	/* of PERF_RECORD_MMAP2 */
	unsigned char body[];
};

struct alive_thread {
	uint32_t tid;
	bool ended;
	uint32_t round;			/* in which it ended */
	char comm[ALIVE_COMM_SIZE];
	struct alive_record *namespaces;	/* the latest of these; NULL: none */
};

struct alive_process {
	struct alive_process *next;
	uint32_t pid;
	uint64_t since;			/* time of its execve(2) */
	struct alive_thread *threads;
	size_t nr_threads;
	size_t room_threads;
	struct alive_map **maps;
	size_t nr_maps;
	size_t room_maps;
};

/* Those that return a pointer return NULL where there is none, or no memory for it. */
struct alive_process *alive_process_find(struct perfdata_alive *alive, uint32_t pid);
struct alive_process *alive_process_get(struct perfdata_alive *alive, uint32_t pid);
void alive_process_free(struct perfdata_alive *alive, struct alive_process *process);

struct alive_thread *alive_thread_find(struct alive_process *process, uint32_t tid);
struct alive_thread *alive_thread_get(struct alive_process *process, uint32_t tid);

/* alive_thread_drop - forget a thread, and its process with the last one */
void alive_thread_drop(struct perfdata_alive *alive, struct alive_process *process,
		       struct alive_thread *thread);

/* alive_map_add - a map in place of those that it covers; returns 0 or -ENOMEM */
int alive_map_add(struct alive_process *process, struct alive_map *map);

void alive_maps_drop(struct alive_process *process);

/* alive_grow - room for one more in a list; returns 0 or -ENOMEM */
int alive_grow(void *list, size_t *room, size_t nr, size_t size);

#endif
