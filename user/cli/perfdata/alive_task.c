// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "alive_task.h"
#include "tasks.h"

int alive_grow(void *list, size_t *room, size_t nr, size_t size)
{
	size_t more = *room ? 2 * *room : 4;
	void *bytes, *old;

	if (nr < *room)
		return 0;
	memcpy(&old, list, sizeof(old));
	bytes = reallocarray(old, more, size);
	if (!bytes)
		return -ENOMEM;
	memcpy(list, &bytes, sizeof(bytes));
	*room = more;
	return 0;
}

static struct alive_process **bucket(struct perfdata_alive *alive, uint32_t pid)
{
	return &alive->processes[pid % PERFDATA_ALIVE_BUCKETS];
}

struct alive_process *alive_process_find(struct perfdata_alive *alive, uint32_t pid)
{
	struct alive_process *process = *bucket(alive, pid);

	while (process && process->pid != pid)
		process = process->next;
	return process;
}

struct alive_process *alive_process_get(struct perfdata_alive *alive, uint32_t pid)
{
	struct alive_process *process = alive_process_find(alive, pid);

	if (process)
		return process;
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	process->pid = pid;
	process->next = *bucket(alive, pid);
	*bucket(alive, pid) = process;
	return process;
}

static void map_put(struct alive_map *map)
{
	if (!--map->users)
		free(map);
}

void alive_maps_drop(struct alive_process *process)
{
	while (process->nr_maps)
		map_put(process->maps[--process->nr_maps]);
}

void alive_process_free(struct perfdata_alive *alive, struct alive_process *process)
{
	struct alive_process **at = bucket(alive, process->pid);

	while (*at != process)
		at = &(*at)->next;
	*at = process->next;
	alive_maps_drop(process);
	while (process->nr_threads)
		free(process->threads[--process->nr_threads].namespaces);
	free(process->maps);
	free(process->threads);
	free(process);
}

struct alive_thread *alive_thread_find(struct alive_process *process, uint32_t tid)
{
	size_t i;

	for (i = 0; process && i < process->nr_threads; i++) {
		if (process->threads[i].tid == tid)
			return &process->threads[i];
	}
	return NULL;
}

struct alive_thread *alive_thread_get(struct alive_process *process, uint32_t tid)
{
	struct alive_thread *thread = alive_thread_find(process, tid);

	if (thread)
		return thread;
	if (alive_grow(&process->threads, &process->room_threads, process->nr_threads,
		       sizeof(*process->threads)) < 0)
		return NULL;
	thread = &process->threads[process->nr_threads++];
	*thread = (struct alive_thread){ .tid = tid };
	return thread;
}

void alive_thread_drop(struct perfdata_alive *alive, struct alive_process *process,
		       struct alive_thread *thread)
{
	if (alive->known)
		perfdata_tasks_forget(alive->known, process->pid, thread->tid,
				      process->nr_threads == 1);
	free(thread->namespaces);
	*thread = process->threads[--process->nr_threads];
	if (!process->nr_threads)
		alive_process_free(alive, process);
}

/* Maps that are not covered have lost no more than a part. */
int alive_map_add(struct alive_process *process, struct alive_map *map)
{
	size_t i, kept = 0;

	for (i = 0; i < process->nr_maps; i++) {
		struct alive_map *old = process->maps[i];

		if (old->start >= map->start && old->start - map->start < map->len &&
		    old->len <= map->len - (old->start - map->start))
			map_put(old);
		else
			process->maps[kept++] = old;
	}
	process->nr_maps = kept;
	if (alive_grow(&process->maps, &process->room_maps, kept, sizeof(struct alive_map *)) < 0)
		return -ENOMEM;
	process->maps[process->nr_maps++] = map;
	map->users++;
	return 0;
}
